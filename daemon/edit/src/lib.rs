//! Edits files: computes what a change would do, keeps it until somebody decides, and writes it whole or not at all.
//!
//! Everything is computed from bytes that the caller has read through the barrier, and kept as whole contents before and
//! after, because what is applied must be exactly what was previewed. This crate alone writes to a workspace. It knows no
//! tool, no client and no language server: a rename's replacements come from the live layer, handed over by the host.

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
