//! Registers with the editor the capabilities of a server that started after the editor's `initialize`.
//!
//! An editor is told once what it may ask. If it supports dynamic registration, it hears of the rest when the server is
//! there, for the documents of that server alone.

use hob_live::instance::Instance;
use serde_json::{Value, json};

use super::ServedEditor;
use super::observer::EditorObserver;
use super::shape::methods::{is_offered, whole_features};

impl ServedEditor {
    /// Registers the capabilities of a server that the editor was not offered.
    pub(super) fn offer_late(&self, observer: &EditorObserver, instance: &Instance) {
        let abilities = &self.editor_session.abilities_and_encoding().0;
        let is_new = |pointer: &str| {
            !self.editor_session.offered_capabilities().pointer(pointer).is_some_and(is_offered)
        };
        let languages: std::collections::BTreeSet<&str> =
            instance.spec().files.iter().map(|(_, language)| *language).collect();
        let selector: Value = languages.into_iter().map(|language| json!({"language": language})).collect();
        let mut registrations = Vec::new();
        for (method, pointer) in whole_features() {
            let options = instance.capability(pointer);
            if is_offered(options) && is_new(pointer) && abilities.can_register(method) {
                let mut options = if options.is_object() { options.clone() } else { json!({}) };
                options["documentSelector"] = selector.clone();
                registrations.push(
                    json!({"id": format!("late:{method}"), "method": method, "registerOptions": options}),
                );
            }
        }
        if !registrations.is_empty() {
            observer.register_all(registrations);
        }
    }
}
