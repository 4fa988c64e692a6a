//! Writes types so that the resolution can read them in any file.
//!
//! A type is the dotted name that it has, through references and owning pointers. If its arguments say what a value of
//! it holds (`Option<Foo>`, `Vec<Foo>`, tuples), the whole is kept, behind a `:`: `:Result<Vec<a.Foo>,_>`, `:(Foo,_)`,
//! `:[Foo]`. The resolution's `written` module knows what the library's own types make of them. An unknown part is `_`.

use rustc_hash::FxHashMap;

use super::grammar::RustKind;
use super::rules::RustWalk;
use crate::facts::{DefIdx, TypePart};
use crate::langs::support::each_child;
use crate::syntax::Node;
use crate::walk::{Binding, Cx};

/// Deepest nesting of types that is kept.
const DEPTH: usize = 5;
/// Longest text of a type that is kept, in bytes.
const LIMIT: usize = 200;
/// Most type parameters of one item whose bounds are read.
const MOST_PARAMETERS: usize = 64;
/// Most elements of a tuple, fields of a tuple struct, and parameters that are read.
const WIDTH: usize = 16;

impl RustWalk {
    /// Returns a type's text; `None` for types without a name, and for type parameters without bounds.
    pub(super) fn type_text(&mut self, ty: Node<'_>, cx: &mut Cx<'_>) -> Option<String> {
        self.text_of(ty, DEPTH, cx).filter(|text| text.len() < LIMIT && text != "_")
    }

    fn text_of(&mut self, ty: Node<'_>, depth: usize, cx: &mut Cx<'_>) -> Option<String> {
        let inner = depth.checked_sub(1)?;
        let ty = self.seen_through(ty, cx)?;
        match self.g.kind(ty) {
            RustKind::TupleType => {
                let parts = self.parts_of(ty, inner, cx);
                parts.iter().any(|part| part != "_").then(|| format!(":({})", parts.join(",")))
            }
            RustKind::ArrayType => {
                let element = ty.child_by_field_id(self.g.f.element)?;
                let element = self.text_of(element, inner, cx)?;
                Some(format!(":[{}]", element.trim_start_matches(':')))
            }
            RustKind::Generic => {
                let name = self.plain_name(ty, depth == DEPTH, cx)?;
                if !holds_arguments(name.rsplit('.').next().unwrap_or(&name)) {
                    return Some(name);
                }
                let parts = self.parts_of(ty.child_by_field_id(self.g.f.type_arguments)?, inner, cx);
                let told = parts.iter().any(|part| part != "_");
                Some(if told { format!(":{name}<{}>", parts.join(",")) } else { name })
            }
            RustKind::Primitive => Some(cx.text(ty).to_owned()),
            _ => self.plain_name(ty, depth == DEPTH, cx),
        }
    }

    /// Returns the type behind references and owning pointers, and the trait of a trait object.
    fn seen_through<'t>(&self, ty: Node<'t>, cx: &Cx<'_>) -> Option<Node<'t>> {
        let mut ty = ty;
        loop {
            ty = match self.g.kind(ty) {
                RustKind::RefType => ty.child_by_field_id(self.g.f.ty)?,
                RustKind::TraitObject => ty.child_by_field_id(self.g.f.trait_)?,
                RustKind::BoundedType => ty.named_child(0)?,
                RustKind::Generic if self.is_pointer(ty, cx) => self.first_argument(ty)?,
                _ => return Some(ty),
            };
        }
    }

    fn first_argument<'t>(&self, generic: Node<'t>) -> Option<Node<'t>> {
        let list = generic.child_by_field_id(self.g.f.type_arguments)?;
        crate::langs::support::child_where(list, |child| child.is_named() && child.kind() != "lifetime")
    }

    /// Returns the texts of a tuple's elements or of generic arguments.
    fn parts_of(&mut self, list: Node<'_>, depth: usize, cx: &mut Cx<'_>) -> Vec<String> {
        let mut parts = Vec::new();
        each_child(list, |child, _| {
            if child.is_named() && child.kind() != "lifetime" && parts.len() < WIDTH {
                parts.push(child);
            }
        });
        let mut texts = Vec::new();
        for part in parts {
            let ty = match part.kind() {
                "type_binding" => part.child_by_field_id(self.g.f.ty),
                _ => Some(part),
            };
            let text = ty.and_then(|ty| self.text_of(ty, depth, cx)).unwrap_or_else(|| "_".to_owned());
            texts.push(text.trim_start_matches(':').to_owned());
        }
        texts
    }

    /// Returns a type's name without arguments; for a type parameter, that of the trait that bounds it.
    fn plain_name(&mut self, ty: Node<'_>, outermost: bool, cx: &mut Cx<'_>) -> Option<String> {
        let path = self.dotted_path(ty, cx)?;
        if path == "Self" && outermost {
            let own = self.body_around(ty).and_then(|body| body.self_type)?;
            return Some(cx.facts.provisional_name(own).to_owned());
        }
        let first = path.split('.').next().unwrap_or(&path);
        if !first.starts_with(|c: char| c.is_ascii_uppercase()) {
            return Some(path);
        }
        match cx.local_binding(first) {
            None => Some(path),
            Some(Binding::Typed(bound)) if first == path => Some(cx.facts.provisional_name(bound).to_owned()),
            Some(_) => None,
        }
    }

    /// Binds an item's type parameters, each to the trait that bounds it, if there is one.
    pub(super) fn bind_parameters(&mut self, item: Node<'_>, cx: &mut Cx<'_>) {
        for (name, bounds) in self.parameter_bounds(item, cx) {
            let known = bounds.into_iter().find_map(|bound| self.bound_trait(bound, cx));
            let binding = known.map_or(Binding::Opaque, |path| Binding::Typed(cx.facts.intern(&path)));
            cx.bind(name, binding);
        }
    }

    /// Returns an item's type parameters with their bounds, in the list and in the `where` clause.
    fn parameter_bounds<'t, 's>(&self, item: Node<'t>, cx: &Cx<'s>) -> Vec<(&'s str, Vec<Node<'t>>)> {
        let mut found: Vec<(&'s str, Vec<Node<'t>>)> = Vec::new();
        let mut add = |name: Option<Node<'t>>, bounds: Option<Node<'t>>, is_new: bool| {
            let Some(name) = name.map(|name| cx.text(name)) else { return };
            let mut all = Vec::new();
            if let Some(bounds) = bounds {
                each_child(bounds, |bound, _| all.extend(bound.is_named().then_some(bound)));
            }
            match found.iter().position(|(known, _)| *known == name) {
                Some(at) => found[at].1.extend(all),
                None if is_new && found.len() < MOST_PARAMETERS => found.push((name, all)),
                None => {}
            }
        };
        each_child(item, |list, _| match list.kind() {
            "type_parameters" => each_child(list, |parameter, _| {
                let bounds = parameter.child_by_field_id(self.g.f.bounds);
                add(parameter.child_by_field_id(self.g.f.name), bounds, true);
            }),
            "where_clause" => each_child(list, |predicate, _| {
                let bounds = predicate.child_by_field_id(self.g.f.bounds);
                add(predicate.child_by_field_id(self.g.f.left), bounds, false);
            }),
            _ => {}
        });
        found
    }

    /// Returns the dotted name of a trait, unless it belongs to the library and says nothing of the project's own
    /// members.
    fn bound_trait(&self, bound: Node<'_>, cx: &Cx<'_>) -> Option<String> {
        let name = match self.g.kind(bound) {
            RustKind::TypeIdent | RustKind::ScopedType | RustKind::Generic => self.dotted_path(bound, cx)?,
            _ => return None,
        };
        (!is_library_trait(&name)).then_some(name)
    }

    /// Records the parameter types of functions that are passed to this one: `f: impl Fn(&Foo)`, `f: F` where `F:
    /// Fn(&Foo)`.
    pub(super) fn say_callbacks(&mut self, function: Node<'_>, def: DefIdx, cx: &mut Cx<'_>) {
        let Some(list) = function.child_by_field_id(self.g.f.parameters) else { return };
        let bounds: FxHashMap<&str, Vec<Node<'_>>> =
            self.parameter_bounds(function, cx).into_iter().collect();
        let mut parameters = Vec::new();
        each_child(list, |child, _| {
            parameters.extend((self.g.kind(child) == RustKind::Param).then_some(child));
        });
        for (place, parameter) in parameters.into_iter().enumerate().take(WIDTH) {
            let ty = parameter.child_by_field_id(self.g.f.ty).and_then(|ty| self.seen_through(ty, cx));
            let Some(ty) = ty else { continue };
            let all = bounds.get(cx.text(ty)).cloned().unwrap_or_else(|| vec![ty]);
            if let Some(passed) = all.into_iter().find(|ty| ty.kind() == "function_type") {
                self.say_given(passed, def, place, cx);
            }
        }
    }

    fn say_given(&mut self, passed: Node<'_>, def: DefIdx, place: usize, cx: &mut Cx<'_>) {
        let Some(list) = passed.child_by_field_id(self.g.f.parameters) else { return };
        self.say_each(list, def, place, cx);
    }

    /// Records the types of a tuple struct's fields.
    pub(super) fn say_fields(&mut self, item: Node<'_>, def: DefIdx, cx: &mut Cx<'_>) {
        let body = item.child_by_field_id(self.g.f.body);
        if let Some(list) = body.filter(|body| body.kind() == "ordered_field_declaration_list") {
            self.say_each(list, def, 0, cx);
        }
    }

    fn say_each(&mut self, list: Node<'_>, def: DefIdx, place: usize, cx: &mut Cx<'_>) {
        let mut types = Vec::new();
        each_child(list, |child, _| {
            let is_type = !matches!(child.kind(), "attribute_item" | "visibility_modifier" | "line_comment");
            types.extend((child.is_named() && is_type).then_some(child));
        });
        for (at, ty) in types.into_iter().enumerate() {
            let says = self.hint_text(ty, &[], cx);
            if let (Some(part), Some(says)) = (TypePart::callback(place, at), says) {
                cx.facts.type_hint(def, part, &says);
            }
        }
    }
}

/// Returns true if the library's type of this name holds values of its arguments, so that they are worth keeping.
fn holds_arguments(name: &str) -> bool {
    const HOLDERS: &str = " Option Result LockResult Poll Vec VecDeque LinkedList BinaryHeap HashSet BTreeSet IndexSet \
        FxHashSet SmallVec ArrayVec HashMap BTreeMap IndexMap FxHashMap AHashMap Entry Iterator DoubleEndedIterator \
        ExactSizeIterator FusedIterator IntoIterator Peekable Enumerate Rev Iter IterMut IntoIter Cow Ref RefMut MutexGuard \
        RwLockReadGuard RwLockWriteGuard Pin Weak RefCell Cell Mutex RwLock OnceCell OnceLock LazyLock Lazy Wrapping ";
    HOLDERS.split_whitespace().any(|holder| holder == name)
}

/// Returns true for the library's traits that say nothing about the project's own methods of a value.
fn is_library_trait(name: &str) -> bool {
    const TRAITS: &str = " AsRef AsMut Borrow BorrowMut Clone Copy Debug Default Deref DerefMut Display Drop Eq Error From \
        FromIterator Hash Into Iterator DoubleEndedIterator ExactSizeIterator IntoIterator Ord PartialEq PartialOrd Read \
        Send Sized Sync ToOwned ToString TryFrom TryInto Unpin UnwindSafe RefUnwindSafe Write ";
    let last = name.rsplit('.').next().unwrap_or(name);
    TRAITS.split_whitespace().any(|one| one == last)
}
