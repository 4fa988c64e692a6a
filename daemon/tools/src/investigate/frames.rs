//! Finds the places that a question names: the frames of a stack trace, and `path:line` anywhere in an issue's text.
//!
//! Paths are those of the machine that wrote the trace, so only their ends are compared: the longest end that is a file
//! here counts.

use hob_base::FileId;
use hob_map::Map;
use hob_map::graph::NodeRef;

/// Most places that are returned.
const MOST: usize = 8;

/// A place that a line of the question names.
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
        let found = |path: &str| file_of(map, path);
        let file = |named: &NamedFrame<'_>| {
            let file = found(named.path).or_else(|| found(&path_in_package(line, named.path)?))?;
            Some((file, named.line))
        };
        match named.iter().find_map(file) {
            Some((file, at)) => {
                is_python |= line.contains("\", line ");
                nodes.push((map.symbol_at(file, at).map_or(NodeRef::File(file), NodeRef::Def), at));
                // A question may be one line, so its words other than the place count.
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

/// Returns the file whose path is the longest end of `path`, or ends with it. A bare name at the end of a longer path
/// is no sign, because libraries have files of every name.
pub(super) fn file_of(map: &Map, path: &str) -> Option<FileId> {
    let path = path.replace('\\', "/");
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

/// Returns the path of a file that a JVM's frame names without its folder, by the class before it: `org/x/Pool.java`
/// for `org.x.Pool.get(Pool.java:31)`.
fn path_in_package(line: &str, name: &str) -> Option<String> {
    let (before, _) = line.split_once(name)?;
    let called = before.strip_suffix('(')?.rsplit([' ', '\t', '/']).next()?;
    let (package, _) = called.rsplit_once('.')?.0.rsplit_once('.')?;
    Some(format!("{}/{name}", package.replace('.', "/")))
}

/// Returns the places in a line: `x.ts:3`, `x.ts:3:4`, and as Python (`File "x.py", line 12`), .NET (`in x.cs:line 3`),
/// PHP (`x.php on line 3`, `x.php(3)`) and some compilers (`x.cpp(3,4)`) write them.
fn frames_in_line(line: &str) -> Vec<NamedFrame<'_>> {
    let quoted = line.split_once("File \"").and_then(|(_, rest)| rest.split_once("\", line "));
    let spelled = || {
        let (before, rest) = line.split_once(":line ").or_else(|| line.split_once(" on line "))?;
        // A path may have spaces, so its beginning is only known from the words before it.
        Some((before.rsplit_once(" in ").map_or(before, |(_, path)| path), rest))
    };
    let bracketed = || {
        let (path, rest) = line.match_indices('(').find_map(|(at, _)| {
            let (before, rest) = (&line[..at], &line[at + 1..]);
            let path = before.rsplit(char::is_whitespace).next()?;
            (has_ending(path) && rest.starts_with(|c: char| c.is_ascii_digit())).then_some((path, rest))
        })?;
        Some((path, rest))
    };
    let found = quoted.or_else(spelled).or_else(bracketed);
    if let Some(named) = found.and_then(|(path, rest)| NamedFrame::new(path.trim(), rest)) {
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
    ends.find_map(|at| NamedFrame::new(&word[..at], &word[at + 1..]))
}

impl<'q> NamedFrame<'q> {
    /// Returns the frame; `None` if the path has no file ending, or if the rest does not begin with a number.
    fn new(path: &'q str, rest: &str) -> Option<Self> {
        let digits = rest.split(|c: char| !c.is_ascii_digit()).next()?;
        Some(Self { path, line: digits.parse().ok()? }).filter(|_| has_ending(path))
    }
}

/// Returns true if the last part of a path has an ending: `pool.ts`, and not `localhost` or `.5`.
fn has_ending(path: &str) -> bool {
    let name = path.rsplit(['/', '\\']).next().unwrap_or(path);
    name.split_once('.').is_some_and(|(stem, ending)| !stem.is_empty() && !ending.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_frame_of_a_jvm_tells_its_folder_by_its_class() {
        let path = |line| path_in_package(line, "Pool.java");
        assert_eq!(path("\tat org.x.Pool.get(Pool.java:31)").as_deref(), Some("org/x/Pool.java"));
        assert_eq!(path("\tat app//org.x.Pool$Inner.get(Pool.java:31)").as_deref(), Some("org/x/Pool.java"));
        assert_eq!(path("\tat Pool.get(Pool.java:31)"), None);
        assert_eq!(path("see Pool.java:31"), None);
    }

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
            ("   at App.Pool.Get() in C:\\src\\Pool.cs:line 31", "C:\\src\\Pool.cs", 31),
            ("   at App.Pool.Get() in /home/a b/src/Pool.cs:line 31", "/home/a b/src/Pool.cs", 31),
            ("#0 /app/src/Pool.php(123): App\\Pool->get()", "/app/src/Pool.php", 123),
            ("PHP Fatal error:  Uncaught Error in /app/src/Pool.php on line 12", "/app/src/Pool.php", 12),
            ("src/pool.ts(12,5): error TS2304: Cannot find name", "src/pool.ts", 12),
            ("    at get (C:\\app\\pool.js:3:4)", "C:\\app\\pool.js", 3),
            ("app/pool.rb:40:in `checkout'", "app/pool.rb", 40),
            ("    (app 0.1.0) lib/pool.ex:12: Pool.get/1", "lib/pool.ex", 12),
            ("#1      Pool.get (package:app/src/pool.dart:12:5)", "package:app/src/pool.dart", 12),
            ("#0 0x4f2 in get_connection /src/pool.c:88:3", "/src/pool.c", 88),
        ] {
            assert_eq!(frames_in_line(line), [NamedFrame { path, line: at }], "{line}");
        }
        for line in [
            "see http://a.b/c",
            "at 12:30 we saw it",
            "x: int = 3",
            "localhost:8080",
            "f(3)",
            "based on line 3",
        ] {
            assert!(frames_in_line(line).is_empty(), "{line}");
        }
    }
}
