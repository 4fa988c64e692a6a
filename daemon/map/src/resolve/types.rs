//! Finds the type of a value across files, by the types that each file states for its definitions
//! ([`TypeHint`](crate::facts::TypeHint)).
//!
//! It infers nothing beyond the text: a variable has the type that its annotation or its first value gives it, a call
//! has the declared result, a path of members goes from type to type. If any step is unknown, the whole is.

use super::choice::is_named_object;
use super::generics::{InstantiatedDef, TypeArguments};
use super::lists::{Holder, HolderResult};
use super::members::MemberLookup;
use super::written::{AfterMember, InnerStep, WrittenType};
use super::{NameLookup, Resolver, Site, Thing, WantedKind};
use crate::facts::{Def, DefKind, RefKind, TypePart};
use crate::index::FileEntry;
use crate::node::DefRef;

/// The position of a walk along a path of members.
#[derive(Clone, Debug)]
pub(super) enum MemberPathPoint<'m> {
    /// At a named thing, reached through an object of this class.
    Named(Thing, Option<DefRef>),
    /// At a value of this class.
    Of(DefRef),
    /// At a value of a type with arguments.
    Written(WrittenType<'m>),
    /// At a list or map.
    Holder(Holder<'m>),
    /// At a method of a list or map.
    HolderMethod(Holder<'m>, HolderResult),
    /// At a tuple.
    Tuple(WrittenType<'m>),
    /// At a value of a class with type arguments.
    Applied(DefRef, TypeArguments<'m>),
    /// At a named thing, with the types for which type parameters stand.
    InstantiatedDef(InstantiatedDef<'m>),
}

/// A step of a path of members.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum MemberStep<'p> {
    Name(&'p str),
    Call,
    /// A call with type arguments.
    CallWith(&'p str),
    /// To the value at a place of a tuple or list.
    At(usize),
    /// To a parameter of a function that is passed to the call.
    GivenToCallback(TypePart),
    /// To a parameter of the function itself.
    Parameter(usize),
    /// To a value inside the value.
    InnerStep(InnerStep),
}

/// Yields the steps of `.field.run()` behind the start of a path, which may itself be called. `each@0:1` is the second
/// parameter of the function that is the first argument of `each`, `each@0:=` the expected result of that function, and
/// `each@0` the first parameter of `each` itself.
fn path_steps(path: &str) -> impl Iterator<Item = MemberStep<'_>> {
    path.split('.').flat_map(|segment| {
        let place = segment.strip_prefix('[').and_then(|rest| rest.strip_suffix(']'));
        if let Some(place) = place.and_then(|place| place.parse().ok()) {
            return StepsOfSegment { first: Some(MemberStep::At(place)), ..StepsOfSegment::default() };
        }
        let inner = match segment {
            "?" => Some(InnerStep::Good),
            "!" => Some(InnerStep::Bad),
            "@" => Some(InnerStep::Item),
            "[]" => Some(InnerStep::Indexed),
            _ => None,
        };
        let name = segment.trim_end_matches("()");
        let calls = (segment.len() - name.len()) / 2;
        let (name, given) = match name.split_once('@') {
            Some((name, place)) => (name, callback_step(place)),
            None => (name, None),
        };
        let (name, types) =
            match name.split_once('<').and_then(|(name, rest)| Some((name, rest.strip_suffix('>')?))) {
                Some((name, types)) if inner.is_none() => (name, Some(MemberStep::CallWith(types))),
                _ => (name, None),
            };
        let calls = calls - usize::from(types.is_some() && calls > 0);
        let first = inner.map(MemberStep::InnerStep).or((!name.is_empty()).then_some(MemberStep::Name(name)));
        StepsOfSegment { first, second: given.or(types), calls }
    })
}

/// The steps of one segment of a path.
#[derive(Default)]
struct StepsOfSegment<'p> {
    first: Option<MemberStep<'p>>,
    second: Option<MemberStep<'p>>,
    /// The number of calls that follow the two.
    calls: usize,
}

impl<'p> Iterator for StepsOfSegment<'p> {
    type Item = MemberStep<'p>;

    fn next(&mut self) -> Option<MemberStep<'p>> {
        if let Some(step) = self.first.take().or_else(|| self.second.take()) {
            return Some(step);
        }
        self.calls = self.calls.checked_sub(1)?;
        Some(MemberStep::Call)
    }
}

fn callback_step(place: &str) -> Option<MemberStep<'_>> {
    let Some((argument, parameter)) = place.split_once(':') else {
        return place.parse().ok().map(MemberStep::Parameter);
    };
    let argument = argument.parse().ok()?;
    let part = match parameter {
        "=" => TypePart::callback_result(argument),
        _ => TypePart::callback(argument, parameter.parse().ok()?),
    };
    part.map(MemberStep::GivenToCallback)
}

impl<'m> Resolver<'m> {
    /// Returns the type, module or package that has the members of a value; the value is written as a path of names and
    /// calls. `me` is the class of the receiver, if it is known better than from the place of the path.
    pub(super) fn value(&self, site: Site<'m>, path: &str, me: Option<DefRef>) -> Option<Thing> {
        if site.entry.lang().semantics().joined_values && path.contains('|') {
            return self.agreed_value(site, path, me);
        }
        self.with_fuel(None, || self.settled_thing(self.value_point(site, path, me)?))
    }

    /// Returns the position at the end of a path of names and calls, which may also be a list.
    pub(super) fn value_point(
        &self,
        site: Site<'m>,
        path: &str,
        me: Option<DefRef>,
    ) -> Option<MemberPathPoint<'m>> {
        self.with_fuel(None, || {
            let (mut at, rest) = self.start(site, path, me)?;
            let mut steps = path_steps(rest).peekable();
            while let Some(step) = steps.next() {
                // An object without an `__enter__` of its own stands for itself.
                if step == MemberStep::Name("__enter__") && self.lacks_member(&at, "__enter__") {
                    let _ = steps.next_if_eq(&MemberStep::Call);
                    continue;
                }
                at = match step {
                    MemberStep::Name(name) if site.entry.lang().semantics().library_types => {
                        let then = match steps
                            .next_if(|step| matches!(step, MemberStep::Call | MemberStep::GivenToCallback(_)))
                        {
                            Some(MemberStep::Call) => AfterMember::Call,
                            Some(MemberStep::GivenToCallback(part)) => AfterMember::GivenToCallback(part),
                            _ => AfterMember::Nothing,
                        };
                        self.written_member(site, at, name, then)?
                    }
                    MemberStep::Name(name) => self.to_member(site, at, name)?,
                    MemberStep::Call => self.result_of_call(at)?,
                    MemberStep::CallWith(types) => self.result_with(at, types, site)?,
                    MemberStep::At(place) => self.taken_at(&at, place)?,
                    MemberStep::GivenToCallback(part) => self.given_to_callback(at, part)?,
                    MemberStep::Parameter(number) => self.parameter_value(&at, number)?,
                    MemberStep::InnerStep(inner) if site.entry.lang().semantics().library_types => {
                        self.inner_value(at, inner)?
                    }
                    MemberStep::InnerStep(_) => self.taken_out(&at)?,
                };
            }
            Some(at)
        })
    }

    /// Returns the class of a value, if all of several paths, separated by `|`, lead to it.
    fn agreed_value(&self, site: Site<'m>, paths: &str, me: Option<DefRef>) -> Option<Thing> {
        let mut agreed = None;
        for path in paths.split('|') {
            match (self.value(site, path, me)?, agreed) {
                (Thing::Def(class), None) => agreed = Some(class),
                (Thing::Def(class), Some(known)) if class == known => {}
                _ => return None,
            }
        }
        agreed.map(Thing::Def)
    }

    /// Returns the position at the start of a path, and the rest of the path.
    fn start<'p>(
        &self,
        site: Site<'m>,
        path: &'p str,
        me: Option<DefRef>,
    ) -> Option<(MemberPathPoint<'m>, &'p str)> {
        // `!module!.name`: a member of a module that is loaded there.
        if let Some((spec, rest)) = path.strip_prefix('!').and_then(|path| path.split_once('!')) {
            return Some((MemberPathPoint::Named(self.loaded_module(site, spec), None), rest));
        }
        if let Some(written) = path.strip_prefix(':') {
            let (text, rest) = written.split_at(end_of_type(written));
            return Some((MemberPathPoint::Written(WrittenType::new(text, site, me)), rest));
        }
        // `$name.member`: the value of the fixture with this name.
        if let Some(path) = path.strip_prefix('$')
            && !site.entry.lang().semantics().fixture_files.is_empty()
        {
            let end = path.find(|c: char| !(c.is_alphanumeric() || c == '_')).unwrap_or(path.len());
            let (name, rest) = path.split_at(end);
            let fixture = self.fixture_named(site, name)?;
            return Some((self.result_of_call(MemberPathPoint::Named(fixture.into(), None))?, rest));
        }
        // `Type~.member`: a value of the type.
        if let Some((hint, rest)) = path.split_once('~') {
            return Some((self.point_of_hint(&WrittenType::new(hint, site, me))?, rest));
        }
        let end = path.find('.').unwrap_or(path.len());
        let (first, rest) = path.split_at(end);
        let is_generic = site.entry.lang().semantics().type_arguments;
        let plain = first.split('@').next().unwrap_or(first);
        let name = if is_generic { plain.split('<').next().unwrap_or(plain) } else { plain };
        let name = name.trim_end_matches("()");
        let rest = if name.len() == first.len() { rest } else { &path[name.len()..] };
        if matches!(name, "self" | "this") {
            return me.or_else(|| self.enclosing_type(site)).map(|class| (MemberPathPoint::Of(class), rest));
        }
        if matches!(name, "crate" | "super") && site.entry.lang().semantics().path_keywords {
            return self.start_at_module(site, path);
        }
        match self.resolve_bare(Site { want: WantedKind::Callee, ..site }, name) {
            NameLookup::Thing(thing, _) => Some((MemberPathPoint::Named(thing, None), rest)),
            NameLookup::Bound | NameLookup::Absent { .. } => None,
        }
    }

    /// Starts at the thing to which the names up to the first call lead: `crate.a.Foo.new().x`.
    fn start_at_module<'p>(&self, site: Site<'m>, path: &'p str) -> Option<(MemberPathPoint<'m>, &'p str)> {
        let is_name = |segment: &str| segment.chars().all(|c| c.is_alphanumeric() || c == '_');
        let names: usize = path.split('.').take_while(|part| is_name(part.trim_end_matches("()"))).count();
        let call = path.split('.').take(names).position(|segment| segment.ends_with("()"));
        let taken = call.map_or(names, |call| call + 1);
        let end = path.match_indices('.').nth(taken.checked_sub(1)?).map_or(path.len(), |(at, _)| at);
        let name = path.get(..end)?.trim_end_matches("()");
        match self.follow_path(Site { want: WantedKind::Callee, ..site }, name) {
            NameLookup::Thing(thing, _) => Some((MemberPathPoint::Named(thing, None), &path[name.len()..])),
            NameLookup::Bound | NameLookup::Absent { .. } => None,
        }
    }

    /// Returns the type, module or package that has the members at a position.
    pub(super) fn settled_thing(&self, at: MemberPathPoint<'m>) -> Option<Thing> {
        match at {
            MemberPathPoint::Of(class) => Some(class.into()),
            MemberPathPoint::Written(_) => match self.opened_up(at)? {
                MemberPathPoint::Of(class) => Some(class.into()),
                MemberPathPoint::Named(thing, _) => Some(thing),
                MemberPathPoint::Written(ty) => Some(Thing::External(ty.text)),
                _ => None,
            },
            MemberPathPoint::Named(Thing::Def(def), _) if self.is_variant(def) => {
                self.variant_of(def).map(Thing::Def)
            }
            MemberPathPoint::Named(Thing::Def(def), me) if !self.has_members(def) => {
                match self.typed_at(def, TypePart::VALUE, me) {
                    Some(holder @ MemberPathPoint::Holder(_)) => self.settled_thing(holder),
                    _ => self.type_of(def, TypePart::VALUE, me).or_else(|| self.object_with_keys(def)),
                }
            }
            MemberPathPoint::Named(thing, _) => Some(thing),
            MemberPathPoint::Applied(class, _) => Some(class.into()),
            MemberPathPoint::InstantiatedDef(given) => match self.typed_for(&given, TypePart::VALUE) {
                Some(value) => self.settled_thing(value),
                None => self.settled_thing(MemberPathPoint::Named(given.def.into(), given.me)),
            },
            MemberPathPoint::Holder(_) | MemberPathPoint::HolderMethod(..) | MemberPathPoint::Tuple(_) => {
                Some(Self::library_list())
            }
        }
    }

    fn lacks_member(&self, at: &MemberPathPoint<'m>, name: &str) -> bool {
        let class = match self.settled_thing(at.clone()) {
            Some(Thing::Def(class)) => class,
            _ => return false,
        };
        matches!(self.find_member(class, name), MemberLookup::Missing { open: false })
    }

    fn to_member(&self, site: Site<'m>, at: MemberPathPoint<'m>, name: &str) -> Option<MemberPathPoint<'m>> {
        if let Some(method) = self.holder_method(&at, name) {
            return Some(method);
        }
        let is_value = !matches!(&at, MemberPathPoint::Named(Thing::Def(def), _) if self.has_members(*def));
        let applied = self.applied_behind(&at);
        let thing = self.settled_thing(at)?;
        let me = match &thing {
            Thing::Def(class) if is_value => Some(*class),
            _ => None,
        };
        match self.member_of_thing(site, &thing, name) {
            NameLookup::Thing(Thing::Def(member), _) if is_value => {
                let given = self.given_to_member(member, &thing, applied);
                Some(
                    given.map_or(MemberPathPoint::Named(member.into(), me), MemberPathPoint::InstantiatedDef),
                )
            }
            NameLookup::Thing(found, _) => Some(MemberPathPoint::Named(found, me)),
            NameLookup::Bound | NameLookup::Absent { .. } => None,
        }
    }

    pub(super) fn result_of_call(&self, at: MemberPathPoint<'m>) -> Option<MemberPathPoint<'m>> {
        match at {
            MemberPathPoint::HolderMethod(holder, result) => self.holder_result(holder, result),
            MemberPathPoint::InstantiatedDef(given) => match self.typed_for(&given, TypePart::RESULT) {
                Some(result) => Some(result),
                None => self
                    .result_of_value(&MemberPathPoint::InstantiatedDef(given.clone()))
                    .or_else(|| self.result_of_call(MemberPathPoint::Named(given.def.into(), given.me))),
            },
            MemberPathPoint::Of(ty) | MemberPathPoint::Applied(ty, _) => {
                self.given_by_alias(ty, &at, TypePart::RESULT)
            }
            MemberPathPoint::Tuple(_)
            | MemberPathPoint::Written(_)
            | MemberPathPoint::Holder(_)
            | MemberPathPoint::Named(Thing::Module(_), _) => None,
            MemberPathPoint::Named(Thing::External(package), me) => {
                Some(MemberPathPoint::Named(Thing::External(package), me))
            }
            MemberPathPoint::Named(Thing::Def(def), me) => {
                let kind = self.def(def)?.1.kind;
                if kind.is_type() && kind != DefKind::Interface {
                    return Some(MemberPathPoint::Of(def));
                }
                if let Some(whole) = self.variant_of(def).filter(|_| self.is_variant(def)) {
                    return Some(MemberPathPoint::Of(whole));
                }
                let result = self.typed_at(def, TypePart::RESULT, me);
                let result = result.or_else(|| self.type_of_aliased(def).map(point_of_thing));
                result.or_else(|| self.result_of_value(&MemberPathPoint::Named(def.into(), me)))
            }
        }
    }

    /// Returns the value of a parameter of a function that is passed to this one, or to the constructor of this class.
    pub(super) fn given_to_callback(
        &self,
        at: MemberPathPoint<'m>,
        part: TypePart,
    ) -> Option<MemberPathPoint<'m>> {
        if let MemberPathPoint::HolderMethod(holder, result) = &at {
            return self.given_by_holder(holder, *result, part);
        }
        if let MemberPathPoint::InstantiatedDef(given) = &at {
            return self.typed_for(given, part);
        }
        if let MemberPathPoint::Of(alias) | MemberPathPoint::Applied(alias, _) = &at {
            return self.given_by_alias(*alias, &at, part);
        }
        let MemberPathPoint::Named(Thing::Def(def), me) = at else { return None };
        let function = match self.has_members(def) {
            true => match self.find_member(def, "constructor") {
                MemberLookup::Found(constructor) => constructor,
                MemberLookup::Missing { .. } => return None,
            },
            false => def,
        };
        self.typed_at(function, part, me)
    }

    /// Returns the result type of a variable whose value is a function: `const make = Factory.create`.
    fn type_of_aliased(&self, def: DefRef) -> Option<Thing> {
        let (entry, found) = self.def(def)?;
        let path = entry.facts.type_of(def.def, TypePart::VALUE)?.strip_prefix('=')?;
        let site = Site { file: def.file, entry, owner: found.parent, want: WantedKind::Callee };
        self.with_fuel(None, || self.value(site, &format!("{path}()"), None))
    }

    /// Returns true if a definition is a variant of a Rust enumeration, whose values are the enumeration's.
    fn is_variant(&self, def: DefRef) -> bool {
        let may_be = self.def(def).is_some_and(|(entry, _)| entry.lang().semantics().variant_values);
        may_be && self.variant_of(def).is_some()
    }

    /// Returns a value of one of a definition's types, with type arguments if they are known.
    pub(super) fn typed_at(
        &self,
        def: DefRef,
        part: TypePart,
        me: Option<DefRef>,
    ) -> Option<MemberPathPoint<'m>> {
        let (entry, found) = self.def(def)?;
        let hint = entry.facts.type_of(def.def, part)?;
        let owner = if found.kind.is_callable() { Some(def.def) } else { found.parent };
        let site = Site { file: def.file, entry, owner, want: WantedKind::Type };
        if let Some(holder) = self.holder_from_hint(hint, site, me) {
            return Some(holder);
        }
        let Some(text) = hint.strip_prefix(':') else {
            if entry.lang().semantics().type_arguments {
                return self.with_fuel(None, || self.point_of_hint(&WrittenType::new(hint, site, me)));
            }
            return self.type_of(def, part, me).map(point_of_thing);
        };
        Some(MemberPathPoint::Written(WrittenType::new(text, site, me)))
    }

    /// Returns the type that a definition's file states for `part`; `None` if the file states none, or it is unknown.
    pub(super) fn type_of(&self, def: DefRef, part: TypePart, me: Option<DefRef>) -> Option<Thing> {
        let (entry, found) = self.def(def)?;
        let hint = entry.facts.type_of(def.def, part)?;
        if hint.starts_with(':') {
            return self.with_fuel(None, || self.settled_thing(self.typed_at(def, part, me)?));
        }
        let owner = if found.kind.is_callable() { Some(def.def) } else { found.parent };
        let site = Site { file: def.file, entry, owner, want: WantedKind::Type };
        self.with_fuel(None, || match hint.strip_prefix('=') {
            Some(path) => self.value(site, path, me),
            None => match self.follow_path(site, super::generics::name_of_type(hint)?) {
                NameLookup::Thing(Thing::Def(ty), _) if !self.has_members(ty) => {
                    self.type_of(ty, TypePart::VALUE, None).or_else(|| self.object_with_keys(ty))
                }
                NameLookup::Thing(thing @ (Thing::Def(_) | Thing::External(_)), _) => Some(thing),
                _ => None,
            },
        })
    }
}

impl Resolver<'_> {
    /// Returns a variable or an alias, if keys of its object are definitions: their members are searched in it.
    fn object_with_keys(&self, def: DefRef) -> Option<Thing> {
        let (entry, found) = self.def(def)?;
        let first_inside = entry.facts.defs.get(def.def.index() + 1);
        let has_keys = first_inside.is_some_and(|inside| inside.parent == Some(def.def));
        let has_members =
            has_keys || is_named_object(entry, found) && entry.bases_of(def.def).next().is_some();
        (has_members && entry.lang().semantics().objects_hide_members).then_some(Thing::Def(def))
    }
}

/// Returns the end of a type with arguments: the first `.` outside of brackets.
fn end_of_type(text: &str) -> usize {
    let (mut depth, mut named) = (0_i32, true);
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            b'<' | b'(' | b'[' => (depth, named) = (depth + 1, false),
            b'>' | b')' | b']' => depth -= 1,
            b'.' if depth == 0 && !named => return at,
            _ => {}
        }
    }
    text.len()
}

pub(super) fn point_of_thing<'m>(thing: Thing) -> MemberPathPoint<'m> {
    match thing {
        Thing::Def(class) => MemberPathPoint::Of(class),
        other => MemberPathPoint::Named(other, None),
    }
}

impl<'m> Resolver<'m> {
    /// Returns the definition that is meant if something of this kind is wanted: in TypeScript a type and a value may
    /// share a name and a place.
    pub(super) fn meaning_for(&self, def: DefRef, want: WantedKind) -> DefRef {
        let Some((entry, found)) =
            self.def(def).filter(|(entry, _)| entry.lang().semantics().types_beside_values)
        else {
            return def;
        };
        let rank = |kind| u8::from(!has_meaning(want, kind));
        if rank(found.kind) == 0 {
            return def;
        }
        let named =
            entry.defs_named(entry.facts.name(found.name)).filter(|(_, other)| other.parent == found.parent);
        let best = named.min_by_key(|(idx, other)| (rank(other.kind), *idx != def.def));
        best.map_or(def, |(idx, _)| DefRef { file: def.file, def: idx })
    }

    /// Returns true if a bare name cannot mean a definition, because the name is that of a type and the definition is a
    /// value, or the other way round.
    pub(super) fn is_of_other_space(&self, def: DefRef, kind: RefKind) -> bool {
        let Some((entry, found)) =
            self.def(def).filter(|(entry, _)| entry.lang().semantics().types_beside_values)
        else {
            return false;
        };
        // `import A = ns.B` renames any kind of `B`.
        let is_type_name =
            found.kind == DefKind::TypeAlias && !entry.facts.signature(found).starts_with("import");
        match kind {
            RefKind::Type => {
                matches!(found.kind, DefKind::Function | DefKind::Constant | DefKind::Variable)
            }
            RefKind::Use | RefKind::Call => found.kind == DefKind::Interface || is_type_name,
            _ => false,
        }
    }

    /// Returns true if a definition is an enumeration whose values are texts and numbers.
    pub(super) fn is_plain_enum(&self, def: DefRef) -> bool {
        let is_it = |(entry, def): (&FileEntry, &Def)| {
            def.kind == DefKind::Enum && entry.lang().semantics().types_beside_values
        };
        self.def(def).is_some_and(is_it)
    }

    /// Returns true if both definitions have one name in one place, as a type and a value may have in TypeScript.
    pub(crate) fn is_other_meaning(&self, a: DefRef, b: DefRef) -> bool {
        let (Some((entry, one)), Some((_, other))) = (self.def(a), self.def(b)) else { return false };
        a.file == b.file
            && entry.lang().semantics().types_beside_values
            && (one.name, one.parent) == (other.name, other.parent)
    }
}

/// Returns true if a definition of this kind has a meaning that `want` asks for.
fn has_meaning(want: WantedKind, kind: DefKind) -> bool {
    match want {
        WantedKind::Type => kind.is_type() || matches!(kind, DefKind::TypeAlias | DefKind::Module),
        WantedKind::Callee | WantedKind::Any => !matches!(kind, DefKind::Interface | DefKind::TypeAlias),
        WantedKind::Scope => true,
    }
}
