//! Asks for the call hierarchy of a function, its callers or the functions that it calls, level by level.

use std::collections::HashSet;

use lsp_types::request::{
    CallHierarchyIncomingCalls, CallHierarchyOutgoingCalls, CallHierarchyPrepare, Request,
};
use lsp_types::{
    CallHierarchyIncomingCallsParams, CallHierarchyItem, CallHierarchyOutgoingCallsParams,
    CallHierarchyPrepareParams, Range,
};

use super::context::{READY_WITHIN, ServerQueryContext};
use super::marked::Marked;
use super::place::{RequestPosition, ServerLocation};
use super::symbols::kind_word;
use crate::instance::{Completeness, Instance, ServerAnswer};
use crate::live::{LiveError, of_call};

/// The direction in which calls are followed.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Direction {
    /// From the function to its callers.
    Incoming,
    /// From the function to those that it calls.
    Outgoing,
}

/// A function in the hierarchy.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct CallItem {
    /// Name of the function, as the server gives it.
    pub name: String,
    /// Kind of the symbol, as one word.
    pub kind: &'static str,
    /// The place of its name.
    pub place: ServerLocation,
    /// First and last line of the whole function, 1-based.
    pub lines: (u32, u32),
    /// Number of calls between it and the function asked about; 1 for a direct call.
    pub depth: u32,
    /// Lines and columns of the calls between it and the function above it, 1-based, in the caller's file.
    pub call_sites: Vec<(u32, u32)>,
    /// The functions one level further away.
    pub calls: Vec<CallItem>,
}

/// Returns the hierarchy of the function at `at`, `depth` levels deep; empty where no function is, and several where a
/// server tells overloads apart.
///
/// # Errors
/// [`LiveError`].
pub fn call_hierarchy(
    instance: &Instance,
    at: &RequestPosition,
    direction: Direction,
    depth: u32,
    asking: ServerQueryContext<'_>,
) -> Result<ServerAnswer<Vec<CallItem>>, LiveError> {
    let params = CallHierarchyPrepareParams {
        text_document_position_params: at.to_lsp_params(instance.root()),
        work_done_progress_params: Default::default(),
    };
    let prepared =
        asking.ask_about_place::<CallHierarchyPrepare>(instance, at, ("callHierarchyProvider", &params))?;
    let ServerAnswer { value, mut completeness } = prepared;
    let mut roots = Vec::new();
    for item in value.unwrap_or_default() {
        // Each overload by itself: a function that calls two of them appears under both.
        let seen = HashSet::new();
        let marked = Marked::for_question(instance, asking);
        let mut walk = CallHierarchyWalk {
            instance,
            direction,
            depth,
            asking,
            seen,
            marked,
            completeness: &mut completeness,
        };
        roots.extend(walk.call_item(&item, 0, &[])?);
    }
    Ok(ServerAnswer { value: roots, completeness })
}

struct CallHierarchyWalk<'a> {
    instance: &'a Instance,
    direction: Direction,
    depth: u32,
    asking: ServerQueryContext<'a>,
    /// Functions that are expanded already: recursion is shown once.
    seen: HashSet<ServerLocation>,
    marked: Marked<'a>,
    completeness: &'a mut Completeness,
}

impl CallHierarchyWalk<'_> {
    /// Converts an item of the server's; `None` if its URI is no file.
    fn call_item(
        &mut self,
        item: &CallHierarchyItem,
        depth: u32,
        sites: &[Range],
    ) -> Result<Option<CallItem>, LiveError> {
        let Some(place) = ServerLocation::from_uri(&item.uri, item.selection_range, self.instance.root())
        else {
            return Ok(None);
        };
        let place = self.marked.place_without_mark(place);
        let mut calls = Vec::new();
        if depth < self.depth && self.seen.insert(place.clone()) {
            for (next, sites) in self.next(item)? {
                calls.extend(self.call_item(&next, depth + 1, &sites)?);
            }
        }
        let call_sites = sites.iter().map(|site| (site.start.line + 1, site.start.character + 1)).collect();
        Ok(Some(CallItem {
            name: item.name.clone(),
            kind: kind_word(item.kind),
            place,
            lines: (item.range.start.line + 1, item.range.end.line + 1),
            depth,
            call_sites,
            calls,
        }))
    }

    /// Returns the functions one call away from an item, each with the places of the calls.
    fn next(&mut self, item: &CallHierarchyItem) -> Result<Vec<(CallHierarchyItem, Vec<Range>)>, LiveError> {
        let item = item.clone();
        match self.direction {
            Direction::Incoming => {
                let calls = self.ask::<CallHierarchyIncomingCalls>(&CallHierarchyIncomingCallsParams {
                    item,
                    work_done_progress_params: Default::default(),
                    partial_result_params: Default::default(),
                })?;
                Ok(calls.unwrap_or_default().into_iter().map(|call| (call.from, call.from_ranges)).collect())
            }
            Direction::Outgoing => {
                let calls = self.ask::<CallHierarchyOutgoingCalls>(&CallHierarchyOutgoingCallsParams {
                    item,
                    work_done_progress_params: Default::default(),
                    partial_result_params: Default::default(),
                })?;
                Ok(calls.unwrap_or_default().into_iter().map(|call| (call.to, call.from_ranges)).collect())
            }
        }
    }

    fn ask<R: Request>(&mut self, params: &R::Params) -> Result<R::Result, LiveError> {
        let server = self.instance.spec().name;
        let answer = self.instance.ask_whole::<R>(params, READY_WITHIN, self.asking.cancel);
        let answer = answer.map_err(|error| of_call(server, R::METHOD, error))?;
        self.lower_completeness(answer.completeness);
        Ok(answer.value)
    }

    /// Lowers the completeness of the whole to that of a part.
    fn lower_completeness(&mut self, part: Completeness) {
        if *self.completeness == Completeness::Complete {
            *self.completeness = part;
        }
    }
}
