//! Places the files of a package in a joined map, as those of another member of the project.
//!
//! Each ecosystem's imports find other members by a project file (`package.json`, `Cargo.toml`, `go.mod`) or by a
//! folder in which modules begin. Packages have such files of their own, or get one here. Files that a user's imports
//! do not reach (tests, examples, JavaScript next to its declarations) are left out.

use std::sync::Arc;

use hob_base::WsPath;
use hob_map::graph::OutsidePackage;
use hob_map::{FileFacts, Lang, extract};
use hob_workspace::manifest::Ecosystem;

use super::headers;
use super::outside::{OutsideSource, ecosystem_of};
use super::project_part::ProjectFiles;
use crate::folder_name::folder_name;

/// The folder of all packages. No file of a project is in a folder of this name.
const FOLDER: &str = "~packages";

/// Folders of a package that its users do not import.
const ASIDE: [&str; 6] = ["tests", "benches", "examples", "testdata", "__tests__", "node_modules"];

/// The place of one package in a joined map.
#[derive(Debug)]
pub(super) struct PackageLayout {
    /// `None` for headers of this machine.
    ecosystem: Option<Ecosystem>,
    /// True if it is a whole project.
    is_project: bool,
    /// The path before that of each file, with the slash.
    prefix: String,
    /// The path and text of a project file that the package gets, unless it has one.
    manifest: Option<(String, String)>,
}

impl PackageLayout {
    pub(super) fn new(source: &OutsideSource) -> Self {
        let Some(ecosystem) = source.ecosystem else {
            let prefix = format!("{FOLDER}/headers/");
            return Self { ecosystem: None, is_project: false, prefix, manifest: None };
        };
        if source.is_project {
            return Self::of_project(source, ecosystem);
        }
        let name = &source.published;
        let folder = format!("{FOLDER}/{}", ecosystem.name());
        let prefix = match (ecosystem, source.is_standard) {
            (Ecosystem::PyPi, _) => format!("{folder}/{}", source.below),
            (_, true) => format!("{folder}-std/{}", source.below),
            (Ecosystem::Maven, _) => format!("{folder}/{}/", name.replace(':', "/")),
            _ => format!("{folder}/{name}/"),
        };
        let manifest = match (ecosystem, source.is_standard) {
            (Ecosystem::PyPi, _) => Some((format!("{folder}/pyproject.toml"), String::new())),
            (Ecosystem::Go, true) => Some((format!("{folder}-std/go.mod"), "module std\n".to_owned())),
            (Ecosystem::Go, false) => Some((format!("{prefix}go.mod"), format!("module {name}\n"))),
            _ => source.manifest.clone().map(|text| (format!("{prefix}package.json"), text)),
        };
        Self { ecosystem: Some(ecosystem), is_project: false, prefix, manifest }
    }

    /// Returns the layout of a project, which keeps its folders. Python modules begin next to a manifest, so a Python
    /// project gets one if it has none.
    fn of_project(source: &OutsideSource, ecosystem: Ecosystem) -> Self {
        let prefix = format!("{FOLDER}/projects/{}/", folder_name(&source.root));
        let manifest =
            (ecosystem == Ecosystem::PyPi).then(|| (format!("{prefix}pyproject.toml"), String::new()));
        Self { ecosystem: Some(ecosystem), is_project: true, prefix, manifest }
    }

    /// Returns the files of the package with their paths in the joined map.
    pub(super) fn place_all(&self, files: ProjectFiles) -> ProjectFiles {
        let has_types = !self.is_project && files.iter().any(|(path, _)| is_declaration(path.as_str()));
        let is_wanted = |path: &WsPath| !self.is_aside(path) && self.is_imported(path, has_types);
        let own = files.into_iter().filter(|(path, _)| is_wanted(path));
        let mut placed: ProjectFiles =
            own.filter_map(|(path, facts)| Some((self.path_in_map(&path)?, facts))).collect();
        if let Some((path, text)) = &self.manifest
            && let Ok(path) = WsPath::new(path)
            && !placed.iter().any(|(known, _)| *known == path)
        {
            let facts: Arc<FileFacts> = Arc::new(extract(Lang::Manifest, path.file_name(), text.as_bytes()));
            placed.push((path, facts));
        }
        placed
    }

    fn path_in_map(&self, path: &WsPath) -> Option<WsPath> {
        WsPath::new(&format!("{}{path}", self.prefix)).ok()
    }

    /// Returns the path of a file below the package's own folder.
    pub(super) fn own_path(&self, path: &WsPath) -> Option<String> {
        let below = path.as_str().strip_prefix(&self.prefix)?;
        if self.ecosystem.is_none() { headers::path_on_disk(below) } else { Some(below.to_owned()) }
    }

    fn is_aside(&self, path: &WsPath) -> bool {
        // A jar of sources has no such folders, and its packages may have any name.
        let has_aside = self.ecosystem.is_some_and(|ecosystem| ecosystem != Ecosystem::Maven);
        has_aside && path.dir().split('/').any(|part| ASIDE.contains(&part))
    }

    fn is_imported(&self, path: &WsPath, has_types: bool) -> bool {
        let path = path.as_str();
        match self.ecosystem {
            // The manifest of types that others have written names another package.
            _ if self.is_project => true,
            Some(Ecosystem::Npm) if self.manifest.is_some() && path == "package.json" => false,
            Some(Ecosystem::Npm) => !has_types || is_declaration(path) || path.ends_with("package.json"),
            Some(Ecosystem::Go) => !path.ends_with("_test.go") && is_for_machine(path),
            _ => true,
        }
    }
}

/// Systems and processors that the name of a Go file may say it is for. Those with `x` are families by custom: a line
/// in the file says more.
const SYSTEMS: [&str; 15] = [
    "aix",
    "android",
    "darwin",
    "dragonfly",
    "freebsd",
    "illumos",
    "ios",
    "js",
    "linux",
    "netbsd",
    "openbsd",
    "plan9",
    "solaris",
    "windows",
    "zos",
];
const PROCESSORS: [&str; 17] = [
    "386", "amd64", "arm", "arm64", "loong64", "mips", "mips64", "mips64le", "mipsle", "ppc", "ppc64",
    "ppc64le", "riscv64", "s390x", "mipsx", "mips64x", "ppc64x",
];

/// Returns true if Go would compile a file on this machine, as far as the file's name says: `x_linux.go`,
/// `x_linux_amd64.go`.
fn is_for_machine(path: &str) -> bool {
    let system = match std::env::consts::OS {
        "macos" => "darwin",
        other => other,
    };
    let processor = match std::env::consts::ARCH {
        "x86_64" => "amd64",
        "aarch64" => "arm64",
        "x86" => "386",
        other => other,
    };
    let stem = path.rsplit('/').next().and_then(|name| name.strip_suffix(".go")).unwrap_or_default();
    let is_other = |word: &str| {
        (SYSTEMS.contains(&word) && word != system) || (PROCESSORS.contains(&word) && word != processor)
    };
    !stem.split('_').skip(1).any(is_other)
}

fn is_declaration(path: &str) -> bool {
    [".d.ts", ".d.mts", ".d.cts"].iter().any(|ending| path.ends_with(ending))
}

/// Returns true if two names are of one package: files of several languages may import it.
pub(super) fn is_same(one: &OutsidePackage, other: &OutsidePackage) -> bool {
    one.name == other.name && ecosystem_of(one.lang) == ecosystem_of(other.lang)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_of_other_machines_are_left_out() {
        let other = if cfg!(target_os = "windows") { "linux" } else { "windows" };
        assert!(is_for_machine("unix/syscall.go") && is_for_machine("windows.go"));
        assert!(!is_for_machine(&format!("unix/zerrors_{other}.go")));
        assert!(!is_for_machine("unix/zerrors_aix_ppc.go"));
    }
}
