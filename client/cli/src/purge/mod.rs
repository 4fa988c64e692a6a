//! Defines `hob purge`: ends the daemon and removes hob's files from this machine.
//!
//! It removes only hob's own files, by name, and a folder only once it is empty: if `HOB_DIR` is a folder that others
//! use too, none of their files is removed. It does not touch entries in other programs' files: `hob setup --undo`
//! takes those back, and needs its receipts, so it has to run first; the same holds for `hob service uninstall`.
//!
//! With `--root` it concerns one project (`one.rs`), and the daemon stays.

mod one;

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use clap::Args;
use hob_proto::places::Places;
use serde_json::json;

use super::term;
use super::visible::on_one_line;
use super::{CommandFailure, CommandOutcome, Common, daemon, doctor};

/// Remove hob's data: indexes, logs, trust, pending edits, installed servers and models
///
/// Ends the daemon first. Your settings stay unless --settings says otherwise. Without --yes it only shows
/// the data. With --root PATH it removes only the data of that one project: its index and texts, pending
/// edits, its trust; the daemon goes on. `hob setup` and `hob service` remove their own files elsewhere: use
/// them before, because their receipts are removed too.
#[derive(Debug, Args)]
pub(crate) struct Purge {
    /// Remove the data; without it, only list it
    #[arg(long)]
    yes: bool,

    /// Also remove the settings (config.toml)
    #[arg(long)]
    settings: bool,

    /// Remove even with receipts of `hob setup`, or a service; the files that they wrote then stay
    #[arg(long)]
    force: bool,
}

/// The names of hob's entries in the folder of caches.
const CACHE: &[&str] =
    &["store", "parsing", "workspaces", "graphs", "packages", "servers", "in-use.lock", "in-use.pid"];
/// The names of hob's entries in the folder of state. `run` is the runtime folder where the platform has none.
const STATE: &[&str] = &[
    "log",
    "crashes",
    "alive.json",
    "edits",
    "models",
    "servers",
    "setup",
    "service",
    "metrics.json",
    "metrics.damaged",
    "trust.json",
    "trust.lock",
    "groups.json",
    "groups.lock",
    "in-use.lock",
    "in-use.pid",
    "run",
];
const RUNTIME: &[&str] = &["cookies", "hobd.sock", "daemon.lock", "start.lock"];

impl Purge {
    pub(super) async fn run(&self, common: &Common) -> Result<CommandOutcome, CommandFailure> {
        let places = Places::from_process_env()?;
        if common.root.is_some() {
            return self.one_project(&places, common).await;
        }
        let receipts = places.state.join("setup");
        if !self.force && has_files(&receipts) {
            return Err(CommandFailure::Usage(format!(
                "`hob setup` has written into other programs' files, and what takes that back lies in `{}`: run `hob setup --undo` \
                 first, or pass --force to leave those files as they are",
                receipts.display()
            )));
        }
        if !self.force && has_service() {
            return Err(CommandFailure::Usage(
                "a service runs the daemon, and would go on listening where nobody finds it: run `hob service uninstall` first, or pass \
                 --force to leave it installed"
                    .to_owned(),
            ));
        }
        let found: Vec<PathBuf> =
            self.paths_to_remove(&places).into_iter().filter(|path| path_exists(path)).collect();
        if !self.yes {
            term::print(&found_text(&found, common.json))?;
            return Ok(CommandOutcome::Done);
        }
        if daemon::stop(common).await? {
            term::print("stopped the daemon\n")?;
        }
        // The daemon's last act is saving, so the list of files is made again.
        for path in self.paths_to_remove(&places).into_iter().filter(|path| path_exists(path)) {
            remove(&path).map_err(|error| removal_failure(&path, &error))?;
        }
        for folder in hob_folders(&places) {
            // A folder that is not empty holds files of others.
            let _ = fs::remove_dir(folder);
        }
        let left: Vec<PathBuf> =
            self.paths_to_remove(&places).into_iter().filter(|path| path_exists(path)).collect();
        if left.is_empty() {
            term::print(&removed_text(found.len(), common.json))?;
            return Ok(CommandOutcome::Done);
        }
        let hint = "an agent or an editor that is open has started the daemon again: end it, and repeat this";
        term::error_to_stderr(hint);
        Ok(CommandOutcome::Failed)
    }

    fn paths_to_remove(&self, places: &Places) -> Vec<PathBuf> {
        let below = |folder: &Path, names: &[&str]| -> Vec<PathBuf> {
            names.iter().map(|name| folder.join(name)).collect()
        };
        let settings = if self.settings { vec![places.settings_file()] } else { Vec::new() };
        let socket = if cfg!(unix) { vec![places.socket.clone()] } else { Vec::new() };
        let elsewhere = places.other_runtimes().iter().flat_map(|runtime| below(runtime, RUNTIME)).collect();
        [
            below(&places.cache, CACHE),
            below(&places.state, STATE),
            below(&places.runtime, RUNTIME),
            elsewhere,
            places.memory_file().into_iter().collect(),
            socket,
            settings,
        ]
        .concat()
    }
}

/// Returns the folders that hob may have made, inner ones first.
fn hob_folders(places: &Places) -> Vec<PathBuf> {
    let mut folders = vec![places.runtime.clone()];
    folders.extend(places.other_runtimes());
    folders.extend([&places.cache, &places.state, &places.config].map(Clone::clone));
    folders.extend(places.memory_file().and_then(|file| Some(file.parent()?.to_path_buf())));
    // With `HOB_DIR` one folder around all of them is hob's too.
    let around = places.state.parent().filter(|around| places.cache.parent() == Some(*around));
    folders.extend(around.map(Path::to_path_buf));
    folders
}

fn path_exists(path: &Path) -> bool {
    fs::symlink_metadata(path).is_ok()
}

/// Returns true if the user has installed the service; a service from a package belongs to the package.
fn has_service() -> bool {
    let own = |file: PathBuf| std::env::home_dir().is_some_and(|home| file.starts_with(home));
    doctor::service::unit_file().is_some_and(|file| file.is_file() && own(file))
}

fn has_files(folder: &Path) -> bool {
    fs::read_dir(folder).is_ok_and(|mut entries| entries.next().is_some())
}

/// Removes a file, a link, or a folder with everything below; links are never followed.
fn remove(path: &Path) -> io::Result<()> {
    let gone = match fs::symlink_metadata(path) {
        Ok(meta) if meta.is_dir() => fs::remove_dir_all(path),
        Ok(_) => fs::remove_file(path),
        Err(error) => Err(error),
    };
    match gone {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        other => other,
    }
}

fn removal_failure(path: &Path, error: &io::Error) -> CommandFailure {
    CommandFailure::Usage(format!(
        "cannot remove `{}`: {error}; nothing after it was removed",
        path.display()
    ))
}

fn found_text(found: &[PathBuf], as_json: bool) -> String {
    if as_json {
        let paths: Vec<_> = found.iter().map(|path| path.to_string_lossy()).collect();
        return format!("{}\n", json!({"wouldRemove": paths}));
    }
    if found.is_empty() {
        return "hob keeps nothing here\n".to_owned();
    }
    let lines: String =
        found.iter().map(|path| format!("  {}\n", on_one_line(&path.to_string_lossy()))).collect();
    format!(
        "this would be removed, after the daemon has ended:\n{lines}nothing was removed; `hob purge --yes` does it\n"
    )
}

fn removed_text(number: usize, as_json: bool) -> String {
    match as_json {
        true => format!("{}\n", json!({"removed": number})),
        false => "hob keeps nothing here any more\n".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_link_is_removed_and_not_what_it_leads_to() {
        let dir = tempfile::tempdir().expect("a folder");
        let kept = dir.path().join("kept");
        fs::create_dir(&kept).expect("made");
        fs::write(kept.join("file"), "x").expect("written");
        #[cfg(unix)]
        {
            let link = dir.path().join("store");
            std::os::unix::fs::symlink(&kept, &link).expect("linked");
            remove(&link).expect("removed");
            assert!(!path_exists(&link));
        }
        assert!(kept.join("file").is_file());
        remove(&dir.path().join("nothing")).expect("what is not there is removed");
    }
}
