//! Configures editors to use hob's language server.
//!
//! One file per editor has its texts and their places; `plan` shows or writes them. hob never changes a file of the
//! user's.

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

use clap::Args;

use self::languages::Language;
use self::plan::EditorSetupPlan;
use self::surroundings::Surroundings;
use crate::term::{self, Style};
use crate::{CommandFailure, CommandOutcome, Common};

/// The options for an editor on the command line.
#[derive(Debug, Args)]
#[command(next_help_heading = "Editors")]
pub(super) struct EditorOptions {
    /// Set up the editor instead of the agent in it, for VS Code and Zed
    #[arg(long)]
    pub(super) editor: bool,

    /// Write the files that belong to hob alone
    #[arg(long)]
    pub(super) write: bool,

    /// Only for this language; may be repeated (default: every language that hob's map knows)
    #[arg(long = "language", value_name = "NAME")]
    pub(super) languages: Vec<String>,
}

impl EditorOptions {
    /// Returns true if an option was given that only editors have.
    pub(super) fn are_given(&self) -> bool {
        self.editor || self.write || !self.languages.is_empty()
    }
}

type Planner = fn(&Surroundings, &[Language]) -> EditorSetupPlan;

/// An editor that hob can serve.
#[derive(Debug)]
pub(super) struct SetupEditor {
    /// The editor's name on the command line.
    pub(super) id: &'static str,
    /// The editor's name for people.
    pub(super) title: &'static str,
    plan: Planner,
}

/// Every editor, by name.
pub(super) const EDITORS: &[SetupEditor] = &[
    SetupEditor { id: "emacs", title: "Emacs", plan: emacs::plan },
    SetupEditor { id: "helix", title: "Helix", plan: helix::plan },
    SetupEditor { id: "kakoune", title: "Kakoune", plan: kakoune::plan },
    SetupEditor { id: "neovim", title: "Neovim", plan: neovim::plan },
    SetupEditor { id: "vim", title: "Vim", plan: vim::plan },
    SetupEditor { id: "vscode", title: "VS Code", plan: vscode::plan },
    SetupEditor { id: "zed", title: "Zed", plan: zed::plan },
];

impl SetupEditor {
    /// Returns the editor of that name.
    pub(super) fn find_by_id(id: &str) -> Option<&'static Self> {
        EDITORS.iter().find(|editor| editor.id == id)
    }

    /// Prints the editor's configuration, or writes the files that are hob's alone.
    pub(super) fn run(
        &self,
        options: &EditorOptions,
        common: &Common,
    ) -> Result<CommandOutcome, CommandFailure> {
        let languages = languages::chosen_languages(&options.languages).map_err(CommandFailure::Usage)?;
        let own = std::env::current_exe().ok();
        let at = Surroundings::find(&|name| std::env::var_os(name), own.as_deref())
            .map_err(|problem| CommandFailure::Usage(problem.to_owned()))?
            .with_options(common.far.to_words());
        let plan = (self.plan)(&at, &languages);
        let style = Style::of_stdout();
        let text = match (options.write, common.json) {
            (true, _) => plan.write(&style)?,
            (false, true) => format!("{}\n", plan.as_json()),
            (false, false) => plan.steps_text(&style),
        };
        term::print(&text)?;
        if !at.is_installed() {
            term::note_to_stderr("`hob-lsp` is neither on the PATH nor beside `hob`");
        }
        Ok(CommandOutcome::Done)
    }
}
