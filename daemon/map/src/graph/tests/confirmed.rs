//! Tests confirmed references: they show at both ends, count only on sufficient evidence, and never outlive what they
//! depend on.

use std::collections::BTreeMap;

use hob_base::FileId;
use proptest::prelude::*;
use rustc_hash::FxHashMap;

use super::changes::{
    C, ChangeWorld, GO, JAVA, PYTHON, RUST, TYPESCRIPT, both_ways, built_at_once, change_of_text,
    one_sided_lines,
};
use crate::fixture::{lookup_node, map, set, show_edge, shown_uses};
use crate::graph::{Claim, DefRef, EdgeKind, Map, MapChange, NodeRef, Proof, Reach};

const SHOP: &str = "
//- /a.py
class A:
    def run(self): pass
//- /b.py
class B:
    def run(self): pass
//- /make.py
from a import A
def make(): return globals()['A']()
//- /use.py
from make import make
def go():
    x = make()
    x.run()
//- /other.py
def unrelated(): pass
";

fn def_named(map: &Map, name: &str) -> DefRef {
    match lookup_node(map, name) {
        NodeRef::Def(def) => def,
        other => panic!("{other:?}"),
    }
}

fn claim_at(map: &Map, path: &str, at: (u32, u32), target: &str, proof: Proof) -> Claim {
    Claim { file: map.file_at(path).expect("it is there"), at, target: def_named(map, target), proof }
}

fn confirm_all(map: &mut Map, claims: &[Claim]) {
    let examined = map.examine(claims, &|| true).expect("nobody stops it");
    assert!(map.confirm(examined));
}

fn edges_to_run(map: &Map) -> Vec<String> {
    let edges = map.edges_out(lookup_node(map, "go"), [EdgeKind::Calls].into_iter().collect());
    let shown = edges.iter().map(|edge| show_edge(map, edge));
    shown.filter(|edge| edge.contains("run")).collect()
}

const OPEN: &str = "use.py#go calls [a.py#A.run b.py#B.run] candidate";
const LIVE: &str = "use.py#go calls a.py#A.run live";

fn shop_map() -> Map {
    let mut map = map(SHOP);
    assert_eq!(edges_to_run(&map), [OPEN]);
    let listed = claim_at(&map, "use.py", (4, 7), "A.run", Proof::Listed);
    confirm_all(&mut map, &[listed]);
    assert_eq!(edges_to_run(&map), [LIVE]);
    map
}

#[test]
fn a_confirmed_use_is_one_edge_from_both_ends() {
    let map = shop_map();
    let cancel = hob_base::CancelToken::default();
    let inbound = |name: &str| map.edges_in(lookup_node(&map, name), crate::graph::EdgeKinds::ALL, &cancel);
    let calls = |name| {
        inbound(name).expect("no deadline").into_iter().filter(|edge| edge.from == lookup_node(&map, "go"))
    };
    let (to_a, to_b): (Vec<_>, Vec<_>) = (calls("A.run").collect(), calls("B.run").collect());
    assert_eq!((to_a.len(), to_b.len()), (1, 0), "{to_a:?} {to_b:?}");
    assert_eq!((to_a[0].confidence.as_str(), to_a[0].site_count), ("live", 1));
    assert_eq!(map.export(), self::map(SHOP).export(), "what contents alone say is as it was");
}

#[test]
fn any_change_of_what_it_depends_on_ends_it() {
    let text_of = |path: &str| {
        let files = crate::fixture::files(SHOP);
        files.into_iter().find(|file| file.0 == path).expect("it is there").1
    };
    for (number, path, is_over) in [
        (3, "use.py", true),
        (0, "a.py", true),
        (2, "make.py", true),
        (1, "b.py", false),
        (4, "other.py", false),
    ] {
        let mut map = shop_map();
        map.apply(vec![set(number, path, &format!("{}\n# changed\n", text_of(path)))]);
        assert_eq!(edges_to_run(&map) == [OPEN], is_over, "{path}");
    }
    let mut map = shop_map();
    map.apply(vec![MapChange::Remove { file: FileId(2) }]);
    assert!(edges_to_run(&map).is_empty(), "what a package outside makes is not the project's");
    let mut map = shop_map();
    map.apply(vec![set(9, "pyproject.toml", "[project]\nname = \"x\"\n")]);
    assert_eq!(edges_to_run(&map), [OPEN], "imports may lead elsewhere now");
}

#[test]
fn a_new_file_that_an_import_may_mean_ends_it() {
    for (path, is_over) in [("make/__init__.py", true), ("make.pyi", true), ("far/away.py", false)] {
        let mut map = shop_map();
        map.apply(vec![set(9, path, "def make(): pass\n")]);
        assert_eq!(!edges_to_run(&map).contains(&LIVE.to_owned()), is_over, "{path}");
    }
}

/// A Java import names a type; the contents of the package's files decide which of them has it, if any.
#[test]
fn a_type_that_comes_to_where_it_was_looked_for_ends_it() {
    let begin = |import: &str| {
        let user = format!(
            "package b; {import}\nclass C {{ Made y; void go() {{ new a.Made(); \ny.make().run(); }} }}\n"
        );
        let texts = ["package a;\nclass Other {}\n", "package far;\nclass Away { void run() {} }\n", &user];
        let paths = ["src/A.java", "src/Far.java", "src/C.java"];
        let mut map = Map::new();
        map.apply((0..).zip(paths).zip(texts).map(|((n, path), text)| set(n, path, text)).collect());
        map.apply(vec![set(3, "src/Aside.java", "package aside;\nclass Made {}\n")]);
        let asked = claim_at(&map, "src/C.java", (3, 10), "Away.run", Proof::Asked);
        confirm_all(&mut map, &[asked]);
        assert_eq!(known_confirmations(&map).len(), 1, "{import}");
        map
    };
    for import in ["import a.Made;", "import a.*;", "import static a.Made.run;", ""] {
        for (number, path, text, is_over) in [
            (0, "src/A.java", "package a;\nclass Made { void run() {} }\n", true),
            (9, "src/New.java", "package a.b;\nclass New {}\n", true),
            (3, "src/Aside.java", "package aside;\nclass Made { void run() {} }\n", false),
            (9, "src/New.java", "package aside;\nclass New {}\n", false),
        ] {
            let mut map = begin(import);
            map.apply(vec![set(number, path, text)]);
            assert_eq!(known_confirmations(&map).is_empty(), is_over, "{import} {path} {text}");
        }
    }
}

/// The property test below found this case.
#[test]
fn an_import_that_led_nowhere_may_lead_somewhere() {
    use ConfirmStep::{Change, Claim};
    let steps = [
        Change(2, Some(6)),
        Change(4, Some(5)),
        Change(5, Some(5)),
        Claim(98, 0),
        Change(4, Some(0)),
        Claim(0, 0),
    ];
    check_confirm_steps(&JAVA, steps.to_vec()).expect("what was confirmed ended");
}

#[test]
fn what_was_examined_before_a_change_is_not_installed() {
    let mut map = map(SHOP);
    let claims = [claim_at(&map, "use.py", (4, 7), "A.run", Proof::Asked)];
    let examined = map.examine(&claims, &|| true).expect("nobody stops it");
    map.apply(vec![set(4, "other.py", "")]);
    assert!(!map.confirm(examined));
    assert_eq!(edges_to_run(&map), [OPEN]);
    assert!(map.examine(&claims, &|| false).is_none());
}

#[test]
fn places_without_a_reference_of_that_name_are_left_out() {
    let mut map = map(SHOP);
    for at in [(4, 5), (4, 8), (3, 9), (1, 1), (99, 1), (0, 0), (4, u32::MAX)] {
        let listed = claim_at(&map, "use.py", at, "A.run", Proof::Listed);
        confirm_all(&mut map, &[listed]);
    }
    let another_name = claim_at(&map, "use.py", (4, 7), "unrelated", Proof::Asked);
    confirm_all(&mut map, &[another_name]);
    assert_eq!(edges_to_run(&map), [OPEN]);
}

#[test]
fn claims_that_contradict_each_other_leave_the_map_as_it_was() {
    let mut map = map(SHOP);
    let both = ["A.run", "B.run"].map(|target| claim_at(&map, "use.py", (4, 7), target, Proof::Asked));
    confirm_all(&mut map, &both);
    assert_eq!(edges_to_run(&map), [OPEN]);
    confirm_all(&mut map, &both[..1]);
    assert_eq!(edges_to_run(&map), [LIVE]);
    confirm_all(&mut map, &both[1..]);
    assert_eq!(edges_to_run(&map), [OPEN]);
}

/// Servers list the uses of an interface's method under each method that implements it.
#[test]
fn a_listed_use_of_what_may_be_overridden_proves_nothing() {
    let related = "
//- /a.py
class Base:
    def run(self): pass
class A(Base):
    def run(self): pass
//- /use.py
def go(x):
    x.run()
";
    let mut map = map(related);
    let before = edges_to_run(&map);
    for target in ["Base.run", "A.run"] {
        let listed = claim_at(&map, "use.py", (2, 7), target, Proof::Listed);
        confirm_all(&mut map, &[listed]);
        assert_eq!(edges_to_run(&map), before, "{target}");
    }
    let asked = claim_at(&map, "use.py", (2, 7), "A.run", Proof::Asked);
    confirm_all(&mut map, &[asked]);
    assert_eq!(edges_to_run(&map), [LIVE]);
}

#[test]
fn instantiating_is_calling_the_type() {
    let fixture = "
//- /a.py
class A:
    def __init__(self): pass
//- /use.py
from a import A as Made
def go():
    Made()
";
    let mut map = map(fixture);
    let asked = claim_at(&map, "use.py", (3, 5), "A.__init__", Proof::Asked);
    confirm_all(&mut map, &[asked]);
    let found = shown_uses(&map);
    assert!(found.contains(&"use.py#go calls a.py#A live".to_owned()), "{found:?}");
}

#[test]
fn too_wide_a_reach_is_every_file_of_the_language() {
    let mut map = Map::new();
    let chain = (0..2_000).map(|i| set(i, &format!("m{i}.py"), &format!("from m{} import f\nf()\n", i + 1)));
    map.apply(chain.chain([set(2_000, "m2000.py", "def f(): pass\n")]).collect());
    let kept = |map: &mut Map, path: &str| {
        let asked = claim_at(map, path, (2, 1), "f", Proof::Asked);
        confirm_all(map, &[asked]);
        let file = map.file_at(path);
        map.confirmed_since(0).into_iter().find(|kept| Some(kept.file) == file).map(|kept| kept.reach)
    };
    let near = kept(&mut map, "m1990.py").expect("it was confirmed");
    assert!(matches!(&*near, Reach::Files(files) if files.len() == 11), "{near:?}");
    let far = kept(&mut map, "m0.py");
    assert!(far.is_none_or(|far| matches!(&*far, Reach::Family(_))));
}

/// A step: a change of a file, or a claim about some reference.
#[derive(Clone, Debug)]
enum ConfirmStep {
    Change(usize, Option<usize>),
    Claim(usize, usize),
}

fn arbitrary_confirm_steps() -> impl Strategy<Value = Vec<ConfirmStep>> {
    let change = (0usize..6, prop::option::weighted(0.85, 0usize..8))
        .prop_map(|(file, text)| ConfirmStep::Change(file, text));
    let claim = (0usize..100, 0usize..100).prop_map(|(r, target)| ConfirmStep::Claim(r, target));
    prop::collection::vec(prop_oneof![change, claim], 6..30)
}

/// Returns a claim about one of all references, for one of the definitions of its name.
fn some_claim(world: &ChangeWorld, map: &Map, which: usize, target: usize) -> Option<Claim> {
    let files: Vec<FileId> = world.paths.iter().filter_map(|path| map.file_at(path)).collect();
    let refs: Vec<(FileId, &crate::facts::Ref)> = files
        .iter()
        .flat_map(|file| {
            map.file(*file).into_iter().flat_map(|(_, facts)| facts.refs.iter()).map(|r| (*file, r))
        })
        .collect();
    let (file, r) = *refs.get(which.checked_rem(refs.len())?)?;
    let name = map.file(file)?.1.name(r.name);
    let defs: Vec<DefRef> = files.iter().flat_map(|file| map.defs_of(*file)).collect();
    let named = |def: &&DefRef| {
        map.file(def.file).is_some_and(|(_, facts)| facts.name(facts.def(def.def).name) == name)
    };
    let defs: Vec<&DefRef> = defs.iter().filter(named).collect();
    let target = **defs.get(target.checked_rem(defs.len())?)?;
    Some(Claim { file, at: (r.line, r.col()), target, proof: Proof::Asked })
}

/// A confirmation: the path of the reference, its place, and the ID of its meaning.
type One = (String, (u32, u32), String);

type KnownConfirmations = Vec<One>;

fn known_confirmations(map: &Map) -> KnownConfirmations {
    let path = |file| map.file(file).map(|found| found.0.to_string()).unwrap_or_default();
    let kept = map.confirmed_since(0).into_iter();
    let mut known: KnownConfirmations = kept
        .flat_map(|kept| kept.spots.into_iter().map(move |spot| (kept.file, spot)))
        .map(|(file, (at, target))| (path(file), at, map.id(map.body_of(target).into()).to_string()))
        .collect();
    known.sort();
    known
}

/// The path of a reference's file, and its place there.
type Site = (String, (u32, u32));

/// Returns the confirmed meaning of each reference; in C that may be a declaration.
fn confirmed_meanings(map: &Map) -> BTreeMap<Site, String> {
    let path = |file| map.file(file).map(|found| found.0.to_string()).unwrap_or_default();
    let kept = map.confirmed_since(0).into_iter();
    let spots = kept.flat_map(|kept| kept.spots.into_iter().map(move |spot| (kept.file, spot)));
    spots.map(|(file, (at, target))| ((path(file), at), map.id(target.into()).to_string())).collect()
}

fn check_confirm_steps(world: &ChangeWorld, steps: Vec<ConfirmStep>) -> Result<(), TestCaseError> {
    let mut map = Map::new();
    let mut texts = vec![None; world.paths.len()];
    // The texts at the time of each confirmation, by reference.
    let mut then: FxHashMap<Site, (String, Vec<Option<usize>>)> = FxHashMap::default();
    for step in steps {
        match step {
            ConfirmStep::Change(path, text) => {
                let (path, text) = (path % world.paths.len(), text.map(|text| text % world.texts.len()));
                texts[path] = text;
                map.apply(vec![change_of_text(world, path as u32, path, text)]);
                let left = confirmed_meanings(&map);
                then.retain(|site, _| left.contains_key(site));
            }
            ConfirmStep::Claim(which, target) => {
                let before = confirmed_meanings(&map);
                let claims: Vec<Claim> = some_claim(world, &map, which, target).into_iter().collect();
                confirm_all(&mut map, &claims);
                let new =
                    confirmed_meanings(&map).into_iter().filter(|(site, is)| before.get(site) != Some(is));
                then.extend(new.map(|(site, is)| (site, (is, texts.clone()))));
            }
        }
    }
    let mut scratch = built_at_once(world, &texts);
    prop_assert_eq!(map.export(), scratch.export());
    let claims: Vec<Claim> = known_confirmations(&map)
        .into_iter()
        .map(|(path, at, target)| Claim {
            file: scratch.file_at(&path).expect("it is there"),
            at,
            target: def_named(&scratch, &target),
            proof: Proof::Asked,
        })
        .collect();
    confirm_all(&mut scratch, &claims);
    prop_assert_eq!(known_confirmations(&map), known_confirmations(&scratch));
    let (out, inbound) = both_ways(world, &map);
    prop_assert_eq!(one_sided_lines(&out, &inbound), Vec::<&String>::new());
    prop_assert_eq!(&out, &both_ways(world, &scratch).0);
    // Everything that it depends on, computed anew, is as it was then.
    for kept in scratch.confirmed_since(0) {
        let path = |file: FileId| scratch.file(file).map(|found| found.0.to_string()).unwrap_or_default();
        for (at, target) in kept.spots {
            let one = (path(kept.file), at);
            let (meant, before) = then.get(&one).expect("it was confirmed at some time, and has not ended");
            // In C a definition may have been added for what was a declaration then.
            let same = *meant == scratch.id(target.into()).to_string();
            let reached: Vec<FileId> = match &*kept.reach {
                Reach::Files(files) => files.iter().copied().chain(same.then_some(target.file)).collect(),
                Reach::Family(_) => world.paths.iter().filter_map(|path| scratch.file_at(path)).collect(),
            };
            for file in reached {
                let place = world.paths.iter().position(|known| *known == path(file)).expect("one of them");
                prop_assert_eq!(texts[place], before[place], "{:?} depends on {}", one, path(file));
            }
        }
    }
    Ok(())
}

/// Returns the number of cases: 150, or the value of `PROPTEST_CASES`.
fn case_count() -> u32 {
    std::env::var("PROPTEST_CASES").ok().and_then(|cases| cases.parse().ok()).unwrap_or(150)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: case_count(), failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn python_confirmations_end_in_time(steps in arbitrary_confirm_steps()) {
        check_confirm_steps(&PYTHON, steps)?;
    }

    #[test]
    fn typescript_confirmations_end_in_time(steps in arbitrary_confirm_steps()) {
        check_confirm_steps(&TYPESCRIPT, steps)?;
    }

    #[test]
    fn rust_confirmations_end_in_time(steps in arbitrary_confirm_steps()) {
        check_confirm_steps(&RUST, steps)?;
    }

    #[test]
    fn go_confirmations_end_in_time(steps in arbitrary_confirm_steps()) {
        check_confirm_steps(&GO, steps)?;
    }

    #[test]
    fn c_confirmations_end_in_time(steps in arbitrary_confirm_steps()) {
        check_confirm_steps(&C, steps)?;
    }

    #[test]
    fn java_confirmations_end_in_time(steps in arbitrary_confirm_steps()) {
        check_confirm_steps(&JAVA, steps)?;
    }
}

#[test]
fn a_confirmed_use_is_a_step_of_a_path_in_a_derived_map() {
    let mut map = shop_map();
    let mut job = map.derive_job();
    while !map.derive_step(&mut job, 2) {}
    map.install_derived(job.finish());
    let steps = |map: &Map, from: &str, to: &str| {
        let (from, to) = (lookup_node(map, from), lookup_node(map, to));
        let cancel = hob_base::CancelToken::default();
        let (kinds, direction) = (crate::graph::EdgeKinds::ALL, crate::graph::Direction::Both);
        let query = crate::graph::PathQuery { from, to, max_len: 6, kinds, direction, cancel };
        let chain = map.path(&query).chains.into_iter().next().unwrap_or_default();
        chain.steps.iter().map(|step| step.confidence.as_str()).collect::<Vec<_>>()
    };
    assert_eq!(steps(&map, "go", "A.run"), ["live"]);
    assert_eq!(steps(&map, "A.run", "go"), ["live"]);
    map.apply(vec![set(4, "other.py", "def unrelated(): return 1\n")]);
    assert_eq!(steps(&map, "go", "A.run"), ["live"], "also beside a change");
}

#[test]
fn two_steps_over_a_derived_map_follow_confirmed_uses() {
    let answers = |has_skeleton: bool| {
        let mut map = shop_map();
        let mut job = map.derive_job();
        while !map.derive_step(&mut job, 2) {}
        map.install_derived(job.finish());
        if !has_skeleton {
            map.remove_skeleton();
        }
        let mut shown = Vec::new();
        for (target, max_nodes) in [("A", 4), ("A", 6), ("A", 50), ("make", 5), ("a.py", 6), ("a.py", 50)] {
            let query = crate::graph::NeighborsQuery {
                node: lookup_node(&map, target),
                direction: crate::graph::Direction::Both,
                kinds: crate::graph::EdgeKinds::ALL,
                depth: 3,
                max_nodes,
                family: false,
                cancel: hob_base::CancelToken::default(),
            };
            let answer = map.neighbors(&query).expect("it is there");
            assert_eq!(answer.farther_users, crate::graph::FartherUsers::All, "{target} {max_nodes}");
            shown.extend(super::surroundings::shown_neighbors(&answer, &map));
        }
        shown
    };
    let with_skeleton = answers(true);
    assert!(with_skeleton.iter().any(|line| line.contains("go calls in live 2")), "{with_skeleton:?}");
    assert_eq!(with_skeleton, answers(false));
}
