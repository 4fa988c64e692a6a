//! Compresses a text for a page: deflated, in letters that need no escape.
//!
//! A browser decompresses it by itself (`DecompressionStream`). In this form a page holds three times as much, and no
//! name from a foreign repository stands in it unencoded.

use zlib_rs::{DeflateConfig, ReturnCode, compress_bound, compress_slice};

/// Returns the text deflated, with zlib's header, as base64; `None` if the library refuses.
pub(super) fn pack_text(text: &str) -> Option<String> {
    let mut room = vec![0; compress_bound(text.len())];
    let (packed, code) = compress_slice(&mut room, text.as_bytes(), DeflateConfig::new(6));
    (code == ReturnCode::Ok).then(|| base64(packed))
}

const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/// Encodes as base64 by RFC 4648, with padding.
fn base64(bytes: &[u8]) -> String {
    let mut out = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for chunk in bytes.chunks(3) {
        let at = |place: usize| u32::from(chunk.get(place).copied().unwrap_or(0));
        let bits = at(0) << 16 | at(1) << 8 | at(2);
        for place in 0..4 {
            let letter = LETTERS[((bits >> (18 - 6 * place)) & 63) as usize];
            out.push(if place > chunk.len() { '=' } else { char::from(letter) });
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn base64_is_that_of_the_standard() {
        let pairs = [
            ("", ""),
            ("f", "Zg=="),
            ("fo", "Zm8="),
            ("foo", "Zm9v"),
            ("foob", "Zm9vYg=="),
            ("fooba", "Zm9vYmE="),
        ];
        for (text, expected) in pairs {
            assert_eq!(base64(text.as_bytes()), expected);
        }
        assert_eq!(base64(&[0xfb, 0xff, 0xbf]), "+/+/");
    }

    #[test]
    fn a_packed_text_is_whole_and_smaller() {
        let text = "def work(): return hub()\n".repeat(400);
        let packed = pack_text(&text).expect("packed");
        assert!(packed.len() < text.len() / 20, "{}", packed.len());
        assert!(packed.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"+/=".contains(&byte)));
    }
}
