//! Describes the server for shell scripts: bash-language-server, measured at version 5.8.1.

use crate::spec::{Announce, Install, ReadySignal, ServerSpec};

pub(super) fn servers() -> Vec<ServerSpec> {
    vec![ServerSpec {
        name: "bash-language-server",
        files: &[("sh", "shellscript"), ("bash", "shellscript")],
        commands: &[&["bash-language-server", "start"]],
        version_args: &["--version"],
        install_hint: "npm install -g bash-language-server",
        install: Some(Install::Npm(&["bash-language-server@5.8.1"])),
        ready: ReadySignal::Logs("BackgroundAnalysis: Completed"),
        // It ignores events and reads the disk once, but it follows open files.
        announce: Announce::OpenAndClose,
        ..ServerSpec::cautious_defaults()
    }]
}
