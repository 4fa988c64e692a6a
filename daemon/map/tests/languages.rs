//! Checks that shared code of the map asks a language for a property and never for its name.
//!
//! The tests read the sources of the crate as text, because only the text shows which code names a variant of `Lang`.
//! The files in `src/langs/` may name any; so may tests, which have to give the language of their samples.

use std::path::{Path, PathBuf};

use hob_map::langs::TABLE;
use hob_map::{Lang, language_of};

/// The files outside `src/langs/` that may name a language, each with the reason. Even the disk form (`src/persist`) is
/// not among them: it uses the order of `Lang::ALL`.
const EXCEPTIONS: &[(&str, &str)] = &[
    ("graph/links.rs", "the links of notes are Markdown's own: nothing else links by path and heading"),
    ("resolve/links.rs", "the same: it follows the links of notes to files and headings"),
    ("index/paths.rs", "the same: it lists the notes by the names that links use"),
];

#[test]
fn shared_code_names_no_language() {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut files = Vec::new();
    list_sources(&source, &mut files);
    assert!(files.len() > 50, "the sources are in {}", source.display());
    let mut found = Vec::new();
    for file in files {
        let path =
            file.strip_prefix(&source).expect("it is listed below").to_string_lossy().replace('\\', "/");
        if path.starts_with("langs/")
            || is_for_tests(&path)
            || EXCEPTIONS.iter().any(|(name, _)| *name == path)
        {
            continue;
        }
        let text = std::fs::read_to_string(&file).expect("a source is text");
        let named = named_languages(&text).into_iter();
        found.extend(named.map(|(line, lang)| format!("src/{path}:{line} names {lang}")));
    }
    let hint = "ask for a property: a field of NameSemantics or SourceRules that the language's row sets";
    assert!(found.is_empty(), "{}\n{hint}", found.join("\n"));
}

#[test]
fn exceptions_are_of_files_that_name_a_language() {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    for (path, reason) in EXCEPTIONS {
        let text = std::fs::read_to_string(source.join(path)).unwrap_or_default();
        assert!(!reason.is_empty() && !named_languages(&text).is_empty(), "{path} needs no exception");
    }
}

#[test]
fn only_code_counts() {
    let named = |text: &str| {
        let found = named_languages(text).into_iter();
        found.map(|(line, lang)| format!("{line} {lang}")).collect::<Vec<_>>().join(", ")
    };
    assert_eq!(named("// Lang::Go\nlet a = Lang::ALL;\nf(Lang::Rust) // Lang::C\n"), "3 Lang::Rust");
    assert_eq!(named("use crate::langs::Lang::{self, Go};\n"), "1 Lang::Go");
    assert_eq!(named("#[cfg(test)]\nmod tests;\n\nfn f() { Lang::Cpp; }\n"), "4 Lang::Cpp");
    assert_eq!(named("f();\n\n#[cfg(test)]\nmod tests {\n    Lang::Php\n}\n"), "");
    assert_eq!(named("use crate::langs::{Lang, ecma};\nlangs::support::x();\n"), "1 langs::ecma");
}

#[test]
fn rows_stand_in_the_order_of_the_numbers() {
    let with_row: Vec<Lang> = Lang::ALL.into_iter().filter(|lang| lang.spec().is_some()).collect();
    assert_eq!(TABLE.iter().map(|spec| spec.lang).collect::<Vec<_>>(), with_row);
    assert!(Lang::ALL.into_iter().all(|lang| lang.spec().is_none_or(|spec| spec.lang == lang)));
    let without_row = Lang::ALL.into_iter().filter(|lang| lang.spec().is_none());
    assert!(without_row.eq(Lang::ALL.into_iter().filter(|lang| lang.is_manifest())));
}

#[test]
fn rows_tell_the_language_of_a_file() {
    let files = [
        ("go.mod", "", Some(Lang::Manifest)),
        ("tsconfig.app.json", "", Some(Lang::Manifest)),
        ("pyproject.toml", "", Some(Lang::Manifest)),
        ("other.toml", "", None),
        ("Rakefile", "", Some(Lang::Ruby)),
        ("PKGBUILD", "", Some(Lang::Bash)),
        ("run", "#!/usr/bin/env python3\n", Some(Lang::Python)),
        ("part.inc", "<?php\n", Some(Lang::Php)),
        ("api.proto", "", Some(Lang::Proto)),
        ("prod.tfvars", "", Some(Lang::Hcl)),
        ("Schema.SQL", "", Some(Lang::Sql)),
        ("mix.exs", "", Some(Lang::Elixir)),
        ("main.css", "", Some(Lang::Css)),
        ("cart_item.g.dart", "", Some(Lang::Dart)),
        ("pubspec.yaml", "", Some(Lang::Manifest)),
        ("study.ipynb", "", Some(Lang::Notebook)),
        ("a.h", "int f(void);\n", Some(Lang::C)),
        ("a.h", "namespace a { class B; }\n", Some(Lang::Cpp)),
    ];
    for (name, head, lang) in files {
        assert_eq!(language_of(name, head.as_bytes()), lang, "{name}");
    }
}

fn list_sources(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).expect("a folder of the crate").flatten() {
        let path = entry.path();
        if path.is_dir() {
            list_sources(&path, found);
        } else if path.extension().is_some_and(|ending| ending == "rs") {
            found.push(path);
        }
    }
    found.sort();
}

/// Returns true if a file contains tests, or code that only tests use.
fn is_for_tests(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    name == "tests.rs" || name.ends_with("_tests.rs") || path.contains("/tests/")
}

/// Returns the variants of `Lang` and the folders of languages that code names, with the line numbers. Comments do not
/// count, nor does a module of tests at the end of a file.
fn named_languages(text: &str) -> Vec<(usize, String)> {
    let code = text.split("#[cfg(test)]\nmod tests {").next().unwrap_or(text);
    let lines = code.lines().enumerate();
    lines.flat_map(|(number, line)| names_in_line(line).map(move |lang| (number + 1, lang))).collect()
}

fn names_in_line(line: &str) -> impl Iterator<Item = String> {
    let code = line.split("//").next().unwrap_or(line);
    let variants = words_after(code, "Lang::").filter(|word| is_variant(word));
    let folders = words_after(code, "langs::").filter(|word| is_folder(word));
    variants.map(|word| format!("Lang::{word}")).chain(folders.map(|word| format!("langs::{word}")))
}

/// Yields the words after a prefix: one, or those in braces.
fn words_after<'a>(code: &'a str, prefix: &'a str) -> impl Iterator<Item = &'a str> {
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    code.split(prefix).skip(1).flat_map(move |rest| {
        let end = if rest.starts_with('{') { rest.find('}') } else { rest.find(|c| !is_word(c)) };
        rest[..end.unwrap_or(rest.len())].split(move |c| !is_word(c))
    })
}

fn is_variant(name: &str) -> bool {
    Lang::ALL.into_iter().any(|lang| format!("{lang:?}") == name)
}

fn is_folder(name: &str) -> bool {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/langs").join(name);
    !name.is_empty() && name != "support" && folder.is_dir()
}
