//! Asks servers hob's questions, one file for each: builds the request, and converts the answer into hob's own types.

mod calls;
mod commanded;
mod context;
mod diagnostics;
mod hover;
mod locations;
mod marked;
mod place;
mod rename;
mod symbols;
mod worse;

pub use calls::{CallItem, Direction, call_hierarchy};
pub use context::{ServerQueryContext, await_loaded_for, await_project_loaded};
pub use diagnostics::{Diagnosis, Severity, diagnostics, known_diagnostics};
pub use hover::{TypeInfo, type_of};
pub use locations::{definition, implementations, references};
pub use place::{RequestPosition, ServerLocation};
pub use rename::{FileEdits, Renaming, rename, renamed_files, will_rename_files};
pub use symbols::{FoundSymbol, ServerOutline, kind_word, outline_of_file, workspace_symbols};
pub use worse::{FileDiagnostics, WorseFile, judge, worse};
