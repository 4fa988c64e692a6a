//! Lists the kinds that an entity can have, and the words for them.

/// A word that people use for a kind, and the kinds that it may mean, as answers write them.
type KindRow = (&'static str, &'static [&'static str]);

const TYPES: &[&str] = &["class", "struct", "interface", "trait", "enum", "type"];

/// The kinds of definitions in code.
pub const SYMBOLS: &[&str] = &[
    "module",
    "class",
    "struct",
    "interface",
    "trait",
    "enum",
    "function",
    "method",
    "variable",
    "constant",
    "field",
    "type",
    "macro",
    "route",
];

const ROWS: &[KindRow] = &[
    ("function", &["function", "method", "macro"]),
    ("func", &["function", "method", "macro"]),
    ("method", &["method", "function"]),
    ("constructor", &["method", "function"]),
    ("class", TYPES),
    ("struct", TYPES),
    ("interface", &["interface", "trait", "class"]),
    ("trait", &["trait", "interface"]),
    ("enum", &["enum", "class"]),
    ("type", TYPES),
    ("constant", &["constant", "variable", "field", "macro"]),
    ("variable", &["variable", "constant", "field"]),
    ("field", &["field", "variable", "constant"]),
    ("property", &["field", "method", "variable"]),
    ("attribute", &["field", "method", "variable"]),
    ("macro", &["macro", "function", "constant"]),
    ("route", &["route"]),
    ("endpoint", &["route", "function", "method"]),
    ("url", &["route"]),
    ("module", &["module", "file", "folder"]),
    ("namespace", &["module"]),
    ("symbol", SYMBOLS),
    ("file", &["file"]),
    ("folder", &["folder"]),
    ("directory", &["folder"]),
    ("section", &["section", "note"]),
    ("heading", &["section", "note"]),
    ("note", &["note", "file"]),
    ("package", &["package", "external", "folder"]),
    ("dependency", &["package", "external"]),
    ("library", &["package", "external"]),
    ("crate", &["package", "external"]),
    ("branch", &["branch"]),
    ("tag", &["tag"]),
    ("commit", &["commit"]),
];

/// Returns the kinds that a word may mean; `None` if it is no word for a kind.
pub fn kinds_of(word: &str) -> Option<&'static [&'static str]> {
    let word = word.trim().to_lowercase();
    ROWS.iter().find(|(name, _)| *name == word).map(|(_, kinds)| *kinds)
}

/// Returns every word for a kind, for an error about another word.
pub fn kind_words() -> Vec<&'static str> {
    ROWS.iter().map(|(word, _)| *word).collect()
}
