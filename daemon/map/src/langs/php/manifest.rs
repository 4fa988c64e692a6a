//! Reads `composer.json`: the package's name, and the namespaces that it declares as its own.

use serde_json::Value;

use super::names::dotted_path;
use crate::facts::FactsBuilder;

/// Reads the facts of a `composer.json`: `name`, and for each namespace `psr-4` or `psr-0` with the namespace, dotted.
pub(crate) fn read_composer_json(text: &str, facts: &mut FactsBuilder) {
    let Ok(root) = serde_json::from_str::<Value>(text) else { return };
    if let Some(name) = root.get("name").and_then(Value::as_str) {
        facts.add_manifest_pair("name", name);
    }
    for section in ["autoload", "autoload-dev"] {
        for standard in ["psr-4", "psr-0"] {
            let spaces = root.get(section).and_then(|s| s.get(standard)).and_then(Value::as_object);
            for space in spaces.into_iter().flat_map(serde_json::Map::keys) {
                // PEAR's `Vendor_` is no namespace.
                let space = dotted_path(space.trim_end_matches('_'));
                if !space.is_empty() {
                    facts.add_manifest_pair(standard, &space);
                }
            }
        }
    }
}
