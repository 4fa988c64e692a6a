//! Finds the same definition, reference or import in two texts of one file: the editor's, and the map's.

use hob_map::FileFacts;
use hob_map::facts::{Def, DefIdx, Import, Receiver, Ref, StrId};

/// Returns the same definition in another text of its file.
pub(super) fn twin_def(from: &FileFacts, def: DefIdx, to: &FileFacts) -> Option<DefIdx> {
    let sought = from.defs.get(def.index())?;
    let qualified = to.names.find(from.name(sought.qualified))?;
    let same = |found: &Def| found.qualified == qualified && found.ordinal == sought.ordinal;
    to.defs_indexed().find(|(_, found)| same(found)).map(|(idx, _)| idx)
}

/// Returns the reference in another text of its file that means the same: same name, kind and text before it, in the
/// same definition if possible. The meaning of `self` depends on the definition.
pub(super) fn twin_ref<'t>(from: &FileFacts, r: &Ref, to: &'t FileFacts) -> Option<&'t Ref> {
    let name = to.names.find(from.name(r.name))?;
    let is_same = |other: &&Ref| other.kind() == r.kind() && receiver_key(to, other) == receiver_key(from, r);
    let mut same: Vec<&Ref> = to.refs_named(name).iter().filter(is_same).collect();
    let owner = owner_name(from, r);
    same.sort_by_key(|other| other.owner.map(|def| to.name(to.def(def).qualified)) != owner);
    let best = *same.first()?;
    let is_bound = matches!(r.receiver(), Receiver::SelfType | Receiver::Super);
    (!is_bound || self::owner_name(to, best) == owner).then_some(best)
}

/// Returns the same import in another text of its file.
pub(super) fn twin_import(from: &FileFacts, at: usize, to: &FileFacts) -> Option<usize> {
    let sought = from.imports.get(at)?;
    let names = |facts: &FileFacts, import: &Import| {
        let text = |id: Option<StrId>| id.map(|id| facts.name(id).to_owned());
        (text(Some(import.module)), text(import.name))
    };
    let sought = names(from, sought);
    to.imports.iter().position(|import| names(to, import) == sought)
}

fn owner_name<'f>(facts: &'f FileFacts, r: &Ref) -> Option<&'f str> {
    r.owner.map(|def| facts.name(facts.def(def).qualified))
}

fn receiver_key<'f>(facts: &'f FileFacts, r: &Ref) -> (u8, &'f str) {
    match r.receiver() {
        Receiver::None => (0, ""),
        Receiver::SelfType => (1, ""),
        Receiver::Super => (2, ""),
        Receiver::Path(path) => (3, facts.name(path)),
        Receiver::Typed(path) => (4, facts.name(path)),
        Receiver::Unknown => (5, ""),
    }
}
