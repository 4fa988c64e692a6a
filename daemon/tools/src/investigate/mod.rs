//! Answers `investigate`, `investigate_expand` and `investigate_hydrate`.
//!
//! A first answer has entries with the lines that matter in them (`first`): places that the question names come first
//! (`frames`), then the files with most kinds of evidence, each with its best definitions (`evidence`). All places are
//! stored as a bundle, from which a client gets the source page by page.

mod entry;
mod evidence;
mod first;
mod frames;
mod ordering;
mod scope;

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use hob_base::{AbsPath, Deadline};
use hob_map::Map;
use hob_map::graph::{Direction, EdgeKind, EdgeKinds, Neighbor, NeighborsQuery, NodeInfo, NodeRef};
use hob_proto::tools::investigate::{
    Beside, Domain, ExpandArgs, ExpandResult, HydrateArgs, HydrateResult, InvestigateArgs, InvestigateResult,
    InvestigationEntry, Skipped,
};
use hob_proto::{ErrorCode, NodeId, ToolError};
use hob_store::StoreError;
use hob_text::ranked::{LONGEST_QUESTION, RankedIndex, RankedQuestion};
use rustc_hash::FxHashSet;

use super::map::with_graph_deadline;
use super::text_search::{self, RankedQuery};
use super::{FIRST_INDEX_PATIENCE, NeededIndex, ToolCall, ToolOutcome, target, to_data};
use super::{callers, fuse};
use entry::{TopicPlace, first_lines, hash, shorten_text};
use evidence::{Evidence, EvidenceRequest};
use first::TopicQuery;
use hob_budget::chars_of;
use hob_host::Workspace;
use hob_results::errors;
use hob_results::text_search::MappedHit;
use hob_words::investigate::bundle::{self, Bundle, BundleEntry, asset_id};
use hob_words::investigate::rank::{Seed, rank};
use hob_words::investigate::reading::QuestionReading;
use ordering::OrderedPlace;
use scope::{Bounds, TopicScope};

/// Most definitions that the words may find.
const SEEDS: usize = 40;
/// Most definitions that words find for the ranking of files.
const DEPTH: usize = 200;
/// Number of the best definitions whose names are read for words that they share.
const NAMES_READ: usize = 10;
/// Characters of the query that an answer repeats.
const ECHOED: usize = 200;
/// Characters for the frame of the entries of an answer, and for the names of skipped entries.
const FRAME: usize = 300;
const SKIPPED: usize = 500;
/// Weight of the greatest nearness in meaning, where the best score by words counts 1.
const MEANING: f32 = 0.7;
/// Weight of a place that a question names, where the best score by words counts 1.
const PLACE: f32 = 2.0;
/// Longest time that questions wait for the first derivation, from the first of any tool that does: words find most without
/// it.
const DERIVE_PATIENCE: Duration = Duration::from_secs(5);
/// The warning for a question whose words in quotes find nothing.
const UNQUOTED: &str = "Nothing has the words in quotes; they were read as words like others.";
/// Most neighbours of an expanded entry.
const BESIDE: usize = 24;

pub(super) fn investigate(call: &mut ToolCall<'_>) -> ToolOutcome {
    let args: InvestigateArgs = call.parse_args()?;
    if RankedQuestion::parse(&args.query).is_empty() {
        return Err(ToolError::bad_args("there is no word in `query`").hint("Pass words or identifiers."));
    }
    if args.query.len() > LONGEST_QUESTION {
        let read = LONGEST_QUESTION >> 10;
        call.notes.warnings.push(format!("Only the first {read} KiB of the query were read for words."));
    }
    let scope = TopicScope::parse(&args.scope)?;
    scope.choose_project(call)?;
    let workspace = call.workspace(NeededIndex::Map)?;
    let admitted = call.parse_scope(&workspace)?;
    let bounds = scope.bounds_in(&workspace, admitted.rules())?;
    workspace.wait_derived_shared(DERIVE_PATIENCE, &call.cancel);
    let TopicFindings { sought, seeds, evidence } =
        find_seeds(call, &workspace, &args.query, args.use_embeddings, &bounds, &admitted)?;
    let found = rank_places(call, &workspace, &seeds, &evidence, &bounds);
    let bodies: Vec<Option<String>> = found.iter().map(|(_, found)| found.read_body(&workspace)).collect();
    let kept = found.iter().zip(&bodies).map(|((one, found), body)| BundleEntry {
        uid: found.info.id.to_string(),
        relevance: one.place.relevance,
        is_seed: one.place.is_seed,
        hash: body.as_deref().map(hash),
        given: false,
    });
    let mut bundle = Bundle::new(workspace.root(), args.query, args.scope, kept.collect());
    let sheet =
        first::Sheet { sought: &sought, form: call.terms.form, room: call.terms.room.saturating_sub(FRAME) };
    let entries = sheet.entries(&found, &bodies);
    for (kept, entry) in bundle.entries.iter_mut().zip(&entries) {
        kept.given = entry.body_complete;
    }
    if !bundle.entries.is_empty() {
        bundle.keep_for_a_day(call.services.host.store()).map_err(|error| not_kept(&error))?;
    }
    let total = bundle.entries.len();
    call.omit_items("entries", total, entries.len(), "Narrow with paths or fewer words.");
    to_data(&InvestigateResult {
        bundle_id: bundle.id(),
        query: shorten_text(&bundle.query, ECHOED),
        scope: bundle.scope,
        domains: domains_of(&found[..entries.len()]),
        more_available: total > entries.len(),
        returned: entries.len(),
        entries,
        total,
    })
}

/// A place that a text is about, for tools that have no bundles.
pub(super) struct PlaceOfText {
    pub(super) info: NodeInfo,
    pub(super) title: String,
    /// The probability that the text is about the place's file.
    pub(super) confidence: f64,
}

/// Finds the places in the whole project that a text is about, the best one of each file, likeliest first.
pub(super) fn places_of_text(
    call: &mut ToolCall<'_>,
    workspace: &Arc<Workspace>,
    text: &str,
    most: usize,
) -> Result<Vec<PlaceOfText>, ToolError> {
    let admitted = call.parse_scope(workspace)?;
    let bounds = TopicScope::All.bounds_in(workspace, admitted.rules())?;
    let TopicFindings { seeds, evidence, .. } = find_seeds(call, workspace, text, false, &bounds, &admitted)?;
    let mut files = FxHashSet::default();
    let found =
        rank_places(call, workspace, &seeds, &evidence, &bounds).into_iter().filter_map(|(one, found)| {
            let title = found.title().to_owned();
            Some(PlaceOfText { title, confidence: one.confidence?, info: found.info })
        });
    Ok(found.filter(|place| files.insert(place.info.path.clone())).take(most).collect())
}

/// The query with its places, the definitions that it finds with their scores, and the evidence for files.
struct TopicFindings {
    sought: TopicQuery,
    seeds: Vec<(NodeId, f32)>,
    evidence: Evidence,
}

/// Reads the query's words and places, and finds the nodes that they mean.
fn find_seeds(
    call: &mut ToolCall<'_>,
    workspace: &Arc<Workspace>,
    query: &str,
    use_embeddings: bool,
    bounds: &Bounds,
    admitted: &super::scope::CallScope,
) -> Result<TopicFindings, ToolError> {
    let (places, rest) = frames::named_places(&workspace.map(), query);
    let mut query = if RankedQuestion::parse(&rest).is_empty() { query } else { &rest };
    let (kinds, below) = (bounds.doc_kinds(), bounds.below.as_ref());
    let wanted = text_search::WordsToFind { text: query, kinds: &kinds, below, rules: &bounds.rules };
    let until_built = call.first_time(Deadline::after(FIRST_INDEX_PATIENCE));
    let index = text_search::wait_for_ranked_index(call, workspace, &wanted, until_built)?;
    let question = focus_question(&index, query)?;
    let mut asked = RankedQuery {
        question,
        kinds: bounds.doc_kinds(),
        below: bounds.below.clone(),
        rules: Arc::clone(&bounds.rules),
        limit: DEPTH,
        counts_all: false,
    };
    let mut own = asked.question.clone();
    let unquoted = query.replace('"', " ");
    let mut named = find_named(call, workspace, &index, &mut asked)?;
    if named.is_empty() && query.contains('"') {
        call.notes.warnings.push(UNQUOTED.into());
        query = &unquoted;
        own = focus_question(&index, query)?;
        asked.question = own.clone();
        named = find_named(call, workspace, &index, &mut asked)?;
    }
    if use_embeddings {
        let near = fuse::find_near(call, workspace, query, &asked);
        named = with_near(named, near);
        keep_phrases(workspace, &asked.question, &mut named);
    }
    text_search::warn_of_hits_outside(call, workspace, &index, &asked, SEEDS, admitted);
    let words = named.iter().filter_map(|hit| Some((hit.id.as_ref()?.parse().ok()?, hit.score)));
    let mut words: Vec<(NodeId, f32)> = words.collect();
    let nodes: Vec<(NodeRef, f32)> = {
        let map = workspace.map();
        words.iter().filter_map(|(id, score)| Some((map.node(id)?, *score))).collect()
    };
    let reading = QuestionReading::of(query);
    let request = EvidenceRequest {
        workspace,
        index: &index,
        reading: &reading,
        text: query,
        asked: &asked,
        places: &places,
    };
    let evidence = Evidence::gather(call, &request, &nodes)?;
    words.truncate(SEEDS);
    let seeds = with_places_first(&workspace.map(), &places, words);
    Ok(TopicFindings { sought: TopicQuery { question: own, places }, seeds, evidence })
}

/// Reads the words of a question; of a long one, those that tell most in this project.
fn focus_question(index: &RankedIndex, query: &str) -> Result<RankedQuestion, ToolError> {
    let question = RankedQuestion::parse(query);
    let wide = RankedQuestion::parse_wide(query);
    if wide == question {
        return Ok(question);
    }
    let focused = index.focus(&wide).map_err(|error| errors::words_failed(&error.to_string()))?;
    Ok(if focused.is_empty() { question } else { focused })
}

/// Returns the definitions that a question finds. The search is repeated with the words that the best names share;
/// definitions without the words in quotes are dropped.
fn find_named(
    call: &mut ToolCall<'_>,
    workspace: &Workspace,
    index: &RankedIndex,
    asked: &mut RankedQuery,
) -> Result<Vec<MappedHit>, ToolError> {
    let mut named = find_by_words(call, workspace, index, asked)?;
    let names = named.iter().take(NAMES_READ).map(|hit| hit.title.as_str());
    if let Some(wider) = asked.question.with_related(names) {
        asked.question = wider;
        named = find_by_words(call, workspace, index, asked)?;
    }
    keep_phrases(workspace, &asked.question, &mut named);
    Ok(named)
}

/// Drops the definitions that lack a phrase of the question.
fn keep_phrases(workspace: &Workspace, question: &RankedQuestion, named: &mut Vec<MappedHit>) {
    if question.has_phrases() {
        named.retain(|hit| text_search::has_phrases(workspace, question, hit));
        named.truncate(SEEDS);
    }
}

/// Returns the definitions that the words find, with the credit of their callers.
fn find_by_words(
    call: &mut ToolCall<'_>,
    workspace: &Workspace,
    index: &RankedIndex,
    asked: &RankedQuery,
) -> Result<Vec<MappedHit>, ToolError> {
    let mut found = text_search::find(call, workspace, index, asked)?;
    callers::credit_callers(&workspace.map(), &mut found.named, &found.rarities);
    Ok(found.named)
}

/// Puts the named places before the seeds, with a score above all that words find.
fn with_places_first(
    map: &Map,
    places: &[(NodeRef, u32)],
    mut words: Vec<(NodeId, f32)>,
) -> Vec<(NodeId, f32)> {
    let best = words.iter().map(|(_, score)| *score).fold(f32::MIN_POSITIVE, f32::max);
    let mut led: Vec<(NodeId, f32)> = places.iter().map(|(node, _)| (map.id(*node), PLACE * best)).collect();
    words.retain(|(id, _)| led.iter().all(|(place, _)| place != id));
    led.append(&mut words);
    led
}

/// Merges the definitions that words found with those near in meaning: each has its share of the best score of its own
/// kind, and the shares of a definition that both found are added.
fn with_near(mut named: Vec<MappedHit>, near: Vec<MappedHit>) -> Vec<MappedHit> {
    let best = named.iter().map(|hit| hit.score).fold(f32::MIN_POSITIVE, f32::max);
    named.iter_mut().for_each(|hit| hit.score /= best);
    let first = near.first().map_or(0.0, |hit| hit.score);
    let last = near.last().map_or(0.0, |hit| hit.score);
    for hit in near {
        let share = if first > last { (hit.score - last) / (first - last) } else { 1.0 };
        match named.iter_mut().find(|known| known.id == hit.id) {
            Some(known) => known.score += MEANING * share,
            None => named.push(MappedHit { score: MEANING * share, ..hit }),
        }
    }
    named.sort_by(|a, b| b.score.total_cmp(&a.score).then_with(|| a.id.cmp(&b.id)));
    named.truncate(SEEDS);
    named
}

/// Ranks the places, and describes them from the same state of the map.
fn rank_places(
    call: &mut ToolCall<'_>,
    workspace: &Workspace,
    seeds: &[(NodeId, f32)],
    evidence: &Evidence,
    bounds: &Bounds,
) -> Vec<(OrderedPlace, TopicPlace)> {
    let map = workspace.map();
    if !map.is_derived() {
        call.notes
            .warnings
            .push("The graph is still being derived: only what the words found is here.".into());
    }
    let numbered = seeds.iter().filter_map(|(id, score)| Some(Seed { node: map.node(id)?, score: *score }));
    let seeds: Vec<Seed> = numbered.collect();
    let admits = |node: NodeRef| bounds.admits_node(&map, node);
    let near = rank(&map, &seeds, &admits);
    let ranked = evidence.ordered_places(&map, &near, &admits);
    ranked.into_iter().filter_map(|one| Some((one, TopicPlace::new(&map, one.place.node)?))).collect()
}

/// Puts the part of the source that fits into an entry.
fn inline_source(entry: &mut InvestigationEntry, body: &str, room: usize) {
    let shown = first_lines(body, room).unwrap_or_default();
    if !shown.is_empty() {
        entry.body_complete = shown.len() == body.len();
        entry.inline_body = Some(shown.to_owned());
    }
}

/// Returns the clusters of entries, the one with most of the topic first.
fn domains_of(found: &[(OrderedPlace, TopicPlace)]) -> Vec<Domain> {
    let mut by_label: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    for (at, (_, found)) in found.iter().enumerate() {
        by_label.entry(&found.domain).or_default().push(at);
    }
    let relevance = |members: &[usize]| members.iter().map(|at| found[*at].0.place.relevance).sum::<f64>();
    let mut groups: Vec<(&str, Vec<usize>)> = by_label.into_iter().collect();
    groups.sort_by(|(_, one), (_, other)| relevance(other).total_cmp(&relevance(one)));
    let domain = |(label, members): (&str, Vec<usize>)| {
        // The entry point of a domain is a definition that others use: a hub tells more than a leaf that fits the words
        // as well.
        let begin = |at: &usize| found[*at].0.place.relevance + f64::from(found[*at].1.info.score);
        let first = members.iter().copied().reduce(|a, b| if begin(&b) > begin(&a) { b } else { a })?;
        let members = members.into_iter().map(asset_id).collect();
        Some(Domain { label: label.to_owned(), entry_point: found[first].1.info.id.to_string(), members })
    };
    groups.into_iter().filter_map(domain).collect()
}

pub(super) fn expand(call: &mut ToolCall<'_>) -> ToolOutcome {
    let args: ExpandArgs = call.parse_args()?;
    let bundle = load_bundle(call, &args.bundle_id)?;
    if args.targets.is_empty() {
        return Err(
            ToolError::bad_args("`targets` is empty").hint("Pass asset_ids of the bundle, or node IDs.")
        );
    }
    let workspace = workspace_of(call, &bundle)?;
    let (mut chosen, mut neighbors, mut unresolved) = (Vec::new(), Vec::new(), Vec::new());
    {
        let map = workspace.map();
        for target in &args.targets {
            let at = bundle.position(target);
            let text = at.map_or(target.as_str(), |at| bundle.entries[at].uid.as_str());
            let node = match target::look_up(call, &map, &workspace, text) {
                target::TargetMeaning::One(meant) => Some(meant.node),
                _ => None,
            };
            match node.and_then(|node| TopicPlace::new(&map, node)) {
                Some(found) => {
                    neighbors.extend(direct_neighbors(&map, &found, call));
                    chosen.push((at, found, target));
                }
                None => unresolved.push(target.clone()),
            }
        }
    }
    let mut expanded = Vec::new();
    for (at, found, target) in chosen {
        match whole_entry(&workspace, &bundle, at, &found) {
            Some(entry) => expanded.push(entry),
            None => unresolved.push(target.clone()),
        }
    }
    to_data(&ExpandResult { bundle_id: args.bundle_id, expanded, neighbors, unresolved })
}

pub(super) fn hydrate(call: &mut ToolCall<'_>) -> ToolOutcome {
    let args: HydrateArgs = call.parse_args()?;
    let mut bundle = load_bundle(call, &args.bundle_id)?;
    let workspace = workspace_of(call, &bundle)?;
    let already = bundle.entries.iter().filter(|entry| entry.given).count();
    let waiting: Vec<usize> = (0..bundle.entries.len()).filter(|at| !bundle.entries[*at].given).collect();
    let found: Vec<Option<TopicPlace>> = {
        let map = workspace.map();
        let found = |at: &usize| TopicPlace::new(&map, node_of_target(&map, &bundle.entries[*at].uid)?);
        waiting.iter().map(found).collect()
    };
    let mut left = call.terms.room.saturating_sub(FRAME + SKIPPED);
    let (mut entries, mut gone, mut large): (Vec<InvestigationEntry>, _, _) =
        (Vec::new(), Vec::new(), Vec::new());
    for (at, found) in waiting.into_iter().zip(found) {
        let entry = found.and_then(|found| whole_entry(&workspace, &bundle, Some(at), &found));
        let Some(mut entry) = entry else {
            gone.push(asset_id(at));
            continue;
        };
        let size = chars_of(&entry);
        // The first entry is always shown, in part if it has to be: else a client would never get beyond it.
        if large.is_empty() && (size <= left || entries.is_empty()) {
            if size > left {
                let body = entry.inline_body.take().unwrap_or_default();
                let frame = chars_of(&entry) + 24;
                entry.body_complete = false;
                inline_source(&mut entry, &body, left.saturating_sub(frame));
            }
            left = left.saturating_sub(chars_of(&entry));
            bundle.entries[at].given = true;
            entries.push(entry);
        } else {
            large.push(asset_id(at));
        }
    }
    bundle.note_given(call.services.host.store()).map_err(|error| not_kept(&error))?;
    let reasons = [
        ("No room in token_budget: call again for the next.", large),
        ("No longer there: investigate again.", gone),
    ];
    let skipped_reasons: Vec<Skipped> = reasons
        .into_iter()
        .filter(|(_, asset_ids)| !asset_ids.is_empty())
        .map(|(reason, asset_ids)| Skipped { reason: reason.to_owned(), asset_ids })
        .collect();
    to_data(&HydrateResult {
        bundle_id: args.bundle_id,
        hydrated: entries.len(),
        already_hydrated: already,
        skipped: skipped_reasons.iter().map(|skipped| skipped.asset_ids.len()).sum(),
        skipped_reasons,
        entries,
    })
}

fn load_bundle(call: &ToolCall<'_>, id: &str) -> Result<Bundle, ToolError> {
    let bundle = bundle::load(call.services.host.store(), id.trim()).map_err(|error| not_kept(&error))?;
    bundle.ok_or_else(|| {
        ToolError::new(
            ErrorCode::BundleNotFound,
            format!("There is no bundle `{id}`, or its 24 hours are over."),
        )
        .hint("Call investigate again: the same question gives the same bundle.")
    })
}

fn not_kept(error: &StoreError) -> ToolError {
    ToolError::new(ErrorCode::Internal, format!("The bundle could not be kept or read: {error}."))
        .hint("text_search and read_symbols need no bundle.")
}

/// Returns the workspace of a bundle, whichever project the client is in.
fn workspace_of(call: &mut ToolCall<'_>, bundle: &Bundle) -> Result<Arc<Workspace>, ToolError> {
    if let Ok(root) = AbsPath::new(&bundle.root) {
        call.terms.start = root;
    }
    call.workspace(NeededIndex::Map)
}

fn node_of_target(map: &Map, target: &str) -> Option<NodeRef> {
    match map.lookup(target) {
        hob_map::graph::Lookup::One(node) => Some(node),
        _ => None,
    }
}

/// Returns an entry with all of its present source.
fn whole_entry(
    workspace: &Workspace,
    bundle: &Bundle,
    at: Option<usize>,
    found: &TopicPlace,
) -> Option<InvestigationEntry> {
    let body = found.read_body(workspace)?;
    let kept = at.and_then(|at| bundle.entries.get(at));
    let (relevance, is_seed) = (kept.map(|kept| kept.relevance), kept.is_some_and(|kept| kept.is_seed));
    let mut entry = found.entry_without_source(at.map(asset_id).unwrap_or_default(), relevance, is_seed);
    entry.changed = kept.and_then(|kept| kept.hash).is_some_and(|before| before != hash(&body));
    entry.body_complete = true;
    entry.inline_body = Some(body);
    Some(entry)
}

/// Returns the direct neighbours of an entry.
fn direct_neighbors(map: &Map, found: &TopicPlace, call: &ToolCall<'_>) -> Vec<Beside> {
    let query = NeighborsQuery {
        node: found.info.node,
        direction: Direction::Both,
        kinds: EdgeKinds::ALL,
        depth: 1,
        max_nodes: BESIDE,
        family: false,
        cancel: with_graph_deadline(&call.cancel),
    };
    let neighbors = map.neighbors(&query).map(|answer| answer.neighbors).unwrap_or_default();
    let of = found.info.id.to_string();
    let beside = |neighbor: Neighbor| Beside {
        of: of.clone(),
        uid: neighbor.info.id.to_string(),
        kind: neighbor.info.kind.as_str().to_owned(),
        relation: relation_words(&neighbor),
        title: if neighbor.info.qualified.is_empty() { neighbor.info.name } else { neighbor.info.qualified },
    };
    neighbors.into_iter().map(beside).collect()
}

/// Returns the words for a connection, as seen from the entry.
fn relation_words(neighbor: &Neighbor) -> String {
    let said = match (neighbor.direction, neighbor.edge) {
        (Direction::In, EdgeKind::Contains) => "in",
        (Direction::In, EdgeKind::Imports) => "imported by",
        (Direction::In, EdgeKind::Exports) => "exported by",
        (Direction::In, EdgeKind::Calls) => "called by",
        (Direction::In, EdgeKind::Extends) => "extended by",
        (Direction::In, EdgeKind::Implements) => "implemented by",
        (Direction::In, EdgeKind::References) => "referenced by",
        (_, kind) => kind.as_str(),
    };
    let is_sure = neighbor.confidence != hob_map::graph::Confidence::Candidate;
    if is_sure { said.to_owned() } else { format!("maybe {said}") }
}
