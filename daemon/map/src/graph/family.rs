//! Finds the family of a method: the methods that it overrides and those that override it, at any number of steps.
//!
//! A call by the name that a base, a trait or an interface gives a method may reach any method that overrides it, so
//! queries about one are queries about all. Siblings, which override the same method and not each other, are no family:
//! no call of one reaches another. Constructors have none, because each is called by the name of its own type.

use std::cell::RefCell;
use std::rc::Rc;

use hob_base::FileId;
use rustc_hash::FxHashMap;

use super::{DefRef, Map, NodeRef};
use crate::facts::{Def, DefFlags, DefKind};
use crate::index::FileEntry;
use crate::langs::lang::Lang;
use crate::resolve::{Resolver, is_constructor};

/// Most files that may define a name that is looked for in families.
const MANY: usize = 4000;

/// The relation of a method to the queried one.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Kinship {
    /// It is overridden or implemented by the queried method.
    Overridden,
    /// It overrides or implements the queried method.
    Overriding,
}

/// A method of the same family as another.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Relative {
    /// The method that is related.
    pub method: DefRef,
    /// The type that it is a member of; for an implementation for a type from outside the project, the trait.
    pub owner: DefRef,
    /// The relation to the queried method.
    pub kinship: Kinship,
}

/// Finds families for one query, and caches them and the types above each type.
#[derive(Debug)]
pub(super) struct Families<'s, 'm> {
    map: &'m Map,
    resolver: &'s Resolver<'m>,
    above: RefCell<FxHashMap<DefRef, Rc<[DefRef]>>>,
    found: RefCell<FxHashMap<DefRef, Rc<[Relative]>>>,
}

impl Map {
    /// Returns the family of a method, in order of path and place; empty for anything else.
    #[must_use]
    pub fn family(&self, node: NodeRef) -> Vec<Relative> {
        let NodeRef::Def(def) = node else { return Vec::new() };
        let resolver = Resolver::new(&self.index);
        Families::new(self, &resolver).family_of(def).to_vec()
    }

    /// Returns the constructors that a type defines itself, in order of place.
    pub(super) fn constructors_of(&self, class: DefRef) -> Vec<DefRef> {
        let Some(entry) = self.index.entry(class.file) else { return Vec::new() };
        let members = entry.facts.defs_indexed().filter(|(_, def)| def.parent == Some(class.def));
        let own = entry.facts.name(entry.facts.def(class.def).name);
        members
            .filter(|(_, def)| {
                def.kind == DefKind::Method && is_constructor(entry.lang(), entry.facts.name(def.name), own)
            })
            .map(|(def, _)| DefRef { file: class.file, def })
            .collect()
    }

    /// Returns the type whose constructor a method is; `None` for any other method.
    pub(super) fn made_by(&self, resolver: &Resolver<'_>, method: DefRef) -> Option<DefRef> {
        let (owner, name) = self.method_of(resolver, method)?;
        let entry = self.index.entry(owner.file)?;
        is_constructor(entry.lang(), name, entry.facts.name(entry.facts.def(owner.def).name)).then_some(owner)
    }

    /// Returns the type that a method belongs to, and its name.
    pub(super) fn method_of<'m>(
        &'m self,
        resolver: &Resolver<'_>,
        method: DefRef,
    ) -> Option<(DefRef, &'m str)> {
        let entry = self.index.entry(method.file)?;
        let def = entry.facts.defs.get(method.def.index()).filter(|def| def.kind == DefKind::Method)?;
        match self.container(resolver, method)? {
            NodeRef::Def(owner) => Some((owner, entry.facts.name(def.name))),
            _ => None,
        }
    }
}

impl<'s, 'm> Families<'s, 'm> {
    pub(super) fn new(map: &'m Map, resolver: &'s Resolver<'m>) -> Self {
        Self { map, resolver, above: RefCell::default(), found: RefCell::default() }
    }

    /// Returns the map, and the resolver for it.
    pub(super) fn parts(&self) -> (&'m Map, &'s Resolver<'m>) {
        (self.map, self.resolver)
    }

    /// Returns the family of a method, in order of path and place.
    pub(super) fn family_of(&self, method: DefRef) -> Rc<[Relative]> {
        if let Some(known) = self.found.borrow().get(&method) {
            return Rc::clone(known);
        }
        let found: Rc<[Relative]> = self.find(method).unwrap_or_default().into();
        self.found.borrow_mut().insert(method, Rc::clone(&found));
        found
    }

    /// Returns the methods of the family that are overridden, or those that override.
    pub(super) fn related_methods(&self, method: DefRef, kinship: Kinship) -> Vec<DefRef> {
        self.family_of(method).iter().filter(|kin| kin.kinship == kinship).map(|kin| kin.method).collect()
    }

    fn find(&self, method: DefRef) -> Option<Vec<Relative>> {
        let home = self.home(method)?;
        let entry = self.map.index.entry(method.file)?;
        let name = entry.facts.name(entry.facts.def(method.def).name);
        let owner_entry = self.map.index.entry(home.owner.file)?;
        if is_constructor(
            owner_entry.lang(),
            name,
            owner_entry.facts.name(owner_entry.facts.def(home.owner.def).name),
        ) {
            return None;
        }
        let files = self.map.index.files_defining(name);
        if files.len() > MANY {
            return None;
        }
        let mut kin = Vec::new();
        for file in files.iter().map(|&file| FileId(file)) {
            let may_be_kin = |entry: &&FileEntry| may_be_derived(entry.lang(), owner_entry.lang());
            let Some(entry) = self.map.index.entry(file).filter(may_be_kin) else { continue };
            for def in self.methods_named(file, entry, name) {
                let other = self.resolver.body_of(def);
                if other != method {
                    kin.extend(self.relation(&home, other));
                }
            }
        }
        kin.sort_by(|a, b| self.map.compare_places(a.method.into(), b.method.into()));
        kin.dedup();
        Some(kin)
    }

    /// Finds the type that a method belongs to; for an implementation for a type from outside the project, the trait.
    fn home(&self, method: DefRef) -> Option<Home> {
        let is_type = |owner: DefRef| {
            let entry = self.map.index.entry(owner.file);
            entry.is_some_and(|entry| entry.facts.def(owner.def).kind != DefKind::TypeAlias)
        };
        let owner = self.map.method_of(self.resolver, method).map(|(owner, _)| owner);
        match owner.filter(|owner| is_type(*owner)) {
            Some(owner) => Some(Home { owner, is_outside: false, above: self.cached_types_above(owner) }),
            None => {
                let of_trait = self.resolver.trait_of_impl(method)?;
                let above: Rc<[DefRef]> = std::iter::once(of_trait)
                    .chain(self.cached_types_above(of_trait).iter().copied())
                    .collect();
                Some(Home { owner: of_trait, is_outside: true, above })
            }
        }
    }

    fn methods_named(&self, file: FileId, entry: &FileEntry, name: &str) -> Vec<DefRef> {
        // In code that is compiled for tests alone, a method may override another as anywhere else.
        let may_be_test = entry.lang().semantics().test_methods;
        let is_method =
            |def: &Def| def.kind == DefKind::Method && (may_be_test || !def.flags.has(DefFlags::TEST));
        let named = entry.defs_named(name).filter(|(_, def)| is_method(def));
        named.map(|(def, _)| DefRef { file, def }).collect()
    }

    /// Returns the relation of a method to the method of the same name at `home`; `None` if they are no family.
    fn relation(&self, home: &Home, method: DefRef) -> Option<Relative> {
        let other = self.home(method)?;
        let kinship = if !other.is_outside && home.above.contains(&other.owner) && !other.is_same(home) {
            Kinship::Overridden
        } else if !home.is_outside && other.above.contains(&home.owner) && !other.is_same(home) {
            Kinship::Overriding
        } else if self.implements_silently(home.owner, other.owner) {
            Kinship::Overridden
        } else if self.implements_silently(other.owner, home.owner) {
            Kinship::Overriding
        } else {
            return None;
        };
        Some(Relative { method, owner: other.owner, kinship })
    }

    /// Returns the types that one is derived from, at any number of steps.
    fn cached_types_above(&self, class: DefRef) -> Rc<[DefRef]> {
        if let Some(known) = self.above.borrow().get(&class) {
            return Rc::clone(known);
        }
        let found: Rc<[DefRef]> = self.resolver.types_above(class).into();
        self.above.borrow_mut().insert(class, Rc::clone(&found));
        found
    }
}

/// The position of a method among the types.
struct Home {
    /// The type that it is a member of, or else the trait that is implemented there.
    owner: DefRef,
    /// True if the type is from outside the project, so that `owner` is the trait.
    is_outside: bool,
    /// The types above `owner`.
    above: Rc<[DefRef]>,
}

impl Home {
    fn is_same(&self, other: &Self) -> bool {
        self.owner == other.owner && self.is_outside == other.is_outside
    }
}

/// Returns true if a type of one language may be derived from a type of the other: both belong to one language group,
/// or one is generated from a schema.
fn may_be_derived(one: Lang, other: Lang) -> bool {
    let is_schema = |lang: Lang| lang.semantics().generated.is_schema();
    one.language_group() == other.language_group() || is_schema(one) || is_schema(other)
}
