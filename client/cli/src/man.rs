//! Defines `hob man`: makes manual pages of `hob` and its commands from their definitions, and asks the other programs
//! for theirs.
//!
//! Packages are made with `--out`; users without a package read a page with `hob man map | man -l -`. The other
//! programs print their page on `--man`, which their help does not mention: only they know their command lines.

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command as Process, Stdio};

use clap::{Args, Command, CommandFactory as _};
use hob_client::manual;
use hob_client::program::file_name;

use super::{Cli, CommandFailure, CommandOutcome, term};

/// The programs that are installed beside `hob`.
const OTHERS: [&str; 3] = ["hobd", "hob-mcp", "hob-lsp"];

/// Print a manual page, or write all of them into a folder
///
/// For instance: hob man map | man -l -
#[derive(Debug, Args)]
pub(crate) struct Man {
    /// The command whose page to print, or hobd, hob-mcp or hob-lsp (default: hob itself)
    #[arg(value_name = "COMMAND")]
    command: Vec<String>,

    /// Write the pages of all commands and programs into this folder
    #[arg(long, value_name = "DIR", conflicts_with = "command")]
    out: Option<PathBuf>,
}

/// A file name and the file's contents.
type ManPage = (String, Vec<u8>);

impl Man {
    pub(super) fn run(&self) -> Result<CommandOutcome, CommandFailure> {
        match &self.out {
            Some(folder) => write_all(folder)?,
            None => std::io::stdout().lock().write_all(&self.one()?)?,
        }
        Ok(CommandOutcome::Done)
    }

    fn one(&self) -> Result<Vec<u8>, CommandFailure> {
        if let [name] = self.command.as_slice()
            && OTHERS.contains(&name.as_str())
        {
            return of_program(name);
        }
        let wanted = [&["hob".to_owned()], self.command.as_slice()].concat().join("-") + ".1";
        let found = own_pages().into_iter().find(|(name, _)| *name == wanted);
        found.map(|(_, text)| text).ok_or_else(|| {
            let asked = self.command.join(" ");
            CommandFailure::Usage(format!("there is no command `{asked}`; `hob --help` lists them"))
        })
    }
}

fn write_all(folder: &Path) -> Result<(), CommandFailure> {
    let mut pages = own_pages();
    for name in OTHERS {
        pages.push((format!("{name}.1"), of_program(name)?));
    }
    let failed = |error: std::io::Error| {
        CommandFailure::Usage(format!("cannot write into {}: {error}", folder.display()))
    };
    std::fs::create_dir_all(folder).map_err(failed)?;
    for (name, text) in &pages {
        std::fs::write(folder.join(name), text).map_err(failed)?;
    }
    term::print(&format!("{} pages in {}\n", pages.len(), folder.display()))?;
    Ok(())
}

/// Returns the pages of `hob` and of every command that its help shows.
fn own_pages() -> Vec<ManPage> {
    let mut root = Cli::command().disable_help_subcommand(true);
    root.build();
    let mut pages = Vec::new();
    collect_pages(&root, None, &mut pages);
    pages
}

fn collect_pages(command: &Command, above: Option<&str>, pages: &mut Vec<ManPage>) {
    let name = command.get_display_name().unwrap_or_else(|| command.get_name());
    let related: Vec<&str> = above.map_or_else(|| OTHERS.to_vec(), |above| vec![above]);
    pages.push((manual::file_name(command), manual::page(command.clone(), &related)));
    for below in command.get_subcommands().filter(|below| !below.is_hide_set()) {
        collect_pages(below, Some(name), pages);
    }
}

/// Returns the output of `--man` of the program of that name beside this one.
fn of_program(name: &str) -> Result<Vec<u8>, CommandFailure> {
    let own = std::env::current_exe()?;
    let own = own.canonicalize().unwrap_or(own);
    let path = own.with_file_name(file_name(name));
    let said = Process::new(&path).arg("--man").stdin(Stdio::null()).output();
    match said {
        Ok(said) if said.status.success() => Ok(said.stdout),
        Ok(_) => Err(CommandFailure::Usage(format!(
            "{} is of another version: it does not know `--man`",
            path.display()
        ))),
        Err(error) => Err(CommandFailure::Usage(format!(
            "cannot ask {} for its page: {error}; the programs belong into one folder",
            path.display()
        ))),
    }
}
