//! Turns texts into vectors by a model.
//!
//! The model looks a text's words up one by one. Models of this kind have no other context, so nothing is
//! lost by it, and a cached word needs no tokenizing: in code the same words recur.

use std::path::Path;

use hob_base::ContentHash;
use rustc_hash::FxHashMap;

use crate::error::ModelError;
use crate::files::ModelFiles;
use crate::table::Table;
use crate::tokenizer::Tokenizer;
use crate::vector::Vector;
use crate::words::each_word;

/// Most words of a text that count.
const WORDS_MAX: usize = 2_048;

/// Most numbers that an [`Embedder`] caches for words, before it clears its cache: 16 MB.
const REMEMBERED_MAX: usize = 1 << 22;

/// A static-embedding model. Its table is mapped, its tokenizer is in memory.
#[derive(Debug)]
pub struct Model {
    table: Table,
    tokenizer: Tokenizer,
    fingerprint: ContentHash,
}

impl Model {
    /// Opens the model in a folder; see [`ModelFiles`] for the files that it needs.
    ///
    /// # Errors
    /// [`ModelError`].
    pub fn open(folder: &Path) -> Result<Self, ModelError> {
        Self::require_built()?;
        let files = ModelFiles::find(folder)?;
        let table = Table::open(&files.weights)?;
        let unreadable = |source| ModelError::Unreadable { file: files.tokenizer.clone(), source };
        let bytes = std::fs::read(&files.tokenizer).map_err(unreadable)?;
        let wrong = |why| ModelError::Wrong { file: files.tokenizer.clone(), expected: "a tokenizer", why };
        let tokenizer = Tokenizer::load(&bytes).map_err(wrong)?;
        let known = tokenizer.tokens();
        if known > table.tokens() {
            let why = format!("it has {known} tokens, and the weights are for {}", table.tokens());
            return Err(wrong(why));
        }
        let both = [ContentHash::of(table.bytes()), ContentHash::of(&bytes)];
        let fingerprint = ContentHash::of(both.map(|hash| *hash.as_bytes()).as_flattened());
        Ok(Self { table, tokenizer, fingerprint })
    }

    /// Fails in a build that can read no model, whatever a folder holds.
    ///
    /// # Errors
    /// [`ModelError::NotBuilt`].
    pub fn require_built() -> Result<(), ModelError> {
        if Tokenizer::IS_BUILT { Ok(()) } else { Err(ModelError::NotBuilt) }
    }

    /// Returns the length of a vector.
    #[must_use]
    pub fn dims(&self) -> usize {
        self.table.dims()
    }

    /// Returns the number of tokens that the model knows.
    #[must_use]
    pub fn tokens(&self) -> usize {
        self.table.tokens()
    }

    /// Returns a hash that is equal for models whose files are equal, byte for byte.
    #[must_use]
    pub fn fingerprint(&self) -> ContentHash {
        self.fingerprint
    }

    /// Returns the approximate private memory in bytes; mapped files do not count.
    #[must_use]
    pub fn heap_bytes(&self) -> usize {
        self.table.private_bytes() + self.tokenizer.heap_bytes()
    }

    /// Returns the vector of a text; empty if the model knows no word of it.
    #[must_use]
    pub fn embed(&self, text: &str) -> Vector {
        Embedder::new(self).embed(&[(text, 1.0)])
    }
}

/// Embeds many texts and caches their words.
#[derive(Debug)]
pub struct Embedder<'m> {
    model: &'m Model,
    known: FxHashMap<Box<str>, Word>,
}

/// The sum and number of a word's tokens in the model.
#[derive(Debug)]
struct Word {
    /// The sum of its tokens' rows.
    sum: Box<[f32]>,
    /// Number of tokens in the word.
    tokens: usize,
}

impl<'m> Embedder<'m> {
    /// Creates an embedder with an empty cache.
    #[must_use]
    pub fn new(model: &'m Model) -> Self {
        Self { model, known: FxHashMap::default() }
    }

    /// Returns the vector of a text of several parts: the sum of the parts' vectors, times their weights, so
    /// that a long part does not outvote a short one. Parts without a known word do not count.
    #[must_use]
    pub fn embed(&mut self, parts: &[(&str, f32)]) -> Vector {
        let mut sum = vec![0.0; self.model.dims()];
        for (text, weight) in parts {
            let mut own = vec![0.0; self.model.dims()];
            let count = self.add(text, &mut own);
            if count > 0 {
                let factor = weight / count as f32;
                sum.iter_mut().zip(own).for_each(|(sum, own)| *sum += own * factor);
            }
        }
        Vector::new(sum)
    }

    /// Adds up the rows of a text's tokens, and returns the number of tokens.
    fn add(&mut self, text: &str, sum: &mut [f32]) -> usize {
        let (mut count, mut left) = (0, WORDS_MAX);
        each_word(text, |word| {
            if let Some(word) = self.known_word(word) {
                sum.iter_mut().zip(&word.sum).for_each(|(sum, number)| *sum += number);
                count += word.tokens;
            }
            left -= 1;
            left > 0
        });
        count
    }

    /// Returns a word's sum, which is computed for the word alone, cached or not, so that an eviction cannot
    /// change a bit of the result.
    fn known_word(&mut self, word: &str) -> Option<&Word> {
        if !self.known.contains_key(word) {
            if self.known.len() * self.model.dims() >= REMEMBERED_MAX {
                self.known.clear();
            }
            self.known.insert(word.into(), self.model.sum_of_word(word));
        }
        self.known.get(word)
    }
}

impl Model {
    fn sum_of_word(&self, word: &str) -> Word {
        let mut sum = vec![0.0; self.dims()].into_boxed_slice();
        let known = self.tokenizer.known_tokens(word).into_iter();
        let tokens = known.filter(|token| self.table.add(*token, &mut sum)).count();
        Word { sum, tokens }
    }
}
