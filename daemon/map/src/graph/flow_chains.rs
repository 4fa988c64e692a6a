//! Explains edges of confidence `flow` by the chain of places along which a definition gets to the call that reaches
//! it.
//!
//! No chain is stored. The map has no lines of values, so the caller lends it the files: a file is read again, and
//! counts only if its facts equal those that the map has, so that every line and text of a chain is in the file.
//!
//! Nobody holds a map while files are read. Only the search shows which files a chain leads through, so an explanation
//! that lacks a file names it, and the caller asks again once that file was read: [`FlowSources::take_missing`],
//! [`FlowSources::add`].

use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;

use hob_base::{CancelToken, FileId, LineIndex, WsPath};
use hob_proto::NodeId;
use rustc_hash::FxHashMap;

use super::{Map, NodeRef};
use crate::extract::extract_with_places;
use crate::facts::{CallIdx, FileFacts, FlowPlaces};
use crate::langs::lang::Lang;
use crate::resolve::{CallAt, ChainPlace, Resolver};

/// Most places of a chain that are shown.
const PLACES: usize = 16;
/// Longest text of a place, in characters.
const WIDEST: usize = 200;
/// Most calls of one edge for which a chain is looked for.
const CALLS: usize = 8;

/// An edge to explain, by the IDs of its ends: node numbers are invalid once the map was unlocked.
#[derive(Clone, PartialEq, Debug)]
pub struct FlowEdge {
    /// The node that calls.
    pub from: NodeId,
    /// The definition that is called.
    pub to: NodeId,
    /// Lines of the calls, 1-based, in the file of `from`.
    pub lines: Vec<u32>,
}

/// A line over which a value goes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FlowPlace {
    /// The file of the line.
    pub path: WsPath,
    /// The line, 1-based.
    pub line: u32,
    /// The text of the line, trimmed.
    pub text: String,
}

/// The places from a definition to a call that reaches it through values.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FlowChain {
    /// The places in the order in which the value passes them; the last one is the call.
    pub places: Vec<FlowPlace>,
    /// Number of places that are not shown, near the definition.
    pub left_out: usize,
}

/// The files that explanations need, each read and extracted once.
pub struct FlowSources {
    cancel: CancelToken,
    files: FxHashMap<WsPath, Option<Rc<SourceFile>>>,
    /// For the explanation in progress: the files that are as the map has them, and `None` for those that are not.
    current: RefCell<FxHashMap<FileId, Option<Rc<SourceFile>>>>,
    missing: RefCell<Vec<MissingSource>>,
}

/// A file that an explanation lacks.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct MissingSource {
    /// The file to read.
    pub path: WsPath,
    lang: Lang,
}

/// A file as it was read for an explanation.
struct SourceFile {
    facts: FileFacts,
    places: Rc<FlowPlaces>,
    bytes: Arc<[u8]>,
    lines: LineIndex,
}

impl FlowSources {
    /// Creates sources without files; once `cancel` is cancelled or late, no further file is extracted.
    #[must_use]
    pub fn new(cancel: CancelToken) -> Self {
        Self { cancel, files: FxHashMap::default(), current: RefCell::default(), missing: RefCell::default() }
    }

    /// Removes and returns the files that the last explanation lacked; empty if reading would not help it, or time is
    /// over.
    #[must_use]
    pub fn take_missing(&mut self) -> Vec<MissingSource> {
        let missing = self.missing.take();
        if self.cancel.check().is_ok() { missing } else { Vec::new() }
    }

    /// Adds a file with its present bytes; `None` if it cannot be read.
    pub fn add(&mut self, missing: MissingSource, bytes: Option<Arc<[u8]>>) {
        let patience = || self.cancel.check().is_ok();
        let source = bytes.and_then(|bytes| {
            let (facts, places) = extract_with_places(missing.lang, &bytes, &patience)?;
            Some(Rc::new(SourceFile { facts, places: Rc::new(places), lines: LineIndex::new(&bytes), bytes }))
        });
        self.files.insert(missing.path, source);
    }

    /// Returns a file if it is as the map has it; records it as missing if it was not read yet.
    fn file(&self, map: &Map, file: FileId) -> Option<Rc<SourceFile>> {
        if let Some(known) = self.current.borrow().get(&file) {
            return known.clone();
        }
        let entry = map.index.entry(file)?;
        let found = match self.files.get(&entry.path) {
            Some(source) => source.clone().filter(|source| source.facts == *entry.facts),
            None => {
                let missing = MissingSource { path: entry.path.clone(), lang: entry.facts.lang };
                self.missing.borrow_mut().push(missing);
                None
            }
        };
        self.current.borrow_mut().insert(file, found.clone());
        found
    }
}

impl SourceFile {
    fn text_of_line(&self, line: u32) -> Option<String> {
        let text = String::from_utf8_lossy(self.bytes.get(self.lines.line_range(line)?)?).into_owned();
        Some(text.trim().chars().take(WIDEST).collect())
    }
}

impl Map {
    /// Finds a chain of places for an edge of confidence `flow`; `None` if there is none within the bounds, a file is
    /// no longer as the map has it, or the sources lack a file, which is then among the missing ones.
    #[must_use]
    pub fn explain_flow(&self, edge: &FlowEdge, sources: &FlowSources) -> Option<FlowChain> {
        sources.current.borrow_mut().clear();
        let NodeRef::Def(to) = self.node(&edge.to)? else { return None };
        let file = self.node(&edge.from)?.file()?;
        let resolver = Resolver::new(&self.index);
        let places = |file: FileId| sources.file(self, file).map(|found| Rc::clone(&found.places));
        let calls = self.calls_on_lines(&resolver, file, &edge.lines);
        let reaching = calls.into_iter().filter(|at| resolver.reached_defs(*at).contains(&to)).take(CALLS);
        let chain = reaching.into_iter().find_map(|at| resolver.chain_to_call(at, to, &places))?;
        self.shown_chain(&chain, sources)
    }

    fn calls_on_lines(&self, resolver: &Resolver<'_>, file: FileId, lines: &[u32]) -> Vec<CallAt> {
        let Some(entry) = self.index.entry(file).filter(|entry| !entry.facts.flows.is_empty()) else {
            return Vec::new();
        };
        let opened = resolver.uses_in_file(file, entry);
        let calls = opened.flows.calls.iter().zip(0..);
        calls
            .filter(|(call, _)| lines.contains(&call.line))
            .map(|(_, at)| CallAt { file, call: CallIdx(at) })
            .collect()
    }

    fn shown_chain(&self, chain: &[ChainPlace], sources: &FlowSources) -> Option<FlowChain> {
        let left_out = chain.len().saturating_sub(PLACES);
        let place = |place: &ChainPlace| {
            let text = sources.file(self, place.file)?.text_of_line(place.line)?;
            Some(FlowPlace { path: self.index.entry(place.file)?.path.clone(), line: place.line, text })
        };
        Some(FlowChain { places: chain[left_out..].iter().map(place).collect::<Option<_>>()?, left_out })
    }
}
