//! Finds the `hobd` that a client would start.
//!
//! `HOB_DAEMON` if set, else the `hobd` beside the client's own program, else the first in `PATH`: the programs of one
//! installation belong together, so the neighbour precedes the path.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

use hob_proto::startup::DAEMON_PROGRAM_VAR;

/// The name of the daemon.
const DAEMON: &str = "hobd";

/// Returns the file name of a program on this system.
#[must_use]
pub fn file_name(program: &str) -> String {
    format!("{program}{}", std::env::consts::EXE_SUFFIX)
}

/// Lists the files of that program in the absolute folders of a `PATH`, in their order.
pub fn files_on_path(program: &str, path: &OsStr) -> impl Iterator<Item = PathBuf> {
    let file = file_name(program);
    let folders = std::env::split_paths(path).filter(|folder| folder.is_absolute()).collect::<Vec<_>>();
    folders.into_iter().map(move |folder| folder.join(&file)).filter(|file| file.is_file())
}

/// The daemon's program, with its arguments and additional variables.
#[derive(Clone, Debug, Default)]
pub struct Program {
    /// The executable; `None` when none was found.
    pub path: Option<PathBuf>,
    /// The places that were searched, for the error message.
    pub looked: Vec<PathBuf>,
    /// The arguments of the daemon.
    pub args: Vec<OsString>,
    /// Variables that are set for the daemon.
    pub env: Vec<(OsString, OsString)>,
}

impl Program {
    /// Uses this executable, whether or not it exists.
    #[must_use]
    pub fn at_path(path: impl Into<PathBuf>) -> Self {
        let path = path.into();
        Self { looked: vec![path.clone()], path: Some(path), ..Self::default() }
    }

    /// Finds the program: `env` looks a variable up, `own` is the client's executable.
    #[must_use]
    pub fn find(env: &dyn Fn(&str) -> Option<OsString>, own: Option<&Path>) -> Self {
        if let Some(named) = env(DAEMON_PROGRAM_VAR).filter(|value| !value.is_empty()) {
            return Self::at_path(named);
        }
        let looked = candidate_paths(own, env("PATH").as_deref());
        let path = looked.iter().find(|path| path.is_file()).cloned();
        Self { path, looked, ..Self::default() }
    }
}

fn candidate_paths(own: Option<&Path>, path: Option<&OsStr>) -> Vec<PathBuf> {
    let resolved = own.and_then(|own| own.canonicalize().ok());
    let beside = [own, resolved.as_deref()].into_iter().flatten().filter_map(|own| own.parent());
    let mut folders: Vec<PathBuf> = beside.map(Path::to_path_buf).collect();
    folders.extend(path.into_iter().flat_map(std::env::split_paths).filter(|folder| folder.is_absolute()));
    folders.dedup();
    folders.into_iter().map(|folder| folder.join(file_name(DAEMON))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_variable_goes_before_the_neighbour_and_the_neighbour_before_the_path() {
        let dir = tempfile::tempdir().expect("a folder");
        let (beside, in_path) = (dir.path().join("a"), dir.path().join("b"));
        for folder in [&beside, &in_path] {
            std::fs::create_dir(folder).expect("created");
            std::fs::write(folder.join(file_name(DAEMON)), "").expect("written");
        }
        let find = |variable: Option<&str>, own: &Path| {
            let env = |name: &str| match name {
                "PATH" => Some(in_path.clone().into_os_string()),
                DAEMON_PROGRAM_VAR => variable.map(Into::into),
                _ => None,
            };
            Program::find(&env, Some(own)).path
        };
        let own = beside.join("hob");
        assert_eq!(find(Some("/opt/hobd"), &own), Some("/opt/hobd".into()));
        assert_eq!(find(None, &own), Some(beside.join(file_name(DAEMON))));
        assert_eq!(find(None, &dir.path().join("hob")), Some(in_path.join(file_name(DAEMON))));
    }

    #[test]
    fn a_missing_program_says_where_it_was_looked_for() {
        let found = Program::find(&|_| None, Some(Path::new("/nowhere/at/all/hob")));
        assert_eq!(found.path, None);
        assert_eq!(found.looked, [Path::new("/nowhere/at/all").join(file_name(DAEMON))]);
    }
}
