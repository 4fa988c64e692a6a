//! Tests the paths in an answer of several projects, and the routing of arguments to projects.

use hob_base::AbsPath;
use serde_json::{Value, json};

use super::relocate::{ProjectPlace, places_of};
use super::routing::{Route, args_for, route};

fn places(roots: &[&str]) -> Vec<ProjectPlace> {
    let roots: Vec<AbsPath> = roots.iter().map(|root| AbsPath::new(*root).expect("absolute")).collect();
    places_of(roots.iter())
}

#[test]
fn paths_and_ids_start_at_the_folder_of_all_projects() {
    let places = places(&["/w/api", "/w/web"]);
    let mut data = json!({"results": [{"id": "py:shop/a b.py#f", "file": "shop/a b.py", "text": "py:x#y", "package": "py:ext:requests"}],
        "tests": ["py:t.py#test_f"], "location": "shop/a.py:3"});
    places[0].relocate(&mut data);
    assert_eq!(
        data,
        json!({"results": [{"id": "py:api/shop/a b.py#f", "file": "api/shop/a b.py", "text": "py:x#y", "package": "py:ext:requests"}],
            "tests": ["py:api/t.py#test_f"], "location": "api/shop/a.py:3"})
    );
}

#[test]
fn a_project_around_another_has_its_own_paths() {
    let places = places(&["/w", "/w/vendor/lib"]);
    assert_eq!((places[0].prefix.as_str(), places[1].prefix.as_str()), ("", "vendor/lib/"));
    assert_eq!(route("py:vendor/lib/a.py#f", &places[1], &places), Route::Here("py:a.py#f".into()));
    assert_eq!(route("py:vendor/lib/a.py#f", &places[0], &places), Route::Elsewhere);
    assert_eq!(route("py:a.py#f", &places[0], &places), Route::Here("py:a.py#f".into()));
}

#[test]
fn what_names_a_project_is_for_that_project() {
    let places = places(&["/w/api", "/w/web"]);
    let here = |text: &str| Route::Here(text.to_owned());
    assert_eq!(route("api/a.py:3", &places[0], &places), here("a.py:3"));
    assert_eq!(route("api/a.py:3", &places[1], &places), Route::Elsewhere);
    assert_eq!(route("/w/web/b.ts", &places[1], &places), here("b.ts"));
    assert_eq!(route("Order.total", &places[0], &places), here("Order.total"));
    assert_eq!(route("apis/a.py", &places[0], &places), here("apis/a.py"));
}

#[test]
fn scopes_keep_what_a_project_needs() {
    let places = places(&["/w/api", "/w/web"]);
    let args = |args: Value| args.as_object().expect("an object").clone();
    let scoped = args(json!({"query": "api/x", "paths": ["api/src/**", "!web/dist/**", "!api/gen/**"]}));
    let api = args_for(&places[0], &places, &scoped).expect("it is about api");
    assert_eq!(Value::Object(api), json!({"query": "api/x", "paths": ["src/**", "!gen/**"]}));
    assert_eq!(args_for(&places[1], &places, &scoped), None, "nothing that takes in is left for web");
    let whole = args(json!({"query": "x", "paths": ["api"]}));
    let api = args_for(&places[0], &places, &whole).expect("it is about api");
    assert_eq!(api["paths"], json!(["**"]));
    let without = args(json!({"query": "x", "paths": ["!api/gen/**"]}));
    assert!(args_for(&places[1], &places, &without).is_some());
}
