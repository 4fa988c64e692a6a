//! Describes the servers for languages of statistics.
//!
//! hob's developers have measured none of them, so they have the cautious values.

use crate::spec::ServerSpec;

pub(super) fn servers() -> Vec<ServerSpec> {
    vec![ServerSpec {
        name: "r-languageserver",
        files: &[("r", "r"), ("R", "r"), ("Rmd", "rmd")],
        markers: &["DESCRIPTION", ".Rprofile"],
        commands: &[&["R", "--no-echo", "-e", "languageserver::run()"]],
        version_args: &["--version"],
        install_hint: "R -e 'install.packages(\"languageserver\")'",
        needs_trust: Some("R executes the project's .Rprofile when it starts"),
        ..ServerSpec::cautious_defaults()
    }]
}
