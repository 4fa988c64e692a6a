//! Replaces `tokenizer.rs` in a build without the `tokenizers` library. No value of the type exists, so no
//! model can be opened.

/// The rules of a model, which this build cannot load.
#[derive(Debug)]
pub(crate) enum Tokenizer {}

impl Tokenizer {
    /// True if this build can load rules.
    pub(crate) const IS_BUILT: bool = false;

    /// Fails, because this build can load no rules.
    pub(crate) fn load(_: &[u8]) -> Result<Self, String> {
        Err("this build reads no tokenizers".to_owned())
    }

    pub(crate) fn tokens(&self) -> usize {
        match *self {}
    }

    pub(crate) fn heap_bytes(&self) -> usize {
        match *self {}
    }

    pub(crate) fn known_tokens(&self, _: &str) -> Vec<u32> {
        match *self {}
    }
}
