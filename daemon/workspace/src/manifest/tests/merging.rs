//! Tests how the statements of all files of a workspace merge into packages.

use super::fixtures::{self, ALL};
use super::{merge_texts, package_named};
use crate::manifest::Ecosystem;

#[test]
fn a_lock_file_says_which_version_and_what_comes_along() {
    let packages = merge_texts(&[("Cargo.toml", fixtures::CARGO_TOML), ("Cargo.lock", fixtures::CARGO_LOCK)]);
    let hashbrown = package_named(&packages, "hashbrown");
    assert_eq!(hashbrown.version.as_deref(), Some("0.15.5"));
    assert_eq!(hashbrown.versions, ["0.15.5", "0.17.1"]);
    assert_eq!((hashbrown.direct, hashbrown.dev, hashbrown.line), (true, false, 9));
    let itoa = package_named(&packages, "itoa");
    assert_eq!((itoa.direct, itoa.manifest.as_str(), itoa.line), (false, "Cargo.lock", 18));
    assert_eq!(itoa.requirement, None);
    assert!(package_named(&packages, "tempfile").dev);
    assert!(package_named(&packages, "base").local);
    // The requirement stands in the workspace's table, and the use comes before it.
    let rustix = package_named(&packages, "rustix");
    assert_eq!((rustix.requirement.as_deref(), rustix.line), (Some("1.1"), 15));
    assert!(rustix.direct && rustix.places.len() == 2);
    assert!(packages.iter().all(|package| package.name != "shop"), "the project does not depend on itself");
    assert_eq!(package_named(&packages, "serde_json").aliases, ["json"]);
}

#[test]
fn what_a_workspace_offers_is_only_as_direct_as_its_members_make_it() {
    let packages = merge_texts(&[
        ("Cargo.toml", "[workspace.dependencies]\ntempfile = \"3\"\nunused = \"1\"\n"),
        ("a/Cargo.toml", "[dev-dependencies]\ntempfile.workspace = true\n"),
    ]);
    let tempfile = package_named(&packages, "tempfile");
    assert_eq!((tempfile.manifest.as_str(), tempfile.line), ("a/Cargo.toml", 2));
    assert_eq!(tempfile.requirement.as_deref(), Some("3"));
    assert!(tempfile.direct && tempfile.dev);
    assert!(!package_named(&packages, "unused").direct);
}

#[test]
fn the_nearest_lock_file_counts() {
    let outer = "react@^18.2.0:\n  version \"18.0.0\"\n";
    let inner = "react@^18.2.0:\n  version \"18.3.1\"\n";
    let manifest = r#"{"dependencies": {"react": "^18.2.0"}}"#;
    let of = |files: &[(&str, &str)]| package_named(&merge_texts(files), "react").version.clone();
    let files = [("yarn.lock", outer), ("web/yarn.lock", inner), ("web/app/package.json", manifest)];
    assert_eq!(of(&files).as_deref(), Some("18.3.1"));
    let files = [("yarn.lock", outer), ("web/yarn.lock", inner), ("website/package.json", manifest)];
    assert_eq!(of(&files).as_deref(), Some("18.0.0"));
}

#[test]
fn npm_finds_the_outer_folder_and_yarn_the_very_words() {
    let asked = ("package.json", r#"{"devDependencies": {"react": "^17.0.0"}, "dependencies": {}}"#);
    assert_eq!(
        package_named(&merge_texts(&[asked, ("yarn.lock", fixtures::YARN_1)]), "react").version.as_deref(),
        Some("17.0.2")
    );
    let packages = merge_texts(&[
        ("package.json", fixtures::PACKAGE_JSON),
        ("package-lock.json", fixtures::PACKAGE_LOCK),
    ]);
    assert_eq!(package_named(&packages, "react").version.as_deref(), Some("18.3.1"));
    assert_eq!(package_named(&packages, "react").versions, ["17.0.2", "18.3.1"]);
    assert_eq!(package_named(&packages, "lodash").version.as_deref(), Some("4.17.21"));
}

#[test]
fn several_manifests_are_one_package_with_places() {
    let packages = merge_texts(&[
        ("requirements-dev.txt", "django==4.1\n"),
        ("b/requirements.txt", "\nDjango>=4\n"),
        ("a/setup.cfg", "[options]\ninstall_requires =\n  DJANGO\n"),
    ]);
    let django = package_named(&packages, "django");
    let places: Vec<_> = django.places.iter().map(|place| (place.manifest.as_str(), place.line)).collect();
    assert_eq!(places, [("a/setup.cfg", 3), ("b/requirements.txt", 2), ("requirements-dev.txt", 1)]);
    assert_eq!((django.manifest.as_str(), django.line), ("a/setup.cfg", 3));
    assert_eq!(django.requirement.as_deref(), Some(">=4"));
    assert_eq!(django.version.as_deref(), Some("4.1"), "pinned somewhere, locked nowhere");
    assert!(django.direct && !django.dev);
}

#[test]
fn the_order_of_files_does_not_matter() {
    let mut files = ALL.to_vec();
    let packages = merge_texts(&files);
    files.reverse();
    assert_eq!(merge_texts(&files), packages);
    let keys: Vec<_> = packages.iter().map(|package| (package.ecosystem, package.name.clone())).collect();
    assert!(keys.is_sorted() && keys.windows(2).all(|pair| pair[0] != pair[1]));
    assert!(Ecosystem::ALL.iter().all(|ecosystem| keys.iter().any(|(of, _)| of == ecosystem)));
}

#[test]
fn package_urls() {
    let packages = merge_texts(ALL);
    let purl = |name| package_named(&packages, name).package_url();
    assert_eq!(purl("@babel/core"), "pkg:npm/%40babel/core@7.24.1");
    assert_eq!(purl("zope-interface"), "pkg:pypi/zope-interface@6.1");
    assert_eq!(purl("serde_json"), "pkg:cargo/serde_json");
    assert_eq!(purl("github.com/BurntSushi/toml"), "pkg:golang/github.com/burntsushi/toml@v1.3.2");
    assert_eq!(purl("com.google.guava:guava"), "pkg:maven/com.google.guava/guava@33.1.0-jre");
    let odd = merge_texts(&[("requirements.txt", "torch==2.3.0+cu121\n")]);
    assert_eq!(package_named(&odd, "torch").package_url(), "pkg:pypi/torch@2.3.0%2Bcu121");
}
