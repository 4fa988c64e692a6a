//! An answer of a tool, which is checked for what holds for every answer.

use std::fmt;
use std::path::PathBuf;

use hob_proto::envelope::tokens_of;
use serde_json::Value;

use crate::Tree;

/// The facts about the world that a failure message shows.
#[derive(Clone, Debug)]
pub(crate) struct Context {
    pub(crate) tree: Tree,
    pub(crate) log: PathBuf,
    pub(crate) hob_dir: PathBuf,
}

/// An envelope with the call that it answers.
#[derive(Clone, Debug)]
#[must_use]
pub struct Answer {
    /// The name of the called tool.
    pub tool: String,
    /// The arguments of the call.
    pub args: Value,
    /// The envelope as it was sent.
    pub text: String,
    /// The envelope, parsed from `text`.
    pub envelope: Value,
    context: Context,
}

impl Answer {
    #[track_caller]
    pub(crate) fn new(tool: &str, args: Value, text: String, context: Context) -> Self {
        let envelope =
            serde_json::from_str(&text).unwrap_or_else(|error| panic!("{tool} {args}: {error}: {text}"));
        let answer = Self { tool: tool.to_owned(), args, text, envelope, context };
        answer.check_envelope();
        answer
    }

    /// Checks what holds for every envelope: its shape, and that its text costs what it says and no more than was
    /// allowed.
    #[track_caller]
    fn check_envelope(&self) {
        let ok = self.envelope["ok"].as_bool();
        let parts = (self.envelope.get("data").is_some(), self.envelope.get("error").is_some());
        let whole = match ok {
            Some(true) => parts == (true, false),
            Some(false) => parts == (false, true),
            None => false,
        };
        assert!(whole, "an envelope is data or an error{self}");
        let budget = |field: &str| self.envelope["tokenBudget"][field].as_u64().unwrap_or(0);
        let cost = u64::from(tokens_of(&self.text));
        assert_eq!(cost, budget("used"), "`used` is what the text costs{self}");
        assert!(cost <= budget("requested"), "{cost} tokens are more than were allowed{self}");
        assert!(budget("requested") <= budget("max"), "more was allowed than may be{self}");
        let said = self.envelope["truncated"] == true;
        assert_eq!(said, self.envelope.get("dropped").is_some(), "what was left out is said{self}");
        assert!(self.envelope["warnings"].is_array(), "warnings are a list{self}");
    }

    /// Returns the data of a successful answer.
    ///
    /// # Panics
    ///
    /// Panics if the call failed.
    #[track_caller]
    #[must_use]
    pub fn ok(&self) -> &Value {
        assert_eq!(self.envelope["ok"], true, "the call was to succeed{self}");
        &self.envelope["data"]
    }

    /// Returns the data like [`Answer::ok`], after checking that nothing was left out.
    ///
    /// # Panics
    ///
    /// Panics if something was left out.
    #[track_caller]
    #[must_use]
    pub fn whole(&self) -> &Value {
        assert_eq!(self.envelope["truncated"], false, "nothing was to be left out{self}");
        self.ok()
    }

    /// Returns the error of an answer that failed with `code`, after checking that it has a message.
    ///
    /// # Panics
    ///
    /// Panics if the call succeeded or failed with another code.
    #[track_caller]
    #[must_use]
    pub fn error(&self, code: &str) -> &Value {
        let error = &self.envelope["error"];
        assert_eq!(error["code"], code, "the call was to fail with {code}{self}");
        assert!(
            error["message"].as_str().is_some_and(|text| text.len() > 10),
            "an error says what happened{self}"
        );
        error
    }

    /// Returns all warnings, one per line.
    #[must_use]
    pub fn warnings(&self) -> String {
        let warnings = self.envelope["warnings"].as_array().into_iter().flatten();
        warnings.filter_map(Value::as_str).collect::<Vec<_>>().join("\n")
    }

    /// Returns true if the map answered because a language server is starting or loading.
    #[must_use]
    pub fn is_early(&self) -> bool {
        self.tool.starts_with("nav_") && self.warnings().contains("; ask again for its answer.")
    }

    /// Checks that the answer contains a text.
    ///
    /// # Panics
    ///
    /// Panics if it does not.
    #[track_caller]
    pub fn says(&self, text: &str) -> &Self {
        assert!(self.text.contains(text), "`{text}` was to stand in it{self}");
        self
    }

    /// Checks that there is no warning, except that the answer is about another project than the one before: tests of
    /// several projects ask about each in turn.
    ///
    /// # Panics
    ///
    /// Panics if there is one.
    #[track_caller]
    pub fn without_warnings(&self) -> &Self {
        let warnings = self.warnings();
        let is_telling = |line: &&str| !line.contains("`; the answer before was about `");
        let told: Vec<&str> = warnings.lines().filter(is_telling).collect();
        assert!(told.is_empty(), "no warning was expected{self}");
        self
    }

    /// Returns a list in the data, by its JSON pointer.
    ///
    /// # Panics
    ///
    /// Panics if there is no such list.
    #[track_caller]
    #[must_use]
    pub fn list(&self, pointer: &str) -> &[Value] {
        let list = self.ok().pointer(pointer).and_then(Value::as_array);
        list.unwrap_or_else(|| panic!("no list at {pointer}{self}"))
    }

    /// Returns one field of every item of a list in the data.
    ///
    /// # Panics
    ///
    /// Panics if there is no such list.
    #[track_caller]
    #[must_use]
    pub fn texts(&self, pointer: &str, field: &str) -> Vec<&str> {
        self.list(pointer).iter().filter_map(|item| item[field].as_str()).collect()
    }
}

impl fmt::Display for Answer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let got = serde_json::to_string_pretty(&self.envelope).unwrap_or_default();
        let got: String = got.chars().take(20_000).collect();
        write!(f, "\n--- call\n{} {}\n--- got\n{got}\n{}", self.tool, self.args, self.context)
    }
}

impl fmt::Display for Context {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "--- tree\n{}--- log of {}\n", self.tree.describe(), self.hob_dir.display())?;
        for file in std::fs::read_dir(&self.log).into_iter().flatten().flatten() {
            let text = String::from_utf8_lossy(&std::fs::read(file.path()).unwrap_or_default()).into_owned();
            let lines: Vec<&str> = text.lines().collect();
            writeln!(f, "{}", lines[lines.len().saturating_sub(40)..].join("\n"))?;
        }
        f.write_str("---")
    }
}
