//! Reads the packages that a workspace depends on, again only after a manifest has changed.
//!
//! Manifests and lock files are few and seldom change, but a lock file can be large: the dependencies of each are
//! cached by its contents, and all of them together by the count of their changes.

use std::sync::Arc;

use hob_base::{ContentHash, Contents as _, WsPath};
use hob_workspace::manifest::{self, Dependency, Package};

use super::workspace::Workspace;
use hob_base::lock;

/// Largest size of a file that is read, in bytes.
const LARGEST: usize = 32 << 20;

impl Workspace {
    /// Returns the packages that its manifests and lock files name, sorted by ecosystem and name.
    #[must_use]
    pub fn packages(&self) -> Arc<Vec<Package>> {
        let mut state = lock(&self.packages.state);
        // The count is read before the files: the next question reads files that change in between.
        let changes = self.revision.manifest_changes();
        if let Some((made, packages)) = &state.known
            && *made == changes
        {
            return Arc::clone(packages);
        }
        let text = self.text();
        let wanted: Vec<(WsPath, ContentHash)> = text
            .files()
            .filter(|(_, path, _)| manifest::is_manifest(path))
            .map(|(_, path, hash)| (path.clone(), hash))
            .collect();
        // Nobody holds the text index while files are read.
        drop(text);
        let mut before = std::mem::take(&mut state.files);
        for (path, hash) in wanted {
            let same = before.iter().position(|(known, of, _)| *known == path && *of == hash);
            let said = match same {
                Some(at) => before.swap_remove(at).2,
                None => self.dependencies_in(&path),
            };
            state.files.push((path, hash, said));
        }
        let all = state.files.iter().map(|(path, _, said)| (path.clone(), said.clone()));
        let packages = Arc::new(manifest::merge(all));
        state.known = Some((changes, Arc::clone(&packages)));
        packages
    }

    fn dependencies_in(&self, path: &WsPath) -> Vec<Dependency> {
        let bytes = self.disk_contents().read(path).ok().filter(|bytes| bytes.len() <= LARGEST);
        let said = bytes.and_then(|bytes| manifest::read(path, &String::from_utf8_lossy(&bytes)));
        said.unwrap_or_default()
    }
}
