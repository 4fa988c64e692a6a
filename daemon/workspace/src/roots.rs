//! Finds the root of the workspace around a place that a client names.
//!
//! The nearest version-control root wins, because that is what people mean by "the project"; failing that, the nearest
//! folder with a project file; failing that, the folder itself. Folders around many projects (`broad.rs`) are never
//! chosen for a marker that happens to lie in them, and are refused when a client names them.
//!
//! Nested repositories, submodules and worktrees are version-control roots like any other, so a client that names a
//! place within one gets a workspace of its own. A part of a larger repository (`packages/ui`) is no root: a client
//! that names it gets the whole, under the whole's paths. `rules.rs` says which files of a nested repository belong to
//! the workspace around it.

use std::fs;
use std::io;
use std::path::Path;

use hob_base::AbsPath;

use crate::broad::BroadFolders;
use crate::identity::{FolderIdentity, can_be_listed};
use crate::{names, pseudo};

/// Names of files that mark a project; matched exactly.
const PROJECT_FILES: &[&str] = &[
    "Cargo.toml",
    "package.json",
    "deno.json",
    "deno.jsonc",
    "tsconfig.json",
    "jsconfig.json",
    "pyproject.toml",
    "setup.py",
    "setup.cfg",
    "requirements.txt",
    "Pipfile",
    "go.mod",
    "go.work",
    "pom.xml",
    "build.gradle",
    "build.gradle.kts",
    "settings.gradle",
    "settings.gradle.kts",
    "build.sbt",
    "CMakeLists.txt",
    "meson.build",
    "configure.ac",
    "Makefile",
    "makefile",
    "GNUmakefile",
    "compile_commands.json",
    "compile_flags.txt",
    "composer.json",
    "Gemfile",
    "Package.swift",
    "mix.exs",
    "WORKSPACE",
    "WORKSPACE.bazel",
    "MODULE.bazel",
    "flake.nix",
];

/// Endings of files that mark a project.
const PROJECT_ENDINGS: &[&str] = &[".sln", ".slnx", ".csproj", ".gemspec", ".cabal", ".xcodeproj"];

/// Why a folder is a root.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum RootKind {
    /// A version-control root: a repository, a worktree or a submodule.
    Vcs,
    /// A folder with a project file.
    Project,
    /// The folder that the client named; nothing marks it.
    Plain,
}

/// The root of a workspace.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Root {
    /// The folder, with symbolic links resolved: two ways to one folder are one workspace.
    pub path: AbsPath,
    /// The reason why this folder is the root.
    pub kind: RootKind,
}

/// Why there is no root.
#[derive(Debug, thiserror::Error)]
pub enum RootError {
    /// Nothing is at the path.
    #[error("`{0}` does not exist")]
    Missing(AbsPath),
    /// The path leads to something that is neither a file nor a folder.
    #[error("`{0}` is not a folder")]
    NotAFolder(AbsPath),
    /// The path cannot be read.
    #[error("`{path}` cannot be read: {why}")]
    Unreadable {
        /// The path that the client named.
        path: AbsPath,
        /// The system's reason, as an error.
        why: io::Error,
    },
    /// The folder surrounds many projects, and all of them would be indexed.
    #[error("`{0}` is not a project but a folder around many things: all of it would be indexed")]
    TooBroad(AbsPath),
    /// The system shows itself at the path as files.
    #[error("`{path}` is no project: its files are made by the system when they are read ({kind})")]
    Pseudo {
        /// The path that the client named.
        path: AbsPath,
        /// The file system's kind.
        kind: &'static str,
    },
}

/// The folder to which a path leads at this moment.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ResolvedFolder {
    /// The folder, with symbolic links resolved.
    pub folder: AbsPath,
    /// Tells this folder from a later one at the same path; `None` where there is no folder.
    identity: Option<FolderIdentity>,
}

/// Finds the workspace that `start`, a folder or a file, belongs to.
///
/// # Errors
/// [`RootError`] when `start` cannot serve as a starting point.
pub fn find_root(start: &AbsPath, broad: &BroadFolders) -> Result<Root, RootError> {
    root_around(&place_of(start)?, broad)
}

/// Returns the folder that `start`, a folder or a file, stands for. Cheap enough for every call, so that no result has
/// to be cached.
///
/// # Errors
/// [`RootError`] when `start` cannot serve as a starting point.
pub fn place_of(start: &AbsPath) -> Result<ResolvedFolder, RootError> {
    let folder = starting_folder(start)?;
    if let Some(kind) = pseudo::kind(folder.as_path()) {
        return Err(RootError::Pseudo { path: folder, kind });
    }
    let identity = FolderIdentity::of_folder(folder.as_path());
    Ok(ResolvedFolder { folder, identity })
}

/// Finds the workspace around a place.
///
/// # Errors
/// [`RootError::TooBroad`] when no project is around the place and its folder surrounds many projects.
pub fn root_around(place: &ResolvedFolder, broad: &BroadFolders) -> Result<Root, RootError> {
    let folder = &place.folder;
    let around = |is_excluded: &dyn Fn(&Path) -> bool, is_root: &dyn Fn(&Path) -> bool| {
        let mut folders = folder.as_path().ancestors();
        let found = folders.find(|folder| !is_excluded(folder) && is_root(folder))?;
        Some(AbsPath::new(found).expect("an ancestor of an absolute path is absolute"))
    };
    if let Some(path) = around(&|folder| broad.is_never_repository(folder), &is_vcs_root) {
        return Ok(Root { path, kind: RootKind::Vcs });
    }
    let is_never_project = |folder: &Path| broad.is_never_project(folder);
    if let Some(path) = around(&is_never_project, &is_project) {
        return Ok(Root { path, kind: RootKind::Project });
    }
    if is_never_project(folder.as_path()) {
        return Err(RootError::TooBroad(folder.clone()));
    }
    Ok(Root { path: folder.clone(), kind: RootKind::Plain })
}

fn starting_folder(start: &AbsPath) -> Result<AbsPath, RootError> {
    let unreadable = |why: io::Error| match why.kind() {
        io::ErrorKind::NotFound => RootError::Missing(start.clone()),
        // In `file/x` the first part is no folder.
        io::ErrorKind::NotADirectory => RootError::NotAFolder(start.clone()),
        _ => RootError::Unreadable { path: start.clone(), why },
    };
    let path = fs::canonicalize(start).map_err(unreadable)?;
    let kind = fs::metadata(&path).map_err(unreadable)?.file_type();
    let folder = match path.parent() {
        Some(parent) if kind.is_file() => parent.to_path_buf(),
        _ if kind.is_dir() => path,
        _ => return Err(RootError::NotAFolder(start.clone())),
    };
    if !can_be_listed(&folder) {
        return Err(unreadable(io::ErrorKind::PermissionDenied.into()));
    }
    AbsPath::new(folder).map_err(|_| RootError::NotAFolder(start.clone()))
}

/// Returns true if `folder` has a `.git` or another version-control entry. In worktrees and submodules `.git` is a
/// file; each of them is a workspace of its own.
fn is_vcs_root(folder: &Path) -> bool {
    names::VCS.iter().any(|name| {
        fs::symlink_metadata(folder.join(name)).is_ok_and(|found| found.is_dir() || *name == ".git")
    })
}

fn is_project(folder: &Path) -> bool {
    PROJECT_FILES.iter().any(|name| folder.join(name).is_file()) || has_project_ending(folder)
}

fn has_project_ending(folder: &Path) -> bool {
    let Ok(entries) = fs::read_dir(folder) else { return false };
    entries.flatten().any(|entry| {
        let name = entry.file_name();
        let Some(name) = name.to_str() else { return false };
        PROJECT_ENDINGS.iter().any(|ending| name.len() > ending.len() && name.ends_with(ending))
    })
}
