//! Recognises the searches and readings among shell commands: `rg`, `grep`, `git grep`, `cat`, `sed -n`.
//!
//! Only commands that begin a pipeline count: `ps | grep x` searches no file. Quotes are parsed as far as agents use
//! them; a command that cannot be parsed counts as no search.

use std::path::Path;

/// The part of a shell command that hob can add facts to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum ShellAction {
    /// A search in files.
    Search {
        pattern: String,
        is_literal: bool,
        /// The only path that was searched, if there is exactly one.
        place: Option<String>,
    },
    /// A file that was printed, from a line on.
    Read { file: String, from: Option<u32> },
}

/// A recognised command, and the folder to which the command line changed before it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct ShellCommand {
    pub(super) folder: Option<String>,
    pub(super) action: ShellAction,
}

/// Options of grep and ripgrep with a value in the next word.
const WITH_VALUE: &[&str] = &[
    "-A",
    "-B",
    "-C",
    "-E",
    "-M",
    "-T",
    "-f",
    "-g",
    "-j",
    "-m",
    "-t",
    "--after-context",
    "--before-context",
    "--colors",
    "--context",
    "--context-separator",
    "--encoding",
    "--exclude",
    "--exclude-dir",
    "--file",
    "--glob",
    "--iglob",
    "--include",
    "--max-columns",
    "--max-count",
    "--max-depth",
    "--sort",
    "--threads",
    "--type",
    "--type-not",
];

/// Finds the first search or reading in a command line.
pub(super) fn recognize_command(line: &str) -> Option<ShellCommand> {
    let mut folder = None;
    for command in simple_commands(line, 0) {
        let words: Vec<&str> = command.words.iter().map(String::as_str).collect();
        let words = without_prefix(&words);
        let Some((program, args)) = words.split_first() else { continue };
        let program = Path::new(program).file_name().and_then(|name| name.to_str()).unwrap_or_default();
        if let ("cd", Some(to)) = (program, args.first()) {
            folder = Some((*to).to_owned());
            continue;
        }
        if command.is_piped {
            continue;
        }
        let action = match (program, args) {
            ("rg" | "grep" | "egrep" | "ag" | "ack", args) => search(args, false),
            ("fgrep", args) => search(args, true),
            ("git", args) => git_grep(args),
            ("cat" | "bat" | "less" | "nl" | "head", args) => read_whole(args),
            ("sed", args) => read_by_sed(args),
            _ => None,
        };
        if let Some(action) = action {
            return Some(ShellCommand { folder, action });
        }
    }
    None
}

/// A command without operators.
struct SimpleCommand {
    words: Vec<String>,
    /// True if its input is another command's output.
    is_piped: bool,
}

/// Splits a command line into simple commands, also that of `bash -lc LINE`.
fn simple_commands(line: &str, depth: usize) -> Vec<SimpleCommand> {
    let mut all = vec![SimpleCommand { words: Vec::new(), is_piped: false }];
    let mut word: Option<String> = None;
    let mut chars = line.chars().peekable();
    let end_word = |all: &mut Vec<SimpleCommand>, word: &mut Option<String>| {
        if let (Some(word), Some(command)) = (word.take(), all.last_mut()) {
            command.words.push(word);
        }
    };
    while let Some(c) = chars.next() {
        match c {
            '\'' => {
                let text = word.get_or_insert_default();
                text.extend(chars.by_ref().take_while(|c| *c != '\''));
            }
            '"' => {
                let text = word.get_or_insert_default();
                while let Some(inside) = chars.next() {
                    match inside {
                        '"' => break,
                        // Only these characters lose their backslash in double quotes.
                        '\\' if matches!(chars.peek(), Some('"' | '\\' | '$' | '`')) => {
                            text.extend(chars.next());
                        }
                        other => text.push(other),
                    }
                }
            }
            '\\' => word.get_or_insert_default().extend(chars.next().filter(|c| *c != '\n')),
            '|' | ';' | '\n' | '&' => {
                end_word(&mut all, &mut word);
                let is_double = c != '\n' && chars.next_if_eq(&c).is_some();
                all.push(SimpleCommand { words: Vec::new(), is_piped: c == '|' && !is_double });
            }
            // Redirections do not matter here: `2>/dev/null`, `2>&1`.
            '>' | '<' => {
                word = word.filter(|word| !word.bytes().all(|byte| byte.is_ascii_digit()));
                end_word(&mut all, &mut word);
                while chars.next_if(|c| matches!(c, '>' | '<' | '&' | ' ')).is_some() {}
                while chars.next_if(|c| !c.is_whitespace() && !matches!(c, '|' | ';' | '&')).is_some() {}
            }
            c if c.is_whitespace() => end_word(&mut all, &mut word),
            other => word.get_or_insert_default().push(other),
        }
    }
    end_word(&mut all, &mut word);
    all.into_iter().flat_map(|command| unwrapped(command, depth)).collect()
}

fn unwrapped(command: SimpleCommand, depth: usize) -> Vec<SimpleCommand> {
    let is_shell = command.words.first().is_some_and(|program| {
        let name = Path::new(program).file_name().and_then(|name| name.to_str());
        matches!(name, Some("bash" | "sh" | "zsh"))
    });
    let option = command.words.get(1).is_some_and(|word| word.starts_with('-') && word.ends_with('c'));
    match command.words.get(2) {
        Some(line) if is_shell && option && depth < 2 => simple_commands(line, depth + 1),
        _ => vec![command],
    }
}

/// Removes assignments, and programs that only run others.
fn without_prefix<'a>(words: &'a [&'a str]) -> &'a [&'a str] {
    let mut rest = words;
    while let Some((first, after)) = rest.split_first() {
        let is_assignment = first.split_once('=').is_some_and(|(name, _)| {
            !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
        });
        match *first {
            "command" | "sudo" | "time" | "env" | "(" | "{" => rest = after,
            "timeout" => rest = after.get(1..).unwrap_or_default(),
            _ if is_assignment => rest = after,
            _ => break,
        }
    }
    rest
}

fn git_grep(args: &[&str]) -> Option<ShellAction> {
    let at = args.iter().position(|arg| *arg == "grep")?;
    search(args.get(at + 1..)?, false)
}

fn search(args: &[&str], is_literal: bool) -> Option<ShellAction> {
    let (mut pattern, mut places, mut literal) = (None, Vec::new(), is_literal);
    let mut rest = args.iter();
    let mut options = true;
    while let Some(arg) = rest.next() {
        match *arg {
            "--" if options => options = false,
            "--files" | "--version" | "--help" if options => return None,
            "-e" | "--regexp" if options => pattern = pattern.or(rest.next().copied()),
            "-F" | "--fixed-strings" if options => literal = true,
            // grep's `-E` has no value; ripgrep's names an encoding, but agents do not use it.
            "-E" => {}
            option if options && WITH_VALUE.contains(&option) => drop(rest.next()),
            option if options && option.len() > 1 && option.starts_with('-') => {
                literal |= !option.starts_with("--") && option.contains('F');
            }
            word if pattern.is_none() => pattern = Some(word),
            word => places.push(word),
        }
    }
    let place = (places.len() == 1).then(|| places[0].to_owned());
    Some(ShellAction::Search { pattern: pattern?.to_owned(), is_literal: literal, place })
}

fn read_whole(args: &[&str]) -> Option<ShellAction> {
    let is_number = |arg: &&&str| arg.bytes().all(|byte| byte.is_ascii_digit());
    let mut files = args.iter().filter(|arg| !arg.starts_with('-')).filter(|arg| !is_number(arg));
    let file = (*files.next()?).to_owned();
    files.next().is_none().then_some(ShellAction::Read { file, from: None })
}

/// Parses `sed -n '120,180p' FILE`.
fn read_by_sed(args: &[&str]) -> Option<ShellAction> {
    let [option, script, file] = args else { return None };
    let first = script.split([',', 'p']).next()?.parse().ok();
    let is_print = *option == "-n" && script.ends_with('p');
    is_print.then(|| ShellAction::Read { file: (*file).to_owned(), from: first })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(line: &str, folder: Option<&str>, action: Option<ShellAction>) {
        let expected = action.map(|action| ShellCommand { folder: folder.map(str::to_owned), action });
        assert_eq!(recognize_command(line), expected, "{line}");
    }

    fn found(pattern: &str, place: Option<&str>) -> Option<ShellAction> {
        let (pattern, place) = (pattern.to_owned(), place.map(str::to_owned));
        Some(ShellAction::Search { pattern, is_literal: false, place })
    }

    fn read(file: &str, from: Option<u32>) -> Option<ShellAction> {
        Some(ShellAction::Read { file: file.to_owned(), from })
    }

    #[test]
    fn searches_are_recognised_as_agents_write_them() {
        check("rg -n refresh src", None, found("refresh", Some("src")));
        check("rg refresh", None, found("refresh", None));
        check(
            r#"grep -rn "def refresh(" --include='*.py' . | head -20"#,
            None,
            found("def refresh(", Some(".")),
        );
        check("cd /w && rg -g '*.rs' -A 3 'fn find' a b", Some("/w"), found("fn find", None));
        check(r#"bash -lc "rg -n 'x y' src""#, None, found("x y", Some("src")));
        check("git -C /w grep -n refresh -- src", None, found("refresh", Some("src")));
        check("LC_ALL=C /usr/bin/grep -e refresh a.py 2>/dev/null", None, found("refresh", Some("a.py")));
        check("grep -E 'a|b' x.py 2>&1", None, found("a|b", Some("x.py")));
        let literal = ShellAction::Search { pattern: "a.b(".into(), is_literal: true, place: None };
        check("rg -F 'a.b('", None, Some(literal));
    }

    #[test]
    fn readings_are_recognised() {
        check("cat src/a.py", None, read("src/a.py", None));
        check("sed -n '120,180p' src/a.py", None, read("src/a.py", Some(120)));
        check("head -n 40 src/a.py", None, read("src/a.py", None));
        check("nl -ba src/a.py | sed -n '1,20p'", None, read("src/a.py", None));
    }

    #[test]
    fn all_else_is_neither() {
        for line in [
            "",
            "ls",
            "ps aux | grep hob",
            "rg --files",
            "cargo test",
            "cat a b",
            "sed -i s/a/b/ x",
            "rg",
            "'",
            "\"",
            "\\",
            "cat",
            "sed -n p",
            "|",
            "&&",
            "grep -e",
            "bash -c",
            "git log",
            "cd",
        ] {
            check(line, None, None);
        }
    }
}
