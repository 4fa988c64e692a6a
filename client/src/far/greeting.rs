//! Defines the line that `hob proxy` writes before it copies bytes.
//!
//! The reader skips the output of a login shell before the line, so that none of it reaches the protocol. The line has
//! the facts that the near side needs to greet the daemon: the project's real path there, and the real paths of
//! mappings. Or it says why there is no daemon.

use std::io;

use hob_proto::ToolError;
use serde::{Deserialize, Serialize};
use tokio::io::{AsyncBufRead, AsyncBufReadExt as _, AsyncReadExt as _};

/// The mark before the JSON of a greeting.
const MARK: &str = "hob-proxy ";

/// Most bytes up to the end of a greeting.
const LONGEST: u64 = 256 * 1024;

/// The greeting of `hob proxy`. Fields are added, never renamed: both sides may be of different versions.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct FarGreeting {
    /// The version of hob on the far side.
    pub version: String,
    /// The project's folder there, absolute and with links resolved.
    pub root: String,
    /// The far folders of the requested mappings, in their order, likewise.
    pub paths: Vec<String>,
    /// True if a daemon ran there before this side connected; a connection starts one.
    pub running: bool,
    /// The kind of machine, as `uname -sm` names it, if hob is missing there.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub missing: Option<String>,
    /// The error that prevents the daemon from serving.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<ToolError>,
}

impl FarGreeting {
    /// Returns the greeting as a line.
    pub(crate) fn to_line(&self) -> String {
        // Plain data with string keys always serialises.
        format!("{MARK}{}\n", serde_json::to_string(self).unwrap_or_default())
    }

    fn read_line(line: &str) -> Option<Self> {
        serde_json::from_str(line.split_once(MARK)?.1).ok()
    }

    /// Reads up to the greeting; `None` at the end of the stream, or after too much other output.
    pub(crate) async fn read_from(from: &mut (impl AsyncBufRead + Unpin)) -> io::Result<Option<Self>> {
        let mut limited = from.take(LONGEST);
        loop {
            let mut line = Vec::new();
            if limited.read_until(b'\n', &mut line).await? == 0 {
                return Ok(None);
            }
            if let Some(greeting) = Self::read_line(&String::from_utf8_lossy(&line)) {
                return Ok(Some(greeting));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_login_shell_says_before_is_passed_over() {
        let sent = FarGreeting { version: "1".into(), root: "/srv/\u{fc}".into(), ..FarGreeting::default() };
        let stream = format!("Welcome to devbox\n\u{7}mail! {}\u{1}\u{2}", sent.to_line());
        let mut bytes = stream.as_bytes();
        let runtime = tokio::runtime::Builder::new_current_thread().build().expect("a runtime");
        let read = runtime.block_on(FarGreeting::read_from(&mut bytes)).expect("no error");
        assert_eq!(read, Some(sent));
        assert_eq!(bytes, b"\x01\x02", "what follows is the protocol's");
        let read =
            runtime.block_on(FarGreeting::read_from(&mut &b"no such command\n"[..])).expect("no error");
        assert_eq!(read, None);
    }
}
