//! Reads the question of a tool, and checks whether the server can be asked it, before anything is sent.

use hob_org::pattern::translate_pattern;
use hob_proto::ToolError;
use hob_proto::tools::ranked::TextSearchArgs;
use hob_proto::tools::text::{CountPatternsArgs, RegexSearchArgs};
use hob_results::org::OrgPattern;
use hob_results::{errors, org_errors};
use hob_text::{Pattern, SearchError};
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

/// Most patterns of one question, each of which is a request.
const MOST_PATTERNS: usize = 32;
/// Most words of a question, and number of characters of the shortest word that is asked.
const MOST_WORDS: usize = 12;
const SHORTEST_WORD: usize = 3;
/// Words of questions that nearly every text has.
const COMMON: [&str; 24] = [
    "and", "are", "can", "does", "for", "from", "has", "how", "into", "its", "not", "that", "the", "their",
    "then", "this", "was", "what", "when", "where", "which", "who", "why", "with",
];

/// A question that the server can be asked.
pub(super) enum OrgRequest {
    /// The arguments of `regex_search`.
    Lines(Box<SearchedLines>),
    /// The arguments of `count_patterns`.
    Counts(CountedPatterns),
    /// The arguments of `text_search`.
    Words(SearchedWords),
}

/// A pattern whose lines the caller wants.
pub(super) struct SearchedLines {
    pub(super) pattern: OrgPattern,
    pub(super) limit: Option<usize>,
    pub(super) context_lines: usize,
    pub(super) max_millis: u64,
    pub(super) output: String,
}

/// Patterns whose matches the caller wants counted.
pub(super) struct CountedPatterns {
    /// The patterns as they were given, each with its form for the search.
    pub(super) patterns: Vec<(String, OrgPattern)>,
    pub(super) max_millis: u64,
}

/// Words whose files the caller wants.
pub(super) struct SearchedWords {
    pub(super) words: Vec<String>,
    pub(super) limit: usize,
}

impl OrgRequest {
    /// Reads the checked arguments of a tool.
    ///
    /// # Errors
    /// `BAD_PATTERN` for a broken pattern or one that the server cannot search, `BAD_ARGS` for arguments that only the
    /// index here can answer.
    pub(super) fn parse(tool: &str, args: &Map<String, Value>) -> Result<Self, ToolError> {
        match tool {
            "regex_search" => {
                let args: RegexSearchArgs = read_args(args)?;
                refuse_kinds(&args.kinds)?;
                Ok(Self::Lines(Box::new(SearchedLines {
                    pattern: org_pattern(&args.pattern)?,
                    limit: args.limit,
                    context_lines: args.context_lines,
                    max_millis: args.max_millis,
                    output: args.output,
                })))
            }
            "count_patterns" => {
                let args: CountPatternsArgs = read_args(args)?;
                refuse_kinds(&args.kinds)?;
                if args.patterns.len() > MOST_PATTERNS {
                    let given = args.patterns.len();
                    let message = format!(
                        "`patterns` has {given}; of the organisation at most {MOST_PATTERNS} are counted"
                    );
                    return Err(ToolError::bad_args(message).hint("Ask in several calls."));
                }
                let pattern = |text: String| org_pattern(&text).map(|pattern| (text, pattern));
                let patterns = args.patterns.into_iter().map(pattern).collect::<Result<_, _>>()?;
                Ok(Self::Counts(CountedPatterns { patterns, max_millis: args.max_millis }))
            }
            _ => {
                let args: TextSearchArgs = read_args(args)?;
                refuse_kinds(&args.kinds)?;
                Ok(Self::Words(SearchedWords { words: words_of(&args.query), limit: args.limit }))
            }
        }
    }
}

fn read_args<T: DeserializeOwned>(args: &Map<String, Value>) -> Result<T, ToolError> {
    serde_json::from_value(Value::Object(args.clone()))
        .map_err(|error| ToolError::bad_args(format!("the arguments could not be read: {error}")))
}

/// Parses a pattern, and translates it for the server.
fn org_pattern(text: &str) -> Result<OrgPattern, ToolError> {
    let here = Pattern::new(text).map_err(|bad| errors::search(&SearchError::Pattern(bad), text))?;
    let there = translate_pattern(text).map_err(|why| org_errors::not_for_org(text, why))?;
    Ok(OrgPattern { here, there })
}

fn refuse_kinds(kinds: &[String]) -> Result<(), ToolError> {
    match kinds.iter().all(|kind| kind == "File") {
        true => Ok(()),
        false => {
            Err(ToolError::bad_args("`kinds` is of the map, which a code search elsewhere does not have")
                .hint("Leave `kinds` out, or leave `in` out to search the project."))
        }
    }
}

/// Returns the texts in quotes and the words of a question, without common words.
fn words_of(query: &str) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    for (at, part) in query.split('"').enumerate() {
        let is_quoted = at % 2 == 1;
        if is_quoted && !part.trim().is_empty() {
            words.push(part.trim().to_owned());
            continue;
        }
        let plain = part.split(|c: char| !c.is_alphanumeric() && c != '_').filter(|word| !word.is_empty());
        words.extend(plain.map(str::to_owned));
    }
    let is_telling = |word: &String| {
        word.chars().count() >= SHORTEST_WORD && !COMMON.contains(&word.to_lowercase().as_str())
    };
    let mut telling: Vec<String> = words.iter().filter(|word| is_telling(word)).cloned().collect();
    if telling.is_empty() {
        telling = words;
    }
    let mut seen = std::collections::HashSet::new();
    telling.retain(|word| seen.insert(word.to_lowercase()));
    telling.truncate(MOST_WORDS);
    telling
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn error_of(tool: &str, args: Value) -> String {
        let Value::Object(args) = args else { return String::new() };
        let error = OrgRequest::parse(tool, &args).err().expect("it is refused");
        format!("{:?}: {} {}", error.code, error.message, error.hint)
    }

    #[test]
    fn what_the_server_cannot_be_asked_is_refused_before_anything_is_sent() {
        let search = |pattern: &str| json!({"pattern": pattern, "max_millis": 9, "context_lines": 0, "output": "lines"});
        for (pattern, part) in [
            ("a(", "BadPattern: "),
            ("(?=a)b", "BadPattern: "),
            (
                r"\Ause",
                "BadPattern: `\\Ause` cannot be asked of the code search: Zoekt cannot search for `\\A`, `\\z`",
            ),
            ("x*", "it matches every line"),
        ] {
            let told = error_of("regex_search", search(pattern));
            assert!(told.contains(part), "{told}");
        }
        let told = error_of("text_search", json!({"query": "x", "limit": 1, "kinds": ["Symbol"]}));
        assert!(told.starts_with("BadArgs: `kinds` is of the map"), "{told}");
        let many = vec!["abc"; 33];
        let told = error_of("count_patterns", json!({"patterns": many, "max_millis": 9}));
        assert!(told.contains("has 33; of the organisation at most 32"), "{told}");
    }

    #[test]
    fn words_that_tell_something_are_asked() {
        assert_eq!(words_of("How is the session cookie signed?"), ["session", "cookie", "signed"]);
        assert_eq!(
            words_of("\"sign the cookie\" Sign sign_cookie sign"),
            ["sign the cookie", "Sign", "sign_cookie"]
        );
        assert_eq!(words_of("if is"), ["if", "is"]);
        assert_eq!(words_of(" ?"), [""; 0]);
    }
}
