//! Tests npm and PyPI: the packages are made of the programs, installed from local files without a network, and run.

use std::path::{Path, PathBuf};
use std::process::Command;

use hob_tests::{World, outside, run};

use super::{PROGRAMS, PROJECT, answers_mcp, programs, release, version};

/// Returns npm in the world's environment, without a network and with its own cache.
fn npm(world: &World) -> Command {
    let home = outside::node().parent().and_then(Path::parent).expect("node lies in bin");
    let mut command = Command::new(outside::node());
    with_node(world, &mut command);
    command.env("npm_config_cache", world.path("npm-cache")).env("npm_config_offline", "true");
    command.arg(home.join("lib/node_modules/npm/bin/npm-cli.js"));
    command
}

fn with_node(world: &World, command: &mut Command) {
    world.clean(command);
    let node = outside::node().parent().expect("node lies in bin").to_path_buf();
    let rest = std::env::var_os("PATH").unwrap_or_default();
    let path = std::env::join_paths([node].into_iter().chain(std::env::split_paths(&rest))).expect("plain");
    command.env("PATH", path);
}

/// Returns the folders of the two npm packages: the one for every platform, and the one for this platform.
fn staged(world: &World) -> Vec<String> {
    let made =
        run(release(world, "npm", &programs(world), &world.path("npm")).arg("--no-notices"), b"").success();
    made.lines().map(str::to_owned).collect()
}

/// Packs such a folder with `npm pack`, and returns the package.
fn packed(world: &World, folder: &str) -> PathBuf {
    let dist = world.path("dist");
    std::fs::create_dir_all(&dist).expect("a folder");
    let mut command = npm(world);
    command.args(["pack", "--silent", "--pack-destination"]).arg(&dist).arg(folder);
    dist.join(run(&mut command, b"").success().trim())
}

fn installed(world: &World, archives: &[PathBuf]) -> PathBuf {
    let place = world.path("place");
    std::fs::create_dir(&place).expect("a folder");
    std::fs::write(place.join("package.json"), "{\"private\":true}").expect("written");
    let mut command = npm(world);
    command.args(["install", "--no-audit", "--no-fund"]).args(archives).current_dir(&place);
    let _ = run(&mut command, b"").success();
    place.join("node_modules/.bin")
}

#[test]
fn npm_packages_install_without_a_network_and_run() {
    let world = World::new();
    let archives: Vec<PathBuf> = staged(&world).iter().map(|folder| packed(&world, folder)).collect();
    let bin = installed(&world, &archives);
    let start = |name: &str| {
        let mut command = Command::new(bin.join(name));
        with_node(&world, &mut command);
        command
    };
    for name in PROGRAMS {
        let said = run(start(name).arg("--version"), b"").success();
        assert_eq!(said.trim(), format!("{name} {}", version()));
    }
    let npx = {
        let mut command = npm(&world);
        command.args(["exec", "--", "hob", "--version"]).current_dir(world.path("place"));
        run(&mut command, b"").success()
    };
    assert_eq!(npx.trim(), format!("hob {}", version()));
    let tree = world.tree(PROJECT);
    let map = run(start("hob-code").arg("map").current_dir(tree.root()), b"").success();
    assert!(map.contains("answer"), "{map}");
    answers_mcp(start("hob-mcp").current_dir(tree.root()));
    answers_mcp(start("hob-code").arg("mcp").current_dir(tree.root()));
    // The exit code is that of the program.
    let refused = run(start("hob").args(["map", "--no-such-option"]), b"").code(2);
    assert!(refused.stderr.contains("--no-such-option"), "{refused}");
}

#[test]
fn the_launcher_says_what_is_missing() {
    let world = World::new();
    let launcher = packed(&world, &staged(&world)[0]);
    let bin = installed(&world, &[launcher]);
    let mut command = Command::new(bin.join("hob"));
    with_node(&world, &mut command);
    let said = run(command.arg("--version"), b"").code(2);
    assert!(said.stderr.contains("is not installed") && said.stderr.contains("--omit=optional"), "{said}");
}

#[test]
fn a_wheel_installs_without_a_network_and_runs() {
    let world = World::new();
    let made = run(release(&world, "wheel", &programs(&world), &world.path("dist")).arg("--no-notices"), b"")
        .success();
    let wheel = Path::new(made.trim());
    let name = wheel.file_name().expect("a file").to_string_lossy().into_owned();
    assert!(name.starts_with(&format!("hob_code-{}-py3-none-", version())), "{name}");
    let venv = world.path("venv");
    let python = |program: &Path| {
        let mut command = Command::new(program);
        world.clean(&mut command);
        command
    };
    let _ = run(python(outside::python()).args(["-m", "venv"]).arg(&venv), b"").success();
    let bin = venv.join("bin");
    let mut pip = python(&bin.join("python"));
    pip.args(["-m", "pip", "install", "--no-index", "--quiet", "--disable-pip-version-check"]).arg(wheel);
    let _ = run(&mut pip, b"").success();
    for name in PROGRAMS {
        let said = run(python(&bin.join(name)).arg("--version"), b"").success();
        assert_eq!(said.trim(), format!("{name} {}", version()));
    }
    let tree = world.tree(PROJECT);
    let map = run(python(&bin.join("hob-code")).arg("map").current_dir(tree.root()), b"").success();
    assert!(map.contains("answer"), "{map}");
    answers_mcp(python(&bin.join("hob-code")).arg("mcp").current_dir(tree.root()));
    // pip removes everything.
    let mut pip = python(&bin.join("python"));
    pip.args(["-m", "pip", "uninstall", "--yes", "--quiet", "--disable-pip-version-check", "hob-code"]);
    let _ = run(&mut pip, b"").success();
    assert!(PROGRAMS.iter().all(|name| !bin.join(name).exists()), "programs are left");
}
