//! Names the servers that one editor uses, and holds the state of the link to each: starting, up, failed or ended.

use std::collections::VecDeque;
use std::fmt;
use std::sync::Arc;
use std::time::Instant;

use hob_base::AbsPath;
use hob_live::instance::Instance;
use hob_live::overlay::ProjectOverlay;

use super::request::EditorRequest;

/// Most requests that wait for a starting server; further ones are answered as if there were no server.
pub(super) const MOST_QUEUED: usize = 256;

/// The server that an editor uses for some files: a project, and the preferred kind of server for them. It names the
/// preference, not the server that was found for it.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub(super) struct LinkKey {
    pub(super) root: AbsPath,
    pub(super) kind: &'static str,
}

impl fmt::Display for LinkKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} for {}", self.kind, self.root)
    }
}

/// The state of a link to a server, from its start to its end.
#[derive(Debug)]
pub(super) enum ServerLink {
    /// The server is starting; these requests wait for it.
    Starting(VecDeque<EditorRequest>),
    /// The server is running.
    Up(Arc<Instance>),
    /// The server could not be started at that time.
    Failed(Instant),
    /// The server was ended; the next request starts it again.
    Ended,
}

/// Returns a document's text as servers have it.
pub(super) fn text_of(view: &ProjectOverlay, uri: &str) -> Option<Arc<str>> {
    view.text_of(&view.document_of_uri(uri))
}
