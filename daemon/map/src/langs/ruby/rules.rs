//! The judgement on each node of Ruby: which handler it goes to, and what handlers remember between nodes.

use rustc_hash::FxHashMap;
use tree_sitter::Node;

use super::grammar::{GRAMMAR, Grammar, K};
use super::ivars::Ivars;
use super::locals::Locals;
use crate::facts::{DefFlags, DefIdx};
use crate::langs::support::{Comment, Handled, Lead};
use crate::walk::{Cx, Rules, Step};

/// The rules for Ruby.
pub(super) struct RubyRules {
    pub(super) g: &'static Grammar,
    pub(super) lead: Lead,
    pub(super) handled: Handled,
    pub(super) locals: Locals,
    pub(super) ivars: Ivars,
    /// The classes, modules and test groups around the walk, innermost last.
    pub(super) classes: Vec<Class>,
    /// The methods around the walk: where they end, and their names.
    pub(super) methods: Vec<(usize, String)>,
    /// The constants that the test groups around the walk describe: where the groups end, and the constant's path.
    pub(super) described: Vec<(usize, String)>,
    /// Visibility of methods that are arguments of `private` and its like, by their node.
    pub(super) marked: FxHashMap<usize, bool>,
}

/// A class, module or group of tests around the walk.
pub(super) struct Class {
    pub(super) end: usize,
    /// The node, which its instance variables are listed under.
    pub(super) node: usize,
    pub(super) def: Option<DefIdx>,
    pub(super) group: bool,
    /// True if methods that follow are private.
    pub(super) private: bool,
}

impl RubyRules {
    pub(super) fn new(ivars: Ivars) -> Self {
        Self {
            g: &GRAMMAR,
            lead: Lead::default(),
            handled: Handled::default(),
            locals: Locals::default(),
            ivars,
            classes: Vec::new(),
            methods: Vec::new(),
            described: Vec::new(),
            marked: FxHashMap::default(),
        }
    }

    /// The class around a place.
    pub(super) fn class_at(&mut self, at: usize) -> Option<&mut Class> {
        while self.classes.pop_if(|class| class.end <= at).is_some() {}
        self.classes.last_mut()
    }

    /// The method around a place.
    pub(super) fn method_at(&mut self, at: usize) -> Option<&str> {
        while self.methods.pop_if(|(end, _)| *end <= at).is_some() {}
        self.methods.last().map(|(_, name)| &**name)
    }

    /// Returns true if the place is directly in a class body, in no method.
    pub(super) fn in_class_body(&mut self, at: usize) -> bool {
        self.class_at(at).is_some() && self.method_at(at).is_none()
    }

    pub(super) fn exported(private: bool) -> DefFlags {
        DefFlags::default().with_if(!private, DefFlags::EXPORTED)
    }

    fn comment(&mut self, node: Node<'_>, cx: &Cx<'_>) -> Step {
        let text = cx.text(node).trim_start_matches('#').trim_start();
        let directive = ["rubocop:", "frozen_string_literal:", "encoding:", "-*-", "!/", "typed:", ":nodoc:"];
        let is_doc = !directive.iter().any(|word| text.starts_with(word));
        self.lead.comment(node, cx.source, if is_doc { Comment::Doc } else { Comment::Other });
        Step::Skip
    }
}

impl Rules for RubyRules {
    fn enter<'t>(&mut self, node: Node<'t>, cx: &mut Cx<'t>) -> Step {
        match self.g.kind(node) {
            K::Ident => self.identifier(node, cx),
            K::Constant => self.constant(node, cx),
            K::Scoped => self.scoped(node, cx),
            K::Call => self.call(node, cx),
            K::Super => self.bare_super(node, cx),
            K::Assign | K::OpAssign => self.assignment(node, cx),
            K::Block => self.block(node, cx),
            K::Params => self.parameters(node, cx),
            K::NamedParam => self.named_parameter(node, cx),
            K::LeftList | K::ExceptionVar => self.bind_children(node, cx),
            K::For => self.for_loop(node, cx),
            K::Pattern => self.pattern(node, cx),
            K::Program => {
                self.locals.open(node, true);
                Step::Into
            }
            K::Comment => self.comment(node, cx),
            K::Class | K::Module => self.class(node, cx),
            K::SingletonClass => self.singleton_class(node, cx),
            K::Method | K::SingletonMethod => self.method(node, cx),
            K::Superclass => self.superclass(node, cx),
            K::Alias => self.alias(node, cx),
            K::Undef | K::Nothing | K::This | K::Symbol | K::Ivar => Step::Skip,
            _ => Step::Into,
        }
    }
}
