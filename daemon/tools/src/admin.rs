//! Answers the tools that are not about code: the no-op, digests, and the closing and forgetting of projects.

use hob_proto::tools::admin::{CloseResult, DigestArgs, DigestResult, PartDigest, PurgeArgs, PurgeResult};
use hob_proto::{ClientKind, ErrorCode, ToolError};
use serde_json::json;

use super::map::confined_path;
use super::{NeededIndex, ToolCall, ToolOutcome, to_data};
use hob_host::{Digest, DigestPart, DigestQuery};
use hob_results::errors;
use hob_words::investigate::bundle;

/// Does nothing. With `fresh`, it does nothing behind the barrier, which is how the barrier's cost is measured.
pub(super) fn noop(call: &mut ToolCall<'_>) -> ToolOutcome {
    if call.terms.fresh {
        call.workspace(NeededIndex::Text)?;
    }
    Ok(json!({}))
}

pub(super) fn digest(call: &mut ToolCall<'_>) -> ToolOutcome {
    let args: DigestArgs = call.parse_args()?;
    let workspace = call.workspace(NeededIndex::Map)?;
    let query = DigestQuery {
        below: confined_path(&workspace, args.path_prefix.as_deref())?.unwrap_or_else(hob_base::WsPath::root),
        from: args.from,
        limit: args.limit.unwrap_or(usize::MAX),
        list: args.list.as_deref().and_then(digest_part),
    };
    let known = workspace.compute_digest(&query, &call.cancel).map_err(|_| errors::cancelled())?;
    if !known.steady {
        call.notes.warnings.push("Files changed meanwhile: the digests are not of one moment.".to_owned());
    }
    let stats = workspace.map().stats();
    to_data(&DigestResult {
        files: part_digest(known.files),
        map: part_digest(known.map),
        text: part_digest(known.text),
        symbols: stats.symbols,
        references: stats.references,
        lines: query.list.map(|_| known.lines),
    })
}

/// Forgets a project. This is for the user to decide, so only the command line may ask for it.
pub(super) fn purge(call: &mut ToolCall<'_>) -> ToolOutcome {
    let args: PurgeArgs = call.parse_args()?;
    if call.request.client != ClientKind::Cli {
        return Err(ToolError::bad_args("Forgetting a project is for the user to do.")
            .hint("Ask the user to run `hob purge --root DIR`."));
    }
    let failed = |why: String| {
        ToolError::new(ErrorCode::Internal, format!("The project was not forgotten as a whole: {why}."))
            .hint("Ask again once that is mended; `hob purge` without --root removes everything.")
    };
    let kept = call.services.host.kept_for(&call.terms.start);
    let bundles =
        bundle::of_root(call.services.host.store(), &kept.root).map_err(|error| failed(error.to_string()))?;
    if args.confirm {
        call.notes.is_done = true;
        call.services.host.purge_project(&kept).map_err(failed)?;
        bundle::forget_bundles(call.services.host.store(), &bundles)
            .map_err(|error| failed(error.to_string()))?;
    }
    to_data(&PurgeResult {
        root: kept.root.to_string(),
        removed: args.confirm,
        folders: kept.folders.iter().map(|folder| folder.display().to_string()).collect(),
        pending: kept.pending,
        undo: kept.undo,
        bundles: bundles.len(),
    })
}

/// Closes a project. This is for the user to decide, because other agents may be at work in it.
pub(super) fn close(call: &mut ToolCall<'_>) -> ToolOutcome {
    if call.request.client != ClientKind::Cli {
        return Err(ToolError::bad_args("Closing a project is for the user to do.")
            .hint("Ask the user to run `hob close DIR`."));
    }
    call.notes.is_done = true;
    let closed = call.services.host.close_project(&call.terms.start);
    to_data(&CloseResult {
        root: closed.root.to_string(),
        was_open: closed.was_open,
        freed_bytes: closed.freed,
        servers: closed.servers,
    })
}

fn digest_part(word: &str) -> Option<DigestPart> {
    match word {
        "files" => Some(DigestPart::Files),
        "map" => Some(DigestPart::Map),
        "text" => Some(DigestPart::Text),
        _ => None,
    }
}

fn part_digest(digest: Digest) -> PartDigest {
    PartDigest { count: digest.count, digest: digest.hash.to_string() }
}
