//! Reads the addresses of the other places that a repository is known to be at.

use super::Repository;

/// Most addresses that are read.
const MANY: usize = 32;

impl Repository {
    /// The addresses of the remotes, as the repository's own configuration has them; they may hold passwords. Those of
    /// a workspace that is a part of the working tree are of the whole.
    #[must_use]
    pub fn remote_addresses(&self) -> Vec<String> {
        let repository = self.open();
        let configuration = repository.config_snapshot();
        let sections = configuration.plumbing().sections_by_name("remote").into_iter().flatten();
        let addresses = sections.filter_map(|section| section.value("url").map(|url| url.to_string()));
        addresses.take(MANY).collect()
    }

    /// The names of the folders that lead from the top of the working tree to the workspace; none if it is the whole.
    #[must_use]
    pub fn folders_to_workspace(&self) -> &[String] {
        &self.prefix
    }
}
