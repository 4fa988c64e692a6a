//! Tests the archive and `install.sh`: from built programs to a first answer in a fresh HOME, then an upgrade, and a
//! removal that leaves nothing.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use hob_tests::{Output, World, repository, run};

use super::{PROGRAMS, PROJECT, programs, release, text_of, version};

/// Makes the archive of this platform, with its checksums. Returns the folder, which is in `world`, and the name of the
/// archive.
fn archive(world: &World, more: &[&str]) -> (PathBuf, String) {
    let out = world.path("dist");
    let made = run(release(world, "tarball", &programs(world), &out).args(more), b"").success();
    let name = Path::new(made.lines().next().expect("the archive")).file_name().expect("a file").to_owned();
    (out, name.into_string().expect("plain text"))
}

fn installer(world: &World, from: &Path) -> Command {
    let mut command = Command::new("sh");
    world.clean(&mut command);
    command.env("HOB_DOWNLOAD_BASE", from).arg(repository().join("packaging/install.sh"));
    command
}

fn install(world: &World, from: &Path, args: &[&str]) -> Output {
    run(installer(world, from).args(args), b"")
}

/// Returns everything below a folder.
fn below(folder: &Path) -> BTreeSet<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    entries
        .flat_map(|entry| {
            let path = entry.path();
            let inner = if path.is_dir() && !path.is_symlink() { below(&path) } else { BTreeSet::new() };
            inner.into_iter().chain([path])
        })
        .collect()
}

#[test]
fn an_archive_is_installed_answers_is_upgraded_and_leaves_nothing() {
    let world = World::new();
    let (dist, _) = archive(&world, &[]);
    let home = world.path("home");
    fs::create_dir_all(home.join(".local/share/man")).expect("a folder of the user's");
    fs::write(home.join(".local/share/man/mine"), "kept").expect("a file of the user's");
    let before = below(&home);

    let said = install(&world, &dist, &[]).success();
    assert!(said.contains(&format!("hob {} is installed", version())) && said.contains("PATH"), "{said}");
    let prefix = home.join(".local");
    for name in PROGRAMS {
        let told = run(world.command(prefix.join("bin").join(name)).arg("--version"), b"").success();
        assert!(told.contains(&version()), "{told}");
    }
    for file in [
        "share/man/man1/hob.1",
        "share/man/man1/hob-lsp.1",
        "share/bash-completion/completions/hob",
        "share/zsh/site-functions/_hob",
        "share/fish/vendor_completions.d/hob.fish",
        "share/hob/completions/hob.ps1",
        "share/doc/hob/LICENSE-MIT",
        "share/doc/hob/docs/install.md",
    ] {
        assert!(prefix.join(file).is_file(), "{file}");
    }
    let notices = fs::read_to_string(prefix.join("share/doc/hob/THIRD-PARTY.txt")).expect("licences");
    assert!(notices.contains("tree-sitter ") && notices.contains("Permission is hereby granted"));
    assert!(!notices.contains("\nproptest "), "what only tests use is not in the programs");

    let tree = world.tree(PROJECT);
    let map = run(world.command(prefix.join("bin/hob")).arg("map").current_dir(tree.root()), b"").success();
    assert!(map.contains("answer"), "{map}");
    let daemon = world.daemon_pid().expect("it was started");
    let program = fs::read_link(format!("/proc/{daemon}/exe")).expect("it runs");
    assert_eq!(
        program,
        fs::canonicalize(prefix.join("bin/hobd")).expect("installed"),
        "the daemon beside hob"
    );

    // An upgrade while the daemon runs. Files that only the former version had are removed.
    let receipt = prefix.join("share/hob/installed");
    let listed = fs::read_to_string(&receipt).expect("a receipt");
    fs::write(prefix.join("share/hob/old-part"), "").expect("written");
    fs::write(&receipt, format!("f share/hob/old-part\n{listed}")).expect("written");
    let _ = install(&world, &dist, &[]).success();
    assert!(!prefix.join("share/hob/old-part").exists(), "what no version has any more is removed");

    let gone = install(&world, &dist, &["--uninstall", "--purge"]).success();
    assert!(gone.contains("removed"), "{gone}");
    assert_eq!(below(&home), before, "exactly what was there before");
    assert_eq!(below(world.dir()), BTreeSet::new(), "none of hob's own data");
    let again = install(&world, &dist, &["--uninstall"]).code(1);
    assert!(again.stderr.contains("no hob that this script installed"), "{again}");
}

#[test]
fn an_archive_that_is_not_what_the_checksums_say_is_refused() {
    let world = World::new();
    let (dist, name) = archive(&world, &["--no-notices"]);
    let (path, home) = (dist.join(&name), world.path("home"));
    let good = fs::read(&path).expect("the archive");
    let mut bad = good.clone();
    let middle = bad.len() / 2;
    bad[middle] ^= 1;
    fs::write(&path, &bad).expect("written");
    let refused = install(&world, &dist, &[]).code(1);
    assert!(refused.stderr.contains("is not what SHA256SUMS says"), "{refused}");
    fs::write(&path, &good[..middle]).expect("written");
    assert!(install(&world, &dist, &[]).code(1).stderr.contains("is not what SHA256SUMS says"));
    fs::write(&path, &good).expect("written");
    fs::write(dist.join("SHA256SUMS"), "").expect("written");
    assert!(install(&world, &dist, &[]).code(1).stderr.contains("says nothing of"));
    assert!(install(&world, Path::new("http://example.invalid/x"), &[]).code(1).stderr.contains("https://"));
    assert!(install(&world, &dist, &["--prefix", "here"]).code(1).stderr.contains("absolute"));
    assert!(install(&world, &dist, &["--prefixx", "/x"]).code(1).stderr.contains("unknown argument"));
    assert_eq!(below(&home), BTreeSet::new(), "nothing was installed");
}

#[test]
fn a_script_that_breaks_off_does_nothing() {
    let world = World::new();
    let script = text_of("packaging/install.sh");
    let lines: Vec<&str> = script.lines().collect();
    for cut in 1..lines.len() {
        let mut command = Command::new("sh");
        world.clean(&mut command);
        command.env("HOB_DOWNLOAD_BASE", world.path("tmp"));
        let said = run(&mut command, lines[..cut].join("\n").as_bytes());
        assert!(said.stdout.is_empty(), "after {cut} lines{said}");
    }
    assert_eq!(below(&world.path("home")), BTreeSet::new());
}

#[test]
fn the_same_programs_give_the_same_archive() {
    let world = World::new();
    let programs = programs(&world);
    let make = |out: &str| {
        let out = world.path(out);
        let made = run(release(&world, "tarball", &programs, &out).arg("--no-notices"), b"").success();
        fs::read(made.lines().next().expect("the archive")).expect("made")
    };
    let first = make("a");
    // The timestamps and owners of the packed files are not taken over.
    let later = std::time::SystemTime::now() + std::time::Duration::from_secs(100);
    let file = fs::File::options().append(true).open(programs.join("hobd")).expect("a copy");
    file.set_modified(later).expect("a time can be set");
    assert!(first == make("b"), "two archives of the same programs differ");
}
