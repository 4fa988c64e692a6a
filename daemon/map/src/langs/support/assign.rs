//! Tracks the type of a variable that is assigned several times, in languages that do not declare types.

use crate::facts::StrId;
use crate::walk::{Binding, Cx};

/// Records that `name` is assigned a value of this type. Earlier assignments count too, because the walk knows no
/// branches: two different types leave the type unknown.
pub(crate) fn assign_type(cx: &mut Cx<'_>, name: &str, ty: Option<StrId>) {
    let binding = match (cx.local_binding(name), ty) {
        (None, Some(ty)) => Binding::Typed(ty),
        (Some(Binding::Typed(known)), Some(ty)) if known == ty => Binding::Typed(ty),
        _ => Binding::Opaque,
    };
    cx.bind(name, binding);
}
