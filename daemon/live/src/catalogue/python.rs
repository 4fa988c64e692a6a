//! Describes the servers for Python: pyright 1.1.414, basedpyright 1.40.2, ty 0.0.105, pyrefly 1.4.1.

use std::time::Duration;

use serde_json::{Value, json};

use crate::spec::{
    Announce, Install, OpenPolicy, ReadySignal, ServerCircumstances, ServerLags, ServerSpec, no_settings,
};

const FILES: &[(&str, &str)] = &[("py", "python"), ("pyi", "python")];
const MARKERS: &[&str] =
    &["pyproject.toml", "pyrightconfig.json", "setup.py", "setup.cfg", "requirements.txt"];

pub(super) fn servers() -> Vec<ServerSpec> {
    let pyright = ServerSpec {
        name: "pyright",
        files: FILES,
        markers: MARKERS,
        // The program cannot be asked for its version; its sibling `pyright` would be another program.
        commands: &[&["pyright-langserver", "--stdio"]],
        install_hint: "npm install -g pyright",
        install: Some(Install::Npm(&["pyright@1.1.414"])),
        // After this message it still holds the first request while it reads the files.
        ready: ReadySignal::Logs("source file"),
        open: OpenPolicy::Never,
        // Measured: 0.2 to 2.8 s until it has read changed files again, 1.2 to 6.3 s until it knows which files there
        // are.
        announce: Announce::OpenAndKeep(ServerLags {
            read: Duration::from_secs(4),
            listed: Duration::from_secs(7),
        }),
        settings: pyright_settings,
        harmless: &["python.analysis", "basedpyright.analysis"],
        restricted: Some(
            "the project's own interpreter is not run, so packages installed in it may be unresolved",
        ),
        ..ServerSpec::cautious_defaults()
    };
    let basedpyright = ServerSpec {
        name: "basedpyright",
        commands: &[&["basedpyright-langserver", "--stdio"]],
        install_hint: "pip install basedpyright",
        install: Some(Install::Pip(&["basedpyright==1.40.2"])),
        ..pyright.clone()
    };
    let ty = ServerSpec {
        name: "ty",
        commands: &[&["ty", "server"]],
        version_args: &["--version"],
        install_hint: "pip install ty",
        install: Some(Install::Pip(&["ty==0.0.105"])),
        ready: ReadySignal::Held,
        announce: Announce::WatchedFiles,
        settings: no_settings,
        // ty reads environments and runs no interpreter.
        harmless: &["ty"],
        restricted: None,
        // ty ends with 2 when its input closes.
        clean_exit_codes: &[0, 2],
        ..pyright.clone()
    };
    let pyrefly = ServerSpec {
        name: "pyrefly",
        commands: &[&["pyrefly", "lsp"]],
        install_hint: "pip install pyrefly",
        install: Some(Install::Pip(&["pyrefly==1.4.1"])),
        version_args: &["--version"],
        ready: ReadySignal::Settles,
        open: OpenPolicy::AskedFile,
        announce: Announce::WatchedFilesAndOpenNew,
        settings: no_settings,
        harmless: &[],
        restricted: None,
        needs_trust: Some("it asks the project's own interpreter where packages are"),
        ..pyright.clone()
    };
    vec![pyright, basedpyright, ty, pyrefly]
}

/// Returns pyright's settings: the server looks at the whole project, but reports diagnostics of open files only.
fn pyright_settings(circumstances: &ServerCircumstances<'_>) -> Value {
    let analysis =
        json!({"diagnosticMode": "openFilesOnly", "autoSearchPaths": true, "useLibraryCodeForTypes": true});
    let mut settings = json!({"python": {"analysis": analysis}, "basedpyright": {"analysis": analysis}});
    // A trusted project's own interpreter. Otherwise one outside the project, so that pyright does not look for one in
    // the project and run it.
    if let Some(found) = (circumstances.ask)("python3", &["-c", "import sys; print(sys.executable)"]) {
        settings["python"]["pythonPath"] = json!(found.trim());
    }
    settings
}
