//! Defines the options for a daemon elsewhere, which both shims and `hob` have.

use std::path::{Component, Path, PathBuf};

use clap::Args;

use super::FarSide;
use super::address::{FarAddress, parse_host, parse_name};
use super::command::FarPrograms;
use super::host::FarHost;

const HEADING: &str = "Code elsewhere";

/// The options about a far side, as the user wrote them.
#[derive(Clone, Debug, Default, Args)]
pub struct FarArgs {
    /// Ask the hob on another machine, reached by your own `ssh`; PATH is the project there
    #[arg(long, global = true, hide_short_help = true, help_heading = HEADING, value_name = "HOST[:PATH]", value_parser = parse_host)]
    pub ssh: Option<FarAddress>,

    /// Ask the hob in a running container of Docker or Podman
    #[arg(long, global = true, hide_short_help = true, help_heading = HEADING, value_name = "[USER@]NAME[:PATH]", value_parser = parse_name)]
    pub container: Option<FarAddress>,

    /// Ask the hob in the development container of this folder
    #[arg(long, global = true, hide_short_help = true, help_heading = HEADING)]
    pub devcontainer: bool,

    /// Ask the hob in a distribution of the Windows Subsystem for Linux
    #[arg(long, global = true, hide_short_help = true, help_heading = HEADING, value_name = "DISTRO[:PATH]", value_parser = parse_name)]
    pub wsl: Option<FarAddress>,

    /// A folder there and the same folder here, for paths in both directions; without REMOTE, the project's; may be repeated
    #[arg(long = "map", global = true, hide_short_help = true, help_heading = HEADING, value_name = "[REMOTE=]LOCAL", value_parser = parse_mapping)]
    pub maps: Vec<FarMapping>,

    /// Copy `hob` and `hobd` there if this version is not there
    #[arg(long, global = true, hide_short_help = true, help_heading = HEADING)]
    pub copy_daemon: bool,
}

/// A folder of both sides, as the user wrote it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FarMapping {
    /// The folder there; `None` for the project's.
    pub far: Option<String>,
    /// The folder here.
    pub near: PathBuf,
}

fn parse_mapping(text: &str) -> Result<FarMapping, String> {
    let (far, near) = match text.split_once('=') {
        Some((far, near)) => (Some(far), near),
        None => (None, text),
    };
    if near.is_empty() || far.is_some_and(str::is_empty) {
        return Err("expected REMOTE=LOCAL or LOCAL".to_owned());
    }
    Ok(FarMapping { far: far.map(str::to_owned), near: near.into() })
}

impl FarArgs {
    /// Returns true if the user named a far side.
    #[must_use]
    pub fn are_given(&self) -> bool {
        self.ssh.is_some() || self.container.is_some() || self.devcontainer || self.wsl.is_some()
    }

    /// Returns the far side that the options name, with the programs of this environment; `None` for this machine. `root` is the
    /// project that another option names.
    ///
    /// # Errors
    /// A sentence about options that contradict each other.
    pub fn far_side(&self, root: Option<&Path>, cwd: &Path) -> Result<Option<FarSide>, String> {
        let named = [self.ssh.is_some(), self.container.is_some(), self.devcontainer, self.wsl.is_some()];
        match named.iter().filter(|is_named| **is_named).count() {
            0 if self.maps.is_empty() && !self.copy_daemon => return Ok(None),
            0 => {
                return Err(
                    "--map and --copy-daemon go with --ssh, --container, --devcontainer or --wsl".to_owned()
                );
            }
            1 => {}
            _ => return Err("name one of --ssh, --container, --devcontainer and --wsl".to_owned()),
        }
        let (host, place) = self.host_and_place(cwd);
        let root = root.map(|root| root.to_string_lossy().into_owned());
        if !self.devcontainer
            && place.is_none()
            && root.is_none()
            && self.maps.iter().any(|map| map.far.is_none())
        {
            return Err("--map without REMOTE needs the project's path there, as in HOST:PATH".to_owned());
        }
        let maps = self
            .maps
            .iter()
            .map(|map| FarMapping { near: absolute_path(&map.near, cwd), far: map.far.clone() });
        Ok(Some(FarSide {
            host,
            place,
            root,
            maps: maps.collect(),
            copies: self.copy_daemon,
            programs: FarPrograms::from_env(&|name| std::env::var_os(name)),
        }))
    }

    fn host_and_place(&self, cwd: &Path) -> (FarHost, Option<String>) {
        if let Some(FarAddress { name, place }) = self.ssh.clone() {
            return (FarHost::Ssh { host: name }, place);
        }
        if let Some(FarAddress { name, place }) = self.wsl.clone() {
            return (FarHost::Wsl { name }, place);
        }
        match self.container.clone() {
            Some(FarAddress { name, place }) => {
                let (user, name) = match name.split_once('@') {
                    Some((user, name)) => (Some(user.to_owned()), name.to_owned()),
                    None => (None, name),
                };
                (FarHost::Container { name, user }, place)
            }
            None => (FarHost::Devcontainer { folder: cwd.to_path_buf() }, None),
        }
    }

    /// Returns the options as arguments for another program of hob.
    #[must_use]
    pub fn to_words(&self) -> Vec<String> {
        let named = [("--ssh", &self.ssh), ("--container", &self.container), ("--wsl", &self.wsl)];
        let named = named
            .into_iter()
            .filter_map(|(option, address)| Some([option.to_owned(), address.as_ref()?.to_string()]));
        let mut words: Vec<String> = named.flatten().collect();
        words.extend(self.devcontainer.then(|| "--devcontainer".to_owned()));
        for FarMapping { far, near } in &self.maps {
            let far = far.as_ref().map(|far| format!("{far}=")).unwrap_or_default();
            words.extend(["--map".to_owned(), format!("{far}{}", near.display())]);
        }
        words.extend(self.copy_daemon.then(|| "--copy-daemon".to_owned()));
        words
    }
}

/// Returns a path of this side, absolute, without `.` and `..`.
fn absolute_path(path: &Path, cwd: &Path) -> PathBuf {
    let mut absolute = PathBuf::new();
    for component in cwd.join(path).components() {
        match component {
            Component::ParentDir => drop(absolute.pop()),
            component => absolute.push(component),
        }
    }
    absolute
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;

    #[derive(Parser)]
    struct Line {
        #[command(flatten)]
        far: FarArgs,
    }

    fn parse_line(words: &[&str]) -> FarArgs {
        Line::try_parse_from([&["x"], words].concat()).expect("valid").far
    }

    #[cfg(unix)]
    #[test]
    fn a_far_side_is_one_place_with_folders_of_this_side() {
        let side = |words: &[&str]| parse_line(words).far_side(None, Path::new("/home/me/shop"));
        assert_eq!(side(&[]).expect("valid"), None);
        let far = side(&["--ssh", "devbox:/srv/shop", "--map", ".", "--map", "/opt=../opt"])
            .expect("valid")
            .expect("one");
        assert_eq!(
            (far.host, far.place.as_deref()),
            (FarHost::Ssh { host: "devbox".into() }, Some("/srv/shop"))
        );
        let near: Vec<_> =
            far.maps.iter().map(|map| (map.far.as_deref(), map.near.to_str().expect("text"))).collect();
        assert_eq!(near, [(None, "/home/me/shop"), (Some("/opt"), "/home/me/opt")]);
        let far = side(&["--container", "node@web"]).expect("valid").expect("one");
        assert_eq!(far.host, FarHost::Container { name: "web".into(), user: Some("node".into()) });
        for bad in [
            &["--map", "/a=/b"][..],
            &["--copy-daemon"],
            &["--ssh", "a", "--wsl", "b"],
            &["--ssh", "a", "--map", "."],
        ] {
            assert!(side(bad).is_err(), "{bad:?}");
        }
        assert!(Line::try_parse_from(["x", "--ssh", "-oProxyCommand=x"]).is_err());
    }

    #[test]
    fn the_options_can_be_written_into_an_entry() {
        for words in [
            &["--ssh", "me@[::1]:/srv/shop", "--map", "/srv/shop=/home/me/shop", "--copy-daemon"][..],
            &["--devcontainer", "--map", "."],
            &[],
        ] {
            assert_eq!(parse_line(words).to_words(), words);
        }
    }
}
