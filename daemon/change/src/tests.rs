//! Tests on strings: two sides in, changes of symbols out.

use std::sync::Arc;

use hob_base::WsPath;
use hob_map::{extract, language_of};

use super::*;

fn side(path: &str, text: &str) -> FileSide {
    let path = WsPath::new(path).expect("a path");
    let lang = language_of(path.file_name(), text.as_bytes()).expect("a language");
    let facts = Arc::new(extract(lang, path.file_name(), text.as_bytes()));
    FileSide { path, bytes: text.as_bytes().into(), facts }
}

fn pair(path: &str, before: &str, after: &str) -> FilePair {
    FilePair { before: Some(side(path, before)), after: Some(side(path, after)) }
}

fn gone(path: &str, text: &str) -> FilePair {
    FilePair { before: Some(side(path, text)), after: None }
}

fn new(path: &str, text: &str) -> FilePair {
    FilePair { before: None, after: Some(side(path, text)) }
}

/// Formats each change as `fate was -> name: parts`.
fn told(pairs: &[FilePair]) -> Vec<String> {
    let place = |place: &SymbolPlace| format!("{}#{}", place.path, place.qualified);
    let tell = |change: &SymbolChange| {
        let was =
            change.before.as_ref().filter(|_| matches!(change.fate, SymbolFate::Renamed | SymbolFate::Moved));
        let was = was.map(|was| format!("{} -> ", place(was))).unwrap_or_default();
        let parts = change.parts.words().join("+");
        let parts = if parts.is_empty() { String::new() } else { format!(": {parts}") };
        let within = if change.within.is_some() { " (within)" } else { "" };
        format!("{} {was}{}{parts}{within}", change.fate.as_str(), place(change.place()))
    };
    compare_files(pairs).symbols.iter().map(tell).collect()
}

#[track_caller]
fn check_pair(path: &str, before: &str, after: &str, expected: &[&str]) {
    assert_eq!(told(&[pair(path, before, after)]), expected, "{before}\n---\n{after}");
}

const LONG: &str =
    "    total = 0\n    for item in items:\n        total += item.price * item.count\n    return total\n";

#[test]
fn the_parts_of_a_change_are_told_apart() {
    let before = "def f(a):\n    \"\"\"Adds one.\"\"\"\n    return a + 1\n";
    let changed = |from: &str, to: &str| before.replace(from, to);
    check_pair("a.py", before, before, &[]);
    check_pair("a.py", before, &changed("(a)", "(a, b=2)"), &["changed a.py#f: signature"]);
    check_pair("a.py", before, &changed("a + 1", "a + 2"), &["changed a.py#f: body"]);
    check_pair("a.py", before, &changed("Adds one", "Adds 1"), &["changed a.py#f: docs"]);
    check_pair("a.py", before, &changed("a + 1", "a + 1  # one more"), &["changed a.py#f: docs"]);
    check_pair(
        "a.py",
        before,
        &changed("(a)", "(b)").replace("a + 1", "b"),
        &["changed a.py#f: signature+body"],
    );
    check_pair("a.py", before, &format!("@cached\n{before}"), &["changed a.py#f: signature"]);
    check_pair("a.py", before, &changed("+ 1", "+ ' '"), &["changed a.py#f: body"]);
    check_pair(
        "a.py",
        "def f():\n    return '# a'\n",
        "def f():\n    return '# b'\n",
        &["changed a.py#f: body"],
    );
}

#[test]
fn comments_above_a_definition_are_its_documentation() {
    let before = "/// Adds one.\npub fn f(a: u8) -> u8 {\n    a + 1\n}\n";
    check_pair("a.rs", before, &before.replace("one", "1"), &["changed a.rs#f: docs"]);
    check_pair("a.rs", before, &before.replace("pub ", ""), &["changed a.rs#f: signature"]);
    let typed = "/**\n * Adds.\n */\nexport function f(a: number) {\n  return a;\n}\n";
    check_pair("a.ts", typed, &typed.replace("Adds", "Counts"), &["changed a.ts#f: docs"]);
    check_pair("a.ts", typed, &typed.replace("export ", ""), &["changed a.ts#f: signature"]);
}

#[test]
fn a_class_changes_by_its_own_text_alone() {
    let before = "class A(B):\n    def f(self):\n        return 1\n\n    def g(self):\n        return 2\n";
    check_pair("a.py", before, &before.replace("return 1", "return 3"), &["changed a.py#A.f: body"]);
    check_pair("a.py", before, &before.replace("(B)", "(C)"), &["changed a.py#A: signature"]);
    let more = format!("{before}\n    def h(self):\n        return 3\n");
    check_pair("a.py", before, &more, &["added a.py#A.h"]);
    check_pair("a.py", &more, before, &["removed a.py#A.h"]);
    check_pair("a.py", "", before, &["added a.py#A", "added a.py#A.f (within)", "added a.py#A.g (within)"]);
    let variants = ["enum E { A, B }\n", "enum E { A, B, C }\n"];
    check_pair("a.rs", variants[0], variants[1], &["added a.rs#E.C"]);
}

#[test]
fn a_string_below_a_field_documents_it() {
    let before = "class A:\n    size: int = 1\n    \"\"\"How large it is.\"\"\"\n\n    def f(self):\n        return 1\n";
    check_pair("a.py", before, &before.replace("How large", "So large"), &["changed a.py#A: docs"]);
    check_pair("a.py", before, &before.replace("= 1", "= 2"), &["changed a.py#A.size: signature"]);
    let text = "x = f(\n    \"\"\"one\"\"\"\n)\n";
    let pairs = [pair(
        "a.py",
        &format!("def g():\n    {text}"),
        &format!("def g():\n    {}", text.replace("one", "two")),
    )];
    assert_eq!(told(&pairs), ["changed a.py#g: body"]);
}

#[test]
fn a_rename_keeps_the_text_and_a_move_the_name() {
    let first = format!("def total(items):\n{LONG}");
    let second = format!("def amount(items):\n{LONG}");
    check_pair("a.py", &first, &second, &["renamed a.py#total -> a.py#amount"]);
    let both = [pair("a.py", &first, "x = 1\n"), pair("b.py", "y = 1\n", &first)];
    let moved = told(&both);
    assert!(moved.contains(&"moved a.py#total -> b.py#total".to_owned()), "{moved:?}");
    let other = "def other(items):\n    return [item.name for item in items if item.price > 3]\n";
    check_pair("a.py", &first, other, &["removed a.py#total", "added a.py#other"]);
    // Too short to identify a symbol, unless there is no other symbol.
    check_pair("a.py", "def f(): pass\n", "def g(): pass\n", &["renamed a.py#f -> a.py#g"]);
    check_pair(
        "a.py",
        "def f(): pass\n\n\ndef h(): pass\n",
        "def g(): pass\n\n\ndef i(): pass\n",
        &["removed a.py#f", "added a.py#g", "removed a.py#h", "added a.py#i"],
    );
}

#[test]
fn a_short_function_is_known_by_its_header_and_the_words_of_its_name() {
    let function = |name: &str, constant: &str| {
        format!(
            "fn {name}(cores: usize) -> usize {{\n    const {constant}: usize = 9;\n    {constant}.min(cores)\n}}\n"
        )
    };
    let before = function("gen_shared_size", "MAX_SHARED");
    let renamed = [
        "renamed a.rs#gen_shared_size -> a.rs#gen_sharded_size: body",
        "renamed a.rs#gen_shared_size.MAX_SHARED -> a.rs#gen_sharded_size.MAX_SHARDED",
    ];
    check_pair("a.rs", &before, &function("gen_sharded_size", "MAX_SHARDED"), &renamed);
    let other = [
        "removed a.rs#gen_shared_size",
        "added a.rs#workers",
        "removed a.rs#gen_shared_size.MAX_SHARED (within)",
        "added a.rs#workers.MAX_SHARDED (within)",
    ];
    check_pair("a.rs", &before, &function("workers", "MAX_SHARDED"), &other);
}

#[test]
fn members_follow_a_renamed_class() {
    let class = |name: &str, body: &str| {
        format!(
            "class {name}:\n    def total(self, items):\n{}\n    def g(self):\n        return {body}\n",
            LONG.replace("\n", "\n    ").replacen("    ", "        ", 1)
        )
    };
    check_pair(
        "a.py",
        &class("Cart", "1"),
        &class("Basket", "2"),
        &[
            "renamed a.py#Cart -> a.py#Basket",
            "moved a.py#Cart.total -> a.py#Basket.total (within)",
            "moved a.py#Cart.g -> a.py#Basket.g: body (within)",
        ],
    );
}

#[test]
fn a_file_that_moved_is_one_file() {
    let text = format!("import os\n\n\ndef total(items):\n{LONG}");
    let pairs = [gone("old/a.py", &text), new("new/b.py", &text.replace("import os", "import re"))];
    assert_eq!(told(&pairs), ["moved old/a.py#total -> new/b.py#total"]);
    let files = compare_files(&pairs).files;
    assert_eq!(files.len(), 1, "{files:?}");
    assert_eq!(files[0].was.as_ref().map(WsPath::as_str), Some("old/a.py"));
    assert!(files[0].outside, "the import differs");
}

#[test]
fn an_overload_more_is_one_new_symbol() {
    let method = |kind: &str| format!("    int add({kind} x) {{ return {kind}.one + two(x); }}\n");
    let class = |kinds: &[&str]| {
        format!("class A {{\n{}}}\n", kinds.iter().map(|kind| method(kind)).collect::<String>())
    };
    check_pair(
        "A.java",
        &class(&["Integer", "Text"]),
        &class(&["Long", "Integer", "Text"]),
        &["added A.java#A.add"],
    );
}

#[test]
fn broken_text_is_compared_all_the_same() {
    let _ = told(&[pair("a.py", "def f(:\n  '''", "class (\n")]);
    let short = "def f():\n    return 'é' + \"→\" + '\n";
    check_pair("a.py", short, &short.replace('é', "→"), &["changed a.py#f: body"]);
    let latin = |word: &[u8]| {
        let bytes = [b"# \xe9\ndef f():\n    return '".as_slice(), word, b"'\n"].concat();
        let facts = Arc::new(extract(language_of("a.py", &bytes).expect("a language"), "a.py", &bytes));
        FileSide { path: WsPath::new("a.py").expect("a path"), bytes: bytes.into(), facts }
    };
    let pair = FilePair { before: Some(latin(b"caf\xe9")), after: Some(latin(b"cafe\xe9")) };
    assert_eq!(told(&[pair]), ["changed a.py#f: body"]);
}

#[test]
fn arguments_are_counted_against_parameters() {
    let arity = |signature: &str, name: &str| Arity::of_signature(signature, name).map(|a| (a.least, a.most));
    assert_eq!(arity("def f(self, a, b=1, *, c=2)", "f"), Some((1, Some(3))));
    assert_eq!(arity("def f(a, *args, **more)", "f"), Some((1, None)));
    assert_eq!(arity("pub fn f(&mut self, a: HashMap<u8, u8>, b: [u8; 2]) -> u8", "f"), Some((2, Some(2))));
    assert_eq!(arity("function f(a: number, b?: (x: A, y: B) => void)", "f"), Some((1, Some(2))));
    assert_eq!(arity("func (s *Store) Open(path string, more ...int) error", "Open"), Some((1, None)));
    assert_eq!(arity("class A", "A"), None);
    assert_eq!(
        arity("pub(super) fn f<T: Into<u8>>(a: impl Fn(T) -> T, b: usize) -> (T, T)", "f"),
        Some((2, Some(2)))
    );
    assert_eq!(arity("const f = async (a, b = 1) =>", "f"), Some((1, Some(2))));
    assert_eq!(arity("def f a, b", "f"), None);
    let calls = |text: &str| count_arguments(text, "f");
    assert_eq!(calls("x = f(1, g(2, 3), [4, 5], 'a, b') + f()"), [Some(4), Some(0)]);
    assert_eq!(calls("f(\n    a,\n    b,\n)\nf()"), [Some(2)]);
    assert_eq!(calls("f(*args); f(...more); def f(a): pass; of(1)"), [None, None]);
    assert_eq!(calls("f(a < b, c > d)"), [Some(2)]);
    let two = Arity { least: 1, most: Some(2) };
    assert!(two.takes(1) && two.takes(2) && !two.takes(0) && !two.takes(3));
}

const DIFF: &str = "diff --git a/a.py b/a.py\nindex 1..2 100644\n--- a/a.py\n+++ b/a.py\n@@ -1,3 +1,3 @@\n def f():\n-    return 1\n+    return 2\n \n\
                    diff --git a/new.py b/new.py\nnew file mode 100644\n--- /dev/null\n+++ b/new.py\n@@ -0,0 +1 @@\n+x = 1\n";

#[test]
fn a_diff_applies_forwards_and_backwards() {
    let files = parse_diff(DIFF).expect("a diff");
    assert_eq!(files.len(), 2);
    let (before, after) = ("def f():\n    return 1\n\ny = 1\n", "def f():\n    return 2\n\ny = 1\n");
    assert_eq!(files[0].apply(before).as_deref(), Some(after));
    assert_eq!(files[0].revert(after).as_deref(), Some(before));
    assert_eq!(files[0].apply(after), None);
    assert_eq!(
        files[0].apply(&format!("import os\n{before}")),
        Some(format!("import os\n{after}")),
        "further down"
    );
    assert_eq!((files[1].before.as_ref(), files[1].apply("").as_deref()), (None, Some("x = 1\n")));
}

#[test]
fn a_text_that_is_no_diff_is_refused() {
    assert_eq!(parse_diff("hello"), Err(DiffError::NoFiles));
    assert!(matches!(parse_diff("--- a/x\n+++ b/x\n@@ -1,2 +1,2 @@\n a\n"), Err(DiffError::BadHunk { .. })));
    assert!(matches!(parse_diff("--- a/../x\n+++ b/../x\n"), Err(DiffError::BadPath { .. })));
    assert_eq!(parse_diff("@@ -1 +1 @@\n-a\n+b\n"), Err(DiffError::NoFiles));
}
