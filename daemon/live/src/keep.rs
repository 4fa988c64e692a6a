//! Manages the cache directories of servers in folders of hob's own: servers keep data between their runs, and hob
//! never writes to a project.
//!
//! Each server and project has one folder, with a note that names the project. When hob makes a folder, it removes
//! those of projects that are gone: that happens seldom, and only then does their number grow.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use hob_base::{AbsPath, ContentHash, small};

/// Name of the file in each folder that holds the project's path.
const NOTE: &str = "project";

/// Returns the cache directory below `all` of `server` for the project at `root`; it need not exist yet.
#[must_use]
pub fn folder_for(all: &Path, server: &str, root: &AbsPath) -> PathBuf {
    let hash = ContentHash::of(root.to_string().as_bytes()).to_string();
    all.join(format!("{server}-{}", &hash[..16]))
}

/// Lists the cache directories below `all` for the project at `root`.
#[must_use]
pub fn folders_of(all: &Path, root: &AbsPath) -> Vec<PathBuf> {
    let entries = fs::read_dir(all).into_iter().flatten().flatten().map(|entry| entry.path());
    let root = root.to_string();
    entries
        .filter(|folder| small::read_text(&folder.join(NOTE), 1 << 16).is_ok_and(|note| note == root))
        .collect()
}

/// Makes such a folder, unless it exists.
///
/// # Errors
/// The system's error.
pub fn ensure_folder_of(folder: &Path, root: &AbsPath) -> io::Result<()> {
    let note = folder.join(NOTE);
    if note.exists() {
        return Ok(());
    }
    fs::create_dir_all(folder)?;
    fs::write(note, root.to_string())?;
    folder.parent().map_or(Ok(()), remove_orphans)
}

/// Makes the link `link` lead to `target`, unless it does already.
///
/// # Errors
/// The system's error; some systems refuse links to users without special rights.
pub fn ensure_link(link: &Path, target: &Path) -> io::Result<()> {
    if fs::read_link(link).is_ok_and(|leads| leads == target) {
        return Ok(());
    }
    match fs::remove_file(link) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
        _ => {}
    }
    #[cfg(unix)]
    return std::os::unix::fs::symlink(target, link);
    #[cfg(windows)]
    return std::os::windows::fs::symlink_file(target, link);
}

fn remove_orphans(all: &Path) -> io::Result<()> {
    for entry in fs::read_dir(all)?.flatten() {
        let Ok(project) = small::read_text(&entry.path().join(NOTE), 1 << 16) else { continue };
        if !Path::new(&project).exists() {
            tracing::info!(project, "what a language server kept of it is removed: it is gone");
            // A folder that cannot be removed now may be removed the next time.
            let _ = fs::remove_dir_all(entry.path());
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_kept_of_a_project_goes_after_it() {
        let dir = tempfile::tempdir().expect("a folder");
        let project = |name: &str| {
            let path = dir.path().join(name);
            fs::create_dir_all(&path).expect("a folder");
            AbsPath::new(path).expect("absolute")
        };
        let all = dir.path().join("all");
        let (a, b) = (project("a"), project("b"));
        let of = |root: &AbsPath| folder_for(&all, "clangd", root);
        assert_ne!(of(&a), of(&b));
        ensure_folder_of(&of(&a), &a).expect("made");
        fs::write(of(&a).join("index"), "much").expect("written");
        ensure_folder_of(&of(&a), &a).expect("it is there");
        assert_eq!(folders_of(&all, &a), [of(&a)]);
        assert!(of(&a).join("index").exists());
        fs::remove_dir_all(dir.path().join("a")).expect("removed");
        ensure_folder_of(&of(&b), &b).expect("made");
        assert!(!of(&a).exists() && of(&b).exists());
    }

    #[cfg(unix)]
    #[test]
    fn a_link_leads_where_it_was_last_meant_to() {
        let dir = tempfile::tempdir().expect("a folder");
        let at = dir.path().join("link");
        for target in ["/one", "/one", "/two"] {
            ensure_link(&at, Path::new(target)).expect("linked");
            assert_eq!(fs::read_link(&at).expect("a link"), Path::new(target));
        }
    }
}
