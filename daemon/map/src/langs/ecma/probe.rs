//! Finds the file of a path without a sure ending: by extensions, index files, sources of built files.

use hob_base::FileId;

use crate::langs::rules::ImportProject;
use crate::langs::support::project::{folder_of, join};

/// Endings tried after a path, in TypeScript's order.
const ENDINGS: [&str; 10] = [".ts", ".tsx", ".d.ts", ".mts", ".cts", ".js", ".jsx", ".mjs", ".cjs", ".vue"];
/// The endings of sources that an ending in a specifier can stand for.
const SOURCES: [(&str, &[&str]); 4] = [
    (".js", &[".ts", ".tsx", ".d.ts", ".jsx"]),
    (".jsx", &[".tsx"]),
    (".mjs", &[".mts", ".d.mts"]),
    (".cjs", &[".cts", ".d.cts"]),
];
/// Folders that builds write to.
const BUILT: [&str; 7] = ["dist", "lib", "build", "out", "esm", "cjs", "es"];

/// Returns the file that a path without a sure ending means.
pub(super) fn probe_file(project: &dyn ImportProject, path: &str) -> Option<FileId> {
    for (ending, sources) in SOURCES {
        let found = path.strip_suffix(ending).and_then(|stem| with_endings(project, stem, sources));
        if found.is_some() {
            return found;
        }
    }
    let exact = || project.file(path).filter(|_| !path.is_empty());
    let extended = || with_endings(project, path, &ENDINGS).filter(|_| !path.is_empty());
    exact().or_else(extended).or_else(|| with_endings(project, &path_below(path, "index"), &ENDINGS))
}

fn with_endings(project: &dyn ImportProject, stem: &str, endings: &[&str]) -> Option<FileId> {
    endings.iter().find_map(|ending| project.file(&format!("{stem}{ending}")))
}

/// Returns the file that a package's entry means: the file itself, or its source if the built file is missing.
pub(super) fn probe_entry(project: &dyn ImportProject, package: &str, target: &str) -> Option<FileId> {
    let path = join(package, target)?;
    probe_file(project, &path).or_else(|| source_of(project, package, target))
}

/// Returns the source that a built file is made from: `src/x.ts` for `dist/esm/x.js`.
fn source_of(project: &dyn ImportProject, package: &str, target: &str) -> Option<FileId> {
    let mut segments: Vec<&str> = target.split('/').filter(|s| !matches!(*s, "" | ".")).collect();
    let before = segments.len();
    while segments.len() > 1 && BUILT.contains(&segments[0]) {
        segments.remove(0);
    }
    if segments.len() == before {
        return None;
    }
    let rest = segments.join("/");
    let stem = without_ending(&rest);
    ["src", "source", "lib", ""].iter().find_map(|source| {
        let path = join(package, &format!("{source}/{stem}"))?;
        probe_file(project, &path).filter(|&file| folder_of(project.path(file)).starts_with(package))
    })
}

/// Returns a path without its ending.
fn without_ending(path: &str) -> &str {
    let endings = [".d.ts", ".d.mts", ".d.cts", ".ts", ".tsx", ".mts", ".cts", ".js", ".jsx", ".mjs", ".cjs"];
    endings.iter().find_map(|ending| path.strip_suffix(ending)).unwrap_or(path)
}

/// Returns the path of a name in a folder.
pub(super) fn path_below(folder: &str, name: &str) -> String {
    if folder.is_empty() { name.to_owned() } else { format!("{folder}/{name}") }
}
