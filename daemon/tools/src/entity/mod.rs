//! Resolves a subject, a name in words, to an entity, for `resolve`.
//!
//! There are five phases, each visible in `resolution_path`: normalise the words, generate candidates from every
//! allowed source, score them, decide, verify. `hob_words::entity` decides; this module gathers candidates, asks
//! a user or a model that may choose, and puts the answer together.

mod confirm;
mod gather;
mod long_text;
mod meaning;
mod outside;
mod past;
mod paths;
mod request;
mod select;
mod words;

use std::sync::Arc;
use std::time::{Instant, SystemTime};

use hob_base::{AbsPath, ContentHash, Deadline, WsPath};
use hob_proto::ToolError;
use hob_proto::tools::entity::{
    Ambiguity, Constraints, Entity, EntityCandidate as Shown, EntityFailure, EntityResult, EntitySource,
    EntityStep, Meta, Mode, Status, Strategy,
};
use hob_proto::tools::resolve::ResolveArgs;
use serde_json::{Map as Object, Value};

use super::map::DERIVE_PATIENCE;
use super::target::{self, TargetMeaning};
use super::{NeededIndex, ToolCall, ToolOutcome, to_data};
use gather::{Gathered, MapMoment, SubjectView};
use hob_host::Workspace;
use hob_words::entity::candidate::Candidate;
use hob_words::entity::judge::{self, DecisionLimits, Expected, SubjectDecision};
use request::{SubjectRequest, SubjectScope};

/// Most names that an error lists for a realm that does not exist.
const TOLD: usize = 8;

/// Makes one step of the `resolution_path`.
fn path_step(phase: &str, action: &str, source: &str, note: String) -> EntityStep {
    EntityStep { phase: phase.to_owned(), action: action.to_owned(), source: source.to_owned(), note }
}

/// The candidates with their decision and the steps so far.
struct SubjectOutcome {
    candidates: Vec<Candidate>,
    decision: SubjectDecision,
    steps: Vec<EntityStep>,
}

pub(super) fn resolve_subject(call: &mut ToolCall<'_>, args: ResolveArgs) -> ToolOutcome {
    let began = Instant::now();
    let asked = args_fingerprint(&args);
    if args.subject.as_deref().is_some_and(long_text::is_text) {
        return resolve_text(call, args, began, &asked);
    }
    let mut request = SubjectRequest::parse(args)?;
    let workspace = choose_workspace(call, &request)?;
    prefer_node(call, &workspace, &mut request);
    let realm = parse_subject_scope(call, &workspace, &request)?;
    let meta = |workspace: &Workspace| meta_of(workspace, &asked, began);
    let past = match &request.context.time {
        None => None,
        Some(revision) => match past::as_of(&workspace, &request, revision.trim(), &call.cancel) {
            Ok(past) => Some(past),
            Err(failure) => return to_data(&failure_result(failure, meta(&workspace))),
        },
    };
    let view = SubjectView { workspace: &workspace, request: &request, realm: &realm, past: past.as_ref() };
    let mut steps = vec![normalise_step(&request)];
    steps.extend(
        past.as_ref().map(|past| path_step("normalise", "as of a revision", "git", past.note.clone())),
    );
    let candidates = find_candidates(call, &workspace, &view, &mut steps)?;
    match decide_candidates(call, &view, candidates, steps) {
        Ok(found) => to_data(&outcome_result(&request, found, meta(&workspace))),
        Err(failure) => to_data(&failure_result(failure, meta(&workspace))),
    }
}

/// Answers a subject that is a text with the places that it is about.
fn resolve_text(call: &mut ToolCall<'_>, args: ResolveArgs, began: Instant, asked: &str) -> ToolOutcome {
    let text = args.subject.unwrap_or_default();
    let (strategy, constraints): (Strategy, Constraints) = (
        request::parse_object("strategy", args.strategy)?,
        request::parse_object("constraints", args.constraints)?,
    );
    request::check_shares(&strategy, &constraints)?;
    let narrows = constraints.allowed_sources.is_some() || constraints.require_authority;
    if narrows || args.context.is_some() || args.hints.is_some() {
        let ignored = "The subject is a text: of the other arguments only `constraints.max_candidates` and `constraints.min_confidence` \
                       count. investigate takes a scope.";
        call.notes.warnings.push(ignored.to_owned());
    }
    let workspace = call.workspace(NeededIndex::Map)?;
    let found = long_text::find_candidates(call, &workspace, &text, &constraints)?;
    to_data(&EntityResult {
        status: found.status,
        entity: None,
        confidence: found.candidates.first().map_or(0.0, |first| first.confidence),
        candidates: found.candidates,
        ambiguity: found.ambiguity,
        resolution_path: found.steps,
        meta: meta_of(&workspace, asked, began),
        error: None,
    })
}

fn meta_of(workspace: &Workspace, asked: &str, began: Instant) -> Meta {
    Meta {
        request_id: format!("{asked}-{}", workspace.generation().0),
        timestamp: humantime::format_rfc3339_seconds(SystemTime::now()).to_string(),
        duration_ms: u64::try_from(began.elapsed().as_millis()).unwrap_or(u64::MAX),
    }
}

/// Replaces a preferred target by the ID of the node that it means. A target that means no node stays, because it may
/// be a candidate of another source.
fn prefer_node(call: &mut ToolCall<'_>, workspace: &Workspace, request: &mut SubjectRequest) {
    let Some(text) = &request.hints.preferred_id else { return };
    let map = workspace.map();
    match target::look_up(call, &map, workspace, text) {
        TargetMeaning::One(meant) => request.hints.preferred_id = Some(map.id(meant.node).to_string()),
        TargetMeaning::Several(nodes) => call.notes.warnings.push(format!(
            "`hints.preferred_id`: `{}` is the name of {} definitions: pass one of them.",
            target::short(text),
            nodes.len()
        )),
        TargetMeaning::Text(..) | TargetMeaning::Nothing => {}
    }
}

/// Returns a short hash that is equal for equal arguments.
fn args_fingerprint(args: &ResolveArgs) -> String {
    let parts = [&args.context, &args.strategy, &args.constraints, &args.hints, &args.debug];
    let text = format!("{:?}{parts:?}", args.subject);
    ContentHash::of(text.as_bytes()).to_string().chars().take(12).collect()
}

/// Returns the candidates of every allowed source, best first.
fn find_candidates(
    call: &mut ToolCall<'_>,
    workspace: &Arc<Workspace>,
    view: &SubjectView<'_>,
    steps: &mut Vec<EntityStep>,
) -> Result<Vec<Candidate>, ToolError> {
    let request = view.request;
    let is_quick = request.strategy.mode == Mode::Quick;
    let mut gathered = Gathered::default();
    if request.allows_source(EntitySource::Map) {
        gather::by_name(view, MapMoment::Now, &mut gathered);
        gather::by_name(view, MapMoment::Then, &mut gathered);
    }
    if request.names_source(EntitySource::Live) {
        confirm::by_servers(call, view, &mut gathered);
    }
    if request.allows_source(EntitySource::Text) {
        paths::by_path(view, &mut gathered);
        // A text that has the name uses it, and is not meant by it.
        if !is_quick && !request.subject.is_name {
            words::by_text(call, view, &mut gathered);
        }
    }
    // A name means things of that name, not things that are like it.
    if request.strategy.use_embeddings && request.allows_source(EntitySource::Map) && !request.subject.is_name
    {
        meaning::by_meaning(workspace, view, &mut gathered, &call.cancel);
    }
    if request.allows_source(EntitySource::Manifest) && view.past.is_none() {
        outside::add_packages(view, &mut gathered);
    }
    if request.allows_source(EntitySource::Git) {
        outside::add_refs(view, &mut gathered, &call.cancel);
    }
    let (mut candidates, gathered) = gathered.into_candidates();
    steps.extend(gathered);
    candidates.retain(|candidate| request.allows_source(candidate.source));
    judge::score(&mut candidates, &expected_of(view)?);
    judge::sort_by_score(&mut candidates);
    let all = candidates.len();
    judge::keep_plausible(
        &mut candidates,
        request.subject.is_name,
        request.constraints.max_candidates as usize,
    );
    steps.push(score_step(&candidates, all));
    Ok(candidates)
}

/// Decides by the scores, and asks the user or the model that may choose.
fn decide_candidates(
    call: &mut ToolCall<'_>,
    view: &SubjectView<'_>,
    mut candidates: Vec<Candidate>,
    mut steps: Vec<EntityStep>,
) -> Result<SubjectOutcome, EntityFailure> {
    let request = view.request;
    if request.constraints.require_authority {
        confirm::keep_confirmed(call, &mut candidates, &mut steps)
            .map_err(|message| EntityFailure { code: "NOT_CONFIRMED".to_owned(), message })?;
    }
    let limits = DecisionLimits {
        accept: request.strategy.auto_accept_threshold,
        least: request.constraints.min_confidence,
    };
    let mut decision = judge::decide(&candidates, request.strategy.mode, limits);
    steps.push(decision_step(&decision, request));
    select::select_candidate(call, view.workspace, request, &mut candidates, &mut decision, &mut steps);
    Ok(SubjectOutcome { candidates, decision, steps })
}

fn failure_result(error: EntityFailure, meta: Meta) -> EntityResult {
    EntityResult {
        status: Status::Error,
        entity: None,
        confidence: 0.0,
        candidates: Vec::new(),
        ambiguity: None,
        resolution_path: Vec::new(),
        meta,
        error: Some(error),
    }
}

/// Returns the workspace that the request's realm names, or else the call's own.
fn choose_workspace(call: &mut ToolCall<'_>, request: &SubjectRequest) -> Result<Arc<Workspace>, ToolError> {
    if let Some(realm) = &request.context.realm {
        let named = realm.trim().strip_prefix("repo:").unwrap_or(realm.trim());
        let open = call.services.host.workspaces();
        let is_called = |workspace: &&Arc<Workspace>| {
            let path = workspace.root().as_path();
            path == std::path::Path::new(named) || path.file_name().is_some_and(|name| name == named)
        };
        let own = call
            .services
            .host
            .workspace(&call.terms.start)
            .map_err(|error| hob_results::errors::open(&error))?;
        if let Some(other) = open.iter().find(is_called).filter(|other| other.root() != own.root()) {
            call.terms.start = other.root().clone();
        } else if let Ok(root) = AbsPath::new(named)
            && root.as_path().strip_prefix(own.root().as_path()).is_err()
        {
            call.terms.start = root;
        }
    }
    call.workspace(NeededIndex::Map)
}

/// Finds the part of the workspace in which the request looks for the subject.
fn parse_subject_scope(
    call: &ToolCall<'_>,
    workspace: &Workspace,
    request: &SubjectRequest,
) -> Result<SubjectScope, ToolError> {
    let Some(named) = request.context.realm.as_deref().map(str::trim).filter(|named| !named.is_empty())
    else {
        return Ok(SubjectScope::Everywhere);
    };
    let root = workspace.root().as_path();
    let bare = named.strip_prefix("repo:").unwrap_or(named);
    if std::path::Path::new(bare) == root || root.file_name().is_some_and(|name| name == bare) {
        return Ok(SubjectScope::Everywhere);
    }
    let relative =
        std::path::Path::new(named).strip_prefix(root).map_or(named, |rest| rest.to_str().unwrap_or(named));
    if let Ok(folder) = WsPath::new(relative.trim_matches('/'))
        && !folder.is_root()
        && workspace.text().indexed_paths().any(|(_, path)| path.is_below(&folder))
    {
        return Ok(SubjectScope::Folder(folder));
    }
    workspace.wait_derived(&call.cancel.with_deadline(Deadline::after(DERIVE_PATIENCE)));
    let map = workspace.map();
    let labels = map.cluster_labels();
    if let Some(cluster) = labels.iter().position(|label| label.eq_ignore_ascii_case(named)) {
        return Ok(SubjectScope::Cluster(u32::try_from(cluster).unwrap_or(u32::MAX)));
    }
    let known: Vec<&str> = labels.into_iter().filter(|label| !label.is_empty()).take(TOLD).collect();
    Err(ToolError::bad_args(format!(
        "`context.realm` is `{named}`, which is no open workspace, folder or cluster"
    ))
    .hint(format!("Pass a folder of the project, or a cluster such as {}.", known.join(", "))))
}

fn expected_of(view: &SubjectView<'_>) -> Result<Expected, ToolError> {
    let request = view.request;
    let is_about_tests = request.subject.content.iter().any(|term| term.stem == "test");
    Ok(Expected {
        kinds: request.kinds,
        preferred: request.hints.preferred_id.clone(),
        near: request
            .context
            .provenance
            .as_deref()
            .map(|from| mention_path(view.workspace, from))
            .transpose()?,
        tests: is_about_tests,
    })
}

/// Returns the path of the file in which the subject was mentioned.
fn mention_path(workspace: &Workspace, from: &str) -> Result<String, ToolError> {
    let of_node = from.parse::<hob_proto::NodeId>().ok().and_then(|id| id.path().map(str::to_owned));
    let path = of_node.unwrap_or_else(|| from.to_owned());
    let path = hob_workspace::confine(workspace.root(), &path)
        .map_err(|error| hob_results::errors::outside_workspace(&error, workspace.root()))?;
    Ok(path.as_str().to_owned())
}

fn normalise_step(request: &SubjectRequest) -> EntityStep {
    let subject = &request.subject;
    let words: Vec<&str> = subject.content.iter().map(|term| term.word.as_str()).collect();
    let mut note = format!("`{}`: words {}", subject.text, words.join(" "));
    if let Some(reading) = subject.readings.iter().find(|reading| !reading.inside.is_empty()) {
        note.push_str(&format!("; `{}` in `{}`", reading.name, reading.inside));
    }
    if let Some(reading) = subject.readings.iter().find(|reading| reading.kinds.is_some()) {
        let kinds = reading.kinds.unwrap_or_default().join(" or ");
        note.push_str(&format!("; or `{}` as {kinds}", reading.name));
    }
    path_step("normalise", "read the subject", "subject", note)
}

fn score_step(candidates: &[Candidate], all: usize) -> EntityStep {
    let note = match candidates.first() {
        Some(first) => format!(
            "{all} candidates, {} of them plausible; best `{}` with {:.2} ({})",
            candidates.len(),
            first.id,
            first.score(),
            first.fit.class.as_str()
        ),
        None => format!("{all} candidates, none of them plausible"),
    };
    path_step("score", "fit of names, kind, place", "map", note)
}

fn decision_step(decision: &SubjectDecision, request: &SubjectRequest) -> EntityStep {
    let mode = request.strategy.mode.as_str();
    let accept = request.strategy.auto_accept_threshold;
    let note = match decision {
        SubjectDecision::Resolved(sure) if request.strategy.mode == Mode::Quick => {
            format!("the first, {sure:.2} sure")
        }
        SubjectDecision::Resolved(sure) => format!("{sure:.2} sure, accepted from {accept:.2} on"),
        SubjectDecision::Ambiguous { confidence, dimension, .. } => {
            format!("{confidence:.2} sure, accepted from {accept:.2} on; open: {dimension}")
        }
        SubjectDecision::NotFound => "nothing fits".to_owned(),
    };
    path_step("decide", mode, "scores", note)
}

fn outcome_result(request: &SubjectRequest, found: SubjectOutcome, meta: Meta) -> EntityResult {
    let confidences = judge::confidences(&found.candidates);
    let explain = request.debug.include_explanations;
    let shown = |(candidate, confidence): (&Candidate, &f64)| Shown {
        id: candidate.id.clone(),
        label: candidate.label.clone(),
        kind: candidate.kind.clone(),
        source: candidate.source,
        confidence: *confidence,
        score: explain.then(|| explain_score(candidate)),
    };
    let candidates: Vec<Shown> = found
        .candidates
        .iter()
        .zip(&confidences)
        .filter(|(_, confidence)| **confidence >= request.constraints.min_confidence)
        .map(shown)
        .collect();
    let (status, confidence, ambiguity) = match found.decision {
        SubjectDecision::Resolved(sure) => (Status::Resolved, sure, None),
        SubjectDecision::Ambiguous { confidence, reason, dimension } => {
            (Status::Ambiguous, confidence, Some(Ambiguity { reason, dimension: dimension.to_owned() }))
        }
        SubjectDecision::NotFound => (Status::NotFound, 0.0, None),
    };
    let entity = (status == Status::Resolved)
        .then(|| found.candidates.first().map(|one| describe_candidate(one, request)));
    let is_shown = status == Status::Ambiguous || request.debug.include_candidates;
    EntityResult {
        status,
        entity: entity.flatten(),
        confidence,
        candidates: if is_shown { candidates } else { Vec::new() },
        ambiguity,
        resolution_path: found.steps,
        meta,
        error: None::<EntityFailure>,
    }
}

fn explain_score(candidate: &Candidate) -> Object<String, Value> {
    let mut terms: Object<String, Value> = candidate
        .terms
        .iter()
        .map(|(name, value)| ((*name).to_owned(), ((value * 1e4).round() / 1e4).into()))
        .collect();
    terms.insert("class".to_owned(), candidate.fit.class.as_str().into());
    terms.insert("total".to_owned(), candidate.score().into());
    terms
}

fn describe_candidate(candidate: &Candidate, request: &SubjectRequest) -> Entity {
    let mut attributes = candidate.attributes.clone();
    if request.debug.include_explanations {
        attributes.insert("score".to_owned(), explain_score(candidate).into());
    }
    Entity {
        id: candidate.id.clone(),
        label: candidate.label.clone(),
        kind: candidate.kind.clone(),
        description: candidate.description.clone(),
        source: candidate.source,
        uri: candidate.uri.clone(),
        attributes,
    }
}
