//! Tests the flow from a node.

use hob_base::CancelToken;

use crate::fixture::{lookup_node, map};
use crate::graph::{FlowAnswer, FlowQuery, Map, Occurrence};

fn traced_flow(map: &Map, root: &str, max_depth: u32, max_steps: usize) -> FlowAnswer {
    let cancel = CancelToken::default();
    map.trace_flow(&FlowQuery { node: lookup_node(map, root), max_depth, max_steps, cancel })
}

/// Returns the tree as lines, depth first, with the peculiarities of each step.
fn flow_tree(map: &Map, answer: &FlowAnswer) -> Vec<String> {
    let mut lines = Vec::new();
    write(map, answer, 0, &mut lines);
    lines
}

fn write(map: &Map, answer: &FlowAnswer, at: usize, lines: &mut Vec<String>) {
    let step = &answer.steps[at];
    let name = |node| {
        map.info(node).map_or_else(String::new, |i| if i.qualified.is_empty() { i.name } else { i.qualified })
    };
    let mut line = format!("{}{}", "  ".repeat(step.depth as usize), name(step.node));
    if !step.candidates.is_empty() {
        line.push_str(" ?");
    }
    line.push_str(match step.met {
        Occurrence::First => "",
        Occurrence::Again => " again",
        Occurrence::Cycle => " cycle",
    });
    if !step.leaves.is_empty() {
        let leaves: Vec<String> = step.leaves.iter().map(|leaf| name(*leaf)).collect();
        line.push_str(&format!(" [{}]", leaves.join(" ")));
    }
    if !step.overriding.is_empty() {
        let over: Vec<String> = step.overriding.iter().map(|node| name(*node)).collect();
        line.push_str(&format!(" or {}", over.join(" ")));
    }
    if step.beyond > 0 {
        line.push_str(&format!(" +{}", step.beyond));
    }
    lines.push(line);
    for (below, child) in answer.steps.iter().enumerate() {
        if child.parent == Some(at) {
            write(map, answer, below, lines);
        }
    }
}

const SHOP: &str = "
//- /shop.py
import os
from cart import Cart
def main():
    load()
    cart = Cart()
    cart.total()
    load()
    os.getcwd()
def load():
    parse()
def parse():
    load()
    parse()
def unknown(thing):
    thing.settle()
//- /cart.py
class Cart:
    def __init__(self):
        self.items = []
    def total(self):
        return self.sum_up()
    def sum_up(self):
        return 0
    def settle(self): pass
class Bill:
    def settle(self): pass
";

#[test]
fn callees_come_in_order_and_packages_constructors_and_what_was_met_are_leaves() {
    let map = map(SHOP);
    let answer = traced_flow(&map, "main", 10, 100);
    let expected = "main [Cart os]
  load
    parse
      load cycle
      parse cycle
  Cart.total
    Cart.sum_up";
    assert_eq!(flow_tree(&map, &answer).join("\n"), expected);
    assert_eq!((answer.whole_to, answer.incomplete), (None, false));
    let load = answer.steps.iter().find(|step| step.depth == 1).expect("a callee");
    assert_eq!((&load.sites[..], load.site_count), (&[4, 7][..], 2), "both calls are kept");
}

#[test]
fn a_guess_is_shown_and_not_followed() {
    let map = map(SHOP);
    let answer = traced_flow(&map, "unknown", 10, 100);
    assert_eq!(answer.steps.len(), 2, "{:?}", flow_tree(&map, &answer));
    assert_eq!(answer.steps[1].candidates.len(), 2);
}

#[test]
fn limits_leave_whole_levels_and_say_so() {
    let map = map(SHOP);
    let shallow = traced_flow(&map, "main", 1, 100);
    assert_eq!(flow_tree(&map, &shallow), ["main [Cart os]", "  load +1", "  Cart.total +1"]);
    assert_eq!((shallow.whole_to, shallow.incomplete), (Some(1), false));
    let few = traced_flow(&map, "main", 10, 6);
    assert_eq!((few.steps.len(), few.whole_to, few.incomplete), (5, Some(2), true));
    let class = traced_flow(&map, "Cart", 1, 100);
    let methods = ["Cart", "  Cart.__init__", "  Cart.total +1", "  Cart.sum_up", "  Cart.settle"];
    assert_eq!(flow_tree(&map, &class), methods, "a type that is asked about stands for its methods");
}

#[test]
fn a_call_through_a_base_shows_who_overrides_it_in_one_step() {
    let map = map("
//- /a.py
class Base:
    def run(self): raise NotImplementedError()
class One(Base):
    def run(self): work()
class Several:
    def go(self): work()
class First(Several):
    def go(self): work()
class Second(Several):
    def go(self): work()
def work(): pass
def start(base: Base, several: Several):
    base.run()
    several.go()
");
    let expected = "start
  Base.run or One.run
    work
  Several.go or First.go Second.go
    work again";
    assert_eq!(flow_tree(&map, &traced_flow(&map, "start", 10, 100)).join("\n"), expected);
}

#[test]
fn a_declaration_stands_for_its_body() {
    let map = map("
//- /a.h
int work(int x);
//- /a.c
#include \"a.h\"
static int help(int x) { return x; }
int work(int x) { return help(x); }
//- /main.c
#include \"a.h\"
int main(void) { return work(1); }
");
    assert_eq!(flow_tree(&map, &traced_flow(&map, "c:a.h#work", 10, 100)), ["work", "  help"]);
    assert_eq!(flow_tree(&map, &traced_flow(&map, "main", 10, 100)), ["main", "  work", "    help"]);
}
