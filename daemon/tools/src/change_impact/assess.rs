//! Tells about each changed symbol who depends on it, which tests reach it, which uses no longer fit, and how much care
//! it needs.
//!
//! The riskiest symbols are followed first, so that a change that is too large for the time loses the least telling
//! answers. Members that follow their container (all members of an added class) are no symbols of their own here; the
//! uses that break with them are reported at the container.

use hob_base::CancelToken;
use hob_change::{SymbolChange, SymbolFate, SymbolPlace};
use hob_map::Map;
use hob_map::graph::{Affected, DefRef, EdgeKind, Following, ImpactQuery, NodeRef, Tie};
use hob_proto::tools::change::{BrokenUse, DirectUser};
use rustc_hash::FxHashSet;

use super::broken::{DoubtfulUses, UseCheck};
use super::calls::{CallChecker, CallToCheck};
use crate::flow_trace::file_of;
use crate::whole_tests::whole_test;

/// Most users that an answer shows of each symbol.
const USERS: usize = 6;

/// The care that a reviewer should take; the greatest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum ReviewRisk {
    /// Uses no longer fit.
    Breaks,
    /// Others depend on the symbol, and its declaration differs.
    Interface,
    /// Others depend on the symbol, and its behaviour may differ.
    Behaviour,
    /// Others depend on the symbol, which is new.
    New,
    /// Nothing is known to depend on it.
    Local,
    /// Only its documentation differs.
    Docs,
}

impl ReviewRisk {
    pub(super) fn as_str(self) -> &'static str {
        match self {
            Self::Breaks => "breaks",
            Self::Interface => "interface",
            Self::Behaviour => "behaviour",
            Self::New => "new",
            Self::Local => "local",
            Self::Docs => "docs",
        }
    }
}

/// A changed symbol with its dependents, as IDs and paths that outlive the maps.
pub(super) struct AssessedSymbol<'c> {
    pub(super) change: &'c SymbolChange,
    /// Number of changes that follow from this one and are reported with it.
    pub(super) members: usize,
    pub(super) broken: Vec<BrokenUse>,
    /// Calls whose text has not been read.
    calls: Vec<CallToCheck>,
    pub(super) reach: SymbolReach,
}

/// A test that reaches a symbol.
pub(super) struct ReachingTest {
    /// Steps from the symbol.
    pub(super) depth: u32,
    pub(super) id: String,
}

/// The nodes that depend on a symbol.
#[derive(Default)]
pub(super) struct SymbolReach {
    /// The ID of the symbol; `None` if the map does not have it.
    pub(super) uid: Option<String>,
    pub(super) dependents: usize,
    /// The first few nodes that use it themselves.
    pub(super) users: Vec<DirectUser>,
    pub(super) tests: Vec<ReachingTest>,
    pub(super) is_followed: bool,
}

impl AssessedSymbol<'_> {
    /// Reads the calls that may not fit, and keeps those that do not.
    pub(super) fn check_calls(&mut self, checker: &mut CallChecker<'_>) {
        let misfits = checker.misfits(std::mem::take(&mut self.calls));
        self.broken.extend(misfits);
        self.broken.sort_by(|a, b| (&a.file, a.line, &a.why).cmp(&(&b.file, b.line, &b.why)));
        self.broken.dedup_by(|a, b| (&a.file, a.line) == (&b.file, b.line));
    }

    /// Returns the care that a reviewer should take.
    pub(super) fn risk(&self) -> ReviewRisk {
        let change = self.change;
        match () {
            () if !self.broken.is_empty() => ReviewRisk::Breaks,
            () if is_of_docs(change) => ReviewRisk::Docs,
            () if self.reach.dependents == 0 => ReviewRisk::Local,
            () if change.fate == SymbolFate::Added => ReviewRisk::New,
            () if change.parts.signature || change.fate < SymbolFate::Changed => ReviewRisk::Interface,
            () => ReviewRisk::Behaviour,
        }
    }

    /// Returns the place of the symbol in an answer: by risk, then those without a test, then those on which most
    /// depends.
    pub(super) fn rank(&self) -> (ReviewRisk, bool, std::cmp::Reverse<usize>, &str, u32) {
        let place = self.change.place();
        let dependents = std::cmp::Reverse(self.reach.dependents);
        (self.risk(), !self.reach.tests.is_empty(), dependents, place.path.as_str(), place.line)
    }
}

/// The two maps of a change, one of which may stand for both.
pub(super) struct Assessor<'a> {
    pub(super) before: &'a Map,
    pub(super) after: &'a Map,
    /// The check of uses; `None` where neither map is of the change.
    pub(super) uses: Option<UseCheck<'a>>,
    pub(super) max_depth: u32,
    pub(super) cancel: &'a CancelToken,
}

impl Assessor<'_> {
    /// Assesses every symbol that does not follow its container.
    pub(super) fn assess_all<'c>(&self, changes: &'c [SymbolChange]) -> Vec<AssessedSymbol<'c>> {
        let top = |at: usize| {
            let mut at = at;
            while let Some(parent) = changes[at].within {
                at = parent;
            }
            at
        };
        let mut members: Vec<Vec<&SymbolChange>> = vec![Vec::new(); changes.len()];
        for (at, change) in changes.iter().enumerate().filter(|(_, change)| is_follower(change)) {
            members[top(at)].push(change);
        }
        let mut order: Vec<usize> = (0..changes.len()).filter(|at| !is_follower(&changes[*at])).collect();
        order.sort_by_key(|at| urgency(&changes[*at]));
        order.into_iter().map(|at| self.assess(&changes[at], &members[at])).collect()
    }

    fn assess<'c>(&self, change: &'c SymbolChange, members: &[&'c SymbolChange]) -> AssessedSymbol<'c> {
        let mut doubtful = DoubtfulUses::default();
        let uses = self.uses.as_ref().filter(|_| !is_of_docs(change));
        for change in std::iter::once(change).chain(members.iter().copied()) {
            match uses.filter(|_| self.cancel.check().is_ok()) {
                Some(uses) => doubtful.append(uses.doubtful_uses(change)),
                None => break,
            }
        }
        let DoubtfulUses { broken, calls } = doubtful;
        AssessedSymbol { change, members: members.len(), broken, calls, reach: self.reach_of(change) }
    }

    /// Returns the side on which a symbol is followed: after the change, or before it if it is gone.
    fn side_of<'p>(&self, change: &'p SymbolChange) -> (&Map, Option<&'p SymbolPlace>, bool) {
        match (&change.before, &change.after) {
            (_, Some(after)) => (self.after, Some(after), false),
            (before, None) => (self.before, before.as_ref(), true),
        }
    }

    fn reach_of(&self, change: &SymbolChange) -> SymbolReach {
        let (map, place, is_gone) = self.side_of(change);
        let Some(def) = place.and_then(|place| find_definition(map, place)) else {
            return SymbolReach::default();
        };
        let node = NodeRef::Def(def);
        let uid = (!is_gone).then(|| map.id(node).to_string());
        if is_of_docs(change) {
            return SymbolReach { uid, is_followed: true, ..SymbolReach::default() };
        }
        if self.cancel.check().is_err() {
            return SymbolReach { uid, ..SymbolReach::default() };
        }
        let query = ImpactQuery {
            node,
            max_depth: self.max_depth,
            following: Following::Sure,
            cancel: self.cancel.clone(),
        };
        let answer = map.impact(&query);
        let test = |hit: &Affected| {
            let id = map.id(whole_test(map, hit.node)).to_string();
            ReachingTest { depth: hit.depth, id }
        };
        let mut seen = FxHashSet::default();
        SymbolReach {
            uid,
            dependents: answer.affected.len(),
            users: answer
                .affected
                .iter()
                .filter(|hit| is_direct_user(hit))
                .take(USERS)
                .map(|hit| direct_user(map, hit))
                .collect(),
            tests: answer
                .affected
                .iter()
                .filter(|hit| hit.is_test)
                .map(test)
                .filter(|test| seen.insert(test.id.clone()))
                .collect(),
            is_followed: !answer.incomplete,
        }
    }
}

fn direct_user(map: &Map, hit: &Affected) -> DirectUser {
    let info = map.info(hit.node);
    DirectUser {
        uid: map.id(hit.node).to_string(),
        file: info.as_ref().map(file_of).unwrap_or_default(),
        line: hit.sites.first().copied().or(info.map(|info| info.name_at.0)).unwrap_or_default(),
        confidence: hit.confidence.as_str().to_owned(),
    }
}

/// Returns true if only documentation differs.
pub(super) fn is_of_docs(change: &SymbolChange) -> bool {
    change.fate == SymbolFate::Changed && !change.parts.signature && !change.parts.body
}

/// Returns the definition of a place in a map. If a historic change numbers its name otherwise, the first definition of
/// that name counts.
pub(super) fn find_definition(map: &Map, place: &SymbolPlace) -> Option<DefRef> {
    let path = place.path.as_str();
    map.definition(path, &place.qualified, place.ordinal)
        .or_else(|| map.definition(path, &place.qualified, 1))
}

/// Returns true if a change is reported at its container, because it adds nothing to that.
fn is_follower(change: &SymbolChange) -> bool {
    change.within.is_some() && change.parts.is_empty()
}

/// Returns the rank of a symbol in the order in which symbols are followed.
fn urgency(change: &SymbolChange) -> u8 {
    match change.fate {
        SymbolFate::Removed | SymbolFate::Renamed | SymbolFate::Moved => 0,
        SymbolFate::Changed if change.parts.signature => 1,
        SymbolFate::Changed if change.parts.body => 2,
        SymbolFate::Added => 3,
        SymbolFate::Changed => 4,
    }
}

/// Returns true if a node uses a changed symbol itself, or overrides it.
fn is_direct_user(hit: &Affected) -> bool {
    hit.depth == 1 && !hit.is_test && !matches!(hit.cause, Tie::Edge(EdgeKind::Contains))
}
