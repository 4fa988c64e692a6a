//! Defines the errors of packages without source, and what to do about each.

use std::path::PathBuf;

use hob_host::{OutsideError, PackageError};
use hob_proto::ToolError;

/// Most dependencies, and most folders, that an error lists.
const NAMED_PACKAGES: usize = 20;
const LOOKED_AT: usize = 4;

/// Returns the error for a dependency `name` whose source cannot be opened.
pub fn package(name: &str, error: &PackageError) -> ToolError {
    match error {
        PackageError::Unknown { named } => {
            let message = format!("No manifest or lock file of the project names the package `{name}`.");
            let listed = named.iter().take(NAMED_PACKAGES).map(String::as_str).collect::<Vec<_>>().join(", ");
            let hint = match named.len() {
                0 => "The project names no packages.".to_owned(),
                few if few <= NAMED_PACKAGES => format!("It names: {listed}."),
                many => format!("It names {many}, among them: {listed}."),
            };
            ToolError::bad_args(message).hint(hint)
        }
        PackageError::Absent { package, looked_at } => {
            let hint = match looked_at.is_empty() {
                true => "Install the project's dependencies and ask again.".to_owned(),
                false => format!(
                    "Install it for the project and ask again; it was looked for at {}.",
                    folder_names(looked_at)
                ),
            };
            ToolError::bad_args(format!("The source of `{package}` is not on this machine.")).hint(hint)
        }
        PackageError::NoSources { coordinates } => {
            ToolError::bad_args(format!("The sources of `{coordinates}` are not on this machine."))
                .hint(format!("{} and ask again.", fetch_sources(coordinates)))
        }
        PackageError::OneFile(file) => {
            let message = format!("The source of `{name}` is one file.");
            ToolError::bad_args(message).hint(format!("It is {}.", file.display()))
        }
    }
}

/// Returns the warning for a question about a name that leads into a package, when hob could not open that
/// package.
#[must_use]
pub fn why_not_open(error: &OutsideError) -> String {
    match error {
        OutsideError::Standard(name) => {
            format!(
                "`{name}` comes with its language, and hob does not have its source: a language server may."
            )
        }
        OutsideError::Absent { name, looked_at } if looked_at.is_empty() => {
            format!(
                "hob does not know where the source of `{name}` lies: no manifest of the project names it."
            )
        }
        OutsideError::Absent { name, looked_at } => format!(
            "The source of `{name}` is not on this machine: install the project's dependencies and ask again; it was looked for at {}.",
            folder_names(looked_at)
        ),
        OutsideError::NoSources { name, coordinates } => format!(
            "`{name}` comes with {coordinates}, whose sources are not on this machine: {} and ask again.",
            fetch_sources(coordinates).replacen("Run", "run", 1)
        ),
        OutsideError::TooLarge { .. } => {
            format!("{error}, too many to open it for one name: ask its files with in: \"dep:NAME\".")
        }
    }
}

/// Returns the command that downloads the sources of an artifact.
fn fetch_sources(coordinates: &str) -> String {
    format!(
        "Run `mvn dependency:get -Dartifact={coordinates}:jar:sources` (or, of all dependencies, `mvn dependency:sources` in the project)"
    )
}

fn folder_names(folders: &[PathBuf]) -> String {
    let shown: Vec<String> =
        folders.iter().take(LOOKED_AT).map(|folder| folder.display().to_string()).collect();
    shown.join(", ")
}
