//! Counts calls, their durations, and the costs and savings of their answers. The counts stay on this machine, in one
//! small file, and are sent nowhere.
//!
//! A call pays for a few atomic additions. A thread of its own finds the files that an answer names and reads their
//! sizes; it sleeps while nothing is answered. When it cannot follow, answers count without a baseline, so that
//! reported savings are too small and never too large. Any fault in this crate, a panic included, costs a count and
//! never an answer.
//!
//! `baseline` finds the claimed savings, `histogram` counts times, `file` keeps the counts beyond the daemon's end: it
//! is written at that end, and every few minutes by the thread. A killed daemon loses the minutes since.

mod baseline;
mod counts;
mod file;
mod histogram;
mod told;

use std::collections::HashMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::sync::{Arc, Mutex, Weak};
use std::time::{Duration, Instant, SystemTime};

use hob_base::{AbsPath, lock};
use hob_proto::tools::{TOOLS, ToolDef};
use serde_json::{Map, Value};

use baseline::Rule;
use counts::{Figures, ToolCounts, zero_counts};
use file::CountsOnDisk;
use histogram::{Histogram, HistogramCounts};
use hob_calls::Caller;

/// Interval at which the file is written while calls are answered.
const SAVE_EVERY: Duration = Duration::from_secs(5 * 60);

/// Most answers that wait for their files to be measured. Each holds its data until then.
const WAITING: usize = 128;

/// Most tools unknown to this build that are kept.
const MOST_FOREIGN: usize = 64;

/// Longest time for which a report waits until the answers before it are counted whole.
const SETTLES_WITHIN: Duration = Duration::from_secs(2);

/// A call that was answered.
pub struct Served<'c> {
    /// The tool that was called.
    pub tool: &'static ToolDef,
    /// The client over whose connection the call came.
    pub caller: &'c Arc<Caller>,
    /// The arguments of the call.
    pub args: &'c Map<String, Value>,
    /// The project of the call, if one was found.
    pub root: Option<AbsPath>,
    /// The data of the answer; `None` for an error.
    pub data: Option<Value>,
    /// The cost of the answer in tokens.
    pub tokens: u32,
    /// Time from the call to its answer.
    pub took: Duration,
}

/// The counts of this daemon and, from its file, of earlier ones.
pub struct Metrics {
    shared: Arc<SharedCounts>,
    aside: Option<SyncSender<Job>>,
}

struct SharedCounts {
    all: ToolCounts,
    times: Box<[Histogram]>,
    sessions: Mutex<HashMap<usize, CountedSession>>,
    running: AtomicU64,
    /// The beginning of the counting, in seconds of Unix time.
    since: AtomicU64,
    file: Option<PathBuf>,
    /// The counts in the file of tools that this build does not know.
    foreign: Mutex<CountsOnDisk>,
    notice: Mutex<Option<String>>,
    /// The time of the last write of the file; its lock also keeps two writers apart.
    saved: Mutex<Instant>,
    is_changed: AtomicBool,
}

/// The counts of one connection. While this exists, no other connection can have the address by which it is found.
struct CountedSession {
    caller: Weak<Caller>,
    counts: Arc<ToolCounts>,
}

enum Job {
    /// Adds the files of an answer to the baselines of its tool.
    Weigh { tool: usize, session: Arc<ToolCounts>, root: AbsPath, said: FileMentions },
    /// Signals that every job before this one is done.
    Reached(SyncSender<()>),
}

/// The source of the names of files.
enum FileMentions {
    Named(Value),
    Asked(Map<String, Value>),
}

/// A call under way.
pub struct Running<'m>(&'m AtomicU64);

impl Drop for Running<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

impl Metrics {
    /// Continues the counts of `file`. Without a file the counts end with the daemon.
    pub fn open(file: Option<PathBuf>) -> Self {
        let shared = Arc::new(SharedCounts::open(file));
        let (sender, jobs) = sync_channel(WAITING);
        let weigher = Arc::clone(&shared);
        let run = move || weigher.weigh_all(&jobs);
        let started = std::thread::Builder::new().name("hob-metrics".to_owned()).spawn(run);
        let aside = started.inspect_err(|error| tracing::warn!(%error, "no thread to weigh answers on")).ok();
        Self { shared, aside: aside.map(|_| sender) }
    }

    /// Counts a call as running until the guard is dropped.
    pub fn begin(&self) -> Running<'_> {
        self.shared.running.fetch_add(1, Ordering::Relaxed);
        Running(&self.shared.running)
    }

    /// Counts an answered call. Never panics.
    pub fn count(&self, served: Served<'_>) {
        if catch_unwind(AssertUnwindSafe(|| self.count_answer(served))).is_err() {
            tracing::error!("a call could not be counted");
        }
    }

    fn count_answer(&self, served: Served<'_>) {
        let Ok(tool) = TOOLS.binary_search_by(|def| def.name.cmp(served.tool.name)) else { return };
        let rule = Rule::for_tool(served.tool);
        let session = self.shared.session_counts(served.caller);
        let tokens = if rule == Rule::Unread { 0 } else { u64::from(served.tokens) };
        let is_same = rule == Rule::Same && served.data.is_some();
        let figures = Figures {
            calls: 1,
            failed: u64::from(served.data.is_none()),
            actual: tokens,
            baseline: if is_same { tokens } else { 0 },
        };
        self.shared.raise_counts(tool, &session, figures);
        self.shared.times[tool].count(u64::try_from(served.took.as_micros()).unwrap_or(u64::MAX));
        self.shared.is_changed.store(true, Ordering::Relaxed);
        let (Some(aside), Some(root), Some(data)) = (&self.aside, served.root, served.data) else { return };
        let said = match rule {
            Rule::Named => FileMentions::Named(data),
            Rule::Asked if !is_empty(&data) => FileMentions::Asked(served.args.clone()),
            _ => return,
        };
        // A full queue leaves this answer without a baseline.
        let _ = aside.try_send(Job::Weigh { tool, session, root, said });
    }

    /// Waits until the answers so far are weighed.
    fn wait_until_weighed(&self) {
        let (sender, reached) = sync_channel(1);
        if self.aside.as_ref().is_some_and(|aside| aside.send(Job::Reached(sender)).is_ok()) {
            let _ = reached.recv_timeout(SETTLES_WITHIN);
        }
    }

    /// Sets all counts to zero and begins again.
    pub fn reset(&self) {
        self.wait_until_weighed();
        let shared = &self.shared;
        shared.all.iter().for_each(|count| count.set(Figures::default()));
        shared.times.iter().for_each(|times| times.set(&HistogramCounts::default()));
        lock(&shared.sessions).clear();
        lock(&shared.foreign).tools.clear();
        *lock(&shared.notice) = None;
        shared.since.store(unix_seconds(), Ordering::Relaxed);
        shared.is_changed.store(true, Ordering::Relaxed);
        shared.save();
    }

    /// Writes the counts to their file, after the answers before it are counted.
    pub fn save(&self) {
        self.wait_until_weighed();
        self.shared.save();
    }
}

/// Returns true if an answer about one file is empty: no outline, no type.
fn is_empty(data: &Value) -> bool {
    let nothing = |name: &str| match data.get(name) {
        Some(Value::Array(all)) => all.is_empty(),
        Some(Value::String(text)) => text.is_empty(),
        _ => true,
    };
    nothing("symbols") && nothing("signature")
}

impl SharedCounts {
    fn open(file: Option<PathBuf>) -> Self {
        let (kept, notice) = match file.as_deref().map_or(Ok(None), file::read) {
            Ok(kept) => (kept, None),
            Err(why) => (None, Some(why)),
        };
        if let (Some(_), Some(path)) = (&notice, &file) {
            file::set_aside(path);
        }
        let notice = notice.zip(file.as_ref()).map(|(why, path)| {
            format!("The statistics in `{}` could not be read ({why}) and were begun anew.", path.display())
        });
        if let Some(notice) = &notice {
            tracing::warn!("{notice}");
        }
        let mut kept =
            kept.unwrap_or_else(|| CountsOnDisk { since: unix_seconds(), ..CountsOnDisk::default() });
        let (all, times) = (zero_counts(), TOOLS.iter().map(|_| Histogram::default()).collect::<Box<[_]>>());
        for (at, tool) in TOOLS.iter().enumerate() {
            if let Some((figures, shot)) = kept.tools.remove(tool.name) {
                all[at].set(figures);
                times[at].set(&shot);
            }
        }
        if kept.tools.len() > MOST_FOREIGN {
            kept.tools.clear();
        }
        Self {
            all,
            times,
            sessions: Mutex::default(),
            running: AtomicU64::new(0),
            since: AtomicU64::new(kept.since),
            file,
            foreign: Mutex::new(kept),
            notice: Mutex::new(notice),
            saved: Mutex::new(Instant::now()),
            is_changed: AtomicBool::new(false),
        }
    }

    /// Returns the counts of a connection.
    fn session_counts(&self, caller: &Arc<Caller>) -> Arc<ToolCounts> {
        let mut sessions = lock(&self.sessions);
        let key = Arc::as_ptr(caller) as usize;
        if let Some(session) = sessions.get(&key) {
            return Arc::clone(&session.counts);
        }
        sessions.retain(|_, session| session.caller.strong_count() > 0);
        let new = CountedSession { caller: Arc::downgrade(caller), counts: Arc::new(zero_counts()) };
        Arc::clone(&sessions.entry(key).or_insert(new).counts)
    }

    fn raise_counts(&self, tool: usize, session: &ToolCounts, by: Figures) {
        for count in [&self.all[tool], &session[tool]] {
            count.calls.fetch_add(by.calls, Ordering::Relaxed);
            count.failed.fetch_add(by.failed, Ordering::Relaxed);
            count.actual.fetch_add(by.actual, Ordering::Relaxed);
            count.baseline.fetch_add(by.baseline, Ordering::Relaxed);
        }
    }

    /// Runs the weighing thread until the daemon drops its queue.
    fn weigh_all(&self, jobs: &Receiver<Job>) {
        for job in jobs {
            match job {
                Job::Reached(reached) => drop(reached.try_send(())),
                Job::Weigh { tool, session, root, said } => {
                    let weigh = || {
                        let files = match &said {
                            FileMentions::Named(answer) => baseline::files_named(answer),
                            FileMentions::Asked(args) => baseline::files_asked_about(args),
                        };
                        let baseline = baseline::tokens(&root, &files);
                        self.raise_counts(tool, &session, Figures { baseline, ..Figures::default() });
                    };
                    if catch_unwind(AssertUnwindSafe(weigh)).is_err() {
                        tracing::error!("an answer could not be weighed");
                    }
                }
            }
            let is_due = lock(&self.saved).elapsed() >= SAVE_EVERY;
            if is_due {
                self.save();
            }
        }
    }

    fn save(&self) {
        let Some(path) = &self.file else { return };
        let mut saved = lock(&self.saved);
        *saved = Instant::now();
        if !self.is_changed.swap(false, Ordering::Relaxed) {
            return;
        }
        let mut kept = lock(&self.foreign).clone();
        kept.since = self.since.load(Ordering::Relaxed);
        for (at, tool) in TOOLS.iter().enumerate() {
            let figures = self.all[at].figures();
            if figures.calls > 0 {
                kept.tools.insert(tool.name.to_owned(), (figures, self.times[at].current_counts()));
            }
        }
        if let Err(error) = file::write(path, &kept) {
            tracing::warn!(%error, path = %path.display(), "the statistics could not be written");
        }
    }
}

fn unix_seconds() -> u64 {
    SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).map_or(0, |since| since.as_secs())
}
