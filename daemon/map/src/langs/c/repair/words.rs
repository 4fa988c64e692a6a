//! Lists the words of C and C++ that can stand before a declared name, and tells what other words look like.

use std::sync::LazyLock;

use rustc_hash::FxHashSet;

use crate::langs::c::grammar::is_keyword;
use crate::langs::c::names::attribute_like;

/// Words that say nothing about the type.
const SPECIFIERS: &[&str] = &[
    "static",
    "extern",
    "inline",
    "const",
    "volatile",
    "register",
    "auto",
    "restrict",
    "typedef",
    "virtual",
    "explicit",
    "friend",
    "constexpr",
    "consteval",
    "constinit",
    "mutable",
    "thread_local",
    "typename",
    "__inline",
    "__inline__",
    "__forceinline",
    "__extension__",
    "__restrict",
    "__restrict__",
    "__const",
    "__volatile__",
    "__thread",
    "_Thread_local",
    "_Noreturn",
    "_Atomic",
    "final",
];
/// Words that are a type.
const PRIMITIVES: &[&str] = &[
    "void",
    "char",
    "short",
    "int",
    "long",
    "float",
    "double",
    "signed",
    "unsigned",
    "bool",
    "_Bool",
    "_Complex",
    "__int128",
    "__signed__",
];
/// The keywords before the tag of a type.
pub(super) const TAGS: &[&str] = &["struct", "union", "enum", "class"];
/// Words that take arguments and declare no name.
pub(super) const CALLED: &[&str] = &[
    "__attribute__",
    "__attribute",
    "__declspec",
    "alignas",
    "_Alignas",
    "asm",
    "__asm__",
    "__asm",
    "typeof",
    "__typeof__",
    "__typeof",
    "decltype",
    "noexcept",
];
/// Returns true if a word belongs to the language and is no macro.
pub(super) fn is_known(word: &str) -> bool {
    static WORDS: LazyLock<FxHashSet<&str>> =
        LazyLock::new(|| [SPECIFIERS, PRIMITIVES, TAGS, CALLED].concat().into_iter().collect());
    WORDS.contains(word) || is_keyword(word)
}

/// Returns true if a word is a type or announces one.
pub(super) fn is_type_word(word: &str) -> bool {
    let is_asked = word.contains("typeof") || word == "decltype";
    is_asked || PRIMITIVES.contains(&word) || TAGS.contains(&word)
}

/// Rates how likely a word is a type rather than a macro, from 0 to 3.
pub(super) fn looks_like_type(word: &str) -> u8 {
    match () {
        () if attribute_like(word) => 0,
        () if word.ends_with("_t") => 3,
        () => 1 + u8::from(word.bytes().any(|byte| byte.is_ascii_lowercase())),
    }
}
