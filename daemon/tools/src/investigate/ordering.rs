//! Orders the places of an answer: the rankings of all evidence become one of files, each with its best definitions.
//!
//! Each file has a confidence and each place a reason, so that a reader sees what to believe and why before reading any code.

use hob_base::FileId;
use hob_map::Map;
use hob_map::graph::NodeRef;
use hob_proto::tools::investigate::PlaceReason;
use hob_words::investigate::confidence::{EvidenceKind, FileSigns};
use hob_words::investigate::fusion::{Fused, Ranking, fuse};
use hob_words::investigate::rank::RankedPlace;
use rustc_hash::{FxHashMap, FxHashSet};

use super::evidence::{Evidence, KindRanking};

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
/// Files that a ranking of names may have before its files are no longer told by it.
const NAMED: usize = 3;

/// A place of the answer.
#[derive(Clone, Copy, Debug)]
pub(super) struct OrderedPlace {
    pub(super) place: RankedPlace,
    /// The probability that the question is about the place's file; `None` for what is only near in the graph.
    pub(super) confidence: Option<f64>,
    /// Why it is in the answer.
    pub(super) reason: PlaceReason,
}

/// A file with its confidence.
struct OrderedFile {
    file: FileId,
    score: f64,
    confidence: f64,
}

impl Evidence {
    /// The places in the order of their files, the likeliest first. Places that the question names stand before them, `near` ones behind.
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
        // What is only near comes after what speaks for itself.
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

    /// A definition of a file that has this share of the best one's score.
    fn ordered(&self, node: NodeRef, file: &OrderedFile, share: f64) -> OrderedPlace {
        let relevance = (file.score * (0.7 + 0.3 * share) * 1e3).round() / 1e3;
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
        let is_mentioned = self.rank_in(EvidenceKind::Mentioned, file).is_some();
        match () {
            () if has(EvidenceKind::Names) => PlaceReason::NamedInQuestion,
            () if is_mentioned => PlaceReason::FileMentioned,
            () if has(EvidenceKind::Title) || has(EvidenceKind::TitleOfFile) => PlaceReason::TitleWords,
            () if has(EvidenceKind::Words) || has(EvidenceKind::WordsOfFile) => PlaceReason::Words,
            () => PlaceReason::OneStep,
        }
    }

    /// The files by all evidence; tests stand back unless they are asked for.
    fn ordered_files(&self, map: &Map) -> Vec<OrderedFile> {
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
        let mut files: Vec<Fused<FileId>> =
            fuse(&weighted(&self.files)).into_iter().filter_map(weighed).collect();
        // Stable, so that equals stay in the order that they had.
        files.sort_by(|a, b| b.score.total_cmp(&a.score));
        let confident = |(at, one): (usize, &Fused<FileId>)| OrderedFile {
            file: one.item,
            score: one.score,
            confidence: self.signs_of(&files, at).confidence(),
        };
        files.iter().enumerate().map(confident).collect()
    }

    fn signs_of(&self, files: &[Fused<FileId>], at: usize) -> FileSigns {
        let file = files[at].item;
        let led = || self.files.iter().filter(|one| one.ranked.first() == Some(&file));
        let all: f64 =
            self.files.iter().filter(|one| !one.ranked.is_empty()).map(|one| one.kind.weight()).sum();
        FileSigns {
            score: files[at].score,
            rival: files.get(usize::from(at == 0)).map_or(0.0, |one| one.score),
            position: at,
            firsts: led().map(|one| one.kind.weight()).sum::<f64>() / all.max(f64::MIN_POSITIVE),
            lead: led().map(|one| one.lead).sum(),
            is_named: self.rank_in(EvidenceKind::Names, file).is_some_and(|rank| rank < NAMED),
            is_mentioned: self.rank_in(EvidenceKind::Mentioned, file).is_some(),
            found: files.len(),
        }
    }

    fn rank_in(&self, kind: EvidenceKind, file: FileId) -> Option<usize> {
        self.files.iter().find(|one| one.kind == kind)?.ranked.iter().position(|one| *one == file)
    }

    /// The definitions of each file, best first, without those that the question names by place.
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

fn weighted<T: Clone>(rankings: &[KindRanking<T>]) -> Vec<Ranking<T>> {
    let weighted = |one: &KindRanking<T>| Ranking { weight: one.kind.weight(), ranked: one.ranked.clone() };
    rankings.iter().map(weighted).collect()
}
