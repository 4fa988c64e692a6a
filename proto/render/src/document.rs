//! An answer as lines in the order of their worth, before it is cut.
//!
//! A document is a list of sections, a section a list of items, an item a few lines under headers (a path, a symbol) that it
//! may share with the item before it. Whoever reads a prefix of a document reads something true, which is why cutting takes
//! items from the end.

use crate::marks::Mark;

/// An answer as text, uncut.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AnswerDocument {
    /// In the order in which they are written.
    pub sections: Vec<Section>,
    /// Sentences about the whole answer; each becomes a bracketed line at the end.
    pub notes: Vec<String>,
    /// Marks that occur in the lines, which a line at the end explains.
    pub marks: Vec<Mark>,
}

/// Items of one kind.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Section {
    /// The line above the items, if they need one.
    pub title: Option<String>,
    /// The word for the items in notes about what was left out, as the tool's `cuts` have it: `references`.
    pub kind: &'static str,
    /// In the order of their worth.
    pub items: Vec<AnswerItem>,
    /// True if `offset` counts these items.
    pub is_paged: bool,
}

/// Lines that are shown together or not at all, unless they are a body.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AnswerItem {
    /// Headers above the lines, outermost first. A header is written where it differs from the item before.
    pub group: Vec<String>,
    /// The lines, without the indentation of their group.
    pub lines: Vec<String>,
    /// Where the lines come from, for a body that may be cut between lines.
    pub source: Option<BodySource>,
}

/// The stretch of a file that an item's lines show.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BodySource {
    /// The path of the file, relative to the root.
    pub path: String,
    /// The item's line (counted from 0) that shows `first`: lines before it are headers of the body.
    pub from: usize,
    /// The 1-based line of the file that is shown there; one follows the other.
    pub first: u32,
}

impl AnswerDocument {
    /// A document of one section.
    #[must_use]
    pub fn of_section(section: Section) -> Self {
        Self { sections: vec![section], ..Self::default() }
    }

    /// A document that says one thing.
    #[must_use]
    pub fn of_line(line: impl Into<String>) -> Self {
        Self::of_section(Section::new("lines", vec![AnswerItem::line(line)]))
    }

    /// Notes that `mark` occurs.
    pub fn explain_mark(&mut self, mark: Mark) {
        if mark != Mark::Sure && !self.marks.contains(&mark) {
            self.marks.push(mark);
            self.marks.sort_unstable();
        }
    }
}

impl Section {
    /// Items of a kind that `offset` does not count.
    #[must_use]
    pub fn new(kind: &'static str, items: Vec<AnswerItem>) -> Self {
        Self { title: None, kind, items, is_paged: false }
    }

    /// The tool's main list, which `offset` pages through.
    #[must_use]
    pub fn new_paged(kind: &'static str, items: Vec<AnswerItem>) -> Self {
        Self { is_paged: true, ..Self::new(kind, items) }
    }

    /// The section below a line of its own.
    #[must_use]
    pub fn with_title(mut self, title: impl Into<String>) -> Self {
        self.title = Some(title.into());
        self
    }
}

impl AnswerItem {
    /// One line under no header.
    #[must_use]
    pub fn line(line: impl Into<String>) -> Self {
        Self { lines: vec![line.into()], ..Self::default() }
    }

    /// One line below a header.
    #[must_use]
    pub fn below_header(header: impl Into<String>, line: impl Into<String>) -> Self {
        Self { group: vec![header.into()], ..Self::line(line) }
    }
}
