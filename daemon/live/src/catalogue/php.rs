//! Describes the servers for PHP.
//!
//! hob's developers have measured none of them, so they have the cautious values.

use crate::spec::ServerSpec;

pub(super) fn servers() -> Vec<ServerSpec> {
    vec![
        ServerSpec {
            name: "intelephense",
            files: &[("php", "php")],
            markers: &["composer.json"],
            commands: &[&["intelephense", "--stdio"]],
            install_hint: "npm install -g intelephense",
            ..ServerSpec::cautious_defaults()
        },
        ServerSpec {
            name: "phpactor",
            files: &[("php", "php")],
            markers: &["composer.json", ".phpactor.json"],
            commands: &[&["phpactor", "language-server"]],
            version_args: &["--version"],
            install_hint: "put a release of phpactor (phpactor.phar) on the PATH as phpactor",
            needs_trust: Some("the project's settings name programs that it runs"),
            ..ServerSpec::cautious_defaults()
        },
    ]
}
