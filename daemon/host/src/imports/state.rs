//! Holds the imported indexes of one workspace, which the first question opens.

use std::fs;
use std::io;
use std::sync::{Arc, Mutex};

use hob_base::{AbsPath, Region, lock};
use hob_scip::CompactIndex;

use super::super::workspace::Workspace;
use super::belief::BelievedCounts;

/// The end of the file names of stored indexes.
pub(super) const ENDING: &str = ".index";

/// Most indexes of one workspace.
pub(super) const MOST_INDEXES: usize = 16;

/// An index that was imported.
#[derive(Debug)]
pub struct ImportedIndex {
    /// The name by which users drop it.
    pub name: String,
    /// The index in its compact form.
    pub index: CompactIndex,
}

/// The imported indexes of one workspace.
#[derive(Debug)]
pub(crate) struct ImportedIndexes {
    pub(crate) folder: AbsPath,
    open: Mutex<Option<Arc<[ImportedIndex]>>>,
    pub(super) counts: Mutex<Option<BelievedCounts>>,
}

impl ImportedIndexes {
    /// Returns the indexes of a folder, which need not be there.
    pub(crate) fn new(folder: AbsPath) -> Self {
        Self { folder, open: Mutex::default(), counts: Mutex::default() }
    }

    /// Returns the file of an index.
    pub(super) fn file_of(&self, name: &str) -> AbsPath {
        self.folder.join(format!("{name}{ENDING}"))
    }

    /// Forgets the open indexes, so that the next question opens them again.
    pub(super) fn forget_open(&self) {
        *lock(&self.open) = None;
        *lock(&self.counts) = None;
    }

    /// Returns the names of the stored indexes, sorted.
    pub(super) fn names(&self) -> Vec<String> {
        let entries = fs::read_dir(&self.folder).into_iter().flatten().flatten();
        let names = entries.filter_map(|entry| entry.file_name().into_string().ok());
        let mut names: Vec<String> =
            names.filter_map(|name| Some(name.strip_suffix(ENDING)?.to_owned())).collect();
        names.sort_unstable();
        names
    }

    /// Opens all indexes, removes damaged ones, and returns the names of those.
    fn open_all(&self) -> (Arc<[ImportedIndex]>, Vec<String>) {
        let (mut open, mut damaged) = (Vec::new(), Vec::new());
        for name in self.names() {
            let file = self.file_of(&name);
            match Region::open(file.as_path()).ok().and_then(CompactIndex::open) {
                Some(index) => open.push(ImportedIndex { name, index }),
                None => {
                    let _ = fs::remove_file(&file);
                    damaged.push(name);
                }
            }
        }
        (open.into(), damaged)
    }
}

impl Workspace {
    /// Returns the imported indexes, sorted by name.
    #[must_use]
    pub fn imported_indexes(&self) -> Arc<[ImportedIndex]> {
        let mut open = lock(&self.imports.open);
        if let Some(all) = &*open {
            return Arc::clone(all);
        }
        let (all, damaged) = self.imports.open_all();
        if !damaged.is_empty() {
            let (names, root) = (damaged.join("`, `"), self.root());
            let text =
                format!("The imported index `{names}` of `{root}` was damaged and is gone: import it again.");
            self.shared.notices.add_once("imports", text);
        }
        *open = Some(Arc::clone(&all));
        all
    }

    /// Drops an imported index. Returns false if there is none of this name.
    ///
    /// # Errors
    /// Fails if the file cannot be removed.
    pub fn drop_index(&self, name: &str) -> io::Result<bool> {
        if !self.imports.names().iter().any(|known| known == name) {
            return Ok(false);
        }
        self.imports.forget_open();
        let removed = fs::remove_file(self.imports.file_of(name)).map(|()| true);
        // A call may have opened it again meanwhile.
        self.imports.forget_open();
        removed
    }
}
