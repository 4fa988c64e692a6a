//! Finds the server for a file: which kinds serve the file, whether their programs exist, and whether they may run.
//!
//! Every question needs this, and a look at each folder of the search path for each kind takes longer than many an
//! answer. So hob relies on its last choice for a moment, while the program's file stays the same; but before it
//! reports that a program is missing, it always looks again. Nothing here writes anything: that is left to
//! [`before_start`](crate::spec::ServerSpec::before_start).

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;
use std::time::Duration;

use hob_base::AbsPath;

use super::{Live, LiveError, LiveProject, STAMP};
use crate::asked::run_to_end;
use crate::catalogue;
use crate::find::{FoundProgram, ProgramIdentity, ProgramSearch, Reject, Rejected, program_identity};
use crate::keep;
use crate::lately::RecentValues;
use crate::preferences::{Preferences, ServerPreference, StatedPreference};
use crate::process::{ServerCommand, neutral_folder};
use crate::spec::{Environment, Launch, ServerCircumstances, ServerSpec};

/// Time for which hob relies on a program's output about the machine, such as the place of an interpreter or a
/// toolchain.
const BELIEVED_FOR: Duration = Duration::from_secs(60);

/// Longest time that a program may take to answer a question.
const ANSWERED_WITHIN: Duration = Duration::from_secs(10);

/// Time for which hob assumes that no preferred program has come to the search path.
const LOOKED_WITHIN: Duration = Duration::from_secs(1);

/// Folders into which package managers put programs, below an installation.
const INSTALLED: &[&str] = &["bin", "Scripts", "node_modules/.bin"];

/// Folders in which projects keep programs of their own.
const BROUGHT_ALONG: &[&str] = match cfg!(windows) {
    true => &["node_modules/.bin", ".venv/Scripts", "venv/Scripts"],
    false => &["node_modules/.bin", ".venv/bin", "venv/bin"],
};

/// The result of the search for a server's program.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct ServerLookup {
    /// The program, and the arguments that it is started with.
    pub found: Option<(FoundProgram, Vec<OsString>)>,
    /// Programs that were found before it and cannot be used, each with the reason.
    pub rejected: Vec<Rejected>,
}

/// Facts about the machine that hob has found out recently.
#[derive(Debug)]
pub(super) struct ServerLookupCache {
    chosen: RecentValues<Choice, ChosenServer>,
    /// The paths of the programs that [`Live::run`] asks, by name.
    programs: RecentValues<(AbsPath, bool, String), PathBuf>,
    /// The output of programs that hob asked, by program and arguments.
    asked: RecentValues<(PathBuf, Vec<String>), Option<String>>,
}

impl Default for ServerLookupCache {
    fn default() -> Self {
        Self {
            chosen: RecentValues::new(LOOKED_WITHIN),
            programs: RecentValues::new(LOOKED_WITHIN),
            asked: RecentValues::new(BELIEVED_FOR),
        }
    }
}

/// A project, whether it is trusted, and the names of the kinds of server to choose from.
type Choice = (AbsPath, bool, Vec<&'static str>);

/// The chosen kind of server, and its program.
#[derive(Clone, Debug)]
struct ChosenServer {
    preferences: Arc<Preferences>,
    spec: Arc<ServerSpec>,
    found: FoundProgram,
    args: Vec<OsString>,
    identity: ProgramIdentity,
}

impl Live {
    /// Returns the kinds of server that may serve files of this name, the preferred one first.
    ///
    /// # Errors
    /// [`LiveError::NoSuchLanguage`] and [`LiveError::SwitchedOff`].
    pub fn candidate_specs(
        project: &LiveProject,
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

    /// Finds the server for files of this name: the launch that starts it, and its program.
    ///
    /// # Errors
    /// [`LiveError::NoSuchLanguage`], [`LiveError::SwitchedOff`], [`LiveError::NotInstalled`] and [`LiveError::Untrusted`].
    pub fn find_launch(
        &self,
        project: &LiveProject,
        file_name: &str,
    ) -> Result<(Launch, FoundProgram), LiveError> {
        let wanted = Self::candidate_specs(project, file_name)?;
        let choice = (project.root.clone(), project.trusted, wanted.iter().map(|spec| spec.name).collect());
        let chosen = match self.chosen_lately(&choice, project) {
            Some(chosen) => chosen,
            None => {
                let chosen = self.choose_server(project, &wanted)?;
                self.known.chosen.insert_fresh(choice, chosen.clone());
                chosen
            }
        };
        Ok((self.describe_launch(&chosen.spec, project, &chosen.found, chosen.args), chosen.found))
    }

    fn chosen_lately(&self, choice: &Choice, project: &LiveProject) -> Option<ChosenServer> {
        let chosen = self.known.chosen.get(choice)?;
        if !project.trusted && (chosen.spec.needs_trust_in)(&project.root).is_some() {
            return None;
        }
        let same = Arc::ptr_eq(&chosen.preferences, &project.preferences)
            || chosen.preferences == project.preferences;
        (same && program_identity(&chosen.found.program) == Some(chosen.identity.clone())).then_some(chosen)
    }

    /// Returns the first of `wanted` whose program exists and may run.
    fn choose_server(
        &self,
        project: &LiveProject,
        wanted: &[&Arc<ServerSpec>],
    ) -> Result<ChosenServer, LiveError> {
        let mut rejected = Vec::new();
        let mut untrusted = None;
        for spec in wanted {
            let looked = self.look_for_program(spec, project);
            if let Some((found, args)) = looked.found
                && let Some(identity) = program_identity(&found.program)
            {
                let (preferences, spec) = (Arc::clone(&project.preferences), Arc::clone(spec));
                return Ok(ChosenServer { preferences, spec, found, args, identity });
            }
            if looked.rejected.iter().any(|it| it.why.is_of_trust()) {
                untrusted = untrusted.or(Some(spec.name));
            }
            rejected.extend(looked.rejected);
        }
        // The list has one: otherwise there would have been an error.
        let first = wanted[0];
        let (server, install, root) = (first.name, first.install_hint, project.root.clone());
        match untrusted {
            Some(server) => Err(LiveError::Untrusted { server, root, install, rejected }),
            None => Err(LiveError::NotInstalled { server, install, rejected }),
        }
    }

    /// Finds the program of a kind of server, and the programs that were rejected before it.
    #[must_use]
    pub fn look_for_program(&self, spec: &ServerSpec, project: &LiveProject) -> ServerLookup {
        let wish = project.preferences.server_preference(spec.name);
        let mut looked = match wish.and_then(|wish| wish.command.as_ref()) {
            Some(command) => self.look_for_named(spec, project, command, &[]),
            None => self.look_for_known(spec, project),
        };
        if let (Some((_, args)), Some(wanted)) = (&mut looked.found, wish.and_then(|wish| wish.args.as_ref()))
        {
            *args = wanted.value.iter().map(Into::into).collect();
        }
        if !project.trusted
            && looked.found.is_some()
            && let Some(why) = spec.needs_trust.or_else(|| (spec.needs_trust_in)(&project.root))
            && let Some((found, _)) = looked.found.take()
        {
            looked.rejected.push(Rejected { program: found.program, why: Reject::NeedsTrust(why) });
        }
        looked
    }

    fn look_for_known(&self, spec: &ServerSpec, project: &LiveProject) -> ServerLookup {
        let search = self.search(project, Some(spec));
        let mut looked = ServerLookup::default();
        for command in spec.commands {
            match self.finder.find(command[0], spec.version_args, spec.least_version, &search) {
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

    /// Finds the program that the user's settings name. It is not asked for its version, because it may be anything,
    /// such as a script that starts the server elsewhere. A caller that wants it tried passes the arguments to ask it
    /// with.
    fn look_for_named(
        &self,
        spec: &ServerSpec,
        project: &LiveProject,
        command: &StatedPreference<String>,
        version_args: &[&str],
    ) -> ServerLookup {
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
        match self.finder.find(name, version_args, 0, &search) {
            Ok((found, rejected)) => {
                ServerLookup { found: Some((found, args.iter().map(Into::into).collect())), rejected }
            }
            Err(mut rejected) => {
                if rejected.is_empty() {
                    let why = format!("there is no such program, and {} names it", command.from);
                    rejected
                        .push(Rejected { program: command.value.clone().into(), why: Reject::Broken(why) });
                }
                ServerLookup { found: None, rejected }
            }
        }
    }

    /// Asks the program that the user's settings name for a kind of server for its version. Returns the program's
    /// fault, if there is a program and it has one.
    #[must_use]
    pub fn try_named(&self, spec: &ServerSpec, project: &LiveProject) -> Option<Rejected> {
        let command = project.preferences.server_preference(spec.name)?.command.as_ref()?;
        let looked = self.look_for_named(spec, project, command, spec.version_args);
        if looked.found.is_some() { None } else { looked.rejected.into_iter().next() }
    }

    /// Returns the folder into which hob installs a server; `None` if hob installs none.
    #[must_use]
    pub fn own_folder(&self, server: &str) -> Option<PathBuf> {
        self.options.own.as_ref().map(|own| own.join(server))
    }

    fn describe_launch(
        &self,
        spec: &Arc<ServerSpec>,
        project: &LiveProject,
        found: &FoundProgram,
        args: Vec<OsString>,
    ) -> Launch {
        let ask = |program: &str, args: &[&str]| self.run(program, args, project);
        let keep = self.options.keep.as_ref().map(|keep| keep::folder_for(keep, spec.name, &project.root));
        let circumstances = ServerCircumstances {
            trusted: project.trusted,
            root: &project.root,
            keep: keep.as_deref(),
            ask: &ask,
        };
        let known = ((spec.options)(&circumstances), (spec.settings)(&circumstances));
        let (options, settings) = match project.preferences.server_preference(spec.name) {
            Some(wish) => wish.laid_over(known, spec, project.trusted),
            None => known,
        };
        Launch {
            spec: Arc::clone(spec),
            command: ServerCommand {
                program: found.program.clone(),
                args,
                env: self.environment_of(
                    (spec.environment)(&circumstances),
                    project.preferences.server_preference(spec.name),
                ),
                cwd: project.root.as_path().to_path_buf(),
            },
            root: project.root.clone(),
            options,
            settings,
            keep,
        }
    }

    /// Returns the environment with which a server is started: the inherited variables, then the catalogue's, then
    /// the user's.
    fn environment_of(
        &self,
        known: Environment,
        wish: Option<&ServerPreference>,
    ) -> Vec<(OsString, OsString)> {
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

    /// Returns the folders that are searched for the programs of `spec`, or of any server.
    fn search(&self, project: &LiveProject, spec: Option<&ServerSpec>) -> ProgramSearch {
        let env = self.environment_of(
            Environment::new(),
            spec.and_then(|spec| project.preferences.server_preference(spec.name)),
        );
        let path = env.iter().find(|(name, _)| name.eq_ignore_ascii_case("PATH"));
        let on_path = path.map(|(_, value)| std::env::split_paths(value).collect::<Vec<_>>());
        let brought = BROUGHT_ALONG.iter().map(|folder| project.root.as_path().join(folder));
        let own = spec.and_then(|spec| self.own_folder(spec.name)).filter(|own| own.join(STAMP).is_file());
        let others = own.iter().flat_map(|own| INSTALLED.iter().map(|folder| own.join(folder)));
        let others = others.chain(on_path.unwrap_or_default());
        // Programs that may not run are searched for too, so that the error can say that trust would help.
        let folders = match project.trusted {
            true => brought.chain(others).collect(),
            false => others.chain(brought).collect(),
        };
        let never_below = (!project.trusted).then(|| project.root.clone());
        ProgramSearch { folders, env, never_below }
    }

    /// Runs a program outside of the project and returns its output.
    fn run(&self, program: &str, args: &[&str], project: &LiveProject) -> Option<String> {
        let found = self.program_path(program, project)?;
        let question = (found, args.iter().map(ToString::to_string).collect::<Vec<_>>());
        if let Some(answer) = self.known.asked.get(&question) {
            return answer;
        }
        let answer = output_of(&question.0, args, &self.options.env);
        self.known.asked.insert_fresh(question, answer.clone());
        answer
    }

    fn program_path(&self, name: &str, project: &LiveProject) -> Option<PathBuf> {
        let key = (project.root.clone(), project.trusted, name.to_owned());
        if let Some(known) =
            self.known.programs.get(&key).filter(|program| program_identity(program).is_some())
        {
            return Some(known);
        }
        let (found, _) = self.finder.find(name, &[], 0, &self.search(project, None)).ok()?;
        self.known.programs.insert_fresh(key, found.program.clone());
        Some(found.program)
    }
}

fn output_of(program: &Path, args: &[&str], env: &[(OsString, OsString)]) -> Option<String> {
    let mut command = Command::new(program);
    command.args(args).env_clear().envs(env.iter().cloned());
    command.current_dir(neutral_folder());
    let said = run_to_end(&mut command, ANSWERED_WITHIN).ok().filter(|said| said.status.success())?;
    String::from_utf8(said.stdout).ok()
}
