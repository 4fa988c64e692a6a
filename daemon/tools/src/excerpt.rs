//! Chooses the lines of a definition that matter to a question, in place of its first lines.

use hob_text::ranked::{QuestionWords, cut_to_bytes};

/// Most lines of a text that are read.
const LOOKED_AT: usize = 1_000;

/// The size to which an excerpt of a text is cut.
#[derive(Clone, Copy, Debug)]
pub(super) struct Size {
    /// Most lines that are shown.
    pub(super) lines: usize,
    /// Most bytes of each.
    pub(super) width: usize,
}

/// Returns the lines of `text` that have most words of the question, in their order, each with its number before it.
/// `first` is the number of the first line; `name` is that of the line with the name, which is shown only if no other
/// line has any of the words. With `or_any`, a text without any of the words is shown by its first line.
pub(super) fn excerpt_of(
    words: &mut QuestionWords<'_>,
    text: &str,
    first: u32,
    name: u32,
    or_any: bool,
    size: Size,
) -> Option<String> {
    let mut lines: Vec<(u32, u32, &str)> = (first..)
        .zip(text.lines().take(LOOKED_AT))
        .map(|(number, line)| (number, line.trim()))
        .filter(|(_, line)| line.chars().any(char::is_alphanumeric))
        .map(|(number, line)| (number, words.in_line(line), line))
        .collect();
    let has_others = lines.iter().any(|(number, count, _)| *number != name && *count > 0);
    lines.retain(|(number, count, _)| {
        (*count > 0 && *number != name) || (!has_others && (*count > 0 || or_any))
    });
    lines.sort_by_key(|(number, count, _)| (std::cmp::Reverse(*count), *number));
    let has_any = lines.iter().any(|(_, count, _)| *count > 0);
    lines.retain(|(_, count, _)| *count > 0 || !has_any);
    lines.truncate(if has_any { size.lines } else { 1 });
    lines.sort_by_key(|(number, ..)| *number);
    let shown: Vec<String> = lines
        .iter()
        .map(|(number, _, line)| format!("{number} {}", cut_to_bytes(line, size.width)))
        .collect();
    (!shown.is_empty()).then(|| shown.join("\n"))
}

#[cfg(test)]
mod tests {
    use hob_text::ranked::RankedQuestion;

    use super::*;

    const TEXT: &str =
        "def get(self):\n    self.log(1)\n    if old(self):\n        recycle_pool()\n    return self.pool\n";

    fn excerpt_for(query: &str, or_any: bool) -> Option<String> {
        let question = RankedQuestion::parse(query);
        excerpt_of(&mut question.word_counter(), TEXT, 7, 7, or_any, Size { lines: 2, width: 80 })
    }

    #[test]
    fn the_lines_with_most_of_the_question_are_shown_with_their_numbers() {
        assert_eq!(
            excerpt_for("recycle the pool", true).as_deref(),
            Some("10 recycle_pool()\n11 return self.pool")
        );
        assert_eq!(
            excerpt_for("get", true).as_deref(),
            Some("7 def get(self):"),
            "its name alone says something"
        );
        assert_eq!(excerpt_for("zebra", true).as_deref(), Some("7 def get(self):"));
        assert_eq!(excerpt_for("zebra", false), None);
    }
}
