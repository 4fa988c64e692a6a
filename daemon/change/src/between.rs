//! Finds renames and moves among the definitions that only one side has, in all files of a change.
//!
//! A moved symbol keeps its name, a renamed one its text. The module reports one only if the text decides: a
//! definition that is too short, or that has several equals, stays removed and added.

use hob_map::facts::DefIdx;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::own_text::{OwnText, hash_of};
use crate::pairing::ReadSide;

/// The likeness from which a symbol of the same name elsewhere is the same symbol.
const MOVED: f64 = 0.6;
/// The likeness from which a symbol of another name in the same container, or anywhere else, is the same
/// symbol.
const RENAMED: f64 = 0.75;
const RENAMED_ELSEWHERE: f64 = 0.9;
/// The likeness from which an equal header and a name of the same words decide.
const ALIKE: f64 = 0.4;
/// The shortest code, in characters without white space, that identifies a symbol.
const TELLING: usize = 30;
/// Most comparisons of texts; beyond it, only equal texts count as the same.
const MOST: usize = 2_000_000;

/// A definition of one of the files of a change.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(crate) struct SideDef {
    /// The number of the file in the change.
    pub(crate) file: usize,
    pub(crate) def: DefIdx,
}

/// The definitions without a counterpart, and their files.
pub(crate) struct Leftovers<'a, 's> {
    pub(crate) before: &'a [Option<ReadSide<'s>>],
    pub(crate) after: &'a [Option<ReadSide<'s>>],
    pub(crate) gone: Vec<SideDef>,
    pub(crate) new: Vec<SideDef>,
}

/// Two definitions, one of each side, that are the same symbol.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Relocation {
    pub(crate) before: SideDef,
    pub(crate) after: SideDef,
}

struct RelocationFit {
    relocation: Relocation,
    score: f64,
}

impl Leftovers<'_, '_> {
    /// Removes the pairs of equal symbols from the leftovers, and returns them.
    pub(crate) fn take_relocated(&mut self) -> Vec<Relocation> {
        let mut found: FxHashMap<SideDef, SideDef> = FxHashMap::default();
        let mut taken: FxHashSet<SideDef> = FxHashSet::default();
        // Outer definitions come first, so that members can follow their class.
        for depth in 0..=self.deepest() {
            let mut fits = self.fits_at(depth, &found);
            fits.sort_by(|a, b| {
                let order = |fit: &RelocationFit| (fit.relocation.before, fit.relocation.after);
                b.score.total_cmp(&a.score).then_with(|| order(a).cmp(&order(b)))
            });
            for fit in fits {
                let Relocation { before, after } = fit.relocation;
                if !found.contains_key(&before) && taken.insert(after) {
                    found.insert(before, after);
                }
            }
        }
        let mut relocated: Vec<Relocation> =
            found.into_iter().map(|(before, after)| Relocation { before, after }).collect();
        relocated.sort_unstable_by_key(|pair| (pair.after, pair.before));
        let old: FxHashSet<SideDef> = relocated.iter().map(|pair| pair.before).collect();
        let new: FxHashSet<SideDef> = relocated.iter().map(|pair| pair.after).collect();
        self.gone.retain(|def| !old.contains(def));
        self.new.retain(|def| !new.contains(def));
        relocated
    }

    fn deepest(&self) -> usize {
        self.gone.iter().map(|def| depth_of(self.before, *def)).max().unwrap_or(0)
    }

    /// Returns every pair of definitions at one depth that may be the same symbol.
    fn fits_at(&self, depth: usize, found: &FxHashMap<SideDef, SideDef>) -> Vec<RelocationFit> {
        let gone: Vec<SideDef> =
            self.gone.iter().copied().filter(|def| depth_of(self.before, *def) == depth).collect();
        let is_many = gone.len().saturating_mul(self.new.len()) > MOST;
        let by_text = self.new_by_text();
        let mut fits = Vec::new();
        for before in gone {
            let equal = || by_text.get(&self.text_hash(self.before, before)).into_iter().flatten().copied();
            let candidates: Vec<SideDef> = if is_many { equal().collect() } else { self.new.clone() };
            let scored = candidates.into_iter().filter_map(|after| {
                let relocation = Relocation { before, after };
                Some(RelocationFit { relocation, score: self.relocation_score(relocation, found)? })
            });
            fits.extend(scored);
        }
        fits
    }

    fn new_by_text(&self) -> FxHashMap<u64, Vec<SideDef>> {
        let mut by_text: FxHashMap<u64, Vec<SideDef>> = FxHashMap::default();
        for def in &self.new {
            by_text.entry(self.text_hash(self.after, *def)).or_default().push(*def);
        }
        by_text
    }

    fn text_hash(&self, sides: &[Option<ReadSide<'_>>], def: SideDef) -> u64 {
        text_of(sides, def).map_or(0, |text| hash_of(&text.code))
    }

    /// Scores how likely a pair is the same symbol; `None` if it is not.
    fn relocation_score(&self, pair: Relocation, found: &FxHashMap<SideDef, SideDef>) -> Option<f64> {
        let (old, new) = (side_of(self.before, pair.before)?, side_of(self.after, pair.after)?);
        if old.kind(pair.before.def) != new.kind(pair.after.def) {
            return None;
        }
        let (text, other) = (old.text(pair.before.def)?, new.text(pair.after.def)?);
        let same_name = name_of(old, pair.before.def) == name_of(new, pair.after.def);
        let parents = (parent_of(old, pair.before), parent_of(new, pair.after));
        let follows = matches!(parents, (Some(old), Some(new)) if found.get(&old) == Some(&new));
        if follows && same_name {
            return Some(3.0);
        }
        let same_container = follows || self.is_same_container(pair, old, new);
        let likeness = text.likeness(other);
        let near = if same_container { 0.2 } else { 0.0 };
        let is_telling = text.weight.min(other.weight) >= TELLING;
        let least = match (same_name, same_container) {
            (true, _) => MOVED,
            (false, true) => RENAMED,
            (false, false) => RENAMED_ELSEWHERE,
        };
        // A short symbol whose lines all contain the renamed name is identified by its header and the words
        // of its name.
        let reads_alike = || {
            let names = [name_of(old, pair.before.def), name_of(new, pair.after.def)];
            text.signature == other.signature && likeness >= ALIKE && share_most_words(names)
        };
        let alone = same_container && (likeness >= 1.0 || reads_alike()) && self.is_alone(pair);
        (likeness >= least && is_telling || alone)
            .then_some(likeness + near + if same_name { 1.0 } else { 0.0 })
    }

    /// Returns true if both are in the same file, in containers of one name.
    fn is_same_container(&self, pair: Relocation, old: &ReadSide<'_>, new: &ReadSide<'_>) -> bool {
        let container = |side: &ReadSide<'_>, def: DefIdx| {
            let qualified = side.side.facts.name(side.side.facts.def(def).qualified);
            let own = name_of(side, def).len();
            qualified.get(..qualified.len().saturating_sub(own)).unwrap_or_default().to_owned()
        };
        pair.before.file == pair.after.file
            && container(old, pair.before.def) == container(new, pair.after.def)
    }

    /// Returns true if each side of the file has only this leftover definition of its kind.
    fn is_alone(&self, pair: Relocation) -> bool {
        let count = |sides: &[Option<ReadSide<'_>>], all: &[SideDef], one: SideDef| {
            let kind = side_of(sides, one).map(|side| side.kind(one.def));
            let same = |def: &&SideDef| {
                def.file == one.file && side_of(sides, **def).map(|side| side.kind(def.def)) == kind
            };
            all.iter().filter(same).count()
        };
        count(self.before, &self.gone, pair.before) == 1 && count(self.after, &self.new, pair.after) == 1
    }
}

fn side_of<'a, 's>(sides: &'a [Option<ReadSide<'s>>], def: SideDef) -> Option<&'a ReadSide<'s>> {
    sides.get(def.file)?.as_ref()
}

fn text_of<'a>(sides: &'a [Option<ReadSide<'_>>], def: SideDef) -> Option<&'a OwnText> {
    side_of(sides, def)?.text(def.def)
}

fn name_of<'s>(side: &ReadSide<'s>, def: DefIdx) -> &'s str {
    side.side.facts.name(side.side.facts.def(def).name)
}

/// Returns true if the words that two names share are at least half of all their words.
fn share_most_words(names: [&str; 2]) -> bool {
    let [old, new] = names.map(name_words);
    let shared = old.intersection(&new).count();
    shared > 0 && 2 * shared >= old.union(&new).count()
}

/// Splits a name into its words in lower case: `gen_list` and `genList` into `gen` and `list`.
fn name_words(name: &str) -> FxHashSet<String> {
    let mut words = String::with_capacity(name.len() + 4);
    let mut ends_word = false;
    for letter in name.chars() {
        if ends_word && letter.is_uppercase() {
            words.push('_');
        }
        ends_word = !letter.is_uppercase();
        words.extend(letter.to_lowercase());
    }
    words
        .split(|letter: char| !letter.is_alphanumeric())
        .filter(|word| !word.is_empty())
        .map(str::to_owned)
        .collect()
}

fn parent_of(side: &ReadSide<'_>, def: SideDef) -> Option<SideDef> {
    side.side.facts.def(def.def).parent.map(|parent| SideDef { file: def.file, def: parent })
}

fn depth_of(sides: &[Option<ReadSide<'_>>], def: SideDef) -> usize {
    let mut depth = 0;
    let mut at = Some(def);
    while let Some(parent) = at.and_then(|at| parent_of(side_of(sides, at)?, at)) {
        (at, depth) = (Some(parent), depth + 1);
    }
    depth
}
