//! Pages answers: `offset` skips the items that earlier answers to the same question had.
//!
//! Tools that page by themselves have an argument of that name. For all others, the call computes the whole answer
//! again, and this module skips the first items of its main list, so that no handler has to know.

use hob_proto::ToolError;
use hob_proto::tools::{ArgType, Default, ToolDef, same_name};
use serde_json::{Map, Value};

/// The main list of each tool that does not page by itself.
const LISTS: &[(&str, &str)] = &[
    ("count_patterns", "patterns"),
    ("map_overview", "clusters"),
    ("map_search", "results"),
    ("nav_callHierarchy", "calls"),
    ("nav_definition", "locations"),
    ("nav_diagnostics", "diagnostics"),
    ("nav_implementations", "locations"),
    ("nav_references", "locations"),
    ("nav_symbols", "symbols"),
    ("nav_workspaceSymbols", "symbols"),
    ("regex_search", "matches"),
    ("text_search", "results"),
];

/// Characters that each skipped item adds to a handler's budget: a handler that makes no more than fits has to make
/// room for them.
const ITEM: usize = 64;

/// The number of items that an answer skips, and the list that has them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Paging {
    /// The number of items.
    pub offset: u64,
    list: Option<&'static str>,
}

impl Paging {
    /// Removes `offset` from checked arguments if `tool` does not page by itself, and raises its `limit` by as much.
    ///
    /// # Errors
    /// `BAD_ARGS` where the tool has no list.
    pub fn take_from(args: &mut Map<String, Value>, tool: &ToolDef) -> Result<Self, ToolError> {
        if tool.args.iter().any(|arg| arg.name == "offset") {
            let offset = args.get("offset").and_then(Value::as_u64).unwrap_or(0);
            return Ok(Self { offset, list: None });
        }
        let list = LISTS.iter().find(|(name, _)| *name == tool.name).map(|(_, list)| *list);
        let offset = args.remove("offset").and_then(|value| value.as_u64()).unwrap_or(0);
        if list.is_none() && offset > 0 {
            return Err(ToolError::bad_args(format!("`{}` has no pages: it takes no `offset`", tool.name))
                .hint("Leave it out, or raise tokenBudget."));
        }
        if offset > 0 {
            raise_limit(args, tool, offset);
        }
        Ok(Self { offset, list })
    }

    /// Returns the number of characters that the answer needs besides its budget.
    pub fn extra_room(self) -> usize {
        let passed_over = self.list.map_or(0, |_| usize::try_from(self.offset).unwrap_or(usize::MAX));
        passed_over.saturating_mul(ITEM)
    }

    /// Removes the items of earlier pages.
    pub fn skip_in(self, data: &mut Value) {
        let Some(Value::Array(items)) = self.list.and_then(|list| data.get_mut(list)) else { return };
        let offset = usize::try_from(self.offset).unwrap_or(usize::MAX);
        items.drain(..offset.min(items.len()));
    }
}

/// Raises the handler's limit by the number of skipped items.
fn raise_limit(args: &mut Map<String, Value>, tool: &ToolDef, offset: u64) {
    let Some(limit) = tool.args.iter().find(|arg| arg.name == "limit") else { return };
    let (ArgType::Int { max, .. }, usual) = (limit.ty, limit.default) else { return };
    let given =
        args.iter().find(|(name, _)| same_name(name, limit.name)).and_then(|(_, value)| value.as_i64());
    let usual = match usual {
        Default::Int(n) => Some(n),
        _ => None,
    };
    if let Some(wanted) = given.or(usual) {
        let raised = wanted.saturating_add(i64::try_from(offset).unwrap_or(i64::MAX)).min(max);
        args.insert(limit.name.to_owned(), raised.into());
    }
}

#[cfg(test)]
mod tests {
    use hob_proto::tools::{TOOLS, map, metrics};
    use serde_json::json;

    use super::*;

    fn take_paging(tool: &ToolDef, args: Value) -> (Result<Paging, ToolError>, Map<String, Value>) {
        let Value::Object(mut args) = args else { panic!("an object") };
        (Paging::take_from(&mut args, tool), args)
    }

    #[test]
    fn a_page_passes_over_what_was_shown_and_finds_as_many_more() {
        let (paging, args) = take_paging(&map::SEARCH, json!({"query": "x", "offset": 20}));
        assert_eq!(args["limit"], 40);
        let mut data = json!({"results": (0..40).collect::<Vec<_>>()});
        paging.expect("a page").skip_in(&mut data);
        assert_eq!(
            (data["results"][0].as_u64(), data["results"].as_array().map(Vec::len)),
            (Some(20), Some(20))
        );
    }

    #[test]
    fn a_tool_without_pages_says_so() {
        assert!(take_paging(&metrics::METRICS_REPORT, json!({"offset": 1})).0.is_err());
        assert!(take_paging(&map::STATUS, json!({})).0.is_ok());
    }

    #[test]
    fn every_list_is_one_that_its_tool_may_cut() {
        for (name, list) in LISTS {
            let tool = TOOLS.iter().find(|tool| tool.name == *name).expect("a tool");
            assert!(tool.cuts.iter().any(|cut| cut.path == *list), "{name}");
        }
    }
}
