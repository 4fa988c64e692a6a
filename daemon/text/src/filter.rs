//! Which paths a query is about: a folder and a glob.
//!
//! A glob means what ripgrep's `-g` means, relative to the workspace root: without a slash it is matched against the
//! file name at any depth, with one against the whole path; `*` and `?` stay within a component, `**` crosses; a
//! leading `!` keeps what does *not* match, and then a folder that matches takes everything below it along. Matching is
//! case-sensitive. Unlike ripgrep's, one filter is one glob (`{a,b}` gives alternatives), and it only narrows: it does not bring
//! in files that the rules of ignoring leave out.

use globset::{GlobBuilder, GlobMatcher};
use hob_base::WsPath;

/// Longest glob taken, in bytes.
pub const MAX_GLOB: usize = 4096;

/// A glob that cannot be understood.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{glob}` is not a glob: {message}")]
pub struct BadGlob {
    /// The glob as it was given (cut when very long).
    pub glob: String,
    /// What is wrong with it.
    pub message: String,
}

/// Decides whether a path is asked about. The default takes every path.
#[derive(Clone, Debug, Default)]
pub struct PathFilter {
    prefix: Option<WsPath>,
    glob: Option<Glob>,
}

#[derive(Clone, Debug)]
struct Glob {
    matcher: GlobMatcher,
    /// `!` in front: what matches is left out.
    inverted: bool,
    /// `/` at the end: only folders match, never a file itself.
    folders_only: bool,
}

impl PathFilter {
    /// Files at or below `prefix` that `glob` lets through; `None` does not restrict.
    ///
    /// # Errors
    /// [`BadGlob`] when the glob is malformed or longer than [`MAX_GLOB`].
    pub fn new(prefix: Option<WsPath>, glob: Option<&str>) -> Result<Self, BadGlob> {
        let prefix = prefix.filter(|prefix| !prefix.is_root());
        Ok(Self { prefix, glob: glob.map(Glob::new).transpose()? })
    }

    /// Whether `path` is asked about.
    #[must_use]
    pub fn admits(&self, path: &WsPath) -> bool {
        self.prefix.as_ref().is_none_or(|prefix| path.is_below(prefix))
            && self.glob.as_ref().is_none_or(|glob| glob.admits(path.as_str()))
    }
}

impl Glob {
    fn new(glob: &str) -> Result<Self, BadGlob> {
        let bad = |message: String| BadGlob { glob: glob.chars().take(200).collect(), message };
        if glob.len() > MAX_GLOB {
            return Err(bad(format!("longer than {MAX_GLOB} bytes")));
        }
        let (inverted, rest) = match glob.strip_prefix('!') {
            Some(rest) => (true, rest),
            None => (false, glob),
        };
        let (folders_only, rest) = match rest.strip_suffix('/') {
            Some(rest) => (true, rest),
            None => (false, rest),
        };
        let matcher = GlobBuilder::new(&anchored(rest))
            .literal_separator(true)
            .backslash_escape(true)
            .build()
            .map_err(|error| bad(error.kind().to_string()))?
            .compile_matcher();
        Ok(Self { matcher, inverted, folders_only })
    }

    fn admits(&self, path: &str) -> bool {
        let matches = !self.folders_only && self.matcher.is_match(path);
        if !self.inverted {
            return matches;
        }
        let mut folders = path.match_indices('/').map(|(at, _)| &path[..at]);
        !matches && !folders.any(|folder| self.matcher.is_match(folder))
    }
}

/// The glob as matched against a whole path: a leading slash says "from the root", no slash at all says "anywhere",
/// and `dir/**` means what is in `dir`, not `dir` itself.
fn anchored(glob: &str) -> String {
    let mut out = match glob.strip_prefix('/') {
        Some(rest) => rest.to_owned(),
        None if glob.contains('/') => glob.to_owned(),
        None => format!("**/{glob}"),
    };
    if out.ends_with("/**") {
        out.push_str("/*");
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn admitted(prefix: &str, glob: Option<&str>, paths: &[&str]) -> Vec<String> {
        let prefix = WsPath::new(prefix).expect("a relative path");
        let filter = PathFilter::new(Some(prefix), glob).expect("a valid glob");
        let paths = paths.iter().map(|p| WsPath::new(p).expect("a relative path"));
        paths.filter(|p| filter.admits(p)).map(|p| p.to_string()).collect()
    }

    #[test]
    fn globs_mean_what_they_mean_to_ripgrep() {
        let tree = ["a.rs", "src/b.rs", "src/deep/c.rs", "src/deep/d.txt", "lib/src/e.rs"];
        let with = |glob| admitted("", Some(glob), &tree);
        assert_eq!(with("*.rs"), ["a.rs", "src/b.rs", "src/deep/c.rs", "lib/src/e.rs"]);
        assert_eq!(with("src/*.rs"), ["src/b.rs"]);
        assert_eq!(with("/*.rs"), ["a.rs"]);
        assert_eq!(with("src/**"), ["src/b.rs", "src/deep/c.rs", "src/deep/d.txt"]);
        assert_eq!(with("**/deep/*.{rs,txt}"), ["src/deep/c.rs", "src/deep/d.txt"]);
        assert_eq!(with("!*.rs"), ["src/deep/d.txt"]);
        assert_eq!(with("!deep"), ["a.rs", "src/b.rs", "lib/src/e.rs"]);
        assert_eq!(with("!deep/"), ["a.rs", "src/b.rs", "lib/src/e.rs"]);
        assert_eq!(with("!b.rs/"), tree);
        assert_eq!(with("src/"), [""; 0]);
        assert_eq!(with("!/src"), ["a.rs", "lib/src/e.rs"]);
        assert_eq!(with("!src/**"), ["a.rs", "lib/src/e.rs"]);
    }

    #[test]
    fn prefix_and_glob_both_restrict() {
        let tree = ["a/x.c", "a/x.h", "ab/x.c"];
        assert_eq!(admitted("a", Some("*.c"), &tree), ["a/x.c"]);
        assert_eq!(admitted("a", None, &tree), ["a/x.c", "a/x.h"]);
        assert_eq!(admitted("", None, &tree), tree);
        assert_eq!(admitted("a/x.c", None, &tree), ["a/x.c"]);
    }

    #[test]
    fn a_broken_glob_is_refused_with_its_reason() {
        let error = PathFilter::new(None, Some("a[")).expect_err("an unclosed class");
        assert_eq!(error.glob, "a[");
        assert!(PathFilter::new(None, Some(&"a".repeat(MAX_GLOB + 1))).is_err());
    }
}
