//! Describes the servers for TypeScript and JavaScript: TypeScript 7.0.2's own, typescript-language-server 6.0.2, vtsls
//! 0.3.0.

use serde_json::{Value, json};

use crate::spec::{
    Announce, DiagnosticsCommand, Install, OpenPolicy, ReadySignal, Reread, ServerCircumstances, ServerSpec,
    no_settings,
};

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
/// The command that reloads projects, which both servers for TypeScript 5 and 6 know. By themselves they notice most
/// changes within 0.4 to 1.4 s, and those of a `git checkout` sometimes never; the command takes 0.1 s for 250 files.
const RELOAD: Reread =
    Reread { command: "typescript.tsserverRequest", arguments: &["reloadProjects"], also: &[".json"] };
/// The command that asks for diagnostics: these servers push nothing for a file without errors before and now.
const JUDGES: DiagnosticsCommand = DiagnosticsCommand {
    command: "typescript.tsserverRequest",
    questions: &["syntacticDiagnosticsSync", "semanticDiagnosticsSync", "suggestionDiagnosticsSync"],
};
const MARKERS: &[&str] = &["tsconfig.json", "jsconfig.json", "package.json"];
const PROJECTS: &[&str] = &["tsconfig.json", "jsconfig.json"];

pub(super) fn servers() -> Vec<ServerSpec> {
    let typescript = ServerSpec {
        name: "typescript",
        files: FILES,
        markers: MARKERS,
        projects: PROJECTS,
        commands: &[&["tsc", "--lsp", "--stdio"], &["tsgo", "--lsp", "--stdio"]],
        version_args: &["--version"],
        // Older compilers have no server.
        least_version: 7,
        install_hint: "npm install -g typescript@7",
        install: Some(Install::Npm(&["typescript@7.0.2"])),
        ready: ReadySignal::Held,
        open: OpenPolicy::Never,
        announce: Announce::WatchedFiles,
        // The server ends with 1 after a proper shutdown.
        clean_exit_codes: &[0, 1],
        ..ServerSpec::cautious_defaults()
    };
    let tsls = ServerSpec {
        name: "typescript-language-server",
        commands: &[&["typescript-language-server", "--stdio"]],
        least_version: 0,
        install_hint: "npm install -g typescript-language-server typescript@6",
        install: Some(Install::Npm(&["typescript-language-server@5.1.3", "typescript@5.9.3"])),
        ready: ReadySignal::ProgressEnds("Initializing JS/TS language features"),
        open: OpenPolicy::AskedFile,
        announce: Announce::Command(RELOAD),
        judges: Some(JUDGES),
        options: tsls_options,
        needs_trust: Some("it runs the TypeScript that lies in the project's `node_modules`"),
        clean_exit_codes: &[0],
        ..typescript.clone()
    };
    let vtsls = ServerSpec {
        name: "vtsls",
        commands: &[&["vtsls", "--stdio"]],
        install_hint: "npm install -g @vtsls/language-server",
        install: Some(Install::Npm(&["@vtsls/language-server@0.3.0"])),
        ready: ReadySignal::ProgressEnds("Initializing"),
        // It runs only the TypeScript that it brings along.
        needs_trust: None,
        options: no_settings,
        ..tsls.clone()
    };
    vec![typescript, tsls, vtsls]
}

fn tsls_options(_circumstances: &ServerCircumstances<'_>) -> Value {
    json!({"disableAutomaticTypingAcquisition": true})
}
