//! Names pending edits by IDs that are short enough to be typed and hard to guess.
//!
//! Whoever names a pending edit can have it applied, so an ID that an agent invents must not exist. Forty bits from the
//! system's own source of keys are enough for the few that are pending at a time.

use std::fmt;
use std::hash::{BuildHasher, RandomState};

/// Digits and letters without those that look like others (Crockford's base 32).
const DIGITS: &[u8; 32] = b"0123456789abcdefghjkmnpqrstvwxyz";
const LEN: usize = 8;

/// The name of a pending edit: `e` and eight letters or digits, such as `e7k3m2qxa`.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct PendingId(String);

impl PendingId {
    /// Makes a new ID at random.
    #[must_use]
    pub(crate) fn random_id() -> Self {
        // Each `RandomState` has keys of its own; the thread's were drawn from the system.
        let bits = RandomState::new().hash_one(std::time::SystemTime::now());
        let digit = |at: usize| char::from(DIGITS[(bits >> (5 * at)) as usize % 32]);
        Self(std::iter::once('e').chain((0..LEN).map(digit)).collect())
    }

    /// Parses an ID as a caller wrote it; `None` if the text does not have its form.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let text = text.trim().to_ascii_lowercase();
        let digits = text.strip_prefix('e')?.as_bytes();
        (digits.len() == LEN && digits.iter().all(|digit| DIGITS.contains(digit))).then_some(Self(text))
    }

    /// Returns the ID as text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for PendingId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_as_they_are_written_and_nothing_else() {
        let id = PendingId::random_id();
        assert_eq!(PendingId::parse(&format!(" {} ", id.as_str().to_uppercase())), Some(id.clone()));
        assert_ne!(PendingId::random_id(), id);
        for wrong in ["", "e", "e1234567", "e123456789", "../../etc", "x12345678", "e1234567i"] {
            assert_eq!(PendingId::parse(wrong), None, "{wrong}");
        }
    }
}
