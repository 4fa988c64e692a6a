//! Makes outlines of files, folders and classes, from the map alone.
//!
//! A file shows the contents of its types and modules too, a folder the top definitions of its files. Definitions
//! within functions are left out, because nobody can name them from outside.

use hob_base::FileId;
use hob_map::Map;
use hob_map::facts::{Def, DefIdx, DefKind};
use hob_map::graph::{DefRef, NodeRef};
use hob_proto::tools::read::{OutlineSymbol, ReadOutline, ReadSymbolsResult};
use rustc_hash::FxHashMap;

use super::super::target::{self, TargetMeaning};
use super::super::{ToolCall, ToolOutcome, to_data};
use hob_host::Workspace;

/// Most files of a folder that are shown one by one; in a larger one, only its direct files are.
const FILES: usize = 40;

/// Most characters of a signature.
const SIGNATURE: usize = 100;

/// Returns true if a target is a folder.
pub(crate) fn is_folder(call: &ToolCall<'_>, workspace: &Workspace, text: &str) -> bool {
    folder(call, workspace, text).is_some()
}

pub(super) fn outlines(call: &mut ToolCall<'_>, workspace: &Workspace, targets: &[String]) -> ToolOutcome {
    let map = workspace.map();
    let mut result = ReadSymbolsResult::default();
    for text in targets {
        if let Some(folder) = folder(call, workspace, text) {
            result.outlines.extend(of_folder(&map, &folder));
            continue;
        }
        match target::look_up(call, &map, workspace, text) {
            TargetMeaning::One(meant) => {
                call.notes.warnings.extend(meant.note.filter(|_| matches!(meant.node, NodeRef::Def(_))));
                match meant.node {
                    NodeRef::File(file) => result.outlines.extend(of_file(&map, file)),
                    NodeRef::Def(def) => result.outlines.extend(of_definition(&map, def)),
                    NodeRef::External(_) => result.not_found.push(text.clone()),
                }
            }
            TargetMeaning::Several(nodes) => result.ambiguous.push(target::ambiguous(&map, text, &nodes)),
            TargetMeaning::Text(..) | TargetMeaning::Nothing => result.not_found.push(text.clone()),
        }
    }
    let files = result.outlines.iter().map(|outline| outline.file.as_str());
    call.warn_of_unmapped(&map, files);
    to_data(&result)
}

/// Returns the path of the folder that a target names; empty for the root.
fn folder(call: &ToolCall<'_>, workspace: &Workspace, text: &str) -> Option<String> {
    let text = text.trim();
    let is_there = |path: &hob_base::WsPath| workspace.root().join_ws(path).as_path().is_dir();
    if text.is_empty() || text.contains(['#', ':']) {
        return None;
    }
    let spelled = target::paths(call, workspace).spelled(text);
    spelled.into_iter().flatten().find(is_there).map(|path| path.as_str().to_owned())
}

/// Returns the outlines of a folder's files; in a large one, each folder below it is one entry.
fn of_folder(map: &Map, folder: &str) -> Vec<ReadOutline> {
    let prefix = if folder.is_empty() { String::new() } else { format!("{folder}/") };
    let files: Vec<(&str, FileId)> = map
        .mapped_files()
        .into_iter()
        .filter_map(|(path, file)| Some((path.as_str().strip_prefix(&prefix)?, file)))
        .collect();
    let has_many = files.len() > FILES;
    let mut shown: Vec<ReadOutline> = Vec::new();
    for (path, file) in files {
        match path.split_once('/').filter(|_| has_many) {
            None => shown.push(top_of(map, file, format!("{prefix}{path}"))),
            Some((below, _)) => {
                let name = format!("{prefix}{below}/");
                if shown.last().is_none_or(|last| last.file != name) {
                    shown.push(ReadOutline { file: name, files: Some(0), ..ReadOutline::default() });
                }
                if let Some(last) = shown.last_mut() {
                    last.files = last.files.map(|count| count + 1);
                }
            }
        }
    }
    shown
}

/// Returns the top definitions of a file, without signatures and without their contents.
fn top_of(map: &Map, file: FileId, path: String) -> ReadOutline {
    let tree = Tree::new(map, file);
    let symbols = tree.top.iter().filter_map(|at| tree.symbol(map, *at, None)).collect();
    ReadOutline { file: path, symbols, ..ReadOutline::default() }
}

fn of_file(map: &Map, file: FileId) -> Option<ReadOutline> {
    let (path, _) = map.file(file)?;
    let tree = Tree::new(map, file);
    let symbols = tree.top.iter().filter_map(|at| tree.shown(map, *at)).collect();
    Some(ReadOutline { file: path.to_string(), symbols, ..ReadOutline::default() })
}

fn of_definition(map: &Map, def: DefRef) -> Option<ReadOutline> {
    let (path, _) = map.file(def.file)?;
    let tree = Tree::new(map, def.file);
    let root = tree.shown(map, def.def.index())?;
    Some(ReadOutline { file: path.to_string(), symbols: vec![root], ..ReadOutline::default() })
}

/// A file's definitions as a tree: each below the definition around it, or below the type of which it is a member
/// elsewhere in the file, as in an `impl` block.
struct Tree<'m> {
    defs: Vec<(DefRef, &'m Def)>,
    top: Vec<usize>,
    below: Vec<Vec<usize>>,
}

impl<'m> Tree<'m> {
    fn new(map: &'m Map, file: FileId) -> Self {
        let defs: Vec<(DefRef, &Def)> = map.outline(file).collect();
        let (mut top, mut below) = (Vec::new(), vec![Vec::new(); defs.len()]);
        let facts = map.file(file).map(|(_, facts)| facts);
        let types: FxHashMap<&str, usize> = facts
            .iter()
            .flat_map(|facts| {
                let types = defs.iter().enumerate().filter(|(_, (_, def))| def.kind.is_type());
                types.map(|(at, (_, def))| (facts.name(def.qualified), at))
            })
            .collect();
        for (at, (_, def)) in defs.iter().enumerate() {
            let written_in = def.parent.map(DefIdx::index);
            let member_of = || {
                let (owner, _) = facts?.name(def.qualified).rsplit_once('.')?;
                types.get(owner).copied().filter(|owner| *owner != at)
            };
            match written_in.or_else(member_of) {
                Some(owner) => below[owner].push(at),
                None => top.push(at),
            }
        }
        Self { defs, top, below }
    }

    /// Returns a definition with its contents.
    fn shown(&self, map: &Map, at: usize) -> Option<OutlineSymbol> {
        let (_, def) = self.defs[at];
        let holds =
            def.kind.is_type() || matches!(def.kind, DefKind::Module | DefKind::Section | DefKind::Note);
        let below: &[usize] = if holds { &self.below[at] } else { &[] };
        let children = below.iter().filter_map(|child| self.shown(map, *child)).collect();
        Some(OutlineSymbol { children, ..self.symbol(map, at, Some(SIGNATURE))? })
    }

    /// Returns a definition without its contents, with so many characters of its signature.
    fn symbol(&self, map: &Map, at: usize, signature: Option<usize>) -> Option<OutlineSymbol> {
        let (node, def) = self.defs[at];
        let info = map.info(node.into())?;
        let shown = signature.filter(|_| def.kind.is_callable() && !info.signature.is_empty());
        Some(OutlineSymbol {
            name: if def.parent.is_none() { info.qualified } else { info.name },
            kind: info.kind.as_str().to_owned(),
            line: def.name_at.0,
            end_line: def.lines.1,
            signature: shown.map(|most| info.signature.chars().take(most).collect()),
            children: Vec::new(),
        })
    }
}
