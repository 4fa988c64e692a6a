//! Tests the edges that end at a node: open overloads, and flows that stay open between questions.

use hob_base::CancelToken;

use crate::fixture::{derived_map, lookup_node, map, set, show_edge};
use crate::graph::{Direction, EdgeKind, Following, ImpactQuery, Map, NeighborsAnswer, NeighborsQuery};

/// Shows the calls that end at a node, sorted.
fn shown_calls(map: &Map, target: &str) -> Vec<String> {
    let calls = [EdgeKind::Calls].into_iter().collect();
    let edges = map.edges_in(lookup_node(map, target), calls, &CancelToken::default());
    let mut shown: Vec<String> =
        edges.expect("nothing stops it").iter().map(|edge| show_edge(map, edge)).collect();
    shown.sort();
    shown
}

/// The first call leaves the overloads of one class open and the second those of another, in one file.
#[test]
fn a_call_that_leaves_overloads_open_is_among_the_callers_of_each_of_them() {
    let map = map("//- /A.java\nclass A { void go(int x) {} void go(String s) {} }\n\
        //- /B.java\nclass B { void go(int x, int y) {} void go(int x, String s) {} }\n\
        //- /Use.java\nclass Use {\n void first(A a) { a.go(Outside.make()); }\n \
        void second(B b) { b.go(1, Outside.make()); }\n}\n");
    for target in ["java:A.java#A.go", "java:A.java#A.go~2"] {
        assert_eq!(shown_calls(&map, target), ["Use.java#Use.first calls [A.java#A.go A.java#A.go~2] candidate"]
            .map(|shown| shown.replace("[A.java#A.go A.java#A.go~2]", &candidates(target, "A.java#A.go")))
        );
    }
    for target in ["java:B.java#B.go", "java:B.java#B.go~2"] {
        assert_eq!(
            shown_calls(&map, target),
            [format!("Use.java#Use.second calls {} candidate", candidates(target, "B.java#B.go"))]
        );
    }
}

fn candidates(target: &str, first: &str) -> String {
    let other = format!("{first}~2");
    if target.ends_with("~2") { format!("[{other} {first}]") } else { format!("[{first} {other}]") }
}

#[test]
fn flows_that_stayed_open_are_opened_anew_after_a_change() {
    let using = |called: &str| format!("from a import f, g\ndef run(call):\n    call()\nrun({called})\n");
    let mut map = map(&format!("//- /a.py\ndef f(): pass\ndef g(): pass\n//- /b.py\n{}", using("f")));
    let through = ["b.py#run calls a.py#f flow"];
    assert_eq!(shown_calls(&map, "f"), through);
    assert_eq!(shown_calls(&map, "f"), through, "from flows that are open");
    assert!(shown_calls(&map, "g").is_empty());
    map.apply(vec![set(1, "b.py", &using("g"))]);
    assert!(shown_calls(&map, "f").is_empty());
    assert_eq!(shown_calls(&map, "g"), ["b.py#run calls a.py#g flow"]);
}

/// Thirty files read `f`, so its values are not followed backwards into other files; a derivation follows the call in
/// `run` forwards.
fn map_of_a_name_in_many_files(derive: impl Fn(&str) -> Map) -> Map {
    let mentions: String = (0..30)
        .map(|at| format!("//- /m{at}.py\nfrom a import f\ndef user{at}():\n    return [f]\n"))
        .collect();
    derive(&format!("//- /a.py\ndef f(): pass\n//- /t.py\n{TABLE}{mentions}"))
}

const TABLE: &str = "from a import f\ntable = {\"a\": f}\ndef run():\n    table[\"a\"]()\n";

fn callers_of(map: &Map, target: &str) -> NeighborsAnswer {
    let query = NeighborsQuery {
        node: lookup_node(map, target),
        direction: Direction::In,
        kinds: [EdgeKind::Calls].into_iter().collect(),
        depth: 1,
        max_nodes: 10,
        family: false,
        cancel: CancelToken::default(),
    };
    map.neighbors(&query).expect("it is there")
}

fn ids_of(answer: &NeighborsAnswer) -> Vec<String> {
    answer.neighbors.iter().map(|found| found.info.id.to_string()).collect()
}

#[test]
fn a_call_through_values_that_only_leads_forwards_is_among_the_callers() {
    let map = map_of_a_name_in_many_files(derived_map);
    let answer = callers_of(&map, "f");
    assert_eq!(ids_of(&answer), ["py:t.py#run"]);
    assert_eq!(shown_calls(&map, "f"), ["t.py#run calls a.py#f flow"]);
}

/// The derivation is older than the files, and the definitions of changed files have other numbers.
#[test]
fn callers_that_the_last_derivation_found_are_asked_again_after_changes() {
    let mut map = map_of_a_name_in_many_files(derived_map);
    map.apply(vec![set(0, "a.py", "def first(): pass\ndef f(): pass\n")]);
    assert_eq!(shown_calls(&map, "f"), ["t.py#run calls a.py#f flow"], "its file has changed");
    map.apply(vec![set(1, "t.py", &TABLE.replace("def run", "def before(): pass\ndef run"))]);
    assert_eq!(shown_calls(&map, "f"), ["t.py#run calls a.py#f flow"], "the caller's file has changed too");
    assert!(shown_calls(&map, "first").is_empty());
    map.apply(vec![set(1, "t.py", &TABLE.replace(": f", ": print"))]);
    assert!(shown_calls(&map, "f").is_empty(), "the caller calls something else now");
}

/// The search for callers of `f` leaves files out in each of these maps; it may lack callers only where a file does
/// something else with `f` than call it.
#[test]
fn answers_say_that_callers_may_be_missing_where_a_definition_is_passed_on_in_many_files() {
    let impact = |map: &Map, target| {
        let cancel = CancelToken::default();
        let node = lookup_node(map, target);
        map.impact(&ImpactQuery { node, max_depth: 2, following: Following::Sure, cancel })
    };
    let called: String =
        (0..30).map(|at| format!("//- /m{at}.py\nfrom a import f\ndef user{at}():\n    f()\n")).collect();
    let called = format!("//- /a.py\ndef f(): pass\n{called}");
    for (may_lack, mut map) in [
        (true, map_of_a_name_in_many_files(map)),
        (true, map_of_a_name_in_many_files(derived_map)),
        (false, map(&called)),
        (false, derived_map(&called)),
    ] {
        assert_eq!(callers_of(&map, "f").may_lack_callers, may_lack);
        assert_eq!(impact(&map, "f").may_lack_callers, may_lack);
        assert!(!callers_of(&map, "user1").may_lack_callers, "few files mention this one");
        map.apply(vec![set(90, "new.py", "from a import f as g\ndef keep():\n    return [g]\n")]);
        let answer = callers_of(&map, "f");
        assert_eq!(answer.may_lack_callers, may_lack, "one more file that passes it on is followed");
    }
}

/// The derivation does not know the call, since it does not follow callers.
#[test]
fn calls_through_values_are_found_where_many_files_call_a_function_and_one_passes_it_on() {
    let called: String =
        (0..30).map(|at| format!("//- /m{at}.py\nfrom a import f\ndef user{at}():\n    f()\n")).collect();
    let passed = "from a import f as g\nfrom r import run\nrun(g)\n";
    let fixture = format!(
        "//- /a.py\ndef f(): pass\n//- /r.py\ndef run(call):\n    call()\n//- /t.py\n{passed}{called}"
    );
    for mut map in [map(&fixture), derived_map(&fixture)] {
        let through = "r.py#run calls a.py#f flow";
        assert!(shown_calls(&map, "f").contains(&through.to_owned()));
        assert!(!callers_of(&map, "f").may_lack_callers);
        map.apply(vec![set(0, "a.py", "def first(): pass\ndef f(): pass\n")]);
        assert!(shown_calls(&map, "f").contains(&through.to_owned()), "its file has changed");
        map.apply(vec![set(2, "t.py", &passed.replace("(g)", "(print)"))]);
        assert!(!shown_calls(&map, "f").contains(&through.to_owned()), "no file passes it on");
    }
}

/// With a derivation and without one, `caller` is among the callers of a definition of `a.py`.
#[test]
fn calls_through_values_are_found_where_no_file_names_the_definition_for_sure() {
    let run = "//- /r.py\ndef run(call):\n    call()\n";
    for (target, caller, fixture) in [
        (
            "py:a.py#Ctx.__enter__",
            "t.py#use",
            "//- /a.py\nclass Ctx:\n    def __enter__(self): pass\n    def __exit__(self, *all): pass\n\
             //- /t.py\ndef use(ctx):\n    with ctx:\n        pass\n\
             //- /m.py\nfrom a import Ctx\nfrom t import use\nuse(Ctx())\n",
        ),
        (
            "py:a.py#Sub.hook",
            "r.py#run",
            "//- /a.py\nclass Base:\n    def hook(self): pass\nclass Sub(Base):\n    def hook(self): pass\n\
             //- /t.py\nfrom a import Base\nfrom r import run\ndef reg(b: Base):\n    run(b.hook)\n\
             //- /m.py\nfrom a import Sub\nfrom t import reg\nreg(Sub())\n",
        ),
        (
            "py:a.py#f~2",
            "r.py#run",
            "//- /a.py\nif X:\n    def f(): pass\nelse:\n    def f(): pass\n\
             //- /t.py\nfrom a import f\nfrom r import run\nrun(f)\n",
        ),
    ] {
        let fixture = format!("{fixture}{run}");
        let through = format!("{caller} calls {} flow", target.trim_start_matches("py:"));
        for map in [map(&fixture), derived_map(&fixture)] {
            assert!(
                shown_calls(&map, target).contains(&through),
                "{target}: {:?}",
                shown_calls(&map, target)
            );
        }
    }
}

#[test]
fn a_definition_is_followed_under_the_name_by_which_another_file_exports_it() {
    let map = derived_map(
        "//- /p/a.py\ndef f(): pass\n//- /p/__init__.py\nfrom .a import f as g\n\
         //- /r.py\ndef run(call):\n    call()\n//- /t.py\nfrom p import g\nfrom r import run\nrun(g)\n",
    );
    assert_eq!(shown_calls(&map, "f"), ["r.py#run calls p/a.py#f flow"]);
}

/// Nothing names the decorated function; thirty files mention the member that keeps it.
#[test]
fn a_function_that_its_decorator_keeps_may_lack_callers() {
    let mentions: String =
        (0..30).map(|at| format!("//- /m{at}.py\ndef user{at}(one):\n    return one.kept\n")).collect();
    let fixture = |decorator: &str| {
        format!(
            "//- /a.py\nclass Task:\n    def __init__(self, work):\n        self.kept = work\n\
             def task(work):\n    return Task(work)\n{decorator}def job(): pass\n{mentions}"
        )
    };
    assert!(callers_of(&derived_map(&fixture("@task\n")), "job").may_lack_callers);
    assert!(!callers_of(&derived_map(&fixture("")), "job").may_lack_callers);
}

#[test]
fn a_default_export_is_followed_under_the_name_that_a_file_gives_it() {
    let map = derived_map(
        "//- /a.ts\nexport default function f() {}\n//- /r.ts\nexport function run(call) { call(); }\n\
         //- /t.ts\nimport other from './a';\nimport { run } from './r';\nrun(other);\n",
    );
    assert_eq!(shown_calls(&map, "f"), ["r.ts#run calls a.ts#f flow"]);
}

#[test]
fn what_is_newer_than_the_derivation_and_passed_on_in_many_files_may_lack_callers() {
    let mut map =
        map_of_a_name_in_many_files(|fixture| derived_map(&fixture.replace("def f()", "def other()")));
    map.apply(vec![set(0, "a.py", "def f(): pass\n")]);
    assert!(callers_of(&map, "f").may_lack_callers);
}

#[test]
fn a_class_that_is_passed_on_in_many_files_may_lack_callers_of_its_constructor() {
    let mentions: String = (0..30)
        .map(|at| format!("//- /m{at}.py\nfrom a import Model\ndef user{at}():\n    return [Model]\n"))
        .collect();
    let map = derived_map(&format!("//- /a.py\nclass Model:\n    def __init__(self): pass\n{mentions}"));
    assert!(callers_of(&map, "py:a.py#Model.__init__").may_lack_callers);
}

#[test]
fn a_class_of_which_only_members_are_named_is_not_passed_on() {
    for (used, may_lack) in [
        ("Model.create()", false),
        ("a.Model.create()", false),
        ("Model.create().go(); a.Model.create()", false),
        ("Model.create(Model)", true),
        ("a.Model.create(a.Model)", true),
        ("a.keep(Model, a.Model.create())", true),
    ] {
        let mentions: String = (0..30)
            .map(|at| format!("//- /m{at}.ts\nimport {{ Model }} from './a';\nimport * as a from './a';\nexport function user{at}() {{ {used}; }}\n"))
            .collect();
        let class = "export class Model {\n  constructor() {}\n  static create(of?) { return new this(); }\n  go() {}\n}\n";
        let map = derived_map(&format!("//- /a.ts\n{class}export function keep(...all) {{}}\n{mentions}"));
        assert_eq!(callers_of(&map, "ts:a.ts#Model.constructor").may_lack_callers, may_lack, "{used}");
    }
}

/// The first line of the caller is resolved, so the caller is among the answers in any case; the second leads forwards
/// alone.
#[test]
fn a_line_of_a_caller_that_only_leads_forwards_is_among_its_lines() {
    let mentions: String =
        (0..30).map(|at| format!("//- /m{at}.py\nclass Other{at}:\n    def save(self): pass\n")).collect();
    let map = derived_map(&format!(
        "//- /a.py\nclass Model:\n    def save(self): pass\n//- /t.py\nfrom a import Model\n\
         table = {{\"a\": Model()}}\ndef run():\n    Model().save()\n    table[\"a\"].save()\n{mentions}"
    ));
    let calls = [EdgeKind::Calls].into_iter().collect();
    let edges = map.edges_in(lookup_node(&map, "py:a.py#Model.save"), calls, &CancelToken::default());
    let mut lines: Vec<u32> =
        edges.expect("nothing stops it").iter().flat_map(|edge| edge.sites.clone()).collect();
    lines.sort_unstable();
    assert_eq!(lines, [4, 5]);
}
