//! Answers `hob_graph`: the whole map, a page at a time, for a program that draws it.
//!
//! A page ends when it has enough characters or has taken long enough: every reference of its files is resolved, and a
//! thread that waits to change the map must not wait for long. The next page begins after the last path.

use std::collections::HashMap;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use hob_base::{CancelToken, Deadline, FileId};
use hob_map::Map;
use hob_map::graph::{EdgeKind, NodeRef};
use hob_proto::ToolError;
use hob_proto::tools::graph::{FileChanges, GraphArgs, GraphFile, GraphResult, GraphSymbol};

use super::change_impact::{git_failed, open_repository};
use super::{NeededIndex, ToolCall, ToolOutcome, to_data};
use hob_host::Workspace;
use hob_results::{errors, map as to_proto};

/// Number of characters at which a page ends; well below the budget, because files are whole.
const PAGE: usize = 8 << 20;

/// Time after which a page ends.
const TURN: Duration = Duration::from_millis(400);

/// Longest time that the first page waits for clusters.
const DERIVE_PATIENCE: Duration = Duration::from_secs(60);

/// Longest time for counting the commits that changed each file.
const HEAT_PATIENCE: Duration = Duration::from_secs(20);

/// Longest signature and doc, in characters.
const TEXT: usize = 160;

pub(super) fn graph(call: &mut ToolCall<'_>) -> ToolOutcome {
    let args: GraphArgs = call.parse_args()?;
    // The barrier was passed for the first page, and later pages continue from there.
    call.terms.fresh &= args.after_path.is_none();
    let workspace = call.workspace(NeededIndex::Map)?;
    if args.after_path.is_none() {
        workspace.wait_derived(&call.cancel.with_deadline(Deadline::after(DERIVE_PATIENCE)));
    }
    let mut page =
        GraphPage::new(&workspace).fill_page(&workspace.map(), args.after_path.as_deref(), &call.cancel);
    if let Some(days) = args.heat_days.filter(|_| args.after_path.is_none()) {
        page.changes = count_changes(call, &workspace, days)?;
    }
    if call.cancel.is_cancelled() {
        return Err(errors::cancelled());
    }
    to_data(&page)
}

/// Returns the number of commits of the last `days` that changed each file, most changed first.
fn count_changes(
    call: &mut ToolCall<'_>,
    workspace: &Workspace,
    days: u32,
) -> Result<Vec<FileChanges>, ToolError> {
    let without = |error: ToolError| error.hint("Without the change heat there is a picture all the same.");
    let repository = open_repository(workspace).map_err(without)?;
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs();
    let since = i64::try_from(now).unwrap_or(i64::MAX) - i64::from(days) * 86_400;
    let patience = call.cancel.with_deadline(Deadline::after(HEAT_PATIENCE));
    let counted = repository.count_changes(since, &patience).map_err(|error| git_failed(&error))?;
    if counted.is_cut {
        call.notes.warnings.push(format!(
            "The change heat counts {} commits: older ones of these {days} days are not here, or there was no time for them.",
            counted.commits
        ));
    }
    let files = counted.files.into_iter();
    let mut changes: Vec<FileChanges> =
        files.map(|(path, commits)| FileChanges { path: path.to_string(), commits }).collect();
    changes.sort_by(|a, b| b.commits.cmp(&a.commits).then_with(|| a.path.cmp(&b.path)));
    Ok(changes)
}

struct GraphPage {
    result: GraphResult,
    others: HashMap<NodeRef, u64>,
    size: usize,
}

impl GraphPage {
    fn new(workspace: &Workspace) -> Self {
        let folder = workspace.root().as_path().file_name();
        let result = GraphResult {
            name: folder.map(|name| name.to_string_lossy().into_owned()).unwrap_or_default(),
            root: workspace.root().to_string(),
            built_at: to_proto::rfc3339(workspace.changed_at()),
            ..GraphResult::default()
        };
        Self { result, others: HashMap::new(), size: 0 }
    }

    fn fill_page(mut self, map: &Map, after: Option<&str>, cancel: &CancelToken) -> GraphResult {
        let files = map.picture_files();
        let stats = map.stats();
        (self.result.files_total, self.result.symbols_total) = (files.len(), stats.symbols);
        self.result.edges_total = stats.edges.unwrap_or(0);
        if after.is_none() {
            self.result.clusters = map.cluster_labels().into_iter().map(str::to_owned).collect();
        }
        let begun = Instant::now();
        let start = after.map_or(0, |after| files.partition_point(|(path, _)| path.as_str() <= after));
        for (at, (path, file)) in files.iter().enumerate().skip(start) {
            self.file(map, *file);
            if self.size >= PAGE || begun.elapsed() >= TURN || cancel.is_cancelled() {
                self.result.next_path = (at + 1 < files.len()).then(|| path.to_string());
                break;
            }
        }
        self.result
    }

    fn file(&mut self, map: &Map, file: FileId) {
        let Some((path, _)) = map.file(file) else { return };
        let defs = map.defs_of(file);
        let symbols: Vec<GraphSymbol> = defs.iter().filter_map(|def| symbol(map, (*def).into())).collect();
        let (mut uses, mut use_lines) = (Vec::new(), Vec::new());
        for edge in map.picture_edges_from(file) {
            let from = match edge.from {
                NodeRef::Def(def) => u64::from(def.def.number()) + 1,
                _ => 0,
            };
            let kind = EdgeKind::ALL.iter().position(|kind| *kind == edge.kind).unwrap_or(0);
            uses.extend([from, self.place_of_other(map, edge.to), kind as u64, edge.sites as u64]);
            use_lines.push(edge.line);
        }
        self.size += symbols
            .iter()
            .map(|s| s.id.len() + s.name.len() + s.signature.len() + s.doc.len() + 120)
            .sum::<usize>();
        self.size += uses.len() * 8 + path.as_str().len() * 2 + 80;
        self.result.files.push(GraphFile {
            path: path.to_string(),
            id: map.id(NodeRef::File(file)).to_string(),
            cluster: map.cluster_of(file),
            symbols,
            uses,
            use_lines,
        });
    }

    /// Returns the index of a node among those to which edges lead, and adds it if it is new.
    fn place_of_other(&mut self, map: &Map, node: NodeRef) -> u64 {
        let next = self.others.len() as u64;
        *self.others.entry(node).or_insert_with(|| {
            let id = map.id(node).to_string();
            self.size += id.len() + 3;
            self.result.others.push(id);
            next
        })
    }
}

fn symbol(map: &Map, node: NodeRef) -> Option<GraphSymbol> {
    let info = map.info(node)?;
    Some(GraphSymbol {
        id: info.id.to_string(),
        kind: info.kind.as_str().to_owned(),
        line: info.name_at.0,
        end: info.lines.1,
        score: to_proto::score(info.score),
        test: map.is_test(node),
        name: info.qualified,
        signature: info.signature.chars().take(TEXT).collect(),
        doc: info.doc.chars().take(TEXT).collect(),
    })
}
