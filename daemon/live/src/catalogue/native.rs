//! Describes the servers for languages that compile to machine code, or into other programs: Swift, Zig, Dart and Lua.
//!
//! hob's developers have measured none of them, so they have the cautious values.

use crate::spec::ServerSpec;

pub(super) fn servers() -> Vec<ServerSpec> {
    vec![
        ServerSpec {
            name: "sourcekit-lsp",
            files: &[("swift", "swift")],
            markers: &["Package.swift", "buildServer.json"],
            commands: &[&["sourcekit-lsp"]],
            install_hint: "it comes with the Swift toolchain (swift.org)",
            needs_trust: Some("it evaluates the project's Package.swift and loads its macros"),
            ..ServerSpec::cautious_defaults()
        },
        ServerSpec {
            name: "zls",
            files: &[("zig", "zig"), ("zon", "zig")],
            markers: &["build.zig", "zls.json"],
            commands: &[&["zls"]],
            version_args: &["--version"],
            install_hint: "brew install zls, or put its release on the PATH; its version must be that of Zig",
            needs_trust: Some("it runs the project's build.zig"),
            ..ServerSpec::cautious_defaults()
        },
        ServerSpec {
            name: "dart",
            files: &[("dart", "dart")],
            markers: &["pubspec.yaml"],
            commands: &[&["dart", "language-server", "--protocol=lsp"]],
            version_args: &["--version"],
            install_hint: "it comes with the Dart SDK (dart.dev)",
            needs_trust: Some("it runs analyzer plug-ins that the project's settings name"),
            ..ServerSpec::cautious_defaults()
        },
        ServerSpec {
            name: "lua-language-server",
            files: &[("lua", "lua")],
            markers: &[".luarc.json", ".luarc.jsonc", ".luacheckrc", "stylua.toml"],
            commands: &[&["lua-language-server"]],
            version_args: &["--version"],
            install_hint: "brew install lua-language-server, or put its release on the PATH",
            needs_trust: Some("it runs a plug-in that the project's settings name"),
            ..ServerSpec::cautious_defaults()
        },
    ]
}
