//! Sends each node of Ruby to its handler, and holds what handlers remember between nodes.

use rustc_hash::FxHashMap;

use super::grammar::{GRAMMAR, RubyGrammar, RubyKind};
use super::ivars::LongLivedVariables;
use super::locals::Locals;
use crate::facts::{DefFlags, DefIdx};
use crate::langs::support::{Comment, Handled, LeadingRun};
use crate::syntax::Node;
use crate::walk::{Cx, Rules, WalkStep};

/// The state of the walk over one file of Ruby.
pub(super) struct RubyRules {
    pub(super) g: &'static RubyGrammar,
    pub(super) lead: LeadingRun,
    pub(super) handled: Handled,
    pub(super) locals: Locals,
    pub(super) ivars: LongLivedVariables,
    /// The classes, modules and test groups around the walk, innermost last.
    pub(super) classes: Vec<RubyClassScope>,
    /// The methods around the walk: the byte at which each ends, and its name.
    pub(super) methods: Vec<(usize, String)>,
    /// The constants that the test groups around the walk describe: the byte at which each group ends, and the
    /// constant's path.
    pub(super) described: Vec<(usize, String)>,
    /// The arguments of `private` and the like that define methods, by node id: true if these are private.
    pub(super) marked: FxHashMap<usize, bool>,
    /// Calls to which a value is assigned, by node id.
    pub(super) assigned: FxHashMap<usize, AssignedCall>,
}

/// The methods that an assignment to a call runs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum AssignedCall {
    /// `a.b = 1` runs `b=`.
    Written,
    /// `a.b += 1` runs `b` before.
    ReadAndWritten,
}

/// A class, module or group of tests around the walk.
pub(super) struct RubyClassScope {
    pub(super) end: usize,
    /// The id of its node, under which its instance variables are listed.
    pub(super) node: usize,
    pub(super) def: Option<DefIdx>,
    pub(super) group: bool,
    /// True if the methods behind the walk's place are private.
    pub(super) private: bool,
}

impl RubyRules {
    pub(super) fn new(ivars: LongLivedVariables) -> Self {
        Self {
            g: &GRAMMAR,
            lead: LeadingRun::default(),
            handled: Handled::default(),
            locals: Locals::default(),
            ivars,
            classes: Vec::new(),
            methods: Vec::new(),
            described: Vec::new(),
            marked: FxHashMap::default(),
            assigned: FxHashMap::default(),
        }
    }

    /// Returns the class around a place.
    pub(super) fn class_at(&mut self, at: usize) -> Option<&mut RubyClassScope> {
        while self.classes.pop_if(|class| class.end <= at).is_some() {}
        self.classes.last_mut()
    }

    /// Returns the method around a place.
    pub(super) fn method_at(&mut self, at: usize) -> Option<&str> {
        while self.methods.pop_if(|(end, _)| *end <= at).is_some() {}
        self.methods.last().map(|(_, name)| &**name)
    }

    /// Returns true if the place is directly in a class body, in no method.
    pub(super) fn in_class_body(&mut self, at: usize) -> bool {
        self.class_at(at).is_some() && self.method_at(at).is_none()
    }

    pub(super) fn export_flags(private: bool) -> DefFlags {
        DefFlags::default().with_if(!private, DefFlags::EXPORTED)
    }

    fn visit_comment(&mut self, node: Node<'_>, cx: &Cx<'_>) -> WalkStep {
        let text = cx.text(node).trim_start_matches('#').trim_start();
        let directive = ["rubocop:", "frozen_string_literal:", "encoding:", "-*-", "!/", "typed:", ":nodoc:"];
        let is_doc = !directive.iter().any(|word| text.starts_with(word));
        self.lead.add_comment(node, cx.source, if is_doc { Comment::Doc } else { Comment::Other });
        WalkStep::Skip
    }
}

impl Rules for RubyRules {
    fn enter<'t>(&mut self, node: Node<'t>, cx: &mut Cx<'t>) -> WalkStep {
        match self.g.kind(node) {
            RubyKind::Ident => self.visit_identifier(node, cx),
            RubyKind::Constant => self.visit_constant(node, cx),
            RubyKind::Scoped => self.visit_scoped_path(node, cx),
            RubyKind::Call => self.visit_call(node, cx),
            RubyKind::Super => self.visit_bare_super(node, cx),
            RubyKind::Assign | RubyKind::OpAssign => self.visit_assignment(node, cx),
            RubyKind::Block => self.visit_block(node, cx),
            RubyKind::Params => self.visit_parameters(node, cx),
            RubyKind::NamedParam => self.visit_named_parameter(node, cx),
            RubyKind::LeftList => self.visit_left_list(node, cx),
            RubyKind::ExceptionVar => self.bind_children(node, cx),
            RubyKind::For => self.visit_for_loop(node, cx),
            RubyKind::Pattern => self.visit_pattern(node, cx),
            RubyKind::Program => {
                self.locals.open(node, true);
                WalkStep::Into
            }
            RubyKind::Comment => self.visit_comment(node, cx),
            RubyKind::Class | RubyKind::Module => self.visit_class(node, cx),
            RubyKind::SingletonClass => self.visit_singleton_class(node, cx),
            RubyKind::Method | RubyKind::SingletonMethod => self.visit_method(node, cx),
            RubyKind::Superclass => self.visit_superclass(node, cx),
            RubyKind::Alias => self.visit_alias(node, cx),
            RubyKind::Ivar | RubyKind::ClassVar | RubyKind::Global => self.visit_variable(node, node, cx),
            RubyKind::Undef | RubyKind::Nothing | RubyKind::This | RubyKind::Symbol => WalkStep::Skip,
            _ => WalkStep::Into,
        }
    }
}
