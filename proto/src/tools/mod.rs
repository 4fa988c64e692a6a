//! Defines the one table of tools.
//!
//! Everything that describes a tool comes from its [`ToolDef`]: MCP's `tools/list` (schema, annotations),
//! `hob call --help`, argument checking, the documentation page, and the lists that the budget may cut.
//! Definitions live beside the argument and result types of their family; [`TOOLS`] collects them, sorted by
//! name. The table has only tools that work.

mod check;
mod notation;
pub mod schema;

pub mod admin;
pub mod argument_place;
pub mod change;
pub mod context;
pub mod edit;
pub mod entity;
pub mod flow;
pub mod graph;
pub mod grep;
pub mod history;
pub mod impact;
pub mod indexes;
pub mod investigate;
pub mod map;
pub mod metrics;
pub mod models;
pub mod nav;
pub mod org;
pub mod path;
pub mod ranked;
pub mod read;
pub mod resolve;
pub mod scope;
pub mod servers;
pub mod tests_for;
pub mod text;

pub use check::{Checked, check_args, nearest_name};
pub use schema::{input_schema, output_schema};

/// The type and range of values that an argument takes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum ArgType {
    /// A string of at least this many characters.
    Str {
        /// Least length of the string, in characters.
        min: usize,
    },
    /// An integer, clamped into the range with a warning.
    Int {
        /// Least value that the argument may have.
        min: i64,
        /// Greatest value that the argument may have.
        max: i64,
    },
    /// An integer, clamped, or the word `all` for the greatest value.
    IntOrAll {
        /// Least value that the argument may have.
        min: i64,
        /// Greatest value, which `all` stands for.
        max: i64,
    },
    /// A truth value, true or false.
    Bool,
    /// One of these words.
    Enum(&'static [&'static str]),
    /// A list of strings; a single string counts as a list of one.
    StrList,
    /// A list of these words; compared without regard to case.
    EnumList(&'static [&'static str]),
    /// An object of any content.
    Object,
}

/// The default of an argument.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Default {
    /// The argument must be given.
    Required,
    /// The argument may be missing, and then has no value.
    None,
    /// The argument may be missing, but schemas list it as required, because answers are better with it and
    /// models omit optional arguments.
    Expected,
    /// The argument is this number if it is missing.
    Int(i64),
    /// The argument is this word if it is missing.
    Str(&'static str),
    /// The argument is this truth value if it is missing.
    Bool(bool),
}

/// The definition of one argument of a tool.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ArgDef {
    /// Its canonical name; the other spelling (camelCase or snake_case) is accepted too.
    pub name: &'static str,
    /// The type of the values that it takes.
    pub ty: ArgType,
    /// The value that it has when it is missing.
    pub default: Default,
    /// One line for the model and for people.
    pub description: &'static str,
}

/// A list in a tool's result that may be cut to fit the budget, from its end.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ListCut {
    /// The place of the list, as dotted path in `data`; `[]` goes into every element (`clusters[].hubs`).
    pub path: &'static str,
    /// The plural word for the list's items in `dropped.kind`.
    pub kind: &'static str,
    /// The hint that says how to get the other items.
    pub narrow: &'static str,
}

/// The tool set that a tool is in besides `all`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ToolSet {
    /// In `core` and `all`.
    Core,
    /// Only in the set `all`.
    All,
    /// In every list, and only where edits are enabled.
    Edit,
    /// In no list; answers when called by name (measurements).
    Hidden,
}

/// The definition of one tool: its name, arguments, budget and shape of answers.
#[derive(Debug)]
pub struct ToolDef {
    /// Its name on every surface.
    pub name: &'static str,
    /// A short name of the tool, for people.
    pub title: &'static str,
    /// A text for the model: what the tool answers and when to use it.
    pub description: &'static str,
    /// Its arguments, besides the common ones.
    pub args: &'static [ArgDef],
    /// Accepted arguments that no list shows: older names of others.
    pub unlisted: &'static [ArgDef],
    /// True if the tool answers with places, and so takes the arguments of [`scope::ARGS`].
    pub scoped: bool,
    /// Arguments that belong to another tool, and the hint for a caller who passes one.
    pub elsewhere: &'static [(&'static str, &'static str)],
    /// The shape of `data`, in the notation that [`schema::output_schema`] reads.
    pub output: &'static str,
    /// The lists that the budget may cut, most expendable first.
    pub cuts: &'static [ListCut],
    /// The `tokenBudget` of a call that gives none.
    pub default_budget: u32,
    /// The budget in tokens at which handlers aim in the text form without a `tokenBudget`, if that is less
    /// than the default.
    pub text_budget: Option<u32>,
    /// The highest `tokenBudget`.
    pub max_budget: u32,
    /// True if the tool changes nothing.
    pub read_only: bool,
    /// True if a call may destroy data.
    pub destructive: bool,
    /// True if a second call has no further effect.
    pub idempotent: bool,
    /// The tool sets whose lists contain the tool.
    pub set: ToolSet,
}

/// The default budget, in tokens.
pub const DEFAULT_BUDGET: u32 = 2_000;
/// The ceiling of budgets, in tokens; see [`DEFAULT_BUDGET`].
pub const MAX_BUDGET: u32 = 10_000;
/// The lowest budget: the smallest envelope with a warning and a note fits.
pub const MIN_BUDGET: u32 = 100;

/// Clamps a requested budget into the range from [`MIN_BUDGET`] to a tool's `max`, in tokens.
#[must_use]
pub fn clamp_budget(asked: i64, max: u32) -> u32 {
    u32::try_from(asked.clamp(MIN_BUDGET.into(), max.into())).unwrap_or(max)
}

impl ToolDef {
    /// The fields that most tools share: read-only, idempotent, the usual budget.
    pub(crate) const READ: Self = Self {
        name: "",
        title: "",
        description: "",
        args: &[],
        unlisted: &[],
        scoped: false,
        elsewhere: &[],
        output: "{}",
        cuts: &[],
        default_budget: DEFAULT_BUDGET,
        text_budget: None,
        max_budget: MAX_BUDGET,
        read_only: true,
        destructive: false,
        idempotent: true,
        set: ToolSet::All,
    };

    /// Returns the tool's own arguments and those of its scope.
    pub fn own_args(&self) -> impl Iterator<Item = &'static ArgDef> {
        let scope: &'static [ArgDef] = if self.scoped { scope::ARGS } else { &[] };
        self.args.iter().chain(scope)
    }

    /// Returns the tool's arguments, the common ones, and the unlisted ones.
    pub fn accepted_args(&self) -> impl Iterator<Item = &'static ArgDef> {
        let is_own = |name: &str| self.args.iter().any(|arg| arg.name == name);
        let further = UNLISTED.iter().filter(move |arg| !is_own(arg.name));
        self.all_args().chain(self.unlisted).chain(further)
    }

    /// Returns the tool's arguments and the common ones.
    pub fn all_args(&self) -> impl Iterator<Item = &'static ArgDef> {
        let own_budget = self.args.iter().any(|arg| same_name(arg.name, "tokenBudget"));
        self.own_args().chain(COMMON.iter().filter(move |_| !own_budget))
    }
}

/// The arguments that every tool takes and lists.
pub static COMMON: &[ArgDef] = &[ArgDef {
    name: "tokenBudget",
    // The budget enforces the tool's own ceiling; only nonsense is refused here.
    ty: ArgType::Int { min: 0, max: i64::MAX },
    default: Default::None,
    description: "Size cap",
}];

/// The arguments that every tool takes and no list shows, because every conversation would pay for each, and
/// few calls need them: answers name `offset` if there is a next page, the server's instructions name `root`,
/// and the others are for programs.
pub static UNLISTED: &[ArgDef] = &[
    ArgDef { name: "root", ty: ArgType::StrList, default: Default::None, description: "Project, or several" },
    ArgDef {
        name: "fresh",
        ty: ArgType::Bool,
        default: Default::Bool(true),
        description: "See recent writes",
    },
    ArgDef {
        name: "offset",
        ty: ArgType::Int { min: 0, max: 1_000_000 },
        default: Default::None,
        description: "Skip so many results",
    },
    ArgDef {
        name: "repeat",
        ty: ArgType::Bool,
        default: Default::Bool(false),
        description: "Send unchanged source again",
    },
    ArgDef {
        name: "format",
        ty: ArgType::Enum(&["text", "json"]),
        default: Default::None,
        description: "How the answer looks",
    },
];

/// Every tool, sorted by name.
pub static TOOLS: &[&ToolDef] = &[
    &change::CHANGE_IMPACT,
    &text::COUNT_PATTERNS,
    &edit::PATTERN,
    &edit::PENDING,
    &edit::RENAME,
    &edit::SYMBOL,
    &edit::TEXT,
    &flow::FLOW_TRACE,
    &admin::CLOSE,
    &context::CONTEXT,
    &admin::DIGEST,
    &graph::GRAPH,
    &grep::GREP,
    &indexes::INDEXES,
    &models::MODELS,
    &admin::NOOP,
    &org::ORG,
    &admin::PURGE,
    &servers::SERVERS,
    &metrics::STATS,
    &edit::UNDO,
    &impact::IMPACT,
    &investigate::INVESTIGATE,
    &investigate::EXPAND,
    &investigate::HYDRATE,
    &map::NEIGHBORS,
    &map::OVERVIEW,
    &path::PATH,
    &map::REBUILD,
    &map::SEARCH,
    &map::STATUS,
    &metrics::METRICS_REPORT,
    &nav::CALL_HIERARCHY,
    &nav::DEFINITION,
    &nav::DIAGNOSTICS,
    &nav::IMPLEMENTATIONS,
    &nav::REFERENCES,
    &nav::SYMBOLS,
    &nav::TYPE,
    &nav::WORKSPACE_SYMBOLS,
    &read::READ_SYMBOLS,
    &text::REGEX_SEARCH,
    &resolve::RESOLVE,
    &edit::RESOLVE_ACTION,
    &history::SYMBOL_HISTORY,
    &tests_for::TESTS_FOR,
    &ranked::TEXT_SEARCH,
];

/// Returns the tool of this name.
#[must_use]
pub fn find(name: &str) -> Option<&'static ToolDef> {
    TOOLS.binary_search_by(|def| def.name.cmp(name)).ok().map(|at| TOOLS[at])
}

/// The reason why a list of tools is invalid.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("there is no tool or tool set `{name}`{}", nearest.map(|n| format!("; did you mean `{n}`?")).unwrap_or_default())]
pub struct UnknownTool {
    /// The unknown name.
    pub name: String,
    /// The closest known name.
    pub nearest: Option<&'static str>,
}

/// Returns the tools of a list such as `core`, `all` or `map_search,regex_search`, sorted by name. Editing
/// tools are included if they are enabled or named, and the tool that decides about edits whenever one of
/// them is.
///
/// # Errors
/// [`UnknownTool`].
pub fn select_tools(list: &str, edits: bool) -> Result<Vec<&'static ToolDef>, UnknownTool> {
    let mut chosen: Vec<&'static ToolDef> = Vec::new();
    for word in list.split(',').map(str::trim).filter(|word| !word.is_empty()) {
        match word {
            "core" => chosen.extend(TOOLS.iter().filter(|def| def.set == ToolSet::Core)),
            "all" => {
                let everyday = |def: &&&ToolDef| matches!(def.set, ToolSet::Core | ToolSet::All);
                chosen.extend(TOOLS.iter().filter(everyday));
            }
            name => chosen.push(find(name).ok_or_else(|| unknown_tool(name))?),
        }
    }
    if edits && !chosen.is_empty() {
        chosen.extend(TOOLS.iter().filter(|def| def.set == ToolSet::Edit));
    }
    if chosen.iter().any(|def| def.set == ToolSet::Edit) {
        chosen.push(&edit::RESOLVE_ACTION);
    }
    chosen.sort_by_key(|def| def.name);
    chosen.dedup_by_key(|def| def.name);
    Ok(chosen)
}

/// Returns the error for a name that is no tool.
#[must_use]
pub fn unknown_tool(name: &str) -> UnknownTool {
    let known = TOOLS.iter().filter(|def| def.set != ToolSet::Hidden).map(|def| def.name);
    UnknownTool { name: name.to_owned(), nearest: nearest_name(name, known) }
}

/// Returns true if two argument names are the same but for camelCase or snake_case.
#[must_use]
pub fn same_name(a: &str, b: &str) -> bool {
    let fold =
        |text: &str| text.chars().filter(|c| *c != '_').flat_map(char::to_lowercase).collect::<String>();
    a == b || fold(a) == fold(b)
}

/// Reads the requested budget of a call, in tokens, without a check of the other arguments: an error has to
/// fit in it, too.
#[must_use]
pub fn asked_budget(args: &serde_json::Map<String, serde_json::Value>) -> Option<i64> {
    args.iter().find(|(name, _)| same_name(name, "tokenBudget")).and_then(|(_, value)| value.as_i64())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_sorted_and_complete() {
        assert!(TOOLS.is_sorted_by(|a, b| a.name < b.name));
        for def in TOOLS {
            assert!(!def.description.is_empty() && !def.title.is_empty(), "{}", def.name);
            let args: Vec<_> = def.accepted_args().collect();
            for (i, arg) in args.iter().enumerate() {
                assert!(!arg.description.is_empty(), "{}.{}", def.name, arg.name);
                assert!(
                    args[..i].iter().all(|other| !same_name(other.name, arg.name)),
                    "{}.{}",
                    def.name,
                    arg.name
                );
            }
        }
    }

    #[test]
    fn sets_select_and_unknown_names_suggest() {
        assert_eq!(select_tools("map_search, regex_search", false).expect("known").len(), 2);
        let count = |list, edits| select_tools(list, edits).expect("known").len();
        assert!(count("core", false) < count("all", false));
        assert_eq!(count("core", true), count("core", false) + 6, "edits are offered whatever is listed");
        assert!(select_tools("all", false).expect("known").iter().all(|def| def.set != ToolSet::Edit));
        assert_eq!(count("edit_text", false), 2, "and the decision about them");
        let error = select_tools("map_serch", false).expect_err("misspelt").to_string();
        assert!(error.contains("did you mean `map_search`"), "{error}");
    }

    /// The neighbours pay 1,570 tokens for 9 tools and 6,300 for 21.
    #[test]
    fn definitions_stay_cheap() {
        let cost = |set: &str, edits: bool| {
            let listed: Vec<_> = select_tools(set, edits)
                .expect("known")
                .iter()
                .map(|def| schema::tool_listing(def))
                .collect();
            crate::envelope::tokens_of(&serde_json::to_string(&listed).expect("plain data"))
        };
        assert!(cost("all", true) < 6_000, "all: {}", cost("all", true));
        assert!(cost("core", false) < 2_000, "core: {}", cost("core", false));
    }
}
