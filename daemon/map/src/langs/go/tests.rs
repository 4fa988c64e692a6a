//! Tests the facts that hob reads from Go.

use crate::facts::FactsBuilder;
use crate::fixture::check_meanings;
use crate::langs::lang::Lang;
use crate::langs::support::project::fake::Fake;
use crate::langs::support::render;

#[track_caller]
fn check_facts(source: &str, expected: &str) {
    render::check(Lang::Go, source, expected);
}

#[test]
fn items_with_their_docs() {
    check_facts(
        r#"
// Package server serves.
package server

import (
	"net/http"
	f "fmt"
	. "math"
	_ "embed"
	"github.com/a/go-b/v2"
)

const (
	A = iota
	// B is second.
	B
	c, D = 1, compute()
)

// Default is shared.
var Default = NewServer()
var x, y int

// Server serves.
// On and on.
type Server struct {
	*Base
	pkg.Mixin[int]
	// Name of it.
	Name, alias string
	handler func(w Writer) error
}

type (
	// Runner runs.
	Runner interface {
		io.Closer
		Run(n int) (Result, error)
		~int | Other
	}
	Names []string
	Old = Server
	Pair[K comparable, V any] struct { key K; val V }
)

// Run runs it.
func (s *Server) Run(n int) error { return nil }
func (m *Missing) Go() {}
func (p Pair[K, V]) Key() K { return p.key }
func assembly(a int) int
func Map[T any](in []T, f func(T) T) []T { return nil }
func TestRun(t *testing.T) {}
func Testify(t *testing.T) {}
"#,
        r#"
package server
constant A 14-14@14:2 E | A
constant B 16-16@16:2 E | B | B is second.
constant c 17-17@17:2 | c, D
constant D 17-17@17:5 E | c, D
variable Default 21-21@21:5 E | var Default | Default is shared.
variable x 22-22@22:5 | var x, y int
variable y 22-22@22:8 | var x, y int
struct Server 26-32@26:6 E | type Server struct | Server serves. On and on.
field Server.Base 27-27@27:3 E | *Base
field Server.Mixin 28-28@28:6 E | pkg.Mixin[int]
field Server.Name 30-30@30:2 E | Name, alias string | Name of it.
field Server.alias 30-30@30:8 | Name, alias string | Name of it.
field Server.handler 31-31@31:2 | handler func(w Writer) error
interface Runner 36-40@36:2 E | Runner interface | Runner runs.
method Runner.Run 38-38@38:3 ED | Run(n int) (Result, error)
class Names 41-41@41:2 E | Names []string
type_alias Old 42-42@42:2 E | Old = Server
struct Pair 43-43@43:2 E | Pair[K comparable, V any] struct
field Pair.key 43-43@43:37 | key K
field Pair.val 43-43@43:44 | val V
method Server.Run 47-47@47:18 E | func (s *Server) Run(n int) error | Run runs it.
method Missing.Go 48-48@48:19 E | func (m *Missing) Go()
method Pair.Key 49-49@49:21 E | func (p Pair[K, V]) Key() K
function assembly 50-50@50:6 D | func assembly(a int) int
function Map 51-51@51:6 E | func Map[T any](in []T, f func(T) T) []T
function TestRun 52-52@52:6 ET | func TestRun(t *testing.T)
function Testify 53-53@53:6 E | func Testify(t *testing.T)
import module net/http as http @6
import module fmt as f @7
import star math @8
import effect embed @9
import module github.com/a/go-b/v2 as b @10
17:12 call compute
21:15 call NewServer
27:3 extends Base in Server
28:6 extends pkg/Mixin in Server
31:17 type Writer in Server
37:6 extends io/Closer in Runner
38:15 type Result in Runner.Run
39:10 type Other in Runner
42:8 type Server in Old
47:10 type Server in Server.Run
48:10 type Missing in Missing.Go
49:9 type Pair in Pair.Key
49:40 use <Pair>.key in Pair.Key
52:25 type testing/T in TestRun
53:25 type testing/T in Testify
"#,
    );
}

#[test]
fn locals_hide_names_and_type_their_members() {
    check_facts(
        r#"
package p
import "net/http"
import "x.y/pkg"
type S struct { part *Part; other pkg.Other; any interface{} }
type Names []string
var global S
func NewS() (*S, error) { return &S{part: nil, other: value}, nil }
func (s *S) Next() *S { return s.Next() }
func (s *S) run(ctx context.Context, n ...int) (err error) {
	s.part.Do()
	s.other.Do(LIMIT)
	s.any.Do()
	x := x()
	x.unknown()
	t, err := NewS()
	t.run(ctx.Value(key))
	t.Next().run()
	p := &pkg.T{Field: 1}
	p.Go()
	global.run()
	http.Get(http.MethodGet)
	pkg.Var.Method()
	for i, v := range t.list { v.f(i) }
	if v, ok := m[k]; ok { v() } else { v.g() }
	v()
	switch c := y.(type) { case *S: c.run(); case int, string: c.no() }
	select { case r := <-ch: r.x(); default: r() }
	var q S
	q.run()
	go func(z Part) { z.Do(); z2 := z; z2.Do() }(1)
	new(S).run()
	lbl: for { break lbl }
	m := map[string]S{KEY: {part: a}}
	l := []S{{other: b}}
	_ = Names(l)
	register(s.run, handler, NewS)
	return generic[int, S](A, []byte("x"), Pair[S]{})
}
"#,
        r#"
package p
struct S 5-5@5:6 E | type S struct
field S.part 5-5@5:17 | part *Part
field S.other 5-5@5:29 | other pkg.Other
field S.any 5-5@5:46 | any interface{}
class Names 6-6@6:6 E | type Names []string
variable global 7-7@7:5 | var global S
function NewS 8-8@8:6 E | func NewS() (*S, error)
method S.Next 9-9@9:13 E | func (s *S) Next() *S
method S.run 10-39@10:13 | func (s *S) run(ctx context.Context, n ...int) (err error)
import module net/http as http @3
import module x.y/pkg as pkg @4
5:23 type Part in S
5:39 type pkg/Other in S
7:12 type S
8:15 type S in NewS
8:35 type S in NewS
8:37 use <S>.part in NewS
8:48 use <S>.other in NewS
8:55 use value in NewS
9:10 type S in S.Next
9:21 type S in S.Next
9:34 call <S>.Next in S.Next
10:10 type S in S.run
10:29 type context/Context in S.run
11:4 use <S>.part in S.run
11:9 call <Part>.Do in S.run
12:4 use <S>.other in S.run
12:10 call <pkg.Other>.Do in S.run
12:13 use LIMIT in S.run
13:4 use <S>.any in S.run
13:8 call <=S~.any>.Do in S.run
14:7 call x in S.run
15:4 call <=x()>.unknown in S.run
16:12 call NewS in S.run
17:4 call <S>.run in S.run
17:12 call <context.Context>.Value in S.run
17:18 use key in S.run
18:4 call <S>.Next in S.run
18:11 call <S>.run in S.run
19:12 type pkg/T in S.run
19:14 use <pkg.T>.Field in S.run
20:4 call <pkg.T>.Go in S.run
21:2 use global in S.run
21:9 call <S>.run in S.run
22:7 call http/Get in S.run
22:16 use http/MethodGet in S.run
23:6 use pkg/Var in S.run
23:10 call pkg.Var/Method in S.run
24:22 use <S>.list in S.run
24:31 call <=S~.list.[]>.f in S.run
25:14 use m in S.run
25:16 use k in S.run
25:40 call <=m.[]>.g in S.run
26:2 call v in S.run
27:14 use y in S.run
27:31 type S in S.run
27:36 call <S>.run in S.run
27:63 call ?.no in S.run
28:23 use ch in S.run
28:29 call <=ch.[]>.x in S.run
28:43 call r in S.run
29:8 type S in S.run
30:4 call <S>.run in S.run
31:12 type Part in S.run
31:22 call <Part>.Do in S.run
31:40 call <Part>.Do in S.run
32:2 call new in S.run
32:6 type S in S.run
32:9 call <S>.run in S.run
34:18 type S in S.run
34:20 use KEY in S.run
34:26 use <S>.part in S.run
34:32 use a in S.run
35:9 type S in S.run
35:12 use <S>.other in S.run
35:19 use b in S.run
36:6 call Names in S.run
37:2 call register in S.run
37:13 use <S>.run in S.run
37:18 use handler in S.run
37:27 use NewS in S.run
38:9 call generic in S.run
38:22 type S in S.run
38:25 use A in S.run
38:41 type Pair in S.run
38:46 type S in S.run
"#,
    );
}

#[test]
fn damaged_sources_give_facts_all_the_same() {
    let sample = "package p\n// d\nfunc (s *S) F(a int) é { x := &T{A: 1, B: []U{{c: d}}}; x.go_(); switch y := x.(type) { case *T: y.z() } }\n\
        type T struct { *B; a, b int }\n";
    render::torture(Lang::Go, sample);
}

#[test]
fn paths_find_their_packages() {
    let project = Fake::new(&[
        (
            "go.mod",
            "module example.com/app\n\nrequire github.com/x/y v1\nreplace (\n\tgithub.com/x/old => ./third/old\n)\n",
        ),
        ("main.go", "package main"),
        ("server/a.go", "package server"),
        ("server/b.go", "package server"),
        ("server/a_test.go", "package server"),
        ("third/old/sub/o.go", "package sub"),
        ("vendor/github.com/v/w/w.go", "package w"),
        ("tools/go.mod", "module example.com/app/tools // c\n"),
        ("tools/gen/g.go", "package gen"),
    ]);
    let resolve = |from, module| project.resolve(&super::imports::GoImportRules, from, module);
    assert_eq!(resolve("main.go", "example.com/app/server"), "[server/a.go server/b.go]");
    assert_eq!(resolve("main.go", "example.com/app"), "[main.go]");
    assert_eq!(resolve("main.go", "example.com/app/tools/gen"), "[tools/gen/g.go]");
    assert_eq!(resolve("main.go", "example.com/app/missing"), "unknown");
    assert_eq!(resolve("main.go", "example.com/application"), "ext:example.com/application");
    assert_eq!(resolve("main.go", "github.com/x/old/sub"), "[third/old/sub/o.go]");
    assert_eq!(resolve("main.go", "github.com/v/w"), "[vendor/github.com/v/w/w.go]");
    assert_eq!(resolve("main.go", "github.com/x/y/z/deep"), "ext:github.com/x/y");
    assert_eq!(resolve("main.go", "net/http"), "ext:net/http");
}

#[test]
fn imports_bind_the_package_name() {
    let locals = [
        ("net/http", "http"),
        ("github.com/a/b/v2", "b"),
        ("gopkg.in/yaml.v3", "yaml"),
        ("github.com/a/go-zip", "zip"),
        ("github.com/a/toml-go", "toml"),
    ];
    for (module, local) in locals {
        assert_eq!(super::imports::local_name(module), local, "{module}");
    }
}

#[test]
fn a_workspace_may_replace_modules() {
    let project = Fake::new(&[
        ("go.work", "go 1.22\nuse (\n\t./app\n\t./tool\n)\nreplace x.y/forked v1.0.0 => ./forks/forked\n"),
        ("app/go.mod", "module a.b/app\n"),
        ("app/main.go", "package main"),
        ("tool/go.mod", "module a.b/tool\n"),
        ("tool/run/run.go", "package run"),
        ("forks/forked/go.mod", "module z.w/other\n"),
        ("forks/forked/sub/sub.go", "package sub"),
    ]);
    let resolve = |module| project.resolve(&super::imports::GoImportRules, "app/main.go", module);
    assert_eq!(resolve("a.b/tool/run"), "[tool/run/run.go]");
    assert_eq!(resolve("x.y/forked/sub"), "[forks/forked/sub/sub.go]");
    assert_eq!(resolve("x.y/forkedly"), "ext:x.y/forkedly");
}

#[test]
fn manifests_name_module_and_replacements() {
    let mut facts = FactsBuilder::new(Lang::Manifest);
    super::read_go_mod(
        "module \"a.b/c\"\ngo 1.22\nrequire (\n\tx.y/z v1 // indirect\n)\nreplace q.r/s v1 => ../s\nreplace k => l v2\n",
        &mut facts,
    );
    let facts = facts.finish();
    let pairs: Vec<String> =
        facts.manifest.iter().map(|(k, v)| format!("{} {}", facts.name(*k), facts.name(*v))).collect();
    assert_eq!(pairs, ["module a.b/c", "require x.y/z", "replace q.r/s=../s"]);
}

#[test]
fn fields_of_structs_without_a_name_are_found() {
    check_meanings(
        r#"
//- /a.go
package a

type T struct {
	¤1a, ¤2b struct {
		¤3x int
		¤4deep struct{ ¤5y int }
	}
	¤6items []struct{ ¤7id int }
	¤8entries map[string]struct{ ¤9count int }
}

var ¤aConfig = struct{ ¤bName string }{Name: "x"}
var ¤cMocks struct {
	¤dCode func(p int)
}

type ¤eAlias = struct{ ¤fField string }

func use(¤gt T) {
	§gt.§1a.§3x = 1
	§gt.§2b.§4deep.§5y = 2
	_ = §gt.§6items[0].§7id
	for _, ¤hitem := range §gt.§6items {
		_ = §hitem.§7id
	}
	¤ientry := §gt.§8entries["k"]
	_ = §ientry.§9count
	_ = §aConfig.§bName
	§cMocks.§dCode(1)
	_ = §eAlias{§fField: "x"}
}
"#,
    );
}

#[test]
fn embedded_fields_give_their_members() {
    check_meanings(
        r#"
//- /a.go
package a

type ¤1Inner struct{ ¤2X int }

func (i *§1Inner) ¤3Run() {}

type ¤4Outer struct {
	*§1Inner
	¤5Base Base
	other *¤6Other
}
//- /b.go
package a

type ¤7Base struct{ ¤8Size int }
type Other struct{}
type Third struct {
	§1Inner
}

func use(o *§4Outer, third Third) {
	_ = o.§2X
	o.§3Run()
	o.Inner.§3Run()
	_ = o.§5Base.§8Size
	third.§3Run()
}
"#
        .replace("¤6", "")
        .as_str(),
    );
}

#[test]
fn types_are_followed_into_other_files_of_go() {
    check_meanings(
        r#"
//- /go.mod
module x.y/app
//- /store/store.go
package store

type Store struct {
	¤1Last *Item
	¤2All  []*Item
}

func New() (*Store, error) { return nil, nil }

func (s *Store) ¤3Find(id int) (*Item, error) { return nil, nil }

type Finder interface{ ¤4First() *Item }

var ¤5Default = &Store{}
//- /store/item.go
package store

type Item struct{ ¤6Name string }

func (i *Item) ¤7Close() {}
//- /main.go
package main

import "x.y/app/store"

type server struct{ ¤8db *store.Store }

func (¤9s *server) run(f store.Finder, many ...store.Item) {
	§9s.§8db.§1Last.§7Close()
	¤aitem, err := §9s.§8db.§3Find(1)
	§aitem.§7Close()
	for _, one := range §9s.§8db.§2All {
		_ = one.§6Name
	}
	f.§4First().§7Close()
	¤bmade, err := store.New()
	§bmade.§3Find(2)
	store.§5Default.§1Last.§7Close()
	for _, one := range many {
		one.§7Close()
	}
}
//- /other.go
package main

func (s *server) more() {
	s.§8db.§1Last.§7Close()
	_ = s.§8db.§2All[0].§6Name
}
"#,
    );
}

#[test]
fn type_parameters_have_the_members_of_their_constraint() {
    check_meanings(
        r#"
//- /a.go
package a

type ¤1Person interface{ ¤2Work() }

func Do[¤3T §1Person](things []§3T, one §3T) {
	for _, ¤4v := range things {
		§4v.§2Work()
	}
	one.§2Work()
}
"#,
    );
}
