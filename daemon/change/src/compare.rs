//! Compares two sides of files, symbol by symbol.

use hob_map::facts::{DefFlags, DefIdx, DefKind};
use rustc_hash::FxHashMap;

use crate::between::{Leftovers, Relocation, SideDef};
use crate::own_text::{common, hash_of};
use crate::pairing::{DefPair, ReadSide, pair_by_name};
use crate::sides::{ChangedParts, FileChange, FilePair, FileSide, SymbolChange, SymbolFate, SymbolPlace};

/// The share of common lines from which a new file and a removed one are the same file.
const SAME_FILE: f64 = 0.5;
/// Most pairs of files whose lines are compared.
const MOST_FILES: usize = 20_000;

/// The differences between two sides.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct ChangeComparison {
    /// Symbols that differ, by path and place.
    pub symbols: Vec<SymbolChange>,
    /// Files that differ, by path.
    pub files: Vec<FileChange>,
}

/// Compares the sides of files. A removed file and a new one like it count as one file that moved.
#[must_use]
pub fn compare_files(pairs: &[FilePair]) -> ChangeComparison {
    let pairs = join_moved(pairs);
    let before: Vec<_> = pairs.iter().map(|pair| pair.before.as_ref().map(ReadSide::of_file)).collect();
    let after: Vec<_> = pairs.iter().map(|pair| pair.after.as_ref().map(ReadSide::of_file)).collect();
    let mut comparing = Comparing { before: &before, after: &after, found: Vec::new() };
    comparing.run();
    let mut symbols = comparing.found;
    symbols.sort_by(|a, b| order_of(a).cmp(&order_of(b)));
    link_to_containers(&mut symbols, &before, &after);
    drop_repeated(&mut symbols, &after);
    let mut files: Vec<FileChange> =
        before.iter().zip(&after).filter_map(|(a, b)| file_change(a, b)).collect();
    files.sort_by(|a, b| a.path.cmp(&b.path));
    ChangeComparison { symbols, files }
}

struct Comparing<'a, 's> {
    before: &'a [Option<ReadSide<'s>>],
    after: &'a [Option<ReadSide<'s>>],
    found: Vec<SymbolChange>,
}

impl Comparing<'_, '_> {
    fn run(&mut self) {
        let (mut gone, mut new) = (Vec::new(), Vec::new());
        for (file, (before, after)) in self.before.iter().zip(self.after).enumerate() {
            let in_file = move |def: DefIdx| SideDef { file, def };
            match (before, after) {
                (Some(before), Some(after)) => {
                    let pairing = pair_by_name(before, after);
                    gone.extend(pairing.gone.into_iter().map(in_file));
                    new.extend(pairing.new.into_iter().map(in_file));
                    self.found
                        .extend(pairing.pairs.iter().filter_map(|pair| changed_pair(before, after, *pair)));
                }
                (Some(before), None) => gone.extend(symbols_of(before).map(in_file)),
                (None, Some(after)) => new.extend(symbols_of(after).map(in_file)),
                (None, None) => {}
            }
        }
        let mut leftovers = Leftovers { before: self.before, after: self.after, gone, new };
        let relocated = leftovers.take_relocated();
        let relocated: Vec<_> = relocated.into_iter().filter_map(|pair| self.relocated(pair)).collect();
        self.found.extend(relocated);
        let alone = |sides: &[Option<ReadSide<'_>>], def: SideDef| {
            sides[def.file].as_ref().map(|side| SymbolPlace::in_side(side.side, def.def))
        };
        for def in leftovers.gone {
            let before = alone(self.before, def);
            self.found.push(SymbolChange { before, ..one_sided(SymbolFate::Removed) });
        }
        for def in leftovers.new {
            let after = alone(self.after, def);
            self.found.push(SymbolChange { after, ..one_sided(SymbolFate::Added) });
        }
    }

    fn relocated(&self, pair: Relocation) -> Option<SymbolChange> {
        let (old, new) = (self.before[pair.before.file].as_ref()?, self.after[pair.after.file].as_ref()?);
        let before = SymbolPlace::in_side(old.side, pair.before.def);
        let after = SymbolPlace::in_side(new.side, pair.after.def);
        let fate = if before.name == after.name { SymbolFate::Moved } else { SymbolFate::Renamed };
        let parts = parts_of(old, new, DefPair { before: pair.before.def, after: pair.after.def });
        Some(SymbolChange { fate, parts, before: Some(before), after: Some(after), within: None })
    }
}

fn one_sided(fate: SymbolFate) -> SymbolChange {
    SymbolChange { fate, parts: ChangedParts::default(), before: None, after: None, within: None }
}

fn symbols_of<'a>(side: &'a ReadSide<'_>) -> impl Iterator<Item = DefIdx> + 'a {
    let all = side.side.facts.defs_indexed();
    all.filter(|(_, def)| !def.kind.is_prose()).map(|(idx, _)| idx)
}

/// Returns the change of a symbol that both sides of a file have; `None` if the symbol is unchanged.
fn changed_pair(before: &ReadSide<'_>, after: &ReadSide<'_>, pair: DefPair) -> Option<SymbolChange> {
    let parts = parts_of(before, after, pair);
    let has_moved = before.side.path != after.side.path;
    let (old, new) =
        (SymbolPlace::in_side(before.side, pair.before), SymbolPlace::in_side(after.side, pair.after));
    let fate = if has_moved { SymbolFate::Moved } else { SymbolFate::Changed };
    (has_moved || !parts.is_empty()).then_some(SymbolChange {
        fate,
        parts,
        before: Some(old),
        after: Some(new),
        within: None,
    })
}

fn parts_of(before: &ReadSide<'_>, after: &ReadSide<'_>, pair: DefPair) -> ChangedParts {
    let texts = before.text(pair.before).zip(after.text(pair.after));
    let mut parts = texts.map(|(old, new)| old.parts_changed(new)).unwrap_or_default();
    let (old, new) = (before.side.facts.def(pair.before), after.side.facts.def(pair.after));
    let is_exported = |flags: DefFlags| flags.has(DefFlags::EXPORTED);
    parts.signature |= old.kind != new.kind || is_exported(old.flags) != is_exported(new.flags);
    parts
}

/// Orders changes by path and place; a removed symbol is ordered by its old place.
fn order_of(change: &SymbolChange) -> (&str, u32, SymbolFate, &str) {
    let place = change.place();
    (place.path.as_str(), place.line, change.fate, &place.qualified)
}

/// Records which changes follow from the change of their container.
fn link_to_containers(
    symbols: &mut [SymbolChange],
    before: &[Option<ReadSide<'_>>],
    after: &[Option<ReadSide<'_>>],
) {
    let mut by_place: FxHashMap<(bool, String, DefIdx), usize> = FxHashMap::default();
    for (at, change) in symbols.iter().enumerate() {
        let sides = [(true, &change.before), (false, &change.after)];
        let places = sides.into_iter().filter_map(|(old, place)| Some((old, place.as_ref()?)));
        by_place.extend(places.map(|(old, place)| ((old, place.path.to_string(), place.def), at)));
    }
    for at in 0..symbols.len() {
        let change = &symbols[at];
        let is_old = change.after.is_none();
        let parent = parent_in(if is_old { before } else { after }, change.place());
        let found = parent.and_then(|def| by_place.get(&(is_old, change.place().path.to_string(), def)));
        let follows = |other: SymbolFate| match change.fate {
            SymbolFate::Added | SymbolFate::Removed => other == change.fate,
            SymbolFate::Moved => matches!(other, SymbolFate::Moved | SymbolFate::Renamed),
            SymbolFate::Changed | SymbolFate::Renamed => false,
        };
        symbols[at].within = found.copied().filter(|parent| follows(symbols[*parent].fate));
    }
}

fn parent_in(sides: &[Option<ReadSide<'_>>], place: &SymbolPlace) -> Option<DefIdx> {
    let side = sides.iter().flatten().find(|side| side.side.path == place.path)?;
    side.side.facts.def(place.def).parent
}

/// Drops variables and routes inside a changed function, because the change of the function covers them.
fn drop_repeated(symbols: &mut Vec<SymbolChange>, after: &[Option<ReadSide<'_>>]) {
    let bytes_of = |place: &SymbolPlace| {
        let side = after.iter().flatten().find(|side| side.side.path == place.path)?;
        Some(side.side.facts.def(place.def).bytes)
    };
    let mut functions: FxHashMap<String, Vec<(u32, u32)>> = FxHashMap::default();
    for place in symbols.iter().filter(|change| change.parts.body).filter_map(|change| change.after.as_ref())
    {
        if let Some(bytes) = bytes_of(place).filter(|_| place.kind.is_callable()) {
            functions.entry(place.path.to_string()).or_default().push(bytes);
        }
    }
    let is_repeated = |change: &SymbolChange| {
        let place = change.place();
        let is_value =
            matches!(place.kind, DefKind::Field | DefKind::Variable | DefKind::Constant | DefKind::Route);
        let within = |bytes: (u32, u32)| {
            let around = functions.get(place.path.as_str()).into_iter().flatten();
            around.into_iter().any(|outer| outer.0 <= bytes.0 && bytes.1 <= outer.1)
        };
        change.fate == SymbolFate::Changed && is_value && bytes_of(place).is_some_and(within)
    };
    let drop: Vec<bool> = symbols.iter().map(is_repeated).collect();
    // Values are no containers, so no index leads to a dropped one.
    let kept_before: Vec<usize> = drop
        .iter()
        .scan(0, |gone, drop| {
            let before = *gone;
            *gone += usize::from(*drop);
            Some(before)
        })
        .collect();
    let mut at = 0;
    symbols.retain(|_| {
        at += 1;
        !drop[at - 1]
    });
    for change in symbols.iter_mut() {
        change.within = change.within.map(|parent| parent - kept_before[parent]);
    }
}

fn file_change(before: &Option<ReadSide<'_>>, after: &Option<ReadSide<'_>>) -> Option<FileChange> {
    let (old, new) = (before.as_ref(), after.as_ref());
    let path = new.or(old)?.side.path.clone();
    let was = old.map(|old| old.side.path.clone()).filter(|was| new.is_some() && *was != path);
    let is_prose = new.or(old).is_some_and(|side| side.side.facts.lang.is_prose());
    let outside = !is_prose && old.map_or("", |old| &old.outside) != new.map_or("", |new| &new.outside);
    Some(FileChange { path, was, is_before: old.is_some(), is_after: new.is_some(), outside })
}

/// Joins removed files with new files that are like them.
fn join_moved(pairs: &[FilePair]) -> Vec<FilePair> {
    let mut joined: Vec<FilePair> =
        pairs.iter().filter(|pair| pair.before.is_some() && pair.after.is_some()).cloned().collect();
    let gone: Vec<&FileSide> =
        pairs.iter().filter(|pair| pair.after.is_none()).filter_map(|pair| pair.before.as_ref()).collect();
    let mut new: Vec<&FileSide> =
        pairs.iter().filter(|pair| pair.before.is_none()).filter_map(|pair| pair.after.as_ref()).collect();
    let is_many = gone.len() * new.len() > MOST_FILES;
    for before in gone {
        let likeness = |after: &FileSide| file_likeness(before, after, is_many);
        let best = new.iter().enumerate().map(|(at, after)| (likeness(after), at));
        let best = best.max_by(|a, b| a.0.total_cmp(&b.0).then(b.1.cmp(&a.1)));
        let after = best.filter(|(likeness, _)| *likeness >= SAME_FILE).map(|(_, at)| new.remove(at).clone());
        joined.push(FilePair { before: Some(before.clone()), after });
    }
    joined.extend(new.into_iter().map(|after| FilePair { before: None, after: Some(after.clone()) }));
    joined
}

fn file_likeness(before: &FileSide, after: &FileSide, is_many: bool) -> f64 {
    if before.facts.lang != after.facts.lang || before.bytes.is_empty() {
        return 0.0;
    }
    if before.bytes == after.bytes {
        return 1.0;
    }
    if is_many {
        return 0.0;
    }
    let lines = |side: &FileSide| {
        let text = String::from_utf8_lossy(&side.bytes);
        let mut lines: Vec<u64> =
            text.lines().map(str::trim).filter(|line| !line.is_empty()).map(hash_of).collect();
        lines.sort_unstable();
        lines
    };
    let (old, new) = (lines(before), lines(after));
    2.0 * common(&old, &new) as f64 / (old.len() + new.len()).max(1) as f64
}
