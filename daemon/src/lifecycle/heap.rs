//! Free memory goes back to the system.
//!
//! glibc's allocator raises, with every large piece that is freed, the size from which a piece is a mapping of its own, and keeps more of
//! what is free. tantivy works in pieces of a megabyte: after forty edits of one file of Django, 150 MB that nobody used were
//! kept. Thresholds that were set once stay where they are. What it costs is a mapping for each piece of half a megabyte.
//! Other allocators give memory back by themselves.

/// Pieces of this size, in bytes, are mappings of their own, and so much that is free is kept.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
const LARGE: std::ffi::c_int = 512 << 10;

/// To be called before there are other threads.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
#[allow(unsafe_code)]
pub fn give_memory_back() {
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
