//! Languages of statistics.
//!
//! None of them is measured: the values are the cautious ones.

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
