//! Reads the addresses of a repository's remotes.

use super::Repository;

/// Most addresses that are read.
const MANY: usize = 32;

impl Repository {
    /// Returns the addresses of the remotes, as the repository's own configuration has them; they may hold passwords. A
    /// workspace that is a part of a working tree has the addresses of the whole.
    #[must_use]
    pub fn remote_addresses(&self) -> Vec<String> {
        let repository = self.open();
        let configuration = repository.config_snapshot();
        let sections = configuration.plumbing().sections_by_name("remote").into_iter().flatten();
        let addresses = sections.filter_map(|section| section.value("url").map(|url| url.to_string()));
        addresses.take(MANY).collect()
    }

    /// Returns the names of the folders that lead from the top of the working tree to the workspace; empty if the
    /// workspace is the whole tree.
    #[must_use]
    pub fn folders_to_workspace(&self) -> &[String] {
        &self.prefix
    }
}
