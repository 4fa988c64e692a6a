//! Lists the files and folders that could not be read when that was due: they are not gone, only out of reach.
//!
//! The system may have no descriptor or memory left, a right may be withdrawn, a disk or a server may not answer: none
//! of that tells the present state of a file. So hob keeps the file's record and lists its name here until the file has
//! been read, or is known to be gone. Calls have everything in the list tried again before they answer, and warn of the
//! rest.
//!
//! What it is not: a list of files that belong and are left out for good, such as those over the size limit
//! ([`crate::ScanNote`]).

use std::collections::BTreeMap;
use std::io;
use std::sync::{PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

use hob_base::{AbsPath, WsPath};

use crate::notes::Examples;
use crate::{DirtySet, ScanNote, UnreportedChange};

/// The attempt that failed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum FailedAttempt {
    /// A file could not be read.
    File,
    /// A folder could not be listed.
    Folder,
    /// The system did not return a stat.
    Look,
}

/// Why something could not be read.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct ReadFailure {
    why: String,
    tried: FailedAttempt,
    /// True if the error lasts until somebody changes a mode or an owner, which can be checked without reading.
    is_denied: bool,
    /// True if the path was read before, so that its record may be out of date.
    was_known: bool,
}

impl ReadFailure {
    /// Makes a trouble from an error of reading; `None` where the error means that there is nothing to read.
    pub(crate) fn from_error(error: &io::Error, tried: FailedAttempt) -> Option<Self> {
        (!is_gone(error)).then(|| Self {
            why: error.to_string(),
            tried,
            is_denied: error.kind() == io::ErrorKind::PermissionDenied,
            was_known: false,
        })
    }

    /// Makes the trouble of a folder whose rules could not be read, so that nobody knows which of its files belong.
    pub(crate) fn of_rules(why: String) -> Self {
        Self { why, tried: FailedAttempt::Folder, is_denied: false, was_known: false }
    }

    /// Returns the same trouble, with `was_known` set.
    pub(crate) fn of_known(self, was_known: bool) -> Self {
        Self { was_known, ..self }
    }

    /// Returns true if another try may succeed, as far as that is known without trying.
    fn is_worth_a_try(&self, path: &AbsPath) -> bool {
        !self.is_denied || may_be_had(path, self.tried)
    }
}

/// Returns true if an error of reading means that no file of the workspace is there: the path has nothing, or something
/// else than a file.
#[must_use]
pub fn is_gone(error: &io::Error) -> bool {
    use io::ErrorKind::{FileTooLarge, InvalidInput, IsADirectory, NotADirectory, NotFound};
    let is_gone =
        matches!(error.kind(), FileTooLarge | InvalidInput | IsADirectory | NotADirectory | NotFound);
    is_gone || is_no_file(error)
}

/// Returns true for the errors of a link, a socket, a device without a driver, or a name that the system does not
/// accept.
#[cfg(unix)]
fn is_no_file(error: &io::Error) -> bool {
    use rustix::io::Errno;
    const OTHERS: [Errno; 4] = [Errno::LOOP, Errno::NXIO, Errno::NODEV, Errno::NAMETOOLONG];
    error.raw_os_error().is_some_and(|code| OTHERS.iter().any(|other| other.raw_os_error() == code))
}

#[cfg(not(unix))]
fn is_no_file(_error: &io::Error) -> bool {
    false
}

/// Returns true if the system's refusal is temporary: no descriptor or memory left, or a disk or a server that does not
/// answer.
pub(crate) fn is_momentary(error: &io::Error) -> bool {
    error.raw_os_error().is_some() && error.kind() != io::ErrorKind::PermissionDenied && !is_gone(error)
}

#[cfg(unix)]
fn may_be_had(path: &AbsPath, tried: FailedAttempt) -> bool {
    use rustix::fs::{Access, access};
    let wanted = match tried {
        FailedAttempt::File => Access::READ_OK,
        FailedAttempt::Folder => Access::READ_OK | Access::EXEC_OK,
        FailedAttempt::Look => Access::EXISTS,
    };
    // A path that is gone is worth a look too.
    !matches!(access(path.as_path(), wanted), Err(rustix::io::Errno::ACCESS | rustix::io::Errno::PERM))
}

#[cfg(not(unix))]
fn may_be_had(_path: &AbsPath, _tried: FailedAttempt) -> bool {
    true
}

/// The files and folders that could not be read. The table and its owner write the list; calls read it.
#[derive(Debug, Default)]
pub struct Unread(RwLock<BTreeMap<WsPath, ReadFailure>>);

impl Unread {
    /// Records that a file could not be read. Returns true if the path still counts as a file; if not, the file is
    /// gone.
    pub fn note_failure(&self, path: &WsPath, error: &io::Error, was_known: bool) -> bool {
        let trouble =
            ReadFailure::from_error(error, FailedAttempt::File).map(|trouble| trouble.of_known(was_known));
        let is_there = trouble.is_some();
        if let Some(trouble) = trouble {
            tracing::debug!(%path, %error, "not read for now");
            self.insert(path.clone(), trouble);
        }
        is_there
    }

    /// Marks every path of the list that may be readable again. Returns true if there was one.
    pub fn mark_again(&self, root: &AbsPath, dirty: &DirtySet) -> bool {
        let due: Vec<(WsPath, FailedAttempt)> = {
            let list = self.read();
            let due = list.iter().filter(|(path, trouble)| trouble.is_worth_a_try(&root.join_ws(path)));
            due.map(|(path, trouble)| (path.clone(), trouble.tried)).collect()
        };
        let any = !due.is_empty();
        for (path, tried) in due {
            dirty.mark_found(if tried == FailedAttempt::File {
                UnreportedChange::Path(path)
            } else {
                UnreportedChange::Tree(path)
            });
        }
        any
    }

    /// Returns true if a path in the list may become readable without a change of mode or owner.
    #[must_use]
    pub fn is_momentary(&self) -> bool {
        self.read().values().any(|trouble| !trouble.is_denied)
    }

    /// Lists the files and folders whose records may be out of date.
    #[must_use]
    pub fn outdated_paths(&self) -> Vec<WsPath> {
        let list = self.read();
        list.iter().filter(|(_, trouble)| trouble.was_known).map(|(path, _)| path.clone()).collect()
    }

    /// Returns a note of the whole list, for `map_status`.
    #[must_use]
    pub fn note_for_status(&self) -> Option<ScanNote> {
        self.examples_of(|_| true).map(ScanNote::Unreadable)
    }

    /// Returns the warning for an answer that has old records of these files, or none of them; `None` if there is
    /// nothing to warn of.
    #[must_use]
    pub fn warning_for_users(&self) -> Option<String> {
        let told = self.examples_of(|trouble| trouble.was_known || !trouble.is_denied)?;
        Some(format!(
            "{} file(s) or folder(s) could not be read just now and count as they were before: {told}. Every call tries again.",
            told.count
        ))
    }

    fn examples_of(&self, is_told: impl Fn(&ReadFailure) -> bool) -> Option<Examples> {
        let mut told = Examples::default();
        for (path, trouble) in self.read().iter().filter(|(_, trouble)| is_told(trouble)) {
            let name = if path.is_root() { "." } else { path.as_str() };
            told.add(format!("{name} ({})", trouble.why));
        }
        (told.count > 0).then_some(told)
    }

    pub(crate) fn insert(&self, path: WsPath, trouble: ReadFailure) {
        self.write().insert(path, trouble);
    }

    pub(crate) fn remove(&self, path: &WsPath) {
        // Mostly the list is empty, and readers share their lock.
        if !self.read().is_empty() {
            self.write().remove(path);
        }
    }

    pub(crate) fn remove_below(&self, dir: &WsPath) {
        if !self.read().is_empty() {
            self.write().retain(|path, _| !path.is_below(dir));
        }
    }

    pub(crate) fn clear(&self) {
        self.write().clear();
    }

    fn read(&self) -> RwLockReadGuard<'_, BTreeMap<WsPath, ReadFailure>> {
        // Nothing that can panic runs between the writes of one change.
        self.0.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn write(&self) -> RwLockWriteGuard<'_, BTreeMap<WsPath, ReadFailure>> {
        self.0.write().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[cfg(unix)]
    #[test]
    fn only_some_errors_say_that_nothing_is_there() {
        use rustix::io::Errno;
        let is_gone = |error: Errno| is_gone(&error.into());
        assert!([Errno::NOENT, Errno::NOTDIR, Errno::LOOP, Errno::NXIO].into_iter().all(is_gone));
        let others = [Errno::MFILE, Errno::NFILE, Errno::ACCESS, Errno::IO, Errno::NOMEM, Errno::AGAIN];
        assert!(!others.into_iter().any(is_gone));
    }
}
