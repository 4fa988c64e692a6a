//! A package that a project depends on, and its address in the words that all tools share.

use std::fmt::Write as _;

use hob_base::WsPath;

use super::Ecosystem;

/// A place that asks for a package.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PackageMention {
    /// The manifest or lock file.
    pub manifest: WsPath,
    /// 1-based line on which the package is named.
    pub line: u32,
    /// The versions that would do, as this file has it.
    pub requirement: Option<String>,
    /// This file needs it only to develop, test or build.
    pub dev: bool,
}

/// One package, whatever the number of files that name it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Package {
    /// Where it is published.
    pub ecosystem: Ecosystem,
    /// Its published name, as in [`super::Dependency::name`].
    pub name: String,
    /// Other names that the project has for it, sorted.
    pub aliases: Vec<String>,
    /// The versions that would do, as written in [`Package::manifest`], or in the first place that says it.
    pub requirement: Option<String>,
    /// The version that is used: from the nearest lock file, else what the manifest pins.
    pub version: Option<String>,
    /// All versions that lock files have of it, lowest first. Mostly one.
    pub versions: Vec<String>,
    /// A manifest asks for it; otherwise it comes with another.
    pub direct: bool,
    /// Everything that asks for it does so only to develop, test or build.
    pub dev: bool,
    /// It is a folder of this machine, mostly another member of the project.
    pub local: bool,
    /// The file that names it: the most direct, then for use before for development, then the outermost.
    pub manifest: WsPath,
    /// 1-based line in [`Package::manifest`] on which it is named.
    pub line: u32,
    /// Every place in a manifest that names it, the best first; for a package that only lock files name, its best place there.
    pub places: Vec<PackageMention>,
}

impl Package {
    /// Its package URL (purl), with the version if one is known: `pkg:npm/%40scope/name@1.0.0`.
    #[must_use]
    pub fn package_url(&self) -> String {
        let mut out = String::from("pkg:");
        match self.ecosystem {
            Ecosystem::Cargo => write_path(&mut out, "cargo", [self.name.as_str()]),
            // The specification wants both in lower case.
            Ecosystem::Go => write_path(&mut out, "golang", self.name.to_lowercase().split('/')),
            Ecosystem::Npm => write_path(&mut out, "npm", self.name.to_lowercase().split('/')),
            Ecosystem::PyPi => write_path(&mut out, "pypi", [self.name.as_str()]),
            Ecosystem::Maven => write_path(&mut out, "maven", self.name.split(':')),
        }
        if let Some(version) = &self.version {
            out.push('@');
            encode(&mut out, version);
        }
        out
    }
}

fn write_path<'t>(out: &mut String, kind: &str, parts: impl IntoIterator<Item = &'t str>) {
    out.push_str(kind);
    for part in parts.into_iter().filter(|part| !part.is_empty()) {
        out.push('/');
        encode(out, part);
    }
}

/// Percent-encoding as the purl specification has it: all but letters, digits, `.`, `-`, `_`, `~` and `:`.
fn encode(out: &mut String, text: &str) {
    for byte in text.bytes() {
        match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'.' | b'-' | b'_' | b'~' | b':' => {
                out.push(char::from(byte));
            }
            _ => write!(out, "%{byte:02X}").expect("a string takes everything"),
        }
    }
}
