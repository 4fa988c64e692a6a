//! Parses files of settings: TOML, with recovery from mistakes.
//!
//! A mistake invalidates only the value that it is in. The problem has its line, the expected value, and the
//! nearest known key.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use hob_live::catalogue;
use hob_live::preferences::{LanguagePreference, Leaves, Preferences, ServerPreference, StatedPreference};
use hob_proto::tools::nearest_name;
use serde_json::Value;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::daemon::Section;
use super::{keys, schema};
use hob_model::ModelEndpoint;
use hob_org::OrgEndpoint;

/// The file to parse, and the settings that it may make.
#[derive(Debug)]
pub(super) struct SettingsSource<'s> {
    /// The file's name, as problems show it.
    pub(super) name: &'s str,
    /// The folder that `~` stands for; `None` in a file that is not the user's.
    pub(super) home: Option<&'s Path>,
    /// True for the user's own file, which may have settings for any project.
    pub(super) is_users: bool,
}

/// The settings that a file makes for a project.
#[derive(Debug, Default)]
pub(super) struct ProjectSettings {
    /// The preferences for language servers.
    pub(super) preferences: Preferences,
    /// Permission for clients to edit the project; `None` if the file does not say. Only the user's own file
    /// can give it.
    pub(super) edits: Option<StatedPreference<bool>>,
}

/// The settings that one file makes.
#[derive(Debug, Default)]
pub(super) struct Parsed {
    /// The settings for every project that the file applies to.
    pub(super) base: ProjectSettings,
    /// Folders that are projects although they contain many; only the user's own file can name them.
    pub(super) allow_roots: Option<StatedPreference<Vec<String>>>,
    /// The model that may be asked, for every project; only the user's own file can name one.
    pub(super) model: Option<Arc<ModelEndpoint>>,
    /// The settings of that model, key by key, as they are written.
    pub(super) model_said: BTreeMap<String, StatedPreference<Value>>,
    /// The organisation's code search; only the user's own file can name one.
    pub(super) org: Option<Arc<OrgEndpoint>>,
    /// The settings of that code search, key by key, as they are written.
    pub(super) org_said: BTreeMap<String, StatedPreference<Value>>,
    /// The settings of the daemon; only the user's own file can make them.
    pub(super) daemon: Section,
    /// The settings for single projects, by folder.
    pub(super) workspaces: Vec<(PathBuf, ProjectSettings)>,
    /// The problems of the file, in the order of lines.
    pub(super) problems: Vec<Problem>,
}

/// A mistake in a file. Problems are ordered by line.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Problem {
    /// The line, from 1; 0 for a problem of the whole file.
    pub(super) line: usize,
    /// The column in characters, from 1; 0 for a problem of the whole file.
    pub(super) column: usize,
    /// The fault, and the way to correct it.
    pub(super) text: String,
    /// The file's name, as problems show it.
    pub(super) file: String,
}

impl Problem {
    /// Creates a problem of a whole file, which the text names.
    pub(super) fn of_all(text: String) -> Self {
        Self { line: 0, column: 0, text, file: String::new() }
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.line {
            0 => f.write_str(&self.text),
            line => write!(f, "{}:{line}: {}", self.file, self.text),
        }
    }
}

const OF_PROJECT: &[&str] = &["languages", "servers"];
const OF_WORKSPACE: &[&str] = &["edits", "languages", "servers"];
const OF_USER: &[&str] =
    &["allow_roots", "daemon", "edits", "languages", "model", "org", "servers", "workspaces"];

pub(super) type TomlKey<'t> = Spanned<std::borrow::Cow<'t, str>>;
pub(super) type TomlValue<'t> = Spanned<DeValue<'t>>;

/// A key of a table and its value.
#[derive(Clone, Copy)]
pub(super) struct TomlEntry<'e, 't> {
    /// The key, as it is written.
    pub(super) key: &'e TomlKey<'t>,
    /// The value of the key.
    pub(super) value: &'e TomlValue<'t>,
}

/// Parses a file as far as it is valid.
pub(super) fn parse(text: &str, source: &SettingsSource<'_>) -> Parsed {
    let (table, errors) = DeTable::parse_recoverable(text);
    let mut reader = SettingsReader { text, source, problems: BTreeSet::new() };
    for error in errors {
        reader.add_problem(error.span().map_or(0, |span| span.start), error.message().to_owned());
    }
    let mut parsed = Parsed::default();
    let known = if source.is_users { OF_USER } else { OF_PROJECT };
    for (key, value) in table.get_ref() {
        let entry = TomlEntry { key, value };
        match key.get_ref().as_ref() {
            "workspaces" if source.is_users => parsed.workspaces = reader.read_workspaces(value),
            "model" if source.is_users => {
                parsed.model = reader.read_model_section(entry);
                parsed.model_said =
                    parsed.model.as_ref().map(|_| reader.model_said(value)).unwrap_or_default();
            }
            "org" if source.is_users => {
                parsed.org = reader.read_org_section(entry);
                parsed.org_said = parsed.org.as_ref().map(|_| reader.org_said(value)).unwrap_or_default();
            }
            "daemon" if source.is_users => parsed.daemon = reader.read_daemon_section(entry),
            "allow_roots" if source.is_users => parsed.allow_roots = reader.read_folders(entry),
            part => reader.read_part(part, entry, known, &mut parsed.base, ""),
        }
    }
    parsed.problems = reader.problems.into_iter().collect();
    parsed
}

pub(super) struct SettingsReader<'r> {
    text: &'r str,
    source: &'r SettingsSource<'r>,
    problems: BTreeSet<Problem>,
}

impl SettingsReader<'_> {
    fn place_text(&self, offset: usize) -> String {
        format!("{}:{}", self.source.name, self.line(offset))
    }

    fn line(&self, offset: usize) -> usize {
        1 + self.text.bytes().take(offset).filter(|byte| *byte == b'\n').count()
    }

    /// Returns the column of a byte offset, in characters as editors count.
    fn column_of(&self, offset: usize) -> usize {
        let before = self.text.as_bytes().get(..offset).unwrap_or_default();
        let line = before.iter().rposition(|byte| *byte == b'\n').map_or(before, |end| &before[end + 1..]);
        1 + String::from_utf8_lossy(line).chars().count()
    }

    pub(super) fn add_problem(&mut self, offset: usize, what: String) {
        let file = self.source.name.to_owned();
        self.problems.insert(Problem {
            line: self.line(offset),
            column: self.column_of(offset),
            text: what,
            file,
        });
    }

    pub(super) fn report_unknown(&mut self, key: &TomlKey<'_>, within: &str, known: &[&str]) {
        let name = key.get_ref();
        if within.is_empty() && !self.source.is_users && OF_USER.contains(&name.as_ref()) {
            let what =
                format!("`{name}` is unknown in a project's file: only your own config.toml can say it");
            return self.add_problem(key.span().start, what);
        }
        let near = nearest_name(name, known.iter().copied());
        let near = near.map(|near| format!("; did you mean `{near}`?")).unwrap_or_default();
        // A long list of keys helps nobody.
        let all = if known.len() > 12 { String::new() } else { format!(" (there are {})", known.join(", ")) };
        let within = if within.is_empty() { String::new() } else { format!(" in `{within}`") };
        self.add_problem(key.span().start, format!("`{name}` is unknown{within}{near}{all}"));
    }

    pub(super) fn report_wrong_type(&mut self, entry: TomlEntry<'_, '_>, what: &str) {
        let got = match entry.value.get_ref() {
            DeValue::String(_) => "a text",
            DeValue::Integer(_) | DeValue::Float(_) => "a number",
            DeValue::Boolean(_) => "a truth value",
            DeValue::Datetime(_) => "a date",
            DeValue::Array(_) => "a list",
            DeValue::Table(_) => "a table",
        };
        let name = entry.key.get_ref();
        self.add_problem(entry.value.span().start, format!("`{name}` must be {what}, and not {got}"));
    }

    pub(super) fn read_table<'e, 't>(&mut self, entry: TomlEntry<'e, 't>) -> Option<&'e DeTable<'t>> {
        let table = entry.value.get_ref().as_table();
        if table.is_none() {
            self.report_wrong_type(entry, &format!("a table, such as [{}]", entry.key.get_ref()));
        }
        table
    }

    fn read_workspaces(&mut self, value: &TomlValue<'_>) -> Vec<(PathBuf, ProjectSettings)> {
        let Some(table) = value.get_ref().as_table() else {
            self.add_problem(value.span().start, "`workspaces` must be tables by folder".to_owned());
            return Vec::new();
        };
        let mut all = Vec::new();
        for (key, value) in table {
            let path = PathBuf::from(self.at_home(key.get_ref()));
            if !path.is_absolute() {
                let what = format!(
                    "`{}` must be a project's folder, such as [workspaces.\"/home/me/project\"]",
                    key.get_ref()
                );
                self.add_problem(key.span().start, what);
                continue;
            }
            let Some(parts) = self.read_table(TomlEntry { key, value }) else { continue };
            let mut wish = ProjectSettings::default();
            for (key, value) in parts {
                let entry = TomlEntry { key, value };
                self.read_part(key.get_ref(), entry, OF_WORKSPACE, &mut wish, "workspaces");
            }
            all.push((path, wish));
        }
        all
    }

    /// Parses one of the parts that the file and each of its projects have.
    fn read_part(
        &mut self,
        name: &str,
        entry: TomlEntry<'_, '_>,
        known: &[&str],
        wish: &mut ProjectSettings,
        within: &str,
    ) {
        if !known.contains(&name) {
            return self.report_unknown(entry.key, within, known);
        }
        if name == "edits" {
            wish.edits = self.read_truth(entry);
            return;
        }
        let Some(table) = self.read_table(entry) else { return };
        for (key, value) in table {
            let Some(table) = self.read_table(TomlEntry { key, value }) else { continue };
            match name {
                "servers" => self.read_server(key, table, &mut wish.preferences.servers),
                _ => self.language(key, table, &mut wish.preferences.languages),
            }
        }
    }

    fn read_server(
        &mut self,
        key: &TomlKey<'_>,
        table: &DeTable<'_>,
        all: &mut BTreeMap<String, ServerPreference>,
    ) {
        let name = key.get_ref().as_ref();
        if catalogue::by_name(name).is_none() {
            return self.report_unknown(key, "servers", &keys::server_names());
        }
        let wish = all.entry(name.to_owned()).or_default();
        for (key, value) in table {
            let entry = TomlEntry { key, value };
            match key.get_ref().as_ref() {
                "enabled" => wish.enabled = self.read_truth(entry),
                "command" => wish.command = self.read_command(entry),
                "args" => wish.args = self.read_texts(entry, "a list of texts, such as [\"--stdio\"]"),
                "env" => wish.env = self.read_env(entry),
                "initialization_options" => wish.options = self.read_leaves(entry),
                "settings" => wish.settings = self.read_leaves(entry),
                _ => self.report_unknown(key, &format!("servers.{name}"), &keys::key_names("servers.*")),
            }
        }
    }

    fn language(
        &mut self,
        key: &TomlKey<'_>,
        table: &DeTable<'_>,
        all: &mut BTreeMap<String, LanguagePreference>,
    ) {
        let name = key.get_ref().as_ref();
        let known = schema::served_languages();
        if !known.contains(&name) {
            return self.report_unknown(key, "languages", &known);
        }
        let wish = all.entry(name.to_owned()).or_default();
        for (key, value) in table {
            let entry = TomlEntry { key, value };
            match key.get_ref().as_ref() {
                "enabled" => wish.enabled = self.read_truth(entry),
                "servers" => wish.servers = self.servers_for(name, entry),
                _ => self.report_unknown(key, &format!("languages.{name}"), &keys::key_names("languages.*")),
            }
        }
    }

    /// Returns the servers that the file names for a language; reports and drops those that do not serve it.
    fn servers_for(
        &mut self,
        language: &str,
        entry: TomlEntry<'_, '_>,
    ) -> Option<StatedPreference<Vec<String>>> {
        let mut said = self.read_texts(entry, "a list of servers, most wanted first")?;
        let serves =
            |spec: &hob_live::spec::ServerSpec| spec.files.iter().any(|(_, served)| *served == language);
        let known: Vec<&str> =
            catalogue::all_specs().iter().filter(|spec| serves(spec)).map(|spec| spec.name).collect();
        let (right, wrong) = said.value.into_iter().partition(|name| known.contains(&name.as_str()));
        let wrong: Vec<String> = wrong;
        for name in wrong {
            let near = nearest_name(&name, known.iter().copied());
            let near = near.map(|near| format!("; did you mean `{near}`?")).unwrap_or_default();
            let all = known.join(", ");
            self.add_problem(
                entry.value.span().start,
                format!("`{name}` is no server for {language}{near} (there are {all})"),
            );
        }
        said.value = right;
        Some(said)
    }

    pub(super) fn with_place<T>(&self, value: &TomlValue<'_>, wanted: T) -> StatedPreference<T> {
        StatedPreference::new(wanted, self.place_text(value.span().start))
    }

    fn read_truth(&mut self, entry: TomlEntry<'_, '_>) -> Option<StatedPreference<bool>> {
        let DeValue::Boolean(truth) = entry.value.get_ref() else {
            self.report_wrong_type(entry, "true or false");
            return None;
        };
        Some(self.with_place(entry.value, *truth))
    }

    fn read_command(&mut self, entry: TomlEntry<'_, '_>) -> Option<StatedPreference<String>> {
        match entry.value.get_ref().as_str() {
            Some(text) if is_plain(text) && !text.is_empty() => {
                Some(self.with_place(entry.value, self.at_home(text)))
            }
            _ => {
                self.report_wrong_type(entry, "a program's name or path; its arguments go into `args`");
                None
            }
        }
    }

    fn read_texts(&mut self, entry: TomlEntry<'_, '_>, what: &str) -> Option<StatedPreference<Vec<String>>> {
        let text =
            |one: &TomlValue<'_>| one.get_ref().as_str().filter(|text| is_plain(text)).map(str::to_owned);
        let texts = entry.value.get_ref().as_array().and_then(|list| list.iter().map(text).collect());
        if texts.is_none() {
            self.report_wrong_type(entry, what);
        }
        texts.map(|texts| self.with_place(entry.value, texts))
    }

    /// Returns the folders of a list as absolute paths; reports and drops every text that is no absolute
    /// path.
    fn read_folders(&mut self, entry: TomlEntry<'_, '_>) -> Option<StatedPreference<Vec<String>>> {
        let mut said = self.read_texts(entry, "a list of folders, such as [\"~\", \"/srv\"]")?;
        let at_home = said.value.iter().map(|folder| self.at_home(folder));
        let (right, wrong): (Vec<_>, Vec<_>) = at_home.partition(|folder| Path::new(folder).is_absolute());
        for folder in wrong {
            let name = entry.key.get_ref();
            let what = format!("`{folder}` in `{name}` must be an absolute path, or begin with ~/");
            self.add_problem(entry.value.span().start, what);
        }
        said.value = right;
        Some(said)
    }

    fn read_env(&mut self, entry: TomlEntry<'_, '_>) -> BTreeMap<String, StatedPreference<String>> {
        let mut env = BTreeMap::new();
        let Some(table) = self.read_table(entry) else { return env };
        for (key, value) in table {
            let name = key.get_ref().as_ref();
            match value.get_ref().as_str() {
                Some(text) if is_plain(text) && is_plain(name) && !name.is_empty() && !name.contains('=') => {
                    env.insert(name.to_owned(), self.with_place(value, text.to_owned()));
                }
                _ => {
                    let entry = TomlEntry { key, value };
                    self.report_wrong_type(entry, "a variable with a text as its value");
                }
            }
        }
        env
    }

    fn read_leaves(&mut self, entry: TomlEntry<'_, '_>) -> Leaves {
        let mut leaves = Leaves::new();
        let Some(table) = self.read_table(entry) else { return leaves };
        for (key, value) in table {
            // Editors write such keys: "python.analysis.diagnosticMode".
            let path = key.get_ref().split('.').map(str::to_owned).collect();
            self.gather_leaves(path, value, &mut leaves);
        }
        leaves
    }

    fn gather_leaves(&mut self, path: Vec<String>, value: &TomlValue<'_>, leaves: &mut Leaves) {
        match value.get_ref() {
            DeValue::Table(table) if !table.is_empty() => {
                for (key, value) in table {
                    let path = path.iter().cloned().chain([key.get_ref().to_string()]).collect();
                    self.gather_leaves(path, value, leaves);
                }
            }
            plain => match toml_to_json(plain) {
                Some(json) => drop(leaves.insert(path, self.with_place(value, json))),
                None => self.add_problem(
                    value.span().start,
                    format!("`{}` is a number that cannot be given on", path.join(".")),
                ),
            },
        }
    }

    pub(super) fn at_home(&self, path: &str) -> String {
        match (path.strip_prefix("~/").or((path == "~").then_some("")), self.source.home) {
            (Some(rest), Some(home)) => home.join(rest).display().to_string(),
            _ => path.to_owned(),
        }
    }
}

/// Returns true if the system accepts a text as an argument or a variable.
pub(super) fn is_plain(text: &str) -> bool {
    !text.contains('\0')
}

/// Converts a value to JSON; `None` for a number that JSON cannot write.
pub(super) fn toml_to_json(value: &DeValue<'_>) -> Option<Value> {
    Some(match value {
        DeValue::String(text) => text.as_ref().into(),
        DeValue::Integer(number) => i64::from_str_radix(number.as_str(), number.radix()).ok()?.into(),
        DeValue::Float(number) => serde_json::Number::from_f64(number.as_str().parse().ok()?)?.into(),
        DeValue::Boolean(truth) => (*truth).into(),
        DeValue::Datetime(time) => time.to_string().into(),
        DeValue::Array(list) => list.iter().map(|one| toml_to_json(one.get_ref())).collect::<Option<_>>()?,
        DeValue::Table(table) => {
            let entry = |(key, value): (&TomlKey<'_>, &TomlValue<'_>)| {
                Some((key.get_ref().to_string(), toml_to_json(value.get_ref())?))
            };
            Value::Object(table.iter().map(entry).collect::<Option<_>>()?)
        }
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn users_file(text: &str) -> Parsed {
        parse(text, &SettingsSource { name: "f", home: Some(Path::new("/home/me")), is_users: true })
    }

    #[test]
    fn everything_that_can_be_said() {
        let parsed = users_file(
            "[languages.python]\nservers = ['ty', 'pyright']\nenabled = true\n\
             [servers.ty]\ncommand = '~/bin/ty'\nargs = ['server', '-v']\nenv = { A = 'b' }\nenabled = false\n\
             initialization_options.x = 0x10\n\
             settings = { 'ty.a.b' = [1, { c = 2.5 }], ty.d = {}, other = 'text' }\n\
             [workspaces.'~/p'.servers.ty]\nenabled = true\n",
        );
        assert_eq!(parsed.problems, Vec::new());
        let ty = &parsed.base.preferences.servers["ty"];
        assert_eq!(ty.command, Some(StatedPreference::new("/home/me/bin/ty".to_owned(), "f:5".to_owned())));
        assert_eq!(ty.args.as_ref().map(|said| said.value.len()), Some(2));
        assert_eq!(
            (ty.env["A"].value.as_str(), ty.enabled.as_ref().map(|said| said.value)),
            ("b", Some(false))
        );
        let plain = |leaves: &Leaves| {
            let plain = leaves.iter().map(|(path, said)| (path.join("/"), said.value.clone()));
            Value::Object(plain.collect())
        };
        assert_eq!(plain(&ty.options), json!({"x": 16}));
        assert_eq!(plain(&ty.settings), json!({"other": "text", "ty/a/b": [1, {"c": 2.5}], "ty/d": {}}));
        assert_eq!(parsed.base.preferences.rank("pyright", "python"), 1);
        assert_eq!(parsed.workspaces[0].0, Path::new("/home/me/p"));
        assert!(
            parsed.workspaces[0].1.preferences.servers["ty"].enabled.as_ref().is_some_and(|said| said.value)
        );
    }

    #[test]
    fn a_mistake_is_told_with_its_line_and_costs_nothing_else() {
        let parsed = users_file(
            "[servers.ty]\ncomand = 'x'\nargs = '--stdio'\nenabled = true\n\
             [servers.pyrigth]\n\
             [languages.pyton]\n\
             [languages.python]\nservers = ['tty', 'clangd', 'ty']\n\
             [workspaces.here.servers.ty]\n\
             [server.ty]\n",
        );
        let said = |line: usize, part: &str| {
            let start = format!("f:{line}: ");
            let told = parsed.problems.iter().map(ToString::to_string);
            let found = told.into_iter().any(|told| told.starts_with(&start) && told.contains(part));
            assert!(found, "{line} {part}: {:#?}", parsed.problems);
        };
        said(2, "did you mean `command`? (there are enabled, command, args,");
        said(3, "`args` must be a list of texts, such as [\"--stdio\"], and not a text");
        said(5, "did you mean `pyright`?");
        said(6, "did you mean `python`?");
        said(8, "`tty` is no server for python; did you mean `ty`?");
        said(8, "`clangd` is no server for python");
        said(9, "`here` must be a project's folder");
        said(10, "did you mean `servers`?");
        assert_eq!(parsed.problems.len(), 8, "{:#?}", parsed.problems);
        assert!(parsed.base.preferences.servers["ty"].enabled.as_ref().is_some_and(|said| said.value));
        assert_eq!(parsed.base.preferences.rank("ty", "python"), 0);
    }

    #[test]
    fn a_mistake_has_its_column_in_characters() {
        let parsed = users_file("[daemon]\nlog = 'ö' # ü\n\n[servers.ty]\nenv = { 'ä' = 'ü', B = 1 }\n");
        let places: Vec<_> = parsed.problems.iter().map(|problem| (problem.line, problem.column)).collect();
        assert_eq!(places, [(5, 24)], "{:?}", parsed.problems);
    }

    /// Checks that the parser accepts every key of the table with its example.
    #[test]
    fn every_key_of_the_table_is_read() {
        let with = |key: &keys::KeyDef, value: &str| {
            let section =
                key.section.replace("languages.*", "languages.python").replace("servers.*", "servers.ty");
            let needs = match (key.section, key.name) {
                ("model", "endpoint") => "name = 'm'\n",
                ("model", "name") => "endpoint = 'http://x/v1'\n",
                ("org", "url") => "",
                ("org", _) => "url = 'http://x'\n",
                ("model", _) => "name = 'm'\nendpoint = 'http://x/v1'\n",
                _ => "",
            };
            let head = if section.is_empty() { String::new() } else { format!("[{section}]\n") };
            format!("{head}{needs}{} = {value}\n", key.name)
        };
        for key in keys::KEYS {
            let right = users_file(&with(key, key.example));
            assert_eq!(right.problems, Vec::new(), "{}", key.path());
            let wrong = users_file(&with(key, key.wrong));
            assert_eq!(wrong.problems.len(), 1, "{}: {:?}", key.path(), wrong.problems);
        }
    }

    #[test]
    fn broken_toml_is_read_as_far_as_it_goes() {
        let parsed = users_file("[servers.ty]\nargs = [\nenabled = \n[servers.pyright]\nenabled = false\n");
        assert!(!parsed.problems.is_empty());
        assert!(parsed.problems.iter().all(|told| told.line > 0 && told.column > 0), "{:?}", parsed.problems);
        for text in [
            "",
            "\0",
            "[[servers]]",
            "servers = 1",
            "= =",
            "[workspaces]\nx = 1",
            "[servers]\nty = 1",
            "a.b.c = nan",
        ] {
            let _ = users_file(text);
        }
        let project = parse(
            "[workspaces.'/x'.servers.ty]\n",
            &SettingsSource { name: "p", home: None, is_users: false },
        );
        assert!(project.problems[0].text.contains("`workspaces` is unknown"), "{:?}", project.problems);
    }
}
