//! Turns answers of language servers into results.

use globset::{Glob, GlobMatcher};
use hob_live::requests::{CallItem, Diagnosis, FoundSymbol, ServerLocation, ServerOutline};
use hob_live::uri::FileRef;
use hob_proto::Anchor;
use hob_proto::tools::nav::{
    Call, CallSite, Completeness, DiagnosticEntry, NameRange, OutlineEntry, SymbolHit,
};

use crate::FileLineCache;
use hob_host::Workspace;

/// Returns the name of a file in results, and true if it lies outside the workspace.
pub fn file(file: &FileRef) -> (String, bool) {
    match file {
        FileRef::Inside(path) => (path.to_string(), false),
        FileRef::Outside(path) => (path.to_string(), true),
    }
}

/// Converts places to anchors with the text of their lines, as far as `room` characters go: later anchors are
/// only counted, so their files are not read.
pub fn anchors_with_lines(workspace: &Workspace, places: &[ServerLocation], room: usize) -> Vec<Anchor> {
    /// Fewest characters that an anchor takes besides its names and lines.
    const FRAME: usize = 30;
    let (mut lines, mut taken) = (FileLineCache::in_workspace(workspace), 0);
    let anchor = |place: &ServerLocation| {
        let (name, external) = file(&place.file);
        let snippet = (taken < room).then(|| lines.line(&place.file, place.start.0)).flatten();
        taken += FRAME + name.len() + snippet.as_ref().map_or(0, String::len);
        Anchor {
            file: name,
            line: place.start.0,
            col: place.start.1,
            end_line: Some(place.end.0).filter(|end| *end > place.start.0),
            snippet,
            external,
            from_map: None,
            symbol: None,
        }
    };
    places.iter().map(anchor).collect()
}

/// Converts a range of a file.
pub fn range(start: (u32, u32), end: (u32, u32)) -> NameRange {
    NameRange { line: start.0, col: start.1, end_line: end.0, end_col: end.1 }
}

/// Converts an outline's entry with all entries below it.
pub fn outline_entry(entry: ServerOutline) -> OutlineEntry {
    OutlineEntry {
        name: entry.name,
        kind: entry.kind.to_owned(),
        line: entry.name_at.0,
        col: entry.name_at.1,
        end_line: entry.lines.1,
        start_line: Some(entry.lines.0).filter(|first| *first < entry.name_at.0),
        detail: entry.detail,
        children: entry.children.into_iter().map(outline_entry).collect(),
    }
}

/// Converts a symbol that a search by name found.
pub fn symbol(found: FoundSymbol) -> SymbolHit {
    let (name, external) = file(&found.file);
    SymbolHit {
        name: found.name,
        kind: found.kind.to_owned(),
        container: found.container.filter(|container| !container.is_empty()),
        file: name,
        line: found.at.0,
        col: found.at.1,
        external,
    }
}

/// Converts a caller or callee with those a level further away.
pub fn call(item: CallItem) -> Call {
    let (name, external) = file(&item.place.file);
    Call {
        name: item.name,
        kind: item.kind.to_owned(),
        file: name,
        line: item.place.start.0,
        col: item.place.start.1,
        depth: item.depth,
        call_sites: item
            .call_sites
            .into_iter()
            .map(|(line, col)| CallSite { line, col: Some(col) })
            .collect(),
        calls: item.calls.into_iter().map(call).collect(),
        external,
        from_map: None,
    }
}

/// Converts a diagnostic of a server.
pub fn diagnostic_entry(found: Diagnosis) -> DiagnosticEntry {
    DiagnosticEntry {
        file: file(&found.file).0,
        line: found.at.0,
        col: found.at.1,
        severity: found.severity.word().to_owned(),
        code: found.code,
        message: found.message,
        source: found.source,
    }
}

/// Returns the lower completeness of two answers.
pub fn less_complete(a: Completeness, b: Completeness) -> Completeness {
    match (a, b) {
        (Completeness::Unknown, _) | (_, Completeness::Unknown) => Completeness::Unknown,
        (Completeness::Partial, _) | (_, Completeness::Partial) => Completeness::Partial,
        _ => Completeness::Complete,
    }
}

/// The filter of `fileFilter`: a glob if it looks like one, else a part of the path.
#[derive(Debug)]
pub enum FileFilter {
    /// The path contains this text.
    Part(String),
    /// The path, or its last part, matches this glob.
    Glob(GlobMatcher),
}

impl FileFilter {
    /// Parses the argument.
    ///
    /// # Errors
    /// When the text is an invalid glob.
    pub fn new(text: &str) -> Result<Self, globset::Error> {
        if !text.contains(['*', '?', '[', '{']) {
            return Ok(Self::Part(text.to_owned()));
        }
        Ok(Self::Glob(Glob::new(text)?.compile_matcher()))
    }

    /// Returns true if the filter admits the file at this path.
    pub fn admits_text(&self, name: &str) -> bool {
        match self {
            Self::Part(part) => name.contains(part.as_str()),
            // `*.py` matches every such file, as in searches.
            Self::Glob(glob) => {
                glob.is_match(name) || name.rsplit('/').next().is_some_and(|last| glob.is_match(last))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_filter_is_a_part_or_a_glob() {
        let admits = |filter: &str, path: &str| FileFilter::new(filter).expect("readable").admits_text(path);
        assert!(admits("src/", "a/src/b.py") && !admits("src/", "srcb.py"));
        assert!(admits("*.py", "a/b/c.py") && !admits("*.py", "a/b/c.pyi"));
        assert!(admits("src/**/test_*", "src/a/test_b.py") && !admits("src/**/test_*", "lib/test_b.py"));
        assert!(FileFilter::new("a[").is_err());
    }
}
