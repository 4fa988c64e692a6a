//! `hob-bench` compares hob with other programs in the same run, as ratios.
//!
//! Absolute times on a shared machine mean little. Therefore the programs are run in turns, one of each, many times,
//! and their medians are divided. Every row names the other program and says what, if anything, is unfair about the
//! comparison. None of this is a test: no figure makes it fail.
//!
//! The given tree is never written to. Rows that change files work on a copy, or on a tree made for them. Rows on the
//! given tree share one daemon, so that a large tree is indexed once per run, and with `--keep` only once for all runs.

mod bare;
mod edit;
mod generate;
mod git;
mod lsp;
mod mcp;
mod peers;
mod process;
mod report;
mod rows;
mod scratch;
mod stats;
mod world;

use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Parser, Subcommand};

/// Compare hob with other programs in the same run.
///
/// Build first: `cargo build --release --workspace`. Programs that are not installed are left out, and this is
/// reported.
#[derive(Debug, Parser)]
#[command(name = "hob-bench", args_conflicts_with_subcommands = true, subcommand_negates_reqs = true)]
struct CommandLine {
    #[command(subcommand)]
    task: Option<Task>,
    #[command(flatten)]
    rows: Option<Args>,
}

/// The tasks other than measuring rows.
#[derive(Debug, Subcommand)]
enum Task {
    /// Measure everything several times and write one page with tables and plots
    Report(Box<report::ReportOptions>),
    /// Say which commit moved a ratio of kept reports by more than its spread
    Regressions(report::RegressionsOptions),
}

/// The rows to measure, the tree, and the programs to compare hob with.
#[derive(Debug, Parser)]
struct Args {
    /// The tree to measure on. Only copies of it are written to.
    #[arg(long)]
    tree: PathBuf,
    /// The names of the rows to measure; all rows if none are named.
    #[arg(value_parser = clap::builder::PossibleValuesParser::new(rows::names()))]
    rows: Vec<String>,
    /// The names to search the map for, in turn.
    #[arg(long, value_delimiter = ',', default_value = "main,new,parse,open,read,write,get,set,run,init")]
    names: Vec<String>,
    /// The position that `nav`, `references`, `share` and `editor` ask about, such as `src/a.py:3:5`. Its language server must be on
    /// the PATH.
    #[arg(long, value_name = "FILE:LINE:COL")]
    at: Option<String>,
    /// The servers that `share` and `editor` measure. They must be on the PATH.
    #[arg(long, value_delimiter = ',', default_value = "ty,pyright")]
    servers: Vec<String>,
    /// The program of codanna, to measure it too.
    #[arg(long)]
    codanna: Option<PathBuf>,
    /// The program of codegraph, to measure it too.
    #[arg(long)]
    codegraph: Option<PathBuf>,
    /// The program of cclsp, to measure it too. Its language server must be on the PATH.
    #[arg(long)]
    cclsp: Option<PathBuf>,
    /// The program of Serena, to measure it too. Its language server must be on the PATH.
    #[arg(long)]
    serena: Option<PathBuf>,
    /// A folder with language servers, which `references` searches before the PATH.
    #[arg(long, value_name = "FOLDER")]
    path: Option<PathBuf>,
    /// The program of ripgrep, to measure it too.
    #[arg(long, default_value = "rg")]
    rg: PathBuf,
    /// The program of csearch, to measure it too. cindex must be in the same folder.
    #[arg(long)]
    csearch: Option<PathBuf>,
    /// A Python that has the package fff-search, to measure it too.
    #[arg(long, value_name = "PYTHON")]
    fff: Option<PathBuf>,
    /// The rounds of fast rows. Slow rows take fewer.
    #[arg(long, default_value_t = 40)]
    rounds: usize,
    /// The sizes in files of the trees that `barrier` makes in addition to the given one, and `scale` instead of it.
    #[arg(long, value_delimiter = ',', default_value = "1000,10000,80000")]
    sizes: Vec<usize>,
    /// The time during which `idle` watches, in seconds.
    #[arg(long, default_value_t = 60, value_name = "SECONDS")]
    idle_seconds: u64,
    /// Keep the copy of the tree and hob's index of it in this folder. A later run with the same folder starts from
    /// them.
    #[arg(long, value_name = "FOLDER")]
    keep: Option<PathBuf>,
    /// The project of `tests/quality/economy` that the tree contains, for `questions`.
    #[arg(long, value_name = "NAME", value_parser = ["click", "flask", "rxjs"])]
    questions: Option<String>,
    /// The figures of the rows, for a report.
    #[arg(skip)]
    sheet: report::figure::Sheet,
    /// True if the next row is measured even if one has failed.
    #[arg(skip)]
    goes_on: bool,
}

fn main() -> ExitCode {
    let line = CommandLine::parse();
    let done = match (&line.task, &line.rows) {
        (Some(Task::Report(options)), _) => report::write_report(options),
        (Some(Task::Regressions(options)), _) => report::print_regressions(options),
        (None, Some(args)) => rows::run(args),
        (None, None) => Err("name a tree with `--tree DIR`, or a task: `report`, `regressions`".into()),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("hob-bench: {error}");
            ExitCode::FAILURE
        }
    }
}

#[cfg(test)]
mod tests {
    use clap::{CommandFactory as _, Parser as _};

    use super::{CommandLine, Task};

    #[test]
    fn rows_and_tasks_are_told_apart() {
        CommandLine::command().debug_assert();
        let line = CommandLine::try_parse_from(["hob-bench", "--tree", "x", "index", "noop"]).expect("rows");
        assert!(line.task.is_none());
        assert_eq!(line.rows.expect("rows").rows, ["index", "noop"]);
        let words = ["hob-bench", "report", "--tree", "a=b", "--runs", "2", "--", "--rounds", "5"];
        assert!(matches!(CommandLine::try_parse_from(words).expect("a report").task, Some(Task::Report(_))));
        let words = ["hob-bench", "regressions", "kept.jsonl"];
        assert!(matches!(
            CommandLine::try_parse_from(words).expect("a file").task,
            Some(Task::Regressions(_))
        ));
        for bad in [&["hob-bench", "index"][..], &["hob-bench", "report", "--tree", "nameless"]] {
            assert!(CommandLine::try_parse_from(bad).is_err(), "{bad:?}");
        }
    }
}
