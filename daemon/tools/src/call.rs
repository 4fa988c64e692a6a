//! Holds one call of a tool while it runs: its input, and the notes for its answer in addition to the data.

use std::sync::Arc;
use std::time::{Duration, Instant};

use hob_base::{AbsPath, CancelToken, Deadline};
use hob_budget::OmittedItems;
use hob_calls::CallRequest;
use hob_host::{Freshness, Host, Phase, Workspace};
use hob_live::live::LiveProject;
use hob_live::spec::ServerSpec;
use hob_metrics::Metrics;
use hob_proto::message::Ask;
use hob_proto::tools::scope::ScopeArgs;
use hob_proto::{ClientKind, Form, ToolError};
use hob_results::errors;
use hob_text::TextView;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use super::{Handler, ToolOutcome};

/// Longest time that a call waits for the first index of a workspace, unless it is the command line's.
pub(crate) const FIRST_INDEX_PATIENCE: Duration = Duration::from_secs(10);

/// Longest time that a call waits at the barrier.
pub(crate) const BARRIER_PATIENCE: Duration = Duration::from_secs(2);

/// Characters of an envelope around the data, with a generation and room for the dispatcher's warnings.
const FRAME: usize = 170;

/// Arguments that say what an answer is about, in their canonical spellings.
const SCOPE_ARGS: [&str; 6] = ["paths", "tests", "path_prefix", "pathPrefix", "glob", "fileFilter"];

/// The part of the index that a handler reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NeededIndex {
    /// Nothing that is indexed: only state.
    State,
    /// The handler reads the text index.
    Text,
    /// The handler reads the map.
    Map,
}

/// The services of the process that every call may use.
#[derive(Clone, Copy)]
pub struct CallServices<'h> {
    /// The host with the open workspaces.
    pub host: &'h Host,
    /// The counts so far of all calls.
    pub metrics: &'h Metrics,
    /// Time since the daemon was started.
    pub uptime: Duration,
}

/// A call's own terms, taken out of the arguments that every tool has.
pub struct CallTerms {
    /// The tool's own arguments, which have passed the check against its schema.
    pub args: Map<String, Value>,
    /// The folder from which the workspace is searched.
    pub start: AbsPath,
    /// The dependency whose source the call is about instead of the project; in a call about all of them, the one that
    /// is asked at present.
    pub package: Option<String>,
    /// False if the caller does not want to wait at the barrier.
    pub fresh: bool,
    /// The notation of the answer.
    pub form: Form,
    /// Most characters of the answer: data beyond that need not be made.
    pub room: usize,
}

/// Notes of a handler for its answer, in addition to the data.
#[derive(Default)]
pub struct AnswerNotes {
    /// The warnings, each a sentence.
    pub warnings: Vec<String>,
    /// Items that a limit of the question left out.
    pub omitted: Vec<OmittedItems>,
    /// The generation of the index that the answer is of.
    pub generation: Option<u64>,
    /// The question to the client whose reply would make the answer better; `None` if there is none.
    pub ask: Option<Ask>,
    /// The project that the call is about, once the handler has asked for it.
    pub root: Option<AbsPath>,
    /// The freshness that the barrier reached.
    pub(crate) freshness: Freshness,
    /// True if the call did something that the answer must tell, even if the call was cancelled meanwhile.
    pub(crate) is_done: bool,
}

impl AnswerNotes {
    /// Returns notes with warnings and nothing else.
    #[must_use]
    pub fn with_warnings(warnings: Vec<String>) -> Self {
        Self { warnings, ..Self::default() }
    }
}

/// A call under way.
pub struct ToolCall<'h> {
    pub(crate) services: CallServices<'h>,
    /// The call as it arrived, with its client and the receiver of its progress.
    pub(crate) request: &'h CallRequest,
    /// The token that stops the work: the request's, until the handler has begun something that must not stop half way.
    pub(crate) cancel: CancelToken,
    pub(crate) terms: CallTerms,
    /// The arguments that say what the answer is about; set once the arguments have been parsed.
    pub(crate) scope_args: ScopeArgs,
    pub(crate) notes: AnswerNotes,
    /// True once the packages that the project is joined with are known to be fresh.
    has_fresh_packages: bool,
}

/// Returns the most characters of the note about omissions; notes are shorter where there is little room.
pub(crate) fn note_room(room: usize) -> usize {
    if room < 1_200 { 100 } else { 300 }
}

/// An outcome with its notes.
pub struct Handled {
    /// The data or the error.
    pub outcome: ToolOutcome,
    /// The notes that go with it.
    pub notes: AnswerNotes,
}

impl Handled {
    /// Returns an error with the warnings before it.
    #[must_use]
    pub fn failed_with(error: ToolError, warnings: Vec<String>) -> Self {
        Self { outcome: Err(error), notes: AnswerNotes::with_warnings(warnings) }
    }
}

impl<'h> ToolCall<'h> {
    /// Returns a call that has not found its workspace yet; `warnings` are those of the check of its arguments.
    #[must_use]
    pub fn new(
        services: CallServices<'h>,
        request: &'h CallRequest,
        terms: CallTerms,
        warnings: Vec<String>,
    ) -> Self {
        let notes = AnswerNotes::with_warnings(warnings);
        let cancel = request.cancel.clone();
        let scope_args = ScopeArgs::default();
        Self { services, request, cancel, terms, scope_args, notes, has_fresh_packages: false }
    }

    /// Runs the tool. A call that was cancelled has no outcome, unless it did something that must be reported.
    pub fn run(mut self, handler: Handler) -> Handled {
        let outcome = handler(&mut self);
        let given_up = self.cancel.is_cancelled() && !self.notes.is_done;
        let outcome = if given_up { Err(errors::cancelled()) } else { outcome };
        let mut notes = self.notes;
        notes.ask = notes.ask.filter(|_| outcome.is_ok());
        Handled { outcome, notes }
    }

    /// Notes that a server answered this client, and warns of the consequences if the server runs restricted because
    /// the project is not trusted. Each client is warned once, as `map_status` tells it too.
    pub(crate) fn warn_of_restriction(&mut self, project: &LiveProject, server: &ServerSpec) {
        let live = self.services.host.live();
        live.used_by(server.name, &project.root, &self.request.caller);
        match errors::restriction_note(server, &project.root, project.trusted) {
            None => live.forget_restriction(server.name, &project.root),
            Some(warning)
                if live.is_news_of_restriction(server.name, &project.root, &self.request.caller) =>
            {
                self.notes.warnings.push(warning);
            }
            Some(_) => {}
        }
    }

    /// Notes that a limit of the question left `total - shown` items out.
    pub(crate) fn omit_items(&mut self, kind: &'static str, total: usize, shown: usize, way: &'static str) {
        self.notes.omitted.push(OmittedItems { kind, count: total.saturating_sub(shown) as u64, way });
    }

    /// Returns the characters that are left for the answer's data, after the envelope and the warnings so far.
    pub(crate) fn room_for_data(&self) -> usize {
        let warnings: usize = self.notes.warnings.iter().map(|warning| warning.len() + 3).sum();
        self.terms.room.saturating_sub(FRAME + warnings)
    }

    /// Returns the characters that are left for the data if the answer also has a note about omissions.
    pub(crate) fn room_beside_note(&self) -> usize {
        self.room_for_data().saturating_sub(note_room(self.terms.room))
    }

    /// Parses the arguments as their type, and keeps those about the scope.
    pub(crate) fn parse_args<T: DeserializeOwned>(&mut self) -> Result<T, ToolError> {
        let scope = SCOPE_ARGS
            .iter()
            .filter_map(|name| Some(((*name).to_owned(), self.terms.args.get(*name)?.clone())));
        self.scope_args = serde_json::from_value(Value::Object(scope.collect())).unwrap_or_default();
        serde_json::from_value(Value::Object(std::mem::take(&mut self.terms.args)))
            .map_err(|error| ToolError::bad_args(format!("the arguments could not be read: {error}")))
    }

    /// Returns the call's workspace, after waiting for the index that the handler needs and, unless the caller opted
    /// out, for the barrier.
    pub(crate) fn workspace(&mut self, needs: NeededIndex) -> Result<Arc<Workspace>, ToolError> {
        let workspace = self.open_workspace()?;
        if needs == NeededIndex::State {
            return Ok(workspace);
        }
        self.workspace_once_indexed(workspace, needs)
    }

    /// Returns an open workspace, after waiting for the index and for the barrier as [`Self::workspace`] does.
    pub(super) fn workspace_once_indexed(
        &mut self,
        workspace: Arc<Workspace>,
        needs: NeededIndex,
    ) -> Result<Arc<Workspace>, ToolError> {
        self.wait_for_index(&workspace, needs)?;
        let begun = Instant::now();
        if self.terms.fresh {
            self.notes.freshness = workspace.barrier(needs == NeededIndex::Map, BARRIER_PATIENCE);
        }
        // The list is read here: a file that another call finds to be readable from now on leaves it before the index
        // has the file. Files that have left it already are waited for below.
        let unread = workspace.unread_warning();
        if self.terms.fresh {
            if self.notes.freshness == Freshness::Fresh {
                self.notes.freshness =
                    workspace.wait_for_found(needs == NeededIndex::Map, begun, BARRIER_PATIENCE);
            }
            if let Freshness::Unknown(Some(why)) = &self.notes.freshness {
                self.notes.warnings.push(why.clone());
            }
            if let Some(why) = workspace.root_gone() {
                return Err(errors::root_gone(&workspace, &why));
            }
        }
        self.notes.warnings.extend(unread);
        self.notes.generation = Some(workspace.generation().0);
        self.warn_of_emptiness(&workspace);
        Ok(workspace)
    }

    /// Prepares an answer during the first index, and says what it may lack besides `may_lack`. Once all text is read, the
    /// barrier tells if the index has every earlier write; before, it cannot be passed.
    ///
    /// # Errors
    /// If the project's folder has gone.
    pub(super) fn answer_during_first_index(
        &mut self,
        workspace: &Workspace,
        may_lack: Option<String>,
    ) -> Result<(), ToolError> {
        let is_read = workspace.progress.now().phase > Phase::Text;
        let lately = (!is_read).then(|| "what was written since it began may be missing".to_owned());
        let told: Vec<String> = lately.into_iter().chain(may_lack).collect();
        if !told.is_empty() {
            self.notes
                .warnings
                .push(format!("The first index is still being made: {}.", told.join(", and ")));
        }
        // Before the barrier, as in any answer.
        let unread = workspace.unread_warning();
        if is_read && self.terms.fresh {
            self.freshen_text(workspace);
        }
        if let Some(why) = workspace.root_gone() {
            return Err(errors::root_gone(workspace, &why));
        }
        self.notes.warnings.extend(unread);
        self.notes.generation = Some(workspace.generation().0);
        Ok(())
    }

    fn freshen_text(&mut self, workspace: &Workspace) {
        self.notes.freshness = workspace.barrier(false, BARRIER_PATIENCE);
        if let Freshness::Unknown(Some(why)) = &self.notes.freshness {
            self.notes.warnings.push(why.clone());
        }
    }

    /// Passes the barriers of the packages that `project` is joined with, once for each call.
    pub(super) fn freshen_packages(&mut self, project: &Workspace) {
        if !std::mem::replace(&mut self.has_fresh_packages, true) {
            project.joined_workspaces().iter().for_each(|package| self.freshen(package));
        }
    }

    /// Passes the barrier of a workspace that is asked in addition to the call's own.
    pub(super) fn freshen(&mut self, workspace: &Workspace) {
        if !self.terms.fresh {
            return;
        }
        if let Freshness::Unknown(Some(why)) = workspace.barrier(true, BARRIER_PATIENCE) {
            self.notes.warnings.push(why);
        }
    }

    /// Opens the project, or the source of the dependency that the call is about.
    pub(super) fn open_workspace(&mut self) -> Result<Arc<Workspace>, ToolError> {
        let workspace = self.open_named_workspace()?;
        self.notes.root = Some(workspace.root().clone());
        Ok(workspace)
    }

    fn open_named_workspace(&mut self) -> Result<Arc<Workspace>, ToolError> {
        let host = self.services.host;
        let project = host.workspace(&self.terms.start).map_err(|error| errors::open(&error))?;
        let Some(package) = self.terms.package.clone() else { return Ok(project) };
        // The project's manifests say which version is meant.
        self.wait_for_index(&project, NeededIndex::Text)?;
        if self.terms.fresh
            && let Freshness::Unknown(Some(why)) = project.barrier(false, BARRIER_PATIENCE)
        {
            self.notes.warnings.push(why);
        }
        let opened = host
            .package_workspace(&project, &package)
            .map_err(|error| hob_results::packages::package(&package, &error))?;
        self.notes.warnings.push(format!("Paths are below `{}`.", opened.root()));
        Ok(opened)
    }

    /// Returns the text index for this call. Unless the index is known to be fresh, searches read the files themselves
    /// instead of cached contents, also those that the first index has not read yet.
    pub(crate) fn text(&self, workspace: &Workspace) -> TextView {
        match self.notes.freshness {
            Freshness::Fresh => workspace.text(),
            Freshness::Unknown(_) => workspace.text_with_unread().without_contents(),
        }
    }

    /// Returns the deadline for something that is made once. Agents prefer to hear soon that it does not exist yet; on
    /// a command line somebody watches the progress, and has said how long to wait.
    pub(crate) fn first_time(&self, usual: Deadline) -> Deadline {
        match self.request.client {
            ClientKind::Cli => Deadline::NEVER,
            _ => usual,
        }
    }

    pub(super) fn wait_for_index(&self, workspace: &Workspace, needs: NeededIndex) -> Result<(), ToolError> {
        let phase = if needs == NeededIndex::Text { Phase::Text } else { Phase::Map };
        self.wait_for_phase(workspace, phase, self.first_time(Deadline::after(FIRST_INDEX_PATIENCE)))
    }

    /// Waits until a phase of the first index is over, and reports its progress.
    ///
    /// # Errors
    /// If the call is cancelled, or `latest` passes.
    pub(super) fn wait_for_phase(
        &self,
        workspace: &Workspace,
        phase: Phase,
        latest: Deadline,
    ) -> Result<(), ToolError> {
        let cancel = self.cancel.with_deadline(latest);
        let report = |progressed: hob_host::Progressed| {
            if let Some(progress) = &self.request.progress {
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

    /// Warns if the index has no files, because an empty answer looks like an empty project.
    fn warn_of_emptiness(&mut self, workspace: &Workspace) {
        use hob_workspace::ScanNote;
        let telling = |note: &&ScanNote| {
            matches!(note, ScanNote::RootGone { .. } | ScanNote::IgnoredByDefault { .. } | ScanNote::Empty)
        };
        let notes = workspace.scan_notes();
        self.notes
            .warnings
            .extend(notes.iter().filter(telling).map(|note| hob_results::to_sentence(&note.to_string())));
    }
}
