//! Defines exact text search: arguments, results, definitions.

use serde::{Deserialize, Serialize};

use super::scope::{GLOB, IN, PATH_PREFIX};
use super::{ArgDef, ArgType, Default, ListCut, ToolDef, ToolSet};

/// The kinds of nodes to which `regex_search` may be restricted.
pub const TEXT_KINDS: &[&str] = &["Symbol", "Section", "Note", "File"];

/// The argument that selects lines by the kind of node they belong to.
const LINES_OF: ArgDef = ArgDef {
    name: "kinds",
    ty: ArgType::EnumList(TEXT_KINDS),
    default: Default::None,
    description: "Only text of these (default: every line)",
};

/// The argument that limits the time of a search.
const MAX_MILLIS: ArgDef = ArgDef {
    name: "max_millis",
    ty: ArgType::Int { min: 1, max: 60_000 },
    default: Default::Int(2_000),
    description: "Time limit",
};

/// The definition of the tool `regex_search`.
pub static REGEX_SEARCH: ToolDef = ToolDef {
    name: "regex_search",
    title: "Regex search",
    description: "Grep the project: every matching line as ripgrep finds it, under its file and the function it is in. Rust regex.",
    args: &[
        ArgDef {
            name: "pattern",
            ty: ArgType::Str { min: 1 },
            default: Default::Required,
            description: "Regex, e.g. fn\\s+main",
        },
        LINES_OF,
        ArgDef {
            name: "limit",
            ty: ArgType::Int { min: 1, max: 10_000 },
            default: Default::None,
            description: "Most shown; totals count all",
        },
        MAX_MILLIS,
        ArgDef {
            name: "context_lines",
            ty: ArgType::Int { min: 0, max: 20 },
            default: Default::Int(0),
            description: "Lines around each",
        },
        ArgDef {
            name: "output",
            ty: ArgType::Enum(&["lines", "files", "count"]),
            default: Default::Str("lines"),
            description: "What to show",
        },
    ],
    unlisted: &[IN, PATH_PREFIX, GLOB],
    scoped: true,
    output: "{matches: [{file: str, line?: int, col?: int, text?: str, kind: str, node_id?: str, count?: int, \
             before?: [str], after?: [str]}], total_lines: int, total_matches: int, files_matched: int, complete: bool, \
             elapsed_ms: int}",
    cuts: &[ListCut { path: "matches", kind: "matches", narrow: "Pass paths, or output:'files' or 'count'" }],
    set: ToolSet::Core,
    ..ToolDef::READ
};

/// The definition of the tool `count_patterns`.
pub static COUNT_PATTERNS: ToolDef = ToolDef {
    name: "count_patterns",
    title: "Count matches of many regexes",
    description: "How often each regex occurs and where most, all of them in one pass. Rust regex syntax.",
    args: &[
        ArgDef {
            name: "patterns",
            ty: ArgType::StrList,
            default: Default::Required,
            description: "Up to 256 regexes",
        },
        LINES_OF,
        MAX_MILLIS,
    ],
    unlisted: &[IN, PATH_PREFIX],
    scoped: true,
    output: "{patterns: [{pattern: str, total_matches: int, files_matched: int, top_files: [{path: str, count: int}]}], \
             complete: bool, elapsed_ms: int}",
    cuts: &[
        ListCut { path: "patterns[].top_files", kind: "files", narrow: "Pass path_prefix or fewer patterns" },
        ListCut { path: "patterns", kind: "patterns", narrow: "Pass fewer patterns" },
    ],
    ..ToolDef::READ
};

/// The checked arguments of a `count_patterns` call.
#[derive(Clone, Debug, Deserialize)]
pub struct CountPatternsArgs {
    /// The patterns to count, in Rust's regex syntax.
    pub patterns: Vec<String>,
    /// Some of [`TEXT_KINDS`]; empty for every line.
    #[serde(default)]
    pub kinds: Vec<String>,
    /// Time limit in milliseconds.
    pub max_millis: u64,
}

/// The data of a `count_patterns` answer.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct CountPatternsResult {
    /// The counts of each pattern, in the order of the call.
    pub patterns: Vec<PatternCount>,
    /// True if everything was searched; if not, the counts are lower bounds.
    pub complete: bool,
    /// Wall time of the search, in milliseconds.
    pub elapsed_ms: u64,
}

/// The counts of one pattern's matches.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct PatternCount {
    /// The pattern of the call.
    pub pattern: String,
    /// Number of occurrences in all files.
    pub total_matches: u64,
    /// Files with a match.
    pub files_matched: u64,
    /// The ten files with most occurrences, most first.
    pub top_files: Vec<TopFile>,
}

/// A file, and the number of a pattern's occurrences in it.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct TopFile {
    /// The path of the file, relative to the root.
    pub path: String,
    /// Number of occurrences in the file.
    pub count: u64,
}

/// The checked arguments of a `regex_search` call.
#[derive(Clone, Debug, Deserialize)]
pub struct RegexSearchArgs {
    /// The pattern to search for, in Rust's regex syntax.
    pub pattern: String,
    /// Some of [`TEXT_KINDS`]; empty for every line.
    #[serde(default)]
    pub kinds: Vec<String>,
    /// Most matches that are shown.
    pub limit: Option<usize>,
    /// Time limit in milliseconds.
    pub max_millis: u64,
    /// Lines of context before and after a match.
    pub context_lines: usize,
    /// `lines`, `files` or `count`.
    pub output: String,
}

/// The data of a `regex_search` answer.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct RegexSearchResult {
    /// The matches, by path, then line.
    pub matches: Vec<TextMatch>,
    /// Number of matching lines in all searched files.
    pub total_lines: u64,
    /// Number of occurrences in all searched files.
    pub total_matches: u64,
    /// Number of files with a match.
    pub files_matched: u64,
    /// True if everything was searched; if not, the totals are lower bounds.
    pub complete: bool,
    /// Wall time of the search, in milliseconds.
    pub elapsed_ms: u64,
}

/// One matching line, or one matching file when `output` is `files`.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct TextMatch {
    /// The path of the file, relative to the root.
    pub file: String,
    /// The line of the match, from 1; `None` when `output` is `files`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<u64>,
    /// 1-based UTF-16 column of the first match.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub col: Option<u32>,
    /// The text of the line; `None` when `output` is `files`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// `File`, or the kind, of those requested, of the node around the line.
    pub kind: String,
    /// The ID of the innermost such node.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub node_id: Option<String>,
    /// The qualified name of the definition around the line; `None` on the definition's own first line.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub symbol: Option<String>,
    /// Number of matching lines in the file, when `output` is `files`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub count: Option<u64>,
    /// Lines of context before the match.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub before: Vec<String>,
    /// Lines of context after the match.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub after: Vec<String>,
}
