//! Replaces code by structure, in ast-grep's pattern language: `$A` is one node, `$$$A` any number of them.
//!
//! ast-grep parses and matches, and the result is that of its command line: the outermost match first, none within
//! another, the replacement indented as its place is. Two things differ on purpose. A rewrite with a variable that the
//! pattern lacks is refused, where the command line inserts nothing; and new lines end as the file's do. Grammars and
//! trees come from the caller. Nothing here reads a file, and no input ends the process.

mod bounds;
mod languages;
mod variables;

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};

use ast_grep_core::matcher::{Matcher, MatcherExt, Pattern, PatternError as CoreError};
use ast_grep_core::replacer::TemplateFix;
use ast_grep_core::tree_sitter::StrDoc;
use ast_grep_core::{AstGrep, Node};
use hob_base::{CancelToken, Stopped};

pub use languages::{LANGUAGES, Parse, PatternGrammar, PatternLanguage};

use crate::change::Splice;
use crate::lines;
use bounds::Demands;
use languages::BoundLanguage;

/// Number of nodes between two checks whether the caller still waits.
const NODES_PER_CHECK: usize = 1_024;

/// Why a pattern or rewrite cannot be used, in words for its author.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum PatternError {
    /// hob has no such language for patterns.
    #[error("`{0}` is no language that patterns can be written in; known are {known}", known = known_languages())]
    UnknownLanguage(String),
    /// The pattern is empty, or only a comment in a language where comments are no nodes.
    #[error("No AST root is detected. Please check the pattern source `{0}`.")]
    Empty(String),
    /// The pattern has several statements or expressions side by side.
    #[error(
        "Multiple AST nodes are detected. Please check the pattern source `{0}`. A pattern is one expression, statement or \
         definition; several statements are one pattern only within the block that holds them."
    )]
    SeveralRoots(String),
    /// The pattern is `$$$A` alone.
    #[error(
        "Standalone multi meta variable `{0}` is invalid. Use `$VAR` or wrap `$$$VAR` in a larger pattern."
    )]
    OnlyAList(String),
    /// The pattern cannot be parsed, or cannot be matched in reasonable time.
    #[error("the pattern `{pattern}` cannot be used: {why}")]
    Unusable {
        /// The pattern as the caller gave it.
        pattern: String,
        /// The reason, in words.
        why: String,
    },
    /// The pattern or the rewrite is too long.
    #[error("{what} is {bytes} bytes long; at most {} are allowed", bounds::TEXT)]
    TooLong {
        /// The text in question: `pattern` or `rewrite`.
        what: &'static str,
        /// Length of the text in bytes.
        bytes: usize,
    },
    /// The rewrite uses a variable that the pattern does not have.
    #[error("{0}")]
    Variable(String),
    /// The pattern was no whole piece of code, and the part that was understood matched nothing.
    #[error(
        "nothing matches, and the pattern `{0}` is not code that the grammar understands: it has an ERROR node. Write a \
         whole expression, statement or definition; a variable is `$NAME` in capitals."
    )]
    BrokenAndUnmatched(String),
    /// The pattern matched nowhere.
    #[error("nothing matches the pattern `{0}`")]
    Unmatched(String),
}

/// Why a file's matches are not known.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum PatternFileError {
    /// The file is not UTF-8.
    #[error("it is not UTF-8 text")]
    NotText,
    /// The file cannot be parsed in reasonable time.
    #[error("it cannot be parsed")]
    Unparsed,
    /// Matching could take too long or overflow the stack.
    #[error("it is too complex for this pattern: {0}")]
    TooComplex(String),
    /// The replacements are too large.
    #[error("its replacements come to more than {} MiB", bounds::RESULT >> 20)]
    TooLarge,
    /// The matcher failed by a defect of its own.
    #[error("matching failed: {0}")]
    Failed(String),
    /// The caller no longer waits.
    #[error(transparent)]
    Stopped(#[from] Stopped),
}

fn known_languages() -> String {
    LANGUAGES.iter().map(|row| row.id).collect::<Vec<_>>().join(", ")
}

/// Returns the language with this tag or name.
///
/// # Errors
/// [`PatternError::UnknownLanguage`], which lists the known ones.
pub fn pattern_language(name: &str) -> Result<&'static PatternLanguage, PatternError> {
    PatternLanguage::language_named(name).ok_or_else(|| PatternError::UnknownLanguage(name.to_owned()))
}

/// A pattern and its rewrite, ready to be matched against any number of files, by several threads at once.
pub struct PatternEdit {
    source: String,
    tongue: BoundLanguage,
    pattern: Pattern,
    demands: Demands,
    rewrite: String,
    uses_lines: bool,
}

impl PatternEdit {
    /// Parses pattern and rewrite, with the grammar of `language`.
    ///
    /// # Errors
    /// [`PatternError`] when one of them cannot be used.
    pub fn new(
        language: &'static PatternLanguage,
        grammar: PatternGrammar,
        pattern: &str,
        rewrite: &str,
    ) -> Result<Self, PatternError> {
        for (what, text) in [("pattern", pattern), ("rewrite", rewrite)] {
            if text.len() > bounds::TEXT {
                return Err(PatternError::TooLong { what, bytes: text.len() });
            }
        }
        let tongue = BoundLanguage { language, grammar };
        let unusable = |why: String| PatternError::Unusable { pattern: pattern.to_owned(), why };
        let parsed = catch_panic(|| Pattern::try_new(pattern, tongue.clone())).map_err(unusable)?;
        let parsed = parsed.map_err(|error| explain_error(error, pattern))?;
        let demands = bounds::demands_of(&parsed.node).map_err(unusable)?;
        variables::check_variables(&variables::of_pattern(&parsed.node), &variables::of_rewrite(rewrite))
            .map_err(PatternError::Variable)?;
        let uses_lines = rewrite.contains('\n');
        Ok(Self {
            source: pattern.to_owned(),
            tongue,
            pattern: parsed,
            demands,
            rewrite: rewrite.to_owned(),
            uses_lines,
        })
    }

    /// Returns the error for when no file has a match.
    #[must_use]
    pub fn error_unmatched(&self) -> PatternError {
        let source = self.source.clone();
        if self.pattern.has_error() {
            PatternError::BrokenAndUnmatched(source)
        } else {
            PatternError::Unmatched(source)
        }
    }

    /// Returns the replacements in one file, in order and without overlap. Replacements that change nothing are
    /// included, because they are matches.
    ///
    /// # Errors
    /// [`PatternFileError`] when the file's matches cannot be known; other files may be fine.
    pub fn find_splices(
        &self,
        contents: &[u8],
        cancel: &CancelToken,
    ) -> Result<Vec<Splice>, PatternFileError> {
        let text = std::str::from_utf8(contents).map_err(|_| PatternFileError::NotText)?;
        cancel.check()?;
        // Every match has the pattern's longest fixed word in it, so most files need not be parsed.
        if !text.contains(&*self.pattern.fixed_string()) {
            return Ok(Vec::new());
        }
        let document = self.tongue.parse_document(text).ok_or(PatternFileError::Unparsed)?;
        if let Some(why) = self.demands.reason_to_refuse(&document.tree) {
            return Err(PatternFileError::TooComplex(why));
        }
        let template = self.template_for(text);
        catch_panic(|| self.matches(&AstGrep::doc(document), &template, cancel))
            .map_err(PatternFileError::Failed)?
    }

    fn template_for(&self, text: &str) -> TemplateFix {
        let is_crlf = self.uses_lines && lines::line_ending_of(text) == lines::CRLF;
        let rewrite =
            if is_crlf { lines::with_ending(&self.rewrite, lines::CRLF) } else { self.rewrite.clone() };
        // The error type has no values.
        TemplateFix::try_new(&rewrite, &self.tongue)
            .unwrap_or_else(|_| TemplateFix::Textual(self.rewrite.clone()))
    }

    fn matches(
        &self,
        tree: &AstGrep<StrDoc<BoundLanguage>>,
        template: &TemplateFix,
        cancel: &CancelToken,
    ) -> Result<Vec<Splice>, PatternFileError> {
        let kinds = self.pattern.potential_kinds();
        let (root, mut found) = (tree.root(), Vec::new());
        let (mut end, mut size) = (0, 0);
        for (count, node) in root.dfs().enumerate() {
            if count % NODES_PER_CHECK == 0 {
                cancel.check()?;
            }
            let is_candidate = kinds.as_ref().is_none_or(|kinds| kinds.contains(node.kind_id().into()));
            if node.range().start < end || !is_candidate {
                continue;
            }
            let Some(splice) = self.match_at(node, template)? else { continue };
            size += splice.text.len();
            if size > bounds::RESULT {
                return Err(PatternFileError::TooLarge);
            }
            end = splice.range.end;
            found.push(splice);
        }
        Ok(found)
    }

    fn match_at(
        &self,
        node: Node<'_, StrDoc<BoundLanguage>>,
        template: &TemplateFix,
    ) -> Result<Option<Splice>, PatternFileError> {
        let Some(matched) = self.pattern.match_node(node) else { return Ok(None) };
        // The whole node, as on the command line: this includes a separator at its end that the pattern does not
        // mention.
        let edit = matched.replace_by(template);
        let text = String::from_utf8(edit.inserted_text)
            .map_err(|_| PatternFileError::Failed("a replacement is not text".to_owned()))?;
        Ok(Some(Splice { range: edit.position..edit.position + edit.deleted_length, text }))
    }
}

impl std::fmt::Debug for PatternEdit {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(out, "PatternEdit({}: {} -> {})", self.tongue.language.id, self.source, self.rewrite)
    }
}

/// Turns an error of the library, which got the pattern in the grammar's form, into one about the pattern as it was
/// written.
fn explain_error(error: CoreError, pattern: &str) -> PatternError {
    let source = pattern.to_owned();
    match error {
        CoreError::NoContent(_) => PatternError::Empty(source),
        CoreError::MultipleNode(_) => PatternError::SeveralRoots(source),
        CoreError::RootMultiMetaVar(_) => PatternError::OnlyAList(source),
        CoreError::Parse(why) => PatternError::Unusable { pattern: source, why },
        other => PatternError::Unusable { pattern: source, why: other.to_string() },
    }
}

/// Runs `work` and turns a panic into an error: the library panics on some trees that it does not expect, and those are
/// users' code.
fn catch_panic<T>(work: impl FnOnce() -> T) -> Result<T, String> {
    catch_unwind(AssertUnwindSafe(work)).map_err(|panic| panic_message(&*panic))
}

fn panic_message(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().map(|text| (*text).to_owned());
    text.or_else(|| panic.downcast_ref::<String>().cloned()).unwrap_or_else(|| "no reason given".to_owned())
}

#[cfg(test)]
mod tests;
