//! Chooses between definitions of one name and place: overloads by the arguments of a call, static and instance members
//! by the receiver, macros by the last definition.
//!
//! A language's compiler knows every type; the map knows the number of arguments and the kinds that their text shows.
//! So it chooses only on evidence: it drops overloads that cannot take the arguments, prefers one over another only if
//! every argument that distinguishes them is known, and leaves the call open among those that remain.

mod arity;
mod parameters;

use std::rc::Rc;

use hob_base::FileId;

use super::members::MemberLookup;
use super::{NameLookup, Resolver, Site, Thing, WantedKind};
use crate::facts::{Def, DefFlags, DefIdx, DefKind, Receiver, Ref};
use crate::index::FileEntry;
use crate::langs::semantics::{NameSemantics, StaticMembers};
use crate::node::DefRef;
use parameters::{Conversions, Parameter, fitting};

pub(super) use parameters::parameters_of;

/// The parameters of one function.
pub(super) type Parameters = Rc<[Parameter]>;

/// Most files that are searched for the declarations and bodies of one function.
const FILES: usize = 32;

/// Most classes whose overloads are compared together.
const CLASSES: usize = 16;

/// Most steps up to classes whose overloads are searched.
const DEEPEST: usize = 8;

/// The overloads that a call may mean.
#[derive(Debug)]
pub(super) enum Overloads {
    /// There is one function of the name, or the language has no overloads.
    Single,
    /// The use means this overload.
    Chosen(DefRef),
    /// The use may mean any of these: none fits better than the others, or none fits.
    Open(Vec<DefRef>),
}

/// The declarations that announce a function with a body.
#[derive(Clone, Debug)]
pub(super) enum Announcements {
    /// There are none: the function's own signature has all defaults of its parameters.
    None,
    /// All declarations of the function.
    These(Rc<[DefRef]>),
    /// There are some, but it is unknown which of them count.
    Somewhere,
}

/// The part of a type that a member belongs to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum MemberSide {
    /// The type itself: `Shop.open()`.
    Type,
    /// The objects of the type: `shop.close()`.
    Object,
}

impl<'m> Resolver<'m> {
    /// Decides which of the definitions that share a name and a place with `found` the use at `r` means.
    pub(super) fn overloads_for(&self, file: FileId, r: &Ref, found: DefRef) -> Overloads {
        let Some((entry, def)) = self.def(found) else { return Overloads::Single };
        let semantics = entry.lang().semantics();
        if semantics.redefined_macros && def.kind == DefKind::Macro {
            let last = last_macro(entry, def, r, found.file == file);
            let last = last.map(|def| DefRef { file: found.file, def });
            let included = || self.included_macro(file, r).filter(|_| found.file == file);
            return last.or_else(included).map_or(Overloads::Single, Overloads::Chosen);
        }
        let has_sides = semantics.static_members != StaticMembers::Unmarked && is_member(entry, def);
        let has_overloads = (semantics.overloads || semantics.arities) && def.kind.is_callable();
        if !has_sides && !has_overloads {
            return Overloads::Single;
        }
        let same = entry
            .defs_named(entry.facts.name(def.name))
            .filter(|(_, other)| is_overload(def, other, semantics));
        let mut all: Vec<DefRef> = same.map(|(idx, _)| DefRef { file: found.file, def: idx }).collect();
        if semantics.strict_arguments {
            self.add_inherited(&mut all, def);
        }
        if let Some(side) = self.wanted_side(file, r).filter(|_| has_sides) {
            let kept: Vec<DefRef> =
                all.iter().copied().filter(|one| side_of(entry, entry.facts.def(one.def)) == side).collect();
            match kept[..] {
                // Such a use is an error, or the type has members that its text does not show.
                [] => return Overloads::Open(all),
                [one] if one != found => return Overloads::Chosen(one),
                _ => all = kept,
            }
        }
        if !has_overloads {
            return Overloads::Single;
        }
        if semantics.arities {
            return self.by_arity(file, r, &all);
        }
        match self.announcements(found) {
            Announcements::None => self.by_arguments(file, r, &all, DEEPEST),
            Announcements::These(declared) => self.by_arguments(file, r, &declared, DEEPEST),
            // A parameter may have a default that these bodies do not show.
            Announcements::Somewhere if all.len() > 1 => Overloads::Open(all),
            Announcements::Somewhere => Overloads::Single,
        }
    }

    /// Adds the overloads that a class inherits and does not override: its own have precedence only if they fit better.
    fn add_inherited(&self, all: &mut Vec<DefRef>, def: &Def) {
        let Some(own) = all.first().copied().filter(|_| def.kind == DefKind::Method) else { return };
        let Some((entry, class)) = self.entry(own.file).zip(def.parent) else { return };
        let name = entry.facts.name(def.name);
        let mut classes = vec![DefRef { file: own.file, def: class }];
        let mut at = 0;
        while let Some(class) = classes.get(at).copied() {
            at += 1;
            let above = self.bases(class).known.clone();
            for base in above {
                if classes.len() < CLASSES && !classes.contains(&base) {
                    classes.push(base);
                    self.add_not_overridden(all, base, name);
                }
            }
        }
    }

    fn add_not_overridden(&self, all: &mut Vec<DefRef>, class: DefRef, name: &str) {
        let Some(entry) = self.entry(class.file) else { return };
        for (def, found) in entry.defs_named(name) {
            let one = DefRef { file: class.file, def };
            let is_member = found.parent == Some(class.def) && found.kind == DefKind::Method;
            if is_member && !all.iter().any(|known| self.has_same_parameters(*known, one)) {
                all.push(one);
            }
        }
    }

    /// Returns true if two functions have parameters of the same types, compared as text.
    pub(super) fn has_same_parameters(&self, one: DefRef, other: DefRef) -> bool {
        let types = |of: DefRef| {
            self.parameters(of).map(|all| all.iter().map(|one| one.ty.clone()).collect::<Vec<_>>())
        };
        types(one) == types(other)
    }

    /// Returns the macro that a header defines, if the file itself defines it only further down.
    fn included_macro(&self, file: FileId, r: &Ref) -> Option<DefRef> {
        let entry = self.entry(file)?;
        let site = Site { file, entry, owner: r.owner, want: WantedKind::for_ref_kind(r.kind()) };
        let (def, _) = self.included_def(site, entry.facts.name(r.name))?;
        (def.file != file).then_some(def)
    }

    /// Returns the declarations of a body in headers, which alone have the defaults of its parameters.
    fn announcements(&self, body: DefRef) -> Announcements {
        match self.def(body) {
            Some((entry, def))
                if entry.lang().semantics().declares_in_headers && !def.flags.has(DefFlags::DECLARATION) =>
            {
                self.get_or_compute(&self.announced, body, || self.find_announcements(entry, def))
            }
            _ => Announcements::None,
        }
    }

    fn find_announcements(&self, entry: &FileEntry, def: &Def) -> Announcements {
        let (name, qualified) = (entry.facts.name(def.name), entry.facts.name(def.qualified));
        let mut declared: Vec<DefRef> = Vec::new();
        for &file in self.index.files_defining(name).iter().take(FILES) {
            let file = FileId(file);
            let Some(other) = self.entry(file) else { continue };
            let defs = other.defs_named(name).filter(|(_, found)| {
                found.kind == def.kind
                    && found.flags.has(DefFlags::DECLARATION)
                    && other.facts.name(found.qualified) == qualified
            });
            declared.extend(defs.map(|(idx, _)| DefRef { file, def: idx }));
        }
        match declared.first() {
            None => Announcements::None,
            // Any header may declare a function; a class is declared in one.
            Some(first)
                if def.kind == DefKind::Method && declared.iter().all(|one| one.file == first.file) =>
            {
                Announcements::These(declared.into())
            }
            Some(_) => Announcements::Somewhere,
        }
    }

    /// Chooses by the arguments among functions of one name and place; continues with inherited ones, at most `deep`
    /// classes up, if none of these can take them.
    fn by_arguments(&self, file: FileId, r: &Ref, all: &[DefRef], deep: usize) -> Overloads {
        let arguments = self.entry(file).and_then(|entry| entry.facts.arguments_of(r));
        let parameters: Option<Vec<Parameters>> = all.iter().map(|one| self.parameters(*one)).collect();
        let Some((arguments, parameters)) = arguments.zip(parameters) else {
            // A use that is no call may mean any of them: a method reference, a name that is passed.
            return if all.len() > 1 { Overloads::Open(all.to_vec()) } else { Overloads::Single };
        };
        let semantics =
            all.first().and_then(|one| self.entry(one.file)).map(|entry| entry.lang().semantics());
        let conversions = match semantics {
            Some(semantics) if semantics.strict_arguments => Conversions::Fixed,
            Some(semantics) if semantics.declares_in_headers => Conversions::Loose,
            _ => Conversions::Added,
        };
        let mut left = fitting(&parameters, arguments, conversions);
        if left.is_empty() {
            if let Some(inherited) = self.inherited_overloads(file, r, all, deep) {
                return inherited;
            }
            left = (0..all.len()).collect();
        }
        // Bodies of one function for several builds are no overloads.
        if left.iter().all(|at| parameters[*at] == parameters[left[0]]) {
            left.truncate(1);
        }
        match left[..] {
            [_] if all.len() == 1 => Overloads::Single,
            [one] => Overloads::Chosen(self.body_with(all[one], &parameters[one])),
            _ => Overloads::Open(left.into_iter().map(|at| all[at]).collect()),
        }
    }

    pub(super) fn parameters(&self, def: DefRef) -> Option<Parameters> {
        self.get_or_compute(&self.parameters, def, || {
            let (entry, found) = self.def(def)?;
            let read = parameters_of(entry.facts.signature(found), entry.facts.name(found.name));
            read.map(Parameters::from)
        })
    }

    /// Chooses among the overloads that a class inherits, if its own cannot take the arguments. In C++ its own hide
    /// them.
    fn inherited_overloads(&self, file: FileId, r: &Ref, own: &[DefRef], deep: usize) -> Option<Overloads> {
        let (entry, def) = self.def(*own.first()?)?;
        if entry.lang().semantics().declares_in_headers || deep == 0 {
            return None;
        }
        let class = DefRef { file: own[0].file, def: def.parent? };
        match self.find_inherited(class, entry.facts.name(def.name)) {
            MemberLookup::Found(base) => {
                let (entry, found) = self.def(base)?;
                let same = entry.defs_named(entry.facts.name(found.name));
                let semantics = entry.lang().semantics();
                let all = same.filter(|(_, other)| is_overload(found, other, semantics));
                let all: Vec<DefRef> = all.map(|(idx, _)| DefRef { file: base.file, def: idx }).collect();
                match self.by_arguments(file, r, &all, deep - 1) {
                    Overloads::Single => Some(Overloads::Chosen(base)),
                    found => Some(found),
                }
            }
            // A base from outside the project may have an overload that takes them.
            MemberLookup::Missing { open: true } => Some(Overloads::Open(own.to_vec())),
            MemberLookup::Missing { open: false } => None,
        }
    }

    /// Returns the one function with a body that a declaration with these parameters announces; otherwise the
    /// declaration.
    pub(super) fn body_with(&self, declared: DefRef, parameters: &[Parameter]) -> DefRef {
        let Some((entry, def)) = self.def(declared).filter(|(_, def)| def.flags.has(DefFlags::DECLARATION))
        else {
            return declared;
        };
        let (name, qualified) = (entry.facts.name(def.name), entry.facts.name(def.qualified));
        let files = self.index.files_defining(name).iter().take(FILES).map(|&file| FileId(file));
        let mut bodies =
            files.filter_map(|file| Some((file, self.entry(file)?))).flat_map(|(file, other)| {
                let is_body = |found: &Def| {
                    found.kind == def.kind
                        && !found.flags.has(DefFlags::DECLARATION)
                        && (found.flags.has(DefFlags::EXPORTED) || found.kind == DefKind::Method)
                        && other.facts.name(found.qualified) == qualified
                };
                let defs = other.defs_named(name).filter(move |(_, found)| is_body(found));
                let defs = defs.map(move |(idx, _)| DefRef { file, def: idx });
                defs.filter(|body| {
                    let types = |all: &[Parameter]| all.iter().map(|one| one.ty.clone()).collect::<Vec<_>>();
                    self.parameters(*body).is_some_and(|own| types(&own) == types(parameters))
                })
                .collect::<Vec<_>>()
            });
        match (bodies.next(), bodies.next()) {
            (Some(body), None) => body,
            _ => declared,
        }
    }

    /// Returns true if a member may be static, as far as its language marks that.
    pub(super) fn is_of_type_itself(&self, member: DefRef) -> bool {
        let Some((entry, def)) = self.def(member) else { return true };
        let has_sides = entry.lang().semantics().static_members != StaticMembers::Unmarked;
        !has_sides || !is_member(entry, def) || side_of(entry, def) == MemberSide::Type
    }

    /// Returns the side of a type that a use asks for; `None` if its receiver does not tell.
    fn wanted_side(&self, file: FileId, r: &Ref) -> Option<MemberSide> {
        let entry = self.entry(file)?;
        match r.receiver() {
            Receiver::Typed(ty) if !entry.facts.name(ty).starts_with('=') => Some(MemberSide::Object),
            Receiver::Path(path) => {
                let site = Site { file, entry, owner: r.owner, want: WantedKind::Scope };
                let NameLookup::Thing(Thing::Def(owner), _) = self.follow_path(site, entry.facts.name(path))
                else {
                    return None;
                };
                let (_, owner) = self.def(owner)?;
                (owner.kind == DefKind::Class).then_some(MemberSide::Type)
            }
            _ => None,
        }
    }
}

/// Returns the definition of a macro that counts at a use: the last one before it, in the file that redefines it.
fn last_macro(entry: &FileEntry, def: &Def, r: &Ref, is_here: bool) -> Option<DefIdx> {
    let all = entry.defs_named(entry.facts.name(def.name)).filter(|(_, other)| other.kind == DefKind::Macro);
    all.filter(|(_, other)| is_here && other.name_at.0 <= r.line)
        .max_by_key(|(_, other)| other.name_at)
        .map(|(idx, _)| idx)
}

/// Returns true if a definition is a method or field of a class.
fn is_member(entry: &FileEntry, def: &Def) -> bool {
    matches!(def.kind, DefKind::Method | DefKind::Function | DefKind::Field)
        && def.parent.is_some_and(|parent| entry.facts.def(parent).kind == DefKind::Class)
}

fn side_of(entry: &FileEntry, def: &Def) -> MemberSide {
    let is_of_type = match entry.lang().semantics().static_members {
        StaticMembers::Unmarked => false,
        StaticMembers::ByWord => {
            let name = entry.facts.name(def.name);
            let signature = entry.facts.signature(def);
            let before = signature.split_once(name).map_or("", |(before, _)| before);
            before.split_whitespace().any(|word| word == "static")
                || before.ends_with('.') && !before.contains("prototype") && !before.ends_with("this.")
        }
        StaticMembers::InCompanion => entry.facts.defs.iter().any(|other| {
            other.kind == DefKind::Class
                && other.parent == def.parent
                && other.bytes.0 < def.bytes.0
                && def.bytes.1 < other.bytes.1
        }),
    };
    if is_of_type { MemberSide::Type } else { MemberSide::Object }
}

/// Returns true if both are functions of one name in one place; in languages whose declarations announce bodies, both
/// with a body or both without.
fn is_overload(one: &Def, other: &Def, semantics: &NameSemantics) -> bool {
    let declared = |def: &Def| semantics.declares_in_headers && def.flags.has(DefFlags::DECLARATION);
    other.qualified == one.qualified && other.kind == one.kind && declared(one) == declared(other)
}

#[cfg(test)]
mod tests {
    use crate::fixture::{map, shown_uses};

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

    #[test]
    fn inherited_overloads_are_told_apart_together_with_the_own_ones() {
        check_calls(
            "//- /A.java
abstract class Base { void f(String s) {} void f(int i) {} abstract void f(boolean b); }
class Own extends Base {
  void f(Object o) {} void f(int i) {} void f(boolean b) {}
  void use() { f(\"s\"); this.f(1); f(new Far()); f(true); }
}
class Far {}
",
            "Own.use",
            &[
                "A.java#Base.f exact",
                "A.java#Far exact",
                "A.java#Own.f exact",
                "A.java#Own.f~2 exact",
                "A.java#Own.f~3 exact",
            ],
        );
    }

    /// Checks the calls of each overload, and a call that the text does not decide.
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

    #[test]
    fn overloads_that_a_class_inherits_are_found_by_their_arguments() {
        let code = "//- /a.java\npackage a;\nclass B { void f(String s) {} }\nclass C extends B { void f(int x) {} }\n\
            class U { void text(C c) { c.f(\"a\"); } void number(C c) { c.f(1); } }\n";
        check_calls(code, "U.text", &["a.java#B.f import"]);
        check_calls(code, "U.number", &["a.java#C.f import"]);
    }

    #[test]
    fn declarations_lead_to_the_bodies_with_their_parameters() {
        let code = "//- /a.h\nclass A {\n public:\n  void f(int, int = 0);\n  void f(const char*);\n};\n\
            //- /a.cpp\n#include \"a.h\"\nvoid A::f(int x, int y) {}\nvoid A::f(const char *s) {}\n\
            //- /use.cpp\n#include \"a.h\"\nvoid number(A &a) { a.f(1); }\nvoid text(A &a) { a.f(\"x\"); }\n\
            void open(A &a) { a.f(other()); }\n";
        check_calls(code, "use.cpp#number", &["a.cpp#A.f import"]);
        check_calls(code, "use.cpp#text", &["a.cpp#A.f~2 import"]);
        let uses = shown_uses(&map(code));
        assert!(!uses.iter().any(|edge| edge.contains("#open calls a")), "a default may be meant: {uses:#?}");
    }
}
