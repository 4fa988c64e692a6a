//! Decides which unit the columns of an editor count.
//!
//! Servers always count in UTF-16, so an editor that offers UTF-16 gets it, and no column has to be translated.

use serde_json::Value;

/// The unit that one column counts: bytes, UTF-16 code units, or characters.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) enum Encoding {
    /// A byte of UTF-8.
    Utf8,
    /// A code unit of UTF-16: the protocol's own, and that of every server here.
    #[default]
    Utf16,
    /// A character (Unicode scalar value).
    Utf32,
}

impl Encoding {
    /// Returns its name in the protocol.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Utf8 => "utf-8",
            Self::Utf16 => "utf-16",
            Self::Utf32 => "utf-32",
        }
    }

    /// Returns the encoding of this name.
    pub(crate) fn from_name(name: &str) -> Option<Self> {
        [Self::Utf8, Self::Utf16, Self::Utf32].into_iter().find(|one| one.name() == name)
    }

    /// Keeps the names of a list that are known, in its order.
    pub(crate) fn all_named(names: &Value) -> Vec<Self> {
        let names = names.as_array().into_iter().flatten();
        names.filter_map(Value::as_str).filter_map(Self::from_name).collect()
    }

    /// Chooses the encoding for an editor: UTF-16 if it offers that or no known one, because the protocol requires
    /// every editor to support it; else UTF-8, else UTF-32.
    pub(crate) fn choose_from(offered: &[Self]) -> Self {
        match offered {
            [] => Self::Utf16,
            offered => [Self::Utf16, Self::Utf8, Self::Utf32]
                .into_iter()
                .find(|one| offered.contains(one))
                .unwrap_or_default(),
        }
    }

    /// Returns the number of columns that a character takes.
    pub(crate) fn columns_of(self, c: char) -> usize {
        match self {
            Self::Utf8 => c.len_utf8(),
            Self::Utf16 => c.len_utf16(),
            Self::Utf32 => 1,
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn utf16_is_given_to_whoever_offers_it_or_says_nothing() {
        let chosen = |names: Value| Encoding::choose_from(&Encoding::all_named(&names));
        assert_eq!(chosen(Value::Null), Encoding::Utf16);
        assert_eq!(chosen(json!([])), Encoding::Utf16);
        assert_eq!(chosen(json!(["utf-9", 7])), Encoding::Utf16);
        assert_eq!(chosen(json!(["utf-8", "utf-16"])), Encoding::Utf16);
        assert_eq!(chosen(json!(["utf-32", "utf-8"])), Encoding::Utf8);
        assert_eq!(chosen(json!(["utf-32"])), Encoding::Utf32);
    }
}
