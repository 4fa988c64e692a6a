//! Free memory goes back to the system.
//!
//! On x86-64 Linux the allocator is jemalloc (`main.rs`). It looks for what has been free for a while whenever it is asked for
//! memory, and a daemon that has done its work asks for none: what parsing needed would stay. So a thread of the allocator's own
//! looks too, and sleeps as long as nothing is free. Copies of this program that guard a language server hold nothing and have
//! none.
//!
//! glibc's allocator raises, with every large piece that is freed, the size from which a piece is a mapping of its own, and keeps more of
//! what is free. tantivy works in pieces of a megabyte: after forty edits of one file of Django, 150 MB that nobody used were
//! kept. Thresholds that were set once stay where they are. What it costs is a mapping for each piece of half a megabyte.
//! Other allocators give memory back by themselves.

#[cfg(all(target_os = "linux", target_env = "gnu", target_arch = "x86_64"))]
use tikv_jemallocator as _;

/// Starts the thread that gives free memory back.
#[cfg(all(target_os = "linux", target_env = "gnu", target_arch = "x86_64"))]
#[allow(unsafe_code)]
pub fn give_memory_back() {
    use std::ffi::{c_char, c_int, c_void};
    unsafe extern "C" {
        fn mallctl(
            name: *const c_char,
            old: *mut c_void,
            old_length: *mut usize,
            new: *mut c_void,
            new_length: usize,
        ) -> c_int;
    }
    let mut on = true;
    // SAFETY: this is jemalloc's declaration, which every build of the allocator in `main.rs` has. It reads one `bool`, which is
    // what this setting is, and nothing is asked for in return.
    let refused = unsafe {
        let none = std::ptr::null_mut();
        mallctl(c"background_thread".as_ptr(), none, none.cast(), (&raw mut on).cast(), size_of::<bool>())
    };
    if refused != 0 {
        tracing::warn!(refused, "free memory is kept");
    }
}

/// To be called before there are other threads.
#[cfg(all(target_os = "linux", target_env = "gnu", not(target_arch = "x86_64")))]
#[allow(unsafe_code)]
pub fn give_memory_back() {
    /// Pieces of this size, in bytes, are mappings of their own, and so much that is free is kept.
    const LARGE: std::ffi::c_int = 512 << 10;
    const M_TRIM_THRESHOLD: std::ffi::c_int = -1;
    const M_MMAP_THRESHOLD: std::ffi::c_int = -3;
    // SAFETY: this is glibc's declaration (malloc.h); it takes plain numbers, and refuses those that it does not know.
    unsafe extern "C" {
        safe fn mallopt(parameter: std::ffi::c_int, value: std::ffi::c_int) -> std::ffi::c_int;
    }
    mallopt(M_MMAP_THRESHOLD, LARGE);
    mallopt(M_TRIM_THRESHOLD, LARGE);
}

/// Nothing is to be done here.
#[cfg(not(all(target_os = "linux", target_env = "gnu")))]
pub fn give_memory_back() {}
