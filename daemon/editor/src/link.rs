//! Names the servers that one editor uses, and holds the state of the way to each: it starts, is there, or is gone.

use std::collections::VecDeque;
use std::fmt;
use std::sync::Arc;
use std::time::Instant;

use hob_base::AbsPath;
use hob_live::instance::Instance;
use hob_live::views::ProjectOverlay;

use super::request::EditorRequest;

/// Most requests that wait for a server that starts; more are answered as if there were no server.
pub(super) const MOST_QUEUED: usize = 256;

/// The server that an editor uses for some files: a project, and the most wanted kind of server for them. It names
/// the choice, not the server that was found for it.
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
    /// A server is being started; these wait for it.
    Starting(VecDeque<EditorRequest>),
    /// The server instance is there.
    Up(Arc<Instance>),
    /// There was none to be had at that time.
    Failed(Instant),
    /// There was one, and it was ended; the next who needs it starts it again.
    Ended,
}

/// A document's text as servers have it.
pub(super) fn text_of(view: &ProjectOverlay, uri: &str) -> Option<Arc<str>> {
    view.text_of(&view.document_of_uri(uri))
}
