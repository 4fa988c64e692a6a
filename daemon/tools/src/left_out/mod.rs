//! Compares answers of language servers with the map.
//!
//! Every question about uses goes through here. First the server is shown a file of each project that it would not know
//! otherwise, and is asked; then the map's sure uses are compared with the answer. A server may only lack the files of
//! missing uses, so it is shown those and asked again. Uses that it still does not list are reported, and such an
//! answer is never complete.

mod loading;
mod mentions;
mod moved;
mod show;
mod solution;
mod subject;

use std::cell::{Cell, OnceCell};
use std::collections::BTreeSet;
use std::time::{Duration, Instant};

use hob_base::{Deadline, WsPath};
use hob_bridge::{Listed, Missing, UnlistedUses, UsesQuestion, left_out};
use hob_live::instance::{Instance, ServerAnswer};
use hob_live::live::LiveError;
use hob_live::requests::{RequestPosition, ServerLocation, ServerQueryContext};
use hob_proto::ToolError;
use hob_proto::tools::nav::Completeness;

use super::nav_query::NavQuery;
use super::{NeededIndex, ToolCall, unsaved};
use hob_results::live as to_proto;
pub(super) use loading::show_other_projects;
use loading::{other_projects, show_files, unseen_files};
pub(super) use moved::find_importers;
pub(super) use show::{calls_of_missing, missing_anchors};

/// Longest time of the map's part in a comparison.
const MAP_PATIENCE: Duration = Duration::from_secs(5);

/// Most rounds in which a server is shown files that it left out.
const ROUNDS: usize = 3;

/// Most places that a warning names.
const NAMED: usize = 3;

/// A question to a server whose answer is places.
pub(super) type Ask<'q> = &'q dyn Fn(
    &Instance,
    &RequestPosition,
    ServerQueryContext<'_>,
) -> Result<ServerAnswer<Vec<ServerLocation>>, LiveError>;

/// A question about uses, with the functions that read its answer.
pub(super) struct UsesInquiry<'q, T> {
    /// The kind of question, which says which of the map's uses belong to the answer.
    pub(super) question: UsesQuestion,
    /// Time that the server has.
    pub(super) patience: Duration,
    /// The places that the answer has.
    pub(super) listed: &'q dyn Fn(&T) -> Listed,
    /// Asks for declarations too, if the answer is without them: servers count imports and assignments to members among
    /// those.
    pub(super) with_declarations: Option<Ask<'q>>,
    /// Returns the places of the names that the answer is about, if it says so.
    pub(super) about: &'q dyn Fn(&T) -> Vec<RequestPosition>,
}

/// The outcome of comparing an answer with the map.
#[derive(Debug, Default)]
pub(super) struct MapComparison {
    /// The name of the server that answered.
    server: &'static str,
    /// The name that is used.
    pub(super) name: String,
    /// Uses that only the map has, by file and line.
    pub(super) missing: Vec<Missing>,
    /// The reason why there may be more missing uses, if there is one.
    doubt: Option<String>,
}

/// Puts a question about uses to a server, and compares its answer with the map.
///
/// # Errors
/// The errors of [`NavQuery::ask_server`].
pub(super) fn ask<T>(
    call: &mut ToolCall<'_>,
    asked: &NavQuery,
    inquiry: &UsesInquiry<'_, T>,
    question: impl Fn(&Instance, &RequestPosition, ServerQueryContext<'_>) -> Result<ServerAnswer<T>, LiveError>,
) -> Result<(ServerAnswer<T>, MapComparison), ToolError> {
    let until = Instant::now() + inquiry.patience;
    let (server, others) = (Cell::new(""), OnceCell::new());
    let text = call.text(&asked.workspace);
    // Derived types and indirect callers need not write the name.
    let is_by_name = matches!(inquiry.question, UsesQuestion::References | UsesQuestion::Rename);
    let first = |instance: &Instance, at: &RequestPosition, asking: ServerQueryContext<'_>| {
        server.set(instance.spec().name);
        let may_use = || {
            if is_by_name { mentions::files_with(&asked.workspace, at, &text, asking.cancel) } else { None }
        };
        let others = others.get_or_init(|| other_projects(&asked.workspace, &at.file, instance, &may_use));
        show_files(instance, &others.files, asking)?;
        question(instance, at, asking)
    };
    let mut answer = asked.ask_server(call, inquiry.patience, first)?;
    let mut left = compare_with_map(call, asked, inquiry, &answer.value);
    for _ in 0..ROUNDS {
        let unseen = unseen_files(&asked.workspace, server.get(), &left.missing);
        if unseen.is_empty() || Instant::now() > until {
            break;
        }
        let again = |instance: &Instance, at: &RequestPosition, asking: ServerQueryContext<'_>| {
            show_files(instance, &unseen, asking)?;
            question(instance, at, asking)
        };
        // If it fails, the first answer is kept.
        let Ok(next) = asked.ask_server(call, inquiry.patience, again) else { break };
        let now = compare_with_map(call, asked, inquiry, &next.value);
        let (is_worse, is_better) =
            (now.missing.len() > left.missing.len(), now.missing.len() < left.missing.len());
        if !is_worse {
            (answer, left) = (next, now);
        }
        if !is_better {
            break;
        }
    }
    each_once(&mut call.notes.warnings);
    let more = others.get().map_or(0, |others| others.more);
    Ok((answer, MapComparison { server: server.get(), doubt: left.doubt.or_else(|| too_many(more)), ..left }))
}

/// Returns the lines of the places of an answer.
pub(super) fn lines_of(places: &[ServerLocation]) -> Listed {
    let mut listed = Listed::default();
    places.iter().for_each(|place| listed.add(&place.file, place.start.0));
    listed
}

/// Returns no places, for answers that do not say what they are about.
pub(super) fn what_was_asked<T>(_: &T) -> Vec<RequestPosition> {
    Vec::new()
}

impl MapComparison {
    /// Takes the map's uses as missing, without a server to compare them with.
    pub(super) fn of_map(found: UnlistedUses) -> Self {
        Self { name: found.name, missing: found.missing, ..Self::default() }
    }

    /// Returns the completeness of an answer after the comparison with the map, if the server's own account is `word`.
    /// Missing uses become a warning that states their `consequence`.
    pub(super) fn judge_completeness(
        &self,
        call: &mut ToolCall<'_>,
        word: Completeness,
        consequence: &str,
    ) -> Completeness {
        let doubt = self
            .doubt
            .as_ref()
            .map(|doubt| hob_results::to_sentence(&format!("something may be missing: {doubt}")));
        let found = self.missing_sentence(consequence);
        if doubt.is_none() && found.is_none() {
            return word;
        }
        call.notes.warnings.extend(found.into_iter().chain(doubt));
        to_proto::less_complete(word, Completeness::Partial)
    }

    fn missing_sentence(&self, consequence: &str) -> Option<String> {
        let count = self.missing.len();
        let files = self.missing.chunk_by(|a, b| a.path == b.path).count();
        let first = self.missing.iter().take(NAMED).map(|one| format!("{}:{}", one.path, one.line));
        let mut named = first.collect::<Vec<_>>().join(", ");
        if count > NAMED {
            named.push_str(", ...");
        }
        let (uses, files) = (counted_noun(count, "use"), counted_noun(files, "file"));
        (count > 0).then(|| {
            format!(
                "{} does not list {uses} of `{}` in {files} that the map is sure of ({named}): {consequence} It may not have \
                 loaded the project that they belong to, so there may be more that neither of the two knows.",
                self.server, self.name
            )
        })
    }
}

fn counted_noun(count: usize, noun: &str) -> String {
    format!("{count} {noun}{}", if count == 1 { "" } else { "s" })
}

fn too_many(more: usize) -> Option<String> {
    let of =
        format!("the workspace has so many projects that {more} of them are not loaded for this question");
    (more > 0).then_some(of)
}

fn each_once(warnings: &mut Vec<String>) {
    let mut met = BTreeSet::new();
    warnings.retain(|warning| met.insert(warning.clone()));
}

/// Compares an answer with the present map.
fn compare_with_map<T>(
    call: &mut ToolCall<'_>,
    asked: &NavQuery,
    inquiry: &UsesInquiry<'_, T>,
    answer: &T,
) -> MapComparison {
    let workspace = match call.workspace(NeededIndex::Map) {
        Ok(workspace) => workspace,
        Err(error) => {
            let doubt =
                format!("the answer was not compared with the map: {}", error.message.trim_end_matches('.'));
            return MapComparison { doubt: Some(doubt), ..MapComparison::default() };
        }
    };
    let mut about = (inquiry.about)(answer);
    if about.is_empty() {
        about = subject::definition_places(call, asked, &workspace);
    }
    let cancel = call.cancel.with_deadline(Deadline::after(MAP_PATIENCE));
    let (stale, unsaved) = (workspace.stale_files(), unsaved::unsaved_files(&workspace));
    let counts = |path: &WsPath| !stale.has(path) && unsaved.iter().all(|(open, _)| open != path);
    let map = workspace.map();
    let mut held = MapComparison::default();
    for def in subject::defs_of(&map, &about) {
        let found = left_out(&map, def, inquiry.question, &(inquiry.listed)(answer), &counts, &cancel);
        held.name = found.name;
        held.missing.extend(found.missing);
        if found.is_cut {
            held.doubt = Some("the map did not find all uses in time to compare them".to_owned());
        }
    }
    drop(map);
    held.missing.sort_by(|a, b| (&a.path, a.line, a.col).cmp(&(&b.path, b.line, b.col)));
    if let Some(question) = inquiry.with_declarations.filter(|_| !held.missing.is_empty()) {
        let found = asked.ask_server(call, inquiry.patience, question);
        let listed = found.map(|answer| lines_of(&answer.value)).unwrap_or_default();
        held.missing.retain(|one| match one.col {
            None => !listed.has_file(&one.path),
            Some(_) => !listed.has_line(&one.path, one.line),
        });
    }
    held
}
