//! Starts and holds a server on Windows, in a job. A job ends all processes in it when its last handle is closed, and
//! the system closes the handles of a process that ends in any way. Read, never run: see `docs/platforms.md`.
//!
//! There are two jobs, one within the other. The guard puts itself into a job before it starts the server, so no
//! process of the server can be outside; the daemon puts the guard into another. The daemon's end ends the guard, and
//! the guard's end ends the server. A process that is started in a job cannot leave it.

use std::os::windows::io::AsRawHandle as _;
use std::process::{Child, Command};

use win32job::{ExtendedLimitInfo, Job, JobError};

/// `CREATE_NO_WINDOW` of `winbase.h`: the console is invisible.
const NO_WINDOW: u32 = 0x0800_0000;

/// Holds a server: dropping it ends the server and everything that the server started.
#[derive(Debug)]
pub(super) struct Leash(std::sync::Mutex<Option<Job>>);

impl Leash {
    /// Holds a child. Without a job, as in old containers, only the child itself can be ended.
    pub(super) fn of(child: &Child) -> Self {
        let job = job().and_then(|job| {
            job.assign_process(child.as_raw_handle() as isize)?;
            Ok(job)
        });
        let told = job.inspect_err(|error| tracing::warn!(%error, "a language server is in no job"));
        Self(std::sync::Mutex::new(told.ok()))
    }

    /// Ends every process that it holds.
    pub(super) fn end(&self) {
        drop(self.0.lock().unwrap_or_else(std::sync::PoisonError::into_inner).take());
    }
}

/// Sets up a command before a server is started with it: its console is invisible.
pub(super) fn prepare(command: &mut Command) {
    std::os::windows::process::CommandExt::creation_flags(command, NO_WINDOW);
}

/// Puts this process, and every process that it starts from now on, into a job that ends with it.
///
/// # Errors
/// The system's error.
pub(super) fn end_all_with_this_process() -> Result<(), JobError> {
    let job = job()?;
    job.assign_current_process()?;
    // The handle stays open until the process ends: closing it sooner would end the process.
    std::mem::forget(job);
    Ok(())
}

fn job() -> Result<Job, JobError> {
    Job::create_with_limit_info(ExtendedLimitInfo::new().limit_kill_on_job_close())
}
