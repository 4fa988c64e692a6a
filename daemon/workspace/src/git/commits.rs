//! Finds commits: one by a revision expression, or the latest.

use gix::bstr::{BStr, ByteSlice};
use gix::revision::spec::parse::{Error as Unclear, ObjectKindHint, Options, RefsHint};
use hob_base::CancelToken;

use super::error::cause;
use super::{GitError, Oid, Repository};

/// Longest revision that is looked up, in bytes.
const LONG: usize = 1_000;
/// Most candidates that are listed for an ambiguous short ID.
const CANDIDATES: usize = 10;
/// Number of commits that are read between two checks of the deadline.
const EVERY: usize = 64;

/// A commit, as lists show it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Commit {
    /// The commit's ID, in full.
    pub oid: Oid,
    /// The first paragraph of its message, on one line.
    pub subject: String,
    /// Name of the author, without the address.
    pub author: String,
    /// When it was committed, in seconds since 1970 (UTC).
    pub time: i64,
}

/// The latest commits, up to a limit.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Commits {
    /// The commits, newest first.
    pub commits: Vec<Commit>,
    /// True if there are older ones: the limit was reached, or the history is shallow or damaged there.
    pub capped: bool,
}

impl Repository {
    /// Returns the commit that `revision` means: a ref, an ID or the beginning of one, or an expression of both
    /// (`HEAD~3`, `v1.2^{}`, `main@{1}`). `None` when nothing has this name.
    ///
    /// Expressions that search messages (`:/words`, `^{/words}`) are refused: they read the whole history. Search
    /// [`Repository::latest_commits`] instead.
    ///
    /// # Errors
    /// [`GitError::BadRevision`] for text that is no expression, stands for several commits or none, or goes back
    /// behind the first commit; [`GitError::Ambiguous`] for a short ID of several objects; [`GitError::Read`] for a
    /// damaged repository.
    pub fn commit(&self, revision: &str) -> Result<Option<Commit>, GitError> {
        let bad =
            |why: &str| GitError::BadRevision { revision: shorten_revision(revision), why: why.to_owned() };
        let revision = revision.trim();
        match revision {
            "" => return Err(bad("it is empty")),
            _ if revision.len() > LONG => return Err(bad("it is too long")),
            _ if revision.starts_with(":/") || revision.contains("^{/") => {
                return Err(bad("it searches the messages of all commits, which is not done here"));
            }
            _ => {}
        }
        let repository = self.open();
        if is_word_after_digits(revision, &repository) {
            return Ok(None);
        }
        let Some(spec) = parse_revision(revision, &repository)? else { return Ok(None) };
        let Some(id) = single_object(&spec) else { return Err(bad("it stands for a range of commits")) };
        let oid = Oid(id);
        let object =
            repository.find_object(id).map_err(|error| GitError::of_object("the object", oid, &error))?;
        let kind = object.kind;
        match object
            .peel_tags_to_end()
            .map_err(|error| GitError::of_object("the tag", oid, &error))?
            .try_into_commit()
        {
            Ok(commit) => Commit::from_commit(&commit).map(Some),
            Err(_) => Err(bad(&format!("it is a {kind}"))),
        }
    }

    /// Lists the latest `limit` commits in the history of the checked-out one, newest first, itself included. Empty on
    /// a branch without commits.
    ///
    /// # Errors
    /// [`GitError::Read`] if `HEAD` is damaged; a history that breaks off gives what comes before. [`GitError::Stopped`].
    pub fn latest_commits(&self, limit: usize, cancel: &CancelToken) -> Result<Commits, GitError> {
        let Some(head) = self.head()?.commit else { return Ok(Commits::default()) };
        let repository = self.open();
        let newest = gix::revision::walk::Sorting::ByCommitTime(Default::default());
        let walk = repository.rev_walk([head.0]).sorting(newest).all();
        let walk = walk.map_err(|error| GitError::of_object("the history of", head, &error))?;
        let mut found = Commits { commits: Vec::new(), capped: is_shallow(&repository) };
        for (index, step) in walk.enumerate() {
            if index % EVERY == 0 {
                cancel.check()?;
            }
            let commit =
                step.and_then(|step| step.object()).ok().and_then(|commit| Commit::from_commit(&commit).ok());
            let Some(commit) = commit.filter(|_| index < limit) else {
                found.capped = true;
                break;
            };
            found.commits.push(commit);
        }
        Ok(found)
    }
}

impl Commit {
    /// Reads the fields that lists show from `commit`.
    pub(super) fn from_commit(commit: &gix::Commit<'_>) -> Result<Self, GitError> {
        let oid = Oid(commit.id);
        let damaged = |error| GitError::of_object("the commit", oid, &error);
        let message = commit.message().map_err(damaged)?;
        let time = commit.time().map_err(damaged)?.seconds;
        let author = commit.author().map_err(damaged)?;
        Ok(Self { oid, subject: on_one_line(&message.summary()), author: on_one_line(author.name), time })
    }
}

/// Returns true if `revision` begins like an ID and goes on like a word (`dead-code`, `facade-2`), and no ref has this
/// name. The library would take the ID and ignore the rest; git does that only with `-gID` at the end.
fn is_word_after_digits(revision: &str, repository: &gix::Repository) -> bool {
    let name = revision.split(['^', '~', '@', ':']).next().unwrap_or("");
    let is_hex = |text: &str| text.bytes().all(|byte| byte.is_ascii_hexdigit());
    let begins = name.split_once('-').is_some_and(|(id, _)| is_hex(id));
    let described = name.rsplit_once("-g").is_some_and(|(_, id)| !id.is_empty() && is_hex(id));
    begins && !described && !matches!(repository.try_find_reference(name), Ok(Some(_)))
}

/// Returns the one object that an expression means; `None` for `x^!`, which the library counts as one and which is a
/// range.
fn single_object(spec: &gix::revision::Spec<'_>) -> Option<gix::ObjectId> {
    match spec.clone().detach() {
        gix::revision::plumbing::Spec::Include(id) => Some(id),
        _ => None,
    }
}

/// Parses `revision` and finds what it stands for; `None` if nothing does.
fn parse_revision<'r>(
    revision: &str,
    repository: &'r gix::Repository,
) -> Result<Option<gix::revision::Spec<'r>>, GitError> {
    let options = Options {
        refs_hint: RefsHint::default(),
        // If several objects begin with these digits, a commit is meant.
        object_kind_hint: Some(ObjectKindHint::Committish),
    };
    let error = match gix::revision::Spec::from_bstr(revision, repository, options) {
        Ok(spec) => return Ok(Some(spec)),
        Err(error) => error,
    };
    if let Some(Unclear::AmbiguousPrefix { candidates, .. }) = error.downcast_any_ref() {
        let one = |(id, what): &(_, _)| {
            format!("{id} ({what})", id = describe_error(id), what = describe_error(what))
        };
        let candidates = candidates.iter().take(CANDIDATES).map(one).collect();
        return Err(GitError::Ambiguous { revision: revision.to_owned(), candidates });
    }
    match error.is_not_found() {
        true if !error.is_corrupted() => Ok(None),
        _ => Err(GitError::BadRevision { revision: shorten_revision(revision), why: cause(&error) }),
    }
}

fn describe_error(what: &impl std::fmt::Display) -> String {
    what.to_string()
}

fn is_shallow(repository: &gix::Repository) -> bool {
    repository.is_shallow().unwrap_or(false)
}

/// Joins text of unknown origin into one line.
fn on_one_line(text: &BStr) -> String {
    text.to_str_lossy().split_whitespace().collect::<Vec<_>>().join(" ")
}

fn shorten_revision(revision: &str) -> String {
    match revision.char_indices().nth(80) {
        Some((at, _)) => format!("{}…", &revision[..at]),
        None => revision.to_owned(),
    }
}
