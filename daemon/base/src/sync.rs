//! Locks whose holders may panic.

use std::sync::{Mutex, MutexGuard, PoisonError};

/// Locks `mutex`, also after a holder panicked: for plain values, which are valid whenever nobody is in the middle of a change,
/// so that a panic in one call ends that call alone.
pub fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
