//! Finds the name that a C declarator declares, as in `*(*name(int))[3]`.

use super::grammar::{CGrammar, CKind};
use crate::langs::support::child_where;
use crate::syntax::Node;

/// A declarator taken apart.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Declared<'t> {
    /// The name: an identifier, a qualified name, an operator, a destructor.
    pub(crate) name: Node<'t>,
    /// The kind of the name's node.
    pub(crate) kind: CKind,
    /// The function declarator, if a function is declared (not a pointer to one).
    pub(crate) function: Option<Node<'t>>,
    /// True if the declarator is nothing but the name.
    pub(crate) plain: bool,
    /// A word before the name that the parser could not place.
    pub(crate) stray: Option<Node<'t>>,
    /// True if the name is alone in parentheses, as in `NAME(x)` of a macro.
    pub(crate) parenthesised: bool,
}

/// Follows a declarator down to its name.
pub(crate) fn follow_declarator<'t>(g: &CGrammar, declarator: Node<'t>) -> Option<Declared<'t>> {
    let mut node = declarator;
    let mut function = None;
    let mut plain = true;
    let mut parenthesised = false;
    let mut stray = None;
    loop {
        let kind = g.kind(node);
        match kind {
            CKind::Ident
            | CKind::TypeIdent
            | CKind::FieldIdent
            | CKind::Operator
            | CKind::Qualified
            | CKind::Binding
            | CKind::TemplateType => {
                return Some(Declared { name: node, kind, function, plain, stray, parenthesised });
            }
            // `typedef __uint8_t uint8_t;`: the grammar knows the usual names.
            CKind::PlainType => {
                let kind = CKind::TypeIdent;
                return Some(Declared { name: node, kind, function, plain, stray, parenthesised });
            }
            CKind::FnDeclr => (function, plain) = (Some(node), false),
            CKind::PtrDeclr => {
                (function, plain) = (None, false);
                if node.has_error() {
                    stray = child_where(node, |c| c.is_error()).and_then(|error| single_word(g, error));
                }
            }
            CKind::ParenDeclr => parenthesised = plain,
            CKind::InitDeclr => {}
            _ => return None,
        }
        node = inner_declarator(g, node)?;
    }
}

fn inner_declarator<'t>(g: &CGrammar, node: Node<'t>) -> Option<Node<'t>> {
    node.child_by_field_id(g.f.declarator).or_else(|| {
        child_where(node, |child| {
            matches!(
                g.kind(child),
                CKind::Ident
                    | CKind::TypeIdent
                    | CKind::FieldIdent
                    | CKind::Operator
                    | CKind::Qualified
                    | CKind::FnDeclr
                    | CKind::PtrDeclr
                    | CKind::ParenDeclr
            )
        })
    })
}

/// The parts of a declaration, found in one pass over its children.
#[derive(Debug, Default)]
pub(crate) struct CDeclarationParts<'t> {
    /// The type specifier of the declaration.
    pub(crate) ty: Option<Node<'t>>,
    /// The declarators, in source order; empty if it declares no name.
    pub(crate) declarators: Vec<Node<'t>>,
    /// The last word that the parser could not place before the first declarator: often a macro, sometimes the name.
    pub(crate) stray: Option<Node<'t>>,
    /// True if the declaration has `static`.
    pub(crate) is_static: bool,
    /// True if the declaration has `extern`.
    pub(crate) is_extern: bool,
    /// True if the declaration has `const` or `constexpr`.
    pub(crate) is_const: bool,
    /// True if the parser made the closing semicolon up.
    pub(crate) unfinished: bool,
    /// True if text before any declarator could not be parsed.
    pub(crate) has_error: bool,
}

/// Takes a declaration, field declaration, type definition or function definition apart.
pub(crate) fn split_declaration<'t>(g: &CGrammar, node: Node<'t>, source: &[u8]) -> CDeclarationParts<'t> {
    let mut parts = CDeclarationParts::default();
    let mut cursor = node.walk();
    let mut more = cursor.goto_first_child();
    while more {
        let child = cursor.node();
        let id = child.kind_id();
        match cursor.field_id() {
            0 if id == g.storage => match source.get(child.byte_range()) {
                Some(b"static") => parts.is_static = true,
                Some(b"extern") => parts.is_extern = true,
                _ => {}
            },
            0 if id == g.qualifier => parts.is_const |= source[child.byte_range()].starts_with(b"const"),
            0 if child.is_error() => {
                parts.has_error = true;
                if parts.declarators.is_empty() {
                    parts.stray = single_word(g, child);
                }
            }
            0 => parts.unfinished |= child.is_missing(),
            field if field == g.f.declarator => parts.declarators.push(child),
            field if field == g.f.ty && parts.ty.is_none() => parts.ty = Some(child),
            field if field == g.f.body => break,
            _ => {}
        }
        more = cursor.goto_next_sibling();
    }
    parts
}

/// Takes a declaration apart whose storage class does not matter. Nearly all of them have one declarator, which is
/// found without going through the children.
pub(crate) fn local_parts<'t>(g: &CGrammar, node: Node<'t>, source: &[u8]) -> CDeclarationParts<'t> {
    if let Some(declarator) = node.child_by_field_id(g.f.declarator)
        && declarator.end_byte() + 1 >= node.end_byte()
        && !node.has_error()
    {
        let ty = node.child_by_field_id(g.f.ty);
        return CDeclarationParts { ty, declarators: vec![declarator], ..CDeclarationParts::default() };
    }
    split_declaration(g, node, source)
}

/// Returns the only child of an error node, if it is a name.
pub(crate) fn single_word<'t>(g: &CGrammar, error: Node<'t>) -> Option<Node<'t>> {
    let word = error.child(0).filter(|_| error.child_count() == 1)?;
    matches!(g.kind(word), CKind::Ident | CKind::FieldIdent | CKind::TypeIdent).then_some(word)
}
