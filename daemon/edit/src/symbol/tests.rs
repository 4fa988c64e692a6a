//! Tests edits of whole definitions as agents use them.
//!
//! `«` and `»` stand around the definition's bytes, as the map has them.

use SymbolOperation::{Delete, InsertAfter, InsertBefore, Replace};

use super::*;
use crate::apply_splices;

#[track_caller]
fn edit_or_panic(language: &str, marked: &str, operation: SymbolOperation<'_>) -> String {
    try_edit(language, marked, operation).unwrap_or_else(|error| panic!("{error}"))
}

fn try_edit(language: &str, marked: &str, operation: SymbolOperation<'_>) -> Result<String, SymbolEditError> {
    let start = marked.find('«').expect("a beginning");
    let end = marked.find('»').expect("an end") - '«'.len_utf8();
    let text = marked.replace(['«', '»'], "");
    let splices = edit_symbol(text.as_bytes(), &SymbolPlace { bytes: start..end, language }, operation)?;
    let after = apply_splices(text.as_bytes(), &splices).expect("they fit");
    Ok(String::from_utf8(after).expect("text"))
}

const CLASS: &str = "\
class A:
    def one(self):
        return 1

    # Two, mostly.
    «@cached
    def two(self):
        return 2»

    def three(self):
        return 3


def last():
    pass
";

#[test]
fn a_definition_is_replaced_in_its_indentation() {
    let flush = "def two(self):\n    if True:\n        return 22\n";
    let wanted =
        "    # Two, mostly.\n    def two(self):\n        if True:\n            return 22\n\n    def three";
    let given = [
        flush.to_owned(),
        "\n    def two(self):\n        if True:\n            return 22\n\n".to_owned(),
        "def two(self):\n        if True:\n            return 22".to_owned(),
    ];
    for source in given {
        let after = edit_or_panic("py", CLASS, Replace(&source));
        assert!(after.contains(wanted), "{source}\n---\n{after}");
        assert_eq!(after.lines().count(), CLASS.lines().count());
    }
}

#[test]
fn a_definition_as_it_is_read_changes_nothing() {
    let decorated = "@cached\n    def two(self):\n        return 2";
    assert_eq!(try_edit("py", CLASS, Replace(decorated)), Err(SymbolEditError::NothingChanges));
    let variant = "enum E {\n    «#[a]\n    B»,\n}\n";
    assert_eq!(try_edit("rs", variant, Replace("#[a]\n    B")), Err(SymbolEditError::NothingChanges));
    assert_eq!(try_edit("rs", variant, Replace("    #[a]\n    B,\n")), Err(SymbolEditError::NothingChanges));
}

#[test]
fn a_comment_is_replaced_only_by_another() {
    let after = edit_or_panic("py", CLASS, Replace("# Two, always.\ndef two(self):\n    return 2"));
    assert!(
        after.contains("return 1\n\n    # Two, always.\n    def two(self):\n        return 2\n\n"),
        "{after}"
    );
    let rust = "mod a {\n    /// Old.\n    «#[inline]\n    fn f() {}»\n}\n";
    assert_eq!(
        edit_or_panic("rs", rust, Replace("/// New.\nfn f() {\n    g();\n}")),
        "mod a {\n    /// New.\n    fn f() {\n        g();\n    }\n}\n"
    );
    let copied = "fn f() {\n        g();\n    }";
    assert_eq!(
        edit_or_panic("rs", rust, Replace(copied)),
        "mod a {\n    /// Old.\n    fn f() {\n        g();\n    }\n}\n"
    );
}

#[test]
fn what_is_inserted_keeps_the_distance_of_its_neighbours() {
    let new = "def new(self):\n    pass\n";
    let after = edit_or_panic("py", CLASS, InsertBefore(new));
    assert!(
        after.contains("return 1\n\n    def new(self):\n        pass\n\n    # Two, mostly.\n    @cached"),
        "{after}"
    );
    let after = edit_or_panic("py", CLASS, InsertAfter(new));
    assert!(after.contains("return 2\n\n    def new(self):\n        pass\n\n    def three"), "{after}");
    let top = "import a\n\n\n«def f():\n    pass»\n";
    assert_eq!(
        edit_or_panic("py", top, InsertAfter("X = 1")),
        "import a\n\n\ndef f():\n    pass\n\n\nX = 1\n"
    );
    let fields = "struct S {\n    a: u8,\n    «b: u8»,\n}\n";
    assert_eq!(
        edit_or_panic("rs", fields, InsertAfter("c: u8,")),
        "struct S {\n    a: u8,\n    b: u8,\n    c: u8,\n}\n"
    );
    assert_eq!(
        edit_or_panic("rs", fields, InsertBefore("c: u8,")),
        "struct S {\n    a: u8,\n    c: u8,\n    b: u8,\n}\n"
    );
    let alone = "class A {\n  «f() {\n    return 1;\n  }»\n}\n";
    assert_eq!(
        edit_or_panic("ts", alone, InsertAfter("g() {\n  return 2;\n}")),
        "class A {\n  f() {\n    return 1;\n  }\n\n  g() {\n    return 2;\n  }\n}\n"
    );
}

#[test]
fn the_end_of_a_file_stays_as_it_was() {
    assert_eq!(
        edit_or_panic("go", "func f() {}\n\n«func g() {}»", InsertAfter("func h() {}")),
        "func f() {}\n\nfunc g() {}\n\nfunc h() {}"
    );
    assert_eq!(edit_or_panic("go", "func f() {}\n\n«func g() {}»", Delete), "func f() {}");
    assert_eq!(edit_or_panic("go", "func f() {}\n\n«func g() {}»\n", Delete), "func f() {}\n");
    assert_eq!(edit_or_panic("go", "«func g() {}»\n", Delete), "");
    assert_eq!(edit_or_panic("go", "«func g() {}»", Delete), "");
    assert_eq!(
        edit_or_panic("go", "\u{feff}«func g() {}»\n\nfunc h() {}\n", Delete),
        "\u{feff}func h() {}\n"
    );
}

#[test]
fn what_is_deleted_leaves_no_gap() {
    let after = edit_or_panic("py", CLASS, Delete);
    assert!(after.contains("return 1\n\n    def three(self)"), "{after}");
    let last = CLASS
        .replace(['«', '»'], "")
        .replace("def three(self):\n        return 3", "«def three(self):\n        return 3»");
    let after = edit_or_panic("py", &last, Delete);
    assert!(after.contains("return 2\n\n\ndef last()"), "{after}");
    let first = CLASS
        .replace(['«', '»'], "")
        .replace("def one(self):\n        return 1", "«def one(self):\n        return 1»");
    let after = edit_or_panic("py", &first, Delete);
    assert!(after.starts_with("class A:\n    # Two"), "{after}");
    let alone = "impl S {\n    /// Says.\n    «fn f() {}» // really\n\n}\n";
    assert_eq!(edit_or_panic("rs", alone, Delete), "impl S {\n}\n");
    let doc = "/**\n * Says.\n */\n«export function f() {}»\n\n\nconst x = 1;\n";
    assert_eq!(edit_or_panic("ts", doc, Delete), "const x = 1;\n");
    let fields = "struct S {\n    a: u8,\n    «b: u8»,\n    c: u8,\n}\n";
    assert_eq!(edit_or_panic("rs", fields, Delete), "struct S {\n    a: u8,\n    c: u8,\n}\n");
}

#[test]
fn a_block_of_python_is_never_left_empty() {
    let only = "class A(\n        B):\n    # A comment is no statement.\n\n    «def f(self):\n        pass»\n\n\nx = 1\n";
    assert_eq!(
        edit_or_panic("py", only, Delete),
        "class A(\n        B):\n    # A comment is no statement.\n\n    pass\n\n\nx = 1\n"
    );
    let documented = "class A:\n    \"\"\"Says.\"\"\"\n\n    «def f(self):\n        pass»\n";
    assert_eq!(edit_or_panic("py", documented, Delete), "class A:\n    \"\"\"Says.\"\"\"\n");
    let branch = "if a:\n    «def f(): pass»\nelse:\n    f = None\n";
    assert_eq!(edit_or_panic("py", branch, Delete), "if a:\n    pass\nelse:\n    f = None\n");
}

#[test]
fn code_beside_a_definition_is_not_taken_with_it() {
    let shared = try_edit("js", "let «a = 1», b = 2;\n", Delete).expect_err("it must be refused");
    assert_eq!(
        shared.to_string(),
        "the definition shares line 1 with other code (`let a = 1, b = 2;`), so it cannot be taken out as a whole; use edit_text"
    );
    assert!(try_edit("js", "«f() {}» g() {}\n", Delete).is_err());
    assert!(try_edit("py", "class A: «x = 1»\n", Delete).is_err());
    assert_eq!(
        try_edit("ts", "const a = (b) =>\n  «function f() {}»;\n", Delete),
        Err(SymbolEditError::IsValue(1))
    );
    assert_eq!(
        edit_or_panic("js", "export «const a = 1»;\n", Replace("const a = 2;")),
        "export const a = 2;\n"
    );
}

#[test]
fn line_endings_and_tabs_are_the_files() {
    let go = "type T struct{}\r\n\r\n«func (t T) F() {\r\n\treturn\r\n}»\r\n";
    assert_eq!(
        edit_or_panic("go", go, InsertAfter("func (t T) G() {\n    if a {\n        b()\n    }\n}\n")),
        "type T struct{}\r\n\r\nfunc (t T) F() {\r\n\treturn\r\n}\r\n\r\nfunc (t T) G() {\r\n\tif a {\r\n\t\tb()\r\n\t}\r\n}\r\n"
    );
    let blanks = "class A {\n  «f() {\n    return 1;\n  }»\n}\n";
    assert_eq!(
        edit_or_panic("ts", blanks, Replace("f() {\n\tif (a) {\n\t\treturn 2;\n\t}\n}")),
        "class A {\n  f() {\n    if (a) {\n      return 2;\n    }\n  }\n}\n"
    );
    assert_eq!(edit_or_panic("go", go, Delete), "type T struct{}\r\n");
}

#[test]
fn what_makes_no_sense_is_refused_in_words() {
    assert_eq!(try_edit("py", CLASS, Replace(" \n")), Err(SymbolEditError::EmptySource));
    assert_eq!(
        try_edit("go", "«func f() {}»\n", Replace("func f() {}")),
        Err(SymbolEditError::NothingChanges)
    );
    let place = |bytes| SymbolPlace { bytes, language: "py" };
    assert!(matches!(edit_symbol("é".as_bytes(), &place(0..1), Delete), Err(SymbolEditError::Stale(_))));
    assert!(matches!(edit_symbol(b"a", &place(0..9), Delete), Err(SymbolEditError::Stale(_))));
    assert!(matches!(edit_symbol(b"a", &place(1..1), Delete), Err(SymbolEditError::Stale(_))));
    assert_eq!(edit_symbol(b"\xff", &place(0..1), Delete), Err(SymbolEditError::NotUtf8));
    let cell = "{\"source\": [\"«def f(): ...»\"]}";
    assert_eq!(try_edit("ipynb", cell, Delete), Err(SymbolEditError::InStrings));
}

#[test]
fn no_range_of_any_text_panics() {
    let texts =
        ["\u{feff}\r\n", "/**/a*/\n", "*/a", "#\n\n#\na:", "\ta {\r\n\r\n}\r", "--[[\na\n]]\nb", "é «»"];
    for text in texts {
        for start in 0..=text.len() {
            for end in start..=text.len() {
                for language in ["py", "rs", "lua"] {
                    for operation in [Delete, Replace("\r\nb\n"), InsertAfter("\tb"), InsertBefore("{\n}")] {
                        let place = SymbolPlace { bytes: start..end, language };
                        let Ok(splices) = edit_symbol(text.as_bytes(), &place, operation) else { continue };
                        let after = apply_splices(text.as_bytes(), &splices).expect("they fit");
                        assert!(String::from_utf8(after).is_ok());
                    }
                }
            }
        }
    }
}
