//! Names the kinds of nodes that the tracing of values tells apart.

use std::sync::LazyLock;

use super::super::grammar::language;
use crate::langs::support::node_kinds;
use crate::syntax::Node;
use crate::walk::KindTable;

node_kinds!(FlowKind {
    ArgumentList: "argument_list",
    AsPattern: "as_pattern",
    AsPatternTarget: "as_pattern_target",
    Assignment: "assignment",
    Attribute: "attribute",
    AugmentedAssignment: "augmented_assignment",
    Await: "await",
    Block: "block",
    BooleanOperator: "boolean_operator",
    Call: "call",
    CaseClause: "case_clause",
    CasePattern: "case_pattern",
    ClassDefinition: "class_definition",
    Comment: "comment",
    ConditionalExpression: "conditional_expression",
    DecoratedDefinition: "decorated_definition",
    Decorator: "decorator",
    Dictionary: "dictionary",
    DictionaryComprehension: "dictionary_comprehension",
    DictionarySplat: "dictionary_splat",
    DictionarySplatPattern: "dictionary_splat_pattern",
    ElifClause: "elif_clause",
    ElseClause: "else_clause",
    ExceptClause: "except_clause",
    ExpressionList: "expression_list",
    ExpressionStatement: "expression_statement",
    FinallyClause: "finally_clause",
    ForInClause: "for_in_clause",
    ForStatement: "for_statement",
    FunctionDefinition: "function_definition",
    GeneratorExpression: "generator_expression",
    GlobalStatement: "global_statement",
    Identifier: "identifier",
    IfClause: "if_clause",
    IfStatement: "if_statement",
    ImportFromStatement: "import_from_statement",
    ImportStatement: "import_statement",
    Integer: "integer",
    Interpolation: "interpolation",
    KeywordArgument: "keyword_argument",
    KeywordSeparator: "keyword_separator",
    Lambda: "lambda",
    List: "list",
    ListComprehension: "list_comprehension",
    ListPattern: "list_pattern",
    ListSplat: "list_splat",
    ListSplatPattern: "list_splat_pattern",
    MatchStatement: "match_statement",
    Module: "module",
    NamedExpression: "named_expression",
    NonlocalStatement: "nonlocal_statement",
    Pair: "pair",
    ParenthesizedExpression: "parenthesized_expression",
    PassStatement: "pass_statement",
    PatternList: "pattern_list",
    PositionalSeparator: "positional_separator",
    RaiseStatement: "raise_statement",
    ReturnStatement: "return_statement",
    Set: "set",
    SetComprehension: "set_comprehension",
    Slice: "slice",
    String: "string",
    Subscript: "subscript",
    TryStatement: "try_statement",
    Tuple: "tuple",
    TuplePattern: "tuple_pattern",
    Type: "type",
    TypeAliasStatement: "type_alias_statement",
    TypedParameter: "typed_parameter",
    WhileStatement: "while_statement",
    WithClause: "with_clause",
    WithStatement: "with_statement",
    Yield: "yield",
});

static KINDS: LazyLock<KindTable<FlowKind>> =
    LazyLock::new(|| KindTable::new(language().as_ref(), FlowKind::NAMES));

/// Returns the kind of a node.
pub(super) fn kind_of(node: Node<'_>) -> FlowKind {
    KINDS.get(node)
}
