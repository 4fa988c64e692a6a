//! Handles the signals by which the system or a terminal asks something of the process.

use std::io;

#[cfg(unix)]
use tokio::signal::unix::{Signal, SignalKind, signal};

/// The signals that end the daemon. It catches a hang-up in any case: a detached daemon has nothing to do
/// with the terminal that it came from.
#[cfg(unix)]
pub(super) struct Signals {
    terminate: Signal,
    interrupt: Signal,
    hangup: Signal,
    hangup_ends: bool,
}

#[cfg(unix)]
impl Signals {
    /// Catches the signals from now on.
    pub(super) fn install(hangup_ends: bool) -> io::Result<Self> {
        Ok(Self {
            terminate: signal(SignalKind::terminate())?,
            interrupt: signal(SignalKind::interrupt())?,
            hangup: signal(SignalKind::hangup())?,
            hangup_ends,
        })
    }

    /// Waits for the next signal that ends the daemon, and returns its name.
    pub(super) async fn next(&mut self) -> &'static str {
        loop {
            tokio::select! {
                _ = self.terminate.recv() => return "SIGTERM",
                _ = self.interrupt.recv() => return "SIGINT",
                _ = self.hangup.recv() => if self.hangup_ends { return "SIGHUP" },
            }
        }
    }
}

#[cfg(windows)]
use tokio::signal::windows::{CtrlBreak, CtrlC, CtrlClose, CtrlShutdown};

/// The console events that end the daemon.
#[cfg(windows)]
pub(super) struct Signals {
    interrupt: CtrlC,
    stop: CtrlBreak,
    close: CtrlClose,
    shutdown: CtrlShutdown,
}

#[cfg(windows)]
impl Signals {
    /// Catches the events from now on.
    pub(super) fn install(_hangup_ends: bool) -> io::Result<Self> {
        use tokio::signal::windows::{ctrl_break, ctrl_c, ctrl_close, ctrl_shutdown};
        Ok(Self {
            interrupt: ctrl_c()?,
            stop: ctrl_break()?,
            close: ctrl_close()?,
            shutdown: ctrl_shutdown()?,
        })
    }

    /// Waits for the next event that ends the daemon, and returns its name.
    pub(super) async fn next(&mut self) -> &'static str {
        tokio::select! {
            _ = self.interrupt.recv() => "Ctrl-C",
            _ = self.stop.recv() => "Ctrl-Break",
            _ = self.close.recv() => "the console's end",
            _ = self.shutdown.recv() => "the system's end",
        }
    }
}
