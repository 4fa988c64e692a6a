//! Tests the sources of a project's dependencies: with `in` they answer as the project does, and only if they are
//! asked.

use hob_tests::{Answer, Mcp, World};
use serde_json::{Value, json};

use super::many::git;

const PROJECT: &str = r#"
//- /app.py
import requests


def load():
    return requests.get('x')
//- /requirements.txt
requests==2.31.0
absent==1.0
six==1.16.0
//- /package.json
{"dependencies": {"left": "^1.0.0"}}
//- /.gitignore
.venv/
node_modules/
//- /.venv/lib/python3.12/site-packages/requests/__init__.py
from .api import get
//- /.venv/lib/python3.12/site-packages/requests/api.py
def get(url, params=None):
    """Sends a GET request."""
    return request('get', url)


def request(method, url):
    return method
//- /.venv/lib/python3.12/site-packages/requests-2.31.0.dist-info/RECORD
requests/__init__.py,,
requests/api.py,,
//- /.venv/lib/python3.12/site-packages/six.py
PY3 = True
//- /.venv/lib/python3.12/site-packages/six-1.16.0.dist-info/RECORD
six.py,,
//- /node_modules/left/index.js
export function pad(text) {
  return text;
}
"#;

fn ask(mcp: &mut Mcp, tool: &str, package: &str, args: Value) -> Answer {
    let mut args = args;
    args["in"] = json!(package);
    mcp.call(tool, args)
}

#[test]
fn a_dependency_is_searched_read_and_followed() {
    let world = World::new();
    let tree = world.tree(PROJECT);
    git(&world, tree.root(), "init -q");
    let mut mcp = world.mcp(&tree);
    let found = ask(&mut mcp, "map_search", "dep:requests", json!({"query": ["get"]}));
    assert_eq!(found.texts("/results", "file"), ["api.py"], "{found}");
    found.says("site-packages/requests`");
    let lines = ask(&mut mcp, "regex_search", "dep:requests", json!({"pattern": "def request"}));
    assert_eq!(lines.texts("/matches", "file"), ["api.py"], "{lines}");
    let read = ask(&mut mcp, "read_symbols", "dep:requests", json!({"targets": ["get"]}));
    assert!(read.to_string().contains("Sends a GET request"), "{read}");
    let callers =
        ask(&mut mcp, "map_neighbors", "dep:requests", json!({"nodeId": "request", "direction": "in"}));
    assert!(callers.to_string().contains("api.py#get"), "{callers}");
    let other = ask(&mut mcp, "map_search", "dep:left", json!({"query": ["pad"]}));
    assert_eq!(other.texts("/results", "file"), ["index.js"], "{other}");
    // The project is unchanged, and a dependency that changes is read again.
    let own = mcp.call("map_search", json!({"query": ["load"]}));
    assert_eq!(own.texts("/results", "file"), ["app.py"], "{own}");
    tree.write("node_modules/left/index.js", "export function padEnd(text) {}\n");
    let fresh = ask(&mut mcp, "map_search", "dep:left", json!({"query": ["padEnd"]}));
    assert_eq!(fresh.texts("/results", "file"), ["index.js"], "{fresh}");
}

#[test]
fn what_is_not_there_is_told() {
    let world = World::new();
    let tree = world.tree(PROJECT);
    let mut mcp = world.mcp(&tree);
    for (package, expected) in [
        ("dep:unheard", "names the package `unheard`"),
        ("dep:absent", "The source of `absent 1.0` is not on this machine"),
        ("dep:six", "six.py"),
        ("requests", "`in` is no dependency"),
    ] {
        let answer = ask(&mut mcp, "map_search", package, json!({"query": ["get"]}));
        assert!(answer.to_string().contains(expected), "{package}: {answer}");
    }
    // Only the tools for the map and the text accept it.
    let told =
        ask(&mut mcp, "nav_definition", "dep:requests", json!({"file": "app.py", "line": 1, "col": 8}));
    assert!(told.to_string().contains("`in`"), "{told}");
}
