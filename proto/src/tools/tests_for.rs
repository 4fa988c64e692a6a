//! Defines `tests_for`: arguments, results, definition.

use serde::{Deserialize, Serialize};

use super::change::{BASE, CHANGE};
use super::{ArgDef, ArgType, Default, ListCut, ToolDef};

/// The definition of the tool `tests_for`.
pub static TESTS_FOR: ToolDef = ToolDef {
    name: "tests_for",
    title: "Find the tests of code",
    description: "Which tests reach a symbol, file or change, by calls, and how to run them; direction out: what a test covers.",
    args: &[
        ArgDef {
            name: "target",
            ty: ArgType::Str { min: 1 },
            default: Default::None,
            description: "Symbol or file; else the change counts",
        },
        CHANGE,
        BASE,
        ArgDef {
            name: "direction",
            ty: ArgType::Enum(&["in", "out"]),
            default: Default::Str("in"),
            description: "out: from a test to code",
        },
        ArgDef {
            name: "max_depth",
            ty: ArgType::Int { min: 1, max: 20 },
            default: Default::Int(16),
            description: "Most steps away",
        },
        ArgDef {
            name: "offset",
            ty: ArgType::Int { min: 0, max: 1_000_000 },
            default: Default::Int(0),
            description: "Skip so many",
        },
    ],
    scoped: true,
    output: "{of: str, direction: str, found: [{uid: str, name: str, file: str, line: int, depth: int, confidence: str, via?: str}], \
             commands: [{runner: str, command: str, tests: int}], counts: {found: int, files: int, possible: int}, truncated_at?: int}",
    cuts: &[
        ListCut { path: "commands", kind: "commands", narrow: "Narrow with paths" },
        ListCut { path: "found", kind: "found", narrow: "Pass offset" },
    ],
    ..ToolDef::READ
};

/// The checked arguments of a `tests_for` call.
#[derive(Clone, Debug, Deserialize)]
pub struct TestsArgs {
    /// A symbol or a file.
    pub target: Option<String>,
    /// The change in words, or a diff.
    pub change: Option<String>,
    /// The revision that a branch came from.
    pub base: Option<String>,
    /// `in` or `out`.
    pub direction: String,
    /// Most steps from the target.
    pub max_depth: u32,
    /// Number of items to skip before the first one shown.
    pub offset: usize,
}

/// The data of a `tests_for` answer.
#[derive(Clone, Debug, std::default::Default, Serialize, Deserialize)]
pub struct TestsResult {
    /// The symbol, the file or the change.
    pub of: String,
    /// `in`: `found` has the tests that reach the target; `out`: `found` has the definitions that the target
    /// reaches.
    pub direction: String,
    /// Tests, or the definitions that a test covers, nearest first.
    pub found: Vec<ReachedNode>,
    /// Command lines that run all the tests, shown or not.
    pub commands: Vec<TestCommand>,
    /// Counts of everything, shown or not.
    pub counts: TestCounts,
    /// The depth of the search, if there may be more beyond.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub truncated_at: Option<u32>,
}

/// A test, or a definition that a test covers.
#[derive(Clone, Debug, std::default::Default, Serialize, Deserialize)]
pub struct ReachedNode {
    /// The node ID.
    pub uid: String,
    /// The qualified name; the path of a file.
    pub name: String,
    /// The file of the node.
    pub file: String,
    /// 1-based line of its name.
    pub line: u32,
    /// Number of steps between it and the target; 0 for a test that is itself part of the target.
    pub depth: u32,
    /// The lowest confidence of these steps.
    pub confidence: String,
    /// The node ID of the next node towards the target, if that is not the target itself.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub via: Option<String>,
}

/// A command line that runs tests.
#[derive(Clone, Debug, std::default::Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TestCommand {
    /// The program that runs the tests: `pytest`, `cargo`, `go`, `jest`, `vitest`, `maven`, `gradle`.
    pub runner: String,
    /// The command line, for a POSIX shell in the project's root.
    pub command: String,
    /// Number of found tests that it runs.
    pub tests: usize,
}

/// Counts of tests.
#[derive(Clone, Debug, std::default::Default, Serialize, Deserialize)]
pub struct TestCounts {
    /// Number of nodes found.
    pub found: usize,
    /// Number of files with these nodes.
    pub files: usize,
    /// Number of tests that only unresolved uses connect with the target; with `out`, of unresolved calls.
    pub possible: usize,
}
