//! Checks the programs: whether all are there, belong together, and whether a shell would run this `hob`.
//!
//! Each runs with `--version`, which does nothing else. A program that does not end is ended.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use hob_client::program::{file_name, files_on_path};
use hob_proto::startup::DAEMON_PROGRAM_VAR;

use super::check::{Check, Finding};
use super::surroundings::Surroundings;

pub(super) const CHECKS: &[Check] = &[
    Check { name: "hob", run: check_own_program },
    Check { name: "hobd", run: |around| check_daemon_program(around).into_iter().collect() },
    Check {
        name: "hob-mcp",
        run: |around| vec![check_shim(around, "hob-mcp", "agents cannot use hob", true)],
    },
    Check {
        name: "hob-lsp",
        run: |around| vec![check_shim(around, "hob-lsp", "editors cannot use hob", false)],
    },
    Check { name: "path", run: path },
];

/// The longest time that a program may take to print its version.
const VERSION_WITHIN: Duration = Duration::from_secs(10);
const VERSION: &str = env!("CARGO_PKG_VERSION");
const INSTALL: &str = "install hob again, so that its programs lie in one folder";

fn check_own_program(around: &Surroundings) -> Vec<Finding> {
    let place = around.own.as_ref().map(|own| format!(": {}", own.display())).unwrap_or_default();
    vec![Finding::ok(format!("hob {VERSION}{place}"))]
}

fn check_daemon_program(around: &Surroundings) -> Option<Finding> {
    let program = &around.settings.as_ref().ok()?.program;
    let set = std::env::var_os(DAEMON_PROGRAM_VAR).is_some_and(|value| !value.is_empty());
    let Some(path) = program.path.as_deref() else {
        let looked: Vec<String> =
            program.looked.iter().take(3).map(|path| path.display().to_string()).collect();
        let text = format!("hobd was not found, so nothing can be asked (looked at {})", looked.join(", "));
        return Some(
            Finding::problem(text).with_fix(format!("{INSTALL}, or set {DAEMON_PROGRAM_VAR} to hobd's path")),
        );
    };
    Some(match check_version("hobd", path) {
        found if found.fix.is_some() && set => {
            let text = format!("{} ({DAEMON_PROGRAM_VAR} names it)", found.text);
            Finding { text, ..found }
                .with_fix(format!("unset {DAEMON_PROGRAM_VAR}, or let it name a hobd that works"))
        }
        found if set => Finding::note(format!("{} ({DAEMON_PROGRAM_VAR} names it)", found.text))
            .with_fix(format!("unset {DAEMON_PROGRAM_VAR} if that is not wanted")),
        found => found,
    })
}

/// Checks a shim: it should lie beside this program, but one on the `PATH` works too.
fn check_shim(around: &Surroundings, name: &str, loss: &str, needed: bool) -> Finding {
    let own = own_folders(around);
    let missing = |text: String| if needed { Finding::problem(text) } else { Finding::warning(text) };
    if let Some(path) = own.iter().map(|folder| folder.join(file_name(name))).find(|path| path.is_file()) {
        return check_version(name, &path);
    }
    let here = own.first().map(|folder| folder.display().to_string()).unwrap_or_default();
    match on_path(name).first() {
        None => {
            missing(format!("{name} is not beside hob in {here}, nor on the PATH: {loss}")).with_fix(INSTALL)
        }
        Some(path) => match check_version(name, path) {
            found if found.fix.is_some() => found,
            found => Finding::note(format!("{} (not beside hob in {here})", found.text)).with_fix(INSTALL),
        },
    }
}

fn check_version(name: &str, path: &Path) -> Finding {
    let shown = path.display();
    match version_of(path) {
        Ok(version) if version == VERSION => Finding::ok(format!("{name} {version}: {shown}")),
        Ok(version) => Finding::warning(format!("{shown} is of version {version}, and hob of {VERSION}"))
            .with_fix(INSTALL),
        Err(why) => Finding::problem(format!("{shown} does not run: {why}")).with_fix(INSTALL),
    }
}

/// Checks the `hob` programs on the `PATH`: a shell runs the first.
fn path(around: &Surroundings) -> Vec<Finding> {
    let real = |path: &PathBuf| path.canonicalize().unwrap_or_else(|_| path.clone());
    let own = around.own.as_ref().map(real);
    let all = on_path("hob");
    let Some(first) = all.first() else {
        let folder =
            own_folders(around).first().map(|folder| folder.display().to_string()).unwrap_or_default();
        let fix = format!("add it in your shell's start file: export PATH=\"{folder}:$PATH\"");
        return vec![Finding::note(format!("the PATH has no hob; this one is in {folder}")).with_fix(fix)];
    };
    let mut findings = Vec::new();
    if own.as_ref() == Some(&real(first)) {
        findings.push(Finding::ok("a shell runs this hob"));
    } else {
        let mine = own.as_ref().map(|own| own.display().to_string()).unwrap_or_default();
        let text = format!("a shell runs another hob, {}, not {mine}", first.display());
        findings.push(Finding::warning(text).with_fix("remove one of them, or change their order in PATH"));
    }
    let mut others: Vec<PathBuf> = all.iter().skip(1).map(real).filter(|path| *path != real(first)).collect();
    others.dedup();
    for other in others {
        let version = version_of(&other)
            .map_or_else(|why| format!("which does not run: {why}"), |v| format!("version {v}"));
        let text = format!("there is another hob further down the PATH: {}, {version}", other.display());
        findings.push(Finding::note(text).with_fix(format!("remove {} if it is left over", other.display())));
    }
    findings
}

fn own_folders(around: &Surroundings) -> Vec<PathBuf> {
    let own = around.own.as_deref();
    let resolved = own.and_then(|own| own.canonicalize().ok());
    let folders = [own, resolved.as_deref()].into_iter().flatten().filter_map(Path::parent);
    let mut folders: Vec<PathBuf> = folders.map(Path::to_path_buf).collect();
    folders.dedup();
    folders
}

/// Lists every file of that name in the folders of the `PATH`.
fn on_path(program: &str) -> Vec<PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let mut files: Vec<PathBuf> = files_on_path(program, &path).collect();
    files.dedup();
    files
}

/// Returns the last word of the first line that it prints.
pub(super) fn version_of(program: &Path) -> Result<String, String> {
    let mut command = Command::new(program);
    command.arg("--version").stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null());
    let mut child = command.spawn().map_err(|error| error.to_string())?;
    let until = Instant::now() + VERSION_WITHIN;
    // The program prints one line, which a pipe holds; so waiting first is safe.
    let status = loop {
        match child.try_wait().map_err(|error| error.to_string())? {
            Some(status) => break status,
            None if Instant::now() < until => std::thread::sleep(Duration::from_millis(5)),
            None => {
                let _ = child.kill();
                let _ = child.wait();
                return Err("it does not answer --version".to_owned());
            }
        }
    };
    let mut said = String::new();
    if let Some(stdout) = child.stdout.take() {
        let _ = std::io::Read::read_to_string(&mut std::io::Read::take(stdout, 4096), &mut said);
    }
    let version = said.lines().next().and_then(|line| line.split_whitespace().last());
    match version {
        Some(version) if status.success() => Ok(version.to_owned()),
        _ if status.success() => Err("it says no version".to_owned()),
        _ => Err(format!("--version fails ({status})")),
    }
}
