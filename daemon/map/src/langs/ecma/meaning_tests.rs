//! Tests the meaning of names for somebody who asks for their definitions: by lexical scopes, by types with arguments,
//! by values.

use crate::fixture::{files, map};
use crate::graph::{Confidence, NodeRef};
use crate::language_of;
use crate::locals::NamePlace;
use crate::meaning::{Meaning, NameInFile};
use crate::place_reading::read_place;

/// Checks the line that surely defines the name behind `§`, as `file:line`; an empty text if nothing does.
#[track_caller]
fn check_meaning(fixture: &str, expected: &str) {
    let all = files(fixture);
    let (path, marked) = all.iter().find(|(_, text)| text.contains('§')).expect("a mark");
    let before = marked.split('§').next().expect("text before the mark");
    let line = before.matches('\n').count() as u32 + 1;
    let col = before.rsplit('\n').next().map_or(0, |last| last.encode_utf16().count()) as u32 + 1;
    let is_part = |c: &char| c.is_alphanumeric() || matches!(c, '_' | '$');
    let word: String = marked.split('§').nth(1).expect("a name").chars().take_while(is_part).collect();
    let map = map(&fixture.replace('§', ""));
    let (text, at) = (marked.replace('§', ""), NamePlace { line, col });
    let lang = language_of(path, text.as_bytes());
    let name = NameInFile { path, at, word: &word };
    let read = read_place(lang, text.as_bytes(), at, &|| true);
    let mut meaning = map.meaning_at(name, read.local);
    if let Some(receiver) = read.receiver.filter(|_| !meaning.is_sure()) {
        meaning = Meaning::Nodes(map.meaning_through_values(name, &receiver));
    }
    let line_of = |node: NodeRef| {
        let info = map.info(node).expect("a node");
        format!("{}:{}", info.path.expect("a path"), info.name_at.0)
    };
    let found: Vec<String> = match meaning {
        Meaning::Local(local) => local.bindings.iter().map(|at| format!("{path}:{}", at.line)).collect(),
        Meaning::Nodes(nodes) => {
            let sure = nodes.into_iter().filter(|(_, sure)| *sure < Confidence::Name);
            sure.map(|(node, _)| line_of(node)).collect()
        }
    };
    assert_eq!(found.join(" "), expected, "{fixture}");
}

/// Checks the lines of one TypeScript file that surely define the names behind `§`.
#[track_caller]
fn check_lines(text: &str, expected: &[u32]) {
    let expected: Vec<String> = expected.iter().map(|line| format!("a.ts:{line}")).collect();
    check_meaning(&format!("//- /a.ts\n{text}\n"), &expected.join(" "));
}

#[test]
fn a_type_and_a_value_of_one_name_are_two_things() {
    check_lines("type Size = number;\nlet other = §Size;", &[]);
    check_lines("let size = 1;\nlet other: §size;", &[]);
    check_lines("interface Size {}\nconst Size = 1;\nlet other: §Size;", &[1]);
    check_lines("interface Size {}\nconst Size = 1;\nlet other = §Size;", &[2]);
    check_lines("function f<T>(T: T) { return §T }", &[1]);
    check_lines("class Size {}\nlet other: §Size;", &[1]);
    check_lines("class Size {}\nlet other = §Size;", &[1]);
}

#[test]
fn what_a_block_defines_is_seen_in_the_block() {
    check_lines("if (x) { type Inner = string; let a: §Inner; }", &[1]);
    check_lines("if (x) { type Inner = string; }\nlet a: §Inner;", &[]);
    check_meaning("//- /a.js\nwhile (x) { function inner() {} }\n§inner();\n", "");
    check_meaning("//- /a.js\nif (x) function inner() {}\n§inner();\n", "");
}

#[test]
fn an_assignment_makes_a_variable_in_javascript_alone() {
    check_meaning("//- /a.js\nx = 1;\n§x;\n", "a.js:1");
    check_meaning("//- /a.js\nfunction f() { x = 1 }\n§x;\n", "");
    check_meaning("//- /a.ts\nx = 1;\n§x;\n", "");
}

#[test]
fn what_is_made_of_a_class_leads_to_its_constructor() {
    check_lines("class A {\n  constructor() {}\n}\nnew §A();", &[2]);
    check_lines("class A {\n  size = 1;\n}\nnew §A();", &[1]);
    check_lines("class A {\n  constructor() {}\n}\nlet a: §A;", &[1]);
}

#[test]
fn a_class_has_none_of_its_objects_members() {
    check_meaning("//- /a.js\nclass A {\n  size = 1;\n}\nA.§size;\n", "");
    check_meaning("//- /a.js\nclass A {\n  static size = 1;\n}\nA.§size;\n", "a.js:2");
    check_meaning("//- /a.js\nclass A {\n  constructor() { this.size = 1 }\n}\nnew A().§size;\n", "a.js:2");
    check_lines("enum E {\n  A\n}\nlet e: E;\ne.§A;", &[]);
    check_lines("enum E {\n  A\n}\nE.§A;", &[2]);
}

#[test]
fn a_default_export_has_no_other_name() {
    let exported = "//- /a.ts\nexport default class A {}\n";
    check_meaning(&format!("{exported}//- /b.ts\nimport {{ §A }} from './a';\n"), "");
    check_meaning(&format!("{exported}//- /b.ts\nimport §A from './a';\n"), "a.ts:1");
    let both =
        "//- /a.ts\nclass A {}\nexport {{ A }};\nexport default A;\n".replace("{{", "{").replace("}}", "}");
    check_meaning(&format!("{both}//- /b.ts\nimport {{ §A }} from './a';\n"), "a.ts:1");
}

#[test]
fn an_import_that_leads_nowhere_defines_nothing() {
    check_meaning("//- /a.ts\nimport { §join } from 'elsewhere';\n", "");
    check_meaning("//- /a.ts\nimport { join } from 'elsewhere';\n§join();\n", "a.ts:1");
}

#[test]
fn a_module_that_is_declared_by_name_is_imported_by_it() {
    let declared = "//- /types.d.ts\ndeclare module 'lib' {\n  export const size: number;\n}\n";
    check_meaning(&format!("{declared}//- /a.ts\nimport {{ §size }} from 'lib';\n"), "types.d.ts:2");
    check_meaning(&format!("{declared}//- /a.ts\nimport {{ §other }} from 'lib';\n"), "");
}

#[test]
fn a_module_without_a_default_is_its_own() {
    let module = "//- /a.js\nexports.run = function () {};\n";
    check_meaning(&format!("{module}//- /b.js\nimport a from './a';\na.§run();\n"), "a.js:1");
    check_meaning(&format!("{module}//- /b.js\nimport a from './a';\n§a.run();\n"), "b.js:1");
    check_meaning("//- /a.js\nexport const run = 1;\n//- /b.js\nimport a from './a';\na.§run();\n", "");
    check_meaning(&format!("{module}//- /b.js\nconst a = await import('./a');\n§a.run();\n"), "b.js:1");
    check_meaning(&format!("{module}//- /b.js\nimport('./a').then(a => a.§run());\n"), "a.js:1");
    check_meaning(&format!("{module}//- /b.js\nimport a from './a';\n§a.run();\n"), "b.js:1");
    check_meaning("//- /a.js\nexport const run = 1;\n//- /b.js\nimport a from './a';\na.§run();\n", "");
    check_meaning(&format!("{module}//- /b.js\nconst a = await import('./a');\n§a.run();\n"), "b.js:1");
    check_meaning(&format!("{module}//- /b.js\nimport('./a').then(({{ §run }}) => run());\n"), "a.js:1");
}

const BOX: &str = "interface Item {\n  size: number;\n}\ninterface Box<T, U = T> {\n  first: T;\n  second: U;\n  all: T[];\n  get(): T;\n}\n";

#[test]
fn type_arguments_go_along_with_members() {
    for (last, line) in [
        ("let b: Box<Item>;\nb.first.§size;", &[2][..]),
        ("let b: Box<Item>;\nb.second.§size;", &[2]),
        ("let b: Box<string, Item>;\nb.second.§size;", &[2]),
        ("let b: Box<Item>;\nb.all[0].§size;", &[2]),
        ("let b: Box<Item>;\nb.get().§size;", &[2]),
        ("let b: Box<Box<Item>>;\nb.first.get().§size;", &[2]),
        ("type Items = Box<Item>;\nlet b: Items;\nb.first.§size;", &[2]),
        ("type Id<T> = T;\nlet b: Id<Item>;\nb.§size;", &[2]),
        ("class Own implements Box<string> {}\nlet b: Box<Own>;\nb.first.§size;", &[]),
        ("interface Sub<V> extends Box<V> {}\nlet b: Sub<Item>;\nb.first.§size;", &[2]),
        ("let b: Box<string>;\nb.first.§size;", &[]),
        ("function f(b: Box<Item>) { b.first.§size }", &[2]),
        ("function f({ first }: Box<Item>) { first.§size }", &[2]),
        ("function f<T extends Item>(x: T) { x.§size }", &[2]),
        ("function id<T>(x: T): T { return x }\nid<Item>(null).§size;", &[2]),
        ("function id<T = Item>(x: T): T { return x }\nid(null).§size;", &[2]),
        ("const b: Box<Item> = { §first: null };", &[5]),
        ("const b: Box<Item> = { first: { §size: 1 } };", &[2]),
    ] {
        check_lines(&format!("{BOX}{last}"), line);
    }
}

#[test]
fn a_base_with_type_arguments_gives_them_on() {
    let classes = "class Item {\n  size = 1;\n}\nclass Store<T> {\n  find(): T { return null }\n}\n";
    check_lines(&format!("{classes}class Items extends Store<Item> {{}}\nnew Items().find().§size;"), &[2]);
    check_lines(&format!("{classes}class Names extends Store<string> {{}}\nnew Names().find().§size;"), &[]);
    check_lines(
        &format!("{classes}const Base = Store;\nclass Names extends Base {{}}\nnew Names().§find();"),
        &[5],
    );
}

#[test]
fn tuples_have_a_type_for_each_place() {
    let types = "interface A {\n  a: 1;\n}\ninterface B {\n  b: 2;\n}\ntype Both = [A, second: B];\n";
    for (last, line) in [
        ("let t: Both;\nt[1].§b;", &[5][..]),
        ("let t: Both;\nt[0].§b;", &[]),
        ("let t: Both;\nconst [, second] = t;\nsecond.§b;", &[5]),
        ("function use(): [A, B] { return null }\nfunction f() { const [first] = use(); first.§a }", &[2]),
        ("const [{ §a }] = null as Both;", &[2]),
    ] {
        check_lines(&format!("{types}{last}"), line);
    }
}

#[test]
fn types_by_query_and_by_key_are_those_of_what_they_name() {
    let types = "interface A {\n  a: B;\n}\ninterface B {\n  b: 2;\n}\n";
    for (last, line) in [
        ("let x: A['a'];\nx.§b;", &[5][..]),
        ("const a: A = null;\nlet x: typeof a;\nx.§a;", &[2]),
        ("function f(): A { return null }\nlet x: ReturnType<typeof f>;\nx.§a;", &[2]),
        ("let x: Pick<A, 'a'>;\nx.§a;", &[2]),
        ("let x: { [key: string]: A };\nx['y'].a.§b;", &[]),
        ("let x: { [key: string]: A };\nlet key: string;\nx[key].§a;", &[2]),
        ("let x: Map<string, A> = new Map();\nx.get('y').§a;", &[2]),
        ("const x = new Map<string, A>();\nx.get('y').§a;", &[2]),
        ("let run: (b: B) => A;\nrun(null).§a;", &[2]),
        ("interface Run { (b: B): A }\nlet run: Run;\nrun(null).§a;", &[2]),
        ("let run: { (b: B): A };\nrun(null).§a;", &[2]),
        ("let x: { y: A };\nx.y.§a;", &[2]),
        ("let x: { y: A };\nx['y'].§a;", &[2]),
        ("let x: { y: A };\nlet z: typeof x = { y: null };\nz.§y;", &[7]),
        ("let Made: new () => A;\nnew Made().§a;", &[2]),
    ] {
        check_lines(&format!("{types}{last}"), line);
    }
}

#[test]
fn a_function_gets_and_gives_what_its_place_says() {
    let types = "interface A {\n  a: 1;\n}\ntype Handler = (a: A) => A;\nconst one: A = null;\n";
    for (last, line) in [
        ("const h: Handler = x => x.§a;", &[2][..]),
        ("const h: (a: A) => void = function (x) { x.§a };", &[2]),
        ("const h: Handler = () => ({ §a: 1 });", &[2]),
        ("const h: Handler = ({ §a }) => null;", &[2]),
        ("function each(f: (a: A) => A) {}\neach(({ §a }) => null);", &[2]),
        ("function each(f: (a: A) => A) {}\neach(() => ({ §a: 1 }));", &[2]),
        ("[1].map<A>(() => ({ §a: 1 }));", &[2]),
        ("[one].map(({ §a }) => a);", &[2]),
        ("for (const { §a } of [one]) {}", &[2]),
        ("let list: A[];\nlist.sort((x, y) => x.a - y.§a);", &[2]),
        ("let list: A[];\nlist.reduce((sum, x) => sum.§a, 0);", &[]),
        ("let list: A[];\nlist.forEach((x, i, list) => list[0].§a);", &[2]),
        ("(function (): A { return null })().§a;", &[2]),
    ] {
        check_lines(&format!("{types}{last}"), line);
    }
}

#[test]
fn a_component_gets_the_properties_of_its_type() {
    let component = "//- /a.tsx\ninterface Props {\n  size: number;\n}\nconst Panel: React.FC<Props> = ({ size }) => null;\n";
    check_meaning(&format!("{component}<Panel §size={{1}} />;\n"), "a.tsx:2");
    check_meaning(&component.replace("{ size }", "{ §size }"), "a.tsx:2");
    check_meaning(
        "//- /a.tsx\nnamespace ns {\n  export const Panel = () => null;\n}\n<ns.Panel></ns.§Panel>;\n",
        "a.tsx:2",
    );
}

#[test]
fn a_shorthand_key_is_a_member_of_the_expected_type() {
    check_lines("interface A {\n  size: 1;\n}\nfunction f(a: A) {}\nconst size = 1;\nf({ §size });", &[2]);
    check_lines("const size = 1;\nf({ §size });", &[1]);
}

#[test]
fn arguments_are_what_a_function_is_called_with() {
    let object = "//- /a.js\nlet o = {\n  x: 1\n};\n";
    for (last, line) in [
        ("function f() { return arguments }\nf(o)[0].§x;", "a.js:2"),
        ("function f(...all) { return all }\nf(1, o)[1].§x;", "a.js:2"),
        ("function f(a, ...all) { return all }\nf(o, 1)[0].§x;", ""),
        ("const f = () => arguments;\nf(o)[0].§x;", ""),
        ("function* f() { yield o }\nfor (const one of f()) one.§x;", "a.js:2"),
        ("const { inner } = { inner: o };\ninner.§x;", "a.js:2"),
    ] {
        check_meaning(&format!("{object}{last}\n"), line);
    }
}

#[test]
fn keys_of_objects_within_objects_are_found_by_their_values() {
    check_meaning(
        "//- /a.js\nlet o = {\n  y: {\n    x: 2\n  }\n};\nlet { y: inner } = o;\ninner.§x;\n",
        "a.js:3",
    );
}

#[test]
fn a_field_is_given_what_has_its_name_outside() {
    check_lines("const load = () => {};\nclass A {\n  private load = §load;\n}", &[1]);
}

#[test]
fn a_shorthand_key_has_the_type_of_what_it_names() {
    check_lines("interface A {\n  a: 1;\n}\nlet one: A;\nconst all = { one };\nall.one.§a;", &[2]);
    check_lines("let one = 1;\nconst all = {\n  one\n};\nall.§one;", &[3]);
    check_lines("let one = 1;\nconst all = { §one };", &[1]);
}

#[test]
fn a_mixin_hides_what_its_class_inherits() {
    let fixture = |call: &str| {
        format!(
            "//- /a.js\nclass Base {{ greet() {{}} rest() {{}} }}\nclass Own extends Base {{}}\nconst Mixin = {{ greet() {{}} }};\n\
             Object.assign(Own.prototype, Mixin);\nnew Own().{call}();\n"
        )
    };
    check_meaning(&fixture("§greet"), "a.js:3");
    check_meaning(&fixture("§rest"), "a.js:1");
}

#[test]
fn broken_and_half_written_types_end_nothing() {
    for text in [
        "let x: Box<",
        "let x: Box<,>; x.§y",
        "type A<T = A> = A<A<T>>; let a: A<string>; a.§b",
        "type A = A[]; let a: A; a[0].§b",
        "interface A<T> extends A<A<T>> { b: T } let a: A<A<string>>; a.b.§c",
        "let [a, [b, ]] = §t; [[[[[]]]]].map(",
        "import('').then(a => a.§b)",
    ] {
        let marked = if text.contains('§') { text.to_owned() } else { format!("{text} §z") };
        check_lines(&marked, &[]);
    }
}
