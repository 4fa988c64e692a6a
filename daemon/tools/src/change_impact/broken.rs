//! Finds the uses of a changed symbol that no longer fit: of a name that is gone, or with a number of arguments that it does not take.
//!
//! A use counts if it surely meant the symbol before the change and is still written after it. What it means then, the map of that side
//! says: a use that leads to another definition fits.

use hob_base::{CancelToken, WsPath};
use hob_change::{Arity, FilePair, SymbolChange, SymbolFate, SymbolPlace};
use hob_map::Map;
use hob_map::facts::{Ref, RefKind};
use hob_map::graph::{Affected, Confidence, EdgeKind, ImpactQuery, NodeRef, Tie};
use hob_proto::tools::change::BrokenUse;
use rustc_hash::FxHashMap;

use super::calls::{CallToCheck, told_arity};

/// Both sides of a change, as questions about uses need them.
pub(super) struct UseCheck<'a> {
    pub(super) before: &'a Map,
    pub(super) after: &'a Map,
    pub(super) pairs: &'a [FilePair],
    /// The qualified names after the change, by path and name before it, of symbols that have others now.
    pub(super) renamed: &'a FxHashMap<(String, String), SymbolPlace>,
    pub(super) cancel: &'a CancelToken,
}

/// A user of a symbol after the change.
struct LaterUser {
    path: WsPath,
    /// Lines of the user; `None` for a file.
    lines: Option<(u32, u32)>,
    name: String,
    confidence: Confidence,
    /// The numbers of arguments that it takes, if it overrides the symbol.
    overrides: Option<Arity>,
    /// 1-based line of its name.
    line: u32,
}

/// The uses of a symbol that do not fit, and the calls whose text has to be read first.
#[derive(Default)]
pub(super) struct DoubtfulUses {
    pub(super) broken: Vec<BrokenUse>,
    pub(super) calls: Vec<CallToCheck>,
}

impl DoubtfulUses {
    /// Takes in the uses of another symbol.
    pub(super) fn append(&mut self, mut others: Self) {
        self.broken.append(&mut others.broken);
        self.calls.append(&mut others.calls);
    }
}

impl UseCheck<'_> {
    /// Finds the uses that do not fit a change, or may not.
    pub(super) fn doubtful_uses(&self, change: &SymbolChange) -> DoubtfulUses {
        let mut found = DoubtfulUses::default();
        let Some(before) = &change.before else { return found };
        let users = self.later_users(before);
        if change.fate < SymbolFate::Changed {
            found.broken = self.lost_uses(change, before, &users);
        }
        let declared =
            change.after.as_ref().filter(|after| after.kind.is_callable() && change.parts.signature);
        if let Some((after, arities)) =
            declared.and_then(|after| Some((after, changed_arity(before, after)?)))
        {
            let left = users.iter().filter(|user| user.overrides == Some(arities.before));
            found.broken.extend(left.map(|user| {
                let why = format!("overrides it and takes {}", told_arity(arities.before));
                broken_use(user, user.line, why)
            }));
            found.calls = self.calls_to_check(after, arities, &users);
        }
        found
    }

    /// Those that used the symbol before and are still there.
    fn later_users(&self, before: &SymbolPlace) -> Vec<LaterUser> {
        let found = self.before.definition(before.path.as_str(), &before.qualified, before.ordinal);
        let Some(def) = found else { return Vec::new() };
        let query = ImpactQuery { node: NodeRef::Def(def), max_depth: 1, cancel: self.cancel.clone() };
        let answer = self.before.impact(&query);
        let is_use = |hit: &&Affected| hit.cause != Tie::Edge(EdgeKind::Exports);
        let of_itself = |hit: &&Affected| hit.via == NodeRef::Def(def);
        answer
            .affected
            .iter()
            .filter(is_use)
            .filter(of_itself)
            .filter_map(|hit| self.later_user(hit))
            .collect()
    }

    fn later_user(&self, hit: &Affected) -> Option<LaterUser> {
        let info = self.before.info(hit.node)?;
        let path = info.path?;
        let confidence = hit.confidence;
        if info.qualified.is_empty() {
            let path = self.path_after(&path);
            self.after.file_at(path.as_str())?;
            return Some(LaterUser {
                path,
                lines: None,
                name: String::new(),
                confidence,
                overrides: None,
                line: 1,
            });
        }
        let key = (path.to_string(), info.qualified.clone());
        let (path, name) = match self.renamed.get(&key) {
            Some(place) => (place.path.clone(), place.qualified.clone()),
            None => (path, info.qualified),
        };
        let def = self.after.definition(path.as_str(), &name, 1)?;
        let info = self.after.info(NodeRef::Def(def))?;
        let overrides =
            (hit.cause == Tie::Overrides).then(|| Arity::of_signature(&info.signature, &info.name));
        Some(LaterUser {
            path,
            lines: Some(info.lines),
            name,
            confidence,
            overrides: overrides.flatten(),
            line: info.name_at.0,
        })
    }

    /// The path after the change of a file at a path before it.
    fn path_after(&self, path: &WsPath) -> WsPath {
        let is_it = |pair: &&FilePair| pair.before.as_ref().is_some_and(|before| before.path == *path);
        let pair = self.pairs.iter().find(is_it);
        pair.and_then(|pair| pair.after.as_ref()).map_or_else(|| path.clone(), |after| after.path.clone())
    }

    /// References to `name` that a user has after the change.
    fn references(&self, user: &LaterUser, name: &str) -> Vec<Ref> {
        let file = self.after.file_at(user.path.as_str()).and_then(|file| self.after.file(file));
        let Some((_, facts)) = file else { return Vec::new() };
        let is_in = |line: u32| match user.lines {
            Some((first, last)) => (first..=last).contains(&line),
            None => true,
        };
        let at_top = |found: &Ref| user.lines.is_some() || found.owner.is_none();
        let refs = facts.refs.iter().filter(|found| facts.name(found.name) == name);
        refs.filter(|found| is_in(found.line) && at_top(found)).copied().collect()
    }

    /// Uses of a name that leads nowhere any more.
    fn lost_uses(&self, change: &SymbolChange, before: &SymbolPlace, users: &[LaterUser]) -> Vec<BrokenUse> {
        let why = match (change.fate, &change.after) {
            (SymbolFate::Renamed, Some(after)) => {
                format!("uses the old name `{}`", name_before(before, after))
            }
            (SymbolFate::Moved, Some(after)) => format!("expects it in {}", container_of(before, after)),
            _ => "uses what is removed".to_owned(),
        };
        let mut found = Vec::new();
        for user in users {
            let refs = self.references(user, &before.name);
            let lost =
                refs.into_iter().filter(|found| !self.leads_somewhere(&user.path, found, &before.name));
            found.extend(lost.map(|lost| broken_use(user, lost.line, why.clone())));
            found.extend(self.lost_imports(user, before, &why));
        }
        found
    }

    fn leads_somewhere(&self, path: &WsPath, found: &Ref, name: &str) -> bool {
        let meant = self.after.defs_meant_at(path.as_str(), (found.line, found.col), name);
        meant.iter().any(|(_, confidence)| *confidence != Confidence::Candidate)
    }

    /// Imports of a name that the module does not have any more.
    fn lost_imports(&self, user: &LaterUser, before: &SymbolPlace, why: &str) -> Vec<BrokenUse> {
        let file = self.after.file_at(user.path.as_str()).and_then(|file| self.after.file(file));
        let Some((_, facts)) = file else { return Vec::new() };
        let named =
            |name: Option<hob_map::facts::StrId>| name.is_some_and(|name| facts.name(name) == before.name);
        let imports = facts.imports.iter().filter(|import| named(import.name));
        let lost = imports.filter(|import| {
            let local = import.local.or(import.name).map_or("", |name| facts.name(name));
            let target = self.after.imported_at(user.path.as_str(), import.line, local);
            !matches!(target, Some(NodeRef::Def(_)))
        });
        let lost = lost.map(|import| broken_use(user, import.line, why.to_owned()));
        lost.map(|lost| BrokenUse { name: String::new(), ..lost }).collect()
    }

    /// Calls of a symbol that takes another number of arguments now.
    fn calls_to_check(
        &self,
        after: &SymbolPlace,
        arities: ChangedArity,
        users: &[LaterUser],
    ) -> Vec<CallToCheck> {
        let target = self.after.definition(after.path.as_str(), &after.qualified, after.ordinal);
        let mut found = Vec::new();
        for user in users {
            let calls =
                self.references(user, &after.name).into_iter().filter(|call| call.kind == RefKind::Call);
            let is_of_it = |call: &Ref| {
                let meant = self.after.defs_meant_at(user.path.as_str(), (call.line, call.col), &after.name);
                meant.is_empty() || meant.iter().any(|(def, _)| Some(*def) == target)
            };
            found.extend(calls.filter(is_of_it).map(|call| CallToCheck {
                path: user.path.clone(),
                name: after.name.clone(),
                before: arities.before,
                after: arities.after,
                found: broken_use(user, call.line, String::new()),
            }));
        }
        found
    }
}

/// The numbers of arguments of a symbol that takes others now.
#[derive(Clone, Copy)]
struct ChangedArity {
    before: Arity,
    after: Arity,
}

fn changed_arity(before: &SymbolPlace, after: &SymbolPlace) -> Option<ChangedArity> {
    let old = Arity::of_signature(&before.signature, &before.name)?;
    let new = Arity::of_signature(&after.signature, &after.name)?;
    (old != new).then_some(ChangedArity { before: old, after: new })
}

fn broken_use(user: &LaterUser, line: u32, why: String) -> BrokenUse {
    BrokenUse {
        file: user.path.to_string(),
        line,
        name: user.name.clone(),
        why,
        confidence: user.confidence.as_str().to_owned(),
    }
}

/// The name before, qualified where only the container has another one.
fn name_before<'p>(before: &'p SymbolPlace, after: &SymbolPlace) -> &'p str {
    if before.name == after.name { &before.qualified } else { &before.name }
}

fn container_of(before: &SymbolPlace, after: &SymbolPlace) -> String {
    if before.path == after.path {
        let end = before.qualified.len().saturating_sub(before.name.len() + 1);
        return format!("`{}`", before.qualified.get(..end).unwrap_or_default());
    }
    before.path.to_string()
}
