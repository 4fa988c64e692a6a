//! Raises the number of files that this process may have open at once.
//!
//! A soft limit of 1,024 is what systems give everybody, for the sake of old programs that count descriptors in a bit set. A daemon that
//! reads a project with every processor, maps texts and serves many clients meets it, and every program may raise its own up to the
//! hard limit. What the daemon starts for others gets back what the user had. Set once, before there is a second thread.

use std::sync::OnceLock;

/// The soft limit before [`raise_limit`], if that changed it.
static USERS: OnceLock<u64> = OnceLock::new();

/// Raises the soft limit to the hard one, as far as the system lets.
pub fn raise_limit() {
    #[cfg(unix)]
    {
        use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
        let limit = getrlimit(Resource::Nofile);
        let Some(soft) = limit.current else { return };
        // macOS calls no limit what it then refuses: no process has more than this there.
        let most = limit.maximum.unwrap_or(10_240);
        let raised = Rlimit { current: Some(most), maximum: limit.maximum };
        if most > soft && setrlimit(Resource::Nofile, raised).is_ok() {
            let _ = USERS.set(soft);
        }
    }
}

/// The soft limit that the user's programs have; `None` where this process has it still, or where there is none.
#[must_use]
pub fn users_limit() -> Option<u64> {
    USERS.get().copied()
}

/// Lowers this process's soft limit, for what it starts.
#[cfg(unix)]
pub fn lower_limit(soft: u64) {
    use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
    let maximum = getrlimit(Resource::Nofile).maximum;
    let _ = setrlimit(Resource::Nofile, Rlimit { current: Some(soft), maximum });
}
