//! TypeScript and JavaScript: TypeScript 7.0.2's own server, typescript-language-server 6.0.2, vtsls 0.3.0.

use serde_json::{Value, json};

use crate::spec::{Announce, Circumstances, OpenPolicy, ReadySignal, ServerSpec, nothing};

const FILES: &[(&str, &str)] = &[
    ("ts", "typescript"),
    ("mts", "typescript"),
    ("cts", "typescript"),
    ("tsx", "typescriptreact"),
    ("js", "javascript"),
    ("mjs", "javascript"),
    ("cjs", "javascript"),
    ("jsx", "javascriptreact"),
];
const MARKERS: &[&str] = &["tsconfig.json", "jsconfig.json", "package.json"];

pub(super) fn servers() -> Vec<ServerSpec> {
    let typescript = ServerSpec {
        name: "typescript",
        files: FILES,
        markers: MARKERS,
        commands: &[&["tsc", "--lsp", "--stdio"], &["tsgo", "--lsp", "--stdio"]],
        version_args: &["--version"],
        // Older compilers are no servers.
        least_version: 7,
        install_hint: "npm install -g typescript@7",
        ready: ReadySignal::Held,
        open: OpenPolicy::Never,
        announce: Announce::WatchedFiles,
        options: nothing,
        settings: nothing,
        restricted: None,
        // It ends with 1 after a proper shutdown.
        clean_exit_codes: &[0, 1],
    };
    let tsls = ServerSpec {
        name: "typescript-language-server",
        commands: &[&["typescript-language-server", "--stdio"]],
        least_version: 0,
        install_hint: "npm install -g typescript-language-server typescript@6",
        ready: ReadySignal::ProgressEnds("Initializing JS/TS language features"),
        open: OpenPolicy::AskedFile,
        announce: Announce::ItselfToo,
        options: tsls_options,
        restricted: Some("plug-ins that the project's settings name are not loaded"),
        clean_exit_codes: &[0],
        ..typescript.clone()
    };
    let vtsls = ServerSpec {
        name: "vtsls",
        commands: &[&["vtsls", "--stdio"]],
        install_hint: "npm install -g @vtsls/language-server",
        ready: ReadySignal::ProgressEnds("Initializing"),
        options: nothing,
        ..tsls.clone()
    };
    vec![typescript, tsls, vtsls]
}

fn tsls_options(circumstances: &Circumstances<'_>) -> Value {
    let mut options = json!({"disableAutomaticTypingAcquisition": true});
    if !circumstances.trusted {
        options["plugins"] = json!([]);
    }
    options
}
