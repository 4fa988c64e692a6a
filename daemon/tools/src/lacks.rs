//! Warns in answers that lack something of the map: lines that no parser understood, and hub scores that are still
//! being computed. A warning costs its reader little, and only answers about the missing thing have it.

use std::collections::BTreeSet;
use std::time::Duration;

use hob_map::Map;
use hob_map::graph::{NodeInfo, NodeRef, Ranked};

use super::ToolCall;
use hob_host::Workspace;
use hob_results::map::line_ranges;

/// Longest time that answers wait for hub scores, from the first that does.
const RANKING_PATIENCE: Duration = Duration::from_millis(300);

/// Most files that one answer names, and most ranges of lines of each.
const FILES: usize = 3;
const STRETCHES: usize = 4;

impl ToolCall<'_> {
    /// Warns about unmapped lines in the files that an answer is about.
    pub(super) fn warn_of_unmapped<'p>(&mut self, map: &Map, paths: impl IntoIterator<Item = &'p str>) {
        let paths: BTreeSet<&str> = paths.into_iter().collect();
        let lacking = paths.into_iter().map(|path| (path, map.unmapped_in(path)));
        let lacking: Vec<_> = lacking.filter(|(_, lines)| !lines.is_empty()).collect();
        for (path, lines) in lacking.iter().take(FILES) {
            self.notes.warnings.push(unmapped_lines_note(path, lines));
        }
        if lacking.len() > FILES {
            self.notes.warnings.push(format!("So have {} more of these files.", lacking.len() - FILES));
        }
    }

    /// Warns about unmapped lines in the file of a node.
    pub(super) fn warn_of_unmapped_around(&mut self, map: &Map, node: NodeRef) {
        let path = map.info(node).and_then(|info: NodeInfo| info.path);
        self.warn_of_unmapped(map, path.iter().map(hob_base::WsPath::as_str));
    }

    /// Warns in an answer without results that there are lines that no parser understood.
    pub(super) fn warn_of_unmapped_anywhere(&mut self, map: &Map) {
        let (files, worst) = map.most_unmapped(1);
        if let Some(worst) = worst.first() {
            let more = match files {
                1 => String::new(),
                more => format!(" and {} more files, which map_status lists", more - 1),
            };
            self.notes.warnings.push(format!(
                "Lines of `{}`{more} are not mapped, as their parser did not understand them: regex_search finds a definition there.",
                worst.path
            ));
        }
    }

    /// Waits for the first hub scores, for an unnoticeable time: in small projects they are there by then, and in large
    /// ones only the first question waits.
    pub(super) fn wait_for_ranking(&self, workspace: &Workspace) {
        if workspace.map().ranking_origin() == Ranked::No {
            workspace.wait_derived_shared(RANKING_PATIENCE, &self.cancel);
        }
    }

    /// Says by what an answer is ordered while hub scores are being computed.
    pub(super) fn warn_of_ranking(&mut self, map: &Map) {
        match map.ranking_origin() {
            Ranked::No => self.notes.warnings.push(
                "Hub scores are still being computed and are 0 here: names that more files mention come first.".into(),
            ),
            Ranked::Earlier { unknown } if unknown > 0 => self.notes.warnings.push(format!(
                "Hub scores are those of the last run and are being computed anew: {unknown} files that have changed since have none."
            )),
            Ranked::Earlier { .. } | Ranked::Derived => {}
        }
    }
}

fn unmapped_lines_note(path: &str, lines: &[(u32, u32)]) -> String {
    let mut told = line_ranges(lines, STRETCHES).join(", ");
    if lines.len() > STRETCHES {
        told.push_str(&format!(" and {} more stretches", lines.len() - STRETCHES));
    }
    format!(
        "`{path}`: its parser did not understand lines {told}; definitions and uses there are not mapped. regex_search sees them."
    )
}
