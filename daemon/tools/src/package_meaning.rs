//! Finds the definitions in the source of packages to which a name of the project leads.
//!
//! The project's map only says to which package a name leads. The package is then opened, and the question is put again
//! to the map of both together, and again as long as the answer names another package: one that is re-exported, or from
//! which a class inherits. Only sure meanings count: among a package's thousands of names, one that merely has the same
//! spelling proves nothing.

use std::sync::Arc;

use hob_base::small;
use hob_host::{JoinedMap, PackagePlace, Workspace};
use hob_live::requests::RequestPosition;
use hob_map::facts::DefKind;
use hob_map::graph::{Confidence, KindFilter, NodeInfo, NodeKind, NodeRef, OutsidePackage, SearchQuery};
use hob_map::meaning::Meaning;
use hob_map::receiver::ReceiverExpr;
use hob_map::{Lang, Map};
use hob_proto::Anchor;

use super::meaning::{FileReading, NameMeaning, ReadName};
use super::{NeededIndex, ToolCall};
use hob_results::packages;

/// Most packages that one question opens one after the other.
const MOST_ROUNDS: usize = 8;

/// Most imported packages of a file that are opened for a name whose type is not known.
const MOST_IMPORTED: usize = 6;

/// Most included headers of a file that are opened for such a name.
const MOST_INCLUDED: usize = 64;

/// Most definitions of a name among which a macro is searched.
const MOST_MACROS: usize = 20;

/// Most rounds in which packages are opened for a name that need not be theirs.
const MOST_WIDENED: usize = 2;

/// Largest size in bytes of a file that is searched for a parameter, and most lines of a function's header.
const LARGEST: u64 = 4 << 20;
const LONGEST_HEADER: u32 = 200;

/// Most characters of a signature that is shown.
const SIGNATURE: usize = 200;

/// A definition in the source of a package.
pub(super) struct PackageDefinition {
    /// The package and the file of the definition.
    pub(super) place: PackagePlace,
    /// The definition, with its description.
    pub(super) info: NodeInfo,
    /// The confidence that the name means it.
    pub(super) sure: Confidence,
}

/// The permission to open packages for a question.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Opening {
    /// The packages to which the name leads are opened.
    Allowed,
    /// Only packages that are open already are searched.
    Denied,
}

/// The outcome of one search in the joined map.
enum LookOutcome {
    Found(Vec<PackageDefinition>),
    /// The packages that have to be opened first.
    NeedsPackages(Vec<OutsidePackage>),
    Nothing,
}

/// A name whose definition is searched in packages.
struct PackageQuestion {
    read: ReadName,
    receiver: Option<ReceiverExpr>,
    /// Packages that could not be opened.
    refused: Vec<OutsidePackage>,
    /// Number of rounds so far in which packages were opened that the name need not be of.
    widened: usize,
}

impl PackageDefinition {
    /// Returns the definition as a place of an answer.
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

    /// Returns the line and column of the definition's name; a file begins at its first line.
    pub(super) fn line_and_col(&self) -> (u32, u32) {
        if self.info.name_at.0 == 0 { (1, 1) } else { self.info.name_at }
    }

    /// Returns the first line of the definition's signature.
    pub(super) fn signature(&self) -> String {
        self.info.signature.lines().next().unwrap_or_default().trim().chars().take(SIGNATURE).collect()
    }
}

/// Returns the definitions in packages that a name means, unless `found` has a surer meaning in the project. The
/// answer's notes say where they are, or why they cannot be found.
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
        // Headers are no package that `in` could name.
        if !package.is_empty() {
            call.notes.warnings.push(format!("Defined in {title}: in: \"dep:{package}\" asks its source."));
        }
    }
    definitions
}

/// Returns the definitions in packages that the name at a place means; for the name of an argument, the parameters.
pub(super) fn definitions_at(
    call: &mut ToolCall<'_>,
    workspace: &Arc<Workspace>,
    at: &RequestPosition,
    opening: Opening,
) -> Vec<PackageDefinition> {
    let reading = FileReading::of_place(workspace, at, &call.cancel);
    definitions_by_reading(call, workspace, at, &reading, opening)
}

/// Returns what [`definitions_at`] does for a place of a file that was read already, among others.
pub(super) fn definitions_by_reading(
    call: &mut ToolCall<'_>,
    workspace: &Arc<Workspace>,
    at: &RequestPosition,
    reading: &FileReading,
    opening: Opening,
) -> Vec<PackageDefinition> {
    let Some(callee) = reading.callee_with_argument(at) else {
        return plain_definitions_at(call, workspace, at, reading, opening);
    };
    let word = reading.word_at_place(at);
    let of_callee = FileReading::of_place(workspace, &callee, &call.cancel);
    let functions = plain_definitions_at(call, workspace, &callee, &of_callee, opening);
    functions.into_iter().filter_map(|function| parameter_of(function, word)).collect()
}

/// Returns the parameter of a function as a place; `None` if the function has no such parameter.
fn parameter_of(function: PackageDefinition, name: &str) -> Option<PackageDefinition> {
    let text = small::read_text(function.place.file.as_path(), LARGEST).ok()?;
    let (first, last) = (function.line_and_col().0, function.info.lines.1);
    let header = text.lines().enumerate().skip(first.saturating_sub(1) as usize);
    for (number, line) in header.take((last + 1).saturating_sub(first).min(LONGEST_HEADER) as usize) {
        if let Some(col) = column_of_parameter(line, name) {
            let line = u32::try_from(number).ok()? + 1;
            let info = NodeInfo { name_at: (line, col), ..function.info };
            return Some(PackageDefinition { info, ..function });
        }
    }
    None
}

/// Returns the 1-based column of a parameter in a line of a function's header.
fn column_of_parameter(line: &str, name: &str) -> Option<u32> {
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    let is_parameter = |at: usize| {
        let (before, after) = (&line[..at], &line[at + name.len()..]);
        let after = after.trim_start();
        !before.ends_with(is_part) && (after.is_empty() || after.starts_with([':', '=', ',', ')']))
    };
    let at = line.match_indices(name).map(|(at, _)| at).find(|at| is_parameter(*at))?;
    u32::try_from(line[..at].encode_utf16().count() + 1).ok()
}

fn plain_definitions_at(
    call: &mut ToolCall<'_>,
    workspace: &Arc<Workspace>,
    at: &RequestPosition,
    reading: &FileReading,
    opening: Opening,
) -> Vec<PackageDefinition> {
    let read = ReadName::new(at, reading);
    let meant = read.meaning_in(&workspace.map());
    // A name that the file itself binds, and not to an import, is in no package.
    if matches!(meant, Meaning::Local(_)) && read.packages_in(&workspace.map()).is_empty() {
        return Vec::new();
    }
    if opening == Opening::Denied && !workspace.has_joined_packages() {
        return Vec::new();
    }
    call.freshen_packages(workspace);
    let receiver = reading.receiver_before(at);
    let mut question = PackageQuestion { read, receiver, refused: Vec::new(), widened: 0 };
    for _ in 0..MOST_ROUNDS {
        match workspace.ask_joined(&at.file, |joined| question.look(joined)) {
            LookOutcome::Found(definitions) => return definitions,
            LookOutcome::Nothing => break,
            LookOutcome::NeedsPackages(_) if opening == Opening::Denied => break,
            LookOutcome::NeedsPackages(packages) => question.open_packages(call, workspace, packages),
        }
    }
    Vec::new()
}

impl PackageQuestion {
    fn look(&mut self, joined: &JoinedMap) -> LookOutcome {
        let map = joined.map();
        let module = self.read.path_in(map).map(|node| (node, Confidence::Import));
        let modules = sure_definitions(joined, module.into_iter().collect());
        if map.has_include_on(self.read.at.file.as_str(), self.read.at.line) && !modules.is_empty() {
            return LookOutcome::Found(modules);
        }
        let meant = self.read.meaning_in(map);
        let nodes = match (&self.receiver, meant) {
            (_, Meaning::Nodes(nodes)) if nodes.iter().any(|(_, sure)| *sure < Confidence::Name) => nodes,
            (Some(of), _) => self.read.through_values(map, of),
            (None, _) => Vec::new(),
        };
        let nodes = self.through_includes(joined, nodes);
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
        if !modules.is_empty() {
            return LookOutcome::Found(modules);
        }
        let mut meant = self.read.packages_in(map);
        meant.retain(|package| !is_open(package));
        if !meant.is_empty() {
            return LookOutcome::NeedsPackages(meant);
        }
        if self.widened == MOST_WIDENED {
            return self
                .only_macro(joined)
                .map_or(LookOutcome::Nothing, |found| LookOutcome::Found(vec![found]));
        }
        self.widened += 1;
        let mut near = self.packages_near(joined);
        near.retain(|package| !is_open(package));
        if near.is_empty() { self.look(joined) } else { LookOutcome::NeedsPackages(near) }
    }

    /// Returns the declaration that a file of C sees first through its includes, in place of `nodes` outside of the
    /// project: a library has several declarations of one name, for other compilers and for checks.
    fn through_includes(
        &self,
        joined: &JoinedMap,
        nodes: Vec<(NodeRef, Confidence)>,
    ) -> Vec<(NodeRef, Confidence)> {
        let map = joined.map();
        let is_own = |(node, _): &(NodeRef, Confidence)| {
            let path = map.info(*node).and_then(|info| info.path);
            path.is_some_and(|path| joined.place_of(&path).is_none())
        };
        let is_include = map.has_include_on(self.read.at.file.as_str(), self.read.at.line);
        if is_include || nodes.iter().any(is_own) {
            return nodes;
        }
        let RequestPosition { file, line, col } = &self.read.at;
        let found = match self.receiver.is_none() && self.read.has_path() {
            true => map.first_included(file.as_str(), self.read.written_path()),
            false => map.included_method(file.as_str(), (*line, *col), self.read.word()),
        };
        found.map_or(nodes, |node| vec![(node, Confidence::Import)])
    }

    /// Returns the only macro of this name in the packages: a crate exports a macro wherever its definition is.
    fn only_macro(&self, joined: &JoinedMap) -> Option<PackageDefinition> {
        if !self.read.has_path() {
            return None;
        }
        let query = SearchQuery {
            text: self.read.word(),
            kinds: KindFilter::Any,
            path_prefix: "",
            limit: MOST_MACROS,
        };
        let hits = joined.map().search(&query).hits.into_iter().map(|hit| hit.info);
        let macros = hits.filter(|info| {
            info.kind == NodeKind::Def(DefKind::Macro) && info.name.trim_end_matches('!') == self.read.word()
        });
        let mut found = macros.filter_map(|info| {
            let place = joined.place_of(info.path.as_ref()?)?;
            Some(PackageDefinition { place, info, sure: Confidence::Name })
        });
        let only = found.next()?;
        found.next().is_none().then_some(only)
    }

    /// Returns the packages that the file imports; in the next round, those that its imported files import.
    fn packages_near(&self, joined: &JoinedMap) -> Vec<OutsidePackage> {
        let (map, file) = (joined.map(), self.read.at.file.as_str());
        if self.widened == 1 {
            return map.packages_imported_by(file);
        }
        let mut files = map.files_imported_by(file);
        files.sort_by_key(|path| joined.place_of(path).is_none());
        files.into_iter().flat_map(|path| map.packages_imported_by(path.as_str())).collect()
    }

    fn open_packages(
        &mut self,
        call: &mut ToolCall<'_>,
        workspace: &Arc<Workspace>,
        packages: Vec<OutsidePackage>,
    ) {
        let (mut opened, most) = (0, most_opened(&packages));
        for package in packages {
            match open_package(call, workspace, &package) {
                Ok(()) => opened += 1,
                Err(why) => {
                    // Nobody asked for packages that the name need not be of.
                    if self.widened == 0 && !call.notes.warnings.contains(&why) {
                        call.notes.warnings.push(why);
                    }
                    self.refused.push(package);
                }
            }
            if opened == most {
                return;
            }
        }
    }
}

/// Returns how many of these packages are opened: headers cost little.
fn most_opened(packages: &[OutsidePackage]) -> usize {
    let are_headers = packages.iter().all(|package| matches!(package.lang, Lang::C | Lang::Cpp));
    if are_headers { MOST_INCLUDED } else { MOST_IMPORTED }
}

/// Opens a package, waits until it is mapped, and joins it. An error says why that failed.
fn open_package(
    call: &mut ToolCall<'_>,
    workspace: &Arc<Workspace>,
    package: &OutsidePackage,
) -> Result<(), String> {
    let host = call.services.host;
    let source = host.open_outside(workspace, package).map_err(|error| packages::why_not_open(&error))?;
    if let Some(opened) = source.workspace() {
        let indexed = call.wait_for_index(opened, NeededIndex::Map);
        indexed.map_err(|_| format!("{} is being indexed: ask again in a moment.", source.title()))?;
        call.freshen(opened);
    }
    workspace.join_package(source);
    Ok(())
}

fn sure_definitions(joined: &JoinedMap, nodes: Vec<(NodeRef, Confidence)>) -> Vec<PackageDefinition> {
    let definition = |(node, sure): (NodeRef, Confidence)| {
        let info = joined.map().info(node).filter(|_| sure < Confidence::Name)?;
        let info = function_of_name(joined.map(), info);
        let place = joined.place_of(info.path.as_ref()?)?;
        Some(PackageDefinition { place, info, sure: sure.max(Confidence::Import) })
    };
    nodes.into_iter().filter_map(definition).collect()
}

/// Returns the function with the name of a namespace, as declarations of modules that are one function have it; else
/// the node itself.
fn function_of_name(map: &Map, info: NodeInfo) -> NodeInfo {
    let (NodeKind::Def(DefKind::Module), NodeRef::Def(def)) = (info.kind, info.node) else { return info };
    let others = map.defs_of(def.file).into_iter().filter_map(|other| map.info(other.into()));
    let is_function = |other: &NodeInfo| {
        other.qualified == info.qualified && matches!(other.kind, NodeKind::Def(kind) if kind.is_callable())
    };
    others.into_iter().find(is_function).unwrap_or(info)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parameters_are_found_in_headers() {
        assert_eq!(column_of_parameter("def f(self, style: str = 'style'):", "style"), Some(13));
        assert_eq!(column_of_parameter("        no_color: Optional[bool] = None,", "no_color"), Some(9));
        assert_eq!(column_of_parameter("    restyle, styled", "style"), None);
    }
}
