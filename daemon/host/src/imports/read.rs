//! Takes an index in: reads it document by document, decides which of them are of the files at hand, and keeps those.
//!
//! Memory is bounded by the largest document and by the numbers that `hob-scip` collects; the file itself is read once, as a stream.
//! The result replaces an earlier one of the same indexer and folder at the end, so that a kill leaves the old one.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{self, BufReader, BufWriter};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::SystemTime;

use hob_base::{AbsPath, CancelToken, ContentHash, Contents as _, WsPath};
use hob_scip::{
    CompactBuilder, IndexHead, IndexPart, IndexTitle, ScipError, SourceDocument, place_names, read_index,
};

use super::super::workspace::Workspace;
use super::root::folder_in_workspace;
use super::state::MOST_INDEXES;

/// Bytes of the largest index that is read.
const LARGEST_INDEX: u64 = 2 << 30;

/// An index to take in.
#[derive(Clone, Debug)]
pub struct ImportRequest {
    /// The file of the index.
    pub source: AbsPath,
    /// True if its paths are of this workspace, whatever folder it names: it was made on another machine.
    pub is_relocated: bool,
    /// True if files that were written after the index count as well: a checkout or a copy has set their times anew.
    pub accepts_newer: bool,
}

/// Why a document was left aside.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum LeftAside {
    /// Its path leads out of the project.
    Outside,
    /// The project has no such file, or does not index it.
    NotHere,
    /// The file was written after the index.
    Newer,
    /// The file is not the text that was indexed.
    OtherText,
    /// A place of the document does not lie in the file.
    Misfit,
    /// The index has the file twice.
    Repeated,
}

impl LeftAside {
    /// The reason, as the end of a sentence that begins with the number of documents.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Outside => "lead out of the project",
            Self::NotHere => "are of files that the project does not have or ignores",
            Self::Newer => "are of files that were written after the index",
            Self::OtherText => "are of another text than the file has",
            Self::Misfit => "name places that the file does not have",
            Self::Repeated => "are of files that the index has twice",
        }
    }
}

/// The outcome of an import.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ImportOutcome {
    /// The name under which it is kept.
    pub name: String,
    /// Documents that were left aside by reason: how many, and the path of the first.
    pub left_aside: BTreeMap<LeftAside, (usize, String)>,
}

/// Why an index was not taken in.
#[derive(Debug, thiserror::Error)]
pub enum ImportError {
    /// The file cannot be opened.
    #[error("it cannot be read: {0}")]
    Unreadable(io::Error),
    /// The file is larger than hob reads, in bytes.
    #[error("it is too large: it has {} MiB, and {} is the most", .0 >> 20, LARGEST_INDEX >> 20)]
    TooLarge(u64),
    /// The file is no index, or has a part that is too large.
    #[error(transparent)]
    Broken(#[from] ScipError),
    /// The index is of another folder.
    #[error("it is of `{index}`, and this project is `{project}`")]
    OtherRoot {
        /// The folder that the index names.
        index: String,
        /// The workspace's root.
        project: AbsPath,
    },
    /// No document was believed.
    #[error("none of its {documents} documents is of the files as they are: {why}")]
    NothingBelieved {
        /// Documents of the index.
        documents: u64,
        /// The reasons, each with an example.
        why: String,
        /// True if the times of files are among the reasons.
        are_newer: bool,
    },
    /// There are enough indexes already.
    #[error("the project has {MOST_INDEXES} imported indexes, which is the most")]
    TooMany,
    /// The result could not be kept.
    #[error("it could not be kept: {0}")]
    NotKept(io::Error),
    /// The caller has given up.
    #[error("the import was cancelled")]
    Cancelled,
}

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
    left_aside: BTreeMap<LeftAside, (usize, String)>,
}

/// A file as it is now.
struct PresentFile {
    bytes: std::sync::Arc<[u8]>,
    written_at: Option<SystemTime>,
}

impl Workspace {
    /// Takes an index in, in place of an earlier one of the same indexer and folder.
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

/// The file of an index, and when it was made.
struct OpenSource {
    file: File,
    made_at: SystemTime,
}

impl OpenSource {
    fn open(path: &AbsPath) -> Result<Self, ImportError> {
        // A pipe without a writer would be waited for.
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

    /// Decides whether a document is of the file as it is now.
    fn examine_document(&self, mut document: SourceDocument) -> Result<Believed, LeftAside> {
        let path = self.path_of(&document.path)?;
        if self.builder.has_file(&path) {
            return Err(LeftAside::Repeated);
        }
        let file = self.read_present(&path)?;
        match &document.text {
            Some(text) if text.as_bytes() != &*file.bytes => return Err(LeftAside::OtherText),
            None if !self.request.accepts_newer && file.written_at.is_none_or(|at| at > self.made_at) => {
                return Err(LeftAside::Newer);
            }
            _ => {}
        }
        let relations = std::mem::take(&mut document.relations);
        let names = place_names(document, &file.bytes).map_err(|_| LeftAside::Misfit)?;
        Ok(Believed { path, hash: ContentHash::of(&file.bytes), names, relations })
    }

    /// The path in the workspace of one in the index.
    fn path_of(&self, written: &str) -> Result<WsPath, LeftAside> {
        let below = WsPath::new(written).map_err(|_| LeftAside::Outside)?;
        match (self.folder.is_root(), below.is_root()) {
            (_, true) => Err(LeftAside::NotHere),
            (true, false) => Ok(below),
            (false, false) => {
                WsPath::new(&format!("{}/{below}", self.folder)).map_err(|_| LeftAside::Outside)
            }
        }
    }

    fn read_present(&self, path: &WsPath) -> Result<PresentFile, LeftAside> {
        if !self.workspace.is_visible(path) {
            return Err(LeftAside::NotHere);
        }
        let bytes = self.workspace.disk_contents().read(path).map_err(|_| LeftAside::NotHere)?;
        // Asked for after the reading: what was written meanwhile looks newer.
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
        let reason = |(why, (count, first)): (&LeftAside, &(usize, String))| {
            format!("{count} {} (`{first}`)", why.as_str())
        };
        let reasons: Vec<String> = self.left_aside.iter().map(reason).collect();
        let why = if reasons.is_empty() { "there are none".to_owned() } else { reasons.join(", ") };
        let are_newer = self.left_aside.contains_key(&LeftAside::Newer);
        ImportError::NothingBelieved { documents: self.documents, why, are_newer }
    }
}

/// A document that is of the file as it is.
struct Believed {
    path: WsPath,
    hash: ContentHash,
    names: Vec<hob_scip::PlacedName>,
    relations: Vec<hob_scip::SymbolRelation>,
}

/// A name for an index that grows, of which there may be several at a time.
fn growing_name() -> String {
    static NUMBER: AtomicU64 = AtomicU64::new(0);
    format!("growing-{}-{}", std::process::id(), NUMBER.fetch_add(1, Ordering::Relaxed))
}

/// Creates a file for the user alone.
fn create_private(path: &AbsPath) -> io::Result<File> {
    let mut options = fs::OpenOptions::new();
    options.write(true).create(true).truncate(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path)
}

/// Characters of the longest name of an index, well below what file systems take.
const LONGEST_NAME: usize = 120;

/// The name of an index: its indexer, and the folder that it is of unless that is the root. As it becomes a file's name, other
/// characters are written as numbers.
fn name_of(tool: &str, folder: &WsPath) -> String {
    let tool = if tool.is_empty() { "unnamed" } else { tool };
    let whole = if folder.is_root() { tool.to_owned() } else { format!("{tool}@{folder}") };
    let mut name = String::new();
    for c in whole.chars() {
        match c {
            '/' => name.push('+'),
            '@' | '-' | '_' => name.push(c),
            '.' if !name.is_empty() => name.push(c),
            c if c.is_ascii_alphanumeric() => name.push(c),
            c => name.push_str(&format!("={:x}=", c as u32)),
        }
    }
    if name.len() > LONGEST_NAME {
        let hash = ContentHash::of(name.as_bytes()).to_string();
        name.truncate(LONGEST_NAME - 17);
        name = format!("{name}-{}", &hash[..16]);
    }
    name
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_index_is_named_after_its_indexer_and_folder() {
        let folder = |text| WsPath::new(text).expect("relative");
        assert_eq!(name_of("scip-typescript", &WsPath::root()), "scip-typescript");
        assert_eq!(name_of("scip-typescript", &folder("packages/a.b")), "scip-typescript@packages+a.b");
        assert_eq!(name_of("../x y", &WsPath::root()), "=2e=.+x=20=y");
        assert_eq!(name_of("", &WsPath::root()), "unnamed");
        let (long, other) = (format!("{}1", "x".repeat(500)), format!("{}2", "x".repeat(500)));
        assert_ne!(name_of(&long, &WsPath::root()), name_of(&other, &WsPath::root()));
        assert_eq!(name_of(&long, &WsPath::root()).len(), LONGEST_NAME);
    }
}
