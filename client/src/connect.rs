//! Makes one attempt to reach a running daemon: checks the folder, connects, shakes hands. It starts nothing and waits
//! only for the daemon's first message. Where a service manager listens for the daemon, connecting makes the manager
//! start it; a caller that only wants to know whether one runs asks [`is_running`] first.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use hob_proto::frame::{self, FrameError};
use hob_proto::transport::{self, Stream};
use hob_proto::{Build, ClientMessage, Hello, Welcome, private_dir};

use crate::connection::{ConnectedDaemon, Connection, DaemonReader, DaemonWriter};
use crate::locks::{daemon_is_gone, pid_in};
use crate::settings::Settings;
use crate::unavailable::Unavailable;

/// The outcome of one attempt to connect.
#[derive(Debug)]
pub enum Reached {
    /// A daemon that serves this client.
    Serving(Connection),
    /// Nobody listens on the socket.
    Nobody,
    /// A daemon on its way out: it said so, or it ended during the handshake.
    Leaving,
    /// A daemon that does not serve this client.
    Refusing(Refusal),
}

/// The refusal of a daemon that does not serve this client.
pub struct Refusal {
    /// The build of the refusing daemon.
    pub build: Build,
    /// The daemon's reason, as a sentence for people.
    pub reason: String,
    /// The program that a service manager starts after this daemon has ended.
    pub successor: Option<PathBuf>,
    reader: DaemonReader,
    writer: DaemonWriter,
}

impl std::fmt::Debug for Refusal {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Refusal")
            .field("build", &self.build)
            .field("reason", &self.reason)
            .finish_non_exhaustive()
    }
}

impl Refusal {
    /// Asks the daemon to make room all the same; a daemon too old to serve this client still understands that.
    pub(crate) async fn ask_to_retire(mut self, reason: &str) {
        let message = ClientMessage::Retire { reason: reason.to_owned() };
        if frame::write(&mut self.writer, &message).await.is_ok() {
            // The daemon closes the connection once it has understood.
            let _ = frame::read_body(&mut self.reader).await;
        }
    }
}

/// Makes one attempt to connect.
///
/// # Errors
/// [`Unavailable`] when a daemon, or something in its place, does not talk.
pub async fn connect(settings: &Settings) -> Result<Reached, Unavailable> {
    match find_listener(settings).await? {
        Listening::There(stream) => first_word(settings, stream).await,
        Listening::Nobody => Ok(Reached::Nobody),
        Listening::Leaving => Ok(Reached::Leaving),
    }
}

/// Connects to the daemon without a message, for callers that let another program greet it; `None` when there is no
/// daemon.
///
/// # Errors
/// The errors of [`connect`].
pub(crate) async fn open_stream(settings: &Settings) -> Result<Option<Stream>, Unavailable> {
    match find_listener(settings).await? {
        Listening::There(stream) => Ok(Some(stream)),
        Listening::Nobody | Listening::Leaving => Ok(None),
    }
}

/// The result of opening the socket.
enum Listening {
    There(Stream),
    Nobody,
    Leaving,
}

async fn find_listener(settings: &Settings) -> Result<Listening, Unavailable> {
    let socket = &settings.places.socket;
    if cfg!(unix)
        && let Some(folder) = socket.parent()
        && !private_dir::check(folder)?
    {
        return Ok(Listening::Nobody);
    }
    let stream = match transport::connect(socket).await {
        Ok(stream) => stream,
        Err(error) if nobody_listens(&error) => return Ok(Listening::Nobody),
        // The queue of connections is full: a daemon exists, and is very busy or about to go.
        Err(error) if error.kind() == io::ErrorKind::WouldBlock => return Ok(Listening::Leaving),
        Err(source) => {
            return Err(Unavailable::Connect { socket: socket.clone(), source: Arc::new(source) });
        }
    };
    // Either another user's program listens, which must get no message, or one daemon has just replaced another.
    match stream.check_server(pid_in(&settings.places.daemon_lock())) {
        Ok(()) => Ok(Listening::There(stream)),
        Err(_) => Ok(Listening::Leaving),
    }
}

/// Returns true if a daemon runs, ready or not: some process holds its lock.
///
/// # Errors
/// [`Unavailable`] when the lock cannot be checked.
pub fn is_running(settings: &Settings) -> Result<bool, Unavailable> {
    daemon_is_gone(&settings.places.daemon_lock()).map(|is_gone| !is_gone)
}

/// Returns the daemon's answer to a greeting. A connection that a service manager accepted waits until the daemon has
/// started, which may take as long as any start.
async fn first_word(settings: &Settings, stream: Stream) -> Result<Reached, Unavailable> {
    let patience = &settings.patience;
    let since = Instant::now();
    let mut greeting = std::pin::pin!(shake_hands(settings, stream));
    loop {
        match tokio::time::timeout(patience.welcome, &mut greeting).await {
            Ok(reached) => return reached,
            Err(_) if since.elapsed() < patience.ready && is_starting(settings)? => {}
            Err(_) => return Err(silence_error(settings, since.elapsed())),
        }
    }
}

/// Returns true if there is no daemon yet, or only one that is younger than the longest start.
fn is_starting(settings: &Settings) -> Result<bool, Unavailable> {
    if !is_running(settings)? {
        return Ok(true);
    }
    // The first act of a daemon is to write its process ID into its lock.
    let signed = std::fs::metadata(settings.places.daemon_lock()).and_then(|meta| meta.modified());
    let age = signed.ok().and_then(|signed| signed.elapsed().ok());
    Ok(age.is_some_and(|age| age < settings.patience.ready))
}

fn silence_error(settings: &Settings, waited: Duration) -> Unavailable {
    let seconds = waited.as_secs();
    match is_running(settings) {
        Ok(false) => {
            let problem = format!(
                "was not started within {seconds} s by the service that listens for it; `hob service status` tells more, \
                 and `hob service stop` has hob's programs start it themselves"
            );
            Unavailable::NotAnswering { pid: None, problem }
        }
        _ => {
            let problem = format!("did not answer a greeting within {seconds} s");
            Unavailable::NotAnswering { pid: pid_in(&settings.places.daemon_lock()), problem }
        }
    }
}

fn nobody_listens(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::ConnectionRefused)
}

async fn shake_hands(settings: &Settings, stream: Stream) -> Result<Reached, Unavailable> {
    let (reader, writer) = stream.split();
    match exchange_greetings(&settings.hello(), Box::new(reader), Box::new(writer)).await {
        Ok(GreetedDaemon::Accepting { mut server, reader, writer }) => {
            let left = || left_behind(settings, &server.build, server.successor.as_deref());
            server.notice = server.notice.clone().or_else(left);
            Ok(Reached::Serving(Connection::start(server, reader, writer, None)))
        }
        Ok(GreetedDaemon::Leaving) => Ok(Reached::Leaving),
        Ok(GreetedDaemon::Refusing(refusal)) => Ok(Reached::Refusing(refusal)),
        Err(problem) => {
            Err(Unavailable::NotAnswering { pid: pid_in(&settings.places.daemon_lock()), problem })
        }
    }
}

/// A daemon's answer to a greeting.
pub(crate) enum GreetedDaemon {
    /// It serves this client over these streams.
    Accepting { server: ConnectedDaemon, reader: DaemonReader, writer: DaemonWriter },
    /// It is on its way out.
    Leaving,
    /// It does not serve this client.
    Refusing(Refusal),
}

/// Greets the daemon at the other end of two streams.
///
/// # Errors
/// The problem in words after "the daemon", when its answer cannot be understood.
pub(crate) async fn exchange_greetings(
    hello: &Hello,
    mut reader: DaemonReader,
    mut writer: DaemonWriter,
) -> Result<GreetedDaemon, String> {
    if frame::write(&mut writer, hello).await.is_err() {
        return Ok(GreetedDaemon::Leaving);
    }
    match frame::read::<Welcome>(&mut reader).await {
        Ok(Welcome::Accepted { protocol, build, pid, notice, successor }) => {
            let server = ConnectedDaemon { protocol, build, pid, notice, successor };
            Ok(GreetedDaemon::Accepting { server, reader, writer })
        }
        Ok(Welcome::Refused { retiring: true, .. }) => Ok(GreetedDaemon::Leaving),
        Ok(Welcome::Refused { build, reason, successor, .. }) => {
            Ok(GreetedDaemon::Refusing(Refusal { build, reason, successor, reader, writer }))
        }
        Err(FrameError::Closed | FrameError::Io(_)) => Ok(GreetedDaemon::Leaving),
        Err(error) => Err(format!("greets in a way this client does not understand ({error})")),
    }
}

/// Returns true if the daemon that this client would start should take the place of the running one. A program that
/// this client cannot see cannot replace another, and one with the same date is the same program: replacing it by
/// itself would never end. Where a service manager starts the next daemon, the manager's program must be another one
/// than the running one, or the replacement would change nothing.
pub(crate) fn should_replace(ours: &Build, running: &Build, successor: Option<&Path>) -> bool {
    is_older(ours, running) && successor.is_none_or(|program| is_another(program, running))
}

fn is_older(ours: &Build, running: &Build) -> bool {
    ours.stamp != 0 && ours.stamp != running.stamp && ours.is_newer_than(running)
}

fn is_another(program: &Path, running: &Build) -> bool {
    let there = Build::from_executable(program);
    there.stamp != 0 && there.stamp != running.stamp
}

/// Returns the notice about a daemon that should be replaced and cannot be, because the service would start the same
/// one again.
pub(crate) fn left_behind(settings: &Settings, running: &Build, successor: Option<&Path>) -> Option<String> {
    let program = successor?;
    let ours = settings.build();
    (is_older(&ours, running) && !is_another(program, running)).then(|| {
        format!(
            "the service runs an older hob ({}) from {}; `hob service install` makes it run the one of this program",
            running.version,
            program.display()
        )
    })
}

/// Waits until the daemon of process `pid` has ended, saving included, but no longer than `patience`; returns true if
/// it has. Another one may run in its place by then: editors do not wait for the next question.
///
/// # Errors
/// [`Unavailable`] when its lock cannot be checked.
pub async fn wait_until_gone(settings: &Settings, pid: u32, patience: Duration) -> Result<bool, Unavailable> {
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

#[cfg(test)]
mod tests {
    use super::*;

    fn build(version: &str, stamp: u64) -> Build {
        Build { version: version.into(), stamp }
    }

    #[test]
    fn a_daemon_is_replaced_only_by_a_newer_program_that_is_another() {
        let should_replace = |ours, running| should_replace(&ours, &running, None);
        assert!(should_replace(build("0.2.0", 5), build("0.1.0", 9)));
        assert!(should_replace(build("0.1.0", 9), build("0.1.0", 5)));
        assert!(!should_replace(build("0.1.0", 5), build("0.1.0", 9)));
        assert!(!should_replace(build("0.2.0", 5), build("0.1.0", 5)), "a new client beside an old daemon");
        assert!(!should_replace(build("0.2.0", 0), build("0.1.0", 5)), "there is no program to start");
    }

    #[test]
    fn a_services_daemon_is_replaced_only_if_the_service_would_start_another() {
        let dir = tempfile::tempdir().expect("a folder");
        let program = dir.path().join("hobd");
        std::fs::write(&program, "").expect("written");
        let there = Build::from_executable(&program).stamp;
        let ours = build("9.0.0", there + 5);
        assert!(!should_replace(&ours, &build("0.1.0", there), Some(&program)), "it is what runs");
        assert!(should_replace(&ours, &build("0.1.0", there - 1), Some(&program)), "it was written since");
        assert!(!should_replace(&ours, &build("0.1.0", there), Some(&dir.path().join("gone"))));
    }
}
