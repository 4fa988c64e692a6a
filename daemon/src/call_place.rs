//! Decides which code a call is about: the projects of `root`, and the dependency of `in`.
//!
//! Without `root`, an absolute path in the arguments of a reading tool names the project, and otherwise the
//! client's folder does. This module opens nothing.

use hob_base::AbsPath;
use hob_host::Host;
use hob_proto::ToolError;
use hob_proto::groups::GROUP_PREFIX;
use hob_proto::tools::argument_place::place_in_arguments;
use hob_proto::tools::{ToolDef, ToolSet};
use serde_json::{Map, Value};

/// The code that a call is about.
pub(super) struct CallPlace {
    /// The places from which to look for projects; at least one.
    pub(super) starts: Vec<AbsPath>,
    /// The source of the project that the call asks about.
    pub(super) source: CallSource,
    /// True if a path in the arguments chose the project.
    pub(super) is_by_path: bool,
}

/// The source that a call is about.
#[derive(PartialEq, Eq)]
pub(super) enum CallSource {
    /// The project's own source.
    Project,
    /// The source of one dependency.
    Dependency(String),
    /// The sources of all direct dependencies.
    Dependencies,
    /// The project's own source, and further results from the code search of the user's organisation.
    Organization,
}

impl CallPlace {
    /// Removes `root` and `in` from the checked arguments of a call, whose client is in the folder
    /// `connection`.
    ///
    /// # Errors
    /// `BAD_ARGS` for a value that is no folder, group or dependency.
    pub(super) fn take_from(
        args: &mut Map<String, Value>,
        tool: &ToolDef,
        host: &Host,
        connection: &AbsPath,
    ) -> Result<Self, ToolError> {
        let roots = args.remove("root");
        let source = take_source(args)?;
        if let Some(Value::Array(roots)) = roots {
            return Ok(Self { starts: starts_of(&roots, host, connection)?, source, is_by_path: false });
        }
        let named = match source {
            CallSource::Project | CallSource::Organization => {
                project_of_arguments(args, tool, host, connection)
            }
            _ => None,
        };
        let is_by_path = named.is_some();
        Ok(Self { starts: vec![named.unwrap_or_else(|| connection.clone())], source, is_by_path })
    }
}

/// Returns the project of an absolute path in the arguments, if it is not the client's project.
fn project_of_arguments(
    args: &Map<String, Value>,
    tool: &ToolDef,
    host: &Host,
    connection: &AbsPath,
) -> Option<AbsPath> {
    // A tool that writes needs an explicit `root` for another project.
    let is_for_models = tool.read_only && tool.set != ToolSet::Hidden;
    let place = place_in_arguments(args).filter(|_| is_for_models)?;
    host.other_project(&AbsPath::new(place).ok()?, connection)
}

/// Returns the places from which to look for projects: folders, relative to the client's if they are not
/// absolute, and the folders of groups.
fn starts_of(roots: &[Value], host: &Host, connection: &AbsPath) -> Result<Vec<AbsPath>, ToolError> {
    let mut starts = Vec::new();
    for root in roots.iter().filter_map(Value::as_str) {
        if root.contains('\0') {
            return Err(ToolError::bad_args("`root` contains a NUL character").hint("Pass a folder's path."));
        }
        match root.strip_prefix(GROUP_PREFIX) {
            Some(name) => starts.extend(folders_of_group(name, host)?),
            None => starts.push(connection.join(root)),
        }
    }
    match starts.is_empty() {
        true => {
            Err(ToolError::bad_args("`root` has no project").hint("Pass a folder's path, or leave it out."))
        }
        false => Ok(starts),
    }
}

fn folders_of_group(name: &str, host: &Host) -> Result<Vec<AbsPath>, ToolError> {
    let groups = host.project_groups().map_err(|error| {
        ToolError::bad_args(format!("the groups of projects cannot be read: {error}"))
            .hint("Pass the folders as a list.")
    })?;
    let Some(folders) = groups.folders(name) else {
        let known: Vec<&str> = groups.all().map(|(name, _)| name).collect();
        let known = if known.is_empty() { "there are none yet".to_owned() } else { known.join(", ") };
        let way = format!("Groups: {known}. Make one on the command line: hob group add {name} FOLDER...");
        return Err(
            ToolError::bad_args(format!("`root` names the group `{name}`, which is not one")).hint(way)
        );
    };
    Ok(folders.iter().filter_map(|folder| AbsPath::new(folder).ok()).collect())
}

/// Returns the source that the argument `in` names: `dep:requests`, `deps` or `org`.
fn take_source(args: &mut Map<String, Value>) -> Result<CallSource, ToolError> {
    let Some(value) = args.remove("in") else { return Ok(CallSource::Project) };
    match value.as_str() {
        Some("deps") => return Ok(CallSource::Dependencies),
        Some("org") => return Ok(CallSource::Organization),
        _ => {}
    }
    let name = value.as_str().and_then(|text| text.strip_prefix("dep:")).filter(|name| !name.is_empty());
    let wrong = || {
        ToolError::bad_args("`in` is no dependency")
            .hint("Pass `dep:` and the name of a package that the project depends on (dep:requests), `deps` for all of them, or `org` for the code search of the organisation. Without `in` the project is asked.")
    };
    name.map(|name| CallSource::Dependency(name.to_owned())).ok_or_else(wrong)
}
