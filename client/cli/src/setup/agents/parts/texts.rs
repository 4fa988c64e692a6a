//! Has the texts that make an agent choose hob where hob is better, and only there: block, skill and sub-agent.
//!
//! A block stands before every conversation, so it stays under 120 tokens. An agent reads a skill when its description
//! fits the task, and a sub-agent's text when it starts one. All of them name only tools that the entry offers.

use std::fmt::Write as _;

use hob_proto::tools::ToolDef;

/// The lines around a block, by which hob finds it again.
pub(super) const BEGIN: &str = "<!-- hob:begin -->";
pub(super) const END: &str = "<!-- hob:end -->";

/// A kind of question, the tool that answers it, and details for a skill.
struct ToolUse {
    tool: &'static str,
    question: &'static str,
    more: &'static str,
}

/// The questions in which hob beats a search of text, the most frequent first.
const USES: &[ToolUse] = &[
    ToolUse {
        tool: "map_neighbors",
        question: "who calls, uses or implements X",
        more: "callers with the line of each call (direction in), callees (out), subclasses and implementors (edgeKinds extends, depth all). \
               A `?` marks a guess: read that line before you rely on it",
    },
    ToolUse {
        tool: "impact",
        question: "what breaks if X changes",
        more: "everybody who depends on a symbol, step by step, with the tests apart",
    },
    ToolUse {
        tool: "map_search",
        question: "where X is",
        more: "symbols and files by name or part of one; several names in one call",
    },
    ToolUse {
        tool: "read_symbols",
        question: "source or outline",
        more: "the body of several symbols or line ranges in one call; outline: true for the symbols of a file or folder",
    },
    ToolUse {
        tool: "regex_search",
        question: "a regex, with the function around each hit",
        more: "the same lines as ripgrep, each with its enclosing symbol; output: files or count where lines are not needed",
    },
    ToolUse {
        tool: "investigate",
        question: "an issue or stack trace",
        more: "starting points for a question in words, an issue or a stack trace",
    },
    ToolUse {
        tool: "map_path",
        question: "how A reaches B",
        more: "a chain of calls from one symbol to another, with the line of each call",
    },
    ToolUse {
        tool: "map_overview",
        question: "an unknown code base",
        more: "its parts and their most connected symbols",
    },
];

/// Names the questions for which hob is not better, in every text.
const NOT_FOR: &str = "Use grep or read for one file that you know, logs and build output.";

fn offered<'t>(tools: &'t [&'static ToolDef]) -> impl Iterator<Item = &'static ToolUse> + 't {
    USES.iter().filter(|one| tools.iter().any(|tool| tool.name == one.tool))
}

/// Returns the block for a document of instructions, with its markers.
pub(super) fn instruction_block(tools: &[&'static ToolDef]) -> String {
    format!("{BEGIN}\n{}{END}\n", instruction_lines(tools))
}

/// Returns the block's text without markers, for a file of rules that is hob's alone.
pub(super) fn instruction_lines(tools: &[&'static ToolDef]) -> String {
    let uses: Vec<String> =
        offered(tools).take(6).map(|one| format!("{} (`{}`)", one.question, one.tool)).collect();
    format!(
        "## Ask hob before you search\nThe MCP server hob indexes this code and follows every edit. Ask it: {}.\n{NOT_FOR}\n",
        uses.join(", ")
    )
}

/// Returns the skill, a file in the form that all clients with skills read (agentskills.io).
pub(super) fn skill_text(tools: &[&'static ToolDef]) -> String {
    let mut text = "---\nname: hob\ndescription: Finds callers, implementors, definitions, affected code and tests, outlines and exact \
                    regex matches in this code base through the hob MCP tools. Use it before grep or file reading when a question is about \
                    how code hangs together, where something is, or what a change breaks.\n---\n\n# Questions about code: hob\n\nhob keeps \
                    this project indexed and takes in every edit before it answers, so there is nothing to rebuild or to wait for.\n\n\
                    | question | tool | what it gives |\n|---|---|---|\n"
        .to_owned();
    for one in offered(tools) {
        let _ = writeln!(text, "| {} | `{}` | {} |", one.question, one.tool, one.more);
    }
    text.push_str(
        "\n## How to ask\n\n- Name a symbol as `name`, `Class.name`, `path:line` or as an answer printed it. If a name is ambiguous, the \
         answer lists what can be passed back.\n- Ask for several things in one call where the tool takes a list, and narrow with `paths` \
         and `tests`.\n- Lines in brackets at the end of an answer say what is missing and how to get it.\n- Work in another project or \
         work tree: pass absolute paths, or `root`.\n\n## When not to use it\n\n- One file that you know already: read it.\n- Logs, build \
         output, files that the project ignores: use grep; hob has only the project's own files.\n- Running code, types at run time, what \
         a test prints: run it.\n",
    );
    text
}

/// Returns the task of the sub-agent, which follows each client's own head.
pub(super) fn subagent_task(tools: &[&'static ToolDef]) -> String {
    let mut text = "You answer questions about this code base and change nothing. hob has it indexed and follows every edit; ask it \
                    first:\n\n"
        .to_owned();
    for one in offered(tools) {
        let _ = writeln!(text, "- `{}`: {}", one.tool, one.more);
    }
    text.push_str(
        "\nAsk narrow questions, several things in one call. Read a file only to check what a guess (`?`) or a bracketed line leaves open. \
         Answer in a few sentences, with `path:line` for every fact, and say what you could not find.\n",
    );
    text
}

/// The description of the sub-agent, by which an agent decides to start it.
pub(super) const SUBAGENT_DESCRIPTION: &str = "Answers questions about this code base from its index: who calls or implements \
                                               something, what a change breaks, where something is decided. Use it where an answer would \
                                               take more than two searches.";

#[cfg(test)]
mod tests {
    use hob_proto::envelope::tokens_of;
    use hob_proto::tools::{TOOLS, find, select_tools};

    use super::*;

    #[test]
    fn a_block_is_under_120_tokens_and_names_only_offered_tools() {
        for list in ["core", "all", "map_search", "all,edit_text", "hob_noop"] {
            let tools = select_tools(list, false).expect("known");
            let block = instruction_block(&tools);
            assert!(tokens_of(&block) < 120, "{list}: {} in {block}", tokens_of(&block));
            for text in [block, skill_text(&tools), subagent_task(&tools)] {
                for def in TOOLS {
                    let is_named = text.contains(&format!("`{}`", def.name));
                    assert!(
                        !is_named || tools.iter().any(|tool| tool.name == def.name),
                        "{list}: {}",
                        def.name
                    );
                }
            }
        }
    }

    #[test]
    fn every_use_is_of_a_tool_that_reads() {
        assert!(USES.iter().all(|one| find(one.tool).is_some_and(|tool| tool.read_only)));
    }
}
