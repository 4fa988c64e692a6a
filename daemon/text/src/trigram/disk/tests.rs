//! Tests that a segment file of any bytes is either refused or harmless.

use std::sync::Arc;

use hob_base::{ContentHash, FileId, WsPath};
use proptest::prelude::*;

use super::FormatError;
use super::frame::CHECKSUM;
use super::segment::{self, SegmentFile};
use crate::trigram::segment::{Doc, Segment};
use crate::trigram::{FileGrams, Gram, GramChange, GramQuery, TextView, TrigramIndex};
use crate::{PathFilter, Pattern};
use hob_base::Region;

fn small_index() -> TextView {
    let set = |n: u32| {
        let text =
            format!("shared text, number {n} {:x}\n{}", n * n, "rare".repeat(n.is_multiple_of(9).into()));
        let path = WsPath::new(&format!("folder{}/é{n}", n % 5)).expect("a relative path");
        let (hash, grams) = (ContentHash::of(text.as_bytes()), FileGrams::from_bytes(text.as_bytes()));
        GramChange::Set { file: FileId(n), path, hash, grams }
    };
    let mut index = TrigramIndex::new();
    index.apply((0..60).map(set).collect());
    index.snapshot()
}

/// Returns the bytes of a segment file.
fn good_file() -> Vec<u8> {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("segment");
    segment::write(&small_index().parts()[0].segment, &path).expect("a folder of our own");
    std::fs::read(path).expect("just written")
}

/// Corrects the checksum.
fn with_new_checksum(mut file: Vec<u8>) -> Vec<u8> {
    let end = file.len() - CHECKSUM;
    let checksum = ContentHash::of(&file[..end]);
    file[end..].copy_from_slice(checksum.as_bytes());
    file
}

fn open(file: Vec<u8>) -> Result<Segment, FormatError> {
    let file = SegmentFile::from_region(Region::Read(file))?;
    let docs: Arc<[Doc]> =
        file.read_paths()?.into_iter().zip(0..).map(|(path, n)| Doc { file: FileId(n), path }).collect();
    file.into_segment(docs)
}

/// Calls everything that a segment offers.
fn exercise_segment(segment: Segment) {
    let (mut index, count) = (TrigramIndex::new(), segment.docs.len());
    index.push_restored(segment, &vec![true; count]);
    let snapshot = index.snapshot();
    for pattern in ["shared", "number|rare", "(?i)TEXT.*rare", "1[0-9a]", "zzz", ""] {
        let pattern = Pattern::new(pattern).expect("a valid pattern");
        let found = snapshot.candidate_files(pattern.query(), &PathFilter::default());
        assert!(found.len() <= count);
    }
    let all: Vec<GramQuery> =
        (0..Gram::SPACE).step_by(4001).map(|n| GramQuery::Gram(gram_of_number(n))).collect();
    let _ = snapshot.candidate_files(&GramQuery::Or(all), &PathFilter::default());
    let _ = snapshot.export_contents();
    // Half of it is dead, so that it is merged.
    index.apply((0..count as u32).step_by(2).map(|n| GramChange::Remove { file: FileId(n) }).collect());
    index.apply((0..8).map(|n| GramChange::Remove { file: FileId(n) }).collect());
    while index.merge_step() {}
    let _ = index.snapshot().export_contents();
}

fn gram_of_number(number: u32) -> Gram {
    let [_, bytes @ ..] = number.to_be_bytes();
    Gram::new(bytes)
}

#[test]
fn what_was_written_is_read() {
    let (snapshot, segment) = (small_index(), open(good_file()).expect("a good file"));
    let original = &snapshot.parts()[0].segment;
    let paths = |segment: &Segment| segment.docs.iter().map(|doc| doc.path.clone()).collect::<Vec<_>>();
    assert_eq!(paths(&segment), paths(original));
    assert_eq!(segment.hashes(), original.hashes());
    assert_eq!(segment.ends(), original.ends());
    assert_eq!(segment.table(), original.table());
    assert_eq!(segment.postings(), original.postings());
    assert_eq!(segment.private_bytes(), original.private_bytes(), "read, not mapped");
}

#[test]
fn every_flipped_bit_and_every_cut_is_noticed() {
    let good = good_file();
    for at in 0..good.len() {
        assert!(open(good[..at].to_vec()).is_err(), "cut at {at}");
        let mut flipped = good.clone();
        flipped[at] ^= 1 << (at % 8);
        assert!(open(flipped).is_err(), "flipped at {at}");
    }
}

#[test]
fn another_version_is_named() {
    let mut older = good_file();
    older[8] = 1;
    assert_eq!(open(older).expect_err("too old"), FormatError::Version { found: 1, wanted: 3 });
    assert_eq!(open(b"\x7fELF and more".to_vec()).expect_err("an executable"), FormatError::Foreign);
    assert_eq!(open(Vec::new()).expect_err("nothing"), FormatError::Foreign);
}

#[test]
fn an_intact_file_passes_the_exercise() {
    exercise_segment(open(with_new_checksum(good_file())).expect("a good file"));
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, ..ProptestConfig::default() })]

    /// The checksum is corrected, so that all later checks meet the damage.
    #[test]
    fn damage_behind_the_checksum_does_no_harm(
        edits in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..40),
        near in prop::option::of(0..4096usize),
        cut in prop::option::weighted(0.3, any::<prop::sample::Index>()),
    ) {
        let mut file = good_file();
        for (at, byte) in edits {
            let end = near.map_or(file.len(), |near| near.clamp(64, file.len()));
            file[12 + at.index(end - 12)] = byte;
        }
        if let Some(cut) = cut {
            let keep = 12 + CHECKSUM + cut.index(file.len() - 12 - CHECKSUM);
            file.truncate(keep);
        }
        if let Ok(segment) = open(with_new_checksum(file)) {
            exercise_segment(segment);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, ..ProptestConfig::default() })]

    /// Only the lists are damaged, which nothing checks before their use.
    #[test]
    fn damaged_lists_do_no_harm(edits in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..200)) {
        let mut file = good_file();
        let lists = small_index().parts()[0].segment.postings().len();
        let start = file.len() - CHECKSUM - lists;
        for (at, byte) in edits {
            file[start + at.index(lists)] = byte;
        }
        exercise_segment(open(with_new_checksum(file)).expect("lists are not looked into"));
    }
}
