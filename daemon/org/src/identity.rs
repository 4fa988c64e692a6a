//! Decides which of the server's repositories a local folder is a clone of.
//!
//! The decision compares git remotes, as addresses without scheme, user, port and ending:
//! `git@github.com:acme/web.git` and `https://github.com/acme/web` are equal. If the remotes do not decide,
//! the name of the folder does, and only for a repository whose whole name it is. A false match would hide
//! another repository's lines; a missed match shows some lines twice.

use crate::wire::IndexedRepository;

/// The names by which a server may know a folder.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct LocalNames {
    remotes: Vec<String>,
    folder: String,
}

impl LocalNames {
    /// Creates the identity of a folder from its name and the addresses of its remotes, as git's
    /// configuration has them.
    pub fn new<'u>(folder: &str, remotes: impl IntoIterator<Item = &'u str>) -> Self {
        let remotes = remotes.into_iter().filter_map(plain_address).collect();
        Self { remotes, folder: folder.to_owned() }
    }

    /// Returns true if the folder is a clone of a repository.
    #[must_use]
    pub fn is_clone_of(&self, repository: &IndexedRepository) -> bool {
        let by_name = plain_name(&repository.name);
        let by_url = plain_address(&repository.url);
        if self.remotes.iter().any(|remote| Some(remote) == by_url.as_ref() || *remote == by_name) {
            return true;
        }
        let says_nothing = self.remotes.is_empty() || by_url.is_none();
        says_nothing && !self.folder.is_empty() && repository.name == self.folder
    }
}

/// Returns an address without the parts that differ between clones; `None` for a path, or for a text that
/// names no machine.
fn plain_address(address: &str) -> Option<String> {
    let rest = match address.split_once("://") {
        Some(("file", _)) => return None,
        Some((_, rest)) => rest.to_owned(),
        // The notation of scp: user@machine:path.
        None => {
            let (machine, path) = address.split_once(':')?;
            if machine.contains('/') || machine.len() < 2 {
                return None;
            }
            format!("{machine}/{}", path.trim_start_matches('/'))
        }
    };
    let (machine, path) = rest.split_once('/')?;
    let machine = machine.rsplit_once('@').map_or(machine, |(_, machine)| machine);
    let machine = machine.split_once(':').map_or(machine, |(machine, _)| machine);
    let path = path.trim_matches('/');
    (!machine.is_empty() && !path.is_empty()).then(|| plain_name(&format!("{machine}/{path}")))
}

fn plain_name(name: &str) -> String {
    let name = name.trim_end_matches('/');
    name.strip_suffix(".git").unwrap_or(name).to_lowercase()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn repository(name: &str, url: &str) -> IndexedRepository {
        IndexedRepository { name: name.to_owned(), url: url.to_owned(), branches: 1 }
    }

    #[test]
    fn a_remote_is_one_address_however_it_is_written() {
        let indexed = repository("github.com/acme/web", "https://github.com/acme/web");
        for remote in [
            "git@github.com:acme/web.git",
            "github.com:acme/web",
            "ssh://git@github.com:22/acme/web.git",
            "https://me:secret@github.com/acme/web/",
            "https://GitHub.com/Acme/Web.git",
        ] {
            assert!(LocalNames::new("elsewhere", [remote]).is_clone_of(&indexed), "{remote}");
        }
        for remote in [
            "git@github.com:acme/web2.git",
            "git@gitlab.com:acme/web.git",
            "/srv/git/acme/web",
            "file:///acme/web",
        ] {
            assert!(!LocalNames::new("elsewhere", [remote]).is_clone_of(&indexed), "{remote}");
        }
    }

    #[test]
    fn either_name_or_address_of_the_repository_will_do() {
        let remote = ["https://git.acme.example/shop/web.git"];
        assert!(LocalNames::new("w", remote).is_clone_of(&repository("git.acme.example/shop/web", "")));
        assert!(
            LocalNames::new("w", remote).is_clone_of(&repository("web", "https://git.acme.example/shop/web"))
        );
    }

    #[test]
    fn a_folder_is_known_by_its_name_where_nothing_else_is() {
        assert!(LocalNames::new("tools", []).is_clone_of(&repository("tools", "")));
        assert!(LocalNames::new("tools", ["git@h:a/b"]).is_clone_of(&repository("tools", "")));
        assert!(
            !LocalNames::new("tools", ["git@h:a/b"])
                .is_clone_of(&repository("tools", "https://h/other/tools"))
        );
        assert!(
            !LocalNames::new("web", [])
                .is_clone_of(&repository("github.com/acme/web", "https://github.com/acme/web"))
        );
        assert!(!LocalNames::new("", []).is_clone_of(&repository("", "")));
    }

    #[test]
    fn a_drive_is_no_machine() {
        assert_eq!(plain_address(r"C:\src\web"), None);
        assert_eq!(plain_address("C:/src/web"), None);
        assert_eq!(plain_address("../web"), None);
        assert_eq!(plain_address("https://host"), None);
    }
}
