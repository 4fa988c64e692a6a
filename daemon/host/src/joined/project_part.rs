//! Selects the files of a project that are joined with packages.
//!
//! All of a small project. Of a larger one manifests, schemas and the languages that can use the asked file's names; of
//! these, if they are still too many, the widest folder above the asked file that fits, filled up with the files that
//! share most folders with it. Where not even the file's own folder fits, the selection is for that folder or file alone. So questions about files of one part of a project need the same selection, and a question in a small
//! language does not bring a large one's files along.

use std::cmp::Reverse;
use std::sync::Arc;

use hob_base::{Generation, WsPath};
use hob_map::{FileFacts, Lang, Map};

/// Most files of the project that are joined.
const MOST_PROJECT_FILES: usize = 4_000;

/// Files of a project, with their facts.
pub(super) type ProjectFiles = Vec<(WsPath, Arc<FileFacts>)>;

/// A file of the map with its facts.
type MappedFile<'m> = (&'m WsPath, &'m Arc<FileFacts>);

/// A selection of a project's files: for which generation and which asked files it was made.
#[derive(Debug)]
pub(super) struct ProjectPart {
    generation: Generation,
    /// True if it has all files of the project.
    is_whole: bool,
    /// The group of languages of the asked files that it is for; `None` for files that are not mapped.
    group: Option<Lang>,
    folder: PartFolder,
}

/// The folder of the asked files that a selection is for.
#[derive(PartialEq, Eq, Debug)]
enum PartFolder {
    /// It has all files of the languages.
    All,
    /// It has all files at or below this folder, and the nearest others.
    Below(String),
    /// This folder does not fit with what is below: the selection is for files in it alone.
    Only(String),
    /// The folder of this file does not fit even without what is below: the selection is for the file alone.
    File(WsPath),
}

impl ProjectPart {
    /// Selects the files that questions about `asked` need.
    pub(super) fn select_files(generation: Generation, map: &Map, asked: &WsPath) -> (Self, ProjectFiles) {
        let is_whole = map.files().count() <= MOST_PROJECT_FILES;
        let group = group_of(map, asked);
        let is_needed = |lang: Lang| {
            is_whole || is_shared(lang) || group.is_none_or(|group| lang.language_group() == group)
        };
        let files = map.files().filter(|(_, _, facts)| is_needed(facts.lang));
        let mut files: Vec<MappedFile<'_>> = files.map(|(_, path, facts)| (path, facts)).collect();
        let folder = match files.len() > MOST_PROJECT_FILES {
            true => keep_nearest(&mut files, asked),
            false => PartFolder::All,
        };
        let files = files.into_iter().map(|(path, facts)| (path.clone(), Arc::clone(facts))).collect();
        (Self { generation, is_whole, group, folder }, files)
    }

    /// Returns true if this selection has what questions about `asked` need.
    pub(super) fn is_for(&self, generation: Generation, map: &Map, asked: &WsPath) -> bool {
        let is_near = match &self.folder {
            PartFolder::All => true,
            PartFolder::Below(folder) => shared_folders(asked.dir(), folder) == depth_of(folder),
            PartFolder::Only(folder) => asked.dir() == folder,
            PartFolder::File(file) => asked == file,
        };
        self.generation == generation && (self.is_whole || is_near && self.group == group_of(map, asked))
    }
}

/// Returns the group of languages of a file's code; `None` if the map does not have it.
fn group_of(map: &Map, asked: &WsPath) -> Option<Lang> {
    Some(map.file(map.file_at(asked.as_str())?)?.1.lang.language_group())
}

/// Returns true if code of any language may depend on files of this one.
fn is_shared(lang: Lang) -> bool {
    lang.is_manifest() || lang.is_schema()
}

/// Keeps the asked file, then manifests and schemas, then the files of the widest folder at or above the asked file that
/// fits, or else those beside it, and then those that share most folders with it. Returns what that is for.
fn keep_nearest(files: &mut Vec<MappedFile<'_>>, asked: &WsPath) -> PartFolder {
    let deepest = depth_of(asked.dir());
    let shared: Vec<usize> = files.iter().map(|(path, _)| shared_folders(path.dir(), asked.dir())).collect();
    let mut at_depth = vec![0_usize; deepest + 1];
    let mut always = 0;
    for ((_, facts), shared) in files.iter().zip(&shared) {
        match is_shared(facts.lang) {
            true => always += 1,
            false => at_depth[*shared] += 1,
        }
    }
    let mut depth = deepest;
    let mut below = always + at_depth[deepest];
    let fits = below <= MOST_PROJECT_FILES;
    while depth > 0 && below + at_depth[depth - 1] <= MOST_PROJECT_FILES {
        depth -= 1;
        below += at_depth[depth];
    }
    // With the folder at this depth a file shares as many folders as with the asked one, but at most `depth`.
    let beside = files.iter().filter(|(path, _)| path.dir() == asked.dir()).count();
    let rank = |(at, (path, facts)): (usize, &MappedFile<'_>)| {
        let is_beside = !fits && path.dir() == asked.dir();
        (*path != asked, !is_beside, !is_shared(facts.lang), Reverse(shared[at].min(depth)))
    };
    let mut ranked: Vec<_> = files.iter().enumerate().map(|file| (rank(file), *file.1)).collect();
    ranked.select_nth_unstable_by(MOST_PROJECT_FILES, |(one, (path, _)), (other, (other_path, _))| {
        one.cmp(other).then_with(|| path.cmp(other_path))
    });
    ranked.truncate(MOST_PROJECT_FILES);
    *files = ranked.into_iter().map(|(_, file)| file).collect();
    match (fits, beside <= MOST_PROJECT_FILES) {
        (true, _) => PartFolder::Below(folder_names(asked.dir()).take(depth).collect::<Vec<_>>().join("/")),
        (false, true) => PartFolder::Only(asked.dir().to_owned()),
        (false, false) => PartFolder::File(asked.clone()),
    }
}

fn folder_names(folder: &str) -> impl Iterator<Item = &str> {
    folder.split('/').filter(|name| !name.is_empty())
}

fn depth_of(folder: &str) -> usize {
    folder_names(folder).count()
}

/// Returns the number of outermost folders that two paths of folders have in common.
fn shared_folders(one: &str, other: &str) -> usize {
    folder_names(one).zip(folder_names(other)).take_while(|(one, other)| one == other).count()
}

#[cfg(test)]
mod tests {
    use hob_base::FileId;
    use hob_map::{MapChange, extract};

    use super::*;

    /// A map with these numbers of files in folders; the ending tells the language.
    fn map_of(folders: &[(&str, &str, usize)]) -> Map {
        let mut map = Map::default();
        let paths = folders.iter().flat_map(|&(folder, ending, count)| {
            (0..count).map(move |at| format!("{folder}/f{at}.{ending}"))
        });
        let changes = paths.enumerate().map(|(number, path)| {
            let path = WsPath::new(path.trim_start_matches('/')).expect("a path");
            let lang = hob_map::language_of(path.file_name(), b"").expect("a language");
            let facts = Arc::new(extract(lang, path.file_name(), b""));
            MapChange::Set { file: FileId(number as u32), path, facts }
        });
        map.apply(changes.collect::<Vec<_>>());
        map
    }

    fn select_paths(map: &Map, asked: &str) -> (ProjectPart, Vec<String>) {
        let asked = WsPath::new(asked).expect("a path");
        let (part, files) = ProjectPart::select_files(Generation(1), map, &asked);
        assert!(part.is_for(Generation(1), map, &asked) && !part.is_for(Generation(2), map, &asked));
        (part, files.into_iter().map(|(path, _)| path.as_str().to_owned()).collect())
    }

    fn is_for(part: &ProjectPart, map: &Map, asked: &str) -> bool {
        part.is_for(Generation(1), map, &WsPath::new(asked).expect("a path"))
    }

    #[test]
    fn a_small_project_is_joined_whole_for_every_question() {
        let map = map_of(&[("a", "py", 3), ("b", "c", 3)]);
        let (part, files) = select_paths(&map, "a/f0.py");
        assert_eq!(files.len(), 6);
        assert!(is_for(&part, &map, "b/f1.c"));
    }

    #[test]
    fn a_small_language_of_a_large_project_is_joined_whole_without_the_others() {
        let map = map_of(&[("a", "py", 3), ("tools/x", "py", 2), ("b", "c", 4_000)]);
        let (part, files) = select_paths(&map, "a/f0.py");
        assert_eq!(files.len(), 5);
        assert!(is_for(&part, &map, "tools/x/f1.py"), "another folder of the language needs the same");
        assert!(!is_for(&part, &map, "b/f1.c"));
    }

    #[test]
    fn of_a_large_language_the_widest_folder_that_fits_is_joined_and_then_the_nearest() {
        let map =
            map_of(&[("a/b/c", "c", 1_500), ("a/b/d", "c", 1_500), ("a/e", "c", 1_500), ("z", "c", 1_500)]);
        let (part, files) = select_paths(&map, "a/b/c/f7.c");
        assert_eq!(files.len(), MOST_PROJECT_FILES);
        let below = |folder: &str| files.iter().filter(|path| path.starts_with(folder)).count();
        assert_eq!((below("a/b/"), below("a/e/"), below("z/")), (3_000, 1_000, 0));
        assert!(is_for(&part, &map, "a/b/d/f0.c"), "its sister folder is in the selection too");
        assert!(!is_for(&part, &map, "a/e/f0.c") && !is_for(&part, &map, "a/bc/f0.c"));
        let (_, again) = select_paths(&map, "a/b/d/f0.c");
        let sorted = |mut files: Vec<String>| {
            files.sort_unstable();
            files
        };
        assert_eq!(sorted(files), sorted(again), "the selection does not depend on which file asked first");
    }

    #[test]
    fn a_folder_that_does_not_fit_is_cut_for_the_asked_file() {
        let map = map_of(&[("a", "c", 5_000), ("a/b", "c", 10), ("", "c", 1)]);
        let (part, files) = select_paths(&map, "a/f4999.c");
        assert_eq!(files.len(), MOST_PROJECT_FILES);
        assert!(files.contains(&"a/f4999.c".to_owned()), "the asked file is there");
        assert!(!is_for(&part, &map, "a/f0.c"), "not all that is beside it is there");
        assert!(!is_for(&part, &map, "a/b/f0.c"), "the folder below is asked for by itself");
        let (part, files) = select_paths(&map, "a/b/f3.c");
        assert_eq!(files.iter().filter(|path| path.starts_with("a/b/")).count(), 10);
        assert!(!is_for(&part, &map, "a/f0.c"));
        let (part, files) = select_paths(&map, "f0.c");
        assert!(files.contains(&"f0.c".to_owned()) && !is_for(&part, &map, "a/b/f3.c"));
    }

    #[test]
    fn schemas_are_joined_with_every_language() {
        let map = map_of(&[("a", "py", 3), ("protos", "proto", 2), ("b", "c", 4_000)]);
        let (part, files) = select_paths(&map, "a/f0.py");
        assert_eq!(files.len(), 5);
        assert!(!is_for(&part, &map, "a/new.py"), "nothing is known of a file that is not mapped");
    }
}
