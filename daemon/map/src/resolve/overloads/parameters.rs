//! Reads the parameters of a function from its signature, and judges how well arguments fit them.

use std::rc::Rc;

use crate::facts::{ArgumentKind, Arguments};
use crate::langs::support::kind_of_type;

/// A parameter in a signature.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Parameter {
    /// The type as written; empty if none is.
    pub(in crate::resolve) ty: String,
    /// True if calls may omit it.
    optional: bool,
    /// True if it takes any number of arguments.
    variadic: bool,
    /// True if its type is a type parameter of the function.
    generic: bool,
}

/// The quality of an argument's fit to a parameter; better ones are greater.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum ArgumentFit {
    /// The argument cannot be passed.
    Never,
    /// It may fit through an alias, a type parameter or a conversion: as good as any other fit, except the type itself.
    Perhaps,
    /// It fits a type that all such values have.
    Any,
    /// It fits after boxing: a literal for a `Boolean`.
    Boxed,
    /// It fits after the language's own widening to this kind; nearer kinds are better.
    Widened(std::cmp::Reverse<ArgumentKind>),
    /// It fits unchanged.
    Same,
}

/// The rules by which arguments are converted.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Conversions {
    /// Only fixed rules, see `NameSemantics::strict_arguments`.
    Fixed,
    /// The rules of the language, and conversions that the program defines.
    Added,
    /// These too, and implicit conversions between numbers, pointers and truth values.
    Loose,
}

/// Returns the indexes of the overloads that can take the arguments and that no other beats.
pub(super) fn fitting(
    overloads: &[Rc<[Parameter]>],
    arguments: Arguments,
    conversions: Conversions,
) -> Vec<usize> {
    let kinds: Vec<ArgumentKind> = arguments.kinds().collect();
    let fits = |parameters: &[Parameter]| -> Vec<Option<ArgumentFit>> {
        (0..kinds.len()).map(|at| fit(kinds[at], parameter_at(parameters, at), conversions)).collect()
    };
    let can = |parameters: &[Parameter]| {
        takes(parameters, kinds.len()) && !fits(parameters).contains(&Some(ArgumentFit::Never))
    };
    let able: Vec<usize> = (0..overloads.len()).filter(|at| can(&overloads[*at])).collect();
    // An overload that surely takes exactly that many has precedence over variadic ones.
    let is_fixed = |at: &usize| !overloads[*at].iter().any(|parameter| parameter.variadic);
    let is_sure = |at: &usize| fits(&overloads[*at]).iter().all(|fit| *fit > Some(ArgumentFit::Perhaps));
    let has_sure = able.iter().any(|at| is_fixed(at) && is_sure(at));
    let able: Vec<usize> = able.into_iter().filter(|at| !has_sure || is_fixed(at)).collect();
    let beaten =
        |at: &usize| able.iter().any(|other| beats(&overloads[*other], &overloads[*at], &kinds, conversions));
    able.iter().copied().filter(|at| !beaten(at)).collect()
}

/// Returns true if a call may pass `count` arguments.
fn takes(parameters: &[Parameter], count: usize) -> bool {
    let least = parameters.iter().filter(|parameter| !parameter.optional && !parameter.variadic).count();
    let unbounded = parameters.iter().any(|parameter| parameter.variadic);
    count >= least && (unbounded || count <= parameters.len())
}

fn parameter_at(parameters: &[Parameter], at: usize) -> Option<&Parameter> {
    parameters.get(at).or_else(|| parameters.last().filter(|last| last.variadic))
}

/// Returns true if every argument that distinguishes the two is known, none fits `one` worse, and one of them fits it
/// better.
fn beats(one: &[Parameter], other: &[Parameter], kinds: &[ArgumentKind], conversions: Conversions) -> bool {
    let mut better = false;
    for (at, kind) in kinds.iter().enumerate() {
        let (here, there) = (parameter_at(one, at), parameter_at(other, at));
        if here.map(|parameter| &parameter.ty) == there.map(|parameter| &parameter.ty) {
            continue;
        }
        let (Some(here), Some(there)) = (fit(*kind, here, conversions), fit(*kind, there, conversions))
        else {
            return false;
        };
        let unclear = [here, there].contains(&ArgumentFit::Perhaps) && here != ArgumentFit::Same;
        if unclear || here < there {
            return false;
        }
        better |= here > there;
    }
    better
}

/// Judges the fit of an argument; `None` if its kind does not decide.
fn fit(kind: ArgumentKind, parameter: Option<&Parameter>, conversions: Conversions) -> Option<ArgumentFit> {
    let parameter = parameter.filter(|parameter| !parameter.ty.is_empty())?;
    if parameter.variadic {
        // The argument is one element of the list, or the list itself.
        let element = parameter.ty.trim_end_matches("...").trim_end_matches("[]").trim();
        let is_list = matches!(kind, ArgumentKind::Array | ArgumentKind::Null | ArgumentKind::Unknown);
        let is_told = conversions == Conversions::Fixed && !is_list && !parameter.generic;
        return if is_told {
            fit_type(kind, element, conversions).filter(|fit| *fit == ArgumentFit::Never)
        } else {
            None
        };
    }
    if parameter.generic && kind != ArgumentKind::Unknown {
        return Some(ArgumentFit::Perhaps);
    }
    fit_type(kind, &parameter.ty, conversions)
}

fn fit_type(kind: ArgumentKind, ty: &str, conversions: Conversions) -> Option<ArgumentFit> {
    use ArgumentKind::{Array, Bool, Char, Double, Float, Function, Int, Long, Null, Object, Text, Unknown};
    let Some(wanted) = kind_of_type(ty) else {
        return Some(ArgumentFit::Perhaps).filter(|_| kind != Unknown);
    };
    let (is_fixed, is_loose) = (conversions == Conversions::Fixed, conversions == Conversions::Loose);
    Some(match (kind, wanted) {
        (Unknown, _) | (Array, Array) => return None,
        (Function, Object) if is_fixed && ty == "Object" => ArgumentFit::Never,
        (Array, Object) if matches!(ty, "Serializable" | "Cloneable") => ArgumentFit::Any,
        (Array, Object) if is_fixed && is_comparable(ty) => ArgumentFit::Never,
        (Object, Object) if is_comparable(ty) => ArgumentFit::Perhaps,
        (Object | Array, Object) if is_root_type(ty) => ArgumentFit::Any,
        // Nothing says which class the object is of, or whether a class takes a lambda.
        (Object | Function, Object) | (Null, Object | Text | Array) => return None,
        (Null, _) if is_boxed(ty) => return None,
        // If both a boxed and a plain type are offered, a literal is a plain value.
        (kind, wanted) if kind == wanted && is_fixed && is_boxed(ty) && is_exact(kind, ty) => {
            ArgumentFit::Boxed
        }
        (kind, wanted) if kind == wanted && is_exact(kind, ty) && !(is_loose && kind == Text) => {
            ArgumentFit::Same
        }
        (kind, wanted) if kind == wanted => {
            if is_fixed {
                ArgumentFit::Never
            } else {
                ArgumentFit::Perhaps
            }
        }
        (Int, Long) | (Int | Long | Char, Float | Double) | (Float, Double) | (Char, Int | Long)
            if !is_fixed || is_widening(ty) =>
        {
            if is_exact(wanted, ty) {
                ArgumentFit::Widened(std::cmp::Reverse(wanted))
            } else {
                ArgumentFit::Perhaps
            }
        }
        (Int | Long | Float | Double, Object) if ty == "Number" => ArgumentFit::Any,
        (Int | Long | Float | Double | Char | Bool | Text, Object) if is_root_type(ty) => ArgumentFit::Any,
        (Text, Object) if is_fixed && matches!(ty, "CharSequence" | "Constable" | "ConstantDesc") => {
            ArgumentFit::Any
        }
        (Text, Object) if !is_fixed && ty != "Number" => ArgumentFit::Perhaps,
        (Object, _) | (_, Object) if !is_fixed => ArgumentFit::Perhaps,
        (Int | Long | Float | Double | Char | Bool, Int | Long | Float | Double | Char | Bool)
            if !is_fixed =>
        {
            ArgumentFit::Perhaps
        }
        (Int, Text) | (Text | Function, Bool) if is_loose => ArgumentFit::Perhaps,
        _ => ArgumentFit::Never,
    })
}

/// Returns true if a type is the one that values of a kind have, not another one of the kind: `int` rather than
/// `short`.
fn is_exact(kind: ArgumentKind, ty: &str) -> bool {
    match kind {
        ArgumentKind::Int => {
            matches!(plain_name(ty), "int" | "Int" | "Integer" | "int32_t" | "Int32")
        }
        ArgumentKind::Long => matches!(plain_name(ty), "long" | "Long" | "Int64"),
        _ => true,
    }
}

/// Returns the name of a type without the marks that make it constant, a reference or optional.
fn plain_name(ty: &str) -> &str {
    let ty = ty.trim_end_matches(['?', '&']).trim();
    ty.strip_prefix("const ").unwrap_or(ty).trim()
}

/// Returns true if a type is one of Java's plain types to which others widen.
fn is_widening(ty: &str) -> bool {
    matches!(ty, "int" | "long" | "float" | "double")
}

/// Returns true if a type is a class of numbers, characters or truth values.
fn is_boxed(ty: &str) -> bool {
    matches!(ty, "Boolean" | "Integer" | "Long" | "Float" | "Double" | "Character" | "Short" | "Byte")
}

/// Returns true if a type is one that most values have, but not all.
fn is_comparable(ty: &str) -> bool {
    ty.split('<').next().is_some_and(|name| matches!(name, "Comparable" | "Serializable"))
}

/// Returns true if a type is one that every plain value and text has.
fn is_root_type(ty: &str) -> bool {
    matches!(
        ty.split('<').next().unwrap_or(ty).trim_end_matches('?'),
        "Object" | "object" | "Any" | "dynamic" | "Serializable" | "Comparable"
    )
}

/// Returns the parameters in the signature of `name`, between the first bracket after the name and the one that closes
/// it. `None` if the signature does not show them all, or the first is the receiver.
pub(in crate::resolve) fn parameters_of(signature: &str, name: &str) -> Option<Vec<Parameter>> {
    let behind = signature.find(name).map_or(0, |at| at + name.len());
    let open = behind + signature[behind..].find('(')?;
    // A method that overrides has the defaults of the overridden one.
    let overrides = signature[..behind].split_whitespace().any(|word| word == "override");
    let type_parameters = type_parameters_of(&signature[..open]);
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
                let read = |part: &str| {
                    let read = parameter(part, overrides);
                    let generic = type_parameters.contains(&plain_name(&read.ty).trim_end_matches("..."));
                    Parameter { generic, ..read }
                };
                return (!is_extension).then(|| written.map(read).collect());
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
    Parameter { ty, optional, variadic, generic: false }
}

/// Returns the words in the angle brackets of `<T, U extends A<T>> void f` and `void f<T>` that may be type parameters.
fn type_parameters_of(head: &str) -> Vec<&str> {
    let Some((_, inside)) = head.split_once('<') else { return Vec::new() };
    let inside = inside.rsplit_once('>').map_or(inside, |(inside, _)| inside);
    let words = inside.split(|c: char| !(c.is_alphanumeric() || c == '_'));
    words.filter(|word| word.starts_with(char::is_uppercase)).collect()
}

/// Words before a parameter's type that do not belong to it.
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
            fitting(&of(all), Arguments::from_kinds(kinds).expect("few"), Conversions::Fixed)
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
    fn what_may_not_take_the_arguments_keeps_others_open() {
        use ArgumentKind::{Char, Int, Null, Object, Text};
        let of = |all: &[&str]| -> Vec<Rc<[Parameter]>> {
            all.iter().map(|one| Rc::from(parameters_of(one, "f").expect("whole"))).collect()
        };
        let chosen = |all: &[&str], kinds: &[ArgumentKind], conversions| {
            fitting(&of(all), Arguments::from_kinds(kinds).expect("few"), conversions)
        };
        let fixed = |all: &[&str], kinds: &[ArgumentKind]| chosen(all, kinds, Conversions::Fixed);
        assert_eq!(fixed(&["f(Foo x)", "f(Object... all)"], &[Object]), [0, 1], "it may be no Foo");
        assert_eq!(fixed(&["f(Object x)", "f(Object... all)"], &[Object]), [0]);
        assert_eq!(fixed(&["f(Foo x)", "f(String... all)"], &[Text]), [1]);
        assert_eq!(fixed(&["f(short x)", "f(long x)"], &[Int]), [1], "a literal does not become smaller");
        assert_eq!(fixed(&["f(Integer x)", "f(int x, int y)"], &[Null]), [0]);
        assert_eq!(fixed(&["f(Integer x)", "f(String x)"], &[Null]), [0, 1]);
        assert_eq!(fixed(&["f(double x)", "f(Object x)"], &[Char]), [0]);
        assert_eq!(fixed(&["f(Cloneable x)", "f(Base x)"], &[ArgumentKind::Array]), [0]);
        assert_eq!(fixed(&["f(Base x)", "f(CharSequence x)"], &[Text]), [1]);
        assert_eq!(fixed(&["<T> void f(T x)", "void f(String x)"], &[Text]), [1]);
        let loose = |all: &[&str], kinds: &[ArgumentKind]| chosen(all, kinds, Conversions::Loose);
        assert_eq!(loose(&["f(bool x)", "f(std::string x)"], &[Text]), [0, 1]);
        assert_eq!(loose(&["f(const char *x)", "f(int x)"], &[Text]), [0]);
        assert_eq!(loose(&["template <class T> void f(T x)", "void f(double x)"], &[Int]), [0, 1]);
        assert_eq!(loose(&["f(unsigned x)", "f(int x)"], &[Int]), [1]);
    }

    #[test]
    fn where_types_have_other_names_only_the_type_itself_is_sure() {
        use ArgumentKind::{Double, Int, Text};
        let of = |all: &[&str]| -> Vec<Rc<[Parameter]>> {
            all.iter().map(|one| Rc::from(parameters_of(one, "f").expect("whole"))).collect()
        };
        let chosen = |all: &[&str], kinds: &[ArgumentKind]| {
            fitting(&of(all), Arguments::from_kinds(kinds).expect("few"), Conversions::Added)
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
