//! Writes a question in Zoekt's query language.
//!
//! The language separates its parts by spaces; a part may be in quotes, in which a backslash precedes a quote
//! and a backslash and means nothing else. This module puts every pattern in quotes, so that no pattern can
//! become a part of the language. A bracket must have a space behind it, or Zoekt reads it as a part of a
//! pattern.

use crate::pattern::{Translation, quoted_text};

/// A part of the query that restricts it to some files.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct PathClause {
    /// Only files of the repository with this name.
    pub repository: Option<String>,
    /// A regex of RE2 over the path in the repository.
    pub path: Option<String>,
}

/// A question for lines.
#[derive(Clone, Debug, Default)]
pub struct QueryDraft {
    /// Patterns of RE2 for contents; a file matches with any of them.
    pub contents: Vec<String>,
    /// True if file names are searched as well.
    pub names_too: bool,
    /// True if the query distinguishes upper and lower case.
    pub case_sensitive: bool,
    /// The query is restricted to files of any of these; empty for all files.
    pub taken: Vec<PathClause>,
    /// The query excludes files of any of these, as far as the server can be told: in a query without regard
    /// to case, only whole repositories. So the reader of the answer excludes them once more.
    pub left_out: Vec<PathClause>,
    /// Names of repositories that the query excludes.
    pub without: Vec<String>,
    /// The versions that the query searches, where files may have several.
    pub versions: Versions,
}

/// The versions of files that a query searches.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub enum Versions {
    /// All indexed versions, because no repository has several.
    #[default]
    All,
    /// The first indexed branch; and all files of these repositories, which were indexed without branches and
    /// so are on none.
    FirstBranch(Vec<String>),
}

impl QueryDraft {
    /// Creates a query for the lines that a pattern matches.
    #[must_use]
    pub fn of_lines(translation: &Translation) -> Self {
        let contents = vec![translation.re2.clone()];
        Self { contents, case_sensitive: translation.case_sensitive, ..Self::default() }
    }

    /// Creates a query for files with any of these words, in any case, in text or name.
    #[must_use]
    pub fn of_words<'w>(words: impl IntoIterator<Item = &'w str>) -> Self {
        Self { contents: words.into_iter().map(quoted_text).collect(), names_too: true, ..Self::default() }
    }

    /// Writes the query as text.
    #[must_use]
    pub fn to_text(&self) -> String {
        let field = if self.names_too { "regex" } else { "content" };
        let contents = self.contents.iter().map(|pattern| field_text(field, pattern));
        let mut parts = vec![any_of(contents.collect())];
        if !self.taken.is_empty() {
            parts.push(any_of(self.taken.iter().map(PathClause::to_text).collect()));
        }
        // `case:no` applies to names of files as well: it would exclude `vendor` for `Vendor`.
        let can_leave_out = |clause: &&PathClause| self.case_sensitive || clause.path.is_none();
        parts.extend(self.left_out.iter().filter(can_leave_out).map(PathClause::to_negated_text));
        let without = self.without.iter().map(|name| PathClause::of_repository(name));
        parts.extend(without.map(|clause| clause.to_negated_text()));
        if let Versions::FirstBranch(others) = &self.versions {
            let others = others.iter().map(|name| PathClause::of_repository(name).to_text());
            parts.push(any_of(std::iter::once("branch:HEAD".to_owned()).chain(others).collect()));
        }
        parts.push(format!("case:{}", if self.case_sensitive { "yes" } else { "no" }));
        parts.join(" ")
    }
}

impl PathClause {
    /// Returns the clause for all files of a repository.
    #[must_use]
    pub fn of_repository(name: &str) -> Self {
        Self { repository: Some(name.to_owned()), path: None }
    }

    /// Returns the clause for the files whose paths a regex of RE2 matches, in every repository.
    #[must_use]
    pub fn of_path(regex: String) -> Self {
        Self { repository: None, path: Some(regex) }
    }

    fn to_text(&self) -> String {
        match self.parts().as_slice() {
            [] => field_text("file", ""),
            [only] => only.clone(),
            both => format!("( {} )", both.join(" ")),
        }
    }

    /// Writes the clause for all other files. Zoekt accepts no group behind a `-`, so each part is negated by
    /// itself.
    fn to_negated_text(&self) -> String {
        match self.parts().as_slice() {
            [] => format!("-{}", field_text("file", "")),
            parts => any_of(parts.iter().map(|part| format!("-{part}")).collect()),
        }
    }

    fn parts(&self) -> Vec<String> {
        let repository = self.repository.as_ref();
        let repository = repository.map(|name| field_text("repo", &format!("^{}$", quoted_text(name))));
        let path = self.path.as_ref().map(|path| field_text("file", path));
        repository.into_iter().chain(path).collect()
    }
}

/// Writes one part: a field and its pattern, in quotes.
fn field_text(field: &str, pattern: &str) -> String {
    let escaped = pattern.replace('\\', r"\\").replace('"', "\\\"");
    format!("{field}:\"{escaped}\"")
}

fn any_of(parts: Vec<String>) -> String {
    match parts.as_slice() {
        [only] => only.clone(),
        _ => format!("( {} )", parts.join(" or ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pattern::translate_pattern;

    #[test]
    fn a_pattern_is_in_quotes() {
        let translation = translate_pattern(r#"say\("hi\\n" or case:no"#).expect("it can be said");
        let text = QueryDraft::of_lines(&translation).to_text();
        assert_eq!(text, r#"content:"say\\(\"hi\\\\n\" or case:no" case:yes"#);
    }

    #[test]
    fn paths_and_repositories_narrow() {
        let draft = QueryDraft {
            taken: vec![
                PathClause::of_path("^src(?:/|$)".to_owned()),
                PathClause { repository: Some("acme/web.js".to_owned()), path: Some("^lib".to_owned()) },
            ],
            left_out: vec![PathClause::of_path("_test\\.go$".to_owned())],
            without: vec!["github.com/acme/hob".to_owned()],
            versions: Versions::FirstBranch(vec!["plain".to_owned()]),
            case_sensitive: true,
            ..QueryDraft::of_words(["a+b", "cookie"])
        };
        assert_eq!(
            draft.to_text(),
            concat!(
                r#"( regex:"a\\+b" or regex:"cookie" ) "#,
                r#"( file:"^src(?:/|$)" or ( repo:"^acme/web\\.js$" file:"^lib" ) ) "#,
                r#"-file:"_test\\.go$" -repo:"^github\\.com/acme/hob$" "#,
                r#"( branch:HEAD or repo:"^plain$" ) case:yes"#
            )
        );
    }

    #[test]
    fn a_part_of_a_repository_is_left_out_without_a_negated_group() {
        let part = PathClause { repository: Some("acme/web".to_owned()), path: Some("^src".to_owned()) };
        let left_out = vec![part, PathClause::of_path("^Vendor".to_owned()), PathClause::of_repository("a")];
        let draft = QueryDraft { left_out, ..QueryDraft::of_words(["x"]) };
        assert_eq!(draft.to_text(), r#"regex:"x" -repo:"^a$" case:no"#);
        let draft = QueryDraft { case_sensitive: true, ..draft };
        assert_eq!(
            draft.to_text(),
            r#"regex:"x" ( -repo:"^acme/web$" or -file:"^src" ) -file:"^Vendor" -repo:"^a$" case:yes"#
        );
    }
}
