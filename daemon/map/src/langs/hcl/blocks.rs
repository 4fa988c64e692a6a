//! Handles blocks and attributes: defines them, and records the imports of modules.

use super::grammar::HclKind;
use super::rules::HclRules;
use crate::facts::{DefFlags, DefIdx, DefKind, ImportInput, ImportKind, Receiver, RefKind};
use crate::langs::support::{NewDef, child_where, each_child};
use crate::syntax::Node;
use crate::walk::{Binding, Cx, WalkStep};

/// The arguments of a `module` block that belong to Terraform.
const MODULE_ARGUMENTS: [&str; 7] =
    ["source", "version", "count", "for_each", "providers", "depends_on", "enabled"];

/// Most labels of a block that is a definition.
const MOST_LABELS: usize = 3;

/// The parts of a block before its body.
struct BlockHead<'t, 'a> {
    ty: &'a str,
    /// The text and the place of each label.
    labels: Vec<(&'a str, Node<'t>)>,
    /// The byte where the body begins.
    end: usize,
}

impl<'t> BlockHead<'t, '_> {
    fn label(&self, at: usize) -> &str {
        self.labels.get(at).map_or("", |(text, _)| text)
    }
}

impl HclRules {
    pub(super) fn visit_block(&mut self, node: Node<'_>, cx: &mut Cx<'_>) -> WalkStep {
        let head = self.block_head(node, cx);
        if node.start_byte() < self.outer_end {
            if head.ty == "dynamic" {
                self.bind_iterator(node, &head, cx);
            }
            return WalkStep::Into;
        }
        self.outer_end = node.end_byte();
        self.in_locals = head.ty == "locals";
        self.described = None;
        if let Some((name, kind)) = self.address(node, &head, cx) {
            self.define_block(node, &head, &name, kind, cx);
        }
        WalkStep::Into
    }

    fn block_head<'t, 'a>(&self, node: Node<'t>, cx: &Cx<'a>) -> BlockHead<'t, 'a> {
        let mut head = BlockHead { ty: "", labels: Vec::new(), end: node.start_byte() };
        each_child(node, |child, _| match self.g.kind(child) {
            HclKind::Ident if head.ty.is_empty() => head.ty = cx.text(child),
            HclKind::Ident if head.labels.len() <= MOST_LABELS => head.labels.push((cx.text(child), child)),
            HclKind::Quoted if head.labels.len() <= MOST_LABELS => {
                if let Some(text) = self.literal(child) {
                    head.labels.push((cx.text(text), text));
                }
            }
            _ if child.kind() == "block_start" => head.end = child.start_byte(),
            _ => {}
        });
        head
    }

    /// Returns the node of the text inside quotes.
    fn literal<'t>(&self, quoted: Node<'t>) -> Option<Node<'t>> {
        child_where(quoted, |child| self.g.kind(child) == HclKind::Literal)
    }

    /// Returns the address by which expressions name a block; `None` for blocks that cannot be named.
    fn address(&self, node: Node<'_>, head: &BlockHead<'_, '_>, cx: &Cx<'_>) -> Option<(String, DefKind)> {
        let is_word = |text: &str| {
            !text.is_empty() && !text.contains(|c: char| "/.*:".contains(c) || c.is_whitespace())
        };
        let labels = &head.labels;
        if labels.is_empty() || labels.len() > MOST_LABELS || !labels.iter().all(|(text, _)| is_word(text)) {
            return None;
        }
        let joined = labels.iter().map(|(text, _)| *text).collect::<Vec<_>>().join(".");
        Some(match (head.ty, labels.len()) {
            ("resource", 2) => (joined, DefKind::Struct),
            ("resource" | "data" | "ephemeral", 1 | 3) => return None,
            ("variable", 1) => (format!("var.{joined}"), DefKind::Variable),
            ("output", 1) => (format!("output.{joined}"), DefKind::Variable),
            ("module", 1) => (format!("module.{joined}"), DefKind::Module),
            ("provider", 1) => {
                let alias = self.text_of_argument(node, "alias", cx);
                let alias = alias.map_or(String::new(), |alias| format!(".{alias}"));
                (format!("provider.{joined}{alias}"), DefKind::Struct)
            }
            (ty, _) => (format!("{ty}.{joined}"), DefKind::Struct),
        })
    }

    fn define_block(
        &mut self,
        node: Node<'_>,
        head: &BlockHead<'_, '_>,
        name: &str,
        kind: DefKind,
        cx: &mut Cx<'_>,
    ) {
        let Some((_, place)) = head.labels.last() else { return };
        let flags = DefFlags::default().with_if(head.ty == "output", DefFlags::EXPORTED);
        let name_at = cx.position(*place);
        let parts = NewDef {
            node,
            name_at,
            name,
            kind,
            flags,
            parent: None,
            qualifier: None,
            head: (node.start_byte(), head.end),
        };
        let def = self.define(&parts, cx);
        self.described = def.filter(|_| matches!(head.ty, "variable" | "output"));
        if head.ty == "module" {
            self.import_module(node, name, cx);
        }
    }

    fn define(&mut self, def: &NewDef<'_, '_>, cx: &mut Cx<'_>) -> Option<DefIdx> {
        let mut outer = self.lead.take_outer(def.node, cx);
        let lines = outer.doc.lines().map(|line| line.trim_start_matches('#').trim());
        outer.doc = lines.collect::<Vec<_>>().join("\n").trim().to_owned();
        def.make_def(cx, &outer, Some(false))
    }

    /// Records the import of the folder that a module is in, and the uses of its variables that the block gives values
    /// to.
    fn import_module(&mut self, node: Node<'_>, name: &str, cx: &mut Cx<'_>) {
        let Some(source) = self.text_of_argument(node, "source", cx) else { return };
        cx.facts.add_import(&ImportInput {
            kind: ImportKind::Module,
            module: source,
            name: None,
            local: Some(name),
            reexported: false,
            owner: None,
            line: Cx::lines(node).0,
        });
        let receiver = Receiver::Path(cx.facts.intern(name));
        for (argument, _) in self.arguments(node) {
            let text = cx.text(argument);
            if !MODULE_ARGUMENTS.contains(&text) {
                cx.refer(&format!("var.{text}"), argument, RefKind::Use, receiver);
            }
        }
    }

    /// Returns the attributes directly in a block: their names, and their values.
    fn arguments<'t>(&self, block: Node<'t>) -> Vec<(Node<'t>, Node<'t>)> {
        let mut found = Vec::new();
        let Some(body) = child_where(block, |child| self.g.kind(child) == HclKind::Body) else {
            return found;
        };
        each_child(body, |child, _| {
            if self.g.kind(child) == HclKind::Attribute {
                let name = child_where(child, |part| self.g.kind(part) == HclKind::Ident);
                let value = child_where(child, |part| self.g.kind(part) == HclKind::Expression);
                found.extend(name.zip(value));
            }
        });
        found
    }

    /// Returns the text of an argument that is a plain string.
    fn text_of_argument<'a>(&self, block: Node<'_>, name: &str, cx: &Cx<'a>) -> Option<&'a str> {
        let arguments = self.arguments(block);
        let (_, value) = arguments.into_iter().find(|(argument, _)| cx.text(*argument) == name)?;
        self.plain_string(value, cx)
    }

    fn plain_string<'a>(&self, value: Node<'_>, cx: &Cx<'a>) -> Option<&'a str> {
        let literal = value.named_child(0).filter(|literal| literal.kind() == "literal_value")?;
        let quoted = literal.named_child(0).filter(|quoted| self.g.kind(*quoted) == HclKind::Quoted)?;
        Some(cx.text(self.literal(quoted)?))
    }

    /// Binds the iterator of `dynamic "rule"` inside the block: `rule`, or the name that the block gives.
    fn bind_iterator(&self, node: Node<'_>, head: &BlockHead<'_, '_>, cx: &mut Cx<'_>) {
        cx.open_scope(true);
        cx.bind(head.label(0), Binding::Opaque);
        for (argument, value) in self.arguments(node) {
            if cx.text(argument) == "iterator" {
                cx.bind(cx.text(value), Binding::Opaque);
            }
        }
    }

    pub(super) fn visit_attribute(&mut self, node: Node<'_>, cx: &mut Cx<'_>) -> WalkStep {
        let name = child_where(node, |child| self.g.kind(child) == HclKind::Ident);
        let Some(name) = name else { return WalkStep::Into };
        let text = cx.text(name);
        if node.start_byte() >= self.outer_end {
            cx.refer(&format!("var.{text}"), name, RefKind::Use, Receiver::None);
        } else if self.in_locals {
            self.define_local(node, name, cx);
        } else if matches!(text, "provider" | "providers") {
            self.providers_end = node.end_byte();
        } else if text == "description" {
            self.set_description(node, cx);
        }
        WalkStep::Into
    }

    /// Defines an entry of `locals`.
    fn define_local(&mut self, node: Node<'_>, name: Node<'_>, cx: &mut Cx<'_>) {
        let text = cx.slice(node.start_byte(), node.end_byte());
        let first_line = text.find('\n').unwrap_or(text.len());
        let parts = NewDef {
            node,
            name_at: cx.position(name),
            name: &format!("local.{}", cx.text(name)),
            kind: DefKind::Constant,
            flags: DefFlags::default(),
            parent: None,
            qualifier: None,
            head: (node.start_byte(), node.start_byte() + first_line),
        };
        self.define(&parts, cx);
    }

    /// Makes the description of a variable or an output its documentation.
    fn set_description(&mut self, node: Node<'_>, cx: &mut Cx<'_>) {
        let value = child_where(node, |child| self.g.kind(child) == HclKind::Expression);
        let text = value.and_then(|value| self.plain_string(value, cx));
        if let (Some(def), Some(text)) = (self.described, text)
            && cx.owner() == Some(def)
        {
            cx.facts.set_doc(def, text);
        }
    }
}
