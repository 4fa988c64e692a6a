//! Answers `hob_servers`: lists the catalogue's servers for this project, and the commands that install them.
//!
//! This decides which commands an installation runs; the command line runs them, in the user's terminal.

use std::collections::{HashMap, HashSet};
use std::path::Path;
use std::sync::Arc;

use hob_live::catalogue;
use hob_live::live::{LiveProject, STAMP, ServerLookup};
use hob_live::preferences::{LanguagePreference, ServerPreference, StatedPreference};
use hob_live::spec::{Install, ServerSpec};
use hob_proto::tools::servers::{
    Family, ListedServer, Recipe, RecipeStep, ServersArgs, ServersResult, Setting,
};
use serde_json::{Value, json};

use super::{NeededIndex, ToolCall, ToolOutcome, to_data};
use hob_host::Workspace;
use hob_results::errors;

pub(super) fn servers(call: &mut ToolCall<'_>) -> ToolOutcome {
    let args: ServersArgs = call.parse_args()?;
    let workspace = call.workspace(NeededIndex::State)?;
    let place = ServersQuery {
        workspace: &workspace,
        project: workspace.project(),
        about: args.about.as_deref(),
        endings: count_endings(&workspace),
    };
    let all = catalogue::all_specs();
    let wanted = |family: &&[Arc<ServerSpec>]| {
        place.about.is_none_or(|about| family.iter().any(|spec| is_about(spec, about)))
    };
    let mut families = Vec::new();
    for specs in all.chunk_by(|a, b| a.files == b.files).filter(wanted) {
        call.cancel.check().map_err(|_| errors::cancelled())?;
        families.extend(place.language_families(specs));
    }
    if let Some(about) = place.about.filter(|_| families.is_empty()) {
        return Err(errors::unknown_server(about));
    }
    let settings = workspace.settings();
    to_data(&ServersResult {
        families,
        trusted: place.project.trusted,
        problems: [settings.problems.clone(), settings.project_problems.clone()].concat(),
        unheard: settings.unheard,
    })
}

fn is_about(spec: &ServerSpec, about: &str) -> bool {
    let about = about.trim_start_matches('.');
    let same = |word: &str| word.eq_ignore_ascii_case(about);
    same(spec.name) || spec.files.iter().any(|(ending, language)| same(ending) || same(language))
}

/// Servers in the user's order of preference, each with true if it may be used.
type ServerOrder<'s> = Vec<(&'s Arc<ServerSpec>, bool)>;

/// The project, and the server or language that the question is about.
struct ServersQuery<'p> {
    workspace: &'p Workspace,
    project: LiveProject,
    about: Option<&'p str>,
    /// Number of the project's files by ending.
    endings: HashMap<String, usize>,
}

/// Counts the files in the map by their endings.
fn count_endings(workspace: &Workspace) -> HashMap<String, usize> {
    let mut endings = HashMap::new();
    for (path, _) in workspace.map().picture_files() {
        if let Some((_, ending)) = path.as_str().rsplit_once('.') {
            *endings.entry(ending.to_owned()).or_default() += 1;
        }
    }
    endings
}

impl ServersQuery<'_> {
    /// Returns servers of the same files as families: languages for which the user prefers the same servers.
    fn language_families(&self, specs: &[Arc<ServerSpec>]) -> Vec<Family> {
        let mut families: Vec<(ServerOrder<'_>, Vec<String>)> = Vec::new();
        for (_, language) in specs.iter().flat_map(|spec| spec.files) {
            let order = self.order_for_language(specs, language);
            match families.iter_mut().find(|(known, _)| same_order(known, &order)) {
                Some((_, languages)) if languages.iter().any(|known| known == language) => {}
                Some((_, languages)) => languages.push((*language).to_owned()),
                None => families.push((order, vec![(*language).to_owned()])),
            }
        }
        families.into_iter().map(|(order, languages)| self.family_of(&order, languages)).collect()
    }

    /// Sorts the servers of a language by the user's preference, each with true if it may be used.
    fn order_for_language<'s>(&self, specs: &'s [Arc<ServerSpec>], language: &str) -> ServerOrder<'s> {
        let wishes = &self.project.preferences;
        let allowed = |spec: &ServerSpec| wishes.switched_off(spec.name, language).is_none();
        let mut order: Vec<_> = specs.iter().map(|spec| (spec, allowed(spec))).collect();
        order.sort_by_key(|(spec, _)| wishes.rank(spec.name, language));
        order
    }

    fn family_of(&self, order: &[(&Arc<ServerSpec>, bool)], languages: Vec<String>) -> Family {
        let mut used = false;
        let candidates = order.iter().map(|(spec, allowed)| self.server_candidate(spec, *allowed, &mut used));
        let candidates = candidates.collect();
        let wish = languages.first().and_then(|language| self.project.preferences.language(language));
        let settings = wish.map(|wish| of_language(&languages[0], wish)).unwrap_or_default();
        let of_family = order.iter().flat_map(|(spec, _)| spec.files);
        let endings: HashSet<&str> = of_family
            .filter(|(_, language)| languages.iter().any(|one| one == language))
            .map(|(ending, _)| *ending)
            .collect();
        let files = endings.iter().filter_map(|ending| self.endings.get(*ending)).sum();
        Family { languages, candidates, files, settings }
    }

    fn server_candidate(&self, spec: &Arc<ServerSpec>, allowed: bool, used: &mut bool) -> ListedServer {
        let live = self.workspace.live();
        let ServerLookup { found, rejected } = live.look_for_program(spec, &self.project);
        let state = match (&found, rejected.is_empty()) {
            _ if !allowed => "off",
            (Some(_), _) if *used => "spare",
            (Some(_), _) => "used",
            (None, false) => "rejected",
            (None, true) => "missing",
        };
        *used |= allowed && found.is_some();
        let found = found.map(|(found, _)| found);
        let wanted = self.about.is_some_and(|about| about.eq_ignore_ascii_case(spec.name));
        let own = live.own_folder(spec.name);
        let wish = self.project.preferences.server_preference(spec.name);
        ListedServer {
            name: spec.name.to_owned(),
            state: state.to_owned(),
            program: found.as_ref().map(|found| found.program.display().to_string()),
            version: found.and_then(|found| found.version),
            needs_trust: rejected.iter().any(|it| it.why.is_of_trust()),
            rejected: errors::unusable_programs(&rejected),
            settings: wish.map(|wish| of_server(wish, spec, self.project.trusted)).unwrap_or_default(),
            install: spec.install_hint.to_owned(),
            installable: spec.install.is_some() && own.is_some(),
            recipe: spec
                .install
                .zip(own)
                .filter(|_| wanted)
                .map(|(install, own)| install_recipe(install, &own)),
        }
    }
}

fn same_order(a: &[(&Arc<ServerSpec>, bool)], b: &[(&Arc<ServerSpec>, bool)]) -> bool {
    a.len() == b.len() && a.iter().zip(b).all(|(a, b)| Arc::ptr_eq(a.0, b.0) && a.1 == b.1)
}

fn setting_of<T>(key: String, said: &StatedPreference<T>, value: String) -> Setting {
    Setting { key, value, from: said.from.clone(), instead_of: said.over.clone(), ignored: None }
}

fn of_language(language: &str, wish: &LanguagePreference) -> Vec<Setting> {
    let key = |name: &str| format!("languages.{language}.{name}");
    let enabled = wish.enabled.iter().map(|said| setting_of(key("enabled"), said, said.value.to_string()));
    let servers =
        wish.servers.iter().map(|said| setting_of(key("servers"), said, json!(said.value).to_string()));
    enabled.chain(servers).collect()
}

/// Returns the user's settings for a server, including those that do not count without trust.
fn of_server(wish: &ServerPreference, spec: &ServerSpec, trusted: bool) -> Vec<Setting> {
    let mut all = Vec::new();
    all.extend(
        wish.enabled.iter().map(|said| setting_of("enabled".to_owned(), said, said.value.to_string())),
    );
    all.extend(wish.command.iter().map(|said| setting_of("command".to_owned(), said, said.value.clone())));
    all.extend(
        wish.args.iter().map(|said| setting_of("args".to_owned(), said, json!(said.value).to_string())),
    );
    all.extend(
        wish.env.iter().map(|(name, said)| setting_of(format!("env.{name}"), said, said.value.clone())),
    );
    let mut leaf = |part: &str, path: &[String], said: &StatedPreference<Value>, counts: bool| {
        let ignored = (!counts).then(|| "it counts only in a trusted project".to_owned());
        let one = setting_of(format!("{part}.{}", path.join(".")), said, said.value.to_string());
        all.push(Setting { ignored, ..one });
    };
    wish.options.iter().for_each(|(path, said)| leaf("initialization_options", path, said, trusted));
    for (path, said) in &wish.settings {
        leaf("settings", path, said, ServerPreference::is_effective(spec, trusted, path));
    }
    all
}

/// Returns the commands that install into `folder` and write nowhere else. Scripts of npm packages are not run.
fn install_recipe(install: Install, folder: &Path) -> Recipe {
    let (python, inside) = match cfg!(windows) {
        true => ("python", "Scripts/python.exe"),
        false => ("python3", "bin/python"),
    };
    let shown = folder.display().to_string();
    let step = |program: &str, args: &[&str], packages: &[&str]| RecipeStep {
        program: program.to_owned(),
        args: args.iter().chain(packages).map(ToString::to_string).collect(),
        env: Vec::new(),
    };
    let (needs, steps) = match install {
        Install::Npm(packages) => {
            let args = ["install", "--no-audit", "--no-fund", "--ignore-scripts", "--prefix", &shown];
            (
                "Node.js with npm (nodejs.org, or your system's package manager)",
                vec![step("npm", &args, packages)],
            )
        }
        Install::Pip(packages) => {
            let make = step(python, &["-m", "venv", &shown], &[]);
            let args = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check"];
            let fill = step(&folder.join(inside).display().to_string(), &args, packages);
            ("Python 3 with venv (python.org; on Debian the package python3-venv)", vec![make, fill])
        }
        Install::Cargo(package) => {
            let args = ["install", "--locked", "--root", &shown];
            ("Rust's cargo (rustup.rs)", vec![step("cargo", &args, &[package])])
        }
        Install::Go(package) => {
            let mut get = step("go", &["install"], &[package]);
            get.env.push(format!("GOBIN={}", folder.join("bin").display()));
            ("Go (go.dev)", vec![get])
        }
    };
    let stamp = folder.join(STAMP).display().to_string();
    Recipe { needs: needs.to_owned(), folder: shown, stamp, steps }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_recipe_is_pinned_and_names_its_folder() {
        let folder = Path::new("/hob/servers/x");
        for spec in catalogue::all_specs() {
            let Some(install) = spec.install else { continue };
            let recipe = install_recipe(install, folder);
            for step in &recipe.steps {
                let all = format!("{} {} {}", step.program, step.args.join(" "), step.env.join(" "));
                assert!(all.contains("/hob/servers/x"), "{}: {all}", spec.name);
            }
            let pins = match install {
                Install::Npm(packages) | Install::Pip(packages) => packages.to_vec(),
                Install::Cargo(package) | Install::Go(package) => vec![package],
            };
            for pin in pins {
                let version = pin.rsplit(['@', '=']).next().unwrap_or_default().trim_start_matches('v');
                assert!(version.starts_with(|c: char| c.is_ascii_digit()), "{}: {pin}", spec.name);
            }
        }
    }

    #[test]
    fn a_language_an_ending_and_a_server_all_find_their_family() {
        let about = |about: &str| {
            catalogue::all_specs()
                .iter()
                .filter(|spec| is_about(spec, about))
                .map(|spec| spec.name)
                .collect::<Vec<_>>()
        };
        assert_eq!(about("python"), about(".py"));
        assert!(about("python").contains(&"ty") && about("TY") == ["ty"]);
        assert!(about("klingon").is_empty());
    }
}
