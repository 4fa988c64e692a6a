//! Explains why a workspace has no files, or hardly any: an empty map must never be shown without its reason.
//!
//! Some repositories ignore everything and list exceptions (Debian's kernel packaging does). That is legal, and in the
//! unpacked source tree it hides the kernel. The test asks the rules about a file and a folder with made-up names at
//! the root. If the rules ignore both, the note names the ignore files that match.

use std::path::PathBuf;

use hob_base::WsPath;
use ignore::gitignore::gitconfig_excludes_path;
use ignore::{DirEntry, WalkBuilder};

use crate::names;
use crate::rule_files::RuleFiles;
use crate::{Rules, ScanNote};

/// Made-up names that no rule can mean.
const PROBE_FILE: &str = "hob-probe-file.hob-probe";
const PROBE_DIR: &str = "hob-probe-folder";

/// Most ignored files for which the responsible ignore file is looked up.
const SAMPLE: usize = 64;

/// Explains why a walk of everything kept only `kept` files; `None` if there is nothing to explain.
pub(crate) fn explain_absence(rules: &Rules, kept: u64) -> Option<ScanNote> {
    let probes = [(PathBuf::from(PROBE_FILE), false), (PathBuf::from(PROBE_DIR), true)];
    let ignored_by_default = probes.iter().all(|(path, is_dir)| {
        let path = WsPath::from_path(path).expect("a probe is a plain name");
        if *is_dir { !rules.admits_dir(&path) } else { !rules.admits_file(&path) }
    });
    if ignored_by_default {
        return Some(ScanNote::IgnoredByDefault { kept, by: responsible_files(rules, &probes) });
    }
    if kept > 0 {
        return None;
    }
    let sample = ignored_files(rules);
    Some(match sample.is_empty() {
        true => ScanNote::Empty,
        false => ScanNote::IgnoredByDefault { kept, by: responsible_files(rules, &sample) },
    })
}

/// Returns some files that only the rules exclude; hidden ones do not count.
fn ignored_files(rules: &Rules) -> Vec<(PathBuf, bool)> {
    let is_content = |entry: &DirEntry| entry.file_type().is_some_and(|kind| kind.is_file());
    WalkBuilder::new(rules.root())
        .standard_filters(false)
        .hidden(true)
        .build()
        .flatten()
        .filter(is_content)
        .filter_map(|entry| {
            entry.path().strip_prefix(rules.root()).ok().map(|path| (path.to_path_buf(), false))
        })
        .take(SAMPLE)
        .collect()
}

/// Returns the ignore files of the root, and those above it, that ignore one of `paths`.
fn responsible_files(rules: &Rules, paths: &[(PathBuf, bool)]) -> Vec<String> {
    let files = rules.read_afresh();
    let mut by: Vec<String> = candidate_rule_files(rules)
        .into_iter()
        .filter(|file| ignores_any(rules, &files, file, paths))
        .map(|file| match file.strip_prefix(rules.root()) {
            Ok(inside) => inside.display().to_string(),
            Err(_) => file.display().to_string(),
        })
        .collect();
    if by.is_empty() {
        // Deeper rule files, or several together.
        by.push("ignore files in its folders".to_owned());
    }
    by
}

/// Lists the rule files that count for the root: git's up to the repository's root, the others in every folder above.
fn candidate_rule_files(rules: &Rules) -> Vec<PathBuf> {
    let folders: Vec<_> = rules.root().as_path().ancestors().collect();
    let repository = folders.iter().position(|folder| folder.join(".git").exists());
    let within_git = match repository {
        Some(at) => at + 1,
        None if rules.options().require_git => 0,
        None => folders.len(),
    };
    let git = [names::GIT_EXCLUDE, names::GIT_IGNORE];
    let others = [names::IGNORE].into_iter().chain(names::CUSTOM_IGNORE);
    let git = folders[..within_git].iter().flat_map(|folder| git.map(|name| folder.join(name)));
    let others = others.flat_map(|name| folders.iter().map(move |folder| folder.join(name)));
    let global = gitconfig_excludes_path().filter(|_| rules.options().global && within_git > 0);
    git.chain(others).chain(global).filter(|file| file.is_file()).collect()
}

fn ignores_any(rules: &Rules, files: &RuleFiles, file: &PathBuf, paths: &[(PathBuf, bool)]) -> bool {
    let base = match file.strip_prefix(rules.root()) {
        // Patterns of git's own files are relative to the repository's root.
        Ok(_) => rules.root().as_path(),
        Err(_) => file.parent().unwrap_or(rules.root().as_path()),
    };
    let matcher = files.matcher_for(base, std::slice::from_ref(file));
    paths.iter().any(|(path, is_dir)| {
        let path = rules.root().as_path().join(path);
        path.starts_with(base) && matcher.matched_path_or_any_parents(&path, *is_dir).is_ignore()
    })
}
