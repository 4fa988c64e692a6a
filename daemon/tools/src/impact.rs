//! Answers `impact`: who is affected by a change, cut to its budget.
//!
//! Four lists tell about the same change: the affected symbols, the tests among them, their files, and the possibly
//! affected ones. The usual cut would give up one list after the other; here each has a share of the room, and a list
//! gets the room that another does not need.

use std::collections::{BTreeMap, HashMap};

use hob_budget::chars_of;
use hob_map::Map;
use hob_map::graph::{Affected, Following, ImpactAnswer, ImpactQuery, NodeInfo, NodeKind, NodeRef};
use hob_proto::tools::impact::{AffectedFile, AffectedNode, Changed, ImpactArgs, ImpactCounts, ImpactResult};
use serde::Serialize;

use super::flow_trace::{file_of, name_of};
use super::map::{MAY_LACK_CALLERS, with_graph_deadline};
use super::symbol_question::{SymbolQuestion, ask_about};
use super::{NeededIndex, ToolCall, ToolOutcome, to_data};
use hob_host::Stale;

/// Most lines of uses that each symbol shows.
const SITES: usize = 3;

/// Shares of the room in percent, of `affected`, `tests`, `files` and `possible`.
const SHARES: [usize; 4] = [55, 15, 15, 15];

const WAY: &str =
    "Pass offset for the next page, a smaller max_depth, or ask about a part (a method, not its class).";

pub(super) fn impact(call: &mut ToolCall<'_>) -> ToolOutcome {
    let args: ImpactArgs = call.parse_args()?;
    let workspace = call.workspace(NeededIndex::Map)?;
    let SymbolQuestion { map, scope, node } = match ask_about(call, &workspace, &args.symbol)? {
        Ok(question) => question,
        Err(several) => {
            return to_data(&ImpactResult { ambiguous: vec![several], ..ImpactResult::default() });
        }
    };
    let cancel = with_graph_deadline(&call.cancel);
    let mut answer =
        map.impact(&ImpactQuery { node, max_depth: args.max_depth, following: Following::Sure, cancel });
    for list in [&mut answer.affected, &mut answer.possible] {
        list.retain(|hit| scope.admits_node(&map, hit.node));
    }
    scope.warn_of_omissions(call, answer.incomplete);
    put_files_together(&map, &mut answer.affected);
    if answer.incomplete {
        call.notes.warnings.push(
            "Too much is affected to be followed to its end: counts are lower bounds. Pass a smaller max_depth.".into(),
        );
    }
    if answer.may_lack_callers {
        call.notes.warnings.push(MAY_LACK_CALLERS.into());
    }
    let telling = ImpactReport {
        map: &map,
        stale: workspace.stale_files(),
        root: node,
        answer: &answer,
        offset: args.offset,
    };
    to_data(&telling.result(call))
}

/// Groups the affected symbols of one file at each depth: files in the order of their best symbol, the symbols of a
/// file in the order of their lines.
fn put_files_together(map: &Map, affected: &mut [Affected]) {
    let mut order: HashMap<_, usize> = HashMap::new();
    for hit in affected.iter() {
        let next = order.len();
        order.entry((hit.depth, hit.node.file())).or_insert(next);
    }
    let line = |hit: &Affected| hit.sites.first().copied().or(map.info(hit.node).map(|info| info.name_at.0));
    affected.sort_by_cached_key(|hit| (order[&(hit.depth, hit.node.file())], line(hit)));
}

struct ImpactReport<'a> {
    map: &'a Map,
    stale: Stale,
    root: NodeRef,
    answer: &'a ImpactAnswer,
    /// Number of affected symbols on earlier pages.
    offset: usize,
}

impl ImpactReport<'_> {
    fn result(&self, call: &mut ToolCall<'_>) -> ImpactResult {
        let files = self.files();
        let tests: Vec<&Affected> = self.answer.affected.iter().filter(|hit| hit.is_test).collect();
        let mut result = ImpactResult {
            symbol: self.map.info(self.root).map(|info| changed_node(&info)),
            counts: self.impact_counts(files.len(), tests.len()),
            truncated_at: self.answer.whole_to,
            ..ImpactResult::default()
        };
        let room = call.room_beside_note().saturating_sub(chars_of(&result));
        let mut given =
            if self.offset == 0 { SHARES.map(|share| room * share / 100) } else { [room, 0, 0, 0] };
        // In the second round, room that lists did not need goes to the first of those that needed more, the most
        // telling first.
        for _ in 0..2 {
            let (affected, a) =
                items_that_fit(self.page().iter().map(|hit| self.affected_node(hit)), given[0]);
            let (ids, b) =
                items_that_fit(tests.iter().map(|hit| self.map.id(hit.node).to_string()), given[1]);
            let (in_files, c) = items_that_fit(files.iter().cloned(), given[2]);
            let (possible, d) =
                items_that_fit(self.answer.possible.iter().map(|hit| self.affected_node(hit)), given[3]);
            // Later pages have only the first list.
            let whole = [
                affected.len() == self.page().len(),
                ids.len() == tests.len(),
                in_files.len() == files.len(),
                possible.len() == self.answer.possible.len(),
            ];
            let used = [a, b, c, d];
            let spare = room.saturating_sub(used.iter().sum());
            given = used;
            let wanting = if self.offset == 0 { whole.iter().position(|whole| !whole) } else { Some(0) };
            if let Some(first) = wanting {
                given[first] += spare;
            }
            result = ImpactResult { affected, tests: ids, files: in_files, possible, ..result };
        }
        self.note_omissions(call, &result);
        result
    }

    /// Notes what is not shown. The first list that is cut also says how to get the rest.
    fn note_omissions(&self, call: &mut ToolCall<'_>, result: &ImpactResult) {
        let counts = &result.counts;
        let mut way = WAY;
        if self.offset > 0 {
            call.omit_items("affected", self.page().len(), result.affected.len(), WAY);
            return;
        }
        for (kind, total, shown) in [
            ("affected", counts.affected, result.affected.len()),
            ("tests", counts.tests, result.tests.len()),
            ("files", counts.files, result.files.len()),
            ("possible", counts.possible, result.possible.len()),
        ] {
            if total > shown {
                call.omit_items(kind, total, shown, std::mem::replace(&mut way, "Likewise."));
            }
        }
    }

    /// Returns the affected symbols that earlier pages do not have.
    fn page(&self) -> &[Affected] {
        self.answer.affected.get(self.offset..).unwrap_or_default()
    }

    fn impact_counts(&self, files: usize, tests: usize) -> ImpactCounts {
        let affected = &self.answer.affected;
        let mut counts = ImpactCounts {
            affected: affected.len(),
            tests,
            files,
            possible: self.answer.possible.len(),
            by_cause: BTreeMap::new(),
            by_depth: vec![0; affected.last().map_or(0, |hit| hit.depth as usize)],
        };
        for hit in affected {
            *counts.by_cause.entry(hit.cause.as_str().to_owned()).or_default() += 1;
            counts.by_depth[hit.depth as usize - 1] += 1;
        }
        counts
    }

    fn files(&self) -> Vec<AffectedFile> {
        let mut found: HashMap<_, AffectedFile> = HashMap::new();
        for hit in &self.answer.affected {
            let Some((file, (path, _))) = hit.node.file().and_then(|file| Some((file, self.map.file(file)?)))
            else {
                continue;
            };
            let entry = found.entry(file).or_insert_with(|| AffectedFile {
                file: path.to_string(),
                affected: 0,
                tests: 0,
                depth: hit.depth,
            });
            entry.affected += 1;
            entry.tests += usize::from(hit.is_test);
        }
        let mut files: Vec<AffectedFile> = found.into_values().collect();
        files.sort_by(|a, b| {
            a.depth.cmp(&b.depth).then_with(|| b.affected.cmp(&a.affected)).then_with(|| a.file.cmp(&b.file))
        });
        files
    }

    fn affected_node(&self, hit: &Affected) -> AffectedNode {
        let info = self.map.info(hit.node);
        let info = info.as_ref();
        let stale = info.and_then(|info| info.path.as_ref()).is_some_and(|path| self.stale.has(path));
        AffectedNode {
            uid: self.map.id(hit.node).to_string(),
            name: info.map(name_of).unwrap_or_default(),
            kind: info.map(|info| info.kind.as_str().to_owned()).unwrap_or_default(),
            file: info.map(file_of).unwrap_or_default(),
            line: info.map_or(0, |info| info.name_at.0),
            depth: hit.depth,
            cause: hit.cause.as_str().to_owned(),
            via: (hit.via != self.root).then(|| self.map.id(hit.via).to_string()),
            confidence: hit.confidence.as_str().to_owned(),
            score: hob_results::map::score(self.map.score(hit.node)),
            test: hit.is_test,
            sites: hit.sites.iter().copied().take(SITES).collect(),
            site_count: (hit.site_count > SITES).then_some(hit.site_count),
            stale,
        }
    }
}

fn changed_node(info: &NodeInfo) -> Changed {
    Changed {
        uid: info.id.to_string(),
        name: name_of(info),
        kind: info.kind.as_str().to_owned(),
        file: file_of(info),
        line: (info.kind != NodeKind::External).then_some(info.name_at.0),
    }
}

/// Returns the first items that fit into `room` characters together, and the characters that they take.
pub(super) fn items_that_fit<T: Serialize>(items: impl Iterator<Item = T>, room: usize) -> (Vec<T>, usize) {
    let (mut taken, mut used) = (Vec::new(), 0);
    for item in items {
        let more = chars_of(&item) + 1;
        if used + more > room {
            break;
        }
        used += more;
        taken.push(item);
    }
    (taken, used)
}
