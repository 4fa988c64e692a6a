//! Runs the terminal: takes it over, restores it on every way out, and in between handles keys, signals and news.
//!
//! Ways out are a key, a signal, an error, a panic (ratatui's hook restores the terminal before it reports the panic)
//! and a terminal that is gone. Only this file uses the terminal.

use std::time::Duration;

use hob_client::{Reached, Settings};
use ratatui::crossterm::event::{self, Event, KeyCode, KeyEvent, KeyEventKind, KeyModifiers};
use serde_json::Value;
use tokio::sync::mpsc;

use super::connect_if_running;
use super::draw;
use super::view::{self, TopEvent, TopView};
use crate::CommandFailure;

/// Time between two requests to the daemon, or two attempts to find it.
const PERIOD: Duration = Duration::from_secs(1);
/// Longest wait for a key, after which the thread checks whether its receiver is gone.
const KEYS_WITHIN: Duration = Duration::from_millis(200);

/// Shows the daemon until the user quits.
pub(super) async fn watch_daemon(settings: Settings, mut view: TopView) -> Result<(), CommandFailure> {
    let mut endings = Endings::new()?;
    let (tell, mut news) = mpsc::channel(1);
    tokio::spawn(poll_status(settings, tell));
    let mut keys = keys()?;
    let mut terminal = ratatui::try_init()?;
    let _restored = Restored;
    let mut tick = tokio::time::interval(PERIOD);
    loop {
        terminal.draw(|frame| draw::draw_view(&view, frame.area(), frame.buffer_mut()))?;
        tokio::select! {
            event = keys.recv() => match event {
                Some(Event::Key(key)) if handle_key(&mut view, key) => {}
                Some(Event::Key(_)) | None => return Ok(()),
                // The next frame sees a new size.
                Some(_) => {}
            },
            Some(news) = news.recv() => view.apply_news(news),
            _ = tick.tick() => view.tick(),
            () = endings.any() => return Ok(()),
        }
    }
}

/// Restores the terminal when it is dropped.
struct Restored;

impl Drop for Restored {
    fn drop(&mut self) {
        ratatui::restore();
    }
}

/// Handles a key; returns true to go on.
fn handle_key(view: &mut TopView, key: KeyEvent) -> bool {
    if key.kind == KeyEventKind::Release {
        return true;
    }
    let control = key.modifiers.contains(KeyModifiers::CONTROL);
    match key.code {
        KeyCode::Char('c' | 'd') if control => return false,
        KeyCode::Char('q' | 'Q') => return false,
        KeyCode::Esc if !view.help => return false,
        KeyCode::Esc => view.help = false,
        KeyCode::Char('s') => view.sort = view.sort.next(),
        KeyCode::Char('p' | ' ') => view.paused = !view.paused,
        KeyCode::Char('h' | '?') | KeyCode::F(1) => view.help = !view.help,
        _ => {}
    }
    true
}

/// Reads keys and sizes on a thread of their own, because reading a terminal blocks. Ends when the terminal is gone.
fn keys() -> std::io::Result<mpsc::UnboundedReceiver<Event>> {
    let (sender, receiver) = mpsc::unbounded_channel();
    let read = move || {
        while !sender.is_closed() {
            let event = match event::poll(KEYS_WITHIN) {
                Ok(false) => continue,
                Ok(true) => event::read(),
                Err(error) => Err(error),
            };
            let Ok(event) = event else { return };
            let _ = sender.send(event);
        }
    };
    std::thread::Builder::new().name("keys".to_owned()).spawn(read)?;
    Ok(receiver)
}

/// Asks for the status again and again, and looks for a daemon while there is none. Ends when the receiver is gone.
async fn poll_status(settings: Settings, tell: mpsc::Sender<TopEvent>) {
    loop {
        let news = match connect_if_running(&settings).await {
            Ok(Reached::Serving(connection)) => {
                while let Ok(status) = connection.status().await {
                    if tell.send(TopEvent::Status(Value::Object(status))).await.is_err() {
                        return;
                    }
                    tokio::time::sleep(PERIOD).await;
                }
                // The daemon has gone; the next round finds out whether another one has come.
                tokio::time::sleep(KEYS_WITHIN).await;
                continue;
            }
            Ok(Reached::Nobody | Reached::Leaving) => TopEvent::NotRunning,
            Ok(Reached::Refusing(refusal)) => TopEvent::Trouble(view::refusal_text(&refusal)),
            Err(why) => TopEvent::Trouble(why.to_string()),
        };
        if tell.send(news).await.is_err() {
            return;
        }
        tokio::time::sleep(PERIOD).await;
    }
}

/// The signals that end the program; the terminal is restored first.
#[cfg(unix)]
struct Endings([tokio::signal::unix::Signal; 3]);

#[cfg(unix)]
impl Endings {
    fn new() -> std::io::Result<Self> {
        use tokio::signal::unix::{SignalKind, signal};
        Ok(Self([
            signal(SignalKind::terminate())?,
            signal(SignalKind::interrupt())?,
            signal(SignalKind::hangup())?,
        ]))
    }

    async fn any(&mut self) {
        let [terminate, interrupt, hangup] = &mut self.0;
        tokio::select! {
            _ = terminate.recv() => {}
            _ = interrupt.recv() => {}
            _ = hangup.recv() => {}
        }
    }
}

#[cfg(not(unix))]
struct Endings;

#[cfg(not(unix))]
impl Endings {
    #[allow(clippy::unnecessary_wraps, reason = "as elsewhere")]
    fn new() -> std::io::Result<Self> {
        Ok(Self)
    }

    async fn any(&mut self) {
        if tokio::signal::ctrl_c().await.is_err() {
            std::future::pending::<()>().await;
        }
    }
}
