//! Finds the node that a text means, one form after the other: ID, path with lines, path with a name, name, and at last
//! nearly written ones. A meaning other than the text's plain one comes with a note that says so.

use hob_base::{FileId, WsPath};
use hob_map::Map;
use hob_map::graph::{DefRef, EdgeKind, EdgeKinds, Lookup, NodeRef};
use hob_proto::NodeId;

use super::form::{self, WrittenLines};
use super::paths::Paths;

/// Top folders of a project whose definitions are seldom meant by their name.
const BESIDE: [&str; 7] = ["bench", "benches", "benchmarks", "build", "docs", "examples", "scripts"];

/// Most classes in which an inherited member is searched.
const MOST_BASES: usize = 32;

/// The meaning of a text.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum TargetMeaning {
    /// One node, without doubt.
    One(ResolvedTarget),
    /// One of several nodes; the likeliest first.
    Several(Vec<NodeRef>),
    /// A file of the workspace without a node, and the lines in it.
    Text(WsPath, Option<(u32, u32)>),
    /// The text means nothing.
    Nothing,
}

/// The node that a text means.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct ResolvedTarget {
    /// The meant node.
    pub(crate) node: NodeRef,
    /// The first and the last line that the text gives.
    pub(crate) lines: Option<(u32, u32)>,
    /// A sentence for the reader if the node is not plainly the written one.
    pub(crate) note: Option<String>,
}

impl From<NodeRef> for TargetMeaning {
    fn from(node: NodeRef) -> Self {
        Self::One(ResolvedTarget { node, lines: None, note: None })
    }
}

/// The context in which targets are looked up.
#[derive(Clone, Copy)]
pub(crate) struct LookupContext<'a> {
    /// The map of the project.
    pub(crate) map: &'a Map,
    /// The rules for the caller's paths.
    pub(crate) paths: Paths<'a>,
    /// A function that returns true if a file belongs to the workspace, mapped or not.
    pub(crate) shows: &'a dyn Fn(&WsPath) -> bool,
}

impl LookupContext<'_> {
    /// Finds the meaning of a text.
    pub(crate) fn up(&self, text: &str) -> TargetMeaning {
        let trimmed = form::trimmed(text);
        let from_here = self.seen_from_here(trimmed);
        let text = from_here.as_ref().map_or(trimmed, WsPath::as_str);
        let found = self.plainly(text);
        match (found, text.split_once(char::is_whitespace)) {
            // The text may be a line of an answer, which begins with a handle.
            (TargetMeaning::Nothing, Some((handle, _))) if handle.contains([':', '.', '#']) => {
                self.plainly(handle)
            }
            (found, _) => found,
        }
    }

    /// Returns the folder that a text such as `.`, `../x` or `/home/me/project/x` means, as a path from the root;
    /// `None` for the root itself, which is no target.
    fn seen_from_here(&self, text: &str) -> Option<WsPath> {
        let is_path =
            matches!(text, "." | "..") || ["./", "../", "/"].iter().any(|start| text.starts_with(start));
        let folder = is_path.then(|| self.folder(text)).flatten()?;
        (!folder.as_str().is_empty()).then_some(folder)
    }

    /// Returns the folder of the workspace at a path.
    pub(crate) fn folder(&self, path: &str) -> Option<WsPath> {
        let is_folder = |path: &WsPath| self.paths.root.join_ws(path).as_path().is_dir();
        self.paths.spelled(path).into_iter().flatten().find(is_folder)
    }

    fn plainly(&self, text: &str) -> TargetMeaning {
        let readings: [&dyn Fn() -> TargetMeaning; 6] = [
            &|| self.by_id(text),
            &|| self.by_place(text, &|path| self.file(path).into_iter().collect()),
            &|| self.by_name(text),
            &|| self.by_place(text, &|path| self.files_ending(path)),
            &|| self.inherited(text),
            &|| self.nearly(text),
        ];
        let found = readings.iter().map(|read| read()).find(|found| *found != TargetMeaning::Nothing);
        self.settled(text, found.unwrap_or_else(|| self.text_file(text)))
    }

    fn by_id(&self, text: &str) -> TargetMeaning {
        let id = NodeId::looks_like(text).then(|| text.parse::<NodeId>().ok()).flatten();
        id.and_then(|id| self.map.node(&id)).map_or(TargetMeaning::Nothing, TargetMeaning::from)
    }

    /// Reads a text as a path with lines or a name behind it, in the files that `files` gives for the path.
    fn by_place(&self, text: &str, files: &dyn Fn(&str) -> Vec<FileId>) -> TargetMeaning {
        for (path, span) in form::places(text) {
            match files(path)[..] {
                [] => {}
                [file] => return self.in_file(file, span),
                ref several => {
                    return TargetMeaning::Several(several.iter().map(|file| NodeRef::File(*file)).collect());
                }
            }
        }
        for (path, name) in form::members(text) {
            let files = files(path);
            let defs: Vec<DefRef> = files.iter().flat_map(|file| self.map.defs_called(*file, name)).collect();
            if !files.is_empty() {
                return self.one_of(defs, &files, name);
            }
        }
        TargetMeaning::Nothing
    }

    /// Returns the definitions; if there are none, the node whose ID ends with the name, as a private name of
    /// JavaScript with its `#` does.
    fn one_of(&self, defs: Vec<DefRef>, files: &[FileId], name: &str) -> TargetMeaning {
        match defs[..] {
            [] => {
                let encoded = files.iter().find_map(|file| {
                    let id = self.map.id(NodeRef::File(*file));
                    self.map.node(&format!("{id}#{name}").parse::<NodeId>().ok()?)
                });
                encoded.map_or(TargetMeaning::Nothing, TargetMeaning::from)
            }
            [def] => NodeRef::Def(def).into(),
            _ => TargetMeaning::Several(defs.into_iter().map(NodeRef::Def).collect()),
        }
    }

    fn by_name(&self, text: &str) -> TargetMeaning {
        match self.map.lookup(text) {
            Lookup::One(node) => node.into(),
            Lookup::Ambiguous(nodes) => TargetMeaning::Several(nodes),
            Lookup::None => TargetMeaning::Nothing,
        }
    }

    /// Finds a member that a class has from one of its bases, nearest first.
    fn inherited(&self, text: &str) -> TargetMeaning {
        let text = text.trim_end_matches("()");
        let Some((class, member)) = text.rsplit_once("::").or_else(|| text.rsplit_once(['.', '#'])) else {
            return TargetMeaning::Nothing;
        };
        let Lookup::One(class) = self.map.lookup(class) else { return TargetMeaning::Nothing };
        let kinds: EdgeKinds = [EdgeKind::Extends, EdgeKind::Implements].into_iter().collect();
        let (mut classes, mut at) = (vec![class], 0);
        while let Some(class) = classes.get(at).copied().filter(|_| at < MOST_BASES) {
            at += 1;
            if let NodeRef::Def(def) = class
                && let Some(found) = self.member(def, member)
            {
                let note = Some(format!("`{}` is inherited: {}.", super::short(text), self.handle(found)));
                return TargetMeaning::One(ResolvedTarget { node: found, lines: None, note });
            }
            let bases = self.map.edges_out(class, kinds).into_iter().map(|edge| edge.to);
            let new: Vec<NodeRef> = bases.filter(|base| !classes.contains(base)).collect();
            classes.extend(new);
        }
        TargetMeaning::Nothing
    }

    fn member(&self, class: DefRef, name: &str) -> Option<NodeRef> {
        let mut members = self.map.outline(class.file).filter(|(_, def)| def.parent == Some(class.def));
        members.find_map(|(def, _)| {
            let node = NodeRef::Def(def);
            (self.map.info(node)?.name == name).then_some(node)
        })
    }

    /// Finds a module, or a private name that is written without its `#`.
    fn nearly(&self, text: &str) -> TargetMeaning {
        let is_dotted = text.contains(['.', '/']) || text.contains("::");
        let files = if is_dotted { self.map.files_of_module(text) } else { Vec::new() };
        match files[..] {
            [] => {}
            [file] => return NodeRef::File(file).into(),
            ref several => {
                return TargetMeaning::Several(several.iter().map(|file| NodeRef::File(*file)).collect());
            }
        }
        let (before, last) =
            text.rsplit_once('.').map_or(("", text), |(_, last)| (&text[..text.len() - last.len()], last));
        let mut found = self.by_name(&format!("{before}#{}", last.trim_end_matches("()")));
        if let TargetMeaning::One(meant) = &mut found {
            meant.note = Some(format!("`{text}` is taken for {}.", self.handle(meant.node)));
        }
        found
    }

    fn in_file(&self, file: FileId, span: WrittenLines) -> TargetMeaning {
        let (first, last) = match span {
            WrittenLines::Whole => return NodeRef::File(file).into(),
            WrittenLines::At { line, .. } => (line, line),
            WrittenLines::Lines(first, last) => (first, last),
        };
        let named = match span {
            WrittenLines::At { line, col } => self.named_on(file, line, col),
            _ => Vec::new(),
        };
        let around = || self.map.symbol_around(file, first, last);
        let meant = |node: NodeRef, note| {
            TargetMeaning::One(ResolvedTarget { node, lines: Some((first, last)), note })
        };
        match (&named[..], around()) {
            ([def], _) => meant((*def).into(), None),
            ([], Some(def)) => {
                let is_said = matches!(span, WrittenLines::At { .. });
                let note =
                    is_said.then(|| format!("{} is in {}.", self.line(file, first), self.handle(def.into())));
                meant(def.into(), note)
            }
            ([], None) => {
                let what = format!("No definition is around {}: its file is meant.", self.line(file, first));
                meant(NodeRef::File(file), Some(what))
            }
            (several, _) => match self.outermost(several) {
                Some(def) => meant(
                    def.into(),
                    Some(format!("Several names are on that line: {} is meant.", self.handle(def.into()))),
                ),
                None => TargetMeaning::Several(several.iter().copied().map(NodeRef::Def).collect()),
            },
        }
    }

    /// Returns the definitions whose names stand on a line, or at a column of it.
    fn named_on(&self, file: FileId, line: u32, col: Option<u32>) -> Vec<DefRef> {
        let mut named = self.map.defs_named_on(file, line);
        if let Some(col) = col {
            let is_at = |def: &DefRef| {
                let info = self.map.info((*def).into());
                info.is_some_and(|info| {
                    let width = info.name.encode_utf16().count().max(1) as u32;
                    (info.name_at.1..info.name_at.1 + width).contains(&col)
                })
            };
            named.retain(is_at);
        }
        named
    }

    /// Returns the definition that contains all the others; `None` if none does.
    fn outermost(&self, defs: &[DefRef]) -> Option<DefRef> {
        let bytes = |def: &DefRef| self.map.info((*def).into()).map_or((0, 0), |info| info.bytes);
        let first = *defs.iter().min_by_key(|def| (bytes(def).0, std::cmp::Reverse(bytes(def).1)))?;
        let around = bytes(&first);
        let is_in = |def: &&DefRef| bytes(def).0 >= around.0 && bytes(def).1 <= around.1;
        let is_wider = |def: &&DefRef| bytes(def) == around && **def != first;
        (defs.iter().all(|def| is_in(&def)) && !defs.iter().any(|def| is_wider(&def))).then_some(first)
    }

    /// Chooses the only node of several that is code outside of tests; otherwise sorts those in tests last.
    fn settled(&self, text: &str, found: TargetMeaning) -> TargetMeaning {
        let TargetMeaning::Several(mut nodes) = found else { return found };
        nodes.sort_by_key(|node| (self.map.is_among_tests(*node), self.is_beside(*node)));
        // A declaration file repeats the code's definitions; without code, its definitions count.
        let is_code = |node: &&NodeRef| {
            !self.map.is_among_tests(**node) && !self.is_declaration_file(**node) && !self.is_beside(**node)
        };
        let mut outside = nodes.iter().filter(is_code);
        let (Some(node), None) = (outside.next(), outside.next()) else {
            return TargetMeaning::Several(nodes);
        };
        let others = nodes.len() - 1;
        let are = if others == 1 { "one other is" } else { "all others are" };
        let is_test = |node: &NodeRef| self.map.is_among_tests(*node);
        let kind = if nodes.iter().filter(|node| is_test(node)).count() == others {
            ""
        } else {
            ", examples or declaration files"
        };
        let note =
            format!("`{}` is taken for {}: {are} in tests{kind}.", super::short(text), self.handle(*node));
        TargetMeaning::One(ResolvedTarget { node: *node, lines: None, note: Some(note) })
    }

    /// Returns true if a node is in a file of types alone (`index.d.ts`).
    fn is_declaration_file(&self, node: NodeRef) -> bool {
        let path = node.file().and_then(|file| self.map.file(file)).map(|(path, _)| path.as_str());
        path.is_some_and(|path| path.ends_with(".d.ts") || path.ends_with(".pyi"))
    }

    /// Returns true if a node is in a folder that shows or builds the project but is not part of it.
    fn is_beside(&self, node: NodeRef) -> bool {
        let path = node.file().and_then(|file| self.map.file(file)).map(|(path, _)| path.as_str());
        let first = path.and_then(|path| path.split_once('/')).map(|(folder, _)| folder);
        first.is_some_and(|folder| BESIDE.contains(&folder))
    }

    /// Returns the file at a path that is written from the root or from the caller's folder.
    fn file(&self, path: &str) -> Option<FileId> {
        self.paths.spelled(path).into_iter().flatten().find_map(|path| self.map.file_at(path.as_str()))
    }

    fn files_ending(&self, path: &str) -> Vec<FileId> {
        let tail = path.trim_start_matches("./").trim_start_matches("../").trim_matches('/');
        // A single word is a name; a text with an ending or a folder is a path.
        if tail.contains(['.', '/']) { self.map.files_ending(tail) } else { Vec::new() }
    }

    /// Finds an existing file of which the map has nothing.
    fn text_file(&self, text: &str) -> TargetMeaning {
        for (path, span) in form::places(text) {
            let lines = match span {
                WrittenLines::Whole => None,
                WrittenLines::At { line, .. } => Some((line, line)),
                WrittenLines::Lines(first, last) => Some((first, last)),
            };
            let is_there =
                |path: &WsPath| (self.shows)(path) && self.paths.root.join_ws(path).as_path().is_file();
            if let Some(path) = self.paths.spelled(path).into_iter().flatten().find(is_there) {
                return TargetMeaning::Text(path, lines);
            }
        }
        TargetMeaning::Nothing
    }

    /// Returns `path:line` of a line of a file.
    fn line(&self, file: FileId, line: u32) -> String {
        format!("{}:{line}", self.map.file(file).map_or("", |(path, _)| path.as_str()))
    }

    /// Returns the handle of a node, which callers can pass back: `path:line name kind`.
    pub(crate) fn handle(&self, node: NodeRef) -> String {
        handle(self.map, node)
    }
}

/// Returns the handle of a node, which callers can pass back: `path:line name kind`, with its ID in place of `path:line
/// name` if several names stand on the line; the path of a file, the ID of a package.
pub(crate) fn handle(map: &Map, node: NodeRef) -> String {
    let Some(info) = map.info(node) else { return map.id(node).to_string() };
    let (NodeRef::Def(def), Some(path)) = (node, &info.path) else {
        return info.path.map_or_else(|| info.id.to_string(), |path| path.to_string());
    };
    match map.defs_named_on(def.file, info.name_at.0).len() {
        1 => format!("{path}:{} {} {}", info.name_at.0, info.qualified, info.kind.as_str()),
        _ => format!("{} {}", info.id, info.kind.as_str()),
    }
}
