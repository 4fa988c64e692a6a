//! Asks several projects one question, and merges their answers.
//!
//! The tool runs in each project as if it were asked alone; then the results are merged ([`merge`]), their paths
//! rewritten to start at the nearest folder that has all projects ([`relocate`]), and the budget applied once, to the
//! whole. An argument with such a path (`py:api/shop/store.py#Store`) means the project that it is in ([`routing`]).
//!
//! A project that cannot answer does not spoil the answer of the others: the answer says which one is missing, and why.
//! Tools that are about one symbol answer from the one project that has it; its callers in the others are searched as
//! well ([`across`]).

mod across;
pub(crate) mod merge;
pub(crate) mod relocate;
mod routing;
mod uses;

#[cfg(test)]
mod tests;

use std::sync::Arc;

use hob_base::AbsPath;
use hob_calls::CallRequest;
use hob_host::Workspace;
use hob_proto::ToolError;
use hob_proto::tools::ToolDef;
use hob_results::errors;
use serde_json::{Map, Value};

use super::call::{AnswerNotes, CallServices, CallTerms, Handled, ToolCall};
use super::handler;
use merge::{MergeRule, ProjectAnswer};
use relocate::ProjectPlace;
pub(crate) use routing::args_for;

/// Most projects that one question may be about.
const MOST_PROJECTS: usize = 16;

/// A call about several projects.
pub struct ProjectsCall<'h> {
    /// The tool that was called.
    pub tool: &'static ToolDef,
    /// The services of the process.
    pub services: CallServices<'h>,
    /// The call as it arrived.
    pub request: &'h CallRequest,
    /// The terms of the outer call.
    pub terms: CallTerms,
    /// True if the call is about all dependencies, which only one project can have.
    pub is_of_all: bool,
}

/// Runs the tool in the projects of `starts`, and merges their answers.
#[must_use]
pub fn run_in_projects(call: ProjectsCall<'_>, starts: &[AbsPath]) -> Handled {
    let opened = match call.open_all(starts) {
        Ok(opened) => opened,
        Err(error) => return Handled::failed_with(error, Vec::new()),
    };
    match rule_of(&call, opened.len()) {
        Ok(rule) => call.run(rule, &relocate::places_of(opened.iter().map(|workspace| workspace.root()))),
        Err(error) => Handled::failed_with(error, Vec::new()),
    }
}

impl ProjectsCall<'_> {
    fn run(&self, rule: MergeRule, places: &[ProjectPlace]) -> Handled {
        let mut notes = AnswerNotes::with_warnings(vec![relocate::said_base(places)]);
        let (mut answers, mut failures) = (Vec::new(), Vec::new());
        for place in places {
            let Some(args) = routing::args_for(place, places, &self.terms.args) else { continue };
            let handled = self.run_in_one(place, args);
            take_notes(&mut notes, handled.notes, place);
            match handled.outcome {
                Ok(data) => answers.push(ProjectAnswer::new(data, place)),
                Err(error) => failures.push(ProjectFailure { place, error }),
            }
        }
        if answers.is_empty() {
            return Handled { outcome: Err(only_failure(failures)), notes };
        }
        let told = failures.iter().filter(|failure| rule.is_less_without(&failure.error));
        notes.warnings.extend(told.map(ProjectFailure::sentence));
        let asked = merge::MergeQuery {
            rule,
            tool: self.tool,
            args: &self.terms.args,
            places,
            failed: !failures.is_empty(),
        };
        let mut outcome = merge::merge_answers(&asked, answers, &mut notes);
        if let (Ok(data), "map_neighbors") = (&mut outcome, self.tool.name) {
            across::add_callers(self, places, data, &mut notes);
        }
        Handled { outcome, notes }
    }

    /// Opens all projects before the first is asked, so that new ones are indexed at the same time.
    fn open_all(&self, starts: &[AbsPath]) -> Result<Vec<Arc<Workspace>>, ToolError> {
        let mut opened: Vec<Arc<Workspace>> = Vec::new();
        for start in starts {
            let workspace = self.services.host.workspace(start).map_err(|error| errors::open(&error))?;
            if opened.iter().all(|other| other.root() != workspace.root()) {
                opened.push(workspace);
            }
        }
        Ok(opened)
    }

    fn run_in_one(&self, place: &ProjectPlace, args: Map<String, Value>) -> Handled {
        let Some(handler) = handler(self.tool.name) else {
            return Handled::failed_with(errors::no_such_tool(self.tool.name), Vec::new());
        };
        self.call_about(place, args).run(handler)
    }

    fn call_about(&self, place: &ProjectPlace, args: Map<String, Value>) -> ToolCall<'_> {
        let terms = CallTerms { args, start: place.root.clone(), package: None, ..self.terms };
        ToolCall::new(self.services, self.request, terms, Vec::new())
    }
}

/// A project that could not answer.
struct ProjectFailure<'p> {
    place: &'p ProjectPlace,
    error: ToolError,
}

impl ProjectFailure<'_> {
    fn sentence(&self) -> String {
        format!("`{}` is not in this answer: {}.", self.place.name, self.error.message)
    }
}

fn rule_of(call: &ProjectsCall<'_>, projects: usize) -> Result<MergeRule, ToolError> {
    if call.terms.package.is_some() || call.is_of_all {
        return Err(ToolError::bad_args(
            "`in` is about the dependencies of one project, and `root` has several",
        )
        .hint("Pass one root."));
    }
    if projects > MOST_PROJECTS {
        return Err(ToolError::bad_args(format!(
            "`root` takes at most {MOST_PROJECTS} projects; it has {projects}"
        ))
        .hint("Ask about fewer at a time."));
    }
    merge::rule_of(call.tool.name).ok_or_else(|| {
        ToolError::bad_args(format!("`{}` is about one project, and `root` has several", call.tool.name))
            .hint("Pass one root.")
    })
}

/// Adds the notes of a project to those of the answer; a warning of several projects is given once.
pub(crate) fn take_notes(notes: &mut AnswerNotes, own: AnswerNotes, place: &ProjectPlace) {
    for warning in own.warnings {
        let of_others = format!(": {warning}");
        match notes.warnings.iter_mut().find(|known| known.ends_with(&of_others)) {
            Some(known) => *known = format!("{}, {known}", place.name),
            None => notes.warnings.push(format!("{}{of_others}", place.name)),
        }
    }
    for omitted in own.omitted {
        match notes.omitted.iter_mut().find(|known| known.kind == omitted.kind) {
            Some(known) => known.count += omitted.count,
            None => notes.omitted.push(omitted),
        }
    }
    notes.is_done |= own.is_done;
}

/// Returns the error of a question that no project could answer, with the names of the projects: the first error that
/// says more than that the project lacks the symbol.
fn only_failure(mut failures: Vec<ProjectFailure<'_>>) -> ToolError {
    failures.sort_by_key(|failure| merge::is_absence(&failure.error));
    let names: Vec<&str> = failures.iter().map(|failure| failure.place.name.as_str()).collect();
    let asked = format!("asked in {}", names.join(", "));
    match failures.into_iter().next() {
        Some(ProjectFailure { error, .. }) => ToolError { message: format!("{} ({asked})", error.message), ..error },
        None => ToolError::bad_args("no project of `root` has what the arguments name")
            .hint("Paths begin with the name of a project's folder; without such a beginning all projects are asked."),
    }
}
