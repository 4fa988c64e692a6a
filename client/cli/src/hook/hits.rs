//! Finds the lines that a search printed, in the notations of ripgrep, grep and the clients' own search tools.

/// Most lines that are read, and most hits that are returned.
const MOST_LINES: usize = 400;
const MOST_HITS: usize = 12;

/// A line that a search found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct SearchHit {
    pub(super) path: String,
    pub(super) line: u32,
}

/// Returns the hits in a search's output. `searched` is the only file that was searched, if there was one: the output
/// need not name it.
pub(super) fn find_hits(output: &str, searched: Option<&str>) -> Vec<SearchHit> {
    let mut hits = Vec::new();
    let mut heading = searched.map(str::to_owned);
    for line in output.lines().take(MOST_LINES) {
        // Gemini CLI puts this before the output of a shell.
        let line = line.strip_prefix("Output: ").unwrap_or(line);
        if let Some(hit) = path_and_line(line) {
            hits.push(hit);
        } else if let Some(number) = leading_line(line.trim_start()) {
            let hit = heading.clone().map(|path| SearchHit { path, line: number });
            hits.extend(hit);
        } else if let Some(path) = heading_path(line.trim()) {
            heading = Some(path.to_owned());
        }
        if hits.len() >= MOST_HITS {
            break;
        }
    }
    hits
}

/// Parses `src/a.py:12:text`, as ripgrep and grep print it.
fn path_and_line(line: &str) -> Option<SearchHit> {
    let starts = line.match_indices(':').map(|(at, _)| at);
    for at in starts {
        let digits = line[at + 1..].find(|c: char| !c.is_ascii_digit())?;
        if digits > 0 && line[at + 1 + digits..].starts_with(':') {
            let path = &line[..at];
            let is_path = !path.is_empty() && path.len() < 400 && !path.starts_with(char::is_whitespace);
            let is_number = path.bytes().all(|byte| byte.is_ascii_digit());
            let number = line[at + 1..at + 1 + digits].parse().ok()?;
            return (is_path && !is_number && !path.contains(": "))
                .then(|| SearchHit { path: path.to_owned(), line: number });
        }
    }
    None
}

/// Parses `12:text` below a heading; opencode writes `Line 12: text`, Gemini CLI `L12: text`.
fn leading_line(line: &str) -> Option<u32> {
    let rest = line.strip_prefix("Line ").or_else(|| line.strip_prefix('L')).unwrap_or(line);
    let digits = rest.find(|c: char| !c.is_ascii_digit())?;
    (digits > 0 && rest[digits..].starts_with(':')).then(|| rest[..digits].parse().ok())?
}

/// Parses a path on a line of its own; Gemini CLI writes `File: a.py`, opencode `/w/a.py:`.
fn heading_path(line: &str) -> Option<&str> {
    let path = line.strip_prefix("File: ").unwrap_or(line);
    let path = path.strip_suffix(':').unwrap_or(path);
    let is_path = path.len() < 400 && path.contains(['/', '.', '\\']) && !path.contains(char::is_whitespace);
    (is_path && !path.ends_with('.')).then_some(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(output: &str, searched: Option<&str>, expected: &[(&str, u32)]) {
        let found = find_hits(output, searched);
        let found: Vec<(&str, u32)> = found.iter().map(|hit| (hit.path.as_str(), hit.line)).collect();
        assert_eq!(found, expected, "{output}");
    }

    #[test]
    fn every_notation_gives_the_same_hits() {
        let expected = [("src/a.py", 3), ("src/a.py", 40), ("b.rs", 7)];
        check("src/a.py:3:x = 1\nsrc/a.py:40:  y: int = 2\nb.rs:7:fn f() {\n", None, &expected);
        check("src/a.py\n3:x = 1\n40:  y: int = 2\n\nb.rs\n7:fn f() {\n", None, &expected);
        check(
            "Found 3 matches for pattern \"x\" in path \".\":\n---\nFile: src/a.py\nL3: x = 1\nL40: y\n---\nFile: b.rs\nL7: fn\n---",
            None,
            &expected,
        );
        check(
            "Found 3 matches\nsrc/a.py:\n  Line 3: x\n  Line 40: y\n\nb.rs:\n  Line 7: fn f()\n",
            None,
            &expected,
        );
        check("3:x = 1\n40:y\n", Some("src/a.py"), &expected[..2]);
        check("<untrusted_context>\nOutput: src/a.py:3:x\nProcess Group PGID: 26842\n", None, &expected[..1]);
        check("src/a.py:3:5:x = 1\n", None, &expected[..1]);
    }

    #[test]
    fn what_is_no_hit_is_left_alone() {
        for output in
            ["", "no matches", "12", "3:x", ":::", "a:1", "error: x:1:2", "12:13:14", "warning: unused"]
        {
            check(output, None, &[]);
        }
        check("C:\\w\\a.py:3:x", None, &[("C:\\w\\a.py", 3)]);
        let many = "a.py:1:x\n".repeat(1_000);
        assert_eq!(find_hits(&many, None).len(), MOST_HITS);
    }
}
