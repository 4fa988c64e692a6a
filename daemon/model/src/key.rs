//! Reads a key from where the settings say it lies: a variable of the daemon's environment, or a file.

use std::io::Read as _;
use std::path::PathBuf;

/// A key is not longer.
const LARGEST_KEY: u64 = 16 * 1024;

/// Where a key lies. It is read when it is needed, so that it is kept nowhere and can be changed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum KeySource {
    /// A variable in the daemon's environment.
    Variable(String),
    /// A file with the key, by its absolute path.
    File(PathBuf),
}

impl KeySource {
    /// Reads the key.
    ///
    /// # Errors
    /// The reason why there is none, as a sentence without a full stop; it never holds the key.
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
                // Looked at before it is opened: opening a pipe waits for somebody to write to it.
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
