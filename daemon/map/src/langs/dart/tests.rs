//! Tests the facts that hob reads from Dart, and the definitions that its names mean.

use crate::langs::lang::Lang;
use crate::langs::support::project::fake::Fake;
use crate::langs::support::render;

#[test]
fn show() {
    let Ok(file) = std::env::var("DART_FILE") else { return };
    let text = std::fs::read_to_string(file).unwrap();
    println!("{}", render::facts_of(Lang::Dart, &text));
}

#[test]
fn show_fix() {
    let Ok(file) = std::env::var("DART_FIX") else { return };
    let text = std::fs::read_to_string(file).unwrap();
    let map = crate::fixture::map(&text);
    println!("{}", crate::fixture::shown_uses(&map).join("\n"));
}

#[test]
fn show_tree() {
    let Ok(dir) = std::env::var("DART_TREE") else { return };
    let mut map = crate::graph::Map::new();
    let mut left = vec![std::path::PathBuf::from(&dir)];
    let mut changes = Vec::new();
    while let Some(at) = left.pop() {
        for e in std::fs::read_dir(&at).unwrap().flatten() {
            let p = e.path();
            if p.is_dir() {
                left.push(p);
                continue;
            }
            let name = p.file_name().unwrap().to_string_lossy().into_owned();
            if !(name.ends_with(".dart") || name == "pubspec.yaml") {
                continue;
            }
            let Ok(text) = std::fs::read_to_string(&p) else { continue };
            let rel = p.strip_prefix(&dir).unwrap().to_string_lossy().into_owned();
            changes.push(crate::fixture::set(changes.len() as u32, &rel, &text));
        }
    }
    map.apply(changes);
    println!("{}", crate::fixture::shown_uses(&map).join("\n"));
}

#[test]
fn imports_find_files_of_packages() {
    let project = Fake::new(&[
        ("pubspec.yaml", "# The shop.\nname: shop # ours\nversion: 1.0.0\ndependencies:\n  name: x\n"),
        ("lib/shop.dart", "export 'src/cart.dart';"),
        ("lib/src/cart.dart", "library shop.cart; part 'item.dart'; part '../old.dart';"),
        ("lib/src/item.dart", "part of 'cart.dart';"),
        ("lib/old.dart", "part of shop.cart;"),
        ("lib/lost.dart", "part of shop.cart;"),
        ("test/cart_test.dart", ""),
        ("packages/ui/pubspec.yaml", "name: 'ui'\n"),
        ("packages/ui/lib/ui.dart", ""),
    ]);
    let rules = &super::imports::DartImportRules;
    let resolve = |from, module| project.resolve(rules, from, module);
    assert_eq!(resolve("test/cart_test.dart", "package:shop/src/cart.dart"), "lib/src/cart.dart");
    assert_eq!(resolve("lib/shop.dart", "src/cart.dart"), "lib/src/cart.dart");
    assert_eq!(resolve("lib/src/cart.dart", "../shop.dart"), "lib/shop.dart");
    assert_eq!(resolve("lib/shop.dart", "package:ui/ui.dart"), "packages/ui/lib/ui.dart");
    assert_eq!(resolve("lib/shop.dart", "package:ui/gone.dart"), "unknown");
    assert_eq!(resolve("lib/shop.dart", "gone.g.dart"), "unknown");
    assert_eq!(resolve("lib/shop.dart", "package:flutter/material.dart"), "ext:flutter");
    assert_eq!(resolve("lib/shop.dart", "dart:async"), "ext:dart:async");
    assert_eq!(resolve("lib/src/item.dart", "part of cart.dart"), "lib/src/cart.dart");
    assert_eq!(resolve("lib/old.dart", "part of shop.cart"), "lib/src/cart.dart");
    assert_eq!(resolve("lib/lost.dart", "part of shop.cart"), "unknown");
}

#[test]
fn damaged_sources_give_facts_all_the_same() {
    let sample = "library a.b; import 'x.dart' as x hide Y; part 'é.dart';\n/// d\n@A(b: C.d) class F<T> extends G<T> with H implements I {\n \
        final D d = const D.e(1), f; F.g(this.d, {super.k}) : f = 1, super.h(); factory F() = F.i; int get j => d.k!.l;\n \
        void m(D o, int c(E s)) async { for (final q in d.list()) { if (q is J && q.n) { q..o(1)..p.r = \"$d ${d.e}\"; } }\n \
        var (a, b: c2) = switch (o) { K(:final l) when l > 1 => (1, b: x.Y()), _ => throw L() }; try { } on E catch (e, s) { e.f(); } }\n} \
        enum E with M { a.b(1), c; final int z = 1; }\nextension X on List<int> { } typedef T = void Function(int a);\n";
    render::torture(Lang::Dart, sample);
}
