//! Decides which paths belong to a query: a folder and a glob.
//!
//! A glob means what ripgrep's `-g` means, relative to the workspace root: without a slash it is matched
//! against the file name at any depth, with one against the whole path; `*` and `?` stay within a component,
//! `**` crosses; a leading `!` keeps the paths that do *not* match, and a folder that matches then excludes
//! everything below it. Matching is case-sensitive. Unlike ripgrep's, one filter is one glob (`{a,b}` gives
//! alternatives), and it only narrows: it does not include ignored files.

use std::fmt;
use std::sync::Arc;

use globset::{GlobBuilder, GlobMatcher};
use hob_base::WsPath;

/// Length of the longest glob, in bytes.
pub const MAX_GLOB: usize = 4096;

/// A malformed glob.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{glob}` is not a glob: {message}")]
pub struct BadGlob {
    /// The glob of the caller (cut when very long).
    pub glob: String,
    /// The fault of the glob, in words.
    pub message: String,
}

/// A caller's own test of paths.
#[derive(Clone)]
pub struct Admits(pub Arc<dyn Fn(&WsPath) -> bool + Send + Sync>);

impl fmt::Debug for Admits {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Admits")
    }
}

/// A list of prefixes and globs that include or exclude paths. The default includes every path.
#[derive(Clone, Debug, Default)]
pub struct PathSet {
    taken: Vec<PathSetEntry>,
    left_out: Vec<PathSetEntry>,
}

#[derive(Clone, Debug)]
enum PathSetEntry {
    /// Paths at or below this one.
    Within(WsPath),
    /// Paths at or below this one, and the module file beside it.
    Below(WsPath),
    Glob(Glob),
}

impl PathSet {
    /// Includes the paths at or below `prefix`, and the module file beside it: `src/commands` means
    /// `src/commands.rs` too.
    pub fn take_below(&mut self, prefix: WsPath) {
        self.taken.push(PathSetEntry::Below(prefix));
    }

    /// Includes the paths at or below `prefix`, and nothing else.
    pub fn take_within(&mut self, prefix: WsPath) {
        self.taken.push(PathSetEntry::Within(prefix));
    }

    /// Excludes the paths that [`Self::take_below`] would include.
    pub fn leave_below(&mut self, prefix: WsPath) {
        self.left_out.push(PathSetEntry::Below(prefix));
    }

    /// Excludes the paths that [`Self::take_within`] would include.
    pub fn leave_within(&mut self, prefix: WsPath) {
        self.left_out.push(PathSetEntry::Within(prefix));
    }

    /// Includes the paths that a glob matches, or with `!` before it, excludes those and the paths below
    /// them.
    ///
    /// # Errors
    /// [`BadGlob`].
    pub fn add_glob(&mut self, glob: &str) -> Result<(), BadGlob> {
        let glob = Glob::new(glob)?;
        let list = if glob.inverted { &mut self.left_out } else { &mut self.taken };
        list.push(PathSetEntry::Glob(glob));
        Ok(())
    }

    /// Includes or excludes as [`Self::add_glob`] does, but a glob that matches a folder applies to the paths
    /// below it.
    ///
    /// # Errors
    /// [`BadGlob`].
    pub fn glob_below(&mut self, glob: &str) -> Result<(), BadGlob> {
        self.add_glob(glob)?;
        if glob.starts_with('!') {
            return Ok(());
        }
        self.add_glob(&format!("{}/**", glob.trim_end_matches('/')))
    }

    /// Returns true if every path is in the scope.
    #[must_use]
    pub fn is_all(&self) -> bool {
        self.taken.is_empty() && self.left_out.is_empty()
    }

    /// Returns true if a path is in the scope.
    #[must_use]
    pub fn admits(&self, path: &WsPath) -> bool {
        let is_taken = |entry: &PathSetEntry| entry.has(path);
        !self.leaves_out(path) && (self.taken.is_empty() || self.taken.iter().any(is_taken))
    }

    /// Returns paths at, below or right beside which every included path is; `None` if that is not known.
    #[must_use]
    pub fn taken_prefixes(&self) -> Option<Vec<&WsPath>> {
        if self.taken.is_empty() {
            return None;
        }
        let prefixes = self.taken.iter().map(|entry| match entry {
            PathSetEntry::Within(prefix) | PathSetEntry::Below(prefix) => Some(prefix),
            PathSetEntry::Glob(_) => None,
        });
        prefixes.collect()
    }

    /// Returns true if every path at or below each of [`Self::taken_prefixes`] is in the scope, also if there are none.
    #[must_use]
    pub fn takes_whole_folders(&self) -> bool {
        self.left_out.is_empty() && !self.taken.iter().any(|entry| matches!(entry, PathSetEntry::Glob(_)))
    }

    /// Returns true if a path is excluded, whatever else includes it.
    #[must_use]
    pub fn leaves_out(&self, path: &WsPath) -> bool {
        self.left_out.iter().any(|entry| entry.has(path))
    }
}

/// A set of paths as regexes, for a search that does not know this type.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct PathRegexes {
    /// Each path of the set matches one of these, unless there are none and the set includes every path.
    pub taken: Vec<String>,
    /// Patterns whose matches are not in the set. The set may exclude other paths as well.
    pub left_out: Vec<String>,
}

impl PathSet {
    /// Converts the set to regexes.
    #[must_use]
    pub fn to_regexes(&self) -> PathRegexes {
        let taken = self.taken.iter().map(PathSetEntry::to_regex).collect();
        // A `?` means one byte here, and one character in the regexes.
        let is_sure =
            |entry: &&PathSetEntry| !matches!(entry, PathSetEntry::Glob(glob) if glob.text().contains('?'));
        let left_out = self.left_out.iter().filter(is_sure).map(PathSetEntry::to_regex).collect();
        PathRegexes { taken, left_out }
    }

    /// Returns true if the set includes every path that it does not exclude.
    #[must_use]
    pub fn takes_all(&self) -> bool {
        self.taken.is_empty()
    }
}

impl PathSetEntry {
    fn has(&self, path: &WsPath) -> bool {
        match self {
            Self::Within(prefix) => path.is_below(prefix),
            Self::Below(prefix) => is_of(path, prefix),
            Self::Glob(glob) => glob.admits(path.as_str()) != glob.inverted,
        }
    }

    fn to_regex(&self) -> String {
        match self {
            Self::Within(prefix) | Self::Below(prefix) if prefix.is_root() => "^".to_owned(),
            Self::Within(prefix) => format!("^{}(?:/|$)", regex_syntax::escape(prefix.as_str())),
            Self::Below(prefix) => {
                format!("^{}(?:/|\\.[^./]*$|$)", regex_syntax::escape(prefix.as_str()))
            }
            Self::Glob(glob) => {
                let regex = glob.matcher.glob().regex();
                match regex.strip_suffix('$').filter(|_| glob.inverted) {
                    Some(start) => format!("{start}(?:/|$)"),
                    None => regex.to_owned(),
                }
            }
        }
    }
}

/// Returns true if a path is at or below a prefix, or is the module file of the prefix.
fn is_of(path: &WsPath, prefix: &WsPath) -> bool {
    let is_beside = || {
        let rest = path.as_str().strip_prefix(prefix.as_str()).and_then(|rest| rest.strip_prefix('.'));
        rest.is_some_and(|ending| !ending.contains(['.', '/']))
    };
    prefix.is_root() || path.is_below(prefix) || is_beside()
}

/// Decides whether a path belongs to the query. The default includes every path.
#[derive(Clone, Debug, Default)]
pub struct PathFilter {
    prefix: Option<WsPath>,
    glob: Option<Glob>,
    admits: Option<Admits>,
}

#[derive(Clone, Debug)]
struct Glob {
    matcher: GlobMatcher,
    /// True for a glob with `!` in front: it excludes its matches.
    inverted: bool,
    /// True for a glob with `/` at the end: only folders match, never a file itself.
    folders_only: bool,
}

impl PathFilter {
    /// Creates a filter for files at or below `prefix` that `glob` admits; `None` does not restrict.
    ///
    /// # Errors
    /// [`BadGlob`] when the glob is malformed or longer than [`MAX_GLOB`].
    pub fn new(prefix: Option<WsPath>, glob: Option<&str>) -> Result<Self, BadGlob> {
        let prefix = prefix.filter(|prefix| !prefix.is_root());
        Ok(Self { prefix, glob: glob.map(Glob::new).transpose()?, admits: None })
    }

    /// Returns the filter restricted to paths that pass a test.
    #[must_use]
    pub fn and_admitted(self, admits: Option<Admits>) -> Self {
        Self { admits, ..self }
    }

    /// Returns true if `path` belongs to the query.
    #[must_use]
    pub fn admits(&self, path: &WsPath) -> bool {
        self.prefix.as_ref().is_none_or(|prefix| path.is_below(prefix))
            && self.glob.as_ref().is_none_or(|glob| glob.admits(path.as_str()))
            && self.admits.as_ref().is_none_or(|Admits(admits)| admits(path))
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
        let matcher = GlobBuilder::new(&anchor_glob(rest))
            .literal_separator(true)
            .backslash_escape(true)
            .build()
            .map_err(|error| bad(error.kind().to_string()))?
            .compile_matcher();
        Ok(Self { matcher, inverted, folders_only })
    }

    fn text(&self) -> &str {
        self.matcher.glob().glob()
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

/// Returns the glob to match against a whole path: a leading slash means "from the root", no slash at all
/// "anywhere", and `dir/**` matches the paths in `dir`, not `dir` itself.
fn anchor_glob(glob: &str) -> String {
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

    fn admitted_paths(prefix: &str, glob: Option<&str>, paths: &[&str]) -> Vec<String> {
        let prefix = WsPath::new(prefix).expect("a relative path");
        let filter = PathFilter::new(Some(prefix), glob).expect("a valid glob");
        let paths = paths.iter().map(|p| WsPath::new(p).expect("a relative path"));
        paths.filter(|p| filter.admits(p)).map(|p| p.to_string()).collect()
    }

    #[test]
    fn globs_mean_what_they_mean_to_ripgrep() {
        let tree = ["a.rs", "src/b.rs", "src/deep/c.rs", "src/deep/d.txt", "lib/src/e.rs"];
        let with = |glob| admitted_paths("", Some(glob), &tree);
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
    fn a_set_says_itself_as_regexes() {
        let mut set = PathSet::default();
        assert_eq!(set.to_regexes(), PathRegexes::default());
        set.take_below(WsPath::new("src/a+b").expect("a relative path"));
        set.add_glob("*.rs").expect("a glob");
        set.add_glob("!vendor").expect("a glob");
        set.add_glob("!x?").expect("a glob");
        let PathRegexes { taken, left_out } = set.to_regexes();
        let matches = |regex: &str, path: &str| {
            regex::bytes::Regex::new(regex).expect("a regex").is_match(path.as_bytes())
        };
        for (path, is_in) in
            [("src/a+b/c.py", [true, false]), ("src/a+b.py", [true, false]), ("x/y.rs", [false, true])]
        {
            assert_eq!([&taken[0], &taken[1]].map(|regex| matches(regex, path)), is_in, "{path}");
        }
        assert_eq!(left_out.len(), 1);
        assert!(matches(&left_out[0], "a/vendor/b.rs") && !matches(&left_out[0], "a/vendored/b.rs"));
    }

    #[test]
    fn prefix_and_glob_both_restrict() {
        let tree = ["a/x.c", "a/x.h", "ab/x.c"];
        assert_eq!(admitted_paths("a", Some("*.c"), &tree), ["a/x.c"]);
        assert_eq!(admitted_paths("a", None, &tree), ["a/x.c", "a/x.h"]);
        assert_eq!(admitted_paths("", None, &tree), tree);
        assert_eq!(admitted_paths("a/x.c", None, &tree), ["a/x.c"]);
    }

    #[test]
    fn a_set_takes_and_leaves_out() {
        let tree = [
            "src/commands.rs",
            "src/commands/typed.rs",
            "src/commands.test.rs",
            "src/main.rs",
            "lib/commands.rs",
        ];
        let with = |taken: &[&str], globs: &[&str]| {
            let mut set = PathSet::default();
            taken.iter().for_each(|prefix| set.take_below(WsPath::new(prefix).expect("a relative path")));
            globs.iter().for_each(|glob| set.add_glob(glob).expect("a valid glob"));
            let paths = || tree.iter().map(|p| WsPath::new(p).expect("a relative path"));
            // What stands below a prefix needs no test exactly if nothing else decides.
            assert_eq!(set.takes_whole_folders(), globs.is_empty());
            if set.takes_whole_folders() {
                let prefixes = set.taken_prefixes().unwrap_or_default();
                assert!(paths().all(|p| set.admits(&p) || !prefixes.iter().any(|prefix| p.is_below(prefix))));
            }
            paths().filter(|p| set.admits(p)).map(|p| p.to_string()).collect::<Vec<_>>()
        };
        assert_eq!(with(&["src/commands"], &[]), ["src/commands.rs", "src/commands/typed.rs"]);
        assert_eq!(with(&["src/commands"], &["!typed.rs"]), ["src/commands.rs"]);
        assert_eq!(with(&[], &["!src"]), ["lib/commands.rs"]);
        assert_eq!(with(&["lib"], &["src/m*"]), ["src/main.rs", "lib/commands.rs"]);
        assert_eq!(with(&[], &[]), tree);
    }

    #[test]
    fn a_broken_glob_is_refused_with_its_reason() {
        let error = PathFilter::new(None, Some("a[")).expect_err("an unclosed class");
        assert_eq!(error.glob, "a[");
        assert!(PathFilter::new(None, Some(&"a".repeat(MAX_GLOB + 1))).is_err());
    }
}
