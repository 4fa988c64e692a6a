//! The parameters of a function as its signature has them, and how well arguments fit them.

use std::rc::Rc;

use crate::facts::{ArgumentKind, Arguments};
use crate::langs::support::kind_of_type;

/// A parameter as the signature has it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Parameter {
    /// The type as written; empty if none is.
    pub(in crate::resolve) ty: String,
    /// True if calls may leave it out.
    optional: bool,
    /// True if it takes any number of arguments.
    variadic: bool,
}

/// The quality of an argument's fit to a parameter; better ones are greater.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Fit {
    /// It cannot be passed.
    Never,
    /// By another name of its type or by a conversion, if there is one: as good as any other, except the type itself.
    Perhaps,
    /// By way of any type: a type parameter, the root of all types, a conversion of the program's own.
    Any,
    /// By boxing: a literal for a `Boolean`.
    Boxed,
    /// By the language's own widening, to this kind; nearer kinds are better.
    Widened(std::cmp::Reverse<ArgumentKind>),
    /// As it is.
    Same,
}

/// The numbers of those that can take the arguments and that no other beats. `strict` says that arguments are converted by fixed
/// rules alone, see `NameSemantics::strict_arguments`.
pub(super) fn fitting(overloads: &[Rc<[Parameter]>], arguments: Arguments, strict: bool) -> Vec<usize> {
    let kinds: Vec<ArgumentKind> = arguments.kinds().collect();
    let can = |parameters: &[Parameter]| {
        takes(parameters, kinds.len())
            && (0..kinds.len())
                .all(|at| fit(kinds[at], parameter_at(parameters, at), strict) != Some(Fit::Never))
    };
    let able: Vec<usize> = (0..overloads.len()).filter(|at| can(&overloads[*at])).collect();
    // One that takes just so many goes before one that takes any number.
    let fixed: Vec<usize> = able
        .iter()
        .copied()
        .filter(|at| !overloads[*at].iter().any(|parameter| parameter.variadic))
        .collect();
    let able = if fixed.is_empty() { able } else { fixed };
    let beaten =
        |at: &usize| able.iter().any(|other| beats(&overloads[*other], &overloads[*at], &kinds, strict));
    able.iter().copied().filter(|at| !beaten(at)).collect()
}

/// Returns true if a call may pass so many arguments.
fn takes(parameters: &[Parameter], count: usize) -> bool {
    let least = parameters.iter().filter(|parameter| !parameter.optional && !parameter.variadic).count();
    let unbounded = parameters.iter().any(|parameter| parameter.variadic);
    count >= least && (unbounded || count <= parameters.len())
}

fn parameter_at(parameters: &[Parameter], at: usize) -> Option<&Parameter> {
    parameters.get(at).or_else(|| parameters.last().filter(|last| last.variadic))
}

/// Returns true if every argument that tells the two apart is known, none fits `one` worse, and one of them fits it better.
fn beats(one: &[Parameter], other: &[Parameter], kinds: &[ArgumentKind], strict: bool) -> bool {
    let mut better = false;
    for (at, kind) in kinds.iter().enumerate() {
        let (here, there) = (parameter_at(one, at), parameter_at(other, at));
        if here.map(|parameter| &parameter.ty) == there.map(|parameter| &parameter.ty) {
            continue;
        }
        let (Some(here), Some(there)) = (fit(*kind, here, strict), fit(*kind, there, strict)) else {
            return false;
        };
        let unclear = [here, there].contains(&Fit::Perhaps) && here != Fit::Same;
        if unclear || here < there {
            return false;
        }
        better |= here > there;
    }
    better
}

/// Judges how an argument fits; `None` where nothing tells.
fn fit(kind: ArgumentKind, parameter: Option<&Parameter>, strict: bool) -> Option<Fit> {
    use ArgumentKind::{Array, Bool, Char, Double, Float, Function, Int, Long, Null, Object, Text, Unknown};
    let parameter = parameter.filter(|parameter| !parameter.ty.is_empty())?;
    if parameter.variadic {
        return None;
    }
    let Some(wanted) = kind_of_type(&parameter.ty) else { return Some(Fit::Any).filter(|_| kind != Unknown) };
    Some(match (kind, wanted) {
        (Unknown, _) => return None,
        // Which class it is, or whether the class takes a lambda, is not known.
        (Object | Function, Object) | (Null, Object | Text | Array) => return None,
        // Where a boxed and a plain type stand side by side, a literal is a plain value.
        (kind, wanted) if kind == wanted && strict && is_boxed(&parameter.ty) => Fit::Boxed,
        (kind, wanted) if kind == wanted => Fit::Same,
        (Int, Long) | (Int | Long, Float | Double) | (Float, Double) | (Char, Int | Long)
            if !strict || !is_boxed(&parameter.ty) =>
        {
            Fit::Widened(std::cmp::Reverse(wanted))
        }
        (Int | Long | Float | Double, Object) if parameter.ty == "Number" => Fit::Any,
        (_, Object) if is_root_type(&parameter.ty) => Fit::Any,
        (Text, Object) if parameter.ty != "Number" => Fit::Any,
        (Object, _) | (_, Object) if !strict => Fit::Perhaps,
        (Int | Long | Float | Double | Char | Bool, Int | Long | Float | Double | Char | Bool) if !strict => {
            Fit::Perhaps
        }
        _ => Fit::Never,
    })
}

/// Returns true for the classes of numbers, characters and truth values.
fn is_boxed(ty: &str) -> bool {
    matches!(ty, "Boolean" | "Integer" | "Long" | "Float" | "Double" | "Character" | "Short" | "Byte")
}

/// Returns true for types that every value has.
fn is_root_type(ty: &str) -> bool {
    matches!(
        ty.trim_end_matches('?'),
        "Object" | "object" | "Any" | "dynamic" | "Serializable" | "Comparable"
    )
}

/// The parameters in the signature of `name`: what stands between the first bracket after the name and the one that closes it.
/// `None` where the signature does not show them all, or the first is the value that the function is called on.
pub(in crate::resolve) fn parameters_of(signature: &str, name: &str) -> Option<Vec<Parameter>> {
    let behind = signature.find(name).map_or(0, |at| at + name.len());
    let open = behind + signature[behind..].find('(')?;
    // What overrides has the defaults of what it overrides.
    let overrides = signature[..behind].split_whitespace().any(|word| word == "override");
    let (mut parts, mut depth, mut quote, mut before) = (vec![String::new()], 0u32, None, ' ');
    for c in signature[open + 1..].chars() {
        let is_quoted = quote.is_some();
        match c {
            _ if quote == Some(c) && before != '\\' => quote = None,
            _ if is_quoted => {}
            '"' | '\'' => quote = Some(c),
            ')' if depth == 0 => {
                let written = parts.iter().map(|part| part.trim());
                let written = written.filter(|part| !part.is_empty() && *part != "void");
                let is_extension = parts[0].trim_start().starts_with("this ");
                return (!is_extension).then(|| written.map(|part| parameter(part, overrides)).collect());
            }
            '(' | '[' | '<' | '{' => depth += 1,
            '>' if matches!(before, '-' | '=') => {}
            ')' | ']' | '>' | '}' => depth = depth.saturating_sub(1),
            _ => {}
        }
        match c {
            ',' if depth == 0 && !is_quoted => parts.push(String::new()),
            _ => parts.last_mut().into_iter().for_each(|part| part.push(c)),
        }
        before = c;
    }
    None
}

fn parameter(text: &str, overrides: bool) -> Parameter {
    let (declared, optional) = match text.split_once('=') {
        Some((declared, _)) => (declared.trim(), true),
        None => (text, overrides),
    };
    let variadic =
        declared.contains("...") || declared.starts_with("params ") || declared.starts_with("vararg ");
    let declared = declared.trim_start_matches("params ").trim_start_matches("vararg ");
    let ty = match declared.split_once(':').filter(|(_, rest)| !rest.starts_with(':')) {
        // `name: Type`
        Some((_, ty)) => ty.trim().to_owned(),
        // `final Type name`, `@Nullable Type name`, `Type *name`
        None => {
            let words = declared.split_whitespace();
            let plain = words.filter(|word| !word.starts_with('@') && !MODIFIERS.contains(word));
            let plain: Vec<&str> = plain.collect();
            let joined = plain.join(" ");
            match joined.rfind(|c: char| !(c.is_alphanumeric() || c == '_' || c == '$')) {
                Some(at) if plain.len() > 1 => joined[..=at].trim().to_owned(),
                _ => joined,
            }
        }
    };
    let ty = ty.replace(" *", "*").replace(" &", "&");
    Parameter { ty, optional, variadic }
}

/// Words before a parameter's type that are no part of it.
const MODIFIERS: [&str; 7] = ["final", "ref", "out", "in", "this", "noinline", "crossinline"];

#[cfg(test)]
mod tests {
    use super::*;

    fn signature_name(signature: &str) -> &str {
        if signature.contains("F(") { "F" } else { "f" }
    }

    fn types(signature: &str) -> Vec<String> {
        parameters_of(signature, "f").expect("whole").into_iter().map(|parameter| parameter.ty).collect()
    }

    #[test]
    fn parameters_are_read_from_signatures() {
        assert_eq!(types("void f(int x, final Map<String, Integer> m)"), ["int", "Map<String, Integer>"]);
        assert_eq!(types("fun f(x: Int, block: (Int) -> Unit = {})"), ["Int", "(Int) -> Unit"]);
        assert_eq!(types("void f(const char *s, std::string_view v)"), ["const char*", "std::string_view"]);
        assert_eq!(types("void f(void)"), Vec::<String>::new());
        assert_eq!(types("void f()"), Vec::<String>::new());
        assert_eq!(
            types("fun f(sep: String = \", \", on: Map<Int, (Int) -> Unit>)"),
            ["String", "Map<Int, (Int) -> Unit>"]
        );
        assert_eq!(parameters_of("void f(int a, int", "f"), None, "cut short");
        assert_eq!(parameters_of("static void f(this string s, int x)", "f"), None, "called on its first");
        assert_eq!(parameters_of("R operator()(int x)", "operator()").map(|all| all.len()), Some(1));
        let last = |signature: &str| {
            parameters_of(signature, signature_name(signature)).expect("whole").pop().expect("one")
        };
        assert!(last("void f(String... rest)").variadic && last("void F(params int[] xs)").variadic);
        assert!(last("void F(int a, int b = 3)").optional);
    }

    #[test]
    fn an_overload_is_chosen_only_where_all_that_tells_is_known() {
        use ArgumentKind::{Double, Int, Null, Text, Unknown};
        let of = |all: &[&str]| {
            all.iter().map(|one| Rc::from(parameters_of(one, "f").expect("whole"))).collect::<Vec<_>>()
        };
        let chosen = |all: &[&str], kinds: &[ArgumentKind]| {
            fitting(&of(all), Arguments::from_kinds(kinds).expect("few"), true)
        };
        let sizes = ["f(int x)", "f(int x, int y)", "f(String s)"];
        assert_eq!(chosen(&sizes, &[Int]), [0]);
        assert_eq!(chosen(&sizes, &[Unknown, Unknown]), [1]);
        assert_eq!(chosen(&sizes, &[Text]), [2]);
        assert_eq!(chosen(&sizes, &[Unknown]), [0, 2]);
        assert_eq!(chosen(&["f(long x)", "f(double x)"], &[Double]), [1]);
        assert_eq!(chosen(&["f(Object o)", "f(String s)"], &[Text]), [1]);
        assert_eq!(chosen(&["f(Foo o)", "f(String s)"], &[Null]), [0, 1]);
        assert_eq!(chosen(&["f(Boolean b)", "f(boolean b)", "f(Number n)"], &[ArgumentKind::Bool]), [1]);
        assert_eq!(chosen(&["f(String s)", "f(Number n)"], &[Int]), [1]);
        let apart = ["f(int a, Foo b)", "f(long a, Bar b)"];
        assert_eq!(chosen(&apart, &[Int, Unknown]), [0, 1], "the second may decide");
        assert_eq!(chosen(&["f(String format, Object... rest)", "f(String s)"], &[Text]), [1]);
    }

    #[test]
    fn where_types_have_other_names_only_the_type_itself_is_sure() {
        use ArgumentKind::{Double, Int, Text};
        let of = |all: &[&str]| -> Vec<Rc<[Parameter]>> {
            all.iter().map(|one| Rc::from(parameters_of(one, "f").expect("whole"))).collect()
        };
        let chosen = |all: &[&str], kinds: &[ArgumentKind]| {
            fitting(&of(all), Arguments::from_kinds(kinds).expect("few"), false)
        };
        assert_eq!(chosen(&["f(Index x)", "f(double x)"], &[Int]), [0, 1], "an index may be an int");
        assert_eq!(chosen(&["f(int x)", "f(const Shape &x)"], &[Double]), [0, 1], "it may be cut to an int");
        assert_eq!(chosen(&["f(Index x)", "f(int x)"], &[Int]), [1]);
        assert_eq!(chosen(&["f(x: Long)", "f(x: String)"], &[Int]), [0]);
        assert_eq!(chosen(&["f(x: Boolean)", "f(x: String)"], &[Text]), [1]);
    }

    #[test]
    fn what_overrides_may_leave_its_defaults_to_what_it_overrides() {
        let own = parameters_of("override fun f(x: Int, y: Int)", "f").expect("whole");
        assert!(takes(&own, 1) && takes(&own, 2) && !takes(&own, 3));
    }
}
