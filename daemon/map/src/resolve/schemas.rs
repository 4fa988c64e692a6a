//! Finds the definitions of a schema by the names that generated code has for them (`GreeterStub`, made from
//! `Greeter`).

use super::WantedKind;
use super::choice::{pick_best_def, top_defs};
use crate::facts::{DefIdx, DefKind};
use crate::index::FileEntry;

/// Returns the definition of a schema from which a compiler makes a top-level name: the service or message with which
/// the name begins, or a value of an enumeration.
pub(super) fn generated_from(entry: &FileEntry, name: &str) -> Option<DefIdx> {
    let semantics = entry.lang().semantics();
    let endings = semantics.generated.type_endings.iter();
    let source = endings.filter_map(|ending| name.strip_suffix(ending)).find_map(|source| {
        let types = top_defs(entry, source).filter(|(_, def)| def.kind.is_type());
        pick_best_def(types, WantedKind::Any)
    });
    source.or_else(|| if semantics.generated.is_schema() { value_of_enumeration(entry, name) } else { None })
}

fn value_of_enumeration(entry: &FileEntry, name: &str) -> Option<DefIdx> {
    let in_enum = |parent: Option<DefIdx>| {
        let parent = entry.facts.def(parent?);
        Some(parent.kind == DefKind::Enum && parent.parent.is_none())
    };
    let values = entry.defs_named(name).filter(|(_, def)| in_enum(def.parent) == Some(true));
    values.map(|(def, _)| def).next()
}
