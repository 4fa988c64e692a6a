//! Names the files with a meaning for rules: ignore files and version-control folders.

/// Ignore files in rising order of precedence among themselves; the last is hob's own.
pub(crate) const GIT_IGNORE: &str = ".gitignore";
/// ripgrep's general ignore file.
pub(crate) const IGNORE: &str = ".ignore";
/// Ignore files that the `ignore` crate does not know by itself; later ones win.
pub(crate) const CUSTOM_IGNORE: [&str; 2] = [".rgignore", ".hobignore"];

/// git's private ignore file, from the workspace root.
pub(crate) const GIT_EXCLUDE: &str = ".git/info/exclude";

/// Folders (git: also files) that make a version-control root. Never part of a workspace.
pub(crate) const VCS: [&str; 5] = [".git", ".hg", ".jj", ".svn", ".sl"];

/// Returns true if `name` is that of a version-control folder.
pub(crate) fn is_vcs(name: &str) -> bool {
    VCS.contains(&name)
}

/// Returns true if a change of a file named `name` changes which files belong to the workspace. A version-control
/// folder counts: git's rules hold only inside a git repository.
pub(crate) fn decides_rules(name: &str) -> bool {
    name == GIT_IGNORE || name == IGNORE || CUSTOM_IGNORE.contains(&name) || is_vcs(name)
}
