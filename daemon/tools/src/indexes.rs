//! Answers `hob_index`: imports SCIP indexes, reports how far they are believed, drops them, and exports the map as
//! one. Only the user may import and export: an agent could otherwise make hob believe anything.

use std::time::{Duration, UNIX_EPOCH};

use hob_base::AbsPath;
use hob_host::{ImportRequest, IndexStatus, Workspace};
use hob_proto::tools::indexes::{DocumentsLeftAside, ExportedIndex, IndexInfo, IndexesArgs, IndexesResult};
use hob_proto::{ClientKind, ToolError};
use hob_results::{errors, map::rfc3339};

use super::{NeededIndex, ToolCall, ToolOutcome, to_data};

pub(super) fn indexes(call: &mut ToolCall<'_>) -> ToolOutcome {
    let args: IndexesArgs = call.parse_args()?;
    if args.action != "list" && call.request.client != ClientKind::Cli {
        return Err(ToolError::bad_args("Importing and exporting indexes is for the user to do.")
            .hint("Ask the user to run `hob index import FILE`."));
    }
    let mut result = match args.action.as_str() {
        "import" => import_index(call, &args)?,
        "drop" => drop_index(call, &args)?,
        "export" => export_index(call, &args)?,
        _ => IndexesResult::default(),
    };
    let workspace = call.workspace(NeededIndex::Text)?;
    result.root = workspace.root().to_string();
    result.indexes = workspace.index_statuses().into_iter().map(index_info).collect();
    to_data(&result)
}

fn import_index(call: &mut ToolCall<'_>, args: &IndexesArgs) -> Result<IndexesResult, ToolError> {
    let source = file_argument(args)?;
    let workspace = call.workspace(NeededIndex::Text)?;
    let request = ImportRequest {
        source: source.clone(),
        is_relocated: args.relocate,
        accepts_newer: args.accept_newer,
    };
    let failed = |error| errors::import_failed(&source, &error);
    let outcome = workspace.import_index(&request, &call.cancel).map_err(failed)?;
    call.notes.is_done = true;
    let left = outcome.left_aside.into_iter().map(|(why, (documents, first))| DocumentsLeftAside {
        why: why.as_str().to_owned(),
        documents,
        first,
    });
    Ok(IndexesResult { imported: Some(outcome.name), left_aside: left.collect(), ..IndexesResult::default() })
}

fn drop_index(call: &mut ToolCall<'_>, args: &IndexesArgs) -> Result<IndexesResult, ToolError> {
    let name = args.name.clone().ok_or_else(|| missing_argument("name"))?;
    let workspace = call.workspace(NeededIndex::Text)?;
    let is_gone = workspace.drop_index(&name).map_err(|error| errors::index_not_removed(&name, &error))?;
    if !is_gone {
        return Err(errors::no_such_index(&name, &names_of(&workspace)));
    }
    call.notes.is_done = true;
    Ok(IndexesResult { dropped: Some(name), ..IndexesResult::default() })
}

fn export_index(call: &mut ToolCall<'_>, args: &IndexesArgs) -> Result<IndexesResult, ToolError> {
    let target = file_argument(args)?;
    let workspace = call.workspace(NeededIndex::Map)?;
    let outcome = workspace
        .export_index(&target, args.force, &call.cancel)
        .map_err(|error| errors::export_failed(&error))?;
    let exported = ExportedIndex {
        file: outcome.file.to_string(),
        documents: outcome.documents,
        names: outcome.names,
        symbols: outcome.symbols,
    };
    Ok(IndexesResult { exported: Some(exported), ..IndexesResult::default() })
}

fn names_of(workspace: &Workspace) -> Vec<String> {
    workspace.imported_indexes().iter().map(|one| one.name.clone()).collect()
}

fn file_argument(args: &IndexesArgs) -> Result<AbsPath, ToolError> {
    let file = args.file.as_deref().ok_or_else(|| missing_argument("file"))?;
    let relative = || ToolError::bad_args(format!("`file` must be an absolute path, not `{file}`."));
    AbsPath::new(file).map_err(|_| relative())
}

fn missing_argument(argument: &str) -> ToolError {
    ToolError::bad_args(format!("This needs `{argument}`."))
}

fn index_info(one: IndexStatus) -> IndexInfo {
    let read_at = UNIX_EPOCH.checked_add(Duration::from_secs(one.title.read_at));
    IndexInfo {
        name: one.name,
        tool: one.title.tool,
        version: one.title.tool_version,
        source: one.title.source,
        documents: one.title.documents,
        files: one.files,
        believed: one.believed,
        names: one.names,
        symbols: one.symbols,
        bytes: one.disk_bytes,
        read_at: rfc3339(read_at),
    }
}
