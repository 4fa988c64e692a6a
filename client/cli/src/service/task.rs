//! Installs the service of Windows: a task of the scheduler that starts the daemon at log-on.
//!
//! It is no service of the system's, which would run as another user, or without the user's drives and programs. The
//! scheduler stores the task itself, so hob has no file; the task's name shows that it is hob's. Texts and argument
//! lists are tested everywhere; the commands have never been run.

use std::fs;
use std::path::{Path, PathBuf};

use hob_client::Settings;
use hob_client::autostart::let_nobody_start;
use serde_json::json;

use super::manager::Manager;
use super::unit::fill_version;
use super::{ServiceReport, escape};
use crate::CommandFailure;

const TEMPLATE: &str = include_str!("../../../../packaging/windows/hobd.xml");
const NAME: &str = "\\hob\\hobd";
const SCHTASKS: Manager = Manager { command: "schtasks", first: &[] };

/// The scheduled task of this user.
pub(super) struct Task<'a> {
    settings: &'a Settings,
    user: String,
}

impl<'a> Task<'a> {
    /// Finds the scheduler and the user by this process's environment.
    pub(super) fn of_process(settings: &'a Settings) -> Result<Self, CommandFailure> {
        let name = hob_proto::places::current_user();
        let user = match std::env::var("USERDOMAIN") {
            Ok(domain) => format!("{domain}\\{name}"),
            Err(_) => name,
        };
        Ok(Self { settings, user })
    }

    /// Registers the task, and runs it.
    pub(super) async fn install(&self, no_start: bool) -> Result<ServiceReport, CommandFailure> {
        let text = definition(&super::program_path(self.settings)?, &self.user);
        let file = self.settings.places.runtime.join("hobd-task.xml");
        files_folder(&file)?;
        fs::write(&file, utf16_with_mark(&text))?;
        let created = SCHTASKS.run(&create(&file.display().to_string()).each_ref().map(String::as_str));
        fs::remove_file(&file)?;
        created?;
        let started =
            if no_start { "it starts at the next log-on\n".to_owned() } else { self.take_over().await? };
        Ok(ServiceReport {
            text: format!("registered the task {NAME}\n{started}"),
            json: json!({"installed": true}),
        })
    }

    /// Runs the task in place of a daemon that clients started.
    pub(super) async fn start(&self) -> Result<ServiceReport, CommandFailure> {
        Ok(ServiceReport { text: self.take_over().await?, json: json!({"started": true}) })
    }

    async fn take_over(&self) -> Result<String, CommandFailure> {
        let nobody_starts = let_nobody_start(self.settings).await?;
        nobody_starts.retire_daemon(self.settings, "the service takes over").await?;
        SCHTASKS.run(&["/run", "/tn", NAME])?;
        Ok("the task runs\n".to_owned())
    }

    /// Ends the task's process.
    pub(super) fn stop(&self) -> Result<ServiceReport, CommandFailure> {
        SCHTASKS.run(&["/end", "/tn", NAME])?;
        let text = "ended the task; hob's programs start the daemon themselves until the next log-on\n";
        Ok(ServiceReport { text: text.to_owned(), json: json!({"stopped": true}) })
    }

    /// Ends and removes the task.
    pub(super) fn uninstall(&self) -> Result<ServiceReport, CommandFailure> {
        let text = match SCHTASKS.try_run(&["/query", "/tn", NAME]) {
            false => "the service is not installed\n".to_owned(),
            true => {
                SCHTASKS.try_run(&["/end", "/tn", NAME]);
                SCHTASKS.run(&["/delete", "/f", "/tn", NAME])?;
                format!("removed the task {NAME}\n")
            }
        };
        Ok(ServiceReport { text, json: json!({"installed": false}) })
    }

    /// Reports the scheduler's facts about the task.
    pub(super) fn status(&self) -> Result<ServiceReport, CommandFailure> {
        let said = SCHTASKS.run(&["/query", "/tn", NAME, "/fo", "LIST"]).ok();
        let text = match &said {
            Some(said) => format!("installed   yes, starts at log-on\n{}\n", said.trim()),
            None => "installed   no; `hob service install` does that\n".to_owned(),
        };
        Ok(ServiceReport { text, json: json!({"installed": said.is_some(), "scheduler": said}) })
    }
}

fn files_folder(file: &Path) -> Result<(), CommandFailure> {
    let folder: PathBuf = file.parent().map(Path::to_path_buf).unwrap_or_default();
    hob_proto::private_dir::ensure(&folder).map_err(|error| CommandFailure::Daemon(error.to_string()))
}

/// Returns the task's definition in the scheduler's XML.
fn definition(program: &str, user: &str) -> String {
    fill_version(TEMPLATE)
        .replace("@HOBD@", &escape::escape_xml(program))
        .replace("@USER@", &escape::escape_xml(user))
}

fn create(file: &str) -> [String; 6] {
    ["/create", "/f", "/tn", NAME, "/xml", file].map(str::to_owned)
}

/// Encodes XML for the scheduler: UTF-16 with a byte order mark.
fn utf16_with_mark(text: &str) -> Vec<u8> {
    std::iter::once(0xfeff).chain(text.encode_utf16()).flat_map(u16::to_le_bytes).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_task_starts_the_program_as_the_user() {
        let text = definition("C:\\Program Files\\R&D\\hobd.exe", "OFFICE\\jo");
        assert!(
            text.contains("<Arguments>--headless \"C:\\Program Files\\R&amp;D\\hobd.exe\"</Arguments>"),
            "{text}"
        );
        assert_eq!(text.matches("<UserId>OFFICE\\jo</UserId>").count(), 2, "{text}");
        assert!(!text.contains('@'), "{text}");
        assert_eq!(create("C:\\t.xml"), ["/create", "/f", "/tn", "\\hob\\hobd", "/xml", "C:\\t.xml"]);
    }

    #[test]
    fn the_scheduler_gets_two_bytes_for_each_character() {
        assert_eq!(utf16_with_mark("a\u{e9}"), [0xff, 0xfe, 0x61, 0, 0xe9, 0]);
    }
}
