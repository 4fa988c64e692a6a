//! Reads the user's settings: one file of the user's own, and one in each project that the user trusts.
//!
//! hob reads both whenever they matter and parses them again after a change, so that nobody restarts
//! anything. It reports each mistake with its line, and the rest of the file counts. A project's file may
//! name programs, so nothing in it counts without trust; without trust hob does not even read it.
//!
//! Most of the settings are about language servers. The project's file overrides the user's settings for
//! every project, and the user's settings for that very project override both. Only the user's own file
//! decides whether clients may edit, and which language model may be asked.
//!
//! The user's own file also has the settings of the daemon itself (`daemon`); they count when the daemon
//! starts. `keys` is the one table of all keys, `report` makes the output of `hob config` from it.

mod commands;
mod daemon;
mod group;
mod keys;
mod memory;
mod model;
mod org;
mod parse;
mod report;
mod schema;
mod secret;

use std::collections::{BTreeMap, HashMap};
use std::fs::{File, Metadata};
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use hob_base::{AbsPath, ContentHash};
use hob_live::preferences::{Preferences, StatedPreference};
use serde_json::Value;

pub use daemon::{DaemonSettings, Environment};
use hob_base::lock;
use hob_model::ModelEndpoint;
use hob_org::OrgEndpoint;
pub use memory::MemoryBudget;
use parse::{Parsed, Problem, ProjectSettings, SettingsSource};
pub use report::{WORD as REPORT_WORD, answer_question as report};

/// The name of a project's own file.
const IN_PROJECT: &str = ".hob.toml";

/// Size of the largest file of settings, in bytes.
const LARGEST: u64 = 1 << 20;

/// The settings that are in force in one project at present.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct EffectiveSettings {
    /// The preferences for language servers.
    pub preferences: Arc<Preferences>,
    /// True if clients may edit, even if they were not started so.
    pub edits: bool,
    /// The place of that setting; empty if there is none.
    pub edits_from: String,
    /// The language model that may be asked, if the user named one.
    pub model: Option<Arc<ModelEndpoint>>,
    /// The settings of that model, key by key, as they are written.
    pub model_said: BTreeMap<String, StatedPreference<Value>>,
    /// The settings of the organisation's code search, key by key; empty if there are none.
    pub org_said: BTreeMap<String, StatedPreference<Value>>,
    /// The problems of the user's own file, each with its line.
    pub problems: Vec<String>,
    /// The problems of the project's file.
    pub project_problems: Vec<String>,
    /// True if the project has a file that does not count, because the project is not trusted.
    pub unheard: bool,
}

/// Most projects whose settings are cached; beyond it, the cache is cleared.
const MOST_PROJECTS: usize = 1_024;

/// The contents of a file of settings at the last reading, if there is one, or the reason why they cannot be
/// used.
type Read = Result<Option<String>, String>;

/// The inputs of an earlier answer: the hashes of the two files, and true if the project has a file that does not
/// count.
type Origin = (Option<ContentHash>, Option<ContentHash>, bool);

/// The files of settings.
#[derive(Debug, Default)]
pub struct Settings {
    file: Option<PathBuf>,
    home: Option<PathBuf>,
    known: Mutex<HashMap<AbsPath, (Origin, Arc<EffectiveSettings>)>>,
}

impl Settings {
    /// Creates the settings whose user's file is `file`; `home` is the folder that `~` means.
    #[must_use]
    pub fn in_file(file: PathBuf, home: Option<PathBuf>) -> Self {
        Self { file: Some(file), home, known: Mutex::default() }
    }

    /// Returns the settings that count in the project `root` now.
    pub fn in_force_for(&self, root: &AbsPath, trusted: bool) -> Arc<EffectiveSettings> {
        let own = self.file.as_deref().map_or(Ok(None), |file| read(file, true));
        let path = root.as_path().join(IN_PROJECT);
        let there = path.symlink_metadata().is_ok();
        let of_project = if trusted { read(&path, false) } else { Ok(None) };
        let hash = |read: &Read| match read {
            Ok(text) => text.as_ref().map(|text| ContentHash::of(text.as_bytes())),
            Err(why) => Some(ContentHash::of(why.as_bytes())),
        };
        let origin = (hash(&own), hash(&of_project), there && !trusted);
        if let Some((made_from, in_force)) = lock(&self.known).get(root)
            && *made_from == origin
        {
            return Arc::clone(in_force);
        }
        let made = Arc::new(self.make_in_force(root, own, of_project, there && !trusted));
        let mut known = lock(&self.known);
        if known.len() >= MOST_PROJECTS {
            known.clear();
        }
        known.insert(root.clone(), (origin, Arc::clone(&made)));
        made
    }

    /// Returns the problems of the user's own file.
    pub fn user_problems(&self) -> Vec<String> {
        let own = self.file.as_deref().map_or(Ok(None), |file| read(file, true));
        problem_texts(&self.parse_own_file(own).problems)
    }

    /// Returns the code search of the organisation, if the user's own file names one.
    pub fn org_endpoint(&self) -> Option<Arc<OrgEndpoint>> {
        let own = self.file.as_deref().map_or(Ok(None), |file| read(file, true));
        self.parse_own_file(own).org
    }

    /// Returns the folders that the user declares projects although they contain many, as they are written.
    pub fn wanted_roots(&self) -> Option<StatedPreference<Vec<String>>> {
        let own = self.file.as_deref().map_or(Ok(None), |file| read(file, true));
        self.parse_own_file(own).allow_roots
    }

    /// Returns the same folders as paths.
    pub fn allowed_roots(&self) -> Vec<PathBuf> {
        let said = self.wanted_roots().map(|said| said.value).unwrap_or_default();
        said.into_iter().map(PathBuf::from).collect()
    }

    /// Returns the settings of the daemon, by the user's own file as it is now and the environment, and the problems
    /// of the environment.
    #[must_use]
    pub fn daemon_settings(&self, environment: Environment<'_>) -> (DaemonSettings, Vec<String>) {
        let own = self.file.as_deref().map_or(Ok(None), |file| read(file, true));
        let (chosen, problems) = daemon::choose_values(&self.parse_own_file(own).daemon, environment);
        (DaemonSettings::from_choices(&chosen), problems)
    }

    fn parse_own_file(&self, own: Read) -> Parsed {
        let name = self.file.as_ref().map(|file| file.display().to_string()).unwrap_or_default();
        let mut own =
            parse_read(own, &SettingsSource { name: &name, home: self.home.as_deref(), is_users: true });
        own.problems.extend(self.file.as_deref().and_then(group::concern).map(Problem::of_all));
        own
    }

    fn make_in_force(&self, root: &AbsPath, own: Read, of_project: Read, unheard: bool) -> EffectiveSettings {
        let own = self.parse_own_file(own);
        let of_project =
            parse_read(of_project, &SettingsSource { name: IN_PROJECT, home: None, is_users: false });
        let ProjectSettings { mut preferences, mut edits } = own.base;
        preferences.overlay_with(&of_project.base.preferences);
        for (_, for_it) in wishes_about(root, own.workspaces) {
            preferences.overlay_with(&for_it.preferences);
            edits = for_it.edits.or(edits);
        }
        EffectiveSettings {
            preferences: Arc::new(preferences),
            edits: edits.as_ref().is_some_and(|said| said.value),
            edits_from: edits.map(|said| said.from).unwrap_or_default(),
            model: own.model,
            model_said: own.model_said,
            org_said: own.org_said,
            problems: problem_texts(&own.problems),
            project_problems: problem_texts(&of_project.problems),
            unheard,
        }
    }
}

/// Formats problems for users.
fn problem_texts(problems: &[Problem]) -> Vec<String> {
    problems.iter().map(ToString::to_string).collect()
}

fn parse_read(read: Read, source: &SettingsSource<'_>) -> Parsed {
    match read {
        Ok(Some(text)) => parse::parse(&text, source),
        Ok(None) => Parsed::default(),
        Err(why) => Parsed { problems: vec![Problem::of_all(why)], ..Parsed::default() },
    }
}

/// Returns the settings for single projects that apply to `root`, those for the outermost folder first.
fn wishes_about(
    root: &AbsPath,
    workspaces: Vec<(PathBuf, ProjectSettings)>,
) -> Vec<(PathBuf, ProjectSettings)> {
    let real = |path: &Path| path.canonicalize().unwrap_or_else(|_| path.to_path_buf());
    let root = real(root.as_path());
    let real_paths = workspaces.into_iter().map(|(path, wish)| (real(&path), wish));
    let mut about: Vec<_> = real_paths.filter(|(path, _)| root.starts_with(path)).collect();
    about.sort_by_key(|(path, _)| path.components().count());
    about
}

/// Reads the text of a file; `None` if there is no file. Only the user may be able to write the user's own
/// file.
fn read(path: &Path, private: bool) -> Read {
    let failed = |error: io::Error| format!("`{}` cannot be read: {error}", path.display());
    // The kind is checked before the file is opened: opening a pipe waits for a writer.
    match path.metadata() {
        Ok(metadata) if metadata.is_file() => {}
        Ok(_) => return Err(format!("`{}` is no file", path.display())),
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(failed(error)),
    }
    let file = File::open(path).map_err(failed)?;
    if private && !is_users(&file.metadata().map_err(failed)?) {
        let path = path.display();
        return Err(format!("`{path}` could have been written by another user, so nothing in it counts"));
    }
    let mut text = String::new();
    file.take(LARGEST + 1).read_to_string(&mut text).map_err(failed)?;
    match text.len() as u64 > LARGEST {
        true => Err(format!("`{}` is larger than {LARGEST} bytes", path.display())),
        false => Ok(Some(text)),
    }
}

#[cfg(unix)]
fn is_users(metadata: &Metadata) -> bool {
    use std::os::unix::fs::MetadataExt as _;
    let ours = [0, rustix::process::geteuid().as_raw()].contains(&metadata.uid());
    // The group may write: many systems give each user a group of one.
    ours && metadata.mode() & 0o002 == 0
}

#[cfg(not(unix))]
fn is_users(_metadata: &Metadata) -> bool {
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    struct TestPlaces {
        _temp: tempfile::TempDir,
        file: PathBuf,
        root: AbsPath,
    }

    fn test_places() -> TestPlaces {
        let temp = tempfile::tempdir().expect("a folder");
        let root = temp.path().join("project");
        std::fs::create_dir(&root).expect("a folder");
        let root = AbsPath::new(root).expect("absolute");
        TestPlaces { file: temp.path().join("config.toml"), root, _temp: temp }
    }

    fn ty_command(in_force: &EffectiveSettings) -> Option<(String, Vec<String>)> {
        let said = in_force.preferences.server_preference("ty")?.command.clone()?;
        Some((said.value, said.over))
    }

    #[test]
    fn the_user_alone_enables_edits_for_all_projects_or_for_one() {
        let TestPlaces { _temp, file, root } = test_places();
        let settings = Settings::in_file(file.clone(), None);
        std::fs::write(root.as_path().join(IN_PROJECT), "edits = true\n").expect("it can be written");
        let now = settings.in_force_for(&root, true);
        assert!(!now.edits && now.project_problems[0].contains("`edits` is unknown"), "{now:?}");
        let said = |text: &str| {
            std::fs::write(&file, text).expect("it can be written");
            settings.in_force_for(&root, true).edits
        };
        assert!(said("edits = true\n"));
        let here = format!("[workspaces.'{root}']\n");
        assert!(!said(&format!("edits = true\n{here}edits = false\n")));
        assert!(said(&format!("{here}edits = true\n")));
        assert!(!said("[workspaces.'/elsewhere']\nedits = true\n"));
        assert!(!said("edits = 'yes'\n"));
    }

    #[test]
    fn the_nearest_word_counts_and_changes_are_seen() {
        let TestPlaces { _temp, file, root } = test_places();
        let settings = Settings::in_file(file.clone(), None);
        assert_eq!(*settings.in_force_for(&root, true), EffectiveSettings::default());
        let write = |path: &Path, text: &str| std::fs::write(path, text).expect("it can be written");
        let own = "[servers.ty]\ncommand = '/everywhere'\n";
        write(&file, own);
        assert_eq!(ty_command(&settings.in_force_for(&root, true)), Some(("/everywhere".to_owned(), vec![])));
        write(&root.as_path().join(IN_PROJECT), "[servers.ty]\ncommand = '/project'\n");
        let untrusted = settings.in_force_for(&root, false);
        assert_eq!(ty_command(&untrusted).map(|(program, _)| program).as_deref(), Some("/everywhere"));
        assert!(untrusted.unheard);
        let (program, over) = ty_command(&settings.in_force_for(&root, true)).expect("one is named");
        assert_eq!((program.as_str(), over), ("/project", vec![format!("{}:2", file.display())]));
        let section =
            |at: &Path, to: &str| format!("[workspaces.'{}'.servers.ty]\ncommand = '{to}'\n", at.display());
        let above = root.as_path().parent().expect("not the top");
        let here = section(root.as_path(), "/here");
        let elsewhere = section(&above.join("other"), "/elsewhere");
        write(&file, &format!("{own}{here}{elsewhere}{}", section(above, "/above")));
        let in_force = settings.in_force_for(&root, true);
        assert_eq!(
            ty_command(&in_force).map(|(program, over)| (program, over.len())),
            Some(("/here".to_owned(), 3))
        );
        assert!(Arc::ptr_eq(&in_force, &settings.in_force_for(&root, true)), "nothing has changed");
    }

    #[cfg(unix)]
    #[test]
    fn files_that_cannot_be_used_are_told_and_count_for_nothing() {
        use std::os::unix::fs::PermissionsExt as _;
        let TestPlaces { _temp, file, root } = test_places();
        let settings = Settings::in_file(file.clone(), None);
        std::fs::write(&file, "[servers.ty]\ncommand = 'x'\n").expect("it can be written");
        std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o666)).expect("ours");
        std::fs::create_dir(root.as_path().join(IN_PROJECT)).expect("a folder");
        let in_force = settings.in_force_for(&root, true);
        assert_eq!(ty_command(&in_force), None);
        assert!(in_force.problems[0].contains("another user"), "{in_force:?}");
        assert!(in_force.project_problems[0].contains("is no file"), "{in_force:?}");
        assert_eq!(settings.user_problems(), in_force.problems);
    }
}
