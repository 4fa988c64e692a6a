//! Tests the published source of Django, a large real project. Python's own parser provides the expected answers.
//!
//! The tests share one daemon while several of them run; see [`shared`].

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, OnceLock, PoisonError, Weak};

use hob_tests::oracles::{self, PythonTruth};
use hob_tests::{Tree, World, outside};
use serde_json::{Value, json};

use super::map::hit;

/// Returns a world in which Django is indexed once for all tests that run at the same time. The last of them stops it,
/// because something that is shared forever would never be cleaned up.
pub(crate) fn shared() -> Arc<World> {
    static WORLD: Mutex<Weak<World>> = Mutex::new(Weak::new());
    let mut slot = WORLD.lock().unwrap_or_else(PoisonError::into_inner);
    slot.upgrade().unwrap_or_else(|| {
        let world = Arc::new(World::new());
        *slot = Arc::downgrade(&world);
        // Everything else waits for the index anyway.
        let _ = world.hob(outside::django(), &["index"]).success();
        world
    })
}

pub(crate) fn tree() -> Tree {
    Tree::existing(outside::django())
}

fn truth() -> &'static PythonTruth {
    static TRUTH: OnceLock<PythonTruth> = OnceLock::new();
    TRUTH.get_or_init(|| oracles::python(outside::django(), "reverse"))
}

/// The definitions that people who know Django look for.
const WELL_KNOWN: &[&str] = &[
    "django/apps/registry.py#Apps.populate",
    "django/conf/__init__.py#LazySettings",
    "django/contrib/admin/options.py#ModelAdmin",
    "django/contrib/auth/__init__.py#authenticate",
    "django/contrib/auth/models.py#AbstractUser",
    "django/core/handlers/base.py#BaseHandler.get_response",
    "django/core/handlers/wsgi.py#WSGIHandler",
    "django/core/management/base.py#BaseCommand.execute",
    "django/db/migrations/executor.py#MigrationExecutor.migrate",
    "django/db/models/base.py#Model.save",
    "django/db/models/base.py#ModelBase",
    "django/db/models/query.py#QuerySet",
    "django/db/models/query.py#QuerySet.get_or_create",
    "django/forms/forms.py#BaseForm.is_valid",
    "django/http/request.py#HttpRequest",
    "django/http/response.py#JsonResponse",
    "django/middleware/csrf.py#CsrfViewMiddleware",
    "django/shortcuts.py#get_object_or_404",
    "django/template/base.py#Template.render",
    "django/urls/base.py#reverse",
    "django/utils/functional.py#cached_property",
    "django/views/generic/base.py#View.as_view",
];

#[test]
fn well_known_symbols_are_where_pythons_parser_sees_them() {
    let world = shared();
    let mut mcp = world.mcp(&tree());
    for name in WELL_KNOWN {
        let at = truth().definitions.get(*name).unwrap_or_else(|| panic!("{name} is in Django"));
        let (file, qualified) = name.split_once('#').expect("a file and a name");
        let answer = mcp.call("map_search", json!({"query": qualified, "limit": 100, "tokenBudget": 10_000}));
        let found = hit(&answer, &format!("py:{name}"));
        assert_eq!((&found["file"], &found["line"]), (&json!(file), &json!(at.line)), "{name}{answer}");
        let read =
            mcp.call("read_symbols", json!({"targets": [format!("py:{name}")], "token_budget": 10_000}));
        let symbol = &read.list("/symbols")[0];
        assert_eq!(symbol["end_line"], at.end, "{read}");
        // A decorated definition begins with its decorators.
        assert!(symbol["start_line"].as_u64() <= Some(at.line), "{read}");
    }
}

#[test]
fn nearly_every_definition_is_known() {
    let world = shared();
    let mut mcp = world.mcp(&tree());
    let names: Vec<&String> = truth().definitions.keys().filter(|name| name.starts_with("django/")).collect();
    // A sample from the whole list, asked for by ID, twenty at a time.
    let sample: Vec<&String> = names.iter().step_by(names.len() / 400).copied().collect();
    let mut missing = Vec::new();
    for chunk in sample.chunks(20) {
        let targets: Vec<String> = chunk.iter().map(|name| format!("py:{name}")).collect();
        let answer = mcp.call("read_symbols", json!({"targets": targets, "token_budget": 10_000}));
        let not_found = answer.ok()["not_found"].as_array().into_iter().flatten();
        missing.extend(not_found.filter_map(Value::as_str).map(str::to_owned));
    }
    // Pairs of one name in `if`/`else` and the like may differ, but no whole kind of definition may be missing.
    assert!(
        missing.len() * 50 <= sample.len(),
        "{} of {} are missing: {missing:?}",
        missing.len(),
        sample.len()
    );
}

/// Every resolved caller that the map shows is one that Python's parser finds too.
#[test]
fn the_callers_of_reverse_are_known() {
    let world = shared();
    let mut mcp = world.mcp(&tree());
    let node = "py:django/urls/base.py#reverse";
    let args = json!({"nodeId": node, "direction": "in", "edgeKinds": ["calls"], "maxNodes": 200, "tokenBudget": 10_000});
    let answer = mcp.call("map_neighbors", args);
    let shown = answer.list("/neighbors");
    let all: BTreeSet<&str> = truth().callers_any_import.iter().map(String::as_str).collect();
    for caller in shown.iter().filter(|n| n["resolved"] == true && n["confidence"] != "name") {
        let id = caller["id"].as_str().unwrap_or_default().trim_start_matches("py:");
        // Its own file needs no import, from which the expected callers are found.
        if id.starts_with("django/urls/base.py#") {
            continue;
        }
        assert!(all.contains(id), "`{id}` does not call reverse{answer}");
    }
    // There are more than maxNodes; it does not matter how many of these the budget left out.
    let count = 200 + answer.ok()["omitted"].as_u64().unwrap_or(0);
    let (least, most) = (truth().callers.len() as u64 * 9 / 10, all.len() as u64 * 12 / 10);
    assert!((least..=most).contains(&count), "{count} callers, Python's parser sees {}{answer}", all.len());

    let sample: Vec<&String> = truth().callers.iter().step_by(truth().callers.len() / 150 + 1).collect();
    let known = sample.iter().filter(|caller| {
        let args = json!({"nodeId": format!("py:{caller}"), "direction": "out", "edgeKinds": ["calls"], "maxNodes": 200,
                          "tokenBudget": 10_000});
        mcp.call("map_neighbors", args).text.contains(node)
    });
    let known = known.count();
    assert!(
        known * 10 >= sample.len() * 9,
        "{known} of {} callers are known from their own end",
        sample.len()
    );
}

#[test]
fn every_tool_answers() {
    let world = shared();
    let mut mcp = world.mcp(&tree());
    let overview = mcp.call("map_overview", json!({"tokenBudget": 10_000}));
    assert!(overview.ok()["files"].as_u64() > Some(2_500), "{overview}");
    assert!(overview.list("/clusters").len() > 3, "{overview}");
    let focused = mcp.call("map_overview", json!({"focus": "django/db", "hubsPerCluster": 3}));
    assert!(!focused.list("/clusters").is_empty(), "{focused}");
    let (from, to) = ("py:django/shortcuts.py#redirect", "py:django/urls/base.py#reverse");
    let path = mcp.call("map_path", json!({"from": from, "to": to}));
    assert_eq!(path.ok()["found"], true, "redirect calls resolve_url calls reverse{path}");
    assert!(path.ok()["length"].as_u64() <= Some(2), "{path}");
    let bases =
        json!({"nodeId": "py:django/forms/forms.py#Form", "direction": "out", "edgeKinds": ["extends"]});
    let bases = mcp.call("map_neighbors", bases);
    assert!(bases.texts("/neighbors", "id").contains(&"py:django/forms/forms.py#BaseForm"), "{bases}");
    let status = mcp.call("map_status", json!({}));
    assert_eq!(status.ok()["built"], true, "{status}");
}
