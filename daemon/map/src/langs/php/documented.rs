//! Defines members that a class's comment declares: `@property Foo $bar`, `@method Foo bar()`.

use super::infer::is_own_type;
use super::rules::PhpRules;
use crate::facts::{DefFlags, DefIdx, DefInput, DefKind, TypePart};
use crate::walk::Cx;

impl PhpRules {
    /// Defines the members that the last comment declares for a class.
    pub(super) fn define_documented(&mut self, class: DefIdx, cx: &mut Cx<'_>) {
        for member in std::mem::take(&mut self.doc.members) {
            let kind = if member.is_method { DefKind::Method } else { DefKind::Field };
            let def = cx.define(&DefInput {
                name: &member.name,
                kind,
                flags: DefFlags::EXPORTED.with(DefFlags::DECLARATION),
                parent: Some(class),
                qualifier: None,
                lines: (member.name_at.0, member.name_at.0),
                bytes: member.bytes,
                name_at: member.name_at,
                signature: &member.text,
                doc: "",
            });
            let part = if member.is_method { TypePart::RESULT } else { TypePart::VALUE };
            if is_own_type(&member.ty) {
                cx.facts.type_hint(def, part, "=self");
            } else if let Some(named) = self.plain_type(&member.ty) {
                cx.facts.type_hint(def, part, &named);
            }
        }
    }

    /// Returns the path of a written type, if it is one class, `null` aside.
    fn plain_type(&self, written: &str) -> Option<String> {
        let mut classes =
            written.trim_start_matches('?').split('|').filter(|name| !name.eq_ignore_ascii_case("null"));
        let class = classes.next().filter(|_| classes.next().is_none())?;
        let is_name = class.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '\\'));
        let is_builtin = class.starts_with(char::is_lowercase);
        self.class_written(class).filter(|_| is_name && !is_builtin).map(|named| named.path())
    }
}
