//! Records `alias`, `import`, `require` and `use`.

use super::grammar::ElixirKind;
use super::heads::{arguments, key_text, keys, keyword};
use super::imports::USING;
use super::rules::ElixirRules;
use crate::facts::{ImportInput, ImportKind};
use crate::langs::support::each_child;
use crate::syntax::Node;
use crate::walk::{Cx, WalkStep};

impl ElixirRules {
    /// Visits a directive, whose modules are imports and no uses.
    pub(super) fn visit_directive(&mut self, node: Node<'_>, word: &str, cx: &mut Cx<'_>) -> WalkStep {
        let given = arguments(node);
        let Some(first) = given.first().copied() else { return WalkStep::Skip };
        for module in self.directive_modules(first, cx) {
            match word {
                "alias" => self.add_alias(node, &module, &given, cx),
                "import" => self.add_star(node, &module, &given, cx),
                "use" => {
                    self.add_import(node, ImportKind::Effect, &module, None, cx);
                    self.add_import(node, ImportKind::Star, &format!("{module}{USING}"), None, cx);
                }
                _ if keyword(&given, "as", cx).is_some() => self.add_alias(node, &module, &given, cx),
                _ => self.add_import(node, ImportKind::Effect, &module, None, cx),
            }
        }
        WalkStep::Skip
    }

    /// Returns the full names of the modules in `A.B`, `A.{B, C.D}` or `__MODULE__.B`.
    fn directive_modules(&mut self, node: Node<'_>, cx: &Cx<'_>) -> Vec<String> {
        let at = node.start_byte();
        match self.g.kind(node) {
            ElixirKind::Alias => vec![self.full_name(cx.text(node), at)],
            ElixirKind::Ident if cx.text(node) == "__MODULE__" => vec![self.full_name("__MODULE__", at)],
            ElixirKind::Dot | ElixirKind::Call => self.several_modules(node, cx),
            _ => Vec::new(),
        }
    }

    fn several_modules(&mut self, node: Node<'_>, cx: &Cx<'_>) -> Vec<String> {
        let dot = if self.g.kind(node) == ElixirKind::Call {
            node.child_by_field_id(self.g.f.target)
        } else {
            Some(node)
        };
        let sides = dot.and_then(|dot| {
            Some((dot.child_by_field_id(self.g.f.left)?, dot.child_by_field_id(self.g.f.right)?))
        });
        let Some((left, right)) = sides else { return Vec::new() };
        let is_name = self.g.kind(left) == ElixirKind::Alias || cx.text(left) == "__MODULE__";
        if !is_name {
            return Vec::new();
        }
        let base = self.full_name(cx.text(left), node.start_byte());
        let mut names = Vec::new();
        match self.g.kind(right) {
            ElixirKind::Alias => names.push(cx.text(right)),
            ElixirKind::Tuple => each_child(right, |child, _| {
                names.extend((self.g.kind(child) == ElixirKind::Alias).then(|| cx.text(child)));
            }),
            _ => {}
        }
        names.into_iter().map(|name| format!("{base}.{name}")).collect()
    }

    fn add_alias(&mut self, node: Node<'_>, module: &str, given: &[Node<'_>], cx: &mut Cx<'_>) {
        let named = keyword(given, "as", cx).map(|name| cx.text(name));
        let local = named.unwrap_or_else(|| module.rsplit('.').next().unwrap_or(module));
        self.aliases.insert(local.to_owned(), module.to_owned());
        match module.rsplit_once('.') {
            Some((around, name)) => self.add_named(node, around, name, local, cx),
            None => self.add_import(node, ImportKind::Module, module, Some(local), cx),
        }
    }

    /// Records `import A`, or `import A, only: [from: 2]`, which binds names.
    fn add_star(&mut self, node: Node<'_>, module: &str, given: &[Node<'_>], cx: &mut Cx<'_>) {
        let only = keyword(given, "only", cx).filter(|only| self.g.kind(*only) == ElixirKind::List);
        let Some(only) = only else {
            self.add_import(node, ImportKind::Star, module, None, cx);
            return;
        };
        let mut names = Vec::new();
        each_child(only, |child, _| {
            if self.g.kind(child) == ElixirKind::Keywords {
                names.extend(keys(child));
            }
        });
        for name in names {
            let name = key_text(name, cx);
            self.add_named(node, module, name, name, cx);
        }
    }

    fn add_named(&mut self, node: Node<'_>, module: &str, name: &str, local: &str, cx: &mut Cx<'_>) {
        let owner = cx.owner();
        cx.facts.add_import(&ImportInput {
            kind: ImportKind::Named,
            module,
            name: Some(name),
            local: Some(local),
            reexported: false,
            owner,
            line: node.start_position().row as u32 + 1,
        });
    }

    fn add_import(
        &mut self,
        node: Node<'_>,
        kind: ImportKind,
        module: &str,
        local: Option<&str>,
        cx: &mut Cx<'_>,
    ) {
        let owner = cx.owner();
        cx.facts.add_import(&ImportInput {
            kind,
            module,
            name: None,
            local,
            reexported: false,
            owner,
            line: node.start_position().row as u32 + 1,
        });
    }
}
