//! Describes the servers for C#.
//!
//! hob's developers have measured none of them, so they have the cautious values.

use crate::spec::ServerSpec;

pub(super) fn servers() -> Vec<ServerSpec> {
    vec![
        ServerSpec {
            name: "csharp-ls",
            files: &[("cs", "csharp")],
            markers: &["global.json", "Directory.Build.props"],
            commands: &[&["csharp-ls"]],
            version_args: &["--version"],
            install_hint: "dotnet tool install --global csharp-ls",
            needs_trust: Some("it evaluates the project's MSBuild files, which may run programs"),
            ..ServerSpec::cautious_defaults()
        },
        ServerSpec {
            name: "omnisharp",
            files: &[("cs", "csharp")],
            markers: &["global.json", "Directory.Build.props"],
            commands: &[&["omnisharp", "-lsp"], &["OmniSharp", "-lsp"]],
            install_hint: "unpack a release of omnisharp-roslyn and put it on the PATH as omnisharp",
            needs_trust: Some("it evaluates the project's MSBuild files, which may run programs"),
            ..ServerSpec::cautious_defaults()
        },
    ]
}
