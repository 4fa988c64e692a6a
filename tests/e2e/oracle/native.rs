//! Tests C on zstd, Rust on the crate `ignore`, and Go on pflag: clangd, rust-analyzer and gopls.

use std::path::{Path, PathBuf};

use hob_tests::debian::{self, script};
use hob_tests::lsp::{Ready, Speaks};
use hob_tests::{Mcp, Tree, World, outside, projects_native};
use serde_json::{Value, json};

use super::edits::{self, Edits};
use super::renames::{self, checkers};
use super::said::{Kind, Question};
use super::{Mark, Subject, ask_until_whole, at_once, no_env, path_with, questions};

fn clangd() -> Subject {
    Subject {
        server: "clangd",
        folders: || outside::servers().to_vec(),
        command: &["clangd", "--background-index", "--log=error"],
        env: no_env,
        speaks: Speaks {
            ready: Ready::ProgressEnds("backgroundIndexProgress"),
            options: Value::Null,
            settings: Value::Null,
            languages: &[("c", "c"), ("h", "c")],
        },
        trusted: false,
        project: projects_native::zstd,
        endings: &["c", "h"],
    }
}

fn rust_analyzer() -> Subject {
    let options = json!({
        "cargo": {"sysroot": projects_native::sysroot(), "buildScripts": {"enable": false}},
        "procMacro": {"enable": false},
        "checkOnSave": false,
        // The server that is compared with need not prepare answers to what nobody asks.
        "cachePriming": {"enable": false},
        "files": {"watcher": "client"},
    });
    Subject {
        server: "rust-analyzer",
        folders: || projects_native::native_path().to_vec(),
        command: &["rust-analyzer"],
        env: projects_native::rust_environment,
        speaks: Speaks {
            ready: Ready::Quiescent,
            options,
            settings: Value::Null,
            languages: &[("rs", "rust")],
        },
        trusted: false,
        project: projects_native::ignore,
        endings: &["rs"],
    }
}

fn gopls() -> Subject {
    Subject {
        server: "gopls",
        folders: || vec![debian::servers().to_path_buf()],
        command: &["gopls"],
        env: no_env,
        speaks: Speaks {
            ready: Ready::Held,
            options: Value::Null,
            settings: Value::Null,
            languages: &[("go", "go")],
        },
        trusted: false,
        project: projects_native::pflag,
        endings: &["go"],
    }
}

const BUSY_C: Mark = Mark {
    file: "lib/compress/zstd_compress.c",
    line: "size_t ZSTD_compressBound(size_t srcSize) {",
    name: "ZSTD_compressBound",
};
const BUSY_RUST: Mark = Mark { file: "src/lib.rs", line: "pub fn is_ignore(&self)", name: "is_ignore" };
const BUSY_GO: Mark = Mark { file: "flag.go", line: "func NewFlagSet(name", name: "NewFlagSet" };

const C_EDITS: Edits = Edits {
    // In a small file, because it is read again after every edit elsewhere.
    called: Mark {
        file: "lib/common/zstd_common.c",
        line: "unsigned ZSTD_versionNumber(void)",
        name: "ZSTD_versionNumber",
    },
    path: |number| format!("lib/users/use_{number}.c"),
    start: "#include \"../zstd.h\"\n",
    call: "extern char used[sizeof(ZSTD_versionNumber())];",
    uses: 1,
    superfluous: "lib/users/other.c",
};

const RUST_EDITS: Edits = Edits {
    called: Mark {
        file: "src/pathutil.rs",
        line: "pub(crate) fn is_file_name<P: AsRef<Path>>(path: P)",
        name: "is_file_name",
    },
    path: |number| format!("src/users/use_{number}.rs"),
    start: "#![allow(unused)]\n",
    call: "const _: fn(&str) -> bool = |name| crate::pathutil::is_file_name(name);",
    uses: 1,
    superfluous: "src/users/other.rs",
};

const GO_EDITS: Edits = Edits {
    called: Mark { file: "ipmask.go", line: "func ParseIPv4Mask(s string)", name: "ParseIPv4Mask" },
    path: |number| format!("use_{number}.go"),
    start: "package pflag\n",
    call: "var _ = ParseIPv4Mask(\"\")",
    uses: 1,
    superfluous: "other.go",
};

#[test]
fn clangd_questions() {
    questions::same_as_the_server(&clangd(), 5);
}

#[test]
fn clangd_at_once() {
    at_once::right_while_loading(&clangd(), BUSY_C);
}

#[test]
fn clangd_edits() {
    edits::callers_are_found(&clangd(), &C_EDITS);
}

#[test]
fn clangd_branches() {
    edits::branches_are_told_apart(&clangd(), &C_EDITS);
}

#[test]
fn clangd_renames() {
    renames::are_the_servers(&clangd(), 25, renames::ACROSS_FILES, checkers::cc);
}

#[test]
fn rust_analyzer_questions() {
    questions::same_as_the_server(&rust_analyzer(), 6);
}

#[test]
fn rust_analyzer_at_once() {
    at_once::right_while_loading(&rust_analyzer(), BUSY_RUST);
}

#[test]
fn rust_analyzer_edits() {
    edits::callers_are_found(&rust_analyzer(), &RUST_EDITS);
}

#[test]
fn rust_analyzer_branches() {
    edits::branches_are_told_apart(&rust_analyzer(), &RUST_EDITS);
}

#[test]
fn rust_analyzer_renames() {
    renames::are_the_servers(&rust_analyzer(), 26, renames::ACROSS_FILES, checkers::cargo);
}

#[test]
fn gopls_questions() {
    questions::same_as_the_server(&gopls(), 7);
}

#[test]
fn gopls_at_once() {
    at_once::right_while_loading(&gopls(), BUSY_GO);
}

#[test]
fn gopls_edits() {
    edits::callers_are_found(&gopls(), &GO_EDITS);
}

#[test]
fn gopls_branches() {
    edits::branches_are_told_apart(&gopls(), &GO_EDITS);
}

#[test]
fn gopls_renames() {
    renames::are_the_servers(&gopls(), 27, renames::FEW, checkers::gopls);
}

const SMALL_C: &str = "\
//- /table.h
int size_of_table(void);
//- /table.c
#include \"table.h\"
int size_of_table(void) { return 3; }
//- /main.c
#include \"table.h\"
int main(void) { return size_of_table(); }
//- /other.c
#include \"table.h\"
int twice(void) { return 2 * size_of_table(); }
";

fn references(mcp: &mut Mcp, file: &str, line: u64, col: u64) -> hob_tests::Answer {
    mcp.call("nav_references", json!({"file": file, "line": line, "col": col}))
}

fn uses(file: &str, line: usize, col: usize) -> Question {
    Question { kind: Kind::References, file: file.to_owned(), line, col }
}

/// Writes the commands that compile three files.
fn compile(tree: &Tree) {
    let entry = |file: &str| json!({"directory": tree.root(), "file": tree.at(file), "arguments": ["cc", "-c", tree.at(file)]});
    let all: Value = ["table.c", "main.c", "other.c"].iter().map(|file| entry(file)).collect();
    tree.write("compile_commands.json", all.to_string());
}

#[test]
fn clangd_says_what_it_does_not_know_and_writes_nothing_into_the_project() {
    let world = clangd().world();
    let tree = world.tree(SMALL_C);
    let mut mcp = world.mcp(&tree);
    let alone = references(&mut mcp, "table.h", 1, 5);
    assert_eq!(alone.ok()["completeness"], "partial", "without a compilation database{alone}");
    assert!(alone.warnings().contains("open files only"), "{alone}");
    compile(&tree);
    let whole = ask_until_whole(&mut mcp, &uses("table.h", 1, 5));
    assert_eq!(whole.ok()["total"], 2, "{whole}");
    assert!(!tree.at(".cache").exists(), "{:?}", std::fs::read_dir(tree.root()));
    let kept = std::fs::read_dir(world.dir().join("cache/servers")).expect("there it keeps its index");
    let kept: Vec<PathBuf> = kept.flatten().map(|entry| entry.path().join(".cache/clangd/index")).collect();
    assert!(kept.len() == 1 && kept[0].is_dir(), "{kept:?}");

    // A header that changes while the file is open.
    let defined = |mcp: &mut Mcp| {
        let answer = mcp.call("nav_definition", json!({"file": "other.c", "line": 2, "col": 33}));
        assert_eq!(answer.ok()["completeness"], "complete", "{answer}");
        answer.ok()["locations"][0]["file"].as_str().map(str::to_owned)
    };
    assert_eq!(defined(&mut mcp).as_deref(), Some("table.c"));
    tree.write("table.h", "static inline int size_of_table(void) { return 1; }\n");
    assert_eq!(defined(&mut mcp).as_deref(), Some("table.h"), "the header defines it now");
    // The effect of the header on files that are not open.
    let here = uses("table.h", 1, 19);
    assert_eq!(ask_until_whole(&mut mcp, &here).ok()["total"], 2, "main.c and other.c use the header's own");
    tree.write("table.h", "int size_of_table(void);\n");
    let back = uses("table.h", 1, 5);
    assert_eq!(ask_until_whole(&mut mcp, &back).ok()["total"], 2, "and table.c's again");
}

/// Returns a toolchain whose sources are not installed, with a `rustup` that records its calls in the returned file.
fn rust_without_sources(world: &World) -> (Vec<PathBuf>, PathBuf) {
    let (bin, bare, note) = (world.path("bin"), world.path("toolchain"), world.path("rustup-was-called"));
    for folder in [&bin, &bare] {
        std::fs::create_dir(folder).expect("a folder can be made");
    }
    let real = Path::new(projects_native::sysroot()).join("bin");
    std::os::unix::fs::symlink(&real, bare.join("bin")).expect("a link");
    let rustc = format!(
        "[ \"$*\" = '--print sysroot' ] && {{ echo '{}'; exit; }}\nexec '{}' \"$@\"",
        bare.display(),
        real.join("rustc").display()
    );
    script(&bin.join("rustc"), &rustc);
    script(&bin.join("rustup"), &format!("echo \"$@\" >> '{}'\nexit 1", note.display()));
    let folders = [bin].into_iter().chain(projects_native::native_path().to_vec()).collect();
    (folders, note)
}

const SMALL_RUST: &str = "\
//- /Cargo.toml
[package]
name = \"small\"
edition = \"2021\"
//- /build.rs
fn main() { std::fs::write(concat!(env!(\"CARGO_MANIFEST_DIR\"), \"/it-ran\"), \"build.rs\").unwrap(); }
//- /src/lib.rs
pub fn one() -> u8 { 1 }
pub fn two() -> u8 { one() + one() }
";

#[test]
fn rust_analyzer_without_sources_says_so_and_installs_nothing() {
    let world = World::new();
    let (folders, note) = rust_without_sources(&world);
    let (name, home) = projects_native::rust_environment().remove(0);
    let world = world.env("PATH", path_with(&folders)).env(name, home);
    let tree = world.tree(SMALL_RUST);
    let answer = references(&mut world.mcp(&tree), "src/lib.rs", 1, 8);
    assert_eq!(answer.ok()["completeness"], "partial", "{answer}");
    assert!(answer.warnings().contains("rustup component add rust-src"), "{answer}");
    assert_eq!(answer.ok()["total"], 2, "{answer}");
    assert!(!note.exists(), "rustup was called: {:?}", std::fs::read_to_string(&note));
}

/// Cargo describes every project, and runs as the compiler what the project's settings name.
#[test]
fn an_untrusted_rust_project_runs_nothing_of_its_own() {
    let world = rust_analyzer().world();
    let tree = world.tree(SMALL_RUST);
    let mark = world.path("it-ran");
    for name in ["compiler", "wrapper"] {
        let text = format!("echo {name} \"$@\" >> '{}'\nexec \"$@\"", mark.display());
        script(&tree.at(name), &text);
    }
    let path = |name: &str| tree.at(name).display().to_string();
    let (compiler, wrapper) = (path("compiler"), path("wrapper"));
    tree.write(
        ".cargo/config.toml",
        format!(
            "[build]\nrustc = \"{compiler}\"\nrustc-wrapper = \"{wrapper}\"\n\
             rustc-workspace-wrapper = \"{wrapper}\"\n"
        ),
    );
    let (mut mcp, question) = (world.mcp(&tree), uses("src/lib.rs", 1, 8));
    // Such settings can run programs in more ways than there are variables that override them.
    let refused = question.ask_hob(&mut mcp);
    assert_ne!(refused.envelope["data"]["source"], "lsp", "{refused}");
    assert!(refused.to_string().contains("settings for Cargo"), "{refused}");
    tree.remove(".cargo/config.toml");
    let answer = ask_until_whole(&mut mcp, &question);
    assert_eq!(answer.ok()["total"], 2, "{answer}");
    let status = mcp.call("map_status", json!({}));
    assert!(status.ok()["lsp"].to_string().contains("runs restricted"), "{status}");
    assert!(!mark.exists(), "{:?}", std::fs::read_to_string(&mark));
    assert!(!tree.at("it-ran").exists(), "its build script was run");
}

const SMALL_GO: &str = "\
//- /go.mod
module small

go 1.19
//- /small.go
package small

func one() int { return 1 }
func two() int { return one() + one() }
";

/// Variables restrict what Go may do for gopls: it neither downloads what an untrusted project names nor compiles its C
/// code.
#[test]
fn an_untrusted_go_project_fetches_and_compiles_nothing() {
    let world = World::new();
    let (bin, note) = (world.path("bin"), world.path("variables"));
    std::fs::create_dir(&bin).expect("a folder can be made");
    let real = debian::servers().join("gopls");
    let body = format!("[ $# = 0 ] && env > '{}'\nexec '{}' \"$@\"", note.display(), real.display());
    script(&bin.join("gopls"), &body);
    let world = world.env("PATH", path_with(&[bin]));
    let tree = world.tree(SMALL_GO);
    let mut mcp = world.mcp(&tree);
    let mut variables = || {
        let answer = ask_until_whole(&mut mcp, &uses("small.go", 3, 6));
        assert_eq!(answer.ok()["total"], 2, "{answer}");
        let said = std::fs::read_to_string(&note).expect("it was started");
        let is_restriction = |line: &&str| {
            ["GOTOOLCHAIN=", "GOPROXY=", "CGO_ENABLED=", "GOVCS="].iter().any(|name| line.starts_with(name))
        };
        let mut said: Vec<String> = said.lines().filter(is_restriction).map(str::to_owned).collect();
        said.sort();
        let status = mcp.call("map_status", json!({}));
        (said, status.ok()["lsp"].to_string().contains("runs restricted"))
    };
    let restricted = ["CGO_ENABLED=0", "GOPROXY=off", "GOTOOLCHAIN=local", "GOVCS=*:off"].map(str::to_owned);
    assert_eq!(variables(), (restricted.to_vec(), true));
    let _ = world.hob(tree.root(), &["trust", "--yes"]).success();
    assert_eq!(variables(), (Vec::new(), false), "it is trusted now");
}
