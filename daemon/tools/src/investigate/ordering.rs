//! Orders the places of an answer: fuses the rankings of all evidence into one of files, each with its best
//! definitions.
//!
//! Each file has a confidence and each place a reason, so that a reader knows what to believe, and why, before reading
//! any code.

use std::cmp::Ordering;

use hob_base::FileId;
use hob_map::Map;
use hob_map::graph::NodeRef;
use hob_proto::tools::investigate::PlaceReason;
use hob_text::ranked::{Term, terms_of};
use hob_words::investigate::file_role::FileRole;
use hob_words::investigate::fusion::{Fused, Ranking, fuse};
use hob_words::investigate::rank::RankedPlace;
use hob_words::investigate::scoring::{EvidenceKind, FileScore, confidences};
use rustc_hash::{FxHashMap, FxHashSet};

use super::evidence::{Evidence, KindRanking};

/// Number of leading definitions of the first file, and of each of the others; their further definitions come behind
/// all files.
const SHOWN: [usize; 2] = [2, 1];
/// Most places of an answer, and how many of these may be places that are only near in the graph.
const MOST: usize = 60;
const NEAR: usize = 15;
/// Names of files that say nothing about their contents: their folder's name counts.
const NAMELESS: &[&str] = &["__init__", "index", "lib", "main", "mod"];

/// A place of the answer.
#[derive(Clone, Copy, Debug)]
pub(super) struct OrderedPlace {
    pub(super) place: RankedPlace,
    /// The probability that the question is about the place's file; `None` for places that are only near in the graph.
    pub(super) confidence: Option<f64>,
    /// The reason why it is in the answer.
    pub(super) reason: PlaceReason,
}

/// A file with its relevance and its confidence, both 0 to 1.
struct OrderedFile {
    file: FileId,
    relevance: f64,
    confidence: f64,
}

impl Evidence {
    /// Returns the places in the order of their files, the likeliest first. Places that the question names come before
    /// them, `near` ones behind.
    pub(super) fn ordered_places(
        &self,
        map: &Map,
        near: &[RankedPlace],
        admits: &dyn Fn(NodeRef) -> bool,
    ) -> Vec<OrderedPlace> {
        let of_file = self.nodes_by_file(admits);
        let files = self.ordered_files(map);
        let mut leading = self.named_by_place(&files, admits);
        let mut behind = Vec::new();
        for (at, file) in files.iter().enumerate() {
            let shown = SHOWN.get(at).or(SHOWN.last()).copied().unwrap_or(1);
            let nodes = of_file.get(&file.file).map_or(&[][..], Vec::as_slice);
            let best = nodes.first().map_or(1.0, |one| one.score);
            let whole = NodeRef::File(file.file);
            if nodes.is_empty() && admits(whole) && !self.places.contains(&whole) {
                leading.push(self.ordered(whole, file, 1.0));
            }
            let ordered = |one: &Fused<NodeRef>| self.ordered(one.item, file, one.score / best);
            leading.extend(nodes.iter().take(shown).map(ordered));
            behind.extend(nodes.iter().skip(shown).map(ordered));
        }
        leading.append(&mut behind);
        let known: FxHashSet<NodeRef> = leading.iter().map(|one| one.place.node).collect();
        // The start of the walk may be a named place outside of the scope.
        let is_further = |place: &&RankedPlace| admits(place.node) && !known.contains(&place.node);
        let near = near.iter().filter(is_further).take(NEAR);
        let near: Vec<RankedPlace> = near.copied().collect();
        leading.truncate(MOST - near.len());
        // Places that are only near in the graph come after those with evidence of their own.
        let least = leading.iter().map(|one| one.place.relevance).fold(1.0, f64::min);
        leading.extend(near.into_iter().map(|place| OrderedPlace {
            place: RankedPlace { relevance: place.relevance.min(least), ..place },
            confidence: None,
            reason: PlaceReason::NearInGraph,
        }));
        leading
    }

    fn named_by_place(&self, files: &[OrderedFile], admits: &dyn Fn(NodeRef) -> bool) -> Vec<OrderedPlace> {
        let confidence = |node: NodeRef| {
            let file = node.file()?;
            files.iter().find(|one| one.file == file).map(|one| one.confidence)
        };
        let ordered = |node: &NodeRef| OrderedPlace {
            place: RankedPlace { node: *node, relevance: 1.0, is_seed: true },
            confidence: confidence(*node),
            reason: PlaceReason::NamedByPlace,
        };
        self.places.iter().filter(|node| admits(**node)).map(ordered).collect()
    }

    /// Makes a place of a file, whose score is this share of the file's best.
    fn ordered(&self, node: NodeRef, file: &OrderedFile, share: f64) -> OrderedPlace {
        let relevance = (file.relevance * (0.7 + 0.3 * share) * 1e3).round() / 1e3;
        let is_seed = self.seeds.contains(&node) || matches!(node, NodeRef::File(_));
        let place = RankedPlace { node, relevance, is_seed };
        OrderedPlace { place, confidence: Some(file.confidence), reason: self.reason(node, file.file) }
    }

    fn reason(&self, node: NodeRef, file: FileId) -> PlaceReason {
        let has = |kind: EvidenceKind| {
            let found = self.nodes.iter().any(|one| one.kind == kind && one.ranked.contains(&node));
            let whole = matches!(node, NodeRef::File(_));
            found || (whole && self.files.iter().any(|one| one.kind == kind && one.ranked.contains(&file)))
        };
        let mentioned = self.files.iter().filter(|one| one.kind == EvidenceKind::Mentioned);
        let is_mentioned = mentioned.flat_map(|one| &one.ranked).any(|one| *one == file);
        match () {
            () if has(EvidenceKind::Names) => PlaceReason::NamedInQuestion,
            () if is_mentioned => PlaceReason::FileMentioned,
            () if has(EvidenceKind::Title) => PlaceReason::TitleWords,
            () if has(EvidenceKind::Words) || has(EvidenceKind::WordsOfFile) => PlaceReason::Words,
            () => PlaceReason::OneStep,
        }
    }

    /// Orders the files by all evidence, the likeliest first.
    fn ordered_files(&self, map: &Map) -> Vec<OrderedFile> {
        let mut files: Vec<ScoredFile> = Vec::new();
        let mut at_file: FxHashMap<FileId, usize> = FxHashMap::default();
        for ranking in &self.files {
            for (rank, &file) in ranking.ranked.iter().enumerate() {
                let Some(beginning) = self.first_score(map, file) else { continue };
                let at = *at_file.entry(file).or_insert(files.len());
                if at == files.len() {
                    files.push(ScoredFile { file, score: beginning });
                }
                let share = ranking.shares.get(rank).copied().unwrap_or(0.0);
                files[at].score.add_rank(ranking.kind, rank, share);
            }
        }
        // The sort is stable: equals stay in their order.
        files.sort_by(|a, b| b.score.partial_cmp(&a.score).unwrap_or(Ordering::Equal));
        let scores: Vec<FileScore> = files.iter().map(|one| one.score).collect();
        let ordered = |(one, confidence): (&ScoredFile, f64)| OrderedFile {
            file: one.file,
            relevance: one.score.relevance(),
            confidence,
        };
        files.iter().zip(confidences(&scores)).map(ordered).collect()
    }

    /// Returns the score of a file before any evidence: by its role, and by its name.
    fn first_score(&self, map: &Map, file: FileId) -> Option<FileScore> {
        let (path, facts) = map.file(file)?;
        let role = FileRole::of_path(path.as_str(), facts.lang.is_prose(), &self.title);
        Some(FileScore::of_file(role, is_called_so(path.as_str(), &self.title)))
    }

    /// Returns the definitions of each file, best first, without those that the question names by place.
    fn nodes_by_file(&self, admits: &dyn Fn(NodeRef) -> bool) -> FxHashMap<FileId, Vec<Fused<NodeRef>>> {
        let mut of_file: FxHashMap<FileId, Vec<Fused<NodeRef>>> = FxHashMap::default();
        let wanted = |one: &Fused<NodeRef>| admits(one.item) && !self.places.contains(&one.item);
        for one in fuse(&weighted(&self.nodes)).into_iter().filter(wanted) {
            if let Some(file) = one.item.file() {
                of_file.entry(file).or_default().push(one);
            }
        }
        of_file
    }
}

/// A file with the score of its evidence.
struct ScoredFile {
    file: FileId,
    score: FileScore,
}

/// Returns true if all words of a file's name are among those of a title.
fn is_called_so(path: &str, title: &[Term]) -> bool {
    let mut parts = path.rsplit('/');
    let stem = parts.next().and_then(|name| name.split('.').next()).unwrap_or("");
    let name = if NAMELESS.contains(&stem) { parts.next().unwrap_or("") } else { stem };
    let words = terms_of(name);
    !words.is_empty() && words.iter().all(|word| title.iter().any(|said| said.stem == word.stem))
}

fn weighted<T: Clone>(rankings: &[KindRanking<T>]) -> Vec<Ranking<T>> {
    let weighted = |one: &KindRanking<T>| Ranking { weight: one.kind.weight(), ranked: one.ranked.clone() };
    rankings.iter().map(weighted).collect()
}
