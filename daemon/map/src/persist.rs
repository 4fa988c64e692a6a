//! The disk form of a file's facts.

use crate::facts::FileFacts;

/// Why stored facts cannot be used; the file is extracted again.
#[derive(Debug, thiserror::Error)]
pub enum PersistError {
    /// Written by another version of this format.
    #[error("the facts are in format {0}")]
    Format(u8),
    /// Not what was written.
    #[error("the facts are damaged: {0}")]
    Damaged(&'static str),
}

/// Facts as bytes, compressed. The first byte is the format.
#[must_use]
pub fn encode(_facts: &FileFacts) -> Vec<u8> {
    Vec::new()
}

/// Facts from bytes; any bytes at all may be given.
///
/// # Errors
/// [`PersistError`] for another format or damaged bytes.
pub fn decode(_bytes: &[u8]) -> Result<FileFacts, PersistError> {
    Err(PersistError::Damaged("not implemented"))
}
