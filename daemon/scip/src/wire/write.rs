//! Writes an index field by field, so that no more than one document is in memory.

use std::io::{self, Write};

use protobuf::{EnumOrUnknown, Message};
use scip::types::symbol_information::Kind;
use scip::types::{
    Document, Metadata, Occurrence, PositionEncoding, Relationship, Signature, SymbolInformation, SymbolRole,
    TextEncoding, ToolInfo,
};

use super::super::document::{ColumnUnit, IndexHead, SourceDocument, SourceName, SourceSpan, WrittenSymbol};
use super::{DOCUMENT, HEAD, WITH_LENGTH};

/// Appends to an index.
#[derive(Debug)]
pub struct IndexWriter<W> {
    to: W,
}

impl<W: Write> IndexWriter<W> {
    /// Begins an index with its head.
    ///
    /// # Errors
    /// The errors of the stream.
    pub fn begin(to: W, head: &IndexHead) -> io::Result<Self> {
        let tool =
            ToolInfo { name: head.tool.clone(), version: head.tool_version.clone(), ..ToolInfo::default() };
        let head = Metadata {
            tool_info: Some(tool).into(),
            project_root: head.project_root.clone(),
            text_document_encoding: EnumOrUnknown::new(TextEncoding::UTF8),
            ..Metadata::default()
        };
        let mut writer = Self { to };
        writer.write_field(HEAD, &head)?;
        Ok(writer)
    }

    /// Adds one file with the symbols that it defines.
    ///
    /// # Errors
    /// The errors of the stream.
    pub fn add_document(&mut self, document: SourceDocument, symbols: Vec<WrittenSymbol>) -> io::Result<()> {
        let language = document.language.clone();
        let message = Document {
            relative_path: document.path,
            language: document.language,
            text: document.text.unwrap_or_default(),
            position_encoding: EnumOrUnknown::new(encoding_of(document.unit)),
            occurrences: document.names.into_iter().map(occurrence_of).collect(),
            symbols: symbols.into_iter().map(|symbol| information_of(symbol, &language)).collect(),
            ..Document::default()
        };
        self.write_field(DOCUMENT, &message)
    }

    /// Ends the index and returns the stream.
    ///
    /// # Errors
    /// The errors of the stream.
    pub fn finish(mut self) -> io::Result<W> {
        self.to.flush()?;
        Ok(self.to)
    }

    fn write_field(&mut self, number: u64, message: &impl Message) -> io::Result<()> {
        let bytes = message.write_to_bytes().map_err(io::Error::other)?;
        self.write_varint((number << 3) | WITH_LENGTH)?;
        self.write_varint(bytes.len() as u64)?;
        self.to.write_all(&bytes)
    }

    fn write_varint(&mut self, mut value: u64) -> io::Result<()> {
        while value >= 0x80 {
            self.to.write_all(&[value as u8 | 0x80])?;
            value >>= 7;
        }
        self.to.write_all(&[value as u8])
    }
}

fn encoding_of(unit: ColumnUnit) -> PositionEncoding {
    match unit {
        ColumnUnit::Utf8 => PositionEncoding::UTF8CodeUnitOffsetFromLineStart,
        ColumnUnit::Utf16 => PositionEncoding::UTF16CodeUnitOffsetFromLineStart,
        ColumnUnit::Utf32 => PositionEncoding::UTF32CodeUnitOffsetFromLineStart,
    }
}

fn occurrence_of(name: SourceName) -> Occurrence {
    let role = |is: bool, role: SymbolRole| if is { role as i32 } else { 0 };
    Occurrence {
        // Present readers know these numbers; few know the messages that are to replace them.
        range: numbers_of(name.span),
        enclosing_range: name.lines.map(numbers_of).unwrap_or_default(),
        symbol: name.symbol,
        symbol_roles: role(name.is_definition, SymbolRole::Definition)
            | role(name.is_import, SymbolRole::Import),
        ..Occurrence::default()
    }
}

fn numbers_of(span: SourceSpan) -> Vec<i32> {
    let all = [span.line, span.col, span.end_line, span.end_col];
    let is_on_one_line = span.line == span.end_line;
    let kept = all.into_iter().enumerate().filter(|(at, _)| !(is_on_one_line && *at == 2));
    kept.map(|(_, number)| i32::try_from(number).unwrap_or(i32::MAX)).collect()
}

fn information_of(symbol: WrittenSymbol, language: &str) -> SymbolInformation {
    let signature =
        Signature { language: language.to_owned(), text: symbol.signature, ..Signature::default() };
    let implements =
        |other: String| Relationship { symbol: other, is_implementation: true, ..Relationship::default() };
    SymbolInformation {
        kind: EnumOrUnknown::new(kind_of(symbol.kind)),
        display_name: symbol.name,
        documentation: Some(symbol.doc).filter(|doc| !doc.is_empty()).into_iter().collect(),
        signature_documentation: Some(signature).filter(|one| !one.text.is_empty()).into(),
        relationships: symbol.implements.into_iter().map(implements).collect(),
        symbol: symbol.symbol,
        ..SymbolInformation::default()
    }
}

/// Converts hob's word for a kind to SCIP's kind.
fn kind_of(word: &str) -> Kind {
    match word {
        "module" => Kind::Module,
        "class" => Kind::Class,
        "struct" => Kind::Struct,
        "interface" => Kind::Interface,
        "trait" => Kind::Trait,
        "enum" => Kind::Enum,
        "function" => Kind::Function,
        "method" => Kind::Method,
        "variable" => Kind::Variable,
        "constant" => Kind::Constant,
        "field" => Kind::Field,
        "type_alias" => Kind::TypeAlias,
        "macro" => Kind::Macro,
        "file" => Kind::File,
        _ => Kind::UnspecifiedKind,
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::{IndexPart, ScipError, read_index};
    use super::*;

    fn document() -> SourceDocument {
        let name = |col, is_definition| SourceName {
            span: SourceSpan { line: 3, col, end_line: 3, end_col: col + 2 },
            symbol: "hob . . . a.".to_owned(),
            is_definition,
            is_import: false,
            lines: is_definition.then_some(SourceSpan { line: 2, col: 0, end_line: 5, end_col: 1 }),
        };
        SourceDocument {
            path: "src/a.py".to_owned(),
            language: "Python".to_owned(),
            text: None,
            unit: ColumnUnit::Utf16,
            names: vec![name(4, true), name(9, false)],
            relations: Vec::new(),
        }
    }

    fn head() -> IndexHead {
        IndexHead {
            tool: "hob".to_owned(),
            tool_version: "1".to_owned(),
            project_root: "file:///p".to_owned(),
        }
    }

    fn written() -> Vec<u8> {
        let mut writer = IndexWriter::begin(Vec::new(), &head()).expect("memory");
        let symbol = WrittenSymbol {
            symbol: "hob . . . a.".to_owned(),
            kind: "class",
            implements: vec!["hob . . . b.".to_owned()],
            ..WrittenSymbol::default()
        };
        writer.add_document(document(), vec![symbol]).expect("memory");
        writer.finish().expect("memory")
    }

    fn parts_of(bytes: &[u8]) -> Result<Vec<IndexPart>, ScipError> {
        let mut parts = Vec::new();
        read_index::<ScipError>(&mut &*bytes, &mut |part| {
            parts.push(part);
            Ok(())
        })?;
        Ok(parts)
    }

    #[test]
    fn what_is_written_is_read_again() {
        let parts = parts_of(&written()).expect("an index");
        let [IndexPart::Head(first), IndexPart::Document(second)] = &parts[..] else {
            panic!("{parts:?}");
        };
        assert_eq!(*first, head());
        let mut expected = document();
        expected.relations = second.relations.clone();
        assert_eq!(*second, expected);
        assert_eq!(second.relations.len(), 1);
        assert!(second.relations[0].is_implementation);
    }

    #[test]
    fn other_bytes_are_no_index() {
        let whole = written();
        let documents_only = {
            let mut writer = IndexWriter { to: Vec::new() };
            writer.add_document(document(), Vec::new()).expect("memory");
            writer.to
        };
        let cases: [&[u8]; 7] = [
            b"",
            b"{\"metadata\": {}}",
            b"export const a = 1;\n",
            &[0xff; 40],
            &whole[..whole.len() - 1],
            &documents_only,
            b"\x0a\x02\xff\xff",
        ];
        for bytes in cases {
            assert!(matches!(parts_of(bytes), Err(ScipError::NotAnIndex(_))), "{bytes:?}");
        }
        let huge = [&[0x0a, 0x00, 0x12][..], &[0xff, 0xff, 0xff, 0xff, 0x0f]].concat();
        assert!(matches!(parts_of(&huge), Err(ScipError::TooLarge(_))));
    }
}
