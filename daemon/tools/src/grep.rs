//! Answers `hob_grep`: everything that matches, a page at a time, for a program that prints it.

use hob_base::WsPath;
use hob_proto::tools::grep::{GrepArgs, GrepFile, GrepResult};
use hob_proto::{ErrorCode, ToolError};
use hob_text::SearchError;
use hob_text::grep::{self as text, GrepCase, GrepKeep, GrepPattern, GrepRequest, PagePlace};
use ignore::overrides::{Override, OverrideBuilder};
use ignore::types::{Types, TypesBuilder};

use super::map::confined_path;
use super::{NeededIndex, ToolCall, ToolOutcome, to_data};
use hob_host::Workspace;
use hob_results::errors;

pub(super) fn grep(call: &mut ToolCall<'_>) -> ToolOutcome {
    let args: GrepArgs = call.parse_args()?;
    // The barrier was passed for the first page, and later pages continue from there.
    call.terms.fresh &= args.after_path.is_none();
    let workspace = call.workspace(NeededIndex::Text)?;
    let place = confined_path(&workspace, args.place.as_deref())?.unwrap_or_else(WsPath::root);
    let selection = Selection::new(&workspace, &args)?;
    let pattern = grep_pattern(&args);
    let snapshot = workspace.text();
    let request = GrepRequest {
        pattern: &pattern,
        keep: keep_of_word(&args.keep),
        context: (args.before, args.after),
        max_lines: args.max_count,
        prefix: Some(place.clone()),
        admits: &|path| *path == place || selection.admits_path(path),
        from: args.after_path.clone().map(|path| PagePlace { path, rows: args.after_row }),
    };
    let contents = workspace.disk_contents();
    let page = workspace
        .query_pool()
        .install(|| text::search_page(&snapshot, &request, &contents, &call.cancel))
        .map_err(|bad| errors::search(&SearchError::Pattern(bad), &args.patterns.join("\n")))?;
    if page.stopped {
        return Err(errors::cancelled());
    }
    // Files that matched or were searched are known; only without any is it checked whether the place has files at all.
    let known = !page.files.is_empty()
        || page.searched > 0
        || snapshot.indexed_paths().any(|(_, path)| path.is_below(&place) || *path == place);
    let is_file = known && snapshot.indexed_paths().any(|(_, path)| *path == place);
    let (next_path, next_row) = page.next.map_or((None, None), |next| (Some(next.path), next.rows));
    to_data(&GrepResult {
        files: page.files.into_iter().map(file).collect(),
        place: place.to_string(),
        is_file,
        known,
        next_path,
        next_row,
        searched: page.searched,
        bytes: page.bytes,
        unreadable: page.unreadable,
    })
}

fn grep_pattern(args: &GrepArgs) -> GrepPattern {
    let case = match args.case.as_str() {
        "insensitive" => GrepCase::Insensitive,
        "smart" => GrepCase::Smart,
        _ => GrepCase::Sensitive,
    };
    GrepPattern { patterns: args.patterns.clone(), fixed: args.fixed, case, word: args.word, line: args.line }
}

fn keep_of_word(word: &str) -> GrepKeep {
    match word {
        "matches" => GrepKeep::Matches,
        "counts" => GrepKeep::Counts,
        "paths" => GrepKeep::Paths,
        _ => GrepKeep::Lines,
    }
}

fn file(found: text::GrepFile) -> GrepFile {
    let mut rows = Vec::with_capacity(found.rows.len() * 5);
    for row in found.rows {
        rows.extend([row.kind as u64, row.line, row.offset, row.len as u64, row.matches.len() as u64]);
        rows.extend(row.matches.iter().flat_map(|&(start, end)| [start as u64, end as u64]));
    }
    let (text, latin) = match String::from_utf8(found.text) {
        Ok(text) => (text, false),
        Err(error) => (error.into_bytes().into_iter().map(char::from).collect(), true),
    };
    GrepFile {
        path: found.path,
        text,
        latin,
        rows,
        lines: found.lines,
        matches: found.matches,
        searched: found.searched,
        binary: found.binary,
        continues: found.continues,
        unfinished: found.unfinished,
    }
}

/// The test for files by globs and types, with ripgrep's own rules.
struct Selection {
    root: std::path::PathBuf,
    globs: Override,
    types: Types,
}

impl Selection {
    fn new(workspace: &Workspace, args: &GrepArgs) -> Result<Self, ToolError> {
        let root = workspace.root().as_path().to_path_buf();
        let from = confined_path(workspace, args.globs_from.as_deref())?.unwrap_or_else(WsPath::root);
        let mut globs = OverrideBuilder::new(root.join(from.as_str()));
        for glob in &args.globs {
            globs.add(glob).map_err(|error| bad_glob(&error))?;
        }
        let mut types = TypesBuilder::new();
        types.add_defaults();
        for name in &args.types {
            match name.strip_prefix('!') {
                Some(name) => types.negate(name),
                None => types.select(name),
            };
        }
        let globs = globs.build().map_err(|error| bad_glob(&error))?;
        let types = types.build().map_err(|error| bad_glob(&error))?;
        Ok(Self { root, globs, types })
    }

    fn admits_path(&self, path: &WsPath) -> bool {
        if self.globs.is_empty() && self.types.is_empty() {
            return true;
        }
        let text = path.as_str();
        let in_folder = || {
            let mut folders = text.match_indices('/').map(|(at, _)| &text[..at]);
            folders.any(|folder| self.globs.matched(self.root.join(folder), true).is_ignore())
        };
        let whole = self.root.join(text);
        let by_glob = self.globs.matched(&whole, false);
        // As in a walk, a glob that admits a file takes precedence over its type.
        let by_type = by_glob.is_whitelist() || !self.types.matched(&whole, false).is_ignore();
        !by_glob.is_ignore() && by_type && !in_folder()
    }
}

fn bad_glob(error: &ignore::Error) -> ToolError {
    ToolError::new(ErrorCode::BadArgs, error.to_string())
}
