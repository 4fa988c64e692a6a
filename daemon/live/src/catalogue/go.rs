//! Go: gopls 0.11.

use crate::spec::{Announce, Circumstances, Environment, Install, OpenPolicy, ReadySignal, ServerSpec};

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

/// It has Go list the project's packages, for which Go may fetch what the project names, a toolchain among it, and run it; and
/// the C compiler with the project's arguments.
fn environment(circumstances: &Circumstances<'_>) -> Environment {
    let restricted = [("GOTOOLCHAIN", "local"), ("GOPROXY", "off"), ("CGO_ENABLED", "0"), ("GOVCS", "*:off")];
    match circumstances.trusted {
        true => Environment::new(),
        false => restricted.map(|(name, value)| (name, value.into())).to_vec(),
    }
}
