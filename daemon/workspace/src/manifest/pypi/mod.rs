//! Reads Python's `pyproject.toml`, `requirements*.txt`, `setup.cfg`, `Pipfile`, and the lock files of Poetry, uv, PDM
//! and Pipenv.
//!
//! `setup.py` is a program; it is not read.

mod lock;
mod pyproject;
mod requirement;
mod requirements;

use hob_base::WsPath;

pub(super) use lock::{lock, pipfile_lock};
pub(super) use pyproject::{read_pipfile, read_pyproject};
pub(super) use requirements::{read_requirements, setup_cfg};

/// Words in the name of a group or file that mean development.
const DEVELOPMENT: [&str; 6] = ["dev", "test", "lint", "docs", "typing", "ci"];

/// Returns a name in the index's form: lower case, and `-` for every run of `-`, `_` and `.` (PEP 503).
pub(super) fn normalise_name(name: &str) -> String {
    let parts = name.split(['-', '_', '.']).filter(|part| !part.is_empty());
    parts.map(str::to_lowercase).collect::<Vec<_>>().join("-")
}

/// Returns true if `path` is a list of requirements: `requirements.txt`, `dev-requirements.in`,
/// `requirements/base.txt`.
pub(super) fn is_requirements(path: &WsPath) -> bool {
    let lists = matches!(path.extension(), Some("txt" | "in"));
    let folder = path.dir().rsplit('/').next().unwrap_or("");
    lists && (path.file_name().contains("requirements") || folder == "requirements")
}

/// Returns true if the name of a list of requirements says that it is for development.
pub(super) fn is_for_development(path: &WsPath) -> bool {
    is_requirements(path) && is_development_group(path.file_name())
}

/// Returns true if a group of this name is for development: `dev`, `lint_docs`, `requirements-test.txt`, `tests`.
fn is_development_group(name: &str) -> bool {
    let words = name.split(|c: char| !c.is_alphanumeric()).map(str::to_lowercase);
    words.into_iter().any(|word| {
        DEVELOPMENT.contains(&word.as_str())
            || ["doc", "tests", "testing", "develop", "development"].contains(&word.as_str())
    })
}
