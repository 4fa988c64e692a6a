//! Begins a question about one symbol of the map: reads the scope, and finds the symbol.
//!
//! A name that several definitions share is no error here, because such an answer lists them.

use std::sync::RwLockReadGuard;

use hob_host::Workspace;
use hob_map::Map;
use hob_map::graph::NodeRef;
use hob_proto::ToolError;
use hob_proto::tools::read::Ambiguous;

use super::ToolCall;
use super::scope::CallScope;
use super::target::{self, Target};

/// A symbol, with the map that has it and the scope of the answer.
pub(super) struct SymbolQuestion<'w> {
    pub(super) map: RwLockReadGuard<'w, Map>,
    pub(super) scope: CallScope,
    pub(super) node: NodeRef,
}

/// Finds the symbol that `text` means; the inner error lists the candidates.
///
/// # Errors
/// The errors of the scope and of [`target::find`].
pub(super) fn ask_about<'w>(
    call: &mut ToolCall<'_>,
    workspace: &'w Workspace,
    text: &str,
) -> Result<Result<SymbolQuestion<'w>, Ambiguous>, ToolError> {
    let map = workspace.map();
    let scope = call.parse_scope(workspace)?;
    Ok(match target::find(call, &map, workspace, text)? {
        Target::Node(node) => Ok(SymbolQuestion { map, scope, node }),
        Target::Several(several) => Err(several),
    })
}
