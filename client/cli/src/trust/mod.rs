//! Defines `hob trust`: allows a project's own programs to run, or forbids them again.
//!
//! Before it writes anything it shows what trust lets run, and asks. The decision is the user's, so this program writes
//! it and not the daemon, which need not run; the daemon reads it whenever it matters. No call of an agent changes it.

mod brought;

use std::path::{Path, PathBuf};

use clap::Args;
use hob_proto::places::Places;
use hob_proto::trust::Trusted;
use serde_json::json;

use super::term;
use super::visible::on_one_line;
use super::{CommandFailure, CommandOutcome, Common, repository_top};

/// Trust a project: programs that it brings along may run
///
/// Without trust, language servers run in a form that executes nothing of the project, and programs in the
/// project do not run at all. With it, its own servers (`node_modules/.bin`, `.venv/bin`) come first, and
/// build scripts, macros, plug-ins and interpreters of the project run when a server wants them. Trust of a
/// folder covers all folders below it, and counts from the next question on. The command shows the programs
/// that the project brings along, and asks.
#[derive(Debug, Args)]
pub(crate) struct Trust {
    /// The project's folder (default: --root, else the working directory)
    path: Option<PathBuf>,

    /// Remove the trust of the project and of all folders below it
    #[arg(long, conflicts_with = "list")]
    revoke: bool,

    /// Do not ask
    #[arg(short, long, conflicts_with_all = ["list", "revoke"])]
    yes: bool,

    /// Show which folders are trusted
    #[arg(long, conflicts_with = "path")]
    list: bool,
}

impl Trust {
    pub(super) fn run(self, common: &Common) -> Result<CommandOutcome, CommandFailure> {
        let places = Places::from_process_env()?;
        let file = places.trust_file();
        if self.list {
            return list(&file, common);
        }
        let place = common.project_folder()?;
        let named = self.path.map_or_else(|| place.clone(), |path| place.join(path));
        match self.revoke {
            true => revoke_trust(&file, &named),
            false => trust_folder(&file, &named, self.yes),
        }
    }
}

fn list(file: &Path, common: &Common) -> Result<CommandOutcome, CommandFailure> {
    let trusted = Trusted::read(file)?;
    let folders: Vec<String> = trusted.folders().map(|folder| folder.display().to_string()).collect();
    let text = match common.json {
        true => format!("{}\n", json!({"trusted": folders})),
        false if folders.is_empty() => "no project is trusted\n".to_owned(),
        false => folders.iter().map(|folder| format!("{}\n", on_one_line(folder))).collect(),
    };
    term::print(&text)?;
    Ok(CommandOutcome::Done)
}

fn trust_folder(file: &Path, named: &Path, yes: bool) -> Result<CommandOutcome, CommandFailure> {
    let missing = |error| CommandFailure::Usage(format!("`{}`: {error}", on_its_line(named)));
    let folder = named.canonicalize().map_err(missing)?;
    if !folder.is_dir() {
        return Err(CommandFailure::Usage(format!("`{}` is not a folder", on_its_line(&folder))));
    }
    if folder.to_str().is_none() {
        return Err(CommandFailure::Usage("a folder whose name is no text cannot be trusted".to_owned()));
    }
    let shown = on_its_line(&folder);
    if !Trusted::read(file)?.covers(&folder) {
        show_effects(&folder)?;
        if !may_go_on(yes)? {
            return Ok(CommandOutcome::Refused);
        }
    }
    let new = Trusted::change_file(file, |trusted| trusted.add(&folder))?;
    let text = match new {
        true => format!("trusted: {shown} and what lies below it\n"),
        false => format!("{shown} was trusted already\n"),
    };
    term::print(&text)?;
    if let Some(project) = repository_top(&folder).filter(|top| *top != folder) {
        let project = on_its_line(project);
        term::note_to_stderr(&format!(
            "this is a part of the project `{project}`, which is not trusted by it: hob trust {project}"
        ));
    }
    Ok(CommandOutcome::Done)
}

/// Shows the programs and files that trust of a folder allows to run.
fn show_effects(folder: &Path) -> Result<(), CommandFailure> {
    let mut text = format!(
        "Trust lets language servers run what {} brings along, with your rights:\n",
        on_its_line(folder)
    );
    let brought = brought::brought_along(folder);
    brought.iter().for_each(|line| text.push_str(&format!("  {line}\n")));
    if brought.is_empty() {
        text.push_str("  nothing that hob knows lies in this folder now; what comes later, or lies deeper, counts too\n");
    }
    text.push_str("Trust it if you trust everybody who can change it. hob trust --revoke takes it back.\n");
    term::print(&text)?;
    Ok(())
}

/// Returns true if the user agrees, by the option or by an answer.
fn may_go_on(yes: bool) -> Result<bool, CommandFailure> {
    if yes {
        return Ok(true);
    }
    if !term::can_ask() {
        term::print_to_stderr("nothing is changed: there is no terminal to ask on; say --yes to go ahead");
        return Ok(false);
    }
    let agreed = term::ask_yes_or_no("Trust it?")?;
    if !agreed {
        term::print("not trusted\n")?;
    }
    Ok(agreed)
}

fn revoke_trust(file: &Path, named: &Path) -> Result<CommandOutcome, CommandFailure> {
    // The folder may be gone, and its entry can still be removed.
    let folder = named.canonicalize().unwrap_or_else(|_| named.to_path_buf());
    let change = |trusted: &mut Trusted| {
        let gone = trusted.remove(&folder);
        (gone, trusted.because_of(&folder).map(Path::to_path_buf))
    };
    let (gone, still) = Trusted::change_file(file, change)?;
    let shown = on_its_line(&folder);
    if let Some(above) = still {
        let above = on_its_line(&above);
        term::print_to_stderr(&format!(
            "{shown} is still trusted, because `{above}` is: hob trust --revoke {above}"
        ));
        return Ok(CommandOutcome::Refused);
    }
    let text = match gone {
        0 => format!("{shown} was not trusted\n"),
        _ => format!("not trusted any more: {shown} and what lies below it\n"),
    };
    term::print(&text)?;
    Ok(CommandOutcome::Done)
}

/// Writes a folder as a part of a line.
fn on_its_line(folder: &Path) -> String {
    on_one_line(&folder.to_string_lossy()).into_owned()
}
