//! Keeps the `data` that servers put into diagnostics, for an editor that would lose it.
//!
//! A server that was told that its client keeps it finds its fix by it, in a request for actions. An editor that did not say so is not
//! sent it; so it is kept here and put back where that editor asks what can be done about the diagnostic.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use serde_json::Value;

/// One server's diagnostics for one editor, by document, as far as there is something in them to be kept.
#[derive(Debug, Default)]
pub(super) struct Remembered(Mutex<HashMap<String, Vec<Value>>>);

impl Remembered {
    /// Takes note of the diagnostics of a document, which are all there are now.
    pub(super) fn remember_data(&self, uri: &str, diagnostics: &Value) {
        let all = diagnostics.as_array().into_iter().flatten();
        let kept: Vec<Value> = all.filter(|one| one.get("data").is_some()).cloned().collect();
        match kept.is_empty() {
            true => drop(self.lock().remove(uri)),
            false => drop(self.lock().insert(uri.to_owned(), kept)),
        }
    }

    /// Puts back what was in the diagnostics of a request about this document.
    pub(super) fn put_back(&self, uri: &str, diagnostics: &mut Value) {
        let known = self.lock();
        let Some(known) = known.get(uri) else { return };
        for asked in diagnostics.as_array_mut().into_iter().flatten().filter_map(Value::as_object_mut) {
            let is_it =
                |one: &&Value| ["range", "message"].iter().all(|field| one.get(*field) == asked.get(*field));
            if let Some(data) = known.iter().find(is_it).and_then(|one| one.get("data")) {
                asked.entry("data").or_insert_with(|| data.clone());
            }
        }
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<String, Vec<Value>>> {
        // Entries are put in and taken out whole.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn what_was_kept_comes_back_with_its_diagnostic() {
        let remembered = Remembered::default();
        let one = json!({"range": [1], "message": "m", "data": {"fix": 1}});
        remembered.remember_data("file:///a", &json!([one, {"range": [2], "message": "n"}]));
        let asked = json!([{"range": [1], "message": "m"}, {"range": [2], "message": "n"}]);
        let mut back = asked.clone();
        remembered.put_back("file:///a", &mut back);
        assert_eq!(back, json!([one, {"range": [2], "message": "n"}]));
        remembered.remember_data("file:///a", &json!([]));
        let mut gone = asked.clone();
        remembered.put_back("file:///a", &mut gone);
        assert_eq!(gone, asked, "it is not wrong any more");
    }
}
