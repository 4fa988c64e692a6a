//! Tests single definitions, and picks one of several with one name. It uses the definitions alone, so every kind of
//! lookup can call it.

use super::WantedKind;
use crate::facts::{Def, DefFlags, DefIdx, DefKind};
use crate::index::FileEntry;

/// Returns true if a definition is at the top level of its file.
pub(super) fn is_top(def: &Def) -> bool {
    def.parent.is_none() && def.qualified == def.name
}

/// Yields a file's top-level definitions of a name.
pub(super) fn top_defs<'m>(entry: &'m FileEntry, name: &str) -> impl Iterator<Item = (DefIdx, &'m Def)> {
    entry.defs_named(name).filter(|(_, def)| is_top(def))
}

/// Returns the best of several definitions with one name: one of the wanted kind, then one with a body, then the first
/// in the file.
pub(super) fn pick_best_def<'d>(
    defs: impl Iterator<Item = (DefIdx, &'d Def)>,
    want: WantedKind,
) -> Option<DefIdx> {
    let key = |def: &Def| (!want.prefers_kind(def.kind), def.flags.has(DefFlags::DECLARATION));
    defs.min_by_key(|(idx, def)| (key(def), *idx)).map(|(idx, _)| idx)
}

/// Returns true if a definition can have members and bases; in some languages modules have both.
pub(super) fn is_class(entry: &FileEntry, def: &Def) -> bool {
    def.kind.is_type() || (def.kind == DefKind::Module && entry.lang().semantics().modules_are_types)
}

/// Returns true if a definition is an alias that may stand for an object type with members of its own.
pub(super) fn is_named_object(entry: &FileEntry, def: &Def) -> bool {
    def.kind == DefKind::TypeAlias && entry.lang().semantics().objects_hide_members
}

/// Returns true if a definition is a variable that holds an object with methods, which other types can mix in.
pub(super) fn is_object_of_methods(entry: &FileEntry, idx: DefIdx) -> bool {
    let is_variable = matches!(entry.facts.def(idx).kind, DefKind::Constant | DefKind::Variable);
    let is_method = |def: &Def| def.kind == DefKind::Method && def.parent == Some(idx);
    is_variable
        && entry.lang().semantics().objects_hide_members
        && entry.facts.defs_indexed().any(|(_, def)| is_method(def))
}

/// Returns true if a definition is a table, whose fields no bare name means, even in functions inside it.
pub(super) fn is_table(entry: &FileEntry, def: &Def) -> bool {
    let may_be_table = matches!(def.kind, DefKind::Module | DefKind::Class | DefKind::Variable);
    entry.lang().semantics().tables_hide_fields && may_be_table && !def.flags.has(DefFlags::TEST)
}
