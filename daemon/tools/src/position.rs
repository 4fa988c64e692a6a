//! Finds the place that a file and a line mean, with or without a column.
//!
//! Without a column, the line means the name that it defines, or else the only name on it. Any other choice would be a
//! guess, and a question about column 1 would get an empty answer that looks complete. Names are read from the very
//! text that servers have, so this needs neither the map nor a server.

use hob_base::{CancelToken, LineIndex, WsPath};
use hob_live::requests::RequestPosition;
use hob_map::names_on_line::{LineNames, NameAt, names_on_line};
use hob_map::{Lang, language_of};
use hob_proto::ToolError;

use hob_host::Workspace;
use hob_results::errors;

/// Number of bytes at a file's beginning that decide its language.
const HEAD: usize = 4096;

/// A line of a file, and a column if one was given.
#[derive(Clone, Debug)]
pub(super) struct LineSpot {
    /// The file of the place.
    pub(super) file: WsPath,
    /// Number of the line, from 1.
    pub(super) line: u32,
    /// The 1-based column in UTF-16 units, if one was given.
    pub(super) col: Option<u32>,
}

impl LineSpot {
    /// Checks that the file is there.
    pub(super) fn check_file_exists(&self, workspace: &Workspace) -> Result<(), ToolError> {
        let there = workspace.root().join_ws(&self.file).as_path().exists();
        if there { Ok(()) } else { Err(errors::file_deleted(&self.file)) }
    }

    /// Returns the place of the name that the line or the column means.
    ///
    /// # Errors
    /// `BAD_ARGS` for a line past the end of the file, and, without a column, for one that has no name or several.
    pub(super) fn name(
        self,
        workspace: &Workspace,
        cancel: &CancelToken,
    ) -> Result<RequestPosition, ToolError> {
        let Some(names) = self.names_at_line(workspace, cancel)? else { return Ok(self.at_column(1)) };
        let meant = if names.defined.is_empty() { names.mentioned } else { names.defined };
        self.column_of_only_name(&meant)?
            .map(|col| self.at_column(col))
            .ok_or_else(|| errors::nothing_named(&self.file, self.line))
    }

    /// Returns the place of the name that the line defines, or any place on it: for questions about what encloses the
    /// line.
    ///
    /// # Errors
    /// `BAD_ARGS` for a line past the end of the file, and, without a column, for one that defines several names.
    pub(super) fn name_or_any_place(
        self,
        workspace: &Workspace,
        cancel: &CancelToken,
    ) -> Result<RequestPosition, ToolError> {
        let Some(names) = self.names_at_line(workspace, cancel)? else { return Ok(self.at_column(1)) };
        let col = self.column_of_only_name(&names.defined)?.unwrap_or(1);
        Ok(self.at_column(col))
    }

    /// Returns the names on the line, which must exist; `None` if there is a column, or the file is no text.
    fn names_at_line(
        &self,
        workspace: &Workspace,
        cancel: &CancelToken,
    ) -> Result<Option<LineNames>, ToolError> {
        let bytes = hob_results::current_bytes(workspace, &self.file);
        let Some(bytes) = bytes.filter(|bytes| std::str::from_utf8(bytes).is_ok()) else { return Ok(None) };
        let index = LineIndex::new(&bytes);
        // The text after the last newline is a line only if it is not empty.
        let lines = index.line_count() - u32::from(index.line_count() > 1 && bytes.ends_with(b"\n"));
        if self.line > lines {
            return Err(errors::no_such_line(&self.file, self.line, lines));
        }
        if self.col.is_some() {
            return Ok(None);
        }
        let lang = language_of(self.file.file_name(), &bytes[..bytes.len().min(HEAD)]);
        let lang = lang.filter(|lang| *lang != Lang::Manifest);
        Ok(Some(names_on_line(lang, &bytes, self.line, &|| cancel.check().is_ok())))
    }

    /// Returns the column of the only name; its first column if it is written several times.
    fn column_of_only_name(&self, names: &[NameAt]) -> Result<Option<u32>, ToolError> {
        let Some(first) = names.first() else { return Ok(None) };
        if names.iter().all(|other| other.name == first.name) {
            return Ok(Some(first.col));
        }
        let all: Vec<(String, u32)> = names.iter().map(|one| (one.name.clone(), one.col)).collect();
        Err(errors::several_names(&self.file, self.line, &all))
    }

    fn at_column(&self, col: u32) -> RequestPosition {
        RequestPosition { file: self.file.clone(), line: self.line, col: self.col.unwrap_or(col) }
    }
}
