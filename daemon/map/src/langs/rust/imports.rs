//! Finds the module that a Rust path names.
//!
//! The rules read the tree of modules off the files: `a::b` is `a/b.rs` or `a/b/mod.rs` below the folder that belongs
//! to the current module, or a module with a body inside a file. The root of a crate is the file that no other file is
//! the parent of. Other crates are found by the name that their `Cargo.toml` gives them, if the importing crate depends
//! on them; all others are external. `#[path]` is followed from modules at a file's top level.

use hob_base::FileId;

use crate::facts::{DefKind, FileFacts, Import, ImportKind};
use crate::langs::rules::{ImportProject, ImportRules, ModuleTarget};
use crate::langs::support::project::{folder_of, join};

/// The import rules of Rust.
pub(super) struct RustImportRules;

/// Most re-exports of modules that are followed in a row.
const DEPTH: usize = 8;

impl ImportRules for RustImportRules {
    fn resolve(&self, project: &dyn ImportProject, from: FileId, module: &str) -> ModuleTarget {
        let segments: Vec<&str> = module.split("::").collect();
        let tree = RustModuleTree { project };
        let Some((at, taken)) = tree.start(from, &segments) else {
            return ModuleTarget::External((*segments.first().unwrap_or(&"")).to_owned());
        };
        match tree.follow_segments(at, &segments[taken..], DEPTH) {
            (at, rest) if rest == segments.len() - taken => at.into_target(),
            (at, rest) => tree.type_in(&at, &segments[taken + rest..]),
        }
    }

    fn submodule(&self, module: &str, name: &str) -> Option<String> {
        Some(format!("{module}::{name}"))
    }

    fn resolve_path(
        &self,
        project: &dyn ImportProject,
        from: FileId,
        path: &str,
    ) -> Option<(ModuleTarget, usize)> {
        let segments: Vec<&str> = path.split('.').collect();
        let tree = RustModuleTree { project };
        let first = *segments.first()?;
        if !matches!(first, "crate" | "self" | "super") && tree.in_scope(from, first) {
            return None;
        }
        match tree.start(from, &segments) {
            Some((at, taken)) => {
                let (at, rest) = tree.follow_segments(at, &segments[taken..], DEPTH);
                Some((at.into_target(), taken + rest))
            }
            None if tree.is_dependency(from, first) => Some((ModuleTarget::External(first.to_owned()), 1)),
            None => None,
        }
    }
}

/// A module: a file, or a module with a body in one.
struct RustModulePlace {
    file: FileId,
    /// The dotted path of the module inside the file; empty for the file itself.
    inside: String,
}

impl RustModulePlace {
    fn into_target(self) -> ModuleTarget {
        if self.inside.is_empty() {
            ModuleTarget::File(self.file)
        } else {
            ModuleTarget::Inside(self.file, self.inside)
        }
    }
}

struct RustModuleTree<'p> {
    project: &'p dyn ImportProject,
}

impl<'p> RustModuleTree<'p> {
    /// Returns the module that a path starts in, and how many segments that takes. `None`: outside the workspace.
    fn start(&self, from: FileId, segments: &[&str]) -> Option<(RustModulePlace, usize)> {
        let file = |file| RustModulePlace { file, inside: String::new() };
        match *segments.first()? {
            "crate" | "$crate" => Some((file(self.root(from)), 1)),
            "self" => Some((file(from), 1)),
            "super" => {
                let supers = segments.iter().take_while(|s| **s == "super").count();
                let mut at = from;
                for _ in 0..supers {
                    at = self.parent(at)?;
                }
                Some((file(at), supers))
            }
            first => {
                if self.child_module(&file(from), first).is_some()
                    || self.import_binding(from, first).is_some()
                {
                    return Some((file(from), 0));
                }
                self.crate_named(from, first).map(|root| (file(root), 1))
            }
        }
    }

    /// Goes from module to module as far as the segments name modules; returns the last one, and how many segments did.
    fn follow_segments(
        &self,
        at: RustModulePlace,
        segments: &[&str],
        depth: usize,
    ) -> (RustModulePlace, usize) {
        let mut at = at;
        for (taken, segment) in segments.iter().enumerate() {
            let next =
                self.child_module(&at, segment).or_else(|| self.reexported_module(&at, segment, depth));
            match next {
                Some(next) => at = next,
                None => return (at, taken),
            }
        }
        (at, segments.len())
    }

    /// Returns the module of this name inside a module.
    fn child_module(&self, at: &RustModulePlace, name: &str) -> Option<RustModulePlace> {
        let inside = if at.inside.is_empty() { name.to_owned() } else { format!("{}.{name}", at.inside) };
        let facts = self.project.facts(at.file);
        let inline = facts.is_some_and(|facts| has_def(facts, &inside, |kind| kind == DefKind::Module));
        if inline {
            return Some(RustModulePlace { file: at.file, inside });
        }
        if let Some(file) = facts.and_then(|facts| self.path_attribute_file(at.file, facts, &inside)) {
            return Some(RustModulePlace { file, inside: String::new() });
        }
        let below = format!("{}/{}", self.child_folder(at.file), inside.replace('.', "/"));
        let below = below.trim_start_matches('/');
        let file = self.project.file(&format!("{below}.rs"));
        let file = file.or_else(|| self.project.file(&format!("{below}/mod.rs")))?;
        Some(RustModulePlace { file, inside: String::new() })
    }

    /// Returns the file that `#[path]` gives to a module, relative to the folder of the file that declares it.
    fn path_attribute_file(&self, file: FileId, facts: &FileFacts, name: &str) -> Option<FileId> {
        let key = facts.names.find(&format!("path:{name}"))?;
        let beside = folder_of(self.project.path(file));
        let mut told = facts.manifest.iter().filter(|(k, _)| *k == key);
        told.find_map(|(_, path)| self.project.file(&join(beside, facts.name(*path))?))
    }

    /// Returns the module that a module's imports bind to this name.
    fn reexported_module(&self, at: &RustModulePlace, name: &str, depth: usize) -> Option<RustModulePlace> {
        let import = self.import_binding(at.file, name).filter(|_| depth > 0 && at.inside.is_empty())?;
        let facts = self.project.facts(at.file)?;
        let module = facts.name(import.module);
        let mut segments: Vec<&str> = module.split("::").collect();
        if import.kind == ImportKind::Named {
            segments.push(facts.name(import.name?));
        }
        let own_name = segments.len() == 1 && segments[0] == name;
        if own_name || segments == ["self", name] {
            return self
                .crate_named(at.file, name)
                .map(|file| RustModulePlace { file, inside: String::new() });
        }
        let (start, taken) = self.start(at.file, &segments)?;
        if taken == 0 && segments[0] == name {
            return None;
        }
        let (end, rest) = self.follow_segments(start, &segments[taken..], depth - 1);
        (rest == segments.len() - taken).then_some(end)
    }

    /// Returns the import at the top level of a file that binds this name.
    fn import_binding(&self, file: FileId, name: &str) -> Option<&'p Import> {
        let facts = self.project.facts(file)?;
        let id = facts.names.find(name)?;
        facts.imports.iter().find(|import| import.local == Some(id) && import.owner.is_none())
    }

    fn in_scope(&self, file: FileId, name: &str) -> bool {
        let defined = self.project.facts(file).is_some_and(|facts| has_def(facts, name, |_| true));
        defined || self.import_binding(file, name).is_some()
    }

    /// Resolves the rest of a path as a type inside a module, for imports of its variants.
    fn type_in(&self, at: &RustModulePlace, rest: &[&str]) -> ModuleTarget {
        let mut inside = at.inside.clone();
        for segment in rest {
            if !inside.is_empty() {
                inside.push('.');
            }
            inside.push_str(segment);
        }
        match self.project.facts(at.file) {
            Some(facts) if has_def(facts, &inside, DefKind::is_type) => ModuleTarget::Inside(at.file, inside),
            _ => ModuleTarget::Unknown,
        }
    }

    /// Returns the folder in which a file's child modules lie.
    fn child_folder(&self, file: FileId) -> String {
        let path = self.project.path(file);
        let stem = path.strip_suffix(".rs").unwrap_or(path);
        let name = stem.rsplit('/').next().unwrap_or(stem);
        if matches!(name, "mod" | "lib" | "main") || self.parent(file).is_none() {
            folder_of(path).to_owned()
        } else {
            stem.to_owned()
        }
    }

    /// Returns the file of the module that declares a file as a module; `None` for the root of a crate.
    fn parent(&self, file: FileId) -> Option<FileId> {
        let path = self.project.path(file);
        let stem = path.strip_suffix(".rs")?;
        let (dir, name) = stem.rsplit_once('/').unwrap_or(("", stem));
        let (dir, name) = match name {
            "lib" | "main" => return None,
            "mod" => dir.rsplit_once('/').unwrap_or(("", dir)),
            _ => (dir, name),
        };
        let declares = |candidate: &FileId| {
            let module = format!("self::{name}");
            let facts = self.project.facts(*candidate);
            facts.is_some_and(|f| {
                f.names.find(&module).is_some_and(|id| f.imports.iter().any(|i| i.module == id))
            })
        };
        let candidates = ["mod.rs", "lib.rs", "main.rs"];
        let beside = candidates.iter().filter_map(|c| self.project.file(join(dir, c)?.as_str()));
        let above = self.project.file(&format!("{dir}.rs"));
        let all: Vec<FileId> = beside.chain(above).filter(|other| *other != file).collect();
        all.iter().find(|candidate| declares(candidate)).copied()
    }

    fn root(&self, file: FileId) -> FileId {
        let mut at = file;
        for _ in 0..64 {
            match self.parent(at) {
                Some(parent) => at = parent,
                None => break,
            }
        }
        at
    }

    /// Returns the root file of the crate of the workspace that the importing file's crate means by a name.
    fn crate_named(&self, from: FileId, name: &str) -> Option<FileId> {
        let manifests = self.project.manifests("Cargo.toml");
        let own = nearest_manifest(&manifests, self.project.path(from));
        let package = match own {
            Some((_, facts)) if crate_name(facts).as_deref() == Some(name) => name.to_owned(),
            Some((_, facts)) => dependency_package(facts, name)?,
            None => name.to_owned(),
        };
        manifests.iter().find_map(|(dir, facts)| {
            let named =
                crate_name(facts)? == package || value(facts, "package")?.replace('-', "_") == package;
            let path = value(facts, "lib.path").unwrap_or("src/lib.rs");
            self.project.file(&join(dir, path)?).filter(|_| named)
        })
    }

    fn is_dependency(&self, from: FileId, name: &str) -> bool {
        if matches!(name, "std" | "core" | "alloc") {
            return true;
        }
        let manifests = self.project.manifests("Cargo.toml");
        nearest_manifest(&manifests, self.project.path(from))
            .is_some_and(|(_, facts)| dependency_package(facts, name).is_some())
    }
}

fn has_def(facts: &FileFacts, qualified: &str, wanted: impl Fn(DefKind) -> bool) -> bool {
    let id = facts.names.find(qualified);
    id.is_some_and(|id| facts.defs.iter().any(|def| def.qualified == id && wanted(def.kind)))
}

/// Returns the manifest in the innermost folder above a path.
fn nearest_manifest<'m, 'f>(
    manifests: &'m [(&'f str, &'f FileFacts)],
    path: &str,
) -> Option<&'m (&'f str, &'f FileFacts)> {
    let above =
        |dir: &str| dir.is_empty() || path.strip_prefix(dir).is_some_and(|rest| rest.starts_with('/'));
    manifests
        .iter()
        .filter(|(dir, facts)| above(dir) && value(facts, "package").is_some())
        .max_by_key(|m| m.0.len())
}

fn value<'f>(facts: &'f FileFacts, key: &str) -> Option<&'f str> {
    let pair = facts.manifest.iter().find(|(k, _)| facts.name(*k) == key)?;
    Some(facts.name(pair.1))
}

/// Returns the name by which a package's library is imported.
fn crate_name(facts: &FileFacts) -> Option<String> {
    value(facts, "lib.name").or_else(|| value(facts, "package")).map(|name| name.replace('-', "_"))
}

/// Returns the package that a dependency's name stands for, spelled as the name of a crate.
fn dependency_package(facts: &FileFacts, name: &str) -> Option<String> {
    facts.manifest.iter().filter(|(key, _)| facts.name(*key) == "dependency").find_map(|(_, value)| {
        let (local, package) = facts.name(*value).split_once('=').unwrap_or((facts.name(*value), ""));
        let package = if package.is_empty() { local } else { package };
        (local.replace('-', "_") == name).then(|| package.replace('-', "_"))
    })
}
