//! Decides which claims about references the map believes.
//!
//! A server knows places, the map knows names: a claim counts only if the map has a reference of the target's name, or
//! of a name under which the file imports it. That excludes places that a server reports by mistake, or in contents
//! that the map does not have, and uses for which the map records no reference (operators, import lines, local names).

use hob_base::FileId;
use rustc_hash::{FxHashMap, FxHashSet};

use super::confirmed::{Claim, Examined, Proof, RefSpot, spot_of};
use super::reach::Reaching;
use super::{Confidence, DefRef, EdgeKind, EdgeKinds, Map, NodeRef};
use crate::facts::{DefFlags, DefKind, Ref};
use crate::index::FileEntry;
use crate::resolve::{Resolution, Resolver, Thing};

/// Most types examined around one before it counts as related to everything.
const MOST_KIN: usize = 100;

impl Map {
    /// Selects the claims that are about references that the map has, with what they depend on. `None` if `go_on`,
    /// which is asked often, says to stop.
    #[must_use]
    pub fn examine(&self, claims: &[Claim], go_on: &dyn Fn() -> bool) -> Option<Examined> {
        let resolver = Resolver::new(&self.index);
        let mut examining = Examining { map: self, resolver: &resolver, alone: FxHashMap::default() };
        let mut examined = Examined {
            version: self.version,
            meant: FxHashMap::default(),
            doubted: Vec::new(),
            reaches: FxHashMap::default(),
        };
        for claim in claims {
            if !go_on() {
                return None;
            }
            let Some((at, target)) = examining.judge(claim) else { continue };
            match self
                .confirmed
                .reach_of_file(claim.file)
                .and_then(|_| examining.known_meaning(claim.file, at))
            {
                Some(known) if known == target => {}
                Some(_) => examined.doubted.push((claim.file, at)),
                None => examined.meant.entry(claim.file).or_default().push((at, target)),
            }
        }
        examined.drop_contradictions();
        let mut reaching = Reaching::new(self);
        for file in examined.meant.keys() {
            let reach = match self.confirmed.reach_of_file(*file) {
                Some(known) => known.clone(),
                None => reaching.reach_of(*file, go_on)?,
            };
            examined.reaches.insert(*file, reach);
        }
        Some(examined)
    }
}

impl Map {
    /// Returns the definition with this qualified name and ordinal in the file at this path.
    #[must_use]
    pub fn definition(&self, path: &str, qualified: &str, ordinal: u32) -> Option<DefRef> {
        let file = self.file_at(path)?;
        Some(DefRef { file, def: self.index.entry(file)?.def_qualified(qualified, ordinal)? })
    }

    /// Returns the definition that a declaration announces, if the map knows one; otherwise `def` itself.
    #[must_use]
    pub fn body_of(&self, def: DefRef) -> DefRef {
        Resolver::new(&self.index).body_of(def)
    }
}

impl Examined {
    /// Drops claims that contradict each other: none of them counts.
    fn drop_contradictions(&mut self) {
        for meant in self.meant.values_mut() {
            meant.sort_unstable();
            meant.dedup();
            let mut times: FxHashMap<RefSpot, u32> = FxHashMap::default();
            meant.iter().for_each(|(at, _)| *times.entry(*at).or_default() += 1);
            meant.retain(|(at, _)| times[at] == 1);
        }
        self.meant.retain(|_, meant| !meant.is_empty());
    }
}

struct Examining<'m> {
    map: &'m Map,
    resolver: &'m Resolver<'m>,
    /// True for each definition whose listed uses can mean nothing else.
    alone: FxHashMap<DefRef, bool>,
}

impl<'m> Examining<'m> {
    fn known_meaning(&self, file: FileId, at: RefSpot) -> Option<DefRef> {
        let entry = self.map.index.entry(file)?;
        let r = entry.facts.refs_named(at.0).iter().find(|r| spot_of(r) == at)?;
        self.map.confirmed.confirmed_def(file, r).map(|def| self.resolver.body_of(def))
    }

    /// Returns the reference that a believed claim is about, and the definition that it means in the map.
    fn judge(&mut self, claim: &Claim) -> Option<(RefSpot, DefRef)> {
        let entry = self.map.index.entry(claim.file)?;
        let target = self.resolver.body_of(claim.target);
        let made = self.made_by(target);
        let r = [Some(target), made]
            .into_iter()
            .flatten()
            .find_map(|def| self.claimed_reference(entry, claim, def))?;
        let found = self.resolver.resolve(claim.file, r);
        // Code that instantiates a type calls the type, as the map has it.
        let target = made.filter(|made| is_named(self.map, entry, r, *made)).unwrap_or(target);
        let is_believed = match (claim.proof, &found) {
            (_, Resolution::To(Thing::Def(def), _)) if *def == target => true,
            (Proof::Asked, _) => true,
            (Proof::Listed, Resolution::To(_, Confidence::Exact | Confidence::Import)) => false,
            (Proof::Listed, _) => self.is_alone(target),
        };
        is_believed.then(|| (spot_of(r), target))
    }

    /// Returns the type whose constructor a method is.
    fn made_by(&self, target: DefRef) -> Option<DefRef> {
        let entry = self.map.index.entry(target.file)?;
        let def = entry.facts.defs.get(target.def.index())?;
        let NodeRef::Def(class) = self.map.container(self.resolver, target)? else { return None };
        let class_entry = self.map.index.entry(class.file)?;
        let made = class_entry.facts.def(class.def);
        let name = entry.facts.name(def.name);
        let makes = matches!(name, "__init__" | "__new__" | "constructor")
            || (name == class_entry.facts.name(made.name) && def.kind == DefKind::Method);
        (makes && made.kind.is_type()).then_some(class)
    }

    /// Returns the file's reference at the claimed place that has the definition's name, or a name under which the file
    /// imports it.
    fn claimed_reference(&self, entry: &'m FileEntry, claim: &Claim, def: DefRef) -> Option<&'m Ref> {
        names_of(self.map, entry, def).into_iter().find_map(|name| {
            let width = entry.facts.name(name).encode_utf16().count() as u32;
            let (line, col) = claim.at;
            let within = |r: &&Ref| match claim.proof {
                Proof::Listed => r.col() == col,
                Proof::Asked => (r.col()..=r.col() + width).contains(&col),
            };
            entry.facts.refs_named(name).iter().filter(|r| r.line == line).find(within)
        })
    }

    /// Returns true if a use of a definition can mean nothing else: it is no member, or no type related to its own has
    /// another of its name. That is certain only if all bases of a type are visible.
    fn is_alone(&mut self, target: DefRef) -> bool {
        if let Some(known) = self.alone.get(&target) {
            return *known;
        }
        let alone = self.has_no_kin(target).unwrap_or(true);
        self.alone.insert(target, alone);
        alone
    }

    /// Returns true if no related type has a member of this name; `None` if the definition is no member of a type.
    fn has_no_kin(&self, target: DefRef) -> Option<bool> {
        let entry = self.map.index.entry(target.file)?;
        let name = entry.facts.name(entry.facts.defs.get(target.def.index())?.name);
        let NodeRef::Def(class) = self.map.container(self.resolver, target)? else { return None };
        if !self.kind(class)?.is_type() {
            return None;
        }
        if entry.lang().semantics().structural_interfaces && self.is_in_interface(name) {
            return Some(false);
        }
        let mut met = FxHashSet::from_iter([class]);
        let mut left = vec![class];
        while let Some(at) = left.pop() {
            let kin: Option<Vec<DefRef>> = self.base_types(at).map(|mut kin| {
                kin.extend(self.derived_types(at));
                kin
            });
            let Some(kin) = kin else { return Some(false) };
            for next in kin.into_iter().filter(|next| met.insert(*next)).collect::<Vec<_>>() {
                if met.len() > MOST_KIN || self.has_member(next, name) {
                    return Some(false);
                }
                left.push(next);
            }
        }
        Some(true)
    }

    fn kind(&self, def: DefRef) -> Option<DefKind> {
        Some(self.map.index.entry(def.file)?.facts.defs.get(def.def.index())?.kind)
    }

    /// Returns true if an interface that types implement implicitly declares a method of this name.
    fn is_in_interface(&self, name: &str) -> bool {
        let files = self.map.index.files_defining(name).iter().map(|file| FileId(*file));
        let mut defs = files.flat_map(|file| {
            let entry = self.map.index.entry(file);
            entry.into_iter().flat_map(move |entry| entry.defs_named(name).map(move |found| (entry, found.1)))
        });
        defs.any(|(entry, def)| {
            let parent = def.parent.map(|parent| entry.facts.def(parent).kind);
            parent == Some(DefKind::Interface) && entry.lang().semantics().structural_interfaces
        })
    }

    /// Returns the types that one is derived from; `None` if one of them is not visible.
    fn base_types(&self, class: DefRef) -> Option<Vec<DefRef>> {
        let entry = self.map.index.entry(class.file)?;
        let bases = entry.bases_of(class.def).map(|r| match self.resolver.resolve(class.file, r) {
            Resolution::To(Thing::Def(def), _) => Some(Some(def)),
            Resolution::Dropped => Some(None),
            Resolution::To(..) | Resolution::Unresolved => None,
        });
        bases.collect::<Option<Vec<_>>>().map(|bases| bases.into_iter().flatten().collect())
    }

    /// Returns the types that are, or may be, derived from one.
    fn derived_types(&self, class: DefRef) -> Vec<DefRef> {
        let kinds: EdgeKinds = [EdgeKind::Extends, EdgeKind::Implements].into_iter().collect();
        let found =
            self.map.edges_in_with(self.resolver, class.into(), kinds, &hob_base::CancelToken::default());
        let from = found.edges.into_iter().filter_map(|edge| match edge.from {
            NodeRef::Def(def) => Some(def),
            _ => None,
        });
        from.collect()
    }

    fn has_member(&self, class: DefRef, name: &str) -> bool {
        let Some(entry) = self.map.index.entry(class.file) else { return false };
        let owner = entry.facts.name(entry.facts.def(class.def).qualified);
        let elsewhere = self.map.index.with_members_of(owner).iter();
        let files = elsewhere.filter_map(|file| self.map.index.entry(FileId(*file)));
        std::iter::once(entry)
            .chain(files)
            .any(|entry| entry.defs_named(name).any(|(_, def)| entry.qualifier(def) == owner))
    }
}

/// Returns the names under which a file can mention a definition.
fn names_of(map: &Map, entry: &FileEntry, def: DefRef) -> Vec<crate::facts::StrId> {
    let Some(of) = map.index.entry(def.file) else { return Vec::new() };
    let Some(found) = of.facts.defs.get(def.def.index()) else { return Vec::new() };
    let own = entry.facts.names.find(of.facts.name(found.name));
    let default = entry.facts.names.find("default").filter(|_| found.flags.has(DefFlags::DEFAULT));
    let imports = entry.facts.imports.iter();
    let renamed = imports
        .filter(|import| import.name.is_some() && (import.name == own || import.name == default))
        .filter_map(|import| import.local);
    let mut names: Vec<_> = own.into_iter().chain(renamed).collect();
    names.dedup();
    names
}

fn is_named(map: &Map, entry: &FileEntry, r: &Ref, def: DefRef) -> bool {
    names_of(map, entry, def).contains(&r.name)
}
