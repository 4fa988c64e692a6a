//! Resolves bare names: in the scopes around them, the file, the package, and star imports.

use hob_base::FileId;

use super::choice::{is_table, is_top, pick_best_def, top_defs};
use super::members::MemberLookup;
use super::{NameLookup, Resolver, Site, Thing, WantedKind};
use crate::facts::{Def, DefIdx, DefKind, Import};
use crate::index::{FileEntry, NameBindings};
use crate::langs::rules::PackageScope;
use crate::node::{Confidence, DefRef};

impl<'m> Resolver<'m> {
    /// Resolves a bare name at its site.
    pub(super) fn resolve_bare(&self, site: Site<'m>, name: &str) -> NameLookup {
        self.with_fuel(NameLookup::Bound, || self.bare_inner(site, name))
    }

    fn bare_inner(&self, site: Site<'m>, name: &str) -> NameLookup {
        let here = site.entry.bindings_of(name);
        match self.in_scopes(site, here, name) {
            NameLookup::Absent { open } => self.beyond_scopes(site, name, open),
            found => found,
        }
    }

    /// Resolves a name in the lexical scopes around it and at the top level of the file.
    fn in_scopes(&self, site: Site<'m>, here: NameBindings<'m>, name: &str) -> NameLookup {
        let (mut open, mut scope) = (false, site.owner);
        // If members need `self`, a name that the file does not define is in none of its scopes.
        if here.is_empty() && !has_bare_members(site) {
            scope = None;
        }
        while let Some(at) = scope {
            match self.in_scope(site, at, here, name) {
                NameLookup::Absent { open: unseen } => open |= unseen,
                found => return found,
            }
            if is_closed_module(site, at) {
                return NameLookup::Absent { open };
            }
            scope = site.entry.facts.def(at).parent;
        }
        self.top_level(site, here).unwrap_or(NameLookup::Absent { open })
    }

    /// Resolves a name that the file itself does not define or import.
    fn beyond_scopes(&self, site: Site<'m>, name: &str, open: bool) -> NameLookup {
        let mut around = std::iter::successors(site.owner, |&def| site.entry.facts.def(def).parent);
        if let Some(module) = around.find(|&at| is_closed_module(site, at)) {
            return self.through_stars(site, name, Some(module), open);
        }
        if let Some(found) = self.in_module(site, name) {
            return found;
        }
        if let Some(def) = self.in_package(site, name) {
            return NameLookup::Thing(Thing::Def(def), Confidence::Import);
        }
        match self.through_stars(site, name, None, open) {
            NameLookup::Absent { open } => {
                if let Some(found) = self.in_scope_file(site, name, open) {
                    return found;
                }
                self.global_binding(site, name).unwrap_or(NameLookup::Absent { open })
            }
            found => found,
        }
    }

    /// Resolves a name directly inside an enclosing definition.
    fn in_scope(&self, site: Site<'m>, at: DefIdx, named: NameBindings<'m>, name: &str) -> NameLookup {
        let def = site.entry.facts.def(at);
        let here = DefRef { file: site.file, def: at };
        if is_table(site.entry, def) {
            return NameLookup::Absent { open: false };
        }
        if def.kind.is_type() {
            if has_bare_members(site) {
                return self.bare_member(site, here, name);
            }
            let own = if site.owner == Some(at) { self.own_member(here, name) } else { None };
            let own = own.filter(|own| self.is_name_inside(*own));
            return own.map_or(NameLookup::Absent { open: false }, |def| found_exactly(def.into()));
        }
        // Members of an object literal are no names inside it: in `{ adapter: adapter() }` the call is of another
        // `adapter`.
        let is_scoped = |child: &Def| {
            !site.entry.lang().semantics().objects_hide_members
                || !matches!(child.kind, DefKind::Field | DefKind::Method)
        };
        let inside = named.defs().filter(|(idx, child)| {
            *idx != at
                && is_scoped(child)
                && (child.parent == Some(at) || is_reopened(site.entry, def, child))
        });
        if let Some(child) = pick_best_def(inside, site.want) {
            return found_exactly(Thing::Def(DefRef { file: site.file, def: child }));
        }
        if let Some(found) = self.imported_as(site, named, Some(at)) {
            return found;
        }
        if has_bare_members(site) && site.entry.is_detached(def) {
            return self.beside_detached(site, def, name);
        }
        NameLookup::Absent { open: false }
    }

    /// Returns true if code in a type's body may use its member as a bare name. In `class A { load = load; }` the value
    /// is another `load`.
    fn is_name_inside(&self, member: DefRef) -> bool {
        self.def(member).is_none_or(|(entry, def)| {
            !entry.lang().semantics().objects_hide_members
                || !matches!(def.kind, DefKind::Field | DefKind::Method)
        })
    }

    /// Resolves a name inside `void A::f() { … }`: to a member of `A`, or to something else of the namespace `A`.
    fn beside_detached(&self, site: Site<'m>, def: &Def, name: &str) -> NameLookup {
        let outside = Site { owner: def.parent, want: WantedKind::Scope, ..site };
        match self.follow_path(outside, site.entry.qualifier(def)) {
            NameLookup::Thing(Thing::Def(class), _) if self.has_members(class) => {
                self.bare_member(site, class, name)
            }
            NameLookup::Thing(..) | NameLookup::Absent { .. } => NameLookup::Absent { open: false },
            NameLookup::Bound => NameLookup::Absent { open: true },
        }
    }

    fn bare_member(&self, site: Site<'m>, class: DefRef, name: &str) -> NameLookup {
        // A constructor has its class's name; as a bare name it means the class.
        let is_constructor = self.def(class).is_some_and(|(e, def)| e.facts.name(def.name) == name);
        if is_constructor {
            return NameLookup::Absent { open: false };
        }
        match self.find_member(class, name) {
            MemberLookup::Found(def) if self.fits_bare(site, def) && self.is_name_inside(def) => {
                let near = def.file == site.file;
                NameLookup::Thing(Thing::Def(def), if near { Confidence::Exact } else { Confidence::Import })
            }
            MemberLookup::Found(_) => NameLookup::Absent { open: false },
            MemberLookup::Missing { open } => {
                NameLookup::Absent { open: open && site.want != WantedKind::Type }
            }
        }
    }

    fn fits_bare(&self, site: Site<'m>, def: DefRef) -> bool {
        let kind = self.def(def).map(|(_, def)| def.kind);
        match site.want {
            WantedKind::Type => kind.is_some_and(|kind| WantedKind::Type.prefers_kind(kind)),
            WantedKind::Scope | WantedKind::Callee | WantedKind::Any => kind.is_some(),
        }
    }

    /// Resolves a name at the top level of the file, where it is defined or imported; `None` if it is neither.
    fn top_level(&self, site: Site<'m>, here: NameBindings<'m>) -> Option<NameLookup> {
        if let Some(def) = pick_best_def(here.defs().filter(|(_, def)| is_top(def)), site.want) {
            return Some(found_exactly(Thing::Def(DefRef { file: site.file, def })));
        }
        self.imported_as(site, here, None)
    }

    /// Returns the thing that imports in `owner` (`None`: at file level) bind to this name. Of several imports, one
    /// that leads into the project has precedence: the others are fallbacks for when it is not installed.
    pub(super) fn imported_as(
        &self,
        site: Site<'m>,
        here: NameBindings<'m>,
        owner: Option<DefIdx>,
    ) -> Option<NameLookup> {
        let mut best: Option<NameLookup> = None;
        for (at, _) in here.imports().filter(|(_, import)| import.owner == owner) {
            let found = self.binding_at(site.file, site.entry, at);
            if matches!(found, NameLookup::Thing(Thing::Def(_), _)) {
                return Some(found);
            }
            if best.as_ref().is_none_or(|best| rank(&found) < rank(best)) {
                best = Some(found);
            }
        }
        best
    }

    /// Returns a top-level definition in another file of the same package.
    fn in_package(&self, site: Site<'m>, name: &str) -> Option<DefRef> {
        let package = site.entry.facts.package.map(|id| site.entry.facts.name(id));
        if site.entry.lang().spec()?.package_scope == PackageScope::Enclosing {
            return self.in_packages_around(site, name, package?);
        }
        let paths = self.index.paths();
        let files = match site.entry.lang().spec()?.package_scope {
            PackageScope::File | PackageScope::Module => return None,
            PackageScope::Folder => paths.files_in(site.entry.path.dir()),
            // A file without a package sees the files of its folder.
            PackageScope::Package
                if package.is_none() && site.entry.lang().semantics().root_namespace.is_none() =>
            {
                paths.files_in(site.entry.path.dir())
            }
            PackageScope::Package | PackageScope::Enclosing => paths.files_of_package(package?),
        };
        let same = |entry: &FileEntry| {
            entry.lang().language_group() == site.entry.lang().language_group()
                && entry.facts.package.map(|id| entry.facts.name(id)) == package
        };
        self.first_defining(files, name, site.want, &same)
    }

    /// Returns the definition in the first of `files`, by path, that defines `name` at top level and for which `keep`
    /// returns true.
    pub(super) fn first_defining(
        &self,
        files: &[FileId],
        name: &str,
        want: WantedKind,
        keep: &dyn Fn(&FileEntry) -> bool,
    ) -> Option<DefRef> {
        let defining = self.index.files_defining(name);
        let look = |file: FileId| {
            let entry = self.entry(file).filter(|entry| keep(entry))?;
            pick_best_def(top_defs(entry, name), want).map(|def| DefRef { file, def })
        };
        if files.len() <= 4 * defining.len() {
            let mut within = files.iter().copied().filter(|file| defining.binary_search(&file.0).is_ok());
            return within.find_map(look);
        }
        let found = defining.iter().map(|&file| FileId(file)).filter(|file| files.contains(file));
        let found = found.filter_map(look);
        found.min_by_key(|def| self.entry(def.file).map(|entry| entry.path.as_str()))
    }

    fn through_stars(&self, site: Site<'m>, name: &str, owner: Option<DefIdx>, mut open: bool) -> NameLookup {
        if site.entry.lang().semantics().textual_imports {
            return match self.included_def(site, name) {
                Some((def, confidence)) => NameLookup::Thing(Thing::Def(def), confidence),
                None => NameLookup::Absent { open },
            };
        }
        if site.entry.lang().semantics().stars_keep_packages {
            return self.starred_in_packages(site, name, open);
        }
        let stars =
            site.entry.star_imports().filter(|star| star.owner == owner || is_around(site, star.owner));
        for star in in_binding_order(site.entry, stars) {
            let module = self.resolve_module(site.file, site.entry, star.module);
            match self.lookup_in(&module, name, &mut Vec::new()) {
                NameLookup::Thing(Thing::External(_), _) | NameLookup::Bound => open = true,
                NameLookup::Thing(thing, confidence) => {
                    return NameLookup::Thing(thing, confidence.max(Confidence::Import));
                }
                NameLookup::Absent { open: unseen } => open |= unseen,
            }
        }
        if owner.is_none() {
            return self.through_project_wide(site, name, open);
        }
        NameLookup::Absent { open }
    }
}

/// Returns star imports in the order in which they bind a name: the first one decides.
pub(super) fn in_binding_order<'i>(
    entry: &FileEntry,
    stars: impl Iterator<Item = &'i Import>,
) -> Vec<&'i Import> {
    let mut stars: Vec<&Import> = stars.collect();
    if entry.lang().semantics().last_star_binds {
        stars.reverse();
    }
    stars
}

/// Returns true if an import in `owner` is visible at the site.
fn is_around(site: Site<'_>, owner: Option<DefIdx>) -> bool {
    let chain = std::iter::successors(site.owner, |&def| site.entry.facts.def(def).parent);
    owner.is_some_and(|owner| chain.into_iter().any(|def| def == owner))
}

fn found_exactly(thing: Thing) -> NameLookup {
    NameLookup::Thing(thing, Confidence::Exact)
}

impl From<DefRef> for Thing {
    fn from(def: DefRef) -> Self {
        Self::Def(def)
    }
}

fn rank(found: &NameLookup) -> u8 {
    match found {
        NameLookup::Thing(Thing::Def(_), _) => 0,
        NameLookup::Thing(Thing::Module(_), _) => 1,
        NameLookup::Thing(Thing::External(_), _) => 2,
        NameLookup::Bound => 3,
        NameLookup::Absent { .. } => 4,
    }
}

/// Returns true if a bare name inside a type can mean a member of it.
fn has_bare_members(site: Site<'_>) -> bool {
    site.entry.lang().spec().is_some_and(|spec| spec.bare_members)
}

/// Returns true if a definition is a module that does not see the names around it.
fn is_closed_module(site: Site<'_>, at: DefIdx) -> bool {
    site.entry.lang().semantics().closed_modules && site.entry.facts.def(at).kind == DefKind::Module
}

/// Returns true if `child` is in another part of the namespace of which `scope` is a part.
fn is_reopened(entry: &FileEntry, scope: &Def, child: &Def) -> bool {
    let parent = child.parent.map(|parent| entry.facts.def(parent));
    scope.kind == DefKind::Module
        && parent.is_some_and(|parent| parent.kind == DefKind::Module && parent.qualified == scope.qualified)
}
