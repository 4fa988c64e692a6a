//! Reads a unified diff, as `git diff` and `diff -u` print it, and applies it to texts in either direction.
//!
//! A hunk applies where its lines are: at the line that its header names, else at the only other place with
//! these lines. Nothing is fuzzy: a hunk whose lines are nowhere, or in several places, does not apply.

use hob_base::WsPath;

/// The changes of one file in a diff.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct FilePatch {
    /// The path before; `None` for a new file.
    pub before: Option<WsPath>,
    /// The path after; `None` for a removed file.
    pub after: Option<WsPath>,
    /// True if the diff only says that the contents differ.
    pub is_binary: bool,
    hunks: Vec<Hunk>,
}

#[derive(Clone, PartialEq, Eq, Debug, Default)]
struct Hunk {
    /// The 1-based first lines before and after.
    starts: [usize; 2],
    /// The lines before and after, without their marks.
    sides: [Vec<String>; 2],
}

/// A text that is no unified diff.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum DiffError {
    /// The text names no file.
    #[error("it names no file: a `--- a/PATH` line and a `+++ b/PATH` line have to stand above the hunks")]
    NoFiles,
    /// The number of a hunk's lines differs from its header.
    #[error("line {line} is in no hunk, or its hunk has other lines than its header counts")]
    BadHunk {
        /// The 1-based line of the diff.
        line: usize,
    },
    /// A path leads out of the project.
    #[error("`{path}` is no path within the project")]
    BadPath {
        /// The path as the diff has it.
        path: String,
    },
}

/// Reads a diff.
///
/// # Errors
/// [`DiffError`] for a text that is no diff.
pub fn parse_diff(text: &str) -> Result<Vec<FilePatch>, DiffError> {
    let mut reading = DiffReader { lines: text.lines().collect(), at: 0, files: Vec::new() };
    while reading.at < reading.lines.len() {
        reading.read_line()?;
    }
    let is_telling = |file: &FilePatch| file.before.is_some() || file.after.is_some();
    reading.files.retain(is_telling);
    if reading.files.is_empty() { Err(DiffError::NoFiles) } else { Ok(reading.files) }
}

struct DiffReader<'t> {
    lines: Vec<&'t str>,
    at: usize,
    files: Vec<FilePatch>,
}

impl<'t> DiffReader<'t> {
    fn read_line(&mut self) -> Result<(), DiffError> {
        let line = self.lines[self.at];
        self.at += 1;
        if let Some(rest) = line.strip_prefix("diff --git ") {
            let file = file_of_header(rest)?;
            self.files.push(file);
        } else if let Some(rest) = line.strip_prefix("--- ") {
            return self.read_names(rest);
        } else if line.starts_with("@@ ") {
            return self.read_hunk(line);
        } else if let Some(file) = self.files.last_mut() {
            match line {
                _ if line.starts_with("new file") => file.before = None,
                _ if line.starts_with("deleted file") => file.after = None,
                _ if line.starts_with("Binary files") || line.starts_with("GIT binary") => {
                    file.is_binary = true;
                }
                _ => {}
            }
        }
        Ok(())
    }

    /// Reads `--- a/x` and the `+++ b/y` below it; without a `diff --git` line they begin a file.
    fn read_names(&mut self, before: &'t str) -> Result<(), DiffError> {
        let Some(after) = self.lines.get(self.at).and_then(|line| line.strip_prefix("+++ ")) else {
            return Ok(());
        };
        self.at += 1;
        let (before, after) = (path_of(before, "a/")?, path_of(after, "b/")?);
        match self.files.last_mut().filter(|file| file.hunks.is_empty() && !file.is_binary) {
            Some(file) => (file.before, file.after) = (before, after),
            None => self.files.push(FilePatch { before, after, ..FilePatch::default() }),
        }
        Ok(())
    }

    fn read_hunk(&mut self, header: &str) -> Result<(), DiffError> {
        let bad = DiffError::BadHunk { line: self.at };
        let (starts, mut wanted) = hunk_ranges(header).ok_or_else(|| bad.clone())?;
        let mut hunk = Hunk { starts, ..Hunk::default() };
        while wanted != [0, 0] {
            let line = *self.lines.get(self.at).ok_or_else(|| bad.clone())?;
            self.at += 1;
            let (mark, text) = line.split_at_checked(1).unwrap_or((" ", ""));
            let sides: &[usize] = match mark {
                " " => &[0, 1],
                "-" => &[0],
                "+" => &[1],
                "\\" => &[],
                _ => return Err(DiffError::BadHunk { line: self.at }),
            };
            for side in sides {
                wanted[*side] = wanted[*side].checked_sub(1).ok_or(DiffError::BadHunk { line: self.at })?;
                hunk.sides[*side].push(text.to_owned());
            }
        }
        self.files.last_mut().ok_or(DiffError::NoFiles)?.hunks.push(hunk);
        Ok(())
    }
}

/// Reads the paths of `diff --git a/x b/x`, which count if no other line names them.
fn file_of_header(rest: &str) -> Result<FilePatch, DiffError> {
    let Some((before, after)) = rest.split_once(" b/") else { return Ok(FilePatch::default()) };
    let after = path_of(after, "")?;
    Ok(FilePatch { before: path_of(before, "a/")?, after, ..FilePatch::default() })
}

/// Returns a path without its prefix and without the text that `diff` writes behind it; `None` for
/// `/dev/null`.
fn path_of(text: &str, prefix: &str) -> Result<Option<WsPath>, DiffError> {
    let path = text.split('\t').next().unwrap_or_default().trim().trim_matches('"');
    if path == "/dev/null" {
        return Ok(None);
    }
    let path = path.strip_prefix(prefix).unwrap_or(path);
    let is_plain = !path.split('/').any(|part| part.is_empty() || part == "." || part == "..");
    match WsPath::new(path).ok().filter(|_| is_plain) {
        Some(path) => Ok(Some(path)),
        None => Err(DiffError::BadPath { path: path.chars().take(200).collect() }),
    }
}

/// Reads the first lines and the numbers of lines of `@@ -1,2 +3,4 @@`.
fn hunk_ranges(header: &str) -> Option<([usize; 2], [usize; 2])> {
    let mut words = header.strip_prefix("@@ ")?.split(' ');
    let mut range = |mark: char| {
        let (start, count) =
            words.next()?.strip_prefix(mark).map(|word| word.split_once(',').unwrap_or((word, "1")))?;
        Some((start.parse().ok()?, count.parse().ok()?))
    };
    let (before, after): ((usize, usize), (usize, usize)) = (range('-')?, range('+')?);
    Some(([before.0, after.0], [before.1, after.1]))
}

impl FilePatch {
    /// Returns the text after the change, from the text before; `None` if a hunk does not apply.
    #[must_use]
    pub fn apply(&self, text: &str) -> Option<String> {
        self.replace_hunks(text, 0)
    }

    /// Returns the text before the change, from the text after; `None` if a hunk does not apply.
    #[must_use]
    pub fn revert(&self, text: &str) -> Option<String> {
        self.replace_hunks(text, 1)
    }

    fn replace_hunks(&self, text: &str, from: usize) -> Option<String> {
        let lines: Vec<&str> = text.lines().collect();
        let (mut out, mut at) = (Vec::new(), 0);
        for hunk in &self.hunks {
            let place = hunk.place_in(&lines, at, from)?;
            out.extend(lines[at..place].iter().copied());
            out.extend(hunk.sides[1 - from].iter().map(String::as_str));
            at = place + hunk.sides[from].len();
        }
        out.extend(lines[at..].iter().copied());
        let mut joined = out.join("\n");
        joined.push_str(if out.is_empty() { "" } else { "\n" });
        Some(joined)
    }
}

impl Hunk {
    /// Returns the index of the line at which one side of the hunk is, not before line `least`.
    fn place_in(&self, lines: &[&str], least: usize, side: usize) -> Option<usize> {
        let wanted = &self.sides[side];
        if wanted.is_empty() {
            // The hunk only inserts lines: behind the line that the header names.
            return (self.starts[side] >= least && self.starts[side] <= lines.len())
                .then_some(self.starts[side]);
        }
        let stands_at = |at: usize| {
            lines.get(at..at + wanted.len()).is_some_and(|found| {
                found.iter().zip(wanted).all(|(a, b)| a.trim_end_matches('\r') == b.trim_end_matches('\r'))
            })
        };
        let named = self.starts[side].saturating_sub(1);
        if named >= least && stands_at(named) {
            return Some(named);
        }
        let mut places = (least..lines.len()).filter(|at| stands_at(*at));
        places.next().filter(|_| places.next().is_none())
    }
}
