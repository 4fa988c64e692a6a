//! Describes the note or path that a link names, as far as the link's own text tells.
//!
//! Facts keep a link as a name and a path. The name is the [`key`] under which the index lists it, and which can be
//! computed for the file that the link may mean as well; so "who links here" is a look-up, as everywhere in the map.
//! The path is the link as written, with a mark that tells links by note name from links by path.

use std::borrow::Cow;

/// Endings of the files that are notes, without the dot.
pub(crate) const ENDINGS: [&str; 4] = ["md", "markdown", "mdx", "mkd"];

/// The start of the path of a link by note name.
const WIKI: &str = "[[";
/// The start of the path of a link by path.
const PLAIN: &str = "](";

/// The key of links within their own file.
pub(crate) const OWN: &str = "[[#";

/// A link taken apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct NoteLinkTarget<'t> {
    /// True if the link names a note, wherever that note is; false if it names a path.
    pub(crate) by_name: bool,
    /// The note or path; empty for the file that the link stands in.
    pub(crate) path: &'t str,
    /// The heading or anchor; empty for none.
    pub(crate) fragment: &'t str,
}

impl<'t> NoteLinkTarget<'t> {
    /// Takes a link of the facts apart; `None` if the text is not the path of a link.
    pub(crate) fn from_spec(spec: &'t str) -> Option<Self> {
        let (by_name, rest) = match spec.strip_prefix(WIKI) {
            Some(rest) => (true, rest),
            None => (false, spec.strip_prefix(PLAIN)?),
        };
        let (path, fragment) = rest.split_once('#').unwrap_or((rest, ""));
        Some(Self { by_name, path, fragment })
    }
}

/// Returns the name and the path of a link for the facts; `None` if it leads out of the project or nowhere.
pub(super) fn link_name_and_path(destination: &str, by_name: bool) -> Option<(String, String)> {
    let destination = destination.trim();
    if destination.is_empty() || destination.len() > 1024 || destination.contains(char::is_control) {
        return None;
    }
    let (path, fragment) = destination.split_once('#').unwrap_or((destination, ""));
    if by_name {
        // In a table the bar is escaped.
        let (path, fragment) = (path.trim_end_matches('\\').trim(), fragment.trim_end_matches('\\').trim());
        return (!path.is_empty() || !fragment.is_empty())
            .then(|| (key(path), format!("{WIKI}{path}#{fragment}")));
    }
    if has_scheme(path) || path.starts_with("//") {
        return None;
    }
    let path = decode_percent(path.split('?').next().unwrap_or(path));
    let fragment = decode_percent(fragment);
    let spec = format!("{PLAIN}{}#{fragment}", path.replace('\\', "/"));
    (!path.is_empty() || !fragment.is_empty()).then(|| (key(&path), spec))
}

/// Returns the key of a link to this note or path.
pub(crate) fn key(path: &str) -> String {
    if path.is_empty() {
        return OWN.to_owned();
    }
    let last = path.trim_end_matches('/').rsplit('/').next().unwrap_or("");
    let last = if matches!(last, "" | "." | "..") { "." } else { last };
    format!("{WIKI}{}", note_stem(&last.to_lowercase()))
}

/// Returns the keys of links that may mean the file at `path`, without [`OWN`].
pub(crate) fn keys_of(path: &str) -> Vec<String> {
    let mut keys = vec![key(path)];
    if is_entrance(path) {
        let folder = path.rsplit('/').nth(1);
        keys.extend(folder.map(key));
        keys.push(format!("{WIKI}."));
    }
    keys
}

/// Returns true if the file at `path` stands for its folder.
pub(crate) fn is_entrance(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path).to_ascii_lowercase();
    ENTRANCES.contains(&note_stem(&name)) && note_stem(&name) != name
}

/// Names of notes that stand for their folder, the surest first.
pub(crate) const ENTRANCES: [&str; 3] = ["readme", "index", "_index"];

/// Returns a file name without the ending of a note.
pub(crate) fn note_stem(name: &str) -> &str {
    match name.rsplit_once('.') {
        Some((stem, ending)) if !stem.is_empty() && is_note_ending(ending) => stem,
        _ => name,
    }
}

/// Returns true if files with this ending are notes.
pub(crate) fn is_note_ending(ending: &str) -> bool {
    ENDINGS.iter().any(|known| ending.eq_ignore_ascii_case(known))
}

/// Returns true for a place that is not in the project: `https:`, `mailto:`, `C:`.
fn has_scheme(text: &str) -> bool {
    let Some((scheme, _)) = text.split_once(':') else { return false };
    scheme.starts_with(|c: char| c.is_ascii_alphabetic())
        && scheme.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'+' | b'-' | b'.'))
}

/// Decodes `%20` and the like; a text that is then no UTF-8 stays as it is.
fn decode_percent(text: &str) -> Cow<'_, str> {
    if !text.contains('%') {
        return Cow::Borrowed(text);
    }
    let (bytes, mut out, mut at) = (text.as_bytes(), Vec::with_capacity(text.len()), 0);
    while at < bytes.len() {
        let digits = bytes.get(at + 1..at + 3).filter(|_| bytes[at] == b'%');
        let byte = digits
            .and_then(|digits| std::str::from_utf8(digits).ok())
            .and_then(|digits| u8::from_str_radix(digits, 16).ok())
            .filter(|byte| *byte >= b' ');
        out.push(byte.unwrap_or(bytes[at]));
        at += if byte.is_some() { 3 } else { 1 };
    }
    String::from_utf8(out).map_or(Cow::Borrowed(text), Cow::Owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_out_of_the_project_are_none() {
        for away in ["https://a.b/c.md", "mailto:x@y", "//host/a.md", "C:\\x.md", "", "#", "tel:1"] {
            assert_eq!(link_name_and_path(away, false), None, "{away}");
        }
    }

    #[test]
    fn a_link_and_the_file_it_means_share_a_key() {
        let link = |text, by_name| link_name_and_path(text, by_name).expect("a link").0;
        assert_eq!(link("../A%20b.md#x", false), "[[a b");
        assert!(keys_of("docs/A b.md").contains(&link("../A%20b.md#x", false)));
        assert!(keys_of("Notes/Day.md").contains(&link("day", true)));
        assert!(keys_of("src/main.rs").contains(&link("src/main.rs", false)));
        assert!(keys_of("docs/guide/README.md").contains(&link("guide/", false)));
        assert!(keys_of("README.md").contains(&link("../", false)));
        assert_eq!(link("#here", false), OWN);
    }

    #[test]
    fn a_link_comes_apart_again() {
        let spec = link_name_and_path("a/b.md?raw=1#c%20d", false).expect("a link").1;
        assert_eq!(
            NoteLinkTarget::from_spec(&spec),
            Some(NoteLinkTarget { by_name: false, path: "a/b.md", fragment: "c d" })
        );
        let spec = link_name_and_path("Note#Deep#Heading", true).expect("a link").1;
        assert_eq!(
            NoteLinkTarget::from_spec(&spec),
            Some(NoteLinkTarget { by_name: true, path: "Note", fragment: "Deep#Heading" })
        );
    }
}
