//! Maps the nodes of the grammar of Protocol Buffers to the kinds that the extractor tells apart.

use std::sync::LazyLock;

use crate::langs::support::fields;

/// The kinds of nodes that the extractor tells apart.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) enum ProtoKind {
    /// A node that means nothing itself; its children may.
    #[default]
    Other,
    /// A node that means nothing, and whose children are skipped.
    Nothing,
    Comment,
    Package,
    Import,
    Message,
    Group,
    Enum,
    EnumField,
    Field,
    Oneof,
    Service,
    Rpc,
    Extend,
    TypeName,
    FullIdent,
    FieldOption,
    Constant,
    Name,
    Ident,
}

const KINDS: &[(&str, ProtoKind)] = &[
    ("comment", ProtoKind::Comment),
    ("package", ProtoKind::Package),
    ("import", ProtoKind::Import),
    ("message", ProtoKind::Message),
    ("group", ProtoKind::Group),
    ("enum", ProtoKind::Enum),
    ("enum_field", ProtoKind::EnumField),
    ("field", ProtoKind::Field),
    ("oneof_field", ProtoKind::Field),
    ("map_field", ProtoKind::Field),
    ("oneof", ProtoKind::Oneof),
    ("service", ProtoKind::Service),
    ("rpc", ProtoKind::Rpc),
    ("extend", ProtoKind::Extend),
    ("message_or_enum_type", ProtoKind::TypeName),
    ("full_ident", ProtoKind::FullIdent),
    ("field_option", ProtoKind::FieldOption),
    ("constant", ProtoKind::Constant),
    ("message_name", ProtoKind::Name),
    ("enum_name", ProtoKind::Name),
    ("service_name", ProtoKind::Name),
    ("rpc_name", ProtoKind::Name),
    ("identifier", ProtoKind::Ident),
    ("syntax", ProtoKind::Nothing),
    ("edition", ProtoKind::Nothing),
    ("reserved", ProtoKind::Nothing),
    ("field_number", ProtoKind::Nothing),
    ("key_type", ProtoKind::Nothing),
    ("string", ProtoKind::Nothing),
];

fields!(Fields { path: "path" });

/// The grammar with its tables.
pub(super) type ProtoGrammar = crate::langs::support::Grammar<ProtoKind, Fields>;

/// The grammar of Protocol Buffers with its kinds and fields, looked up once.
pub(super) static GRAMMAR: LazyLock<ProtoGrammar> =
    LazyLock::new(|| ProtoGrammar::new(super::language().as_ref(), KINDS, Fields::new));

#[cfg(test)]
mod tests {
    use crate::langs::support::unknown_kinds;

    #[test]
    fn every_kind_is_one_of_the_grammar() {
        assert_eq!(unknown_kinds(super::super::language().as_ref(), super::KINDS), [""; 0]);
    }
}
