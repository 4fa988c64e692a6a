//! Puts one question to the open projects and to the code search of the user's organisation, and merges the answers.
//!
//! Open projects answer for themselves: the text of a project is of this moment and of this working tree, and an index
//! elsewhere is neither. So the repositories of which open projects are clones are left out of the question to the
//! server ([`locals`]); all others are in it, as far as `paths` and `tests` allow ([`scope`]). The answers are merged
//! like those of several projects.
//!
//! A server that does not answer is an error and not a shorter answer: a caller who asks for everything must not take a
//! part for it.

mod asked;
mod locals;
mod scope;

use std::cell::Cell;
use std::time::{Duration, Instant};

use hob_base::AbsPath;
use hob_calls::CallRequest;
use hob_org::endpoint::SearchRequest;
use hob_org::query::{QueryDraft, Versions};
use hob_org::wire::{RepositoryList, SearchAnswer};
use hob_org::{OrgEndpoint, OrgError};
use hob_proto::ToolError;
use hob_proto::tools::ToolDef;
use hob_proto::tools::ranked::TextSearchResult;
use hob_proto::tools::text::{CountPatternsResult, RegexSearchResult};
use hob_results::org::{OrgLines, OrgPattern, OrgScope as _, check_answer, ranked_files};
use hob_results::org_errors;
use serde_json::Value;

use super::call::{AnswerNotes, CallServices, CallTerms, Handled};
use super::several_projects::merge::{self, MergeRule, ProjectAnswer};
use super::several_projects::relocate::ProjectPlace;
use super::{ToolOutcome, to_data};
use asked::{CountedPatterns, OrgRequest, SearchedLines, SearchedWords};
use locals::LocalAnswers;
use scope::FileScope;

/// Tools that answer about the organisation.
const TOOLS: [&str; 3] = ["count_patterns", "regex_search", "text_search"];

/// Most files and most lines that the server sends for one pattern.
const MOST_FILES: usize = 5_000;
const MOST_LINES: usize = 20_000;

/// Factor of the files that the server sends to those that `text_search` shows, where some may be out of scope.
const SPARE_FILES: usize = 10;

/// Fewest characters of an entry of an answer.
const SHORTEST: usize = 32;

/// A question about the organisation.
pub struct OrgQuestion<'h> {
    /// The tool that was called.
    pub tool: &'static ToolDef,
    /// The services of the process.
    pub services: CallServices<'h>,
    /// The call as it arrived.
    pub request: &'h CallRequest,
    /// The call's own terms.
    pub terms: CallTerms,
}

/// The question to the server.
struct ServerQuestion<'q> {
    question: &'q OrgQuestion<'q>,
    endpoint: &'q OrgEndpoint,
    scope: &'q FileScope,
    versions: Versions,
    /// Names of repositories that local projects answer.
    without: &'q [String],
    /// The score of the best local hit.
    best_here: f64,
    /// Time that the server still has for the whole question.
    left: Cell<Duration>,
}

/// Runs a tool in the projects of `starts` and in other open ones that the server knows, asks the server about all
/// other repositories, and merges the answers.
#[must_use]
pub fn ask_organization(question: OrgQuestion<'_>, starts: &[AbsPath]) -> Handled {
    let mut notes = AnswerNotes::default();
    let outcome = question.run(starts, &mut notes);
    Handled { outcome, notes }
}

impl OrgQuestion<'_> {
    fn run(&self, starts: &[AbsPath], notes: &mut AnswerNotes) -> ToolOutcome {
        let rule = self.rule()?;
        let host = self.services.host;
        let endpoint = host.org_endpoint().ok_or_else(org_errors::no_org)?;
        let asked = OrgRequest::parse(self.tool.name, &self.terms.args)?;
        let begun = Instant::now();
        let listed = host.org_repositories(&endpoint, &self.request.cancel);
        let listed = listed.map_err(|error| org_errors::org_failed(&error))?;
        let left = Cell::new(endpoint.time_out().saturating_sub(begun.elapsed()));
        let mut scope = FileScope::parse(&self.terms.args, &listed)?;
        let locals = locals::find_local_projects(host, starts, &listed)?;
        let answers = self.ask_here(&locals, notes)?;
        answers.parts.iter().for_each(|(repository, folder)| scope.leave_part(repository, folder));
        notes.warnings.insert(0, said_server(&endpoint, &listed, &answers));
        let server = ServerQuestion {
            question: self,
            endpoint: &endpoint,
            scope: &scope,
            versions: listed.versions(),
            without: &answers.without,
            best_here: answers.best_score(),
            left,
        };
        let data = server.ask_server(&asked, notes)?;
        self.merge(rule, answers, data, notes)
    }

    fn rule(&self) -> Result<MergeRule, ToolError> {
        merge::rule_of(self.tool.name).filter(|_| TOOLS.contains(&self.tool.name)).ok_or_else(|| {
            ToolError::bad_args(format!("`{}` does not take in: \"org\"", self.tool.name)).hint(format!(
                "{} do. Open a clone of the repository to ask more of it: root: \"FOLDER\".",
                TOOLS.join(", ")
            ))
        })
    }

    fn merge(
        &self,
        rule: MergeRule,
        answers: LocalAnswers,
        data: Value,
        notes: &mut AnswerNotes,
    ) -> ToolOutcome {
        // The server's paths begin with a mark and the name of a repository, and stay so.
        let elsewhere = ProjectPlace {
            root: self.terms.start.clone(),
            prefix: String::new(),
            name: "org".to_owned(),
            moves_ids: false,
            base: self.terms.start.clone(),
        };
        let here = answers.answers.iter().map(|(place, data)| ProjectAnswer::new(data.clone(), place));
        let there = ProjectAnswer::new(data, &elsewhere);
        let all: Vec<ProjectAnswer<'_>> = here.chain([there]).collect();
        let args = &self.terms.args;
        let asked = merge::MergeQuery { rule, tool: self.tool, args, places: &[], failed: false };
        merge::merge_answers(&asked, all, notes)
    }
}

impl ServerQuestion<'_> {
    fn ask_server(&self, asked: &OrgRequest, notes: &mut AnswerNotes) -> ToolOutcome {
        match asked {
            OrgRequest::Lines(lines) => self.search_lines(lines, notes),
            OrgRequest::Counts(counts) => self.count_patterns(counts, notes),
            OrgRequest::Words(words) => self.search_words(words, notes),
        }
    }

    fn search_lines(&self, asked: &SearchedLines, notes: &mut AnswerNotes) -> ToolOutcome {
        let begun = Instant::now();
        let found = self.find_lines(&asked.pattern, asked.context_lines, asked.max_millis)?;
        warn_of_rest(&found, notes);
        warn_of_left_out(found.left_out, notes);
        let room = self.question.terms.room / SHORTEST + 1;
        let limit = asked.limit.unwrap_or(room).min(room);
        let (matches, total) = match asked.output.as_str() {
            "count" => (Vec::new(), 0),
            "files" => (found.to_files(limit), found.files_matched),
            _ => (found.to_matches(limit), found.total_lines),
        };
        merge::note_omitted(notes, self.question.tool, "matches", total.saturating_sub(matches.len() as u64));
        to_data(&RegexSearchResult {
            matches,
            total_lines: found.total_lines,
            total_matches: found.total_matches,
            files_matched: found.files_matched,
            complete: found.is_whole,
            elapsed_ms: millis(begun),
        })
    }

    fn count_patterns(&self, asked: &CountedPatterns, notes: &mut AnswerNotes) -> ToolOutcome {
        let begun = Instant::now();
        let (mut patterns, mut complete, mut left_out) = (Vec::new(), true, 0);
        for (text, pattern) in &asked.patterns {
            let found = self.find_lines(pattern, 0, asked.max_millis)?;
            if complete {
                warn_of_rest(&found, notes);
            }
            complete &= found.is_whole;
            left_out += found.left_out;
            patterns.push(found.to_count(text));
        }
        warn_of_left_out(left_out, notes);
        to_data(&CountPatternsResult { patterns, complete, elapsed_ms: millis(begun) })
    }

    fn search_words(&self, asked: &SearchedWords, notes: &mut AnswerNotes) -> ToolOutcome {
        if asked.words.is_empty() {
            return to_data(&TextSearchResult::default());
        }
        let is_exact = self.scope.is_asked_exactly(false);
        let most = asked.limit.saturating_mul(SPARE_FILES).min(MOST_FILES).max(asked.limit);
        let draft = QueryDraft::of_words(asked.words.iter().map(String::as_str));
        let request = SearchRequest {
            most_files: if is_exact { asked.limit } else { most },
            most_lines: MOST_LINES,
            by_words: true,
            ..self.request_for(draft)
        };
        let answer = self.search(&request)?;
        let mut results = ranked_files(&answer, self.scope, self.best_here);
        let unseen = answer.file_count > answer.files.len() as u64;
        if !answer.looked_at_all {
            notes.warnings.push("The code search stopped early: total is a lower bound.".to_owned());
        } else if unseen && !is_exact {
            notes.warnings.push(
                "The code search did not send every file that it found: total is a lower bound.".to_owned(),
            );
        }
        let counted = if is_exact { usize::try_from(answer.file_count).unwrap_or(usize::MAX) } else { 0 };
        let total = counted.max(results.len());
        results.truncate(asked.limit);
        merge::note_omitted(notes, self.question.tool, "results", (total - results.len()) as u64);
        to_data(&TextSearchResult { results, total })
    }

    fn find_lines(&self, pattern: &OrgPattern, context: usize, millis: u64) -> Result<OrgLines, ToolError> {
        let request = SearchRequest {
            context_lines: context,
            patience: Some(Duration::from_millis(millis)),
            ..self.request_for(QueryDraft::of_lines(&pattern.there))
        };
        let answer = self.search(&request)?;
        check_answer(answer, pattern, self.scope).map_err(|bad| ToolError::bad_args(bad.to_string()))
    }

    fn request_for(&self, draft: QueryDraft) -> SearchRequest {
        let draft = QueryDraft {
            taken: self.scope.taken().to_vec(),
            left_out: self.scope.left_out().to_vec(),
            without: self.without.to_vec(),
            versions: self.versions.clone(),
            ..draft
        };
        SearchRequest {
            query: draft.to_text(),
            most_files: MOST_FILES,
            most_lines: MOST_LINES,
            context_lines: 0,
            patience: None,
            by_words: false,
        }
    }

    fn search(&self, request: &SearchRequest) -> Result<SearchAnswer, ToolError> {
        let begun = Instant::now();
        let endpoint = self.endpoint.clone().with_time_out(self.left.get());
        let answer = endpoint.search(request, &self.question.request.cancel);
        self.left.set(self.left.get().saturating_sub(begun.elapsed()));
        let answer = answer.map_err(|error| match error {
            OrgError::TooSlow { address, .. } => {
                OrgError::TooSlow { address, ms: self.endpoint.time_out().as_millis() }
            }
            other => other,
        });
        answer.map_err(|error| org_errors::org_failed(&error))
    }
}

/// Says which server was asked, and which of its repositories local projects answered.
fn said_server(endpoint: &OrgEndpoint, listed: &RepositoryList, answers: &LocalAnswers) -> String {
    let repositories = listed.repositories.len();
    let mut said = format!(
        "Also asked {}, {repositories} repositories. A path org:REPOSITORY/PATH is a file there: no file of this machine, not to be read or edited here.",
        endpoint.address()
    );
    for (name, root) in &answers.replaced {
        said.push_str(&format!(" `{name}` is open here and answered from `{root}`."));
    }
    for (name, folder) in &answers.parts {
        said.push_str(&format!(" `{folder}` of `{name}` is open here and answered from here."));
    }
    said
}

/// Says how many lines of the server are not in the answer because they are out of scope.
fn warn_of_left_out(lines: u64, notes: &mut AnswerNotes) {
    if lines > 0 {
        let word = if lines == 1 { "line" } else { "lines" };
        notes.warnings.push(format!("Not in scope of what the code search sent: {lines} {word}."));
    }
}

/// Says that the totals are lower bounds, and why, if they are.
fn warn_of_rest(found: &OrgLines, notes: &mut AnswerNotes) {
    if found.is_whole {
        return;
    }
    let why = match found.stopped_early {
        true => "The code search stopped early",
        false => "The code search did not send every line that it found",
    };
    notes.warnings.push(format!("{why}: totals are lower bounds. Narrow with paths, or raise max_millis."));
}

fn millis(begun: Instant) -> u64 {
    u64::try_from(begun.elapsed().as_millis()).unwrap_or(u64::MAX)
}

/// Tells whether the code search answers, for people.
pub(super) fn answer_org_status(call: &mut super::ToolCall<'_>) -> ToolOutcome {
    use hob_proto::tools::org::OrgResult;
    let host = call.services.host;
    let Some(endpoint) = host.org_endpoint() else { return to_data(&OrgResult::default()) };
    let url = Some(endpoint.address().to_owned());
    let result = match endpoint.list_repositories(&call.cancel) {
        Ok(list) => OrgResult {
            url,
            repositories: Some(list.repositories.len() as u64),
            documents: Some(list.documents),
            ..OrgResult::default()
        },
        Err(error) => {
            let ToolError { message, hint, .. } = org_errors::org_failed(&error);
            OrgResult { url, problem: Some(message), fix: Some(hint), ..OrgResult::default() }
        }
    };
    to_data(&result)
}
