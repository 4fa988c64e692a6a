//! Tests the facts of files whose preprocessor directives and macros disturb the grammar.

use crate::langs::lang::Lang;
use crate::langs::support::render;

#[track_caller]
fn check_facts(source: &str, expected: &str) {
    render::check(Lang::C, source, expected);
}

/// Returns the definitions of a file: kind, name, line and column.
fn list_defs(lang: Lang, source: &str) -> Vec<String> {
    let facts = crate::extract(lang, "a", source.as_bytes());
    let line = |def: &crate::facts::Def| {
        format!("{} {} {}:{}", def.kind.as_str(), facts.name(def.qualified), def.name_at.0, def.name_at.1)
    };
    facts.defs.iter().map(line).collect()
}

#[test]
fn braces_that_conditions_split_do_not_swallow_what_follows() {
    check_facts(
        r#"
int first(int a) {
#ifdef A
	if (one(a)) {
#else
	if (two(a)) {
#endif
		three(a);
	}
#ifdef B
	if (a) {
		four();
#endif
		five();
#ifdef B
	}
#endif
	return 0;
}

int second(void) { return first(1); }
"#,
        r#"
function first 2-19@2:5 E | int first(int a)
function second 21-21@21:5 E | int second(void)
3:8 use A in first
4:6 call one in first
6:6 call two in first
8:3 call three in first
10:8 use B in first
12:3 call four in first
14:3 call five in first
15:8 use B in first
21:27 call first in second
"#,
    );
}

#[test]
fn what_only_the_other_branch_declares_is_there_too() {
    let code = "#ifdef A\nint open(int a) {\n#else\nint other(void);\nint open(long b) {\n#endif\n\treturn 0;\n}\n\
        #ifdef A\nint gone(void) {\n#else\nint left(void) {\n#endif\n\tif (x) {\n#if X\n\t}\n#else\n\t\tf(); }\n#endif\n}\n\
        int MACRO last(void);\n";
    let found = list_defs(Lang::C, code);
    for name in ["open 2:5", "other 4:5", "open 5:5", "gone 10:5", "left 12:5", "last 21:11"] {
        assert!(found.contains(&format!("function {name}")), "{name}: {found:?}");
    }
}

#[test]
fn macros_around_types_and_names_are_left_out() {
    let code = "ZEXTERN int ZEXPORT deflate OF((z_streamp strm, int flush));\nZEXTERN const z_crc_t FAR * ZEXPORT table(void);\n\
        void ZLIB_INTERNAL _tr_init(deflate_state *s);\nLOCAL ZSTD_cpuid_t ZSTD_cpuid(void) { return 0; }\n\
        local const uch EXTRA lengths[] = { 1 };\nint ZEXPORT old(strm, level)\n    z_streamp strm;\n    int level;\n{ return 0; }\n\
        struct PACKED API wire { int a; };\nint after(void) { return 1; }\n";
    let expected = [
        "function deflate 1:21",
        "function table 2:37",
        "function _tr_init 3:20",
        "function ZSTD_cpuid 4:20",
        "variable lengths 5:23",
        "function old 6:13",
        "struct wire 10:19",
        "function after 11:5",
    ];
    let found = list_defs(Lang::C, code);
    for one in expected {
        assert!(found.iter().any(|def| def == one), "{one}: {found:?}");
    }
}

#[test]
fn macros_that_are_left_out_are_referred_to() {
    let facts = crate::extract(
        Lang::C,
        "a.c",
        b"int API deflate OF((state *s));\nlocal state FAR get(state *s);\nvoid API f(s *x);\n",
    );
    let named = |name: &str| facts.refs.iter().filter(|found| facts.name(found.name) == name).count();
    assert_eq!((named("local"), named("FAR"), named("API"), named("state")), (1, 1, 2, 3));
}

#[test]
fn loops_that_are_macros_do_not_hide_the_rest() {
    let code = "void API f(s *x) {\n\tfor_each_cpu(i)\n\t\tsum += rq(i)->n;\n\tlist_for_each(a, b) {\n\t\tg();\n\t}\n}\nint h(void) { }\n";
    let found = list_defs(Lang::C, code);
    assert_eq!(found, ["function f 1:10", "function h 8:5"]);
}

#[test]
fn headers_for_both_languages_are_read_in_each() {
    let code = "#ifdef __cplusplus\nextern \"C\" {\n#endif\nAPI int APIENTRY one(A a, B b);\nAPI void APIENTRY two(A *a);\n\
        #ifdef __cplusplus\n}\n#endif\n";
    for lang in [Lang::C, Lang::Cpp] {
        let found = list_defs(lang, code);
        assert_eq!(found, ["function one 4:18", "function two 5:19"], "{lang:?}");
    }
}

#[test]
fn a_type_that_a_typedef_announces_is_declared() {
    check_facts(
        "typedef struct far_s far_t;\ntypedef struct near_s near_t;\nstruct near_s { int a; };\ntypedef struct far_s *far_p;\n",
        r#"
type_alias far_t 1-1@1:22 E | typedef struct far_s far_t
struct far_s 1-1@1:16 ED | struct far_s
type_alias near_t 2-2@2:23 E | typedef struct near_s near_t
struct near_s 3-3@3:8 E | struct near_s
field near_s.a 3-3@3:21 E | int a
type_alias far_p 4-4@4:23 E | typedef struct far_s *far_p
2:16 type near_s
4:16 type far_s
"#,
    );
}

#[test]
fn damage_in_conditions_is_only_damage() {
    let sample = "#ifdef A\nint f(int a) {\n#elif B // c\nint f(long é) {\n#else\nint f() {\n#endif\n  for_each(x) y();\n}\n\
        INIT(f)\nAPI T CALL g OF((int a, T *b));\n#if 0\n} \" '\n#endif\nstruct A b { int c; } d MACRO = { {\n#if X\n 1,\n#endif\n} };\n";
    for lang in [Lang::C, Lang::Cpp] {
        render::torture(lang, sample);
    }
}
