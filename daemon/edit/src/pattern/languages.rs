//! Lists the languages of patterns, and the character that stands for `$` in each grammar.
//!
//! A pattern is code, and its grammar must be able to parse it with the variables in place. Where `$` may be part of a
//! name, the pattern is parsed as it stands; elsewhere each `$` of a variable becomes a letter that the grammar accepts
//! and that nobody writes. ast-grep's own table of languages would bring its own grammars, and the C library behind
//! them can be linked only once, so this table describes the grammars that the caller hands over.

use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;

use ast_grep_core::language::Language;
use ast_grep_core::matcher::{Pattern, PatternBuilder, PatternError};
use ast_grep_core::tree_sitter::{LanguageExt, StrDoc, TSLanguage};
use tree_sitter::Tree;

use super::bounds;

/// Parses a text into a tree; `None` when that takes too long, or would crash the grammar.
pub type Parse = dyn Fn(&[u8]) -> Option<Tree> + Send + Sync;

/// A grammar, and the function that parses with it. Both belong to the caller, because only the caller knows which
/// texts a grammar must not get.
#[derive(Clone)]
pub struct PatternGrammar {
    /// The grammar. For PHP it must be the one for code alone, without the text around it.
    pub language: tree_sitter::Language,
    /// Parses files, and patterns.
    pub parse: Arc<Parse>,
}

impl fmt::Debug for PatternGrammar {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "Grammar({:?})", self.language)
    }
}

/// A language of patterns.
#[derive(PartialEq, Eq, Debug)]
pub struct PatternLanguage {
    /// Its tag in node IDs: `py`, `ts`, ... The files of `js` are those of `jsx` too.
    pub id: &'static str,
    /// Other names for it.
    pub names: &'static [&'static str],
    /// The character that stands for `$` while the grammar parses.
    expando: char,
}

/// `$` itself, where it is part of a name or is at least accepted as one.
const AS_IT_IS: char = '$';
/// The micro sign, a letter in Unicode.
const MICRO: char = 'µ';
/// A letter of Linear B: C's grammars accept no Latin-1 letter in names.
const LINEAR_B: char = '𐀀';

const fn language_row(id: &'static str, names: &'static [&'static str], expando: char) -> PatternLanguage {
    PatternLanguage { id, names, expando }
}

/// Every language, in the order in which people see them.
pub static LANGUAGES: &[PatternLanguage] = &[
    language_row("py", &["python"], MICRO),
    language_row("ts", &["typescript"], AS_IT_IS),
    language_row("tsx", &[], AS_IT_IS),
    language_row("js", &["javascript", "jsx"], AS_IT_IS),
    language_row("rs", &["rust"], MICRO),
    language_row("go", &["golang"], MICRO),
    language_row("java", &[], AS_IT_IS),
    language_row("c", &[], LINEAR_B),
    language_row("cpp", &["c++", "cc", "cxx"], LINEAR_B),
    language_row("cs", &["csharp", "c#"], MICRO),
    language_row("rb", &["ruby"], MICRO),
    language_row("php", &[], MICRO),
    language_row("kt", &["kotlin"], MICRO),
    language_row("swift", &[], MICRO),
    language_row("scala", &[], AS_IT_IS),
    language_row("lua", &[], AS_IT_IS),
    language_row("sh", &["bash", "shell"], AS_IT_IS),
];

impl PatternLanguage {
    /// Returns the language with this tag or name, in any case.
    #[must_use]
    pub fn language_named(name: &str) -> Option<&'static Self> {
        let is_it = |known: &&str| known.eq_ignore_ascii_case(name);
        LANGUAGES.iter().find(|row| is_it(&row.id) || row.names.iter().any(is_it))
    }
}

/// A language together with its grammar, in the form that the matcher needs.
#[derive(Clone)]
pub(super) struct BoundLanguage {
    pub(super) language: &'static PatternLanguage,
    pub(super) grammar: PatternGrammar,
}

impl BoundLanguage {
    /// Parses a file; returns its tree with its text.
    pub(super) fn parse_document(&self, text: &str) -> Option<StrDoc<Self>> {
        let tree = (self.grammar.parse)(text.as_bytes())?;
        Some(StrDoc { src: text.to_owned(), lang: self.clone(), tree })
    }
}

impl Language for BoundLanguage {
    fn pre_process_pattern<'q>(&self, query: &'q str) -> Cow<'q, str> {
        match self.language.expando {
            AS_IT_IS => Cow::Borrowed(query),
            expando => Cow::Owned(with_expando(query, expando)),
        }
    }

    fn expando_char(&self) -> char {
        self.language.expando
    }

    fn kind_to_id(&self, kind: &str) -> u16 {
        self.grammar.language.id_for_node_kind(kind, true)
    }

    fn field_to_id(&self, field: &str) -> Option<u16> {
        self.grammar.language.field_id_for_name(field).map(std::num::NonZero::get)
    }

    fn build_pattern(&self, builder: &PatternBuilder<'_>) -> Result<Pattern, PatternError> {
        builder.build(|source| {
            let document =
                self.parse_document(source).ok_or_else(|| "its grammar cannot read it".to_owned())?;
            bounds::check_pattern_tree(&document.tree)?;
            Ok(document)
        })
    }
}

impl LanguageExt for BoundLanguage {
    fn get_ts_language(&self) -> TSLanguage {
        self.grammar.language.clone()
    }
}

/// Replaces the `$` of variables in `query` by `expando`: those before a capital or `_`, and three of them before
/// anything. Any other `$` belongs to the code.
fn with_expando(query: &str, expando: char) -> String {
    let mut out = String::with_capacity(query.len() + 8);
    let mut dollars = 0;
    for c in query.chars().map(Some).chain([None]) {
        if c == Some('$') {
            dollars += 1;
            continue;
        }
        let is_name = c.is_some_and(|c| c.is_ascii_uppercase() || c == '_');
        let sigil = if is_name || dollars == 3 { expando } else { '$' };
        out.extend(std::iter::repeat_n(sigil, dollars).chain(c));
        dollars = 0;
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dollars_of_variables_alone_are_replaced() {
        let replaced = |query| with_expando(query, 'µ');
        assert_eq!(replaced("f($A, $$B, $$$C, $_)"), "f(µA, µµB, µµµC, µ_)");
        assert_eq!(replaced("f($$$)"), "f(µµµ)");
        assert_eq!(replaced("$a $1 $$ $"), "$a $1 $$ $");
        assert_eq!(replaced("$$$"), "µµµ");
    }

    #[test]
    fn languages_are_known_by_tag_and_name() {
        assert_eq!(PatternLanguage::language_named("Python").map(|row| row.id), Some("py"));
        assert_eq!(PatternLanguage::language_named("tsx").map(|row| row.id), Some("tsx"));
        assert_eq!(PatternLanguage::language_named("cobol"), None);
    }
}
