//! Defines `hob service`: has the system's service manager run the daemon.
//!
//! One file per service manager (`systemd`, `launchd`, `task`), each in two halves: texts and argument lists, which are
//! made and tested on every system, and the few commands that are run where that manager is. `files` writes and removes
//! hob's files, `surroundings` selects the variables of this shell for the service. The texts themselves are templates
//! in `packaging/`.
//!
//! The service changes only who starts the daemon: without it, hob's programs do.

mod escape;
mod files;
mod launchd;
mod manager;
mod surroundings;
mod systemd;
mod task;
mod unit;

use clap::{Args, Subcommand};
use hob_client::Settings;
use serde_json::Value;

use crate::{CommandFailure, CommandOutcome, Common, ask, term};

/// Let the system's service manager run the daemon
///
/// Not needed: hob's programs start the daemon themselves. As a service it runs from log-on, is supervised,
/// restarted and limited in memory, and its log is in the system's journal. Linux: a user's systemd with its
/// socket. macOS: an agent of launchd. Windows: a task at log-on. docs/service.md says more.
#[derive(Debug, Args)]
pub(crate) struct Service {
    #[command(subcommand)]
    verb: Option<Verb>,
}

#[derive(Debug, Subcommand)]
enum Verb {
    /// Write the service's files, with the PATH of this shell, and start it; again after an upgrade or a change of the PATH
    Install(Install),
    /// Stop the service and remove the files of `install`
    Uninstall,
    /// Start the service; a daemon that was started without it ends
    Start,
    /// Stop the service until the next log-on; hob's programs start the daemon themselves meanwhile
    Stop,
    /// Show whether the service is installed and runs, and any mismatch (the default)
    Status,
}

#[derive(Debug, Args)]
struct Install {
    /// Only write the files: the service starts at the next log-on
    #[arg(long)]
    no_start: bool,
}

/// The output of a command, for people and for programs.
#[derive(Debug)]
struct ServiceReport {
    text: String,
    json: Value,
}

impl Service {
    pub(super) async fn run(&self, common: &Common) -> Result<CommandOutcome, CommandFailure> {
        let settings = ask::client_settings(common)?;
        let verb = self.verb.as_ref().unwrap_or(&Verb::Status);
        let said = match System::HERE {
            System::Systemd => verb.with_systemd(&settings).await?,
            System::Launchd => verb.with_launchd(&settings).await?,
            System::TaskScheduler => verb.with_tasks(&settings).await?,
        };
        let text = if common.json { format!("{}\n", said.json) } else { said.text };
        term::print(&text)?;
        Ok(CommandOutcome::Done)
    }
}

/// The service managers that hob knows.
enum System {
    Systemd,
    Launchd,
    TaskScheduler,
}

impl System {
    const HERE: Self = if cfg!(target_os = "macos") {
        Self::Launchd
    } else if cfg!(windows) {
        Self::TaskScheduler
    } else {
        Self::Systemd
    };
}

impl Verb {
    async fn with_systemd(&self, settings: &Settings) -> Result<ServiceReport, CommandFailure> {
        let systemd = systemd::Systemd::of_process(settings)?;
        match self {
            Self::Install(install) => systemd.install(install.no_start).await,
            Self::Uninstall => systemd.uninstall().await,
            Self::Start => systemd.start().await,
            Self::Stop => systemd.stop(),
            Self::Status => systemd.status().await,
        }
    }

    async fn with_launchd(&self, settings: &Settings) -> Result<ServiceReport, CommandFailure> {
        let launchd = launchd::Launchd::of_process(settings)?;
        match self {
            Self::Install(install) => launchd.install(install.no_start).await,
            Self::Uninstall => launchd.uninstall(),
            Self::Start => launchd.start().await,
            Self::Stop => launchd.stop(),
            Self::Status => launchd.status(),
        }
    }

    async fn with_tasks(&self, settings: &Settings) -> Result<ServiceReport, CommandFailure> {
        let task = task::Task::of_process(settings)?;
        match self {
            Self::Install(install) => task.install(install.no_start).await,
            Self::Uninstall => task.uninstall(),
            Self::Start => task.start().await,
            Self::Stop => task.stop(),
            Self::Status => task.status(),
        }
    }
}

/// Returns the daemon's program for a service's file: a full path, with links unresolved, so that an upgrade at that
/// path takes effect.
fn program_path(settings: &Settings) -> Result<String, CommandFailure> {
    let Some(path) = &settings.program.path else {
        let looked = settings.program.looked.clone();
        return Err(hob_client::Unavailable::NoProgram { looked }.into());
    };
    let path = std::path::absolute(path)?;
    if !path.is_file() {
        return Err(CommandFailure::Usage(format!(
            "`{}`, which HOB_DAEMON names, is no file; set it to the daemon's program, or leave it out",
            path.display()
        )));
    }
    surroundings::path_text("the path of hobd", &path).map_err(CommandFailure::Usage)
}

fn process_variables() -> Result<Vec<(String, String)>, CommandFailure> {
    surroundings::service_variables(&|name| std::env::var_os(name)).map_err(CommandFailure::Usage)
}
