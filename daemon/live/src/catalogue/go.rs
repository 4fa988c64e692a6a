//! Go: gopls 0.11.

use crate::spec::{Announce, Install, OpenPolicy, ReadySignal, ServerSpec, nothing};

pub(super) fn servers() -> Vec<ServerSpec> {
    vec![ServerSpec {
        name: "gopls",
        files: &[("go", "go"), ("go.mod", "go.mod"), ("go.work", "go.work")],
        markers: &["go.work", "go.mod"],
        commands: &[&["gopls"]],
        version_args: &["version"],
        least_version: 0,
        install_hint: "go install golang.org/x/tools/gopls@latest",
        install: Some(Install::Go("golang.org/x/tools/gopls@v0.16.1")),
        ready: ReadySignal::Held,
        open: OpenPolicy::Never,
        announce: Announce::WatchedFiles,
        options: nothing,
        settings: nothing,
        section: Some("gopls"),
        harmless: &[],
        restricted: Some(
            "modules that are not there yet are not fetched and cgo is not run, so what they hold is unknown",
        ),
        needs_trust: None,
        clean_exit_codes: &[0],
    }]
}
