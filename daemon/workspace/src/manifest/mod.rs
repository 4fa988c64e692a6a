//! Reads which packages a project depends on from its manifests and lock files.
//!
//! [`read`] takes one file by its name and returns its statements, in the file's order; [`merge()`] joins the
//! statements of all files of a workspace into one [`Package`] per name. One folder or file per ecosystem, one function
//! per kind of file.
//!
//! Files come from other people and are often broken, half-written or of a newer format. None of that is an error: a
//! reader takes what it understands and leaves the rest. This module opens no file, asks no registry and runs no build,
//! so it reads a `build.gradle` as text, and a range stays a range unless a lock file resolves it.
//!
//! The map reads some of these files too, in order to resolve imports (`hob-map`, `langs/*/manifest.rs`). It needs
//! other statements (entry points, aliases, members), keeps them as facts and has no lines, which are half of the
//! answer here.

mod cargo;
mod file;
mod go;
mod json;
mod maven;
mod merge;
mod npm;
mod package;
mod pypi;
mod toml;
mod version;

#[cfg(test)]
mod tests;

use hob_base::WsPath;

use file::Findings;
pub(crate) use maven::xml;
pub use merge::merge;
pub use package::{Package, PackageMention};
pub(crate) use version::compare_versions;

/// Where packages of one kind are published.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Ecosystem {
    /// The packages of crates.io, for Cargo.
    Cargo,
    /// Go modules, by their module path.
    Go,
    /// Maven repositories; also what Gradle fetches.
    Maven,
    /// The npm registry, whichever program installs from it.
    Npm,
    /// The Python package index.
    PyPi,
}

impl Ecosystem {
    /// All of them, in the order in which packages are listed.
    pub const ALL: [Self; 5] = [Self::Cargo, Self::Go, Self::Maven, Self::Npm, Self::PyPi];

    /// Returns the name that people use: `cargo`, `go`, `maven`, `npm`, `pypi`.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Cargo => "cargo",
            Self::Go => "go",
            Self::Maven => "maven",
            Self::Npm => "npm",
            Self::PyPi => "pypi",
        }
    }

    /// Returns `name` in the form of [`Dependency::name`]. Names of Python are the same in any case and with any of
    /// `-`, `_`, `.` (PEP 503); all others are exact.
    #[must_use]
    pub fn normalise_name(self, name: &str) -> String {
        match self {
            Self::PyPi => pypi::normalise_name(name),
            _ => name.to_owned(),
        }
    }
}

/// The kind of statement that names a dependency, the most direct first.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Origin {
    /// A manifest requires it.
    #[default]
    Manifest,
    /// A manifest lists it only because another package needs it (`// indirect` in `go.mod`), or only gives the version
    /// for other manifests that require it (`dependencyManagement` in a `pom.xml`, `[workspace.dependencies]` in a
    /// `Cargo.toml`).
    Indirect,
    /// A lock file gives the chosen version.
    Lock,
}

/// One statement of one file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Dependency {
    /// The ecosystem in which it is published.
    pub ecosystem: Ecosystem,
    /// Its published name: scope included for npm, normalised for Python, `group:artifact` for Maven, a module's path for Go.
    pub name: String,
    /// The project's own name for the package, where that differs (`npm:` aliases, renamed crates, keys of a version
    /// catalogue).
    pub alias: Option<String>,
    /// The accepted versions, as written, or the source of the package in place of a registry (an address, a folder).
    pub requirement: Option<String>,
    /// The one version that the file names, if it does.
    pub version: Option<String>,
    /// The kind of statement that this is.
    pub origin: Origin,
    /// True if it is needed only to develop, test or build: by the table, group or file that names it, or because that
    /// file is in a folder for tests, examples or documentation.
    pub dev: bool,
    /// True if it is a folder of this machine, mostly another member of the same project.
    pub local: bool,
    /// 1-based line on which it is named.
    pub line: u32,
}

/// A reader of one kind of file.
type DependencyReader = fn(&str, &mut Findings);

/// Returns true if `path` is a file that [`read`] knows, by its name. Those of installed packages (below
/// `node_modules`) are not.
#[must_use]
pub fn is_manifest(path: &WsPath) -> bool {
    reader_for(path).is_some()
}

/// Folders that users of the project do not need, such as tests and examples; the dependencies of their manifests are
/// for development.
const ASIDE: [&str; 12] = [
    "test",
    "tests",
    "__tests__",
    "testing",
    "testdata",
    "fixtures",
    "e2e",
    "bench",
    "benches",
    "doc",
    "docs",
    "examples",
];

/// Returns true if `path` lies in one of these folders.
fn is_aside(path: &WsPath) -> bool {
    path.dir().split('/').any(|part| ASIDE.contains(&part))
}

/// Reads the dependencies that the file at `path` with this `text` names, in its own order; `None` for a file that is
/// no manifest and no lock file. Time and memory are linear in the text. A broken file gives the dependencies that can
/// still be read.
#[must_use]
pub fn read(path: &WsPath, text: &str) -> Option<Vec<Dependency>> {
    let (ecosystem, reader) = reader_for(path)?;
    let mut findings = Findings::new(ecosystem, text);
    reader(text.strip_prefix('\u{feff}').unwrap_or(text), &mut findings);
    let mut found = findings.into_inner();
    if is_aside(path) || pypi::is_for_development(path) {
        found.iter_mut().for_each(|dependency| dependency.dev = true);
    }
    Some(found)
}

fn reader_for(path: &WsPath) -> Option<(Ecosystem, DependencyReader)> {
    if path.as_str().split('/').any(|part| part == "node_modules") {
        return None;
    }
    let reader: (Ecosystem, DependencyReader) = match path.file_name() {
        "package.json" => (Ecosystem::Npm, npm::package_json),
        "package-lock.json" | "npm-shrinkwrap.json" => (Ecosystem::Npm, npm::package_lock),
        "yarn.lock" => (Ecosystem::Npm, npm::yarn_lock),
        "pnpm-lock.yaml" => (Ecosystem::Npm, npm::pnpm_lock),
        "pyproject.toml" => (Ecosystem::PyPi, pypi::read_pyproject),
        "setup.cfg" => (Ecosystem::PyPi, pypi::setup_cfg),
        "Pipfile" => (Ecosystem::PyPi, pypi::read_pipfile),
        "Pipfile.lock" => (Ecosystem::PyPi, pypi::pipfile_lock),
        "poetry.lock" | "uv.lock" | "pdm.lock" | "pylock.toml" => (Ecosystem::PyPi, pypi::lock),
        "Cargo.toml" => (Ecosystem::Cargo, cargo::read_manifest),
        "Cargo.lock" => (Ecosystem::Cargo, cargo::lock),
        "go.mod" => (Ecosystem::Go, go::read_go_mod),
        "pom.xml" => (Ecosystem::Maven, maven::read_pom),
        "build.gradle" | "build.gradle.kts" => (Ecosystem::Maven, maven::read_build_file),
        "gradle.lockfile" => (Ecosystem::Maven, maven::gradle_lock),
        "libs.versions.toml" => (Ecosystem::Maven, maven::read_catalogue),
        _ if pypi::is_requirements(path) => (Ecosystem::PyPi, pypi::read_requirements),
        _ => return None,
    };
    Some(reader)
}
