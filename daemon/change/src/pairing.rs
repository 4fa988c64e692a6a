//! Finds the definitions of two sides of one file that are the same symbol: those of one qualified name.
//!
//! If several definitions share a name (overloads, branches of a build), equal texts are paired first, then
//! equal headers, then the others in their order, so that one more overload in front is one new symbol and no
//! change of all others.

use std::borrow::Cow;

use hob_map::facts::{DefIdx, DefKind};
use rustc_hash::FxHashMap;

use crate::own_text::OwnText;
use crate::sides::FileSide;

/// One side of a file with the texts of its definitions.
pub(crate) struct ReadSide<'s> {
    pub(crate) side: &'s FileSide,
    /// The own texts, by number of the definition; `None` for headings of notes, which are no symbols.
    pub(crate) texts: Vec<Option<OwnText>>,
    /// The code outside of all definitions.
    pub(crate) outside: String,
}

/// The pairs of a file's definitions, and the definitions without a counterpart.
#[derive(Debug, Default)]
pub(crate) struct Pairing {
    pub(crate) pairs: Vec<DefPair>,
    pub(crate) gone: Vec<DefIdx>,
    pub(crate) new: Vec<DefIdx>,
}

/// A symbol on both sides.
#[derive(Clone, Copy, Debug)]
pub(crate) struct DefPair {
    pub(crate) before: DefIdx,
    pub(crate) after: DefIdx,
}

impl<'s> ReadSide<'s> {
    pub(crate) fn of_file(side: &'s FileSide) -> Self {
        let text = text_of_bytes(&side.bytes);
        let read =
            |idx: DefIdx| (!side.facts.def(idx).kind.is_prose()).then(|| OwnText::of_def(side, &text, idx));
        let texts = side.facts.defs_indexed().map(|(idx, _)| read(idx)).collect();
        Self { side, texts, outside: OwnText::outside(side, &text) }
    }

    pub(crate) fn kind(&self, idx: DefIdx) -> DefKind {
        self.side.facts.def(idx).kind
    }

    pub(crate) fn text(&self, idx: DefIdx) -> Option<&OwnText> {
        self.texts.get(idx.index())?.as_ref()
    }

    fn by_name(&self) -> FxHashMap<&'s str, Vec<DefIdx>> {
        let mut found: FxHashMap<&str, Vec<DefIdx>> = FxHashMap::default();
        for (idx, def) in self.side.facts.defs_indexed().filter(|(_, def)| !def.kind.is_prose()) {
            found.entry(self.side.facts.name(def.qualified)).or_default().push(idx);
        }
        found
    }
}

/// Decodes bytes to a text of the same length, because the offsets of facts count bytes: each byte that is
/// not UTF-8 becomes `?`.
fn text_of_bytes(bytes: &[u8]) -> Cow<'_, str> {
    if let Ok(text) = std::str::from_utf8(bytes) {
        return Cow::Borrowed(text);
    }
    let mut text = String::with_capacity(bytes.len());
    for chunk in bytes.utf8_chunks() {
        text.push_str(chunk.valid());
        text.extend(std::iter::repeat_n('?', chunk.invalid().len()));
    }
    Cow::Owned(text)
}

/// Pairs the definitions of two sides of a file.
pub(crate) fn pair_by_name(before: &ReadSide<'_>, after: &ReadSide<'_>) -> Pairing {
    let mut pairing = Pairing::default();
    let mut others = after.by_name();
    for (name, old) in before.by_name() {
        let new = others.remove(name).unwrap_or_default();
        pair_group(before, after, &mut pairing, NameGroup { old, new });
    }
    pairing.new.extend(others.into_values().flatten());
    pairing.pairs.sort_unstable_by_key(|pair| pair.after);
    pairing.gone.sort_unstable();
    pairing.new.sort_unstable();
    pairing
}

/// The definitions of one name that have no counterpart yet.
struct NameGroup {
    old: Vec<DefIdx>,
    new: Vec<DefIdx>,
}

fn pair_group(before: &ReadSide<'_>, after: &ReadSide<'_>, pairing: &mut Pairing, mut group: NameGroup) {
    let same_kind = |old: DefIdx, new: DefIdx| before.kind(old) == after.kind(new);
    let same_text = |old: DefIdx, new: DefIdx| before.text(old) == after.text(new);
    let same_header = |old: DefIdx, new: DefIdx| {
        before.text(old).map(|text| &text.signature) == after.text(new).map(|text| &text.signature)
    };
    group.pair_if(pairing, &|old, new| same_kind(old, new) && same_text(old, new));
    group.pair_if(pairing, &|old, new| same_kind(old, new) && same_header(old, new));
    group.pair_if(pairing, &same_kind);
    group.pair_if(pairing, &|_, _| true);
    pairing.gone.append(&mut group.old);
    pairing.new.append(&mut group.new);
}

impl NameGroup {
    /// Pairs definitions that `fits` accepts, each with the first match.
    fn pair_if(&mut self, pairing: &mut Pairing, fits: &dyn Fn(DefIdx, DefIdx) -> bool) {
        let new = &mut self.new;
        self.old.retain(|old| {
            let Some(at) = new.iter().position(|new| fits(*old, *new)) else { return true };
            pairing.pairs.push(DefPair { before: *old, after: new.remove(at) });
            false
        });
    }
}
