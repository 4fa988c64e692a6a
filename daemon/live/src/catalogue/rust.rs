//! Rust: rust-analyzer 1.96 and 0.0.345.

use serde_json::{Value, json};

use crate::spec::{Announce, Circumstances, Install, OpenPolicy, ReadySignal, ServerSpec, nothing};

pub(super) fn servers() -> Vec<ServerSpec> {
    vec![ServerSpec {
        name: "rust-analyzer",
        files: &[("rs", "rust")],
        markers: &["Cargo.toml", "rust-project.json"],
        commands: &[&["rust-analyzer"]],
        version_args: &["--version"],
        least_version: 0,
        install_hint: "rustup component add rust-analyzer rust-src",
        install: Some(Install::Cargo("ra_ap_rust-analyzer@0.0.345")),
        ready: ReadySignal::QuiescentStatus,
        open: OpenPolicy::Never,
        announce: Announce::WatchedFiles,
        options,
        settings: nothing,
        section: Some("rust-analyzer"),
        harmless: &[],
        restricted: Some(
            "build scripts and procedural macros are not run, so what they generate is unknown; nor are other compilers \
             that its settings for Cargo name",
        ),
        needs_trust: None,
        clean_exit_codes: &[0],
    }]
}

/// Always with its sysroot: when it has to look for one and finds no sources, it adds a component to the user's toolchain
/// by itself.
fn options(circumstances: &Circumstances<'_>) -> Value {
    let sysroot = (circumstances.ask)("rustc", &["--print", "sysroot"]).map(|path| path.trim().to_owned());
    json!({
        "cargo": {"sysroot": sysroot, "buildScripts": {"enable": circumstances.trusted}},
        "procMacro": {"enable": circumstances.trusted},
        "checkOnSave": false,
        "cachePriming": {"enable": true},
        "files": {"watcher": "client"},
    })
}
