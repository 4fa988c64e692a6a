//! Starts and holds a server on Windows: in a job, which ends all that is in it when its last handle is closed, as
//! the system does for a process that ends in whatever way. Read, never run: see `docs/platforms.md`.
//!
//! There are two, one within the other. The guard puts itself into the one that it makes before it starts the server, so
//! nothing of the server can be outside; the daemon puts the guard into another. The daemon's end ends the guard, and the
//! guard's end ends the server. What is started in a job cannot leave it.

use std::os::windows::io::AsRawHandle as _;
use std::process::{Child, Command};

use win32job::{ExtendedLimitInfo, Job, JobError};

/// `CREATE_NO_WINDOW` of `winbase.h`: a console that nobody sees.
const NO_WINDOW: u32 = 0x0800_0000;

/// Holds a server: letting go of it ends the server and everything that it started.
#[derive(Debug)]
pub(super) struct Leash(std::sync::Mutex<Option<Job>>);

impl Leash {
    /// Holds a child. Without a job, as in old containers, it is only ended by name.
    pub(super) fn of(child: &Child) -> Self {
        let job = job().and_then(|job| {
            job.assign_process(child.as_raw_handle() as isize)?;
            Ok(job)
        });
        let told = job.inspect_err(|error| tracing::warn!(%error, "a language server is in no job"));
        Self(std::sync::Mutex::new(told.ok()))
    }

    /// Ends everything that it holds.
    pub(super) fn end(&self) {
        drop(self.0.lock().unwrap_or_else(std::sync::PoisonError::into_inner).take());
    }
}

/// Sets up a command before a server is started with it: nobody sees its console.
pub(super) fn prepare(command: &mut Command) {
    std::os::windows::process::CommandExt::creation_flags(command, NO_WINDOW);
}

/// Puts this process, and what it starts from now on, into a job that ends with it.
///
/// # Errors
/// What the system says.
pub(super) fn end_all_with_this_process() -> Result<(), JobError> {
    let job = job()?;
    job.assign_current_process()?;
    // Open until the process ends: closing it sooner would end the process.
    std::mem::forget(job);
    Ok(())
}

fn job() -> Result<Job, JobError> {
    Job::create_with_limit_info(ExtendedLimitInfo::new().limit_kill_on_job_close())
}
