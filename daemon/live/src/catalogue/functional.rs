//! Describes the servers for Elixir, Haskell and OCaml.
//!
//! hob's developers have measured none of them, so they have the cautious values.

use crate::spec::ServerSpec;

pub(super) fn servers() -> Vec<ServerSpec> {
    vec![
        ServerSpec {
            name: "elixir-ls",
            files: &[("ex", "elixir"), ("exs", "elixir")],
            markers: &["mix.exs"],
            commands: &[&["elixir-ls"], &["language_server.sh"]],
            install_hint: "brew install elixir-ls, or unpack its release and put language_server.sh on the PATH",
            needs_trust: Some("it compiles the project, which executes its macros"),
            ..ServerSpec::cautious_defaults()
        },
        ServerSpec {
            name: "haskell-language-server",
            files: &[("hs", "haskell"), ("lhs", "haskell")],
            markers: &["hie.yaml", "stack.yaml", "cabal.project", "package.yaml"],
            commands: &[&["haskell-language-server-wrapper", "--lsp"], &["haskell-language-server", "--lsp"]],
            version_args: &["--version"],
            install_hint: "ghcup install hls",
            needs_trust: Some("it runs the project's build, and Template Haskell in it"),
            ..ServerSpec::cautious_defaults()
        },
        ServerSpec {
            name: "ocamllsp",
            files: &[("ml", "ocaml"), ("mli", "ocaml.interface")],
            markers: &["dune-project", "dune-workspace"],
            commands: &[&["ocamllsp"]],
            version_args: &["--version"],
            install_hint: "opam install ocaml-lsp-server",
            needs_trust: Some("it runs the project's preprocessors"),
            ..ServerSpec::cautious_defaults()
        },
    ]
}
