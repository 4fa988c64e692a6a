//! Lays out tables that fit the terminal: columns appear when there is room, and texts are cut to their cells.

use ratatui::text::Span;

use crate::visible::is_invisible;

/// A column of a table.
#[derive(Clone, Copy, Debug)]
pub(super) struct Column {
    /// The text at the head of the column.
    pub(super) title: &'static str,
    /// Its width in cells; 0 for the column that takes the rest.
    pub(super) width: u16,
    /// Width of the terminal from which the column is shown.
    pub(super) from: u16,
    /// True if the text is aligned to the right.
    pub(super) right: bool,
    /// The end of a text that is cut off when the text is too long.
    pub(super) cut: CutEnd,
}

/// The end of a text that is cut off first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum CutEnd {
    /// The beginning is cut off, because the end of a path tells more.
    Start,
    /// The end is cut off, because the beginning of a text tells more.
    End,
}

/// A text with its look.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Part {
    pub(super) text: String,
    pub(super) look: TextRole,
}

impl Part {
    pub(super) fn new(text: impl Into<String>, look: TextRole) -> Self {
        Self { text: text.into(), look }
    }
}

impl From<String> for Part {
    fn from(text: String) -> Self {
        Self::new(text, TextRole::Plain)
    }
}

/// The meaning of a text, which decides how it looks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TextRole {
    Plain,
    Head,
    Faint,
    /// A good state.
    Good,
    /// A state that needs attention.
    Odd,
    /// A state that does not work.
    Bad,
    /// A sparkline.
    Spark,
}

/// A line of a frame: its parts from left to right.
pub(super) type Line = Vec<Part>;

/// Returns a line for the heads, then one for each row, with a part per column.
pub(super) fn lines(columns: &[Column], rows: &[Line], width: u16) -> Vec<Line> {
    let shown: Vec<(usize, &Column)> =
        columns.iter().enumerate().filter(|(_, column)| column.from <= width).collect();
    let fixed: u16 = shown.iter().map(|(_, column)| column.width + GAP).sum::<u16>() - GAP.min(width);
    let left = width.saturating_sub(fixed);
    let line = |part: &dyn Fn(usize) -> Part| -> Line {
        let mut line = Line::new();
        for (place, (at, column)) in shown.iter().enumerate() {
            if place > 0 {
                line.push(Part::from(" ".repeat(GAP.into())));
            }
            let Part { text, look } = part(*at);
            line.push(Part::new(fit_cell(&text, column, left), look));
        }
        line
    };
    let head = line(&|at| Part::new(columns[at].title, TextRole::Head));
    let body =
        rows.iter().map(|row| line(&|at| row.get(at).cloned().unwrap_or_else(|| String::new().into())));
    std::iter::once(head).chain(body).collect()
}

/// Number of cells between two columns.
const GAP: u16 = 2;

fn fit_cell(text: &str, column: &Column, left: u16) -> String {
    let width = usize::from(if column.width == 0 { left } else { column.width });
    let text = cut_to_cells(text, width, column.cut);
    let pad = " ".repeat(width.saturating_sub(cell_width(&text)));
    if column.right { format!("{pad}{text}") } else { format!("{text}{pad}") }
}

/// Returns the number of terminal cells that a text takes.
pub(super) fn cell_width(text: &str) -> usize {
    Span::raw(text).width()
}

/// Cuts `text` to `width` cells, with a mark where something is left out. Characters that would move the cursor are
/// dropped.
pub(super) fn cut_to_cells(text: &str, width: usize, end: CutEnd) -> String {
    let text: String = text.chars().filter(|c| !c.is_control() && !is_invisible(*c)).collect();
    if cell_width(&text) <= width {
        return text;
    }
    let mut room = width.saturating_sub(1);
    let fits = |c: &char| {
        let needs = cell_width(c.encode_utf8(&mut [0; 4]));
        let fits = needs <= room;
        room = if fits { room - needs } else { 0 };
        fits
    };
    match end {
        CutEnd::End => format!("{}…", text.chars().take_while(fits).collect::<String>()),
        CutEnd::Start => {
            let kept: Vec<char> = text.chars().rev().take_while(fits).collect();
            format!("…{}", kept.iter().rev().collect::<String>())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_cut_to_cells() {
        assert_eq!(cut_to_cells("/home/me/project", 9, CutEnd::Start), "…/project");
        assert_eq!(cut_to_cells("project", 7, CutEnd::Start), "project");
        assert_eq!(cut_to_cells("project", 4, CutEnd::End), "pro…");
        assert_eq!(cut_to_cells("日本語", 5, CutEnd::End), "日本…");
        assert_eq!(cut_to_cells("日本語", 4, CutEnd::Start), "…語");
        assert_eq!(cut_to_cells("a\x1b[2Jb\n", 9, CutEnd::End), "a[2Jb");
        assert_eq!(cut_to_cells("a\u{202e}b", 9, CutEnd::End), "ab");
        assert_eq!(cut_to_cells("long", 0, CutEnd::End), "…");
    }
}
