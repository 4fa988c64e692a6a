//! From a file to a running server: which kind serves it, whether its program is there and may run, and the pool.

use std::collections::{BTreeMap, HashMap};
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError, Weak};
use std::time::{Duration, Instant};

use hob_base::{AbsPath, CancelToken, Stopped, WsPath};

use crate::catalogue;
use crate::documents::{FileChange, ReadText};
use crate::find::{Finder, Found, Reject, Rejected, Search};
use crate::instance::{Instance, Launch};
use crate::keep;
use crate::pool::{InstanceKey, Pool, PoolError, PoolOptions, ServerStatus};
use crate::preferences::{Preferences, Said, ServerPreference};
use crate::process::{Guard, ServerCommand};
use crate::rpc::CallError;
use crate::spec::{Circumstances, Environment, ServerSpec};

/// How long it is believed what a program printed about the machine: where an interpreter or a toolchain is.
const BELIEVED_FOR: Duration = Duration::from_secs(60);

/// How often a call that waits for a server to end looks whether it was cancelled.
const LOOK_EVERY: Duration = Duration::from_millis(25);

/// Where package managers put the programs of what they install into a folder.
const INSTALLED: &[&str] = &["bin", "Scripts", "node_modules/.bin"];

/// A file in the folder of a server that hob installed. It is made last: without it the installation was not finished, and
/// nothing in the folder counts.
pub const STAMP: &str = "installed.hob";

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
    /// The folder for what servers keep of projects between their runs; see [`crate::keep`].
    pub keep: Option<PathBuf>,
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
    /// What the user wants of servers in it.
    pub preferences: Arc<Preferences>,
}

/// What was found when a server was looked for.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Looked {
    /// Its program, and the arguments that it is started with.
    pub found: Option<(Found, Vec<OsString>)>,
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
    /// Kinds are known, and the user wants none of them.
    #[error("language servers for `{language}` are switched off ({from})")]
    SwitchedOff {
        /// The protocol's identifier.
        language: &'static str,
        /// Where that is said.
        from: String,
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
    /// What was last known of a project: whether it is trusted, and what is wanted in it.
    settled: Mutex<HashMap<AbsPath, (bool, Arc<Preferences>)>>,
    /// Projects with servers that are being dismissed, and by how many.
    leaving: Mutex<HashMap<AbsPath, usize>>,
    left: Condvar,
    clients: Mutex<HashMap<Used, Vec<Weak<Client>>>>,
    options: LiveOptions,
}

/// One who asks for as long as it is connected; it goes with the connection.
#[derive(Debug, Default)]
pub struct Client(());

/// A kind of server in a project.
type Used = (&'static str, AbsPath);

impl Live {
    /// No servers yet.
    #[must_use]
    pub fn new(options: LiveOptions) -> Self {
        let pool = Pool::new(options.guard.clone(), options.pool);
        Self {
            pool,
            finder: Finder::default(),
            asked: Mutex::default(),
            settled: Mutex::default(),
            leaving: Mutex::default(),
            left: Condvar::new(),
            clients: Mutex::default(),
            options,
        }
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
        self.end_other_forms(&launch, cancel).map_err(|stopped| LiveError::Stopped { server, stopped })?;
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

    /// The kinds of server for files of this name that may be used, most wanted first.
    ///
    /// # Errors
    /// [`LiveError::NoSuchLanguage`] and [`LiveError::SwitchedOff`].
    pub fn candidates(
        project: &Project,
        file_name: &str,
    ) -> Result<Vec<&'static Arc<ServerSpec>>, LiveError> {
        let language = |spec: &ServerSpec| spec.language_of(file_name).unwrap_or_default();
        let off = |spec: &ServerSpec| project.preferences.switched_off(spec.name, language(spec));
        let all: Vec<_> = catalogue::for_file(file_name).collect();
        let Some(first) = all.first() else {
            return Err(LiveError::NoSuchLanguage { file: file_name.to_owned() });
        };
        let mut wanted: Vec<_> = all.iter().copied().filter(|spec| off(spec).is_none()).collect();
        if wanted.is_empty() {
            let from = off(first).map(|said| said.from.clone()).unwrap_or_default();
            return Err(LiveError::SwitchedOff { language: language(first), from });
        }
        wanted.sort_by_key(|spec| project.preferences.rank(spec.name, language(spec)));
        Ok(wanted)
    }

    /// How the server for files of this name would be started, and which program it is.
    ///
    /// # Errors
    /// [`LiveError::NoSuchLanguage`], [`LiveError::SwitchedOff`], [`LiveError::NotInstalled`] and [`LiveError::Untrusted`].
    pub fn launch(&self, project: &Project, file_name: &str) -> Result<(Launch, Found), LiveError> {
        let mut rejected = Vec::new();
        let mut untrusted = None;
        let wanted = Self::candidates(project, file_name)?;
        for spec in &wanted {
            let looked = self.look(spec, project);
            if let Some((found, args)) = looked.found {
                return Ok((self.describe(spec, project, (&found, args)), found));
            }
            if looked.rejected.iter().any(|it| it.why.is_of_trust()) {
                untrusted = untrusted.or(Some(spec.name));
            }
            rejected.extend(looked.rejected);
        }
        // There is one: else it would have been an error.
        let first = wanted[0];
        let (server, install, root) = (first.name, first.install_hint, project.root.clone());
        match untrusted {
            Some(server) => Err(LiveError::Untrusted { server, root, install, rejected }),
            None => Err(LiveError::NotInstalled { server, install, rejected }),
        }
    }

    /// The program of a kind of server, and what was rejected on the way to it.
    #[must_use]
    pub fn look(&self, spec: &ServerSpec, project: &Project) -> Looked {
        let wish = project.preferences.server(spec.name);
        let mut looked = match wish.and_then(|wish| wish.command.as_ref()) {
            Some(command) => self.look_for_named(spec, project, command),
            None => self.look_for_known(spec, project),
        };
        if let (Some((_, args)), Some(wanted)) = (&mut looked.found, wish.and_then(|wish| wish.args.as_ref()))
        {
            *args = wanted.value.iter().map(Into::into).collect();
        }
        if let Some(why) = spec.needs_trust.filter(|_| !project.trusted)
            && let Some((found, _)) = looked.found.take()
        {
            looked.rejected.push(Rejected { program: found.program, why: Reject::NeedsTrust(why) });
        }
        looked
    }

    fn look_for_known(&self, spec: &ServerSpec, project: &Project) -> Looked {
        let search = self.search(project, Some(spec));
        let mut looked = Looked::default();
        for command in spec.commands {
            match self.finder.find(command[0], (spec.version_args, spec.least_version), &search) {
                Ok((found, rejected)) => {
                    looked.rejected.extend(rejected);
                    looked.found = Some((found, command[1..].iter().map(Into::into).collect()));
                    return looked;
                }
                Err(rejected) => looked.rejected.extend(rejected),
            }
        }
        looked
    }

    /// The program that the user's settings name. It is not asked for its version: it may be anything, such as a script that
    /// starts the server elsewhere.
    fn look_for_named(&self, spec: &ServerSpec, project: &Project, command: &Said<String>) -> Looked {
        let mut search = self.search(project, Some(spec));
        let path = project.root.as_path().join(&command.value);
        let name = match (path.parent(), path.file_name().and_then(|name| name.to_str())) {
            (Some(folder), Some(name)) if command.value.contains(std::path::is_separator) => {
                search.folders = vec![folder.to_path_buf()];
                name
            }
            _ => command.value.as_str(),
        };
        let args = spec.commands.first().map_or(&[][..], |command| &command[1..]);
        match self.finder.find(name, (&[], 0), &search) {
            Ok((found, rejected)) => {
                Looked { found: Some((found, args.iter().map(Into::into).collect())), rejected }
            }
            Err(mut rejected) => {
                if rejected.is_empty() {
                    let why = format!("there is no such program, and {} names it", command.from);
                    rejected
                        .push(Rejected { program: command.value.clone().into(), why: Reject::Broken(why) });
                }
                Looked { found: None, rejected }
            }
        }
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

    /// Ends the servers of a project that nobody would be given any more, if what is wanted in it has changed since the last
    /// time; whoever asks next waits for their end.
    pub fn settle(&self, project: &Project) {
        let now = (project.trusted, Arc::clone(&project.preferences));
        let before = lock(&self.settled).insert(project.root.clone(), now.clone());
        let same = |before: &(bool, Arc<Preferences>)| {
            before.0 == now.0 && (Arc::ptr_eq(&before.1, &now.1) || before.1 == now.1)
        };
        if before.as_ref().is_none_or(same) {
            return;
        }
        let unwanted = |key: &InstanceKey| {
            let files = catalogue::by_name(key.server).map_or(&[][..], |spec| spec.files);
            let given = |ending: &str| self.launch(project, ending).ok().map(|(launch, _)| launch);
            !files
                .iter()
                .any(|(ending, _)| given(ending).is_some_and(|launch| InstanceKey::of(&launch) == *key))
        };
        let keys: Vec<_> = self.pool.keys(&project.root).into_iter().filter(unwanted).collect();
        self.dismiss(&project.root, &keys);
        if let Some(before) = before
            && self.pool.keys(&project.root).iter().any(|key| keys.contains(key))
        {
            // One was only starting: the next call looks again.
            lock(&self.settled).insert(project.root.clone(), before);
        }
    }

    /// Notes that a client was given an answer by a server.
    pub fn used_by(&self, server: &'static str, root: &AbsPath, client: &Arc<Client>) {
        let mut all = lock(&self.clients);
        let known = all.entry((server, root.clone())).or_default();
        known.retain(|other| other.strong_count() > 0);
        if !known.iter().any(|other| std::ptr::eq(other.as_ptr(), Arc::as_ptr(client))) {
            known.push(Arc::downgrade(client));
        }
    }

    /// How many of those that were given answers by a server are still connected.
    #[must_use]
    pub fn clients_of(&self, key: &InstanceKey) -> usize {
        let all = lock(&self.clients);
        let known = all.get(&(key.server, key.root.clone())).map_or(&[][..], Vec::as_slice);
        known.iter().filter(|client| client.strong_count() > 0).count()
    }

    /// Ends the servers of this kind and project that are of another form before the new one starts: two at once would take
    /// the memory of two, and the old one may do what the user does not want any more.
    fn end_other_forms(&self, launch: &Launch, cancel: &CancelToken) -> Result<(), Stopped> {
        let wanted = InstanceKey::of(launch);
        let other = |key: &InstanceKey| key.server == wanted.server && *key != wanted;
        let keys: Vec<_> = self.pool.keys(&wanted.root).into_iter().filter(other).collect();
        self.dismiss(&wanted.root, &keys);
        let mut leaving = lock(&self.leaving);
        while leaving.contains_key(&wanted.root) {
            cancel.check()?;
            leaving = self.left.wait_timeout(leaving, LOOK_EVERY).unwrap_or_else(PoisonError::into_inner).0;
        }
        Ok(())
    }

    fn dismiss(&self, root: &AbsPath, keys: &[InstanceKey]) {
        if keys.is_empty() {
            return;
        }
        *lock(&self.leaving).entry(root.clone()).or_default() += 1;
        for key in keys {
            tracing::info!(server = key.server, %root, "ending it: it is not wanted in this form any more");
            self.pool.dismiss(key);
        }
        let mut leaving = lock(&self.leaving);
        let last = leaving.get_mut(root).is_none_or(|count| {
            *count -= 1;
            *count == 0
        });
        if last {
            leaving.remove(root);
        }
        self.left.notify_all();
    }

    fn describe(
        &self,
        spec: &Arc<ServerSpec>,
        project: &Project,
        (found, args): (&Found, Vec<OsString>),
    ) -> Launch {
        let ask = |program: &str, args: &[&str]| self.run(program, args, project);
        let keep = self.options.keep.as_ref().map(|keep| keep::folder_for(keep, spec.name, &project.root));
        let circumstances =
            Circumstances { trusted: project.trusted, root: &project.root, keep: keep.as_deref(), ask: &ask };
        let known = ((spec.options)(&circumstances), (spec.settings)(&circumstances));
        let (options, settings) = match project.preferences.server(spec.name) {
            Some(wish) => wish.laid_over(known, (spec, project.trusted)),
            None => known,
        };
        Launch {
            spec: Arc::clone(spec),
            command: ServerCommand {
                program: found.program.clone(),
                args,
                env: self
                    .environment((spec.environment)(&circumstances), project.preferences.server(spec.name)),
                cwd: project.root.as_path().to_path_buf(),
            },
            root: project.root.clone(),
            options,
            settings,
            keep,
        }
    }

    /// What a server is started with.
    fn environment(&self, known: Environment, wish: Option<&ServerPreference>) -> Vec<(OsString, OsString)> {
        let mut env = self.options.env.clone();
        let known = known.into_iter().map(|(name, value)| (name.into(), value));
        let wished = wish.iter().flat_map(|wish| &wish.env);
        let wished = wished.map(|(name, said)| (OsString::from(name), said.value.clone().into()));
        for (name, value) in known.chain(wished) {
            env.retain(|(other, _)| *other != name);
            env.push((name, value));
        }
        env
    }

    /// Where to look for the programs of `spec`, or for any.
    fn search(&self, project: &Project, spec: Option<&ServerSpec>) -> Search {
        let env =
            self.environment(Environment::new(), spec.and_then(|spec| project.preferences.server(spec.name)));
        let path = env.iter().find(|(name, _)| name.eq_ignore_ascii_case("PATH"));
        let on_path = path.map(|(_, value)| std::env::split_paths(value).collect::<Vec<_>>());
        let brought = BROUGHT_ALONG.iter().map(|folder| project.root.as_path().join(folder));
        let own = spec.and_then(|spec| self.own_folder(spec.name)).filter(|own| own.join(STAMP).is_file());
        let others = own.iter().flat_map(|own| INSTALLED.iter().map(|folder| own.join(folder)));
        let others = others.chain(on_path.unwrap_or_default());
        // What may not run is still looked for, to be able to say that trust would help.
        let folders = match project.trusted {
            true => brought.chain(others).collect(),
            false => others.chain(brought).collect(),
        };
        let never_below = (!project.trusted).then(|| project.root.clone());
        Search { folders, env, never_below }
    }

    /// What a program prints, run outside of the project.
    fn run(&self, program: &str, args: &[&str], project: &Project) -> Option<String> {
        let (found, _) = self.finder.find(program, (&[], 0), &self.search(project, None)).ok()?;
        let question = (found.program, args.iter().map(ToString::to_string).collect::<Vec<_>>());
        let known = lock(&self.asked).get(&question).cloned();
        if let Some((at, answer)) = known
            && at.elapsed() < BELIEVED_FOR
        {
            return answer;
        }
        let answer = output_of(&question.0, args, &self.options.env);
        lock(&self.asked).insert(question, (Instant::now(), answer.clone()));
        answer
    }
}

impl Drop for Live {
    fn drop(&mut self) {
        self.close();
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    // Entries are replaced whole.
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
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
