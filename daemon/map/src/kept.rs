//! Keeps the memory of syntax trees from one file of a thread to the next.
//!
//! A tree and the list of its nodes take up to a hundred times the text, and memory that is new to the process is paid
//! page by page. A thread that reads thousands of files keeps what the last one took; a thread that waits for the next
//! question must not, so this lasts as long as a [`KeptTreeMemory`]. It changes no facts and no limits.

use std::marker::PhantomData;

use crate::{bounded, syntax};

/// Most bytes of arenas that are kept: the trees of a file of 100 kB take as much.
const ARENA: usize = 8 << 20;
/// Most nodes of a tree's list whose memory is kept: 6 MB.
const NODES: usize = 1 << 17;

/// Keeps the memory of syntax trees for the next file of this thread, up to 15 MB, while it lives; one for a thread.
#[derive(Debug)]
pub struct KeptTreeMemory {
    /// Makes the type neither `Send` nor `Sync`.
    on_thread: PhantomData<*const ()>,
}

impl KeptTreeMemory {
    /// Begins to keep memory.
    #[must_use]
    pub fn for_this_thread() -> Self {
        bounded::keep_chunks(ARENA);
        syntax::keep_nodes(NODES);
        Self { on_thread: PhantomData }
    }
}

impl Drop for KeptTreeMemory {
    fn drop(&mut self) {
        bounded::keep_chunks(0);
        syntax::keep_nodes(syntax::SPARE_NODES);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{FileFacts, GaveUp, Lang, extract, held_at_most};

    #[test]
    fn memory_that_is_kept_for_the_next_file_changes_neither_facts_nor_what_they_take() {
        let long = "package a\n".to_owned() + &"func f(a int) int { return g(a, 1) }\n".repeat(8_000);
        let hopeless = "a<".repeat(32 << 10);
        let sources = [
            (Lang::Go, long.as_str()),
            (Lang::Go, "package a\nfunc h() { f(1) }\n"),
            (Lang::Java, &hopeless),
            (Lang::Java, "class B { void b() { c(); } }"),
            (Lang::Go, &long),
        ];
        let read = || -> Vec<(FileFacts, usize)> {
            let facts = |(lang, source): &(Lang, &str)| extract(*lang, "a", source.as_bytes());
            sources.iter().map(|source| (facts(source), held_at_most())).collect()
        };
        // A parser is made once for a language, and counts for the file that is read first.
        drop(read());
        let alone = read();
        assert_eq!(alone[2].0.gave_up, Some(GaveUp::Memory));
        let memory = KeptTreeMemory::for_this_thread();
        assert_eq!(bounded::kept_bytes(), 0);
        assert_eq!(read(), alone);
        assert!((1..=ARENA).contains(&bounded::kept_bytes()), "{}", bounded::kept_bytes());
        assert_eq!(read(), alone);
        drop(memory);
        assert_eq!(bounded::kept_bytes(), 0);
        assert_eq!(read(), alone);
    }
}
