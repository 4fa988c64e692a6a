//! Reads a file's text for a search, from the content cache or from the file.

use std::borrow::Cow;
use std::io;
use std::ops::Range;

use hob_base::{CancelToken, Contents, WsPath};
use memchr::memchr;

use crate::contents::pack::CachedText;
use crate::encoding::searchable_bytes;
use crate::trigram::blocks::{Blocks, runs_of_blocks};

/// Size of a file from which a thread frees its buffer afterwards.
const KEPT_BUFFER: usize = 4 << 20;

/// The state with which one thread reads files.
pub(crate) struct FileReader<'a> {
    contents: &'a dyn Contents,
    token: &'a CancelToken,
    buffer: Vec<u8>,
}

impl<'a> FileReader<'a> {
    pub(crate) fn new(contents: &'a dyn Contents, token: &'a CancelToken) -> Self {
        Self { contents, token, buffer: Vec::new() }
    }

    /// Returns a file's text, from the content cache or read now, unless the search is to stop.
    pub(crate) fn read<'t>(
        &'t mut self,
        path: &WsPath,
        indexed: Option<CachedText<'t>>,
    ) -> Result<FileText<'t>, Unread> {
        self.token.check().map_err(|_| Unread::Stopped)?;
        if let Some(text) = indexed {
            return Ok(FileText::from_index(text));
        }
        // One huge file must not keep its memory for the rest of the search.
        if self.buffer.capacity() > KEPT_BUFFER {
            self.buffer = Vec::new();
        }
        match self.contents.read_into(path, &mut self.buffer) {
            Ok(()) => Ok(FileText::from_bytes(&self.buffer)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Err(Unread::Gone),
            Err(_) => Err(Unread::Failed),
        }
    }
}

/// The reason why a file has no text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Unread {
    /// The file no longer exists.
    Gone,
    /// The system refused to read it.
    Failed,
    /// The search was stopped before the file was read.
    Stopped,
}

/// The searchable bytes of a file.
pub(crate) struct FileText<'a> {
    pub(crate) text: Cow<'a, [u8]>,
    /// The position of the first NUL byte.
    pub(crate) nul: Option<usize>,
    /// The raw bytes of the file.
    pub(crate) raw: &'a [u8],
    /// True if the text is ASCII, false if not; `None` if that is unknown.
    is_ascii: Option<bool>,
    /// True if the text is known to be the indexed one, so that its blocks are unchanged.
    is_as_indexed: bool,
}

impl<'a> FileText<'a> {
    pub(crate) fn from_index(CachedText { bytes, is_plain, is_ascii }: CachedText<'a>) -> Self {
        let is_ascii = Some(is_ascii);
        match is_plain {
            true => Self { text: Cow::Borrowed(bytes), nul: None, raw: bytes, is_ascii, is_as_indexed: true },
            false => Self::from_bytes(bytes),
        }
    }

    pub(crate) fn from_bytes(bytes: &'a [u8]) -> Self {
        let text = searchable_bytes(bytes);
        Self { nul: memchr(0, &text), text, raw: bytes, is_ascii: None, is_as_indexed: false }
    }

    /// Returns the ranges of `blocks`, if they are to be searched one by one: each has at most `longest`
    /// bytes.
    pub(crate) fn runs_of_blocks(&self, blocks: &Blocks, longest: usize) -> Option<Vec<Range<usize>>> {
        let blocks = blocks.as_ref().filter(|_| self.is_as_indexed && self.nul.is_none())?;
        let runs = runs_of_blocks(&self.text, blocks);
        runs.iter().all(|run| run.len() <= longest).then_some(runs)
    }

    /// Returns true if the text is ASCII; scans the text if that is unknown.
    pub(crate) fn is_ascii(&self) -> bool {
        self.is_ascii.unwrap_or_else(|| self.text.is_ascii())
    }
}
