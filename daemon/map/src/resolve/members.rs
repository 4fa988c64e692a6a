//! Finds members of types, through their bases, and the type around a place.

use std::rc::Rc;

use hob_base::FileId;

use super::choice::pick_best_def;
use super::choice::{is_class, is_named_object, is_object_of_methods};
use super::overloads::Parameters;
use super::{Bases, NameLookup, Resolver, Site, Thing, WantedKind, builtins};
use crate::facts::{Def, DefFlags, DefIdx, DefKind, Receiver, Ref, RefKind, TypePart};
use crate::index::FileEntry;
use crate::langs::lang::Lang;
use crate::langs::semantics::ExtensionScope;
use crate::node::DefRef;

/// Most classes searched for one member.
const MAX_CLASSES: usize = 64;

/// The result of the search for a member.
#[derive(Clone, Copy, Debug)]
pub(super) enum MemberLookup {
    /// The member, of the nearest class that defines it.
    Found(DefRef),
    /// No known class has it. `open`: some base is not visible.
    Missing { open: bool },
}

/// Returns true if a method of this name makes objects of the type named `of`.
pub(crate) fn is_constructor(lang: Lang, name: &str, of: &str) -> bool {
    lang.semantics().constructors.contains(&name) || name == of
}

impl<'m> Resolver<'m> {
    /// Returns true if a definition can have members: a type or a module.
    pub(super) fn has_members(&self, def: DefRef) -> bool {
        self.def(def).is_some_and(|(_, def)| def.kind.is_type() || def.kind == DefKind::Module)
    }

    /// Finds a member of a type or of its bases, nearest first, left to right.
    pub(super) fn find_member(&self, class: DefRef, name: &str) -> MemberLookup {
        self.find_wanted(class, name, WantedKind::Any)
    }

    /// Returns the method with a name that a type has, its own or inherited. It starts with full fuel, so only queries
    /// may call it, and no resolution of a reference.
    pub(crate) fn method_of_type(&self, class: DefRef, name: &str) -> Option<DefRef> {
        self.fuel.set(super::FUEL);
        self.cut.set(false);
        match self.find_wanted(class, name, WantedKind::Callee) {
            MemberLookup::Found(def) => Some(def),
            MemberLookup::Missing { .. } => None,
        }
    }

    /// Finds a member of a type or of its bases; if methods and fields have name spaces of their own, `want` chooses.
    pub(super) fn find_wanted(&self, class: DefRef, name: &str, want: WantedKind) -> MemberLookup {
        self.search_classes(vec![class], name, want)
    }

    /// Finds a member that a type inherits.
    pub(super) fn find_inherited(&self, class: DefRef, name: &str) -> MemberLookup {
        self.find_inherited_wanted(class, name, WantedKind::Any)
    }

    /// Finds a member that a type inherits; if methods and fields have name spaces of their own, `want` chooses.
    pub(super) fn find_inherited_wanted(&self, class: DefRef, name: &str, want: WantedKind) -> MemberLookup {
        let bases = self.bases(class);
        match self.search_classes(bases.known.iter().rev().copied().collect(), name, want) {
            MemberLookup::Missing { open } => MemberLookup::Missing { open: open || bases.open },
            found => found,
        }
    }

    /// Searches the classes on `stack`, the last one first, and their bases.
    fn search_classes(&self, mut stack: Vec<DefRef>, name: &str, want: WantedKind) -> MemberLookup {
        let key = stack.last().map(|&class| (class, Box::<str>::from(name)));
        let Some(key) = key.filter(|key| !self.active.borrow().contains(key)) else {
            self.cut.set(true);
            return MemberLookup::Missing { open: !stack.is_empty() };
        };
        self.active.borrow_mut().push(key);
        let found = self.with_fuel(MemberLookup::Missing { open: true }, || {
            let (mut seen, mut open) = (Vec::new(), false);
            while let Some(class) = stack.pop() {
                if seen.contains(&class) || seen.len() >= MAX_CLASSES {
                    continue;
                }
                let own = self.own_wanted(class, name, want);
                if own.is_some() && self.comes_later(class, &stack) {
                    continue;
                }
                seen.push(class);
                if let Some(def) = own {
                    return MemberLookup::Found(def);
                }
                let bases = self.bases(class);
                open |= bases.open;
                stack.extend(bases.known.iter().rev());
            }
            MemberLookup::Missing { open }
        });
        self.active.borrow_mut().pop();
        found
    }

    /// Returns true if one of the remaining classes is derived from a class: in Python's order of resolution a base
    /// comes after all classes derived from it.
    fn comes_later(&self, class: DefRef, left: &[DefRef]) -> bool {
        let is_linear = |entry: &FileEntry| entry.lang().semantics().linear_bases;
        if left.is_empty() || !self.entry(class.file).is_some_and(is_linear) {
            return false;
        }
        let (mut above, mut at) = (left.to_vec(), 0);
        while let Some(below) = above.get(at).copied() {
            for base in self.bases(below).known.iter().copied() {
                if base == class {
                    return true;
                }
                if !above.contains(&base) && above.len() < MAX_CLASSES {
                    above.push(base);
                }
            }
            at += 1;
        }
        false
    }

    /// Returns a member that the type itself defines, in whatever file.
    pub(super) fn own_member(&self, class: DefRef, name: &str) -> Option<DefRef> {
        self.own_wanted(class, name, WantedKind::Any)
    }

    fn own_wanted(&self, class: DefRef, name: &str, want: WantedKind) -> Option<DefRef> {
        let (entry, def) = self.def(class)?;
        let qualified = entry.facts.name(def.qualified);
        let semantics = entry.lang().semantics();
        if semantics.constants_by_capital && name.starts_with(char::is_uppercase) {
            return self.constant_in(class, qualified, name);
        }
        let here = || {
            entry.defs_named(name).filter(|(_, child)| {
                child.parent == Some(class.def)
                    || (entry.qualifier(child) == qualified && entry.is_detached(child))
            })
        };
        let want = if semantics.methods_apart && want == WantedKind::Callee { want } else { WantedKind::Any };
        // An implementation of a trait for all types of some kind has the trait's name; the trait's own declaration has
        // precedence.
        let is_trait = semantics.blanket_impls && def.kind == DefKind::Trait;
        let is_within = |child: &Def| def.bytes.0 <= child.bytes.0 && child.bytes.1 <= def.bytes.1;
        let own =
            if is_trait { pick_best_def(here().filter(|(_, child)| is_within(child)), want) } else { None };
        if let Some(def) = own.or_else(|| pick_best_def(here(), want)) {
            return Some(DefRef { file: class.file, def });
        }
        if let Some(def) = self.member_of_piece(class, name) {
            return Some(def);
        }
        if semantics.reopens_types {
            return self.reopened_member(class, name);
        }
        if !self.index.has_detached(entry.lang().language_group()) {
            return None;
        }
        self.detached_member(class, &format!("{qualified}.{name}"))
    }

    /// Returns a member in another file: a Go method, an `impl` block, a C++ member outside its class.
    fn detached_member(&self, class: DefRef, qualified: &str) -> Option<DefRef> {
        let files = self.index.files_defining_detached(qualified).iter().map(|&file| FileId(file));
        let found = files.filter(|&file| file != class.file).take(32).filter_map(|file| {
            let entry = self.entry(file)?;
            let def = entry.def_qualified(qualified, 1)?;
            self.belongs_to(entry, DefRef { file, def }, class).then_some(DefRef { file, def })
        });
        found.min_by_key(|def| self.entry(def.file).map(|entry| entry.path.as_str()))
    }

    fn belongs_to(&self, entry: &'m FileEntry, member: DefRef, class: DefRef) -> bool {
        self.owner_of_detached(entry, member)
            .is_some_and(|owner| owner == class || owner == self.body_of(class))
    }

    /// Returns the type of which a detached definition is a member.
    pub(crate) fn owner_of_detached(&self, entry: &'m FileEntry, member: DefRef) -> Option<DefRef> {
        let def = entry.facts.def(member.def);
        let site = Site { file: member.file, entry, owner: def.parent, want: WantedKind::Scope };
        match self.follow_path(site, entry.qualifier(def)) {
            NameLookup::Thing(Thing::Def(owner), _) => Some(self.body_of(owner)),
            _ => self.trait_of_blanket(site, entry.qualifier(def)),
        }
    }

    /// Returns the trait for whose implementation for all types `Trait.T` stands, in Rust.
    fn trait_of_blanket(&self, site: Site<'m>, qualifier: &str) -> Option<DefRef> {
        let (name, _) = qualifier.rsplit_once('.').filter(|_| site.entry.lang().semantics().blanket_impls)?;
        let NameLookup::Thing(Thing::Def(owner), _) = self.follow_path(site, name) else { return None };
        self.def(owner).filter(|(_, def)| def.kind == DefKind::Trait).map(|_| owner)
    }

    /// Returns the bases of a type, and whether some are not visible.
    pub(crate) fn bases(&self, class: DefRef) -> Rc<Bases> {
        self.get_or_compute(&self.bases, class, || Rc::new(self.find_bases(class)))
    }

    /// Returns the types above a type, at any number of steps, nearest first, as far as they are visible. It starts
    /// with full fuel, so only queries may call it, and no resolution of a reference.
    pub(crate) fn types_above(&self, class: DefRef) -> Vec<DefRef> {
        let mut above: Vec<DefRef> = Vec::new();
        let (mut at, mut next) = (0, Some(class));
        while let Some(ty) = next {
            self.fuel.set(super::FUEL);
            self.cut.set(false);
            for base in self.bases(ty).known.iter().copied() {
                if base != class && !above.contains(&base) && above.len() < MAX_CLASSES {
                    above.push(base);
                }
            }
            next = above.get(at).copied();
            at += 1;
        }
        above
    }

    fn find_bases(&self, class: DefRef) -> Bases {
        let mut bases = Bases { known: Vec::new(), open: false };
        let Some(entry) = self.entry(class.file) else { return bases };
        for r in bases_in_order(entry, class.def) {
            match self.resolve_base(class, entry, r) {
                Some(base) => bases.known.push(base),
                None => bases.open |= !is_plain(entry, r),
            }
        }
        self.add_bases_of_pieces(class, &mut bases);
        self.add_extended(class, entry, &mut bases);
        if entry.lang().semantics().reopens_types {
            self.add_reopened_bases(class, &mut bases);
        }
        bases
    }

    /// Adds the type that an extension extends, whose members the extension has too.
    fn add_extended(&self, class: DefRef, entry: &'m FileEntry, bases: &mut Bases) {
        let is_holder = entry.facts.def(class.def).flags.has(DefFlags::EXTENSION)
            && entry.lang().semantics().extensions == ExtensionScope::ByHolder;
        if !is_holder {
            return;
        }
        match self.type_of(class, TypePart::VALUE, None) {
            Some(Thing::Def(extended)) if extended != class => bases.known.push(extended),
            _ => bases.open = true,
        }
    }

    pub(super) fn resolve_base(&self, class: DefRef, entry: &'m FileEntry, r: &Ref) -> Option<DefRef> {
        let name = entry.facts.name(r.name);
        let outer = entry.facts.def(class.def).parent;
        let site = Site { file: class.file, entry, owner: outer, want: WantedKind::Type };
        let found = match r.receiver() {
            Receiver::None => self.base_name(Site { owner: Some(class.def), ..site }, name),
            Receiver::Path(path) => match self.follow_path(site, entry.facts.name(path)) {
                NameLookup::Thing(thing, _) => self.member_of_thing(site, &thing, name),
                other => other,
            },
            _ => NameLookup::Bound,
        };
        match found {
            NameLookup::Thing(Thing::Def(def), _) => {
                let def = self.class_by_other_name(self.body_of(self.aliased_class(def)));
                let is_base = self.def(def).is_some_and(|(entry, found)| {
                    is_class(entry, found)
                        || is_named_object(entry, found)
                        || is_object_of_methods(entry, def.def)
                });
                (def != class && is_base).then_some(def)
            }
            _ => None,
        }
    }

    /// Returns the type for which an alias stands, if it is known; any other definition as it is.
    fn aliased_class(&self, def: DefRef) -> DefRef {
        let is_alias = self.def(def).is_some_and(|(_, found)| found.kind == DefKind::TypeAlias);
        match self.type_of(def, TypePart::VALUE, None).filter(|_| is_alias) {
            Some(Thing::Def(class)) => class,
            _ => def,
        }
    }

    /// Returns the class for which a variable stands that is initialised with the class itself: `const Base = Model`.
    fn class_by_other_name(&self, def: DefRef) -> DefRef {
        let Some((entry, found)) = self.def(def) else { return def };
        let is_variable = matches!(found.kind, DefKind::Constant | DefKind::Variable);
        if !is_variable || !entry.lang().semantics().type_arguments {
            return def;
        }
        let hint = entry.facts.type_of(def.def, TypePart::VALUE).and_then(|hint| hint.strip_prefix('='));
        let is_path = |path: &&str| !path.contains(['(', '[', '~', '@', '!']);
        let Some(path) = hint.filter(is_path) else { return def };
        let site = Site { file: def.file, entry, owner: found.parent, want: WantedKind::Type };
        match self.follow_path(site, path) {
            NameLookup::Thing(Thing::Def(class), _) if self.has_members(class) => class,
            _ => def,
        }
    }

    /// Returns the type that encloses a site.
    pub(super) fn enclosing_type(&self, site: Site<'m>) -> Option<DefRef> {
        let mut scope = site.owner;
        while let Some(at) = scope {
            let def = site.entry.facts.def(at);
            if is_class(site.entry, def) {
                return Some(DefRef { file: site.file, def: at });
            }
            if site.entry.is_detached(def) {
                return self.owner_of_detached(site.entry, DefRef { file: site.file, def: at });
            }
            scope = def.parent;
        }
        None
    }

    /// Returns, for a C or C++ declaration, the definition with a body: the one in the same file, or the only one there
    /// is. Returns any other definition as it is.
    pub(crate) fn body_of(&self, declared: DefRef) -> DefRef {
        let Some((entry, def)) = self.def(declared) else { return declared };
        let semantics = entry.lang().semantics();
        if !semantics.declares_in_headers || !def.flags.has(DefFlags::DECLARATION) {
            return declared;
        }
        self.get_or_compute(&self.bodies, declared, || {
            let qualified = entry.facts.name(def.qualified);
            let bodies = self.possible_bodies(entry.facts.name(def.name), def.kind, qualified);
            let bodies: Vec<DefRef> = bodies.collect();
            let here = bodies.iter().find(|body| body.file == declared.file);
            let body = match (here, &bodies[..]) {
                (Some(body), _) | (None, [body]) => Some(*body),
                _ => None,
            };
            match self.parameters(declared).filter(|_| def.kind.is_callable()) {
                Some(parameters) => self.overload_body(declared, body, &parameters),
                None => body.unwrap_or(declared),
            }
        })
    }

    /// Returns the body of a declaration with these parameters: the one with exactly these, otherwise `body`, unless it
    /// has fewer or more.
    fn overload_body(&self, declared: DefRef, body: Option<DefRef>, parameters: &Parameters) -> DefRef {
        let exact = self.body_with(declared, parameters);
        if exact != declared {
            return exact;
        }
        let takes_as_many =
            |body: &DefRef| self.parameters(*body).is_none_or(|other| other.len() == parameters.len());
        body.filter(takes_as_many).unwrap_or(declared)
    }

    /// Yields the definitions with a body, one per file, that a declaration of this kind and qualified name may
    /// announce.
    fn possible_bodies<'a>(
        &'a self,
        name: &'a str,
        kind: DefKind,
        qualified: &'a str,
    ) -> impl Iterator<Item = DefRef> + 'a {
        self.index.files_defining(name).iter().filter_map(move |&file| {
            let file = FileId(file);
            let entry = self.entry(file).filter(|entry| entry.lang().semantics().declares_in_headers)?;
            let fits = |def: &Def| {
                !def.flags.has(DefFlags::DECLARATION)
                    && def.kind != DefKind::Field
                    && def.kind.is_type() == kind.is_type()
                    && (def.flags.has(DefFlags::EXPORTED) || def.kind == DefKind::Method)
                    && same_end(entry.facts.name(def.qualified), qualified)
            };
            let def: DefIdx = entry.defs_named(name).find(|(_, def)| fits(def))?.0;
            Some(DefRef { file, def })
        })
    }
}

/// Returns true if one qualified name ends with the other: `ns.A.f` and `A.f`.
fn same_end(a: &str, b: &str) -> bool {
    let (long, short) = if a.len() >= b.len() { (a, b) } else { (b, a) };
    long.strip_suffix(short).is_some_and(|rest| rest.is_empty() || rest.ends_with('.'))
}

/// Returns true if a base adds no members that count: the root of all classes.
pub(super) fn is_plain(entry: &FileEntry, r: &Ref) -> bool {
    let name = entry.facts.name(r.name);
    r.receiver() == Receiver::None
        && (matches!(name, "object" | "Object") || entry.lang().semantics().plain_builtin_bases)
        && builtins::is_global(entry.lang().language_group(), name)
}

/// Returns the references that name a type's bases, in the order in which their members are searched.
fn bases_in_order(entry: &FileEntry, class: DefIdx) -> Vec<&Ref> {
    let mut bases: Vec<&Ref> = entry.bases_of(class).collect();
    if entry.lang().semantics().later_bases_hide {
        bases.reverse();
        bases.sort_by_key(|base| base.kind() != RefKind::Extends);
    }
    bases
}
