//! Defines `hob index`: brings the index up to date and shows the progress; with a subcommand, manages indexes that
//! compilers made (`scip`).

mod scip;

use std::path::PathBuf;

use clap::Args;
use serde_json::{Map, Value};

use super::ask::{self, CliQuestion};
use super::{CommandFailure, CommandOutcome, Common, render, show};
use scip::IndexCommand;

/// Index a project now, or scan it again
///
/// Rarely needed: the first question about a project indexes it, and hob follows changes by itself. The
/// commands below are about SCIP indexes, which compiler-based indexers write.
#[derive(Debug, Args)]
#[command(args_conflicts_with_subcommands = true)]
pub(crate) struct Index {
    #[command(subcommand)]
    command: Option<IndexCommand>,

    /// The project: its folder or any path in it (default: --root, else the working directory)
    path: Option<PathBuf>,
}

impl Index {
    pub(super) async fn run(self, common: &Common) -> Result<CommandOutcome, CommandFailure> {
        if let Some(command) = self.command {
            return command.run(common).await;
        }
        let place = common.project_folder()?;
        let root = self.path.map_or_else(|| place.clone(), |path| place.join(path));
        let question = CliQuestion { root, ..CliQuestion::new("map_rebuild", Map::new(), common)? };
        let answer = ask::with_progress(&question, common).await?;
        show::print_result(&answer, common.json, |data, _| Some(format!("{}\n", summary(data)?)))
    }
}

/// Returns a line about the work done; `None` when the result has another shape than expected.
fn summary(data: &Value) -> Option<String> {
    let number = |field: &str| data[field].as_u64();
    let scanned = render::count(number("filesScanned")?, "file");
    let mut parts = vec![format!("{} new or changed", render::grouped_digits(number("filesExtracted")?))];
    match number("filesDeleted")? {
        0 => {}
        gone => parts.push(format!("{} gone", render::grouped_digits(gone))),
    }
    #[allow(clippy::cast_precision_loss, reason = "for people, with one decimal")]
    let seconds = number("durationMs")? as f64 / 1000.0;
    let verb = if data["cold"] == true { "indexed" } else { "scanned" };
    Some(format!("{verb} {scanned} in {seconds:.1} s: {}", parts.join(", ")))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn the_summary_says_what_was_done() {
        let data = json!({"filesScanned": 2812, "filesExtracted": 1, "filesDeleted": 0, "durationMs": 1250, "cold": true});
        assert_eq!(summary(&data).expect("a line"), "indexed 2,812 files in 1.2 s: 1 new or changed");
        let data = json!({"filesScanned": 1, "filesExtracted": 0, "filesDeleted": 3, "durationMs": 9, "cold": false});
        assert_eq!(summary(&data).expect("a line"), "scanned 1 file in 0.0 s: 0 new or changed, 3 gone");
        assert_eq!(summary(&json!({})), None);
    }
}
