//! Installs the service of macOS: an agent of launchd that starts the daemon at log-on, and again after a crash.
//!
//! It uses no sockets of launchd's: only a call of launchd's own hands them over, and hob's programs start a missing
//! daemon themselves. So a daemon that clients started in place of an older one stays under their control until the
//! next log-on, and nothing fights over it. Texts and argument lists are tested everywhere; the commands have never
//! been run.

use std::path::{Path, PathBuf};

use hob_client::Settings;
use hob_client::autostart::let_nobody_start;
use serde_json::json;

use super::files::{self, FoundServiceFile};
use super::manager::Manager;
use super::unit::fill_version;
use super::{ServiceReport, escape, surroundings};
use crate::CommandFailure;

const TEMPLATE: &str = include_str!("../../../../packaging/launchd/hob.hobd.plist");
const LABEL: &str = "hob.hobd";
const LAUNCHCTL: Manager = Manager { command: "launchctl", first: &[] };

/// The launchd of this user, with hob's agent in it.
pub(super) struct Launchd<'a> {
    settings: &'a Settings,
    file: PathBuf,
    user: String,
}

impl<'a> Launchd<'a> {
    /// Finds launchd and its folder by this process's environment.
    pub(super) fn of_process(settings: &'a Settings) -> Result<Self, CommandFailure> {
        let Some(home) = std::env::home_dir() else {
            return Err(CommandFailure::Usage(
                "no home folder is known: set HOME to an absolute path".to_owned(),
            ));
        };
        let file = home.join("Library/LaunchAgents").join(format!("{LABEL}.plist"));
        Ok(Self { settings, file, user: hob_proto::places::current_user() })
    }

    /// Writes the agent, and starts it.
    pub(super) async fn install(&self, no_start: bool) -> Result<ServiceReport, CommandFailure> {
        match files::inspect_file(&self.file)? {
            FoundServiceFile::Nothing | FoundServiceFile::Ours(_) => {}
            _ => {
                let path = self.file.display();
                return Err(CommandFailure::Daemon(format!(
                    "{path} is not as hob writes it, and is left alone; move it away and install again"
                )));
            }
        }
        let umask = surroundings::umask().unwrap_or(surroundings::USUAL_UMASK);
        let text = agent_file_text(&super::program_path(self.settings)?, &super::process_variables()?, umask);
        let changed = files::write(&self.file, &text, 0)?;
        let started =
            if no_start { "it starts at the next log-on\n".to_owned() } else { self.take_over().await? };
        Ok(ServiceReport {
            text: format!("wrote {}\n{started}", self.file.display()),
            json: json!({"installed": true, "changed": changed}),
        })
    }

    /// Starts the service in place of a daemon that clients started.
    pub(super) async fn start(&self) -> Result<ServiceReport, CommandFailure> {
        Ok(ServiceReport { text: self.take_over().await?, json: json!({"started": true}) })
    }

    async fn take_over(&self) -> Result<String, CommandFailure> {
        let nobody_starts = let_nobody_start(self.settings).await?;
        // An agent that is not loaded needs no unloading.
        LAUNCHCTL.try_run(&as_refs(&bootout_args(&self.user)));
        nobody_starts.retire_daemon(self.settings, "the service takes over").await?;
        LAUNCHCTL.run(&as_refs(&bootstrap_args(&self.user, &self.file)))?;
        Ok("the service runs\n".to_owned())
    }

    /// Unloads the agent until the next log-on.
    pub(super) fn stop(&self) -> Result<ServiceReport, CommandFailure> {
        LAUNCHCTL.run(&as_refs(&bootout_args(&self.user)))?;
        let text = "stopped the service until the next log-on; until then hob's programs start the daemon themselves\n";
        Ok(ServiceReport { text: text.to_owned(), json: json!({"stopped": true}) })
    }

    /// Unloads and removes the agent.
    pub(super) fn uninstall(&self) -> Result<ServiceReport, CommandFailure> {
        LAUNCHCTL.try_run(&as_refs(&bootout_args(&self.user)));
        let told = files::remove(&self.file)?.describe(&self.file);
        let text = told.unwrap_or_else(|| "the service is not installed".to_owned()) + "\n";
        Ok(ServiceReport { text, json: json!({"installed": false}) })
    }

    /// Reports whether the agent is installed, and launchd's facts about it.
    pub(super) fn status(&self) -> Result<ServiceReport, CommandFailure> {
        let installed = matches!(
            files::inspect_file(&self.file)?,
            FoundServiceFile::Ours(_) | FoundServiceFile::Changed(_)
        );
        let said = LAUNCHCTL.run(&as_refs(&print(&self.user))).unwrap_or_default();
        let facts: Vec<&str> = said.lines().map(str::trim).filter(|line| is_telling(line)).collect();
        let text = format!("installed   {}\n{}\n", if installed { "yes" } else { "no" }, facts.join("\n"));
        Ok(ServiceReport { text, json: json!({"installed": installed, "launchd": facts}) })
    }
}

fn is_telling(line: &str) -> bool {
    ["state =", "pid =", "last exit code =", "program ="].iter().any(|start| line.starts_with(start))
}

/// Returns the text of the agent's file, without its mark.
fn agent_file_text(program: &str, variables: &[(String, String)], umask: u32) -> String {
    let entry = |(name, value): &(String, String)| {
        format!(
            "    <key>{}</key>\n    <string>{}</string>\n",
            escape::escape_xml(name),
            escape::escape_xml(value)
        )
    };
    let environment: String = variables.iter().map(entry).collect();
    fill_version(TEMPLATE)
        .replace("@HOBD@", &escape::escape_xml(program))
        .replace("@UMASK@", &umask.to_string())
        .replace("@ENVIRONMENT@\n", &environment)
}

fn bootstrap_args(user: &str, file: &Path) -> Vec<String> {
    vec!["bootstrap".to_owned(), format!("gui/{user}"), file.display().to_string()]
}

fn bootout_args(user: &str) -> Vec<String> {
    vec!["bootout".to_owned(), format!("gui/{user}/{LABEL}")]
}

fn print(user: &str) -> Vec<String> {
    vec!["print".to_owned(), format!("gui/{user}/{LABEL}")]
}

fn as_refs(args: &[String]) -> Vec<&str> {
    args.iter().map(String::as_str).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_agent_starts_the_program_with_the_users_path() {
        let variables = [("PATH".to_owned(), "/opt/<x> & y/bin".to_owned())];
        let text = agent_file_text("/Applications/My & hob/hobd", &variables, 0o022);
        assert!(
            text.contains(
                "<string>/Applications/My &amp; hob/hobd</string>\n    <string>--foreground</string>"
            ),
            "{text}"
        );
        assert!(text.contains("<key>PATH</key>\n    <string>/opt/&lt;x&gt; &amp; y/bin</string>"), "{text}");
        assert!(text.contains("<integer>18</integer>"), "the mask is a decimal number: {text}");
        assert_eq!(text.matches('@').count(), 2, "only the mark's place is left: {text}");
    }

    #[test]
    fn launchctl_is_asked_by_domain_and_label() {
        assert_eq!(
            bootstrap_args("501", Path::new("/x/hob.hobd.plist")),
            ["bootstrap", "gui/501", "/x/hob.hobd.plist"]
        );
        assert_eq!(bootout_args("501"), ["bootout", "gui/501/hob.hobd"]);
        assert_eq!(print("501"), ["print", "gui/501/hob.hobd"]);
    }
}
