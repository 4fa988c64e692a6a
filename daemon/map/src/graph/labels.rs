//! Names for clusters, as a person would choose them: the folder that most of a cluster's files share.
//!
//! The deepest folder that holds at least 60 % of the cluster; where two clusters would be called alike, the second takes
//! its most common subfolder or, failing that, the name of its most typical file as well.

use rustc_hash::{FxHashMap, FxHashSet};

/// The share of a cluster's files that its label's folder must hold.
const SHARE: f64 = 0.6;

/// A label for each community; `communities[i]` is that of `paths[i]`, numbered without gaps.
pub(super) fn label(paths: &[&str], communities: &[u32]) -> Vec<String> {
    let count = communities.iter().max().map_or(0, |max| *max as usize + 1);
    let mut members: Vec<Vec<&str>> = vec![Vec::new(); count];
    for (path, &community) in paths.iter().zip(communities) {
        members[community as usize].push(path);
    }
    let mut taken = FxHashSet::default();
    members.iter().map(|files| distinct(files, &mut taken)).collect()
}

fn distinct(files: &[&str], taken: &mut FxHashSet<String>) -> String {
    let folder = shared_folder(files);
    let name = if folder.is_empty() { "(root)" } else { folder };
    let mut tries = vec![name.to_owned()];
    if let [only] = files {
        tries.insert(0, (*only).to_owned());
    }
    tries.extend(common_folder(files).filter(|sub| *sub != folder).map(str::to_owned));
    tries.extend(files.first().map(|file| format!("{name} ({})", stem(file))));
    let free = tries.iter().find(|label| !taken.contains(*label)).cloned();
    let label = free.unwrap_or_else(|| {
        let numbered = (2u32..).map(|n| format!("{name} ({n})"));
        numbered.into_iter().find(|label| !taken.contains(label)).unwrap_or_default()
    });
    taken.insert(label.clone());
    label
}

/// The deepest folder that holds enough of the files; `""` if only the root does.
fn shared_folder<'p>(files: &[&'p str]) -> &'p str {
    let mut counts: FxHashMap<&str, usize> = FxHashMap::default();
    for file in files {
        for dir in folders(file) {
            *counts.entry(dir).or_default() += 1;
        }
    }
    let enough = (files.len() as f64 * SHARE).ceil() as usize;
    let holding = counts.into_iter().filter(|(_, count)| *count >= enough).map(|(dir, _)| dir);
    holding.max_by_key(|dir| (dir.matches('/').count(), std::cmp::Reverse(*dir))).unwrap_or("")
}

/// The folder that most of the files lie directly in.
fn common_folder<'p>(files: &[&'p str]) -> impl Iterator<Item = &'p str> {
    let mut counts: FxHashMap<&str, usize> = FxHashMap::default();
    for file in files {
        *counts.entry(folders(file).next().unwrap_or("")).or_default() += 1;
    }
    let best = counts.into_iter().max_by_key(|(dir, count)| (*count, std::cmp::Reverse(*dir)));
    best.map(|(dir, _)| dir).filter(|dir| !dir.is_empty()).into_iter()
}

/// The folders a path lies in, nearest first, the root left out.
fn folders(path: &str) -> impl Iterator<Item = &str> {
    std::iter::successors(path.rsplit_once('/'), |(dir, _)| dir.rsplit_once('/')).map(|(dir, _)| dir)
}

fn stem(path: &str) -> &str {
    let name = path.rsplit('/').next().unwrap_or(path);
    name.split('.').next().unwrap_or(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folders_name_clusters_and_no_two_are_alike() {
        let paths =
            ["net/http/a.py", "net/http/b.py", "net/http/c.py", "setup.py", "net/http/d.py", "net/http/e.py"];
        let labels = label(&paths, &[0, 0, 0, 1, 2, 2]);
        assert_eq!(labels, ["net/http", "setup.py", "net/http (d)"]);
    }
}
