//! Makes trees for a measurement: many small source files in many folders, each with words of its own.
//!
//! There are fifteen files in a folder, and eight folders in each folder, in the order of a heap. So a tree of 1,000
//! files is three levels deep, and one of 80,000 files five levels. The same number always gives the same tree.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use crate::git;
use crate::rows::Failure;

const FILES_PER_FOLDER: usize = 15;
const FOLDERS_PER_FOLDER: usize = 8;

/// The functions in one file.
const FUNCTIONS: usize = 4;

/// The languages of successive files, the common ones more often.
const ENDINGS: &[&str] = &["py", "ts", "c", "rs", "py", "ts", "md"];

/// Makes a repository of `files` files in `root`, without a commit.
pub(crate) fn tree(root: &Path, files: usize) -> Result<(), Failure> {
    fs::create_dir_all(root)?;
    git::init(root)?;
    for number in 0..files {
        let at = root.join(path(number));
        if number.is_multiple_of(FILES_PER_FOLDER) {
            fs::create_dir_all(at.parent().ok_or("a file lies in a folder")?)?;
        }
        fs::write(at, text(number))?;
    }
    Ok(())
}

/// Returns the path of file `number`, from the root.
pub(crate) fn path(number: usize) -> PathBuf {
    folder(number / FILES_PER_FOLDER).join(format!("part_{number}.{}", ending(number)))
}

/// Returns the ending of file `number`, which determines its language.
pub(crate) fn ending(number: usize) -> &'static str {
    ENDINGS[number % ENDINGS.len()]
}

fn folder(number: usize) -> PathBuf {
    let Some(above) = number.checked_sub(1) else { return PathBuf::from("src") };
    folder(above / FOLDERS_PER_FOLDER).join(format!("area_{}", above % FOLDERS_PER_FOLDER))
}

/// Returns the text of file `number`: a few functions, each of which calls a function of another file.
pub(crate) fn text(number: usize) -> String {
    let mut out = String::new();
    for function in 0..FUNCTIONS {
        let name = format!("step_{number}_{function}");
        let callee = format!("step_{}_{}", (number * 7 + function) / 3, (function + 1) % FUNCTIONS);
        out.push_str(&definition(ending(number), &name, &callee));
    }
    out
}

/// Returns a function that calls another, in the language of `ending`; for notes, a section.
pub(crate) fn definition(ending: &str, name: &str, callee: &str) -> String {
    let mut out = String::new();
    let said = match ending {
        "py" => writeln!(
            out,
            "def {name}(value):\n    \"\"\"What {name} is for.\"\"\"\n    total = {callee}(value)\n    return total + 1\n"
        ),
        "ts" | "js" => writeln!(
            out,
            "export function {name}(value) {{\n    const total = {callee}(value);\n    return total + 1;\n}}\n"
        ),
        "c" | "h" | "cpp" | "cc" => writeln!(
            out,
            "int {name}(int value)\n{{\n\tint total = {callee}(value);\n\treturn total + 1;\n}}\n"
        ),
        "rs" => writeln!(
            out,
            "pub fn {name}(value: u64) -> u64 {{\n    let total = {callee}(value);\n    total + 1\n}}\n"
        ),
        "go" => writeln!(
            out,
            "func {name}(value int) int {{\n\ttotal := {callee}(value)\n\treturn total + 1\n}}\n"
        ),
        _ => writeln!(out, "# {name}\n\nWhat comes before `{callee}`, in a sentence or two.\n"),
    };
    said.map(|()| out).unwrap_or_default()
}
