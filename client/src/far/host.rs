//! Names the far sides that hob can reach, and finds the development container of a folder.
//!
//! The tools that make development containers label each with `devcontainer.local_folder`, mount that folder into it,
//! and note the user who works in it. So hob needs only the folder.

use std::path::{Path, PathBuf};
use std::process::Stdio;

use serde_json::Value;
use tokio::process::Command;

use super::command::FarPrograms;
use super::failure::FarFailure;

/// A place where a daemon may run, outside this machine or isolated from it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FarHost {
    /// Another machine, reached by `ssh`.
    Ssh {
        /// `[USER@]HOST`, or an alias in the user's `~/.ssh/config`.
        host: String,
    },
    /// A running container of Docker or Podman.
    Container {
        /// The container's name or ID.
        name: String,
        /// The user in the container; `None` for the container's own choice.
        user: Option<String>,
    },
    /// The development container of a folder.
    Devcontainer {
        /// The folder on this machine, absolute.
        folder: PathBuf,
    },
    /// A distribution of the Windows Subsystem for Linux.
    Wsl {
        /// The distribution's name.
        name: String,
    },
}

impl std::fmt::Display for FarHost {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Ssh { host } => f.write_str(host),
            Self::Container { name, .. } => write!(f, "the container {name}"),
            Self::Devcontainer { folder } => write!(f, "the development container of {}", folder.display()),
            Self::Wsl { name } => write!(f, "the WSL distribution {name}"),
        }
    }
}

/// A running development container.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct FoundContainer {
    pub(crate) host: FarHost,
    /// The folder in the container and the same folder here, if it is mounted.
    pub(crate) mount: Option<(String, PathBuf)>,
}

/// Finds the development container of `folder`.
///
/// # Errors
/// [`FarFailure`] when none runs, or the question cannot be answered.
pub(crate) async fn find_devcontainer(
    programs: &FarPrograms,
    folder: &Path,
) -> Result<FoundContainer, FarFailure> {
    let host = FarHost::Devcontainer { folder: folder.to_path_buf() };
    let label = format!("label=devcontainer.local_folder={}", folder.display());
    let listed = output_of(&programs.docker_words(&["ps", "--quiet", "--filter", &label]), &host).await?;
    let Some(id) = listed.lines().map(str::trim).find(|line| !line.is_empty()) else {
        return Err(FarFailure::new(&host, "none is running")
            .hint("start it from your editor, or by `devcontainer up`"));
    };
    let described = output_of(&programs.docker_words(&["inspect", id]), &host).await?;
    Ok(describe_container(id, &described, folder))
}

fn describe_container(id: &str, described: &str, folder: &Path) -> FoundContainer {
    let described: Value = serde_json::from_str(described).unwrap_or_default();
    let container = &described[0];
    let mounts = container["Mounts"].as_array().into_iter().flatten();
    let holding = mounts.filter_map(|mount| {
        let (source, destination) = (mount["Source"].as_str()?, mount["Destination"].as_str()?);
        let below = folder.strip_prefix(source).ok()?.to_str()?;
        let place = if below.is_empty() { destination.to_owned() } else { format!("{destination}/{below}") };
        Some((source.len(), place))
    });
    // The innermost mount hides the others.
    let mount = holding.max_by_key(|(length, _)| *length).map(|(_, place)| (place, folder.to_path_buf()));
    let metadata = container["Config"]["Labels"]["devcontainer.metadata"].as_str().unwrap_or_default();
    let metadata: Value = serde_json::from_str(metadata).unwrap_or_default();
    let mut parts = metadata.as_array().into_iter().flatten().rev();
    let user = parts.find_map(|part| part["remoteUser"].as_str()).map(str::to_owned);
    FoundContainer { host: FarHost::Container { name: id.to_owned(), user }, mount }
}

async fn output_of(words: &[String], host: &FarHost) -> Result<String, FarFailure> {
    let (program, args) = words.split_first().ok_or_else(|| FarFailure::new(host, "no program is named"))?;
    let mut command = Command::new(program);
    let output = command.args(args).stdin(Stdio::null()).kill_on_drop(true).output().await;
    let output = output.map_err(|error| FarFailure::not_started(host, program, &error))?;
    if output.status.success() {
        return Ok(String::from_utf8_lossy(&output.stdout).into_owned());
    }
    let said = String::from_utf8_lossy(&output.stderr);
    Err(FarFailure::new(host, said.lines().last().unwrap_or("docker fails without a word")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_development_container_has_its_folder_and_its_user() {
        let described = r#"[{"Mounts": [{"Source": "/var/x", "Destination": "/x"},
            {"Source": "/home/me/shop", "Destination": "/workspaces/shop"}],
            "Config": {"Labels": {"devcontainer.metadata": "[{\"remoteUser\":\"root\"},{\"remoteUser\":\"vscode\"},{}]"}}}]"#;
        let found = describe_container("4f2", described, Path::new("/home/me/shop"));
        assert_eq!(found.host, FarHost::Container { name: "4f2".into(), user: Some("vscode".into()) });
        assert_eq!(found.mount, Some(("/workspaces/shop".into(), "/home/me/shop".into())));
        let inner = describe_container("4f2", described, Path::new("/home/me/shop/api"));
        assert_eq!(inner.mount.map(|(place, _)| place).as_deref(), Some("/workspaces/shop/api"));
        let bare = describe_container("4f2", "[]", Path::new("/home/me/shop"));
        assert_eq!(bare.host, FarHost::Container { name: "4f2".into(), user: None });
        assert_eq!(bare.mount, None);
    }
}
