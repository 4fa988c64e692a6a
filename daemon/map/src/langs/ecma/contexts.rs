//! Tells the types of parameters and results of a function in an expression from its place: as the argument of a call,
//! as the value of a variable or field whose type is a function's, behind `import("x").then`.

use super::Ecma;
use super::scopes::without_local_names;
use super::types::{LONGEST, PATH, THIS, TypeName, text};
use crate::syntax::{Node, named_children};
use crate::walk::{Binding, Cx};

/// Most parameters that are read.
const PARAMETERS: usize = 16;

/// The types of components whose first parameter has the type that they are given.
const COMPONENTS: [&str; 4] = ["FC", "FunctionComponent", "VFC", "FunctionalComponent"];

/// The types that the place of a function gives it, as they are written there.
#[derive(Clone, Debug, Default)]
pub(super) struct FunctionContext {
    /// The path of the function that it is passed to, and the argument's number: together they lead to the types.
    passed: Option<(String, usize)>,
    /// The types of its parameters, empty where they are not known.
    parameters: Vec<String>,
    /// The type that the function is to return.
    result: Option<String>,
}

impl Ecma {
    /// Notes, for each function among the arguments of a call, the types that the called function gives it.
    pub(super) fn note_callbacks<'t>(&mut self, call: Node<'t>, callee: Node<'t>, cx: &mut Cx<'t>) {
        let Some(arguments) = call.child_by_field_id(self.grammar.fields.arguments) else { return };
        let arguments = named_children(arguments).filter(|n| n.kind() != "comment").take(16);
        for (place, argument) in arguments.enumerate() {
            let is_function = is_function(argument);
            if !is_function && !matches!(argument.kind(), "object" | "array") {
                continue;
            }
            let path = self.type_reader(cx).path(callee, PATH).filter(|path| path.len() < LONGEST);
            let Some(path) = path else { continue };
            if !is_function {
                self.expect_argument(argument, &path, place, cx);
            } else if let Some(context) = self.passed_context(call, callee, (path, place), cx) {
                self.contexts.insert(argument.id(), context);
            }
        }
    }

    fn passed_context<'t>(
        &self,
        call: Node<'t>,
        callee: Node<'t>,
        passed: (String, usize),
        cx: &mut Cx<'t>,
    ) -> Option<FunctionContext> {
        let f = &self.grammar.fields;
        let name = callee.child_by_field_id(f.property).map_or("", |name| cx.text(name));
        // `list.map<T>(f)`: the library's functions return what the type argument says.
        let given =
            call.child_by_field_id(f.type_arguments).filter(|_| matches!(name, "map" | "flatMap" | "then"));
        let given = given.and_then(|given| given.named_child(0));
        let result = given.and_then(|ty| self.type_reader(cx).annotation_type(ty));
        let result = result.and_then(|ty| without_local_names(&ty, cx));
        // Names inside the function may hide names of the path.
        let path = match without_local_names(&format!("={}", passed.0), cx) {
            Some(path) => path.strip_prefix('=').map_or_else(|| format!("{path}~"), str::to_owned),
            None if result.is_some() => String::new(),
            None => return None,
        };
        let passed = (path, passed.1);
        Some(match passed.0.strip_suffix("!.then").filter(|_| passed.1 == 0) {
            // The path of a module that is loaded here ends so.
            Some(module) => FunctionContext { parameters: vec![format!("={module}!")], result, passed: None },
            None => {
                let passed = Some(passed).filter(|(path, _)| !path.is_empty());
                FunctionContext { passed, result, parameters: Vec::new() }
            }
        })
    }

    /// Notes the types of a function that is the value of a variable or field with a declared type.
    pub(super) fn note_declared_function<'t>(
        &mut self,
        value: Option<Node<'t>>,
        annotation: Option<Node<'t>>,
        cx: &mut Cx<'t>,
    ) {
        let Some(value) = value.filter(|value| is_function(*value)) else { return };
        let Some(ty) = annotation.and_then(|annotation| annotation.named_child(0)) else { return };
        let context = match ty.kind() {
            "function_type" => self.function_type_context(ty, cx),
            _ => self.named_type_context(ty, cx),
        };
        if let Some(context) = context {
            self.contexts.insert(value.id(), context);
        }
    }

    fn function_type_context<'t>(&self, ty: Node<'t>, cx: &mut Cx<'t>) -> Option<FunctionContext> {
        let f = &self.grammar.fields;
        let parameters = ty.child_by_field_id(f.parameters)?;
        let mut read = |parameter: Node<'t>| {
            let ty =
                parameter.child_by_field_id(f.ty).and_then(|ty| self.type_reader(cx).annotation_type(ty));
            let ty = ty.filter(|ty| ty != THIS).and_then(|ty| without_local_names(&ty, cx));
            ty.unwrap_or_default()
        };
        let parameters = named_children(parameters).filter(|n| n.kind() != "comment");
        let parameters = parameters.take(PARAMETERS).map(&mut read).collect();
        let result = ty.child_by_field_id(f.return_type);
        let result = result.and_then(|result| self.type_reader(cx).annotation_type(result));
        let result = result.and_then(|result| without_local_names(&result, cx));
        Some(FunctionContext { passed: None, parameters, result })
    }

    fn named_type_context<'t>(&self, ty: Node<'t>, cx: &mut Cx<'t>) -> Option<FunctionContext> {
        let name =
            self.type_reader(cx).annotation_type(ty).filter(|ty| ty != THIS && !ty.starts_with('='))?;
        let name = without_local_names(&name, cx)?;
        let properties = name.split_once('<').and_then(|(head, rest)| {
            let is_component = COMPONENTS.contains(&head.rsplit('.').next().unwrap_or(head));
            rest.strip_suffix('>').filter(|_| is_component)
        });
        Some(match properties {
            Some(properties) => {
                FunctionContext { parameters: vec![properties.to_owned()], ..FunctionContext::default() }
            }
            None => FunctionContext { passed: Some((format!("{name}~"), 0)), ..FunctionContext::default() },
        })
    }

    /// Binds the parameters without a type of their own to the types that the function's place gives them.
    pub(super) fn bind_given<'t>(&mut self, node: Node<'t>, cx: &mut Cx<'t>) {
        let Some(context) = self.contexts.remove(&node.id()) else { return };
        for (place, name) in self.untyped_parameters(node) {
            let given: TypeName<'t> = context.parameter(place).map(Into::into);
            if name.kind() == "identifier" {
                let binding = given.map_or(Binding::Opaque, |given| Binding::Typed(cx.facts.intern(&given)));
                cx.bind(cx.text(name), binding);
            } else {
                self.use_pattern_keys(name, given.clone(), cx);
                self.bind_names(name, given, cx);
            }
        }
        let is_told = node.child_by_field_id(self.grammar.fields.return_type).is_some();
        if let Some(result) = context.given_back().filter(|_| !is_told) {
            self.expect_result(node, &result);
        }
    }

    fn untyped_parameters<'t>(&self, node: Node<'t>) -> Vec<(usize, Node<'t>)> {
        let f = &self.grammar.fields;
        let mut found = Vec::new();
        found.extend(node.child_by_field_id(f.parameter).map(|name| (0, name)));
        let Some(parameters) = node.child_by_field_id(f.parameters) else { return found };
        let parameters = named_children(parameters).filter(|n| n.kind() != "comment");
        for (place, parameter) in parameters.enumerate().take(PARAMETERS) {
            let name = parameter.child_by_field_id(f.pattern).unwrap_or(parameter);
            let is_pattern = matches!(name.kind(), "identifier" | "object_pattern" | "array_pattern");
            if is_pattern && parameter.child_by_field_id(f.ty).is_none() {
                found.push((place, name));
            }
        }
        found
    }

    /// Returns the specifier of `import("x")`; `None` if it is computed.
    pub(super) fn loaded_module<'t>(call: Node<'_>, source: &'t [u8]) -> Option<&'t str> {
        let function = call.child_by_field_name("function").filter(|function| function.kind() == "import")?;
        let arguments = call.child_by_field_name("arguments").filter(|_| function.is_named())?;
        let module = text(source, arguments.named_child(0)?);
        let module = module.get(1..module.len().checked_sub(1)?)?;
        let is_plain = !module.is_empty() && !module.contains(['!', '\'', '"', '`', '$', ' ']);
        is_plain.then_some(module)
    }
}

impl FunctionContext {
    fn parameter(&self, place: usize) -> Option<String> {
        if let Some((path, argument)) = &self.passed {
            return Some(format!("={path}@{argument}:{place}"));
        }
        self.parameters.get(place).filter(|ty| !ty.is_empty()).cloned()
    }

    fn given_back(&self) -> Option<String> {
        let passed = || self.passed.as_ref().map(|(path, argument)| format!("={path}@{argument}:="));
        self.result.clone().or_else(passed)
    }
}

fn is_function(node: Node<'_>) -> bool {
    matches!(node.kind(), "arrow_function" | "function_expression")
}
