//! Merges the results of several projects into one.
//!
//! Hits are merged by rank and not by score, because a score counts how rare a word is in its own project, and says
//! little about another's. All first hits come before all second ones, and the score only decides between hits of the
//! same rank. Counts are added up. A tool that is about one symbol has the answer of the one project with that symbol.

use hob_budget::OmittedItems;
use hob_proto::tools::{ToolDef, same_name};
use hob_proto::{ErrorCode, ToolError};
use serde_json::{Map, Value, json};

use super::relocate::ProjectPlace;
use super::routing::{Route, route};
use crate::ToolOutcome;
use crate::call::AnswerNotes;

/// Most files that the count of a pattern names, as in one project.
const TOP_FILES: usize = 10;

/// The way in which the results of a tool are merged.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum MergeRule {
    /// The lists of hits are merged by rank, and numbers are added up.
    Ranked {
        /// The field of the list.
        list: &'static str,
        /// The field that decides between hits of one rank.
        score: &'static str,
    },
    /// Like [`Self::Ranked`], but all hits of one file stay together.
    ByFile {
        /// The field of the list.
        list: &'static str,
    },
    /// The counts of each pattern are added up.
    Counts,
    /// The symbols of all projects are listed.
    Symbols,
    /// The answer of the one project that has the symbol.
    OneProject,
}

impl MergeRule {
    /// Returns true if an answer lacks something because a project failed with this error. If the tool is about one
    /// symbol, a project that merely lacks the symbol takes nothing from the answer.
    pub(crate) fn is_less_without(self, error: &ToolError) -> bool {
        self != Self::OneProject || !is_absence(error)
    }
}

/// Returns true if an error says that a project does not have the named thing.
pub(crate) fn is_absence(error: &ToolError) -> bool {
    use ErrorCode::{BadArgs, FileDeleted, NodeNotFound, OutsideWorkspace, SymbolNotFound};
    matches!(error.code, BadArgs | FileDeleted | NodeNotFound | OutsideWorkspace | SymbolNotFound)
}

/// Returns the way to merge the results of a tool; `None` if the tool is about one project.
pub(crate) fn rule_of(tool: &str) -> Option<MergeRule> {
    Some(match tool {
        "map_search" => MergeRule::Ranked { list: "results", score: "score" },
        "text_search" => MergeRule::Ranked { list: "results", score: "score" },
        "investigate" => MergeRule::Ranked { list: "entries", score: "confidence" },
        "regex_search" => MergeRule::ByFile { list: "matches" },
        "count_patterns" => MergeRule::Counts,
        "read_symbols" => MergeRule::Symbols,
        "flow_trace"
        | "impact"
        | "map_neighbors"
        | "map_path"
        | "nav_callHierarchy"
        | "nav_definition"
        | "nav_implementations"
        | "nav_references"
        | "nav_symbols"
        | "nav_type"
        | "resolve"
        | "symbol_history"
        | "tests_for" => MergeRule::OneProject,
        _ => return None,
    })
}

/// The result of one project, with the paths of the merged answer.
#[derive(Debug)]
pub(crate) struct ProjectAnswer<'p> {
    data: Value,
    /// Targets that the project does not have, as the project got them.
    not_found: Vec<Value>,
    place: &'p ProjectPlace,
}

impl<'p> ProjectAnswer<'p> {
    pub(crate) fn new(mut data: Value, place: &'p ProjectPlace) -> Self {
        let not_found = data.get_mut("not_found").and_then(Value::as_array_mut).map(std::mem::take);
        place.relocate(&mut data);
        Self { data, not_found: not_found.unwrap_or_default(), place }
    }

    /// Returns true if the project was not asked about a target, or does not have it.
    fn lacks(&self, target: &Value, places: &[ProjectPlace]) -> bool {
        let Some(text) = target.as_str() else { return true };
        match route(text, self.place, places) {
            Route::Elsewhere => true,
            Route::Here(own) => self.not_found.iter().any(|one| *one == own.as_str() || one == target),
        }
    }

    fn take_list(&mut self, field: &str) -> Vec<Value> {
        match self.data.get_mut(field).map(Value::take) {
            Some(Value::Array(items)) => items,
            _ => Vec::new(),
        }
    }
}

/// The question whose answers are merged.
#[derive(Debug)]
pub(crate) struct MergeQuery<'a> {
    pub(crate) rule: MergeRule,
    pub(crate) tool: &'static ToolDef,
    pub(crate) args: &'a Map<String, Value>,
    /// The projects that were asked, which arguments may name.
    pub(crate) places: &'a [ProjectPlace],
    /// True if a project could not answer.
    pub(crate) failed: bool,
}

/// Merges the results, of which there must be at least one.
pub(crate) fn merge_answers(
    asked: &MergeQuery<'_>,
    answers: Vec<ProjectAnswer<'_>>,
    notes: &mut AnswerNotes,
) -> ToolOutcome {
    let mut merged = match asked.rule {
        MergeRule::OneProject => return only_answer(asked.tool, answers),
        MergeRule::Counts => merge_counts(answers),
        MergeRule::Symbols => merge_symbols(asked, answers),
        MergeRule::Ranked { list, score } => merge_lists(asked, answers, list, notes, |answer| {
            answer.into_iter().map(|item| RankedHits::of_item(item, score)).collect()
        }),
        MergeRule::ByFile { list } => merge_lists(asked, answers, list, notes, by_file),
    };
    if let Some(complete) = merged.get_mut("complete").filter(|_| asked.failed) {
        *complete = false.into();
    }
    Ok(merged)
}

/// Hits of one project that stay together, with the score that decides between hits of one rank.
struct RankedHits {
    items: Vec<Value>,
    score: f64,
}

impl RankedHits {
    fn of_item(item: Value, score: &str) -> Self {
        let score = item.get(score).and_then(Value::as_f64).unwrap_or(0.0);
        Self { items: vec![item], score }
    }
}

fn by_file(items: Vec<Value>) -> Vec<RankedHits> {
    let mut groups: Vec<RankedHits> = Vec::new();
    for item in items {
        match groups.last_mut() {
            Some(group) if group.items[0]["file"] == item["file"] => group.items.push(item),
            _ => groups.push(RankedHits { items: vec![item], score: 0.0 }),
        }
    }
    groups
}

/// Merges the lists by rank up to the question's limit, and adds up the numbers next to them.
fn merge_lists(
    asked: &MergeQuery<'_>,
    mut answers: Vec<ProjectAnswer<'_>>,
    list: &str,
    notes: &mut AnswerNotes,
    grouped: impl Fn(Vec<Value>) -> Vec<RankedHits>,
) -> Value {
    let lists: Vec<Vec<RankedHits>> =
        answers.iter_mut().map(|answer| grouped(answer.take_list(list))).collect();
    let mut items = interleave(lists);
    if let Some(limit) = limit_of(asked) {
        let gone = items.len().saturating_sub(limit) as u64;
        items.truncate(limit);
        note_omitted(notes, asked.tool, list, gone);
    }
    let mut merged = add_up(answers);
    merged[list] = items.into();
    forget_bundle(&mut merged);
    merged
}

fn interleave(lists: Vec<Vec<RankedHits>>) -> Vec<Value> {
    let mut ranked: Vec<(usize, RankedHits)> =
        lists.into_iter().flat_map(|list| list.into_iter().enumerate()).collect();
    // The sort is stable: where scores are equal, the projects keep their order.
    ranked.sort_by(|(rank, one), (other_rank, other)| {
        rank.cmp(other_rank).then(other.score.total_cmp(&one.score))
    });
    ranked.into_iter().flat_map(|(_, group)| group.items).collect()
}

fn limit_of(asked: &MergeQuery<'_>) -> Option<usize> {
    let limit = asked.args.iter().find(|(name, _)| same_name(name, "limit"))?.1.as_u64()?;
    usize::try_from(limit).ok()
}

pub(crate) fn note_omitted(notes: &mut AnswerNotes, tool: &ToolDef, list: &str, gone: u64) {
    let Some(cut) = tool.cuts.iter().find(|cut| cut.path == list) else { return };
    match notes.omitted.iter_mut().find(|known| known.kind == cut.kind) {
        Some(known) => known.count += gone,
        None => notes.omitted.push(OmittedItems { kind: cut.kind, count: gone, way: "Raise limit." }),
    }
}

/// Merges the fields other than the lists: numbers are added, truth values hold if they hold in all results
/// (`more_available` if it holds in any), and lists keep the items that all results have.
fn add_up(answers: Vec<ProjectAnswer<'_>>) -> Value {
    let mut merged = Map::new();
    for answer in answers {
        let Value::Object(fields) = answer.data else { continue };
        for (name, value) in fields {
            match merged.get_mut(&name) {
                None => drop(merged.insert(name, value)),
                Some(known) => add_field(known, value, &name),
            }
        }
    }
    Value::Object(merged)
}

fn add_field(known: &mut Value, value: Value, name: &str) {
    match (&mut *known, value) {
        (Value::Bool(one), Value::Bool(other)) if name == "more_available" => *one |= other,
        (Value::Bool(one), Value::Bool(other)) => *one &= other,
        (Value::Array(items), Value::Array(others)) => items.retain(|item| others.contains(item)),
        (Value::Number(one), Value::Number(other)) => {
            if let (Some(one), Some(other)) = (one.as_u64(), other.as_u64()) {
                *known = (one + other).into();
            }
        }
        _ => {}
    }
}

/// Removes the bundle from the result: it belongs to one project, and cannot hold the hits of several.
fn forget_bundle(merged: &mut Value) {
    if merged.get("bundle_id").is_none() {
        return;
    }
    merged["bundle_id"] = "".into();
    merged["domains"] = json!([]);
    merged["more_available"] = false.into();
    merged["returned"] = merged["entries"].as_array().map_or(0, Vec::len).into();
    for entry in merged["entries"].as_array_mut().into_iter().flatten() {
        entry.as_object_mut().map(|fields| fields.shift_remove("asset_id"));
    }
}

/// Adds up the counts of each pattern; its files are those with most matches in any project.
fn merge_counts(mut answers: Vec<ProjectAnswer<'_>>) -> Value {
    let lists: Vec<Vec<Value>> = answers.iter_mut().map(|answer| answer.take_list("patterns")).collect();
    let mut patterns: Vec<Value> = Vec::new();
    for (at, pattern) in lists.into_iter().flat_map(|list| list.into_iter().enumerate()) {
        match patterns.get_mut(at) {
            None => patterns.push(pattern),
            Some(known) => add_pattern(known, pattern),
        }
    }
    let mut merged = add_up(answers);
    merged["patterns"] = patterns.into();
    merged
}

fn add_pattern(known: &mut Value, mut other: Value) {
    for name in ["total_matches", "files_matched"] {
        known[name] = (known[name].as_u64().unwrap_or(0) + other[name].as_u64().unwrap_or(0)).into();
    }
    let (Value::Array(files), Some(Value::Array(others))) =
        (&mut known["top_files"], other.get_mut("top_files").map(Value::take))
    else {
        return;
    };
    files.extend(others);
    files.sort_by_key(|file| std::cmp::Reverse(file["count"].as_u64()));
    files.truncate(TOP_FILES);
}

/// Lists the symbols of all projects, in their order; a target is missing only if no project has it.
fn merge_symbols(asked: &MergeQuery<'_>, mut answers: Vec<ProjectAnswer<'_>>) -> Value {
    let mut merged = json!({"symbols": [], "ambiguous": []});
    for field in ["symbols", "ambiguous", "outlines"] {
        let all: Vec<Value> = answers.iter_mut().flat_map(|answer| answer.take_list(field)).collect();
        if !all.is_empty() || merged.get(field).is_some() {
            merged[field] = all.into();
        }
    }
    let targets = match asked.args.get("targets") {
        Some(Value::Array(targets)) => targets.as_slice(),
        _ => &[],
    };
    let is_missing = |target: &&Value| answers.iter().all(|answer| answer.lacks(target, asked.places));
    merged["not_found"] = targets.iter().filter(is_missing).cloned().collect::<Vec<_>>().into();
    merged
}

/// Returns the one answer that has information about the symbol.
fn only_answer(tool: &ToolDef, answers: Vec<ProjectAnswer<'_>>) -> ToolOutcome {
    let (mut telling, silent): (Vec<_>, Vec<_>) = answers.into_iter().partition(|answer| tells(&answer.data));
    if telling.len() > 1 {
        let names: Vec<&str> = telling.iter().map(|answer| answer.place.name.as_str()).collect();
        let message =
            format!("`{}` is about one symbol, and {} have one of this name", tool.name, names.join(", "));
        return Err(ToolError::new(ErrorCode::BadArgs, message)
            .hint("Pass a node ID or path:line that begins with the project's folder, or one root."));
    }
    let answer = telling.pop().or_else(|| silent.into_iter().next());
    Ok(answer.map(|answer| answer.data).unwrap_or_default())
}

/// Returns true if a result has anything other than empty lists and fields that say that nothing was found.
fn tells(data: &Value) -> bool {
    let Value::Object(fields) = data else { return false };
    if fields.get("found") == Some(&Value::Bool(false)) || fields.get("status") == Some(&"unresolved".into())
    {
        return false;
    }
    fields.values().any(|value| match value {
        Value::Array(items) => !items.is_empty(),
        Value::Object(inner) => !inner.is_empty(),
        _ => false,
    })
}
