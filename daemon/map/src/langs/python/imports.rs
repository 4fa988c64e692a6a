//! Finds the module that a Python import names.
//!
//! Python searches a path that no file states, so the rules reconstruct it: a source root is a folder above the
//! importing file that is not itself inside a package, such a folder's `src` and `lib`, and the roots of other projects
//! of the workspace (where a `pyproject.toml` or `setup.py` lies). A dotted path must match from a root on; a file that
//! merely ends in the same names elsewhere is never taken. A module that no root has is a package outside the
//! workspace.

use hob_base::FileId;

use crate::langs::rules::{ImportProject, ImportRules, ModuleTarget};
use crate::langs::support::project::{folder_of, join};
use crate::langs::support::schemas::{self, GeneratedModule};

use super::stdlib;

/// The import rules of Python.
pub(super) struct PythonImportRules;

/// Folders below a root that hold packages by custom.
const SOURCE_FOLDERS: [&str; 3] = ["", "src", "lib"];

impl ImportRules for PythonImportRules {
    fn resolve(&self, project: &dyn ImportProject, from: FileId, module: &str) -> ModuleTarget {
        let search = PythonModuleSearch { project, from };
        let found = match module.strip_prefix('.') {
            Some(rest) => search.resolve_relative(rest),
            None => search.resolve_absolute(module),
        };
        search.schema_behind(module, &found).map_or(found, ModuleTarget::File)
    }

    fn reads_facts(&self) -> bool {
        false
    }

    fn submodule(&self, module: &str, name: &str) -> Option<String> {
        let dot = if module.ends_with('.') { "" } else { "." };
        Some(format!("{module}{dot}{name}"))
    }
}

struct PythonModuleSearch<'p> {
    project: &'p dyn ImportProject,
    from: FileId,
}

/// The result of looking for a dotted path below one root.
enum PythonRootMatch {
    /// The file of the module.
    File(FileId),
    /// A folder of modules without `__init__`.
    Namespace,
    /// The first part is there, the rest is not.
    Partly,
    /// Not even the first part is there.
    Nothing,
}

impl PythonModuleSearch<'_> {
    /// Resolves a relative import: `rest` is the module without its first dot, and each further dot goes up one folder.
    fn resolve_relative(&self, rest: &str) -> ModuleTarget {
        let mut base = folder_of(self.project.path(self.from));
        let name = rest.trim_start_matches('.');
        for _ in 0..rest.len() - name.len() {
            if base.is_empty() {
                return ModuleTarget::Unknown;
            }
            base = folder_of(base);
        }
        let found = if name.is_empty() { self.package_file(base) } else { self.module_file(base, name) };
        found.map_or(ModuleTarget::Unknown, ModuleTarget::File)
    }

    fn resolve_absolute(&self, module: &str) -> ModuleTarget {
        let first = module.split('.').next().unwrap_or(module);
        if stdlib::contains(first) {
            return match self.find("", module) {
                PythonRootMatch::File(file) => ModuleTarget::File(file),
                _ => ModuleTarget::External(first.to_owned()),
            };
        }
        let mut partly = false;
        for root in self.source_roots() {
            match self.find(&root, module) {
                PythonRootMatch::File(file) => return ModuleTarget::File(file),
                PythonRootMatch::Partly | PythonRootMatch::Namespace => partly = true,
                PythonRootMatch::Nothing => {}
            }
        }
        if partly { ModuleTarget::Unknown } else { ModuleTarget::External(first.to_owned()) }
    }

    /// Returns the schema that a generated module was made from. A module of messages that is there fills itself when
    /// it is loaded, so the schema goes before it; a module of services has its classes written out.
    fn schema_behind(&self, module: &str, found: &ModuleTarget) -> Option<FileId> {
        if !module.contains("_pb2") || (module.ends_with("_grpc") && matches!(found, ModuleTarget::File(_))) {
            return None;
        }
        let path = module.trim_start_matches('.').replace('.', "/");
        let is_own = !matches!(found, ModuleTarget::External(_));
        GeneratedModule { path: &path, endings: schemas::PYTHON_ENDINGS, is_own }.schema(self.project)
    }

    /// Returns the source roots, nearest first.
    fn source_roots(&self) -> Vec<String> {
        let mut roots = Vec::new();
        let mut at = folder_of(self.project.path(self.from));
        loop {
            if at.is_empty() || !self.in_package(at) {
                self.add_root(at, &mut roots);
            }
            if at.is_empty() {
                break;
            }
            at = folder_of(at);
        }
        for (project, _) in self.project.manifests("pyproject.toml") {
            self.add_root(project, &mut roots);
        }
        for &setup in self.project.files_named("setup.py") {
            self.add_root(folder_of(self.project.path(setup)), &mut roots);
        }
        roots
    }

    fn add_root(&self, at: &str, roots: &mut Vec<String>) {
        for below in SOURCE_FOLDERS {
            let Some(root) = join(at, below) else { continue };
            let exists = below.is_empty() || self.project.has_dir(&root);
            if exists && !roots.contains(&root) {
                roots.push(root);
            }
        }
    }

    /// Returns true if the folder or one above it is a package; the workspace's root never is.
    fn in_package(&self, mut at: &str) -> bool {
        while !at.is_empty() {
            if self.package_file(at).is_some() {
                return true;
            }
            at = folder_of(at);
        }
        false
    }

    fn find(&self, root: &str, module: &str) -> PythonRootMatch {
        let mut segments = module.split('.');
        let first = child_path(root, segments.next().unwrap_or(""));
        if let Some(file) = self.module_file(root, module) {
            return PythonRootMatch::File(file);
        }
        if self.is_regular_module(&first) {
            return PythonRootMatch::Partly;
        }
        let below = child_path(root, &module.replace('.', "/"));
        if self.has_modules(&below) { PythonRootMatch::Namespace } else { PythonRootMatch::Nothing }
    }

    /// Returns true if the path is a module, or a package with an `__init__` file.
    fn is_regular_module(&self, path: &str) -> bool {
        self.package_file(path).is_some()
            || self.project.file(&format!("{path}.py")).is_some_and(|f| f != self.from)
    }

    fn has_modules(&self, path: &str) -> bool {
        let python = |file: &FileId| self.project.path(*file).ends_with(".py");
        self.project.has_dir(path) && self.project.files_in(path).iter().any(python)
    }

    fn package_file(&self, path: &str) -> Option<FileId> {
        ["__init__.py", "__init__.pyi"].iter().find_map(|name| self.project.file(&child_path(path, name)))
    }

    /// Finds the file of a dotted path below a folder: a package before a module, as in Python; a stub last. A file
    /// never imports itself.
    fn module_file(&self, base: &str, module: &str) -> Option<FileId> {
        let path = child_path(base, &module.replace('.', "/"));
        let module = |ending| self.project.file(&format!("{path}{ending}")).filter(|f| *f != self.from);
        let package = self.project.file(&child_path(&path, "__init__.py"));
        package.or_else(|| module(".py")).or_else(|| self.package_file(&path)).or_else(|| module(".pyi"))
    }
}

fn child_path(folder: &str, name: &str) -> String {
    if folder.is_empty() { name.to_owned() } else { format!("{folder}/{name}") }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::langs::support::project::fake::Fake;

    fn check_targets(files: &[&str], from: &str, expected: &[(&str, &str)]) {
        let files: Vec<(&str, &str)> = files.iter().map(|path| (*path, "")).collect();
        let project = Fake::new(&files);
        for (module, target) in expected {
            assert_eq!(project.resolve(&PythonImportRules, from, module), *target, "{module} from {from}");
        }
    }

    #[test]
    fn absolute_paths_start_at_a_root() {
        check_targets(
            &["pkg/__init__.py", "pkg/sub/__init__.py", "pkg/sub/mod.py", "pkg/one.py", "pkg/s.pyi"],
            "pkg/sub/mod.py",
            &[
                ("pkg", "pkg/__init__.py"),
                ("pkg.sub", "pkg/sub/__init__.py"),
                ("pkg.one", "pkg/one.py"),
                ("pkg.s", "pkg/s.pyi"),
                ("pkg.missing", "unknown"),
                ("one", "ext:one"),
                ("sub.mod", "ext:sub"),
                ("requests.api", "ext:requests"),
                ("os.path", "ext:os"),
            ],
        );
    }

    #[test]
    fn dots_go_up() {
        check_targets(
            &["a/__init__.py", "a/x.py", "a/b/__init__.py", "a/b/c.py", "top.py"],
            "a/b/c.py",
            &[
                (".", "a/b/__init__.py"),
                ("..", "a/__init__.py"),
                ("..x", "a/x.py"),
                (".c", "unknown"),
                (".missing", "unknown"),
                ("...top", "top.py"),
                ("....top", "unknown"),
            ],
        );
    }

    #[test]
    fn sources_may_lie_in_src_or_beside_a_manifest() {
        check_targets(
            &[
                "src/app/__init__.py",
                "tests/test_app.py",
                "tests/helpers.py",
                "packages/tool/pyproject.toml",
                "packages/tool/src/tool/__init__.py",
                "other/deep/yaml.py",
            ],
            "tests/test_app.py",
            &[
                ("app", "src/app/__init__.py"),
                ("helpers", "tests/helpers.py"),
                ("tool", "packages/tool/src/tool/__init__.py"),
                ("yaml", "ext:yaml"),
            ],
        );
    }

    #[test]
    fn a_generated_module_is_its_schema() {
        check_targets(
            &[
                "app/main.py",
                "app/gen/old_pb2.py",
                "app/gen/shop_pb2_grpc.py",
                "protos/user.proto",
                "protos/old.proto",
                "protos/acme/shop.proto",
                "protos/other/shop.proto",
                "protos/timestamp.proto",
            ],
            "app/main.py",
            &[
                ("user_pb2", "protos/user.proto"),
                ("user_pb2_grpc", "protos/user.proto"),
                (".gen.user_pb2", "protos/user.proto"),
                ("app.gen.old_pb2", "protos/old.proto"),
                ("app.gen.acme.shop_pb2", "protos/acme/shop.proto"),
                (".gen.shop_pb2", "unknown"),
                (".gen.shop_pb2_grpc", "app/gen/shop_pb2_grpc.py"),
                ("google.protobuf.timestamp_pb2", "ext:google"),
            ],
        );
    }

    #[test]
    fn the_standard_library_is_not_shadowed_by_a_neighbour() {
        check_targets(
            &["app/main.py", "app/logging.py", "app/yaml.py", "types.py", "ns/part/x.py"],
            "app/main.py",
            &[
                ("logging", "ext:logging"),
                ("yaml", "app/yaml.py"),
                ("types", "types.py"),
                ("ns.part.x", "ns/part/x.py"),
                ("ns.part", "unknown"),
            ],
        );
        check_targets(&["app/yaml.py"], "app/yaml.py", &[("yaml", "ext:yaml")]);
    }

    #[test]
    fn a_submodule_is_named_after_its_package() {
        let names: Vec<_> =
            [".", "..", "..x", "a.b"].iter().filter_map(|m| PythonImportRules.submodule(m, "n")).collect();
        assert_eq!(names, [".n", "..n", "..x.n", "a.b.n"]);
    }
}
