//! Sends each node of a `.proto` file to its handler, and holds what handlers remember between nodes.

use super::grammar::{GRAMMAR, ProtoGrammar, ProtoKind};
use crate::facts::DefKind;
use crate::langs::support::{Comment, LeadingRun};
use crate::syntax::Node;
use crate::walk::{Cx, Rules, WalkStep};

/// The state of the walk over one file of Protocol Buffers.
pub(super) struct ProtoRules {
    pub(super) g: &'static ProtoGrammar,
    pub(super) lead: LeadingRun,
    /// The type of the field that the walk is in, as [`crate::facts::Receiver::Typed`] writes it; empty for a type of
    /// the language.
    pub(super) field_type: String,
}

impl ProtoRules {
    pub(super) fn new() -> Self {
        Self { g: &GRAMMAR, lead: LeadingRun::default(), field_type: String::new() }
    }
}

impl Rules for ProtoRules {
    fn enter<'t>(&mut self, node: Node<'t>, cx: &mut Cx<'t>) -> WalkStep {
        match self.g.kind(node) {
            ProtoKind::Comment => {
                self.lead.add_comment(node, cx.source, Comment::Doc);
                WalkStep::Skip
            }
            ProtoKind::Package => self.visit_package(node, cx),
            ProtoKind::Import => self.visit_import(node, cx),
            ProtoKind::Message | ProtoKind::Group => self.visit_scope(node, DefKind::Struct, cx),
            ProtoKind::Enum => self.visit_scope(node, DefKind::Enum, cx),
            ProtoKind::Service => self.visit_scope(node, DefKind::Interface, cx),
            ProtoKind::Rpc => self.visit_rpc(node, cx),
            ProtoKind::EnumField => self.visit_member(node, DefKind::Constant, cx),
            ProtoKind::Oneof => self.visit_member(node, DefKind::Field, cx),
            ProtoKind::Field => self.visit_field(node, cx),
            ProtoKind::TypeName => self.visit_type_name(node, cx),
            ProtoKind::FullIdent => self.visit_full_ident(node, cx),
            ProtoKind::FieldOption => self.visit_field_option(node, cx),
            ProtoKind::Constant | ProtoKind::Nothing | ProtoKind::Ident | ProtoKind::Name => WalkStep::Skip,
            ProtoKind::Extend | ProtoKind::Other => WalkStep::Into,
        }
    }
}
