//! `investigate`, `investigate_expand`, `investigate_hydrate`.
//!
//! A first answer has entries with the lines that matter in them (`first`): what a question names by place leads (`frames`), then comes
//! what its words fit best. Everything found is kept as a bundle, from which the source can be had page by page.

mod entry;
mod first;
mod frames;
mod scope;

use std::collections::BTreeMap;
use std::sync::Arc;

use hob_base::{AbsPath, Deadline};
use hob_map::Map;
use hob_map::graph::{Direction, EdgeKind, EdgeKinds, Neighbor, NeighborsQuery, NodeRef};
use hob_proto::tools::investigate::{
    Beside, Domain, Entry, ExpandArgs, ExpandResult, HydrateArgs, HydrateResult, InvestigateArgs,
    InvestigateResult, Skipped,
};
use hob_proto::{ErrorCode, NodeId, ToolError};
use hob_store::StoreError;
use hob_text::ranked::{Question, RankedIndex};

use super::map::{DERIVE_PATIENCE, patient};
use super::ranked::{self, Asked, Named};
use super::{Needs, Outcome, ToolCall, data, target};
use super::{callers, fuse};
use crate::budget::chars_of;
use crate::host::Workspace;
use crate::investigate::bundle::{self, Bundle, Kept, asset_id};
use crate::investigate::rank::{Place, Seed, rank};
use entry::{Found, first_lines, hash};
use first::Sought;
use scope::{Bounds, Scope};

/// Most definitions that the words may find.
const SEEDS: usize = 40;
/// So many of the best are read for words that they share.
const NAMES_READ: usize = 10;
/// Characters for what frames the entries of an answer, and for the names of those that are not in it.
const FRAME: usize = 300;
const SKIPPED: usize = 500;
/// Weight of being nearest in meaning, where having the words best counts 1.
const MEANING: f32 = 0.7;
/// Weight of a place that a question names, where the best that its words find counts 1.
const PLACE: f32 = 2.0;
/// Neighbours of an expanded entry.
const BESIDE: usize = 24;

pub(super) fn investigate(call: &mut ToolCall<'_>) -> Outcome {
    let args: InvestigateArgs = call.args()?;
    if Question::parse(&args.query).is_empty() {
        return Err(ToolError::bad_args("there is no word in `query`").hint("Pass words or identifiers."));
    }
    let scope = Scope::parse(&args.scope)?;
    scope.choose(call)?;
    let workspace = call.workspace(Needs::Map)?;
    let admitted = call.scope(&workspace)?;
    let bounds = scope.bounds(&workspace, admitted.rules())?;
    workspace.wait_derived(&call.cancel.with_deadline(Deadline::after(DERIVE_PATIENCE)));
    let (sought, seeds) = seeds(call, &workspace, (&args.query, args.use_embeddings, &bounds), &admitted)?;
    let mut found = places(call, &workspace, (&seeds, &bounds));
    sought.lead(&mut found);
    let bodies: Vec<Option<String>> = found.iter().map(|(_, found)| found.body(&workspace)).collect();
    let kept = found.iter().zip(&bodies).map(|((place, found), body)| Kept {
        uid: found.info.id.to_string(),
        relevance: place.relevance,
        is_seed: place.is_seed,
        hash: body.as_deref().map(hash),
        given: false,
    });
    let mut bundle = Bundle::new(workspace.root(), (args.query, args.scope), kept.collect());
    let sheet = first::Sheet { sought: &sought, form: call.form, room: call.room.saturating_sub(FRAME) };
    let entries = sheet.entries(&found, &bodies);
    for (kept, entry) in bundle.entries.iter_mut().zip(&entries) {
        kept.given = entry.body_complete;
    }
    if !bundle.entries.is_empty() {
        bundle.keep(call.host.store()).map_err(|error| not_kept(&error))?;
    }
    let total = bundle.entries.len();
    call.omit("entries", total, entries.len(), "Narrow with paths or fewer words.");
    data(&InvestigateResult {
        bundle_id: bundle.id(),
        query: bundle.query,
        scope: bundle.scope,
        domains: domains(&found[..entries.len()]),
        more_available: total > entries.len(),
        returned: entries.len(),
        entries,
        total,
    })
}

/// Returns the query's words and places, and the nodes that they find; the search is made again with the words that
/// the best names share.
fn seeds(
    call: &mut ToolCall<'_>,
    workspace: &Arc<Workspace>,
    (query, use_embeddings, bounds): (&str, bool, &Bounds),
    admitted: &super::scope::Scope,
) -> Result<(Sought, Vec<(NodeId, f32)>), ToolError> {
    let (places, rest) = frames::places(&workspace.map(), query);
    let query = if Question::parse(&rest).is_empty() { query } else { &rest };
    let question = Question::parse(query);
    let index = ranked::ready(call, workspace)?;
    let mut asked = Asked {
        question,
        kinds: bounds.kinds(),
        below: bounds.below.clone(),
        rules: Arc::clone(&bounds.rules),
        limit: SEEDS,
    };
    let own = asked.question.clone();
    let mut named = found(call, (workspace, &index), &asked)?;
    let names = named.iter().take(NAMES_READ).map(|hit| hit.title.as_str());
    if let Some(wider) = asked.question.with_related(names) {
        asked.question = wider;
        named = found(call, (workspace, &index), &asked)?;
    }
    if use_embeddings {
        let near = fuse::near(call, workspace, (query, &asked));
        named = with_near(named, near);
    }
    if asked.question.has_phrases() {
        named.retain(|hit| ranked::has_phrases(workspace, &asked.question, hit));
        named.truncate(SEEDS);
    }
    ranked::tell_left_out(call, (workspace, &index), (&asked, SEEDS), admitted);
    let words = named.iter().filter_map(|hit| Some((hit.id.as_ref()?.parse().ok()?, hit.score)));
    let words: Vec<(NodeId, f32)> = words.collect();
    let seeds = led(&workspace.map(), &places, words);
    Ok((Sought { question: own, places }, seeds))
}

/// Returns the definitions that the words find, with the credit that their callers add.
fn found(
    call: &mut ToolCall<'_>,
    (workspace, index): (&Workspace, &RankedIndex),
    asked: &Asked,
) -> Result<Vec<Named>, ToolError> {
    let mut found = ranked::find(call, (workspace, index), asked)?;
    callers::credit(&workspace.map(), &mut found.named, &found.rarities);
    Ok(found.named)
}

/// Seeds with places before them: each of these counts more than anything that words find.
fn led(map: &Map, places: &[(NodeRef, u32)], mut words: Vec<(NodeId, f32)>) -> Vec<(NodeId, f32)> {
    let best = words.iter().map(|(_, score)| *score).fold(f32::MIN_POSITIVE, f32::max);
    let mut led: Vec<(NodeId, f32)> = places.iter().map(|(node, _)| (map.id(*node), PLACE * best)).collect();
    words.retain(|(id, _)| led.iter().all(|(place, _)| place != id));
    led.append(&mut words);
    led
}

/// Merges the definitions that words found with those near in meaning: each counts by its rank among its own, and a
/// definition that both found counts for both.
fn with_near(mut named: Vec<Named>, near: Vec<Named>) -> Vec<Named> {
    let best = named.iter().map(|hit| hit.score).fold(f32::MIN_POSITIVE, f32::max);
    named.iter_mut().for_each(|hit| hit.score /= best);
    let first = near.first().map_or(0.0, |hit| hit.score);
    let last = near.last().map_or(0.0, |hit| hit.score);
    for hit in near {
        let share = if first > last { (hit.score - last) / (first - last) } else { 1.0 };
        match named.iter_mut().find(|known| known.id == hit.id) {
            Some(known) => known.score += MEANING * share,
            None => named.push(Named { score: MEANING * share, ..hit }),
        }
    }
    named.sort_by(|a, b| b.score.total_cmp(&a.score).then_with(|| a.id.cmp(&b.id)));
    named.truncate(SEEDS);
    named
}

/// Ranked places with what the map says of them, of one moment.
fn places(
    call: &mut ToolCall<'_>,
    workspace: &Workspace,
    (seeds, bounds): (&[(NodeId, f32)], &Bounds),
) -> Vec<(Place, Found)> {
    let map = workspace.map();
    if !map.is_drawn() {
        call.warnings.push("The graph is still being drawn: only what the words found is here.".into());
    }
    let numbered = seeds.iter().filter_map(|(id, score)| Some(Seed { node: map.node(id)?, score: *score }));
    let seeds: Vec<Seed> = numbered.collect();
    let ranked = rank(&map, &seeds, &|node| bounds.admits(&map, node));
    ranked.into_iter().filter_map(|place| Some((place, Found::new(&map, place.node)?))).collect()
}

/// Puts into an entry what of its source has room.
fn inline(entry: &mut Entry, body: &str, room: usize) {
    let shown = first_lines(body, room).unwrap_or_default();
    if !shown.is_empty() {
        entry.body_complete = shown.len() == body.len();
        entry.inline_body = Some(shown.to_owned());
    }
}

/// The clusters of entries, the one with most of the topic first.
fn domains(found: &[(Place, Found)]) -> Vec<Domain> {
    let mut by_label: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    for (at, (_, found)) in found.iter().enumerate() {
        by_label.entry(&found.domain).or_default().push(at);
    }
    let relevance = |members: &[usize]| members.iter().map(|at| found[*at].0.relevance).sum::<f64>();
    let mut groups: Vec<(&str, Vec<usize>)> = by_label.into_iter().collect();
    groups.sort_by(|(_, one), (_, other)| relevance(other).total_cmp(&relevance(one)));
    let domain = |(label, members): (&str, Vec<usize>)| {
        // What others use is where to begin: a hub tells more than a leaf that fits the words as well.
        let begin = |at: &usize| found[*at].0.relevance + f64::from(found[*at].1.info.score);
        let first = members.iter().copied().reduce(|a, b| if begin(&b) > begin(&a) { b } else { a })?;
        let members = members.into_iter().map(asset_id).collect();
        Some(Domain { label: label.to_owned(), entry_point: found[first].1.info.id.to_string(), members })
    };
    groups.into_iter().filter_map(domain).collect()
}

pub(super) fn expand(call: &mut ToolCall<'_>) -> Outcome {
    let args: ExpandArgs = call.args()?;
    let bundle = loaded(call, &args.bundle_id)?;
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
            let node = match target::look_up(call, (&map, &workspace), text) {
                target::Named::One(meant) => Some(meant.node),
                _ => None,
            };
            match node.and_then(|node| Found::new(&map, node)) {
                Some(found) => {
                    neighbors.extend(beside(&map, &found, call));
                    chosen.push((at, found, target));
                }
                None => unresolved.push(target.clone()),
            }
        }
    }
    let mut expanded = Vec::new();
    for (at, found, target) in chosen {
        match whole(&workspace, (&bundle, at), &found) {
            Some(entry) => expanded.push(entry),
            None => unresolved.push(target.clone()),
        }
    }
    data(&ExpandResult { bundle_id: args.bundle_id, expanded, neighbors, unresolved })
}

pub(super) fn hydrate(call: &mut ToolCall<'_>) -> Outcome {
    let args: HydrateArgs = call.args()?;
    let mut bundle = loaded(call, &args.bundle_id)?;
    let workspace = workspace_of(call, &bundle)?;
    let already = bundle.entries.iter().filter(|entry| entry.given).count();
    let waiting: Vec<usize> = (0..bundle.entries.len()).filter(|at| !bundle.entries[*at].given).collect();
    let found: Vec<Option<Found>> = {
        let map = workspace.map();
        let found = |at: &usize| Found::new(&map, node(&map, &bundle.entries[*at].uid)?);
        waiting.iter().map(found).collect()
    };
    let mut left = call.room.saturating_sub(FRAME + SKIPPED);
    let (mut entries, mut gone, mut large): (Vec<Entry>, _, _) = (Vec::new(), Vec::new(), Vec::new());
    for (at, found) in waiting.into_iter().zip(found) {
        let entry = found.and_then(|found| whole(&workspace, (&bundle, Some(at)), &found));
        let Some(mut entry) = entry else {
            gone.push(asset_id(at));
            continue;
        };
        let size = chars_of(&entry);
        // The first is always shown, if not whole: else nothing would ever come of it.
        if large.is_empty() && (size <= left || entries.is_empty()) {
            if size > left {
                let body = entry.inline_body.take().unwrap_or_default();
                let frame = chars_of(&entry) + 24;
                entry.body_complete = false;
                inline(&mut entry, &body, left.saturating_sub(frame));
            }
            left = left.saturating_sub(chars_of(&entry));
            bundle.entries[at].given = true;
            entries.push(entry);
        } else {
            large.push(asset_id(at));
        }
    }
    bundle.note(call.host.store()).map_err(|error| not_kept(&error))?;
    let reasons = [
        ("No room in token_budget: call again for the next.", large),
        ("No longer there: investigate again.", gone),
    ];
    let skipped_reasons: Vec<Skipped> = reasons
        .into_iter()
        .filter(|(_, asset_ids)| !asset_ids.is_empty())
        .map(|(reason, asset_ids)| Skipped { reason: reason.to_owned(), asset_ids })
        .collect();
    data(&HydrateResult {
        bundle_id: args.bundle_id,
        hydrated: entries.len(),
        already_hydrated: already,
        skipped: skipped_reasons.iter().map(|skipped| skipped.asset_ids.len()).sum(),
        skipped_reasons,
        entries,
    })
}

fn loaded(call: &ToolCall<'_>, id: &str) -> Result<Bundle, ToolError> {
    let bundle = bundle::load(call.host.store(), id.trim()).map_err(|error| not_kept(&error))?;
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

/// The workspace of a bundle, whichever project the client is in.
fn workspace_of(call: &mut ToolCall<'_>, bundle: &Bundle) -> Result<Arc<Workspace>, ToolError> {
    if let Ok(root) = AbsPath::new(&bundle.root) {
        call.start = root;
    }
    call.workspace(Needs::Map)
}

fn node(map: &Map, target: &str) -> Option<NodeRef> {
    match map.lookup(target) {
        hob_map::graph::Lookup::One(node) => Some(node),
        _ => None,
    }
}

/// An entry with all of its source, as it is now.
fn whole(workspace: &Workspace, (bundle, at): (&Bundle, Option<usize>), found: &Found) -> Option<Entry> {
    let body = found.body(workspace)?;
    let kept = at.and_then(|at| bundle.entries.get(at));
    let standing = (kept.map(|kept| kept.relevance), kept.is_some_and(|kept| kept.is_seed));
    let mut entry = found.entry(at.map(asset_id).unwrap_or_default(), standing);
    entry.changed = kept.and_then(|kept| kept.hash).is_some_and(|before| before != hash(&body));
    entry.body_complete = true;
    entry.inline_body = Some(body);
    Some(entry)
}

/// Returns the neighbours that an entry is connected with directly.
fn beside(map: &Map, found: &Found, call: &ToolCall<'_>) -> Vec<Beside> {
    let query = NeighborsQuery {
        node: found.info.node,
        direction: Direction::Both,
        kinds: EdgeKinds::ALL,
        depth: 1,
        max_nodes: BESIDE,
        family: false,
        cancel: patient(&call.cancel),
    };
    let neighbors = map.neighbors(&query).map(|answer| answer.neighbors).unwrap_or_default();
    let of = found.info.id.to_string();
    let beside = |neighbor: Neighbor| Beside {
        of: of.clone(),
        uid: neighbor.info.id.to_string(),
        kind: neighbor.info.kind.as_str().to_owned(),
        relation: relation(&neighbor),
        title: if neighbor.info.qualified.is_empty() { neighbor.info.name } else { neighbor.info.qualified },
    };
    neighbors.into_iter().map(beside).collect()
}

/// Returns the words for a connection, as seen from the entry.
fn relation(neighbor: &Neighbor) -> String {
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
