//! Shell scripts: bash-language-server 5.8.1.

use crate::spec::{Announce, Install, OpenPolicy, ReadySignal, ServerSpec, no_variables, nothing};

pub(super) fn servers() -> Vec<ServerSpec> {
    vec![ServerSpec {
        name: "bash-language-server",
        files: &[("sh", "shellscript"), ("bash", "shellscript")],
        markers: &[],
        commands: &[&["bash-language-server", "start"]],
        version_args: &["--version"],
        least_version: 0,
        install_hint: "npm install -g bash-language-server",
        install: Some(Install::Npm(&["bash-language-server@5.8.1"])),
        ready: ReadySignal::Logs("BackgroundAnalysis: Completed"),
        open: OpenPolicy::AskedFile,
        // It ignores events and reads the disk once; what is open, it follows.
        announce: Announce::OpenAndClose,
        environment: no_variables,
        options: nothing,
        settings: nothing,
        section: None,
        harmless: &[],
        restricted: None,
        needs_trust: None,
        clean_exit_codes: &[0],
    }]
}
