//! Renames of names drawn from all over a project, through hob and by the server itself: the preview is the server's own edit, what
//! is applied leaves exactly the files that this edit leaves, and no more is wrong with them than before.
//!
//! The server works on a copy of its own. Its edits are read and applied here a second time, on purpose: hob's own way of doing so
//! is what is tested.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;
use std::process::Command;

use hob_tests::lsp::Lsp;
use hob_tests::{Answer, Mcp, McpOptions, Rng, Tree, World, run};
use serde_json::{Value, json};

use super::questions::paths;
use super::said::{Kind, Question};
use super::{Subject, ask_until_whole, one_based, running};

/// Names whose uses are in several files.
const ACROSS_FILES: usize = 10;

/// Others, and names that the server refuses to rename.
const OTHERS: usize = 4;

/// Files that names are drawn from.
const FILES: usize = 120;

/// How often each file is drawn from, if that is what it takes.
const ROUNDS: usize = 12;

/// Files in which what is wrong is counted.
const JUDGED: usize = 30;

/// Texts of files by path.
type Files = BTreeMap<String, String>;

/// Replacements of ranges of bytes in files by path.
type Edits = BTreeMap<String, BTreeMap<(usize, usize), String>>;

/// A rename, and what the server itself makes of it.
struct Case {
    name: String,
    new_name: String,
    file: String,
    line: u64,
    col: u64,
    /// What it replaces; nothing if it refuses.
    edits: Edits,
}

/// Draws names, asks the server itself about each, and then hob.
#[track_caller]
pub(super) fn are_the_servers(subject: &Subject, seed: u64) {
    let world = subject.world();
    let (tree, copy) = (subject.tree(&world), subject.tree_in(&world, "copy"));
    let mut lsp = subject.itself(&world, &copy);
    let cases = draw(subject, (&copy, &mut lsp), &mut Rng::new(seed));
    let options = McpOptions {
        args: ["--tools", "all", "--edits"].map(str::to_owned).to_vec(),
        ..McpOptions::default()
    };
    let mut mcp = Mcp::start(&world, &tree, &options);
    let first = Question { kind: Kind::Symbols, file: cases[0].file.clone(), line: 1, col: 1 };
    let _ = ask_until_whole(&mut mcp, &first);
    assert_eq!(running(&mut mcp), [subject.server], "hob asks the server that is meant");
    // A server that leaves some uses behind breaks what uses them; that it does, hob says before.
    let mut whole = Vec::new();
    for case in &cases {
        let is_whole = case.is_the_same_through_hob(&mut mcp, (&world, &tree, &copy));
        whole.extend(is_whole.then_some(case));
    }
    println!("{} names, {} of them renamed completely", cases.len(), whole.len());
    assert!(whole.len() >= ACROSS_FILES / 2, "{}", whole.len());
    let worse = made_worse((subject, &world), &copy, &whole);
    assert_eq!(worse, Vec::<String>::new(), "after all of them more is wrong");
    mcp.close();
}

fn draw(subject: &Subject, (copy, lsp): (&Tree, &mut Lsp), rng: &mut Rng) -> Vec<Case> {
    let mut files = paths(copy, subject);
    for at in (1..files.len()).rev() {
        files.swap(at, rng.below(at + 1));
    }
    lsp.open(&files[0]);
    lsp.wait_ready();
    let (mut across, mut others) = (Vec::new(), Vec::new());
    let mut drawn = BTreeSet::new();
    // Small projects have few files, but many names in each.
    for file in files.iter().take(FILES).cycle().take(FILES.max(ROUNDS * files.len())) {
        let names = names_in(file, copy, lsp);
        if names.is_empty() {
            continue;
        }
        let (name, at) = rng.pick(&names).clone();
        if !drawn.insert(name.clone()) {
            continue;
        }
        let case = Case::asked((file, at, &name), (copy, lsp), rng);
        match case.edits.len() > 1 {
            true if across.len() < ACROSS_FILES => across.push(case),
            false if others.len() < OTHERS => others.push(case),
            _ => {}
        }
        if across.len() == ACROSS_FILES && others.len() == OTHERS {
            break;
        }
    }
    assert_eq!(across.len(), ACROSS_FILES, "the project has so many names that are used across files");
    across.into_iter().chain(others).collect()
}

/// Definitions in a file by the server's outline: their names, and where these stand, from 1.
fn names_in(file: &str, copy: &Tree, lsp: &mut Lsp) -> Vec<(String, (u64, u64))> {
    lsp.open(file);
    let params = json!({"textDocument": {"uri": lsp.uri(file)}});
    let symbols = lsp.ask("textDocument/documentSymbol", &params).expect("an outline");
    let (mut names, text) = (Vec::new(), copy.read(file));
    collect(&symbols, &mut names);
    let lines: Vec<&str> = text.split('\n').collect();
    names.retain(|(name, (line, col))| {
        let is_name = name.len() > 2 && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
        let rest = lines.get(*line as usize - 1).and_then(|line| from_column(line, *col as usize - 1));
        is_name && !name.starts_with("__") && rest.is_some_and(|rest| rest.starts_with(name.as_str()))
    });
    names
}

fn collect(symbols: &Value, names: &mut Vec<(String, (u64, u64))>) {
    for symbol in symbols.as_array().into_iter().flatten() {
        if symbol.get("selectionRange").is_some() {
            let name = symbol["name"].as_str().unwrap_or_default().to_owned();
            names.push((name, one_based(&symbol["selectionRange"]["start"])));
        }
        collect(&symbol["children"], names);
    }
}

/// What stands in a line from a column on, in UTF-16 units from 0; `None` within a character.
fn from_column(line: &str, col: usize) -> Option<&str> {
    let mut units = 0;
    for (at, c) in line.char_indices() {
        if units >= col {
            return (units == col).then(|| &line[at..]);
        }
        units += c.len_utf16();
    }
    (units == col).then_some("")
}

impl Case {
    /// Asks the server, at the definition or, half of the time, at a use of it somewhere.
    fn asked(
        (file, at, name): (&str, (u64, u64), &str),
        (copy, lsp): (&Tree, &mut Lsp),
        rng: &mut Rng,
    ) -> Self {
        let new_name = match name {
            _ if !name.contains(|c: char| c.is_ascii_lowercase()) => format!("{name}_HOB"),
            _ if name.starts_with(|c: char| c.is_ascii_uppercase()) => format!("{name}Hob"),
            _ => format!("{name}_hob"),
        };
        let mut case = Self {
            name: name.to_owned(),
            new_name,
            file: file.to_owned(),
            line: at.0,
            col: at.1,
            edits: Edits::new(),
        };
        let Some(edit) = case.ask(lsp) else { return case };
        let uses = places(lsp, &edit);
        if rng.below(2) == 1 && !uses.is_empty() {
            let (file, (line, col)) = rng.pick(&uses).clone();
            let stands = copy.read(&file);
            let line_text = stands.split('\n').nth(line as usize - 1).unwrap_or_default();
            let rest = from_column(line_text, col as usize - 1).unwrap_or_default();
            // Where it goes by another name, that would be renamed.
            if rest.starts_with(name) {
                (case.file, case.line, case.col) = (file, line, col);
            }
        }
        // What a server says first may be what it has read so far.
        let edit = lsp.settled(|lsp| case.ask(lsp));
        case.edits = edit.map(|edit| in_bytes(copy, lsp, &edit)).unwrap_or_default();
        case
    }

    /// The server's own edit; `None` if it refuses, or has nothing to do.
    fn ask(&self, lsp: &mut Lsp) -> Option<Value> {
        lsp.open(&self.file);
        let params = json!({
            "textDocument": {"uri": lsp.uri(&self.file)},
            "position": {"line": self.line - 1, "character": self.col - 1},
            "newName": self.new_name,
        });
        let edit = lsp.ask("textDocument/rename", &params).ok()?;
        (!by_file(lsp, &edit).is_empty()).then_some(edit)
    }

    /// Previews and applies it, and takes it back; whether hob calls it complete.
    #[track_caller]
    fn is_the_same_through_hob(&self, mcp: &mut Mcp, (world, tree, copy): (&World, &Tree, &Tree)) -> bool {
        let preview = loop {
            let args = json!({
                "file": self.file, "line": self.line, "col": self.col, "newName": self.new_name,
                "tokenBudget": 10_000,
            });
            let preview = mcp.call("edit_rename", args);
            if preview.envelope["error"]["code"] != "LSP_TIMEOUT" {
                break preview;
            }
        };
        let at = format!("{} at {}:{}:{}", self.name, self.file, self.line, self.col);
        if self.edits.is_empty() {
            assert_eq!(preview.envelope["ok"], false, "{at}: the server refuses{preview}");
            return false;
        }
        let after = written(copy, &self.edits);
        let id = preview.ok()["pendingId"].as_str().expect("an ID").to_owned();
        let diff = whole_diff(mcp, &id);
        assert_eq!(patched(world, (copy, &after), &diff), after, "{at}: the preview{preview}");
        let touched: Vec<String> = after.keys().cloned().collect();
        assert_eq!(texts(tree, &touched), texts(copy, &touched), "{at}: a preview writes nothing");
        let done = mcp.call("resolve_action", json!({"action": "apply", "reason": "test", "pendingId": id}));
        assert!(done.ok()["message"].is_string(), "{done}");
        assert_eq!(differences(tree, copy), after, "{at}: what was applied{done}");
        touched.iter().for_each(|file| tree.write(file, copy.read(file)));
        let is_whole = preview.ok()["details"]["completeness"] == "complete";
        assert!(is_whole || preview.warnings().contains("may be missing"), "{at}{preview}");
        is_whole
    }
}

/// All of a preview's diff.
#[track_caller]
fn whole_diff(mcp: &mut Mcp, id: &str) -> String {
    let (mut diff, mut offset) = (String::new(), json!(0));
    while !offset.is_null() {
        let args = json!({"pendingId": id, "offset": offset, "tokenBudget": 10_000});
        let page: Answer = mcp.call("edit_pending", args);
        diff.push_str(page.ok()["diff"].as_str().unwrap_or_else(|| panic!("a diff{page}")));
        offset = page.ok()["nextOffset"].clone();
    }
    diff
}

/// What git makes of files when it is given a diff of them.
#[track_caller]
fn patched(world: &World, (copy, after): (&Tree, &Files), diff: &str) -> Files {
    let folder = world.path("patched");
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).expect("a folder");
    let tree = Tree::existing(&folder);
    after.keys().for_each(|file| tree.write(file, copy.read(file)));
    let mut git = Command::new("git");
    git.args(["apply", "-p1", "--whitespace=nowarn", "-"]).current_dir(&folder);
    let _ = run(git.env("GIT_DIR", "/nonexistent"), diff.as_bytes()).success();
    let names: Vec<String> = after.keys().cloned().collect();
    texts(&tree, &names)
}

fn texts(tree: &Tree, files: &[String]) -> Files {
    files.iter().map(|file| (file.clone(), tree.read(file))).collect()
}

/// The files of `tree` that are not as in `copy`; none may have come or gone.
#[track_caller]
fn differences(tree: &Tree, copy: &Tree) -> Files {
    let (ours, theirs) = (all_files(tree.root()), all_files(copy.root()));
    let paths = |files: &BTreeMap<String, Vec<u8>>| files.keys().cloned().collect::<Vec<_>>();
    assert_eq!(paths(&ours), paths(&theirs));
    // It names the folder that it lies in.
    let differs =
        |(path, bytes): &(String, Vec<u8>)| theirs[path] != *bytes && path != "compile_commands.json";
    let text = |(path, bytes)| (path, String::from_utf8(bytes).expect("a text"));
    ours.into_iter().filter(differs).map(text).collect()
}

fn all_files(root: &Path) -> BTreeMap<String, Vec<u8>> {
    let (mut all, mut folders) = (BTreeMap::new(), vec![root.to_path_buf()]);
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).expect("a folder of the project").flatten() {
            let path = entry.path();
            let name =
                path.strip_prefix(root).expect("it lies in it").to_str().expect("a plain path").to_owned();
            match path.is_dir() {
                // What servers leave behind, and git.
                true if name == ".git" || name == ".cache" || name == "target" => {}
                true => folders.push(path),
                false => drop(all.insert(name, fs::read(&path).expect("it can be read"))),
            }
        }
    }
    all
}

/// Edits of each file, in either form of the protocol.
fn by_file(lsp: &Lsp, edit: &Value) -> BTreeMap<String, Vec<Value>> {
    let mut all: BTreeMap<String, Vec<Value>> = BTreeMap::new();
    let mut take = |uri: &str, edits: &Value| {
        let edits = edits.as_array().expect("a list").iter().cloned();
        all.entry(lsp.file(uri)).or_default().extend(edits);
    };
    for document in edit["documentChanges"].as_array().into_iter().flatten() {
        take(document["textDocument"]["uri"].as_str().expect("a text is edited"), &document["edits"]);
    }
    for (uri, edits) in edit["changes"].as_object().into_iter().flatten() {
        take(uri, edits);
    }
    all.retain(|_, edits| !edits.is_empty());
    all
}

/// Where an edit puts something, from 1.
fn places(lsp: &Lsp, edit: &Value) -> Vec<(String, (u64, u64))> {
    let all = by_file(lsp, edit).into_iter();
    let of = |(file, edits): (String, Vec<Value>)| {
        edits.into_iter().map(move |edit| (file.clone(), one_based(&edit["range"]["start"])))
    };
    all.flat_map(of).collect()
}

/// A server's edit in bytes of the files.
#[track_caller]
fn in_bytes(copy: &Tree, lsp: &Lsp, edit: &Value) -> Edits {
    let one = |(file, edits): (String, Vec<Value>)| {
        let text = copy.read(&file);
        let lines: Vec<&str> = text.split('\n').collect();
        let offset = |position: &Value| {
            let (line, col) = one_based(position);
            let before: usize = lines[..line as usize - 1].iter().map(|line| line.len() + 1).sum();
            let line = lines[line as usize - 1];
            before + line.len() - from_column(line, col as usize - 1).expect("a column of the line").len()
        };
        let range = |edit: &Value| (offset(&edit["range"]["start"]), offset(&edit["range"]["end"]));
        let text = |edit: &Value| edit["newText"].as_str().expect("a text").to_owned();
        (file, edits.iter().map(|edit| (range(edit), text(edit))).collect())
    };
    by_file(lsp, edit).into_iter().map(one).collect()
}

/// The files that edits touch, with these done from the end on.
fn written(copy: &Tree, edits: &Edits) -> Files {
    let one = |(file, edits): (&String, &BTreeMap<(usize, usize), String>)| {
        let mut text = copy.read(file);
        for ((start, end), new) in edits.iter().rev() {
            text.replace_range(*start..*end, new);
        }
        (file.clone(), text)
    };
    edits.iter().map(one).collect()
}

/// What there is more of that is wrong, once all renames are done, by the word of a server that knows nothing else.
#[track_caller]
fn made_worse((subject, world): (&Subject, &World), copy: &Tree, cases: &[&Case]) -> Vec<String> {
    let after = subject.tree_in(world, "after");
    let mut all = Edits::new();
    for (file, edits) in cases.iter().flat_map(|case| &case.edits) {
        all.entry(file.clone()).or_default().extend(edits.clone());
    }
    let files = written(copy, &all);
    files.iter().for_each(|(file, text)| after.write(file, text));
    let judged: Vec<String> = files.into_keys().take(JUDGED).collect();
    // Servers that know nothing else: what one has said already, it does not say again.
    let wrong = |tree: &Tree| -> Vec<Vec<String>> {
        let mut lsp = subject.itself(world, tree);
        lsp.open(&judged[0]);
        lsp.wait_ready();
        judged.iter().for_each(|file| lsp.open(file));
        lsp.verdicts(&judged).iter().map(errors).collect()
    };
    let (then, now) = (wrong(copy), wrong(&after));
    let compared = judged.iter().zip(then.iter().zip(&now));
    let worse = compared.filter(|(_, (then, now))| now.len() > then.len());
    worse.map(|(file, (then, now))| format!("{file}: {then:#?} became {now:#?}")).collect()
}

fn errors(verdict: &Value) -> Vec<String> {
    let is_error = |one: &&Value| one["severity"].as_u64().unwrap_or(1) == 1;
    let said = |one: &Value| {
        let (line, _) = one_based(&one["range"]["start"]);
        format!("{line}: {}", one["message"].as_str().unwrap_or_default())
    };
    verdict.as_array().into_iter().flatten().filter(is_error).map(said).collect()
}
