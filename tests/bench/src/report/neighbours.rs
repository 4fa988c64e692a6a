//! Installs the programs that a report compares hob with, in pinned versions, below the folder of `--fetch`.
//!
//! Each package has a folder of its own, so that one that cannot be installed leaves the others alone; the page says why
//! it is absent, and the report goes on. No script of a package of npm is run, and pip takes wheels with few exceptions: the
//! packages come from their registries and fetch nothing else. csearch has no package there, so it is looked for on the
//! `PATH`, as the row `index` does with ctags. This file measures nothing.

use std::ffi::OsString;
use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use super::figure::Absence;
use crate::rows::Failure;

/// The folder below that of `--fetch` that has the programs.
const FOLDER: &str = "programs";

/// The options with which pip takes wheels, so that no script of a package runs. Three have none in these versions:
/// ripgrep and fff, which cargo builds from crates.io, and a package that Serena needs, whose script only copies it.
const WHEELS: [&str; 4] = ["--only-binary", ":all:", "--no-binary", "ripgrep,fff-search,proxy_tools"];

/// The file that says that a package is whole.
const MARK: &str = "installed-by-hob-bench";

/// The library that codanna's build would download otherwise.
const ONNX_RUNTIME: &str = "onnxruntime==1.22.1";

/// The last lines of a package manager's complaints that a page shows.
const LAST_LINES: usize = 4;

/// A package manager.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum PackageManager {
    Pip,
    Npm,
    Cargo,
}

impl PackageManager {
    /// Returns the name of the registry.
    fn registry_name(self) -> &'static str {
        match self {
            Self::Pip => "PyPI",
            Self::Npm => "npm",
            Self::Cargo => "crates.io",
        }
    }
}

/// A program in a pinned version.
struct PinnedProgram {
    name: &'static str,
    version: &'static str,
    manager: PackageManager,
    /// The option of `hob-bench` that takes the program.
    option: &'static str,
    /// The value of the option, below the folder of the package.
    program: &'static str,
    /// The rows that use it. Without one of these, it is not installed.
    rows: &'static [&'static str],
}

const PROGRAMS: &[PinnedProgram] = &[
    PinnedProgram {
        name: "ripgrep",
        version: "15.1.0",
        manager: PackageManager::Pip,
        option: "--rg",
        program: "bin/rg",
        rows: &["questions", "regex", "idle", "save", "switch"],
    },
    PinnedProgram {
        name: "fff-search",
        version: "0.11.0",
        manager: PackageManager::Pip,
        option: "--fff",
        program: "bin/python",
        rows: &["regex"],
    },
    PinnedProgram {
        name: "serena-agent",
        version: "2.1.0",
        manager: PackageManager::Pip,
        option: "--serena",
        program: "bin/serena",
        rows: &["references"],
    },
    PinnedProgram {
        name: "cclsp",
        version: "0.7.0",
        manager: PackageManager::Npm,
        option: "--cclsp",
        program: "node_modules/.bin/cclsp",
        rows: &["references"],
    },
    // The language server of the rows that ask one.
    PinnedProgram {
        name: "pyright",
        version: "1.1.414",
        manager: PackageManager::Npm,
        option: "--path",
        program: "node_modules/.bin",
        rows: &["references"],
    },
    PinnedProgram {
        name: "@colbymchenry/codegraph",
        version: "1.6.1",
        manager: PackageManager::Npm,
        option: "--codegraph",
        program: "node_modules/.bin/codegraph",
        rows: &["save"],
    },
    PinnedProgram {
        name: "codanna",
        version: "0.16.0",
        manager: PackageManager::Cargo,
        option: "--codanna",
        program: "bin/codanna",
        rows: &["first-answer", "search", "clients", "save"],
    },
];

/// The programs of others that a report uses.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Neighbours {
    /// The options that name the programs, as `hob-bench` takes them.
    pub(crate) options: Vec<String>,
    /// The packages with their versions.
    pub(crate) versions: Vec<String>,
    pub(crate) absences: Vec<Absence>,
}

/// The circumstances of an installation.
pub(crate) struct Wishes<'a> {
    /// The folder of `--fetch`.
    pub(crate) folder: &'a Path,
    /// A Python with pip and venv.
    pub(crate) python: &'a str,
    pub(crate) rows: &'a [String],
    /// The options that the user gave, which win.
    pub(crate) given: &'a [String],
}

/// Installs the packages that the rows use and the user did not name, unless they are installed, and looks for csearch.
pub(crate) fn install_neighbours(wishes: &Wishes<'_>) -> Neighbours {
    let mut found = Neighbours::default();
    for package in PROGRAMS.iter().filter(|package| is_wanted(package.option, package.rows, wishes)) {
        match install_package(package, wishes) {
            Ok(program) => {
                found.options.extend([package.option.to_owned(), program.to_string_lossy().into_owned()]);
                found.versions.push(format!(
                    "{} {} ({})",
                    package.name,
                    package.version,
                    package.manager.registry_name()
                ));
            }
            Err(error) => {
                println!("{} {} cannot be installed: {error}", package.name, package.version);
                let what = format!("{} {}", package.name, package.version);
                let why = format!("it cannot be installed from {}: {error}", package.manager.registry_name());
                found.absences.push(Absence { row: package.rows.join(", "), what, why });
            }
        }
    }
    if is_wanted("--csearch", &["regex", "cost"], wishes)
        && let Some(program) = program_on(std::env::var_os("PATH").unwrap_or_default(), "csearch")
    {
        found.options.extend(["--csearch".to_owned(), program.to_string_lossy().into_owned()]);
    }
    found
}

fn is_wanted(option: &str, rows: &[&str], wishes: &Wishes<'_>) -> bool {
    !has_option(wishes.given, option) && wishes.rows.iter().any(|row| rows.contains(&row.as_str()))
}

/// Returns true if one of the words is the option, alone or with its value.
pub(crate) fn has_option(words: &[String], option: &str) -> bool {
    words
        .iter()
        .any(|word| word.strip_prefix(option).is_some_and(|rest| rest.is_empty() || rest.starts_with('=')))
}

/// Returns the program of a package, which is installed if it is not yet.
fn install_package(package: &PinnedProgram, wishes: &Wishes<'_>) -> Result<PathBuf, Failure> {
    let folder = wishes.folder.join(FOLDER).join(folder_of(package));
    let program = folder.join(package.program);
    if folder.join(MARK).is_file() && program.exists() {
        return Ok(program);
    }
    println!("installing {} {} from {}", package.name, package.version, package.manager.registry_name());
    // An interrupted installation may have left something.
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder)?;
    match package.manager {
        PackageManager::Pip => {
            run_installer(Command::new(wishes.python).args(["-m", "venv"]).arg(&folder))?;
            let pin = format!("{}=={}", package.name, package.version);
            run_installer(pip_command(&folder.join("bin/python"), "install").args(WHEELS).arg(pin))?;
        }
        PackageManager::Npm => {
            let mut npm = Command::new("npm");
            npm.args(["install", "--no-audit", "--no-fund", "--ignore-scripts", "--prefix"]).arg(&folder);
            run_installer(npm.arg(format!("{}@{}", package.name, package.version)))?;
        }
        PackageManager::Cargo => install_crate(package, &folder, wishes.python)?,
    }
    if !program.exists() {
        return Err(format!("the package has no {}", package.program).into());
    }
    fs::write(folder.join(MARK), "")?;
    Ok(program)
}

/// Builds a crate that uses the ONNX runtime, with the runtime from PyPI.
fn install_crate(package: &PinnedProgram, folder: &Path, python: &str) -> Result<(), Failure> {
    let runtime = folder.join("runtime");
    let mut wheel = pip_command(Path::new(python), "install");
    wheel.args(WHEELS).args(["--no-deps", ONNX_RUNTIME, "--target"]).arg(&runtime);
    run_installer(&mut wheel)?;
    let libraries = runtime.join("onnxruntime/capi");
    link_library(&libraries)?;
    let mut search = OsString::from("-Clink-arg=-Wl,-rpath,");
    search.push(&libraries);
    let mut cargo = Command::new("cargo");
    cargo.args(["install", "--quiet", "--locked", "--root"]).arg(folder);
    cargo.args(["--version", package.version, package.name]);
    cargo.env("ORT_LIB_LOCATION", &libraries).env("ORT_PREFER_DYNAMIC_LINK", "1");
    // A flag may contain blanks here. The program finds the library where it lay when it was built.
    run_installer(cargo.env("CARGO_ENCODED_RUSTFLAGS", search))
}

/// Gives the library in a folder of a wheel the names by which a linker and a loader look for it.
fn link_library(folder: &Path) -> Result<(), Failure> {
    let entries = fs::read_dir(folder)?.flatten().map(|entry| entry.file_name());
    let library = entries.into_iter().find(|name| name.to_string_lossy().starts_with("libonnxruntime.so."));
    let library = library.ok_or("the wheel of the ONNX runtime has no shared library for this system")?;
    for name in ["libonnxruntime.so", "libonnxruntime.so.1"] {
        symlink(&library, folder.join(name))?;
    }
    Ok(())
}

/// Returns a command of pip.
pub(super) fn pip_command(python: &Path, task: &str) -> Command {
    let mut command = Command::new(python);
    command.args(["-m", "pip", task, "--quiet", "--disable-pip-version-check"]);
    command
}

/// Returns the name of the folder that has a package: its name without a scope, and its version.
fn folder_of(package: &PinnedProgram) -> String {
    let name = package.name.rsplit('/').next().unwrap_or(package.name);
    format!("{name}-{}", package.version)
}

/// Runs a program that fetches something.
///
/// # Errors
///
/// Fails if the program does not start or fails, with its last words, which name no folder of this machine.
pub(super) fn run_installer(command: &mut Command) -> Result<(), Failure> {
    let name = command.get_program().to_string_lossy().into_owned();
    let name = name.rsplit('/').next().unwrap_or(&name).to_owned();
    let out =
        command.stdin(Stdio::null()).output().map_err(|error| format!("{name} does not start: {error}"))?;
    match out.status.success() {
        true => Ok(()),
        false => Err(format!("{name} ended with {}: {}", out.status, last_words(&out.stderr)).into()),
    }
}

/// Returns the last lines of a program's complaints, without the folders of this machine.
fn last_words(stderr: &[u8]) -> String {
    let text = String::from_utf8_lossy(stderr);
    let lines: Vec<&str> = text.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    let last = lines.get(lines.len().saturating_sub(LAST_LINES)..).unwrap_or_default();
    let words = |line: &&str| line.split_whitespace().map(without_folder).collect::<Vec<_>>().join(" ");
    match last.is_empty() {
        true => "it said nothing".to_owned(),
        false => last.iter().map(words).collect::<Vec<_>>().join("; "),
    }
}

/// Returns a word with the last part alone of an absolute path in it. The slashes of a web address follow a colon.
fn without_folder(word: &str) -> String {
    let word = word.replace("file://", "");
    let of_path = |one: char| one.is_alphanumeric() || matches!(one, '.' | '_' | '-' | '~' | '/' | ':');
    let start = word.match_indices('/').map(|(at, _)| at).find(|&at| !word[..at].ends_with(of_path));
    let Some((before, path)) = start.map(|at| word.split_at(at)) else { return word };
    format!("{before}{}", path.rsplit('/').next().unwrap_or_default())
}

/// Returns the file of a program on a `PATH`.
fn program_on(path: OsString, name: &str) -> Option<PathBuf> {
    std::env::split_paths(&path).map(|folder| folder.join(name)).find(|program| program.is_file())
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::{
        FOLDER, MARK, Neighbours, PROGRAMS, Wishes, folder_of, has_option, install_neighbours, last_words,
        program_on,
    };

    fn owned_words(all: &[&str]) -> Vec<String> {
        all.iter().map(|word| (*word).to_owned()).collect()
    }

    /// Installs for a row without reaching any registry: the Python fails.
    fn install_offline(folder: &Path, rows: &[&str], given: &[&str]) -> Neighbours {
        let (rows, given) = (owned_words(rows), owned_words(given));
        install_neighbours(&Wishes { folder, python: "false", rows: &rows, given: &given })
    }

    #[test]
    fn a_program_that_cannot_be_installed_is_an_absence() {
        let folder = tempfile::tempdir().expect("a folder");
        let found = install_offline(folder.path(), &["regex"], &["--csearch", "x"]);
        assert_eq!(found.options, Vec::<String>::new());
        let told: Vec<(&str, &str)> =
            found.absences.iter().map(|absence| (absence.what.as_str(), absence.why.as_str())).collect();
        let why = "it cannot be installed from PyPI: false ended with exit status: 1: it said nothing";
        assert_eq!(told, [("ripgrep 15.1.0", why), ("fff-search 0.11.0", why)]);
        assert!(found.absences[0].row.contains("regex"));
    }

    #[test]
    fn an_installed_program_is_used_and_one_that_the_user_names_is_not_installed() {
        let folder = tempfile::tempdir().expect("a folder");
        let rg = folder.path().join(FOLDER).join(folder_of(&PROGRAMS[0]));
        std::fs::create_dir_all(rg.join("bin")).expect("a folder");
        std::fs::write(rg.join("bin/rg"), "").expect("written");
        std::fs::write(rg.join(MARK), "").expect("written");
        let found = install_offline(folder.path(), &["regex"], &["--fff=python3", "--csearch=x"]);
        assert_eq!(found.options, ["--rg", &rg.join("bin/rg").to_string_lossy()]);
        assert_eq!((found.versions, found.absences.len()), (owned_words(&["ripgrep 15.1.0 (PyPI)"]), 0));
        let found = install_offline(folder.path(), &["map"], &[]);
        assert_eq!(found, Neighbours::default(), "no row uses them");
    }

    #[test]
    fn half_an_installation_is_not_used() {
        let folder = tempfile::tempdir().expect("a folder");
        let rg = folder.path().join(FOLDER).join(folder_of(&PROGRAMS[0])).join("bin/rg");
        std::fs::create_dir_all(rg.parent().expect("a folder")).expect("a folder");
        std::fs::write(&rg, "").expect("written");
        let found = install_offline(folder.path(), &["questions"], &[]);
        assert_eq!((found.options.len(), found.absences.len()), (0, 1));
    }

    #[test]
    fn last_words_name_no_folder_of_the_machine() {
        assert_eq!(
            last_words(b"a\nb\n\nfatal: '/home/me/x/repo' is none\nsee (/tmp/log.txt) at https://a.example/b\n  end  \n"),
            "b; fatal: 'repo' is none; see (log.txt) at https://a.example/b; end"
        );
        assert_eq!(last_words(b"\n"), "it said nothing");
        assert_eq!(last_words(b"x\t/a/b file:///c/d --root=/e/f [/g/h] i/j"), "x b d --root=f [h] i/j");
    }

    #[test]
    fn an_option_is_found_with_and_without_its_value() {
        assert!(
            has_option(&owned_words(&["--rg", "x"]), "--rg") && has_option(&owned_words(&["--rg=x"]), "--rg")
        );
        assert!(!has_option(&owned_words(&["--rgx", "--r"]), "--rg"));
    }

    #[test]
    fn options_and_rows_of_the_table_exist() {
        let rows: Vec<&str> = crate::rows::names().collect();
        for package in PROGRAMS {
            assert!(package.rows.iter().all(|row| rows.contains(row)), "{}", package.name);
            let line = ["hob-bench", "--tree", "x", package.option, "y"];
            assert!(clap::Parser::try_parse_from(line).map(|_: crate::Args| ()).is_ok(), "{}", package.name);
        }
    }

    #[test]
    fn a_program_is_found_on_a_path() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = std::env::join_paths([Path::new("/nowhere"), folder.path()]).expect("a path");
        assert_eq!(program_on(path.clone(), "csearch"), None);
        std::fs::write(folder.path().join("csearch"), "").expect("written");
        assert_eq!(program_on(path, "csearch"), Some(folder.path().join("csearch")));
    }
}
