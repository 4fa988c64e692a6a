//! Defines `hob debug bundle`: writes the facts for a bug report into one text file, after its user could check every
//! line.
//!
//! The command shows the whole text first and writes it only after a yes; it never sends anything. Like the doctor it
//! must work where nothing else does, so each section stands by itself, and one that cannot be had says so.

mod conceal;
mod gather;
mod stacks;

use std::fs::OpenOptions;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use clap::{Args, Subcommand};
use serde_json::{Value, json};

use super::{CommandFailure, CommandOutcome, Common, render, term};
use conceal::Concealer;
use gather::Section;

/// Gather the facts for a bug report
#[derive(Debug, Args)]
pub(crate) struct Debug {
    #[command(subcommand)]
    what: DebugVerb,
}

#[derive(Debug, Subcommand)]
enum DebugVerb {
    Bundle(Bundle),
}

/// Write versions, settings, status, statistics, log and crash reports into one text file
///
/// Shows the whole text first and asks; nothing is sent anywhere. Values that may be secret are left out. The
/// log and the reports name paths, and a crash message may quote a few characters of a text: look through it.
/// --hash-names replaces them by hashes, the same one for the same name, so that the text can still be
/// followed.
#[derive(Debug, Args)]
struct Bundle {
    /// The file to write (default: hob-bundle-SECONDS.txt in the working directory); it must not exist yet
    #[arg(long, short, value_name = "FILE")]
    out: Option<PathBuf>,

    /// Replace paths and the names of files, projects, the user and this machine by hashes
    #[arg(long)]
    hash_names: bool,

    /// Add the stacks of the daemon's threads; complete if gdb or eu-stack is installed
    #[arg(long)]
    stacks: bool,

    /// Number of lines at the end of the log to include
    #[arg(long, value_name = "N", default_value_t = 400)]
    log_lines: usize,

    /// Write the file without showing it and without asking
    #[arg(long, short)]
    yes: bool,
}

impl Debug {
    pub(super) async fn run(&self, common: &Common) -> Result<CommandOutcome, CommandFailure> {
        match &self.what {
            DebugVerb::Bundle(bundle) => bundle.run(common).await,
        }
    }
}

impl Bundle {
    async fn run(&self, common: &Common) -> Result<CommandOutcome, CommandFailure> {
        let file = common.working_file(self.out.as_deref().unwrap_or(&default_name()))?;
        if file.symlink_metadata().is_ok() {
            let why = format!("`{}` is there already; name another file with --out", file.display());
            return Err(CommandFailure::Usage(why));
        }
        let mut sections = gather::gather_sections(common, self.log_lines, self.stacks).await?;
        if self.hash_names {
            Concealer::for_sections(&sections).conceal_sections(&mut sections);
        }
        if common.json {
            term::print(&format!("{}\n", sections_json(&sections)))?;
        } else if !self.yes {
            term::print(&bundle_text(&sections))?;
        }
        if !self.may_write(&file)? {
            return Ok(CommandOutcome::Done);
        }
        let text = bundle_text(&sections);
        write_private(&file, &text)?;
        let size = render::count(text.lines().count() as u64, "line");
        term::print_to_stderr(&format!(
            "{}: {size}. Nothing was sent; it is yours to pass on.",
            file.display()
        ));
        Ok(CommandOutcome::Done)
    }

    /// Returns true if the user wants the file.
    fn may_write(&self, file: &Path) -> Result<bool, CommandFailure> {
        if self.yes {
            return Ok(true);
        }
        if !term::can_ask() {
            term::print_to_stderr("nothing was written; --yes writes the file without asking");
            return Ok(false);
        }
        Ok(term::ask_yes_or_no(&format!("Write this to {}?", file.display()))?)
    }
}

fn default_name() -> PathBuf {
    let seconds = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs();
    PathBuf::from(format!("hob-bundle-{seconds}.txt"))
}

fn bundle_text(sections: &[Section]) -> String {
    let one = |section: &Section| format!("== {} ==\n{}\n\n", section.title, section.text.trim_end());
    sections.iter().map(one).collect()
}

fn sections_json(sections: &[Section]) -> Value {
    let one = |section: &Section| json!({"title": section.title, "text": section.text});
    json!({"sections": sections.iter().map(one).collect::<Value>()})
}

/// Writes a new file that only the user may read.
fn write_private(file: &Path, text: &str) -> Result<(), CommandFailure> {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let written = options.open(file).and_then(|mut out| out.write_all(text.as_bytes()));
    written.map_err(|error| {
        CommandFailure::Usage(format!(
            "`{}` cannot be written: {error}; name another file with --out",
            file.display()
        ))
    })
}
