//! Reads lines of source for the page: the beginning of each definition, and the line of each use.
//!
//! The files are read from this disk in their present state. A file that is not where the map has it, or that lies
//! outside the project behind a link, is left out: the page then shows the signature alone.

use std::collections::BTreeMap;
use std::path::Path;

use super::model::Picture;
use crate::visible::in_words;

/// Most lines of a definition that are shown.
const LINES: usize = 14;
/// Most characters of a line that are shown.
const WIDE: usize = 110;
/// Size limit of files in bytes; larger ones are not mapped either.
const LARGEST: u64 = 1 << 20;

/// Lines of source for symbols and edges.
#[derive(Debug, Default)]
pub(super) struct SourceLines {
    /// The beginning of each symbol's definition, by the symbol's number.
    pub(super) previews: BTreeMap<usize, String>,
    /// The first line of each edge, by the edge's number.
    pub(super) uses: BTreeMap<usize, String>,
}

/// The lines to read from a file.
#[derive(Default)]
struct WantedLines {
    /// Symbols, each with its first line and its last.
    definitions: Vec<(usize, u32, u32)>,
    /// Edges, each with its line.
    uses: Vec<(usize, u32)>,
}

/// Reads the lines of the first `symbols` symbols and of the edges between them.
pub(super) fn read_source(picture: &Picture, symbols: usize) -> SourceLines {
    let mut wanted: BTreeMap<u32, WantedLines> = BTreeMap::new();
    for (number, symbol) in picture.symbols.iter().enumerate().take(symbols) {
        let (first, last) = (symbol.seen.line, symbol.seen.end.max(symbol.seen.line));
        wanted.entry(symbol.file).or_default().definitions.push((number, first, last));
    }
    for (number, edge) in picture.edges.iter().enumerate() {
        let line = edge[4] as u32;
        let from = picture.symbols[..symbols.min(picture.symbols.len())].get(edge[0] as usize);
        if let Some(from) = from.filter(|_| line > 0 && edge[1] < symbols as u64) {
            wanted.entry(from.file).or_default().uses.push((number, line));
        }
    }
    let mut found = SourceLines::default();
    if picture.is_far {
        return found;
    }
    let Ok(root) = Path::new(&picture.root).canonicalize() else { return found };
    for (file, wanted) in &wanted {
        let path = &picture.files[*file as usize].path;
        if let Some(text) = read_within(&root, path) {
            take_lines(&text, wanted, &mut found);
        }
    }
    found
}

/// Reads the text of a file, if it lies in `root`.
fn read_within(root: &Path, path: &str) -> Option<String> {
    let file = root.join(path).canonicalize().ok().filter(|file| file.starts_with(root))?;
    let is_small = file.metadata().is_ok_and(|meta| meta.is_file() && meta.len() <= LARGEST);
    let bytes = is_small.then(|| std::fs::read(&file).ok()).flatten()?;
    Some(String::from_utf8_lossy(&bytes).into_owned())
}

fn take_lines(text: &str, wanted: &WantedLines, found: &mut SourceLines) {
    let lines: Vec<&str> = text.lines().collect();
    let at = |line: u32| (line as usize).saturating_sub(1);
    for (number, first, last) in &wanted.definitions {
        let range = at(*first)..lines.len().min(at(*last) + 1).min(at(*first) + LINES);
        if let Some(lines) = lines.get(range).filter(|lines| !lines.is_empty()) {
            found.previews.insert(*number, without_indent(lines));
        }
    }
    for (number, line) in &wanted.uses {
        let text = lines.get(at(*line)).map(|text| shorten(text.trim())).filter(|text| !text.is_empty());
        if let Some(text) = text {
            found.uses.insert(*number, text);
        }
    }
}

/// Removes the blanks with which all of the lines begin.
fn without_indent(lines: &[&str]) -> String {
    let blanks = |line: &&&str| line.len() - line.trim_start().len();
    let all =
        lines.iter().filter(|line| !line.trim().is_empty()).map(|line| blanks(&line)).min().unwrap_or(0);
    let cut = lines.iter().map(|line| shorten(line.get(all..).unwrap_or("").trim_end()));
    cut.collect::<Vec<_>>().join("\n")
}

fn shorten(line: &str) -> String {
    let short = match line.char_indices().nth(WIDE) {
        Some((end, _)) => format!("{}…", &line[..end]),
        None => line.to_owned(),
    };
    in_words(&short).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_definitions_and_uses_are_taken() {
        let text = "class A:\n    def f(self):\n        return g()\n\n\ndef g():\n    pass\n";
        let wanted = WantedLines { definitions: vec![(3, 2, 3), (4, 99, 120)], uses: vec![(8, 3), (9, 4)] };
        let mut found = SourceLines::default();
        take_lines(text, &wanted, &mut found);
        assert_eq!(found.previews.get(&3).map(String::as_str), Some("def f(self):\n    return g()"));
        assert_eq!(found.uses.get(&8).map(String::as_str), Some("return g()"));
        assert_eq!((found.previews.len(), found.uses.len()), (1, 1), "what is not there is left out");
    }

    #[test]
    fn nothing_outside_the_project_is_read() {
        let folder = tempfile::tempdir().expect("a folder");
        let root = folder.path().join("ws");
        std::fs::create_dir(&root).expect("a folder");
        std::fs::write(folder.path().join("secret"), "secret").expect("written");
        std::fs::write(root.join("a.py"), "x").expect("written");
        let root = root.canonicalize().expect("there");
        assert_eq!(read_within(&root, "a.py").as_deref(), Some("x"));
        assert_eq!(read_within(&root, "../secret"), None);
        #[cfg(unix)]
        {
            std::os::unix::fs::symlink("../secret", root.join("b.py")).expect("linked");
            assert_eq!(read_within(&root, "b.py"), None);
        }
    }
}
