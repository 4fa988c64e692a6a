//! Where bytes come from, without saying how.

use std::io;
use std::sync::Arc;

use crate::WsPath;

/// Gives a file's present bytes. `map` and `text` see files only through this, so their tests are in-memory strings
/// and an editor's unsaved buffer can stand in for the disk.
pub trait Contents: Send + Sync {
    /// Reads a whole file.
    ///
    /// # Errors
    /// Whatever the source says; a file that vanished is `NotFound` and must be treated as data, not as a failure.
    fn read(&self, path: &WsPath) -> io::Result<Arc<[u8]>>;

    /// Reads a whole file into `buffer`, in place of what it holds. For reading very many: a source that has no bytes of its
    /// own to share should override this and allocate nothing. After an error the buffer holds anything.
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
