//! Runs a program to its end and collects everything that it writes.

use std::io::{Read, Write as _};
use std::process::{Child, Command, Stdio};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use crate::FOREVER;

/// The output of a program that has ended, and its exit code.
#[derive(Clone, Debug, PartialEq, Eq)]
#[must_use]
pub struct Output {
    /// The command line, for messages.
    pub line: String,
    /// The exit code, or `None` if a signal ended the program.
    pub code: Option<i32>,
    /// The text on standard output. Bytes that are not valid UTF-8 are replaced.
    pub stdout: String,
    /// The text on standard error.
    pub stderr: String,
}

impl Output {
    /// Checks the exit code.
    ///
    /// # Panics
    ///
    /// Panics with everything that is known if it is another one.
    #[track_caller]
    pub fn code(self, expected: i32) -> Self {
        assert_eq!(self.code, Some(expected), "{self}");
        self
    }

    /// Returns the standard output, after checking that the program succeeded.
    ///
    /// # Panics
    ///
    /// Panics if it did not succeed.
    #[track_caller]
    pub fn success(self) -> String {
        self.code(0).stdout
    }
}

impl std::fmt::Display for Output {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { line, code, stdout, stderr } = self;
        write!(f, "\n--- {line}\nexit code {code:?}\n--- stdout\n{stdout}\n--- stderr\n{stderr}\n---")
    }
}

/// Runs `command` to its end, with `input` on its standard input.
///
/// # Panics
///
/// Panics if it cannot be started or does not end.
#[track_caller]
pub fn run(command: &mut Command, input: &[u8]) -> Output {
    let line = format!("{command:?}");
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap_or_else(|error| panic!("cannot run {line}: {error}"));
    let (stdout, stderr) = (collect(child.stdout.take()), collect(child.stderr.take()));
    if let Some(mut stdin) = child.stdin.take() {
        // A program is free not to read its input.
        let _ = stdin.write_all(input);
    }
    let code = wait(&mut child, FOREVER * 3).unwrap_or_else(|| panic!("{line} does not end")).code();
    let text = |thread: JoinHandle<Vec<u8>>| {
        String::from_utf8_lossy(&thread.join().expect("the reader does not panic")).into_owned()
    };
    Output { line, code, stdout: text(stdout), stderr: text(stderr) }
}

fn collect(from: Option<impl Read + Send + 'static>) -> JoinHandle<Vec<u8>> {
    std::thread::spawn(move || {
        let mut bytes = Vec::new();
        if let Some(mut from) = from {
            let _ = from.read_to_end(&mut bytes);
        }
        bytes
    })
}

/// Waits for the end of a child. If it does not end, kills it and returns `None`.
pub(crate) fn wait(child: &mut Child, patience: Duration) -> Option<std::process::ExitStatus> {
    let start = Instant::now();
    loop {
        if let Ok(Some(status)) = child.try_wait() {
            return Some(status);
        }
        if start.elapsed() > patience {
            let _ = child.kill();
            let _ = child.wait();
            return None;
        }
        std::thread::sleep(Duration::from_millis(2));
    }
}
