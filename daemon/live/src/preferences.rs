//! Holds the user's preferences for the language servers of one project, besides what the catalogue knows.
//!
//! Each preference has the place where it was stated and the places that it overrules, so that `hob servers why` can
//! show them. Other crates read the files; this module layers the preferences of several sources over one another, and
//! over the catalogue's values.

use std::collections::BTreeMap;

use serde_json::{Map, Value};

use crate::spec::ServerSpec;

/// A preference, and the place of its statement.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct StatedPreference<T> {
    /// The value that the user wants.
    pub value: T,
    /// The place of the statement, for people: a file and a line.
    pub from: String,
    /// The places of statements that do not count because of this one.
    pub over: Vec<String>,
}

impl<T> StatedPreference<T> {
    /// Creates the preference for `value`, stated at `from`.
    pub fn new(value: T, from: String) -> Self {
        Self { value, from, over: Vec::new() }
    }
}

/// The path of keys to a value in nested objects.
pub type KeyPath = Vec<String>;

/// Values by their path; none lies within another.
pub type Leaves = BTreeMap<KeyPath, StatedPreference<Value>>;

/// The user's preferences for one kind of server.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct ServerPreference {
    /// True if the server may be used; `None` if the user does not say.
    pub enabled: Option<StatedPreference<bool>>,
    /// The program: a name to be looked up, an absolute path, or a path within the project.
    pub command: Option<StatedPreference<String>>,
    /// All its arguments, in place of the catalogue's.
    pub args: Option<StatedPreference<Vec<String>>>,
    /// Variables in addition to those that every server gets.
    pub env: BTreeMap<String, StatedPreference<String>>,
    /// Parts of `initializationOptions` that the user sets.
    pub options: Leaves,
    /// Parts of the answers to `workspace/configuration` that the user sets.
    pub settings: Leaves,
}

/// The user's preferences for one language.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct LanguagePreference {
    /// True if any server may serve the language; `None` if the user does not say.
    pub enabled: Option<StatedPreference<bool>>,
    /// Names of servers in order of preference; others follow in the catalogue's order.
    pub servers: Option<StatedPreference<Vec<String>>>,
}

/// The user's preferences for one project.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Preferences {
    /// Preferences for servers, by the server's name.
    pub servers: BTreeMap<String, ServerPreference>,
    /// Preferences for languages, by the protocol's identifier.
    pub languages: BTreeMap<String, LanguagePreference>,
}

impl Preferences {
    /// Layers `over` on top: where both state something, `over` counts.
    pub fn overlay_with(&mut self, over: &Self) {
        for (name, wish) in &over.servers {
            self.servers.entry(name.clone()).or_default().overlay_with(wish);
        }
        for (name, wish) in &over.languages {
            let below = self.languages.entry(name.clone()).or_default();
            replace(&mut below.enabled, wish.enabled.as_ref());
            replace(&mut below.servers, wish.servers.as_ref());
        }
    }

    /// Returns the preferences for a server; `None` if the user has none.
    #[must_use]
    pub fn server_preference(&self, name: &str) -> Option<&ServerPreference> {
        self.servers.get(name)
    }

    /// Returns the preferences for a language. Variants of the protocol (`typescriptreact`) follow the language itself,
    /// unless the user names them.
    #[must_use]
    pub fn language(&self, id: &str) -> Option<&LanguagePreference> {
        self.languages.get(id).or_else(|| self.languages.get(id.strip_suffix("react")?))
    }

    /// Returns the preference that a server, or its whole language, is not to be used.
    #[must_use]
    pub fn switched_off(&self, server: &str, language: &str) -> Option<&StatedPreference<bool>> {
        let language = self.language(language).and_then(|wish| wish.enabled.as_ref());
        let server = self.server_preference(server).and_then(|wish| wish.enabled.as_ref());
        language.into_iter().chain(server).find(|enabled| !enabled.value)
    }

    /// Returns the rank of a server among those that the user names for a language, 0 for the preferred one; all that
    /// nobody named are equal and come last.
    #[must_use]
    pub fn rank(&self, server: &str, language: &str) -> usize {
        let named = self.language(language).and_then(|wish| wish.servers.as_ref());
        let at = named.and_then(|named| named.value.iter().position(|name| name == server));
        at.unwrap_or(usize::MAX)
    }
}

impl ServerPreference {
    /// Returns true if a part of the settings counts: without trust, only the server's harmless settings do.
    #[must_use]
    pub fn is_effective(spec: &ServerSpec, trusted: bool, path: &[String]) -> bool {
        let below = |key: &str| {
            let mut at = path.iter();
            key.split('.').all(|part| at.next().is_some_and(|have| have == part))
        };
        trusted || spec.harmless.iter().any(|key| below(key))
    }

    /// Returns the catalogue's options and settings, with the user's preferences layered over them.
    #[must_use]
    pub fn laid_over(&self, known: (Value, Value), spec: &ServerSpec, trusted: bool) -> (Value, Value) {
        let options = with_leaves(
            known.0,
            self.options.iter().filter(|_| trusted).map(|(path, said)| (path.as_slice(), &said.value)),
        );
        let counting = |path: &&KeyPath| Self::is_effective(spec, trusted, path);
        let wanted: Vec<_> = self
            .settings
            .iter()
            .filter(|(path, _)| counting(path))
            .map(|(path, said)| (path.as_slice(), &said.value))
            .collect();
        let settings = with_leaves(known.1, wanted.iter().copied());
        let Some(section) = spec.section.filter(|_| trusted) else { return (options, settings) };
        let within = wanted.iter().filter(|(path, _)| path.len() > 1 && path[0] == section);
        let options = with_leaves(options, within.map(|(path, value)| (&path[1..], *value)));
        if self.options.is_empty() && self.settings.is_empty() {
            return (options, settings);
        }
        // The server takes an answer about the section in place of its options, so the answer must hold them all.
        let path = [section.to_owned()];
        let settings = with_leaves(settings, std::iter::once((&path[..], &options)));
        (options, settings)
    }

    fn overlay_with(&mut self, over: &Self) {
        replace(&mut self.enabled, over.enabled.as_ref());
        replace(&mut self.command, over.command.as_ref());
        replace(&mut self.args, over.args.as_ref());
        for (name, wish) in &over.env {
            let mut wanted = self.env.remove(name);
            replace(&mut wanted, Some(wish));
            self.env.extend(wanted.map(|wanted| (name.clone(), wanted)));
        }
        overlay_leaves(&mut self.options, &over.options);
        overlay_leaves(&mut self.settings, &over.settings);
    }
}

fn replace<T: Clone>(below: &mut Option<StatedPreference<T>>, over: Option<&StatedPreference<T>>) {
    let Some(over) = over else { return };
    let mut over = over.clone();
    over.over.extend(below.take().into_iter().flat_map(|below| [vec![below.from], below.over].concat()));
    *below = Some(over);
}

fn overlay_leaves(below: &mut Leaves, over: &Leaves) {
    for (path, wish) in over {
        let mut wish = wish.clone();
        // A value replaces the values within it, and a value that it would lie within.
        let lost = |other: &KeyPath| other.starts_with(path) || path.starts_with(other);
        let lost: Vec<KeyPath> = below.keys().filter(|other| lost(other)).cloned().collect();
        for other in lost.into_iter().filter_map(|path| below.remove(&path)) {
            wish.over.push(other.from);
            wish.over.extend(other.over);
        }
        below.insert(path.clone(), wish);
    }
}

/// Sets these values in `base`.
#[must_use]
pub fn with_leaves<'l>(base: Value, leaves: impl Iterator<Item = (&'l [String], &'l Value)>) -> Value {
    leaves.fold(base, |mut all, (path, value)| {
        *value_at_path(&mut all, path) = value.clone();
        all
    })
}

/// Returns the value at `path` in `all`, and makes it if there is none; a value in the way that is no object is
/// replaced.
fn value_at_path<'v>(all: &'v mut Value, path: &[String]) -> &'v mut Value {
    path.iter().fold(all, |at, key| {
        if !at.is_object() {
            *at = Value::Object(Map::new());
        }
        // The line above made it an object.
        &mut at[key.as_str()]
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn path(text: &str) -> KeyPath {
        text.split('.').map(str::to_owned).collect()
    }

    fn leaves_from(from: &str, list: &[(&str, Value)]) -> Leaves {
        let said =
            |(at, value): &(&str, Value)| (path(at), StatedPreference::new(value.clone(), from.to_owned()));
        list.iter().map(said).collect()
    }

    #[test]
    fn what_is_said_later_counts_and_knows_what_it_overruled() {
        let mut all = leaves_from("a", &[("x.y", json!(1)), ("x.z", json!(2)), ("w", json!(3))]);
        overlay_leaves(&mut all, &leaves_from("b", &[("x.y", json!(4)), ("w.inner", json!(5))]));
        overlay_leaves(&mut all, &leaves_from("c", &[("x.y", json!(6))]));
        assert_eq!((&all[&path("x.y")].value, &all[&path("x.z")].value), (&json!(6), &json!(2)));
        assert_eq!(all[&path("x.y")].over, ["b", "a"]);
        assert_eq!((all.get(&path("w")), &all[&path("w.inner")].over), (None, &vec!["a".to_owned()]));
        let set = all.iter().map(|(path, said)| (path.as_slice(), &said.value));
        let merged = with_leaves(json!({"x": {"y": 0, "kept": true}, "w": "text"}), set);
        assert_eq!(merged, json!({"x": {"y": 6, "kept": true, "z": 2}, "w": {"inner": 5}}));
    }

    #[test]
    fn without_trust_only_harmless_settings_count() {
        let spec = |name| crate::catalogue::by_name(name).expect("it is known");
        let known = || (json!({"procMacro": {"enable": false}}), json!({}));
        let settings = [
            ("rust-analyzer.procMacro.enable", json!(true)),
            ("python.pythonPath", json!("x")),
            ("python.analysis.a", json!(1)),
        ];
        let wish = ServerPreference { settings: leaves_from("f", &settings), ..ServerPreference::default() };
        let analyzer = |trusted| wish.laid_over(known(), spec("rust-analyzer"), trusted);
        assert_eq!(analyzer(false), known());
        let (options, answer) = analyzer(true);
        assert_eq!((&options, &answer["rust-analyzer"]), (&json!({"procMacro": {"enable": true}}), &options));
        let pyright = |trusted| wish.laid_over((Value::Null, json!({})), spec("pyright"), trusted).1;
        assert_eq!(pyright(false), json!({"python": {"analysis": {"a": 1}}}));
        assert_eq!(pyright(true)["python"]["pythonPath"], "x");
    }

    #[test]
    fn a_language_can_be_ordered_and_switched_off() {
        let mut all = Preferences::default();
        let wish = LanguagePreference {
            enabled: None,
            servers: Some(StatedPreference::new(vec!["b".to_owned()], "f".to_owned())),
        };
        all.languages.insert("typescript".to_owned(), wish);
        assert!(all.rank("b", "typescript") < all.rank("a", "typescript"));
        assert_eq!((all.rank("b", "typescriptreact"), all.rank("b", "python")), (0, usize::MAX));
        let mut over = Preferences::default();
        over.servers.entry("a".to_owned()).or_default().enabled =
            Some(StatedPreference::new(false, "g".to_owned()));
        all.overlay_with(&over);
        assert!(all.switched_off("a", "python").is_some_and(|said| said.from == "g"));
        assert!(all.switched_off("b", "python").is_none());
    }
}
