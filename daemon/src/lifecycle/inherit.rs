//! Descriptors that came with the process and are none of its business.
//!
//! A client may have been given more than its standard streams by whatever started it (a build tool's job pipe, the lock
//! of a shell script, the pipes of a sibling) without the mark that closes them in children. A daemon that kept them would
//! hold that lock, or that pipe open, for hours after its owner has ended.

/// Closes everything but the standard streams. Must be the first thing the process does.
#[cfg(unix)]
#[allow(unsafe_code, reason = "no safe interface closes a descriptor that nothing in the process owns")]
pub fn close_inherited() {
    use std::os::fd::{BorrowedFd, FromRawFd as _, OwnedFd};
    for number in open_descriptors() {
        // SAFETY: the number is only asked about; the list includes the descriptor it was read from, which is closed by now.
        let still_open = rustix::io::fcntl_getfd(unsafe { BorrowedFd::borrow_raw(number) }).is_ok();
        if still_open {
            // SAFETY: called before anything in this process opens a descriptor, so it came from the parent and has no owner.
            drop(unsafe { OwnedFd::from_raw_fd(number) });
        }
    }
}

/// Nothing is inherited unless asked for.
#[cfg(not(unix))]
pub fn close_inherited() {}

#[cfg(unix)]
fn open_descriptors() -> Vec<i32> {
    let list = if cfg!(target_os = "linux") { "/proc/self/fd" } else { "/dev/fd" };
    let entries = std::fs::read_dir(list).into_iter().flatten().filter_map(Result::ok);
    let numbers = entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok());
    numbers.filter(|number| *number > 2).collect()
}
