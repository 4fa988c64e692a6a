//! Reads the contents that a saved table claims, for the decision which facts are still needed.

use std::fs;

use hob_base::{AbsPath, ContentHash};

use super::format::{Decoded, TABLE, decode};
use crate::file_kind::FileKind;

/// A saved workspace and the contents whose facts it would load.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Claims {
    /// The workspace's root as text; not exact where the path is not UTF-8.
    pub(crate) root: String,
    /// Hashes of its files that have a language.
    pub(crate) hashes: Vec<ContentHash>,
}

/// Returns the claims of the workspace whose snapshot is in `folder`; `None` if its table cannot be read: opening the
/// workspace would use none of it then either.
pub(crate) fn read_claims(folder: &AbsPath) -> Option<Claims> {
    let bytes = fs::read(folder.join(TABLE).as_path()).ok()?;
    let Decoded { root, entries } = decode(&bytes).ok()?;
    let mapped = entries.iter().filter(|entry| matches!(entry.kind, FileKind::Text(Some(_))));
    Some(Claims { root, hashes: mapped.map(|entry| entry.record.hash).collect() })
}
