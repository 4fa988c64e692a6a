//! A second published project for each of C, Rust and Go, about which real language servers are asked.
//!
//! They are fetched like those of `projects_native`, but separately: the C sources of zlib, with minizip, are in the
//! crate that binds them; aho-corasick is a crate of traits and generics; go-cmp is a module of several packages.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

use serde_json::json;

use crate::debian::{rust_library, second_go_module};
use crate::outside::prepared;
use crate::projects_native::{vendor, vendored};
use crate::{copy_folder, run};

/// The crates. `log` and `doc-comment` are dependencies of aho-corasick.
const CRATES: &str =
    "libz-sys = \"=1.1.31\"\naho-corasick = \"=1.1.5\"\nlog = \"0.4.35\"\ndoc-comment = \"0.3.3\"\n";

/// The folders of zlib that are compiled, with the options that each needs.
const ZLIB: [(&str, &[&str]); 2] =
    [("", &["-DHAVE_UNISTD_H"]), ("contrib/minizip", &["-I.", "-Icontrib/minizip"])];

/// Returns zlib and its minizip. [`write_zlib_commands`] writes the commands that compile them.
pub fn zlib() -> &'static Path {
    static TREE: OnceLock<PathBuf> = OnceLock::new();
    TREE.get_or_init(|| crates().join("zlib"))
}

/// Returns the crate `aho-corasick`. Cargo finds its dependencies only with [`small_rust_environment`].
pub fn aho_corasick() -> &'static Path {
    static TREE: OnceLock<PathBuf> = OnceLock::new();
    TREE.get_or_init(|| crates().join("aho-corasick"))
}

/// Returns the Go module go-cmp.
pub fn go_cmp() -> &'static Path {
    static TREE: OnceLock<PathBuf> = OnceLock::new();
    TREE.get_or_init(|| {
        let copy = |folder: &Path| {
            copy_folder(&second_go_module(), &folder.join("tree"));
            let module = "module github.com/google/go-cmp\n\ngo 1.19\n";
            fs::write(folder.join("tree/go.mod"), module).expect("it can be written");
        };
        prepared("go-cmp", "0.5.9", copy).join("tree")
    })
}

/// Returns the variables that make Rust's tools work on [`aho_corasick`], as `rust_environment` does for other
/// crates.
#[must_use]
pub fn small_rust_environment() -> Vec<(&'static str, String)> {
    let text = |path: PathBuf| path.to_str().expect("a plain path").to_owned();
    vec![("CARGO_HOME", text(crates().join("home"))), ("RUST_SRC_PATH", text(rust_library()))]
}

/// Writes the commands that compile the files of a copy of [`zlib`], as build tools do.
///
/// # Panics
///
/// Panics if the file cannot be written.
pub fn write_zlib_commands(root: &Path) {
    let mut entries = Vec::new();
    for (folder, options) in ZLIB {
        let files = fs::read_dir(root.join(folder)).expect("a copy of zlib").flatten();
        let mut files: Vec<PathBuf> = files.map(|entry| entry.path()).collect();
        files.sort();
        for file in files.iter().filter(|file| file.extension().is_some_and(|ending| ending == "c")) {
            let (cc, path) = (["cc"], [file.to_str().expect("a plain path")]);
            let arguments: Vec<&str> =
                cc.iter().chain(options).chain(&["-c"]).chain(&path).copied().collect();
            entries.push(json!({"directory": root, "file": file, "arguments": arguments}));
        }
    }
    let text = serde_json::to_string_pretty(&entries).expect("plain values");
    fs::write(root.join("compile_commands.json"), text).expect("it can be written");
}

fn crates() -> &'static Path {
    static FOLDER: OnceLock<PathBuf> = OnceLock::new();
    FOLDER.get_or_init(|| prepared("small-crates", CRATES, fetch))
}

fn fetch(folder: &Path) {
    vendor(folder, CRATES);
    let sources = vendored(folder, "libz-sys-").join("src/zlib");
    let (zlib, minizip) = (folder.join("zlib"), folder.join("zlib/contrib/minizip"));
    fs::create_dir_all(&minizip).expect("a folder can be made");
    copy_sources(&sources, &zlib);
    copy_sources(&sources.join("contrib/minizip"), &minizip);
    let crate_of_its_own = folder.join("aho-corasick");
    copy_folder(&vendored(folder, "aho-corasick-"), &crate_of_its_own);
    fs::remove_file(crate_of_its_own.join(".cargo-checksum.json")).expect("cargo made it");
    // It is below this repository but is not part of it.
    let path = crate_of_its_own.join("Cargo.toml");
    let manifest = fs::read_to_string(&path).expect("a manifest");
    fs::write(path, format!("{manifest}\n[workspace]\n")).expect("it can be written");
    let mut lock = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    lock.args(["generate-lockfile", "--quiet"]).current_dir(&crate_of_its_own);
    let locked = run(lock.env("CARGO_HOME", folder.join("home")), b"");
    assert_eq!(locked.code, Some(0), "the crates are not all there{locked}");
}

/// Copies the C files of a folder, except those for Windows.
fn copy_sources(from: &Path, to: &Path) {
    for entry in fs::read_dir(from).expect("the crate has it").flatten() {
        let name = entry.file_name().to_string_lossy().into_owned();
        let is_source = [".c", ".h"].iter().any(|ending| name.ends_with(ending));
        if is_source && !name.contains("win") {
            fs::copy(entry.path(), to.join(name)).expect("it can be copied");
        }
    }
}
