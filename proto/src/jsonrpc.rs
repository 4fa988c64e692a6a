//! Finds the ID of a JSON-RPC message that cannot be parsed.
//!
//! A client waits for an answer with the ID of its request, and can match no error that has `null` instead.
//! So if a message is no JSON, nests too deeply for a parser or is too long to buffer, this scanner reads its
//! bytes once more: strings and brackets are enough to find the `id` of the outermost object. All parts that
//! take JSON-RPC from outside share it: both shims and the daemon's editor sessions. It is no parser: it only
//! finds the ID to answer to.

use serde_json::Value;

/// Length of the longest ID in bytes, and of the longest field name that may be relevant.
const LONGEST: usize = 1024;

/// Finds the ID of a message in its bytes, which may come in pieces.
#[derive(Debug, Default)]
pub struct IdScan {
    depth: usize,
    place: IdScanPlace,
    /// True if a name comes next, not a value; at the outermost level.
    at_name: bool,
    /// The text that is being read, if it is relevant.
    text: Vec<u8>,
    name: Vec<u8>,
    id: Option<String>,
    /// True if the message is an answer: its ID is not one to answer to.
    is_answer: bool,
    is_over: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
enum IdScanPlace {
    #[default]
    Between,
    String {
        escaped: bool,
    },
    Scalar,
}

impl IdScan {
    /// Returns the ID in a whole message, as JSON; `None` if there is none, or only a value that cannot be
    /// one.
    #[must_use]
    pub fn find_id(message: &[u8]) -> Option<String> {
        let mut scan = Self::default();
        scan.feed(message);
        scan.id().map(str::to_owned)
    }

    /// Reads the next bytes.
    pub fn feed(&mut self, bytes: &[u8]) {
        for byte in bytes {
            if self.is_over {
                return;
            }
            self.read_byte(*byte);
        }
    }

    /// Returns the ID found so far, as JSON: a string or a number.
    #[must_use]
    pub fn id(&self) -> Option<&str> {
        self.id.as_deref().filter(|_| !self.is_answer)
    }

    fn read_byte(&mut self, byte: u8) {
        match self.place {
            IdScanPlace::String { escaped: true } => {
                self.keep_byte(byte, IdScanPlace::String { escaped: false });
            }
            IdScanPlace::String { .. } if byte == b'\\' => {
                self.keep_byte(byte, IdScanPlace::String { escaped: true });
            }
            IdScanPlace::String { .. } if byte == b'"' => {
                self.keep_byte(byte, IdScanPlace::Between);
                self.end_of_text();
            }
            IdScanPlace::Scalar if b",]} \t\r\n".contains(&byte) => {
                self.place = IdScanPlace::Between;
                self.end_of_text();
                self.read_structure_byte(byte);
            }
            place @ (IdScanPlace::String { .. } | IdScanPlace::Scalar) => self.keep_byte(byte, place),
            IdScanPlace::Between => self.read_structure_byte(byte),
        }
    }

    /// Adds a byte to the text, and sets the next place of the scanner.
    fn keep_byte(&mut self, byte: u8, then: IdScanPlace) {
        let is_of_interest = self.depth == 1 && (self.at_name || self.name == b"\"id\"");
        if is_of_interest && self.text.len() <= LONGEST {
            self.text.push(byte);
        }
        self.place = then;
    }

    fn read_structure_byte(&mut self, byte: u8) {
        match byte {
            // A batch of several messages, or of none.
            b'[' if self.depth == 0 => self.is_over = true,
            b'{' | b'[' => {
                self.depth += 1;
                self.at_name = self.depth == 1;
            }
            b'}' | b']' => {
                self.depth = self.depth.saturating_sub(1);
                self.is_over = self.depth == 0;
            }
            b',' if self.depth == 1 => self.at_name = true,
            b':' if self.depth == 1 => self.at_name = false,
            b'"' => self.keep_byte(byte, IdScanPlace::String { escaped: false }),
            b' ' | b'\t' | b'\r' | b'\n' | b',' | b':' => {}
            _ => self.keep_byte(byte, IdScanPlace::Scalar),
        }
    }

    fn end_of_text(&mut self) {
        let text = std::mem::take(&mut self.text);
        if self.depth != 1 || text.len() > LONGEST {
            return;
        }
        if self.at_name {
            self.is_answer |= [&b"\"result\""[..], b"\"error\""].contains(&&text[..]);
            self.name = text;
        } else if self.name == b"\"id\"" {
            let id = serde_json::from_slice::<Value>(&text).ok();
            self.id = id.filter(|id| id.is_string() || id.is_number()).map(|id| id.to_string());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn id(message: &str) -> Option<String> {
        let mut scan = IdScan::default();
        message.as_bytes().chunks(3).for_each(|piece| scan.feed(piece));
        let pieces = scan.id().map(str::to_owned);
        assert_eq!(pieces, IdScan::find_id(message.as_bytes()), "pieces make no difference");
        pieces
    }

    #[test]
    fn an_id_is_found_wherever_it_is() {
        let deep = format!("{}{}", "[".repeat(100_000), "]".repeat(100_000));
        for (message, expected) in [
            (r#"{"jsonrpc":"2.0","id":7,"method":"x","params":{"#.to_owned(), "7"),
            (r#"{"id" : "a\"b\\" , oops"#.to_owned(), r#""a\"b\\""#),
            (format!(r#"{{"method":"x","params":{deep},"id":-3}}"#), "-3"),
            (r#"{"method":"x","params":{"id":1,"text":"\"id\":2,"},"id":3.5}"#.to_owned(), "3.5"),
            (r#"{"params":["id",1],"id":"é","method":"\ud800"}"#.to_owned(), "\"é\""),
        ] {
            assert_eq!(id(&message).as_deref(), Some(expected), "{message:.80}");
        }
        assert_eq!(IdScan::find_id(b"{\"id\":4,\"params\":\"\xff\xfe\""), Some("4".to_owned()));
    }

    #[test]
    fn what_is_no_id_of_a_request_is_none() {
        for message in [
            "",
            "nope",
            "7",
            r#"[{"id":1}]"#,
            r#"{"id":null,"method":"x"}"#,
            r#"{"id":{"id":1}}"#,
            r#"{"id":5"#,
            r#"{"id":tru,"method":1}"#,
            r#"{"id":3,"result":{"#,
            r#"{"params":{"id":1}"#,
            r#"{"a":"id","b":2}"#,
            r#"{} {"id":1}"#,
        ] {
            assert_eq!(id(message), None, "{message}");
        }
        assert_eq!(id(&format!(r#"{{"id":"{}","method":1}}"#, "x".repeat(5_000))), None, "no id is so long");
    }
}
