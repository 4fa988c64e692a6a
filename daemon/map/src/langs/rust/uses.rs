//! Records `use` and `extern crate`.
//!
//! A module is written with `::`, as in the source: `use a::b::c` is the name `c` of the module `a::b` (the resolution
//! finds out whether `c` is itself a module), `use a::b::{self}` and `use a` are modules, `use a::*` a star. Within a
//! module that has its body in the file, `self` and `super` are rewritten to hold for the file: `use super::f` in `mod
//! tests { }` is `self::f`.

use super::grammar::RustKind;
use super::refs::without_raw_prefix;
use super::rules::RustWalk;
use crate::facts::{DefFlags, ImportInput, ImportKind};
use crate::langs::support::each_child;
use crate::syntax::Node;
use crate::walk::{Cx, WalkStep};

/// Longest module path that is recorded, in bytes.
const MODULE_LIMIT: usize = 1000;

/// One binding of a `use` tree.
struct UseBinding<'a> {
    /// The path up to and including the name, `::`-separated.
    path: &'a str,
    /// The name after `as`, if there is one.
    alias: Option<&'a str>,
    /// True if the path ends in `self`: it names the module itself.
    module: bool,
    line: u32,
}

impl RustWalk {
    pub(super) fn visit_use_declaration(&mut self, node: Node<'_>, cx: &mut Cx<'_>) -> WalkStep {
        let public = self.visibility(node).has(DefFlags::EXPORTED);
        let mut todo: Vec<(Node<'_>, String)> = Vec::new();
        self.path_from_file(node, &[]);
        todo.extend(node.child_by_field_id(self.g.f.argument).map(|tree| (tree, String::new())));
        while let Some((tree, prefix)) = todo.pop() {
            match tree.kind() {
                "use_list" => {
                    let at = todo.len();
                    each_child(tree, |child, _| {
                        if child.is_named() {
                            todo.push((child, prefix.clone()));
                        }
                    });
                    todo[at..].reverse();
                }
                "scoped_use_list" => {
                    let path = tree.child_by_field_id(self.g.f.path).map_or("", |path| cx.text(path));
                    let prefix = join_use_path(&prefix, path);
                    if let Some(list) =
                        tree.child_by_field_id(self.g.f.list).filter(|_| prefix.len() < MODULE_LIMIT)
                    {
                        todo.push((list, prefix));
                    }
                }
                _ => self.use_leaf(tree, &prefix, public, cx),
            }
        }
        WalkStep::Skip
    }

    fn use_leaf(&mut self, tree: Node<'_>, prefix: &str, public: bool, cx: &mut Cx<'_>) {
        let line = Cx::lines(tree).0;
        match tree.kind() {
            "use_wildcard" => {
                let path = tree.named_child(0).map_or("", |path| cx.text(path));
                let module = self.file_path(tree, join_use_path(prefix, path));
                let owner = cx.owner();
                cx.facts.add_import(&ImportInput {
                    kind: ImportKind::Star,
                    module: &module,
                    name: None,
                    local: None,
                    reexported: public,
                    owner,
                    line,
                });
            }
            "use_as_clause" => {
                let path = tree.child_by_field_id(self.g.f.path);
                let alias = tree.child_by_field_id(self.g.f.alias).map_or("_", |alias| cx.text(alias));
                let module = path.is_some_and(|path| self.g.kind(path) == RustKind::SelfValue);
                let path =
                    join_use_path(prefix, if module { "" } else { path.map_or("", |path| cx.text(path)) });
                let path = self.file_path(tree, path);
                bind(&UseBinding { path: &path, alias: Some(alias), module, line }, public, cx);
            }
            "self" => bind(
                &UseBinding {
                    path: &self.file_path(tree, prefix.to_owned()),
                    alias: None,
                    module: true,
                    line,
                },
                public,
                cx,
            ),
            "identifier" | "scoped_identifier" | "crate" | "super" => {
                let path = self.file_path(tree, join_use_path(prefix, cx.text(tree)));
                bind(&UseBinding { path: &path, alias: None, module: false, line }, public, cx);
            }
            _ => {}
        }
    }

    /// Returns a path whose `self` and `super` hold for the file.
    fn file_path(&mut self, at: Node<'_>, path: String) -> String {
        let segments: Vec<&str> = path.split("::").collect();
        self.path_from_file(at, &segments).join("::")
    }

    pub(super) fn visit_extern_crate(&mut self, node: Node<'_>, cx: &mut Cx<'_>) -> WalkStep {
        let public = self.visibility(node).has(DefFlags::EXPORTED);
        let name = node.child_by_field_id(self.g.f.name).map_or("", |name| cx.text(name));
        let alias = node.child_by_field_id(self.g.f.alias).map(|alias| cx.text(alias));
        bind(&UseBinding { path: name, alias, module: true, line: Cx::lines(node).0 }, public, cx);
        WalkStep::Skip
    }
}

fn bind(bound: &UseBinding<'_>, public: bool, cx: &mut Cx<'_>) {
    let path = bound.path.trim_start_matches("::");
    let (module, name) = path.rsplit_once("::").unwrap_or((path, ""));
    let last = if name.is_empty() { module } else { name };
    if path.is_empty() || path.len() > MODULE_LIMIT {
        return;
    }
    let local = bound.alias.or(Some(last)).map(without_raw_prefix).filter(|local| *local != "_");
    let whole = bound.module || name.is_empty();
    let owner = cx.owner();
    cx.facts.add_import(&ImportInput {
        kind: if whole { ImportKind::Module } else { ImportKind::Named },
        module: if whole { path } else { module },
        name: (!whole).then_some(without_raw_prefix(name)),
        local,
        reexported: public,
        owner,
        line: bound.line,
    });
}

/// Joins a path to a prefix, without white space.
fn join_use_path(prefix: &str, path: &str) -> String {
    let path: String = path.split_whitespace().collect();
    match (prefix.is_empty(), path.is_empty()) {
        (true, _) => path,
        (_, true) => prefix.to_owned(),
        _ => format!("{prefix}::{path}"),
    }
}
