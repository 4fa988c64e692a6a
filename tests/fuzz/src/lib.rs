//! Fuzz targets: plain functions over bytes, each of which reads what somebody else may have written.
//!
//! A target panics where hob is wrong and returns otherwise, whatever the bytes are. Three drivers run the same functions: the test
//! `tests/corpus.rs` replays the kept corpus and mutates it for some seconds, the program `hob-fuzz` does the same for as long as one
//! likes, and the same program with the feature `libfuzzer` is guided by coverage (`README.md`). Not here: whole processes, which
//! `tests/e2e` starts.

pub mod allocation;
pub mod corpus;
pub mod driver;
pub mod input;
pub mod mutation;
mod targets;

use hob_map::Lang;
use hob_map::langs::TABLE;

/// A function over bytes, with a name.
#[derive(Clone, Debug)]
pub struct FuzzTarget {
    /// The name of the target and of its folder in `corpus/`.
    pub name: String,
    check: Check,
}

#[derive(Clone, Copy, Debug)]
enum Check {
    Bytes(fn(&[u8])),
    Extraction(Lang),
}

impl FuzzTarget {
    /// Runs the target.
    ///
    /// # Panics
    /// Where hob does what it must not do.
    pub fn run_on(&self, bytes: &[u8]) {
        match self.check {
            Check::Bytes(check) => check(bytes),
            Check::Extraction(lang) => targets::extraction::check_extraction(lang, bytes),
        }
    }

    /// Returns the language whose extraction this target checks.
    #[must_use]
    pub fn language(&self) -> Option<Lang> {
        match self.check {
            Check::Bytes(_) => None,
            Check::Extraction(lang) => Some(lang),
        }
    }
}

/// Every target: one for the extraction of each language, then the others.
#[must_use]
pub fn all_targets() -> Vec<FuzzTarget> {
    let of_language = |lang: Lang| FuzzTarget {
        name: format!("extract-{}", format!("{lang:?}").to_lowercase()),
        check: Check::Extraction(lang),
    };
    let named = |(name, check): &targets::NamedCheck| FuzzTarget {
        name: (*name).to_owned(),
        check: Check::Bytes(*check),
    };
    TABLE.iter().map(|spec| of_language(spec.lang)).chain(targets::NAMED.iter().map(named)).collect()
}
