//! Tests the meanings of targets on small maps.

use std::sync::Arc;

use hob_base::{AbsPath, FileId, WsPath};
use hob_map::graph::{MapChange, NodeRef};
use hob_map::{Map, extract, language_of};

use super::look::{LookupContext, TargetMeaning};
use super::{Paths, handle};

const PROJECT: &[(&str, &str)] = &[
    (
        "app/session.py",
        "import os\n\nclass Session:\n    def refresh(self):\n        pass\n\n    def close(self): pass\n\ndef run():\n    pass\n",
    ),
    ("app/other.py", "class Other:\n    def refresh(self):\n        pass\n\ndef helper(): pass\n"),
    (
        "app/heirs.py",
        "from app.session import Session\n\nclass Heir(Session):\n    pass\n\nclass Grandchild(Heir):\n    pass\n",
    ),
    ("tests/test_helper.py", "def helper(): pass\n"),
    (
        "src/hono.ts",
        "export class Hono {\n  #path = '/'\n  #handleError(err: Error) { return err }\n  get(a: string) { return this.#handleError(new Error(a)) }\n}\nexport const a = 1, b = 2\n",
    ),
    (
        "core/my-lib/src/document.rs",
        "pub struct Document;\nimpl Document {\n    pub fn apply(&self) {}\n}\npub mod inner {\n    pub fn apply() {}\n}\n",
    ),
    ("docs/guide.md", "# Guide\n\n## Set up: first steps\n\nText.\n"),
];

fn map() -> Map {
    let mut map = Map::new();
    let change = |(at, (path, text)): (usize, &(&str, &str))| {
        let path = WsPath::new(path).expect("a relative path");
        let lang = language_of(path.file_name(), text.as_bytes()).expect("a known language");
        let facts = Arc::new(extract(lang, path.file_name(), text.as_bytes()));
        MapChange::Set { file: FileId(u32::try_from(at).expect("few")), path, facts }
    };
    map.apply(PROJECT.iter().enumerate().map(change).collect());
    map
}

fn looked_up(map: &Map, folder: &str, text: &str) -> TargetMeaning {
    let root = AbsPath::new(if cfg!(windows) { "C:\\p" } else { "/p" }).expect("absolute");
    let folder = root.join(folder);
    let paths = Paths { root: &root, folder: &folder, folder_first: true };
    LookupContext { map, paths, shows: &|_| false }.up(text)
}

/// Returns the ID that a text means, with its note.
fn meant(map: &Map, text: &str) -> (String, String) {
    match looked_up(map, "", text) {
        TargetMeaning::One(meant) => (map.id(meant.node).to_string(), meant.note.unwrap_or_default()),
        other => (format!("{other:?}"), String::new()),
    }
}

#[test]
fn every_form_means_what_it_says() {
    let map = map();
    let refresh = "py:app/session.py#Session.refresh";
    let handle = "ts:src/hono.ts#Hono.%23handleError";
    let apply = "rs:core/my-lib/src/document.rs#Document.apply";
    for (text, id) in [
        (refresh, refresh),
        ("sym:py:app/session.py#Session.refresh", refresh),
        ("Session.refresh", refresh),
        ("Session::refresh", refresh),
        ("Session#refresh", refresh),
        ("`Session.refresh()`", refresh),
        ("app.session.Session.refresh", refresh),
        ("app/session.py#Session.refresh", refresh),
        ("app/session.py#refresh", refresh),
        ("./app/session.py#refresh", refresh),
        ("session.py#refresh", refresh),
        ("app/session.py:4", refresh),
        ("app/session.py:4:9", refresh),
        ("app/session.py:4:", refresh),
        ("app/session.py#L4", refresh),
        ("app/session.py:4-5", refresh),
        ("session.py:4", refresh),
        ("app/session.py:4 Session.refresh method", refresh),
        ("app/session.py", "py:app/session.py"),
        ("session.py", "py:app/session.py"),
        ("app.session", "py:app/session.py"),
        ("my_lib::document", "rs:core/my-lib/src/document.rs"),
        ("app/session", "py:app/session.py"),
        ("Hono.#handleError", handle),
        ("Hono#handleError", handle),
        ("#handleError", handle),
        ("src/hono.ts#Hono.#handleError", handle),
        ("src/hono.ts#Hono.%23handleError", handle),
        ("hono.ts#handleError", handle),
        ("Document::apply", apply),
        ("my_lib::document::Document::apply", apply),
        ("crate::document::Document::apply", apply),
        ("inner::apply", "rs:core/my-lib/src/document.rs#inner.apply"),
        ("docs/guide.md#Set up: first steps", "md:docs/guide.md#Guide/Set up: first steps"),
        ("src/hono.ts:6:21", "ts:src/hono.ts#b"),
    ] {
        assert_eq!(meant(&map, text), (id.to_owned(), String::new()), "{text}");
    }
}

#[test]
fn what_is_not_plainly_said_comes_with_a_note() {
    let map = map();
    for (text, id, note) in [
        (
            "app/session.py:5",
            "py:app/session.py#Session.refresh",
            "app/session.py:5 is in app/session.py:4 Session.refresh",
        ),
        ("app/session.py:1", "py:app/session.py", "No definition is around app/session.py:1"),
        ("handleError", "ts:src/hono.ts#Hono.%23handleError", "is taken for"),
        ("Hono.handleError", "ts:src/hono.ts#Hono.%23handleError", "is taken for"),
        ("helper", "py:app/other.py#helper", "one other is in tests"),
        ("Grandchild.close", "py:app/session.py#Session.close", "`Grandchild.close` is inherited"),
    ] {
        let (found, said) = meant(&map, text);
        assert_eq!(found, id, "{text}");
        assert!(said.contains(note), "{text}: {said}");
    }
}

#[test]
fn names_that_several_have_are_several_and_none_is_none() {
    let map = map();
    for (text, count) in [("refresh", 2), ("src/hono.ts:6", 2), ("apply", 2)] {
        let TargetMeaning::Several(nodes) = looked_up(&map, "", text) else { panic!("{text}: one") };
        assert_eq!(nodes.len(), count, "{text}");
    }
    for text in ["nobody", "app/session.py#nobody", "gone.py:3", "py:app/session.py#Gone", "", ".", "#", "::"]
    {
        assert_eq!(looked_up(&map, "", text), TargetMeaning::Nothing, "{text}");
    }
}

#[test]
fn paths_are_read_from_where_the_caller_stands() {
    let map = map();
    let file = |folder: &str, text: &str| match looked_up(&map, folder, text) {
        TargetMeaning::One(meant) => map.id(meant.node).to_string(),
        other => format!("{other:?}"),
    };
    assert_eq!(file("app", "session.py:4"), "py:app/session.py#Session.refresh");
    assert_eq!(file("app", "../src/hono.ts"), "ts:src/hono.ts");
    assert_eq!(file("app", "src/hono.ts"), "ts:src/hono.ts");
    let absolute =
        AbsPath::new(if cfg!(windows) { "C:\\p" } else { "/p" }).expect("absolute").join("app/other.py");
    assert_eq!(file("docs", &absolute.to_string()), "py:app/other.py");
}

/// Every handle that an answer prints of a node leads back to that node.
#[test]
fn every_printed_handle_leads_back() {
    let map = map();
    let mut handles = 0;
    for (_, file) in map.mapped_files() {
        let defs = map.defs_of(file).into_iter().map(NodeRef::Def);
        for node in std::iter::once(NodeRef::File(file)).chain(defs) {
            let info = map.info(node).expect("it is there");
            let id = info.id.to_string();
            let mut printed = vec![id.clone(), format!("sym:{id}"), handle(&map, node)];
            if let Some(path) = info.path.as_ref().filter(|_| !info.qualified.is_empty()) {
                printed.push(format!("{path}#{}", info.qualified));
                printed.push(format!("{path}:{}:{}", info.name_at.0, info.name_at.1));
            }
            for text in printed {
                let TargetMeaning::One(meant) = looked_up(&map, "", &text) else {
                    panic!("{text} does not lead back to {id}")
                };
                assert_eq!(map.id(meant.node).to_string(), id, "{text}");
                handles += 1;
            }
        }
    }
    assert!(handles > 60, "{handles}");
}
