//! Places that a question names: the frames of a stack trace, and `path:line` anywhere in an issue's text.
//!
//! Paths are those of the machine that the trace comes from, so only their ends are compared: the longest end that is a file here.

use hob_base::FileId;
use hob_map::Map;
use hob_map::graph::NodeRef;

/// Places that are looked at.
const MOST: usize = 8;

/// A place as a line of the question names it.
#[derive(Clone, Debug, PartialEq, Eq)]
struct NamedFrame<'q> {
    path: &'q str,
    line: u32,
}

/// Returns the nodes that a question names by place, each with the line, innermost frame first; and the question
/// without these places.
pub(super) fn named_places(map: &Map, query: &str) -> (Vec<(NodeRef, u32)>, String) {
    let (mut nodes, mut rest, mut is_python) = (Vec::new(), String::new(), false);
    for line in query.lines() {
        let named = frames_in_line(line);
        let file = |named: &NamedFrame<'_>| Some((file_of(map, named.path)?, named.line));
        match named.iter().find_map(file) {
            Some((file, at)) => {
                is_python |= line.contains("\", line ");
                nodes.push((map.symbol_at(file, at).map_or(NodeRef::File(file), NodeRef::Def), at));
                // A question may be one line: what it says besides the place counts.
                let words =
                    line.split_whitespace().filter(|word| !named.iter().any(|one| word.contains(one.path)));
                rest.extend(words.flat_map(|word| [word, " "]));
            }
            None => rest.push_str(line),
        }
        rest.push('\n');
    }
    // Python prints the innermost call last.
    if is_python {
        nodes.reverse();
    }
    let mut seen = std::collections::HashSet::new();
    nodes.retain(|(node, _)| seen.insert(*node));
    nodes.truncate(MOST);
    (nodes, rest)
}

/// The file that the longest end of a path is, or is an end of. A bare name at the end of a longer path is no sign: libraries have files
/// of every name.
pub(super) fn file_of(map: &Map, path: &str) -> Option<FileId> {
    let path = path.trim_start_matches("./").trim_start_matches('/');
    let ends = std::iter::successors(Some(path), |path| path.split_once('/').map(|(_, rest)| rest));
    ends.filter(|end| !end.is_empty()).find_map(|end| {
        let ending = || match map.files_ending(end)[..] {
            [file] if end.contains('/') || end == path => Some(file),
            _ => None,
        };
        map.file_at(end).or_else(ending)
    })
}

/// The places in a line: `File "x.py", line 12` and `x.ts:3`, `x.ts:3:4`.
fn frames_in_line(line: &str) -> Vec<NamedFrame<'_>> {
    let python = line.split_once("File \"").and_then(|(_, rest)| {
        let (path, rest) = rest.split_once("\", line ")?;
        let digits = rest.split(|c: char| !c.is_ascii_digit()).next()?;
        Some(NamedFrame { path, line: digits.parse().ok()? })
    });
    if let Some(named) = python {
        return vec![named];
    }
    let is_around = |c: char| {
        c.is_whitespace() || matches!(c, '(' | ')' | '[' | ']' | '"' | '\'' | '`' | ',' | '<' | '>')
    };
    line.split(is_around).filter_map(with_line).collect()
}

fn with_line(word: &str) -> Option<NamedFrame<'_>> {
    let word = word.strip_prefix("file://").unwrap_or(word);
    let mut ends = word.match_indices(':').map(|(at, _)| at);
    ends.find_map(|at| {
        let (path, rest) = (&word[..at], &word[at + 1..]);
        let digits = rest.split(|c: char| !c.is_ascii_digit()).next()?;
        let name = path.rsplit('/').next()?;
        let has_ending =
            name.split_once('.').is_some_and(|(stem, ending)| !stem.is_empty() && !ending.is_empty());
        Some(NamedFrame { path, line: digits.parse().ok()? }).filter(|_| has_ending)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frames_of_every_kind_are_read() {
        for (line, path, at) in [
            ("  File \"/srv/app/pool/base.py\", line 817, in get_connection", "/srv/app/pool/base.py", 817),
            ("    at checkout (/app/src/pool.ts:12:7)", "/app/src/pool.ts", 12),
            ("    at file:///app/src/pool.js:3:4", "/app/src/pool.js", 3),
            ("             at ./src/pool.rs:40:9", "./src/pool.rs", 40),
            ("\t/home/u/pool.go:88 +0x1d", "/home/u/pool.go", 88),
            ("\tat org.Pool.get(Pool.java:31)", "Pool.java", 31),
            ("src/pool.c:9: warning", "src/pool.c", 9),
        ] {
            assert_eq!(frames_in_line(line), [NamedFrame { path, line: at }], "{line}");
        }
        for line in ["see http://a.b/c", "at 12:30 we saw it", "x: int = 3", "localhost:8080"] {
            assert!(frames_in_line(line).is_empty(), "{line}");
        }
    }
}
