//! Copying a folder: tests that write into a project write into a copy of it.

use std::fs;
use std::io::ErrorKind;
use std::path::Path;

/// Copies the folder `from` with all that is below it to `to`; links are left out, and so is what goes away meanwhile.
///
/// # Panics
/// When something that is there cannot be copied.
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

/// Somebody may be working on the folder, this repository above all: a file that is gone belongs to no copy.
fn copy_file(from: &Path, to: &Path) {
    match fs::copy(from, to) {
        Err(error) if error.kind() != ErrorKind::NotFound => panic!("{}: {error}", from.display()),
        _ => {}
    }
}
