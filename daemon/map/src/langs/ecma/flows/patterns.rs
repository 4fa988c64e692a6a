//! Traces parameters, and the targets left of a `=`.

use super::{DEPTH, FlowKind, Trace};
use crate::facts::{FlowTarget, FlowValue, Label, SlotKind, ValueIdx};
use crate::syntax::{Node, all_children};

impl<'t> Trace<'t> {
    pub(super) fn trace_parameters(&mut self, list: &[Node<'t>]) {
        let mut taken = Vec::new();
        for parameter in list {
            let (pattern, default) = self.pattern_and_default(*parameter);
            let (pattern, kind) = match self.kind_of(pattern) {
                FlowKind::RestPattern => (pattern.named_child(0).unwrap_or(pattern), SlotKind::Rest),
                FlowKind::This => continue,
                _ => (pattern, SlotKind::Parameter),
            };
            // A parameter that is taken apart has no name of its own; its number tells it from others.
            let is_plain = self.kind_of(pattern) == FlowKind::Identifier;
            let name = if is_plain { self.to.text(pattern).to_owned() } else { format!("{{{}", taken.len()) };
            let slot = self.to.declare_parameter(&name, kind);
            taken.push((slot, pattern, is_plain, default, *parameter));
        }
        for (slot, pattern, is_plain, default, parameter) in taken {
            if let Some(value) = default.map(|default| self.value(default)) {
                self.to.store_value(FlowTarget::Slot(slot), value);
            }
            let value = self.to.value(FlowValue::Slot(slot));
            if !is_plain {
                self.declare_all(pattern, false);
                self.bind(pattern, value);
            } else if parameter
                .child(0)
                .is_some_and(|first| matches!(first.kind(), "accessibility_modifier" | "readonly"))
            {
                let scope = self.to.current_scope();
                let this = self.to.value(FlowValue::This(scope));
                let name = self.to.intern(self.to.text(pattern));
                self.to.store_value(FlowTarget::Member(name, this), value);
            }
        }
    }

    fn pattern_and_default(&self, node: Node<'t>) -> (Node<'t>, Option<Node<'t>>) {
        match self.kind_of(node) {
            FlowKind::AssignmentPattern => {
                (node.child_by_field_id(self.f.left).unwrap_or(node), node.child_by_field_id(self.f.right))
            }
            _ => match node.child_by_field_id(self.f.pattern) {
                Some(pattern) => (pattern, node.child_by_field_id(self.f.value)),
                None => (node, None),
            },
        }
    }

    /// Declares the names of a pattern as variables; with `is_scoped`, as those of the current block alone.
    pub(super) fn declare_all(&mut self, pattern: Node<'t>, is_scoped: bool) {
        if self.depth >= DEPTH || self.to.is_full() {
            return;
        }
        self.depth += 1;
        self.declare_pattern(pattern, is_scoped);
        self.depth -= 1;
    }

    fn declare_pattern(&mut self, pattern: Node<'t>, is_scoped: bool) {
        match self.kind_of(pattern) {
            FlowKind::Identifier | FlowKind::ShorthandPropertyIdentifierPattern => {
                let name = self.to.text(pattern);
                if is_scoped && !self.hidden.is_empty() {
                    let hidden = self.to.declare_hiding(name);
                    self.hidden.last_mut().into_iter().for_each(|names| names.push(hidden));
                } else {
                    self.to.declare_variable(name);
                }
            }
            FlowKind::PairPattern => {
                let value = pattern.child_by_field_id(self.f.value);
                value.into_iter().for_each(|value| self.declare_all(value, is_scoped));
            }
            FlowKind::AssignmentPattern | FlowKind::ObjectAssignmentPattern => {
                let left = pattern.child_by_field_id(self.f.left);
                left.into_iter().for_each(|left| self.declare_all(left, is_scoped));
            }
            FlowKind::ObjectPattern | FlowKind::ArrayPattern | FlowKind::RestPattern => {
                self.children(pattern).for_each(|child| self.declare_all(child, is_scoped));
            }
            _ => {}
        }
    }

    /// Assigns a value to a pattern.
    pub(super) fn bind(&mut self, pattern: Node<'t>, value: ValueIdx) {
        if self.depth >= DEPTH || self.to.is_full() {
            return;
        }
        self.depth += 1;
        self.bind_pattern(pattern, value);
        self.depth -= 1;
    }

    fn bind_pattern(&mut self, pattern: Node<'t>, value: ValueIdx) {
        match self.kind_of(pattern) {
            FlowKind::Identifier => {
                let name = self.to.text(pattern);
                if let Some(slot) = self.to.find(name) {
                    self.to.assign_variable(slot, value);
                }
            }
            FlowKind::AssignmentPattern | FlowKind::ObjectAssignmentPattern => {
                let default = pattern.child_by_field_id(self.f.right).map(|right| self.value(right));
                let values: Vec<ValueIdx> = std::iter::once(value).chain(default).collect();
                let either = self.to.one_of(&values);
                if let Some(left) = pattern.child_by_field_id(self.f.left) {
                    if self.kind_of(left) == FlowKind::ShorthandPropertyIdentifierPattern {
                        let given = self.property_value(value, self.to.text(left));
                        let values: Vec<ValueIdx> = std::iter::once(given).chain(default).collect();
                        let either = self.to.one_of(&values);
                        self.assign_known(self.to.text(left), either);
                    } else {
                        self.bind(left, either);
                    }
                }
            }
            FlowKind::ObjectPattern => self.take_members(pattern, value),
            FlowKind::ArrayPattern => self.take_parts(pattern, value),
            FlowKind::MemberExpression | FlowKind::SubscriptExpression => self.assign_member(pattern, value),
            FlowKind::ParenthesizedExpression | FlowKind::RestPattern | FlowKind::NonNullExpression => {
                pattern.named_child(0).into_iter().for_each(|inner| self.bind(inner, value));
            }
            _ => {}
        }
    }

    fn assign_known(&mut self, name: &str, value: ValueIdx) {
        if let Some(slot) = self.to.find(name) {
            self.to.assign_variable(slot, value);
        }
    }

    fn take_members(&mut self, pattern: Node<'t>, value: ValueIdx) {
        for child in self.children(pattern) {
            match self.kind_of(child) {
                FlowKind::ShorthandPropertyIdentifierPattern => {
                    let name = self.to.text(child);
                    let given = self.property_value(value, name);
                    self.assign_known(name, given);
                }
                FlowKind::PairPattern => {
                    let parts = (child.child_by_field_id(self.f.key), child.child_by_field_id(self.f.value));
                    let (Some(key), Some(inner)) = parts else { continue };
                    let given = self.property_value(value, self.key_text(key));
                    self.bind(inner, given);
                }
                FlowKind::ObjectAssignmentPattern | FlowKind::RestPattern => self.bind(child, value),
                _ => {}
            }
        }
    }

    fn take_parts(&mut self, pattern: Node<'t>, value: ValueIdx) {
        let parts = self.to.parts_of(value);
        let plain = parts.filter(|parts| parts.iter().all(|part| matches!(part.label, Label::At(_))));
        // Holes count, so the number of an element is that of the commas before it.
        let mut at = 0_u32;
        let targets: Vec<Node<'t>> = all_children(pattern).collect();
        for target in targets {
            if target.kind() == "," {
                at += 1;
            } else if target.is_named() && self.kind_of(target) != FlowKind::Comment {
                let given = match &plain {
                    Some(parts) if self.kind_of(target) == FlowKind::RestPattern => {
                        let rest: Vec<ValueIdx> =
                            parts.iter().skip(at as usize).map(|part| part.value).collect();
                        self.list(&rest)
                    }
                    Some(parts) => {
                        parts.get(at as usize).map_or_else(|| self.to.unknown_value(), |part| part.value)
                    }
                    None if self.kind_of(target) == FlowKind::RestPattern => value,
                    None => {
                        let key = self.to.key(&at.to_string());
                        self.to.value_under_key(value, key)
                    }
                };
                self.bind(target, given);
            }
        }
    }

    /// Traces `a.b = value` and `a[b] = value`.
    fn assign_member(&mut self, left: Node<'t>, value: ValueIdx) {
        let Some(of) = left.child_by_field_id(self.f.object).map(|of| self.value(of)) else { return };
        if self.to.is_unknown(of) {
            return;
        }
        let name = left.child_by_field_id(self.f.property).map(|name| self.to.text(name));
        let index = left.named_child(1).filter(|_| name.is_none());
        let text = name.or_else(|| {
            index.filter(|index| self.kind_of(*index) == FlowKind::String).map(|index| self.key_text(index))
        });
        match (text, index) {
            (Some(text), _) if matches!(self.to.value_at(of), FlowValue::Container(_)) => {
                let key = self.to.key(text);
                self.to.store_item(of, key, value);
            }
            (Some(text), _) => {
                let name = self.to.intern(text);
                self.to.store_value(FlowTarget::Member(name, of), value);
            }
            (None, Some(index)) => {
                let key = self.value(index);
                self.to.store_item(of, key, value);
            }
            (None, None) => {}
        }
    }

    /// Returns the text of a key, whether it is quoted or not.
    pub(super) fn key_text(&self, key: Node<'t>) -> &'t str {
        self.to.text(key).trim_matches(['"', '\'', '`'])
    }
}
