//! Describes the server for Rust: rust-analyzer, measured at versions 1.96 and 0.0.345.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::Duration;

use hob_base::AbsPath;
use serde_json::{Value, json};

use crate::spec::{
    Announce, Environment, Install, OpenPolicy, ReadySignal, ServerCircumstances, ServerLags, ServerSpec,
};

/// Advice on missing sources of the standard library: without them rust-analyzer does not see most uses of methods.
const ADVICE: &[(&str, &str)] = &[(
    "standard library sources",
    "without them most uses of methods are not found; `rustup component add rust-src` installs them, or a package like \
     Debian's rust-src",
)];

pub(super) fn servers() -> Vec<ServerSpec> {
    vec![ServerSpec {
        name: "rust-analyzer",
        files: &[("rs", "rust")],
        markers: &["Cargo.toml", "rust-project.json"],
        commands: &[&["rust-analyzer"]],
        version_args: &["--version"],
        install_hint: "rustup component add rust-analyzer rust-src",
        install: Some(Install::Cargo("ra_ap_rust-analyzer@0.0.345")),
        ready: ReadySignal::QuiescentStatus,
        open: OpenPolicy::Never,
        // After a change it reads the files in the background, and meanwhile answers as if nothing had happened.
        // Measured: 0.1 to 0.9 s.
        announce: Announce::OpenAndKeep(ServerLags {
            read: Duration::from_secs(3),
            listed: Duration::from_secs(3),
        }),
        environment,
        options,
        section: Some("rust-analyzer"),
        restricted: Some(
            "build scripts and procedural macros are not run, so what they generate is unknown; nor are other compilers \
             that its settings for Cargo name; and nothing is fetched",
        ),
        needs_trust_in,
        advice: ADVICE,
        ..ServerSpec::cautious_defaults()
    }]
}

/// Returns rust-analyzer's options. They always name the sysroot: if rust-analyzer has to look for one and finds no
/// sources, it adds a component to the user's toolchain by itself.
fn options(circumstances: &ServerCircumstances<'_>) -> Value {
    let sysroot = find_sysroot(circumstances);
    json!({
        "cargo": {"sysroot": sysroot, "buildScripts": {"enable": circumstances.trusted}},
        "procMacro": {"enable": circumstances.trusted},
        "checkOnSave": false,
        "cachePriming": {"enable": true},
        "files": {"watcher": "client"},
    })
}

fn find_sysroot(circumstances: &ServerCircumstances<'_>) -> Option<PathBuf> {
    let printed = (circumstances.ask)("rustc", &["--print", "sysroot"])?;
    Some(printed.trim().into()).filter(|path: &PathBuf| path.is_absolute())
}

/// Returns rust-analyzer's variables. rust-analyzer calls `rustup`, and would have it install components. So `RUSTUP`
/// names a program that does nothing.
///
/// In any form rust-analyzer has Cargo describe the project, and Cargo runs the compiler. The project's own settings
/// for Cargo can name that compiler and its wrapper; these variables overrule them.
fn environment(circumstances: &ServerCircumstances<'_>) -> Environment {
    let mut variables: Environment = vec![("RUSTUP_AUTO_INSTALL", "0".into())];
    let nothing = ["/bin/false", "/usr/bin/false"].into_iter().find(|path| Path::new(path).exists());
    variables.extend(nothing.map(|path| ("RUSTUP", path.into())));
    if !circumstances.trusted {
        let sysroot = find_sysroot(circumstances);
        // A proxy of rustup's follows a file of the project, which may name programs of the project. This variable
        // overrules the file.
        variables.extend(sysroot.as_deref().and_then(toolchain_name).map(|name| ("RUSTUP_TOOLCHAIN", name)));
        let compiler = sysroot.map(|path| path.join("bin").join(RUSTC).into_os_string());
        variables.push(("RUSTC", compiler.unwrap_or_else(|| RUSTC.into())));
        variables.extend(["RUSTC_WRAPPER", "RUSTC_WORKSPACE_WRAPPER"].map(|name| (name, "".into())));
        // A registry that the project names may ask for a login, for which Cargo runs a program that the project names;
        // and the registry learns of the request.
        variables.push(("CARGO_NET_OFFLINE", "true".into()));
    }
    variables
}

/// Settings that no variable can overrule. Cargo's name variables for the compiler, which Cargo runs whatever it is
/// asked, and those can name code to be loaded. rust-analyzer's own settings name commands in place of Cargo's. A
/// description of the project in place of Cargo's names the folder of the compiler.
const SETTINGS: &[&str] = &[
    ".cargo/config.toml",
    ".cargo/config",
    "rust-analyzer.toml",
    ".rust-analyzer.toml",
    "rust-project.json",
    ".rust-project.json",
];

/// Returns the reason why the project needs trust, if it has such settings. Cargo reads its settings in the folder
/// where it describes a project and above: that is the project's folder, or one directly below it where there is no
/// package at the top.
fn needs_trust_in(root: &AbsPath) -> Option<&'static str> {
    let has = |folder: &Path| SETTINGS.iter().any(|name| folder.join(name).symlink_metadata().is_ok());
    let is_package = |folder: &Path| {
        ["Cargo.toml", "rust-project.json", ".rust-project.json"]
            .iter()
            .any(|name| folder.join(name).symlink_metadata().is_ok())
    };
    let below = std::fs::read_dir(root.as_path()).into_iter().flatten().flatten().map(|entry| entry.path());
    let found = has(root.as_path()) || below.into_iter().any(|folder| is_package(&folder) && has(&folder));
    found.then_some("the project has settings for Cargo or for itself, and those can have programs run")
}

/// Returns the name of the toolchain in a folder, if rustup put it there.
fn toolchain_name(sysroot: &Path) -> Option<OsString> {
    let is_rustups = sysroot.parent()?.file_name()? == "toolchains";
    is_rustups.then(|| sysroot.file_name().map(OsString::from)).flatten()
}

const RUSTC: &str = match cfg!(windows) {
    true => "rustc.exe",
    false => "rustc",
};

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn an_untrusted_project_does_not_choose_the_toolchain() {
        let root = &AbsPath::new("/p").expect("absolute");
        let value = |trusted: bool, sysroot: &'static str| {
            let ask = move |_: &str, _: &[&str]| Some(format!("{sysroot}\n"));
            let circumstances = ServerCircumstances { trusted, root, keep: None, ask: &ask };
            let found = environment(&circumstances).into_iter().find(|(name, _)| *name == "RUSTUP_TOOLCHAIN");
            found.map(|(_, value)| value)
        };
        assert_eq!(value(false, "/home/u/.rustup/toolchains/stable-x"), Some("stable-x".into()));
        assert_eq!(value(true, "/home/u/.rustup/toolchains/stable-x"), None, "a trusted one does");
        assert_eq!(value(false, "/usr"), None, "nobody would obey it");
    }

    #[test]
    fn settings_that_can_have_programs_run_need_trust() {
        let dir = tempfile::tempdir().expect("a folder");
        let root = AbsPath::new(dir.path()).expect("absolute");
        let write = |path: &str| {
            let path = dir.path().join(path);
            std::fs::create_dir_all(path.parent().expect("below")).expect("made");
            std::fs::write(path, "").expect("written");
        };
        write("Cargo.toml");
        write("docs/.cargo/config.toml");
        assert_eq!(needs_trust_in(&root), None, "nothing of Cargo's lies in `docs`");
        write("docs/Cargo.toml");
        assert!(needs_trust_in(&root).is_some());
        std::fs::remove_dir_all(dir.path().join("docs")).expect("removed");
        for path in SETTINGS {
            write(path);
            assert!(needs_trust_in(&root).is_some(), "{path}");
            std::fs::remove_file(dir.path().join(path)).expect("removed");
        }
        assert_eq!(needs_trust_in(&root), None);
    }
}
