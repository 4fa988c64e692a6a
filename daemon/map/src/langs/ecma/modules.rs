//! Records imports and exports of ECMAScript modules.
//!
//! `export { a as b } from 'x'` is an import that is passed on: with the local name `b`, because other files ask for it
//! by that name; without a local name when it keeps its own.

use super::Ecma;
use super::defs::New;
use crate::facts::{DefKind, ImportInput, ImportKind};
use crate::syntax::{Node, all_children, named_children};
use crate::walk::{Cx, WalkStep};

/// A binding of an import, without its place.
struct Binds<'t> {
    kind: ImportKind,
    module: &'t str,
    name: Option<&'t str>,
    local: Option<&'t str>,
    reexported: bool,
}

impl Ecma {
    /// Records an import statement: `import ...`.
    pub(super) fn visit_import<'t>(&mut self, node: Node<'t>, cx: &mut Cx<'t>) -> WalkStep {
        let clause = named_children(node).find(|c| c.kind().ends_with("_clause"));
        match clause {
            Some(clause) if clause.kind() == "import_require_clause" => {
                let source = clause.child_by_field_id(self.grammar.fields.source);
                let local = clause.named_child(0).map(|name| cx.text(name));
                if let (Some(module), Some(local)) =
                    (source.and_then(|s| self.type_reader(cx).string_text(s)), local)
                {
                    whole_module(cx, node, module, local);
                }
            }
            clause => {
                let source = node.child_by_field_id(self.grammar.fields.source);
                let Some(module) = source.and_then(|s| self.type_reader(cx).string_text(s)) else {
                    return WalkStep::Skip;
                };
                match clause {
                    Some(clause) => self.import_clause(clause, module, cx),
                    None => bind(cx, node, &Binds { module, ..effect_import() }),
                }
            }
        }
        WalkStep::Skip
    }

    /// Defines the name of `import A = ns.B` as an alias.
    pub(super) fn visit_import_alias<'t>(&mut self, node: Node<'t>, cx: &mut Cx<'t>) -> WalkStep {
        let wrap = self.take_wrap(node, cx);
        if let Some(at) = node.named_child(0).filter(|at| !cx.text(*at).is_empty()) {
            self.handled.mark(at);
            let head = (node.start_byte(), node.end_byte());
            let new = New { name: cx.text(at), at, kind: DefKind::TypeAlias, head, visible: wrap.exported };
            self.make_def(&new, &wrap, None, cx);
        }
        WalkStep::Into
    }

    fn import_clause<'t>(&self, clause: Node<'t>, module: &'t str, cx: &mut Cx<'t>) {
        for part in named_children(clause) {
            match part.kind() {
                "identifier" => {
                    let (name, local) = (Some("default"), Some(cx.text(part)));
                    bind(
                        cx,
                        part,
                        &Binds { kind: ImportKind::Named, module, name, local, reexported: false },
                    );
                }
                "namespace_import" => {
                    let local = part.named_child(0).map(|name| cx.text(name));
                    bind(cx, part, &Binds { kind: ImportKind::Module, module, local, ..effect_import() });
                }
                "named_imports" => self.named_imports(part, module, cx),
                _ => {}
            }
        }
    }

    fn named_imports<'t>(&self, list: Node<'t>, module: &'t str, cx: &mut Cx<'t>) {
        for specifier in named_children(list) {
            let Some((name, alias)) = self.specifier_names(specifier, cx) else { continue };
            let binds = Binds {
                kind: ImportKind::Named,
                module,
                name: Some(name),
                local: Some(alias.unwrap_or(name)),
                reexported: false,
            };
            bind(cx, specifier, &binds);
        }
    }

    /// Returns the name and alias of `a as b`; names may be strings.
    fn specifier_names<'t>(&self, node: Node<'t>, cx: &Cx<'t>) -> Option<(&'t str, Option<&'t str>)> {
        let f = &self.grammar.fields;
        let word = |n: Node<'t>| self.type_reader(cx).string_text(n).unwrap_or_else(|| cx.text(n));
        let name = node.child_by_field_id(f.name).map(word)?;
        Some((name, node.child_by_field_id(f.alias).map(word)))
    }

    /// Records an export statement: `export ...`.
    pub(super) fn visit_export<'t>(&mut self, node: Node<'t>, cx: &mut Cx<'t>) -> WalkStep {
        let f = &self.grammar.fields;
        if let Some(declaration) = node.child_by_field_id(f.declaration) {
            return self.export_declaration(node, declaration, cx);
        }
        if let Some(source) = node.child_by_field_id(f.source) {
            if let Some(module) = self.type_reader(cx).string_text(source) {
                self.export_from(node, module, cx);
            }
            return WalkStep::Skip;
        }
        let children: Vec<Node<'t>> = all_children(node).collect();
        if let Some(clause) = children.iter().find(|c| c.kind() == "export_clause") {
            self.export_clause(*clause, cx);
            return WalkStep::Skip;
        }
        let value = node.child_by_field_id(f.value);
        let assigned = children.iter().any(|c| c.kind() == "=");
        let value = value.or_else(|| children.iter().copied().find(|c| assigned && c.is_named()));
        match value {
            Some(value) => self.export_value(node, value, cx),
            None => WalkStep::Skip,
        }
    }

    fn export_declaration<'t>(&mut self, node: Node<'t>, declaration: Node<'t>, cx: &mut Cx<'t>) -> WalkStep {
        let mut wrap = self.take_wrap(node, cx);
        wrap.exported = true;
        wrap.default = is_default(node);
        if matches!(declaration.kind(), "class_declaration" | "abstract_class_declaration") {
            let (name, at) = self.name_or_default(declaration, cx);
            self.open_class(declaration, name, at, &wrap, cx);
            self.opened = declaration.id();
        } else {
            self.around = Some((declaration.id(), wrap));
        }
        WalkStep::Into
    }

    fn export_from<'t>(&self, node: Node<'t>, module: &'t str, cx: &mut Cx<'t>) {
        let part = named_children(node).find(|c| c.kind() != "string" && c.kind() != "comment");
        let all = Binds { kind: ImportKind::Star, module, name: None, local: None, reexported: true };
        match part {
            Some(part) if part.kind() == "namespace_export" => {
                let local = part
                    .named_child(0)
                    .map(|n| self.type_reader(cx).string_text(n).unwrap_or_else(|| cx.text(n)));
                bind(cx, part, &Binds { kind: ImportKind::Module, local, ..all });
            }
            Some(part) if part.kind() == "export_clause" => {
                for specifier in named_children(part) {
                    let Some((name, alias)) = self.specifier_names(specifier, cx) else { continue };
                    let local = alias.filter(|alias| *alias != name);
                    bind(cx, specifier, &Binds { kind: ImportKind::Named, name: Some(name), local, ..all });
                }
            }
            _ => bind(cx, node, &all),
        }
    }

    fn export_clause<'t>(&mut self, clause: Node<'t>, cx: &mut Cx<'t>) {
        for specifier in named_children(clause) {
            if let Some((local, alias)) = self.specifier_names(specifier, cx) {
                self.record_export(local, alias.unwrap_or(local), cx);
            }
        }
    }

    /// Records that a name of this file is exported.
    pub(super) fn record_export(&mut self, local: &str, exported: &str, cx: &mut Cx<'_>) {
        cx.facts.add_export(local, exported);
        self.exported.push((local.to_owned(), exported == "default"));
    }

    /// Records `export default value`, `export = value` and `module.exports = value`.
    pub(super) fn export_value<'t>(&mut self, node: Node<'t>, value: Node<'t>, cx: &mut Cx<'t>) -> WalkStep {
        if value.kind() == "identifier" {
            self.record_export(cx.text(value), "default", cx);
            return WalkStep::Skip;
        }
        let mut wrap = self.take_wrap(node, cx);
        (wrap.exported, wrap.default) = (true, true);
        let own_name = value.child_by_field_id(self.grammar.fields.name).filter(|n| !cx.text(*n).is_empty());
        let (name, at) = own_name.map_or(("default", value), |at| (cx.text(at), at));
        match value.kind() {
            "class" => {
                self.open_class(value, name, at, &wrap, cx);
                self.opened = value.id();
            }
            "function_expression" | "generator_function" | "arrow_function" => {
                let new = New { name, at, kind: DefKind::Function, head: self.head(value), visible: true };
                self.make_def(&new, &wrap, Some(true), cx);
                self.opened = value.id();
            }
            _ => self.export_plain(value, &wrap, cx),
        }
        WalkStep::Into
    }

    fn export_plain<'t>(&mut self, value: Node<'t>, wrap: &super::defs::DeclarationWrapper, cx: &mut Cx<'t>) {
        let line = cx.slice(wrap.bytes.0 as usize, wrap.bytes.1 as usize).lines().next().map_or(0, str::len);
        let start = wrap.bytes.0 as usize;
        let head = (start, start + line);
        let new = New { name: "default", at: value, kind: DefKind::Constant, head, visible: true };
        let scope = self.has_inside(value).then_some(false);
        self.make_def(&new, wrap, scope, cx);
        if let Some(object) = self.object_in(value) {
            self.objects.insert(object.id());
        }
    }
}

fn effect_import<'t>() -> Binds<'t> {
    Binds { kind: ImportKind::Effect, module: "", name: None, local: None, reexported: false }
}

fn bind(cx: &mut Cx<'_>, at: Node<'_>, binds: &Binds<'_>) {
    let owner = cx.owner();
    cx.facts.add_import(&ImportInput {
        kind: binds.kind,
        module: binds.module,
        name: binds.name,
        local: binds.local,
        reexported: binds.reexported,
        owner,
        line: Cx::lines(at).0,
    });
}

/// Records the import of `const local = require('module')`: the module's one export if it has one, the module itself if
/// not. One file cannot tell which of the two it is, so both are recorded, the first choice first.
pub(super) fn whole_module<'t>(cx: &mut Cx<'t>, at: Node<'t>, module: &'t str, local: &'t str) {
    let named = Binds {
        kind: ImportKind::Named,
        module,
        name: Some("default"),
        local: Some(local),
        reexported: false,
    };
    bind(cx, at, &named);
    bind(cx, at, &Binds { kind: ImportKind::Module, name: None, ..named });
}

/// Records the import of one name of a module by `require`.
pub(super) fn import_required_name<'t>(
    cx: &mut Cx<'t>,
    at: Node<'t>,
    module: &'t str,
    name: &'t str,
    local: &'t str,
) {
    let (name, local) = (Some(name), Some(local));
    bind(cx, at, &Binds { kind: ImportKind::Named, module, name, local, reexported: false });
}

/// Records the import of a module under a name.
pub(super) fn import_namespace<'t>(cx: &mut Cx<'t>, at: Node<'t>, module: &'t str, local: &'t str) {
    bind(cx, at, &Binds { kind: ImportKind::Module, module, local: Some(local), ..effect_import() });
}

/// Records a re-export: `exports.exported = require('module').name`.
pub(super) fn record_reexport<'t>(
    cx: &mut Cx<'t>,
    at: Node<'t>,
    module: &'t str,
    name: &'t str,
    exported: &'t str,
) {
    let local = (name != exported).then_some(exported);
    bind(cx, at, &Binds { kind: ImportKind::Named, module, name: Some(name), local, reexported: true });
}

/// Records the re-export of `module.exports = require('module')`, or of one property of the module.
pub(super) fn pass_on<'t>(cx: &mut Cx<'t>, at: Node<'t>, module: &'t str, name: Option<&'t str>) {
    record_reexport(cx, at, module, name.unwrap_or("default"), "default");
    if name.is_none() {
        let all = Binds { kind: ImportKind::Star, module, name: None, local: None, reexported: true };
        bind(cx, at, &all);
    }
}

fn is_default(export: Node<'_>) -> bool {
    all_children(export).any(|child| child.kind() == "default")
}
