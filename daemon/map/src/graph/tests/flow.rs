//! The flow from a node.

use hob_base::CancelToken;

use crate::fixture::{map, node};
use crate::graph::{FlowAnswer, FlowQuery, Map, Met};

fn flow(map: &Map, root: &str, max_depth: u32, max_steps: usize) -> FlowAnswer {
    let cancel = CancelToken::default();
    map.flow(&FlowQuery { node: node(map, root), max_depth, max_steps, cancel })
}

/// The tree as lines, depth first, with what is remarkable of each step.
fn tree(map: &Map, answer: &FlowAnswer) -> Vec<String> {
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
        Met::First => "",
        Met::Again => " again",
        Met::Cycle => " cycle",
    });
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
fn callees_come_in_order_classes_stand_for_methods_and_what_was_met_is_a_leaf() {
    let map = map(SHOP);
    let answer = flow(&map, "main", 10, 100);
    let expected = "main
  load
    parse
      load cycle
      parse cycle
  Cart
    Cart.__init__
    Cart.total again
    Cart.sum_up
    Cart.settle
  Cart.total
    Cart.sum_up again
  os";
    assert_eq!(tree(&map, &answer).join("\n"), expected);
    assert_eq!((answer.whole_to, answer.incomplete), (None, false));
    let load = answer.steps.iter().find(|step| step.depth == 1).expect("a callee");
    assert_eq!((&load.sites[..], load.site_count), (&[4, 7][..], 2), "both calls are kept");
}

#[test]
fn a_guess_is_shown_and_not_followed() {
    let map = map(SHOP);
    let answer = flow(&map, "unknown", 10, 100);
    assert_eq!(answer.steps.len(), 2, "{:?}", tree(&map, &answer));
    assert_eq!(answer.steps[1].candidates.len(), 2);
}

#[test]
fn limits_leave_whole_levels_and_say_so() {
    let map = map(SHOP);
    let shallow = flow(&map, "main", 1, 100);
    assert_eq!(tree(&map, &shallow), ["main", "  load +1", "  Cart +4", "  Cart.total +1", "  os"]);
    assert_eq!((shallow.whole_to, shallow.incomplete), (Some(1), false));
    let few = flow(&map, "main", 10, 7);
    assert_eq!((few.steps.len(), few.whole_to, few.incomplete), (6, Some(1), true));
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
    assert_eq!(tree(&map, &flow(&map, "c:a.h#work", 10, 100)), ["work", "  help"]);
    assert_eq!(tree(&map, &flow(&map, "main", 10, 100)), ["main", "  work", "    help"]);
}
