//! Asks several projects one question, and makes one answer of what each has to say.
//!
//! The tool runs in each project as if it were asked alone; then the results are merged ([`merge`]), their paths rewritten to start at
//! the nearest folder that has all projects ([`relocate`]), and the budget is applied once, to all of it. What a caller writes with such a
//! path (`py:api/shop/store.py#Store`) means the project that it lies in ([`routing`]).
//!
//! A project that cannot answer does not spoil the answer of the others: the answer says which one is missing, and why. Tools that are
//! about one symbol answer from the one project that has it; who calls it from the others is looked for besides ([`across`]).

mod across;
mod merge;
mod relocate;
mod routing;

#[cfg(test)]
mod tests;

use std::sync::Arc;

use hob_base::AbsPath;
use hob_calls::CallRequest;
use hob_host::Workspace;
use hob_proto::ToolError;
use hob_proto::tools::ToolDef;
use hob_results::errors;

use super::call::{AnswerNotes, CallServices, CallTerms, Handled, ToolCall};
use super::handler;
use across::CallersQuestion;
use merge::{Answered, MergeRule};
use relocate::ProjectPlace;

/// Most projects that one question may be about.
const MOST_PROJECTS: usize = 16;

/// Runs `tool` in the projects of `starts`, and merges their answers.
pub fn run_in_projects(
    tool: &'static ToolDef,
    services: CallServices<'_>,
    request: &CallRequest,
    terms: &CallTerms,
    starts: &[AbsPath],
) -> Handled {
    let rule = match rule_of(tool, terms, starts.len()) {
        Ok(rule) => rule,
        Err(error) => return Handled::failed_with(error, Vec::new()),
    };
    let opened = match open_all(services, starts) {
        Ok(opened) => opened,
        Err(error) => return Handled::failed_with(error, Vec::new()),
    };
    let places = relocate::places_of(opened.iter().map(|workspace| workspace.root()));
    let mut notes = AnswerNotes::with_warnings(vec![relocate::said_base(&places)]);
    let mut answers = Vec::new();
    let mut failures = Vec::new();
    for place in &places {
        let Some(args) = routing::args_for(place, &places, &terms.args) else { continue };
        let own = CallTerms { args, start: place.root.clone(), package: None, ..*terms };
        let handled = run_in_one(tool, services, request, own);
        take_notes(&mut notes, handled.notes, place);
        match handled.outcome {
            Ok(data) => answers.push(Answered::new(data, place)),
            Err(error) => failures.push(ProjectFailure { place, error }),
        }
    }
    let outcome = match answers.is_empty() {
        true => Err(only_failure(failures)),
        false => {
            let asked = merge::Asked { rule, tool, args: &terms.args, failed: !failures.is_empty() };
            notes
                .warnings
                .extend(failures.iter().filter(|_| rule.tells_failures()).map(ProjectFailure::told));
            let mut merged = merge::merge_answers(&asked, answers, &mut notes);
            if let (Ok(data), "map_neighbors") = (&mut merged, tool.name) {
                let question = CallersQuestion { services, places: &places, request, terms };
                question.add_callers(data, &mut notes);
            }
            merged
        }
    };
    Handled { outcome, notes }
}

/// A project that could not answer.
struct ProjectFailure<'p> {
    place: &'p ProjectPlace,
    error: ToolError,
}

impl ProjectFailure<'_> {
    fn told(&self) -> String {
        format!("`{}` is not in this answer: {}.", self.place.name, self.error.message)
    }
}

fn rule_of(tool: &'static ToolDef, terms: &CallTerms, projects: usize) -> Result<MergeRule, ToolError> {
    if terms.package.is_some() {
        return Err(ToolError::bad_args(
            "`in` is about the dependency of one project, and `root` has several",
        )
        .hint("Pass one root."));
    }
    if projects > MOST_PROJECTS {
        return Err(ToolError::bad_args(format!(
            "`root` takes at most {MOST_PROJECTS} projects; it has {projects}"
        ))
        .hint("Ask about fewer at a time."));
    }
    let refused = || {
        ToolError::bad_args(format!("`{}` is about one project, and `root` has several", tool.name))
            .hint("Pass one root.")
    };
    merge::rule_of(tool.name).ok_or_else(refused)
}

/// Opens all of them before the first is asked, so that those that are new are indexed at the same time.
fn open_all(services: CallServices<'_>, starts: &[AbsPath]) -> Result<Vec<Arc<Workspace>>, ToolError> {
    let mut opened: Vec<Arc<Workspace>> = Vec::new();
    for start in starts {
        let workspace = services.host.workspace(start).map_err(|error| errors::open(&error))?;
        if opened.iter().all(|other| other.root() != workspace.root()) {
            opened.push(workspace);
        }
    }
    Ok(opened)
}

fn run_in_one(
    tool: &'static ToolDef,
    services: CallServices<'_>,
    request: &CallRequest,
    terms: CallTerms,
) -> Handled {
    match handler(tool.name) {
        Some(handler) => ToolCall::new(services, request, terms, Vec::new()).run(handler),
        None => Handled::failed_with(errors::no_such_tool(tool.name), Vec::new()),
    }
}

/// Takes what a project notes for its answer; what several projects say is said once.
fn take_notes(notes: &mut AnswerNotes, own: AnswerNotes, place: &ProjectPlace) {
    for warning in own.warnings {
        if notes.warnings.iter().any(|known| known.ends_with(&warning)) {
            continue;
        }
        notes.warnings.push(format!("{}: {warning}", place.name));
    }
    for omitted in own.omitted {
        match notes.omitted.iter_mut().find(|known| known.kind == omitted.kind) {
            Some(known) => known.count += omitted.count,
            None => notes.omitted.push(omitted),
        }
    }
    notes.is_done |= own.is_done;
}

/// The error of a question that no project could answer: the first one, with the names of the others that were asked.
fn only_failure(failures: Vec<ProjectFailure<'_>>) -> ToolError {
    let names: Vec<&str> = failures.iter().map(|failure| failure.place.name.as_str()).collect();
    let asked = format!("asked in {}", names.join(", "));
    match failures.into_iter().next() {
        Some(ProjectFailure { error, .. }) => ToolError { message: format!("{} ({asked})", error.message), ..error },
        None => ToolError::bad_args("no project of `root` has what the arguments name")
            .hint("Paths begin with the name of a project's folder; without such a beginning all projects are asked."),
    }
}
