//! Chooses the folder that a call is about when its arguments name none.
//!
//! In order: the call's `root` argument (the daemon's business), `--root`, the first existing folder among the client's
//! MCP roots, `CLAUDE_PROJECT_DIR`, the working directory. Roots are asked for when the first call needs them, because
//! asking earlier delays nothing useful and some clients answer only once they are idle; revision 2026-07-28 has no
//! requests from server to client, so there the environment decides. This file judges no folder: it only chooses one.

use std::path::{Path, PathBuf};
use std::time::Duration;

use rmcp::RoleServer;
use rmcp::model::ProtocolVersion;
use rmcp::service::{Peer, RequestContext};
use tokio::sync::Mutex;

/// The longest time that a client may take to name its roots before the call goes on without them.
const PATIENCE: Duration = Duration::from_secs(2);

/// Chooses the root of a call.
#[derive(Debug)]
pub(crate) struct Roots {
    /// `--root`: nothing else is asked then.
    fixed: Option<PathBuf>,
    /// The folder that the environment suggests.
    fallback: PathBuf,
    /// The client's answer; the lock is held while it is being asked, so that it is asked once.
    asked: Mutex<RootsAnswer>,
}

#[derive(Debug, Default)]
enum RootsAnswer {
    #[default]
    NotYet,
    /// The first root that exists, if any.
    Answered(Option<PathBuf>),
}

impl Roots {
    pub(crate) fn new(fixed: Option<PathBuf>, fallback: PathBuf) -> Self {
        Self { fixed, fallback, asked: Mutex::default() }
    }

    /// The root as far as it is known without asking anybody.
    pub(crate) fn known_root(&self) -> &Path {
        self.fixed.as_deref().unwrap_or(&self.fallback)
    }

    /// The root for a call in this context.
    pub(crate) async fn root_for_call(&self, context: &RequestContext<RoleServer>) -> PathBuf {
        if self.fixed.is_none()
            && has_roots(context)
            && let Some(root) = self.ask_client(&context.peer).await
        {
            return root;
        }
        self.known_root().to_path_buf()
    }

    async fn ask_client(&self, peer: &Peer<RoleServer>) -> Option<PathBuf> {
        let mut asked = self.asked.lock().await;
        if let RootsAnswer::Answered(root) = &*asked {
            return root.clone();
        }
        let root = tokio::time::timeout(PATIENCE, first_folder(peer)).await.ok().flatten();
        *asked = RootsAnswer::Answered(root.clone());
        root
    }

    /// The client says that its roots changed: ask again at the next call.
    pub(crate) async fn forget_roots(&self) {
        *self.asked.lock().await = RootsAnswer::NotYet;
    }
}

fn has_roots(context: &RequestContext<RoleServer>) -> bool {
    let older = context.protocol_version().is_none_or(|version| version < ProtocolVersion::V_2026_07_28);
    older && context.client_capabilities().is_some_and(|offered| offered.roots.is_some())
}

/// The first of the client's roots that exists.
#[expect(deprecated, reason = "older revisions still have roots")]
async fn first_folder(peer: &Peer<RoleServer>) -> Option<PathBuf> {
    let answer = peer.list_roots().await.ok()?;
    answer.roots.iter().filter_map(|root| folder_of(&root.uri)).find(|folder| folder.exists())
}

/// The path of a `file://` URI (RFC 8089), when it is one and is UTF-8.
fn folder_of(uri: &str) -> Option<PathBuf> {
    let rest = uri.get(7..).filter(|_| uri[..7].eq_ignore_ascii_case("file://"))?;
    let path = rest.strip_prefix("localhost").unwrap_or(rest);
    let path = decode(path.split(['?', '#']).next().unwrap_or(path))?;
    let is_drive = cfg!(windows) && path.as_bytes().get(2) == Some(&b':');
    match path.strip_prefix('/') {
        Some(drive) if is_drive => Some(PathBuf::from(drive)),
        Some(_) => Some(PathBuf::from(path)),
        None => None,
    }
}

fn decode(text: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((first, tail)) = rest.split_first() {
        rest = tail;
        if *first != b'%' {
            bytes.push(*first);
            continue;
        }
        let code = rest.get(..2).and_then(|code| std::str::from_utf8(code).ok())?;
        bytes.push(u8::from_str_radix(code, 16).ok()?);
        rest = &rest[2..];
    }
    String::from_utf8(bytes).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[cfg(unix)]
    #[test]
    fn file_uris_become_paths() {
        assert_eq!(folder_of("file:///a/b%20c"), Some("/a/b c".into()));
        assert_eq!(folder_of("FILE://localhost/a"), Some("/a".into()));
        assert_eq!(folder_of("file:///%C3%A9#x"), Some("/é".into()));
        for bad in ["", "file", "http://x/a", "file://host/a", "file:///%", "file:///%zz", "file:///%ff", "é"]
        {
            assert_eq!(folder_of(bad), None, "{bad}");
        }
    }
}
