//! Records routes: the paths that web frameworks answer, each a definition named by its path as written.
//!
//! Each language finds the registrations; this module gives routes the same shape in all languages.

use crate::facts::{DefFlags, DefIdx, DefInput, DefKind, Receiver, RefInput, RefKind};
use crate::syntax::Node;
use crate::walk::Cx;

/// Longest path that names a route, in bytes; a longer one is cut.
const MAX_PATH: usize = 200;

/// Returns a route's path below a prefix, with one slash at its beginning and between its parts. The rest is as written:
/// every framework has its own form of parameters.
pub(crate) fn join_paths(prefix: &str, path: &str) -> String {
    let (prefix, path) = (prefix.trim().trim_matches('/'), path.trim().trim_start_matches('/'));
    let mut joined = String::with_capacity(prefix.len() + path.len() + 2);
    for part in [prefix, path].into_iter().filter(|part| !part.is_empty()) {
        joined.push('/');
        joined.push_str(part);
    }
    if joined.is_empty() {
        joined.push('/');
    }
    let end = (0..=MAX_PATH.min(joined.len())).rev().find(|&end| joined.is_char_boundary(end)).unwrap_or(0);
    joined.truncate(end);
    joined
}

/// Records a route. `text` is the node of its path and `whole` that of the registration, whose first line is the signature.
pub(crate) fn define_route(
    path: &str,
    text: Node<'_>,
    whole: Node<'_>,
    parent: Option<DefIdx>,
    cx: &mut Cx<'_>,
) -> DefIdx {
    let input = DefInput {
        name: path,
        kind: DefKind::Route,
        flags: DefFlags::default(),
        parent,
        qualifier: Some(""),
        lines: Cx::lines(whole),
        bytes: (whole.start_byte() as u32, whole.end_byte() as u32),
        name_at: cx.position(text),
        signature: cx.text(whole).lines().next().unwrap_or(""),
        doc: "",
    };
    cx.define(&input)
}

/// Records that the framework calls the definition whose name is at `name`, because `owner` registers it.
pub(crate) fn hand_over(name: Node<'_>, receiver: Receiver, owner: Option<DefIdx>, cx: &mut Cx<'_>) {
    let (line, col) = cx.position(name);
    let (name, kind) = (cx.text(name), RefKind::Framework);
    cx.facts.add_reference(&RefInput { name, kind, receiver, owner, line, col });
}

/// Returns the last name of a dotted expression, by which its use is recorded: `b` of `a.b`.
pub(crate) fn last_name(node: Node<'_>) -> Node<'_> {
    let mut at = node;
    while let Some(last) = at.named_child_count().checked_sub(1).and_then(|last| at.named_child(last as u32))
    {
        at = last;
    }
    at
}

#[cfg(test)]
mod tests {
    use super::join_paths;

    #[test]
    fn paths_have_one_slash_between_their_parts() {
        assert_eq!(join_paths("", ""), "/");
        assert_eq!(join_paths("/api/", "/users/"), "/api/users/");
        assert_eq!(join_paths("api", ""), "/api");
        assert_eq!(join_paths("", "users/<int:pk>"), "/users/<int:pk>");
        assert_eq!(join_paths("", &"é".repeat(200)).len(), 199);
    }
}
