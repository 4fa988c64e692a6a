//! Abstracts the source of files' bytes.

use std::io;
use std::sync::Arc;

use crate::WsPath;

/// Gives the present bytes of files. `map` and `text` see files only through this trait, so their tests use
/// strings in memory, and an editor's unsaved buffer can replace the disk.
pub trait Contents: Send + Sync {
    /// Reads a whole file.
    ///
    /// # Errors
    /// The source's own error; a file that vanished is `NotFound` and must be treated as data, not as a
    /// failure.
    fn read(&self, path: &WsPath) -> io::Result<Arc<[u8]>>;

    /// Reads a whole file into `buffer` and replaces its contents, for callers that read very many files. A
    /// source that has no bytes of its own to share should override this and allocate nothing. After an error
    /// the contents of the buffer are unspecified.
    ///
    /// # Errors
    /// As [`Contents::read`].
    fn read_into(&self, path: &WsPath, buffer: &mut Vec<u8>) -> io::Result<()> {
        let bytes = self.read(path)?;
        buffer.clear();
        buffer.extend_from_slice(&bytes);
        Ok(())
    }
}

impl<F> Contents for F
where
    F: Fn(&WsPath) -> io::Result<Arc<[u8]>> + Send + Sync,
{
    fn read(&self, path: &WsPath) -> io::Result<Arc<[u8]>> {
        self(path)
    }
}
