//! Tests the facts that hob reads from C++ alone; those that it shares with C are tested there.

use super::looks_like_cpp;
use crate::langs::lang::Lang;
use crate::langs::support::project::fake::Fake;
use crate::langs::support::render;

#[track_caller]
fn check_facts(source: &str, expected: &str) {
    render::check(Lang::Cpp, source, expected);
}

#[test]
fn classes_and_namespaces() {
    check_facts(
        r#"
#include <vector>
namespace a::b {
// A class.
class Foo : public Base, private ns::Other<int>, Tmpl<Foo> {
    int hidden_ = 0;
public:
    Foo(int x) : hidden_(x), Base(1) {}
    virtual ~Foo();
    virtual void f() = 0;
    static int count;
    /// Gets it.
    template<typename T> T get(T t) const { return t; }
    using It = std::vector<int>;
    enum class K { A, B };
    enum Plain { C };
    operator bool() const;
    Foo& operator=(const Foo&) = default;
    friend class Bar;
    inline void g() override;
    void (*callback)(int);
    struct Nested { int z; };
private:
    void secret();
};
namespace { int unseen; }
enum { LOOSE };
}
template <class T> struct Tm<T*> : X {};
class Later;
int a::b::Foo::count = 1;
void a::b::Foo::g() { f(); }
a::b::Foo::~Foo() {}
namespace a { namespace b { void Foo::secret() {} void free() {} } }
template <typename T> void Tm<T>::go() {}
bool operator==(const Foo& a, const Foo& b);
extern "C" { int c_function(void); }
using namespace std;
using std::string;
namespace fs = std::filesystem;
using Al = Foo;
template<typename T> concept Able = requires(T t) { t.x(); };
static constexpr int N = 3;
TEST(Suite, Name) { EXPECT_EQ(foo(), 1); }
class EXPORT_API Q final : public Z { public: void m(); int field; };
"#,
        r#"
module a 3-28@3:11 E | namespace a::b
module a.b 3-28@3:14 E | namespace a::b
class a.b.Foo 5-25@5:7 E | class Foo : public Base, private ns::Other<int>, Tmpl<Foo> | A class.
field a.b.Foo.hidden_ 6-6@6:9 | int hidden_ = 0
method a.b.Foo.Foo 8-8@8:5 E | Foo(int x)
method a.b.Foo.~Foo 9-9@9:13 ED | virtual ~Foo()
method a.b.Foo.f 10-10@10:18 ED | virtual void f() = 0
field a.b.Foo.count 11-11@11:16 E | static int count
method a.b.Foo.get 13-13@13:28 E | T get(T t) const | Gets it.
type_alias a.b.Foo.It 14-14@14:11 E | using It = std::vector<int>
enum a.b.Foo.K 15-15@15:16 E | enum class K
constant a.b.Foo.K.A 15-15@15:20 E | A
constant a.b.Foo.K.B 15-15@15:23 E | B
enum a.b.Foo.Plain 16-16@16:10 E | enum Plain
constant a.b.Foo.C 16-16@16:18 E | C
method a.b.Foo.operator bool 17-17@17:5 ED | operator bool() const
method a.b.Foo.operator= 18-18@18:10 E | Foo& operator=(const Foo&)
method a.b.Foo.g 20-20@20:17 ED | inline void g() override
field a.b.Foo.callback 21-21@21:12 E | void (*callback)(int)
struct a.b.Foo.Nested 22-22@22:12 E | struct Nested
field a.b.Foo.Nested.z 22-22@22:25 E | int z
method a.b.Foo.secret 24-24@24:10 D | void secret()
variable a.b.unseen 26-26@26:17 | int unseen
constant a.b.LOOSE 27-27@27:8 E | LOOSE
struct Tm 29-29@29:27 E | template <class T> struct Tm<T*> : X
class Later 30-30@30:7 ED | class Later
field a.b.Foo.count~2 31-31@31:16 E | int a::b::Foo::count
method a.b.Foo.g~2 32-32@32:17 E | void a::b::Foo::g()
method a.b.Foo.~Foo~2 33-33@33:12 E | a::b::Foo::~Foo()
module a~2 34-34@34:11 E | namespace a
module a.b~2 34-34@34:25 E | namespace b
method a.b.Foo.secret~2 34-34@34:39 E | void Foo::secret()
function a.b.free 34-34@34:56 E | void free()
method Tm.go 35-35@35:35 E | void Tm<T>::go()
function operator== 36-36@36:6 ED | bool operator==(const Foo& a, const Foo& b)
function c_function 37-37@37:18 ED | int c_function(void)
type_alias Al 41-41@41:7 E | using Al = Foo
trait Able 42-42@42:30 E | concept Able = requires(T t) { t.x(); }
constant N 43-43@43:22 | static constexpr int N
function Suite.Name 44-44@44:13 T | TEST(Suite, Name)
class Q 45-45@45:18 E | class EXPORT_API Q final : public Z
method Q.m 45-45@45:52 ED | void m()
field Q.field 45-45@45:61 E | int field
import star <vector> reexported @2
import star std reexported @38
import named std string as string reexported @39
import module std::filesystem as fs reexported @40
5:20 extends Base in a.b.Foo
5:34 use ns in a.b.Foo
5:38 extends ns/Other in a.b.Foo
5:50 extends Tmpl in a.b.Foo
5:55 type Foo in a.b.Foo
8:18 use hidden_ in a.b.Foo.Foo
8:30 use Base in a.b.Foo.Foo
14:21 type std/vector in a.b.Foo
18:5 type Foo in a.b.Foo.operator=
18:26 type Foo in a.b.Foo.operator=
19:18 type Bar in a.b.Foo
29:36 extends X in Tm
31:5 use a
31:8 use a/b
31:11 use a.b/Foo
32:6 use a
32:9 use a/b
32:12 use a.b/Foo
32:23 call f in a.b.Foo.g
33:1 use a
33:4 use a/b
33:7 use a.b/Foo
34:34 use Foo in a.b
35:28 use Tm
36:23 type Foo
36:37 type Foo
41:12 type Foo
42:55 call ?.x
44:1 call TEST
44:21 call EXPECT_EQ in Suite.Name
44:31 call foo in Suite.Name
45:35 extends Z in Q
"#,
    );
}

#[test]
fn locals_hide_names_and_type_their_members() {
    check_facts(
        r#"
struct Part { void go(); };
class Foo { Part part_; Part* next_; void run(); };
void Foo::run() {
    this->run();
    part_.go();
    this->next_->go();
    helper(part_);
    auto p = new ns::Foo(1);
    p->run();
    Foo q(1);
    q.run();
    auto r = Foo{1};
    r.run();
    auto s = std::make_unique<Foo>(LIMIT);
    s->run();
    auto l = [&, k = seed](int z) { return z + k + q.part_; };
    for (auto& e : items) { e.go(); }
    for (const Part& e : items) { e.go(); }
    std::vector<Foo> vs;
    vs.clear();
    ns::call<Part>(x);
    ns::Kind kind = ns::Kind::A;
    auto [a, b] = pair();
    if (auto it = find(a); it) { it->go(); }
    try { go(); } catch (const Error& e) { e.what(); }
    static_cast<Foo*>(b)->run();
    delete p;
    unknown().run();
}
"#,
        r#"
struct Part 2-2@2:8 E | struct Part
method Part.go 2-2@2:20 ED | void go()
class Foo 3-3@3:7 E | class Foo
field Foo.part_ 3-3@3:18 | Part part_
field Foo.next_ 3-3@3:31 | Part* next_
method Foo.run 3-3@3:43 D | void run()
method Foo.run~2 4-30@4:11 E | void Foo::run()
3:13 type Part in Foo
3:25 type Part in Foo
4:6 use Foo
5:11 call self.run in Foo.run
6:5 use part_ in Foo.run
6:11 call <Part>.go in Foo.run
7:11 use self.next_ in Foo.run
7:18 call <Part>.go in Foo.run
8:5 call helper in Foo.run
8:12 use part_ in Foo.run
9:18 use ns in Foo.run
9:22 call ns/Foo in Foo.run
10:8 call <ns.Foo>.run in Foo.run
11:5 type Foo in Foo.run
12:7 call <Foo>.run in Foo.run
13:14 call Foo in Foo.run
14:7 call <Foo>.run in Foo.run
15:19 call std/make_unique in Foo.run
15:31 type Foo in Foo.run
15:36 use LIMIT in Foo.run
16:8 call <Foo>.run in Foo.run
17:22 use seed in Foo.run
17:54 use <Foo>.part_ in Foo.run
18:20 use items in Foo.run
18:31 call ?.go in Foo.run
19:16 type Part in Foo.run
19:26 use items in Foo.run
19:37 call <Part>.go in Foo.run
20:10 type std/vector in Foo.run
20:17 type Foo in Foo.run
21:8 call <std.vector>.clear in Foo.run
22:5 use ns in Foo.run
22:9 call ns/call in Foo.run
22:14 type Part in Foo.run
22:20 use x in Foo.run
23:5 use ns in Foo.run
23:9 type ns/Kind in Foo.run
23:21 use ns in Foo.run
23:25 use ns/Kind in Foo.run
23:31 use ns.Kind/A in Foo.run
24:19 call pair in Foo.run
25:19 call find in Foo.run
25:38 call ?.go in Foo.run
26:11 call go in Foo.run
26:32 type Error in Foo.run
26:46 call <Error>.what in Foo.run
27:17 type Foo in Foo.run
27:27 call <Foo>.run in Foo.run
29:5 call unknown in Foo.run
29:15 call ?.run in Foo.run
"#,
    );
}

#[test]
fn damaged_sources_give_facts_all_the_same() {
    let sample = "namespace n { template <class T> class A : public B<T> { A() : x(1) {} int x; operator bool(); };\n\
        void A::f(T é) { auto y = new n::A<int>(); for (auto [a, b] : y->z()) { a.b::c<d>(); } } }\nTEST(A, B) {}\n";
    render::torture(Lang::Cpp, sample);
}

#[test]
fn namespaces_are_no_files() {
    let project = Fake::new(&[("src/a.cc", ""), ("include/lib/x.hpp", "")]);
    let resolve = |module| project.resolve(&super::CppImportRules, "src/a.cc", module);
    assert_eq!(resolve("\"lib/x.hpp\""), "include/lib/x.hpp");
    assert_eq!(resolve("std::chrono"), "ext:std");
    assert_eq!(resolve("lib::inner"), "unknown");
}

#[test]
fn headers_are_told_apart() {
    for cpp in [
        "#pragma once\n#include <vector>\n",
        "// c\nnamespace x {\n",
        "class Foo {\npublic:\n",
        "template <typename T>\nstruct A;\n",
        "inline std::string f();\n",
        "struct A {\n  virtual void f();\n};\n",
        "#ifdef __cplusplus\nextern \"C\" {\n#endif\nint f();\n#ifdef __cplusplus\n}\n#endif\nusing X = int;\n",
    ] {
        assert!(looks_like_cpp(cpp.as_bytes()), "{cpp}");
    }
    for c in [
        "",
        "#include <stdio.h>\nstruct class *class;\nint new(int public);\n",
        "/* namespace x {\n class Foo {\n*/\nint f(void);\n",
        "#ifdef __cplusplus\nextern \"C\" {\nclass Foo;\n#endif\nint f(void);\n",
        "#if defined(__cplusplus)\nnamespace x {}\n#else\nint f(void);\n#endif\n",
        "// class Foo {\nint x; // std::string\n",
    ] {
        assert!(!looks_like_cpp(c.as_bytes()), "{c}");
    }
}

#[test]
fn names_before_a_path_and_names_of_types_lead_on() {
    crate::fixture::check_edges(
        "
//- /shape.h
namespace geo {
class Shape { public: void draw(); static int count; template <class T> struct Tag { using type = T; }; };
typedef Shape Form;
}
//- /use.cc
#include \"shape.h\"
using geo::Shape;
using Alias = geo::Shape;
struct Derived : Alias { void f() { draw(); } };
int geo::Shape::count = 0;
template <class T> typename geo::Shape::Tag<T>::type g();
void use(Alias a, geo::Form *b) { a.draw(); b->draw(); Shape::count++; std::move(a); }
void there() { extern int far; far++; }
//- /far.cc
int far = 1;
",
        "shape.h#geo references shape.h#geo.Shape exact
         use.cc references shape.h#geo import
         use.cc references shape.h#geo.Shape import
         use.cc references shape.h#geo.Shape.Tag import
         use.cc references shape.h#geo.Shape.Tag.type import
         use.cc#Derived extends use.cc#Alias exact
         use.cc#Derived.f calls shape.h#geo.Shape.draw import
         use.cc#there references far.cc#far name
         use.cc#use calls shape.h#geo.Shape.draw import
         use.cc#use references shape.h#geo import
         use.cc#use references shape.h#geo.Form import
         use.cc#use references shape.h#geo.Shape import
         use.cc#use references shape.h#geo.Shape.count import
         use.cc#use references use.cc#Alias exact",
    );
}

#[test]
fn macros_mean_those_of_headers_until_the_file_has_its_own() {
    crate::fixture::check_edges(
        "
//- /m.h
#define SIZE 1
#define DOUBLE (SIZE + SIZE)
//- /m.cc
#include \"m.h\"
int first() { return SIZE; }
#undef SIZE
#define SIZE 2
int second() { return SIZE; }
",
        "m.cc references m.h#SIZE exact
         m.cc#first references m.h#SIZE exact
         m.cc#second references m.cc#SIZE exact
         m.h#DOUBLE references m.h#SIZE exact",
    );
}

#[test]
fn launches_of_kernels_are_calls() {
    crate::fixture::check_edges(
        "
//- /k.cu
#define __global__
namespace n { template <class T> __global__ void run(T *x) {} }
__global__ void step(int x) {}
int blocks();
void go(int *x) {
  step<<<blocks(), 1>>>(1);
  n::run<int><<<1, 1>>>(x);
}
",
        "k.cu references k.cu#__global__ exact
         k.cu#go calls k.cu#n.run import
         k.cu#go calls k.cu#step exact
         k.cu#go references k.cu#blocks exact
         k.cu#go references k.cu#n exact
         k.cu#n references k.cu#__global__ exact",
    );
}

#[test]
fn declarations_mean_the_body_with_their_parameters() {
    crate::fixture::check_edges(
        "
//- /f.h
struct A { void f(int x); void f(char x); };
void g();
//- /f.cc
#include \"f.h\"
void A::f(int x) {}
void A::f(char x) {}
void g() {}
//- /other.cc
#include \"f.h\"
void g(A *a) { a->f(1); a->f('c'); }
//- /use.cc
#include \"f.h\"
void use() { g(); }
",
        "f.cc references f.h#A import
         other.cc#g calls f.cc#A.f import
         other.cc#g calls f.cc#A.f~2 import
         other.cc#g references f.h#A import
         use.cc#use calls f.cc#g import",
    );
}
