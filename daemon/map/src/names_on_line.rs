//! Finds the names on one line of a text: those that it defines, and all that it contains.
//!
//! Keywords, comments and the insides of strings are no names, by the grammar. Without a grammar, or if it cannot read
//! the text, every word counts that is not a keyword in most languages.

use hob_base::LineIndex;
use hob_base::line_index::utf16_len;

use crate::extract::{extract_within, read_tree};
use crate::facts::Def;
use crate::langs::lang::Lang;
use crate::parse::Patience;
use crate::syntax::{Node, Tree};

/// A name and its place on its line.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct NameAt {
    /// The name as it is written.
    pub name: String,
    /// 1-based UTF-16 column of the name's first character.
    pub col: u32,
}

/// The names on a line, from left to right.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct LineNames {
    /// Names of definitions, except those inside another definition of the line.
    pub defined: Vec<NameAt>,
    /// Every name on the line.
    pub mentioned: Vec<NameAt>,
}

/// Finds the names on a 1-based line; none if the text has no such line. `lang` is the language of the text, if it is
/// known; once `patience` returns false, words stand in for names.
#[must_use]
pub fn names_on_line(lang: Option<Lang>, source: &[u8], line: u32, patience: Patience<'_>) -> LineNames {
    let index = LineIndex::new(source);
    let Some(range) = index.line_range(line) else { return LineNames::default() };
    let text = &source[range.clone()];
    let column = |at: usize| 1 + utf16_len(source.get(range.start..at).unwrap_or_default());
    let named = |(from, to): (usize, usize)| {
        let name = String::from_utf8_lossy(source.get(from..to).unwrap_or_default()).into_owned();
        NameAt { name, col: column(from) }
    };
    let by_grammar =
        |lang| read_tree(lang, source, patience, |tree| identifiers_in(tree, range.start, range.end));
    let places = match lang.and_then(by_grammar) {
        Some(places) => places,
        None => {
            words_in_line(text).into_iter().map(|(from, to)| (range.start + from, range.start + to)).collect()
        }
    };
    LineNames {
        defined: lang.map(|lang| names_defined_on(lang, source, line, patience)).unwrap_or_default(),
        mentioned: places.into_iter().map(named).filter(|one| is_name(&one.name)).collect(),
    }
}

fn names_defined_on(lang: Lang, source: &[u8], line: u32, patience: Patience<'_>) -> Vec<NameAt> {
    let facts = extract_within(lang, "", source, patience);
    let here: Vec<&Def> = facts.defs.iter().filter(|def| def.name_at.0 == line).collect();
    let is_within = |def: &Def, other: &Def| {
        let (inner, outer) = (def.bytes, other.bytes);
        inner != outer && outer.0 <= inner.0 && inner.1 <= outer.1
    };
    let outermost = here.iter().filter(|def| !here.iter().any(|other| is_within(def, other)));
    let mut names: Vec<NameAt> = outermost
        .map(|def| NameAt { name: facts.name(def.name).to_owned(), col: def.name_at.1.max(1) })
        .collect();
    names.sort_by_key(|one| one.col);
    names
}

/// Returns the byte ranges of the identifiers that begin within a range, in order.
fn identifiers_in(tree: &Tree, from: usize, to: usize) -> Vec<(usize, usize)> {
    let mut found = Vec::new();
    let mut cursor = tree.walk();
    loop {
        let node = cursor.node();
        let is_here = node.start_byte() <= to && node.end_byte() > from;
        if is_here && node.is_leaf() && is_identifier(node) && node.start_byte() >= from {
            found.push((node.start_byte(), node.end_byte()));
        }
        if is_here && cursor.goto_first_child() {
            continue;
        }
        while !cursor.goto_next_sibling() {
            if !cursor.goto_parent() {
                return found;
            }
        }
    }
}

/// Returns true if a leaf of a tree is a name, by its kind: grammars use similar kinds for names.
fn is_identifier(leaf: Node<'_>) -> bool {
    const OTHERS: &[&str] = &[
        "class_variable",
        "constant",
        "global_variable",
        "instance_variable",
        "name",
        "variable_name",
        "word",
    ];
    let kind = leaf.kind();
    leaf.is_named() && (kind.contains("identifier") || OTHERS.contains(&kind))
}

/// Returns the byte ranges of a line's words.
fn words_in_line(line: &[u8]) -> Vec<(usize, usize)> {
    let Ok(text) = std::str::from_utf8(line) else { return Vec::new() };
    let mut words: Vec<(usize, usize)> = Vec::new();
    for (at, c) in text.char_indices().filter(|(_, c)| c.is_alphanumeric() || *c == '_') {
        match words.last_mut().filter(|(_, end)| *end == at) {
            Some((_, end)) => *end = at + c.len_utf8(),
            None => words.push((at, at + c.len_utf8())),
        }
    }
    words.retain(|(from, to)| KEYWORDS.split(' ').all(|keyword| keyword != &text[*from..*to]));
    words
}

/// Words that are names in hardly any language.
const KEYWORDS: &str = "abstract and as async await begin break case catch class const continue def default defer do else \
    elseif elsif end enum export extends extern false final finally fn for from fun func function if \
    implements import in interface let local match module mut namespace new nil not null or override \
    package private protected pub public return static struct switch then throw trait true try type \
    union use using val var void when where while with yield";

/// Returns true if a text can be a name: a number or an option of a shell's command cannot.
fn is_name(text: &str) -> bool {
    let mut chars = text.trim_start_matches(['$', '@', '#', '`']).chars();
    chars.next().is_some_and(|first| first.is_alphabetic() || first == '_')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown_names(lang: Option<Lang>, source: &str, line: u32) -> (Vec<String>, Vec<String>) {
        let shown =
            |names: Vec<NameAt>| names.into_iter().map(|one| format!("{}:{}", one.name, one.col)).collect();
        let found = names_on_line(lang, source.as_bytes(), line, &|| true);
        (shown(found.defined), shown(found.mentioned))
    }

    #[track_caller]
    fn check_line(lang: Lang, source: &str, defined: &[&str], mentioned: &[&str]) {
        let (found, said) = shown_names(Some(lang), source, 1);
        assert_eq!((found, said), (owned_names(defined), owned_names(mentioned)), "{source}");
    }

    fn owned_names(names: &[&str]) -> Vec<String> {
        names.iter().map(|name| (*name).to_owned()).collect()
    }

    #[test]
    fn keywords_comments_and_strings_are_no_names() {
        check_line(Lang::Python, "    return total  # of all 'items'\n", &[], &["total:12"]);
        check_line(
            Lang::Python,
            "def price(self, tax: int) -> int:\n    pass\n",
            &["price:5"],
            &["price:5", "self:11", "tax:17", "int:22", "int:30"],
        );
        check_line(Lang::TypeScript, "export async function load() {}\n", &["load:23"], &["load:23"]);
        check_line(Lang::Go, "return nil, err\n", &[], &["err:13"]);
        check_line(Lang::Rust, "pub fn open(&self) {}\n", &["open:8"], &["open:8"]);
        check_line(Lang::C, "static int count(void) { return 0; }\n", &["count:12"], &["count:12"]);
        check_line(Lang::Ruby, "  @size = 1\n", &[], &["@size:3"]);
        check_line(Lang::Bash, "deploy() { true; }\n", &["deploy:1"], &["deploy:1", "true:12"]);
    }

    #[test]
    fn what_is_written_within_a_definition_is_not_what_the_line_defines() {
        let (defined, _) = shown_names(Some(Lang::TypeScript), "export class A { m() {} n() {} }\n", 1);
        assert_eq!(defined, ["A:14"]);
        let (defined, _) = shown_names(Some(Lang::TypeScript), "export const a = 1, b = 2;\n", 1);
        assert_eq!(defined, ["a:14", "b:21"]);
        let (defined, _) =
            shown_names(Some(Lang::TypeScript), "class A {\n  constructor(private x: X) {}\n}\n", 2);
        assert_eq!(defined, ["constructor:3"]);
    }

    #[test]
    fn columns_count_utf16_units_and_other_lines_count_for_nothing() {
        let source = "x = 1\nprint('\u{1F600}', größe)\n";
        assert_eq!(shown_names(Some(Lang::Python), source, 2).1, ["print:1", "größe:13"]);
        assert_eq!(shown_names(Some(Lang::Python), source, 4), (Vec::new(), Vec::new()));
    }

    #[test]
    fn without_a_grammar_every_word_counts_but_keywords() {
        assert_eq!(shown_names(None, "const x = 10;\n", 1), (Vec::new(), owned_names(&["x:7"])));
        assert_eq!(shown_names(None, "1 + 2\n", 1).1, Vec::<String>::new());
    }
}
