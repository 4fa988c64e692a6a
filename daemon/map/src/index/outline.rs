//! Compares the facts of a file before and after a change: only some facts can change the targets of imports, and any
//! other change keeps the cached targets valid.

use crate::facts::{DefKind, FileFacts, Import, StrId};

/// Returns true if the new contents of a file may change the targets of imports, its own or others'.
pub(super) fn moves_modules(old: &FileFacts, new: &FileFacts) -> bool {
    let manifest = |facts: &FileFacts| {
        let pairs =
            facts.manifest.iter().map(|(k, v)| (facts.name(*k).to_owned(), facts.name(*v).to_owned()));
        pairs.collect::<Vec<_>>()
    };
    let steers = old.manifest.len() + new.manifest.len() > 0;
    if old.lang.is_manifest() || (steers && manifest(old) != manifest(new)) {
        return manifest(old) != manifest(new);
    }
    let reads_facts = new.lang.spec().is_none_or(|row| row.imports.reads_facts());
    reads_facts && import_facts(old) != import_facts(new)
}

/// Returns true if a file that includes headers includes others than before.
pub(super) fn includes_differ(old: &FileFacts, new: &FileFacts) -> bool {
    let modules = |facts: &FileFacts| {
        facts.imports.iter().map(|import| facts.name(import.module).to_owned()).collect::<Vec<_>>()
    };
    new.lang.semantics().textual_imports && modules(old) != modules(new)
}

/// Returns the facts of a file that rules for imports may read: its imports, and the names and kinds of its
/// definitions.
fn import_facts(facts: &FileFacts) -> (Vec<[&str; 3]>, Vec<(&str, DefKind)>) {
    let text = |id: Option<StrId>| id.map_or("", |id| facts.name(id));
    let import = |i: &Import| [facts.name(i.module), text(i.name), text(i.local)];
    let mut defs: Vec<_> = facts.defs.iter().map(|def| (facts.name(def.qualified), def.kind)).collect();
    defs.sort_unstable();
    (facts.imports.iter().map(import).collect(), defs)
}
