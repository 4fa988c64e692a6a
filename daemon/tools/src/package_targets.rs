//! Finds the meaning of a target that no symbol of the project has: a name that a file of the project uses from a
//! package.
//!
//! `requests.get`, `serde::Serialize` and `zod.z` have a package and a name in it. Some file of the project uses that
//! name, or nobody would ask; the use is followed as `nav_definition` follows it, so the same definition is found, and
//! only used packages are opened.

use std::sync::Arc;

use hob_base::LineIndex;
use hob_host::Workspace;
use hob_live::requests::RequestPosition;
use hob_map::{FileFacts, Map};

use super::ToolCall;
use super::ask::text_of;
use super::package_meaning::{Opening, PackageDefinition, definitions_at};

/// Most uses that are followed.
const MOST_TRIED: usize = 4;

/// A target as a package and a name in it.
struct PackageTarget<'t> {
    text: &'t str,
    package: &'t str,
    name: &'t str,
}

impl<'t> PackageTarget<'t> {
    fn parse(text: &'t str) -> Option<Self> {
        let (package, _) =
            text.split_once("::").or_else(|| text.rsplit_once('/')).or_else(|| text.split_once('.'))?;
        let package = if text.contains('/') {
            text.rsplit_once('.').map_or(package, |(package, _)| package)
        } else {
            package
        };
        let name = text.rsplit(['.', ':', '/', '#']).next()?;
        (!package.is_empty() && !name.is_empty() && name != package).then_some(Self { text, package, name })
    }

    fn is_of(&self, package: &str) -> bool {
        let is_below = |rest: &str| rest.starts_with(['/', '.']);
        package == self.package
            || self.package.strip_prefix(package).is_some_and(is_below)
            || (package.contains('.') && self.text.strip_prefix(package).is_some_and(is_below))
    }
}

/// Returns the definitions in a package that a target means.
pub(super) fn definitions_named(
    call: &mut ToolCall<'_>,
    workspace: &Arc<Workspace>,
    target: &str,
) -> Vec<PackageDefinition> {
    let Some(target) = PackageTarget::parse(target) else { return Vec::new() };
    let mut places = places_of_uses(&workspace.map(), &target);
    places.truncate(MOST_TRIED);
    for place in places {
        let Some(at) = with_column(workspace, place, target.name) else { continue };
        let found = definitions_at(call, workspace, &at, Opening::Allowed);
        if !found.is_empty() {
            return found;
        }
    }
    Vec::new()
}

/// Returns the lines of the project that use the name from the package: references, then imports. Unknown columns are
/// 0.
fn places_of_uses(map: &Map, target: &PackageTarget<'_>) -> Vec<RequestPosition> {
    let (mut uses, mut imports) = (Vec::new(), Vec::new());
    for (_, path, facts) in map.files() {
        if facts.names.find(target.name).is_none() || uses.len() >= MOST_TRIED {
            continue;
        }
        for line in lines_with(facts, target.name) {
            let within = map.outside_refs_in(path.as_str(), line..=line, usize::MAX);
            let meant =
                within.into_iter().find(|one| one.name == target.name && target.is_of(&one.package.name));
            uses.extend(meant.map(|one| RequestPosition {
                file: path.clone(),
                line: one.at.0,
                col: one.at.1,
            }));
        }
        let named = facts
            .imports
            .iter()
            .filter(|import| import.name.is_some_and(|name| facts.name(name) == target.name));
        let of_package = named.filter(|import| begins_with(facts.name(import.module), target.package));
        imports.extend(of_package.map(|import| RequestPosition {
            file: path.clone(),
            line: import.line,
            col: 0,
        }));
    }
    uses.extend(imports);
    uses
}

fn lines_with(facts: &FileFacts, name: &str) -> Vec<u32> {
    let mut lines: Vec<u32> =
        facts.refs.iter().filter(|r| facts.name(r.name) == name).map(|r| r.line).collect();
    lines.dedup();
    lines.truncate(MOST_TRIED);
    lines
}

fn begins_with(module: &str, package: &str) -> bool {
    let rest = module.strip_prefix(package);
    rest.is_some_and(|rest| !rest.starts_with(|c: char| c.is_alphanumeric() || c == '_' || c == '-'))
}

/// Returns the place with the column at which the name is in its line.
fn with_column(workspace: &Workspace, at: RequestPosition, name: &str) -> Option<RequestPosition> {
    if at.col > 0 {
        return Some(at);
    }
    let text = text_of(workspace, &at.file)?;
    let line = text.get(LineIndex::new(text.as_bytes()).line_range(at.line)?)?;
    let before = &line[..line.rfind(name)?];
    let col = before.encode_utf16().count() + 1;
    Some(RequestPosition { col: u32::try_from(col).ok()?, ..at })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_target_is_a_package_and_a_name() {
        for (text, package, name) in [
            ("requests.get", "requests", "get"),
            ("requests.api.get", "requests", "get"),
            ("serde::de::Deserialize", "serde", "Deserialize"),
            ("github.com/spf13/cobra.Command", "github.com/spf13/cobra", "Command"),
        ] {
            let target = PackageTarget::parse(text).expect(text);
            assert_eq!((target.package, target.name), (package, name), "{text}");
        }
        let java = PackageTarget::parse("com.google.gson.Gson.toJson").expect("a target");
        assert!(java.is_of("com.google.gson") && !java.is_of("com.google.common") && java.name == "toJson");
        assert!(PackageTarget::parse("get").is_none());
    }
}
