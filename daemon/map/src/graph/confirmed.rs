//! Keeps references whose meaning a language server has confirmed, as an overlay over the edges that the map computes
//! itself.
//!
//! The map asks nobody; its caller (a language server knows types that no file spells out) hands in [`Claim`]s. They
//! are installed in two steps, because the first computes under a shared lock and the second needs the map alone:
//! [`Map::examine`] decides which claims are about references that the map has, and what each depends on;
//! [`Map::confirm`] installs them, unless the map has changed in between. From then on such a reference leads to the
//! confirmed definition, with confidence `live`, seen from both ends.
//!
//! A confirmation holds for the contents for which it was made. [`Map::apply`] forgets the confirmations of a file as
//! soon as anything in its [`Reach`] changes, and those to a definition whose file changes. The computed edge then
//! counts again, so the overlay can lack something and is never out of date. The *absence* of a confirmation means
//! nothing: a server sees its own project and language only, and does not say which files it omits.
//!
//! Scores, clusters and [`Map::export`] ignore the overlay: they depend on contents alone.

use std::collections::VecDeque;
use std::sync::Arc;

use hob_base::FileId;
use rustc_hash::{FxHashMap, FxHashSet};

use super::batch::{MapBatch, PreparedChange};
use super::reach::{BatchReach, Reach};
use super::{DefRef, Map};
use crate::facts::{Ref, StrId};
use crate::index::FileEntry;
use crate::resolve::Resolver;

/// Most references kept, and most file numbers in what they depend on: some megabytes each. Beyond, the files that were
/// confirmed longest ago are dropped.
const MOST_SPOTS: usize = 50_000;
const MOST_REACHED: usize = 1 << 20;

/// Most new files of one batch for which the changes that each may cause are computed.
const MANY_NEW: usize = 64;

/// The evidence for a claim.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Proof {
    /// The server was asked about this very reference.
    Asked,
    /// The server listed it among the uses of the definition. Servers count calls through an interface, or of what
    /// overrides a method, among the uses of that method; so this convinces only if nothing else could be meant.
    Listed,
}

/// A claim that a reference means a definition.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Claim {
    /// The file of the reference.
    pub file: FileId,
    /// 1-based line and UTF-16 column of the start of the name; for [`Proof::Asked`], of any place within the name.
    pub at: (u32, u32),
    /// The definition that the reference means.
    pub target: DefRef,
    /// The evidence for the claim.
    pub proof: Proof,
}

/// A reference in its file: name, line, column.
pub(super) type RefSpot = (StrId, u32, u32);

/// Claims that are about references of this map, with what they depend on.
#[derive(Debug)]
pub struct Examined {
    pub(super) version: u64,
    pub(super) meant: FxHashMap<FileId, Vec<(RefSpot, DefRef)>>,
    /// References about which a claim contradicts an earlier confirmation: neither counts.
    pub(super) doubted: Vec<(FileId, RefSpot)>,
    pub(super) reaches: FxHashMap<FileId, Reach>,
}

impl Examined {
    /// Returns true if confirming would change nothing.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.meant.is_empty() && self.doubted.is_empty()
    }

    /// Drops the references of the files for which `keep` returns false.
    pub fn retain(&mut self, mut keep: impl FnMut(FileId, &Reach) -> bool) {
        let reaches = &self.reaches;
        self.meant.retain(|file, _| reaches.get(file).is_some_and(|reach| keep(*file, reach)));
    }
}

/// The confirmed references of one file, in a form to store.
#[derive(Clone, Debug)]
pub struct FileConfirmations {
    /// The file that the references stand in.
    pub file: FileId,
    /// A number that grows with every confirmation; see [`Map::confirmed_since`].
    pub stamp: u64,
    /// The files that the confirmations depend on.
    pub reach: Arc<Reach>,
    /// The places of the names, and the definitions that they mean.
    pub spots: Vec<((u32, u32), DefRef)>,
}

#[derive(Debug)]
struct OfFile {
    reach: Arc<Reach>,
    meant: FxHashMap<RefSpot, DefRef>,
    stamp: u64,
}

/// The overlay of confirmed references over the computed edges.
#[derive(Debug, Default)]
pub(super) struct Confirmed {
    files: FxHashMap<FileId, OfFile>,
    uses: FxHashMap<DefRef, FxHashSet<(FileId, RefSpot)>>,
    /// Files in the order in which they were first confirmed; some may be gone.
    order: VecDeque<FileId>,
    reaches: FxHashSet<Arc<Reach>>,
    spots: usize,
    reached: usize,
    stamp: u64,
}

impl Confirmed {
    pub(super) fn is_empty(&self) -> bool {
        self.files.is_empty()
    }

    /// Yields the files that have confirmed references.
    pub(super) fn files(&self) -> impl Iterator<Item = FileId> + '_ {
        self.files.keys().copied()
    }

    pub(super) fn confirmed_def(&self, file: FileId, r: &Ref) -> Option<DefRef> {
        self.files.get(&file)?.meant.get(&spot_of(r)).copied()
    }

    pub(super) fn reach_of_file(&self, file: FileId) -> Option<&Reach> {
        Some(&*self.files.get(&file)?.reach)
    }

    fn uses_of(&self, target: DefRef) -> impl Iterator<Item = (FileId, RefSpot)> + '_ {
        self.uses.get(&target).into_iter().flatten().copied()
    }

    fn add(&mut self, file: FileId, reach: Reach, meant: Vec<(RefSpot, DefRef)>) {
        self.stamp += 1;
        if !self.files.contains_key(&file) {
            let reach = self.shared_reach(reach);
            self.reached += reach_width(&reach);
            self.order.push_back(file);
            self.files.insert(file, OfFile { reach, meant: FxHashMap::default(), stamp: 0 });
        }
        let Some(held) = self.files.get_mut(&file) else { return };
        held.stamp = self.stamp;
        for (spot, target) in meant {
            if held.meant.insert(spot, target).is_none() {
                self.spots += 1;
            }
            self.uses.entry(target).or_default().insert((file, spot));
        }
        self.drop_oldest();
    }

    /// Returns the reach, shared with an equal one: files that import each other have the same.
    fn shared_reach(&mut self, reach: Reach) -> Arc<Reach> {
        if let Some(known) = self.reaches.get(&reach) {
            return Arc::clone(known);
        }
        let reach = Arc::new(reach);
        self.reaches.insert(Arc::clone(&reach));
        reach
    }

    fn drop_oldest(&mut self) {
        while self.spots > MOST_SPOTS || self.reached > MOST_REACHED {
            let Some(oldest) = self.order.pop_front() else { return };
            self.drop_file(oldest);
        }
        if self.order.len() > 2 * self.files.len() + 16 {
            let files = &self.files;
            let mut met = FxHashSet::default();
            self.order.retain(|file| files.contains_key(file) && met.insert(*file));
        }
    }

    fn drop_file(&mut self, file: FileId) {
        let Some(gone) = self.files.remove(&file) else { return };
        self.reached -= reach_width(&gone.reach);
        for (spot, target) in gone.meant {
            self.drop_use(target, (file, spot));
        }
        // The map of files has dropped its copy: one is `gone`, the other is in the set.
        if Arc::strong_count(&gone.reach) <= 2 {
            self.reaches.remove(&gone.reach);
        }
    }

    fn drop_use(&mut self, target: DefRef, of: (FileId, RefSpot)) {
        self.spots -= 1;
        if let Some(uses) = self.uses.get_mut(&target) {
            uses.remove(&of);
            if uses.is_empty() {
                self.uses.remove(&target);
            }
        }
    }

    fn drop_spot(&mut self, file: FileId, spot: RefSpot) {
        let Some(held) = self.files.get_mut(&file) else { return };
        let Some(target) = held.meant.remove(&spot) else { return };
        self.stamp += 1;
        held.stamp = self.stamp;
        self.drop_use(target, (file, spot));
    }

    /// Forgets the confirmations that depend on touched files.
    fn forget_touched(&mut self, touched: &BatchReach) {
        let gone =
            self.files.iter().filter(|(_, held)| held.reach.is_touched_by(touched)).map(|(file, _)| *file);
        let gone: Vec<FileId> = gone.collect();
        gone.into_iter().for_each(|file| self.drop_file(file));
        let targets = self.uses.keys().filter(|target| touched.files.contains(&target.file));
        let targets: Vec<DefRef> = targets.copied().collect();
        let lost: Vec<(FileId, RefSpot)> =
            targets.into_iter().flat_map(|target| self.uses_of(target)).collect();
        lost.into_iter().for_each(|(file, spot)| self.drop_spot(file, spot));
    }

    /// Estimates the bytes that the overlay holds on the heap.
    pub(super) fn heap_bytes(&self) -> usize {
        4 * self.reached + 80 * self.spots + 100 * self.files.len()
    }
}

fn reach_width(reach: &Reach) -> usize {
    match reach {
        Reach::Files(files) => files.len(),
        Reach::Family(_) => 1,
    }
}

pub(super) fn spot_of(r: &Ref) -> RefSpot {
    (r.name, r.line, r.col())
}

impl Map {
    /// Returns the definition that a reference was confirmed to mean; `None` for a resolver that uses contents alone.
    pub(super) fn confirmed_meaning(&self, resolver: &Resolver<'_>, file: FileId, r: &Ref) -> Option<DefRef> {
        if self.confirmed.is_empty() || resolver.is_passing() {
            return None;
        }
        // The server may have confirmed the declaration, before any file defined it.
        self.confirmed.confirmed_def(file, r).map(|def| resolver.body_of(def))
    }

    /// Returns the references that were confirmed to mean a definition.
    pub(super) fn confirmed_uses(&self, resolver: &Resolver<'_>, target: DefRef) -> Vec<(FileId, &Ref)> {
        if self.confirmed.is_empty() {
            return Vec::new();
        }
        let mut targets = self.confirmed_announcing(target);
        targets.push(target);
        targets.retain(|def| resolver.body_of(*def) == target);
        let spots = targets.into_iter().flat_map(|target| self.confirmed.uses_of(target));
        let refs = spots.flat_map(|(file, at)| {
            let refs = self.index.entry(file).map_or(&[][..], |entry| entry.facts.refs_named(at.0));
            refs.iter().filter(move |r| spot_of(r) == at).map(move |r| (file, r))
        });
        refs.collect()
    }

    /// Returns the declarations that have confirmed uses and may announce this definition, in languages with headers.
    fn confirmed_announcing(&self, target: DefRef) -> Vec<DefRef> {
        let Some(entry) = self.index.entry(target.file) else { return Vec::new() };
        if !entry.lang().semantics().declares_in_headers {
            return Vec::new();
        }
        let name = entry.facts.name(entry.facts.def(target.def).name);
        let files = self.index.files_defining(name).iter().map(|file| FileId(*file));
        let defs = files.flat_map(|file| {
            let entry = self.index.entry(file).into_iter();
            entry.flat_map(move |entry| entry.defs_named(name).map(move |(def, _)| DefRef { file, def }))
        });
        defs.filter(|def| *def != target && self.confirmed.uses.contains_key(def)).collect()
    }

    /// Installs examined claims. Returns false, and does nothing, if the map has changed since they were examined.
    pub fn confirm(&mut self, examined: Examined) -> bool {
        if examined.version != self.version {
            return false;
        }
        let Examined { meant, doubted, mut reaches, .. } = examined;
        for (file, spot) in doubted {
            self.confirmed.drop_spot(file, spot);
        }
        let mut meant: Vec<_> = meant.into_iter().collect();
        meant.sort_unstable_by_key(|(file, _)| *file);
        for (file, meant) in meant {
            if let Some(reach) = reaches.remove(&file) {
                self.confirmed.add(file, reach, meant);
            }
        }
        true
    }

    /// Returns the confirmed references of all files for which something was confirmed since `stamp` (0: of all files).
    #[must_use]
    pub fn confirmed_since(&self, stamp: u64) -> Vec<FileConfirmations> {
        let of_file = |(file, held): (&FileId, &OfFile)| {
            let mut spots: Vec<_> = held.meant.iter().map(|(at, target)| ((at.1, at.2), *target)).collect();
            spots.sort_unstable();
            FileConfirmations { file: *file, stamp: held.stamp, reach: Arc::clone(&held.reach), spots }
        };
        let new = self.confirmed.files.iter().filter(|(_, held)| held.stamp > stamp);
        let mut kept: Vec<FileConfirmations> = new.map(of_file).collect();
        kept.sort_unstable_by_key(|kept| kept.file);
        kept
    }

    /// Returns true if any reference of a file is confirmed.
    #[must_use]
    pub fn is_confirmed(&self, file: FileId) -> bool {
        self.confirmed.files.contains_key(&file)
    }

    /// Returns the files that a batch touches, as far as that shows before it is applied, and the files that it adds.
    pub(super) fn touched_by(&self, changes: &[PreparedChange]) -> (BatchReach, Vec<FileId>) {
        let (mut touched, mut new) = (BatchReach::default(), Vec::new());
        for change in changes {
            let file = change.file;
            touched.files.insert(file);
            let old = self.index.entry(file);
            touched.families.extend(old.map(|old| old.lang().language_group()));
            let Some(entry) = &change.entry else { continue };
            touched.families.insert(entry.lang().language_group());
            let displaced = self.index.paths().file(entry.path.as_str()).filter(|other| *other != file);
            touched.files.extend(displaced);
            if self.is_new(change) {
                new.push(file);
            }
        }
        (touched, new)
    }

    /// Returns true if a change adds a file, or moves it to another path or package.
    fn is_new(&self, change: &PreparedChange) -> bool {
        let Some(entry) = &change.entry else { return false };
        let package = |facts: &crate::FileFacts| facts.package.map(|id| facts.name(id).to_owned());
        let is_same =
            |old: &FileEntry| old.path == entry.path && package(&old.facts) == package(&entry.facts);
        !self.index.entry(change.file).is_some_and(is_same)
    }

    /// Returns true if a batch adds so many files that the changes that each may cause are not computed. They are
    /// counted once, before any of them is applied.
    pub(super) fn has_many_new(&self, batch: &mut MapBatch) -> bool {
        if let Some(known) = batch.has_many_new {
            return known;
        }
        let many = batch.size() > MANY_NEW
            && batch.changes().filter(|change| self.is_new(change)).count() > MANY_NEW;
        batch.has_many_new = Some(many);
        many
    }

    /// Forgets the confirmations that depended on files of an applied batch.
    pub(super) fn forget_confirmed(&mut self, mut touched: BatchReach, new: Vec<FileId>, has_many_new: bool) {
        // A project file may redirect every import.
        if touched.families.iter().any(|family| family.is_manifest()) || has_many_new {
            let stamp = self.confirmed.stamp;
            let emptied = Confirmed { stamp, ..Confirmed::default() };
            self.forgotten.push(std::mem::replace(&mut self.confirmed, emptied));
            return;
        }
        for file in &new {
            let entry = self.index.entry(*file);
            touched.files.extend(entry.into_iter().flat_map(|entry| self.may_name(entry, &new)));
            let seeing = entry.map(|entry| self.may_see(entry)).unwrap_or_default();
            touched.files.extend(seeing);
        }
        self.confirmed.forget_touched(&touched);
    }

    /// Returns the confirmed files that may name a package that did not exist before: all files of its language.
    fn may_name(&self, entry: &FileEntry, new: &[FileId]) -> Vec<FileId> {
        let is_declared = entry.lang().spec().is_some_and(|spec| spec.package_scope.is_declared());
        let package = entry.facts.package.filter(|_| is_declared).map(|id| entry.facts.name(id));
        let Some(package) = package else { return Vec::new() };
        if self.index.paths().files_of_package(package).iter().any(|file| !new.contains(file)) {
            return Vec::new();
        }
        let family = |file: &FileId| self.index.entry(*file).map(|of| of.lang().language_group());
        let files = self.confirmed.files.keys().copied();
        files.filter(|file| family(file) == Some(entry.lang().language_group())).collect()
    }
}
