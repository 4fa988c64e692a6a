//! Defines the table of settings: every key with its kind of value, its default, and the reason for it.
//!
//! The table gives the parser its names and the checks of `[daemon]`; the published schema (`schema`), the
//! tables of `docs/settings.md` (`page`) and the list of `hob config show` are made from it. A key that is
//! not in the table does not exist.

use std::ffi::OsString;

use hob_live::catalogue;
use serde_json::{Value, json};

/// The kind of value that a key takes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum ValueKind {
    /// Truth: `true` or `false`.
    Truth,
    /// A number, fractions too.
    Number { min: f64, max: f64 },
    /// A whole number within bounds.
    Whole { min: i64, max: i64 },
    /// A text that matches `pattern`, which `what` describes in words.
    Text { pattern: &'static str, what: &'static str },
    /// A share of the machine's memory, or a size.
    Memory,
    /// A filter of the log.
    Filter,
    /// A list of texts.
    Texts,
    /// A list of absolute paths of folders.
    Folders,
    /// A list of servers.
    Servers,
    /// Texts by the names of variables.
    Variables,
    /// A table that hob passes on unchanged.
    Anything,
}

/// The files in which a key may stand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum KeyPlaces {
    /// The user's own file, at the top level.
    User,
    /// The user's own file, at the top level or for one project.
    UserOrOne,
    /// Also a project's own file, once the project is trusted.
    Project,
}

/// One key of the settings, with its documentation.
#[derive(Debug)]
pub(super) struct KeyDef {
    /// Its section, with `*` for a name of the user's choice; empty for the top level.
    pub(super) section: &'static str,
    /// The key's name in its section.
    pub(super) name: &'static str,
    /// The kind of value that the key takes.
    pub(super) takes: ValueKind,
    /// The default value: TOML, or words in parentheses.
    pub(super) default: &'static str,
    /// The effect of the key, and the reason for its default.
    pub(super) why: &'static str,
    /// The files in which the key may stand.
    pub(super) at: KeyPlaces,
    /// The variable that overrides the files.
    pub(super) variable: Option<Variable>,
    /// The option of `hobd` that overrides both.
    pub(super) option: Option<&'static str>,
    /// A valid value, as TOML.
    pub(super) example: &'static str,
    /// An invalid value; tests hold the parser and the schema against it.
    #[cfg_attr(not(test), allow(dead_code, reason = "for tests, beside what it is about"))]
    pub(super) wrong: &'static str,
}

/// An environment variable that sets a key.
#[derive(Clone, Copy, Debug)]
pub(super) struct Variable {
    /// Name of the environment variable.
    pub(super) name: &'static str,
    /// True if the variable says the opposite of the key, as `HOB_NO_...` do.
    pub(super) denies: bool,
}

const fn plain_variable(name: &'static str) -> Option<Variable> {
    Some(Variable { name, denies: false })
}

const fn negated_variable(name: &'static str) -> Option<Variable> {
    Some(Variable { name, denies: true })
}

const A_YEAR: f64 = 525_600.0;

const BARE: KeyDef = KeyDef {
    section: "",
    name: "",
    takes: ValueKind::Anything,
    default: "",
    why: "",
    at: KeyPlaces::User,
    variable: None,
    option: None,
    example: "",
    wrong: "",
};

const OF_DAEMON: KeyDef = KeyDef { section: "daemon", ..BARE };
const OF_MODEL: KeyDef = KeyDef { section: "model", ..BARE };
const OF_ORG: KeyDef = KeyDef { section: "org", ..BARE };
const OF_LANGUAGE: KeyDef = KeyDef { section: "languages.*", at: KeyPlaces::Project, ..BARE };
const OF_SERVER: KeyDef = KeyDef { section: "servers.*", at: KeyPlaces::Project, ..BARE };

/// Every key, in the order of the documentation.
pub(super) static KEYS: &[KeyDef] = &[
    KeyDef {
        name: "edits",
        takes: ValueKind::Truth,
        default: "false",
        why: "Agents may propose changes, which wait for a decision before a file is touched. Off, because reading is what most \
              want first and writing should be asked for.",
        at: KeyPlaces::UserOrOne,
        example: "true",
        wrong: "\"yes\"",
        ..BARE
    },
    KeyDef {
        name: "allow_roots",
        takes: ValueKind::Folders,
        default: "[]",
        why: "Folders that may be a project although they are around many: your home folder, /tmp, /etc and the like. None, because \
              everything below would be indexed; a home folder under version control (dotfiles) needs to be named here.",
        example: "[\"~\"]",
        wrong: "[\"here\"]",
        ..BARE
    },
    KeyDef {
        name: "idle_minutes",
        takes: ValueKind::Number { min: 0.0, max: A_YEAR },
        default: "30",
        why: "The daemon ends after so long without a client; 0 for never. Long enough for a break, short enough that a machine \
              on which nobody programs any more has no daemon; coming back warm takes moments.",
        variable: plain_variable("HOB_IDLE_MINUTES"),
        option: Some("--idle-minutes"),
        example: "120",
        wrong: "-1",
        ..OF_DAEMON
    },
    KeyDef {
        name: "server_idle_minutes",
        takes: ValueKind::Number { min: 0.0, max: A_YEAR },
        default: "15",
        why: "A language server that nobody has used for so long is stopped; 0 for never. Servers take gigabytes, and the next \
              question starts one again.",
        variable: plain_variable("HOB_SERVER_IDLE_MINUTES"),
        example: "60",
        wrong: "\"long\"",
        ..OF_DAEMON
    },
    KeyDef {
        name: "memory",
        takes: ValueKind::Memory,
        default: "\"25%\"",
        why: "What hob's daemon and its language servers together may take, as the system counts it (resident memory), before the \
              projects and servers used longest ago go: a share of the machine's memory, or a size in MiB or GiB. A quarter leaves \
              room for an editor, a browser and a build. What works stays, whatever this says, and so does what was used in the last \
              minute, or in the last 5 seconds when more than a quarter too much is taken.",
        variable: plain_variable("HOB_MEMORY"),
        example: "\"6 GiB\"",
        wrong: "\"a lot\"",
        ..OF_DAEMON
    },
    KeyDef {
        name: "text_cache",
        takes: ValueKind::Truth,
        default: "true",
        why: "Keep a copy of the projects' texts in the cache folder, so that broad searches open no files. It takes as much disk as \
              the texts; without it such searches take a dozen times as long.",
        variable: negated_variable("HOB_NO_TEXT_CACHE"),
        option: Some("--no-text-cache"),
        example: "false",
        wrong: "0",
        ..OF_DAEMON
    },
    KeyDef {
        name: "index_threads",
        takes: ValueKind::Whole { min: 0, max: 1_024 },
        default: "0",
        why: "Threads that index; 0 for as many as there are processors. A first index is over soonest that way; on a machine that \
              is shared, fewer are kinder.",
        variable: plain_variable("HOB_INDEX_THREADS"),
        example: "2",
        wrong: "1.5",
        ..OF_DAEMON
    },
    KeyDef {
        name: "metrics",
        takes: ValueKind::Truth,
        default: "true",
        why: "Keep counts of calls, times and tokens in the state folder, for `hob stats`; without, they last as long as the daemon. \
              They hold no names and no code, and are sent nowhere.",
        variable: negated_variable("HOB_NO_METRICS"),
        example: "false",
        wrong: "\"off\"",
        ..OF_DAEMON
    },
    KeyDef {
        name: "log",
        takes: ValueKind::Filter,
        default: "\"info\"",
        why: "What the log has: error, warn, info, debug or trace, or a list such as \"info,hob_map=debug\". `info` tells what \
              happened and hardly grows; `debug` has a line for each call.",
        variable: plain_variable("HOB_LOG"),
        option: Some("--log"),
        example: "\"debug\"",
        wrong: "7",
        ..OF_DAEMON
    },
    KeyDef {
        name: "endpoint",
        takes: ValueKind::Text {
            pattern: "^https?://[^/@?#]",
            what: "an address, such as \"http://127.0.0.1:11434/v1\"",
        },
        default: "(none: hob connects to nobody)",
        why: "What stands before /chat/completions at a server that speaks OpenAI's protocol.",
        example: "\"http://127.0.0.1:11434/v1\"",
        wrong: "\"localhost\"",
        ..OF_MODEL
    },
    KeyDef {
        name: "name",
        takes: ValueKind::Text { pattern: "\\S", what: "the model's name, as its server has it" },
        default: "(none; needed with `endpoint`)",
        why: "The model, as its server calls it.",
        example: "\"llama3.2\"",
        wrong: "\"\"",
        ..OF_MODEL
    },
    KeyDef {
        name: "key_env",
        takes: ValueKind::Text { pattern: "^[A-Za-z0-9_]+$", what: "the name of a variable" },
        default: "(no key)",
        why: "The variable of the daemon's environment that holds the key. The key itself never stands in this file.",
        example: "\"OPENAI_API_KEY\"",
        wrong: "\"sk-secret\"",
        ..OF_MODEL
    },
    KeyDef {
        name: "key_file",
        takes: ValueKind::Text { pattern: "^(~/|/|[A-Za-z]:)", what: "the path of a file" },
        default: "(no key)",
        why: "The file that holds the key; not together with `key_env`.",
        example: "\"~/.config/model-key\"",
        wrong: "\"key\"",
        ..OF_MODEL
    },
    KeyDef {
        name: "timeout_ms",
        takes: ValueKind::Whole { min: 1, max: 60_000 },
        default: "10000",
        why: "Milliseconds for the whole of a question. A small model nearby answers in one second; whoever waits longer than ten has \
              better candidates to look at.",
        example: "20000",
        wrong: "0",
        ..OF_MODEL
    },
    KeyDef {
        name: "url",
        takes: ValueKind::Text {
            pattern: "^https?://[^/@?#]",
            what: "an address, such as \"https://zoekt.example\"",
        },
        default: "(none: hob asks nobody)",
        why: "The Zoekt web server of your organisation, which searches with in: \"org\" ask: what stands before /api/search. It must \
              have been started with `-rpc`. The search goes there, and no code.",
        example: "\"https://zoekt.example\"",
        wrong: "\"zoekt.example\"",
        ..OF_ORG
    },
    KeyDef {
        name: "token_env",
        takes: ValueKind::Text { pattern: "^[A-Za-z0-9_]+$", what: "the name of a variable" },
        default: "(no token)",
        why: "The variable of the daemon's environment that holds the token, which is sent as `Authorization: Bearer`. The token itself \
              never stands in this file.",
        example: "\"ZOEKT_TOKEN\"",
        wrong: "\"zt-secret\"",
        ..OF_ORG
    },
    KeyDef {
        name: "token_file",
        takes: ValueKind::Text { pattern: "^(~/|/|[A-Za-z]:)", what: "the path of a file" },
        default: "(no token)",
        why: "The file that holds the token; not together with `token_env`.",
        example: "\"~/.config/zoekt-token\"",
        wrong: "\"token\"",
        ..OF_ORG
    },
    KeyDef {
        name: "timeout_ms",
        takes: ValueKind::Whole { min: 1, max: 60_000 },
        default: "10000",
        why: "Milliseconds for the whole of a question. Zoekt itself stops after three quarters of it and sends what it has found.",
        example: "20000",
        wrong: "0",
        ..OF_ORG
    },
    KeyDef {
        name: "enabled",
        takes: ValueKind::Truth,
        default: "true",
        why: "Whether the language has a server at all.",
        example: "false",
        wrong: "1",
        ..OF_LANGUAGE
    },
    KeyDef {
        name: "servers",
        takes: ValueKind::Servers,
        default: "(the order of `hob servers why LANGUAGE`)",
        why: "Servers for the language, most wanted first; the others follow in hob's order.",
        example: "[\"pyright\", \"ty\"]",
        wrong: "\"pyright\"",
        ..OF_LANGUAGE
    },
    KeyDef {
        name: "enabled",
        takes: ValueKind::Truth,
        default: "true",
        why: "Whether the server may be used.",
        example: "false",
        wrong: "\"no\"",
        ..OF_SERVER
    },
    KeyDef {
        name: "command",
        takes: ValueKind::Text {
            pattern: ".",
            what: "a program's name or path; its arguments go into `args`",
        },
        default: "(what `hob servers list` finds)",
        why: "The server's program: a name to be looked up, an absolute path, or one within a trusted project.",
        example: "\"/opt/ty/bin/ty\"",
        wrong: "[\"ty\"]",
        ..OF_SERVER
    },
    KeyDef {
        name: "args",
        takes: ValueKind::Texts,
        default: "(hob's own for that server)",
        why: "All of the program's arguments, in place of hob's.",
        example: "[\"server\", \"-v\"]",
        wrong: "\"--stdio\"",
        ..OF_SERVER
    },
    KeyDef {
        name: "env",
        takes: ValueKind::Variables,
        default: "{}",
        why: "Variables besides the few that every server is given.",
        example: "{ RUST_LOG = \"info\" }",
        wrong: "{ A = 1 }",
        ..OF_SERVER
    },
    KeyDef {
        name: "initialization_options",
        takes: ValueKind::Anything,
        default: "{}",
        why: "Parts of what the server is told when it starts.",
        example: "{ a.b = 1 }",
        wrong: "1",
        ..OF_SERVER
    },
    KeyDef {
        name: "settings",
        takes: ValueKind::Anything,
        default: "{}",
        why: "Parts of the server's own settings, as editors write them.",
        example: "{ \"python.analysis.diagnosticMode\" = \"workspace\" }",
        wrong: "[]",
        ..OF_SERVER
    },
];

/// Other variables that hob reads, with the program that reads each.
pub(super) static OTHER_VARIABLES: &[(&str, &str, &str)] = &[
    (
        "HOB_DIR",
        "all programs",
        "All of hob's files are under this folder instead of the platform's usual ones. An absolute path.",
    ),
    (
        "HOB_DAEMON",
        "`hob`, `hob-mcp`, `hob-lsp`",
        "The `hobd` to start, instead of the one beside the program or on the `PATH`.",
    ),
    (
        "HOB_LOG",
        "`hob-mcp`, `hob-lsp`",
        "Has the shim say on standard error what it does; a level as for `log`.",
    ),
    ("NO_COLOR", "`hob`", "No colours."),
];

/// Returns the keys of a section.
pub(super) fn of_section(section: &str) -> impl Iterator<Item = &'static KeyDef> {
    KEYS.iter().filter(move |key| key.section == section)
}

/// Returns the names of a section's keys.
pub(super) fn key_names(section: &str) -> Vec<&'static str> {
    of_section(section).map(|key| key.name).collect()
}

/// Returns the names of all servers.
pub(super) fn server_names() -> Vec<&'static str> {
    catalogue::all_specs().iter().map(|spec| spec.name).collect()
}

impl KeyDef {
    /// Returns the key's name with its section, as in `daemon.log`.
    pub(super) fn path(&self) -> String {
        if self.section.is_empty() { self.name.to_owned() } else { format!("{}.{}", self.section, self.name) }
    }

    /// Returns the default value of the key, if the default is a value.
    pub(super) fn default_value(&self) -> Option<Value> {
        serde_json::from_str(self.default).ok()
    }

    /// Converts the text of the key's variable to a value of the key.
    ///
    /// # Errors
    /// The expected kind of value, as the end of a sentence.
    pub(super) fn of_environment(&self, said: &OsString) -> Result<Value, String> {
        let said = said.to_str().ok_or("must be text")?;
        let value = match self.takes {
            ValueKind::Truth => {
                // The words that clap reads as false in such variables.
                let no = ["0", "n", "no", "f", "false", "off"].contains(&said.to_lowercase().as_str());
                json!(no == self.variable.is_some_and(|variable| variable.denies))
            }
            ValueKind::Number { .. } | ValueKind::Whole { .. } => {
                serde_json::from_str(said).unwrap_or_else(|_| said.into())
            }
            _ => said.into(),
        };
        self.takes.check_value(&value).map(|()| value)
    }
}

impl ValueKind {
    /// Checks that `value` is valid for the key.
    ///
    /// # Errors
    /// The expected kind of value, as the end of a sentence.
    pub(super) fn check_value(self, value: &Value) -> Result<(), String> {
        let is_right = match self {
            Self::Truth => value.is_boolean(),
            Self::Number { min, max } => value.as_f64().is_some_and(|number| (min..=max).contains(&number)),
            Self::Whole { min, max } => value.as_i64().is_some_and(|number| (min..=max).contains(&number)),
            Self::Memory => value.as_str().and_then(parse_memory).is_some(),
            Self::Filter => value.as_str().is_some_and(is_filter),
            _ => true,
        };
        if is_right { Ok(()) } else { Err(format!("must be {}", self.in_words())) }
    }

    /// Describes the kind of value in words, for tables and errors.
    pub(super) fn in_words(self) -> String {
        match self {
            Self::Truth => "true or false".to_owned(),
            Self::Number { min, max } => format!("a number between {min} and {max}"),
            Self::Whole { min, max } => format!("a whole number between {min} and {max}"),
            Self::Text { what, .. } => what.to_owned(),
            Self::Memory => "a share such as \"25%\", or a size such as \"512 MiB\" or \"4 GiB\"".to_owned(),
            Self::Filter => "a level such as \"info\", or a list such as \"info,hob_map=debug\"".to_owned(),
            Self::Texts => "a list of texts".to_owned(),
            Self::Folders => "a list of folders".to_owned(),
            Self::Servers => "a list of servers".to_owned(),
            Self::Variables => "texts by name".to_owned(),
            Self::Anything => "a table".to_owned(),
        }
    }
}

/// An amount of memory, as settings state it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Memory {
    /// A share of the machine's memory, in per cent.
    Share(f64),
    /// An amount in bytes.
    Bytes(f64),
}

/// The pattern of the texts that [`parse_memory`] accepts.
pub(super) const MEMORY_PATTERN: &str = "^[0-9]{1,6}(\\.[0-9]{1,3})? ?(%|MiB|GiB)$";

/// Reads an amount of memory: more than nothing, and at most all of it.
pub(super) fn parse_memory(text: &str) -> Option<Memory> {
    let digits = text.find(|c: char| !c.is_ascii_digit() && c != '.')?;
    let (number, unit) = text.split_at(digits);
    let plain =
        number.starts_with(|c: char| c.is_ascii_digit()) && number.ends_with(|c: char| c.is_ascii_digit());
    let number: f64 = number.parse().ok().filter(|number| plain && *number > 0.0 && *number < 1e6)?;
    match unit.strip_prefix(' ').unwrap_or(unit) {
        "%" if number <= 100.0 => Some(Memory::Share(number)),
        "MiB" => Some(Memory::Bytes(number * 1_048_576.0)),
        "GiB" => Some(Memory::Bytes(number * 1_073_741_824.0)),
        _ => None,
    }
}

fn is_filter(text: &str) -> bool {
    !text.trim().is_empty() && tracing_subscriber::EnvFilter::try_new(text).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_key_explains_itself_and_is_there_once() {
        for (at, key) in KEYS.iter().enumerate() {
            assert!(!key.default.is_empty() && key.why.len() > 20, "{}", key.path());
            assert!(!key.example.is_empty() && !key.wrong.is_empty(), "{}", key.path());
            assert!(KEYS[..at].iter().all(|other| other.path() != key.path()), "{}", key.path());
            if let Some(default) = key.default_value() {
                assert_eq!(key.takes.check_value(&default), Ok(()), "{}", key.path());
            }
            assert!(key.variable.is_none() || key.section == "daemon", "{}", key.path());
        }
    }

    #[test]
    fn sizes_of_memory() {
        assert_eq!(parse_memory("25%"), Some(Memory::Share(25.0)));
        assert_eq!(parse_memory("1.5 GiB"), Some(Memory::Bytes(1_610_612_736.0)));
        assert_eq!(parse_memory("512MiB"), Some(Memory::Bytes(536_870_912.0)));
        for wrong in
            ["", "25", "%", "101%", "0%", "-1 GiB", "1 TB", "1e9 GiB", "1  GiB", "GiB", ".5 GiB", "1..2 GiB"]
        {
            assert_eq!(parse_memory(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn variables_are_read_as_their_keys_take_them() {
        let key = |name: &str| of_section("daemon").find(|key| key.name == name).expect("a key");
        let read = |name: &str, said: &str| key(name).of_environment(&said.into());
        assert_eq!(read("idle_minutes", "0.5"), Ok(json!(0.5)));
        assert_eq!(read("text_cache", "1"), Ok(json!(false)));
        assert_eq!(read("text_cache", "0"), Ok(json!(true)));
        assert_eq!(read("metrics", "yes"), Ok(json!(false)));
        assert_eq!(read("log", "debug"), Ok(json!("debug")));
        assert!(read("memory", "much").is_err_and(|why| why.contains("4 GiB")));
        assert!(read("index_threads", "1.5").is_err() && read("index_threads", "many").is_err());
    }
}
