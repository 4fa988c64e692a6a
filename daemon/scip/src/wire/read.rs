//! Reads an index from a stream, one document at a time.
//!
//! The largest document bounds the memory, and [`LARGEST_DOCUMENT`] bounds a document. A field of an unknown
//! number is skipped, because later versions of the format may have it; a field of another wire type, which
//! no version of an index has on this level, shows that the stream is no index.

use std::io::{self, BufRead, Read as _};

use protobuf::Message as _;
use scip::types::occurrence::{Typed_enclosing_range, Typed_range};
use scip::types::{Document, Metadata, Occurrence, PositionEncoding, SymbolInformation, SymbolRole};

use super::super::document::{ColumnUnit, IndexHead, SourceDocument, SourceName, SourceSpan, SymbolRelation};
use super::{DOCUMENT, EXTERNAL_SYMBOL, HEAD, ScipError, WITH_LENGTH};

/// Size of the largest document in bytes; the document of the largest file that a person wrote by hand takes
/// a tenth of it.
const LARGEST_DOCUMENT: u64 = 64 << 20;

/// One part of an index, in the order of the stream; the head comes first.
#[derive(Debug)]
pub enum IndexPart {
    /// The beginning.
    Head(IndexHead),
    /// One file's names.
    Document(SourceDocument),
}

/// Reads an index to its end and passes each part to `take`, which can end the reading with an error of its
/// own.
///
/// # Errors
/// [`ScipError`], or the error of `take`.
pub fn read_index<E: From<ScipError>>(
    from: &mut impl BufRead,
    take: &mut dyn FnMut(IndexPart) -> Result<(), E>,
) -> Result<(), E> {
    let mut has_head = false;
    let mut bytes = Vec::new();
    while let Some(field) = read_field(from)? {
        if !has_head && field.number == DOCUMENT {
            return Err(not_an_index("its first part is not the head").into());
        }
        match field.number {
            HEAD | DOCUMENT => read_bytes(from, field.len, &mut bytes)?,
            _ => skip_bytes(from, field.len)?,
        }
        match field.number {
            HEAD if !has_head => take(IndexPart::Head(parse_head(&bytes)?))?,
            DOCUMENT => take(IndexPart::Document(parse_document(&bytes)?))?,
            _ => {}
        }
        has_head |= field.number == HEAD;
    }
    if has_head { Ok(()) } else { Err(not_an_index("it is empty").into()) }
}

/// A field's number and the length of its contents in bytes.
struct FieldStart {
    number: u64,
    len: u64,
}

fn not_an_index(why: &str) -> ScipError {
    ScipError::NotAnIndex(why.to_owned())
}

/// Reads the start of the next field; `None` at the end of the stream.
fn read_field(from: &mut impl BufRead) -> Result<Option<FieldStart>, ScipError> {
    if from.fill_buf()?.is_empty() {
        return Ok(None);
    }
    let tag = read_varint(from)?;
    let (number, wire_type) = (tag >> 3, tag & 7);
    if wire_type != WITH_LENGTH || number == 0 || number > EXTERNAL_SYMBOL + 100 {
        return Err(not_an_index("no field of an index begins like this"));
    }
    let len = read_varint(from)?;
    match number {
        HEAD | DOCUMENT if len > LARGEST_DOCUMENT => {
            let limit = LARGEST_DOCUMENT >> 20;
            Err(ScipError::TooLarge(format!("a document has {} MiB, and {limit} is the most", len >> 20)))
        }
        _ => Ok(Some(FieldStart { number, len })),
    }
}

/// Reads a number in the notation of seven bits a byte.
fn read_varint(from: &mut impl BufRead) -> Result<u64, ScipError> {
    let mut value = 0;
    for shift in (0..64).step_by(7) {
        let mut byte = [0];
        from.read_exact(&mut byte).map_err(cut_short)?;
        value |= u64::from(byte[0] & 0x7f) << shift;
        if byte[0] < 0x80 {
            return Ok(value);
        }
    }
    Err(not_an_index("a number in it has no end"))
}

fn read_bytes(from: &mut impl BufRead, len: u64, bytes: &mut Vec<u8>) -> Result<(), ScipError> {
    bytes.clear();
    let read = from.take(len).read_to_end(bytes)?;
    if read as u64 == len { Ok(()) } else { Err(cut_short(io::ErrorKind::UnexpectedEof.into())) }
}

fn skip_bytes(from: &mut impl BufRead, len: u64) -> Result<(), ScipError> {
    let skipped = io::copy(&mut from.take(len), &mut io::sink())?;
    if skipped == len { Ok(()) } else { Err(cut_short(io::ErrorKind::UnexpectedEof.into())) }
}

fn cut_short(error: io::Error) -> ScipError {
    match error.kind() {
        io::ErrorKind::UnexpectedEof => not_an_index("it ends in the middle of a part"),
        _ => error.into(),
    }
}

fn parse_head(bytes: &[u8]) -> Result<IndexHead, ScipError> {
    let head = Metadata::parse_from_bytes(bytes).map_err(|error| not_an_index(&error.to_string()))?;
    let tool = head.tool_info.into_option().unwrap_or_default();
    Ok(IndexHead { tool: tool.name, tool_version: tool.version, project_root: head.project_root })
}

fn parse_document(bytes: &[u8]) -> Result<SourceDocument, ScipError> {
    let document = Document::parse_from_bytes(bytes).map_err(|error| not_an_index(&error.to_string()))?;
    let unit = unit_of(&document);
    Ok(SourceDocument {
        unit,
        path: document.relative_path,
        language: document.language,
        text: Some(document.text).filter(|text| !text.is_empty()),
        names: document.occurrences.into_iter().filter_map(name_of).collect(),
        relations: document.symbols.into_iter().flat_map(relations_of).collect(),
    })
}

/// Returns the unit that a document states. Indexers that predate the field count as their own language does:
/// JavaScript's in UTF-16 units. In most lines UTF-8 and UTF-16 units agree, and a later check finds places
/// outside of the text.
fn unit_of(document: &Document) -> ColumnUnit {
    match document.position_encoding.enum_value() {
        Ok(PositionEncoding::UTF8CodeUnitOffsetFromLineStart) => ColumnUnit::Utf8,
        Ok(PositionEncoding::UTF32CodeUnitOffsetFromLineStart) => ColumnUnit::Utf32,
        _ => ColumnUnit::Utf16,
    }
}

/// Converts an occurrence to a name; `None` if it has no symbol (it only colours a text), or no place.
fn name_of(occurrence: Occurrence) -> Option<SourceName> {
    let has = |role: SymbolRole| occurrence.symbol_roles & role as i32 != 0;
    let (is_definition, is_import) = (has(SymbolRole::Definition), has(SymbolRole::Import));
    let (span, lines) = (span_of(&occurrence)?, lines_of(&occurrence));
    let symbol = Some(occurrence.symbol).filter(|symbol| !symbol.is_empty())?;
    Some(SourceName { span, symbol, is_definition, is_import, lines })
}

fn span_of(occurrence: &Occurrence) -> Option<SourceSpan> {
    match &occurrence.typed_range {
        Some(Typed_range::SingleLineRange(on)) => span(&[on.line, on.start_character, on.end_character]),
        Some(Typed_range::MultiLineRange(over)) => {
            span(&[over.start_line, over.start_character, over.end_line, over.end_character])
        }
        _ => span(&occurrence.range),
    }
}

fn lines_of(occurrence: &Occurrence) -> Option<SourceSpan> {
    match &occurrence.typed_enclosing_range {
        Some(Typed_enclosing_range::SingleLineEnclosingRange(on)) => {
            span(&[on.line, on.start_character, on.end_character])
        }
        Some(Typed_enclosing_range::MultiLineEnclosingRange(over)) => {
            span(&[over.start_line, over.start_character, over.end_line, over.end_character])
        }
        _ => span(&occurrence.enclosing_range),
    }
}

/// Reads a range of three numbers, which stays on a line, or of four; `None` for anything else.
fn span(numbers: &[i32]) -> Option<SourceSpan> {
    let at = |index: usize| u32::try_from(*numbers.get(index)?).ok();
    let (line, col) = (at(0)?, at(1)?);
    let (end_line, end_col) = match numbers.len() {
        3 => (line, at(2)?),
        4 => (at(2)?, at(3)?),
        _ => return None,
    };
    ((line, col) <= (end_line, end_col)).then_some(SourceSpan { line, col, end_line, end_col })
}

fn relations_of(symbol: SymbolInformation) -> impl Iterator<Item = SymbolRelation> {
    let from = symbol.symbol;
    symbol.relationships.into_iter().map(move |other| SymbolRelation {
        from: from.clone(),
        to: other.symbol,
        is_definition: other.is_definition,
        is_reference: other.is_reference,
        is_implementation: other.is_implementation,
    })
}
