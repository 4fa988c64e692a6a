//! Resolves references along the confidence ladder.
//!
//! A reference is resolved on demand, from the facts of the files concerned. The rungs, surest first:
//!
//! 1. *exact*: the file's own scopes; `self.x` in the enclosing class.
//! 2. *import*: bindings of imports, through re-exports; the language's package scope; members of a known type, its bases
//!    included.
//! 3. *flow*: the called value was followed to the call, through assignments, arguments, results, fields and containers
//!    ([`flow`]).
//! 4. *framework*: a framework makes the call, because the code registers with it ([`framework`]).
//! 5. *name*: nothing binds the name here, and the project has exactly one definition that it can be.
//! 6. unresolved, with the likeliest candidates.
//!
//! Wrong is worse than unresolved: a name that an import binds to a package outside is that package's, even if the
//! project has functions of that name; a member that a known class lacks is not looked for elsewhere while the class
//! has a base that is not visible; names of the language's own types ([`builtins`]) are never guessed.
//!
//! [`Resolver`] lives for one query. It caches the targets of imports, and carries the fuel that bounds the work for a
//! single reference however strange the code is (cycles of re-exports, classes that inherit from their members).

mod ambiguous;
mod builtins;
mod choice;
mod constants;
mod expected;
mod extensions;
mod flow;
mod framework;
mod generics;
mod global;
mod guess;
mod include;
mod links;
mod lists;
mod members;
mod module_names;
mod modules;
mod outside_impls;
mod overloads;
mod partial_types;
mod schemas;
mod scope;
mod types;
mod written;

use std::cell::{Cell, RefCell};
use std::rc::Rc;
use std::sync::Arc;

use hob_base::FileId;
use rustc_hash::FxHashMap;

use crate::facts::{Def, DefIdx, DefKind, Receiver, Ref, RefKind, StrId, TypePart};
use crate::index::{FileEntry, Index, NameId};
use crate::langs::lang::Lang;
use crate::langs::rules::ModuleTarget;
use crate::langs::semantics::OutsideMembers;
use crate::node::{Confidence, DefRef};
pub(crate) use flow::{CallAt, ChainPlace, START_FILES, StartFiles};
use global::is_root;
pub(crate) use guess::SHOWN;
pub(crate) use links::ResolvedNoteLink;
pub(crate) use members::is_constructor;
use overloads::{Announcements, Overloads, Parameters};

/// Most steps for one reference: far more than any sensible code needs, few enough to stay within a millisecond.
const FUEL: u32 = 3000;
/// Most nested steps, so that no code can overflow the stack.
const DEPTH: u32 = 24;

/// The thing that a name stands for.
#[derive(Clone, Debug)]
pub(crate) enum Thing {
    /// A definition of the project.
    Def(DefRef),
    /// A module of the project, or one whose target is unknown.
    Module(Rc<Module>),
    /// A package outside the project, by its name.
    External(Rc<str>),
}

/// A module as a file names it.
#[derive(Debug)]
pub(crate) struct Module {
    pub(crate) from: FileId,
    pub(crate) spec: Rc<str>,
    pub(crate) target: Arc<ModuleTarget>,
}

/// The result of the search for a name in a scope.
#[derive(Clone, Debug)]
pub(crate) enum NameLookup {
    /// The name means this thing, with this confidence.
    Thing(Thing, Confidence),
    /// Something binds the name, but its meaning is unknown.
    Bound,
    /// Nothing visible binds the name. `open`: something that is not visible may (a star import of a package outside).
    Absent { open: bool },
}

/// The meaning of a reference.
#[derive(Clone, Debug)]
pub(crate) enum Resolution {
    /// A definition, module or package.
    To(Thing, Confidence),
    /// One of several definitions, or an unknown one; see [`Resolver::candidates`].
    Unresolved,
    /// Nothing of this project: a name of the language, or a name that no definition has.
    Dropped,
}

/// The kind of thing that fits best at the place of a name.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
enum WantedKind {
    Callee,
    Type,
    /// A type or a module, which has members.
    Scope,
    Any,
}

impl WantedKind {
    fn for_ref_kind(kind: RefKind) -> Self {
        match kind {
            RefKind::Call | RefKind::Framework | RefKind::Injected => Self::Callee,
            RefKind::Extends | RefKind::Implements | RefKind::Type => Self::Type,
            RefKind::Use | RefKind::Key => Self::Any,
        }
    }

    fn prefers_kind(self, kind: DefKind) -> bool {
        match self {
            Self::Callee => kind.is_callable() || kind.is_type(),
            Self::Type => kind.is_type() || kind == DefKind::TypeAlias,
            Self::Scope => kind.is_type() || kind == DefKind::Module,
            Self::Any => true,
        }
    }
}

/// The place of a name, and the kind of thing that fits there.
#[derive(Clone, Copy, Debug)]
struct Site<'m> {
    file: FileId,
    entry: &'m FileEntry,
    owner: Option<DefIdx>,
    want: WantedKind,
}

/// Groups of definitions that a name may mean, by name and wanted kind.
type Visible = FxHashMap<(NameId, WantedKind), Rc<[guess::Group]>>;

/// Resolves references for one query.
#[derive(Debug)]
pub(crate) struct Resolver<'m> {
    index: &'m Index,
    /// True if the targets of imports are cached for later queries.
    keeps: bool,
    targets: RefCell<FxHashMap<(FileId, StrId), Arc<ModuleTarget>>>,
    /// The results for bindings of imports, by their index in the file.
    bindings: RefCell<FxHashMap<(FileId, u32), NameLookup>>,
    bases: RefCell<FxHashMap<DefRef, Rc<Bases>>>,
    includes: RefCell<FxHashMap<FileId, Rc<[FileId]>>>,
    /// The last bare name that was looked for in the headers of a file, with what it means.
    last_included: Cell<Option<include::IncludedName>>,
    /// The definitions that a bare name can mean outside its file, in C and C++.
    visible: RefCell<Visible>,
    /// The one definition that a member can mean by its name alone, if there is one.
    members: RefCell<FxHashMap<(NameId, WantedKind, Lang), guess::OnlyDefinition>>,
    /// The one definition that a bare name can mean by itself in files that do not define it, if there is one; `None` if it
    /// depends on the file's place.
    only_outside_definers: RefCell<FxHashMap<(NameId, WantedKind, Lang), Option<guess::OnlyDefinition>>>,
    /// The definition that a bare name means among those without a namespace.
    globals: RefCell<FxHashMap<global::GlobalKey, Option<DefRef>>>,
    /// By name: true if a trait has, or may have, a member of the name.
    trait_members: RefCell<FxHashMap<NameId, bool>>,
    bodies: RefCell<FxHashMap<DefRef, DefRef>>,
    announced: RefCell<FxHashMap<DefRef, Announcements>>,
    parameters: RefCell<FxHashMap<DefRef, Option<Parameters>>>,
    /// The flow of values, as far as it was computed.
    flow: RefCell<flow::FlowMemory>,
    /// The modules of files, in languages whose modules are one name space.
    homes: RefCell<FxHashMap<FileId, Option<Rc<str>>>>,
    /// The files whose scopes enclose those of other files.
    scope_files: RefCell<FxHashMap<FileId, Option<FileId>>>,
    /// The member searches in progress, to recognise one that depends on itself.
    active: RefCell<Vec<(DefRef, Box<str>)>>,
    fuel: Cell<u32>,
    depth: Cell<u32>,
    /// True if resolution stopped early for lack of fuel or depth, or because it depends on itself.
    cut: Cell<bool>,
}

/// The bases of a type, and whether some are not visible.
#[derive(Debug)]
pub(crate) struct Bases {
    pub(crate) known: Vec<DefRef>,
    pub(crate) open: bool,
}

impl<'m> Resolver<'m> {
    pub(crate) fn new(index: &'m Index) -> Self {
        Self {
            index,
            keeps: true,
            targets: RefCell::default(),
            bindings: RefCell::default(),
            bases: RefCell::default(),
            includes: RefCell::default(),
            last_included: Cell::default(),
            visible: RefCell::default(),
            members: RefCell::default(),
            only_outside_definers: RefCell::default(),
            globals: RefCell::default(),
            trait_members: RefCell::default(),
            bodies: RefCell::default(),
            announced: RefCell::default(),
            parameters: RefCell::default(),
            flow: RefCell::default(),
            homes: RefCell::default(),
            scope_files: RefCell::default(),
            active: RefCell::default(),
            fuel: Cell::new(FUEL),
            depth: Cell::new(0),
            cut: Cell::new(false),
        }
    }

    /// Creates a resolver for a pass over the whole map: it caches nothing for later queries, which would displace what
    /// they need.
    pub(crate) fn for_whole_map(index: &'m Index) -> Self {
        Self { keeps: false, ..Self::new(index) }
    }

    /// Returns true if this resolver is for a pass over the whole map, by contents alone.
    pub(crate) fn is_passing(&self) -> bool {
        !self.keeps
    }

    /// Resolves a reference in `file`.
    pub(crate) fn resolve(&self, file: FileId, r: &Ref) -> Resolution {
        self.resolve_or_overloads(file, r).0
    }

    /// Resolves a reference in `file`; if it is unresolved because its place and arguments leave several definitions,
    /// returns those too.
    pub(crate) fn resolve_or_overloads(&self, file: FileId, r: &Ref) -> (Resolution, Vec<DefRef>) {
        match self.resolve_any(file, r) {
            Resolution::To(Thing::Def(def), sure) => match self.overloads_for(file, r, def) {
                Overloads::Open(all) => (Resolution::Unresolved, all),
                Overloads::Chosen(def) => (Resolution::To(def.into(), sure), Vec::new()),
                Overloads::Single => {
                    let all = self.ambiguous_defs(def);
                    if all.len() > 1 {
                        (Resolution::Unresolved, all)
                    } else {
                        (Resolution::To(def.into(), sure), Vec::new())
                    }
                }
            },
            found => (found, Vec::new()),
        }
    }

    /// Resolves a reference in `file`, to any of several overloads or [`ambiguous`] for all of them.
    fn resolve_any(&self, file: FileId, r: &Ref) -> Resolution {
        self.fuel.set(FUEL);
        self.cut.set(false);
        // Links are resolved by rules of their own, in `links`.
        let Some(entry) = self.index.entry(file).filter(|entry| !entry.lang().is_prose()) else {
            return Resolution::Dropped;
        };
        let site = Site { file, entry, owner: r.owner, want: WantedKind::for_ref_kind(r.kind()) };
        let name = entry.facts.name(r.name);
        let found = match r.receiver() {
            _ if r.kind() == RefKind::Injected => self.injected_ref(site, r, name),
            Receiver::None => self.bare_ref(site, r, name),
            Receiver::SelfType => self.self_ref(site, r, false),
            Receiver::Path(path) if is_root(entry, path) => self.root_ref(site, r, name),
            Receiver::Super => self.self_ref(site, r, true),
            Receiver::Path(path) => without_guesses(site, self.path_ref(site, r, entry.facts.name(path))),
            Receiver::Typed(ty) => self.typed_ref(site, r, entry.facts.name(ty)),
            Receiver::Unknown => self.unknown_ref(site, r),
        };
        let found = self.prefer_body(file, self.defined_module(site, found));
        match found {
            found if r.kind() == RefKind::Key && !is_sure_def(&found) => Resolution::Dropped,
            Resolution::To(Thing::Def(def), sure) => {
                let sure = framework::confidence_of(r.kind(), sure);
                let meant = self.meaning_for(def, site.want);
                if r.receiver() == Receiver::None && self.is_of_other_space(meant, r.kind()) {
                    return Resolution::Dropped;
                }
                Resolution::To(meant.into(), sure)
            }
            other => other,
        }
    }

    fn bare_ref(&self, site: Site<'m>, r: &Ref, name: &str) -> Resolution {
        let is_base = matches!(r.kind(), RefKind::Extends | RefKind::Implements);
        let found = if is_base { self.base_name(site, name) } else { self.resolve_bare(site, name) };
        match found {
            NameLookup::Thing(thing, confidence) => Resolution::To(thing, confidence),
            NameLookup::Bound => Resolution::Unresolved,
            NameLookup::Absent { .. } if builtins::is_global(site.entry.lang(), name) => Resolution::Dropped,
            NameLookup::Absent { open: true } => Resolution::Unresolved,
            NameLookup::Absent { open: false } => self.by_name(site, r),
        }
    }

    /// Resolves the bare name of a base: outside the class that has the base, and never to that class itself.
    fn base_name(&self, site: Site<'m>, name: &str) -> NameLookup {
        let outer = site.owner.and_then(|owner| site.entry.facts.def(owner).parent);
        let found = self.resolve_bare(Site { owner: outer, ..site }, name);
        let itself = site.owner.map(|def| DefRef { file: site.file, def });
        match found {
            NameLookup::Thing(Thing::Def(def), _) if Some(def) == itself => {
                self.imported_as(site, site.entry.bindings_of(name), None).unwrap_or(NameLookup::Bound)
            }
            other => other,
        }
    }

    fn self_ref(&self, site: Site<'m>, r: &Ref, above: bool) -> Resolution {
        let name = site.entry.facts.name(r.name);
        let Some(class) = self.enclosing_type(site) else { return self.selfless_ref(site, r) };
        let found = if above {
            self.find_inherited_wanted(class, name, site.want)
        } else {
            self.find_wanted(class, name, site.want)
        };
        match found {
            members::MemberLookup::Found(def) => {
                let near = def.file == site.file;
                Resolution::To(Thing::Def(def), if near { Confidence::Exact } else { Confidence::Import })
            }
            members::MemberLookup::Missing { .. } if is_own_alone(site, name) => Resolution::Dropped,
            // All bases are visible, and none has a constructor of its own.
            members::MemberLookup::Missing { open: false }
                if above && is_constructor(site.entry.lang(), name, "") =>
            {
                Resolution::Dropped
            }
            members::MemberLookup::Missing { open } => {
                let own = if above || !site.entry.lang().semantics().functions_are_methods {
                    None
                } else {
                    self.object_function(site, r, name)
                };
                own.unwrap_or_else(|| if open { Resolution::Unresolved } else { self.unknown_ref(site, r) })
            }
        }
    }

    fn path_ref(&self, site: Site<'m>, r: &Ref, path: &str) -> Resolution {
        let first = path.split('.').next().unwrap_or(path);
        let found = self.follow_path(Site { want: WantedKind::Scope, ..site }, path);
        if let Some(thing) = self.parametric_value(site, path, &found) {
            return self.member_ref(site, r, thing, Confidence::Import);
        }
        match found {
            NameLookup::Thing(thing, confidence) => self.member_ref(site, r, thing, confidence),
            NameLookup::Bound => Resolution::Unresolved,
            NameLookup::Absent { .. } if builtins::is_global(site.entry.lang(), first) => {
                let added = if outside_members(site) == OutsideMembers::Traits {
                    self.member_added_by_trait(site, r, path)
                } else {
                    None
                };
                added.unwrap_or(Resolution::Dropped)
            }
            // The project has no constant of that name.
            NameLookup::Absent { .. }
                if site.entry.lang().semantics().constants_by_capital
                    && self.index.files_defining(first).is_empty() =>
            {
                Resolution::Dropped
            }
            // In these languages a path starts with a variable more often than with a type.
            NameLookup::Absent { .. } if site.entry.lang().semantics().variable_paths => {
                self.unknown_ref(site, r)
            }
            NameLookup::Absent { .. } => Resolution::Unresolved,
        }
    }

    fn member_ref(&self, site: Site<'m>, r: &Ref, thing: Thing, sure: Confidence) -> Resolution {
        let name = site.entry.facts.name(r.name);
        let thing = match thing {
            Thing::Def(def) if !self.has_members(def) => match self.value_type(def) {
                Some(thing) => thing,
                None => {
                    return match self.member_of_thing(site, &thing, name) {
                        NameLookup::Thing(key, confidence) => Resolution::To(key, confidence.max(sure)),
                        NameLookup::Bound | NameLookup::Absent { .. } => self.unknown_ref(site, r),
                    };
                }
            },
            thing => thing,
        };
        if let Some(found) = self.written_for(site, r, &thing) {
            return found;
        }
        match self.member_of_thing(site, &thing, name) {
            NameLookup::Thing(found, confidence) => Resolution::To(found, confidence.max(sure)),
            NameLookup::Bound | NameLookup::Absent { .. } => {
                let found = self.extension_ref(site, r).or_else(|| self.through_deref(site, r, &thing));
                found.unwrap_or(Resolution::Unresolved)
            }
        }
    }

    /// Returns the type of a definition's value; for a constant of an enumeration without a type of its own, the
    /// enumeration.
    fn value_type(&self, def: DefRef) -> Option<Thing> {
        self.type_of(def, TypePart::VALUE, None).or_else(|| self.variant_of(def).map(Thing::Def))
    }

    /// Returns true if a definition is a variable whose type says that it holds a class: `let Made: new () => Foo`.
    fn is_made_through(&self, def: DefRef) -> bool {
        self.def(def).is_some_and(|(entry, found)| {
            matches!(found.kind, DefKind::Constant | DefKind::Variable)
                && entry.lang().semantics().type_arguments
                && entry.facts.type_of(def.def, TypePart::RESULT).is_some()
        })
    }

    fn typed_ref(&self, site: Site<'m>, r: &Ref, ty: &str) -> Resolution {
        if let Some(path) = ty.strip_prefix('=') {
            return match self.value(site, path, None) {
                Some(Thing::External(name)) if builtins::is_global(site.entry.lang(), &name) => {
                    Resolution::Dropped
                }
                Some(Thing::External(name)) if outside_members(site) == OutsideMembers::Traits => {
                    self.outside_ref(site, r, &name)
                }
                Some(thing) => self.member_ref(site, r, thing, Confidence::Import),
                None => self.unknown_ref(site, r),
            };
        }
        if ty.contains('<') && site.entry.lang().semantics().type_arguments {
            return match self.value(site, &format!("{ty}~"), None) {
                Some(thing) => self.member_ref(site, r, thing, Confidence::Import),
                None => self.unknown_ref(site, r),
            };
        }
        let Some(ty) = generics::name_of_type(ty) else { return self.unknown_ref(site, r) };
        match self.follow_path(Site { want: WantedKind::Type, ..site }, ty) {
            NameLookup::Thing(Thing::External(package), _) => {
                let outside = Thing::External(package);
                let added = self.extension_ref(site, r).or_else(|| self.written_for(site, r, &outside));
                added.unwrap_or(Resolution::To(outside, Confidence::Import))
            }
            // A value of an enumeration has none of the enumeration's members.
            NameLookup::Thing(Thing::Def(def), _) if self.is_plain_enum(def) => Resolution::Dropped,
            NameLookup::Thing(Thing::Def(def), _) if self.is_made_through(def) => {
                match self.value(site, &format!("{ty}()"), None) {
                    Some(made) => self.member_ref(site, r, made, Confidence::Import),
                    None => self.unknown_ref(site, r),
                }
            }
            NameLookup::Thing(thing, confidence) => {
                self.member_ref(site, r, thing, confidence.max(Confidence::Import))
            }
            NameLookup::Bound => self.extension_ref(site, r).unwrap_or(Resolution::Unresolved),
            NameLookup::Absent { .. } => {
                let extended = self.extension_ref(site, r).or_else(|| self.member_from_outside(site, r, ty));
                if let Some(found) = extended {
                    return found;
                }
                let last = ty.rsplit('.').next().unwrap_or(ty);
                let known = !self.index.files_defining(last).is_empty();
                if known && !builtins::is_global(site.entry.lang(), last) {
                    Resolution::Unresolved
                } else {
                    Resolution::Dropped
                }
            }
        }
    }

    fn unknown_ref(&self, site: Site<'m>, r: &Ref) -> Resolution {
        if let Some(found) = self.extension_ref(site, r) {
            return found;
        }
        if self.is_common(site, r) {
            return Resolution::Unresolved;
        }
        self.by_name(site, r)
    }

    /// Returns the definition of an inline module, in languages that use modules as types.
    fn defined_module(&self, site: Site<'m>, found: Resolution) -> Resolution {
        if let Resolution::To(Thing::Module(module), confidence) = &found
            && site.entry.lang().semantics().modules_are_types
            && let ModuleTarget::Inside(file, inner) = &*module.target
            && let Some(def) = self.entry(*file).and_then(|entry| entry.def_qualified(inner, 1))
        {
            return Resolution::To(Thing::Def(DefRef { file: *file, def }), *confidence);
        }
        found
    }

    /// Replaces a declaration of C and C++ by the one definition with a body that it announces, and a part of a partial
    /// type by the main one.
    fn prefer_body(&self, file: FileId, found: Resolution) -> Resolution {
        match found {
            Resolution::To(Thing::Def(def), confidence) => {
                let body = self.main_piece(self.body_of(def));
                let moved = body != def && body.file != file;
                let confidence = if moved { confidence.max(Confidence::Import) } else { confidence };
                Resolution::To(Thing::Def(body), confidence)
            }
            other => other,
        }
    }

    /// Returns true if values of the language's own types have a member of the reference's name.
    fn is_common(&self, site: Site<'m>, r: &Ref) -> bool {
        builtins::is_common_member(site.entry.lang(), site.entry.facts.name(r.name))
    }

    fn entry(&self, file: FileId) -> Option<&'m FileEntry> {
        self.index.entry(file)
    }

    fn def(&self, def: DefRef) -> Option<(&'m FileEntry, &'m Def)> {
        let entry = self.index.entry(def.file)?;
        Some((entry, entry.facts.defs.get(def.def.index())?))
    }

    /// Returns true if the last resolution stopped early, so that another resolver may find more.
    pub(crate) fn was_cut(&self) -> bool {
        self.cut.get()
    }

    /// Caches the result of `work`, unless it stopped early: then it depends on the state of the caller.
    fn get_or_compute<K: std::hash::Hash + Eq + Copy, V: Clone>(
        &self,
        memory: &RefCell<FxHashMap<K, V>>,
        key: K,
        work: impl FnOnce() -> V,
    ) -> V {
        if let Some(known) = memory.borrow().get(&key) {
            return known.clone();
        }
        let cut_before = self.cut.replace(false);
        let found = work();
        if !self.cut.get() {
            memory.borrow_mut().insert(key, found.clone());
        }
        self.cut.set(self.cut.get() || cut_before);
        found
    }

    /// Consumes one step of fuel and runs `work` one level deeper; returns `otherwise` if no fuel or depth is left.
    fn with_fuel<T>(&self, otherwise: T, work: impl FnOnce() -> T) -> T {
        let (fuel, depth) = (self.fuel.get(), self.depth.get());
        if fuel == 0 || depth >= DEPTH {
            self.cut.set(true);
            return otherwise;
        }
        self.fuel.set(fuel - 1);
        self.depth.set(depth + 1);
        let result = work();
        self.depth.set(depth);
        result
    }
}

/// Drops unresolved references, in languages whose paths are exact.
fn without_guesses(site: Site<'_>, found: Resolution) -> Resolution {
    match found {
        Resolution::Unresolved if site.entry.lang().semantics().exact_paths => Resolution::Dropped,
        found => found,
    }
}

/// Returns true if a name can only mean a member of the receiver of the enclosing method.
fn is_own_alone(site: Site<'_>, name: &str) -> bool {
    site.entry.lang().semantics().own_prefix.is_some_and(|prefix| name.starts_with(prefix))
}

fn language_group(site: Site<'_>) -> Lang {
    site.entry.lang().language_group()
}

fn outside_members(site: Site<'_>) -> OutsideMembers {
    site.entry.lang().semantics().outside_members
}

/// Returns true if a reference surely means a definition of the project.
fn is_sure_def(found: &Resolution) -> bool {
    matches!(found, Resolution::To(Thing::Def(_), sure) if *sure < Confidence::Name)
}
