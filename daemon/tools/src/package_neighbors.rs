//! Adds the definitions that a symbol uses in the source of packages to the packages among its neighbours.
//!
//! The graph knows that a function calls `requests`, and the package's source knows which of its functions. Packages
//! are opened only for a question about the uses of a symbol (`direction: "out"`); for any other, only open ones are
//! searched.

use std::collections::HashSet;
use std::sync::Arc;

use hob_host::Workspace;
use hob_live::requests::RequestPosition;
use hob_map::Map;
use hob_map::graph::{Direction, EdgeKind, NodeInfo, NodeKind, OutsidePackage, OutsideRef};
use hob_map::locals::NamePlace;
use hob_proto::NodeId;
use hob_proto::tools::map::{FlowPlace, Neighbor};

use super::ToolCall;
use super::meaning::FileReading;
use super::package_meaning::{Opening, PackageDefinition, definitions_by_reading};

/// Most uses that are followed into packages.
const MOST_USES: usize = 24;

/// Uses of packages in a symbol.
pub(super) struct PackageUses {
    file: hob_base::WsPath,
    uses: Vec<OutsideRef>,
    /// The places of calls of functions that a header outside may declare.
    calls: Vec<(u32, u32)>,
}

/// Returns the uses of packages in a symbol, one for each name; `None` if it uses none, or is no definition.
pub(super) fn uses_of_packages(map: &Map, info: &NodeInfo) -> Option<PackageUses> {
    let file = info.path.clone().filter(|_| info.lines.0 > 0)?;
    let mut uses = map.outside_refs_in(file.as_str(), info.lines.0..=info.lines.1, usize::MAX);
    let mut seen = HashSet::new();
    uses.retain(|one| seen.insert((one.name.clone(), one.package.name.clone())));
    uses.truncate(MOST_USES);
    let calls = map.calls_into_headers(file.as_str(), info.lines.0..=info.lines.1, MOST_USES);
    (!uses.is_empty() || !calls.is_empty()).then_some(PackageUses { file, uses, calls })
}

/// Adds the definitions that the uses mean to the neighbours that are their packages.
pub(super) fn add_definitions(
    call: &mut ToolCall<'_>,
    workspace: &Arc<Workspace>,
    found: &PackageUses,
    neighbors: &mut [Neighbor],
    opening: Opening,
) {
    let index_of = |one: &OutsideRef, neighbors: &[Neighbor]| {
        let is_of =
            |neighbor: &Neighbor| neighbor.direction == "out" && is_package(&neighbor.id, &one.package);
        neighbors.iter().position(is_of)
    };
    let shown = found.uses.iter().filter_map(|one| Some((one, index_of(one, neighbors)?)));
    let shown: Vec<(&OutsideRef, usize)> = shown.collect();
    let places = shown.iter().map(|(one, _)| NamePlace { line: one.at.0, col: one.at.1 });
    let reading = FileReading::new(workspace, &found.file, places, &call.cancel);
    for (one, index) in shown {
        let neighbor = &mut neighbors[index];
        if call.cancel.check().is_err() {
            return;
        }
        let at = RequestPosition { file: found.file.clone(), line: one.at.0, col: one.at.1 };
        for definition in definitions_by_reading(call, workspace, &at, &reading, opening) {
            let place = place_of(&definition);
            if !neighbor.definitions.iter().any(|known| known.location == place.location) {
                neighbor.definitions.push(place);
            }
        }
    }
}

/// Returns the functions of this machine's headers that a symbol calls, with each header as an external package.
pub(super) fn calls_into_headers(
    call: &mut ToolCall<'_>,
    workspace: &Arc<Workspace>,
    found: &PackageUses,
) -> Vec<Neighbor> {
    let mut neighbors: Vec<Neighbor> = Vec::new();
    let places = found.calls.iter().map(|(line, col)| NamePlace { line: *line, col: *col });
    let reading = FileReading::new(workspace, &found.file, places, &call.cancel);
    for (line, col) in &found.calls {
        if call.cancel.check().is_err() {
            break;
        }
        let at = RequestPosition { file: found.file.clone(), line: *line, col: *col };
        for definition in definitions_by_reading(call, workspace, &at, &reading, Opening::Allowed) {
            let Some(id) = header_id(&definition) else { continue };
            match neighbors.iter_mut().find(|known| known.id == id) {
                Some(known) => {
                    known.sites.push(*line);
                    known.definitions.push(place_of(&definition));
                }
                None => neighbors.push(header_neighbor(id, *line, &definition)),
            }
        }
    }
    neighbors
}

fn header_neighbor(id: String, line: u32, definition: &PackageDefinition) -> Neighbor {
    Neighbor {
        id,
        kind: NodeKind::External.as_str().to_owned(),
        edge: EdgeKind::Calls.as_str().to_owned(),
        direction: Direction::Out.as_str().to_owned(),
        resolved: true,
        confidence: definition.sure.as_str().to_owned(),
        depth: 1,
        sites: vec![line],
        definitions: vec![place_of(definition)],
        ..Neighbor::default()
    }
}

/// Returns the ID of the header as an include names it: its path in the joined map without the folder in which it was
/// found.
fn header_id(definition: &PackageDefinition) -> Option<String> {
    let path = definition.info.path.as_ref().filter(|_| definition.place.package.is_empty())?;
    let package = path.as_str().splitn(4, '/').nth(3)?.to_owned();
    let lang = definition.info.id.lang().to_owned();
    Some(NodeId::External { lang, package }.to_string())
}

fn place_of(definition: &PackageDefinition) -> FlowPlace {
    let signature = definition.signature();
    let text = if signature.is_empty() { definition.info.qualified.clone() } else { signature };
    FlowPlace { location: format!("{}:{}", definition.place.file, definition.line_and_col().0), text }
}

fn is_package(id: &str, package: &OutsidePackage) -> bool {
    matches!(id.parse(), Ok(NodeId::External { package: name, .. }) if package.is_of_node(&name))
}
