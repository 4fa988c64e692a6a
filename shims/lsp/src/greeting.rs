//! Adds the command line's options to `initialize`.

use std::path::Path;

use serde::Deserialize;
use serde_json::value::RawValue;

use crate::json;
use crate::message::{self, Head};

/// The additions to `initialize`, as JSON.
pub(crate) struct Additions {
    languages: Option<String>,
    root: Option<String>,
}

impl Additions {
    /// Creates additions with these languages, if there are any, and this absolute folder, if one is given.
    pub(crate) fn new(languages: &[String], root: Option<&Path>) -> Self {
        let names: Vec<String> = languages.iter().map(|name| json::text(name)).collect();
        Self {
            languages: (!names.is_empty()).then(|| format!("[{}]", names.join(","))),
            root: root.map(|root| json::text(&uri_of(root))),
        }
    }

    /// Returns the request with the additions; the folder only if the editor names none.
    pub(crate) fn add_to(&self, mut initialize: String) -> String {
        if let Some(languages) = &self.languages {
            let path = ["params", "initializationOptions", "hob", "languages"];
            initialize = json::set(&initialize, &path, languages);
        }
        match &self.root {
            Some(root) if !names_a_folder(&initialize) => {
                json::set(&initialize, &["params", "rootUri"], root)
            }
            _ => initialize,
        }
    }
}

fn names_a_folder(initialize: &str) -> bool {
    #[derive(Default, Deserialize)]
    #[serde(rename_all = "camelCase", default)]
    struct InitializeFolders<'p> {
        #[serde(borrow)]
        workspace_folders: Option<Vec<&'p RawValue>>,
        #[serde(borrow)]
        root_uri: Option<&'p RawValue>,
        #[serde(borrow)]
        root_path: Option<&'p RawValue>,
    }
    let params: InitializeFolders<'_> =
        message::parse(Head::read_head(initialize).params).unwrap_or_default();
    params.root_uri.is_some()
        || params.root_path.is_some()
        || params.workspace_folders.is_some_and(|folders| !folders.is_empty())
}

/// Converts a path to a `file:` URI, and encodes all characters that could mean something else.
fn uri_of(path: &Path) -> String {
    let text = path.to_string_lossy();
    let text = if cfg!(windows) { format!("/{}", text.replace('\\', "/")) } else { text.into_owned() };
    let mut uri = "file://".to_owned();
    for byte in text.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'/' | b'-' | b'.' | b'_' | b'~' => {
                uri.push(char::from(byte));
            }
            byte => uri.push_str(&format!("%{byte:02X}")),
        }
    }
    uri
}

#[cfg(test)]
mod tests {
    use super::*;

    #[cfg(unix)]
    #[test]
    fn a_root_is_for_editors_that_name_none() {
        let additions = Additions::new(&[], Some(Path::new("/a b/é")));
        let added = r#"{"params":{"rootUri":"file:///a%20b/%C3%A9"}}"#;
        assert_eq!(additions.add_to(r#"{"params":{"rootUri":null}}"#.into()), added);
        assert_eq!(additions.add_to("{}".into()), added);
        let none = r#"{"params":{"rootPath":null,"workspaceFolders":[]}}"#;
        assert!(additions.add_to(none.into()).contains("file:///a%20b"));
        for named in [
            r#"{"params":{"workspaceFolders":[{"uri":"file:///x"}],"rootUri":null}}"#,
            r#"{"params":{"rootPath":"/x"}}"#,
        ] {
            assert_eq!(additions.add_to(named.into()), named);
        }
    }
}
