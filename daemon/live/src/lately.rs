//! Caches facts that a call has just found out, so that the calls right after it do not find them out again.
//!
//! An entry says how something was at a time, and is forgotten after a while. Whether it is still so before that is for whoever
//! asks to say.

use std::collections::HashMap;
use std::hash::Hash;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// Values that are believed for a while.
#[derive(Debug)]
pub(crate) struct Lately<K, V> {
    entries: Mutex<HashMap<K, (Instant, V)>>,
    believed_for: Duration,
}

impl<K: Eq + Hash, V: Clone> Lately<K, V> {
    /// Creates an empty cache whose values are believed for `believed_for`.
    pub(crate) fn new(believed_for: Duration) -> Self {
        Self { entries: Mutex::default(), believed_for }
    }

    /// Returns the value for `key`, if it is not too old to be believed.
    pub(crate) fn get(&self, key: &K) -> Option<V> {
        let entries = self.entries.lock().unwrap_or_else(PoisonError::into_inner);
        let (at, value) = entries.get(key)?;
        (at.elapsed() < self.believed_for).then(|| value.clone())
    }

    /// Notes what was found out now, and forgets what is too old.
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
        let (ever, never) = (Lately::new(Duration::MAX), Lately::new(Duration::ZERO));
        for known in [&ever, &never] {
            known.insert_fresh(1, "one");
            known.insert_fresh(2, "two");
        }
        assert_eq!((ever.get(&1), ever.get(&2), ever.get(&3)), (Some("one"), Some("two"), None));
        assert_eq!(never.get(&2), None);
        assert_eq!(never.entries.lock().expect("nobody panicked").len(), 1);
    }
}
