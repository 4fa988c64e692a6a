//! Answers `text_search`.
//!
//! The index finds the hits, the map gives their names, and the files give their text. All three should show the same
//! revision. If the index was changed while the hits were being named, the search is repeated; after the last
//! repetition, hits in changed files are marked as stale.

use std::sync::Arc;
use std::time::Duration;

use hob_base::{Contents as _, Deadline, FileId, LineIndex, WsPath};
use hob_map::Map;
use hob_map::facts::DefIdx;
use hob_map::graph::{DefRef, NodeRef};
use hob_proto::ToolError;
use hob_proto::tools::ranked::{RankedResult, TextSearchArgs, TextSearchResult};
use hob_text::ranked::{
    DocKind, FileFilter, RankedAnswer, RankedHit, RankedIndex, RankedQuestion, RankedRequest, likeliest_files,
};
use hob_text::{Admits, PathFilter};

use super::excerpt::{Size, excerpt_of};
use super::scope::{CallScope, Rules};
use super::{FIRST_INDEX_PATIENCE, NeededIndex, ToolCall, ToolOutcome, callers, fuse, to_data};
use hob_host::{IngestProgress, NotReady, Ranked, SufficientFiles, Workspace};
use hob_results::text_search::MappedHit;
use hob_results::{errors, text_search as to_proto};

/// The most documents that are read to check for a phrase.
const PHRASE_READS: usize = 400;

/// The fewest files of a project whose ranked index takes so long that a question is answered from some of them.
const LARGE_PROJECT: usize = 8_000;

/// The most files from which such a question is answered.
const MOST_SUFFICIENT: usize = 1_000;

/// Time that each question waits for these files at least.
const SOME_FILES_PATIENCE: Duration = Duration::from_secs(4);

/// Longest time that questions wait for all files nevertheless, from the first that does.
const ALL_FILES_PATIENCE: Duration = Duration::from_secs(2);

/// The most searches for hits while the index keeps changing.
const TRIES: usize = 3;

/// The lines in the snippets of the best few hits and of the others, and the bytes of each line.
const BEST: usize = 3;
const SNIPPET_LINES: [usize; 2] = [2, 1];
const SNIPPET_WIDTH: usize = 100;

pub(super) fn text_search(call: &mut ToolCall<'_>) -> ToolOutcome {
    let args: TextSearchArgs = call.parse_args()?;
    let question = RankedQuestion::parse(&args.query);
    let workspace = call.workspace(NeededIndex::Map)?;
    let scope = call.parse_scope(&workspace)?;
    if question.is_empty() {
        call.notes.warnings.push("There is no word in the query: pass words or identifiers.".into());
        return to_data(&TextSearchResult::default());
    }
    let kinds = parse_kinds(&args.kinds);
    let wanted = WordsToFind { text: &args.query, kinds: &kinds, below: None, rules: scope.rules() };
    let until_built = call.first_time(Deadline::after(FIRST_INDEX_PATIENCE));
    let index = wait_for_ranked_index(call, &workspace, &wanted, until_built)?;
    // Each of the two rankings must be deep enough to contain the hits of the other.
    let depth = args.limit.max(if args.use_embeddings { fuse::DEPTH } else { callers::DEPTH });
    let asked = RankedQuery {
        question,
        kinds,
        below: None,
        rules: Arc::clone(scope.rules()),
        limit: depth,
        counts_all: true,
    };
    let RankedFindings { mut named, mut total, rarities } = find(call, &workspace, &index, &asked)?;
    callers::credit_callers(&workspace.map(), &mut named, &rarities);
    if args.use_embeddings {
        let near = fuse::find_near(call, &workspace, &args.query, &asked);
        if !near.is_empty() {
            named = fuse::fuse_rankings([named, near]);
            total = total.max(named.len());
        }
    }
    if asked.question.has_phrases() {
        let looked_at = named.len();
        named.retain(|hit| has_phrases(&workspace, &asked.question, hit));
        if total > looked_at {
            call.notes
                .warnings
                .push("Only the best were read for the words in quotes: total is a lower bound.".into());
        }
        total = named.len();
    }
    named.truncate(args.limit);
    warn_of_hits_outside(call, &workspace, &index, &asked, args.limit, &scope);
    call.omit_items(
        "results",
        total,
        named.len(),
        "Raise limit (<=100), or pass kinds, paths or more words.",
    );
    let results = with_snippets(&workspace, &asked.question, named, call.terms.room);
    to_data(&TextSearchResult { results, total })
}

/// A ranked search as it was asked for.
pub(super) struct RankedQuery {
    pub(super) question: RankedQuestion,
    pub(super) kinds: Vec<DocKind>,
    pub(super) below: Option<WsPath>,
    pub(super) rules: Arc<Rules>,
    pub(super) limit: usize,
    /// True if the number of all matches is wanted.
    pub(super) counts_all: bool,
}

impl RankedQuery {
    /// Returns true if the search is limited to a part of the files.
    pub(super) fn is_scoped(&self) -> bool {
        self.below.is_some() || !self.rules.is_all()
    }

    /// Returns true if the search covers anything in a file.
    pub(super) fn admits_file(&self, path: &WsPath) -> bool {
        covers_file(self.below.as_ref(), &self.rules, path)
    }

    /// Returns true if the search covers a hit in such a file. For a definition, the map knows if it is a test.
    fn admits_hit(&self, map: &Map, hit: &MappedHit) -> bool {
        is_hit_in(&self.rules, map, hit)
    }

    /// Removes the hits that the search does not cover.
    pub(super) fn keep(&self, workspace: &Workspace, named: &mut Vec<MappedHit>) {
        if self.rules.ask_map() {
            let map = workspace.map();
            named.retain(|hit| self.admits_hit(&map, hit));
        }
    }
}

/// Returns true if the scope contains a hit.
fn is_hit_in(rules: &Rules, map: &Map, hit: &MappedHit) -> bool {
    let node = hit.id.as_ref().and_then(|id| map.node(&id.parse().ok()?));
    node.map_or_else(|| rules.has_text(&hit.path), |node| rules.has_node(map, node))
}

fn parse_kinds(words: &[String]) -> Vec<DocKind> {
    DocKind::ALL.into_iter().filter(|kind| words.iter().any(|word| word == to_proto::kind(*kind))).collect()
}

/// The words for which a call wants the ranked index, and the files that may answer.
pub(super) struct WordsToFind<'w> {
    pub(super) text: &'w str,
    /// The kinds of documents that may answer; empty for all.
    pub(super) kinds: &'w [DocKind],
    pub(super) below: Option<&'w WsPath>,
    pub(super) rules: &'w Arc<Rules>,
}

impl WordsToFind<'_> {
    /// Returns the files that suffice for an answer while the index of a large project is made; `None` if only all do.
    fn sufficient_files(&self, workspace: &Workspace) -> Option<Vec<FileId>> {
        let view = workspace.text();
        // Nearly all of the likeliest files are code, whatever is asked for.
        let may_be_code = self.kinds.is_empty() || self.kinds.contains(&DocKind::Symbol);
        if workspace.ranked.is_built() || view.stats().files < LARGE_PROJECT || !may_be_code {
            return None;
        }
        let (below, rules) = (self.below.cloned(), Arc::clone(self.rules));
        let covers = move |path: &WsPath| covers_file(below.as_ref(), &rules, path);
        let filter = PathFilter::default().and_admitted(Some(Admits(Arc::new(covers))));
        let find = || likeliest_files(&view, self.text, &filter, MOST_SUFFICIENT);
        workspace.query_pool().install(find)
    }
}

/// Returns true if a search below a folder and by rules covers anything in a file.
fn covers_file(below: Option<&WsPath>, rules: &Rules, path: &WsPath) -> bool {
    below.is_none_or(|below| path.is_below(below)) && rules.may_have_text(path)
}

/// Waits for the index: until `until_built` if it is being built for the first time, for less if it is only behind on a
/// change. While that of a large project is made, the files that the words are likeliest about suffice, with a warning.
pub(super) fn wait_for_ranked_index(
    call: &mut ToolCall<'_>,
    workspace: &Arc<Workspace>,
    wanted: &WordsToFind<'_>,
    until_built: Deadline,
) -> Result<Arc<RankedIndex>, ToolError> {
    let all_until = call.first_time(workspace.ranked.first_wait_deadline(ALL_FILES_PATIENCE));
    // A call that waits for all files anyway must not delay the others.
    let waits_for_all = all_until == Deadline::NEVER;
    let files = if waits_for_all { None } else { wanted.sufficient_files(workspace) };
    let sufficient = files.as_deref().map(|files| SufficientFiles { files, all_until });
    let patience = match (workspace.ranked.is_built(), &sufficient) {
        (true, _) => Deadline::after(super::BARRIER_PATIENCE),
        (false, Some(_)) => until_built.max(Deadline::after(SOME_FILES_PATIENCE)),
        (false, None) => until_built,
    };
    let cancel = call.cancel.with_deadline(patience);
    let report = |IngestProgress { done, total }| {
        if let Some(progress) = &call.request.progress {
            progress(done, Some(total), "indexing words");
        }
    };
    match Ranked::wait_until_ready(workspace, sufficient, &cancel, &report) {
        Ok(index) => Ok(index),
        Err(NotReady::Partial(index, IngestProgress { done, total })) => {
            call.notes.warnings.push(format!(
                "Words are still being indexed: {done} of {total} files are searched, those with most of the words first; others may be missing."
            ));
            Ok(index)
        }
        Err(_) if call.cancel.is_cancelled() => Err(errors::cancelled()),
        Err(NotReady::Building(taking)) => Err(errors::words_not_built(workspace, taking)),
        Err(NotReady::Failed(why)) => Err(errors::words_failed(&why)),
        Err(NotReady::Late(index)) => {
            call.notes.warnings.push(
                "Recent changes are still being indexed: results may be missing, changed files carry stale:true.".into(),
            );
            Ok(index)
        }
    }
}

pub(super) struct RankedFindings {
    pub(super) named: Vec<MappedHit>,
    /// Number of matches, if all of them were to be counted.
    total: usize,
    /// The words that count, each with its rarity.
    pub(super) rarities: Vec<(String, f32)>,
}

pub(super) fn find(
    call: &mut ToolCall<'_>,
    workspace: &Workspace,
    index: &RankedIndex,
    asked: &RankedQuery,
) -> Result<RankedFindings, ToolError> {
    let admits = asked.is_scoped().then(|| admitted_numbers(workspace, asked));
    let admits = admits.as_ref().map(|files| move |number: u64| files.contains(&number));
    let has_phrases = asked.question.has_phrases();
    let request = RankedRequest {
        question: &asked.question,
        kinds: &asked.kinds,
        admits: admits.as_ref().map(|admits| admits as FileFilter<'_>),
        limit: if has_phrases || asked.rules.ask_map() { PHRASE_READS } else { asked.limit },
        counts_all: asked.counts_all,
    };
    let mut tries = 0;
    loop {
        tries += 1;
        let commits = workspace.ranked.commit_count();
        let cancel = &call.cancel;
        let found = workspace.query_pool().install(|| index.search(&request, cancel));
        let (answer, complete) = found.map_err(|error| errors::words_failed(&error.to_string()))?;
        let (mut named, is_of_one_moment) = name(workspace, &answer, commits);
        asked.keep(workspace, &mut named);
        if !is_of_one_moment && tries < TRIES {
            continue;
        }
        if !complete {
            warn_of_part(call);
        }
        let total = answer.total - (answer.hits.len() - named.len());
        if !has_phrases {
            named.truncate(asked.limit);
        }
        return Ok(RankedFindings { total, named, rarities: answer.rarities });
    }
}

/// Warns that a search was stopped before it had seen the whole index.
pub(super) fn warn_of_part(call: &mut ToolCall<'_>) {
    let warning = "Out of time: results are of a part of the index.";
    if call.notes.warnings.iter().all(|known| known != warning) {
        call.notes.warnings.push(warning.into());
    }
}

/// Counts how many of the `best` hits of the whole index the scope leaves out, and says so. Hits after these would not
/// have been shown in any case.
pub(super) fn warn_of_hits_outside(
    call: &mut ToolCall<'_>,
    workspace: &Workspace,
    index: &RankedIndex,
    asked: &RankedQuery,
    best: usize,
    scope: &CallScope,
) {
    if scope.is_all() {
        return;
    }
    let request = RankedRequest {
        question: &asked.question,
        kinds: &asked.kinds,
        admits: None,
        // One more tells if there are more.
        limit: best + 1,
        counts_all: false,
    };
    let cancel = &call.cancel;
    let found = workspace.query_pool().install(|| index.search(&request, cancel));
    let Ok((mut answer, _)) = found else { return };
    let has_more = answer.hits.len() > best;
    answer.hits.truncate(best);
    let (named, _) = name(workspace, &answer, workspace.ranked.commit_count());
    let (rules, below) = (scope.rules(), asked.below.as_ref());
    let is_asked = |hit: &&MappedHit| below.is_none_or(|below| hit.path.is_below(below));
    let map = workspace.map();
    for hit in named.iter().filter(is_asked).filter(|hit| !is_hit_in(rules, &map, hit)) {
        let is_by_tests = rules.has_path(&hit.path);
        scope.left_out(usize::from(!is_by_tests), usize::from(is_by_tests));
    }
    drop(map);
    scope.warn_of_omissions(call, has_more);
}

/// Returns the numbers of the files that the search covers.
pub(super) fn admitted_numbers(workspace: &Workspace, asked: &RankedQuery) -> rustc_hash::FxHashSet<u64> {
    let text = workspace.text();
    let inside = text.indexed_paths().filter(|(_, path)| asked.admits_file(path));
    inside.map(|(_, path)| hob_host::ranked_number(path)).collect()
}

/// Names hits by the map. Also returns true if the index and the map were of the same revision.
fn name(workspace: &Workspace, answer: &RankedAnswer, commits: u64) -> (Vec<MappedHit>, bool) {
    let is_unmapped = |map: &Map, hit: &RankedHit| {
        workspace.ranked.file(hit.file).is_some_and(|(file, _)| map.file(file).is_none())
    };
    // Files without a language are not in the map.
    let has_unmapped = answer.hits.iter().any(|hit| is_unmapped(&workspace.map(), hit));
    let paths = has_unmapped.then(|| workspace.path_names());
    let map = workspace.map();
    let is_same = workspace.ranked.commit_count() == commits;
    let mut all_known = is_same;
    let mut named = Vec::with_capacity(answer.hits.len());
    for hit in &answer.hits {
        let Some((file, is_known)) = workspace.ranked.file(hit.file) else { continue };
        all_known &= is_known;
        let is_known = is_known && is_same;
        let path = map.file(file).map(|(path, _)| path).or_else(|| paths.as_ref()?.path_of(file)).cloned();
        let Some(path) = path else { continue };
        named.extend(one(&map, hit, file, path, is_known));
    }
    (named, all_known)
}

/// Names one hit. A hit in a file that has changed since then becomes a hit of the whole file.
fn one(map: &Map, hit: &RankedHit, file: FileId, path: WsPath, is_known: bool) -> Option<MappedHit> {
    let whole = |stale| MappedHit {
        id: map.file(file).map(|_| map.id(NodeRef::File(file)).to_string()),
        kind: DocKind::File,
        title: path.file_name().to_owned(),
        path: path.clone(),
        line: 1,
        lines: (1, u32::MAX),
        score: hit.score,
        words: hit.words,
        stale,
    };
    if !is_known || hit.slot == 0 {
        return Some(whole(!is_known));
    }
    let (_, facts) = map.file(file)?;
    let def = DefIdx::new(hit.slot - 1);
    let found = facts.defs.get(def.index())?;
    Some(MappedHit {
        id: Some(map.id(DefRef { file, def }.into()).to_string()),
        kind: hit.kind,
        title: facts.name(found.qualified).to_owned(),
        line: found.name_at.0,
        lines: found.lines,
        ..whole(false)
    })
}

pub(super) fn has_phrases(workspace: &Workspace, question: &RankedQuestion, hit: &MappedHit) -> bool {
    let Ok(bytes) = workspace.disk_contents().read(&hit.path) else { return false };
    question.phrases_are_in(&format!("{}\n{}", hit.title, lines_of(&bytes, hit.lines.0, hit.lines.1)))
}

pub(super) fn lines_of(bytes: &[u8], first: u32, last: u32) -> String {
    let index = LineIndex::new(bytes);
    let last = last.min(index.line_count());
    let range = index.line_range(first).zip(index.line_range(last));
    let text = range.and_then(|(from, to)| bytes.get(from.start..to.end)).unwrap_or_default();
    String::from_utf8_lossy(text).into_owned()
}

/// Returns the results with snippets of their text, until these fill `room` characters.
fn with_snippets(
    workspace: &Workspace,
    question: &RankedQuestion,
    named: Vec<MappedHit>,
    room: usize,
) -> Vec<RankedResult> {
    /// The fewest characters that a result takes in addition to its text.
    const FRAME: usize = 60;
    let (mut words, mut taken) = (question.word_counter(), 0);
    let one = |(at, hit): (usize, MappedHit)| {
        let size = Size { lines: SNIPPET_LINES[usize::from(at >= BEST)], width: SNIPPET_WIDTH };
        let mut snippet = || {
            let bytes = workspace.disk_contents().read(&hit.path).ok()?;
            excerpt_of(
                &mut words,
                &lines_of(&bytes, hit.lines.0, hit.lines.1),
                hit.lines.0,
                hit.line,
                true,
                size,
            )
        };
        let text = (taken < room).then(&mut snippet).flatten();
        let id = hit.id.as_ref().map_or(0, String::len);
        taken +=
            FRAME + id + hit.title.len() + hit.path.as_str().len() + text.as_ref().map_or(0, String::len);
        to_proto::result(hit, text)
    };
    named.into_iter().enumerate().map(one).collect()
}
