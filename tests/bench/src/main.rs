//! `hob-bench`: hob beside other programs, in the same run, as ratios.
//!
//! Absolute times of a shared machine mean little; what is compared is therefore run in turns (one of each, again and again),
//! and the medians are divided. Every row names the other program and what was unfair about the comparison, if anything
//! was. Nothing here is a test: no figure makes it fail.

mod mcp;
mod peers;
mod rows;
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
    /// The tree to measure on.
    #[arg(long)]
    tree: PathBuf,
    /// Which rows: index, handshake, noop, first-answer, search, regex. All, if none is named.
    rows: Vec<String>,
    /// Names to search the map for, as many as are given here, in turn.
    #[arg(long, value_delimiter = ',', default_value = "main,new,parse,open,read,write,get,set,run,init")]
    names: Vec<String>,
    /// codanna's program, if it is to be measured.
    #[arg(long)]
    codanna: Option<PathBuf>,
    /// ripgrep's program, if it is to be measured.
    #[arg(long, default_value = "rg")]
    rg: PathBuf,
    /// Rounds of cheap rows; costly ones take fewer.
    #[arg(long, default_value_t = 40)]
    rounds: usize,
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
