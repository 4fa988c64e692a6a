//! Holds a place that a topic is about, and describes its present state: its name, its location, and its text.

use hob_base::{ContentHash, Contents as _, WsPath};
use hob_map::Map;
use hob_map::graph::{NodeInfo, NodeKind, NodeRef};
use hob_proto::tools::investigate::InvestigationEntry;
use hob_text::ranked::QuestionWords;

use super::super::excerpt::{Size, excerpt_of};
use super::super::text_search::lines_of;
use hob_host::Workspace;

/// Characters of a summary: of the first few entries, and of those that follow.
const SUMMARY: usize = 200;
const SHORT: usize = 70;

/// A place with the map's knowledge of it.
#[derive(Clone, Debug)]
pub(super) struct TopicPlace {
    pub(super) info: NodeInfo,
    /// The domain of the cluster that the place is in.
    pub(super) domain: String,
    path: WsPath,
}

impl TopicPlace {
    /// Describes a node; `None` for packages, which have no source here.
    pub(super) fn new(map: &Map, node: NodeRef) -> Option<Self> {
        let info = map.info(node)?;
        let path = info.path.clone()?;
        let cluster = node.file().and_then(|file| map.cluster_of(file));
        let label = cluster.and_then(|cluster| map.cluster_labels().get(cluster as usize).copied());
        let folder = || path.as_str().split_once('/').map_or(".", |(top, _)| top);
        let domain = label.filter(|label| !label.is_empty()).unwrap_or_else(folder).to_owned();
        Some(Self { info, domain, path })
    }

    /// Reads the place's present lines; all lines of a file.
    pub(super) fn read_body(&self, workspace: &Workspace) -> Option<String> {
        let bytes = workspace.disk_contents().read(&self.path).ok()?;
        let (first, last) = if self.info.kind == NodeKind::File { (1, u32::MAX) } else { self.info.lines };
        let text = lines_of(&bytes, first, last);
        (!text.is_empty()).then_some(text)
    }

    pub(super) fn title(&self) -> &str {
        if self.info.qualified.is_empty() { &self.info.name } else { &self.info.qualified }
    }

    /// Returns the entry without its source.
    pub(super) fn entry_without_source(
        &self,
        asset_id: String,
        relevance: Option<f64>,
        is_seed: bool,
    ) -> InvestigationEntry {
        InvestigationEntry {
            asset_id,
            uid: self.info.id.to_string(),
            kind: self.info.kind.as_str().to_owned(),
            title: self.title().to_owned(),
            location: format!("{}:{}", self.path, self.info.name_at.0.max(1)),
            summary: self.summary(),
            snippet: None,
            inline_body: None,
            body_complete: false,
            relevance,
            confidence: None,
            reason: None,
            is_seed,
            changed: false,
        }
    }

    /// Returns the entry with a summary of one line: later entries are only shown so that a client can ask about them.
    pub(super) fn short_entry(
        &self,
        asset_id: String,
        relevance: Option<f64>,
        is_seed: bool,
    ) -> InvestigationEntry {
        let entry = self.entry_without_source(asset_id, relevance, is_seed);
        InvestigationEntry { summary: shorten_text(&entry.summary, SHORT), ..entry }
    }

    /// Returns the lines of the place's source that have most words of the question; `None` if that is only its name's
    /// line.
    pub(super) fn excerpt_of_source(
        &self,
        body: &str,
        words: &mut QuestionWords<'_>,
        size: Size,
    ) -> Option<String> {
        let is_file = self.info.kind == NodeKind::File;
        let (first, name) = if is_file { (1, 0) } else { (self.info.lines.0, self.info.name_at.0) };
        let shown = excerpt_of(words, body, first, name, false, size)?;
        let is_its_name = shown.split_once(' ').is_some_and(|(number, _)| number == name.to_string());
        (!is_its_name).then_some(shown)
    }

    /// Returns one line of the place's source, with its number before it.
    pub(super) fn line(&self, body: &str, line: u32) -> Option<String> {
        let first = if self.info.kind == NodeKind::File { 1 } else { self.info.lines.0 };
        let text = body.lines().nth(line.checked_sub(first)? as usize)?.trim();
        (!text.is_empty()).then(|| format!("{line} {}", shorten_text(text, SUMMARY)))
    }

    /// Returns the path of the place's file.
    pub(super) fn path(&self) -> &str {
        self.path.as_str()
    }

    fn summary(&self) -> String {
        let (signature, doc) = (self.info.signature.trim(), self.info.doc.trim());
        let whole = match (signature.is_empty(), doc.is_empty()) {
            (false, false) => format!("{signature} · {doc}"),
            _ => format!("{signature}{doc}"),
        };
        shorten_text(&whole, SUMMARY)
    }
}

/// Returns the first characters of a text, with `…` where some are left out.
pub(super) fn shorten_text(text: &str, most: usize) -> String {
    match text.char_indices().nth(most) {
        Some((end, _)) => format!("{}…", text[..end].trim_end_matches('…')),
        None => text.to_owned(),
    }
}

/// Returns the hash of a source, by which later calls notice its changes.
pub(super) fn hash(body: &str) -> [u8; 32] {
    *ContentHash::of(body.as_bytes()).as_bytes()
}

/// Returns the first lines that fit into `room` characters of an answer together; `None` if not even one does.
pub(super) fn first_lines(text: &str, room: usize) -> Option<&str> {
    let (mut end, mut taken) = (0, 0);
    for line in text.split_inclusive('\n') {
        taken += written_chars(line);
        if taken > room {
            break;
        }
        end += line.len();
    }
    (end > 0).then(|| &text[..end])
}

/// Returns the characters that a text takes in an answer.
fn written_chars(text: &str) -> usize {
    text.chars().map(|c| if matches!(c, '\n' | '\t' | '\r' | '"' | '\\') { 2 } else { 1 }).sum()
}
