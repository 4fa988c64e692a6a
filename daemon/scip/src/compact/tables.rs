//! Defines where each table of an imported index begins, and reads numbers from the tables.
//!
//! The tables follow each other in the order of [`Table`]; the end of the file has the length of each, a
//! checksum over everything before it, and a word that names the format. Every access is checked: a damaged
//! file that passed the checksum gives wrong numbers at worst and ends no process.

use hob_base::Region;

/// The word at the end of the file; another layout needs another number.
pub(super) const FORMAT: &[u8; 8] = b"hobscip1";

/// Size of the end of the file in bytes: lengths of the tables, checksum, format.
const END: usize = Table::ALL.len() * 8 + 32 + FORMAT.len();

/// The tables, in their order in the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Table {
    Names,
    Symbols,
    SymbolsByKey,
    Uses,
    Files,
    FilesByPath,
    RelationsFrom,
    RelationsTo,
    Texts,
}

impl Table {
    pub(super) const ALL: [Self; 9] = [
        Self::Names,
        Self::Symbols,
        Self::SymbolsByKey,
        Self::Uses,
        Self::Files,
        Self::FilesByPath,
        Self::RelationsFrom,
        Self::RelationsTo,
        Self::Texts,
    ];

    /// Returns the size of one row in bytes.
    pub(super) const fn width(self) -> usize {
        match self {
            Self::Names | Self::Symbols => 24,
            Self::SymbolsByKey | Self::Uses | Self::FilesByPath => 4,
            Self::Files => 48,
            Self::RelationsFrom | Self::RelationsTo => 12,
            Self::Texts => 1,
        }
    }
}

/// Returns the end of a file with these tables.
pub(super) fn end_bytes(lengths: &[u64; 9], checksum: &blake3::Hash) -> Vec<u8> {
    let mut end: Vec<u8> = lengths.iter().flat_map(|len| len.to_le_bytes()).collect();
    end.extend_from_slice(checksum.as_bytes());
    end.extend_from_slice(FORMAT);
    end
}

/// The tables of a file.
#[derive(Debug)]
pub(super) struct Tables {
    bytes: Region,
    starts: [usize; 10],
}

impl Tables {
    /// Checks a file's end and its checksum; `None` if it is damaged, or of another format.
    pub(super) fn open(bytes: Region) -> Option<Self> {
        let body = bytes.len().checked_sub(END)?;
        let end = bytes.get(body..)?;
        if !end.ends_with(FORMAT) {
            return None;
        }
        let mut starts = [0; 10];
        for (at, table) in Table::ALL.iter().enumerate() {
            let len = u64::from_le_bytes(end.get(at * 8..at * 8 + 8)?.try_into().ok()?);
            let len = usize::try_from(len).ok().filter(|len| len % table.width() == 0)?;
            starts[at + 1] = usize::checked_add(starts[at], len)?;
        }
        let checksum = end.get(Table::ALL.len() * 8..)?.get(..32)?;
        let is_whole = starts[9] == body && blake3::hash(bytes.get(..body)?).as_bytes() == checksum;
        is_whole.then_some(Self { bytes, starts })
    }

    /// Returns the number of rows of a table.
    pub(super) fn len(&self, table: Table) -> u32 {
        let at = table as usize;
        u32::try_from((self.starts[at + 1] - self.starts[at]) / table.width()).unwrap_or(u32::MAX)
    }

    /// Returns the bytes of a row; empty if there is no such row.
    pub(super) fn row(&self, table: Table, row: u32) -> &[u8] {
        if row >= self.len(table) {
            return &[];
        }
        let start = self.starts[table as usize] + row as usize * table.width();
        self.bytes.get(start..start + table.width()).unwrap_or(&[])
    }

    /// Returns the number at a place of a row, counted in numbers; 0 if there is none.
    pub(super) fn number(&self, table: Table, row: u32, at: usize) -> u32 {
        let bytes = self.row(table, row).get(at * 4..at * 4 + 4);
        bytes.and_then(|bytes| bytes.try_into().ok()).map_or(0, u32::from_le_bytes)
    }

    /// Returns a part of the texts.
    pub(super) fn text(&self, start: u32, len: u32) -> &str {
        let begin = self.starts[Table::Texts as usize] + start as usize;
        let bytes = self.bytes.get(begin..begin.saturating_add(len as usize)).unwrap_or(&[]);
        std::str::from_utf8(bytes).unwrap_or("")
    }

    /// Returns the first of `rows` for which `is_before` is false; it must be true for all rows before that
    /// one.
    pub(super) fn partition(rows: std::ops::Range<u32>, is_before: impl Fn(u32) -> bool) -> u32 {
        let (mut low, mut high) = (rows.start, rows.end.max(rows.start));
        while low < high {
            let middle = low + (high - low) / 2;
            if is_before(middle) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        low
    }

    /// Returns the size of the whole file in bytes.
    pub(super) fn file_bytes(&self) -> usize {
        self.bytes.len()
    }

    /// Returns the private memory in bytes, if the file could not be mapped.
    pub(super) fn private_bytes(&self) -> usize {
        self.bytes.private_bytes()
    }
}
