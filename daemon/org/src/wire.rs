//! Reads the answers of Zoekt's JSON interface.
//!
//! The names of the fields are those of Go's structures; bytes are base64, and an empty list may be `null`.
//! Fields that hob does not need are skipped, so a newer or older server may have others. The few fields
//! without which an answer means nothing are required.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde::{Deserialize, Deserializer};

use crate::query::Versions;

/// Most repositories without branches that a query names.
const MOST_BRANCHLESS: usize = 50;

/// An answer to a query for lines.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct SearchAnswer {
    /// The files in the answer, the best first.
    pub files: Vec<FoundFile>,
    /// Number of files with a match, also those that the server did not send.
    pub file_count: u64,
    /// Number of lines with a match, also those that the server did not send.
    pub line_count: u64,
    /// True if the server searched its whole index.
    pub looked_at_all: bool,
}

/// A file with matching lines.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct FoundFile {
    /// The name of the file's repository.
    pub repository: String,
    /// The path in the repository.
    pub path: String,
    /// The matching lines, in unspecified order.
    pub lines: Vec<FoundLine>,
    /// The server's score; comparable within one answer.
    pub score: f64,
}

/// A line that the server's pattern matches.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct FoundLine {
    /// The number of the line, from 1; 0 for the path of the file, which may match too.
    pub number: u32,
    /// The line, with its newline if it has one.
    pub text: Vec<u8>,
    /// Lines before it, in their order.
    pub before: Vec<u8>,
    /// Lines after it, in their order.
    pub after: Vec<u8>,
    /// The server's score of the line; comparable within one file.
    pub score: f64,
}

/// The repositories of the server.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct RepositoryList {
    /// All repositories.
    pub repositories: Vec<IndexedRepository>,
    /// Number of indexed files.
    pub documents: u64,
}

/// A repository that the server has indexed.
#[derive(Clone, PartialEq, Eq, Debug, Default, Deserialize)]
#[serde(rename_all = "PascalCase")]
pub struct IndexedRepository {
    /// Its name, often the address of the clone without a scheme: `github.com/acme/web`.
    pub name: String,
    /// The address of its page; may be empty.
    #[serde(default, rename = "URL")]
    pub url: String,
    /// Number of its branches that are indexed; 0 for a folder that was indexed without any.
    #[serde(default, deserialize_with = "list_length")]
    pub branches: usize,
}

impl RepositoryList {
    /// Returns the versions to search, so that each file is found once.
    #[must_use]
    pub fn versions(&self) -> Versions {
        let has_several = self.repositories.iter().any(|repository| repository.branches > 1);
        let without = self.repositories.iter().filter(|repository| repository.branches == 0);
        let without: Vec<String> = without.map(|repository| repository.name.clone()).collect();
        // A longer query costs more than a few repeated lines.
        if has_several && without.len() <= MOST_BRANCHLESS {
            Versions::FirstBranch(without)
        } else {
            Versions::All
        }
    }
}

/// Reads the answer to a search; `None` if it is not one.
#[must_use]
pub fn read_search(body: &[u8]) -> Option<SearchAnswer> {
    let SearchReply { result } = serde_json::from_slice(body).ok()?;
    let files: Vec<FoundFile> = result.files.into_iter().map(FoundFile::from).collect();
    Some(SearchAnswer {
        files,
        file_count: result.file_count,
        line_count: result.match_count,
        looked_at_all: result.files_skipped == 0 && result.shards_skipped == 0 && result.crashes == 0,
    })
}

/// Reads the list of repositories; `None` if it is not one.
#[must_use]
pub fn read_list(body: &[u8]) -> Option<RepositoryList> {
    let ListReply { list } = serde_json::from_slice(body).ok()?;
    Some(RepositoryList {
        documents: list.stats.documents,
        repositories: list.repos.into_iter().map(|entry| entry.repository).collect(),
    })
}

/// Reads the message of an error answer.
#[must_use]
pub fn read_error(body: &[u8]) -> Option<String> {
    let ErrorReply { error } = serde_json::from_slice(body).ok()?;
    Some(error)
}

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct SearchReply {
    result: SearchResult,
}

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct SearchResult {
    file_count: u64,
    match_count: u64,
    #[serde(default)]
    files_skipped: u64,
    #[serde(default)]
    shards_skipped: u64,
    #[serde(default)]
    crashes: u64,
    #[serde(default, deserialize_with = "list_or_null")]
    files: Vec<FileMatch>,
}

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct FileMatch {
    file_name: String,
    repository: String,
    #[serde(default)]
    score: f64,
    #[serde(default, deserialize_with = "list_or_null")]
    line_matches: Vec<LineMatch>,
}

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct LineMatch {
    #[serde(deserialize_with = "bytes")]
    line: Vec<u8>,
    line_number: u32,
    #[serde(default, deserialize_with = "bytes")]
    before: Vec<u8>,
    #[serde(default, deserialize_with = "bytes")]
    after: Vec<u8>,
    #[serde(default)]
    file_name: bool,
    #[serde(default)]
    score: f64,
}

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct ListReply {
    list: RepoList,
}

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct RepoList {
    #[serde(default, deserialize_with = "list_or_null")]
    repos: Vec<RepoEntry>,
    stats: RepoStats,
}

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct RepoEntry {
    repository: IndexedRepository,
}

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct RepoStats {
    documents: u64,
}

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct ErrorReply {
    error: String,
}

impl From<FileMatch> for FoundFile {
    fn from(found: FileMatch) -> Self {
        let FileMatch { file_name, repository, score, line_matches } = found;
        let lines = line_matches.into_iter().map(|line| FoundLine {
            number: if line.file_name { 0 } else { line.line_number },
            text: line.line,
            before: line.before,
            after: line.after,
            score: line.score,
        });
        Self { lines: lines.collect(), repository, path: file_name, score }
    }
}

fn list_or_null<'de, T: Deserialize<'de>, D: Deserializer<'de>>(from: D) -> Result<Vec<T>, D::Error> {
    Option::<Vec<T>>::deserialize(from).map(Option::unwrap_or_default)
}

fn list_length<'de, D: Deserializer<'de>>(from: D) -> Result<usize, D::Error> {
    list_or_null::<serde::de::IgnoredAny, D>(from).map(|list| list.len())
}

fn bytes<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<u8>, D::Error> {
    let text = Option::<std::borrow::Cow<'de, str>>::deserialize(from)?;
    let decoded = text.map(|text| STANDARD.decode(text.as_bytes())).transpose();
    decoded.map(Option::unwrap_or_default).map_err(serde::de::Error::custom)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_come_with_their_files() {
        let body = r#"{"Result":{"FileCount":2,"MatchCount":3,"FilesSkipped":0,"ShardsSkipped":0,"Crashes":0,"Duration":9,"Files":[
            {"FileName":"a/b.py","Repository":"acme/web","Branches":["HEAD"],"Score":12.5,"Checksum":"AA==","LineMatches":[
                {"Line":"eCA9IDEK","LineStart":0,"LineNumber":7,"Before":null,"After":"eQo=","FileName":false,"Score":2,"LineFragments":[]},
                {"Line":"YS9iLnB5","LineNumber":0,"FileName":true}]},
            {"FileName":"c","Repository":"acme/web","LineMatches":null}]}}"#;
        let answer = read_search(body.as_bytes()).expect("an answer");
        assert_eq!((answer.file_count, answer.line_count, answer.looked_at_all), (2, 3, true));
        let first = &answer.files[0];
        assert_eq!(
            (first.repository.as_str(), first.path.as_str(), first.score),
            ("acme/web", "a/b.py", 12.5)
        );
        let expected = FoundLine {
            number: 7,
            text: b"x = 1\n".to_vec(),
            after: b"y\n".to_vec(),
            score: 2.0,
            ..FoundLine::default()
        };
        assert_eq!(first.lines[0], expected);
        assert_eq!((first.lines[1].number, first.lines[1].text.as_slice()), (0, b"a/b.py".as_slice()));
        assert!(answer.files[1].lines.is_empty());
    }

    #[test]
    fn what_was_not_looked_at_shows() {
        for skipped in ["FilesSkipped", "ShardsSkipped", "Crashes"] {
            let body = format!(r#"{{"Result":{{"FileCount":0,"MatchCount":0,"{skipped}":1,"Files":null}}}}"#);
            assert!(!read_search(body.as_bytes()).expect("an answer").looked_at_all, "{skipped}");
        }
    }

    #[test]
    fn repositories_and_errors() {
        let body = br#"{"List":{"Repos":[{"Repository":{"Name":"tools","URL":"","ID":0}},{"Repository":{"Name":"acme/web","URL":"https://h/acme/web"}}],"Stats":{"Repos":2,"Documents":70}}}"#;
        let list = read_list(body).expect("a list");
        assert_eq!(list.documents, 70);
        assert_eq!(list.repositories[1].url, "https://h/acme/web");
        assert_eq!(
            read_list(br#"{"List":{"Repos":null,"Stats":{"Documents":0}}}"#),
            Some(RepositoryList::default())
        );
        assert_eq!(read_error(br#"{"Error":"bad"}"#).as_deref(), Some("bad"));
    }

    #[test]
    fn each_file_is_asked_about_once() {
        let list = |branches: &[usize]| RepositoryList {
            repositories: branches
                .iter()
                .map(|&branches| IndexedRepository {
                    name: format!("r{branches}"),
                    branches,
                    ..IndexedRepository::default()
                })
                .collect(),
            documents: 0,
        };
        assert_eq!(list(&[0, 1, 1]).versions(), Versions::All);
        assert_eq!(list(&[0, 1, 2]).versions(), Versions::FirstBranch(vec!["r0".to_owned()]));
        assert_eq!(list(&[1, 2]).versions(), Versions::FirstBranch(Vec::new()));
        let body = br#"{"List":{"Repos":[{"Repository":{"Name":"a","Branches":[{"Name":"HEAD"}]}},{"Repository":{"Name":"b","Branches":null}}],"Stats":{"Documents":2}}}"#;
        let read = read_list(body).expect("a list");
        assert_eq!(
            read.repositories.iter().map(|repository| repository.branches).collect::<Vec<_>>(),
            [1, 0]
        );
    }

    #[test]
    fn what_is_no_answer_is_none() {
        for body in [
            "",
            "<html>",
            "{}",
            "[]",
            r#"{"Result":{}}"#,
            r#"{"Result":null}"#,
            r#"{"Error":"x"}"#,
            r#"{"Result":{"FileCount":1}}"#,
            r#"{"List":{"Repos":[{}],"Stats":{"Documents":1}}}"#,
            r#"{"Result":{"FileCount":1,"MatchCount":1,"Files":[{"FileName":"a","Repository":"r","LineMatches":[{"Line":"%","LineNumber":1}]}]}}"#,
        ] {
            assert_eq!(read_search(body.as_bytes()), None, "{body}");
            assert_eq!(read_list(body.as_bytes()), None, "{body}");
        }
    }
}
