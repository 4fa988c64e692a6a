//! The `instructions` of the server: when to use which tool.
//!
//! Clients put this text in front of every conversation, so it stays under 200 tokens and names only tools that the
//! client is shown.

use hob_proto::tools::ToolDef;

/// One rule, and the tools that must all be listed for it to be said.
struct Rule {
    needs: &'static [&'static str],
    says: &'static str,
}

const RULES: &[Rule] = &[
    Rule { needs: &["map_overview"], says: "New code base: map_overview first." },
    Rule { needs: &["investigate"], says: "Only words, no name: investigate." },
    Rule {
        needs: &["map_search"],
        says: "Looking for a definition: map_search; it gives the node IDs that other tools take.",
    },
    Rule {
        needs: &["map_neighbors"],
        says: "Callers, callees, bases: map_neighbors, before changing a symbol.",
    },
    Rule { needs: &["map_path"], says: "How two symbols are connected: map_path." },
    Rule { needs: &["read_symbols"], says: "Source: read_symbols with node IDs, not whole files." },
    Rule { needs: &["regex_search"], says: "Text that is no symbol: regex_search." },
    Rule { needs: &["edit_text"], says: "edit_* only previews: apply or discard with resolve_action." },
    Rule {
        needs: &["map_neighbors"],
        says: "Edges say how sure they are: confirm `name` and `candidate` edges in the source before relying on them.",
    },
];

/// The text for these tools.
pub(crate) fn instructions(listed: &[&'static ToolDef]) -> String {
    let has = |name: &&str| listed.iter().any(|def| def.name == *name);
    let rules = RULES.iter().filter(|rule| rule.needs.iter().all(has)).map(|rule| rule.says);
    let opening = "hob answers questions about this code base from an index that follows every change.";
    let closing = "Cheapest call first: narrow with path, kind and tokenBudget; `dropped.note` says how to get what was cut.";
    [opening].into_iter().chain(rules).chain([closing]).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use hob_proto::envelope::tokens_of;
    use hob_proto::tools::{TOOLS, find, select};

    use super::*;

    #[test]
    fn it_is_short_and_names_only_listed_tools() {
        for list in ["core", "all", "map_search", "map_path,regex_search", "hob_noop", "all,edit_text"] {
            let listed = select(list, false).expect("known");
            let text = instructions(&listed);
            assert!(tokens_of(&text) < 200, "{list}: {}", tokens_of(&text));
            for def in TOOLS {
                let named =
                    text.split(|c: char| !c.is_alphanumeric() && c != '_').any(|word| word == def.name);
                assert!(!named || listed.iter().any(|l| l.name == def.name), "{list} names {}", def.name);
            }
        }
    }

    #[test]
    fn every_rule_is_about_tools_that_exist() {
        for rule in RULES {
            assert!(rule.needs.iter().all(|name| find(name).is_some()), "{:?}", rule.needs);
        }
    }
}
