//! `hob_servers`: what the catalogue offers for this project, and the commands that install it.
//!
//! Here is decided what is run for an installation; running it is the command line's, in the terminal of whoever asked.

use std::path::Path;

use hob_live::catalogue;
use hob_live::live::{Looked, Project};
use hob_live::spec::{Install, ServerSpec};
use hob_proto::tools::servers::{Candidate, Family, Recipe, ServersArgs, ServersResult, Step};

use super::{Needs, Outcome, ToolCall, data};
use crate::host::Workspace;
use crate::to_proto::errors;

pub(super) fn servers(call: &mut ToolCall<'_>) -> Outcome {
    let args: ServersArgs = call.args()?;
    let workspace = call.workspace(Needs::State)?;
    let project = workspace.project();
    let all = catalogue::all();
    let wanted = |family: &&[std::sync::Arc<ServerSpec>]| {
        args.about.as_deref().is_none_or(|about| family.iter().any(|spec| is_about(spec, about)))
    };
    let mut families = Vec::new();
    for specs in all.chunk_by(|a, b| a.files == b.files).filter(wanted) {
        call.cancel.check().map_err(|_| errors::cancelled())?;
        families.push(family(specs, &workspace, (&project, args.about.as_deref())));
    }
    match args.about {
        Some(about) if families.is_empty() => Err(errors::unknown_server(&about)),
        _ => data(&ServersResult { families, trusted: project.trusted }),
    }
}

fn is_about(spec: &ServerSpec, about: &str) -> bool {
    let about = about.trim_start_matches('.');
    let same = |word: &str| word.eq_ignore_ascii_case(about);
    same(spec.name) || spec.files.iter().any(|(ending, language)| same(ending) || same(language))
}

fn family(
    specs: &[std::sync::Arc<ServerSpec>],
    workspace: &Workspace,
    (project, about): (&Project, Option<&str>),
) -> Family {
    let mut languages: Vec<String> = Vec::new();
    for (_, language) in specs.iter().flat_map(|spec| spec.files) {
        if !languages.iter().any(|known| known == language) {
            languages.push((*language).to_owned());
        }
    }
    let mut used = false;
    let candidate = |spec: &std::sync::Arc<ServerSpec>| {
        let Looked { found, rejected } = workspace.live().look(spec, project);
        let state = match (&found, rejected.is_empty()) {
            (Some(_), _) if used => "spare",
            (Some(_), _) => "used",
            (None, false) => "rejected",
            (None, true) => "missing",
        };
        used |= found.is_some();
        let found = found.map(|(found, _)| found);
        let own = workspace.live().own_folder(spec.name);
        let wanted = about.is_some_and(|about| about.eq_ignore_ascii_case(spec.name));
        Candidate {
            name: spec.name.to_owned(),
            state: state.to_owned(),
            program: found.as_ref().map(|found| found.program.display().to_string()),
            version: found.and_then(|found| found.version),
            rejected: errors::unusable(&rejected),
            install: spec.install_hint.to_owned(),
            recipe: spec.install.zip(own).filter(|_| wanted).map(|(install, own)| recipe(install, &own)),
        }
    };
    let candidates = specs.iter().map(candidate).collect();
    Family { languages, candidates }
}

/// The commands that install into `folder` and write to nothing else. Scripts of npm packages are not run.
fn recipe(install: Install, folder: &Path) -> Recipe {
    let (python, inside) = match cfg!(windows) {
        true => ("python", "Scripts/python.exe"),
        false => ("python3", "bin/python"),
    };
    let shown = folder.display().to_string();
    let step = |program: &str, args: &[&str], packages: &[&str]| Step {
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
    Recipe { needs: needs.to_owned(), folder: shown, steps }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_recipe_is_pinned_and_names_its_folder() {
        let folder = Path::new("/hob/servers/x");
        for spec in catalogue::all() {
            let Some(install) = spec.install else { continue };
            let recipe = recipe(install, folder);
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
            catalogue::all()
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
