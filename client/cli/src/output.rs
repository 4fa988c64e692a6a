//! Writes a text to standard output, or to a file that the user names, whose folders are made if needed.
//!
//! A shell makes no folders for `>`, so commands whose output users keep have `--out`.

use std::fs;
use std::path::Path;

use super::{CommandFailure, Common, term};

/// Prints `text`, or writes it to `out`, a path in the user's spelling.
///
/// # Errors
/// The error of writing; it names the file.
pub(crate) fn print_or_write(text: &str, out: Option<&Path>) -> Result<(), CommandFailure> {
    let Some(out) = out else { return Ok(term::print(text)?) };
    let file = Common::working_dir()?.join(out);
    make_way(&file)?;
    fs::write(&file, text).map_err(|error| write_failure(&file, &error))?;
    term::print(&format!("written to {}\n", file.display()))?;
    Ok(())
}

/// Makes the folders above `file`.
///
/// # Errors
/// The system's error; it names the file.
pub(crate) fn make_way(file: &Path) -> Result<(), CommandFailure> {
    file.parent().map_or(Ok(()), fs::create_dir_all).map_err(|error| write_failure(file, &error))
}

/// Makes a folder that is the user's alone from the first instant.
pub(crate) fn make_private_folder(folder: &Path) -> std::io::Result<()> {
    let mut builder = fs::DirBuilder::new();
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.recursive(true).create(folder)
}

fn write_failure(file: &Path, error: &std::io::Error) -> CommandFailure {
    CommandFailure::Usage(format!("`{}` cannot be written: {error}", file.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folders_are_made_and_what_is_in_the_way_is_named() {
        let dir = tempfile::tempdir().expect("a folder");
        let file = dir.path().join("a/b/c.txt");
        print_or_write("text", Some(&file)).expect("written");
        assert_eq!(fs::read_to_string(&file).expect("it is there"), "text");
        let error =
            print_or_write("text", Some(&file.join("below"))).expect_err("a file is no folder").to_string();
        assert!(error.contains("c.txt"), "{error}");
    }
}
