//! Parses the written forms of a target, apart from their meaning: a path with lines behind it, and a path with a name
//! behind it. These are pure functions over text, which do not know whether a file or a symbol exists.

/// The lines behind a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum WrittenLines {
    /// No lines: the whole file.
    Whole,
    /// One line, and a column if one was given; both 1-based.
    At {
        /// The line, 1-based.
        line: u32,
        /// The column, in UTF-16 units.
        col: Option<u32>,
    },
    /// The lines from the first to the second, including both.
    Lines(u32, u32),
}

/// Removes white space, back-ticks and quotes around a name.
pub(super) fn trimmed(text: &str) -> &str {
    text.trim().trim_matches(['`', '"', '\'']).trim()
}

/// Returns every way to read a text as a path with lines behind it, the most specific one first: `path:3`, `path:3:7`,
/// `path:3-9`, `path#L3-L9`, with or without a colon at the end as compilers write it. The last way is a path alone.
pub(super) fn places(text: &str) -> Vec<(&str, WrittenLines)> {
    let whole = text.trim_end_matches(':');
    let mut all = Vec::new();
    if let Some((path, lines)) = whole.rsplit_once("#L") {
        all.extend(lines_of(lines).map(|span| (path, span)));
    }
    if let Some((before, last)) = whole.rsplit_once(':') {
        if let (Some((path, line)), Some(col)) = (before.rsplit_once(':'), number(last))
            && let Some(line) = number(line)
        {
            all.push((path, WrittenLines::At { line, col: Some(col) }));
        }
        all.extend(lines_of(last).map(|span| (before, span)));
    }
    all.push((whole, WrittenLines::Whole));
    all.retain(|(path, _)| !path.is_empty());
    all
}

/// Returns every way to read a text as a path and a name in that file: one for each `#`, and one for a colon or `::`,
/// as in `src/run.rs:run`.
pub(super) fn members(text: &str) -> impl Iterator<Item = (&str, &str)> {
    let hashes = text.match_indices('#').map(|(at, _)| (&text[..at], &text[at + 1..]));
    let is_path = |part: &str| part.contains(['/', '.']) && !part.ends_with(':');
    let colon = text.split_once(':').filter(|(path, name)| is_path(path) && !name.starts_with(':'));
    // `src/run.rs::run`, in Rust's notation.
    let colons = text.split_once("::").filter(|(path, name)| path.contains('/') && !name.starts_with(':'));
    let cuts = hashes.chain(colon).chain(colons);
    cuts.filter(|(path, name)| !path.is_empty() && !name.is_empty())
}

/// Parses `3`, `3-9` and `3-L9`.
fn lines_of(text: &str) -> Option<WrittenLines> {
    match text.split_once(['-', '–']) {
        None => Some(WrittenLines::At { line: number(text)?, col: None }),
        Some((from, to)) => {
            let (from, to) = (number(from)?, number(to.trim_start_matches('L'))?);
            Some(WrittenLines::Lines(from.min(to), from.max(to)))
        }
    }
}

/// Parses a number from 1, written in digits.
fn number(text: &str) -> Option<u32> {
    text.bytes().all(|b| b.is_ascii_digit()).then(|| text.parse().ok()).flatten().filter(|n| *n > 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_read_from_the_end() {
        let at = |line, col| WrittenLines::At { line, col };
        assert_eq!(places("a.py:3"), [("a.py", at(3, None)), ("a.py:3", WrittenLines::Whole)]);
        assert_eq!(places("a.py:3:7")[0], ("a.py", at(3, Some(7))));
        assert_eq!(places("a.py:3:")[0], ("a.py", at(3, None)));
        assert_eq!(places("a.py:9-3")[0], ("a.py", WrittenLines::Lines(3, 9)));
        assert_eq!(places("a.py#L3-L9")[0], ("a.py", WrittenLines::Lines(3, 9)));
        assert_eq!(places("a.py"), [("a.py", WrittenLines::Whole)]);
        for name in ["A::b", "a.py:0", "a.py:x", ":3", "a.py:3-x"] {
            assert_eq!(places(name).len(), 1, "{name}");
        }
    }

    #[test]
    fn members_are_cut_at_every_hash() {
        let all: Vec<_> = members("src/a.ts#Hono.#handle").collect();
        assert_eq!(all, [("src/a.ts", "Hono.#handle"), ("src/a.ts#Hono.", "handle")]);
        assert_eq!(members("#handle").count(), 0);
        assert_eq!(members("src/run.rs:run").collect::<Vec<_>>(), [("src/run.rs", "run")]);
        assert_eq!(members("src/run.rs::run").collect::<Vec<_>>(), [("src/run.rs", "run")]);
        assert_eq!(members("crate::run").count() + members("a.b::c").count(), 0);
    }
}
