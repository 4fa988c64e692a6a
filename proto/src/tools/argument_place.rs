//! Finds the place that an absolute path in the arguments of a call names.
//!
//! Clients stay in the folder where a session began, while their agents move on: into a work tree, a
//! dependency, another repository. Without a `root`, an absolute path in the arguments says more about the
//! intended project than the folder of the client. Only paths count, never words or code that look like one,
//! and only existing ones: a pattern is cut where its wildcards begin. The daemon chooses a project by this,
//! and the shim follows an agent into a work tree by it, so both must see the same paths.

use std::path::{Path, PathBuf};

use serde_json::{Map, Value};

/// Arguments of words or code, which never name a place.
pub const WORDS: [&str; 10] =
    ["query", "pattern", "patterns", "subject", "hint", "around", "source", "old", "new", "change"];

/// Returns the folder or file of the first absolute path in the arguments that exists; `None` without one.
#[must_use]
pub fn place_in_arguments(args: &Map<String, Value>) -> Option<PathBuf> {
    let places = args.iter().filter(|(name, _)| !WORDS.contains(&name.as_str()));
    let texts = places.flat_map(|(_, value)| match value {
        Value::Array(items) => items.iter().collect(),
        other => vec![other],
    });
    texts.filter_map(Value::as_str).find_map(existing_place)
}

fn existing_place(text: &str) -> Option<PathBuf> {
    let text = text.trim_start_matches('!');
    if !Path::new(text).is_absolute() {
        return None;
    }
    let fixed =
        Path::new(text).iter().take_while(|part| !part.to_string_lossy().contains(['*', '?', '[', '{']));
    let named = without_lines(&fixed.collect::<PathBuf>());
    // A file that does not exist yet belongs to its folder; no file belongs to the top of the file system.
    let is_there = |place: &&Path| place.exists() && place.parent().is_some();
    named.ancestors().take(2).find(is_there).map(Path::to_path_buf)
}

/// Returns a path without the lines behind it: `/w/a.py` of `/w/a.py:10-20`.
fn without_lines(path: &Path) -> PathBuf {
    let Some(text) = path.to_str().filter(|_| !path.exists()) else { return path.to_path_buf() };
    let is_lines =
        |rest: &str| !rest.is_empty() && rest.chars().all(|c| c.is_ascii_digit() || matches!(c, ':' | '-'));
    let cut = text.match_indices(':').find(|(at, _)| is_lines(&text[at + 1..]));
    PathBuf::from(cut.map_or(text, |(at, _)| &text[..at]))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[track_caller]
    fn check(args: Value, expected: Option<&Path>) {
        let args = args.as_object().expect("an object");
        let place = place_in_arguments(args);
        assert_eq!(place.as_deref(), expected);
    }

    #[test]
    fn the_first_path_that_is_there_counts() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR"));
        let file = root.join("Cargo.toml");
        let at = |path: &str| format!("{}/{path}", root.display());
        check(json!({"targets": ["f", at("Cargo.toml:10-20")]}), Some(&file));
        check(json!({"file": at("Cargo.toml"), "line": 3}), Some(&file));
        check(json!({"paths": [at("**/*.py")]}), Some(root));
        check(json!({"paths": [format!("!{}", at("Cargo.toml"))]}), Some(&file));
        check(json!({"file": at("new.py")}), Some(root));
        check(json!({"file": at("gone/new.py")}), None);
        check(json!({"query": at("Cargo.toml"), "pattern": at("Cargo.toml")}), None);
        check(json!({"file": "a.py"}), None);
        check(json!({"paths": ["/*"]}), None);
    }
}
