//! Records the import statements of a Python file. Those inside `if TYPE_CHECKING:` and `try:` bind their names as any
//! others do.

use super::grammar::FIELDS;
use super::types::{dotted_path, head};
use crate::facts::{ImportInput, ImportKind};
use crate::syntax::{Node, named_children};
use crate::walk::{Cx, WalkStep};

/// Records `import a.b.c` and `import a.b.c as m`.
pub(super) fn visit_import<'t>(node: Node<'t>, cx: &mut Cx<'t>) -> WalkStep {
    for item in node.children_by_field_name("name") {
        let alias = item.child_by_field_id(FIELDS.alias).map(|alias| cx.text(alias));
        let name = item.child_by_field_id(FIELDS.name).unwrap_or(item);
        let Some(module) = dotted_path(cx.source, name) else { continue };
        let first = head(&module);
        match alias {
            Some(alias) => bind(cx, item, (ImportKind::Module, &module), (None, Some(alias))),
            None => bind(cx, item, (ImportKind::Module, first), (None, Some(first))),
        }
        if alias.is_none() && first != module {
            bind(cx, item, (ImportKind::Effect, &module), (None, None));
        }
    }
    WalkStep::Skip
}

/// Records `from a import b as c, d`, `from . import b` and `from a import *`.
pub(super) fn import_from<'t>(node: Node<'t>, cx: &mut Cx<'t>) -> WalkStep {
    let module = match node.child_by_field_id(FIELDS.module_name) {
        Some(module) => cx.text(module).split_whitespace().collect::<String>(),
        None => "__future__".to_owned(),
    };
    for item in node.children_by_field_name("name") {
        let name = item.child_by_field_id(FIELDS.name).unwrap_or(item);
        let name = cx.text(name);
        let local = item.child_by_field_id(FIELDS.alias).map_or(name, |alias| cx.text(alias));
        bind(cx, item, (ImportKind::Named, &module), (Some(name), Some(local)));
    }
    if named_children(node).any(|child| child.kind() == "wildcard_import") {
        bind(cx, node, (ImportKind::Star, &module), (None, None));
    }
    WalkStep::Skip
}

fn bind(cx: &mut Cx<'_>, at: Node<'_>, what: (ImportKind, &str), names: (Option<&str>, Option<&str>)) {
    let owner = cx.owner();
    let import = ImportInput {
        kind: what.0,
        module: what.1,
        name: names.0,
        local: names.1,
        reexported: owner.is_none(),
        owner,
        line: Cx::lines(at).0,
    };
    cx.facts.add_import(&import);
}
