//! From a file to a running server: which kind serves it, whether its program is there and may run, and the pool.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::sync::Arc;

use hob_base::{AbsPath, CancelToken, Stopped, WsPath};

use crate::catalogue;
use crate::documents::{FileChange, ReadText};
use crate::find::{Finder, Found, Rejected, Search};
use crate::instance::{Instance, Launch};
use crate::pool::{Pool, PoolError, PoolOptions, ServerStatus};
use crate::process::{Guard, ServerCommand};
use crate::rpc::CallError;
use crate::spec::{Circumstances, ServerSpec};

/// What the live layer is told about its surroundings.
#[derive(Clone, Debug, Default)]
pub struct LiveOptions {
    /// How to run servers so that they cannot outlive the daemon.
    pub guard: Option<Guard>,
    /// Folders of programs that hob itself installed; they come before the user's search path.
    pub own_folders: Vec<PathBuf>,
    /// What servers are started with; see [`crate::process::scrubbed_environment`].
    pub env: Vec<(OsString, OsString)>,
    /// See [`PoolOptions`].
    pub pool: PoolOptions,
}

/// A project as the live layer sees it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Project {
    /// Its folder.
    pub root: AbsPath,
    /// Whether the user trusts it: see the catalogue's `restricted`.
    pub trusted: bool,
}

/// Why a question has no answer.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum LiveError {
    /// No kind of server is known for such files.
    #[error("no language server is known for `{file}`")]
    NoSuchLanguage {
        /// The file's name.
        file: String,
    },
    /// Kinds are known, and none is installed.
    #[error("{server} was not found on the search path")]
    NotInstalled {
        /// The one most wanted.
        server: &'static str,
        /// How to get it.
        install: &'static str,
        /// What was found and is of no use.
        rejected: Vec<Rejected>,
    },
    /// It failed again and again.
    #[error("{server} failed repeatedly: {why}")]
    Failed {
        /// Which.
        server: &'static str,
        /// The last failure.
        why: String,
        /// The last lines of its standard error.
        stderr: Vec<String>,
    },
    /// The server cannot answer such questions.
    #[error("{server} cannot answer `{question}`")]
    Unsupported {
        /// Which.
        server: &'static str,
        /// The question, as the protocol calls it.
        question: &'static str,
    },
    /// The file that the question is about cannot be read.
    #[error("`{0}` cannot be read as text")]
    Unreadable(WsPath),
    /// The server answered with an error.
    #[error("{server}: {error}")]
    Refused {
        /// Which.
        server: &'static str,
        /// What it said, or what does not make sense about it.
        error: CallError,
    },
    /// Out of time, or nobody waits any more.
    #[error("{server}: {stopped}")]
    Stopped {
        /// Which.
        server: &'static str,
        /// Why.
        stopped: Stopped,
    },
    /// The daemon is ending.
    #[error("the daemon is ending")]
    Closing,
}

/// The live layer of one daemon.
#[derive(Debug)]
pub struct Live {
    pool: Arc<Pool>,
    finder: Finder,
    options: LiveOptions,
}

impl Live {
    /// No servers yet.
    #[must_use]
    pub fn new(options: LiveOptions) -> Self {
        let pool = Pool::new(options.guard.clone(), options.pool);
        Self { pool, finder: Finder::default(), options }
    }

    /// Asks the server of `path` something; if the server dies of it or under it, a new one is asked once more.
    ///
    /// # Errors
    /// [`LiveError`].
    pub fn ask<T>(
        &self,
        project: &Project,
        path: &WsPath,
        cancel: &CancelToken,
        question: impl Fn(&Instance) -> Result<T, LiveError>,
    ) -> Result<T, LiveError> {
        let (launch, _) = self.launch(project, path.file_name())?;
        let server = launch.spec.name;
        let mut again = true;
        loop {
            let instance = self.pool.get(&launch, cancel).map_err(|error| of_pool(server, error))?;
            match question(&instance) {
                Err(LiveError::Refused { error: CallError::Closed(why), .. }) if again => {
                    tracing::debug!(server, why, "asking again: the server went away under the question");
                    again = false;
                }
                outcome => return outcome,
            }
        }
    }

    /// How the server for files of this name would be started, and which program it is.
    ///
    /// # Errors
    /// [`LiveError::NoSuchLanguage`] and [`LiveError::NotInstalled`].
    pub fn launch(&self, project: &Project, file_name: &str) -> Result<(Launch, Found), LiveError> {
        let mut rejected = Vec::new();
        for spec in catalogue::for_file(file_name) {
            match self.find(spec, project) {
                Ok((found, command)) => return Ok((self.describe(spec, project, &found, command), found)),
                Err(found) => rejected.extend(found),
            }
        }
        match catalogue::for_file(file_name).next() {
            None => Err(LiveError::NoSuchLanguage { file: file_name.to_owned() }),
            Some(spec) => {
                Err(LiveError::NotInstalled { server: spec.name, install: spec.install_hint, rejected })
            }
        }
    }

    /// The program of a kind of server, and the command that it is part of.
    ///
    /// # Errors
    /// What was found and is of no use.
    pub fn find(
        &self,
        spec: &ServerSpec,
        project: &Project,
    ) -> Result<(Found, &'static [&'static str]), Vec<Rejected>> {
        let search = self.search(project);
        let mut rejected = Vec::new();
        for command in spec.commands {
            match self.finder.find(command[0], (spec.version_args, spec.least_version), &search) {
                Ok((found, _)) => return Ok((found, command)),
                Err(found) => rejected.extend(found),
            }
        }
        Err(rejected)
    }

    /// Tells the running servers of a project what changed on disk.
    pub fn take_in(&self, root: &AbsPath, changes: &BTreeMap<WsPath, FileChange>, read: ReadText<'_>) {
        self.pool.take_in(root, changes, read);
    }

    /// Whether any server of a project runs or is starting: if not, changes need not be told to anybody.
    #[must_use]
    pub fn is_used(&self, root: &AbsPath) -> bool {
        self.pool.is_used(root)
    }

    /// Whether any server of any project runs or is starting.
    #[must_use]
    pub fn is_any_running(&self) -> bool {
        self.pool.is_any_running()
    }

    /// Stops the servers of a project; the next question starts them again.
    pub fn stop_all_of(&self, root: &AbsPath) {
        self.pool.stop_aside(|key| key.root == *root);
    }

    /// What runs, for people.
    #[must_use]
    pub fn status(&self) -> Vec<ServerStatus> {
        self.pool.status()
    }

    /// The servers themselves: for budgets and tests.
    #[must_use]
    pub fn pool(&self) -> &Arc<Pool> {
        &self.pool
    }

    /// Stops every server, for good.
    pub fn close(&self) {
        self.pool.close();
    }

    fn describe(&self, spec: &Arc<ServerSpec>, project: &Project, found: &Found, command: &[&str]) -> Launch {
        let ask = |program: &str, args: &[&str]| self.run(program, args, project);
        let circumstances = Circumstances { trusted: project.trusted, ask: &ask };
        Launch {
            spec: Arc::clone(spec),
            command: ServerCommand {
                program: found.program.clone(),
                args: command[1..].iter().map(Into::into).collect(),
                env: self.options.env.clone(),
                cwd: project.root.as_path().to_path_buf(),
            },
            root: project.root.clone(),
            options: (spec.options)(&circumstances),
            settings: (spec.settings)(&circumstances),
        }
    }

    fn search(&self, project: &Project) -> Search {
        let path = self.options.env.iter().find(|(name, _)| name.eq_ignore_ascii_case("PATH"));
        let on_path = path.map(|(_, value)| std::env::split_paths(value).collect::<Vec<_>>());
        let mut folders = self.options.own_folders.clone();
        folders.extend(on_path.unwrap_or_default());
        let never_below = (!project.trusted).then(|| project.root.clone());
        Search { folders, env: self.options.env.clone(), never_below }
    }

    /// What a program prints, run outside of the project.
    fn run(&self, program: &str, args: &[&str], project: &Project) -> Option<String> {
        let (found, _) = self.finder.find(program, (&[], 0), &self.search(project)).ok()?;
        let mut command = Command::new(found.program);
        command.args(args).env_clear().envs(self.options.env.iter().cloned());
        command.current_dir(std::env::temp_dir()).stdin(Stdio::null());
        let output = command.output().ok().filter(|output| output.status.success())?;
        String::from_utf8(output.stdout).ok()
    }
}

impl Drop for Live {
    fn drop(&mut self) {
        self.close();
    }
}

fn of_pool(server: &'static str, error: PoolError) -> LiveError {
    match error {
        PoolError::GivenUp { why, stderr } => LiveError::Failed { server, why, stderr },
        PoolError::Stopped(stopped) => LiveError::Stopped { server, stopped },
        PoolError::Closing => LiveError::Closing,
    }
}

/// A failed call to a server, as a failed question.
pub(crate) fn of_call(server: &'static str, question: &'static str, error: CallError) -> LiveError {
    match error {
        CallError::Stopped(stopped) => LiveError::Stopped { server, stopped },
        error if error.is_unknown_method() => LiveError::Unsupported { server, question },
        error => LiveError::Refused { server, error },
    }
}
