//! Finds the projects that are open here and known to the code search, and asks them.
//!
//! The projects of the call are asked in any case, in the working tree as it is. Another open project is asked if the server has its
//! repository; so nothing is opened that was not. A project that could not answer leaves its repository to the server.

use hob_base::AbsPath;
use hob_host::{Host, local_names};
use hob_org::wire::RepositoryList;
use hob_proto::ToolError;
use hob_results::errors;
use serde_json::{Map, Value};

use super::OrgQuestion;
use super::scope::RepositoryPath;
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
    /// Names of the server's repositories that it is a clone of.
    repositories: Vec<String>,
    /// True if the call is about it.
    is_asked: bool,
}

/// The answers from here.
#[derive(Default)]
pub(super) struct LocalAnswers {
    /// The results of the tool, with the places of their projects.
    pub(super) answers: Vec<(ProjectPlace, Value)>,
    /// Names of the repositories that the server need not be asked about.
    pub(super) without: Vec<String>,
    /// The same, each with the project that answered.
    pub(super) replaced: Vec<(String, AbsPath)>,
}

/// Opens the projects of `starts`, and finds the other open ones that the server knows.
pub(super) fn find_local_projects(
    host: &Host,
    starts: &[AbsPath],
    listed: &RepositoryList,
) -> Result<LocalProjects, ToolError> {
    let mut projects: Vec<LocalProject> = Vec::new();
    let mut add = |root: &AbsPath, is_asked: bool| {
        let names = local_names(root);
        let known = listed.repositories.iter().filter(|repository| names.is_clone_of(repository));
        let repositories: Vec<String> = known.map(|repository| repository.name.clone()).collect();
        // Of several worktrees of one repository the call's own answers, else the one that was used last.
        let is_new = projects.iter().all(|known| {
            known.root != *root
                && (is_asked || known.repositories.iter().all(|name| !repositories.contains(name)))
        });
        if is_new && (is_asked || !repositories.is_empty()) {
            projects.push(LocalProject { root: root.clone(), repositories, is_asked });
        }
    };
    for start in starts {
        let workspace = host.workspace(start).map_err(|error| errors::open(&error))?;
        add(workspace.root(), true);
    }
    for workspace in host.open_projects() {
        add(workspace.root(), false);
    }
    if starts.len() > MOST_PROJECTS {
        let message = format!("`root` takes at most {MOST_PROJECTS} projects; it has {}", starts.len());
        return Err(ToolError::bad_args(message).hint("Ask about fewer at a time."));
    }
    projects.truncate(MOST_PROJECTS);
    Ok(LocalProjects { projects, listed: listed.clone() })
}

impl LocalProject {
    /// The arguments as the project gets them; `None` if `paths` is about repositories elsewhere alone.
    fn own_args(&self, args: &Map<String, Value>, listed: &RepositoryList) -> Option<Map<String, Value>> {
        let mut own = args.clone();
        if let Some(Value::Array(entries)) = args.get("paths") {
            let (mut kept, mut takes_in) = (Vec::new(), false);
            for entry in entries.iter().filter_map(Value::as_str) {
                let (sign, text) = entry.strip_prefix('!').map_or(("", entry), |rest| ("!", rest));
                let text = match RepositoryPath::parse(text, listed) {
                    Some(path) if self.repositories.contains(&path.repository) && path.path.is_root() => {
                        "**".to_owned()
                    }
                    Some(path) if self.repositories.contains(&path.repository) => path.path.to_string(),
                    Some(_) => continue,
                    None => text.to_owned(),
                };
                takes_in |= sign.is_empty();
                kept.push(Value::String(format!("{sign}{text}")));
            }
            let only_leaves_out =
                entries.iter().all(|entry| entry.as_str().is_some_and(|text| text.starts_with('!')));
            if !takes_in && !only_leaves_out {
                return None;
            }
            own.insert("paths".to_owned(), kept.into());
        }
        if let Some(path) = args
            .get("path_prefix")
            .and_then(Value::as_str)
            .and_then(|text| RepositoryPath::parse(text, listed))
        {
            if !self.repositories.contains(&path.repository) {
                return None;
            }
            own.remove("path_prefix");
            if !path.path.is_root() {
                own.insert("path_prefix".to_owned(), path.path.to_string().into());
            }
        }
        Some(own)
    }
}

impl OrgQuestion<'_> {
    /// Asks every project. An error of one that the call is about is the call's.
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
            let replaced = project.repositories.iter().map(|name| (name.clone(), project.root.clone()));
            let own = project.own_args(&self.terms.args, &locals.listed);
            let own =
                own.and_then(|own| if places.len() > 1 { args_for(place, &places, &own) } else { Some(own) });
            let Some(own) = own else {
                // `paths` leaves all of it out.
                found.without.extend(project.repositories.iter().cloned());
                continue;
            };
            match self.ask_one(handler, place, own, notes, places.len() > 1) {
                Ok(data) => {
                    found.answers.push((place.clone(), data));
                    found.without.extend(project.repositories.iter().cloned());
                    found.replaced.extend(replaced);
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
    /// The best score of a ranked result.
    pub(super) fn best_score(&self) -> f64 {
        let lists = self.answers.iter().filter_map(|(_, data)| data["results"].as_array());
        let scores = lists.flatten().filter_map(|hit| hit["score"].as_f64());
        let best = scores.fold(0.0, f64::max);
        if best > 0.0 { best } else { 1.0 }
    }
}
