//! Which language servers there are and how they are got: for `hob servers`, in no list for agents.

use serde::{Deserialize, Serialize};

use super::{ArgDef, ArgType, Default, ListCut, MAX_BUDGET, ToolDef, ToolSet};

/// What serves each language here, and what could.
pub static SERVERS: ToolDef = ToolDef {
    name: "hob_servers",
    title: "Language servers",
    description: "For each language, the servers that could serve it in order of preference, which one would be used, and why \
                  not the others.",
    args: &[ArgDef {
        name: "about",
        ty: ArgType::Str { min: 1 },
        default: Default::None,
        description: "Only this language, file ending or server; a server comes with how to install it",
    }],
    output: "{families: [{languages: [str], candidates: [{name: str, state: str, program?: str, version?: str, \
             rejected?: [str], install: str, recipe?: {needs: str, folder: str, steps: [{program: str, args: [str], \
             env?: [str]}]}}]}], trusted: bool}",
    cuts: &[ListCut { path: "families", kind: "families", narrow: "Pass about" }],
    default_budget: MAX_BUDGET,
    set: ToolSet::Hidden,
    ..ToolDef::READ
};

/// Arguments of `hob_servers`.
#[derive(Clone, Debug, Deserialize)]
pub struct ServersArgs {
    /// A language, file ending or server.
    pub about: Option<String>,
}

/// Result of `hob_servers`.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct ServersResult {
    /// Languages that have the same servers.
    pub families: Vec<Family>,
    /// Whether the project is trusted.
    pub trusted: bool,
}

/// Languages with the same servers.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Family {
    /// The protocol's names for them.
    pub languages: Vec<String>,
    /// Their servers, most wanted first.
    pub candidates: Vec<Candidate>,
}

/// One server.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Candidate {
    /// Its name.
    pub name: String,
    /// `used`, `spare` (found, but another one comes first), `rejected` or `missing`.
    pub state: String,
    /// Its program, if one was found that runs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub program: Option<String>,
    /// What that says its version is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub version: Option<String>,
    /// Programs that were found and are of no use, each with the reason.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub rejected: Vec<String>,
    /// How to get it by hand.
    pub install: String,
    /// How hob gets it, if it can and was asked about this server.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub recipe: Option<Recipe>,
}

/// Commands that install a server into a folder of hob's own.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Recipe {
    /// What must be installed for it, for people.
    pub needs: String,
    /// The folder; nothing else is written to.
    pub folder: String,
    /// What to run, one after the other.
    pub steps: Vec<Step>,
}

/// One command.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Step {
    /// A name to be looked up, or a path.
    pub program: String,
    /// Its arguments.
    pub args: Vec<String>,
    /// Variables besides those of the user, as `NAME=value`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub env: Vec<String>,
}
