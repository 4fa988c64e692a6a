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
use rustc_hash::FxHashSet;

use super::scope::Rules;
use super::{FIRST_INDEX_PATIENCE, NeededIndex, ToolCall, read_symbols, target};

/// Longest time that searches wait for the whole index, from the first that does: that of most projects takes less.
const WHOLE_PATIENCE: Duration = Duration::from_secs(2);

/// Longest time that a search waits after that for all files with a name, if some definitions of it are found.
const NAMING_PATIENCE: Duration = Duration::from_millis(2_000);

/// Time between two looks at whether the map has the names.
const LOOK_EVERY: Duration = Duration::from_millis(200);

/// Fewest letters of a part of a name that is looked for.
const SHORTEST: usize = 3;

/// Says how a call means the names that it looks for.
#[derive(Clone, Copy)]
pub(crate) enum NamesAre<'n> {
    /// Names, or parts of names.
    Searched(&'n [String]),
    /// Targets: a name, a path with or without lines, a node ID.
    Targets(&'n [String]),
}

impl ToolCall<'_> {
    /// Returns the call's workspace for a search of its text. During a first index that takes long, [`ToolCall::text`] has
    /// the files that are not indexed yet.
    pub(crate) fn workspace_for_text(&mut self) -> Result<Arc<Workspace>, ToolError> {
        let workspace = self.open_workspace()?;
        if self.is_indexed_soon(&workspace, Phase::Text)? {
            return self.workspace_once_indexed(workspace, NeededIndex::Text);
        }
        self.answer_during_first_index(&workspace, None)?;
        Ok(workspace)
    }

    /// Returns the call's workspace for a search for names: during a first index that takes long, once all files are mapped
    /// in whose text a name stands, or some of them are and the names are found. Warns of what the answer may lack.
    ///
    /// # Errors
    /// As [`ToolCall::workspace`]; also if such files are not mapped in time, and the map has nothing for any name.
    pub(crate) fn workspace_for_names(&mut self, names: NamesAre<'_>) -> Result<Arc<Workspace>, ToolError> {
        let workspace = self.open_workspace()?;
        let latest = self.cancel.with_deadline(Deadline::after(FIRST_INDEX_PATIENCE));
        if self.is_indexed_soon(&workspace, Phase::Map)? {
            return self.workspace_once_indexed(workspace, NeededIndex::Map);
        }
        // A folder's outline is of all its files.
        if let NamesAre::Targets(targets) = names
            && targets.iter().any(|target| read_symbols::is_folder(self, &workspace, target))
        {
            return self.workspace_once_indexed(workspace, NeededIndex::Map);
        }
        let soon = Deadline::after(NAMING_PATIENCE);
        let rules = self.rules_so_far(&workspace)?;
        let naming = files_naming(&workspace, names, &rules, &latest);
        let found = || found_in_map(&workspace, &naming.names);
        let lacking = loop {
            workspace.pending.wait_for_map(&naming.files, &latest.with_deadline(Deadline::after(LOOK_EVERY)));
            let lacking = workspace.pending.lacking_in_map(&naming.files).len();
            let is_enough = || soon.has_passed() && found().all_exactly;
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
        if (lacking > 0 || !naming.are_all) && !found().any {
            return Err(errors::not_built(&workspace, workspace.progress.now()));
        }
        let may_lack = match lacking {
            0 if !naming.are_all => {
                Some("files that have the name may not be mapped yet: ask again in a moment".to_owned())
            }
            0 if naming.names.is_empty() => None,
            0 => Some("names that are only similar may be missing".to_owned()),
            _ => Some(format!(
                "{lacking} files that may have the name are not mapped yet: ask again in a moment"
            )),
        };
        self.answer_during_first_index(&workspace, may_lack)?;
        Ok(workspace)
    }

    /// Returns true if a phase of the first index ends within the time that searches wait for it. Otherwise the files are
    /// known by now.
    fn is_indexed_soon(&self, workspace: &Workspace, phase: Phase) -> Result<bool, ToolError> {
        let soon = workspace.pending.first_wait_deadline(WHOLE_PATIENCE);
        match self.wait_for_phase(workspace, phase, self.first_time(soon)) {
            Ok(()) => return Ok(true),
            // The call's own time is over, or nobody wants the answer.
            Err(error) if self.cancel.check().is_err() => return Err(error),
            Err(_) => {}
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
    /// The files, the likeliest first, each once.
    files: Vec<FileId>,
    /// The names that are no paths.
    names: Vec<String>,
    /// False if time ended the search for them.
    are_all: bool,
}

/// Returns the files, in the text index or not, in whose text or path a name stands; of a target that names a file, only
/// that file.
fn files_naming(
    workspace: &Workspace,
    names: NamesAre<'_>,
    rules: &Arc<Rules>,
    cancel: &CancelToken,
) -> NamingFiles {
    let view = workspace.text_with_unread().without_contents();
    let paths = || view.unindexed_paths().chain(view.indexed_paths());
    let (mut by_path, mut by_name) = (Vec::new(), Vec::new());
    match names {
        NamesAre::Searched(names) => by_name.extend(names.iter().cloned()),
        NamesAre::Targets(targets) => {
            for target in targets {
                let named = target::paths_in(target);
                let is_meant = |path: &WsPath| named.iter().any(|named| is_end_of(path, named));
                let meant: Vec<FileId> =
                    paths().filter(|(_, path)| is_meant(path)).map(|(file, _)| file).collect();
                if meant.is_empty() {
                    by_name.push(target.clone());
                }
                by_path.extend(meant);
            }
        }
    }
    let is_target = matches!(names, NamesAre::Targets(_));
    let parts: Vec<&str> = by_name.iter().flat_map(|name| searched_parts(name, is_target)).collect();
    let (with_text, are_all) = files_with_text(workspace, &view, &parts, rules, cancel);
    let lower: Vec<String> = parts.iter().map(|part| part.to_ascii_lowercase()).collect();
    let is_named_so = |path: &WsPath| {
        let name = path.file_name().to_ascii_lowercase();
        rules.has_path(path) && lower.iter().any(|part| name.contains(part.as_str()))
    };
    let named_so = paths().filter(|(_, path)| is_named_so(path)).map(|(file, _)| file);
    let mut known = FxHashSet::default();
    let files =
        by_path.into_iter().chain(with_text).chain(named_so).filter(|file| known.insert(*file)).collect();
    NamingFiles { files, names: by_name, are_all }
}

/// Returns true if a path ends with another, which may begin with `./`.
fn is_end_of(path: &WsPath, end: &str) -> bool {
    let before = path.as_str().strip_suffix(end.trim_start_matches("./"));
    before.is_some_and(|before| before.is_empty() || before.ends_with('/'))
}

/// Returns the files in whose text one of the parts stands, and true if these are all.
fn files_with_text(
    workspace: &Workspace,
    view: &TextView,
    parts: &[&str],
    rules: &Arc<Rules>,
    cancel: &CancelToken,
) -> (Vec<FileId>, bool) {
    if parts.is_empty() {
        return (Vec::new(), true);
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
    let mut found = found.unwrap_or_default();
    // Where a name stands most often it is likeliest defined.
    found.files.sort_by_key(|file| Reverse(file.matches));
    let are_all = found.covers_everything();
    (found.files.into_iter().map(|file| file.file).collect(), are_all)
}

/// Tells which of the names the map has.
struct FoundNames {
    /// True if it has something for one of them.
    any: bool,
    /// True if it has a definition or a file called so for each.
    all_exactly: bool,
}

fn found_in_map(workspace: &Workspace, names: &[String]) -> FoundNames {
    let map = workspace.map();
    let mut found = FoundNames { any: names.is_empty(), all_exactly: true };
    for name in names {
        let query = SearchQuery { text: name, kinds: KindFilter::Any, path_prefix: "", limit: 1 };
        let hits = map.search(&query).hits;
        found.any |= !hits.is_empty();
        let last = name.split(is_between_names).rfind(|part| !part.is_empty()).unwrap_or(name);
        let file_name = name.rsplit('/').next().unwrap_or(name);
        found.all_exactly &= hits.first().is_some_and(|hit| {
            [last, file_name].iter().any(|wanted| hit.info.name.eq_ignore_ascii_case(wanted))
        });
    }
    found
}

fn is_between_names(letter: char) -> bool {
    !letter.is_alphanumeric() && !matches!(letter, '_' | '$')
}

/// Returns the parts of a name that stand in the text of files on which its search depends: of `Store.load` the last one,
/// and of a target, whose class may inherit it, both.
fn searched_parts(name: &str, is_target: bool) -> Vec<&str> {
    let long: Vec<&str> = name.split(is_between_names).filter(|part| part.len() >= SHORTEST).collect();
    let wanted = if is_target { 2 } else { 1 };
    match long.len() {
        0 => vec![name.trim()],
        some => long[some.saturating_sub(wanted)..].to_vec(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_parts_of_a_name_that_stand_in_the_text() {
        let searched = |name| searched_parts(name, false);
        let names = ["Store.load", "a::iter", "ext4", "parse json", "core.c", "io"];
        assert_eq!(names.map(searched).concat(), ["load", "iter", "ext4", "json", "core", "io"]);
        assert_eq!(searched_parts("Dog.speak", true), ["Dog", "speak"]);
    }

    #[test]
    fn a_path_may_be_named_by_its_end() {
        let path = WsPath::new("kernel/sched/core.c").expect("a path");
        assert!(is_end_of(&path, "core.c") && is_end_of(&path, "./kernel/sched/core.c"));
        assert!(!is_end_of(&path, "ore.c"));
    }
}
