//! Finds texts that resemble a query: one edit away, or containing its letters in order.
//!
//! An edit in the second half of a text preserves its beginning, any other its end; so only texts that begin or end
//! like the query are tested. Hardly any of them is read: its length and its set of letters already exclude nearly all.

use super::arena::{TextArena, letter_bits};
use super::grams::{EDGE, byte_kinds};
use super::runs::Runs;

/// Length of the shortest query whose letters may be scattered.
const LEAST_SCATTERED: usize = 4;

impl TextArena {
    /// Returns the first `limit` entries whose text is one edit away from `needle` (lower case, at least three bytes),
    /// or, if there are none, begins with its first letter and has the others in order.
    pub(crate) fn resembling(&self, needle: &str, limit: usize) -> Runs {
        let wanted: Vec<u8> = byte_kinds(needle).collect();
        if wanted.len() < 3 || needle.contains('\n') {
            return Runs::new();
        }
        let needle = needle.as_bytes();
        let letters = letter_bits(needle);
        let near = needle.len() - 1..=needle.len() + 1;
        // At least one letter is between the two parts, so that no edit, nor a swap of neighbours, touches both.
        let half = (wanted.len() - 1) / 2;
        let beginning = [&[EDGE], &wanted[..half]].concat();
        let end = [&wanted[wanted.len() - half..], &[EDGE]].concat();
        let edited = [beginning, end].map(|part| {
            self.first_passing(&self.entries_having(&part), limit, |at| {
                self.count_missing_letters(at, letters) <= 1
                    && near.contains(&self.text_length(at))
                    && one_edit(self.text(at).as_bytes(), needle)
            })
        });
        let edited = first(edited.concat(), limit);
        if !edited.is_empty() || needle.len() < LEAST_SCATTERED {
            return edited;
        }
        let scattered = self.first_passing(&self.entries_having(&[EDGE, wanted[0]]), limit, |at| {
            self.count_missing_letters(at, letters) == 0
                && self.text_length(at) > needle.len()
                && in_order(self.text(at).as_bytes(), needle)
        });
        first(scattered, limit)
    }
}

/// Returns the first entries of runs, which may overlap, one run for each.
fn first(runs: Runs, limit: usize) -> Runs {
    let mut entries: Vec<u32> = runs.into_iter().flatten().collect();
    entries.sort_unstable();
    entries.dedup();
    entries.truncate(limit);
    entries.into_iter().map(|at| at..at + 1).collect()
}

/// Returns true if one insertion, deletion, replacement or swap of neighbouring bytes turns one text into the other.
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

/// Returns true if `text` has the bytes of `needle` in order, starting with its first.
fn in_order(text: &[u8], needle: &[u8]) -> bool {
    let mut letters = text.iter();
    text.first() == needle.first() && needle.iter().all(|want| letters.any(|have| have == want))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn near_entries(texts: &[&str], needle: &str) -> Vec<u32> {
        let mut arena = TextArena::default();
        texts.iter().zip(0..).for_each(|(text, at)| arena.push(text, at));
        arena.resembling(needle, 5).into_iter().flatten().map(|entry| arena.owner(entry)).collect()
    }

    #[test]
    fn finds_what_looking_at_every_text_finds() {
        let mut rng = 11u64;
        let mut next = |below: u64| {
            rng = rng.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (rng >> 33) % below
        };
        let alphabet: Vec<char> = "abc_é".chars().collect();
        let mut word = |least: u64, longest: u64| -> String {
            let length = least + next(longest + 1 - least);
            (0..length).map(|_| alphabet[next(alphabet.len() as u64) as usize]).collect()
        };
        let texts: Vec<String> = (0..400).map(|_| word(0, 8)).collect();
        let mut arena = TextArena::default();
        texts.iter().zip(0..).for_each(|(text, at)| arena.push(text, at));
        for _ in 0..300 {
            let needle = word(3, 7);
            let those = |test: &dyn Fn(&[u8], &[u8]) -> bool| -> Vec<u32> {
                let passing =
                    texts.iter().zip(0..).filter(|(text, _)| test(text.as_bytes(), needle.as_bytes()));
                passing.map(|(_, at)| at).collect()
            };
            let edited = those(&one_edit);
            let scattered = || those(&|text, needle| text.len() > needle.len() && in_order(text, needle));
            let expected = match edited.is_empty() && needle.len() >= LEAST_SCATTERED {
                true => scattered(),
                false => edited,
            };
            let found: Vec<u32> = arena.resembling(&needle, usize::MAX).into_iter().flatten().collect();
            assert_eq!(found, expected, "{needle}");
        }
    }

    #[test]
    fn one_edit_is_any_of_four() {
        let texts = ["session", "sesion", "sessions", "sestion", "sessoin", "essions", "ses", "sassoin"];
        assert_eq!(near_entries(&texts, "session"), [0, 1, 2, 3, 4]);
        assert_eq!(near_entries(&["ab"], "xyz"), [0; 0]);
        assert_eq!(near_entries(&["Foo"], "fou"), [0]);
    }

    #[test]
    fn scattered_letters_count_where_no_edit_helps() {
        let texts = ["copy_from_user", "user_from_copy", "cfu", "cpfrmusr_"];
        assert_eq!(near_entries(&texts, "cpfrmusr"), [3]);
        assert_eq!(near_entries(&texts[..3], "cpfrmusr"), [0]);
        assert_eq!(near_entries(&texts, "cfx"), [2]);
        assert_eq!(near_entries(&texts, "cfux"), [2]);
        assert!(near_entries(&texts, "zzzz").is_empty());
    }
}
