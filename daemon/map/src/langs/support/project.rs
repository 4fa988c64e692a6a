//! Small helpers over workspace paths, and a fake project for tests.

/// The folder of a path; empty at the root.
pub(crate) fn folder(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(folder, _)| folder)
}

/// Joins a folder and a relative path, with `.` and `..` followed. `None` when it leads out of the workspace.
pub(crate) fn join(folder: &str, relative: &str) -> Option<String> {
    let mut parts: Vec<&str> = folder.split('/').filter(|p| !p.is_empty()).collect();
    for part in relative.split('/') {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop()?;
            }
            part => parts.push(part),
        }
    }
    Some(parts.join("/"))
}

/// Number of leading folders that two paths share.
pub(crate) fn shared_folders(a: &str, b: &str) -> usize {
    folder(a).split('/').zip(folder(b).split('/')).take_while(|(x, y)| x == y).count()
}

#[cfg(test)]
pub(crate) mod fake {
    //! A project made of strings.

    use hob_base::FileId;
    use rustc_hash::FxHashMap;

    use crate::facts::FileFacts;
    use crate::langs::{ImportRules, ModuleTarget, Project, language_of};

    /// Files by path, with their facts.
    #[derive(Default)]
    pub(crate) struct Fake {
        paths: Vec<String>,
        facts: Vec<FileFacts>,
        named: FxHashMap<String, Vec<FileId>>,
        packages: FxHashMap<String, Vec<FileId>>,
    }

    impl Fake {
        /// A project of (path, text).
        pub(crate) fn new(files: &[(&str, &str)]) -> Self {
            let mut fake = Self::default();
            for (path, text) in files {
                let id = FileId(fake.paths.len() as u32);
                let name = path.rsplit('/').next().unwrap_or(path);
                let lang = language_of(name, text.as_bytes()).expect("a known language");
                let facts = crate::extract(lang, name, text.as_bytes());
                fake.named.entry(name.to_owned()).or_default().push(id);
                if let Some(package) = facts.package {
                    fake.packages.entry(facts.name(package).to_owned()).or_default().push(id);
                }
                fake.paths.push((*path).to_owned());
                fake.facts.push(facts);
            }
            fake
        }

        /// Resolves a module as an import in `from` and renders the outcome.
        pub(crate) fn resolve(&self, rules: &dyn ImportRules, from: &str, module: &str) -> String {
            let from = self.file(from).expect("the importing file");
            self.show(rules.resolve(self, from, module))
        }

        /// Resolves a path and renders the outcome and how many segments it took.
        pub(crate) fn path_of(&self, rules: &dyn ImportRules, from: &str, path: &str) -> String {
            let from = self.file(from).expect("the importing file");
            match rules.resolve_path(self, from, path) {
                None => "in scope".to_owned(),
                Some((target, taken)) => format!("{} {taken}", self.show(target)),
            }
        }

        fn show(&self, target: ModuleTarget) -> String {
            match target {
                ModuleTarget::File(id) => self.path(id).to_owned(),
                ModuleTarget::Files(ids) => {
                    let mut paths: Vec<&str> = ids.iter().map(|id| self.path(*id)).collect();
                    paths.sort_unstable();
                    format!("[{}]", paths.join(" "))
                }
                ModuleTarget::Inside(id, inner) => format!("{}#{inner}", self.path(id)),
                ModuleTarget::External(name) => format!("ext:{name}"),
                ModuleTarget::Unknown => "unknown".to_owned(),
            }
        }
    }

    impl Project for Fake {
        fn file(&self, path: &str) -> Option<FileId> {
            self.paths.iter().position(|p| p == path).map(|at| FileId(at as u32))
        }

        fn path(&self, file: FileId) -> &str {
            &self.paths[file.0 as usize]
        }

        fn has_dir(&self, dir: &str) -> bool {
            self.paths.iter().any(|p| p.starts_with(&format!("{dir}/")))
        }

        fn files_in(&self, dir: &str) -> Vec<FileId> {
            let within = |p: &str| super::folder(p) == dir;
            (0..self.paths.len()).filter(|&i| within(&self.paths[i])).map(|i| FileId(i as u32)).collect()
        }

        fn files_named(&self, file_name: &str) -> &[FileId] {
            self.named.get(file_name).map_or(&[], Vec::as_slice)
        }

        fn files_of_package(&self, package: &str) -> &[FileId] {
            self.packages.get(package).map_or(&[], Vec::as_slice)
        }

        fn manifests(&self, file_name: &str) -> Vec<(&str, &FileFacts)> {
            let named = self
                .paths
                .iter()
                .zip(&self.facts)
                .filter(|(path, _)| path.rsplit('/').next() == Some(file_name));
            named.map(|(path, facts)| (super::folder(path), facts)).collect()
        }

        fn facts(&self, file: FileId) -> Option<&FileFacts> {
            self.facts.get(file.0 as usize)
        }
    }
}
