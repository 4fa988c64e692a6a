//! Counts the bytes that the Rust side of a process has allocated, and the most at any moment since a mark: of the whole process, and of
//! each thread by itself, so that what works on one thread can be measured beside others.
//!
//! Parsers take their memory in C, and hob counts that itself (`hob_map::held_at_most`).

#![allow(unsafe_code)]

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::sync::atomic::{AtomicUsize, Ordering};

static NOW: AtomicUsize = AtomicUsize::new(0);
static MOST: AtomicUsize = AtomicUsize::new(0);

/// Bytes that a thread has allocated; negative if it frees what others allocated.
#[derive(Clone, Copy)]
struct ThreadCount {
    now: isize,
    most: isize,
}

thread_local! {
    static HERE: Cell<ThreadCount> = const { Cell::new(ThreadCount { now: 0, most: 0 }) };
}

/// The system's allocator, counted. A driver names it as its global allocator.
#[derive(Clone, Copy, Debug)]
pub struct CountedAllocator;

fn note_growth(bytes: usize) {
    let now = NOW.fetch_add(bytes, Ordering::Relaxed) + bytes;
    MOST.fetch_max(now, Ordering::Relaxed);
    note_on_thread(bytes.cast_signed());
}

fn note_release(bytes: usize) {
    NOW.fetch_sub(bytes, Ordering::Relaxed);
    note_on_thread(-bytes.cast_signed());
}

fn note_on_thread(bytes: isize) {
    // A thread that ends has no count any more.
    let _ = HERE.try_with(|here| {
        let count = here.get();
        let now = count.now + bytes;
        here.set(ThreadCount { now, most: count.most.max(now) });
    });
}

// SAFETY: every call is passed to the system's allocator as it is; only numbers are kept beside it.
unsafe impl GlobalAlloc for CountedAllocator {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        note_growth(layout.size());
        // SAFETY: the caller's promise.
        unsafe { System.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        note_growth(layout.size());
        // SAFETY: the caller's promise.
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        note_release(layout.size());
        // SAFETY: the caller's promise.
        unsafe { System.dealloc(block, layout) }
    }

    unsafe fn realloc(&self, block: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // The old block and the new one may be there together.
        note_growth(size);
        note_release(layout.size());
        // SAFETY: the caller's promise.
        unsafe { System.realloc(block, layout, size) }
    }
}

/// Forgets the most that was allocated, and returns the bytes that are allocated now.
pub fn mark_allocated() -> usize {
    let now = NOW.load(Ordering::Relaxed);
    MOST.store(now, Ordering::Relaxed);
    now
}

/// Returns the most bytes that were allocated at any moment since the mark.
#[must_use]
pub fn most_allocated() -> usize {
    MOST.load(Ordering::Relaxed)
}

/// Returns the most bytes that `work` had allocated on this thread at any moment, beyond what the thread had before.
pub fn most_allocated_by<T>(work: impl FnOnce() -> T) -> (T, usize) {
    let before = HERE.get().now;
    HERE.set(ThreadCount { now: before, most: before });
    let done = work();
    (done, (HERE.get().most - before).cast_unsigned())
}
