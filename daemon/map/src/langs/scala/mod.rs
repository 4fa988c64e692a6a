//! Scala, 2 and 3.
//!
//! It shares names with Java and Kotlin, whose packages are the same. A class and the object of its name are two definitions, and
//! one as far as members go. Of `package a; package b` the outer one counts as imported whole. What a package object holds is
//! the package's. Methods of an `extension`, and of an implicit class, can be called on values of other types. Members of anonymous
//! classes belong to what they are written in, and `this` in them is unknown.

mod grammar;
mod imports;
mod infer;
mod items;
mod locals;
mod refs;
mod rules;
#[cfg(test)]
mod tests;

use std::cell::RefCell;

use tree_sitter::{Language, Parser};

use super::{Lang, LangSpec, PackageScope, Reader};
use crate::facts::FactsBuilder;
use crate::walk::walk;

/// Its row in the language table.
pub const SPEC: LangSpec = LangSpec {
    lang: Lang::Scala,
    id: "scala",
    name: "Scala",
    extensions: &["scala", "sc", "sbt"],
    interpreters: &["scala", "scala-cli"],
    reader: Reader::Own(read),
    imports: &imports::Packages,
    bare_members: true,
    package_scope: PackageScope::Package,
};

/// Deeper nesting of square brackets is not parsed: the grammar's time grows with its square, to minutes for a file of
/// nothing else. No source written by people comes near it.
const DEEPEST: usize = 500;

thread_local! {
    static PARSER: RefCell<Option<Parser>> = const { RefCell::new(None) };
}

fn language() -> Language {
    tree_sitter_scala::LANGUAGE.into()
}

fn parser() -> Option<Parser> {
    let mut parser = Parser::new();
    parser.set_language(&language()).ok()?;
    Some(parser)
}

fn read(source: &[u8], mut facts: FactsBuilder) -> FactsBuilder {
    let tree = PARSER.with_borrow_mut(|kept| {
        *kept = kept.take().or_else(parser);
        kept.as_mut().filter(|_| !is_too_deep(source))?.parse(source, None)
    });
    let Some(tree) = tree else {
        facts.has_errors();
        return facts;
    };
    if tree.root_node().has_error() {
        facts.has_errors();
    }
    walk(&tree, source, facts, &mut rules::ScalaRules::new())
}

/// Whether square brackets are nested beyond what is parsed; in strings and comments they count too.
fn is_too_deep(source: &[u8]) -> bool {
    let mut depth = 0_usize;
    source.iter().any(|&byte| {
        match byte {
            b'[' => depth += 1,
            b']' => depth = depth.saturating_sub(1),
            _ => {}
        }
        depth > DEEPEST
    })
}
