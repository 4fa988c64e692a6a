//! What an event means: which paths it marks, which folders become watched.
//!
//! The rule on which completeness rests: *whenever a watch may have ended, the folder is watched again if it is there.*
//! A watch ends only with an event for its folder (moved away, deleted), so every such event looks whether a folder is
//! there now, and if so watches it first and lists it then. If none is there, making one is an event in the parent.

use std::fs;
use std::path::Path;

use hob_base::{AbsPath, WsPath};

use super::health::Remedy;
use super::{FsEvent, Watcher};
use crate::names;

/// What was found at a path.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Dir,
    Other,
    Nothing,
}

fn kind_of(path: &Path) -> Kind {
    match fs::symlink_metadata(path) {
        Ok(found) if found.is_dir() => Kind::Dir,
        Ok(_) => Kind::Other,
        Err(_) => Kind::Nothing,
    }
}

impl Watcher {
    /// Takes in one event; on the pump's thread only.
    pub(super) fn take_in(&self, event: FsEvent) {
        match event {
            FsEvent::Vanished(path) | FsEvent::Unclear(path) if path == self.cookie_file.dir() => {
                self.lose("the folder for cookies was moved or deleted".to_owned(), Remedy::Replace);
            }
            FsEvent::Lost(why) => self.lose(why, Remedy::Replace),
            FsEvent::Appeared(path) => self.at(&path, |path, rel| self.appeared(path, rel)),
            FsEvent::Vanished(path) => self.at(&path, |path, rel| self.vanished(path, rel)),
            FsEvent::Touched(path) => self.at(&path, |_, rel| self.touched(rel)),
            FsEvent::Unclear(path) => self.at(&path, |path, rel| match kind_of(path) {
                Kind::Dir => self.appeared(path, rel),
                Kind::Other => self.touched(rel),
                Kind::Nothing => self.vanished(path, rel),
            }),
        }
    }

    /// Sorts out cookies and what lies outside, and sees to rule files.
    fn at(&self, path: &Path, then: impl FnOnce(&Path, &WsPath)) {
        if let Some(number) = self.cookie_file.number(path) {
            // The old name of a renamed cookie has a number that is done with.
            return self.cookies.seen(number);
        }
        // A name that is not Unicode belongs to no file of the workspace.
        let Ok(rel) = AbsPath::new(path).and_then(|path| path.relative_to(self.rules.root())) else { return };
        if names::decides_rules(rel.file_name()) || rel.as_str() == names::GIT_EXCLUDE {
            self.rules_changed(&rel);
        }
        then(path, &rel);
    }

    fn rules_changed(&self, rule_file: &WsPath) {
        self.rules.reload();
        self.watch_git_exclude();
        let folder = if rule_file.as_str() == names::GIT_EXCLUDE { "" } else { rule_file.dir() };
        let folder = WsPath::new(folder).expect("the folder of a workspace path is one");
        self.dirty.mark_tree(folder);
    }

    fn appeared(&self, path: &Path, rel: &WsPath) {
        match kind_of(path) {
            Kind::Dir => self.folder_appeared(path, rel),
            Kind::Other => {
                self.forget_folder(rel);
                self.mark(rel);
            }
            // Gone already: its own event follows, but what it stood in the place of is gone too.
            Kind::Nothing => self.vanished(path, rel),
        }
    }

    fn vanished(&self, path: &Path, rel: &WsPath) {
        if rel.is_root() {
            return self.lose("the workspace's folder was moved or deleted".to_owned(), Remedy::Replace);
        }
        if self.forget_folder(rel) {
            self.dirty.mark_tree(rel.clone());
        } else {
            self.mark(rel);
        }
        if kind_of(path) == Kind::Dir {
            self.folder_appeared(path, rel);
        }
    }

    fn touched(&self, rel: &WsPath) {
        // A folder's metadata: it may have become readable. (Changes *in* it are events of their own.)
        if self.is_watched(rel) { self.dirty.mark_tree(rel.clone()) } else { self.mark(rel) }
    }

    /// Marks a path unless the rules exclude whatever it is or was.
    fn mark(&self, rel: &WsPath) {
        if self.rules.admits_file(rel) || self.rules.admits_dir(rel) {
            self.dirty.mark(rel.clone());
        }
    }

    fn folder_appeared(&self, path: &Path, rel: &WsPath) {
        // Rules that were remembered for an earlier folder of this name mean nothing now.
        self.rules.reload();
        // It may stand where a file was.
        self.mark(rel);
        if self.rules.admits_dir(rel) {
            self.adopt(path, rel);
        }
    }

    /// Watches a folder that has turned up, and everything below it, and marks the files found there. Each folder is
    /// watched first and listed then: a file made in between is found twice, never missed.
    fn adopt(&self, path: &Path, rel: &WsPath) {
        let mut folders = vec![(path.to_path_buf(), rel.clone())];
        while let Some((path, rel)) = folders.pop() {
            self.watch_again(&rel);
            let entries = list(&path, &rel);
            if entries.iter().any(|(_, rel, _)| names::decides_rules(rel.file_name())) {
                self.rules.reload();
            }
            for (path, rel, is_dir) in entries {
                if is_dir && self.rules.admits_dir(&rel) {
                    folders.push((path, rel));
                } else if !is_dir && self.rules.admits_file(&rel) {
                    self.dirty.mark(rel);
                }
            }
        }
    }
}

/// What lies in a folder, as far as it can be named: path, workspace path, whether it is a folder.
fn list(path: &Path, rel: &WsPath) -> Vec<(std::path::PathBuf, WsPath, bool)> {
    let Ok(entries) = fs::read_dir(path) else { return Vec::new() };
    let describe = |entry: fs::DirEntry| {
        let name = entry.file_name();
        let is_dir = entry.file_type().ok()?.is_dir();
        let rel = WsPath::from_path(&Path::new(rel.as_str()).join(&name)).ok()?;
        Some((entry.path(), rel, is_dir))
    };
    entries.flatten().filter_map(describe).collect()
}
