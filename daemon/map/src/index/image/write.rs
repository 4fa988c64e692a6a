//! Writing an image.

use hob_base::FileId;
use rayon::prelude::*;

use super::{VERSION, fingerprint};
use crate::index::{FileEntry, Index, MapNameTable, NameId, Postings};
use crate::persist::flat::{put_sorted, put_varint};

impl Index {
    /// The names and lists as bytes. Reads everything once, on all threads of the pool it is called in.
    pub(crate) fn image(&self) -> Vec<u8> {
        let mut files: Vec<(FileId, &FileEntry)> = self.entries().collect();
        files.sort_unstable_by(|a, b| a.1.path.cmp(&b.1.path));
        let mut ranks = vec![u32::MAX; self.files.len()];
        files.iter().zip(0..).for_each(|((file, _), rank)| ranks[file.index()] = rank);
        let fingerprints: Vec<u64> = files.par_iter().map(|(_, entry)| fingerprint(&entry.facts)).collect();
        let (names, (defining, mentioning)) = rayon::join(
            || put_names(&self.names),
            || {
                rayon::join(
                    || [put_lists(&self.defining, &self.names, &ranks), self.put_counts(&files)].concat(),
                    || put_lists(&self.mentioning, &self.names, &ranks),
                )
            },
        );
        let mut out = Vec::with_capacity(names.len() + defining.len() + mentioning.len() + 16 * files.len());
        put_varint(&mut out, VERSION);
        put_sorted(&mut out, files.iter().map(|(_, entry)| entry.path.as_str()));
        fingerprints.iter().for_each(|print| out.extend(print.to_le_bytes()));
        for part in [names, defining, mentioning] {
            put_varint(&mut out, part.len() as u32);
            out.extend(part);
        }
        out.extend(put_names(&self.modules));
        out.extend(put_lists(&self.importing, &self.modules, &ranks));
        out
    }

    /// The files that define a name more than once: name, file, how often more.
    fn put_counts(&self, files: &[(FileId, &FileEntry)]) -> Vec<u8> {
        let several = |(rank, (_, entry)): (usize, &(FileId, &FileEntry))| {
            let counts = entry.defined_names().filter(|(_, defs)| defs.len() > 1);
            let named = counts.filter_map(|(name, defs)| {
                Some((self.names.find(entry.facts.name(name))?.0, rank as u32, defs.len() as u32 - 1))
            });
            named.collect::<Vec<_>>()
        };
        let mut counts: Vec<(u32, u32, u32)> = files.par_iter().enumerate().flat_map_iter(several).collect();
        counts.par_sort_unstable();
        let mut out = Vec::with_capacity(4 * counts.len());
        put_varint(&mut out, counts.len() as u32);
        let mut last = 0;
        for (name, rank, more) in counts {
            [name - last, rank, more].into_iter().for_each(|number| put_varint(&mut out, number));
            last = name;
        }
        out
    }
}

fn put_names(names: &MapNameTable) -> Vec<u8> {
    let (text, ends) = names.text_and_ends();
    let mut out = Vec::with_capacity(text.len() + 2 * ends.len());
    put_varint(&mut out, ends.len() as u32);
    put_varint(&mut out, text.len() as u32);
    out.extend_from_slice(text.as_bytes());
    let mut start = 0;
    for &end in ends {
        put_varint(&mut out, end - start);
        start = end;
    }
    out
}

/// Writes the length of each list, then the lists, each as the gaps between its numbers.
fn put_lists(lists: &Postings, names: &MapNameTable, ranks: &[u32]) -> Vec<u8> {
    let (mut lengths, mut gaps, mut list) = (Vec::new(), Vec::new(), Vec::new());
    for name in 0..names.len() as u32 {
        list.clear();
        list.extend(lists.get(NameId(name)).iter().map(|&file| ranks[file as usize]));
        // Usually sorted already: files are numbered by path when there are many.
        list.sort_unstable();
        put_varint(&mut lengths, list.len() as u32);
        let mut next = 0;
        for &rank in &list {
            put_varint(&mut gaps, rank - next);
            next = rank + 1;
        }
    }
    let mut out = Vec::with_capacity(lengths.len() + gaps.len() + 5);
    put_varint(&mut out, lengths.len() as u32);
    out.extend(lengths);
    out.extend(gaps);
    out
}
