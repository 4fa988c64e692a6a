//! Copies `hob` and `hobd` to a far side, if the user asked for that and they are missing there.
//!
//! They go into `~/.local/share/hob/copied/BUILD` and nowhere else, over the same kind of connection as calls. A
//! machine of another kind cannot run them, so it is refused before a byte is sent.

use std::path::{Path, PathBuf};
use std::process::Stdio;

use hob_proto::Build;
use tokio::process::Command;

use crate::program::file_name;
use crate::settings::Settings;

use super::FarSide;
use super::failure::FarFailure;
use super::host::FarHost;
use super::script::RECEIVE;

/// Returns the name of the build that this installation would copy; `None` where it has no daemon.
pub(crate) fn build_name(settings: &Settings) -> Option<String> {
    let build = Build::from_executable(settings.program.path.as_deref()?);
    Some(format!("{}-{:x}", build.version, build.stamp))
}

/// Copies the programs to a machine of the kind that `uname -sm` names.
///
/// # Errors
/// [`FarFailure`] when the machine is of another kind, a program is missing here, or the copy fails.
pub(crate) async fn copy_programs(
    far: &FarSide,
    host: &FarHost,
    settings: &Settings,
    machine: &str,
) -> Result<(), FarFailure> {
    if !is_same_kind(machine) {
        let ours = format!("{} {}", std::env::consts::OS, std::env::consts::ARCH);
        let problem = format!("hob is not there, and the programs here, of {ours}, do not run on {machine}");
        return Err(FarFailure::new(host, problem).hint(super::install_hint()));
    }
    let missing =
        || FarFailure::new(host, "`hob` and `hobd` are not beside this program, so they cannot be copied");
    let build = build_name(settings).ok_or_else(missing)?;
    for (name, path) in program_files(settings).ok_or_else(missing)? {
        let size = std::fs::metadata(&path).map_err(|error| copy_failure(host, &path, &error))?.len();
        let args = [build.clone(), name.to_owned(), size.to_string()];
        send_file(host, &far.programs.shell_words(host, RECEIVE, &args), &path).await?;
    }
    Ok(())
}

fn program_files(settings: &Settings) -> Option<[(&'static str, PathBuf); 2]> {
    let daemon = settings.program.path.clone()?.canonicalize().ok()?;
    let own = std::env::current_exe().ok()?.canonicalize().ok()?;
    let beside = [&own, &daemon].map(|program| program.with_file_name(file_name("hob")));
    let hob = beside.into_iter().find(|path| path.is_file())?;
    Some([("hobd", daemon), ("hob", hob)])
}

fn copy_failure(host: &FarHost, path: &Path, error: &std::io::Error) -> FarFailure {
    FarFailure::new(host, format!("cannot copy `{}`: {error}", path.display()))
}

async fn send_file(host: &FarHost, words: &[String], path: &Path) -> Result<(), FarFailure> {
    let file = std::fs::File::open(path).map_err(|error| copy_failure(host, path, &error))?;
    let (program, args) = words.split_first().ok_or_else(|| FarFailure::new(host, "no program is named"))?;
    let mut command = Command::new(program);
    command.args(args).stdin(Stdio::from(file)).kill_on_drop(true);
    let output = command.output().await.map_err(|error| FarFailure::not_started(host, program, &error))?;
    if output.status.success() {
        return Ok(());
    }
    let said = String::from_utf8_lossy(&output.stderr);
    let said = said.lines().last().unwrap_or("it ended without a word").replace(char::is_control, "");
    Err(FarFailure::new(host, format!("`{}` was not copied: {said}", path.display())))
}

fn is_same_kind(machine: &str) -> bool {
    let system = match std::env::consts::OS {
        "linux" => "Linux",
        "macos" => "Darwin",
        _ => return false,
    };
    let processors: &[&str] = match std::env::consts::ARCH {
        "x86_64" => &["x86_64", "amd64"],
        "aarch64" => &["aarch64", "arm64"],
        other => &[other],
    };
    machine.split_once(' ').is_some_and(|(name, processor)| name == system && processors.contains(&processor))
}
