//! Adds to the packages among a symbol's neighbours the definitions in their source that the symbol uses.
//!
//! The graph knows that a function calls `requests`, and the package's source which of its functions. Packages are opened only for a
//! question about what a symbol uses (`direction: "out"`); for any other, those that are open already are looked into.

use std::collections::HashSet;
use std::sync::Arc;

use hob_host::Workspace;
use hob_live::requests::RequestPosition;
use hob_map::Map;
use hob_map::graph::{NodeInfo, OutsideRef};
use hob_proto::NodeId;
use hob_proto::tools::map::{FlowPlace, Neighbor};

use super::ToolCall;
use super::package_meaning::{Opening, PackageDefinition, definitions_at};

/// Most uses that are followed into packages.
const MOST_USES: usize = 24;

/// Uses of packages in a symbol.
pub(super) struct PackageUses {
    file: hob_base::WsPath,
    uses: Vec<OutsideRef>,
}

/// The uses of packages in a symbol, one for each name; `None` where it uses none, or is no definition.
pub(super) fn uses_of_packages(map: &Map, info: &NodeInfo) -> Option<PackageUses> {
    let file = info.path.clone().filter(|_| info.lines.0 > 0)?;
    let mut uses = map.outside_refs_in(file.as_str(), info.lines.0..=info.lines.1, usize::MAX);
    let mut seen = HashSet::new();
    uses.retain(|one| seen.insert((one.name.clone(), one.package.name.clone())));
    uses.truncate(MOST_USES);
    (!uses.is_empty()).then_some(PackageUses { file, uses })
}

/// Adds the definitions to the neighbours.
pub(super) fn add_definitions(
    call: &mut ToolCall<'_>,
    workspace: &Arc<Workspace>,
    found: &PackageUses,
    neighbors: &mut [Neighbor],
    opening: Opening,
) {
    for one in &found.uses {
        let is_of = |neighbor: &&mut Neighbor| {
            neighbor.direction == "out" && is_package(&neighbor.id, &one.package.name)
        };
        let Some(neighbor) = neighbors.iter_mut().find(is_of) else { continue };
        if call.cancel.check().is_err() {
            return;
        }
        let at = RequestPosition { file: found.file.clone(), line: one.at.0, col: one.at.1 };
        for definition in definitions_at(call, workspace, &at, opening) {
            let place = place_of(&definition);
            if !neighbor.definitions.iter().any(|known| known.location == place.location) {
                neighbor.definitions.push(place);
            }
        }
    }
}

fn place_of(definition: &PackageDefinition) -> FlowPlace {
    let signature = definition.signature();
    let text = if signature.is_empty() { definition.info.qualified.clone() } else { signature };
    FlowPlace { location: format!("{}:{}", definition.place.file, definition.line_and_col().0), text }
}

fn is_package(id: &str, name: &str) -> bool {
    matches!(id.parse(), Ok(NodeId::External { package, .. }) if package == name)
}
