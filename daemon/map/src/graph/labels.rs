//! Names clusters as a person would: by the folder that most of a cluster's files share.
//!
//! The label is the deepest folder that holds more than half of the cluster; without one, the few folders that together
//! hold most of it, or else its hub, the most used definition in it. If two clusters would have one label, the smaller
//! one gets its hub added. A file names a cluster only if the cluster is that file alone. Tests name a cluster only if
//! it has hardly anything else: they go wherever the code is that they test, and often outnumber it.

use rustc_hash::{FxHashMap, FxHashSet};

use super::among_tests::is_test_path;

/// The share of a cluster's files that several folders must hold together to be its label, in per cent, and the most
/// folders.
const SEVERAL: usize = 60;
const MOST: usize = 3;

/// The least share of a cluster's files, in per cent, that are no tests and name the cluster on their own.
const OWN: usize = 10;

/// Returns a label for each community; `communities[i]` is that of `paths[i]`, numbered without gaps. `hubs` names the most used definition
/// of each, `""` if there is none.
pub(super) fn label_communities(paths: &[&str], communities: &[u32], hubs: &[&str]) -> Vec<String> {
    let count = communities.iter().max().map_or(0, |max| *max as usize + 1);
    let mut members: Vec<Vec<&str>> = vec![Vec::new(); count];
    for (path, &community) in paths.iter().zip(communities) {
        members[community as usize].push(path);
    }
    let mut taken = FxHashSet::default();
    let hubs = hubs.iter().copied().chain(std::iter::repeat(""));
    members.iter().zip(hubs).map(|(files, hub)| distinct_label(files, hub, &mut taken)).collect()
}

fn distinct_label(files: &[&str], hub: &str, taken: &mut FxHashSet<String>) -> String {
    let name = match (files, hub) {
        ([only], _) => (*only).to_owned(),
        (_, "") => folder_label(files).unwrap_or_else(|| "(several folders)".to_owned()),
        _ => folder_label(files).unwrap_or_else(|| format!("around {hub}")),
    };
    let told_apart = (!hub.is_empty()).then(|| format!("{name} ({hub})"));
    let numbered = (2u32..).map(|n| format!("{name} ({n})"));
    let mut tries = std::iter::once(name.clone()).chain(told_apart).chain(numbered);
    let label = tries.find(|label| !taken.contains(label)).unwrap_or_default();
    taken.insert(label.clone());
    label
}

/// Returns the shared folder of the files that are no tests, or of all files if hardly any are left.
fn folder_label(files: &[&str]) -> Option<String> {
    let own: Vec<&str> = files.iter().copied().filter(|file| !is_test_path(file)).collect();
    if own.is_empty() || own.len() == files.len() || own.len() * 100 < files.len() * OWN {
        return shared_folder(files);
    }
    let folder = shared_folder(&own)?;
    let are_most_tests = 2 * own.len() < files.len();
    Some(if are_most_tests { format!("{folder} and tests") } else { folder })
}

/// Returns the folder, or the few folders, that most of the files share; `None` if there are none.
fn shared_folder(files: &[&str]) -> Option<String> {
    let mut counts: FxHashMap<&str, usize> = FxHashMap::default();
    for file in files {
        for dir in folders_of_path(file) {
            *counts.entry(dir).or_default() += 1;
        }
    }
    let is_most = |count: usize| 2 * count > files.len();
    let holding = counts.into_iter().filter(|(_, count)| is_most(*count));
    // At one depth only one folder holds more than half.
    if let Some((dir, _)) = holding.max_by_key(|(dir, _)| dir.matches('/').count()) {
        return Some(dir.to_owned());
    }
    let at_root = files.iter().filter(|file| !file.contains('/')).count();
    if is_most(at_root) { Some("(root)".to_owned()) } else { several_folders(files) }
}

/// Returns the folders at the root that together hold most of the files, those with most of them first; `None` if that takes too many.
fn several_folders(files: &[&str]) -> Option<String> {
    let mut counts: FxHashMap<&str, usize> = FxHashMap::default();
    for (top, _) in files.iter().filter_map(|file| file.split_once('/')) {
        *counts.entry(top).or_default() += 1;
    }
    let mut tops: Vec<(&str, usize)> = counts.into_iter().collect();
    tops.sort_unstable_by_key(|(top, count)| (std::cmp::Reverse(*count), *top));
    let held = |most: &usize| tops.iter().take(*most).map(|(_, count)| count).sum::<usize>();
    let enough = (2..=MOST).find(|most| held(most) * 100 >= files.len() * SEVERAL)?;
    let names: Vec<&str> = tops.iter().take(enough).map(|(top, _)| *top).collect();
    Some(names.join(" + "))
}

/// Yields the folders that contain a path, nearest first, without the root.
fn folders_of_path(path: &str) -> impl Iterator<Item = &str> {
    std::iter::successors(path.rsplit_once('/'), |(dir, _)| dir.rsplit_once('/')).map(|(dir, _)| dir)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folders_name_clusters_and_no_two_are_alike() {
        let paths =
            ["net/http/a.py", "net/http/b.py", "net/http/c.py", "setup.py", "net/http/d.py", "net/http/e.py"];
        let labels = label_communities(&paths, &[0, 0, 0, 1, 2, 2], &["Client", "", "Server.run"]);
        assert_eq!(labels, ["net/http", "setup.py", "net/http (Server.run)"]);
    }

    #[test]
    fn tests_do_not_name_what_they_test() {
        let paths = ["src/app/a.py", "tests/a.py", "tests/b.py", "tests/c.py", "tests/d.py", "src/app/b.py"];
        assert_eq!(label_communities(&paths, &[0; 6], &["run"]), ["src/app and tests"]);
        let paths = ["src/app/a.py", "src/app/b.py", "tests/c.py"];
        assert_eq!(label_communities(&paths, &[0; 3], &["run"]), ["src/app"]);
        let paths = ["tests/a.py", "tests/b.py"];
        assert_eq!(label_communities(&paths, &[0; 2], &["run"]), ["tests"]);
    }

    /// The core of a workspace has files in several of its packages.
    #[test]
    fn no_file_names_a_cluster_of_many() {
        let paths = [
            "core/src/auto_pairs.rs",
            "core/src/b.rs",
            "core/src/c.rs",
            "term/src/a.rs",
            "term/src/b.rs",
            "term/src/c.rs",
            "view/src/a.rs",
            "loader/x.rs",
            "build.rs",
            "a/1.rs",
            "b/2.rs",
            "c/3.rs",
            "d/4.rs",
        ];
        let labels =
            label_communities(&paths, &[0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1], &["Document", "Range"]);
        assert_eq!(labels, ["core + term", "a + b + c"]);
        let scattered = ["a/1.rs", "b/2.rs", "c/3.rs", "d/4.rs", "e/5.rs", "f/6.rs"];
        assert_eq!(label_communities(&scattered, &[0; 6], &["Range.new"]), ["around Range.new"]);
        assert_eq!(label_communities(&scattered, &[0; 6], &[""]), ["(several folders)"]);
        assert_eq!(label_communities(&["a.py", "b.py", "c/d.py"], &[0; 3], &["run"]), ["(root)"]);
    }
}
