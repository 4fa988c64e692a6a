//! Names tests that are written as calls with a description.

/// Returns the name of a test described as `text` by a call of `word`: the description, with the word before it where
/// the description by itself could be the name of something (`describe("Path", …)`), so that nothing is taken for a use
/// of the test.
pub(crate) fn test_title(word: &str, text: &str) -> String {
    let is_name = text.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '-' | ':' | '.' | '?' | '!'));
    if is_name { format!("{word} {text}") } else { text.to_owned() }
}
