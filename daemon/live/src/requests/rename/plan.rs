//! Computes the result of a server's edit, step after step, as the protocol demands: a step may move a file and the
//! next change it at its new place, or a step may make a file and the next fill it.
//!
//! Nothing is written. The plan keeps the places that the steps so far have touched, and reads all others from the
//! disk. If several steps change the texts of one file, each refers to its present contents: editors read edits in this
//! way, and servers rely on it.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;
use std::sync::Arc;

use hob_base::line_index::mark_len;
use hob_base::{AbsPath, ContentHash, WsPath};
use lsp_types::Uri;

use super::positions::{self, Ranged};
use super::renaming::{FileEdits, Renaming};
use super::wire::{LspEditStep, Operation, Options, TextEdit};
use crate::documents::ReadText;
use crate::uri::{self, FileRef};

/// Most files of a folder that is moved or deleted.
const MOST_FILES: usize = 10_000;

/// The source of the contents of a file at a place.
#[derive(Clone, PartialEq, Debug)]
enum RenameSource {
    /// The contents of this file on disk.
    Disk(WsPath),
    /// The contents of the new file with this number.
    Made(usize),
}

/// Looks up an open document's version that the server was last sent, and the hash of its contents.
pub(super) type SentLookup<'a> = &'a dyn Fn(&WsPath) -> Option<(i32, ContentHash)>;

/// The state of the files after the steps so far.
pub(super) struct RenamePlan<'a> {
    root: &'a AbsPath,
    read: ReadText<'a>,
    seen: SentLookup<'a>,
    /// The sources of the places that steps have touched; `None` where no file is any more.
    places: BTreeMap<WsPath, Option<RenameSource>>,
    made: Vec<String>,
    files: BTreeMap<WsPath, FileEdits>,
    notes: Vec<String>,
}

impl<'a> RenamePlan<'a> {
    pub(super) fn new(root: &'a AbsPath, read: ReadText<'a>, seen: SentLookup<'a>) -> Self {
        Self {
            root,
            read,
            seen,
            places: BTreeMap::new(),
            made: Vec::new(),
            files: BTreeMap::new(),
            notes: Vec::new(),
        }
    }

    /// Applies a step; the error is the reason why that is impossible.
    pub(super) fn add_step(&mut self, step: &LspEditStep) -> Result<(), String> {
        match step {
            LspEditStep::Text { uri, version, edits } => {
                self.edit_file(&self.path_inside(uri)?, *version, edits)
            }
            LspEditStep::Whole(Operation::Create { uri, options }) => {
                self.create(self.path_inside(uri)?, options.unwrap_or_default())
            }
            LspEditStep::Whole(Operation::Rename { old_uri, new_uri, options }) => {
                let (from, to) = (self.path_inside(old_uri)?, self.path_inside(new_uri)?);
                self.rename(&from, &to, options.unwrap_or_default())
            }
            LspEditStep::Whole(Operation::Delete { uri, options }) => {
                self.delete(&self.path_inside(uri)?, options.unwrap_or_default())
            }
        }
    }

    /// Returns the result of all steps; an error names the texts that two edits would replace.
    pub(super) fn finish(self) -> Result<Renaming, String> {
        let Self { places, made, mut files, notes, .. } = self;
        for (path, file) in &mut files {
            let overlap = |at| format!("two of its replacements in `{path}` want the same byte {at}");
            positions::without_repeats(&mut file.edits).map_err(overlap)?;
        }
        files.retain(|_, file| !file.edits.is_empty());
        let mut renaming = Renaming { notes, ..Renaming::default() };
        let mut sources = BTreeSet::new();
        for (path, source) in &places {
            match source {
                Some(RenameSource::Disk(from)) => {
                    sources.insert(from.clone());
                    if from != path {
                        renaming.moves.push((from.clone(), path.clone()));
                    }
                }
                Some(RenameSource::Made(number)) => {
                    renaming.created.push((path.clone(), made[*number].clone()));
                }
                None => {}
            }
        }
        // A file whose place has another file now is gone too.
        let touched =
            places.into_iter().filter(|(path, source)| *source != Some(RenameSource::Disk(path.clone())));
        let gone = touched.map(|(path, _)| path).filter(|path| !sources.contains(path));
        renaming.deleted = gone.filter(|path| is_there(&self.root.join_ws(path))).collect();
        files.retain(|path, _| !renaming.deleted.contains(path));
        renaming.files = files.into_values().collect();
        Ok(renaming)
    }

    fn path_inside(&self, uri: &Uri) -> Result<WsPath, String> {
        let path = uri::to_path(uri)
            .ok_or_else(|| format!("it would change `{}`, which is no file", uri.as_str()))?;
        match FileRef::from_path(path, self.root) {
            FileRef::Inside(path) if !path.is_root() => Ok(path),
            FileRef::Inside(_) => Err("it would change the whole workspace as one file".to_owned()),
            FileRef::Outside(path) => {
                Err(format!("it would change `{path}`, which lies outside the workspace"))
            }
        }
    }

    fn edit_file(&mut self, path: &WsPath, version: Option<i32>, edits: &[TextEdit]) -> Result<(), String> {
        let unfit = |why: String| format!("`{path}` cannot be changed so: {why}");
        match self.source_at(path) {
            None => Err(format!("it would change `{path}`, which is not there")),
            Some(RenameSource::Made(number)) => {
                let ranged = positions::in_bytes(&self.made[number], edits).map_err(unfit)?;
                self.made[number] = with_edits(&self.made[number], ranged).map_err(unfit)?;
                Ok(())
            }
            Some(RenameSource::Disk(origin)) => {
                self.check_version(&origin, version).map_err(unfit)?;
                let file = match self.files.remove(&origin) {
                    Some(file) => file,
                    None => self.file(&origin).map_err(unfit)?,
                };
                let corrected = match (self.seen)(&origin) {
                    None => positions::without_mark(&file.text, edits),
                    Some(_) => edits.to_vec(),
                };
                let ranged = positions::in_bytes(&file.text, &corrected).map_err(unfit)?;
                let edits = file.edits.into_iter().chain(ranged).collect();
                self.files.insert(origin, FileEdits { edits, ..file });
                Ok(())
            }
        }
    }

    /// Refuses a version that was never sent, because its contents are unknown. For files that are not open some
    /// servers say 0.
    fn check_version(&self, path: &WsPath, version: Option<i32>) -> Result<(), String> {
        let sent = (self.seen)(path).map(|(version, _)| version);
        match (version, sent) {
            (None, _) => Ok(()),
            (Some(version), Some(sent)) if version == sent => Ok(()),
            (Some(version), None) if version <= 0 => Ok(()),
            (Some(version), Some(sent)) => {
                Err(format!("the server means version {version} of it, but was sent version {sent}"))
            }
            (Some(version), None) => {
                Err(format!("the server means version {version} of it, but it is not open there"))
            }
        }
    }

    /// Returns a file with its present contents, if those are the contents that the server knows.
    fn file(&self, path: &WsPath) -> Result<FileEdits, String> {
        let text = (self.read)(path).ok_or("it cannot be read as text")?;
        let hash = ContentHash::of(text.as_bytes());
        // Servers see texts without a byte order mark.
        let shown = ContentHash::of(&text.as_bytes()[mark_len(text.as_bytes())..]);
        if (self.seen)(path).is_some_and(|(_, seen)| seen != shown) {
            return Err("it has changed since the server was told of it".to_owned());
        }
        Ok(FileEdits { path: path.clone(), hash, text: Arc::from(text), edits: Vec::new() })
    }

    fn create(&mut self, path: WsPath, options: Options) -> Result<(), String> {
        if self.source_at(&path).is_some() || self.is_folder(&path) {
            match (options.overwrite, options.ignore_if_exists) {
                (Some(true), _) => {}
                (_, Some(true)) => return Ok(()),
                _ => return Err(format!("it would create `{path}`, which is there already")),
            }
        }
        self.places.insert(path, Some(RenameSource::Made(self.made.len())));
        self.made.push(String::new());
        Ok(())
    }

    fn rename(&mut self, from: &WsPath, to: &WsPath, options: Options) -> Result<(), String> {
        if from == to {
            return Ok(());
        }
        if to.is_below(from) {
            return Err(format!("it would move `{from}` into itself, to `{to}`"));
        }
        let files = self.files_at(from)?;
        if files.is_empty() {
            return Err(format!("it would move `{from}`, which is not there"));
        }
        if self.source_at(to).is_some() || self.is_folder(to) {
            match (options.overwrite, options.ignore_if_exists) {
                (Some(true), _) => self.remove(to)?,
                (_, Some(true)) => {
                    self.notes.push(format!("`{from}` is not moved: there is `{to}` already"));
                    return Ok(());
                }
                _ => return Err(format!("it would move `{from}` to `{to}`, which is there already")),
            }
        }
        for path in files {
            let rest = path.as_str()[from.as_str().len()..].trim_start_matches('/');
            let target = if rest.is_empty() { to.clone() } else { path_below(to, rest)? };
            let source = self.source_at(&path);
            self.places.insert(path, None);
            self.places.insert(target, source);
        }
        Ok(())
    }

    fn delete(&mut self, path: &WsPath, options: Options) -> Result<(), String> {
        let is_folder = self.is_folder(path);
        if is_folder && options.recursive != Some(true) {
            return Err(format!("it would delete the folder `{path}`, but not what is in it"));
        }
        if !is_folder && self.source_at(path).is_none() {
            return match options.ignore_if_not_exists {
                Some(true) => Ok(()),
                _ => Err(format!("it would delete `{path}`, which is not there")),
            };
        }
        self.remove(path)
    }

    fn remove(&mut self, path: &WsPath) -> Result<(), String> {
        for file in self.files_at(path)? {
            self.places.insert(file, None);
        }
        Ok(())
    }

    /// Returns the source of a file's contents after the steps so far; `None` if there is no file.
    fn source_at(&self, path: &WsPath) -> Option<RenameSource> {
        match self.places.get(path) {
            Some(source) => source.clone(),
            None => {
                let place = self.root.join_ws(path);
                (is_there(&place) && !is_dir(&place)).then(|| RenameSource::Disk(path.clone()))
            }
        }
    }

    fn is_folder(&self, path: &WsPath) -> bool {
        is_dir(&self.root.join_ws(path))
            || self
                .places
                .iter()
                .any(|(place, source)| source.is_some() && place != path && place.is_below(path))
    }

    /// Returns the files at a place: the file itself, or all files in the folder.
    fn files_at(&self, path: &WsPath) -> Result<Vec<WsPath>, String> {
        let mut files = BTreeSet::new();
        let place = self.root.join_ws(path);
        if is_dir(&place) {
            list(place.as_path(), path, &mut files)?;
        } else if is_there(&place) {
            files.insert(path.clone());
        }
        let touched = self.places.keys().filter(|place| place.is_below(path));
        files.extend(touched.cloned());
        Ok(files.into_iter().filter(|file| self.source_at(file).is_some()).collect())
    }
}

fn is_there(place: &AbsPath) -> bool {
    fs::symlink_metadata(place.as_path()).is_ok()
}

/// Returns true for a folder; a link to a folder is none.
fn is_dir(place: &AbsPath) -> bool {
    fs::symlink_metadata(place.as_path()).is_ok_and(|found| found.is_dir())
}

/// Collects all files below a folder; links are files, wherever they lead.
fn list(folder: &Path, path: &WsPath, files: &mut BTreeSet<WsPath>) -> Result<(), String> {
    let unreadable = |error: std::io::Error| format!("the folder `{path}` cannot be read: {error}");
    for entry in fs::read_dir(folder).map_err(unreadable)? {
        let entry = entry.map_err(unreadable)?;
        let name = entry.file_name();
        let name =
            name.to_str().ok_or_else(|| format!("the folder `{path}` has a file whose name is no text"))?;
        let at = path_below(path, name)?;
        match entry.file_type().map_err(unreadable)?.is_dir() {
            true => list(&entry.path(), &at, files)?,
            false => drop(files.insert(at)),
        }
        if files.len() > MOST_FILES {
            return Err(format!("the folder `{path}` has more than {MOST_FILES} files"));
        }
    }
    Ok(())
}

fn path_below(folder: &WsPath, rest: &str) -> Result<WsPath, String> {
    WsPath::new(&format!("{folder}/{rest}")).map_err(|error| error.to_string())
}

/// Applies edits to a text that an earlier step made.
fn with_edits(text: &str, mut edits: Ranged) -> Result<String, String> {
    positions::without_repeats(&mut edits).map_err(|at| format!("two replacements want its byte {at}"))?;
    edits.sort_by_key(|(range, _)| (range.start, range.end));
    let (mut filled, mut done) = (String::new(), 0);
    for (range, new) in &edits {
        filled.push_str(&text[done..range.start]);
        filled.push_str(new);
        done = range.end;
    }
    filled.push_str(&text[done..]);
    Ok(filled)
}
