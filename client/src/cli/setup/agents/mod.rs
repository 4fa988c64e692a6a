//! Agents: the entry in their own configuration that starts `hob-mcp`.
//!
//! `clients` says whose file is where, `formats` changes one entry in it, `plan` and `undo` decide what is to be done,
//! `receipt` remembers it, `probe` tries the entry. This file talks with the user. Nothing is written before it was shown and
//! agreed to, and nothing that hob did not add is ever taken out.

mod clients;
mod command;
mod diff;
mod entry;
mod file;
mod formats;
mod list;
mod plan;
pub(crate) mod probe;
mod receipt;
mod undo;
mod undoing;

use std::io::{self, BufRead as _, IsTerminal as _};
use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};
use hob_proto::places::Places;
use hob_proto::tools;
use serde::{Deserialize, Serialize};
use serde_json::json;

use self::clients::Bases;
pub(super) use self::clients::{CLIENTS, Client};
use self::command::Wishes;
use self::entry::Entry;
use self::formats::{Slot, Text};
use self::plan::{Plan, State, Wanted};
use self::receipt::Receipts;
use crate::cli::term::{self, Style};
use crate::cli::{Common, Failure, Outcome};

pub(crate) use self::list::{Configured, Seen};

/// The scope of an entry: the agents of one project, or all of the user.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Scope {
    /// This project's: a file in it, which goes where the project goes
    Project,
    /// This user's, in every project
    User,
}

/// The options for an agent on the command line.
#[derive(Debug, Args)]
#[command(next_help_heading = "Agents")]
#[allow(clippy::struct_excessive_bools, reason = "a command line has switches")]
pub(super) struct AgentOptions {
    /// Where to write it (default: project, for agents that have a file there)
    #[arg(long, value_enum)]
    scope: Option<Scope>,

    /// Write the file without asking
    #[arg(long, short)]
    yes: bool,

    /// Show what would be written, and write nothing
    #[arg(long)]
    dry_run: bool,

    /// Take back what was written: the file becomes what it was
    #[arg(long)]
    undo: bool,

    /// With --undo: take the entry out even if it was changed since
    #[arg(long, requires = "undo")]
    force: bool,

    /// Show which agents are on this machine and which have hob
    #[arg(long, conflicts_with_all = ["undo", "dry_run"])]
    list: bool,

    /// The tools to offer: `core`, `all`, or names separated by commas
    #[arg(long, value_name = "LIST", default_value = "core", value_parser = parse_tools)]
    tools: String,

    /// Offer the tools that edit files, too
    #[arg(long)]
    edits: bool,

    /// Name for hob in the agent's settings (default: hob)
    #[arg(long, value_name = "NAME", value_parser = parse_name)]
    name: Option<String>,

    /// Do not start the entry to see whether it answers
    #[arg(long)]
    no_check: bool,
}

fn parse_tools(list: &str) -> Result<String, String> {
    tools::select(list, true).map(|_| list.to_owned()).map_err(|unknown| unknown.to_string())
}

/// Agents make names of tools of it, which take no more than this.
fn parse_name(name: &str) -> Result<String, String> {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
    match (1..=32).contains(&name.len()) && name.chars().all(is_plain) {
        true => Ok(name.to_owned()),
        false => Err("expected 1 to 32 letters, digits, - or _".to_owned()),
    }
}

/// The surroundings of one run.
struct At<'a> {
    bases: Bases<'a>,
    /// The project: the repository's top around the working directory, or that itself.
    root: PathBuf,
    receipts: Receipts,
    json: bool,
    style: Style,
}

fn environment(name: &str) -> Option<std::ffi::OsString> {
    std::env::var_os(name).filter(|value| !value.is_empty())
}

impl At<'_> {
    fn find(common: &Common) -> Result<Self, Failure> {
        let bases = Bases::find(&environment).map_err(|problem| Failure::Usage(problem.to_owned()))?;
        let places = Places::from_process_env().map_err(|error| Failure::Usage(error.to_string()))?;
        let place = common.place()?;
        let place = place.canonicalize().unwrap_or(place);
        let top = place.ancestors().find(|folder| folder.join(".git").exists()).map(Path::to_path_buf);
        let style = Style::of_stdout();
        Ok(Self {
            bases,
            root: top.unwrap_or(place),
            receipts: Receipts::of(&places),
            json: common.json,
            style,
        })
    }

    /// Returns true if the folder is the user's home, which is no project: files in it are the user's.
    fn is_home(&self) -> bool {
        self.bases.home.canonicalize().is_ok_and(|home| home == self.root) || self.root.parent().is_none()
    }
}

impl AgentOptions {
    /// Returns true if an option was given that only agents know.
    pub(super) fn are_given(&self) -> bool {
        self.scope.is_some()
            || self.yes
            || self.dry_run
            || self.undo
            || self.edits
            || self.name.is_some()
            || self.no_check
    }

    /// Returns true if the command needs no agent's name.
    pub(super) fn need_no_client(&self) -> bool {
        self.list || self.undo
    }

    fn name(&self) -> &str {
        self.name.as_deref().unwrap_or("hob")
    }

    /// Lists, or undoes everything.
    pub(super) fn run_for_all(&self, common: &Common) -> Result<Outcome, Failure> {
        let at = At::find(common)?;
        if self.undo {
            return self.undo(&at, None);
        }
        let text = match at.json {
            true => format!("{}\n", list::as_json(&at.bases, &at.root, self.name())),
            false => list::shown(&at.bases, &at.root, self.name(), &at.style),
        };
        term::print(&text)?;
        Ok(Outcome::Done)
    }

    /// Sets an agent up, or undoes that.
    pub(super) async fn run(&self, client: &'static Client, common: &Common) -> Result<Outcome, Failure> {
        let at = At::find(common)?;
        if self.undo {
            return self.undo(&at, Some(client));
        }
        let (scope, file) = self.place(client, &at)?;
        let wishes = Wishes { tools: self.tools.clone(), edits: self.edits };
        let (entry, note) = command::entry(scope, &wishes, &environment).map_err(Failure::Usage)?;
        let wanted = Wanted { client, scope, root: &at.root, file, name: self.name(), entry: &entry };
        let mut plan = Plan::make(&wanted, &at.receipts).map_err(Failure::Usage)?;
        plan.warnings.extend(note);
        self.show(client, &plan, &at)?;
        let agreed = plan.state == State::Same || self.agreed("Write this?", &at)?;
        if agreed && plan.state != State::Same {
            plan.carry_out(&at.receipts).map_err(Failure::Usage)?;
        }
        let mut report = plan.as_json();
        report["written"] = (agreed && plan.state != State::Same).into();
        let works = match agreed && !self.no_check {
            true => Some(self.check(client, scope, &plan, &at).await),
            false => None,
        };
        if let Some(works) = &works {
            report["check"] = match works {
                Ok(answered) => {
                    json!({"ok": true, "server": answered.server, "tools": answered.tools, "ms": u64::try_from(answered.took.as_millis()).unwrap_or(u64::MAX)})
                }
                Err(problem) => json!({"ok": false, "problem": problem}),
            };
        }
        if at.json {
            term::print(&format!("{report}\n"))?;
        }
        match works {
            Some(Err(problem)) => self.failed(client, &plan, &problem, &at),
            _ if agreed || self.dry_run => {
                self.close(client, scope, &plan, works.and_then(Result::ok), &at)?;
                Ok(Outcome::Done)
            }
            _ => Ok(Outcome::Refused),
        }
    }

    /// Where to write, by what was said and what the agent has.
    fn place(&self, client: &'static Client, at: &At<'_>) -> Result<(Scope, PathBuf), Failure> {
        let project = client.project_file(&at.root).filter(|_| !at.is_home());
        let user = client.user_file(&at.bases);
        match (self.scope, project, user) {
            (None | Some(Scope::Project), Some(file), _) => Ok((Scope::Project, file)),
            (None | Some(Scope::User), _, Some(file)) => Ok((Scope::User, file)),
            (Some(Scope::Project), None, _) if at.is_home() => Err(Failure::Usage(format!(
                "{} is no project; go to one, or use --scope user",
                at.root.display()
            ))),
            _ => {
                Err(Failure::Usage(format!("{} has no file for that scope; leave --scope out", client.title)))
            }
        }
    }

    fn show(&self, client: &Client, plan: &Plan, at: &At<'_>) -> Result<(), Failure> {
        if at.json {
            return Ok(());
        }
        let file = plan.found.target.display();
        let what = match plan.state {
            State::New => format!("a new file {file}"),
            State::Add => format!("an entry is added to {file}"),
            State::Replace => {
                format!("the entry `{}` in {file} is replaced; --undo brings it back", self.name())
            }
            State::Same => format!("{file} has the entry already"),
        };
        let mut text = format!("{}: {what}\n", at.style.bold(client.title));
        if plan.state != State::Same {
            text.push_str(&format!("\n{}\n", diff::painted(&plan.diff(), &at.style)));
        }
        for warning in &plan.warnings {
            text.push_str(&format!("{} {warning}\n", at.style.notice("note:")));
        }
        term::print(&text)?;
        Ok(())
    }

    /// Returns true if the command may go on: it asks the user where there is one.
    fn agreed(&self, question: &str, at: &At<'_>) -> Result<bool, Failure> {
        if self.dry_run {
            return Ok(false);
        }
        if self.yes {
            return Ok(true);
        }
        if at.json || !io::stdin().is_terminal() || !io::stdout().is_terminal() {
            term::tell("nothing is changed: there is no terminal to ask on; say --yes to go ahead");
            return Ok(false);
        }
        yes(question)
    }

    /// Starts what the file says now, as the agent would.
    async fn check(
        &self,
        client: &Client,
        scope: Scope,
        plan: &Plan,
        at: &At<'_>,
    ) -> Result<probe::Answered, String> {
        let bytes = std::fs::read(&plan.found.target).map_err(|error| error.to_string())?;
        let data = Text::read(&bytes)
            .and_then(|text| client.format.parse(&text.text))
            .map_err(|error| error.to_string())?;
        let slot = Slot { container: client.container, name: self.name() };
        let entry = slot.of(&data).and_then(|value| Entry::read(value, client.shape));
        let entry = entry.ok_or("the entry is not in the file any more")?;
        let folder = if scope == Scope::Project { &at.root } else { &at.bases.home };
        probe::start(&entry, folder).await
    }

    fn failed(&self, client: &Client, plan: &Plan, problem: &str, at: &At<'_>) -> Result<Outcome, Failure> {
        let undo = format!("hob setup {} --undo", client.id);
        term::tell(&format!("{} the entry does not work: {problem}", Style::of_stderr().alarm("error:")));
        let can_ask = !self.yes && !at.json && io::stdin().is_terminal() && io::stdout().is_terminal();
        if plan.state != State::Same && can_ask && yes("Take it back?")? {
            let receipt = at.receipts.get(client.id, &plan.found.target, self.name());
            if let Some(receipt) = receipt {
                let undo = undo::plan(&at.receipts, receipt, false).map_err(Failure::Usage)?;
                undo.carry_out(&at.receipts).map_err(Failure::Usage)?;
                term::print(&format!("{} {}\n", plan.found.target.display(), undo.about()))?;
            }
        } else {
            term::tell(&format!("`{undo}` takes it back"));
        }
        Ok(Outcome::Refused)
    }

    fn close(
        &self,
        client: &Client,
        scope: Scope,
        plan: &Plan,
        works: Option<probe::Answered>,
        at: &At<'_>,
    ) -> Result<(), Failure> {
        if at.json || self.dry_run {
            return Ok(());
        }
        let mut text = String::new();
        if plan.state != State::Same {
            text.push_str(&format!("written; `hob setup {} --undo` takes it back\n", client.id));
        }
        if let Some(answered) = works {
            text.push_str(&format!(
                "it works: {} offers {} tools, after {} ms\n",
                answered.server,
                answered.tools,
                answered.took.as_millis()
            ));
        }
        if scope == Scope::Project && !client.then.is_empty() && plan.state != State::Same {
            text.push_str(&format!("{} {}\n", at.style.notice("note:"), client.then));
        }
        let other = super::editors::Editor::named(client.id);
        if let Some(editor) = other {
            text.push_str(&format!(
                "{} `hob setup {} --editor` makes hob the language server of {}\n",
                at.style.notice("note:"),
                client.id,
                editor.title
            ));
        }
        term::print(&text)?;
        Ok(())
    }
}

fn yes(question: &str) -> Result<bool, Failure> {
    term::print(&format!("{question} [y/N] "))?;
    let mut answer = String::new();
    io::stdin().lock().read_line(&mut answer)?;
    Ok(matches!(answer.trim().to_lowercase().as_str(), "y" | "yes"))
}

/// The entries named `hob` in the files of every agent, for this project and this user.
///
/// # Errors
/// That no home folder is known.
pub(crate) fn configured(common: &Common) -> Result<Vec<Seen>, Failure> {
    let at = At::find(common)?;
    let all = list::configured(&at.bases, &at.root, "hob");
    Ok(all.into_iter().filter(|seen| seen.state != Configured::No).collect())
}
