//! What `hob config` asks its `hobd` and is told, one line of JSON each way; see the daemon's `settings/report`.

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// The question.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Question {
    /// The project, as any absolute path in it.
    pub root: Option<String>,
    /// Only this file.
    pub file: Option<String>,
    /// Also the JSON schema.
    pub schema: bool,
    /// That of a project's file.
    pub of_project: bool,
    /// Also the tables of the documentation page.
    pub page: bool,
    /// Also what becomes of the programs that settings name, which are run for it.
    pub tries: bool,
}

/// The answer.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Report {
    /// The files that are looked at.
    pub files: Vec<File>,
    /// What is wrong.
    pub problems: Vec<Problem>,
    /// What is not wrong and should be known.
    pub notes: Vec<String>,
    /// What counts.
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
    /// Whether it is the user's own.
    pub is_users: bool,
    /// Whether something is there.
    pub exists: bool,
    /// Whether it is listened to.
    pub counts: bool,
    /// Why not.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub why: Option<String>,
}

/// Something wrong.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Problem {
    /// The file; empty for the environment.
    pub file: String,
    /// Its line, from 1; 0 where it is about the whole.
    pub line: usize,
    /// Its column in characters, from 1; 0 where it is about the whole.
    pub column: usize,
    /// What is wrong, and what would be right.
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
