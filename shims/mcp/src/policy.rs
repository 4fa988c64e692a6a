//! Writes the server's `instructions`: when to use which tool.
//!
//! Clients put this text before every conversation, so it stays under 150 tokens and names only tools that the client
//! sees.

use hob_proto::tools::ToolDef;

/// One rule, and the tools that must all be listed for it.
struct Rule {
    needs: &'static [&'static str],
    says: &'static str,
}

const RULES: &[Rule] = &[
    Rule { needs: &["map_overview"], says: "Unknown code base: map_overview." },
    Rule { needs: &["investigate"], says: "Words, an issue, a trace: investigate." },
    Rule { needs: &["regex_search"], says: "Text: regex_search." },
    Rule { needs: &["read_symbols"], says: "Source: read_symbols, several targets in one call." },
    Rule { needs: &["map_neighbors"], says: "Callers, subclasses: map_neighbors; confirm what `?` marks." },
    Rule { needs: &["map_path"], says: "Chains of calls: map_path." },
    Rule { needs: &["edit_text"], says: "edit_* only previews: apply or discard with resolve_action." },
];

/// Returns the text for these tools.
pub(crate) fn instructions(listed: &[&'static ToolDef]) -> String {
    let has = |name: &&str| listed.iter().any(|def| def.name == *name);
    let rules = RULES.iter().filter(|rule| rule.needs.iter().all(has)).map(|rule| rule.says);
    let opening = "hob answers from an index of this code base that follows every change.";
    let closing = "Name symbols as Class.name, path:line or as answers print them. Narrow with paths, tests. Lines in brackets say \
                   what is missing. root: another project, or a list. in: \"dep:NAME\" asks a dependency, \"deps\" all, \"org\" the organisation.";
    [opening].into_iter().chain(rules).chain([closing]).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use hob_proto::envelope::tokens_of;
    use hob_proto::tools::{TOOLS, find, select_tools};

    use super::*;

    #[test]
    fn it_is_short_and_names_only_listed_tools() {
        for list in ["core", "all", "map_search", "map_path,regex_search", "hob_noop", "all,edit_text"] {
            let listed = select_tools(list, false).expect("known");
            let text = instructions(&listed);
            assert!(tokens_of(&text) < 150, "{list}: {}", tokens_of(&text));
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
