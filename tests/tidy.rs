//! The rules of `STYLE.md` and the invariants of `ARCHITECTURE.md` that a machine can hold.
//!
//! The text is looked at, not the program: what the compiler and clippy can see is theirs. A rule that nothing runs
//! is no rule.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use hob_tests::{World, repository};

/// Lines above which a file needs a reason.
const LONG: usize = 600;

/// The words that give the reason.
const REASON: &str = "over 600 lines because";

/// Every file below the repository that is the project's own, relative to it.
fn files() -> Vec<PathBuf> {
    let mut found = Vec::new();
    list(repository(), &mut found);
    found.sort();
    let relative = |path: PathBuf| path.strip_prefix(repository()).expect("listed below it").to_path_buf();
    found.into_iter().map(relative).collect()
}

fn list(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).expect("a folder of the repository").flatten() {
        let name = entry.file_name();
        let kind = entry.file_type().expect("it was just listed");
        match kind.is_dir() {
            true if name != "target" && name != ".git" && name != "node_modules" => {
                list(&entry.path(), found);
            }
            false => found.push(entry.path()),
            true => {}
        }
    }
}

pub(super) fn rust_files() -> Vec<(String, String)> {
    with_ending(".rs")
}

fn with_ending(ending: &str) -> Vec<(String, String)> {
    let name = |path: &PathBuf| path.to_string_lossy().replace('\\', "/");
    let named =
        files().into_iter().map(|path| (name(&path), path)).filter(|(name, _)| name.ends_with(ending));
    named
        .map(|(name, path)| (name, std::fs::read_to_string(repository().join(path)).expect("it is text")))
        .collect()
}

/// The `//!` lines at the top.
fn header(text: &str) -> String {
    text.lines().take_while(|line| line.starts_with("//!")).collect::<Vec<_>>().join("\n")
}

/// The code of a file without comments and without its tests, which may say what they like.
pub(super) fn code(text: &str) -> String {
    let own = text.split("#[cfg(test)]\nmod tests {").next().unwrap_or(text);
    own.lines().filter(|line| !line.trim_start().starts_with("//")).collect::<Vec<_>>().join("\n")
}

#[track_caller]
pub(super) fn none(rule: &str, offenders: &[String]) {
    assert!(offenders.is_empty(), "{rule}:\n  {}", offenders.join("\n  "));
}

#[test]
fn every_file_says_what_it_is_for() {
    let bare = rust_files().into_iter().filter(|(_, text)| header(text).len() < 16).map(|(name, _)| name);
    none("a file begins with `//!` and says what it is for", &bare.collect::<Vec<_>>());
}

#[test]
fn a_long_file_says_why() {
    let lines = |text: &str| text.split("#[cfg(test)]\nmod tests {").next().unwrap_or(text).lines().count();
    let long =
        rust_files().into_iter().filter(|(_, text)| lines(text) > LONG && !header(text).contains(REASON));
    none(
        &format!("a file over {LONG} lines says `{REASON} ...` in its header"),
        &long.map(|(name, text)| format!("{name}: {}", lines(&text))).collect::<Vec<_>>(),
    );
}

/// The names that only these files may use.
const ONLY_IN: &[(&str, &[&str])] = &[
    ("sled::", &["daemon/store/src/sled.rs"]),
    ("use notify", &["daemon/workspace/src/watch/notify.rs"]),
    ("notify::Event", &["daemon/workspace/src/watch/notify.rs"]),
    ("notify::Recommended", &["daemon/workspace/src/watch/notify.rs"]),
    ("interprocess::", &["proto/src/transport"]),
    ("rmcp::", &["shims/mcp/"]),
    // The map reads code with it, patterns are matched against its trees.
    ("tree_sitter", &["daemon/map/", "daemon/edit/src/pattern"]),
    ("ast_grep", &["daemon/edit/src/pattern"]),
    ("grep_searcher", &["daemon/text/"]),
    ("tantivy", &["daemon/text/"]),
    ("gix::", &["daemon/workspace/src/git"]),
    ("quick_xml::", &["daemon/workspace/src/manifest/maven"]),
    ("rawzip::", &["daemon/host/src/source_jars"]),
    ("zlib_rs::", &["daemon/host/src/source_jars", "client/cli/src/graph/deflate.rs"]),
    ("ureq::", &["daemon/model/src/http.rs"]),
    ("safetensors::", &["daemon/embed/src/table.rs"]),
    ("scip::types", &["daemon/scip/src/wire"]),
    ("scip::symbol", &["daemon/scip/src/wire"]),
    ("protobuf::", &["daemon/scip/src/wire"]),
    ("tokenizers::", &["daemon/embed/src/tokenizer.rs"]),
];

#[test]
fn foreign_libraries_are_known_in_one_place() {
    let mut offenders = Vec::new();
    for (name, text) in rust_files().into_iter().filter(|(name, _)| !name.starts_with("tests/")) {
        let code = code(&text);
        let strangers = ONLY_IN
            .iter()
            .filter(|(word, homes)| !homes.iter().any(|home| name.starts_with(home)) && names(&code, word));
        let belongs = |homes: &[&str]| homes.join(" or ");
        offenders.extend(
            strangers
                .map(|(word, homes)| format!("{name} names {word}, which belongs to {}", belongs(homes))),
        );
    }
    none("a foreign library is known in one place", &offenders);
}

/// Returns true if `code` has `word` at the start of a path: `self::notify::` is a module, `tokio::sync::Notify` is
/// something else.
fn names(code: &str, word: &str) -> bool {
    let inside = |c: char| c.is_alphanumeric() || c == '_' || c == ':';
    code.match_indices(word).any(|(at, _)| !code[..at].ends_with(inside))
}

/// The packages of the project and those that each may know; the third column lists what it must not link at all.
const LAYERS: &[(&str, &[&str], &[&str])] = &[
    ("proto", &[], &["sled", "notify", "tree-sitter", "rmcp"]),
    ("proto/render", &["hob-proto"], &["sled", "notify", "tree-sitter", "rmcp", "tokio"]),
    (
        "client",
        &["hob-proto", "hob-render"],
        &["sled", "notify", "tree-sitter", "rmcp", "regex", "ignore", "ratatui"],
    ),
    (
        "client/cli",
        &["hob-proto", "hob-render", "hob-client"],
        &["sled", "notify", "tree-sitter", "rmcp", "regex", "ignore"],
    ),
    ("shims/mcp", &["hob-proto", "hob-client"], &["sled", "notify", "tree-sitter", "regex", "ignore"]),
    (
        "shims/lsp",
        &["hob-proto", "hob-client"],
        &["sled", "notify", "tree-sitter", "regex", "ignore", "lsp", "rmcp"],
    ),
    ("daemon/base", &[], &["sled", "notify", "tree-sitter", "serde", "tokio"]),
    ("daemon/store", &["hob-proto", "hob-base"], &["notify", "tree-sitter", "tokio"]),
    ("daemon/workspace", &["hob-proto", "hob-base", "hob-store"], &["sled", "tree-sitter", "tokio"]),
    (
        "daemon/text",
        &["hob-proto", "hob-base", "hob-store"],
        &["sled", "notify", "tree-sitter", "tokio", "ignore"],
    ),
    ("daemon/live", &["hob-proto", "hob-base"], &["sled", "notify", "tree-sitter", "tokio", "ignore"]),
    ("daemon/map", &["hob-proto", "hob-base", "hob-store"], &["sled", "notify", "tokio", "ignore"]),
    (
        "daemon/edit",
        &["hob-proto", "hob-base", "hob-store"],
        &["sled", "notify", "tokio", "lsp-types", "hob-map", "hob-live"],
    ),
    ("daemon/embed", &["hob-base"], &["sled", "notify", "tree-sitter", "tokio", "hf-hub", "ureq"]),
    (
        "daemon/bridge",
        &["hob-base", "hob-map", "hob-live"],
        &["sled", "notify", "tree-sitter", "tokio", "lsp-types"],
    ),
    ("daemon/model", &["hob-base"], &["sled", "notify", "tree-sitter", "tokio"]),
    ("daemon/org", &["hob-base", "hob-model"], &["sled", "notify", "tree-sitter", "tokio"]),
    (
        "daemon/settings",
        &["hob-proto", "hob-base", "hob-live", "hob-workspace", "hob-model", "hob-org"],
        &["sled", "notify", "tree-sitter", "tokio"],
    ),
    ("daemon/change", &["hob-base", "hob-map"], &["sled", "notify", "tree-sitter", "tokio", "serde"]),
    ("daemon/scip", &["hob-base"], &["sled", "notify", "tree-sitter", "tokio", "serde"]),
    ("daemon/calls", &["hob-proto", "hob-base", "hob-live"], &["sled", "notify", "tree-sitter", "tokio"]),
    (
        "daemon/host",
        &[
            "hob-proto",
            "hob-base",
            "hob-store",
            "hob-workspace",
            "hob-text",
            "hob-map",
            "hob-live",
            "hob-bridge",
            "hob-edit",
            "hob-embed",
            "hob-scip",
            "hob-org",
            "hob-settings",
        ],
        &["sled", "notify", "tree-sitter", "lsp-types", "ureq"],
    ),
    ("daemon/metrics", &["hob-proto", "hob-base", "hob-calls"], &["sled", "notify", "tree-sitter", "tokio"]),
    (
        "daemon/words",
        &["hob-proto", "hob-base", "hob-store", "hob-text", "hob-map"],
        &["sled", "notify", "tree-sitter", "tokio"],
    ),
    (
        "daemon/budget",
        &["hob-proto", "hob-render", "hob-calls"],
        &["sled", "notify", "tree-sitter", "tokio", "lsp-types"],
    ),
    (
        "daemon/results",
        &[
            "hob-proto",
            "hob-base",
            "hob-workspace",
            "hob-text",
            "hob-map",
            "hob-live",
            "hob-bridge",
            "hob-edit",
            "hob-org",
            "hob-host",
        ],
        &["sled", "notify", "tree-sitter", "tokio"],
    ),
    (
        "daemon/tools",
        &[
            "hob-proto",
            "hob-base",
            "hob-store",
            "hob-workspace",
            "hob-text",
            "hob-map",
            "hob-live",
            "hob-bridge",
            "hob-edit",
            "hob-org",
            "hob-host",
            "hob-calls",
            "hob-change",
            "hob-metrics",
            "hob-words",
            "hob-budget",
            "hob-results",
        ],
        &["sled", "notify", "tree-sitter", "lsp-types", "ureq"],
    ),
    (
        "daemon/editor",
        &["hob-proto", "hob-base", "hob-map", "hob-live", "hob-calls", "hob-host"],
        &["sled", "notify", "tree-sitter", "tokio"],
    ),
];

#[test]
fn dependencies_point_one_way() {
    let mut offenders = Vec::new();
    for (folder, known, forbidden) in LAYERS {
        let manifest =
            std::fs::read_to_string(repository().join(folder).join("Cargo.toml")).expect("a package");
        for dependency in dependencies(&manifest) {
            let ours = dependency.starts_with("hob-") && !known.contains(&dependency.as_str());
            let foreign = forbidden
                .iter()
                .any(|word| dependency == *word || dependency.starts_with(&format!("{word}-")));
            if ours || foreign {
                offenders.push(format!("{folder} depends on {dependency}"));
            }
        }
    }
    none("dependencies point one way", &offenders);
}

/// Names under `[dependencies]` and `[target.….dependencies]`; what only tests use is their affair.
fn dependencies(manifest: &str) -> Vec<String> {
    let mut inside = false;
    let mut found = Vec::new();
    for line in manifest.lines().map(str::trim) {
        if line.starts_with('[') {
            inside = line.ends_with("dependencies]") && !line.contains("dev-") && !line.contains("build-");
        } else if inside && !line.starts_with('#') {
            found.extend(
                line.split(['.', '=', ' ']).next().filter(|name| !name.is_empty()).map(str::to_owned),
            );
        }
    }
    found
}

#[test]
fn every_package_is_in_the_layers() {
    let packages = files().into_iter().filter(|path| path.ends_with("Cargo.toml"));
    let folders = packages.map(|path| path.parent().expect("a file").to_string_lossy().replace('\\', "/"));
    let unknown = folders.filter(|folder| {
        let whole = ["", "daemon"].contains(&folder.as_str()) || folder.starts_with("tests");
        !whole && LAYERS.iter().all(|(known, _, _)| known != folder)
    });
    none("a new package is put into the table of layers", &unknown.collect::<Vec<_>>());
}

#[test]
fn domain_types_are_not_serialised() {
    // Disk and wire forms are other types, in files of their own.
    let allowed = ["persist", "format.rs", "facts/"];
    let parts = ["daemon/base/", "daemon/workspace/", "daemon/text/", "daemon/map/"];
    let domain = rust_files().into_iter().filter(|(name, _)| parts.iter().any(|part| name.starts_with(part)));
    let derives =
        |text: &str| code(text).lines().any(|line| line.contains("derive(") && line.contains("Serialize"));
    let serialised =
        domain.filter(|(name, text)| derives(text) && !allowed.iter().any(|form| name.contains(form)));
    none("domain types are not serialisable", &serialised.map(|(name, _)| name).collect::<Vec<_>>());
}

#[test]
fn nothing_is_left_for_later_without_an_issue() {
    let words = ["todo!(", "unimplemented!(", "dbg!(", "#[ignore"];
    let mut offenders = Vec::new();
    // This file says the words, and tests of languages have them in the code that they are about.
    let about = |name: &str| name == "tests/tidy.rs" || name.ends_with("/tests.rs");
    for (name, text) in rust_files().into_iter().filter(|(name, _)| !about(name)) {
        offenders
            .extend(words.iter().filter(|word| text.contains(**word)).map(|word| format!("{name}: {word}")));
    }
    none("these words are not for this project", &offenders);
}

#[test]
fn the_page_of_tools_is_what_the_table_says() {
    let world = World::new();
    let page = world.hob(repository(), &["tools", "--markdown"]).success();
    let kept = std::fs::read_to_string(repository().join("docs/tools.md")).expect("docs/tools.md");
    assert!(page == kept, "docs/tools.md is out of date: run `hob tools --markdown > docs/tools.md`");
}

#[test]
fn every_test_file_is_run() {
    let all = rust_files();
    let text_of = |name: &str| all.iter().find(|(other, _)| other == name).map(|(_, text)| text.as_str());
    let is_package_of_its_own =
        |name: &str| ["tests/bench/", "tests/fuzz/"].iter().any(|folder| name.starts_with(folder));
    let mut forgotten = Vec::new();
    for (name, _) in all.iter().filter(|(name, _)| name.starts_with("tests/") && !is_package_of_its_own(name))
    {
        let path = Path::new(name);
        let (folder, stem) =
            (path.parent().expect("a folder"), path.file_stem().expect("a name").to_string_lossy());
        let parents = match (folder.to_string_lossy().as_ref(), stem.as_ref()) {
            ("tests", "runner") | (_, "lib") => continue,
            ("tests", _) => vec!["tests/runner.rs".to_owned()],
            (folder, "mod") => {
                let above = folder.rsplit_once('/').map_or("", |(above, _)| above);
                vec![format!("{above}/mod.rs"), format!("{above}/lib.rs"), "tests/runner.rs".to_owned()]
            }
            (folder, _) => vec![format!("{folder}/mod.rs"), format!("{folder}/lib.rs")],
        };
        let module = if stem == "mod" { folder.file_name().expect("named").to_string_lossy() } else { stem };
        let declared = |text: &str| text.contains(&format!("mod {module};"));
        if !parents.iter().filter_map(|parent| text_of(parent)).any(declared) {
            forgotten.push(name.clone());
        }
    }
    none("a test file is declared as a module", &forgotten);
}

/// They are run by hand, so nothing else notices a name that has moved.
#[test]
fn the_scripts_of_the_benchmark_import_what_there_is() {
    let scripts =
        with_ending(".py").into_iter().filter(|(_, text)| text.contains("__name__ == \"__main__\""));
    let names = scripts.filter_map(|(path, _)| {
        Some(path.strip_prefix("tests/bench/")?.strip_suffix(".py")?.to_owned())
            .filter(|name| !name.contains('/'))
    });
    let modules: Vec<String> = names.collect();
    assert!(modules.len() > 5, "{modules:?}");
    let mut python = std::process::Command::new("python3");
    python.current_dir(repository().join("tests/bench"));
    let out = python.args(["-B", "-c", &format!("import {}", modules.join(", "))]).output();
    let out = out.expect("python3 runs");
    assert!(out.status.success(), "{}", String::from_utf8_lossy(&out.stderr));
}

#[test]
fn the_documents_are_there() {
    for name in [
        "ARCHITECTURE.md",
        "CHANGELOG.md",
        "CONTRIBUTING.md",
        "STYLE.md",
        "README.md",
        "LICENSE-MIT",
        "LICENSE-APACHE",
    ] {
        let text = std::fs::read_to_string(repository().join(name)).unwrap_or_default();
        assert!(text.len() > 300, "{name} is missing or empty");
    }
    let changes = std::fs::read_to_string(repository().join("CHANGELOG.md")).expect("just read");
    assert!(changes.contains("Unreleased") || changes.contains("## "), "CHANGELOG.md has sections");
    let readme = std::fs::read_to_string(repository().join("README.md")).expect("just read");
    assert!(readme.contains("<!-- test command -->"), "README.md marks the command that runs these tests");
}

/// `docs/security.md` counts and justifies them; a file that is not in its table has not been looked at.
#[test]
fn unsafe_code_is_where_the_page_on_security_says() {
    let page = std::fs::read_to_string(repository().join("docs/security.md")).expect("the page is there");
    let section =
        page.split("\n## `unsafe`").nth(1).and_then(|rest| rest.split("\n## ").next()).expect("a section");
    let rows = section.lines().filter(|line| line.starts_with("| `"));
    let told: BTreeSet<&str> = rows.filter_map(|row| row.split('`').nth(1)).collect();
    let rust = rust_files();
    // Tests too: the lint is denied there as well. This file speaks of it only.
    let allows = |text: &str| code(text).contains("allow(unsafe_code");
    let found: BTreeSet<&str> = rust
        .iter()
        .filter(|(name, text)| name != "tests/tidy.rs" && allows(text))
        .map(|(name, _)| name.as_str())
        .collect();
    assert_eq!(found, told, "files that allow `unsafe` (left), and those in the table (right)");
}

/// Checks the main rules of `cargo deny check bans licenses sources`: not everything that it does, but run by whoever
/// runs the tests.
#[test]
fn what_comes_in_is_what_the_rules_allow() {
    let rules = std::fs::read_to_string(repository().join("deny.toml")).expect("deny.toml is there");
    let quoted =
        |list: &str| -> BTreeSet<String> { list.split('"').skip(1).step_by(2).map(str::to_owned).collect() };
    let after = |from: &str| {
        rules.split(from).nth(1).and_then(|rest| rest.split(']').next()).expect("a list").to_owned()
    };
    let (allowed, banned) = (quoted(&after("\nallow = [")), quoted(&after("\ndeny = [")));
    // Of one crate each: its name, then its licences.
    let exceptions = after("\nexceptions = [{ crate =");
    let exceptions: Vec<String> = exceptions.split('"').skip(1).step_by(2).map(str::to_owned).collect();
    let mut cargo = std::process::Command::new(std::env::var("CARGO").unwrap_or_else(|_| "cargo".to_owned()));
    cargo.args(["metadata", "--format-version", "1", "--locked"]).current_dir(repository());
    let told: serde_json::Value =
        serde_json::from_str(&hob_tests::run(&mut cargo, b"").success()).expect("JSON");
    let mut offenders = Vec::new();
    for package in
        told["packages"].as_array().expect("packages").iter().filter(|package| package["source"].is_string())
    {
        let text = |field: &str| package[field].as_str().unwrap_or_default();
        let is_exception = exceptions.first().is_some_and(|name| name == text("name"));
        let is_allowed =
            |id: &str| allowed.contains(id) || is_exception && exceptions.iter().any(|it| it == id);
        if !may_come_in(text("license"), &is_allowed) {
            offenders.push(format!("{} {} is under `{}`", text("name"), text("version"), text("license")));
        }
        if text("source") != "registry+https://github.com/rust-lang/crates.io-index"
            || banned.contains(text("name"))
        {
            offenders.push(format!("{} of {}", text("name"), text("source")));
        }
    }
    none("deny.toml says what may come in", &offenders);
}

/// Returns true if one of the choices that a licence expression gives is allowed. `OR` binds less than `AND`, `/` is
/// an old `OR`.
fn may_come_in(expression: &str, is_allowed: &dyn Fn(&str) -> bool) -> bool {
    let spaced = expression.replace('/', " OR ").replace('(', " ( ").replace(')', " ) ");
    let mut words = spaced.split_whitespace().peekable();
    !expression.is_empty() && any_of(&mut words, is_allowed)
}

type Words<'w> = std::iter::Peekable<std::str::SplitWhitespace<'w>>;

fn any_of(words: &mut Words<'_>, is_allowed: &dyn Fn(&str) -> bool) -> bool {
    let mut any = all_of(words, is_allowed);
    while words.next_if_eq(&"OR").is_some() {
        any |= all_of(words, is_allowed);
    }
    any
}

fn all_of(words: &mut Words<'_>, is_allowed: &dyn Fn(&str) -> bool) -> bool {
    let mut all = one(words, is_allowed);
    while words.next_if_eq(&"AND").is_some() {
        all &= one(words, is_allowed);
    }
    all
}

fn one(words: &mut Words<'_>, is_allowed: &dyn Fn(&str) -> bool) -> bool {
    match words.next() {
        Some("(") => {
            let inside = any_of(words, is_allowed);
            words.next_if_eq(&")");
            inside
        }
        Some(id) => match words.next_if_eq(&"WITH") {
            Some(_) => is_allowed(&format!("{id} WITH {}", words.next().unwrap_or_default())),
            None => is_allowed(id),
        },
        None => false,
    }
}

#[test]
fn licence_expressions_are_read_as_they_are_meant() {
    let is_allowed = |id: &str| ["MIT", "ISC", "Apache-2.0 WITH LLVM-exception"].contains(&id);
    for good in [
        "MIT",
        "MIT OR GPL-3.0",
        "GPL-3.0/MIT",
        "(GPL-3.0 OR MIT) AND ISC",
        "GPL-2.0 OR Apache-2.0 WITH LLVM-exception",
    ] {
        assert!(may_come_in(good, &is_allowed), "{good}");
    }
    for bad in ["", "GPL-3.0", "MIT AND GPL-3.0", "(MIT OR ISC) AND GPL-3.0", "Apache-2.0"] {
        assert!(!may_come_in(bad, &is_allowed), "{bad}");
    }
}
