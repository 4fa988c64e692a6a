//! Runs programs to ask them about themselves, such as their version: reads their output within limits of time and
//! size.
//!
//! A program on the `PATH` is the user's, but it may wait for something, print without end, or leave a helper behind
//! that holds its pipes open. None of that may hold up the caller.
//!
//! What it is not: a way to run servers; those have a guard and talk for hours.

use std::io::Read;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use crate::process::end_group;

/// Most bytes to keep of each output stream; the rest is read and dropped.
const MOST_KEPT: usize = 64 << 10;

/// Longest time for which the streams of a program that has ended may stay open.
const STREAMS_WITHIN: Duration = Duration::from_millis(500);

/// The output of a program that hob asked something, and the status with which it ended.
#[derive(Debug)]
pub(crate) struct ProgramOutput {
    pub(crate) status: ExitStatus,
    pub(crate) stdout: Vec<u8>,
    pub(crate) stderr: Vec<u8>,
}

/// Runs `command` to its end, without input.
///
/// # Errors
/// The reason in words: the program cannot be started, or it did not end `within` that time and was killed with
/// everything that it started.
pub(crate) fn run_to_end(command: &mut Command, within: Duration) -> Result<ProgramOutput, String> {
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    #[cfg(unix)]
    std::os::unix::process::CommandExt::process_group(command, 0);
    let mut child = command.spawn().map_err(|error| error.to_string())?;
    let streams = (Stream::read_apart(child.stdout.take()), Stream::read_apart(child.stderr.take()));
    let status = wait(&mut child, within)?;
    let until = Instant::now() + STREAMS_WITHIN;
    Ok(ProgramOutput { status, stdout: streams.0.text(until), stderr: streams.1.text(until) })
}

fn wait(child: &mut Child, within: Duration) -> Result<ExitStatus, String> {
    let until = Instant::now() + within;
    loop {
        if let Some(status) = child.try_wait().map_err(|error| error.to_string())? {
            return Ok(status);
        }
        if Instant::now() >= until {
            end_group(child.id());
            let _ = child.kill();
            let _ = child.wait();
            return Err(format!("it did not end within {} s", within.as_secs()));
        }
        std::thread::sleep(Duration::from_millis(2));
    }
}

/// One output stream of the program, read on a thread that ends with the stream.
struct Stream {
    kept: Arc<Mutex<Vec<u8>>>,
    ended: Receiver<()>,
}

impl Stream {
    fn read_apart(input: Option<impl Read + Send + 'static>) -> Self {
        let kept = Arc::new(Mutex::new(Vec::new()));
        let (end, ended) = channel();
        let to = Arc::clone(&kept);
        let read = move || {
            if let Some(input) = input {
                read_and_keep(input, &to);
            }
            let _ = end.send(());
        };
        // Without a thread nothing is read, and the program runs out of time.
        let _ = std::thread::Builder::new().name("hob-asked".to_owned()).spawn(read);
        Self { kept, ended }
    }

    fn text(&self, until: Instant) -> Vec<u8> {
        let _ = self.ended.recv_timeout(until.saturating_duration_since(Instant::now()));
        std::mem::take(&mut *self.kept.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

fn read_and_keep(mut input: impl Read, to: &Mutex<Vec<u8>>) {
    let mut piece = [0; 4096];
    while let Ok(count @ 1..) = input.read(&mut piece) {
        let mut kept = to.lock().unwrap_or_else(PoisonError::into_inner);
        let room = MOST_KEPT.saturating_sub(kept.len());
        kept.extend_from_slice(&piece[..count.min(room)]);
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    fn run_shell(script: &str, within: Duration) -> Result<ProgramOutput, String> {
        run_to_end(Command::new("/bin/sh").args(["-c", script]), within)
    }

    #[test]
    fn neither_much_output_nor_a_helper_that_stays_holds_it_up() {
        let long = Duration::from_secs(120);
        let said = run_shell("head -c 1000000 /dev/zero; echo >&2 words; exit 3", long).expect("it ends");
        assert_eq!((said.status.code(), said.stdout.len()), (Some(3), MOST_KEPT));
        assert_eq!(said.stderr, b"words\n");
        // The helper holds both pipes for longer than the call may wait.
        let said = run_shell("sleep 30 & echo said", long).expect("it ends");
        assert_eq!(said.stdout, b"said\n");
    }

    #[test]
    fn one_that_does_not_end_is_killed_with_what_it_started() {
        let error = run_shell("yes & yes", Duration::from_secs(1)).expect_err("it never ends");
        assert!(error.contains("did not end within 1 s"), "{error}");
    }
}
