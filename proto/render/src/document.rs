//! Defines an answer as lines in the order of their importance, before it is cut.
//!
//! A document is a list of sections, a section a list of items, an item a few lines under headers (a path, a
//! symbol) that it may share with the item before it. Every prefix of a document is a true answer, so a cut
//! removes items from the end.

use crate::marks::Mark;

/// An answer as text, uncut.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AnswerDocument {
    /// The sections, in the order of the text.
    pub sections: Vec<Section>,
    /// Sentences about the whole answer; each becomes a bracketed line at the end.
    pub notes: Vec<String>,
    /// Marks in the lines, which a line at the end explains.
    pub marks: Vec<Mark>,
}

/// Items of one kind.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Section {
    /// The line above the items, if they need one.
    pub title: Option<String>,
    /// The word for the items in notes about omissions, as in the tool's `cuts`: `references`.
    pub kind: &'static str,
    /// The items, in the order of their importance.
    pub items: Vec<AnswerItem>,
    /// True if `offset` counts these items.
    pub is_paged: bool,
}

/// Lines that are shown together or not at all, unless they are a body.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AnswerItem {
    /// Headers above the lines, outermost first. A header is written if it differs from the item before.
    pub group: Vec<String>,
    /// The lines, without the indentation of their group.
    pub lines: Vec<String>,
    /// The origin of the lines, for a body that may be cut between lines.
    pub source: Option<BodySource>,
}

/// The lines of a file that an item shows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BodySource {
    /// The path of the file, relative to the root.
    pub path: String,
    /// The item's line (counted from 0) that shows `first`: lines before it are headers of the body.
    pub from: usize,
    /// The 1-based line of the file that this line shows; the following lines are consecutive.
    pub first: u32,
}

impl AnswerDocument {
    /// Creates a document of one section.
    #[must_use]
    pub fn of_section(section: Section) -> Self {
        Self { sections: vec![section], ..Self::default() }
    }

    /// Creates a document of one line.
    #[must_use]
    pub fn of_line(line: impl Into<String>) -> Self {
        Self::of_section(Section::new("lines", vec![AnswerItem::line(line)]))
    }

    /// Records that `mark` occurs.
    pub fn explain_mark(&mut self, mark: Mark) {
        if mark != Mark::Sure && !self.marks.contains(&mark) {
            self.marks.push(mark);
            self.marks.sort_unstable();
        }
    }
}

impl Section {
    /// Creates a section whose items `offset` does not count.
    #[must_use]
    pub fn new(kind: &'static str, items: Vec<AnswerItem>) -> Self {
        Self { title: None, kind, items, is_paged: false }
    }

    /// Creates the section of the tool's main list, which `offset` pages through.
    #[must_use]
    pub fn new_paged(kind: &'static str, items: Vec<AnswerItem>) -> Self {
        Self { is_paged: true, ..Self::new(kind, items) }
    }

    /// Adds a line above the section.
    #[must_use]
    pub fn with_title(mut self, title: impl Into<String>) -> Self {
        self.title = Some(title.into());
        self
    }
}

impl AnswerItem {
    /// Creates an item of one line without a header.
    #[must_use]
    pub fn line(line: impl Into<String>) -> Self {
        Self { lines: vec![line.into()], ..Self::default() }
    }

    /// Creates an item of one line below a header.
    #[must_use]
    pub fn below_header(header: impl Into<String>, line: impl Into<String>) -> Self {
        Self { group: vec![header.into()], ..Self::line(line) }
    }
}
