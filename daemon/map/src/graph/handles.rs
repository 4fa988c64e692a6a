//! Finds parts of a file by name or line, and files by the end of their path: the short forms in which answers and
//! people write places.

use hob_base::{FileId, WsPath};

use super::lookup::dotted_spellings;
use super::{DefRef, Map};
use crate::facts::Def;

/// Endings of files for which a module's name stands.
const MODULE_ENDINGS: [&str; 6] = [".py", "/__init__.py", ".rs", "/mod.rs", "/lib.rs", "/main.rs"];

impl Map {
    /// Returns the mapped files, in order of path.
    #[must_use]
    pub fn mapped_files(&self) -> Vec<(&WsPath, FileId)> {
        let mut files: Vec<_> = self.index.paths().all_files().collect();
        files.sort_unstable();
        files
    }

    /// Returns the files whose path is `tail` or ends with it at a `/`, in order of path; project files are not among them.
    #[must_use]
    pub fn files_ending(&self, tail: &str) -> Vec<FileId> {
        let name = tail.rsplit('/').next().unwrap_or(tail);
        let ends =
            |path: &str| path.strip_suffix(tail).is_some_and(|rest| rest.is_empty() || rest.ends_with('/'));
        let files = self.index.paths().files_named(name).iter().copied();
        files.filter(|file| self.file(*file).is_some_and(|(path, _)| ends(path.as_str()))).collect()
    }

    /// Returns the files for which the name of a module, as Python and Rust write it (`pkg.mod`, `pkg::mod`), stands:
    /// those at its path, else those whose path has the parts of the name in order, with `_` for the `-` of a folder.
    #[must_use]
    pub fn files_of_module(&self, name: &str) -> Vec<FileId> {
        let path = name.strip_prefix("crate::").unwrap_or(name).replace("::", "/").replace('.', "/");
        let ending = |tail: &str| -> Vec<FileId> {
            MODULE_ENDINGS.iter().flat_map(|ending| self.files_ending(&format!("{tail}{ending}"))).collect()
        };
        let exact = ending(&path);
        let (Some((folders, last)), true) = (path.rsplit_once('/'), exact.is_empty()) else { return exact };
        let has_all = |file: &FileId| {
            let path = self.file(*file).map_or("", |(path, _)| path.as_str());
            let mut have = path.split('/');
            folders
                .split('/')
                .all(|part| have.any(|folder| folder == part || folder.replace('-', "_") == part))
        };
        ending(last).into_iter().filter(has_all).collect()
    }

    /// Returns the definitions of a file for which a bare or qualified name stands: those whose qualified name it is,
    /// else those whose qualified name ends with it. `name~2` is the second definition of that name.
    #[must_use]
    pub fn defs_called(&self, file: FileId, name: &str) -> Vec<DefRef> {
        let (name, ordinal) = match name.rsplit_once('~') {
            Some((before, number)) => match number.parse::<u32>() {
                Ok(ordinal) => (before, Some(ordinal)),
                Err(_) => (name, None),
            },
            None => (name, None),
        };
        let Some((_, facts)) = self.file(file) else { return Vec::new() };
        let separator = facts.lang.separator();
        let ends = |qualified: &str, name: &str| {
            qualified.strip_suffix(name).is_some_and(|rest| rest.is_empty() || rest.ends_with(separator))
        };
        let mut names = vec![name.to_owned()];
        names.extend(dotted_spellings(name));
        // JavaScript's private name, written without its `#`.
        let (owner, last) = name.split_at(name.rfind('.').map_or(0, |at| at + 1));
        names.push(format!("{owner}#{last}"));
        for name in &names {
            let mut found: Vec<(bool, DefRef)> = self
                .outline(file)
                .filter(|(_, def)| ordinal.is_none_or(|ordinal| def.ordinal == ordinal))
                .filter_map(|(at, def)| {
                    let qualified = facts.name(def.qualified);
                    ends(qualified, name).then_some((qualified == name, at))
                })
                .collect();
            if found.iter().any(|(is_whole, _)| *is_whole) {
                found.retain(|(is_whole, _)| *is_whole);
            }
            if !found.is_empty() {
                return found.into_iter().map(|(_, def)| def).collect();
            }
        }
        Vec::new()
    }

    /// Returns the definitions whose name is on a 1-based line, in source order.
    #[must_use]
    pub fn defs_named_on(&self, file: FileId, line: u32) -> Vec<DefRef> {
        self.outline(file).filter(|(_, def)| def.name_at.0 == line).map(|(at, _)| at).collect()
    }

    /// Returns the innermost definition that spans all lines from `first` to `last`.
    #[must_use]
    pub fn symbol_around(&self, file: FileId, first: u32, last: u32) -> Option<DefRef> {
        let spans = |def: &Def| def.lines.0 <= first && last <= def.lines.1;
        let around = self.outline(file).filter(|(_, def)| spans(def));
        around
            .min_by_key(|(at, def)| (def.lines.1 - def.lines.0, std::cmp::Reverse(at.def)))
            .map(|(at, _)| at)
    }
}
