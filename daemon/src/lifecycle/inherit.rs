//! Descriptors that came with the process: a service manager's sockets, and what is none of its business.
//!
//! A client may have been given more than its standard streams by whatever started it (a build tool's job pipe, the lock
//! of a shell script, the pipes of a sibling) without the mark that closes them in children. A daemon that kept them would
//! hold that lock, or that pipe open, for hours after its owner has ended. Only sockets that were handed to this very process
//! (`LISTEN_PID`) are kept.

#[cfg(unix)]
use std::os::fd::OwnedFd;

/// Descriptors that a service manager handed to this process.
#[derive(Debug, Default)]
pub struct Handed {
    /// The descriptors in their order.
    #[cfg(unix)]
    pub(super) descriptors: Vec<OwnedFd>,
}

/// Closes everything but the standard streams and what a service manager handed over. Must be the first thing the process does.
#[cfg(unix)]
#[allow(unsafe_code, reason = "no safe interface closes a descriptor that nothing in the process owns")]
#[must_use]
pub fn close_inherited() -> Handed {
    use std::os::fd::{BorrowedFd, FromRawFd as _};
    let handed_over = handed_over();
    let mut descriptors = Vec::new();
    for number in open_descriptors() {
        // SAFETY: the number is only asked about; the list includes the descriptor it was read from, which is closed by now.
        let still_open = rustix::io::fcntl_getfd(unsafe { BorrowedFd::borrow_raw(number) }).is_ok();
        if still_open {
            // SAFETY: called before anything in this process opens a descriptor, so it came from the parent and has no owner.
            let owned = unsafe { OwnedFd::from_raw_fd(number) };
            if handed_over.contains(&number) {
                descriptors.push(owned);
            }
        }
    }
    Handed { descriptors }
}

/// Nothing is inherited unless asked for.
#[cfg(not(unix))]
#[must_use]
pub fn close_inherited() -> Handed {
    Handed::default()
}

/// The numbers that are for this process; they are closed in its children from now on.
#[cfg(target_os = "linux")]
fn handed_over() -> Vec<i32> {
    sd_notify::listen_fds().map(Iterator::collect).unwrap_or_default()
}

#[cfg(all(unix, not(target_os = "linux")))]
fn handed_over() -> Vec<i32> {
    Vec::new()
}

#[cfg(unix)]
fn open_descriptors() -> Vec<i32> {
    let list = if cfg!(target_os = "linux") { "/proc/self/fd" } else { "/dev/fd" };
    let entries = std::fs::read_dir(list).into_iter().flatten().filter_map(Result::ok);
    let numbers = entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok());
    let mut numbers: Vec<i32> = numbers.filter(|number| *number > 2).collect();
    numbers.sort_unstable();
    numbers
}
