//! Has `hobd` report on the settings, as a program that answers and ends.

use std::process::{Command, Stdio};

use hob_client::Settings;
use hob_proto::ClientKind;
use hob_proto::settings::{Report, SettingsRequest};

use crate::CommandFailure;

/// The argument that makes `hobd` report and end instead of being the daemon.
const WORD: &str = "report-settings";

/// Asks the `hobd` that this client would start for its report on the settings.
pub(super) fn ask_hobd(question: &SettingsRequest) -> Result<Report, CommandFailure> {
    let program = Settings::from_process_env(ClientKind::Cli)?.program;
    let path = program.path.as_ref().ok_or_else(|| {
        let looked: Vec<String> = program.looked.iter().map(|path| path.display().to_string()).collect();
        CommandFailure::Usage(format!(
            "there is no hobd, which knows the settings; looked for {}",
            looked.join(", ")
        ))
    })?;
    let failed = |why: &dyn std::fmt::Display| {
        CommandFailure::Daemon(format!("`{}` says nothing of the settings: {why}", path.display()))
    };
    let question = serde_json::to_string(question).map_err(|error| failed(&error))?;
    let mut command = Command::new(path);
    command
        .args(&program.args)
        .arg(WORD)
        .arg(question)
        .envs(program.env.iter().map(|(name, value)| (name, value)));
    let output = command.stdin(Stdio::null()).output().map_err(|error| failed(&error))?;
    if !output.status.success() {
        let said = String::from_utf8_lossy(&output.stderr);
        return Err(failed(&said.lines().next().unwrap_or("it failed")));
    }
    serde_json::from_slice(&output.stdout).map_err(|error| failed(&error))
}
