//! Tests that a ranked search finds the same wherever the documents lie: in one segment whose parts threads share, or in
//! small segments of a part each. The tests are in this crate, where parts are small.

use hob_base::{CancelToken, Deadline};
use proptest::collection::vec;
use proptest::prelude::*;

use super::{
    DocKind, Prior, RankedAnswer, RankedDoc, RankedFile, RankedIndex, RankedQuestion, RankedRequest,
};

const FILES: u64 = 20;
const DOCS_OF_FILE: u32 = 37;

/// The words of names and bodies. Each document has some, by its number.
const WORDS: &[&str] = &["open", "close", "socket", "timer", "queue", "parser", "buffer"];

fn word(number: u32, step: u32) -> &'static str {
    WORDS[(number / step) as usize % WORDS.len()]
}

/// Calls `add` with each document of a file.
fn documents(file: u64, add: &mut dyn FnMut(&RankedDoc<'_>)) {
    for slot in 0..DOCS_OF_FILE {
        let number = file as u32 * DOCS_OF_FILE + slot;
        let name = format!("{}_{}", word(number, 1), word(number, 3));
        let body =
            format!("{} {} {}", word(number, 5), "queue ".repeat(number as usize % 4), word(number, 11));
        add(&RankedDoc {
            slot,
            kind: if slot == 0 { DocKind::File } else { DocKind::Symbol },
            prior: if number.is_multiple_of(9) { Prior::Test } else { Prior::Plain },
            name: &name,
            context: "net",
            signature: "",
            doc: if number.is_multiple_of(5) { "a timer for the parser" } else { "" },
            body: &body,
        });
    }
}

/// Returns an index of all documents in one segment, and one of the same documents with a segment for each file.
fn one_and_many(folder: &tempfile::TempDir) -> [RankedIndex; 2] {
    let open = |name: &str| RankedIndex::open(&folder.path().join(name), "").expect("a new index").index;
    let (one, many) = (open("one"), open("many"));
    let all: Vec<u64> = (0..FILES).collect();
    one.patch_files(&all, |patch| {
        all.iter().for_each(|file| documents(*file, &mut |doc| patch.add(*file, 1, doc).expect("room")));
        Ok(())
    })
    .expect("a segment");
    for file in all {
        many.patch_files(&[file], |patch| {
            documents(file, &mut |doc| patch.add(file, 1, doc).expect("room"));
            Ok(())
        })
        .expect("a segment");
    }
    [one, many]
}

/// Returns an index on disk of the same documents, which several threads have added.
fn on_disk(folder: &tempfile::TempDir) -> RankedIndex {
    let index = RankedIndex::open(&folder.path().join("disk"), "").expect("a new index").index;
    let added = index.update(true, |update| {
        std::thread::scope(|scope| {
            for first in 0..4 {
                scope.spawn(move || {
                    for file in (first..FILES).step_by(4) {
                        let filled = update.add_file(|patch| {
                            documents(file, &mut |doc| patch.add(file, 1, doc));
                            Ok(())
                        });
                        filled.expect("room");
                    }
                });
            }
        });
    });
    added.expect("a commit");
    index
}

fn search(index: &RankedIndex, request: &RankedRequest<'_>) -> RankedAnswer {
    let cancel = CancelToken::new(Deadline::NEVER);
    let (answer, is_complete) = index.search(request, &cancel).expect("a sound index");
    assert!(is_complete);
    answer
}

fn rank_files(index: &RankedIndex, request: &RankedRequest<'_>) -> Vec<RankedFile> {
    let cancel = CancelToken::new(Deadline::NEVER);
    let (files, is_complete) = index.rank_files(request, FILES as usize, &cancel).expect("a sound index");
    assert!(is_complete);
    files
}

#[test]
fn the_best_are_the_same_wherever_documents_lie() {
    let folder = tempfile::tempdir().expect("a folder");
    let [one, many] = one_and_many(&folder);
    let odd = |file: u64| file % 2 == 1;
    for asked in ["open socket", "timer", "parser queue buffer", "close the \"socket timer\"", "nothing"] {
        let question = RankedQuestion::parse(asked);
        for (kinds, admits, limit) in [
            (&[][..], None, 10),
            (&[DocKind::Symbol][..], None, 3),
            (&[][..], Some(&odd as super::FileFilter<'_>), 1_000),
        ] {
            let request = RankedRequest { question: &question, kinds, admits, limit, counts_all: true };
            assert_eq!(search(&one, &request), search(&many, &request), "{asked}");
            // Nothing is passed over as long as there is room.
            let all = search(&many, &RankedRequest { limit: 10_000, ..request });
            assert_eq!(search(&many, &request).total, all.hits.len(), "{asked}");
        }
    }
    let disk = on_disk(&folder);
    let question = RankedQuestion::parse("socket queue");
    let request = RankedRequest { question: &question, kinds: &[], admits: None, limit: 5, counts_all: true };
    let answer = search(&one, &request);
    assert!(answer.total > 400 && answer.hits.len() == 5, "{}", answer.total);
    assert_eq!(search(&disk, &request), answer);
}

#[test]
fn a_file_counts_where_it_was_changed_last() {
    let folder = tempfile::tempdir().expect("a folder");
    let disk = on_disk(&folder);
    let question = RankedQuestion::parse("parser");
    let request =
        RankedRequest { question: &question, kinds: &[], admits: None, limit: 10_000, counts_all: true };
    let of_file = |answer: &RankedAnswer, file| answer.hits.iter().filter(|hit| hit.file == file).count();
    let before = search(&disk, &request);
    assert!(of_file(&before, 3) > 10 && of_file(&before, 4) > 10);
    let name = RankedDoc {
        slot: 0,
        kind: DocKind::File,
        prior: Prior::Plain,
        name: "parser",
        context: "",
        signature: "",
        doc: "",
        body: "",
    };
    disk.patch_files(&[3, 4], |patch| patch.add(3, 2, &name)).expect("a segment");
    let after = search(&disk, &request);
    assert_eq!((of_file(&after, 3), of_file(&after, 4)), (1, 0));
    assert_eq!(after.total, before.total - of_file(&before, 3) - of_file(&before, 4) + 1);
    disk.update(false, |update| update.remove(5)).expect("a commit");
    let without = search(&disk, &request);
    assert_eq!(of_file(&without, 5), 0);
    let best = search(&disk, &RankedRequest { limit: 3, ..request });
    assert_eq!((best.hits.len(), best.total), (3, without.hits.len()), "removed documents are not counted");
    let files = rank_files(&disk, &request);
    assert!(files.iter().all(|file| ![4, 5].contains(&file.file)), "{files:?}");
}

#[test]
fn a_short_answer_is_the_beginning_of_a_long_one() {
    let folder = tempfile::tempdir().expect("a folder");
    let [one, many] = one_and_many(&folder);
    let mut passed_over = 0;
    for asked in [
        "open socket",
        "timer",
        "parser queue buffer",
        "close the \"socket timer\"",
        "open_close queue",
        "where does the parser open the socket of a timer and close the queue buffer",
    ] {
        let question = RankedQuestion::parse(asked);
        let request = |limit, counts_all| RankedRequest {
            question: &question,
            kinds: &[],
            admits: None,
            limit,
            counts_all,
        };
        // Nothing is left out by its highest score as long as there is room.
        let all = search(&one, &request(10_000, true));
        assert_eq!(all.hits.len(), all.total);
        for limit in [1, 5, 50] {
            for index in [&one, &many] {
                let answer = search(index, &request(limit, true));
                assert_eq!((&answer.hits[..], answer.total), (&all.hits[..limit], all.total), "{asked}");
                let answer = search(index, &request(limit, false));
                assert_eq!(&answer.hits[..], &all.hits[..limit], "{asked}");
                passed_over += all.total - answer.total;
            }
        }
    }
    assert!(passed_over > 0, "documents with nonessential words alone are passed over");
}

#[test]
fn a_search_that_is_stopped_says_so_and_counts_no_less_than_it_returns() {
    let folder = tempfile::tempdir().expect("a folder");
    let [one, _] = one_and_many(&folder);
    let question = RankedQuestion::parse("open socket");
    let request = RankedRequest { question: &question, kinds: &[], admits: None, limit: 3, counts_all: true };
    let cancel = CancelToken::new(Deadline::NEVER);
    cancel.cancel();
    let (answer, is_complete) = one.search(&request, &cancel).expect("a sound index");
    assert!(!is_complete && answer.total >= answer.hits.len());
}

/// The words of a random text; the later ones of [`WORDS`] are more frequent.
fn some_words(most: usize) -> impl Strategy<Value = String> {
    let word = (0..49_u32).prop_map(|square| WORDS[square.isqrt() as usize]);
    vec(word, 0..most).prop_map(|words| words.join(" "))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 100, ..ProptestConfig::default() })]

    #[test]
    fn random_searches_pass_over_nothing_that_is_among_the_best(
        documents in vec((some_words(4), some_words(20), some_words(3)), 100..300),
        asked in some_words(6),
        limit in 1_usize..150,
    ) {
        let folder = tempfile::tempdir().expect("a folder");
        let index = RankedIndex::open(folder.path(), "").expect("a new index").index;
        index
            .patch_files(&[1], |patch| {
                for ((name, body, doc), slot) in documents.iter().zip(1..) {
                    let (kind, prior) = (DocKind::Symbol, Prior::Plain);
                    let name = name.replace(' ', "_");
                    let (name, context, signature) = (&*name, "", "");
                    let document = RankedDoc { slot, kind, prior, name, context, signature, doc, body };
                    patch.add(1, 1, &document)?;
                }
                Ok(())
            })
            .expect("a segment");
        let question = RankedQuestion::parse(&asked);
        let request = |limit, counts_all| {
            RankedRequest { question: &question, kinds: &[], admits: None, limit, counts_all }
        };
        let all = search(&index, &request(1_000, true));
        let best = search(&index, &request(limit, false));
        prop_assert_eq!(&best.hits[..], &all.hits[..limit.min(all.hits.len())]);
        prop_assert_eq!(search(&index, &request(limit, true)).total, all.hits.len());
    }
}

#[test]
fn files_rank_the_same_wherever_documents_lie() {
    let folder = tempfile::tempdir().expect("a folder");
    let [one, many] = one_and_many(&folder);
    for asked in ["open socket", "parser queue buffer"] {
        let question = RankedQuestion::parse(asked);
        let request =
            RankedRequest { question: &question, kinds: &[], admits: None, limit: 100, counts_all: true };
        let [ranked, other] = [&one, &many].map(|index| rank_files(index, &request));
        assert_eq!(ranked.len(), FILES as usize);
        for file in ranked {
            let same = other.iter().find(|other| other.file == file.file).expect("every file has a word");
            // A file whose documents are in two parts has its sums added in another order.
            assert!((same.score - file.score).abs() <= 1e-4 * file.score, "{file:?} {same:?}");
        }
    }
}
