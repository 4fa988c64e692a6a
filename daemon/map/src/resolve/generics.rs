//! Follows type arguments, in languages whose facts write them into hints: `Box<Foo>` for a value, `%0` for the first
//! parameter of the type that has a member, `^0` for the first of a function that is called with type arguments,
//! `%0:Base` for one that extends a type.
//!
//! The arguments go along from a value to its members, to the results of their calls, and up to the bases that a type
//! names with arguments. Nothing is inferred from the arguments of a call.

use std::rc::Rc;

use super::lists::HolderResult;
use super::types::MemberPathPoint;
use super::written::WrittenType;
use super::{NameLookup, Resolver, Site, Thing, WantedKind};
use crate::facts::{DefKind, TypePart};
use crate::langs::support::split_outside_brackets;
use crate::node::DefRef;

/// Most bases with arguments between a type and its base that has a member.
const BASES: usize = 4;

/// The types for which type parameters stand.
#[derive(Clone, Debug, Default)]
pub(super) struct TypeArguments<'m> {
    /// The arguments of the type that has the member.
    of_type: Rc<[Option<WrittenType<'m>>]>,
    /// The arguments of the called function.
    of_call: Rc<[Option<WrittenType<'m>>]>,
}

/// A definition with the types for which type parameters stand in it.
#[derive(Clone, Debug)]
pub(super) struct InstantiatedDef<'m> {
    pub(super) def: DefRef,
    /// The class of the object through which it was reached.
    pub(super) me: Option<DefRef>,
    types: TypeArguments<'m>,
}

/// Returns the name of a type without its arguments; `None` for a type parameter that extends nothing.
pub(super) fn name_of_type(hint: &str) -> Option<&str> {
    let mut plain = hint;
    while let Some(parameter) = plain.strip_prefix(['%', '^']) {
        plain = parameter.split_once(':')?.1;
    }
    let is_bracketed = plain.starts_with(['<', '(', '[']) || !plain.ends_with('>');
    if is_bracketed { Some(plain) } else { plain.split('<').next() }
}

impl<'m> Resolver<'m> {
    /// Returns the value of a type parameter: of its argument, otherwise of the type that it extends.
    pub(super) fn parameter_point(&self, hint: &WrittenType<'m>) -> Option<MemberPathPoint<'m>> {
        let (number, base) = match hint.text[1..].split_once(':') {
            Some((number, base)) => (number, Some(base)),
            None => (&hint.text[1..], None),
        };
        let of = if hint.text.starts_with('%') { &hint.given.of_type } else { &hint.given.of_call };
        let given = number.parse().ok().and_then(|number: usize| of.get(number)?.as_ref());
        self.with_fuel(None, || match given {
            Some(given) => self.point_of_hint(given),
            None => self.point_of_hint(&hint.with_text(base?)?),
        })
    }

    /// Returns a value of a named type, with the arguments in the hint.
    pub(super) fn applied_type(&self, ty: DefRef, hint: &WrittenType<'m>) -> MemberPathPoint<'m> {
        let types = arguments_of(hint);
        if self.has_members(ty) {
            return match types {
                Some(types) => MemberPathPoint::Applied(ty, types),
                None => MemberPathPoint::Of(ty),
            };
        }
        let given = types.clone().map(|types| InstantiatedDef { def: ty, me: None, types });
        let behind = match &given {
            Some(given) => self.typed_for(given, TypePart::VALUE),
            None => self.typed_at(ty, TypePart::VALUE, None),
        };
        let itself = || types.map_or(MemberPathPoint::Of(ty), |types| MemberPathPoint::Applied(ty, types));
        behind.unwrap_or_else(itself)
    }

    /// Returns a value of one of a definition's types, with the type arguments applied.
    pub(super) fn typed_for(
        &self,
        given: &InstantiatedDef<'m>,
        part: TypePart,
    ) -> Option<MemberPathPoint<'m>> {
        let (entry, found) = self.def(given.def)?;
        let hint = entry.facts.type_of(given.def.def, part)?;
        if hint.starts_with([':', '=']) {
            return self.typed_at(given.def, part, given.me);
        }
        let owner = if found.kind.is_callable() { Some(given.def.def) } else { found.parent };
        let site = Site { file: given.def.file, entry, owner, want: WantedKind::Type };
        let ty = WrittenType { given: given.types.clone(), ..WrittenType::new(hint, site, given.me) };
        self.with_fuel(None, || self.point_of_hint(&ty))
    }

    /// Returns the class of a value with its type arguments; `None` if it has none.
    pub(super) fn applied_behind(&self, at: &MemberPathPoint<'m>) -> Option<(DefRef, TypeArguments<'m>)> {
        let behind = match at {
            MemberPathPoint::InstantiatedDef(given) => self.typed_for(given, TypePart::VALUE),
            MemberPathPoint::Named(Thing::Def(def), me) if !self.has_members(*def) => {
                self.typed_at(*def, TypePart::VALUE, *me)
            }
            _ => None,
        };
        match behind.as_ref().unwrap_or(at) {
            MemberPathPoint::Applied(class, types) => Some((*class, types.clone())),
            _ => None,
        }
    }

    /// Returns a member of a value, with the arguments of the type that has the member.
    pub(super) fn given_to_member(
        &self,
        member: DefRef,
        of: &Thing,
        applied: Option<(DefRef, TypeArguments<'m>)>,
    ) -> Option<InstantiatedDef<'m>> {
        let (entry, found) = self.def(member)?;
        if !entry.lang().semantics().type_arguments {
            return None;
        }
        let Thing::Def(class) = *of else { return None };
        let owner = DefRef { file: member.file, def: found.parent? };
        let own = applied.filter(|(of, _)| *of == class).map(|(_, types)| types);
        let (mut at, mut types) = (class, own);
        for _ in 0..BASES {
            if at == owner {
                return types.map(|types| InstantiatedDef { def: member, me: Some(class), types });
            }
            (at, types) = self.base_towards(at, owner, types.unwrap_or_default())?;
        }
        None
    }

    /// Returns the base through which a type inherits from another, with the base's arguments.
    fn base_towards(
        &self,
        class: DefRef,
        owner: DefRef,
        given: TypeArguments<'m>,
    ) -> Option<(DefRef, Option<TypeArguments<'m>>)> {
        let leads = |base: DefRef| base == owner || self.bases(base).known.contains(&owner);
        let base = self.bases(class).known.iter().copied().find(|base| leads(*base))?;
        let (entry, found) = self.def(class)?;
        let site = Site { file: class.file, entry, owner: found.parent, want: WantedKind::Type };
        let hints = (0..BASES).filter_map(|number| entry.facts.type_of(class.def, TypePart::base(number)?));
        let types = hints.into_iter().find_map(|hint| {
            let ty = WrittenType { given: given.clone(), ..WrittenType::new(hint, site, None) };
            match self.follow_path(site, name_of_type(hint)?) {
                NameLookup::Thing(Thing::Def(def), _) if def == base => arguments_of(&ty),
                _ => None,
            }
        });
        Some((base, types))
    }

    /// Returns the result or a parameter of a function whose type is an alias: `type Handler = (request: Request) =>
    /// Response`.
    pub(super) fn given_by_alias(
        &self,
        alias: DefRef,
        at: &MemberPathPoint<'m>,
        part: TypePart,
    ) -> Option<MemberPathPoint<'m>> {
        let (entry, found) = self.def(alias)?;
        let is_function = matches!(found.kind, DefKind::TypeAlias | DefKind::Interface);
        if !is_function || !entry.lang().semantics().type_arguments {
            return None;
        }
        let types = match at {
            MemberPathPoint::Applied(_, types) => types.clone(),
            _ => TypeArguments::default(),
        };
        self.typed_for(&InstantiatedDef { def: alias, me: None, types }, part)
    }

    /// Returns the result of calling a variable or field whose type is an alias of a function type.
    pub(super) fn result_of_value(&self, at: &MemberPathPoint<'m>) -> Option<MemberPathPoint<'m>> {
        let behind = self.value_behind(at)?;
        match &behind {
            MemberPathPoint::Of(ty) | MemberPathPoint::Applied(ty, _) => {
                self.given_by_alias(*ty, &behind, TypePart::RESULT)
            }
            _ => None,
        }
    }

    /// Returns true if the hint for a definition's type names a type parameter.
    pub(super) fn is_parametric(&self, def: DefRef) -> bool {
        let hint = self.def(def).and_then(|(entry, _)| entry.facts.type_of(def.def, TypePart::VALUE));
        hint.is_some_and(|hint| hint.contains('%'))
    }

    /// Returns the value of a dotted path with the type arguments along it, if the path by itself does not tell the
    /// value.
    pub(super) fn parametric_value(&self, site: Site<'m>, path: &str, found: &NameLookup) -> Option<Thing> {
        let is_untold = match found {
            NameLookup::Thing(Thing::Def(def), _) => self.is_parametric(*def),
            NameLookup::Bound => true,
            _ => false,
        };
        let is_asked = is_untold && path.contains('.') && site.entry.lang().semantics().type_arguments;
        let value = if is_asked { self.value(site, path, None) } else { None };
        value.filter(|thing| matches!(thing, Thing::Def(_)))
    }

    /// Returns the result of a call with type arguments.
    pub(super) fn result_with(
        &self,
        at: MemberPathPoint<'m>,
        types: &str,
        site: Site<'m>,
    ) -> Option<MemberPathPoint<'m>> {
        let (def, me, mut given) = match &at {
            MemberPathPoint::Named(Thing::Def(def), me) => (*def, *me, TypeArguments::default()),
            MemberPathPoint::InstantiatedDef(given) => (given.def, given.me, given.types.clone()),
            MemberPathPoint::HolderMethod(_, HolderResult::Mapped) => {
                return self.holder_of(&WrittenType::new(&format!("[]{types}"), site, None));
            }
            _ => return self.result_of_call(at),
        };
        let list = WrittenType::new(&format!("_<{types}>"), site, None);
        given.of_call = arguments_of(&list).map(|list| list.of_type).unwrap_or_default();
        if self.has_members(def) {
            return self.result_of_call(at);
        }
        let result = self.typed_for(&InstantiatedDef { def, me, types: given }, TypePart::RESULT);
        result.or_else(|| self.result_of_call(at))
    }
}

/// Returns the arguments of a written type.
fn arguments_of<'m>(hint: &WrittenType<'m>) -> Option<TypeArguments<'m>> {
    let (_, list) = hint.text.strip_suffix('>')?.split_once('<')?;
    let of_type = split_outside_brackets(list, ',').map(|text| hint.with_text(text)).collect();
    Some(TypeArguments { of_type, of_call: Rc::default() })
}
