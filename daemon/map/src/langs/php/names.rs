//! Finds the meaning of names: `use` clauses, namespaces, paths.
//!
//! A path is dotted. One that begins with `\` starts at the root namespace and is complete; a plain name means one of
//! the file's own namespace, or the name that an import binds it to.

use super::ROOT;
use super::grammar::PhpKind;
use super::rules::PhpRules;
use crate::facts::{ImportInput, ImportKind, Receiver, RefKind};
use crate::langs::support::{child_where, each_child, refer_unbound};
use crate::syntax::Node;
use crate::walk::{Cx, WalkStep};

/// Class names that stand for the enclosing class, or for no class.
const SPECIAL: &[&str] = &["self", "static", "parent", "class", "enum", "true", "false", "null"];

/// A class, function or constant as a reference names it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct PhpReferredName {
    /// The path before the name: empty, [`ROOT`], or a complete path.
    pub(super) before: String,
    pub(super) name: String,
}

impl PhpReferredName {
    /// Returns the whole path, dotted.
    pub(super) fn path(&self) -> String {
        if self.before.is_empty() { self.name.clone() } else { format!("{}.{}", self.before, self.name) }
    }

    fn from_complete_path(path: &str) -> Self {
        match path.rsplit_once('.') {
            Some((before, name)) => Self { before: format!("{ROOT}.{before}"), name: name.to_owned() },
            None => Self { before: ROOT.to_owned(), name: path.to_owned() },
        }
    }
}

impl PhpRules {
    /// Records `use A\B, A\C as D;`, `use function A\f;` and `use A\{B, C as D};`.
    pub(super) fn visit_use_clauses(&mut self, node: Node<'_>, cx: &mut Cx<'_>) -> WalkStep {
        let of_whole = node.child_by_field_id(self.g.f.ty).map_or("", |ty| cx.text(ty)).to_owned();
        let group = node.child_by_field_id(self.g.f.body);
        let prefix = group.and_then(|_| child_where(node, |c| c.kind() == "namespace_name"));
        let prefix = prefix.map_or(String::new(), |prefix| dotted_path(cx.text(prefix)));
        let mut clauses = Vec::new();
        each_child(group.unwrap_or(node), |c, _| {
            clauses.extend((c.kind() == "namespace_use_clause").then_some(c));
        });
        for clause in clauses {
            let ty = clause.child_by_field_id(self.g.f.ty).map_or(&*of_whole, |ty| cx.text(ty)).to_owned();
            self.use_clause(clause, &prefix, &ty, cx);
        }
        WalkStep::Skip
    }

    fn use_clause(&mut self, clause: Node<'_>, prefix: &str, ty: &str, cx: &mut Cx<'_>) {
        let Some(path) =
            child_where(clause, |c| matches!(self.g.kind(c), PhpKind::Name | PhpKind::Qualified))
        else {
            return;
        };
        let mut full = dotted_path(cx.text(path));
        if !prefix.is_empty() {
            full = format!("{prefix}.{full}");
        }
        let last = full.rsplit('.').next().unwrap_or(&full).to_owned();
        let local =
            clause.child_by_field_id(self.g.f.alias).map_or(&*last, |alias| cx.text(alias)).to_owned();
        if ty.is_empty() {
            self.uses.insert(local.clone(), full.clone());
        }
        // A name without a namespace needs no import: its uses are spelt out.
        let Some((module, name)) = full.rsplit_once('.') else { return };
        cx.facts.add_import(&ImportInput {
            kind: ImportKind::Named,
            module,
            name: Some(name),
            local: Some(&local),
            reexported: false,
            owner: cx.owner(),
            line: Cx::lines(clause).0,
        });
    }

    /// Returns the class that a name node means; `None` for `self` and the like, and for other nodes.
    pub(super) fn class_named(&self, node: Node<'_>, cx: &Cx<'_>) -> Option<PhpReferredName> {
        match self.g.kind(node) {
            PhpKind::Name | PhpKind::Qualified | PhpKind::Relative => self.class_written(cx.text(node)),
            _ => None,
        }
    }

    /// Returns the class that a written name means.
    pub(super) fn class_written(&self, written: &str) -> Option<PhpReferredName> {
        let written = written.trim();
        if written.is_empty() || SPECIAL.contains(&&*written.to_ascii_lowercase()) {
            return None;
        }
        let path = dotted_path(written);
        if written.starts_with('\\') {
            return Some(PhpReferredName::from_complete_path(&path));
        }
        if let Some(rest) = path.strip_prefix("namespace.") {
            return Some(self.in_namespace(rest));
        }
        match path.split_once('.') {
            None => Some(match self.uses.get(&path) {
                Some(full) if !full.contains('.') => PhpReferredName::from_complete_path(full),
                None if self.is_further && !self.own_types.contains(&path) => self.in_namespace(&path),
                _ => PhpReferredName { before: String::new(), name: path },
            }),
            Some((first, rest)) => Some(match self.uses.get(first) {
                Some(full) => PhpReferredName::from_complete_path(&format!("{full}.{rest}")),
                None => self.in_namespace(&path),
            }),
        }
    }

    /// Returns the function or constant that a name means. `use` clauses for classes do not apply to plain names.
    pub(super) fn function_named(&self, node: Node<'_>, cx: &Cx<'_>) -> Option<PhpReferredName> {
        let written = cx.text(node);
        match self.g.kind(node) {
            PhpKind::Name => Some(PhpReferredName { before: String::new(), name: written.to_owned() }),
            PhpKind::Qualified | PhpKind::Relative => self.class_written(written),
            _ => None,
        }
    }

    fn in_namespace(&self, rest: &str) -> PhpReferredName {
        if self.namespace.is_empty() {
            PhpReferredName::from_complete_path(rest)
        } else {
            PhpReferredName::from_complete_path(&format!("{}.{rest}", self.namespace))
        }
    }

    /// Records a use of the definition that `named` names, at the last name of `node`.
    pub(super) fn refer_named(
        &mut self,
        named: &PhpReferredName,
        node: Node<'_>,
        kind: RefKind,
        cx: &mut Cx<'_>,
    ) {
        let at = last_name(node);
        self.handled.mark(node);
        self.handled.mark(at);
        let receiver = match &*named.before {
            "" => Receiver::None,
            before => Receiver::Path(cx.facts.intern(before)),
        };
        refer_unbound(cx, &named.name, at, kind, receiver);
    }

    /// Records a use of a class by the node that names it.
    pub(super) fn refer_class(&mut self, node: Node<'_>, kind: RefKind, cx: &mut Cx<'_>) {
        match self.class_named(node, cx) {
            Some(named) => self.refer_named(&named, node, kind, cx),
            None => self.handled.mark(node),
        }
    }
}

/// Returns the last name of a qualified one.
fn last_name(node: Node<'_>) -> Node<'_> {
    match node.named_child_count().checked_sub(1).and_then(|last| node.named_child(last as u32)) {
        Some(last) if last.kind() == "name" => last,
        _ => node,
    }
}

/// Returns a path as written (`\A\B`) with dots: `A.B`.
pub(super) fn dotted_path(written: &str) -> String {
    let parts: Vec<&str> = written.split('\\').map(str::trim).filter(|part| !part.is_empty()).collect();
    parts.join(".")
}
