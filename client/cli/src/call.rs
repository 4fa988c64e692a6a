//! Defines `hob call TOOL`, and the short verbs for the tools that a person uses most.
//!
//! Both become the same call; a verb only has some arguments as positionals and a larger answer by default, since a
//! person pays no tokens. The commands are built from the tool table, so this file implements clap's traits by hand and
//! does not use `derive`.

use std::path::Path;

use clap::error::ErrorKind;
use clap::{Arg, ArgAction, ArgMatches, Command, FromArgMatches, Subcommand};
use hob_proto::Form;
use hob_proto::tools::{self, TOOLS, ToolDef, check_args};
use serde_json::{Map, Value};

use super::ask::{self, CliQuestion};
use super::{CommandFailure, CommandOutcome, Common, show, toolargs};

/// The option of `hob call` that allows edits.
const EDITS: &str = "edits";

/// A short verb: a subcommand that stands for a tool.
#[derive(Debug)]
struct Verb {
    name: &'static str,
    /// Other names of the verb.
    aliases: &'static [&'static str],
    tool: &'static str,
    /// The arguments that are positionals, in order.
    positionals: &'static [&'static str],
    /// The positional that may be a path as the user sees it from the working directory.
    path: Option<&'static str>,
    /// The positional that may be `-`, for the text on standard input.
    stdin: Option<&'static str>,
    /// The arguments that the verb sets unless the user does, as a JSON object.
    fixed: &'static str,
    /// True if the answer is as large as an agent's, because people want only its beginning.
    is_brief: bool,
    about: &'static str,
}

const VERBS: &[Verb] = &[
    Verb {
        name: "ask",
        aliases: &[],
        tool: "investigate",
        positionals: &["query"],
        path: None,
        stdin: None,
        fixed: "{}",
        is_brief: true,
        about: "Find where a topic lives: ask in words (hob ask 'how is the session cookie signed')",
    },
    Verb {
        name: "map",
        aliases: &[],
        tool: "map_overview",
        positionals: &["focus"],
        path: Some("focus"),
        stdin: None,
        fixed: "{}",
        is_brief: false,
        about: "Show the code base's clusters and their most connected symbols",
    },
    Verb {
        name: "search",
        aliases: &["find"],
        tool: "map_search",
        positionals: &["query"],
        path: None,
        stdin: None,
        fixed: "{}",
        is_brief: false,
        about: "Find definitions and files by name",
    },
    Verb {
        name: "neighbors",
        aliases: &["neighbours", "refs", "references", "usages"],
        tool: "map_neighbors",
        positionals: &["nodeId"],
        path: None,
        stdin: None,
        fixed: "{}",
        is_brief: false,
        about: "Show what a symbol or file is connected to: callers, callees, bases",
    },
    Verb {
        name: "callers",
        aliases: &[],
        tool: "map_neighbors",
        positionals: &["nodeId"],
        path: None,
        stdin: None,
        fixed: r#"{"direction": "in", "edgeKinds": ["calls"]}"#,
        is_brief: false,
        about: "Show who calls a symbol, with the lines",
    },
    Verb {
        name: "callees",
        aliases: &[],
        tool: "map_neighbors",
        positionals: &["nodeId"],
        path: None,
        stdin: None,
        fixed: r#"{"direction": "out", "edgeKinds": ["calls"]}"#,
        is_brief: false,
        about: "Show what a symbol calls",
    },
    Verb {
        name: "path",
        aliases: &[],
        tool: "map_path",
        positionals: &["from", "to"],
        path: None,
        stdin: None,
        fixed: "{}",
        is_brief: false,
        about: "Show how two symbols or files are connected",
    },
    Verb {
        name: "read",
        aliases: &["show", "cat"],
        tool: "read_symbols",
        positionals: &["targets"],
        path: None,
        stdin: None,
        fixed: r#"{"whole": true}"#,
        is_brief: false,
        about: "Show the source of symbols, files or lines (src/a.py:10-40)",
    },
    Verb {
        name: "outline",
        aliases: &[],
        tool: "read_symbols",
        positionals: &["targets"],
        path: None,
        stdin: None,
        fixed: r#"{"outline": true}"#,
        is_brief: false,
        about: "Show what a file, a folder or a class has, with lines",
    },
    Verb {
        name: "trace",
        aliases: &[],
        tool: "flow_trace",
        positionals: &["symbol"],
        path: None,
        stdin: None,
        fixed: "{}",
        is_brief: false,
        about: "Show what a symbol calls, and what those call, as a tree",
    },
    Verb {
        name: "impact",
        aliases: &[],
        tool: "impact",
        positionals: &["symbol"],
        path: None,
        stdin: None,
        fixed: "{}",
        is_brief: false,
        about: "Show who is affected when a symbol or file changes, tests among them",
    },
    Verb {
        name: "tests",
        aliases: &[],
        tool: "tests_for",
        positionals: &["target"],
        path: None,
        stdin: None,
        fixed: "{}",
        is_brief: false,
        about: "Show the tests that reach a symbol, a file or a change, and how to run them",
    },
    Verb {
        name: "history",
        aliases: &[],
        tool: "symbol_history",
        positionals: &["symbol"],
        path: None,
        stdin: None,
        fixed: "{}",
        is_brief: false,
        about: "Show the commits that changed a symbol",
    },
    Verb {
        name: "review",
        aliases: &[],
        tool: "change_impact",
        positionals: &["change"],
        path: None,
        stdin: Some("change"),
        fixed: "{}",
        is_brief: false,
        about: "Show what a change does to symbols: callers that no longer fit, dependents, tests",
    },
];

impl Verb {
    /// Returns the arguments that the verb sets.
    fn fixed_args(&self) -> Map<String, Value> {
        serde_json::from_str(self.fixed).unwrap_or_default()
    }

    /// Refuses `hob search` without a subject, in the words of the command line.
    fn require_subject(&self, args: &Map<String, Value>) -> Result<(), CommandFailure> {
        if self.tool != SEARCH || !args.is_empty() {
            return Ok(());
        }
        Err(CommandFailure::Usage(
            "`hob search` needs a name or a part of one; `hob search --help` has the options".to_owned(),
        ))
    }
}

/// A call as it stands on the command line.
#[derive(Debug)]
pub(crate) struct ToolVerb {
    tool: &'static ToolDef,
    args: Map<String, Value>,
    /// True if the user allows edits for this call.
    edits: bool,
    /// The short verb of the call, if any: unless the user says otherwise, its answer may be as large as the tool
    /// allows.
    verb: Option<&'static Verb>,
}

impl ToolVerb {
    pub(super) async fn run(self, common: &Common) -> Result<CommandOutcome, CommandFailure> {
        let mut args = self.args;
        if let Some(verb) = self.verb {
            verb.require_subject(&args)?;
        }
        common.add_group(&mut args);
        // Certain mistakes are reported without a daemon.
        check_args(self.tool, &args).map_err(|error| usage_failure(&error))?;
        let place = common.project_folder()?;
        for (name, value) in self.verb.into_iter().flat_map(Verb::fixed_args) {
            args.entry(name).or_insert(value);
        }
        // The folders of this machine say nothing about those of a far side.
        let path = self.verb.and_then(|verb| verb.path).filter(|_| !common.far.are_given());
        if let Some(path) = path {
            make_absolute(&mut args, path, &place);
        }
        if self.verb.is_some_and(|verb| verb.tool == SEARCH) {
            name_without_dot(&mut args);
        }
        if let Some(name) = self.verb.and_then(|verb| verb.stdin) {
            read_standard_input(&mut args, name)?;
        }
        if self.verb.is_some_and(|verb| !verb.is_brief)
            && !args.keys().any(|name| tools::same_name(name, "tokenBudget"))
        {
            args.insert("tokenBudget".to_owned(), self.tool.max_budget.into());
        }
        let form = if common.json { Form::Json } else { Form::Text };
        // The argument wins over the option, as it does for agents.
        let form = Form::asked_in(&args, form);
        let question = CliQuestion {
            tool: self.tool.name,
            args,
            root: place,
            timeout: common.timeout,
            edits: self.edits,
            form,
        };
        let answer = ask::with_progress(&question, common).await?;
        if form == Form::Json {
            return show::print_answer(&answer, true);
        }
        let outcome = show::text(&answer)?;
        if self.verb.is_some_and(|verb| verb.tool == SEARCH) && answer.ok && answer.envelope.trim() == "none"
        {
            print_other_ways(&question.args);
        }
        Ok(outcome)
    }
}

/// The tool of `hob search`.
const SEARCH: &str = "map_search";

/// Removes `./` from the beginning of a path to search for: names and paths are relative to the root.
fn name_without_dot(args: &mut Map<String, Value>) {
    let queries = args.get_mut("query").and_then(Value::as_array_mut).into_iter().flatten();
    for query in queries {
        if let Some(rest) =
            query.as_str().and_then(|text| text.strip_prefix("./")).filter(|rest| !rest.is_empty())
        {
            *query = rest.into();
        }
    }
}

/// Tells the user of other ways to search for words that are no name.
fn print_other_ways(args: &Map<String, Value>) {
    let first = args.get("query").and_then(|query| query.get(0).unwrap_or(query).as_str());
    let words = first.unwrap_or_default().replace('\'', " ");
    let words = super::visible::on_one_line(&words).into_owned();
    super::term::note_to_stderr(&format!(
        "this searches names; `hob grep -i '{words}'` searches the text, `hob ask '{words}'` a topic"
    ));
}

/// Replaces `-` by the text on standard input.
fn read_standard_input(args: &mut Map<String, Value>, name: &str) -> Result<(), CommandFailure> {
    if args.get(name).and_then(Value::as_str) == Some("-") {
        let text = std::io::read_to_string(std::io::stdin())?;
        args.insert(name.to_owned(), text.into());
    }
    Ok(())
}

/// Makes a path absolute that exists below `place`, because the daemon reads paths from the project's root.
fn make_absolute(args: &mut Map<String, Value>, name: &str, place: &Path) {
    let Some(said) = args.get(name).and_then(Value::as_str) else { return };
    let real = place.join(said).canonicalize();
    if let Some(real) = real.ok().as_deref().and_then(Path::to_str) {
        args.insert(name.to_owned(), real.into());
    }
}

fn usage_failure(error: &hob_proto::ToolError) -> CommandFailure {
    let hint = if error.hint.is_empty() { String::new() } else { format!("\n{}", error.hint) };
    CommandFailure::Usage(format!("{}{hint}", error.message))
}

impl Subcommand for ToolVerb {
    fn augment_subcommands(command: Command) -> Command {
        let verbs = VERBS.iter().filter_map(|verb| {
            let tool = tools::find(verb.tool)?;
            let budget = if verb.is_brief { tool.default_budget } else { tool.max_budget };
            let note = format!("Short for `hob call {}`, with a token budget of {budget}.", verb.tool);
            let command = toolargs::tool_command(tool, verb.name, verb.positionals);
            Some(command.aliases(verb.aliases.iter().copied()).about(verb.about).after_help(note))
        });
        command.subcommand(call_command()).subcommands(verbs)
    }

    fn augment_subcommands_for_update(command: Command) -> Command {
        Self::augment_subcommands(command)
    }

    fn has_subcommand(name: &str) -> bool {
        name == "call" || VERBS.iter().any(|verb| verb.name == name)
    }
}

fn call_command() -> Command {
    Command::new("call")
        .about("Call any tool, as an agent would")
        .long_about(
            "Call any tool, as an agent would.\n\nArguments are given as options (--path-prefix, --pathPrefix and --path_prefix are \
             the same), as one JSON object, or, for tools that need a text, as that text alone.",
        )
        .subcommand_required(true)
        .arg_required_else_help(true)
        .disable_help_subcommand(true)
        .arg(
            Arg::new(EDITS)
                .long("edits")
                .action(ArgAction::SetTrue)
                .help("Allow the tools that edit files, for this call (default: what the settings say)"),
        )
        .subcommand_value_name("TOOL")
        .subcommand_help_heading("Tools")
        .subcommands(TOOLS.iter().map(|def| toolargs::call_command(def)))
}

impl FromArgMatches for ToolVerb {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        let missing = || clap::Error::raw(ErrorKind::MissingSubcommand, "a tool is needed\n");
        let (name, inner) = matches.subcommand().ok_or_else(missing)?;
        let edits = name == "call" && inner.get_flag(EDITS);
        let verb = VERBS.iter().find(|verb| verb.name == name);
        let (tool, inner) = match verb {
            Some(verb) => (verb.tool, inner),
            None => inner.subcommand().ok_or_else(missing)?,
        };
        let tool = tools::find(tool).ok_or_else(missing)?;
        let args = toolargs::given_args(tool, inner)
            .map_err(|reason| clap::Error::raw(ErrorKind::ValueValidation, format!("{reason}\n")))?;
        Ok(Self { tool, args, edits, verb })
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use clap::Parser as _;
    use serde_json::json;

    use super::*;
    use crate::{Cli, Command as Commands};

    fn parse_verb(args: &[&str]) -> ToolVerb {
        let cli = Cli::try_parse_from([&["hob"], args].concat()).expect("parses");
        match cli.command {
            Commands::Tool(verb) => verb,
            other => panic!("not a tool: {other:?}"),
        }
    }

    #[test]
    fn verbs_are_calls() {
        let path = parse_verb(&["path", "py:a", "py:b", "--max-len", "3"]);
        assert_eq!(path.tool.name, "map_path");
        assert_eq!(Value::from(path.args), json!({"from": "py:a", "to": "py:b", "maxLen": 3}));
        assert!(parse_verb(&["map"]).args.is_empty());
        assert_eq!(parse_verb(&["map", "src"]).args["focus"], "src");
        assert_eq!(parse_verb(&["call", "hob_noop"]).tool.name, "hob_noop");
        let mut here = parse_verb(&["search", "./app.py"]).args;
        name_without_dot(&mut here);
        assert_eq!(Value::from(here), json!({"query": ["app.py"]}));
    }

    #[test]
    fn people_type_other_words_for_a_verb() {
        let callers = parse_verb(&["callers", "Store.get"]);
        assert_eq!((callers.tool.name, &callers.args["nodeId"]), ("map_neighbors", &json!("Store.get")));
        let fixed = callers.verb.expect("a verb").fixed_args();
        assert_eq!(Value::from(fixed), json!({"direction": "in", "edgeKinds": ["calls"]}));
        assert_eq!(parse_verb(&["find", "Store"]).tool.name, "map_search");
        assert_eq!(parse_verb(&["refs", "Store"]).tool.name, "map_neighbors");
        let alone = parse_verb(&["search"]);
        let error = alone.verb.expect("a verb").require_subject(&alone.args).expect_err("no name");
        assert!(error.to_string().starts_with("`hob search` needs a name"), "{error}");
    }

    #[test]
    fn a_path_is_seen_from_where_the_user_stands() {
        let dir = tempfile::tempdir().expect("a folder");
        let root = dir.path().canonicalize().expect("it is there");
        std::fs::create_dir_all(root.join("src/auth")).expect("made");
        let seen = |said: &str, place: &str| {
            let mut args = parse_verb(&["map", said]).args;
            make_absolute(&mut args, "focus", &root.join(place));
            args["focus"].as_str().expect("text").to_owned()
        };
        let at = |path: &str| root.join(path).to_str().expect("text").to_owned();
        assert_eq!(seen(".", "src"), at("src"));
        assert_eq!(seen("auth", "src"), at("src/auth"));
        assert_eq!(seen("src/auth", "src"), "src/auth", "what is not there is left as it was said");
    }

    #[test]
    fn every_verb_is_about_a_tool_that_exists() {
        for verb in VERBS {
            let def = tools::find(verb.tool).unwrap_or_else(|| panic!("{}", verb.tool));
            assert!(
                verb.positionals.iter().all(|name| def.args.iter().any(|arg| arg.name == *name)),
                "{}",
                verb.name
            );
            let fixed: Map<String, Value> = serde_json::from_str(verb.fixed).expect("a JSON object");
            assert!(
                fixed.keys().all(|name| def.accepted_args().any(|arg| arg.name == *name)),
                "{}",
                verb.name
            );
        }
    }

    /// Notes in answers name commands by a table of their own, which has to agree with this one.
    #[test]
    fn notes_name_the_verbs_of_this_command_line() {
        let first = |verb: &&Verb| {
            VERBS.iter().find(|other| other.tool == verb.tool).map(|verb| verb.name) == Some(verb.name)
        };
        for verb in VERBS.iter().filter(first).filter(|verb| verb.tool.contains('_')) {
            assert_eq!(hob_render::command_for(verb.tool), Some(format!("hob {}", verb.name)));
        }
    }

    #[test]
    fn options_of_every_command_may_stand_anywhere() {
        let cli = Cli::try_parse_from(["hob", "search", "ab", "--json", "--root", "/x"]).expect("parses");
        assert!(cli.common.json);
        assert!(cli.common.root.is_some());
    }
}
