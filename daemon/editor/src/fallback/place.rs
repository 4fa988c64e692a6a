//! Writes places in the protocol's form: lines and columns from 0, files by URI.

use hob_base::WsPath;
use hob_live::uri;
use hob_map::graph::{NodeInfo, NodeKind};
use serde_json::{Value, json};

use super::text::{LineAndColumn, utf16_width_of};
use hob_host::Workspace;

/// Most places in an answer: no user reads a longer list.
pub(super) const MOST_PLACES: usize = 2_000;

/// A range within a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct Spans {
    /// The beginning of the range.
    pub(super) at: LineAndColumn,
    /// Width of the range in UTF-16 code units.
    pub(super) width: u32,
}

impl Spans {
    /// Returns true if a place lies in the range or at its end.
    pub(super) fn touches(&self, at: LineAndColumn) -> bool {
        let (line, col) = at;
        self.at.0 == line && (self.at.1..=self.at.1 + self.width).contains(&col)
    }

    /// Returns true if the range ends at a place.
    pub(super) fn ends_at(&self, at: LineAndColumn) -> bool {
        let (_, col) = at;
        self.width > 0 && self.at.1 + self.width == col
    }

    /// Converts the range to the protocol's `Range`.
    pub(super) fn range(&self) -> Value {
        range(self.at, (self.at.0, self.at.1 + self.width))
    }
}

/// A range in a file.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct FilePlace {
    pub(super) path: WsPath,
    pub(super) spans: Spans,
}

impl FilePlace {
    /// Returns the place of a node's name; `None` if the node is no file of the workspace.
    pub(super) fn from_node(info: &NodeInfo) -> Option<Self> {
        let path = info.path.clone()?;
        let is_named = matches!(info.kind, NodeKind::Def(kind) if !kind.is_prose());
        let at = if info.name_at.0 > 0 { info.name_at } else { (1, 1) };
        Some(Self { path, spans: Spans { at, width: if is_named { utf16_width_of(&info.name) } else { 0 } } })
    }

    /// Converts the place to the protocol's `Location`.
    pub(super) fn to_location(&self, workspace: &Workspace) -> Value {
        json!({"uri": uri_of(workspace, &self.path), "range": self.spans.range()})
    }
}

/// Returns the URI of a file in the workspace.
pub(super) fn uri_of(workspace: &Workspace, path: &WsPath) -> String {
    uri::of_path(&workspace.root().join_ws(path)).as_str().to_owned()
}

/// Converts two places that count from 1 into a `Range` of the protocol, which counts from 0.
pub(super) fn range(from: LineAndColumn, to: LineAndColumn) -> Value {
    let position =
        |at: LineAndColumn| json!({"line": at.0.saturating_sub(1), "character": at.1.saturating_sub(1)});
    json!({"start": position(from), "end": position(to)})
}

/// Returns the place in the protocol's parameters.
pub(super) fn position_in(params: &Value) -> Option<LineAndColumn> {
    let figure = |name: &str| params.get("position")?.get(name)?.as_u64().and_then(|n| u32::try_from(n).ok());
    Some((figure("line")?.checked_add(1)?, figure("character")?.checked_add(1)?))
}
