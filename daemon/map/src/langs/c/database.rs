//! Reads the include paths of a `compile_commands.json`.
//!
//! Keys: `include`, one for each folder in `-I`, `-isystem` or `-iquote` of any command, absolute, in order of
//! appearance; `sysroot`, one for each folder in which a command looks for the system's headers instead of the
//! machine's own. The facts do not say which file is compiled with which folders: these differ between the programs of
//! a project, seldom between its files.

use rustc_hash::FxHashSet;
use serde_json::Value;

use crate::facts::FactsBuilder;

/// Most folders that are recorded.
const MOST: usize = 400;

/// Flags that a folder follows, in the same word or the next.
const FLAGS: [&str; 4] = ["-isystem", "-iquote", "-idirafter", "-I"];

/// Flags that name the system's folder, in the same word or the next.
const SYSROOT_FLAGS: [&str; 3] = ["--sysroot=", "--sysroot", "-isysroot"];

/// Reads the folders in a `compile_commands.json` into facts.
pub fn compile_commands(text: &str, facts: &mut FactsBuilder) {
    let Ok(Value::Array(commands)) = serde_json::from_str(text) else { return };
    let mut seen = FxHashSet::default();
    for command in &commands {
        let directory = command["directory"].as_str().unwrap_or("");
        let words = command_words(command);
        for (key, flags) in [("include", FLAGS.as_slice()), ("sysroot", SYSROOT_FLAGS.as_slice())] {
            for folder in folders_after(&words, flags) {
                let folder = absolute_folder(directory, &folder);
                if seen.len() < MOST && seen.insert((key, folder.clone())) {
                    facts.add_manifest_pair(key, &folder);
                }
            }
        }
    }
}

/// Returns the words of a command: `arguments`, or `command` as a shell takes it apart.
fn command_words(command: &Value) -> Vec<String> {
    if let Some(list) = command["arguments"].as_array() {
        return list.iter().filter_map(Value::as_str).map(str::to_owned).collect();
    }
    let text = command["command"].as_str().unwrap_or("");
    // A quote without its end is a mistake of whoever wrote it, and no reason to lose the other words.
    let without_quotes = |word: &str| word.replace(['"', '\''], "");
    shlex::split(text).unwrap_or_else(|| text.split_whitespace().map(without_quotes).collect())
}

/// Returns the folders that follow one of these flags.
fn folders_after(words: &[String], flags: &[&str]) -> Vec<String> {
    let mut found = Vec::new();
    let mut words = words.iter();
    while let Some(word) = words.next() {
        let Some(rest) = flags.iter().find_map(|flag| word.strip_prefix(flag)) else { continue };
        let folder = if rest.is_empty() { words.next().map_or("", String::as_str) } else { rest };
        if !folder.is_empty() {
            found.push(folder.to_owned());
        }
    }
    found
}

/// Returns a folder as an absolute path, relative to the command's own, with `.` and `..` followed.
fn absolute_folder(directory: &str, folder: &str) -> String {
    let whole = if folder.starts_with('/') { folder.to_owned() } else { format!("{directory}/{folder}") };
    let mut parts: Vec<&str> = Vec::new();
    for part in whole.split('/') {
        match part {
            "" | "." => {}
            ".." => drop(parts.pop()),
            part => parts.push(part),
        }
    }
    parts.join("/")
}
