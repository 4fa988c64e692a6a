//! Repeats operations that fail because another process has the file open for a moment, as happens on Windows.
//!
//! There a file that another process has open without sharing it cannot be renamed, replaced or removed; scanners and
//! indexers open every new file, for some milliseconds. A lasting failure is reported a second later.

use std::io;
use std::time::Duration;

/// Numbers from the system's `winerror.h`: `ERROR_ACCESS_DENIED`, which also stands for a name that is about to go,
/// `ERROR_SHARING_VIOLATION`, `ERROR_LOCK_VIOLATION`.
const PASSING: [i32; 3] = [5, 32, 33];

/// Pauses between attempts, in milliseconds: a second together.
const PAUSES: [u64; 8] = [2, 4, 8, 16, 64, 128, 256, 512];

/// Runs `act`, and repeats it while the error may pass.
pub(super) fn patiently<T>(mut act: impl FnMut() -> io::Result<T>) -> io::Result<T> {
    for pause in PAUSES {
        match act() {
            Err(error) if error.raw_os_error().is_some_and(|number| PASSING.contains(&number)) => {
                std::thread::sleep(Duration::from_millis(pause));
            }
            other => return other,
        }
    }
    act()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fail_times(number: i32, times: usize) -> (io::Result<usize>, usize) {
        let mut attempts = 0;
        let outcome = patiently(|| {
            attempts += 1;
            if attempts > times { Ok(attempts) } else { Err(io::Error::from_raw_os_error(number)) }
        });
        (outcome, attempts)
    }

    #[test]
    fn what_passes_is_waited_for_and_nothing_else() {
        assert_eq!(fail_times(32, 3).0.expect("it passed"), 4);
        let (outcome, attempts) = fail_times(2, 3);
        assert_eq!((outcome.expect_err("for good").raw_os_error(), attempts), (Some(2), 1));
        let (outcome, attempts) = fail_times(5, usize::MAX);
        assert_eq!((outcome.expect_err("for good").raw_os_error(), attempts), (Some(5), PAUSES.len() + 1));
    }
}
