//! Tests the facts that hob reads from Kotlin.

use crate::fixture::check_edges;
use crate::langs::lang::Lang;
use crate::langs::support::project::fake::Fake;
use crate::langs::support::render;

#[track_caller]
fn check_facts(source: &str, expected: &str) {
    render::check(Lang::Kotlin, source, expected);
}

#[test]
fn types_and_members_with_their_docs() {
    check_facts(
        r#"
@file:JvmName("X")
package a.b

import c.d.E
import c.d.F as G
import c.Foo.Companion.make
import q.*

/**
 * A thing.
 *
 * More.
 */
@Ann(1) data class Foo<T : Bar>(val x: Int, private val d: D = D(1), y: String) : Base<T>(x), IOne, p.ITwo {
    companion object : Factory {
        const val MAX = 1
        fun make(): Foo = Foo(1)
    }
    val name: String get() = "x"
    private lateinit var q: D
    val (left, right) = pair
    val lazily by lazy { D() }
    constructor(z: Int) : this(z, 1) { init() }
    init { val hidden = 1; run(hidden) }
    fun <T> T.within(): Int = this.foo()
    override suspend fun go(a: D, vararg b: String): D? { return null }
    abstract fun abs()
    enum class Kind(val i: Int) : IOne { ONE(1) { fun m() {} }, TWO; fun z() {} }
    inner class In
}
fun String.shout(): String = uppercase()
fun <K, V> Map<K, V>.second(): V? = null
fun <T> T.also2(): T = this
val List<Int>.total: Int get() = 1
fun top() = D()
typealias Al = Map<String, Foo>
object Single : Base() { fun f() {} }
sealed interface S : IOne { fun i(); val v: Int }
annotation class Tag(val v: Int)
const val K = 1
private operator fun Foo.plus(o: Foo) = o
class Checks { @Test fun `it works`() {} @org.junit.Test internal fun other() {} }
var made: D? = null
"#,
        r#"
package a.b
class Foo 15-31@15:20 E | data class Foo<T : Bar>(val x: Int, private val d: D = D(1), y: String) : Base<T>(x), IOne, p.ITwo | A thing.
field Foo.x 15-15@15:37 E | val x: Int
field Foo.d 15-15@15:57 | private val d: D
class Foo.Companion 16-19@16:15 E | companion object : Factory
constant Foo.MAX 17-17@17:19 E | const val MAX
method Foo.make 18-18@18:13 E | fun make(): Foo
field Foo.name 20-20@20:9 E | val name: String
field Foo.q 21-21@21:26 | private lateinit var q: D
field Foo.left 22-22@22:10 E | val (left
field Foo.right 22-22@22:16 E | val (left, right
field Foo.lazily 23-23@23:9 E | val lazily
method Foo.constructor 24-24@24:5 E | constructor(z: Int)
method Foo.within 26-26@26:15 E | fun <T> T.within(): Int
method Foo.go 27-27@27:26 E | override suspend fun go(a: D, vararg b: String): D?
method Foo.abs 28-28@28:18 ED | abstract fun abs()
enum Foo.Kind 29-29@29:16 E | enum class Kind(val i: Int) : IOne
field Foo.Kind.i 29-29@29:25 E | val i: Int
constant Foo.Kind.ONE 29-29@29:42 E | ONE(1) { fun m() {} }
method Foo.Kind.ONE.m 29-29@29:55 E | fun m()
constant Foo.Kind.TWO 29-29@29:65 E | TWO
method Foo.Kind.z 29-29@29:74 E | fun z()
class Foo.In 30-30@30:17 E | inner class In
method String.shout 32-32@32:12 E | fun String.shout(): String
method Map.second 33-33@33:22 E | fun <K, V> Map<K, V>.second(): V?
function also2 34-34@34:11 E | fun <T> T.also2(): T
field List.total 35-35@35:15 E | val List<Int>.total: Int
function top 36-36@36:5 E | fun top()
type_alias Al 37-37@37:11 E | typealias Al = Map<String, Foo>
class Single 38-38@38:8 E | object Single : Base()
method Single.f 38-38@38:30 E | fun f()
interface S 39-39@39:18 E | sealed interface S : IOne
method S.i 39-39@39:33 ED | fun i()
field S.v 39-39@39:42 E | val v: Int
class Tag 40-40@40:18 E | annotation class Tag(val v: Int)
field Tag.v 40-40@40:26 E | val v: Int
constant K 41-41@41:11 E | const val K
method Foo.plus 42-42@42:26 | private operator fun Foo.plus(o: Foo)
class Checks 43-43@43:7 E | class Checks
method Checks.it works 43-43@43:26 ET | fun `it works`()
method Checks.other 43-43@43:71 ET | internal fun other()
variable made 44-44@44:5 E | var made: D?
import named c.d E as E @5
import named c.d F as G @6
import named c.Foo make as make @7
import star q @8
2:7 call JvmName
15:2 call Ann in Foo
15:28 type Bar in Foo
15:40 type Int in Foo
15:60 type D in Foo
15:64 call D in Foo
15:73 type String in Foo
15:83 extends Base in Foo
15:91 use x in Foo
15:95 implements IOne in Foo
15:103 implements p/ITwo in Foo
16:24 implements Factory in Foo.Companion
18:21 type Foo in Foo.make
18:27 call Foo in Foo.make
20:15 type String in Foo.name
21:29 type D in Foo.q
22:25 use pair in Foo
23:19 call lazy in Foo.lazily
23:26 call D in Foo.lazily
24:20 type Int in Foo.constructor
24:40 call init in Foo.constructor
25:28 call run in Foo
26:25 type Int in Foo.within
26:36 call self.foo in Foo.within
27:32 type D in Foo.go
27:45 type String in Foo.go
27:54 type D in Foo.go
29:28 type Int in Foo.Kind
29:35 implements IOne in Foo.Kind
32:5 type String in String.shout
32:21 type String in String.shout
32:30 call uppercase in String.shout
33:12 type Map in Map.second
35:5 type List in List.total
35:10 type Int in List.total
35:22 type Int in List.total
36:13 call D in top
37:16 type Map in Al
37:20 type String in Al
37:28 type Foo in Al
38:17 extends Base in Single
39:22 extends IOne in S
39:45 type Int in S.v
40:29 type Int in Tag
42:22 type Foo in Foo.plus
42:34 type Foo in Foo.plus
43:17 call Test in Checks.it works
43:53 call org.junit/Test in Checks.other
44:11 type D in made
"#,
    );
}

#[test]
fn locals_hide_names_and_type_their_members() {
    check_facts(
        r#"
package a

class Foo(val d: D, plain: E) : Base() {
    fun make(): D = D()
    fun t(p: D, block: () -> Unit, text: String) {
        d.run(); this.d.go(helper(1), MAX); plain.x()
        Foo.bar(p); a.b.Q.baz(); Q.FIELD.call(); super.toString()
        val v = D(2); v.run(v.field)
        val helper = helper(2)
        helper.x; block()
        for (e: D in list) e.x()
        when (val o = find()) { is D -> o.run(); in 1..2 -> f(); else -> g() }
        list.map { it.x }.filter { q -> q.y }
        (p as E).run(); p to text; p?.part?.deep(); p!!.run()
        Foo::bar; ::make; D::class; p::run
        try { open() } catch (ex: MyError) { ex.handle() }
        val anon = object : Anon(), I { val inside = D(); override fun inner() { make(); this.hook(); inside.run() } }
        println("a $text ${p.name} $outer")
        call(name = 3, other = MAX)
        this@Foo.make().run(); make().run(); val made = make(); made.run()
        D.Nested(1).go(); val n = D.Nested(1); n.go()
        fun local(i: Int) = i
        local(1)
        text.shout(); text.length
        p.size = 3
        run outer@{ return@outer }
    }
}
fun String.twice() { this.shout(); length; helper() }
"#,
        r#"
package a
class Foo 4-29@4:7 E | class Foo(val d: D, plain: E) : Base()
field Foo.d 4-4@4:15 E | val d: D
method Foo.make 5-5@5:9 E | fun make(): D
method Foo.t 6-28@6:9 E | fun t(p: D, block: () -> Unit, text: String)
function Foo.t.inner 18-18@18:72 E | override fun inner()
function Foo.t.local 23-23@23:13 E | fun local(i: Int)
method String.twice 30-30@30:12 E | fun String.twice()
4:18 type D in Foo
4:28 type E in Foo
4:33 extends Base in Foo
5:17 type D in Foo.make
5:21 call D in Foo.make
6:14 type D in Foo.t
6:30 type Unit in Foo.t
6:42 type String in Foo.t
7:9 use d in Foo.t
7:11 call <D>.run in Foo.t
7:23 use self.d in Foo.t
7:25 call <D>.go in Foo.t
7:28 call helper in Foo.t
7:39 use MAX in Foo.t
7:51 call <E>.x in Foo.t
8:9 type Foo in Foo.t
8:13 call Foo/bar in Foo.t
8:25 type a.b/Q in Foo.t
8:27 call a.b.Q/baz in Foo.t
8:34 type Q in Foo.t
8:36 use Q/FIELD in Foo.t
8:42 call Q.FIELD/call in Foo.t
8:56 call super.toString in Foo.t
9:17 call D in Foo.t
9:25 call <D>.run in Foo.t
9:31 use <D>.field in Foo.t
10:22 call helper in Foo.t
12:17 type D in Foo.t
12:22 use list in Foo.t
12:30 call <D>.x in Foo.t
13:23 call find in Foo.t
13:36 type D in Foo.t
13:43 call ?.run in Foo.t
13:61 call f in Foo.t
13:74 call g in Foo.t
14:9 use list in Foo.t
14:14 call list/map in Foo.t
14:27 call ?.filter in Foo.t
15:15 type E in Foo.t
15:18 call ?.run in Foo.t
15:27 call <D>.to in Foo.t
15:39 use <D>.part in Foo.t
15:45 call ?.deep in Foo.t
15:57 call <D>.run in Foo.t
16:9 type Foo in Foo.t
16:14 use Foo/bar in Foo.t
16:21 use make in Foo.t
16:27 type D in Foo.t
16:40 use <D>.run in Foo.t
17:15 call open in Foo.t
17:35 type MyError in Foo.t
17:49 call <MyError>.handle in Foo.t
18:29 extends Anon in Foo.t
18:37 implements I in Foo.t
18:54 call D in Foo.t
18:82 call make in Foo.t.inner
18:95 call self.hook in Foo.t.inner
18:110 call <D>.run in Foo.t.inner
19:9 call println in Foo.t
19:30 use <D>.name in Foo.t
19:37 use outer in Foo.t
20:9 call call in Foo.t
20:32 use MAX in Foo.t
21:18 call <Foo>.make in Foo.t
21:25 call <D>.run in Foo.t
21:32 call make in Foo.t
21:39 call <D>.run in Foo.t
21:57 call make in Foo.t
21:70 call <D>.run in Foo.t
22:9 type D in Foo.t
22:11 call D/Nested in Foo.t
22:21 call <D.Nested>.go in Foo.t
22:35 type D in Foo.t
22:37 call D/Nested in Foo.t
22:50 call <D.Nested>.go in Foo.t
23:22 type Int in Foo.t.local
24:9 call local in Foo.t
25:14 call <String>.shout in Foo.t
25:28 use <String>.length in Foo.t
26:11 use <D>.size in Foo.t
27:9 call run in Foo.t
30:5 type String in String.twice
30:27 call self.shout in String.twice
30:36 use length in String.twice
30:44 call helper in String.twice
"#,
    );
}

#[test]
fn damaged_sources_give_facts_all_the_same() {
    let sample = "package a\nimport b.c\n/** d */\n@A(b = C.D) class F<T>(val x: Int) : G(), H {\n companion object { val y = 1 }\n \
        val d by lazy { D(1) }\n @Test fun T.m(é: D, vararg r: Int) = when (val q = d?.list()) { is X -> q.x { y -> y.z(::m) } else -> \"$q ${w}\" } }\n \
        enum class E { A, B { } }\n";
    render::torture(Lang::Kotlin, sample);
}

#[test]
fn imports_find_packages_types_and_functions() {
    let project = Fake::new(&[
        ("src/a/One.kt", "package a.b\nclass One { class Nested }\nfun top() {}"),
        ("src/a/Two.java", "package a.b; class Two {}"),
        ("src/Main.kt", "package a\nclass Main"),
    ]);
    let rules = &super::imports::KotlinImportRules;
    let resolve = |module| project.resolve(rules, "src/Main.kt", module);
    assert_eq!(resolve("a.b"), "[src/a/One.kt src/a/Two.java]");
    assert_eq!(resolve("a.b.One"), "src/a/One.kt#One");
    assert_eq!(resolve("a.b.One.Nested"), "src/a/One.kt#One.Nested");
    assert_eq!(resolve("a.b.Missing"), "unknown");
    assert_eq!(resolve("kotlin.collections"), "ext:kotlin.collections");
    assert_eq!(resolve("java.util.concurrent"), "ext:java.util");
    let path = |path| project.path_of(rules, "src/Main.kt", path);
    assert_eq!(path("a.b.One.make"), "[src/a/One.kt src/a/Two.java] 2");
    assert_eq!(path("java.util.List"), "ext:java.util 2");
    assert_eq!(path("One.Nested"), "in scope");
}

#[test]
fn names_find_packages_companions_and_extensions() {
    check_edges(
        "
//- /core/src/main/kotlin/shop/Model.kt
package shop.model
abstract class Entity { var id = 0; open fun save() {} }
interface Priced { fun price(): Int }
data class Order(val owner: Customer) : Entity(), Priced {
    override fun price() = total() + LIMIT
    override fun save() { super.save(); owner.notifyAll2(); id = 1 }
    fun total(): Int = price()
    companion object { const val LIMIT = 1; fun of(c: Customer): Order = Order(c) }
}
class Customer { fun notifyAll2() {} }
fun Customer.greet(): String = \"x\".loud()
fun String.loud(): String = this
fun helper() {}
//- /core/src/main/java/shop/Legacy.java
package shop.model;
public class Legacy { public static void old() { new Customer().notifyAll2(); } }
//- /away/src/Customer.kt
package away
class Customer { fun notifyAll2() {}; fun only() {} }
fun Customer.greet() {}
fun String.quiet() {}
class List { fun sorted2() {} }
//- /app/src/main/kotlin/Use.kt
package app
import shop.model.Order
import shop.model.Customer as Client
import shop.model.greet
import shop.model.helper as help
import shop.model.Legacy
import org.junit.Test
import java.util.List
class Use {
    @Test fun run(order: Order, client: Client, list: List) {
        order.total(); order.save(); order.owner.notifyAll2()
        client.greet(); client.notifyAll2()
        help(); Order.of(client).price(); Order.LIMIT
        Legacy.old(); list.sorted2()
        \"a\".quiet()
        away.Customer().only()
    }
}
//- /away/src/Test.kt
package other
annotation class Test
",
        "
app/src/main/kotlin/Use.kt#Use.run calls [away/src/Customer.kt#Customer.notifyAll2 core/src/main/kotlin/shop/Model.kt#Customer.notifyAll2] candidate
app/src/main/kotlin/Use.kt#Use.run calls [core/src/main/kotlin/shop/Model.kt#Priced.price core/src/main/kotlin/shop/Model.kt#Order.price] candidate
app/src/main/kotlin/Use.kt#Use.run calls away/src/Customer.kt#Customer import
app/src/main/kotlin/Use.kt#Use.run calls away/src/Customer.kt#Customer.only import
app/src/main/kotlin/Use.kt#Use.run calls core/src/main/java/shop/Legacy.java#Legacy.old import
app/src/main/kotlin/Use.kt#Use.run calls core/src/main/kotlin/shop/Model.kt#Customer.greet import
app/src/main/kotlin/Use.kt#Use.run calls core/src/main/kotlin/shop/Model.kt#Customer.notifyAll2 import
app/src/main/kotlin/Use.kt#Use.run calls core/src/main/kotlin/shop/Model.kt#Order.of import
app/src/main/kotlin/Use.kt#Use.run calls core/src/main/kotlin/shop/Model.kt#Order.save import
app/src/main/kotlin/Use.kt#Use.run calls core/src/main/kotlin/shop/Model.kt#Order.total import
app/src/main/kotlin/Use.kt#Use.run calls core/src/main/kotlin/shop/Model.kt#helper import
app/src/main/kotlin/Use.kt#Use.run calls kt:ext:java.util import
app/src/main/kotlin/Use.kt#Use.run calls kt:ext:org.junit import
app/src/main/kotlin/Use.kt#Use.run references core/src/main/java/shop/Legacy.java#Legacy import
app/src/main/kotlin/Use.kt#Use.run references core/src/main/kotlin/shop/Model.kt#Customer import
app/src/main/kotlin/Use.kt#Use.run references core/src/main/kotlin/shop/Model.kt#Order import
app/src/main/kotlin/Use.kt#Use.run references core/src/main/kotlin/shop/Model.kt#Order.LIMIT import
app/src/main/kotlin/Use.kt#Use.run references core/src/main/kotlin/shop/Model.kt#Order.owner import
app/src/main/kotlin/Use.kt#Use.run references kt:ext:java.util import
away/src/Customer.kt#Customer.greet references away/src/Customer.kt#Customer exact
core/src/main/java/shop/Legacy.java#Legacy.old calls core/src/main/kotlin/shop/Model.kt#Customer import
core/src/main/java/shop/Legacy.java#Legacy.old calls core/src/main/kotlin/shop/Model.kt#Customer.notifyAll2 import
core/src/main/kotlin/shop/Model.kt#Customer.greet calls core/src/main/kotlin/shop/Model.kt#String.loud exact
core/src/main/kotlin/shop/Model.kt#Customer.greet references core/src/main/kotlin/shop/Model.kt#Customer exact
core/src/main/kotlin/shop/Model.kt#Order extends core/src/main/kotlin/shop/Model.kt#Entity exact
core/src/main/kotlin/shop/Model.kt#Order implements core/src/main/kotlin/shop/Model.kt#Priced exact
core/src/main/kotlin/shop/Model.kt#Order references core/src/main/kotlin/shop/Model.kt#Customer exact
core/src/main/kotlin/shop/Model.kt#Order.of calls core/src/main/kotlin/shop/Model.kt#Order exact
core/src/main/kotlin/shop/Model.kt#Order.of references core/src/main/kotlin/shop/Model.kt#Customer exact
core/src/main/kotlin/shop/Model.kt#Order.of references core/src/main/kotlin/shop/Model.kt#Order exact
core/src/main/kotlin/shop/Model.kt#Order.price calls core/src/main/kotlin/shop/Model.kt#Order.total exact
core/src/main/kotlin/shop/Model.kt#Order.price references core/src/main/kotlin/shop/Model.kt#Order.LIMIT exact
core/src/main/kotlin/shop/Model.kt#Order.save calls core/src/main/kotlin/shop/Model.kt#Customer.notifyAll2 import
core/src/main/kotlin/shop/Model.kt#Order.save calls core/src/main/kotlin/shop/Model.kt#Entity.save exact
core/src/main/kotlin/shop/Model.kt#Order.save references core/src/main/kotlin/shop/Model.kt#Entity.id exact
core/src/main/kotlin/shop/Model.kt#Order.save references core/src/main/kotlin/shop/Model.kt#Order.owner exact
core/src/main/kotlin/shop/Model.kt#Order.total calls core/src/main/kotlin/shop/Model.kt#Order.price exact
",
    );
}
