//! Caches the facts of headers while their files are the same: headers include the same others again and again.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::SystemTime;

use hob_base::lock;
use hob_map::FileFacts;
use rustc_hash::FxHashMap;

/// Most headers whose facts are cached; beyond it the cache is cleared.
const MOST: usize = 4_000;

/// The time of a file's last change, and its size in bytes.
type FileStamp = (SystemTime, u64);

/// The facts of headers by their files.
#[derive(Debug, Default)]
pub(super) struct HeaderFacts {
    known: Mutex<FxHashMap<PathBuf, (FileStamp, Arc<FileFacts>)>>,
}

impl HeaderFacts {
    /// Returns the facts of a file, if it has not changed since they were read.
    pub(super) fn known_facts(&self, file: &Path, stamp: FileStamp) -> Option<Arc<FileFacts>> {
        let known = lock(&self.known);
        let (read, facts) = known.get(file)?;
        (*read == stamp).then(|| Arc::clone(facts))
    }

    /// Caches the facts of a file as it was at its stamp.
    pub(super) fn keep_facts(&self, file: &Path, stamp: FileStamp, facts: &Arc<FileFacts>) {
        let mut known = lock(&self.known);
        if known.len() >= MOST {
            known.clear();
        }
        known.insert(file.to_path_buf(), (stamp, Arc::clone(facts)));
    }

    pub(super) fn forget_all(&self) {
        lock(&self.known).clear();
    }
}

#[cfg(test)]
mod tests {
    use hob_map::{Lang, extract};

    use super::*;

    #[test]
    fn a_header_that_changed_is_read_again() {
        let kept = HeaderFacts::default();
        let (file, stamp) = (Path::new("/usr/include/a.h"), (SystemTime::UNIX_EPOCH, 3));
        let facts = Arc::new(extract(Lang::C, "a.h", b"int f(void);"));
        kept.keep_facts(file, stamp, &facts);
        assert!(kept.known_facts(file, stamp).is_some_and(|known| Arc::ptr_eq(&known, &facts)));
        assert!(kept.known_facts(file, (stamp.0, 4)).is_none());
        kept.forget_all();
        assert!(kept.known_facts(file, stamp).is_none());
    }
}
