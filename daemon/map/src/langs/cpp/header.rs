//! Tells a `.h` file of C++ from one of C.

/// Returns true if the first bytes of a header hold something that only C++ has. Text under `#ifdef __cplusplus` does
/// not count: C headers have it for C++'s sake.
#[must_use]
pub fn looks_like_cpp(head: &[u8]) -> bool {
    let text = String::from_utf8_lossy(head);
    let mut comment = false;
    let mut guarded = 0_u32;
    for line in text.lines() {
        let line = line.trim_start();
        if comment || line.starts_with("/*") {
            comment = !line.contains("*/");
            continue;
        }
        if line.starts_with('#') {
            guarded = guard_depth(line, guarded);
            if guarded == 0 && includes_cpp(line) {
                return true;
            }
        } else if guarded == 0 && is_cpp_line(line) {
            return true;
        }
    }
    false
}

/// Returns the depth of conditionals, counted from an `#ifdef __cplusplus`, after a directive; 0 outside one.
fn guard_depth(line: &str, depth: u32) -> u32 {
    let directive = line.trim_start_matches('#').trim_start();
    if directive.starts_with("if") {
        let opens = depth > 0 || (directive.contains("__cplusplus") && !directive.starts_with("ifndef"));
        depth + u32::from(opens)
    } else if directive.starts_with("endif") {
        depth.saturating_sub(1)
    } else if directive.starts_with("else") && depth == 1 {
        0
    } else {
        depth
    }
}

/// Returns true for `#include <vector>`: the headers of C++'s library have no extension.
fn includes_cpp(line: &str) -> bool {
    let Some((_, rest)) = line.split_once("include") else { return false };
    let Some(name) = rest.trim().strip_prefix('<').and_then(|r| r.split('>').next()) else { return false };
    !name.is_empty() && name.bytes().all(|b| b.is_ascii_lowercase() || b == b'_')
}

fn is_cpp_line(line: &str) -> bool {
    let code = line.split("//").next().unwrap_or(line).trim_end();
    let word = code.split(|c: char| !c.is_alphanumeric() && c != '_').next().unwrap_or("");
    let rest = code[word.len()..].trim_start();
    match word {
        "namespace" => {
            rest.is_empty() || rest.starts_with(|c: char| c.is_alphabetic() || c == '_' || c == '{')
        }
        "class" | "using" | "constexpr" | "explicit" | "virtual" => starts_name(rest),
        "template" => rest.starts_with('<'),
        "public" | "private" | "protected" => {
            rest == ":" || (rest.starts_with(':') && !rest.starts_with("::"))
        }
        "extern" => false,
        _ => code.contains("std::") || code.contains(" override;") || code.contains("operator=("),
    }
}

fn starts_name(rest: &str) -> bool {
    rest.starts_with(|c: char| c.is_alphabetic() || c == '_' || c == '~' || c == '[')
}
