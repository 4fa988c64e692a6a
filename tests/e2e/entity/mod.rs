//! Tests `resolve` with a subject: every part of the request has its effect, every part of the answer is present, and
//! mistakes in a request are reported.

mod asked;
mod past;

use std::time::{Duration, Instant};

use hob_tests::{Answer, FOREVER, Tree, World};
use serde_json::{Value, json};

const FILES: &str = "\
//- /shop/cart.py
\"\"\"The basket of a customer.\"\"\"

class Cart:
    \"\"\"What somebody is going to buy.\"\"\"

    def add(self, item):
        self.items.append(item)

    def discount(self, code):
        return code

def total(cart):
    \"\"\"Sums up the prices of a cart.\"\"\"
    return sum(item.price for item in cart.items)
//- /shop/order.py
from .cart import total

class Order:
    def discount(self, percent):
        return percent

    def place_order(self):
        return total(self)
//- /web/checkout.ts
export function total(prices: number[]): number {
  return prices.reduce((all, one) => all + one, 0);
}
export class PaymentForm {
  submitPayment() { return total([]); }
}
//- /tests/test_cart.py
from shop.cart import Cart

def test_total():
    assert Cart()
//- /docs/guide.md
# Guide

## Refund policy

Money goes back within a week.
//- /data/prices.csv
a,b
//- /package.json
{\"name\": \"shop\", \"dependencies\": {\"left-pad\": \"^1.3.0\", \"@scope/widgets\": \"2.0.0\"}}
//- /requirements.txt
requests==2.32.0
";

/// Repeats the call until the index exists, however slow the machine is.
pub(super) fn resolve(world: &World, tree: &Tree, args: &Value) -> Answer {
    let since = Instant::now();
    loop {
        let answer = world.call(tree, "resolve", args);
        let is_late = answer.envelope["error"]["code"] == "MAP_NOT_BUILT"
            || answer.envelope.to_string().contains("not searched: ");
        if !is_late || since.elapsed() > FOREVER {
            return answer;
        }
        std::thread::sleep(Duration::from_millis(100));
    }
}

fn subject(world: &World, tree: &Tree, subject: &str) -> Answer {
    resolve(world, tree, &json!({"subject": subject}))
}

/// Returns the ID of the resolved entity.
#[track_caller]
pub(super) fn entity(answer: &Answer) -> &str {
    assert_eq!(answer.ok()["status"], "resolved", "{answer}");
    answer.ok()["entity"]["id"].as_str().unwrap_or_else(|| panic!("an entity has an ID{answer}"))
}

#[test]
fn every_kind_of_entity_is_found_by_its_name() {
    let world = World::new();
    let tree = world.tree(FILES);
    for (said, id, kind, source) in [
        ("place_order", "py:shop/order.py#Order.place_order", "method", "map"),
        ("class Cart", "py:shop/cart.py#Cart", "class", "map"),
        ("discount of Order", "py:shop/order.py#Order.discount", "method", "map"),
        ("submit payment", "ts:web/checkout.ts#PaymentForm.submitPayment", "method", "map"),
        ("plcae_order", "py:shop/order.py#Order.place_order", "method", "map"),
        ("shop/order.py", "py:shop/order.py", "file", "map"),
        ("prices.csv", "data/prices.csv", "file", "text"),
        ("docs", "docs/", "folder", "text"),
        ("Refund policy", "md:docs/guide.md#Guide/Refund policy", "section", "map"),
        ("left-pad", "pkg:npm/left-pad", "package", "manifest"),
        ("widgets", "pkg:npm/%40scope/widgets", "package", "manifest"),
        ("requests", "pkg:pypi/requests", "package", "manifest"),
    ] {
        let answer = subject(&world, &tree, said);
        assert_eq!(entity(&answer), id, "{said}: {answer}");
        let found = &answer.ok()["entity"];
        assert_eq!((&found["type"], &found["source"]), (&json!(kind), &json!(source)), "{said}: {answer}");
    }
}

#[test]
fn every_part_of_an_answer_is_there() {
    let world = World::new();
    let tree = world.tree(FILES);
    let answer = subject(&world, &tree, "place_order");
    let data = answer.ok();
    let found = &data["entity"];
    assert_eq!(
        (&found["label"], &found["attributes"]["line"]),
        (&json!("Order.place_order"), &json!(7)),
        "{answer}"
    );
    assert!(found["description"].as_str().is_some_and(|text| text.contains("def place_order")), "{answer}");
    let uri = found["uri"].as_str().expect("an address");
    assert!(uri.starts_with("file:///") && uri.ends_with("/shop/order.py#L7"), "{answer}");
    assert!(data["confidence"].as_f64().is_some_and(|sure| (0.9..=1.0).contains(&sure)), "{answer}");
    assert_eq!(data["candidates"], json!([]), "they are asked for: {answer}");
    let phases = answer.texts("/resolution_path", "phase");
    for phase in ["normalise", "generate", "score", "decide"] {
        assert!(phases.contains(&phase), "{phase}: {answer}");
    }
    for step in answer.list("/resolution_path") {
        assert!(["action", "source", "note"].iter().all(|field| step[field].is_string()), "{answer}");
    }
    let meta = &data["meta"];
    assert!(meta["request_id"].is_string() && meta["duration_ms"].is_u64(), "{answer}");
    assert!(meta["timestamp"].as_str().is_some_and(|at| at.ends_with('Z') && at.contains('T')), "{answer}");
    assert!(data.get("error").is_none() && data.get("ambiguity").is_none(), "{answer}");
    let package = subject(&world, &tree, "requests");
    assert_eq!(package.ok()["entity"]["uri"], "pkg:pypi/requests@2.32.0", "{package}");
    assert_eq!(package.ok()["entity"]["attributes"]["manifest"], "requirements.txt", "{package}");
}

#[test]
fn what_cannot_be_told_apart_is_shown_and_not_guessed() {
    let world = World::new();
    let tree = world.tree(FILES);
    let answer = subject(&world, &tree, "total");
    assert_eq!(answer.ok()["status"], "ambiguous", "{answer}");
    assert!(answer.ok().get("entity").is_none(), "{answer}");
    let ids = answer.texts("/candidates", "id");
    assert!(
        ids[..2].contains(&"py:shop/cart.py#total") && ids[..2].contains(&"ts:web/checkout.ts#total"),
        "{answer}"
    );
    let first = &answer.list("/candidates")[0];
    for field in ["id", "label", "type", "source"] {
        assert!(first[field].is_string(), "{field}: {answer}");
    }
    assert!(first["confidence"].is_number() && first.get("score").is_none(), "{answer}");
    let ambiguity = &answer.ok()["ambiguity"];
    assert_eq!(ambiguity["dimension"], "file", "{answer}");
    assert!(ambiguity["reason"].as_str().is_some_and(|why| why.contains("context.provenance")), "{answer}");
    let of_type = subject(&world, &tree, "discount");
    assert_eq!(of_type.ok()["ambiguity"]["dimension"], "name", "Cart.discount and Order.discount: {of_type}");
    for absent in ["kafka consumer", "submit_invoice_batch", "shop/invoice.py"] {
        let answer = subject(&world, &tree, absent);
        assert_eq!(answer.ok()["status"], "not_found", "{absent}: {answer}");
        assert_eq!(
            (&answer.ok()["confidence"], &answer.ok()["candidates"]),
            (&json!(0.0), &json!([])),
            "{answer}"
        );
    }
}

#[test]
fn context_narrows_and_draws_nearer() {
    let world = World::new();
    let tree = world.tree(FILES);
    let of = |context: Value| resolve(&world, &tree, &json!({"subject": "total", "context": context}));
    for context in [
        json!({"realm": "web"}),
        json!({"language": "ts"}),
        json!({"language": "TypeScript", "realm": tree.root()}),
        json!({"provenance": "web/checkout.ts"}),
        json!({"provenance": "ts:web/checkout.ts#PaymentForm"}),
    ] {
        let answer = of(context.clone());
        assert_eq!(entity(&answer), "ts:web/checkout.ts#total", "{context}: {answer}");
    }
    assert_eq!(entity(&of(json!({"realm": "shop"}))), "py:shop/cart.py#total");
    let other = world.path("other");
    let other = Tree::new(&other, "//- /one.go\npackage one\n\nfunc total() int { return 0 }\n");
    let answer = of(json!({"realm": other.root()}));
    assert_eq!(entity(&answer), "go:one.go#total", "another project: {answer}");
    for (context, why) in [
        (json!({"realm": "elsewhere"}), "context.realm"),
        (json!({"language": "cobol"}), "context.language"),
        (json!({"provenance": "../outside.py"}), "outside"),
        (json!({"place": "here"}), "unknown field `place`"),
        (json!("shop"), "context"),
    ] {
        let answer = of(context.clone());
        assert_eq!(answer.envelope["ok"], false, "{context}: {answer}");
        let error = answer.envelope["error"].to_string();
        assert!(error.contains(why) && answer.envelope["error"]["hint"].is_string(), "{context}: {answer}");
    }
}

#[test]
fn the_strategy_decides_how_sure_is_sure() {
    let world = World::new();
    let tree = world.tree(FILES);
    let of =
        |said: &str, strategy: Value| resolve(&world, &tree, &json!({"subject": said, "strategy": strategy}));
    let quick = of("total", json!({"mode": "quick"}));
    let first = entity(&quick).to_owned();
    assert!(
        first.ends_with("#total") && quick.ok()["confidence"].as_f64() < Some(0.85),
        "and it says how sure: {quick}"
    );
    assert_eq!(of("total", json!({"mode": "ranked"})).ok()["status"], "ambiguous");
    let strict = json!({"mode": "ranked", "auto_accept_threshold": 1.0});
    let answer = of("place_order", strict);
    assert_eq!(
        (&answer.ok()["status"], &answer.ok()["ambiguity"]["dimension"]),
        (&json!("ambiguous"), &json!("confidence")),
        "{answer}"
    );
    let interactive = of("place_order", json!({"mode": "interactive"}));
    assert_eq!(interactive.ok()["status"], "ambiguous", "the user is to choose: {interactive}");
    assert_eq!(
        interactive.list("/candidates")[0]["id"],
        "py:shop/order.py#Order.place_order",
        "{interactive}"
    );
    let note = interactive.ok()["resolution_path"].to_string();
    assert!(note.contains("cannot ask its user") && note.contains("preferred_id"), "{interactive}");
    let below = of("total", json!({"interactive_below_threshold": true}));
    assert!(below.ok()["resolution_path"].to_string().contains("cannot ask its user"), "{below}");
    for strategy in [json!({"mode": "llm_select"}), json!({"use_llm_fallback": true})] {
        let answer = of("total", strategy.clone());
        assert_eq!(answer.ok()["status"], "ambiguous", "{strategy}: {answer}");
        assert!(
            answer.ok()["resolution_path"].to_string().contains("no model is configured"),
            "{strategy}: {answer}"
        );
    }
    let embedded = of("what somebody buys", json!({"use_embeddings": true}));
    assert!(embedded.ok()["resolution_path"].to_string().contains("there is no model"), "{embedded}");
}

#[test]
fn constraints_are_kept() {
    let world = World::new();
    let tree = world.tree(FILES);
    let of = |said: &str, constraints: Value| {
        resolve(
            &world,
            &tree,
            &json!({"subject": said, "constraints": constraints, "debug": {"include_candidates": true}}),
        )
    };
    let sources = |answer: &Answer| {
        answer.texts("/candidates", "source").iter().map(ToString::to_string).collect::<Vec<_>>()
    };
    for source in ["map", "text", "manifest"] {
        let answer = of("shop", json!({"allowed_sources": [source]}));
        assert!(sources(&answer).iter().all(|one| one == source), "{source}: {answer}");
    }
    assert_eq!(entity(&of("requests", json!({"allowed_sources": ["manifest"]}))), "pkg:pypi/requests");
    assert_eq!(of("requests", json!({"allowed_sources": ["git"]})).ok()["status"], "not_found");
    assert_eq!(of("total", json!({"max_candidates": 1})).list("/candidates").len(), 1);
    let sure = of("total", json!({"min_confidence": 0.99}));
    assert_eq!((&sure.ok()["status"], sure.list("/candidates").len()), (&json!("not_found"), 0), "{sure}");
    assert_eq!(
        entity(&of("place_order", json!({"deterministic": true}))),
        "py:shop/order.py#Order.place_order"
    );
    let again = |answer: &Answer| {
        let mut data = answer.ok().clone();
        data["meta"] = Value::Null;
        data
    };
    let (one, two) = (subject(&world, &tree, "total"), subject(&world, &tree, "total"));
    assert_eq!(again(&one), again(&two));
    assert_eq!(one.ok()["meta"]["request_id"], two.ok()["meta"]["request_id"]);
    let _ = world.call(&tree, "map_rebuild", &json!({})).ok();
    assert_eq!(again(&one), again(&subject(&world, &tree, "total")), "and after a rebuild");
}

#[test]
fn hints_and_explanations() {
    let world = World::new();
    let tree = world.tree(FILES);
    let of = |said: &str, hints: Value| resolve(&world, &tree, &json!({"subject": said, "hints": hints}));
    let preferred = json!({"preferred_id": "ts:web/checkout.ts#total"});
    assert_eq!(entity(&of("total", preferred)), "ts:web/checkout.ts#total");
    assert_eq!(
        entity(&of("discount", json!({"preferred_id": "py:shop/cart.py#Cart.discount"}))),
        "py:shop/cart.py#Cart.discount"
    );
    for target in ["web/checkout.ts#total", "web/checkout.ts#total ", "ts:web/checkout.ts#total"] {
        assert_eq!(
            entity(&of("total", json!({"preferred_id": target}))),
            "ts:web/checkout.ts#total",
            "{target}"
        );
    }
    assert_eq!(
        entity(&of("discount", json!({"preferred_id": "Cart.discount"}))),
        "py:shop/cart.py#Cart.discount"
    );
    of("discount", json!({"preferred_id": "total"})).says("is the name of");
    assert_eq!(entity(&of("shop", json!({"expected_type": "folder"}))), "shop/");
    assert_eq!(
        entity(&of("the thing you buy with", json!({"aliases": ["basket", "PaymentForm"]}))),
        "ts:web/checkout.ts#PaymentForm"
    );
    let debug = json!({"subject": "place_order", "debug": {"include_candidates": true, "include_explanations": true}});
    let answer = resolve(&world, &tree, &debug);
    assert_eq!(answer.ok()["status"], "resolved", "{answer}");
    let score = &answer.list("/candidates")[0]["score"];
    assert_eq!(score["class"], "exact", "{answer}");
    assert!(score["name"].is_number() && score["total"].is_number(), "{answer}");
    assert_eq!(answer.ok()["entity"]["attributes"]["score"], *score, "{answer}");
}

#[test]
fn a_text_leads_to_the_places_that_it_is_about() {
    let world = World::new();
    let tree = world.tree(FILES);
    let prose = "Customers tell us that they pay too much, and nobody knows why this is so. ".repeat(10);
    let text =
        format!("Orders are placed with a wrong sum\n\n{prose}\n`Order.place_order` adds up every price.");
    let answer = resolve(&world, &tree, &json!({"subject": text, "constraints": {"max_candidates": 2}}));
    let data = answer.ok();
    assert_eq!((&data["status"], data.get("entity")), (&json!("ambiguous"), None), "{answer}");
    assert!(answer.list("/candidates").len() <= 2, "{answer}");
    assert_eq!(answer.list("/candidates")[0]["id"], "py:shop/order.py#Order.place_order", "{answer}");
    assert_eq!(data["confidence"], answer.list("/candidates")[0]["confidence"], "{answer}");
    assert!(data["ambiguity"]["reason"].as_str().is_some_and(|why| why.contains("is a text")), "{answer}");
}

#[test]
fn what_is_wrong_with_a_request_is_said() {
    let world = World::new();
    let tree = world.tree(FILES);
    let long = "?! ".repeat(20_000);
    for (args, why) in [
        (json!({"subject": ""}), "subject"),
        (json!({"subject": "?! ..."}), "no word in `subject`"),
        (json!({"subject": long}), "no word in `subject`"),
        (json!({"subject": 7}), "subject"),
        (json!({"subject": "a", "nodeId": "py:a.py"}), "Exactly one of"),
        (json!({"subject": "a", "file": "a.py", "line": 1}), "Exactly one of"),
        (json!({"context": {"language": "py"}}), "Exactly one of"),
        (json!({"subject": "a", "strategy": {"mode": "fast"}}), "unknown variant `fast`"),
        (json!({"subject": "a", "strategy": {"auto_accept_threshold": 2}}), "from 0 to 1"),
        (json!({"subject": "a", "strategy": {"auto_accept_threshold": "high"}}), "strategy"),
        (json!({"subject": "a", "constraints": {"min_confidence": -0.5}}), "constraints.min_confidence"),
        (json!({"subject": "a", "constraints": {"max_candidates": 0}}), "constraints.max_candidates"),
        (json!({"subject": "a", "constraints": {"allowed_sources": []}}), "allowed_sources` is empty"),
        (json!({"subject": "a", "constraints": {"allowed_sources": ["web"]}}), "unknown variant `web`"),
        (json!({"subject": "a", "hints": {"expected_type": "planet"}}), "hints.expected_type"),
        (json!({"subject": "a", "debug": {"verbose": true}}), "unknown field `verbose`"),
        (contradiction(json!({"mode": "llm_select"}), json!({"deterministic": true})), "cannot both hold"),
        (contradiction(json!({"use_embeddings": true}), json!({"deterministic": true})), "cannot both hold"),
        (
            contradiction(json!({"use_llm_fallback": true}), json!({"deterministic": true})),
            "cannot both hold",
        ),
        (
            contradiction(json!({}), json!({"require_authority": true, "allowed_sources": ["git"]})),
            "cannot both hold",
        ),
        (
            contradiction(json!({"mode": "quick", "interactive_below_threshold": true}), json!({})),
            "cannot both hold",
        ),
        (json!({"subject": "a", "action": "apply"}), "resolve_action"),
    ] {
        let answer = world.call(&tree, "resolve", &args);
        let said = answer.error("BAD_ARGS").to_string();
        assert!(said.contains(why), "{why}: {answer}");
    }
    let past =
        json!({"subject": "a", "context": {"time": "HEAD"}, "constraints": {"require_authority": true}});
    let said = world.call(&tree, "resolve", &past).error("BAD_ARGS").to_string();
    assert!(said.contains("No language server knows the past"), "{said}");
}

fn contradiction(strategy: Value, constraints: Value) -> Value {
    json!({"subject": "a", "strategy": strategy, "constraints": constraints})
}
