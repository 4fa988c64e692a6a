//! Asks one question of every direct dependency of the project whose source is on this machine.
//!
//! Each is asked as `in: "dep:NAME"` asks it, and the answers are merged like those of several projects ([`merge`]),
//! with absolute paths, because several packages have a file of the same name. Packages that are open cost nothing;
//! others are opened within the bounds, small ones first, and the answer names those that were not asked.

use std::time::{Duration, Instant};

use hob_calls::CallRequest;
use hob_host::{PackageEffort, PackageError, Workspace, direct_names};
use hob_proto::ToolError;
use hob_proto::tools::ToolDef;
use serde_json::Value;

use super::call::{CallServices, CallTerms, Handled, ToolCall};
use super::several_projects::merge::{self, ProjectAnswer};
use super::several_projects::relocate::ProjectPlace;
use super::{Handler, NeededIndex};

/// Tools that answer about all dependencies.
const TOOLS: [&str; 5] = ["count_patterns", "map_search", "read_symbols", "regex_search", "text_search"];

/// Most packages that one question opens, and the time after which it opens no more.
const MOST_OPENED: usize = 16;
const MOST_TIME: Duration = Duration::from_secs(15);

/// Most packages that an answer names.
const NAMED: usize = 12;

/// A question about all dependencies.
pub struct AllPackages<'h> {
    /// The tool that was called.
    pub tool: &'static ToolDef,
    /// The code of the tool.
    pub handler: Handler,
    /// The services of the process.
    pub services: CallServices<'h>,
    /// The call as it arrived.
    pub request: &'h CallRequest,
    /// The terms of the outer call.
    pub terms: CallTerms,
}

/// The packages of a question: those that were asked, those that are not on this machine, and those that were left out.
#[derive(Default)]
struct PackageTally {
    asked: Vec<String>,
    absent: Vec<String>,
    left: Vec<String>,
}

/// Runs a tool on every dependency and merges the answers.
#[must_use]
pub fn ask_every_package(question: AllPackages<'_>) -> Handled {
    let tool = question.tool;
    let Some(rule) = merge::rule_of(tool.name).filter(|_| TOOLS.contains(&tool.name)) else {
        let hint = format!("Pass in: \"dep:NAME\" for one dependency; of all, {} answer.", TOOLS.join(", "));
        let error = ToolError::bad_args(format!("`{}` does not take in: \"deps\"", tool.name)).hint(hint);
        return Handled::failed_with(error, Vec::new());
    };
    let mut outer = ToolCall::new(question.services, question.request, question.terms_for(None), Vec::new());
    let project = match outer.workspace(NeededIndex::Text) {
        Ok(project) => project,
        Err(error) => return Handled::failed_with(error, outer.notes.warnings),
    };
    let mut tally = PackageTally::default();
    let found = question.ask_packages(&project, &mut tally);
    outer.notes.warnings.push(tally.sentence());
    if found.is_empty() {
        return Handled { outcome: Err(tally.nothing_asked()), notes: outer.notes };
    }
    let answers = found.iter().map(|(place, data)| ProjectAnswer::new(data.clone(), place)).collect();
    let asked = merge::MergeQuery {
        rule,
        tool,
        args: &question.terms.args,
        places: &[],
        failed: !tally.left.is_empty(),
    };
    let outcome = merge::merge_answers(&asked, answers, &mut outer.notes);
    Handled { outcome, notes: outer.notes }
}

impl AllPackages<'_> {
    /// Asks the packages one after the other, as many as the bounds allow.
    fn ask_packages(&self, project: &Workspace, tally: &mut PackageTally) -> Vec<(ProjectPlace, Value)> {
        let (mut found, begun, mut opened) = (Vec::new(), Instant::now(), 0);
        for (effort, name) in self.packages_by_effort(project, tally) {
            let is_too_much =
                effort == PackageEffort::Large || opened >= MOST_OPENED || begun.elapsed() > MOST_TIME;
            if effort != PackageEffort::Open && is_too_much {
                tally.left.push(name);
                continue;
            }
            opened += usize::from(effort != PackageEffort::Open);
            let terms = self.terms_for(Some(name.clone()));
            let handled = ToolCall::new(self.services, self.request, terms, Vec::new()).run(self.handler);
            match (handled.outcome, handled.notes.root) {
                (Ok(data), Some(root)) => {
                    found.push((ProjectPlace::of_package(&root, &name), data));
                    tally.asked.push(name);
                }
                _ => tally.left.push(name),
            }
        }
        found
    }

    fn terms_for(&self, package: Option<String>) -> CallTerms {
        let CallTerms { args, start, fresh, form, room, .. } = &self.terms;
        CallTerms {
            args: args.clone(),
            start: start.clone(),
            package,
            fresh: *fresh,
            form: *form,
            room: *room,
        }
    }

    /// Returns the direct dependencies that are on this machine, those with the least effort first.
    fn packages_by_effort(
        &self,
        project: &Workspace,
        tally: &mut PackageTally,
    ) -> Vec<(PackageEffort, String)> {
        let mut found = Vec::new();
        for name in direct_names(&project.packages()) {
            match self.services.host.package_effort(project, &name) {
                Ok(effort) => found.push((effort, name)),
                Err(PackageError::OneFile(_)) => tally.left.push(name),
                Err(_) => tally.absent.push(name),
            }
        }
        found.sort();
        found
    }
}

impl PackageTally {
    fn sentence(&self) -> String {
        let mut clauses = vec![format!("Asked {}", named(&self.asked))];
        if !self.left.is_empty() {
            clauses.push(format!(
                "not asked, large or out of time: {}; ask one with in: \"dep:NAME\"",
                named(&self.left)
            ));
        }
        if !self.absent.is_empty() {
            clauses.push(format!("not on this machine: {}", named(&self.absent)));
        }
        format!("{}.", clauses.join("; "))
    }

    fn nothing_asked(&self) -> ToolError {
        let message = "No direct dependency of the project could be asked.";
        ToolError::bad_args(message)
            .hint(format!("Install the dependencies and ask again. {}", self.sentence()))
    }
}

fn named(names: &[String]) -> String {
    if names.is_empty() {
        return "no package".to_owned();
    }
    let shown = names.iter().take(NAMED).cloned().collect::<Vec<_>>().join(", ");
    let more = names.len().saturating_sub(NAMED);
    if more > 0 { format!("{shown} and {more} more") } else { shown }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_not_asked_is_named() {
        let tally =
            PackageTally { asked: vec!["a".into()], absent: vec!["b".into()], left: vec!["c".into()] };
        let said = tally.sentence();
        assert_eq!(
            said,
            "Asked a; not asked, large or out of time: c; ask one with in: \"dep:NAME\"; not on this machine: b."
        );
    }
}
