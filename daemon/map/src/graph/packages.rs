//! Finds the project's own packages by the names in their project files.
//!
//! It knows the packages that say their name in a file with which imports are resolved: `Cargo.toml`, `package.json`,
//! `composer.json`, `go.mod`. It does not know packages that the project only depends on.

use hob_base::WsPath;

use super::Map;

/// The keys under which project files give their package's name.
const NAMES: [&str; 3] = ["name", "package", "module"];

impl Map {
    /// Returns the folders of the packages of this name, in order of path; the root is the empty string.
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

    /// Returns the project files that give their package's name, with the name, in order of path.
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
