//! Computes digests of a workspace's contents on which two daemons on one tree agree.
//!
//! Digests are for tests, and for people who doubt. The file table, the map and the text index are each written as
//! lines that depend on paths and contents alone, and hashed file by file in order of path. Only a hash for each file
//! is kept, and the map is locked for a slice of files at a time, so that even a kernel's digest can be computed while
//! the daemon works.

use hob_base::{CancelToken, ContentHash, FileId, Stopped, WsPath};
use rayon::prelude::*;

use super::file_kind::FileKind;
use super::workspace::Workspace;
use hob_base::lock;

/// Number of files of the map whose lines are written under one lock.
const SLICE: usize = 64;

/// Most attempts at a digest that is begun again because something changed meanwhile.
const ATTEMPTS: usize = 3;

/// A part of a workspace that has a digest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DigestPart {
    /// Path, content hash and kind of each file.
    Files,
    /// Every node and edge.
    Map,
    /// The trigrams of each file.
    Text,
}

/// The part of the tree that is digested, and the page of its lines.
#[derive(Clone, Debug)]
pub struct DigestQuery {
    /// Only files below this path.
    pub below: WsPath,
    /// First file of each part, in order of path.
    pub from: usize,
    /// Most files of each part.
    pub limit: usize,
    /// The part whose lines are wanted as well; `None` for no lines.
    pub list: Option<DigestPart>,
}

/// The digest of one part.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Digest {
    /// Number of files in it, before `from` and `limit`.
    pub count: usize,
    /// The hash of the lines of the page's files.
    pub hash: ContentHash,
}

/// The digests of all parts of a workspace.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WorkspaceDigest {
    /// Digest of the file table.
    pub files: Digest,
    /// Digest of the map.
    pub map: Digest,
    /// Digest of the text index.
    pub text: Digest,
    /// The lines that were asked for.
    pub lines: Vec<String>,
    /// True if all digests are of one generation; false for a tree that changed during every attempt.
    pub steady: bool,
}

impl Workspace {
    /// Computes the digests of all parts.
    ///
    /// # Errors
    /// [`Stopped`] when cancelled.
    pub fn compute_digest(
        &self,
        query: &DigestQuery,
        cancel: &CancelToken,
    ) -> Result<WorkspaceDigest, Stopped> {
        let mut attempts = 0;
        loop {
            let generation = self.generation();
            let mut known = self.digest_once(query, cancel)?;
            attempts += 1;
            known.steady = generation == self.generation();
            if known.steady || attempts == ATTEMPTS {
                return Ok(known);
            }
        }
    }

    fn digest_once(&self, query: &DigestQuery, cancel: &CancelToken) -> Result<WorkspaceDigest, Stopped> {
        let mut lines = Vec::new();
        let mut tally = |part, each: Vec<(WsPath, String)>| {
            let (count, each) = page_below(query, each);
            let hash = hash_of(each.iter().map(|(_, line)| ContentHash::of(line.as_bytes())));
            if query.list == Some(part) {
                lines.extend(each.into_iter().map(|(_, line)| line));
            }
            Digest { count, hash }
        };
        let files = tally(DigestPart::Files, self.file_lines());
        let text = self.text().export_contents().into_iter().map(|(path, sum)| {
            let line = format!("{path} {sum:016x}");
            (path, line)
        });
        let text = tally(DigestPart::Text, text.collect());
        let (count, order) = page_below(query, self.map().export_order());
        let mut hashes = Vec::with_capacity(order.len());
        for slice in order.chunks(SLICE) {
            cancel.check()?;
            for (hash, of_file) in self.map_lines(slice) {
                hashes.push(hash);
                if query.list == Some(DigestPart::Map) {
                    lines.extend(of_file);
                }
            }
        }
        let map = Digest { count, hash: hash_of(hashes.into_iter()) };
        Ok(WorkspaceDigest { files, map, text, lines, steady: false })
    }

    fn file_lines(&self) -> Vec<(WsPath, String)> {
        let core = lock(&self.core);
        let line = |(id, path, record): (FileId, &WsPath, &hob_workspace::Record)| {
            let kind = match core.kinds.get(&id) {
                None => "unknown",
                Some(FileKind::Binary) => "binary",
                Some(FileKind::Text(None)) => "text",
                Some(FileKind::Text(Some(_))) => "mapped",
            };
            (path.clone(), format!("{path} {} {kind}", record.hash))
        };
        core.table.iter().map(line).collect()
    }

    /// Returns the lines of each file in the map, with their hash.
    fn map_lines(&self, slice: &[(WsPath, FileId)]) -> Vec<(ContentHash, Vec<String>)> {
        let map = self.map();
        let written = |(_, file): &(WsPath, FileId)| {
            let lines = map.export_file(*file);
            (ContentHash::of(lines.join("\n").as_bytes()), lines)
        };
        self.query_pool().install(|| slice.par_iter().map(written).collect())
    }
}

/// Returns the number of files below the folder, and the page of them that is asked for. `each` is in order of path.
fn page_below<T>(query: &DigestQuery, each: Vec<(WsPath, T)>) -> (usize, Vec<(WsPath, T)>) {
    let mut below: Vec<_> = each.into_iter().filter(|(path, _)| path.is_below(&query.below)).collect();
    let count = below.len();
    below.truncate(query.from.saturating_add(query.limit));
    (count, below.split_off(query.from.min(below.len())))
}

fn hash_of(hashes: impl Iterator<Item = ContentHash>) -> ContentHash {
    let bytes: Vec<u8> = hashes.flat_map(|hash| *hash.as_bytes()).collect();
    ContentHash::of(&bytes)
}
