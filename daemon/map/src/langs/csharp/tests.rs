//! Tests the facts that hob reads from C#, and the definitions that its references mean.

use crate::fixture::check_edges;
use crate::langs::lang::Lang;
use crate::langs::support::project::fake::Fake;
use crate::langs::support::render;

#[track_caller]
fn check_facts(source: &str, expected: &str) {
    render::check(Lang::CSharp, source, expected);
}

#[test]
fn types_and_members_with_their_docs() {
    check_facts(
        r#"
using System;
using Alias = A.B.Thing;
using static A.B.Helpers;
global using G.H;

namespace N.M
{
    /// <summary>
    /// A <see cref="Thing"/>.
    /// </summary>
    /// <typeparam name="T">What.</typeparam>
    [Serializable]
    public partial class Foo<T> : Base<T>, IOne, N.ITwo where T : class
    {
        private const int Max = 1, Min = 2;
        public static readonly D Zero = new D();
        public event EventHandler Changed;
        /// <summary>The name.</summary>
        public string Name { get; set; } = "x";
        int this[int i] => items[i];
        public Foo(int x) : base(x) { this.d = new D(x); }
        ~Foo() { }
        public static Foo<T> operator +(Foo<T> a, Foo<T> b) => a;
        public static implicit operator int(Foo<T> f) => 1;
        void IOne.Run() { }
        [Xunit.Fact] public async Task Checks() { int Local(int y) => y; Local(1); }
        protected abstract D Make(List<D> all);
        delegate void Handler(int a);
        internal static string Shout(this string s, params int[] rest) => s;
        private D d;
    }
    record Point(int X, D Y) : Shape(X);
    public record struct Pair(int A);
    interface ITwo : IOne { void Do(); int P { get; } }
    enum Color : byte { [Obsolete] Red = 1, Green }
    struct S { }
}
namespace Other { class Away { } }
"#,
        r#"
package N.M
class Foo 13-32@14:26 E | public partial class Foo<T> : Base<T>, IOne, N.ITwo where T : class | A Thing.
constant Foo.Max 16-16@16:27 | private const int Max
constant Foo.Min 16-16@16:36 | private const int Max = 1, Min
constant Foo.Zero 17-17@17:34 E | public static readonly D Zero
field Foo.Changed 18-18@18:35 E | public event EventHandler Changed
field Foo.Name 20-20@20:23 E | public string Name | The name.
field Foo.this[] 21-21@21:13 | int this[int i]
method Foo.Foo 22-22@22:16 E | public Foo(int x) : base(x)
method Foo.~Foo 23-23@23:10 | ~Foo()
method Foo.operator+ 24-24@24:30 E | public static Foo<T> operator +(Foo<T> a, Foo<T> b)
method Foo.operator int 25-25@25:32 E | public static implicit operator int(Foo<T> f)
method Foo.Run 26-26@26:19 E | void IOne.Run()
method Foo.Checks 27-27@27:40 ET | public async Task Checks()
function Foo.Checks.Local 27-27@27:55 | int Local(int y)
method Foo.Make 28-28@28:30 ED | protected abstract D Make(List<D> all)
type_alias Foo.Handler 29-29@29:23 | delegate void Handler(int a)
method Foo.Shout 30-30@30:32 E | internal static string Shout(this string s, params int[] rest)
field Foo.d 31-31@31:19 | private D d
struct Point 33-33@33:12 E | record Point(int X, D Y) : Shape(X)
field Point.X 33-33@33:22 E | int X
field Point.Y 33-33@33:27 E | D Y
struct Pair 34-34@34:26 E | public record struct Pair(int A)
field Pair.A 34-34@34:35 E | int A
interface ITwo 35-35@35:15 E | interface ITwo : IOne
method ITwo.Do 35-35@35:34 ED | void Do()
field ITwo.P 35-35@35:44 E | int P
enum Color 36-36@36:10 E | enum Color : byte
constant Color.Red 36-36@36:36 E | Red = 1
constant Color.Green 36-36@36:45 E | Green
struct S 37-37@37:12 E | struct S
module Other 39-39@39:11 E | namespace Other
class Other.Away 39-39@39:25 E | class Away
import star System @2
import named A.B Thing as Alias @3
import star A.B.Helpers @4
import star G.H reexported @5
13:6 call SerializableAttribute in Foo
14:35 extends Base in Foo
14:44 implements IOne in Foo
14:50 type N in Foo
14:52 implements N/ITwo in Foo
17:32 type D in Foo
17:45 call D in Foo
18:22 type EventHandler in Foo
21:28 use items in Foo.this[]
22:44 use self.d in Foo.Foo
22:52 call D in Foo.Foo
24:23 type Foo in Foo.operator+
24:41 type Foo in Foo.operator+
24:51 type Foo in Foo.operator+
25:45 type Foo in Foo.operator int
26:14 type IOne in Foo.Run
27:16 call Xunit/FactAttribute in Foo.Checks
27:35 type Task in Foo.Checks
27:74 call Local in Foo.Checks
28:28 type D in Foo.Make
28:35 type List in Foo.Make
28:40 type D in Foo.Make
31:17 type D in Foo
33:25 type D in Point
33:32 extends Shape in Point
35:22 extends IOne in ITwo
36:26 call ObsoleteAttribute in Color.Red
"#,
    );
}

#[test]
fn locals_hide_names_and_type_their_members() {
    check_facts(
        r#"
namespace N;
class Foo : Base
{
    D d;
    D Prop { get; }
    async Task<D> MakeAsync() { return null; }
    D Make() => null;
    void T(D p, Func<D> f, string text)
    {
        d.Run();
        this.d.Go(Helper(1), Max);
        Prop.Part.Deep();
        A.B.Q.Do();
        base.ToString();
        var v = new D { Size = 1, Other = p };
        v?.Run()?.Then();
        v!.Field = 3;
        foreach (D e in list) e.X();
        foreach (var (a, b) in pairs) a.Y();
        if (o is D dd && o is Shape { Size: 1 } k) { dd.Run(); k.Area(); }
        if (Try(out var got)) got.Z();
        Select(q => q.W(), (x, y) => x.V());
        Make().Run();
        var made = await MakeAsync();
        made.Run();
        ((D)o).Run(); (o as D).Run();
        text.Trim(); text.Shout();
        Gen<E>(typeof(F), nameof(Other), default(G));
        Call(name: Max);
        f();
        try { } catch (MyError ex) when (ex.Code == 1) { ex.Handle(); }
        switch (o) { case D m: m.Run(); break; case Color.Red: break; }
        var r = o switch { D n => n.Size, _ => 0 };
        var query = from item in items where item.Ok select item.Name;
        label: goto label;
        global::A.B.Z.Go(Prop.Size);
        N.Foo.Static();
    }
}
"#,
        r#"
package N
class Foo 3-40@3:7 E | class Foo : Base
field Foo.d 5-5@5:7 | D d
field Foo.Prop 6-6@6:7 | D Prop
method Foo.MakeAsync 7-7@7:19 | async Task<D> MakeAsync()
method Foo.Make 8-8@8:7 | D Make()
method Foo.T 9-39@9:10 | void T(D p, Func<D> f, string text)
3:13 extends Base in Foo
5:5 type D in Foo
6:5 type D in Foo.Prop
7:11 type Task in Foo.MakeAsync
7:16 type D in Foo.MakeAsync
8:5 type D in Foo.Make
9:12 type D in Foo.T
9:17 type Func in Foo.T
9:22 type D in Foo.T
11:9 use d in Foo.T
11:11 call <D>.Run in Foo.T
12:14 use self.d in Foo.T
12:16 call <D>.Go in Foo.T
12:19 call Helper in Foo.T
12:30 use Max in Foo.T
13:9 use Prop in Foo.T
13:14 use Prop/Part in Foo.T
13:19 call Prop.Part/Deep in Foo.T
14:9 use A in Foo.T
14:11 use A/B in Foo.T
14:13 use A.B/Q in Foo.T
14:15 call A.B.Q/Do in Foo.T
15:14 call super.ToString in Foo.T
16:21 call D in Foo.T
16:25 use <D>.Size in Foo.T
16:35 use <D>.Other in Foo.T
17:12 call <D>.Run in Foo.T
17:19 call ?.Then in Foo.T
19:18 type D in Foo.T
19:25 use list in Foo.T
19:33 call <D>.X in Foo.T
20:32 use pairs in Foo.T
20:41 call ?.Y in Foo.T
21:13 use o in Foo.T
21:18 type D in Foo.T
21:26 use o in Foo.T
21:31 type Shape in Foo.T
21:57 call <D>.Run in Foo.T
21:66 call <Shape>.Area in Foo.T
22:13 call Try in Foo.T
22:35 call ?.Z in Foo.T
23:9 call Select in Foo.T
23:23 call ?.W in Foo.T
23:40 call ?.V in Foo.T
24:9 call Make in Foo.T
24:16 call <D>.Run in Foo.T
25:26 call MakeAsync in Foo.T
26:14 call <D>.Run in Foo.T
27:11 type D in Foo.T
27:13 use o in Foo.T
27:16 call <D>.Run in Foo.T
27:24 use o in Foo.T
27:29 type D in Foo.T
27:32 call <D>.Run in Foo.T
28:14 call <string>.Trim in Foo.T
28:27 call <string>.Shout in Foo.T
29:9 call Gen in Foo.T
29:13 type E in Foo.T
29:23 type F in Foo.T
29:34 use Other in Foo.T
29:50 type G in Foo.T
30:9 call Call in Foo.T
30:20 use Max in Foo.T
32:24 type MyError in Foo.T
32:45 use <MyError>.Code in Foo.T
32:61 call <MyError>.Handle in Foo.T
33:17 use o in Foo.T
33:27 type D in Foo.T
33:34 call <D>.Run in Foo.T
33:53 use Color in Foo.T
33:59 use Color/Red in Foo.T
34:17 use o in Foo.T
34:28 type D in Foo.T
34:37 use <D>.Size in Foo.T
35:34 use items in Foo.T
37:17 use A in Foo.T
37:23 call ?.Go in Foo.T
37:26 use Prop in Foo.T
37:31 use <D>.Size in Foo.T
38:9 use N in Foo.T
38:11 use N/Foo in Foo.T
38:15 call N.Foo/Static in Foo.T
"#,
    );
}

#[test]
fn damaged_sources_give_facts_all_the_same() {
    let sample = "using A;\nnamespace N.M {\n/// <summary>d</summary>\n[A(B = C.D)] public partial class F<T> : G, IH where T : new() {\n \
        D d = new D(1) { X = 2 };\n public int this[int i] => i; public static F operator +(F a, F b) => a;\n \
        [Fact] void M(this D é, params int[] r) { foreach (var (q, w) in d?.List()) { q.X(y => y.Z(nameof(M))); } } }\n \
        enum E { A, B }\n#if X\nrecord R(int A);\n#endif\n}\n";
    render::torture(Lang::CSharp, sample);
}

#[test]
fn usings_find_namespaces_and_types() {
    let project = Fake::new(&[
        ("src/One.cs", "namespace A.B; class One { class Nested {} }"),
        ("src/Two.cs", "namespace A.B { class Two {} }"),
        ("src/Main.cs", "namespace A.C; class Main {}"),
    ]);
    let rules = &super::imports::Namespaces;
    let resolve = |module| project.resolve(rules, "src/Main.cs", module);
    assert_eq!(resolve("A.B"), "[src/One.cs src/Two.cs]");
    assert_eq!(resolve("B"), "[src/One.cs src/Two.cs]");
    assert_eq!(resolve("A.B.One"), "src/One.cs#One");
    assert_eq!(resolve("A.B.One.Nested"), "src/One.cs#One.Nested");
    assert_eq!(resolve("A.Missing"), "unknown");
    assert_eq!(resolve("System.Linq"), "ext:System.Linq");
    assert_eq!(resolve("Xunit"), "ext:Xunit");
    let path = |path| project.path_of(rules, "src/Main.cs", path);
    assert_eq!(path("A.B.One"), "[src/One.cs src/Two.cs] 2");
    assert_eq!(path("B.One"), "[src/One.cs src/Two.cs] 1");
    assert_eq!(path("System.IO.File"), "ext:System.IO 2");
    assert_eq!(path("One.Nested"), "in scope");
}

#[test]
fn names_find_their_namespaces_pieces_and_extensions() {
    check_edges(
        "
//- /src/GlobalUsings.cs
global using Shop.Common;
//- /src/Common.cs
namespace Shop.Common;
public static class Clock { public static int Now() => 1; }
//- /src/Base.cs
namespace Shop.Model;
public abstract class Entity { protected int Id; public virtual void Save() { } }
public interface IPriced { int Price(); }
//- /src/Order.cs
namespace Shop.Model;
public partial class Order : Entity, IPriced
{
    private Customer owner;
    public int Price() { return Total() + Clock.Now(); }
    public override void Save() { base.Save(); owner.Notify(); Id = 1; }
}
//- /src/Order.More.cs
namespace Shop.Model;
public partial class Order { internal int Total() => Price(); }
//- /src/Customer.cs
namespace Shop.Model;
public class Customer { public void Notify() { } public void Log(string s) { } }
//- /src/Extensions.cs
using Shop.Model;
namespace Shop.Tools;
public static class OrderExtensions
{
    public static void Ship(this Order order, string to) { to.Shout(); }
    public static string Shout(this string s) => s;
}
//- /src/Elsewhere.cs
namespace Away;
public class Customer { public void Notify() { } }
public static class Others { public static void Ship(this object o) { } }
//- /src/Use.cs
using System;
using Shop.Model;
using Shop.Tools;
using Far = Away.Customer;
namespace App.Main;
public class Program
{
    [Fact] public void Run(Order order, Far far)
    {
        order.Ship(\"x\"); order.Total(); far.Notify();
        Console.WriteLine(order.Price());
        var made = new Customer(); made.Notify();
        Shop.Model.Customer c = null;
        c?.Log(\"y\");
    }
}
public class FactAttribute : Attribute { }
//- /src/Console.cs
namespace Hidden.Deep;
public class Console { public static void WriteLine(int i) { } }
",
        "
src/Extensions.cs#OrderExtensions.Ship calls src/Extensions.cs#OrderExtensions.Shout exact
src/Extensions.cs#OrderExtensions.Ship references src/Order.cs#Order import
src/GlobalUsings.cs exports src/Common.cs import
src/Order.More.cs#Order.Total calls src/Order.cs#Order.Price import
src/Order.cs#Order extends src/Base.cs#Entity import
src/Order.cs#Order implements src/Base.cs#IPriced import
src/Order.cs#Order references src/Customer.cs#Customer import
src/Order.cs#Order.Price calls src/Common.cs#Clock.Now import
src/Order.cs#Order.Price calls src/Order.More.cs#Order.Total import
src/Order.cs#Order.Price references src/Common.cs#Clock import
src/Order.cs#Order.Save calls src/Base.cs#Entity.Save import
src/Order.cs#Order.Save calls src/Customer.cs#Customer.Notify import
src/Order.cs#Order.Save references src/Base.cs#Entity.Id import
src/Order.cs#Order.Save references src/Order.cs#Order.owner exact
src/Use.cs#Program.Run calls src/Customer.cs#Customer import
src/Use.cs#Program.Run calls src/Customer.cs#Customer.Log import
src/Use.cs#Program.Run calls src/Customer.cs#Customer.Notify import
src/Use.cs#Program.Run calls src/Elsewhere.cs#Customer.Notify import
src/Use.cs#Program.Run calls src/Extensions.cs#OrderExtensions.Ship import
src/Use.cs#Program.Run calls src/Order.More.cs#Order.Total import
src/Use.cs#Program.Run calls src/Order.cs#Order.Price import
src/Use.cs#Program.Run calls src/Use.cs#FactAttribute exact
src/Use.cs#Program.Run references src/Customer.cs#Customer import
src/Use.cs#Program.Run references src/Elsewhere.cs#Customer import
src/Use.cs#Program.Run references src/Order.cs#Order import
",
    );
}

#[test]
fn elements_of_sequences_have_their_types() {
    crate::fixture::check_edges(
        "
//- /Shop.cs
class Order { public void Ship() { } }
class Other { public void Ship() { } }
class Shop {
  Order[] all; List<Order> Later { get; set; } Dictionary<int, Other> by;
  void F(IEnumerable<Order>? given, Other given2) {
    var a = from o in all where o.Ship() select o;
    var b = from x in all join y in given on x equals y.Ship() select y;
    foreach (var o in this.Later) { o.Ship(); }
    foreach (var o in by) { o.Ship(); }
  }
  void G() { var made = new List<Other>(); foreach (var m in made) { m.Ship(); } }
}
",
        "Shop.cs#Shop references Shop.cs#Order exact
         Shop.cs#Shop references Shop.cs#Other exact
         Shop.cs#Shop.Later references Shop.cs#Order exact
         Shop.cs#Shop.F calls Shop.cs#Order.Ship import
         Shop.cs#Shop.F calls [Shop.cs#Order.Ship Shop.cs#Other.Ship] candidate
         Shop.cs#Shop.F references Shop.cs#Order exact
         Shop.cs#Shop.F references Shop.cs#Other exact
         Shop.cs#Shop.F references Shop.cs#Shop.Later exact
         Shop.cs#Shop.F references Shop.cs#Shop.all exact
         Shop.cs#Shop.F references Shop.cs#Shop.by exact
         Shop.cs#Shop.G calls Shop.cs#Other.Ship import
         Shop.cs#Shop.G references Shop.cs#Other exact",
    );
}

#[test]
fn types_in_the_head_of_an_operator_mean_themselves() {
    let map = crate::fixture::map(
        "
//- /M.cs
class Money { class Part { }
  public static Money operator +(Money a, Money b) => a;
  public static explicit operator Part(Money m) => null;
  static Money.Part F() => null;
}
",
    );
    let meant = |line, col, word| {
        let at = crate::locals::NamePlace { line, col };
        let name = crate::meaning::NameInFile { path: "M.cs", at, word };
        match map.meaning_at(name, None) {
            crate::meaning::Meaning::Nodes(nodes) => {
                nodes.first().and_then(|(node, _)| map.info(*node)).map(|info| info.name_at)
            }
            crate::meaning::Meaning::Local(_) => None,
        }
    };
    assert_eq!(meant(2, 34, "Money"), Some((1, 7)));
    assert_eq!(meant(3, 35, "Part"), Some((1, 21)));
    assert_eq!(meant(3, 26, "operator"), Some((3, 26)));
    assert_eq!(meant(4, 10, "Money"), Some((1, 7)));
}
