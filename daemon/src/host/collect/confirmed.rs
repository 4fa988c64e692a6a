//! What language servers confirmed and nobody has the contents for any more.
//!
//! A record says when it was written, so no notes are needed: one whose file no workspace has goes once it is older than the
//! grace, one that nobody can read goes at once. When all take too much, the oldest go first, in use or not; they are confirmed
//! again by the next question.

use hob_base::ContentHash;
use hob_store::Tree;
use rustc_hash::FxHashSet;

use super::{CollectError, Run, remove};
use crate::host::promote::{content_of, seconds_of};

/// Bytes that records may take.
const MOST_BYTES: u64 = 32 << 20;

impl Run<'_> {
    pub(super) fn sweep_confirmed(&self, live: &FxHashSet<ContentHash>) -> Result<(), CollectError> {
        self.check()?;
        let (mut kept, mut bytes, mut steps) = (Vec::new(), 0, Vec::new());
        self.store.each(Tree::Confirmed, b"", &mut |key, value| {
            let written = seconds_of(value).unwrap_or(0);
            let content = content_of(key, value);
            let is_live = content.is_some_and(|content| live.contains(&content));
            let over = self.now.saturating_sub(written) > self.keep.grace.as_secs();
            if content.is_none() || (over && !is_live) {
                steps.push(remove(key.to_vec()));
            } else {
                let size = (key.len() + value.len()) as u64;
                bytes += size;
                kept.push((written, size, key.to_vec()));
            }
            true
        })?;
        kept.sort_unstable();
        for (_, size, key) in kept {
            if bytes <= MOST_BYTES {
                break;
            }
            bytes -= size;
            steps.push(remove(key));
        }
        if !steps.is_empty() {
            self.store.batch(Tree::Confirmed, steps)?;
        }
        Ok(())
    }
}
