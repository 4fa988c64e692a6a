//! Finds the type that an argument is expected to have: that of the parameter in the function's signature.

use super::generics::InstantiatedDef;
use super::members::MemberLookup;
use super::overloads::parameters_of;
use super::types::MemberPathPoint;
use super::written::WrittenType;
use super::{Resolver, Site, Thing, WantedKind};
use crate::node::DefRef;

impl<'m> Resolver<'m> {
    /// Returns a value of the type of a parameter, by its number, of a function or of a class's constructor.
    pub(super) fn parameter_value(
        &self,
        at: &MemberPathPoint<'m>,
        number: usize,
    ) -> Option<MemberPathPoint<'m>> {
        let (MemberPathPoint::Named(Thing::Def(def), me)
        | MemberPathPoint::InstantiatedDef(InstantiatedDef { def, me, .. })) = at
        else {
            return None;
        };
        let function = self.called_function(*def)?;
        let (entry, found) = self.def(function)?;
        let read = entry.lang().semantics().parameter_type?;
        let (signature, name) = (entry.facts.signature(found), entry.facts.name(found.name));
        let parameters = parameters_of(signature, name)?;
        let written = parameters.get(number).map(|parameter| parameter.ty.as_str()).filter(|ty| is_type(ty));
        let hint = read(written.or_else(|| component_properties(signature).filter(|_| number == 0))?)?;
        let site = Site { file: function.file, entry, owner: Some(function.def), want: WantedKind::Type };
        if is_type_parameter(signature, &hint) {
            return None;
        }
        self.point_of_hint(&WrittenType::new(&hint, site, *me))
    }

    fn called_function(&self, def: DefRef) -> Option<DefRef> {
        if !self.has_members(def) {
            return Some(def);
        }
        match self.find_member(def, "constructor") {
            MemberLookup::Found(constructor) => Some(constructor),
            MemberLookup::Missing { .. } => None,
        }
    }
}

/// Returns true if a parameter's text in a signature is a type. A pattern without a type is not.
fn is_type(text: &str) -> bool {
    !text.starts_with(['{', '[']) && !text.is_empty()
}

/// Returns the properties of a component that is declared by its type: `Props` of `const Panel: React.FC<Props> = (...)`.
fn component_properties(signature: &str) -> Option<&str> {
    let (declared, _) = signature.split_once('=')?;
    let (head, arguments) = declared.split_once('<')?;
    let is_component = ["FC", "FunctionComponent", "VFC"].iter().any(|name| head.ends_with(name));
    arguments.trim_end().strip_suffix('>').filter(|_| is_component)
}

/// Returns true if a signature declares the type of a hint as a type parameter of its own.
fn is_type_parameter(signature: &str, hint: &str) -> bool {
    let head = signature.split('(').next().unwrap_or(signature);
    // In `const Panel: FC<Props> = (...)` the arguments of the variable's type precede the function.
    let is_variable =
        ["const ", "let ", "var "].iter().any(|word| head.trim_start_matches("export ").starts_with(word));
    let function =
        if is_variable { head.split_once("= ").map_or("", |(_, function)| function) } else { head };
    let Some((_, declared)) = function.split_once('<') else { return false };
    let name = hint.trim_start_matches(['[', ']', '{', '}']);
    declared.split(|c: char| !(c.is_alphanumeric() || c == '_' || c == '$')).any(|word| word == name)
}
