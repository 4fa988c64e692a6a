//! Tests one question about several projects: a list of roots, or a group that the user named.

use hob_tests::{Mcp, Tree, World};
use serde_json::{Value, json};

const API: &str = r#"
//- /shop/store.py
class Order:
    def total(self):
        return price_of(self)


def price_of(order):
    return 3
//- /README.md
The order service.
"#;

const WEB: &str = r#"
//- /src/cart.ts
export class OrderForm {
  send() {
    return fetchOrder();
  }
}

export function fetchOrder() {
  return fetch("/orders");
}
//- /src/other.ts
export const price_of = 1;
"#;

struct Shop {
    world: World,
    api: Tree,
    web: Tree,
}

impl Shop {
    fn new() -> Self {
        let world = World::new();
        let (api, web) = (Tree::new(&world.path("w/api"), API), Tree::new(&world.path("w/web"), WEB));
        Self { world, api, web }
    }

    fn roots(&self) -> Value {
        json!([self.api.root(), self.web.root()])
    }

    fn mcp(&self) -> Mcp {
        self.world.mcp(&self.api)
    }

    fn with_roots(&self, mut args: Value) -> Value {
        args["root"] = self.roots();
        args
    }
}

#[test]
fn hits_of_all_projects_are_one_list() {
    let shop = Shop::new();
    let mut mcp = shop.mcp();
    let found = mcp.call("map_search", shop.with_roots(json!({"query": ["Order"]})));
    let files = found.texts("/results", "file");
    assert_eq!(files[..2], ["api/shop/store.py", "web/src/cart.ts"], "{found}");
    assert_eq!(found.texts("/results", "id")[0], "py:api/shop/store.py#Order", "{found}");
    found.says("of the projects api, web");

    let lines = mcp.call("regex_search", shop.with_roots(json!({"pattern": "(?i)order"})));
    let ok = lines.ok();
    let alone = |root: &Tree, mcp: &mut Mcp| {
        mcp.call("regex_search", json!({"pattern": "(?i)order", "root": root.root()})).ok()["total_matches"]
            .as_u64()
    };
    let sum = [&shop.api, &shop.web].map(|root| alone(root, &mut mcp).expect("a count")).iter().sum::<u64>();
    assert_eq!(ok["total_matches"].as_u64(), Some(sum), "{lines}");
    assert!(lines.texts("/matches", "file").contains(&"api/README.md"), "{lines}");

    let few = mcp.call("regex_search", shop.with_roots(json!({"pattern": "(?i)order", "limit": 2})));
    assert_eq!(few.list("/matches").len(), 2, "{few}");

    let counts = mcp.call("count_patterns", shop.with_roots(json!({"patterns": ["price_of", "fetchOrder"]})));
    let total = |at: usize| counts.list("/patterns")[at]["total_matches"].as_u64();
    assert_eq!((total(0), total(1)), (Some(3), Some(2)), "{counts}");

    let topic = mcp.call("investigate", shop.with_roots(json!({"query": "where is an order fetched"})));
    let places = topic.texts("/entries", "location");
    assert!(places.iter().any(|place| place.starts_with("web/src/cart.ts:")), "{topic}");
}

#[test]
fn a_path_with_a_project_in_it_is_of_that_project() {
    let shop = Shop::new();
    let mut mcp = shop.mcp();
    let scoped = shop.with_roots(json!({"pattern": "price_of", "paths": ["web"]}));
    let found = mcp.call("regex_search", scoped);
    assert_eq!(found.texts("/matches", "file"), ["web/src/other.ts"], "{found}");

    let targets = json!({"targets": ["py:api/shop/store.py#Order.total", "fetchOrder", "web/src/other.ts:1-1", "nobody",
        "py:api/shop/store.py#gone", "web/src/gone.ts"]});
    let read = mcp.call("read_symbols", shop.with_roots(targets));
    let files = read.texts("/symbols", "file");
    assert_eq!(files, ["api/shop/store.py", "web/src/cart.ts", "web/src/other.ts"], "{read}");
    assert_eq!(
        read.ok()["not_found"],
        json!(["nobody", "py:api/shop/store.py#gone", "web/src/gone.ts"]),
        "{read}"
    );

    let callers = shop.with_roots(json!({"nodeId": "py:api/shop/store.py#price_of", "direction": "in"}));
    let callers = mcp.call("map_neighbors", callers);
    assert!(callers.texts("/neighbors", "id").contains(&"py:api/shop/store.py#Order.total"), "{callers}");
    let by_name = mcp.call("impact", shop.with_roots(json!({"symbol": "fetchOrder"})));
    assert_eq!(by_name.texts("/affected", "file"), ["web/src/cart.ts"], "{by_name}");
    let both = mcp.call("map_neighbors", shop.with_roots(json!({"nodeId": "price_of"})));
    let message = both.error("BAD_ARGS")["message"].as_str().unwrap_or_default();
    assert!(message.contains("api, web have one of this name"), "{both}");
}

#[test]
fn what_cannot_be_asked_of_several_is_said() {
    let shop = Shop::new();
    let mut mcp = shop.mcp();
    let status = mcp.call("map_status", shop.with_roots(json!({})));
    assert!(
        status.error("BAD_ARGS")["message"].as_str().is_some_and(|text| text.contains("one project")),
        "{status}"
    );
    let gone = json!({"query": ["Order"], "root": [shop.api.root(), shop.world.path("w/gone")]});
    let gone = mcp.call("map_search", gone);
    assert!(gone.envelope.to_string().contains("w/gone"), "{gone}");
    let unknown = mcp.call("map_search", json!({"query": ["Order"], "root": "group:shop"}));
    assert!(
        unknown.error("BAD_ARGS")["hint"].as_str().is_some_and(|hint| hint.contains("hob group add shop")),
        "{unknown}"
    );
    // A list with one root is the same as one root.
    let one = mcp.call("map_search", json!({"query": ["OrderForm"], "root": [shop.web.root()]}));
    assert_eq!(one.texts("/results", "file"), ["src/cart.ts"], "{one}");
}

#[test]
fn a_group_is_made_asked_and_removed() {
    let shop = Shop::new();
    let place = shop.api.root();
    let web = shop.web.root().to_string_lossy().into_owned();
    let added = shop.world.hob(place, &["group", "add", "shop", ".", &web]).success();
    assert!(added.starts_with("shop\n") && added.contains("w/api\n") && added.contains("w/web\n"), "{added}");
    let found = shop.world.hob(place, &["search", "Order", "--group", "shop"]).success();
    assert!(found.contains("api/shop/store.py") && found.contains("web/src/cart.ts"), "{found}");
    let mut mcp = shop.mcp();
    let text = mcp.read("map_search", json!({"query": ["Order"], "root": "group:shop"}));
    assert!(text.contains("web/src/cart.ts"), "{text}");
    let listed = shop.world.hob(place, &["group", "--json"]).success();
    let listed: Value = serde_json::from_str(&listed).expect("JSON");
    assert_eq!(listed["groups"]["shop"].as_array().map(Vec::len), Some(2));
    shop.world.hob(place, &["group", "remove", "shop", &web]).success();
    let left = shop.world.hob(place, &["group"]).success();
    assert!(!left.contains("w/web"), "{left}");
    shop.world.hob(place, &["group", "remove", "shop"]).success();
    let none = mcp.call("map_search", json!({"query": ["Order"], "root": "group:shop"}));
    assert!(
        none.error("BAD_ARGS")["message"].as_str().is_some_and(|text| text.contains("not one")),
        "{none}"
    );
}

const ROUTES: &str = r#"
//- /app.py
from fastapi import FastAPI

app = FastAPI()


@app.get("/orders/{order_id}")
def show_order(order_id):
    return load(order_id)


def load(order_id):
    return order_id
//- /test_app.py
def fetched(client, number):
    return client.get(f"/orders/{number}")


def test_an_order_is_shown(client):
    assert fetched(client, 7)


def test_nothing(client):
    assert client.get("/others/7")
"#;

#[test]
fn a_request_by_path_is_a_guess_at_the_route() {
    let world = World::new();
    let (api, web) = (Tree::new(&world.path("w/api"), ROUTES), Tree::new(&world.path("w/web"), WEB_REQUESTS));
    let mut mcp = world.mcp(&api);
    let callers =
        mcp.call("map_neighbors", json!({"nodeId": "show_order", "direction": "in", "edgeKinds": ["calls"]}));
    let guess = callers.list("/neighbors").iter().find(|found| found["id"] == "py:test_app.py#fetched");
    assert_eq!(guess.map(|guess| &guess["confidence"]), Some(&json!("candidate")), "{callers}");

    let tests = mcp.call("tests_for", json!({"target": "load"}));
    assert_eq!(tests.texts("/found", "uid"), ["py:test_app.py#test_an_order_is_shown"], "{tests}");

    let args = json!({"nodeId": "py:api/app.py#show_order", "direction": "in", "edgeKinds": ["calls"],
        "root": [api.root(), web.root()]});
    let both = mcp.call("map_neighbors", args.clone());
    let ids = both.texts("/neighbors", "id");
    assert!(ids.contains(&"ts:web/src/orders.ts#loadOrder"), "{both}");
    assert!(ids.contains(&"py:api/test_app.py#fetched"), "{both}");
    assert!(mcp.read("map_neighbors", args).contains("?2 loadOrder"), "as text");
}

const WEB_REQUESTS: &str = r#"
//- /src/orders.ts
export async function loadOrder(id: number) {
  const answer = await fetch(`${API}/orders/${id}`);
  return answer.json();
}
"#;

#[test]
fn an_absolute_path_says_which_project_is_meant() {
    let shop = Shop::new();
    let mut mcp = shop.mcp();
    let file = shop.web.at("src/cart.ts");
    let read = mcp.call("read_symbols", json!({"targets": [format!("{}:7-7", file.display())]}));
    assert_eq!(read.texts("/symbols", "file"), ["src/cart.ts"], "{read}");
    read.says("because a path in the arguments lies in it");
    let outline = mcp.call("nav_symbols", json!({"file": file}));
    outline.says("w/web");
    let scoped = mcp.call(
        "map_search",
        json!({"query": ["Order"], "paths": [format!("{}/**", shop.web.root().display())]}),
    );
    assert!(scoped.texts("/results", "file").iter().all(|file| *file == "src/cart.ts"), "{scoped}");
    // The caller's root counts, and a path must belong to it.
    let named = mcp.call("nav_symbols", json!({"file": file, "root": shop.api.root()}));
    assert!(named.error("OUTSIDE_WORKSPACE")["message"].is_string(), "{named}");
    let own = mcp.call("nav_symbols", json!({"file": shop.api.at("shop/store.py")}));
    assert!(!own.warnings().contains("because a path"), "{own}");
}

#[test]
fn a_project_that_depends_on_another_calls_it() {
    let world = World::new();
    let python = "
//- /shop/__init__.py
from .prices import price_of
//- /shop/prices.py
def price_of(order):
    return 3


def unused(order):
    return 4
";
    let user = "
//- /site.py
from shop import price_of as cost
import shop


def total(orders):
    return sum(shop.price_of(order) for order in orders)


def local(price_of):
    return price_of(1)
//- /requirements.txt
shop
";
    let (lib, app) = (Tree::new(&world.path("w/lib"), python), Tree::new(&world.path("w/app"), user));
    let mut mcp = world.mcp(&lib);
    let args = |id: &str| json!({"nodeId": id, "direction": "in", "edgeKinds": ["calls"], "root": [lib.root(), app.root()]});
    let callers = mcp.call("map_neighbors", args("py:lib/shop/prices.py#price_of"));
    let found: Vec<(&str, &str)> = callers
        .texts("/neighbors", "id")
        .into_iter()
        .zip(callers.texts("/neighbors", "confidence"))
        .collect();
    assert_eq!(found, [("py:app/site.py#total", "import")], "{callers}");
    let none = mcp.call("map_neighbors", args("py:lib/shop/prices.py#unused"));
    assert!(none.list("/neighbors").is_empty(), "{none}");

    let types = "
//- /package.json
{\"name\": \"shop-types\", \"main\": \"index.ts\"}
//- /index.ts
export class Order {
  total(): number { return 3; }
}
";
    let page = "
//- /package.json
{\"name\": \"page\", \"dependencies\": {\"shop-types\": \"^1.0.0\"}}
//- /page.ts
import { Order } from \"shop-types\";

export function show(order: Order) {
  return order.total();
}
";
    let (types, page) = (Tree::new(&world.path("w/types"), types), Tree::new(&world.path("w/page"), page));
    let asked = json!({"nodeId": "ts:types/index.ts#Order.total", "direction": "in", "root": [types.root(), page.root()]});
    let callers = mcp.call("map_neighbors", asked);
    assert!(callers.texts("/neighbors", "id").contains(&"ts:page/page.ts#show"), "{callers}");
}

const MONOREPO: &str = r#"
//- /package.json
{"name": "shop", "private": true, "workspaces": ["packages/*"]}
//- /packages/prices/package.json
{"name": "@shop/prices", "main": "index.ts"}
//- /packages/prices/index.ts
export function priceOf(order: number) {
  return 3;
}
//- /packages/prices/globals.d.ts
declare const VERSION: string;
//- /packages/orders/package.json
{"name": "@shop/orders", "main": "index.ts", "dependencies": {"@shop/prices": "*"}}
//- /packages/orders/index.ts
export { priceOf } from "@shop/prices";
//- /crates/core/Cargo.toml
[package]
name = "shop-core"
//- /crates/core/src/lib.rs
pub fn total() -> u32 {
    3
}
//- /java/src/main/java/org/shop/core/Stock.java
package org.shop.core;

public class Stock {
    public int count() {
        return 3;
    }
}
"#;

const MONOREPO_USER: &str = r#"
//- /page.ts
import { priceOf } from "@shop/orders";

export function show() {
  return priceOf(1);
}
//- /Cargo.toml
[package]
name = "desk"
[dependencies]
shop-core = "1"
//- /src/main.rs
fn main() {
    shop_core::total();
}
//- /java/Desk.java
import org.shop.core.Stock;

class Desk {
    int all(Stock stock) {
        return stock.count();
    }
}
"#;

#[test]
fn members_of_a_monorepo_are_packages_of_their_own() {
    let world = World::new();
    let (shop, desk) =
        (Tree::new(&world.path("w/shop"), MONOREPO), Tree::new(&world.path("w/desk"), MONOREPO_USER));
    let mut mcp = world.mcp(&shop);
    for (symbol, user) in [
        ("ts:shop/packages/prices/index.ts#priceOf", "ts:desk/page.ts#show"),
        ("rs:shop/crates/core/src/lib.rs#total", "rs:desk/src/main.rs#main"),
        (
            "java:shop/java/src/main/java/org/shop/core/Stock.java#Stock.count",
            "java:desk/java/Desk.java#Desk.all",
        ),
    ] {
        let asked = json!({"nodeId": symbol, "direction": "in", "root": [shop.root(), desk.root()]});
        let callers = mcp.call("map_neighbors", asked);
        assert!(callers.texts("/neighbors", "id").contains(&user), "{symbol}: {callers}");
    }
}
