//! Checks the service: whether the installed one, if any, starts the daemon of this `hob`. Reads only the unit files.

use std::path::{Path, PathBuf};

use super::check::{Check, Finding};
use super::surroundings::Surroundings;

pub(super) const CHECKS: &[Check] = &[Check { name: "unit", run: check_unit }];

fn check_unit(around: &Surroundings) -> Vec<Finding> {
    let Some(file) = unit_file().filter(|file| file.is_file()) else {
        return vec![Finding::ok("hob is not installed as a service; clients start the daemon themselves")];
    };
    let text = match std::fs::read_to_string(&file) {
        Ok(text) => text,
        Err(error) => {
            let text = format!("the service's file, {}, cannot be read: {error}", file.display());
            return vec![Finding::problem(text).with_fix("hob service install")];
        }
    };
    let Some(program) = program_in_unit(&text) else {
        let text = format!("the service's file, {}, names no program", file.display());
        return vec![Finding::problem(text).with_fix("hob service install")];
    };
    vec![judge_unit(around, &file, Path::new(&program))]
}

fn judge_unit(around: &Surroundings, file: &Path, program: &Path) -> Finding {
    let (shown, named) = (file.display(), program.display());
    if !program.is_file() {
        let text = format!("the service starts {named}, which is not there ({shown})");
        return Finding::problem(text).with_fix("hob service install");
    }
    let ours = around
        .settings
        .as_ref()
        .ok()
        .and_then(|settings| settings.program.path.as_ref()?.canonicalize().ok());
    match ours {
        Some(ours) if program.canonicalize().ok().as_ref() != Some(&ours) => {
            let text =
                format!("the service starts {named}, and this hob would start {} ({shown})", ours.display());
            Finding::warning(text).with_fix("hob service install, to have the service start this one")
        }
        _ => Finding::ok(format!("the service starts {named} ({shown})")),
    }
}

/// Returns the service's file, on systems that have one: the user's own before those of a package.
pub(crate) fn unit_file() -> Option<PathBuf> {
    let home = std::env::home_dir()?;
    if cfg!(target_os = "macos") {
        return Some(home.join("Library/LaunchAgents/hob.hobd.plist"));
    }
    let set = std::env::var_os("XDG_CONFIG_HOME").map(PathBuf::from).filter(|path| path.is_absolute());
    let own = set.unwrap_or_else(|| home.join(".config")).join("systemd");
    let all = [own, "/etc/systemd".into(), "/usr/local/lib/systemd".into(), "/usr/lib/systemd".into()];
    let mut files = all.into_iter().map(|folder| folder.join("user/hobd.service"));
    files.find(|file| cfg!(unix) && file.is_file())
}

/// Returns the program of `ExecStart=`, or the first of launchd's `ProgramArguments`.
fn program_in_unit(text: &str) -> Option<String> {
    let by_systemd = text.lines().find_map(|line| line.trim().strip_prefix("ExecStart="));
    if let Some(line) = by_systemd {
        let line = line.trim_start_matches(['@', '-', ':', '+', '!']);
        let word = match line.strip_prefix('"') {
            Some(rest) => rest.split('"').next(),
            None => line.split_whitespace().next(),
        };
        return word.filter(|word| !word.is_empty()).map(|word| word.replace("%%", "%"));
    }
    let (_, arguments) = text.split_once("<key>ProgramArguments</key>")?;
    let (_, first) = arguments.split_once("<string>")?;
    first.split_once("</string>").map(|(program, _)| program.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_program_of_a_unit() {
        assert_eq!(
            program_in_unit("[Service]\nExecStart=/usr/bin/hobd --foreground\n").as_deref(),
            Some("/usr/bin/hobd")
        );
        assert_eq!(program_in_unit("ExecStart=-\"/home/a b/hobd\" x").as_deref(), Some("/home/a b/hobd"));
        let plist = "<key>ProgramArguments</key><array><string>/opt/hobd</string><string>x</string></array>";
        assert_eq!(program_in_unit(plist).as_deref(), Some("/opt/hobd"));
        assert_eq!(program_in_unit("[Service]\n"), None);
    }
}
