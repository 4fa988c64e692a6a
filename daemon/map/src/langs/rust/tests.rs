//! Tests the facts that hob reads from Rust.
//!
//! The file is over 600 lines because each construct of the language stands beside the facts that it gives.

use crate::facts::FactsBuilder;
use crate::langs::lang::Lang;
use crate::langs::support::project::fake::Fake;
use crate::langs::support::render;

#[track_caller]
fn check_facts(source: &str, expected: &str) {
    render::check(Lang::Rust, source, expected);
}

#[test]
fn items_with_their_docs_and_visibility() {
    check_facts(
        r#"
//! The file.

/// A point
/// in the plane.
///
/// More.
#[derive(Clone)]
pub struct Point<T> {
    /// Across.
    pub x: T,
    y: Vec<Unit>,
}
// Not documentation.
struct Pair(pub u8, Point<u8>);
pub(crate) enum Shape { Dot, Line(Point<u8>), Box { a: Point<u8> } }
union Bits { a: u32, b: f32 }
const LIMIT: usize = compute(4);
pub static mut STATE: State = State::new();
pub type Alias<T> = Vec<T>;
/** Block. */
async unsafe fn run<T: Bound>(a: T) -> Alias<T> where T: Other { inner(a) }
extern "C" { fn ext(a: Size); }
#[macro_export]
macro_rules! twice { ($a:expr) => { helper($a) }; }
pub mod net { pub fn open() {} mod deep { fn x() {} } }
"#,
        r#"
struct Point 8-13@9:12 E | pub struct Point<T> | A point in the plane.
field Point.x 11-11@11:9 E | pub x: T | Across.
field Point.y 12-12@12:5 | y: Vec<Unit>
struct Pair 15-15@15:8 | struct Pair(pub u8, Point<u8>)
enum Shape 16-16@16:17 E | pub(crate) enum Shape
constant Shape.Dot 16-16@16:25 E | Dot
constant Shape.Line 16-16@16:30 E | Line(Point<u8>)
constant Shape.Box 16-16@16:47 E | Box { a: Point<u8> }
field Shape.Box.a 16-16@16:53 | a: Point<u8>
struct Bits 17-17@17:7 | union Bits
field Bits.a 17-17@17:14 | a: u32
field Bits.b 17-17@17:22 | b: f32
constant LIMIT 18-18@18:7 | const LIMIT: usize
variable STATE 19-19@19:16 E | pub static mut STATE: State
type_alias Alias 20-20@20:10 E | pub type Alias<T> = Vec<T>
function run 22-22@22:17 | async unsafe fn run<T: Bound>(a: T) -> Alias<T> where T: Other | Block.
function ext 23-23@23:17 D | fn ext(a: Size)
macro twice 24-25@25:14 E | macro_rules! twice
module net 26-26@26:9 E | pub mod net
function net.open 26-26@26:22 E | pub fn open()
module net.deep 26-26@26:36 | mod deep
function net.deep.x 26-26@26:46 | fn x()
12:8 type Vec in Point
12:12 type Unit in Point
15:21 type Point in Pair
16:35 type Point in Shape.Line
16:56 type Point in Shape.Box
18:22 call compute in LIMIT
19:23 type State in STATE
19:31 type State in STATE
19:38 call State/new in STATE
20:21 type Vec in Alias
22:24 type Bound in run
22:40 type Alias in run
22:58 type Other in run
22:66 call inner in run
23:24 type Size in ext
"#,
    );
}

#[test]
fn what_is_compiled_for_tests_alone_is_a_test() {
    check_facts(
        r#"
#[cfg(test)]
mod tests { fn helper() {} }
#[cfg(all(unix, test))] fn more() {}
#[cfg(any(test, unix))] fn either() {}
#[cfg(not(test))] fn other() {}
struct Foo;
#[cfg(test)] impl Foo { fn check(&self) {} }
"#,
        r#"
module tests 2-3@3:5 T | mod tests
function tests.helper 3-3@3:16 | fn helper()
function more 4-4@4:28 T | fn more()
function either 5-5@5:28 | fn either()
function other 6-6@6:22 | fn other()
struct Foo 7-7@7:8 | struct Foo
method Foo.check 8-8@8:28 T | fn check(&self)
8:19 type Foo in Foo
"#,
    );
}

#[test]
fn members_belong_to_their_type() {
    check_facts(
        r#"
impl Foo { fn before(&self) { self.part.go(); } }
pub struct Foo { part: Part, all: Arc<dyn Sink> }
impl Foo {
    pub const MAX: u8 = 1;
    pub fn new(part: Part) -> Self { Self { part, all: make() } }
    fn run(&mut self) { self.part.go(); self.all.push(Self::MAX); Self::new(x()).run(); self.run(); }
}
impl Clone for Foo { fn clone(&self) -> Self { todo!() } type Out = u8; }
impl fmt::Display for ext::Thing<'_> { fn fmt(&self) {} }
impl<T> Tell for T { fn tell(&self) {} }
pub trait Tell: Base + a::Other<u8> { const N: u8; type Item; fn tell(&self); fn more(&self) { self.tell(); } }
mod m { impl Inner { fn f() {} } struct Inner; impl Inner { fn f() {} } }
"#,
        r#"
method Foo.before 2-2@2:15 | fn before(&self)
struct Foo 3-3@3:12 E | pub struct Foo
field Foo.part 3-3@3:18 | part: Part
field Foo.all 3-3@3:30 | all: Arc<dyn Sink>
constant Foo.MAX 5-5@5:15 E | pub const MAX: u8
method Foo.new 6-6@6:12 E | pub fn new(part: Part) -> Self
method Foo.run 7-7@7:8 | fn run(&mut self)
method Foo.clone 9-9@9:25 E | fn clone(&self) -> Self
type_alias Foo.Out 9-9@9:63 E | type Out = u8
method Thing.fmt 10-10@10:43 E | fn fmt(&self)
method Tell.T.tell 11-11@11:25 E | fn tell(&self)
trait Tell 12-12@12:11 E | pub trait Tell: Base + a::Other<u8>
constant Tell.N 12-12@12:45 E | const N: u8
type_alias Tell.Item 12-12@12:57 ED | type Item
method Tell.tell 12-12@12:66 ED | fn tell(&self)
method Tell.more 12-12@12:82 E | fn more(&self)
module m 13-13@13:5 | mod m
method m.Inner.f 13-13@13:25 | fn f()
struct m.Inner 13-13@13:41 | struct Inner
method m.Inner.f~2 13-13@13:64 | fn f()
2:6 type Foo
2:36 use self.part in Foo.before
2:41 call <Part>.go in Foo.before
3:24 type Part in Foo
3:35 type Arc in Foo
3:43 type Sink in Foo
4:6 type Foo in Foo
6:22 type Part in Foo.new
6:56 call make in Foo.new
7:30 use self.part in Foo.run
7:35 call <Part>.go in Foo.run
7:46 use self.all in Foo.run
7:50 call <Sink>.push in Foo.run
7:61 use self.MAX in Foo.run
7:73 call self.new in Foo.run
7:77 call x in Foo.run
7:82 call <Foo>.run in Foo.run
7:94 call self.run in Foo.run
9:6 implements Clone in Foo
9:16 type Foo in Foo
9:48 call todo in Foo.clone
10:11 implements fmt/Display
10:28 type ext/Thing
11:9 implements Tell
12:17 extends Base in Tell
12:27 extends a/Other in Tell
12:101 call self.tell in Tell.more
13:14 type Inner in m
13:53 type Inner in m.Inner
"#,
    );
}

#[test]
fn locals_hide_names_and_type_their_members() {
    check_facts(
        r#"
fn f(a: &mut Foo, b: a::Bar, (c, d): (u8, u8), e: impl Fn(u8), t: T) {
    let x = x(1);
    x.unknown();
    let Some(y) = find(y) else { return y() };
    let p = Foo { a: c, d };
    p.go();
    let q = a::Bar::new(LIMIT);
    q.go();
    let r: Box<dyn Sink> = Box::new(Other::default());
    r.push();
    let s = Config::open()?;
    s.get();
    let u = a.clone();
    u.go();
    a.field.deep();
    b.go();
    if let Shape::Line(z) = z(d) && z.ok() { z(1); }
    z();
    match c { n @ 1..=MAX => n, Shape::Box { a, b: w } if w.ok() => w(a), OTHER => e(d), _ => g };
    for i in i(1) { i.go(); }
    while let Ok(v) = v() { v(); }
    let h = |p: Foo, (k, l)| p.go(k, l);
    h(map(handler, Foo::make, Shape::Dot));
    { let inner = 1; inner; }
    inner();
    fn nested(v: u8) { v; nested(1) }
    nested(2);
    <Foo as Tell>::tell(a);
    Vec::<Item>::with_capacity(1).push(1);
    'label: loop { break 'label; }
}
"#,
        r#"
function f 2-32@2:4 | fn f(a: &mut Foo, b: a::Bar, (c, d): (u8, u8), e: impl Fn(u8), t: T)
function f.nested 27-27@27:8 | fn nested(v: u8)
2:14 type Foo in f
2:25 type a/Bar in f
2:56 type Fn in f
2:67 type T in f
3:13 call x in f
4:7 call <=x()>.unknown in f
5:9 use Some in f
5:19 call find in f
5:24 use y in f
5:41 call y in f
6:13 type Foo in f
7:7 call <Foo>.go in f
8:16 type a/Bar in f
8:21 call a.Bar/new in f
8:25 use LIMIT in f
9:7 call <a.Bar>.go in f
10:12 type Box in f
10:20 type Sink in f
10:28 type Box in f
10:33 call Box/new in f
10:37 type Other in f
10:44 call Other/default in f
11:7 call <Sink>.push in f
12:13 type Config in f
12:21 call Config/open in f
13:7 call <Config>.get in f
14:15 call <Foo>.clone in f
15:7 call <Foo>.go in f
16:7 use <Foo>.field in f
16:13 call <=Foo.field>.deep in f
17:7 call <a.Bar>.go in f
18:12 type Shape in f
18:19 use Shape/Line in f
18:29 call z in f
18:39 call <=Shape.Line.0>.ok in f
19:5 call z in f
20:23 use MAX in f
20:33 type Shape in f
20:40 type Shape/Box in f
20:61 call <=Shape.Box.b>.ok in f
20:75 use OTHER in f
20:95 use g in f
21:14 call i in f
21:23 call <=i().@>.go in f
22:15 use Ok in f
22:23 call v in f
23:17 type Foo in f
23:32 call <Foo>.go in f
24:7 call map in f
24:11 use handler in f
24:20 type Foo in f
24:25 use Foo/make in f
24:31 type Shape in f
24:38 use Shape/Dot in f
26:5 call inner in f
27:27 call nested in f.nested
28:5 call nested in f
29:6 type Foo in f
29:13 type Tell in f
29:20 call Foo/tell in f
30:5 type Vec in f
30:11 type Item in f
30:18 call Vec/with_capacity in f
30:35 call <=:Vec<Item>>.push in f
"#,
    );
}

#[test]
fn results_of_the_files_own_functions_are_known() {
    check_facts(
        r#"
struct Foo<T> { part: Part, any: T }
fn make() -> Result<Foo<u8>> { todo() }
fn pick<T>(a: T) -> T { a }
impl<T> Foo<T> {
    fn part(&self) -> &Part { &self.part }
    fn again(self) -> Option<Self> { None }
    fn use_them(&self) {
        self.part().go();
        let p = self.part();
        p.go();
        self.again()?.part().go();
        self.again().part();
        self.any.go();
        make()?.part.go();
        pick(1).go();
        Foo::part(self).go();
    }
}
"#,
        r#"
struct Foo 2-2@2:8 | struct Foo<T>
field Foo.part 2-2@2:17 | part: Part
field Foo.any 2-2@2:29 | any: T
function make 3-3@3:4 | fn make() -> Result<Foo<u8>>
function pick 4-4@4:4 | fn pick<T>(a: T) -> T
method Foo.part~2 6-6@6:8 | fn part(&self) -> &Part
method Foo.again 7-7@7:8 | fn again(self) -> Option<Self>
method Foo.use_them 8-18@8:8 | fn use_them(&self)
2:23 type Part in Foo
3:14 type Result in make
3:21 type Foo in make
3:32 call todo in make
5:9 type Foo in Foo
6:24 type Part in Foo.part
6:37 use self.part in Foo.part
7:23 type Option in Foo.again
7:38 use None in Foo.again
9:14 call self.part in Foo.use_them
9:21 call <Part>.go in Foo.use_them
10:22 call self.part in Foo.use_them
11:11 call <Part>.go in Foo.use_them
12:14 call self.again in Foo.use_them
12:23 call <Foo>.part in Foo.use_them
12:30 call <Part>.go in Foo.use_them
13:14 call self.again in Foo.use_them
13:22 call <=Foo.again()>.part in Foo.use_them
14:14 use self.any in Foo.use_them
14:18 call <=Foo.any>.go in Foo.use_them
15:9 call make in Foo.use_them
15:17 use <Foo>.part in Foo.use_them
15:22 call <Part>.go in Foo.use_them
16:9 call pick in Foo.use_them
16:17 call <=pick()>.go in Foo.use_them
17:9 type Foo in Foo.use_them
17:14 call Foo/part in Foo.use_them
17:25 call <Part>.go in Foo.use_them
"#,
    );
}

#[test]
fn imports_are_flattened() {
    check_facts(
        r#"
use std::{fmt, io::{self, Read as R, *}};
pub use crate::a::b as c;
use super::{x::y, *};
use solo;
use a::B as _;
extern crate alloc as al;
mod child;
pub mod open;
mod tests {
    use super::*;
    use super::super::up;
    use self::inner::z;
    mod inner { use super::super::top; mod file; }
    fn f() { super::helper(); self::g(); crate::h(); use crate::late; }
}
"#,
        r#"
module tests 10-16@10:5 | mod tests
module tests.inner 14-14@14:9 | mod inner
function tests.f 15-15@15:8 | fn f()
import named std fmt as fmt @2
import module std::io as io @2
import named std::io Read as R @2
import star std::io @2
import named crate::a b as c reexported @3
import named super::x y as y @4
import star super @4
import module solo as solo @5
import named a B @6
import module alloc as al @7
import module self::child as child @8
import module self::open as open reexported @9
import star self @11
import named super up as up @12
import named self::tests::inner z as z @13
import named self top as top @14
import module self::tests::inner::file as file @14
import named crate late as late @15
15:21 call self/helper in tests.f
15:37 call self.tests/g in tests.f
15:49 call crate/h in tests.f
"#,
    );
}

#[test]
fn macros_are_scanned_for_calls_and_paths() {
    check_facts(
        r#"
fn f(local: u8) {
    println!("{} {local}", compute(local, other), self.x);
    vec![make(), a::b(x).method(y), Foo::new(LIMIT)];
    assert_eq!(local.len(), Shape::Dot, "text ( call( )");
    matches!(x, Shape::Line(_) if check!(x));
    a::custom!(Name, run(1), Other::Thing);
    tokio::select! { v = recv() => { handle(v) } }
}
"#,
        r#"
function f 2-9@2:4 | fn f(local: u8)
3:5 call println in f
3:28 call compute in f
3:56 use self.x in f
4:5 call vec in f
4:10 call make in f
4:21 call a/b in f
4:26 call <=a.b()>.method in f
4:37 type Foo in f
4:42 call Foo/new in f
4:46 use LIMIT in f
5:5 call assert_eq in f
5:22 call <u8>.len in f
5:29 type Shape in f
5:36 use Shape/Dot in f
6:5 call matches in f
6:17 type Shape in f
6:24 call Shape/Line in f
6:35 call check in f
7:8 call a/custom in f
7:16 use Name in f
7:22 call run in f
7:30 type Other in f
7:37 use Other/Thing in f
8:12 call tokio/select in f
8:26 call recv in f
8:38 call handle in f
"#,
    );
}

#[test]
fn tests_are_known_by_their_attributes() {
    check_facts(
        r#"
#[cfg(test)]
mod tests {
    #[test]
    fn plain() {}
    #[tokio::test(flavor = "x")]
    // why
    async fn waits() {}
    #[inline]
    fn helper() {}
}
"#,
        r#"
module tests 2-11@3:5 T | mod tests
function tests.plain 4-5@5:8 T | fn plain()
function tests.waits 6-8@8:14 T | async fn waits()
function tests.helper 9-10@10:8 | fn helper()
"#,
    );
}

#[test]
fn paths_in_attributes_are_followed() {
    let project = Fake::new(&[
        ("Cargo.toml", "[package]\nname = \"a\"\n"),
        (
            "src/lib.rs",
            "#[cfg_attr(unix, path = \"sys/unix.rs\")]\n#[cfg_attr(windows, path = \"sys/windows.rs\")]\nmod sys;\n\
             #[path = \"../generated/proto.rs\"] pub mod proto;\n",
        ),
        ("src/sys/unix.rs", "pub fn open() {}"),
        ("generated/proto.rs", ""),
    ]);
    let resolve = |module| project.resolve(&super::imports::RustImportRules, "src/lib.rs", module);
    assert_eq!(resolve("self::sys"), "src/sys/unix.rs");
    assert_eq!(resolve("crate::proto"), "generated/proto.rs");
}

#[test]
fn damaged_sources_give_facts_all_the_same() {
    let sample = "/// d\n#[test]\npub fn f(a: &Foo) -> é { let x = a::b::<T>(1)?; match x { Some(y) => y.z(), _ => {} } }\n\
        impl T for Foo { fn m(&self) { self.a.b(); vec![c(d)]; } }\nmod m { use super::{a, b::*}; }\n";
    render::torture(Lang::Rust, sample);
}

#[test]
fn paths_find_their_modules() {
    let project = Fake::new(&[
        ("Cargo.toml", "[workspace]\nmembers = [\n  \"one\",\n  \"two\"\n]\n"),
        (
            "one/Cargo.toml",
            "[package]\nname = \"crate-one\"\n[dependencies]\ncrate-two = { path = \"../two\" }\nserde = \"1\"\n",
        ),
        (
            "one/src/lib.rs",
            "mod a;\nmod b;\npub mod inline { pub mod deep {} }\npub use crate_two as second;",
        ),
        ("one/src/a.rs", "mod sub; pub enum Kind { X }"),
        ("one/src/a/sub.rs", ""),
        ("one/src/b/mod.rs", "mod leaf;"),
        ("one/src/b/leaf.rs", ""),
        ("one/src/bin/tool.rs", ""),
        ("one/tests/it.rs", ""),
        (
            "two/Cargo.toml",
            "[package]\nname = \"crate-two\"\n[lib]\nname = \"crate_two\"\npath = \"lib.rs\"\n",
        ),
        ("two/lib.rs", "pub mod x;"),
        ("two/x.rs", ""),
    ]);
    let resolve = |from, module| project.resolve(&super::imports::RustImportRules, from, module);
    assert_eq!(resolve("one/src/a/sub.rs", "crate"), "one/src/lib.rs");
    assert_eq!(resolve("one/src/a/sub.rs", "crate::b::leaf"), "one/src/b/leaf.rs");
    assert_eq!(resolve("one/src/a/sub.rs", "super"), "one/src/a.rs");
    assert_eq!(resolve("one/src/a/sub.rs", "super::super::b"), "one/src/b/mod.rs");
    assert_eq!(resolve("one/src/a.rs", "self::sub"), "one/src/a/sub.rs");
    assert_eq!(resolve("one/src/b/mod.rs", "leaf"), "one/src/b/leaf.rs");
    assert_eq!(resolve("one/src/a.rs", "crate::inline::deep"), "one/src/lib.rs#inline.deep");
    assert_eq!(resolve("one/src/b/mod.rs", "crate::a::Kind"), "one/src/a.rs#Kind");
    assert_eq!(resolve("one/src/b/mod.rs", "crate::a::missing"), "unknown");
    assert_eq!(resolve("one/src/a.rs", "crate_two::x"), "two/x.rs");
    assert_eq!(resolve("one/src/a.rs", "crate::second::x"), "two/x.rs");
    assert_eq!(resolve("one/tests/it.rs", "crate_one::a"), "one/src/a.rs");
    assert_eq!(resolve("one/src/bin/tool.rs", "crate_one::a"), "one/src/a.rs");
    assert_eq!(resolve("one/src/bin/tool.rs", "crate"), "one/src/bin/tool.rs");
    assert_eq!(resolve("two/x.rs", "crate_one::a"), "ext:crate_one");
    assert_eq!(resolve("one/src/a.rs", "std::fmt"), "ext:std");
    assert_eq!(resolve("one/src/a.rs", "serde"), "ext:serde");
}

#[test]
fn path_expressions_start_at_modules_or_in_scope() {
    let project = Fake::new(&[
        ("Cargo.toml", "[package]\nname = \"p\"\n[dependencies]\nserde = \"1\"\n"),
        ("src/main.rs", "mod net; use net::Conn; struct Local;"),
        ("src/net.rs", "pub struct Conn;"),
    ]);
    let path = |from, path| project.path_of(&super::imports::RustImportRules, from, path);
    assert_eq!(path("src/main.rs", "crate.net.Conn"), "src/net.rs 2");
    assert_eq!(path("src/net.rs", "super.Local"), "src/main.rs 1");
    assert_eq!(path("src/main.rs", "std.str"), "ext:std 1");
    assert_eq!(path("src/net.rs", "serde.de"), "ext:serde 1");
    assert_eq!(path("src/main.rs", "Conn"), "in scope");
    assert_eq!(path("src/main.rs", "Local"), "in scope");
}

#[test]
fn manifests_name_crates_members_and_dependencies() {
    let text = "[package]\nname = \"my-crate\" # c\n[lib]\npath = 'src/it.rs'\n[[bin]]\npath = \"a.rs\"\n\
        [workspace]\nmembers = [\"a\", \"b/*\"]\n[dependencies]\nserde = \"1\"\nold = { package = \"new\", version = \"1\" }\n\
        tokio.workspace = true\n[target.'cfg(unix)'.dependencies.rustix]\nversion = \"1\"\n";
    let mut facts = FactsBuilder::new(Lang::Manifest);
    super::read_cargo_toml(text, &mut facts);
    let facts = facts.finish();
    let pairs: Vec<String> =
        facts.manifest.iter().map(|(k, v)| format!("{} {}", facts.name(*k), facts.name(*v))).collect();
    let expected = [
        "package my-crate",
        "lib.path src/it.rs",
        "bin.path a.rs",
        "member a",
        "member b/*",
        "dependency serde",
        "dependency old=new",
        "dependency tokio",
        "dependency rustix",
    ];
    assert_eq!(pairs, expected);
}

const BUILDER: &str = "\
//- /Cargo.toml
[package]
name = \"a\"
//- /src/lib.rs
pub mod build;
pub mod other;
pub mod walk;
//- /src/build.rs
use crate::walk::Walk;
pub struct Builder { pub inner: Walk }
impl Builder {
    pub fn new() -> Builder { todo!() }
    pub fn hidden(&mut self) -> &mut Self { self }
    pub fn build(&self) -> Result<Walk, Error> { todo!() }
    pub fn threads(&self) -> Option<Walk> { None }
}
//- /src/walk.rs
pub struct Walk;
impl Walk { pub fn run(&self) {} }
//- /src/other.rs
pub struct Other;
impl Other { pub fn run(&self) {} pub fn hidden(&self) {} pub fn build(&self) {} }
";

/// Returns the edges that call `run` in a file beside [`BUILDER`]'s.
#[track_caller]
fn calls_of_run(body: &str) -> Vec<String> {
    let fixture =
        format!("{BUILDER}//- /src/uses.rs\nuse crate::build::Builder;\nfn go(b: &Builder) {{ {body} }}\n");
    let edges = crate::fixture::shown_uses(&crate::fixture::map(&fixture));
    edges.into_iter().filter(|edge| edge.starts_with("src/uses.rs") && edge.contains(".run")).collect()
}

#[test]
fn chains_of_calls_are_followed_through_other_files() {
    let walk = ["src/uses.rs#go calls src/walk.rs#Walk.run import"];
    assert_eq!(calls_of_run("Builder::new().hidden().build().unwrap().run();"), walk);
    assert_eq!(calls_of_run("let w = b.hidden().build()?; w.run();"), walk);
    assert_eq!(calls_of_run("b.inner.run();"), walk);
    assert_eq!(calls_of_run("assert!(b.hidden().build().unwrap().run());"), walk);
    // An option is no walk.
    assert!(!calls_of_run("b.threads().run();").iter().any(|edge| edge.ends_with("import")));
}
