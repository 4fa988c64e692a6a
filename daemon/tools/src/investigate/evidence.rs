//! Gathers the evidence for each definition and file that a question may be about.
//!
//! One ranking cannot read an issue: its title says what is wrong, its prose repeats common words, its code names what
//! is used and not what is broken. Each part makes rankings of its own, which `ordering` fuses into one. The evidence
//! for a definition counts for its file, and the evidence for a file counts for the definitions in it.

use std::sync::Arc;

use hob_base::FileId;
use hob_map::Map;
use hob_map::graph::{EdgeKind, Lookup, NodeRef};
use hob_proto::ToolError;
use hob_text::ranked::{FileFilter, RankedIndex, RankedQuestion, RankedRequest, Term, terms_of};
use hob_words::investigate::reading::{QuestionReading, WrittenIn};
use hob_words::investigate::scoring::EvidenceKind;
use rustc_hash::{FxHashMap, FxHashSet};

use super::super::ToolCall;
use super::super::text_search::{self, RankedQuery};
use super::frames;
use hob_host::Workspace;
use hob_results::errors;
use hob_results::text_search::MappedHit;

/// Most files of one ranking.
const FILES: usize = 60;
/// Most definitions of one name: a name with more is no evidence.
const NAMESAKES: usize = 24;
/// Number of the best definitions whose callees and bases count.
const STEPPED_FROM: usize = 8;

/// One question, and the index and project that answer it.
pub(super) struct EvidenceRequest<'e> {
    pub(super) workspace: &'e Arc<Workspace>,
    pub(super) index: &'e RankedIndex,
    pub(super) reading: &'e QuestionReading,
    /// The question's text, without the places that it names.
    pub(super) text: &'e str,
    /// The query for definitions that the question makes.
    pub(super) asked: &'e RankedQuery,
    /// The nodes that the question names by place, with the lines.
    pub(super) places: &'e [(NodeRef, u32)],
}

/// A ranking that one kind of evidence makes, best first.
#[derive(Clone, Debug)]
pub(super) struct KindRanking<T> {
    pub(super) kind: EvidenceKind,
    pub(super) ranked: Vec<T>,
    /// The score of each as a share of the best one's, 0 to 1; empty without scores.
    pub(super) shares: Vec<f64>,
}

/// A definition that words found, with its score.
type ScoredNode = (NodeRef, f32);

/// Rankings of definitions and files.
#[derive(Default)]
pub(super) struct Evidence {
    pub(super) nodes: Vec<KindRanking<NodeRef>>,
    /// The definitions that the question itself finds, without those one step from them.
    pub(super) seeds: FxHashSet<NodeRef>,
    pub(super) files: Vec<KindRanking<FileId>>,
    /// The nodes that the question names by place, which come before all others.
    pub(super) places: Vec<NodeRef>,
    /// The words of the question's title.
    pub(super) title: Vec<Term>,
}

impl Evidence {
    /// Gathers the evidence of words, names, files and the graph. If the question has words in quotes, only the
    /// definitions with these words count.
    pub(super) fn gather(
        call: &mut ToolCall<'_>,
        request: &EvidenceRequest<'_>,
        words: &[ScoredNode],
    ) -> Result<Self, ToolError> {
        let EvidenceRequest { workspace, reading, places, .. } = request;
        let title = RankedQuestion::parse(&reading.title);
        let mut evidence = Self {
            places: places.iter().map(|(node, _)| *node).collect(),
            title: terms_of(&reading.title),
            ..Self::default()
        };
        evidence.add_scored(EvidenceKind::Words, words);
        if !request.asked.question.has_phrases() {
            evidence.add_files_by_words(call, request, title)?;
            let map = workspace.map();
            evidence.add_nodes(EvidenceKind::Names, named_definitions(&map, reading));
            evidence.add_files(EvidenceKind::Mentioned, mentioned_files(&map, request), Vec::new());
        }
        evidence.seeds = evidence.nodes.iter().flat_map(|one| one.ranked.iter().copied()).collect();
        evidence.add_nodes(EvidenceKind::Step, one_step_from(&workspace.map(), words));
        Ok(evidence)
    }

    fn add_files_by_words(
        &mut self,
        call: &mut ToolCall<'_>,
        request: &EvidenceRequest<'_>,
        title: RankedQuestion,
    ) -> Result<(), ToolError> {
        let wide = RankedQuestion::parse_wide(request.text);
        let files = FileScope::of(request).rank(call, request, &wide)?;
        self.add_files(EvidenceKind::WordsOfFile, files, Vec::new());
        if request.reading.has_more_than_title() {
            let found = request.search_definitions(call, title)?;
            let map = request.workspace.map();
            let nodes = found.iter().filter_map(|hit| Some((node_of(&map, hit)?, hit.score)));
            let nodes: Vec<ScoredNode> = nodes.collect();
            drop(map);
            self.add_scored(EvidenceKind::Title, &nodes);
        }
        Ok(())
    }

    fn add_scored(&mut self, kind: EvidenceKind, scored: &[ScoredNode]) {
        let best = scored.iter().map(|(_, score)| *score).fold(f32::MIN_POSITIVE, f32::max);
        let shares: Vec<f64> = scored.iter().map(|(_, score)| f64::from(score / best)).collect();
        self.add_ranking(kind, scored.iter().map(|(node, _)| *node).collect(), &shares);
    }

    fn add_nodes(&mut self, kind: EvidenceKind, ranked: Vec<NodeRef>) {
        self.add_ranking(kind, ranked, &[]);
    }

    /// Adds a ranking of definitions, and one of their files: a file has the place of its best definition.
    fn add_ranking(&mut self, kind: EvidenceKind, ranked: Vec<NodeRef>, shares: &[f64]) {
        let (mut files, mut shares_of_files) = (Vec::new(), Vec::new());
        for (at, node) in ranked.iter().enumerate() {
            let Some(file) = node.file().filter(|file| !files.contains(file)) else { continue };
            files.push(file);
            shares_of_files.extend(shares.get(at));
        }
        self.add_files(kind, files, shares_of_files);
        self.nodes.push(KindRanking { kind, ranked, shares: Vec::new() });
    }

    fn add_files(&mut self, kind: EvidenceKind, ranked: Vec<FileId>, shares: Vec<f64>) {
        self.files.push(KindRanking { kind, ranked, shares });
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

    /// Ranks the files by how well all words of a file fit the question.
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
            admits: admits.as_ref().map(|admits| admits as FileFilter<'_>),
            limit: FILES,
            counts_all: true,
        };
        let (index, cancel) = (request.index, &call.cancel);
        let found = request.workspace.query_pool().install(|| index.rank_files(&ranked, self.total, cancel));
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
            counts_all: false,
        };
        Ok(text_search::find(call, self.workspace, self.index, &asked)?.named)
    }
}

fn node_of(map: &Map, hit: &MappedHit) -> Option<NodeRef> {
    map.node(&hit.id.as_ref()?.parse().ok()?)
}

/// The sums of the worth of nodes.
#[derive(Default)]
struct NodeTally(FxHashMap<NodeRef, f64>);

impl NodeTally {
    fn add(&mut self, node: NodeRef, worth: f64) {
        *self.0.entry(node).or_default() += worth;
    }

    /// Returns the nodes, the worthiest first; equals are in the order of their IDs, so that a question has the same
    /// answer everywhere.
    fn into_ranked(self, map: &Map) -> Vec<NodeRef> {
        let keyed = self.0.into_iter().map(|(node, worth)| (worth, map.id(node).to_string(), node));
        let mut keyed: Vec<(f64, String, NodeRef)> = keyed.collect();
        keyed.sort_by(|(a, one, _), (b, other, _)| b.total_cmp(a).then_with(|| one.cmp(other)));
        keyed.into_iter().map(|(_, _, node)| node).collect()
    }
}

/// Returns the definitions whose names the question writes, the rarest names and those in the most telling parts of the
/// question first.
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

/// Returns the files of the places that the question names, then those that it mentions by path or as a module, if only
/// one file can be meant.
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

/// Returns the file of the longest beginning of a dotted name that is the module of one file.
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

/// Returns the definitions that the best ones call or extend: a fault often sits one step from the named code.
fn one_step_from(map: &Map, words: &[(NodeRef, f32)]) -> Vec<NodeRef> {
    let mut tally = NodeTally::default();
    let kinds = [EdgeKind::Calls, EdgeKind::Extends].into_iter().collect();
    for (at, (node, _)) in words.iter().enumerate().take(STEPPED_FROM) {
        let targets = map.written_targets(*node, kinds);
        let worth = 1.0 / (at as f64 + 1.0) / (targets.len() as f64).max(1.0).sqrt();
        targets.into_iter().for_each(|to| tally.add(to.into(), worth));
    }
    tally.into_ranked(map)
}
