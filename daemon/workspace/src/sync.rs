//! The locks of the dirty set, in one place: `tests/models` explores the same code with locks whose schedule it chooses.

pub(crate) use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
