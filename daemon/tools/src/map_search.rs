//! Answers `map_search`: definitions and files by name, several names in one call, and those that nothing uses.

use hob_base::CancelToken;
use hob_map::graph::{Hit, KindFilter, NodeInfo, NodeKind, NodeRef, SearchAnswer, SearchQuery};
use hob_map::{Map, SearchedFiles};
use hob_proto::ToolError;
use hob_proto::tools::map::{SearchArgs, SearchHit, SearchResult};

use super::first_index::NamesAre;
use super::map::with_graph_deadline;
use super::scope::CallScope;
use super::{NeededIndex, ToolCall, ToolOutcome, to_data, unused};
use hob_host::Stale;
use hob_results::map as to_proto;

/// Fewest characters of a name.
const SHORTEST: usize = 2;

/// Most hits that are examined where some of them are left out afterwards.
const LOOKED_AT: usize = 2_000;

const WAY: &str = "Raise limit (<=100), or pass kind, paths or a longer query.";

pub(super) fn search(call: &mut ToolCall<'_>) -> ToolOutcome {
    let mut args: SearchArgs = call.parse_args()?;
    // A query for everything is an empty query.
    args.query.retain(|query| args.callers.is_none() || !matches!(query.trim(), "" | "*"));
    check_args(&args)?;
    // Whether nobody uses a definition only the whole map can tell.
    let workspace = match args.callers {
        Some(_) => call.workspace(NeededIndex::Map)?,
        None => call.workspace_for_names(NamesAre::Searched(&args.query))?,
    };
    let scope = call.parse_scope(&workspace)?;
    call.wait_for_ranking(&workspace);
    let (map, stale, cancel) = (workspace.map(), workspace.stale_files(), with_graph_deadline(&call.cancel));
    let looking = Looking { map: &map, args: &args, scope: &scope, stale: &stale, cancel };
    let mut result = SearchResult { results: Vec::new(), total: 0, none: Vec::new() };
    let mut is_least = false;
    let found = match args.query.is_empty() {
        true => vec![(None, looking.find_everything())],
        false => args.query.iter().map(|query| (Some(query), looking.find_named(query))).collect(),
    };
    for (query, found) in found {
        let several = query.filter(|_| args.query.len() > 1);
        is_least |= found.is_least;
        result.total += found.total;
        result.none.extend(several.filter(|_| found.hits.is_empty()).cloned());
        result.results.extend(found.hits.into_iter().map(|hit| SearchHit { query: several.cloned(), ..hit }));
    }
    if result.results.is_empty() {
        call.warn_of_unmapped_anywhere(&map);
    } else {
        call.warn_of_ranking(&map);
        let shown: Vec<&str> = result.results.iter().map(|hit| hit.file.as_str()).collect();
        if !scope.is_all() {
            call.warn_of_unmapped(&map, shown);
        }
    }
    scope.warn_of_omissions(call, is_least);
    drop(map);
    if is_least {
        call.notes.warnings.push(
            "Not everything was looked at: total is a lower bound. Pass a longer query, or paths.".into(),
        );
    }
    call.omit_items("results", result.total, result.results.len(), WAY);
    to_data(&result)
}

fn check_args(args: &SearchArgs) -> Result<(), ToolError> {
    if let Some(short) = args.query.iter().find(|query| query.trim().chars().count() < SHORTEST) {
        let message = format!("`query` needs at least {SHORTEST} characters; `{short}` has fewer");
        return Err(ToolError::bad_args(message).hint("Pass a name or a part of one."));
    }
    if args.query.is_empty() && args.callers.is_none() {
        return Err(ToolError::bad_args("`map_search` needs `query`: a string or a list of strings")
            .hint("Pass a name or a part of one; only callers:0 goes without."));
    }
    Ok(())
}

fn kind_filter(word: &str) -> KindFilter {
    match word {
        "function" => KindFilter::Function,
        "class" => KindFilter::Class,
        "method" => KindFilter::Method,
        "interface" => KindFilter::Interface,
        "variable" => KindFilter::Variable,
        "file" => KindFilter::File,
        _ => KindFilter::Any,
    }
}

/// The hits for one name, with the number of all.
#[derive(Default)]
struct NameSearchResult {
    hits: Vec<SearchHit>,
    total: usize,
    is_least: bool,
}

struct Looking<'a> {
    map: &'a Map,
    args: &'a SearchArgs,
    scope: &'a CallScope,
    stale: &'a Stale,
    cancel: CancelToken,
}

impl Looking<'_> {
    /// Finds definitions and files by name, within the scope.
    fn find_named(&self, text: &str) -> NameSearchResult {
        if let Some(class) = text.strip_suffix(['.', ':', '#']).filter(|_| self.args.callers.is_some()) {
            return self.of_class(class.trim_end_matches(':'));
        }
        let answer = self.search(text);
        if self.args.callers.is_none() {
            let hits =
                answer.hits.into_iter().map(|hit| to_proto::search_hit(hit.info, self.stale)).collect();
            return NameSearchResult { hits, total: answer.total, is_least: answer.total_is_least };
        }
        let is_least = answer.total_is_least || answer.total > answer.hits.len();
        let infos = answer.hits.into_iter().map(|hit: Hit| hit.info);
        self.find_unused(infos.filter(|info| matches!(info.kind, NodeKind::Def(_))), is_least)
    }

    /// Finds unused members of a class, or of all classes with that name.
    fn of_class(&self, class: &str) -> NameSearchResult {
        let rules = self.scope.rules();
        let members = unused::visible_definitions(self.map, true, &|node| rules.has_node(self.map, node));
        let infos = members.into_iter().filter_map(|def| self.map.info(NodeRef::Def(def)));
        let is_member = |info: &NodeInfo| {
            let of = info.qualified.strip_suffix(info.name.as_str()).map(|of| of.trim_end_matches('.'));
            of.is_some_and(|of| of == class || of.ends_with(&format!(".{class}")))
        };
        let kinds = kind_filter(&self.args.kind);
        self.find_unused(infos.filter(|info| is_member(info) && kinds.admits(info.kind)), false)
    }

    /// Finds unused definitions in scope that other files can see; members of classes only if methods, or a part of the
    /// project, are asked for.
    fn find_everything(&self) -> NameSearchResult {
        let rules = self.scope.rules();
        let with_members = self.args.kind == "method" || !rules.is_all();
        let visible =
            unused::visible_definitions(self.map, with_members, &|node| rules.has_node(self.map, node));
        let kinds = kind_filter(&self.args.kind);
        let infos = visible.into_iter().filter_map(|def| self.map.info(NodeRef::Def(def)));
        self.find_unused(infos.filter(|info| kinds.admits(info.kind)), false)
    }

    fn find_unused(&self, infos: impl Iterator<Item = NodeInfo>, mut is_least: bool) -> NameSearchResult {
        let mut found = NameSearchResult::default();
        for info in infos {
            if self.cancel.check().is_err() {
                is_least = true;
                break;
            }
            let NodeRef::Def(def) = info.node else { continue };
            if unused::is_used_unnamed(self.map, &info) {
                continue;
            }
            let Some(uses) = unused::few_uses(self.map, def, &self.cancel) else { continue };
            found.total += 1;
            if found.hits.len() < self.args.limit {
                found.hits.push(SearchHit {
                    maybe: Some(uses.maybe).filter(|count| *count > 0),
                    own_file: Some(uses.own_file),
                    tests: Some(uses.tests),
                    ..to_proto::search_hit(info, self.stale)
                });
            }
        }
        NameSearchResult { is_least, ..found }
    }

    fn search(&self, text: &str) -> SearchAnswer {
        let rules = self.scope.rules();
        // The search knows paths; tests and callers are asked about its hits.
        let is_narrowed = rules.ask_map() || self.args.callers.is_some();
        let limit = if is_narrowed { LOOKED_AT } else { self.args.limit };
        let query = SearchQuery { text, kinds: kind_filter(&self.args.kind), path_prefix: "", limit };
        if self.scope.is_all() {
            return self.map.search(&query);
        }
        let prefixes = rules.path_prefixes();
        let files = SearchedFiles {
            admits: &|path| rules.has_path(path),
            prefixes: prefixes.as_deref(),
            has_whole_folders: rules.has_whole_folders(),
        };
        let mut answer = self.map.search_among(&query, &files);
        let all = self.map.search(&SearchQuery { limit: 1, ..query }).total;
        self.scope.left_out(all.saturating_sub(answer.total), 0);
        let before = answer.hits.len();
        answer.hits.retain(|hit| rules.has_node(self.map, hit.info.node));
        let gone = before - answer.hits.len();
        self.scope.left_out(0, gone);
        answer.total -= gone;
        answer.total_is_least |= gone > 0 && answer.total > answer.hits.len();
        if self.args.callers.is_none() {
            answer.hits.truncate(self.args.limit);
        }
        answer
    }
}
