//! Reads and writes JSON-RPC on two byte streams, one message a line: the transport under `rmcp`.
//!
//! `rmcp` has a transport of its own. This one also answers in cases where that one is silent or answers without the
//! request's ID: text that is not JSON, JSON that is no message, a line that is too long, a batch (which revision
//! 2025-03-26 allows). An error has the ID of its request, even if the rest of the request cannot be read. A client
//! that gets no answer waits until its own deadline, so every request is answered. This file knows only the shape of a
//! message, and nothing else of MCP.

use std::collections::VecDeque;
use std::io;
use std::sync::Arc;

use hob_proto::jsonrpc::IdScan;
use rmcp::RoleServer;
use rmcp::model::{ErrorData, RequestId};
use rmcp::service::{RxJsonRpcMessage, TxJsonRpcMessage};
use rmcp::transport::Transport;
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt as _, AsyncRead, AsyncWrite, AsyncWriteExt as _, BufReader};
use tokio::sync::Mutex;
use tokio::task::JoinHandle;

/// Longest accepted line, in bytes without its end.
pub(crate) const MAX_LINE: usize = 16 * 1024 * 1024;

type Incoming = RxJsonRpcMessage<RoleServer>;
type Outgoing = TxJsonRpcMessage<RoleServer>;

/// The transport. Clones share the streams, so that serving can begin again on the same ones.
pub(crate) struct Stdio<R, W> {
    input: Arc<Mutex<Input<R>>>,
    output: Arc<Mutex<Option<W>>>,
}

impl<R, W> Clone for Stdio<R, W> {
    fn clone(&self) -> Self {
        Self { input: Arc::clone(&self.input), output: Arc::clone(&self.output) }
    }
}

/// The reader's state. `receive` runs in a `select!` and is dropped half-way all the time, so everything that it has
/// begun is here.
struct Input<R> {
    reader: BufReader<R>,
    line: Vec<u8>,
    /// The search for an ID in a line that is too long and is being skipped.
    skipping: Option<IdScan>,
    /// Messages of a batch that are not handed out yet.
    waiting: VecDeque<Incoming>,
    /// A reply that is being written. There is one at a time: a client that sends invalid messages waits until each is
    /// answered.
    reply: Option<JoinHandle<io::Result<()>>>,
}

/// The outcome of reading one line.
#[derive(Debug, PartialEq)]
enum InputLine {
    Whole,
    /// The line was too long; its ID, as JSON, if it has one.
    TooLong(Option<String>),
    End,
}

impl<R, W> Stdio<R, W>
where
    R: AsyncRead + Send + Unpin + 'static,
    W: AsyncWrite + Send + Unpin + 'static,
{
    pub(crate) fn new(reader: R, writer: W) -> Self {
        let reader = BufReader::new(reader);
        let input = Input { reader, line: Vec::new(), skipping: None, waiting: VecDeque::new(), reply: None };
        Self { input: Arc::new(Mutex::new(input)), output: Arc::new(Mutex::new(Some(writer))) }
    }

    fn begin_reply(&self, input: &mut Input<R>, refusal: Refusal) {
        input.reply = Some(tokio::spawn(write_line(Arc::clone(&self.output), refusal.line())));
    }

    fn queue_messages(&self, input: &mut Input<R>) {
        let messages = read_messages(&input.line);
        input.line.clear();
        let mut refused = Vec::new();
        for message in messages {
            match message {
                Ok(message) => input.waiting.push_back(message),
                Err(refusal) => refused.push(refusal),
            }
        }
        // A batch may hold several bad elements; one task writes their answers, so that order and back-pressure are
        // kept.
        match refused.len() {
            0 => {}
            1 => refused.into_iter().for_each(|refusal| self.begin_reply(input, refusal)),
            _ => {
                let output = Arc::clone(&self.output);
                input.reply = Some(tokio::spawn(async move {
                    for refusal in refused {
                        write_line(Arc::clone(&output), refusal.line()).await?;
                    }
                    Ok(())
                }));
            }
        }
    }
}

impl<R, W> Transport<RoleServer> for Stdio<R, W>
where
    R: AsyncRead + Send + Unpin + 'static,
    W: AsyncWrite + Send + Unpin + 'static,
{
    type Error = io::Error;

    fn send(&mut self, item: Outgoing) -> impl Future<Output = io::Result<()>> + Send + 'static {
        write_line(Arc::clone(&self.output), serde_json::to_vec(&item))
    }

    async fn receive(&mut self) -> Option<Incoming> {
        let shared = Arc::clone(&self.input);
        let mut input = shared.lock().await;
        loop {
            if let Some(reply) = input.reply.as_mut() {
                let written = reply.await;
                input.reply = None;
                if !matches!(written, Ok(Ok(()))) {
                    return None;
                }
            }
            if let Some(message) = input.waiting.pop_front() {
                return Some(message);
            }
            match input.read_line().await {
                Ok(InputLine::Whole) => self.queue_messages(&mut input),
                Ok(InputLine::TooLong(id)) => {
                    let id = id.and_then(|id| serde_json::from_str(&id).ok());
                    self.begin_reply(&mut input, Refusal::invalid("the line is longer than 16 MiB", id));
                }
                Ok(InputLine::End) | Err(_) => return None,
            }
        }
    }

    async fn close(&mut self) -> io::Result<()> {
        match self.output.lock().await.take() {
            Some(mut writer) => writer.shutdown().await,
            None => Ok(()),
        }
    }
}

async fn write_line<W>(output: Arc<Mutex<Option<W>>>, message: serde_json::Result<Vec<u8>>) -> io::Result<()>
where
    W: AsyncWrite + Send + Unpin,
{
    let mut line = message?;
    line.push(b'\n');
    let mut output = output.lock().await;
    let writer = output.as_mut().ok_or(io::ErrorKind::NotConnected)?;
    writer.write_all(&line).await?;
    writer.flush().await
}

impl<R: AsyncRead + Unpin> Input<R> {
    /// Reads up to the end of a line. The end of input ends the last line too; the next call then returns `End`.
    async fn read_line(&mut self) -> io::Result<InputLine> {
        loop {
            let available = self.reader.fill_buf().await?;
            if available.is_empty() {
                return Ok(match (self.skipping.take(), self.line.is_empty()) {
                    (Some(scan), _) => InputLine::TooLong(scan.id().map(str::to_owned)),
                    (None, false) => InputLine::Whole,
                    (None, true) => InputLine::End,
                });
            }
            let end = available.iter().position(|byte| *byte == b'\n');
            let taken = end.map_or(available.len(), |at| at + 1);
            let content = &available[..end.unwrap_or(available.len())];
            if self.skipping.is_none() && self.line.len() + content.len() > MAX_LINE {
                let mut scan = IdScan::default();
                scan.feed(&std::mem::take(&mut self.line));
                self.skipping = Some(scan);
            }
            match &mut self.skipping {
                Some(scan) => scan.feed(content),
                None => self.line.extend_from_slice(content),
            }
            self.reader.consume(taken);
            if end.is_some() {
                let skipped = self.skipping.take();
                return Ok(
                    skipped.map_or(InputLine::Whole, |scan| InputLine::TooLong(scan.id().map(str::to_owned)))
                );
            }
        }
    }
}

/// The reason why a message is refused, and the ID for the answer.
#[derive(Debug)]
struct Refusal {
    error: ErrorData,
    /// The ID as it was written, which MCP may not allow; `null` if there is none.
    id: Option<Value>,
}

impl Refusal {
    fn invalid(reason: &'static str, id: Option<Value>) -> Self {
        Self { error: ErrorData::invalid_request(reason, None), id }
    }

    fn line(&self) -> serde_json::Result<Vec<u8>> {
        serde_json::to_vec(&json!({"jsonrpc": "2.0", "id": self.id, "error": self.error}))
    }
}

/// Returns the messages of a line: none for an empty one, several for a batch. Invalid messages that are no requests
/// are dropped silently, as JSON-RPC demands: nobody waits for an answer.
fn read_messages(line: &[u8]) -> Vec<Result<Incoming, Refusal>> {
    let line = line.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(line);
    if line.trim_ascii().is_empty() {
        return Vec::new();
    }
    match serde_json::from_slice::<Value>(line) {
        Ok(Value::Array(items)) if items.is_empty() => {
            vec![Err(Refusal::invalid("the batch is empty", None))]
        }
        Ok(Value::Array(items)) => items.into_iter().filter_map(read_message).collect(),
        Ok(value) => read_message(value).into_iter().collect(),
        Err(cause) => {
            let error = ErrorData::parse_error(format!("the line is not JSON: {cause}"), None);
            let id = IdScan::find_id(line).and_then(|id| serde_json::from_str(&id).ok());
            vec![Err(Refusal { error, id })]
        }
    }
}

fn read_message(value: Value) -> Option<Result<Incoming, Refusal>> {
    let is_reply = value.get("result").is_some() || value.get("error").is_some();
    let expects_answer = value.get("id").is_some() || value.get("method").is_none();
    let written = value.get("id").filter(|id| id.is_string() || id.is_number()).cloned();
    let id = written.clone().and_then(|id| serde_json::from_value::<RequestId>(id).ok());
    match serde_json::from_value::<Incoming>(value) {
        Ok(message) => Some(Ok(message)),
        // The server's question gets an answer now, so that it need not wait for a person's time limit.
        Err(_) if is_reply => {
            id.map(|id| Ok(Incoming::error(ErrorData::internal_error("malformed reply", None), Some(id))))
        }
        Err(_) if !expects_answer => None,
        Err(_) => Some(Err(Refusal::invalid("this is not a JSON-RPC 2.0 request", written))),
    }
}

#[cfg(test)]
mod tests {
    use tokio::io::{AsyncReadExt as _, DuplexStream, duplex};

    use super::*;

    /// Returns everything that the transport hands out and writes for these bytes of input.
    async fn run(input: &[u8]) -> (Vec<String>, Vec<Value>) {
        let (mut client, reader): (DuplexStream, DuplexStream) = duplex(64 * 1024);
        let (mut answers, writer) = duplex(64 * 1024);
        let mut stdio = Stdio::new(reader, writer);
        let input = input.to_vec();
        let feed = tokio::spawn(async move {
            client.write_all(&input).await.expect("the transport reads on");
        });
        let mut received = Vec::new();
        while let Some(message) = stdio.receive().await {
            received.push(serde_json::to_string(&message).expect("plain data"));
        }
        feed.await.expect("fed");
        stdio.close().await.expect("closes");
        let mut written = String::new();
        answers.read_to_string(&mut written).await.expect("UTF-8");
        (received, written.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect())
    }

    #[tokio::test]
    async fn a_last_line_without_an_end_and_empty_lines_are_fine() {
        let (received, written) = run(b"\n\r\n{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}").await;
        assert_eq!(received.len(), 1);
        assert!(written.is_empty());
    }

    #[tokio::test]
    async fn rubbish_is_answered_and_the_next_message_still_arrives() {
        let (received, written) =
            run(b"{nope\n\xff\xfe\n[]\n7\n{\"id\":5}\n{\"jsonrpc\":\"2.0\",\"id\":\"a\",\"method\":7}\n\
                       {\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}\n")
            .await;
        assert_eq!(received.len(), 1);
        let codes: Vec<_> = written.iter().map(|reply| reply["error"]["code"].clone()).collect();
        assert_eq!(codes, [-32700, -32700, -32600, -32600, -32600, -32600]);
        assert_eq!(written[4]["id"], 5);
        assert_eq!(written[5]["id"], "a");
    }

    #[tokio::test]
    async fn an_error_has_the_id_of_its_request_wherever_that_is() {
        let deep = format!("{}{}", "[".repeat(1_000), "]".repeat(1_000));
        let long = "x".repeat(MAX_LINE);
        let lines = [
            format!(r#"{{"method":"tools/call","params":{{"arguments":{deep}}},"jsonrpc":"2.0","id":1}}"#),
            r#"{"jsonrpc":"2.0","id":"two","method":"tools/call","params":{"a":"\ud800"}}"#.to_owned(),
            r#"{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"#.to_owned(),
            r#"{"jsonrpc":"2.0","id":4.5,"method":"ping"}"#.to_owned(),
            format!(r#"{{"method":"tools/call","params":{{"arguments":"{long}"}},"jsonrpc":"2.0","id":5}}"#),
        ];
        let (received, written) = run((lines.join("\n") + "\n").as_bytes()).await;
        assert!(received.is_empty(), "{received:?}");
        let ids: Vec<_> = written.iter().map(|reply| reply["id"].clone()).collect();
        assert_eq!(ids, [json!(1), json!("two"), json!(3), json!(4.5), json!(5)]);
        assert!(written.iter().all(|reply| reply["error"]["code"].is_i64()), "{written:?}");
    }

    #[tokio::test]
    async fn what_is_no_request_is_never_answered() {
        let (received, written) =
            run(b"{\"method\":\"notifications/x\"}\n{\"id\":3,\"result\":7}\n{\"jsonrpc\":\"1.0\",\"method\":\"x\"}\n")
                .await;
        assert!(written.is_empty(), "{written:?}");
        // A malformed reply still counts as one, so that nobody waits for it.
        assert_eq!(received.len(), 1, "{received:?}");
        assert!(received[0].contains("\"id\":3") && received[0].contains("malformed reply"), "{received:?}");
    }

    #[tokio::test]
    async fn a_batch_is_several_messages() {
        let batch = json!([
            {"jsonrpc": "2.0", "id": 1, "method": "ping"},
            {"jsonrpc": "2.0", "id": 2},
            {"jsonrpc": "2.0", "id": 3},
            {"jsonrpc": "2.0", "id": 4, "method": "tools/list"},
        ]);
        let (received, written) = run(batch.to_string().as_bytes()).await;
        assert_eq!(received.len(), 2);
        assert_eq!(written.iter().map(|w| w["id"].clone()).collect::<Vec<_>>(), [2, 3]);
    }

    #[tokio::test]
    async fn a_line_that_is_too_long_is_refused_once_and_skipped() {
        let mut input = vec![b'x'; MAX_LINE + 70_000];
        input.extend_from_slice(b"\n{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}\n");
        let (received, written) = run(&input).await;
        assert_eq!(received.len(), 1);
        assert_eq!(written.len(), 1);
        assert_eq!(written[0]["error"]["code"], -32600);
    }
}
