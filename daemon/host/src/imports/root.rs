//! Finds the folder of an index in a workspace.

use std::fs;

use hob_base::{AbsPath, WsPath};
use hob_live::uri;

use super::outcome::ImportError;

/// Returns the folder of an index, relative to the workspace's root. An index that names no folder is of the root, and so is any with
/// `is_relocated`.
///
/// # Errors
/// [`ImportError::OtherRoot`] when the index is of another folder.
pub(super) fn folder_in_workspace(
    root: &AbsPath,
    project_root: &str,
    is_relocated: bool,
) -> Result<WsPath, ImportError> {
    if is_relocated || project_root.is_empty() {
        return Ok(WsPath::root());
    }
    let other = || ImportError::OtherRoot { index: project_root.to_owned(), project: root.clone() };
    let folder = folder_of(project_root).ok_or_else(other)?;
    folder.relative_to(root).map_err(|_| other())
}

/// Returns the folder that an index names, without links. Most indexers write a URI, some a path.
fn folder_of(project_root: &str) -> Option<AbsPath> {
    let written = uri::path_of(project_root).or_else(|| AbsPath::new(project_root).ok())?;
    let real = fs::canonicalize(written.as_path()).ok().and_then(|real| AbsPath::new(real).ok());
    Some(real.unwrap_or(written))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_index_is_of_the_workspace_or_a_folder_in_it() {
        let root = AbsPath::new(if cfg!(windows) { r"C:\no\shop" } else { "/no/shop" }).expect("absolute");
        let base = if cfg!(windows) { "file:///C:/no" } else { "file:///no" };
        let of = |text: &str, is_relocated| {
            folder_in_workspace(&root, text, is_relocated).map(|path| path.as_str().to_owned()).ok()
        };
        assert_eq!(of(&format!("{base}/shop"), false).as_deref(), Some(""));
        assert_eq!(of(&format!("{base}/shop/"), false).as_deref(), Some(""));
        assert_eq!(of(&format!("{base}/shop/packages/a%20b"), false).as_deref(), Some("packages/a b"));
        assert_eq!(of("", false).as_deref(), Some(""));
        assert_eq!(of(&format!("{base}/other"), false), None);
        assert_eq!(of(base, false), None, "a folder around the workspace is another project");
        assert_eq!(of("https://example.com/shop", false), None);
        assert_eq!(of(&format!("{base}/other"), true).as_deref(), Some(""));
    }
}
