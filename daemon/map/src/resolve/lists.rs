//! Follows values through lists and maps, in languages whose collections belong to the library: `[]Foo` is a list of
//! `Foo`, `{}Foo` a map to `Foo`. An index, a loop or one of the library's methods takes out a `Foo`; other members of
//! a collection are the library's.
//!
//! It does not cover the collections of languages that write types with all their arguments
//! ([`written`](super::written)).

use super::types::MemberPathPoint;
use super::written::WrittenType;
use super::{NameLookup, Resolver, Site, Thing, WantedKind};
use crate::facts::TypePart;
use crate::langs::support::split_outside_brackets;
use crate::node::DefRef;

/// The library's name for the type of collections.
const LIST: &str = "Array";

/// A list or map with values of one type.
#[derive(Clone, Debug)]
pub(super) struct Holder<'m> {
    /// The type of its values, as in a hint.
    held: WrittenType<'m>,
    is_map: bool,
}

/// The result of calling a method of a holder.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum HolderResult {
    /// One of the values.
    Value,
    /// A list of the values.
    Values,
    /// A list of the values, sorted by a function with two parameters.
    Sorted,
    /// A list of the results of a function for each value.
    Mapped,
    /// The result of a function that gets the value so far and each value.
    Folded,
    /// An unknown result.
    Unknown,
}

impl<'m> Resolver<'m> {
    /// Converts a hint that names a holder; `None` if it names anything else.
    pub(super) fn holder_from_hint(
        &self,
        hint: &str,
        site: Site<'m>,
        me: Option<DefRef>,
    ) -> Option<MemberPathPoint<'m>> {
        self.holder_of(&WrittenType::new(hint, site, me))
    }

    /// Returns the list, map or tuple that a written type means.
    pub(super) fn holder_of(&self, ty: &WrittenType<'m>) -> Option<MemberPathPoint<'m>> {
        let (held, is_map) = match (ty.text.strip_prefix("[]"), ty.text.strip_prefix("{}")) {
            (Some(held), _) => (held, false),
            (None, Some(held)) => (held, true),
            (None, None) => {
                let is_tuple = ty.text.starts_with('(') && ty.text.ends_with(')');
                return is_tuple.then(|| MemberPathPoint::Tuple(ty.clone()));
            }
        };
        Some(MemberPathPoint::Holder(Holder { held: ty.with_text(held)?, is_map }))
    }

    /// Returns a value as a holder; `None` if it is none, or unknown.
    fn as_holder(&self, at: &MemberPathPoint<'m>) -> Option<Holder<'m>> {
        match at {
            MemberPathPoint::Holder(holder) => Some(holder.clone()),
            _ => match self.value_behind(at)? {
                MemberPathPoint::Holder(holder) => Some(holder),
                _ => None,
            },
        }
    }

    /// Returns the value of a variable, field or the like, by its declared type.
    pub(super) fn value_behind(&self, at: &MemberPathPoint<'m>) -> Option<MemberPathPoint<'m>> {
        match at {
            MemberPathPoint::Named(Thing::Def(def), me) if !self.has_members(*def) => {
                self.typed_at(*def, TypePart::VALUE, *me)
            }
            MemberPathPoint::InstantiatedDef(given) => self.typed_for(given, TypePart::VALUE),
            _ => None,
        }
    }

    /// Returns the value that an index or a loop takes from a holder.
    pub(super) fn taken_out(&self, at: &MemberPathPoint<'m>) -> Option<MemberPathPoint<'m>> {
        self.held_value(&self.as_holder(at)?)
    }

    /// Returns the value at a place of a tuple or list.
    pub(super) fn taken_at(&self, at: &MemberPathPoint<'m>, place: usize) -> Option<MemberPathPoint<'m>> {
        let behind = self.value_behind(at);
        let MemberPathPoint::Tuple(tuple) = behind.as_ref().unwrap_or(at) else { return self.taken_out(at) };
        let elements = tuple.text.strip_prefix('(')?.strip_suffix(')')?;
        self.point_of_hint(&tuple.with_text(split_outside_brackets(elements, ',').nth(place)?)?)
    }

    /// Returns a method of a holder; `None` if the value is no holder.
    pub(super) fn holder_method(&self, at: &MemberPathPoint<'m>, name: &str) -> Option<MemberPathPoint<'m>> {
        let holder = self.as_holder(at)?;
        let result = match name {
            "map" | "flatMap" if !holder.is_map => HolderResult::Mapped,
            "sort" | "toSorted" if !holder.is_map => HolderResult::Sorted,
            "reduce" | "reduceRight" if !holder.is_map => HolderResult::Folded,
            "get" if holder.is_map => HolderResult::Value,
            "values" if holder.is_map => HolderResult::Values,
            "at" | "find" | "findLast" | "pop" | "shift" if !holder.is_map => HolderResult::Value,
            "filter" | "slice" | "concat" | "reverse" | "splice" | "toReversed" | "values"
                if !holder.is_map =>
            {
                HolderResult::Values
            }
            _ => HolderResult::Unknown,
        };
        Some(MemberPathPoint::HolderMethod(holder, result))
    }

    /// Returns the result of calling a holder's method.
    pub(super) fn holder_result(
        &self,
        holder: Holder<'m>,
        result: HolderResult,
    ) -> Option<MemberPathPoint<'m>> {
        match result {
            HolderResult::Value => self.held_value(&holder),
            HolderResult::Values | HolderResult::Sorted => {
                Some(MemberPathPoint::Holder(Holder { is_map: false, ..holder }))
            }
            HolderResult::Mapped | HolderResult::Folded | HolderResult::Unknown => None,
        }
    }

    /// Returns the value of a parameter of a function that is passed to a holder's method: `map`, `filter`, `forEach`
    /// and the like.
    pub(super) fn given_by_holder(
        &self,
        holder: &Holder<'m>,
        result: HolderResult,
        part: TypePart,
    ) -> Option<MemberPathPoint<'m>> {
        let is = |number| TypePart::callback(0, number) == Some(part);
        let (first, second) = match result {
            HolderResult::Sorted => (true, true),
            HolderResult::Folded => (false, true),
            _ => (true, false),
        };
        if is(0) && first || is(1) && second {
            return self.held_value(holder);
        }
        let is_whole = is(2) && !matches!(result, HolderResult::Sorted | HolderResult::Folded);
        is_whole.then(|| MemberPathPoint::Holder(holder.clone()))
    }

    fn held_value(&self, holder: &Holder<'m>) -> Option<MemberPathPoint<'m>> {
        self.point_of_hint(&holder.held)
    }

    /// Returns a value of the type in a hint.
    pub(super) fn point_of_hint(&self, hint: &WrittenType<'m>) -> Option<MemberPathPoint<'m>> {
        let WrittenType { text, site, me, .. } = hint;
        if let Some(nested) = self.holder_of(hint) {
            return Some(nested);
        }
        if let Some(path) = text.strip_prefix('=') {
            return match site.entry.lang().semantics().type_arguments {
                true => self.value_point(*site, path, *me),
                false => self.value(*site, path, *me).map(super::types::point_of_thing),
            };
        }
        if text.starts_with(['%', '^']) {
            return self.parameter_point(hint);
        }
        match self.follow_path(Site { want: WantedKind::Type, ..*site }, super::generics::name_of_type(text)?)
        {
            NameLookup::Thing(Thing::Def(ty), _) => Some(self.applied_type(ty, hint)),
            NameLookup::Thing(thing, _) => Some(super::types::point_of_thing(thing)),
            NameLookup::Bound | NameLookup::Absent { .. } => None,
        }
    }

    /// Returns the thing that stands for the library's own members of a holder.
    pub(super) fn library_list() -> Thing {
        Thing::External(LIST.into())
    }
}
