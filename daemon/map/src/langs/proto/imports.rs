//! Finds the file that an import names, and the package that a path begins with.
//!
//! Compilers look for an import below folders that only the build knows. The rules try the folders around the importing
//! file, nearest first, the root of the project last; else the import is a file whose path ends in it, of several the
//! nearest. The root may have a name of its own in imports (`github.com/acme/shop/api/order.proto`), which the project
//! does not know. A path begins with a package of the importing file or of one that it imports, because a file can name
//! no other; a package outside is known by the folder of its files (`google/protobuf/any.proto`).

use hob_base::FileId;

use crate::facts::Import;
use crate::langs::rules::{ImportProject, ImportRules, ModuleTarget};
use crate::langs::support::project::packages::{of_file, packages_around};
use crate::langs::support::project::{folder_of, join, shared_folders};

/// Most segments of the name that the root of the project has in imports.
const MOST_ROOT: usize = 4;

/// Most files that are read for the packages that one file sees.
const MOST: usize = 256;

/// The import rules of Protocol Buffers.
pub(super) struct ProtoImports;

impl ImportRules for ProtoImports {
    fn resolve(&self, project: &dyn ImportProject, from: FileId, module: &str) -> ModuleTarget {
        let here = project.path(from);
        let places = folders_around(here).filter_map(|folder| join(folder, module));
        let exact = places.filter_map(|place| project.file(&place)).find(|file| *file != from);
        let found =
            exact.or_else(|| by_end(project, here, module)).or_else(|| below_named_root(project, module));
        found.map_or_else(|| missing(project, here, module), ModuleTarget::File)
    }

    fn resolve_path(
        &self,
        project: &dyn ImportProject,
        from: FileId,
        path: &str,
    ) -> Option<(ModuleTarget, usize)> {
        let seen = VisiblePackages::of(project, from);
        if let Some(rest) = path.strip_prefix('.') {
            let (target, segments) = seen.find(rest)?;
            return Some((target, segments + 1));
        }
        let own = of_file(project, from);
        packages_around(own)
            .find_map(|scope| {
                let (target, segments) = seen.find(&format!("{scope}.{path}"))?;
                let taken = segments.checked_sub(scope.split('.').count())?;
                (taken > 0).then_some((target, taken))
            })
            .or_else(|| seen.find(path).filter(|(_, segments)| *segments > 0))
    }

    fn reads_facts(&self) -> bool {
        false
    }
}

fn folders_around(path: &str) -> impl Iterator<Item = &str> {
    std::iter::successors(Some(folder_of(path)), |dir| (!dir.is_empty()).then(|| folder_of(dir)))
}

/// Returns the file whose path ends in `end`; of several, the nearest.
fn by_end(project: &dyn ImportProject, here: &str, end: &str) -> Option<FileId> {
    let fits = |file: &&FileId| {
        let path = project.path(**file);
        path != here && path.strip_suffix(end).is_some_and(|rest| rest.ends_with('/'))
    };
    let name = end.rsplit('/').next().unwrap_or(end);
    let mut found: Vec<FileId> = project.files_named(name).iter().filter(fits).copied().collect();
    let shared = |file: &FileId| shared_folders(project.path(*file), here);
    let most = found.iter().map(shared).max();
    found.retain(|file| Some(shared(file)) == most);
    match found[..] {
        [file] => Some(file),
        _ => None,
    }
}

/// Returns the file that an import names from the root of the project, if its path begins with a name for that root.
fn below_named_root(project: &dyn ImportProject, module: &str) -> Option<FileId> {
    let is_compilers = module.starts_with("google/");
    let cuts = module.match_indices('/').map(|(at, _)| &module[at + 1..]).take(MOST_ROOT);
    let mut below = cuts.filter(|path| path.contains('/') && !is_compilers);
    below.find_map(|path| project.file(path))
}

/// Returns the target of an import without a file: a package outside, unless the project has the folder that it names.
fn missing(project: &dyn ImportProject, here: &str, module: &str) -> ModuleTarget {
    let folder = folder_of(module);
    let is_here = |around: &str| join(around, folder).is_some_and(|place| project.has_dir(&place));
    if folder.is_empty() || folders_around(here).any(is_here) {
        return ModuleTarget::Unknown;
    }
    ModuleTarget::External(folder.replace('/', "."))
}

/// The packages whose names a file can write: its own, those of the files that it imports, and those that these pass on.
struct VisiblePackages<'p> {
    files: Vec<(&'p str, FileId)>,
    outside: Vec<String>,
}

impl<'p> VisiblePackages<'p> {
    fn of(project: &'p dyn ImportProject, from: FileId) -> Self {
        let mut seen = Self { files: vec![(of_file(project, from), from)], outside: Vec::new() };
        seen.add_imports(project, from, |_| true);
        let mut at = 1;
        while let Some((_, file)) = seen.files.get(at).copied() {
            seen.add_imports(project, file, |import| import.reexported);
            at += 1;
        }
        seen
    }

    fn add_imports(&mut self, project: &'p dyn ImportProject, from: FileId, keep: fn(&Import) -> bool) {
        let Some(facts) = project.facts(from) else { return };
        for import in facts.imports.iter().filter(|import| keep(import)) {
            match ProtoImports.resolve(project, from, facts.name(import.module)) {
                ModuleTarget::File(file) if self.files.len() < MOST && !self.has(file) => {
                    self.files.push((of_file(project, file), file));
                }
                ModuleTarget::External(package) => self.outside.push(package),
                _ => {}
            }
        }
    }

    fn has(&self, file: FileId) -> bool {
        self.files.iter().any(|(_, known)| *known == file)
    }

    /// Returns the files of the longest package that a full path begins with, and the number of its segments.
    fn find(&self, path: &str) -> Option<(ModuleTarget, usize)> {
        let begins = |package: &str| {
            let rest = path.strip_prefix(package);
            package.is_empty() || rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
        };
        let count = |package: &str| package.split('.').filter(|part| !part.is_empty()).count();
        let inside = self.files.iter().map(|(package, _)| *package).filter(|package| begins(package));
        let longest = inside.max_by_key(|package| package.len());
        let outside =
            self.outside.iter().filter(|package| begins(package)).max_by_key(|package| package.len());
        match (longest, outside) {
            (longest, Some(outside)) if longest.is_none_or(|longest| outside.len() > longest.len()) => {
                Some((ModuleTarget::External(outside.clone()), count(outside)))
            }
            (Some(longest), _) => {
                let files = self.files.iter().filter(|(package, _)| *package == longest);
                Some((ModuleTarget::Files(files.map(|(_, file)| *file).collect()), count(longest)))
            }
            (None, _) => None,
        }
    }
}
