//! Keeps the models that the user has given to hob: a folder each, below a folder of hob's own.
//!
//! A model is copied, not linked: the copy is mapped, and nobody but hob may write to a mapped file. One text file says
//! which model counts: it has the names in the order in which they were added, and the last one counts. Adding a model
//! again makes it count again. The file is written last and replaced as a whole, so that a kill leaves the models as
//! they were, and at most a folder that nobody knows.

use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use hob_embed::{Model, ModelError, ModelFiles};
use hob_proto::private_dir;

use super::shared::SharedVectors;
use hob_base::lock;

/// Name of the file with the models' names in order; the dot keeps it apart from names of models.
const ORDER: &str = ".order";

/// Longest name of a model, in bytes.
const NAME_MAX: usize = 64;

/// The reason why a model could not be added or removed.
#[derive(Debug, thiserror::Error)]
pub enum ModelsError {
    /// The folder has no model.
    #[error(transparent)]
    Model(#[from] ModelError),
    /// The name cannot be the name of a folder.
    #[error("`{0}` cannot be a model's name: letters, digits, `-`, `_` and `.` can, up to {NAME_MAX}")]
    Name(String),
    /// There is no model of this name.
    #[error("there is no model `{name}`{}", list_known(known))]
    Unknown {
        /// The name as given.
        name: String,
        /// The models that there are.
        known: Vec<String>,
    },
    /// hob's own folder cannot be written to.
    #[error("`{}` cannot be written: {source}", path.display())]
    Folder {
        /// The file or folder.
        path: PathBuf,
        /// The error that the system gave.
        source: io::Error,
    },
}

impl ModelsError {
    /// Returns true if this build reads no models, so that no other folder would do.
    #[must_use]
    pub fn is_not_built(&self) -> bool {
        matches!(self, Self::Model(ModelError::NotBuilt))
    }
}

fn list_known(known: &[String]) -> String {
    if known.is_empty() { "; none was added".to_owned() } else { format!("; there are {}", known.join(", ")) }
}

/// A model that was added.
#[derive(Clone, Debug)]
pub struct InstalledModel {
    /// The model's name, given when it was added.
    pub name: String,
    /// True if the model is the one that counts.
    pub active: bool,
    /// The model, or the reason why it cannot be used any more.
    pub model: Result<Arc<Model>, String>,
    /// Bytes of its files on disk.
    pub disk_bytes: u64,
}

/// The models in hob's folder.
#[derive(Debug)]
pub struct Models {
    folder: PathBuf,
    /// The model that counts, once it was asked for.
    active: Mutex<Option<Active>>,
    /// The state that open workspaces share.
    pub(super) shared: SharedVectors,
}

/// The name and model that count; `None` if there is no model.
type Active = Option<(String, Result<Arc<Model>, String>)>;

impl Models {
    /// Returns the models of a folder, which need not be there.
    #[must_use]
    pub fn new(folder: PathBuf) -> Self {
        Self { folder, active: Mutex::default(), shared: SharedVectors::default() }
    }

    /// Returns the model that counts, or why it cannot be used; `None` when none was added. The first call opens it.
    #[must_use]
    pub fn active_model(&self) -> Option<Result<Arc<Model>, String>> {
        let mut active = lock(&self.active);
        let found = active.get_or_insert_with(|| {
            let name = self.read_order().pop()?;
            let model = self.open(&name);
            Some((name, model))
        });
        found.as_ref().map(|(_, model)| model.clone())
    }

    /// Returns all models, the one that counts first.
    #[must_use]
    pub fn list(&self) -> Vec<InstalledModel> {
        // The cache opens it, so that a model in use is not opened twice.
        let active = self.active_model().and_then(Result::ok);
        let names = self.read_order().into_iter().rev().enumerate();
        let one = |(place, name): (usize, String)| match &active {
            Some(model) if place == 0 => self.installed_model(name, true, Ok(Arc::clone(model))),
            _ => {
                let model = self.open(&name);
                self.installed_model(name, place == 0, model)
            }
        };
        names.map(one).collect()
    }

    fn installed_model(
        &self,
        name: String,
        active: bool,
        model: Result<Arc<Model>, String>,
    ) -> InstalledModel {
        let (weights, tokenizer) = ModelFiles::NAMES;
        let size =
            |file| std::fs::metadata(self.folder.join(&name).join(file)).map_or(0, |found| found.len());
        let disk_bytes = size(weights) + size(tokenizer);
        InstalledModel { name, active, model, disk_bytes }
    }

    /// Copies the model in `from` and makes it the one that counts, in place of an earlier one of this name.
    ///
    /// # Errors
    /// [`ModelsError`]; everything is then as it was.
    pub fn add(&self, from: &Path, name: &str) -> Result<InstalledModel, ModelsError> {
        // This is checked first, because no folder would do.
        Model::require_built()?;
        check_name(name)?;
        let files = ModelFiles::find(from)?;
        let mut active = lock(&self.active);
        private_dir::ensure(&self.folder)
            .map_err(|error| self.folder_error(&self.folder, io::Error::other(error)))?;
        let new = self.folder.join(format!(".new-{name}"));
        // The copy is checked: the user's own files are never mapped, because they may change.
        let outcome = self.copy_files(&files, &new).and_then(|()| {
            Model::open(&new).map_err(|error| error.with_original_paths(&files))?;
            self.take_place(&new, name)
        });
        if outcome.is_err() {
            let _ = remove(&new);
        }
        outcome?;
        let model = self.open(name);
        *active = Some(Some((name.to_owned(), model.clone())));
        Ok(self.installed_model(name.to_owned(), true, model))
    }

    fn copy_files(&self, files: &ModelFiles, to: &Path) -> Result<(), ModelsError> {
        let (weights, tokenizer) = ModelFiles::NAMES;
        remove(to).and_then(|()| std::fs::create_dir(to)).map_err(|source| self.folder_error(to, source))?;
        for (file, name) in [(&files.weights, weights), (&files.tokenizer, tokenizer)] {
            // Read and written in two steps, so that it is plain which of the two sides fails.
            let unreadable = |source| ModelError::Unreadable { file: file.clone(), source };
            let mut original = File::open(file).map_err(unreadable)?;
            let to = to.join(name);
            let written = File::create(&to).and_then(|mut copy| io::copy(&mut original, &mut copy));
            written.map_err(|source| self.folder_error(&to, source))?;
        }
        Ok(())
    }

    /// Moves a new model to the folder of its name. Mapped files of the earlier one stay readable, because only names
    /// change.
    fn take_place(&self, new: &Path, name: &str) -> Result<(), ModelsError> {
        let place = self.folder.join(name);
        let replaced = remove(&place).and_then(|()| std::fs::rename(new, &place));
        replaced.map_err(|source| self.folder_error(&place, source))?;
        let mut order = self.read_order();
        order.retain(|other| other != name);
        order.push(name.to_owned());
        self.write_order(&order)
    }

    /// Removes a model; then the one added before it counts, if there is any.
    ///
    /// # Errors
    /// [`ModelsError`].
    pub fn remove(&self, name: &str) -> Result<(), ModelsError> {
        let mut active = lock(&self.active);
        let mut order = self.read_order();
        if !order.iter().any(|other| other == name) {
            return Err(ModelsError::Unknown { name: name.to_owned(), known: order });
        }
        order.retain(|other| other != name);
        self.write_order(&order)?;
        *active = None;
        let place = self.folder.join(name);
        remove(&place).map_err(|source| self.folder_error(&place, source))
    }

    fn open(&self, name: &str) -> Result<Arc<Model>, String> {
        let opened = Model::open(&self.folder.join(name)).map(Arc::new);
        opened.map_err(|error| format!("the model `{name}` cannot be used: {error}"))
    }

    fn read_order(&self) -> Vec<String> {
        let text = std::fs::read_to_string(self.folder.join(ORDER)).unwrap_or_default();
        text.lines().filter(|name| check_name(name).is_ok()).map(str::to_owned).collect()
    }

    fn write_order(&self, order: &[String]) -> Result<(), ModelsError> {
        let (new, place) = (self.folder.join(".order.new"), self.folder.join(ORDER));
        let text: String = order.iter().map(|name| format!("{name}\n")).collect();
        let written = std::fs::write(&new, text).and_then(|()| std::fs::rename(&new, &place));
        written.map_err(|source| self.folder_error(&place, source))
    }

    fn folder_error(&self, path: &Path, source: io::Error) -> ModelsError {
        ModelsError::Folder { path: path.to_path_buf(), source }
    }
}

fn check_name(name: &str) -> Result<(), ModelsError> {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
    let is_name =
        !name.is_empty() && name.len() <= NAME_MAX && !name.starts_with('.') && name.chars().all(is_plain);
    if is_name { Ok(()) } else { Err(ModelsError::Name(name.to_owned())) }
}

fn remove(folder: &Path) -> io::Result<()> {
    match std::fs::remove_dir_all(folder) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}
