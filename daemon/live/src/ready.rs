//! Follows a server's signals in order to tell whether its answers are complete yet.
//!
//! Most servers answer before they have read the project: with nothing, or with the declaration alone, and without an
//! error. Each has its own way to signal that it has ([`ReadySignal`]). Until then an answer is *partial*, never
//! "none".

use std::collections::{BTreeMap, HashSet};
use std::fmt;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use hob_base::{CancelToken, Stopped};
use serde_json::Value;

use crate::spec::ReadySignal;

/// Time without a sign of loading after the first question, after which a server that would report loading has nothing
/// to load.
const BEGINS_WITHIN: Duration = Duration::from_secs(3);

/// Time without any message after the first question, after which hob does not wait for the server any more.
const SPEAKS_WITHIN: Duration = Duration::from_secs(8);

/// Pause between two checks whether the caller of a waiting call has cancelled it.
const LOOK_EVERY: Duration = Duration::from_millis(25);

/// Most progress reports under way whose texts are kept.
const MOST_UNDER_WAY: usize = 64;

/// Most further progress reports under way that count, without their texts.
const MOST_UNTOLD: usize = 4096;

/// Time for which a server with even more reports under way counts as loading, from the beginning of the last one.
const UNCOUNTED_LASTS: Duration = Duration::from_secs(60);

/// Number of characters that are kept of a server's text, and of a token; the protocol sets no limit.
const LONGEST_TEXT: usize = 500;

/// The progress of a server towards complete answers.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Readiness {
    /// The server's answers are complete.
    Ready,
    /// The server is loading; the text says what and how far, as far as the server reports it.
    Loading(String),
    /// The server has not reported anything yet.
    Silent,
    /// The server will never be able to answer in full; the text says why.
    Impaired(String),
}

impl fmt::Display for Readiness {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Ready => f.write_str("ready"),
            Self::Loading(what) => write!(f, "loading ({what})"),
            Self::Silent => f.write_str("starting"),
            Self::Impaired(why) => write!(f, "impaired ({why})"),
        }
    }
}

#[derive(Debug)]
struct ReadyState {
    /// Reports under way that count, by token.
    under_way: BTreeMap<String, String>,
    /// Hashes of the tokens of further reports under way.
    untold: HashSet<u64>,
    /// The end of the time for which uncounted reports make the server count as loading.
    uncounted_until: Option<Instant>,
    /// True if the server has given its signal at least once.
    seen: bool,
    /// The time of the server's first question or open file, for [`BEGINS_WITHIN`].
    asked_at: Option<Instant>,
    impaired: Option<String>,
    /// The time by which the server has noticed the changes that it was told of.
    disturbed_until: Option<Instant>,
    /// The text of other progress reports; hob shows it and does not wait for them.
    showing: Option<String>,
}

impl ReadyState {
    /// Counts a report that begins: with its text, without it, or for a limited time.
    fn begin_report(&mut self, token: String, label: String) {
        if self.untold.contains(&hash_token(&token)) {
            return;
        }
        if self.under_way.len() < MOST_UNDER_WAY || self.under_way.contains_key(&token) {
            self.under_way.insert(token, label);
        } else if self.untold.len() < MOST_UNTOLD {
            self.untold.insert(hash_token(&token));
        } else {
            self.uncounted_until = Some(Instant::now() + UNCOUNTED_LASTS);
        }
    }

    /// Forgets a report that ends; returns true if it counted.
    fn end_report(&mut self, token: &str) -> bool {
        self.under_way.remove(token).is_some() || self.untold.remove(&hash_token(token))
    }
}

/// Follows one server's signals.
#[derive(Debug)]
pub struct ReadyWatch {
    signal: ReadySignal,
    state: Mutex<ReadyState>,
    changed: Condvar,
}

impl ReadyWatch {
    /// Creates the watch of a server that has sent nothing yet.
    #[must_use]
    pub fn new(signal: ReadySignal) -> Self {
        let state = ReadyState {
            under_way: BTreeMap::new(),
            untold: HashSet::new(),
            uncounted_until: None,
            seen: false,
            asked_at: None,
            impaired: None,
            disturbed_until: None,
            showing: None,
        };
        Self { signal, state: Mutex::new(state), changed: Condvar::new() }
    }

    /// Returns the server's readiness at this moment.
    #[must_use]
    pub fn readiness(&self) -> Readiness {
        self.judge_readiness(&self.lock())
    }

    /// Names what the server is loading; empty while the server may still begin to report it, `None` where it loads
    /// nothing.
    #[must_use]
    pub fn loading_what(&self) -> Option<String> {
        let state = self.lock();
        match self.judge_readiness(&state) {
            Readiness::Loading(what) => Some(what),
            Readiness::Silent => {
                let is_mute = state.asked_at.is_some_and(|at| at.elapsed() >= SPEAKS_WITHIN);
                (!is_mute).then(String::new)
            }
            Readiness::Ready | Readiness::Impaired(_) => None,
        }
    }

    /// Waits until nothing is being loaded, as long as `cancel` allows. Returns the text of what is still being loaded,
    /// if anything is.
    ///
    /// # Errors
    /// [`Stopped::Cancelled`].
    pub fn await_loaded(&self, cancel: &CancelToken) -> Result<Option<String>, Stopped> {
        self.given_work();
        if self.loading_what().is_none() {
            return Ok(None);
        }
        match self.wait(cancel) {
            Err(Stopped::Cancelled) => Err(Stopped::Cancelled),
            _ => Ok(self.loading_what()),
        }
    }

    /// Records that the server got work that makes it load, such as its first open file.
    pub fn given_work(&self) {
        self.lock().asked_at.get_or_insert_with(Instant::now);
    }

    /// Records that the server was told of changes, and takes the time `settles` to notice them.
    pub fn note_changes(&self, settles: Duration) {
        if !settles.is_zero() {
            let until = Instant::now() + settles;
            let mut state = self.lock();
            state.disturbed_until = state.disturbed_until.max(Some(until));
        }
    }

    /// Handles a `$/progress` notification of the server.
    pub fn handle_progress(&self, params: &Value) {
        let token = shortened(&params["token"].to_string());
        let value = &params["value"];
        let text = |name: &str| value[name].as_str().unwrap_or_default();
        let mut state = self.lock();
        match value["kind"].as_str() {
            Some("begin") => {
                let label = shortened(format!("{} {}", text("title"), text("message")).trim());
                if self.is_signal_progress(&token, &label) {
                    state.begin_report(token, label);
                } else {
                    state.showing = Some(label);
                }
            }
            Some("report") => {
                if let Some(label) = state.under_way.get_mut(&token) {
                    let percent = value["percentage"].as_u64().map(|percent| format!(" {percent} %"));
                    *label = format!("{}{}", shortened(text("message")), percent.unwrap_or_default());
                }
            }
            Some("end") => {
                let counted = state.end_report(&token);
                state.seen |= counted && state.under_way.is_empty() && state.untold.is_empty();
                state.showing = None;
            }
            _ => return,
        }
        self.release_and_notify(state);
    }

    /// Handles a `window/logMessage` notification, whose text may be the signal.
    pub fn handle_log_message(&self, text: &str) {
        if let ReadySignal::Logs(wanted) = self.signal
            && text.contains(wanted)
        {
            let mut state = self.lock();
            state.seen = true;
            self.release_and_notify(state);
        }
    }

    /// Handles an `experimental/serverStatus` notification of the server.
    pub fn status(&self, params: &Value) {
        let mut state = self.lock();
        if let (ReadySignal::QuiescentStatus, Some(quiescent)) = (self.signal, params["quiescent"].as_bool())
        {
            state.seen = quiescent;
        }
        let message = params["message"].as_str().unwrap_or("it does not say why");
        state.impaired = match params["health"].as_str() {
            Some("warning" | "error") => Some(shortened(message.trim())),
            _ => None,
        };
        self.release_and_notify(state);
    }

    /// Waits until answers are complete, or as complete as they will get.
    ///
    /// # Errors
    /// [`Stopped`] when cancelled or out of time.
    pub fn wait(&self, cancel: &CancelToken) -> Result<Readiness, Stopped> {
        let mut state = self.lock();
        loop {
            match self.judge_readiness(&state) {
                Readiness::Loading(_) | Readiness::Silent => cancel.check()?,
                settled => return Ok(settled),
            }
            state = self.changed.wait_timeout(state, LOOK_EVERY).unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    fn is_signal_progress(&self, token: &str, label: &str) -> bool {
        match self.signal {
            ReadySignal::ProgressEnds(wanted) => token.contains(wanted) || label.contains(wanted),
            _ => false,
        }
    }

    fn judge_readiness(&self, state: &ReadyState) -> Readiness {
        let whole = || state.impaired.clone().map_or(Readiness::Ready, Readiness::Impaired);
        if let Some(label) = state.under_way.values().next() {
            return Readiness::Loading(label.clone());
        }
        if !state.untold.is_empty() || is_ahead(state.uncounted_until) {
            return Readiness::Loading("more tasks at once than hob follows".to_owned());
        }
        if is_ahead(state.disturbed_until) {
            return Readiness::Loading("it was told of changed files a moment ago".to_owned());
        }
        let waited = state.asked_at.is_some_and(|at| at.elapsed() >= BEGINS_WITHIN);
        match self.signal {
            ReadySignal::Held | ReadySignal::Settles => whole(),
            _ if state.seen => whole(),
            ReadySignal::ProgressEnds(_) if waited => {
                Readiness::Impaired("it found no project to load; it knows open files only".to_owned())
            }
            _ => state.showing.clone().map_or(Readiness::Silent, Readiness::Loading),
        }
    }

    fn release_and_notify(&self, state: MutexGuard<'_, ReadyState>) {
        drop(state);
        self.changed.notify_all();
    }

    fn lock(&self) -> MutexGuard<'_, ReadyState> {
        // Each change writes a few whole values.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn hash_token(token: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    token.hash(&mut hasher);
    hasher.finish()
}

fn is_ahead(moment: Option<Instant>) -> bool {
    moment.is_some_and(|moment| Instant::now() < moment)
}

/// Returns the beginning of a text.
fn shortened(text: &str) -> String {
    text.chars().take(LONGEST_TEXT).collect()
}

#[cfg(test)]
mod tests {
    use hob_base::Deadline;
    use serde_json::json;

    use super::*;

    fn progress_params(token: impl Into<Value>, value: Value) -> Value {
        json!({"token": token.into(), "value": value})
    }

    #[test]
    fn the_end_of_the_right_progress_is_the_signal() {
        let watch = ReadyWatch::new(ReadySignal::ProgressEnds("backgroundIndex"));
        assert_eq!(watch.readiness(), Readiness::Silent);
        watch.handle_progress(&progress_params("other", json!({"kind": "begin", "title": "Thinking"})));
        watch.handle_progress(&progress_params("other", json!({"kind": "end"})));
        assert_eq!(watch.readiness(), Readiness::Silent, "that was something else");
        watch.handle_progress(&progress_params(
            "backgroundIndexProgress",
            json!({"kind": "begin", "title": "indexing"}),
        ));
        watch.handle_progress(&progress_params(
            "backgroundIndexProgress",
            json!({"kind": "report", "message": "3/9", "percentage": 33}),
        ));
        assert_eq!(watch.readiness(), Readiness::Loading("3/9 33 %".to_owned()));
        watch.handle_progress(&progress_params("backgroundIndexProgress", json!({"kind": "end"})));
        assert_eq!(watch.readiness(), Readiness::Ready);
        watch.handle_progress(&progress_params(
            "backgroundIndexProgress",
            json!({"kind": "begin", "title": "again"}),
        ));
        assert!(matches!(watch.readiness(), Readiness::Loading(_)), "it loads again");
    }

    #[test]
    fn a_server_that_begins_without_end_does_not_make_the_daemon_grow() {
        let watch = ReadyWatch::new(ReadySignal::ProgressEnds("x"));
        let title = "x".repeat(1 << 20);
        for number in 0..=MOST_UNDER_WAY + MOST_UNTOLD {
            let begin = json!({"kind": "begin", "title": if number < 99 { &title } else { "x" }});
            watch.handle_progress(&progress_params(format!("x{number}"), begin));
        }
        let state = watch.lock();
        assert_eq!(state.under_way.len(), MOST_UNDER_WAY);
        assert!(state.under_way.values().all(|label| label.len() <= LONGEST_TEXT));
        assert_eq!(state.untold.len(), MOST_UNTOLD);
        assert!(state.uncounted_until.is_some());
    }

    #[test]
    fn a_server_is_not_ready_before_every_task_has_ended() {
        let watch = ReadyWatch::new(ReadySignal::ProgressEnds("x"));
        let many = 2 * MOST_UNDER_WAY;
        let tell = |number: usize, kind: &str| {
            watch
                .handle_progress(&progress_params(format!("x{number}"), json!({"kind": kind, "title": "x"})));
        };
        (0..many).for_each(|number| tell(number, "begin"));
        (0..many - 1).for_each(|number| tell(number, "end"));
        assert!(matches!(watch.readiness(), Readiness::Loading(_)), "the last one goes on");
        watch.handle_progress(&progress_params("other", json!({"kind": "end"})));
        assert!(matches!(watch.readiness(), Readiness::Loading(_)), "that was something else");
        tell(many - 1, "end");
        assert_eq!(watch.readiness(), Readiness::Ready);
    }

    #[test]
    fn tasks_that_are_not_even_counted_make_a_server_load_for_a_while() {
        let watch = ReadyWatch::new(ReadySignal::ProgressEnds("x"));
        let many = MOST_UNDER_WAY + MOST_UNTOLD;
        for kind in ["begin", "end"] {
            for number in 0..=many {
                let value = json!({"kind": kind, "title": "x"});
                watch.handle_progress(&progress_params(format!("x{number}"), value));
            }
        }
        assert!(matches!(watch.readiness(), Readiness::Loading(_)), "one may go on");
        watch.lock().uncounted_until = Some(Instant::now());
        assert_eq!(watch.readiness(), Readiness::Ready);
    }

    #[test]
    fn a_warning_about_health_is_not_forgotten() {
        let watch = ReadyWatch::new(ReadySignal::QuiescentStatus);
        watch.status(&json!({"health": "ok", "quiescent": false}));
        let late = CancelToken::new(Deadline::after(Duration::from_millis(1)));
        assert_eq!(watch.wait(&late), Err(Stopped::DeadlinePassed));
        watch.status(&json!({"health": "warning", "quiescent": true, "message": "no sources"}));
        assert_eq!(watch.readiness(), Readiness::Impaired("no sources".to_owned()));
        watch.status(&json!({"health": "ok", "quiescent": true}));
        assert_eq!(watch.wait(&CancelToken::default()), Ok(Readiness::Ready));
    }

    #[test]
    fn logs_count_only_where_they_are_the_signal() {
        let (logs, held) = (ReadyWatch::new(ReadySignal::Logs("Found ")), ReadyWatch::new(ReadySignal::Held));
        assert_eq!((logs.readiness(), held.readiness()), (Readiness::Silent, Readiness::Ready));
        logs.handle_log_message("Loading");
        assert_eq!(logs.readiness(), Readiness::Silent);
        logs.handle_log_message("Found 83 source files");
        assert_eq!(logs.readiness(), Readiness::Ready);
    }

    #[test]
    fn a_server_that_was_told_of_changes_is_not_whole_for_a_while() {
        let watch = ReadyWatch::new(ReadySignal::Held);
        watch.note_changes(Duration::ZERO);
        assert_eq!(watch.readiness(), Readiness::Ready);
        watch.note_changes(Duration::from_secs(3600));
        watch.note_changes(Duration::from_millis(1));
        assert!(matches!(watch.readiness(), Readiness::Loading(_)));
        let other = ReadyWatch::new(ReadySignal::Held);
        other.note_changes(Duration::from_millis(20));
        assert_eq!(other.wait(&CancelToken::default()), Ok(Readiness::Ready));
    }

    #[test]
    fn whatever_is_sent_does_no_harm() {
        let watch = ReadyWatch::new(ReadySignal::ProgressEnds("x"));
        for odd in [
            json!(null),
            json!([]),
            json!({"token": {}, "value": 3}),
            progress_params(7, json!({"kind": "end"})),
        ] {
            watch.handle_progress(&odd);
            watch.status(&odd);
        }
        assert_eq!(watch.readiness(), Readiness::Silent);
    }
}
