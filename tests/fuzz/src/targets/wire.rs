//! Frames, messages of language servers and editors, arguments of calls, and node IDs.

use std::fmt::Debug;
use std::io::{BufReader, Read};

use hob_live::rpc::jsonrpc::Incoming;
use hob_live::rpc::transport::{MessageReader, write_body};
use hob_live::uri;
use hob_proto::jsonrpc::IdScan;
use hob_proto::tools::argument_place::place_in_arguments;
use hob_proto::tools::check_args;
use hob_proto::tools::{TOOLS, asked_budget};
use hob_proto::{ClientMessage, Envelope, Hello, NodeId, ServerMessage, Welcome, frame};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use crate::input::FuzzInput;

fn check_round_trip<T: Serialize + DeserializeOwned + PartialEq + Debug>(bytes: &[u8]) {
    let Ok(message) = frame::decode::<T>(bytes) else { return };
    let written = frame::encode(&message).expect("it was read from fewer bytes");
    let again: T = frame::decode(&written[4..]).expect("what was just written can be read");
    assert_eq!(again, message);
}

/// A message that was read is the message that is written and read again.
pub(crate) fn check_frame(bytes: &[u8]) {
    check_round_trip::<ClientMessage>(bytes);
    check_round_trip::<ServerMessage>(bytes);
    check_round_trip::<Hello>(bytes);
    check_round_trip::<Welcome>(bytes);
    if let Ok(text) = std::str::from_utf8(bytes) {
        let _ = Envelope::parse(text);
    }
}

/// Hands out few bytes at a time, as a pipe may.
struct SlowPipe<'b> {
    bytes: &'b [u8],
    step: usize,
}

impl Read for SlowPipe<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let count = self.step.min(buffer.len()).min(self.bytes.len());
        let (now, later) = self.bytes.split_at(count);
        buffer[..count].copy_from_slice(now);
        self.bytes = later;
        Ok(count)
    }
}

fn bodies_of(bytes: &[u8], step: usize) -> (Vec<Vec<u8>>, bool) {
    let mut reader = MessageReader::new(BufReader::with_capacity(step.max(1), SlowPipe { bytes, step }));
    let mut bodies = Vec::new();
    loop {
        match reader.next_body() {
            Ok(Some(body)) => bodies.push(body),
            Ok(None) => return (bodies, true),
            Err(_) => return (bodies, false),
        }
    }
}

/// However the bytes of a stream arrive, its messages are the same; and what is written is read back.
pub(crate) fn check_lsp(bytes: &[u8]) {
    let mut input = FuzzInput::new(bytes);
    let step = 1 + usize::from(input.take_byte() % 40);
    let stream = input.rest();
    let (bodies, is_whole) = bodies_of(stream, stream.len().max(1));
    assert_eq!((&bodies, is_whole), (&bodies_of(stream, step).0, bodies_of(stream, step).1));
    let mut written = Vec::new();
    for body in bodies.iter().map(Vec::as_slice).chain([stream]) {
        write_body(&mut written, body).expect("memory");
        check_json_rpc(body, step);
    }
    let again = bodies_of(&written, 4096);
    assert!(again.1 && again.0.len() == bodies.len() + 1);
}

fn check_json_rpc(body: &[u8], step: usize) {
    let _ = Incoming::parse(body);
    let whole = IdScan::find_id(body);
    let mut scan = IdScan::default();
    body.chunks(step).for_each(|piece| scan.feed(piece));
    assert_eq!(scan.id(), whole.as_deref());
    let Ok(text) = std::str::from_utf8(body) else { return };
    if let Some(path) = uri::path_of(text) {
        assert_eq!(uri::to_path(&uri::of_path(&path)).as_ref(), Some(&path), "a path survives its URI");
    }
}

/// Arguments that pass the check pass it again as they are; a budget is one of the tool's.
pub(crate) fn check_arguments(bytes: &[u8]) {
    let mut input = FuzzInput::new(bytes);
    let tool = input.choose(TOOLS);
    let Ok(Value::Object(given)) = serde_json::from_slice::<Value>(input.rest()) else { return };
    let _ = place_in_arguments(&given);
    let _ = hob_budget::Limit::new(tool, asked_budget(&given));
    let mut rest: Map<String, Value> = given.clone();
    let _ = hob_budget::Paging::take_from(&mut rest, tool);
    let Ok(checked) = check_args(tool, &given) else { return };
    let again = check_args(tool, &checked.args).expect("checked arguments are good");
    assert!(again.warnings.is_empty(), "{:?}", again.warnings);
    assert_eq!(again.args, checked.args);
}

/// A node ID that can be read is written as one that means the same.
pub(crate) fn check_node_id(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    let Ok(id) = text.parse::<NodeId>() else { return };
    let written = id.to_string();
    assert_eq!(written.parse::<NodeId>().as_ref(), Ok(&id), "{written}");
}
