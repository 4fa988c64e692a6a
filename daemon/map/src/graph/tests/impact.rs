//! Tests which nodes a change affects.

use hob_base::CancelToken;

use crate::fixture::{lookup_node, map};
use crate::graph::{Affected, ImpactAnswer, ImpactQuery, Map};

fn impact_of(map: &Map, target: &str, max_depth: u32) -> ImpactAnswer {
    map.impact(&ImpactQuery { node: lookup_node(map, target), max_depth, cancel: CancelToken::default() })
}

/// `depth cause confidence who`, with a `T` for tests.
fn lines(map: &Map, hits: &[Affected]) -> Vec<String> {
    let line = |hit: &Affected| {
        let id = map.id(hit.node).to_string();
        let who = id.split_once(':').expect("an ID").1;
        let test = if hit.is_test { " T" } else { "" };
        format!("{} {} {} {who}{test}", hit.depth, hit.cause.as_str(), hit.confidence.as_str())
    };
    hits.iter().map(line).collect()
}

const SHOP: &str = "
//- /base.py
class Store:
    def save(self): pass
def price(): return 1
//- /shop.py
from base import Store, price
class Shop(Store):
    def save(self):
        return price()
def buy(store: Store):
    store.save()
def total():
    return price()
def bill():
    return total()
def guess(thing):
    thing.save()
//- /listing.py
from base import price
//- /test_shop.py
from shop import bill
def test_bill():
    assert bill() == 1
";

#[test]
fn users_of_users_are_affected_tests_among_them() {
    let map = map(SHOP);
    let answer = impact_of(&map, "price", 5);
    let expected = [
        "1 calls import shop.py#Shop.save",
        "1 calls import shop.py#total",
        "1 imports import listing.py",
        "2 calls import shop.py#bill",
        "3 calls import test_shop.py#test_bill T",
    ];
    let mut found = lines(&map, &answer.affected);
    found.sort();
    assert_eq!(found, expected);
    assert!(
        lines(&map, &answer.possible).contains(&"2 calls candidate shop.py#buy".to_owned()),
        "through the base"
    );
    assert_eq!((answer.whole_to, answer.incomplete), (None, false));
    assert_eq!(impact_of(&map, "price", 2).whole_to, Some(2));
}

#[test]
fn overriding_methods_and_derived_types_are_affected() {
    let map = map(SHOP);
    let mut found = lines(&map, &impact_of(&map, "Store.save", 1).affected);
    found.sort();
    assert_eq!(found, ["1 calls import shop.py#buy", "1 overrides import shop.py#Shop.save"]);
    let of_class = lines(&map, &impact_of(&map, "Store", 1).affected);
    assert!(of_class.contains(&"1 extends import shop.py#Shop".to_owned()), "{of_class:?}");
    assert!(
        of_class.contains(&"1 calls import shop.py#buy".to_owned())
            || of_class.contains(&"1 references import shop.py#buy".to_owned()),
        "{of_class:?}"
    );
}

#[test]
fn guesses_are_kept_apart() {
    let map = map(SHOP);
    let answer = impact_of(&map, "Shop.save", 5);
    let possible = lines(&map, &answer.possible);
    assert!(possible.contains(&"1 calls candidate shop.py#guess".to_owned()), "{possible:?}");
    let through_base = ["1 calls import shop.py#buy"];
    assert_eq!(lines(&map, &answer.affected), through_base, "who calls what it overrides reaches it");
}
