//! Reads the addresses of the other places that a repository is known to be at.

use super::Repository;

/// Most addresses that are read.
const MANY: usize = 32;

impl Repository {
    /// The addresses of the remotes, as the repository's own configuration has them; they may hold passwords. Empty for a workspace
    /// that is a part of the working tree, for the remotes are those of the whole.
    #[must_use]
    pub fn remote_addresses(&self) -> Vec<String> {
        if !self.prefix.is_empty() {
            return Vec::new();
        }
        let repository = self.open();
        let configuration = repository.config_snapshot();
        let sections = configuration.plumbing().sections_by_name("remote").into_iter().flatten();
        let addresses = sections.filter_map(|section| section.value("url").map(|url| url.to_string()));
        addresses.take(MANY).collect()
    }

    /// Returns true if the workspace is the whole working tree.
    #[must_use]
    pub fn is_whole_tree(&self) -> bool {
        self.prefix.is_empty()
    }
}
