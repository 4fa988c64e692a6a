//! Computes the files on which the meaning of a file's references can depend: those that its imports lead to, and those
//! that these import.
//!
//! A caller that caches the meaning of a reference (a language server's answer, in [`super::confirmed`]) has to forget
//! it when any of these files changes: `make().run()` means another `run` once `make`, in a file between the two,
//! returns something else. If imports do not say what a file sees (in Rust any file of a crate may implement a trait),
//! or say too much, the reach is every file of the language.
//!
//! It does not include installed packages, declarations that hold everywhere without being imported, and modules that
//! only a setting of the server finds.

use hob_base::FileId;
use rustc_hash::{FxHashMap, FxHashSet};

use super::{EdgeKind, Map, NodeRef};
use crate::index::FileEntry;
use crate::langs::lang::Lang;
use crate::langs::rules::{ImportProject, PackageScope};
use crate::resolve::Resolver;

/// Most files of a reach; beyond, it is every file of the language.
const MOST: usize = 1_500;

/// The files on which a file's references depend.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Reach {
    /// The numbers of these files, including the file itself, ascending.
    Files(Box<[FileId]>),
    /// All files of this language group.
    Family(Lang),
}

impl Reach {
    /// Returns true if a touched file is, or might be, among these files.
    pub(super) fn is_touched_by(&self, touched: &BatchReach) -> bool {
        match self {
            Self::Family(family) => touched.families.contains(family),
            Self::Files(files) if files.len() <= touched.files.len() => {
                files.iter().any(|file| touched.files.contains(file))
            }
            Self::Files(files) => touched.files.iter().any(|file| files.binary_search(file).is_ok()),
        }
    }
}

/// The files and languages that a batch of changes touches.
#[derive(Debug, Default)]
pub(super) struct BatchReach {
    /// Files that changed, and those whose imports may lead elsewhere since.
    pub(super) files: FxHashSet<FileId>,
    /// Language groups of which a file changed.
    pub(super) families: FxHashSet<Lang>,
}

/// Computes reaches, and caches the files that each file sees directly.
pub(super) struct Reaching<'m> {
    map: &'m Map,
    next: FxHashMap<FileId, Box<[FileId]>>,
}

impl<'m> Reaching<'m> {
    pub(super) fn new(map: &'m Map) -> Self {
        Self { map, next: FxHashMap::default() }
    }

    /// Returns the files on which the references of a file depend; `None` if `go_on` said to stop, or the map does not
    /// have the file.
    pub(super) fn reach_of(&mut self, file: FileId, go_on: &dyn Fn() -> bool) -> Option<Reach> {
        let family = self.map.index.entry(file)?.lang().language_group();
        if !is_told_by_imports(family) {
            return Some(Reach::Family(family));
        }
        let mut met = FxHashSet::from_iter([file]);
        let mut left = vec![file];
        while let Some(at) = left.pop() {
            if !go_on() {
                return None;
            }
            left.extend(self.next(at).iter().filter(|next| met.insert(**next)));
            if met.len() > MOST {
                return Some(Reach::Family(family));
            }
        }
        let mut files: Vec<FileId> = met.into_iter().collect();
        files.sort_unstable();
        Some(Reach::Files(files.into()))
    }

    /// Returns the files that a file sees directly.
    fn next(&mut self, file: FileId) -> &[FileId] {
        let map = self.map;
        self.next.entry(file).or_insert_with(|| {
            let Some(entry) = map.index.entry(file) else { return Box::default() };
            // A new resolver for each file: its limits must not depend on what it followed for other files.
            let imports =
                map.imports_of(&Resolver::new(&map.index), file, [EdgeKind::Imports].into_iter().collect());
            let imported = imports.into_iter().filter_map(|edge: super::Edge| NodeRef::file(edge.to));
            imported.chain(map.sibling_files(entry)).chain(map.packages_named(entry)).collect()
        })
    }
}

impl Map {
    /// Returns the files that belong to a file without being imported: those of its package, the packages around it,
    /// its stub.
    fn sibling_files(&self, entry: &FileEntry) -> Vec<FileId> {
        if entry.lang().semantics().init_files {
            return self.init_siblings(entry);
        }
        match entry.lang().spec().map(|spec| spec.package_scope) {
            Some(PackageScope::Folder) => self.index.paths().files_in(entry.path.dir()).to_vec(),
            Some(PackageScope::Package | PackageScope::Enclosing) => {
                let package = entry.facts.package.map_or("", |package| entry.facts.name(package));
                self.index.paths().files_of_package(package).to_vec()
            }
            Some(PackageScope::File | PackageScope::Module) | None => Vec::new(),
        }
    }

    /// Returns, in languages that declare packages, the files of the packages with which a name in the file begins, of
    /// an import or of a path without one. Only their contents say which of them has a type, or that none has it yet.
    fn packages_named(&self, entry: &FileEntry) -> Vec<FileId> {
        if entry.lang().spec().is_none_or(|spec| !spec.package_scope.is_declared()) {
            return Vec::new();
        }
        let paths = entry.facts.names.iter();
        let mut found: Vec<FileId> = paths.flat_map(|path| self.longest_package(path)).copied().collect();
        found.sort_unstable();
        found.dedup();
        found
    }

    /// Returns the files of the longest prefix of a dotted path that is a package.
    fn longest_package(&self, path: &str) -> &[FileId] {
        let cuts = path.rmatch_indices('.').map(|(at, _)| &path[..at]);
        let files = std::iter::once(path).chain(cuts).map(|at| self.index.paths().files_of_package(at));
        files.into_iter().find(|files| !files.is_empty()).unwrap_or(&[])
    }

    fn init_siblings(&self, entry: &FileEntry) -> Vec<FileId> {
        let file = |path: String| ImportProject::file(&self.index, &path);
        let mut found: Vec<FileId> = file(format!("{}i", entry.path.as_str())).into_iter().collect();
        let mut dir = entry.path.dir();
        while !dir.is_empty() {
            found.extend(file(format!("{dir}/__init__.py")));
            found.extend(file(format!("{dir}/__init__.pyi")));
            dir = dir.rsplit_once('/').map_or("", |(above, _)| above);
        }
        found
    }

    /// Returns the files whose imports, or whose package, may reach a file that is new.
    pub(super) fn may_see(&self, entry: &FileEntry) -> Vec<FileId> {
        let mut files = self.sibling_files(entry);
        if entry.path.file_name().starts_with("__init__.") {
            files.extend(self.index.paths().files_in(entry.path.dir()));
        }
        for word in self.module_words(entry) {
            files.extend(
                self.index.imports_with(&word).flat_map(|(_, files)| files).map(|file| FileId(*file)),
            );
            let by_name = self.index.files_mentioning(&word).iter().map(|file| FileId(*file));
            files.extend(by_name.filter(|file| self.imports_name(*file, &word)));
        }
        files
    }

    fn imports_name(&self, file: FileId, name: &str) -> bool {
        let Some(entry) = self.index.entry(file) else { return false };
        let id = entry.facts.names.find(name);
        id.is_some() && entry.facts.imports.iter().any(|import| import.name == id)
    }
}

/// Returns true if a file's imports, with its package, determine everything that it sees.
fn is_told_by_imports(family: Lang) -> bool {
    family.semantics().imports_tell_all
}
