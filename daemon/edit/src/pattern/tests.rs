//! Tests patterns as agents use them. Tests over real trees compare with ast-grep's command line.

use std::sync::Arc;

use hob_base::{CancelToken, Stopped};
use tree_sitter::{Language, Parser};

use super::*;
use crate::apply_splices;

fn grammar_of(id: &str) -> PatternGrammar {
    let language: Language = match id {
        "py" => tree_sitter_python::LANGUAGE.into(),
        "ts" => tree_sitter_typescript::LANGUAGE_TYPESCRIPT.into(),
        "tsx" => tree_sitter_typescript::LANGUAGE_TSX.into(),
        "js" => tree_sitter_javascript::LANGUAGE.into(),
        "rs" => tree_sitter_rust::LANGUAGE.into(),
        "go" => tree_sitter_go::LANGUAGE.into(),
        "java" => tree_sitter_java::LANGUAGE.into(),
        "c" => tree_sitter_c::LANGUAGE.into(),
        "cpp" => tree_sitter_cpp::LANGUAGE.into(),
        "cs" => tree_sitter_c_sharp::LANGUAGE.into(),
        "rb" => tree_sitter_ruby::LANGUAGE.into(),
        "php" => tree_sitter_php::LANGUAGE_PHP_ONLY.into(),
        "kt" => tree_sitter_kotlin_sg::LANGUAGE.into(),
        "swift" => tree_sitter_swift::LANGUAGE.into(),
        "scala" => tree_sitter_scala::LANGUAGE.into(),
        "lua" => tree_sitter_lua::LANGUAGE.into(),
        "sh" => tree_sitter_bash::LANGUAGE.into(),
        other => panic!("no grammar for {other}"),
    };
    let parsed = language.clone();
    let parse = move |source: &[u8]| {
        let mut parser = Parser::new();
        parser.set_language(&parsed).ok()?;
        parser.parse(source, None)
    };
    PatternGrammar { language, parse: Arc::new(parse) }
}

fn make_pattern(id: &str, pattern: &str, rewrite: &str) -> Result<PatternEdit, PatternError> {
    PatternEdit::new(pattern_language(id)?, grammar_of(id), pattern, rewrite)
}

#[track_caller]
fn edit_source(id: &str, source: &str, find: &str, rewrite: &str) -> String {
    let edit = make_pattern(id, find, rewrite).unwrap_or_else(|error| panic!("{error}"));
    let splices = edit.find_splices(source.as_bytes(), &CancelToken::default());
    let splices = splices.unwrap_or_else(|error| panic!("{error}"));
    String::from_utf8(apply_splices(source.as_bytes(), &splices).expect("they are apart")).expect("text")
}

#[track_caller]
fn refusal_of(id: &str, find: &str, rewrite: &str) -> String {
    make_pattern(id, find, rewrite).expect_err("it must be refused").to_string()
}

#[test]
fn every_language_finds_a_call_and_changes_it() {
    let cases = [
        ("py", "f(1, 2)", "f($A, $B)", "g($B, $A)", "g(2, 1)"),
        ("ts", "f(1, 2)", "f($A, $B)", "g($B, $A)", "g(2, 1)"),
        ("tsx", "f(1, <a/>)", "f($A, $B)", "g($B, $A)", "g(<a/>, 1)"),
        ("js", "f(1, 2)", "f($A, $B)", "g($B, $A)", "g(2, 1)"),
        ("rs", "fn a() { f(1, 2); }", "f($A, $B)", "g($B, $A)", "fn a() { g(2, 1); }"),
        ("go", "func a() { x := b.F(1) }", "x := $A.F($B)", "x := $A.G($B)", "func a() { x := b.G(1) }"),
        ("java", "class A { int a = f(1, 2); }", "f($A, $B)", "g($B, $A)", "class A { int a = g(2, 1); }"),
        (
            "c",
            "int a(void) { return f(1, b) + 1; }",
            "$A + 1",
            "1 + $A",
            "int a(void) { return 1 + f(1, b); }",
        ),
        ("cpp", "int a() { return x->f(1); }", "$A->f($B)", "$A.g($B)", "int a() { return x.g(1); }"),
        ("cs", "class A { int a = F(1, 2); }", "F($A, $B)", "G($B, $A)", "class A { int a = G(2, 1); }"),
        ("rb", "f(1, 2)\n", "f($A, $B)", "g($B, $A)", "g(2, 1)\n"),
        ("php", "<?php f(1, 2);", "f($A, $B)", "g($B, $A)", "<?php g(2, 1);"),
        ("kt", "fun a() { f(1, 2) }", "f($A, $B)", "g($B, $A)", "fun a() { g(2, 1) }"),
        ("swift", "let a = f(1, 2)", "f($A, $B)", "g($B, $A)", "let a = g(2, 1)"),
        ("scala", "val a = f(1, 2)", "f($A, $B)", "g($B, $A)", "val a = g(2, 1)"),
        ("lua", "f(1, 2)", "f($A, $B)", "g($B, $A)", "g(2, 1)"),
        ("sh", "echo one two\n", "echo $A two", "printf $A", "printf one\n"),
    ];
    assert_eq!(cases.map(|case| case.0).as_slice(), LANGUAGES.iter().map(|row| row.id).collect::<Vec<_>>());
    for (id, source, find, rewrite, wanted) in cases {
        assert_eq!(edit_source(id, source, find, rewrite), wanted, "{id}");
    }
}

#[test]
fn the_outermost_match_counts_and_lists_keep_their_text() {
    assert_eq!(edit_source("rs", "fn a() { Some(Some(1)); }", "Some($A)", "$A"), "fn a() { Some(1); }");
    assert_eq!(
        edit_source("py", "f(1,  2, # two\n  3)\n", "f($$$A)", "g(0, $$$A)"),
        "g(0, 1,  2, # two\n  3)\n"
    );
    assert_eq!(edit_source("py", "f()\n", "f($$$A)", "g($$$A)"), "g()\n");
    assert_eq!(edit_source("js", "a == a; a == b", "$A == $A", "true"), "true; a == b");
}

#[test]
fn replacements_are_indented_as_their_place_and_end_lines_as_the_file_does() {
    let source = "if a:\n    with b:\n        f(1)\n";
    assert_eq!(
        edit_source("py", source, "f($A)", "g()\nh(\n    $A,\n)"),
        "if a:\n    with b:\n        g()\n        h(\n            1,\n        )\n"
    );
    assert_eq!(
        edit_source("py", "if a:\r\n    f(1)\r\n", "f($A)", "g()\nh($A)"),
        "if a:\r\n    g()\r\n    h(1)\r\n"
    );
}

#[test]
fn what_is_no_pattern_is_refused_in_words() {
    assert_eq!(
        refusal_of("cobol", "a", "b"),
        "`cobol` is no language that patterns can be written in; known are py, ts, tsx, js, rs, go, java, c, cpp, cs, rb, php, \
         kt, swift, scala, lua, sh"
    );
    assert!(refusal_of("py", "", "b").starts_with("No AST root is detected."));
    assert!(
        refusal_of("py", "a = 1\nb = 2", "b")
            .starts_with("Multiple AST nodes are detected. Please check the pattern source `a = 1\nb = 2`.")
    );
    assert!(refusal_of("ts", "$$$A", "b").starts_with("Standalone multi meta variable `$$$A` is invalid."));
    assert!(refusal_of("ts", &"a".repeat(40_000), "b").contains("pattern is 40000 bytes long"));
    assert!(
        refusal_of("py", &format!("{}1{}", "(".repeat(500), ")".repeat(500)), "b").contains("levels deep")
    );
    let probes = format!("{}1{}", "f($$$, ".repeat(12), ")".repeat(12));
    assert!(
        refusal_of("py", &probes, "b").contains("within each other"),
        "{}",
        refusal_of("py", &probes, "b")
    );
}

#[test]
fn a_rewrite_may_only_name_what_was_captured() {
    assert_eq!(
        refusal_of("py", "f($A, $$$REST, $_)", "g($B)"),
        "the rewrite names `$B`, which the pattern does not capture; it captures `$A`, `$$$REST`"
    );
    assert_eq!(
        refusal_of("py", "f($$$A)", "g($A)"),
        "the rewrite says `$A` of what the pattern calls `$$$A`"
    );
    assert!(refusal_of("sh", "echo hello", "echo $HOME").ends_with("it captures none"));
}

#[test]
fn nothing_found_is_explained() {
    let fine = make_pattern("py", "f($A)", "g($A)").expect("a pattern");
    assert_eq!(fine.error_unmatched(), PatternError::Unmatched("f($A)".to_owned()));
    let broken = make_pattern("ts", "123+", "1").expect("ast-grep takes it as well");
    assert!(
        matches!(broken.error_unmatched(), PatternError::BrokenAndUnmatched(_)),
        "{}",
        broken.error_unmatched()
    );
}

#[test]
fn a_file_that_cannot_be_matched_says_why() {
    let edit = make_pattern("py", "f($A, $A)", "g").expect("a pattern");
    let cancel = CancelToken::default();
    assert_eq!(edit.find_splices(b"f(\xff)", &cancel), Err(PatternFileError::NotText));
    let deep = format!("f({0}1{1}, {0}1{1})", "(".repeat(5_000), ")".repeat(5_000));
    assert!(matches!(edit.find_splices(deep.as_bytes(), &cancel), Err(PatternFileError::TooComplex(_))));
    let wide = make_pattern("js", "[$$$A, 5, $$$B]", "[]").expect("a pattern");
    let list = format!("[{}]", "1,5,".repeat(30_000));
    assert!(matches!(wide.find_splices(list.as_bytes(), &cancel), Err(PatternFileError::TooComplex(_))));
    let grown = make_pattern("py", "f($A)", &"$A".repeat(1_000)).expect("a pattern");
    let large = format!("f('{}')", "x".repeat(100_000));
    assert_eq!(grown.find_splices(large.as_bytes(), &cancel), Err(PatternFileError::TooLarge));
    let none = PatternGrammar { parse: Arc::new(|_| None), ..grammar_of("py") };
    let blind = PatternEdit::new(pattern_language("py").expect("known"), none, "f($A)", "g");
    assert!(matches!(blind, Err(PatternError::Unusable { .. })));
    cancel.cancel();
    assert_eq!(edit.find_splices(b"f(1, 1)", &cancel), Err(PatternFileError::Stopped(Stopped::Cancelled)));
}

#[test]
fn a_tree_as_deep_as_is_allowed_does_not_end_the_stack() {
    let edit = make_pattern("py", "f($A, $A)", "g").expect("a pattern");
    let deep = format!("f({0}1{1}, {0}1{1})", "(".repeat(980), ")".repeat(980));
    assert_eq!(edit.find_splices(deep.as_bytes(), &CancelToken::default()).map(|found| found.len()), Ok(1));
    let deepest = format!("{}1{}", "(".repeat(90), ")".repeat(90));
    assert_eq!(edit_source("py", &deepest, &deepest, "2"), "2");
}

#[test]
fn no_text_panics() {
    let texts = [
        "",
        "$",
        "$$$",
        "µ",
        "𐀀A",
        "\u{feff}a",
        "f($$$",
        "`",
        "<?php",
        "\"",
        "{$A}",
        "a;b",
        "#",
        "/*",
        "$A",
        "é($A)",
    ];
    for id in LANGUAGES.iter().map(|row| row.id) {
        for find in texts {
            let Ok(edit) = make_pattern(id, find, "x") else { continue };
            for source in texts {
                let splices =
                    edit.find_splices(source.as_bytes(), &CancelToken::default()).unwrap_or_default();
                assert!(apply_splices(source.as_bytes(), &splices).is_ok(), "{id}: `{find}` in `{source}`");
            }
        }
    }
}
