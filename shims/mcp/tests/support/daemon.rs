//! A daemon that does what a test says: it listens where a shim looks, greets, and leaves every answer to the test.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::mpsc;
use std::time::Duration;

use hob_proto::message::{Ask, Call};
use hob_proto::places::Places;
use hob_proto::transport::{self, Listener, Stream};
use hob_proto::{Build, ClientMessage, Hello, PROTOCOL, ServerMessage, Welcome, frame, private_dir};
use serde_json::{Value, json};
use tokio::sync::mpsc as channel;

use super::Shim;

/// An envelope with numbers, letters and an order that are easily changed on the way.
pub(crate) const ENVELOPE: &str = r#"{"ok":true,"data":{"z":[1.0,2.5e-7,"é\n"],"a":{"c":null,"b":18446744073709551615}},"tokenBudget":{"requested":2000,"used":42,"max":10000},"truncated":false,"warnings":[]}"#;

/// A shim that finds a scripted daemon, and that daemon.
pub(crate) fn start(args: &[&str]) -> (Shim, FakeDaemon) {
    start_in(args, |_| None)
}

/// As `start`, with `CLAUDE_PROJECT_DIR` as `project` makes it from the shim's folder.
pub(crate) fn start_in(
    args: &[&str],
    project: impl FnOnce(PathBuf) -> Option<PathBuf>,
) -> (Shim, FakeDaemon) {
    let mut daemon = None;
    let shim = Shim::start_with(args, |command, folder| {
        daemon = Some(FakeDaemon::listen(&folder.join("hob")));
        if let Some(project) = project(folder.to_path_buf()) {
            command.env("CLAUDE_PROJECT_DIR", project);
        }
    });
    (shim, daemon.expect("set"))
}

/// The request that calls a tool.
pub(crate) fn call(id: u64, name: &str, arguments: Value) -> Value {
    json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": {"name": name, "arguments": arguments}})
}

/// A scripted daemon, for one connection after the other.
pub(crate) struct FakeDaemon {
    heard: mpsc::Receiver<ClientMessage>,
    say: channel::UnboundedSender<Option<ServerMessage>>,
}

impl FakeDaemon {
    /// Listens where a shim with this `HOB_DIR` connects.
    pub(crate) fn listen(hob_dir: &Path) -> Self {
        let dir = OsString::from(hob_dir);
        let env = move |name: &str| (name == "HOB_DIR").then(|| dir.clone());
        let places = Places::find(&env, &hob_proto::places::current_user()).expect("places");
        private_dir::ensure(&places.runtime).expect("a private folder");
        let (tell, heard) = mpsc::channel();
        let (say, mut script) = channel::unbounded_channel();
        std::thread::spawn(move || {
            let runtime =
                tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
            runtime.block_on(async {
                let listener = transport::listen(&places.socket).expect("listens");
                while serve_one(&listener, &tell, &mut script).await {}
            });
        });
        while !hob_dir.join("run/hobd.sock").exists() {
            std::thread::sleep(Duration::from_millis(1));
        }
        Self { heard, say }
    }

    /// The next message of a client.
    pub(crate) fn next_message(&self) -> ClientMessage {
        self.heard.recv_timeout(Duration::from_secs(60)).expect("a message from the shim")
    }

    /// The next message, which is a call.
    pub(crate) fn call(&self) -> Call {
        match self.next_message() {
            ClientMessage::Call(call) => call,
            other => panic!("not a call: {other:?}"),
        }
    }

    /// Sends a message to the client.
    pub(crate) fn send_message(&self, message: ServerMessage) {
        self.say.send(Some(message)).expect("the daemon lives");
    }

    /// Answers a call with this envelope.
    pub(crate) fn answer_call(&self, call: &Call, envelope: &str) {
        self.send_message(ServerMessage::Answer {
            id: call.id,
            ok: true,
            envelope: envelope.to_owned(),
            ask: None,
        });
    }

    /// Answers a call, and says what would make the answer better.
    pub(crate) fn answer_and_ask(&self, call: &Call, envelope: &str, ask: Ask) {
        let envelope = envelope.to_owned();
        self.send_message(ServerMessage::Answer { id: call.id, ok: true, envelope, ask: Some(ask) });
    }

    /// Drops the connection, as a daemon that is killed does.
    pub(crate) fn hang_up(&self) {
        self.say.send(None).expect("the daemon lives");
    }
}

/// Serves a connection until it ends; false when the test is over.
async fn serve_one(
    listener: &Listener,
    tell: &mpsc::Sender<ClientMessage>,
    script: &mut channel::UnboundedReceiver<Option<ServerMessage>>,
) -> bool {
    let Ok(stream) = listener.accept().await else { return true };
    let (mut reader, mut writer) = Stream::split(stream);
    if frame::read::<Hello>(&mut reader).await.is_err() {
        return true;
    }
    let build = Build { version: env!("CARGO_PKG_VERSION").to_owned(), stamp: 0 };
    let welcome = Welcome::Accepted { protocol: PROTOCOL, build, pid: 1, notice: None, successor: None };
    frame::write(&mut writer, &welcome).await.expect("the shim reads");
    let tell = tell.clone();
    let reading = tokio::spawn(async move {
        while let Ok(message) = frame::read::<ClientMessage>(&mut reader).await {
            let _ = tell.send(message);
        }
    });
    let lives = loop {
        match script.recv().await {
            Some(Some(message)) => frame::write(&mut writer, &message).await.expect("the shim reads"),
            Some(None) => break true,
            None => break false,
        }
    };
    reading.abort();
    let _ = reading.await;
    lives
}
