//! Shortens node IDs for readers: `path#name`, without the language, which the path already shows.

use hob_proto::NodeId;

use crate::one_line::one_line;

/// Returns `path#name`, a path, or a package's name; any tool accepts it. A text that is no node ID stays
/// unchanged.
pub(crate) fn handle_of(id: &str) -> String {
    match id.parse::<NodeId>() {
        Ok(NodeId::External { package, .. }) => package,
        Ok(NodeId::File { path, .. }) => path,
        Ok(NodeId::Symbol { .. }) => id.split_once(':').map_or(id, |(_, rest)| rest).to_owned(),
        Err(_) => id.to_owned(),
    }
}

/// Returns the qualified name of a node ID's definition; `None` for files and packages.
pub(super) fn qualified_name(id: &str) -> Option<&str> {
    id.split_once('#').map(|(_, name)| name)
}

/// Returns the qualified name of a node ID's definition; `file level` for a file, and a package's name.
pub(super) fn name_of(id: &str) -> String {
    match id.parse::<NodeId>() {
        Ok(NodeId::Symbol { qualified, .. }) => one_line(&qualified).into_owned(),
        Ok(NodeId::File { .. }) => "file level".to_owned(),
        Ok(NodeId::External { package, .. }) => one_line(&package).into_owned(),
        Err(_) => one_line(id).into_owned(),
    }
}

/// Formats line numbers, each once, the first `most` of them: `3,7,+12`; `all` is the number of uses.
pub(super) fn lines_of_uses(lines: &[u32], all: Option<usize>, most: usize) -> String {
    let mut shown: Vec<u32> = lines.to_vec();
    shown.dedup();
    let hidden = all.unwrap_or(lines.len()).saturating_sub(lines.len()) + shown.len().saturating_sub(most);
    shown.truncate(most);
    let shown: Vec<String> = shown.iter().map(ToString::to_string).collect();
    if hidden > 0 { format!("{},+{hidden}", shown.join(",")) } else { shown.join(",") }
}

/// Formats a number with its noun: `2 files`, `1 match`.
pub(super) fn count(n: u64, one: &str) -> String {
    let ending = match (n, one) {
        (1, _) => "",
        (_, "match") => "es",
        _ => "s",
    };
    format!("{n} {one}{ending}")
}
