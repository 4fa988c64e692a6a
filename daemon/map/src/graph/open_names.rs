//! Lists, for each name, the files in which the last derivation left it open: where a use of it may mean something that
//! the derivation does not know, or where the file gives it another name.
//!
//! A name such as `get` stands in thousands of files, and in most of them it surely means something. A search for the
//! uses that may mean a definition needs only the others. Names are kept as hashes: two that share one make the search
//! look in too many files, never in too few.

use std::hash::{BuildHasher, BuildHasherDefault};

use hob_base::paged::PagedStore;
use rustc_hash::FxHasher;

use crate::facts::Column;
use crate::persist::PersistError::{self, Damaged};
use crate::persist::flat::{Input, put_varint};

/// Pairs of a name and a file in which it is open, in any order.
#[derive(Debug, Default)]
pub(super) struct OpenNamePairs(Vec<(u32, u32)>);

impl OpenNamePairs {
    /// Adds a name and a file, once if the same pair comes again immediately.
    pub(super) fn add_pair(&mut self, name: &str, file: u32) {
        let pair = (hash_of(name), file);
        if self.0.last() != Some(&pair) {
            self.0.push(pair);
        }
    }
}

/// The files in which each name is open.
#[derive(Debug, Default)]
pub(super) struct OpenNames {
    /// The hashes of the names, ascending.
    names: Column<u32>,
    /// The index in `files` of each name's first file; one entry more than there are names.
    starts: Column<u32>,
    files: Column<u32>,
}

impl OpenNames {
    pub(super) fn new(pairs: OpenNamePairs) -> Self {
        let mut pairs = pairs.0;
        pairs.sort_unstable();
        pairs.dedup();
        let (mut names, mut starts) = (Vec::new(), Vec::new());
        for (at, (name, _)) in pairs.iter().enumerate() {
            if names.last() != Some(name) {
                names.push(*name);
                starts.push(at as u32);
            }
        }
        starts.push(pairs.len() as u32);
        let files: Vec<u32> = pairs.into_iter().map(|(_, file)| file).collect();
        Self { names: names.into(), starts: starts.into(), files: files.into() }
    }

    /// The same lists in a store, if they are many.
    pub(super) fn placed_in(self, store: &PagedStore) -> Self {
        Self {
            names: self.names.placed_alone_in(store),
            starts: self.starts.placed_alone_in(store),
            files: self.files.placed_alone_in(store),
        }
    }

    pub(super) fn heap_bytes(&self) -> usize {
        self.names.heap_bytes() + self.starts.heap_bytes() + self.files.heap_bytes()
    }

    /// Writes the lists, for [`OpenNames::read`], with the number that `number_of_file` gives a file.
    pub(super) fn write(&self, out: &mut Vec<u8>, number_of_file: impl Fn(u32) -> u32) {
        put_varint(out, self.names.len() as u32);
        let mut before = 0;
        for (name, bounds) in self.names.iter().zip(self.starts.windows(2)) {
            put_varint(out, name - before);
            before = *name;
            put_varint(out, bounds[1] - bounds[0]);
            let files = self.files.get(bounds[0] as usize..bounds[1] as usize).unwrap_or_default();
            files.iter().for_each(|&file| put_varint(out, number_of_file(file)));
        }
    }

    /// Reads written lists. `files` has the files by their numbers.
    pub(super) fn read(input: &mut Input<'_>, files: &[u32]) -> Result<Self, PersistError> {
        let count = input.read_number()?;
        let mut pairs = Vec::with_capacity(input.room_for(count));
        let mut name = 0u32;
        for _ in 0..count {
            name = name.wrapping_add(input.read_number()?);
            for _ in 0..input.read_number()? {
                let file =
                    files.get(input.read_number()? as usize).ok_or(Damaged("a file is out of range"))?;
                pairs.push((name, *file));
            }
        }
        Ok(Self::new(OpenNamePairs(pairs)))
    }

    /// Returns the files of a name, ascending.
    pub(super) fn of_name(&self, name: &str) -> &[u32] {
        let Ok(at) = self.names.binary_search(&hash_of(name)) else { return &[] };
        let bounds = self.starts.get(at).zip(self.starts.get(at + 1));
        bounds.and_then(|(&start, &end)| self.files.get(start as usize..end as usize)).unwrap_or(&[])
    }
}

fn hash_of(name: &str) -> u32 {
    (BuildHasherDefault::<FxHasher>::default().hash_one(name) >> 32) as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_name_has_its_files_once_in_order() {
        let mut pairs = OpenNamePairs::default();
        for (name, file) in [("get", 7), ("get", 7), ("set", 7), ("get", 7), ("get", 2), ("set", 9)] {
            pairs.add_pair(name, file);
        }
        let files = OpenNames::new(pairs);
        assert_eq!((files.of_name("get"), files.of_name("set")), (&[2, 7][..], &[7, 9][..]));
        assert!(files.of_name("put").is_empty() && OpenNames::default().of_name("get").is_empty());

        let mut bytes = Vec::new();
        files.write(&mut bytes, |file| file % 7);
        let again = OpenNames::read(&mut Input::new(&bytes), &[31, 8, 30]).expect("just written");
        assert_eq!((again.of_name("get"), again.of_name("set")), (&[30, 31][..], &[30, 31][..]));
        assert!(OpenNames::read(&mut Input::new(&bytes), &[31, 8]).is_err(), "a file that there is not");
    }
}
