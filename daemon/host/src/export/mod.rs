//! Writes the map of a workspace as a SCIP index, file by file.
//!
//! A document has the definitions of its file, with their kinds, signatures and docs, and each reference that the map
//! resolves with `import` confidence or better; guesses are left out, because a reader could not tell them from what is
//! known. Local names are not in the map, so they are not in the index. A name is written only where the file has it at
//! that place, as the file is now: names that change while the index is written are left out instead of being
//! misplaced.
//!
//! Only one file's document is in memory at a time, and the map is held no longer than that document takes. `symbols` names
//! definitions, `packages` says which package a file belongs to, `places` looks names up in a text.

mod document;
mod packages;
mod places;
mod symbols;

use std::fs::{self, File};
use std::io::{self, BufWriter};
use std::path::Path;
use std::time::{Duration, SystemTime};

use hob_base::{AbsPath, CancelToken, WsPath};
use hob_live::uri;
use hob_scip::{IndexHead, IndexPart, IndexWriter, ScipError, read_index};

use super::private_file::create_private;
use super::workspace::Workspace;
use packages::OwnPackages;

/// The outcome of an export.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExportOutcome {
    /// The written file, in hob's own folder: the caller moves it to its place.
    pub file: AbsPath,
    /// Number of documents in the file.
    pub documents: usize,
    /// Number of names in these documents.
    pub names: usize,
    /// Number of symbols that they define.
    pub symbols: usize,
}

/// The reason why no index was written.
#[derive(Debug, thiserror::Error)]
pub enum ExportError {
    /// The path of the index is taken by something else.
    #[error("`{0}` is there and is no SCIP index")]
    InTheWay(AbsPath),
    /// The file could not be written.
    #[error("the index could not be written: {0}")]
    Io(#[from] io::Error),
    /// The caller has given up.
    #[error("the export was cancelled")]
    Cancelled,
}

/// Prefix of the names of exported files, and the time for which one that nobody fetches stays.
const HANDED_OVER: &str = "export-";
const STAYS: Duration = Duration::from_secs(3600);

impl Workspace {
    /// Writes the map as an index into a file of hob's own. `target` is the place where the caller wants it: a file
    /// there that is no index is an error, unless `is_forced`.
    ///
    /// # Errors
    /// [`ExportError`]; then there is no file.
    pub fn export_index(
        &self,
        target: &AbsPath,
        is_forced: bool,
        cancel: &CancelToken,
    ) -> Result<ExportOutcome, ExportError> {
        if !is_forced && target.as_path().symlink_metadata().is_ok() && !is_index(target.as_path()) {
            return Err(ExportError::InTheWay(target.clone()));
        }
        let folder = &self.imports.folder;
        fs::create_dir_all(folder)?;
        remove_forgotten(folder.as_path());
        let file = folder.join(format!("{HANDED_OVER}{}", unique_number()));
        let outcome = self.export_into(&file, cancel);
        if outcome.is_err() {
            let _ = fs::remove_file(&file);
        }
        outcome
    }

    fn export_into(&self, file: &AbsPath, cancel: &CancelToken) -> Result<ExportOutcome, ExportError> {
        let head = IndexHead {
            tool: "hob".to_owned(),
            tool_version: env!("CARGO_PKG_VERSION").to_owned(),
            project_root: uri::of_path(self.root()).as_str().to_owned(),
        };
        let packages = OwnPackages::of_workspace(self);
        let mut writer = IndexWriter::begin(BufWriter::new(create_private(file)?), &head)?;
        let mut outcome = ExportOutcome { file: file.clone(), documents: 0, names: 0, symbols: 0 };
        for path in self.code_files() {
            cancel.check().map_err(|_| ExportError::Cancelled)?;
            let Some((document, symbols)) = document::of_file(self, &path, &packages) else { continue };
            outcome.documents += 1;
            outcome.names += document.names.len();
            outcome.symbols += symbols.len();
            writer.add_document(document, symbols)?;
        }
        let written = writer.finish()?.into_inner().map_err(io::Error::other)?;
        written.sync_all()?;
        Ok(outcome)
    }

    /// Returns the files of the map that are code, in order of path.
    fn code_files(&self) -> Vec<WsPath> {
        let map = self.map();
        let mut files = map.picture_files();
        files.retain(|(_, file)| map.file(*file).is_some_and(|(_, facts)| !facts.lang.is_prose()));
        files.into_iter().map(|(path, _)| path).collect()
    }
}

/// Returns true if a file begins with the head that every index has.
fn is_index(path: &Path) -> bool {
    struct Met;
    impl From<ScipError> for Met {
        fn from(_: ScipError) -> Self {
            Self
        }
    }
    let mut has_head = false;
    let mut take = |part: IndexPart| {
        has_head = matches!(part, IndexPart::Head(head) if !head.tool.is_empty());
        Err(Met)
    };
    let is_file = fs::metadata(path).is_ok_and(|about| about.is_file());
    if let Some(file) = File::open(path).ok().filter(|_| is_file) {
        let _ = read_index::<Met>(&mut io::BufReader::new(file), &mut take);
    }
    has_head
}

/// Removes exported files that nobody has fetched in time.
fn remove_forgotten(folder: &Path) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let is_ours = entry.file_name().to_string_lossy().starts_with(HANDED_OVER);
        let written = entry.metadata().and_then(|about| about.modified()).ok();
        let age = written.and_then(|at| SystemTime::now().duration_since(at).ok());
        if is_ours && age.is_some_and(|age| age > STAYS) {
            let _ = fs::remove_file(entry.path());
        }
    }
}

fn unique_number() -> String {
    use std::sync::atomic::{AtomicU64, Ordering};
    static NUMBER: AtomicU64 = AtomicU64::new(0);
    format!("{}-{}", std::process::id(), NUMBER.fetch_add(1, Ordering::Relaxed))
}
