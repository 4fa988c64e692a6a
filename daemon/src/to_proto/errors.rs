//! Every error's face: code, message, and what to do next.

use hob_base::{AbsPath, WsPath};
use hob_map::Map;
use hob_proto::node_id::BadNodeId;
use hob_proto::tools::unknown;
use hob_proto::{ErrorCode, NodeId, ToolError};
use hob_text::SearchError;
use hob_workspace::{ConfineError, RootError};
use serde_json::json;

use crate::host::{OpenError, Progressed, Workspace};

/// The caller cancelled.
pub fn cancelled() -> ToolError {
    ToolError::new(ErrorCode::Cancelled, "The call was cancelled.")
}

/// A bug.
pub fn internal(report: &str) -> ToolError {
    ToolError::new(
        ErrorCode::Internal,
        format!("This call hit a bug in hob (report {report}). Other calls are not affected."),
    )
    .hint("`hob logs` shows the details under this report id; please report it.")
    .with("report", report)
}

/// There is no such tool.
pub fn unknown_tool(name: &str) -> ToolError {
    ToolError::bad_args(unknown(name).to_string()).hint("`hob tools` lists them.")
}

/// No workspace could be opened.
pub fn open(error: &OpenError) -> ToolError {
    let base = ToolError::bad_args(crate::tools::sentence(&error.to_string()));
    match error {
        OpenError::Root(RootError::Missing(_)) => {
            base.hint("Pass `root`: a folder of the project, as an absolute path.")
        }
        OpenError::Root(_) => base.hint("Pass `root`: a folder of the project that this user may read."),
        OpenError::TooBroad(_) => base.hint("Start in a project's folder, or pass its path as `root`."),
    }
}

/// The first index is not there yet.
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
        .with("progress", json!({"phase": progressed.phase.as_str(), "filesDone": done, "filesTotal": total}))
}

/// A path argument leads out of the workspace.
pub fn confine(error: &ConfineError, root: &AbsPath) -> ToolError {
    ToolError::new(ErrorCode::OutsideWorkspace, crate::tools::sentence(&error.to_string())).hint(format!(
        "Paths are relative to the workspace root `{root}`; pass `root` for another workspace."
    ))
}

/// The text is no node ID.
pub fn bad_node_id(error: &BadNodeId, text: &str) -> ToolError {
    let name: String = text.chars().take(60).collect();
    ToolError::new(ErrorCode::BadNodeId, error.to_string()).hint(format!(
        "IDs come from map_search: map_search {{\"query\": {}}} finds this one's.",
        json!(name)
    ))
}

/// The ID is well-formed but names nothing.
pub fn node_not_found(id: &str) -> ToolError {
    ToolError::new(ErrorCode::NodeNotFound, format!("There is no node `{id}` in the map."))
        .hint("IDs come from map_search or map_overview; the definition may have been renamed or removed.")
}

/// As [`node_not_found`], telling a file that is gone from a name that is gone. Takes the caller's `map`: locking it for reading
/// a second time would wait for ever behind a writer that waits for the first.
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
    error.with("sameFile", names)
}

/// A pattern or glob that cannot be used.
pub fn search(error: &SearchError, pattern: &str) -> ToolError {
    match error {
        SearchError::Pattern(bad) => {
            let base = ToolError::new(ErrorCode::BadPattern, crate::tools::sentence(&bad.to_string()))
                .hint("Rust regex syntax: no look-around or back-references; escape literal ( ) [ ] { } . * + ? | ^ $ \\.");
            match bad.offset {
                Some(offset) => base.with("offset", offset).with("near", near(pattern, offset)),
                None => base,
            }
        }
        SearchError::Glob(bad) => {
            ToolError::new(ErrorCode::BadPattern, crate::tools::sentence(&bad.to_string()))
                .hint("`glob` takes patterns such as *.py or src/**/test_*.")
        }
    }
}

/// The pattern around the place of an error.
fn near(pattern: &str, offset: usize) -> String {
    let from = pattern.char_indices().map(|(at, _)| at).rfind(|at| *at + 10 <= offset).unwrap_or(0);
    pattern[from..].chars().take(25).collect()
}
