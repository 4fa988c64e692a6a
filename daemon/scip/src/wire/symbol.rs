//! Writes symbols in SCIP's notation, and checks whether a symbol is well formed.
//!
//! A symbol names its scheme, its package and the path to the definition, each step with a sign for its kind:
//! `hob npm shop 1.0.0 src/`cart.ts`/Cart#add().`. The library has the escaping rules.

use scip::symbol::{format_symbol, parse_symbol};
use scip::types::descriptor::Suffix;
use scip::types::{Descriptor, Package, Symbol};

/// The scheme of the symbols that hob writes.
const SCHEME: &str = "hob";

/// The package that a definition belongs to; unknown fields are empty.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct SymbolPackage {
    /// The package manager: `cargo`, `npm`.
    pub manager: String,
    /// The name of the package.
    pub name: String,
    /// The version of the package.
    pub version: String,
}

/// The kinds of steps on the path to a definition.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SymbolSuffix {
    /// A folder, a file, or a module in it.
    Namespace,
    /// A type.
    Type,
    /// A value.
    Term,
    /// A function or a method.
    Method,
    /// A macro.
    Macro,
}

/// One step on the path to a definition.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SymbolStep {
    /// The name of the step, not escaped.
    pub name: String,
    /// The kind of the step.
    pub suffix: SymbolSuffix,
    /// The suffix that separates a method from others of its name (`+1`); empty for the first one and for all
    /// other kinds.
    pub disambiguator: String,
}

/// Writes a symbol in hob's scheme.
#[must_use]
pub fn symbol_text(package: &SymbolPackage, steps: &[SymbolStep]) -> String {
    let package = Package {
        manager: escape_space(&package.manager),
        name: escape_space(&package.name),
        version: escape_space(&package.version),
        ..Package::default()
    };
    format_symbol(Symbol {
        scheme: SCHEME.to_owned(),
        package: Some(package).into(),
        descriptors: steps.iter().map(descriptor_of).collect(),
        ..Symbol::default()
    })
}

/// Returns the symbol of a name that no other file can refer to.
#[must_use]
pub fn local_symbol(number: usize) -> String {
    format!("local {number}")
}

/// Returns true if a symbol follows the notation.
#[must_use]
pub fn is_valid_symbol(symbol: &str) -> bool {
    parse_symbol(symbol).is_ok()
}

/// Doubles the spaces in a field of a package, because a single space ends the field.
fn escape_space(field: &str) -> String {
    field.replace(' ', "  ")
}

fn descriptor_of(step: &SymbolStep) -> Descriptor {
    let suffix = match step.suffix {
        SymbolSuffix::Namespace => Suffix::Namespace,
        SymbolSuffix::Type => Suffix::Type,
        SymbolSuffix::Term => Suffix::Term,
        SymbolSuffix::Method => Suffix::Method,
        SymbolSuffix::Macro => Suffix::Macro,
    };
    Descriptor {
        name: step.name.clone(),
        disambiguator: step.disambiguator.clone(),
        suffix: suffix.into(),
        ..Descriptor::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn step(name: &str, suffix: SymbolSuffix) -> SymbolStep {
        SymbolStep { name: name.to_owned(), suffix, disambiguator: String::new() }
    }

    #[test]
    fn symbols_follow_the_grammar() {
        let package =
            SymbolPackage { manager: "npm".to_owned(), name: "@a/shop".to_owned(), version: String::new() };
        let mut again = step("add", SymbolSuffix::Method);
        again.disambiguator = "+1".to_owned();
        let steps = [
            step("src", SymbolSuffix::Namespace),
            step("cart.ts", SymbolSuffix::Namespace),
            step("Cart", SymbolSuffix::Type),
            again,
        ];
        let symbol = symbol_text(&package, &steps);
        assert_eq!(symbol, "hob npm @a/shop . src/`cart.ts`/Cart#add(+1).");
        assert!(is_valid_symbol(&symbol));
    }

    #[test]
    fn odd_names_are_escaped() {
        let package = SymbolPackage { name: "two words".to_owned(), ..SymbolPackage::default() };
        for name in ["a b", "`", "/users/{id}", "größe", "operator ==", ""] {
            let symbol = symbol_text(&package, &[step(name, SymbolSuffix::Term)]);
            assert_eq!(is_valid_symbol(&symbol), !name.is_empty(), "{symbol}");
        }
        assert!(is_valid_symbol(&local_symbol(7)));
        assert!(!is_valid_symbol("hob"));
    }
}
