//! `hob`: the command line. Everything is in `cli`; this file only starts it.

mod cli;

use std::process::ExitCode;

fn main() -> ExitCode {
    cli::main()
}
