//! Stores the edges of a derivation as bytes between two runs, so that a restarted daemon does not resolve a whole tree
//! again.
//!
//! A file decides what names mean in others, so edges hold for exactly the files that they were derived from, and for the code that
//! resolved them. The bytes begin with a digest of the paths of all files, of 64 bits of hash for the facts of each, and
//! of the sources that resolve. If it is another, they are not used, and the next derivation makes the edges anew; there is no half of
//! them to keep.
//!
//! Layout: the digest; the packages; the edges of each node; the score of each node but packages; the uses of the edges of each node;
//! the references that are left open; their names. No bytes cause an index out of bounds.

use std::hash::{BuildHasher, BuildHasherDefault};
use std::sync::Arc;

use hob_base::paged::PagedStore;
use hob_base::{ContentHash, WsPath};
use rayon::prelude::*;
use rustc_hash::FxHasher;

use super::adjacency::Adjacency;
use super::derive::DeriveJob;
use super::edge_sites::EdgeSites;
use super::open_names::OpenNames;
use super::skeleton::{Marked, Skeleton, SkeletonInput};
use super::{Map, Ranked};
use crate::facts::FileFacts;
use crate::persist::PersistError::{self, Damaged};
use crate::persist::flat::{Input, put_varint};

/// A digest of the sources of this crate and of those of paths: `build.rs` computes it.
const RESOLVING_CODE: &str = env!("HOB_MAP_SOURCES");

/// The edges of a derivation, to be written without the map's lock.
#[derive(Debug)]
pub struct DerivedEdges {
    skeleton: Arc<Skeleton>,
    /// The keys of the packages outside, in order of their nodes.
    packages: Vec<String>,
}

/// Edges that an earlier run derived from the same files.
#[derive(Debug)]
pub struct RestoredEdges {
    skeleton: Skeleton,
    packages: Vec<String>,
    /// The version of the map whose files were compared.
    version: u64,
}

impl DerivedEdges {
    /// Returns true if other edges are of the same derivation.
    #[must_use]
    pub fn are_of_same_derivation(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.skeleton, &other.skeleton)
    }

    /// Returns the bytes, for [`DeriveJob::restore_edges`]. Uses all threads of the pool it is called in.
    #[must_use]
    pub fn into_bytes(self) -> Vec<u8> {
        let (skeleton, input) = (&self.skeleton, self.skeleton.built_from());
        let mut out = digest_of(input).as_bytes().to_vec();
        put_varint(&mut out, self.packages.len() as u32);
        for key in &self.packages {
            put_varint(&mut out, key.len() as u32);
            out.extend(key.as_bytes());
        }
        skeleton.out_edges().write(&mut out);
        skeleton.write_scores(&mut out);
        if let Some(sites) = &input.sites {
            sites.write(&mut out);
        }
        input.open.write(&mut out);
        // A name of a file that has no nodes cannot be: names are added with the file's edges.
        let index_of = |file| skeleton.index_of_file(hob_base::FileId(file)).unwrap_or(u32::MAX);
        input.open_names.write(&mut out, index_of);
        out
    }
}

impl RestoredEdges {
    /// The same edges, if they are many, in a store that keeps them out of the process's own memory.
    #[must_use]
    pub fn placed_in(self, store: &PagedStore) -> Self {
        Self { skeleton: self.skeleton.placed_in(store), ..self }
    }
}

impl DeriveJob {
    /// Returns the edges in bytes that [`DerivedEdges::into_bytes`] wrote, which may be any bytes; `None` if they are of other files
    /// than the job's, or of other code. It needs no map. Uses all threads of the pool it is called in.
    ///
    /// # Errors
    /// If the bytes are damaged.
    pub fn restore_edges(mut self, bytes: &[u8]) -> Result<Option<RestoredEdges>, PersistError> {
        self.arrange_items();
        let (version, files) = (self.map_version(), self.item_files());
        let mut input = SkeletonInput::default();
        self.move_files_to(&mut input);
        let digest = digest_of(&input);
        let mut bytes = Input::new(bytes);
        if bytes.read_bytes(digest.as_bytes().len() as u32)? != digest.as_bytes() {
            return Ok(None);
        }
        let packages = read_packages(&mut bytes)?;
        let all = input.nodes + packages.len();
        let out = Adjacency::read(&mut bytes, all)?;
        // Packages get their numbers when the edges are installed.
        let mut skeleton = Skeleton::from_out_edges(input, out);
        skeleton.read_scores(&mut bytes)?;
        let sites = EdgeSites::read(&mut bytes, all)?;
        let (open, open_names) = (Marked::read(&mut bytes)?, OpenNames::read(&mut bytes, &files)?);
        if !bytes.is_empty() {
            return Err(Damaged("there is more than there should be"));
        }
        skeleton.set_uses(sites, open, open_names);
        Ok(Some(RestoredEdges { skeleton, packages, version }))
    }
}

impl Map {
    /// Returns the edges of the last derivation; `None` if it was in an earlier run, if files have changed since, or if it kept no
    /// lines.
    #[must_use]
    pub fn edges_to_save(&self) -> Option<DerivedEdges> {
        let skeleton = self.standing.skeleton.as_ref().filter(|skeleton| skeleton.has_sites())?;
        if self.standing.ranked != Ranked::Derived || !self.standing.changed.is_empty() {
            return None;
        }
        let packages =
            skeleton.built_from().externals.iter().map(|id| self.externals.package_key(*id)).collect();
        Some(DerivedEdges { skeleton: Arc::clone(skeleton), packages })
    }

    /// Starts restoring the edges of an earlier run; `None` unless the map has as many files with hub scores of such a run as it has
    /// files.
    #[must_use]
    pub fn restoring_job(&self) -> Option<DeriveJob> {
        let has_scores = self.ranking_origin() == Ranked::Earlier { unknown: 0 };
        has_scores.then(|| self.derive_job())
    }

    /// Installs restored edges. Returns false, and does nothing, if the map has changed since the job was started.
    pub fn install_edges(&mut self, edges: RestoredEdges) -> bool {
        if edges.version != self.version {
            return false;
        }
        let mut skeleton = edges.skeleton;
        skeleton.set_externals(edges.packages.iter().map(|key| self.externals.number_of_key(key)).collect());
        self.standing.skeleton = Some(Arc::new(skeleton));
        self.standing.changed.clear();
        true
    }
}

/// Returns the digest of everything that edges follow from.
fn digest_of(input: &SkeletonInput) -> ContentHash {
    let sources = input.stretches.iter().map(|one| (&one.path, &one.facts));
    let files: Vec<(&WsPath, &Arc<FileFacts>)> =
        sources.chain(input.manifests.iter().map(|one| (&one.path, &one.facts))).collect();
    let hasher = BuildHasherDefault::<FxHasher>::default();
    let prints: Vec<u64> = files.par_iter().map(|(_, facts)| hasher.hash_one(facts)).collect();
    let mut bytes = RESOLVING_CODE.as_bytes().to_vec();
    for ((path, _), print) in files.iter().zip(prints) {
        bytes.extend(path.as_str().as_bytes());
        // No path has a zero, so it is clear where one ends.
        bytes.push(0);
        bytes.extend(print.to_le_bytes());
    }
    ContentHash::of(&bytes)
}

fn read_packages(input: &mut Input<'_>) -> Result<Vec<String>, PersistError> {
    let count = input.read_number()?;
    let mut packages = Vec::with_capacity(input.room_for(count));
    for _ in 0..count {
        let length = input.read_number()?;
        let key = std::str::from_utf8(input.read_bytes(length)?);
        let key = key.ok().filter(|key| key.contains(':')).ok_or(Damaged("a package has no name"))?;
        packages.push(key.to_owned());
    }
    Ok(packages)
}
