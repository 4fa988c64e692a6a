//! Describes a package that a project depends on, with its package URL.

use std::fmt::Write as _;

use hob_base::WsPath;

use super::Ecosystem;

/// A place in a file that names a package.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PackageMention {
    /// The manifest or lock file.
    pub manifest: WsPath,
    /// 1-based line on which the package is named.
    pub line: u32,
    /// The accepted versions, as this file states them.
    pub requirement: Option<String>,
    /// True if this file needs it only to develop, test or build.
    pub dev: bool,
}

/// One package, with the statements of all files that name it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Package {
    /// The ecosystem in which it is published.
    pub ecosystem: Ecosystem,
    /// Its published name, as in [`super::Dependency::name`].
    pub name: String,
    /// Other names that the project has for it, sorted.
    pub aliases: Vec<String>,
    /// The accepted versions, as written in [`Package::manifest`], or in the first place that states them.
    pub requirement: Option<String>,
    /// The version that is used: from the nearest lock file, else what the manifest pins.
    pub version: Option<String>,
    /// All versions in lock files, lowest first. Mostly one.
    pub versions: Vec<String>,
    /// True if a manifest requires it; otherwise another package does.
    pub direct: bool,
    /// True if every file that requires it does so only to develop, test or build.
    pub dev: bool,
    /// True if it is a folder of this machine, mostly another member of the project.
    pub local: bool,
    /// The file that names it: the most direct first, then for use before for development, then the outermost.
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
            // The specification requires lower case for both.
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

/// Percent-encodes as the purl specification says: all but letters, digits, `.`, `-`, `_`, `~` and `:`.
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
