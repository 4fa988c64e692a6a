//! Tests the facts that hob reads from TypeScript and JavaScript files.
//!
//! The file is over 600 lines because each construct of the language stands beside the facts that it gives.

use crate::langs::lang::Lang;
use crate::langs::support::render;

#[track_caller]
fn check_facts(source: &str, expected: &str) {
    render::check(Lang::TypeScript, source, expected);
}

/// Compares the facts of the requested kinds alone.
#[track_caller]
fn check_lines(lang: Lang, source: &str, keep: fn(&str) -> bool, expected: &str) {
    let all = render::facts_of(lang, source);
    let got: Vec<&str> = all.lines().filter(|line| keep(line)).collect();
    let expected: Vec<&str> = expected.lines().map(str::trim).filter(|l| !l.is_empty()).collect();
    assert!(got == expected, "facts differ; got:\n{}\n", got.join("\n"));
}

fn is_ref(line: &str) -> bool {
    line.starts_with(|c: char| c.is_ascii_digit())
}

fn is_module(line: &str) -> bool {
    line.starts_with("import") || line.starts_with("export")
}

fn is_def(line: &str) -> bool {
    !is_ref(line) && !is_module(line)
}

mod definitions {
    use super::{Lang, check_facts, check_lines, is_def};

    #[test]
    fn functions_however_they_are_written() {
        check_lines(
            Lang::TypeScript,
            "
/** Adds.
 * More.
 *
 * Second. */
export function add(a: number,
  b?: Foo): Bar { function nested() {} }
export default async function* gen() {}
export const arrow = async (x) => { const inner = () => 1; }, two = 2;
let expr = function named() {};
// not a doc
function plain() {}
",
            is_def,
            "function add 6-7@6:17 E | function add(a: number, b?: Foo): Bar | Adds. More.
             function add.nested 7-7@7:28 | function nested()
             function gen 8-8@8:32 EX | async function* gen()
             function arrow 9-9@9:14 E | const arrow = async (x)
             function arrow.inner 9-9@9:43 | const inner = ()
             constant two 9-9@9:63 E | two = 2
             function expr 10-10@10:5 | let expr = function named()
             function plain 12-12@12:10 | function plain()",
        );
    }

    #[test]
    fn classes_and_their_members() {
        check_lines(
            Lang::TypeScript,
            "
@Component({})
export abstract class Outer<T> extends Base<T> implements I {
  /** Doc. */
  private repo: Repo;
  static readonly count = 0;
  handler = (e: Event) => { };
  #secret = 1;
  constructor(private readonly svc: Service, plain: Plain) { }
  @Input()
  get value(): Foo { return 1; }
  set value(v: Foo) { }
  abstract m(): void;
  protected run() { class Local { x; } }
  [Symbol.iterator]() {}
}
",
            is_def,
            "class Outer 2-16@3:23 E | abstract class Outer<T> extends Base<T> implements I
             field Outer.repo 5-5@5:11 | private repo: Repo | Doc.
             field Outer.count 6-6@6:19 E | static readonly count = 0
             method Outer.handler 7-7@7:3 E | handler = (e: Event)
             field Outer.#secret 8-8@8:3 | #secret = 1
             method Outer.constructor 9-9@9:3 E | constructor(private readonly svc: Service, plain: Plain)
             field Outer.svc 9-9@9:32 | private readonly svc: Service
             method Outer.value 10-11@11:7 E | get value(): Foo
             method Outer.value~2 12-12@12:7 E | set value(v: Foo)
             method Outer.m 13-13@13:12 ED | abstract m(): void
             method Outer.run 14-14@14:13 E | protected run()
             class Outer.run.Local 14-14@14:27 | class Local
             field Outer.run.Local.x 14-14@14:35 | x
             method Outer.[Symbol.iterator] 15-15@15:3 E | [Symbol.iterator]()",
        );
    }

    #[test]
    fn overloads_are_one_with_their_implementation() {
        check_lines(
            Lang::TypeScript,
            "
export function f(a: string): void;
/** Doc. */
export function f(a: number): void;
export function f(a: any) { }
class A {
  m(a: string): void;
  m(a: any) { }
}
interface I { m(): void; m(a: A): void }
",
            is_def,
            "function f 5-5@5:17 E | function f(a: any)
             class A 6-9@6:7 | class A
             method A.m 8-8@8:3 | m(a: any)
             interface I 10-10@10:11 | interface I
             method I.m 10-10@10:15 D | m(): void",
        );
    }

    #[test]
    fn types_enums_and_namespaces() {
        check_lines(
            Lang::TypeScript,
            "
export interface I extends J { readonly a: string; m(): Z; [key: string]: V; new (x): W }
export type Alias<K> = { a: K };
export const enum Color { Red = 1, 'Dark Blue', }
namespace A.B { export const inner = 1; function hidden() {} }
declare module 'amb' { export function f(): void; const v: number }
declare global { interface Window { x: number } }
export declare const VERSION: string;
export import Short = ns.Long;
",
            is_def,
            "interface I 2-2@2:18 E | interface I extends J
             field I.a 2-2@2:41 ED | readonly a: string
             method I.m 2-2@2:52 ED | m(): Z
             type_alias Alias 3-3@3:13 E | type Alias<K> = { a: K }
             field Alias.a 3-3@3:26 ED | a: K
             enum Color 4-4@4:19 E | const enum Color
             constant Color.Red 4-4@4:27 E | Red = 1
             constant Color.Dark Blue 4-4@4:36 E | 'Dark Blue'
             module A 5-5@5:11 | namespace A.B
             module A.B 5-5@5:11 | namespace A.B
             constant A.B.inner 5-5@5:30 | const inner = 1
             function A.B.hidden 5-5@5:50 | function hidden()
             module amb 6-6@6:16 ED | module 'amb'
             function amb.f 6-6@6:40 ED | function f(): void
             constant amb.v 6-6@6:57 ED | const v: number
             interface Window 7-7@7:28 D | interface Window
             field Window.x 7-7@7:37 D | x: number
             constant VERSION 8-8@8:22 ED | const VERSION: string
             type_alias Short 9-9@9:15 E | import Short = ns.Long",
        );
    }

    #[test]
    fn variables_and_object_literals() {
        check_lines(
            Lang::TypeScript,
            "
export const api = {
  get(id: string) {},
  post: async () => {},
  url: '/x',
  deep: { fn() {} },
  short,
} as const;
const frozen = Object.freeze({ A: 1 });
let [d1, { d2 = 3, k: d3 }] = arr, last;
var hoisted = new Thing();
if (x) { var late = 1; const local = 2; }
for (let i = 0, n = 1; ;) {}
const Memo = memo(() => { const inner = 1; });
const K = class Named { m() {} };
",
            is_def,
            "constant api 2-8@2:14 E | const api =
             method api.get 3-3@3:3 E | get(id: string)
             method api.post 4-4@4:3 E | post: async ()
             field api.url 5-5@5:3 E | url: '/x'
             field api.deep 6-6@6:3 E | deep: { fn() {} }
             method api.deep.fn 6-6@6:11 E | fn()
             field api.short 7-7@7:3 E | short
             constant frozen 9-9@9:7 | const frozen = Object.freeze({ A: 1 })
             field frozen.A 9-9@9:32 | A: 1
             variable d1 10-10@10:6 | let [d1, { d2 = 3, k: d3 }] = arr
             variable d2 10-10@10:12 | let [d1, { d2 = 3, k: d3 }] = arr
             variable d3 10-10@10:23 | let [d1, { d2 = 3, k: d3 }] = arr
             variable last 10-10@10:36 | last
             variable hoisted 11-11@11:5 | var hoisted = new Thing()
             variable late 12-12@12:14 | var late = 1
             constant Memo 14-14@14:7 | const Memo = memo(() => { const inner = 1; })
             class K 15-15@15:7 | class Named
             method K.m 15-15@15:25 | m()",
        );
    }

    #[test]
    fn what_is_exported_later_or_by_default() {
        check_lines(
            Lang::TypeScript,
            "
class A { m() {} }
function f() {}
const v = 1;
export { f, v as w };
export default A;
",
            |line| !super::is_ref(line),
            "class A 2-2@2:7 EX | class A
             method A.m 2-2@2:11 E | m()
             function f 3-3@3:10 E | function f()
             constant v 4-4@4:7 E | const v = 1
             export f as f
             export v as w
             export A as default",
        );
        check_facts(
            "export default { name: 'x', run() { this.go(); } };",
            "constant default 1-1@1:16 EX | export default { name: 'x', run() { this.go(); } }
             field default.name 1-1@1:18 E | name: 'x'
             method default.run 1-1@1:29 E | run()
             1:42 call self.go in default.run",
        );
        check_facts(
            "export default class { m() {} }",
            "class default 1-1@1:16 EX | class\nmethod default.m 1-1@1:24 E | m()",
        );
    }

    #[test]
    fn old_javascript() {
        check_lines(
            Lang::JavaScript,
            "
function Foo(a) { }
Foo.prototype.bar = function (x) { return this.baz(x); };
Foo.stat = () => 1;
class K {
  constructor() { this.x = new Foo(); if (a) this.y = 1; }
  y() {}
  go() { this.x.bar(); this.late = 3; this.x = 2; }
}
module.exports = { Foo, Kay: K, extra() {}, inline: function () {}, val: 3 };
exports.named = function named() {};
exports.alias = Foo;
exports.none = void 0;
var app = exports = module.exports = {};
app.use = function use() { this.m(); };
each(function visit() { visit(); });
function imp() { return each(function imp() {}); }
",
            |line| !super::is_ref(line),
            "class Foo 2-2@2:10 E | function Foo(a)
             method Foo.bar 3-3@3:15 E | Foo.prototype.bar = function (x)
             method Foo.stat 4-4@4:5 E | Foo.stat = ()
             class K 5-9@5:7 E | class K
             method K.constructor 6-6@6:3 E | constructor()
             field K.x 6-6@6:24 E | this.x
             method K.y 7-7@7:3 E | y()
             method K.go 8-8@8:3 E | go()
             field K.late 8-8@8:29 E | this.late
             function extra 10-10@10:33 E | extra()
             function inline 10-10@10:45 E | inline: function ()
             variable val 10-10@10:69 E | val: 3
             function named 11-11@11:9 E | exports.named = function named()
             variable app 14-14@14:5 EX | var app = exports = module.exports = {}
             method app.use 15-15@15:5 E | app.use = function use()
             function visit 16-16@16:15 | function visit()
             function imp 17-17@17:10 | function imp()
             export Foo as Foo
             export K as Kay
             export Foo as alias
             export app as default",
        );
    }
}

mod imports {
    use super::{Lang, check_lines, is_module};

    #[test]
    fn every_binding() {
        check_lines(
            Lang::TypeScript,
            "
import def, { a, b as c, type T1, default as d2 } from './mod';
import * as ns from 'pkg/sub';
import './effect.css';
import type X from '../x';
import fs = require('fs');
export { a as renamed, c } from './other';
export { default as D } from './d';
export * from './star';
export * as all from './all';
async function f() { const { p } = await import('./lazy'); import('./later').then(g); }
",
            is_module,
            "import named ./mod default as def @2
             import named ./mod a as a @2
             import named ./mod b as c @2
             import named ./mod T1 as T1 @2
             import named ./mod default as d2 @2
             import module pkg/sub as ns @3
             import effect ./effect.css @4
             import named ../x default as X @5
             import named fs default as fs @6
             import module fs as fs @6
             import named ./other a as renamed reexported @7
             import named ./other c reexported @7
             import named ./d default as D reexported @8
             import star ./star reexported @9
             import module ./all as all reexported @10
             import named ./lazy p as p @11
             import effect ./later @11",
        );
    }

    #[test]
    fn common_js() {
        check_lines(
            Lang::JavaScript,
            "
const path = require('path');
const { join, resolve: res } = require('path');
const one = require('./one').thing;
require('./side');
exports.sub = require('./sub');
exports.part = require('./sub').part;
module.exports = require('./all');
",
            is_module,
            "import named path default as path @2
             import module path as path @2
             import named path join as join @3
             import named path resolve as res @3
             import named ./one thing as one @4
             import effect ./side @5
             import named ./sub default as sub reexported @6
             import effect ./sub @6
             import named ./sub part reexported @7
             import effect ./sub @7
             import named ./all default reexported @8
             import star ./all reexported @8
             import effect ./all @8",
        );
    }
}

mod references {
    use super::{Lang, check_lines, is_ref};

    #[track_caller]
    fn check_refs(source: &str, expected: &str) {
        check_lines(Lang::TypeScript, source, is_ref, expected);
    }

    #[test]
    fn calls_and_their_receivers() {
        check_refs(
            "
f(g);
ns.deep.call(a?.b);
tag`x ${y}`;
class A extends B {
  repo: Repo;
  list = new List();
  get lazy(): Lazy { return null!; }
  constructor(private svc: Service) { super(svc); }
  m(x, y: Foo) {
    this.n(); super.m(); x.n(); y.n(); y.z.n(); new Foo().n(); (x as Foo).n(); x().n();
    this.repo.find(); this.list.add(); this.lazy.go(); this.svc.run(); this.none.x();
    const self = this; self.n(); [].map(x); A.stat();
    const h = () => this.n(); xs.each(function () { this.n(); });
  }
}
",
            "2:1 call f
             2:3 use g
             3:1 use ns
             3:4 use ns/deep
             3:9 call ns.deep/call
             3:14 use a
             3:17 use a/b
             4:1 call tag
             4:9 use y
             5:17 extends B in A
             6:9 type Repo in A
             7:14 call List in A
             8:15 type Lazy in A.lazy
             9:28 type Service in A.constructor
             9:39 call super.constructor in A.constructor
             10:11 type Foo in A.m
             11:10 call self.n in A.m
             11:21 call super.m in A.m
             11:28 call ?.n in A.m
             11:35 call <Foo>.n in A.m
             11:42 use <Foo>.z in A.m
             11:44 call <=Foo~.z>.n in A.m
             11:53 call Foo in A.m
             11:59 call <Foo>.n in A.m
             11:70 type Foo in A.m
             11:75 call <Foo>.n in A.m
             11:84 call ?.n in A.m
             12:10 use self.repo in A.m
             12:15 call <Repo>.find in A.m
             12:28 use self.list in A.m
             12:33 call <List>.add in A.m
             12:45 use self.lazy in A.m
             12:50 call <Lazy>.go in A.m
             12:61 use self.svc in A.m
             12:65 call <Service>.run in A.m
             12:77 use self.none in A.m
             12:82 call <=this.none>.x in A.m
             13:29 call self.n in A.m
             13:37 call <Array>.map in A.m
             13:45 use A in A.m
             13:47 call A/stat in A.m
             14:26 call self.n in A.m.h
             14:31 use xs in A.m
             14:34 call xs/each in A.m
             14:58 call ?.n in A.m",
        );
    }

    #[test]
    fn locals_are_not_recorded_wherever_they_are_bound() {
        check_refs(
            "
function f(a, { b, c: [d] }, ...e) {
  early;
  for (const g of a) g;
  for (let h = 0; h < 1; h++) h;
  try { } catch ({ message }) { message; }
  { let i = 1; i; }
  i;
  if (a) { var j = 1; }
  j; d; e;
  switch (a) { case 1: const k = 1; k; }
  [a].map(l => l + ((m, n = a) => m + n)());
  const early = 1, { o, ...p } = a; o; p;
  ({ a, q: a, [r]: a });
  s: for (;;) break s;
  const fn = () => fn();
  fn();
  c;
}
",
            "8:3 use i in f
             12:7 call <Array>.map in f
             14:16 use r in f
             16:20 call fn in f.fn
             17:3 call fn in f
             18:3 use c in f",
        );
    }

    #[test]
    fn types_and_what_they_bind() {
        check_refs(
            "
interface I<T> extends Sup<T>, ns.Other { a: Map<string, T>; m<U>(x: U): x is Foo; [k: string]: V }
class A implements I<Arg>, ns.J { }
type M<K> = { [P in keyof K]: K[P] } | (K extends Box<infer U> ? U : typeof value.x) | [label: Tup];
type F = (arg: string, cb: (e: Ev) => void) => asserts arg is Str;
let v: ns.deep.T = w as unknown as Cast;
function g<G extends Foo>(u: G): Foo { return <Cast>u; }
type R<F> = F extends (...a: infer A) => infer B ? [A, B] : never;
",
            "2:24 extends Sup in I
             2:32 use ns in I
             2:35 extends ns/Other in I
             2:46 type Map in I
             2:79 type Foo in I.m
             2:97 type V in I
             3:20 implements I in A
             3:22 type Arg in A
             3:28 use ns in A
             3:31 implements ns/J in A
             4:51 type Box in M
             4:77 use value in M
             4:83 use value/x in M
             4:96 type Tup in M
             5:32 type Ev in F
             5:63 type Str in F
             6:8 use ns
             6:11 use ns/deep
             6:16 type ns.deep/T
             6:20 use w
             6:36 type Cast
             7:22 type Foo in g
             7:34 type Foo in g
             7:48 type Cast in g",
        );
    }

    #[test]
    fn elements_are_calls() {
        check_lines(
            Lang::Tsx,
            "const App = () => <div className={css}><Comp a={b} {...rest}/><Ns.Item>{val}</Ns.Item></div>;",
            is_ref,
            "1:35 use css in App
             1:41 call Comp in App
             1:46 key <=Comp@0>.a in App
             1:49 use b in App
             1:56 use rest in App
             1:64 use Ns in App
             1:67 call Ns/Item in App
             1:73 use val in App
             1:79 use Ns in App
             1:82 use Ns/Item in App",
        );
    }

    #[test]
    fn variables_of_the_file_have_types() {
        check_refs(
            "
const app = new App();
export const log: Logger = make();
app.use(log);
function f() { log.warn(); }
",
            "2:17 call App
             3:19 type Logger
             3:28 call make
             4:1 use app
             4:5 call <App>.use
             4:9 use log
             5:16 use log in f
             5:20 call <Logger>.warn in f",
        );
    }

    #[test]
    fn functions_of_one_name_in_two_callbacks_are_not_confused() {
        check_refs(
            "
describe('a', () => { const helper = () => 1; helper(); });
describe('b', () => { const helper = () => 2; helper(); });
",
            "2:1 call describe
             2:47 call helper
             3:1 call describe",
        );
    }
}

/// A sample with each construct of the languages.
const DAMAGED_SAMPLE: &str = "
/** Doc */
@deco({a})
export abstract class A<T> extends B<T> implements C, ns.D {
  #p = 1; constructor(private x: X, {y}) { super(); this.x.go(); }
  static get v(): Map<K, V> { return `${this.v}`; }
  f = async <U,>(a: U) => { for (const [b, ...c] of a) switch (b) { case 1: let d; } };
}
export default { a, m() {}, n: { o: () => 1 } };
namespace N.M { export enum E { P = 1, 'q' } }
type Q<R> = { [S in keyof R]: R[S] extends infer W ? W : never };
import e, * as g from 'h'; export { i as j } from './k'; export * as l from 'm';
declare module 'amb' { function over(a: string): void; function over(b: number): void; }
const { r, s: t } = require('u'); module.exports = { r, w() {} }; Z.prototype.x = function () {};
label: try { var v2 = await import('x'); } catch { label2: for (;;) {} }
";

#[test]
fn damaged_typescript_gives_facts() {
    render::torture(Lang::TypeScript, DAMAGED_SAMPLE);
}

#[test]
fn damaged_tsx_gives_facts() {
    render::torture(Lang::Tsx, DAMAGED_SAMPLE);
}

#[test]
fn damaged_javascript_gives_facts() {
    render::torture(Lang::JavaScript, DAMAGED_SAMPLE);
}

#[test]
fn damaged_elements_give_facts() {
    render::torture(
        Lang::JavaScript,
        "const A = () => <a.b c={d} {...e}>{f}<G/><></></a.b>;\nclass H { i = <J k='l'/> }\n",
    );
}

#[test]
fn a_field_is_no_name_in_its_own_initialiser() {
    crate::fixture::check_edges(
        "
//- /handler.ts
export function handle() {}
//- /service.ts
import { handle } from './handler';
function save() {}
export class Service {
  private handle = handle;
  private save = save;
  private gone = gone;
}
enum Level { Low = 1, High = Low }
",
        "service.ts#Level references service.ts#Level.Low exact
         service.ts#Service references handler.ts#handle import
         service.ts#Service references service.ts#save exact",
    );
}
