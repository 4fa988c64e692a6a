//! Answers `edit_pattern`: replaces code by its structure, in every file of a language.

use std::sync::Arc;

use hob_base::{CancelToken, Contents as _, WsPath};
use hob_edit::{
    PatternEdit, PatternError, PatternFileError, PatternGrammar, Proposal, ProposedFile, apply_splices,
    pattern_language,
};
use hob_map::{Lang, trees};
use hob_proto::tools::edit::PatternArgs;
use hob_proto::{ErrorCode, ToolError};
use rayon::prelude::*;
use serde_json::json;

use super::super::map::confined_path;
use super::super::{NeededIndex, ToolCall, ToolOutcome};
use super::{EditDraft, guard};
use hob_results::errors;

const TOOL: &str = "edit_pattern";

/// Most files that are named among those that could not be searched.
const NAMED: usize = 5;

/// The outcome of each searched file: the changed file with its number of replacements, `None` without a match, or an
/// error.
type Outcomes = Vec<(WsPath, Result<Option<(usize, ProposedFile)>, PatternFileError>)>;

pub(crate) fn pattern(call: &mut ToolCall<'_>) -> ToolOutcome {
    let args: PatternArgs = call.parse_args()?;
    let language = pattern_language(&args.language).map_err(|error| bad_pattern(&error))?;
    let edit = Compiled::new(language.id, &args)?;
    let workspace = call.workspace(NeededIndex::Map)?;
    let desk = EditDraft::new(call, workspace, args.stage)?;
    let below = confined_path(&desk.workspace, args.path_prefix.as_deref())?;
    let files = files(&desk, &edit.langs, below.as_ref());
    let looked_at = files.len();
    let outcomes = edit.search(call, &desk, files)?;
    let (mut matches, mut changes, mut failed) = (0, Vec::new(), Vec::new());
    for (path, outcome) in outcomes {
        match outcome {
            Ok(None) => {}
            Ok(Some((found, change))) => {
                matches += found;
                guard::found(&desk.workspace, &change.path)?;
                changes.extend((!change.is_nothing()).then_some(change));
            }
            Err(PatternFileError::Stopped(_)) => return Err(errors::cancelled()),
            Err(error) => failed.push(format!("{path} ({error})")),
        }
    }
    if !failed.is_empty() {
        let named = failed.iter().take(NAMED).cloned().collect::<Vec<_>>().join(", ");
        call.notes.warnings.push(format!("{} files were not searched, among them {named}.", failed.len()));
    }
    if matches == 0 {
        return Err(nothing_found(&edit.edit.error_unmatched(), looked_at));
    }
    if let Some(limit) = args.limit.filter(|limit| matches > *limit) {
        return Err(ToolError::bad_args(format!("there are {matches} matches, more than limit={limit}"))
            .hint("Narrow the pattern or path_prefix, or raise limit.")
            .with_field("matches", matches));
    }
    let label =
        format!("Replace {matches} matches of `{}` in {} files", one_line(&args.pattern), changes.len());
    let details = json!({"matches": matches, "filesSearched": looked_at});
    desk.propose(call, Proposal { label, tool: TOOL.to_owned(), changes }, Some(details))
}

/// Returns true if patterns of the language `id` apply to files of `lang`. As in ast-grep, TypeScript with markup has a
/// grammar of its own.
fn is_of(lang: Lang, id: &str) -> bool {
    match lang {
        Lang::Tsx => id == "tsx",
        _ => lang.id() == id,
    }
}

/// A pattern with its grammar, and the languages of the files to which it applies.
struct Compiled {
    edit: PatternEdit,
    langs: Vec<Lang>,
}

impl Compiled {
    fn new(id: &str, args: &PatternArgs) -> Result<Self, ToolError> {
        let of_id: Vec<Lang> = Lang::ALL.into_iter().filter(|lang| is_of(*lang, id)).collect();
        let grammar = of_id.first().and_then(|lang| Some((*lang, trees::grammar(*lang)?)));
        let Some((lang, language)) = grammar else {
            return Err(ToolError::bad_args(format!("`{id}` has no grammar in this version of hob")));
        };
        let language_id = pattern_language(id).map_err(|error| bad_pattern(&error))?;
        let parse = Arc::new(move |source: &[u8]| trees::parse_tree(lang, source));
        let edit =
            PatternEdit::new(language_id, PatternGrammar { language, parse }, &args.pattern, &args.rewrite)
                .map_err(|error| bad_pattern(&error))?;
        Ok(Self { edit, langs: of_id })
    }

    fn search(
        &self,
        call: &ToolCall<'_>,
        desk: &EditDraft,
        files: Vec<WsPath>,
    ) -> Result<Outcomes, ToolError> {
        // The change set is read one file after the other, because reading and matching take most of the time.
        let staged: Vec<(WsPath, Option<Arc<[u8]>>)> = match desk.stage {
            false => files.into_iter().map(|path| (path, None)).collect(),
            true => files
                .into_iter()
                .map(|path| Ok((path.clone(), desk.contents_before(call, &path).ok())))
                .collect::<Result<_, ToolError>>()?,
        };
        let contents = desk.workspace.disk_contents();
        let cancel = &call.cancel;
        Ok(desk.workspace.query_pool().install(|| {
            let one = |(path, given): (WsPath, Option<Arc<[u8]>>)| {
                let bytes = given.or_else(|| contents.read(&path).ok());
                let outcome = bytes.map_or(Ok(None), |bytes| self.file(&path, bytes, cancel));
                (path, outcome)
            };
            staged.into_par_iter().map(one).collect()
        }))
    }

    fn file(
        &self,
        path: &WsPath,
        before: Arc<[u8]>,
        cancel: &CancelToken,
    ) -> Result<Option<(usize, ProposedFile)>, PatternFileError> {
        let splices = self.edit.find_splices(&before, cancel)?;
        if splices.is_empty() {
            return Ok(None);
        }
        let after =
            apply_splices(&before, &splices).map_err(|error| PatternFileError::Failed(error.to_string()))?;
        Ok(Some((splices.len(), ProposedFile::of_existing(path.clone(), before, after))))
    }
}

/// Returns the files of these languages, in the order of their paths.
fn files(desk: &EditDraft, langs: &[Lang], below: Option<&WsPath>) -> Vec<WsPath> {
    let map = desk.workspace.map();
    let wanted =
        |path: &WsPath, lang: Lang| langs.contains(&lang) && below.is_none_or(|below| path.is_below(below));
    let all = map.export_order().into_iter();
    let of_lang = all.filter_map(|(path, file)| Some((path, map.file(file)?.1.lang)));
    of_lang.filter(|(path, lang)| wanted(path, *lang)).map(|(path, _)| path).collect()
}

fn bad_pattern(error: &PatternError) -> ToolError {
    let code = match error {
        PatternError::UnknownLanguage(_) => ErrorCode::BadArgs,
        _ => ErrorCode::BadPattern,
    };
    ToolError::new(code, error.to_string())
        .hint("A pattern is code of that language; $A stands for one node, $$$A for any number of them.")
}

fn nothing_found(why: &PatternError, looked_at: usize) -> ToolError {
    ToolError::new(ErrorCode::BadPattern, format!("{why} {looked_at} files were searched."))
        .hint("Look at how the code is written (regex_search), and write the pattern as that code.")
        .with_field("filesSearched", looked_at)
}

fn one_line(pattern: &str) -> String {
    const ENOUGH: usize = 60;
    let line: String = pattern.split_whitespace().collect::<Vec<_>>().join(" ");
    line.chars().take(ENOUGH).collect()
}
