//! Texts that nearly are a query: one edit away, or holding its letters in order.
//!
//! Every text is looked at, but hardly any is read: how long it is and which letters it has already say no to nearly all.

use rayon::prelude::*;

use super::arena::{CHUNK, Containing, TextArena, letters};

/// Shortest query whose letters may be scattered.
const LEAST_SCATTERED: usize = 4;

impl TextArena {
    /// The first `limit` texts that are one edit away from `needle` (lower case), or, if there is none, that begin with its first letter and
    /// hold the others in order.
    pub(crate) fn resembling<'a>(&'a self, needle: &str, limit: usize) -> Vec<Containing<'a>> {
        let needle = needle.as_bytes();
        let letters = letters(needle);
        let most = needle.len() + 1;
        let length = needle.len().saturating_sub(1)..=most;
        let edited = self.first(limit, |at| {
            self.lacks(at, letters) <= 1
                && length.contains(&self.length(at))
                && one_edit(self.entry(at).as_bytes(), needle)
        });
        if !edited.is_empty() || needle.len() < LEAST_SCATTERED {
            return edited;
        }
        self.first(limit, |at| {
            self.lacks(at, letters) == 0
                && self.length(at) > needle.len()
                && in_order(self.entry(at).as_bytes(), needle)
        })
    }

    /// The first `limit` entries that pass.
    fn first<'a>(&'a self, limit: usize, test: impl Fn(usize) -> bool + Sync) -> Vec<Containing<'a>> {
        let chunks = (0..self.len().div_ceil(CHUNK)).into_par_iter();
        let found: Vec<Vec<usize>> = chunks
            .map(|chunk| {
                let entries = chunk * CHUNK..((chunk + 1) * CHUNK).min(self.len());
                entries.filter(|&at| test(at)).take(limit).collect()
            })
            .collect();
        found.into_iter().flatten().take(limit).map(|at| self.found(at)).collect()
    }
}

/// Whether one insertion, deletion, replacement or swap of neighbouring bytes turns one text into the other.
fn one_edit(a: &[u8], b: &[u8]) -> bool {
    let (long, short) = if a.len() >= b.len() { (a, b) } else { (b, a) };
    if long.len() - short.len() > 1 {
        return false;
    }
    let same = long.iter().zip(short).take_while(|(x, y)| x == y).count();
    if long.len() > short.len() {
        return long[same + 1..] == short[same..];
    }
    let swapped = || {
        same + 1 < long.len()
            && (long[same], long[same + 1]) == (short[same + 1], short[same])
            && long[same + 2..] == short[same + 2..]
    };
    same == long.len() || long[same + 1..] == short[same + 1..] || swapped()
}

/// Whether the bytes of `needle` come in `text` in order, starting with its first.
fn in_order(text: &[u8], needle: &[u8]) -> bool {
    let mut letters = text.iter();
    text.first() == needle.first() && needle.iter().all(|want| letters.any(|have| have == want))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn near(texts: &[&str], needle: &str) -> Vec<u32> {
        let mut arena = TextArena::default();
        texts.iter().zip(0..).for_each(|(text, at)| arena.push(text, at));
        arena.resembling(needle, 5).iter().map(|found| found.owner).collect()
    }

    #[test]
    fn one_edit_is_any_of_four() {
        let texts = ["session", "sesion", "sessions", "sestion", "sessoin", "essions", "ses", "sassoin"];
        assert_eq!(near(&texts, "session"), [0, 1, 2, 3, 4]);
        assert_eq!(near(&["ab"], "xyz"), [0; 0]);
        assert_eq!(near(&["Foo"], "fou"), [0]);
    }

    #[test]
    fn scattered_letters_count_where_no_edit_helps() {
        let texts = ["copy_from_user", "user_from_copy", "cfu", "cpfrmusr_"];
        assert_eq!(near(&texts, "cpfrmusr"), [3]);
        assert_eq!(near(&texts[..3], "cpfrmusr"), [0]);
        assert_eq!(near(&texts, "cfx"), [2]);
        assert_eq!(near(&texts, "cfux"), [2]);
        assert!(near(&texts, "zzzz").is_empty());
    }
}
