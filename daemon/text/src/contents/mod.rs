//! The content cache: what the indexed files hold, side by side in a few mapped files.
//!
//! A trigram index says which files to look at; looking at them is then what takes the time. Opening, reading and closing a
//! file costs some 15 µs, as much as searching 300 KB of mapped text for a literal. With this cache a search of all of a
//! large tree opens nothing and runs at the speed of memory; without it (it can be left out) files are read as before.
//!
//! Nothing here is trusted. A text is found by the hash of what the index says the file held, and shown to be that before it is used
//! for the first time; whatever is missing, torn, foreign or damaged is read from the file itself. So the cache needs no
//! flushing, no journal and no order of events with the index, and a lost one costs time.
//!
//! Measured on the sources of Linux 6.1 (78,576 files, 1,298 MB, two busy cores, all in the page cache), for all contents: reading the
//! files 660 ms, of which 110 ms for a stat of each; a pass of `memchr` over the mapped cache 52 ms; a search for the literal
//! `static int` 39 ms. Compressing the texts would cost a multiple of that at every search; they are kept as they are.
//!
//! Files: `pack` (one file of texts), `cache` (the texts at hand, which searches read), `keeper` (bringing the folder up to date with an index).

pub(crate) mod cache;
mod keeper;
pub(crate) mod pack;

pub use cache::{CacheStats, ContentCache};
pub use keeper::ContentKeeper;
