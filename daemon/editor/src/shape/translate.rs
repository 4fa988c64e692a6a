//! Translates columns between servers, which all count in UTF-16, and an editor that does not.
//!
//! A column has a meaning only in its document, so the walk over a message knows the document of each position: the
//! nearest `uri` around it, whatever it names, and the question's document where there is none. A position in a
//! document whose text is unknown stays as it is: on lines of ASCII it is right, and a guess would not be better.
//!
//! Not touched: servers' own values (`data`, and the `arguments` of commands), because servers must get them back
//! unchanged; `contentChanges`, whose columns count in texts between two changes; and the numbers of semantic tokens,
//! which such an editor is not offered.

use std::sync::Arc;

use rustc_hash::FxHashMap;
use serde_json::{Map, Value};

use super::encoding::Encoding;
use super::offsets::{self, Position};

/// The documents of a message's positions.
#[derive(Clone, Copy)]
pub(crate) struct MessageDocuments<'a> {
    /// The URI of the question's document; empty if there is none. Answers often do not repeat it.
    pub(crate) asked: &'a str,
    /// Returns the text of a document as the server has it, by its URI.
    pub(crate) texts: &'a dyn Fn(&str) -> Option<Arc<str>>,
}

/// Translates a message of an editor (parameters, or its answer to a server) into the columns of servers.
pub(crate) fn to_server(mut said: Value, editor: Encoding, documents: MessageDocuments<'_>) -> Value {
    translate_columns(&mut said, editor, Encoding::Utf16, documents);
    said
}

/// Translates a message of a server (an answer, or parameters of its own) into the columns of an editor.
pub(crate) fn to_editor(mut said: Value, editor: Encoding, documents: MessageDocuments<'_>) -> Value {
    translate_columns(&mut said, Encoding::Utf16, editor, documents);
    said
}

fn translate_columns(said: &mut Value, from: Encoding, to: Encoding, documents: MessageDocuments<'_>) {
    if from != to {
        ColumnWalk { from, to, documents, known: FxHashMap::default() }.value(said, documents.asked);
    }
}

/// The fields that the translation never enters.
const OPAQUE: &[&str] = &["data", "arguments", "contentChanges", "initializationOptions", "settings"];

/// A document's text, and the offsets at which its lines begin.
struct DocumentLines {
    text: Arc<str>,
    starts: Vec<usize>,
}

impl DocumentLines {
    fn from_text(text: Arc<str>) -> Self {
        Self { starts: offsets::line_starts(&text), text }
    }
}

struct ColumnWalk<'a> {
    from: Encoding,
    to: Encoding,
    documents: MessageDocuments<'a>,
    /// The documents seen so far, so that each is scanned for lines once.
    known: FxHashMap<String, Option<DocumentLines>>,
}

impl ColumnWalk<'_> {
    /// Translates a value. Recurses as deep as the message is nested, which the parser of the message has bounded.
    fn value(&mut self, value: &mut Value, document: &str) {
        match value {
            Value::Array(values) => values.iter_mut().for_each(|value| self.value(value, document)),
            Value::Object(fields) if fields.len() == 2 && fields.contains_key("line") => {
                self.translate_pair(fields, "line", "character", document);
            }
            Value::Object(fields) => self.translate_object(fields, document),
            _ => {}
        }
    }

    fn translate_object(&mut self, fields: &mut Map<String, Value>, document: &str) {
        let named = |pointer: &[&str]| {
            let mut at = fields.get(pointer[0])?;
            for key in &pointer[1..] {
                at = at.get(key)?;
            }
            at.as_str().map(str::to_owned)
        };
        let own = named(&["uri"]).or_else(|| named(&["textDocument", "uri"]));
        let (target, caller) = (named(&["targetUri"]), named(&["from", "uri"]));
        let own = own.as_deref().unwrap_or(document);
        // Foldings have fields in place of positions.
        self.translate_pair(fields, "startLine", "startCharacter", own);
        self.translate_pair(fields, "endLine", "endCharacter", own);
        let asked = self.documents.asked;
        for (key, value) in fields.iter_mut().filter(|(key, _)| !OPAQUE.contains(&key.as_str())) {
            match (key.as_str(), &mut *value) {
                ("changes" | "relatedDocuments", Value::Object(by_uri)) => {
                    by_uri.iter_mut().for_each(|(uri, value)| self.value(value, uri));
                }
                ("originSelectionRange", _) => self.value(value, asked),
                ("targetRange" | "targetSelectionRange", _) => {
                    self.value(value, target.as_deref().unwrap_or(own));
                }
                // The ranges of calls lie in the caller, which is the question's document unless it is named.
                ("fromRanges", _) => self.value(value, caller.as_deref().unwrap_or(asked)),
                _ => self.value(value, own),
            }
        }
    }

    /// Translates a position in two fields of an object. A position on a missing line stays unchanged: its column is
    /// beyond the end in any encoding.
    fn translate_pair(&mut self, fields: &mut Map<String, Value>, line: &str, column: &str, document: &str) {
        let number = |key: &str| Some(u32::try_from(fields.get(key)?.as_u64()?).unwrap_or(u32::MAX));
        let (Some(line), Some(character)) = (number(line), number(column)) else { return };
        if let Some(translated) = self.translated_column(Position { line, character }, document) {
            fields.insert(column.to_owned(), translated.into());
        }
    }

    fn translated_column(&mut self, position: Position, document: &str) -> Option<u32> {
        if !self.known.contains_key(document) {
            let lines = (self.documents.texts)(document).map(DocumentLines::from_text);
            self.known.insert(document.to_owned(), lines);
        }
        let lines = self.known.get(document)?.as_ref()?;
        let line = offsets::line_at(&lines.text, *lines.starts.get(position.line as usize)?);
        let bytes = offsets::column_to_bytes(line, position.character, self.from);
        Some(offsets::bytes_to_column(line, bytes, self.to))
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    /// Returns two texts: in UTF-8, every column counts double in `a` from the second on, in `b` from the first on.
    fn text_of_uri(uri: &str) -> Option<Arc<str>> {
        match uri {
            "a" => Some("xééééé\nxééééé".into()),
            "b" => Some("éééééé\néééééé".into()),
            _ => None,
        }
    }

    fn position_at(character: u32) -> Value {
        json!({"line": 1, "character": character})
    }

    fn range(start: u32, end: u32) -> Value {
        json!({"start": position_at(start), "end": position_at(end)})
    }

    #[track_caller]
    fn both_ways(utf16: &Value, utf8: &Value) {
        let documents = MessageDocuments { asked: "a", texts: &text_of_uri };
        assert_eq!(to_editor(utf16.clone(), Encoding::Utf8, documents), *utf8);
        assert_eq!(to_server(utf8.clone(), Encoding::Utf8, documents), *utf16);
        assert_eq!(to_editor(utf16.clone(), Encoding::Utf16, documents), *utf16);
    }

    #[test]
    fn a_position_belongs_to_the_nearest_document() {
        both_ways(
            &json!({"textDocument": {"uri": "b"}, "position": position_at(2)}),
            &json!({"textDocument": {"uri": "b"}, "position": position_at(4)}),
        );
        both_ways(
            &json!([{"uri": "b", "range": range(1, 2)}, {"uri": "a", "range": range(1, 2)}, {"range": range(0, 2)}]),
            &json!([{"uri": "b", "range": range(2, 4)}, {"uri": "a", "range": range(1, 3)}, {"range": range(0, 3)}]),
        );
        both_ways(
            &json!({"uri": "b", "diagnostics": [
                {"range": range(1, 2), "relatedInformation": [{"location": {"uri": "a", "range": range(2, 3)}}]},
            ]}),
            &json!({"uri": "b", "diagnostics": [
                {"range": range(2, 4), "relatedInformation": [{"location": {"uri": "a", "range": range(3, 5)}}]},
            ]}),
        );
    }

    #[test]
    fn links_have_two_documents() {
        both_ways(
            &json!([{"originSelectionRange": range(2, 3), "targetUri": "b", "targetRange": range(1, 2),
                     "targetSelectionRange": range(0, 1)}]),
            &json!([{"originSelectionRange": range(3, 5), "targetUri": "b", "targetRange": range(2, 4),
                     "targetSelectionRange": range(0, 2)}]),
        );
    }

    #[test]
    fn edits_name_their_documents() {
        both_ways(
            &json!({"changes": {"a": [{"range": range(2, 2)}], "b": [{"range": range(2, 2)}]},
                    "documentChanges": [{"textDocument": {"uri": "b", "version": 1}, "edits": [{"range": range(1, 1)}]},
                                        {"kind": "delete", "uri": "b"}]}),
            &json!({"changes": {"a": [{"range": range(3, 3)}], "b": [{"range": range(4, 4)}]},
                    "documentChanges": [{"textDocument": {"uri": "b", "version": 1}, "edits": [{"range": range(2, 2)}]},
                                        {"kind": "delete", "uri": "b"}]}),
        );
    }

    #[test]
    fn calls_are_in_the_caller() {
        both_ways(
            &json!([{"from": {"uri": "b", "range": range(0, 1)}, "fromRanges": [range(1, 2)]},
                    {"to": {"uri": "b", "range": range(0, 1)}, "fromRanges": [range(1, 2)]}]),
            &json!([{"from": {"uri": "b", "range": range(0, 2)}, "fromRanges": [range(2, 4)]},
                    {"to": {"uri": "b", "range": range(0, 2)}, "fromRanges": [range(1, 3)]}]),
        );
    }

    #[test]
    fn foldings_have_columns_without_positions() {
        both_ways(
            &json!([{"startLine": 0, "startCharacter": 2, "endLine": 1, "endCharacter": 3}, {"startLine": 0, "endLine": 1}]),
            &json!([{"startLine": 0, "startCharacter": 3, "endLine": 1, "endCharacter": 5}, {"startLine": 0, "endLine": 1}]),
        );
    }

    #[test]
    fn what_is_private_unknown_or_beyond_the_end_stays() {
        let same = json!({
            "data": position_at(2), "command": {"title": "t", "arguments": [position_at(2)]}, "contentChanges": [{"range": range(2, 3)}],
            "location": {"uri": "unknown", "range": range(2, 3)}, "position": {"line": 9, "character": 2},
            "line": 1, "character": 3,
        });
        both_ways(&same, &same);
        let beyond =
            to_editor(position_at(99), Encoding::Utf8, MessageDocuments { asked: "a", texts: &text_of_uri });
        assert_eq!(beyond, position_at(11), "the end of the line");
    }

    #[test]
    fn each_document_is_read_once() {
        let reads = std::cell::Cell::new(0);
        let counted = |uri: &str| {
            reads.set(reads.get() + 1);
            text_of_uri(uri)
        };
        let many = Value::Array(vec![range(1, 2); 50]);
        to_editor(many, Encoding::Utf32, MessageDocuments { asked: "a", texts: &counted });
        assert_eq!(reads.get(), 1);
    }
}
