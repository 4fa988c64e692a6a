//! The properties of a language's text that the parser, the recovery and the headers ask for.
//!
//! A grammar has faults of its own: scanners that end the process, comments that it reads many times, valid code that it does
//! not understand. The language's folder says so here, and shared code works around the fault. Not here: the meaning of a tree.

use tree_sitter::Language;

use crate::langs::scope_rules::LocalRules;

/// Rewrites a text that has a fault which its grammar does not understand; `None` if it has none.
pub type Repair = fn(&[u8]) -> Option<Vec<u8>>;

/// The peculiarities of a language's text and of its grammar.
#[derive(Clone, Copy, Debug)]
pub struct SourceRules {
    /// The notation of comments in headers.
    pub comments: CommentStyle,
    /// True if the end of a line separates members between braces, as a semicolon does.
    pub lines_separate_members: bool,
    /// The beginning of line comments, if the grammar's scanner reads a run of them again at each of its lines.
    pub slow_comments: Option<&'static str>,
    /// Returns true if a text must not be given to the grammar, because its scanner would end the process, or its
    /// parser would not finish. It may be true too often, but never too seldom, however wrongly the grammar understands
    /// the text.
    pub is_hazardous: fn(&[u8]) -> bool,
    /// Rewrites a text that has known faults for the grammar so that it understands them; `None` if the text has none
    /// of them. The result has the same length and lines.
    pub repair: Option<Repair>,
    /// Replaces signs that the grammar does not know by signs that it knows, before any parse; `None` if the text has
    /// none of them. The result has the same length and lines.
    pub rewrite: Option<Repair>,
    /// The text that has to stand before a piece of code for the grammar to read the piece (`<?php`).
    pub piece_opening: &'static str,
    /// Returns the grammar for a piece of code without its opening, if that is another than the reader's.
    pub piece_grammar: Option<fn() -> Option<Language>>,
    /// The fewest unread lines in one stretch that an answer mentions as unmapped: shorter stretches are slips of a
    /// line, such as a macro without a semicolon.
    pub noticeable_loss: usize,
    /// The lexical scopes of the language, for its local names; `None` where they are not known.
    pub(crate) lexical_scopes: Option<&'static LocalRules>,
}

impl SourceRules {
    /// The rules of a language with `//` comments and a grammar without known faults.
    pub const PLAIN: Self = Self {
        comments: CommentStyle::Slashes,
        lines_separate_members: false,
        slow_comments: None,
        is_hazardous: |_| false,
        repair: None,
        rewrite: None,
        piece_opening: "",
        piece_grammar: None,
        noticeable_loss: 2,
        lexical_scopes: None,
    };

    /// The rules of text whose headers have no comments: prose and project files.
    pub const PROSE: Self = Self { comments: CommentStyle::None, ..Self::PLAIN };
}

/// The notation of comments in a language.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum CommentStyle {
    /// `// ...` and `/* ... */`.
    Slashes,
    /// A comment from `# ...` to the end of the line.
    Hash,
    /// A comment from `-- ...` to the end of the line.
    Dashes,
    /// Headers have no comments.
    None,
}
