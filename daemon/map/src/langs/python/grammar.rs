//! Holds the Python grammar and the numbers of its fields; asking for a field by its name compares strings each time.

use std::sync::LazyLock;

use crate::langs::support::{define_grammar, fields};

fields!(Fields {
    alias: "alias",
    arguments: "arguments",
    attribute: "attribute",
    body: "body",
    definition: "definition",
    function: "function",
    left: "left",
    module_name: "module_name",
    name: "name",
    object: "object",
    operator: "operator",
    parameters: "parameters",
    return_type: "return_type",
    right: "right",
    superclasses: "superclasses",
    ty: "type",
    type_parameters: "type_parameters",
    value: "value",
});

/// The numbers of the grammar's fields, looked up once.
pub(super) static FIELDS: LazyLock<Fields> = LazyLock::new(|| Fields::new(language().as_ref()));

define_grammar!(language, "python", tree_sitter_python::LANGUAGE);
