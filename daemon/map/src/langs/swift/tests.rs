//! Tests the facts that hob reads from Swift.

use crate::fixture::check_edges;
use crate::langs::lang::Lang;
use crate::langs::support::project::fake::Fake;
use crate::langs::support::render;

#[track_caller]
fn check_facts(source: &str, expected: &str) {
    render::check(Lang::Swift, source, expected);
}

#[test]
fn types_and_members_with_their_docs() {
    check_facts(
        r##"import Foundation
@testable import struct Core.Thing
@_exported import Sub
/// A thing.
///
/// More.
@MainActor public final class Foo<T: Bar>: Base<T>, P1, Core.P2 where T: Q {
    public static let shared = Foo()
    private(set) var x: Int = 1, y: [Item]?
    /// Computed.
    var comp: D { return make(1) }
    lazy var q: D = { D() }()
    var obs: Int = 0 { didSet { changed(oldValue, from: obs) } }
    init(x: Int, with d: D) throws { self.x = x; super.init(); d.run() }
    private convenience init?() { self.init(x: 1) }
    deinit { stop() }
    subscript(i: Int) -> D { get { list[i] } set { list[i] = newValue } }
    enum E: String, Codable { case a, b = "x"; case c(D, n: Int = limit); indirect case d(E) }
    static func == (l: Foo, r: Foo) -> Bool { l.x == r.x }
    typealias A = D.E
    @State private var st = D()
    fileprivate func hidden() {}
}
extension Foo: P3 { func ext() { hidden() } }
extension Core.Far where T == Int { func far() { self.near(); plain() }; struct Deep { func deep() {} } }
public protocol P: AnyObject, Q { associatedtype I: Z; var p: D { get set }; func m(_ x: I) -> Self; init(x: D) }
actor Act {}
struct S { let d: D }
infix operator <*>: Prec
func <*> (a: S, b: S) -> S { a }
let glob: D = D.shared, other = S()
var counter = 0
@freestanding(expression) public macro str(_ x: Int) -> String = #externalMacro(module: "M", type: "T")
class FooTests: XCTestCase { func testIt() { XCTAssert(true) }; func testing() {}; func testWith(x: Int) {} }
@Test("says") func says() { #expect(1 == one) }
"##,
        r##"
class Foo 7-23@7:31 E | public final class Foo<T: Bar>: Base<T>, P1, Core.P2 where T: Q | A thing.
field Foo.shared 8-8@8:23 E | public static let shared
field Foo.x 9-9@9:22 E | private(set) var x: Int
field Foo.y 9-9@9:34 E | private(set) var x: Int = 1, y: [Item]?
field Foo.comp 11-11@11:9 E | var comp: D | Computed.
field Foo.q 12-12@12:14 E | lazy var q: D
field Foo.obs 13-13@13:9 E | var obs: Int
method Foo.init 14-14@14:5 E | init(x: Int, with d: D) throws
method Foo.init~2 15-15@15:25 | private convenience init?()
method Foo.deinit 16-16@16:5 E | deinit
method Foo.subscript 17-17@17:5 E | subscript(i: Int) -> D
enum Foo.E 18-18@18:10 E | enum E: String, Codable
constant Foo.E.a 18-18@18:36 E | case a
constant Foo.E.b 18-18@18:39 E | case a, b
constant Foo.E.c 18-18@18:53 E | case c(D, n: Int = limit)
constant Foo.E.d 18-18@18:89 E | indirect case d(E)
method Foo.== 19-19@19:17 E | static func == (l: Foo, r: Foo) -> Bool
type_alias Foo.A 20-20@20:15 E | typealias A = D.E
field Foo.st 21-21@21:24 | private var st
method Foo.hidden 22-22@22:22 | fileprivate func hidden()
method Foo.ext 24-24@24:26 E | func ext()
method Far.far 25-25@25:42 E | func far()
struct Far.Deep 25-25@25:81 E | struct Deep
method Far.Deep.deep 25-25@25:93 E | func deep()
interface P 26-26@26:17 E | public protocol P: AnyObject, Q
type_alias P.I 26-26@26:50 ED | associatedtype I: Z
field P.p 26-26@26:60 ED | var p: D
method P.m 26-26@26:83 ED | func m(_ x: I) -> Self
method P.init 26-26@26:102 ED | init(x: D)
class Act 27-27@27:7 E | actor Act
struct S 28-28@28:8 E | struct S
field S.d 28-28@28:16 E | let d: D
function <*> 29-29@29:16 ED | infix operator <*>: Prec
function <*>~2 30-30@30:6 E | func <*> (a: S, b: S) -> S
constant glob 31-31@31:5 E | let glob: D
constant other 31-31@31:25 E | let glob: D = D.shared, other
variable counter 32-32@32:5 E | var counter
macro str 33-33@33:40 E | public macro str(_ x: Int) -> String
class FooTests 34-34@34:7 E | class FooTests: XCTestCase
method FooTests.testIt 34-34@34:35 ET | func testIt()
method FooTests.testing 34-34@34:70 E | func testing()
method FooTests.testWith 34-34@34:89 E | func testWith(x: Int)
function says 35-35@35:20 ET | func says()
import star Foundation @1
import named Core Thing as Thing @2
import star Sub reexported @3
7:2 call MainActor in Foo
7:38 type Bar in Foo
7:44 extends Base in Foo
7:53 implements P1 in Foo
7:57 type Core in Foo
7:62 implements Core/P2 in Foo
7:74 type Q in Foo
8:32 call Foo in Foo.shared
9:25 type Int in Foo
9:38 type Item in Foo
11:15 type D in Foo.comp
11:26 call make in Foo.comp
12:17 type D in Foo.q
12:23 call D in Foo.q
13:14 type Int in Foo.obs
13:33 call changed in Foo.obs
13:57 use obs in Foo.obs
14:13 type Int in Foo.init
14:26 type D in Foo.init
14:43 use self.x in Foo.init
14:56 call super.init in Foo.init
14:66 call <D>.run in Foo.init
15:40 call self.init in Foo.init
16:14 call stop in Foo.deinit
17:18 type Int in Foo.subscript
17:26 type D in Foo.subscript
17:36 use list in Foo.subscript
17:52 use list in Foo.subscript
18:13 implements String in Foo.E
18:21 implements Codable in Foo.E
18:55 type D in Foo.E
18:61 type Int in Foo.E
18:67 use limit in Foo.E
18:91 type E in Foo.E
19:24 type Foo in Foo.==
19:32 type Foo in Foo.==
19:40 type Bool in Foo.==
19:49 use <Foo>.x in Foo.==
19:56 use <Foo>.x in Foo.==
20:19 type D in Foo
20:21 type D/E in Foo
21:6 call State in Foo.st
21:29 call D in Foo.st
24:11 type Foo
24:16 implements P3 in Foo
24:34 call hidden in Foo.ext
25:11 type Core
25:16 type Core/Far
25:31 type Int
25:55 call self.near in Far.far
25:63 call plain in Far.far
26:20 extends AnyObject in P
26:31 extends Q in P
26:53 type Z in P
26:63 type D in P.p
26:90 type I in P.m
26:110 type D in P.init
28:19 type D in S.d
30:14 type S in <*>
30:20 type S in <*>
30:26 type S in <*>
31:11 type D
31:15 use D
31:17 use D/shared
31:33 call S
33:49 type Int in str
33:57 type String in str
34:17 extends XCTestCase in FooTests
34:46 call XCTAssert in FooTests.testIt
34:101 type Int in FooTests.testWith
35:2 call Test in says
35:30 call expect in says
35:42 use one in says
"##,
    );
}

#[test]
fn locals_hide_names_and_type_their_members() {
    check_facts(
        r##"class Foo: Base {
    var part: Part
    weak var delegate: Delegate?
    func make() -> D? { nil }
    static func build() -> Foo { Foo() }
    func t(_ p: D, cb: @escaping (A) -> B) async throws -> some P {
        let v = D(), w: E = .a
        v.run(); w.go(); p.step()
        if let z = v.opt, case .some(let u) = z { z.run(u) }
        if let delegate { delegate.call() }
        guard let v2 = v as? Other else { return }
        v2.run(); part.go(); self.part.go(); delegate?.call()
        for i in list where i.ok { i.x() }
        switch v { case .one(let n): n.y(); case let .two(m, k): m.y(k); case is E: break; default: use(v) }
        items.map { $0.run() }.filter { (q: D) -> Bool in q.run(); return true }
        do { try attempt() } catch let e as Failure { e.p() } catch { log(error) }
        let (c, d) = pair()
        Task { [weak self, cap = part] in self?.t(c); cap.go() }
        let arr = Foo<Int>(x: 1); arr.t(d)
        Foo.build().make()?.run(); Foo.shared.run(); Outer.Inner(x: 1).run(); Core.free()
        "a \(part.name) \(v)"
        label: while true { break label }
        let x = x(); x.run()
        arr[0].run(); part.list[1].run()
        func nested(_ p: Q) { p.x(); t() }
        nested(.init())
        return .success(v)
        Self.build(); Self(); make()?.run(); type(of: v)
        #selector(t(_:)); \Foo.part; super.t()
        let y: Foo.Type = Foo.self
        try await v.load()
        a.b = c.d
        x <*> y
    }
}
"##,
        r##"
class Foo 1-35@1:7 E | class Foo: Base
field Foo.part 2-2@2:9 E | var part: Part
field Foo.delegate 3-3@3:14 E | weak var delegate: Delegate?
method Foo.make 4-4@4:10 E | func make() -> D?
method Foo.build 5-5@5:17 E | static func build() -> Foo
method Foo.t 6-34@6:10 E | func t(_ p: D, cb: @escaping (A) -> B) async throws -> some P
function Foo.t.nested 25-25@25:14 E | func nested(_ p: Q)
1:12 extends Base in Foo
2:15 type Part in Foo.part
3:24 type Delegate in Foo.delegate
4:20 type D in Foo.make
5:28 type Foo in Foo.build
5:34 call Foo in Foo.build
6:17 type D in Foo.t
6:35 type A in Foo.t
6:41 type B in Foo.t
6:65 type P in Foo.t
7:17 call D in Foo.t
7:25 type E in Foo.t
7:30 use ?.a in Foo.t
8:11 call <D>.run in Foo.t
8:20 call <E>.go in Foo.t
8:28 call <D>.step in Foo.t
9:22 use <D>.opt in Foo.t
9:33 use ?.some in Foo.t
9:53 call ?.run in Foo.t
10:16 use delegate in Foo.t
10:36 call <Delegate>.call in Foo.t
11:30 type Other in Foo.t
12:12 call <Other>.run in Foo.t
12:19 use part in Foo.t
12:24 call <Part>.go in Foo.t
12:35 use self.part in Foo.t
12:40 call <Part>.go in Foo.t
12:46 use delegate in Foo.t
12:56 call <Delegate>.call in Foo.t
13:18 use list in Foo.t
13:31 use ?.ok in Foo.t
13:38 call ?.x in Foo.t
14:26 use ?.one in Foo.t
14:40 call ?.y in Foo.t
14:55 use ?.two in Foo.t
14:68 call ?.y in Foo.t
14:82 type E in Foo.t
14:101 call use in Foo.t
15:9 use items in Foo.t
15:15 call items/map in Foo.t
15:24 call ?.run in Foo.t
15:32 call ?.filter in Foo.t
15:45 type D in Foo.t
15:51 type Bool in Foo.t
15:61 call <D>.run in Foo.t
16:18 call attempt in Foo.t
16:45 type Failure in Foo.t
16:57 call ?.p in Foo.t
16:71 call log in Foo.t
17:22 call pair in Foo.t
18:9 call Task in Foo.t
18:34 use part in Foo.t
18:49 call self.t in Foo.t
18:59 call <Part>.go in Foo.t
19:19 call Foo in Foo.t
19:23 type Int in Foo.t
19:39 call <Foo>.t in Foo.t
20:9 use Foo in Foo.t
20:13 call Foo/build in Foo.t
20:21 call <Foo>.make in Foo.t
20:29 call <D>.run in Foo.t
20:36 use Foo in Foo.t
20:40 use Foo/shared in Foo.t
20:47 call Foo.shared/run in Foo.t
20:54 use Outer in Foo.t
20:60 call Outer/Inner in Foo.t
20:72 call <Outer.Inner>.run in Foo.t
20:79 use Core in Foo.t
20:84 call Core/free in Foo.t
21:14 use part in Foo.t
21:19 use <Part>.name in Foo.t
23:17 call x in Foo.t
23:24 call ?.run in Foo.t
24:16 call ?.run in Foo.t
24:23 use part in Foo.t
24:28 use <Part>.list in Foo.t
24:36 call ?.run in Foo.t
25:26 type Q in Foo.t.nested
25:33 call <Q>.x in Foo.t.nested
25:38 call t in Foo.t.nested
26:9 call nested in Foo.t
27:17 call ?.success in Foo.t
28:14 call self.build in Foo.t
28:23 call self.init in Foo.t
28:31 call make in Foo.t
28:39 call <D>.run in Foo.t
28:46 call type in Foo.t
29:19 call t in Foo.t
29:28 type Foo in Foo.t
29:32 use <Foo>.part in Foo.t
29:44 call super.t in Foo.t
30:16 type Foo in Foo.t
30:27 use Foo in Foo.t
31:21 call <D>.load in Foo.t
32:9 use a in Foo.t
32:11 use a/b in Foo.t
32:17 use ?.d in Foo.t
"##,
    );
}

#[test]
fn damaged_sources_give_facts_all_the_same() {
    let sample = "import A\n/// d\n@objc class F<T>: G, H {\n var d: D? = D(1) { didSet { x(oldValue) } }\n \
        @Test func m(_ é: D...) { if let q = d?.list, case .a(let z) = q { q.map { $0.x(z) } } }\n enum E { case a(B), b } }\n\
        extension F.E: P { subscript(i: Int) -> D { get { self[i] } } }\n";
    render::torture(Lang::Swift, sample);
}

#[test]
fn imports_find_targets_and_folders() {
    let project = Fake::new(&[
        (
            "Package.swift",
            r#"
let package = Package(name: "Kit", products: [.library(name: "Kit", targets: ["Kit"])], targets: [
    .target(name: "Kit", dependencies: [.target(name: "Core"), .product(name: "Log", package: "log")], path: "Source"),
    .target(name: "Core"), // .target(name: "Gone")
    .testTarget(name: "KitTests", dependencies: ["Kit"]),
])"#,
        ),
        ("Source/Kit.swift", "public struct Kit {}"),
        ("Source/Deep/More.swift", "struct More {}"),
        ("Sources/Core/Core.swift", "public struct Core {}"),
        ("Tests/KitTests/KitTests.swift", "import Kit\nimport Foundation"),
        ("Plain/Sources/Lib/Lib.swift", ""),
        ("Plain/Tests/LibTests/T.swift", ""),
        ("App/Main.swift", ""),
    ]);
    let rules = &super::imports::SwiftImportRules;
    let resolve = |module| project.resolve(rules, "Tests/KitTests/KitTests.swift", module);
    assert_eq!(resolve("Kit"), "[Source/Deep/More.swift Source/Kit.swift]");
    assert_eq!(resolve("Core"), "[Sources/Core/Core.swift]");
    assert_eq!(resolve("Foundation"), "ext:Foundation");
    assert_eq!(resolve("Gone"), "ext:Gone");
    assert_eq!(
        project.resolve(rules, "Plain/Tests/LibTests/T.swift", "Lib"),
        "[Plain/Sources/Lib/Lib.swift]"
    );
    let path = |path| project.path_of(rules, "Tests/KitTests/KitTests.swift", path);
    assert_eq!(path("Kit.Kit"), "[Source/Deep/More.swift Source/Kit.swift] 1");
    assert_eq!(path("Foundation.URL"), "ext:Foundation 1");
    assert_eq!(path("Other.Thing"), "in scope");
}

#[test]
fn a_module_is_one_name_space_and_an_extension_a_part_of_its_type() {
    check_edges(
        r#"
//- /Package.swift
let package = Package(name: "P", targets: [.target(name: "Core"), .target(name: "App", dependencies: ["Core"])])
//- /Sources/Core/Shape.swift
import Foundation
public protocol Shape { func area() -> Double }
extension Shape { public func describe() { area() } }
public class Base { public init() {} ; func inherited() {}; var queue = 1 }
public struct Data {}
func helper() {}
private func hidden() {}
//- /Sources/Core/Square.swift
import Foundation
public final class Square: Base, Shape {
    let side = Side()
    public func area() -> Double { helper(); hidden(); inherited(); side.measure(); return 1 }
}
//- /Sources/Core/Square+More.swift
extension Square { func more() { self.area(); describe(); helper() } }
extension String { func shout() {} }
extension OperationQueue { func go() { self.queue = 2 } }
struct Side { func measure() { "x".shout(); let s: String = make(); s.shout() } }
//- /Sources/App/main.swift
import Core
import Foundation
func helper() {}
func run(_ url: URL) { let square = Square(); square.more(); square.describe(); helper(); Core.helper(); url.path() }
"#,
        r#"
Sources/App/main.swift#run calls Sources/App/main.swift#helper exact
Sources/App/main.swift#run calls Sources/Core/Shape.swift#Shape.describe import
Sources/App/main.swift#run calls Sources/Core/Shape.swift#helper import
Sources/App/main.swift#run calls Sources/Core/Square+More.swift#Square.more import
Sources/App/main.swift#run calls Sources/Core/Square.swift#Square import
Sources/Core/Shape.swift references Sources/Core/Shape.swift#Shape exact
Sources/Core/Shape.swift#Shape.describe calls Sources/Core/Shape.swift#Shape.area exact
Sources/Core/Square+More.swift references Sources/Core/Square.swift#Square import
Sources/Core/Square+More.swift#OperationQueue.go references [Sources/Core/Shape.swift#Base.queue] candidate
Sources/Core/Square+More.swift#Side.measure calls Sources/Core/Square+More.swift#String.shout import
Sources/Core/Square+More.swift#Square.more calls Sources/Core/Shape.swift#Shape.describe import
Sources/Core/Square+More.swift#Square.more calls Sources/Core/Shape.swift#helper import
Sources/Core/Square+More.swift#Square.more calls Sources/Core/Square.swift#Square.area import
Sources/Core/Square.swift#Square extends Sources/Core/Shape.swift#Base import
Sources/Core/Square.swift#Square implements Sources/Core/Shape.swift#Shape import
Sources/Core/Square.swift#Square.area calls Sources/Core/Shape.swift#Base.inherited import
Sources/Core/Square.swift#Square.area calls Sources/Core/Shape.swift#helper import
Sources/Core/Square.swift#Square.area calls Sources/Core/Square+More.swift#Side.measure import
Sources/Core/Square.swift#Square.area references Sources/Core/Square.swift#Square.side exact
Sources/Core/Square.swift#Square.side calls Sources/Core/Square+More.swift#Side import
"#,
    );
}
