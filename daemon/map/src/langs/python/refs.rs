//! Records the references of a Python file: which names are used, how, and on which value.
//!
//! Every segment of `a.b.c()` is a use of its own name: `a` stands alone, `b` is read on `a`, `c` is called on `a.b`.

use super::Python;
use super::grammar::FIELDS;
use super::patterns::{each_parameter, each_target};
use super::types::{Ty, dotted_path, head, is_own, member_of_type, of_value, string_content};
use crate::facts::{DefIdx, Receiver, RefInput, RefKind, StrId};
use crate::syntax::{Node, named_children};
use crate::walk::{Binding, Cx, WalkStep};

/// Stands for the enclosing class among the bindings. It is turned into [`Receiver::SelfType`] before anything is
/// recorded, and never reaches the facts.
const SELF: StrId = StrId(u32::MAX);

impl Python<'_> {
    /// Records the use of a bare name, unless it is local.
    pub(super) fn visit_identifier<'t>(&mut self, node: Node<'t>, cx: &mut Cx<'t>) -> WalkStep {
        if node.id() == self.skip || self.is_attribute_name(node) {
            return WalkStep::Skip;
        }
        if self.try_define_assigned(node, node, cx) {
            return WalkStep::Skip;
        }
        let (name, kind) = (cx.text(node), self.kind_of(node));
        let receiver = if self.is_class_member(name, node, cx) { Receiver::SelfType } else { Receiver::None };
        if cx.local_binding(name).is_none() {
            cx.record_use(name, node, kind, receiver);
        }
        WalkStep::Skip
    }

    /// Records the name of `object.name`; the walk goes on into the object.
    pub(super) fn visit_attribute<'t>(&mut self, node: Node<'t>, cx: &mut Cx<'t>) -> WalkStep {
        let object = node.child_by_field_id(FIELDS.object);
        let name = node.child_by_field_id(FIELDS.attribute);
        let (Some(object), Some(name)) = (object, name) else { return WalkStep::Into };
        if !self.try_define_assigned(node, name, cx) {
            let receiver = self.receiver(object, cx);
            let kind = self.kind_of(node);
            cx.record_use(cx.text(name), name, kind, receiver);
        }
        self.read = object.id();
        self.attribute_names.push(name.start_byte());
        WalkStep::Into
    }

    /// Returns true if a name is the part after a dot, which was recorded with its attribute. The walk meets those
    /// innermost first, after the object that each stands on.
    fn is_attribute_name(&mut self, name: Node<'_>) -> bool {
        let at = name.start_byte();
        while self.attribute_names.pop_if(|waiting| *waiting < at).is_some() {}
        self.attribute_names.pop_if(|waiting| *waiting == at).is_some()
    }

    /// Records the names of `a.b.C` in an annotation that the grammar reads as a type, or in a `case` pattern.
    pub(super) fn visit_dotted_name<'t>(&mut self, node: Node<'t>, cx: &mut Cx<'t>) -> WalkStep {
        let kind = self.kind_of(node);
        let mut before: Option<usize> = None;
        let segments = node.named_child_count();
        for (i, segment) in named_children(node).filter(|n| n.kind() == "identifier").enumerate() {
            let kind = if i + 1 == segments { kind } else { RefKind::Use };
            let path = before.map(|end| cx.slice(node.start_byte(), end));
            let receiver = match path {
                Some(path) => self.path_receiver(path, cx),
                None => Receiver::None,
            };
            cx.record_use(cx.text(segment), segment, kind, receiver);
            before = Some(segment.end_byte());
        }
        WalkStep::Skip
    }

    /// Records the type of `mod.Type` in an annotation.
    pub(super) fn visit_member_type<'t>(&mut self, node: Node<'t>, cx: &mut Cx<'t>) -> WalkStep {
        let parts = (node.named_child(0), node.named_child(1));
        if let (Some(object), Some(name)) = parts {
            let path = dotted_path(cx.source, object);
            let receiver = path.map_or(Receiver::Unknown, |path| self.path_receiver(&path, cx));
            cx.record_use(cx.text(name), name, RefKind::Type, receiver);
        }
        WalkStep::Into
    }

    /// Records the names in a quoted annotation.
    pub(super) fn visit_string<'t>(&mut self, node: Node<'t>, cx: &mut Cx<'t>) -> WalkStep {
        if node.start_byte() >= self.types_until {
            return if is_formatted(cx.source, node) { WalkStep::Into } else { WalkStep::Skip };
        }
        let text = cx.text(node);
        let content = string_content(text);
        let offset = content.as_ptr() as usize - text.as_ptr() as usize;
        let (line, col) = cx.position(node);
        let is_name = |c: char| c.is_alphanumeric() || c == '_' || c == '.';
        if content.len() > 500 || text.contains('\n') || !text.is_ascii() {
            return WalkStep::Skip;
        }
        let mut at = 0;
        for word in content.split(|c: char| !is_name(c)) {
            let start = at;
            at += word.len() + 1;
            if word.starts_with(|c: char| c.is_alphabetic() || c == '_') && word != "None" {
                self.quoted_type(word, (line, col + (offset + start) as u32), cx);
            }
        }
        WalkStep::Skip
    }

    fn quoted_type<'t>(&mut self, path: &str, at: (u32, u32), cx: &mut Cx<'t>) {
        if cx.local_binding(head(path)).is_some() {
            return;
        }
        let owner = cx.owner();
        let (receiver, name) = match path.rsplit_once('.') {
            Some((module, name)) => (Receiver::Path(cx.facts.intern(module)), name),
            None => (Receiver::None, path),
        };
        let col = at.1 + (path.len() - name.len()) as u32;
        if !name.is_empty() {
            let input = RefInput { name, kind: RefKind::Type, receiver, owner, line: at.0, col };
            cx.facts.add_reference(&input);
        }
    }

    /// Returns the kind of use of a name or attribute, from what the walk met just before it.
    fn kind_of<'t>(&mut self, node: Node<'t>) -> RefKind {
        if node.id() == self.callee {
            return RefKind::Call;
        }
        if !self.roles.is_empty()
            && let Some(kind) = self.roles.remove(&node.id())
        {
            return kind;
        }
        if node.start_byte() < self.types_until && node.id() != self.read {
            RefKind::Type
        } else {
            RefKind::Use
        }
    }

    /// Returns true if the innermost class around the current place has a name that is visible here as a bare name: in
    /// the class's body, but not in its methods.
    fn is_class_member<'t>(&self, name: &str, node: Node<'t>, cx: &Cx<'t>) -> bool {
        let mut owner = cx.owner();
        if node.start_byte() < self.outer_until {
            owner = owner.and_then(|o| cx.facts.defs()[o.index()].parent);
        }
        let class = owner.and_then(|owner| self.classes.get(&owner));
        class.and_then(|class| self.scan.classes.get(class)).is_some_and(|names| names.contains_key(name))
    }

    fn receiver<'t>(&mut self, object: Node<'t>, cx: &mut Cx<'t>) -> Receiver {
        if let Some(path) = dotted_path(cx.source, object) {
            return self.path_or_field(&path, object, cx);
        }
        if object.kind() == "call" && self.is_own_class(object, cx) {
            return Receiver::SelfType;
        }
        if object.kind() == "call"
            && object.child_by_field_id(FIELDS.function).is_some_and(|f| cx.text(f) == "super")
        {
            return Receiver::Super;
        }
        let ty = self.value_type(object, cx);
        typed_receiver(&ty, cx)
    }

    /// Returns true if a call is `type(self)`.
    fn is_own_class<'t>(&self, call: Node<'t>, cx: &mut Cx<'t>) -> bool {
        let function = call.child_by_field_id(FIELDS.function).map_or("", |f| cx.text(f));
        let first = call.child_by_field_id(FIELDS.arguments).and_then(|a| a.named_child(0));
        function == "type"
            && first.is_some_and(|a| cx.local_binding(cx.text(a)) == Some(Binding::Typed(SELF)))
    }

    fn path_or_field<'t>(&mut self, path: &str, object: Node<'t>, cx: &mut Cx<'t>) -> Receiver {
        if self.is_class_member(head(path), object, cx) && cx.local_binding(head(path)).is_none() {
            return Receiver::Unknown;
        }
        let (first, rest) = path.split_once('.').unwrap_or((path, ""));
        match cx.local_binding(first) {
            Some(Binding::Typed(SELF)) if rest.is_empty() || rest == "__class__" => Receiver::SelfType,
            Some(Binding::Typed(SELF)) => {
                let ty = match self.field_type(rest, cx) {
                    Ty::Unknown | Ty::Nothing => member_of_type(&Ty::SelfType, rest),
                    known => known,
                };
                typed_receiver(&ty, cx)
            }
            Some(Binding::Typed(ty)) if !rest.is_empty() => {
                let ty = Ty::Is(cx.facts.provisional_name(ty).to_owned().into());
                typed_receiver(&member_of_type(&ty, rest), cx)
            }
            _ => self.path_receiver(path, cx),
        }
    }

    fn path_receiver<'t>(&mut self, path: &str, cx: &mut Cx<'t>) -> Receiver {
        let (first, rest) = path.split_once('.').unwrap_or((path, ""));
        match cx.local_binding(first) {
            Some(Binding::Typed(SELF)) => Receiver::Unknown,
            None if rest.is_empty() => match self.scan.module.get(first).cloned() {
                Some(ty @ (Ty::Is(_) | Ty::Declared(_))) => typed_receiver(&ty, cx),
                _ => cx.path_receiver(path),
            },
            _ => cx.path_receiver(path),
        }
    }

    fn field_type(&self, field: &str, cx: &Cx<'_>) -> Ty<'_> {
        let class = self.class_around(cx).and_then(|class| self.classes.get(&class));
        let names = class.and_then(|class| self.scan.classes.get(class));
        names.and_then(|names| names.get(field).cloned()).unwrap_or(Ty::Unknown)
    }

    fn value_type<'t>(&self, node: Node<'t>, cx: &mut Cx<'t>) -> Ty<'t> {
        let source = cx.source;
        let cx = std::cell::RefCell::new(cx);
        of_value(source, node, &|name| {
            let mut cx = cx.borrow_mut();
            Some(match cx.local_binding(name)? {
                Binding::Typed(SELF) => Ty::SelfType,
                Binding::Typed(ty) => Ty::Is(cx.facts.provisional_name(ty).to_owned().into()),
                Binding::Opaque => Ty::Unknown,
            })
        })
    }

    /// Returns the class whose `self` is visible here.
    pub(super) fn class_around<'t>(&self, cx: &Cx<'t>) -> Option<DefIdx> {
        let mut at = cx.owner();
        while let Some(idx) = at {
            if self.classes.contains_key(&idx) {
                return at;
            }
            at = cx.facts.defs()[idx.index()].parent;
        }
        None
    }

    /// Binds the local names that the first pass found in a function.
    pub(super) fn bind_locals<'t>(&mut self, node: Node<'t>, cx: &mut Cx<'t>) {
        let locals = self.scan.functions.get_mut(&node.id()).map(std::mem::take).unwrap_or_default();
        for (name, ty) in &locals {
            let binding = match ty {
                Ty::SelfType => Binding::Typed(SELF),
                Ty::Is(path) | Ty::Declared(path)
                    if is_own(path) || cx.local_binding(head(path)).is_none() =>
                {
                    Binding::Typed(cx.facts.intern(path))
                }
                _ => Binding::Opaque,
            };
            cx.bind(name, binding);
        }
        self.scan.functions.insert(node.id(), locals);
    }

    /// Opens a scope for the type parameters of `def f[T]` and `class A[T]`, if there are any.
    pub(super) fn type_parameters<'t>(&mut self, node: Node<'t>, cx: &mut Cx<'t>) {
        if node.child_by_field_id(FIELDS.type_parameters).is_some() {
            cx.open_scope(true);
            self.bind_type_parameters(node, cx);
        }
    }

    /// Binds the names of the `[T, *Ts]` below `node`.
    pub(super) fn bind_type_parameters<'t>(&mut self, node: Node<'t>, cx: &mut Cx<'t>) {
        for list in named_children(node).filter(|n| n.kind() == "type_parameter") {
            for ty in named_children(list) {
                let text = cx.text(ty).trim_start_matches('*');
                let end = text.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(text.len());
                cx.bind(&text[..end], Binding::Opaque);
            }
        }
    }

    /// Visits a lambda, whose parameters hide outer names.
    pub(super) fn visit_lambda<'t>(&mut self, node: Node<'t>, cx: &mut Cx<'t>) -> WalkStep {
        match self.lambdas.get(&node.id()) {
            Some(&function) => cx.reopen_scope(function, true),
            None => cx.open_scope(true),
        }
        if let Some(parameters) = node.child_by_field_id(FIELDS.parameters) {
            for parameter in named_children(parameters) {
                each_parameter(parameter, &mut |name, _| cx.bind(cx.text(name), Binding::Opaque));
            }
        }
        WalkStep::Into
    }

    /// Visits a comprehension: the names after `for` are its own.
    pub(super) fn visit_comprehension<'t>(&mut self, node: Node<'t>, cx: &mut Cx<'t>) -> WalkStep {
        cx.open_scope(true);
        for clause in named_children(node).filter(|n| n.kind() == "for_in_clause") {
            if let Some(left) = clause.child_by_field_id(FIELDS.left) {
                each_target(left, &mut |name| {
                    if name.kind() == "identifier" {
                        cx.bind(cx.text(name), Binding::Opaque);
                    }
                });
            }
        }
        WalkStep::Into
    }

    /// Visits a call, which may hand something over to a framework.
    pub(super) fn visit_call<'t>(&mut self, node: Node<'t>, cx: &mut Cx<'t>) -> WalkStep {
        let function = node.child_by_field_id(FIELDS.function);
        if let Some(function) = function {
            self.note_call(node, function, cx);
        }
        self.call(function)
    }

    /// Marks the called expression, which the walk meets next; so does a decorator.
    pub(super) fn call<'t>(&mut self, function: Option<Node<'t>>) -> WalkStep {
        self.callee = function.map_or(0, |f| f.id());
        WalkStep::Into
    }

    /// Visits `name := value`, which binds in the enclosing function.
    pub(super) fn visit_named_expression<'t>(&mut self, node: Node<'t>, cx: &mut Cx<'t>) -> WalkStep {
        if let Some(name) = node.child_by_field_id(FIELDS.name) {
            cx.bind(cx.text(name), Binding::Opaque);
            self.skip = name.id();
            self.assigned_in_expression(node, name, cx);
        }
        WalkStep::Into
    }
}

/// Returns true if a string has an `f` or `t` before its quotes, and thus can hold expressions.
pub(super) fn is_formatted(source: &[u8], string: Node<'_>) -> bool {
    let start = string.start_byte();
    let prefix = source.get(start..(start + 3).min(source.len())).unwrap_or(&[]);
    let mut letters = prefix.iter().take_while(|b| b.is_ascii_alphabetic());
    letters.any(|b| matches!(b, b'f' | b'F' | b't' | b'T'))
}

fn typed_receiver(ty: &Ty<'_>, cx: &mut Cx<'_>) -> Receiver {
    match ty {
        Ty::SelfType => Receiver::SelfType,
        Ty::Is(name) | Ty::Declared(name) if is_own(name) || cx.local_binding(head(name)).is_none() => {
            Receiver::Typed(cx.facts.intern(name))
        }
        _ => Receiver::Unknown,
    }
}
