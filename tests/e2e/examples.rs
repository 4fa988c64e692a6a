//! Makes `docs/answers.md`, which shows both forms of answers, from real calls on a small project. Checks that the page
//! shows what the programs print; `HOB_WRITE_EXAMPLES=1` writes it again.

use std::fmt::Write as _;

use hob_proto::tools::{TOOLS, ToolSet};
use hob_tests::{Mcp, Tree, World, repository, run};
use serde_json::{Value, json};

use super::edit::editor;
use super::shop::{SHOP, args_of};

const PREAMBLE: &str = "# What answers look like

Agents and people read the text form; programs ask for JSON (`hob-mcp --format json`, `hob --json`, `format: \"json\"` in a call). Both are the same
answer, and a budget counts the form that is sent.

- A path stands once above its rows, and so does the definition that rows stand in. A row begins with its line.
- What a row shows can be passed back: `path:line`, a qualified name, `path#name`.
- `>` marks a call through a value, `?` what may mean another definition, `~` what is known by a name that only one definition has, `+` what the map knows and a language server did not list; a
  line at the end says so where one occurs.
- Lines in brackets come last and say what the answer lacks, why, and how to get it: `offset` brings the next page of the same answer.
- Source that a client was sent in the last ten minutes, at most 40,000 characters ago, and that is unchanged is named in a line. A client forgets
  what it compacts, which hob cannot see; the window is short so that compaction seldom reaches into it, and `repeat: true` sends everything.
  Agents that share one connection share what was sent: one that is named a source which only another has read asks with `repeat: true`.

The examples are real answers, every tool's in turn, about a project of three files for which no language server is installed: what one would say,
the map answers where it can. Names of bundles and previews and the project's folder are not those of the run, and `…` stands for what differs from run to run.
";

/// The fields whose values differ between runs, machines or versions.
const PASSING: &[&str] = &[
    "builtAt",
    "createdAt",
    "durationMs",
    "elapsed_ms",
    "expiresAt",
    "mapBuiltAt",
    "pid",
    "score",
    "since",
    "tokenBudget",
    "uptimeS",
    "version",
];

/// The text that replaces the values of these fields.
const ANYTHING: &str = "…";

/// Returns the calls of a tool, in the order of the page.
fn calls_of(tool: &str) -> Vec<Value> {
    let mut calls = vec![args_of(tool)];
    match tool {
        "edit_pending" => calls.push(json!({"pendingId": "preview1"})),
        "investigate_expand" => calls = vec![json!({"bundle_id": "bundle1", "targets": ["a1"]})],
        "investigate_hydrate" => calls = vec![json!({"bundle_id": "bundle1"})],
        "map_neighbors" => calls.push(json!({"nodeId": "Stor.load"})),
        "read_symbols" => calls.push(json!({"targets": ["shop"], "outline": true})),
        _ => {}
    }
    calls
}

/// Commits the project so that its history is the same in every run.
fn commit_all(world: &World, tree: &Tree) {
    for line in ["init -q -b main", "add -A", "commit -q -m shop:\u{a0}begin"] {
        let mut git = std::process::Command::new("git");
        world.clean(&mut git);
        // The programs under test must find no other program, but git is not one of them.
        git.env("PATH", std::env::var_os("PATH").unwrap_or_default());
        for (name, value) in [("NAME", "Ann"), ("EMAIL", "ann@example.invalid"), ("DATE", "1790000000 +0000")]
        {
            git.env(format!("GIT_AUTHOR_{name}"), value).env(format!("GIT_COMMITTER_{name}"), value);
        }
        let words = line.split(' ').map(|word| word.replace('\u{a0}', " "));
        let _ = run(git.current_dir(tree.root()).args(words), b"").success();
    }
}

/// One client that reads every answer in one form. The page uses two of them, because a preview can be decided on only
/// once.
struct Reader {
    tree: Tree,
    mcp: Mcp,
    /// The IDs that the daemon gave, in order.
    bundles: Vec<String>,
    previews: Vec<String>,
}

impl Reader {
    fn new(world: &World) -> Self {
        let tree = world.tree(SHOP);
        commit_all(world, &tree);
        let mut mcp = editor(world, &tree);
        // Scores are known after everything is derived.
        let _ = mcp.call("map_overview", json!({}));
        Self { tree, mcp, bundles: Vec::new(), previews: Vec::new() }
    }

    fn text(&mut self, tool: &str, args: &Value) -> String {
        let text = self.mcp.read(tool, self.meant(args));
        self.bundles.extend(named(&text, "[bundle ", ']'));
        self.previews.extend(named(&text, "[pending: ", ';'));
        let lines: Vec<String> = text.lines().map(lasting_line).collect();
        self.lasting(&lines.join("\n"))
    }

    fn json(&mut self, tool: &str, args: &Value) -> String {
        let answer = self.mcp.call(tool, self.meant(args));
        let field = |name: &str| answer.envelope["data"][name].as_str().map(str::to_owned);
        self.bundles.extend(field("bundle_id").filter(|id| !self.bundles.contains(id)));
        self.previews.extend(field("pendingId"));
        self.lasting(&serde_json::to_string(&lasting(answer.envelope)).expect("plain data"))
    }

    /// Returns the arguments with the IDs of the page replaced by those that the daemon gave.
    fn meant(&self, args: &Value) -> Value {
        let mut text = args.to_string();
        for (ours, theirs) in self.names() {
            text = text.replace(&format!("\"{ours}\""), &format!("\"{theirs}\""));
        }
        serde_json::from_str(&text).expect("plain data")
    }

    /// Returns an answer with the IDs of the page.
    fn lasting(&self, answer: &str) -> String {
        let root = self.tree.root().display().to_string();
        let answer = answer.replace(&root, "/home/me/shop");
        self.names().fold(answer, |answer, (ours, theirs)| answer.replace(theirs, &ours))
    }

    fn names(&self) -> impl Iterator<Item = (String, &String)> {
        let numbered = |word: &'static str| move |(at, name)| (format!("{word}{}", at + 1), name);
        let bundles = self.bundles.iter().enumerate().map(numbered("bundle"));
        bundles.chain(self.previews.iter().enumerate().map(numbered("preview")))
    }
}

/// Returns the word between `before` and `end`.
fn named(text: &str, before: &str, end: char) -> Option<String> {
    text.split_once(before)?.1.split(end).next().map(str::to_owned)
}

#[test]
fn the_page_of_answers_shows_what_the_programs_say() {
    let worlds = [(); 2].map(|()| World::new().env("PATH", "/nowhere"));
    let [mut reads, mut parses] = [0, 1].map(|which| Reader::new(&worlds[which]));
    let mut tools: Vec<_> = TOOLS.iter().filter(|def| def.set != ToolSet::Hidden).collect();
    // The counts are shown before much was counted, and edits come last, after everything was read.
    tools.sort_by_key(|def| (def.name != "metrics_report", def.set == ToolSet::Edit));
    let mut sections: Vec<(&str, String)> =
        tools.iter().map(|def| (def.name, section(def.name, &mut reads, &mut parses))).collect();
    sections.sort();
    let sections: String = sections.into_iter().map(|(_, text)| text).collect();
    let page = format!("{PREAMBLE}{sections}");
    let file = repository().join("docs/answers.md");
    if std::env::var_os("HOB_WRITE_EXAMPLES").is_some() {
        std::fs::write(&file, &page).expect("the page can be written");
    }
    let kept = std::fs::read_to_string(&file).unwrap_or_default();
    let differs = page.lines().zip(kept.lines()).find(|(now, then)| now != then);
    assert!(page == kept, "docs/answers.md is out of date (HOB_WRITE_EXAMPLES=1 writes it): {differs:?}");
}

/// Returns the section of a tool: its calls with their answers.
fn section(tool: &str, reads: &mut Reader, parses: &mut Reader) -> String {
    let mut out = format!("\n## `{tool}`\n");
    for args in calls_of(tool) {
        let (text, json) = (reads.text(tool, &args), parses.json(tool, &args));
        let _ = write!(
            out,
            "\n`{args}`\n\n```text\n{text}\n```\n\n<details><summary>as JSON</summary>\n\n```json\n{json}\n```\n\n</details>\n"
        );
    }
    out
}

fn is_passing(field: &str) -> bool {
    PASSING.contains(&field) || field.ends_with("Bytes") || field.ends_with("BytesOnDisk")
}

fn lasting_line(line: &str) -> String {
    match line.split_once(": ") {
        Some((field, _)) if is_passing(field.trim_start_matches([' ', '-'])) => {
            format!("{field}: {ANYTHING}")
        }
        _ => line.to_owned(),
    }
}

fn lasting(mut value: Value) -> Value {
    if let Some(fields) = value.as_object_mut() {
        for (name, field) in fields {
            *field = if is_passing(name) { ANYTHING.into() } else { lasting(field.take()) };
        }
    } else if let Some(items) = value.as_array_mut() {
        items.iter_mut().for_each(|item| *item = lasting(item.take()));
    }
    value
}
