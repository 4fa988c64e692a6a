//! Defines the request of `hob grep` to the daemon and its answer: every match, a page at a time.
//!
//! The tool is in no list, because its answers are for a program that prints them and not for a model that
//! pays for them. They have the usual envelope and budget, but the budget's ceiling is as high as a frame
//! allows. The lines of a file come as one text and a list of numbers, because a page holds many thousands of
//! them.

use serde::{Deserialize, Serialize};

use super::scope::IN;
use super::{ArgDef, ArgType, Default, ListCut, ToolDef, ToolSet};

/// The size of a page in tokens; it fits into a frame with much to spare.
const PAGE_BUDGET: u32 = 12 << 20;

const fn flag_arg(name: &'static str, description: &'static str) -> ArgDef {
    ArgDef { name, ty: ArgType::Bool, default: Default::Bool(false), description }
}

const fn context_arg(name: &'static str, description: &'static str) -> ArgDef {
    ArgDef { name, ty: ArgType::Int { min: 0, max: u32::MAX as i64 }, default: Default::Int(0), description }
}

const fn path(name: &'static str, description: &'static str) -> ArgDef {
    ArgDef { name, ty: ArgType::Str { min: 1 }, default: Default::None, description }
}

/// Returns every match, page by page. In no list.
pub static GREP: ToolDef = ToolDef {
    name: "hob_grep",
    title: "Everything that matches",
    description: "What `hob grep` prints: whole lines with their matches and context, file by file, a page at a time.",
    args: &[
        ArgDef {
            name: "patterns",
            ty: ArgType::StrList,
            default: Default::Required,
            description: "Regexes; a line matches if any of them does",
        },
        flag_arg("fixed", "They are plain texts"),
        ArgDef {
            name: "case",
            ty: ArgType::Enum(&["sensitive", "insensitive", "smart"]),
            default: Default::Str("sensitive"),
            description: "How case counts",
        },
        flag_arg("word", "Only whole words"),
        flag_arg("line", "Only whole lines"),
        ArgDef {
            name: "keep",
            ty: ArgType::Enum(&["lines", "matches", "counts", "paths"]),
            default: Default::Str("lines"),
            description: "What to give of each file",
        },
        context_arg("before", "Lines of context before a match"),
        context_arg("after", "Lines of context after a match"),
        ArgDef {
            name: "max_count",
            ty: ArgType::Int { min: 1, max: u32::MAX as i64 },
            default: Default::None,
            description: "Most matching lines of a file",
        },
        path("place", "The file or folder to search"),
        ArgDef {
            name: "globs",
            ty: ArgType::StrList,
            default: Default::None,
            description: "Globs as ripgrep's -g takes them; the last that matches decides",
        },
        path("globs_from", "The folder that globs are relative to"),
        ArgDef {
            name: "types",
            ty: ArgType::StrList,
            default: Default::None,
            description: "File types; with ! in front, not these",
        },
        path("after_path", "Where the last page ended"),
        ArgDef {
            name: "after_row",
            ty: ArgType::Int { min: 1, max: i64::MAX },
            default: Default::None,
            description: "The rows of that file that were on it, if not all",
        },
    ],
    unlisted: &[IN],
    output: "{files: [{path: str, text: str, latin: bool, rows: [int], lines: int, matches: int, searched: int, \
             binary?: int, continues: bool, unfinished: bool}], place: str, is_file: bool, known: bool, next_path?: str, \
             next_row?: int, searched: int, bytes: int, unreadable: int}",
    cuts: &[ListCut { path: "files", kind: "files", narrow: "Raise tokenBudget: a page needs its own" }],
    default_budget: PAGE_BUDGET,
    max_budget: PAGE_BUDGET,
    set: ToolSet::Hidden,
    ..ToolDef::READ
};

/// The checked arguments of a `hob_grep` call.
#[derive(Clone, Debug, Deserialize)]
pub struct GrepArgs {
    /// The patterns to search for; a line matches if any pattern does.
    pub patterns: Vec<String>,
    /// True if the patterns are plain texts.
    pub fixed: bool,
    /// `sensitive`, `insensitive` or `smart`.
    pub case: String,
    /// True to match only whole words.
    pub word: bool,
    /// True to match only whole lines.
    pub line: bool,
    /// `lines`, `matches`, `counts` or `paths`.
    pub keep: String,
    /// Lines of context before a match.
    pub before: usize,
    /// Lines of context after a match.
    pub after: usize,
    /// Most matching lines of a file.
    pub max_count: Option<u64>,
    /// The file or folder to search; `None` for the whole workspace.
    pub place: Option<String>,
    /// Globs that a searched file's path must satisfy.
    #[serde(default)]
    pub globs: Vec<String>,
    /// The folder that the globs are relative to.
    pub globs_from: Option<String>,
    /// File types to search, by name; empty for all types.
    #[serde(default)]
    pub types: Vec<String>,
    /// The last path of the page before.
    pub after_path: Option<String>,
    /// The number of that file's rows on earlier pages.
    pub after_row: Option<u64>,
}

/// The data of a `hob_grep` answer: one page.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct GrepResult {
    /// Files that match, in the order of a walk that sorts folders by name.
    pub files: Vec<GrepFile>,
    /// The place that was searched, relative to the root of the workspace.
    pub place: String,
    /// True if the searched place is a file.
    pub is_file: bool,
    /// True if the index has files at that place.
    pub known: bool,
    /// The file with which the next page begins.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next_path: Option<String>,
    /// The number of that file's rows on this and earlier pages.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next_row: Option<u64>,
    /// Files searched for this page.
    pub searched: u64,
    /// Size of the files searched for this page, in bytes.
    pub bytes: u64,
    /// Files that could not be read.
    pub unreadable: u64,
}

/// A file that matches.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct GrepFile {
    /// Relative to the root of the workspace.
    pub path: String,
    /// The lines, one after the other.
    pub text: String,
    /// True if `text` has one character for each byte, because the bytes are no UTF-8.
    pub latin: bool,
    /// For each row: kind (0 context, 1 match, 2 a gap), line, byte of the file, length in bytes, number of
    /// matches, and the first byte and the end of each match in the line.
    pub rows: Vec<u64>,
    /// Number of matching lines in the file.
    pub lines: u64,
    /// Number of matches in these lines, if `keep` requires the count.
    pub matches: u64,
    /// Number of searched bytes.
    pub searched: u64,
    /// The byte at which a NUL ended the search.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub binary: Option<u64>,
    /// True if an earlier page had rows of this file.
    pub continues: bool,
    /// True if the next page has more rows of this file.
    pub unfinished: bool,
}
