//! Gathers files and folders by name and path, including files without a language in the map.

use std::collections::BTreeMap;

use hob_base::{FileId, WsPath};
use hob_map::graph::NodeInfo;
use hob_map::langs::Lang;
use hob_map::{Map, language_of};
use hob_proto::tools::entity::EntitySource;
use hob_text::ranked::terms_of;
use serde_json::Map as Object;

use super::gather::{Gathered, SubjectView, best_fit, uri};
use super::past::PastRevision;
use super::path_step;
use super::request::SubjectScope;
use hob_host::{CalledPath, Workspace};
use hob_words::entity::candidate::{Candidate, Traits};
use hob_words::entity::fit::{Fit, NameForms};
use hob_words::entity::subject::Subject;

/// Returns the candidate of a file; `info` is its node if the map has it.
pub(super) fn file(workspace: &Workspace, path: &str, info: Option<&NodeInfo>, fit: Fit) -> Candidate {
    let mut attributes = Object::new();
    attributes.insert("file".to_owned(), path.into());
    let name = path.rsplit('/').next().unwrap_or(path);
    Candidate {
        id: info.map_or_else(|| path.to_owned(), |info| info.id.to_string()),
        label: name.to_owned(),
        kind: "file".to_owned(),
        description: path.to_owned(),
        source: if info.is_some() { EntitySource::Map } else { EntitySource::Text },
        uri: uri(workspace, path, None),
        attributes,
        path: path.to_owned(),
        container: path.strip_suffix(name).unwrap_or_default().trim_end_matches('/').to_owned(),
        traits: Traits {
            is_exported: true,
            hub: info.map_or(0.0, |info| f64::from(info.score)),
            ..Traits::default()
        },
        fit,
        terms: Vec::new(),
    }
}

fn folder_candidate(workspace: &Workspace, path: &str, files: usize, fit: Fit) -> Candidate {
    let candidate = file(workspace, path, None, fit);
    let mut attributes = Object::new();
    attributes.insert("folder".to_owned(), path.into());
    attributes.insert("files".to_owned(), files.into());
    let description = format!("{path}/, {files} files");
    Candidate { id: format!("{path}/"), kind: "folder".to_owned(), attributes, description, ..candidate }
}

/// Returns the fit of a path: of the whole of it, its end, its last name, or that name without its ending; `None` if
/// it does not fit.
pub(super) fn fit_of_path(subject: &Subject, kind: &str, path: &str) -> Option<Fit> {
    let said = subject.text.trim_start_matches("./").trim_end_matches('/');
    let name = path.rsplit('/').next().unwrap_or(path);
    let is_end = said.len() > name.len()
        && path.len() > said.len()
        && path.ends_with(said)
        && path.as_bytes()[path.len() - said.len() - 1] == b'/';
    if said == path || is_end || (said == name && name.contains('.')) {
        return Some(Fit::VERY_NAME);
    }
    let stem = name.split_once('.').map_or(name, |(stem, _)| stem);
    let folder = path.strip_suffix(name).unwrap_or_default();
    let whole = NameForms { name, terms: terms_of(name), outer: terms_of(folder), path: Vec::new() };
    let short = NameForms { name: stem, terms: terms_of(stem), outer: terms_of(folder), path: Vec::new() };
    let whole = best_fit(subject, kind, &whole);
    // Without its ending, the name may mean the module or a symbol in it; if the subject says that it is a file, it
    // means the file.
    let said_so =
        subject.readings.iter().any(|reading| reading.kinds.is_some_and(|kinds| kinds.contains(&kind)));
    let worth = if said_so || kind == "folder" { 0.99 } else { 0.90 };
    let short = best_fit(subject, kind, &short).map(|fit| Fit { value: fit.value * worth, ..fit });
    whole.into_iter().chain(short).reduce(|a, b| if b.value > a.value { b } else { a })
}

/// The last parts of paths that are searched. Every path of a revision is compared with them, so most must be told
/// apart by their lengths alone.
struct WantedNames {
    names: Vec<String>,
    lengths: u64,
}

impl WantedNames {
    fn new(subject: &Subject) -> Self {
        let last = |name: String| {
            let name = name.trim_end_matches('/');
            name.rsplit('/').next().unwrap_or(name).to_owned()
        };
        let names: Vec<String> = subject.names_to_find().into_iter().map(last).collect();
        let lengths = names.iter().fold(0, |lengths, name| lengths | Self::length_bit(name));
        Self { names, lengths }
    }

    fn length_bit(name: &str) -> u64 {
        1 << (name.len() % 64)
    }

    fn is_called(&self, name: &str) -> bool {
        let stem = name.split_once('.').map_or(name, |(stem, _)| stem);
        [name, stem]
            .into_iter()
            .filter(|name| self.lengths & Self::length_bit(name) != 0)
            .any(|name| self.names.iter().any(|wanted| name.eq_ignore_ascii_case(wanted)))
    }
}

/// Gathers folders, and the files without a language in the map.
pub(super) fn by_path(view: &SubjectView<'_>, gathered: &mut Gathered) {
    if view.request.language.is_some() || matches!(view.realm, SubjectScope::Cluster(_)) {
        return;
    }
    let before = gathered.len();
    let wanted = WantedNames::new(&view.request.subject);
    let folders = match view.past {
        Some(past) => by_past_path(view, past, &wanted, gathered),
        None => by_present_path(view, &wanted, gathered),
    };
    for (path, files) in folders {
        if let Some(fit) = fit_of_path(&view.request.subject, "folder", &path) {
            gathered.add(folder_candidate(view.workspace, &path, files, fit));
        }
    }
    let found = gathered.len() - before;
    gathered.steps.push(path_step("generate", "files and folders", "text", format!("{found} candidates")));
}

/// Adds the present files with a wanted name, and returns the folders with a wanted name, each with the number of files
/// below it.
fn by_present_path(
    view: &SubjectView<'_>,
    wanted: &WantedNames,
    gathered: &mut Gathered,
) -> BTreeMap<String, usize> {
    let names = view.workspace.path_names();
    let map = view.workspace.map();
    let mut folders = BTreeMap::new();
    for called in wanted.names.iter().flat_map(|name| names.paths_called(name)) {
        match called {
            CalledPath::File(file, path) if wanted.is_called(path.file_name()) => {
                if view.admits_path(path.as_str()) && is_without_language(&map, file) {
                    add_file(view, path, gathered);
                }
            }
            CalledPath::Folder(folder) => {
                let last = folder.path.rsplit('/').next().unwrap_or(&folder.path);
                if wanted.is_called(last) && view.admits_path(&folder.path) {
                    folders.insert(folder.path.to_string(), folder.files);
                }
            }
            CalledPath::File(..) => {}
        }
    }
    folders
}

/// Adds the files of a revision with a wanted name, and returns the folders like [`by_present_path`].
fn by_past_path(
    view: &SubjectView<'_>,
    past: &PastRevision,
    wanted: &WantedNames,
    gathered: &mut Gathered,
) -> BTreeMap<String, usize> {
    let is_known =
        |path: &WsPath| language_of(path.file_name(), &[]).is_some_and(|lang| lang != Lang::Manifest);
    let mut folders: BTreeMap<String, usize> = BTreeMap::new();
    let mut last_folder = (String::new(), Vec::new());
    for path in past.files.iter().filter(|path| view.admits_path(path.as_str())) {
        if wanted.is_called(path.file_name()) && !is_known(path) {
            add_file(view, path, gathered);
        }
        if path.dir() != last_folder.0 {
            last_folder = (path.dir().to_owned(), wanted_folders(path.dir(), wanted));
        }
        for folder in &last_folder.1 {
            *folders.entry(folder.clone()).or_default() += 1;
        }
    }
    folders.retain(|path, _| view.admits_path(path));
    folders
}

fn add_file(view: &SubjectView<'_>, path: &WsPath, gathered: &mut Gathered) {
    if let Some(fit) = fit_of_path(&view.request.subject, "file", path.as_str()) {
        gathered.add(file(view.workspace, path.as_str(), None, fit));
    }
}

fn is_without_language(map: &Map, file: FileId) -> bool {
    map.file(file).is_none_or(|(_, facts)| facts.lang == Lang::Manifest)
}

/// Returns those of this folder and the folders above it whose last name is wanted.
fn wanted_folders(folder: &str, wanted: &WantedNames) -> Vec<String> {
    let mut found = Vec::new();
    let mut rest = folder;
    while !rest.is_empty() {
        let (above, last) = rest.rsplit_once('/').unwrap_or(("", rest));
        if wanted.is_called(last) {
            found.push(rest.to_owned());
        }
        rest = above;
    }
    found
}
