//! Edits files: computes the result of a change, keeps it until a user decides, and writes it whole or not at all.
//!
//! Everything is computed from bytes that the caller has read through the barrier, and kept as whole contents before
//! and after, so that apply writes exactly what the preview showed. Only this crate writes to a workspace. It knows no
//! tool, no client and no language server: the host hands over a rename's replacements from the live layer.

mod apply;
mod change;
mod edits;
mod error;
#[cfg(test)]
mod faults;
mod files;
mod format;
mod journal;
mod lines;
mod pattern;
mod pending;
mod plan;
mod preview;
mod record;
mod recover;
mod steps;
mod symbol;
mod text;
mod undo;

pub use change::{Proposal, ProposedFile, Splice, SpliceError, apply_splices};
pub use edits::{Applied, Clock, Edits, Report, Undoable};
pub use error::{Conflict, Difference, Differs, EditError};
pub use pattern::{
    LANGUAGES, Parse, PatternEdit, PatternError, PatternFileError, PatternGrammar, PatternLanguage,
    pattern_language,
};
pub use pending::{LIFE, Owner, Pending, PendingId, PendingKind, PendingOutcome, Staged, Summary};
pub use preview::{FileKind, FilePreview, Preview};
pub use symbol::{SymbolEditError, SymbolOperation, SymbolPlace, edit_symbol};
pub use text::{RegexEdit, TextEdit, TextEditError, replace_matches, replace_text};
