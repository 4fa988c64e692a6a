//! Selects the variables of a shell's environment for the service, so that it finds the programs that the user's
//! programs find.
//!
//! A service manager's PATH has the system's folders and little else, and language servers mostly lie elsewhere. So
//! `hob service install` copies the PATH of its shell, with the variables that name toolchains and hob's own files.
//! Nothing else is copied: no keys, no proxies (which may hold a password), nothing of a session that ends before the
//! service does.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// Variables that are copied if they are set.
const TAKEN: &[&str] = &[
    "CARGO_HOME",
    "CPATH",
    "CPLUS_INCLUDE_PATH",
    "C_INCLUDE_PATH",
    "DOTNET_ROOT",
    "GOCACHE",
    "GOMODCACHE",
    "GOPATH",
    "GOROOT",
    "GRADLE_USER_HOME",
    "HOB_DIR",
    "HOB_IDLE_MINUTES",
    "HOB_LOG",
    "HOB_NO_TEXT_CACHE",
    "JAVA_HOME",
    "LANG",
    "MAVEN_OPTS",
    "NVM_DIR",
    "PYENV_ROOT",
    "RUSTUP_HOME",
    "XDG_CACHE_HOME",
    "XDG_CONFIG_HOME",
    "XDG_DATA_HOME",
    "XDG_STATE_HOME",
];

/// Returns the service's variables, PATH first. An error names the value that cannot be written into a service's file.
pub(super) fn service_variables(
    env: &dyn Fn(&str) -> Option<OsString>,
) -> Result<Vec<(String, String)>, String> {
    let mut found = Vec::new();
    if let Some(path) = env("PATH") {
        let folders = path_folders(&path).into_iter();
        let joined = std::env::join_paths(folders).map_err(|error| format!("PATH: {error}"))?;
        found.push(("PATH".to_owned(), text_of("PATH", &joined)?));
    }
    for name in TAKEN {
        if let Some(value) = env(name).filter(|value| !value.is_empty()) {
            found.push(((*name).to_owned(), text_of(name, &value)?));
        }
    }
    Ok(found)
}

/// Returns the folders of a PATH that mean the same from everywhere, each once.
pub(super) fn path_folders(path: &OsString) -> Vec<PathBuf> {
    let mut folders: Vec<PathBuf> = Vec::new();
    for folder in std::env::split_paths(path).filter(|folder| folder.is_absolute()) {
        if !folders.contains(&folder) {
            folders.push(folder);
        }
    }
    folders
}

/// Returns a path as text for a file of the service manager.
pub(super) fn path_text(what: &str, path: &Path) -> Result<String, String> {
    text_of(what, path.as_os_str())
}

fn text_of(what: &str, value: &std::ffi::OsStr) -> Result<String, String> {
    let text = value.to_str().filter(|text| !text.contains(|c: char| c.is_control()));
    text.map(str::to_owned).ok_or_else(|| {
        format!(
            "{what} ({}) has characters that a service's file cannot hold: expected text in UTF-8 without control characters",
            value.to_string_lossy().escape_debug()
        )
    })
}

/// Returns the permission bits that this shell denies new files, as `umask` prints them; `None` where the system does
/// not tell.
pub(super) fn umask() -> Option<u32> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("Umask:"))?;
    u32::from_str_radix(line.trim(), 8).ok()
}

/// The permission bits that new files are denied where the system does not tell.
pub(super) const USUAL_UMASK: u32 = 0o022;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_path_is_taken_over_and_secrets_are_not() {
        let env = |name: &str| match name {
            "PATH" => Some("/usr/bin:.:/opt/x y:/usr/bin:".into()),
            "GOPATH" => Some("/home/u/go".into()),
            "HTTPS_PROXY" | "API_KEY" => Some("secret".into()),
            _ => None,
        };
        let expected = [("PATH", "/usr/bin:/opt/x y"), ("GOPATH", "/home/u/go")];
        let expected = expected.map(|(name, value)| (name.to_owned(), value.to_owned()));
        assert_eq!(service_variables(&env), Ok(expected.to_vec()));
    }

    #[test]
    fn what_cannot_be_written_is_named() {
        let env = |name: &str| (name == "JAVA_HOME").then(|| "/a\nb".into());
        let error = service_variables(&env).expect_err("two lines");
        assert!(error.contains("JAVA_HOME") && error.contains("/a\\nb"), "{error}");
    }
}
