//! Locks the state and cache folders for one daemon.
//!
//! `daemon.lock` lies beside the socket and decides who may be the daemon *there*. The environments of two
//! daemons with sockets in different places could still name the same folders, and each would overwrite the
//! other's files. So each of these folders has a lock of its own. Its holder records where it listens, for
//! the error message of a second daemon.

use std::path::{Path, PathBuf};
use std::time::Duration;

use hob_proto::holder::{self, Holder};
use hob_proto::places::Places;
use hob_proto::transport;
use tokio::time::Instant;

use super::error::StartError;
use super::lock::DaemonLock;

/// The locks of the state and cache folders, held.
#[derive(Debug)]
pub struct FolderLocks(#[allow(dead_code, reason = "held for their locks")] Vec<DaemonLock>);

impl FolderLocks {
    /// Locks the folders of state and cache. Waits for a daemon that is ending; a daemon that answers is an
    /// error at once.
    pub(super) async fn claim_folders(places: &Places, patience: Duration) -> Result<Self, StartError> {
        let mut locks = Vec::new();
        for folder in distinct_folders(&[&places.state, &places.cache]) {
            locks.extend(claim_folder(&folder, places, patience).await?);
        }
        Ok(Self(locks))
    }

    /// Returns true if every folder has its lock: then no other daemon uses the folders.
    pub(super) fn are_all_locked(&self, places: &Places) -> bool {
        self.0.len() == distinct_folders(&[&places.state, &places.cache]).len()
    }
}

/// Returns the existing folders, each once: one variable may name both.
fn distinct_folders(folders: &[&PathBuf]) -> Vec<PathBuf> {
    let mut real: Vec<PathBuf> = folders.iter().filter_map(|folder| folder.canonicalize().ok()).collect();
    real.dedup();
    real
}

/// Locks one folder; `None` if no lock is possible, because nothing can be written there either, or the disk
/// supports no locks.
async fn claim_folder(
    folder: &Path,
    places: &Places,
    patience: Duration,
) -> Result<Option<DaemonLock>, StartError> {
    let path = Places::in_use_lock(folder);
    let since = Instant::now();
    loop {
        match DaemonLock::try_take(&path) {
            Ok(Some(lock)) => {
                // On a full disk the lock still works.
                let _ = lock.sign_with_socket(&places.socket);
                return Ok(Some(lock));
            }
            Ok(None) => {}
            Err(error) => {
                tracing::warn!(folder = %folder.display(), %error, "another daemon could use this folder too");
                return Ok(None);
            }
        }
        let holder = holder::read_holder(&path);
        let answers = answers_elsewhere(holder.as_ref(), places).await;
        if answers || since.elapsed() > patience {
            return Err(in_use(folder, holder, answers));
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
}

/// Returns true if the holder serves clients elsewhere. A listener at this daemon's own socket is a service
/// manager, or nobody.
async fn answers_elsewhere(holder: Option<&Holder>, places: &Places) -> bool {
    let Some(holder) = holder.filter(|holder| holder.machine.is_none() && holder.socket != places.socket)
    else {
        return false;
    };
    transport::connect(&holder.socket).await.is_ok()
}

fn in_use(folder: &Path, holder: Option<Holder>, answers: bool) -> StartError {
    let of = holder.as_ref().map(|holder| format!(" (process {})", holder.pid)).unwrap_or_default();
    let machine = holder.as_ref().and_then(|holder| holder.machine.as_ref());
    let socket = holder.as_ref().map(|holder| holder.socket.display().to_string()).unwrap_or_default();
    let how = match (machine, answers) {
        (Some(machine), _) => {
            format!("runs on the machine `{machine}`; set HOB_DIR to a folder of this machine")
        }
        (None, true) => format!(
            "listens at `{socket}`, where this program does not look; end that process, or give both the same HOB_DIR and HOME"
        ),
        (None, false) => "does not answer; end that process if it hangs".to_owned(),
    };
    StartError::InUse { folder: folder.display().to_string(), holder: format!("{of} {how}") }
}
