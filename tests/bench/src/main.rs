//! `hob-bench`: hob beside other programs, in the same run, as ratios.
//!
//! Absolute times of a shared machine mean little; what is compared is therefore run in turns (one of each, again and again),
//! and the medians are divided. Every row names the other program and what was unfair about the comparison, if anything
//! was. Nothing here is a test: no figure makes it fail.
//!
//! The tree that is given is never written to. Rows that change files work on a copy, or on a tree made for them; rows on
//! the given tree share one daemon, so that a large tree is indexed once a run, and with `--keep` once for all runs.

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

/// Measure hob against other programs in the same run.
///
/// Build first: `cargo build --release --workspace`. Programs that are not installed are left out, and said.
#[derive(Debug, Parser)]
#[command(name = "hob-bench", args_conflicts_with_subcommands = true, subcommand_negates_reqs = true)]
struct CommandLine {
    #[command(subcommand)]
    task: Option<Task>,
    #[command(flatten)]
    rows: Option<Args>,
}

/// The tasks beside measuring rows.
#[derive(Debug, Subcommand)]
enum Task {
    /// Measure everything several times and write one page with tables and plots
    Report(Box<report::ReportOptions>),
    /// Say which commit moved a ratio of kept reports by more than its spread
    Regressions(report::RegressionsOptions),
}

/// The rows to measure, the tree, and the programs beside hob.
#[derive(Debug, Parser)]
struct Args {
    /// The tree to measure on; only copies of it are written to.
    #[arg(long)]
    tree: PathBuf,
    /// Names of the rows to measure; all, if none is named
    #[arg(value_parser = clap::builder::PossibleValuesParser::new(rows::names()))]
    rows: Vec<String>,
    /// Names to search the map for, as many as are given here, in turn.
    #[arg(long, value_delimiter = ',', default_value = "main,new,parse,open,read,write,get,set,run,init")]
    names: Vec<String>,
    /// A place for `nav`, `share` and `editor` to ask about, such as `src/a.py:3:5`; its language server must be on the PATH.
    #[arg(long, value_name = "FILE:LINE:COL")]
    at: Option<String>,
    /// Servers that `share` and `editor` measure, which must be on the PATH.
    #[arg(long, value_delimiter = ',', default_value = "ty,pyright")]
    servers: Vec<String>,
    /// codanna's program, if it is to be measured.
    #[arg(long)]
    codanna: Option<PathBuf>,
    /// codegraph's program, if it is to be measured.
    #[arg(long)]
    codegraph: Option<PathBuf>,
    /// ripgrep's program, if it is to be measured.
    #[arg(long, default_value = "rg")]
    rg: PathBuf,
    /// csearch's program, if it is to be measured; cindex is looked for beside it.
    #[arg(long)]
    csearch: Option<PathBuf>,
    /// A Python that has the package fff-search, if that is to be measured.
    #[arg(long, value_name = "PYTHON")]
    fff: Option<PathBuf>,
    /// Rounds of cheap rows; costly ones take fewer.
    #[arg(long, default_value_t = 40)]
    rounds: usize,
    /// Files in the trees that `barrier` makes for itself, besides the given one.
    #[arg(long, value_delimiter = ',', default_value = "1000,10000,80000")]
    sizes: Vec<usize>,
    /// Time for which `idle` looks on, in seconds
    #[arg(long, default_value_t = 60, value_name = "SECONDS")]
    idle_seconds: u64,
    /// Keep the copy of the tree and hob's index of it in this folder; a later run with the same folder begins with them.
    #[arg(long, value_name = "FOLDER")]
    keep: Option<PathBuf>,
    /// The project of `tests/quality/economy` that the tree is, for `questions`.
    #[arg(long, value_name = "NAME", value_parser = ["click", "flask", "rxjs"])]
    questions: Option<String>,
    /// The figures of the rows, for a report.
    #[arg(skip)]
    sheet: report::figure::Sheet,
    /// True if the next row is measured although one has failed.
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
