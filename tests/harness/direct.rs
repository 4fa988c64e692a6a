//! A direct connection to the daemon's socket, without a shim.
//!
//! It does what `hob` does, without its conveniences: it starts no daemon and does not reconnect. A call waits until
//! its answer arrives.

use std::io::{Read as _, Write as _};
use std::os::unix::net::UnixStream;

use hob_proto::message::{Call, ServerMessage};
use hob_proto::{Build, ClientKind, ClientMessage, Hello, PROTOCOL, frame};
use serde_json::Value;

use crate::answer::Context;
use crate::{Answer, FOREVER, Tree, World};

/// A connection whose calls are about one tree.
#[derive(Debug)]
pub struct Direct {
    stream: UnixStream,
    root: Option<String>,
    next: u64,
    context: Context,
}

impl Direct {
    /// Connects to the running daemon.
    ///
    /// # Panics
    ///
    /// Panics if no daemon listens.
    #[track_caller]
    #[must_use]
    pub fn connect(world: &World, tree: &Tree) -> Self {
        let stream = UnixStream::connect(world.dir().join("run/hobd.sock")).expect("the daemon listens");
        stream.set_read_timeout(Some(FOREVER)).expect("a timeout can be set");
        // An older build than the daemon's: it is served, and replaces nothing.
        let build = Build { version: "0.0.1".into(), stamp: 1 };
        let root = tree.root().to_str().map(str::to_owned);
        let cwd = root.clone().unwrap_or_default();
        let hello = Hello {
            protocol: PROTOCOL,
            build,
            kind: ClientKind::Mcp,
            pid: std::process::id(),
            cwd,
            identity: String::new(),
            edits: false,
        };
        let mut direct = Self { stream, root, next: 1, context: world.context(tree) };
        direct.send(&frame::encode(&hello).expect("it fits"));
        // It does not matter what the daemon reports about itself, only that it answers.
        let _ = direct.body();
        direct
    }

    /// Makes a call and returns its answer.
    ///
    /// # Panics
    ///
    /// Panics if the daemon ends.
    #[track_caller]
    pub fn call(&mut self, tool: &str, args: Value) -> Answer {
        let id = self.next;
        self.next += 1;
        let Value::Object(fields) = &args else { panic!("arguments are an object: {args}") };
        let call = Call {
            id,
            tool: tool.to_owned(),
            args: fields.clone(),
            root: self.root.clone(),
            progress: false,
            deadline_ms: None,
            form: hob_proto::Form::Json,
            offers: Vec::new(),
            replies: serde_json::Map::new(),
            followed: false,
        };
        self.send(&frame::encode(&ClientMessage::Call(call)).expect("it fits"));
        loop {
            match frame::decode(&self.body()).expect("the daemon speaks its protocol") {
                ServerMessage::Answer { id: answered, envelope, .. } if answered == id => {
                    return Answer::new(tool, args, envelope, self.context.clone());
                }
                ServerMessage::Bye { reason, .. } => panic!("the daemon ends the connection: {reason}"),
                _ => {}
            }
        }
    }

    #[track_caller]
    fn send(&mut self, bytes: &[u8]) {
        let sent = self.stream.write_all(bytes);
        sent.unwrap_or_else(|error| panic!("the daemon does not read: {error}\n{}", self.context));
    }

    #[track_caller]
    fn body(&mut self) -> Vec<u8> {
        let mut header = [0; 4];
        let read = self.stream.read_exact(&mut header);
        read.unwrap_or_else(|error| panic!("the daemon does not answer: {error}\n{}", self.context));
        let length = u32::from_le_bytes(header) as usize;
        assert!(length <= frame::MAX_FRAME, "a frame of a sane size");
        let mut body = vec![0; length];
        self.stream.read_exact(&mut body).expect("a frame is whole");
        body
    }
}
