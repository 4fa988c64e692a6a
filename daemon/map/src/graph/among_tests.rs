//! Tells tests from other code: by the conventions of a language (attributes, names, modules that are compiled for
//! tests alone), and by the path of a file. Every answer that excludes tests, or ranks them last, asks here.

use hob_base::FileId;

use super::{DefRef, Map, NodeRef};
use crate::facts::DefFlags;

impl Map {
    /// Returns true if a node is a test: by its language's conventions, or, where these mark no definitions, by its file's name.
    #[must_use]
    pub fn is_test(&self, node: NodeRef) -> bool {
        let Some(entry) = node.file().and_then(|file| self.index.entry(file)) else { return false };
        let NodeRef::Def(def) = node else { return is_test_file(entry.path.as_str()) };
        let marked =
            |at: DefRef| entry.facts.defs.get(at.def.index()).is_some_and(|d| d.flags.has(DefFlags::TEST));
        marked(def)
            || self.ancestors_of(def).into_iter().any(marked)
            || (!entry.lang().semantics().marks_tests && is_test_file(entry.path.as_str()))
    }

    /// Returns true if a node is a test or lies where tests are.
    #[must_use]
    pub fn is_among_tests(&self, node: NodeRef) -> bool {
        let path = node.file().and_then(|file| self.file(file)).map(|(path, _)| path);
        path.is_some_and(|path| is_test_path(path.as_str())) || self.is_test(node)
    }

    /// Returns the first and last lines of the definitions of a file that are tests; they may overlap. Empty if no
    /// definition is marked as a test: then only the file's path says whether it holds tests.
    #[must_use]
    pub fn test_lines(&self, file: FileId) -> Vec<(u32, u32)> {
        let Some(entry) = self.index.entry(file) else { return Vec::new() };
        if !entry.facts.defs.iter().any(|def| def.flags.has(DefFlags::TEST)) {
            return Vec::new();
        }
        let tests =
            entry.facts.defs_indexed().filter(|(def, _)| self.is_test(DefRef { file, def: *def }.into()));
        tests.map(|(_, def)| def.lines).collect()
    }
}

/// Returns true if a path is that of a file of tests, or of something in a folder of tests.
#[must_use]
pub fn is_test_path(path: &str) -> bool {
    let folders = path.rsplit_once('/').map_or("", |(folders, _)| folders);
    let is_of_tests =
        |folder: &str| matches!(folder, "test" | "tests" | "spec" | "specs" | "__tests__" | "__test__");
    is_test_file(path) || is_rust_tests(path) || folders.split('/').any(is_of_tests)
}

/// Returns true if a path is that of a file of tests, as most runners look for them.
fn is_test_file(path: &str) -> bool {
    let (folders, name) = path.rsplit_once('/').unwrap_or(("", path));
    let stem = name.split('.').next().unwrap_or(name);
    let lower = stem.to_ascii_lowercase();
    let by_name = lower.starts_with("test_") || lower.ends_with("_test") || lower.ends_with("_spec");
    let by_case = stem.ends_with("Test") || stem.ends_with("Tests") || stem.ends_with("Spec");
    let by_ending = name.contains(".test.") || name.contains(".spec.");
    by_name || by_case || by_ending || folders.split('/').any(|folder| folder == "__tests__")
}

/// Returns true if a path is that of the file of `#[cfg(test)] mod tests;`.
fn is_rust_tests(path: &str) -> bool {
    path.ends_with("/tests.rs")
}

#[cfg(test)]
mod tests {
    use super::{is_test_file, is_test_path};

    #[test]
    fn files_of_tests_are_known_by_their_names() {
        for path in [
            "a/test_x.py",
            "x_test.go",
            "src/a.test.ts",
            "a.spec.js",
            "com/CartTest.java",
            "a/__tests__/b.js",
        ] {
            assert!(is_test_file(path), "{path}");
        }
        for path in ["contest.py", "latest.go", "src/a.ts", "tests/helpers.py"] {
            assert!(!is_test_file(path), "{path}");
        }
        assert!(is_test_path("src/serve/tests.rs") && !is_test_path("src/contests.rs"));
    }
}
