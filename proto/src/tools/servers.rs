//! Defines `hob_servers`: the language servers that exist for a project, and the ways to get others. For `hob
//! servers`; in no list for agents.

use serde::{Deserialize, Serialize};

use super::{ArgDef, ArgType, Default, ListCut, MAX_BUDGET, ToolDef, ToolSet};

/// Lists the servers that serve each language of the project, and those that could.
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
             rejected?: [str], needs_trust?: bool, settings?: [{key: str, value: str, from: str, instead_of?: [str], ignored?: str}], install: str, installable?: bool, recipe?: {needs: str, folder: str, stamp: str, steps: [{program: str, args: [str], \
             env?: [str]}]}}], files: int, settings?: any}], trusted: bool, problems?: [str], unheard?: bool}",
    cuts: &[ListCut { path: "families", kind: "families", narrow: "Pass about" }],
    default_budget: MAX_BUDGET,
    set: ToolSet::Hidden,
    ..ToolDef::READ
};

/// The checked arguments of a `hob_servers` call.
#[derive(Clone, Debug, Deserialize)]
pub struct ServersArgs {
    /// A language, file ending or server.
    pub about: Option<String>,
}

/// The data of a `hob_servers` answer.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct ServersResult {
    /// Languages that have the same servers.
    pub families: Vec<Family>,
    /// True if the user trusts the project.
    pub trusted: bool,
    /// The errors in the settings, each with its file and line.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub problems: Vec<String>,
    /// True if the project has settings that do not count, because the project is not trusted.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub unheard: bool,
}

/// Languages with the same servers.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Family {
    /// The protocol's names for these languages.
    pub languages: Vec<String>,
    /// Their servers, the preferred one first.
    pub candidates: Vec<ListedServer>,
    /// Number of the project's files in these languages, as far as the project is indexed.
    #[serde(default)]
    pub files: usize,
    /// The user's settings that concern these languages.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub settings: Vec<Setting>,
}

/// A server that can serve a family of languages, with its state here.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct ListedServer {
    /// The name of the server in the catalogue.
    pub name: String,
    /// `used`, `spare` (found, but another one takes precedence), `rejected`, `missing`, or `off` (the user
    /// does not want it).
    pub state: String,
    /// The path of its program, if a working one was found.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub program: Option<String>,
    /// The version that the program reports; `None` if it reports none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub version: Option<String>,
    /// Programs that were found and cannot be used, each with the reason.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub rejected: Vec<String>,
    /// True if the program would run only in a trusted project.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub needs_trust: bool,
    /// The user's settings that concern this server.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub settings: Vec<Setting>,
    /// The instructions for installing the server by hand.
    pub install: String,
    /// True if `hob servers install` can install it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub installable: bool,
    /// The commands by which hob installs the server; `None` if it cannot, or was not asked about this server.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub recipe: Option<Recipe>,
}

/// A setting of the user.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Setting {
    /// The subject of the setting: `command`, `settings.python.analysis.diagnosticMode`.
    pub key: String,
    /// The value that the user wants.
    pub value: String,
    /// The place of the setting: file and line.
    pub from: String,
    /// The places of other values that this setting overrides.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub instead_of: Vec<String>,
    /// The reason why the setting does not count at present.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ignored: Option<String>,
}

/// Commands that install a server into a folder of hob's own.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Recipe {
    /// A sentence for people that names what must be installed first.
    pub needs: String,
    /// The folder; the commands write only to it.
    pub folder: String,
    /// A file in the folder, which is made when all commands have succeeded: without it the folder does not
    /// count.
    pub stamp: String,
    /// The commands to run, one after the other.
    pub steps: Vec<RecipeStep>,
}

/// One command of a recipe.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct RecipeStep {
    /// The name of the program to look up, or its path.
    pub program: String,
    /// The arguments of the program, in order.
    pub args: Vec<String>,
    /// Variables in addition to those of the user, as `NAME=value`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub env: Vec<String>,
}
