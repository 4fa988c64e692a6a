//! Reads the files of a change on both sides: from git's objects, from the disk, or from a diff. Nothing is checked out.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use hob_base::{CancelToken, Deadline, WsPath};
use hob_change::{FilePair, FilePatch, FileSide};
use hob_map::{extract_within, language_of};
use hob_proto::ToolError;
use hob_proto::tools::change::ReviewedFile;
use hob_workspace::Stat;
use hob_workspace::git::{Comparison, Oid, Repository, TreeFile, compare_files};

use super::range::{ChangeRange, SideSource, git_failed};
use hob_host::Workspace;
use hob_results::current_bytes;

/// Largest size in bytes of a file that is mapped, as in the present map.
const LARGEST: u64 = 1 << 20;
/// Number of bytes at a file's beginning that decide its language, and whether it is text.
const HEAD: usize = 8_000;
/// Longest time for reading and parsing both sides.
const PATIENCE: Duration = Duration::from_secs(8);

/// The place of a file's contents.
#[derive(Clone, Debug)]
enum FileContent {
    Blob(Oid),
    Disk,
    Text(Arc<[u8]>),
}

/// A changed file before it is read.
struct ChangedPath {
    path: WsPath,
    /// The earlier path, if a diff says that the file moved.
    was: Option<WsPath>,
    before: Option<FileContent>,
    after: Option<FileContent>,
}

/// Both sides of a change, with the files that were read.
#[derive(Default)]
pub(super) struct ChangedFiles {
    pub(super) pairs: Vec<FilePair>,
    /// Files that differ and are not compared symbol by symbol, with the reason.
    pub(super) skipped: Vec<ReviewedFile>,
    /// True if the present map is of the side after the change.
    pub(super) is_after_now: bool,
    /// True if the present map is of the side before the change: for a diff that is not applied.
    pub(super) is_before_now: bool,
}

/// A reader of both sides of a change.
pub(super) struct SideReader<'a> {
    pub(super) workspace: &'a Workspace,
    pub(super) repository: Option<&'a Repository>,
    pub(super) cancel: &'a CancelToken,
    /// The test for the paths that the question is about.
    pub(super) admits: &'a dyn Fn(&WsPath) -> bool,
}

impl SideReader<'_> {
    /// Reads both sides of a range of git.
    ///
    /// # Errors
    /// The errors of git.
    pub(super) fn read_range(&self, range: &ChangeRange) -> Result<ChangedFiles, ToolError> {
        let Some(repository) = self.repository else { return Ok(ChangedFiles::default()) };
        let paths = match range.after {
            SideSource::Worktree => self.against_disk(repository, range.before)?,
            SideSource::Commit(_) | SideSource::Nothing | SideSource::Index => {
                self.between_trees(repository, range)?
            }
        };
        let conflicted = match range.after {
            SideSource::Index => repository.staged_files().map_err(|error| git_failed(&error))?.conflicted,
            SideSource::Commit(_) | SideSource::Nothing | SideSource::Worktree => Vec::new(),
        };
        let is_plain = |changed: &ChangedPath| !conflicted.contains(&changed.path);
        let mut files = self.read_all(paths.into_iter().filter(is_plain).collect());
        files.is_after_now |= range.after == SideSource::Worktree;
        files.skipped.extend(conflicted.iter().filter(|path| (self.admits)(path)).map(|path| ReviewedFile {
            file: path.to_string(),
            status: "changed".to_owned(),
            was: None,
            note: "in conflict: the index has several versions".to_owned(),
        }));
        Ok(files)
    }

    /// Reads both sides of a diff, whether it is applied already or not.
    ///
    /// # Errors
    /// `BAD_ARGS` for a diff that fits neither way.
    pub(super) fn read_diff(&self, patches: &[FilePatch]) -> Result<ChangedFiles, ToolError> {
        let applied =
            patches.iter().map(|patch| self.sides_of_patch(patch, true)).collect::<Option<Vec<_>>>();
        let is_applied = applied.is_some();
        let paths = match applied {
            Some(paths) => paths,
            None => patches
                .iter()
                .map(|patch| self.sides_of_patch(patch, false).ok_or_else(|| misfit(patch)))
                .collect::<Result<Vec<_>, _>>()?,
        };
        let mut files = self.read_all(paths);
        (files.is_after_now, files.is_before_now) = (is_applied, !is_applied);
        Ok(files)
    }

    /// Returns the sides of a patch, one of which is on disk; `None` if the patch does not fit the file.
    fn sides_of_patch(&self, patch: &FilePatch, is_applied: bool) -> Option<ChangedPath> {
        let path = patch.after.clone().or_else(|| patch.before.clone())?;
        let here = if is_applied { &patch.after } else { &patch.before };
        let there = if is_applied { &patch.before } else { &patch.after };
        let text = match here {
            Some(path) => {
                let bytes = current_bytes(self.workspace, path)?;
                Some(String::from_utf8(bytes.to_vec()).ok()?)
            }
            None => None,
        };
        let known = text.clone().unwrap_or_default();
        let made = if is_applied { patch.revert(&known)? } else { patch.apply(&known)? };
        let is_there = |path: &WsPath| current_bytes(self.workspace, path).is_some();
        if here.is_none() && there.as_ref().is_some_and(is_there) {
            return None;
        }
        let content = |text: String| FileContent::Text(text.into_bytes().into());
        let (here, there) = (text.map(content), there.as_ref().map(|_| content(made)));
        let (before, after) = if is_applied { (there, here) } else { (here, there) };
        let was = patch.before.clone().filter(|was| *was != path);
        Some(ChangedPath { path, was, before, after })
    }

    fn between_trees(
        &self,
        repository: &Repository,
        range: &ChangeRange,
    ) -> Result<Vec<ChangedPath>, ToolError> {
        let found = match (range.before, range.after) {
            (SideSource::Commit(before), SideSource::Commit(after)) => {
                let changes = repository.changed_between(before, after, self.cancel);
                let changes = changes.map_err(|error| git_failed(&error))?.into_iter();
                changes.map(|change| blobs(change.path, change.before, change.after)).collect()
            }
            (before, after) => {
                let (before, after) = (self.tree(repository, before)?, self.tree(repository, after)?);
                differing(before, after)
            }
        };
        Ok(found)
    }

    fn tree(&self, repository: &Repository, side: SideSource) -> Result<Vec<TreeFile>, ToolError> {
        match side {
            SideSource::Commit(commit) => repository.files_at(commit, self.cancel),
            SideSource::Index => repository.staged_files().map(|staged| staged.files),
            SideSource::Nothing | SideSource::Worktree => Ok(Vec::new()),
        }
        .map_err(|error| git_failed(&error))
    }

    /// Returns the files on disk that differ from a commit.
    fn against_disk(
        &self,
        repository: &Repository,
        before: SideSource,
    ) -> Result<Vec<ChangedPath>, ToolError> {
        let then = self.tree(repository, before)?;
        let now = self.files_of_now();
        let checkout = repository.read_checkout();
        let contents = self.workspace.disk_contents();
        let question = Comparison { then: &then, now: &now, checkout: &checkout, contents: &contents };
        let found = compare_files(&question, self.cancel).map_err(|_| hob_results::errors::cancelled())?;
        let changed = found.changed.into_iter();
        let changed = changed.map(|file| ChangedPath {
            path: file.path,
            was: None,
            before: Some(FileContent::Blob(file.blob)),
            after: Some(FileContent::Disk),
        });
        let gone = found.gone.into_iter().filter_map(|file| self.gone_or_hidden(file));
        let new = found.new.into_iter();
        let new =
            new.map(|path| ChangedPath { path, was: None, before: None, after: Some(FileContent::Disk) });
        let mut paths: Vec<ChangedPath> = changed.chain(gone).chain(new).collect();
        paths.sort_by(|a, b| a.path.cmp(&b.path));
        Ok(paths)
    }

    /// Returns the change of a file that git knows and the workspace does not list: it is gone, or rules leave it out,
    /// and then its contents decide.
    fn gone_or_hidden(&self, file: TreeFile) -> Option<ChangedPath> {
        let before = Some(FileContent::Blob(file.blob));
        let place = self.workspace.root().join_ws(&file.path);
        let there = Path::symlink_metadata(place.as_path()).is_ok_and(|metadata| metadata.is_file());
        if !there {
            return Some(ChangedPath { path: file.path, was: None, before, after: None });
        }
        let bytes = current_bytes(self.workspace, &file.path)?;
        let is_same = Oid::of_blob(&bytes) == Some(file.blob);
        (!is_same).then_some(ChangedPath {
            path: file.path,
            was: None,
            before,
            after: Some(FileContent::Disk),
        })
    }

    fn files_of_now(&self) -> Vec<(WsPath, Option<Stat>)> {
        let text = self.workspace.text();
        let stat = |path: &WsPath| {
            let place = self.workspace.root().join_ws(path);
            Path::symlink_metadata(place.as_path()).ok().map(|metadata| Stat::of(&metadata))
        };
        text.indexed_paths().map(|(_, path)| (path.clone(), stat(path))).collect()
    }

    fn read_all(&self, paths: Vec<ChangedPath>) -> ChangedFiles {
        let cancel = self.cancel.with_deadline(Deadline::after(PATIENCE));
        let mut files = ChangedFiles { is_after_now: true, ..ChangedFiles::default() };
        for changed in paths.into_iter().filter(|changed| (self.admits)(&changed.path)) {
            if cancel.check().is_err() {
                files.skipped.push(skipped(&changed, "not looked at: there was no time"));
                continue;
            }
            match self.read_pair(&changed, &cancel) {
                Ok(pair) => {
                    files.is_after_now &= self.is_on_disk(&changed.path, pair.after.as_ref());
                    files.pairs.push(pair);
                }
                Err(why) => files.skipped.push(skipped(&changed, why)),
            }
        }
        files
    }

    fn read_pair(&self, changed: &ChangedPath, cancel: &CancelToken) -> Result<FilePair, &'static str> {
        let read = |path: &WsPath, content: &Option<FileContent>| match content {
            Some(content) => self.read_side(path, content, cancel).map(Some),
            None => Ok(None),
        };
        let was = changed.was.as_ref().unwrap_or(&changed.path);
        let pair =
            FilePair { before: read(was, &changed.before)?, after: read(&changed.path, &changed.after)? };
        if pair.before.is_none() && pair.after.is_none() {
            return Err("it vanished while it was read");
        }
        Ok(pair)
    }

    fn read_side(
        &self,
        path: &WsPath,
        content: &FileContent,
        cancel: &CancelToken,
    ) -> Result<FileSide, &'static str> {
        let bytes: Arc<[u8]> = match (content, self.repository) {
            (FileContent::Text(bytes), _) => bytes.clone(),
            (FileContent::Blob(oid), Some(repository)) => {
                let read = repository.read_blob(*oid, LARGEST).map_err(|_| "git has not its contents")?;
                read.ok_or("too large to be mapped")?.into()
            }
            _ => current_bytes(self.workspace, path).ok_or("it cannot be read")?,
        };
        if bytes.len() as u64 > LARGEST {
            return Err("too large to be mapped");
        }
        let head = &bytes[..bytes.len().min(HEAD)];
        if head.contains(&0) {
            return Err("binary");
        }
        let lang = language_of(path.file_name(), head).ok_or("no language that is mapped")?;
        let facts = extract_within(lang, path.file_name(), &bytes, &|| cancel.check().is_ok());
        if let Some(why) = facts.gave_up {
            return Err(why.as_str());
        }
        Ok(FileSide { path: path.clone(), bytes, facts: Arc::new(facts) })
    }

    /// Returns true if the file on disk has the contents of the side after the change.
    fn is_on_disk(&self, path: &WsPath, after: Option<&FileSide>) -> bool {
        let now = current_bytes(self.workspace, path);
        now.as_deref() == after.map(|side| &*side.bytes)
    }
}

fn misfit(patch: &FilePatch) -> ToolError {
    let path = patch.after.as_ref().or(patch.before.as_ref()).map(ToString::to_string).unwrap_or_default();
    ToolError::bad_args(format!(
        "change: the diff does not fit `{path}` as it is, neither before nor after the change."
    ))
    .hint("Make the diff against the files as they are, or name the change by a commit, staged or A..B.")
}

fn blobs(path: WsPath, before: Option<Oid>, after: Option<Oid>) -> ChangedPath {
    ChangedPath {
        path,
        was: None,
        before: before.map(FileContent::Blob),
        after: after.map(FileContent::Blob),
    }
}

/// Returns the files that differ between two lists, sorted by path.
fn differing(before: Vec<TreeFile>, after: Vec<TreeFile>) -> Vec<ChangedPath> {
    let mut sides: std::collections::BTreeMap<WsPath, (Option<Oid>, Option<Oid>)> =
        std::collections::BTreeMap::new();
    for file in before {
        sides.entry(file.path).or_default().0 = Some(file.blob);
    }
    for file in after {
        sides.entry(file.path).or_default().1 = Some(file.blob);
    }
    let differ = sides.into_iter().filter(|(_, (before, after))| before != after);
    differ.map(|(path, (before, after))| blobs(path, before, after)).collect()
}

fn skipped(changed: &ChangedPath, why: &str) -> ReviewedFile {
    let status = match (&changed.before, &changed.after) {
        (None, _) => "added",
        (_, None) => "removed",
        _ => "changed",
    };
    ReviewedFile {
        file: changed.path.to_string(),
        status: status.to_owned(),
        was: None,
        note: why.to_owned(),
    }
}
