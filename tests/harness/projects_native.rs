//! Published real projects, about which real language servers are asked: C, Rust and Go.
//!
//! C and Rust come from crates.io, by `cargo vendor`, so that they are fetched in the same way as the machine's other
//! crates. zstd's C sources are in the crate that binds them. The dependencies of the standard library are included,
//! because rust-analyzer makes Cargo look for them. The Go module is one of Debian's packages.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

use serde_json::json;

use crate::debian::{go_module, rust_library, script, servers};
use crate::outside::prepared;
use crate::{copy_folder, run};

const CRATES: &str = "zstd-sys = \"=2.1.2\"\nignore = \"=0.4.34\"\ncrossbeam-channel = \"0.5.15\"\n";

/// The most files `use_N` that tests may write among the files that use a project. They are part of the project as soon
/// as they exist.
pub const USERS: usize = 100;

/// Names after text whose columns differ in bytes, characters and UTF-16 units.
const C_COLUMNS: &str = r#"#include "../zstd.h"
static const char *const greeting = "grüße 😀"; static size_t bound(size_t size) { return ZSTD_compressBound(size); }
int is_greeting(const char *text) { const char *mark = "é😀"; return text == greeting || mark == text || bound(1) > 2; }
"#;
const RUST_COLUMNS: &str = r#"pub fn greet(name: &str) -> String { let text = "grüße 😀"; let both = String::from(text) + name; both }
pub fn twice(name: &str) -> String { let mark = "é😀"; let first = greet(name); first + &greet(mark) }
"#;
const GO_COLUMNS: &str = r#"package pflag

func greet(name string) string { text := "grüße 😀"; both := text + name; return both }
func twice(name string) string { mark := "é😀"; first := greet(name); return first + greet(mark) }
"#;

/// The folders of zstd's sources that are compiled into one library.
const ZSTD: &[&str] = &["common", "compress", "decompress", "dictBuilder"];

/// Returns the sources of zstd: 30 C files with their headers, and a few files that use them.
/// [`write_compile_commands`] writes the commands that compile them.
pub fn zstd() -> &'static Path {
    static TREE: OnceLock<PathBuf> = OnceLock::new();
    TREE.get_or_init(|| crates().join("zstd"))
}

/// Returns the crate `ignore`, with a module that uses it. Cargo finds its dependencies only with [`rust_environment`].
pub fn ignore() -> &'static Path {
    static TREE: OnceLock<PathBuf> = OnceLock::new();
    TREE.get_or_init(|| crates().join("ignore"))
}

/// Returns a Go module without dependencies: pflag, with 62 files and two that use them.
pub fn pflag() -> &'static Path {
    static TREE: OnceLock<PathBuf> = OnceLock::new();
    TREE.get_or_init(|| {
        let copy = |folder: &Path| {
            copy_folder(&go_module(), &folder.join("tree"));
            let module = "module github.com/spf13/pflag\n\ngo 1.19\n";
            fs::write(folder.join("tree/go.mod"), module).expect("it can be written");
            fs::write(folder.join("tree/columns.go"), GO_COLUMNS).expect("it can be written");
            fs::write(folder.join("tree/other.go"), "package pflag\n").expect("it can be written");
        };
        prepared("pflag", GO_COLUMNS, copy).join("tree")
    })
}

/// Writes the commands that compile the files of a copy of [`zstd`], as build tools do.
///
/// # Panics
///
/// Panics if the file cannot be written.
pub fn write_compile_commands(root: &Path) {
    let mut entries = Vec::new();
    let written = |number: usize| root.join(format!("lib/users/use_{number}.c"));
    let users: Vec<PathBuf> = (0..USERS).map(written).collect();
    for folder in ZSTD.iter().chain(&["users"]) {
        let files = fs::read_dir(root.join("lib").join(folder)).expect("a copy of zstd").flatten();
        let mut files: Vec<PathBuf> = files.map(|entry| entry.path()).collect();
        files.extend(users.iter().filter(|_| *folder == "users").cloned());
        files.sort();
        files.dedup();
        for file in files.iter().filter(|file| file.extension().is_some_and(|ending| ending == "c")) {
            let arguments = ["cc", "-DXXH_NAMESPACE=ZSTD_", "-DZSTD_MULTITHREAD", "-c"].map(str::to_owned);
            let arguments = arguments.into_iter().chain([file.display().to_string()]);
            entries.push(json!({
                "directory": root, "file": file, "arguments": arguments.collect::<Vec<String>>(),
            }));
        }
    }
    let text = serde_json::to_string_pretty(&entries).expect("plain values");
    fs::write(root.join("compile_commands.json"), text).expect("it can be written");
}

/// Returns the folders to put first on the `PATH` for servers of C, Rust and Go. `rustc` and `cargo` are the machine's
/// own, but called directly, so that a project cannot change the toolchain.
pub fn native_path() -> &'static [PathBuf] {
    static FOLDERS: OnceLock<Vec<PathBuf>> = OnceLock::new();
    FOLDERS.get_or_init(|| vec![toolchain(), servers().to_path_buf()])
}

/// Returns the variables that make Rust's tools work in a world whose home has nothing of the user's, and without a
/// registry.
#[must_use]
pub fn rust_environment() -> Vec<(&'static str, String)> {
    let text = |path: PathBuf| path.to_str().expect("a plain path").to_owned();
    vec![("CARGO_HOME", text(crates().join("home"))), ("RUST_SRC_PATH", text(rust_library()))]
}

/// Returns the folder of the machine's Rust toolchain.
pub fn sysroot() -> &'static str {
    static SYSROOT: OnceLock<String> = OnceLock::new();
    SYSROOT.get_or_init(|| {
        let printed = run(Command::new("rustc").args(["--print", "sysroot"]), b"").success();
        printed.trim().to_owned()
    })
}

/// Makes a folder with `rustc`, `cargo`, and a `rustup` that does nothing.
fn toolchain() -> PathBuf {
    let make = |folder: &Path| {
        let bin = folder.join("bin");
        fs::create_dir(&bin).expect("a folder can be made");
        for name in ["rustc", "cargo", "rustdoc", "rustfmt"] {
            script(&bin.join(name), &format!("exec '{}/bin/{name}' \"$@\"", sysroot()));
        }
        script(&bin.join("rustup"), "exit 1");
    };
    prepared("toolchain", sysroot(), make).join("bin")
}

fn crates() -> &'static Path {
    static FOLDER: OnceLock<PathBuf> = OnceLock::new();
    FOLDER.get_or_init(|| prepared("crates", &format!("{CRATES}{C_COLUMNS}{RUST_COLUMNS}"), fetch_crates))
}

fn fetch_crates(folder: &Path) {
    vendor(folder, CRATES);
    let find = |name: &str| vendored(folder, name);
    copy_folder(&find("ignore-"), &folder.join("ignore"));
    fs::remove_file(folder.join("ignore/.cargo-checksum.json")).expect("cargo made it");
    let sources = find("zstd-sys-").join("zstd/lib");
    for part in ZSTD {
        copy_folder(&sources.join(part), &folder.join("zstd/lib").join(part));
    }
    for header in ["zstd.h", "zdict.h", "zstd_errors.h"] {
        fs::copy(sources.join(header), folder.join("zstd/lib").join(header)).expect("zstd has it");
    }
    let write = |path: &str, text: &str| {
        let path = folder.join(path);
        fs::create_dir_all(path.parent().expect("it lies in a folder")).expect("a folder can be made");
        fs::write(path, text).expect("it can be written");
    };
    write("zstd/lib/users/columns.c", C_COLUMNS);
    write("zstd/lib/users/other.c", "int other;\n");
    write("ignore/src/users/columns.rs", RUST_COLUMNS);
    write("ignore/src/users/other.rs", "");
    let users: String = (0..USERS).map(|number| format!("mod use_{number};\n")).collect();
    write("ignore/src/users/mod.rs", &format!("mod columns;\nmod other;\n{users}"));
    // It is below this repository but is not part of it.
    let manifest = fs::read_to_string(folder.join("ignore/Cargo.toml")).expect("a manifest");
    write("ignore/Cargo.toml", &format!("{manifest}\n[workspace]\n"));
    let library = fs::read_to_string(folder.join("ignore/src/lib.rs")).expect("a library");
    write("ignore/src/lib.rs", &library.replacen("mod walk;\n", "mod walk;\nmod users;\n", 1));
    let mut lock = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    lock.args(["generate-lockfile", "--quiet"])
        .current_dir(folder.join("ignore"))
        .env("CARGO_HOME", folder.join("home"));
    let locked = run(&mut lock, b"");
    assert_eq!(locked.code, Some(0), "the crates are not all there{locked}");
}

/// Fetches these dependencies of a package, and those of the standard library, to `vendor`. With `home` as
/// `CARGO_HOME`, Cargo finds them there.
pub(crate) fn vendor(folder: &Path, crates: &str) {
    let package = folder.join("package");
    fs::create_dir_all(package.join("src")).expect("a folder can be made");
    fs::write(package.join("src/lib.rs"), "").expect("it can be written");
    let manifest = "[package]\nname = \"wanted\"\nedition = \"2021\"\n[workspace]\n[dependencies]\n";
    fs::write(package.join("Cargo.toml"), format!("{manifest}{crates}")).expect("it can be written");
    let vendor = folder.join("vendor");
    let mut cargo = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    cargo.args(["vendor", "--quiet", "--versioned-dirs", "--sync"]).arg(rust_library().join("Cargo.toml"));
    // The standard library's own manifests work only with unreleased compilers.
    cargo.arg(&vendor).current_dir(&package).env("RUSTC_BOOTSTRAP", "1");
    let fetched = run(&mut cargo, b"");
    assert_eq!(fetched.code, Some(0), "the tests need crates, which could not be fetched{fetched}");
    // The dependencies of crates are found there from any folder.
    let home = folder.join("home");
    fs::create_dir(&home).expect("a folder can be made");
    let source = format!(
        "[source.crates-io]\nreplace-with = \"vendored\"\n[source.vendored]\ndirectory = \"{}\"\n\
         [net]\noffline = true\n",
        vendor.display()
    );
    fs::write(home.join("config.toml"), source).expect("it can be written");
}

/// Returns the folder of a fetched crate, by the beginning of its name.
pub(crate) fn vendored(folder: &Path, name: &str) -> PathBuf {
    let all = fs::read_dir(folder.join("vendor")).expect("it was made").flatten().map(|entry| entry.path());
    let is = |path: &PathBuf| path.file_name().is_some_and(|found| found.to_string_lossy().starts_with(name));
    all.into_iter().find(is).unwrap_or_else(|| panic!("no {name} among the crates"))
}
