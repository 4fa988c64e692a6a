//! Tests the Debian package without cargo-deb: which files are staged for it, and that its metadata names exactly
//! these.

use std::path::Path;

use hob_tests::{World, repository, run};

use super::{PROGRAMS, programs, release, text_of};

/// Returns the sources and destinations that the metadata lists.
fn assets() -> Vec<(String, String)> {
    let manifest = text_of("client/cli/Cargo.toml");
    let (_, list) = manifest.split_once("\nassets = [\n").expect("the package has assets");
    let lines = list.lines().take_while(|line| !line.starts_with(']'));
    let parts = lines.map(|line| line.split('"').skip(1).step_by(2).map(str::to_owned).collect::<Vec<_>>());
    parts.map(|parts| (parts[0].clone(), parts[1].clone())).collect()
}

/// Returns true if a word like `@HOBD@` remains in a unit.
fn has_placeholder(unit: &str) -> bool {
    unit.split('@').any(|part| !part.is_empty() && part.chars().all(|c| c.is_ascii_uppercase()))
}

#[test]
fn every_asset_is_staged_and_everything_staged_is_an_asset() {
    let world = World::new();
    let made =
        run(release(&world, "deb-stage", &programs(&world), &world.path("out")).arg("--no-notices"), b"");
    let stage = made.success();
    let stage = Path::new(stage.trim());
    assert!(stage.starts_with(repository().join("target")), "what the metadata says: {stage:?}");
    let folders: Vec<String> = assets()
        .iter()
        .map(|(source, _)| source.trim_start_matches("../../target/packaging/deb/").to_owned())
        .collect();
    for folder in &folders {
        let fixed = folder.split('*').next().expect("a prefix").trim_end_matches('/');
        assert!(stage.join(fixed).exists(), "{folder} is an asset and is not staged");
    }
    for name in PROGRAMS {
        assert!(stage.join("bin").join(name).is_file(), "{name}");
    }
    let units = std::fs::read_dir(stage.join("lib/systemd/user")).expect("units").flatten();
    let units: Vec<_> =
        units.map(|unit| (unit.file_name(), std::fs::read_to_string(unit.path()).expect("text"))).collect();
    assert!(units.iter().any(|(name, _)| name == "hobd.socket"), "{units:?}");
    let service = units.iter().find(|(name, _)| name == "hobd.service").expect("a service");
    assert!(service.1.contains("/usr/bin/hobd\n"), "{}", service.1);
    assert!(units.iter().all(|(_, text)| !has_placeholder(text)), "nothing is left to fill in: {units:?}");
}

#[test]
fn the_package_runs_nothing_when_it_is_installed() {
    let manifest = text_of("client/cli/Cargo.toml");
    let (_, metadata) = manifest.split_once("[package.metadata.deb]").expect("metadata");
    assert!(!metadata.contains("maintainer-scripts") && !metadata.contains("systemd-units"), "{metadata}");
}
