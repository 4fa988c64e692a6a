//! Runs the tools: argument meaning in, domain answer out, one file per family.
//!
//! A handler gets checked arguments and a `ToolCall` through which it reaches its workspace. Reaching it is a step of its
//! own, so that a handler says what it needs (text, or the map too) and the waiting for a first index, the barrier and their
//! warnings are the same everywhere.

pub mod admin;
mod ask;
mod callers;
pub mod calls;
pub(crate) mod edit;
mod elsewhere;
mod enclosing;
mod entity;
mod excerpt;
pub mod flow;
mod fuse;
pub mod graph;
pub mod grep;
pub mod impact;
mod implementers;
pub mod investigate;
mod lacks;
mod left_out;
pub mod map;
mod metrics;
pub mod models;
pub mod nav;
pub mod path;
mod position;
pub mod ranked;
pub mod read;
pub mod rename;
pub mod resolve;
mod scope;
pub mod search;
pub mod servers;
mod stand_in;
pub(crate) mod status;
mod target;
pub mod text;
pub(crate) mod text_only;
pub(crate) mod unsaved;
mod unused;

use std::sync::Arc;
use std::time::Duration;

use hob_base::{AbsPath, CancelToken, Deadline};
use hob_live::live::LiveProject;
use hob_live::spec::ServerSpec;
use hob_proto::message::{Ask, Offer};
use hob_proto::tools::scope::ScopeArgs;
use hob_proto::{ClientKind, ErrorCode, Form, ToolError};
use hob_text::Snapshot;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use crate::budget::Omitted;
use crate::calls::{Caller, ProgressSink};
use crate::host::{Freshness, Host, Phase, Workspace};
use crate::metrics::Metrics;
use crate::to_proto::errors;

/// Longest time that a call waits for the first index of a workspace, unless it is the command line's.
const FIRST_INDEX_PATIENCE: Duration = Duration::from_secs(10);

/// Arguments that say what an answer is about, in their canonical spellings.
const SCOPE_ARGS: [&str; 6] = ["paths", "tests", "path_prefix", "pathPrefix", "glob", "fileFilter"];

/// The data or the error that a handler answers with.
pub(crate) type ToolOutcome = Result<Value, ToolError>;

/// The function that runs a tool.
pub(crate) type Handler = fn(&mut ToolCall<'_>) -> ToolOutcome;

/// The code of a tool; a test holds this table against the tool definitions.
pub(crate) fn handler(name: &str) -> Option<Handler> {
    Some(match name {
        "count_patterns" => text::count_patterns,
        "edit_pattern" => edit::pattern,
        "edit_pending" => edit::pending,
        "edit_rename" => edit::rename,
        "edit_symbol" => edit::symbol,
        "edit_text" => edit::text,
        "flow_trace" => flow::flow_trace,
        "hob_digest" => admin::digest,
        "hob_graph" => graph::graph,
        "hob_grep" => grep::grep,
        "hob_models" => models::models,
        "hob_noop" => admin::noop,
        "hob_purge" => admin::purge,
        "hob_servers" => servers::servers,
        "hob_stats" => metrics::stats,
        "hob_undo" => edit::undo,
        "impact" => impact::impact,
        "investigate" => investigate::investigate,
        "investigate_expand" => investigate::expand,
        "investigate_hydrate" => investigate::hydrate,
        "map_neighbors" => map::neighbors,
        "map_overview" => map::overview,
        "map_path" => path::path,
        "map_rebuild" => map::rebuild,
        "map_search" => search::search,
        "map_status" => map::status,
        "metrics_report" => metrics::report,
        "nav_callHierarchy" => calls::call_hierarchy,
        "nav_definition" => nav::definition,
        "nav_diagnostics" => nav::diagnostics,
        "nav_implementations" => nav::implementations,
        "nav_references" => nav::references,
        "nav_symbols" => nav::symbols,
        "nav_type" => nav::type_of,
        "nav_workspaceSymbols" => nav::workspace_symbols,
        "read_symbols" => read::read_symbols,
        "regex_search" => text::regex_search,
        "resolve" => resolve::resolve,
        "resolve_action" => edit::resolve_action,
        "text_search" => ranked::text_search,
        _ => return None,
    })
}

/// The part of the index that a handler reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Needs {
    /// Nothing that is indexed: state as it is.
    State,
    /// The handler reads the text index.
    Text,
    /// The handler reads the map.
    Map,
}

/// The client, as far as edits need to know it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct EditingClient {
    /// The client's identity across connections: its pending changes wait for a decision under it.
    pub(crate) identity: String,
    /// True if the client may edit, whatever the settings say.
    pub(crate) allowed: bool,
}

/// A call under way.
pub(crate) struct ToolCall<'h> {
    pub(crate) host: &'h Host,
    pub(crate) args: Map<String, Value>,
    /// Those of the arguments that say what the answer is about; there once the arguments have been taken.
    pub(crate) scope_args: ScopeArgs,
    pub(crate) start: AbsPath,
    pub(crate) fresh: bool,
    pub(crate) patience: Duration,
    pub(crate) cancel: CancelToken,
    /// The kind of client that makes the call.
    pub(crate) client: ClientKind,
    pub(crate) caller: Arc<Caller>,
    pub(crate) clients: usize,
    pub(crate) editor: EditingClient,
    pub(crate) progress: Option<ProgressSink>,
    pub(crate) freshness: Freshness,
    pub(crate) warnings: Vec<String>,
    pub(crate) omitted: Vec<Omitted>,
    pub(crate) generation: Option<u64>,
    pub(crate) uptime: Duration,
    /// The counts so far of all calls.
    pub(crate) metrics: &'h Metrics,
    /// The project that it is about, once it has asked for it.
    pub(crate) root: Option<AbsPath>,
    /// The notation that the answer is wanted in.
    pub(crate) form: Form,
    /// Characters that the answer may have: what does not fit need not be made.
    pub(crate) room: usize,
    /// Something was done that the answer must tell, whoever has cancelled meanwhile.
    pub(crate) is_done: bool,
    /// The questions that the client can be asked, and its replies to those it was asked.
    pub(crate) offers: Vec<Offer>,
    pub(crate) replies: Map<String, Value>,
    /// The question to the client whose reply would make the answer better; `None` if there is none.
    pub(crate) ask: Option<Ask>,
}

/// An outcome with its warnings.
pub(crate) struct Handled {
    pub(crate) outcome: ToolOutcome,
    pub(crate) warnings: Vec<String>,
    pub(crate) omitted: Vec<Omitted>,
    pub(crate) generation: Option<u64>,
    pub(crate) ask: Option<Ask>,
    /// The project that the call was about.
    pub(crate) root: Option<AbsPath>,
}

impl Handled {
    /// An error and nothing else.
    pub(crate) fn failed_with(error: ToolError) -> Self {
        Self {
            outcome: Err(error),
            warnings: Vec::new(),
            omitted: Vec::new(),
            generation: None,
            ask: None,
            root: None,
        }
    }
}

impl ToolCall<'_> {
    pub(crate) fn run(mut self, handler: Handler) -> Handled {
        let outcome = handler(&mut self);
        let given_up = self.cancel.is_cancelled() && !self.is_done;
        let outcome = if given_up { Err(errors::cancelled()) } else { outcome };
        let ask = self.ask.filter(|_| outcome.is_ok());
        let Self { warnings, omitted, generation, root, .. } = self;
        Handled { outcome, warnings, omitted, generation, ask, root }
    }

    /// A server gave an answer: notes for whom, and says what it costs that it runs restricted because the project is not trusted;
    /// once to a client, as `map_status` says it too.
    pub(crate) fn warn_of_restriction(&mut self, project: &LiveProject, server: &ServerSpec) {
        let live = self.host.live();
        live.used_by(server.name, &project.root, &self.caller);
        match errors::restriction_note(server, &project.root, project.trusted) {
            None => live.forget_restriction(server.name, &project.root),
            Some(warning) if live.is_news_of_restriction(server.name, &project.root, &self.caller) => {
                self.warnings.push(warning);
            }
            Some(_) => {}
        }
    }

    /// Says that a limit of the question left `total - shown` items out.
    pub(crate) fn omit_items(&mut self, kind: &'static str, total: usize, shown: usize, way: &'static str) {
        self.omitted.push(Omitted { kind, count: total.saturating_sub(shown) as u64, way });
    }

    /// The arguments as their type.
    pub(crate) fn parse_args<T: DeserializeOwned>(&mut self) -> Result<T, ToolError> {
        let scope =
            SCOPE_ARGS.iter().filter_map(|name| Some(((*name).to_owned(), self.args.get(*name)?.clone())));
        self.scope_args = serde_json::from_value(Value::Object(scope.collect())).unwrap_or_default();
        serde_json::from_value(Value::Object(std::mem::take(&mut self.args)))
            .map_err(|error| ToolError::bad_args(format!("the arguments could not be read: {error}")))
    }

    /// The call's workspace, with what the handler needs of it ready and, unless the caller opted out, fresh.
    pub(crate) fn workspace(&mut self, needs: Needs) -> Result<Arc<Workspace>, ToolError> {
        let workspace = self.host.workspace(&self.start).map_err(|error| errors::open(&error))?;
        self.root = Some(workspace.root().clone());
        if needs == Needs::State {
            return Ok(workspace);
        }
        self.wait_for_index(&workspace, needs)?;
        if self.fresh {
            self.freshness = workspace.barrier(needs == Needs::Map, self.patience);
            if let Freshness::Unknown(Some(why)) = &self.freshness {
                self.warnings.push(why.clone());
            }
            if let Some(why) = workspace.root_gone() {
                return Err(errors::root_gone(&workspace, &why));
            }
        }
        self.warnings.extend(workspace.unread_warning());
        self.generation = Some(workspace.generation().0);
        self.warn_of_emptiness(&workspace);
        Ok(workspace)
    }

    /// The text index for this call. Unless it is known that nothing has changed since, files are read from where they are.
    pub(crate) fn text(&self, workspace: &Workspace) -> Snapshot {
        match self.freshness {
            Freshness::Fresh => workspace.text(),
            Freshness::Unknown(_) => workspace.text().without_contents(),
        }
    }

    /// Returns the deadline for something that is made once. Agents rather hear soon that it is not there yet; on a
    /// command line somebody watches the progress, and has said how long to wait.
    pub(crate) fn first_time(&self, usual: Duration) -> Deadline {
        match self.client {
            ClientKind::Cli => Deadline::NEVER,
            _ => Deadline::after(usual),
        }
    }

    fn wait_for_index(&self, workspace: &Workspace, needs: Needs) -> Result<(), ToolError> {
        let phase = if needs == Needs::Text { Phase::Text } else { Phase::Map };
        let cancel = self.cancel.with_deadline(self.first_time(FIRST_INDEX_PATIENCE));
        let report = |progressed: crate::host::Progressed| {
            if let Some(progress) = &self.progress {
                let (done, total) = progressed.overall_progress();
                progress(done, total, progressed.phase.as_str());
            }
        };
        workspace.progress.wait_past(phase, &cancel, &report).map_err(|(progressed, _)| {
            if self.cancel.is_cancelled() {
                errors::cancelled()
            } else {
                errors::not_built(workspace, progressed)
            }
        })
    }

    /// An index without files must say why: an empty answer looks like an empty project.
    fn warn_of_emptiness(&mut self, workspace: &Workspace) {
        use hob_workspace::ScanNote;
        let telling = |note: &&ScanNote| {
            matches!(note, ScanNote::RootGone { .. } | ScanNote::IgnoredByDefault { .. } | ScanNote::Empty)
        };
        let notes = workspace.scan_notes();
        self.warnings.extend(notes.iter().filter(telling).map(|note| to_sentence(&note.to_string())));
    }
}

/// A note as a warning.
pub(crate) fn to_sentence(text: &str) -> String {
    let mut chars = text.chars();
    let first = chars.next().map(|c| c.to_uppercase().to_string()).unwrap_or_default();
    format!("{first}{}.", chars.as_str())
}

/// A result as the envelope's data.
pub(crate) fn to_data(result: &impl Serialize) -> ToolOutcome {
    serde_json::to_value(result).map_err(|error| {
        ToolError::new(ErrorCode::Internal, format!("the result could not be written: {error}"))
    })
}

#[cfg(test)]
mod tests {
    use hob_proto::tools::TOOLS;

    #[test]
    fn every_tool_has_a_handler() {
        for tool in TOOLS {
            assert!(super::handler(tool.name).is_some(), "{}", tool.name);
        }
    }
}
