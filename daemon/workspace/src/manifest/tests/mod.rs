//! Tests reading and merging of manifests and lock files, whole and broken.

mod fixtures;
mod merging;
mod reading;

use hob_base::WsPath;

use super::{Dependency, Origin, Package, merge, read};

fn ws(path: &str) -> WsPath {
    WsPath::new(path).expect("a path within the workspace")
}

/// Returns the dependencies of the file, one line each: `LINE name requirement =version !dev ~local ^indirect
/// (alias)`.
fn described_dependencies(path: &str, text: &str) -> Vec<String> {
    read(&ws(path), text).expect("a known file").iter().map(one).collect()
}

fn one(dependency: &Dependency) -> String {
    let mut out = format!("{} {}", dependency.line, dependency.name);
    let mut add = |mark: &str, text: Option<&str>| {
        if let Some(text) = text {
            out.push_str(&format!(" {mark}{text}"));
        }
    };
    add("", dependency.requirement.as_deref());
    add("=", dependency.version.as_deref());
    add("", dependency.dev.then_some("!dev"));
    add("", dependency.local.then_some("~local"));
    add("", (dependency.origin == Origin::Indirect).then_some("^indirect"));
    add("as ", dependency.alias.as_deref());
    out
}

fn merge_texts(files: &[(&str, &str)]) -> Vec<Package> {
    let read = |(path, text): &(&str, &str)| (ws(path), read(&ws(path), text).expect("a known file"));
    merge(files.iter().map(read))
}

#[track_caller]
fn package_named<'p>(packages: &'p [Package], name: &str) -> &'p Package {
    packages.iter().find(|package| package.name == name).unwrap_or_else(|| panic!("{name} is not there"))
}
