//! Tests that after a thousand random changes a daemon that followed them knows the same as one that starts afresh.

use std::collections::BTreeSet;

use hob_tests::{Mcp, Rng, Tree, World};
use serde_json::{Value, json};

const CHANGES: usize = 1_000;

/// The files, folders and names of the random project.
struct Project<'t> {
    tree: &'t Tree,
    rng: Rng,
    files: Vec<String>,
    folders: Vec<String>,
    made: usize,
    names: BTreeSet<String>,
}

impl<'t> Project<'t> {
    fn new(tree: &'t Tree, seed: u64) -> Self {
        let folders = ["src", "src/core", "lib", "lib/deep/er", "web"].map(str::to_owned).to_vec();
        let mut project =
            Self { tree, rng: Rng::new(seed), files: Vec::new(), folders, made: 0, names: BTreeSet::new() };
        (0..60).for_each(|_| project.create());
        project
    }

    fn create(&mut self) {
        let ending = *self.rng.pick(&["py", "py", "py", "ts", "ts", "c", "txt", "go", "rs"]);
        let folder = self.rng.pick(&self.folders).clone();
        self.made += 1;
        let path = format!("{folder}/m{}.{ending}", self.made);
        let text = self.text(&path);
        self.tree.write(&path, text);
        self.files.push(path);
    }

    /// Returns a name from a small set, so that files share names.
    fn name(&mut self) -> String {
        let name = format!("{}_{}", self.rng.pick(&["load", "save", "draw", "move"]), self.rng.below(25));
        self.names.insert(name.clone());
        name
    }

    fn text(&mut self, path: &str) -> String {
        let ending = path.rsplit('.').next().unwrap_or_default();
        let count = 1 + self.rng.below(5);
        let mut out = self.import(ending);
        for _ in 0..count {
            let (own, used, number) = (self.name(), self.name(), self.rng.below(1000));
            out.push_str(&match ending {
                "py" => format!("class C{number}:\n    def {own}(self):\n        return {used}()\n\n\ndef {own}():\n    return {used}()\n\n"),
                "ts" => format!("export function {own}() {{ return {used}(); }}\nexport class T{number} {{ {own}() {{}} }}\n"),
                "c" => format!("int {own}(void) {{ return {used}(); }}\n"),
                "go" => format!("func {own}() int {{ return {used}() }}\n"),
                "rs" => format!("pub fn {own}() {{ {used}(); }}\n"),
                _ => format!("{own} and {used}: {number}\n"),
            });
        }
        out
    }

    /// Returns an import of something from another file of the same language, which need not have it.
    fn import(&mut self, ending: &str) -> String {
        let others: Vec<String> =
            self.files.iter().filter(|f| f.ends_with(&format!(".{ending}"))).cloned().collect();
        if ending == "go" {
            return "package x\n".to_owned();
        }
        if others.is_empty() || self.rng.below(4) == 0 {
            return String::new();
        }
        let other = self.rng.pick(&others).clone();
        let module = other.rsplit_once('.').map_or("", |(stem, _)| stem).to_owned();
        let name = self.name();
        match ending {
            "py" => format!("from {} import {name}\n\n", module.replace('/', ".")),
            "ts" => format!("import {{ {name} }} from \"../{module}\";\n"),
            "c" => format!("#include \"{other}\"\n"),
            _ => String::new(),
        }
    }

    fn change(&mut self) {
        match self.rng.below(10) {
            0..=4 if !self.files.is_empty() => self.edit(),
            5 | 6 => self.create(),
            7 if self.files.len() > 40 => self.delete(),
            8 if !self.files.is_empty() => self.rename_file(),
            9 if self.rng.below(3) == 0 => self.rename_folder(),
            _ => self.create(),
        }
        if self.files.len() > 140 {
            self.delete();
        }
    }

    fn edit(&mut self) {
        let path = self.rng.pick(&self.files).clone();
        let text = self.text(&path);
        match self.rng.below(3) {
            0 => self.tree.write(&path, text),
            1 => self.tree.write(&path, self.tree.read(&path) + &text),
            _ => {
                // As editors save.
                self.tree.write(&format!("{path}~"), text);
                self.tree.rename(&format!("{path}~"), &path);
            }
        }
    }

    fn delete(&mut self) {
        let at = self.rng.below(self.files.len());
        let path = self.files.swap_remove(at);
        self.tree.remove(&path);
    }

    fn rename_file(&mut self) {
        let at = self.rng.below(self.files.len());
        let old = self.files[at].clone();
        // Sometimes the new name has the ending of another language or of none.
        let ending = *self.rng.pick(&["py", "ts", "c", "txt"]);
        self.made += 1;
        let new = format!("{}/r{}.{ending}", self.rng.pick(&self.folders), self.made);
        self.tree.rename(&old, &new);
        self.files[at] = new;
    }

    fn rename_folder(&mut self) {
        self.made += 1;
        let at = self.rng.below(self.folders.len());
        let (old, new) = (self.folders[at].clone(), format!("moved{}", self.made));
        if !self.tree.at(&old).is_dir() {
            return;
        }
        self.tree.rename(&old, &new);
        let moved = |path: &String| match path.strip_prefix(&format!("{old}/")) {
            Some(rest) => format!("{new}/{rest}"),
            None => path.clone(),
        };
        self.files = self.files.iter().map(moved).collect();
        self.folders = self
            .folders
            .iter()
            .map(|folder| if *folder == old { new.clone() } else { moved(folder) })
            .collect();
    }
}

/// Returns everything that both daemons are asked for, without what may differ: times, and scores, which are computed
/// in the background.
fn knowledge(mcp: &mut Mcp, names: &BTreeSet<String>) -> Vec<(String, Value)> {
    let mut known = Vec::new();
    let mut ids = BTreeSet::new();
    for name in names {
        let answer = mcp.call("map_search", json!({"query": name, "limit": 100, "tokenBudget": 10_000}));
        // The exact name comes before all similar ones; scores decide which of the latter are shown.
        let mut hits: Vec<Value> = answer.list("/results").to_vec();
        hits.retain(|hit| hit["name"] == name.as_str());
        hits.iter_mut().for_each(forget_scores);
        hits.sort_by_key(|hit| hit["id"].to_string());
        ids.extend(hits.iter().filter_map(|hit| hit["id"].as_str().map(str::to_owned)));
        known.push((format!("search {name} of {}", answer.ok()["total"]), Value::from(hits)));
    }
    let ids: Vec<&String> = ids.iter().collect();
    for id in ids.iter().step_by(ids.len() / 120 + 1) {
        let args = json!({"nodeId": id, "maxNodes": 200, "tokenBudget": 10_000});
        let answer = mcp.call("map_neighbors", args);
        known.push((format!("neighbours of {id}"), neighbours(answer.ok())));
    }
    for pattern in ["load_1", r"draw_\d+\(\)", "^import", "class C1", r"\bsave_2[0-4]\b", "and"] {
        let answer = mcp.call("regex_search", json!({"pattern": pattern, "tokenBudget": 10_000}));
        let mut found = answer.ok().clone();
        found["elapsed_ms"] = Value::Null;
        known.push((format!("text {pattern}"), found));
    }
    let status = mcp.call("map_status", json!({}));
    let counts = ["files", "symbols", "languages", "staleFiles"].map(|field| status.ok()[field].clone());
    known.push(("status".to_owned(), counts.to_vec().into()));
    known.push(("text files".to_owned(), status.ok()["text"]["files"].clone()));
    known
}

fn forget_scores(item: &mut Value) {
    item["score"] = Value::Null;
}

/// Returns the neighbours as a set. Scores decide which twenty of a kind are shown, so if some are omitted, only their
/// number is compared.
fn neighbours(data: &Value) -> Value {
    let mut list = data["neighbors"].as_array().cloned().unwrap_or_default();
    if data["omitted"] != 0 {
        return json!([list.len(), data["omitted"]]);
    }
    for item in &mut list {
        forget_scores(item);
        // Candidates are ranked by score; here only their set counts.
        if let Some(candidates) = item["candidates"].as_array_mut() {
            candidates.sort_by_key(Value::to_string);
        }
    }
    list.sort_by_key(Value::to_string);
    list.into()
}

#[test]
fn a_thousand_changes_lead_where_a_fresh_start_leads() {
    (1..=3).for_each(followed_leads_where_fresh_leads);
}

fn followed_leads_where_fresh_leads(seed: u64) {
    let world = World::new();
    let tree = world.tree("//- /pyproject.toml\n[project]\nname = \"x\"\n");
    let mut project = Project::new(&tree, seed);
    let mut mcp = world.mcp(&tree);
    for change in 0..CHANGES {
        project.change();
        // Sometimes a call follows each change, and sometimes a series of changes.
        if change % 50 < 10 || change % 50 == 49 {
            let name = project.name();
            let _ = mcp.call("map_search", json!({"query": name})).ok();
        }
    }
    let followed = knowledge(&mut mcp, &project.names);
    let fresh_world = World::new();
    let fresh = knowledge(&mut fresh_world.mcp(&tree), &project.names);
    for (followed, fresh) in followed.iter().zip(&fresh) {
        compare(seed, followed, fresh);
    }
    assert_eq!(followed.len(), fresh.len());
    assert!(followed.len() > 200, "it was a test of something");
}

/// Compares two answers and shows only what one of the two does not know.
#[track_caller]
fn compare(seed: u64, followed: &(String, Value), fresh: &(String, Value)) {
    assert_eq!(followed.0, fresh.0, "seed {seed}: what was followed, what a fresh start found");
    let (one, two) = (lines(&followed.1), lines(&fresh.1));
    let only = |these: &[String], others: &[String]| {
        these.iter().filter(|line| !others.contains(line)).cloned().collect::<Vec<_>>().join("\n  ")
    };
    let (followed_only, fresh_only) = (only(&one, &two), only(&two, &one));
    assert!(
        one == two,
        "seed {seed}, {}\nonly where changes were followed:\n  {followed_only}\nonly after a fresh start:\n  {fresh_only}",
        followed.0
    );
}

fn lines(value: &Value) -> Vec<String> {
    match value {
        Value::Array(items) => items.iter().map(Value::to_string).collect(),
        Value::Object(fields) => fields.values().flat_map(lines).collect(),
        other => vec![other.to_string()],
    }
}
