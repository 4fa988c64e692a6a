//! Asks questions about places all over a project, through hob and directly of the server: the answers are the same,
//! place for place.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use hob_tests::lsp::Lsp;
use hob_tests::{Mcp, Rng, Tree};
use serde_json::{Value, json};

use super::Subject;
use super::said::{self, Kind, Question};
use super::{one_based, running};

/// The questions about places, in addition to those about whole files and about callers.
const PLACES: usize = 150;

/// The most questions of each kind for which the server may have an empty answer, such as words in prose and keywords.
const NOTHING: usize = 8;

/// The files that the questions are about. They are fewer than a server may have open, because an open file may become
/// part of an answer.
const FILES: usize = 40;

/// The number of these files for which the outline and the callers of functions are asked for.
const OUTLINES: usize = 15;

/// The number of times that a server is asked again if its answers may vary.
const ASKED_AGAIN: usize = 20;

/// The number of times that both sides are asked again, with pauses, before their answers count as different.
const ROUNDS: usize = 4;

/// The number of differences that may disappear by themselves, because two processes of one server need not read
/// equally fast. Any more would be hob's fault.
const WAVERING: usize = 3;

/// The kinds of questions about a name, in turn.
const MIX: [Kind; 8] = [
    Kind::References,
    Kind::Definition,
    Kind::Type,
    Kind::References,
    Kind::Implementations,
    Kind::Definition,
    Kind::References,
    Kind::Type,
];

/// Words that are not names in any of the languages.
const WORDS: &[&str] = &[
    "and", "class", "const", "def", "else", "export", "extends", "for", "from", "func", "function", "import",
    "in", "let", "new", "None", "not", "null", "pub", "return", "self", "static", "struct", "switch", "this",
    "use", "void", "while",
];

/// A name in a file.
struct Name {
    line: usize,
    /// The column in UTF-16 units, as in the protocol.
    col: usize,
    /// True if non-ASCII text precedes it in its line, so that columns in bytes, characters and units differ.
    behind_others: bool,
}

/// Asks hob and the server every question, and compares the answers.
#[track_caller]
pub(super) fn same_as_the_server(subject: &Subject, seed: u64) {
    let world = subject.world();
    let tree = subject.tree(&world);
    let mut rng = Rng::new(seed);
    let files = files_of(&tree, subject, &mut rng);
    let mut lsp = subject.itself(&world, &tree);
    lsp.open(&files[0].0);
    lsp.wait_ready();
    let mut asked = Asked {
        mcp: world.mcp(&tree),
        lsp,
        kinds: BTreeMap::new(),
        names: 0,
        partial: 0,
        wavered: Vec::new(),
        wrong: Vec::new(),
    };
    let first = Question { kind: Kind::Symbols, file: files[0].0.clone(), line: 1, col: 1 };
    let _ = super::ask_until_whole(&mut asked.mcp, &first);
    assert_eq!(running(&mut asked.mcp), [subject.server], "hob asks the server that is meant");
    for question in about_places(&asked, &files, &mut rng) {
        if asked.count() < PLACES {
            asked.ask(&question);
        }
    }
    for (file, _) in files.iter().take(OUTLINES) {
        asked.ask_about_file(file, &mut rng);
    }
    if !asked.offers(Kind::Implementations) {
        let answer = Question { kind: Kind::Implementations, ..first }.ask_hob(&mut asked.mcp);
        let _ = answer.error("LSP_UNSUPPORTED");
    }
    asked.conclude();
}

/// Returns the files with names, in random order, but first those with names after non-ASCII text.
fn files_of(tree: &Tree, subject: &Subject, rng: &mut Rng) -> Vec<(String, Vec<Name>)> {
    let mut all: Vec<_> =
        paths(tree, subject).into_iter().map(|path| (names_in(&tree.read(&path)), path)).collect();
    all.retain(|(names, _)| names.len() >= 5);
    for at in (1..all.len()).rev() {
        all.swap(at, rng.below(at + 1));
    }
    all.sort_by_key(|(names, _)| !names.iter().any(|name| name.behind_others));
    all.into_iter().map(|(names, path)| (path, names)).take(FILES).collect()
}

/// Returns the files that the server can be asked about.
pub(super) fn paths(tree: &Tree, subject: &Subject) -> Vec<String> {
    let mut paths = Vec::new();
    list(tree.root(), tree.root(), &mut paths);
    paths.retain(|path| subject.endings.iter().any(|ending| path.ends_with(&format!(".{ending}"))));
    paths.sort();
    paths
}

fn list(root: &Path, folder: &Path, paths: &mut Vec<String>) {
    for entry in std::fs::read_dir(folder).expect("a folder of the project").flatten() {
        let path = entry.path();
        let hidden = entry.file_name().to_str().is_none_or(|name| name.starts_with('.'));
        match path.is_dir() {
            _ if hidden => {}
            true => list(root, &path, paths),
            false => {
                let inside = path.strip_prefix(root).expect("it was listed below it");
                paths.extend(inside.to_str().map(str::to_owned));
            }
        }
    }
}

fn names_in(text: &str) -> Vec<Name> {
    let mut names = Vec::new();
    for (at, line) in text.lines().enumerate() {
        let start = line.trim_start();
        if ["#", "//", "/*", "*"].iter().any(|comment| start.starts_with(comment)) {
            continue;
        }
        names_in_line(line, at + 1, &mut names);
    }
    names
}

fn names_in_line(text: &str, line: usize, names: &mut Vec<Name>) {
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    let (mut col, mut ascii, mut rest) = (1, true, text);
    while let Some(first) = rest.chars().next() {
        let end = rest.find(|c| !is_part(c)).unwrap_or(rest.len());
        let (word, behind_others) = (&rest[..end.max(first.len_utf8())], !ascii);
        if word.len() > 2 && !first.is_numeric() && is_part(first) && !WORDS.contains(&word) {
            names.push(Name { line, col, behind_others });
        }
        col += word.encode_utf16().count();
        ascii &= word.is_ascii();
        rest = &rest[word.len()..];
    }
}

/// Returns more questions about places in all of the files than are needed. In each file, columns that differ in bytes
/// come first.
fn about_places(asked: &Asked, files: &[(String, Vec<Name>)], rng: &mut Rng) -> Vec<Question> {
    let mut questions = Vec::new();
    let mut ask = |(file, _): &(String, _), name: &Name| {
        let mut kind = MIX[questions.len() % MIX.len()];
        if !asked.offers(kind) {
            kind = Kind::References;
        }
        questions.push(Question { kind, file: file.clone(), line: name.line, col: name.col });
    };
    for file in files {
        file.1.iter().filter(|name| name.behind_others).take(4).for_each(|name| ask(file, name));
    }
    for _ in 0..4 * PLACES.div_ceil(files.len()) {
        files.iter().for_each(|file| ask(file, rng.pick(&file.1)));
    }
    questions
}

/// Both sides, and the results of the comparison.
struct Asked {
    mcp: Mcp,
    lsp: Lsp,
    /// The number of questions of each kind, and the number of those with a non-empty answer.
    kinds: BTreeMap<Kind, (usize, usize)>,
    /// The number of names whose symbols were asked for.
    names: usize,
    /// The number of answers that were incomplete because the map knew more.
    partial: usize,
    /// The answers that differed at first, but no longer when both sides were asked again.
    wavered: Vec<String>,
    wrong: Vec<String>,
}

impl Asked {
    fn offers(&self, kind: Kind) -> bool {
        !matches!(self.lsp.capabilities[kind.capability()], Value::Null | Value::Bool(false))
    }

    /// Returns the number of questions asked so far.
    fn count(&self) -> usize {
        self.kinds.values().map(|(count, _)| count).sum()
    }

    #[track_caller]
    fn ask(&mut self, question: &Question) {
        let server = match question.try_server(&mut self.lsp) {
            Ok(server) => server,
            // An error of the server is not an empty answer.
            Err(error) => {
                let answer = question.ask_hob(&mut self.mcp);
                let otherwise = answer.envelope["data"]["source"].as_str().is_some_and(|from| from != "lsp");
                assert!(otherwise || answer.envelope["ok"] == false, "{question:?}: {error}{answer}");
                return;
            }
        };
        if server.is_empty() && matches!(question.kind, Kind::Callers | Kind::Callees) {
            // If the server does not take something for a function, hob finds its callers by other means, and says so.
            return;
        }
        // hob is asked in any case, because questions may make a server read more files.
        let answer = question.ask_hob(&mut self.mcp);
        let (count, with_something) = self.kinds.entry(question.kind).or_default();
        if !server.is_empty() || *count - *with_something < NOTHING {
            *count += 1;
            *with_something += usize::from(!server.is_empty());
        }
        self.partial += usize::from(answer.envelope["ok"] == true && said::added(&answer) > 0);
        if question.difference(&answer, &server).is_none() {
            return;
        }
        // hob opens the files that a server omits. They are opened in this server as well.
        question.files(&answer).iter().for_each(|file| self.lsp.open(file));
        // The server may not have been finished when it was asked.
        let server = self.lsp.settled(|lsp| question.ask_server(lsp));
        let Some(difference) = question.difference(&answer, &server) else { return };
        // Or its answers vary, as gopls's do for callers without a name. Then hob's answer must have everything that it
        // always says, and nothing that it never says.
        let said: Vec<_> = (0..ASKED_AGAIN).map(|_| question.ask_server(&mut self.lsp)).collect();
        if question.is_between(&answer, &said) {
            return;
        }
        let agrees = |asked: &mut Self| {
            let answer = question.ask_hob(&mut asked.mcp);
            let server = asked.lsp.settled(|lsp| question.ask_server(lsp));
            question.difference(&answer, &server).is_none()
        };
        self.judge(difference, agrees);
    }

    /// Records a difference, either among those that disappeared or among those that remained.
    fn judge(&mut self, difference: String, mut agrees: impl FnMut(&mut Self) -> bool) {
        for _ in 0..ROUNDS {
            std::thread::sleep(std::time::Duration::from_millis(500));
            if agrees(self) {
                return self.wavered.push(difference);
            }
        }
        self.wrong.push(difference);
    }

    /// Asks for the outline of a file, and for the callers of the functions in it.
    #[track_caller]
    fn ask_about_file(&mut self, file: &str, rng: &mut Rng) {
        let outline = Question { kind: Kind::Symbols, file: file.to_owned(), line: 1, col: 1 };
        self.ask(&outline);
        if !self.offers(Kind::Callers) {
            return;
        }
        let params = json!({"textDocument": {"uri": self.lsp.uri(file)}});
        let symbols = self.lsp.ask("textDocument/documentSymbol", &params).expect("it was just answered");
        let mut functions = Vec::new();
        functions_in(&symbols, &mut functions);
        for _ in 0..functions.len().min(2) {
            let (line, col, name) = rng.pick(&functions).clone();
            for kind in [Kind::Callers, Kind::Callees] {
                self.ask(&Question { kind, file: file.to_owned(), line, col });
            }
            self.ask_about_name(&name);
        }
    }

    /// Asks for all symbols of this name.
    #[track_caller]
    fn ask_about_name(&mut self, name: &str) {
        /// A server that returns so many may have omitted others, and different ones each time.
        const MANY: usize = 50;
        if name.len() < 3 || !name.chars().all(|c| c.is_alphanumeric() || c == '_') {
            return;
        }
        let server = self.symbols_of_server(name);
        if server.len() > MANY {
            return;
        }
        self.names += 1;
        let (hob, complete) = self.symbols_of_hob(name);
        if hob != server || !complete {
            let difference = format!("symbols called {name}: {hob:?}\n  but the server: {server:?}");
            let agrees =
                |asked: &mut Self| asked.symbols_of_hob(name) == (asked.symbols_of_server(name), true);
            self.judge(difference, agrees);
        }
    }

    #[track_caller]
    fn symbols_of_server(&mut self, name: &str) -> BTreeSet<String> {
        let found = self.lsp.ask("workspace/symbol", &json!({"query": name})).expect("an answer");
        let found = found.as_array().map_or(&[][..], Vec::as_slice);
        let of_server = |one: &Value| {
            let (line, col) = one_based(&one["location"]["range"]["start"]);
            let file = self.lsp.file(one["location"]["uri"].as_str().unwrap_or_default());
            format!("{} {file}:{line}:{col}", one["name"].as_str().unwrap_or_default())
        };
        found.iter().map(of_server).collect()
    }

    /// Returns the symbols that hob finds, and false if hob says that there may be more.
    #[track_caller]
    fn symbols_of_hob(&mut self, name: &str) -> (BTreeSet<String>, bool) {
        let args = json!({"query": name, "limit": 200, "tokenBudget": 10_000});
        let answer = self.mcp.call("nav_workspaceSymbols", args);
        let of_hob = |one: &Value| {
            let text = |field: &str| one[field].as_str().unwrap_or_default();
            format!("{} {}:{}:{}", text("name"), text("file"), one["line"], one["col"])
        };
        let symbols = answer.list("/symbols").iter().map(of_hob).collect();
        (symbols, answer.ok()["completeness"] == "complete")
    }

    /// Fails if anything was wrong, or if too little was asked to be sure.
    #[track_caller]
    fn conclude(self) {
        let (asked, with_something) =
            self.kinds.values().fold((0, 0), |all, one| (all.0 + one.0, all.1 + one.1));
        let (kinds, names) = (&self.kinds, self.names);
        println!("{asked} questions, {with_something} with something to answer: {kinds:?}; {names} names");
        let (wrong, wavered) = (&self.wrong, &self.wavered);
        println!("{} differed for a moment:\n{}", wavered.len(), wavered.join("\n"));
        assert!(wavered.len() <= WAVERING, "{} of {asked} wavered:\n{}", wavered.len(), wavered.join("\n"));
        let shown: Vec<&str> = wrong.iter().take(12).map(String::as_str).collect();
        assert!(wrong.is_empty(), "{} of {asked} are wrong:\n{}", wrong.len(), shown.join("\n"));
        println!("{} of {asked} are partial, because the map knows more", self.partial);
        assert!(self.partial * 10 <= asked, "{} of {asked} are partial", self.partial);
        assert!(asked >= PLACES && with_something > PLACES / 2, "{with_something} of {asked}");
        self.mcp.close();
    }
}

/// Collects functions and methods, with the positions of their names.
fn functions_in(symbols: &Value, found: &mut Vec<(usize, usize, String)>) {
    /// The protocol's numbers for methods, constructors and functions.
    const CALLABLE: [u64; 3] = [6, 9, 12];
    for symbol in symbols.as_array().into_iter().flatten() {
        if CALLABLE.iter().any(|kind| symbol["kind"] == *kind) && symbol.get("selectionRange").is_some() {
            let (line, col) = one_based(&symbol["selectionRange"]["start"]);
            let name = symbol["name"].as_str().unwrap_or_default().to_owned();
            found.push((line as usize, col as usize, name));
        }
        functions_in(&symbol["children"], found);
    }
}
