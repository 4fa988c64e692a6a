//! The request of `hob config` to its `hobd` and the answer, one line of JSON each way; see the daemon's
//! `settings/report`.

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// The request: the settings and extras that a report is wanted of.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct SettingsRequest {
    /// The project, as any absolute path in it.
    pub root: Option<String>,
    /// The one file to report on; `None` for all files.
    pub file: Option<String>,
    /// Also the JSON schema.
    pub schema: bool,
    /// True if the JSON schema is to be that of a project's file.
    pub of_project: bool,
    /// Also the tables of the documentation page.
    pub page: bool,
    /// Also what becomes of the programs that settings name, which are run for it.
    pub tries: bool,
}

/// The answer: the settings files, their problems and the values that count.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Report {
    /// The files that are looked at.
    pub files: Vec<File>,
    /// The errors in the settings, each with its file and place.
    pub problems: Vec<Problem>,
    /// Remarks that a user should know and that are no errors.
    pub notes: Vec<String>,
    /// The values that count, each with its origin.
    pub counted: Vec<Counted>,
    /// The schema, if it was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub schema: Option<Value>,
    /// The page, if it was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub page: Option<String>,
}

/// A file of settings.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct File {
    /// Where it is or would be.
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
    /// Its line, from 1; 0 where it is about the whole.
    pub line: usize,
    /// Its column in characters, from 1; 0 where it is about the whole.
    pub column: usize,
    /// A sentence that says what is wrong, and what would be right.
    pub text: String,
}

/// A value that counts.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Counted {
    /// Its key, as in `daemon.log`.
    pub key: String,
    /// The value, as TOML.
    pub value: String,
    /// Where it was said: a file and a line, or a variable; nothing for what is built in.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub from: Option<String>,
}
