//! Chooses the folder for a call whose arguments name none.
//!
//! The order is: the call's `root` argument and absolute paths in it (which the daemon reads), `--root`, the work tree
//! of earlier paths, the first existing folder among the client's MCP roots, `CLAUDE_PROJECT_DIR`, the working
//! directory.
//!
//! Agents move into a work tree of their repository, and clients do not report that. Their paths show it: once a call
//! that reads has an absolute path in a work tree beside the client's, later calls are about that one until a path lies
//! in the client's own again, or the client names other roots. Each such answer names its work tree. Other projects are
//! never followed: a path there concerns only its own call. Several agents may share one client, so only naming the
//! work tree each time is safe.
//!
//! hob asks for roots when the first call needs them, because asking earlier gains nothing and some clients answer only
//! once they are idle; revision 2026-07-28 has no requests from server to client, so there the environment decides.
//! This file checks no folder: it only chooses one.

use std::path::{Path, PathBuf};
use std::time::Duration;

use hob_client::work_tree::WorkTree;
use hob_proto::tools::argument_place::place_in_arguments;
use hob_proto::tools::{ToolDef, ToolSet};
use rmcp::RoleServer;
use rmcp::model::ProtocolVersion;
use rmcp::service::{Peer, RequestContext};
use serde_json::{Map, Value};
use tokio::sync::Mutex;

/// The longest time that a client may take to name its roots before the call goes on without them.
const PATIENCE: Duration = Duration::from_secs(2);

/// Chooses the root of a call.
#[derive(Debug)]
pub(crate) struct Roots {
    /// The folder of `--root`; if it is set, nothing else counts.
    fixed: Option<PathBuf>,
    /// The folder that the environment suggests.
    fallback: PathBuf,
    /// The client's answer; the lock is held during the question, so that the client is asked once.
    asked: Mutex<RootsAnswer>,
    /// True if work trees are followed: paths in arguments are of this machine, and there is no `--root`.
    follows: bool,
    /// The top of the followed work tree.
    followed: Mutex<Option<PathBuf>>,
}

/// The folder that a call is about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct CallRoot {
    pub(crate) folder: PathBuf,
    /// True if it is a followed work tree and not the folder that the client names.
    pub(crate) is_followed: bool,
}

#[derive(Debug, Default)]
enum RootsAnswer {
    #[default]
    NotYet,
    /// The first existing root, if any.
    Answered(Option<PathBuf>),
}

impl Roots {
    /// Creates the choice; `is_near` if the code is on this machine.
    pub(crate) fn new(fixed: Option<PathBuf>, fallback: PathBuf, is_near: bool) -> Self {
        let follows = is_near && fixed.is_none();
        Self { fixed, fallback, asked: Mutex::default(), follows, followed: Mutex::default() }
    }

    /// Returns the root as far as it is known without a question to the client.
    pub(crate) fn known_root(&self) -> &Path {
        self.fixed.as_deref().unwrap_or(&self.fallback)
    }

    /// Returns the root for a call of `tool` with `args` in this context.
    pub(crate) async fn root_for_call(
        &self,
        context: &RequestContext<RoleServer>,
        tool: &ToolDef,
        args: &Map<String, Value>,
    ) -> CallRoot {
        let named = self.named_root(context).await;
        if !self.follows {
            return CallRoot { folder: named, is_followed: false };
        }
        let mut followed = self.followed.lock().await;
        let place = place_in_arguments(args).filter(|_| tool.set != ToolSet::Hidden);
        let moved = place.and_then(|place| moved_to(&place, &named));
        // Reading moves a client; an edit applies to its own path, and the client stays where it is.
        let is_reading = tool.read_only && tool.set != ToolSet::Edit;
        if let Some(moved) = moved.clone().filter(|_| is_reading) {
            *followed = moved;
        }
        let folder = moved.unwrap_or_else(|| followed.clone()).filter(|folder| folder.is_dir());
        CallRoot { is_followed: folder.is_some(), folder: folder.unwrap_or(named) }
    }

    /// Returns the root that the client or the user names.
    async fn named_root(&self, context: &RequestContext<RoleServer>) -> PathBuf {
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

    /// Forgets the client's roots, because the client reports a change; the next call asks again.
    pub(crate) async fn forget_roots(&self) {
        *self.asked.lock().await = RootsAnswer::NotYet;
        *self.followed.lock().await = None;
    }
}

/// Returns the work tree into which a path moves a client that is at `named`; `Some(None)` back to its own. A path in no work tree of
/// the same repository moves nobody.
fn moved_to(place: &Path, named: &Path) -> Option<Option<PathBuf>> {
    let (there, own) = (WorkTree::around(place)?, WorkTree::around(named)?);
    match there.top == own.top {
        true => Some(None),
        false => there.is_beside(&own).then_some(Some(there.top)),
    }
}

fn has_roots(context: &RequestContext<RoleServer>) -> bool {
    let older = context.protocol_version().is_none_or(|version| version < ProtocolVersion::V_2026_07_28);
    older && context.client_capabilities().is_some_and(|offered| offered.roots.is_some())
}

/// Returns the first of the client's roots that exists.
#[expect(deprecated, reason = "older revisions still have roots")]
async fn first_folder(peer: &Peer<RoleServer>) -> Option<PathBuf> {
    let answer = peer.list_roots().await.ok()?;
    // The top of the file system is no project: clients without an open folder name it.
    let is_project = |folder: &PathBuf| folder.parent().is_some() && folder.exists();
    answer.roots.iter().filter_map(|root| folder_of(&root.uri)).find(is_project)
}

/// Returns the path of a `file://` URI (RFC 8089), if it is one and is UTF-8.
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
