//! Converts the protocol's positions into hob's types.

use hob_base::{AbsPath, WsPath};
use lsp_types::{
    Location, LocationLink, Position, Range, TextDocumentIdentifier, TextDocumentPositionParams, Uri,
};

use crate::uri::{self, FileRef, FileRefResolver};

/// The place that a question is about.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct RequestPosition {
    /// The file, relative to the root.
    pub file: WsPath,
    /// Line of the place, 1-based.
    pub line: u32,
    /// Column of the place, 1-based, in UTF-16 units.
    pub col: u32,
}

impl RequestPosition {
    /// Converts the place into the protocol's form.
    pub(crate) fn to_lsp_params(&self, root: &AbsPath) -> TextDocumentPositionParams {
        TextDocumentPositionParams {
            text_document: TextDocumentIdentifier { uri: uri::of_path(&root.join_ws(&self.file)) },
            position: Position { line: self.line.saturating_sub(1), character: self.col.saturating_sub(1) },
        }
    }
}

/// A place in a server's answer.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct ServerLocation {
    /// The file, in the workspace or outside.
    pub file: FileRef,
    /// First line and column, 1-based, in UTF-16 units.
    pub start: (u32, u32),
    /// Line and column of its end, exclusive.
    pub end: (u32, u32),
}

impl ServerLocation {
    /// Converts a range; `None` if the URI is no file.
    pub(crate) fn from_uri(uri: &Uri, range: Range, root: &AbsPath) -> Option<Self> {
        Self::from_uri_among(&FileRefResolver::new(root), uri, range)
    }

    fn from_uri_among(files: &FileRefResolver<'_>, uri: &Uri, range: Range) -> Option<Self> {
        Some(Self { file: files.file_ref(uri)?, start: one_based(range.start), end: one_based(range.end) })
    }

    pub(crate) fn of_location(location: &Location, files: &FileRefResolver<'_>) -> Option<Self> {
        Self::from_uri_among(files, &location.uri, location.range)
    }

    /// Converts the target of a link: the range of its name, not of the whole definition.
    pub(crate) fn of_link(link: &LocationLink, files: &FileRefResolver<'_>) -> Option<Self> {
        Self::from_uri_among(files, &link.target_uri, link.target_selection_range)
    }
}

fn one_based(position: Position) -> (u32, u32) {
    (position.line.saturating_add(1), position.character.saturating_add(1))
}
