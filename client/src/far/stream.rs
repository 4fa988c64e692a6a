//! Connects to the daemon of a far side over the standard streams of `ssh`, or of another program that reaches it.
//!
//! The reading half owns the process, so the process ends with the connection; if the shim is killed, the end of the
//! process's standard input ends it as well. Its output on standard error goes to the log, and the last line becomes
//! the reason of the loss.

use std::io;
use std::pin::Pin;
use std::process::Stdio;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use tokio::io::{AsyncRead, BufReader, ReadBuf};
use tokio::process::{Child, ChildStdin, ChildStdout, Command};
use tokio::task::JoinHandle;

use crate::tail::Tail;

use super::failure::FarFailure;
use super::greeting::FarGreeting;
use super::host::FarHost;

/// Longest time to wait for the last lines on standard error.
const LAST_WORDS: Duration = Duration::from_secs(1);

/// A running program that reaches a far side.
pub(crate) struct FarStream {
    pub(crate) reader: FarReader,
    pub(crate) writer: ChildStdin,
}

/// The reading half. Its end is reported as an error with the program's last line.
pub(crate) struct FarReader {
    host: FarHost,
    output: BufReader<ChildStdout>,
    errors: Option<Errors>,
    ending: Option<Pin<Box<dyn Future<Output = io::Error> + Send>>>,
    /// The program, which is killed when this is dropped.
    _child: Child,
}

/// The program's output on standard error.
struct Errors {
    tail: Tail,
    following: JoinHandle<()>,
}

impl Errors {
    /// Returns the last lines, once the program has closed its standard error.
    async fn last_lines(self) -> Vec<String> {
        let _ = tokio::time::timeout(LAST_WORDS, self.following).await;
        let lines: Vec<String> =
            self.tail.lines().iter().map(|line| line.replace(char::is_control, "")).collect();
        lines.iter().for_each(|line| tracing::warn!("{line}"));
        lines
    }
}

impl FarStream {
    /// Starts the program.
    ///
    /// # Errors
    /// [`FarFailure`] when the program cannot be started.
    pub(crate) fn start(host: &FarHost, words: &[String]) -> Result<Self, FarFailure> {
        let (program, args) =
            words.split_first().ok_or_else(|| FarFailure::new(host, "no program is named"))?;
        let mut command = Command::new(program);
        command.args(args).kill_on_drop(true);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().map_err(|error| FarFailure::not_started(host, program, &error))?;
        let streams = (child.stdin.take(), child.stdout.take(), child.stderr.take());
        let (Some(writer), Some(output), Some(stderr)) = streams else {
            return Err(FarFailure::new(host, "its streams cannot be had"));
        };
        let tail = Tail::default();
        let following = tokio::spawn(tail.clone().follow_stream(stderr));
        let errors = Some(Errors { tail, following });
        let output = BufReader::new(output);
        let reader = FarReader { host: host.clone(), output, errors, ending: None, _child: child };
        Ok(Self { reader, writer })
    }
}

impl FarReader {
    /// Reads the greeting of `hob proxy`.
    ///
    /// # Errors
    /// [`FarFailure`] when no greeting comes in time.
    pub(crate) async fn read_greeting(&mut self, patience: Duration) -> Result<FarGreeting, FarFailure> {
        let greeting = tokio::time::timeout(patience, FarGreeting::read_from(&mut self.output)).await;
        match greeting {
            Ok(Ok(Some(greeting))) => Ok(greeting),
            Ok(_) => {
                let said = match self.errors.take() {
                    Some(errors) => errors.last_lines().await,
                    None => Vec::new(),
                };
                Err(FarFailure::of_silence(&self.host, &said))
            }
            Err(_) => {
                let problem = format!("hob there said nothing within {} s", patience.as_secs());
                Err(FarFailure::new(&self.host, problem))
            }
        }
    }

    fn poll_ending(&mut self, cx: &mut Context<'_>) -> Poll<io::Error> {
        let (host, errors) = (&self.host, &mut self.errors);
        let ending = self.ending.get_or_insert_with(|| {
            let (host, errors) = (host.to_string(), errors.take());
            Box::pin(async move {
                let lines = match errors {
                    Some(errors) => errors.last_lines().await,
                    None => Vec::new(),
                };
                let last = lines.last().map(|line| format!(": {line}")).unwrap_or_default();
                io::Error::new(
                    io::ErrorKind::ConnectionReset,
                    format!("{host} is not connected any more{last}"),
                )
            })
        });
        ending.as_mut().poll(cx)
    }
}

impl AsyncRead for FarReader {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        if self.ending.is_none() {
            let before = buf.filled().len();
            match ready!(Pin::new(&mut self.output).poll_read(cx, buf)) {
                Ok(()) if buf.filled().len() > before => return Poll::Ready(Ok(())),
                Ok(()) => {}
                Err(error) => return Poll::Ready(Err(error)),
            }
        }
        let error = ready!(self.poll_ending(cx));
        self.ending = None;
        Poll::Ready(Err(error))
    }
}
