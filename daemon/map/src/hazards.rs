//! Detects text with which a grammar would end the process.
//!
//! Some grammars have a scanner in C that keeps a stack of its own, with 1,024 bytes to serialise it: when the stack is
//! deeper they abort, and the daemon with them. Others make the parser take minutes and gigabytes in one step, in which
//! it cannot be stopped. Text that could come near that is not parsed. Each limit is far above what people write, and
//! each measure is an upper bound: it holds however wrongly a lost parser understands the text. The measures belong to
//! the languages (`langs/NAME/hazard.rs`); this module calls them, and tests both sides of each limit.

use crate::langs::lang::Lang;

/// Returns true if a file must not be given to its language's grammar.
pub(crate) fn is_hazardous(lang: Lang, source: &[u8]) -> bool {
    (lang.source_rules().is_hazardous)(source)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::extract;

    /// Checks that `bad` is text only, and that `good`, which has fewer levels, is not.
    #[track_caller]
    fn only_text(lang: Lang, bad: &str, good: &str) {
        let facts = extract(lang, "a", bad.as_bytes());
        assert!(facts.has_errors && facts.defs.is_empty());
        assert!(!extract(lang, "a", good.as_bytes()).defs.is_empty());
    }

    fn indented_source(levels: usize) -> String {
        let lines: String = (0..levels).map(|level| format!("{}if a:\n", " ".repeat(level))).collect();
        format!("def f(): pass\n{lines}{}x = f\"a{{\"\n", " ".repeat(levels))
    }

    #[test]
    fn indentations_that_pythons_scanner_cannot_keep() {
        only_text(Lang::Python, &indented_source(511), &indented_source(100));
    }

    #[test]
    fn strings_that_kotlins_scanner_cannot_keep() {
        let nested = |times: usize| format!("fun f() {{}}\nval x = {}", "\"${".repeat(times));
        only_text(Lang::Kotlin, &nested(2_000), &nested(100));
    }

    #[test]
    fn delimiters_that_rubys_scanner_cannot_keep() {
        let document = |length: usize| {
            let word = "A".repeat(length);
            format!("def f\nend\nx = <<~{word}\n  a\n{word}\n")
        };
        only_text(Lang::Ruby, &document(300), &document(100));
    }

    #[test]
    fn colons_that_csss_scanner_would_look_far_from() {
        let list = |times: usize| format!(".f {{ }}\n{}", "a:b ".repeat(times));
        only_text(Lang::Css, &list(100_000), &list(100));
    }

    #[test]
    fn conditions_that_cs_parser_would_not_finish() {
        let chain = |times: usize| format!("int f(void) {{ return 0; }}\n{}", "a?.".repeat(times));
        only_text(Lang::C, &chain(100_000), &chain(100));
        only_text(Lang::Cpp, &chain(100_000), &chain(100));
    }

    #[test]
    fn strings_that_luas_scanner_would_look_for_the_ends_of() {
        let open = |times: usize| format!("function f() end\nlocal x = {}", "[".repeat(times));
        only_text(Lang::Lua, &open(20_000), &open(100));
        let closed = format!("{}]]{}", open(20_000), "]".repeat(20_000));
        assert!(!is_hazardous(Lang::Lua, closed.as_bytes()));
    }

    #[test]
    fn brackets_that_scalas_parser_would_not_finish() {
        let nested = |times: usize| format!("def f = 1\nval x = {}", "[".repeat(times));
        only_text(Lang::Scala, &nested(10_000), &nested(100));
    }

    #[test]
    fn braces_that_darts_parser_would_not_finish() {
        let nested = |times: usize| format!("f() => 1;\nvar x = {}", "{".repeat(times));
        only_text(Lang::Dart, &nested(10_000), &nested(100));
    }
}
