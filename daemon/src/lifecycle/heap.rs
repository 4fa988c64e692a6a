//! Returns free memory to the system.
//!
//! On x86-64 Linux the allocator is jemalloc (`main.rs`). It looks for memory that has been free for a while
//! whenever the program allocates, and a daemon that has done its work allocates nothing: memory of the
//! parsers would stay. So a thread of the allocator looks too, and sleeps while nothing is free. The copies
//! of this program that guard a language server hold no memory and have no such thread.
//!
//! glibc's allocator raises, with every large block that is freed, the size from which a block is a mapping
//! of its own, and keeps more free memory. tantivy allocates blocks of a megabyte: after forty edits of one
//! file of Django, 150 MB of unused memory stayed. Thresholds that the program sets do not move. The cost is
//! a mapping for each block of half a megabyte. Other allocators return memory by themselves.

#[cfg(all(target_os = "linux", target_env = "gnu", target_arch = "x86_64"))]
use tikv_jemallocator as _;

/// Starts the thread that returns free memory.
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
    // SAFETY: this is jemalloc's declaration, which every build of the allocator in `main.rs` has. It reads
    // one `bool`, which is the type of this setting, and writes nothing back.
    let refused = unsafe {
        let none = std::ptr::null_mut();
        mallctl(c"background_thread".as_ptr(), none, none.cast(), (&raw mut on).cast(), size_of::<bool>())
    };
    if refused != 0 {
        tracing::warn!(refused, "free memory is kept");
    }
}

/// Fixes the thresholds of glibc's allocator. Must run before the process has other threads.
#[cfg(all(target_os = "linux", target_env = "gnu", not(target_arch = "x86_64")))]
#[allow(unsafe_code)]
pub fn give_memory_back() {
    /// Size in bytes from which a block is a mapping of its own, and the most free memory that the allocator
    /// keeps.
    const LARGE: std::ffi::c_int = 512 << 10;
    const M_TRIM_THRESHOLD: std::ffi::c_int = -1;
    const M_MMAP_THRESHOLD: std::ffi::c_int = -3;
    // SAFETY: this is glibc's declaration (malloc.h); it takes plain numbers, and refuses unknown ones.
    unsafe extern "C" {
        safe fn mallopt(parameter: std::ffi::c_int, value: std::ffi::c_int) -> std::ffi::c_int;
    }
    mallopt(M_MMAP_THRESHOLD, LARGE);
    mallopt(M_TRIM_THRESHOLD, LARGE);
}

/// Does nothing, because the allocator returns memory by itself.
#[cfg(not(all(target_os = "linux", target_env = "gnu")))]
pub fn give_memory_back() {}
