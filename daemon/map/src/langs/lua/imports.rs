//! Finds the file that a Lua import names.
//!
//! `a.b` is `a/b.lua` or `a/b/init.lua` below one of the folders that `package.path` holds by convention: the root,
//! `src`, `lua`, `lib`, wherever they lie, or a folder that the requiring file is in. A module that is not there is a
//! library outside, under the first part of its name.

use hob_base::FileId;

use crate::langs::rules::{ImportProject, ImportRules, ModuleTarget};
use crate::langs::support::project::{folder_of, shared_folders};

const ROOTS: &[&str] = &["src", "lua", "lib", "luasrc", "spec", "test", "tests", "scripts"];

/// The import rules of Lua.
pub(super) struct Roots;

impl ImportRules for Roots {
    fn resolve(&self, project: &dyn ImportProject, from: FileId, module: &str) -> ModuleTarget {
        let path = module.trim_start_matches("./").trim_end_matches(".lua").replace('.', "/");
        let path = path.trim_matches('/');
        let last = path.rsplit('/').next().unwrap_or(path);
        let here = project.path(from).to_owned();
        let plain = format!("{path}.lua");
        let entrance = format!("{path}/init.lua");
        let named = project.files_named(&format!("{last}.lua")).iter().map(|file| (*file, &plain));
        let inits = project.files_named("init.lua").iter().map(|file| (*file, &entrance));
        let found = named.chain(inits).filter(|(file, end)| {
            *file != from && root_of(project.path(*file), end).is_some_and(|root| is_root(root, &here))
        });
        let nearness = |(file, end): &(FileId, &String)| {
            (
                shared_folders(project.path(*file), &here),
                *end == &plain,
                std::cmp::Reverse(project.path(*file)),
            )
        };
        match found.max_by_key(nearness) {
            Some((file, _)) => ModuleTarget::File(file),
            None => target_of_missing(project, module),
        }
    }

    fn reads_facts(&self) -> bool {
        false
    }
}

/// Returns the target of a missing module: unknown if its library is here, because the module is generated or gone;
/// else a package outside.
fn target_of_missing(project: &dyn ImportProject, module: &str) -> ModuleTarget {
    let first = module.split(['.', '/']).next().unwrap_or(module);
    let own = first.is_empty()
        || project.has_dir(first)
        || ROOTS.iter().any(|root| project.has_dir(&format!("{root}/{first}")));
    if own { ModuleTarget::Unknown } else { ModuleTarget::External(first.to_owned()) }
}

/// Returns the part of a path before `end`, without the slash between them; `None` if the path does not end so.
fn root_of<'p>(path: &'p str, end: &str) -> Option<&'p str> {
    let root = path.strip_suffix(end)?;
    if root.is_empty() { Some(root) } else { root.strip_suffix('/') }
}

fn is_root(root: &str, here: &str) -> bool {
    let last = root.rsplit('/').next().unwrap_or(root);
    let around = folder_of(here);
    root.is_empty()
        || ROOTS.contains(&last)
        || around == root
        || around.strip_prefix(root).is_some_and(|rest| rest.starts_with('/'))
}
