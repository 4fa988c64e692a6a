//! Serves connections: handshake, calls, back-pressure, goodbye.
//!
//! [`Sessions`] is the state that all connections share, and the interface of the lifecycle to them;
//! [`Sessions::serve`] serves one connection from its first byte to its last. Calls run on blocking threads
//! through [`Calls`]; nothing here knows a tool. A misbehaving client ends at most its own connection, and
//! its memory here is limited.

mod calls;
mod connection;
mod editor;
mod flight;
mod goodbye;
mod handshake;
mod incoming;
mod outbox;
mod progress;
mod registry;
mod status;

use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use hob_proto::message::Event;
use hob_proto::transport::Stream;
use hob_proto::{Build, ServerMessage, frame};
use tokio::sync::{Semaphore, mpsc, watch};

use flight::CallsInFlight;
use hob_calls::Calls;
use registry::Registry;

/// The limits of the resources that a client may use.
#[derive(Clone, Copy, Debug)]
pub struct ClientLimits {
    /// Most connections at once, of all clients.
    pub clients: usize,
    /// Calls of one client that run at once; more are queued.
    pub running_per_client: usize,
    /// Calls of all clients that run at once.
    pub running: usize,
    /// Calls of one client, running or queued; one more ends its connection.
    pub calls_per_client: usize,
    /// Bytes of one client's calls that are not answered yet.
    pub call_bytes_per_client: usize,
    /// Bytes of one message of a client that is no editor.
    pub question_bytes: usize,
    /// KiB of all clients' messages that arrive or are not yet handled; beyond that a client with a large one
    /// waits.
    pub messages_kib: usize,
    /// Longest wait of a client with a large message for room, and longest time for it to send the message
    /// then.
    pub message_time: Duration,
    /// KiB of an editor's messages that are not yet handled; beyond that its connection is not read.
    pub editor_kib: usize,
    /// Connections that have not yet greeted; one more is refused.
    pub newcomers: usize,
    /// Bytes that wait for one client to read them.
    pub unread_bytes: usize,
    /// Messages that wait for one client to read them.
    pub unread_messages: usize,
    /// Longest time for a call.
    pub call_time: Duration,
    /// Longest wait for a client's first message.
    pub hello_time: Duration,
}

impl Default for ClientLimits {
    fn default() -> Self {
        Self {
            clients: 1_024,
            running_per_client: 32,
            running: 128,
            calls_per_client: 1_024,
            call_bytes_per_client: 2 * frame::MAX_FRAME,
            question_bytes: frame::MAX_QUESTION,
            messages_kib: 2 * frame::MAX_FRAME / 1024,
            message_time: Duration::from_secs(30),
            editor_kib: frame::MAX_FRAME / 1024,
            newcomers: 1_024,
            unread_bytes: 16 * 1024 * 1024,
            unread_messages: 8_192,
            call_time: Duration::from_secs(60 * 60),
            hello_time: Duration::from_secs(10),
        }
    }
}

/// An order of a client that concerns the whole process.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ProcessOrder {
    /// A newer build wants to serve; the text is its reason.
    Retire(String),
    /// The user stops the daemon.
    Shutdown,
}

/// All connections of this daemon.
pub struct Sessions {
    calls: Arc<dyn Calls>,
    build: Build,
    /// The program that a service manager starts after this daemon.
    successor: Option<PathBuf>,
    limits: ClientLimits,
    started: Instant,
    running: Arc<Semaphore>,
    newcomers: Arc<Semaphore>,
    /// Room for large messages, in KiB.
    messages: Arc<Semaphore>,
    flight: CallsInFlight,
    registry: Registry,
    orders: mpsc::UnboundedSender<ProcessOrder>,
}

impl Sessions {
    /// Creates the state without a connection. Clients' orders go to `orders`.
    #[must_use]
    pub fn new(
        calls: Arc<dyn Calls>,
        build: Build,
        limits: ClientLimits,
        orders: mpsc::UnboundedSender<ProcessOrder>,
    ) -> Self {
        Self {
            calls,
            build,
            successor: None,
            limits,
            started: Instant::now(),
            running: Arc::new(Semaphore::new(limits.running)),
            newcomers: Arc::new(Semaphore::new(limits.newcomers)),
            messages: Arc::new(Semaphore::new(limits.messages_kib)),
            flight: CallsInFlight::new(),
            registry: Registry::new(),
            orders,
        }
    }

    /// Sets the program that a service manager starts after this daemon, for the welcome of clients.
    #[must_use]
    pub fn followed_by(self, successor: Option<PathBuf>) -> Self {
        Self { successor, ..self }
    }

    /// Serves one connection to its end. Dropping the future ends it without a goodbye.
    pub fn serve(self: Arc<Self>, stream: Stream) -> impl Future<Output = ()> + Send + use<> {
        // The place is taken before the future first runs, so that places follow the order of connections.
        let place = Arc::clone(&self.newcomers).try_acquire_owned();
        async move {
            let (mut reader, writer) = stream.split();
            let Ok(place) = place else {
                return handshake::turn_away(&self, writer).await;
            };
            let greeted = handshake::greet(&self, &mut reader, writer).await;
            drop(place);
            if let Some((guest, writer)) = greeted {
                connection::run(&self, &guest, reader, writer).await;
            }
        }
    }

    /// Returns the number of connected clients, as a value that follows every change.
    #[must_use]
    pub fn watch_client_count(&self) -> watch::Receiver<usize> {
        self.registry.count()
    }

    /// Returns the tools that run the calls.
    #[must_use]
    pub fn calls(&self) -> &Arc<dyn Calls> {
        &self.calls
    }

    /// Sends an event to every client.
    pub fn announce_event(&self, event: Event) {
        if let Ok(frame) = frame::encode(&ServerMessage::Event(event)) {
            self.registry.for_each_session(|session| session.outbox.push_optional(frame.clone()));
        }
    }
}
