//! Describes the servers for Ruby.
//!
//! hob's developers have measured none of them, so they have the cautious values.

use crate::spec::ServerSpec;

pub(super) fn servers() -> Vec<ServerSpec> {
    vec![
        ServerSpec {
            name: "ruby-lsp",
            files: &[
                ("rb", "ruby"),
                ("rake", "ruby"),
                ("gemspec", "ruby"),
                ("Gemfile", "ruby"),
                ("Rakefile", "ruby"),
            ],
            markers: &["Gemfile"],
            commands: &[&["ruby-lsp"]],
            version_args: &["--version"],
            install_hint: "gem install ruby-lsp",
            needs_trust: Some("it evaluates the project's Gemfile and loads add-ons from its gems"),
            ..ServerSpec::cautious_defaults()
        },
        ServerSpec {
            name: "solargraph",
            files: &[
                ("rb", "ruby"),
                ("rake", "ruby"),
                ("gemspec", "ruby"),
                ("Gemfile", "ruby"),
                ("Rakefile", "ruby"),
            ],
            markers: &["Gemfile"],
            commands: &[&["solargraph", "stdio"]],
            version_args: &["--version"],
            install_hint: "gem install solargraph",
            needs_trust: Some("it loads plug-ins that the project's settings name"),
            ..ServerSpec::cautious_defaults()
        },
    ]
}
