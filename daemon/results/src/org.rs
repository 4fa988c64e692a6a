//! Turns the answers of the organisation's code search into the results of tools; hob's own engine checks
//! each line.

use hob_org::pattern::Translation;
use hob_org::wire::{FoundFile, FoundLine, SearchAnswer};
use hob_proto::tools::ranked::RankedResult;
use hob_proto::tools::text::{PatternCount, TextMatch, TopFile};
use hob_text::found_elsewhere::{CheckedLine, check_line, shown_lines};
use hob_text::{BadPattern, Pattern};

use crate::text::bare_match;

/// Most files that a count names.
const TOP_FILES: usize = 10;
/// The lines of a snippet, and the characters of each.
const SNIPPET: (usize, usize) = (2, 100);

/// The prefix of a path on the server: it is no local path, though an equal one may exist.
pub const ORG_MARK: &str = "org:";

/// A pattern in its local form and in its form for the server.
#[derive(Debug)]
pub struct OrgPattern {
    /// The pattern for the local search.
    pub here: Pattern,
    /// The pattern for the server, which matches at least the same.
    pub there: Translation,
}

/// The files that a question is about.
pub trait OrgScope {
    /// Returns true if the question is about a file of a repository.
    fn admits(&self, repository: &str, path: &str) -> bool;
    /// Returns true if a query with or without regard to case tells the server all of the scope, so that the
    /// server's own counts are within the scope.
    fn is_asked_exactly(&self, case_sensitive: bool) -> bool;
}

/// The lines of an answer that hob's own pattern matches.
#[derive(Debug, Default)]
pub struct OrgLines {
    /// File by file, in the server's order.
    pub files: Vec<OrgFile>,
    /// Number of matching lines.
    pub total_lines: u64,
    /// Number of matches.
    pub total_matches: u64,
    /// Number of files with a match.
    pub files_matched: u64,
    /// True if the totals are exact; otherwise they are lower bounds.
    pub is_whole: bool,
    /// True if the server did not search all of its index.
    pub stopped_early: bool,
    /// Number of lines in the answer that belong to files outside of the scope.
    pub left_out: u64,
}

/// A file with its matching lines.
#[derive(Debug)]
pub struct OrgFile {
    /// [`ORG_MARK`], the name of the repository and the path in it.
    pub path: String,
    /// Number of matches.
    pub matches: u64,
    lines: Vec<(FoundLine, CheckedLine)>,
}

/// Checks the lines of an answer.
///
/// # Errors
/// [`BadPattern`] if the pattern could not be compiled after all.
pub fn check_answer(
    answer: SearchAnswer,
    pattern: &OrgPattern,
    scope: &dyn OrgScope,
) -> Result<OrgLines, BadPattern> {
    let came_files = answer.files.len() as u64;
    let came_lines: u64 = answer.files.iter().map(|file| file.lines.len() as u64).sum();
    let unseen_files = answer.file_count.saturating_sub(came_files);
    let unseen_lines = answer.line_count.saturating_sub(came_lines);
    let mut lines = OrgLines {
        is_whole: unseen_files == 0 && unseen_lines == 0 && answer.looked_at_all,
        stopped_early: !answer.looked_at_all,
        ..OrgLines::default()
    };
    for file in answer.files {
        if !scope.admits(&file.repository, &file.path) {
            lines.left_out += file.lines.len() as u64;
            continue;
        }
        if let Some(file) = check_file(file, &pattern.here)? {
            lines.total_lines += file.lines.len() as u64;
            lines.total_matches += file.matches;
            lines.files_matched += 1;
            lines.files.push(file);
        }
    }
    if pattern.there.is_exact && scope.is_asked_exactly(pattern.there.case_sensitive) {
        lines.total_lines += unseen_lines;
        lines.total_matches += unseen_lines;
        lines.files_matched += unseen_files;
    }
    Ok(lines)
}

fn check_file(file: FoundFile, pattern: &Pattern) -> Result<Option<OrgFile>, BadPattern> {
    let path = marked_path(&file);
    let mut lines = Vec::new();
    for line in file.lines.into_iter().filter(|line| line.number > 0) {
        if let Some(checked) = check_line(pattern, &line.text)? {
            lines.push((line, checked));
        }
    }
    lines.sort_by_key(|(line, _)| line.number);
    let matches = lines.iter().map(|(_, checked)| checked.matches).sum();
    Ok((!lines.is_empty()).then_some(OrgFile { path, matches, lines }))
}

/// Returns the path of a server's file as answers print it and `paths` accepts it.
fn marked_path(file: &FoundFile) -> String {
    format!("{ORG_MARK}{}/{}", file.repository, file.path)
}

impl OrgLines {
    /// Returns at most `limit` lines.
    #[must_use]
    pub fn to_matches(&self, limit: usize) -> Vec<TextMatch> {
        let lines = self.files.iter().flat_map(|file| file.lines.iter().map(|line| (&file.path, line)));
        lines.take(limit).map(|(path, (line, checked))| line_match(path, line, checked)).collect()
    }

    /// Returns at most `limit` files, each with the number of its lines.
    #[must_use]
    pub fn to_files(&self, limit: usize) -> Vec<TextMatch> {
        let file =
            |file: &OrgFile| TextMatch { count: Some(file.lines.len() as u64), ..bare_match(&file.path) };
        self.files.iter().take(limit).map(file).collect()
    }

    /// Returns the counts of a pattern.
    #[must_use]
    pub fn to_count(&self, pattern: &str) -> PatternCount {
        let mut top: Vec<&OrgFile> = self.files.iter().collect();
        top.sort_by_key(|file| std::cmp::Reverse(file.matches));
        let top = top.into_iter().take(TOP_FILES);
        PatternCount {
            pattern: pattern.to_owned(),
            total_matches: self.total_matches,
            files_matched: self.files_matched,
            top_files: top.map(|file| TopFile { path: file.path.clone(), count: file.matches }).collect(),
        }
    }
}

fn line_match(path: &str, line: &FoundLine, checked: &CheckedLine) -> TextMatch {
    TextMatch {
        line: Some(line.number.into()),
        col: Some(checked.col),
        text: Some(checked.text.clone()),
        before: shown_lines(&line.before),
        after: shown_lines(&line.after),
        ..bare_match(path)
    }
}

/// Returns the files by the server's rank. Their scores are scaled to `best`, the score of the best local
/// hit.
#[must_use]
pub fn ranked_files(answer: &SearchAnswer, scope: &dyn OrgScope, best: f64) -> Vec<RankedResult> {
    let top = answer.files.first().map_or(1.0, |file| file.score).max(f64::MIN_POSITIVE);
    let files = answer.files.iter().filter(|file| scope.admits(&file.repository, &file.path));
    files.map(|file| ranked_file(file, best * (file.score / top).clamp(0.0, 1.0))).collect()
}

fn ranked_file(file: &FoundFile, score: f64) -> RankedResult {
    let (most_lines, width) = SNIPPET;
    let mut lines: Vec<&FoundLine> = file.lines.iter().filter(|line| line.number > 0).collect();
    lines.sort_by(|one, other| other.score.total_cmp(&one.score).then(one.number.cmp(&other.number)));
    let line = lines.first().map_or(1, |line| line.number);
    lines.truncate(most_lines);
    lines.sort_by_key(|line| line.number);
    let shown = lines.iter().map(|line| {
        let text = String::from_utf8_lossy(&line.text);
        let text: String = text.trim().chars().take(width).collect();
        format!("{} {text}", line.number)
    });
    let snippet = shown.collect::<Vec<_>>().join("\n");
    let title = file.path.rsplit('/').next().unwrap_or(&file.path).to_owned();
    RankedResult {
        id: None,
        kind: "File".to_owned(),
        title,
        file: marked_path(file),
        line,
        score,
        snippet: Some(snippet).filter(|snippet| !snippet.is_empty()),
        stale: false,
    }
}

#[cfg(test)]
mod tests {
    use hob_org::pattern::translate_pattern;

    use super::*;

    struct Everything;

    impl OrgScope for Everything {
        fn admits(&self, repository: &str, _: &str) -> bool {
            repository != "elsewhere"
        }

        fn is_asked_exactly(&self, _: bool) -> bool {
            true
        }
    }

    fn line(number: u32, text: &str, score: f64) -> FoundLine {
        FoundLine { number, text: format!("{text}\n").into_bytes(), score, ..FoundLine::default() }
    }

    fn file(repository: &str, path: &str, lines: Vec<FoundLine>) -> FoundFile {
        FoundFile { repository: repository.to_owned(), path: path.to_owned(), lines, score: 2.0 }
    }

    fn checked(pattern: &str, answer: SearchAnswer) -> OrgLines {
        let here = Pattern::new(pattern).expect("a valid pattern");
        let pattern = OrgPattern { here, there: translate_pattern(pattern).expect("it can be said") };
        check_answer(answer, &pattern, &Everything).expect("it compiles")
    }

    #[test]
    fn only_lines_that_match_here_are_in_the_answer() {
        let files = vec![
            file(
                "acme/web",
                "a.py",
                vec![line(9, "xcard", 1.0), line(2, "card card", 1.0), line(0, "card.py", 0.0)],
            ),
            file("acme/web", "b.py", vec![line(1, "écard", 1.0)]),
            file("elsewhere", "c.py", vec![line(1, "card", 1.0)]),
        ];
        let answer = SearchAnswer { files, file_count: 3, line_count: 5, looked_at_all: true };
        let lines = checked(r"\bcard", answer);
        assert!(lines.is_whole);
        assert_eq!(lines.left_out, 1);
        assert_eq!((lines.total_lines, lines.total_matches, lines.files_matched), (1, 2, 1));
        let matches = lines.to_matches(10);
        assert_eq!(
            (matches[0].file.as_str(), matches[0].line, matches[0].col),
            ("org:acme/web/a.py", Some(2), Some(1))
        );
        assert_eq!(lines.to_files(10)[0].count, Some(1));
        assert_eq!(lines.to_count("p").top_files[0].count, 2);
        assert!(lines.to_matches(0).is_empty());
    }

    #[test]
    fn what_did_not_come_counts_only_where_the_server_counts_alike() {
        let answer = SearchAnswer {
            files: vec![file("r", "a", vec![line(1, "card1", 1.0)])],
            file_count: 3,
            line_count: 8,
            looked_at_all: true,
        };
        let exact = checked("card", answer.clone());
        assert_eq!((exact.total_lines, exact.files_matched, exact.is_whole), (8, 3, false));
        let more = checked(r"card\w", answer);
        assert_eq!((more.total_lines, more.files_matched, more.is_whole), (1, 1, false));
    }

    #[test]
    fn ranked_files_show_their_best_lines() {
        let lines = vec![line(4, "  cookie", 1.0), line(7, "signed cookie", 9.0), line(9, "cookie", 1.0)];
        let answer =
            SearchAnswer { files: vec![file("acme/web", "src/s.py", lines)], ..SearchAnswer::default() };
        let ranked = ranked_files(&answer, &Everything, 5.0);
        assert_eq!((ranked[0].title.as_str(), ranked[0].line, ranked[0].score), ("s.py", 7, 5.0));
        assert_eq!(ranked[0].file, "org:acme/web/src/s.py");
        assert_eq!(ranked[0].snippet.as_deref(), Some("4 cookie\n7 signed cookie"));
    }
}
