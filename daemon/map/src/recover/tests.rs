//! Tests which definitions recovery finds in files that a grammar gives up on, and which lines it reports as not
//! mapped.

use std::fmt::Write as _;

use crate::facts::DefFlags;
use crate::{FileFacts, Lang, extract, persist};

/// Returns the names defined at file level, in order of their lines.
fn top_level_names(facts: &FileFacts) -> Vec<&str> {
    let free = facts.defs.iter().filter(|def| def.parent.is_none());
    free.map(|def| facts.name(def.name)).collect()
}

fn line_of(facts: &FileFacts, name: &str) -> (u32, u32) {
    let def = facts.defs.iter().find(|def| facts.name(def.qualified) == name);
    def.unwrap_or_else(|| panic!("{name} is there")).lines
}

/// hono's `src/types.ts` in small: only line ends separate the members of an interface.
const CALLABLE: &str = "\
import type { Env } from './env'

export interface HandlerInterface<E extends Env = Env> {
  // app.get(handler)
  <
    P extends string = string,
  >(
    handler: Handler<E, P>
  ): Base<
    E,
    P
  >

  // app.get(path, handler)
  <P extends string>(path: P, handler: Handler<E, P>): Base<E, P>
  <Q>(other: Q): Base<E, Q>
  in?: string
}

export type Handler<E, P> = (c: E) => P

export interface OnHandlerInterface<E extends Env = Env> {
  <P extends string>(
    method: string,
    path: P
  ): Base<E, P>
  <P extends string>(methods: string[], path: P): Base<E, P>
}

export class Base<E, P> {
  get!: HandlerInterface<E>
}

export const last = 1
";

#[test]
fn call_signatures_that_end_with_their_line_cost_nothing() {
    let facts = extract(Lang::TypeScript, "types.ts", CALLABLE.as_bytes());
    assert_eq!(
        top_level_names(&facts),
        ["HandlerInterface", "Handler", "OnHandlerInterface", "Base", "last"]
    );
    assert!(
        facts.defs.iter().filter(|def| def.parent.is_none()).all(|def| def.flags.has(DefFlags::EXPORTED))
    );
    assert_eq!(line_of(&facts, "HandlerInterface"), (3, 18));
    assert_eq!(line_of(&facts, "HandlerInterface.in"), (17, 17));
    assert_eq!(line_of(&facts, "last"), (34, 34));
    assert!(facts.unmapped.is_empty(), "{:?}", facts.unmapped);
    // Windows has other line ends.
    let windows = extract(Lang::TypeScript, "types.ts", CALLABLE.replace('\n', "\r\n").as_bytes());
    assert_eq!(top_level_names(&windows), top_level_names(&facts));
    assert_eq!(line_of(&windows, "last"), (34, 34));
}

#[test]
fn a_type_that_the_grammar_does_not_know_costs_nothing_else() {
    let source = "\
export function names(
  ...all: (typeof undefined | boolean | null | string)[]
): string[] {
  const found = [];
  return found;
}

export function next(): void {
  const own = names('a');
}
";
    let facts = extract(Lang::TypeScript, "a.ts", source.as_bytes());
    assert_eq!(top_level_names(&facts), ["names", "next"]);
    assert!(facts.unmapped.is_empty(), "{:?}", facts.unmapped);
}

/// A file that somebody is just writing.
#[test]
fn what_is_broken_is_told_and_the_rest_is_mapped() {
    let source = "\
export const before = 1

export function broken(a: string {
  if (a {
    return [1, 2
}

export interface After {
  a: string
}

export class Last {
  m(): void {}
}
";
    let facts = extract(Lang::TypeScript, "a.ts", source.as_bytes());
    let names = top_level_names(&facts);
    assert!(["before", "After", "Last"].iter().all(|name| names.contains(name)), "{names:?}");
    assert_eq!(line_of(&facts, "Last.m"), (13, 13));
    assert_eq!(&*facts.unmapped, [(3, 6)]);
    let again = persist::decode(&persist::encode(&facts)).expect("just written");
    assert_eq!(again.unmapped, facts.unmapped);
}

#[test]
fn of_a_class_with_a_broken_method_the_others_remain() {
    let source = r#"package a;

public class A {
    int first() { return 1; }

    String broken() {
        return """
            text;
    }

    int second() {
        return 2;
    }

    int third() {
        return 3;
    }
}
"#;
    let facts = extract(Lang::Java, "A.java", source.as_bytes());
    let names: Vec<&str> = facts.defs.iter().map(|def| facts.name(def.qualified)).collect();
    assert!(["A", "A.first", "A.second", "A.third"].iter().all(|name| names.contains(name)), "{names:?}");
    assert_eq!(line_of(&facts, "A.third"), (15, 17));
    assert_eq!(&*facts.unmapped, [(7, 8)]);
}

#[test]
fn slips_in_bodies_are_not_told() {
    for (lang, source) in [
        (Lang::Rust, "fn f() {\n    let a = ;\n    let b = = 2;\n}\n\nfn g() {}\n"),
        (Lang::TypeScript, "function f() {\n  const a = ;\n  foo(;\n}\n\nfunction g() {}\n"),
        (Lang::Python, "def f():\n    a = = 2\n    b = 3 3\n\ndef g():\n    pass\n"),
        (Lang::Go, "package a\n\nfunc f() {\n\ta := := 2\n\tb := 3 3\n}\n\nfunc g() {}\n"),
    ] {
        let facts = extract(lang, "a", source.as_bytes());
        assert!(top_level_names(&facts).ends_with(&["f", "g"]), "{lang:?} {:?}", top_level_names(&facts));
        assert!(facts.unmapped.is_empty(), "{lang:?} {:?}", facts.unmapped);
    }
}

/// Flow's syntax of types, which no grammar here knows.
#[test]
fn what_cannot_be_mended_is_told() {
    let mut source = "// @flow\nfunction before() {}\n".to_owned();
    for number in 0..4 {
        write!(source, "declare class C{number} mixins D {{\n  @@iterator(): Iterator<T>;\n  [[call]](a: ?T): +T;\n}}\n\n").expect("memory");
    }
    let facts = extract(Lang::JavaScript, "a.js", source.as_bytes());
    assert!(top_level_names(&facts).contains(&"before"));
    let lines: u32 = facts.unmapped.iter().map(|(first, last)| last - first + 1).sum();
    assert!(lines >= 12 && facts.unmapped[0].0 >= 3, "{:?}", facts.unmapped);
}

#[test]
fn a_file_that_is_text_only_says_why_instead() {
    let deep: String = (0..600).map(|depth| format!("{}if x:\n", " ".repeat(depth))).collect();
    let facts = extract(Lang::Python, "a.py", deep.as_bytes());
    assert!(facts.gave_up.is_some() && facts.unmapped.is_empty(), "{:?}", facts.gave_up);
}
