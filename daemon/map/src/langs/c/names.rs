//! Takes names apart: their spelling, the path before them, and the definition that they belong to.

use super::declarator::Declared;
use super::grammar::CKind;
use super::rules::Family;
use crate::facts::DefIdx;
use crate::langs::support::child_where;
use crate::syntax::Node;
use crate::walk::Cx;

/// The name that a declarator declares, with the path before it.
pub(crate) struct CDeclaredName<'t> {
    pub(crate) name: &'t str,
    pub(crate) node: Node<'t>,
    /// The path before the name (C++), dotted.
    pub(crate) path: String,
}

/// The owner of a definition.
pub(crate) struct CDefPlace {
    pub(crate) parent: Option<DefIdx>,
    pub(crate) qualifier: Option<String>,
    /// True if the definition belongs to a type.
    pub(crate) member: bool,
}

impl Family {
    /// Returns the name that a declarator ends in.
    pub(crate) fn declared_name<'t>(&self, declared: &Declared<'t>, cx: &Cx<'t>) -> CDeclaredName<'t> {
        let (node, path) = match declared.kind {
            CKind::Qualified | CKind::TemplateType => {
                self.type_leaf(declared.name, cx).unwrap_or((declared.name, String::new()))
            }
            _ => (declared.name, String::new()),
        };
        CDeclaredName { name: self.leaf_text(node, cx), node, path }
    }

    /// Returns the text of a name's last part; `operator bool() const` is cut to the type.
    fn leaf_text<'t>(&self, leaf: Node<'t>, cx: &Cx<'t>) -> &'t str {
        let end = leaf.child_by_field_id(self.g.f.declarator).map_or(leaf.end_byte(), |d| d.start_byte());
        cx.slice(leaf.start_byte(), end).trim_end()
    }

    /// Follows `a::b<T>::c<U>` to its last name and the path before it, dotted, without arguments.
    pub(crate) fn type_leaf<'t>(&self, name: Node<'t>, cx: &Cx<'_>) -> Option<(Node<'t>, String)> {
        let mut node = name;
        let mut path = String::new();
        loop {
            match self.g.kind(node) {
                CKind::Qualified => {
                    if let Some(scope) = node.child_by_field_id(self.g.f.scope) {
                        let scope = scope.child_by_field_id(self.g.f.name).unwrap_or(scope);
                        if !path.is_empty() {
                            path.push('.');
                        }
                        path.push_str(cx.text(scope));
                    }
                    node = node.child_by_field_id(self.g.f.name)?;
                }
                CKind::TemplateType => node = node.child_by_field_id(self.g.f.name)?,
                CKind::PtrDeclr | CKind::Dependent => node = child_where(node, |c| c.is_named())?,
                CKind::Ident | CKind::TypeIdent | CKind::FieldIdent | CKind::Operator => {
                    return Some((node, path));
                }
                _ => return None,
            }
        }
    }

    /// Returns a qualified name as one dotted path; `None` if part of it is no name.
    pub(crate) fn qualified_name(&self, node: Node<'_>, cx: &Cx<'_>) -> Option<String> {
        let (leaf, path) = self.type_leaf(node, cx)?;
        let leaf = cx.text(leaf);
        Some(if path.is_empty() { leaf.to_owned() } else { format!("{path}.{leaf}") })
    }

    /// Returns the qualified form, from the file's top, of a path that is written inside a namespace or type.
    pub(crate) fn in_namespace(&self, path: &str, cx: &Cx<'_>) -> String {
        match cx.owner() {
            None => path.to_owned(),
            Some(owner) => {
                format!("{}.{path}", cx.facts.provisional_name(cx.facts.defs()[owner.index()].qualified))
            }
        }
    }

    /// Returns the owner of a declared name: the type or namespace around it, or the one that its path names.
    pub(crate) fn place_of_name(&self, named: &CDeclaredName<'_>, cx: &mut Cx<'_>) -> CDefPlace {
        if named.path.is_empty() {
            let member = self.g.cpp && self.owner_type(cx).is_some();
            return CDefPlace { parent: cx.owner(), qualifier: None, member };
        }
        let full = self.in_namespace(&named.path, cx);
        let id = cx.facts.intern(&full);
        let parent = self.types.get(&id).copied();
        let member = parent.is_some() || !self.namespaces.contains(&id);
        CDefPlace { parent: parent.or_else(|| cx.owner()), qualifier: Some(full), member }
    }
}

/// Returns true if the parser swapped the two words of `int x __read_mostly;` or `int __init f(void)`: it took the one
/// that looks like an attribute for the name.
pub(super) fn is_swapped(stray: &str, name: &str) -> bool {
    attribute_like(name) && !attribute_like(stray)
}

/// Returns true if a name is that of a macro for an attribute, by the usual spelling.
pub(super) fn attribute_like(name: &str) -> bool {
    name.starts_with("__") && is_known_attribute(name)
}

fn is_known_attribute(name: &str) -> bool {
    let name = name.trim_start_matches('_');
    const WORDS: &[&str] = &[
        "init",
        "initdata",
        "initconst",
        "exit",
        "exitdata",
        "packed",
        "aligned",
        "cacheline_aligned",
        "read_mostly",
        "ro_after_init",
        "percpu",
        "rcu",
        "user",
        "iomem",
        "force",
        "bitwise",
        "weak",
        "used",
        "unused",
        "maybe_unused",
        "visible",
        "section",
        "hidden",
        "private",
        "randomize_layout",
        "cold",
        "sched",
        "kprobes",
        "net_init",
        "net_initdata",
        "net_exit",
        "refdata",
        "ref",
        "meminit",
        "cacheline_aligned_in_smp",
        "page_aligned_data",
        "page_aligned_bss",
        "designated_init",
        "counted_by",
        "must_check",
        "noreturn",
        "pure",
        "always_inline",
        "cpuidle",
        "latent_entropy",
        "lsm_ro_after_init",
        "noclone",
        "initdata_or_module",
        "init_or_module",
    ];
    WORDS.contains(&name)
}

/// Returns true if a name is written as macros are: in capitals, digits and underscores, at least three.
pub(crate) fn is_macro_name(name: &str) -> bool {
    name.len() > 2 && name.bytes().all(|b| b.is_ascii_uppercase() || b.is_ascii_digit() || b == b'_')
}

/// Returns the name of the function that a macro declares, from its first argument.
pub(super) fn macro_defined_name(makro: &str, argument: &str) -> String {
    if makro.starts_with("SYSCALL_DEFINE") {
        format!("sys_{argument}")
    } else if makro.starts_with("COMPAT_SYSCALL_DEFINE") {
        format!("compat_sys_{argument}")
    } else {
        argument.to_owned()
    }
}
