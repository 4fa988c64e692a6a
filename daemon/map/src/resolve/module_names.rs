//! Resolves names in modules that are one name space over all their files, and members that extensions add to types
//! (Swift).

use std::rc::Rc;

use hob_base::FileId;

use super::choice::{pick_best_def, top_defs};
use super::{NameLookup, Resolution, Resolver, Site, Thing, outside_members};
use crate::facts::{DefFlags, Ref};
use crate::index::FileEntry;
use crate::langs::rules::PackageScope;
use crate::langs::semantics::OutsideMembers;
use crate::node::{Confidence, DefRef};

/// Most files that may define a top-level name that is resolved: a name with more definitions identifies none of them.
const MANY: usize = 256;

impl<'m> Resolver<'m> {
    /// Returns a top-level name of another file of the same module. If several files have it (functions with different
    /// parameters, a type for each system), it is one of them, and unknown which.
    pub(super) fn in_module(&self, site: Site<'m>, name: &str) -> Option<NameLookup> {
        let row = site.entry.lang().spec().filter(|row| row.package_scope == PackageScope::Module)?;
        let files = self.index.files_defining(name);
        if files.is_empty() || files.len() > MANY {
            return None;
        }
        let mut found = Vec::new();
        for file in files.iter().map(|&file| FileId(file)).filter(|file| *file != site.file) {
            let Some(entry) = self.entry(file).filter(|entry| entry.lang() == row.lang) else { continue };
            let visible = top_defs(entry, name).filter(|(_, def)| def.flags.has(DefFlags::EXPORTED));
            if let Some(def) = pick_best_def(visible, site.want) {
                let liked = site.want.prefers_kind(entry.facts.def(def).kind);
                found.push((liked, DefRef { file, def }));
            }
        }
        found.retain(|(_, def)| self.module_of(def.file) == self.module_of(site.file));
        if found.iter().any(|(liked, _)| *liked) {
            found.retain(|(liked, _)| *liked);
        }
        match found[..] {
            [] => None,
            [(_, def)] => Some(NameLookup::Thing(Thing::Def(def), Confidence::Import)),
            _ => Some(NameLookup::Bound),
        }
    }

    /// Returns a name in the file whose scope encloses that of the site's file.
    pub(super) fn in_scope_file(&self, site: Site<'m>, name: &str, open: bool) -> Option<NameLookup> {
        let file = self.get_or_compute(&self.scope_files, site.file, || {
            let row = site.entry.lang().spec()?;
            row.imports.scope_file(self.index, site.file).filter(|file| *file != site.file)
        })?;
        let around = Site { file, entry: self.entry(file)?, owner: None, ..site };
        Some(match self.resolve_bare(around, name) {
            NameLookup::Thing(thing, sure) => NameLookup::Thing(thing, sure.max(Confidence::Import)),
            NameLookup::Absent { open: unseen } => NameLookup::Absent { open: open || unseen },
            NameLookup::Bound => NameLookup::Bound,
        })
    }

    fn module_of(&self, file: FileId) -> Option<Rc<str>> {
        self.get_or_compute(&self.homes, file, || {
            let row = self.entry(file)?.lang().spec()?;
            row.imports.module_of(self.index, file).map(Into::into)
        })
    }

    /// Resolves `self.name` if the enclosing type is not visible. In an extension of a type from outside it means a
    /// member that such extensions add, or an invisible one.
    pub(super) fn selfless_ref(&self, site: Site<'m>, r: &Ref) -> Resolution {
        let facts = &site.entry.facts;
        let around = std::iter::successors(site.owner, |&def| facts.def(def).parent);
        let detached = around.map(|def| facts.def(def)).find(|def| site.entry.is_detached(def));
        match detached.filter(|_| outside_members(site) == OutsideMembers::Extensions) {
            Some(def) => {
                let added = self.member_from_outside(site, r, site.entry.qualifier(def));
                added.unwrap_or(Resolution::Unresolved)
            }
            None => self.unknown_ref(site, r),
        }
    }

    /// Returns a member that an extension in the project adds to a type that the project does not define.
    pub(super) fn member_from_outside(&self, site: Site<'m>, r: &Ref, ty: &str) -> Option<Resolution> {
        match outside_members(site) {
            OutsideMembers::Traits => return self.member_added_by_trait(site, r, ty),
            OutsideMembers::Extensions => {}
            OutsideMembers::None => return None,
        }
        let name = site.entry.facts.name(r.name);
        let last = ty.rsplit('.').next().unwrap_or(ty);
        let qualified = format!("{last}.{name}");
        let files = self.index.files_defining_detached(&qualified).iter().map(|&file| FileId(file));
        let is_ours = |entry: &&FileEntry| entry.lang() == site.entry.lang();
        let defs = files.filter_map(|file| {
            let entry = self.entry(file).filter(is_ours)?;
            Some(DefRef { file, def: entry.def_qualified(&qualified, 1)? })
        });
        match defs.collect::<Vec<_>>()[..] {
            [] => None,
            [def] => Some(Resolution::To(Thing::Def(def), Confidence::Import)),
            _ => Some(Resolution::Unresolved),
        }
    }
}
