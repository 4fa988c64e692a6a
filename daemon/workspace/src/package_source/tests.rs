//! Tests the search on small copies of the folders that package managers make.

use std::fs;
use std::path::PathBuf;

use hob_base::AbsPath;

use super::*;

struct Machine {
    folder: tempfile::TempDir,
}

impl Machine {
    fn with(files: &[&str]) -> Self {
        let machine = Self { folder: tempfile::tempdir().expect("a folder") };
        for file in files {
            let (path, text) = file.split_once('=').unwrap_or((file, ""));
            let path = machine.path(path);
            fs::create_dir_all(path.parent().expect("inside")).expect("a folder");
            fs::write(path, text).expect("a file");
        }
        machine
    }

    fn path(&self, path: &str) -> PathBuf {
        self.folder.path().join(path)
    }

    fn find(&self, ecosystem: Ecosystem, name: &str, version: &str) -> PackageSource {
        let query = PackageSourceQuery {
            project: &AbsPath::new(self.path("app")).expect("absolute"),
            ecosystem,
            name,
            versions: &[version.to_owned()],
            folders: &[self.path("app/web")],
            caches: &PackageCaches::in_home(&self.path("home")),
        };
        query.find_source()
    }
}

#[test]
fn each_ecosystem_keeps_sources_in_a_place_of_its_own() {
    let machine = Machine::with(&[
        "app/web/node_modules/@scope/kit/index.js",
        "app/node_modules/left/index.js",
        "home/.cargo/registry/src/index.crates.io-1/anyhow-1.0.2/src/lib.rs",
        "home/.cargo/registry/src/index.crates.io-1/anyhow-1.0.9/src/lib.rs",
        "home/go/pkg/mod/github.com/!azure/sdk@v1.2.0/a.go",
        "app/vendor/github.com/own/it/a.go",
    ]);
    for (ecosystem, name, version, expected) in [
        (Ecosystem::Npm, "@scope/kit", "1.0.0", "app/web/node_modules/@scope/kit"),
        (Ecosystem::Npm, "left", "1.0.0", "app/node_modules/left"),
        (Ecosystem::Cargo, "anyhow", "1.0.9", "home/.cargo/registry/src/index.crates.io-1/anyhow-1.0.9"),
        (Ecosystem::Go, "github.com/Azure/sdk", "v1.2.0", "home/go/pkg/mod/github.com/!azure/sdk@v1.2.0"),
        (Ecosystem::Go, "github.com/own/it", "v0.1.0", "app/vendor/github.com/own/it"),
    ] {
        assert_eq!(
            machine.find(ecosystem, name, version),
            PackageSource::Folder(machine.path(expected)),
            "{name}"
        );
    }
    let PackageSource::Absent(looked) = machine.find(Ecosystem::Cargo, "serde", "1.0.0") else {
        panic!("it is nowhere");
    };
    assert!(
        looked.contains(&machine.path("home/.cargo/registry/src/index.crates.io-1/serde-1.0.0")),
        "{looked:?}"
    );
}

#[test]
fn a_name_that_leads_elsewhere_is_no_package() {
    let machine = Machine::with(&[
        "app/node_modules/left/index.js",
        "secret/key.js",
        "app/.venv/lib/python3/site-packages/x.py",
    ]);
    let everywhere = machine.path("secret").display().to_string();
    for name in ["../../secret", "/", &everywhere, ".", "..", "left/../../..", ""] {
        for ecosystem in Ecosystem::ALL {
            assert_eq!(
                machine.find(ecosystem, name, "1"),
                PackageSource::Absent(Vec::new()),
                "{ecosystem:?} {name}"
            );
        }
    }
    assert_eq!(machine.find(Ecosystem::Cargo, "left", "1/../../../.."), PackageSource::Absent(Vec::new()));
}

#[test]
fn a_python_distribution_is_what_it_installed() {
    let site = "app/.venv/lib/python3.12/site-packages";
    let machine = Machine::with(&[
        &format!("{site}/yaml/__init__.py"),
        &format!(
            "{site}/PyYAML-6.0.1.dist-info/RECORD=_yaml/__init__.py,,\nyaml/__init__.py,,\nyaml/loader.py,,\n../../bin/x,,\n"
        ),
        &format!("{site}/six.py"),
        &format!("{site}/six-1.16.0.dist-info/RECORD=six.py,,\nsix-1.16.0.dist-info/METADATA,,\n"),
        &format!("{site}/typing_extra/__init__.py"),
    ]);
    let found = |name| machine.find(Ecosystem::PyPi, name, "1");
    assert_eq!(found("pyyaml"), PackageSource::Folder(machine.path(&format!("{site}/yaml"))));
    assert_eq!(found("six"), PackageSource::File(machine.path(&format!("{site}/six.py"))));
    assert_eq!(found("typing-extra"), PackageSource::Folder(machine.path(&format!("{site}/typing_extra"))));
    assert_eq!(found("numpy"), PackageSource::Absent(vec![machine.path(site)]));
}

#[test]
fn a_module_is_found_by_the_name_that_files_import() {
    let site = "app/.venv/lib/python3.12/site-packages";
    let machine = Machine::with(&[
        &format!("{site}/yaml/__init__.py"),
        &format!("{site}/PyYAML-6.0.1.dist-info/RECORD=yaml/__init__.py,,\n"),
        &format!("{site}/six.py"),
        &format!("{site}/six-1.16.0.dist-info/RECORD=six.py,,\n"),
        "app/node_modules/@types/react/index.d.ts",
        "app/node_modules/@types/scope__kit/index.d.ts",
    ]);
    let caches = PackageCaches::default();
    let project = AbsPath::new(machine.path("app")).expect("absolute");
    let query = |ecosystem, name| PackageSourceQuery {
        project: &project,
        ecosystem,
        name,
        versions: &[],
        folders: &[],
        caches: &caches,
    };
    let module = |name| query(Ecosystem::PyPi, name).find_module();
    assert_eq!(module("yaml"), PackageSource::Folder(machine.path(&format!("{site}/yaml"))));
    assert_eq!(module("six"), PackageSource::File(machine.path(&format!("{site}/six.py"))));
    for name in ["../six", "/", "..", ""] {
        assert_eq!(module(name), PackageSource::Absent(Vec::new()), "{name}");
        assert_eq!(query(Ecosystem::Npm, name).find_types(), None, "{name}");
    }
    let types = |name| query(Ecosystem::Npm, name).find_types();
    assert_eq!(types("react"), Some(machine.path("app/node_modules/@types/react")));
    assert_eq!(types("@scope/kit"), Some(machine.path("app/node_modules/@types/scope__kit")));
    let title = |place: &str, ecosystem, module| installed_title(ecosystem, &machine.path(place), module);
    assert_eq!(title(&format!("{site}/yaml"), Ecosystem::PyPi, "yaml"), "PyYAML 6.0.1");
    assert_eq!(title(&format!("{site}/six.py"), Ecosystem::PyPi, "six"), "six 1.16.0");
    assert_eq!(title("x/serde-like-1.2.0", Ecosystem::Cargo, "serde-like"), "serde-like 1.2.0");
    assert_eq!(title("x/cobra@v1.8.0", Ecosystem::Go, "a.b/cobra"), "a.b/cobra v1.8.0");
}
