//! Decides which definitions and files a query wants, and counts the wanted definitions of a name.

use std::ops::Range;

use hob_base::{FileId, WsPath};

use super::SearchedFiles;
use crate::graph::{KindFilter, NodeKind, SearchQuery};
use crate::index::{FileEntry, Index, Kinds, NameId, Share, TopFolders};

/// Fewest files of a name whose kinds are cached file by file. Tests have few files.
const FREQUENT_FILES: usize = if cfg!(test) { 2 } else { 8 };

/// The definitions and files that a query wants.
pub(super) struct WantedDefs<'m> {
    index: &'m Index,
    /// The wanted kinds of definitions; `None` for all.
    kinds: Option<Kinds>,
    /// A bit for each wanted file; `None` for all.
    files: Option<Vec<u64>>,
    /// The top folders that contain the wanted files.
    top: TopFolders,
}

/// Number of wanted files of a name from which on they are not looked into one by one.
const MANY_INSIDE: usize = 64;

impl<'m> WantedDefs<'m> {
    pub(super) fn new(index: &'m Index, query: &SearchQuery<'_>) -> Self {
        let kinds = (query.kinds != KindFilter::Any)
            .then(|| Kinds::matching(|kind| query.kinds.admits(NodeKind::Def(kind))));
        let folder = query.path_prefix.trim_end_matches('/');
        let files = (!folder.is_empty()).then(|| files_below(index, folder));
        Self { index, kinds, files, top: index.top_folder(folder) }
    }

    /// Restricts the wanted files.
    pub(super) fn limited_to(mut self, searched: &SearchedFiles<'_>) -> Self {
        let (mut files, mut top) = (Vec::new(), TopFolders::default());
        let mut take = |path: &WsPath, file: FileId| {
            if self.has_file(file.0) && (searched.admits)(path) {
                mark_file(&mut files, file);
                top.add(self.index.top_folder(path.as_str()));
            }
        };
        let paths = self.index.paths();
        // The root is in no top folder, so its files are taken one by one, each with its own.
        let has_top_folder = |prefix: &&WsPath| !prefix.is_root();
        let mut take_all = |found: &mut dyn Iterator<Item = FileId>| {
            found
                .filter_map(|file| Some((file, self.index.entry(file)?)))
                .for_each(|(file, entry)| take(&entry.path, file));
        };
        match searched.prefixes {
            None => paths.all_files().for_each(|(path, file)| take(path, file)),
            Some(prefixes) if searched.has_whole_folders && prefixes.iter().all(has_top_folder) => {
                take_all(&mut prefixes.iter().flat_map(|prefix| paths.files_in(prefix.dir())).copied());
                for prefix in prefixes {
                    self.take_folder(prefix.as_str(), &mut files);
                    top.add(self.index.top_folder(prefix.as_str()));
                }
            }
            Some(prefixes) => take_all(&mut paths.files_around(prefixes)),
        }
        (self.files, self.top) = (Some(files), top);
        self
    }

    /// Marks the wanted files in a folder and below it. It reads no path of theirs, of which there may be thousands.
    fn take_folder(&self, folder: &str, files: &mut Vec<u64>) {
        let below = self.index.paths().folders_below(folder).flatten().copied();
        below.filter(|file| self.has_file(file.0)).for_each(|file| mark_file(files, file));
    }

    /// Returns true if the query wants every definition and file.
    pub(super) fn is_everything(&self) -> bool {
        self.kinds.is_none() && self.files.is_none()
    }

    /// Returns true if the query wants definitions of some files only.
    pub(super) fn is_of_some_files(&self) -> bool {
        self.files.is_some()
    }

    /// Returns true if the query wants definitions of a file.
    pub(super) fn has_file(&self, file: u32) -> bool {
        let word = |files: &Vec<u64>| files.get(file as usize / 64).copied().unwrap_or(0);
        self.files.as_ref().is_none_or(|files| word(files) >> (file % 64) & 1 == 1)
    }

    /// Counts the wanted definitions of the names of a run of entries.
    pub(super) fn count_run(&self, run: Range<u32>) -> usize {
        match self.is_everything() {
            true => self.index.standings().defs_in(run),
            false => run.map(|entry| self.count(entry)).sum(),
        }
    }

    /// Counts the wanted definitions of the name of an entry. It visits the definitions of hardly any name.
    pub(super) fn count(&self, entry: u32) -> usize {
        if self.files.is_some() && self.top.is_apart_from(self.index.standings().folders_of(entry)) {
            return 0;
        }
        let standing = self.index.standings().get(entry);
        let by_kind = self.kinds.map_or(Share::All, |wanted| standing.kinds.share(wanted));
        if by_kind == Share::None {
            return 0;
        }
        if by_kind == Share::All && self.files.is_none() {
            return standing.defs as usize;
        }
        let name = NameId(self.index.def_names().owner(entry));
        let files = self.index.files_defining_id(name);
        let inside = files.iter().filter(|file| self.has_file(**file)).count();
        match by_kind {
            _ if inside == 0 => 0,
            Share::All if inside == files.len() => standing.defs as usize,
            Share::All if standing.defs as usize == files.len() => inside,
            _ if is_worth_a_row(files, inside) => self.count_frequent(name, files),
            _ => {
                let inside = files.iter().filter(|file| self.has_file(**file));
                inside.map(|file| self.count_in_file(*file, self.index.name(name))).sum()
            }
        }
    }

    /// Returns those files of a name that may have a wanted definition.
    pub(super) fn files_of_name(&self, name: NameId) -> impl Iterator<Item = FileId> {
        let files = self.index.files_defining_id(name);
        let inside = || files.iter().filter(|file| self.has_file(**file)).count();
        let uses_row = self.kinds.is_some() && is_worth_a_row(files, inside());
        let kinds = uses_row.then(|| self.index.kinds_in_files(name));
        let has_kind =
            move |at: usize| kinds.as_ref().is_none_or(|kinds| kinds[at].count_wanted(self.kinds) != Some(0));
        let wanted =
            files.iter().enumerate().filter(move |(at, file)| self.has_file(**file) && has_kind(*at));
        wanted.map(|(_, file)| FileId(*file))
    }

    /// Counts the wanted definitions of a name with many files, and visits those only whose file has others of the name too.
    fn count_frequent(&self, name: NameId, files: &[u32]) -> usize {
        let kinds = self.index.kinds_in_files(name);
        debug_assert_eq!(kinds.len(), files.len(), "a row is of the name's files");
        let inside = files.iter().zip(&*kinds).filter(|(file, _)| self.has_file(**file));
        let visit = |file: &u32| self.count_in_file(*file, self.index.name(name));
        inside.map(|(file, defs)| defs.count_wanted(self.kinds).unwrap_or_else(|| visit(file))).sum()
    }

    fn count_in_file(&self, file: u32, name: &str) -> usize {
        let wanted =
            |kind| self.kinds.is_none_or(|kinds| Kinds::from_iter([kind]).share(kinds) == Share::All);
        let count = |entry: &FileEntry| entry.defs_named(name).filter(|(_, def)| wanted(def.kind)).count();
        self.index.entry(FileId(file)).map_or(0, count)
    }
}

/// Returns true if the kinds of a name's definitions are worth a row for all its files, of which `inside` may be wanted. A
/// row is made by looking into each of them.
fn is_worth_a_row(files: &[u32], inside: usize) -> bool {
    files.len() >= FREQUENT_FILES && (inside >= MANY_INSIDE || inside * 4 >= files.len())
}

/// Returns the files in a folder and below it, or the file of that path, a bit for each.
fn files_below(index: &Index, folder: &str) -> Vec<u64> {
    let mut files = Vec::new();
    let below = index.paths().folders_below(folder).flatten().copied();
    for file in below.chain(index.paths().file(folder)) {
        mark_file(&mut files, file);
    }
    files
}

fn mark_file(files: &mut Vec<u64>, file: FileId) {
    let word = file.index() / 64;
    if files.len() <= word {
        files.resize(word + 1, 0);
    }
    files[word] |= 1 << (file.index() % 64);
}
