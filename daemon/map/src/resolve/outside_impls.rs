//! Resolves members of implementations for types from outside the project (Rust): `impl RequestExt for http::Request`.
//!
//! The project defines no type that has their methods. They are found by the name of the type, if it means the same
//! package at the call and at the implementation; and they implement what their trait declares.

use hob_base::FileId;

use super::written::has_trait_members;
use super::{NameLookup, Resolution, Resolver, Site, Thing, WantedKind};
use crate::facts::{Receiver, Ref, RefKind, TypePart};
use crate::index::FileEntry;
use crate::node::{Confidence, DefRef};

impl<'m> Resolver<'m> {
    /// Returns the member that the project implements for the type from outside in a reference's receiver; `None` if it
    /// implements none.
    pub(super) fn written_for(&self, site: Site<'m>, r: &Ref, thing: &Thing) -> Option<Resolution> {
        let Thing::External(package) = thing else { return None };
        if !has_trait_members(site.entry) {
            return None;
        }
        let (Receiver::Path(ty) | Receiver::Typed(ty)) = r.receiver() else { return None };
        let ty = site.entry.facts.name(ty);
        let last = ty.rsplit('.').next().filter(|last| last.starts_with(char::is_uppercase))?;
        let qualified = format!("{last}.{}", site.entry.facts.name(r.name));
        let written = self.index.files_defining_detached(&qualified).iter().filter_map(|&file| {
            let entry = self.entry(FileId(file)).filter(|entry| has_trait_members(entry))?;
            Some(DefRef { file: FileId(file), def: entry.def_qualified(&qualified, 1)? })
        });
        let found: Vec<DefRef> = written.filter(|def| self.may_be_for(*def, package)).collect();
        match found[..] {
            [] => None,
            [def] => Some(Resolution::To(def.into(), Confidence::Import)),
            _ => Some(Resolution::Unresolved),
        }
    }

    /// Returns true if the type of a detached method is of a package, or is unknown.
    fn may_be_for(&self, method: DefRef, package: &str) -> bool {
        let Some((entry, def)) = self.def(method) else { return false };
        let site = Site { file: method.file, entry, owner: def.parent, want: WantedKind::Scope };
        let of = match self.follow_path(site, entry.qualifier(def)) {
            NameLookup::Thing(Thing::Def(ty), _) if !self.has_members(ty) => {
                self.type_of(ty, TypePart::VALUE, None)
            }
            NameLookup::Thing(thing, _) => Some(thing),
            NameLookup::Bound | NameLookup::Absent { .. } => return true,
        };
        matches!(of, Some(Thing::External(of)) if *of == *package)
    }

    /// Returns the trait whose implementation for a type from outside contains a method. As only traits can be
    /// implemented for such a type, it is the last one that is implemented before the method.
    pub(crate) fn trait_of_impl(&self, method: DefRef) -> Option<DefRef> {
        self.fuel.set(super::FUEL);
        self.cut.set(false);
        let (entry, def) = self.def(method)?;
        if !has_trait_members(entry) || !entry.is_detached(def) {
            return None;
        }
        let owner = self.owner_of_detached(entry, method);
        if owner.is_some_and(|owner| self.has_members(owner)) {
            return None;
        }
        let is_before = |r: &&Ref| r.owner == def.parent && r.line <= def.lines.0;
        let implemented =
            entry.facts.refs.iter().filter(|r| r.kind() == RefKind::Implements).filter(is_before);
        let r = implemented.max_by_key(|r| (r.line, r.col()))?;
        let site = Site { file: method.file, entry, owner: def.parent, want: WantedKind::Type };
        self.implemented(site, entry, r).filter(|of_trait| self.has_members(*of_trait))
    }

    fn implemented(&self, site: Site<'m>, entry: &'m FileEntry, r: &Ref) -> Option<DefRef> {
        let name = entry.facts.name(r.name);
        let found = match r.receiver() {
            Receiver::None => self.resolve_bare(site, name),
            Receiver::Path(path) => match self.follow_path(site, entry.facts.name(path)) {
                NameLookup::Thing(thing, _) => self.member_of_thing(site, &thing, name),
                other => other,
            },
            _ => NameLookup::Bound,
        };
        match found {
            NameLookup::Thing(Thing::Def(def), _) => Some(def),
            _ => None,
        }
    }
}
