//! Saves files as editors do: writes a new file next to the old one and renames it.

use std::collections::BTreeMap;
use std::fs;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::time::Instant;

use crate::generate::definition;
use crate::rows::Failure;

/// The file endings of the languages that hob and the compared programs have in common.
const ENDINGS: &[&str] = &["py", "c", "rs", "ts", "js", "go", "cpp", "cc"];

/// The size of an ordinary file, in bytes.
const ORDINARY: Range<u64> = 1_000..40_000;

/// A file that is being edited. Dropping this restores its former text.
pub(crate) struct Edited {
    /// The path from the root of the tree.
    pub(crate) path: String,
    at: PathBuf,
    before: Vec<u8>,
}

impl Edited {
    /// Returns the file in the middle of those of ordinary size in the tree's most common language.
    pub(crate) fn choose(tree: &Path) -> Result<Self, Failure> {
        Self::choose_among(tree, &ORDINARY)
    }

    /// Returns the file in the middle of those in the tree's most common language, whatever their size.
    pub(crate) fn choose_any(tree: &Path) -> Result<Self, Failure> {
        Self::choose_among(tree, &(0..u64::MAX))
    }

    fn choose_among(tree: &Path, sizes: &Range<u64>) -> Result<Self, Failure> {
        let mut found = BTreeMap::new();
        collect(tree, sizes, &mut found);
        let commonest = found.into_values().max_by_key(Vec::len);
        let mut files = commonest.ok_or("the tree has no source file of a language that all know")?;
        files.sort();
        let at = files.swap_remove(files.len() / 2);
        Self::at(tree, at.strip_prefix(tree)?)
    }

    /// Returns the file at `path` in another copy of the tree.
    pub(crate) fn at(tree: &Path, path: &Path) -> Result<Self, Failure> {
        let at = tree.join(path);
        let path = path.to_str().ok_or("the file's name is not Unicode")?.to_owned();
        Ok(Self { path, before: fs::read(&at)?, at })
    }

    /// Saves the file with a new function of this name at its end, and returns the time at which that was done.
    pub(crate) fn save(&self, name: &str) -> Result<Instant, Failure> {
        let ending = self.at.extension().and_then(|ending| ending.to_str()).unwrap_or_default();
        let mut text = self.before.clone();
        text.push(b'\n');
        text.extend(definition(ending, name, "hash").into_bytes());
        replace(&self.at, &text)?;
        Ok(Instant::now())
    }
}

impl Drop for Edited {
    fn drop(&mut self) {
        let _ = replace(&self.at, &self.before);
    }
}

/// Writes a file as editors do: next to the old one, then renamed.
pub(crate) fn replace(file: &Path, text: &[u8]) -> Result<(), Failure> {
    let beside = file.with_extension("saving");
    fs::write(&beside, text)?;
    fs::rename(&beside, file)?;
    Ok(())
}

fn collect(folder: &Path, sizes: &Range<u64>, found: &mut BTreeMap<&'static str, Vec<PathBuf>>) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let (path, name) = (entry.path(), entry.file_name());
        let Ok(meta) = fs::symlink_metadata(&path) else { continue };
        if name.to_str().is_none_or(|name| name.starts_with('.')) {
            continue;
        }
        if meta.is_dir() {
            collect(&path, sizes, found);
        } else if meta.is_file() && sizes.contains(&meta.len()) {
            let ending = ENDINGS.iter().find(|ending| path.extension().is_some_and(|own| own == **ending));
            ending.into_iter().for_each(|ending| found.entry(ending).or_default().push(path.clone()));
        }
    }
}
