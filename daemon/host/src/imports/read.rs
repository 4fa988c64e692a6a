//! Imports an index: reads it document by document, decides which of them describe the files at hand, and stores those.
//!
//! Memory is bounded by the largest document and by the numbers that `hob-scip` collects; the file itself is read once, as a stream.
//! The result replaces an earlier one of the same indexer and folder at the end, so that a kill leaves the old one.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{self, BufReader, BufWriter};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::SystemTime;

use hob_base::{AbsPath, CancelToken, ContentHash, Contents as _, WsPath};
use hob_scip::{CompactBuilder, IndexHead, IndexPart, IndexTitle, SourceDocument, place_names, read_index};

use super::super::private_file::create_private;
use super::super::workspace::Workspace;
use super::name::name_of;
use super::outcome::{ImportError, ImportOutcome, ImportRequest, LARGEST_INDEX, SkippedReason};
use super::root::folder_in_workspace;
use super::state::MOST_INDEXES;

/// An import under way.
struct Import<'w> {
    workspace: &'w Workspace,
    request: &'w ImportRequest,
    cancel: &'w CancelToken,
    made_at: SystemTime,
    head: IndexHead,
    /// The folder of the index in the workspace.
    folder: WsPath,
    builder: CompactBuilder<BufWriter<File>>,
    documents: u64,
    left_aside: BTreeMap<SkippedReason, (usize, String)>,
}

/// A file as it is now.
struct PresentFile {
    bytes: std::sync::Arc<[u8]>,
    written_at: Option<SystemTime>,
}

impl Workspace {
    /// Imports an index in place of an earlier one of the same indexer and folder.
    ///
    /// # Errors
    /// [`ImportError`]; then everything is as it was.
    pub fn import_index(
        &self,
        request: &ImportRequest,
        cancel: &CancelToken,
    ) -> Result<ImportOutcome, ImportError> {
        let source = OpenSource::open(&request.source)?;
        fs::create_dir_all(&self.imports.folder).map_err(ImportError::NotKept)?;
        let growing = self.imports.folder.join(growing_name());
        let outcome = self.import_into(&growing, &source, request, cancel);
        if outcome.is_err() {
            let _ = fs::remove_file(&growing);
        }
        outcome
    }

    fn import_into(
        &self,
        growing: &AbsPath,
        source: &OpenSource,
        request: &ImportRequest,
        cancel: &CancelToken,
    ) -> Result<ImportOutcome, ImportError> {
        let file = create_private(growing).map_err(ImportError::NotKept)?;
        let mut import = Import {
            workspace: self,
            request,
            cancel,
            made_at: source.made_at,
            head: IndexHead::default(),
            folder: WsPath::root(),
            builder: CompactBuilder::new(BufWriter::new(file)),
            documents: 0,
            left_aside: BTreeMap::new(),
        };
        let mut from = BufReader::with_capacity(1 << 16, &source.file);
        read_index(&mut from, &mut |part| import.take_part(part))?;
        import.keep(growing)
    }
}

/// The open file of an index, and the time at which it was written.
struct OpenSource {
    file: File,
    made_at: SystemTime,
}

impl OpenSource {
    fn open(path: &AbsPath) -> Result<Self, ImportError> {
        // Opening a pipe without a writer would wait for one.
        let about = fs::metadata(path).map_err(ImportError::Unreadable)?;
        if !about.is_file() {
            return Err(ImportError::Unreadable(io::Error::other("it is no file")));
        }
        if about.len() > LARGEST_INDEX {
            return Err(ImportError::TooLarge(about.len()));
        }
        let file = File::open(path).map_err(ImportError::Unreadable)?;
        Ok(Self { file, made_at: about.modified().unwrap_or(SystemTime::UNIX_EPOCH) })
    }
}

impl Import<'_> {
    fn take_part(&mut self, part: IndexPart) -> Result<(), ImportError> {
        self.cancel.check().map_err(|_| ImportError::Cancelled)?;
        match part {
            IndexPart::Head(head) => {
                let (root, is_relocated) = (self.workspace.root(), self.request.is_relocated);
                self.folder = folder_in_workspace(root, &head.project_root, is_relocated)?;
                self.head = head;
                Ok(())
            }
            IndexPart::Document(document) => self.take_document(document),
        }
    }

    fn take_document(&mut self, document: SourceDocument) -> Result<(), ImportError> {
        self.documents += 1;
        let written = document.path.clone();
        match self.examine_document(document) {
            Ok(Believed { path, hash, names, relations }) => {
                self.builder.add_relations(&path, &relations);
                self.builder.add_file(path, hash, &names)?;
            }
            Err(why) => self.left_aside.entry(why).or_insert((0, written)).0 += 1,
        }
        Ok(())
    }

    /// Decides whether a document describes the file as it is now.
    fn examine_document(&self, mut document: SourceDocument) -> Result<Believed, SkippedReason> {
        let path = self.path_of(&document.path)?;
        if self.builder.has_file(&path) {
            return Err(SkippedReason::Repeated);
        }
        let file = self.read_present(&path)?;
        match &document.text {
            Some(text) if text.as_bytes() != &*file.bytes => return Err(SkippedReason::OtherText),
            None if !self.request.accepts_newer && file.written_at.is_none_or(|at| at > self.made_at) => {
                return Err(SkippedReason::Newer);
            }
            _ => {}
        }
        let relations = std::mem::take(&mut document.relations);
        let names = place_names(document, &file.bytes).map_err(|_| SkippedReason::Misfit)?;
        Ok(Believed { path, hash: ContentHash::of(&file.bytes), names, relations })
    }

    /// Returns the path in the workspace of one in the index.
    fn path_of(&self, written: &str) -> Result<WsPath, SkippedReason> {
        let below = WsPath::new(written).map_err(|_| SkippedReason::Outside)?;
        match (self.folder.is_root(), below.is_root()) {
            (_, true) => Err(SkippedReason::NotHere),
            (true, false) => Ok(below),
            (false, false) => {
                WsPath::new(&format!("{}/{below}", self.folder)).map_err(|_| SkippedReason::Outside)
            }
        }
    }

    fn read_present(&self, path: &WsPath) -> Result<PresentFile, SkippedReason> {
        if !self.workspace.is_visible(path) {
            return Err(SkippedReason::NotHere);
        }
        let bytes = self.workspace.disk_contents().read(path).map_err(|_| SkippedReason::NotHere)?;
        // The time is read after the contents, so that a file that was written meanwhile looks newer.
        let about = fs::metadata(self.workspace.root().join_ws(path));
        let written_at = about.and_then(|about| about.modified()).ok();
        Ok(PresentFile { bytes, written_at })
    }

    /// Puts the result in the place of an earlier one.
    fn keep(self, growing: &AbsPath) -> Result<ImportOutcome, ImportError> {
        if self.builder.file_and_name_counts().0 == 0 {
            return Err(self.nothing_believed());
        }
        let workspace = self.workspace;
        let imports = &workspace.imports;
        let (name, known) = (name_of(&self.head.tool, &self.folder), imports.names());
        if !known.contains(&name) && known.len() >= MOST_INDEXES {
            return Err(ImportError::TooMany);
        }
        let title = IndexTitle {
            tool: self.head.tool,
            tool_version: self.head.tool_version,
            source: self.request.source.to_string(),
            read_at: super::super::clock::unix_seconds_of(SystemTime::now()),
            documents: self.documents,
        };
        let written = self.builder.finish(&title).and_then(|to| to.into_inner().map_err(io::Error::other));
        let kept = written.and_then(|file| file.sync_all());
        // Some systems replace no file that is mapped.
        imports.forget_open();
        kept.and_then(|()| fs::rename(growing, imports.file_of(&name))).map_err(ImportError::NotKept)?;
        imports.forget_open();
        Ok(ImportOutcome { name, left_aside: self.left_aside })
    }

    fn nothing_believed(&self) -> ImportError {
        let reason = |(why, (count, first)): (&SkippedReason, &(usize, String))| {
            format!("{count} {} (`{first}`)", why.as_str())
        };
        let reasons: Vec<String> = self.left_aside.iter().map(reason).collect();
        let why = if reasons.is_empty() { "there are none".to_owned() } else { reasons.join(", ") };
        let are_newer = self.left_aside.contains_key(&SkippedReason::Newer);
        ImportError::NothingBelieved { documents: self.documents, why, are_newer }
    }
}

/// A document that describes the file as it is now.
struct Believed {
    path: WsPath,
    hash: ContentHash,
    names: Vec<hob_scip::PlacedName>,
    relations: Vec<hob_scip::SymbolRelation>,
}

/// Returns a name for the file of an import under way; several may run at a time.
fn growing_name() -> String {
    static NUMBER: AtomicU64 = AtomicU64::new(0);
    format!("growing-{}-{}", std::process::id(), NUMBER.fetch_add(1, Ordering::Relaxed))
}
