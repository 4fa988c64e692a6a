//! From a file to a running server: which kind serves it, whether its program is there and may run, and the pool.

use std::collections::{BTreeMap, HashMap};
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use hob_base::{AbsPath, CancelToken, Stopped, WsPath};

use crate::catalogue;
use crate::documents::{FileChange, ReadText};
use crate::find::{Finder, Found, Reject, Rejected, Search};
use crate::instance::{Instance, Launch};
use crate::pool::{InstanceKey, Pool, PoolError, PoolOptions, ServerStatus};
use crate::process::{Guard, ServerCommand};
use crate::rpc::CallError;
use crate::spec::{Circumstances, ServerSpec};

/// How long it is believed what a program printed about the machine: where an interpreter or a toolchain is.
const BELIEVED_FOR: Duration = Duration::from_secs(60);

/// Where package managers put the programs of what they install into a folder.
const INSTALLED: &[&str] = &["bin", "Scripts", "node_modules/.bin"];

/// Where projects keep programs of their own.
const BROUGHT_ALONG: &[&str] = match cfg!(windows) {
    true => &["node_modules/.bin", ".venv/Scripts", "venv/Scripts"],
    false => &["node_modules/.bin", ".venv/bin", "venv/bin"],
};

/// What the live layer is told about its surroundings.
#[derive(Clone, Debug, Default)]
pub struct LiveOptions {
    /// How to run servers so that they cannot outlive the daemon.
    pub guard: Option<Guard>,
    /// The folder where hob installs servers, each into one of its own name; they come before the user's search path.
    pub own: Option<PathBuf>,
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

/// What was found when a server was looked for.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Looked {
    /// Its program, and the command that it is part of.
    pub found: Option<(Found, &'static [&'static str])>,
    /// What was found on the way and is of no use.
    pub rejected: Vec<Rejected>,
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
    /// What is installed runs only in a trusted project, which this one is not.
    #[error("{server} runs only if the project `{root}` is trusted")]
    Untrusted {
        /// The one most wanted of those that trust would let run.
        server: &'static str,
        /// The project.
        root: AbsPath,
        /// How to get one that needs no trust.
        install: &'static str,
        /// What was found, and why it may not run.
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

/// A program and the arguments it was given.
type Asked = (PathBuf, Vec<String>);

/// The live layer of one daemon.
#[derive(Debug)]
pub struct Live {
    pool: Arc<Pool>,
    finder: Finder,
    /// What programs printed when [`Live::run`] asked them; calls ask again and again.
    asked: Mutex<HashMap<Asked, (Instant, Option<String>)>>,
    options: LiveOptions,
}

impl Live {
    /// No servers yet.
    #[must_use]
    pub fn new(options: LiveOptions) -> Self {
        let pool = Pool::new(options.guard.clone(), options.pool);
        Self { pool, finder: Finder::default(), asked: Mutex::default(), options }
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
        self.stop_other_forms(&launch);
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
    /// [`LiveError::NoSuchLanguage`], [`LiveError::NotInstalled`] and [`LiveError::Untrusted`].
    pub fn launch(&self, project: &Project, file_name: &str) -> Result<(Launch, Found), LiveError> {
        let mut rejected = Vec::new();
        let mut untrusted = None;
        for spec in catalogue::for_file(file_name) {
            match self.find(spec, project) {
                Ok((found, command)) => return Ok((self.describe(spec, project, &found, command), found)),
                Err(found) if found.iter().any(|it| it.why.is_of_trust()) => {
                    untrusted = untrusted.or(Some(spec.name));
                    rejected.extend(found);
                }
                Err(found) => rejected.extend(found),
            }
        }
        let Some(first) = catalogue::for_file(file_name).next() else {
            return Err(LiveError::NoSuchLanguage { file: file_name.to_owned() });
        };
        let (server, install, root) = (first.name, first.install_hint, project.root.clone());
        match untrusted {
            Some(server) => Err(LiveError::Untrusted { server, root, install, rejected }),
            None => Err(LiveError::NotInstalled { server, install, rejected }),
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
        let Looked { found, rejected } = self.look(spec, project);
        found.ok_or(rejected)
    }

    /// As [`Live::find`], with what was rejected also if something was found.
    #[must_use]
    pub fn look(&self, spec: &ServerSpec, project: &Project) -> Looked {
        let search = self.search(project, self.own_folder(spec.name));
        let mut looked = Looked::default();
        for command in spec.commands {
            match self.finder.find(command[0], (spec.version_args, spec.least_version), &search) {
                Ok((found, rejected)) => {
                    looked.rejected.extend(rejected);
                    let Some(why) = spec.needs_trust.filter(|_| !project.trusted) else {
                        looked.found = Some((found, command));
                        return looked;
                    };
                    looked.rejected.push(Rejected { program: found.program, why: Reject::NeedsTrust(why) });
                }
                Err(rejected) => looked.rejected.extend(rejected),
            }
        }
        looked
    }

    /// Where hob installs a server; `None` if it installs none.
    #[must_use]
    pub fn own_folder(&self, server: &str) -> Option<PathBuf> {
        self.options.own.as_ref().map(|own| own.join(server))
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

    /// The servers that the project had before the user trusted it, or ceased to, are not wanted any more.
    fn stop_other_forms(&self, launch: &Launch) {
        self.pool.stop_others(&InstanceKey::of(launch));
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

    fn search(&self, project: &Project, own: Option<PathBuf>) -> Search {
        let path = self.options.env.iter().find(|(name, _)| name.eq_ignore_ascii_case("PATH"));
        let on_path = path.map(|(_, value)| std::env::split_paths(value).collect::<Vec<_>>());
        let brought = BROUGHT_ALONG.iter().map(|folder| project.root.as_path().join(folder));
        let others = own.iter().flat_map(|own| INSTALLED.iter().map(|folder| own.join(folder)));
        let others = others.chain(on_path.unwrap_or_default());
        // What may not run is still looked for, to be able to say that trust would help.
        let folders = match project.trusted {
            true => brought.chain(others).collect(),
            false => others.chain(brought).collect(),
        };
        let never_below = (!project.trusted).then(|| project.root.clone());
        Search { folders, env: self.options.env.clone(), never_below }
    }

    /// What a program prints, run outside of the project.
    fn run(&self, program: &str, args: &[&str], project: &Project) -> Option<String> {
        let (found, _) = self.finder.find(program, (&[], 0), &self.search(project, None)).ok()?;
        let question = (found.program, args.iter().map(ToString::to_string).collect::<Vec<_>>());
        let known = self.asked.lock().unwrap_or_else(PoisonError::into_inner).get(&question).cloned();
        if let Some((at, answer)) = known
            && at.elapsed() < BELIEVED_FOR
        {
            return answer;
        }
        let answer = output_of(&question.0, args, &self.options.env);
        let mut asked = self.asked.lock().unwrap_or_else(PoisonError::into_inner);
        asked.insert(question, (Instant::now(), answer.clone()));
        answer
    }
}

impl Drop for Live {
    fn drop(&mut self) {
        self.close();
    }
}

fn output_of(program: &Path, args: &[&str], env: &[(OsString, OsString)]) -> Option<String> {
    let mut command = Command::new(program);
    command.args(args).env_clear().envs(env.iter().cloned());
    command.current_dir(std::env::temp_dir()).stdin(Stdio::null());
    let output = command.output().ok().filter(|output| output.status.success())?;
    String::from_utf8(output.stdout).ok()
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
