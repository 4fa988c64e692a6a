//! Finds the editors' folders of configuration on this machine, and the command by which they start `hob-lsp`.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use hob_client::program::file_name;

const PROGRAM: &str = "hob-lsp";

/// The folders and programs that the environment names.
pub(super) struct Surroundings {
    home: PathBuf,
    /// The folder `~/.config`, which most editors use.
    config: PathBuf,
    /// The command that starts `hob-lsp`; a bare name where the PATH finds it.
    command: String,
    /// The absolute path of the program, if it is known.
    program: Option<PathBuf>,
    /// The options for `hob-lsp`.
    options: Vec<String>,
}

impl Surroundings {
    /// Finds the folders and programs; `env` looks a variable up, `own` is the running program.
    ///
    /// # Errors
    /// The error when there is no home folder.
    pub(super) fn find(
        env: &dyn Fn(&str) -> Option<OsString>,
        own: Option<&Path>,
    ) -> Result<Self, &'static str> {
        let folder = |name| env(name).map(PathBuf::from).filter(|path| path.is_absolute());
        let home = folder(if cfg!(windows) { "USERPROFILE" } else { "HOME" })
            .ok_or("no home folder is known for this user")?;
        let config = match cfg!(windows) {
            true => folder("APPDATA"),
            false => folder("XDG_CONFIG_HOME"),
        };
        let config = config.unwrap_or_else(|| home.join(".config"));
        let path = env("PATH").unwrap_or_default();
        let program = file_name(PROGRAM);
        let in_path = std::env::split_paths(&path).map(|dir| dir.join(&program)).find(|file| file.is_file());
        let beside = own.map(|own| own.with_file_name(&program)).filter(|file| file.is_file());
        let command = match (&in_path, &beside) {
            (None, Some(beside)) => beside.to_string_lossy().into_owned(),
            _ => PROGRAM.to_owned(),
        };
        Ok(Self { home, config, command, program: in_path.or(beside), options: Vec::new() })
    }

    /// Adds options for `hob-lsp`.
    pub(super) fn with_options(self, options: Vec<String>) -> Self {
        Self { options, ..self }
    }

    /// Returns the path of `rest` in the folder of configurations.
    pub(super) fn config_path(&self, rest: &str) -> PathBuf {
        self.config.join(rest)
    }

    /// Returns the path of `rest` in the home folder.
    pub(super) fn home_path(&self, rest: &str) -> PathBuf {
        self.home.join(rest)
    }

    /// Returns the command for `hob-lsp` in double quotes, as JSON, TOML, Lua and Lisp write it.
    pub(super) fn quoted_command(&self) -> String {
        quote_json(&self.command)
    }

    /// Returns the command and its options, each quoted as in `quoted_command`.
    pub(super) fn quoted_words(&self, between: &str) -> String {
        let options = self.options.iter().map(|option| quote_json(option));
        [self.quoted_command()].into_iter().chain(options).collect::<Vec<_>>().join(between)
    }

    /// Returns the options as a list in brackets, if there are any.
    pub(super) fn quoted_options(&self) -> Option<String> {
        let options: Vec<String> = self.options.iter().map(|option| quote_json(option)).collect();
        (!options.is_empty()).then(|| format!("[{}]", options.join(", ")))
    }

    /// Returns the command in Vim's single quotes.
    pub(super) fn vim_command(&self) -> String {
        quote_vim(&self.command)
    }

    /// Returns the options in Vim's single quotes, each behind a comma.
    pub(super) fn vim_options(&self) -> String {
        self.options.iter().map(|option| format!(", {}", quote_vim(option))).collect()
    }

    /// Returns the absolute path of `hob-lsp` in double quotes, or a path that has to be filled in.
    pub(super) fn quoted_program(&self) -> String {
        let program = self.program.as_deref().unwrap_or(Path::new("/path/to/hob-lsp"));
        quote_json(&program.to_string_lossy())
    }

    /// Returns true if `hob-lsp` is installed.
    pub(super) fn is_installed(&self) -> bool {
        self.program.is_some()
    }
}

/// Writes a text in double quotes, with the escapes of JSON, which TOML, Lua and Lisp share.
pub(super) fn quote_json(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

fn quote_vim(text: &str) -> String {
    format!("'{}'", text.replace('\'', "''"))
}

/// Joins texts in double quotes with a separator.
pub(super) fn list(texts: impl IntoIterator<Item = &'static str>, between: &str) -> String {
    texts.into_iter().map(quote_json).collect::<Vec<_>>().join(between)
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn a_program_on_the_path_is_called_by_its_name_and_one_beside_by_its_path() {
        let dir = tempfile::tempdir().expect("a folder");
        let (path, beside) = (dir.path().join("path"), dir.path().join("be \"side\""));
        for folder in [&path, &beside] {
            std::fs::create_dir(folder).expect("created");
            std::fs::write(folder.join(PROGRAM), "").expect("written");
        }
        let find = |with_path: bool, own: &Path| {
            let env = |name: &str| match name {
                "HOME" => Some("/home/x".into()),
                "PATH" => with_path.then(|| path.clone().into_os_string()),
                _ => None,
            };
            Surroundings::find(&env, Some(own)).expect("a home")
        };
        let at = find(true, &beside.join("hob"));
        assert_eq!(at.quoted_command(), "\"hob-lsp\"");
        assert_eq!(at.quoted_program(), quote_json(&path.join(PROGRAM).to_string_lossy()));
        let at = find(false, &beside.join("hob"));
        assert!(at.quoted_command().ends_with(r#"be \"side\"/hob-lsp""#), "{}", at.quoted_command());
        let at = find(false, Path::new("/nowhere/hob"));
        assert!(!at.is_installed());
        assert_eq!(at.config_path("x"), Path::new("/home/x/.config/x"));
    }
}
