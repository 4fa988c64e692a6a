//! A client that knows the right answer to every question about its own files.
//!
//! Each definition that it ever writes has a unique name, so at any moment a name has one place or none. Its files lie
//! among those of others, which it does not touch.

use std::collections::BTreeSet;
use std::fs;

use hob_tests::{Answer, Rng, Tree};
use serde_json::{Value, json};

/// The approximate number of files that a writer keeps.
const FILES: usize = 30;

/// The most callers that it keeps: more than twenty of a kind are not shown.
const CALLERS: usize = 12;

/// The names that are asked for at once.
const ASKED: usize = 6;

/// One of the writer's files.
#[derive(Clone, Debug)]
struct Own {
    path: String,
    /// Its definitions: a name, and a number of four digits in its body.
    defs: Vec<(String, usize)>,
    /// True if its definitions call the writer's function in `lib`.
    calls: bool,
}

/// A writer as described at the top of the file.
#[derive(Debug)]
pub(super) struct Writer {
    tree: Tree,
    number: usize,
    rng: Rng,
    made: usize,
    files: Vec<Own>,
    /// The folders of its files, other than its top folder. These are moved and removed.
    folders: Vec<String>,
    /// The last written file, which may be written again immediately.
    last: String,
}

/// The changes that one step made.
#[derive(Debug, Default)]
pub(super) struct Written {
    /// A description of the step for people.
    pub(super) what: String,
    /// The names of definitions that were added, removed or moved.
    names: Vec<String>,
    /// The node IDs that no longer exist.
    dead: Vec<String>,
}

/// A call, and what its answer must say.
#[derive(Debug)]
pub(super) struct Question {
    pub(super) tool: &'static str,
    pub(super) args: Value,
    pub(super) expected: BTreeSet<String>,
    names: Vec<String>,
}

impl Writer {
    /// Returns a writer that has written a few files.
    pub(super) fn new(tree: &Tree, number: usize, seed: u64) -> Self {
        let rng = Rng::new(seed ^ (number as u64).wrapping_mul(0x9E37_79B9));
        let folders = (0..4).map(|i| format!("c{number}/d{i}")).collect();
        let mut writer = Self {
            tree: tree.clone(),
            number,
            rng,
            made: 0,
            files: Vec::new(),
            folders,
            last: String::new(),
        };
        writer.write_library();
        (0..FILES / 2).for_each(|_| drop(writer.create()));
        writer
    }

    fn target(&self) -> String {
        format!("target_{}", self.number)
    }

    fn write_library(&mut self) {
        let text = format!("def {}():\n    return {}\n", self.target(), 1000 + self.rng.below(9000));
        self.tree.write(&format!("lib/c{}.py", self.number), text);
    }

    /// Makes one change to the tree.
    pub(super) fn step(&mut self) -> Written {
        let kind = match self.files.len() {
            0..8 => 5,
            many if many > FILES => 3,
            _ => self.rng.below(12),
        };
        match kind {
            0 | 1 => self.rewrite(),
            2 => self.append(),
            3 => self.delete(),
            4 => self.rename(),
            5 => self.create(),
            6 | 7 => self.save_atomically(),
            8 => self.save_with_backup(),
            9 => self.rename_folder(),
            10 => match self.rng.below(4) {
                0 => self.remove_folder(),
                1 => self.folder_becomes_file(),
                _ => self.rewrite(),
            },
            _ => {
                self.write_library();
                Written { what: "the library was written again".into(), ..Written::default() }
            }
        }
    }

    fn name(&mut self) -> String {
        self.made += 1;
        format!("w{}x{:06}", self.number, self.made)
    }

    fn def(&mut self) -> (String, usize) {
        (self.name(), 1000 + self.rng.below(9000))
    }

    fn text(&self, file: &Own) -> String {
        let mut out = match file.calls {
            true => format!("from lib.c{} import {}\n\n\n", self.number, self.target()),
            false => String::new(),
        };
        file.defs.iter().for_each(|def| out.push_str(&self.source(file, def)));
        out
    }

    fn source(&self, file: &Own, (name, number): &(String, usize)) -> String {
        let ending = file.path.rsplit('.').next().unwrap_or_default();
        match (ending, file.calls) {
            ("py", true) => format!("def {name}():\n    return {}() + {number}\n", self.target()),
            ("py", false) => format!("def {name}():\n    return {number}\n"),
            ("ts", _) => format!("export function {name}() {{ return {number}; }}\n"),
            ("rs", _) => format!("pub fn {name}() -> u32 {{ {number} }}\n"),
            _ => format!("int {name}(void) {{ return {number}; }}\n"),
        }
    }

    fn pick(&mut self) -> usize {
        self.rng.below(self.files.len())
    }

    /// Returns the last written file, or another one.
    fn pick_hot(&mut self) -> usize {
        let hot = self.files.iter().position(|file| file.path == self.last);
        let other = self.pick();
        hot.filter(|_| self.rng.below(3) > 0).unwrap_or(other)
    }

    /// Replaces the definitions of a file by new ones of the same length.
    fn changed(&mut self, at: usize) -> (Own, Written) {
        let mut file = self.files[at].clone();
        let dead = file.ids();
        let mut names: Vec<String> = file.names();
        for def in &mut file.defs {
            self.made += 1;
            *def = (format!("w{}x{:06}", self.number, self.made), 1000 + self.rng.below(9000));
        }
        names.extend(file.names());
        self.last.clone_from(&file.path);
        (file, Written { what: String::new(), names, dead })
    }

    fn rewrite(&mut self) -> Written {
        let at = self.pick_hot();
        let (file, mut written) = self.changed(at);
        self.tree.write(&file.path, self.text(&file));
        written.what = format!("{} was written again", file.path);
        self.files[at] = file;
        written
    }

    fn append(&mut self) -> Written {
        let at = self.pick_hot();
        if self.files[at].defs.len() > 4 || self.count_callers() >= CALLERS {
            return self.rewrite();
        }
        let def = self.def();
        let file = &self.files[at];
        let text = self.source(file, &def);
        let mut old =
            fs::OpenOptions::new().append(true).open(self.tree.at(&file.path)).expect("it is there");
        std::io::Write::write_all(&mut old, text.as_bytes()).expect("it can be appended to");
        let what = format!("{} was appended to {}", def.0, file.path);
        let names = vec![def.0.clone()];
        self.last.clone_from(&file.path);
        self.files[at].defs.push(def);
        Written { what, names, dead: Vec::new() }
    }

    fn delete(&mut self) -> Written {
        let at = self.pick();
        let file = self.files.swap_remove(at);
        self.tree.remove(&file.path);
        Written { what: format!("{} was removed", file.path), names: file.names(), dead: file.ids() }
    }

    fn rename(&mut self) -> Written {
        let at = self.pick();
        let folder = self.rng.pick(&self.folders).clone();
        let mut file = self.files[at].clone();
        let (old, dead) = (file.path.clone(), file.ids());
        self.made += 1;
        file.path = format!("{folder}/r{}.{}", self.made, file.ending());
        self.tree.rename(&old, &file.path);
        let written = Written { what: format!("{old} became {}", file.path), names: file.names(), dead };
        self.files[at] = file;
        written
    }

    /// Creates a file, sometimes in a new deep folder.
    fn create(&mut self) -> Written {
        self.made += 1;
        let mut folder = self.rng.pick(&self.folders).clone();
        if self.rng.below(3) == 0 {
            folder = format!("{folder}/n{}/a/b", self.made);
        }
        let calls = self.count_callers() < CALLERS && self.rng.below(2) == 0;
        let ending = if calls { "py" } else { *self.rng.pick(&["py", "ts", "rs", "c"]) };
        let defs = (0..1 + self.rng.below(2)).map(|_| self.def()).collect();
        let file = Own { path: format!("{folder}/f{}.{ending}", self.made), defs, calls };
        self.tree.write(&file.path, self.text(&file));
        self.last.clone_from(&file.path);
        let written =
            Written { what: format!("{} was made", file.path), names: file.names(), dead: Vec::new() };
        self.files.push(file);
        written
    }

    fn save_atomically(&mut self) -> Written {
        let at = self.pick_hot();
        let (file, mut written) = self.changed(at);
        let beside = format!("{}.tmp", file.path);
        self.tree.write(&beside, self.text(&file));
        self.tree.rename(&beside, &file.path);
        written.what = format!("{beside} was renamed over {}", file.path);
        self.files[at] = file;
        written
    }

    /// Saves as vim does: moves the old file away, makes a new one, and removes the old one.
    fn save_with_backup(&mut self) -> Written {
        let at = self.pick_hot();
        let (file, mut written) = self.changed(at);
        let aside = format!("{}~", file.path);
        self.tree.rename(&file.path, &aside);
        self.tree.write(&file.path, self.text(&file));
        self.tree.remove(&aside);
        written.what = format!("{} was saved by way of a backup", file.path);
        self.files[at] = file;
        written
    }

    fn rename_folder(&mut self) -> Written {
        let at = self.rng.below(self.folders.len());
        let old = self.folders[at].clone();
        self.made += 1;
        let new = match self.rng.below(3) {
            0 => format!("c{}/moved{}/in/here", self.number, self.made),
            _ => format!("c{}/moved{}", self.number, self.made),
        };
        if !self.tree.at(&old).is_dir() {
            return self.create();
        }
        self.tree.rename(&old, &new);
        let mut written = Written { what: format!("folder {old} became {new}"), ..Written::default() };
        for file in &mut self.files {
            let Some(rest) = file.path.strip_prefix(&format!("{old}/")) else { continue };
            let path = format!("{new}/{rest}");
            written.dead.extend(file.ids());
            written.names.extend(file.names());
            file.path = path;
        }
        self.folders[at] = new;
        written
    }

    fn remove_folder(&mut self) -> Written {
        let folder = self.rng.pick(&self.folders).clone();
        if !self.tree.at(&folder).is_dir() {
            return self.create();
        }
        fs::remove_dir_all(self.tree.at(&folder)).expect("it is nobody else's");
        let mut written = Written { what: format!("folder {folder} was removed"), ..Written::default() };
        let below = format!("{folder}/");
        for file in self.files.extract_if(.., |file| file.path.starts_with(&below)) {
            written.dead.extend(file.ids());
            written.names.extend(file.names());
        }
        written
    }

    /// Replaces a folder, with all its files, by a file. The next write of a file below it makes it a folder again.
    fn folder_becomes_file(&mut self) -> Written {
        let folder = self.rng.pick(&self.folders).clone();
        let mut written = self.remove_folder_named(&folder);
        self.tree.write(&folder, format!("no folder now: {}\n", self.made));
        let own = self.folders.iter().position(|other| *other == folder).expect("it was picked from them");
        self.made += 1;
        self.folders[own] = format!("c{}/again{}", self.number, self.made);
        written.what = format!("folder {folder} became a file");
        written
    }

    fn remove_folder_named(&mut self, folder: &str) -> Written {
        let _ = fs::remove_dir_all(self.tree.at(folder));
        let below = format!("{folder}/");
        let mut written = Written::default();
        for file in self.files.extract_if(.., |file| file.path.starts_with(&below)) {
            written.dead.extend(file.ids());
            written.names.extend(file.names());
        }
        written
    }

    fn count_callers(&self) -> usize {
        self.files.iter().filter(|file| file.calls).map(|file| file.defs.len()).sum()
    }

    /// Returns a question about what was written, or about anything if nothing was written.
    pub(super) fn question(&mut self, written: &Written) -> Question {
        let mut names = written.names.clone();
        while names.len() > ASKED {
            let at = self.rng.below(names.len());
            names.swap_remove(at);
        }
        if names.is_empty() {
            let at = self.pick_any_name();
            names.extend(at);
        }
        match self.rng.below(4) {
            0 => self.ask_text(names),
            1 => self.ask_search(names),
            2 => self.ask_neighbors(),
            _ => self.ask_source(&names, &written.dead),
        }
    }

    fn pick_any_name(&mut self) -> Option<String> {
        let names: Vec<String> = self.files.iter().flat_map(Own::names).collect();
        (!names.is_empty()).then(|| self.rng.pick(&names).clone())
    }

    fn place_of(&self, name: &str) -> Option<(&Own, &(String, usize))> {
        self.files.iter().find_map(|file| Some((file, file.defs.iter().find(|def| def.0 == name)?)))
    }

    fn ask_text(&self, names: Vec<String>) -> Question {
        let here = names.iter().filter_map(|name| Some(format!("{name} in {}", self.place_of(name)?.0.path)));
        let expected = here.collect();
        let args = json!({"pattern": format!(r"\b({})\b", names.join("|"))});
        Question { tool: "regex_search", args, expected, names }
    }

    fn ask_search(&mut self, names: Vec<String>) -> Question {
        let Some(name) = names.get(self.rng.below(names.len().max(1))).cloned() else {
            return self.ask_neighbors();
        };
        let expected = self.place_of(&name).map(|(file, def)| file.id(&def.0)).into_iter().collect();
        let args = json!({"query": name, "limit": 20});
        Question { tool: "map_search", args, expected, names: vec![name] }
    }

    fn ask_neighbors(&self) -> Question {
        let callers = self.files.iter().filter(|file| file.calls).flat_map(Own::ids);
        let node = format!("py:lib/c{}.py#{}", self.number, self.target());
        let args = json!({"nodeId": node, "direction": "in", "edgeKinds": ["calls"], "tokenBudget": 10_000});
        Question { tool: "map_neighbors", args, expected: callers.collect(), names: Vec::new() }
    }

    /// Returns a question that reads definitions by their IDs, including removed ones.
    fn ask_source(&self, names: &[String], dead: &[String]) -> Question {
        let mut targets: Vec<String> = dead.iter().take(ASKED).cloned().collect();
        let mut expected: BTreeSet<String> = targets.iter().map(|id| format!("no {id}")).collect();
        for name in names {
            if let Some((file, def)) = self.place_of(name) {
                targets.push(file.id(name));
                expected.insert(format!("{}: {}", file.id(name), self.source(file, def).trim_end()));
            }
        }
        if targets.is_empty() {
            return self.ask_neighbors();
        }
        let args = json!({"targets": targets, "token_budget": 10_000});
        Question { tool: "read_symbols", args, expected, names: Vec::new() }
    }
}

impl Own {
    fn ending(&self) -> &str {
        self.path.rsplit('.').next().unwrap_or_default()
    }

    fn id(&self, name: &str) -> String {
        format!("{}:{}#{name}", self.ending(), self.path)
    }

    fn ids(&self) -> Vec<String> {
        self.defs.iter().map(|(name, _)| self.id(name)).collect()
    }

    fn names(&self) -> Vec<String> {
        self.defs.iter().map(|(name, _)| name.clone()).collect()
    }
}

impl Question {
    /// Converts an answer to the words of [`Question::expected`].
    pub(super) fn read(&self, answer: &Answer) -> BTreeSet<String> {
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        if answer.envelope["ok"] != true {
            return BTreeSet::from([format!("error {}", answer.envelope["error"]["code"])]);
        }
        match self.tool {
            "regex_search" => {
                let lines = answer.list("/matches").iter();
                let named = lines.flat_map(|line| {
                    let here = self.names.iter().filter(|name| text(&line["text"]).contains(*name));
                    here.map(|name| format!("{name} in {}", text(&line["file"])))
                });
                named.collect()
            }
            "map_search" => {
                let hits = answer.list("/results").iter().filter(|hit| hit["name"] == self.names[0].as_str());
                hits.map(|hit| text(&hit["id"])).collect()
            }
            "map_neighbors" => answer.list("/neighbors").iter().map(|node| text(&node["id"])).collect(),
            _ => {
                let read = answer.list("/symbols").iter();
                let read =
                    read.map(|one| format!("{}: {}", text(&one["uid"]), text(&one["source"]).trim_end()));
                let lost = answer.list("/not_found").iter().map(|id| format!("no {}", text(id)));
                read.chain(lost).collect()
            }
        }
    }
}
