//! Answers `read_symbols`: source by symbol, by file or by lines, and outlines.
//!
//! The answer is cut here and not by the budget's usual means, because the shown part of a body should be what the
//! caller asked for: its signature and the lines around a match, with the way to the other lines.

mod cut;
mod focus;
mod outline;

pub(super) use outline::is_folder;

use std::collections::HashSet;
use std::sync::Arc;

use hob_base::{Contents as _, LineIndex, WsPath, small};
use hob_map::Map;
use hob_map::graph::{NodeInfo, NodeKind, NodeRef};
use hob_proto::tools::read::{Ambiguous, ReadSymbolsArgs, ReadSymbolsResult, SymbolSource};
use hob_proto::{Form, ToolError};
use regex::Regex;

use super::first_index::NamesAre;
use super::package_meaning::PackageDefinition;
use super::package_targets::definitions_named;
use super::target::{self, TargetMeaning};
use super::{ToolCall, ToolOutcome, to_data};
use cut::{Body, Docs, LineSelection, ShownBody};
use focus::Focus;
use hob_host::Workspace;
use hob_results::errors;

/// Characters of a symbol in addition to its source.
const HEAD: usize = 160;

/// Fewest characters of a body.
const LEAST: usize = 200;

/// Number of lines on each side of a line in no definition.
const BESIDE: u32 = 10;

/// Number of lines from which on a range is shown in part like a definition.
const LONG_RANGE: u32 = 60;

/// Largest size in bytes of a package's file that is read.
const LARGEST_OUTSIDE: u64 = 4 << 20;

/// Most absent names whose absence is explained.
const EXPLAINED: usize = 3;

/// A place to read.
struct ReadTarget {
    place: ReadPlace,
    /// The line that was asked for, if it is not the whole place.
    line: Option<u32>,
    /// The lines of the functions in a class or file.
    inner: Vec<(u32, u32)>,
    is_neighbor: bool,
}

enum ReadPlace {
    /// A definition or a file.
    Node(Box<NodeInfo>),
    /// Lines of a file, and the definition that they are in.
    Lines(WsPath, (u32, u32), Option<Box<NodeInfo>>),
    /// A file without a map.
    File(WsPath),
    /// A definition in the source of a package.
    Package(Box<PackageDefinition>),
}

/// The choice of the lines that every text shows.
struct View<'a> {
    around: Option<&'a Regex>,
    about: Option<&'a Focus>,
    docs: Docs,
    /// True if long texts are shown in part.
    folds: bool,
}

/// The places of the targets, before any file is read.
#[derive(Default)]
struct Choice {
    chosen: Vec<ReadTarget>,
    ambiguous: Vec<Ambiguous>,
    not_found: Vec<String>,
    seen: HashSet<NodeRef>,
}

/// A whole text that was read.
struct Source {
    chosen: ReadTarget,
    text: String,
    lines: (u32, u32),
}

pub(super) fn read_symbols(call: &mut ToolCall<'_>) -> ToolOutcome {
    let args: ReadSymbolsArgs = call.parse_args()?;
    if args.targets.is_empty() {
        return Err(ToolError::bad_args("`targets` is empty").hint("Pass names, paths or node IDs."));
    }
    let around = args.around.as_deref().map(Regex::new).transpose();
    let around = around.map_err(|error| errors::bad_around(&error))?;
    let workspace = call.workspace_for_names(NamesAre::Targets(&args.targets))?;
    if args.outline || args.targets.iter().all(|target| is_folder(call, &workspace, target)) {
        return outline::outlines(call, &workspace, &args.targets);
    }
    let mut choice = choose(call, &workspace, &args);
    look_in_packages(call, &workspace, &mut choice);
    let files = choice.chosen.iter().filter_map(|chosen| chosen.place.path());
    call.warn_of_unmapped(&workspace.map(), files.map(WsPath::as_str));
    if !choice.not_found.is_empty() {
        let map = workspace.map();
        call.warn_of_unmapped_anywhere(&map);
        let names = choice.not_found.iter().take(EXPLAINED);
        call.notes.warnings.extend(names.filter_map(|name| target::why_absent(&map, name)));
    }
    let mut sources = Vec::new();
    for chosen in choice.chosen {
        match source(&workspace, &chosen.place) {
            Some((text, lines)) => sources.push(Source { chosen, text, lines }),
            None => {
                let id = chosen.place.uid();
                call.notes.warnings.push(format!("`{id}` is known but its file cannot be read now."));
                choice.not_found.push(id);
            }
        }
    }
    let room = call.room_beside_note();
    // A model first wants to know what is there; a program wants what it named.
    let is_all = args.whole || args.about.as_deref().is_some_and(focus::is_everything);
    let folds = call.terms.form == Form::Text && !is_all;
    let about = args.about.as_deref().and_then(Focus::parse);
    let docs = docs_wanted(args.docs, folds);
    let view = View { around: around.as_ref(), about: about.as_ref(), docs, folds };
    let shown = fitted(room, &sources, &view);
    // Lines that are left out on purpose are reported at their place.
    let cut = shown.iter().filter(|one| one.lacks_room).map(|one| one.missing.len()).sum();
    call.omit_items("stretches of lines", cut, 0, "Pass them as path:from-to.");
    let symbols = sources.iter().zip(&shown).map(|(one, shown)| symbol(one, shown)).collect();
    let (ambiguous, not_found) = (choice.ambiguous, choice.not_found);
    to_data(&ReadSymbolsResult { symbols, ambiguous, not_found, outlines: Vec::new() })
}

impl<'a> View<'a> {
    fn wanted(&self, source: &'a Source) -> LineSelection<'a> {
        let chosen = &source.chosen;
        LineSelection {
            pattern: self.around,
            focus: self.about.filter(|_| !chosen.place.is_short_range()),
            functions: &chosen.inner,
            line: chosen.line,
            docs: match chosen.place {
                ReadPlace::Lines(..) if self.docs == Docs::Brief => Docs::Whole,
                _ => self.docs,
            },
            folded: chosen.folded(self.folds),
        }
    }
}

impl ReadTarget {
    fn new(place: ReadPlace, line: Option<u32>) -> Self {
        Self { place, line, inner: Vec::new(), is_neighbor: false }
    }

    /// Returns the lines of the functions within a node that may be shown in part; `None` for lines that were asked
    /// for, which are shown whole.
    fn folded(&self, folds: bool) -> Option<&[(u32, u32)]> {
        (folds && matches!(self.place, ReadPlace::Node(_))).then_some(&self.inner)
    }
}

/// Chooses the part of documentation to show. Unless the call says otherwise, a text that is shown in part has the
/// first lines of its documentation.
fn docs_wanted(asked: Option<bool>, folds: bool) -> Docs {
    match (asked, folds) {
        (Some(false), _) => Docs::Nothing,
        (None, true) => Docs::Brief,
        _ => Docs::Whole,
    }
}

impl ReadPlace {
    fn path(&self) -> Option<&WsPath> {
        match self {
            Self::Node(info) => info.path.as_ref(),
            Self::Lines(path, ..) | Self::File(path) => Some(path),
            Self::Package(_) => None,
        }
    }

    /// Returns true if the place is a few lines that were asked for by their numbers, such as a gap of an earlier
    /// answer. They are shown whole.
    fn is_short_range(&self) -> bool {
        matches!(self, Self::Lines(_, (first, last), _) if last - first < LONG_RANGE)
    }

    /// Returns the file's path as answers show it; a package's is absolute.
    fn shown_file(&self) -> String {
        match self {
            Self::Package(found) => found.place.file.to_string(),
            _ => self.path().map(ToString::to_string).unwrap_or_default(),
        }
    }

    /// Returns the name of the place, for a warning that it cannot be read.
    fn uid(&self) -> String {
        match self {
            Self::Node(info) => info.id.to_string(),
            Self::Lines(path, ..) | Self::File(path) => path.to_string(),
            Self::Package(found) => format!("{}:{}", found.place.file, found.line_and_col().0),
        }
    }
}

/// Finds the places under one lock of the map; files are read after it is released.
fn choose(call: &mut ToolCall<'_>, workspace: &Workspace, args: &ReadSymbolsArgs) -> Choice {
    let mut choice = Choice::default();
    let map = &workspace.map();
    for text in &args.targets {
        match target::look_up(call, map, workspace, text) {
            TargetMeaning::One(meant) => {
                let place = place(map, meant.node, meant.lines);
                let is_definition = matches!(place, Some(ReadPlace::Node(_)));
                if is_definition || meant.lines.is_none_or(|(first, last)| first == last) {
                    call.notes.warnings.extend(meant.note);
                }
                let line = meant.lines.map(|(first, _)| first);
                match place {
                    Some(ReadPlace::Node(_)) => take_with_neighbors(map, &mut choice, meant.node, line, args),
                    Some(place) => choice.chosen.push(ReadTarget::new(place, line)),
                    None => choice.not_found.push(text.clone()),
                }
            }
            TargetMeaning::Text(path, None) => {
                choice.chosen.push(ReadTarget::new(ReadPlace::File(path), None));
            }
            TargetMeaning::Text(path, Some((first, last))) => {
                let place = ReadPlace::Lines(path, beside(first, last), None);
                choice.chosen.push(ReadTarget::new(place, Some(first)));
            }
            TargetMeaning::Several(nodes) => choice.ambiguous.push(target::ambiguous(map, text, &nodes)),
            TargetMeaning::Nothing => choice.not_found.push(text.clone()),
        }
    }
    choice
}

/// Searches names that the project does not have in the packages that it uses.
fn look_in_packages(call: &mut ToolCall<'_>, workspace: &Arc<Workspace>, choice: &mut Choice) {
    for text in std::mem::take(&mut choice.not_found) {
        let found = definitions_named(call, workspace, &text);
        match found.first() {
            Some(first) => call.notes.warnings.push(format!("`{text}` is defined in {}.", first.place.title)),
            None => choice.not_found.push(text),
        }
        let places = found.into_iter().map(|one| ReadTarget::new(ReadPlace::Package(Box::new(one)), None));
        choice.chosen.extend(places);
    }
}

/// Returns the place of a definition for one line in it, and of the lines themselves for several.
fn place(map: &Map, node: NodeRef, lines: Option<(u32, u32)>) -> Option<ReadPlace> {
    let info = Box::new(map.info(node)?);
    match (lines, info.path.clone()) {
        (Some((first, last)), Some(path)) if first < last || info.kind == NodeKind::File => {
            let around = (info.kind != NodeKind::File).then_some(info);
            Some(ReadPlace::Lines(path, beside(first, last), around))
        }
        _ => Some(ReadPlace::Node(info)),
    }
}

/// Widens a single line by those around it.
fn beside(first: u32, last: u32) -> (u32, u32) {
    if first < last {
        (first, last)
    } else {
        (first.saturating_sub(BESIDE).max(1), last.saturating_add(BESIDE))
    }
}

fn take_with_neighbors(
    map: &Map,
    choice: &mut Choice,
    node: NodeRef,
    line: Option<u32>,
    args: &ReadSymbolsArgs,
) {
    take(map, choice, node, line, false);
    let neighbors = args.include_neighbors;
    let (NodeRef::Def(def), true) = (node, neighbors > 0) else { return };
    let all = map.defs_of(def.file);
    let Some(at) = all.iter().position(|other| *other == def) else { return };
    let around = at.saturating_sub(neighbors)..(at + neighbors + 1).min(all.len());
    all[around].iter().for_each(|other| take(map, choice, NodeRef::Def(*other), None, true));
}

fn take(map: &Map, choice: &mut Choice, node: NodeRef, line: Option<u32>, is_neighbor: bool) {
    if choice.seen.insert(node)
        && let Some(info) = map.info(node)
    {
        let inner = functions_in(map, &info);
        let place = ReadPlace::Node(Box::new(info));
        choice.chosen.push(ReadTarget { place, line, inner, is_neighbor });
    }
}

/// Returns the lines of the functions within a definition or a file, of which a long text shows only the signatures. A
/// function that mostly consists of others is replaced by those. Tests in the same file are folded as well.
fn functions_in(map: &Map, info: &NodeInfo) -> Vec<(u32, u32)> {
    let Some(file) = info.node.file() else { return Vec::new() };
    let is_within =
        |one: &NodeInfo| one.node != info.node && info.lines.0 <= one.lines.0 && one.lines.1 <= info.lines.1;
    let infos = map.defs_of(file).into_iter().filter_map(|def| map.info(NodeRef::Def(def)));
    let within: Vec<NodeInfo> = infos.filter(|one| info.kind == NodeKind::File || is_within(one)).collect();
    let is_function = |one: &NodeInfo| matches!(one.kind, NodeKind::Def(kind) if kind.is_callable());
    let mut functions: Vec<(u32, u32)> =
        within.iter().filter(|one| is_function(one)).map(|one| one.lines).collect();
    functions.sort_by_key(|(first, last)| (*first, std::cmp::Reverse(*last)));
    functions.dedup();
    let frames: HashSet<(u32, u32)> =
        functions.iter().filter(|outer| is_mostly_others(**outer, &functions)).copied().collect();
    functions.retain(|one| !frames.contains(one));
    if !map.is_among_tests(info.node) {
        let tests = within.iter().filter(|one| map.is_among_tests(one.node));
        functions.extend(tests.map(|one| one.lines));
    }
    functions
}

/// Returns true if more than half of the lines of a function are those of functions in it.
fn is_mostly_others(outer: (u32, u32), functions: &[(u32, u32)]) -> bool {
    let (mut covered, mut until) = (0, outer.0);
    for (first, last) in functions.iter().filter(|one| **one != outer && outer.0 <= one.0 && one.1 <= outer.1)
    {
        if *first >= until {
            covered += last - first + 1;
            until = last + 1;
        }
    }
    covered * 2 > outer.1 - outer.0
}

/// Returns the whole lines of a place; `None` for an external package, which has no source here.
fn source(workspace: &Workspace, place: &ReadPlace) -> Option<(String, (u32, u32))> {
    let bytes = bytes_of(workspace, place)?;
    let index = LineIndex::new(&bytes);
    // The text after the last newline is a line only if it is not empty.
    let last = index.line_count() - u32::from(index.line_count() > 1 && bytes.ends_with(b"\n"));
    let (first, end) = match place {
        ReadPlace::Node(info) if info.kind != NodeKind::File => (info.lines.0, info.lines.1.min(last)),
        ReadPlace::Lines(_, (first, end), _) => (*first.min(&last), *end.min(&last)),
        ReadPlace::Package(found) if found.info.lines.0 > 0 => {
            (found.info.lines.0, found.info.lines.1.min(last))
        }
        _ => (1, last),
    };
    let from = index.line_range(first)?.start;
    let to = index.line_range(end)?.end;
    Some((String::from_utf8_lossy(bytes.get(from..to)?).into_owned(), (first, end)))
}

fn bytes_of(workspace: &Workspace, place: &ReadPlace) -> Option<Vec<u8>> {
    match place {
        ReadPlace::Package(found) => small::read(found.place.file.as_path(), LARGEST_OUTSIDE).ok(),
        _ => workspace.disk_contents().read(place.path()?).ok().map(|bytes| bytes.to_vec()),
    }
}

/// Fits all sources into `room` characters: short ones whole, and a part of each long one.
fn fitted(room: usize, sources: &[Source], view: &View<'_>) -> Vec<ShownBody> {
    let bodies: Vec<Body<'_>> = sources.iter().map(|one| Body::new(&one.text, one.lines.0)).collect();
    let mut shares: Vec<(usize, usize)> = bodies
        .iter()
        .zip(sources)
        .map(|(body, one)| body.cost(&view.wanted(one)))
        .enumerate()
        .map(|(at, cost)| (cost, at))
        .collect();
    shares.sort_unstable();
    let (mut left, mut given) = (room.saturating_sub(HEAD * sources.len()), vec![0; sources.len()]);
    for (rank, (cost, at)) in shares.iter().enumerate() {
        given[*at] = (*cost).min((left / (shares.len() - rank)).max(LEAST));
        left = left.saturating_sub(given[*at]);
    }
    let shown = bodies.iter().zip(sources).zip(given);
    shown.map(|((body, one), room)| body.within(room, &view.wanted(one))).collect()
}

fn symbol(source: &Source, shown: &ShownBody) -> SymbolSource {
    let (uid, name, kind) = match &source.chosen.place {
        ReadPlace::Node(info) => (info.id.to_string(), name_of(info), info.kind.as_str()),
        ReadPlace::Lines(path, _, Some(info)) => (path.to_string(), name_of(info), "lines"),
        ReadPlace::Lines(path, _, None) => (path.to_string(), path.file_name().to_owned(), "lines"),
        ReadPlace::File(path) => (path.to_string(), path.file_name().to_owned(), "file"),
        ReadPlace::Package(found) => {
            (source.chosen.place.uid(), name_of(&found.info), found.info.kind.as_str())
        }
    };
    SymbolSource {
        uid,
        name,
        kind: kind.to_owned(),
        file: source.chosen.place.shown_file(),
        start_line: source.lines.0,
        end_line: source.lines.1,
        source: shown.text.clone(),
        body_complete: shown.is_complete,
        missing: shown.missing.iter().map(|(first, last)| format!("{first}-{last}")).collect(),
        missing_calls: shown.calls.clone(),
        is_neighbor: source.chosen.is_neighbor,
    }
}

fn name_of(info: &NodeInfo) -> String {
    if info.qualified.is_empty() { info.name.clone() } else { info.qualified.clone() }
}
