//! Defines the functions in object literals inside functions, where the literal has a name or is returned, so that a
//! line in such a function belongs to it and not only to the function around. Options that are passed to a call are
//! left out: they are many, and the called function names them already.

use super::defs::New;
use super::scopes::EcmaValueKind;
use super::types::THIS;
use super::{Container, Ecma};
use crate::facts::DefKind;
use crate::syntax::{Node, named_children};
use crate::walk::{Binding, Cx, WalkStep};

impl Ecma {
    /// Visits `return { run() {} }`.
    pub(super) fn returned_object<'t>(&mut self, node: Node<'t>, cx: &Cx<'t>) -> WalkStep {
        self.note_object(node.named_child(0), cx);
        self.expect_returned(node);
        WalkStep::Into
    }

    /// Notes the object literal that an arrow function returns: `=> ({ run() {} })`.
    pub(super) fn given_object<'t>(&mut self, function: Node<'t>, cx: &Cx<'t>) {
        let body = function.child_by_field_id(self.grammar.fields.body);
        self.note_object(body.filter(|body| body.kind() == "parenthesized_expression"), cx);
    }

    fn note_object<'t>(&mut self, value: Option<Node<'t>>, cx: &Cx<'t>) {
        let object = value.and_then(|value| self.object_of_functions(value, cx));
        if let Some(object) = object.filter(|_| cx.owner().is_some()) {
            self.local_objects.insert(object.id());
        }
    }

    /// Returns the object literal that a value is, if functions are among its members.
    pub(super) fn object_of_functions<'t>(&self, value: Node<'t>, cx: &Cx<'t>) -> Option<Node<'t>> {
        let object = self.object_in(value)?;
        let has_function = named_children(object)
            .any(|member| member.kind() == "method_definition" || self.function_of(member, cx).is_some());
        has_function.then_some(object)
    }

    /// Returns the function that is the value of a member `key: function`, or the only one among the sides of a
    /// condition there.
    fn function_of<'t>(&self, member: Node<'t>, cx: &Cx<'t>) -> Option<Node<'t>> {
        let value =
            member.child_by_field_id(self.grammar.fields.value).filter(|_| member.kind() == "pair")?;
        let is_function = |value: &Node<'t>| self.value_kind(*value, cx.source) == EcmaValueKind::Function;
        if value.kind() != "ternary_expression" {
            return Some(value).filter(is_function);
        }
        let functions: Vec<Node<'t>> = named_children(value).filter(is_function).collect();
        if let [function] = functions[..] { Some(function) } else { None }
    }

    /// Defines a member `key: function` of such a literal.
    pub(super) fn local_member<'t>(&mut self, node: Node<'t>, cx: &mut Cx<'t>) -> WalkStep {
        let at = node.child_by_field_id(self.grammar.fields.key);
        let name = at.and_then(|at| Some((at, self.property_name(at, cx)?)));
        let (Some((at, name)), Some(value)) = (name, self.function_of(node, cx)) else {
            return WalkStep::Into;
        };
        let wrap = self.take_wrap(node, cx);
        let head = (node.start_byte(), self.head(value).1);
        self.make_def(&New { name, at, kind: DefKind::Method, head, visible: true }, &wrap, Some(true), cx);
        if value.kind() != "arrow_function" {
            cx.bind(THIS, Binding::Opaque);
        }
        self.opened = value.id();
        WalkStep::Into
    }

    /// Returns the container of the members of a literal, if the literal has a name or is returned inside a function.
    pub(super) fn local_container(&mut self, object: Node<'_>) -> Option<Container> {
        let is_local = !self.local_objects.is_empty() && self.local_objects.remove(&object.id());
        is_local.then_some(Container::Methods)
    }
}

#[cfg(test)]
mod tests {
    use crate::langs::lang::Lang;
    use crate::langs::support::render;

    #[test]
    fn functions_of_an_object_in_a_function_that_has_a_name_or_is_returned() {
        let source = "
export function create(): Server {
  const server: Server = {
    config,
    reload() { load() },
    warm: async () => { heat() },
    nested: { deep() {} },
    serve: off ? undefined : (path) => { look(path) },
  };
  const plain = { a: 1 };
  use({ passed() {} });
  return { close() { this.x() }, stop: function () {} };
}
const make = (it) => ({ run() { it() } });
it(() => { const top = { none() {} } });
";
        let facts = render::facts_of(Lang::TypeScript, source);
        let is_def = |line: &&str| !line.starts_with(|c: char| c.is_ascii_digit());
        let expected = "function create 2-13@2:17 E | function create(): Server
constant create.server 3-9@3:9 | const server: Server =
method create.server.reload 5-5@5:5 | reload()
method create.server.warm 6-6@6:5 | warm: async ()
method create.server.serve 8-8@8:5 | serve: off ? undefined : (path)
method create.close 12-12@12:12 E | close()
method create.stop 12-12@12:34 E | stop: function ()
function make 14-14@14:7 | const make = (it)
method make.run 14-14@14:25 | run()";
        assert_eq!(facts.lines().filter(is_def).collect::<Vec<_>>().join("\n"), expected);
    }
}
