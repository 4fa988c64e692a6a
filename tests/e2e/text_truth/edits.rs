//! Random edits of a tree: what editors, checkouts and scripts do to files.

use std::fs::{self, OpenOptions};
use std::io::Write as _;

use hob_tests::{Rng, Tree};

use super::nasty;

/// Edits a tree; knows which files there are.
pub(super) struct Edits<'a> {
    tree: &'a Tree,
    rng: Rng,
    files: Vec<String>,
    made: usize,
    touched: usize,
}

impl<'a> Edits<'a> {
    pub(super) fn new(tree: &'a Tree, rng: Rng) -> Self {
        let files = (0..7).flat_map(|folder| files_of(tree, &format!("d{folder}"))).collect();
        Self { tree, rng, files, made: 0, touched: 0 }
    }

    /// Makes `number` edits, one after the other.
    pub(super) fn some(&mut self, number: usize) {
        for _ in 0..number {
            self.made += 1;
            self.touched += 1;
            match self.rng.below(10) {
                0 | 1 => self.create(),
                2 | 3 => self.append(),
                4 => self.truncate(),
                5 => self.rename(),
                6 => self.delete(),
                7 => self.replace(),
                8 => self.rename_folder(),
                _ => self.rewrite(),
            }
        }
    }

    /// Files that the edits touched, each as often as that was.
    pub(super) fn touched(&self) -> usize {
        self.touched
    }

    fn bytes(&mut self) -> Vec<u8> {
        let len = self.rng.below(600);
        match self.rng.below(3) {
            0 => nasty::dirty(&mut self.rng, len),
            _ => nasty::text(&mut self.rng, len).into_bytes(),
        }
    }

    /// One of the files; there are always some.
    fn any(&mut self) -> usize {
        if self.files.len() < 20 {
            (0..20).for_each(|_| self.create());
        }
        self.rng.below(self.files.len())
    }

    fn create(&mut self) {
        let ending = *self.rng.pick(&["py", "txt", "md", "tmp", "rs"]);
        let path = format!(
            "d{}/new{}/f{}.{ending}",
            self.rng.below(7),
            self.rng.below(5),
            self.made * 31 + self.files.len()
        );
        let bytes = self.bytes();
        self.tree.write(&path, bytes);
        self.files.push(path);
    }

    fn append(&mut self) {
        let (at, bytes) = (self.any(), self.bytes());
        let mut file =
            OpenOptions::new().append(true).open(self.tree.at(&self.files[at])).expect("it is there");
        file.write_all(&bytes).expect("it can be written to");
    }

    fn truncate(&mut self) {
        let at = self.any();
        let file = OpenOptions::new().write(true).open(self.tree.at(&self.files[at])).expect("it is there");
        let len = file.metadata().expect("it is open").len();
        file.set_len(self.rng.below(len as usize + 1) as u64).expect("it can be cut");
    }

    fn rename(&mut self) {
        let at = self.any();
        let to = format!("d{}/moved/m{}.txt", self.rng.below(7), self.made);
        self.tree.rename(&self.files[at], &to);
        self.files[at] = to;
    }

    fn delete(&mut self) {
        let at = self.any();
        let path = self.files.swap_remove(at);
        self.tree.remove(&path);
    }

    /// As editors save: beside it, then over it.
    fn replace(&mut self) {
        let (at, bytes) = (self.any(), self.bytes());
        let path = self.files[at].clone();
        let beside = format!("{path}.{}~", self.made);
        self.tree.write(&beside, bytes);
        self.tree.rename(&beside, &path);
    }

    fn rewrite(&mut self) {
        let (at, bytes) = (self.any(), self.bytes());
        self.tree.write(&self.files[at].clone(), bytes);
    }

    fn rename_folder(&mut self) {
        let (from, to) = (
            format!("d{}/new{}", self.rng.below(7), self.rng.below(5)),
            format!("d{}/away{}", self.rng.below(7), self.made),
        );
        if !self.tree.at(&from).exists() {
            return self.rewrite();
        }
        self.tree.rename(&from, &to);
        for file in &mut self.files {
            if let Some(rest) = file.strip_prefix(&format!("{from}/")) {
                *file = format!("{to}/{rest}");
                self.touched += 1;
            }
        }
    }
}

/// The regular files below a folder of the tree.
fn files_of(tree: &Tree, folder: &str) -> Vec<String> {
    let mut files = Vec::new();
    for entry in fs::read_dir(tree.at(folder)).into_iter().flatten().flatten() {
        let path = format!("{folder}/{}", entry.file_name().to_string_lossy());
        match entry.file_type().expect("it was just listed") {
            kind if kind.is_dir() => files.extend(files_of(tree, &path)),
            kind if kind.is_file() => files.push(path),
            _ => {}
        }
    }
    files.sort();
    files
}
