//! Finds the files of a workspace that differ from a revision.
//!
//! The map knows the present files. For a revision, only the files that differ must be parsed again. This module finds
//! them, mostly without reading anything: git's index tells the contents of every file that was not touched since it
//! was checked out ([`Checkout`]). The others are read and hashed as git does, on several threads.
//!
//! Git compares what it would store, so a file that differs from its blob only in line ends (`core.autocrlf`) is the
//! same here too. Other filters are programs and are not run, so a large file differs from the pointer that git stores
//! for it.

use std::collections::HashMap;
use std::num::NonZero;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use hob_base::{CancelToken, Contents, Stopped, WsPath};

use super::{Checkout, Oid, TreeFile};
use crate::Stat;

/// Most threads that read files; more are not faster.
const THREADS: usize = 8;
/// Files that a thread takes at a time.
const STEP: usize = 16;
/// Number of bytes at the head of a file by which git tells text from binary contents.
const HEAD: usize = 8_000;

/// The two sides of a comparison, and how to read them.
pub struct Comparison<'a> {
    /// The files of the revision, from [`super::Repository::files_at`].
    pub then: &'a [TreeFile],
    /// The present files, with the stat of each where it is known.
    pub now: &'a [(WsPath, Option<Stat>)],
    /// The files that need not be read; [`Checkout::default`] if everything shall be.
    pub checkout: &'a Checkout,
    /// The source of the present contents.
    pub contents: &'a dyn Contents,
}

/// The files that differ between a revision and now, each list sorted by path.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Differences {
    /// Files that are there on both sides with different contents, as they were in the revision.
    pub changed: Vec<TreeFile>,
    /// Files that are there only in the revision. Includes files that exist now but are excluded by rules.
    pub gone: Vec<TreeFile>,
    /// Files that are there only now.
    pub new: Vec<WsPath>,
    /// Number of files that are the same.
    pub same: usize,
    /// Number of files that had to be read.
    pub read: usize,
}

/// The present state of a file of the revision.
#[derive(Clone, Copy, PartialEq, Eq)]
enum RevisionComparison {
    Same,
    Changed,
    Gone,
}

/// Compares the sides. A file that cannot be read counts as changed, one that vanishes meanwhile as gone.
///
/// # Errors
/// [`Stopped`] when `cancel` says so, which is checked after every few files.
pub fn compare_files(question: &Comparison<'_>, cancel: &CancelToken) -> Result<Differences, Stopped> {
    let now: HashMap<&WsPath, Option<Stat>> = question.now.iter().map(|(path, stat)| (path, *stat)).collect();
    let mut comparisons = Vec::with_capacity(question.then.len());
    let mut unknown = Vec::new();
    for (index, file) in question.then.iter().enumerate() {
        comparisons.push(match now.get(&file.path) {
            None => RevisionComparison::Gone,
            Some(stat) => {
                match stat.and_then(|stat| question.checkout.blob_if_untouched(&file.path, &stat)) {
                    Some(oid) if oid == file.blob => RevisionComparison::Same,
                    Some(_) => RevisionComparison::Changed,
                    None => {
                        unknown.push(index);
                        RevisionComparison::Same
                    }
                }
            }
        });
    }
    for (index, comparison) in read_all(question, &unknown, cancel)? {
        comparisons[index] = comparison;
    }
    Ok(collect_differences(question, &comparisons, unknown.len()))
}

fn collect_differences(
    question: &Comparison<'_>,
    comparisons: &[RevisionComparison],
    read: usize,
) -> Differences {
    let of = |wanted: RevisionComparison| {
        let pairs =
            question.then.iter().zip(comparisons).filter(move |(_, comparison)| **comparison == wanted);
        let mut files: Vec<TreeFile> = pairs.map(|(file, _)| file.clone()).collect();
        files.sort_by(|a, b| a.path.cmp(&b.path));
        files
    };
    let then: std::collections::HashSet<&WsPath> = question.then.iter().map(|file| &file.path).collect();
    let now = question.now.iter().map(|(path, _)| path);
    let mut new: Vec<WsPath> = now.filter(|path| !then.contains(path)).cloned().collect();
    new.sort();
    let same = comparisons.iter().filter(|comparison| **comparison == RevisionComparison::Same).count();
    Differences {
        changed: of(RevisionComparison::Changed),
        gone: of(RevisionComparison::Gone),
        new,
        same,
        read,
    }
}

/// Reads and hashes the files of the revision with these indexes.
fn read_all(
    question: &Comparison<'_>,
    indexes: &[usize],
    cancel: &CancelToken,
) -> Result<Vec<(usize, RevisionComparison)>, Stopped> {
    let next = AtomicUsize::new(0);
    let found = Mutex::new(Vec::with_capacity(indexes.len()));
    let work = || -> Result<(), Stopped> {
        let mut buffer = Vec::new();
        loop {
            cancel.check()?;
            let from = next.fetch_add(STEP, Ordering::Relaxed);
            let Some(part) =
                indexes.get(from..indexes.len().min(from + STEP)).filter(|part| !part.is_empty())
            else {
                return Ok(());
            };
            let judged =
                part.iter().map(|&index| (index, compare_file(&question.then[index], question, &mut buffer)));
            let judged: Vec<_> = judged.collect();
            found.lock().unwrap_or_else(std::sync::PoisonError::into_inner).extend(judged);
        }
    };
    let cores = std::thread::available_parallelism().map_or(1, NonZero::get);
    let threads = cores.min(THREADS).min(indexes.len().div_ceil(STEP));
    std::thread::scope(|scope| {
        let others: Vec<_> = (1..threads).map(|_| scope.spawn(work)).collect();
        let own = work();
        // A panic of a thread becomes this call's panic.
        let joined = others.into_iter().map(|other| match other.join() {
            Ok(result) => result,
            Err(panic) => std::panic::resume_unwind(panic),
        });
        joined.fold(own, Result::and)
    })?;
    Ok(found.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner))
}

fn compare_file(file: &TreeFile, question: &Comparison<'_>, buffer: &mut Vec<u8>) -> RevisionComparison {
    match question.contents.read_into(&file.path, buffer) {
        Ok(()) if is_blob(file.blob, buffer) => RevisionComparison::Same,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => RevisionComparison::Gone,
        _ => RevisionComparison::Changed,
    }
}

/// Returns true if git would store `bytes` as `blob`, as they are or with plain line ends.
fn is_blob(blob: Oid, bytes: &[u8]) -> bool {
    Oid::of_blob(bytes) == Some(blob)
        || plain_line_ends(bytes).is_some_and(|plain| Oid::of_blob(&plain) == Some(blob))
}

/// Replaces `\r\n` by `\n`; `None` if nothing would change, or the bytes are no text.
fn plain_line_ends(bytes: &[u8]) -> Option<Vec<u8>> {
    let is_text = !bytes[..bytes.len().min(HEAD)].contains(&0);
    if !is_text || !bytes.windows(2).any(|pair| pair == b"\r\n") {
        return None;
    }
    let mut plain = Vec::with_capacity(bytes.len());
    for (at, byte) in bytes.iter().enumerate() {
        if *byte != b'\r' || bytes.get(at + 1) != Some(&b'\n') {
            plain.push(*byte);
        }
    }
    Some(plain)
}
