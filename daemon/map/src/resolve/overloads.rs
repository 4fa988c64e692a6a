//! Tells definitions of one name and place apart: overloads by the arguments of a call, members of a type from those of its
//! objects by the receiver, macros by which was defined last.
//!
//! A language's compiler knows every type; the map knows how many arguments there are and the kinds that their text shows. So it
//! never takes an overload for what it is not: it drops those that cannot take the arguments, prefers one over another only where
//! every argument that tells them apart is known, and leaves the call open among those that remain.

use hob_base::FileId;

use super::{NameLookup, Resolver, Site, Thing, Want};
use crate::facts::{ArgumentKind, Arguments, Def, DefFlags, DefIdx, DefKind, Receiver, Ref};
use crate::graph::DefRef;
use crate::index::FileEntry;
use crate::langs::{StaticMembers, kind_of_type};

/// The overloads that a call may mean.
#[derive(Debug)]
pub(super) enum Overloads {
    /// There is one function of the name, or the language has no overloads.
    Single,
    /// This one.
    Chosen(DefRef),
    /// Any of these: none fits better than the others, or none fits.
    Open(Vec<DefRef>),
}

/// A parameter as the signature has it.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Parameter {
    /// The type as written; empty if none is.
    ty: String,
    /// True if calls may leave it out.
    optional: bool,
    /// True if it takes any number of arguments.
    variadic: bool,
}

/// How well an argument fits a parameter; better ones are greater.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Fit {
    /// It cannot be passed.
    Never,
    /// By way of any type: a type parameter, the root of all types, a conversion of the program's own.
    Any,
    /// By boxing: a literal for a `Boolean`.
    Boxed,
    /// By the language's own widening, to this kind; nearer kinds are better.
    Widened(std::cmp::Reverse<ArgumentKind>),
    /// As it is.
    Same,
}

/// The part of a type that a member belongs to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Side {
    /// The type itself: `Shop.open()`.
    Type,
    /// Its objects: `shop.close()`.
    Object,
}

impl<'m> Resolver<'m> {
    /// Decides which of the definitions that share a name and a place with `found` the use at `r` means.
    pub(super) fn overloads_for(&self, file: FileId, r: &Ref, found: DefRef) -> Overloads {
        let Some((entry, def)) = self.def(found) else { return Overloads::Single };
        let semantics = entry.lang().semantics();
        if semantics.redefined_macros && def.kind == DefKind::Macro {
            return last_macro(entry, def, r, found.file == file)
                .map_or(Overloads::Single, |def| Overloads::Chosen(DefRef { file: found.file, def }));
        }
        let has_sides = semantics.static_members != StaticMembers::Unmarked && is_member(entry, def);
        let has_overloads = semantics.overloads && def.kind.is_callable();
        if !has_sides && !has_overloads {
            return Overloads::Single;
        }
        let same = entry.defs_named(entry.facts.name(def.name)).filter(|(_, other)| is_overload(def, other));
        let mut all: Vec<DefRef> = same.map(|(idx, _)| DefRef { file: found.file, def: idx }).collect();
        if let Some(side) = self.wanted_side(file, r).filter(|_| has_sides) {
            let kept: Vec<DefRef> =
                all.iter().copied().filter(|one| side_of(entry, entry.facts.def(one.def)) == side).collect();
            match kept[..] {
                // Such a use is an error, or the type is more than its text says.
                [] => return Overloads::Open(all),
                [one] if one != found => return Overloads::Chosen(one),
                _ => all = kept,
            }
        }
        if all.len() < 2 || !has_overloads {
            return Overloads::Single;
        }
        self.by_arguments(file, r, entry, &all)
    }

    fn by_arguments(&self, file: FileId, r: &Ref, entry: &FileEntry, all: &[DefRef]) -> Overloads {
        let parameters: Vec<Vec<Parameter>> =
            all.iter().map(|one| parameters_of(signature(entry, *one))).collect();
        let arguments = self.entry(file).and_then(|entry| entry.facts.arguments_of(r));
        // A use that is no call may mean any of them: a method reference, a name passed on.
        let mut left = match arguments {
            Some(arguments) => fitting(&parameters, arguments),
            None => (0..all.len()).collect(),
        };
        if left.is_empty() {
            left = (0..all.len()).collect();
        }
        // Bodies of one function for several builds are no overloads.
        if left.iter().all(|at| parameters[*at] == parameters[left[0]]) {
            left.truncate(1);
        }
        match left[..] {
            [one] => Overloads::Chosen(all[one]),
            _ => Overloads::Open(left.into_iter().map(|at| all[at]).collect()),
        }
    }

    /// The side of a type that a use asks for; `None` where its receiver does not tell.
    fn wanted_side(&self, file: FileId, r: &Ref) -> Option<Side> {
        let entry = self.entry(file)?;
        match r.receiver {
            Receiver::Typed(ty) if !entry.facts.name(ty).starts_with('=') => Some(Side::Object),
            Receiver::Path(path) => {
                let site = Site { file, entry, owner: r.owner, want: Want::Scope };
                let NameLookup::Thing(Thing::Def(owner), _) = self.follow_path(site, entry.facts.name(path))
                else {
                    return None;
                };
                let (_, owner) = self.def(owner)?;
                (owner.kind == DefKind::Class).then_some(Side::Type)
            }
            _ => None,
        }
    }
}

/// The definition of a macro that counts at a use: the last one before it, in the file that redefines it.
fn last_macro(entry: &FileEntry, def: &Def, r: &Ref, is_here: bool) -> Option<DefIdx> {
    let all = entry.defs_named(entry.facts.name(def.name)).filter(|(_, other)| other.kind == DefKind::Macro);
    all.filter(|(_, other)| is_here && other.name_at.0 <= r.line)
        .max_by_key(|(_, other)| other.name_at)
        .map(|(idx, _)| idx)
}

/// Returns true for methods and fields of a class.
fn is_member(entry: &FileEntry, def: &Def) -> bool {
    matches!(def.kind, DefKind::Method | DefKind::Function | DefKind::Field)
        && def.parent.is_some_and(|parent| entry.facts.def(parent).kind == DefKind::Class)
}

fn side_of(entry: &FileEntry, def: &Def) -> Side {
    let is_of_type = match entry.lang().semantics().static_members {
        StaticMembers::Unmarked => false,
        StaticMembers::ByWord => {
            let name = entry.facts.name(def.name);
            let signature = entry.facts.text(def.signature);
            let before = signature.split_once(name).map_or("", |(before, _)| before);
            before.split_whitespace().any(|word| word == "static")
                || before.ends_with('.') && !before.contains("prototype")
        }
        StaticMembers::InCompanion => entry.facts.defs.iter().any(|other| {
            other.kind == DefKind::Class
                && other.parent == def.parent
                && other.bytes.0 < def.bytes.0
                && def.bytes.1 < other.bytes.1
        }),
    };
    if is_of_type { Side::Type } else { Side::Object }
}

/// Returns true if both are functions of one name in one place, both with a body or both without one.
fn is_overload(one: &Def, other: &Def) -> bool {
    let declared = |def: &Def| def.flags.has(DefFlags::DECLARATION);
    other.qualified == one.qualified && other.kind == one.kind && declared(one) == declared(other)
}

fn signature(entry: &FileEntry, def: DefRef) -> &str {
    entry.facts.text(entry.facts.def(def.def).signature)
}

/// The numbers of those that can take the arguments and that no other beats.
fn fitting(overloads: &[Vec<Parameter>], arguments: Arguments) -> Vec<usize> {
    let kinds: Vec<ArgumentKind> = arguments.kinds().collect();
    let can = |parameters: &Vec<Parameter>| {
        takes(parameters, kinds.len())
            && (0..kinds.len()).all(|at| fit(kinds[at], parameter_at(parameters, at)) != Some(Fit::Never))
    };
    let able: Vec<usize> = (0..overloads.len()).filter(|at| can(&overloads[*at])).collect();
    // One that takes just so many goes before one that takes any number.
    let fixed: Vec<usize> = able
        .iter()
        .copied()
        .filter(|at| !overloads[*at].iter().any(|parameter| parameter.variadic))
        .collect();
    let able = if fixed.is_empty() { able } else { fixed };
    let beaten = |at: &usize| able.iter().any(|other| beats(&overloads[*other], &overloads[*at], &kinds));
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
fn beats(one: &[Parameter], other: &[Parameter], kinds: &[ArgumentKind]) -> bool {
    let mut better = false;
    for (at, kind) in kinds.iter().enumerate() {
        let (here, there) = (parameter_at(one, at), parameter_at(other, at));
        if here.map(|parameter| &parameter.ty) == there.map(|parameter| &parameter.ty) {
            continue;
        }
        let (Some(here), Some(there)) = (fit(*kind, here), fit(*kind, there)) else { return false };
        if here < there {
            return false;
        }
        better |= here > there;
    }
    better
}

/// How an argument fits; `None` where nothing tells.
fn fit(kind: ArgumentKind, parameter: Option<&Parameter>) -> Option<Fit> {
    use ArgumentKind::{Array, Char, Double, Float, Function, Int, Long, Null, Object, Text, Unknown};
    let parameter = parameter.filter(|parameter| !parameter.ty.is_empty())?;
    if parameter.variadic {
        return None;
    }
    let Some(wanted) = kind_of_type(&parameter.ty) else { return Some(Fit::Any).filter(|_| kind != Unknown) };
    Some(match (kind, wanted) {
        (Unknown, _) => return None,
        // Which class it is, or whether the class takes a lambda, is not known.
        (Object | Function, Object) | (Null, Object | Text | Array) => return None,
        // Only one language has both, and there a literal is no object. Elsewhere all are alike.
        (kind, wanted) if kind == wanted && is_boxed(&parameter.ty) => Fit::Boxed,
        (kind, wanted) if kind == wanted => Fit::Same,
        (Int, Long) | (Int | Long, Float | Double) | (Float, Double) | (Char, Int | Long)
            if !is_boxed(&parameter.ty) =>
        {
            Fit::Widened(std::cmp::Reverse(wanted))
        }
        (Int | Long | Float | Double, Object) if parameter.ty == "Number" => Fit::Any,
        (_, Object) if is_root_type(&parameter.ty) => Fit::Any,
        (Text, Object) if parameter.ty != "Number" => Fit::Any,
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

/// The parameters in a signature: what stands between the first bracket after its name and the one that closes it.
fn parameters_of(signature: &str) -> Vec<Parameter> {
    let Some(open) = signature.find('(') else { return Vec::new() };
    let mut parts = vec![String::new()];
    let mut depth = 0u32;
    for c in signature[open + 1..].chars() {
        match c {
            ')' | ']' | '>' | '}' if depth == 0 && c == ')' => break,
            '(' | '[' | '<' | '{' => depth += 1,
            ')' | ']' | '>' | '}' => depth = depth.saturating_sub(1),
            _ => {}
        }
        match c {
            ',' if depth == 0 => parts.push(String::new()),
            _ => parts.last_mut().into_iter().for_each(|part| part.push(c)),
        }
    }
    let written = parts.iter().map(|part| part.trim()).filter(|part| !part.is_empty() && *part != "void");
    written.map(parameter).collect()
}

fn parameter(text: &str) -> Parameter {
    let (declared, optional) = match text.split_once('=') {
        Some((declared, _)) => (declared.trim(), true),
        None => (text, false),
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
    Parameter { ty, optional, variadic }
}

/// Words before a parameter's type that are no part of it.
const MODIFIERS: [&str; 7] = ["final", "ref", "out", "in", "this", "noinline", "crossinline"];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::{map, shown_uses};

    fn types(signature: &str) -> Vec<String> {
        parameters_of(signature).into_iter().map(|parameter| parameter.ty).collect()
    }

    #[test]
    fn parameters_are_read_from_signatures() {
        assert_eq!(types("void f(int x, final Map<String, Integer> m)"), ["int", "Map<String, Integer>"]);
        assert_eq!(types("fun f(x: Int, block: (Int) -> Unit = {})"), ["Int", "(Int) -> Unit"]);
        assert_eq!(types("void f(const char *s, std::string_view v)"), ["const char *", "std::string_view"]);
        assert_eq!(types("void f(void)"), Vec::<String>::new());
        assert_eq!(types("void f()"), Vec::<String>::new());
        let last = |signature: &str| parameters_of(signature).pop().expect("one");
        assert!(last("void f(String... rest)").variadic && last("void F(params int[] xs)").variadic);
        assert!(last("void F(int a, int b = 3)").optional);
    }

    #[test]
    fn an_overload_is_chosen_only_where_all_that_tells_is_known() {
        use ArgumentKind::{Double, Int, Null, Text, Unknown};
        let of = |all: &[&str]| all.iter().map(|one| parameters_of(one)).collect::<Vec<_>>();
        let chosen = |all: &[&str], kinds: &[ArgumentKind]| {
            fitting(&of(all), Arguments::from_kinds(kinds).expect("few"))
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

    #[track_caller]
    fn check_calls(code: &str, of: &str, expected: &[&str]) {
        let uses = shown_uses(&map(code));
        let calls: Vec<&str> = uses
            .iter()
            .filter_map(|edge| edge.split_once(" calls ").filter(|(from, _)| from.contains(of)))
            .map(|(_, to)| to)
            .collect();
        assert_eq!(calls, expected, "of {of} in {uses:#?}");
    }

    /// Callers of each overload, and of one that the text does not decide.
    fn check_overloads(file: &str, code: &str, prefix: &str) {
        let code = format!("//- /{file}\n{code}");
        let id = |number: usize| match number {
            1 => format!("{file}#{prefix}f exact"),
            number => format!("{file}#{prefix}f~{number} exact"),
        };
        check_calls(&code, "useOne", &[&id(1)]);
        let uses = shown_uses(&map(&code));
        let of_two: Vec<&str> =
            uses.iter().filter_map(|edge| edge.split_once("useTwo calls ")).map(|(_, to)| to).collect();
        assert!(of_two.contains(&id(2).as_str()) && !of_two.iter().any(|to| to.contains("f~3")), "{uses:#?}");
        check_calls(&code, "useText", &[&id(3)]);
        check_calls(&code, "useLocal", &[&id(3)]);
        let open = format!("[{file}#{prefix}f {file}#{prefix}f~3] candidate");
        let uses = shown_uses(&map(&code));
        let of_other: Vec<&String> =
            uses.iter().filter(|edge| edge.contains("useOther calls") && edge.contains("f~3")).collect();
        assert!(of_other.len() == 1 && of_other[0].ends_with(&open), "{uses:#?}");
    }

    #[test]
    fn overloads_of_java_and_its_kin_are_told_apart_by_their_arguments() {
        let body = "String other() { return null; }\n void useOne() { f(1); }\n void useTwo() { f(1, other()); }\n \
            void useText() { f(\"a\"); }\n void useLocal(String s) { f(s); }\n void useOther() { f(other()); }\n}\n";
        let java = "class A {\n void f(int x) {}\n void f(int x, Object y) {}\n void f(String s) {}\n ";
        check_overloads("A.java", &format!("{java}{body}"), "A.");
        let sharp = java.replace("String", "string").replace("Object", "object");
        check_overloads("A.cs", &format!("{sharp}{}", body.replace("String", "string")), "A.");
        let kotlin = "class A {\n fun f(x: Int) {}\n fun f(x: Int, y: Any) {}\n fun f(s: String) {}\n fun other(): String = \"\"\n \
            fun useOne() { f(1) }\n fun useTwo() { f(1, other()) }\n fun useText() { f(\"a\") }\n \
            fun useLocal(s: String) { f(s) }\n fun useOther() { f(other()) }\n}\n";
        check_overloads("A.kt", kotlin, "A.");
    }

    #[test]
    fn overloads_of_cpp_are_told_apart_by_their_arguments() {
        let code = "void f(int x) {}\nvoid f(int x, int y) {}\nvoid f(const char *s) {}\nint other();\n\
            void useOne() { f(1); }\nvoid useTwo() { f(1, 2); }\nvoid useText() { f(\"a\"); }\n\
            void useLocal() { f(\"b\"); }\nvoid useOther() { f(other()); }\n";
        check_overloads("a.cpp", code, "");
    }

    #[test]
    fn bodies_for_several_builds_are_no_overloads() {
        let code = "//- /a.cpp\n#ifdef X\nvoid f(int x) {}\n#else\nvoid f(int x) {}\n#endif\nvoid use() { f(other()); }\n";
        let uses = shown_uses(&map(code));
        assert!(uses.iter().any(|edge| edge == "a.cpp#use calls a.cpp#f exact"), "{uses:#?}");
    }

    #[test]
    fn members_of_a_type_are_not_those_of_its_objects() {
        let code = "//- /a.ts\nclass D { size() {} static make() {} }\n\
            export function wrong() { D.size(); }\nexport function right() { D.make(); }\n\
            export function object() { new D().size(); }\n";
        check_calls(code, "right", &["a.ts#D.make exact"]);
        check_calls(code, "object", &["a.ts#D exact", "a.ts#D.size import"]);
        let uses = shown_uses(&map(code));
        let is_wrong = |edge: &&String| edge.starts_with("a.ts#wrong calls a.ts#D.size");
        let sure =
            uses.iter().filter(is_wrong).any(|edge| edge.ends_with("exact") || edge.ends_with("import"));
        assert!(!sure, "{uses:#?}");
        let companion = "//- /a.kt\nclass Owner {\n fun create(): Int = 1\n companion object { fun create(): Owner = Owner() }\n}\n\
            fun ofType() { Owner.create() }\nfun ofObject() { Owner().create() }\n";
        check_calls(companion, "ofType", &["a.kt#Owner.create~2 exact"]);
        check_calls(companion, "ofObject", &["a.kt#Owner exact", "a.kt#Owner.create import"]);
    }

    #[test]
    fn the_macro_that_was_defined_last_counts() {
        let code = "//- /a.c\n#define V(x) one(x)\nvoid before(void) { V(1); }\n#undef V\n#define V(x) two(x)\nvoid after(void) { V(1); }\n";
        check_calls(code, "before", &["a.c#V exact"]);
        check_calls(code, "after", &["a.c#V~2 exact"]);
    }

    #[test]
    fn names_bind_as_the_language_imports_them() {
        let stars = "//- /p/__init__.py\n//- /p/one.py\ndef pick(): pass\n//- /p/two.py\ndef pick(): pass\n\
            //- /p/use.py\nfrom p.one import *\nfrom p.two import *\ndef use(): pick()\n";
        check_calls(stars, "use.py#use", &["p/two.py#pick import"]);
        let hidden = "//- /a.ts\nfunction hidden() {}\nexport function shown() {}\n\
            //- /b.ts\nimport { hidden, shown } from './a';\nimport * as a from './a';\n\
            export function use() { shown(); }\nexport function wrong() { hidden(); a.hidden(); }\n";
        check_calls(hidden, "b.ts#use", &["a.ts#shown import"]);
        let uses = shown_uses(&map(hidden));
        assert!(
            !uses.iter().any(|edge| edge.contains("wrong calls") && edge.ends_with("import")),
            "{uses:#?}"
        );
    }
}
