//! Lists the daemon's threads, with their stacks where a debugger is installed.
//!
//! A debugger stops the daemon for a moment, so it runs only on request. Without one the system still reports what each
//! thread waits for.

use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Duration;

use tokio::process::Command;

/// Longest time that a debugger may take.
const DEBUGGER_WITHIN: Duration = Duration::from_secs(30);

/// Returns the threads of a process, one per line, followed by a debugger's output on their stacks.
pub(super) async fn daemon_stacks(pid: u32) -> String {
    let threads = thread_lines(&PathBuf::from(format!("/proc/{pid}/task")));
    let stacks = match debugger_command(pid) {
        Some(command) => debugger_output(command).await,
        None => "neither eu-stack nor gdb is on PATH, so there is no more than that".to_owned(),
    };
    format!("{threads}\n{stacks}")
}

/// Returns one line for each thread: its number, its name, its state, and what it waits for in the kernel.
fn thread_lines(tasks: &Path) -> String {
    let folders = std::fs::read_dir(tasks).into_iter().flatten().flatten().map(|entry| entry.path());
    let mut folders: Vec<PathBuf> = folders.collect();
    folders.sort();
    let said = |folder: &Path, file: &str| std::fs::read_to_string(folder.join(file)).unwrap_or_default();
    let line = |folder: &PathBuf| {
        let number = folder.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let status = said(folder, "status");
        let state = status.lines().find_map(|line| line.strip_prefix("State:")).unwrap_or("?").trim();
        format!("{number} {} {state} {}\n", said(folder, "comm").trim(), said(folder, "wchan").trim())
    };
    folders.iter().map(line).collect()
}

/// Returns a debugger's command that ignores the user's own files of the debugger, and downloads no symbols.
fn debugger_command(pid: u32) -> Option<Command> {
    let pid = pid.to_string();
    if let Some(program) = on_path("eu-stack") {
        let mut command = Command::new(program);
        command.args(["-p", &pid]);
        return Some(command);
    }
    let mut command = Command::new(on_path("gdb")?);
    command.args([
        "-nx",
        "-batch",
        "-iex",
        "set debuginfod enabled off",
        "-iex",
        "set print frame-arguments none",
        "-p",
        &pid,
    ]);
    command.args(["-ex", "thread apply all bt 40"]);
    Some(command)
}

fn on_path(program: &str) -> Option<PathBuf> {
    let folders = std::env::var_os("PATH")?;
    std::env::split_paths(&folders)
        .filter(|folder| folder.is_absolute())
        .map(|folder| folder.join(program))
        .find(|file| file.is_file())
}

async fn debugger_output(mut command: Command) -> String {
    command.env_remove("DEBUGINFOD_URLS").stdin(Stdio::null()).kill_on_drop(true);
    match tokio::time::timeout(DEBUGGER_WITHIN, command.output()).await {
        Ok(Ok(output)) => {
            let said = if output.stdout.is_empty() { output.stderr } else { output.stdout };
            String::from_utf8_lossy(&said).into_owned()
        }
        Ok(Err(error)) => format!("the debugger could not be run: {error}"),
        Err(_) => format!("the debugger did not end within {} s", DEBUGGER_WITHIN.as_secs()),
    }
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    #[test]
    fn every_thread_has_a_line() {
        let lines = thread_lines(Path::new("/proc/self/task"));
        let own = format!("{} ", std::process::id());
        assert!(lines.lines().any(|line| line.starts_with(&own)), "{lines}");
    }
}
