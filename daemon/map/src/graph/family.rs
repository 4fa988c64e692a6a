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

/// Finds families for one query, and caches them, the types above each type, and the methods of each name.
#[derive(Debug)]
pub(super) struct Families<'s, 'm> {
    map: &'m Map,
    resolver: &'s Resolver<'m>,
    above: RefCell<FxHashMap<DefRef, Rc<[DefRef]>>>,
    named: RefCell<FxHashMap<&'m str, Option<Rc<NamedMethods>>>>,
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
        let (above, named, found) = (RefCell::default(), RefCell::default(), RefCell::default());
        Self { map, resolver, above, named, found }
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

    /// Returns the methods that a method overrides or implements, in order of path and place, without finding the rest
    /// of its family.
    pub(super) fn overridden_by(&self, method: DefRef) -> Vec<DefRef> {
        if self.found.borrow().contains_key(&method) {
            return self.related_methods(method, Kinship::Overridden);
        }
        let Some(query) = self.family_query(method) else { return Vec::new() };
        let mut kin = query.kin_above();
        kin.extend(self.kin_by_structure(&query));
        kin.retain(|kin| kin.kinship == Kinship::Overridden);
        self.in_order(kin).into_iter().map(|kin| kin.method).collect()
    }

    fn find(&self, method: DefRef) -> Option<Vec<Relative>> {
        let query = self.family_query(method)?;
        let mut kin = query.kin_above();
        kin.extend(query.kin_below());
        kin.extend(self.kin_by_structure(&query));
        Some(self.in_order(kin))
    }

    /// Sorts relatives by path and place. A method that is related in two ways stays once, as overridden.
    fn in_order(&self, mut kin: Vec<Relative>) -> Vec<Relative> {
        kin.sort_by(|a, b| {
            let places = self.map.compare_places(a.method.into(), b.method.into());
            places.then(a.kinship.cmp(&b.kinship))
        });
        kin.dedup_by_key(|kin| kin.method);
        kin
    }

    /// Collects what is known of a method that may have a family; `None` if it can have none, or a name that too many
    /// files define.
    fn family_query(&self, method: DefRef) -> Option<FamilyQuery> {
        let home = self.home(method)?;
        let entry = self.map.index.entry(method.file)?;
        let name = entry.facts.name(entry.facts.def(method.def).name);
        let owner_entry = self.map.index.entry(home.owner.file)?;
        let owner_name = owner_entry.facts.name(owner_entry.facts.def(home.owner.def).name);
        if is_constructor(owner_entry.lang(), name, owner_name) {
            return None;
        }
        Some(FamilyQuery { method, home, lang: owner_entry.lang(), named: self.methods_of_name(name)? })
    }

    /// Returns the methods of a name by their types; `None` if too many files define the name.
    fn methods_of_name(&self, name: &'m str) -> Option<Rc<NamedMethods>> {
        if let Some(known) = self.named.borrow().get(name) {
            return known.clone();
        }
        let files = self.map.index.files_defining(name);
        let found = (files.len() <= MANY).then(|| {
            let mut named = NamedMethods::default();
            for file in files.iter().map(|&file| FileId(file)) {
                let Some(entry) = self.map.index.entry(file) else { continue };
                for def in self.methods_named(file, entry, name) {
                    let method = self.resolver.body_of(def);
                    if let Some(home) = self.home(method) {
                        named.add_method(NamedMethod { method, home, lang: entry.lang() });
                    }
                }
            }
            Rc::new(named)
        });
        self.named.borrow_mut().insert(name, found.clone());
        found
    }

    /// Returns the methods of interfaces that a type implements without naming them, and those of types that implement
    /// an interface in this way.
    fn kin_by_structure(&self, query: &FamilyQuery) -> Vec<Relative> {
        if !query.lang.semantics().structural_interfaces {
            return Vec::new();
        }
        let owner = query.home.owner;
        let kinship = |other: &NamedMethod| {
            if self.implements_silently(owner, other.home.owner) {
                Some(Kinship::Overridden)
            } else if self.implements_silently(other.home.owner, owner) {
                Some(Kinship::Overriding)
            } else {
                None
            }
        };
        let others = query.named.methods.iter().filter(|other| query.may_be_kin(other));
        others.filter_map(|other| Some(other.as_kin(kinship(other)?))).collect()
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
#[derive(Clone, Debug)]
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

/// A method among those of its name.
#[derive(Debug)]
struct NamedMethod {
    method: DefRef,
    home: Home,
    /// The language of the file that declares it.
    lang: Lang,
}

impl NamedMethod {
    fn as_kin(&self, kinship: Kinship) -> Relative {
        Relative { method: self.method, owner: self.home.owner, kinship }
    }
}

/// The methods of one name in a project, which a query looks up by type instead of comparing each with each.
#[derive(Debug, Default)]
struct NamedMethods {
    methods: Vec<NamedMethod>,
    /// The indices in `methods` of the members of each type.
    by_owner: FxHashMap<DefRef, Vec<usize>>,
    /// The indices in `methods` of the methods whose types are derived from each type.
    by_base: FxHashMap<DefRef, Vec<usize>>,
}

impl NamedMethods {
    fn add_method(&mut self, method: NamedMethod) {
        let at = self.methods.len();
        if !method.home.is_outside {
            self.by_owner.entry(method.home.owner).or_default().push(at);
        }
        for base in method.home.above.iter() {
            self.by_base.entry(*base).or_default().push(at);
        }
        self.methods.push(method);
    }

    fn members_of(&self, class: DefRef) -> impl Iterator<Item = &NamedMethod> {
        self.by_owner.get(&class).into_iter().flatten().map(|at| &self.methods[*at])
    }

    fn members_below(&self, class: DefRef) -> impl Iterator<Item = &NamedMethod> {
        self.by_base.get(&class).into_iter().flatten().map(|at| &self.methods[*at])
    }
}

/// A method whose family is looked for, with the methods among which it is.
struct FamilyQuery {
    method: DefRef,
    home: Home,
    /// The language of the type that the method belongs to.
    lang: Lang,
    named: Rc<NamedMethods>,
}

impl FamilyQuery {
    fn may_be_kin(&self, other: &NamedMethod) -> bool {
        other.method != self.method && may_be_derived(other.lang, self.lang)
    }

    fn is_kin(&self, other: &NamedMethod) -> bool {
        self.may_be_kin(other) && !other.home.is_same(&self.home)
    }

    /// Returns the methods of the types above the method's own.
    fn kin_above(&self) -> Vec<Relative> {
        let above = self.home.above.iter().flat_map(|class| self.named.members_of(*class));
        above.filter(|other| self.is_kin(other)).map(|other| other.as_kin(Kinship::Overridden)).collect()
    }

    /// Returns the methods of the types below the method's own.
    fn kin_below(&self) -> Vec<Relative> {
        if self.home.is_outside {
            return Vec::new();
        }
        let below = self.named.members_below(self.home.owner);
        below.filter(|other| self.is_kin(other)).map(|other| other.as_kin(Kinship::Overriding)).collect()
    }
}

/// Returns true if a type of one language may be derived from a type of the other: both belong to one language group,
/// or one is generated from a schema.
fn may_be_derived(one: Lang, other: Lang) -> bool {
    one.language_group() == other.language_group() || one.is_schema() || other.is_schema()
}
