//! Defines the command line of `hob-mcp`.

use std::path::{Path, PathBuf};

use clap::{CommandFactory as _, Parser};
use hob_client::far::FarArgs;
use hob_client::work_tree::WorkTree;
use hob_proto::Form;
use hob_proto::tools::{self, ToolDef};

const ABOUT: &str = "MCP server for hob: code intelligence that is kept warm by one background daemon";

const EXAMPLES: &str = r#"An MCP client starts this program and speaks with it on stdin and stdout; by hand there is
nothing to see. It starts the hob daemon when none runs.

Which project a call is about, the first that applies:
  1. the call's own `root` argument
  2. an absolute path in the call's other arguments
  3. --root
  4. the git work tree that the paths of earlier calls lie in, beside the one below
  5. the first existing folder among the client's MCP roots, where it has them
  6. CLAUDE_PROJECT_DIR; the working directory, if that is in another work tree of the same repository
  7. the working directory
An answer about another project than the one before says so.

Code on another machine or in a container (docs/remote.md):
  hob-mcp --ssh devbox:/srv/shop
  hob-mcp --container web:/app --map .

Adding it to a client that reads `.mcp.json` (most do, under one name or another):
  {
    "mcpServers": {
      "hob": { "command": "hob-mcp", "args": ["--tools", "core"] }
    }
  }

Environment:
  HOB_DIR      keep all of hob's files under this folder instead of the platform's usual ones
  HOB_LOG      error, warn, info, debug or trace: write a log to stderr (default: none)
  HOB_SSH      the ssh to run for --ssh, with options (HOB_DOCKER and HOB_WSL likewise)

`hob tools` lists the tools; `hob status` shows the daemon."#;

/// The options that the user passed to `hob-mcp`.
#[derive(Debug, Parser)]
#[command(name = "hob-mcp", version, about = ABOUT, after_help = EXAMPLES, max_term_width = 100)]
pub(crate) struct McpShimArgs {
    /// The project: its folder or any path in it (default: what the client says, else the working directory)
    #[arg(long, value_name = "PATH")]
    pub(crate) root: Option<PathBuf>,

    /// The tools to offer: `core`, `all`, or names separated by commas
    #[arg(long, value_name = "LIST", default_value = "core", value_parser = parse_tools)]
    pub(crate) tools: String,

    /// Offer the tools that edit files, too, and allow them (default: what the settings say in `edits`)
    #[arg(long)]
    pub(crate) edits: bool,

    /// The form of answers: `text` for models, `json` for programs, with `structuredContent`; a call's `format`
    /// overrides it
    #[arg(long, value_name = "FORM", default_value = "text", value_parser = parse_form)]
    pub(crate) format: Form,

    /// Send the tools' output schemas, which cost context and which few clients need
    #[arg(long)]
    pub(crate) output_schemas: bool,

    #[command(flatten)]
    pub(crate) far: FarArgs,

    /// Print the manual page as roff and end; `hob man` asks for it
    #[arg(long, hide = true)]
    pub(crate) man: bool,
}

impl McpShimArgs {
    /// Returns the manual page of `hob-mcp`.
    pub(crate) fn manual() -> Vec<u8> {
        hob_client::manual::page(Self::command(), &["hob", "hobd"])
    }

    /// Returns the tools to offer, sorted by name. `enabled` tells whether the settings enable edits.
    pub(crate) fn chosen_tools(&self, enabled: bool) -> Vec<&'static ToolDef> {
        tools::select_tools(&self.tools, self.edits || enabled).unwrap_or_default()
    }
}

fn parse_form(word: &str) -> Result<Form, String> {
    match word {
        "text" => Ok(Form::Text),
        "json" => Ok(Form::Json),
        _ => Err("expected `text` or `json`".to_owned()),
    }
}

/// Checks that a list names tools, and returns it.
fn parse_tools(list: &str) -> Result<String, String> {
    let chosen = tools::select_tools(list, false).map_err(|unknown| unknown.to_string())?;
    if chosen.is_empty() { Err("no tool is named".to_owned()) } else { Ok(list.to_owned()) }
}

/// The folders of the user: `--root` made absolute, and the fallback.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct UserFolders {
    pub(crate) fixed: Option<PathBuf>,
    pub(crate) fallback: PathBuf,
}

impl UserFolders {
    /// Finds the folders; `project_dir` is the value of `CLAUDE_PROJECT_DIR`. The working directory takes precedence if
    /// it is in a linked work tree beside that project: clients keep the variable at the folder where a session began.
    pub(crate) fn find(root: Option<&Path>, project_dir: Option<PathBuf>, cwd: &Path) -> Self {
        let named = project_dir.filter(|dir| dir.is_absolute() && !is_work_tree_beside(cwd, dir));
        Self { fixed: root.map(|root| cwd.join(root)), fallback: named.unwrap_or_else(|| cwd.to_path_buf()) }
    }
}

fn is_work_tree_beside(cwd: &Path, project: &Path) -> bool {
    let own = WorkTree::around(cwd).filter(|own| own.is_linked);
    own.zip(WorkTree::around(project)).is_some_and(|(own, project)| own.is_beside(&project))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_command_line_is_consistent() {
        McpShimArgs::command().debug_assert();
    }

    #[test]
    fn a_misspelt_tool_is_refused_with_the_nearest_name() {
        let error = McpShimArgs::try_parse_from(["hob-mcp", "--tools", "map_serch"])
            .expect_err("unknown")
            .to_string();
        assert!(error.contains("did you mean `map_search`"), "{error}");
        assert!(McpShimArgs::try_parse_from(["hob-mcp", "--tools", ","]).is_err());
    }

    #[cfg(unix)]
    #[test]
    fn the_root_is_absolute_and_the_environment_only_a_fallback() {
        let cwd = Path::new("/work");
        let found = UserFolders::find(Some(Path::new("a")), Some("/p".into()), cwd);
        assert_eq!(found, UserFolders { fixed: Some("/work/a".into()), fallback: "/p".into() });
        assert_eq!(UserFolders::find(None, Some("relative".into()), cwd).fallback, cwd);
        assert_eq!(UserFolders::find(None, None, cwd).fixed, None);
    }

    #[cfg(unix)]
    #[test]
    fn a_work_tree_beside_the_named_project_goes_before_it() {
        let dir = tempfile::tempdir().expect("a folder");
        let at = |path: &str| dir.path().join(path);
        for (path, text) in [
            ("main/.git/worktrees/wt/commondir", "../.."),
            ("wt/.git", "gitdir: ../main/.git/worktrees/wt"),
            ("other/.git/HEAD", ""),
        ] {
            std::fs::create_dir_all(at(path).parent().expect("a folder")).expect("made");
            std::fs::write(at(path), text).expect("written");
        }
        let fallback =
            |project: &str, cwd: &str| UserFolders::find(None, Some(at(project)), &at(cwd)).fallback;
        assert_eq!(fallback("main", "wt"), at("wt"));
        assert_eq!(fallback("wt", "main"), at("wt"), "only a linked one was moved to");
        assert_eq!(fallback("main", "other"), at("main"));
    }
}
