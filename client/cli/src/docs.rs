//! Defines `hob tools` and `hob completions`, which need no daemon.

use std::path::PathBuf;

use clap::{Args, CommandFactory as _};
use clap_complete::Shell;
use hob_proto::tools::{ArgDef, ArgType, COMMON, Default, TOOLS, ToolDef, ToolSet, UNLISTED, same_name};

use super::term::{self, Style};
use super::{Cli, CommandFailure, CommandOutcome, output};

/// List the tools that agents can call
#[derive(Debug, Args)]
pub(crate) struct Tools {
    /// Print the documentation page of all tools
    #[arg(long)]
    markdown: bool,
}

impl Tools {
    pub(super) fn run(&self) -> Result<CommandOutcome, CommandFailure> {
        let listed = TOOLS.iter().copied().filter(|def| def.set != ToolSet::Hidden);
        let text = if self.markdown { page(listed) } else { list(listed, &Style::of_stdout()) };
        term::print(&text)?;
        Ok(CommandOutcome::Done)
    }
}

fn list(tools: impl Iterator<Item = &'static ToolDef>, style: &Style) -> String {
    let line = |def: &ToolDef| {
        let core = match def.set {
            ToolSet::Core => "core",
            ToolSet::Edit => "edit",
            ToolSet::All | ToolSet::Hidden => "    ",
        };
        let used = 24 + 2 + core.len();
        format!(
            "{}{}  {}  {}\n",
            style.bold(def.name),
            " ".repeat(18usize.saturating_sub(def.name.len())),
            style.dim(core),
            style.cut_to_width(def.description, used)
        )
    };
    tools.map(line).collect()
}

/// Returns the documentation page, with everything in the table of tools, in the table's order.
fn page(tools: impl Iterator<Item = &'static ToolDef>) -> String {
    let mut out = String::from(PREAMBLE);
    out.push_str("\n## Arguments of every tool\n\n");
    out.push_str(&args_table(COMMON.iter().chain(UNLISTED).copied(), None));
    for def in tools {
        tool_section(&mut out, def);
    }
    out
}

const PREAMBLE: &str = "# Tools

This page is generated: `hob tools --markdown > docs/tools.md`.

Every tool answers in two forms, text and JSON, which are the same answer; [answers.md](answers.md) shows both, from a real call of each tool.
This page has the fields of the JSON form, an envelope:
`ok`, `data` or `error` (`code`, `message`, `hint`), `tokenBudget`, `truncated`, `dropped`, `warnings`. An answer never costs
more than its `tokenBudget` (a token is four characters); what had to go is named in `dropped`, with the argument that brings
it back. Arguments may be written in camelCase or snake_case. Numbers out of range are clamped with a warning; unknown
arguments are refused.

Lines and columns count from 1, columns in UTF-16 code units; a byte order mark is no column, as for ripgrep, editors and language
servers. Where a tool takes `file` and `line`, the name that the line defines is meant without `col`, else the only name on it;
several are refused with their columns. `resolve` takes what encloses the line.

An argument that means a symbol or a place (`target`, `targets`, `nodeId`, `symbol`, `from`, `to`) takes a name, `Class.name`, `path#name`,
`path`, `path:line`, `path:line:col`, `path:from-to` or a node ID. `paths` takes prefixes (`src/commands` means `src/commands.rs` too) and
globs; what has `!` before it is left out. `tests` are what the map knows to be tests, and files and folders that are called so.
";

fn tool_section(out: &mut String, def: &'static ToolDef) {
    let set = match def.set {
        ToolSet::Core => "`core`, `all`",
        ToolSet::Edit => "every list where edits are enabled",
        ToolSet::All | ToolSet::Hidden => "`all`",
    };
    let effect = if def.read_only { "changes nothing" } else { "changes files or state" };
    out.push_str(&format!("\n## `{}`\n\n{}\n\n", def.name, def.description));
    out.push_str(&format!(
        "In {set}; {effect}; `tokenBudget` {} by default, at most {}.\n",
        def.default_budget, def.max_budget
    ));
    if def.own_args().next().is_some() {
        out.push('\n');
        out.push_str(&args_table(def.own_args().copied(), Some(def)));
    }
    let shape = def.output.split_whitespace().collect::<Vec<_>>().join(" ");
    out.push_str(&format!(
        "\nResult ([as text and as JSON](answers.md#{})):\n\n```\n{shape}\n```\n",
        def.name.to_lowercase()
    ));
}

fn args_table(args: impl Iterator<Item = ArgDef>, def: Option<&ToolDef>) -> String {
    let mut out = String::from("| argument | takes | default | meaning |\n|---|---|---|---|\n");
    for arg in args {
        let cells = [
            format!("`{}`", arg.name),
            describe_type(arg.ty),
            default(&arg, def),
            // A viewer of the page would take a word in angle brackets for a tag.
            arg.description.replace('<', "\\<"),
        ];
        let cells = cells.map(|cell| cell.replace('|', "\\|"));
        out.push_str(&format!("| {} |\n", cells.join(" | ")));
    }
    out
}

fn describe_type(ty: ArgType) -> String {
    let quoted = |words: &[&str]| words.iter().map(|word| format!("`{word}`")).collect::<Vec<_>>().join(" ");
    match ty {
        ArgType::Str { min: 0 | 1 } => "text".to_owned(),
        ArgType::Str { min } => format!("text, at least {min} characters"),
        ArgType::Int { min, max: i64::MAX } => format!("integer from {min}"),
        ArgType::Int { min, max } => format!("integer, {min} to {max}"),
        ArgType::IntOrAll { min, max } => format!("integer, {min} to {max}, or `all`"),
        ArgType::Bool => "`true` `false`".to_owned(),
        ArgType::Object => "object".to_owned(),
        ArgType::Enum(words) => format!("one of {}", quoted(words)),
        ArgType::StrList => "list of texts".to_owned(),
        ArgType::EnumList(words) => format!("list of {}", quoted(words)),
    }
}

fn default(arg: &ArgDef, def: Option<&ToolDef>) -> String {
    match (arg.default, def) {
        (Default::Required, _) => "required".to_owned(),
        (Default::Int(n), _) => n.to_string(),
        (Default::Str(word), _) => format!("`{word}`"),
        (Default::Bool(b), _) => format!("`{b}`"),
        (Default::None, Some(def)) if same_name(arg.name, "tokenBudget") => def.default_budget.to_string(),
        (Default::None, None) if same_name(arg.name, "tokenBudget") => "see the tool".to_owned(),
        (Default::None | Default::Expected, _) => String::new(),
    }
}

/// Print a completion script for a shell
///
/// For instance: hob completions bash --out ~/.local/share/bash-completion/completions/hob
#[derive(Debug, Args)]
pub(crate) struct Completions {
    /// The shell to write completions for
    shell: Shell,

    /// Write it into this file; missing folders are created
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
}

impl Completions {
    pub(super) fn run(&self) -> Result<CommandOutcome, CommandFailure> {
        let mut script = Vec::new();
        clap_complete::generate(self.shell, &mut Cli::command(), "hob", &mut script);
        output::print_or_write(&String::from_utf8_lossy(&script), self.out.as_deref())?;
        Ok(CommandOutcome::Done)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_page_names_every_listed_tool_and_argument() {
        let listed: Vec<_> = TOOLS.iter().copied().filter(|def| def.set != ToolSet::Hidden).collect();
        let page = page(listed.iter().copied());
        for def in &listed {
            assert!(page.contains(&format!("## `{}`", def.name)), "{}", def.name);
            assert!(page.contains(&format!("(answers.md#{})", def.name.to_lowercase())), "{}", def.name);
            assert!(def.args.iter().all(|arg| page.contains(&format!("| `{}` |", arg.name))), "{}", def.name);
        }
        assert!(!page.contains("hob_noop"));
    }
}
