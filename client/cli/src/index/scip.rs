//! Defines `hob index import`, `export`, `list` and `drop`: for SCIP indexes that compilers made, and for the map as
//! one.
//!
//! The daemon reads and writes indexes, into folders of its own. This file moves an export to the user's place: it
//! copies the file beside the place first and then renames it, so that no half of an index is ever there.

use std::fs;
use std::path::{Path, PathBuf};

use clap::Subcommand;
use hob_proto::tools::indexes::{DocumentsLeftAside, ExportedIndex, IndexInfo, IndexesResult};
use serde_json::{Map, Value, json};

use super::super::ask::{self, CliQuestion};
use super::super::term::{self, Style};
use super::super::visible::on_one_line;
use super::super::{CommandFailure, CommandOutcome, Common, output, render, show};

/// The actions on imported indexes.
#[derive(Debug, Subcommand)]
pub(super) enum IndexCommand {
    /// Believe a SCIP index that a compiler made, for every file that has not changed since
    ///
    /// Definitions and references come from it where no language server answers. A changed file is not
    /// believed, until it has its indexed contents again. Importing an index of the same indexer again
    /// replaces the earlier one.
    Import {
        /// The index, such as index.scip
        file: PathBuf,
        /// Take its paths as those of this project, whatever folder it names: it was made on another machine
        #[arg(long)]
        relocate: bool,
        /// Also believe files that were written after the index: a checkout or a copy has set their times
        /// anew
        #[arg(long)]
        accept_newer: bool,
    },
    /// Write the map as a SCIP index
    Export {
        /// The file to write
        #[arg(long, short, visible_alias = "out", value_name = "FILE", default_value = "index.scip")]
        output: PathBuf,
        /// Replace the file even if it is no SCIP index
        #[arg(long)]
        force: bool,
    },
    /// List the imported indexes, and how many of their files are believed
    #[command(visible_alias = "stats")]
    List,
    /// Remove an imported index
    Drop {
        /// The name in `hob index list`
        name: String,
    },
}

impl IndexCommand {
    pub(super) async fn run(self, common: &Common) -> Result<CommandOutcome, CommandFailure> {
        let (args, target) = self.arguments()?;
        let given = |(key, value): (String, Value)| (!value.is_null()).then_some((key, value));
        let args: Map<_, _> = args.as_object().cloned().into_iter().flatten().filter_map(given).collect();
        let answer = ask::with_progress(&CliQuestion::new("hob_index", args, common)?, common).await?;
        if let Some(target) = target
            && let Some(exported) = show::result_of::<IndexesResult>(&answer).and_then(|all| all.exported)
        {
            return take_over(&exported, &target, common);
        }
        show::print_result(&answer, common.json, |result, style| Some(index_lines(result, style)))
    }

    /// Returns the arguments of the call, and the place of an export.
    fn arguments(self) -> Result<(Value, Option<PathBuf>), CommandFailure> {
        Ok(match self {
            Self::Import { file, relocate, accept_newer } => {
                let file = path_text(&Common::working_dir()?.join(file))?;
                let args = json!({"action": "import", "file": file, "relocate": relocate, "accept_newer": accept_newer});
                (args, None)
            }
            Self::Export { output, force } => {
                let target = Common::working_dir()?.join(output);
                (json!({"action": "export", "file": path_text(&target)?, "force": force}), Some(target))
            }
            Self::List => (json!({"action": "list"}), None),
            Self::Drop { name } => (json!({"action": "drop", "name": name}), None),
        })
    }
}

fn path_text(path: &Path) -> Result<String, CommandFailure> {
    let text = path.to_str().map(str::to_owned);
    text.ok_or_else(|| CommandFailure::Usage(format!("the path `{}` is no text", path.display())))
}

/// Moves an export from the daemon's folder to its place.
fn take_over(
    exported: &ExportedIndex,
    target: &Path,
    common: &Common,
) -> Result<CommandOutcome, CommandFailure> {
    let failed = |error: std::io::Error| {
        CommandFailure::Usage(format!("`{}` cannot be written: {error}", target.display()))
    };
    output::make_way(target)?;
    let mut beside = target.as_os_str().to_owned();
    beside.push(format!(".{}.new", std::process::id()));
    let copied = copy_contents(Path::new(&exported.file), Path::new(&beside));
    let placed = copied.and_then(|()| fs::rename(&beside, target));
    let _ = fs::remove_file(&exported.file);
    if placed.is_err() {
        let _ = fs::remove_file(&beside);
    }
    placed.map_err(failed)?;
    term::print(&exported_text(exported, target, common.json))?;
    Ok(CommandOutcome::Done)
}

/// Copies a file's contents and not its permissions: a file that the user names has the usual ones.
fn copy_contents(from: &Path, to: &Path) -> std::io::Result<()> {
    std::io::copy(&mut fs::File::open(from)?, &mut fs::File::create(to)?).map(drop)
}

fn exported_text(exported: &ExportedIndex, target: &Path, as_json: bool) -> String {
    let ExportedIndex { documents, names, symbols, .. } = *exported;
    if as_json {
        let written = json!({"out": target, "documents": documents, "names": names, "symbols": symbols});
        return format!("{written}\n");
    }
    let counted = [(documents, "file"), (names, "name"), (symbols, "symbol")]
        .map(|(count, noun)| render::count(count as u64, noun));
    format!("written to {}: {}\n", target.display(), counted.join(", "))
}

fn index_lines(result: &IndexesResult, style: &Style) -> String {
    let mut text = String::new();
    if let Some(name) = &result.dropped {
        text.push_str(&format!("dropped {}\n", on_one_line(name)));
    }
    let left = result.left_aside.iter().map(left_aside_line);
    let shown =
        result.indexes.iter().filter(|one| result.imported.as_ref().is_none_or(|name| one.name == *name));
    let is_list = result.dropped.is_none();
    text.extend(shown.filter(|_| is_list).map(|one| index_line(one, style)));
    text.extend(left);
    if text.is_empty() {
        text.push_str("no index is imported (hob index import FILE)\n");
    }
    text
}

fn index_line(one: &IndexInfo, style: &Style) -> String {
    let believed = format!(
        "{} of {} believed",
        render::grouped_digits(one.believed as u64),
        render::count(one.files as u64, "file")
    );
    let about = format!(
        "{}, {}, {:.1} MB, of {} {}",
        render::count(one.names as u64, "name"),
        render::count(one.symbols as u64, "symbol"),
        one.bytes as f64 / 1e6,
        one.read_at,
        one.source,
    );
    format!("{}: {believed}; {}\n", style.bold(on_one_line(&one.name)), style.dim(on_one_line(&about)))
}

fn left_aside_line(one: &DocumentsLeftAside) -> String {
    let documents = render::count(one.documents as u64, "document");
    format!("  left aside: {documents} that {} ({})\n", one.why, on_one_line(&one.first))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn result(value: Value) -> IndexesResult {
        serde_json::from_value(value).expect("a result")
    }

    fn index(name: &str) -> Value {
        json!({"name": name, "tool": name, "version": "1", "source": "/p/index.scip", "documents": 3, "files": 2,
               "believed": 1, "names": 1200, "symbols": 40, "bytes": 1_500_000, "readAt": "2026-11-26T10:00:00Z"})
    }

    #[test]
    fn belief_is_told() {
        let all = json!({"root": "/p", "indexes": [index("scip-a"), index("scip-b")], "imported": "scip-b",
            "left_aside": [{"why": "lead out of the project", "documents": 1, "first": "../x"}]});
        let text = index_lines(&result(all), &Style::default());
        let expected = "scip-b: 1 of 2 files believed; 1,200 names, 40 symbols, 1.5 MB, of 2026-11-26T10:00:00Z /p/index.scip\n  \
                        left aside: 1 document that lead out of the project (../x)\n";
        assert_eq!(text, expected);
        let none = index_lines(&result(json!({"root": "/p", "indexes": []})), &Style::default());
        assert!(none.contains("hob index import"), "{none}");
        let dropped = json!({"root": "/p", "indexes": [index("scip-b")], "dropped": "scip-a"});
        assert_eq!(index_lines(&result(dropped), &Style::default()), "dropped scip-a\n");
    }
}
