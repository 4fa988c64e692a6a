//! Explains edges of confidence `flow`: the chain of places along which a definition comes to the call that reaches it.
//!
//! Nothing of a chain is stored. The map has no lines of values, so whoever asks lends it the files: a file is read again, and counts
//! only if its facts are the very facts that the map has of it, which makes every line and text of a chain one that stands there.

use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;

use hob_base::{CancelToken, FileId, LineIndex, WsPath};
use rustc_hash::FxHashMap;

use super::{Map, NodeRef};
use crate::extract::extract_with_places;
use crate::facts::{CallIdx, FlowPlaces};
use crate::resolve::{CallAt, ChainPlace, Resolver};

/// Most places of a chain that are shown.
const PLACES: usize = 16;
/// Longest text of a place, in characters.
const WIDEST: usize = 200;
/// Most calls of one edge for which a chain is looked for.
const CALLS: usize = 8;

/// An edge to explain.
#[derive(Clone, PartialEq, Debug)]
pub struct FlowEdge {
    /// The node that calls.
    pub from: NodeRef,
    /// The definition that is called.
    pub to: NodeRef,
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
    /// Number of places nearer the definition that are not shown.
    pub left_out: usize,
}

/// The files that explanations read, each read and extracted once.
pub struct FlowSources<'s> {
    read: &'s dyn Fn(&WsPath) -> Option<Arc<[u8]>>,
    cancel: CancelToken,
    files: RefCell<FxHashMap<FileId, Option<Rc<ReadFile>>>>,
}

/// A file as it was read for an explanation.
struct ReadFile {
    places: Rc<FlowPlaces>,
    bytes: Arc<[u8]>,
    lines: LineIndex,
}

impl<'s> FlowSources<'s> {
    /// Lends the files that `read` gives; once `cancel` says so, no further file is read.
    pub fn new(read: &'s dyn Fn(&WsPath) -> Option<Arc<[u8]>>, cancel: CancelToken) -> Self {
        Self { read, cancel, files: RefCell::default() }
    }

    fn file(&self, map: &Map, file: FileId) -> Option<Rc<ReadFile>> {
        if let Some(known) = self.files.borrow().get(&file) {
            return known.clone();
        }
        let found = self.read_file(map, file).map(Rc::new);
        self.files.borrow_mut().insert(file, found.clone());
        found
    }

    /// Reads a file; `None` if it is no longer as the map has it.
    fn read_file(&self, map: &Map, file: FileId) -> Option<ReadFile> {
        self.cancel.check().ok()?;
        let entry = map.index.entry(file)?;
        let bytes = (self.read)(&entry.path)?;
        let patience = || self.cancel.check().is_ok();
        let (facts, places) = extract_with_places(entry.facts.lang, &bytes, &patience)?;
        let is_same = facts == *entry.facts;
        is_same.then(|| ReadFile { places: Rc::new(places), lines: LineIndex::new(&bytes), bytes })
    }
}

impl ReadFile {
    fn text(&self, line: u32) -> Option<String> {
        let text = String::from_utf8_lossy(self.bytes.get(self.lines.line_range(line)?)?).into_owned();
        Some(text.trim().chars().take(WIDEST).collect())
    }
}

impl Map {
    /// Finds a chain of places for an edge of confidence `flow`; `None` if there is none within the bounds, or a file is no longer
    /// as the map has it.
    #[must_use]
    pub fn explain_flow(&self, edge: &FlowEdge, sources: &FlowSources<'_>) -> Option<FlowChain> {
        let NodeRef::Def(to) = edge.to else { return None };
        let file = edge.from.file()?;
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

    fn shown_chain(&self, chain: &[ChainPlace], sources: &FlowSources<'_>) -> Option<FlowChain> {
        let left_out = chain.len().saturating_sub(PLACES);
        let place = |place: &ChainPlace| {
            let text = sources.file(self, place.file)?.text(place.line)?;
            Some(FlowPlace { path: self.index.entry(place.file)?.path.clone(), line: place.line, text })
        };
        Some(FlowChain { places: chain[left_out..].iter().map(place).collect::<Option<_>>()?, left_out })
    }
}
