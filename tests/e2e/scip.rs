//! Tests SCIP indexes: an imported one answers if there is no language server, exactly as long as files have the
//! indexed contents. The exported map can be read by the parser of SCIP's own library, and by hob.
//!
//! The indexes of small trees are made here, with the writer that exports use. scip-typescript serves to show that the
//! indexes of real indexers are accepted; the expected answers are taken from its own bytes.

use std::fs;
use std::path::PathBuf;

use hob_scip::{
    ColumnUnit, IndexHead, IndexPart, IndexWriter, ScipError, SourceDocument, SourceName, SourceSpan,
    WrittenSymbol, is_valid_symbol, read_index,
};
use hob_tests::{Answer, Mcp, Tree, World, outside};
use serde_json::{Value, json};

const SHOP: &str = "\
//- /pyproject.toml
[project]
name = \"shop\"
//- /cart.py
class Cart:
    def total(self):
        return 1
//- /pay.py
def pay(cart):
    \u{1F600} = cart.total()
    return cart.total()
//- /late.py
def late(cart):
    return cart.total()
";

/// A name in a test: its line and columns from 1 in characters, its symbol, and true if it is defined there.
type Named<'n> = (u32, u32, u32, &'n str, bool);

/// The names that a compiler would find in the shop. The map cannot know whose method is called.
const CART: &[Named<'_>] =
    &[(1, 7, 11, "x py shop . Cart#", true), (2, 9, 14, "x py shop . Cart#total().", true)];
const PAY: &[Named<'_>] =
    &[(2, 14, 19, "x py shop . Cart#total().", false), (3, 17, 22, "x py shop . Cart#total().", false)];

fn document(path: &str, names: &[Named<'_>]) -> SourceDocument {
    let name = |(line, col, end, symbol, is_definition): &Named<'_>| SourceName {
        span: SourceSpan { line: line - 1, col: col - 1, end_line: line - 1, end_col: end - 1 },
        symbol: (*symbol).to_owned(),
        is_definition: *is_definition,
        is_import: false,
        lines: None,
    };
    SourceDocument {
        path: path.to_owned(),
        language: "Python".to_owned(),
        text: None,
        unit: ColumnUnit::Utf32,
        names: names.iter().map(name).collect(),
        relations: Vec::new(),
    }
}

/// Writes an index of documents next to a tree, with this root.
fn write_index(world: &World, root: &str, documents: Vec<SourceDocument>) -> String {
    let head = IndexHead {
        tool: "scip-made".to_owned(),
        tool_version: "1".to_owned(),
        project_root: format!("file://{root}"),
    };
    let mut writer = IndexWriter::begin(Vec::new(), &head).expect("memory");
    for one in documents {
        writer.add_document(one, Vec::<WrittenSymbol>::new()).expect("memory");
    }
    let file = world.path("made.scip");
    fs::write(&file, writer.finish().expect("memory")).expect("written");
    file.to_str().expect("plain").to_owned()
}

/// Returns a world without language servers.
fn bare_world() -> World {
    World::new().env("PATH", "/usr/bin:/bin")
}

fn shop_index(world: &World, tree: &Tree) -> String {
    let root = tree.root().to_str().expect("plain");
    write_index(world, root, vec![document("cart.py", CART), document("pay.py", PAY)])
}

/// Returns the places as `file:line:col confidence`.
fn places(answer: &Answer) -> Vec<String> {
    let one = |at: &Value| {
        let text = |field: &str| at[field].as_str().unwrap_or_default().to_owned();
        format!("{}:{}:{} {}", text("file"), at["line"], at["col"], text("fromMap"))
    };
    answer.list("/locations").iter().map(one).collect()
}

fn ask(mcp: &mut Mcp, tool: &str, (file, line, col): (&str, u32, u32)) -> Answer {
    mcp.call(tool, json!({"file": file, "line": line, "col": col}))
}

/// Returns `believed of files` for the only index in `map_status`.
fn believed(mcp: &mut Mcp) -> String {
    let status = mcp.call("map_status", json!({}));
    let index = &status.ok()["indexes"][0];
    format!("{} {} of {}", index["name"].as_str().unwrap_or_default(), index["believed"], index["files"])
}

#[test]
fn an_index_is_believed_as_long_as_files_are_as_they_were() {
    let world = bare_world();
    let tree = world.tree(SHOP);
    let index = shop_index(&world, &tree);
    let told = world.hob(tree.root(), &["index", "import", &index]).success();
    assert!(told.starts_with("scip-made: 2 of 2 files believed; 4 names"), "{told}");

    let mut mcp = world.mcp(&tree);
    assert_eq!(believed(&mut mcp), "scip-made 2 of 2");
    let definition = ask(&mut mcp, "nav_definition", ("pay.py", 2, 16));
    assert_eq!(places(&definition), ["cart.py:2:9 scip"], "columns are UTF-16 here and characters there");
    assert_eq!(definition.ok()["source"], "scip");
    definition.says("An imported index answers instead");
    let references = ask(&mut mcp, "nav_references", ("cart.py", 2, 9));
    let all = places(&references);
    let (theirs, maps): (Vec<&String>, Vec<&String>) = all.iter().partition(|place| place.ends_with(" scip"));
    assert_eq!(theirs, ["pay.py:2:15 scip", "pay.py:3:17 scip"], "{references}");
    assert!(
        maps.iter().all(|place| place.starts_with("late.py:2:")),
        "the map adds what no index has{references}"
    );
    let callers = mcp.call("map_neighbors", json!({"nodeId": "py:cart.py#Cart.total", "direction": "in"}));
    let of = |id: &str| {
        callers.list("/neighbors").iter().find(|one| one["id"] == id).map(|one| &one["confidence"])
    };
    assert_eq!(of("py:pay.py#pay"), Some(&json!("scip")), "what the map guessed is sure{callers}");
    assert_ne!(of("py:late.py#late"), Some(&json!("scip")), "{callers}");

    // After one more byte the index no longer counts for the file; with the old contents all of it counts again.
    let before = tree.read("pay.py");
    tree.write("pay.py", format!("{before}\n"));
    let changed = ask(&mut mcp, "nav_references", ("cart.py", 2, 9));
    assert!(
        !places(&changed).iter().any(|place| place.contains("pay.py") && place.contains("scip")),
        "{changed}"
    );
    let definition = ask(&mut mcp, "nav_definition", ("pay.py", 3, 18));
    assert_ne!(definition.envelope["data"]["source"], "scip", "{definition}");
    assert_eq!(believed(&mut mcp), "scip-made 1 of 2");
    tree.write("pay.py", before);
    assert_eq!(places(&ask(&mut mcp, "nav_definition", ("pay.py", 3, 18))), ["cart.py:2:9 scip"]);
    drop(mcp);

    // The next daemon finds it again.
    world.stop();
    let mut mcp = world.mcp(&tree);
    assert_eq!(places(&ask(&mut mcp, "nav_definition", ("pay.py", 3, 18))), ["cart.py:2:9 scip"]);
    let refused = mcp.call("hob_index", json!({"action": "drop", "name": "scip-made"}));
    assert!(refused.error("BAD_ARGS")["hint"].to_string().contains("hob index"), "{refused}");
    drop(mcp);
    assert!(world.hob(tree.root(), &["index", "list"]).success().contains("2 of 2 files believed"));
    assert_eq!(world.hob(tree.root(), &["index", "drop", "scip-made"]).success(), "dropped scip-made\n");
    assert!(world.hob(tree.root(), &["index", "stats"]).success().contains("no index is imported"));
    assert!(
        world
            .hob(tree.root(), &["index", "drop", "scip-made"])
            .code(1)
            .stderr
            .contains("No index is imported")
    );
}

#[test]
fn an_index_that_is_of_something_else_is_refused_with_a_reason() {
    let world = bare_world();
    let tree = world.tree(SHOP);
    let root = tree.root().to_str().expect("plain").to_owned();
    let import =
        |file: &str, more: &[&str]| world.hob(tree.root(), &[&["index", "import", file], more].concat());
    let refused = |file: &str, reason: &str| {
        let said = import(file, &[]).code(1).stderr;
        assert!(said.contains(reason), "`{reason}` is not in {said}");
    };
    refused("nothing.scip", "cannot be read");
    refused("cart.py", "no SCIP index");
    refused(&root, "it is no file");
    let other = write_index(&world, "/no/such/project", vec![document("cart.py", CART)]);
    refused(&other, "/no/such/project");
    assert!(import(&other, &["--relocate"]).success().contains("1 of 1 file believed"));

    // Paths that lead outside, files that do not exist, positions that the file does not have.
    let strange = vec![
        document("../outside.py", CART),
        document("gone.py", CART),
        document("late.py", &[(99, 1, 5, "x py shop . late().", true)]),
    ];
    let strange = write_index(&world, &root, strange);
    let said = import(&strange, &[]).code(1).stderr;
    for reason in
        ["lead out of the project", "does not have or ignores", "places that the file does not have"]
    {
        assert!(said.contains(reason), "`{reason}` is not in {said}");
    }

    // A file that was written after the index counts only if the user says so, or if the index contains its text.
    let index = shop_index(&world, &tree);
    let long_ago = std::time::SystemTime::now() - std::time::Duration::from_secs(3600);
    fs::File::options().append(true).open(&index).expect("there").set_modified(long_ago).expect("a time");
    refused(&index, "written after the index");
    assert!(import(&index, &["--accept-newer"]).success().contains("2 of 2 files believed"));
    let with_text = |text: String| SourceDocument { text: Some(text), ..document("cart.py", CART) };
    let same = write_index(&world, &root, vec![with_text(tree.read("cart.py"))]);
    assert!(import(&same, &[]).success().contains("1 of 1 file believed"));
    let differs = write_index(&world, &root, vec![with_text("other\n".to_owned())]);
    refused(&differs, "another text");
}

/// Returns the head of an index file and all its documents.
fn documents_of(file: &std::path::Path) -> (IndexHead, Vec<SourceDocument>) {
    let bytes = fs::read(file).expect("there");
    let (mut head, mut documents) = (IndexHead::default(), Vec::new());
    read_index::<ScipError>(&mut &bytes[..], &mut |part| {
        match part {
            IndexPart::Head(found) => head = found,
            IndexPart::Document(found) => documents.push(found),
        }
        Ok(())
    })
    .expect("an index");
    (head, documents)
}

const TYPES: &str = "\
//- /package.json
{\"name\": \"@a/shop\", \"version\": \"1.2.0\"}
//- /src/shape.ts
export interface Shape { area(): number }
export class Square implements Shape {
  area() { return 4; }
}
//- /src/main.ts
import { Square } from './shape';
export function run() { return new Square().area(); }
";

#[test]
fn the_map_is_written_as_an_index_that_says_what_the_map_says() {
    let world = bare_world();
    let tree = world.tree(TYPES);
    let said = world.hob(tree.root(), &["index", "export"]).success();
    assert!(said.contains("index.scip: 2 files"), "{said}");
    let (head, documents) = documents_of(&tree.at("index.scip"));
    assert_eq!(head.tool, "hob");
    assert_eq!(head.project_root, format!("file://{}", tree.root().display()));
    let names = documents.iter().flat_map(|one| one.names.iter().map(move |name| (one, name)));
    let mut lines: Vec<String> = names
        .map(|(one, name)| {
            assert!(is_valid_symbol(&name.symbol), "{}", name.symbol);
            let role = if name.is_definition { "defines" } else { "names" };
            let symbol = name.symbol.replace("hob npm @a/shop 1.2.0 src/", "");
            format!("{}:{}:{} {role} {symbol}", one.path, name.span.line + 1, name.span.col + 1)
        })
        .collect();
    lines.sort();
    for expected in [
        "src/main.ts:1:10 names `shape.ts`/Square#",
        "src/main.ts:2:17 defines `main.ts`/run().",
        "src/main.ts:2:45 names `shape.ts`/Square#area().",
        "src/shape.ts:1:18 defines `shape.ts`/Shape#",
        "src/shape.ts:2:14 defines `shape.ts`/Square#",
        "src/shape.ts:2:32 names `shape.ts`/Shape#",
        "src/shape.ts:3:3 defines `shape.ts`/Square#area().",
    ] {
        assert!(lines.iter().any(|line| line == expected), "`{expected}` is not in {lines:#?}");
    }
    let relations: Vec<_> = documents.iter().flat_map(|one| &one.relations).collect();
    assert!(
        relations.iter().any(|one| one.from.ends_with("Square#") && one.to.ends_with("Shape#")),
        "{relations:?}"
    );

    // An existing index is overwritten, but any other file only if the user says so.
    let _ = world.hob(tree.root(), &["index", "export"]).success();
    let refused = world.hob(tree.root(), &["index", "export", "-o", "package.json"]).code(1).stderr;
    assert!(refused.contains("--force"), "{refused}");
    assert!(tree.read("package.json").contains("@a/shop"));
    let _ = world.hob(tree.root(), &["index", "export", "-o", "out/map.txt"]).success();
    let _ = world.hob(tree.root(), &["index", "export", "-o", "out/map.txt", "--force"]).success();

    // hob also accepts its own index.
    let told = world.hob(tree.root(), &["index", "import", "index.scip"]).success();
    assert!(told.starts_with("hob: 2 of 2 files believed"), "{told}");
}

/// Indexes the tree with scip-typescript, and returns the path of the index.
fn indexed_by_typescript(tree: &Tree) -> PathBuf {
    outside::run_scip_typescript(tree.root());
    tree.at("index.scip")
}

#[test]
fn answers_from_scip_typescript_are_its_own() {
    let world = bare_world();
    let fixture = format!(
        "{TYPES}//- /tsconfig.json\n{{\"compilerOptions\": {{\"strict\": true}}, \"include\": [\"src\"]}}\n"
    );
    let tree = world.tree(&fixture);
    let index = indexed_by_typescript(&tree);
    let told = world.hob(tree.root(), &["index", "import", "index.scip"]).success();
    assert!(told.starts_with("scip-typescript: 2 of 2 files believed"), "{told}");
    let (_, documents) = documents_of(&index);
    let mut mcp = world.mcp(&tree);
    let mut asked = 0;
    for (path, name) in documents.iter().flat_map(|one| one.names.iter().map(move |name| (&one.path, name))) {
        let theirs = definitions_of(&documents, path, &name.symbol);
        if name.is_definition || theirs.is_empty() {
            continue;
        }
        asked += 1;
        let answer = ask(&mut mcp, "nav_definition", (path, name.span.line + 1, name.span.col + 1));
        assert_eq!(places(&answer), theirs, "{path}:{:?} {}{answer}", name.span, name.symbol);
    }
    assert!(asked >= 4, "the index has references: {asked}");
}

/// Returns the places of the definitions of a symbol that a file names, in the form of [`places`].
fn definitions_of(documents: &[SourceDocument], path: &str, symbol: &str) -> Vec<String> {
    let of = documents.iter().filter(|one| !symbol.starts_with("local ") || one.path == path);
    let names = of.flat_map(|one| one.names.iter().map(move |name| (one, name)));
    let defined = names.filter(|(_, name)| name.is_definition && name.symbol == symbol);
    let mut found: Vec<String> = defined
        .map(|(one, name)| format!("{}:{}:{} scip", one.path, name.span.line + 1, name.span.col + 1))
        .collect();
    found.sort();
    found
}
