//! The language servers that exist for a project and the ways to get them: for `hob servers`, in no list for agents.

use serde::{Deserialize, Serialize};

use super::{ArgDef, ArgType, Default, ListCut, MAX_BUDGET, ToolDef, ToolSet};

/// The tool that lists the servers that serve each language here, and those that could.
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
    /// The project has settings that do not count, because it is not trusted.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub unheard: bool,
}

/// Languages with the same servers.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Family {
    /// The protocol's names for them.
    pub languages: Vec<String>,
    /// Their servers, most wanted first.
    pub candidates: Vec<ListedServer>,
    /// Number of the project's files in these languages, as far as it is indexed.
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
    /// `used`, `spare` (found, but another one comes first), `rejected`, `missing`, or `off` (the user does not want it).
    pub state: String,
    /// Its program, if one was found that runs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub program: Option<String>,
    /// The version that the program reports; `None` if it reports none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub version: Option<String>,
    /// Programs that were found and are of no use, each with the reason.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub rejected: Vec<String>,
    /// True if the program that was found would run only in a trusted project.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub needs_trust: bool,
    /// The user's settings that concern this server.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub settings: Vec<Setting>,
    /// The instructions for installing the server by hand.
    pub install: String,
    /// `hob servers install` can get it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub installable: bool,
    /// The commands by which hob installs the server; `None` if it cannot, or was not asked about this server.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub recipe: Option<Recipe>,
}

/// Something that the user's settings say.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Setting {
    /// The subject of the setting: `command`, `settings.python.analysis.diagnosticMode`.
    pub key: String,
    /// The value that the user wants.
    pub value: String,
    /// Where it stands: file and line.
    pub from: String,
    /// Where something else stands that does not count because of this.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub instead_of: Vec<String>,
    /// Why it does not count at present.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ignored: Option<String>,
}

/// Commands that install a server into a folder of hob's own.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Recipe {
    /// A sentence for people that names what must be installed first.
    pub needs: String,
    /// The folder; nothing else is written to.
    pub folder: String,
    /// A file in it that is made when everything has succeeded: without it the folder does not count.
    pub stamp: String,
    /// The commands to run, one after the other.
    pub steps: Vec<RecipeStep>,
}

/// One command of a recipe.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct RecipeStep {
    /// A name to be looked up, or a path.
    pub program: String,
    /// The arguments of the program, in order.
    pub args: Vec<String>,
    /// Variables besides those of the user, as `NAME=value`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub env: Vec<String>,
}
