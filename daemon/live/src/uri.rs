//! Converts between paths and the URIs in servers' messages.
//!
//! Servers escape differently from hob and from each other (`%3A`, upper and lower case drive letters, spaces), so hob
//! never compares URIs as text: it converts a URI back into a path first.

use std::cell::RefCell;
use std::collections::HashMap;

use hob_base::{AbsPath, WsPath};
use lsp_types::Uri;
use serde::de::DeserializeOwned;
use serde_json::Value;
use url::Url;

/// Returns the `file:` URI of a path.
///
/// # Panics
/// Never: an absolute path always has one.
#[must_use]
pub fn of_path(path: &AbsPath) -> Uri {
    let url = Url::from_file_path(path.as_path()).expect("an absolute path has a URI");
    parse(url.as_str()).expect("everything that cannot stand in a URI is escaped")
}

/// Escapes all characters of a URI that may not stand in one: browsers, and so `url`, leave brackets of file names as
/// they are.
fn with_escapes(uri: &str) -> String {
    let mut text = String::with_capacity(uri.len());
    for byte in uri.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' => text.push(char::from(byte)),
            _ if b"-._~!$&'()*+,;=:@/%?#".contains(&byte) => text.push(char::from(byte)),
            other => text.push_str(&format!("%{other:02X}")),
        }
    }
    text
}

/// Parses a URI as another program wrote it.
pub(crate) fn parse(uri: &str) -> Option<Uri> {
    with_escapes(uri).parse().ok()
}

/// Parses a server's JSON, and escapes its URIs if they need it.
///
/// # Errors
/// The error of JSON that does not have this shape.
pub(crate) fn read_json<T: DeserializeOwned>(json: &str) -> serde_json::Result<T> {
    serde_json::from_str(json).or_else(|error| {
        let mut value: Value = serde_json::from_str(json)?;
        if escape_all(&mut value) { serde_json::from_value(value) } else { Err(error) }
    })
}

/// Escapes the fields that are URIs by the protocol; returns true if any needed it.
fn escape_all(value: &mut Value) -> bool {
    match value {
        Value::Array(all) => all.iter_mut().fold(false, |changed, one| escape_all(one) | changed),
        Value::Object(fields) => fields.iter_mut().fold(false, |changed, (name, value)| {
            let uri = value.as_str().filter(|_| name == "uri" || name.ends_with("Uri"));
            let Some((uri, text)) = uri.map(|uri| (with_escapes(uri), uri)) else {
                return escape_all(value) | changed;
            };
            let is_new = uri != text;
            *value = Value::String(uri);
            is_new | changed
        }),
        _ => false,
    }
}

/// Returns the path of a URI; `None` for anything but a local file (`untitled:`, `jdt:`, a zip entry).
#[must_use]
pub fn to_path(uri: &Uri) -> Option<AbsPath> {
    path_of(uri.as_str())
}

/// Works as [`to_path`], for the text of a URI.
#[must_use]
pub fn path_of(uri: &str) -> Option<AbsPath> {
    let url = Url::parse(uri).ok()?;
    let path = (url.scheme() == "file").then(|| url.to_file_path().ok())??;
    AbsPath::new(path).ok()
}

/// A file in the workspace, or outside of it.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum FileRef {
    /// A file in the workspace, relative to its root.
    Inside(WsPath),
    /// A file elsewhere on this machine, such as a library's source.
    Outside(AbsPath),
}

impl FileRef {
    /// Makes a reference from `path`, seen from a workspace's root. A file that only seems to lie in the workspace,
    /// behind a symbolic link that leads out, is outside and gets its real path.
    #[must_use]
    pub fn from_path(path: AbsPath, root: &AbsPath) -> Self {
        match path.relative_to(root) {
            Ok(inside) => behind_a_link(&path, root).map_or(Self::Inside(inside), Self::Outside),
            Err(_) => Self::Outside(path),
        }
    }
}

/// Returns the real path of a file in a folder, if it lies outside of the folder; `None` for a missing file too,
/// because nothing is known of it.
fn behind_a_link(path: &AbsPath, root: &AbsPath) -> Option<AbsPath> {
    let real = path.as_path().canonicalize().ok()?;
    let is_in = |folder: &std::path::Path| real.starts_with(folder);
    let is_inside = is_in(root.as_path()) || root.as_path().canonicalize().is_ok_and(|root| is_in(&root));
    if is_inside { None } else { AbsPath::new(&real).ok() }
}

/// Converts the URIs of one answer into files; looks at each file once.
#[derive(Debug)]
pub(crate) struct FileRefResolver<'r> {
    root: &'r AbsPath,
    known: RefCell<HashMap<String, Option<FileRef>>>,
}

impl<'r> FileRefResolver<'r> {
    /// Creates a resolver for the workspace at `root`, with an empty cache.
    pub(crate) fn new(root: &'r AbsPath) -> Self {
        Self { root, known: RefCell::default() }
    }

    /// Returns the file of a URI; `None` if it is no file.
    pub(crate) fn file_ref(&self, uri: &Uri) -> Option<FileRef> {
        if let Some(known) = self.known.borrow().get(uri.as_str()) {
            return known.clone();
        }
        let file = to_path(uri).map(|path| FileRef::from_path(path, self.root));
        self.known.borrow_mut().insert(uri.as_str().to_owned(), file.clone());
        file
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
    fn brackets_and_bars_are_escaped_and_may_be_said_as_they_are() {
        let path = AbsPath::new("/p/app/[id]/(group)/a|b^{c}`\\.ts").expect("absolute");
        assert_eq!(to_path(&of_path(&path)), Some(path));
        let routes = AbsPath::new("/p/[id].ts").expect("absolute");
        assert_eq!(of_path(&routes).as_str(), "file:///p/%5Bid%5D.ts");
        assert_eq!(path_of("file:///p/[id].ts"), Some(routes.clone()));
        let place = r#"{"uri": "file:///p/[id].ts", "range": {"start": {"line": 1, "character": 2}, "end": {"line": 1, "character": 3}}}"#;
        let found: Vec<lsp_types::Location> = read_json(&format!("[{place}]")).expect("a list");
        assert_eq!(to_path(&found[0].uri), Some(routes));
        assert!(read_json::<lsp_types::Location>(&place.replace("uri", "url")).is_err());
    }

    #[test]
    fn inside_and_outside_are_told_apart() {
        let absolute = |text: &str| AbsPath::new(text).expect("absolute");
        let root = absolute("/p");
        assert_eq!(
            FileRef::from_path(absolute("/p/a.py"), &root),
            FileRef::Inside(WsPath::new("a.py").expect("relative"))
        );
        assert_eq!(FileRef::from_path(absolute("/pq/a.py"), &root), FileRef::Outside(absolute("/pq/a.py")));
    }

    #[test]
    fn what_a_link_leads_to_outside_is_outside() {
        let dir = tempfile::tempdir().expect("a folder");
        let at = |name: &str| {
            AbsPath::new(dir.path().canonicalize().expect("it is there").join(name)).expect("absolute")
        };
        for folder in ["private", "project/src"] {
            std::fs::create_dir_all(at(folder).as_path()).expect("a folder");
        }
        std::fs::write(at("private/a.py").as_path(), "x").expect("written");
        std::fs::write(at("project/src/a.py").as_path(), "x").expect("written");
        std::os::unix::fs::symlink("../private", at("project/lib").as_path()).expect("a link");
        std::os::unix::fs::symlink("src", at("project/alias").as_path()).expect("a link");
        let root = at("project");
        let of = |name: &str| FileRef::from_path(at(name), &root);
        assert_eq!(of("project/lib/a.py"), FileRef::Outside(at("private/a.py")));
        let inside = |name: &str| FileRef::Inside(WsPath::new(name).expect("relative"));
        assert_eq!(of("project/alias/a.py"), inside("alias/a.py"));
        assert_eq!(of("project/gone.py"), inside("gone.py"));
        let files = FileRefResolver::new(&root);
        let uri = of_path(&at("project/lib/a.py"));
        assert_eq!(
            (files.file_ref(&uri), files.file_ref(&uri)),
            (Some(of("project/lib/a.py")), Some(of("project/lib/a.py")))
        );
    }
}
