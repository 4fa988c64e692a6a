//! Where the project's own packages are: what their project files call them.
//!
//! Known are those that say their name in a file that imports are resolved with: `Cargo.toml`, `package.json`, `composer.json`,
//! `go.mod`. Not here: packages that are only depended on.

use hob_base::WsPath;

use super::Map;

/// Under what a project file says its package's name.
const NAMES: [&str; 3] = ["name", "package", "module"];

impl Map {
    /// The folders of the packages of this name, in the order of their paths; the root is an empty one.
    #[must_use]
    pub fn folders_of_package(&self, name: &str) -> Vec<String> {
        let mut folders = Vec::new();
        for (file, _) in self.index.entries() {
            let Some((path, facts)) = self.file(file) else { continue };
            let says =
                |(key, value): &(_, _)| NAMES.contains(&facts.name(*key)) && facts.name(*value) == name;
            if facts.manifest.iter().any(says) {
                folders.push(path.as_str().rsplit_once('/').map_or("", |(folder, _)| folder).to_owned());
            }
        }
        folders.sort_unstable();
        folders.dedup();
        folders
    }

    /// The project files that say their package's name, with the name, in the order of their paths.
    #[must_use]
    pub fn named_packages(&self) -> Vec<(WsPath, String)> {
        let mut found = Vec::new();
        for (file, _) in self.index.entries() {
            let Some((path, facts)) = self.file(file).filter(|(_, facts)| facts.lang.is_manifest()) else {
                continue;
            };
            let name = facts.manifest.iter().find(|(key, _)| NAMES.contains(&facts.name(*key)));
            found.extend(name.map(|(_, value)| (path.clone(), facts.name(*value).to_owned())));
        }
        found.sort_unstable();
        found
    }
}

#[cfg(test)]
mod tests {
    use crate::fixture::map;

    #[test]
    fn packages_are_where_their_project_files_are() {
        let map = map(
            "//- /Cargo.toml\n[package]\nname = \"tool\"\n//- /web/package.json\n{\"name\": \"@x/web\"}\n\
                       //- /go/go.mod\nmodule example.com/a\n//- /a.py\nx = 1\n",
        );
        assert_eq!(map.folders_of_package("tool"), [""]);
        assert_eq!(map.folders_of_package("@x/web"), ["web"]);
        assert_eq!(map.folders_of_package("example.com/a"), ["go"]);
        assert!(map.folders_of_package("serde").is_empty());
        let named: Vec<String> =
            map.named_packages().iter().map(|(path, name)| format!("{path} {name}")).collect();
        assert_eq!(named, ["Cargo.toml tool", "go/go.mod example.com/a", "web/package.json @x/web"]);
    }
}
