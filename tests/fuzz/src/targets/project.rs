//! Files of a project that say what belongs to it: rules, manifests, and git's.

use std::fs;
use std::path::Path;

use hob_base::{AbsPath, CancelToken, WsPath};
use hob_workspace::git::Repository;
use hob_workspace::{RuleOptions, Rules, manifest};
use tempfile::TempDir;

use crate::input::FuzzInput;

/// Makes a folder, in memory where the system has one there.
pub(crate) fn scratch_folder() -> TempDir {
    let memory = Path::new("/dev/shm");
    let made = if memory.is_dir() { tempfile::tempdir_in(memory) } else { tempfile::tempdir() };
    made.expect("the system has a folder for temporary files")
}

fn root_of(folder: &TempDir) -> AbsPath {
    AbsPath::new(folder.path()).expect("a folder of the system's is absolute")
}

/// Paths that rules are asked about, besides the one of the input.
const PATHS: &[&str] = &["a", "a.rs", "src/a.rs", "src/deep/er/b.py", "target/x", ".hidden/y", "weird[1]/*"];

/// Asks the rules of a folder with any rule files; a folder that does not belong takes what is in it along.
pub(crate) fn check_rules(bytes: &[u8]) {
    let mut input = FuzzInput::new(bytes);
    let folder = scratch_folder();
    fs::create_dir_all(folder.path().join(".git")).expect("a fresh folder");
    fs::create_dir_all(folder.path().join("src")).expect("a fresh folder");
    for name in [".gitignore", ".hobignore", "src/.gitignore"] {
        fs::write(folder.path().join(name), input.take_part()).expect("a fresh folder");
    }
    let options = RuleOptions { global: false, above: false, ..RuleOptions::default() };
    let rules = Rules::new(root_of(&folder), options);
    let own = input.take_text();
    for path in PATHS.iter().copied().chain([own.as_str()]).filter_map(|path| WsPath::new(path).ok()) {
        let is_admitted = rules.admits_file(&path);
        assert_eq!(rules.admits_file(&path), is_admitted, "{path:?}");
        let parent = WsPath::new(path.dir()).ok().filter(|parent| !parent.is_root());
        if let Some(parent) = parent {
            assert!(
                !is_admitted || rules.admits_dir(&parent),
                "{path:?} is in a folder that does not belong"
            );
        }
    }
}

/// Files that name packages.
const MANIFESTS: &[&str] = &[
    "package.json",
    "package-lock.json",
    "yarn.lock",
    "pnpm-lock.yaml",
    "pyproject.toml",
    "setup.cfg",
    "Pipfile",
    "Pipfile.lock",
    "poetry.lock",
    "requirements.txt",
    "Cargo.toml",
    "Cargo.lock",
    "go.mod",
    "pom.xml",
    "build.gradle",
    "build.gradle.kts",
    "gradle.lockfile",
    "gradle/libs.versions.toml",
    "tsconfig.json",
    "composer.json",
    "pubspec.yaml",
    "mix.exs",
    "jsconfig.json",
    "CMakeLists.txt",
];

/// Reads any text as a manifest, and as the facts of a project file.
pub(crate) fn check_manifest(bytes: &[u8]) {
    let mut input = FuzzInput::new(bytes);
    let name = *input.choose(MANIFESTS);
    let text = String::from_utf8_lossy(input.rest());
    let path = WsPath::new(name).expect("a relative path");
    let lines = 1 + text.matches('\n').count() as u32;
    let found = manifest::read(&path, &text).unwrap_or_default();
    for dependency in &found {
        assert!(dependency.line <= lines, "{dependency:?} of {lines} lines");
    }
    let merged = manifest::merge([(path.clone(), found)]);
    merged.iter().for_each(|package| drop(package.package_url()));
    let _ = hob_map::langs::manifest_facts(path.file_name(), text.as_bytes());
}

/// Asks a repository of which each file has any bytes: an answer, or an error.
pub(crate) fn check_repository(bytes: &[u8]) {
    let mut input = FuzzInput::new(bytes);
    let folder = scratch_folder();
    let git = folder.path().join(".git");
    for name in ["objects/pack", "refs/heads", "refs/tags"] {
        fs::create_dir_all(git.join(name)).expect("a fresh folder");
    }
    for name in ["HEAD", "refs/heads/main", "packed-refs", "config", "shallow"] {
        let part = input.take_part();
        if !part.is_empty() {
            fs::write(git.join(name), part).expect("a fresh folder");
        }
    }
    fs::write(git.join("index"), input.rest()).expect("a fresh folder");
    let Ok(Some(repository)) = Repository::discover(&root_of(&folder)) else { return };
    let cancel = CancelToken::default();
    let _ = (repository.read_checkout(), repository.list_refs(&cancel).is_ok(), repository.head().is_ok());
    let _ = (repository.latest_commits(5, &cancel).is_ok(), repository.staged_files().is_ok());
    let _ = repository.commit("HEAD~1").is_ok();
}
