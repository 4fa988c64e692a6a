//! Tests eight editors at once on one server: every request is answered once and to its sender, and the server never
//! has a text from an editor that does not own the document.
//!
//! All actions are drawn from a seed: opening, typing, saving, closing, asking, cancelling questions, and being killed.
//! A model keeps track of whose text counts; at quiet moments the server is asked for its text.
//!
//! `HOB_TEST_EDITORS_SEED` draws another series, and `HOB_TEST_EDITORS_STEPS` sets its length.

use std::collections::BTreeMap;

use hob_tests::{Editor, Rng, Tree};
use serde_json::{Value, json};

use super::{Scripted, server_gets, server_has};

const EDITORS: usize = 8;
const FILES: [&str; 5] = ["a.py", "b.py", "sub/c.py", "sub/with space.py", "é.py"];
const PIECES: [&str; 9] = ["x", "é", "𝒳", "\n", "def f():\n    pass\n", "", "日本", " ", "value = 1\n"];

/// A document by the rules: the first editor whose text differs from the disk owns it until its text no longer differs.
#[derive(Default)]
struct Model {
    disk: String,
    /// The editors that have it open, each with the time since when its text differs.
    open: BTreeMap<usize, Option<u64>>,
    owner: Option<usize>,
}

impl Model {
    fn settle(&mut self) {
        if self.owner.is_some_and(|owner| self.open.get(&owner).copied().flatten().is_some()) {
            return;
        }
        let dirty = self.open.iter().filter_map(|(editor, since)| Some(((*since)?, *editor)));
        self.owner = dirty.min().map(|(_, editor)| editor);
    }

    /// Sets the text of an editor. Returns true if this changed which editors differ.
    fn put(&mut self, editor: usize, text: &str, now: u64) -> bool {
        let before = self.open.get(&editor).copied().flatten();
        let since = (text != self.disk).then(|| before.unwrap_or(now));
        self.open.insert(editor, since);
        self.settle();
        since != before
    }
}

/// One editor and the answers that it waits for.
struct Member {
    editor: Editor,
    /// The open requests, each with its parameters, and true if it was cancelled.
    asked: Vec<(u64, Value, bool)>,
}

struct Party {
    members: Vec<Member>,
    documents: BTreeMap<&'static str, Model>,
    rng: Rng,
    now: u64,
    tree: Tree,
    scripted: Scripted,
}

impl Party {
    fn new(seed: u64) -> Self {
        let scripted = Scripted::new(&json!({}));
        let tree = scripted.world.tree("//- /pyproject.toml\n[project]\nname = \"p\"\n");
        let mut documents = BTreeMap::new();
        for file in FILES {
            let disk = format!("# {file}\nfirst = 1\nsecond = 2\n");
            tree.write(file, &disk);
            documents.insert(file, Model { disk, ..Model::default() });
        }
        let members = (0..EDITORS).map(|_| Member::new(&scripted, &tree)).collect();
        Self { members, documents, rng: Rng::new(seed), now: 0, tree, scripted }
    }

    fn step(&mut self) {
        let who = self.rng.below(EDITORS);
        let file = *self.rng.pick(&FILES);
        let is_open = self.documents[file].open.contains_key(&who);
        match self.rng.below(100) {
            0..=62 if !is_open => self.open(who, file),
            0..=39 => self.type_something(who, file),
            40..=44 => self.go_back(who, file),
            45..=52 => self.save(who, file),
            53..=62 => self.close(who, file),
            63..=88 if is_open => self.ask(who, file),
            63..=88 => {}
            89..=97 => self.collect(who),
            _ => self.kill(who),
        }
    }

    fn open(&mut self, who: usize, file: &'static str) {
        self.members[who].editor.open(file);
        self.note(who, file);
        // The text that the editor has read from the disk differs from it if somebody saves before the daemon notices.
        self.members[who].is_heard(file);
    }

    fn type_something(&mut self, who: usize, file: &'static str) {
        let text = self.members[who].editor.document(file).text.clone();
        if text.len() > 1_000 {
            self.members[who].editor.replace(file, "# much shorter\n");
            return self.note(who, file);
        }
        let ends: Vec<usize> = text.char_indices().map(|(at, _)| at).chain([text.len()]).collect();
        let start = self.rng.below(ends.len());
        let end = (start + self.rng.below(4)).min(ends.len() - 1);
        let piece = *self.rng.pick(&PIECES);
        self.members[who].editor.edit(file, ends[start]..ends[end], piece);
        self.note(who, file);
    }

    fn go_back(&mut self, who: usize, file: &'static str) {
        let disk = self.documents[file].disk.clone();
        self.members[who].editor.replace(file, &disk);
        self.note(who, file);
    }

    /// Tells the model the present text of an editor. If that decides who owns the document, the daemon must know it
    /// before another editor acts, because messages of two connections have no order.
    fn note(&mut self, who: usize, file: &'static str) {
        self.now += 1;
        let member = &mut self.members[who];
        let document = self.documents.get_mut(file).expect("it is one of them");
        if document.put(who, &member.editor.document(file).text, self.now) {
            member.is_heard(file);
        }
    }

    fn save(&mut self, who: usize, file: &'static str) {
        let member = &mut self.members[who];
        member.editor.save(file);
        member.is_heard(file);
        let document = self.documents.get_mut(file).expect("it is one of them");
        document.disk = member.editor.document(file).text.clone();
        for (other, since) in &mut document.open {
            if self.members[*other].editor.document(file).text == document.disk {
                *since = None;
            }
        }
        document.settle();
    }

    fn close(&mut self, who: usize, file: &'static str) {
        self.members[who].editor.close(file);
        self.members[who].is_heard(file);
        self.forget(who, file);
    }

    fn forget(&mut self, who: usize, file: &'static str) {
        let document = self.documents.get_mut(file).expect("it is one of them");
        document.open.remove(&who);
        document.settle();
    }

    fn ask(&mut self, who: usize, file: &'static str) {
        let token = format!("{who}-{}", self.rng.bits());
        let mut params = self.members[who].editor.about(file);
        params["token"] = json!(token);
        params["delayMs"] = json!(self.rng.below(40));
        let member = &mut self.members[who];
        let id = member.editor.send("test/echo", &params);
        let is_cancelled = self.rng.below(4) == 0;
        if is_cancelled {
            member.editor.cancel(id);
        }
        member.asked.push((id, params, is_cancelled));
    }

    fn collect(&mut self, who: usize) {
        let asked = std::mem::take(&mut self.members[who].asked);
        for (id, params, is_cancelled) in asked {
            match self.members[who].editor.wait(id) {
                Ok(result) => assert_eq!(result, params, "to its sender"),
                // An editor that is out of step at that moment may be told so, and so may one that has cancelled the
                // request.
                Err(error) => {
                    let code = error["code"].as_i64();
                    let expected = code == Some(-32801) || is_cancelled && code == Some(-32800);
                    assert!(expected, "{params}: {error}\n{}", self.scripted.world.log());
                }
            }
        }
    }

    /// Kills an editor with all its unsaved text, and starts another.
    fn kill(&mut self, who: usize) {
        let new = Member::new(&self.scripted, &self.tree);
        std::mem::replace(&mut self.members[who], new).editor.kill();
        let had = FILES.into_iter().filter(|file| self.documents[file].open.contains_key(&who));
        for file in had.collect::<Vec<_>>() {
            self.forget(who, file);
            self.check(file);
        }
    }

    /// Checks that the server has the text of the document's owner, or else that of the disk.
    fn check(&mut self, file: &'static str) {
        let document = &self.documents[file];
        let text = match document.owner {
            Some(owner) => self.members[owner].editor.document(file).text.clone(),
            None => document.disk.clone(),
        };
        let in_step = |who: &&usize| self.members[**who].editor.document(file).text == text;
        let Some(who) = document.owner.or_else(|| document.open.keys().find(in_step).copied()) else {
            return;
        };
        server_gets(&mut self.members[who].editor, file, &text);
    }

    fn be_quiet(&mut self) {
        (0..EDITORS).for_each(|who| self.collect(who));
        FILES.into_iter().for_each(|file| self.check(file));
        for member in &mut self.members {
            assert_eq!(member.editor.strays, Vec::<Value>::new(), "answered once, and to its sender");
        }
        self.scripted.without_complaints();
    }
}

impl Member {
    fn new(scripted: &Scripted, tree: &Tree) -> Self {
        Self { editor: Editor::start(&scripted.world, tree), asked: Vec::new() }
    }

    /// Waits until the daemon has received everything that the editor sent: answers come in the order of the requests.
    fn is_heard(&mut self, file: &str) {
        let _ = self.editor.request("test/echo", &self.editor.about(file));
    }
}

fn number(name: &str) -> Option<u64> {
    std::env::var(name).ok().and_then(|text| text.parse().ok())
}

#[test]
fn eight_editors_get_their_own_answers_and_the_server_their_texts() {
    let seeds = number("HOB_TEST_EDITORS_SEED").map_or(vec![1, 2, 3], |seed| vec![seed]);
    let steps = number("HOB_TEST_EDITORS_STEPS").unwrap_or(500);
    for seed in seeds {
        let mut party = Party::new(seed);
        for step in 0..steps {
            party.step();
            if step % 50 == 49 {
                party.be_quiet();
            }
        }
        party.be_quiet();
        assert_eq!(party.scripted.starts(), 1, "seed {seed}: one server for everybody");
        let members = std::mem::take(&mut party.members);
        members.into_iter().for_each(|member| assert_eq!(member.editor.quit(), Some(0)));
    }
}

/// If an owner asks a question after typing, the server that answers knows what was typed.
#[test]
fn a_question_never_overtakes_what_was_typed_before_it() {
    let scripted = Scripted::new(&json!({}));
    let tree = scripted.world.tree("//- /a.py\nx = 1\n");
    let mut editors: Vec<Editor> = (0..2).map(|_| Editor::start(&scripted.world, &tree)).collect();
    let [typing, other] = &mut editors[..] else { unreachable!("two were started") };
    typing.open("a.py");
    other.open("a.py");
    assert_eq!(server_has(typing, "a.py")["text"], "x = 1\n");
    for round in 0..100 {
        typing.edit("a.py", 0..0, "é");
        let noise = other.send("test/echo", &other.about("a.py"));
        let has = typing.result("test/text", &typing.about("a.py"));
        assert_eq!(has["text"], typing.document("a.py").text, "round {round}");
        let _ = other.wait(noise);
    }
    typing.replace("a.py", "x = 1\n");
    server_gets(other, "a.py", "x = 1\n");
    scripted.without_complaints();
}
