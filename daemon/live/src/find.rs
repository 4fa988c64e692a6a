//! Finds a server's program, and checks that it runs: a file with the right name need not be a working program.
//!
//! A stand-in that only prints an error (a toolchain manager's proxy without its component, a script whose interpreter
//! is gone) hides the real program behind it on the search path. So hob asks each candidate for its version, once for
//! as long as its file stays the same.

use std::collections::HashMap;
use std::ffi::OsString;
use std::fs::Metadata;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, SystemTime};

use hob_base::AbsPath;

use crate::asked::run_to_end;
use crate::process::neutral_folder;

/// Longest time that a program may take to print its version.
const VERSION_WITHIN: Duration = Duration::from_secs(10);

/// A program that was found and runs.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FoundProgram {
    /// Path of the program's file.
    pub program: PathBuf,
    /// The version that the program prints; `None` if it prints none.
    pub version: Option<String>,
}

/// A file that was found and cannot be used.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Rejected {
    /// Path of the rejected file.
    pub program: PathBuf,
    /// The reason why the file cannot be used.
    pub why: Reject,
}

/// Why a file that was found cannot be used.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum Reject {
    /// It lies in the project, and the user does not trust the project.
    #[error("it belongs to the project, which is not trusted")]
    Untrusted,
    /// It would execute code of the project, and the user does not trust the project.
    #[error("it runs only in a trusted project: {0}")]
    NeedsTrust(&'static str),
    /// Its version is too low.
    #[error("it is {version}, and {least} is needed")]
    TooOld {
        /// The version that the program prints.
        version: String,
        /// The least major version.
        least: u32,
    },
    /// It exists and does not run.
    #[error("{0}")]
    Broken(String),
}

impl Reject {
    /// Returns true if the user could lift the rejection by trusting the project.
    #[must_use]
    pub fn is_of_trust(&self) -> bool {
        matches!(self, Self::Untrusted | Self::NeedsTrust(_))
    }
}

/// The folders that are searched for programs, and the limits of that search.
#[derive(Clone, Debug, Default)]
pub struct ProgramSearch {
    /// Folders in order of preference: hob's own before the user's `PATH`.
    pub folders: Vec<PathBuf>,
    /// The whole environment with which programs are started.
    pub env: Vec<(OsString, OsString)>,
    /// Programs below this folder are not started: programs of a project run only when the user trusts it.
    pub never_below: Option<AbsPath>,
}

/// The path, size and modification time of a program that was tried before.
pub(crate) type ProgramIdentity = (PathBuf, u64, Option<SystemTime>);

/// Most programs whose result is cached; beyond it, all are tried again. A program that is built again and again is a
/// new one each time.
const MOST_TRIED: usize = 512;

/// Caches which files are working programs.
#[derive(Debug, Default)]
pub struct Finder {
    tried: Mutex<HashMap<ProgramIdentity, Result<Option<String>, String>>>,
}

impl Finder {
    /// Returns the first program called `name` that runs, and the files that were rejected before it.
    ///
    /// # Errors
    /// All files that were found and rejected.
    pub fn find(
        &self,
        name: &str,
        version_args: &[&str],
        least: u32,
        search: &ProgramSearch,
    ) -> Result<(FoundProgram, Vec<Rejected>), Vec<Rejected>> {
        let mut rejected = Vec::new();
        for program in files_of_name(name, search) {
            match self.try_out(&program, version_args, search) {
                Ok(version)
                    if version.as_deref().and_then(major_version).is_some_and(|major| major < least) =>
                {
                    let why = Reject::TooOld { version: version.unwrap_or_default(), least };
                    rejected.push(Rejected { program, why });
                }
                Ok(version) => return Ok((FoundProgram { program, version }, rejected)),
                Err(why) => rejected.push(Rejected { program, why }),
            }
        }
        Err(rejected)
    }

    fn try_out(
        &self,
        program: &Path,
        version_args: &[&str],
        search: &ProgramSearch,
    ) -> Result<Option<String>, Reject> {
        if search.never_below.as_ref().is_some_and(|root| lies_below(program, root)) {
            return Err(Reject::Untrusted);
        }
        let identity = program_identity(program).ok_or_else(|| Reject::Broken("it is gone".to_owned()))?;
        let known = self.tried.lock().unwrap_or_else(PoisonError::into_inner).get(&identity).cloned();
        if let Some(known) = known {
            return known.map_err(Reject::Broken);
        }
        let outcome = ask_version(program, version_args, search);
        // A program that was moved away while it was tried may come back as it was, and would still be rejected.
        if program_identity(program).as_ref() == Some(&identity) {
            let mut tried = self.tried.lock().unwrap_or_else(PoisonError::into_inner);
            if tried.len() >= MOST_TRIED {
                tried.clear();
            }
            tried.insert(identity, outcome.clone());
        }
        outcome.map_err(Reject::Broken)
    }
}

/// Returns true if a program lies in a folder, by its name or by the target of a symbolic link. A link inside that
/// leads outside counts: whoever made it chose what runs.
fn lies_below(program: &Path, root: &AbsPath) -> bool {
    let real = |path: &Path| AbsPath::new(path.canonicalize().ok()?).ok();
    let below = |path: &Path| real(path).is_some_and(|real| real.as_path().starts_with(root.as_path()));
    below(program) || program.parent().is_some_and(below)
}

/// Returns the first number in a version text: 7 for `Version 7.0.2`.
fn major_version(version: &str) -> Option<u32> {
    let from = version.find(|c: char| c.is_ascii_digit())?;
    let digits = &version[from..];
    digits[..digits.find(|c: char| !c.is_ascii_digit()).unwrap_or(digits.len())].parse().ok()
}

fn files_of_name(name: &str, search: &ProgramSearch) -> Vec<PathBuf> {
    let mut hits: Vec<PathBuf> = Vec::new();
    for folder in search.folders.iter().filter(|folder| folder.is_absolute()) {
        let endings: &[&str] = if cfg!(windows) { &["exe", "cmd", "bat"] } else { &[""] };
        for ending in endings {
            // A name may have dots, and no part of it is an ending.
            let path =
                if ending.is_empty() { folder.join(name) } else { folder.join(format!("{name}.{ending}")) };
            if program_identity(&path).is_some() && !hits.contains(&path) {
                hits.push(path);
            }
        }
    }
    hits
}

/// Returns the identity of the program at `path`; `None` if there is no program.
pub(crate) fn program_identity(path: &Path) -> Option<ProgramIdentity> {
    let metadata = std::fs::metadata(path).ok().filter(is_program)?;
    Some((path.to_path_buf(), metadata.len(), metadata.modified().ok()))
}

#[cfg(unix)]
fn is_program(found: &Metadata) -> bool {
    use std::os::unix::fs::PermissionsExt as _;
    found.is_file() && found.permissions().mode() & 0o111 != 0
}

#[cfg(not(unix))]
fn is_program(found: &Metadata) -> bool {
    found.is_file()
}

/// Asks a program for its version. Without arguments to ask with, its existence has to be enough.
fn ask_version(program: &Path, args: &[&str], search: &ProgramSearch) -> Result<Option<String>, String> {
    if args.is_empty() {
        return Ok(None);
    }
    let mut command = Command::new(program);
    command.args(args).env_clear().envs(search.env.iter().cloned()).current_dir(neutral_folder());
    let output = run_to_end(&mut command, VERSION_WITHIN)?;
    let first = |bytes: &[u8]| {
        let text = String::from_utf8_lossy(bytes);
        text.lines().map(str::trim).find(|line| !line.is_empty()).map(|line| line.chars().take(200).collect())
    };
    if output.status.success() {
        return Ok(first(&output.stdout).or(first(&output.stderr)));
    }
    let ended = match output.status.code() {
        Some(code) => format!("exit code {code}"),
        None => output.status.to_string(),
    };
    let said: Option<String> = first(&output.stderr).or(first(&output.stdout));
    Err(said.map_or(ended.clone(), |said| format!("{said} ({ended})")))
}

#[cfg(all(test, unix))]
mod tests {
    use std::os::unix::fs::PermissionsExt as _;

    use super::*;

    fn write_script(folder: &Path, name: &str, body: &str) -> PathBuf {
        std::fs::create_dir_all(folder).expect("a folder");
        let path = folder.join(name);
        std::fs::write(&path, format!("#!/bin/sh\n{body}\n")).expect("written");
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).expect("set");
        path
    }

    fn search(folders: &[&Path]) -> ProgramSearch {
        ProgramSearch {
            folders: folders.iter().map(|folder| folder.to_path_buf()).collect(),
            ..ProgramSearch::default()
        }
    }

    #[test]
    fn a_stand_in_does_not_hide_the_program_behind_it() {
        let dir = tempfile::tempdir().expect("a folder");
        let (first, second) = (dir.path().join("1"), dir.path().join("2"));
        let proxy = write_script(&first, "server", "echo 'error: Unknown binary' >&2; exit 1");
        let real = write_script(&second, "server", "echo; echo server 1.2; exit 0");
        let finder = Finder::default();
        let (found, rejected) =
            finder.find("server", &["--version"], 0, &search(&[&first, &second])).expect("found");
        assert_eq!(found, FoundProgram { program: real, version: Some("server 1.2".to_owned()) });
        assert_eq!(
            rejected,
            [Rejected {
                program: proxy.clone(),
                why: Reject::Broken("error: Unknown binary (exit code 1)".to_owned())
            }]
        );
        let too_old =
            finder.find("server", &["--version"], 2, &search(&[&second])).expect_err("1 is less than 2");
        assert_eq!(too_old[0].why.to_string(), "it is server 1.2, and 2 is needed");
        // A repaired program is another file, and is tried again.
        write_script(&first, "server", "echo repaired");
        let (found, _) =
            finder.find("server", &["--version"], 0, &search(&[&first, &second])).expect("found");
        assert_eq!(found.program, proxy);
    }

    #[test]
    fn what_a_project_brings_along_is_not_run() {
        let dir = tempfile::tempdir().expect("a folder");
        let mark = dir.path().join("it-ran");
        let bin = dir.path().join("project/bin");
        write_script(&bin, "server", &format!("touch {}", mark.display()));
        std::os::unix::fs::symlink("/bin/sh", bin.join("leads-outside")).expect("a link");
        let mut untrusted = search(&[&bin]);
        let root = dir.path().join("project").canonicalize().expect("it is there");
        untrusted.never_below = Some(AbsPath::new(root).expect("absolute"));
        for name in ["server", "leads-outside"] {
            let rejected =
                Finder::default().find(name, &["--version"], 0, &untrusted).expect_err("not trusted");
            assert_eq!(rejected[0].why, Reject::Untrusted, "{rejected:?}");
        }
        assert!(!mark.exists());
    }

    #[test]
    fn folders_and_plain_files_are_no_programs() {
        let dir = tempfile::tempdir().expect("a folder");
        std::fs::create_dir(dir.path().join("server")).expect("a folder");
        std::fs::write(dir.path().join("other"), "text").expect("written");
        let finder = Finder::default();
        assert_eq!(finder.find("server", &[], 0, &search(&[dir.path()])), Err(vec![]));
        assert_eq!(finder.find("other", &[], 0, &search(&[dir.path(), Path::new("relative")])), Err(vec![]));
    }
}
