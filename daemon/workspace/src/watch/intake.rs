//! Decides which paths an event marks.
//!
//! An event is old when it arrives, so nothing is looked up here: the watcher marks the path, and the indexer later
//! finds out what is there now. If that is a folder, it is watched first and listed then ([`crate::scan_tree()`]), so a
//! file that is made in between is found twice, never missed.
//!
//! Completeness rests on one rule: *a watch ends only with an event for its folder* (moved away, deleted, replaced),
//! *and every such event removes the folder from the list of watched ones and marks it.* If a folder is there again,
//! the indexer watches it again when it works off the mark; if not, making one is an event in the parent.

use std::path::Path;

use hob_base::{AbsPath, WsPath};

use super::health::Remedy;
use super::{FsEvent, Watcher};
use crate::names;

impl Watcher {
    /// Handles one event; the backend sends one at a time.
    pub(super) fn handle_event(&self, event: FsEvent) {
        match event {
            FsEvent::Lost(why) => self.note_loss(why, Remedy::Replace),
            FsEvent::Vanished(path) if path == self.cookie_file.dir() => {
                self.note_loss("the folder for cookies was moved or deleted".to_owned(), Remedy::Replace);
            }
            FsEvent::Vanished(path) if self.rules.root().as_path().starts_with(&path) => {
                self.note_loss(
                    "the workspace's folder, or one above it, was moved or deleted".to_owned(),
                    Remedy::Replace,
                );
            }
            FsEvent::Appeared(path) | FsEvent::Vanished(path) => {
                self.with_path_inside(&path, |rel| self.came_or_went(rel));
            }
            FsEvent::Touched(path) => self.with_path_inside(&path, |rel| self.mark_touched(rel)),
        }
    }

    /// Handles cookies and paths outside the workspace, reloads rule files, and passes a path inside to `then`.
    fn with_path_inside(&self, path: &Path, then: impl FnOnce(&WsPath)) {
        if let Some(number) = self.cookie_file.number_of(path) {
            // The old name of a renamed cookie has a number that has already been seen.
            return self.cookies.note_seen(number);
        }
        // A name that is not Unicode belongs to no file of the workspace.
        let Ok(rel) = AbsPath::new(path).and_then(|path| path.relative_to(self.rules.root())) else { return };
        if names::decides_rules(rel.file_name()) || rel.as_str() == names::GIT_EXCLUDE {
            self.rules_changed(&rel);
        }
        then(&rel);
    }

    fn rules_changed(&self, rule_file: &WsPath) {
        self.rules.reload_files();
        self.watch_git_exclude();
        let folder = if rule_file.as_str() == names::GIT_EXCLUDE { "" } else { rule_file.dir() };
        let folder = WsPath::new(folder).expect("the folder of a workspace path is one");
        self.dirty.mark_tree(folder);
    }

    fn came_or_went(&self, rel: &WsPath) {
        if self.forget_folder(rel) {
            self.dirty.mark_tree(rel.clone());
        } else {
            self.mark_unless_excluded(rel);
        }
    }

    fn mark_touched(&self, rel: &WsPath) {
        // The folder's metadata changed, so it may have become readable. (Changes *in* it are events of their own.)
        if self.is_watched(rel) { self.dirty.mark_tree(rel.clone()) } else { self.mark_unless_excluded(rel) }
    }

    /// Marks a path unless the rules exclude it whatever it is or was.
    fn mark_unless_excluded(&self, rel: &WsPath) {
        if self.rules.admits_file(rel) || self.rules.admits_dir(rel) {
            self.dirty.mark(rel.clone());
        }
    }
}
