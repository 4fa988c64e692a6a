//! Reads a key from its place in the settings: a variable of the daemon's environment, or a file.

use std::io::Read as _;
use std::path::PathBuf;

/// Size of the longest key, in bytes.
const LARGEST_KEY: u64 = 16 * 1024;

/// The place of a key. hob reads the key at each use, so that it stores no key and users can change it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum KeySource {
    /// The name of a variable in the daemon's environment.
    Variable(String),
    /// The absolute path of a file with the key.
    File(PathBuf),
}

impl KeySource {
    /// Reads the key.
    ///
    /// # Errors
    /// The reason why the key cannot be read, as a sentence without a full stop; it never holds the key.
    pub fn read_key(&self) -> Result<String, String> {
        let (key, place) = match self {
            Self::Variable(name) => {
                let key = std::env::var(name)
                    .map_err(|_| format!("the daemon's environment has no variable `{name}` with a text"))?;
                (key, format!("the variable `{name}`"))
            }
            Self::File(path) => {
                let place = format!("`{}`", path.display());
                let failed = |error: std::io::Error| format!("{place} cannot be read: {error}");
                let mut key = String::new();
                // The kind is checked before the file is opened: opening a pipe waits for a writer.
                if !path.metadata().map_err(failed)?.is_file() {
                    return Err(format!("{place} is no file"));
                }
                let file = std::fs::File::open(path).map_err(failed)?;
                file.take(LARGEST_KEY).read_to_string(&mut key).map_err(failed)?;
                (key, place)
            }
        };
        let key = key.trim();
        let is_plain = !key.is_empty() && key.bytes().all(|byte| byte.is_ascii_graphic());
        if is_plain { Ok(key.to_owned()) } else { Err(format!("{place} holds no key")) }
    }
}
