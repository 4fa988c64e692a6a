//! Makes the two unit files for systemd from templates and the facts of this machine, and reads them again.

use std::path::{Path, PathBuf};

use super::escape;
use super::surroundings;

const SERVICE: &str = include_str!("../../../../packaging/systemd/hobd.service");
const SOCKET: &str = include_str!("../../../../packaging/systemd/hobd.socket");

/// The values that the unit files hold for this user's hob.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Units {
    /// The path of the daemon's program.
    pub(super) program: String,
    /// The socket on which clients look for it.
    pub(super) socket: String,
    /// Its environment, besides the manager's own.
    pub(super) variables: Vec<(String, String)>,
    /// The permission bits that new files are denied.
    pub(super) umask: u32,
}

impl Units {
    /// Returns the text of `hobd.service`, without its mark.
    pub(super) fn service_text(&self) -> String {
        let setting = |(name, value): &(String, String)| {
            format!("Environment={}\n", escape::escape_word(&format!("{name}={value}")))
        };
        let environment: String = self.variables.iter().map(setting).collect();
        fill_version(SERVICE)
            .replace("@HOBD@", &escape::escape_word(&self.program))
            .replace("@UMASK@", &format!("{:04o}", self.umask))
            .replace("@ENVIRONMENT@\n", &environment)
    }

    /// Returns the text of `hobd.socket`, without its mark.
    pub(super) fn socket_text(&self) -> String {
        fill_version(SOCKET).replace("@SOCKET@", &escape::escape_plain(&self.socket))
    }
}

/// Fills the version into a template for a service manager.
pub(super) fn fill_version(template: &str) -> String {
    template.replace("@VERSION@", env!("CARGO_PKG_VERSION"))
}

/// Returns the program that a `hobd.service` starts.
pub(super) fn program_in(service: &str) -> Option<PathBuf> {
    let value = value_in(service, "ExecStart=")?;
    escape::from_word(value.trim_start_matches(':')).map(PathBuf::from)
}

/// Returns the socket of a `hobd.socket`.
pub(super) fn socket_in(socket: &str) -> Option<PathBuf> {
    value_in(socket, "ListenStream=").map(|value| PathBuf::from(escape::from_plain(value)))
}

/// Lists folders of this PATH that the service's lacks.
pub(super) fn missing_folders(service: &str, path: &std::ffi::OsString) -> Vec<PathBuf> {
    let mut words =
        service.lines().filter_map(|line| escape::from_word(line.strip_prefix("Environment=")?)).rev();
    let theirs = words.find_map(|word| word.strip_prefix("PATH=").map(str::to_owned));
    let theirs = surroundings::path_folders(&theirs.unwrap_or_default().into());
    let is_missing = |folder: &PathBuf| !theirs.contains(folder) && is_of_use(folder);
    surroundings::path_folders(path).into_iter().filter(is_missing).collect()
}

/// Returns true if a folder matters for the service: temporary folders of a shell, and missing ones, do not.
fn is_of_use(folder: &Path) -> bool {
    folder.is_dir() && !folder.starts_with(std::env::temp_dir())
}

fn value_in<'a>(text: &'a str, key: &str) -> Option<&'a str> {
    text.lines().find_map(|line| line.strip_prefix(key))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn units() -> Units {
        Units {
            program: "/opt/my tools/100%/hobd".to_owned(),
            socket: "/run/user/1000/ho b/50%/hobd.sock".to_owned(),
            variables: vec![("PATH".to_owned(), "/usr/bin:/a $b/%h".to_owned())],
            umask: 0o027,
        }
    }

    #[test]
    fn what_is_written_is_read_again() {
        let (service, socket) = (units().service_text(), units().socket_text());
        assert_eq!(program_in(&service), Some(units().program.into()));
        assert_eq!(socket_in(&socket), Some(units().socket.into()));
        assert!(service.contains("\nEnvironment=\"PATH=/usr/bin:/a $b/%%h\"\n"), "{service}");
        assert!(service.contains("\nUMask=0027\n"), "{service}");
        for text in [service, socket] {
            assert_eq!(
                text.matches('@').count() - text.matches(" @").count() - text.matches("~@").count(),
                1,
                "only the mark's place is left: {text}"
            );
        }
    }

    #[test]
    fn folders_that_the_service_has_not_are_told() {
        let dir =
            tempfile::tempdir_in("/var").or_else(|_| tempfile::tempdir_in("/")).expect("a folder elsewhere");
        let path = std::env::join_paths(["/usr/bin".into(), dir.path().to_path_buf(), "/nowhere".into()])
            .expect("no colon");
        assert_eq!(missing_folders(&units().service_text(), &path), [dir.path()]);
    }
}
