//! Closes the descriptors that the process inherited, except the sockets of a service manager.
//!
//! The program that started a client may have given it more than the standard streams (a build tool's job
//! pipe, the lock of a shell script, the pipes of a sibling) without the mark that closes them in children. A
//! daemon that kept them would hold that lock, or that pipe open, for hours after its owner has ended. Only
//! sockets that a service manager passed to this very process (`LISTEN_PID`) stay open.

#[cfg(unix)]
use std::os::fd::OwnedFd;

/// The descriptors that a service manager passed to this process.
#[derive(Debug, Default)]
pub struct InheritedDescriptors {
    /// The descriptors in the manager's order.
    #[cfg(unix)]
    pub(super) descriptors: Vec<OwnedFd>,
}

/// Closes everything but the standard streams and the sockets of a service manager. Must be the first thing
/// that the process does.
#[cfg(unix)]
#[allow(unsafe_code, reason = "no safe interface closes a descriptor that nothing in the process owns")]
#[must_use]
pub fn close_inherited() -> InheritedDescriptors {
    use std::os::fd::{BorrowedFd, FromRawFd as _};
    let handed_over = handed_over();
    let mut descriptors = Vec::new();
    for number in open_descriptors() {
        // SAFETY: the call only queries the number; the list includes the descriptor it was read from, which
        // is closed by now.
        let still_open = rustix::io::fcntl_getfd(unsafe { BorrowedFd::borrow_raw(number) }).is_ok();
        if still_open {
            // SAFETY: called before anything in this process opens a descriptor, so the parent passed this
            // one and it has no owner.
            let owned = unsafe { OwnedFd::from_raw_fd(number) };
            if handed_over.contains(&number) {
                descriptors.push(owned);
            }
        }
    }
    InheritedDescriptors { descriptors }
}

/// Does nothing, because children inherit nothing by default here.
#[cfg(not(unix))]
#[must_use]
pub fn close_inherited() -> InheritedDescriptors {
    InheritedDescriptors::default()
}

/// Returns the numbers that the manager passed to this process; from now on they are closed in its children.
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
