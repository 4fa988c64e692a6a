//! Sends each node of Java to its handler, and holds what handlers remember between nodes.

use rustc_hash::FxHashMap;

use super::grammar::{GRAMMAR, JavaGrammar, JavaKind};
use crate::facts::StrId;
use crate::langs::support::{Comment, Handled, LeadingRun};
use crate::syntax::Node;
use crate::walk::{Cx, Rules, WalkStep};

/// The state of the walk over one file of Java.
pub(super) struct JavaRules {
    pub(super) g: &'static JavaGrammar,
    pub(super) lead: LeadingRun,
    pub(super) handled: Handled,
    /// The types of fields, by the qualified name of the type that has the field, and the field's name.
    pub(super) field_types: FxHashMap<(StrId, StrId), StrId>,
    /// The types that methods return, by the qualified name of their type and their own name; `None` if overloads
    /// differ.
    pub(super) results: FxHashMap<(StrId, StrId), Option<StrId>>,
    /// The classes around the walk, innermost last.
    pub(super) classes: Vec<JavaClassScope>,
}

/// A class around the walk.
pub(super) struct JavaClassScope {
    pub(super) end: usize,
    /// The qualified name of the class; `None` for an anonymous one.
    pub(super) name: Option<StrId>,
    /// True for an interface, whose members are public unless they say otherwise.
    pub(super) interface: bool,
}

impl JavaRules {
    pub(super) fn new() -> Self {
        Self {
            g: &GRAMMAR,
            lead: LeadingRun::default(),
            handled: Handled::default(),
            field_types: FxHashMap::default(),
            results: FxHashMap::default(),
            classes: Vec::new(),
        }
    }

    /// Returns the classes around `node`.
    pub(super) fn classes_around(&mut self, node: Node<'_>) -> &[JavaClassScope] {
        while self.classes.pop_if(|class| class.end <= node.start_byte()).is_some() {}
        &self.classes
    }

    fn visit_comment(&mut self, node: Node<'_>, cx: &Cx<'_>) -> WalkStep {
        let text = cx.source.get(node.byte_range()).unwrap_or(&[]);
        let doc = text.starts_with(b"/**") && text.len() > 5;
        self.lead.add_comment(node, cx.source, if doc { Comment::Doc } else { Comment::Other });
        WalkStep::Skip
    }
}

impl Rules for JavaRules {
    fn enter<'t>(&mut self, node: Node<'t>, cx: &mut Cx<'t>) -> WalkStep {
        match self.g.kind(node) {
            JavaKind::Ident => self.visit_identifier(node, cx),
            JavaKind::TypeIdent => self.visit_type_identifier(node, cx),
            JavaKind::Invocation => self.visit_invocation(node, cx),
            JavaKind::FieldAccess => self.visit_field_access(node, cx),
            JavaKind::New => self.visit_creation(node, cx),
            JavaKind::SwitchLabel => self.visit_switch_label(node, cx),
            JavaKind::MethodRef => self.visit_method_reference(node, cx),
            JavaKind::ScopedType => self.visit_scoped_type(node, cx),
            JavaKind::Annotation => self.visit_annotation(node, cx),
            JavaKind::Scope => {
                cx.open_scope(true);
                WalkStep::Into
            }
            JavaKind::Comment => self.visit_comment(node, cx),
            JavaKind::Package => self.visit_package(node, cx),
            JavaKind::Import => self.visit_import(node, cx),
            JavaKind::Class
            | JavaKind::Interface
            | JavaKind::Enum
            | JavaKind::Record
            | JavaKind::AnnotationType => self.visit_type_definition(node, cx),
            JavaKind::Method | JavaKind::Constructor | JavaKind::Element => self.visit_method(node, cx),
            JavaKind::Field | JavaKind::Constant => self.visit_fields(node, cx),
            JavaKind::EnumConstant => self.visit_enum_constant(node, cx),
            JavaKind::Param | JavaKind::Catch | JavaKind::Resource | JavaKind::Instanceof => {
                self.bind_named(node, cx)
            }
            JavaKind::Spread => self.bind_spread(node, cx),
            JavaKind::Pattern => self.bind_pattern(node, cx),
            JavaKind::Locals => self.visit_locals(node, cx),
            JavaKind::ForEach => {
                cx.open_scope(true);
                self.bind_named(node, cx)
            }
            JavaKind::Lambda => self.visit_lambda(node, cx),
            JavaKind::Labeled | JavaKind::Pair => self.pass_over_first(node),
            JavaKind::Superclass | JavaKind::Implements | JavaKind::ExtendsList => self.visit_bases(node, cx),
            JavaKind::TypeParam => self.visit_type_parameter(node, cx),
            JavaKind::ClassBody => self.visit_anonymous_body(node, cx),
            JavaKind::Nothing | JavaKind::Text | JavaKind::This | JavaKind::Super => WalkStep::Skip,
            _ => WalkStep::Into,
        }
    }
}
