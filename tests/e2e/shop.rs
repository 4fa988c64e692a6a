//! A project of three files, with a sensible call of every tool. `docs/answers.md` shows the calls, and tests of the
//! text form use them.

use serde_json::{Value, json};

pub(super) const SHOP: &str = "\
//- /shop/store.py
class Store:
    \"\"\"Keeps what a shop sells.\"\"\"

    def open(self, path):
        self.path = path
        return self.load(path)

    def load(self, path):
        return path.strip()


class Cached(Store):
    def load(self, path):
        return super().load(path) or None
//- /shop/app.py
from shop.store import Cached


def main():
    store = Cached()
    store.open('a')
    return store.load('b')
//- /tests/test_store.py
from shop.store import Store


def test_open():
    assert Store().open('a') == 'a'
";

/// A change of the project that has not been made yet.
const DIFF: &str = "\
--- a/shop/store.py
+++ b/shop/store.py
@@ -8,2 +8,2 @@
-    def load(self, path):
-        return path.strip()
+    def load(self, path, strict):
+        return path.strip() if strict else path
";

/// Returns the arguments of a call that has an answer. A tool that continues from another tool's answer also needs the
/// ID in it.
pub(super) fn args_of(tool: &str) -> Value {
    match tool {
        "count_patterns" => json!({"patterns": ["load", "open"]}),
        "map_neighbors" => json!({"nodeId": "Store.load", "direction": "in", "edgeKinds": ["calls"]}),
        "map_path" => json!({"from": "main", "to": "Store.load"}),
        "flow_trace" => json!({"symbol": "main"}),
        "impact" => json!({"symbol": "Store.load"}),
        "tests_for" => json!({"target": "Store.load"}),
        "symbol_history" => json!({"symbol": "Store.load"}),
        "change_impact" => json!({"change": DIFF}),
        "investigate" | "text_search" => json!({"query": "how a store loads its path"}),
        "map_search" => json!({"query": "load"}),
        "read_symbols" => json!({"targets": ["Store.open", "main"]}),
        "regex_search" => json!({"pattern": "path\\b", "paths": ["shop/store.py"]}),
        "resolve" => json!({"nodeId": "py:shop/store.py#Store"}),
        "nav_diagnostics" | "nav_symbols" => json!({"file": "shop/store.py"}),
        "nav_workspaceSymbols" => json!({"query": "Store"}),
        nav if nav.starts_with("nav_") => json!({"target": "Store.load"}),
        "edit_pattern" => {
            json!({"language": "py", "pattern": "$A.strip()", "rewrite": "$A.strip().lower()"})
        }
        "edit_rename" => json!({"target": "Store.load", "newName": "read"}),
        "edit_symbol" => json!({"nodeId": "Cached.load", "operation": "delete", "force": true}),
        "edit_text" => json!({"file": "shop/app.py", "old": "'b'", "new": "'c'"}),
        "resolve_action" => json!({"action": "apply", "reason": "The shop has moved."}),
        _ => json!({}),
    }
}
