//! Names headings as links do.

use rustc_hash::FxHashMap;

/// Returns the anchor of a heading as most renderers make it: in lower case, with hyphens for spaces, without other
/// signs than hyphens and underscores.
pub(crate) fn slug(heading: &str) -> String {
    let kept = heading.chars().filter_map(|c| match c {
        ' ' => Some('-'),
        '-' | '_' => Some(c),
        _ => c.is_alphanumeric().then_some(c),
    });
    kept.flat_map(char::to_lowercase).collect()
}

/// Returns a heading without the details that writers are careless about: case, punctuation, runs of spaces.
pub(crate) fn loose_slug(heading: &str) -> String {
    let words = heading.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    words.map(str::to_lowercase).collect::<Vec<_>>().join(" ")
}

/// Numbers the anchors of one note: the second `usage` is `usage-1`.
#[derive(Debug, Default)]
pub(crate) struct Anchors {
    met: FxHashMap<String, u32>,
}

impl Anchors {
    /// Returns the anchor of the next heading, in order of the text.
    pub(crate) fn next(&mut self, heading: &str) -> String {
        let plain = slug(heading);
        let count = self.met.entry(plain.clone()).and_modify(|n| *n += 1).or_default();
        if *count == 0 { plain } else { format!("{plain}-{count}") }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn anchors_are_those_of_renderers() {
        assert_eq!(slug("What's new in C#, 2.0?"), "whats-new-in-c-20");
        assert_eq!(slug("Über `naïve` foo_bar"), "über-naïve-foo_bar");
        let mut anchors = Anchors::default();
        assert_eq!(["A", "A", "B", "A"].map(|h| anchors.next(h)), ["a", "a-1", "b", "a-2"]);
        assert_eq!(loose_slug("Was  (ist) Das?"), "was ist das");
    }
}
