//! Paths as servers name them.
//!
//! Servers escape differently from us and from each other (`%3A`, upper and lower case drive letters, spaces), so a URI is
//! never compared as text: it is turned back into a path first.

use hob_base::{AbsPath, WsPath};
use lsp_types::Uri;
use url::Url;

/// The `file:` URI of a path.
///
/// # Panics
/// Never: an absolute path always has one.
#[must_use]
pub fn of_path(path: &AbsPath) -> Uri {
    let url = Url::from_file_path(path.as_path()).expect("an absolute path has a URI");
    url.as_str().parse().expect("what url writes is a URI")
}

/// The path that a URI leads to; `None` for anything but a local file (`untitled:`, `jdt:`, a zip entry).
#[must_use]
pub fn to_path(uri: &Uri) -> Option<AbsPath> {
    let url = Url::parse(uri.as_str()).ok()?;
    let path = (url.scheme() == "file").then(|| url.to_file_path().ok())??;
    AbsPath::new(path).ok()
}

/// Where a path lies: in the workspace, or outside of it.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum FileRef {
    /// In the workspace.
    Inside(WsPath),
    /// Elsewhere on this machine: a library's source.
    Outside(AbsPath),
}

impl FileRef {
    /// What `path` is, seen from a workspace's root.
    #[must_use]
    pub fn of(path: AbsPath, root: &AbsPath) -> Self {
        match path.relative_to(root) {
            Ok(inside) => Self::Inside(inside),
            Err(_) => Self::Outside(path),
        }
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn any_way_of_writing_a_path_leads_back_to_it() {
        let path = AbsPath::new("/a b/ü#?%.py").expect("absolute");
        assert_eq!(to_path(&of_path(&path)), Some(path.clone()));
        let shouting: Uri = "file:///a%20b/%C3%BC%23%3F%25%2Epy".parse().expect("a URI");
        assert_eq!(to_path(&shouting), Some(path));
        for other in ["untitled:x", "jdt://contents/rt.jar", "http://a/b"] {
            assert_eq!(to_path(&other.parse().expect("a URI")), None, "{other}");
        }
    }

    #[test]
    fn inside_and_outside_are_told_apart() {
        let absolute = |text: &str| AbsPath::new(text).expect("absolute");
        let root = absolute("/p");
        assert_eq!(
            FileRef::of(absolute("/p/a.py"), &root),
            FileRef::Inside(WsPath::new("a.py").expect("relative"))
        );
        assert_eq!(FileRef::of(absolute("/pq/a.py"), &root), FileRef::Outside(absolute("/pq/a.py")));
    }
}
