//! Finds the module that a name means.
//!
//! Elixir loads modules by their full names from wherever they were compiled, so no path counts: the module is in the
//! file that defines the name. Modules that code for tests defines come last. A name whose first part begins no module
//! of the project is a package outside, under the name that packages take from their modules (`phoenix` for
//! `Phoenix.Router`).

use hob_base::FileId;

use super::builtins::is_own_module;
use crate::langs::rules::{ImportProject, ImportRules, ModuleTarget};

/// The last part of a name that stands for the definitions that the `use` of a module brings, which the source does not
/// show.
pub(super) const USING: &str = ".__using__";

/// The import rules of Elixir.
pub(super) struct ModuleNames;

impl ImportRules for ModuleNames {
    fn resolve(&self, project: &dyn ImportProject, from: FileId, module: &str) -> ModuleTarget {
        if let Some(used) = module.strip_suffix(USING) {
            return match self.resolve(project, from, used) {
                ModuleTarget::External(package) => ModuleTarget::External(package),
                _ => ModuleTarget::Unknown,
            };
        }
        if let Some(target) = find_module(project, from, module) {
            return target;
        }
        let first = module.split('.').next().unwrap_or(module);
        match () {
            () if is_of_project(project, first) => ModuleTarget::Unknown,
            () if is_own_module(first) => ModuleTarget::External("elixir".to_owned()),
            () => ModuleTarget::External(snake_case(first)),
        }
    }

    fn resolve_path(
        &self,
        project: &dyn ImportProject,
        from: FileId,
        path: &str,
    ) -> Option<(ModuleTarget, usize)> {
        if !path.starts_with(char::is_uppercase) {
            return None;
        }
        let ends = path.rmatch_indices('.').map(|(at, _)| at);
        for end in std::iter::once(path.len()).chain(ends) {
            let name = &path[..end];
            if let Some(target) = find_module(project, from, name) {
                return Some((target, name.split('.').count()));
            }
        }
        let first = path.split('.').next().unwrap_or(path);
        match () {
            () if is_of_project(project, first) => Some((ModuleTarget::Unknown, 1)),
            () if is_own_module(first) => None,
            () => Some((ModuleTarget::External(snake_case(first)), path.split('.').count())),
        }
    }

    fn submodule(&self, module: &str, name: &str) -> Option<String> {
        name.starts_with(char::is_uppercase).then(|| format!("{module}.{name}"))
    }
}

/// Returns the module of this full name; unknown if several files define it.
fn find_module(project: &dyn ImportProject, from: FileId, name: &str) -> Option<ModuleTarget> {
    let is_elixir = |file: &FileId| {
        let path = project.path(*file);
        path.ends_with(".ex") || path.ends_with(".exs")
    };
    let mut files: Vec<FileId> = project.files_defining(name).into_iter().filter(is_elixir).collect();
    if files.contains(&from) {
        files = vec![from];
    }
    if files.len() > 1 {
        files.retain(|file| !is_for_tests(project.path(*file)));
    }
    match files[..] {
        [] => None,
        [file] => Some(ModuleTarget::Inside(file, name.to_owned())),
        _ => Some(ModuleTarget::Unknown),
    }
}

fn is_of_project(project: &dyn ImportProject, first: &str) -> bool {
    !project.files_of_package(first).is_empty()
}

fn is_for_tests(path: &str) -> bool {
    path.ends_with("_test.exs")
        || path.split('/').any(|part| matches!(part, "test" | "deps" | "integration_test"))
}

/// Returns `phoenix_html` for `PhoenixHTML`.
fn snake_case(name: &str) -> String {
    let mut out = String::with_capacity(name.len() + 4);
    let mut before = ' ';
    for letter in name.chars() {
        if letter.is_uppercase() && before.is_lowercase() {
            out.push('_');
        }
        out.extend(letter.to_lowercase());
        before = letter;
    }
    out
}
