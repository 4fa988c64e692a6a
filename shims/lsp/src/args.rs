//! Defines the command line of `hob-lsp`.

use std::path::{Path, PathBuf};

use clap::{CommandFactory as _, Parser};
use hob_client::far::FarArgs;

const ABOUT: &str =
    "LSP server for hob: any editor shares the language servers and the index of one background daemon";

const EXAMPLES: &str = r#"An editor starts this program and speaks LSP with it on stdin and stdout; by hand there is
nothing to see. It starts the hob daemon when none runs, and stays when the daemon goes.

`hob setup EDITOR` prints the configuration for an editor.

Code on another machine or in a container, of which the editor has the files, too (docs/remote.md):
  hob-lsp --ssh devbox:/srv/shop --map .

Environment:
  HOB_DIR      keep all of hob's files under this folder instead of the platform's usual ones
  HOB_LOG      error, warn, info, debug or trace: write a log to stderr (default: none)
  HOB_SSH      the ssh to run for --ssh, with options (HOB_DOCKER and HOB_WSL likewise)"#;

/// The options that the user passed to `hob-lsp`.
#[derive(Debug, Parser)]
#[command(name = "hob-lsp", version, about = ABOUT, after_help = EXAMPLES, max_term_width = 100)]
pub(crate) struct LspShimArgs {
    /// The project, where the editor names none: its folder (default: that of each file)
    #[arg(long, value_name = "DIR")]
    pub(crate) root: Option<PathBuf>,

    /// A language whose server is wanted at once; may be repeated (default: those that the project seems to want)
    #[arg(long = "language", value_name = "NAME")]
    pub(crate) languages: Vec<String>,

    #[command(flatten)]
    pub(crate) far: FarArgs,

    /// Accepted because editors pass it: there is no other way to speak with this program
    #[arg(long)]
    pub(crate) stdio: bool,

    /// Print the manual page as roff and end; `hob man` asks for it
    #[arg(long, hide = true)]
    pub(crate) man: bool,
}

impl LspShimArgs {
    /// Returns the manual page of `hob-lsp`.
    pub(crate) fn manual() -> Vec<u8> {
        hob_client::manual::page(Self::command(), &["hob", "hobd"])
    }

    /// Returns the absolute path of the project, if an option names it.
    pub(crate) fn project_place(&self, cwd: &Path) -> Option<PathBuf> {
        self.root.as_ref().map(|root| cwd.join(root))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_command_line_is_consistent() {
        LspShimArgs::command().debug_assert();
    }

    #[test]
    fn languages_add_up_and_the_root_is_absolute() {
        let line = ["hob-lsp", "--stdio", "--language", "rust", "--root", "a", "--language=go"];
        let args = LspShimArgs::try_parse_from(line).expect("valid");
        assert_eq!(args.languages, ["rust", "go"]);
        assert_eq!(args.project_place(Path::new("/work")), Some("/work/a".into()));
        let args = LspShimArgs::try_parse_from(["hob-lsp"]).expect("valid");
        assert_eq!(args.project_place(Path::new("/work")), None);
    }
}
