//! Reads the expression before a member's name, whose values can be followed: before `run` in `make()[0].run` is an
//! item of the result of a call.
//!
//! Facts have only what a file itself knows about the type of a receiver. If that is not enough, a query for one place
//! reads the file again, and follows the values that the expression can have.

use hob_base::LineIndex;

use crate::locals::NamePlace;
use crate::syntax::{Node, Tree};

/// Most nested expressions.
const DEPTH: usize = 16;

/// The nodes for members, calls and items in a language's grammar.
#[derive(Debug)]
pub(crate) struct MemberRules {
    /// Kinds of nodes for a member: `object.name`.
    pub(crate) member: &'static str,
    /// The field with the object of a member.
    pub(crate) object: &'static str,
    /// The field with the name of a member.
    pub(crate) property: &'static str,
    /// The kinds of nodes for calls.
    pub(crate) calls: &'static [&'static str],
    /// The fields with the callee of a call.
    pub(crate) callees: &'static [&'static str],
    /// The kind of node for `of[index]`.
    pub(crate) item: &'static str,
    /// The field with the expression before an index.
    pub(crate) of: &'static str,
    /// The field with an item's index.
    pub(crate) index: &'static str,
    /// The kind of node for an argument with a parameter's name, if there is one; the field of the name is called
    /// `name`.
    pub(crate) named_argument: Option<&'static str>,
    /// Kinds of nodes that stand for the expression in them.
    pub(crate) wrappers: &'static [&'static str],
}

/// An expression whose values can be followed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum ReceiverExpr {
    /// A name.
    Name(String),
    /// The result of the call of the name at this place.
    Call(NamePlace),
    /// A member of a value.
    Member(Box<Self>, String),
    /// The objects that a value holds under a key; `None` if the key is not a literal.
    Item(Box<Self>, Option<String>),
}

/// Reads expressions of one text, in languages whose values are followed.
pub(crate) struct ReceiverReader<'s> {
    pub(crate) rules: &'static MemberRules,
    pub(crate) source: &'s [u8],
    pub(crate) index: &'s LineIndex,
}

impl ReceiverReader<'_> {
    /// Reads the expression before the member's name at a byte offset.
    pub(crate) fn receiver_expression(&self, tree: &Tree, offset: usize) -> Option<ReceiverExpr> {
        let name = tree.root_node().named_descendant_for_byte_range(offset, offset)?;
        let around = name.parent()?;
        let is_name =
            |field: &str| around.child_by_field_name(field).is_some_and(|child| child.id() == name.id());
        if around.kind() == self.rules.member && is_name(self.rules.property) {
            return self.expression(around.child_by_field_name(self.rules.object)?, DEPTH);
        }
        // In `object["name"]` the place may be at the quotes or between them.
        let (index, item) =
            if around.kind() == self.rules.item { (name, around) } else { (around, around.parent()?) };
        let is_index = item.kind() == self.rules.item
            && item.child_by_field_name(self.rules.index).is_some_and(|child| child.id() == index.id());
        if !is_index {
            return None;
        }
        self.expression(item.child_by_field_name(self.rules.of)?, DEPTH)
    }

    /// Finds the name of the function that is called with the named argument whose name is at a byte offset.
    pub(crate) fn callee_with_argument(&self, tree: &Tree, offset: usize) -> Option<NamePlace> {
        let name = tree.root_node().named_descendant_for_byte_range(offset, offset)?;
        let argument = name.parent().filter(|around| Some(around.kind()) == self.rules.named_argument)?;
        argument.child_by_field_name("name").filter(|child| child.id() == name.id())?;
        let call = argument.parent()?.parent().filter(|call| self.rules.calls.contains(&call.kind()))?;
        let callee = self.rules.callees.iter().find_map(|field| call.child_by_field_name(field))?;
        self.called_name(callee)
    }

    fn expression(&self, node: Node<'_>, depth: usize) -> Option<ReceiverExpr> {
        let below = depth.checked_sub(1)?;
        let kind = node.kind();
        if kind == "identifier" {
            return Some(ReceiverExpr::Name(self.text(node)?.to_owned()));
        }
        if kind == self.rules.member {
            let of = self.expression(node.child_by_field_name(self.rules.object)?, below)?;
            let name = self.text(node.child_by_field_name(self.rules.property)?)?;
            return Some(ReceiverExpr::Member(Box::new(of), name.to_owned()));
        }
        if kind == self.rules.item {
            let of = self.expression(node.child_by_field_name(self.rules.of)?, below)?;
            let key = self.key(node.child_by_field_name(self.rules.index)?);
            return Some(ReceiverExpr::Item(Box::new(of), key));
        }
        if self.rules.calls.contains(&kind) {
            let callee = self.rules.callees.iter().find_map(|field| node.child_by_field_name(field))?;
            return self.called_name(callee).map(ReceiverExpr::Call);
        }
        if self.rules.wrappers.contains(&kind) {
            return self.expression(node.named_child(0)?, below);
        }
        None
    }

    /// Returns the place of the called name.
    fn called_name(&self, callee: Node<'_>) -> Option<NamePlace> {
        let name = match callee.kind() {
            "identifier" => callee,
            kind if kind == self.rules.member => callee.child_by_field_name(self.rules.property)?,
            _ => return None,
        };
        let at = self.index.position(self.source, name.start_byte() as u32);
        Some(NamePlace { line: at.line, col: at.col })
    }

    /// Returns a key as flows write it: a number unchanged, a text after a quote.
    fn key(&self, index: Node<'_>) -> Option<String> {
        let text = self.text(index)?;
        let quoted = text.strip_prefix(['"', '\'']).and_then(|rest| rest.strip_suffix(['"', '\'']));
        match quoted {
            Some(key) => Some(format!("'{key}")),
            None => text.bytes().all(|byte| byte.is_ascii_digit()).then(|| text.to_owned()),
        }
    }

    fn text(&self, node: Node<'_>) -> Option<&str> {
        std::str::from_utf8(self.source.get(node.byte_range())?).ok()
    }
}
