//! Answers searches while the first index of a project is still being made.
//!
//! The index of a large tree takes a minute. A search of text need not wait so long: it reads the files itself that the
//! index lacks. Nor need a search for a name: it depends on the files in whose text the name stands, and the indexer takes
//! these first. If they are too many, the answer says how many are missing. All other tools wait for the whole index
//! (`call`).

use std::cmp::Reverse;
use std::sync::Arc;
use std::time::Duration;

use hob_base::{CancelToken, Deadline, FileId, WsPath};
use hob_host::{Phase, Workspace};
use hob_map::graph::{KindFilter, SearchQuery};
use hob_proto::ToolError;
use hob_results::errors;
use hob_text::{Admits, SearchOutput, SearchRequest, TextView, search};

use super::scope::Rules;
use super::{FIRST_INDEX_PATIENCE, NeededIndex, ToolCall};

/// Longest time that searches wait for the whole index, from the first that does: that of most projects takes less.
const WHOLE_PATIENCE: Duration = Duration::from_secs(2);

/// Longest time that a search waits after that for all files with a name, if some definitions of it are found.
const NAMING_PATIENCE: Duration = Duration::from_millis(2_000);

/// Time between two looks at whether the map has the names.
const LOOK_EVERY: Duration = Duration::from_millis(200);

/// Fewest letters of a part of a name that is looked for.
const SHORTEST: usize = 3;

impl ToolCall<'_> {
    /// Returns the call's workspace for a search of its text. During a first index that takes long, [`ToolCall::text`] has
    /// the files that are not indexed yet.
    pub(crate) fn workspace_for_text(&mut self) -> Result<Arc<Workspace>, ToolError> {
        let workspace = self.open_workspace()?;
        if self.is_indexed_soon(&workspace, Phase::Text)? {
            return self.workspace_once_indexed(workspace, NeededIndex::Text);
        }
        self.answer_during_first_index(&workspace, None);
        Ok(workspace)
    }

    /// Returns the call's workspace for a search for names: during a first index that takes long, once all files are mapped
    /// in whose text a name stands, or some of them are and the names are found. Warns of what the answer may lack.
    ///
    /// # Errors
    /// As [`ToolCall::workspace`]; also if such files are not mapped in time, and the map has none of the names.
    pub(crate) fn workspace_for_names(&mut self, names: &[String]) -> Result<Arc<Workspace>, ToolError> {
        let workspace = self.open_workspace()?;
        let latest = self.cancel.with_deadline(Deadline::after(FIRST_INDEX_PATIENCE));
        if self.is_indexed_soon(&workspace, Phase::Map)? {
            return self.workspace_once_indexed(workspace, NeededIndex::Map);
        }
        let soon = Deadline::after(NAMING_PATIENCE);
        let rules = self.rules_so_far(&workspace)?;
        let NamingFiles { files, are_all_paths } = files_naming(&workspace, names, &rules, &self.cancel);
        let lacking = loop {
            workspace.pending.wait_for_map(&files, &latest.with_deadline(Deadline::after(LOOK_EVERY)));
            let lacking = workspace.pending.lacking_in_map(&files).len();
            let is_enough = || soon.has_passed() && found_in_map(&workspace, names) == Found::Exactly;
            if lacking == 0 || latest.check().is_err() || is_enough() {
                break lacking;
            }
        };
        if self.cancel.is_cancelled() {
            return Err(errors::cancelled());
        }
        if workspace.progress.now().phase == Phase::Done {
            return self.workspace_once_indexed(workspace, NeededIndex::Map);
        }
        if lacking > 0 && found_in_map(&workspace, names) == Found::Nothing {
            return Err(errors::not_built(&workspace, workspace.progress.now()));
        }
        let may_lack = match lacking {
            0 if are_all_paths => None,
            0 => Some("names that are only similar may be missing".to_owned()),
            _ => {
                Some(format!("{lacking} files that have the name are not mapped yet: ask again in a moment"))
            }
        };
        self.answer_during_first_index(&workspace, may_lack);
        Ok(workspace)
    }

    /// Returns true if a phase of the first index ends within the time that searches wait for it. Otherwise the files are
    /// known by now.
    fn is_indexed_soon(&self, workspace: &Workspace, phase: Phase) -> Result<bool, ToolError> {
        let soon = workspace.pending.first_wait_deadline(WHOLE_PATIENCE);
        if self.wait_for_phase(workspace, phase, self.first_time(soon)).is_ok() {
            return Ok(true);
        }
        self.wait_for_phase(workspace, Phase::Scanning, Deadline::after(FIRST_INDEX_PATIENCE))?;
        Ok(workspace.progress.now().phase > phase)
    }

    /// Reads the scope of the call, which the tool will read again.
    fn rules_so_far(&mut self, workspace: &Workspace) -> Result<Arc<Rules>, ToolError> {
        let (asked, warnings) = (self.scope_args.clone(), self.notes.warnings.len());
        let scope = self.parse_scope(workspace)?;
        self.scope_args = asked;
        self.notes.warnings.truncate(warnings);
        Ok(Arc::clone(scope.rules()))
    }
}

/// The files on which the answer to a search for names depends.
struct NamingFiles {
    files: Vec<FileId>,
    /// True if each name is the end of a path.
    are_all_paths: bool,
}

/// Returns the files, in the text index or not, in whose text or path a name stands, the likeliest first; of a name that is
/// the end of a path, only the files with such paths.
fn files_naming(
    workspace: &Workspace,
    names: &[String],
    rules: &Arc<Rules>,
    cancel: &CancelToken,
) -> NamingFiles {
    let (view, unread) = (workspace.text_with_unread().without_contents(), workspace.pending.unread());
    let paths = || view.indexed_paths().chain(unread.iter().map(|(file, path)| (*file, path)));
    let is_path_of = |name: &String, path: &WsPath| {
        let before = path.as_str().strip_suffix(without_lines(name).trim_start_matches("./"));
        before.is_some_and(|before| before.is_empty() || before.ends_with('/'))
    };
    let (by_path, by_name): (Vec<&String>, Vec<&String>) =
        names.iter().partition(|name| paths().any(|(_, path)| is_path_of(name, path)));
    let parts: Vec<&str> = by_name.into_iter().map(|name| searched_part(name)).collect();
    let mut files = files_with_text(workspace, &view, &parts, rules, cancel);
    let parts: Vec<String> = parts.iter().map(|part| part.to_ascii_lowercase()).collect();
    let is_named_so = |path: &WsPath| {
        let text = path.as_str().to_ascii_lowercase();
        rules.has_path(path) && parts.iter().any(|part| text.contains(part.as_str()))
    };
    let is_wanted = |path: &WsPath| is_named_so(path) || by_path.iter().any(|name| is_path_of(name, path));
    files.extend(paths().filter(|(_, path)| is_wanted(path)).map(|(file, _)| file));
    NamingFiles { files, are_all_paths: parts.is_empty() }
}

/// Returns the files in whose text one of the parts stands.
fn files_with_text(
    workspace: &Workspace,
    view: &TextView,
    parts: &[&str],
    rules: &Arc<Rules>,
    cancel: &CancelToken,
) -> Vec<FileId> {
    if parts.is_empty() {
        return Vec::new();
    }
    let escaped: Vec<String> = parts.iter().map(|part| regex::escape(part)).collect();
    let admitting = Arc::clone(rules);
    let request = SearchRequest {
        pattern: format!("(?i)(?:{})", escaped.join("|")),
        admits: (!rules.is_all()).then(|| Admits(Arc::new(move |path| admitting.has_path(path)))),
        output: SearchOutput::Files,
        ..SearchRequest::default()
    };
    let contents = workspace.disk_contents();
    let found = workspace.query_pool().install(|| search(view, &request, &contents, cancel));
    let mut found = found.unwrap_or_default().files;
    // Where a name stands most often it is likeliest defined.
    found.sort_by_key(|file| Reverse(file.matches));
    found.into_iter().map(|file| file.file).collect()
}

/// The fit of the least fitting name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Found {
    Nothing,
    /// Something that contains the name.
    Similar,
    /// A definition that is called so.
    Exactly,
}

/// Returns how far the map has a definition or a file for each name.
fn found_in_map(workspace: &Workspace, names: &[String]) -> Found {
    let map = workspace.map();
    let found = |name: &String| {
        let query = SearchQuery { text: name, kinds: KindFilter::Any, path_prefix: "", limit: 1 };
        let hits = map.search(&query).hits;
        match hits.first() {
            None => Found::Nothing,
            Some(hit) if hit.info.name.eq_ignore_ascii_case(searched_part(name)) => Found::Exactly,
            Some(_) => Found::Similar,
        }
    };
    names.iter().map(found).min().unwrap_or(Found::Nothing)
}

/// Returns the part of a query that stands in the text of each file with such a definition: of `Store.load` and
/// `store.py#Store.load` the part `load`.
fn searched_part(query: &str) -> &str {
    let parts = || {
        without_lines(query).split(|letter: char| !letter.is_alphanumeric() && !matches!(letter, '_' | '$'))
    };
    let long = parts().rfind(|part| part.len() >= SHORTEST);
    long.or_else(|| parts().max_by_key(|part| part.len())).unwrap_or(query)
}

/// Returns a target without the lines that it ends with: of `store.py:3-9` the path.
fn without_lines(mut target: &str) -> &str {
    let are_lines =
        |end: &str| !end.is_empty() && end.bytes().all(|byte| byte.is_ascii_digit() || byte == b'-');
    while let Some((path, _)) = target.rsplit_once(':').filter(|(_, end)| are_lines(end)) {
        target = path;
    }
    target
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_part_of_a_query_that_stands_in_the_text() {
        let queries = [
            "Store.load",
            "py:shop/store.py#Store.load",
            "core.c:3-9",
            "core.c:3:1",
            "a::io",
            "ext4",
            "parse json",
            "x",
        ];
        let parts: Vec<&str> = queries.into_iter().map(searched_part).collect();
        assert_eq!(parts, ["load", "load", "core", "core", "io", "ext4", "json", "x"]);
    }
}
