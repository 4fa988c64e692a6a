//! Keeps the `data` that servers put into diagnostics, for an editor that would lose it.
//!
//! A server whose client keeps this data finds the fix by it, in a request for actions. An editor that does not support
//! it does not get it; so hob keeps it here, and puts it back where that editor asks for actions on the diagnostic.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use serde_json::Value;

/// Most bytes of diagnostics that are kept, as JSON. Beyond that the documents with the oldest diagnostics are
/// forgotten; those diagnostics have fewer fixes until the server publishes them again.
const MOST_BYTES: usize = 16 << 20;

/// One server's diagnostics for one editor, by document, if they have data.
#[derive(Debug, Default)]
pub(super) struct Remembered(Mutex<RememberedDiagnostics>);

#[derive(Debug, Default)]
struct RememberedDiagnostics {
    by_uri: HashMap<String, KeptDiagnostics>,
    bytes: usize,
    /// Number of insertions so far, for their order.
    now: u64,
}

#[derive(Debug)]
struct KeptDiagnostics {
    all: Vec<Value>,
    bytes: usize,
    at: u64,
}

impl RememberedDiagnostics {
    fn forget(&mut self, uri: &str) {
        self.bytes -= self.by_uri.remove(uri).map_or(0, |kept| kept.bytes);
    }

    fn keep(&mut self, uri: &str, kept: Vec<Value>) {
        let bytes = uri.len() + kept.iter().map(|one| one.to_string().len()).sum::<usize>();
        if bytes > MOST_BYTES {
            return;
        }
        while self.bytes + bytes > MOST_BYTES {
            let oldest = self.by_uri.iter().min_by_key(|(_, kept)| kept.at).map(|(uri, _)| uri.clone());
            let Some(oldest) = oldest else { break };
            self.forget(&oldest);
        }
        self.now += 1;
        self.bytes += bytes;
        self.by_uri.insert(uri.to_owned(), KeptDiagnostics { all: kept, bytes, at: self.now });
    }
}

impl Remembered {
    /// Replaces the remembered diagnostics of a document by the present ones.
    pub(super) fn remember_data(&self, uri: &str, diagnostics: &Value) {
        let all = diagnostics.as_array().into_iter().flatten();
        let kept: Vec<Value> = all.filter(|one| one.get("data").is_some()).cloned().collect();
        let mut all = self.lock();
        all.forget(uri);
        if !kept.is_empty() {
            all.keep(uri, kept);
        }
    }

    /// Puts the data back into the diagnostics of a request about this document.
    pub(super) fn put_back(&self, uri: &str, diagnostics: &mut Value) {
        let known = self.lock();
        let Some(KeptDiagnostics { all: known, .. }) = known.by_uri.get(uri) else { return };
        for asked in diagnostics.as_array_mut().into_iter().flatten().filter_map(Value::as_object_mut) {
            let is_it =
                |one: &&Value| ["range", "message"].iter().all(|field| one.get(*field) == asked.get(*field));
            if let Some(data) = known.iter().find(is_it).and_then(|one| one.get("data")) {
                asked.entry("data").or_insert_with(|| data.clone());
            }
        }
    }

    fn lock(&self) -> MutexGuard<'_, RememberedDiagnostics> {
        // Each entry is inserted or removed at once.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn more_than_a_server_may_have_kept_is_forgotten() {
        let remembered = Remembered::default();
        let large = json!([{"range": [1], "message": "m", "data": "x".repeat(MOST_BYTES / 3)}]);
        for number in 0..10 {
            remembered.remember_data(&format!("file:///{number}"), &large);
            assert!(remembered.lock().bytes <= MOST_BYTES);
        }
        let mut back = json!([{"range": [1], "message": "m"}]);
        remembered.put_back("file:///9", &mut back);
        assert_eq!(back, large, "the last is there");
        remembered.put_back("file:///8", &mut back);
        assert!(
            remembered.lock().by_uri.contains_key("file:///8"),
            "those before it as far as there is room"
        );
        assert!(!remembered.lock().by_uri.contains_key("file:///0"), "the oldest goes first");
        remembered.remember_data("file:///8", &json!([{"data": "x".repeat(MOST_BYTES + 1)}]));
        let kept: Vec<String> = remembered.lock().by_uri.keys().cloned().collect();
        assert_eq!(kept, ["file:///9"], "what is too large alone costs nobody else");
    }

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
