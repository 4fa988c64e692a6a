//! The way to whichever daemon there is: connected, on the way to one, or without any.

use std::pin::Pin;
use std::time::Duration;

use hob_client::{Client, Connection, FromDaemon, Inbox, Lost, Settings, Unavailable};
use tokio::time::Instant;

/// The protocol from which on daemons take messages of editors.
const PROTOCOL: u32 = 2;
/// A connection that lasted this long was a good one.
const GOOD: Duration = Duration::from_secs(30);
/// The longest pause before the next attempt, while requests are refused.
const LONGEST_PAUSE: Duration = Duration::from_secs(10);
/// The longest pause before the next attempt, while requests wait for it.
const LONGEST_WAIT: Duration = Duration::from_secs(3);

/// The state of the connection to the daemon.
pub(crate) enum DaemonLink {
    /// The connection stands, with its inbox.
    Up(Connection, Inbox),
    /// One is being reached, or started.
    Reaching(Pin<Box<dyn Future<Output = Reached>>>),
    /// There is none, and until then none is looked for.
    Down(Instant),
}

/// The outcome of reaching for a daemon: a connection, or the reason why there is none, for people.
pub(crate) type Reached = Result<(Connection, Inbox), String>;

/// An event of the link.
pub(crate) enum News {
    /// Something for the editor.
    Message(FromDaemon),
    /// The daemon is gone.
    Lost(Lost),
    /// One was reached, or not.
    Reached(Reached),
}

impl DaemonLink {
    /// Waits for the next event; forever, as long as nothing is under way. Dropping the future loses nothing.
    pub(crate) async fn next(&mut self) -> News {
        match self {
            Self::Up(_, inbox) => match inbox.next().await {
                Ok(message) => News::Message(message),
                Err(lost) => News::Lost(lost),
            },
            Self::Reaching(reaching) => News::Reached(reaching.await),
            Self::Down(_) => std::future::pending().await,
        }
    }

    /// The connection, if there is one.
    pub(crate) fn connection(&self) -> Option<&Connection> {
        match self {
            Self::Up(connection, _) => Some(connection),
            Self::Reaching(_) | Self::Down(_) => None,
        }
    }
}

/// Makes links, with pauses that grow while they do not hold.
pub(crate) struct Linking {
    client: Result<Client, Unavailable>,
    /// Attempts and connections in a row that were no good.
    bad: u32,
    since: Instant,
}

impl Linking {
    /// For an editor in the place that the settings name.
    pub(crate) fn new(settings: Result<Settings, Unavailable>) -> Self {
        Self { client: settings.map(Client::new), bad: 0, since: Instant::now() }
    }

    /// A link that is on its way.
    pub(crate) fn begin(&mut self) -> DaemonLink {
        DaemonLink::Reaching(Box::pin(reach_daemon(self.client.clone(), Duration::ZERO)))
    }

    /// Notes that the link stands.
    pub(crate) fn note_standing(&mut self) {
        self.since = Instant::now();
    }

    /// The link was lost: another one. The first is reached for at once, so that the editor sees little of a restart.
    pub(crate) fn link_again(&mut self, orderly: bool) -> DaemonLink {
        if orderly || self.since.elapsed() > GOOD {
            self.bad = 0;
        }
        let pause = wait_before_next(self.bad, self.since.elapsed());
        self.bad += 1;
        DaemonLink::Reaching(Box::pin(reach_daemon(self.client.clone(), pause)))
    }

    /// There is no daemon: none is looked for during a while.
    pub(crate) fn pause_link(&mut self) -> DaemonLink {
        self.bad += 1;
        DaemonLink::Down(Instant::now() + growing_pause(self.bad))
    }
}

fn growing_pause(bad: u32) -> Duration {
    (Duration::from_millis(100) * 2u32.saturating_pow(bad.min(10))).min(LONGEST_PAUSE)
}

/// The pause after the loss of a connection, with the number of bad ones before it and the time that it lasted. The pause is there so
/// that an editor whose session ends daemons does not end them without rest, and the time that the connection lasted is rest as well.
/// Other clients may have had another daemon for long, so the editor must not wait for it like one without any.
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

/// Why there is no daemon, and what can be done.
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
