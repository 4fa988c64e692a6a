//! The disk form of a file's facts.
//!
//! One byte of format, then a zstd frame of MessagePack. The stored structure is `Disk`, kept apart from the facts so
//! that either can change without the other; a change to it is a new format. Positions and counts go into columns of
//! plain numbers, which compress far better than structures do.
//!
//! Facts come back only if every index in them is in range and every list in its order, because the rest of the map relies
//! on both. Anything else is damage, and the file is extracted again. Whether facts are of this *extractor* is for whoever
//! stores them to know.
//!
//! Formats: 1, the first.

use serde::{Deserialize, Serialize};

use crate::facts::{
    Def, DefFlags, DefIdx, DefKind, Export, FileFacts, Import, ImportKind, NamePool, Receiver, Ref, RefKind,
    StrId, TextRange,
};
use crate::langs::Lang;

/// The format written.
const FORMAT: u8 = 1;
/// No facts are larger than this when unpacked; a file of the largest size that is parsed stays far below.
const MAX_BYTES: usize = 512 << 20;

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

/// What is stored. Options are stored as the number plus one, 0 for none.
#[derive(Serialize, Deserialize)]
struct Disk {
    lang: u8,
    names: Vec<String>,
    texts: String,
    defs: Columns,
    imports: Columns,
    exports: Columns,
    refs: Columns,
    package: u32,
    manifest: Columns,
    has_errors: bool,
}

/// A table as columns of equal length.
#[derive(Serialize, Deserialize)]
struct Columns(Vec<Vec<u32>>);

impl Columns {
    fn of<T, const N: usize>(rows: &[T], row: impl Fn(&T) -> [u32; N]) -> Self {
        let mut columns = vec![Vec::with_capacity(rows.len()); N];
        for cells in rows.iter().map(row) {
            columns.iter_mut().zip(cells).for_each(|(column, cell)| column.push(cell));
        }
        Self(columns)
    }

    fn rows<const N: usize>(&self) -> Result<Vec<[u32; N]>, PersistError> {
        let columns: &[Vec<u32>; N] =
            self.0.as_slice().try_into().map_err(|_| Damaged("a table has the wrong width"))?;
        let length = columns.first().map_or(0, Vec::len);
        if columns.iter().any(|column| column.len() != length) {
            return Err(Damaged("a table has columns of different lengths"));
        }
        Ok((0..length).map(|i| std::array::from_fn(|column| columns[column][i])).collect())
    }
}

/// Facts as bytes, compressed. The first byte is the format.
#[must_use]
pub fn encode(facts: &FileFacts) -> Vec<u8> {
    let packed = rmp_serde::to_vec(&to_disk(facts)).expect("plain data always serialises to memory");
    let mut bytes = vec![FORMAT];
    let frame = zstd::bulk::compress(&packed, 1).expect("compressing to memory has no way to fail");
    bytes.extend(u32::try_from(packed.len()).unwrap_or(u32::MAX).to_le_bytes());
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
    let packed = zstd::bulk::decompress(frame, length).map_err(|_| Damaged("the frame does not unpack"))?;
    let disk = rmp_serde::from_slice(&packed).map_err(|_| Damaged("the structure does not fit"))?;
    from_disk(disk)
}

fn to_disk(facts: &FileFacts) -> Disk {
    Disk {
        lang: facts.lang as u8,
        names: facts.names.iter().map(str::to_owned).collect(),
        texts: facts.texts.to_string(),
        defs: Columns::of(&facts.defs, def_row),
        imports: Columns::of(&facts.imports, import_row),
        exports: Columns::of(&facts.exports, |e| [e.local.0, e.exported.0]),
        refs: Columns::of(&facts.refs, ref_row),
        package: opt(facts.package.map(|id| id.0)),
        manifest: Columns::of(&facts.manifest, |(key, value)| [key.0, value.0]),
        has_errors: facts.has_errors,
    }
}

fn opt(value: Option<u32>) -> u32 {
    value.map_or(0, |value| value + 1)
}

fn def_row(def: &Def) -> [u32; 16] {
    [
        def.name.0,
        def.qualified.0,
        def.ordinal,
        def.kind as u32,
        u32::from(def.flags.0),
        opt(def.parent.map(|idx| idx.0)),
        def.lines.0,
        // Differences are small numbers, and small numbers are short.
        def.lines.1.saturating_sub(def.lines.0),
        def.bytes.0,
        def.bytes.1.saturating_sub(def.bytes.0),
        def.name_at.0,
        def.name_at.1,
        def.signature.start,
        def.signature.len,
        def.doc.start,
        def.doc.len,
    ]
}

fn import_row(import: &Import) -> [u32; 7] {
    [
        import.kind as u32,
        import.module.0,
        opt(import.name.map(|id| id.0)),
        opt(import.local.map(|id| id.0)),
        u32::from(import.reexported),
        opt(import.owner.map(|idx| idx.0)),
        import.line,
    ]
}

fn ref_row(r: &Ref) -> [u32; 7] {
    let (receiver, of) = match r.receiver {
        Receiver::None => (0, 0),
        Receiver::SelfType => (1, 0),
        Receiver::Super => (2, 0),
        Receiver::Path(path) => (3, path.0),
        Receiver::Typed(ty) => (4, ty.0),
        Receiver::Unknown => (5, 0),
    };
    [r.name.0, r.kind as u32, receiver, of, opt(r.owner.map(|idx| idx.0)), r.line, r.col]
}

/// The limits that indices of one file's facts must keep.
#[derive(Clone, Copy)]
struct Limits<'d> {
    names: u32,
    defs: u32,
    texts: &'d str,
}

impl Limits<'_> {
    fn name(self, id: u32) -> Result<StrId, PersistError> {
        if id < self.names { Ok(StrId(id)) } else { Err(Damaged("a name is out of range")) }
    }

    fn opt_name(self, id: u32) -> Result<Option<StrId>, PersistError> {
        id.checked_sub(1).map(|id| self.name(id)).transpose()
    }

    fn opt_def(self, idx: u32) -> Result<Option<DefIdx>, PersistError> {
        let def =
            |idx| if idx < self.defs { Ok(DefIdx(idx)) } else { Err(Damaged("an owner is out of range")) };
        idx.checked_sub(1).map(def).transpose()
    }

    fn text(self, start: u32, len: u32) -> Result<TextRange, PersistError> {
        let end = start.checked_add(len).ok_or(Damaged("a text is out of range"))?;
        self.texts.get(start as usize..end as usize).ok_or(Damaged("a text is out of range"))?;
        Ok(TextRange { start, len })
    }
}

fn from_disk(disk: Disk) -> Result<FileFacts, PersistError> {
    if !disk.names.windows(2).all(|pair| pair[0] < pair[1]) {
        return Err(Damaged("the names are not in order"));
    }
    let (defs, refs) = (disk.defs.rows()?, disk.refs.rows()?);
    let limits = Limits { names: disk.names.len() as u32, defs: defs.len() as u32, texts: &disk.texts };
    let facts = FileFacts {
        lang: *Lang::ALL.get(usize::from(disk.lang)).ok_or(Damaged("the language is unknown"))?,
        names: NamePool::from_sorted(disk.names.iter().map(String::as_str)),
        defs: numbered(&defs, |at, row| def_from(limits, at, row))?,
        imports: numbered(&disk.imports.rows()?, |_, row| import_from(limits, row))?,
        exports: numbered(&disk.exports.rows()?, |_, [local, exported]| {
            Ok(Export { local: limits.name(local)?, exported: limits.name(exported)? })
        })?,
        refs: numbered(&refs, |_, row| ref_from(limits, row))?,
        package: limits.opt_name(disk.package)?,
        manifest: numbered(&disk.manifest.rows()?, |_, [key, value]| {
            Ok((limits.name(key)?, limits.name(value)?))
        })?,
        has_errors: disk.has_errors,
        texts: disk.texts.clone().into(),
    };
    let key = |r: &Ref| (r.name, r.line, r.col, r.kind);
    if !facts.refs.windows(2).all(|pair| key(&pair[0]) <= key(&pair[1])) {
        return Err(Damaged("the references are not in order"));
    }
    Ok(facts)
}

fn numbered<T, const N: usize>(
    rows: &[[u32; N]],
    make: impl Fn(u32, [u32; N]) -> Result<T, PersistError>,
) -> Result<Box<[T]>, PersistError> {
    rows.iter().enumerate().map(|(at, row)| make(at as u32, *row)).collect()
}

fn def_from(limits: Limits<'_>, at: u32, row: [u32; 16]) -> Result<Def, PersistError> {
    let [name, qualified, ordinal, kind, flags, parent, line, lines, byte, bytes, name_line, name_col, ..] =
        row;
    let parent = limits.opt_def(parent)?;
    if parent.is_some_and(|parent| parent.0 >= at) {
        return Err(Damaged("a parent comes after its child"));
    }
    Ok(Def {
        name: limits.name(name)?,
        qualified: limits.name(qualified)?,
        ordinal,
        kind: *DefKind::ALL.get(kind as usize).ok_or(Damaged("a kind is unknown"))?,
        flags: DefFlags(u8::try_from(flags).map_err(|_| Damaged("flags are out of range"))?),
        parent,
        lines: span(line, lines)?,
        bytes: span(byte, bytes)?,
        name_at: (name_line, name_col),
        signature: limits.text(row[12], row[13])?,
        doc: limits.text(row[14], row[15])?,
    })
}

fn span(start: u32, len: u32) -> Result<(u32, u32), PersistError> {
    Ok((start, start.checked_add(len).ok_or(Damaged("a range is out of range"))?))
}

fn import_from(limits: Limits<'_>, row: [u32; 7]) -> Result<Import, PersistError> {
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

fn ref_from(limits: Limits<'_>, row: [u32; 7]) -> Result<Ref, PersistError> {
    let [name, kind, receiver, of, owner, line, col] = row;
    let kinds = [RefKind::Call, RefKind::Extends, RefKind::Implements, RefKind::Type, RefKind::Use];
    let receiver = match receiver {
        0 => Receiver::None,
        1 => Receiver::SelfType,
        2 => Receiver::Super,
        3 => Receiver::Path(limits.name(of)?),
        4 => Receiver::Typed(limits.name(of)?),
        5 => Receiver::Unknown,
        _ => return Err(Damaged("a receiver is unknown")),
    };
    Ok(Ref {
        name: limits.name(name)?,
        kind: *kinds.get(kind as usize).ok_or(Damaged("a reference's kind is unknown"))?,
        receiver,
        owner: limits.opt_def(owner)?,
        line,
        col,
    })
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

    /// What decoding must guarantee for the rest of the map to index without fear.
    fn check_ranges(facts: &FileFacts) {
        let names = facts.names.len() as u32;
        for def in &facts.defs {
            assert!(def.name.0 < names && def.qualified.0 < names && def.lines.0 <= def.lines.1);
        }
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
        fn damage_is_an_error_or_harmless(
            column in 0usize..16, row in 0usize..12, value in any::<u32>(), table in 0u8..4,
        ) {
            let mut disk = to_disk(&extract(Lang::Python, "x.py", SOURCE.as_bytes()));
            let columns = match table {
                0 => &mut disk.defs,
                1 => &mut disk.imports,
                2 => &mut disk.refs,
                _ => &mut disk.exports,
            };
            if let Some(cell) = columns.0.get_mut(column).and_then(|column| column.get_mut(row)) {
                *cell = value;
            }
            if let Ok(facts) = from_disk(disk) {
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
