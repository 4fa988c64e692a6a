//! Keeps the files that this process makes private to its user.
//!
//! The daemon's files belong to its user alone, and libraries that know no modes write many of them. So the
//! process takes every right from others at its start, and code that makes files for other programs (edits in
//! a project, language servers) restores the rights that the user's own mask allows. The daemon sets the mask
//! once, before it has a second thread; the system has one mask per process too.

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
