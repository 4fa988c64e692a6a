//! Fetches language servers that no language's registry has from Debian's packages: gopls with Go, and rust-analyzer
//! with the sources of Rust's standard library.
//!
//! Nothing is installed: `apt-get` downloads packages into folders of the tests, where they are unpacked. Small scripts
//! with the paths of their parts start them. This needs no special rights and does not change the machine. The versions
//! are those that the release has now, because its security archive keeps no others.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

use crate::outside::prepared;
use crate::{Output, run};

/// The names of packages, with the parts of each that are unpacked. The rest is not needed and would only fill the
/// disk.
pub(crate) type Packages = &'static [(&'static str, &'static [&'static str])];

const PACKAGES: Packages = &[
    ("gopls", &["./usr/bin"]),
    ("golang-1.19-go", &["./usr/lib"]),
    ("golang-1.19-src", &["./usr/share/go-1.19/src"]),
    ("golang-github-spf13-pflag-dev", &["./usr/share/gocode"]),
    ("rust-web-analyzer", &["./usr/bin"]),
    ("rust-web-src", &["./usr/src/*/library"]),
];

const SECOND_GO_MODULE: Packages = &[("golang-github-google-go-cmp-dev", &["./usr/share/gocode"])];

/// The libraries that the packages above need. They are unpacked completely if the machine does not have them.
pub(crate) const LIBRARIES: &[&str] = &["./*"];

/// Returns a folder with `gopls` and `rust-analyzer`, for the `PATH`.
pub fn servers() -> &'static Path {
    static FOLDER: OnceLock<PathBuf> = OnceLock::new();
    FOLDER.get_or_init(|| unpacked().join("bin"))
}

/// Returns a folder with a `gopls` that finds no Go.
#[must_use]
pub fn gopls_alone() -> PathBuf {
    unpacked().join("root/usr/bin")
}

/// Returns the sources of Rust's standard library.
///
/// # Panics
///
/// Panics if the package has them in another place.
#[must_use]
pub fn rust_library() -> PathBuf {
    let sources = fs::read_dir(unpacked().join("root/usr/src")).expect("it was unpacked");
    let library = sources.flatten().map(|entry| entry.path().join("library"));
    library.into_iter().find(|path| path.join("core").is_dir()).expect("the package has the sources")
}

/// Returns the source of a Go module without dependencies.
#[must_use]
pub fn go_module() -> PathBuf {
    unpacked().join("root/usr/share/gocode/src/github.com/spf13/pflag")
}

/// Returns the source of a Go module of several packages, without dependencies.
#[must_use]
pub fn second_go_module() -> PathBuf {
    let pins = format!("{SECOND_GO_MODULE:?}");
    let folder = prepared("debian-go", &pins, |folder| fetch(folder, SECOND_GO_MODULE));
    folder.join("root/usr/share/gocode/src/github.com/google/go-cmp")
}

fn unpacked() -> &'static Path {
    static FOLDER: OnceLock<PathBuf> = OnceLock::new();
    FOLDER.get_or_init(|| {
        let pins: String = PACKAGES.iter().map(|(name, parts)| format!("{name} {parts:?}\n")).collect();
        prepared("debian", &pins, |folder| {
            fetch(folder, PACKAGES);
            write_scripts(&folder.join("bin"), &folder.join("root"));
        })
    })
}

/// Downloads packages, and those of their libraries that the machine lacks, and unpacks them into `root` in a folder.
///
/// # Panics
///
/// Panics if they cannot be downloaded.
pub(crate) fn fetch(folder: &Path, packages: Packages) {
    // The machine's own lists are used if they exist and are up to date.
    if download(folder, packages, Path::new("/var/lib/apt")).code != Some(0) {
        let own = folder.join("state");
        fs::create_dir_all(own.join("lists/partial")).expect("a folder can be made");
        install("Debian's lists of packages", apt(folder, &own).arg("update"));
        let fetched = download(folder, packages, &own);
        let names = packages.iter().map(|(name, _)| *name).collect::<Vec<_>>().join(", ");
        assert_eq!(
            fetched.code,
            Some(0),
            "the tests need {names} as Debian 12 has them, with its sources of security updates for Rust and Chromium; {} \
             has them not, or they cannot be reached{fetched}",
            release()
        );
        let _ = fs::remove_dir_all(own);
    }
    let root = folder.join("root");
    fs::create_dir(&root).expect("a folder can be made");
    for package in fs::read_dir(folder.join("cache/archives")).expect("it was filled").flatten() {
        if package.path().extension().is_some_and(|ending| ending == "deb") {
            unpack(&package.path(), packages, &root);
        }
    }
    let _ = fs::remove_dir_all(folder.join("cache"));
}

/// Returns an `apt-get` command with these lists that writes nothing outside of `folder`.
fn apt(folder: &Path, state: &Path) -> Command {
    let mut command = Command::new("apt-get");
    let set = |name: &str, value: &Path| format!("{name}={}", value.display());
    for option in [
        set("Dir::Cache", &folder.join("cache")),
        set("Dir::State", state),
        "Dir::State::status=/var/lib/dpkg/status".to_owned(),
        // Other processes' locks do not matter if nothing is installed. As root, apt-get would drop rights that it
        // needs for the folder.
        "Debug::NoLocking=1".to_owned(),
        "APT::Sandbox::User=".to_owned(),
    ] {
        command.args(["-o", &option]);
    }
    command
}

/// Returns the release that the machine reports.
fn release() -> String {
    let text = fs::read_to_string("/etc/os-release").unwrap_or_default();
    let name = text.lines().find_map(|line| line.strip_prefix("PRETTY_NAME="));
    name.unwrap_or("this system").trim_matches('"').to_owned()
}

fn download(folder: &Path, packages: Packages, state: &Path) -> Output {
    fs::create_dir_all(folder.join("cache/archives/partial")).expect("a folder can be made");
    let mut command = apt(folder, state);
    command.args([
        "install",
        "--download-only",
        "--reinstall",
        "--no-install-recommends",
        "--yes",
        "--quiet",
    ]);
    run(command.args(packages.iter().map(|(name, _)| name)), b"")
}

fn unpack(package: &Path, packages: Packages, root: &Path) {
    let name = package.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    let name = name.split('_').next().unwrap_or_default();
    let parts = packages.iter().find(|(known, _)| *known == name).map_or(LIBRARIES, |(_, parts)| *parts);
    let script = "dpkg-deb --fsys-tarfile \"$1\" | tar -x -C \"$2\" --wildcards \"${@:3}\"";
    let mut shell = Command::new("bash");
    shell.args(["-o", "pipefail", "-c", script, "unpack"]).arg(package).arg(root).args(parts);
    install("to unpack a Debian package", &mut shell);
}

fn write_scripts(bin: &Path, root: &Path) {
    fs::create_dir(bin).expect("a folder can be made");
    let root = root.display();
    let go = format!(
        "export GOROOT='{root}/usr/lib/go-1.19' PATH='{root}/usr/lib/go-1.19/bin':\"$PATH\" \
         GOPROXY=off CGO_ENABLED=0\nexec '{root}/usr/bin/gopls' \"$@\""
    );
    script(&bin.join("gopls"), &go);
    let libraries = format!("'{root}'/usr/lib/*-linux-gnu");
    let rust = format!(
        "for folder in {libraries}; do export LD_LIBRARY_PATH=\"$folder\"; done\n\
         exec '{root}/usr/bin/rust-analyzer' \"$@\""
    );
    script(&bin.join("rust-analyzer"), &rust);
}

fn install(what: &str, command: &mut Command) {
    let output = run(command, b"");
    assert_eq!(output.code, Some(0), "the tests need {what}, which could not be had{output}");
}

/// Writes a program that is a shell script.
///
/// # Panics
///
/// Panics if it cannot be written.
pub fn script(path: &Path, body: &str) {
    use std::os::unix::fs::PermissionsExt as _;
    fs::write(path, format!("#!/bin/sh\n{body}\n")).expect("a script can be written");
    fs::set_permissions(path, fs::Permissions::from_mode(0o755)).expect("just written");
}
