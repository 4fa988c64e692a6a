//! Says of a file what hob does with it: nothing, search it, or map it as well.

use hob_map::Lang;

/// The kind of a file for hob; with its record, all that has to be known to use its saved data.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum FileKind {
    /// Neither searched nor mapped.
    Binary,
    /// Searched; mapped if its language is known.
    Text(Option<Lang>),
}
