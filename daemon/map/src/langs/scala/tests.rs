//! Tests the facts that hob reads from Scala.

use crate::fixture::check_edges;
use crate::langs::lang::Lang;
use crate::langs::support::project::fake::Fake;
use crate::langs::support::render;

#[track_caller]
fn check_facts(source: &str, expected: &str) {
    render::check(Lang::Scala, source, expected);
}

#[test]
fn types_and_members_with_their_docs() {
    check_facts(
        r#"
package a.b
package c

import d.e.F
import d.e.{G, H => I, J as K, L => _, *}
import q._, r.S
import x.y.Z as W

/** A thing.
  *
  * More.
  */
@ann(1) case class Foo[T <: Bar](x: Int, private val d: D = new D(1))(implicit y: E) extends Base[T](x) with One with p.Two {
  type Al = Int
  val (left, right) = pair
  private[b] lazy val q: D = new D
  var v = new D(1)
  def this(z: Int) = this(z, 1)
  override def go(a: D, b: String*)(using c: C): D = { val inner = 1; a }
  def abs: Int
  private def hidden() = 1
}
object Foo extends J { val MAX = 1; implicit class Rich(x: Int) { def r = 1 }; def make: Foo = ??? }
class Plain(val shown: Int, unseen: D) { def u = unseen.run() }
trait T { self: D => def m(): Int; val n: Int }
enum Color(val rgb: Int) extends One { case Red extends Color(1); case Blue, Green; case Pt(x: Int); def m = 1 }
extension (s: String) def shout: String = s.toUpperCase
extension [A](xs: List[A])
  def second: A = xs.tail.head
given ord: Ordering[Foo] with
  def compare(a: Foo, b: Foo) = 1
given Show[Foo] = ???
def top(x: Int): Int =
  val y = x
  y
val constant = 1
type Alias = Map[String, Foo]
class MySuite extends munit.FunSuite {
  test("works") { check(1) }
}
class JUnit { @Test def checks() = 1 }
def +(a: Int) = 1
"#,
        r#"
package a.b.c
class Foo 14-23@14:20 E | case class Foo[T <: Bar](x: Int, private val d: D = new D(1))(implicit y: E) extends Base[T](x) with One with p.Two | A thing.
field Foo.x 14-14@14:34 E | x: Int
field Foo.d 14-14@14:54 | private val d: D
field Foo.y 14-14@14:80 E | y: E
type_alias Foo.Al 15-15@15:8 E | type Al = Int
field Foo.left 16-16@16:8 E | val (left
field Foo.right 16-16@16:14 E | val (left, right
field Foo.q 17-17@17:23 E | private[b] lazy val q: D
field Foo.v 18-18@18:7 E | var v
method Foo.this 19-19@19:7 E | def this(z: Int)
method Foo.go 20-20@20:16 E | override def go(a: D, b: String*)(using c: C): D
method Foo.abs 21-21@21:7 ED | def abs: Int
method Foo.hidden 22-22@22:15 | private def hidden()
class Foo~2 24-24@24:8 E | object Foo extends J
field Foo.MAX 24-24@24:28 E | val MAX
class Foo.Rich 24-24@24:52 E | implicit class Rich(x: Int)
method Foo.Rich.r 24-24@24:71 E | def r
method Foo.make 24-24@24:84 E | def make: Foo
class Plain 25-25@25:7 E | class Plain(val shown: Int, unseen: D)
field Plain.shown 25-25@25:17 E | val shown: Int
method Plain.u 25-25@25:46 E | def u
trait T 26-26@26:7 E | trait T
method T.m 26-26@26:26 ED | def m(): Int
field T.n 26-26@26:40 ED | val n: Int
enum Color 27-27@27:6 E | enum Color(val rgb: Int) extends One
field Color.rgb 27-27@27:16 E | val rgb: Int
constant Color.Red 27-27@27:45 E | Red extends Color(1)
constant Color.Blue 27-27@27:72 E | Blue
constant Color.Green 27-27@27:78 E | Green
class Color.Pt 27-27@27:90 E | Pt(x: Int)
field Color.Pt.x 27-27@27:93 E | x: Int
method Color.m 27-27@27:106 E | def m
function shout 28-28@28:27 E | def shout: String
function second 30-30@30:7 E | def second: A
class ord 31-32@31:7 E | given ord: Ordering[Foo] with
method ord.compare 32-32@32:7 E | def compare(a: Foo, b: Foo)
variable given_Show_Foo 33-33@33:7 E | given Show[Foo]
function top 34-36@34:5 E | def top(x: Int): Int
variable constant 37-37@37:5 E | val constant
type_alias Alias 38-38@38:6 E | type Alias = Map[String, Foo]
class MySuite 39-41@39:7 ET | class MySuite extends munit.FunSuite
class JUnit 42-42@42:7 E | class JUnit
method JUnit.checks 42-42@42:25 ET | def checks()
function + 43-43@43:5 E | def +(a: Int)
import star a.b @3
import named d.e F as F @5
import named d.e G as G @6
import named d.e H as I @6
import named d.e J as K @6
import star d.e @6
import star q @7
import named r S as S @7
import named x.y Z as W @8
14:2 call ann in Foo
14:29 type Bar in Foo
14:37 type Int in Foo
14:57 type D in Foo
14:65 call D in Foo
14:83 type E in Foo
14:94 extends Base in Foo
14:102 use x in Foo
14:110 implements One in Foo
14:121 implements p/Two in Foo
15:13 type Int in Foo.Al
16:23 use pair in Foo
17:26 type D in Foo.q
17:34 call D in Foo.q
18:15 call D in Foo.v
19:15 type Int in Foo.this
20:22 type D in Foo.go
20:28 type String in Foo.go
20:46 type C in Foo.go
20:50 type D in Foo.go
21:12 type Int in Foo.abs
24:20 extends J in Foo
24:60 type Int in Foo.Rich
24:90 type Foo in Foo.make
25:24 type Int in Plain
25:37 type D in Plain
25:57 call <D>.run in Plain.u
26:17 type D in T
26:31 type Int in T.m
26:43 type Int in T.n
27:21 type Int in Color
27:34 extends One in Color
27:57 extends Color in Color.Red
27:96 type Int in Color.Pt
28:15 type String
28:34 type String in shout
28:45 use <String>.toUpperCase in shout
29:19 type List
30:22 use <List>.tail in second
31:12 extends Ordering in ord
31:21 type Foo in ord
32:18 type Foo in ord.compare
32:26 type Foo in ord.compare
33:7 type Show in given_Show_Foo
33:12 type Foo in given_Show_Foo
34:12 type Int in top
34:18 type Int in top
38:14 type Map in Alias
38:18 type String in Alias
38:26 type Foo in Alias
39:29 extends munit/FunSuite in MySuite
40:3 call test in MySuite
40:19 call check in MySuite
42:16 call Test in JUnit.checks
43:10 type Int in +
"#,
    );
}

#[test]
fn locals_hide_names_and_type_their_members() {
    check_facts(
        r#"
package a

class Foo(d: D) extends Base {
  def make: D = new D
  val field = new E
  def t(p: D, list: List[D]): Unit = {
    d.run(); this.field.go(helper(1), MAX); field.x
    Foo.bar(p); a.b.Q.baz(); Q.FIELD.call(); super.go()
    val v = D(2); v.run(v.part)
    for (e <- list; n = e.n) yield e.x(n)
    p match { case q: D => q.run(); case Some(n) if n > 1 => n.x; case Foo(a, b) => a.z; case Limit => f(); case w @ Pt(_) => w.y }
    list.map(_.x).filter(e => e.y)
    list map convert
    p plus v
    s"a $p ${v.name}"
    val anon = new Anon with I { val z = new D; def k = z.run() }
    try open() catch { case e: MyError => e.handle() }
    p.asInstanceOf[E].go()
    call[E](name = MAX)
    D.Nested(1).go(); new D.Inner().go()
    val fn = (x: E, y) => x.go(y.z)
    make.run(); Foo.this.field.go()
    throw new Bad("x")
    import p._
    curried(1)(2)
    (p: E).go()
    def local(i: Int) = i
    local(1)
  }
}
"#,
        r#"
package a
class Foo 4-31@4:7 E | class Foo(d: D) extends Base
method Foo.make 5-5@5:7 E | def make: D
field Foo.field 6-6@6:7 E | val field
method Foo.t 7-30@7:7 E | def t(p: D, list: List[D]): Unit
method Foo.t.k 17-17@17:53 E | def k
function Foo.t.local 28-28@28:9 E | def local(i: Int)
import star ? @25
4:14 type D in Foo
4:25 extends Base in Foo
5:13 type D in Foo.make
5:21 call D in Foo.make
6:19 call E in Foo.field
7:12 type D in Foo.t
7:21 type List in Foo.t
7:26 type D in Foo.t
7:31 type Unit in Foo.t
8:7 call <D>.run in Foo.t
8:19 use self.field in Foo.t
8:25 call <E>.go in Foo.t
8:28 call helper in Foo.t
8:39 use MAX in Foo.t
8:45 use field in Foo.t
8:51 use <E>.x in Foo.t
9:5 type Foo in Foo.t
9:9 call Foo/bar in Foo.t
9:21 type a.b/Q in Foo.t
9:23 call a.b.Q/baz in Foo.t
9:30 type Q in Foo.t
9:32 use Q/FIELD in Foo.t
9:38 call Q.FIELD/call in Foo.t
9:52 call super.go in Foo.t
10:13 call D in Foo.t
10:21 call <D>.run in Foo.t
10:27 use <D>.part in Foo.t
11:38 call ?.x in Foo.t
12:23 type D in Foo.t
12:30 call <D>.run in Foo.t
12:42 type Some in Foo.t
12:72 type Foo in Foo.t
12:95 use Limit in Foo.t
12:104 call f in Foo.t
12:118 type Pt in Foo.t
13:10 call <List>.map in Foo.t
13:19 call ?.filter in Foo.t
14:10 call <List>.map in Foo.t
14:14 use convert in Foo.t
15:7 call <D>.plus in Foo.t
16:16 use <D>.name in Foo.t
17:20 call Anon in Foo.t
17:30 type I in Foo.t
17:46 call D in Foo.t
17:59 call <D>.run in Foo.t.k
18:9 call open in Foo.t
18:32 type MyError in Foo.t
18:45 call <MyError>.handle in Foo.t
19:7 use <D>.asInstanceOf in Foo.t
19:20 type E in Foo.t
19:23 call ?.go in Foo.t
20:5 call call in Foo.t
20:10 type E in Foo.t
20:20 use MAX in Foo.t
21:5 type D in Foo.t
21:7 call D/Nested in Foo.t
21:17 call <D.Nested>.go in Foo.t
21:29 call D/Inner in Foo.t
21:37 call <D.Inner>.go in Foo.t
22:18 type E in Foo.t
22:29 call <E>.go in Foo.t
23:5 use make in Foo.t
23:10 call <D>.run in Foo.t
23:17 use Foo in Foo.t
23:26 use <Foo>.field in Foo.t
23:32 call <E>.go in Foo.t
24:15 call Bad in Foo.t
26:5 call curried in Foo.t
27:9 type E in Foo.t
27:12 call <E>.go in Foo.t
28:18 type Int in Foo.t.local
29:5 call local in Foo.t
"#,
    );
}

#[test]
fn damaged_sources_give_facts_all_the_same() {
    let sample = "package a\nimport b.{c, D => E}\n/** d */\n@A(b = C.D) case class F[T](x: Int) extends G(1) with H {\n self: X =>\n \
        val d = new D(1) { val x = 2 }\n def m(é: D, r: Int*) = for (q <- d.list) yield q.x(y => y.z) match { case Some(w) => s\"$w ${v}\" } }\n \
        enum E { case A, B }\nextension (s: S)\n  def f = s\ngiven G[T] with\n  def x = 1\n";
    render::torture(Lang::Scala, sample);
}

#[test]
fn imports_find_packages_and_objects() {
    let project = Fake::new(&[
        ("src/One.scala", "package a.b\nclass One\nobject One { object Deep }"),
        ("src/Main.scala", "package a\nclass Main"),
    ]);
    let rules = &super::imports::ScalaImportRules;
    let resolve = |module| project.resolve(rules, "src/Main.scala", module);
    assert_eq!(resolve("a.b"), "[src/One.scala]");
    assert_eq!(resolve("b"), "[src/One.scala]");
    assert_eq!(resolve("b.One"), "src/One.scala#One");
    assert_eq!(resolve("_root_.b"), "ext:b");
    assert_eq!(resolve("scala.collection.mutable"), "ext:scala.collection");
    assert_eq!(resolve("?.universe"), "unknown");
    let path = |path| project.path_of(rules, "src/Main.scala", path);
    assert_eq!(path("b.One.make"), "[src/One.scala] 1");
    assert_eq!(path("java.util.List"), "ext:java.util 2");
    assert_eq!(path("One.make"), "in scope");
}

#[test]
fn names_find_packages_companions_and_extensions() {
    check_edges(
        "
//- /src/main/scala/shop/Model.scala
package shop
package model

abstract class Entity { def save(): Unit = () }
trait Priced { def price: Int }
case class Order(owner: Customer) extends Entity with Priced {
  def price: Int = total + Order.Limit
  override def save(): Unit = { super.save(); owner.ping() }
  def total: Int = price
}
object Order { val Limit = 1; def of(c: Customer): Order = Order(c) }
class Customer { def ping(): Unit = shopWide() }
object Syntax {
  implicit class CustomerOps(c: Customer) { def greet(): Unit = c.ping() }
  extension (s: String) def loud: String = s
}
//- /src/main/scala/shop/package.scala
package object shop { def shopWide(): Unit = () }
//- /src/main/scala/away/Customer.scala
package away
class Customer { def ping(): Unit = (); def only(): Unit = () }
object Other { implicit class Ops(s: String) { def quiet(): Unit = () } }
//- /src/main/scala/app/Use.scala
package app
import shop.model.{Order, Customer => Client}
import shop.model.Syntax._
import scala.collection.mutable
class Use(first: Client) {
  def run(order: Order, client: Client): Unit = {
    order.total; order.save(); first.ping()
    client.greet(); \"a\".loud
    Order.of(client).price
    val o = Order(client); o.save()
    order match { case Order(c) => c; case x: Client => x.ping() }
    \"b\".quiet()
    new away.Customer().only()
    mutable.Map()
  }
}
//- /src/main/scala/other/Map.scala
package other
class Map
",
        "
src/main/scala/app/Use.scala#Use references src/main/scala/shop/Model.scala#Customer import
src/main/scala/app/Use.scala#Use.run calls scala:ext:scala.collection import
src/main/scala/app/Use.scala#Use.run calls src/main/scala/away/Customer.scala#Customer import
src/main/scala/app/Use.scala#Use.run calls src/main/scala/away/Customer.scala#Customer.only import
src/main/scala/app/Use.scala#Use.run calls src/main/scala/shop/Model.scala#Customer.ping import
src/main/scala/app/Use.scala#Use.run calls src/main/scala/shop/Model.scala#Order import
src/main/scala/app/Use.scala#Use.run calls src/main/scala/shop/Model.scala#Order.of import
src/main/scala/app/Use.scala#Use.run calls src/main/scala/shop/Model.scala#Order.save import
src/main/scala/app/Use.scala#Use.run calls src/main/scala/shop/Model.scala#Syntax.CustomerOps.greet import
src/main/scala/app/Use.scala#Use.run references scala:ext:scala.collection import
src/main/scala/app/Use.scala#Use.run references src/main/scala/shop/Model.scala#Customer import
src/main/scala/app/Use.scala#Use.run references src/main/scala/shop/Model.scala#Order import
src/main/scala/app/Use.scala#Use.run references src/main/scala/shop/Model.scala#Order.total import
src/main/scala/app/Use.scala#Use.run references src/main/scala/shop/Model.scala#Syntax.loud import
src/main/scala/shop/Model.scala#Customer.ping calls src/main/scala/shop/package.scala#shopWide import
src/main/scala/shop/Model.scala#Order extends src/main/scala/shop/Model.scala#Entity exact
src/main/scala/shop/Model.scala#Order implements src/main/scala/shop/Model.scala#Priced exact
src/main/scala/shop/Model.scala#Order references src/main/scala/shop/Model.scala#Customer exact
src/main/scala/shop/Model.scala#Order.of calls src/main/scala/shop/Model.scala#Order exact
src/main/scala/shop/Model.scala#Order.of references src/main/scala/shop/Model.scala#Customer exact
src/main/scala/shop/Model.scala#Order.of references src/main/scala/shop/Model.scala#Order exact
src/main/scala/shop/Model.scala#Order.price references src/main/scala/shop/Model.scala#Order exact
src/main/scala/shop/Model.scala#Order.price references src/main/scala/shop/Model.scala#Order.Limit exact
src/main/scala/shop/Model.scala#Order.price references src/main/scala/shop/Model.scala#Order.total exact
src/main/scala/shop/Model.scala#Order.save calls src/main/scala/shop/Model.scala#Customer.ping import
src/main/scala/shop/Model.scala#Order.save calls src/main/scala/shop/Model.scala#Entity.save exact
src/main/scala/shop/Model.scala#Order.save references src/main/scala/shop/Model.scala#Order.owner exact
src/main/scala/shop/Model.scala#Order.total references src/main/scala/shop/Model.scala#Order.price exact
src/main/scala/shop/Model.scala#Syntax.CustomerOps references src/main/scala/shop/Model.scala#Customer exact
src/main/scala/shop/Model.scala#Syntax.CustomerOps.greet calls src/main/scala/shop/Model.scala#Customer.ping import
",
    );
}
