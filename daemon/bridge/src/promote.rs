//! Derives confirmed edges of the map's references from a language server's answer.
//!
//! An answer counts only if it is unambiguous: a definition is one definition of the map, and so is each of
//! its targets; uses are uses of one definition, without the name of another one among them, as happens when
//! a server answers for all overriding methods. The map decides whether it has a reference at a place, and
//! whether anything else contradicts a claim.
//!
//! A place that is missing from an answer proves nothing, because a server does not say which files it omits.

use hob_live::requests::{CallItem, Direction, RequestPosition, ServerLocation};
use hob_live::uri::FileRef;
use hob_map::Map;
use hob_map::graph::{Claim, DefRef, Proof};

/// Most places of an answer that the bridge examines.
const MOST_PLACES: usize = 5_000;

/// A question that a language server answered completely.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum AnsweredQuestion {
    /// The definition of the name at `at`.
    Definition {
        /// The position that the question was about.
        at: RequestPosition,
        /// The places where the name is defined.
        found: Vec<ServerLocation>,
    },
    /// The uses of the name at `at`.
    References {
        /// The position that the question was about.
        at: RequestPosition,
        /// The places where the name is used.
        found: Vec<ServerLocation>,
    },
    /// The callers or the callees of the functions at the roots.
    Calls {
        /// The direction of the question: callers or callees.
        direction: Direction,
        /// The answer; several where a server tells overloads apart.
        roots: Vec<CallItem>,
    },
}

/// Returns the claims about references of the map that follow from an answer.
#[must_use]
pub fn derive_claims(map: &Map, answered: &AnsweredQuestion) -> Vec<Claim> {
    let mut claims = Vec::new();
    match answered {
        AnsweredQuestion::Definition { at, found } => claims.extend(of_definition(map, at, found)),
        AnsweredQuestion::References { at, found } if found.len() <= MOST_PLACES => {
            of_references(map, at, found, &mut claims);
        }
        AnsweredQuestion::References { .. } => {}
        AnsweredQuestion::Calls { direction, roots } => {
            roots.iter().for_each(|root| of_calls(map, *direction, root, &mut claims));
        }
    }
    claims
}

fn of_definition(map: &Map, at: &RequestPosition, found: &[ServerLocation]) -> Option<Claim> {
    let mut defs = found.iter().map(|place| named_at(map, &place.file, place.start));
    let target = defs.next()??;
    if !defs.all(|def| def == Some(target)) {
        return None;
    }
    let file = map.file_at(at.file.as_str())?;
    Some(Claim { file, at: (at.line, at.col), target, proof: Proof::Asked })
}

fn of_references(map: &Map, at: &RequestPosition, found: &[ServerLocation], claims: &mut Vec<Claim>) {
    let asked = named_at(map, &FileRef::Inside(at.file.clone()), (at.line, at.col));
    let mut targets: Vec<DefRef> =
        found.iter().filter_map(|place| named_at(map, &place.file, place.start)).chain(asked).collect();
    targets.sort_unstable();
    targets.dedup();
    let [target] = targets[..] else { return };
    let listed =
        found.iter().filter_map(|place| make_claim(map, &place.file, place.start, target, Proof::Listed));
    claims.extend(listed);
}

/// Adds the claims of a call, which the caller's file contains, whichever direction was asked.
fn of_calls(map: &Map, direction: Direction, item: &CallItem, claims: &mut Vec<Claim>) {
    for next in &item.calls {
        let (caller, callee, proof) = match direction {
            Direction::Incoming => (next, item, Proof::Listed),
            Direction::Outgoing => (item, next, Proof::Asked),
        };
        if let Some(target) = named_at(map, &callee.place.file, callee.place.start) {
            let sites = next.call_sites.iter();
            claims.extend(sites.filter_map(|site| make_claim(map, &caller.place.file, *site, target, proof)));
        }
        of_calls(map, direction, next, claims);
    }
}

fn make_claim(map: &Map, file: &FileRef, at: (u32, u32), target: DefRef, proof: Proof) -> Option<Claim> {
    let FileRef::Inside(path) = file else { return None };
    Some(Claim { file: map.file_at(path.as_str())?, at, target, proof })
}

/// Returns the definition whose name is at a place.
fn named_at(map: &Map, file: &FileRef, at: (u32, u32)) -> Option<DefRef> {
    let FileRef::Inside(path) = file else { return None };
    let (line, col) = at;
    map.def_named_at(path.as_str(), line, col)
}
