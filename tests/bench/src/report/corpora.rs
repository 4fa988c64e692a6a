//! The trees that a report measures: those that the caller names, and pinned ones that are fetched if the user asks for
//! it, by git or, as a source distribution, from PyPI.
//!
//! A tree that cannot be fetched becomes an absence, and the others are measured. A folder's name contains the pin, so
//! that a clone that the user made is never moved to another commit.

use std::fs;
use std::path::{Path, PathBuf};

use ignore::WalkBuilder;

use super::neighbours::{pip_command, run_installer};
use crate::git::{self, git};
use crate::rows::Failure;
use crate::world::run;

/// A tree with its name on the page.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Corpus {
    pub(crate) name: String,
    pub(crate) folder: PathBuf,
    /// The place that rows about references ask about, or `None` if only the user knows one.
    pub(crate) place: Option<&'static str>,
}

/// A published tree that anybody can fetch.
pub(crate) struct Pinned {
    name: &'static str,
    source: TreeSource,
    place: Option<&'static str>,
}

/// The origin of a published tree.
enum TreeSource {
    Commit {
        url: &'static str,
        commit: &'static str,
        /// True if the commits before it are fetched too.
        with_history: bool,
    },
    /// The source distribution of a version, which PyPI never changes.
    Sdist { version: &'static str },
}

const fn pinned_commit(url: &'static str, commit: &'static str) -> TreeSource {
    TreeSource::Commit { url, commit, with_history: false }
}

/// The first three are the projects of `tests/quality/economy/questions.txt`, in the versions that the questions are
/// about.
const PINNED: &[Pinned] = &[
    Pinned {
        name: "click",
        source: pinned_commit("https://github.com/pallets/click", "1d038f270701498433cb432f54db89f95f07a845"),
        place: Some("src/click/core.py:98:5"),
    },
    Pinned {
        name: "flask",
        source: pinned_commit("https://github.com/pallets/flask", "22d924701a6ae2e4cd01e9a15bbaf3946094af65"),
        place: Some("src/flask/app.py:1129:9"),
    },
    Pinned {
        name: "rxjs",
        source: pinned_commit(
            "https://github.com/ReactiveX/rxjs",
            "e5351d02e225e275ac0e497c7b66eaa5f0c88791",
        ),
        place: None,
    },
    Pinned {
        name: "hugo",
        source: pinned_commit("https://github.com/gohugoio/hugo", "7b5199fdeff7d7682e9f979f468d55bc7b67b934"),
        place: None,
    },
    Pinned {
        name: "django",
        source: TreeSource::Sdist { version: "5.2.19" },
        place: Some("django/utils/text.py:26:5"),
    },
];

/// The repository whose commits are questions.
pub(crate) const HISTORY: Pinned = Pinned {
    name: "flask-history",
    source: TreeSource::Commit {
        url: "https://github.com/pallets/flask",
        commit: "2ac89889f4cc330eabd50f295dcef02828522c69",
        with_history: true,
    },
    place: None,
};

/// The repository with call graphs, and the folder in it that has them.
pub(crate) const CALL_GRAPHS: (Pinned, &str) = (
    Pinned {
        name: "PyCG",
        source: pinned_commit("https://github.com/vitsalis/PyCG", "8d5dc40837803beef1d8d379fbf2cdad6cd94641"),
        place: None,
    },
    "micro-benchmark/snippets",
);

/// Splits `NAME=DIR`.
///
/// # Errors
///
/// Fails for a text without `=` or with an empty part, and says what is expected.
pub(crate) fn parse_corpus(text: &str) -> Result<Corpus, String> {
    match text.split_once('=') {
        Some((name, folder)) if !name.is_empty() && !folder.is_empty() && !name.contains('/') => {
            Ok(Corpus { name: name.to_owned(), folder: folder.into(), place: None })
        }
        _ => Err("give the tree a name without `/`: `django=/home/me/src/django`".to_owned()),
    }
}

/// Fetches the pinned corpora that are missing below `folder`, without those whose names the caller has trees for.
/// Returns each as a corpus, or as its name and the reason for its absence.
pub(crate) fn fetch_pinned(
    folder: &Path,
    python: &str,
    given: &[Corpus],
) -> Vec<Result<Corpus, (&'static str, String)>> {
    let lacking = PINNED.iter().filter(|pinned| given.iter().all(|corpus| corpus.name != pinned.name));
    let fetched = lacking.map(|pinned| match fetch_tree(pinned, folder, python) {
        Ok(tree) => Ok(Corpus { name: pinned.name.to_owned(), folder: tree, place: pinned.place }),
        Err(error) => Err((pinned.name, error.to_string())),
    });
    fetched.collect()
}

/// Returns the folder of a pinned tree, which is fetched if it is missing.
pub(crate) fn fetch_tree(pinned: &Pinned, folder: &Path, python: &str) -> Result<PathBuf, Failure> {
    let tree = folder.join(folder_of(pinned));
    match pinned.source {
        TreeSource::Commit { url, commit, with_history } => fetch_commit(&tree, url, commit, with_history)?,
        TreeSource::Sdist { version } if !tree.is_dir() => {
            println!("fetching {} {version} from PyPI", pinned.name);
            fetch_sdist(&tree, &format!("{}=={version}", pinned.name), python)?;
        }
        TreeSource::Sdist { .. } => {}
    }
    Ok(tree)
}

fn fetch_commit(tree: &Path, url: &str, commit: &str, with_history: bool) -> Result<(), Failure> {
    if !tree.join(".git").is_dir() {
        fs::create_dir_all(tree)?;
        run(&mut git(tree, &["init", "-q"]))?;
    }
    // An interrupted fetch leaves no commit, so it is repeated.
    if run(&mut git(tree, &["checkout", "-q", "--detach", commit])).is_err() {
        println!("fetching {url} at {commit}");
        let depth: &[&str] = if with_history { &[] } else { &["--depth", "1"] };
        run_installer(&mut git(tree, &[&["fetch", "-q"], depth, &[url, commit]].concat()))?;
        run_installer(&mut git(tree, &["checkout", "-q", "--detach", commit]))?;
    }
    Ok(())
}

/// Downloads a source distribution and unpacks it. Nothing of it is run, except what pip needs for its metadata.
fn fetch_sdist(tree: &Path, pin: &str, python: &str) -> Result<(), Failure> {
    let parent = tree.parent().ok_or("a tree lies in a folder")?;
    fs::create_dir_all(parent)?;
    // Half a tree is never taken for a whole one, since it is renamed last.
    let scratch = tempfile::tempdir_in(parent)?;
    let mut download = pip_command(Path::new(python), "download");
    download.args(["--no-deps", "--no-binary", ":all:", pin, "-d"]).arg(scratch.path());
    run_installer(&mut download)?;
    let archive = only_entry(scratch.path(), Path::is_file)?;
    let mut unpack = std::process::Command::new("tar");
    run_installer(unpack.arg("-xf").arg(&archive).arg("-C").arg(scratch.path()))?;
    let unpacked = only_entry(scratch.path(), Path::is_dir)?;
    // It is a repository of its own, so that the rules of one above it do not apply.
    git::init(&unpacked)?;
    Ok(fs::rename(unpacked, tree)?)
}

fn only_entry(folder: &Path, wanted: fn(&Path) -> bool) -> Result<PathBuf, Failure> {
    let entries = fs::read_dir(folder)?.flatten().map(|entry| entry.path());
    let found: Vec<PathBuf> = entries.filter(|path| wanted(path)).collect();
    match <[PathBuf; 1]>::try_from(found) {
        Ok([entry]) => Ok(entry),
        Err(found) => Err(format!("{} entries came where one was expected", found.len()).into()),
    }
}

/// Returns the name of the folder of a pinned tree.
fn folder_of(pinned: &Pinned) -> String {
    let pin = match pinned.source {
        TreeSource::Commit { commit, .. } => commit.get(..8).unwrap_or(commit),
        TreeSource::Sdist { version } => version,
    };
    format!("{}-{pin}", pinned.name)
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
    use std::path::Path;

    use super::{
        CALL_GRAPHS, Corpus, HISTORY, PINNED, Pinned, TreeSource, fetch_pinned, fetch_tree, folder_of,
        parse_corpus,
    };
    use crate::git;

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
        for pinned in PINNED.iter().chain([&HISTORY, &CALL_GRAPHS.0]) {
            if let TreeSource::Commit { commit, .. } = pinned.source {
                assert!(commit.len() == 40 && commit.chars().all(|c| c.is_ascii_hexdigit()));
            }
        }
        assert_eq!(folder_of(&PINNED[0]), "click-1d038f27");
        assert_eq!(folder_of(&PINNED[4]), "django-5.2.19");
    }

    /// Returns a repository with two commits, and the second.
    fn publish_tree(folder: &Path) -> (&'static str, &'static str) {
        git::init(folder).expect("a repository");
        for text in ["one", "two"] {
            std::fs::write(folder.join("a.py"), text).expect("written");
            git::commit_all(folder).expect("a commit");
        }
        let out = git::git(folder, &["rev-parse", "HEAD"]).output().expect("git").stdout;
        let commit = String::from_utf8(out).expect("text").trim().to_owned();
        (folder.to_string_lossy().into_owned().leak(), commit.leak())
    }

    #[test]
    fn a_fetched_tree_is_at_its_pin_and_has_a_history_only_if_that_is_wanted() {
        let (origin, folder) =
            (tempfile::tempdir().expect("a folder"), tempfile::tempdir().expect("a folder"));
        let (url, commit) = publish_tree(origin.path());
        for (name, with_history, commits) in [("whole", true, "2"), ("last", false, "1")] {
            let source = TreeSource::Commit { url, commit, with_history };
            let pinned = Pinned { name, source, place: None };
            let tree = fetch_tree(&pinned, folder.path(), "false").expect("fetched");
            assert_eq!(std::fs::read_to_string(tree.join("a.py")).expect("a file"), "two");
            let count = git::git(&tree, &["rev-list", "--count", "HEAD"]).output().expect("git").stdout;
            assert_eq!(String::from_utf8_lossy(&count).trim(), commits, "{name}");
        }
    }

    #[test]
    fn a_tree_that_cannot_be_fetched_says_why() {
        let folder = tempfile::tempdir().expect("a folder");
        let named = |name: &str| Corpus { name: name.to_owned(), folder: "x".into(), place: None };
        let given = ["click", "flask", "rxjs", "hugo"].map(named);
        let fetched = fetch_pinned(folder.path(), "false", &given);
        let why = "false ended with exit status: 1: it said nothing".to_owned();
        assert_eq!(fetched, [Err(("django", why))], "the trees that the user has are not fetched");
        let source = TreeSource::Commit {
            url: "/nowhere",
            commit: "1d038f270701498433cb432f54db89f95f07a845",
            with_history: false,
        };
        let pinned = Pinned { name: "x", source, place: None };
        let error = fetch_tree(&pinned, folder.path(), "false").expect_err("there is none").to_string();
        assert!(
            error.starts_with("git ended with exit status: 128: ") && error.contains("'nowhere'"),
            "{error}"
        );
    }
}
