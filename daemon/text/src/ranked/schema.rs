//! Defines the documents of the ranked index, and the storage of their fields.
//!
//! A document has five fields of text, each counted separately, without positions (they would double the
//! index; see `query` on phrases) and without stored text (names and places come from the map, lines from the
//! file). Four numbers identify the file and definition of a document.

use tantivy::TantivyDocument;
use tantivy::schema::{
    FAST, Field, INDEXED, IndexRecordOption, NumericOptions, Schema, TextFieldIndexing, TextOptions,
};
use tantivy::tokenizer::{TextAnalyzer, Token, TokenStream, Tokenizer, TokenizerManager};

use super::tokens::Splitter;

/// The form of the index on disk, the order of its documents included, and of its tokens; every change of either raises it.
pub(super) const VERSION: u32 = 3;

/// The name of the tokenizer.
const TOKENIZER: &str = "code";

/// The kind of item that a document stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum DocKind {
    /// A definition in code.
    Symbol,
    /// A part of a note under a heading.
    Section,
    /// A whole Markdown file.
    Note,
    /// Any other file, whole.
    File,
}

impl DocKind {
    /// Every kind, in order of its number on disk.
    pub const ALL: [Self; 4] = [Self::Symbol, Self::Section, Self::Note, Self::File];
}

/// The likelihood that a question means such a document, all else being equal.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum Prior {
    /// An ordinary document, at full score.
    #[default]
    Plain,
    /// A test, or code that belongs to tests.
    Test,
    /// Translations, generated and third-party files, data.
    Data,
    /// Text for people: manuals, release notes.
    Prose,
    /// A variable, constant or field, which other code uses.
    Value,
}

/// One document. The same text may be in several fields.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RankedDoc<'t> {
    /// 0 for the file itself, else one more than the definition's place in the file's facts.
    pub slot: u32,
    /// The kind of item that the document stands for.
    pub kind: DocKind,
    /// The prior of the document.
    pub prior: Prior,
    /// The definition's or file's own name.
    pub name: &'t str,
    /// The names around it: path, enclosing definitions.
    pub context: &'t str,
    /// Header on one line.
    pub signature: &'t str,
    /// Documentation of the definition; may be empty.
    pub doc: &'t str,
    /// All further text of the definition.
    pub body: &'t str,
}

impl RankedDoc<'_> {
    /// Returns the length of all texts.
    pub(super) fn text_bytes(&self) -> usize {
        [self.name, self.context, self.signature, self.doc, self.body].iter().map(|text| text.len()).sum()
    }
}

/// Handles of the schema's fields.
#[derive(Clone, Copy, Debug)]
pub(super) struct Fields {
    /// The fields for name, context, signature, doc, body.
    pub(super) texts: [Field; TEXTS],
    pub(super) file: Field,
    slot: Field,
    tag: Field,
    version: Field,
}

/// Number of fields of text.
pub(super) const TEXTS: usize = 5;

/// Most values of a document, and the most bytes of one that tantivy keeps beside its text.
const VALUES: usize = TEXTS + 4;
const VALUE_BYTES: usize = 8;

/// The names of the columns.
pub(super) const FILE: &str = "file";
pub(super) const SLOT: &str = "slot";
pub(super) const TAG: &str = "tag";
pub(super) const VERSION_OF: &str = "version";

impl Fields {
    pub(super) fn build_schema() -> (Schema, Self) {
        let mut schema = Schema::builder();
        let indexing = TextFieldIndexing::default()
            .set_tokenizer(TOKENIZER)
            .set_fieldnorms(true)
            .set_index_option(IndexRecordOption::WithFreqs);
        let text = TextOptions::default().set_indexing_options(indexing);
        let texts = ["name", "context", "signature", "doc", "body"];
        let texts = texts.map(|name| schema.add_text_field(name, text.clone()));
        let column = || NumericOptions::from(FAST);
        let fields = Self {
            texts,
            file: schema.add_u64_field(FILE, column() | INDEXED),
            slot: schema.add_u64_field(SLOT, column()),
            tag: schema.add_u64_field(TAG, column()),
            version: schema.add_u64_field(VERSION_OF, column()),
        };
        (schema.build(), fields)
    }

    /// Returns the document as tantivy takes it. Only the file's own document has a `version`.
    pub(super) fn tantivy_document(&self, file: u64, version: u64, doc: &RankedDoc<'_>) -> TantivyDocument {
        let mut out = TantivyDocument::with_capacity(doc.text_bytes() + VALUE_BYTES * VALUES);
        for (field, text) in self.texts.iter().zip([doc.name, doc.context, doc.signature, doc.doc, doc.body])
        {
            if !text.is_empty() {
                out.add_text(*field, text);
            }
        }
        out.add_u64(self.file, file);
        out.add_u64(self.slot, doc.slot.into());
        out.add_u64(self.tag, tag_of(doc.kind, doc.prior));
        if doc.slot == 0 {
            out.add_u64(self.version, version);
        }
        out
    }
}

fn tag_of(kind: DocKind, prior: Prior) -> u64 {
    u64::from(kind as u8) | u64::from(prior as u8) << 2
}

/// Splits a number of `tag` into kind and prior; an unknown number becomes an ordinary file.
pub(super) fn split_tag(tag: u64) -> (DocKind, Prior) {
    let prior = match tag >> 2 {
        1 => Prior::Test,
        2 => Prior::Data,
        3 => Prior::Prose,
        4 => Prior::Value,
        _ => Prior::Plain,
    };
    (DocKind::ALL[(tag & 3) as usize], prior)
}

/// Registers the tokenizer in an index.
pub(super) fn register_tokenizer(tokenizers: &TokenizerManager) {
    tokenizers.register(TOKENIZER, TextAnalyzer::from(CodeTokenizer::default()));
}

#[derive(Clone, Debug, Default)]
struct CodeTokenizer {
    splitter: Splitter,
    /// The tokens back to back; `ends` has the end of each.
    text: String,
    ends: Vec<usize>,
    token: Token,
}

impl Tokenizer for CodeTokenizer {
    type TokenStream<'a> = CodeTokens<'a>;

    fn token_stream<'a>(&'a mut self, text: &'a str) -> CodeTokens<'a> {
        let Self { splitter, text: arena, ends, token } = self;
        arena.clear();
        ends.clear();
        splitter.split(text, &mut |_, token| {
            arena.push_str(token);
            ends.push(arena.len());
        });
        token.reset();
        CodeTokens { text: arena, ends, token, next: 0, start: 0 }
    }
}

/// A stream of tokens without offsets, because the index stores nothing that needs them.
struct CodeTokens<'a> {
    text: &'a str,
    ends: &'a [usize],
    token: &'a mut Token,
    next: usize,
    start: usize,
}

impl TokenStream for CodeTokens<'_> {
    fn advance(&mut self) -> bool {
        let Some(&end) = self.ends.get(self.next) else { return false };
        self.token.text.clear();
        self.token.text.push_str(&self.text[self.start..end]);
        self.token.position = self.next;
        (self.start, self.next) = (end, self.next + 1);
        true
    }

    fn token(&self) -> &Token {
        self.token
    }

    fn token_mut(&mut self) -> &mut Token {
        self.token
    }
}
