//! Plans the writes for a proposal, if every file is still as the proposal expects.
//!
//! A proposal lists changes, the disk has places: two files that swap their names are two places with new contents. So
//! the plan first lists the contents of each place before and after ([`PlaceContents`]), then finds the places on the disk. A
//! path that leads out of the workspace through a symbolic link is refused; one that leads through a link to a file
//! within means that file. A link itself is neither moved nor removed. The host decides which paths a client may name
//! at all; version control's folders are refused here too, because a write there could damage the repository.
//!
//! A file with several names (hard links) stays one file: hob writes over its contents, and every name sees them. The
//! same holds for a file whose owner or group a new file could not be given. An undo could not restore a file of
//! several names that was removed or moved, so that is refused. On file systems that ignore case, a move to the same
//! name in other letters is a conflict, because the target exists.

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::path::Path;
use std::sync::Arc;

use hob_base::{AbsPath, WsPath};

use crate::change::Proposal;
use crate::error::{Difference, Differs, EditError, cause_without_number};
use crate::files::{Attrs, Files, NodeKind};
use crate::record::{JournalEntry, JournalSide};

/// The contents of a place before and after.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub(crate) struct PlaceContents {
    pub(crate) before: Option<Arc<[u8]>>,
    pub(crate) after: Option<Arc<[u8]>>,
    /// The former path of a file that is moved here.
    pub(crate) from: Option<WsPath>,
    /// The permissions, unless the file keeps its own.
    pub(crate) attrs: Option<Attrs>,
}

/// The entries and folders of an apply.
#[derive(Debug)]
pub(crate) struct WritePlan {
    pub(crate) entries: Vec<JournalEntry>,
    /// Folders to be made, outer ones first.
    pub(crate) new_folders: Vec<WsPath>,
}

/// Why there is no plan.
#[derive(Debug)]
pub(crate) enum NoPlan {
    /// Files differ from the proposal.
    Differ(Vec<Difference>),
    /// Any other reason, as an error.
    Error(EditError),
}

const TWICE: &str = "it is changed twice in one edit";
const OUTSIDE: &str = "a symbolic link on the way leads out of the workspace, or nowhere";
const LINK: &str = "it is a symbolic link; name the file that it leads to";
const LINKED: &str = "it has several names (hard links), which an undo could not make one file again; remove or move it yourself";
const VCS: [&str; 5] = [".git", ".hg", ".jj", ".svn", ".sl"];

/// Returns the contents that a proposal wants for each place, by path.
pub(crate) fn wishes_of(proposal: &Proposal) -> Result<BTreeMap<WsPath, PlaceContents>, EditError> {
    let mut wishes: BTreeMap<WsPath, PlaceContents> = BTreeMap::new();
    let (mut left, mut reached) = (BTreeSet::new(), BTreeSet::new());
    let twice = |path: &WsPath| EditError::Refused { path: path.clone(), why: TWICE };
    for change in proposal.changes.iter().filter(|change| !change.is_nothing()) {
        let to = change.moved_to.as_ref().unwrap_or(&change.path);
        [&change.path, to].into_iter().try_for_each(check_allowed)?;
        if let Some(before) = &change.before {
            if !left.insert(&change.path) {
                return Err(twice(&change.path));
            }
            wishes.entry(change.path.clone()).or_default().before = Some(Arc::clone(before));
        }
        if let Some(after) = &change.after {
            if !reached.insert(to) {
                return Err(twice(to));
            }
            let wish = wishes.entry(to.clone()).or_default();
            wish.after = Some(Arc::clone(after));
            wish.from = (to != &change.path).then(|| change.path.clone());
        }
    }
    Ok(wishes)
}

fn check_allowed(path: &WsPath) -> Result<(), EditError> {
    let is_vcs = |part: &str| VCS.iter().any(|name| name.eq_ignore_ascii_case(part));
    let why = match path {
        path if path.is_root() => "it is the workspace itself",
        path if path.as_str().split('/').any(is_vcs) => "it belongs to version control",
        path if path.as_str().contains('\0') => "no file can have such a name",
        _ => return Ok(()),
    };
    Err(EditError::Refused { path: path.clone(), why })
}

/// Compares every place with its expected contents.
pub(crate) fn plan(
    files: &dyn Files,
    root: &AbsPath,
    wishes: &BTreeMap<WsPath, PlaceContents>,
) -> Result<WritePlan, NoPlan> {
    let looker = Looker { files, root };
    let mut found = BTreeMap::new();
    let mut differ = Vec::new();
    for (path, wish) in wishes {
        let place = looker.look_up_place(path, wish).map_err(NoPlan::Error)?;
        differ.extend(place.differs.map(|how| Difference { path: path.clone(), how }));
        found.insert(path, place);
    }
    if !differ.is_empty() {
        return Err(NoPlan::Differ(differ));
    }
    let mut plan = WritePlan { entries: Vec::new(), new_folders: Vec::new() };
    let mut places = BTreeSet::new();
    for (path, wish) in wishes {
        let place = &found[path];
        if !places.insert(&place.at) {
            let why = "another path of this edit leads to the same file";
            return Err(NoPlan::Error(EditError::Refused { path: path.clone(), why }));
        }
        // Two equal files swap their names.
        if wish.before == wish.after {
            continue;
        }
        let come_from = wish.from.as_ref().and_then(|from| found.get(from)?.attrs.clone());
        let attrs = wish.attrs.clone().or(come_from).or(place.attrs.clone());
        let old = wish.before.clone().map(|bytes| JournalSide { bytes, attrs: place.attrs.clone() });
        let new = wish.after.clone().map(|bytes| JournalSide { bytes, attrs });
        let stays = old.is_some() && new.is_some() && wish.from.is_none();
        if place.is_linked && !stays {
            return Err(NoPlan::Error(EditError::Refused { path: path.clone(), why: LINKED }));
        }
        let in_place = stays && (place.is_linked || place.is_foreign);
        plan.entries.push(JournalEntry { at: place.at.clone(), old, new, in_place });
        plan.new_folders.extend(place.new_folders.iter().cloned());
    }
    plan.new_folders.sort();
    plan.new_folders.dedup();
    Ok(plan)
}

/// The file at a path, compared with its expected contents.
struct PlannedPlace {
    at: WsPath,
    attrs: Option<Attrs>,
    /// True if the file has other names.
    is_linked: bool,
    /// True if a new file could not be given its owner and group.
    is_foreign: bool,
    differs: Option<Differs>,
    /// Folders of its path that do not exist yet.
    new_folders: Vec<WsPath>,
}

struct Looker<'a> {
    files: &'a dyn Files,
    root: &'a AbsPath,
}

impl Looker<'_> {
    fn look_up_place(&self, path: &WsPath, wish: &PlaceContents) -> Result<PlannedPlace, EditError> {
        let mut place = PlannedPlace {
            at: WsPath::root(),
            attrs: None,
            is_linked: false,
            is_foreign: false,
            differs: None,
            new_folders: Vec::new(),
        };
        let (folder, name) = path.as_str().rsplit_once('/').unwrap_or(("", path.as_str()));
        for part in folder.split('/').filter(|part| !part.is_empty()) {
            let missing = !place.new_folders.is_empty();
            place.at = join(&place.at, part);
            if missing || self.pass_folder(path, &mut place)? {
                place.new_folders.push(place.at.clone());
            }
        }
        place.at = join(&place.at, name);
        if place.new_folders.is_empty() {
            self.compare_file(path, wish, &mut place)?;
        } else if wish.before.is_some() {
            place.differs = Some(Differs::Gone);
        }
        check_allowed(&place.at)?;
        Ok(place)
    }

    /// Resolves one folder of a path. Returns true if it is missing.
    fn pass_folder(&self, path: &WsPath, place: &mut PlannedPlace) -> Result<bool, EditError> {
        let refused = |why| Err(EditError::Refused { path: path.clone(), why });
        match self.kind(path, &place.at)? {
            None => return Ok(true),
            Some(NodeKind::Folder) => {}
            Some(NodeKind::Link) => place.at = self.follow_link(path, &place.at)?,
            Some(_) => return refused("a folder of it is a file"),
        }
        match self.kind(path, &place.at)? {
            Some(NodeKind::Folder) => Ok(false),
            _ => refused("a folder of it is a file"),
        }
    }

    fn compare_file(
        &self,
        path: &WsPath,
        wish: &PlaceContents,
        place: &mut PlannedPlace,
    ) -> Result<(), EditError> {
        let Some(before) = &wish.before else {
            place.differs = self.kind(path, &place.at)?.map(|_| Differs::Exists);
            return Ok(());
        };
        if self.kind(path, &place.at)? == Some(NodeKind::Link) {
            if wish.after.is_none() || wish.from.is_some() {
                return Err(EditError::Refused { path: path.clone(), why: LINK });
            }
            place.at = self.follow_link(path, &place.at)?;
        }
        let at = self.root.join_ws(&place.at);
        let meta = self.files.meta(at.as_path()).map_err(|error| failed_at(path, &error))?;
        place.differs = match &meta {
            None => Some(Differs::Gone),
            Some(meta) if meta.kind == NodeKind::File => {
                let contents = self.files.read(at.as_path()).map_err(|error| failed_at(path, &error))?;
                let attrs = self.files.attrs(at.as_path()).map_err(|error| failed_at(path, &error))?;
                place.is_linked = meta.names > 1;
                place.is_foreign = !self.files.can_give(&attrs);
                place.attrs = Some(attrs);
                (contents != **before).then_some(Differs::Changed)
            }
            Some(_) => Some(Differs::NoFile),
        };
        Ok(())
    }

    fn kind(&self, path: &WsPath, at: &WsPath) -> Result<Option<NodeKind>, EditError> {
        let meta = self.files.meta(self.root.join_ws(at).as_path());
        Ok(meta.map_err(|error| failed_at(path, &error))?.map(|meta| meta.kind))
    }

    /// Returns the target of a symbolic link, within the workspace.
    fn follow_link(&self, path: &WsPath, at: &WsPath) -> Result<WsPath, EditError> {
        let refused = || EditError::Refused { path: path.clone(), why: OUTSIDE };
        let real = match self.files.real(self.root.join_ws(at).as_path()) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Err(refused()),
            other => other.map_err(|error| failed_at(path, &error))?,
        };
        let real = AbsPath::new(real).map_err(|_| refused())?;
        real.relative_to(self.root).map_err(|_| refused())
    }
}

fn join(folder: &WsPath, name: &str) -> WsPath {
    let path = if folder.is_root() { name.to_owned() } else { format!("{folder}/{name}") };
    // Parts of a workspace path are a valid path again.
    WsPath::new(&path).unwrap_or_else(|_| folder.clone())
}

fn failed_at(path: &WsPath, error: &io::Error) -> EditError {
    EditError::Failed { file: path.to_string(), cause: cause_without_number(error) }
}

/// Returns the workspace's own folder, without symbolic links.
pub(crate) fn real_root(files: &dyn Files, root: &AbsPath) -> Result<AbsPath, EditError> {
    let fail = |cause| EditError::Failed { file: root.to_string(), cause };
    let real = files.real(root.as_path()).map_err(|error| fail(cause_without_number(&error)))?;
    AbsPath::new(real).map_err(|error| fail(error.to_string()))
}

/// Returns a path for messages: relative to the workspace if it lies there.
pub(crate) fn shown_path(root: &AbsPath, path: &Path) -> String {
    path.strip_prefix(root.as_path()).unwrap_or(path).display().to_string()
}
