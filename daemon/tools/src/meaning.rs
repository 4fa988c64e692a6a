//! Asks the map for the meaning of the name at a place in a workspace's file, as the file is now.

use std::collections::BTreeMap;

use hob_base::{CancelToken, LineIndex, WsPath};
use hob_host::Workspace;
use hob_live::requests::RequestPosition;
use hob_map::graph::{Confidence, DefRef, NodeInfo, NodeRef, OutsidePackage, WrittenName};
use hob_map::locals::{LocalName, NamePlace, local_name_at};
use hob_map::meaning::{self, NameInFile};
use hob_map::place_reading::{PlaceReading, read_places};
use hob_map::receiver::ReceiverExpr;
use hob_map::{Lang, Map, language_of};

use super::ask::text_of;
use super::nav_query::{word_at, word_in};

/// Number of bytes at a file's beginning that decide its language.
const HEAD: usize = 4096;

/// The meaning of a name; see [`meaning::Meaning`].
pub(super) enum NameMeaning {
    /// A name that the file itself binds.
    Local(LocalName),
    /// The nodes that the name means or may mean.
    Nodes(Vec<MeantNode>),
}

/// A node that a name means or may mean.
pub(super) struct MeantNode {
    /// The node, with its description.
    pub(super) info: NodeInfo,
    /// The confidence that it is meant.
    pub(super) sure: Confidence,
}

/// Holds the facts that a file states about the names at some of its places, read with one parse before any map is held.
#[derive(Default)]
pub(super) struct FileReading {
    places: BTreeMap<NamePlace, PlaceReading>,
    words: BTreeMap<NamePlace, String>,
    /// The dotted paths that end with the names at those places, with the place at which each begins.
    paths: BTreeMap<NamePlace, (String, NamePlace)>,
}

impl FileReading {
    /// Reads a file, as it is now, for the names at some places. Of a file that cannot be read it says nothing.
    pub(super) fn new(
        workspace: &Workspace,
        file: &WsPath,
        places: impl IntoIterator<Item = NamePlace>,
        cancel: &CancelToken,
    ) -> Self {
        let mut asked: Vec<NamePlace> = places.into_iter().collect();
        let Some(text) = text_of(workspace, file).filter(|_| !asked.is_empty()) else {
            return Self::default();
        };
        let index = LineIndex::new(text.as_bytes());
        let words = asked.iter().map(|at| (*at, word_in(&text, &index, at.line, at.col))).collect();
        let path = |at: &NamePlace| Some((*at, written_path(&text, &index, *at)?));
        let paths: BTreeMap<_, _> = asked.iter().filter_map(path).collect();
        asked.extend(paths.values().map(|(_, first)| *first));
        asked.sort_unstable();
        asked.dedup();
        let lang = language_in(file, &text);
        let read = read_places(lang, text.as_bytes(), &asked, &|| cancel.check().is_ok());
        Self { places: asked.into_iter().zip(read).collect(), words, paths }
    }

    /// Reads a file for the name at one place.
    pub(super) fn of_place(workspace: &Workspace, at: &RequestPosition, cancel: &CancelToken) -> Self {
        Self::new(workspace, &at.file, [place_of(at)], cancel)
    }

    /// Returns the expression before the member's name at a place.
    pub(super) fn receiver_before(&self, at: &RequestPosition) -> Option<ReceiverExpr> {
        self.places.get(&place_of(at))?.receiver.clone()
    }

    /// Returns the place of the name of the function in whose call a named argument stands at a place.
    pub(super) fn callee_with_argument(&self, at: &RequestPosition) -> Option<RequestPosition> {
        let callee = self.places.get(&place_of(at))?.callee?;
        Some(RequestPosition { file: at.file.clone(), line: callee.line, col: callee.col })
    }

    /// Returns the name at a place; empty if there is none.
    pub(super) fn word_at_place(&self, at: &RequestPosition) -> &str {
        self.words.get(&place_of(at)).map_or("", String::as_str)
    }

    fn local_of_name(&self, at: NamePlace) -> Option<&LocalName> {
        self.places.get(&at)?.local.as_ref()
    }

    /// Returns the names joined by `.` or `::` that end with the one at a place, dotted; `None` if the first one is a
    /// variable.
    fn path_of_name(&self, at: NamePlace) -> Option<&str> {
        let (path, first) = self.paths.get(&at)?;
        let is_variable = self.local_of_name(*first).is_some_and(|local| local.is_variable);
        (!is_variable).then_some(path)
    }
}

/// A name of a file, read from its text before any map is held.
pub(super) struct ReadName {
    pub(super) at: RequestPosition,
    word: String,
    /// The dotted path that ends with the name; empty if it begins with a variable.
    path: String,
    local: Option<LocalName>,
}

impl ReadName {
    pub(super) fn new(at: &RequestPosition, reading: &FileReading) -> Self {
        let local = reading.local_of_name(place_of(at)).cloned();
        let path = reading.path_of_name(place_of(at)).unwrap_or_default().to_owned();
        Self { at: at.clone(), word: reading.word_at_place(at).to_owned(), path, local }
    }

    /// Returns the name itself; empty if there is none at the place.
    pub(super) fn word(&self) -> &str {
        &self.word
    }

    /// Returns the dotted path that ends with the name; empty if it begins with a variable.
    pub(super) fn written_path(&self) -> &str {
        &self.path
    }

    /// Returns true if the name ends a path of names, and is no member of a value.
    pub(super) fn has_path(&self) -> bool {
        !self.path.is_empty()
    }

    /// Returns the meaning of the name in a map, without following values.
    pub(super) fn meaning_in(&self, map: &Map) -> meaning::Meaning {
        map.meaning_at(self.name(), self.local.clone())
    }

    /// Returns the nodes that the name means by the values of the expression before it.
    pub(super) fn through_values(&self, map: &Map, receiver: &ReceiverExpr) -> Vec<(NodeRef, Confidence)> {
        map.meaning_through_values(self.name(), receiver)
    }

    /// Returns the node that the name means as a module, or as the end of a path of names.
    pub(super) fn path_in(&self, map: &Map) -> Option<NodeRef> {
        map.path_meant_at(self.written())
    }

    /// Returns the packages outside that the name may lead to.
    pub(super) fn packages_in(&self, map: &Map) -> Vec<OutsidePackage> {
        map.packages_meant_at(self.written())
    }

    fn written(&self) -> WrittenName<'_> {
        WrittenName { name: self.name(), path: &self.path, local: self.local.as_ref() }
    }

    fn name(&self) -> NameInFile<'_> {
        name_in_file(&self.at, &self.word)
    }
}

/// Finds the meaning of the name at a place.
pub(super) fn meaning_at(workspace: &Workspace, at: &RequestPosition, cancel: &CancelToken) -> NameMeaning {
    // The file is parsed before the map is held.
    let reading = FileReading::of_place(workspace, at, cancel);
    let read = ReadName::new(at, &reading);
    let found = read.meaning_in(&workspace.map());
    let receiver = if found.is_sure() { None } else { reading.receiver_before(at) };
    let map = workspace.map();
    let through_values = receiver.map(|of| read.through_values(&map, &of));
    let found = match through_values.filter(|nodes| !nodes.is_empty()) {
        Some(nodes) => meaning::Meaning::Nodes(nodes),
        None => found,
    };
    match found {
        meaning::Meaning::Local(local) => NameMeaning::Local(local),
        meaning::Meaning::Nodes(nodes) => NameMeaning::Nodes(infos(&map, nodes)),
    }
}

/// Returns the name that the file itself binds at a place, or uses there, if no definition of the map is meant. Unlike
/// in [`meaning_at`], a key of a pattern means the name that it binds, because a question about uses is about those of
/// that name.
pub(super) fn bound_name_at(
    workspace: &Workspace,
    at: &RequestPosition,
    cancel: &CancelToken,
) -> Option<LocalName> {
    let (local, word) = (local_name(workspace, at, cancel), word_at(workspace, at));
    match workspace.map().meaning_of_name(name_in_file(at, &word), local) {
        meaning::Meaning::Local(local) => Some(local),
        meaning::Meaning::Nodes(_) => None,
    }
}

/// Returns the definition whose name is at a place, or that the reference there surely means.
pub(super) fn def_at(map: &Map, at: &RequestPosition, word: &str) -> Option<DefRef> {
    map.sure_def_at(name_in_file(at, word))
}

fn name_in_file<'t>(at: &'t RequestPosition, word: &'t str) -> NameInFile<'t> {
    NameInFile { path: at.file.as_str(), at: place_of(at), word }
}

fn infos(map: &Map, nodes: Vec<(NodeRef, Confidence)>) -> Vec<MeantNode> {
    let info = |(node, sure)| Some(MeantNode { info: map.info(node)?, sure });
    nodes.into_iter().filter_map(info).collect()
}

/// Returns the name at a place, if its file binds it.
fn local_name(workspace: &Workspace, at: &RequestPosition, cancel: &CancelToken) -> Option<LocalName> {
    let text = text_of(workspace, &at.file)?;
    let patience = || cancel.check().is_ok();
    local_name_at(language_in(&at.file, &text), text.as_bytes(), place_of(at), &patience)
}

/// Returns the names joined by `.` or `::` that end with the one at a place, dotted, and the place of the first.
fn written_path(text: &str, index: &LineIndex, at: NamePlace) -> Option<(String, NamePlace)> {
    let line = text.get(index.line_range(at.line)?)?;
    let units: Vec<u16> = line.encode_utf16().take(at.col.saturating_sub(1) as usize).collect();
    let before = String::from_utf16_lossy(&units);
    let is_part = |c: char| c.is_alphanumeric() || c == '_' || c == '$';
    let start = before.trim_end_matches(|c: char| is_part(c) || c == '.' || c == ':').len();
    let begun = before[start..].trim_start_matches(':');
    // This is a member of something that is not a name.
    if begun.starts_with('.') || before[..start].trim_end().ends_with('.') {
        return None;
    }
    let start = before.len() - begun.len();
    let rest = line.get(start..)?;
    let end =
        begun.len() + rest.get(begun.len()..)?.find(|c| !is_part(c)).unwrap_or(rest.len() - begun.len());
    let col = u32::try_from(before[..start].encode_utf16().count() + 1).ok()?;
    let path = rest[..end].replace("::", ".");
    path.split('.').all(|name| !name.is_empty()).then_some((path, NamePlace { col, ..at }))
}

fn language_in(file: &WsPath, text: &str) -> Option<Lang> {
    let lang = language_of(file.file_name(), &text.as_bytes()[..text.len().min(HEAD)]);
    lang.filter(|lang| *lang != Lang::Manifest)
}

fn place_of(at: &RequestPosition) -> NamePlace {
    NamePlace { line: at.line, col: at.col }
}
