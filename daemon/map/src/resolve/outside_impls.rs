//! Implementations for types from outside the project (Rust): `impl RequestExt for http::Request`.
//!
//! Their methods are members of nothing that the project defines. They are found by the name of the type, where the place that
//! calls and the place that implements mean the same package by it; and they take the place of what their trait declares.

use hob_base::FileId;

use super::written::has_trait_members;
use super::{NameLookup, Resolution, Resolver, Site, Thing, Want};
use crate::facts::{Receiver, Ref, RefKind, TypePart};
use crate::index::FileEntry;
use crate::node::{Confidence, DefRef};

impl<'m> Resolver<'m> {
    /// The member that the project writes for the type from outside that a reference's receiver names; `None` where it writes none.
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

    /// Returns true if the type that a detached method is written for is one of a package, or cannot be told.
    fn may_be_for(&self, method: DefRef, package: &str) -> bool {
        let Some((entry, def)) = self.def(method) else { return false };
        let site = Site { file: method.file, entry, owner: def.parent, want: Want::Scope };
        let of = match self.follow_path(site, entry.qualifier(def)) {
            NameLookup::Thing(Thing::Def(ty), _) if !self.has_members(ty) => {
                self.type_of(ty, TypePart::VALUE, None)
            }
            NameLookup::Thing(thing, _) => Some(thing),
            NameLookup::Bound | NameLookup::Absent { .. } => return true,
        };
        matches!(of, Some(Thing::External(of)) if *of == *package)
    }

    /// The trait whose implementation for a type from outside a method stands in. As only traits can be implemented for such a type,
    /// it is the one that is implemented last before it.
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
        let site = Site { file: method.file, entry, owner: def.parent, want: Want::Type };
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
