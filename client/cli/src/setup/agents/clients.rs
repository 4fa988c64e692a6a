//! Lists the agents that hob can set up: their files, their notations, and how to tell that they are installed. A
//! table.
//!
//! docs/agents.md says which of these were run and for which only the documentation was read.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use super::entry::EntryShape;
use super::formats::{Dialect, Format};

/// The folders in which this user's programs keep their configuration.
pub(crate) struct Bases<'a> {
    pub(crate) home: PathBuf,
    /// The folder `~/.config` or the value of `XDG_CONFIG_HOME`; `%APPDATA%` on Windows.
    pub(crate) config: PathBuf,
    pub(crate) env: &'a dyn Fn(&str) -> Option<OsString>,
}

impl<'a> Bases<'a> {
    /// # Errors
    /// The error when there is no home folder.
    pub(crate) fn find(env: &'a dyn Fn(&str) -> Option<OsString>) -> Result<Self, &'static str> {
        let folder = |name: &str| env(name).map(PathBuf::from).filter(|path| path.is_absolute());
        let home = folder(if cfg!(windows) { "USERPROFILE" } else { "HOME" })
            .ok_or("no home folder is known for this user; set HOME")?;
        let config = folder(if cfg!(windows) { "APPDATA" } else { "XDG_CONFIG_HOME" });
        Ok(Self { config: config.unwrap_or_else(|| home.join(".config")), home, env })
    }

    /// Returns the folder that a variable names, else one in the home folder.
    pub(super) fn folder_in_variable(&self, variable: &str, usual: &str) -> PathBuf {
        let said = (self.env)(variable).map(PathBuf::from).filter(|path| path.is_absolute());
        said.unwrap_or_else(|| self.home.join(usual))
    }

    /// Returns the user's folder of VS Code.
    fn vscode_folder(&self) -> PathBuf {
        match cfg!(target_os = "macos") {
            true => self.home.join("Library/Application Support/Code/User"),
            false => self.config.join("Code/User"),
        }
    }
}

/// An agent that can start hob, with the places and notation of its settings.
pub(crate) struct SetupAgent {
    /// The agent's name on the command line.
    pub(crate) id: &'static str,
    /// The agent's name for people.
    pub(crate) title: &'static str,
    pub(crate) format: Format,
    /// The table of servers in its file.
    pub(crate) container: &'static str,
    pub(crate) shape: EntryShape,
    /// Its files in a project: the first that exists counts, else the first of all; empty if it has none.
    pub(crate) project: &'static [&'static str],
    /// Its files for this user, by the same rule.
    pub(crate) user: fn(&Bases<'_>) -> Vec<PathBuf>,
    /// A folder that the agent makes for itself.
    pub(crate) traces: fn(&Bases<'_>) -> PathBuf,
    /// The file name of the agent's program; empty if it has none.
    pub(crate) program: &'static str,
    /// The remaining step for the user after a project's file was written.
    pub(crate) then: &'static str,
    /// The dialect of JSON that the agent accepts, as far as that is known.
    pub(crate) dialect: Dialect,
}

impl SetupAgent {
    /// Returns the agent of that name.
    pub(crate) fn find_by_id(id: &str) -> Option<&'static Self> {
        CLIENTS.iter().find(|client| client.id == id)
    }

    /// Returns its file in a project.
    pub(crate) fn project_file(&self, root: &Path) -> Option<PathBuf> {
        first_there(self.project.iter().map(|name| root.join(name)).collect())
    }

    /// Returns its file for this user.
    pub(crate) fn user_file(&self, bases: &Bases<'_>) -> Option<PathBuf> {
        first_there((self.user)(bases))
    }

    /// Returns the path that shows that the agent is installed; `None` if nothing does.
    pub(crate) fn installed_path(&self, bases: &Bases<'_>) -> Option<String> {
        let path = (bases.env)("PATH").unwrap_or_default();
        let program = (!self.program.is_empty()).then(|| {
            std::env::split_paths(&path).map(|folder| folder.join(self.program)).find(|file| file.is_file())
        });
        let traces = || Some((self.traces)(bases)).filter(|folder| folder.exists());
        let found = program.flatten().or_else(traces)?;
        Some(found.display().to_string())
    }
}

fn first_there(mut paths: Vec<PathBuf>) -> Option<PathBuf> {
    let there = paths.iter().position(|path| path.exists()).unwrap_or(0);
    (there < paths.len()).then(|| paths.swap_remove(there))
}

const PLAIN: SetupAgent = SetupAgent {
    id: "",
    title: "",
    format: Format::Json,
    container: "mcpServers",
    shape: EntryShape::Plain,
    project: &[],
    user: |_| Vec::new(),
    traces: |at| at.home.join(".no-such-folder"),
    program: "",
    then: "",
    dialect: Dialect::Commas,
};

/// Every agent, by name.
pub(crate) const CLIENTS: &[SetupAgent] = &[
    SetupAgent {
        id: "amp",
        title: "Amp",
        container: "amp.mcpServers",
        project: &[".amp/settings.json", ".amp/settings.jsonc"],
        user: |at| {
            vec![at.home.join(".config/amp/settings.json"), at.home.join(".config/amp/settings.jsonc")]
        },
        traces: |at| at.home.join(".config/amp"),
        program: "amp",
        then: "Amp asks once before it starts a server of a project's settings",
        ..PLAIN
    },
    SetupAgent {
        id: "claude-code",
        title: "Claude Code",
        shape: EntryShape::Stdio,
        project: &[".mcp.json"],
        user: |at| vec![at.folder_in_variable("CLAUDE_CONFIG_DIR", "").join(".claude.json")],
        traces: |at| at.folder_in_variable("CLAUDE_CONFIG_DIR", ".claude"),
        program: "claude",
        then: "Claude Code asks once, in the project, before it starts a server of .mcp.json: start `claude` there and agree",
        dialect: Dialect::Plain,
        ..PLAIN
    },
    SetupAgent {
        id: "cline",
        title: "Cline",
        user: |at| {
            let named =
                (at.env)("CLINE_MCP_SETTINGS_PATH").map(PathBuf::from).filter(|path| path.is_absolute());
            vec![named.unwrap_or_else(|| at.home.join(".cline/data/settings/cline_mcp_settings.json"))]
        },
        traces: |at| at.home.join(".cline"),
        program: "cline",
        ..PLAIN
    },
    SetupAgent {
        id: "cline-vscode",
        title: "Cline in VS Code",
        user: |at| {
            vec![
                at.vscode_folder()
                    .join("globalStorage/saoudrizwan.claude-dev/settings/cline_mcp_settings.json"),
            ]
        },
        traces: |at| at.vscode_folder().join("globalStorage/saoudrizwan.claude-dev"),
        ..PLAIN
    },
    SetupAgent {
        id: "codex",
        title: "Codex",
        format: Format::Toml,
        container: "mcp_servers",
        project: &[".codex/config.toml"],
        user: |at| vec![at.folder_in_variable("CODEX_HOME", ".codex").join("config.toml")],
        traces: |at| at.folder_in_variable("CODEX_HOME", ".codex"),
        program: "codex",
        then: "Codex heeds a project's .codex/config.toml only in folders that it trusts: start `codex` there and agree",
        ..PLAIN
    },
    SetupAgent {
        id: "copilot-cli",
        title: "GitHub Copilot CLI",
        shape: EntryShape::Copilot,
        project: &[".github/mcp.json"],
        user: |at| vec![at.folder_in_variable("COPILOT_HOME", ".copilot").join("mcp-config.json")],
        traces: |at| at.folder_in_variable("COPILOT_HOME", ".copilot"),
        program: "copilot",
        then: "Copilot CLI heeds a project's file only in folders that it trusts",
        ..PLAIN
    },
    SetupAgent {
        id: "cursor",
        title: "Cursor",
        project: &[".cursor/mcp.json"],
        user: |at| vec![at.home.join(".cursor/mcp.json")],
        traces: |at| at.home.join(".cursor"),
        program: "cursor",
        then: "Cursor starts a new server only once it is switched on in its settings, under MCP",
        ..PLAIN
    },
    SetupAgent {
        id: "droid",
        title: "Factory Droid",
        shape: EntryShape::Stdio,
        project: &[".factory/mcp.json"],
        user: |at| vec![at.home.join(".factory/mcp.json")],
        traces: |at| at.home.join(".factory"),
        program: "droid",
        ..PLAIN
    },
    SetupAgent {
        id: "gemini",
        title: "Gemini CLI",
        dialect: Dialect::Comments,
        project: &[".gemini/settings.json"],
        user: |at| vec![at.home.join(".gemini/settings.json")],
        traces: |at| at.home.join(".gemini"),
        program: "gemini",
        then: "Gemini CLI starts a project's servers only in folders that it trusts",
        ..PLAIN
    },
    SetupAgent {
        id: "goose",
        title: "Goose",
        format: Format::Yaml,
        container: "extensions",
        shape: EntryShape::Goose,
        user: |at| {
            let folder = if cfg!(windows) { "Block/goose/config" } else { "goose" };
            vec![at.config.join(folder).join("config.yaml")]
        },
        traces: |at| at.config.join("goose"),
        program: "goose",
        ..PLAIN
    },
    SetupAgent {
        id: "junie",
        title: "Junie (JetBrains)",
        project: &[".junie/mcp/mcp.json"],
        user: |at| vec![at.home.join(".junie/mcp/mcp.json")],
        traces: |at| at.home.join(".junie"),
        program: "junie",
        ..PLAIN
    },
    SetupAgent {
        id: "kiro",
        title: "Kiro",
        project: &[".kiro/settings/mcp.json"],
        user: |at| vec![at.home.join(".kiro/settings/mcp.json")],
        traces: |at| at.home.join(".kiro"),
        program: "kiro",
        ..PLAIN
    },
    SetupAgent {
        id: "opencode",
        title: "opencode",
        container: "mcp",
        shape: EntryShape::OpenCode,
        project: &["opencode.json", "opencode.jsonc"],
        user: |at| {
            let folder = match cfg!(windows) {
                true => at.home.join(".config/opencode"),
                false => at.config.join("opencode"),
            };
            vec![folder.join("opencode.json"), folder.join("opencode.jsonc")]
        },
        traces: |at| at.config.join("opencode"),
        program: "opencode",
        ..PLAIN
    },
    SetupAgent {
        id: "qwen",
        title: "Qwen Code",
        dialect: Dialect::Comments,
        project: &[".qwen/settings.json"],
        user: |at| vec![at.home.join(".qwen/settings.json")],
        traces: |at| at.home.join(".qwen"),
        program: "qwen",
        then: "Qwen Code starts a project's servers only in folders that it trusts",
        ..PLAIN
    },
    SetupAgent {
        id: "roo",
        title: "Roo Code",
        project: &[".roo/mcp.json"],
        traces: |at| at.vscode_folder().join("globalStorage/rooveterinaryinc.roo-cline"),
        ..PLAIN
    },
    SetupAgent {
        id: "vscode",
        title: "VS Code (Copilot)",
        container: "servers",
        shape: EntryShape::Stdio,
        project: &[".vscode/mcp.json"],
        user: |at| vec![at.vscode_folder().join("mcp.json")],
        traces: |at| at.vscode_folder(),
        program: "code",
        then: "VS Code asks once before it starts a new server",
        ..PLAIN
    },
    SetupAgent {
        id: "windsurf",
        title: "Windsurf",
        user: |at| vec![at.home.join(".codeium/windsurf/mcp_config.json")],
        traces: |at| at.home.join(".codeium/windsurf"),
        program: "windsurf",
        ..PLAIN
    },
    SetupAgent {
        id: "zed",
        title: "Zed",
        container: "context_servers",
        project: &[".zed/settings.json"],
        user: |at| {
            let folder = match (cfg!(windows), cfg!(target_os = "macos")) {
                (true, _) => at.config.join("Zed"),
                (_, true) => at.home.join(".config/zed"),
                _ => at.config.join("zed"),
            };
            vec![folder.join("settings.json")]
        },
        traces: |at| at.config.join("zed"),
        program: "zed",
        then: "Zed starts a project's servers only in projects that it trusts",
        ..PLAIN
    },
];
