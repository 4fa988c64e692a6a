//! Takes macros that only the system's own compiler knows out of its headers.
//!
//! The headers of a C library and of C++'s standard library write attributes, exceptions and namespaces by macros of
//! their own (`__THROW`, `_GLIBCXX_NOEXCEPT`), often several at once, so that a grammar takes most declarations for
//! something else. Their names are reserved for compilers, so no program means anything else by them. Blanks replace
//! them, so that every place stays where it was.

use super::lex::{self, CTokenKind, Token};

/// Beginnings of names of attributes, with or without arguments.
const ATTRIBUTES: [&str; 22] = [
    "__attr_",
    "__attribute_",
    "__nonnull",
    "__THROW",
    "__wur",
    "__COLD",
    "__LEAF",
    "__BEGIN_",
    "__END_",
    "__fortified_attr",
    "__fortify_function",
    "__returns_nonnull",
    "__extension__",
    "__DARWIN_",
    "__API_",
    "__OSX_",
    "__IOS_",
    "__LA_",
    "_GLIBCXX",
    "_LIBCPP_",
    "_PSTL_",
    "_LIBC_",
];

/// Names with such a beginning that the grammar knows.
const PLAIN: [&str; 1] = ["__attribute__"];

/// Endings of macros that stand for their arguments.
const PASSING: [&str; 4] = ["_MOVE", "_MOVE3", "_FORWARD", "_CAST"];

/// Most tokens between the brackets of a macro: the search for the closing bracket must not go to the end of the file.
const LONGEST: usize = 1_000;

/// Macros around a function's name and parameters.
const AROUND: [&str; 2] = ["__NTH", "__NTHNL"];

/// Names of the standard library's namespace.
const NAMESPACES: [&str; 2] = ["_GLIBCXX_STD_C", "_GLIBCXX_STD_A"];

/// Returns the text with blanks in the place of those macros, as long as before.
#[must_use]
pub fn without_system_macros(source: &[u8]) -> Vec<u8> {
    let tokens = lex::tokens(source);
    let mut reading = MacroReading { source, tokens: &tokens, text: source.to_vec() };
    let mut at = 0;
    while at < tokens.len() {
        at = reading.take_token(at);
    }
    reading.text
}

/// One pass over a header.
struct MacroReading<'t> {
    source: &'t [u8],
    tokens: &'t [Token],
    text: Vec<u8>,
}

impl MacroReading<'_> {
    /// Takes out the macro that begins at a token; returns the number of the next token to read.
    fn take_token(&mut self, at: usize) -> usize {
        let token = self.tokens[at];
        if token.kind == CTokenKind::Directive {
            self.take_directive(token);
            return at + 1;
        }
        let word = std::str::from_utf8(token.text(self.source)).unwrap_or_default();
        if NAMESPACES.contains(&word) {
            self.blank(token.start, token.end);
            self.text[token.start..token.start + 3].copy_from_slice(b"std");
            return at + 1;
        }
        if AROUND.contains(&word) {
            self.unwrap_arguments(at);
            return at + 1;
        }
        if word.starts_with("__REDIRECT") {
            return self.unwrap_redirect(at);
        }
        let is_attribute = ATTRIBUTES.iter().any(|beginning| word.starts_with(beginning));
        if !is_attribute || PLAIN.contains(&word) {
            return at + 1;
        }
        let passes = PASSING.iter().any(|ending| word.ends_with(ending));
        let close = self.closing(at + 1).filter(|_| !passes);
        let last = close.unwrap_or(at);
        self.blank(token.start, self.tokens[last].end);
        last + 1
    }

    /// Makes `#include      <a.h>` of `#include_next <a.h>`: whoever follows the include knows where the header lies.
    fn take_directive(&mut self, directive: Token) {
        let text = directive.text(self.source);
        let words = text.iter().position(|byte| byte.is_ascii_alphabetic()).map(|at| (at, &text[at..]));
        if let Some((at, _)) = words.filter(|(_, rest)| rest.starts_with(b"include_next")) {
            let start = directive.start + at + b"include".len();
            self.blank(start, start + b"_next".len());
        }
    }

    /// Makes `name (parameters)` of `__NTH (name (parameters))`.
    fn unwrap_arguments(&mut self, at: usize) {
        if let Some(close) = self.closing(at + 1) {
            self.blank(self.tokens[at].start, self.tokens[at + 1].end);
            self.blank(self.tokens[close].start, self.tokens[close].end);
        }
    }

    /// Makes `name (parameters)` of `__REDIRECT (name, (parameters), alias)`; returns the number of the next token to
    /// read.
    fn unwrap_redirect(&mut self, at: usize) -> usize {
        let Some(close) = self.closing(at + 1) else { return at + 1 };
        let mut commas = self.commas_between(at + 2, close).into_iter();
        let (Some(first), Some(second)) = (commas.next(), commas.next()) else { return at + 1 };
        self.blank(self.tokens[at].start, self.tokens[at + 1].end);
        self.blank(self.tokens[first].start, self.tokens[first].end);
        self.blank(self.tokens[second].start, self.tokens[close].end);
        close + 1
    }

    /// Returns the token that closes the bracket at the token `open`; `None` if that is no bracket, or is closed far
    /// away.
    fn closing(&self, open: usize) -> Option<usize> {
        self.tokens.get(open).filter(|token| token.is(b'('))?;
        let mut depth = 0_usize;
        for (number, token) in self.tokens.iter().enumerate().skip(open).take(LONGEST) {
            depth += usize::from(token.is(b'('));
            depth -= usize::from(token.is(b')'));
            if depth == 0 {
                return Some(number);
            }
        }
        None
    }

    /// Returns the commas between two tokens that stand in no inner bracket.
    fn commas_between(&self, from: usize, to: usize) -> Vec<usize> {
        let (mut depth, mut found) = (0_usize, Vec::new());
        for number in from..to {
            let token = self.tokens[number];
            depth += usize::from(token.is(b'('));
            depth = depth.saturating_sub(usize::from(token.is(b')')));
            if depth == 0 && token.is(b',') {
                found.push(number);
            }
        }
        found
    }

    fn blank(&mut self, start: usize, end: usize) {
        let place = &mut self.text[start..end];
        place.iter_mut().filter(|byte| !matches!(byte, b'\n' | b'\r')).for_each(|byte| *byte = b' ');
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn declarations_are_left_as_a_compiler_sees_them() {
        for (text, expected) in [
            (
                "extern void *malloc (size_t __size) __THROW __attribute_malloc__\n     __attribute_alloc_size__ ((1)) __wur;",
                "extern void *malloc (size_t __size) ;",
            ),
            (
                "extern int __NTH (atoi (const char *__nptr)) __nonnull ((1));",
                "extern int atoi (const char *__nptr) ;",
            ),
            (
                "extern int __REDIRECT (fscanf, (FILE *__s, ...), __isoc99_fscanf) __wur;",
                "extern int fscanf (FILE *__s, ...) ;",
            ),
            (
                "namespace std _GLIBCXX_VISIBILITY(default)\n{\n_GLIBCXX_BEGIN_NAMESPACE_VERSION\n_GLIBCXX20_CONSTEXPR void f() _GLIBCXX_NOEXCEPT;",
                "namespace std { void f() ;",
            ),
            ("_GLIBCXX_STD_C::vector<int> a;", "std ::vector<int> a;"),
            ("int f(void) __attribute__((noreturn));", "int f(void) __attribute__((noreturn));"),
            ("return _GLIBCXX_MOVE(x);", "return (x);"),
            ("# include_next <stdlib.h>", "# include <stdlib.h>"),
            ("#define __THROW noexcept\n__THROW (", "#define __THROW noexcept ("),
        ] {
            let found = without_system_macros(text.as_bytes());
            assert_eq!(found.len(), text.len(), "{text}");
            let found = String::from_utf8(found).expect("as it was");
            assert_eq!(found.split_whitespace().collect::<Vec<_>>().join(" "), expected);
        }
    }
}
