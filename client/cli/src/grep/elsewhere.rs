//! Lists ripgrep's options that hob does not support, so that hob can tell a user what to do instead.

use clap::{Arg, ArgAction, ArgMatches, Args, Command, FromArgMatches};

/// Name, letter, and whether a value follows.
type RipgrepOption = (&'static str, Option<char>, bool);

const KNOWN: &[RipgrepOption] = &[
    ("auto-hybrid-regex", None, false),
    ("binary", None, false),
    ("byte-offset", Some('b'), false),
    ("colors", None, true),
    ("context-separator", None, true),
    ("crlf", None, false),
    ("debug", None, false),
    ("dfa-size-limit", None, true),
    ("encoding", Some('E'), true),
    ("engine", None, true),
    ("field-context-separator", None, true),
    ("field-match-separator", None, true),
    ("files", None, false),
    ("files-without-match", None, false),
    ("follow", Some('L'), false),
    ("glob-case-insensitive", None, false),
    ("hidden", Some('.'), false),
    ("hyperlink-format", None, true),
    ("iglob", None, true),
    ("ignore-file", None, true),
    ("include-zero", None, false),
    ("invert-match", Some('v'), false),
    ("max-columns", Some('M'), true),
    ("max-depth", Some('d'), true),
    ("max-filesize", None, true),
    ("multiline", Some('U'), false),
    ("multiline-dotall", None, false),
    ("no-context-separator", None, false),
    ("no-ignore", None, false),
    ("no-ignore-dot", None, false),
    ("no-ignore-exclude", None, false),
    ("no-ignore-files", None, false),
    ("no-ignore-global", None, false),
    ("no-ignore-parent", None, false),
    ("no-ignore-vcs", None, false),
    ("no-unicode", None, false),
    ("null-data", None, false),
    ("one-file-system", None, false),
    ("passthru", None, false),
    ("path-separator", None, true),
    ("pcre2", Some('P'), false),
    ("pre", None, true),
    ("pre-glob", None, true),
    ("regex-size-limit", None, true),
    ("replace", Some('r'), true),
    ("search-zip", Some('z'), false),
    ("sortr", None, true),
    ("stats", None, false),
    ("stop-on-nonmatch", None, false),
    ("text", Some('a'), false),
    ("trace", None, false),
    ("trim", None, false),
    ("type-add", None, true),
    ("type-clear", None, true),
    ("type-list", None, false),
    ("unrestricted", Some('u'), false),
    ("vimgrep", None, false),
];

/// The first such option on the command line, with the advice on it.
#[derive(Clone, Debug, Default)]
pub(super) struct UnsupportedOption {
    pub(super) used: Option<&'static str>,
}

impl Args for UnsupportedOption {
    fn augment_args(command: Command) -> Command {
        command.args(KNOWN.iter().map(|&(name, letter, has_value)| {
            let arg = Arg::new(name).long(name).hide(true);
            let arg = if let Some(letter) = letter { arg.short(letter) } else { arg };
            match has_value {
                true => arg.action(ArgAction::Append).allow_hyphen_values(true),
                false => arg.action(ArgAction::Count),
            }
        }))
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

impl FromArgMatches for UnsupportedOption {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        let given = |name| matches.value_source(name) == Some(clap::parser::ValueSource::CommandLine);
        Ok(Self { used: KNOWN.iter().map(|known| known.0).find(|name| given(name)) })
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}
