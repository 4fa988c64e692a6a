//! Reads `yarn.lock`, of Yarn 1 and of its successors.
//!
//! In both forms an entry is a line that lists requirements, and below it indented lines, of which `version` has the
//! answer. The successors' form is YAML; no more of YAML is needed.

use super::super::Origin;
use super::super::file::{Findings, RawDependency, lines};
use super::NpmRequirement;

/// An entry's first line, until its version is known.
type Header<'t> = (usize, Vec<(&'t str, &'t str)>);

pub(in super::super) fn yarn_lock(text: &str, findings: &mut Findings) {
    let mut header: Option<Header<'_>> = None;
    for (at, line) in lines(text) {
        if line.starts_with(|c: char| !c.is_whitespace()) {
            header = line
                .strip_suffix(':')
                .filter(|_| !line.starts_with('#'))
                .map(|asked| (at, split_requests(asked)));
        } else if let Some((at, asked)) = header.take_if(|_| version(line).is_some()) {
            asked.into_iter().for_each(|asked| add(at, asked, version(line), findings));
        }
    }
}

/// Splits the first line of an entry into names and requirements: `"a@^1", a@~1.2` or `"a@npm:^1, a@npm:~1.2"`.
fn split_requests(line: &str) -> Vec<(&str, &str)> {
    let asked = line.split(',').map(|asked| asked.trim().trim_matches('"'));
    asked
        .filter_map(|asked| match super::split_descriptor(asked) {
            (name, Some(requirement)) => Some((name, requirement)),
            _ => None,
        })
        .collect()
}

/// Returns the value of `version "1.2.3"` or `version: 1.2.3`, indented by two spaces.
fn version(line: &str) -> Option<&str> {
    let value = line.strip_prefix("  version")?;
    let value = value.strip_prefix([' ', ':'])?;
    Some(value.trim().trim_matches('"'))
}

fn add(at: usize, asked: (&str, &str), version: Option<&str>, findings: &mut Findings) {
    let asked = NpmRequirement::new(asked.0, asked.1);
    findings.add(RawDependency { at, version, origin: Origin::Lock, ..asked.to_dependency() });
}
