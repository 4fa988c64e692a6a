//! Reads one requirement in the form of PEP 508 (`Name[extra] >=1,<2 ; marker`, `name @ https://…`) with pip's
//! extensions.

use super::super::file::RawDependency;

/// Reads the requirement in `text`; `None` if it names nothing.
pub(super) fn parse_requirement(text: &str) -> Option<RawDependency<'_>> {
    let text = without_marker(text).trim();
    let end = text.find(|c: char| !is_in_name(c)).unwrap_or(text.len());
    let (name, rest) = text.split_at(end);
    let rest = without_extras(rest.trim_start()).trim();
    let asks = rest.is_empty() || rest.starts_with(['=', '<', '>', '~', '!', '@', '(', '*']);
    let plain = name.starts_with(|c: char| c.is_ascii_alphanumeric());
    if !plain || !asks {
        return None;
    }
    let rest = rest.strip_prefix('@').unwrap_or(rest).trim().trim_start_matches('(').trim_end_matches(')');
    Some(RawDependency {
        name: name.into(),
        requirement: Some(rest),
        version: pinned_version(rest),
        local: rest.starts_with("file:") || rest.starts_with('.'),
        ..RawDependency::default()
    })
}

/// Returns the version that `==` names, if it is one.
pub(super) fn pinned_version(requirement: &str) -> Option<&str> {
    let version = requirement.strip_prefix("==")?.trim_start_matches('=').trim();
    let one = !version.is_empty() && !version.contains(['*', ',', ' ', '<', '>']);
    one.then_some(version)
}

fn is_in_name(c: char) -> bool {
    c.is_ascii_alphanumeric() || "-_.".contains(c)
}

/// Removes a marker such as `; python_version < "3"`. An address may have a semicolon, which then has no space before
/// it.
fn without_marker(text: &str) -> &str {
    let end = match text.contains("://") {
        true => text.find(" ;"),
        false => text.find(';'),
    };
    &text[..end.unwrap_or(text.len())]
}

fn without_extras(text: &str) -> &str {
    match text.strip_prefix('[') {
        Some(extras) => extras.split_once(']').map_or("", |(_, rest)| rest),
        None => text,
    }
}
