//! Finds the uses of a changed symbol that no longer fit: uses of a name that is gone, or with a number of arguments
//! that it does not take.
//!
//! A use counts if it surely meant the symbol before the change and is still written after it. The map of that side
//! says what the use means then: a use that leads to another definition fits.

use hob_base::{CancelToken, WsPath};
use hob_change::{Arity, FilePair, SymbolChange, SymbolFate, SymbolPlace, counts_arguments};
use hob_map::facts::{DefKind, Import, Ref, RefKind};
use hob_map::graph::{Affected, Confidence, EdgeKind, Following, ImpactQuery, NodeKind, NodeRef, Tie};
use hob_map::{FileFacts, Map};
use hob_proto::tools::change::BrokenUse;
use rustc_hash::{FxHashMap, FxHashSet};

use super::calls::{CallToCheck, told_arity};

/// Both sides of a change, for questions about uses.
pub(super) struct UseCheck<'a> {
    pub(super) before: &'a Map,
    pub(super) after: &'a Map,
    pub(super) pairs: &'a [FilePair],
    /// The later places, by path and name before the change, of symbols that have another path or name now.
    pub(super) renamed: &'a FxHashMap<(String, String), SymbolPlace>,
    pub(super) cancel: &'a CancelToken,
}

/// A user of a symbol after the change.
struct LaterUser {
    path: WsPath,
    /// The path of the file before the change.
    was: WsPath,
    /// Lines of the user; `None` for a file.
    lines: Option<(u32, u32)>,
    name: String,
    confidence: Confidence,
    /// The numbers of arguments that the user takes, if it overrides the symbol.
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
    /// Appends the uses of another symbol.
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
        let mut users = self.later_users(before);
        if self.is_written_in_an_object(before) {
            users.retain(|user| user.confidence < Confidence::Name);
        }
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

    /// Returns true for a member of an object literal (`const config = { base: 1 }`). Any other object may have a
    /// member of that name without a definition that the map knows, so a use that only shares the name is no use of
    /// this one.
    fn is_written_in_an_object(&self, before: &SymbolPlace) -> bool {
        let is_object = |container: &str| {
            let def = self.before.definition(before.path.as_str(), container, 1);
            let kind = def.and_then(|def| self.before.info(NodeRef::Def(def))).map(|info| info.kind);
            matches!(kind, Some(NodeKind::Def(DefKind::Variable | DefKind::Constant | DefKind::Field)))
        };
        before.qualified.match_indices('.').any(|(end, _)| is_object(&before.qualified[..end]))
    }

    /// Returns the users of the symbol before the change that are still there.
    fn later_users(&self, before: &SymbolPlace) -> Vec<LaterUser> {
        let found = self.before.definition(before.path.as_str(), &before.qualified, before.ordinal);
        let Some(def) = found else { return Vec::new() };
        let query = ImpactQuery {
            node: NodeRef::Def(def),
            max_depth: 1,
            following: Following::Sure,
            cancel: self.cancel.clone(),
        };
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
        let was = info.path?;
        let confidence = hit.confidence;
        if info.qualified.is_empty() {
            let path = self.path_after(&was);
            self.after.file_at(path.as_str())?;
            return Some(LaterUser {
                path,
                was,
                lines: None,
                name: String::new(),
                confidence,
                overrides: None,
                line: 1,
            });
        }
        let key = (was.to_string(), info.qualified.clone());
        let (path, name) = match self.renamed.get(&key) {
            Some(place) => (place.path.clone(), place.qualified.clone()),
            None => (was.clone(), info.qualified),
        };
        let def = self.after.definition(path.as_str(), &name, 1)?;
        let info = self.after.info(NodeRef::Def(def))?;
        let overrides =
            (hit.cause == Tie::Overrides).then(|| Arity::of_signature(&info.signature, &info.name));
        Some(LaterUser {
            path,
            was,
            lines: Some(info.lines),
            name,
            confidence,
            overrides: overrides.flatten(),
            line: info.name_at.0,
        })
    }

    /// Returns the path after the change of the file that had a path before it.
    fn path_after(&self, path: &WsPath) -> WsPath {
        let is_it = |pair: &&FilePair| pair.before.as_ref().is_some_and(|before| before.path == *path);
        let pair = self.pairs.iter().find(is_it);
        pair.and_then(|pair| pair.after.as_ref()).map_or_else(|| path.clone(), |after| after.path.clone())
    }

    /// Returns the references to `name` that a user has after the change.
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

    /// Returns the uses of a name that no longer leads anywhere.
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
            let lost = self.lost_imports(user, before);
            // If the file now imports the name from elsewhere, its references mean that.
            let is_rebound = self.imports_of(user, before).any(|import| !lost.contains(&import.line));
            let refs = self.references(user, &before.name).into_iter().filter(|_| !is_rebound);
            let unbound = refs.filter(|found| !self.leads_somewhere(&user.path, found, &before.name));
            found.extend(unbound.map(|found| broken_use(user, found.line, why.clone())));
            let imports = lost.into_iter().map(|line| broken_use(user, line, why.clone()));
            found.extend(imports.map(|import| BrokenUse { name: String::new(), ..import }));
        }
        found
    }

    fn leads_somewhere(&self, path: &WsPath, found: &Ref, name: &str) -> bool {
        let meant = self.after.defs_meant_at(path.as_str(), (found.line, found.col()), name);
        meant.iter().any(|(_, confidence)| *confidence != Confidence::Candidate)
    }

    /// Returns the imports of a symbol's name in the file of a user, after the change.
    fn imports_of<'s>(
        &'s self,
        user: &LaterUser,
        before: &'s SymbolPlace,
    ) -> impl Iterator<Item = &'s Import> {
        let facts = self.facts_after(&user.path);
        let named = move |import: &&Import| {
            import.name.is_some_and(|name| facts.is_some_and(|facts| facts.name(name) == before.name))
        };
        facts.into_iter().flat_map(|facts| &facts.imports).filter(named)
    }

    fn facts_after(&self, path: &WsPath) -> Option<&FileFacts> {
        let file = self.after.file_at(path.as_str())?;
        self.after.file(file).map(|(_, facts)| &**facts)
    }

    /// Returns the lines of imports that led to the symbol before the change and lead to nothing after it.
    fn lost_imports(&self, user: &LaterUser, before: &SymbolPlace) -> Vec<u32> {
        let Some(facts) = self.facts_after(&user.path) else { return Vec::new() };
        let modules = self.modules_before(user, before);
        let lost = self.imports_of(user, before).filter(|import| {
            let local = import.local.or(import.name).map_or("", |name| facts.name(name));
            let target = self.after.imported_at(user.path.as_str(), import.line, local);
            modules.contains(&facts.name(import.module)) && !matches!(target, Some(NodeRef::Def(_)))
        });
        lost.map(|import| import.line).collect()
    }

    /// Returns the modules from which the file of a user imported the symbol before the change.
    fn modules_before(&self, user: &LaterUser, before: &SymbolPlace) -> FxHashSet<&str> {
        let file = self.before.file_at(user.was.as_str()).and_then(|file| self.before.file(file));
        let Some((path, facts)) = file else { return FxHashSet::default() };
        let named = |import: &&Import| import.name.is_some_and(|name| facts.name(name) == before.name);
        let led_to_it = |import: &&Import| {
            let local = import.local.or(import.name).map_or("", |name| facts.name(name));
            matches!(self.before.imported_at(path.as_str(), import.line, local), Some(NodeRef::Def(_)))
        };
        let imports = facts.imports.iter().filter(named).filter(led_to_it);
        imports.map(|import| facts.name(import.module)).collect()
    }

    /// Returns the calls of a symbol that takes another number of arguments now.
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
                self.references(user, &after.name).into_iter().filter(|call| call.kind() == RefKind::Call);
            let is_of_it = |call: &Ref| {
                let meant =
                    self.after.defs_meant_at(user.path.as_str(), (call.line, call.col()), &after.name);
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

/// The numbers of arguments of a symbol before and after a change of them.
#[derive(Clone, Copy)]
struct ChangedArity {
    before: Arity,
    after: Arity,
}

fn changed_arity(before: &SymbolPlace, after: &SymbolPlace) -> Option<ChangedArity> {
    if !counts_arguments(after.path.as_str()) {
        return None;
    }
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

/// Returns the earlier name, qualified if only the container has another one.
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
