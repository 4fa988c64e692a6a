//! Tests that a text never exceeds its budget, and says what it lacks.

use proptest::prelude::*;

use super::*;
use crate::document::BodySource;
use crate::marks::Mark;

fn rows(count: usize) -> AnswerDocument {
    let items = (0..count)
        .map(|n| AnswerItem::below_header(format!("src/{}.py", n / 10), format!("{n} def f{n}():")));
    AnswerDocument::of_section(Section::new_paged("results", items.collect()))
}

fn frame(max_chars: usize) -> Frame<'static> {
    Frame { max_chars, ..Frame::default() }
}

#[test]
fn a_path_stands_once_above_its_rows() {
    let fitted = fit(&rows(2), &frame(4_000));
    assert_eq!(fitted.text, "src/0.py\n 0 def f0():\n 1 def f1():");
    assert!(!fitted.is_cut);
}

#[test]
fn what_does_not_fit_is_counted_and_the_next_page_is_named() {
    let fitted = fit(&rows(100), &Frame { offset: 20, ..frame(400) });
    let last = fitted.text.lines().last().expect("a note");
    assert!(fitted.text.chars().count() <= 400, "{}", fitted.text);
    assert!(
        fitted.shown > 10
            && last.starts_with(&format!(
                "[{} of 100 results; next: offset {}",
                fitted.shown,
                20 + fitted.shown
            )),
        "{last}"
    );
}

#[test]
fn a_tool_that_left_items_out_is_heard() {
    let omitted = [OmissionLine { kind: "results".into(), count: 7, way: "Pass kind.".into() }];
    let fitted = fit(&rows(2), &Frame { omitted: &omitted, ..frame(4_000) });
    assert!(
        fitted.is_cut && fitted.text.ends_with("[2 of 9 results; next: offset 2, or pass kind]"),
        "{}",
        fitted.text
    );
}

#[test]
fn an_answer_whose_notes_are_cut_is_cut() {
    let mut document = rows(1);
    document.notes = vec!["long ".repeat(60)];
    assert!(!fit(&document, &frame(4_000)).is_cut);
    assert!(fit(&document, &frame(400)).is_cut, "a note was shortened");
}

#[test]
fn a_body_is_cut_between_lines_and_says_where_it_goes_on() {
    let mut lines = vec!["f a.py:5-204".to_owned()];
    lines.extend((5..205).map(|n| format!("{n} x = {n}")));
    let source = Some(BodySource { path: "a.py".into(), from: 1, first: 5 });
    let document = AnswerDocument::of_section(Section::new(
        "symbols",
        vec![AnswerItem { group: Vec::new(), lines, source }],
    ));
    let fitted = fit(&document, &frame(600));
    let (before, rest) = fitted.text.split_once("… ").expect("a cut body");
    let next: u32 =
        before.lines().last().and_then(|line| line.split(' ').next()?.parse().ok()).expect("a line");
    assert_eq!(rest, format!("{} more lines: a.py:{}-204", 204 - next, next + 1));
    assert!(fitted.text.chars().count() <= 600);
}

#[test]
fn marks_are_explained_only_where_they_occur() {
    let mut document = rows(1);
    document.explain_mark(Mark::Sure);
    assert!(!fit(&document, &frame(400)).text.contains('['));
    document.explain_mark(Mark::Candidate);
    assert!(fit(&document, &frame(400)).text.ends_with("[? may mean another]"));
}

proptest! {
    #[test]
    fn the_budget_holds_for_any_document(
        items in prop::collection::vec(("[a-z/]{0,30}", prop::collection::vec(".{0,120}", 0..40)), 0..60),
        warnings in prop::collection::vec(".{0,600}", 0..8),
        max_chars in 400usize..12_000,
        is_body in any::<bool>(),
    ) {
        let total = items.len();
        let as_item = |(path, lines): (String, Vec<String>)| {
            let lines = lines.iter().map(|line| crate::one_line(line).into_owned()).collect();
            let source = is_body.then(|| BodySource { path: path.clone(), from: 0, first: 1 });
            AnswerItem { group: vec![path], lines, source }
        };
        let document = AnswerDocument::of_section(Section::new_paged("results", items.into_iter().map(as_item).collect()));
        let fitted = fit(&document, &Frame { warnings: &warnings, ..frame(max_chars) });
        prop_assert!(fitted.text.chars().count() <= max_chars);
        prop_assert!(fitted.shown == total || fitted.is_cut);
        let lacks = total - fitted.shown;
        let says = fitted.text.contains(" results; ") || fitted.text.contains("more lines");
        prop_assert!(lacks == 0 || says, "nothing is left out in silence: {}", fitted.text);
    }
}
