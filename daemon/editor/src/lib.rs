//! Serves an editor on `hob-lsp`: the editor sees one language server, which it shares with every other editor and
//! agent.
//!
//! One thread serves an editor and handles its messages in order; nothing on it waits for a server. Messages of servers
//! reach the editor from the threads that read from them. The overlay decides which text of a document counts
//! (`hob_live::overlay`), and the multiplexer which editor gets a server's message (`hob_live::multiplexer`). This crate is the
//! editor's end of both:
//!
//! - `editor_session` keeps the waiting requests and sends messages to the editor, `request` is one of them, `documents` has the
//!   editor's texts, `link` names its servers, and `observer` receives their notifications;
//! - `begin` answers `initialize`, `follow` handles notifications, `route` decides which server answers a request,
//!   `asked` and `eager` handle servers' answers, `own` and `tools` serve hob's own requests;
//! - `fallback` answers from the map where no server does, `shape` converts servers' messages into the form that this
//!   editor understands.

mod asked;
mod begin;
mod documents;
mod eager;
mod editor_session;
mod fallback;
mod follow;
mod late;
mod link;
mod observer;
mod own;
mod pull;
mod remembered;
mod request;
mod route;
mod shape;
mod tools;
mod versions;

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::time::{Duration, Instant};
use std::{io, thread};

use hob_base::AbsPath;
use hob_live::documents::EditorId;
use hob_live::instance::Instance;
use hob_live::overlay::ProjectOverlay;
use hob_live::rpc::jsonrpc::Incoming;
use hob_live::rpc::{ResponseError, codes};
use hob_proto::jsonrpc::IdScan;

use documents::EditorDocuments;
use editor_session::{EditorSession, Event};
use hob_calls::{Calls, EditorClient, EditorSide, HeldUntilDone};
use hob_host::Host;
use link::{LinkKey, ServerLink};
use observer::EditorObserver;
use request::EditorRequest;

/// Interval at which the thread checks for due work: requests that a loading server has kept for too long, documents
/// whose diagnostics are to be pulled.
const LOOK_EVERY: Duration = Duration::from_millis(100);

/// The number of the next editor; each number is used once in the life of the daemon.
static EDITORS: AtomicU64 = AtomicU64::new(1);

/// The phase of an editor's session, from `initialize` to its exit.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Phase {
    /// The editor has not sent `initialize`.
    New,
    /// The editor is initialised, and its requests are served.
    Served,
    /// The editor has announced its exit.
    Leaving,
}

/// The next step for a held request when its time is over.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum HeldAction {
    /// The server has held it for too long, or has not started: the map answers, as far as it can.
    Map,
    /// The request is sent again.
    Again,
}

/// One editor, with its thread's state.
struct ServedEditor {
    host: Arc<Host>,
    calls: Arc<dyn Calls>,
    client: EditorClient,
    editor_session: Arc<EditorSession>,
    phase: Phase,
    /// The editor's name, as other editors see it.
    name: String,
    /// The folders that the editor has open.
    folders: Vec<AbsPath>,
    documents: EditorDocuments,
    links: HashMap<LinkKey, ServerLink>,
    /// Links without a server that the user has been told of.
    told: BTreeSet<LinkKey>,
    /// Servers that were started for `initialize`.
    begun: Vec<(LinkKey, Arc<Instance>)>,
    observers: HashMap<LinkKey, Arc<EditorObserver>>,
    /// The overlays that the editor has joined, by the roots of their projects.
    views: BTreeMap<AbsPath, Arc<ProjectOverlay>>,
    /// The most recently used link.
    last: Option<LinkKey>,
    /// The URI of the document of the latest request.
    last_uri: String,
    /// Requests with a next step, and the time for it if they are not answered by then.
    held: Vec<(Instant, HeldAction, EditorRequest)>,
    /// True if the editor pulls diagnostics itself.
    pulls_itself: bool,
    /// Documents whose diagnostics are to be pulled, with the time for it.
    to_judge: BTreeMap<String, Instant>,
}

/// The daemon's side of an editor: its thread's mailbox.
struct Mailbox(Sender<Event>);

impl EditorSide for Mailbox {
    fn receive_message(&self, message: String, held: HeldUntilDone) {
        let _ = self.0.send(Event::Said(message, held));
    }
}

impl Drop for Mailbox {
    fn drop(&mut self) {
        let _ = self.0.send(Event::End);
    }
}

/// Begins to serve an editor.
///
/// # Errors
/// The system's error when it refuses to start a thread.
pub fn serve_editor(
    host: Arc<Host>,
    calls: Arc<dyn Calls>,
    client: EditorClient,
) -> io::Result<Box<dyn EditorSide>> {
    let (events, mailbox) = channel();
    let id = EditorId(EDITORS.fetch_add(1, Ordering::Relaxed));
    let editor_session = Arc::new(EditorSession::new(id, Arc::clone(&client.send), events.clone()));
    let name = format!("an editor (process {})", client.pid);
    let editor = ServedEditor {
        host,
        calls,
        client,
        editor_session,
        phase: Phase::New,
        name,
        folders: Vec::new(),
        documents: EditorDocuments::new(),
        links: HashMap::new(),
        told: BTreeSet::new(),
        begun: Vec::new(),
        observers: HashMap::new(),
        views: BTreeMap::new(),
        last: None,
        last_uri: String::new(),
        held: Vec::new(),
        pulls_itself: false,
        to_judge: BTreeMap::new(),
    };
    thread::Builder::new().name("hob-editor".to_owned()).spawn(move || editor.run(&mailbox))?;
    Ok(Box::new(Mailbox(events)))
}

impl ServedEditor {
    fn run(mut self, mailbox: &Receiver<Event>) {
        loop {
            let next = match self.held.is_empty() && self.to_judge.is_empty() {
                true => mailbox.recv().map_err(|_| RecvTimeoutError::Disconnected),
                false => mailbox.recv_timeout(LOOK_EVERY),
            };
            match next {
                Ok(Event::End) | Err(RecvTimeoutError::Disconnected) => break,
                Ok(event) => {
                    // A panic while handling a message costs only that message.
                    let handled = catch_unwind(AssertUnwindSafe(|| self.handle_event(event)));
                    if handled.is_err() {
                        tracing::error!(
                            "a message of an editor ended in a panic; it is the entry before this one"
                        );
                    }
                }
                Err(RecvTimeoutError::Timeout) => {}
            }
            self.answer_what_is_held();
            self.judge_due();
        }
        self.end();
    }

    /// Releases everything; unsaved texts are gone.
    fn end(&mut self) {
        for link in self.links.values() {
            if let ServerLink::Up(instance) = link {
                instance.session().multiplexer.detach_editor(self.editor_session.editor);
            }
        }
        for view in self.views.values() {
            view.remove_editor(self.editor_session.editor);
        }
    }

    fn handle_event(&mut self, event: Event) {
        match event {
            // The held value is dropped at the end of this arm: then the next message may come.
            Event::Said(text, _held) => self.handle_message(&text),
            Event::Started(key, outcome) => self.server_started(key, outcome),
            Event::Gone(key, why) => self.server_gone(&key, &why),
            Event::Again(request) => self.route_request(request),
            Event::Later(request) => self.ask_later(request),
            Event::FromMap(request) => self.ask_map(request),
            Event::NoProject(key, why, request) => self.without_project(key, &why, request),
            Event::Judge(uri, after) => drop(self.to_judge.insert(uri, Instant::now() + after)),
            Event::JudgeAll(key) => self.judge_all_soon(&key),
            Event::Notice(root, notice) => self.handle_notice(&root, notice),
            Event::End => {}
        }
    }

    fn handle_message(&mut self, text: &str) {
        match Incoming::parse(text.as_bytes()) {
            Ok(Incoming::Request { id, method, params }) => {
                self.handle_request(EditorRequest::new(id, method, params));
            }
            Ok(Incoming::Notification { method, params }) => {
                self.handle_notification(&method, params.as_deref());
            }
            Ok(Incoming::Response { id, outcome }) => self.editor_session.handle_reply(id.as_ref(), outcome),
            Err(why) => {
                tracing::warn!(why, "a message of an editor is not JSON-RPC");
                // A request without an answer would make the editor wait.
                if let Some(id) = IdScan::find_id(text.as_bytes()) {
                    self.editor_session.refuse_unread(&id, &why);
                }
            }
        }
    }

    fn handle_request(&mut self, request: EditorRequest) {
        let is_one_too_many = self.editor_session.is_full();
        if !self.editor_session.begin(&request.id) {
            tracing::warn!(id = %request.id, "an editor has used the number of a request twice");
            return;
        }
        if is_one_too_many {
            return self.editor_session.refuse_flood(&request.id);
        }
        let invalid = |words: &str| ResponseError::new(codes::INVALID_REQUEST, words);
        match (self.phase, request.method.as_str()) {
            (Phase::New, "initialize") => self.begin(&request),
            (Phase::New, _) => {
                let error = ResponseError::new(codes::SERVER_NOT_INITIALIZED, "`initialize` comes first");
                self.editor_session.refuse_request(&request.id, &error);
            }
            (Phase::Served, "initialize") => {
                self.editor_session.refuse_request(&request.id, &invalid("`initialize` comes once"));
            }
            (_, "shutdown") => {
                self.phase = Phase::Leaving;
                self.editor_session.answer_raw(&request.id, "null");
            }
            (Phase::Leaving, _) => {
                self.editor_session.refuse_request(&request.id, &invalid("`shutdown` has come"));
            }
            (Phase::Served, _) => self.route_request(request),
        }
    }

    /// Returns the overlay of a project, and joins it if needed.
    fn join_view(&mut self, root: &AbsPath) -> Arc<ProjectOverlay> {
        if let Some(view) = self.views.get(root) {
            return Arc::clone(view);
        }
        let view = self.host.live().pool().overlay_of(root);
        let (to, root_of) = (Arc::downgrade(&self.editor_session), root.clone());
        let on_notice = move |notice| {
            to.upgrade()
                .inspect(|editor_session| editor_session.post_event(Event::Notice(root_of.clone(), notice)));
        };
        view.join(self.editor_session.editor, self.name.clone(), Arc::new(on_notice));
        self.views.insert(root.clone(), Arc::clone(&view));
        view
    }
}
