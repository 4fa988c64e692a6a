//! Reads `[org]`: the code search of the user's organisation, which only the user can name.
//!
//! A mistake in the address or the place of the token leaves no code search, because a question would go to a
//! stranger, or a token to the wrong machine. A mistake in the time-out leaves the default one.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use hob_live::preferences::StatedPreference;
use hob_model::KeySource;
use hob_org::OrgEndpoint;
use serde_json::Value;

use super::keys;
use super::parse::{SettingsReader, TomlEntry, TomlValue, toml_to_json};

/// The keys that were read, as far as they are valid.
#[derive(Default)]
struct OrgDraft {
    endpoint: Option<OrgEndpoint>,
    token: Option<KeySource>,
    time_out: Option<Duration>,
    /// True if a mistake leaves no code search.
    is_invalid: bool,
}

impl SettingsReader<'_> {
    /// Returns the values of a section without a serious mistake, key by key. They hold no token.
    pub(super) fn org_said(&self, section: &TomlValue<'_>) -> BTreeMap<String, StatedPreference<Value>> {
        let entries = section.get_ref().as_table().into_iter().flatten();
        let known = entries.filter(|(key, _)| keys::key_names("org").contains(&key.get_ref().as_ref()));
        let said = known.filter_map(|(key, value)| {
            Some((key.get_ref().to_string(), self.with_place(value, toml_to_json(value.get_ref())?)))
        });
        said.collect()
    }

    /// Returns the code search that the section names, unless a serious mistake leaves none.
    pub(super) fn read_org_section(&mut self, section: TomlEntry<'_, '_>) -> Option<Arc<OrgEndpoint>> {
        let table = self.read_table(section)?;
        let mut draft = OrgDraft::default();
        for (key, value) in table {
            self.read_org_key(TomlEntry { key, value }, &mut draft);
        }
        let at = section.value.span().start;
        if table.contains_key("token_env") && table.contains_key("token_file") {
            draft.is_invalid = true;
            let what = "`org` has `token_env` and `token_file`; only one can say where the token is";
            self.add_problem(at, what.to_owned());
        }
        if !table.contains_key("url") {
            draft.is_invalid = true;
            self.add_problem(at, "`org` needs `url`, and does not count without".to_owned());
        }
        if draft.is_invalid {
            return None;
        }
        let endpoint = draft.endpoint?.with_token(draft.token);
        Some(Arc::new(match draft.time_out {
            Some(time_out) => endpoint.with_time_out(time_out),
            None => endpoint,
        }))
    }

    fn read_org_key(&mut self, entry: TomlEntry<'_, '_>, draft: &mut OrgDraft) {
        match entry.key.get_ref().as_ref() {
            "url" => {
                draft.endpoint = self.read_org_url(entry);
                draft.is_invalid |= draft.endpoint.is_none();
            }
            "token_env" => {
                draft.token = self.read_secret_variable(entry, "ZOEKT_TOKEN").map(KeySource::Variable);
                draft.is_invalid |= draft.token.is_none();
            }
            "token_file" => {
                draft.token = self.read_secret_file(entry, "~/.config/zoekt-token").map(KeySource::File);
                draft.is_invalid |= draft.token.is_none();
            }
            "timeout_ms" => draft.time_out = self.read_time_out(entry),
            _ => self.report_unknown(entry.key, "org", &keys::key_names("org")),
        }
    }

    fn read_org_url(&mut self, entry: TomlEntry<'_, '_>) -> Option<OrgEndpoint> {
        let Some(address) = entry.value.get_ref().as_str() else {
            self.report_wrong_type(entry, "an address, such as \"https://zoekt.example\"");
            return None;
        };
        let endpoint = OrgEndpoint::new(address);
        if let Err(why) = &endpoint {
            self.add_problem(entry.value.span().start, format!("`url` {why}"));
        }
        endpoint.ok()
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::super::parse::{Parsed, SettingsSource, parse};
    use super::*;

    fn users_file(text: &str) -> Parsed {
        parse(text, &SettingsSource { name: "f", home: Some(Path::new("/home/me")), is_users: true })
    }

    #[test]
    fn a_code_search_and_everything_that_can_be_said_of_it() {
        let usual = OrgEndpoint::new("https://zoekt.example").expect("an address");
        for (more, wanted) in [
            ("", usual.clone()),
            ("timeout_ms = 500", usual.clone().with_time_out(Duration::from_millis(500))),
            (
                "token_env = 'A_TOKEN'",
                usual.clone().with_token(Some(KeySource::Variable("A_TOKEN".to_owned()))),
            ),
            ("token_file = '~/t'", usual.with_token(Some(KeySource::File("/home/me/t".into())))),
        ] {
            let parsed = users_file(&format!("[org]\nurl = 'https://zoekt.example/'\n{more}\n"));
            assert_eq!(parsed.problems, Vec::new());
            assert_eq!(parsed.org.as_deref(), Some(&wanted), "{more}");
            assert!(parsed.org_said.contains_key("url"));
        }
        assert_eq!(users_file("").org, None);
    }

    #[test]
    fn a_mistake_is_told_with_its_line_and_leaves_no_code_search() {
        for (text, part) in [
            ("org = 'x'", "f:1: `org` must be a table, such as [org], and not a text"),
            ("[org]\ntoken_env = 'A'", "f:1: `org` needs `url`"),
            ("[org]\nurl = 'zoekt.example'", "f:2: `url` must begin with http:// or https://"),
            ("[org]\nurl = 'ftp://x'", "f:2: `url` must begin with http:// or https://"),
            ("[org]\nurl = 'https://me:pw@x'", "f:2: `url` must not hold a name or a password"),
            ("[org]\nurl = 7", "f:2: `url` must be an address"),
            (
                "[org]\nurl = 'http://x'\ntoken_env = 'zt-very.secret'",
                "f:3: `token_env` must be the name of a variable",
            ),
            ("[org]\nurl = 'http://x'\ntoken_file = 't'", "f:3: `token_file` must be the path of a file"),
            (
                "[org]\nurl = 'http://x'\ntoken_env = 'A'\ntoken_file = '/t'",
                "f:1: `org` has `token_env` and `token_file`",
            ),
        ] {
            let parsed = users_file(text);
            assert_eq!(parsed.problems.len(), 1, "{:?}", parsed.problems);
            let told = parsed.problems[0].to_string();
            assert!(told.contains(part) && !told.contains("very.secret"), "{told}");
            assert_eq!(parsed.org, None, "{text}");
        }
        let parsed = users_file("[org]\nurl = 'http://x'\ntimeout = 1");
        assert!(
            parsed.problems[0].to_string().contains("did you mean `timeout_ms`?") && parsed.org.is_some()
        );
    }

    #[test]
    fn a_project_names_no_code_search_for_its_users() {
        let text = "[org]\nurl = 'http://x'\n";
        let project = parse(text, &SettingsSource { name: "p", home: None, is_users: false });
        assert_eq!(project.org, None);
        let told = project.problems[0].to_string();
        assert!(
            told.contains("p:1: `org` is unknown in a project's file: only your own config.toml"),
            "{told}"
        );
        let parsed = users_file("[workspaces.'/p'.org]\nurl = 'http://x'\n");
        assert!(parsed.org.is_none() && parsed.problems[0].text.contains("`org` is unknown"));
    }
}
