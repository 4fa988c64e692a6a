//! Tests the facts that hob reads from Java.

use crate::langs::lang::Lang;
use crate::langs::support::project::fake::Fake;
use crate::langs::support::render;

#[track_caller]
fn check_facts(source: &str, expected: &str) {
    render::check(Lang::Java, source, expected);
}

#[test]
fn types_and_members_with_their_docs() {
    check_facts(
        r#"
package a.b.c;

import a.b.D;
import static x.Y.z;
import q.*;
import static m.N.*;

/**
 * A thing.
 *
 * More.
 */
@Ann(value = K.V)
public abstract class Foo<T extends Bar> extends Base<T> implements I1, p.I2<D> {
    private static final int MAX = 1, MIN;
    /** Held. */
    D d;
    static { init(); }
    public Foo(int x) { super(x); this.d = new D(x); }
    @Override @Nullable
    protected abstract T make(List<T> in) throws Failure;
    @org.junit.Test void checks() {}
    enum E implements I { ONE(1) { void f() {} }, TWO; void m() {} }
    interface In extends A, B { int K = 1; void i(); default void dd() { i(); } }
    record R(int a, D b) implements I { R { b.check(); } static void s() {} }
    @interface Tag { int v() default 1; }
    class Inner { class Deep {} }
}
"#,
        r#"
package a.b.c
class Foo 14-29@15:23 E | public abstract class Foo<T extends Bar> extends Base<T> implements I1, p.I2<D> | A thing.
constant Foo.MAX 16-16@16:30 | private static final int MAX
constant Foo.MIN 16-16@16:39 | private static final int MAX = 1, MIN
field Foo.d 18-18@18:7 E | D d | Held.
method Foo.Foo 20-20@20:12 E | public Foo(int x)
method Foo.make 21-22@22:26 ED | protected abstract T make(List<T> in) throws Failure
method Foo.checks 23-23@23:26 ET | void checks()
enum Foo.E 24-24@24:10 E | enum E implements I
constant Foo.E.ONE 24-24@24:27 E | ONE(1) { void f() {} }
method Foo.E.ONE.f 24-24@24:41 E | void f()
constant Foo.E.TWO 24-24@24:51 E | TWO
method Foo.E.m 24-24@24:61 E | void m()
interface Foo.In 25-25@25:15 E | interface In extends A, B
constant Foo.In.K 25-25@25:37 E | int K
method Foo.In.i 25-25@25:49 ED | void i()
method Foo.In.dd 25-25@25:67 E | default void dd()
struct Foo.R 26-26@26:12 E | record R(int a, D b) implements I
field Foo.R.a 26-26@26:18 E | int a
field Foo.R.b 26-26@26:23 E | D b
method Foo.R.R 26-26@26:41 E | R
method Foo.R.s 26-26@26:70 E | static void s()
interface Foo.Tag 27-27@27:16 E | @interface Tag
method Foo.Tag.v 27-27@27:26 ED | int v() default 1
class Foo.Inner 28-28@28:11 E | class Inner
class Foo.Inner.Deep 28-28@28:25 E | class Deep
import named a.b D as D @4
import named x.Y z as z @5
import star q @6
import star m.N @7
14:2 call Ann in Foo
14:6 call <Ann>.value in Foo
14:14 type K in Foo
14:16 use K/V in Foo
15:37 type Bar in Foo
15:50 extends Base in Foo
15:69 implements I1 in Foo
15:75 implements p/I2 in Foo
15:78 type D in Foo
18:5 type D in Foo
19:14 call init in Foo
20:40 use self.d in Foo.Foo
20:48 call D in Foo.Foo
21:6 call Override in Foo.make
21:16 call Nullable in Foo.make
22:31 type List in Foo.make
22:50 type Failure in Foo.make
23:16 call org.junit/Test in Foo.checks
24:23 implements I in Foo.E
25:26 extends A in Foo.In
25:29 extends B in Foo.In
25:74 call i in Foo.In.dd
26:21 type D in Foo.R
26:37 implements I in Foo.R
26:45 use b in Foo.R.R
26:47 call <D>.check in Foo.R.R
"#,
    );
}

#[test]
fn locals_hide_names_and_type_their_members() {
    check_facts(
        r#"
class Foo {
    void t(D p, String... rest) {
        d.run();
        this.d.go(foo(1), MAX);
        Foo.bar(rest);
        a.b.Q.baz();
        Q.FIELD.call();
        super.toString();
        var v = new D();
        v.run(v.field);
        int foo = foo(2);
        for (D e : list) e.x();
        try (R r = open()) { r.close(); } catch (IOException | E2 ex) { ex.p(); }
        Runnable l = (q) -> q.x();
        Function<A, B> m = D::go;
        m = this::t; m = D::new; m = p::run;
        if (o instanceof D dd) dd.run();
        switch (k) { case ALPHA -> f(); case D n -> n.run(); default -> g(); }
        new Anon() { D inside; void inner() { foo(); this.hook(); inside.run(); } };
        ((D) o).run();
        "x".length();
        label: while (true) { break label; }
        Foo.this.t(K.V.w);
        int[] array = {LIMIT};
        p.part.deep();
        java.util.List<String> names = java.util.List.of();
        make().run(); this.make().part.go(); var made = make(); made.run(); over(1).run();
    }
    D d;
    D make() { return null; }
    D over(int a) { return null; }
    E over(String a) { return null; }
}
"#,
        r#"
class Foo 2-34@2:7 E | class Foo
method Foo.t 3-29@3:10 E | void t(D p, String... rest)
method Foo.t.inner 20-20@20:37 E | void inner()
field Foo.d 30-30@30:7 E | D d
method Foo.make 31-31@31:7 E | D make()
method Foo.over 32-32@32:7 E | D over(int a)
method Foo.over~2 33-33@33:7 E | E over(String a)
3:12 type D in Foo.t
3:17 type String in Foo.t
4:9 use d in Foo.t
4:11 call <D>.run in Foo.t
5:14 use self.d in Foo.t
5:16 call <D>.go in Foo.t
5:19 call foo in Foo.t
5:27 use MAX in Foo.t
6:9 type Foo in Foo.t
6:13 call Foo/bar in Foo.t
7:13 type a.b/Q in Foo.t
7:15 call a.b.Q/baz in Foo.t
8:9 type Q in Foo.t
8:11 use Q/FIELD in Foo.t
8:17 call Q.FIELD/call in Foo.t
9:15 call super.toString in Foo.t
10:21 call D in Foo.t
11:11 call <D>.run in Foo.t
11:17 use <D>.field in Foo.t
12:19 call foo in Foo.t
13:14 type D in Foo.t
13:20 use list in Foo.t
13:28 call <D>.x in Foo.t
14:14 type R in Foo.t
14:20 call open in Foo.t
14:32 call <R>.close in Foo.t
14:50 type IOException in Foo.t
14:64 type E2 in Foo.t
14:76 call ?.p in Foo.t
15:9 type Runnable in Foo.t
15:31 call ?.x in Foo.t
16:9 type Function in Foo.t
16:18 type A in Foo.t
16:21 type B in Foo.t
16:28 type D in Foo.t
16:31 call D/go in Foo.t
17:19 call self.t in Foo.t
17:26 call D in Foo.t
17:41 call <D>.run in Foo.t
18:13 use o in Foo.t
18:26 type D in Foo.t
18:35 call <D>.run in Foo.t
19:17 use k in Foo.t
19:27 use ALPHA in Foo.t
19:36 call f in Foo.t
19:46 type D in Foo.t
19:55 call <D>.run in Foo.t
19:73 call g in Foo.t
20:13 call Anon in Foo.t
20:22 type D in Foo.t
20:47 call foo in Foo.t.inner
20:59 call ?.hook in Foo.t.inner
20:74 call <D>.run in Foo.t.inner
21:11 type D in Foo.t
21:14 use o in Foo.t
21:17 call <D>.run in Foo.t
22:13 call <String>.length in Foo.t
24:9 use Foo in Foo.t
24:18 call <Foo>.t in Foo.t
24:20 type K in Foo.t
24:22 use K/V in Foo.t
24:24 use K.V/w in Foo.t
25:24 use LIMIT in Foo.t
26:11 use <D>.part in Foo.t
26:16 call ?.deep in Foo.t
27:19 type java.util/List in Foo.t
27:24 type String in Foo.t
27:50 type java.util/List in Foo.t
27:55 call java.util.List/of in Foo.t
28:9 call make in Foo.t
28:16 call <D>.run in Foo.t
28:28 call self.make in Foo.t
28:35 use <D>.part in Foo.t
28:40 call ?.go in Foo.t
28:57 call make in Foo.t
28:70 call <D>.run in Foo.t
28:77 call over in Foo.t
28:85 call ?.run in Foo.t
30:5 type D in Foo
31:5 type D in Foo.make
32:5 type D in Foo.over
33:5 type E in Foo.over
33:12 type String in Foo.over
"#,
    );
}

#[test]
fn damaged_sources_give_facts_all_the_same() {
    let sample = "package a;\n/** d */\n@A(b = C.D) class F<T> extends G implements H {\n D d = new D(1) { int x; };\n \
        @Test void m(D... é) { for (var q : d.list()) { q.x(y -> y.z(this::m)); } }\n enum E { A, B { } } }\n";
    render::torture(Lang::Java, sample);
}

#[test]
fn imports_find_packages_and_types() {
    let project = Fake::new(&[
        ("src/a/b/One.java", "package a.b; class One { static class Nested {} }"),
        ("src/a/b/Two.java", "package a.b; class Two {}"),
        ("test/a/b/OneTest.java", "package a.b; class OneTest {}"),
        ("src/a/Main.java", "package a; class Main {}"),
    ]);
    let rules = &super::imports::JavaImportRules;
    let resolve = |module| project.resolve(rules, "src/a/Main.java", module);
    assert_eq!(resolve("a.b"), "[src/a/b/One.java src/a/b/Two.java test/a/b/OneTest.java]");
    assert_eq!(resolve("a.b.One"), "src/a/b/One.java#One");
    assert_eq!(resolve("a.b.One.Nested"), "src/a/b/One.java#One.Nested");
    assert_eq!(resolve("a.b.Missing"), "unknown");
    assert_eq!(resolve("java.util"), "ext:java.util");
    assert_eq!(resolve("org.junit.Assert"), "ext:org.junit");
    let path = |path| project.path_of(rules, "src/a/Main.java", path);
    assert_eq!(path("a.b.One"), "[src/a/b/One.java src/a/b/Two.java test/a/b/OneTest.java] 2");
    assert_eq!(path("java.util.List"), "ext:java.util 2");
    assert_eq!(path("One.Nested"), "in scope");
    assert_eq!(path("field.other"), "in scope");
}

#[test]
fn a_label_names_a_constant_of_what_is_switched() {
    crate::fixture::check_edges(
        "
//- /a/Color.java
package a;
enum Color { RED, GREEN, BLUE }
//- /a/Paint.java
package a;
class Paint {
  static final int RED = 1;
  int of(Color c) { switch (c) { case RED: return 1; default: return 2; } }
  int by(Color c) { return switch (c) { case GREEN, BLUE -> 1; default -> 2; }; }
  int on(int c) { switch (c) { case RED: return 1; default: return 2; } }
  int at(String c) { switch (c) { case RED: return 1; default: return 2; } }
}
",
        "a/Paint.java#Paint.at references a/Paint.java#Paint.RED exact
         a/Paint.java#Paint.by references a/Color.java#Color import
         a/Paint.java#Paint.by references a/Color.java#Color.BLUE import
         a/Paint.java#Paint.by references a/Color.java#Color.GREEN import
         a/Paint.java#Paint.of references a/Color.java#Color import
         a/Paint.java#Paint.of references a/Color.java#Color.RED import
         a/Paint.java#Paint.on references a/Paint.java#Paint.RED exact",
    );
}

#[test]
fn keys_of_annotations_are_methods_of_their_types() {
    crate::fixture::check_edges(
        "
//- /a/Route.java
package a;
@interface Route { String path(); int[] codes() default {}; }
//- /a/Shop.java
package a;
@Route(path = \"/x\", codes = {1, 2})
class Shop {
  @Route(path = Shop.P) void f() {}
  static final String P = \"p\";
}
",
        "a/Shop.java#Shop calls a/Route.java#Route import
         a/Shop.java#Shop calls a/Route.java#Route.codes import
         a/Shop.java#Shop calls a/Route.java#Route.path import
         a/Shop.java#Shop.f calls a/Route.java#Route import
         a/Shop.java#Shop.f calls a/Route.java#Route.path import
         a/Shop.java#Shop.f references a/Shop.java#Shop exact
         a/Shop.java#Shop.f references a/Shop.java#Shop.P exact",
    );
}

#[test]
fn method_references_type_parameters_and_inner_types_lead_to_members() {
    crate::fixture::check_edges(
        "
//- /a/Base.java
package a;
class Base { int size; int size() { return 1; } class Part { Part(int i) {} } static class Far { static void go() {} } }
//- /a/Use.java
package a;
class Use {
  <T extends Base> void f(T t, Base b) {
    t.size();
    g(Base::size);
    b.new Part(1);
    new Base.Far();
    if (b instanceof Base c) { c.size(); }
  }
}
//- /a/Mode.java
package a;
enum Mode { ON, OFF; String title; }
class Modes { String t() { return Mode.ON.title; } }
",
        "a/Mode.java#Modes.t references a/Mode.java#Mode exact
         a/Mode.java#Modes.t references a/Mode.java#Mode.ON exact
         a/Mode.java#Modes.t references a/Mode.java#Mode.title exact
         a/Use.java#Use.f calls a/Base.java#Base.Far import
         a/Use.java#Use.f calls a/Base.java#Base.Part import
         a/Use.java#Use.f calls a/Base.java#Base.size~2 import
         a/Use.java#Use.f references a/Base.java#Base import",
    );
}

#[test]
fn files_without_a_package_see_those_beside_them() {
    crate::fixture::check_edges(
        "
//- /a/Foo.java
class Foo { static void go() {} }
//- /a/Main.java
class Main { void f() { Foo.go(); } }
//- /b/Other.java
class Other { void f() { Foo.go(); } }
",
        "a/Main.java#Main.f calls a/Foo.java#Foo.go import
         a/Main.java#Main.f references a/Foo.java#Foo import
         b/Other.java#Other.f calls [a/Foo.java#Foo.go] candidate
         b/Other.java#Other.f references a/Foo.java#Foo name",
    );
}
