//! The judgement on each node of Java: which handler it goes to, and what handlers remember between nodes.

use rustc_hash::FxHashMap;
use tree_sitter::Node;

use super::grammar::{GRAMMAR, Grammar, K};
use crate::facts::StrId;
use crate::langs::support::{Comment, Handled, Lead};
use crate::walk::{Cx, Rules, Step};

/// The rules for Java.
pub(super) struct JavaRules {
    pub(super) g: &'static Grammar,
    pub(super) lead: Lead,
    pub(super) handled: Handled,
    /// Types of fields: (type's qualified name, field) to its type's name.
    pub(super) field_types: FxHashMap<(StrId, StrId), StrId>,
    /// Types that methods return, by (type's qualified name, method); overloads that differ give none.
    pub(super) results: FxHashMap<(StrId, StrId), Option<StrId>>,
    /// The classes around the walk, innermost last.
    pub(super) classes: Vec<Class>,
}

/// A class around the walk.
pub(super) struct Class {
    pub(super) end: usize,
    /// Its qualified name; none for an anonymous one.
    pub(super) name: Option<StrId>,
    /// Members are public unless they say otherwise.
    pub(super) interface: bool,
}

impl JavaRules {
    pub(super) fn new() -> Self {
        Self {
            g: &GRAMMAR,
            lead: Lead::default(),
            handled: Handled::default(),
            field_types: FxHashMap::default(),
            results: FxHashMap::default(),
            classes: Vec::new(),
        }
    }

    /// The classes around `node`.
    pub(super) fn classes(&mut self, node: Node<'_>) -> &[Class] {
        while self.classes.pop_if(|class| class.end <= node.start_byte()).is_some() {}
        &self.classes
    }

    fn comment(&mut self, node: Node<'_>, cx: &Cx<'_>) -> Step {
        let text = cx.source.get(node.byte_range()).unwrap_or(&[]);
        let doc = text.starts_with(b"/**") && text.len() > 5;
        self.lead.comment(node, cx.source, if doc { Comment::Doc } else { Comment::Other });
        Step::Skip
    }
}

impl Rules for JavaRules {
    fn enter<'t>(&mut self, node: Node<'t>, cx: &mut Cx<'t>) -> Step {
        match self.g.kind(node) {
            K::Ident => self.identifier(node, cx),
            K::TypeIdent => self.type_identifier(node, cx),
            K::Invocation => self.invocation(node, cx),
            K::FieldAccess => self.field_access(node, cx),
            K::New => self.creation(node, cx),
            K::MethodRef => self.method_reference(node, cx),
            K::ScopedType => self.scoped_type(node, cx),
            K::Annotation => self.annotation(node, cx),
            K::Scope => {
                cx.open_scope(true);
                Step::Into
            }
            K::Comment => self.comment(node, cx),
            K::Package => self.package(node, cx),
            K::Import => self.import(node, cx),
            K::Class | K::Interface | K::Enum | K::Record | K::AnnotationType => {
                self.type_definition(node, cx)
            }
            K::Method | K::Constructor | K::Element => self.method(node, cx),
            K::Field | K::Constant => self.fields(node, cx),
            K::EnumConstant => self.enum_constant(node, cx),
            K::Param | K::Catch | K::Resource | K::Instanceof => self.bind_named(node, cx),
            K::Spread => self.bind_spread(node, cx),
            K::Pattern => self.bind_pattern(node, cx),
            K::Locals => self.locals(node, cx),
            K::ForEach => {
                cx.open_scope(true);
                self.bind_named(node, cx)
            }
            K::Lambda => self.lambda(node, cx),
            K::Labeled | K::Pair => self.pass_over_first(node),
            K::Superclass | K::Implements | K::ExtendsList => self.bases(node, cx),
            K::TypeParam => self.type_parameter(node, cx),
            K::ClassBody => self.anonymous_body(node, cx),
            K::Nothing | K::Text | K::This | K::Super => Step::Skip,
            _ => Step::Into,
        }
    }
}
