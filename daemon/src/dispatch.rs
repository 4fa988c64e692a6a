//! Runs one call from request to answer: checks the arguments, finds the workspace, passes the barrier, runs
//! the handler, fits the answer.
//!
//! It knows no tool: it looks handlers up by name, and the tool table has everything about their arguments. A
//! panic in a handler ends that call with `INTERNAL` and a report ID, which is in the log.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

use hob_base::AbsPath;
use hob_proto::message::Ask;
use hob_proto::tools::{self, Checked, ToolDef, check_args};
use hob_proto::{ClientKind, ErrorCode, Form, ToolError};
use hob_render::NoteVocabulary;
use serde_json::{Map, Value};

use hob_budget::{
    AnswerDraft, AnswerPage, AnswerReader, Fitted, Limit, Paging, SentBodies, fit, fit_as_text,
};
use hob_calls::{CallAnswer, CallRequest, Calls, EditorClient, EditorSide};
use hob_host::Host;
use hob_metrics::{Metrics, Served};
use hob_results::errors;
use hob_results::text_only::{AnsweredCall, text_only_warning};
use hob_tools::{
    AllPackages, AnswerNotes, CallServices, CallTerms, Handled, OrgQuestion, ProjectsCall, ToolCall,
    ask_every_package, ask_organization, handler, not_taken_into_account, pending_reminder, run_in_projects,
    status_for_people,
};

use super::call_place::{CallPlace, CallSource};
use super::last_project::LastProjects;

/// A finished call, before its answer is cut.
struct FinishedRun {
    draft: AnswerDraft,
    /// The notation of the answer.
    form: Form,
    /// Number of list items in earlier answers.
    offset: u64,
    /// True if the client asks again for parts of an answer that it already has.
    repeat: bool,
    ask: Option<Ask>,
    /// The project of the call.
    root: Option<AbsPath>,
}

impl FinishedRun {
    fn from_draft(draft: AnswerDraft, form: Form) -> Self {
        Self { draft, form, offset: 0, repeat: false, ask: None, root: None }
    }

    /// Cuts the answer to its budget, in its notation.
    fn fit_answer(self, page: AnswerPage<'_>) -> Fitted {
        let reader = page.reader.map(|reader| AnswerReader { repeat: self.repeat, ..reader });
        match self.form {
            Form::Json => fit(self.draft),
            Form::Text => fit_as_text(self.draft, AnswerPage { offset: self.offset, reader, ..page }),
        }
    }
}

/// The notation of an answer, and the characters that earlier items of its list would take beside the budget.
struct PageRequest {
    form: Form,
    extra_room: usize,
}

/// Runs calls against the host. Clones are the same dispatcher.
#[derive(Clone)]
pub struct Dispatcher {
    host: Arc<Host>,
    started: Instant,
    /// A number that separates this daemon's report IDs from those of earlier daemons in the same log.
    session: u32,
    reports: Arc<AtomicU64>,
    metrics: Arc<Metrics>,
    sent: Arc<SentBodies>,
    last: Arc<LastProjects>,
}

impl Dispatcher {
    /// Creates a dispatcher over `host` that continues the counts in `metrics`; without that file its counts
    /// end with it.
    #[must_use]
    pub fn new(host: Arc<Host>, metrics: Option<PathBuf>) -> Self {
        let metrics = Arc::new(Metrics::open(metrics));
        let session = std::process::id();
        Self {
            host,
            started: Instant::now(),
            session,
            reports: Arc::default(),
            metrics,
            sent: Arc::default(),
            last: Arc::default(),
        }
    }

    fn run(&self, tool: &'static ToolDef, request: &CallRequest) -> FinishedRun {
        let form = Form::asked_in(&request.args, request.form);
        let (mut paging, mut repeat) = (Paging::default(), false);
        let checked = check_args(tool, &request.args).and_then(|mut checked| {
            checked.args.remove("format");
            repeat = checked.args.remove("repeat") == Some(true.into());
            paging = Paging::take_from(&mut checked.args, tool)?;
            Ok(checked)
        });
        let (mut handled, budget) = match checked {
            Err(error) => (Handled::failed_with(error, Vec::new()), budget_of(tool, &request.args, form)),
            Ok(checked) => {
                let budget = budget_of(tool, &checked.args, form);
                let page = PageRequest { form, extra_room: paging.extra_room() };
                (self.run_handler(tool, request, checked, page), budget)
            }
        };
        let notes = &mut handled.notes;
        notes.warnings.extend(self.host.notices());
        // Answers of language servers have this warning already.
        if !tool.name.starts_with("nav_") {
            let touched = |answer| not_taken_into_account(&self.host, answer);
            notes.warnings.extend(handled.outcome.as_ref().ok().and_then(touched));
        }
        let answer = handled.outcome.as_ref().unwrap_or(&Value::Null);
        let about = AnsweredCall { tool: tool.name, root: notes.root.as_ref(), args: &request.args, answer };
        notes.warnings.extend(text_only_warning(&self.host, &about));
        // The reminder comes first, because a cut removes warnings from the end.
        notes.warnings.splice(0..0, pending_reminder(&self.host, &request.identity));
        notes.generation = notes.generation.filter(|_| request.client == ClientKind::Cli);
        let (ask, root) = (notes.ask.take(), notes.root.take());
        let mut draft = draft_of(tool, handled, budget);
        draft.outcome.iter_mut().for_each(|data| paging.skip_in(data));
        FinishedRun { draft, form, offset: paging.offset, repeat, ask, root }
    }

    fn run_handler(
        &self,
        tool: &'static ToolDef,
        request: &CallRequest,
        checked: Checked,
        page: PageRequest,
    ) -> Handled {
        let Checked { mut args, warnings } = checked;
        let (limit, _) = Limit::new(tool, budget_of(tool, &args, page.form));
        let fresh = args.remove("fresh").and_then(|value| value.as_bool()).unwrap_or(true);
        let place = CallPlace::take_from(&mut args, tool, &self.host, &request.root);
        let CallPlace { starts, source, is_by_path } = match place {
            Ok(place) => place,
            Err(error) => return Handled::failed_with(error, warnings),
        };
        let Some(handler) = handler(tool.name) else {
            let error = ToolError::new(ErrorCode::Internal, format!("`{}` has no handler", tool.name));
            return Handled::failed_with(error, warnings);
        };
        let room = limit.max_chars().saturating_add(page.extra_room);
        let is_of_all = source == CallSource::Dependencies;
        let is_of_org = source == CallSource::Organization;
        let is_of_one = starts.len() == 1 && source == CallSource::Project;
        let package = match source {
            CallSource::Dependency(name) => Some(name),
            CallSource::Project | CallSource::Dependencies | CallSource::Organization => None,
        };
        let start = starts.first().unwrap_or(&request.root).clone();
        let terms = CallTerms { args, start, package, fresh, form: page.form, room };
        let services =
            CallServices { host: &self.host, metrics: &self.metrics, uptime: self.started.elapsed() };
        let mut handled = match (starts.len() > 1, is_of_all) {
            _ if is_of_org => ask_organization(OrgQuestion { tool, services, request, terms }, &starts),
            (true, _) => run_in_projects(ProjectsCall { tool, services, request, terms, is_of_all }, &starts),
            (false, true) => ask_every_package(AllPackages { tool, handler, services, request, terms }),
            (false, false) => ToolCall::new(services, request, terms, Vec::new()).run(handler),
        };
        let root = handled.notes.root.as_ref().filter(|_| is_of_one);
        let said = root.and_then(|root| self.project_note(root, is_by_path, request));
        handled.notes.warnings.splice(0..0, said);
        handled.notes.warnings.splice(0..0, warnings);
        handled
    }

    /// Returns the note that names the project of an answer where the agent may expect another: after a path
    /// chose it, after a move, or after another project.
    fn project_note(&self, root: &AbsPath, is_by_path: bool, request: &CallRequest) -> Option<String> {
        let is_agent = request.client == ClientKind::Mcp;
        let before = is_agent.then(|| self.last.note_answer(&request.caller, root)).flatten();
        if is_by_path {
            return Some(format!("About the project `{root}`, because a path in the arguments lies in it."));
        }
        if request.followed && request.root.as_path().starts_with(root.as_path()) {
            return Some(format!(
                "About the work tree `{root}`, where your last absolute path lies; `root` names another."
            ));
        }
        before.map(|before| format!("About the project `{root}`; the answer before was about `{before}`."))
    }

    fn panic_error(&self, tool: &str) -> ToolError {
        let number = self.reports.fetch_add(1, Ordering::Relaxed) + 1;
        let report = format!("{:x}-{number}", self.session);
        tracing::error!(tool, report, "a handler panicked; the panic's message is the entry before this one");
        errors::internal(&report)
    }
}

impl Calls for Dispatcher {
    fn call(&self, request: CallRequest) -> CallAnswer {
        let started = Instant::now();
        let _running = self.metrics.begin();
        let tool = tools::find(&request.tool);
        let form = request.form;
        let mut run = match tool {
            None => FinishedRun::from_draft(draft_without_tool(errors::no_such_tool(&request.tool)), form),
            Some(tool) => catch_unwind(AssertUnwindSafe(|| self.run(tool, &request))).unwrap_or_else(|_| {
                FinishedRun::from_draft(
                    draft_of(tool, Handled::failed_with(self.panic_error(tool.name), Vec::new()), None),
                    form,
                )
            }),
        };
        let (ask, root) = (run.ask.take(), run.root.take());
        // Each call of the command line is a separate client, and people see their folder.
        let remembers = request.client == ClientKind::Mcp;
        let reader = AnswerReader { sent: &self.sent, caller: &request.caller, repeat: false };
        let page = AnswerPage {
            tool,
            voice: voice_for(request.client),
            reader: remembers.then_some(reader),
            ..AnswerPage::default()
        };
        // Fitting runs on data of any shape; a panic there must not escape either.
        let fitted = catch_unwind(AssertUnwindSafe(|| run.fit_answer(page))).unwrap_or_else(|_| {
            FinishedRun::from_draft(draft_without_tool(self.panic_error(&request.tool)), form)
                .fit_answer(page)
        });
        self.host.settle_memory();
        let took = started.elapsed();
        tracing::debug!(tool = request.tool, ok = fitted.ok, micros = took.as_micros(), "answered");
        if let Some(tool) = tool {
            let (caller, args) = (&request.caller, &request.args);
            let data = fitted.data.filter(|_| fitted.ok);
            self.metrics.count(Served { tool, caller, args, root, data, tokens: fitted.tokens, took });
        }
        CallAnswer { ok: fitted.ok, envelope: fitted.text, ask }
    }

    fn serve_editor(&self, client: EditorClient) -> Option<Box<dyn EditorSide>> {
        let calls = Arc::new(self.clone());
        let served = hob_editor::serve_editor(Arc::clone(&self.host), calls, client);
        served.inspect_err(|error| tracing::warn!(%error, "no thread to serve an editor on")).ok()
    }

    fn status(&self) -> Map<String, Value> {
        let mut status = status_for_people(&self.host);
        status.insert("metrics".into(), self.metrics.status(self.host.cache_uses()));
        if let (Some(notice), Some(Value::Array(notices))) =
            (self.metrics.reset_notice(), status.get_mut("notices"))
        {
            notices.push(notice.into());
        }
        status
    }

    fn is_busy(&self) -> bool {
        self.host.workspaces().iter().any(|workspace| workspace.is_busy())
    }

    fn save_all(&self) {
        self.metrics.save();
        self.host.close();
    }
}

/// Returns the voice of an answer's notes for a kind of client: names of commands or of tools.
fn voice_for(client: ClientKind) -> NoteVocabulary {
    if client == ClientKind::Cli { NoteVocabulary::CommandLine } else { NoteVocabulary::Tool }
}

/// Returns the budget in tokens that the call requests, or else the tool's default for answers as text;
/// `None` if it has none.
fn budget_of(tool: &ToolDef, args: &Map<String, Value>, form: Form) -> Option<i64> {
    let usual = tool.text_budget.filter(|_| form == Form::Text).map(i64::from);
    tools::asked_budget(args).or(usual)
}

fn draft_of(tool: &ToolDef, handled: Handled, budget: Option<i64>) -> AnswerDraft {
    let (limit, warning) = Limit::new(tool, budget);
    let Handled { outcome, notes: AnswerNotes { mut warnings, omitted, generation, .. } } = handled;
    warnings.extend(warning);
    AnswerDraft { outcome, warnings, omitted, generation, limit, cuts: tool.cuts }
}

fn draft_without_tool(error: ToolError) -> AnswerDraft {
    AnswerDraft {
        outcome: Err(error),
        warnings: Vec::new(),
        omitted: Vec::new(),
        generation: None,
        limit: Limit::USUAL,
        cuts: &[],
    }
}
