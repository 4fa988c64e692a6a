//! `hob setup`: the configuration that makes an editor use hob.
//!
//! One file per editor says what belongs where; `plan` shows or writes it. Nothing of the user's is ever changed.

mod emacs;
mod helix;
mod kakoune;
mod languages;
mod neovim;
mod plan;
mod surroundings;
mod vim;
mod vscode;
mod zed;

use clap::{Args, ValueEnum};

use self::languages::Language;
use self::plan::Plan;
use self::surroundings::Surroundings;
use super::term::{self, Style};
use super::{Common, Failure, Outcome};

/// Make an editor use hob's language servers: print its configuration, or write it
///
/// Prints what belongs where. With --write, files that are hob's alone are written; what belongs into a file of yours is still
/// printed, for you to put there. docs/editors.md says more.
#[derive(Debug, Args)]
pub(crate) struct Setup {
    /// The editor
    editor: Editor,

    /// Write the files that are hob's alone
    #[arg(long)]
    write: bool,

    /// Only for this language; may be repeated (default: every language that hob's map knows)
    #[arg(long = "language", value_name = "NAME")]
    languages: Vec<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Editor {
    Neovim,
    Helix,
    Vscode,
    Zed,
    Emacs,
    Kakoune,
    Vim,
}

impl Editor {
    fn plan(self, at: &Surroundings, languages: &[Language]) -> Plan {
        let plan = match self {
            Self::Neovim => neovim::plan,
            Self::Helix => helix::plan,
            Self::Vscode => vscode::plan,
            Self::Zed => zed::plan,
            Self::Emacs => emacs::plan,
            Self::Kakoune => kakoune::plan,
            Self::Vim => vim::plan,
        };
        plan(at, languages)
    }
}

impl Setup {
    pub(super) fn run(self, common: &Common) -> Result<Outcome, Failure> {
        let languages = languages::chosen(&self.languages).map_err(Failure::Usage)?;
        let own = std::env::current_exe().ok();
        let at = Surroundings::find(&|name| std::env::var_os(name), own.as_deref())
            .map_err(|problem| Failure::Usage(problem.to_owned()))?;
        let plan = self.editor.plan(&at, &languages);
        let style = Style::of_stdout();
        let text = match (self.write, common.json) {
            (true, _) => plan.write(&style)?,
            (false, true) => format!("{}\n", plan.as_json()),
            (false, false) => plan.shown(&style),
        };
        term::print(&text)?;
        if !at.is_installed() {
            let note = Style::of_stderr().notice("note:").into_owned();
            term::tell(&format!("{note} `hob-lsp` is neither on the PATH nor beside `hob`"));
        }
        Ok(Outcome::Done)
    }
}
