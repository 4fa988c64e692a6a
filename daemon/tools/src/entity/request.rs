//! Checks the arguments of `resolve` about a subject. An unknown word, or two arguments that contradict each other, are
//! refused by name before anything is searched.

use hob_base::WsPath;
use hob_map::langs::Lang;
use hob_proto::ToolError;
use hob_proto::tools::entity::{Constraints, Context, Debug, EntitySource, Hints, Mode, Strategy};
use hob_proto::tools::resolve::ResolveArgs;
use serde::de::DeserializeOwned;
use serde_json::Value;

use hob_words::entity::kinds;
use hob_words::entity::subject::{LONGEST, Subject};

/// Greatest number of candidates that a caller may ask for.
const MOST: u32 = 50;
/// Most other names that a request may give for its subject.
const ALIASES: usize = 20;

/// A request for a subject, checked and taken apart.
pub(super) struct SubjectRequest {
    pub(super) subject: Subject,
    pub(super) context: Context,
    pub(super) strategy: Strategy,
    pub(super) constraints: Constraints,
    pub(super) hints: Hints,
    pub(super) debug: Debug,
    pub(super) language: Option<Lang>,
    pub(super) kinds: Option<&'static [&'static str]>,
}

/// The part of the workspace in which the subject may lie.
#[derive(Clone, PartialEq, Debug, Default)]
pub(super) enum SubjectScope {
    #[default]
    Everywhere,
    Folder(WsPath),
    Cluster(u32),
}

impl SubjectRequest {
    pub(super) fn parse(args: ResolveArgs) -> Result<Self, ToolError> {
        let context: Context = parse_object("context", args.context)?;
        let strategy: Strategy = parse_object("strategy", args.strategy)?;
        let constraints: Constraints = parse_object("constraints", args.constraints)?;
        let hints: Hints = parse_object("hints", args.hints)?;
        let debug: Debug = parse_object("debug", args.debug)?;
        let subject = parse_subject(&args.subject.unwrap_or_default(), &hints.aliases)?;
        check_shares(&strategy, &constraints)?;
        refuse_contradictions(&context, &strategy, &constraints)?;
        let language = context.language.as_deref().map(language).transpose()?;
        let kinds = hints.expected_type.as_deref().map(kinds_expected).transpose()?;
        Ok(Self { subject, context, strategy, constraints, hints, debug, language, kinds })
    }

    /// Returns true if candidates may come from a source.
    pub(super) fn allows_source(&self, source: EntitySource) -> bool {
        self.constraints.allowed_sources.as_ref().is_none_or(|allowed| allowed.contains(&source))
    }

    /// Returns true if the request names a source among the allowed ones.
    pub(super) fn names_source(&self, source: EntitySource) -> bool {
        self.constraints.allowed_sources.as_ref().is_some_and(|allowed| allowed.contains(&source))
    }
}

/// Parses one of the objects among the arguments; an absent one is its default.
pub(super) fn parse_object<T: DeserializeOwned + Default>(
    name: &str,
    value: Option<Value>,
) -> Result<T, ToolError> {
    let Some(value) = value else { return Ok(T::default()) };
    serde_json::from_value(value).map_err(|error| {
        ToolError::bad_args(format!("`{name}` cannot be read: {error}"))
            .hint("`hob tools` shows what each part of resolve takes; leave out what you do not need.")
    })
}

fn parse_subject(text: &str, aliases: &[String]) -> Result<Subject, ToolError> {
    if aliases.len() > ALIASES || aliases.iter().any(|alias| alias.chars().count() > LONGEST) {
        return Err(ToolError::bad_args(format!(
            "`hints.aliases` has more than {ALIASES} names, or one of more than {LONGEST} characters"
        ))
        .hint("Pass the likeliest names."));
    }
    Subject::parse(text, aliases).ok_or_else(no_word)
}

/// Returns the error for a subject without any word.
pub(super) fn no_word() -> ToolError {
    ToolError::bad_args("there is no word in `subject`")
        .hint("Pass a name, part of one, or a few words, e.g. \"session store\" or \"Flask.make_response\".")
}

pub(super) fn check_shares(strategy: &Strategy, constraints: &Constraints) -> Result<(), ToolError> {
    for (name, value) in [
        ("strategy.auto_accept_threshold", strategy.auto_accept_threshold),
        ("constraints.min_confidence", constraints.min_confidence),
    ] {
        if !(0.0..=1.0).contains(&value) {
            return Err(ToolError::bad_args(format!("`{name}` is {value}, and must be from 0 to 1")));
        }
    }
    if !(1..=MOST).contains(&constraints.max_candidates) {
        return Err(ToolError::bad_args(format!(
            "`constraints.max_candidates` is {}, and must be from 1 to {MOST}",
            constraints.max_candidates
        )));
    }
    Ok(())
}

/// Refuses arguments that contradict each other.
fn refuse_contradictions(
    context: &Context,
    strategy: &Strategy,
    constraints: &Constraints,
) -> Result<(), ToolError> {
    let refuse = |one: &str, other: &str, hint: &str| {
        Err(ToolError::bad_args(format!("`{one}` and `{other}` cannot both hold")).hint(hint))
    };
    let sources = constraints.allowed_sources.as_deref();
    if sources.is_some_and(<[EntitySource]>::is_empty) {
        return Err(ToolError::bad_args("`constraints.allowed_sources` is empty: nothing could be found")
            .hint("Leave it out for all, or pass some of map, live, text, manifest, git."));
    }
    if constraints.deterministic {
        let deterministic = "constraints.deterministic";
        if strategy.mode == Mode::LlmSelect {
            return refuse(
                deterministic,
                "strategy.mode: llm_select",
                "A model is not deterministic: use ranked.",
            );
        }
        if strategy.use_llm_fallback {
            return refuse(deterministic, "strategy.use_llm_fallback", "A model is not deterministic.");
        }
        if strategy.use_embeddings {
            return refuse(deterministic, "strategy.use_embeddings", "Leave one of them out.");
        }
    }
    if constraints.require_authority {
        let authority = "constraints.require_authority";
        if context.time.is_some() {
            return refuse(authority, "context.time", "No language server knows the past.");
        }
        if sources.is_some_and(|allowed| {
            !allowed.contains(&EntitySource::Map) && !allowed.contains(&EntitySource::Live)
        }) {
            return refuse(
                authority,
                "constraints.allowed_sources",
                "Language servers confirm symbols: allow map or live.",
            );
        }
    }
    if strategy.mode == Mode::Quick && strategy.interactive_below_threshold {
        return refuse(
            "strategy.mode: quick",
            "strategy.interactive_below_threshold",
            "quick takes the first candidate: use ranked or interactive.",
        );
    }
    if context.time.is_some() && sources.is_some_and(|allowed| allowed == [EntitySource::Live]) {
        return refuse(
            "context.time",
            "constraints.allowed_sources: live",
            "No language server knows the past.",
        );
    }
    Ok(())
}

fn language(name: &str) -> Result<Lang, ToolError> {
    let wanted = name.trim().to_lowercase();
    let known = || Lang::ALL.into_iter().filter_map(|lang| Some((lang, lang.spec()?)));
    let found = known().find(|(_, spec)| {
        spec.id == wanted || spec.name.to_lowercase() == wanted || spec.extensions.contains(&wanted.as_str())
    });
    found.map(|(lang, _)| lang).ok_or_else(|| {
        let names: Vec<&str> = known().map(|(_, spec)| spec.id).collect();
        ToolError::bad_args(format!("`context.language` is `{name}`, which is no language of the map"))
            .hint(format!("Known are {}.", names.join(", ")))
    })
}

fn kinds_expected(word: &str) -> Result<&'static [&'static str], ToolError> {
    kinds::kinds_of(word).ok_or_else(|| {
        ToolError::bad_args(format!("`hints.expected_type` is `{word}`, which is no type of entity"))
            .hint(format!("Pass one of {}.", kinds::kind_words().join(", ")))
    })
}
