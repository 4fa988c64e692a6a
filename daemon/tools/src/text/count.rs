//! Answers `count_patterns`.

use std::time::Duration;

use hob_base::Deadline;
use hob_proto::ToolError;
use hob_proto::tools::text::CountPatternsArgs;
use hob_text::{CountRequest, count};

use super::super::{ToolCall, ToolOutcome, to_data};
use super::kinds::Kinds;
use super::within::{self, SearchedFiles};
use super::{BESIDES_PATIENCE, warn_incomplete};
use hob_results::{errors, text as to_proto};

pub(crate) fn count_patterns(call: &mut ToolCall<'_>) -> ToolOutcome {
    let args: CountPatternsArgs = call.parse_args()?;
    if args.patterns.is_empty() {
        return Err(ToolError::bad_args("`patterns` is empty; expected a list of regexes")
            .hint("Pass {\"patterns\": [\"TODO\", \"FIXME\"]}."));
    }
    let kinds = Kinds::from_words(&args.kinds);
    let workspace = within::workspace(call, kinds)?;
    let scope = call.parse_scope(&workspace)?;
    let within = SearchedFiles::scope(&scope, kinds, &workspace);
    let request = CountRequest {
        admits: within.admits,
        scope: within.lines,
        patterns: args.patterns,
        ..CountRequest::default()
    };
    let cancel = call.cancel.with_deadline(Deadline::after(Duration::from_millis(args.max_millis)));
    let (snapshot, contents) = (call.text(&workspace), workspace.disk_contents());
    let answer = workspace
        .query_pool()
        .install(|| count(&snapshot, &request, &contents, &cancel))
        .map_err(|error| errors::count(&error, &request.patterns))?;
    warn_incomplete(call, answer.complete, answer.unreadable, args.max_millis);
    if let Some(besides) = SearchedFiles::besides(&scope, kinds, &workspace) {
        let besides = CountRequest { admits: besides.admits, scope: besides.lines, ..request.clone() };
        let cancel = call.cancel.with_deadline(Deadline::after(BESIDES_PATIENCE));
        let found = workspace.query_pool().install(|| count(&snapshot, &besides, &contents, &cancel));
        let matches: u64 =
            found.iter().flat_map(|found| &found.counts).map(|counts| counts.total_matches).sum();
        if matches > 0 {
            call.notes.warnings.push(format!("Not in scope: {matches} matches."));
        }
    }
    to_data(&to_proto::counts_result(answer, request.patterns))
}
