//! Reads what a file itself says about the names at several of its places, with one parse for all of them.
//!
//! A question about a name asks whether its file binds it, what stands before it, and whether it names an argument; one
//! about a function asks so for each name in it. The meaning of the names is found elsewhere ([`crate::meaning`]).

use hob_base::LineIndex;
use hob_base::line_index::Utf16Position;

use crate::extract::read_tree;
use crate::langs::lang::Lang;
use crate::locals::{LocalName, NamePlace, local_name_in};
use crate::parse::Patience;
use crate::receiver::{ReceiverExpr, ReceiverReader};
use crate::syntax::Tree;

/// Holds the facts that a file states about the name at a place; none in languages without rules for lexical scopes.
#[derive(Clone, Default, PartialEq, Eq, Debug)]
pub struct PlaceReading {
    /// The bindings of the name, if the file binds it; see [`crate::locals::local_name_at`].
    pub local: Option<LocalName>,
    /// The expression before the name, if it is a member's, the language's values are followed, and the expression has one
    /// of their forms.
    pub receiver: Option<ReceiverExpr>,
    /// The place of the name of the called function, if the name is an argument's: `f` for `x` in `f(x=1)`.
    pub callee: Option<NamePlace>,
}

/// Reads a text once, and returns what it says about the names at some places, in their order; nothing about those for
/// which `patience` did not suffice.
#[must_use]
pub fn read_places(
    lang: Option<Lang>,
    source: &[u8],
    places: &[NamePlace],
    patience: Patience<'_>,
) -> Vec<PlaceReading> {
    let index = LineIndex::new(source);
    let read_all = |tree: &Tree, lang: Lang| {
        let read = |at: &NamePlace| {
            // Each name goes through the whole tree.
            let reading = patience().then(|| reading_in(lang, tree, source, &index, *at)).flatten();
            reading.unwrap_or_default()
        };
        places.iter().map(read).collect()
    };
    let has_rules = |lang: &Lang| lang.spec().is_some_and(|spec| spec.source.lexical_scopes.is_some());
    let read = lang
        .filter(has_rules)
        .and_then(|lang| read_tree(lang, source, patience, |tree| read_all(tree, lang)));
    read.unwrap_or_else(|| vec![PlaceReading::default(); places.len()])
}

/// Reads a text for the name at one place.
#[must_use]
pub fn read_place(lang: Option<Lang>, source: &[u8], at: NamePlace, patience: Patience<'_>) -> PlaceReading {
    read_places(lang, source, &[at], patience).pop().unwrap_or_default()
}

fn reading_in(
    lang: Lang,
    tree: &Tree,
    source: &[u8],
    index: &LineIndex,
    at: NamePlace,
) -> Option<PlaceReading> {
    let rules = lang.spec()?.source.lexical_scopes?;
    let offset = index.offset(source, Utf16Position { line: at.line, col: at.col })? as usize;
    let members = rules.members.map(|rules| ReceiverReader { rules, source, index });
    Some(PlaceReading {
        local: local_name_in(rules, tree, source, index, at),
        receiver: members.as_ref().and_then(|reader| reader.receiver_expression(tree, offset)),
        callee: members.as_ref().and_then(|reader| reader.callee_with_argument(tree, offset)),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::locals::local_name_at;

    #[test]
    fn one_reading_says_what_a_reading_for_each_place_says() {
        let texts = [
            (Lang::Python, "import os\ndef f(a):\n    b = a.go(key=os.sep)[0].run\n    return b\n"),
            (
                Lang::TypeScript,
                "import { x } from 'x';\nfunction f(a) { const b = x.go(a)[0].run(); return b; }\n",
            ),
            (Lang::Go, "package a\nfunc f(a int) int { b := g(a); return b.c }\n"),
        ];
        for (lang, text) in texts {
            let places: Vec<NamePlace> = (1..=text.lines().count() as u32)
                .flat_map(|line| (1..60).map(move |col| NamePlace { line, col }))
                .collect();
            let (lang, source) = (Some(lang), text.as_bytes());
            let read = read_places(lang, source, &places, &|| true);
            assert!(read.iter().any(|one| one.local.is_some()));
            for (at, one) in places.iter().zip(read) {
                assert_eq!(one.local, local_name_at(lang, source, *at, &|| true), "{at:?} of {text}");
                assert_eq!(one, read_place(lang, source, *at, &|| true), "{at:?} of {text}");
            }
        }
        let (past_the_end, nowhere) = (NamePlace { line: 99, col: 1 }, NamePlace { line: 0, col: 0 });
        let (lang, text) = (Some(texts[0].0), texts[0].1.as_bytes());
        let nothing = [PlaceReading::default(), PlaceReading::default()];
        assert_eq!(read_places(lang, text, &[past_the_end, nowhere], &|| true), nothing);
        let known = [NamePlace { line: 2, col: 7 }, NamePlace { line: 4, col: 12 }];
        assert_ne!(read_places(lang, text, &known, &|| true), nothing);
        assert_eq!(read_places(lang, text, &known, &|| false), nothing);
        let python = b"import os\nf(key=os.sep)\n";
        let read = read_place(Some(Lang::Python), python, NamePlace { line: 2, col: 3 }, &|| true);
        assert_eq!(read.callee, Some(NamePlace { line: 2, col: 1 }));
        let read = read_place(Some(Lang::Python), python, NamePlace { line: 2, col: 10 }, &|| true);
        assert_eq!(read.receiver, Some(ReceiverExpr::Name("os".into())));
        assert_eq!(
            read_places(None, b"x", &[NamePlace { line: 1, col: 1 }], &|| true),
            [PlaceReading::default()]
        );
    }
}
