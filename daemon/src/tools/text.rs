//! `regex_search`.

use std::collections::HashMap;
use std::time::Duration;

use hob_base::{Deadline, FileId};
use hob_map::Map;
use hob_proto::tools::text::{RegexSearchArgs, RegexSearchResult, TextMatch};
use hob_text::{LineMatch, Output, SearchAnswer, SearchRequest, search};

use super::map::prefix;
use super::{Needs, Outcome, ToolCall, data};
use crate::host::Workspace;
use crate::to_proto::{errors, text as to_proto};

/// Lines shown when the caller sets no limit: more than any budget holds.
const SHOWN: usize = 5_000;

pub(super) fn regex_search(call: &mut ToolCall<'_>) -> Outcome {
    let args: RegexSearchArgs = call.args()?;
    let symbols = args.kinds.iter().any(|kind| kind == "Symbol");
    // `File` is every line of every file; sections and notes do not exist in this version's map.
    let only_symbols = symbols && !args.kinds.iter().any(|kind| kind == "File");
    if args.kinds.iter().any(|kind| kind == "Section" || kind == "Note") {
        call.warnings
            .push("Sections and notes are not indexed yet: only Symbol and File are searched.".into());
        if !symbols && !args.kinds.iter().any(|kind| kind == "File") {
            return data(&RegexSearchResult::nothing());
        }
    }
    let workspace = call.workspace(if symbols { Needs::Map } else { Needs::Text })?;
    let request = SearchRequest {
        pattern: args.pattern.clone(),
        path_prefix: prefix(&workspace, args.path_prefix.as_deref())?,
        glob: args.glob.clone(),
        limit: (!only_symbols).then(|| args.limit.unwrap_or(SHOWN).min(SHOWN)),
        context_lines: u32::try_from(args.context_lines).unwrap_or(0),
        output: if only_symbols { Output::Lines } else { output(&args.output) },
    };
    let cancel = call.cancel.with_deadline(Deadline::after(Duration::from_millis(args.max_millis)));
    let (snapshot, contents) = (workspace.text(), workspace.contents());
    let answer = workspace
        .query_pool()
        .install(|| search(&snapshot, &request, &contents, &cancel))
        .map_err(|error| errors::search(&error, &args.pattern))?;
    warn(call, &answer, args.max_millis);
    if only_symbols {
        call.warnings
            .push("With kinds:Symbol alone, total_matches counts matching lines, not occurrences.".into());
    }
    let result = match (only_symbols, symbols) {
        (true, _) => within_symbols(&workspace, answer, &args),
        (false, true) => to_proto::result(answer, &args.output, &|hit| node_of(&workspace.map(), hit)),
        (false, false) => to_proto::result(answer, &args.output, &|_| None),
    };
    let total = match args.output.as_str() {
        "files" => result.files_matched,
        "lines" => result.total_lines,
        _ => 0,
    };
    let total = usize::try_from(total).unwrap_or(usize::MAX);
    call.omit("matches", total, result.matches.len(), "Raise limit, or narrow with path_prefix or glob.");
    data(&result)
}

fn output(word: &str) -> Output {
    match word {
        "files" => Output::Files,
        "count" => Output::Count,
        _ => Output::Lines,
    }
}

fn warn(call: &mut ToolCall<'_>, answer: &SearchAnswer, max_millis: u64) {
    if !answer.complete {
        call.warnings.push(format!(
            "Out of time after {max_millis} ms: totals are lower bounds. Narrow with path_prefix or glob, or raise max_millis."
        ));
    }
    if answer.unreadable > 0 {
        call.warnings.push(format!("{} candidate file(s) could not be read.", answer.unreadable));
    }
}

fn node_of(map: &Map, hit: &LineMatch) -> Option<String> {
    let def = map.symbol_at(hit.file, hit.line)?;
    Some(map.id(def.into()).to_string())
}

/// Keeps the lines that lie in a definition, and counts again.
fn within_symbols(workspace: &Workspace, answer: SearchAnswer, args: &RegexSearchArgs) -> RegexSearchResult {
    let map = workspace.map();
    let hits: Vec<(LineMatch, String)> =
        answer.matches.into_iter().filter_map(|hit| node_of(&map, &hit).map(|id| (hit, id))).collect();
    let mut per_file: HashMap<FileId, u64> = HashMap::new();
    hits.iter().for_each(|(hit, _)| *per_file.entry(hit.file).or_default() += 1);
    let shown = match args.output.as_str() {
        "count" => Vec::new(),
        "files" => files_of(&hits, &per_file),
        _ => hits.iter().map(|(hit, id)| to_proto::line(hit.clone(), "Symbol", Some(id.clone()))).collect(),
    };
    RegexSearchResult {
        matches: shown.into_iter().take(args.limit.unwrap_or(SHOWN)).collect(),
        total_lines: hits.len() as u64,
        total_matches: hits.len() as u64,
        files_matched: per_file.len() as u64,
        complete: answer.complete,
        elapsed_ms: u64::try_from(answer.elapsed.as_millis()).unwrap_or(u64::MAX),
    }
}

fn files_of(hits: &[(LineMatch, String)], per_file: &HashMap<FileId, u64>) -> Vec<TextMatch> {
    let mut seen = std::collections::HashSet::new();
    let first = hits.iter().filter(|(hit, _)| seen.insert(hit.file));
    first
        .map(|(hit, _)| to_proto::file(hit.path.as_str(), per_file.get(&hit.file).copied().unwrap_or(0)))
        .collect()
}
