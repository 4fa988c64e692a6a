//! Tests questions about the organization: repositories that are open here answer for themselves, the rest comes from a
//! Zoekt server, and a server that does not answer causes an error.
//!
//! The server plays back what a real one answered to the same questions (`playback`). `tests/bench/org_search.py
//! --record` made the recording, from three small repositories.

mod playback;

use hob_tests::{Tree, World};
use playback::Playback;
use serde_json::json;

const TOKEN: &str = "zt-verysecret";

/// The work tree of a repository that the server has as well, with one more line than the server knows.
const WEB: &str = "\
//- /.git/HEAD
ref: refs/heads/main
//- /.git/config
[remote \"origin\"]
\turl = git@github.com:acme/web.git
//- /.git/objects/info/keep
//- /.git/refs/heads/keep
//- /src/session.py
\"\"\"Sessions of the shop.\"\"\"

def sign_cookie(session):
    \"\"\"Signs the session cookie.\"\"\"
    charge_card(None)
    return charge_card(session)
";

/// Returns the world of a user whose settings name the server at `url`.
fn user(url: &str) -> World {
    let world = World::new().env("A_TOKEN", TOKEN);
    let folder = world.dir().join("config");
    std::fs::create_dir_all(&folder).expect("a folder");
    let text = format!("[org]\nurl = \"{url}\"\ntoken_env = \"A_TOKEN\"\n");
    std::fs::write(folder.join("config.toml"), text).expect("it can be written");
    world
}

#[test]
fn what_is_open_here_answers_for_itself_and_the_rest_comes_from_the_server() {
    let server = Playback::start();
    let world = user(&server.address);
    let tree = world.tree(WEB);
    let mut mcp = world.mcp(&tree);
    let found = mcp.call("regex_search", json!({"pattern": r"\bcharge_card\(", "in": "org"}));
    let lines: Vec<_> = found
        .list("/matches")
        .iter()
        .map(|hit| format!("{}:{}", hit["file"].as_str().unwrap_or("?"), hit["line"]))
        .collect();
    assert_eq!(
        lines,
        [
            "src/session.py:5",
            "src/session.py:6",
            "org:github.com/acme/billing/lib/charge.py:6",
            "org:github.com/acme/billing/test_charge.py:5",
        ],
        "{found}"
    );
    assert_eq!((&found.ok()["total_lines"], &found.ok()["complete"]), (&json!(4), &json!(true)), "{found}");
    let said = found.warnings();
    assert!(said.contains("3 repositories") && said.contains("`github.com/acme/web` is open here"), "{said}");

    let counted = mcp.call(
        "count_patterns",
        json!({"patterns": ["charge_card", "(?i)GRÖß"], "in": "org", "tests": "exclude"}),
    );
    let numbers: Vec<_> = counted
        .list("/patterns")
        .iter()
        .map(|one| (one["total_matches"].clone(), one["files_matched"].clone()))
        .collect();
    assert_eq!(numbers, [(json!(7), json!(3)), (json!(1), json!(1))], "{counted}");

    let ranked = mcp.call("text_search", json!({"query": "charging a card", "in": "org", "limit": 5}));
    assert!(
        ranked.texts("/results", "file").contains(&"org:github.com/acme/billing/lib/charge.py"),
        "{ranked}"
    );

    let within = json!({"pattern": "charge_card", "in": "org", "paths": ["org:github.com/acme/billing/lib"], "output": "files"});
    let within = mcp.call("regex_search", within);
    assert_eq!(within.texts("/matches", "file"), ["org:github.com/acme/billing/lib/charge.py"], "{within}");

    for asked in server.asked() {
        assert!(asked.to_lowercase().contains(&format!("authorization: bearer {TOKEN}")), "{asked}");
        assert!(!asked.contains("def sign_cookie") && !asked.contains("acme/web.git"), "{asked}");
    }
    assert!(!world.log().contains(TOKEN));
}

#[test]
fn a_server_that_does_not_answer_is_an_error_and_the_doctor_says_so() {
    let nobody = World::new();
    let tree = nobody.tree(WEB);
    tree.write(".hob.toml", "[org]\nurl = \"http://127.0.0.1:1\"\n");
    let search = json!({"pattern": "charge_card", "in": "org"});
    let unnamed = nobody.call(&tree, "regex_search", &search);
    assert!(unnamed.error("BAD_ARGS").to_string().contains("the user's settings name none"), "{unnamed}");

    let world = user("http://127.0.0.1:1");
    let tree = world.tree(WEB);
    let away = world.call(&tree, "regex_search", &search);
    assert!(
        away.error("ORG_UNAVAILABLE").to_string().contains("http://127.0.0.1:1 cannot be reached"),
        "{away}"
    );
    let refused = world.call(&tree, "regex_search", &json!({"pattern": r"\Acharge", "in": "org"}));
    let _ = refused.error("BAD_PATTERN");
    let other = world.call(&tree, "map_search", &json!({"query": "charge_card", "in": "org"}));
    assert!(
        other.error("BAD_ARGS").to_string().contains("count_patterns, regex_search, text_search"),
        "{other}"
    );
    let doctor = said_by_doctor(&world, &tree);
    assert!(doctor.contains("cannot be reached") && !doctor.contains(TOKEN), "{doctor}");

    let server = Playback::refusing();
    let world = user(&server.address);
    let tree = world.tree(WEB);
    let refused = world.call(&tree, "regex_search", &search);
    let told = refused.error("ORG_UNAVAILABLE").to_string();
    assert!(told.contains("answered 401") && told.contains("(the key)") && !told.contains(TOKEN), "{told}");
}

fn said_by_doctor(world: &World, tree: &Tree) -> String {
    world.hob(tree.root(), &["doctor"]).stdout
}
