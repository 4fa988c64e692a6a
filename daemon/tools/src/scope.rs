//! Reads the scope of an answer: the paths that it is about (`paths`, and the older `path_prefix`, `glob` and
//! `fileFilter`), and whether tests count (`tests`). Every tool that answers with places uses this module, so that the
//! same words mean the same everywhere.
//!
//! Items that a scope leaves out are counted and reported, because an answer that is narrower than its reader believes
//! is wrong. The map knows whether a definition, and so its lines, is a test; for other text, the file's path decides.

use std::cell::Cell;
use std::sync::Arc;

use hob_base::{FileId, WsPath};
use hob_live::uri::FileRef;
use hob_map::Map;
use hob_map::graph::{NodeRef, is_test_path};
use hob_proto::ToolError;
use hob_text::{LineSet, PathSet};

use super::ToolCall;
use super::target::{Paths, paths};
use hob_host::Workspace;
use hob_results::errors;
use hob_results::live::FileFilter;

/// The place of tests in a scope: included, left out, or nothing else.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Tests {
    #[default]
    Include,
    Exclude,
    Only,
}

/// A file's number and its path.
pub(super) type Place<'p> = (FileId, &'p WsPath);

/// The rules by which a scope admits paths and tests; threads may share them.
#[derive(Debug, Default)]
pub(super) struct Rules {
    paths: PathSet,
    filter: Option<FileFilter>,
    tests: Tests,
}

/// A scope of one call, which counts what it leaves out.
#[derive(Debug, Default)]
pub(super) struct CallScope {
    rules: Arc<Rules>,
    outside: Cell<usize>,
    by_tests: Cell<usize>,
}

impl Rules {
    /// Returns true if the rules admit everything.
    pub(super) fn is_all(&self) -> bool {
        self.has_all_paths() && self.tests == Tests::Include
    }

    fn has_all_paths(&self) -> bool {
        self.paths.is_all() && self.filter.is_none()
    }

    /// Returns true if a path is in `paths`.
    pub(super) fn has_path(&self, path: &WsPath) -> bool {
        self.paths.admits(path) && self.filter.as_ref().is_none_or(|filter| filter.admits_text(path.as_str()))
    }

    /// Returns paths at, below or right beside which every path in `paths` is; `None` if that is not known.
    pub(super) fn path_prefixes(&self) -> Option<Vec<&WsPath>> {
        self.paths.taken_prefixes()
    }

    /// Returns true if every path at or below each of [`Self::path_prefixes`] is in `paths`.
    pub(super) fn has_whole_folders(&self) -> bool {
        self.paths.takes_whole_folders() && self.filter.is_none()
    }

    /// Returns true if an item is in scope by `tests`, given whether it belongs to a test.
    pub(super) fn has_test(&self, is_test: bool) -> bool {
        match self.tests {
            Tests::Include => true,
            Tests::Exclude => !is_test,
            Tests::Only => is_test,
        }
    }

    /// Returns true if some text of a file may be in scope.
    pub(super) fn may_have_text(&self, path: &WsPath) -> bool {
        self.has_path(path) && (self.tests != Tests::Exclude || !is_test_path(path.as_str()))
    }

    /// Returns true if the map has to say which parts of a file are tests.
    pub(super) fn ask_map(&self) -> bool {
        self.tests != Tests::Include
    }

    /// Divides lines of a file in `paths` into those in scope and those that are not.
    pub(super) fn parted(&self, map: &Map, place: Place<'_>, lines: &LineSet) -> (LineSet, LineSet) {
        let (file, path) = place;
        let tests = || match is_test_path(path.as_str()) {
            true => LineSet::every_line(),
            false => LineSet::from_stretches(map.test_lines(file)),
        };
        match self.tests {
            Tests::Include => (lines.clone(), LineSet::default()),
            Tests::Exclude => parts(lines, &tests()),
            Tests::Only => {
                let (others, tests) = parts(lines, &tests());
                (tests, others)
            }
        }
    }

    /// Returns true if the text of a file is in scope.
    pub(super) fn has_text(&self, path: &WsPath) -> bool {
        self.has_path(path) && self.has_test(is_test_path(path.as_str()))
    }

    /// Returns true if a node is in scope. Packages are in no path.
    pub(super) fn has_node(&self, map: &Map, node: NodeRef) -> bool {
        let path = node.file().and_then(|file| map.file(file)).map(|(path, _)| path);
        let is_in = path.map_or(self.has_all_paths(), |path| self.has_path(path));
        is_in && (self.tests == Tests::Include || self.has_test(map.is_among_tests(node)))
    }
}

impl CallScope {
    /// Returns the rules of the scope, to share between threads.
    pub(super) fn rules(&self) -> &Arc<Rules> {
        &self.rules
    }

    /// Returns true if the scope admits everything.
    pub(super) fn is_all(&self) -> bool {
        self.rules.is_all()
    }

    /// Returns true if a node is in scope, and counts it if it is not.
    pub(super) fn admits_node(&self, map: &Map, node: NodeRef) -> bool {
        if self.is_all() {
            return true;
        }
        let path = node.file().and_then(|file| map.file(file)).map(|(path, _)| path);
        self.admits_place(path, || map.is_among_tests(node))
    }

    /// Returns true if a line of a file is in scope, and counts it if it is not. The map says which lines are tests, if
    /// it has the file.
    pub(super) fn admits_line(&self, map: &Map, path: &WsPath, line: u32) -> bool {
        let is_test = || {
            let file = map.file_at(path.as_str());
            let node = file.map(|file| map.symbol_at(file, line).map_or(NodeRef::File(file), NodeRef::Def));
            node.map_or_else(|| is_test_path(path.as_str()), |node| map.is_among_tests(node))
        };
        self.is_all() || self.admits_place(Some(path), is_test)
    }

    /// Judges a place that a language server named like [`Self::admits_line`]. A library's file is in no path.
    pub(super) fn admits_ref(&self, map: &Map, file: &FileRef, line: u32) -> bool {
        match file {
            FileRef::Inside(path) => self.admits_line(map, path, line),
            FileRef::Outside(path) => {
                let filter = self.rules.filter.as_ref();
                let is_in = self.rules.paths.is_all()
                    && filter.is_none_or(|filter| filter.admits_text(&path.to_string()));
                let is_in = is_in && self.rules.has_test(false);
                self.left_out(usize::from(!is_in), 0);
                is_in
            }
        }
    }

    fn admits_place(&self, path: Option<&WsPath>, is_test: impl FnOnce() -> bool) -> bool {
        let is_in = path.map_or(self.rules.has_all_paths(), |path| self.rules.has_path(path));
        if !is_in {
            self.outside.set(self.outside.get() + 1);
            return false;
        }
        let fits = self.rules.tests == Tests::Include || self.rules.has_test(is_test());
        if !fits {
            self.by_tests.set(self.by_tests.get() + 1);
        }
        fits
    }

    /// Counts items that were left out by other means: outside of the paths, and because of `tests`.
    pub(super) fn left_out(&self, outside: usize, by_tests: usize) {
        self.outside.set(self.outside.get() + outside);
        self.by_tests.set(self.by_tests.get() + by_tests);
    }

    /// Forgets the counts of an answer that is not given.
    pub(super) fn forget_omissions(&self) {
        self.outside.set(0);
        self.by_tests.set(0);
    }

    /// Warns about the items that were left out; `least` if there may be more.
    pub(super) fn warn_of_omissions(&self, call: &mut ToolCall<'_>, least: bool) {
        let (outside, by_tests) = (self.outside.get(), self.by_tests.get());
        let tests = if self.rules.tests == Tests::Only { "outside tests" } else { "in tests" };
        let parts = [(outside, "outside `paths`"), (by_tests, tests)];
        let parts =
            parts.iter().filter(|(count, _)| *count > 0).map(|(count, what)| format!("{count} {what}"));
        let said: Vec<String> = parts.collect();
        if !said.is_empty() {
            let least = if least { "at least " } else { "" };
            call.notes.warnings.push(format!("Not in scope: {least}{}.", said.join(", ")));
        }
    }
}

impl ToolCall<'_> {
    /// Reads the scope of the call, whose arguments must have been parsed before.
    ///
    /// # Errors
    /// `OUTSIDE_WORKSPACE` for a path that leads out, `BAD_PATTERN` for a bad glob.
    pub(super) fn parse_scope(&mut self, workspace: &Workspace) -> Result<CallScope, ToolError> {
        let asked = std::mem::take(&mut self.scope_args);
        let mut rules = Rules { tests: parse_tests(asked.tests.as_deref()), ..Rules::default() };
        let mut missing = Vec::new();
        {
            let spelled = paths(self, workspace);
            for entry in &asked.paths {
                missing.extend(add(&mut rules.paths, &spelled, workspace, entry)?);
            }
            if let Some(prefix) = &asked.path_prefix {
                rules.paths.take_within(meant_path(&spelled, workspace, prefix)?.0);
            }
        }
        if let Some(glob) = &asked.glob {
            rules.paths.add_glob(glob).map_err(|bad| errors::bad_glob(&bad))?;
        }
        let filter = asked.file_filter.as_deref().map(FileFilter::new).transpose();
        rules.filter = filter.map_err(|error| errors::bad_file_filter(&error))?;
        for entry in missing {
            self.notes.warnings.push(format!("Nothing is at `{entry}`, which `paths` names."));
        }
        Ok(CallScope { rules: Arc::new(rules), ..CallScope::default() })
    }
}

/// Divides lines into those that are not of tests, and those that are.
fn parts(lines: &LineSet, tests: &LineSet) -> (LineSet, LineSet) {
    (lines.without(tests), lines.within(tests))
}

fn parse_tests(word: Option<&str>) -> Tests {
    match word {
        Some("exclude") => Tests::Exclude,
        Some("only") => Tests::Only,
        _ => Tests::Include,
    }
}

/// Adds one entry of `paths`, and returns it if it names nothing that exists.
fn add(
    set: &mut PathSet,
    spelled: &Paths<'_>,
    workspace: &Workspace,
    entry: &str,
) -> Result<Option<String>, ToolError> {
    let (leaves_out, text) = entry.strip_prefix('!').map_or((false, entry), |rest| (true, rest));
    let text = text.strip_prefix("./").unwrap_or(text);
    let glob = |set: &mut PathSet, text: &str| {
        let text = if leaves_out { format!("!{text}") } else { text.to_owned() };
        set.glob_below(&text).map_err(|bad| errors::bad_glob(&bad))
    };
    if text.contains(['*', '?', '[', '{']) {
        glob(set, text)?;
        return Ok(None);
    }
    let (path, is_there) = meant_path(spelled, workspace, text)?;
    let is_name = !text.contains('/') && !text.is_empty() && text != "." && text != "..";
    match (is_there, is_name) {
        // A single name that is not at the root matches in any folder, as in ripgrep.
        (false, true) => {
            glob(set, text)?;
            if !leaves_out {
                glob(set, &format!("**/{text}/**"))?;
            }
            let names = |(_, path): (_, &WsPath)| path.as_str().split('/').any(|part| part == text);
            let is_unread =
                || workspace.pending.unread_files().iter().any(|(file, path)| names((*file, path)));
            let is_there = workspace.text().indexed_paths().any(names) || is_unread();
            Ok((!is_there).then(|| entry.to_owned()))
        }
        _ => {
            if leaves_out {
                set.leave_below(path);
            } else {
                set.take_below(path);
            }
            Ok((!is_there).then(|| entry.to_owned()))
        }
    }
}

/// Returns the path that a text means, and true if something is at it, or a module's file next to it.
fn meant_path(spelled: &Paths<'_>, workspace: &Workspace, text: &str) -> Result<(WsPath, bool), ToolError> {
    let root = workspace.root();
    let mut first = None;
    for base in spelled.bases() {
        let path = hob_workspace::confine(root, &base.join(text).to_string())
            .map_err(|error| errors::outside_workspace(&error, root));
        if let Ok(path) = &path
            && is_there(workspace, path)
        {
            return Ok((path.clone(), true));
        }
        first.get_or_insert(path);
    }
    first.unwrap_or_else(|| Ok(WsPath::root())).map(|path| (path, false))
}

fn is_there(workspace: &Workspace, path: &WsPath) -> bool {
    if workspace.root().join_ws(path).as_path().exists() {
        return true;
    }
    let beside = |other: &WsPath| {
        let rest = other.as_str().strip_prefix(path.as_str()).and_then(|rest| rest.strip_prefix('.'));
        rest.is_some_and(|ending| !ending.contains(['.', '/']))
    };
    workspace.text().indexed_paths().any(|(_, other)| beside(other))
}
