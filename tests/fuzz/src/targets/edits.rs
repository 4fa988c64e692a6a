//! Diffs and edits, each beside a naive way to do the same.

use std::sync::Arc;

use hob_base::CancelToken;
use hob_change::parse_diff;
use hob_edit::{
    LANGUAGES, PatternEdit, PatternGrammar, RegexEdit, Splice, SymbolOperation, SymbolPlace, TextEdit,
    apply_splices, edit_symbol, replace_matches, replace_text,
};
use hob_map::langs::TABLE;
use hob_map::{extract, trees};

use crate::input::FuzzInput;

/// Longest text of one side.
const TEXT: usize = 8 << 10;

/// Parses any bytes as a diff, and then a diff of two texts that is right: it applies to the one and gives the other, in both directions.
pub(crate) fn check_diff(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    if let Ok(files) = parse_diff(&text) {
        for file in &files {
            if let Some(after) = file.apply(&text) {
                let _ = file.revert(&after);
            }
        }
    }
    let mut input = FuzzInput::new(bytes);
    let (skipped, before, after) = (input.take_byte(), input.take_text(), input.take_text());
    // A return before a line's end is no part of a line to hob, and at the end of a text it is.
    if before.len() + after.len() <= TEXT && !before.contains('\r') && !after.contains('\r') {
        check_own_diff(usize::from(skipped), &before, &after);
    }
}

/// The lines of a text as the diff has them: those that are not there end nothing.
fn joined_lines(text: &str) -> String {
    text.lines().map(|line| format!("{line}\n")).collect()
}

/// One hunk that takes out what differs, with the context that a byte leaves.
fn check_own_diff(skipped: usize, before: &str, after: &str) {
    let (old, new): (Vec<&str>, Vec<&str>) = (before.lines().collect(), after.lines().collect());
    let same = old.iter().zip(&new).take_while(|(a, b)| a == b).count();
    let from = same - skipped.min(same);
    // An empty side is named by the line before it.
    let start = |len: usize| if len == from { from } else { from + 1 };
    let (removed, added) = (old.len() - from, new.len() - from);
    let header = format!("@@ -{},{removed} +{},{added} @@", start(old.len()), start(new.len()));
    let mut diff = format!("--- a/f\n+++ b/f\n{header}\n");
    old[from..same].iter().for_each(|line| diff.push_str(&format!(" {line}\n")));
    old[same..].iter().for_each(|line| diff.push_str(&format!("-{line}\n")));
    new[same..].iter().for_each(|line| diff.push_str(&format!("+{line}\n")));
    let files = parse_diff(&diff).expect("a diff as `diff -u` writes it");
    assert_eq!(files.len(), 1, "{diff}");
    let expected = |text: &str| Some(joined_lines(text));
    assert_eq!(files[0].apply(&joined_lines(before)), expected(after), "{diff}");
    assert_eq!(files[0].revert(&joined_lines(after)), expected(before), "{diff}");
}

/// Splices applied at once are splices applied one by one, from the last to the first.
pub(crate) fn check_splices(bytes: &[u8]) {
    let mut input = FuzzInput::new(bytes);
    let before = input.take_part();
    let mut splices = Vec::new();
    while !input.rest().is_empty() && splices.len() < 20 {
        let (start, end) = (usize::from(input.take_byte()), usize::from(input.take_byte()));
        splices.push(Splice { range: start..end, text: input.take_text() });
    }
    let Ok(after) = apply_splices(before, &splices) else { return };
    let mut ordered: Vec<&Splice> = splices.iter().collect();
    ordered.sort_by_key(|one| (one.range.start, one.range.end));
    let mut naive = before.to_vec();
    for one in ordered.into_iter().rev() {
        naive.splice(one.range.clone(), one.text.bytes());
    }
    assert_eq!(after, naive, "{splices:?}");
}

fn applied(contents: &[u8], splices: &[Splice]) -> Vec<u8> {
    apply_splices(contents, splices).expect("an edit's own splices fit its text")
}

/// Replacement of text and of matches, beside what the standard library and the regex engine do.
pub(crate) fn check_replacement(bytes: &[u8]) {
    let mut input = FuzzInput::new(bytes);
    let (expected, old, new) = (1 + usize::from(input.take_byte() % 4), input.take_text(), input.take_text());
    let contents = input.rest();
    let edit = TextEdit { old: &old, new: &new, expected };
    if let Ok(splices) = replace_text(contents, &edit) {
        let after = applied(contents, &splices);
        let text = std::str::from_utf8(contents).expect("an edit is of text");
        if !text.contains('\r') && !new.contains('\r') && !old.contains('\r') {
            assert_eq!(after, text.replace(&old, &new).as_bytes());
        }
    }
    let edit = RegexEdit { pattern: &old, replacement: &new, expected: None };
    if let Ok(splices) = replace_matches(contents, &edit) {
        let after = applied(contents, &splices);
        let text = std::str::from_utf8(contents).expect("an edit is of text");
        let naive = regex::RegexBuilder::new(&old).multi_line(true).build();
        let is_plain = !text.contains('\r') && !new.contains('\r') && !text.ends_with('\n');
        if let Some(naive) = naive.ok().filter(|_| is_plain) {
            assert_eq!(after, naive.replace_all(text, new.as_str()).as_bytes(), "{old:?}");
        }
    }
}

/// Edits of definitions that extraction finds: the text stays text, and what lies far from the definition stays.
pub(crate) fn check_symbol_edit(bytes: &[u8]) {
    let mut input = FuzzInput::new(bytes);
    let (spec, number, kind) = (input.choose(TABLE), usize::from(input.take_byte()), input.take_byte());
    let source = input.take_text();
    let contents = input.rest();
    let facts = extract(spec.lang, "sample", contents);
    let Some(def) = facts.defs.get(number % facts.defs.len().max(1)) else { return };
    let range = def.bytes.0 as usize..def.bytes.1 as usize;
    let place = SymbolPlace { bytes: range.clone(), language: spec.id };
    let operation = match kind % 4 {
        0 => SymbolOperation::Replace(&source),
        1 => SymbolOperation::InsertBefore(&source),
        2 => SymbolOperation::InsertAfter(&source),
        _ => SymbolOperation::Delete,
    };
    let Ok(splices) = edit_symbol(contents, &place, operation) else { return };
    let after = String::from_utf8(applied(contents, &splices)).expect("a text stays a text");
    if let SymbolOperation::InsertBefore(_) | SymbolOperation::InsertAfter(_) = operation {
        let definition = std::str::from_utf8(&contents[range]).expect("an edit is of text");
        assert!(after.contains(definition), "the definition stays as it is");
    }
}

/// A pattern with its replacement, in any language.
pub(crate) fn check_pattern_edit(bytes: &[u8]) {
    let mut input = FuzzInput::new(bytes);
    let row = input.choose(LANGUAGES);
    let (pattern, rewrite) = (input.take_text(), input.take_text());
    let contents = input.rest();
    let Some(spec) = TABLE.iter().find(|spec| spec.id == row.id) else { return };
    let lang = spec.lang;
    let Some(language) = trees::grammar(lang) else { return };
    let parse = move |text: &[u8]| trees::parse_tree(lang, text);
    let grammar = PatternGrammar { language, parse: Arc::new(parse) };
    let Ok(edit) = PatternEdit::new(row, grammar, &pattern, &rewrite) else { return };
    let Ok(splices) = edit.find_splices(contents, &CancelToken::default()) else { return };
    let after = applied(contents, &splices);
    assert!(std::str::from_utf8(&after).is_ok(), "a text stays a text");
}
