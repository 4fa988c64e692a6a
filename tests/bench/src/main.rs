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
mod rows;
mod scratch;
mod stats;
mod world;

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Parser;

/// Measure hob against other programs in the same run.
///
/// Build first: `cargo build --release --workspace`. Programs that are not installed are left out, and said.
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
}

fn main() -> ExitCode {
    let args = Args::parse();
    match rows::run(&args) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("hob-bench: {error}");
            ExitCode::FAILURE
        }
    }
}
