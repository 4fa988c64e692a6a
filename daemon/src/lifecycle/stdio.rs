//! Detaches the process from the terminal, and closes the pipes to the process that started it.

use std::fs::{DirBuilder, File, OpenOptions};
use std::io;
use std::path::Path;

use hob_proto::private_dir::PrivateDirError;

/// Size in bytes from which the file of earlier last words is begun anew.
const KEEP: u64 = 256 * 1024;

/// Starts a session of its own: no terminal, and no process group that receives a Ctrl-C.
pub fn leave_terminal() {
    #[cfg(unix)]
    // Fails if the process leads a group already, as one started from an interactive shell does; that user
    // wanted it so.
    let _ = rustix::process::setsid();
}

/// Discards output from now on, and sends errors to a file in `logs`: messages that the log cannot have, such
/// as the last words of an overflowing stack.
pub fn let_go_of_stdio(logs: &Path) {
    // The reader of our standard output waits for its end; a failure costs no more than that.
    let _ = redirect(logs);
}

#[cfg(unix)]
fn redirect(logs: &Path) -> io::Result<()> {
    let null = OpenOptions::new().read(true).write(true).open("/dev/null")?;
    rustix::stdio::dup2_stdout(&null)?;
    let errors = last_words(logs).unwrap_or(null);
    rustix::stdio::dup2_stderr(&errors)?;
    Ok(())
}

#[cfg(not(unix))]
fn redirect(logs: &Path) -> io::Result<()> {
    last_words(logs).map(drop)
}

fn last_words(logs: &Path) -> io::Result<File> {
    let path = logs.join("hobd-stderr.txt");
    let old = std::fs::metadata(&path).map_or(0, |meta| meta.len());
    if old > KEEP {
        std::fs::remove_file(&path)?;
    }
    OpenOptions::new().append(true).create(true).open(path)
}

/// Makes a folder that only the user may enter; removes the rights of others to an existing folder of the
/// user's.
///
/// If the name is a link, its target counts: users put caches on another disk that way.
pub(super) fn make_dir(path: &Path) -> Result<(), PrivateDirError> {
    let path = path.canonicalize().unwrap_or_else(|_| path.to_path_buf());
    let failed = |source| PrivateDirError::Create { path: path.clone(), source };
    let mut builder = DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    match builder.create(&path) {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Err(PrivateDirError::NotAFolder(path)),
        made => made.map_err(failed).and_then(|()| tighten(&path)),
    }
}

#[cfg(unix)]
fn tighten(path: &Path) -> Result<(), PrivateDirError> {
    use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
    let failed = |source| PrivateDirError::Create { path: path.to_path_buf(), source };
    // The open folder is used, so that the checked folder is the changed one.
    let folder = File::open(path).map_err(failed)?;
    let found = folder.metadata().map_err(failed)?;
    let ours = rustix::process::geteuid().as_raw();
    if found.uid() != ours {
        return Err(PrivateDirError::OtherOwner { path: path.to_path_buf(), owner: found.uid(), ours });
    }
    if found.mode() & 0o077 == 0 {
        return Ok(());
    }
    tracing::info!(folder = %path.display(), "other users could enter this folder; their rights are removed");
    folder.set_permissions(std::fs::Permissions::from_mode(0o700)).map_err(failed)
}

#[cfg(not(unix))]
fn tighten(_path: &Path) -> Result<(), PrivateDirError> {
    Ok(())
}
