//! The disk form of a file's facts.
//!
//! One byte of format, the unpacked length, then a zstd frame. What it holds is flat (see `Layout` below) and is read
//! straight into the lists that the map uses: a restart decodes millions of rows, and a string or a list of its own for each
//! name or column would cost more than everything else together.
//!
//! Facts come back only if every index in them is in range and every list in its order, because the rest of the map relies
//! on both. Anything else is damage, and the file is extracted again. Whether facts are of this *extractor* is for whoever
//! stores them to know.
//!
//! Layout: language, whether there were errors, why it was given up, package; the texts; what each name adds to the one before
//! it, and how much it shares with it; then the tables of definitions, imports, exports, references, project settings, types and
//! lines that are not mapped, of the arguments of calls, and of where values go (`columns` has their form). Options are the number plus one, 0 for none.
//!
//! Formats: 1, MessagePack in zstd; 2 and 3, the flat form; 4, with the lines that are not mapped and why a file was not read;
//! 5, with where values go; 6, with the arguments of calls; 7, with texts in the order of their definitions. Only the last is read.

mod columns;
mod flows;
mod names;

/// The means of writing flat forms, for other disk forms of this crate.
pub(crate) mod flat {
    pub(crate) use super::columns::{Input, put_varint};
    pub(crate) use super::names::{put_sorted, read_sorted};
}

use std::cell::RefCell;

use zstd::bulk::{Compressor, Decompressor};

use crate::facts::{
    Arguments, CallArguments, Def, DefFlags, DefIdx, DefKind, DefTexts, Export, FileFacts, Flows, GaveUp,
    Import, ImportKind, PackedFlows, Receiver, Ref, RefKind, StrId, TypeHint, TypePart,
};
use crate::langs::lang::Lang;
use columns::Coding::{Delta, Plain};
use columns::{Coding, Input, put_table, put_varint, unzigzag, zigzag};

/// The number of the format that hob writes.
const FORMAT: u8 = 7;
/// No facts are larger than this when unpacked; a file of the largest size that is parsed stays far below. A damaged length has memory
/// taken for it before anything is unpacked.
const MAX_BYTES: usize = 128 << 20;
/// A thread keeps a buffer up to this size for the next file.
const KEEP_BYTES: usize = 4 << 20;

const DEF_COLUMNS: [Coding; 14] =
    [Delta, Plain, Plain, Plain, Plain, Delta, Delta, Plain, Delta, Plain, Plain, Plain, Plain, Plain];
const IMPORT_COLUMNS: [Coding; 7] = [Plain, Delta, Delta, Delta, Plain, Delta, Delta];
const REF_COLUMNS: [Coding; 7] = [Delta, Plain, Plain, Plain, Delta, Delta, Plain];
const TYPE_COLUMNS: [Coding; 3] = [Delta, Plain, Plain];
const CALL_COLUMNS: [Coding; 4] = [Delta, Plain, Plain, Plain];
const PAIR_COLUMNS: [Coding; 2] = [Delta, Delta];

/// Why stored facts cannot be used; the file is extracted again.
#[derive(Debug, thiserror::Error)]
pub enum PersistError {
    /// Written by another version of this format.
    #[error("the facts are in format {0}")]
    Format(u8),
    /// Not what was written.
    #[error("the facts are damaged: {0}")]
    Damaged(&'static str),
}

use PersistError::Damaged;

thread_local! {
    /// Making a context anew for every file would cost as much as a small file does.
    static PACKER: RefCell<Option<Compressor<'static>>> = const { RefCell::new(None) };
    static UNPACKER: RefCell<(Option<Decompressor<'static>>, Vec<u8>)> = const { RefCell::new((None, Vec::new())) };
}

/// Facts as bytes, compressed. The first byte is the format.
#[must_use]
pub fn encode(facts: &FileFacts) -> Vec<u8> {
    let flat = flatten(facts);
    let frame = PACKER.with_borrow_mut(|packer| {
        let packer = packer.get_or_insert_with(|| Compressor::new(1).expect("level 1 exists"));
        packer.compress(&flat).expect("compressing to memory has no way to fail")
    });
    let mut bytes = Vec::with_capacity(5 + frame.len());
    bytes.push(FORMAT);
    bytes.extend(u32::try_from(flat.len()).unwrap_or(u32::MAX).to_le_bytes());
    bytes.extend(frame);
    bytes
}

/// Facts from bytes; any bytes at all may be given.
///
/// # Errors
/// [`PersistError`] for another format or damaged bytes.
pub fn decode(bytes: &[u8]) -> Result<FileFacts, PersistError> {
    let (&format, rest) = bytes.split_first().ok_or(Damaged("there are none"))?;
    if format != FORMAT {
        return Err(PersistError::Format(format));
    }
    let (length, frame) = rest.split_first_chunk::<4>().ok_or(Damaged("the length is missing"))?;
    let length = u32::from_le_bytes(*length) as usize;
    if length > MAX_BYTES {
        return Err(Damaged("the length is absurd"));
    }
    UNPACKER.with_borrow_mut(|(unpacker, buffer)| {
        buffer.clear();
        buffer.reserve(length);
        let unpacker = match unpacker {
            Some(unpacker) => unpacker,
            None => unpacker.insert(Decompressor::new().map_err(|_| Damaged("it cannot be unpacked"))?),
        };
        let unpacked = unpacker.decompress_to_buffer(frame, buffer);
        let facts = match unpacked {
            Ok(unpacked) if unpacked == length => unflatten(buffer),
            _ => Err(Damaged("the frame does not unpack")),
        };
        if buffer.capacity() > KEEP_BYTES {
            *buffer = Vec::new();
        }
        facts
    })
}

fn flatten(facts: &FileFacts) -> Vec<u8> {
    let gave_up = facts.gave_up.map_or(0, |why| why as u8);
    let mut out = vec![facts.lang as u8, u8::from(facts.has_errors), gave_up];
    put_varint(&mut out, option_number(facts.package.map(|id| id.0)));
    put_varint(&mut out, facts.texts.len() as u32);
    out.extend_from_slice(facts.texts.as_bytes());
    names::put_sorted(&mut out, facts.names.iter());
    put_table(&mut out, &DEF_COLUMNS, facts.defs.iter().map(def_row));
    put_table(&mut out, &IMPORT_COLUMNS, facts.imports.iter().map(import_row));
    put_table(&mut out, &PAIR_COLUMNS, facts.exports.iter().map(|e| [e.local.0, e.exported.0]));
    put_table(&mut out, &REF_COLUMNS, facts.refs.iter().map(ref_row));
    put_table(&mut out, &PAIR_COLUMNS, facts.manifest.iter().map(|(key, value)| [key.0, value.0]));
    let hint = |hint: &TypeHint| [hint.def.number(), hint.part.0, hint.says.0];
    put_table(&mut out, &TYPE_COLUMNS, facts.types.iter().map(hint));
    put_table(&mut out, &PAIR_COLUMNS, facts.unmapped.iter().map(|(first, last)| [*first, *last]));
    put_table(&mut out, &CALL_COLUMNS, facts.calls.iter().map(call_row));
    put_varint(&mut out, facts.flows.implied.len() as u32);
    facts.flows.implied.iter().for_each(|name| put_varint(&mut out, name.0));
    put_varint(&mut out, facts.flows.bytes.len() as u32);
    out.extend_from_slice(&facts.flows.bytes);
    out
}

fn call_row(call: &CallArguments) -> [u32; 4] {
    let packed = call.arguments.0;
    [call.line, call.col, packed as u32, (packed >> 32) as u32]
}

fn call_from([line, col, low, high]: [u32; 4]) -> CallArguments {
    CallArguments { line, col, arguments: Arguments(u64::from(low) | u64::from(high) << 32) }
}

fn option_number(value: Option<u32>) -> u32 {
    value.map_or(0, |value| value + 1)
}

fn def_row(def: &Def) -> [u32; 14] {
    [
        def.name.0,
        // At top level a name is its own qualified name.
        zigzag(def.qualified.0.wrapping_sub(def.name.0)),
        def.ordinal,
        def.kind as u32,
        u32::from(def.flags.0),
        option_number(def.parent.map(DefIdx::number)),
        def.lines.0,
        def.lines.1.saturating_sub(def.lines.0),
        def.bytes.0,
        def.bytes.1.saturating_sub(def.bytes.0),
        zigzag(def.name_at.0.wrapping_sub(def.lines.0)),
        def.name_at.1,
        u32::from(def.texts.signature),
        u32::from(def.texts.doc),
    ]
}

fn import_row(import: &Import) -> [u32; 7] {
    [
        import.kind as u32,
        import.module.0,
        option_number(import.name.map(|id| id.0)),
        option_number(import.local.map(|id| id.0)),
        u32::from(import.reexported),
        option_number(import.owner.map(DefIdx::number)),
        import.line,
    ]
}

fn ref_row(r: &Ref) -> [u32; 7] {
    let (form, of) = r.receiver().to_parts();
    [r.name.0, r.kind() as u32, form, of, option_number(r.owner.map(DefIdx::number)), r.line, r.col()]
}

/// The limits that indices of one file's facts must keep.
#[derive(Clone, Copy)]
struct FactsLimits<'d> {
    names: u32,
    defs: u32,
    texts: &'d str,
}

impl FactsLimits<'_> {
    fn name(self, id: u32) -> Result<StrId, PersistError> {
        if id < self.names { Ok(StrId(id)) } else { Err(Damaged("a name is out of range")) }
    }

    fn opt_name(self, id: u32) -> Result<Option<StrId>, PersistError> {
        id.checked_sub(1).map(|id| self.name(id)).transpose()
    }

    fn opt_def(self, idx: u32) -> Result<Option<DefIdx>, PersistError> {
        let def = |idx| {
            if idx < self.defs { Ok(DefIdx::new(idx)) } else { Err(Damaged("an owner is out of range")) }
        };
        idx.checked_sub(1).map(def).transpose()
    }

    /// The texts of a definition, the first of which begins at `start`; that moves behind them.
    fn def_texts(self, start: &mut u32, signature: u32, doc: u32) -> Result<DefTexts, PersistError> {
        let outside = Damaged("a text is out of range");
        let (Ok(signature), Ok(doc)) = (u16::try_from(signature), u16::try_from(doc)) else {
            return Err(outside);
        };
        let texts = DefTexts { start: *start, signature, doc };
        let middle = *start as usize + usize::from(signature);
        let end = middle + usize::from(doc);
        // A text can be cut where a character begins, and nowhere else.
        if !self.texts.is_char_boundary(middle) || !self.texts.is_char_boundary(end) {
            return Err(outside);
        }
        *start = end as u32;
        Ok(texts)
    }
}

fn unflatten(bytes: &[u8]) -> Result<FileFacts, PersistError> {
    let mut input = Input::new(bytes);
    let lang = *Lang::ALL.get(input.read_number()? as usize).ok_or(Damaged("the language is unknown"))?;
    let has_errors = input.read_number()? != 0;
    let gave_up = match input.read_number()? as usize {
        0 => None,
        why => Some(*GaveUp::ALL.get(why - 1).ok_or(Damaged("a reason is unknown"))?),
    };
    let package = input.read_number()?;
    let length = input.read_number()?;
    let texts =
        std::str::from_utf8(input.read_bytes(length)?).map_err(|_| Damaged("the texts are not Unicode"))?;
    let names = names::read_sorted(&mut input)?;
    let mut limits = FactsLimits { names: names.len() as u32, defs: 0, texts };
    let mut texts_end = 0;
    let defs = input.read_table(&DEF_COLUMNS, |at, row| {
        limits.defs = at;
        def_from(limits, row, &mut texts_end)
    })?;
    if texts_end as usize != texts.len() {
        return Err(Damaged("there are more texts than definitions have"));
    }
    limits.defs = defs.len() as u32;
    let pair = |[a, b]: [u32; 2]| Ok((limits.name(a)?, limits.name(b)?));
    let facts = FileFacts {
        lang,
        defs: defs.into(),
        imports: input.read_table(&IMPORT_COLUMNS, |_, row| import_from(limits, row))?.into(),
        exports: input.read_table(&PAIR_COLUMNS, |_, row| {
            pair(row).map(|(local, exported)| Export { local, exported })
        })?,
        refs: input.read_table(&REF_COLUMNS, |_, row| ref_from(limits, row))?.into(),
        package: limits.opt_name(package)?,
        manifest: input.read_table(&PAIR_COLUMNS, |_, row| pair(row))?,
        types: input
            .read_table(&TYPE_COLUMNS, |_, [def, part, says]| {
                let def = limits.opt_def(def.saturating_add(1))?.ok_or(Damaged("a type is of nothing"))?;
                Ok(TypeHint { def, part: TypePart(part), says: limits.name(says)? })
            })?
            .into(),
        unmapped: input.read_table(&PAIR_COLUMNS, |_, [first, last]| Ok((first, last)))?,
        calls: input.read_table(&CALL_COLUMNS, |_, row| Ok(call_from(row)))?.into(),
        flows: packed_from(&mut input, limits)?,
        has_errors,
        gave_up,
        texts: texts.into(),
        names,
    };
    let key = |r: &Ref| (r.name, r.line, r.col(), r.kind());
    if !facts.refs.is_sorted_by(|a, b| key(a) <= key(b)) {
        return Err(Damaged("the references are not in order"));
    }
    if !facts.calls.is_sorted_by_key(|call| (call.line, call.col)) {
        return Err(Damaged("the calls are not in order"));
    }
    if !facts.types.is_sorted() {
        return Err(Damaged("the types are not in order"));
    }
    if !facts.unmapped.iter().all(|(first, last)| first <= last) {
        return Err(Damaged("a stretch of lines ends before it begins"));
    }
    if input.is_empty() { Ok(facts) } else { Err(Damaged("there is more than there should be")) }
}

/// Reads flows without unpacking them: they are unpacked when a caller needs them.
fn packed_from(input: &mut Input<'_>, limits: FactsLimits<'_>) -> Result<PackedFlows, PersistError> {
    let count = input.read_number()?;
    let implied =
        (0..count.min(limits.names)).map(|_| limits.name(input.read_number()?)).collect::<Result<_, _>>()?;
    let length = input.read_number()?;
    Ok(PackedFlows { bytes: input.read_bytes(length)?.to_vec().into(), implied })
}

/// Where values go, as it is kept in memory and on disk: the unpacked length, then a zstd frame.
pub(crate) fn pack_flows(flows: &Flows) -> Vec<u8> {
    let mut flat = Vec::new();
    flows::put_flows(&mut flat, flows);
    let frame = PACKER.with_borrow_mut(|packer| {
        let packer = packer.get_or_insert_with(|| Compressor::new(1).expect("level 1 exists"));
        packer.compress(&flat).expect("compressing to memory has no way to fail")
    });
    let mut bytes = (flat.len() as u32).to_le_bytes().to_vec();
    bytes.extend(frame);
    bytes
}

/// Where the values of a file go; nothing if what is kept is damaged.
pub(crate) fn open_flows(facts: &FileFacts) -> Flows {
    let Some((length, frame)) = facts.flows.bytes.split_first_chunk::<4>() else { return Flows::default() };
    let length = u32::from_le_bytes(*length) as usize;
    if length > MAX_BYTES {
        return Flows::default();
    }
    let limits =
        FactsLimits { names: facts.names.len() as u32, defs: facts.defs.len() as u32, texts: &facts.texts };
    let flat = UNPACKER.with_borrow_mut(|(unpacker, _)| {
        let unpacker = match unpacker {
            Some(unpacker) => unpacker,
            None => unpacker.insert(Decompressor::new().ok()?),
        };
        unpacker.decompress(frame, length).ok()
    });
    flat.and_then(|flat| flows::read(&mut Input::new(&flat), limits).ok()).unwrap_or_default()
}

/// `limits` admit the definitions before this one: a parent comes before its children.
fn def_from(limits: FactsLimits<'_>, row: [u32; 14], texts_end: &mut u32) -> Result<Def, PersistError> {
    let [name, qualified, ordinal, kind, flags, parent, line, lines, byte, bytes, name_line, name_col, ..] =
        row;
    Ok(Def {
        name: limits.name(name)?,
        qualified: limits.name(name.wrapping_add(unzigzag(qualified)))?,
        ordinal,
        kind: *DefKind::ALL.get(kind as usize).ok_or(Damaged("a kind is unknown"))?,
        flags: DefFlags(u8::try_from(flags).map_err(|_| Damaged("flags are out of range"))?),
        parent: limits.opt_def(parent)?,
        lines: span(line, lines)?,
        bytes: span(byte, bytes)?,
        name_at: (line.wrapping_add(unzigzag(name_line)), name_col),
        texts: limits.def_texts(texts_end, row[12], row[13])?,
    })
}

fn span(start: u32, len: u32) -> Result<(u32, u32), PersistError> {
    Ok((start, start.checked_add(len).ok_or(Damaged("a range is out of range"))?))
}

fn import_from(limits: FactsLimits<'_>, row: [u32; 7]) -> Result<Import, PersistError> {
    let [kind, module, name, local, reexported, owner, line] = row;
    let kinds = [ImportKind::Module, ImportKind::Named, ImportKind::Star, ImportKind::Effect];
    Ok(Import {
        kind: *kinds.get(kind as usize).ok_or(Damaged("an import's kind is unknown"))?,
        module: limits.name(module)?,
        name: limits.opt_name(name)?,
        local: limits.opt_name(local)?,
        reexported: reexported != 0,
        owner: limits.opt_def(owner)?,
        line,
    })
}

fn ref_from(limits: FactsLimits<'_>, row: [u32; 7]) -> Result<Ref, PersistError> {
    let [name, kind, receiver, of, owner, line, col] = row;
    let receiver = Receiver::from_parts(receiver, of).ok_or(Damaged("a receiver is unknown"))?;
    if let Receiver::Path(name) | Receiver::Typed(name) = receiver {
        limits.name(name.0)?;
    }
    let kind = *RefKind::ALL.get(kind as usize).ok_or(Damaged("a reference's kind is unknown"))?;
    let r = Ref::new(limits.name(name)?, kind, line, col);
    Ok(r.with_receiver(receiver).with_owner(limits.opt_def(owner)?))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::extract;

    const SOURCE: &str = "
import os.path as p
from .a import b as c
from d import *
class A(p.Base):
    '''Doc.'''
    x: int = 1
    def f(self, y: A) -> c:
        self.g(); super().f(); y.f(); z().h(); c()
def f(): pass
def f(): pass
";

    #[test]
    fn facts_come_back_as_they_were() {
        for (lang, source) in [(Lang::Python, SOURCE), (Lang::Python, ""), (Lang::Manifest, "{")] {
            let facts = extract(lang, "package.json", source.as_bytes());
            let back = decode(&encode(&facts)).expect("just written");
            assert_eq!(back, facts);
        }
    }

    #[test]
    fn other_formats_are_refused() {
        let mut bytes = encode(&FileFacts::empty(Lang::Go));
        bytes[0] = 77;
        assert!(matches!(decode(&bytes), Err(PersistError::Format(77))));
        assert!(matches!(decode(&[]), Err(PersistError::Damaged(_))));
    }

    /// Asserts the ranges that decoding must guarantee for the rest of the map to index without fear.
    fn check_ranges(facts: &FileFacts) {
        let names = facts.names.len() as u32;
        for def in &facts.defs {
            assert!(def.name.0 < names && def.qualified.0 < names && def.lines.0 <= def.lines.1);
            let end =
                def.texts.start as usize + usize::from(def.texts.signature) + usize::from(def.texts.doc);
            assert!(facts.texts.get(..end).is_some_and(|texts| texts.ends_with(facts.doc(def))));
        }
        assert!(
            facts
                .defs
                .iter()
                .enumerate()
                .all(|(at, def)| def.parent.is_none_or(|parent| parent.index() < at))
        );
        let listed: Vec<&str> = facts.names.iter().collect();
        assert!(listed.is_sorted_by(|a, b| a < b));
        for r in &facts.refs {
            assert!(r.name.0 < names && r.owner.is_none_or(|idx| idx.index() < facts.defs.len()));
        }
    }

    proptest! {
        #[test]
        fn any_source_round_trips(source in "[a-z:=.(), \n\tA-Zäß]{0,300}") {
            let facts = extract(Lang::Python, "x.py", source.as_bytes());
            prop_assert_eq!(decode(&encode(&facts)).expect("just written"), facts);
        }

        #[test]
        fn damage_is_an_error_or_harmless(at in any::<prop::sample::Index>(), value in any::<u8>(), cut in any::<prop::sample::Index>()) {
            let mut flat = flatten(&extract(Lang::Python, "x.py", SOURCE.as_bytes()));
            let cut = cut.index(flat.len());
            prop_assert!(unflatten(&flat[..cut]).is_err());
            let at = at.index(flat.len());
            flat[at] = value;
            if let Ok(facts) = unflatten(&flat) {
                check_ranges(&facts);
            }
        }

        #[test]
        fn any_bytes_may_be_given(mut bytes in prop::collection::vec(any::<u8>(), 0..200), flip in any::<prop::sample::Index>()) {
            let _ = decode(&bytes);
            let mut real = encode(&extract(Lang::Python, "x.py", SOURCE.as_bytes()));
            let at = flip.index(real.len());
            real[at] ^= bytes.pop().unwrap_or(1);
            if let Ok(facts) = decode(&real) {
                check_ranges(&facts);
            }
        }
    }
}
