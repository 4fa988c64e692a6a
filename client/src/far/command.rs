//! Builds the command lines that run a shell script on a far side: `ssh`, `docker exec`, `podman exec`, `wsl.exe`.
//!
//! The programs are the user's own, with the user's own configuration and keys. `HOB_SSH`, `HOB_DOCKER` and `HOB_WSL`
//! name others, with options, which come first; `ssh` uses the first value of an option. hob's options make `ssh` ask
//! nothing, since nobody could answer; forward nothing, so that no port opens on either side; become no master that
//! would outlive the shim; and notice a dead link within seconds.

use std::ffi::OsString;

use crate::program::files_on_path;

use super::host::FarHost;

/// The programs that reach far sides, each with options.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct FarPrograms {
    ssh: Vec<String>,
    docker: Vec<String>,
    wsl: Vec<String>,
}

impl FarPrograms {
    /// Finds the programs; `env` looks a variable up.
    pub(crate) fn from_env(env: &dyn Fn(&str) -> Option<OsString>) -> Self {
        let path = env("PATH").unwrap_or_default();
        let has_program = |name: &str| files_on_path(name, &path).next().is_some();
        let docker = if !has_program("docker") && has_program("podman") { "podman" } else { "docker" };
        let named = |variable: &str, usual: &str| {
            let words = env(variable).and_then(|text| text.into_string().ok()).map(|text| split_words(&text));
            words.filter(|words| !words.is_empty()).unwrap_or_else(|| vec![usual.to_owned()])
        };
        Self {
            ssh: named("HOB_SSH", "ssh"),
            docker: named("HOB_DOCKER", docker),
            wsl: named("HOB_WSL", "wsl.exe"),
        }
    }

    /// Returns the words that run Docker or Podman with these arguments.
    pub(crate) fn docker_words(&self, args: &[&str]) -> Vec<String> {
        self.docker.iter().cloned().chain(args.iter().map(|arg| (*arg).to_owned())).collect()
    }

    /// Returns the words that run a shell's script on `host`, with arguments.
    pub(crate) fn shell_words(&self, host: &FarHost, script: &str, args: &[String]) -> Vec<String> {
        let shell = ["sh", "-c", script, "hob"].map(str::to_owned).into_iter().chain(args.iter().cloned());
        let (program, options) = match host {
            FarHost::Ssh { host } => {
                let line: Vec<String> = shell.map(|word| quote_word(&word)).collect();
                let options = SSH_OPTIONS.iter().copied().chain(["--", host]).map(str::to_owned);
                return self.ssh.iter().cloned().chain(options).chain([line.join(" ")]).collect();
            }
            FarHost::Container { name, user } => {
                let user = user.iter().flat_map(|user| ["--user", user]);
                let options: Vec<&str> =
                    ["exec", "--interactive"].into_iter().chain(user).chain([&**name]).collect();
                (&self.docker, options)
            }
            FarHost::Devcontainer { .. } => (&self.docker, Vec::new()),
            FarHost::Wsl { name } => (&self.wsl, vec!["--distribution", name, "--cd", "~", "--exec"]),
        };
        program.iter().cloned().chain(options.into_iter().map(str::to_owned)).chain(shell).collect()
    }
}

const SSH_OPTIONS: &[&str] = &[
    // The far side gets no terminal, no agent and no display of this machine.
    "-T",
    "-a",
    "-x",
    "-o",
    "BatchMode=yes",
    "-o",
    "ConnectTimeout=10",
    "-o",
    "ServerAliveInterval=5",
    "-o",
    "ServerAliveCountMax=3",
    "-o",
    "ClearAllForwardings=yes",
    "-o",
    "RemoteCommand=none",
    "-o",
    "ControlMaster=no",
];

/// Quotes a word for any shell: within single quotes no character has a meaning.
pub(crate) fn quote_word(word: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "/._-+=:,@".contains(c);
    match !word.is_empty() && word.chars().all(is_plain) {
        true => word.to_owned(),
        false => format!("'{}'", word.replace('\'', r"'\''")),
    }
}

/// Splits a program with options at white space; quotes hold a word together.
fn split_words(text: &str) -> Vec<String> {
    let (mut words, mut word, mut quote) = (Vec::new(), None::<String>, None);
    for c in text.chars() {
        match (quote, c) {
            (Some(open), c) if c == open => quote = None,
            (None, '"' | '\'') => {
                quote = Some(c);
                word.get_or_insert_default();
            }
            (None, c) if c.is_whitespace() => words.extend(word.take()),
            (_, c) => word.get_or_insert_default().push(c),
        }
    }
    words.extend(word);
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    fn programs_named_by(variable: &str, value: &str) -> FarPrograms {
        FarPrograms::from_env(&|name| (name == variable).then(|| value.into()))
    }

    fn words(host: &FarHost, programs: &FarPrograms) -> Vec<String> {
        programs.shell_words(host, "exec \"$@\"", &["a b".into(), "it's".into()])
    }

    #[test]
    fn ssh_asks_nothing_and_its_one_line_is_quoted() {
        let host = FarHost::Ssh { host: "me@devbox".into() };
        let said = words(&host, &programs_named_by("HOB_SSH", "/opt/ssh -F '/my config' -p 2222"));
        assert_eq!(said[..5], ["/opt/ssh", "-F", "/my config", "-p", "2222"]);
        assert!(said.windows(2).any(|pair| pair == ["-o", "BatchMode=yes"]), "{said:?}");
        let end = said.len() - 3;
        let line = r#"sh -c 'exec "$@"' hob 'a b' 'it'\''s'"#;
        assert_eq!(said[end..], ["--", "me@devbox", line], "the host comes behind the end of options");
    }

    #[cfg(unix)]
    #[test]
    fn a_shell_reads_the_line_as_it_was_meant() {
        let odd = ["a b", "it's", "$(touch x)", "\"`", "", "a\\'b"].map(str::to_owned);
        let host = FarHost::Ssh { host: "x".into() };
        let said = programs_named_by("", "").shell_words(&host, "printf '<%s>' \"$@\"", &odd);
        let line = said.last().expect("a line");
        let output = std::process::Command::new("sh").args(["-c", line]).output().expect("a shell");
        let expected: String = odd.iter().map(|word| format!("<{word}>")).collect();
        assert_eq!(String::from_utf8_lossy(&output.stdout), expected);
    }

    #[test]
    fn containers_and_distributions_get_the_words_as_they_are() {
        let host = FarHost::Container { name: "web".into(), user: Some("node".into()) };
        let expected =
            ["podman", "--log-level=error", "exec", "--interactive", "--user", "node", "web", "sh", "-c"];
        assert_eq!(words(&host, &programs_named_by("HOB_DOCKER", "podman --log-level=error"))[..9], expected);
        let host = FarHost::Wsl { name: "Ubuntu-24.04".into() };
        let said = words(&host, &programs_named_by("", ""));
        assert_eq!(said[..6], ["wsl.exe", "--distribution", "Ubuntu-24.04", "--cd", "~", "--exec"]);
        assert_eq!(said[6..], ["sh", "-c", "exec \"$@\"", "hob", "a b", "it's"]);
    }
}
