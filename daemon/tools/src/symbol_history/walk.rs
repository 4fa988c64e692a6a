//! Walks the history of one symbol, newest commit first.
//!
//! A commit counts if its symbol differs from that of each parent. If one parent has the very same file, or the same
//! symbol in another text of the file, the walk continues only there, as `git log` does with files: so a merge that
//! took one side is left out. A symbol that a commit adds is searched among the files that the same commit touches, so
//! that the walk continues through moves.

use std::cmp::Ordering;
use std::collections::BinaryHeap;
use std::sync::Arc;

use hob_base::{CancelToken, WsPath};
use hob_change::{FilePair, FileSide, SymbolChange, SymbolFate, SymbolPlace, compare_files};
use hob_map::{extract_within, language_of};
use hob_workspace::git::{Commit, GitError, HistoryReader, Oid, Repository, TreeChange};
use rustc_hash::{FxHashMap, FxHashSet};

use super::surrounded::{SurroundedText, place_in};

/// Most commits that are visited.
const COMMITS: usize = 60_000;
/// Most files of one commit in which a moved symbol is searched.
const FILES: usize = 60;
/// Largest size in bytes of a file that is mapped.
const LARGEST: u64 = 1 << 20;
/// Number of bytes at a file's beginning that decide its language.
const HEAD: usize = 8_000;

/// A symbol at some commit: its file and its qualified name.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct SymbolIdentity {
    pub(super) path: WsPath,
    pub(super) qualified: String,
}

/// A commit that changed the symbol.
#[derive(Clone, Debug)]
pub(super) struct HistoryStep {
    pub(super) commit: Commit,
    pub(super) change: SymbolChange,
}

/// The reason why a walk ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum WalkEnd {
    /// Every commit that may have changed the symbol was visited.
    Whole,
    /// The wanted number of commits was found.
    Limit,
    /// The time was over.
    Time,
    /// The most commits were visited that may be.
    Commits,
    /// The shallow history ended.
    Shallow,
    /// The commit that added the symbol touches too many files to find out whether the symbol came from one of them.
    Crowded,
    /// The file was too large, or not in a mapped language, in a commit on the way.
    Unreadable,
}

impl WalkEnd {
    pub(super) fn as_str(self) -> &'static str {
        match self {
            Self::Whole => "the history was followed to the symbol's first commit",
            Self::Limit => "there may be older commits: raise limit",
            Self::Time => "there was no time to follow the history further",
            Self::Commits => "more commits than 60000 were not looked at",
            Self::Shallow => "the repository is shallow: older commits are not here",
            Self::Crowded => "the oldest commit touches too many files to see whether it moved the symbol",
            Self::Unreadable => "an older version of the file is too large or not mapped",
        }
    }
}

/// A commit to be visited.
#[derive(PartialEq, Eq)]
struct WaitingCommit {
    time: i64,
    commit: Oid,
    identity: SymbolIdentity,
    /// The text of the symbol with the lines around it, once it was read.
    text: Option<Arc<SurroundedText>>,
}

impl Ord for WaitingCommit {
    fn cmp(&self, other: &Self) -> Ordering {
        let order = |waiting: &'_ Self| (waiting.time, waiting.commit);
        order(self).cmp(&order(other)).then_with(|| self.identity.cmp(&other.identity))
    }
}

impl PartialOrd for WaitingCommit {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// The comparison of a commit's symbol with that of a parent.
enum ParentComparison {
    /// The symbol is the same; it has this identity in the parent.
    Same(SymbolIdentity),
    /// The symbol differs, or the parent does not have it.
    Differs(Box<SymbolChange>),
    /// One of the versions cannot be compared.
    Unreadable,
}

/// The files that a commit touches, on both sides.
#[derive(Default)]
struct TouchedFiles {
    pairs: Vec<FilePair>,
    /// True if there are more than were read.
    is_cut: bool,
}

/// A walk under way.
pub(super) struct HistoryWalk<'a> {
    repository: &'a Repository,
    reader: HistoryReader,
    cancel: &'a CancelToken,
    sides: FxHashMap<(WsPath, Oid), Option<FileSide>>,
    waiting: BinaryHeap<WaitingCommit>,
    seen: FxHashSet<(Oid, SymbolIdentity)>,
    pub(super) steps: Vec<HistoryStep>,
    pub(super) walked: usize,
    end: WalkEnd,
}

impl<'a> HistoryWalk<'a> {
    pub(super) fn new(repository: &'a Repository, cancel: &'a CancelToken) -> Self {
        Self {
            repository,
            reader: repository.read_history(),
            cancel,
            sides: FxHashMap::default(),
            waiting: BinaryHeap::new(),
            seen: FxHashSet::default(),
            steps: Vec::new(),
            walked: 0,
            end: WalkEnd::Whole,
        }
    }

    /// Walks back from a commit until `limit` steps are found.
    ///
    /// # Errors
    /// [`GitError`] for a repository that cannot be read at its newest commit; an older one ends the walk.
    pub(super) fn run(
        &mut self,
        from: Oid,
        identity: SymbolIdentity,
        limit: usize,
    ) -> Result<WalkEnd, GitError> {
        self.push(from, identity, None)?;
        while let Some(mut next) = self.waiting.pop() {
            if self.cancel.check().is_err() {
                return Ok(WalkEnd::Time);
            }
            if self.walked >= COMMITS {
                return Ok(WalkEnd::Commits);
            }
            self.walked += 1;
            self.visit(&mut next)?;
            if self.steps.len() > limit {
                self.steps.truncate(limit);
                return Ok(WalkEnd::Limit);
            }
        }
        Ok(self.end)
    }

    fn push(
        &mut self,
        commit: Oid,
        identity: SymbolIdentity,
        text: Option<Arc<SurroundedText>>,
    ) -> Result<(), GitError> {
        if self.seen.insert((commit, identity.clone())) {
            let time = self.reader.commit(commit)?.time;
            self.waiting.push(WaitingCommit { time, commit, identity, text });
        }
        Ok(())
    }

    fn visit(&mut self, at: &mut WaitingCommit) -> Result<(), GitError> {
        let Some(blob) = self.reader.blob_at(at.commit, &at.identity.path)? else { return Ok(()) };
        let parents = self.reader.parents_of(at.commit)?;
        if parents.is_cut {
            self.end = WalkEnd::Shallow;
            if parents.present.is_empty() {
                return Ok(());
            }
        }
        let mut differing = Vec::new();
        for parent in &parents.present {
            match self.reader.blob_at(*parent, &at.identity.path)? {
                Some(old) if old == blob => return self.push(*parent, at.identity.clone(), at.text.take()),
                old => differing.push((*parent, old)),
            }
        }
        if parents.present.is_empty() {
            return self.add_first(at, blob);
        }
        let mut changes = Vec::new();
        for (parent, old) in differing {
            if old.is_some_and(|old| self.has_text(at, [old, blob])) {
                return self.push(parent, at.identity.clone(), at.text.take());
            }
            match self.compare(at, parent, [old, Some(blob)])? {
                ParentComparison::Same(identity) => return self.push(parent, identity, None),
                ParentComparison::Differs(change) => changes.push((parent, change)),
                ParentComparison::Unreadable => self.end = WalkEnd::Unreadable,
            }
        }
        self.add_step(at, changes)
    }

    /// Returns true if an older version of the file has the symbol's very text, with the same lines around it, and the
    /// names of its containers: nothing has to be parsed then.
    fn has_text(&mut self, at: &mut WaitingCommit, blobs: [Oid; 2]) -> bool {
        let [old, new] = blobs;
        if at.text.is_none() {
            let side = self.side(&at.identity.path, new);
            let text = side.and_then(|side| SurroundedText::of_symbol(&side, &at.identity));
            at.text = text.map(Arc::new);
        }
        let Ok(Some(bytes)) = self.reader.read_blob(old, LARGEST) else { return false };
        let has = |name: &str| memchr::memmem::find(&bytes, name.as_bytes()).is_some();
        at.text.as_ref().is_some_and(|text| text.stands_in(&bytes))
            && at.identity.qualified.split('.').all(has)
    }

    /// Notes the first commit of a history, which adds everything in it.
    fn add_first(&mut self, at: &WaitingCommit, blob: Oid) -> Result<(), GitError> {
        let after = self.side(&at.identity.path, blob);
        let change =
            after.and_then(|after| change_of(&[FilePair { before: None, after: Some(after) }], &at.identity));
        match change {
            Some(change) => self.steps.push(HistoryStep { commit: self.reader.commit(at.commit)?, change }),
            None => self.end = WalkEnd::Unreadable,
        }
        Ok(())
    }

    /// Notes that a commit differs from all its parents, and continues at those that have the symbol.
    fn add_step(
        &mut self,
        at: &WaitingCommit,
        changes: Vec<(Oid, Box<SymbolChange>)>,
    ) -> Result<(), GitError> {
        let Some((_, first)) = changes.first() else { return Ok(()) };
        self.steps.push(HistoryStep { commit: self.reader.commit(at.commit)?, change: (**first).clone() });
        for (parent, change) in changes {
            if let Some(before) = &change.before {
                self.push(parent, identity_of(before), None)?;
            }
        }
        Ok(())
    }

    /// Compares the symbol of a commit with that of a parent; `blobs` are the file's contents before and after.
    fn compare(
        &mut self,
        at: &WaitingCommit,
        parent: Oid,
        blobs: [Option<Oid>; 2],
    ) -> Result<ParentComparison, GitError> {
        let path = &at.identity.path;
        let [before, after] = blobs.map(|blob| blob.map(|blob| self.side(path, blob)));
        let (Some(Some(after)), false) = (after, matches!(before, Some(None))) else {
            return Ok(ParentComparison::Unreadable);
        };
        let pair = FilePair { before: before.flatten(), after: Some(after) };
        let mut change = change_of(std::slice::from_ref(&pair), &at.identity);
        if change.as_ref().is_some_and(|change| change.fate == SymbolFate::Added) {
            let touched = self.files_beside(parent, at.commit, &pair)?;
            change = change_of(&touched.pairs, &at.identity);
            let is_added = change.as_ref().is_some_and(|change| change.fate == SymbolFate::Added);
            if is_added && touched.is_cut {
                self.end = WalkEnd::Crowded;
            }
        }
        Ok(match change {
            None => ParentComparison::Same(at.identity.clone()),
            Some(change) => ParentComparison::Differs(Box::new(change)),
        })
    }

    /// Returns the files of a commit from which a symbol of `pair` may come, together with that pair. If there are too
    /// many, only those with the very contents of the file, or with its name, count.
    fn files_beside(&mut self, parent: Oid, commit: Oid, pair: &FilePair) -> Result<TouchedFiles, GitError> {
        let Some(own) = &pair.after else { return Ok(TouchedFiles::default()) };
        let mut changed = self.repository.changed_between(parent, commit, self.cancel)?;
        changed.retain(|file| file.before.is_some() && file.path != own.path);
        let is_cut = changed.len() > FILES;
        if is_cut {
            let contents = Oid::of_blob(&own.bytes);
            let is_it = |file: &TreeChange| file.before.is_some() && file.before == contents;
            changed.retain(|file| is_it(file) || file.path.file_name() == own.path.file_name());
            changed.sort_by_key(|file| !is_it(file));
            changed.truncate(FILES);
        }
        let sides = changed.iter().map(|file| FilePair {
            before: file.before.and_then(|blob| self.side(&file.path, blob)),
            after: file.after.and_then(|blob| self.side(&file.path, blob)),
        });
        let mut pairs: Vec<FilePair> = sides.filter(|pair| pair.before.is_some()).collect();
        pairs.push(pair.clone());
        Ok(TouchedFiles { pairs, is_cut })
    }

    /// Returns a file's contents with their facts; `None` if they are too large, or not mapped.
    pub(super) fn side(&mut self, path: &WsPath, blob: Oid) -> Option<FileSide> {
        let (reader, cancel) = (&self.reader, self.cancel);
        let read = || read_side(path, reader.read_blob(blob, LARGEST).ok()??.into(), cancel);
        self.sides.entry((path.clone(), blob)).or_insert_with(read).clone()
    }

    /// Finds the symbol in a commit under any of its names.
    pub(super) fn find_at(
        &mut self,
        commit: Oid,
        names: &[SymbolIdentity],
    ) -> Option<(FileSide, SymbolPlace)> {
        names.iter().find_map(|identity| {
            let blob = self.reader.blob_at(commit, &identity.path).ok()??;
            let side = self.side(&identity.path, blob)?;
            let place = place_in(&side, identity)?;
            Some((side, place))
        })
    }

    /// Returns the contents of a file in a commit.
    pub(super) fn side_at(&mut self, commit: Oid, path: &WsPath) -> Option<FileSide> {
        let blob = self.reader.blob_at(commit, path).ok()??;
        self.side(path, blob)
    }
}

/// Returns a file's bytes with their facts; `None` if they are not mapped.
pub(super) fn read_side(path: &WsPath, bytes: Arc<[u8]>, cancel: &CancelToken) -> Option<FileSide> {
    let lang = language_of(path.file_name(), &bytes[..bytes.len().min(HEAD)])?;
    let facts = extract_within(lang, path.file_name(), &bytes, &|| cancel.check().is_ok());
    facts.gave_up.is_none().then(|| FileSide { path: path.clone(), bytes, facts: Arc::new(facts) })
}

pub(super) fn identity_of(place: &SymbolPlace) -> SymbolIdentity {
    SymbolIdentity { path: place.path.clone(), qualified: place.qualified.clone() }
}

/// Returns the change of the symbol that has this identity after it; `None` if the symbol is the same.
pub(super) fn change_of(pairs: &[FilePair], identity: &SymbolIdentity) -> Option<SymbolChange> {
    let is_it = |change: &SymbolChange| {
        let after = change.after.as_ref();
        after.is_some_and(|after| after.path == identity.path && after.qualified == identity.qualified)
    };
    compare_files(pairs).symbols.into_iter().find(is_it)
}
