//! Decides by its path which role a file has in a project: the code that people work on, or something beside
//! it.
//!
//! A user who reports a fault has mostly run an example and read a declaration; the code that must change is
//! elsewhere. The map separates tests and prose; this file only orders the roles.

use hob_map::graph::is_test_path;
use hob_text::ranked::{Term, terms_of};

/// Folders of code that shows or measures the project's own code, or that was written elsewhere.
const SUPPORT_FOLDERS: &[&str] = &[
    "bench",
    "benches",
    "benchmark",
    "benchmarks",
    "benchsuite",
    "demo",
    "demos",
    "dist",
    "doc",
    "docs",
    "example",
    "examples",
    "fixtures",
    "node_modules",
    "playground",
    "sample",
    "samples",
    "sandbox",
    "script",
    "scripts",
    "test-utils",
    "test_utils",
    "testdata",
    "testing",
    "third_party",
    "vendor",
];

/// Endings of files that hold data, styles or settings.
const DATA_ENDINGS: &[&str] = &[
    "cfg", "css", "htm", "html", "ini", "json", "lock", "scss", "sh", "sql", "svg", "toml", "txt", "xml",
    "yaml", "yml",
];

/// Endings of files that only declare the interfaces of other code.
const DECLARATION_ENDINGS: &[&str] = &[".d.ts", ".d.cts", ".d.mts", ".pyi"];

/// The words of a question that ask for tests.
const TEST_WORDS: &[&str] = &["test", "tests"];

/// The words of a question that ask for prose.
const PROSE_WORDS: &[&str] = &["doc", "docs", "documentation", "readme", "changelog", "guide", "tutorial"];

/// The role of a file in a project.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum FileRole {
    /// Code of the project.
    #[default]
    Code,
    /// Declarations of types alone, beside the code that they describe.
    Declarations,
    /// Examples, benchmarks, scripts, foreign code, data.
    Support,
    /// Tests and the files beside them.
    Test,
    /// Text for people.
    Prose,
}

impl FileRole {
    /// Returns the role of the file at `path`. A role that one of the `asked` words of a question names
    /// counts as code: a user who asks about the benchmarks means them.
    #[must_use]
    pub fn of_path(path: &str, is_prose: bool, asked: &[Term]) -> Self {
        let is_asked = |names: &[&str]| asked.iter().any(|term| names.contains(&term.word.as_str()));
        let (folders, name) = path.rsplit_once('/').unwrap_or(("", path));
        if is_test_path(path) {
            return if is_asked(TEST_WORDS) { Self::Code } else { Self::Test };
        }
        if is_prose {
            return if is_asked(PROSE_WORDS) { Self::Code } else { Self::Prose };
        }
        let support = folders.split('/').find(|folder| SUPPORT_FOLDERS.contains(folder));
        if let Some(folder) = support {
            let means_it =
                terms_of(folder).first().is_some_and(|own| asked.iter().any(|term| term.stem == own.stem));
            return if means_it { Self::Code } else { Self::Support };
        }
        match name.rsplit_once('.') {
            _ if DECLARATION_ENDINGS.iter().any(|ending| name.ends_with(ending)) => Self::Declarations,
            Some((_, ending)) if DATA_ENDINGS.contains(&ending) && !is_asked(&[ending]) => Self::Support,
            _ => Self::Code,
        }
    }
}

#[cfg(test)]
mod tests {
    use hob_text::ranked::terms_of;

    use super::FileRole;

    fn role(path: &str, question: &str) -> FileRole {
        FileRole::of_path(path, path.ends_with(".md"), &terms_of(question))
    }

    #[test]
    fn a_path_says_what_is_not_the_projects_own_code() {
        for (path, expected) in [
            ("src/diff/props.js", FileRole::Code),
            ("src/index.d.ts", FileRole::Declarations),
            ("demo/list.jsx", FileRole::Support),
            ("dist/axios.cjs", FileRole::Support),
            ("package.json", FileRole::Support),
            ("src/documents/model.py", FileRole::Code),
            ("tests/test_a.py", FileRole::Test),
            ("README.md", FileRole::Prose),
        ] {
            assert_eq!(role(path, "Setting a value crashes"), expected, "{path}");
        }
    }

    #[test]
    fn a_question_may_mean_what_is_beside_the_code() {
        assert_eq!(role("benchmarks/run.rs", "the benchmark prints nothing"), FileRole::Code);
        assert_eq!(role("docs/guide.md", "documentation of hooks is wrong"), FileRole::Code);
        assert_eq!(role("tests/test_a.py", "the test of pairing is slow"), FileRole::Code);
        assert_eq!(role("app/theme.css", "css of the sidebar"), FileRole::Code);
        assert_eq!(role("demo/list.jsx", "the benchmark prints nothing"), FileRole::Support);
    }
}
