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

/// The name of a file in results, and whether it lies outside the workspace.
pub fn file(file: &FileRef) -> (String, bool) {
    match file {
        FileRef::Inside(path) => (path.to_string(), false),
        FileRef::Outside(path) => (path.to_string(), true),
    }
}

/// Places with the lines that they are on, as far as `room` characters go: those behind are only counted, and looking at
/// their files would be for nothing.
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

/// A stretch of a file.
pub fn range(start: (u32, u32), end: (u32, u32)) -> NameRange {
    NameRange { line: start.0, col: start.1, end_line: end.0, end_col: end.1 }
}

/// An outline's entry with all below it.
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

/// A symbol found by name.
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

/// A caller or callee with those a level further away.
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

/// Something that is wrong.
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

/// The less whole of two answers.
pub fn less_complete(a: Completeness, b: Completeness) -> Completeness {
    match (a, b) {
        (Completeness::Unknown, _) | (_, Completeness::Unknown) => Completeness::Unknown,
        (Completeness::Partial, _) | (_, Completeness::Partial) => Completeness::Partial,
        _ => Completeness::Complete,
    }
}

/// `fileFilter`: a glob if it looks like one, else a part of the path.
#[derive(Debug)]
pub enum FileFilter {
    /// The path has this text somewhere.
    Part(String),
    /// The path, or its last part, matches this glob.
    Glob(GlobMatcher),
}

impl FileFilter {
    /// Reads the argument.
    ///
    /// # Errors
    /// A glob that cannot be read.
    pub fn new(text: &str) -> Result<Self, globset::Error> {
        if !text.contains(['*', '?', '[', '{']) {
            return Ok(Self::Part(text.to_owned()));
        }
        Ok(Self::Glob(Glob::new(text)?.compile_matcher()))
    }

    /// Returns true if the file at this path may be named.
    pub fn admits_text(&self, name: &str) -> bool {
        match self {
            Self::Part(part) => name.contains(part.as_str()),
            // `*.py` means every such file, as in searches.
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
