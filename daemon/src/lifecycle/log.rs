//! Writes the daemon's log: one file a day, kept for a week.
//!
//! Lines are written at once, not by a background thread: the last lines before a crash are the ones that
//! matter, and there are few. If the log cannot be written, the daemon works all the same.

use std::backtrace::Backtrace;
use std::io;
use std::panic::PanicHookInfo;
use std::path::Path;

use hob_proto::places::Places;
use tracing_appender::rolling::{RollingFileAppender, Rotation};
use tracing_subscriber::fmt::MakeWriter;
use tracing_subscriber::layer::SubscriberExt as _;
use tracing_subscriber::util::SubscriberInitExt as _;
use tracing_subscriber::{EnvFilter, fmt};

use super::crash::report_panic;
use super::stdio::make_dir;

/// Days for which the daemon keeps a log.
const DAYS: usize = 7;

/// The reader of the log on standard error, besides the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StderrReader {
    /// Standard error gets no log.
    Nobody,
    /// A person at a terminal.
    Terminal,
    /// A service manager's journal, which adds the time itself.
    Journal,
}

/// Restricts a bare level to hob (all its targets begin so): messages of libraries below `info` appear only
/// if the filter names the library.
fn quiet_libraries(filter: &str) -> String {
    match filter.trim() {
        level @ ("debug" | "trace") => format!("info,hob={level}"),
        other => other.to_owned(),
    }
}

/// Begins to log to `places.logs_dir()`, and to the reader that `also` names. `filter` is a level or a list
/// of `target=level`; an invalid one counts as `info`, with a warning. Panics are logged and reported from
/// now on.
pub fn start(places: &Places, filter: &str, also: StderrReader) {
    let file = open(places).map(OneBlock);
    let (filter, wrong) = match EnvFilter::try_new(quiet_libraries(filter)) {
        Ok(filter) => (filter, None),
        Err(error) => (EnvFilter::new("info"), Some(error)),
    };
    let (file, no_file) = match file {
        Ok(file) => (Some(fmt::layer().with_ansi(false).with_writer(file)), None),
        Err(error) => (None, Some(error)),
    };
    let terminal = (also == StderrReader::Terminal)
        .then(|| fmt::layer().with_ansi(false).with_writer(OneBlock(io::stderr)));
    let journal = (also == StderrReader::Journal)
        .then(|| fmt::layer().with_ansi(false).with_writer(OneBlock(io::stderr)).without_time());
    let shown = tracing_subscriber::registry().with(filter).with(file).with(terminal).with(journal);
    // Fails only if there is a subscriber already, in a test.
    let _ = shown.try_init();
    if let Some(error) = wrong {
        tracing::warn!(%error, "the log filter is invalid; logging `info`");
    }
    if let Some(error) = no_file {
        tracing::warn!(%error, "no log file");
    }
    let crashes = places.crashes_dir();
    std::panic::set_hook(Box::new(move |info| log_panic(info, &crashes)));
}

fn open(places: &Places) -> Result<RollingFileAppender, String> {
    let folder = places.logs_dir();
    let failed = |error: &dyn std::fmt::Display| format!("cannot log to `{}`: {error}", folder.display());
    make_dir(&folder).map_err(|error| failed(&error))?;
    RollingFileAppender::builder()
        .rotation(Rotation::DAILY)
        .filename_prefix("hobd")
        .filename_suffix("log")
        .max_log_files(DAYS)
        .build(&folder)
        .map_err(|error| failed(&error))
}

/// Indents all but the first line of an event: its values may hold line ends, and must not look like another
/// event.
struct OneBlock<M>(M);

impl<'w, M: MakeWriter<'w>> MakeWriter<'w> for OneBlock<M> {
    type Writer = OneBlockWriter<M::Writer>;

    fn make_writer(&'w self) -> Self::Writer {
        OneBlockWriter(self.0.make_writer())
    }

    fn make_writer_for(&'w self, meta: &tracing::Metadata<'_>) -> Self::Writer {
        OneBlockWriter(self.0.make_writer_for(meta))
    }
}

struct OneBlockWriter<W>(W);

impl<W: io::Write> io::Write for OneBlockWriter<W> {
    /// Writes an event whole, because the subscriber passes one at a time.
    fn write(&mut self, event: &[u8]) -> io::Result<usize> {
        let body = event.strip_suffix(b"\n").unwrap_or(event);
        if !body.contains(&b'\n') {
            return self.0.write_all(event).map(|()| event.len());
        }
        let lines: Vec<&[u8]> = body.split(|byte| *byte == b'\n').collect();
        let whole = [&lines.join(&b"\n    "[..]), &event[body.len()..]].concat();
        self.0.write_all(&whole).map(|()| event.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

fn log_panic(info: &PanicHookInfo<'_>, crashes: &Path) {
    let payload = info.payload();
    let message = payload
        .downcast_ref::<&str>()
        .copied()
        .or_else(|| payload.downcast_ref::<String>().map(String::as_str))
        .unwrap_or("(no message)");
    let place = info.location().map(ToString::to_string).unwrap_or_default();
    let thread = std::thread::current();
    let thread = thread.name().unwrap_or("unnamed");
    tracing::error!(place, thread, backtrace = %Backtrace::capture(), "panic: {message}");
    report_panic(crashes, message, &place, thread);
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;

    use super::*;

    #[test]
    fn an_event_cannot_look_like_two() {
        let mut writer = OneBlockWriter(Vec::new());
        writer.write_all(b"one\n").expect("memory");
        writer.write_all(b"opened /tmp/a\n2026 ERROR all is lost\n").expect("memory");
        assert_eq!(writer.0, b"one\nopened /tmp/a\n    2026 ERROR all is lost\n");
    }
}
