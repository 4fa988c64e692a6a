//! Tests the resolution of local names. Marks in the texts give the query and the right answer: `§` stands before the
//! queried name, `¤` before each binding.

use super::*;

#[track_caller]
fn check(lang: Lang, marked: &str) {
    let found = named(lang, marked);
    let places = |mark: char| marks_in(marked, mark);
    let bindings = found.map(|found| found.bindings).unwrap_or_default();
    assert_eq!(bindings, places('¤'), "{lang:?}: {marked}");
}

#[track_caller]
fn check_local(lang: Lang, marked: &str) {
    check(lang, marked);
    assert!(named(lang, marked).is_some_and(|found| found.is_local), "{lang:?}: {marked}");
}

fn named(lang: Lang, marked: &str) -> Option<LocalName> {
    let at = marks_in(marked, '§')[0];
    local_name_at(Some(lang), marked.replace(['§', '¤'], "").as_bytes(), at, &|| true)
}

/// Returns the places before which a mark stands, in the text without marks.
fn marks_in(marked: &str, mark: char) -> Vec<NamePlace> {
    let (mut found, mut line, mut col) = (Vec::new(), 1, 1);
    for c in marked.chars() {
        match c {
            '\n' => (line, col) = (line + 1, 1),
            '§' | '¤' if c == mark => found.push(NamePlace { line, col }),
            '§' | '¤' => {}
            _ => col += c.len_utf16() as u32,
        }
    }
    found
}

#[test]
fn python_parameters_and_assignments() {
    for marked in [
        "def f(a, ¤b: int, c=1):\n    return §b\n",
        "def f(*¤args, **kw):\n    return §args\n",
        "def f(*, ¤k=1):\n    return [§k for x in y]\n",
        "def f(¤x):\n    def g():\n        return §x\n",
        "def f():\n    ¤x = 1\n    ¤x = 2\n    return §x\n",
        "def f():\n    (a, ¤b), c = y\n    return §b\n",
        "def f():\n    return [§x for ¤x in y]\n",
        "f = lambda ¤x: §x\n",
        "def f():\n    with a() as ¤b:\n        §b\n",
        "def f():\n    try:\n        pass\n    except E as ¤e:\n        §e\n",
        "def f():\n    for i, ¤v in y:\n        §v.x\n",
        "def f():\n    while (¤m := g()):\n        §m\n",
        "def f():\n    match y:\n        case [¤a, *rest]:\n            §a\n",
        "def f():\n    ¤x = 1\n    def g():\n        nonlocal x\n        §x\n",
    ] {
        check_local(Lang::Python, marked);
    }
}

/// Checks the bindings whose value a name can have at the queried place.
#[track_caller]
fn check_reaching(marked: &str) {
    let found = named(Lang::Python, marked).map(|found| found.reaching).unwrap_or_default();
    assert_eq!(found, marks_in(marked, '¤'), "{marked}");
}

#[test]
fn a_binding_in_another_branch_does_not_reach() {
    for marked in [
        "def f(y):\n    match y:\n        case [¤a]:\n            §a\n        case (a, 1):\n            a\n",
        "def f(y):\n    match y:\n        case [¤a]:\n            a\n        case (¤a, 1):\n            a\n    §a\n",
        "def f(y):\n    for i in y:\n        match i:\n            case [¤a]:\n                §a\n            case (¤a, 1):\n                a\n",
        "def f(y):\n    if y:\n        a = 1\n    elif (¤a := y):\n        pass\n    else:\n        §a\n",
        "def f(y):\n    if y:\n        a = 1\n    else:\n        ¤a = 2\n        §a\n",
        "if y:\n    a = 1\nelse:\n    ¤a = 2\n    (lambda: §a)()\n",
    ] {
        check_reaching(marked);
    }
}

#[test]
fn python_members_and_keys_are_no_local_names() {
    for marked in [
        "def f(x):\n    y.§x\n",
        "def f(x):\n    g(§x=1)\n",
        "class A:\n    x = 1\n    def f(self):\n        §x\n",
        "def f(x):\n    import a.§x\n",
    ] {
        check(Lang::Python, marked);
    }
    check(Lang::Python, "¤x = 1\ndef f():\n    x = 2\n    def g():\n        global x\n        §x\n");
    check(Lang::Python, "from a import b as ¤c\n§c()\n");
}

#[test]
fn ecma_variables_and_patterns() {
    for lang in [Lang::JavaScript, Lang::TypeScript, Lang::Tsx] {
        for marked in [
            "function f(a, { b: ¤c, d = 1 }) { return §c; }",
            "function f(a, { b: c, ¤d = 1 }) { return §d; }",
            "const g = ¤x => §x;",
            "function f() { §x = 2; for (var ¤x = 0;;) {} }",
            "function f() { let x = 1; { let ¤x = 2; §x; } }",
            "function f() { let ¤x = 1; { let x = 2; } return { §x }; }",
            "function f() { for (const ¤k of y) { §k; } }",
            "try {} catch (¤e) { §e; }",
            "class A { m(...¤rest) { return §rest; } }",
            "const g = function ¤h() { §h(); };",
            "function f() { ¤out: for (;;) { break §out; } }",
        ] {
            check_local(lang, marked);
        }
        check(lang, "import { a as ¤b } from 'x';\n§b();");
        check(lang, "function f(x) { return y.§x + { x: 1 }; }");
    }
    check(Lang::JavaScript, "¤y = 1;\nfunction f() { return §y; }");
    check(Lang::TypeScript, "y = 1;\nfunction f() { return §y; }");
}

#[test]
fn typescript_types_have_parameters() {
    for marked in [
        "function f<¤T>(a: §T): T { return a; }",
        "interface A<¤T> { m(a: §T): void }",
        "type A<¤T> = { x: §T };",
        "class A<¤T> { x: §T; }",
        "let id: <¤X>(x: §X) => V;",
        "function f(¤val: any): asserts §val is string {}",
    ] {
        check_local(Lang::TypeScript, marked);
    }
}

#[test]
fn go_names_are_visible_after_their_declaration() {
    let in_function = |body: &str| format!("package a\n\nfunc f(p int, ¤q string) {{\n{body}\n}}\n");
    check_local(Lang::Go, &in_function("§q()"));
    for body in [
        "x, ¤err := a()\ny, err := b()\n§err",
        "x := 1\nif ¤x := x; §x > 0 {}",
        "¤x := 1\nif x := §x; x > 0 {}",
        "for i, ¤v := range y { §v() }",
        "var ¤x, z int\nx = §x",
        "switch ¤t := y.(type) { case int: §t() }",
        "g := func(¤a int) { §a }",
        "y := T{x: 1, z: 2}\n¤x := 1\nm := map[int]int{§x: 1}",
    ] {
        check_local(Lang::Go, &in_function(body).replacen("¤q", "q", 1));
    }
    check(Lang::Go, "package a\n\nfunc f() {\n\tx := 1\n\ty := T{§x: x}\n}\n");
    check_local(Lang::Go, "package a\n\nfunc f[¤T any](a §T) {}\n");
    check(Lang::Go, "package a\n\nimport \"net/¤http\"\n\nvar x = §http.Get\n");
}

#[test]
fn java_blocks_and_types() {
    let in_class = |body: &str| format!("class A<¤T> {{\n{body}\n}}\n");
    check_local(Lang::Java, &in_class("§T t;"));
    for body in [
        "void f(int ¤x) { g(§x); }",
        "void f() { int ¤x = 1, y = §x; }",
        "void f() { for (int ¤i = 0; §i < 3; i++) {} }",
        "void f() { for (String ¤s : all) { s.y(§s); } }",
        "void f() { g(¤x -> h(§x)); }",
        "void f() { g((y, ¤x) -> h(§x)); }",
        "void f() { try (R ¤r = g()) { §r.h(); } catch (E e) {} }",
        "void f() { try { } catch (E ¤e) { §e.h(); } }",
        "void f(Object o) { if (o instanceof B ¤b && §b.c()) {} }",
        "<¤U> §U f() { return null; }",
    ] {
        check_local(Lang::Java, &in_class(body).replacen("¤T", "T", 1));
    }
    check(Lang::Java, "class A {\n  int ¤x;\n  void f() { §x++; }\n}\n");
    check(Lang::Java, "class A {\n  void f(int x) { this.§x = x; }\n}\n");
    check(Lang::Java, "import java.util.¤Scanner;\nclass A { §Scanner s; }\n");
}

#[test]
fn rust_patterns_and_shadowing() {
    for marked in [
        "fn f(a: u8, ¤b: u8) -> u8 { a + §b }",
        "fn f() { let x = 1; let ¤x = x + 1; §x; }",
        "fn f() { let ¤x = 1; let x = §x + 1; x; }",
        "fn f() { if let Some(¤x) = y { §x } }",
        "fn f() { match y { Some(¤x) if x > 1 => §x, None => 0 } }",
        "fn f() { match y { P { ¤x, .. } => §x } }",
        "fn f() { for (i, ¤v) in y { println!(\"{}\", §v); } }",
        "fn f() { g(|¤x, y| §x); }",
        "fn f() { let ¤x = 1; P { §x }; }",
        "fn f<¤T>(a: §T) {}",
        "struct A<¤T> { x: §T }",
    ] {
        check_local(Lang::Rust, marked);
    }
    check(Lang::Rust, "fn f(x: u8) { y.§x; }");
    check(Lang::Rust, "fn f(x: u8) { g!(y.§x); }");
    check(Lang::Rust, "use a::{b::¤c, d};\nfn f() { §c(); }");
}

#[test]
fn ruby_blocks_see_the_variables_around_them() {
    for marked in [
        "def f(a, ¤b = 1)\n  §b\nend\n",
        "def f(*¤rest, **opts)\n  §rest\nend\n",
        "def f(k:, ¤l: k, &blk)\n  g(§l)\nend\n",
        "def f(&¤blk)\n  §blk.call\nend\n",
        "def f((a, ¤b), c)\n  §b\nend\n",
        "def f\n  ¤x = 1\n  x = 2\n  §x\nend\n",
        "def f\n  ¤x = 1\n  all.each { |y| §x += y }\nend\n",
        "def f\n  x = 1\n  all.each { |¤x| g { §x } }\nend\n",
        "def f\n  all.each do |y; ¤x| §x = 1 end\nend\n",
        "def f\n  ¤a, (b, *c) = g\n  §a\nend\n",
        "def f\n  a, (b, *¤c) = g\n  §c\nend\n",
        "def f\n  begin\n    g\n  rescue A => ¤e\n    h(§e)\n  end\nend\n",
        "def f\n  for ¤i in all\n    §i.g\n  end\nend\n",
        "def f(v)\n  case v\n  in [Integer => ¤n, *] then §n\n  end\nend\n",
        "def f(v)\n  case v\n  in {name: ¤n} then §n\n  end\nend\n",
        "def f(v)\n  case v\n  in {¤name:} then §name\n  end\nend\n",
        "def f(v)\n  v => {a: [_, *¤more]}\n  §more\nend\n",
        "def f(¤v)\n  case 1\n  in ^§v then 2\n  end\nend\n",
        "def f(¤x)\n  g(§x:)\nend\n",
        "def f\n  l = ->(¤x) { \"#{§x}\" }\nend\n",
        "def f\n  ¤x ||= 1\n  §x\nend\n",
        "class A\n  ¤x = 1\n  B = §x\nend\n",
    ] {
        check_local(Lang::Ruby, marked);
    }
}

#[test]
fn ruby_methods_see_no_variable_around_them() {
    for marked in [
        "x = 1\ndef f\n  §x\nend\n",
        "def f(x)\n  y.§x\nend\n",
        "def f(x)\n  §x(1)\nend\n",
        "def f\n  §x\n  x = 1\nend\n",
        "def f(x)\n  g(§x: 1)\nend\n",
        "def f\n  g { x = 1 }\n  §x\nend\n",
        "class A\n  def f\n    @x = 1\n    §@x\n  end\nend\n",
    ] {
        check(Lang::Ruby, marked);
    }
    check(Lang::Ruby, "¤x = 1\nall.each { §x }\n");
    check(Lang::Ruby, "describe A do\n  before { ¤@x = 1 }\n  it('y') { §@x }\nend\n");
}

#[test]
fn php_functions_have_variables_of_their_own() {
    for marked in [
        "function f($a, &$¤b = 1) { return $§b; }",
        "function f(...$¤rest) { return $§rest; }",
        "function f() { $¤x = 1; $x = 2; return $§x; }",
        "function f() { if ($y) { $¤x = 1; } else { $x = 2; } return $§x; }",
        "function f() { [$a, 'k' => $¤b] = g(); return $§b; }",
        "function f() { list($a, list(, $¤b)) = g(); return $§b; }",
        "function f() { foreach (g() as $k => $¤v) { h($§v); } }",
        "function f() { foreach (g() as &$¤v) { h($§v); } }",
        "function f() { foreach (g() as [$a, $¤b]) { h($§b); } }",
        "function f() { try { g(); } catch (E | F $¤e) { h($§e); } }",
        "function f() { static $¤n = 0; return $§n++; }",
        "function f() { $¤x = 1; return \"a $§x {$x}\"; }",
        "function f() { $¤x = 1; $g = function () use ($x) { return $§x; }; }",
        "function f() { $¤x = 1; $g = function () use (&$§x) { }; }",
        "function f() { $¤x = 1; return fn($y) => $y + $§x; }",
        "function f($x) { return fn($¤x) => $§x; }",
        "class A { function f($¤x) { return $this->g($§x); } }",
        "function f() { while (($¤line = g()) !== false) { h($§line); } }",
        "function f() { for ($¤i = 0; $§i < 3; $i++) { } }",
        "function f() { $¤s .= 'a'; return $§s; }",
    ] {
        check_local(Lang::Php, &format!("<?php\n{marked}\n"));
    }
    for marked in [
        "$x = 1; function f() { return $§x; }",
        "function f() { $x = 1; $g = function () { return $§x; }; }",
        "function f($x) { return $this->§x; }",
        "function f($x) { return A::$§x; }",
        "function f($x) { return §x(); }",
    ] {
        check(Lang::Php, &format!("<?php\n{marked}\n"));
    }
    check(Lang::Php, "<?php\n$¤x = 1;\nfunction f() { global $x; return $§x; }\n");
}

#[test]
fn uses_are_those_of_the_same_binding() {
    let source = "def f(x):\n    return x + [x for x in y] + x\n\n\ndef g(x):\n    return x\n";
    let found =
        local_name_at(Some(Lang::Python), source.as_bytes(), NamePlace { line: 2, col: 12 }, &|| true);
    let found = found.expect("a parameter");
    let cols: Vec<(u32, u32)> = found.uses.iter().map(|at| (at.line, at.col)).collect();
    assert_eq!((found.bindings, cols), (vec![NamePlace { line: 1, col: 7 }], vec![(2, 12), (2, 33)]));
}

#[test]
fn cpp_blocks_templates_and_lambdas() {
    for marked in [
        "int f(int ¤a, char *b) { return §a; }",
        "int f(int (*¤cb)(int q)) { return §cb(1); }",
        "int f(int q(int), int ¤x) { return §x; }",
        "int f() { int a = 1, *¤b, c[3]; §b; }",
        "int f() { int x = 1; { int ¤x = 2; §x; } }",
        "int f() { int ¤x = 1; { int y = §x; int x = 2; } }",
        "void f() { auto &[k, ¤v] = m; §v.g(); }",
        "void f() { for (auto &[k, ¤v] : m) { §v; } }",
        "void f() { for (int ¤i = 0; §i < 3; i++) {} }",
        "void f() { if (int ¤i = g(); §i > 0) {} }",
        "void f() { while (T *¤p = g()) { §p; } }",
        "void f() { switch (int ¤z = g()) { case 1: §z; } }",
        "void f() { try {} catch (const E &¤e) { §e.x(); } }",
        "void f(int ¤r) { auto l = [&r](int p) { return §r + p; }; }",
        "void f(int c) { auto l = [¤k = c](int p) { return §k; }; }",
        "void f(int ¤x) { auto l = [x = §x] { return 1; }; }",
        "void f() { auto l = [](auto ¤p) { return §p; }; }",
        "template <typename ¤T> void f(§T a) {}",
        "template <typename T, int ¤N> struct A { int x[§N]; };",
        "template <typename ¤T> struct A { void f(); typename §T::type x; };",
        "template <template <class> class ¤F> F<int> f(§F<int> a);",
        "void f() { using ¤Q = int; §Q x; }",
        "void f() { typedef int ¤R; §R x; }",
        "void f() { enum { ¤One, Two }; g(§One); }",
        "void f() { Foo ¤x(y); §x.go(); }",
        "void f(int out) { goto §out; ¤out: return; }",
        "void f(int ¤out) { goto out; out: §out++; }",
        "#ifdef X\nvoid f() {\n#ifdef Y\nint ¤x = 1;\n#endif\n§x; }\n#endif\n",
    ] {
        check_local(Lang::Cpp, marked);
    }
    check(Lang::Cpp, "struct A { int ¤x; void f() { §x++; } };");
    check_local(Lang::C, "int f(a, b) int ¤a; char *b; { return §a; }");
    check_local(Lang::C, "int f(int ¤stat) { struct stat s; return §stat; }");
}

#[test]
fn cpp_names_of_files_and_members_are_no_local_names() {
    for marked in [
        "void f(int x) { y.§x; }",
        "void f(int x) { A::§x; }",
        "void f(int x) { A::x<int>::§x; }",
        "void f(int x) { ::§x; }",
        "void f(int x) { P p = { .§x = 1 }; }",
        "int f() { extern int x; return §x; }",
        "void f() { void g(int); §g(1); }",
        "int x; void f() { §x; }",
        "int f(int stat) { struct §stat s; }",
        "void f(int x); int y = §x;",
    ] {
        check(Lang::Cpp, marked);
    }
}

#[test]
fn csharp_patterns_and_queries() {
    let in_class = |body: &str| format!("class A<¤T> {{\n{body}\n}}\n");
    check_local(Lang::CSharp, &in_class("§T t;"));
    for body in [
        "void F(int ¤a) { G(§a); }",
        "void F(params int[] ¤all) { G(§all); }",
        "int this[int ¤i] => §i;",
        "static A operator +(A ¤a, A b) => §a;",
        "void F() { if (G(out var ¤n)) { §n.H(); } }",
        "void F(object o) { if (o is string ¤s && §s.X) { } }",
        "void F(object o) { if (o is not B ¤b) return; §b.H(); }",
        "void F(object o) { if (o is P { X: var ¤q }) { §q.H(); } }",
        "void F() { var (a, ¤b) = t; §b.H(); }",
        "void F() { (int a, var ¤b) = t(); §b.H(); }",
        "void F() { foreach (var (k, ¤v) in m) { §v.H(); } }",
        "void F() { foreach (int ¤i in m) { §i.H(); } }",
        "void F() { using (var ¤r = G()) { §r.H(); } }",
        "void F() { using var ¤r = G(); §r.H(); }",
        "void F() { try { } catch (E ¤e) when (§e.X) { } }",
        "void F() { var l = from ¤p in ps where §p.X select p; }",
        "void F() { var l = from p in ps let ¤d = p.D select §d; }",
        "void F() { var l = from p in ps join ¤j in js on p.I equals §j.I select p; }",
        "void F() { var l = from p in ps join j in js on p.I equals j.I into ¤g select §g; }",
        "void F() { var l = from p in ps group p by p.K into ¤g select §g.Key; }",
        "void F() { G(¤x => §x + 1); }",
        "void F() { G((x, ¤y) => §y); }",
        "void F() { G(delegate (int ¤x) { return §x; }); }",
        "void F() { int L<U>(int ¤p) => §p; }",
        "void F() { §L(1); int ¤L(int p) => p; }",
        "void F(object o) { switch (o) { case int ¤c when §c > 1: break; } }",
        "int F(object o) => o switch { int ¤c => §c, _ => 0 };",
        "void F(int x) { goto §x; ¤x: return; }",
        "U F<¤U>(§U u) => u;",
        "void F(int ¤a) { var n = nameof(§a); }",
        "void F(int ¤a) { var n = new { §a }; }",
    ] {
        check_local(Lang::CSharp, &in_class(body).replacen("¤T", "T", 1));
    }
    check_local(Lang::CSharp, "class A(int ¤x) { int F() => §x; }");
    check(Lang::CSharp, "record A(int ¤X) : B(§X);");
}

#[test]
fn csharp_members_and_keys_are_no_local_names() {
    for body in [
        "void F(int x) { y.§x(); }",
        "void F(int x) { this.§x = x; }",
        "void F(int x) { G(§x: 1); }",
        "void F(int x) { var a = new B { §x = 1 }; }",
        "void F(int x) { var a = new { §x = 1 }; }",
        "void F(int x) { if (y is { §x: 1 }) { } }",
        "void F(int x) { y?.§x(); }",
        "Color Color; void F() { §Color c; }",
    ] {
        check(Lang::CSharp, &format!("class A {{ {body} }}"));
    }
}

#[test]
fn kotlin_lambdas_and_declarations() {
    for marked in [
        "fun f(¤a: Int, b: Int) = §a",
        "fun <¤T> f(a: §T) = a",
        "class A<¤T> { val x: §T }",
        "fun f() { val ¤x = 1; g(§x) }",
        "fun f(¤x: Int) { val x = §x }",
        "fun f() { val (a, ¤b) = p; g(§b) }",
        "fun f() { for (¤e in l) { §e.g() } }",
        "fun f() { for ((a, ¤b) in l) { §b.g() } }",
        "fun f() { l.forEach { i, ¤s -> g(§s) } }",
        "fun f() { l.map { (m, ¤n) -> §n } }",
        "fun f() { try { } catch (¤e: E) { §e.g() } }",
        "fun f() { when (val ¤w = g()) { is X -> §w } }",
        "fun f() { val g = fun(¤z: Int): Int { return §z } }",
        "fun f() { fun ¤g(p: Int) = p\n§g(1) }",
        "fun f(¤x: Int) = \"$§x\"",
        "fun f(¤x: Int) = \"${§x.y}\"",
        "class A(¤x: Int) : B(§x)",
        "class A { constructor(¤b: Int) { §b.g() } }",
    ] {
        check_local(Lang::Kotlin, marked);
    }
    for marked in [
        "fun f(x: Int) = y.§x",
        "fun f(x: Int) = g(§x = 1)",
        "val x = 1\nfun f() = §x",
        "fun f(x: Int) = y.x().§x()",
    ] {
        check(Lang::Kotlin, marked);
    }
}

#[test]
fn dart_blocks_and_patterns() {
    for marked in [
        "f(int a, {required B ¤b, c = 1}) => §b;",
        "f(a, ¤b) { return §b; }",
        "f() { var a = 1, ¤b = 2; return §b; }",
        "f() { B ¤b = c(); §b.b(); }",
        "f() { g((¤x, y) => §x + y); }",
        "f() { for (var ¤i = 0; §i < 3; i++) {} }",
        "f() { for (final ¤x in xs) { §x.y(); } }",
        "f() { return [for (final ¤x in xs) §x]; }",
        "f() { try { } on E catch (¤e, s) { §e.h(); } }",
        "f() { try { } catch (e, ¤s) { §s.h(); } }",
        "f() { var (a, b: ¤c) = g(); §c; }",
        "f(o) { if (o case B(:final ¤x)) { §x; } }",
        "f(o) => switch (o) { B(y: var ¤x) when §x > 1 => x, _ => 0 };",
        "f() { int ¤g(int n) => n; return §g(1); }",
        "f() { ¤a: while (true) { break §a; } }",
        "f(¤x) => 'a $§x';",
        "class A { A(int ¤x) : y = §x; }",
        "class A { void f(¤x) { g(x: §x); } }",
        "T f<¤T>() => g<§T>();",
        "class A<¤T> { §T? t; }",
    ] {
        check_local(Lang::Dart, marked);
    }
}

#[test]
fn dart_members_and_labels_are_no_local_names() {
    for marked in [
        "f(x) => y.§x;",
        "f(x) => y..§x = 1;",
        "f(x) => g(§x: 1);",
        "f(x) => (§x: 1);",
        "class A { f(x) { this.§x = 1; } }",
    ] {
        check(Lang::Dart, marked);
    }
    check(Lang::Dart, "class A {\n  int ¤x = 1;\n  void f() { §x++; }\n}\n");
    check(Lang::Dart, "class A {\n  int get ¤x => 1;\n  void f() { §x; }\n}\n");
    check(Lang::Dart, "import 'a.dart' as ¤a;\nf() => §a.b();\n");
    check(Lang::Dart, "class ¤A {}\nf() => §A();\n");
}
