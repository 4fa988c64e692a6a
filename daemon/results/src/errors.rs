//! Defines the errors that clients see: code, message, and what to do next.

use std::time::Duration;

use hob_base::{AbsPath, Stopped, WsPath};
use hob_live::find::Rejected;
use hob_live::live::LiveError;
use hob_live::rpc::CallError;
use hob_live::spec::ServerSpec;
use hob_map::Map;
use hob_proto::node_id::BadNodeId;
use hob_proto::tools::unknown_tool;
use hob_proto::{ErrorCode, NodeId, ToolError};
use hob_text::{BadGlob, BadPattern, CountError, SearchError};
use hob_workspace::{ConfineError, RootError};
use serde_json::json;

use hob_host::{ExportError, ImportError, IngestProgress, ModelsError, OpenError, Progressed, Workspace};

/// Returns the error for a call that the caller cancelled.
pub fn cancelled() -> ToolError {
    ToolError::new(ErrorCode::Cancelled, "The call was cancelled.")
}

/// Returns the error for a call that met a bug, with the report's number in the log.
pub fn internal(report: &str) -> ToolError {
    ToolError::new(
        ErrorCode::Internal,
        format!("This call hit a bug in hob (report {report}). Other calls are not affected."),
    )
    .hint("`hob logs` shows the details under this report id; please report it.")
    .with_field("report", report)
}

/// Returns the error for a tool that does not exist.
pub fn no_such_tool(name: &str) -> ToolError {
    ToolError::bad_args(unknown_tool(name).to_string()).hint("`hob tools` lists them.")
}

/// Returns the error for a workspace that could not be opened.
pub fn open(error: &OpenError) -> ToolError {
    let base = ToolError::bad_args(crate::to_sentence(&error.to_string()));
    match error {
        OpenError::Root(RootError::Missing(_)) => {
            base.hint("Pass `root`: a folder of the project, as an absolute path.")
        }
        OpenError::Root(RootError::TooBroad(folder)) => base.hint(too_broad(folder)),
        OpenError::Root(RootError::Pseudo { .. }) => {
            base.hint("Pass `root`: a project's folder, as an absolute path.")
        }
        OpenError::Root(_) => base.hint("Pass `root`: a folder of the project that this user may read."),
    }
}

/// Returns the error for the index at `source`, which was not imported.
pub fn import_failed(source: &AbsPath, error: &ImportError) -> ToolError {
    let hint = match error {
        ImportError::Cancelled => return cancelled(),
        ImportError::Unreadable(_) => "Pass the file that the indexer has written, such as index.scip.",
        ImportError::TooLarge(_) => {
            "Have the indexer make one index for each part of the project, and import each."
        }
        ImportError::Broken(_) => "Have the indexer make it again; hob reads SCIP and not LSIF.",
        ImportError::OtherRoot { .. } => {
            "Pass --root with a folder of that project, or --relocate if its paths are those of this one."
        }
        ImportError::NothingBelieved { are_newer: true, .. } => {
            "Make it again, or pass --accept-newer if a checkout or a copy has set the times of the files anew."
        }
        ImportError::NothingBelieved { .. } => "Have the indexer make it again, of the project as it is now.",
        ImportError::TooMany => "Drop one that is not needed: `hob index list`, `hob index drop NAME`.",
        ImportError::NotKept(_) => "Make room, or see `hob doctor`; then import it again.",
    };
    ToolError::bad_args(format!("`{source}` was not imported: {error}.")).hint(hint)
}

/// Returns the error for an imported index that could not be removed.
pub fn index_not_removed(name: &str, error: &std::io::Error) -> ToolError {
    ToolError::new(ErrorCode::Internal, format!("The imported index `{name}` could not be removed: {error}."))
        .hint("Ask again once that is mended.")
}

/// Returns the error for the name of an imported index that does not exist.
pub fn no_such_index(name: &str, known: &[String]) -> ToolError {
    let hint = match known.is_empty() {
        true => "No index is imported.".to_owned(),
        false => format!("There are: {}.", known.join(", ")),
    };
    ToolError::bad_args(format!("No imported index is called `{name}`.")).hint(hint)
}

/// Returns the error for a map that was not written as an index.
pub fn export_failed(error: &ExportError) -> ToolError {
    match error {
        ExportError::Cancelled => cancelled(),
        ExportError::InTheWay(_) => ToolError::bad_args(crate::to_sentence(&error.to_string()))
            .hint("Pass another --output, or --force to replace it."),
        ExportError::Io(_) => ToolError::new(ErrorCode::Internal, crate::to_sentence(&error.to_string()))
            .hint("Make room, or see `hob doctor`; then ask again."),
    }
}

/// Returns the hint for a folder that contains many projects.
fn too_broad(folder: &AbsPath) -> String {
    format!(
        "Start in a project's own folder or pass its path as `root` (`hob --root DIR`): any folder below this one will do. If all of \
         this folder is meant, such as a home folder under version control, write `allow_roots = [{}]` into your config.toml, above \
         its first section (`hob config path` says where it is).",
        json!(folder.to_string())
    )
}

/// Returns the error for a workspace's folder that vanished, or became unreadable, during the call.
pub fn root_gone(workspace: &Workspace, why: &str) -> ToolError {
    let message = format!("The project's folder `{}` cannot be read: {why}.", workspace.root());
    ToolError::bad_args(message)
        .hint("Ask again once it is back: everything is then looked at anew. Another project's folder goes as `root`.")
}

/// Returns the error for a first index that is not complete yet.
pub fn not_built(workspace: &Workspace, progressed: Progressed) -> ToolError {
    let (done, total) = (progressed.done, progressed.total);
    let far = match total {
        Some(total) => format!("{done} of {total} files"),
        None => format!("{done} files so far"),
    };
    let message = format!(
        "The first index of `{}` is still being built: {}, {far}.",
        workspace.root(),
        progressed.phase.as_str()
    );
    ToolError::new(ErrorCode::MapNotBuilt, message)
        .hint("Call again in a moment; indexing goes on meanwhile.")
        .with_field(
            "progress",
            json!({"phase": progressed.phase.as_str(), "filesDone": done, "filesTotal": total}),
        )
}

/// Returns the error for an index of ranked search that is not complete yet.
pub fn words_not_built(workspace: &Workspace, IngestProgress { done, total }: IngestProgress) -> ToolError {
    let message =
        format!("The ranked index of `{}` is still being built: {done} of {total} files.", workspace.root());
    ToolError::new(ErrorCode::MapNotBuilt, message)
        .hint("Call again in a moment; indexing goes on meanwhile. regex_search answers already.")
        .with_field("progress", json!({"phase": "indexing words", "filesDone": done, "filesTotal": total}))
}

/// Returns the error for an index of ranked search that cannot be made or read.
pub fn words_failed(why: &str) -> ToolError {
    ToolError::new(ErrorCode::Internal, format!("The ranked index cannot be used: {why}."))
        .hint("Call again: it is checked and, if need be, made anew. regex_search does not need it.")
}

/// Returns the error for a path argument that leads out of the workspace.
pub fn outside_workspace(error: &ConfineError, root: &AbsPath) -> ToolError {
    ToolError::new(ErrorCode::OutsideWorkspace, crate::to_sentence(&error.to_string())).hint(format!(
        "Paths are relative to the workspace root `{root}`; pass `root` for another workspace."
    ))
}

/// Returns the error for a text that begins like a node ID and is none.
pub fn bad_node_id(error: &BadNodeId, text: &str) -> ToolError {
    let name: String = text.chars().take(60).collect();
    ToolError::new(ErrorCode::BadNodeId, error.to_string()).hint(format!(
        "IDs come from map_search: map_search {{\"query\": {}}} finds this one's.",
        json!(name)
    ))
}

/// Returns the error for a name of several nodes; `lines` describe the likeliest, each of which can be passed
/// back.
pub fn several_nodes(name: &str, count: usize, lines: Vec<String>) -> ToolError {
    let name: String = name.chars().take(60).collect();
    let more = match count.saturating_sub(lines.len()) {
        0 => String::new(),
        more => format!(" {more} more are not shown: pass a qualified name or `path#name`."),
    };
    ToolError::bad_args(format!("`{name}` is the name of {count} definitions."))
        .hint(format!("Pass one of `candidates`.{more}"))
        .with_field("candidates", lines)
}

/// Returns the error for an invalid regex in `around`.
pub fn bad_around(error: &regex::Error) -> ToolError {
    ToolError::new(ErrorCode::BadPattern, format!("`around` is no regex: {error}"))
        .hint("Use Rust's regex syntax, with a backslash before a literal character: `\\(`.")
}

/// Returns the error for a file that exists and is not in the map.
pub fn not_mapped(path: &WsPath) -> ToolError {
    ToolError::new(ErrorCode::SymbolNotFound, format!("`{path}` is text without a map of its symbols."))
        .hint("read_symbols shows it, regex_search finds its lines.")
}

/// Returns the error for a focus that names neither a folder, nor a cluster, nor a node.
pub fn unknown_focus(workspace: &Workspace, focus: &str) -> ToolError {
    let shown: String = focus.chars().take(120).collect();
    let is_there = WsPath::new(focus).is_ok_and(|path| workspace.root().join_ws(&path).as_path().exists());
    let message = match is_there {
        true => format!("Nothing in `{shown}` is mapped."),
        false => format!("There is no folder, cluster or node `{shown}` in the map."),
    };
    let hint = match is_there {
        true => {
            "It may be ignored, or in no language that is mapped: regex_search finds text, map_status says what is left out."
        }
        false => {
            "Pass a folder or file, a cluster's label or number, or a node ID; without focus the overview lists them."
        }
    };
    ToolError::new(ErrorCode::SymbolNotFound, message).hint(hint)
}

/// Returns the error for an ID that is well-formed but names nothing.
pub fn node_not_found(id: &str) -> ToolError {
    ToolError::new(ErrorCode::NodeNotFound, format!("There is no node `{id}` in the map."))
        .hint("IDs come from map_search or map_overview; the definition may have been renamed or removed.")
}

/// Returns the error for an unknown name; `similar` are IDs of similar names.
pub fn no_such_symbol(name: &str, similar: Vec<String>) -> ToolError {
    let error = ToolError::new(ErrorCode::SymbolNotFound, format!("Nothing in the map is called `{name}`."));
    if similar.is_empty() {
        return error.hint("map_search finds symbols by part of their name, regex_search by any text.");
    }
    error
        .hint("`similar` lists what resembles it; map_search finds symbols by part of their name.")
        .with_field("similar", similar)
}

/// Returns the error for a folder where a symbol or a file is needed.
pub fn folder_as_symbol(folder: &WsPath) -> ToolError {
    let name = if folder.as_str().is_empty() { "." } else { folder.as_str() };
    ToolError::new(ErrorCode::SymbolNotFound, format!("`{name}` is a folder: this needs a symbol or a file."))
        .hint("read_symbols lists what a folder has, and map_overview shows its most connected symbols.")
}

/// Returns the error for a name that the map does not have, with the explanation `why`.
pub fn absent_symbol(name: &str, why: String) -> ToolError {
    ToolError::new(ErrorCode::SymbolNotFound, format!("Nothing in the map is called `{name}`.")).hint(why)
}

/// Returns the error of [`node_not_found`], or a more exact one that says whether the file or the name is
/// gone. Takes the caller's `map`: to lock it for reading a second time would wait for ever behind a writer
/// that waits for the first lock.
pub fn missing_node(map: &Map, workspace: &Workspace, id: &NodeId) -> ToolError {
    let error = node_not_found(&id.to_string());
    let Some(path) = id.path() else { return error };
    let Some(file) = map.file_at(path) else {
        let on_disk = WsPath::new(path).is_ok_and(|path| workspace.root().join_ws(&path).as_path().exists());
        return if on_disk {
            error.hint(
                "The file exists but is not mapped: it may be ignored, too large or of no known language.",
            )
        } else {
            ToolError::new(ErrorCode::NodeNotFound, format!("There is no file `{path}` in the map."))
                .hint("It may have been moved or deleted: look its symbols up with map_search.")
        };
    };
    let names: Vec<String> = map
        .defs_of(file)
        .into_iter()
        .filter_map(|def| map.info(def.into()))
        .map(|info| info.id.to_string())
        .take(10)
        .collect();
    error.with_field("sameFile", names)
}

/// Returns the error for a call with neither a position nor a node, or with both.
pub fn position_or_node() -> ToolError {
    ToolError::bad_args(
        "Exactly one of `target`, `nodeId`, or `file` with `line`, is needed, and a file alone is no place.",
    )
    .hint("Pass {\"target\": \"Session.refresh\"} or {\"target\": \"src/a.py:3:5\"}.")
}

/// Returns the error for a call of `resolve` with none of its three shapes, or with several.
pub fn one_shape_of_resolve() -> ToolError {
    ToolError::bad_args("Exactly one of `nodeId`, `file` with `line`, or `subject` is needed.").hint(
        "Pass {\"nodeId\": \"py:src/a.py#f\"}, {\"file\": \"src/a.py\", \"line\": 3} or {\"subject\": \"session store\"}.",
    )
}

/// Returns the error for a node that is a package outside the workspace.
pub fn node_without_file(id: &str) -> ToolError {
    ToolError::bad_args(format!("`{id}` is a package outside the workspace and has no position."))
        .hint("Ask about a place where it is used: map_neighbors lists them.")
}

/// Returns the error for a file that does not exist now.
pub fn file_deleted(file: &WsPath) -> ToolError {
    ToolError::new(ErrorCode::FileDeleted, format!("There is no file `{file}` in the workspace."))
        .hint("It may have been moved or deleted: map_search finds where its symbols are now.")
}

/// Returns the error for a call hierarchy at a place without a function.
pub fn no_function_at(at: &hob_live::requests::RequestPosition) -> ToolError {
    let place = format!("{}:{}:{}", at.file, at.line, at.col);
    ToolError::new(ErrorCode::SymbolNotFound, format!("The language server knows no function at {place}."))
        .hint("Point at a function's name, or pass its nodeId.")
}

/// Returns the error for a `fileFilter` that looks like a glob and is none.
pub fn bad_file_filter(error: &globset::Error) -> ToolError {
    ToolError::new(ErrorCode::BadPattern, crate::to_sentence(&error.to_string()))
        .hint("`fileFilter` takes a part of the path, or a glob such as src/**/*.py.")
}

/// Returns the command that makes a project trusted.
pub fn to_trust(root: &AbsPath) -> String {
    let text = root.to_string();
    let plain = text.chars().all(|c| c.is_alphanumeric() || "/\\._-:".contains(c));
    if plain { format!("hob trust {text}") } else { format!("hob trust '{}'", text.replace('\'', r"'\''")) }
}

/// Returns the note that a server runs restricted because the project is not trusted, with the cost and the
/// way to lift it; `None` if it runs unrestricted.
pub fn restriction_note(server: &ServerSpec, root: &AbsPath, trusted: bool) -> Option<String> {
    let cost = server.restricted.filter(|_| !trusted)?;
    let lift = to_trust(root);
    let name = server.name;
    Some(format!("{name} runs restricted, as this project is not trusted: {cost}; `{lift}` lifts it."))
}

/// Lists the programs that were found and cannot be used, with the reasons.
pub fn unusable_programs(rejected: &[Rejected]) -> Vec<String> {
    rejected.iter().map(|it| format!("{}: {}", it.program.display(), it.why)).collect()
}

/// Returns the error for a server name that hob does not know.
pub fn unknown_server(name: &str) -> ToolError {
    ToolError::bad_args(format!("There is no language, file ending or language server `{name}`."))
        .hint("`hob servers list` shows what there is.")
}

/// Returns the error for a model that could not be added or removed.
pub fn model_failed(error: &ModelsError) -> ToolError {
    let base = ToolError::bad_args(crate::to_sentence(&error.to_string()));
    match error {
        ModelsError::Model(_) if error.is_not_built() => base,
        ModelsError::Model(_) => base.hint(
            "A model is a folder with `model.safetensors` and `tokenizer.json`, as model2vec writes it.",
        ),
        ModelsError::Name(_) => base.hint("Pass another name (`hob model add DIR --name NAME`)."),
        ModelsError::Unknown { .. } => base.hint("`hob model list` shows them."),
        ModelsError::Folder { .. } => base.hint("Make room for it, or let this user write there."),
    }
}

/// Returns the error for a new name that is invalid or taken.
pub fn bad_new_name(name: &str) -> ToolError {
    let shown: String = name.chars().filter(|c| !c.is_control()).take(60).collect();
    ToolError::bad_args(format!("`newName` must be another name, and `{shown}` is not."))
        .hint("Pass the name alone, as it is to stand in the code.")
}

/// Returns the error for a path that a file cannot move to.
pub fn bad_new_path(to: &WsPath) -> ToolError {
    ToolError::bad_args(format!("A file cannot be moved to `{to}`: it is no free place for a file."))
        .hint("`newName` of a file is a new name in its folder, or with a `/` a path from the root.")
}

/// Returns the error for files that changed repeatedly while a server made an edit.
pub fn keeps_changing() -> ToolError {
    ToolError::new(ErrorCode::Conflict, "Files kept changing while the language server worked out the edit.")
        .hint("Ask again once whatever writes to the project has come to rest.")
}

/// The field of an error that has a server's refusal.
pub const REFUSAL: &str = "refusal";

/// The field of an error that says that a server is being replaced.
pub const RESTARTING: &str = "restarting";

/// The field that marks the error of a language server that is starting or loading.
pub const LOADING: &str = "loading";

/// Returns the error for a language server that is starting, or that loads files for a question; `None` for
/// other errors.
pub fn server_loading(error: &LiveError) -> Option<ToolError> {
    let message = match error {
        LiveError::Loading { server, what } if what.is_empty() => format!("{server} is loading"),
        LiveError::Loading { server, what } => format!("{server} is loading, {what}"),
        LiveError::Stopped { server, stopped: Stopped::DeadlinePassed } => format!("{server} is starting"),
        _ => return None,
    };
    Some(ToolError::new(ErrorCode::LspTimeout, message).with_field(LOADING, true))
}

/// Returns the error for a language server without an answer.
pub fn server_failed(error: &LiveError, patience: Duration) -> ToolError {
    let message = crate::to_sentence(&error.to_string());
    match error {
        LiveError::NoSuchLanguage { .. } => ToolError::new(ErrorCode::LspUnavailable, message)
            .hint("Static structure is still available via map_* tools."),
        LiveError::SwitchedOff { .. } => ToolError::new(ErrorCode::LspUnavailable, message).hint(
            "The user's settings say so: `hob servers why LANGUAGE` shows them. map_* tools need no server.",
        ),
        LiveError::NotInstalled { server, install, rejected } => {
            let by_hob = hob_live::catalogue::by_name(server).is_some_and(|spec| spec.install.is_some());
            let by_hob = if by_hob { format!("`hob servers install {server}`, or ") } else { String::new() };
            let rest = "Static structure is still available via map_* tools.";
            ToolError::new(ErrorCode::LspUnavailable, message)
                .hint(format!("Install it: {by_hob}{install}. {rest}"))
                .with_field("rejected", unusable_programs(rejected))
        }
        LiveError::Untrusted { root, install, rejected, .. } => {
            let lift = to_trust(root);
            let hint = format!(
                "If the user trusts what this project brings along: `{lift}`. Without trust: {install}; map_* tools need neither."
            );
            ToolError::new(ErrorCode::UntrustedWorkspace, message)
                .hint(hint)
                .with_field("rejected", unusable_programs(rejected))
        }
        LiveError::Failed { stderr, .. } => ToolError::new(ErrorCode::LspFailed, message)
            .hint("map_* tools go on without it; map_status shows the server's last words.")
            .with_field("stderrTail", stderr.clone()),
        LiveError::NotStarted { stderr, .. } => ToolError::new(ErrorCode::LspFailed, message)
            .hint("`hob servers why LANGUAGE` and `hob config check` show which program that is and try it; map_* tools go on without it.")
            .with_field("stderrTail", stderr.clone()),
        LiveError::Restarting { .. } => ToolError::new(ErrorCode::LspFailed, message)
            .hint("Ask again in a moment; map_* tools go on without it.")
            .with_field(RESTARTING, true),
        LiveError::Stopped { stopped: Stopped::Cancelled, .. } => cancelled(),
        LiveError::Stopped { server, stopped: Stopped::DeadlinePassed } => {
            let message = format!("{server} did not answer within {} s.", patience.as_secs());
            ToolError::new(ErrorCode::LspTimeout, message)
                .hint("Ask again, it may still be loading; or use map_neighbors and regex_search meanwhile.")
        }
        LiveError::Unsupported { .. } => ToolError::new(ErrorCode::LspUnsupported, message)
            .hint("map_neighbors and regex_search need no language server."),
        LiveError::NotRenamable { why: None, .. } => ToolError::new(ErrorCode::SymbolNotFound, message)
            .hint("Point at a name that the project itself defines, or pass its nodeId."),
        LiveError::NotRenamable { .. } => {
            ToolError::bad_args(message).hint("The language server says so; nothing was changed.")
        }
        LiveError::BadEdit { .. } => ToolError::new(ErrorCode::LspFailed, message)
            .hint("Nothing was changed. Ask again; edit_text and edit_pattern need no server."),
        LiveError::Loading { .. } => ToolError::new(ErrorCode::LspTimeout, message).hint(
            "Ask again in a while: a rename by a server that knows part of the project would break the rest.",
        ),
        LiveError::Unreadable(_) => {
            ToolError::bad_args(message).hint("Language servers read text files in UTF-8 only.")
        }
        LiveError::Refused { error: CallError::Refused(refusal), .. } => {
            ToolError::new(ErrorCode::LspFailed, message)
                .hint("Ask again; map_* tools go on without the server.")
                .with_field(REFUSAL, refusal.message.clone())
        }
        LiveError::Refused { .. } | LiveError::Closing => ToolError::new(ErrorCode::LspFailed, message)
            .hint("Ask again; map_* tools go on without the server."),
    }
}

/// Returns the error for a pattern or glob that cannot be used.
pub fn search(error: &SearchError, pattern: &str) -> ToolError {
    match error {
        SearchError::Pattern(bad) => bad_pattern(bad, pattern, ""),
        SearchError::Glob(bad) => bad_glob(bad),
    }
}

/// Returns the error for patterns that cannot be counted, with the faulty one.
pub fn count(error: &CountError, patterns: &[String]) -> ToolError {
    match error {
        CountError::Glob(bad) => bad_glob(bad),
        CountError::TooMany(_) => ToolError::bad_args(format!("`patterns` has {error}"))
            .hint("Ask in several calls, or join alternatives that need no counts of their own: foo|bar."),
        CountError::Pattern { number, error } => {
            let pattern = patterns.get(*number).map_or("", String::as_str);
            let which = format!("`patterns` item {} of {}: ", number + 1, patterns.len());
            let shown: String = pattern.chars().take(100).collect();
            bad_pattern(error, pattern, &which).with_field("index", *number).with_field("pattern", shown)
        }
    }
}

fn bad_pattern(bad: &BadPattern, pattern: &str, which: &str) -> ToolError {
    let hint = if bad.is_too_large {
        "Split it, or make it smaller: (?-u:\\w) takes far less than \\w, and x{20,} finds what x{20,500} finds."
    } else {
        "Rust regex syntax: no look-around or back-references; escape literal ( ) [ ] { } . * + ? | ^ $ \\."
    };
    let message = crate::to_sentence(&format!("{which}{bad}"));
    let base = ToolError::new(ErrorCode::BadPattern, message).hint(hint);
    match bad.offset {
        Some(offset) => base.with_field("offset", offset).with_field("near", pattern_near(pattern, offset)),
        None => base,
    }
}

/// Returns the error for an invalid glob.
pub fn bad_glob(bad: &BadGlob) -> ToolError {
    ToolError::new(ErrorCode::BadPattern, crate::to_sentence(&bad.to_string()))
        .hint("`glob` takes patterns such as *.py or src/**/test_*.")
}

/// Returns the part of the pattern around the place of an error.
fn pattern_near(pattern: &str, offset: usize) -> String {
    let from = pattern.char_indices().map(|(at, _)| at).rfind(|at| *at + 10 <= offset).unwrap_or(0);
    pattern[from..].chars().take(25).collect()
}

/// Returns the error for a node whose symbol is no longer in its file. `names` are the names in the file.
pub fn symbol_gone(id: &NodeId, names: &[String]) -> ToolError {
    let file = id.path().unwrap_or_default();
    ToolError::new(ErrorCode::SymbolNotFound, format!("Nothing in `{file}` is what `{id}` names."))
        .hint("It was renamed, removed or moved: `sameFile` lists names of the file, map_search looks everywhere.")
        .with_field("mapStale", true)
        .with_field("sameFile", names.to_vec())
}

/// Returns the error for a node whose file is gone; `name` is the name to search for elsewhere.
pub fn file_of_node_gone(file: &WsPath, name: &str) -> ToolError {
    file_deleted(file).hint(format!(
        "It was deleted or moved: map_search {{\"query\": {}}} finds the symbol's new home.",
        json!(name)
    ))
}

/// Returns the error for a line that the file does not have.
pub fn no_such_line(file: &WsPath, line: u32, lines: u32) -> ToolError {
    let plural = if lines == 1 { "" } else { "s" };
    ToolError::bad_args(format!("`{file}` has {lines} line{plural}, and line {line} was asked about."))
        .hint("Lines are 1-based; read the file again, it may have changed.")
        .with_field("lines", lines)
}

/// Returns the error for a line with several names and no column; `names` are the names with their columns.
pub fn several_names(file: &WsPath, line: u32, names: &[(String, u32)]) -> ToolError {
    /// Most names that the error lists; a line with more is data.
    const LISTED: usize = 20;
    let one = |(name, col): &(String, u32)| format!("`{name}` ({col})");
    let mut listed: Vec<String> = names.iter().take(LISTED).map(one).collect();
    if let Some(more) = names.len().checked_sub(LISTED).filter(|more| *more > 0) {
        listed.push(format!("{more} more"));
    }
    let candidates: Vec<_> =
        names.iter().take(LISTED).map(|(name, col)| json!({"name": name, "col": col})).collect();
    let message =
        format!("Several names stand at {file}:{line}, each with its column: {}.", listed.join(", "));
    ToolError::bad_args(message)
        .hint("Pass `col` of the one that is meant.")
        .with_field("candidates", candidates)
}

/// Returns the error for a line without a column that has no name.
pub fn nothing_named(file: &WsPath, line: u32) -> ToolError {
    ToolError::bad_args(format!("No name stands at {file}:{line}."))
        .hint("Pass the line of a name, or its nodeId, which map_search finds.")
}

/// Adds to the error of [`server_failed`] the lines that the map has for the queried node.
pub fn live_with_range(error: ToolError, id: &NodeId, lines: (u32, u32)) -> ToolError {
    error
        .hint("Ask again, or take `mapRange` as approximate.")
        .with_field("nodeId", id.to_string())
        .with_field("mapRange", json!({"line": lines.0, "endLine": lines.1}))
}
