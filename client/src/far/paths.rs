//! Maps folders of the far side to folders of the near side.
//!
//! The user's options say which folders are the same (`--map REMOTE=LOCAL`); all other paths pass unchanged. The
//! longest folder wins. In a `file:` URI any character of a folder may be encoded.

use std::borrow::Cow;
use std::fmt::Write as _;

/// A folder by its path on both sides, each absolute and without a separator at its end.
#[derive(Clone, Debug, PartialEq, Eq)]
struct PathPair {
    far: String,
    near: String,
}

/// The folders that both sides have.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct FarPaths {
    pairs: Vec<PathPair>,
    /// True if the user named the project, so that no folder of the near side counts.
    is_fixed: bool,
}

/// The direction of a translation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PathsTo {
    Far,
    Near,
}

const SCHEME: &str = "file://";

impl FarPaths {
    /// Creates a translation from pairs of far and near folders.
    pub(crate) fn new(pairs: Vec<(String, String)>, is_fixed: bool) -> Self {
        let trimmed = |path: String| path.trim_end_matches(['/', '\\']).to_owned();
        let pairs = pairs.into_iter().map(|(far, near)| PathPair { far: trimmed(far), near: trimmed(near) });
        Self { pairs: pairs.filter(|pair| !pair.far.is_empty() && !pair.near.is_empty()).collect(), is_fixed }
    }

    /// Returns true if no path differs between the sides.
    pub(crate) fn is_empty(&self) -> bool {
        self.pairs.is_empty()
    }

    /// Returns the folder where the daemon looks for the project of a call; `None` for that of the connection.
    pub(crate) fn far_root(&self, near: Option<&str>) -> Option<String> {
        near.filter(|_| !self.is_fixed).and_then(|near| self.swap_start(near, PathsTo::Far))
    }

    /// Translates the folder at the start of a text, if it is a mapped one: as a path, or as a `file:` URI.
    pub(crate) fn swap_start(&self, text: &str, to: PathsTo) -> Option<String> {
        if let Some(path) = text.strip_prefix(SCHEME) {
            return self.swap_uri_path(path, to).map(|path| format!("{SCHEME}{path}"));
        }
        let (_, path) =
            self.longest(to, |from| text.strip_prefix(from).filter(|rest| is_end(rest)), false)?;
        Some(path)
    }

    fn swap_uri_path(&self, path: &str, to: PathsTo) -> Option<String> {
        self.longest(to, |from| strip_encoded(path, from).filter(|rest| is_end(rest)), true)
            .map(|(_, path)| path)
    }

    /// Returns the longest of the folders that `strip` finds at a start, as its length and the path on the other side.
    fn longest<'t>(
        &self,
        to: PathsTo,
        strip: impl Fn(&str) -> Option<&'t str>,
        in_uri: bool,
    ) -> Option<(usize, String)> {
        let found = self.pairs.iter().filter_map(|pair| {
            let (from, into) = match to {
                PathsTo::Far => (&pair.near, &pair.far),
                PathsTo::Near => (&pair.far, &pair.near),
            };
            let path = match in_uri {
                true => format!("{}{}", encode(&uri_path(into)), strip(&uri_path(from))?),
                false => format!("{into}{}", with_separators(strip(from)?, from, into)),
            };
            Some((from.len(), path))
        });
        found.max_by_key(|(length, _)| *length)
    }

    /// Translates every far folder in the text. A path in quotes stays as it is: answers write paths without quotes,
    /// and source with them.
    pub(crate) fn name_near<'t>(&self, text: &'t str) -> Cow<'t, str> {
        let (mut out, mut done, mut at) = (String::new(), 0, 0);
        while let Some(found) = text[at..].find('/').map(|found| at + found) {
            at = found + 1;
            let before = &text[..found];
            let in_uri = before.ends_with(SCHEME);
            if !in_uri && before.ends_with(is_inside_path) {
                continue;
            }
            let rest = &text[found..];
            let ended =
                |rest: &&str| is_end(rest) || !rest.starts_with(is_inside_path) || ends_sentence(rest);
            let pair = self.pairs.iter().filter_map(|pair| {
                let behind = match in_uri {
                    true => strip_encoded(rest, &pair.far),
                    false => rest.strip_prefix(&*pair.far),
                };
                behind.filter(ended).map(|behind| (pair, behind))
            });
            let Some((pair, behind)) = pair.max_by_key(|(pair, _)| pair.far.len()) else { continue };
            out.push_str(&text[done..found]);
            out.push_str(&if in_uri { encode(&uri_path(&pair.near)) } else { pair.near.clone() });
            done = text.len() - behind.len();
            at = done;
        }
        if done == 0 { Cow::Borrowed(text) } else { Cow::Owned(out + &text[done..]) }
    }
}

/// Returns true if a folder's name ends before this text.
fn is_end(rest: &str) -> bool {
    rest.is_empty() || rest.starts_with(['/', '\\', ':', '#', '?'])
}

fn is_inside_path(c: char) -> bool {
    c.is_alphanumeric() || "/._-~%+@\"'".contains(c)
}

/// Returns true for a full stop, or a closing quote, behind a path.
fn ends_sentence(rest: &str) -> bool {
    let mut chars = rest.chars();
    chars.next().is_some_and(|c| ".\"'".contains(c)) && chars.next().is_none_or(|c| !is_inside_path(c))
}

/// Returns the rest of a path with the separators of the other side.
fn with_separators<'r>(rest: &'r str, from: &str, into: &str) -> Cow<'r, str> {
    match (from.contains('\\'), into.contains('\\')) {
        (true, false) => Cow::Owned(rest.replace('\\', "/")),
        (false, true) => Cow::Owned(rest.replace('/', "\\")),
        _ => Cow::Borrowed(rest),
    }
}

/// Returns a path in the form of a URI, not yet encoded: `C:\x` becomes `/C:/x`.
fn uri_path(path: &str) -> String {
    let path = if path.contains('\\') { path.replace('\\', "/") } else { path.to_owned() };
    if path.starts_with('/') { path } else { format!("/{path}") }
}

fn encode(path: &str) -> String {
    let mut out = String::with_capacity(path.len());
    for byte in path.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'/' | b'-' | b'.' | b'_' | b'~' => {
                out.push(char::from(byte));
            }
            // Writing to a string cannot fail.
            byte => drop(write!(out, "%{byte:02X}")),
        }
    }
    out
}

/// Returns the rest of an encoded text after `plain`, whatever characters are encoded.
fn strip_encoded<'t>(text: &'t str, plain: &str) -> Option<&'t str> {
    let mut rest = text;
    for byte in plain.bytes() {
        let (read, length) = match rest.as_bytes() {
            [b'%', high, low, ..] => (hex(*high)? * 16 + hex(*low)?, 3),
            [read, ..] => (*read, 1),
            [] => return None,
        };
        if read != byte {
            return None;
        }
        // The text may be cut within a character here, which no folder's name can follow.
        rest = rest.get(length..)?;
    }
    Some(rest)
}

fn hex(digit: u8) -> Option<u8> {
    char::from(digit).to_digit(16).and_then(|digit| u8::try_from(digit).ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shop_paths() -> FarPaths {
        let pair = |far: &str, near: &str| (far.to_owned(), near.to_owned());
        FarPaths::new(
            vec![
                pair("/srv/shop", "/home/me/my shop"),
                pair("/srv/shop/api/", "/home/me/api"),
                pair("/win", "C:\\w"),
            ],
            false,
        )
    }

    #[test]
    fn the_longest_folder_at_the_start_is_swapped() {
        let to = |text: &str, to| shop_paths().swap_start(text, to);
        for (far, near) in [
            ("/srv/shop", "/home/me/my shop"),
            ("/srv/shop/a.py:3", "/home/me/my shop/a.py:3"),
            ("/srv/shop/api/b.py#f", "/home/me/api/b.py#f"),
            ("file:///srv/shop/a%20b.py", "file:///home/me/my%20shop/a%20b.py"),
            ("/win/a/b", "C:\\w\\a\\b"),
            ("file:///win/a", "file:///C%3A/w/a"),
        ] {
            assert_eq!(to(far, PathsTo::Near).as_deref(), Some(near));
            assert_eq!(to(near, PathsTo::Far).as_deref(), Some(far));
        }
        assert_eq!(to("file:///home/m%65/my%20shop/a", PathsTo::Far).as_deref(), Some("file:///srv/shop/a"));
        for other in
            ["/srv/shopping", "srv/shop", "/home/me/my shop/a", "file:///srv/shop2", "http:///srv/shop"]
        {
            assert_eq!(to(other, PathsTo::Near), None, "{other}");
        }
    }

    #[test]
    fn a_folder_is_named_anew_where_a_path_begins_and_not_in_source() {
        let text = "root: /srv/shop\n[`/srv/shop/a.py` of /srv/shop.] x/srv/shop /srv/shops (file:///srv/shop/b) \"/srv/shop\"";
        let expected = "root: /home/me/my shop\n[`/home/me/my shop/a.py` of /home/me/my shop.] x/srv/shop /srv/shops \
                        (file:///home/me/my%20shop/b) \"/srv/shop\"";
        assert_eq!(shop_paths().name_near(text), expected);
        assert!(matches!(shop_paths().name_near("nothing / here"), Cow::Borrowed(_)));
    }

    #[test]
    fn the_root_of_a_call_is_the_connections_own_unless_a_folder_covers_it() {
        assert_eq!(shop_paths().far_root(Some("/home/me/api/x")).as_deref(), Some("/srv/shop/api/x"));
        assert_eq!(shop_paths().far_root(Some("/elsewhere")), None);
        let fixed = FarPaths { is_fixed: true, ..shop_paths() };
        assert_eq!(fixed.far_root(Some("/home/me/api/x")), None);
    }
}
