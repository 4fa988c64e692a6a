//! Defines path types that guarantee their precondition.
//!
//! A daemon serves many projects and has no meaningful working directory, so a bare `PathBuf` is never passed between
//! parts: [`AbsPath`] is absolute and free of `.` and `..`; [`WsPath`] is relative to a workspace root, uses `/` on
//! every platform and cannot climb out. Symbolic links are *not* resolved here; that needs the disk (see
//! `hob-workspace`).
//!
//! On Windows one folder has several beginnings: `c:`, `C:` and, from the system itself, `\\?\C:`. All are brought to `C:`,
//! which is what people and other programs write; the standard library puts the long form back where a path is too long.

use std::borrow::Borrow;
use std::ffi::{OsStr, OsString};
use std::fmt;
use std::path::{Component, Path, PathBuf, Prefix};
use std::sync::Arc;

/// Why a text or path was rejected.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PathError {
    /// An absolute path was needed.
    #[error("`{0}` is not an absolute path")]
    NotAbsolute(String),
    /// A path relative to the root was needed, without `..`.
    #[error("`{0}` does not lie within the workspace")]
    Outside(String),
    /// The name has bytes that are not Unicode; such files cannot be named in an answer.
    #[error("a file name is not valid Unicode: `{0}`")]
    NotUnicode(String),
}

/// An absolute path without `.` or `..` components.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct AbsPath(PathBuf);

impl AbsPath {
    /// Creates an absolute path, and folds `.` and `..` lexically.
    ///
    /// # Errors
    /// [`PathError::NotAbsolute`] for a relative path.
    pub fn new(path: impl Into<PathBuf>) -> Result<Self, PathError> {
        let path = path.into();
        if !path.is_absolute() {
            return Err(PathError::NotAbsolute(path.display().to_string()));
        }
        Ok(Self(normalise_path(&path)))
    }

    /// Joins a possibly relative path onto this one; an absolute argument replaces it, as with [`Path::join`].
    #[must_use]
    pub fn join(&self, path: impl AsRef<Path>) -> Self {
        Self(normalise_path(&self.0.join(path)))
    }

    /// Returns the place of a workspace file below this root.
    #[must_use]
    pub fn join_ws(&self, path: &WsPath) -> Self {
        if path.is_root() {
            return self.clone();
        }
        if cfg!(windows) {
            return Self(self.0.join(path.as_str().replace('/', "\\")));
        }
        Self(self.0.join(path.as_str()))
    }

    /// Returns the parent folder, or `None` at the file system's root.
    #[must_use]
    pub fn parent(&self) -> Option<Self> {
        self.0.parent().map(|p| Self(p.to_path_buf()))
    }

    /// Returns this path relative to `root`, in workspace form.
    ///
    /// # Errors
    /// [`PathError::Outside`] when it does not lie below `root`, [`PathError::NotUnicode`] when it cannot be printed.
    pub fn relative_to(&self, root: &Self) -> Result<WsPath, PathError> {
        let rest =
            self.0.strip_prefix(&root.0).map_err(|_| PathError::Outside(self.0.display().to_string()))?;
        WsPath::from_path(rest)
    }

    /// Returns the path as the standard library's type.
    #[must_use]
    pub fn as_path(&self) -> &Path {
        &self.0
    }
}

impl AsRef<Path> for AbsPath {
    fn as_ref(&self) -> &Path {
        &self.0
    }
}

impl fmt::Display for AbsPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.display().fmt(f)
    }
}

impl fmt::Debug for AbsPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

fn normalise_path(path: &Path) -> PathBuf {
    let mut out = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir => {
                out.pop();
            }
            Component::Prefix(prefix) => out.push(prefix_text(prefix.kind())),
            other => out.push(other.as_os_str()),
        }
    }
    out
}

/// Returns the beginning of a path on Windows in the form in which hob compares it.
fn prefix_text(prefix: Prefix<'_>) -> OsString {
    match prefix {
        Prefix::Disk(drive) | Prefix::VerbatimDisk(drive) => {
            format!("{}:", char::from(drive.to_ascii_uppercase())).into()
        }
        Prefix::UNC(server, share) | Prefix::VerbatimUNC(server, share) => {
            [OsStr::new(r"\\"), server, OsStr::new(r"\"), share].into_iter().collect()
        }
        Prefix::Verbatim(name) => [OsStr::new(r"\\?\"), name].into_iter().collect(),
        Prefix::DeviceNS(name) => [OsStr::new(r"\\.\"), name].into_iter().collect(),
    }
}

/// Returns true if a name denotes a file of that name on this system.
fn means_itself(name: &str) -> bool {
    !cfg!(windows) || !means_something_else(name)
}

/// Returns true if Windows takes the name of a file for something else: another file, a stream in one, or a device.
fn means_something_else(name: &str) -> bool {
    const DEVICES: &[&str] = &["aux", "con", "conin$", "conout$", "nul", "prn"];
    let stem = name.split('.').next().unwrap_or(name).trim_end_matches(' ').to_ascii_lowercase();
    let is_number = |rest: &str| rest.chars().count() == 1 && "123456789¹²³".contains(rest);
    let numbered = |of: &str| stem.strip_prefix(of).is_some_and(is_number);
    name.contains(':')
        || name.ends_with(['.', ' '])
        || DEVICES.contains(&stem.as_str())
        || numbered("com")
        || numbered("lpt")
}

/// A path relative to a workspace root: `/` separators, no `.`, no `..`, no leading slash; empty for the root itself.
/// Cheap to clone.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct WsPath(Arc<str>);

impl WsPath {
    /// Parses a path as a client writes it: `/` or (on Windows) `\` separators, leading `./` and repeated slashes
    /// folded.
    ///
    /// # Errors
    /// [`PathError::Outside`] for an absolute path or one that climbs above the root.
    pub fn new(path: &str) -> Result<Self, PathError> {
        if is_clean(path) {
            return Ok(Self(path.into()));
        }
        Self::from_path(Path::new(path))
    }

    /// Returns the workspace root itself.
    #[must_use]
    pub fn root() -> Self {
        Self("".into())
    }

    /// Creates a path from a relative path of the platform.
    ///
    /// # Errors
    /// As [`WsPath::new`], and [`PathError::NotUnicode`].
    pub fn from_path(path: &Path) -> Result<Self, PathError> {
        let mut parts: Vec<&str> = Vec::new();
        for part in path.components() {
            match part {
                Component::CurDir => {}
                Component::Normal(name) => {
                    let name =
                        name.to_str().ok_or_else(|| PathError::NotUnicode(path.display().to_string()))?;
                    if !means_itself(name) {
                        return Err(PathError::Outside(path.display().to_string()));
                    }
                    parts.push(name);
                }
                Component::ParentDir => {
                    parts.pop().ok_or_else(|| PathError::Outside(path.display().to_string()))?;
                }
                _ => return Err(PathError::Outside(path.display().to_string())),
            }
        }
        Ok(Self(parts.join("/").into()))
    }

    /// Returns the path as text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Returns true if this is the workspace root.
    #[must_use]
    pub fn is_root(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns the last component, or the empty string at the root.
    #[must_use]
    pub fn file_name(&self) -> &str {
        self.0.rsplit('/').next().unwrap_or("")
    }

    /// Returns the text after the last dot of the file name, if any.
    #[must_use]
    pub fn extension(&self) -> Option<&str> {
        self.file_name().rsplit_once('.').filter(|(stem, _)| !stem.is_empty()).map(|(_, ext)| ext)
    }

    /// Returns the folder as text, without a trailing slash; empty for files at the root.
    #[must_use]
    pub fn dir(&self) -> &str {
        self.0.rsplit_once('/').map_or("", |(dir, _)| dir)
    }

    /// Returns true if this path is `prefix` or lies below it; a whole-component test, so `a/b` is not below `a/bc`.
    #[must_use]
    pub fn is_below(&self, prefix: &Self) -> bool {
        prefix.is_root()
            || self.0.strip_prefix(&*prefix.0).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
    }
}

/// Returns true if a path needs no folding: the common case, checked without an allocation.
fn is_clean(path: &str) -> bool {
    let is_plain = |part: &str| !part.is_empty() && part != "." && part != ".." && means_itself(part);
    !path.is_empty() && !path.contains(['\\', ':']) && path.split('/').all(is_plain)
}

impl Borrow<str> for WsPath {
    fn borrow(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for WsPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl fmt::Debug for WsPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&*self.0, f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn workspace_paths_fold_and_cannot_climb() {
        let ok = |s: &str| WsPath::new(s).map(|p| p.as_str().to_owned());
        assert_eq!(ok("./a//b/./c.py").as_deref(), Ok("a/b/c.py"));
        assert_eq!(ok("a/x/../b").as_deref(), Ok("a/b"));
        assert_eq!(ok("").as_deref(), Ok(""));
        assert!(matches!(WsPath::new("../x"), Err(PathError::Outside(_))));
        assert!(matches!(WsPath::new("a/../../x"), Err(PathError::Outside(_))));
        assert!(matches!(WsPath::new("/etc/passwd"), Err(PathError::Outside(_))));
    }

    #[test]
    fn a_windows_folder_begins_in_one_way() {
        let is = |prefix, text: &str| assert_eq!(prefix_text(prefix), OsStr::new(text), "{prefix:?}");
        is(Prefix::Disk(b'c'), "C:");
        is(Prefix::VerbatimDisk(b'C'), "C:");
        let (server, share) = (OsStr::new("server"), OsStr::new("share"));
        is(Prefix::UNC(server, share), r"\\server\share");
        is(Prefix::VerbatimUNC(server, share), r"\\server\share");
        is(Prefix::Verbatim(OsStr::new("Volume{1}")), r"\\?\Volume{1}");
    }

    #[test]
    fn names_that_windows_takes_for_something_else() {
        for odd in ["NUL", "aux.c", "Com1", "lpt9.txt", "com²", "con .x", "a.txt:stream", ".git.", "b "] {
            assert!(means_something_else(odd), "{odd}");
        }
        for plain in
            ["null", "auxiliary.c", "com", "com0", "com10", "coma", "console.rs", ".gitignore", "lptx"]
        {
            assert!(!means_something_else(plain), "{plain}");
        }
    }

    #[test]
    fn prefix_test_respects_components() {
        let path = |s| WsPath::new(s).expect("a relative path");
        assert!(path("repo-x/a").is_below(&path("repo-x")));
        assert!(!path("repo-x/a").is_below(&path("repo")));
        assert!(path("a").is_below(&WsPath::root()));
    }

    #[test]
    fn extensions_ignore_dot_files() {
        assert_eq!(WsPath::new("a/b.tar.gz").expect("path").extension(), Some("gz"));
        assert_eq!(WsPath::new("a/.bashrc").expect("path").extension(), None);
    }
}
