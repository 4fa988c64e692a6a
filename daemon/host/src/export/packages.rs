//! Finds the package of the project that a file belongs to: the one whose manifest is nearest above it.
//!
//! Names are those that the map has of manifests. Versions, which the map has no use for, are read here from the manifest's text; one
//! that is inherited or computed stays unknown.

use hob_base::{Contents as _, WsPath};
use hob_scip::SymbolPackage;

use super::super::workspace::Workspace;

/// Manifests and the package managers that read them.
const MANAGERS: [(&str, &str); 5] = [
    ("Cargo.toml", "cargo"),
    ("package.json", "npm"),
    ("go.mod", "gomod"),
    ("composer.json", "composer"),
    ("pubspec.yaml", "pub"),
];

/// The packages of a project by their folders, the innermost first.
#[derive(Debug, Default)]
pub(super) struct OwnPackages {
    folders: Vec<(WsPath, SymbolPackage)>,
}

impl OwnPackages {
    pub(super) fn of_workspace(workspace: &Workspace) -> Self {
        let named = workspace.map().named_packages();
        let package = |(path, name): (WsPath, String)| {
            let folder = WsPath::new(path.dir()).ok()?;
            let manager = MANAGERS.iter().find(|(file, _)| path.file_name() == *file)?.1.to_owned();
            let bytes = workspace.disk_contents().read(&path).ok()?;
            let version = version_in(&String::from_utf8_lossy(&bytes)).unwrap_or_default();
            Some((folder, SymbolPackage { manager, name, version }))
        };
        let mut folders: Vec<_> = named.into_iter().filter_map(package).collect();
        folders.sort_by_key(|(folder, _)| std::cmp::Reverse(folder.as_str().len()));
        Self { folders }
    }

    /// Returns the package of a file; an empty one if no manifest is above it.
    pub(super) fn of_file(&self, path: &WsPath) -> SymbolPackage {
        let around = self.folders.iter().find(|(folder, _)| path.is_below(folder));
        around.map(|(_, package)| package.clone()).unwrap_or_default()
    }
}

/// Returns the package's own version in a manifest: that of the outermost object in JSON, of the table `package` in
/// TOML.
fn version_in(text: &str) -> Option<String> {
    if let Ok(json) = serde_json::from_str::<serde_json::Value>(text) {
        return json.get("version")?.as_str().map(str::to_owned);
    }
    let outer = |line: &&str| !line.starts_with([' ', '\t']);
    let own = text.lines().filter(outer).skip_while(|line| !line.starts_with("[package]"));
    let own = own.skip(1).take_while(|line| !line.starts_with('['));
    own.filter_map(|line| line.split_once('=')).find(|(key, _)| key.trim() == "version").and_then(
        |(_, value)| {
            let value = value.trim().strip_prefix('"')?;
            value.split_once('"').map(|(version, _)| version.to_owned())
        },
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_version_is_the_packages_own() {
        let said = |text| version_in(text).unwrap_or_default();
        assert_eq!(
            said("[package]\nname = \"a\"\nversion = \"1.2.0\" # why\n[dependencies]\nversion = \"9\"\n"),
            "1.2.0"
        );
        assert_eq!(said("[dependencies]\nversion = \"9\"\n"), "");
        assert_eq!(said("[package]\nversion.workspace = true\n"), "");
        assert_eq!(said("{\"dependencies\": {\"version\": \"9\"}, \"version\": \"2.0.0\"}"), "2.0.0");
        assert_eq!(said("module example.com/a\n"), "");
    }

    #[test]
    fn the_nearest_manifest_counts() {
        let package = |name: &str| SymbolPackage { name: name.to_owned(), ..SymbolPackage::default() };
        let path = |text| WsPath::new(text).expect("relative");
        let mut folders = vec![(WsPath::root(), package("all")), (path("web"), package("web"))];
        folders.sort_by_key(|(folder, _)| std::cmp::Reverse(folder.as_str().len()));
        let packages = OwnPackages { folders };
        assert_eq!(packages.of_file(&path("web/src/a.ts")).name, "web");
        assert_eq!(packages.of_file(&path("website/a.ts")).name, "all");
    }
}
