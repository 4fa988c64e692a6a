//! Answers `change_impact`: the effects of a change of git, or of a diff, on the symbols of a project, in the order of
//! risk.
//!
//! `range` reads which two sides are meant, `files` reads them, `hob_change` compares them symbol by symbol, `assess`
//! asks the maps of both sides who depends on what, `broken` and `calls` find the uses that no longer fit, and `shown`
//! cuts the answer to its budget. Nothing is checked out and nothing of the repository runs.

mod assess;
mod broken;
mod calls;
mod files;
mod maps;
mod range;
mod shown;

use hob_base::{CancelToken, WsPath};
use hob_change::{ChangeComparison, SymbolChange, SymbolFate, SymbolPlace, compare_files, parse_diff};
use hob_map::Map;
use hob_map::graph::{NodeRef, is_test_path};
use hob_proto::ToolError;
use hob_proto::tools::change::{ChangeArgs, ReviewedFile};
use rustc_hash::FxHashMap;

use super::map::with_graph_deadline;
use super::{NeededIndex, ToolCall, ToolOutcome, to_data};
use assess::{AssessedSymbol, Assessor};
use broken::UseCheck;
use calls::CallChecker;
use files::{ChangedFiles, SideReader};
use hob_host::Workspace;
use maps::map_with;
pub(crate) use range::{commit_named, git_failed, open_repository};
use range::{is_diff, parse_range};
use shown::ReviewTelling;

pub(super) fn change_impact(call: &mut ToolCall<'_>) -> ToolOutcome {
    let args: ChangeArgs = call.parse_args()?;
    let workspace = call.workspace(NeededIndex::Map)?;
    let change = read_change(call, &workspace, &args)?;
    let comparison = change.compare_sides();
    let asked = ReviewQuestion { workspace: &workspace, files: &change.files, max_depth: args.max_depth };
    let mut symbols = asked.assess_symbols(&comparison, &call.cancel);
    let mut checker = CallChecker::new(&workspace, &change.files.pairs);
    symbols.iter_mut().for_each(|symbol| symbol.check_calls(&mut checker));
    symbols.sort_by(|a, b| a.rank().cmp(&b.rank()));
    call.notes.warnings.extend(warn_of_age(&change.files));
    let telling = ReviewTelling {
        symbols: &symbols,
        files: files_of(&comparison, &change.files),
        compared: change.words,
        offset: args.offset,
    };
    to_data(&telling.result(call))
}

/// A change whose symbols are to be assessed.
struct ReviewQuestion<'a> {
    workspace: &'a Workspace,
    files: &'a ChangedFiles,
    max_depth: u32,
}

impl ReviewQuestion<'_> {
    /// Asks the maps about every symbol. The present map is released before files are read.
    fn assess_symbols<'c>(
        &self,
        comparison: &'c ChangeComparison,
        cancel: &CancelToken,
    ) -> Vec<AssessedSymbol<'c>> {
        let map = self.workspace.map();
        let sides = SideMaps::of_change(&map, self.files, comparison);
        let renamed = renamed_symbols(&comparison.symbols);
        let cancel = with_graph_deadline(cancel);
        let (before, after) = (sides.before.as_ref().unwrap_or(&map), sides.after.as_ref().unwrap_or(&map));
        let check = UseCheck { before, after, pairs: &self.files.pairs, renamed: &renamed, cancel: &cancel };
        let uses = sides.is_of_change.then_some(check);
        let assessor = Assessor { before, after, uses, max_depth: self.max_depth, cancel: &cancel };
        assessor.assess_all(&comparison.symbols)
    }
}

/// A change whose two sides have been read.
pub(super) struct ReadChange {
    files: ChangedFiles,
    /// A description of the two sides, for people.
    pub(super) words: String,
}

impl ReadChange {
    /// Compares the two sides symbol by symbol.
    pub(super) fn compare_sides(&self) -> ChangeComparison {
        compare_files(&self.files.pairs)
    }
}

/// Reads both sides of the change that the arguments name, within the scope of the call.
///
/// # Errors
/// The errors of the scope, of git, and of a diff that is broken or does not fit.
pub(super) fn read_change(
    call: &mut ToolCall<'_>,
    workspace: &Workspace,
    args: &ChangeArgs,
) -> Result<ReadChange, ToolError> {
    let scope = call.parse_scope(workspace)?;
    let rules = scope.rules().clone();
    let admits = |path: &WsPath| rules.has_path(path) && rules.has_test(is_test_path(path.as_str()));
    let diff = args.change.as_deref().filter(|text| is_diff(text));
    let repository = if diff.is_some() { None } else { Some(open_repository(workspace)?) };
    let reader =
        SideReader { workspace, repository: repository.as_ref(), cancel: &call.cancel, admits: &admits };
    match (diff, &repository) {
        (Some(text), _) => {
            let patches = parse_diff(text).map_err(|error| {
                ToolError::bad_args(format!("change: {error}."))
                    .hint("Pass a unified diff as `git diff` prints it.")
            })?;
            let files = reader.read_diff(&patches)?;
            let state = if files.is_before_now { "not applied yet" } else { "applied already" };
            Ok(ReadChange { files, words: format!("the diff, {state}") })
        }
        (None, Some(repository)) => {
            let range = parse_range(repository, args)?;
            Ok(ReadChange { files: reader.read_range(&range)?, words: range.words })
        }
        (None, None) => Ok(ReadChange { files: ChangedFiles::default(), words: String::new() }),
    }
}

/// Returns the changed symbols that the present map has, and the number of those that it lacks. Changes of
/// documentation alone do not count.
pub(super) fn changed_nodes(map: &Map, comparison: &ChangeComparison) -> (Vec<NodeRef>, usize) {
    let is_code = |change: &&SymbolChange| !assess::is_of_docs(change);
    let places = comparison.symbols.iter().filter(is_code).map(|change| change.after.as_ref());
    let found: Vec<Option<NodeRef>> =
        places.map(|place| Some(NodeRef::Def(assess::find_definition(map, place?)?))).collect();
    let missing = found.iter().filter(|node| node.is_none()).count();
    (found.into_iter().flatten().collect(), missing)
}

/// The maps of both sides, each `None` if it is the present map.
struct SideMaps {
    before: Option<Map>,
    after: Option<Map>,
    /// False if the present map is used for both sides, though it is of neither.
    is_of_change: bool,
}

impl SideMaps {
    fn of_change(now: &Map, files: &ChangedFiles, comparison: &ChangeComparison) -> Self {
        let none = Self { before: None, after: None, is_of_change: false };
        // If nothing is gone or declared differently, every use still has what it uses.
        let may_break = |change: &SymbolChange| change.fate < SymbolFate::Changed || change.parts.signature;
        if !comparison.symbols.iter().any(may_break) {
            return none;
        }
        if files.is_before_now {
            let after = map_with(now, &files.pairs, |pair| pair.after.as_ref());
            return Self { is_of_change: after.is_some(), after, ..none };
        }
        if !files.is_after_now {
            return none;
        }
        let before = map_with(now, &files.pairs, |pair| pair.before.as_ref());
        Self { is_of_change: before.is_some(), before, ..none }
    }
}

/// Warns if the dependents are not of the change, because the files have changed since.
fn warn_of_age(files: &ChangedFiles) -> Option<String> {
    let is_present = files.is_after_now || files.is_before_now;
    (!is_present && !files.pairs.is_empty()).then(|| {
        "The files have changed since: dependents are those of the files as they are now, and which uses broke is not told."
            .to_owned()
    })
}

/// Returns the places after the change of symbols that have another name or file, by path and name before it.
fn renamed_symbols(changes: &[SymbolChange]) -> FxHashMap<(String, String), SymbolPlace> {
    let relocated =
        changes.iter().filter_map(|change| Some((change.before.as_ref()?, change.after.as_ref()?)));
    let relocated = relocated
        .filter(|(before, after)| (&before.path, &before.qualified) != (&after.path, &after.qualified));
    relocated
        .map(|(before, after)| ((before.path.to_string(), before.qualified.clone()), after.clone()))
        .collect()
}

/// Returns the files of a change, each with a note on differences outside of symbols.
fn files_of(comparison: &ChangeComparison, files: &ChangedFiles) -> Vec<ReviewedFile> {
    let mut told: Vec<ReviewedFile> = comparison
        .files
        .iter()
        .map(|file| ReviewedFile {
            file: file.path.to_string(),
            status: file_status(file.was.is_some(), file.is_before, file.is_after).to_owned(),
            was: file.was.as_ref().map(ToString::to_string),
            note: if file.outside { "code outside symbols differs".to_owned() } else { String::new() },
        })
        .chain(files.skipped.iter().cloned())
        .collect();
    told.sort_by(|a, b| a.file.cmp(&b.file));
    told
}

fn file_status(has_moved: bool, is_before: bool, is_after: bool) -> &'static str {
    match (has_moved, is_before, is_after) {
        (true, ..) => "moved",
        (_, false, _) => "added",
        (_, _, false) => "removed",
        _ => "changed",
    }
}
