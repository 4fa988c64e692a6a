//! Tests the facts that hob reads from C.

use crate::langs::lang::Lang;
use crate::langs::support::project::fake::Fake;
use crate::langs::support::render;

#[track_caller]
fn check_facts(source: &str, expected: &str) {
    render::check(Lang::C, source, expected);
}

#[test]
fn functions_with_their_comments_and_linkage() {
    check_facts(
        r#"
/* Licence. */

/**
 * add - sums
 * @a: one
 *
 * More.
 */
int add(int a, struct item *it) {
	helper(a, it->next);
	return it->ops->run(LIMIT);
}
static struct item *helper(int n, void *p); // trailing
int old(a, b) int a; char *b; { return a + *b; }
int (*chooser(int a))(int b) { return 0; }
extern int (*hook)(int x);
"#,
        r#"
function add 10-13@10:5 E | int add(int a, struct item *it) | add - sums @a: one
function helper 14-14@14:21 D | static struct item *helper(int n, void *p)
function old 15-15@15:5 E | int old(a, b)
function chooser 16-16@16:7 E | int (*chooser(int a))(int b)
variable hook 17-17@17:14 ED | extern int (*hook)(int x)
10:23 type item in add
11:2 call helper in add
12:18 call ?.run in add
12:22 use LIMIT in add
14:15 type item
"#,
    );
}

#[test]
fn types_fields_enumerators_and_names_for_them() {
    check_facts(
        r#"
struct fwd;
enum colour { RED, GREEN = FIRST };
/* A pair. */
typedef struct { int a; struct fwd *b, **c; } pair_t;
typedef struct node { struct node *next; union { int i; float f; }; struct inner { int z; } in; } node_t;
typedef int (*callback)(void *data, pair_t *p);
typedef unsigned long ulong;
struct ops { int (*open)(struct node *n); unsigned flags:3; };
union u { char c; };
static const struct ops table = { .open = my_open, .flags = FLAG(1) };
int x = 1, *y, z[SIZE];
"#,
        r#"
struct fwd 2-2@2:8 ED | struct fwd
enum colour 3-3@3:6 E | enum colour
constant RED 3-3@3:15 E | RED
constant GREEN 3-3@3:20 E | GREEN = FIRST
struct pair_t 5-5@5:47 E | typedef struct | A pair.
field pair_t.a 5-5@5:22 E | int a
field pair_t.b 5-5@5:37 E | struct fwd *b, **c
field pair_t.c 5-5@5:42 E | struct fwd *b, **c
type_alias node_t 6-6@6:99 E | typedef struct node { struct node *next; union { int i; float f; }; struct inner { int z; } in; } node_t
struct node 6-6@6:16 E | typedef struct node
field node.next 6-6@6:36 E | struct node *next
field node.i 6-6@6:54 E | int i
field node.f 6-6@6:63 E | float f
field node.in 6-6@6:93 E | struct inner { int z; } in
struct inner 6-6@6:76 E | struct inner
field inner.z 6-6@6:88 E | int z
type_alias callback 7-7@7:15 E | typedef int (*callback)(void *data, pair_t *p)
type_alias ulong 8-8@8:23 E | typedef unsigned long ulong
struct ops 9-9@9:8 E | struct ops
field ops.open 9-9@9:20 E | int (*open)(struct node *n)
field ops.flags 9-9@9:52 E | unsigned flags:3
struct u 10-10@10:7 E | union u
field u.c 10-10@10:16 E | char c
variable table 11-11@11:25 | static const struct ops table
variable x 12-12@12:5 E | int x
variable y 12-12@12:13 E | int x = 1, *y
variable z 12-12@12:16 E | int x = 1, *y, z[SIZE]
3:28 use FIRST in colour
5:32 type fwd in pair_t
6:30 type node in node
7:37 type pair_t
9:33 type node in ops
11:21 type ops
11:43 use my_open
11:61 call FLAG
12:18 use SIZE
"#,
    );
}

#[test]
fn locals_hide_names_and_type_their_members() {
    check_facts(
        r#"
static struct ops *global;
int run(struct ops *o, int count) {
	struct node n = { .value = count };
	int (*fp)(int) = pick;
	for (int i = 0; i < MAX; i++)
		o->open(&n, i);
	fp(count);
	global->open(0);
	n.next->go(sizeof(struct node), (pair_t *)count);
	{ int inner = 1; use(inner); }
	inner();
	goto out;
out:
	return errno_of(count);
}
"#,
        r#"
variable global 2-2@2:20 | static struct ops *global
function run 3-16@3:5 E | int run(struct ops *o, int count)
2:15 type ops
3:16 type ops in run
4:9 type node in run
5:19 use pick in run
6:22 use MAX in run
7:6 call <ops>.open in run
9:2 use global in run
9:10 call <ops>.open in run
10:10 call ?.go in run
10:27 type node in run
10:35 type pair_t in run
11:19 call use in run
12:2 call inner in run
15:9 call errno_of in run
"#,
    );
}

#[test]
fn preprocessor() {
    check_facts(
        r#"
#ifndef THING_H
#define THING_H
#include "a/b.h"
#include <stdio.h>
#include MACRO_PATH
#ifdef CONFIG_X
#define LIMIT 10
#endif
/* Larger. */
#define MAX(a, b) \
	(cmp(a, b) > 0 ? a : pick("f(x)", b))
#define other_name real_name
#if defined(CONFIG_Y) && VERSION(2)
int y;
#endif
#endif
"#,
        r#"
macro LIMIT 8-8@8:9 E | #define LIMIT 10
macro MAX 11-12@11:9 E | #define MAX(a, b) \ (cmp(a, b) > 0 ? a : pick("f(x)", b)) | Larger.
macro other_name 13-13@13:9 E | #define other_name real_name
variable y 15-15@15:5 E | int y
import star "a/b.h" reexported @4
import star <stdio.h> reexported @5
7:8 use CONFIG_X
12:3 call cmp in MAX
12:23 call pick in MAX
13:20 use real_name in other_name
14:13 use CONFIG_Y
14:26 call VERSION
"#,
    );
}

#[test]
fn macros_that_disturb_the_grammar() {
    check_facts(
        r#"
static int __init setup(void) { return 0; }
SYSCALL_DEFINE3(read, unsigned int, fd, char __user *, buf, size_t, count)
{
	return ksys_read(fd, buf, count);
}
static DEFINE_MUTEX(lock);
EXPORT_SYMBOL(setup);
noinline void slow(void) { }
asmlinkage __visible void __init start_kernel(void) { go(); }
struct page *alloc(int a) __acquires(lock) { return 0; }
int counter __read_mostly = 1;
static struct page *cache __read_mostly;
struct __packed wire { u8 kind; };
struct aligned { u8 a ____cacheline_aligned; DECLARE_BITMAP(bits, 4); } __packed;
TEST(adds) { ASSERT(add(1, 2)); }
late_initcall(setup)
int after(void) { return 1; }
"#,
        r#"
function setup 2-2@2:19 | static int __init setup(void)
function sys_read 3-6@3:17 E | SYSCALL_DEFINE3(read, unsigned int, fd, char __user *, buf, size_t, count)
variable lock 7-7@7:21 | static DEFINE_MUTEX(lock)
function slow 9-9@9:15 E | noinline void slow(void)
function start_kernel 10-10@10:34 E | void __init start_kernel(void)
function alloc 11-11@11:14 E | struct page *alloc(int a) __acquires(lock)
variable counter 12-12@12:5 E | int counter __read_mostly
variable cache 13-13@13:21 | static struct page *cache __read_mostly
struct wire 14-14@14:17 E | struct __packed wire
field wire.kind 14-14@14:27 E | u8 kind
struct aligned 15-15@15:8 E | struct aligned
field aligned.a 15-15@15:21 E | u8 a ____cacheline_aligned
function adds 16-16@16:6 ET | TEST(adds)
function after 17-18@18:5 E | late_initcall(setup) int after(void)
3:1 call SYSCALL_DEFINE3
5:9 call ksys_read in sys_read
7:8 call DEFINE_MUTEX
8:1 call EXPORT_SYMBOL
8:15 use setup
9:1 use noinline
10:1 use asmlinkage
10:55 call go in start_kernel
11:8 type page in alloc
11:27 call __acquires in alloc
11:38 use lock in alloc
13:15 type page
14:24 type u8 in wire
15:18 type u8 in aligned
15:46 call DECLARE_BITMAP in aligned
16:1 call TEST in adds
16:14 call ASSERT in adds
16:21 call add in adds
17:1 call late_initcall in after
17:15 use setup in after
"#,
    );
}

#[test]
fn bodies_that_the_preprocessor_splits() {
    check_facts(
        r#"
#ifdef A
int first(int a) {
#else
int first(long b) {
#endif
	return call();
}
int second(void) { return 1; }
"#,
        r#"
function first 3-8@3:5 E | int first(int a)
function second 9-9@9:5 E | int second(void)
function first~2 5-8@5:5 E | int first(long b)
2:8 use A
7:9 call call in first
"#,
    );
}

#[test]
fn two_definitions_of_a_name_are_counted() {
    check_facts(
        "int f(void);\nint f(void) { return g(); }\n",
        r#"
function f 1-1@1:5 ED | int f(void)
function f~2 2-2@2:5 E | int f(void)
2:22 call g in f
"#,
    );
}

#[test]
fn damaged_sources_give_facts_all_the_same() {
    let sample = "/* c */\n#define M(a) f(a)\nstatic int __init f(struct s *p, int k) { p->x(M(k)); return é; }\n\
        typedef struct { int a; } t;\nenum e { A };\nSYSCALL_DEFINE1(x, int, y) { int (*q)(int) = f; }\n";
    render::torture(Lang::C, sample);
}

#[test]
fn include_paths_of_the_build_decide() {
    let commands = r#"[
        {"directory": "/home/u/proj/build", "file": "../src/a.c", "command": "cc -I../lib/one/include '-I/usr/include' \"-I../a blank/inc\" -c ../src/a.c"},
        {"directory": "/home/u/proj/build", "file": "../src/b.c", "arguments": ["cc", "-isystem", "/home/u/proj/third/inc", "-c"]},
        {"directory": 3}
    ]"#;
    let project = Fake::new(&[
        ("build/compile_commands.json", commands),
        ("src/a.c", ""),
        ("src/config.h", ""),
        ("lib/one/include/api.h", ""),
        ("lib/two/include/api.h", ""),
        ("third/inc/t.h", ""),
        ("other/inc/t.h", ""),
        ("a blank/inc/spaced.h", ""),
        ("other/spaced.h", ""),
    ]);
    let resolve = |module| project.resolve(&super::Includes, "src/a.c", module);
    assert_eq!(resolve("<api.h>"), "lib/one/include/api.h");
    assert_eq!(resolve("\"t.h\""), "third/inc/t.h");
    assert_eq!(resolve("\"config.h\""), "src/config.h");
    assert_eq!(resolve("<stdio.h>"), "ext:stdio.h");
    assert_eq!(resolve("<spaced.h>"), "a blank/inc/spaced.h");
}

#[test]
fn includes_find_their_files() {
    let project = Fake::new(&[
        ("src/a.c", ""),
        ("src/a.h", ""),
        ("src/util/list.h", ""),
        ("include/net/list.h", ""),
        ("include/net/sock.h", ""),
        ("tools/include/net/sock.h", ""),
        ("arch/x/include/asm/io.h", ""),
        ("arch/y/include/asm/io.h", ""),
        ("arch/y/mm/init.c", ""),
    ]);
    let resolve = |from, module| project.resolve(&super::Includes, from, module);
    assert_eq!(resolve("src/a.c", "\"a.h\""), "src/a.h");
    assert_eq!(resolve("src/a.c", "\"util/list.h\""), "src/util/list.h");
    assert_eq!(resolve("src/util/list.h", "\"../a.h\""), "src/a.h");
    assert_eq!(resolve("src/a.c", "\"../../a.h\""), "unknown");
    assert_eq!(resolve("src/a.c", "<net/list.h>"), "include/net/list.h");
    assert_eq!(resolve("src/a.c", "<net/sock.h>"), "include/net/sock.h");
    assert_eq!(resolve("src/a.c", "<stdio.h>"), "ext:stdio.h");
    assert_eq!(resolve("src/a.c", "<other/list.h>"), "ext:other/list.h");
    assert_eq!(resolve("src/a.c", "<asm/io.h>"), "unknown");
    assert_eq!(resolve("arch/y/mm/init.c", "<asm/io.h>"), "arch/y/include/asm/io.h");
}

#[test]
fn a_macro_that_renames_a_function_is_not_what_its_callers_mean() {
    let code = "//- /conf.h\n#ifdef PREFIX\n#define deflate z_deflate\n#endif\n//- /deflate.c\n#include \"conf.h\"\n\
        int deflate(int x) { return x; }\n//- /gz.c\n#include \"conf.h\"\nint gz(void) { return deflate(1); }\n";
    let edges = crate::fixture::shown_uses(&crate::fixture::map(code));
    let calls: Vec<&String> = edges.iter().filter(|edge| edge.starts_with("gz.c#gz calls")).collect();
    assert!(matches!(&calls[..], [edge] if edge.contains("deflate.c#deflate")), "{edges:?}");
}

#[test]
fn a_type_behind_a_macro_is_referred_to() {
    let code =
        "//- /a.c\n#define local static\ntypedef int block_state;\nlocal block_state stored(int flush);\n";
    let edges = crate::fixture::shown_uses(&crate::fixture::map(code));
    assert!(edges.iter().any(|edge| edge == "a.c references a.c#block_state exact"), "{edges:?}");
}
