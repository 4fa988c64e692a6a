//! Finds the sources of the code cells in a notebook's JSON.
//!
//! `serde_json` checks the whole file and lends the stretches that it read, so that the place of a stretch is known.
//! Each level of the file is read by itself, which costs a few passes over the text and no tree of it.

use std::ops::Range;

use hob_base::line_index::mark_len;
use rustc_hash::FxHashMap;
use serde_json::value::RawValue;

/// An object of JSON whose values are not read yet.
type JsonObject<'s> = FxHashMap<String, &'s RawValue>;

/// The version of the format whose cells stand at the top of the file; older ones have worksheets around them.
const FORMAT: &str = "4";

/// The strings of one code cell, in order: bytes of the file between the quotes.
pub(super) struct CodeCell {
    pub(super) pieces: Vec<Range<usize>>,
}

/// Returns the code cells of a notebook; `None` if the file is none, or its code is not Python.
pub(super) fn read_cells(source: &[u8]) -> Option<Vec<CodeCell>> {
    let text = source.get(mark_len(source)..)?;
    let notebook: JsonObject<'_> = serde_json::from_slice(text).ok()?;
    if notebook.get("nbformat")?.get() != FORMAT || !is_python(&notebook) {
        return None;
    }
    let cells: Vec<JsonObject<'_>> = serde_json::from_str(notebook.get("cells")?.get()).ok()?;
    let code = cells.iter().filter(|cell| text_at(cell, "cell_type").as_deref() == Some("code"));
    Some(code.filter_map(|cell| read_cell(cell.get("source")?, source)).collect())
}

/// Returns the sources of a cell: one string, or a list of them.
fn read_cell(cell: &RawValue, source: &[u8]) -> Option<CodeCell> {
    let strings: Vec<&RawValue> = match cell.get().as_bytes().first()? {
        b'[' => serde_json::from_str(cell.get()).ok()?,
        _ => vec![cell],
    };
    Some(CodeCell {
        pieces: strings.into_iter().filter_map(|string| inside_quotes(string, source)).collect(),
    })
}

/// Returns the bytes of a string between its quotes; `None` for other values.
fn inside_quotes(string: &RawValue, source: &[u8]) -> Option<Range<usize>> {
    let inside = string.get().strip_prefix('"')?.strip_suffix('"')?;
    let from = inside.as_ptr().addr().checked_sub(source.as_ptr().addr())?;
    Some(from..from + inside.len())
}

/// Returns true if the notebook's kernel runs Python; one that names no kernel is opened with Python.
fn is_python(notebook: &JsonObject<'_>) -> bool {
    let Some(metadata) = object_at(notebook, "metadata") else { return true };
    let said = |part: &str, key: &str| {
        let part = object_at(&metadata, part)?;
        text_at(&part, key)
    };
    let language = said("language_info", "name")
        .or_else(|| said("kernelspec", "language"))
        .or_else(|| said("kernelspec", "name"));
    language.is_none_or(|name| {
        let name = name.to_ascii_lowercase();
        name.strip_prefix('i').unwrap_or(&name).starts_with("python")
    })
}

fn object_at<'s>(object: &JsonObject<'s>, key: &str) -> Option<JsonObject<'s>> {
    serde_json::from_str(object.get(key)?.get()).ok()
}

fn text_at(object: &JsonObject<'_>, key: &str) -> Option<String> {
    serde_json::from_str(object.get(key)?.get()).ok()
}
