//! Shares vectors between workspaces: work trees of one repository hold them once, and compute them once.
//!
//! The key is a hash of the embedded texts, so no vectors can be taken for others. Nothing is kept alive here: when the
//! last workspace drops a file's vectors, they are gone.

use std::sync::{Arc, Mutex, Weak};

use hob_base::ContentHash;
use hob_embed::Codes;
use rustc_hash::FxHashMap;

use hob_base::lock;

/// Least number of entries at which dead ones are searched for; there must also be twice as many as were alive the last
/// time.
const FEW: usize = 1_024;

/// The vectors that several workspaces share, by what was embedded.
#[derive(Debug, Default)]
pub(super) struct SharedVectors {
    inside: Mutex<Inside>,
}

#[derive(Debug, Default)]
struct Inside {
    all: FxHashMap<ContentHash, Weak<Codes>>,
    alive: usize,
}

impl SharedVectors {
    /// Returns the vectors of this key, made by `make` if nobody has them.
    pub(super) fn get(&self, key: ContentHash, make: impl FnOnce() -> Codes) -> Arc<Codes> {
        if let Some(known) = lock(&self.inside).all.get(&key).and_then(Weak::upgrade) {
            return known;
        }
        // This is outside the lock: two threads that make the same vectors at the same time waste time, but do no harm.
        let made = Arc::new(make());
        let mut inside = lock(&self.inside);
        if inside.all.len() >= FEW.max(inside.alive * 2) {
            inside.all.retain(|_, codes| codes.strong_count() > 0);
            inside.alive = inside.all.len();
        }
        inside.all.insert(key, Arc::downgrade(&made));
        made
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(number: usize) -> ContentHash {
        ContentHash::of(&number.to_le_bytes())
    }

    #[test]
    fn what_somebody_has_is_not_made_again() {
        let shared = SharedVectors::default();
        let first = shared.get(key(1), || Codes::new(4));
        let second = shared.get(key(1), || unreachable!("it is there"));
        assert!(Arc::ptr_eq(&first, &second));
        drop((first, second));
        let mut again = false;
        let _ = shared.get(key(1), || {
            again = true;
            Codes::new(4)
        });
        assert!(again, "nobody had it any more");
    }

    #[test]
    fn what_nobody_has_is_forgotten() {
        let shared = SharedVectors::default();
        let kept = shared.get(key(0), || Codes::new(4));
        for number in 1..10 * FEW {
            let _ = shared.get(key(number), || Codes::new(4));
        }
        assert!(lock(&shared.inside).all.len() <= FEW + 1);
        assert!(Arc::ptr_eq(&kept, &shared.get(key(0), || unreachable!("it is there"))));
    }
}
