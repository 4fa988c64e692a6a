//! Gathers the evidence for each file that a question may be about, and fuses it.
//!
//! One ranking cannot read an issue: its title says what is wrong, its prose repeats what everybody says, its code names what is
//! used and not what is broken. Each part makes rankings of its own, which `fusion` makes one; what a definition has counts for its file,
//! and what a file has for the definitions in it.

use std::sync::Arc;

use hob_base::FileId;
use hob_map::Map;
use hob_map::graph::{EdgeKind, Lookup, NodeRef};
use hob_proto::ToolError;
use hob_text::ranked::{RankedIndex, RankedQuestion, RankedRequest};
use hob_words::investigate::fusion::{Fused, Ranking, fuse};
use hob_words::investigate::rank::RankedPlace;
use hob_words::investigate::reading::{QuestionReading, WrittenIn};
use rustc_hash::{FxHashMap, FxHashSet};

use super::super::ToolCall;
use super::super::text_search::{self, RankedQuery};
use super::frames;
use hob_host::Workspace;
use hob_results::errors;
use hob_results::text_search::MappedHit;

/// Files that a ranking of files has.
const FILES: usize = 60;
/// Definitions of one name that are looked at; a name with more tells nothing.
const NAMESAKES: usize = 24;
/// Definitions whose callees and parents are looked at.
const STEPPED_FROM: usize = 8;
/// Definitions that lead of the first file, and of each of the others; the rest comes behind all files.
const SHOWN: [usize; 2] = [2, 1];
/// Most places that are kept, and how many of these what is only near in the graph may take from the rest.
const MOST: usize = 60;
const NEAR: usize = 15;
/// Factor for what is written for people where code is asked for, and for tests.
const PROSE: f64 = 0.5;
const TESTS: f64 = 0.25;
/// Factor for all else where tests are asked for.
const NO_TESTS: f64 = 0.8;

/// One question, and the index and project that answer it.
pub(super) struct EvidenceRequest<'e> {
    pub(super) workspace: &'e Arc<Workspace>,
    pub(super) index: &'e RankedIndex,
    pub(super) reading: &'e QuestionReading,
    /// The question's text, without the places that it names.
    pub(super) text: &'e str,
    /// The question as definitions are searched for it.
    pub(super) asked: &'e RankedQuery,
    /// The nodes that it names by place.
    pub(super) places: &'e [(NodeRef, u32)],
}

/// Rankings of definitions and files.
#[derive(Default)]
pub(super) struct Evidence {
    nodes: Vec<Ranking<NodeRef>>,
    /// The definitions that the question itself finds, not what is near to these.
    seeds: FxHashSet<NodeRef>,
    files: Vec<Ranking<FileId>>,
    /// The nodes that the question names by place, which come before all others.
    places: Vec<NodeRef>,
    asks_for_tests: bool,
}

/// The weight of each kind of evidence, chosen on commit messages of flask, requests, pytest, celery and fastify.
mod weights {
    /// Definitions that the whole question's words find, and those that its title's find.
    pub(super) const DEFINITIONS: f64 = 1.0;
    /// Files by the same words: a second opinion of them, so less.
    pub(super) const FILES: f64 = 0.7;
    /// Definitions of the names that the question writes as code.
    pub(super) const NAMES: f64 = 1.5;
    /// Files that it mentions.
    pub(super) const MENTIONED: f64 = 1.5;
    /// Definitions that the first ones call and extend.
    pub(super) const STEP: f64 = 0.5;
}

impl Evidence {
    /// Gathers what words, names, files and the graph say. Words in quotes bind: of such a question only the definitions count that have
    /// them.
    pub(super) fn gather(
        call: &mut ToolCall<'_>,
        request: &EvidenceRequest<'_>,
        words: &[(NodeRef, f32)],
    ) -> Result<Self, ToolError> {
        let EvidenceRequest { workspace, reading, places, .. } = request;
        let title = RankedQuestion::parse(&reading.title);
        let mut evidence = Self {
            places: places.iter().map(|(node, _)| *node).collect(),
            asks_for_tests: title.asks_for_tests(),
            ..Self::default()
        };
        evidence.add_nodes(weights::DEFINITIONS, words.iter().map(|(node, _)| *node).collect());
        if !request.asked.question.has_phrases() {
            evidence.add_files_by_words(call, request, title)?;
            let map = workspace.map();
            evidence.add_nodes(weights::NAMES, named_definitions(&map, reading));
            evidence.add_files(weights::MENTIONED, mentioned_files(&map, request));
        }
        evidence.seeds = evidence.nodes.iter().flat_map(|one| one.ranked.iter().copied()).collect();
        evidence.add_nodes(weights::STEP, one_step_from(&workspace.map(), words));
        Ok(evidence)
    }

    fn add_files_by_words(
        &mut self,
        call: &mut ToolCall<'_>,
        request: &EvidenceRequest<'_>,
        title: RankedQuestion,
    ) -> Result<(), ToolError> {
        let files = FileScope::of(request);
        self.add_files(weights::FILES, files.rank(call, request, &RankedQuestion::parse_wide(request.text))?);
        if request.reading.has_more_than_title() {
            self.add_files(weights::FILES, files.rank(call, request, &title)?);
            let found = request.search_definitions(call, title)?;
            let map = request.workspace.map();
            let nodes = found.iter().filter_map(|hit| node_of(&map, hit)).collect();
            drop(map);
            self.add_nodes(weights::DEFINITIONS, nodes);
        }
        Ok(())
    }

    fn add_nodes(&mut self, weight: f64, ranked: Vec<NodeRef>) {
        let mut files = Vec::new();
        for file in ranked.iter().filter_map(|node| node.file()) {
            if !files.contains(&file) {
                files.push(file);
            }
        }
        self.add_files(weight, files);
        self.nodes.push(Ranking { weight, ranked });
    }

    fn add_files(&mut self, weight: f64, ranked: Vec<FileId>) {
        self.files.push(Ranking { weight, ranked });
    }

    /// The places in the order of their files, the likeliest first. Places that the question names stand before them, `near` ones behind.
    pub(super) fn ordered_places(
        &self,
        map: &Map,
        near: &[RankedPlace],
        admits: &dyn Fn(NodeRef) -> bool,
    ) -> Vec<RankedPlace> {
        let of_file = self.nodes_by_file(admits);
        let named = self.places.iter().map(|node| RankedPlace { node: *node, relevance: 1.0, is_seed: true });
        let (mut leading, mut behind): (Vec<RankedPlace>, Vec<RankedPlace>) = (named.collect(), Vec::new());
        for (at, file) in self.ranked_files(map).iter().enumerate() {
            let shown = SHOWN.get(at).or(SHOWN.last()).copied().unwrap_or(1);
            let nodes = of_file.get(&file.item).map_or(&[][..], Vec::as_slice);
            let best = nodes.first().map_or(1.0, |one| one.score);
            let place = |node: NodeRef, share: f64| RankedPlace {
                node,
                relevance: (file.score * (0.7 + 0.3 * share) * 1e3).round() / 1e3,
                is_seed: self.seeds.contains(&node) || matches!(node, NodeRef::File(_)),
            };
            let whole = NodeRef::File(file.item);
            if nodes.is_empty() && admits(whole) && !self.places.contains(&whole) {
                leading.push(place(whole, 1.0));
            }
            leading.extend(nodes.iter().take(shown).map(|one| place(one.item, one.score / best)));
            behind.extend(nodes.iter().skip(shown).map(|one| place(one.item, one.score / best)));
        }
        leading.append(&mut behind);
        let known: FxHashSet<NodeRef> = leading.iter().map(|place| place.node).collect();
        let near = near.iter().filter(|place| !known.contains(&place.node)).take(NEAR);
        let near: Vec<RankedPlace> = near.copied().collect();
        leading.truncate(MOST - near.len());
        // What is only near comes after what speaks for itself.
        let least = leading.iter().map(|place| place.relevance).fold(1.0, f64::min);
        let later = near.into_iter().map(|place| RankedPlace { relevance: place.relevance.min(least), ..place });
        leading.extend(later);
        leading
    }

    /// The files by all evidence; tests stand back unless they are asked for.
    fn ranked_files(&self, map: &Map) -> Vec<Fused<FileId>> {
        let factor = |file: FileId| {
            let (path, facts) = map.file(file)?;
            let is_test = hob_map::graph::is_test_path(path.as_str());
            let prose = if facts.lang.is_prose() { PROSE } else { 1.0 };
            Some(match (is_test, self.asks_for_tests) {
                (true, false) => TESTS * prose,
                (false, true) => NO_TESTS * prose,
                _ => prose,
            })
        };
        let weighed = |one: Fused<FileId>| Some(Fused { score: one.score * factor(one.item)?, ..one });
        let mut files: Vec<Fused<FileId>> = fuse(&self.files).into_iter().filter_map(weighed).collect();
        // Stable, so that equals stay in the order that they had.
        files.sort_by(|a, b| b.score.total_cmp(&a.score));
        files
    }

    /// The definitions of each file, best first, without those that the question names by place.
    fn nodes_by_file(&self, admits: &dyn Fn(NodeRef) -> bool) -> FxHashMap<FileId, Vec<Fused<NodeRef>>> {
        let mut of_file: FxHashMap<FileId, Vec<Fused<NodeRef>>> = FxHashMap::default();
        let wanted = |one: &Fused<NodeRef>| admits(one.item) && !self.places.contains(&one.item);
        for one in fuse(&self.nodes).into_iter().filter(wanted) {
            if let Some(file) = one.item.file() {
                of_file.entry(file).or_default().push(one);
            }
        }
        of_file
    }
}

/// The files of the project that may answer, by the index's numbers.
struct FileScope {
    total: usize,
    admitted: Option<FxHashSet<u64>>,
}

impl FileScope {
    fn of(request: &EvidenceRequest<'_>) -> Self {
        let EvidenceRequest { workspace, asked, .. } = request;
        Self {
            total: workspace.text().indexed_paths().count(),
            admitted: asked.is_scoped().then(|| text_search::admitted_numbers(workspace, asked)),
        }
    }

    /// The files that fit a question's words together.
    fn rank(
        &self,
        call: &mut ToolCall<'_>,
        request: &EvidenceRequest<'_>,
        question: &RankedQuestion,
    ) -> Result<Vec<FileId>, ToolError> {
        let admits = self.admitted.as_ref().map(|files| move |number: u64| files.contains(&number));
        let ranked = RankedRequest {
            question,
            kinds: &request.asked.kinds,
            admits: admits.as_ref().map(|admits| admits as &dyn Fn(u64) -> bool),
            limit: FILES,
        };
        let found = request.index.rank_files(&ranked, self.total, &call.cancel);
        let (found, complete) = found.map_err(|error| errors::words_failed(&error.to_string()))?;
        if !complete {
            text_search::warn_of_part(call);
        }
        Ok(found.iter().filter_map(|one| Some(request.workspace.ranked.file(one.file)?.0)).collect())
    }
}

impl EvidenceRequest<'_> {
    fn search_definitions(
        &self,
        call: &mut ToolCall<'_>,
        question: RankedQuestion,
    ) -> Result<Vec<MappedHit>, ToolError> {
        let asked = RankedQuery {
            question,
            kinds: self.asked.kinds.clone(),
            below: self.asked.below.clone(),
            rules: Arc::clone(&self.asked.rules),
            limit: self.asked.limit,
        };
        Ok(text_search::find(call, self.workspace, self.index, &asked)?.named)
    }
}

fn node_of(map: &Map, hit: &MappedHit) -> Option<NodeRef> {
    map.node(&hit.id.as_ref()?.parse().ok()?)
}

/// Adds up what nodes are worth.
#[derive(Default)]
struct NodeTally(FxHashMap<NodeRef, f64>);

impl NodeTally {
    fn add(&mut self, node: NodeRef, worth: f64) {
        *self.0.entry(node).or_default() += worth;
    }

    /// The nodes, the worthiest first; equals by their IDs, so that the same question has the same answer everywhere.
    fn into_ranked(self, map: &Map) -> Vec<NodeRef> {
        let keyed = self.0.into_iter().map(|(node, worth)| (worth, map.id(node).to_string(), node));
        let mut keyed: Vec<(f64, String, NodeRef)> = keyed.collect();
        keyed.sort_by(|(a, one, _), (b, other, _)| b.total_cmp(a).then_with(|| one.cmp(other)));
        keyed.into_iter().map(|(_, _, node)| node).collect()
    }
}

/// The definitions that are called as the question writes, the rarest names and the best places of writing first.
fn named_definitions(map: &Map, reading: &QuestionReading) -> Vec<NodeRef> {
    let mut tally = NodeTally::default();
    for name in &reading.names {
        let place = match name.place {
            WrittenIn::Title => 3.0,
            WrittenIn::Prose => 2.0,
            WrittenIn::Block => 1.0,
        };
        let found = match name.text.rsplit_once(['.', ':']) {
            Some((_, last)) => {
                let whole = definitions_of(map, &name.text);
                if whole.is_empty() { definitions_of(map, last) } else { whole }
            }
            None => definitions_of(map, &name.text),
        };
        if found.len() > NAMESAKES {
            continue;
        }
        let code: Vec<NodeRef> = found.into_iter().filter(|node| !map.is_among_tests(*node)).collect();
        let worth = place * (1.0 + (name.count as f64).ln()) / (code.len() as f64).max(1.0);
        code.into_iter().for_each(|node| tally.add(node, worth));
    }
    tally.into_ranked(map)
}

fn definitions_of(map: &Map, name: &str) -> Vec<NodeRef> {
    match map.lookup(name) {
        Lookup::One(node @ NodeRef::Def(_)) => vec![node],
        Lookup::Ambiguous(nodes) => {
            nodes.into_iter().filter(|node| matches!(node, NodeRef::Def(_))).collect()
        }
        _ => Vec::new(),
    }
}

/// The files of the places that the question names, then those that it mentions by path or as a module, each only if it can be no other.
fn mentioned_files(map: &Map, request: &EvidenceRequest<'_>) -> Vec<FileId> {
    let EvidenceRequest { reading, places, .. } = request;
    let named = places.iter().filter_map(|(node, _)| node.file());
    let paths = reading.paths.iter().filter_map(|path| frames::file_of(map, path));
    let dotted = reading.names.iter().filter(|name| name.text.contains(['.', ':']));
    let modules = dotted.filter_map(|name| module_of(map, &name.text));
    let mut files: Vec<FileId> = Vec::new();
    for file in named.chain(paths).chain(modules) {
        if !files.contains(&file) {
            files.push(file);
        }
    }
    files
}

/// The file of the longest beginning of a dotted name that is a module with a file of its own.
fn module_of(map: &Map, name: &str) -> Option<FileId> {
    let mut beginning = name;
    while beginning.contains(['.', ':']) {
        if let [file] = map.files_of_module(beginning)[..] {
            return Some(file);
        }
        beginning = beginning.rsplit_once(['.', ':'])?.0.trim_end_matches(':');
    }
    None
}

/// Definitions that the best ones call and extend: a fault often sits one step from what is named.
fn one_step_from(map: &Map, words: &[(NodeRef, f32)]) -> Vec<NodeRef> {
    let mut tally = NodeTally::default();
    let kinds = [EdgeKind::Calls, EdgeKind::Extends].into_iter().collect();
    for (at, (node, _)) in words.iter().enumerate().take(STEPPED_FROM) {
        let edges = map.edges_out(*node, kinds);
        let sure: Vec<NodeRef> = edges.iter().filter(|edge| edge.is_resolved()).map(|edge| edge.to).collect();
        let worth = 1.0 / (at as f64 + 1.0) / (sure.len() as f64).max(1.0).sqrt();
        sure.into_iter().filter(|to| matches!(to, NodeRef::Def(_))).for_each(|to| tally.add(to, worth));
    }
    tally.into_ranked(map)
}
