//! Defines `hob top`: shows the daemon's work, live.
//!
//! It asks for the daemon's status once a second and starts no daemon: while none runs it says so, and waits. Its
//! connection counts as a client, so a watched daemon does not end for lack of use. [`picture`] parses a status,
//! [`view`] holds the state to show, [`draw`] makes a frame of it, and [`screen`] runs the terminal.

mod draw;
mod picture;
mod screen;
mod table;
mod view;

use std::io::{self, IsTerminal as _};

use clap::Args;
use hob_client::{Reached, Settings, Unavailable, connect};
use serde_json::{Value, json};

use super::term::{self, Style};
use super::{CommandFailure, CommandOutcome, Common, ask};
use view::{TopEvent, TopView};

/// Watch the daemon: projects, servers, memory, calls
///
/// Shows the daemon's state once a second until `q`; `h` shows the keys. It never starts a daemon: it waits for one. Where the
/// output is no terminal, or with --once, it prints one frame; with --json, the daemon's status as one line of JSON.
#[derive(Debug, Args)]
pub(crate) struct Top {
    /// Print one frame and end
    #[arg(long)]
    once: bool,
}

impl Top {
    pub(super) async fn run(&self, common: &Common) -> Result<CommandOutcome, CommandFailure> {
        let settings = ask::client_settings(common)?;
        let live = io::stdout().is_terminal() && io::stdin().is_terminal();
        if live && !self.once && !common.json {
            screen::watch_daemon(settings, TopView::new(Style::of_stdout().colour)).await?;
            return Ok(CommandOutcome::Done);
        }
        let news = status_once(&settings).await?;
        let text = match (common.json, news) {
            (true, TopEvent::Status(status)) => format!("{status}\n"),
            (true, _) => format!("{}\n", json!({"running": false})),
            (false, news) => one_frame(news),
        };
        term::print(&text)?;
        Ok(CommandOutcome::Done)
    }
}

/// Asks the daemon once for its status.
async fn status_once(settings: &Settings) -> Result<TopEvent, CommandFailure> {
    Ok(match connect_if_running(settings).await? {
        Reached::Serving(connection) => {
            let status = connection.status().await.map_err(|lost| CommandFailure::Daemon(lost.reason))?;
            TopEvent::Status(Value::Object(status))
        }
        Reached::Nobody | Reached::Leaving => TopEvent::NotRunning,
        Reached::Refusing(refusal) => TopEvent::Trouble(view::refusal_text(&refusal)),
    })
}

/// Connects to the daemon, if one runs. Where a service manager listens for one, connecting would start it.
async fn connect_if_running(settings: &Settings) -> Result<Reached, Unavailable> {
    if !hob_client::connect::is_running(settings)? {
        return Ok(Reached::Nobody);
    }
    connect(settings).await
}

fn one_frame(news: TopEvent) -> String {
    let mut view = TopView::new(false);
    view.interactive = false;
    view.apply_news(news);
    let width = Style::of_stdout().width.unwrap_or(100);
    draw::as_text(&view, u16::try_from(width).unwrap_or(u16::MAX))
}
