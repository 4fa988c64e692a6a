//! Finds the type of a value across files, by the types that each file states for its definitions
//! ([`TypeHint`](crate::facts::TypeHint)).
//!
//! Nothing is inferred here but what is said: a variable has the type that its annotation or its first value gives it, a call
//! has the declared result, a path of members goes from type to type. Where anything on the way is not known, the whole is not.

use super::members::Member;
use super::written::{Inner, Then, Written};
use super::{Found, Resolver, Site, Thing, Want};
use crate::facts::{DefKind, TypePart};
use crate::graph::DefRef;
use crate::langs::Lang;

/// Where a walk along a path of members is.
#[derive(Clone, Debug)]
pub(super) enum At<'m> {
    /// At something named, reached through an object of this class.
    Named(Thing, Option<DefRef>),
    /// At a value of this class.
    Of(DefRef),
    /// At a value of a type that has arguments.
    Written(Written<'m>),
}

/// A step of a path.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Step<'p> {
    Name(&'p str),
    Call,
    /// To a parameter of a function that is passed to the call.
    Given(TypePart),
    /// To a value that the value holds.
    Inner(Inner),
}

/// The steps of `.field.run()` behind the start of a path, which may itself be called. `each@0:1` is what the function that is passed to `each` as its first argument gets as
/// its second parameter.
fn steps(path: &str) -> impl Iterator<Item = Step<'_>> {
    path.split('.').flat_map(|segment| {
        let inner = match segment {
            "?" => Some(Inner::Good),
            "!" => Some(Inner::Bad),
            "@" => Some(Inner::Item),
            "[]" => Some(Inner::Indexed),
            _ => None,
        };
        let name = segment.trim_end_matches("()");
        let calls = (segment.len() - name.len()) / 2;
        let (name, given) = match name.split_once('@') {
            Some((name, place)) => (name, given(place)),
            None => (name, None),
        };
        let calls = std::iter::repeat_n(Step::Call, calls);
        let named = inner.map(Step::Inner).or((!name.is_empty()).then_some(Step::Name(name)));
        named.into_iter().chain(given).chain(calls)
    })
}

fn given(place: &str) -> Option<Step<'_>> {
    let (argument, parameter) = place.split_once(':')?;
    TypePart::callback(argument.parse().ok()?, parameter.parse().ok()?).map(Step::Given)
}

impl<'m> Resolver<'m> {
    /// The type, module or package whose members a value has; the value is written as a path of names and calls. `me` is the
    /// class of the object at hand where it is known better than by where the path is written.
    pub(super) fn value(&self, site: Site<'m>, path: &str, me: Option<DefRef>) -> Option<Thing> {
        if site.entry.lang() == Lang::Python && path.contains('|') {
            return self.agreed(site, path, me);
        }
        self.guarded(None, || {
            let (mut at, rest) = self.start(site, path, me)?;
            let mut steps = steps(rest).peekable();
            while let Some(step) = steps.next() {
                // An object without `__enter__` of its own gives itself.
                if step == Step::Name("__enter__") && self.lacks(&at, "__enter__") {
                    let _ = steps.next_if_eq(&Step::Call);
                    continue;
                }
                at = match step {
                    Step::Name(name) if site.entry.lang() == Lang::Rust => {
                        let then = match steps.next_if(|step| matches!(step, Step::Call | Step::Given(_))) {
                            Some(Step::Call) => Then::Call,
                            Some(Step::Given(part)) => Then::Given(part),
                            _ => Then::Nothing,
                        };
                        self.rust_member(site, at, (name, then))?
                    }
                    Step::Name(name) => self.to_member(site, at, name)?,
                    Step::Call => self.called(at)?,
                    Step::Given(part) => self.given(at, part)?,
                    Step::Inner(inner) => self.inner(at, inner)?,
                };
            }
            self.settled(at)
        })
    }

    /// The class that a value has whichever of several paths, separated by `|`, leads to it.
    fn agreed(&self, site: Site<'m>, paths: &str, me: Option<DefRef>) -> Option<Thing> {
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

    /// Where a path starts, and what is left of it.
    fn start<'p>(&self, site: Site<'m>, path: &'p str, me: Option<DefRef>) -> Option<(At<'m>, &'p str)> {
        if let Some(written) = path.strip_prefix(':') {
            let (text, rest) = written.split_at(end_of_type(written));
            return Some((At::Written(Written { text: text.into(), site, me }), rest));
        }
        let end = path.find('.').unwrap_or(path.len());
        let (first, rest) = path.split_at(end);
        let name = first.split('@').next().unwrap_or(first).trim_end_matches("()");
        let rest = if name.len() == first.len() { rest } else { &path[name.len()..] };
        if matches!(name, "self" | "this") {
            return me.or_else(|| self.enclosing_type(site)).map(|class| (At::Of(class), rest));
        }
        if site.entry.lang() == Lang::Rust && matches!(name, "crate" | "super") {
            return self.start_at_module(site, path);
        }
        match self.bare(Site { want: Want::Callee, ..site }, name) {
            Found::Thing(thing, _) => Some((At::Named(thing, None), rest)),
            Found::Bound | Found::Absent { .. } => None,
        }
    }

    /// `crate.a.Foo.new().x`: what the names up to the first call lead to.
    fn start_at_module<'p>(&self, site: Site<'m>, path: &'p str) -> Option<(At<'m>, &'p str)> {
        let is_name = |segment: &str| segment.chars().all(|c| c.is_alphanumeric() || c == '_');
        let names: usize = path.split('.').take_while(|part| is_name(part.trim_end_matches("()"))).count();
        let call = path.split('.').take(names).position(|segment| segment.ends_with("()"));
        let taken = call.map_or(names, |call| call + 1);
        let end = path.match_indices('.').nth(taken.checked_sub(1)?).map_or(path.len(), |(at, _)| at);
        let name = path.get(..end)?.trim_end_matches("()");
        match self.follow(Site { want: Want::Callee, ..site }, name) {
            Found::Thing(thing, _) => Some((At::Named(thing, None), &path[name.len()..])),
            Found::Bound | Found::Absent { .. } => None,
        }
    }

    /// The type, module or package at hand.
    pub(super) fn settled(&self, at: At<'m>) -> Option<Thing> {
        match at {
            At::Of(class) => Some(class.into()),
            At::Written(_) => match self.opened_up(at)? {
                At::Of(class) => Some(class.into()),
                At::Named(thing, _) => Some(thing),
                At::Written(ty) => Some(Thing::External(ty.text)),
            },
            At::Named(Thing::Def(def), _) if self.is_variant(def) => self.variant_of(def).map(Thing::Def),
            At::Named(Thing::Def(def), me) if !self.has_members(def) => {
                self.type_of(def, TypePart::VALUE, me)
            }
            At::Named(thing, _) => Some(thing),
        }
    }

    fn lacks(&self, at: &At<'m>, name: &str) -> bool {
        let class = match self.settled(at.clone()) {
            Some(Thing::Def(class)) => class,
            _ => return false,
        };
        matches!(self.find_member(class, name), Member::Missing { open: false })
    }

    fn to_member(&self, site: Site<'m>, at: At<'m>, name: &str) -> Option<At<'m>> {
        let is_value = !matches!(&at, At::Named(Thing::Def(def), _) if self.has_members(*def));
        let thing = self.settled(at)?;
        let me = match &thing {
            Thing::Def(class) if is_value => Some(*class),
            _ => None,
        };
        match self.member(site, &thing, name) {
            Found::Thing(found, _) => Some(At::Named(found, me)),
            Found::Bound | Found::Absent { .. } => None,
        }
    }

    pub(super) fn called(&self, at: At<'m>) -> Option<At<'m>> {
        match at {
            At::Of(_) | At::Written(_) | At::Named(Thing::Module(_), _) => None,
            At::Named(Thing::External(package), me) => Some(At::Named(Thing::External(package), me)),
            At::Named(Thing::Def(def), me) => {
                let kind = self.def(def)?.1.kind;
                if kind.is_type() && kind != DefKind::Interface {
                    return Some(At::Of(def));
                }
                if let Some(whole) = self.variant_of(def).filter(|_| self.is_variant(def)) {
                    return Some(At::Of(whole));
                }
                let result = self.typed_at(def, TypePart::RESULT, me);
                result.or_else(|| self.type_of_aliased(def).map(of))
            }
        }
    }

    /// Returns the value that a function gets which is passed to this one, or to the constructor of this class.
    pub(super) fn given(&self, at: At<'m>, part: TypePart) -> Option<At<'m>> {
        let At::Named(Thing::Def(def), me) = at else { return None };
        let function = match self.has_members(def) {
            true => match self.find_member(def, "constructor") {
                Member::Found(constructor) => constructor,
                Member::Missing { .. } => return None,
            },
            false => def,
        };
        self.typed_at(function, part, me)
    }

    /// Returns the type that a call gives of a variable whose value is a function: `const make = Factory.create`.
    fn type_of_aliased(&self, def: DefRef) -> Option<Thing> {
        let (entry, found) = self.def(def)?;
        let path = entry.facts.type_of(def.def, TypePart::VALUE)?.strip_prefix('=')?;
        let site = Site { file: def.file, entry, owner: found.parent, want: Want::Callee };
        self.guarded(None, || self.value(site, &format!("{path}()"), None))
    }

    /// Returns true if a definition is a variant of a Rust enumeration, whose values are the enumeration's.
    fn is_variant(&self, def: DefRef) -> bool {
        let is_rust = self.def(def).is_some_and(|(entry, _)| entry.lang() == Lang::Rust);
        is_rust && self.variant_of(def).is_some()
    }

    /// A value of one of a definition's types, with the type's arguments where they are told.
    pub(super) fn typed_at(&self, def: DefRef, part: TypePart, me: Option<DefRef>) -> Option<At<'m>> {
        let (entry, found) = self.def(def)?;
        let hint = entry.facts.type_of(def.def, part)?;
        let Some(text) = hint.strip_prefix(':') else { return self.type_of(def, part, me).map(of) };
        let owner = if found.kind.is_callable() { Some(def.def) } else { found.parent };
        let site = Site { file: def.file, entry, owner, want: Want::Type };
        Some(At::Written(Written { text: text.into(), site, me }))
    }

    /// Returns the thing that a definition's file states as its type for `part`; `None` if the file states none, or
    /// the type is not known.
    pub(super) fn type_of(&self, def: DefRef, part: TypePart, me: Option<DefRef>) -> Option<Thing> {
        let (entry, found) = self.def(def)?;
        let hint = entry.facts.type_of(def.def, part)?;
        if hint.starts_with(':') {
            return self.guarded(None, || self.settled(self.typed_at(def, part, me)?));
        }
        let owner = if found.kind.is_callable() { Some(def.def) } else { found.parent };
        let site = Site { file: def.file, entry, owner, want: Want::Type };
        self.guarded(None, || match hint.strip_prefix('=') {
            Some(path) => self.value(site, path, me),
            None => match self.follow(site, hint) {
                Found::Thing(Thing::Def(ty), _) if !self.has_members(ty) => {
                    self.type_of(ty, TypePart::VALUE, None)
                }
                Found::Thing(thing @ (Thing::Def(_) | Thing::External(_)), _) => Some(thing),
                _ => None,
            },
        })
    }
}

/// Where a type ends that has arguments: at the first `.` outside of brackets.
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

fn of<'m>(thing: Thing) -> At<'m> {
    match thing {
        Thing::Def(class) => At::Of(class),
        other => At::Named(other, None),
    }
}

impl<'m> Resolver<'m> {
    /// In TypeScript a type and a value may share a name and a place: the one that is meant where something of this kind is
    /// wanted.
    pub(super) fn meant(&self, def: DefRef, want: Want) -> DefRef {
        let Some((entry, found)) =
            self.def(def).filter(|(entry, _)| entry.lang().family() == Lang::TypeScript)
        else {
            return def;
        };
        let rank = |kind| u8::from(!means(want, kind));
        if rank(found.kind) == 0 {
            return def;
        }
        let named =
            entry.defs_named(entry.facts.name(found.name)).filter(|(_, other)| other.parent == found.parent);
        let best = named.min_by_key(|(idx, other)| (rank(other.kind), *idx != def.def));
        best.map_or(def, |(idx, _)| DefRef { file: def.file, def: idx })
    }

    /// Returns true if both definitions have one name in one place, as a type and a value may in TypeScript.
    pub(crate) fn is_other_meaning(&self, a: DefRef, b: DefRef) -> bool {
        let (Some((entry, one)), Some((_, other))) = (self.def(a), self.def(b)) else { return false };
        a.file == b.file
            && entry.lang().family() == Lang::TypeScript
            && (one.name, one.parent) == (other.name, other.parent)
    }
}

/// Returns true if a definition of this kind has a meaning where `want` is wanted.
fn means(want: Want, kind: DefKind) -> bool {
    match want {
        Want::Type => kind.is_type() || matches!(kind, DefKind::TypeAlias | DefKind::Module),
        Want::Callee | Want::Any => !matches!(kind, DefKind::Interface | DefKind::TypeAlias),
        Want::Scope => true,
    }
}
