//! Follows values through Rust's types with arguments (`:Option<Vec<Foo>>`, see `langs/rust/written`) and members of
//! the library's types: `Option<Foo>` unwrapped is a `Foo`, a `Vec<Foo>` iterated yields `Foo`s.
//!
//! It infers nothing about type parameters. It knows the results of the few library members that return what a value
//! holds, by name. About other members, and types that are neither the project's nor one of these, it knows nothing.

use std::rc::Rc;

use super::generics::TypeArguments;
use super::members::MemberLookup;
use super::types::MemberPathPoint;
use hob_base::FileId;

use super::{NameLookup, Resolution, Resolver, Site, Thing, WantedKind, builtins};
use crate::facts::{Def, DefKind, Ref, TypePart};
use crate::index::FileEntry;
use crate::langs::semantics::OutsideMembers;
use crate::langs::support::split_outside_brackets;
use crate::node::{Confidence, DefRef};

/// Most files searched for a trait's member.
const MANY: usize = 1024;

/// A type with arguments, and the place where it is written.
#[derive(Clone, Debug)]
pub(super) struct WrittenType<'m> {
    /// The type as in a hint, without the `:` before it.
    pub(super) text: Rc<str>,
    pub(super) site: Site<'m>,
    /// The type that `Self` means, if it is known better than from the place.
    pub(super) me: Option<DefRef>,
    /// The types for which parameters in the text stand.
    pub(super) given: TypeArguments<'m>,
}

/// A step to a value inside another that is no member of it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum InnerStep {
    /// To the value that `?` returns.
    Good,
    /// To the value that `Err(x)` binds.
    Bad,
    /// To the values over which a loop iterates.
    Item,
    /// To the value that an index returns.
    Indexed,
}

/// The syntax that follows a member's name.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum AfterMember {
    Nothing,
    Call,
    GivenToCallback(TypePart),
}

impl<'m> WrittenType<'m> {
    /// Returns a type as written at a place, without types for its parameters.
    pub(super) fn new(text: &str, site: Site<'m>, me: Option<DefRef>) -> Self {
        Self { text: text.into(), site, me, given: TypeArguments::default() }
    }

    /// Returns another type written at the same place; `None` for `_`, which is unknown.
    pub(super) fn with_text(&self, text: &str) -> Option<Self> {
        (text != "_").then(|| Self { text: text.into(), ..self.clone() })
    }

    /// Splits a type into the name before the arguments (`(` for a tuple, `[` for a slice), and the arguments.
    fn head_and_arguments(&self) -> (&str, Vec<&str>) {
        let text = &*self.text;
        let open = text.find(['<', '(', '[']).unwrap_or(text.len());
        let head = if open == 0 { text.get(..1).unwrap_or("") } else { &text[..open] };
        let inside = text.get(open + 1..text.len().max(open + 2) - 1).unwrap_or("");
        (head, split_outside_brackets(inside, ',').filter(|part| !part.is_empty()).collect())
    }

    fn argument(&self, at: usize) -> Option<Self> {
        self.with_text(self.head_and_arguments().1.get(at)?)
    }

    fn kind(&self) -> LibraryKind {
        let (head, _) = self.head_and_arguments();
        LibraryKind::from_name(head.rsplit('.').next().unwrap_or(head))
    }
}

/// The kinds of the library's types, by the values that they hold and that their members return.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum LibraryKind {
    Tuple,
    /// A type that holds a value or none, or a value or an error: `Option`, `Result`.
    Maybe,
    Sequence,
    Map,
    Entry,
    /// A type that derefs to its first argument.
    Pointer,
    /// A type like `RefCell`.
    Cell,
    /// A type that returns its value through a guard: `Mutex`, `RwLock`.
    Lock,
    Once,
    Other,
}

impl LibraryKind {
    fn from_name(name: &str) -> Self {
        match name {
            "(" => Self::Tuple,
            "Option" | "Result" | "LockResult" | "Poll" => Self::Maybe,
            "["
            | "Vec"
            | "VecDeque"
            | "LinkedList"
            | "BinaryHeap"
            | "HashSet"
            | "BTreeSet"
            | "IndexSet"
            | "FxHashSet"
            | "SmallVec"
            | "ArrayVec"
            | "Iterator"
            | "DoubleEndedIterator"
            | "ExactSizeIterator"
            | "FusedIterator"
            | "IntoIterator" => Self::Sequence,
            "HashMap" | "BTreeMap" | "IndexMap" | "FxHashMap" | "AHashMap" => Self::Map,
            "Entry" => Self::Entry,
            "Cow" | "Ref" | "RefMut" | "MutexGuard" | "RwLockReadGuard" | "RwLockWriteGuard" | "Pin"
            | "LazyLock" | "Lazy" => Self::Pointer,
            "RefCell" | "Cell" => Self::Cell,
            "Mutex" | "RwLock" => Self::Lock,
            "OnceCell" | "OnceLock" => Self::Once,
            _ => Self::Other,
        }
    }
}

impl<'m> Resolver<'m> {
    /// Classifies a written type: one of the project's, a known one of the library's, or one from outside; `None` if it
    /// is unknown.
    fn classify_written(&self, ty: &WrittenType<'m>) -> Option<MemberPathPoint<'m>> {
        self.with_fuel(None, || {
            let (head, arguments) = ty.head_and_arguments();
            if matches!(head, "(" | "[") {
                return Some(MemberPathPoint::Written(ty.clone()));
            }
            let kind = ty.kind();
            if kind == LibraryKind::Pointer && !arguments.is_empty() {
                return self.classify_written(&ty.argument(0)?);
            }
            match self.named_type(ty, head) {
                NameLookup::Thing(Thing::Def(def), _) if self.has_members(def) => {
                    Some(MemberPathPoint::Of(def))
                }
                // `type Result<T> = std::result::Result<T, Error>`.
                NameLookup::Thing(Thing::Def(_), _)
                    if kind != LibraryKind::Other && !arguments.is_empty() =>
                {
                    Some(MemberPathPoint::Written(ty.clone()))
                }
                NameLookup::Thing(Thing::Def(def), _) => self.typed_at(def, TypePart::VALUE, ty.me),
                NameLookup::Thing(Thing::Module(_), _) => None,
                _ if kind != LibraryKind::Other => Some(MemberPathPoint::Written(ty.clone())),
                NameLookup::Thing(outside @ Thing::External(_), _) => {
                    Some(MemberPathPoint::Named(outside, None))
                }
                NameLookup::Absent { .. } if builtins::is_global(ty.site.entry.lang(), head) => {
                    Some(outside_type(head))
                }
                NameLookup::Bound | NameLookup::Absent { .. } => None,
            }
        })
    }

    fn named_type(&self, ty: &WrittenType<'m>, head: &str) -> NameLookup {
        let site = Site { want: WantedKind::Type, ..ty.site };
        let Some(me) = ty.me.filter(|_| head.starts_with("Self")) else {
            return self.follow_path(site, head);
        };
        match head.split_once('.') {
            None => NameLookup::Thing(me.into(), Confidence::Import),
            Some((_, name)) => self.member_of_thing(site, &me.into(), name),
        }
    }

    /// Converts a value into a form whose members can be searched.
    pub(super) fn opened_up(&self, at: MemberPathPoint<'m>) -> Option<MemberPathPoint<'m>> {
        match at {
            MemberPathPoint::Written(ty) => self.classify_written(&ty),
            MemberPathPoint::Named(Thing::Def(def), me) if !self.has_members(def) => {
                match self.variant_of(def) {
                    Some(_) => Some(MemberPathPoint::Named(Thing::Def(def), me)),
                    None => self.opened_up(self.typed_at(def, TypePart::VALUE, me)?),
                }
            }
            other => Some(other),
        }
    }

    /// Returns the enumeration of which a definition is a variant.
    pub(super) fn variant_of(&self, def: DefRef) -> Option<DefRef> {
        let (entry, found) = self.def(def)?;
        let parent = found.parent.filter(|_| found.kind == DefKind::Constant)?;
        let is_enum = entry.facts.def(parent).kind == DefKind::Enum;
        is_enum.then_some(DefRef { file: def.file, def: parent })
    }

    /// Returns a member at a position, called or not.
    pub(super) fn written_member(
        &self,
        site: Site<'m>,
        at: MemberPathPoint<'m>,
        name: &str,
        then: AfterMember,
    ) -> Option<MemberPathPoint<'m>> {
        let at = self.opened_up(at)?;
        let owner = match &at {
            MemberPathPoint::Written(ty) => return self.library_member(ty, name, then),
            MemberPathPoint::Named(Thing::External(_), _) => return Some(at),
            MemberPathPoint::Named(Thing::Def(def), _) | MemberPathPoint::Of(def) => Some(*def),
            _ => None,
        };
        if let Some(part) = owner.and_then(|owner| self.part_of(owner, name)) {
            return Some(part);
        }
        let owner = owner.map(|def| self.variant_of(def).unwrap_or(def));
        let want = if then == AfterMember::Nothing { WantedKind::Any } else { WantedKind::Callee };
        let thing = self.settled_thing(at)?;
        match self.member_of_thing(Site { want, ..site }, &thing, name) {
            NameLookup::Thing(found, _) => self.apply_syntax(MemberPathPoint::Named(found, owner), then),
            NameLookup::Bound | NameLookup::Absent { .. } => self.member_beyond(owner?, name, then),
        }
    }

    fn apply_syntax(&self, at: MemberPathPoint<'m>, then: AfterMember) -> Option<MemberPathPoint<'m>> {
        match then {
            AfterMember::Nothing => Some(at),
            AfterMember::Call => self.result_of_call(at),
            AfterMember::GivenToCallback(part) => self.given_to_callback(at, part),
        }
    }

    /// Returns a field of a tuple struct or of a variant.
    fn part_of(&self, owner: DefRef, name: &str) -> Option<MemberPathPoint<'m>> {
        if let Ok(place) = name.parse::<usize>() {
            return self.typed_at(owner, TypePart::callback(0, place)?, None);
        }
        self.variant_of(owner)?;
        let (entry, _) = self.def(owner)?;
        let (field, _) = entry.defs_named(name).find(|(_, field)| field.parent == Some(owner.def))?;
        self.typed_at(DefRef { file: owner.file, def: field }, TypePart::VALUE, None)
    }

    /// Returns a member that a type of the project itself lacks: through `Deref`, or of every iterator and every value.
    fn member_beyond(&self, class: DefRef, name: &str, then: AfterMember) -> Option<MemberPathPoint<'m>> {
        self.with_fuel(None, || {
            if let Some(target) = self.deref(class) {
                let (entry, _) = self.def(class)?;
                let site = Site { file: class.file, entry, owner: Some(class.def), want: WantedKind::Any };
                return self.written_member(site, target, name, then);
            }
            if then == AfterMember::Call && is_same(name) {
                return Some(MemberPathPoint::Of(class));
            }
            let item = self.item_of(class)?;
            self.library_member(&item.with_text(&format!("Iterator<{}>", item.text))?, name, then)
        })
    }

    /// Returns the value to which a type derefs; `None` if it has no `deref`.
    pub(super) fn deref(&self, class: DefRef) -> Option<MemberPathPoint<'m>> {
        let MemberLookup::Found(deref) = self.find_member(class, "deref") else { return None };
        let target = self.opened_up(self.typed_at(deref, TypePart::RESULT, Some(class))?)?;
        (!matches!(target, MemberPathPoint::Of(to) if to == class)).then_some(target)
    }

    /// Returns the type of the items over which a type of the project iterates.
    fn item_of(&self, class: DefRef) -> Option<WrittenType<'m>> {
        let MemberLookup::Found(next) = self.find_member(class, "next") else { return None };
        match self.typed_at(next, TypePart::RESULT, Some(class))? {
            MemberPathPoint::Written(ty) if ty.kind() == LibraryKind::Maybe => ty.argument(0),
            _ => None,
        }
    }

    /// Returns the value to which a step inside a value leads.
    pub(super) fn inner_value(
        &self,
        at: MemberPathPoint<'m>,
        inner: InnerStep,
    ) -> Option<MemberPathPoint<'m>> {
        match self.opened_up(at)? {
            MemberPathPoint::Written(ty) => held_type(&ty, inner).map(MemberPathPoint::Written),
            MemberPathPoint::Of(class) if inner == InnerStep::Item => {
                self.item_of(class).map(MemberPathPoint::Written)
            }
            MemberPathPoint::Of(class) if inner == InnerStep::Indexed => {
                match self.find_member(class, "index") {
                    MemberLookup::Found(index) => self.typed_at(index, TypePart::RESULT, Some(class)),
                    MemberLookup::Missing { .. } => None,
                }
            }
            outside @ MemberPathPoint::Named(Thing::External(_), _) => Some(outside),
            _ => None,
        }
    }

    /// Returns a member of a value through `Deref`, if the value's own type lacks it.
    pub(super) fn through_deref(&self, site: Site<'m>, r: &Ref, thing: &Thing) -> Option<Resolution> {
        let Thing::Def(class) = thing else { return None };
        let may_deref = site.entry.lang().semantics().derefs && self.has_members(*class);
        let target = self.deref(*class).filter(|_| may_deref)?;
        match self.settled_thing(target)? {
            Thing::Def(to) if to != *class => {
                match self.member_of_thing(site, &to.into(), site.entry.facts.name(r.name)) {
                    NameLookup::Thing(found, sure) => {
                        Some(Resolution::To(found, sure.max(Confidence::Import)))
                    }
                    NameLookup::Bound | NameLookup::Absent { .. } => None,
                }
            }
            _ => None,
        }
    }

    /// Resolves a member of a value of a type from outside: to one that the project's own traits add to it, otherwise
    /// to the outside.
    pub(super) fn outside_ref(&self, site: Site<'m>, r: &Ref, ty: &str) -> Resolution {
        let head = ty.split(['<', '(', '[']).next().unwrap_or(ty);
        self.member_added_by_trait(site, r, head)
            .unwrap_or_else(|| Resolution::To(Thing::External(ty.into()), Confidence::Import))
    }

    /// Resolves a reference to a member that a trait of the project adds to a type from outside: to the member of the
    /// implementation for exactly this type, or unresolved if some trait has one of the name.
    pub(super) fn member_added_by_trait(&self, site: Site<'m>, r: &Ref, ty: &str) -> Option<Resolution> {
        let name = site.entry.facts.name(r.name);
        let last = ty.rsplit('.').next().unwrap_or(ty);
        let qualified = format!("{last}.{name}");
        let detached = self.index.files_defining_detached(&qualified).iter().map(|&file| FileId(file));
        let written: Vec<DefRef> = detached
            .filter_map(|file| {
                let entry = self.entry(file).filter(|entry| has_trait_members(entry))?;
                Some(DefRef { file, def: entry.def_qualified(&qualified, 1)? })
            })
            .collect();
        if let [def] = written[..] {
            return Some(Resolution::To(def.into(), Confidence::Import));
        }
        (self.may_be_of_trait(name) || !written.is_empty()).then_some(Resolution::Unresolved)
    }

    /// Returns true if a trait of the project has a member of this name, or may have one in a file that is not searched.
    fn may_be_of_trait(&self, name: &str) -> bool {
        let Some(id) = self.index.name_id(name) else { return false };
        if let Some(&known) = self.trait_members.borrow().get(&id) {
            return known;
        }
        let files = self.index.files_defining_id(id);
        let has_it = |file: &u32| {
            let Some(entry) = self.entry(FileId(*file)) else { return false };
            let is_of_trait =
                |def: &Def| def.parent.is_some_and(|parent| entry.facts.def(parent).kind == DefKind::Trait);
            has_trait_members(entry) && entry.defs_named(name).any(|(_, def)| is_of_trait(def))
        };
        let found = files.len() > MANY || files.iter().any(has_it);
        self.trait_members.borrow_mut().insert(id, found);
        found
    }

    fn library_member(
        &self,
        ty: &WrittenType<'m>,
        name: &str,
        then: AfterMember,
    ) -> Option<MemberPathPoint<'m>> {
        let text = match then {
            AfterMember::Nothing if ty.kind() == LibraryKind::Tuple => {
                let (_, elements) = ty.head_and_arguments();
                (*elements.get(name.parse::<usize>().ok()?)?).to_owned()
            }
            AfterMember::Nothing => return None,
            AfterMember::Call => result_of(ty, name)?,
            AfterMember::GivenToCallback(part) => passed_by(ty, name, part)?,
        };
        ty.with_text(&text).map(MemberPathPoint::Written)
    }
}

/// Returns a type from outside by its name.
pub(super) fn outside_type(name: &str) -> MemberPathPoint<'static> {
    MemberPathPoint::Named(Thing::External(name.into()), None)
}

fn held_type<'m>(ty: &WrittenType<'m>, inner: InnerStep) -> Option<WrittenType<'m>> {
    match (ty.kind(), inner) {
        (LibraryKind::Maybe, InnerStep::Good | InnerStep::Item) => ty.argument(0),
        (LibraryKind::Maybe, InnerStep::Bad) => ty.argument(1),
        (LibraryKind::Sequence, InnerStep::Item | InnerStep::Indexed) => ty.argument(0),
        (LibraryKind::Map, InnerStep::Indexed) => ty.argument(1),
        (LibraryKind::Map, InnerStep::Item) => {
            let (_, arguments) = ty.head_and_arguments();
            ty.with_text(&format!("({})", arguments.join(",")))
        }
        _ => None,
    }
}

/// Returns the result type of a method of a library type.
fn result_of(ty: &WrittenType<'_>, name: &str) -> Option<String> {
    let (_, arguments) = ty.head_and_arguments();
    let argument = |at: usize| arguments.get(at).copied().unwrap_or("_");
    let (first, second) = (argument(0), argument(1));
    let iterator = |of: &str| Some(format!("Iterator<{of}>"));
    let option = |of: &str| Some(format!("Option<{of}>"));
    let same = || Some(ty.text.to_string());
    if is_same(name) {
        return same();
    }
    match ty.kind() {
        LibraryKind::Maybe => match name {
            "unwrap" | "expect" | "unwrap_or" | "unwrap_or_else" | "unwrap_or_default" | "insert"
            | "get_or_insert" | "get_or_insert_with" | "unwrap_unchecked" => Some(first.to_owned()),
            "as_deref" | "as_deref_mut" | "cloned" | "copied" | "take" | "or" | "or_else" | "filter"
            | "replace" | "inspect" | "inspect_err" | "xor" | "context" | "with_context" => same(),
            "map_err" => Some(format!("Result<{first},_>")),
            "ok" => option(first),
            "err" => option(second),
            "ok_or" | "ok_or_else" => Some(format!("Result<{first},_>")),
            "unwrap_err" | "expect_err" => Some(second.to_owned()),
            "iter" | "iter_mut" | "into_iter" => iterator(first),
            _ => None,
        },
        LibraryKind::Sequence => match name {
            "iter" | "iter_mut" | "into_iter" | "drain" | "rev" | "skip" | "take" | "filter"
            | "skip_while" | "take_while" | "peekable" | "chain" | "cloned" | "copied" | "step_by"
            | "fuse" | "inspect" | "cycle" | "split_off" => iterator(first),
            "first" | "last" | "get" | "get_mut" | "pop" | "next" | "peek" | "peek_mut" | "pop_front"
            | "pop_back" | "next_back" | "nth" | "min" | "max" | "find" | "front" | "back" | "front_mut"
            | "back_mut" | "first_mut" | "last_mut" | "max_by_key" | "min_by_key" | "max_by" | "min_by"
            | "reduce" | "next_if" | "rfind" => option(first),
            "swap_remove" => Some(first.to_owned()),
            "as_slice" | "as_mut_slice" | "to_vec" | "into_boxed_slice" | "into_vec" => same(),
            "windows" | "chunks" | "chunks_exact" | "chunks_mut" => iterator(&format!("[{first}]")),
            "enumerate" => iterator(&format!("(usize,{first})")),
            _ => None,
        },
        LibraryKind::Map => match name {
            "get" | "get_mut" | "remove" | "insert" => option(second),
            "values" | "values_mut" | "into_values" => iterator(second),
            "keys" | "into_keys" => iterator(first),
            "iter" | "iter_mut" | "into_iter" | "drain" => iterator(&format!("({first},{second})")),
            "entry" => Some(format!("Entry<{first},{second}>")),
            "first_key_value" | "last_key_value" | "get_key_value" | "pop_first" | "pop_last" => {
                option(&format!("({first},{second})"))
            }
            _ => None,
        },
        LibraryKind::Entry => match name {
            "or_insert" | "or_insert_with" | "or_default" | "or_insert_with_key" => Some(second.to_owned()),
            "and_modify" => same(),
            _ => None,
        },
        LibraryKind::Cell => {
            matches!(name, "borrow" | "borrow_mut" | "into_inner" | "get" | "replace" | "get_mut")
                .then(|| first.to_owned())
        }
        LibraryKind::Lock => matches!(name, "lock" | "read" | "write" | "into_inner" | "get_mut")
            .then(|| format!("Result<{first},_>")),
        LibraryKind::Once => match name {
            "get" | "get_mut" | "into_inner" | "take" => option(first),
            "get_or_init" => Some(first.to_owned()),
            _ => None,
        },
        LibraryKind::Tuple | LibraryKind::Pointer | LibraryKind::Other => None,
    }
}

/// Returns true if a method returns its receiver, or a view of it.
fn is_same(name: &str) -> bool {
    matches!(name, "clone" | "as_ref" | "as_mut" | "by_ref" | "to_owned")
}

/// Returns the type of a parameter of a function that is passed to a method of a library type.
fn passed_by(ty: &WrittenType<'_>, name: &str, part: TypePart) -> Option<String> {
    let (_, arguments) = ty.head_and_arguments();
    let is = |argument, parameter| TypePart::callback(argument, parameter) == Some(part);
    let argument = |at: usize| arguments.get(at).map(|text| (*text).to_owned());
    match ty.kind() {
        LibraryKind::Maybe => match name {
            "map" | "and_then" | "is_some_and" | "is_none_or" | "is_ok_and" | "inspect" | "filter"
                if is(0, 0) =>
            {
                argument(0)
            }
            "map_or" | "map_or_else" if is(1, 0) => argument(0),
            "map_err" | "unwrap_or_else" | "or_else" | "inspect_err" | "map_or_else" if is(0, 0) => {
                argument(1)
            }
            _ => None,
        },
        LibraryKind::Sequence => match name {
            "map"
            | "any"
            | "all"
            | "filter"
            | "for_each"
            | "filter_map"
            | "flat_map"
            | "find"
            | "find_map"
            | "position"
            | "rposition"
            | "take_while"
            | "skip_while"
            | "map_while"
            | "inspect"
            | "retain"
            | "max_by_key"
            | "min_by_key"
            | "sort_by_key"
            | "partition"
            | "sort_unstable_by_key"
            | "sort_by_cached_key"
            | "try_for_each"
            | "retain_mut"
            | "partition_point"
            | "binary_search_by"
            | "binary_search_by_key"
            | "next_if"
            | "dedup_by_key"
                if is(0, 0) =>
            {
                argument(0)
            }
            "sort_by" | "sort_unstable_by" | "max_by" | "min_by" | "dedup_by" | "reduce"
                if is(0, 0) || is(0, 1) =>
            {
                argument(0)
            }
            "fold" | "try_fold" | "scan" if is(1, 1) => argument(0),
            _ => None,
        },
        LibraryKind::Map if name == "retain" && is(0, 0) => argument(0),
        LibraryKind::Map if name == "retain" && is(0, 1) => argument(1),
        LibraryKind::Entry if name == "and_modify" && is(0, 0) => argument(1),
        _ => None,
    }
}

/// Returns true if traits of the project may add members to types from outside in a file's language.
pub(super) fn has_trait_members(entry: &FileEntry) -> bool {
    entry.lang().semantics().outside_members == OutsideMembers::Traits
}
