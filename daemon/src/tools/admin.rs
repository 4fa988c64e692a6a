//! Tools that are not about code.

use hob_proto::tools::admin::{DigestArgs, DigestResult, PartDigest};
use serde_json::json;

use super::map::prefix;
use super::{Needs, Outcome, ToolCall, data};
use crate::host::{Digest, DigestPart, DigestQuery};
use crate::to_proto::errors;

/// Does nothing. With `fresh`, it does nothing behind the barrier, which is how the barrier's cost is measured.
pub(super) fn noop(call: &mut ToolCall<'_>) -> Outcome {
    if call.fresh {
        call.workspace(Needs::Text)?;
    }
    Ok(json!({}))
}

pub(super) fn digest(call: &mut ToolCall<'_>) -> Outcome {
    let args: DigestArgs = call.args()?;
    let workspace = call.workspace(Needs::Map)?;
    let query = DigestQuery {
        below: prefix(&workspace, args.path_prefix.as_deref())?.unwrap_or_else(hob_base::WsPath::root),
        from: args.from,
        limit: args.limit.unwrap_or(usize::MAX),
        list: args.list.as_deref().and_then(part),
    };
    let known = workspace.digest(&query, &call.cancel).map_err(|_| errors::cancelled())?;
    if !known.steady {
        call.warnings.push("Files changed meanwhile: the digests are not of one moment.".to_owned());
    }
    let stats = workspace.map().stats();
    data(&DigestResult {
        files: brief(known.files),
        map: brief(known.map),
        text: brief(known.text),
        symbols: stats.symbols,
        references: stats.references,
        lines: query.list.map(|_| known.lines),
    })
}

fn part(word: &str) -> Option<DigestPart> {
    match word {
        "files" => Some(DigestPart::Files),
        "map" => Some(DigestPart::Map),
        "text" => Some(DigestPart::Text),
        _ => None,
    }
}

fn brief(digest: Digest) -> PartDigest {
    PartDigest { count: digest.count, digest: digest.hash.to_string() }
}
