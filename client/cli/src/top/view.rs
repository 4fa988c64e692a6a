//! The state that `hob top` shows: the last picture, the rate of calls, and the user's choices by keys.

use std::collections::VecDeque;
use std::time::Instant;

use hob_client::connect::Refusal;
use serde_json::Value;

use super::picture::{Picture, Tool};

/// New facts about the daemon.
#[derive(Clone, Debug)]
pub(super) enum TopEvent {
    /// The daemon's status, as JSON.
    Status(Value),
    /// No daemon runs at present.
    NotRunning,
    /// A daemon, or something in its place, runs and cannot be asked.
    Trouble(String),
}

/// The property by which tools are sorted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Sort {
    #[default]
    Calls,
    Slow,
    Tokens,
    Name,
}

impl Sort {
    /// Returns the next order, in a circle.
    pub(super) fn next(self) -> Self {
        match self {
            Self::Calls => Self::Slow,
            Self::Slow => Self::Tokens,
            Self::Tokens => Self::Name,
            Self::Name => Self::Calls,
        }
    }

    /// Returns the word for the order, for people.
    pub(super) fn word(self) -> &'static str {
        match self {
            Self::Calls => "calls",
            Self::Slow => "p99",
            Self::Tokens => "tokens",
            Self::Name => "name",
        }
    }

    /// Sorts tools; those of equal rank by name.
    pub(super) fn sort(self, tools: &mut [Tool]) {
        tools.sort_by(|a, b| {
            let by = match self {
                Self::Calls => b.calls.cmp(&a.calls),
                Self::Slow => b.p99.unwrap_or(0.0).total_cmp(&a.p99.unwrap_or(0.0)),
                Self::Tokens => b.actual.cmp(&a.actual),
                Self::Name => std::cmp::Ordering::Equal,
            };
            by.then_with(|| a.name.cmp(&b.name))
        });
    }
}

/// The state from which a frame is drawn.
#[derive(Clone, Debug)]
pub(super) struct TopView {
    /// The daemon; `None` before the first news and while none runs.
    pub(super) picture: Option<Picture>,
    /// The reason why there is no picture.
    pub(super) trouble: String,
    /// Calls per second since the picture before.
    pub(super) rate: Option<f64>,
    /// The last samples, oldest first, one for each picture of the same daemon.
    pub(super) history: VecDeque<Sample>,
    /// The order of the tools; see [`Sort`].
    pub(super) sort: Sort,
    /// True if news are ignored.
    pub(super) paused: bool,
    /// True if the keys are shown.
    pub(super) help: bool,
    /// True if to use colours and other styles.
    pub(super) colour: bool,
    /// True if there are keys to press.
    pub(super) interactive: bool,
    /// Seconds since the last news, if that is unusually long.
    pub(super) silent: Option<u64>,
    counted: Option<(u64, Instant)>,
    heard: Instant,
}

/// A point of the sparklines.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Sample {
    /// Calls per second.
    pub(super) rate: f64,
    /// Bytes of memory of the daemon.
    pub(super) memory: u64,
    /// Bytes of memory of all language servers.
    pub(super) servers_memory: u64,
}

/// Most samples that are kept; there is one per second.
const SAMPLES: usize = 120;

const NOT_RUNNING: &str = "the daemon is not running";

impl TopView {
    /// Creates the view before the first news.
    pub(super) fn new(colour: bool) -> Self {
        Self {
            picture: None,
            trouble: "looking for the daemon".to_owned(),
            rate: None,
            history: VecDeque::new(),
            sort: Sort::default(),
            paused: false,
            help: false,
            colour,
            interactive: true,
            silent: None,
            counted: None,
            heard: Instant::now(),
        }
    }

    /// Applies news, unless paused.
    pub(super) fn apply_news(&mut self, news: TopEvent) {
        self.heard = Instant::now();
        self.silent = None;
        if self.paused {
            return;
        }
        match news {
            TopEvent::Status(status) => {
                let picture = Picture::from_status(&status);
                self.count(&picture);
                self.add_sample(&picture);
                self.picture = Some(picture);
            }
            TopEvent::NotRunning => self.lose_daemon(NOT_RUNNING.to_owned()),
            TopEvent::Trouble(why) => self.lose_daemon(why),
        }
    }

    /// Adds a sample; another daemon begins a new history.
    fn add_sample(&mut self, new: &Picture) {
        if self.picture.as_ref().is_none_or(|old| old.pid != new.pid) {
            self.history.clear();
        }
        // A rate needs two pictures.
        let Some(rate) = self.rate else { return };
        if self.history.len() == SAMPLES {
            self.history.pop_front();
        }
        let (memory, servers_memory) = (new.memory.unwrap_or(0), new.servers_memory.unwrap_or(0));
        self.history.push_back(Sample { rate, memory, servers_memory });
    }

    fn lose_daemon(&mut self, why: String) {
        self.history.clear();
        self.picture = None;
        self.trouble = why;
        self.rate = None;
        self.counted = None;
    }

    /// Computes the calls per second, from two counts of the same daemon.
    fn count(&mut self, new: &Picture) {
        let same = self.picture.as_ref().is_some_and(|old| old.pid == new.pid);
        let now = Instant::now();
        let calls = new.metrics.as_ref().map(|metrics| metrics.calls);
        self.rate = match (self.counted.filter(|_| same), calls) {
            (Some((before, at)), Some(calls)) => {
                let seconds = (now - at).as_secs_f64().max(0.001);
                #[allow(clippy::cast_precision_loss, reason = "for people, with one decimal")]
                Some(calls.saturating_sub(before) as f64 / seconds)
            }
            _ => None,
        };
        self.counted = calls.map(|calls| (calls, now));
    }

    /// Updates the time for which the daemon has been silent.
    pub(super) fn tick(&mut self) {
        let silent = self.heard.elapsed().as_secs();
        self.silent = (silent >= 4).then_some(silent);
    }
}

/// Returns the sentence about a daemon that does not serve this client.
pub(super) fn refusal_text(refusal: &Refusal) -> String {
    format!("a daemon of version {} runs but refuses: {}", refusal.build.version, refusal.reason)
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use serde_json::json;

    use super::*;

    #[test]
    fn a_rate_needs_two_counts_of_the_same_daemon() {
        let status =
            |pid: u64, calls: u64| TopEvent::Status(json!({"pid": pid, "metrics": {"calls": calls}}));
        let mut view = TopView::new(false);
        view.apply_news(status(1, 100));
        assert_eq!(view.rate, None);
        view.counted = view.counted.map(|(calls, at)| (calls, at - Duration::from_secs(10)));
        view.apply_news(status(1, 150));
        assert!(view.rate.is_some_and(|rate| (4.0..=5.0).contains(&rate)), "{:?}", view.rate);
        assert_eq!(view.history.len(), 1);
        for _ in 0..2 * SAMPLES {
            view.apply_news(status(1, 150));
        }
        assert_eq!(view.history.len(), SAMPLES, "memory does not grow");
        view.apply_news(status(2, 3));
        assert_eq!(view.rate, None, "another daemon counts from nothing");
        assert!(view.history.is_empty());
        view.paused = true;
        view.apply_news(TopEvent::NotRunning);
        assert!(view.picture.is_some(), "nothing changes while paused");
        view.paused = false;
        view.apply_news(TopEvent::NotRunning);
        assert!(view.picture.is_none() && view.trouble.contains("not running"));
    }
}
