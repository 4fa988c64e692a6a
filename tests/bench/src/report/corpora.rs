//! The trees that a report measures: those that the caller names, and pinned ones that git fetches if the user asks for
//! it.

use std::path::{Path, PathBuf};

use ignore::WalkBuilder;

use crate::git::git;
use crate::rows::Failure;
use crate::world::run;

/// A tree with its name on the page.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Corpus {
    pub(crate) name: String,
    pub(crate) folder: PathBuf,
}

/// A published tree that anybody can fetch.
struct Pinned {
    name: &'static str,
    url: &'static str,
    commit: &'static str,
}

/// The first three are the projects of `tests/quality/economy/questions.txt`, in the versions that the questions are
/// about.
const PINNED: &[Pinned] = &[
    Pinned {
        name: "click",
        url: "https://github.com/pallets/click",
        commit: "1d038f270701498433cb432f54db89f95f07a845",
    },
    Pinned {
        name: "flask",
        url: "https://github.com/pallets/flask",
        commit: "22d924701a6ae2e4cd01e9a15bbaf3946094af65",
    },
    Pinned {
        name: "rxjs",
        url: "https://github.com/ReactiveX/rxjs",
        commit: "e5351d02e225e275ac0e497c7b66eaa5f0c88791",
    },
    Pinned {
        name: "hugo",
        url: "https://github.com/gohugoio/hugo",
        commit: "7b5199fdeff7d7682e9f979f468d55bc7b67b934",
    },
];

/// Splits `NAME=DIR`.
///
/// # Errors
///
/// Fails for a text without `=` or with an empty part, and says what is expected.
pub(crate) fn parse_corpus(text: &str) -> Result<Corpus, String> {
    match text.split_once('=') {
        Some((name, folder)) if !name.is_empty() && !folder.is_empty() && !name.contains('/') => {
            Ok(Corpus { name: name.to_owned(), folder: folder.into() })
        }
        _ => Err("give the tree a name without `/`: `django=/home/me/src/django`".to_owned()),
    }
}

/// Returns the pinned corpora below `folder`, and fetches those that are missing.
pub(crate) fn fetch_pinned(folder: &Path) -> Result<Vec<Corpus>, Failure> {
    PINNED.iter().map(|pinned| fetch(pinned, folder)).collect()
}

fn fetch(pinned: &Pinned, folder: &Path) -> Result<Corpus, Failure> {
    let tree = folder.join(folder_of(pinned));
    if !tree.join(".git").is_dir() {
        println!("fetching {} at {}", pinned.url, pinned.commit);
        std::fs::create_dir_all(&tree)?;
        run(&mut git(&tree, &["init", "-q"]))?;
    }
    // An interrupted fetch leaves no commit, so it is repeated.
    if run(&mut git(&tree, &["checkout", "-q", "--detach", pinned.commit])).is_err() {
        run(&mut git(&tree, &["fetch", "-q", "--depth", "1", pinned.url, pinned.commit]))?;
        run(&mut git(&tree, &["checkout", "-q", "--detach", pinned.commit]))?;
    }
    Ok(Corpus { name: pinned.name.to_owned(), folder: tree })
}

/// Returns the folder of a pinned tree. Its name contains the commit, so that a clone that the user made is never moved
/// to another commit.
fn folder_of(pinned: &Pinned) -> String {
    format!("{}-{}", pinned.name, pinned.commit.get(..8).unwrap_or(pinned.commit))
}

/// Describes a corpus: the number of its files, their bytes, and its commit if there is one.
pub(crate) fn describe_corpus(corpus: &Corpus) -> String {
    let (mut files, mut bytes) = (0_u64, 0_u64);
    for entry in WalkBuilder::new(&corpus.folder).build().flatten() {
        if let Some(meta) = entry.metadata().ok().filter(std::fs::Metadata::is_file) {
            files += 1;
            bytes += meta.len();
        }
    }
    let is_repository = corpus.folder.join(".git").exists();
    let commit = is_repository.then(|| head_of(&corpus.folder)).flatten();
    let commit = commit.map_or(String::new(), |commit| format!(", at commit {commit}"));
    format!("{}: {files} files, {:.1} MB{commit}", corpus.name, bytes as f64 / 1e6)
}

/// Returns the shortened commit that is checked out.
pub(crate) fn head_of(folder: &Path) -> Option<String> {
    let out = git(folder, &["rev-parse", "--short=12", "HEAD"]).output().ok()?;
    out.status.success().then(|| String::from_utf8_lossy(&out.stdout).trim().to_owned())
}

#[cfg(test)]
mod tests {
    use super::{PINNED, folder_of, parse_corpus};

    #[test]
    fn a_corpus_has_a_name_and_a_folder() {
        let corpus = parse_corpus("django=/src/django=5").expect("good");
        assert_eq!((corpus.name.as_str(), corpus.folder.to_str()), ("django", Some("/src/django=5")));
        for bad in ["/src/django", "=x", "x=", "a/b=c"] {
            assert!(parse_corpus(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn pins_are_whole_commits() {
        for pinned in PINNED {
            assert!(pinned.commit.len() == 40 && pinned.commit.chars().all(|c| c.is_ascii_hexdigit()));
        }
        assert_eq!(folder_of(&PINNED[0]), "click-1d038f27");
    }
}
