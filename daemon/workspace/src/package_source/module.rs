//! Finds the source of the module that a file imports, and the installed version.
//!
//! A name in an import is not always a package's: Python's `yaml` comes with PyYAML, and the types of `react` with
//! `@types/react`. The other files know where a package lies. This one reads no lock file, because the installed
//! version is the one that runs.

use std::path::{Path, PathBuf};

use super::{PackageSource, PackageSourceQuery, is_plain_path, npm, pypi};
use crate::manifest::Ecosystem;

impl PackageSourceQuery<'_> {
    /// Finds the source of the module that files import under the query's name.
    #[must_use]
    pub fn find_module(&self) -> PackageSource {
        match self.ecosystem {
            Ecosystem::PyPi if is_plain_path(self.name) => pypi::find_module(self),
            _ => self.find_source(),
        }
    }

    /// Finds the types that others have written for a package without any: `@types/name` of npm.
    #[must_use]
    pub fn find_types(&self) -> Option<PathBuf> {
        let is_npm = self.ecosystem == Ecosystem::Npm && is_plain_path(self.name);
        let called = self.name.strip_prefix('@').map(|scoped| scoped.replacen('/', "__", 1));
        let name = format!("@types/{}", called.as_deref().unwrap_or(self.name));
        let folders = if is_npm {
            npm::source_folders(&PackageSourceQuery { name: &name, ..*self })
        } else {
            Vec::new()
        };
        folders.into_iter().find(|folder| folder.is_dir())
    }
}

/// Returns the name and version of the package that is installed at `place`, where files import it as `module`: `PyYAML
/// 6.0.1`.
#[must_use]
pub fn installed_title(ecosystem: Ecosystem, place: &Path, module: &str) -> String {
    let found = match ecosystem {
        Ecosystem::PyPi => place.parent().and_then(|site| pypi::distribution_of(site, module)),
        Ecosystem::Cargo => version_in_name(place, '-').map(|version| format!("{module} {version}")),
        Ecosystem::Go => version_in_name(place, '@').map(|version| format!("{module} {version}")),
        // Its manifest has both, and the caller reads the manifest anyway.
        Ecosystem::Npm | Ecosystem::Maven => None,
    };
    found.unwrap_or_else(|| module.to_owned())
}

/// Returns the version at the end of a folder's name: `serde-1.0.2`, `cobra@v1.8.0`.
fn version_in_name(place: &Path, mark: char) -> Option<String> {
    let name = place.file_name()?.to_str()?;
    let begins_version = |rest: &str| rest.trim_start_matches('v').starts_with(|c: char| c.is_ascii_digit());
    let mut cuts = name.match_indices(mark).map(|(at, _)| &name[at + 1..]);
    cuts.find(|rest| begins_version(rest)).map(ToOwned::to_owned)
}
