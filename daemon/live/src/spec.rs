//! Describes one kind of language server as data.
//!
//! A server's peculiarities are values here and decisions elsewhere: nothing outside the catalogue asks for a server by
//! name.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use hob_base::AbsPath;
use serde_json::Value;

use crate::process::ServerCommand;

/// The sign by which a server makes known that its answers are complete.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ReadySignal {
    /// It holds every answer until it is.
    Held,
    /// A progress report whose token, title or message contains this has ended, and none like it is under way.
    ProgressEnds(&'static str),
    /// It writes a log message that contains this.
    Logs(&'static str),
    /// Its status notification (`experimental/serverStatus`) says that nothing is under way.
    QuiescentStatus,
    /// It says nothing: an answer is believed once it comes twice.
    Settles,
}

/// The files that have to be open in a server before it answers questions about a file.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum OpenPolicy {
    /// Nothing; files are opened all the same where that is cheap.
    Never,
    /// The file that is asked about.
    AskedFile,
}

impl OpenPolicy {
    /// Returns true if the file asked about has to be open.
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
    /// As before, but new files have to be opened once as well.
    WatchedFilesAndOpenNew,
    /// Only by opening the file, and closing it again.
    OpenAndClose,
    /// Only by opening the file, and not closing it before it has given its verdict: what is closed unread, it never reads.
    /// Other open files it does not read again by itself. Changed markers make it begin anew, and so do changed files with one
    /// of these endings, which others include: what they mean to files that are not open it learns in no other way.
    OpenUntilRead(&'static [&'static str]),
    /// It watches the disk itself, late and not reliably. What is open it follows at once, so changed files are opened and stay
    /// so; for whatever else changed it is given a command, which it has carried out before it answers the next question.
    Command(Reread),
    /// By `workspace/didChangeWatchedFiles`, but a while passes until it has read the files again. What is open it follows at
    /// once, so changed files are opened and stay so.
    OpenAndKeep(Lags),
}

/// Longest times for which a server that was told of changes may answer as if nothing had happened.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Lags {
    /// Until it has read changed files again.
    pub read: Duration,
    /// Until it knows which files there are.
    pub listed: Duration,
}

/// A command that has a server read all of a project anew.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Reread {
    /// Name of the command, as the server registers it.
    pub command: &'static str,
    /// Arguments of the command, in order.
    pub arguments: &'static [&'static str],
    /// Endings of the files that it depends on beside those that the server serves.
    pub also: &'static [&'static str],
}

/// A command that says what is wrong with a file, for a server that says by itself only what is new.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Judges {
    /// Name of the command, as the server registers it.
    pub command: &'static str,
    /// Its first arguments, of which each asks for a part of what is wrong. The second is an object with the `file`.
    pub questions: &'static [&'static str],
}

/// The facts on which a server's options and settings depend.
pub struct Circumstances<'a> {
    /// True if the user trusts the project.
    pub trusted: bool,
    /// The root of the project.
    pub root: &'a AbsPath,
    /// A folder of hob's own for what a server of this kind keeps of this project between its runs, if there is to be one; it
    /// need not be there yet.
    pub keep: Option<&'a Path>,
    /// Runs a program that was found on the search path and gives what it prints; `None` if there is none or it fails.
    pub ask: &'a dyn Fn(&str, &[&str]) -> Option<String>,
}

/// Variables of a process.
pub type Environment = Vec<(&'static str, OsString)>;

/// The way in which hob installs a server into a folder of its own: a package manager and what it is to fetch.
/// Versions are pinned, so that the same command gives the same server.
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
    /// The `initializationOptions` that the server is given.
    pub options: Value,
    /// Answers to the server's `workspace/configuration`, by section.
    pub settings: Value,
    /// The server's cache directory for the project; see [`Circumstances::keep`].
    pub keep: Option<PathBuf>,
}

/// One kind of server.
#[derive(Clone, Debug)]
pub struct ServerSpec {
    /// Its name for users: `pyright`.
    pub name: &'static str,
    /// Endings of the files it serves, each with the language identifier of the protocol.
    pub files: &'static [(&'static str, &'static str)],
    /// Files that make a folder a project for it, most telling first.
    pub markers: &'static [&'static str],
    /// Commands that start it, most wanted first; the first word is looked up.
    pub commands: &'static [&'static [&'static str]],
    /// Arguments that make the command say its version and end, for telling a program from a stand-in.
    pub version_args: &'static [&'static str],
    /// The least major version that is a server; 0 for any.
    pub least_version: u32,
    /// A sentence that tells people how to get the server.
    pub install_hint: &'static str,
    /// The way in which hob itself can install the server; `None` if it cannot.
    pub install: Option<Install>,
    /// The sign that its answers are complete; see [`ReadySignal`].
    pub ready: ReadySignal,
    /// The files that have to be open in it; see [`OpenPolicy`].
    pub open: OpenPolicy,
    /// The way in which it learns of changes; see [`Announce`].
    pub announce: Announce,
    /// Configurations by file name, each of which makes a project of its own, where the server knows only the projects of files
    /// that are open; empty where it knows the whole folder.
    pub projects: &'static [&'static str],
    /// The command that asks for the diagnostics of a file, where the protocol's own request does not work and the
    /// diagnostics that the server pushes cannot be waited for.
    pub judges: Option<Judges>,
    /// Variables that it is started with, beside the machine's and before the user's.
    pub environment: fn(&Circumstances<'_>) -> Environment,
    /// Makes the `initializationOptions` that the server is started with.
    pub options: fn(&Circumstances<'_>) -> Value,
    /// Answers to `workspace/configuration`, by section; `null` for a section means "your own defaults".
    pub settings: fn(&Circumstances<'_>) -> Value,
    /// Where the settings are that its `initializationOptions` are a copy of, if they are: what users set there is given to it
    /// either way.
    pub section: Option<&'static str>,
    /// The user's settings below these keys count without trust as well, because nothing of a project is executed whatever they
    /// are. Others could undo the restricted form, and count only in trusted projects.
    pub harmless: &'static [&'static str],
    /// Without trust it runs in a form that executes nothing of the project; the text says what that costs. `None`: it has no
    /// such form and needs none, because it never executes anything of a project.
    pub restricted: Option<&'static str>,
    /// It has no form that executes nothing of the project, and so runs only with trust; the text says what it would execute.
    pub needs_trust: Option<&'static str>,
    /// The same where it depends on what lies in the project: why the restricted form is none for this one.
    pub needs_trust_in: fn(&AbsPath) -> Option<&'static str>,
    /// Exit codes after a proper shutdown that are no failure.
    pub clean_exit_codes: &'static [i32],
    /// Prepares for the server's start, right before it; this may change what is started.
    pub before_start: fn(&mut Launch),
    /// Advice for what the server says is wrong with it: a part of the server's words, and what to do.
    pub advice: &'static [(&'static str, &'static str)],
}

impl ServerSpec {
    /// The cautious values, which are assumed of a server that nobody has measured: everything is opened, and silence is not
    /// taken for readiness. Its name, files and commands are still to be filled in.
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

    /// Returns the advice for what the server says is wrong with it; `None` if there is none.
    #[must_use]
    pub fn advice_on(&self, complaint: &str) -> Option<&'static str> {
        self.advice.iter().find(|(part, _)| complaint.contains(part)).map(|(_, advice)| *advice)
    }

    /// The protocol's language identifier for a file name, if this server serves such files.
    #[must_use]
    pub fn language_of(&self, file_name: &str) -> Option<&'static str> {
        let ending = |ending: &str| {
            file_name.strip_suffix(ending).is_some_and(|stem| stem.ends_with('.') || ending == file_name)
        };
        self.files.iter().find(|(known, _)| ending(known)).map(|(_, language)| *language)
    }
}

/// For servers that need neither options nor settings.
#[must_use]
pub fn no_settings(_circumstances: &Circumstances<'_>) -> Value {
    Value::Null
}

/// For servers that need no variables.
#[must_use]
pub fn no_variables(_circumstances: &Circumstances<'_>) -> Environment {
    Environment::new()
}
