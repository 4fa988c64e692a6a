//! Tests the facts that hob reads from Python files.

use crate::langs::lang::Lang;
use crate::langs::support::render;

#[track_caller]
fn check_facts(source: &str, expected: &str) {
    render::check(Lang::Python, source, expected);
}

/// Compares the lines of references alone.
#[track_caller]
fn check_refs(source: &str, expected: &str) {
    let all = render::facts_of(Lang::Python, source);
    let got: Vec<&str> = all.lines().filter(|l| l.starts_with(|c: char| c.is_ascii_digit())).collect();
    let expected: Vec<&str> = expected.lines().map(str::trim).filter(|l| !l.is_empty()).collect();
    assert!(got == expected, "references differ; got:\n{}\n", got.join("\n"));
}

mod definitions {
    use super::check_facts;

    #[test]
    fn classes_functions_and_what_they_hold() {
        check_facts(
            r#"
class Outer:
    """Doc of Outer,
    first paragraph.

    Second."""

    size = 3

    def method(self, a, *, b=1):
        'Does.'
        def nested(): pass
        class Local: x = 1

    class Inner: pass

async def run(
    a,
): pass

def _private(): pass
"#,
            "class Outer 2-15@2:7 E | class Outer | Doc of Outer, first paragraph.
             field Outer.size 8-8@8:5 E | size = 3
             method Outer.method 10-13@10:9 E | def method(self, a, *, b=1) | Does.
             function Outer.method.nested 12-12@12:13 | def nested()
             class Outer.method.Local 13-13@13:15 | class Local
             field Outer.method.Local.x 13-13@13:22 | x = 1
             class Outer.Inner 15-15@15:11 E | class Inner
             function run 17-19@17:11 E | async def run(a)
             function _private 21-21@21:5 | def _private()",
        );
    }

    #[test]
    fn decorators_belong_to_the_range() {
        check_facts(
            "
@dataclass
@mod.other(1)
class A:
    @property
    def x(self): ...
    @x.setter
    def x(self, v): ...
",
            "class A 2-8@4:7 E | class A
             method A.x 5-6@6:9 E | def x(self)
             method A.x~2 7-8@8:9 E | def x(self, v)
             2:2 call dataclass in A
             3:2 use mod in A
             3:6 call mod/other in A
             5:6 call property in A.x
             7:6 use self.x in A.x
             7:8 call ?.setter in A.x",
        );
    }

    #[test]
    fn variables_of_the_module() {
        check_facts(
            "
LIMIT = 10
_hidden = None
a, (b, *c) = f()
d = e = 1
count: int
RATE: Final = 2
Alias: TypeAlias = 'Foo'
type Vec[T] = list[T]
LIMIT = 11
if x:
    inside = 1
for i in it: pass
with open(p) as handle: pass
if (found := look()): pass
table = {
    'a': 1,
}
",
            "constant LIMIT 2-2@2:1 E | LIMIT = 10
             variable _hidden 3-3@3:1 | _hidden = None
             variable a 4-4@4:1 E | a, (b, *c) = f()
             variable b 4-4@4:5 E | a, (b, *c) = f()
             variable c 4-4@4:9 E | a, (b, *c) = f()
             variable d 5-5@5:1 E | d = e = 1
             variable e 5-5@5:5 E | e = 1
             variable count 6-6@6:1 E | count: int
             constant RATE 7-7@7:1 E | RATE: Final = 2
             type_alias Alias 8-8@8:1 E | Alias: TypeAlias = 'Foo'
             type_alias Vec 9-9@9:6 E | type Vec[T] = list[T]
             variable inside 12-12@12:5 E | inside = 1
             variable i 13-13@13:5 E | i
             variable handle 14-14@14:17 E | handle
             variable found 15-15@15:5 E | found := look()
             variable table 16-18@16:1 E | table = {
             4:14 call f
             6:8 type int
             7:7 type Final
             8:8 type TypeAlias
             9:15 type list
             11:4 use x
             13:10 use it
             14:6 call open
             14:11 use p
             15:14 call look",
        );
    }

    #[test]
    fn fields_once_each_wherever_they_are_assigned() {
        check_facts(
            "
class A:
    kind = 1
    def __init__(self, n):
        self.n = n
        self.kind = 2
        self.a, self.b = n
    def name(self): ...
    def reset(this):
        this.n = 0
        this.late: int = 1
        this.name = 2
        def inner(): this.hidden = 1
    @staticmethod
    def make(x): x.y = 1
",
            "class A 2-15@2:7 E | class A
             field A.kind 3-3@3:5 E | kind = 1
             method A.__init__ 4-7@4:9 E | def __init__(self, n)
             field A.n 5-5@5:14 E | self.n = n
             field A.a 7-7@7:14 E | self.a, self.b = n
             field A.b 7-7@7:22 E | self.a, self.b = n
             method A.name 8-8@8:9 E | def name(self)
             method A.reset 9-13@9:9 E | def reset(this)
             field A.late 11-11@11:14 E | this.late: int = 1
             function A.reset.inner 13-13@13:13 | def inner()
             method A.make 14-15@15:9 E | def make(x)
             6:14 use self.kind in A.__init__
             10:14 use self.n in A.reset
             11:20 type int in A.reset
             12:14 use self.name in A.reset
             13:27 use self.hidden in A.reset.inner
             14:6 call staticmethod in A.make
             15:20 use ?.y in A.make",
        );
    }

    #[test]
    fn special_classes() {
        check_facts(
            "
class Color(enum.Enum):
    RED = 1
class Reader(Protocol):
    def read(self) -> int: ...
class Base(ABC):
    @abstractmethod
    def go(self): ...
",
            "enum Color 2-3@2:7 E | class Color(enum.Enum)
             constant Color.RED 3-3@3:5 E | RED = 1
             interface Reader 4-5@4:7 E | class Reader(Protocol)
             method Reader.read 5-5@5:9 ED | def read(self) -> int
             class Base 6-8@6:7 E | class Base(ABC)
             method Base.go 7-8@8:9 ED | def go(self)
             2:13 use enum in Color
             2:18 extends enum/Enum in Color
             4:14 extends Protocol in Reader
             5:23 type int in Reader.read
             6:12 extends ABC in Base
             7:6 call abstractmethod in Base.go",
        );
    }

    #[test]
    fn overloads_are_one_with_their_implementation() {
        check_facts(
            "
@overload
def f(a: int) -> A: ...
@overload
def f(a: str) -> B: ...
def f(a):
    'Doc.'
    return g(a)
class K:
    @typing.overload
    def m(self): ...
    @typing.overload
    def m(self, a): ...
",
            "function f 6-8@6:5 E | def f(a) | Doc.
             class K 9-13@9:7 E | class K
             method K.m 10-11@11:9 ED | def m(self)
             2:2 call overload in f
             3:10 type int in f
             3:18 type A in f
             4:2 call overload in f
             5:10 type str in f
             5:18 type B in f
             8:12 call g in f
             10:6 use typing in K.m
             10:13 call typing/overload in K.m
             12:6 use typing in K.m
             12:13 call typing/overload in K.m",
        );
    }

    #[test]
    fn tests_by_convention() {
        check_facts(
            "
def test_it(): pass
def testing(): pass
class TestThing:
    def test_a(self): pass
    def helper(self): pass
class TestClient:
    def get(self): pass
class Case(unittest.TestCase):
    def testOld(self): pass
",
            "function test_it 2-2@2:5 ET | def test_it()
             function testing 3-3@3:5 E | def testing()
             class TestThing 4-6@4:7 ET | class TestThing
             method TestThing.test_a 5-5@5:9 ET | def test_a(self)
             method TestThing.helper 6-6@6:9 E | def helper(self)
             class TestClient 7-8@7:7 E | class TestClient
             method TestClient.get 8-8@8:9 E | def get(self)
             class Case 9-10@9:7 ET | class Case(unittest.TestCase)
             method Case.testOld 10-10@10:9 ET | def testOld(self)
             9:12 use unittest in Case
             9:21 extends unittest/TestCase in Case",
        );
    }

    #[test]
    fn a_name_that_is_a_definition_or_import_is_not_a_variable_too() {
        check_facts(
            "
try:
    import json
except ImportError:
    json = None
def f(): pass
f = wrap(f)
",
            "function f 6-6@6:5 E | def f()
             import module json as json reexported @3
             4:8 use ImportError
             7:5 call wrap
             7:10 use f",
        );
    }
}

mod imports {
    use super::check_facts;

    #[test]
    fn every_binding() {
        check_facts(
            "
import os, a.b.c
import a.b as ab
from ..pkg.mod import name as local, other
from . import (sub,)
from x import *
from __future__ import annotations
if TYPE_CHECKING:
    from y import T
def f():
    import json
",
            "function f 10-11@10:5 E | def f()
             import module os as os reexported @2
             import module a as a reexported @2
             import effect a.b.c reexported @2
             import module a.b as ab reexported @3
             import named ..pkg.mod name as local reexported @4
             import named ..pkg.mod other as other reexported @4
             import named . sub as sub reexported @5
             import star x reexported @6
             import named __future__ annotations as annotations reexported @7
             import named y T as T reexported @9
             import module json as json @11
             8:4 use TYPE_CHECKING",
        );
    }
}

mod references {
    use super::check_refs;

    #[test]
    fn calls_and_their_receivers() {
        check_refs(
            "
f(g)
os.path.join(a)
class A(B):
    def m(self, x, y: Foo):
        self.n()
        type(self).n()
        self.__class__.n()
        super().m()
        x.n()
        y.n()
        y.z.n()
        Foo().n()
        x().n()
        ', '.join(x)
        f(key=x)
    @classmethod
    def c(cls): cls.n()
",
            "2:1 call f
             2:3 use g
             3:1 use os
             3:4 use os/path
             3:9 call os.path/join
             3:14 use a
             4:9 extends B in A
             5:23 type Foo in A.m
             6:14 call self.n in A.m
             7:9 call type in A.m
             7:20 call self.n in A.m
             8:14 use self.__class__ in A.m
             8:24 call self.n in A.m
             9:9 call super in A.m
             9:17 call super.m in A.m
             10:11 call ?.n in A.m
             11:11 call <Foo>.n in A.m
             12:11 use <Foo>.z in A.m
             12:13 call <=Foo().z>.n in A.m
             13:9 call Foo in A.m
             13:15 call <Foo>.n in A.m
             14:13 call ?.n in A.m
             15:14 call <str>.join in A.m
             16:9 call f in A.m
             17:6 call classmethod in A.c
             18:21 call self.n in A.c",
        );
    }

    #[test]
    fn locals_are_not_recorded_wherever_they_are_bound() {
        check_refs(
            "
def f(a, (b, c), *args, d=1, **kw):
    early
    for e, (g, h) in a: e, g, h
    with a as i, b as (j, k): i, j, k
    try: pass
    except E as m: m
    [n for n in a if n]
    {o: p for o, p in a}
    lambda q, *r, s=a: (q, r, s)
    if (t := a): t
    early = 1
    match a:
        case P(x=u) | [v, *w]: u, v, w
        case {'k': y, **z}: y, z
        case mod.C as aa: aa
    args, d, kw, c
    n
def g():
    global h
    h = 1
    def inner():
        nonlocal i
        i = 2
        return i
    i = 1
    inner(i)
",
            "7:12 use E in f
             14:14 use P in f
             16:14 use mod in f
             16:18 use mod/C in f
             18:5 use n in f
             21:5 use h in g
             27:5 call inner in g",
        );
    }

    #[test]
    fn types_of_locals() {
        check_refs(
            "
def f(a: 'Foo', b: Optional[m.Bar], c: Foo | None = None, *d: Foo):
    a.x()
    b.x()
    c.x()
    d.x()
    e = Foo()
    e.x()
    g = None
    g = m.Bar()
    g.x()
    h = Foo() if a else Bar()
    h.x()
    i = []
    i.append(1)
    j = cast(Foo, a)
    j.x()
    try: pass
    except Err as k: k.x()
    Loc = a
    l = Loc()
    l.x()
",
            "2:11 type Foo in f
             2:20 type Optional in f
             2:29 use m in f
             2:31 type m/Bar in f
             2:40 type Foo in f
             2:63 type Foo in f
             3:7 call <Foo>.x in f
             4:7 call <m.Bar>.x in f
             5:7 call <Foo>.x in f
             6:7 call ?.x in f
             7:9 call Foo in f
             8:7 call <Foo>.x in f
             10:9 use m in f
             10:11 call m/Bar in f
             11:7 call <m.Bar>.x in f
             12:9 call Foo in f
             12:25 call Bar in f
             13:7 call ?.x in f
             15:7 call <list>.append in f
             16:9 call cast in f
             16:14 use Foo in f
             17:7 call <Foo>.x in f
             19:12 use Err in f
             19:24 call <Err>.x in f
             22:7 call ?.x in f",
        );
    }

    #[test]
    fn types_of_fields_and_module_variables() {
        check_refs(
            "
app = App()
class A:
    log: Log
    def run(self):
        self.repo.save()
        self.log.x()
        self.both.x()
        app.go()
    def __init__(self, repo: Repo = None):
        self.repo = repo
        self.both = A()
    def other(self):
        self.both = B()
",
            "2:7 call App
             4:10 type Log in A
             6:14 use self.repo in A.run
             6:19 call <Repo>.save in A.run
             7:14 use self.log in A.run
             7:18 call <Log>.x in A.run
             8:14 use self.both in A.run
             8:19 call <=self.both>.x in A.run
             9:9 use app in A.run
             9:13 call <App>.go in A.run
             10:30 type Repo in A.__init__
             12:21 call A in A.__init__
             14:14 use self.both in A.other
             14:21 call B in A.other",
        );
    }

    #[test]
    fn bases_and_type_arguments() {
        check_refs(
            "
class A(Base, m.Other[Arg, 'Quoted'], make(), metaclass=Meta): pass
class G[T](Base[T]):
    def f[U](self, a: T, b: U, c: 'dict[str, m.K]') -> list[U]: ...
",
            "2:9 extends Base in A
             2:15 use m in A
             2:17 extends m/Other in A
             2:23 type Arg in A
             2:29 type Quoted in A
             2:39 call make in A
             2:57 use Meta in A
             3:12 extends Base in G
             4:36 type dict in G.f
             4:41 type str in G.f
             4:48 type m/K in G.f
             4:56 type list in G.f",
        );
    }

    #[test]
    fn a_bare_name_in_a_class_body_can_be_its_member() {
        check_refs(
            "
class A:
    def get(self): get()
    x = property(get)
    y = other(x, f'{x} {z!r}')
",
            "3:20 call get in A.get
             4:9 call property in A
             4:18 use self.get in A
             5:9 call other in A
             5:15 use self.x in A
             5:21 use self.x in A
             5:25 use z in A",
        );
    }

    #[test]
    fn a_comment_that_ends_with_a_dot_hides_nothing() {
        check_refs(
            "a.b(  # Why.\nc)  # Because.\nd(a.\n  e)\n",
            "1:1 use a\n1:3 call a/b\n2:1 use c\n3:1 call d\n3:3 use a\n4:3 use a/e",
        );
    }

    #[test]
    fn columns_count_utf16_units() {
        check_refs("x = '😀é' + f()\n", "1:13 call f");
    }
}

#[test]
fn damaged_files_give_facts() {
    let sample = "
@deco
class A(B[T], m.C, metaclass=M):
    x: int = f'{a!r:>{w}}'
    @overload
    def m(self, *a: 'X', **k) -> m.T: ...
    def m(self, a=1):
        self.x, (self.y, *self.z) = lambda q: q.r
        for i in [j for j in k if (l := j)]: global g
        match self:
            case P(x=u) | [v, *w] as z if z: yield z
        with a as b, (c): import a.b as d
        try: from .. import e as f
        except* E as h: del h
type V[T] = list[T]
";
    render::torture(Lang::Python, sample);
}
