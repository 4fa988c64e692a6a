//! Reads facts of files that belong to no workspace: a module of one file, a folder of a standard library.
//!
//! Only few and small files are read, and the store keeps their facts like any others.

use std::fs;
use std::path::Path;
use std::sync::Arc;

use hob_base::{ContentHash, WsPath, small};
use hob_map::langs::c::without_system_macros;
use hob_map::{FileFacts, Lang, language_of};

use super::project_part::ProjectFiles;
use crate::facts::FactsRequest;
use crate::workspace::Workspace;

/// Largest size of a file that is read, in bytes.
const LARGEST: u64 = 1 << 20;
/// Most files that are read of one folder.
const MOST: usize = 500;
/// Number of bytes at a file's beginning that decide its language.
const HEAD: usize = 4096;

/// Returns the facts of one file, with its name as its path.
pub(super) fn facts_of_file(project: &Workspace, file: &Path) -> ProjectFiles {
    let name = file.file_name().and_then(|name| name.to_str()).and_then(|name| WsPath::new(name).ok());
    let facts = name.and_then(|name| Some((name.clone(), read_facts(project, &name, file)?)));
    facts.into_iter().collect()
}

/// Returns the facts of a header. One whose name has no known ending, as those of C++'s standard library, is of the
/// language that includes it.
pub(super) fn facts_of_header(project: &Workspace, file: &Path, including: Lang) -> Option<Arc<FileFacts>> {
    let metadata = fs::metadata(file).ok()?;
    let stamp = (metadata.modified().ok()?, metadata.len());
    if let Some(known) = project.joined.headers.known_facts(file, stamp) {
        return Some(known);
    }
    let name = WsPath::new(file.file_name()?.to_str()?).ok()?;
    let bytes = without_system_macros(&small::read(file, LARGEST).ok()?);
    let facts = facts_of_bytes(project, &name, &bytes, Some(including))?;
    project.joined.headers.keep_facts(file, stamp, &facts);
    Some(facts)
}

/// Returns the facts of the files in a folder, without those below it.
pub(super) fn facts_of_folder(project: &Workspace, folder: &Path) -> ProjectFiles {
    let listed = fs::read_dir(folder).into_iter().flatten().filter_map(Result::ok);
    let files = listed.filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_file()));
    files.take(MOST).flat_map(|entry| facts_of_file(project, &entry.path())).collect()
}

/// Returns true if a folder has more than so many files, links not followed.
pub(crate) fn has_more_files(folder: &Path, most: usize) -> bool {
    let (mut left, mut folders) = (most, vec![folder.to_path_buf()]);
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).into_iter().flatten().filter_map(Result::ok) {
            match entry.file_type() {
                Ok(kind) if kind.is_dir() => folders.push(entry.path()),
                _ if left == 0 => return true,
                _ => left -= 1,
            }
        }
    }
    false
}

fn read_facts(project: &Workspace, name: &WsPath, file: &Path) -> Option<Arc<FileFacts>> {
    facts_of_bytes(project, name, &small::read(file, LARGEST).ok()?, None)
}

/// Returns the facts of a text. Its name tells its language; `otherwise` counts if the name determines none.
fn facts_of_bytes(
    project: &Workspace,
    name: &WsPath,
    bytes: &[u8],
    otherwise: Option<Lang>,
) -> Option<Arc<FileFacts>> {
    let lang = language_of(name.file_name(), &bytes[..bytes.len().min(HEAD)]).or(otherwise)?;
    let wanted = FactsRequest { path: name, lang, hash: ContentHash::of(bytes) };
    if let Some(known) = project.facts.load(&wanted) {
        return Some(Arc::new(known));
    }
    let (facts, made) = project.facts.extract(&wanted, bytes, &project.closing, None);
    // Facts that cannot be stored are extracted again another time.
    let _ = project.facts.save(made.into_iter().collect());
    Some(Arc::new(facts))
}
