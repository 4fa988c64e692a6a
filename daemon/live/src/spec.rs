//! Describes one kind of language server as data.
//!
//! A server's peculiarities are values here, and other modules act on the values: no code outside the catalogue asks
//! for a server by name.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use hob_base::AbsPath;
use serde_json::Value;

use crate::process::ServerCommand;

/// The signal by which a server shows that its answers are complete.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ReadySignal {
    /// The server holds every answer until the answer is complete.
    Held,
    /// A progress report whose token, title or message contains this text has ended, and no other such report is under
    /// way.
    ProgressEnds(&'static str),
    /// The server writes a log message that contains this text.
    Logs(&'static str),
    /// The server's status notification (`experimental/serverStatus`) says that nothing is under way.
    QuiescentStatus,
    /// The server gives no signal: an answer counts once it comes twice.
    Settles,
}

/// The files that have to be open in a server before it answers questions about them.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum OpenPolicy {
    /// None; hob opens files all the same where that is cheap.
    Never,
    /// The file that is asked about.
    AskedFile,
}

impl OpenPolicy {
    /// Returns true if the file of a question has to be open.
    #[must_use]
    pub fn wants_asked_file(self) -> bool {
        self == Self::AskedFile
    }
}

/// The way in which a server learns of a change on disk to a file that is not open in it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Announce {
    /// The server learns it by `workspace/didChangeWatchedFiles`.
    WatchedFiles,
    /// As `WatchedFiles`, but new files have to be opened once as well.
    WatchedFilesAndOpenNew,
    /// Only by a file's opening; hob closes the file at once.
    OpenAndClose,
    /// Only by a file's opening; hob closes the file after the server has pushed diagnostics of it, because the server
    /// never reads a file that is closed before. The server does not read other open files again by itself. hob
    /// restarts the server after changes of markers, and of files with one of these endings, which others include: in
    /// no other way does the server learn what these mean to files that are not open.
    OpenUntilRead(&'static [&'static str]),
    /// The server watches the disk itself, late and not reliably. It follows open files at once, so hob opens changed
    /// files and keeps them open. For other changes hob sends a command, which the server carries out before it answers
    /// the next question.
    Command(Reread),
    /// By `workspace/didChangeWatchedFiles`, but the server takes a while to read the files again. It follows open
    /// files at once, so hob opens changed files and keeps them open.
    OpenAndKeep(ServerLags),
}

/// Longest times for which a server may answer as if changes had not happened, after it was told of them.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ServerLags {
    /// Time until the server has read changed files again.
    pub read: Duration,
    /// Time until the server knows which files there are.
    pub listed: Duration,
}

/// A command that makes a server read a whole project anew.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Reread {
    /// Name of the command, as the server registers it.
    pub command: &'static str,
    /// Arguments of the command, in order.
    pub arguments: &'static [&'static str],
    /// Endings of further files on which the project depends, in addition to those that the server serves.
    pub also: &'static [&'static str],
}

/// A command for the diagnostics of a file, for a server that pushes only changes of them.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct DiagnosticsCommand {
    /// Name of the command, as the server registers it.
    pub command: &'static str,
    /// First arguments of the command; each asks for one kind of diagnostics. The second argument is an object with the
    /// `file`.
    pub questions: &'static [&'static str],
}

/// The facts on which a server's options and settings depend.
pub struct ServerCircumstances<'a> {
    /// True if the user trusts the project.
    pub trusted: bool,
    /// The root of the project.
    pub root: &'a AbsPath,
    /// The cache directory of a server of this kind for this project, in a folder of hob's own, if there is to be one;
    /// it need not exist yet.
    pub keep: Option<&'a Path>,
    /// Runs a program from the search path and returns its output; `None` if there is no such program or it fails.
    pub ask: &'a dyn Fn(&str, &[&str]) -> Option<String>,
}

/// Variables of a process.
pub type Environment = Vec<(&'static str, OsString)>;

/// The way in which hob installs a server into a folder of its own: a package manager and its packages. Versions are
/// pinned, so that the same command always installs the same server.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Install {
    /// `npm install`, with these packages as `name@version`.
    Npm(&'static [&'static str]),
    /// `pip install` into a virtual environment, with these packages as `name==version`.
    Pip(&'static [&'static str]),
    /// `cargo install --locked` of a crate as `name@version`.
    Cargo(&'static str),
    /// `go install` of a package as `path@version`.
    Go(&'static str),
}

/// Everything needed to start a server of one kind for one project.
#[derive(Clone, Debug)]
pub struct Launch {
    /// The kind of server.
    pub spec: Arc<ServerSpec>,
    /// The command that starts the server.
    pub command: ServerCommand,
    /// The root of the project.
    pub root: AbsPath,
    /// The `initializationOptions` for the server.
    pub options: Value,
    /// Answers to the server's `workspace/configuration`, by section.
    pub settings: Value,
    /// The server's cache directory for the project; see [`ServerCircumstances::keep`].
    pub keep: Option<PathBuf>,
}

/// One kind of server.
#[derive(Clone, Debug)]
pub struct ServerSpec {
    /// Its name for users: `pyright`.
    pub name: &'static str,
    /// Endings of the files that it serves, each with the language identifier of the protocol.
    pub files: &'static [(&'static str, &'static str)],
    /// Files that make a folder a project for it, the surest first.
    pub markers: &'static [&'static str],
    /// Commands that start it, the preferred one first; hob searches for the first word.
    pub commands: &'static [&'static [&'static str]],
    /// Arguments that make the command print its version and end, in order to tell a program from a stand-in.
    pub version_args: &'static [&'static str],
    /// The lowest major version that has a server; 0 for any.
    pub least_version: u32,
    /// A sentence that tells people how to get the server.
    pub install_hint: &'static str,
    /// The way in which hob itself can install the server; `None` if it cannot.
    pub install: Option<Install>,
    /// The sign that its answers are complete; see [`ReadySignal`].
    pub ready: ReadySignal,
    /// The files that have to be open in it.
    pub open: OpenPolicy,
    /// The way in which it learns of changes.
    pub announce: Announce,
    /// Names of configuration files, each of which makes a project of its own, for a server that knows only the
    /// projects of open files; empty for one that knows the whole folder.
    pub projects: &'static [&'static str],
    /// The command that asks for the diagnostics of a file, for a server that neither answers the protocol's own
    /// request nor reliably pushes diagnostics.
    pub judges: Option<DiagnosticsCommand>,
    /// Variables for the server, layered between the machine's and the user's.
    pub environment: fn(&ServerCircumstances<'_>) -> Environment,
    /// Makes the `initializationOptions` that the server is started with.
    pub options: fn(&ServerCircumstances<'_>) -> Value,
    /// Answers to `workspace/configuration`, by section; `null` for a section means "your own defaults".
    pub settings: fn(&ServerCircumstances<'_>) -> Value,
    /// The section of the settings that its `initializationOptions` copy, if any: the user's values in it reach the
    /// server either way.
    pub section: Option<&'static str>,
    /// Keys below which the user's settings count without trust as well, because no value makes the server execute
    /// anything of a project. Others could undo the restricted form, and count only in trusted projects.
    pub harmless: &'static [&'static str],
    /// The cost of the form that the server runs in without trust, and that executes nothing of the project. `None`:
    /// the server needs no such form, because it never executes anything of a project.
    pub restricted: Option<&'static str>,
    /// The code of the project that the server would execute, if it has no form without that, and so runs only with
    /// trust.
    pub needs_trust: Option<&'static str>,
    /// Returns the reason why the restricted form is not safe in a certain project, if there is one.
    pub needs_trust_in: fn(&AbsPath) -> Option<&'static str>,
    /// Exit codes after a proper shutdown that are no failure.
    pub clean_exit_codes: &'static [i32],
    /// Prepares for the server's start, right before it; this may change the launch.
    pub before_start: fn(&mut Launch),
    /// Advice on faults that the server reports: a part of the server's words, and the remedy.
    pub advice: &'static [(&'static str, &'static str)],
}

impl ServerSpec {
    /// Returns the cautious values for a server that nobody has measured: hob opens every file, and does not take
    /// silence for readiness. Name, files and commands are still to be filled in.
    #[must_use]
    pub fn cautious_defaults() -> Self {
        Self {
            name: "",
            files: &[],
            markers: &[],
            commands: &[],
            version_args: &[],
            least_version: 0,
            install_hint: "",
            install: None,
            ready: ReadySignal::Settles,
            open: OpenPolicy::AskedFile,
            announce: Announce::WatchedFilesAndOpenNew,
            projects: &[],
            judges: None,
            environment: no_variables,
            options: no_settings,
            settings: no_settings,
            section: None,
            harmless: &[],
            restricted: None,
            needs_trust: None,
            needs_trust_in: |_| None,
            clean_exit_codes: &[0],
            before_start: |_| {},
            advice: &[],
        }
    }

    /// Returns the advice on a fault that the server reports; `None` if there is none.
    #[must_use]
    pub fn advice_on(&self, complaint: &str) -> Option<&'static str> {
        self.advice.iter().find(|(part, _)| complaint.contains(part)).map(|(_, advice)| *advice)
    }

    /// Returns the protocol's language identifier for a file name, if this server serves such files.
    #[must_use]
    pub fn language_of(&self, file_name: &str) -> Option<&'static str> {
        let ending = |ending: &str| {
            file_name.strip_suffix(ending).is_some_and(|stem| stem.ends_with('.') || ending == file_name)
        };
        self.files.iter().find(|(known, _)| ending(known)).map(|(_, language)| *language)
    }
}

/// Returns no options and no settings, for servers that need none.
#[must_use]
pub fn no_settings(_circumstances: &ServerCircumstances<'_>) -> Value {
    Value::Null
}

/// Returns no variables, for servers that need none.
#[must_use]
pub fn no_variables(_circumstances: &ServerCircumstances<'_>) -> Environment {
    Environment::new()
}
