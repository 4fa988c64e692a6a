//! Frames messages as the base protocol does: a `Content-Length` header, a blank line, that many bytes.
//!
//! Reading forgives what servers get wrong in practice: a line of plain text between messages (a package manager's
//! warning, a `print` in a plug-in) is skipped and counted. An impossible length is not forgiven: the place of the next
//! message is unknown then, so the connection ends.

use std::io::{self, BufRead, Read, Write};

/// Size limit of a message, in bytes; a server that announces more is broken, and must not make the daemon allocate it.
const MAX_BODY: usize = 256 << 20;

/// Size limit of a header line, in bytes.
const MAX_LINE: u64 = 16 << 10;

/// Most bytes of text outside of messages that may come before a message.
const MAX_NOISE: usize = 1 << 20;

/// Why no further message can be read.
#[derive(Debug, thiserror::Error)]
pub enum TransportError {
    /// The pipe broke while hob read from it.
    #[error("the pipe broke: {0}")]
    Io(#[from] io::Error),
    /// The pipe ended in the middle of a message.
    #[error("the output ended in the middle of a message")]
    Cut,
    /// The server sends something that is not the protocol.
    #[error("the output is not the language server protocol: {0}")]
    Garbage(String),
}

/// Reads one message after the other.
#[derive(Debug)]
pub struct MessageReader<R> {
    input: R,
    noise: usize,
}

impl<R: BufRead> MessageReader<R> {
    /// Makes a reader of the messages in `input`.
    pub fn new(input: R) -> Self {
        Self { input, noise: 0 }
    }

    /// Returns the number of bytes so far that belonged to no message.
    pub fn noise_bytes(&self) -> usize {
        self.noise
    }

    /// Returns the next message's body; `None` when the output ended between two messages.
    ///
    /// # Errors
    /// [`TransportError`]; after one, nothing more can be read.
    pub fn next_body(&mut self) -> Result<Option<Vec<u8>>, TransportError> {
        let Some(length) = self.read_header()? else { return Ok(None) };
        if length > MAX_BODY {
            return Err(TransportError::Garbage(format!("a message of {length} bytes is announced")));
        }
        // The buffer grows as bytes arrive: a false length costs only the memory for bytes that were really sent.
        let mut body = Vec::with_capacity(length.min(1 << 20));
        (&mut self.input).take(length as u64).read_to_end(&mut body)?;
        if body.len() < length { Err(TransportError::Cut) } else { Ok(Some(body)) }
    }

    /// Reads up to the blank line. Returns the announced length, or `None` at the end.
    fn read_header(&mut self) -> Result<Option<usize>, TransportError> {
        let mut length = None;
        let mut noise = 0;
        loop {
            let Some(line) = self.line()? else {
                return if length.is_some() { Err(TransportError::Cut) } else { Ok(None) };
            };
            match (parse_header_line(&line), length) {
                (RpcHeaderLine::Blank, Some(length)) => return Ok(Some(length)),
                (RpcHeaderLine::Length(announced), _) => length = Some(announced),
                (RpcHeaderLine::BadLength, _) => {
                    return Err(TransportError::Garbage("a message without a readable length".to_owned()));
                }
                // Other headers do not matter; without a length they count as noise.
                (RpcHeaderLine::Other, Some(_)) => {}
                (RpcHeaderLine::Blank | RpcHeaderLine::Other, None) => noise += line.len(),
            }
            if noise > MAX_NOISE {
                return Err(TransportError::Garbage("text without end instead of messages".to_owned()));
            }
            self.noise += if length.is_none() { line.len() } else { 0 };
        }
    }

    fn line(&mut self) -> Result<Option<Vec<u8>>, TransportError> {
        let mut line = Vec::new();
        (&mut self.input).take(MAX_LINE).read_until(b'\n', &mut line)?;
        Ok((!line.is_empty()).then_some(line))
    }
}

/// The meaning of one header line.
enum RpcHeaderLine {
    Blank,
    Length(usize),
    BadLength,
    Other,
}

fn parse_header_line(line: &[u8]) -> RpcHeaderLine {
    let line = line.trim_ascii();
    if line.is_empty() {
        return RpcHeaderLine::Blank;
    }
    let Some(colon) = line.iter().position(|&byte| byte == b':') else { return RpcHeaderLine::Other };
    let (name, value) = line.split_at(colon);
    if !name.eq_ignore_ascii_case(b"content-length") {
        return RpcHeaderLine::Other;
    }
    let number = std::str::from_utf8(&value[1..]).ok().and_then(|text| text.trim().parse().ok());
    number.map_or(RpcHeaderLine::BadLength, RpcHeaderLine::Length)
}

/// Writes one message at once: a server would wake up for each part of it.
///
/// # Errors
/// The error of a pipe that is closed or breaks.
pub fn write_body(output: &mut impl Write, body: &[u8]) -> io::Result<()> {
    let mut message = format!("Content-Length: {}\r\n\r\n", body.len()).into_bytes();
    message.extend_from_slice(body);
    output.write_all(&message)?;
    output.flush()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read_all_bodies(input: &[u8]) -> (Vec<String>, Option<TransportError>) {
        let mut reader = MessageReader::new(input);
        let mut bodies = Vec::new();
        loop {
            match reader.next_body() {
                Ok(Some(body)) => bodies.push(String::from_utf8(body).expect("text")),
                Ok(None) => return (bodies, None),
                Err(error) => return (bodies, Some(error)),
            }
        }
    }

    #[test]
    fn messages_are_read_back_as_written() {
        let mut out = Vec::new();
        ["{}", "", "{\"a\":\"ü\"}"]
            .iter()
            .for_each(|body| write_body(&mut out, body.as_bytes()).expect("memory"));
        assert!(matches!(read_all_bodies(&out), (bodies, None) if bodies == ["{}", "", "{\"a\":\"ü\"}"]));
    }

    #[test]
    fn headers_may_be_many_and_in_any_case() {
        let input = b"content-type: x\r\nCONTENT-LENGTH:2\n\r\n{}";
        assert!(matches!(read_all_bodies(input), (bodies, None) if bodies == ["{}"]));
    }

    #[test]
    fn text_between_messages_is_skipped() {
        let input =
            b"npm warn something\n\nTrace: 1\r\nContent-Length: 2\r\n\r\n{}\r\nContent-Length: 2\r\n\r\n[]";
        assert!(matches!(read_all_bodies(input), (bodies, None) if bodies == ["{}", "[]"]));
        let mut reader = MessageReader::new(&input[..]);
        reader.next_body().expect("readable");
        assert!(reader.noise_bytes() > 0);
    }

    #[test]
    fn what_cannot_be_followed_ends_the_connection() {
        for (input, bodies) in [
            (&b"Content-Length: 9\r\n\r\n{}"[..], 0),
            (b"Content-Length: 2\r\n\r\n{}Content-Length: 5\r\n", 1),
            (b"Content-Length: many\r\n\r\n{}", 0),
            (b"Content-Length: -1\r\n\r\n{}", 0),
            (b"Content-Length: 99999999999\r\n\r\n{}", 0),
        ] {
            let (read, error) = read_all_bodies(input);
            assert!(read.len() == bodies && error.is_some(), "{}: {error:?}", String::from_utf8_lossy(input));
        }
        let endless = vec![b'x'; 2 * MAX_NOISE];
        assert!(matches!(read_all_bodies(&endless), (_, Some(TransportError::Garbage(_)))));
    }
}
