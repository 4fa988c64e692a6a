//! Updates the folder of cached texts for an index, in the background and at intervals.
//!
//! Packs never change: missing texts go into a new one, and when most of their bytes are obsolete, or there
//! are many packs, one new pack replaces all. Until then searches read a changed file from the disk, so there
//! is no hurry, and a save of one file writes nothing here.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use hob_base::{AbsPath, CancelToken, ContentHash, Contents, WsPath};
use rayon::prelude::*;
use rustc_hash::{FxHashMap, FxHashSet};

use super::cache::ContentCache;
use super::pack::{Pack, PackDraft, SUFFIX};
use crate::trigram::disk::create_folder;
use crate::trigram::{DiskError, TextView};

/// Fewest files of a project with a cache; smaller projects are read from their files fast enough.
const FEWEST: usize = 256;
/// The inverse of the share of files without a cached text from which a new pack is due.
const MISSING_SHARE: usize = 50;
/// Fewest files without a cached text for which a new pack is due.
const MISSING_LEAST: usize = 64;
/// Most packs before all become one.
const MOST_PACKS: usize = 8;
/// Size of the largest cached file: to open a larger one is the least part of searching it.
const LARGEST: usize = 32 << 20;
/// Number of texts that are read at once, and in memory until they are written.
const STEP: usize = 128;
/// The name of an unfinished pack.
const UNFINISHED: &str = "texts.new";

/// Keeps the texts of one workspace in a folder of its own.
#[derive(Debug)]
pub struct ContentKeeper {
    folder: PathBuf,
    cache: ContentCache,
    /// Contents that could not be read; they are not tried again.
    unreadable: FxHashSet<ContentHash>,
}

impl ContentKeeper {
    /// Opens a folder with the packs of an earlier run. Unusable packs are deleted.
    #[must_use]
    pub fn open(folder: &AbsPath) -> Self {
        let folder = folder.as_path().to_owned();
        let names: Vec<PathBuf> = pack_files(&folder).collect();
        let opened = names.iter().map(|path| Pack::open(path).map(Arc::new));
        let cache = ContentCache::from_packs(opened.flatten().collect());
        let keeper = Self { folder, cache, unreadable: FxHashSet::default() };
        keeper.delete_others();
        keeper
    }

    /// Returns the present cache.
    #[must_use]
    pub fn cache(&self) -> &ContentCache {
        &self.cache
    }

    /// Updates the folder for `snapshot`, if that is due: reads the files whose texts are missing and adds
    /// those that still have the indexed contents. Reads in parallel, on the rayon pool of the caller, and
    /// may take seconds. Returns true if anything has changed; if `token` stops it, nothing has.
    ///
    /// # Errors
    /// [`DiskError`] when the folder cannot be written to; the cache then stays as it is.
    pub fn refresh_packs(
        &mut self,
        snapshot: &TextView,
        contents: &dyn Contents,
        token: &CancelToken,
    ) -> Result<bool, DiskError> {
        let wanted = WantedTexts::wanted_now(snapshot, &self.cache, &self.unreadable);
        if !wanted.is_due() {
            return Ok(false);
        }
        let io = |error| DiskError::io_at(&self.folder)(error);
        create_folder(&self.folder).map_err(io)?;
        let Some((pack, unreadable)) = self.write_pack(&wanted, contents, token).map_err(io)? else {
            return Ok(false);
        };
        self.unreadable.extend(unreadable);
        let kept = self.cache.packs.iter().filter(|_| !wanted.anew).cloned();
        self.cache = ContentCache::from_packs(kept.chain([Arc::new(pack)]).collect());
        self.delete_others();
        Ok(true)
    }

    /// Removes all texts, from memory and disk.
    pub fn clear(&mut self) {
        self.cache = ContentCache::default();
        self.delete_others();
    }

    /// Writes a pack of the wanted texts, and returns the contents that could not be read; `None` if it was
    /// stopped.
    fn write_pack(
        &self,
        wanted: &WantedTexts<'_>,
        contents: &dyn Contents,
        token: &CancelToken,
    ) -> io::Result<Option<(Pack, Vec<ContentHash>)>> {
        let (mut draft, mut unreadable) = (PackDraft::begin(&self.folder.join(UNFINISHED))?, Vec::new());
        let old = if wanted.anew { self.cache.clone() } else { ContentCache::default() };
        for step in wanted.texts.chunks(STEP) {
            if token.check().is_err() {
                return Ok(None);
            }
            let read: Vec<Option<Vec<u8>>> =
                step.par_iter().map(|(path, hash)| text_of(path, hash, &old, contents)).collect();
            for ((_, hash), bytes) in step.iter().zip(read) {
                match bytes {
                    Some(bytes) => draft.add(*hash, &bytes)?,
                    None => unreadable.push(*hash),
                }
            }
        }
        Ok(Some((draft.finish(&self.folder)?, unreadable)))
    }

    /// Deletes unused packs and drafts. A file that cannot be deleted stays for the next time.
    fn delete_others(&self) {
        let used: FxHashSet<&Path> = self.cache.packs.iter().map(|pack| pack.path()).collect();
        for path in pack_files(&self.folder).filter(|path| !used.contains(&**path)) {
            let _ = fs::remove_file(path);
        }
        let _ = fs::remove_file(self.folder.join(UNFINISHED));
    }
}

fn pack_files(folder: &Path) -> impl Iterator<Item = PathBuf> + use<> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let paths = entries.map(|entry| entry.path());
    paths.filter(|path| path.to_str().is_some_and(|path| path.ends_with(SUFFIX)))
}

/// Returns the bytes of a file, from the old cache or from the file itself, if they are the indexed ones.
fn text_of(
    path: &WsPath,
    hash: &ContentHash,
    old: &ContentCache,
    contents: &dyn Contents,
) -> Option<Vec<u8>> {
    if let Some(text) = old.get(hash) {
        return Some(text.bytes.to_vec());
    }
    let mut bytes = Vec::new();
    contents.read_into(path, &mut bytes).ok()?;
    (bytes.len() <= LARGEST && ContentHash::of(&bytes) == *hash).then_some(bytes)
}

/// The texts that a new pack should hold.
struct WantedTexts<'a> {
    /// The texts by path, each hash once.
    texts: Vec<(&'a WsPath, ContentHash)>,
    /// True if the pack replaces all packs.
    anew: bool,
    files: usize,
}

impl<'a> WantedTexts<'a> {
    fn wanted_now(snapshot: &'a TextView, cache: &ContentCache, unreadable: &FxHashSet<ContentHash>) -> Self {
        let mut all: FxHashMap<ContentHash, &WsPath> = FxHashMap::default();
        let mut files = 0;
        for (_, path, hash) in snapshot.files() {
            files += 1;
            let first = all.entry(hash).or_insert(path);
            *first = path.min(*first);
        }
        let anew = cache.packs.len() >= MOST_PACKS || is_mostly_dead(cache, &all);
        let missing = |(hash, _): &(ContentHash, &WsPath)| {
            (anew || !cache.has_text(hash)) && !unreadable.contains(hash)
        };
        let mut texts: Vec<_> = all.into_iter().filter(missing).map(|(hash, path)| (path, hash)).collect();
        texts.sort_unstable();
        Self { texts, anew, files }
    }

    fn is_due(&self) -> bool {
        self.files >= FEWEST && self.texts.len() >= (self.files / MISSING_SHARE).max(MISSING_LEAST)
    }
}

/// Returns true if most bytes of the packs belong to texts that no file has any more.
fn is_mostly_dead(cache: &ContentCache, wanted: &FxHashMap<ContentHash, &WsPath>) -> bool {
    let (mut dead, mut all) = (0, 0);
    for (hash, len) in cache.packs.iter().flat_map(|pack| pack.text_lengths()) {
        all += len;
        dead += if wanted.contains_key(&hash) { 0 } else { len };
    }
    dead * 2 > all
}
