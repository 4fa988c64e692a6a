//! Resolves the links of notes.
//!
//! Links have a ladder of their own. A link by path means the file at that path (`import`); within its own file it
//! means a heading there (`exact`). A link by name means the note of that name, in whatever folder and letter case
//! (`name`; with folders in the link `import`), or else the file of that name, or the note with that title. If there
//! are several, the link is unresolved and all are candidates. If the note lacks the heading, the link is unresolved
//! and the note is the candidate. If there is no such file, the link is broken, and shown as broken. A path with an
//! ending for which the map has no language (a picture, an archive) is no node, and makes no edge.

use hob_base::FileId;

use super::Resolver;
use crate::facts::{DefIdx, Ref};
use crate::index::FileEntry;
use crate::langs::detect::language_of;
use crate::langs::markdown::slug::{Anchors, loose_slug, slug};
use crate::langs::markdown::target::{self, NoteLinkTarget};
use crate::langs::rules::ImportProject;
use crate::langs::support::project::{folder_of, join, shared_folders};
use crate::node::{Confidence, DefRef, NodeRef};

/// Most candidates that an answer shows for a link.
const SHOWN: usize = 5;

/// The meaning of a link.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum ResolvedNoteLink {
    /// The link means this node.
    To(NodeRef, Confidence),
    /// The link means one of these nodes, likeliest first.
    OneOf(Vec<NodeRef>),
    /// The link is broken: the note or path that it names, with paths from the root of the workspace.
    Broken(String),
    /// The link means something for which the map has no nodes.
    Nothing,
}

/// The files that a link may mean.
enum NoteLinkFiles {
    One(FileId, Confidence),
    Several(Vec<FileId>),
    Broken(String),
    Nothing,
}

impl<'m> Resolver<'m> {
    /// Resolves a link of a note.
    pub(crate) fn resolve_link(&self, file: FileId, r: &Ref) -> ResolvedNoteLink {
        let Some(entry) = self.entry(file) else { return ResolvedNoteLink::Nothing };
        let crate::facts::Receiver::Path(spec) = r.receiver() else { return ResolvedNoteLink::Nothing };
        let Some(target) = NoteLinkTarget::from_spec(entry.facts.name(spec)) else {
            return ResolvedNoteLink::Nothing;
        };
        let files = match target {
            NoteLinkTarget { path: "", .. } => NoteLinkFiles::One(file, Confidence::Exact),
            NoteLinkTarget { by_name: true, .. } => self.by_note_name(entry, target.path),
            NoteLinkTarget { by_name: false, .. } => self.by_path(entry, target.path),
        };
        match files {
            NoteLinkFiles::One(found, sure) => self.in_file(found, sure, target),
            NoteLinkFiles::Several(found) => self.in_one_of(&found, target),
            NoteLinkFiles::Broken(name) => ResolvedNoteLink::Broken(name),
            NoteLinkFiles::Nothing => ResolvedNoteLink::Nothing,
        }
    }

    fn by_note_name(&self, from: &FileEntry, name: &str) -> NoteLinkFiles {
        let lower = name.to_lowercase();
        let wanted = target::note_stem(&lower).trim_start_matches('/');
        let last = wanted.rsplit('/').next().unwrap_or(wanted);
        let has_folder = last.len() < wanted.len();
        let mut found: Vec<FileId> = self.index.paths().notes_named(last).to_vec();
        if has_folder {
            found.retain(|&file| self.is_path_end(file, wanted));
            let beside = join(from.path.dir(), wanted).unwrap_or_default().to_lowercase();
            let whole = [wanted, &beside].into_iter().find_map(|path| {
                found.iter().copied().find(|&file| target::note_stem(&self.lower_path(file)) == path)
            });
            found = whole.map_or(found, |file| vec![file]);
        }
        if found.is_empty() {
            found = self.by_whole_name(name);
        }
        if found.is_empty() {
            found = self.by_title(name);
        }
        let sure = if has_folder { Confidence::Import } else { Confidence::Name };
        match found[..] {
            [] if is_attachment(name) => NoteLinkFiles::Nothing,
            [] => NoteLinkFiles::Broken(name.to_owned()),
            [file] => NoteLinkFiles::One(file, sure),
            _ => NoteLinkFiles::Several(self.sort_by_nearness(from, found)),
        }
    }

    /// Returns the files of other languages with a name: `[[main.rs]]`.
    fn by_whole_name(&self, name: &str) -> Vec<FileId> {
        let last = name.rsplit('/').next().unwrap_or(name);
        let named = self.index.files_named(last).iter().copied();
        named.filter(|&file| self.is_path_end(file, &name.to_lowercase())).collect()
    }

    fn by_title(&self, title: &str) -> Vec<FileId> {
        let files = self.index.files_defining(title).iter().map(|&file| FileId(file));
        files.filter(|&file| self.entry(file).is_some_and(|entry| entry.title() == Some(title))).collect()
    }

    fn lower_path(&self, file: FileId) -> String {
        ImportProject::path(self.index, file).to_lowercase()
    }

    /// Returns true if a path ends with these folders and this name, apart from the ending of a note.
    fn is_path_end(&self, file: FileId, wanted: &str) -> bool {
        let path = self.lower_path(file);
        let rest = target::note_stem(&path).strip_suffix(target::note_stem(wanted));
        rest.is_some_and(|rest| rest.is_empty() || rest.ends_with('/'))
    }

    fn sort_by_nearness(&self, from: &FileEntry, mut files: Vec<FileId>) -> Vec<FileId> {
        let path = |file: FileId| ImportProject::path(self.index, file);
        let shared = |file| shared_folders(path(file), from.path.as_str());
        files.sort_by_key(|&file| {
            (
                folder_of(path(file)) != from.path.dir(),
                usize::MAX - shared(file),
                path(file).len(),
                path(file),
            )
        });
        files
    }

    fn by_path(&self, from: &FileEntry, path: &str) -> NoteLinkFiles {
        let (base, relative) = match path.strip_prefix('/') {
            Some(rest) => ("", rest),
            None => (from.path.dir(), path),
        };
        let Some(place) = join(base, relative) else { return NoteLinkFiles::Nothing };
        let name = place.rsplit('/').next().unwrap_or(&place);
        if let Some(file) = self.index.file(&place).or_else(|| self.note_at(&place)) {
            return NoteLinkFiles::One(file, Confidence::Import);
        }
        let is_folder = path.ends_with('/') || self.index.has_dir(&place);
        if is_folder || language_of(name, b"").is_none() {
            NoteLinkFiles::Nothing
        } else {
            NoteLinkFiles::Broken(place)
        }
    }

    /// Returns the note for which a path without its ending, or a folder, stands.
    fn note_at(&self, place: &str) -> Option<FileId> {
        let with_ending = target::ENDINGS.iter().map(|ending| format!("{place}.{ending}"));
        if let Some(file) = with_ending.filter_map(|path| self.index.file(&path)).next() {
            return Some(file);
        }
        let inside = self.index.files_in(place);
        let rank = |file: &FileId| {
            let path = ImportProject::path(self.index, *file).to_lowercase();
            let name = path.rsplit('/').next().unwrap_or("");
            target::ENTRANCES.iter().position(|entrance| target::note_stem(name) == *entrance)
        };
        let notes =
            inside.into_iter().filter(|&file| target::is_entrance(ImportProject::path(self.index, file)));
        notes.min_by_key(rank)
    }

    fn in_file(&self, file: FileId, sure: Confidence, target: NoteLinkTarget<'_>) -> ResolvedNoteLink {
        let whole = ResolvedNoteLink::To(NodeRef::File(file), sure);
        let Some(entry) = self.entry(file).filter(|entry| entry.lang().is_prose()) else { return whole };
        // `#^id` names a block of the note; `#top` needs no heading.
        if target.fragment.is_empty() || target.fragment.starts_with('^') {
            return whole;
        }
        match matching_headings(entry, target)[..] {
            [] if target.fragment.eq_ignore_ascii_case("top") => whole,
            [] => ResolvedNoteLink::OneOf(vec![NodeRef::File(file)]),
            [def] => ResolvedNoteLink::To(DefRef { file, def }.into(), sure),
            ref several => {
                let several = several.iter().map(|&def| DefRef { file, def }.into());
                ResolvedNoteLink::OneOf(several.take(SHOWN).collect())
            }
        }
    }

    /// Resolves a link that may mean several notes: its heading may decide which.
    fn in_one_of(&self, files: &[FileId], target: NoteLinkTarget<'_>) -> ResolvedNoteLink {
        let with_heading = files.iter().filter_map(|&file| {
            let found = matching_headings(self.entry(file)?, target);
            (found.len() == 1).then(|| NodeRef::from(DefRef { file, def: found[0] }))
        });
        match with_heading.collect::<Vec<_>>()[..] {
            [one] => ResolvedNoteLink::To(one, Confidence::Name),
            ref several if !several.is_empty() => {
                ResolvedNoteLink::OneOf(several.iter().copied().take(SHOWN).collect())
            }
            _ => ResolvedNoteLink::OneOf(files.iter().copied().map(NodeRef::File).take(SHOWN).collect()),
        }
    }
}

/// Returns the headings of a note that a link may mean: by their text, perhaps with the headings above before it, or by
/// their anchor.
fn matching_headings(entry: &FileEntry, target: NoteLinkTarget<'_>) -> Vec<DefIdx> {
    let (facts, fragment) = (&*entry.facts, target.fragment);
    if fragment.is_empty() {
        return Vec::new();
    }
    let chosen = facts.names.find(fragment).and_then(|id| facts.exports.iter().find(|e| e.exported == id));
    if let Some(export) = chosen {
        return entry.defs_named(facts.name(export.local)).map(|(idx, _)| idx).take(1).collect();
    }
    let sections = || facts.defs_indexed().filter(|(_, def)| def.is_heading());
    if target.by_name {
        let path: Vec<String> = fragment.split('#').map(loose_slug).collect();
        let Some((last, above)) = path.split_last() else { return Vec::new() };
        let fits = |idx: DefIdx| {
            let qualified =
                facts.name(facts.def(idx).qualified).split('/').map(loose_slug).collect::<Vec<_>>();
            let mut names = qualified.iter();
            above.iter().all(|wanted| names.any(|name| name == wanted))
        };
        let named = sections().filter(|(_, def)| loose_slug(facts.name(def.name)) == *last);
        return named.map(|(idx, _)| idx).filter(|&idx| fits(idx)).collect();
    }
    let mut anchors = Anchors::default();
    let wanted = slug(fragment);
    let mut numbered = sections().map(|(idx, def)| (idx, anchors.next(facts.name(def.name))));
    numbered.find(|(_, anchor)| *anchor == wanted).map(|(idx, _)| idx).into_iter().collect()
}

/// Returns true if a name ends like that of a file of another kind: `[[plan.pdf]]`.
fn is_attachment(name: &str) -> bool {
    let ending = name.rsplit_once('.').map_or("", |(_, ending)| ending);
    (1..=5).contains(&ending.len())
        && ending.bytes().all(|b| b.is_ascii_alphanumeric())
        && ending.starts_with(|c: char| c.is_ascii_alphabetic())
        && language_of(name, b"").is_none()
}
