//! Writes file names in a diff, quoted where git quotes them.

use std::fmt::Write as _;

use hob_base::WsPath;

/// Returns one side of a diff: a name, or `/dev/null` where there is no file.
pub(super) fn diff_side(prefix: &str, path: Option<&WsPath>) -> String {
    path.map_or_else(|| "/dev/null".to_owned(), |path| quote_name(prefix, path))
}

/// Quotes a name as in C if it has quotes, backslashes or control characters. Letters of any language stay as they are,
/// which git reads whatever `core.quotePath` is.
pub(super) fn quote_name(prefix: &str, path: &WsPath) -> String {
    let name = path.as_str();
    if !name.chars().any(needs_quoting) {
        return format!("{prefix}{name}");
    }
    let mut out = format!("\"{prefix}");
    for c in name.chars() {
        match c {
            '"' | '\\' => out.extend(['\\', c]),
            '\n' => out.push_str("\\n"),
            '\t' => out.push_str("\\t"),
            '\r' => out.push_str("\\r"),
            c if needs_quoting(c) => {
                let _ = write!(out, "\\{:03o}", u32::from(c));
            }
            c => out.push(c),
        }
    }
    out.push('"');
    out
}

fn needs_quoting(c: char) -> bool {
    c.is_ascii_control() || c == '"' || c == '\\'
}
