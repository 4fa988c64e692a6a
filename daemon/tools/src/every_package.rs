//! Asks one question of every direct dependency of the project whose source is on this machine.
//!
//! Each is asked as `in: "dep:NAME"` asks it, and the answers are put together: lists one after the other, with absolute paths, because
//! several packages have a file of the same name; counts as sums. Packages that are open cost nothing; of the others so many are opened as
//! the bounds allow, small ones first, and the answer names those that were not asked.

use std::time::{Duration, Instant};

use hob_base::AbsPath;
use hob_calls::CallRequest;
use hob_host::{PackageEffort, PackageError, Workspace, direct_names};
use hob_proto::ToolError;
use serde_json::{Map, Value};

use super::call::{CallServices, CallTerms, Handled, ToolCall};
use super::{Handler, Needs};

/// Tools that answer about all dependencies.
const TOOLS: [&str; 4] = ["map_search", "read_symbols", "regex_search", "text_search"];

/// Most packages that one question opens, and the time after which it opens no more.
const MOST_OPENED: usize = 16;
const MOST_TIME: Duration = Duration::from_secs(15);

/// Most packages that an answer names.
const NAMED: usize = 12;

/// Lists of names that were found nowhere: what one package does not have, another may.
const NOWHERE: [&str; 2] = ["not_found", "none"];

/// A question about all dependencies.
pub struct AllPackages<'h> {
    /// The name of the tool.
    pub tool: &'static str,
    /// The code of the tool.
    pub handler: Handler,
    /// The services of the process.
    pub services: CallServices<'h>,
    /// The call as it came.
    pub request: &'h CallRequest,
    /// The call's own terms.
    pub terms: CallTerms,
}

/// The packages of a question, by what became of them.
#[derive(Default)]
struct PackageTally {
    asked: Vec<String>,
    absent: Vec<String>,
    left: Vec<String>,
}

/// Runs a tool on every dependency and puts the answers together.
#[must_use]
pub fn ask_every_package(question: AllPackages<'_>, warnings: Vec<String>) -> Handled {
    if !TOOLS.contains(&question.tool) {
        let hint = format!("Pass in: \"dep:NAME\" for one dependency; of all, {} answer.", TOOLS.join(", "));
        let error = ToolError::bad_args(format!("`{}` does not take in: \"deps\"", question.tool)).hint(hint);
        return Handled::failed_with(error, warnings);
    }
    let mut outer = ToolCall::new(question.services, question.request, question.terms_for(None), warnings);
    let project = match outer.workspace(Needs::Text) {
        Ok(project) => project,
        Err(error) => return Handled::failed_with(error, outer.notes.warnings),
    };
    let (mut tally, begun) = (PackageTally::default(), Instant::now());
    let mut merged: Option<Value> = None;
    let mut opened = 0;
    for (effort, name) in question.packages_by_effort(&project, &mut tally) {
        let is_too_much =
            effort == PackageEffort::Large || opened >= MOST_OPENED || begun.elapsed() > MOST_TIME;
        if effort != PackageEffort::Open && is_too_much {
            tally.left.push(name);
            continue;
        }
        opened += usize::from(effort != PackageEffort::Open);
        let call = ToolCall::new(
            question.services,
            question.request,
            question.terms_for(Some(name.clone())),
            Vec::new(),
        );
        let handled = call.run(question.handler);
        match (handled.outcome, handled.notes.root) {
            (Ok(data), Some(root)) => {
                merge(&mut merged, with_absolute_files(data, &root));
                tally.asked.push(name);
            }
            _ => tally.left.push(name),
        }
    }
    outer.notes.warnings.push(tally.sentence());
    let outcome = merged.ok_or_else(|| tally.nothing_asked());
    Handled { outcome, notes: outer.notes }
}

impl AllPackages<'_> {
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

    /// The direct dependencies that are on this machine, those first that cost least.
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

/// Makes the paths of an answer's entries absolute.
fn with_absolute_files(mut data: Value, root: &AbsPath) -> Value {
    let lists = data.as_object_mut().into_iter().flat_map(Map::values_mut).filter_map(Value::as_array_mut);
    for entry in lists.flatten().filter_map(Value::as_object_mut) {
        if let Some(Value::String(file)) = entry.get_mut("file") {
            *file = root.join(&*file).to_string();
        }
    }
    data
}

/// Puts an answer behind those before it.
fn merge(merged: &mut Option<Value>, data: Value) {
    let Some(Value::Object(all)) = merged else {
        *merged = Some(data);
        return;
    };
    let Value::Object(data) = data else { return };
    for nowhere in NOWHERE {
        if let (Some(Value::Array(before)), found) = (all.get_mut(nowhere), data.get(nowhere)) {
            let found = found.and_then(Value::as_array);
            before.retain(|name| found.is_some_and(|found| found.contains(name)));
        }
    }
    for (key, value) in data.into_iter().filter(|(key, _)| !NOWHERE.contains(&key.as_str())) {
        match (all.get_mut(&key), value) {
            (Some(Value::Array(before)), Value::Array(more)) => before.extend(more),
            (Some(Value::Number(before)), Value::Number(more)) => {
                *before = (before.as_u64().unwrap_or(0) + more.as_u64().unwrap_or(0)).into();
            }
            (Some(Value::Bool(before)), Value::Bool(more)) => *before &= more,
            (None, value) => drop(all.insert(key, value)),
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn answers_are_put_together() {
        let mut all = None;
        let root = AbsPath::new("/p/a").expect("absolute");
        let first = json!({"results": [{"file": "x.py"}], "total": 1, "complete": true, "none": ["f", "g"]});
        merge(&mut all, with_absolute_files(first, &root));
        merge(
            &mut all,
            json!({"results": [{"file": "/p/b/y.py"}], "total": 2, "complete": false, "none": ["g"]}),
        );
        merge(&mut all, json!({"results": [], "total": 0, "complete": true, "none": ["f", "g"]}));
        let expected = json!({"results": [{"file": "/p/a/x.py"}, {"file": "/p/b/y.py"}], "total": 3,
            "complete": false, "none": ["g"]});
        assert_eq!(all, Some(expected));
    }

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
