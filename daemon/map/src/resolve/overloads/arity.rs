//! Chooses between functions of one name by the number of their parameters, in languages where nothing else
//! distinguishes them.
//!
//! A parameter with a default makes one definition take several numbers of arguments. Signatures are read as text,
//! which shows brackets, commas and the marks of defaults.

use hob_base::FileId;

use super::Overloads;
use crate::facts::Ref;
use crate::node::DefRef;
use crate::resolve::Resolver;

/// The mark before the default of a parameter.
const DEFAULT: &str = "\\\\";

impl Resolver<'_> {
    /// Chooses the one of `all` that takes as many arguments as the use at `r` passes.
    pub(super) fn by_arity(&self, file: FileId, r: &Ref, all: &[DefRef]) -> Overloads {
        let [first, _, ..] = all else { return Overloads::Single };
        let Some(arguments) = self.entry(file).and_then(|entry| entry.facts.arguments_of(r)) else {
            return Overloads::Open(all.to_vec());
        };
        let count = arguments.count();
        let takes = |one: &&DefRef| {
            self.def(**one).is_some_and(|(entry, def)| {
                let (least, most) = arities_of(entry.facts.signature(def), entry.facts.name(def.name));
                least <= count && count <= most
            })
        };
        let fitting: Vec<DefRef> = all.iter().filter(takes).copied().collect();
        match fitting[..] {
            [one] if one == *first => Overloads::Single,
            [one] => Overloads::Chosen(one),
            [] => Overloads::Open(all.to_vec()),
            _ => Overloads::Open(fitting),
        }
    }
}

/// Returns the least and the greatest number of arguments that a function with this signature takes.
fn arities_of(signature: &str, name: &str) -> (usize, usize) {
    // The name of an operator is between its parameters.
    let behind = signature.split_once(' ').and_then(|(_, head)| head.strip_prefix(name));
    let Some(behind) = behind else { return (0, usize::MAX) };
    let Some(list) = behind.strip_prefix('(') else { return (0, 0) };
    let (mut most, mut defaults, mut depth, mut empty) = (0, 0, 0usize, true);
    let mut quote = None;
    for (at, letter) in list.char_indices() {
        match letter {
            _ if quote.is_some() => quote = quote.filter(|open| *open != letter),
            '"' => quote = Some(letter),
            '(' | '[' | '{' => depth += 1,
            ')' if depth == 0 => break,
            ')' | ']' | '}' => depth = depth.saturating_sub(1),
            ',' if depth == 0 => most += 1,
            '\\' if depth == 0 && list[at..].starts_with(DEFAULT) => defaults += 1,
            _ => {}
        }
        empty &= letter.is_whitespace();
    }
    most += usize::from(!empty);
    (most.saturating_sub(defaults), most)
}

#[cfg(test)]
mod tests {
    use super::arities_of;

    #[test]
    fn parameters_are_counted() {
        for (signature, expected) in [
            ("def f", (0, 0)),
            ("def a + f", (0, usize::MAX)),
            ("def f()", (0, 0)),
            ("def f(a)", (1, 1)),
            ("def f(%{a: b} = c, [d, e], \", )\") when is_map(c)", (3, 3)),
            ("def f(a, b \\\\ %{x: [1, 2]}, c \\\\ nil)", (1, 3)),
        ] {
            assert_eq!(arities_of(signature, "f"), expected, "{signature}");
        }
    }
}
