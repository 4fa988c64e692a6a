//! Turns a place in a file into an item: the path stands once above its rows, the enclosing symbol once above
//! the rows that share it.

use crate::document::AnswerItem;
use crate::marks::Mark;
use crate::one_line::{one_line, shorten_to};

/// Length of the longest text of a row, in characters.
const ROW: usize = 200;

/// A line of a file that an answer shows.
#[derive(Clone, Copy, Debug, Default)]
pub struct AnswerPlace<'p> {
    /// The path of the file, relative to the root.
    pub path: &'p str,
    /// The line of the place, from 1.
    pub line: u64,
    /// The qualified name of the definition around it; `None` at file level.
    pub symbol: Option<&'p str>,
    /// The line's own text.
    pub text: &'p str,
    /// The mark that shows the confidence of the place.
    pub mark: Mark,
}

impl AnswerPlace<'_> {
    /// Returns the row below its path, and below its symbol unless the row itself names the symbol.
    #[must_use]
    pub fn to_item(self) -> AnswerItem {
        let mut group = vec![one_line(self.path).into_owned()];
        group.extend(self.symbol.map(|symbol| one_line(symbol).into_owned()));
        AnswerItem { group, lines: vec![self.row_text()], source: None }
    }

    /// Returns the row alone: mark, line and text.
    #[must_use]
    pub fn row_text(self) -> String {
        let text = self.text.trim();
        let text = shorten_to(text, ROW);
        let row = format!("{}{} {}", self.mark.sign(), self.line, one_line(&text));
        row.trim_end().to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_is_a_row_below_its_path_and_symbol() {
        let place = AnswerPlace {
            path: "a.py",
            line: 3,
            symbol: Some("C.f"),
            text: "    x = 1\n",
            mark: Mark::Candidate,
        };
        let item = place.to_item();
        assert_eq!(
            (item.group, item.lines),
            (vec!["a.py".to_owned(), "C.f".to_owned()], vec!["?3 x = 1".to_owned()])
        );
    }
}
