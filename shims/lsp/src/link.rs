//! Holds the link to the present daemon: connected, being reached, or down.

use std::pin::Pin;
use std::time::Duration;

use hob_client::{Client, Connection, FromDaemon, Inbox, Lost, Settings, Unavailable};
use tokio::time::Instant;

/// The lowest protocol version with messages of editors.
const PROTOCOL: u32 = 2;
/// Duration from which a connection counts as good.
const GOOD: Duration = Duration::from_secs(30);
/// Longest pause before the next attempt, while requests are refused.
const LONGEST_PAUSE: Duration = Duration::from_secs(10);
/// Longest pause before the next attempt, while requests wait for it.
const LONGEST_WAIT: Duration = Duration::from_secs(3);

/// The state of the connection to the daemon.
pub(crate) enum DaemonLink {
    /// The connection stands, with its inbox.
    Up(Connection, Inbox),
    /// A daemon is being reached, or started.
    Reaching(Pin<Box<dyn Future<Output = Reached>>>),
    /// There is no daemon, and until this time no attempt is made.
    Down(Instant),
}

/// The outcome of an attempt: a connection, or the reason for people why there is none.
pub(crate) type Reached = Result<(Connection, Inbox), String>;

/// An event of the link.
pub(crate) enum LinkEvent {
    /// A message for the editor.
    Message(FromDaemon),
    /// The daemon is gone.
    Lost(Lost),
    /// An attempt has succeeded or failed.
    Reached(Reached),
}

impl DaemonLink {
    /// Waits for the next event; for ever while there is no connection and no attempt. Dropping the future loses
    /// nothing.
    pub(crate) async fn next(&mut self) -> LinkEvent {
        match self {
            Self::Up(_, inbox) => match inbox.next().await {
                Ok(message) => LinkEvent::Message(message),
                Err(lost) => LinkEvent::Lost(lost),
            },
            Self::Reaching(reaching) => LinkEvent::Reached(reaching.await),
            Self::Down(_) => std::future::pending().await,
        }
    }

    /// Returns the connection, if there is one.
    pub(crate) fn connection(&self) -> Option<&Connection> {
        match self {
            Self::Up(connection, _) => Some(connection),
            Self::Reaching(_) | Self::Down(_) => None,
        }
    }
}

/// Makes links, with growing pauses while they do not last.
pub(crate) struct Linking {
    client: Result<Client, Unavailable>,
    /// Number of failed attempts and short connections in a row.
    bad: u32,
    since: Instant,
}

impl Linking {
    /// Creates links for an editor, by these settings.
    pub(crate) fn new(settings: Result<Settings, Unavailable>) -> Self {
        Self { client: settings.map(Client::new), bad: 0, since: Instant::now() }
    }

    /// Begins an attempt.
    pub(crate) fn begin(&mut self) -> DaemonLink {
        DaemonLink::Reaching(Box::pin(reach_daemon(self.client.clone(), Duration::ZERO)))
    }

    /// Records that the link stands.
    pub(crate) fn note_standing(&mut self) {
        self.since = Instant::now();
    }

    /// Begins another attempt after a loss. The first one begins at once, so that the editor notices little of a
    /// restart.
    pub(crate) fn link_again(&mut self, orderly: bool) -> DaemonLink {
        if orderly || self.since.elapsed() > GOOD {
            self.bad = 0;
        }
        let pause = wait_before_next(self.bad, self.since.elapsed());
        self.bad += 1;
        DaemonLink::Reaching(Box::pin(reach_daemon(self.client.clone(), pause)))
    }

    /// Pauses attempts for a while, because there is no daemon.
    pub(crate) fn pause_link(&mut self) -> DaemonLink {
        self.bad += 1;
        DaemonLink::Down(Instant::now() + growing_pause(self.bad))
    }
}

fn growing_pause(bad: u32) -> Duration {
    (Duration::from_millis(100) * 2u32.saturating_pow(bad.min(10))).min(LONGEST_PAUSE)
}

/// Returns the pause after the loss of a connection, from the number of bad ones before it and its duration. The pause
/// keeps an editor whose session crashes daemons from doing so without rest, and the duration of the connection counts
/// as rest as well. Other clients may have had a new daemon for long, so this editor must not wait as long as one
/// without any daemon.
fn wait_before_next(bad: u32, lasted: Duration) -> Duration {
    if bad == 0 {
        return Duration::ZERO;
    }
    growing_pause(bad).saturating_sub(lasted).min(LONGEST_WAIT)
}

async fn reach_daemon(client: Result<Client, Unavailable>, pause: Duration) -> Reached {
    if !pause.is_zero() {
        tokio::time::sleep(pause).await;
    }
    let client = client.map_err(|error| failure_words(&error))?;
    let connection = client.connection().await.map_err(|error| failure_words(&error))?;
    let server = connection.server();
    tracing::info!(?server, "connected");
    if server.protocol < PROTOCOL {
        let version = &server.build.version;
        return Err(format!(
            "the running hob daemon ({version}) is too old to serve editors: `hob stop` ends it"
        ));
    }
    let inbox = connection.open_inbox();
    Ok((connection, inbox))
}

/// Returns the reason why there is no daemon, with the next step.
fn failure_words(error: &Unavailable) -> String {
    tracing::warn!(%error, "no daemon");
    let error = error.to_tool_error();
    let hint = if error.hint.is_empty() { String::new() } else { format!(" ({})", error.hint) };
    format!("hob: {}{hint}", error.message)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_editor_does_not_wait_long_for_a_daemon_that_others_have() {
        let wait = |bad, lasted| wait_before_next(bad, Duration::from_millis(lasted));
        assert_eq!(wait(0, 0), Duration::ZERO, "the first restart is not noticed");
        assert_eq!(wait(1, 0), Duration::from_millis(200));
        assert_eq!(wait(2, 100), Duration::from_millis(300));
        assert_eq!(wait(40, 0), LONGEST_WAIT, "however often it was lost");
        assert_eq!(wait(40, 12_000), Duration::ZERO, "a daemon that lasted so long was rest enough");
    }
}
