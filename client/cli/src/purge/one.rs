//! Defines `hob purge --root PATH`: removes the data of one project alone.
//!
//! The daemon closes the project and removes its part, because no other program may touch its open files; a daemon that
//! was not running is started for this and ended again. This program removes trust and drawn pages, because the command
//! line wrote them.

use std::path::PathBuf;

use hob_proto::places::Places;
use hob_proto::tools::admin::PurgeResult;
use hob_proto::trust::Trusted;
use serde_json::{Map, json};

use super::super::ask::{self, CliQuestion};
use super::super::visible::on_one_line;
use super::super::{CommandFailure, CommandOutcome, Common, daemon, graph, render, show, term};
use super::{Purge, removal_failure, remove};

/// Tells the user which data stay, and why.
const STAYS: &str = "what is known of files by their contents stays until nobody has had them for a fortnight: \
                     other projects may have the same";

/// Files kept for the project outside the daemon.
struct OutsideFiles {
    pages: Vec<PathBuf>,
    trusted: bool,
}

impl Purge {
    pub(super) async fn one_project(
        &self,
        places: &Places,
        common: &Common,
    ) -> Result<CommandOutcome, CommandFailure> {
        if self.settings {
            let why = "--settings is about all of hob: pass it without --root, or edit config.toml";
            return Err(CommandFailure::Usage(why.to_owned()));
        }
        let was_running = hob_client::connect::is_running(&ask::client_settings(common)?)?;
        let ended = self.ask_for_one(places, common).await;
        if !was_running {
            daemon::stop(common).await?;
        }
        ended
    }

    async fn ask_for_one(&self, places: &Places, common: &Common) -> Result<CommandOutcome, CommandFailure> {
        let args = Map::from_iter([("confirm".to_owned(), self.yes.into())]);
        let question = CliQuestion::new("hob_purge", args, common)?;
        let answer = ask::with_progress(&question, common).await?;
        let Some(kept) = show::result_of::<PurgeResult>(&answer) else {
            return show::print_answer(&answer, common.json);
        };
        let beside = find_beside(places, &kept)?;
        if self.yes {
            beside.forget(places, &kept)?;
        }
        term::print(&purge_text(&kept, &beside, common.json))?;
        show::remarks_of(&answer);
        Ok(CommandOutcome::Done)
    }
}

fn find_beside(places: &Places, kept: &PurgeResult) -> Result<OutsideFiles, CommandFailure> {
    let trusted = Trusted::read(&places.trust_file())?;
    let trusted = trusted.folders().any(|folder| folder.as_os_str() == kept.root.as_str());
    Ok(OutsideFiles { pages: graph::pages_of(places, &kept.root), trusted })
}

impl OutsideFiles {
    fn forget(&self, places: &Places, kept: &PurgeResult) -> Result<(), CommandFailure> {
        for page in &self.pages {
            remove(page).map_err(|error| removal_failure(page, &error))?;
        }
        if self.trusted {
            Trusted::change_file(&places.trust_file(), |trusted| trusted.remove(kept.root.as_ref()))?;
        }
        Ok(())
    }
}

fn purge_text(kept: &PurgeResult, beside: &OutsideFiles, as_json: bool) -> String {
    let parts = purge_parts(kept, beside);
    if as_json {
        let word = if kept.removed { "removed" } else { "wouldRemove" };
        return format!("{}\n", json!({"root": kept.root, word: parts}));
    }
    let root = on_one_line(&kept.root);
    if parts.is_empty() {
        return format!("hob keeps nothing of {root} alone\n");
    }
    let lines: String = parts.iter().map(|part| format!("  {}\n", on_one_line(part))).collect();
    match kept.removed {
        true => format!("removed of {root}:\n{lines}{STAYS}\n"),
        false => format!(
            "this would be removed of {root}:\n{lines}{STAYS}\nnothing was removed; add --yes to do it\n"
        ),
    }
}

/// Lists each removed part on a line of its own: paths first.
fn purge_parts(kept: &PurgeResult, beside: &OutsideFiles) -> Vec<String> {
    let mut parts = kept.folders.clone();
    parts.extend(beside.pages.iter().map(|page| page.display().to_string()));
    if kept.pending > 0 {
        parts.push(render::count(kept.pending as u64, "pending edit"));
    }
    if kept.undo {
        parts.push("what `hob undo` needs".to_owned());
    }
    if kept.bundles > 0 {
        parts.push(render::count(kept.bundles as u64, "investigation"));
    }
    if beside.trusted {
        parts.push("your trust in it (hob trust)".to_owned());
    }
    parts
}
