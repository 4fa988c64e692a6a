//! Finds the open projects whose repositories the code search has, and asks them.
//!
//! The projects of the call are asked in any case, in the working tree as it is. Another open project is asked if the
//! server has its repository; no project is opened for this. If a project could not answer, the server is asked about
//! its repository. If a project is a folder of its repository, only the folder is answered here, and is left out of the
//! question to the server.

use hob_base::{AbsPath, WsPath};
use hob_host::{Host, local_names};
use hob_org::wire::RepositoryList;
use hob_proto::ToolError;
use hob_results::errors;
use serde_json::{Map, Value};

use super::OrgQuestion;
use super::scope::{RepositoryPath, is_glob};
use crate::call::{AnswerNotes, CallTerms, ToolCall};
use crate::several_projects::relocate::{self, ProjectPlace};
use crate::several_projects::{args_for, take_notes};
use crate::{Handler, handler};

/// Most projects that one question asks here.
const MOST_PROJECTS: usize = 16;

/// The projects that are asked here.
pub(super) struct LocalProjects {
    projects: Vec<LocalProject>,
    listed: RepositoryList,
}

/// A project that is asked here.
struct LocalProject {
    root: AbsPath,
    /// Names of the server's repositories of which it is a clone.
    repositories: Vec<String>,
    /// Names of the server's repositories of which it is a folder, and the folder.
    part_of: Vec<String>,
    folder: WsPath,
    /// True if the call is about it.
    is_asked: bool,
}

/// The answers of local projects.
#[derive(Default)]
pub(super) struct LocalAnswers {
    /// The results of the tool, with the places of their projects.
    pub(super) answers: Vec<(ProjectPlace, Value)>,
    /// Names of the repositories that the server need not be asked about.
    pub(super) without: Vec<String>,
    /// Names of these repositories, each with the project that answered.
    pub(super) replaced: Vec<(String, AbsPath)>,
    /// Folders of repositories that local projects answered.
    pub(super) parts: Vec<(String, WsPath)>,
}

/// Opens the projects of `starts`, and finds the other open ones that the server knows.
pub(super) fn find_local_projects(
    host: &Host,
    starts: &[AbsPath],
    listed: &RepositoryList,
) -> Result<LocalProjects, ToolError> {
    if starts.len() > MOST_PROJECTS {
        let message = format!("`root` takes at most {MOST_PROJECTS} projects; it has {}", starts.len());
        return Err(ToolError::bad_args(message).hint("Ask about fewer at a time."));
    }
    let mut projects: Vec<LocalProject> = Vec::new();
    let mut add = |root: &AbsPath, is_asked: bool| {
        let (names, folder) = local_names(root);
        let known = listed.repositories.iter().filter(|repository| names.is_clone_of(repository));
        let named: Vec<String> = known.map(|repository| repository.name.clone()).collect();
        let (repositories, part_of) =
            if folder.is_root() { (named, Vec::new()) } else { (Vec::new(), named) };
        // If a repository has several work trees, the call's own answers, else the one that was used last.
        let is_new = projects.iter().all(|known| {
            known.root != *root
                && (is_asked || known.repositories.iter().all(|name| !repositories.contains(name)))
        });
        if is_new && (is_asked || !repositories.is_empty()) {
            projects.push(LocalProject { root: root.clone(), repositories, part_of, folder, is_asked });
        }
    };
    for start in starts {
        let workspace = host.workspace(start).map_err(|error| errors::open(&error))?;
        add(workspace.root(), true);
    }
    for workspace in host.open_projects() {
        add(workspace.root(), false);
    }
    projects.truncate(MOST_PROJECTS);
    Ok(LocalProjects { projects, listed: listed.clone() })
}

impl LocalProject {
    /// Returns the arguments for the project; `None` if `paths` is only about repositories elsewhere.
    fn own_args(&self, args: &Map<String, Value>, listed: &RepositoryList) -> Option<Map<String, Value>> {
        let mut own = args.clone();
        if let Some(Value::Array(entries)) = args.get("paths") {
            let (mut kept, mut takes_in) = (Vec::new(), false);
            for entry in entries.iter().filter_map(Value::as_str) {
                let (sign, text) = entry.strip_prefix('!').map_or(("", entry), |rest| ("!", rest));
                let texts = match parse_entry(text, listed) {
                    Some(path) => {
                        let own_folder = self.has_folder(text, &path).then(|| text.to_owned());
                        self.own_text(&path).into_iter().chain(own_folder).collect()
                    }
                    None => vec![text.to_owned()],
                };
                takes_in |= sign.is_empty() && !texts.is_empty();
                kept.extend(texts.into_iter().map(|text| Value::String(format!("{sign}{text}"))));
            }
            let only_leaves_out =
                entries.iter().all(|entry| entry.as_str().is_some_and(|text| text.starts_with('!')));
            if !takes_in && !only_leaves_out {
                return None;
            }
            own.insert("paths".to_owned(), kept.into());
        }
        let prefix = args.get("path_prefix").and_then(Value::as_str);
        let named = prefix.and_then(|text| parse_entry(text, listed).map(|path| (text, path.without_glob())));
        match named.map(|(text, path)| (self.own_text(&path), self.has_folder(text, &path))) {
            None | Some((None, true)) => {}
            Some((None, false)) => return None,
            Some((Some(all), _)) if all == "**" => drop(own.remove("path_prefix")),
            Some((Some(text), _)) => drop(own.insert("path_prefix".to_owned(), text.into())),
        }
        Some(own)
    }

    /// Converts a path in one of its repositories to the project's own; `None` if the project has nothing of it.
    fn own_text(&self, path: &RepositoryPath) -> Option<String> {
        let is_whole = self.repositories.contains(&path.repository);
        if !is_whole && !self.part_of.contains(&path.repository) {
            return None;
        }
        match (&path.glob, &path.path) {
            (Some(glob), _) => is_whole.then(|| format!("/{glob}")),
            (None, Some(path)) if self.folder.is_below(path) => Some("**".to_owned()),
            (None, Some(path)) if path.is_below(&self.folder) => {
                Some(path.as_str()[self.folder.as_str().len()..].trim_start_matches('/').to_owned())
            }
            _ => None,
        }
    }

    /// Returns true if an entry of `paths` that names a repository may mean a folder of the call's own project as well.
    fn has_folder(&self, text: &str, path: &RepositoryPath) -> bool {
        let plain: Vec<&str> = text.split('/').take_while(|part| !is_glob(part)).collect();
        let folder = WsPath::new(&plain.join("/")).ok().filter(|_| self.is_asked && !path.is_marked);
        folder.is_some_and(|folder| self.root.join_ws(&folder).as_path().exists())
    }

    /// Warns about entries that name both a repository and a folder of the project.
    fn warn_of_both(&self, args: &Map<String, Value>, listed: &RepositoryList, notes: &mut AnswerNotes) {
        for text in scope_entries(args).map(|entry| entry.trim_start_matches('!')) {
            if parse_entry(text, listed).is_some_and(|path| self.has_folder(text, &path)) {
                notes.warnings.push(format!(
                    "`{text}` is of a repository and in `{}`: both are meant. org:{text} is the repository's alone, ./{text} any project's.",
                    self.root
                ));
            }
        }
    }
}

/// Returns true if `paths` and its older names mean the same in a folder of a repository as in all of it.
fn means_same_in_part(args: &Map<String, Value>, listed: &RepositoryList) -> bool {
    let mut globs = args.get("glob").and_then(Value::as_str).into_iter();
    let is_same = |entry: &str| {
        let names_path = || parse_entry(entry, listed).is_some_and(|path| path.glob.is_none());
        entry.starts_with('!') || (is_glob(entry) && !entry.contains('/')) || names_path()
    };
    scope_entries(args).all(is_same) && globs.all(|glob| glob.starts_with('!') || !glob.contains('/'))
}

/// Returns the entries of `paths` and `path_prefix`, which may name a repository.
fn scope_entries(args: &Map<String, Value>) -> impl Iterator<Item = &str> {
    let paths = args.get("paths").and_then(Value::as_array).into_iter().flatten();
    paths.chain(args.get("path_prefix")).filter_map(Value::as_str)
}

/// Parses an entry that names a repository; `None` for others. Broken ones were refused before.
fn parse_entry(text: &str, listed: &RepositoryList) -> Option<RepositoryPath> {
    RepositoryPath::parse(text, listed).ok().flatten()
}

impl OrgQuestion<'_> {
    /// Asks every local project. An error of a project that the call is about is the call's.
    pub(super) fn ask_here(
        &self,
        locals: &LocalProjects,
        notes: &mut AnswerNotes,
    ) -> Result<LocalAnswers, ToolError> {
        let mut found = LocalAnswers::default();
        let Some(handler) = handler(self.tool.name) else { return Err(errors::no_such_tool(self.tool.name)) };
        let places = relocate::places_of(locals.projects.iter().map(|project| &project.root));
        if places.len() > 1 {
            notes.warnings.push(relocate::said_base(&places));
        }
        for (project, place) in locals.projects.iter().zip(&places) {
            let lies_in = |other: &&LocalProject| {
                other.root != project.root && project.root.relative_to(&other.root).is_ok()
            };
            if let Some(other) = locals.projects.iter().find(lies_in) {
                let (name, outer) = (&place.name, &other.root);
                notes.warnings.push(format!(
                    "`{name}` lies in `{outer}`, which is open too: lines of it may be here twice."
                ));
            }
        }
        for (project, place) in locals.projects.iter().zip(&places) {
            let replaced = project.repositories.iter().map(|name| (name.clone(), project.root.clone()));
            let own = project.own_args(&self.terms.args, &locals.listed);
            let own =
                own.and_then(|own| if places.len() > 1 { args_for(place, &places, &own) } else { Some(own) });
            let Some(own) = own else {
                // `paths` leaves the whole project out.
                found.without.extend(project.repositories.iter().cloned());
                continue;
            };
            match self.ask_one(handler, place, own, notes, places.len() > 1) {
                Ok(data) => {
                    found.answers.push((place.clone(), data));
                    found.without.extend(project.repositories.iter().cloned());
                    found.replaced.extend(replaced);
                    project.warn_of_both(&self.terms.args, &locals.listed, notes);
                    let parts = project.part_of.iter().map(|name| (name.clone(), project.folder.clone()));
                    if means_same_in_part(&self.terms.args, &locals.listed) {
                        found.parts.extend(parts);
                    } else {
                        notes.warnings.extend(parts.map(|(name, folder)| {
                            format!(
                                "`{}` is `{folder}` of `{name}`: lines of it may be here twice.",
                                place.name
                            )
                        }));
                    }
                }
                Err(error) if project.is_asked => return Err(error),
                Err(error) => notes
                    .warnings
                    .push(format!("`{}` is open here and could not answer: {}.", place.name, error.message)),
            }
        }
        Ok(found)
    }

    fn ask_one(
        &self,
        handler: Handler,
        place: &ProjectPlace,
        args: Map<String, Value>,
        notes: &mut AnswerNotes,
        is_one_of_several: bool,
    ) -> Result<Value, ToolError> {
        let terms = CallTerms { args, start: place.root.clone(), package: None, ..self.terms };
        let handled = ToolCall::new(self.services, self.request, terms, Vec::new()).run(handler);
        if is_one_of_several {
            take_notes(notes, handled.notes, place);
        } else {
            notes.warnings.extend(handled.notes.warnings);
            notes.omitted.extend(handled.notes.omitted);
        }
        handled.outcome
    }
}

impl LocalAnswers {
    /// Returns the best score of the ranked results; 1 without any.
    pub(super) fn best_score(&self) -> f64 {
        let lists = self.answers.iter().filter_map(|(_, data)| data["results"].as_array());
        let scores = lists.flatten().filter_map(|hit| hit["score"].as_f64());
        let best = scores.fold(0.0, f64::max);
        if best > 0.0 { best } else { 1.0 }
    }
}

#[cfg(test)]
mod tests {
    use hob_org::wire::IndexedRepository;
    use serde_json::json;

    use super::*;

    fn own_paths(project: &LocalProject, paths: &Value) -> Value {
        let repositories = ["acme/web", "src"]
            .map(|name| IndexedRepository { name: name.to_owned(), ..IndexedRepository::default() });
        let listed = RepositoryList { repositories: repositories.to_vec(), documents: 0 };
        let args = Map::from_iter([("paths".to_owned(), paths.clone())]);
        let own = project.own_args(&args, &listed);
        own.and_then(|own| own.get("paths").cloned()).unwrap_or_default()
    }

    #[test]
    fn a_project_gets_the_paths_that_it_knows() {
        // The project has a folder with the name of a repository.
        let root = AbsPath::new(env!("CARGO_MANIFEST_DIR")).expect("an absolute path");
        let whole = LocalProject {
            root,
            repositories: vec!["acme/web".to_owned()],
            part_of: Vec::new(),
            folder: WsPath::root(),
            is_asked: true,
        };
        for (paths, own) in [
            (json!(["acme/web", "!org:acme/web/gen"]), json!(["**", "!gen"])),
            (json!(["org:acme/web/**/*.rs"]), json!(["/**/*.rs"])),
            (json!(["src"]), json!(["src"])),
            (json!(["./src"]), json!(["./src"])),
            (json!(["org:src"]), Value::Null),
        ] {
            assert_eq!(own_paths(&whole, &paths), own, "{paths}");
        }
        let folder = WsPath::new("packages/ui").expect("a relative path");
        let part =
            LocalProject { repositories: Vec::new(), part_of: whole.repositories.clone(), folder, ..whole };
        for (paths, own) in [
            (json!(["acme/web/packages"]), json!(["**"])),
            (json!(["acme/web/packages/ui/src"]), json!(["src"])),
            (json!(["acme/web/docs"]), Value::Null),
        ] {
            assert_eq!(own_paths(&part, &paths), own, "{paths}");
        }
    }
}
