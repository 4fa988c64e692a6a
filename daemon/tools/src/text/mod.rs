//! Answers `regex_search` and `count_patterns`: finds the lines that ripgrep would find, either all or only those of
//! nodes of some kinds.

mod count;
mod kinds;
mod within;

use std::time::Duration;

use hob_base::Deadline;
use hob_map::Map;
use hob_proto::tools::text::RegexSearchArgs;
use hob_text::{LineMatch, SearchOutput, SearchRequest, search};

pub(super) use count::count_patterns;
use kinds::Kinds;
use within::SearchedFiles;

use super::{ToolCall, ToolOutcome, enclosing, to_data};
use hob_results::{errors, text as to_proto};

/// The number of lines shown if the caller sets no limit: more than fit into any answer.
const SHOWN: usize = 5_000;
/// The longest time for counting the matches outside of the scope.
const BESIDES_PATIENCE: Duration = Duration::from_millis(300);
/// The fewest characters that an entry of an answer has.
const SHORTEST: usize = 32;

pub(super) fn regex_search(call: &mut ToolCall<'_>) -> ToolOutcome {
    let args: RegexSearchArgs = call.parse_args()?;
    let kinds = Kinds::from_words(&args.kinds);
    let workspace = within::workspace(call, kinds)?;
    let scope = call.parse_scope(&workspace)?;
    // Enough to fill the answer: any further entries would be thrown away.
    let room = call.terms.room / SHORTEST + 1;
    let limit = args.limit.unwrap_or(SHOWN).min(SHOWN);
    let within = SearchedFiles::scope(&scope, kinds, &workspace);
    let request = SearchRequest {
        pattern: args.pattern.clone(),
        admits: within.admits,
        scope: within.lines,
        limit: Some(limit.min(room)),
        context_lines: u32::try_from(args.context_lines).unwrap_or(0),
        output: parse_output(&args.output),
        ..SearchRequest::default()
    };
    let cancel = call.cancel.with_deadline(Deadline::after(Duration::from_millis(args.max_millis)));
    let (snapshot, contents) = (call.text(&workspace), workspace.disk_contents());
    let answer = workspace
        .query_pool()
        .install(|| search(&snapshot, &request, &contents, &cancel))
        .map_err(|error| errors::search(&error, &args.pattern))?;
    warn_incomplete(call, answer.complete, answer.unreadable, args.max_millis);
    if let Some(besides) = SearchedFiles::besides(&scope, kinds, &workspace) {
        let besides = SearchRequest {
            admits: besides.admits,
            scope: besides.lines,
            output: SearchOutput::Count,
            limit: None,
            context_lines: 0,
            ..request
        };
        let cancel = call.cancel.with_deadline(Deadline::after(BESIDES_PATIENCE));
        let found = workspace.query_pool().install(|| search(&snapshot, &besides, &contents, &cancel));
        let found = found.unwrap_or_default();
        for file in &found.files {
            let lines = usize::try_from(file.lines).unwrap_or(usize::MAX);
            if scope.rules().has_path(&file.path) {
                scope.left_out(0, lines);
            } else {
                scope.left_out(lines, 0);
            }
        }
        scope.warn_of_omissions(call, !found.covers_everything());
    }
    let mut result = if kinds.ask_map() {
        let map = workspace.map();
        to_proto::result(answer, &args.output, &|hit| node_of(&map, kinds, hit))
    } else {
        to_proto::result(answer, &args.output, &|_| ("File", None))
    };
    enclosing::fill_matches(&workspace, &mut result.matches);
    let total = match args.output.as_str() {
        "files" => result.files_matched,
        "lines" => result.total_lines,
        _ => 0,
    };
    let total = usize::try_from(total).unwrap_or(usize::MAX);
    let way = match limit <= room {
        true => "Raise limit, or narrow with paths.",
        false => "Raise tokenBudget, or narrow with paths.",
    };
    call.omit_items("matches", total, result.matches.len(), way);
    to_data(&result)
}

fn parse_output(word: &str) -> SearchOutput {
    match word {
        "files" => SearchOutput::Files,
        "count" => SearchOutput::Count,
        _ => SearchOutput::Lines,
    }
}

/// Warns of what the answer lacks.
fn warn_incomplete(call: &mut ToolCall<'_>, complete: bool, unreadable: usize, max_millis: u64) {
    if !complete {
        call.notes.warnings.push(format!(
            "Out of time after {max_millis} ms: totals are lower bounds. Narrow the search, or raise max_millis."
        ));
    }
    if unreadable > 0 {
        call.notes.warnings.push(format!("{unreadable} candidate file(s) could not be read."));
    }
}

fn node_of(map: &Map, kinds: Kinds, hit: &LineMatch) -> (&'static str, Option<String>) {
    let (kind, node) = kinds.node_at(map, hit.file, hit.line);
    (kind, node.map(|node| map.id(node.into()).to_string()))
}
