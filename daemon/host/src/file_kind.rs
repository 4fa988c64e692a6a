//! Classifies files by what hob does with them: nothing, searching, or searching and mapping.

use hob_map::Lang;

/// The kind of a file. With the file's record, it is all that has to be known to use the file's saved data.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum FileKind {
    /// Neither searched nor mapped.
    Binary,
    /// Searched; mapped if its language is known.
    Text(Option<Lang>),
}
