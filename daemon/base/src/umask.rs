//! Keeps the files that this process makes private to its user.
//!
//! The daemon keeps what is its user's alone, and much of that is written by libraries that know no modes. So the process takes every
//! right from others at its start, and whoever makes files for somebody else (edits in a project, language servers) gives back what
//! the user's own mask allows. Set once, before there is a second thread; it is the process's in the system's eyes too.

use std::sync::OnceLock;

/// The mask before [`make_private`]; empty until then.
static USERS: OnceLock<u32> = OnceLock::new();

/// Makes everything that this process creates from now on private to its user, from the first instant.
pub fn make_private() {
    #[cfg(unix)]
    {
        let _ = USERS.set(replace(0o077));
    }
}

/// The mask that the user wants for files of the user's own; `None` where the process has it still, or where there are none.
#[must_use]
pub fn users_mask() -> Option<u32> {
    USERS.get().copied()
}

/// Gives the process a mask; what it was before.
#[cfg(unix)]
#[allow(clippy::unnecessary_cast, clippy::cast_lossless, reason = "modes have other widths on other systems")]
pub fn replace(mask: u32) -> u32 {
    use rustix::fs::{Mode, RawMode};
    rustix::process::umask(Mode::from_raw_mode(mask as RawMode)).as_raw_mode() as u32
}
