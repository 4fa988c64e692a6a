//! Measures the calls that the map finds against independent call graphs: recall and precision by category.
//!
//! The cases are not of this project. `HOB_CALL_GRAPHS` names a folder of categories of cases, each with sources and a
//! `callgraph.json` (caller to callees): `micro-benchmark/snippets` of vitsalis/PyCG at 8d5dc4083780,
//! `benchmarks/javascript/swarm_js` of secure-software-engineering/SWARM-CG at 5929c0a36a9c. With `HOB_CALL_HALF=1`
//! only the first half of each category counts, by name; with `HOB_CALL_MISSES=1` the test prints missing and wrong
//! calls. Without the folder it measures nothing, and says so.
//!
//! A called class stands for its constructor. Calls of built-in functions and of packages outside are excluded.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use hob_base::{CancelToken, FileId, WsPath};
use hob_map::graph::{EdgeKind, EdgeKinds, NodeInfo, NodeKind, NodeRef};
use hob_map::{Map, MapChange, extract, language_of};

type Pairs = BTreeSet<(String, String)>;

#[derive(Default)]
struct Score {
    right: usize,
    missed: usize,
    wrong: usize,
}

#[test]
fn calls_are_those_of_the_call_graphs() {
    let Ok(root) = std::env::var("HOB_CALL_GRAPHS") else {
        println!("skipped: HOB_CALL_GRAPHS names no folder of call graphs");
        return;
    };
    let (mut scores, mut total) = (BTreeMap::<String, Score>::new(), Score::default());
    for category in subfolders(Path::new(&root)) {
        let cases = subfolders(&category);
        let half = std::env::var("HOB_CALL_HALF").is_ok();
        let count = if half { cases.len().div_ceil(2) } else { cases.len() };
        for case in &cases[..count] {
            let score = scores.entry(name(&category)).or_default();
            measure_case(case, score);
        }
    }
    for (category, score) in &scores {
        println!("{category:16} {}", score.summary_line());
        total.right += score.right;
        total.missed += score.missed;
        total.wrong += score.wrong;
    }
    println!("{:16} {}", "all", total.summary_line());
    assert!(total.right > 0, "the folder has no call graphs");
}

impl Score {
    fn summary_line(&self) -> String {
        let share = |part: usize, rest: usize| part as f64 / (part + rest).max(1) as f64;
        let (recall, precision) = (share(self.right, self.missed), share(self.right, self.wrong));
        format!(
            "recall {recall:.3} precision {precision:.3} ({} right, {} missed, {} wrong)",
            self.right, self.missed, self.wrong
        )
    }
}

fn subfolders(root: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(root).into_iter().flatten().flatten();
    let mut folders: Vec<PathBuf> = entries.map(|entry| entry.path()).filter(|path| path.is_dir()).collect();
    folders.sort();
    folders
}

fn name(path: &Path) -> String {
    path.file_name().map_or_else(String::new, |name| name.to_string_lossy().into_owned())
}

fn measure_case(case: &Path, score: &mut Score) {
    let Ok(graph) = std::fs::read_to_string(case.join("callgraph.json")) else { return };
    let Ok(graph) = serde_json::from_str::<BTreeMap<String, Vec<String>>>(&graph) else { return };
    let project = CallGraphProject::read(case);
    let mut wanted = Pairs::new();
    for (caller, callees) in &graph {
        for callee in callees.iter().filter(|callee| project.has_name(callee) && project.has_name(caller)) {
            // Some graphs have a point before it, others do not.
            let callee = callee.replace(".[Symbol", "[Symbol").replace("[Symbol", ".[Symbol");
            wanted.insert((caller.clone(), callee));
        }
    }
    let found = project.resolved_calls();
    check_inbound(&project, case);
    score.right += wanted.intersection(&found).count();
    score.missed += wanted.difference(&found).count();
    score.wrong += found.difference(&wanted).count();
    if std::env::var("HOB_CALL_MISSES").is_ok() {
        wanted.difference(&found).for_each(|(a, b)| println!("missed {} {a} -> {b}", case.display()));
        found.difference(&wanted).for_each(|(a, b)| println!("wrong {} {a} -> {b}", case.display()));
    }
}

/// Compares the calls of a node from both ends, and prints those that only one end has.
fn check_inbound(project: &CallGraphProject, case: &Path) {
    let kinds: EdgeKinds = [EdgeKind::Calls].into_iter().collect();
    for node in project.all_nodes() {
        for edge in project.map.edges_out(node, kinds).into_iter().filter(|edge| edge.is_resolved()) {
            let back = project.map.edges_in(edge.to, kinds, &CancelToken::default()).unwrap_or_default();
            let known = back.iter().any(|back| back.from == node && back.is_resolved());
            if !known && !matches!(edge.to, NodeRef::External(_)) {
                println!(
                    "one end only {}: {} -> {}",
                    case.display(),
                    project.map.id(node),
                    project.map.id(edge.to)
                );
            }
        }
    }
}

/// The sources of a case as a map.
struct CallGraphProject {
    map: Map,
    files: u32,
    /// The names that call graphs use, by definition.
    names: BTreeMap<NodeRef, String>,
    known: BTreeSet<String>,
}

impl CallGraphProject {
    fn read(root: &Path) -> Self {
        let (mut paths, mut waiting) = (Vec::new(), vec![root.to_path_buf()]);
        while let Some(dir) = waiting.pop() {
            waiting.extend(subfolders(&dir));
            let entries = std::fs::read_dir(&dir).into_iter().flatten().flatten();
            paths.extend(entries.map(|entry| entry.path()).filter(|path| path.is_file()));
        }
        paths.sort();
        let mut changes = Vec::new();
        for path in &paths {
            let Some(change) = file_change(changes.len() as u32, path, root) else { continue };
            changes.push(change);
        }
        let files = changes.len() as u32;
        let mut map = Map::new();
        map.apply(changes);
        let mut project = Self { map, files, names: BTreeMap::new(), known: BTreeSet::new() };
        project.name_all();
        project
    }

    fn all_nodes(&self) -> Vec<NodeRef> {
        let files = (0..self.files).map(FileId);
        files
            .flat_map(|file| {
                let defs = self.map.defs_of(file).into_iter().map(NodeRef::Def);
                std::iter::once(NodeRef::File(file)).chain(defs)
            })
            .collect()
    }

    fn name_all(&mut self) {
        let mut anonymous = 0;
        for node in self.all_nodes() {
            let Some(info) = self.map.info(node) else { continue };
            let Some(path) = info.path.as_ref() else { continue };
            let stem = path.as_str().rsplit_once('.').map_or(path.as_str(), |(stem, _)| stem);
            let stem = stem.strip_suffix("/__init__").or(stem.strip_suffix("/index")).unwrap_or(stem);
            let module = stem.replace('/', ".");
            let name = match is_anonymous(&info) {
                Some(word) => {
                    anonymous += 1;
                    let around = info
                        .qualified
                        .rsplit_once('.')
                        .map_or(String::new(), |(around, _)| format!("{around}."));
                    format!("{module}.{around}<{word}{anonymous}>")
                }
                None if info.qualified.is_empty() => module,
                None => format!("{module}.{}", info.qualified),
            };
            self.known.insert(name.clone());
            self.names.insert(node, name);
        }
    }

    fn has_name(&self, name: &str) -> bool {
        let module = name.split('.').next().unwrap_or(name);
        !name.starts_with('<') && (self.known.contains(name) || self.known.contains(module))
    }

    fn resolved_calls(&self) -> Pairs {
        let kinds: EdgeKinds = [EdgeKind::Calls].into_iter().collect();
        let mut found = Pairs::new();
        for node in self.all_nodes() {
            for edge in self.map.edges_out(node, kinds).into_iter().filter(|edge| edge.is_resolved()) {
                let (Some(from), Some(to)) =
                    (self.caller_name(node, &edge.sites), self.callee_name(edge.to, 0))
                else {
                    continue;
                };
                found.insert((from, to));
            }
        }
        found
    }

    /// Returns the name of the function or file that runs a call: the file or function around them runs a class's body,
    /// the value of a variable and decorators.
    fn caller_name(&self, node: NodeRef, sites: &[u32]) -> Option<String> {
        let info = self.map.info(node)?;
        let decorates =
            !matches!(info.kind, NodeKind::File) && sites.iter().all(|line| *line < info.name_at.0);
        let can_run = matches!(info.kind, NodeKind::File)
            || matches!(info.kind, NodeKind::Def(kind) if kind.is_callable());
        let runs = can_run && !decorates;
        if runs {
            return self.names.get(&node).cloned();
        }
        let kinds: EdgeKinds = [EdgeKind::Contains].into_iter().collect();
        let around = self.map.edges_in(node, kinds, &CancelToken::default()).ok()?;
        self.caller_name(around.first()?.from, &[u32::MAX])
    }

    fn callee_name(&self, node: NodeRef, depth: usize) -> Option<String> {
        let info = self.map.info(node)?;
        if depth > 8 {
            return None;
        }
        match info.kind {
            NodeKind::Def(kind) if kind.is_type() => self.constructor_name(node, depth),
            NodeKind::External => None,
            _ => self.names.get(&node).cloned(),
        }
    }

    fn constructor_name(&self, class: NodeRef, depth: usize) -> Option<String> {
        let kinds: EdgeKinds = [EdgeKind::Contains].into_iter().collect();
        for child in self.map.edges_out(class, kinds) {
            if self.map.info(child.to).is_some_and(|info| matches!(&*info.name, "__init__" | "constructor")) {
                return self.names.get(&child.to).cloned();
            }
        }
        let kinds: EdgeKinds = [EdgeKind::Extends].into_iter().collect();
        let mut bases = self.map.edges_out(class, kinds);
        bases.sort_by_key(|edge| edge.sites.first().copied());
        bases.iter().find_map(|base| self.callee_name(base.to, depth + 1))
    }
}

/// Returns the name in call graphs for an anonymous function that is bound to a name here.
fn is_anonymous(info: &NodeInfo) -> Option<&'static str> {
    let callable = matches!(info.kind, NodeKind::Def(kind) if kind.is_callable());
    let is_lambda = info.signature.contains("lambda");
    let is_arrow = info.path.as_ref().is_some_and(|path| path.as_str().ends_with(".js"))
        && !info.signature.contains("function")
        && matches!(info.kind, NodeKind::Def(hob_map::facts::DefKind::Function));
    match (callable, is_lambda, is_arrow) {
        (true, true, _) => Some("lambda"),
        (true, _, true) => Some("arrow"),
        _ => None,
    }
}

fn file_change(number: u32, path: &Path, root: &Path) -> Option<MapChange> {
    let ws_path = WsPath::from_path(path.strip_prefix(root).ok()?).ok()?;
    let source = std::fs::read(path).ok()?;
    let file_name = ws_path.file_name().to_owned();
    let lang = language_of(&file_name, &source).filter(|_| file_name != "callgraph.json")?;
    let facts = Arc::new(extract(lang, &file_name, &source));
    Some(MapChange::Set { file: FileId(number), path: ws_path, facts })
}
