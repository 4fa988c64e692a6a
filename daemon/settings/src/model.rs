//! Reads `[model]`: the language model that may be asked, which only the user can name.
//!
//! A mistake in the address, the name or the place of the key leaves no model, because words of the project
//! would go to a stranger, or a key to the wrong machine. A mistake in the time-out leaves the default one.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use hob_live::preferences::StatedPreference;
use serde_json::Value;

use super::keys;
use super::parse::{SettingsReader, TomlEntry, TomlValue, toml_to_json};
use hob_model::{KeySource, ModelEndpoint};

/// The keys that were read, as far as they are valid.
#[derive(Default)]
struct ModelDraft {
    endpoint: Option<String>,
    name: Option<String>,
    key: Option<KeySource>,
    time_out: Option<Duration>,
    /// True if a mistake leaves no model.
    is_invalid: bool,
}

impl SettingsReader<'_> {
    /// Returns the values of a section without a serious mistake, key by key. They hold no API key.
    pub(super) fn model_said(&self, section: &TomlValue<'_>) -> BTreeMap<String, StatedPreference<Value>> {
        let entries = section.get_ref().as_table().into_iter().flatten();
        let known = entries.filter(|(key, _)| keys::key_names("model").contains(&key.get_ref().as_ref()));
        let said = known.filter_map(|(key, value)| {
            Some((key.get_ref().to_string(), self.with_place(value, toml_to_json(value.get_ref())?)))
        });
        said.collect()
    }

    /// Returns the model that the section names, unless a serious mistake leaves none.
    pub(super) fn read_model_section(&mut self, section: TomlEntry<'_, '_>) -> Option<Arc<ModelEndpoint>> {
        let table = self.read_table(section)?;
        let mut draft = ModelDraft::default();
        for (key, value) in table {
            self.of_model(TomlEntry { key, value }, &mut draft);
        }
        let at = section.value.span().start;
        if table.contains_key("key_env") && table.contains_key("key_file") {
            draft.is_invalid = true;
            self.add_problem(
                at,
                "`model` has `key_env` and `key_file`; only one can say where the key is".to_owned(),
            );
        }
        for wanted in ["endpoint", "name"].into_iter().filter(|wanted| !table.contains_key(*wanted)) {
            draft.is_invalid = true;
            self.add_problem(at, format!("`model` needs `{wanted}`, and does not count without"));
        }
        if draft.is_invalid {
            return None;
        }
        let model = ModelEndpoint::new(&draft.endpoint?, &draft.name?).ok()?.with_key(draft.key);
        Some(Arc::new(match draft.time_out {
            Some(time_out) => model.with_time_out(time_out),
            None => model,
        }))
    }

    fn of_model(&mut self, entry: TomlEntry<'_, '_>, draft: &mut ModelDraft) {
        let is_said = match entry.key.get_ref().as_ref() {
            "endpoint" => store_value(&mut draft.endpoint, self.read_endpoint(entry)),
            "name" => store_value(&mut draft.name, self.name(entry)),
            "key_env" => store_value(
                &mut draft.key,
                self.read_secret_variable(entry, "OPENAI_API_KEY").map(KeySource::Variable),
            ),
            "key_file" => store_value(
                &mut draft.key,
                self.read_secret_file(entry, "~/.config/model-key").map(KeySource::File),
            ),
            "timeout_ms" => {
                draft.time_out = self.read_time_out(entry);
                true
            }
            _ => {
                self.report_unknown(entry.key, "model", &keys::key_names("model"));
                true
            }
        };
        draft.is_invalid |= !is_said;
    }

    fn read_endpoint(&mut self, entry: TomlEntry<'_, '_>) -> Option<String> {
        let Some(address) = entry.value.get_ref().as_str() else {
            self.report_wrong_type(entry, "an address, such as \"http://127.0.0.1:11434/v1\"");
            return None;
        };
        match ModelEndpoint::new(address, "") {
            Ok(_) => Some(address.to_owned()),
            Err(why) => {
                self.add_problem(entry.value.span().start, format!("`endpoint` {why}"));
                None
            }
        }
    }

    fn name(&mut self, entry: TomlEntry<'_, '_>) -> Option<String> {
        let name = entry.value.get_ref().as_str().map(str::trim).filter(|name| !name.is_empty());
        if name.is_none() {
            let what = "`name` must be the model's, as its server has it, such as \"llama3.2\"";
            self.add_problem(entry.value.span().start, what.to_owned());
        }
        name.map(str::to_owned)
    }
}

/// Stores a value that was read; returns true if there was one.
fn store_value<T>(place: &mut Option<T>, value: Option<T>) -> bool {
    *place = value;
    place.is_some()
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::super::parse::{Parsed, SettingsSource, parse};
    use super::*;

    fn users_file(text: &str) -> Parsed {
        parse(text, &SettingsSource { name: "f", home: Some(Path::new("/home/me")), is_users: true })
    }

    /// Returns the only problem of a section with an address, a name and `line`.
    fn only_problem(line: &str) -> (String, bool) {
        let parsed = users_file(&format!("[model]\nendpoint = 'http://x/v1'\nname = 'm'\n{line}\n"));
        assert_eq!(parsed.problems.len(), 1, "{line}: {:?}", parsed.problems);
        (parsed.problems[0].to_string(), parsed.model.is_some())
    }

    #[test]
    fn a_model_and_everything_that_can_be_said_of_it() {
        let section = "[model]\nendpoint = 'http://x/v1/'\nname = 'm'\n";
        let usual = ModelEndpoint::new("http://x/v1", "m").expect("an address");
        for (more, wanted) in [
            ("", usual.clone()),
            ("timeout_ms = 60000", usual.clone().with_time_out(Duration::from_secs(60))),
            ("key_env = 'A_KEY'", usual.clone().with_key(Some(KeySource::Variable("A_KEY".to_owned())))),
            ("key_file = '~/key'", usual.with_key(Some(KeySource::File("/home/me/key".into())))),
        ] {
            let parsed = users_file(&format!("{section}{more}\n[servers.ty]\nenabled = true\n"));
            assert_eq!(parsed.problems, Vec::new());
            assert_eq!(parsed.model.as_deref(), Some(&wanted), "{more}");
        }
        assert_eq!(users_file("").model, None);
    }

    #[test]
    fn a_mistake_is_told_with_its_line() {
        for (line, part, counts) in [
            ("timeout_ms = 60001", "f:4: `timeout_ms` must be between 1 and 60000", true),
            ("timeout_ms = 0", "between 1 and", true),
            ("timeout_ms = 99999999999999999999", "between 1 and", true),
            ("timeout_ms = '1'", "f:4: `timeout_ms` must be a number of milliseconds, and not a text", true),
            ("timeout = 1", "f:4: `timeout` is unknown in `model`; did you mean `timeout_ms`?", true),
            ("key_file = 'key'", "f:4: `key_file` must be the path of a file", false),
            ("key_env = 7", "f:4: `key_env` must be the name of a variable", false),
            ("key_env = 'A'\nkey_file = '/k'", "f:1: `model` has `key_env` and `key_file`", false),
        ] {
            let (told, is_there) = only_problem(line);
            assert!(told.contains(part), "{line}: {told}");
            assert_eq!(is_there, counts, "{line}");
        }
        for (text, part) in [
            ("model = 'm'", "f:1: `model` must be a table, such as [model], and not a text"),
            ("[model]\nname = 'm'", "f:1: `model` needs `endpoint`"),
            ("[model]\nendpoint = 'http://x'", "f:1: `model` needs `name`"),
            ("[model]\nname = ''\nendpoint = 'http://x'", "f:2: `name` must be the model's"),
            ("[model]\nname = 'm'\nendpoint = 'x'", "f:3: `endpoint` must begin with http:// or https://"),
            ("[model]\nname = 'm'\nendpoint = 7", "f:3: `endpoint` must be an address"),
        ] {
            let parsed = users_file(text);
            assert_eq!(parsed.problems.len(), 1, "{:?}", parsed.problems);
            assert!(parsed.problems[0].to_string().contains(part), "{:?}", parsed.problems);
            assert_eq!(parsed.model, None, "{text}");
        }
    }

    #[test]
    fn a_key_in_place_of_its_name_is_not_shown() {
        let (told, is_there) = only_problem("key_env = 'sk-verysecret'");
        assert!(!told.contains("verysecret") && !is_there, "{told}");
    }

    #[test]
    fn a_project_names_no_model_for_its_users() {
        let text = "[model]\nendpoint = 'http://x/v1'\nname = 'm'\n";
        let project = parse(text, &SettingsSource { name: "p", home: None, is_users: false });
        assert_eq!(project.model, None);
        assert!(
            project.problems[0].to_string().contains("p:1: `model` is unknown"),
            "{:?}",
            project.problems
        );
        let parsed = users_file(&format!("[workspaces.'/p'.model]\n{}", &text[8..]));
        assert!(
            parsed.model.is_none() && parsed.problems[0].text.contains("`model` is unknown"),
            "{:?}",
            parsed.problems
        );
    }
}
