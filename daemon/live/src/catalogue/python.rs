//! Python: pyright 1.1.414, basedpyright 1.40.2, ty 0.0.105, pyrefly 1.4.1.

use serde_json::{Value, json};

use crate::spec::{Announce, Circumstances, OpenPolicy, ReadySignal, ServerSpec, nothing};

const FILES: &[(&str, &str)] = &[("py", "python"), ("pyi", "python")];
const MARKERS: &[&str] =
    &["pyproject.toml", "pyrightconfig.json", "setup.py", "setup.cfg", "requirements.txt"];

pub(super) fn servers() -> Vec<ServerSpec> {
    let pyright = ServerSpec {
        name: "pyright",
        files: FILES,
        markers: MARKERS,
        commands: &[&["pyright-langserver", "--stdio"]],
        // It has none that ends; its sibling `pyright` would be another program.
        version_args: &[],
        least_version: 0,
        install_hint: "npm install -g pyright",
        // Then it still holds the first request while it reads them.
        ready: ReadySignal::Logs("source file"),
        open: OpenPolicy::Never,
        announce: Announce::WatchedFiles,
        options: nothing,
        settings: pyright_settings,
        restricted: Some(
            "the project's own interpreter is not run, so packages installed in it may be unresolved",
        ),
        clean_exit_codes: &[0],
    };
    let basedpyright = ServerSpec {
        name: "basedpyright",
        commands: &[&["basedpyright-langserver", "--stdio"]],
        install_hint: "pip install basedpyright",
        ..pyright.clone()
    };
    let ty = ServerSpec {
        name: "ty",
        commands: &[&["ty", "server"]],
        version_args: &["--version"],
        install_hint: "pip install ty",
        ready: ReadySignal::Held,
        options: nothing,
        settings: nothing,
        restricted: None,
        // It ends with 2 when its input closes.
        clean_exit_codes: &[0, 2],
        ..pyright.clone()
    };
    let pyrefly = ServerSpec {
        name: "pyrefly",
        commands: &[&["pyrefly", "lsp"]],
        version_args: &["--version"],
        install_hint: "pip install pyrefly",
        ready: ReadySignal::Settles,
        open: OpenPolicy::AskedFile,
        announce: Announce::WatchedFilesAndOpenNew,
        settings: nothing,
        restricted: None,
        ..pyright.clone()
    };
    vec![pyright, basedpyright, ty, pyrefly]
}

/// The whole project is looked at, not only what is open, and nothing is reported that nobody asked for.
fn pyright_settings(circumstances: &Circumstances<'_>) -> Value {
    let analysis =
        json!({"diagnosticMode": "openFilesOnly", "autoSearchPaths": true, "useLibraryCodeForTypes": true});
    let mut settings = json!({"python": {"analysis": analysis}, "basedpyright": {"analysis": analysis}});
    if !circumstances.trusted
        && let Some(system) = (circumstances.ask)("python3", &["-c", "import sys; print(sys.executable)"])
    {
        // Named, so that it does not look for one in the project and run that.
        settings["python"]["pythonPath"] = json!(system.trim());
    }
    settings
}
