//! Relays messages between the editor and the daemon; when the daemon goes, another one gets the editor's earlier
//! messages again.
//!
//! One loop owns everything, and waits only for the next event: an editor that does not read holds up the daemon's
//! messages, but not its own, and the other way round. While a daemon is being reached, the editor's messages wait in
//! their order. Without a daemon, requests are answered with the reason, and messages that the next daemon needs are
//! kept.

use std::collections::VecDeque;
use std::process::ExitCode;
use std::time::Duration;

use hob_client::{Connection, FromDaemon, Lost};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::time::Instant;

use crate::asked::{DaemonRequests, EditorAnswer};
use crate::greeting::Additions;
use crate::json;
use crate::link::{DaemonLink, LinkEvent, Linking};
use crate::message::{self, EditorMessage, Head, KnownNotification, RequestMethod};
use crate::replay::{Replay, unavailable_answer};
use crate::stdio::{Incoming, Input, Output};

/// Most bytes of the editor's messages that may wait for a daemon; beyond that the editor itself waits.
const WAITING: usize = 64 * 1024 * 1024;
/// Time for the editor to read the last messages.
const PARTING: Duration = Duration::from_secs(1);

/// The end of an editor's session, which decides the exit code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum End {
    /// The editor sent `exit`, or is gone, after `shutdown`.
    Orderly,
    /// The session ended without a `shutdown`.
    Abrupt,
}

impl From<End> for ExitCode {
    /// Converts the end to the exit code that LSP demands.
    fn from(end: End) -> Self {
        match end {
            End::Orderly => Self::SUCCESS,
            End::Abrupt => Self::FAILURE,
        }
    }
}

/// The session of one editor, with its link to the daemon.
pub(crate) struct Relay<W> {
    output: Output<W>,
    linking: Linking,
    link: DaemonLink,
    /// The editor's messages since the last daemon was lost.
    waiting: VecDeque<(EditorMessage, String)>,
    waiting_bytes: usize,
    replay: Replay,
    asked: DaemonRequests,
    additions: Additions,
    /// The reason why there is no daemon; the user has been told.
    why_down: Option<String>,
    shut_down: bool,
    /// The `shutdown` request that the daemon has not answered.
    shutting_down: Option<String>,
}

enum RelayEvent {
    Said(Incoming),
    Heard(LinkEvent),
    Written(std::io::Result<()>),
}

impl<W: AsyncWrite + Unpin> Relay<W> {
    /// Creates a session that is connecting.
    pub(crate) fn new(output: Output<W>, mut linking: Linking, additions: Additions) -> Self {
        Self {
            output,
            link: linking.begin(),
            linking,
            waiting: VecDeque::new(),
            waiting_bytes: 0,
            replay: Replay::default(),
            asked: DaemonRequests::default(),
            additions,
            why_down: None,
            shut_down: false,
            shutting_down: None,
        }
    }

    /// Serves the editor until it is gone.
    pub(crate) async fn run<R: AsyncRead + Unpin>(mut self, mut input: Input<R>) -> End {
        loop {
            let over = match self.next(&mut input).await {
                RelayEvent::Said(Incoming::Message(message)) => self.handle_editor_message(message),
                RelayEvent::Said(Incoming::MessageError(wrong)) => {
                    self.output.push(&message::error(wrong.id.as_deref(), &wrong));
                    false
                }
                RelayEvent::Heard(news) => {
                    self.handle_news(news);
                    false
                }
                RelayEvent::Written(written) => written.is_err(),
                RelayEvent::Said(Incoming::End) => true,
            };
            if over {
                break;
            }
        }
        let _ = tokio::time::timeout(PARTING, self.output.flush()).await;
        if self.shut_down { End::Orderly } else { End::Abrupt }
    }

    async fn next<R: AsyncRead + Unpin>(&mut self, input: &mut Input<R>) -> RelayEvent {
        let connection = self.link.connection().cloned();
        let (idle, full) = (self.output.is_idle(), self.output.is_full());
        let has_room = self.waiting_bytes < WAITING;
        let said = async {
            if let Some(connection) = &connection {
                connection.wait_for_room().await;
            }
            input.next().await
        };
        tokio::select! {
            written = self.output.flush(), if !idle => RelayEvent::Written(written),
            news = self.link.next(), if !full => RelayEvent::Heard(news),
            said = said, if has_room => RelayEvent::Said(said),
        }
    }

    /// Handles a message of the editor. Returns true at the end.
    fn handle_editor_message(&mut self, message: String) -> bool {
        let said = match EditorMessage::read(&message) {
            Ok(said) => said,
            Err(wrong) => {
                self.output.push(&message::error(wrong.id.as_deref(), &wrong));
                return false;
            }
        };
        match &said {
            EditorMessage::Notification(KnownNotification::Exit) => {
                self.exit();
                return true;
            }
            EditorMessage::Request(id, RequestMethod::Shutdown) => self.shut_down(id),
            EditorMessage::Answer(id) => {
                self.pass_answer(id, message);
                return false;
            }
            _ => {}
        }
        let message = match said {
            EditorMessage::Request(_, RequestMethod::Initialize) => self.additions.add_to(message),
            _ => message,
        };
        match &self.link {
            DaemonLink::Up(connection, _) => {
                let connection = connection.clone();
                self.send(&connection, said, message);
            }
            DaemonLink::Reaching(_) => self.wait(said, message),
            DaemonLink::Down(until) => {
                let wants_daemon =
                    matches!(&said, EditorMessage::Request(_, asking) if *asking != RequestMethod::Shutdown);
                if wants_daemon && Instant::now() >= *until {
                    self.link = self.linking.begin();
                    self.wait(said, message);
                } else {
                    self.refuse_message(said, message);
                }
            }
        }
        false
    }

    fn send(&mut self, connection: &Connection, said: EditorMessage, message: String) {
        if let Err(lost) = connection.send_lsp(&message)
            && lost.too_large
        {
            if let EditorMessage::Request(id, asking) = said {
                self.output.push(&unavailable_answer(&id, asking, &lost.reason));
            }
            return;
        }
        // If the connection is gone, its inbox reports it, and the message is sent again.
        self.replay.keep(said, message);
    }

    fn wait(&mut self, said: EditorMessage, message: String) {
        if let EditorMessage::Request(id, RequestMethod::Shutdown) = &said {
            // No daemon need be asked, and the editor waits for nothing else.
            self.output.push(&message::null_answer(id));
            self.shutting_down = None;
            return;
        }
        self.waiting_bytes += message.len();
        self.waiting.push_back((said, message));
    }

    /// Handles a message while there is no daemon.
    fn refuse_message(&mut self, said: EditorMessage, message: String) {
        let reason = self.why_down.as_deref().unwrap_or("hob: the daemon cannot be reached");
        match said {
            EditorMessage::Request(id, asking) => {
                self.output.push(&unavailable_answer(&id, asking, reason));
                self.shutting_down.take_if(|shutdown| *shutdown == id);
            }
            said => self.replay.keep(said, message),
        }
    }

    fn shut_down(&mut self, id: &str) {
        self.shut_down = true;
        self.shutting_down = Some(id.to_owned());
    }

    fn exit(&mut self) {
        if let Some(id) = self.shutting_down.take() {
            self.output.push(&message::null_answer(&id));
        }
    }

    fn pass_answer(&mut self, id: &str, message: String) {
        let answer = match self.asked.note_answer(id, &message) {
            EditorAnswer::Pass => message,
            EditorAnswer::Changed(answer) => answer,
            EditorAnswer::Swallow => return,
        };
        if let Some(connection) = self.link.connection() {
            // A daemon that is gone needs no answer.
            let _ = connection.send_lsp(&answer);
        }
    }

    fn handle_news(&mut self, news: LinkEvent) {
        match news {
            LinkEvent::Message(FromDaemon::Message(message)) => self.pass_to_editor(&message),
            LinkEvent::Message(FromDaemon::Keep { uri, changes, open }) => {
                self.replay.replace(&uri, changes, open);
            }
            LinkEvent::Lost(lost) => self.handle_loss(&lost),
            LinkEvent::Reached(Ok((connection, inbox))) => {
                self.linking.note_standing();
                self.why_down = None;
                self.link = DaemonLink::Up(connection.clone(), inbox);
                self.resume_session(&connection);
            }
            LinkEvent::Reached(Err(reason)) => self.note_no_daemon(reason),
        }
    }

    fn pass_to_editor(&mut self, message: &str) {
        let head = Head::read_head(message);
        if head.method.is_some() {
            let changed = self.asked.note_request(&head, message);
            self.output.push(changed.as_deref().unwrap_or(message));
            return;
        }
        if let Some(id) = head.id {
            self.shutting_down.take_if(|shutdown| *shutdown == id);
            if !self.replay.note_answer(&id, head.failed) {
                return;
            }
        }
        self.output.push(message);
    }

    fn handle_loss(&mut self, lost: &Lost) {
        tracing::info!(%lost, orderly = lost.orderly, "the daemon is gone");
        let mut all = self.asked.messages_after_loss();
        all.extend(self.replay.note_loss(lost.orderly));
        all.iter().for_each(|message| self.output.push(message));
        // The shutdown under way has just been answered.
        self.shutting_down = None;
        self.link = self.linking.link_again(lost.orderly);
    }

    fn resume_session(&mut self, connection: &Connection) {
        if let Some(message) = self.asked.unregistration() {
            self.output.push(&message);
        }
        for message in self.replay.messages_to_repeat() {
            // If the connection is gone already, its inbox reports it.
            let _ = connection.send_lsp(&message);
        }
        self.waiting_bytes = 0;
        for (said, message) in std::mem::take(&mut self.waiting) {
            self.send(connection, said, message);
        }
    }

    fn note_no_daemon(&mut self, reason: String) {
        self.link = self.linking.pause_link();
        if self.why_down.is_none() {
            let params = format!(r#"{{"type":1,"message":{}}}"#, json::text(&reason));
            self.output.push(&message::notification("window/showMessage", &params));
        }
        self.replay.give_up(&reason).iter().for_each(|answer| self.output.push(answer));
        self.why_down = Some(reason);
        self.waiting_bytes = 0;
        for (said, message) in std::mem::take(&mut self.waiting) {
            self.refuse_message(said, message);
        }
    }
}
