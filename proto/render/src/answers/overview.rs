//! Renders the overview of a code base.

use hob_proto::tools::map::{Cluster, OverviewResult};

use super::handle::handle_of;
use crate::document::{AnswerDocument, AnswerItem, Section};
use crate::one_line::one_line;

/// Renders clusters with their most connected definitions, after one line of totals.
pub(super) fn render_overview(result: OverviewResult) -> AnswerDocument {
    let mut languages: Vec<(&String, &usize)> = result.languages.iter().collect();
    languages.sort_by(|a, b| b.1.cmp(a.1));
    let languages: Vec<String> = languages.iter().map(|(name, files)| format!("{name} {files}")).collect();
    let head = format!("{} files, {} symbols: {}", result.files, result.symbols, languages.join(", "));
    let items = result.clusters.iter().map(cluster_item).collect();
    let mut document = AnswerDocument::of_section(Section::new_paged("clusters", items).with_title(head));
    if result.stale_files > 0 {
        document.notes.push(format!("{} files have changed since", result.stale_files));
    }
    document
}

fn cluster_item(cluster: &Cluster) -> AnswerItem {
    let plural = if cluster.files == 1 { "" } else { "s" };
    let head = format!("{}, {} file{plural}", one_line(&cluster.label), cluster.files);
    let hubs = cluster.hubs.iter().map(|hub| format!(" {}", one_line(&handle_of(&hub.id))));
    AnswerItem { lines: std::iter::once(head).chain(hubs).collect(), ..AnswerItem::default() }
}
