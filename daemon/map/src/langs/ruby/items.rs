//! Defines classes, modules, methods and constants.

use super::grammar::RubyKind;
use super::paths::{constant_path, made_type};
use super::rules::{RubyClassScope, RubyRules};
use crate::facts::{DefFlags, DefIdx, DefKind, Receiver, RefKind};
use crate::langs::support::{DefinitionLead, NewDef, child_where, each_child, refer_unbound};
use crate::syntax::Node;
use crate::walk::{Cx, WalkStep};

/// A definition about to be made, in terms of nodes.
pub(super) struct RubyItem<'t, 'a> {
    pub(super) node: Node<'t>,
    pub(super) name: &'a str,
    pub(super) name_at: (u32, u32),
    pub(super) kind: DefKind,
    pub(super) flags: DefFlags,
    /// The byte at which its header ends.
    pub(super) end: usize,
    /// The class that it belongs to, if the name is written with one: `A` of `class A::B`.
    pub(super) within: Option<String>,
}

impl RubyRules {
    /// Records a definition; with `scope` its children are walked inside it.
    pub(super) fn define_item(
        &mut self,
        item: &RubyItem<'_, '_>,
        scope: Option<bool>,
        cx: &mut Cx<'_>,
    ) -> Option<DefIdx> {
        let outer = self.lead.take_outer(item.node, cx);
        self.define_with(item, &without_doc_marks(outer), scope, cx)
    }

    pub(super) fn define_with(
        &mut self,
        item: &RubyItem<'_, '_>,
        outer: &DefinitionLead,
        scope: Option<bool>,
        cx: &mut Cx<'_>,
    ) -> Option<DefIdx> {
        let parent = cx.owner();
        let around = parent.map_or("", |p| cx.facts.provisional_name(cx.facts.defs()[p.index()].qualified));
        let qualifier = item.within.as_ref().map(|within| match around {
            "" => within.clone(),
            around => format!("{around}.{within}"),
        });
        let line_end = header_end(cx, item.node.start_byte(), item.end);
        let def = NewDef {
            node: item.node,
            name_at: item.name_at,
            name: item.name,
            kind: item.kind,
            flags: item.flags,
            parent,
            qualifier: qualifier.as_deref(),
            head: (item.node.start_byte(), line_end),
        };
        def.make_def(cx, outer, scope)
    }

    pub(super) fn visit_class(&mut self, node: Node<'_>, cx: &mut Cx<'_>) -> WalkStep {
        let Some(name) = node.child_by_field_id(self.g.f.name) else { return WalkStep::Into };
        let kind = if self.g.kind(node) == RubyKind::Class { DefKind::Class } else { DefKind::Module };
        let end = node.child_by_field_id(self.g.f.superclass).unwrap_or(name).end_byte();
        self.named_type(node, name, kind, end, cx);
        WalkStep::Into
    }

    /// Defines a class or module under a constant's name; the children of `node` are walked inside it.
    pub(super) fn named_type(
        &mut self,
        node: Node<'_>,
        name: Node<'_>,
        kind: DefKind,
        end: usize,
        cx: &mut Cx<'_>,
    ) -> Option<DefIdx> {
        let last = name.child_by_field_id(self.g.f.name).filter(|_| self.g.kind(name) == RubyKind::Scoped);
        let last = last.unwrap_or(name);
        self.handled.mark(last);
        let scope = name.child_by_field_id(self.g.f.scope).filter(|_| self.g.kind(name) == RubyKind::Scoped);
        let within = scope.and_then(|scope| constant_path(scope, cx.source));
        if self.g.kind(name) == RubyKind::Scoped {
            self.handled.mark(name);
        }
        let (name_at, flags) = (cx.position(last), DefFlags::EXPORTED);
        let item = RubyItem { node, name: cx.text(last), name_at, kind, flags, end, within };
        let def = self.define_item(&item, Some(false), cx);
        self.enter_class(node, def, false);
        def
    }

    pub(super) fn enter_class(&mut self, node: Node<'_>, def: Option<DefIdx>, group: bool) {
        self.class_at(node.start_byte());
        self.locals.open(node, !group);
        self.classes.push(RubyClassScope {
            end: node.end_byte(),
            node: node.id(),
            def,
            group,
            private: false,
        });
    }

    /// Enters `class << self`, whose methods are the class's.
    pub(super) fn visit_singleton_class(&mut self, node: Node<'_>, cx: &mut Cx<'_>) -> WalkStep {
        let value = node.child_by_field_id(self.g.f.value);
        let of_self = value.is_some_and(|value| self.g.kind(value) == RubyKind::This);
        let def = self.class_at(node.start_byte()).and_then(|class| class.def).filter(|_| of_self);
        if !of_self {
            cx.open_scope(false);
        }
        self.enter_class(node, def, false);
        WalkStep::Into
    }

    pub(super) fn visit_superclass(&mut self, node: Node<'_>, cx: &mut Cx<'_>) -> WalkStep {
        let Some(base) = node.named_child(0) else { return WalkStep::Into };
        self.refer_constant(base, RefKind::Extends, cx);
        // `class Point < Struct.new(:x)` has the struct's members.
        if let Some((kind @ DefKind::Struct, call)) = made_type(base, cx.source) {
            self.type_arguments(call, kind, cx);
        }
        WalkStep::Into
    }

    pub(super) fn visit_method(&mut self, node: Node<'_>, cx: &mut Cx<'_>) -> WalkStep {
        let Some(name) = node.child_by_field_id(self.g.f.name) else { return WalkStep::Into };
        self.handled.mark(name);
        // `def name=(x)`: the name's node has a child for the word in it.
        each_child(name, |c, _| self.handled.mark(c));
        let word = cx.text(name);
        let at = node.start_byte();
        let singleton = self.g.kind(node) == RubyKind::SingletonMethod;
        let object = node.child_by_field_id(self.g.f.object);
        if let Some(object) = object {
            self.handled.mark(object);
        }
        let marked = self.marked.remove(&node.id());
        let class = self.class_at(at).map(|class| (class.private, class.group));
        let kind = if class.is_some() || singleton { DefKind::Method } else { DefKind::Function };
        let private = marked.unwrap_or(class.is_some_and(|(private, _)| private) && !singleton);
        let within = object.and_then(|object| constant_path(object, cx.source));
        let within = within.filter(|within| !self.is_around(within, cx));
        let test = word.starts_with("test_") && self.holds_tests(cx);
        let flags = Self::export_flags(private).with_if(test, DefFlags::TEST);
        let parameters = node.child_by_field_id(self.g.f.parameters);
        let item = RubyItem {
            node,
            name: word,
            name_at: cx.position(name),
            kind,
            flags,
            end: parameters.unwrap_or(name).end_byte(),
            within,
        };
        self.define_item(&item, Some(true), cx);
        self.locals.open(node, true);
        self.method_at(at);
        self.methods.push((node.end_byte(), word.to_owned()));
        WalkStep::Into
    }

    /// Returns true if `Foo` of `def Foo.bar` is the enclosing class.
    fn is_around(&self, within: &str, cx: &Cx<'_>) -> bool {
        let owner = cx.owner().map(|owner| cx.facts.defs()[owner.index()].name);
        owner.is_some_and(|name| cx.facts.provisional_name(name) == within)
    }

    /// Returns true if methods called `test_…` are tests here: the class, or its base, is named like one.
    fn holds_tests(&self, cx: &Cx<'_>) -> bool {
        let Some(owner) = cx.owner() else { return false };
        let def = &cx.facts.defs()[owner.index()];
        let is_test =
            |word: &str| word.starts_with("Test") || word.ends_with("Test") || word.ends_with("Tests");
        let header = cx.slice(def.bytes.0 as usize, def.bytes.1 as usize);
        let header = header.lines().next().unwrap_or("");
        def.kind.is_type()
            && (is_test(cx.facts.provisional_name(def.name))
                || header.split_once('<').is_some_and(|(_, base)| {
                    base.split("::").any(|part| is_test(part.trim()) || part.trim().ends_with("TestCase"))
                }))
    }

    /// Defines the new name of a method: `alias new old`.
    pub(super) fn visit_alias(&mut self, node: Node<'_>, cx: &mut Cx<'_>) -> WalkStep {
        let (Some(name), Some(old)) =
            (node.child_by_field_id(self.g.f.name), node.child_by_field_id(self.g.f.alias))
        else {
            return WalkStep::Skip;
        };
        let (to, from) = (cx.text(name).trim_start_matches(':'), cx.text(old).trim_start_matches(':'));
        if !to.starts_with('$') {
            self.alias_of(node, name, to, old, from, cx);
        }
        WalkStep::Skip
    }

    /// Defines another name for a method, and records the use of the old one.
    pub(super) fn alias_of(
        &mut self,
        node: Node<'_>,
        at: Node<'_>,
        name: &str,
        old_at: Node<'_>,
        old: &str,
        cx: &mut Cx<'_>,
    ) {
        let in_class = self.class_at(node.start_byte()).is_some();
        let item = RubyItem {
            node,
            name,
            name_at: word_position(at, cx),
            kind: if in_class { DefKind::Method } else { DefKind::Function },
            flags: DefFlags::EXPORTED,
            end: node.end_byte(),
            within: None,
        };
        self.define_item(&item, None, cx);
        let receiver = if in_class { Receiver::SelfType } else { Receiver::None };
        refer_unbound(cx, old, old_at, RefKind::Use, receiver);
    }

    /// Defines the constant of `NAME = …` outside methods; the result of `Struct.new` and the like is a type of that
    /// name.
    pub(super) fn constant_assigned(&mut self, node: Node<'_>, left: Node<'_>, cx: &mut Cx<'_>) -> WalkStep {
        if let Some(right) = node.child_by_field_id(self.g.f.right)
            && let Some((kind, call)) = made_type(right, cx.source)
        {
            let arguments = call.child_by_field_id(self.g.f.arguments);
            let end = arguments.map_or(call.end_byte(), |list| list.end_byte());
            let def = self.named_type(node, left, kind, end, cx);
            self.handled.mark(call);
            self.type_arguments(call, kind, cx);
            if let (Some(def), Some(block)) = (def, call.child_by_field_id(self.g.f.block)) {
                let _ = def;
                self.handled.mark(block);
            }
            return WalkStep::Into;
        }
        let last = left.child_by_field_id(self.g.f.name).filter(|_| self.g.kind(left) == RubyKind::Scoped);
        let last = last.unwrap_or(left);
        let scope = left.child_by_field_id(self.g.f.scope).filter(|_| self.g.kind(left) == RubyKind::Scoped);
        let within = scope.and_then(|scope| constant_path(scope, cx.source));
        self.handled.mark(left);
        self.handled.mark(last);
        let item = RubyItem {
            node,
            name: cx.text(last),
            name_at: cx.position(last),
            kind: DefKind::Constant,
            flags: DefFlags::EXPORTED,
            end: node.end_byte(),
            within,
        };
        self.define_item(&item, Some(false), cx);
        WalkStep::Into
    }

    /// Handles the arguments of the call that makes a type: the members of a struct, or the base of a class.
    fn type_arguments(&mut self, call: Node<'_>, kind: DefKind, cx: &mut Cx<'_>) {
        let Some(list) = call.child_by_field_id(self.g.f.arguments) else { return };
        let is_mutable = call.child_by_field_id(self.g.f.receiver).is_some_and(|at| cx.text(at) == "Struct");
        let mut arguments = Vec::new();
        each_child(list, |c, _| arguments.extend(c.is_named().then_some(c)));
        for argument in arguments {
            match self.g.kind(argument) {
                RubyKind::Symbol if kind == DefKind::Struct => {
                    let word = cx.text(argument);
                    self.define_word(argument, argument, word, DefFlags::EXPORTED, cx);
                    if is_mutable {
                        self.define_word(argument, argument, &format!("{word}="), DefFlags::EXPORTED, cx);
                    }
                }
                RubyKind::Constant | RubyKind::Scoped if kind == DefKind::Class => {
                    self.refer_constant(argument, RefKind::Extends, cx);
                }
                _ => {}
            }
        }
    }

    /// Defines the method that a literal name in a call makes.
    pub(super) fn define_word(
        &mut self,
        node: Node<'_>,
        at: Node<'_>,
        written: &str,
        flags: DefFlags,
        cx: &mut Cx<'_>,
    ) -> Option<DefIdx> {
        let name = written.trim_start_matches(':').trim_matches(['"', '\'']);
        let end = node.end_byte();
        let name_at = word_position(at, cx);
        let item = RubyItem { node, name, name_at, kind: DefKind::Method, flags, end, within: None };
        self.define_with(&item, &DefinitionLead::default(), None, cx)
    }
}

/// Returns the position of the word in `:word` or `"word"`.
pub(super) fn word_position(node: Node<'_>, cx: &mut Cx<'_>) -> (u32, u32) {
    let (line, col) = cx.position(node);
    let marked = cx.text(node).starts_with([':', '"', '\'']);
    (line, col + u32::from(marked))
}

/// Returns the documentation without its marks.
pub(super) fn without_doc_marks(mut outer: DefinitionLead) -> DefinitionLead {
    if !outer.doc.is_empty() {
        let lines = outer.doc.lines().map(|line| line.trim_start_matches('#').trim());
        let lines =
            lines.filter(|line| *line != "=begin" && *line != "=end" && *line != "--" && *line != "++");
        outer.doc = lines.collect::<Vec<_>>().join("\n");
        let tags = if outer.doc.starts_with('@') { Some(0) } else { outer.doc.find("\n@") };
        outer.doc.truncate(tags.unwrap_or(outer.doc.len()));
    }
    outer
}

/// Returns the byte at which a header ends, at most `end`, without the beginning of a block.
fn header_end(cx: &Cx<'_>, start: usize, end: usize) -> usize {
    let text = cx.slice(start, end);
    let cut = text.trim_end();
    let cut = cut.strip_suffix(" do").or_else(|| cut.strip_suffix('{')).unwrap_or(cut);
    start + cut.trim_end().len()
}

/// Returns the first child that is a call's block.
pub(super) fn block_of(call: Node<'_>) -> Option<Node<'_>> {
    child_where(call, |c| matches!(c.kind(), "block" | "do_block"))
}
