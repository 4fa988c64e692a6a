//! Copies folders: tests that write into a project write into a copy of it.

use std::fs;
use std::io::ErrorKind;
use std::path::Path;

/// Copies the folder `from` with everything below it to `to`, without links and without files that vanish in the
/// meantime.
///
/// # Panics
///
/// Panics if an existing file cannot be copied.
pub fn copy_folder(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap_or_else(|error| panic!("{}: {error}", to.display()));
    for entry in fs::read_dir(from).unwrap_or_else(|error| panic!("{}: {error}", from.display())).flatten() {
        let (source, target) = (entry.path(), to.join(entry.file_name()));
        match entry.file_type().expect("it was just listed") {
            kind if kind.is_dir() => copy_folder(&source, &target),
            kind if kind.is_file() => copy_file(&source, &target),
            _ => {}
        }
    }
}

/// Copies a file, if it still exists: somebody may be working in the folder, especially in this repository.
fn copy_file(from: &Path, to: &Path) {
    match fs::copy(from, to) {
        Err(error) if error.kind() != ErrorKind::NotFound => panic!("{}: {error}", from.display()),
        _ => {}
    }
}
