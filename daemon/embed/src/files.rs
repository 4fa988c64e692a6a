//! Finds the files of a folder that make up a model.
//!
//! Two layouts are known: that of model2vec (also below `0_StaticEmbedding`, where sentence-transformers puts
//! it), and that of the Python package `wordllama`, whose weights and tokenizers lie in folders of their own.
//! hob does not read `config.json`: it could only say whether vectors are normalised, and hob always
//! normalises them.

use std::path::{Path, PathBuf};

use crate::error::ModelError;

/// The names of the two files in hob's own layout.
const WEIGHTS: &str = "model.safetensors";
const TOKENIZER: &str = "tokenizer.json";

/// Folders below the given one that may hold a model.
const BELOW: [&str; 3] = ["", "0_StaticEmbedding", "wordllama"];

/// The files that make a model.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ModelFiles {
    /// The table, in the format of safetensors.
    pub weights: PathBuf,
    /// The rules that turn texts into rows of the table, in the format of the `tokenizers` library.
    pub tokenizer: PathBuf,
}

impl ModelFiles {
    /// The names of the files in hob's own layout, so that a copy is a model too: weights, tokenizer.
    pub const NAMES: (&str, &str) = (WEIGHTS, TOKENIZER);

    /// Finds the files of a model in `folder`.
    ///
    /// # Errors
    /// [`ModelError::Missing`] with the name of the missing file, [`ModelError::Several`].
    pub fn find(folder: &Path) -> Result<Self, ModelError> {
        let mut half = None;
        for below in BELOW {
            let place = folder.join(below);
            match (weights_file(&place)?, tokenizer_file(&place)?) {
                (Some(weights), Some(tokenizer)) => return Ok(Self { weights, tokenizer }),
                (Some(_), None) => half = half.or(Some((place, TOKENIZER, ", nor one in `tokenizers`"))),
                (None, _) => {}
            }
        }
        let weights = (folder.to_path_buf(), WEIGHTS, ", nor weights in `weights`");
        let (folder, file, also) = half.unwrap_or(weights);
        Err(ModelError::Missing { folder, file, also })
    }
}

impl ModelFiles {
    /// Returns the original of a copied file.
    pub(crate) fn original_of(&self, copy: &Path) -> PathBuf {
        if copy.ends_with(TOKENIZER) { self.tokenizer.clone() } else { self.weights.clone() }
    }
}

impl ModelError {
    /// Replaces copies by their originals in messages, because a user knows only those.
    #[must_use]
    pub fn with_original_paths(self, copied: &ModelFiles) -> Self {
        match self {
            Self::Unreadable { file, source } => Self::Unreadable { file: copied.original_of(&file), source },
            Self::Wrong { file, expected, why } => {
                Self::Wrong { file: copied.original_of(&file), expected, why }
            }
            other => other,
        }
    }
}

fn weights_file(place: &Path) -> Result<Option<PathBuf>, ModelError> {
    match place.join(WEIGHTS) {
        file if file.is_file() => Ok(Some(file)),
        _ => only_file(&place.join("weights"), WEIGHTS, |name| name.ends_with(".safetensors")),
    }
}

fn tokenizer_file(place: &Path) -> Result<Option<PathBuf>, ModelError> {
    match place.join(TOKENIZER) {
        file if file.is_file() => Ok(Some(file)),
        _ => only_file(&place.join("tokenizers"), TOKENIZER, |name| name.ends_with("tokenizer_config.json")),
    }
}

/// Returns the one file of a folder whose name `is_so` accepts; `None` if there is none.
fn only_file(
    folder: &Path,
    file: &'static str,
    is_so: impl Fn(&str) -> bool,
) -> Result<Option<PathBuf>, ModelError> {
    let Ok(entries) = folder.read_dir() else { return Ok(None) };
    let mut found = entries.flatten().filter(|entry| entry.file_name().to_str().is_some_and(&is_so));
    let first = found.next().map(|entry| entry.path());
    match found.next() {
        Some(_) => Err(ModelError::Several { folder: folder.to_path_buf(), file }),
        None => Ok(first),
    }
}
