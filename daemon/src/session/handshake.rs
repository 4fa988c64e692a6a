//! Exchanges the first messages, and decides whether to serve a client.

use std::sync::Arc;

use hob_base::AbsPath;
use hob_proto::frame::{self, FrameError};
use hob_proto::hello::MIN_PROTOCOL;
use hob_proto::transport::{TransportReader, TransportWriter};
use hob_proto::{Build, ClientMessage, Hello, PROTOCOL, Welcome};
use tokio::io::AsyncWriteExt as _;

use super::registry::{ClientSession, NotTaken};
use super::{ProcessOrder, Sessions};

/// An accepted client.
pub(super) struct AcceptedClient {
    pub(super) id: u64,
    pub(super) session: Arc<ClientSession>,
}

struct GreetingRefusal {
    reason: String,
    retiring: bool,
    /// True if the client may still ask for retirement: it was refused only because it is newer.
    may_order: bool,
}

impl GreetingRefusal {
    fn because(reason: impl Into<String>) -> Self {
        Self { reason: reason.into(), retiring: false, may_order: false }
    }
}

/// Reads the greeting and answers it. `None` if the client is not served; it has the reason then.
pub(super) async fn greet(
    sessions: &Sessions,
    reader: &mut TransportReader,
    mut writer: TransportWriter,
) -> Option<(AcceptedClient, TransportWriter)> {
    let hello = tokio::time::timeout(sessions.limits.hello_time, frame::read::<Hello>(reader)).await;
    let (no, hello) = match hello {
        // No client is left to answer: it may only have checked whether a daemon listens.
        Err(_) | Ok(Err(FrameError::Closed | FrameError::Io(_))) => return None,
        Ok(Err(error)) => (GreetingRefusal::because(error.to_string()), None),
        Ok(Ok(hello)) => match accept_client(sessions, &hello) {
            Ok(guest) => return Some((guest, writer)),
            Err(no) => (no, Some(hello)),
        },
    };
    send_refusal(sessions, &mut writer, &no).await;
    if no.may_order
        && let Some(hello) = hello
    {
        obey_refused_client(sessions, reader, &hello).await;
    }
    None
}

fn accept_client(sessions: &Sessions, hello: &Hello) -> Result<AcceptedClient, GreetingRefusal> {
    check_protocol(sessions, hello)?;
    let cwd = AbsPath::new(&hello.cwd).map_err(|error| GreetingRefusal::because(error.to_string()))?;
    let welcome = Welcome::Accepted {
        protocol: PROTOCOL,
        build: sessions.build.clone(),
        pid: std::process::id(),
        notice: outdated_notice(&sessions.build, &hello.build),
        successor: sessions.successor.clone(),
    };
    let first = frame::encode(&welcome).map_err(|error| GreetingRefusal::because(error.to_string()))?;
    let session = Arc::new(ClientSession::new(hello.clone(), cwd, &sessions.limits));
    let id =
        sessions.registry.add(&session, sessions.limits.clients, first).map_err(
            |not_taken| match not_taken {
                NotTaken::Retiring => GreetingRefusal {
                    retiring: true,
                    ..GreetingRefusal::because("this daemon is about to end")
                },
                NotTaken::TooMany => GreetingRefusal::because(format!(
                    "{} clients are connected, the most that this daemon allows",
                    sessions.limits.clients
                )),
            },
        )?;
    Ok(AcceptedClient { id, session })
}

fn check_protocol(sessions: &Sessions, hello: &Hello) -> Result<(), GreetingRefusal> {
    if (MIN_PROTOCOL..=PROTOCOL).contains(&hello.protocol) {
        return Ok(());
    }
    let what = if hello.protocol < MIN_PROTOCOL { "older" } else { "newer" };
    let reason = format!(
        "this daemon (hob {}) speaks protocol versions {MIN_PROTOCOL} to {PROTOCOL}, and the client {}, which is {what}; \
         run the client and `hobd` of the same installation, and restart programs that were running during an upgrade",
        sessions.build.version, hello.protocol
    );
    Err(GreetingRefusal {
        may_order: hello.build.is_newer_than(&sessions.build),
        ..GreetingRefusal::because(reason)
    })
}

/// Returns the notice for a client that is older than this daemon; `None` for any other.
fn outdated_notice(ours: &Build, theirs: &Build) -> Option<String> {
    let newer = ours.version != theirs.version && ours.is_newer_than(theirs);
    newer.then(|| {
        format!(
            "this program belongs to hob {}, and the running daemon is hob {}; restart the program to use the new version",
            theirs.version, ours.version
        )
    })
}

/// Refuses new clients while too many are connected that have not greeted.
pub(super) async fn turn_away(sessions: &Sessions, mut writer: TransportWriter) {
    let waiting = sessions.limits.newcomers;
    let no = GreetingRefusal::because(format!(
        "{waiting} connections have not greeted yet, the most that this daemon allows"
    ));
    send_refusal(sessions, &mut writer, &no).await;
}

async fn send_refusal(sessions: &Sessions, writer: &mut TransportWriter, no: &GreetingRefusal) {
    tracing::info!(reason = no.reason, "a client was refused");
    let welcome = Welcome::Refused {
        protocol: PROTOCOL,
        build: sessions.build.clone(),
        reason: no.reason.clone(),
        retiring: no.retiring,
        successor: sessions.successor.clone(),
    };
    if let Ok(frame) = frame::encode(&welcome) {
        let writing = async {
            let _ = writer.write_all(&frame).await;
        };
        let _ = tokio::time::timeout(sessions.limits.hello_time, writing).await;
    }
}

/// Reads the one request that a client may make that is too new to be served: that this daemon retires.
async fn obey_refused_client(sessions: &Sessions, reader: &mut TransportReader, hello: &Hello) {
    let asked = frame::read::<ClientMessage>(reader);
    let asked = tokio::time::timeout(sessions.limits.hello_time, asked).await;
    if let Ok(Ok(ClientMessage::Retire { reason })) = asked {
        tracing::info!(pid = hello.pid, reason, "a refused client asks this daemon to retire");
        let _ = sessions.orders.send(ProcessOrder::Retire(reason));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_client_of_an_older_version_gets_a_notice() {
        let build = |version: &str, stamp| Build { version: version.into(), stamp };
        let text = outdated_notice(&build("0.2.0", 1), &build("0.1.0", 9)).expect("a notice");
        assert!(text.contains("0.1.0") && text.contains("0.2.0"), "{text}");
        assert_eq!(outdated_notice(&build("0.2.0", 9), &build("0.2.0", 1)), None);
        assert_eq!(outdated_notice(&build("0.1.0", 9), &build("0.2.0", 1)), None);
    }
}
