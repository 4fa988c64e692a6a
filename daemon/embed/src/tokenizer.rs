//! Splits words into the tokens of a model, by the rules that the model's maker published in the format of
//! the `tokenizers` library.
//!
//! This is the only file that uses the library, so that a build can omit it: `no_tokenizer.rs` then replaces
//! this file.

use serde_json::Value;

/// Approximate memory of the library for each token, in bytes: the token in two tables, and a merge.
const TOKEN_BYTES: usize = 250;

/// The rules of a model, in memory.
#[derive(Debug)]
pub(crate) struct Tokenizer {
    rules: tokenizers::Tokenizer,
    /// The token for unknown words.
    unknown: Option<u32>,
}

impl Tokenizer {
    /// True if this build can load rules.
    pub(crate) const IS_BUILT: bool = true;

    /// Loads the rules of a `tokenizer.json`. Fails with the library's reason.
    pub(crate) fn load(bytes: &[u8]) -> Result<Self, String> {
        let mut rules = tokenizers::Tokenizer::from_bytes(bytes).map_err(|error| error.to_string())?;
        rules.with_truncation(None).map_err(|error| error.to_string())?;
        rules.with_padding(None);
        Ok(Self { unknown: unknown_token(&rules, bytes), rules })
    }

    /// Returns the number of tokens, without those that a user added.
    pub(crate) fn tokens(&self) -> usize {
        self.rules.get_vocab_size(false)
    }

    /// Returns the approximate private memory in bytes.
    pub(crate) fn heap_bytes(&self) -> usize {
        self.rules.get_vocab_size(true) * TOKEN_BYTES
    }

    /// Returns the tokens of a word, in order, without the one for unknown words, which means nothing.
    pub(crate) fn known_tokens(&self, word: &str) -> Vec<u32> {
        let encoding = self.rules.encode_fast(word, false);
        let tokens = encoding.iter().flat_map(|encoding| encoding.get_ids());
        tokens.copied().filter(|token| Some(*token) != self.unknown).collect()
    }
}

/// Returns the token for unknown words. Some kinds of tokenizers state its name, others its number.
fn unknown_token(rules: &tokenizers::Tokenizer, bytes: &[u8]) -> Option<u32> {
    let said: Value = serde_json::from_slice(bytes).ok()?;
    let model = said.get("model")?;
    let named = model.get("unk_token").and_then(|token| rules.token_to_id(token.as_str()?));
    named.or_else(|| u32::try_from(model.get("unk_id")?.as_u64()?).ok())
}
