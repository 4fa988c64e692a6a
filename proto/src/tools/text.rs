//! Text search: arguments, results, definitions.

use serde::{Deserialize, Serialize};

use super::scope::{GLOB, PATH_PREFIX};
use super::{ArgDef, ArgType, Default, ListCut, ToolDef, ToolSet};

/// What `regex_search` may be restricted to.
pub const TEXT_KINDS: &[&str] = &["Symbol", "Section", "Note", "File"];

/// Which lines of a file.
const LINES_OF: ArgDef = ArgDef {
    name: "kinds",
    ty: ArgType::EnumList(TEXT_KINDS),
    default: Default::None,
    description: "Only text of these (default: every line)",
};

/// How long a search may take.
const MAX_MILLIS: ArgDef = ArgDef {
    name: "max_millis",
    ty: ArgType::Int { min: 1, max: 60_000 },
    default: Default::Int(2_000),
    description: "Time limit",
};

/// `regex_search`.
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
    unlisted: &[PATH_PREFIX, GLOB],
    scoped: true,
    output: "{matches: [{file: str, line?: int, col?: int, text?: str, kind: str, node_id?: str, count?: int, \
             before?: [str], after?: [str]}], total_lines: int, total_matches: int, files_matched: int, complete: bool, \
             elapsed_ms: int}",
    cuts: &[ListCut { path: "matches", kind: "matches", narrow: "Pass paths, or output:'files' or 'count'" }],
    set: ToolSet::Core,
    ..ToolDef::READ
};

/// `count_patterns`.
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
    unlisted: &[PATH_PREFIX],
    scoped: true,
    output: "{patterns: [{pattern: str, total_matches: int, files_matched: int, top_files: [{path: str, count: int}]}], \
             complete: bool, elapsed_ms: int}",
    cuts: &[
        ListCut { path: "patterns[].top_files", kind: "files", narrow: "Pass path_prefix or fewer patterns" },
        ListCut { path: "patterns", kind: "patterns", narrow: "Pass fewer patterns" },
    ],
    ..ToolDef::READ
};

/// Arguments of `count_patterns`.
#[derive(Clone, Debug, Deserialize)]
pub struct CountPatternsArgs {
    /// Rust regexes.
    pub patterns: Vec<String>,
    /// Some of [`TEXT_KINDS`]; none means every line.
    #[serde(default)]
    pub kinds: Vec<String>,
    /// Time limit in milliseconds.
    pub max_millis: u64,
}

/// Result of `count_patterns`.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct CountPatternsResult {
    /// One for each pattern, in their order.
    pub patterns: Vec<PatternCount>,
    /// Whether everything was searched; if not, the counts are lower bounds.
    pub complete: bool,
    /// Wall time of the search.
    pub elapsed_ms: u64,
}

/// How often one pattern matches.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct PatternCount {
    /// As it was given.
    pub pattern: String,
    /// Occurrences.
    pub total_matches: u64,
    /// Files with a match.
    pub files_matched: u64,
    /// The ten files with most occurrences, most first.
    pub top_files: Vec<TopFile>,
}

/// A file and how often a pattern occurs in it.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct TopFile {
    /// Where.
    pub path: String,
    /// Occurrences.
    pub count: u64,
}

/// Arguments of `regex_search`.
#[derive(Clone, Debug, Deserialize)]
pub struct RegexSearchArgs {
    /// Rust regex.
    pub pattern: String,
    /// Some of [`TEXT_KINDS`]; none means every line.
    #[serde(default)]
    pub kinds: Vec<String>,
    /// Most shown.
    pub limit: Option<usize>,
    /// Time limit in milliseconds.
    pub max_millis: u64,
    /// Lines before and after.
    pub context_lines: usize,
    /// `lines`, `files` or `count`.
    pub output: String,
}

/// Result of `regex_search`.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct RegexSearchResult {
    /// By path, then line.
    pub matches: Vec<TextMatch>,
    /// Matching lines in everything searched.
    pub total_lines: u64,
    /// Occurrences in everything searched.
    pub total_matches: u64,
    /// Files with a match.
    pub files_matched: u64,
    /// Whether everything was searched; if not, the totals are lower bounds.
    pub complete: bool,
    /// Wall time of the search.
    pub elapsed_ms: u64,
}

/// One matching line, or one matching file when `output` is `files`.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct TextMatch {
    /// Where.
    pub file: String,
    /// 1-based line.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<u64>,
    /// 1-based UTF-16 column of the first match.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub col: Option<u32>,
    /// The line.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// `File`, or which of the kinds asked for the line belongs to.
    pub kind: String,
    /// The innermost node of the kinds asked for that it stands in.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub node_id: Option<String>,
    /// The qualified name of the definition that it stands in; nothing for the definition's own first line.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub symbol: Option<String>,
    /// Matching lines of the file, when `output` is `files`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub count: Option<u64>,
    /// Lines before.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub before: Vec<String>,
    /// Lines after.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub after: Vec<String>,
}
