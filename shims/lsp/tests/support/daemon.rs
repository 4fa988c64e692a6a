//! A daemon that does what a test says: it listens where a shim looks, greets, and leaves every answer to the test.

use std::ffi::OsString;
use std::path::Path;
use std::sync::mpsc;

use hob_proto::places::Places;
use hob_proto::transport::{self, Listener, Stream};
use hob_proto::{
    Build, ClientKind, ClientMessage, Hello, PROTOCOL, ServerMessage, Welcome, frame, private_dir,
};
use serde_json::{Value, json};
use tokio::sync::mpsc as channel;

use super::{PATIENCE, ShimEditor};

/// A shim that finds a scripted daemon, and that daemon.
pub(crate) fn start(args: &[&str]) -> (ShimEditor, FakeDaemon) {
    let (editor, daemon) = start_shut(args);
    daemon.open();
    (editor, daemon)
}

/// As `start`, with a daemon that greets nobody before it is opened.
pub(crate) fn start_shut(args: &[&str]) -> (ShimEditor, FakeDaemon) {
    let mut daemon = None;
    let editor = ShimEditor::start(args, |hob_dir| daemon = Some(FakeDaemon::listen(hob_dir)));
    (editor, daemon.expect("set"))
}

/// An order of a test to the scripted daemon.
enum ScriptOrder {
    /// Greet the next client.
    Open,
    Say(ServerMessage),
    HangUp,
}

/// A scripted daemon, for one connection after the other.
pub(crate) struct FakeDaemon {
    heard: mpsc::Receiver<String>,
    orders: channel::UnboundedSender<ScriptOrder>,
}

impl FakeDaemon {
    /// Listens where a shim with this `HOB_DIR` connects; greets nobody yet.
    pub(crate) fn listen(hob_dir: &Path) -> Self {
        let dir = OsString::from(hob_dir);
        let env = move |name: &str| (name == "HOB_DIR").then(|| dir.clone());
        let places = Places::find(&env, &hob_proto::places::current_user()).expect("places");
        private_dir::ensure(&places.runtime).expect("a private folder");
        let (tell, heard) = mpsc::channel();
        let (orders, mut script) = channel::unbounded_channel();
        let (ready, is_ready) = mpsc::channel();
        std::thread::spawn(move || {
            let runtime =
                tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
            runtime.block_on(async {
                let listener = transport::listen(&places.socket).expect("listens");
                ready.send(()).expect("the test waits");
                while serve_one(&listener, &tell, &mut script).await.is_some() {}
            });
        });
        is_ready.recv().expect("it listens");
        Self { heard, orders }
    }

    /// Greets the next client.
    pub(crate) fn open(&self) {
        self.send_order(ScriptOrder::Open);
    }

    /// The next message of the editor, exactly as it is written.
    pub(crate) fn hear_text(&self) -> String {
        self.heard.recv_timeout(PATIENCE).expect("a message from the shim")
    }

    /// The next message of the editor.
    pub(crate) fn next_message(&self) -> Value {
        serde_json::from_str(&self.hear_text()).expect("JSON")
    }

    /// The next message of the editor, if there is one by now.
    pub(crate) fn try_next_message(&self) -> Option<Value> {
        let text = self.heard.try_recv().ok()?;
        Some(serde_json::from_str(&text).expect("JSON"))
    }

    /// Sends a message to the editor, exactly as it is written.
    pub(crate) fn say_text(&self, message: &str) {
        self.send_order(ScriptOrder::Say(ServerMessage::Lsp { message: message.to_owned() }));
    }

    /// Sends a message to the editor.
    pub(crate) fn send_message(&self, message: &Value) {
        self.say_text(&message.to_string());
    }

    /// Answers a request of the editor.
    pub(crate) fn answer_request(&self, request: &Value, result: Value) {
        self.send_message(&json!({"jsonrpc": "2.0", "id": request["id"], "result": result}));
    }

    /// Takes over what is kept of a document.
    pub(crate) fn send_keep(&self, uri: &str, changes: u64, open: &str) {
        let (uri, open) = (uri.to_owned(), open.to_owned());
        self.send_order(ScriptOrder::Say(ServerMessage::Keep { uri, changes, open }));
    }

    /// Drops the connection, as a daemon that is killed does, and greets the next client as another daemon.
    pub(crate) fn hang_up(&self) {
        self.send_order(ScriptOrder::HangUp);
        self.open();
    }

    /// As `die`, after saying goodbye.
    pub(crate) fn retire(&self) {
        self.send_order(ScriptOrder::Say(ServerMessage::Bye { reason: "an upgrade".into(), retry: true }));
        self.hang_up();
    }

    fn send_order(&self, order: ScriptOrder) {
        self.orders.send(order).expect("the daemon lives");
    }
}

/// Serves a connection until it ends; `None` when the test is over.
async fn serve_one(
    listener: &Listener,
    tell: &mpsc::Sender<String>,
    script: &mut channel::UnboundedReceiver<ScriptOrder>,
) -> Option<()> {
    while !matches!(script.recv().await?, ScriptOrder::Open) {}
    let stream = listener.accept().await.expect("a client");
    let (mut reader, mut writer) = Stream::split(stream);
    let hello: Hello = frame::read(&mut reader).await.expect("a greeting");
    assert_eq!(hello.kind, ClientKind::Lsp);
    let build = Build { version: env!("CARGO_PKG_VERSION").to_owned(), stamp: 0 };
    let welcome = Welcome::Accepted { protocol: PROTOCOL, build, pid: 1, notice: None, successor: None };
    frame::write(&mut writer, &welcome).await.expect("the shim reads");
    let tell = tell.clone();
    let reading = tokio::spawn(async move {
        while let Ok(ClientMessage::Lsp { message }) = frame::read::<ClientMessage>(&mut reader).await {
            let _ = tell.send(message);
        }
    });
    let lives = loop {
        match script.recv().await {
            // A shim that was stopped reads no more.
            Some(ScriptOrder::Say(message)) => drop(frame::write(&mut writer, &message).await),
            Some(ScriptOrder::HangUp) => break Some(()),
            Some(ScriptOrder::Open) => {}
            None => break None,
        }
    };
    reading.abort();
    let _ = reading.await;
    lives
}
