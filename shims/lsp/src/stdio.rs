//! Reads and writes messages on two byte streams, each behind a header with its length: the base protocol of LSP.
//!
//! The reader survives any input: it skips unknown headers, skips a message that is too long by its length, and where
//! lengths themselves are invalid, it goes on at the next header that it finds. Each such place is reported once, so
//! that it can be answered. Reading and writing may be dropped at any moment without losing a byte.

use std::io;

use hob_proto::frame::MAX_FRAME;
use hob_proto::jsonrpc::IdScan;
use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _};

use crate::message::MessageError;

/// Longest accepted message, in bytes: the contents of a frame, with room for the frame's own fields.
pub(crate) const MAX_BODY: usize = MAX_FRAME - 64 * 1024;
/// Length above which a header is not believed.
const INCREDIBLE: u64 = 1 << 30;
/// Longest line of a header, in bytes.
const MAX_LINE: usize = 8 * 1024;
/// Longest line with a length, in bytes.
const LONGEST_LENGTH: usize = 64;
/// Most bytes that are read at once, and that a buffer may keep when it is empty.
const CHUNK: usize = 64 * 1024;
/// Number of waiting bytes above which the relay adds nothing that can wait.
const ENOUGH: usize = 16 * 1024 * 1024;

/// The next part of the editor's input.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Incoming {
    /// A message: text that may be no JSON.
    Message(String),
    /// A part that is no message.
    MessageError(MessageError),
    /// The end of the input: nothing more comes.
    End,
}

/// Reads an editor's messages.
pub(crate) struct Input<R> {
    reader: R,
    buffer: Vec<u8>,
    /// Offset in the buffer at which the unread part begins.
    at: usize,
    frames: Frames,
}

/// The reader's state between two messages.
#[derive(Default)]
struct Frames {
    /// The length that the present header gave.
    length: Option<u64>,
    /// True if the reader is in a header without a length so far.
    in_header: bool,
    /// Number of bytes of a body still to be skipped.
    skip: u64,
    /// The search for an ID in the skipped bytes.
    skipped: IdScan,
    /// True if the reader is lost: the last line was no header, and that has been reported.
    lost: bool,
}

/// The result of examining the unread bytes.
enum FramedBytes {
    /// The next bytes, of this number, are a body.
    Body(usize),
    MessageError(MessageError),
    /// At least this many more bytes are needed.
    Needs(usize),
}

impl<R: AsyncRead + Unpin> Input<R> {
    pub(crate) fn new(reader: R) -> Self {
        Self { reader, buffer: Vec::new(), at: 0, frames: Frames::default() }
    }

    /// Waits for the next message and reads it.
    pub(crate) async fn next(&mut self) -> Incoming {
        loop {
            match self.frames.find(&self.buffer, &mut self.at) {
                FramedBytes::Body(length) => return self.take_body(length),
                FramedBytes::MessageError(wrong) => return Incoming::MessageError(wrong),
                FramedBytes::Needs(more) => self.make_room(more),
            }
            match self.reader.read_buf(&mut self.buffer).await {
                Ok(0) | Err(_) => return Incoming::End,
                Ok(_) => {}
            }
        }
    }

    fn take_body(&mut self, length: usize) -> Incoming {
        let body = self.buffer[self.at..self.at + length].to_vec();
        self.at += length;
        let unreadable = |error: std::string::FromUtf8Error| {
            let id = IdScan::find_id(error.as_bytes());
            Incoming::MessageError(MessageError { id, ..MessageError::unreadable("the message is no UTF-8") })
        };
        String::from_utf8(body).map_or_else(unreadable, Incoming::Message)
    }

    fn make_room(&mut self, more: usize) {
        self.buffer.drain(..self.at);
        self.at = 0;
        if self.buffer.is_empty() {
            self.buffer.shrink_to(CHUNK);
        }
        // The buffer grows as bytes arrive: a false length must not cost what it claims.
        self.buffer.reserve(more.clamp(CHUNK, 16 * CHUNK));
    }
}

impl Frames {
    fn find(&mut self, buffer: &[u8], at: &mut usize) -> FramedBytes {
        loop {
            let unread = &buffer[*at..];
            if self.skip > 0 {
                let skipped = unread.len().min(usize::try_from(self.skip).unwrap_or(usize::MAX));
                self.skipped.feed(&unread[..skipped]);
                self.skip -= skipped as u64;
                *at += skipped;
                if self.skip > 0 {
                    return FramedBytes::Needs(1);
                }
                // The error is reported at the end of the message, because the ID may be there.
                let id = std::mem::take(&mut self.skipped).id().map(str::to_owned);
                return FramedBytes::MessageError(MessageError {
                    id,
                    ..MessageError::invalid("the message is longer than 64 MiB")
                });
            }
            let Some(end) = unread.iter().take(MAX_LINE).position(|byte| *byte == b'\n') else {
                if unread.len() < MAX_LINE {
                    return FramedBytes::Needs(1);
                }
                // The rest may hold the beginning of a header.
                *at += MAX_LINE - LONGEST_LENGTH;
                match self.mark_lost() {
                    Some(wrong) => return FramedBytes::MessageError(wrong),
                    None => continue,
                }
            };
            let line = unread[..end].trim_ascii();
            if !(line.is_empty() && self.length.is_some()) {
                *at += end + 1;
                if let Some(wrong) = self.line(line) {
                    return FramedBytes::MessageError(wrong);
                }
                continue;
            }
            // The empty line stays unread until the body is there, so that the reader finds this place again.
            let length = usize::try_from(self.length.unwrap_or(0)).unwrap_or(usize::MAX);
            if length > MAX_BODY {
                *at += end + 1;
                *self = Self { skip: length as u64, ..Self::default() };
                continue;
            }
            let missing = (end + 1 + length).saturating_sub(unread.len());
            if missing > 0 {
                return FramedBytes::Needs(missing);
            }
            *at += end + 1;
            *self = Self::default();
            return FramedBytes::Body(length);
        }
    }

    /// Reads a line of a header, or another line in its place.
    fn line(&mut self, line: &[u8]) -> Option<MessageError> {
        if line.is_empty() {
            // Before a header, empty lines do no harm; after one, a length is missing.
            return if self.in_header { self.mark_lost() } else { None };
        }
        match length_in(line, self.lost) {
            Header::Length(length) => {
                *self = Self { length: Some(length), in_header: true, ..Self::default() };
                None
            }
            Header::None => {
                let wrong = self.mark_lost();
                if let Header::Length(length) = length_in(line, true) {
                    *self = Self { length: Some(length), in_header: true, ..Self::default() };
                }
                wrong
            }
            Header::Other => {
                self.in_header = true;
                None
            }
        }
    }

    /// Marks the reader as lost; returns the error for the editor, unless it was reported already.
    fn mark_lost(&mut self) -> Option<MessageError> {
        let told = self.lost;
        *self = Self { lost: true, ..Self::default() };
        (!told).then(|| MessageError::unreadable("this is no message with a Content-Length header"))
    }
}

enum Header {
    Length(u64),
    Other,
    None,
}

/// Reads the length in a line of a header. Where the reader is lost, a header may follow the end of a body on the same
/// line.
fn length_in(line: &[u8], lost: bool) -> Header {
    const NAME: &[u8] = b"content-length";
    let mut line = line;
    if lost {
        let is_name = |part: &[u8]| part.eq_ignore_ascii_case(NAME);
        let Some(found) = line.windows(NAME.len()).rposition(is_name) else { return Header::None };
        line = &line[found..];
    }
    let Some(colon) = line.iter().position(|byte| *byte == b':') else { return Header::None };
    let (name, value) = (line[..colon].trim_ascii(), line[colon + 1..].trim_ascii());
    if name.eq_ignore_ascii_case(NAME) {
        let number = std::str::from_utf8(value).ok().and_then(|value| value.parse().ok());
        return number.filter(|length| *length <= INCREDIBLE).map_or(Header::None, Header::Length);
    }
    let is_name = !name.is_empty() && name.iter().all(|byte| byte.is_ascii_alphanumeric() || *byte == b'-');
    if is_name { Header::Other } else { Header::None }
}

/// Writes messages as fast as the editor takes them.
pub(crate) struct Output<W> {
    writer: W,
    queue: Vec<u8>,
    /// Number of bytes of the queue that are written.
    at: usize,
    flushed: bool,
}

impl<W: AsyncWrite + Unpin> Output<W> {
    pub(crate) fn new(writer: W) -> Self {
        Self { writer, queue: Vec::new(), at: 0, flushed: true }
    }

    /// Appends a message to the queue.
    pub(crate) fn push(&mut self, message: &str) {
        self.queue.extend_from_slice(format!("Content-Length: {}\r\n\r\n", message.len()).as_bytes());
        self.queue.extend_from_slice(message.as_bytes());
        self.flushed = false;
    }

    /// Returns true if everything is written and flushed.
    pub(crate) fn is_idle(&self) -> bool {
        self.flushed
    }

    /// Returns true if so much waits that nothing should be added that can wait.
    pub(crate) fn is_full(&self) -> bool {
        self.queue.len() - self.at > ENOUGH
    }

    /// Writes everything out. The error means that nobody reads any more.
    pub(crate) async fn flush(&mut self) -> io::Result<()> {
        while self.at < self.queue.len() {
            let written = self.writer.write(&self.queue[self.at..]).await?;
            if written == 0 {
                return Err(io::ErrorKind::WriteZero.into());
            }
            self.at += written;
        }
        self.queue.clear();
        self.queue.shrink_to(CHUNK);
        self.at = 0;
        self.writer.flush().await?;
        self.flushed = true;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns all parts that the reader finds in these bytes when they come in pieces of `size`.
    async fn read(bytes: &[u8], size: usize) -> Vec<Incoming> {
        let (mut writer, reader) = tokio::io::duplex(size);
        let bytes = bytes.to_vec();
        let feed = tokio::spawn(async move { writer.write_all(&bytes).await });
        let mut input = Input::new(reader);
        let mut all = Vec::new();
        loop {
            match input.next().await {
                Incoming::End => break,
                found => all.push(found),
            }
        }
        feed.await.expect("no panic").expect("all is read");
        all
    }

    fn message(text: &str) -> Incoming {
        Incoming::Message(text.to_owned())
    }

    #[tokio::test]
    async fn headers_may_be_written_in_any_way_and_come_in_any_pieces() {
        let bytes = "Content-Length: 2\r\n\r\n{}\
            content-type: application/vscode-jsonrpc; charset=utf-8\r\nCONTENT-LENGTH:4\r\nX-Y: z\r\n\r\n\"é\"\
            \r\n\r\nContent-Length : 3\n\n[1]Content-Length: 0\r\n\r\nContent-Length: 1\r\n\r\n7";
        let expected = ["{}", "\"é\"", "[1]", "", "7"].map(message);
        for size in [1, 2, 3, 7, 1000] {
            assert_eq!(read(bytes.as_bytes(), size).await, expected, "pieces of {size}");
        }
    }

    #[tokio::test]
    async fn rubbish_is_told_once_and_reading_goes_on_behind_it() {
        for rubbish in [
            "{\"jsonrpc\":\"2.0\"}\n{\"id\": 1}\n",
            "{\"jsonrpc\":\"2.0\",\"id\":1}",
            "Content-Length: x\r\n\r\n{}",
            "Content-Length: -1\r\n\r\n{}",
            "Content-Length: 99999999999999999999\r\n\r\n{}",
            "Content-Length: 9999999999999\r\n\r\n{}",
            "Content-Type: x\r\n\r\n{}",
            "\u{0}\u{1}",
            &"x".repeat(100_000),
        ] {
            for size in [1, 5, 10_000] {
                let all = read(format!("{rubbish}Content-Length: 2\r\n\r\n{{}}").as_bytes(), size).await;
                assert!(
                    matches!(&all[0], Incoming::MessageError(MessageError { code: -32700, .. })),
                    "{all:?}"
                );
                assert_eq!(all[1..], [message("{}")], "{rubbish:.40} in pieces of {size}");
            }
        }
    }

    #[tokio::test]
    async fn a_message_that_is_too_long_is_skipped() {
        let long = format!("{{\"params\":\"{}\",\"id\":9}}", "x".repeat(MAX_BODY));
        let bytes =
            format!("Content-Length: {}\r\n\r\n{long}Content-Length: 2\r\n\r\n{{}}", long.len()).into_bytes();
        let all = read(&bytes, 1 << 20).await;
        let Incoming::MessageError(wrong) = &all[0] else { panic!("{:?}", all.len()) };
        assert_eq!((wrong.code, wrong.id.as_deref()), (-32600, Some("9")), "whoever asked is told");
        assert_eq!(all[1..], [message("{}")]);
    }

    #[tokio::test]
    async fn bytes_that_are_no_text_are_told_and_an_unfinished_message_is_none() {
        let all = read(
            b"Content-Length: 12\r\n\r\n{\"id\":4,\"\xff\xfe\"Content-Length: 2\r\n\r\n{}Content-Length: 9\r\n\r\n{",
            4,
        )
        .await;
        let Incoming::MessageError(wrong) = &all[0] else { panic!("{all:?}") };
        assert_eq!((wrong.code, wrong.id.as_deref()), (-32700, Some("4")));
        assert_eq!(all[1..], [message("{}")]);
    }

    #[tokio::test]
    async fn what_is_written_is_read_again() {
        let mut output = Output::new(Vec::new());
        assert!(output.is_idle());
        ["{}", "\"é\"", ""].iter().for_each(|text| output.push(text));
        assert!(!output.is_idle());
        output.flush().await.expect("written");
        assert!(output.is_idle());
        assert_eq!(read(&output.writer, 8).await, ["{}", "\"é\"", ""].map(message));
    }
}
