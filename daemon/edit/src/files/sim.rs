//! Simulates a disk that can lose power. For tests only.
//!
//! The simulation keeps the process's view apart from the medium. Contents and permissions reach the medium by
//! [`Files::sync`], names by [`Files::sync_folder`]. After a power loss a file that was not synced since it was written
//! has the contents of the last sync, or none, or the front part of the written ones, or all of them; and each change
//! of names that was not synced may have reached the medium or not, as a whole. That is more than any usual file system
//! loses.

use std::collections::BTreeMap;
use std::io::{self, ErrorKind};
use std::path::{Component, Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::hooked::FileOperation;
use super::{Attrs, Files, Meta, NodeKind};

type Node = usize;
type SimNames = BTreeMap<(Node, String), Node>;
/// Names that are set or removed at once.
type SimNameChange = Vec<((Node, String), Option<Node>)>;

#[derive(Clone, Default)]
struct Content {
    bytes: Vec<u8>,
    attrs: Attrs,
}

#[derive(Clone)]
enum Inode {
    Folder,
    File {
        seen: Content,
        /// The contents that have reached the medium.
        kept: Content,
        is_synced: bool,
    },
}

#[derive(Clone)]
struct SimWorld {
    nodes: Vec<Inode>,
    seen: SimNames,
    kept: SimNames,
    /// Changes of names that have not reached the medium, each with the names that it sets.
    under_way: Vec<SimNameChange>,
    /// An operation that does nothing and reports success.
    lie: Option<FileOperation>,
}

/// A simulated disk, all in memory.
pub(crate) struct Sim(Mutex<SimWorld>);

/// Every file below a folder: its contents and its mode.
pub(crate) type SimTree = BTreeMap<String, (Vec<u8>, u32)>;

const ROOT: Node = 0;

impl Sim {
    pub(crate) fn new() -> Self {
        Self(Mutex::new(SimWorld {
            nodes: vec![Inode::Folder],
            seen: SimNames::new(),
            kept: SimNames::new(),
            under_way: Vec::new(),
            lie: None,
        }))
    }

    /// Returns another disk with the same present state.
    pub(crate) fn copy_now(&self) -> Arc<Self> {
        Arc::new(Self(Mutex::new(self.lock_world().clone())))
    }

    /// Returns another disk with the same present state, on which one operation has no effect.
    pub(crate) fn copy_lying(&self, lie: FileOperation) -> Arc<Self> {
        let copy = self.copy_now();
        copy.lock_world().lie = Some(lie);
        copy
    }

    /// Returns the disk after a power loss; `seed` decides what is lost.
    pub(crate) fn after_power_loss(&self, seed: u64) -> Arc<Self> {
        let mut world = self.lock_world().clone();
        world.lose_unsynced(&mut Dice(seed));
        world.lie = None;
        Arc::new(Self(Mutex::new(world)))
    }

    /// Places a file, with the folders above it, on the medium.
    pub(crate) fn place_file(&self, path: &str, contents: &[u8], mode: u32) {
        let path = Path::new(path);
        let mut above: Vec<&Path> = path.ancestors().skip(1).collect();
        above.reverse();
        for folder in above {
            let _ = self.make_folder(folder, false);
        }
        self.create(path, true).expect("new");
        self.write(path, contents).expect("there");
        self.set_attrs(path, &Attrs { mode, ..Attrs::default() }).expect("there");
        self.sync(path).expect("there");
        self.settle_names();
    }

    /// Places another name for a file on the medium.
    pub(crate) fn place_name(&self, of: &str, name: &str) {
        self.link(Path::new(of), Path::new(name)).expect("there");
        self.settle_names();
    }

    /// Returns true if both names belong to one file.
    pub(crate) fn is_one(&self, one: &str, other: &str) -> bool {
        let world = self.lock_world();
        matches!((world.find(Path::new(one)), world.find(Path::new(other))), (Ok(one), Ok(other)) if one == other)
    }

    /// Brings all names to the medium.
    fn settle_names(&self) {
        let mut world = self.lock_world();
        world.kept = world.seen.clone();
        world.under_way.clear();
    }

    /// Returns all files below `folder`.
    pub(crate) fn tree_below(&self, folder: &str) -> SimTree {
        let world = self.lock_world();
        let mut tree = SimTree::new();
        if let Ok(node) = world.find(Path::new(folder)) {
            world.walk(node, "", &mut tree);
        }
        tree
    }

    /// Counts the empty folders below `folder`.
    pub(crate) fn empty_folders(&self, folder: &str) -> usize {
        let world = self.lock_world();
        let Ok(top) = world.find(Path::new(folder)) else { return 0 };
        let is_empty = |node: Node| {
            matches!(world.nodes[node], Inode::Folder)
                && !world.seen.keys().any(|(parent, _)| *parent == node)
        };
        let mut inside = vec![top];
        let mut empty = 0;
        while let Some(node) = inside.pop() {
            empty += usize::from(node != top && is_empty(node));
            inside.extend(
                world.seen.iter().filter(|((parent, _), _)| *parent == node).map(|(_, child)| *child),
            );
        }
        empty
    }

    fn lock_world(&self) -> MutexGuard<'_, SimWorld> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl SimWorld {
    fn find(&self, path: &Path) -> io::Result<Node> {
        let mut at = ROOT;
        for part in path.components() {
            if let Component::Normal(name) = part {
                if !matches!(self.nodes[at], Inode::Folder) {
                    return Err(ErrorKind::NotADirectory.into());
                }
                let key = (at, name.to_string_lossy().into_owned());
                at = *self.seen.get(&key).ok_or(ErrorKind::NotFound)?;
            }
        }
        Ok(at)
    }

    fn split(&self, path: &Path) -> io::Result<(Node, String)> {
        let name = path.file_name().ok_or(ErrorKind::InvalidInput)?;
        Ok((self.find(path.parent().ok_or(ErrorKind::InvalidInput)?)?, name.to_string_lossy().into_owned()))
    }

    fn set(&mut self, names: SimNameChange) {
        assign_names(&mut self.seen, &names);
        self.under_way.push(names);
    }

    fn file(&mut self, path: &Path) -> io::Result<(&mut Content, &mut Content, &mut bool)> {
        let node = self.find(path)?;
        match &mut self.nodes[node] {
            Inode::File { seen, kept, is_synced } => Ok((seen, kept, is_synced)),
            Inode::Folder => Err(ErrorKind::IsADirectory.into()),
        }
    }

    fn add(&mut self, path: &Path, inode: Inode) -> io::Result<()> {
        let key = self.split(path)?;
        if self.seen.contains_key(&key) {
            return Err(ErrorKind::AlreadyExists.into());
        }
        self.nodes.push(inode);
        let node = self.nodes.len() - 1;
        self.set(vec![(key, Some(node))]);
        Ok(())
    }

    fn walk(&self, folder: Node, path: &str, tree: &mut SimTree) {
        for ((parent, name), node) in &self.seen {
            if *parent != folder {
                continue;
            }
            let path = if path.is_empty() { name.clone() } else { format!("{path}/{name}") };
            match &self.nodes[*node] {
                Inode::Folder => self.walk(*node, &path, tree),
                Inode::File { seen, .. } => {
                    tree.insert(path, (seen.bytes.clone(), seen.attrs.mode));
                }
            }
        }
    }

    fn lose_unsynced(&mut self, dice: &mut Dice) {
        let changes = std::mem::take(&mut self.under_way);
        let how = dice.number_below(4);
        let first = dice.number_below(changes.len() + 1);
        for (index, change) in changes.iter().enumerate() {
            let reached = match how {
                0 => false,
                1 => true,
                2 => index < first,
                _ => dice.number_below(2) == 0,
            };
            if reached {
                assign_names(&mut self.kept, change);
            }
        }
        self.seen = self.kept.clone();
        for node in &mut self.nodes {
            if let Inode::File { seen, kept, is_synced } = node {
                if !*is_synced {
                    let some = dice.number_below(seen.bytes.len() + 1);
                    match dice.number_below(5) {
                        0 => {}
                        1 => kept.bytes.clear(),
                        2 => kept.bytes = seen.bytes[..some].to_vec(),
                        // The new contents are in front, and the old ones behind them.
                        3 => {
                            let behind: Vec<u8> = kept.bytes.iter().skip(some).copied().collect();
                            kept.bytes = [&seen.bytes[..some], &behind].concat();
                        }
                        _ => kept.bytes = seen.bytes.clone(),
                    }
                    if dice.number_below(2) == 0 {
                        kept.attrs = seen.attrs.clone();
                    }
                }
                *seen = kept.clone();
                *is_synced = true;
            }
        }
    }
}

fn assign_names(names: &mut SimNames, changes: &SimNameChange) {
    for (key, node) in changes {
        match node {
            Some(node) => names.insert(key.clone(), *node),
            None => names.remove(key),
        };
    }
}

/// Generates the numbers of SplitMix64 (Steele, Lea and Flood 2014).
pub(crate) struct Dice(pub(crate) u64);

impl Dice {
    pub(crate) fn number_below(&mut self, end: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) % end.max(1) as u64) as usize
    }
}

impl Files for Sim {
    fn real(&self, path: &Path) -> io::Result<PathBuf> {
        self.lock_world().find(path).map(|_| path.to_path_buf())
    }

    fn meta(&self, path: &Path) -> io::Result<Option<Meta>> {
        let world = self.lock_world();
        let node = match world.find(path) {
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
            other => other?,
        };
        Ok(Some(match &world.nodes[node] {
            Inode::Folder => Meta { kind: NodeKind::Folder, attrs: Attrs::default(), names: 1 },
            Inode::File { seen, .. } => {
                let names = world.seen.values().filter(|other| **other == node).count();
                Meta { kind: NodeKind::File, attrs: seen.attrs.clone(), names: names as u64 }
            }
        }))
    }

    fn attrs(&self, path: &Path) -> io::Result<Attrs> {
        Ok(self.lock_world().file(path)?.0.attrs.clone())
    }

    fn can_give(&self, _attrs: &Attrs) -> bool {
        true
    }

    fn read(&self, path: &Path) -> io::Result<Vec<u8>> {
        Ok(self.lock_world().file(path)?.0.bytes.clone())
    }

    fn list(&self, folder: &Path) -> io::Result<Vec<String>> {
        let world = self.lock_world();
        let folder = world.find(folder)?;
        let inside = world.seen.keys().filter(|(parent, _)| *parent == folder);
        Ok(inside.map(|(_, name)| name.clone()).collect())
    }

    fn create(&self, path: &Path, private: bool) -> io::Result<()> {
        let attrs = Attrs { mode: if private { 0o600 } else { 0o644 }, ..Attrs::default() };
        let seen = Content { attrs, ..Content::default() };
        self.lock_world().add(path, Inode::File { kept: seen.clone(), seen, is_synced: false })
    }

    fn write(&self, path: &Path, bytes: &[u8]) -> io::Result<()> {
        let mut world = self.lock_world();
        let (seen, _, is_synced) = world.file(path)?;
        seen.bytes = bytes.to_vec();
        *is_synced = false;
        Ok(())
    }

    fn may_write(&self, path: &Path) -> io::Result<()> {
        self.lock_world().file(path).map(drop)
    }

    fn overwrite(&self, path: &Path, from: &[u8], to: &[u8]) -> io::Result<bool> {
        match self.read(path)? == from {
            true => self.write(path, to).map(|()| true),
            false => Ok(false),
        }
    }

    fn set_attrs(&self, path: &Path, attrs: &Attrs) -> io::Result<()> {
        let mut world = self.lock_world();
        let (seen, _, is_synced) = world.file(path)?;
        seen.attrs = attrs.clone();
        *is_synced = false;
        Ok(())
    }

    fn sync(&self, path: &Path) -> io::Result<()> {
        let mut world = self.lock_world();
        if world.lie == Some(FileOperation::Sync) {
            return Ok(());
        }
        let (seen, kept, is_synced) = world.file(path)?;
        *kept = seen.clone();
        *is_synced = true;
        Ok(())
    }

    fn sync_folder(&self, folder: &Path) -> io::Result<()> {
        let mut world = self.lock_world();
        let folder = world.find(folder)?;
        if world.lie == Some(FileOperation::SyncFolder) {
            return Ok(());
        }
        let concerns = |change: &SimNameChange| change.iter().any(|((parent, _), _)| *parent == folder);
        let (now, later) = std::mem::take(&mut world.under_way).into_iter().partition(concerns);
        world.under_way = later;
        let now: Vec<_> = now;
        now.iter().for_each(|change| assign_names(&mut world.kept, change));
        Ok(())
    }

    fn link(&self, from: &Path, to: &Path) -> io::Result<()> {
        let mut world = self.lock_world();
        let (node, key) = (world.find(from)?, world.split(to)?);
        if world.seen.contains_key(&key) {
            return Err(ErrorKind::AlreadyExists.into());
        }
        world.set(vec![(key, Some(node))]);
        Ok(())
    }

    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        let mut world = self.lock_world();
        let (node, old, new) = (world.find(from)?, world.split(from)?, world.split(to)?);
        // As on Unix, a rename between two names of one file does nothing.
        if world.seen.get(&new) != Some(&node) {
            world.set(vec![(old, None), (new, Some(node))]);
        }
        Ok(())
    }

    fn rename_new(&self, from: &Path, to: &Path) -> io::Result<()> {
        match self.meta(to)? {
            Some(_) => Err(ErrorKind::AlreadyExists.into()),
            None => self.rename(from, to),
        }
    }

    fn exchange(&self, one: &Path, other: &Path) -> io::Result<()> {
        let mut world = self.lock_world();
        let (first, second) = (world.find(one)?, world.find(other)?);
        let (one, other) = (world.split(one)?, world.split(other)?);
        world.set(vec![(one, Some(second)), (other, Some(first))]);
        Ok(())
    }

    fn remove(&self, path: &Path) -> io::Result<()> {
        let mut world = self.lock_world();
        world.file(path)?;
        let key = world.split(path)?;
        world.set(vec![(key, None)]);
        Ok(())
    }

    fn make_folder(&self, path: &Path, _private: bool) -> io::Result<()> {
        self.lock_world().add(path, Inode::Folder)
    }

    fn remove_folder(&self, path: &Path) -> io::Result<()> {
        let mut world = self.lock_world();
        let (node, key) = (world.find(path)?, world.split(path)?);
        if !matches!(world.nodes[node], Inode::Folder) {
            return Err(ErrorKind::NotADirectory.into());
        }
        if world.seen.keys().any(|(parent, _)| *parent == node) {
            return Err(ErrorKind::DirectoryNotEmpty.into());
        }
        world.set(vec![(key, None)]);
        Ok(())
    }
}
