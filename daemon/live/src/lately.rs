//! Caches facts that a call has just found out, so that the next calls need not find them out again.
//!
//! An entry holds the state at one time, and is dropped after a while. Until then the caller decides whether it may
//! have changed.

use std::collections::HashMap;
use std::hash::Hash;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// Values that count for a while.
#[derive(Debug)]
pub(crate) struct RecentValues<K, V> {
    entries: Mutex<HashMap<K, (Instant, V)>>,
    believed_for: Duration,
}

impl<K: Eq + Hash, V: Clone> RecentValues<K, V> {
    /// Creates an empty cache whose values count for `believed_for`.
    pub(crate) fn new(believed_for: Duration) -> Self {
        Self { entries: Mutex::default(), believed_for }
    }

    /// Returns the value for `key`, if it is young enough.
    pub(crate) fn get(&self, key: &K) -> Option<V> {
        let entries = self.entries.lock().unwrap_or_else(PoisonError::into_inner);
        let (at, value) = entries.get(key)?;
        (at.elapsed() < self.believed_for).then(|| value.clone())
    }

    /// Stores a value that was found out now, and drops old ones.
    pub(crate) fn insert_fresh(&self, key: K, value: V) {
        let mut entries = self.entries.lock().unwrap_or_else(PoisonError::into_inner);
        entries.retain(|_, (at, _)| at.elapsed() < self.believed_for);
        entries.insert(key, (Instant::now(), value));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_old_is_not_believed_and_not_kept() {
        let (ever, never) = (RecentValues::new(Duration::MAX), RecentValues::new(Duration::ZERO));
        for known in [&ever, &never] {
            known.insert_fresh(1, "one");
            known.insert_fresh(2, "two");
        }
        assert_eq!((ever.get(&1), ever.get(&2), ever.get(&3)), (Some("one"), Some("two"), None));
        assert_eq!(never.get(&2), None);
        assert_eq!(never.entries.lock().expect("nobody panicked").len(), 1);
    }
}
