//! Finds the uses of a definition that the map knows and a language server does not list.
//!
//! A server knows the projects that it has loaded; the map knows every file of the workspace, but not every
//! type. If the map has followed an import, or is more certain, the use exists, whatever a server says: an
//! answer without it is not complete. A guess of the map by name alone is no reason to doubt a server.
//!
//! The two are compared by file and line. They have different notions of a use, which are no disagreement:
//! the line of an import counts only in files of which the server has nothing at all, and the line of the
//! declaration always counts as listed.

use std::collections::HashSet;

use hob_base::{CancelToken, WsPath};
use hob_live::uri::FileRef;
use hob_map::Map;
use hob_map::facts::DefKind;
use hob_map::graph::{Confidence, DefRef, EdgeKind, NodeInfo, NodeKind, Use};

/// The question to a server, which decides which of the map's uses belong in the answer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum UsesQuestion {
    /// Every use of the definition.
    References,
    /// Every use under the definition's name, all of which a rename changes.
    Rename,
    /// Calls of the definition.
    Callers,
    /// Types that are derived from it.
    Implementations,
}

impl UsesQuestion {
    fn wants_use(self, one: &Use, of: &NodeInfo) -> bool {
        let is_contract = matches!(of.kind, NodeKind::Def(DefKind::Interface | DefKind::Trait));
        match self {
            Self::References => true,
            Self::Rename => !one.is_renamed,
            Self::Callers => one.kind == EdgeKind::Calls,
            // An interface that extends another one implements nothing.
            Self::Implementations => {
                one.kind == EdgeKind::Implements || (one.kind == EdgeKind::Extends && !is_contract)
            }
        }
    }
}

/// The places of a server's answer that lie in the workspace.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Listed {
    lines: HashSet<(WsPath, u32)>,
    files: HashSet<WsPath>,
}

impl Listed {
    /// Adds a place, by its first line.
    pub fn add(&mut self, file: &FileRef, line: u32) {
        let FileRef::Inside(path) = file else { return };
        self.lines.insert((path.clone(), line));
        if !self.files.contains(path) {
            self.files.insert(path.clone());
        }
    }

    /// Returns true if any place lies in a file.
    #[must_use]
    pub fn has_file(&self, path: &WsPath) -> bool {
        self.files.contains(path)
    }

    /// Returns true if a place begins on a line.
    #[must_use]
    pub fn has_line(&self, path: &WsPath, line: u32) -> bool {
        self.lines.contains(&(path.clone(), line))
    }

    fn has_line_in(&self, path: &WsPath, lines: (u32, u32)) -> bool {
        self.lines.iter().any(|(file, line)| file == path && (lines.0..=lines.1).contains(line))
    }
}

/// A use that a server did not list.
#[derive(Clone, PartialEq, Debug)]
pub struct Missing {
    /// The path of the file with the use.
    pub path: WsPath,
    /// The line of the use, from 1.
    pub line: u32,
    /// 1-based UTF-16 column; `None` for imports.
    pub col: Option<u32>,
    /// How sure the map is: [`Confidence::Import`] or better.
    pub confidence: Confidence,
    /// The definition that contains the use, or the file.
    pub from: NodeInfo,
}

/// The outcome of a comparison.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct UnlistedUses {
    /// The name of the definition whose uses were compared.
    pub name: String,
    /// Uses that the server did not list, by file and line.
    pub missing: Vec<Missing>,
    /// True if time ran out before all uses were found.
    pub is_cut: bool,
}

/// Compares the uses of `def` that the map is sure of with a server's answer. It skips files that do not
/// `count`, because the two sides may have seen different contents.
#[must_use]
pub fn left_out(
    map: &Map,
    def: DefRef,
    question: UsesQuestion,
    listed: &Listed,
    counts: &dyn Fn(&WsPath) -> bool,
    cancel: &CancelToken,
) -> UnlistedUses {
    let Some(of) = map.info(def.into()) else { return UnlistedUses::default() };
    let (uses, outcome) = map.find_uses(def, cancel);
    let mut missing = Vec::new();
    for one in uses.iter().filter(|one| one.confidence <= Confidence::Import && question.wants_use(one, &of))
    {
        let Some((path, _)) = map.file(one.file) else { continue };
        if !is_listed(map, one, path, &of, question, listed) && counts(path) {
            let Some(from) = map.info(one.from) else { continue };
            let (path, confidence) = (path.clone(), one.confidence);
            missing.push(Missing { path, line: one.line, col: one.col, confidence, from });
        }
    }
    missing.sort_by(|a, b| (&a.path, a.line, a.col).cmp(&(&b.path, b.line, b.col)));
    // A line that both imports and uses counts once.
    missing.dedup_by(|later, first| {
        (&later.path, later.line) == (&first.path, first.line) && first.col.is_none()
    });
    UnlistedUses { name: of.name, missing, is_cut: outcome.is_err() }
}

fn is_listed(
    map: &Map,
    one: &Use,
    path: &WsPath,
    of: &NodeInfo,
    question: UsesQuestion,
    listed: &Listed,
) -> bool {
    let is_declaration = of.path.as_ref() == Some(path) && one.line == of.name_at.0;
    if is_declaration || listed.has_line(path, one.line) {
        return true;
    }
    match (one.kind, question) {
        (EdgeKind::Imports | EdgeKind::Exports, _) => listed.has_file(path),
        // Servers give the name of a derived type, or all of it.
        (_, UsesQuestion::Implementations) => {
            map.info(one.from).is_some_and(|from| listed.has_line_in(path, from.lines))
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use hob_base::FileId;
    use hob_map::MapChange;

    use super::*;

    fn path(text: &str) -> WsPath {
        WsPath::new(text).expect("relative")
    }

    fn map_of(files: &[(&str, &str)]) -> Map {
        let mut map = Map::new();
        let change = |(number, (at, text)): (usize, &(&str, &str))| {
            let facts = hob_map::extract(hob_map::Lang::Python, at, text.as_bytes());
            MapChange::Set { file: FileId(number as u32), path: path(at), facts: facts.into() }
        };
        map.apply(files.iter().enumerate().map(change).collect());
        map
    }

    fn compared(map: &Map, file: &str, name: &str, question: UsesQuestion, listed: &[(&str, u32)]) -> String {
        let def = map.definition(file, name, 1).expect("it is defined");
        let mut all = Listed::default();
        listed.iter().for_each(|(file, line)| all.add(&FileRef::Inside(path(file)), *line));
        let cancel = CancelToken::default();
        let found = left_out(map, def, question, &all, &|_| true, &cancel);
        let shown = |one: &Missing| {
            format!("{}:{} {} in {}", one.path, one.line, one.confidence.as_str(), one.from.name)
        };
        found.missing.iter().map(shown).collect::<Vec<_>>().join(", ")
    }

    const FILES: &[(&str, &str)] = &[
        ("a.py", "class Base:\n    pass\n\ndef run(): pass\n"),
        (
            "b.py",
            "from a import run, Base\n\ndef go():\n    run()\n    run()\n\nclass Child(Base):\n    pass\n",
        ),
        ("c.py", "from a import run as walk\n\ndef other():\n    walk()\n"),
        ("d.py", "def stray(x):\n    x.run()\n"),
    ];

    #[test]
    fn what_is_followed_by_imports_and_not_listed_is_left_out() {
        let map = map_of(FILES);
        let of = |question, listed: &[(&str, u32)]| compared(&map, "a.py", "run", question, listed);
        assert_eq!(
            of(UsesQuestion::References, &[]),
            "b.py:1 import in b.py, b.py:4 import in go, b.py:5 import in go, c.py:1 import in c.py, c.py:4 import in other"
        );
        assert_eq!(of(UsesQuestion::References, &[("b.py", 4), ("b.py", 5), ("c.py", 4)]), "");
        assert_eq!(
            of(UsesQuestion::References, &[("b.py", 4), ("c.py", 1)]),
            "b.py:5 import in go, c.py:4 import in other"
        );
        assert_eq!(of(UsesQuestion::Callers, &[("b.py", 4), ("b.py", 5)]), "c.py:4 import in other");
        assert_eq!(
            of(UsesQuestion::Rename, &[("b.py", 1), ("b.py", 4), ("b.py", 5), ("c.py", 1)]),
            "",
            "a use under another name stays as it is"
        );
    }

    #[test]
    fn an_heir_is_listed_by_any_of_its_lines() {
        let map = map_of(FILES);
        let of =
            |listed: &[(&str, u32)]| compared(&map, "a.py", "Base", UsesQuestion::Implementations, listed);
        assert_eq!(of(&[]), "b.py:7 import in Child");
        assert_eq!(of(&[("b.py", 8)]), "");
    }

    #[test]
    fn files_that_do_not_count_are_left_aside() {
        let map = map_of(FILES);
        let def = map.definition("a.py", "run", 1).expect("it is defined");
        let cancel = CancelToken::default();
        let counts = |path: &WsPath| path.as_str() != "b.py";
        let found = left_out(&map, def, UsesQuestion::Callers, &Listed::default(), &counts, &cancel);
        assert_eq!(found.missing.iter().map(|one| one.path.as_str()).collect::<Vec<_>>(), ["c.py"]);
    }
}
