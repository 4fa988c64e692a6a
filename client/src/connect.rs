//! One attempt to reach a running daemon: check the folder, connect, shake hands. Starts nothing and waits for nobody but
//! the daemon's first word.

use std::io;
use std::sync::Arc;
use std::time::{Duration, Instant};

use hob_proto::frame::{self, FrameError};
use hob_proto::transport::{self, Reader, Stream, Writer};
use hob_proto::{Build, ClientMessage, Welcome, private_dir};

use crate::connection::{Connection, Server};
use crate::locks::{daemon_is_gone, pid_in};
use crate::settings::Settings;
use crate::unavailable::Unavailable;

/// What an attempt found.
#[derive(Debug)]
pub enum Reached {
    /// A daemon that serves this client.
    Serving(Connection),
    /// Nobody listens.
    Nobody,
    /// A daemon on its way out: it said so, or it ended while we shook hands.
    Leaving,
    /// A daemon that does not serve this client.
    Refusing(Refusal),
}

/// A daemon's refusal.
#[derive(Debug)]
pub struct Refusal {
    /// The daemon's build.
    pub build: Build,
    /// Its reason.
    pub reason: String,
    reader: Reader,
    writer: Writer,
}

impl Refusal {
    /// Asks the daemon to make room all the same; a daemon too old to serve us still understands that.
    pub(crate) async fn ask_to_retire(mut self, reason: &str) {
        let message = ClientMessage::Retire { reason: reason.to_owned() };
        if frame::write(&mut self.writer, &message).await.is_ok() {
            // It closes the connection once it has understood.
            let _ = frame::read_body(&mut self.reader).await;
        }
    }
}

/// Tries once.
///
/// # Errors
/// [`Unavailable`] when there is a daemon, or something in its place, that cannot be talked to.
pub async fn connect(settings: &Settings) -> Result<Reached, Unavailable> {
    let socket = &settings.places.socket;
    if cfg!(unix)
        && let Some(folder) = socket.parent()
        && !private_dir::check(folder)?
    {
        return Ok(Reached::Nobody);
    }
    let stream = match transport::connect(socket).await {
        Ok(stream) => stream,
        Err(error) if nobody_listens(&error) => return Ok(Reached::Nobody),
        // The queue of connections is full: a daemon is there, and very busy or just about to go.
        Err(error) if error.kind() == io::ErrorKind::WouldBlock => return Ok(Reached::Leaving),
        Err(source) => {
            return Err(Unavailable::Connect { socket: socket.clone(), source: Arc::new(source) });
        }
    };
    match tokio::time::timeout(settings.patience.welcome, shake_hands(settings, stream)).await {
        Ok(reached) => reached,
        Err(_) => {
            let problem =
                format!("did not answer a greeting within {} s", settings.patience.welcome.as_secs());
            Err(Unavailable::NotAnswering { pid: pid_in(&settings.places.daemon_lock()), problem })
        }
    }
}

fn nobody_listens(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::ConnectionRefused)
}

async fn shake_hands(settings: &Settings, stream: Stream) -> Result<Reached, Unavailable> {
    let (mut reader, mut writer) = stream.split();
    if frame::write(&mut writer, &settings.hello()).await.is_err() {
        return Ok(Reached::Leaving);
    }
    match frame::read::<Welcome>(&mut reader).await {
        Ok(Welcome::Accepted { protocol, build, pid, notice }) => {
            let server = Server { protocol, build, pid, notice };
            Ok(Reached::Serving(Connection::start(server, reader, writer)))
        }
        Ok(Welcome::Refused { retiring: true, .. }) => Ok(Reached::Leaving),
        Ok(Welcome::Refused { build, reason, .. }) => {
            Ok(Reached::Refusing(Refusal { build, reason, reader, writer }))
        }
        Err(FrameError::Closed | FrameError::Io(_)) => Ok(Reached::Leaving),
        Err(error) => {
            let problem = format!("greets in a way this client does not understand ({error})");
            Err(Unavailable::NotAnswering { pid: pid_in(&settings.places.daemon_lock()), problem })
        }
    }
}
/// Waits until the daemon of process `pid` has ended, saving included, but no longer than `patience`; whether it has. Another one may
/// have taken its place by then: editors do not wait for the next question.
///
/// # Errors
/// [`Unavailable`] when its lock cannot be looked at.
pub async fn gone(settings: &Settings, pid: u32, patience: Duration) -> Result<bool, Unavailable> {
    let until = Instant::now() + patience;
    loop {
        let lock = settings.places.daemon_lock();
        let gone = daemon_is_gone(&lock)? || pid_in(&lock).is_some_and(|other| other != pid);
        if gone || Instant::now() >= until {
            return Ok(gone);
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}
