//! Describes the server for Go: gopls, measured at version 0.11.

use crate::spec::{Announce, Environment, Install, OpenPolicy, ReadySignal, ServerCircumstances, ServerSpec};

pub(super) fn servers() -> Vec<ServerSpec> {
    vec![ServerSpec {
        name: "gopls",
        files: &[("go", "go"), ("go.mod", "go.mod"), ("go.work", "go.work")],
        markers: &["go.work", "go.mod"],
        commands: &[&["gopls"]],
        version_args: &["version"],
        install_hint: "go install golang.org/x/tools/gopls@latest",
        install: Some(Install::Go("golang.org/x/tools/gopls@v0.16.1")),
        ready: ReadySignal::Held,
        open: OpenPolicy::Never,
        announce: Announce::WatchedFiles,
        environment,
        section: Some("gopls"),
        restricted: Some(
            "modules that are not there yet are not fetched and cgo is not run, so what they hold is unknown",
        ),
        ..ServerSpec::cautious_defaults()
    }]
}

/// Returns gopls' variables. gopls has Go list the project's packages. For that Go may fetch whatever the project
/// names, even a toolchain, and run it; it may also run the C compiler with the project's arguments. Without trust the
/// variables forbid this.
fn environment(circumstances: &ServerCircumstances<'_>) -> Environment {
    let restricted = [("GOTOOLCHAIN", "local"), ("GOPROXY", "off"), ("CGO_ENABLED", "0"), ("GOVCS", "*:off")];
    match circumstances.trusted {
        true => Environment::new(),
        false => restricted.map(|(name, value)| (name, value.into())).to_vec(),
    }
}
