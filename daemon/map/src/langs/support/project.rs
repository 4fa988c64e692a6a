//! Helps import rules with workspace paths and declared packages, and gives their tests a fake project.

/// Returns the folder of a path; empty at the root.
pub(crate) fn folder_of(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(folder, _)| folder)
}

/// Joins a folder and a relative path, and follows `.` and `..`. `None` if the path leads out of the workspace.
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

/// Returns the number of leading folders that two paths share.
pub(crate) fn shared_folders(a: &str, b: &str) -> usize {
    folder_of(a).split('/').zip(folder_of(b).split('/')).take_while(|(x, y)| x == y).count()
}

pub(crate) mod packages {
    //! Finds packages that files declare (Java, Kotlin, Scala, C# namespaces), as opposed to folders.

    use hob_base::FileId;

    use crate::langs::rules::{ImportProject, ModuleTarget};

    /// Returns the package of a file; empty for the nameless one.
    pub(crate) fn of_file(project: &dyn ImportProject, file: FileId) -> &str {
        let facts = project.facts(file);
        facts.and_then(|facts| facts.package.map(|id| facts.name(id))).unwrap_or("")
    }

    /// Yields a package and those around it, innermost first: `a.b`, `a`.
    pub(crate) fn packages_around(package: &str) -> impl Iterator<Item = &str> {
        let first = Some(package).filter(|package| !package.is_empty());
        std::iter::successors(first, |inner| inner.rsplit_once('.').map(|(outer, _)| outer))
    }

    /// Returns the package or type of this dotted name.
    pub(crate) fn find(project: &dyn ImportProject, name: &str) -> ModuleTarget {
        let files = project.files_of_package(name);
        if !files.is_empty() {
            return ModuleTarget::Files(files.to_vec());
        }
        let cuts = name.match_indices('.').map(|(at, _)| (&name[..at], &name[at + 1..]));
        let within = cuts.filter(|(package, _)| !project.files_of_package(package).is_empty()).last();
        match within {
            Some((package, path)) => type_in(project, package, path),
            None => ModuleTarget::Unknown,
        }
    }

    fn type_in(project: &dyn ImportProject, package: &str, path: &str) -> ModuleTarget {
        let defines = |file: &&FileId| {
            project.facts(**file).is_some_and(|facts| {
                let id = facts.names.find(path);
                id.is_some_and(|id| facts.defs.iter().any(|def| def.qualified == id && def.kind.is_type()))
            })
        };
        match project.files_of_package(package).iter().find(defines) {
            Some(file) => ModuleTarget::Inside(*file, path.to_owned()),
            None => ModuleTarget::Unknown,
        }
    }

    /// Returns the files of the longest beginning of a path that is a package, and how many segments that has.
    pub(crate) fn longest_package<'p>(
        project: &'p dyn ImportProject,
        path: &str,
    ) -> Option<(&'p [FileId], usize)> {
        let cuts = path.rmatch_indices('.').map(|(at, _)| &path[..at]);
        let mut all = std::iter::once(path).chain(cuts);
        let found = all.find(|name| !project.files_of_package(name).is_empty())?;
        Some((project.files_of_package(found), found.split('.').count()))
    }

    /// Returns the package that a dotted path starts with, of the project or outside, and how many segments it takes; a
    /// path that starts with a capital starts with a name in scope instead.
    pub(crate) fn path_of(project: &dyn ImportProject, path: &str) -> Option<(ModuleTarget, usize)> {
        if !path.starts_with(|c: char| c.is_lowercase()) {
            return None;
        }
        if let Some((files, taken)) = longest_package(project, path) {
            return Some((ModuleTarget::Files(files.to_vec()), taken));
        }
        let is_lower = |part: &&str| part.starts_with(|c: char| c.is_lowercase());
        let taken = path.split('.').take_while(is_lower).count();
        let has_type = taken < path.split('.').count();
        (taken > 1 && has_type).then(|| (ModuleTarget::External(external_name(path)), taken))
    }

    /// Returns the name that a package outside is known by: its first two segments.
    pub(crate) fn external_name(name: &str) -> String {
        name.split('.').take(2).collect::<Vec<_>>().join(".")
    }
}

#[cfg(test)]
pub(crate) mod fake {
    //! A project for tests, made of strings.

    use hob_base::FileId;
    use rustc_hash::FxHashMap;

    use crate::facts::FileFacts;
    use crate::langs::detect::language_of;
    use crate::langs::rules::{ImportProject, ImportRules, ModuleTarget};

    /// A project of extracted files, without a map.
    #[derive(Default)]
    pub(crate) struct Fake {
        paths: Vec<String>,
        facts: Vec<FileFacts>,
        named: FxHashMap<String, Vec<FileId>>,
        packages: FxHashMap<String, Vec<FileId>>,
    }

    impl Fake {
        /// Extracts a project of (path, text).
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
            self.show_target(rules.resolve(self, from, module))
        }

        /// Resolves a path and renders the outcome and how many segments it took.
        pub(crate) fn path_of(&self, rules: &dyn ImportRules, from: &str, path: &str) -> String {
            let from = self.file(from).expect("the importing file");
            match rules.resolve_path(self, from, path) {
                None => "in scope".to_owned(),
                Some((target, taken)) => format!("{} {taken}", self.show_target(target)),
            }
        }

        fn show_target(&self, target: ModuleTarget) -> String {
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

    impl ImportProject for Fake {
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
            let within = |p: &str| super::folder_of(p) == dir;
            (0..self.paths.len()).filter(|&i| within(&self.paths[i])).map(|i| FileId(i as u32)).collect()
        }

        fn files_below(&self, dir: &str) -> Vec<FileId> {
            let within = |p: &str| p.starts_with(&format!("{dir}/"));
            (0..self.paths.len()).filter(|&i| within(&self.paths[i])).map(|i| FileId(i as u32)).collect()
        }

        fn files_named(&self, file_name: &str) -> &[FileId] {
            self.named.get(file_name).map_or(&[], Vec::as_slice)
        }

        fn files_defining(&self, qualified: &str) -> Vec<FileId> {
            let defines = |facts: &FileFacts| {
                facts.defs.iter().any(|def| def.kind.is_scope() && facts.name(def.qualified) == qualified)
            };
            let files = (0..self.paths.len() as u32).map(FileId);
            files.filter(|file| self.facts(*file).is_some_and(defines)).collect()
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
            named.map(|(path, facts)| (super::folder_of(path), facts)).collect()
        }

        fn facts(&self, file: FileId) -> Option<&FileFacts> {
            self.facts.get(file.0 as usize)
        }
    }
}
