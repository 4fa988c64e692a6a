//! Reads names as CSS writes them: escapes, and the words that are values of the language and no names.

/// Words of `animation` that name no keyframes.
const ANIMATION_WORDS: &[&str] = &[
    "alternate",
    "alternate-reverse",
    "auto",
    "backwards",
    "both",
    "ease",
    "ease-in",
    "ease-in-out",
    "ease-out",
    "forwards",
    "infinite",
    "linear",
    "none",
    "normal",
    "paused",
    "reverse",
    "running",
    "step-end",
    "step-start",
];
/// Values that any property may have.
const ANY_PROPERTY: &[&str] = &["inherit", "initial", "none", "revert", "revert-layer", "unset"];

/// Returns true if a value of `animation` is the name of keyframes.
pub(super) fn is_animation_name(word: &str) -> bool {
    is_custom_name(word) && !ANIMATION_WORDS.contains(&word)
}

/// Returns true if a value is a name that a style sheet defines.
pub(super) fn is_custom_name(word: &str) -> bool {
    !word.is_empty() && !ANY_PROPERTY.contains(&word) && !word.contains(['(', '$', '{', '@'])
}

/// Returns a name behind its mark (`.`, `#`), with its escapes resolved: `\:` is a colon, `\31 ` a digit.
pub(super) fn marked_name(mark: char, written: &str) -> String {
    let mut name = String::with_capacity(written.len() + 1);
    name.push(mark);
    let mut rest = written;
    while let Some((plain, escape)) = rest.split_once('\\') {
        name.push_str(plain);
        let hex = escape.bytes().take(6).take_while(u8::is_ascii_hexdigit).count();
        if hex > 0 {
            let code = u32::from_str_radix(&escape[..hex], 16).ok();
            name.push(code.and_then(char::from_u32).unwrap_or('?'));
            rest = escape[hex..].strip_prefix([' ', '\t', '\n']).unwrap_or(&escape[hex..]);
        } else {
            let letter = escape.chars().next().map_or(0, char::len_utf8);
            name.push_str(&escape[..letter]);
            rest = &escape[letter..];
        }
    }
    name.push_str(rest);
    name
}
