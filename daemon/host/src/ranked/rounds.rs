//! Adds files to the index in rounds, so that few documents wait and nobody blocks a thread of the pool.
//!
//! The threads that read files also ingest edits. So when there is no room for more documents, a thread does not wait: it
//! leaves its file for the next round, which begins when there is room again.

use rayon::ThreadPool;
use rayon::prelude::*;

/// Tells when more documents may be added.
pub(super) trait DocumentRoom: Sync {
    fn has_room(&self) -> bool;

    /// Waits for room, though not for ever.
    fn wait_for_room(&self);
}

/// Calls `add` once for each file, side by side in `pool`. The first file of a round is always added, so that each round
/// ends with fewer files left.
///
/// # Errors
/// The first error of `add`; then some files were not added.
pub(super) fn add_in_rounds<F: Copy + Send + Sync, E: Send>(
    files: &[F],
    room: &dyn DocumentRoom,
    pool: &ThreadPool,
    add: impl Fn(&F) -> Result<(), E> + Sync,
) -> Result<(), E> {
    let add_or_leave = |(at, file): (usize, &F)| -> Result<Option<F>, E> {
        if at > 0 && !room.has_room() {
            return Ok(Some(*file));
        }
        add(file).map(|()| None)
    };
    let add_round = |files: &[F]| -> Result<Vec<F>, E> {
        let left = files.par_iter().enumerate().map(add_or_leave).filter_map(Result::transpose);
        pool.install(|| left.collect())
    };
    let mut left = add_round(files)?;
    while !left.is_empty() {
        room.wait_for_room();
        left = add_round(&left)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;
    use std::sync::atomic::{AtomicUsize, Ordering};

    use hob_base::lock;

    use super::*;

    /// Room for some files, which is there again after each wait.
    struct SomeRoom {
        files: usize,
        used: AtomicUsize,
    }

    impl DocumentRoom for SomeRoom {
        fn has_room(&self) -> bool {
            self.used.load(Ordering::SeqCst) < self.files
        }

        fn wait_for_room(&self) {
            self.used.store(0, Ordering::SeqCst);
        }
    }

    fn two_threads() -> ThreadPool {
        rayon::ThreadPoolBuilder::new().num_threads(2).build().expect("threads")
    }

    #[test]
    fn each_file_is_added_once_however_little_room_there_is() {
        let files: Vec<u32> = (0..100).collect();
        for room in [0, 1, 7, 1_000] {
            let room = SomeRoom { files: room, used: AtomicUsize::new(0) };
            let added = Mutex::new(Vec::new());
            let add = |file: &u32| {
                room.used.fetch_add(1, Ordering::SeqCst);
                lock(&added).push(*file);
                Ok::<_, ()>(())
            };
            assert_eq!(add_in_rounds(&files, &room, &two_threads(), add), Ok(()));
            let mut added = added.into_inner().expect("no panic");
            added.sort_unstable();
            assert_eq!(added, files);
        }
    }

    #[test]
    fn an_error_ends_it() {
        let files: Vec<u32> = (0..100).collect();
        let room = SomeRoom { files: 3, used: AtomicUsize::new(0) };
        let add = |file: &u32| {
            room.used.fetch_add(1, Ordering::SeqCst);
            if *file == 50 { Err("unreadable") } else { Ok(()) }
        };
        assert_eq!(add_in_rounds(&files, &room, &two_threads(), add), Err("unreadable"));
    }
}
