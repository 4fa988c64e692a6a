//! Builds an index from files and an image.

use std::sync::Arc;

use rayon::prelude::*;
use rustc_hash::FxHashMap;

use super::{PreparedFile, VERSION};
use crate::index::{FileEntry, Index, Kinds, MapNameTable, NameId, NameStatistics, Postings, Terms, terms};
use crate::persist::PersistError::{self, Damaged, Format};
use crate::persist::flat::{Input, read_sorted};

/// Number of files whose words are looked up before an image is used.
const SAMPLE: usize = 64;

/// The number for a file that is not in this run: the reader skips its entries.
const GONE: u32 = u32::MAX;

impl Index {
    /// Builds an index of `files`, whose numbers and paths are distinct, with the lists of an image. Also returns the
    /// files that the image does not have as they are now, which the caller has to add one by one.
    ///
    /// # Errors
    /// If the image is damaged or of another version; the error comes with the files.
    pub(crate) fn restore(
        files: Vec<PreparedFile>,
        image: &[u8],
    ) -> Result<(Self, Vec<PreparedFile>), (PersistError, Vec<PreparedFile>)> {
        match Self::read_index_lists(&files, image) {
            Ok((mut index, known)) => {
                let mut rest = Vec::new();
                let mut taken = Vec::with_capacity(files.len());
                for (file, known) in files.into_iter().zip(known) {
                    if known { taken.push(file) } else { rest.push(file) }
                }
                index.take_files(taken);
                index.note_kinds();
                match index.is_listed_right() {
                    true => Ok((index, rest)),
                    false => Err((Damaged("it does not list what files hold"), index.into_files(rest))),
                }
            }
            Err(error) => Err((error, files)),
        }
    }

    /// Reads everything but the files and the look-ups by place. Also returns for each file whether the image has it as
    /// it is now.
    fn read_index_lists(files: &[PreparedFile], image: &[u8]) -> Result<(Self, Vec<bool>), PersistError> {
        let mut input = Input::new(image);
        let version = input.read_number()?;
        if version != VERSION {
            return Err(Format(u8::try_from(version).unwrap_or(u8::MAX)));
        }
        let (ids, known) = read_files(&mut input, files)?;
        let mut part = || input.read_number().and_then(|length| input.read_bytes(length)).map(Input::new);
        let (mut names, mut defining, mut mentioning) = (part()?, part()?, part()?);
        let (names, (defining, mentioning)) = rayon::join(
            || names.read_whole(read_names),
            || {
                rayon::join(
                    || defining.read_whole(|input| Ok((read_lists(input, &ids)?, read_counts(input, &ids)?))),
                    || mentioning.read_whole(|input| read_lists(input, &ids)),
                )
            },
        );
        let (names, (defining, counts), mentioning) = (names?, defining?, mentioning?);
        let modules = read_names(&mut input)?;
        let importing = read_lists(&mut input, &ids)?;
        if !input.is_empty() || [&defining, &mentioning].iter().any(|lists| lists.len() != names.len()) {
            return Err(Damaged("its parts do not fit"));
        }
        let mut index = Self { names, defining, mentioning, modules, importing, ..Self::default() };
        index.list_defined(&counts)?;
        index.list_segments();
        Ok((index, known))
    }

    /// Fills the statistics of each name from the list of files that define it, and from the counts of files that
    /// define it more than once.
    fn list_defined(&mut self, counts: &[(u32, u32)]) -> Result<(), PersistError> {
        let own = |name: NameId| {
            let is_link = self.names.get(name).starts_with(terms::LINK);
            if is_link { 0 } else { self.defining.get(name).len() as u32 }
        };
        let mut defs: Vec<u32> = (0..self.names.len() as u32).map(|name| own(NameId(name))).collect();
        for &(name, more) in counts {
            let defs = defs.get_mut(name as usize).ok_or(Damaged("a name is out of range"))?;
            *defs = defs.saturating_add(more);
        }
        for (name, &defs) in (0..).map(NameId).zip(&defs).filter(|(_, defs)| **defs > 0) {
            self.standings.push(name, NameStatistics { defs, ..NameStatistics::default() });
            self.def_names.push(self.names.get(name), name.0);
        }
        Ok(())
    }

    fn list_segments(&mut self) {
        for module in 0..self.modules.len() as u32 {
            for word in terms::words_of_module(self.modules.get(NameId(module))) {
                let word = self.segments.intern(word);
                self.modules_with.insert(word, module);
            }
        }
    }

    /// Adds files whose words are listed already.
    fn take_files(&mut self, mut files: Vec<PreparedFile>) {
        // If there are many files, their numbers follow their paths, and the lists of places are in order of path.
        files.sort_unstable_by_key(|file| file.file);
        let end = files.iter().map(|file| file.file.index() + 1).max().unwrap_or(0);
        self.files.resize_with(end, || None);
        for PreparedFile { file, entry, .. } in files {
            let (path, facts) = (entry.path.clone(), Arc::clone(&entry.facts));
            self.add_place(file, &path, &facts);
            self.count(file, &entry, true);
            self.files[file.index()] = Some(entry);
        }
    }

    /// Sets for each name the kinds of its definitions, and the top folders that contain them.
    fn note_kinds(&mut self) {
        let entries: Vec<&FileEntry> = self.files.iter().flatten().map(|entry| &**entry).collect();
        let names = &self.names;
        let of_entry = |entry: &&'_ FileEntry| {
            let defined = entry
                .defined_names()
                .filter_map(|(name, defs)| Some((names.find(entry.facts.name(name))?, entry.kinds_of(defs))));
            defined.collect::<Vec<_>>()
        };
        let found: Vec<Vec<(NameId, Kinds)>> = entries.par_iter().map(of_entry).collect();
        for (entry, found) in entries.into_iter().zip(found) {
            let place = self.roots.note_top_folder(entry.path.as_str());
            for (name, kinds) in found {
                self.standings.note_definitions(name, kinds, place);
            }
        }
    }

    /// Returns the files of the index, and `files`.
    fn into_files(self, mut files: Vec<PreparedFile>) -> Vec<PreparedFile> {
        let taken = self.files.into_iter().zip(0..).filter_map(|(entry, number)| {
            Some(PreparedFile { file: hob_base::FileId(number), entry: entry?, fingerprint: 0 })
        });
        files.extend(taken);
        files
    }

    /// Returns true if a sample of files, spread over the whole, is listed under all their words.
    fn is_listed_right(&self) -> bool {
        let count = self.entries().count();
        let mut sample = self.entries().step_by((count / SAMPLE).max(1));
        sample.all(|(file, entry)| self.lists_file(file.0, entry))
    }

    fn lists_file(&self, file: u32, entry: &FileEntry) -> bool {
        let words = Terms::from_entry(entry);
        let has = |(names, lists): (&MapNameTable, &Postings), name: &str| {
            names.find(name).is_some_and(|id| lists.get(id).binary_search(&file).is_ok())
        };
        words.defined.iter().all(|(name, _)| has((&self.names, &self.defining), name))
            && words.linked.iter().all(|name| has((&self.names, &self.defining), name))
            && words.mentioned.iter().all(|name| has((&self.names, &self.mentioning), name))
            && words.modules.iter().all(|module| has((&self.modules, &self.importing), module))
    }
}

/// Returns the numbers that the image's files have in this run, and for each of `files` whether the image has it as it
/// is now.
fn read_files(input: &mut Input<'_>, files: &[PreparedFile]) -> Result<(Vec<u32>, Vec<bool>), PersistError> {
    let paths = read_sorted(input)?;
    let prints = input.read_bytes((paths.len() * 8) as u32)?.as_chunks::<8>().0;
    let by_path: FxHashMap<&str, usize> =
        files.iter().enumerate().map(|(at, file)| (file.entry.path.as_str(), at)).collect();
    let mut known = vec![false; files.len()];
    let ids = paths.iter().zip(prints).map(|(path, print)| {
        let same = |at: &usize| files[*at].fingerprint == u64::from_le_bytes(*print);
        let Some(&at) = by_path.get(path).filter(|at| same(at)) else { return GONE };
        known[at] = true;
        files[at].file.0
    });
    Ok((ids.collect(), known))
}

fn read_names(input: &mut Input<'_>) -> Result<MapNameTable, PersistError> {
    let (count, length) = (input.read_number()?, input.read_number()?);
    let text =
        std::str::from_utf8(input.read_bytes(length)?).map_err(|_| Damaged("the names are not Unicode"))?;
    let mut ends = Vec::with_capacity(input.room_for(count));
    let mut end = 0u32;
    for _ in 0..count {
        end = end.checked_add(input.read_number()?).ok_or(Damaged("a name is too long"))?;
        if !text.is_char_boundary(end as usize) {
            return Err(Damaged("a name is out of range"));
        }
        ends.push(end);
    }
    if end != length {
        return Err(Damaged("the names do not fit"));
    }
    Ok(MapNameTable::from_parts(text.to_owned(), ends))
}

fn read_lists(input: &mut Input<'_>, ids: &[u32]) -> Result<Postings, PersistError> {
    let length = input.read_number()?;
    let mut lengths = Input::new(input.read_bytes(length)?);
    let mut lists = Postings::default();
    let mut list = Vec::new();
    while !lengths.is_empty() {
        list.clear();
        let mut next = 0u32;
        for _ in 0..lengths.read_number()? {
            let rank = next.checked_add(input.read_number()?).ok_or(Damaged("a list is out of range"))?;
            let id = *ids.get(rank as usize).ok_or(Damaged("a list is out of range"))?;
            if id != GONE {
                list.push(id);
            }
            next = rank + 1;
        }
        if !list.is_sorted() {
            list.sort_unstable();
        }
        lists.push(&list);
    }
    lists.shrink();
    Ok(lists)
}

/// Reads the numbers of definitions beyond the first that files have of a name.
fn read_counts(input: &mut Input<'_>, ids: &[u32]) -> Result<Vec<(u32, u32)>, PersistError> {
    let count = input.read_number()?;
    let mut counts = Vec::with_capacity(input.room_for(count));
    let mut name = 0u32;
    for _ in 0..count {
        let (step, rank, more) = (input.read_number()?, input.read_number()?, input.read_number()?);
        name = name.checked_add(step).ok_or(Damaged("a name is out of range"))?;
        if *ids.get(rank as usize).ok_or(Damaged("a file is out of range"))? != GONE {
            counts.push((name, more));
        }
    }
    Ok(counts)
}
