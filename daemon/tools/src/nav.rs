//! Answers the `nav_*` tools, whose questions a language server answers.
//!
//! Each passes the barrier first, which has told the servers of every change on disk by the time it lets the call
//! through. The server's answer is passed on with its completeness; a server that is loading, dying or silent never
//! looks like an empty answer.

use std::borrow::Cow;
use std::time::Duration;

use hob_base::{Deadline, WsPath};
use hob_bridge::{AnsweredQuestion, UsesQuestion};
use hob_live::instance::{Completeness as Whole, Instance, ServerAnswer};
use hob_live::live::LiveError;
use hob_live::requests::{
    self, Diagnosis, FoundSymbol, RequestPosition, ServerLocation, ServerQueryContext, Severity,
};
use hob_proto::tools::nav::{
    Completeness, DiagnosticsArgs, DiagnosticsResult, LocationsResult, PositionArgs, ReferencesArgs,
    SymbolsArgs, SymbolsResult, TypeResult, WorkspaceSymbolsArgs, WorkspaceSymbolsResult,
};
use hob_proto::{Anchor, ToolError};

use super::ask::{LATE_AFTER, text_of};
use super::nav_query::{NavQuery, PATIENCE};
use super::scope::CallScope;
use super::{NeededIndex, ToolCall, ToolOutcome, enclosing, left_out, stand_in, to_data};
use hob_host::Workspace;
use hob_results::{errors, live as to_proto};

/// Longest time that questions about a whole project may take.
pub(super) const LONG_PATIENCE: Duration = Duration::from_secs(30);

/// The consequence of uses that a server did not list, for a warning.
pub(super) const ADDED: &str = "they are added, marked `fromMap`.";

/// The word for answers of a language server.
pub(super) const LSP: &str = "lsp";

pub(super) fn definition(call: &mut ToolCall<'_>) -> ToolOutcome {
    let args: PositionArgs = call.parse_args()?;
    let asked = NavQuery::new(call, &args)?;
    if let Some(outcome) = early_answer(call, &asked, |call, error| stand_in::definition(call, &asked, error))
    {
        return outcome;
    }
    let answer = match asked.ask_server(call, PATIENCE, requests::definition) {
        Ok(answer) => answer,
        Err(error) => return stand_in::definition(call, &asked, error),
    };
    let outcome = locations_result(call, &asked, &answer);
    asked.promote_answer(answer, |at, found| AnsweredQuestion::Definition { at, found });
    outcome
}

pub(super) fn implementations(call: &mut ToolCall<'_>) -> ToolOutcome {
    let args: PositionArgs = call.parse_args()?;
    let asked = NavQuery::new(call, &args)?;
    let scope = call.parse_scope(&asked.workspace)?;
    let admits = |path: &WsPath, line| scope.admits_line(&asked.workspace.map(), path, line);
    let from_map = |call: &mut ToolCall<'_>, error| {
        let outcome = stand_in::implementations(call, &asked, error, &admits);
        scope.warn_of_omissions(call, false);
        outcome
    };
    if let Some(outcome) = early_answer(call, &asked, from_map) {
        return outcome;
    }
    scope.forget_omissions();
    let inquiry = places_inquiry(UsesQuestion::Implementations, PATIENCE);
    let (answer, mut held) = match left_out::ask(call, &asked, &inquiry, requests::implementations) {
        Ok(found) => found,
        Err(error) => return from_map(call, error),
    };
    let places = in_scope(&asked.workspace, &scope, &answer.value);
    held.missing.retain(|one| admits(&one.path, one.line));
    scope.warn_of_omissions(call, false);
    let completeness = completeness_of(call, &answer);
    let completeness = held.judge_completeness(call, completeness, ADDED);
    let locations = to_proto::anchors_with_lines(&asked.workspace, &places, call.terms.room);
    let locations = with_missing(&asked.workspace, locations, &held);
    to_data(&LocationsResult { locations, total: None, files: None, completeness, source: LSP.to_owned() })
}

/// Returns the map's answer if no server answers within a moment: because it is starting or loading, and the map knows
/// something; or because there is none.
fn early_answer(
    call: &mut ToolCall<'_>,
    asked: &NavQuery,
    from_map: impl FnOnce(&mut ToolCall<'_>, ToolError) -> ToolOutcome,
) -> Option<ToolOutcome> {
    let error = asked.await_server(call).err()?;
    let (said, is_late) = (call.notes.warnings.len(), stand_in::is_late(&error));
    match from_map(call, error) {
        Err(_) if is_late => {
            call.notes.warnings.truncate(said);
            None
        }
        outcome => Some(outcome),
    }
}

/// Makes the inquiry for a question that is answered with places.
fn places_inquiry(
    question: UsesQuestion,
    patience: Duration,
) -> left_out::UsesInquiry<'static, Vec<ServerLocation>> {
    let listed = &|places: &Vec<ServerLocation>| left_out::lines_of(places);
    left_out::UsesInquiry {
        question,
        patience,
        listed,
        with_declarations: None,
        about: &left_out::what_was_asked,
    }
}

/// Adds the places that only the map has, and sorts all by file and line.
fn with_missing(
    workspace: &Workspace,
    mut locations: Vec<Anchor>,
    held: &left_out::MapComparison,
) -> Vec<Anchor> {
    if !held.missing.is_empty() {
        locations.extend(left_out::missing_anchors(workspace, held));
        locations
            .sort_by(|a, b| (a.external, &a.file, a.line, a.col).cmp(&(b.external, &b.file, b.line, b.col)));
    }
    locations
}

/// Returns the places in scope.
fn in_scope<'p>(
    workspace: &Workspace,
    scope: &CallScope,
    places: &'p [ServerLocation],
) -> Cow<'p, [ServerLocation]> {
    if scope.is_all() {
        return Cow::Borrowed(places);
    }
    let map = workspace.map();
    places.iter().filter(|place| scope.admits_ref(&map, &place.file, place.start.0)).cloned().collect()
}

fn locations_result(
    call: &mut ToolCall<'_>,
    asked: &NavQuery,
    answer: &ServerAnswer<Vec<ServerLocation>>,
) -> ToolOutcome {
    let completeness = completeness_of(call, answer);
    let locations = to_proto::anchors_with_lines(&asked.workspace, &answer.value, call.terms.room);
    to_data(&LocationsResult { locations, total: None, files: None, completeness, source: LSP.to_owned() })
}

pub(super) fn references(call: &mut ToolCall<'_>) -> ToolOutcome {
    let args: ReferencesArgs = call.parse_args()?;
    let asked = NavQuery::new(call, &args.at)?;
    let scope = call.parse_scope(&asked.workspace)?;
    let admits = |path: &WsPath, line| scope.admits_line(&asked.workspace.map(), path, line);
    let from_map = |call: &mut ToolCall<'_>, error| {
        let outcome = stand_in::references(call, &asked, error, &admits, args.include_declaration);
        scope.warn_of_omissions(call, false);
        outcome
    };
    if let Some(outcome) = early_answer(call, &asked, from_map) {
        return outcome;
    }
    scope.forget_omissions();
    let with_declarations: left_out::Ask<'_> =
        &|server, at, asking| requests::references(server, at, true, asking);
    let inquiry = left_out::UsesInquiry {
        with_declarations: Some(with_declarations).filter(|_| !args.include_declaration),
        ..places_inquiry(UsesQuestion::References, LONG_PATIENCE)
    };
    let found = left_out::ask(call, &asked, &inquiry, |server, at, asking| {
        requests::references(server, at, args.include_declaration, asking)
    });
    let (answer, mut held) = match found {
        Ok(found) => found,
        Err(error) => return from_map(call, error),
    };
    let places = in_scope(&asked.workspace, &scope, &answer.value);
    held.missing.retain(|one| admits(&one.path, one.line));
    scope.warn_of_omissions(call, false);
    let completeness = completeness_of(call, &answer);
    let completeness = held.judge_completeness(call, completeness, ADDED);
    let locations = to_proto::anchors_with_lines(&asked.workspace, &places, call.terms.room);
    let mut locations = with_missing(&asked.workspace, locations, &held);
    enclosing::fill_places(&asked.workspace, &mut locations);
    let outcome = to_data(&LocationsResult {
        total: Some(locations.len()),
        files: Some(locations.chunk_by(|a, b| a.file == b.file).count()),
        locations,
        completeness,
        source: LSP.to_owned(),
    });
    drop(places);
    asked.promote_answer(answer, |at, found| AnsweredQuestion::References { at, found });
    outcome
}

pub(super) fn type_of(call: &mut ToolCall<'_>) -> ToolOutcome {
    let args: PositionArgs = call.parse_args()?;
    let asked = NavQuery::new(call, &args)?;
    if let Some(outcome) = early_answer(call, &asked, |call, error| stand_in::type_of(call, &asked, error)) {
        return outcome;
    }
    let answer = match asked.ask_server(call, PATIENCE, requests::type_of) {
        Ok(answer) => answer,
        Err(error) => return stand_in::type_of(call, &asked, error),
    };
    let completeness = completeness_of(call, &answer);
    let info = answer.value.unwrap_or_default();
    to_data(&TypeResult {
        signature: info.signature,
        docs: info.docs,
        range: info.range.map(|(start, end)| to_proto::range(start, end)),
        completeness,
        source: LSP.to_owned(),
    })
}

pub(super) fn symbols(call: &mut ToolCall<'_>) -> ToolOutcome {
    let args: SymbolsArgs = call.parse_args()?;
    let at = PositionArgs { file: Some(args.file), line: Some(1), col: Some(1), ..PositionArgs::default() };
    let asked = NavQuery::new(call, &at)?;
    if let Some(outcome) = early_answer(call, &asked, |call, error| stand_in::symbols(call, &asked, error)) {
        return outcome;
    }
    let answer = asked
        .ask_server(call, PATIENCE, |server, at, asking| requests::outline_of_file(server, &at.file, asking));
    let answer = match answer {
        Ok(answer) => answer,
        Err(error) => return stand_in::symbols(call, &asked, error),
    };
    let completeness = completeness_of(call, &answer);
    let symbols = answer.value.into_iter().map(to_proto::outline_entry).collect();
    to_data(&SymbolsResult { symbols, completeness, source: LSP.to_owned() })
}

pub(super) fn workspace_symbols(call: &mut ToolCall<'_>) -> ToolOutcome {
    let args: WorkspaceSymbolsArgs = call.parse_args()?;
    let workspace = call.workspace(NeededIndex::Text)?;
    let scope = call.parse_scope(&workspace)?;
    let cancel = call.cancel.with_deadline(Deadline::after(LONG_PATIENCE));
    let servers = workspace.live().pool().running_servers(workspace.root());
    if servers.is_empty() {
        call.notes.warnings.push(
            "No language server runs for this project yet: ask one of the other nav_ tools first, or map_search.".into(),
        );
    }
    if let Some(late) = servers.iter().find_map(|server| await_loaded(call, server).err())
        && let Ok(symbols) = stand_in::definitions_by_name(call, &args.query, args.limit)
        && !symbols.is_empty()
    {
        call.notes.warnings.push(stand_in::stand_in_warning(&late));
        let (completeness, source) = (Completeness::Partial, stand_in::MAP.to_owned());
        return to_data(&WorkspaceSymbolsResult { symbols, completeness, source });
    }
    let read = |path: &WsPath| text_of(&workspace, path);
    let project = workspace.project();
    let mut found: Vec<FoundSymbol> = Vec::new();
    let mut refused = false;
    let mut completeness = if servers.is_empty() { Completeness::Unknown } else { Completeness::Complete };
    for server in &servers {
        match requests::workspace_symbols(
            server,
            &args.query,
            ServerQueryContext { read: &read, cancel: &cancel },
        ) {
            Ok(answer) => {
                completeness = to_proto::less_complete(completeness, completeness_of(call, &answer));
                call.warn_of_restriction(&project, server.spec());
                found.extend(answer.value);
            }
            Err(LiveError::Unsupported { .. }) => {}
            Err(error) => {
                refused = true;
                completeness = to_proto::less_complete(completeness, Completeness::Partial);
                call.notes.warnings.push(hob_results::to_sentence(&error.to_string()));
            }
        }
    }
    if !scope.is_all() {
        let map = workspace.map();
        found.retain(|symbol| scope.admits_ref(&map, &symbol.file, symbol.at.0));
        scope.warn_of_omissions(call, false);
    }
    found.sort_by_key(|symbol| (rank(&symbol.name, &args.query), symbol.name.len()));
    let total = found.len();
    found.truncate(args.limit);
    call.omit_items("symbols", total, found.len(), "Raise limit (<=200), or pass a longer query.");
    let mut symbols: Vec<_> = found.into_iter().map(to_proto::symbol).collect();
    let mut source = LSP;
    if symbols.is_empty() && !servers.is_empty() {
        let mut known = stand_in::definitions_by_name(call, &args.query, args.limit);
        if !refused {
            // gopls without Go finds nothing anywhere and says so. Names that only resemble the query prove nothing.
            known = known.map(|all| all.into_iter().filter(|one| rank(&one.name, &args.query) < 3).collect());
        }
        let known = if refused { known? } else { known.unwrap_or_default() };
        if refused || !known.is_empty() {
            call.notes.warnings.push("The map answers instead: something may be missing.".into());
            completeness = to_proto::less_complete(completeness, Completeness::Partial);
            (symbols, source) = (known, stand_in::MAP);
        }
    }
    to_data(&WorkspaceSymbolsResult { symbols, completeness, source: source.to_owned() })
}

/// Waits a moment for a server that loads.
fn await_loaded(call: &ToolCall<'_>, server: &Instance) -> Result<(), ToolError> {
    let cancel = call.cancel.with_deadline(Deadline::after(LATE_AFTER));
    let outcome = requests::await_project_loaded(server, &cancel);
    outcome.map_err(|error| errors::server_loading(&error).unwrap_or_else(errors::cancelled))
}

/// Ranks exact names first, those in the query's case before others, then names that begin with the query, then all
/// others.
fn rank(name: &str, query: &str) -> u8 {
    if name == query {
        return 0;
    }
    let (name, query) = (name.to_lowercase(), query.to_lowercase());
    match name.strip_prefix(&query) {
        Some("") => 1,
        Some(_) => 2,
        None => 3,
    }
}

pub(super) fn diagnostics(call: &mut ToolCall<'_>) -> ToolOutcome {
    let args: DiagnosticsArgs = call.parse_args()?;
    let least = Severity::of_word(&args.severity).unwrap_or(Severity::Hint);
    let (found, completeness) = match args.file {
        Some(file) => {
            let at =
                PositionArgs { file: Some(file), line: Some(1), col: Some(1), ..PositionArgs::default() };
            let asked = NavQuery::new(call, &at)?;
            let question = |server: &Instance, at: &RequestPosition, asking: ServerQueryContext<'_>| {
                requests::diagnostics(server, &at.file, asking)
            };
            let answer = match asked.ask_server(call, LONG_PATIENCE, question) {
                Ok(answer) => answer,
                Err(error) => return stand_in::diagnostics(call, error),
            };
            let completeness = completeness_of(call, &answer);
            (answer.value, completeness)
        }
        None => known_diagnostics(call)?,
    };
    let shown = found.into_iter().filter(|one| one.severity <= least);
    to_data(&DiagnosticsResult {
        diagnostics: shown.map(to_proto::diagnostic_entry).collect(),
        complete: completeness == Completeness::Complete,
    })
}

/// Returns the diagnostics that the running servers know, with their completeness.
fn known_diagnostics(call: &mut ToolCall<'_>) -> Result<(Vec<Diagnosis>, Completeness), ToolError> {
    let workspace = call.workspace(NeededIndex::Text)?;
    let cancel = call.cancel.with_deadline(Deadline::after(LONG_PATIENCE));
    let servers = workspace.live().pool().running_servers(workspace.root());
    if servers.is_empty() {
        call.notes.warnings.push("No language server runs for this project yet: pass a file.".into());
    }
    let read = |path: &WsPath| text_of(&workspace, path);
    let project = workspace.project();
    let mut found = Vec::new();
    for server in &servers {
        match requests::known_diagnostics(server, ServerQueryContext { read: &read, cancel: &cancel }) {
            Ok(answer) => {
                completeness_of(call, &answer);
                call.warn_of_restriction(&project, server.spec());
                found.extend(answer.value);
            }
            Err(error) => call.notes.warnings.push(hob_results::to_sentence(&error.to_string())),
        }
    }
    found.sort();
    Ok((found, Completeness::Partial))
}

/// Returns the completeness of an answer; the reason for a lack becomes a warning.
pub(super) fn completeness_of<T>(call: &mut ToolCall<'_>, answer: &ServerAnswer<T>) -> Completeness {
    let (word, why) = match &answer.completeness {
        Whole::Complete => return Completeness::Complete,
        Whole::Partial(why) => (Completeness::Partial, why),
        Whole::Unknown(why) => (Completeness::Unknown, why),
    };
    call.notes.warnings.push(hob_results::to_sentence(&format!("something may be missing: {why}")));
    word
}
