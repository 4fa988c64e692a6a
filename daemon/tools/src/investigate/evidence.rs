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
/// Most places that are kept.
const MOST: usize = 60;
/// Factor for what is written for people where code is asked for, and for tests.
const PROSE: f64 = 0.5;
const TESTS: f64 = 0.25;
/// Factor for all else where tests are asked for.
const NO_TESTS: f64 = 0.8;

/// What is asked, by whom it is answered.
pub(super) struct EvidenceRequest<'e> {
    pub(super) workspace: &'e Arc<Workspace>,
    pub(super) index: &'e RankedIndex,
    pub(super) reading: &'e QuestionReading,
    /// The question's text, without the places that it names.
    pub(super) text: &'e str,
    /// The question as definitions are searched for it.
    pub(super) asked: &'e RankedQuery,
}

/// Rankings of definitions and files.
#[derive(Default)]
pub(super) struct Evidence {
    nodes: Vec<Ranking<NodeRef>>,
    /// The definitions that the question itself finds, not what is near to these.
    seeds: FxHashSet<NodeRef>,
    files: Vec<Ranking<FileId>>,
}

/// How much each kind of evidence counts; chosen on commit messages of flask, requests, pytest, celery and fastify.
mod weights {
    /// Definitions that the whole question's words find, and those that its title's find.
    pub(super) const DEFINITIONS: f64 = 1.0;
    /// Files by the same words: a second opinion of them, so less.
    pub(super) const FILES: f64 = 0.7;
    /// Definitions of the names that the question writes as code.
    pub(super) const NAMES: f64 = 1.5;
    /// Files that it mentions.
    pub(super) const MENTIONED: f64 = 1.5;
    /// What the first definitions call and extend.
    pub(super) const STEP: f64 = 0.5;
}

impl Evidence {
    /// Gathers what words, names, files and the graph say.
    pub(super) fn gather(
        call: &mut ToolCall<'_>,
        request: &EvidenceRequest<'_>,
        words: &[(NodeRef, f32)],
    ) -> Result<Self, ToolError> {
        let mut evidence = Self::default();
        let EvidenceRequest { workspace, reading, .. } = request;
        evidence.add_nodes(weights::DEFINITIONS, words.iter().map(|(node, _)| *node).collect());
        let wide = RankedQuestion::parse_wide(request.text);
        let files = request.rank_files(call, &wide)?;
        evidence.add_files(weights::FILES, files);
        if reading.has_more_than_title() {
            let title = RankedQuestion::parse(&reading.title);
            let found = request.search_definitions(call, title.clone())?;
            let map = workspace.map();
            let nodes = found.iter().filter_map(|hit| node_of(&map, hit)).collect();
            drop(map);
            evidence.add_nodes(weights::DEFINITIONS, nodes);
            let files = request.rank_files(call, &title)?;
            evidence.add_files(weights::FILES, files);
        }
        let map = workspace.map();
        evidence.add_nodes(weights::NAMES, named_definitions(&map, reading));
        evidence.add_files(weights::MENTIONED, mentioned_files(&map, reading));
        evidence.seeds = evidence.nodes.iter().flat_map(|one| one.ranked.iter().copied()).collect();
        evidence.add_nodes(weights::STEP, one_step_from(&map, words));
        Ok(evidence)
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

    /// The places in the order of their files, the likeliest first; `near` comes after them.
    pub(super) fn places(
        &self,
        map: &Map,
        near: &[RankedPlace],
        asks_for_tests: bool,
        admits: &dyn Fn(NodeRef) -> bool,
    ) -> Vec<RankedPlace> {
        let factor = |file: FileId| {
            let Some((path, facts)) = map.file(file) else { return 1.0 };
            let is_test = hob_map::graph::is_test_path(path.as_str());
            let prose = if facts.lang.is_prose() { PROSE } else { 1.0 };
            match (is_test, asks_for_tests) {
                (true, false) => TESTS * prose,
                (false, true) => NO_TESTS * prose,
                _ => prose,
            }
        };
        let mut files: Vec<Fused<FileId>> = fuse(&self.files);
        files.iter_mut().for_each(|one| one.score *= factor(one.item));
        files.retain(|one| map.file(one.item).is_some());
        files.sort_by(|a, b| b.score.total_cmp(&a.score));
        let mut of_file: FxHashMap<FileId, Vec<Fused<NodeRef>>> = FxHashMap::default();
        for one in fuse(&self.nodes).into_iter().filter(|one| admits(one.item)) {
            if let Some(file) = one.item.file() {
                of_file.entry(file).or_default().push(one);
            }
        }
        let (mut places, mut behind): (Vec<RankedPlace>, Vec<RankedPlace>) = (Vec::new(), Vec::new());
        for (at, file) in files.iter().enumerate() {
            let shown = SHOWN.get(at).or(SHOWN.last()).copied().unwrap_or(1);
            let nodes = of_file.get(&file.item).map_or(&[][..], Vec::as_slice);
            let best = nodes.first().map_or(1.0, |one| one.score);
            let place = |node: NodeRef, share: f64| RankedPlace {
                node,
                relevance: (file.score * (0.7 + 0.3 * share) * 1e3).round() / 1e3,
                is_seed: self.seeds.contains(&node) || matches!(node, NodeRef::File(_)),
            };
            if nodes.is_empty() && admits(NodeRef::File(file.item)) {
                places.push(place(NodeRef::File(file.item), 1.0));
            }
            places.extend(nodes.iter().take(shown).map(|one| place(one.item, one.score / best)));
            behind.extend(nodes.iter().skip(shown).map(|one| place(one.item, one.score / best)));
        }
        places.append(&mut behind);
        // What is only near comes after what speaks for itself.
        let least = places.iter().map(|place| place.relevance).fold(1.0, f64::min);
        let known: FxHashSet<NodeRef> = places.iter().map(|place| place.node).collect();
        let others = near.iter().filter(|place| !known.contains(&place.node));
        places.extend(others.map(|place| RankedPlace { relevance: place.relevance.min(least), ..*place }));
        places.truncate(MOST);
        places
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

    /// The files that fit a question's words together.
    fn rank_files(&self, call: &ToolCall<'_>, question: &RankedQuestion) -> Result<Vec<FileId>, ToolError> {
        let admits =
            self.asked.is_scoped().then(|| text_search::admitted_numbers(self.workspace, self.asked));
        let admits = admits.as_ref().map(|files| move |number: u64| files.contains(&number));
        let request = RankedRequest {
            question,
            kinds: &self.asked.kinds,
            admits: admits.as_ref().map(|admits| admits as &dyn Fn(u64) -> bool),
            limit: FILES,
        };
        let total = self.workspace.text().indexed_paths().count();
        let ranked = self.index.rank_files(&request, total, &call.cancel);
        let ranked = ranked.map_err(|error| errors::words_failed(&error.to_string()))?;
        Ok(ranked.iter().filter_map(|one| Some(self.workspace.ranked.file(one.file)?.0)).collect())
    }
}

fn node_of(map: &Map, hit: &MappedHit) -> Option<NodeRef> {
    map.node(&hit.id.as_ref()?.parse().ok()?)
}

/// The definitions that are called as the question writes, the rarest names and the best places of writing first.
fn named_definitions(map: &Map, reading: &QuestionReading) -> Vec<NodeRef> {
    let mut scored: FxHashMap<NodeRef, f64> = FxHashMap::default();
    let mut order = Vec::new();
    for name in &reading.names {
        let place = match name.place {
            WrittenIn::Title => 3.0,
            WrittenIn::Prose => 2.0,
            WrittenIn::Block => 1.0,
        };
        let is_qualified = name.text.contains(['.', ':']);
        let last = name.text.rsplit(['.', ':']).next().unwrap_or(&name.text);
        let found = match definitions_of(map, &name.text) {
            found if found.is_empty() && is_qualified => definitions_of(map, last),
            found => found,
        };
        if found.len() > NAMESAKES {
            continue;
        }
        let code: Vec<NodeRef> = found.into_iter().filter(|node| !map.is_among_tests(*node)).collect();
        let worth = place * (1.0 + (name.count as f64).ln()) / (code.len() as f64).max(1.0);
        for node in code {
            *scored.entry(node).or_insert_with(|| {
                order.push(node);
                0.0
            }) += worth;
        }
    }
    order.sort_by(|a, b| scored[b].total_cmp(&scored[a]));
    order
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

/// The files that the question mentions by path or as a module, each only if it can be no other.
fn mentioned_files(map: &Map, reading: &QuestionReading) -> Vec<FileId> {
    let mut files: Vec<FileId> = Vec::new();
    let paths = reading.paths.iter().filter_map(|path| {
        let ends =
            std::iter::successors(Some(path.as_str()), |path| path.split_once('/').map(|(_, rest)| rest));
        ends.filter_map(|end| match map.files_ending(end)[..] {
            [file] => Some(file),
            _ => None,
        })
        .next()
    });
    let modules = reading.names.iter().filter(|name| name.text.contains(['.', ':'])).filter_map(|name| {
        let mut module = name.text.as_str();
        loop {
            match map.files_of_module(module)[..] {
                [file] => return Some(file),
                _ => module = module.rsplit_once(['.', ':'])?.0.trim_end_matches(':'),
            }
            if !module.contains(['.', ':']) {
                return None;
            }
        }
    });
    for file in paths.chain(modules) {
        if !files.contains(&file) {
            files.push(file);
        }
    }
    files
}

/// What the best definitions call, extend and override: a fault often sits one step from what is named.
fn one_step_from(map: &Map, words: &[(NodeRef, f32)]) -> Vec<NodeRef> {
    let mut scored: FxHashMap<NodeRef, f64> = FxHashMap::default();
    let mut order = Vec::new();
    let kinds = [EdgeKind::Calls, EdgeKind::Extends].into_iter().collect();
    for (at, (node, _)) in words.iter().enumerate().take(STEPPED_FROM) {
        let edges = map.edges_out(*node, kinds);
        let sure: Vec<NodeRef> = edges.iter().filter(|edge| edge.is_resolved()).map(|edge| edge.to).collect();
        for to in sure.iter().filter(|to| matches!(to, NodeRef::Def(_))) {
            *scored.entry(*to).or_insert_with(|| {
                order.push(*to);
                0.0
            }) += 1.0 / (at as f64 + 1.0) / (sure.len() as f64).sqrt();
        }
    }
    order.sort_by(|a, b| scored[b].total_cmp(&scored[a]));
    order
}
