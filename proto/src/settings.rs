//! Defines the request of `hob config` to its `hobd` and the answer, one line of JSON each way; see the
//! daemon's `settings/report`.

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// The request: the settings to report on, and the extras of the report.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct SettingsRequest {
    /// The project, named by any absolute path in it.
    pub root: Option<String>,
    /// The one file to report on; `None` for all files.
    pub file: Option<String>,
    /// True to include the JSON schema.
    pub schema: bool,
    /// True if the JSON schema is to be that of a project's file.
    pub of_project: bool,
    /// True to include the tables of the documentation page.
    pub page: bool,
    /// True to run the programs that settings name, and to report the outcome.
    pub tries: bool,
}

/// The answer: the settings files, their problems and the effective values.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Report {
    /// The files that were read.
    pub files: Vec<File>,
    /// The errors in the settings, each with its file and place.
    pub problems: Vec<Problem>,
    /// Remarks that are no errors.
    pub notes: Vec<String>,
    /// The effective values, each with its origin.
    pub counted: Vec<EffectiveSetting>,
    /// The schema, if the request wants it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub schema: Option<Value>,
    /// The page, if the request wants it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub page: Option<String>,
}

/// A file of settings.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct File {
    /// The path of the file, existing or not.
    pub path: String,
    /// True if the file is the user's own; false for a project's file.
    pub is_users: bool,
    /// True if something exists at `path`.
    pub exists: bool,
    /// True if the daemon takes settings from the file.
    pub counts: bool,
    /// The reason why the file does not count; `None` if it counts.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub why: Option<String>,
}

/// An error in a settings file or in the environment.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Problem {
    /// The file; empty for the environment.
    pub file: String,
    /// The line, from 1; 0 for a problem of the whole file.
    pub line: usize,
    /// The column in characters, from 1; 0 for a problem of the whole file.
    pub column: usize,
    /// A sentence that says what is wrong, and how to correct it.
    pub text: String,
}

/// An effective value.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct EffectiveSetting {
    /// Its key, as in `daemon.log`.
    pub key: String,
    /// The value, as TOML.
    pub value: String,
    /// The place that sets it: a file and a line, or a variable; `None` for a built-in value.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub from: Option<String>,
}
