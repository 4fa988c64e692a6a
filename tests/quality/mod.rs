//! How good answers are, as figures that a change must own up to: golden files of ranks over pinned source trees.

use std::fs;
use std::path::Path;

mod ranking;

/// Copies a folder; links are left out.
fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).expect("a folder can be made");
    for entry in fs::read_dir(from).expect("a folder of the project").flatten() {
        let target = to.join(entry.file_name());
        match entry.file_type().expect("it was just listed") {
            kind if kind.is_dir() => copy(&entry.path(), &target),
            kind if kind.is_file() => drop(fs::copy(entry.path(), target).expect("it can be copied")),
            _ => {}
        }
    }
}
