//! Raises the number of files that this process may have open at once.
//!
//! Systems give every process a soft limit of 1,024, for the sake of old programs that count descriptors in a
//! bit set. A daemon that reads a project with every processor, maps texts and serves many clients reaches
//! it, and every program may raise its own up to the hard limit. The daemon's child processes get the user's
//! limit back. The daemon calls this once, before it has a second thread.

use std::sync::OnceLock;

/// The soft limit before [`raise_limit`], if that changed it.
static USERS: OnceLock<u64> = OnceLock::new();

/// Raises the soft limit to the hard one, as far as the system allows.
pub fn raise_limit() {
    #[cfg(unix)]
    {
        use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
        let limit = getrlimit(Resource::Nofile);
        let Some(soft) = limit.current else { return };
        // macOS reports no limit, but refuses more than this for any process.
        let most = limit.maximum.unwrap_or(10_240);
        let raised = Rlimit { current: Some(most), maximum: limit.maximum };
        if most > soft && setrlimit(Resource::Nofile, raised).is_ok() {
            let _ = USERS.set(soft);
        }
    }
}

/// Returns the soft limit of the user's programs; `None` if this process still has it, or if there is none.
#[must_use]
pub fn users_limit() -> Option<u64> {
    USERS.get().copied()
}

/// Lowers this process's soft limit, for its child processes.
#[cfg(unix)]
pub fn lower_limit(soft: u64) {
    use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
    let maximum = getrlimit(Resource::Nofile).maximum;
    let _ = setrlimit(Resource::Nofile, Rlimit { current: Some(soft), maximum });
}
