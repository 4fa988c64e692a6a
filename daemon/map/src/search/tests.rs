//! Compares the search with the plain way, which visits every definition and file.

use proptest::prelude::*;

use super::{HitRole, SearchedFiles};
use crate::fixture::set;
use crate::graph::{
    DefRef, KindFilter, Map, MapChange, MatchClass, NodeKind, NodeRef, SearchAnswer, SearchQuery,
};
use hob_base::{FileId, WsPath};

/// Returns the hits of a query, best first, by visiting everything. Queries have no separators, and few hits.
fn plain_search(map: &Map, query: &SearchQuery<'_>) -> Vec<(MatchClass, String)> {
    let (asked, lower) = (query.text, query.text.to_lowercase());
    let mut found = Vec::new();
    for (file, entry) in map.index.entries() {
        let path = entry.path.as_str();
        let below = path
            .strip_prefix(query.path_prefix)
            .is_some_and(|rest| query.path_prefix.is_empty() || rest.is_empty() || rest.starts_with('/'));
        if !below {
            continue;
        }
        let defs = (query.kinds != KindFilter::File).then(|| entry.facts.defs_indexed());
        for (def, found_def) in defs.into_iter().flatten() {
            let name = entry.facts.name(found_def.name);
            let class = match name.to_lowercase() {
                text if text == lower => MatchClass::Exact,
                text if text.starts_with(&lower) => MatchClass::Prefix,
                text if text.contains(&lower) => MatchClass::Substring,
                _ => continue,
            };
            let node = NodeRef::Def(DefRef { file, def });
            if query.kinds.admits(NodeKind::Def(found_def.kind)) {
                let length = entry.facts.name(found_def.qualified).len();
                found.push((class, !name.contains(asked), map.hit_role(node, class), length, map.id(node)));
            }
        }
        if matches!(query.kinds, KindFilter::Any | KindFilter::File) && path.to_lowercase().contains(&lower) {
            let name = entry.path.file_name();
            let exact =
                [name.to_lowercase(), name.split('.').next().unwrap_or("").to_lowercase()].contains(&lower);
            let class = if exact { MatchClass::Exact } else { MatchClass::Path };
            let role = HitRole::Definition;
            found.push((class, !name.contains(asked), role, path.len(), map.id(NodeRef::File(file))));
        }
    }
    found.sort();
    found.into_iter().map(|(class, _, _, _, id)| (class, id.to_string())).collect()
}

fn text(names: &[(bool, String)]) -> String {
    let line = |(is_class, name): &(bool, String)| match is_class {
        true => format!("class {name}: pass\n"),
        false => format!("def {name}(): pass\n"),
    };
    names.iter().map(line).collect()
}

fn arbitrary_names() -> impl Strategy<Value = Vec<(bool, String)>> {
    prop::collection::vec((any::<bool>(), "[aAbB_]{1,4}"), 0..6)
}

proptest! {
    #[test]
    fn finds_and_ranks_what_looking_at_everything_does(
        files in prop::collection::vec(arbitrary_names(), 1..6),
        changed in prop::collection::vec((0usize..6, prop::option::of(arbitrary_names())), 0..4),
        query in "[aAbB_]{1,3}",
        kind in 0usize..4,
        folder in 0usize..3,
    ) {
        let path = |at: usize| format!("{}/{}.py", ["a", "a/Ab", "b"][at % 3], ["ab", "x", "Ba"][at % 2 + at % 3 / 2]);
        let mut map = Map::new();
        map.apply(files.iter().enumerate().map(|(at, names)| set(at as u32, &path(at), &text(names))).collect());
        let query = SearchQuery {
            text: &query,
            kinds: [KindFilter::Any, KindFilter::Function, KindFilter::Class, KindFilter::File][kind],
            path_prefix: ["", "a", "a/Ab"][folder],
            limit: 60,
        };
        for (at, names) in changed {
            // What this search notes about names must not outlive the change.
            let _ = map.search(&query);
            let change = match names {
                Some(names) => set(at as u32, &path(at), &text(&names)),
                None => MapChange::Remove { file: FileId(at as u32) },
            };
            map.apply(vec![change]);
        }
        let answer = map.search(&query);
        // Near misses come after everything else, and only if that is little.
        let sure = answer.hits.iter().filter(|hit| hit.class != MatchClass::Fuzzy);
        let found: Vec<(MatchClass, String)> = sure.map(|hit| (hit.class, hit.info.id.to_string())).collect();
        let expected = plain_search(&map, &query);
        prop_assert_eq!(answer.total - (answer.hits.len() - found.len()), expected.len());
        prop_assert_eq!(&found, &expected);

        // The same files, tested one by one, and found by their folder.
        let prefix = WsPath::new(query.path_prefix).expect("a path");
        let everywhere = SearchQuery { path_prefix: "", ..query };
        for (prefixes, has_whole_folders) in [(None, false), (Some(&[&prefix][..]), false), (Some(&[&prefix][..]), true)] {
            let files = SearchedFiles { admits: &|path| path.is_below(&prefix), prefixes, has_whole_folders };
            let among = map.search_among(&everywhere, &files);
            let ids = |answer: &SearchAnswer| answer.hits.iter().map(|hit| hit.info.id.to_string()).collect::<Vec<_>>();
            prop_assert_eq!((ids(&among), among.total), (ids(&answer), answer.total));
        }
    }
}

#[test]
fn what_is_not_looked_at_is_counted() {
    let files = (0..30).map(|file| {
        let names =
            |kind: &str, of: &str| (0..20).map(|at| format!("{kind} {of}{at}(): pass\n")).collect::<String>();
        let (function, class) = (names("def", "some_f"), names("class", "Some_c"));
        set(file, &format!("d{}/f{file}.py", file % 2), &format!("{function}{class}def same(): pass\n"))
    });
    let mut map = Map::new();
    map.apply(files.collect());
    let count = |text, kinds, path_prefix| {
        let answer = map.search(&SearchQuery { text, kinds, path_prefix, limit: 3 });
        assert!(!answer.total_is_least);
        answer.total
    };
    assert_eq!(count("some", KindFilter::Any, ""), 30 * 40);
    assert_eq!(count("me_", KindFilter::Function, ""), 30 * 20);
    assert_eq!(count("ome", KindFilter::Class, "d1"), 15 * 20);
    assert_eq!(count("f", KindFilter::File, "d1"), 15);
    assert_eq!(count("sam", KindFilter::Any, "d0/f4.py"), 1);
}

#[test]
fn the_best_name_is_found_behind_thousands_that_seem_better() {
    // All of them are shorter, and only their text shows that their case differs.
    let others: String = (0..3000).map(|at| format!("def Some{at}(): pass\n")).collect();
    let mut map = Map::new();
    map.apply(vec![set(0, "a.py", &format!("{others}def some_longer_name(): pass\n"))]);
    let answer = map.search(&SearchQuery { text: "some", kinds: KindFilter::Any, path_prefix: "", limit: 3 });
    assert_eq!(answer.hits[0].info.id.to_string(), "py:a.py#some_longer_name");
    assert_eq!(answer.total, 3001);
}

#[test]
fn a_folder_has_the_module_beside_it() {
    let mut map = Map::new();
    let paths = ["src/commands.rs", "src/commands/list.rs", "src/commands_old.rs", "commands.rs"];
    map.apply(paths.iter().enumerate().map(|(at, path)| set(at as u32, path, "fn com() {}\n")).collect());
    let prefix = WsPath::new("src/commands").expect("a path");
    let admits = |path: &WsPath| path.is_below(&prefix) || path.as_str() == "src/commands.rs";
    let query = SearchQuery { text: "c", kinds: KindFilter::File, path_prefix: "", limit: 10 };
    let prefixes = Some(&[&prefix][..]);
    let found = [(None, false), (prefixes, false), (prefixes, true)].map(|(prefixes, has_whole_folders)| {
        let files = SearchedFiles { admits: &admits, prefixes, has_whole_folders };
        let answer = map.search_among(&query, &files);
        let mut ids: Vec<String> = answer.hits.iter().map(|hit| hit.info.id.to_string()).collect();
        ids.sort();
        ids
    });
    assert_eq!(found[0], found[1]);
    assert_eq!(found[0], found[2]);
    assert_eq!(found[0], ["rs:src/commands.rs", "rs:src/commands/list.rs"]);
}

#[test]
fn the_best_of_a_folder_is_found_behind_bad_ones_of_a_good_name() {
    // All look for the hub elsewhere, whose name is the most promising one.
    let used: String =
        (0..40).map(|at| format!("def u{at}():\n    item_hub()\n    item_helper()\n")).collect();
    let uses = format!("from a.hub import item_hub\nfrom b.helper import item_helper\n{used}");
    let mut files = vec![
        set(0, "a/hub.py", "def item_hub(): pass\n"),
        set(1, "b/helper.py", "def item_helper(): pass\n"),
        set(2, "a/uses.py", &uses),
    ];
    files.extend(
        (3..103).map(|file| set(file, &format!("b/f{file}.py"), "class K:\n    def item_hub(self): pass\n")),
    );
    let mut map = Map::new();
    map.apply(files);
    let mut job = map.derive_job();
    while !map.derive_step(&mut job, 100) {}
    map.install_derived(job.finish());
    let prefix = WsPath::new("b").expect("a path");
    let files = SearchedFiles {
        admits: &|path| path.is_below(&prefix),
        prefixes: Some(&[&prefix]),
        has_whole_folders: true,
    };
    let query = SearchQuery { text: "item_", kinds: KindFilter::Any, path_prefix: "", limit: 3 };
    let answer = map.search_among(&query, &files);
    assert_eq!(answer.hits[0].info.id.to_string(), "py:b/helper.py#item_helper");
    assert_eq!(answer.total, 101);
}

#[test]
fn a_definition_of_that_name_stands_before_those_in_tests() {
    let mut map = Map::new();
    // Several calls lead to the one in the tests.
    let used = "class Runtime: pass\n\ndef test_it():\n    Runtime()\n    Runtime()\n";
    map.apply(vec![set(0, "tests/test_task.py", used), set(1, "pkg/runtime.py", "class Runtime: pass\n")]);
    let ask = |text| {
        let query = SearchQuery { text, kinds: KindFilter::Any, path_prefix: "", limit: 3 };
        map.search(&query).hits[0].info.id.to_string()
    };
    assert_eq!(ask("Runtime"), "py:pkg/runtime.py#Runtime");
    assert_eq!(ask("test_it"), "py:tests/test_task.py#test_it");
}

#[test]
fn counts_in_a_folder_follow_changes() {
    let mut map = Map::new();
    let class = "class Alpha { void run(); };\nint Alpha;\n";
    map.apply(vec![set(0, "a/one.h", class), set(1, "a/two.h", class), set(2, "b/three.h", class)]);
    let query = SearchQuery { text: "Alpha", kinds: KindFilter::Class, path_prefix: "a", limit: 9 };
    assert_eq!(map.search(&query).total, 2);
    map.apply(vec![set(3, "a/run.cpp", "void Alpha::run() {}\n")]);
    assert_eq!(map.search(&query).total, 2);
    map.apply(vec![set(3, "a/run.cpp", "class Alpha;\n"), set(0, "a/one.h", "int Alpha;\n")]);
    assert_eq!(map.search(&query).total, plain_search(&map, &query).len());
}
