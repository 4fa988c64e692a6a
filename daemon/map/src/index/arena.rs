//! Many short texts in one, lower case, for searching all of them at memory speed.
//!
//! Entries are only appended; whoever asks skips those that no longer hold, and [`TextArena::is_wasteful`] says when it is
//! time to build anew.

/// The texts, each with a number that says what it belongs to.
#[derive(Debug, Default)]
pub(crate) struct TextArena {
    /// Each text between line feeds; the first byte is one.
    text: String,
    starts: Vec<u32>,
    owners: Vec<u32>,
    /// For each text, which letters it has; see [`letters`].
    letters: Vec<u32>,
    dead: usize,
}

impl TextArena {
    /// Adds a text; it must hold no line feed, or finds nothing beyond it.
    pub(crate) fn push(&mut self, text: &str, owner: u32) {
        if self.text.is_empty() {
            self.text.push('\n');
        }
        self.starts.push(self.text.len() as u32);
        self.owners.push(owner);
        let from = self.text.len();
        self.text.extend(text.chars().flat_map(char::to_lowercase).filter(|&c| c != '\n'));
        self.letters.push(letters(&self.text[from..]));
        self.text.push('\n');
    }

    /// Notes that an entry no longer holds.
    pub(crate) fn forget(&mut self) {
        self.dead += 1;
    }

    /// Whether most entries no longer hold.
    pub(crate) fn is_wasteful(&self) -> bool {
        self.dead > 1000 && self.dead * 2 > self.owners.len()
    }

    /// Owners of the texts that contain `needle` (lower case), each with its text, in order of entry.
    pub(crate) fn containing<'a>(&'a self, needle: &'a str) -> impl Iterator<Item = (u32, &'a str)> {
        let finder = memchr::memmem::Finder::new(needle.as_bytes()).into_owned();
        let mut from = 0;
        std::iter::from_fn(move || {
            let at = from + finder.find(self.text.as_bytes().get(from..)?)?;
            let entry = self.starts.partition_point(|&start| start as usize <= at).checked_sub(1)?;
            from = self.starts.get(entry + 1).map_or(self.text.len(), |&next| next as usize - 1);
            Some((self.owners[entry], self.entry(entry)))
        })
    }

    /// Owners of the texts that may be close to `needle`: they lack at most `missing` of its letters and are not shorter
    /// than it by more than that.
    pub(crate) fn resembling(&self, needle: &str, missing: u32) -> impl Iterator<Item = (u32, &str)> {
        let (wanted, least) = (letters(needle), needle.len().saturating_sub(missing as usize));
        (0..self.owners.len())
            .filter(move |&i| (wanted & !self.letters[i]).count_ones() <= missing)
            .map(|i| (self.owners[i], self.entry(i)))
            .filter(move |(_, text)| text.len() >= least)
    }

    fn entry(&self, at: usize) -> &str {
        let end = self.starts.get(at + 1).map_or(self.text.len(), |&next| next as usize);
        self.text.get(self.starts[at] as usize..end - 1).unwrap_or("")
    }

    pub(crate) fn heap_bytes(&self) -> usize {
        self.text.capacity() + 12 * self.starts.capacity()
    }
}

/// One bit for each letter, and one each for digits, underscores and everything else.
fn letters(text: &str) -> u32 {
    text.bytes().fold(0, |bits, byte| {
        bits | match byte {
            b'a'..=b'z' => 1 << (byte - b'a'),
            b'0'..=b'9' => 1 << 26,
            b'_' => 1 << 27,
            _ => 1 << 28,
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_whole_entries_once() {
        let mut arena = TextArena::default();
        for (i, name) in ["Foo", "barfoofoo", "", "fo", "Straße"].iter().enumerate() {
            arena.push(name, i as u32);
        }
        let hits: Vec<_> = arena.containing("foo").collect();
        assert_eq!(hits, [(0, "foo"), (1, "barfoofoo")]);
        assert_eq!(arena.containing("ße").map(|hit| hit.0).collect::<Vec<_>>(), [4]);
        assert!(arena.resembling("fou", 1).any(|hit| hit.0 == 0));
    }
}
