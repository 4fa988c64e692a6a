//! Finds the definitions in the source of packages that a name of the project leads to.
//!
//! The project's map says which package a name leads to, and no more. The package is opened then, the question is put again to the map of
//! both together, and again as long as the answer names another package: one that re-exports, or that a class inherits from. Only what the
//! map is sure of counts: among a package's thousands of names, one that merely is called the same says nothing.

use std::sync::Arc;

use hob_host::{JoinedMap, PackagePlace, Workspace};
use hob_live::requests::RequestPosition;
use hob_map::graph::{Confidence, NodeInfo, NodeKind, NodeRef, OutsidePackage};
use hob_map::meaning::Meaning;
use hob_map::receiver::ReceiverExpr;
use hob_proto::Anchor;

use super::meaning::{NameMeaning, ReadName, receiver};
use super::{Needs, ToolCall};
use hob_results::packages;

/// Most packages that one question opens one after the other.
const MOST_ROUNDS: usize = 8;

/// Most packages that a file imports which are opened for a name whose type is not known.
const MOST_IMPORTED: usize = 6;

/// Longest signature that is shown, in characters.
const SIGNATURE: usize = 200;

/// A definition in the source of a package.
pub(super) struct PackageDefinition {
    /// Where it is.
    pub(super) place: PackagePlace,
    /// The definition itself.
    pub(super) info: NodeInfo,
    /// The confidence that it is meant.
    pub(super) sure: Confidence,
}

/// Whether packages may be opened for a question.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Opening {
    /// Those that the name leads to are opened.
    Allowed,
    /// Only those that are open already are looked into.
    Denied,
}

/// What one look at the joined map came to.
enum LookOutcome {
    Found(Vec<PackageDefinition>),
    /// These packages have to be opened first.
    Needs(Vec<OutsidePackage>),
    Nothing,
}

/// A name whose definition is looked for in packages.
struct PackageQuestion {
    read: ReadName,
    receiver: Option<ReceiverExpr>,
    /// Packages that cannot be opened.
    refused: Vec<OutsidePackage>,
    /// The packages that the file imports have been opened.
    is_widened: bool,
}

impl PackageDefinition {
    /// The place for an answer.
    pub(super) fn anchor(&self) -> Anchor {
        let (line, col) = self.line_and_col();
        let signature = self.signature();
        Anchor {
            file: self.place.file.to_string(),
            line,
            col,
            end_line: None,
            snippet: Some(signature).filter(|text| !text.is_empty()),
            external: true,
            from_map: Some(self.sure.as_str().to_owned()),
            symbol: Some(self.info.qualified.clone()).filter(|name| !name.is_empty()),
        }
    }

    /// The line and column of its name; a file begins at its first line.
    pub(super) fn line_and_col(&self) -> (u32, u32) {
        if self.info.name_at.0 == 0 { (1, 1) } else { self.info.name_at }
    }

    /// The first line of its signature.
    pub(super) fn signature(&self) -> String {
        self.info.signature.lines().next().unwrap_or_default().trim().chars().take(SIGNATURE).collect()
    }
}

/// The definitions in packages that a name means of which the project knows nothing surer, `found`; says in the answer's notes where they
/// are, or why they are not to be had.
pub(super) fn definitions_beyond(
    call: &mut ToolCall<'_>,
    workspace: &Arc<Workspace>,
    at: &RequestPosition,
    found: &NameMeaning,
) -> Vec<PackageDefinition> {
    if let NameMeaning::Nodes(nodes) = found
        && nodes.iter().any(|one| one.sure < Confidence::Name && !matches!(one.info.kind, NodeKind::External))
    {
        return Vec::new();
    }
    let definitions = definitions_at(call, workspace, at, Opening::Allowed);
    if let Some(first) = definitions.first() {
        let PackagePlace { title, package, .. } = &first.place;
        call.notes.warnings.push(format!("Defined in {title}: in: \"dep:{package}\" asks its source."));
    }
    definitions
}

/// The definitions in packages that the name at a place means.
pub(super) fn definitions_at(
    call: &mut ToolCall<'_>,
    workspace: &Arc<Workspace>,
    at: &RequestPosition,
    opening: Opening,
) -> Vec<PackageDefinition> {
    let read = ReadName::new(workspace, at, &call.cancel);
    let meant = read.meaning_in(&workspace.map());
    // A name that the file binds itself, and not to an import, is in no package.
    if matches!(meant, Meaning::Local(_)) && read.package_in(&workspace.map()).is_none() {
        return Vec::new();
    }
    let receiver = receiver(workspace, at, &call.cancel);
    let mut question = PackageQuestion { read, receiver, refused: Vec::new(), is_widened: false };
    for _ in 0..MOST_ROUNDS {
        match workspace.ask_joined(&at.file, |joined| question.look(joined)) {
            LookOutcome::Found(definitions) => return definitions,
            LookOutcome::Nothing => break,
            LookOutcome::Needs(_) if opening == Opening::Denied => break,
            LookOutcome::Needs(packages) => question.open(call, workspace, packages),
        }
    }
    Vec::new()
}

impl PackageQuestion {
    fn look(&mut self, joined: &JoinedMap) -> LookOutcome {
        let map = joined.map();
        let meant = self.read.meaning_in(map);
        let is_local = matches!(meant, Meaning::Local(_));
        let nodes = match meant {
            Meaning::Nodes(nodes) if nodes.iter().any(|(_, sure)| *sure < Confidence::Name) => nodes,
            _ => self.receiver.as_ref().map(|of| self.read.through_values(map, of)).unwrap_or_default(),
        };
        if !nodes.is_empty() {
            let definitions = sure_definitions(joined, nodes);
            return if definitions.is_empty() {
                LookOutcome::Nothing
            } else {
                LookOutcome::Found(definitions)
            };
        }
        let is_open =
            |package: &OutsidePackage| joined.has_package(package) || self.refused.contains(package);
        if let Some(package) = self.read.package_in(map)
            && !is_open(&package)
        {
            return LookOutcome::Needs(vec![package]);
        }
        if is_local || self.is_widened {
            return LookOutcome::Nothing;
        }
        let mut imported = map.packages_imported_by(self.read.at.file.as_str());
        imported.retain(|package| !is_open(package));
        imported.truncate(MOST_IMPORTED);
        self.is_widened = true;
        if imported.is_empty() { LookOutcome::Nothing } else { LookOutcome::Needs(imported) }
    }

    fn open(&mut self, call: &mut ToolCall<'_>, workspace: &Arc<Workspace>, packages: Vec<OutsidePackage>) {
        for package in packages {
            if let Err(why) = open_package(call, workspace, &package) {
                // Of packages that the name need not be of, nobody asked.
                if !self.is_widened && !call.notes.warnings.contains(&why) {
                    call.notes.warnings.push(why);
                }
                self.refused.push(package);
            }
        }
    }
}

/// Opens a package, waits until it is mapped, and joins it; or says why that cannot be.
fn open_package(
    call: &mut ToolCall<'_>,
    workspace: &Arc<Workspace>,
    package: &OutsidePackage,
) -> Result<(), String> {
    let host = call.services.host;
    let source = host.open_outside(workspace, package).map_err(|error| packages::why_not_open(&error))?;
    if let Some(opened) = source.workspace() {
        let indexed = call.wait_for_index(opened, Needs::Map);
        indexed.map_err(|_| format!("{} is being indexed: ask again in a moment.", source.title()))?;
    }
    workspace.join_package(source);
    Ok(())
}

fn sure_definitions(joined: &JoinedMap, nodes: Vec<(NodeRef, Confidence)>) -> Vec<PackageDefinition> {
    let definition = |(node, sure): (NodeRef, Confidence)| {
        let info = joined.map().info(node).filter(|_| sure < Confidence::Name)?;
        let place = joined.place_of(info.path.as_ref()?)?;
        Some(PackageDefinition { place, info, sure: sure.max(Confidence::Import) })
    };
    nodes.into_iter().filter_map(definition).collect()
}
