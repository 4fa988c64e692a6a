//! Lists branches and tags, and tells what is checked out.

use hob_base::CancelToken;

use super::commits::Commit;
use super::{GitError, Oid, Repository};

/// Most refs that are listed; a mirror of a large project has hundreds of thousands.
const MANY: usize = 20_000;
/// Number of refs that are looked up between two checks of the deadline.
const EVERY: usize = 64;

/// The purpose of a ref, by the folder it is in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum RefKind {
    /// A ref in `refs/heads/`.
    Branch,
    /// `refs/remotes/`: where a branch of another repository was at the last fetch.
    RemoteBranch,
    /// `refs/tags/`, light or annotated.
    Tag,
}

impl RefKind {
    pub(super) const ALL: [Self; 3] = [Self::Branch, Self::RemoteBranch, Self::Tag];

    /// Returns the folder of refs with this purpose, as their whole names begin.
    pub(super) fn folder(self) -> &'static str {
        match self {
            Self::Branch => "refs/heads/",
            Self::RemoteBranch => "refs/remotes/",
            Self::Tag => "refs/tags/",
        }
    }
}

/// A name for a commit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ref {
    /// The purpose of the ref.
    pub kind: RefKind,
    /// The short name: `main`, `origin/main`, `v1.2`.
    pub name: String,
    /// The whole name, such as `refs/heads/main`.
    pub full_name: String,
    /// The commit that it leads to, through annotated tags.
    pub target: Oid,
    /// The first paragraph of that commit's message, on one line.
    pub subject: String,
    /// When that commit was made, in seconds since 1970 (UTC).
    pub time: i64,
}

/// The refs of a repository.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Refs {
    /// Sorted by kind (branches, remote branches, tags), then by name.
    pub refs: Vec<Ref>,
    /// True if there are more than are listed.
    pub capped: bool,
    /// Number of refs that lead to no readable commit: damaged ones, or tags of a file.
    pub unreadable: usize,
}

/// The branch or commit that is checked out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Head {
    /// The branch's short name; `None` when a commit is checked out by itself.
    pub branch: Option<String>,
    /// The commit; `None` on a branch without commits.
    pub commit: Option<Oid>,
}

impl Repository {
    /// Lists branches, remote branches and tags, loose or packed; at most 20,000. Symbolic remote branches
    /// (`origin/HEAD`) are left out, because they repeat another.
    ///
    /// # Errors
    /// [`GitError::Read`] if the list itself cannot be read, [`GitError::Stopped`].
    pub fn list_refs(&self, cancel: &CancelToken) -> Result<Refs, GitError> {
        let repository = self.open();
        let mut listed = Refs::default();
        let mut named = Vec::new();
        for kind in RefKind::ALL {
            let from = named.len();
            named.extend(list_names(&repository, kind, &mut listed.unreadable)?);
            named[from..].sort_by(|a: &NamedGitRef<'_>, b| a.name.cmp(&b.name));
        }
        listed.capped = named.len() > MANY;
        named.truncate(MANY);
        for (index, name) in named.into_iter().enumerate() {
            if index % EVERY == 0 {
                cancel.check()?;
            }
            match name.read() {
                Some(read) => listed.refs.push(read),
                None => listed.unreadable += 1,
            }
        }
        Ok(listed)
    }

    /// Returns the branch or commit that is checked out in this working tree.
    ///
    /// # Errors
    /// [`GitError::Read`] if `HEAD`, or what it names, is damaged.
    pub fn head(&self) -> Result<Head, GitError> {
        let repository = self.open();
        let damaged = |error| GitError::read("HEAD", &error);
        let mut head = repository.head().map_err(damaged)?;
        let branch = head.referent_name().map(|name| name.shorten().to_string());
        let commit = head.try_peel_to_id().map_err(damaged)?.map(|id| Oid(id.detach()));
        Ok(Head { branch, commit })
    }
}

/// A ref whose commit has not been looked up.
struct NamedGitRef<'r> {
    kind: RefKind,
    name: String,
    reference: gix::Reference<'r>,
}

fn list_names<'r>(
    repository: &'r gix::Repository,
    kind: RefKind,
    unreadable: &mut usize,
) -> Result<Vec<NamedGitRef<'r>>, GitError> {
    let failed = |error| GitError::read("the list of refs", &error);
    let platform = repository.references().map_err(failed)?;
    let all = match kind {
        RefKind::Branch => platform.local_branches(),
        RefKind::RemoteBranch => platform.remote_branches(),
        RefKind::Tag => platform.tags(),
    };
    let mut found = Vec::new();
    for reference in all.map_err(failed)? {
        let Ok(reference) = reference else {
            *unreadable += 1;
            continue;
        };
        let symbolic = matches!(reference.target(), gix::refs::TargetRef::Symbolic(_));
        if symbolic && kind == RefKind::RemoteBranch {
            continue;
        }
        let full = reference.name().as_bstr().to_string();
        let name = full.strip_prefix(kind.folder()).unwrap_or(&full).to_owned();
        found.push(NamedGitRef { kind, name, reference });
    }
    Ok(found)
}

impl NamedGitRef<'_> {
    fn read(mut self) -> Option<Ref> {
        let commit = self.reference.peel_to_commit().ok()?;
        let Commit { oid, subject, time, .. } = Commit::from_commit(&commit).ok()?;
        let full_name = self.reference.name().as_bstr().to_string();
        Some(Ref { kind: self.kind, name: self.name, full_name, target: oid, subject, time })
    }
}
