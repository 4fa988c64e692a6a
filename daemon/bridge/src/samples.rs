//! Makes outlines and definitions by hand, for tests.

use hob_base::WsPath;
use hob_live::requests::ServerOutline;
use hob_map::facts::{DefFlags, DefKind};
use hob_map::graph::{ExternalId, NodeInfo, NodeKind, NodeRef};
use hob_proto::node_id::NodeId;

pub(crate) fn outline_entry(name: &str, kind: &'static str, lines: (u32, u32)) -> ServerOutline {
    outline_with_children(name, kind, lines, Vec::new())
}

pub(crate) fn outline_with_children(
    name: &str,
    kind: &'static str,
    lines: (u32, u32),
    children: Vec<ServerOutline>,
) -> ServerOutline {
    ServerOutline { name: name.to_owned(), kind, lines, name_at: (lines.0, 5), detail: None, children }
}

/// Two classes; both have `close`, only the first has `refresh`.
pub(crate) fn session_outline(first: &str) -> Vec<ServerOutline> {
    let methods = vec![outline_entry("close", "method", (2, 3)), outline_entry("refresh", "method", (4, 6))];
    vec![
        outline_with_children(first, "class", (1, 6), methods),
        outline_with_children("Other", "class", (8, 10), vec![outline_entry("close", "method", (9, 10))]),
    ]
}

pub(crate) fn sample_def(qualified: &str, ordinal: u32, lines: (u32, u32), name_line: u32) -> NodeInfo {
    let path = WsPath::new("a.py").expect("relative");
    let id = NodeId::Symbol {
        lang: "py".to_owned(),
        path: path.to_string(),
        qualified: qualified.to_owned(),
        ordinal,
    };
    NodeInfo {
        node: NodeRef::External(ExternalId(0)),
        id,
        kind: NodeKind::Def(if qualified.contains('.') { DefKind::Method } else { DefKind::Function }),
        name: crate::names::last(qualified).to_owned(),
        qualified: qualified.to_owned(),
        path: Some(path),
        lines,
        bytes: (0, 0),
        name_at: (name_line, 5),
        signature: String::new(),
        doc: String::new(),
        flags: DefFlags::default(),
        score: 0.0,
    }
}
