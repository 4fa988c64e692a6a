//! Offers syntax trees to other crates: grammars and parsing with the map's safeguards.
//!
//! A structural search needs the trees from which facts are read, and the same care: text that would abort a grammar's
//! scanner is not parsed, and text that takes too many steps has no tree. This module does not interpret trees.

use std::cell::RefCell;

use tree_sitter::{Language, Tree};

use crate::bounded::{self, BoundedSession};
use crate::hazards::is_hazardous;
use crate::langs::lang::Lang;
use crate::parse::{ThreadParser, TreeParseInput, may_hold};
use crate::tamed::tame_comments;

thread_local! {
    /// The last parser: a search visits files of one language one after the other.
    static LAST: RefCell<Option<(Lang, ThreadParser)>> = const { RefCell::new(None) };
}

/// Returns the grammar for a piece of code, if the language has one. PHP's is the one without the text around code: a
/// piece is code, and begins without `<?php`.
#[must_use]
pub fn grammar(lang: Lang) -> Option<Language> {
    // A caller with a grammar can make a parser.
    bounded::install_allocator();
    grammar_of(lang)?()
}

fn grammar_of(lang: Lang) -> Option<fn() -> Option<Language>> {
    if let Some(grammar) = lang.source_rules().piece_grammar {
        return Some(grammar);
    }
    lang.spec()?.reader.grammar()
}

/// Returns the tree of `source`, by [`grammar`]; `None` if there is no grammar, or parsing is not safe or takes too
/// much.
#[must_use]
pub fn parse_tree(lang: Lang, source: &[u8]) -> Option<Tree> {
    let grammar = grammar_of(lang)?;
    if is_hazardous(lang, source) {
        return None;
    }
    let last = LAST.with_borrow_mut(|last| last.take_if(|(of, _)| *of == lang));
    let mut kept = last.map_or_else(ThreadParser::default, |(_, kept)| kept);
    let session = BoundedSession::begin(may_hold(source.len()));
    let text = tame_comments(lang, source);
    let tree =
        kept.parse(grammar, &TreeParseInput { source: &text, part: None, old: None, patience: &|| true });
    if BoundedSession::was_left() {
        kept.forget_parser();
    }
    drop(session);
    LAST.with_borrow_mut(|last| *last = Some((lang, kept)));
    tree.ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_language_of_code_has_trees() {
        // A language for files with parts in others has no grammar of its own, and SQL has too many.
        let holds_parts =
            |lang: Lang| matches!(lang, Lang::Vue | Lang::Svelte | Lang::Astro | Lang::Html | Lang::Notebook);
        let is_read_otherwise = |lang: Lang| lang.is_prose() || holds_parts(lang) || lang == Lang::Sql;
        let is_code = |lang: &Lang| !is_read_otherwise(*lang) && lang.spec().is_some();
        for lang in Lang::ALL.into_iter().filter(is_code) {
            let tree = parse_tree(lang, b"a").expect("a small file");
            assert_eq!(tree.root_node().end_byte(), 1, "{lang:?}");
        }
        assert!(grammar(Lang::Php).is_some() && grammar(Lang::Manifest).is_none());
        let code = parse_tree(Lang::Php, b"f($x);").expect("a small file");
        assert!(!code.root_node().has_error(), "{}", code.root_node());
    }

    #[test]
    fn what_ends_a_scanner_has_no_tree() {
        let deep = (0..600).map(|depth| format!("{}if x:\n", " ".repeat(depth))).collect::<String>();
        assert!(parse_tree(Lang::Python, deep.as_bytes()).is_none());
        assert!(parse_tree(Lang::Python, b"x = 1\n").is_some());
    }
}
