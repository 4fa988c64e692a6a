//! Writes CUDA's launches so that the grammar reads them.
//!
//! `kernel<<<blocks, threads>>>(x)` is a call of `kernel` with two more numbers, which the grammar takes for shifts.
//! Without two of the three signs on each side it is a call with template arguments, whose parts are expressions as
//! those of the launch are. Behind template arguments there is no room for more, so the launch's are left out there.

use memchr::memmem;

/// Most bytes between the signs of a launch.
const LONGEST: usize = 400;

/// Returns the text with its launches written in that way; `None` if it has none.
pub(super) fn without_launches(source: &[u8]) -> Option<Vec<u8>> {
    let mut text: Option<Vec<u8>> = None;
    for open in memmem::find_iter(source, b"<<<") {
        let Some(end) = end_of_launch(source, open) else { continue };
        let changed = text.get_or_insert_with(|| source.to_vec());
        let is_template = source[..open].trim_ascii_end().ends_with(b">");
        let (from, to) = if is_template { (open, end) } else { (open + 1, open + 3) };
        changed[from..to].iter_mut().filter(|byte| !byte.is_ascii_whitespace()).for_each(|byte| *byte = b' ');
        if !is_template {
            changed[end - 3..end - 1].fill(b' ');
        }
    }
    text
}

/// Returns the byte behind the `>>>` of a launch; `None` if no launch begins at `open`.
fn end_of_launch(source: &[u8], open: usize) -> Option<usize> {
    let before = source[..open].trim_ascii_end().last()?;
    if !(before.is_ascii_alphanumeric() || matches!(before, b'_' | b'>')) {
        return None;
    }
    let inside = source.get(open + 3..source.len().min(open + 3 + LONGEST))?;
    let length = memmem::find(inside, b">>>")?;
    let is_other = |byte: &u8| matches!(byte, b';' | b'{' | b'}' | b'<');
    let end = open + 3 + length + 3;
    let is_call = source[end..].trim_ascii_start().first() == Some(&b'(');
    (is_call && !inside[..length].iter().any(is_other)).then_some(end)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_launch_becomes_a_call_with_template_arguments() {
        for (source, expected) in [
            ("k<<<n / 2, 1>>>(x);", "k<  n / 2, 1  >(x);"),
            ("a::k<T><<<1,\n1>>>(x);", "a::k<T>     \n    (x);"),
        ] {
            let text = without_launches(source.as_bytes()).map(|text| String::from_utf8(text).expect("text"));
            assert_eq!(text.as_deref(), Some(expected));
        }
    }

    #[test]
    fn other_signs_stay() {
        for source in
            ["<<<<<<< HEAD\na\n>>>>>>> b (", "x << 1 >> (2)", "V<V<V<int>>>(x)", "k<<<1", "k<<<1>>> x"]
        {
            assert_eq!(without_launches(source.as_bytes()), None, "{source}");
        }
    }
}
