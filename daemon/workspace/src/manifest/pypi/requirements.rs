//! Reads lists of requirements by lines: `requirements*.txt` as pip reads them, and the lists within `setup.cfg`.

use super::super::file::{Findings, RawDependency, lines};
use super::{is_development_group, requirement};

/// The keys of `[options]` that are lists of requirements, and whether each is for development.
const OPTIONS: [(&str, bool); 3] =
    [("install_requires", false), ("setup_requires", true), ("tests_require", true)];

pub(in super::super) fn read_requirements(text: &str, findings: &mut Findings) {
    let mut continued = false;
    for (at, line) in lines(text) {
        // A line that continues another holds hashes and options.
        let starts = !continued;
        continued = line.ends_with('\\');
        let line = without_comment(line.trim_end_matches('\\')).trim();
        if starts && let Some(said) = requirement_of_line(line) {
            findings.add(RawDependency { at, ..said });
        }
    }
}

/// Reads the requirement on one line of a list; `None` if the line names nothing.
fn requirement_of_line(line: &str) -> Option<RawDependency<'_>> {
    let editable = ["-e ", "--editable ", "--editable="].iter().find_map(|option| line.strip_prefix(option));
    let target = editable.unwrap_or(line).trim();
    if target.contains("://")
        && let Some((address, name)) = target.split_once("egg=")
    {
        let name = name.split(['&', '[', ' ']).next().unwrap_or(name);
        let address = address.trim_end_matches(['#', '&']);
        return Some(RawDependency {
            name: name.into(),
            requirement: Some(address),
            ..RawDependency::default()
        });
    }
    // Options such as `--hash=…` may follow.
    let target = target.split(" --").next().unwrap_or(target);
    if editable.is_some() || target.starts_with('-') { None } else { requirement::parse_requirement(target) }
}

/// Removes a comment, which begins the line or follows white space: addresses have `#` too.
fn without_comment(line: &str) -> &str {
    let starts = line.match_indices('#').map(|(at, _)| at);
    let comment = starts.into_iter().find(|at| *at == 0 || line[..*at].ends_with([' ', '\t']));
    &line[..comment.unwrap_or(line.len())]
}

pub(in super::super) fn setup_cfg(text: &str, findings: &mut Findings) {
    let mut section = "";
    // Whether the list that is being read is for development; `None` outside one.
    let mut list = None;
    for (at, line) in lines(text) {
        let indented = line.starts_with([' ', '\t']);
        let words = without_comment(line).trim();
        let mut stated = words;
        if words.is_empty() {
            continue;
        } else if let Some(name) = words.strip_prefix('[').filter(|_| !indented) {
            (section, list) = (name.trim_end_matches(']').trim(), None);
            continue;
        } else if !indented {
            let Some((key, value)) = words.split_once('=') else { continue };
            (list, stated) = (is_list(section, key.trim()), value.trim());
        }
        if let (Some(dev), Some(said)) = (list, requirement::parse_requirement(stated)) {
            findings.add(RawDependency { at, dev, ..said });
        }
    }
}

fn is_list(section: &str, key: &str) -> Option<bool> {
    match section {
        "options" => OPTIONS.iter().find(|(name, _)| *name == key).map(|(_, dev)| *dev),
        "options.extras_require" => Some(is_development_group(key)),
        _ => None,
    }
}
