//! Reaches a daemon elsewhere: on another machine, in a container, in a distribution of WSL. That is the *far side*;
//! this one is the *near side*.
//!
//! The user's own `ssh`, `docker` or `wsl.exe` runs `hob proxy` there, whose standard streams are the connection:
//! nothing new listens, and the daemon sees a client of its own user. `args` has the options, `command` and `script`
//! the command lines, `greeting` the first line of the answer, `stream` the connection; `copy` sends the programs if
//! the user wants that. `paths` and `rewrite` translate paths between the sides. A lost connection is a lost daemon,
//! which `reconnect` survives.

mod address;
mod args;
mod command;
mod copy;
mod failure;
mod greeting;
mod host;
pub(crate) mod paths;
pub(crate) mod rewrite;
mod script;
mod stream;

use std::sync::Arc;
use std::time::Duration;

use hob_proto::Hello;

use crate::connect::{GreetedDaemon, exchange_greetings};
use crate::connection::Connection;
use crate::locks::Backoff;
use crate::settings::Settings;
use crate::unavailable::Unavailable;

pub use address::FarAddress;
pub use args::{FarArgs, FarMapping};
pub use failure::FarFailure;
pub use greeting::FarGreeting;
pub use host::FarHost;

use command::FarPrograms;
use paths::FarPaths;
use script::START;
use stream::FarStream;

/// Most connections in one call, when each daemon is on its way out.
const ATTEMPTS: u32 = 3;

/// Longest time for connecting, with a daemon that has to be started or replaced there.
const PATIENCE: Duration = Duration::from_secs(120);

/// A far side, with the user's options for it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FarSide {
    /// The place itself.
    pub host: FarHost,
    /// The project's path there, if the user named it.
    pub place: Option<String>,
    /// The project that another option names, as a path of either side.
    pub root: Option<String>,
    /// Folders of both sides; those of this side are absolute.
    pub maps: Vec<FarMapping>,
    /// True if the programs are to be copied where they are missing.
    pub copies: bool,
    programs: FarPrograms,
}

/// A far side after the search: a container by its ID, with the folder that is mounted into it.
struct FoundSide {
    host: FarHost,
    place: Option<String>,
    maps: Vec<FarMapping>,
    /// True if the user named the place.
    is_fixed: bool,
}

impl FarSide {
    /// Returns the greeting of hob there, without starting a daemon and without copying anything.
    ///
    /// # Errors
    /// [`Unavailable::Far`].
    pub async fn check_greeting(&self, settings: &Settings) -> Result<FarGreeting, Unavailable> {
        let found = self.find_side().await?;
        let (greeting, _) = self.open_stream(settings, &found, true).await?;
        Ok(greeting)
    }

    /// Connects to the daemon on the far side; hob there starts or replaces it as needed.
    ///
    /// # Errors
    /// [`Unavailable::Far`].
    pub(crate) async fn reach_daemon(&self, settings: &Settings) -> Result<Connection, Unavailable> {
        let mut backoff = Backoff::new(Duration::from_millis(50), Duration::from_secs(1));
        for _ in 0..ATTEMPTS {
            let found = self.find_side().await?;
            let (greeting, stream) = self.open_stream(settings, &found, false).await?;
            let paths = Arc::new(found.mapped_paths(&greeting));
            let hello = hello_for(settings, &greeting);
            let greeted = exchange_greetings(&hello, Box::new(stream.reader), Box::new(stream.writer)).await;
            match greeted
                .map_err(|problem| FarFailure::new(&self.host, format!("the daemon there {problem}")))?
            {
                GreetedDaemon::Accepting { mut server, reader, writer } => {
                    server.notice = self.version_notice(&server.build.version);
                    return Ok(Connection::start(server, reader, writer, Some(paths)));
                }
                GreetedDaemon::Refusing(refusal) => {
                    let problem =
                        format!("hob {} there refuses this one: {}", refusal.build.version, refusal.reason);
                    return Err(FarFailure::new(&self.host, problem).hint(install_hint()).into());
                }
                GreetedDaemon::Leaving => backoff.pause().await,
            }
        }
        Err(FarFailure::new(&self.host, "the daemon there ended while it was greeted, several times").into())
    }

    fn missing_hint(&self) -> String {
        match self.copies {
            true => "the first question copies it".to_owned(),
            false => format!("{} (docs/install.md), or let --copy-daemon copy it from here", install_hint()),
        }
    }

    /// Returns the notice about a daemon of another version.
    fn version_notice(&self, version: &str) -> Option<String> {
        let ours = env!("CARGO_PKG_VERSION");
        (version != ours)
            .then(|| format!("{} runs hob {version}, and this program is of hob {ours}", self.host))
    }

    async fn find_side(&self) -> Result<FoundSide, FarFailure> {
        let (mut host, mut place, mut maps) = (self.host.clone(), self.place.clone(), self.maps.clone());
        let is_fixed = place.is_some();
        if let FarHost::Devcontainer { folder } = &self.host {
            let found = host::find_devcontainer(&self.programs, folder).await?;
            host = found.host;
            if let Some((far, near)) = found.mount {
                place.get_or_insert_with(|| far.clone());
                maps.push(FarMapping { far: Some(far), near });
            }
        }
        Ok(FoundSide { host, place, maps, is_fixed })
    }

    /// Starts the proxy there, after copying the programs if that is wanted and needed.
    async fn open_stream(
        &self,
        settings: &Settings,
        found: &FoundSide,
        check: bool,
    ) -> Result<(FarGreeting, FarStream), FarFailure> {
        let mut has_copied = false;
        loop {
            let words = self.proxy_words(settings, found, check);
            let mut stream = FarStream::start(&found.host, &words)?;
            let greeting = stream.reader.read_greeting(PATIENCE).await?;
            match &greeting.missing {
                Some(machine) if self.copies && !has_copied && !check => {
                    has_copied = true;
                    copy::copy_programs(self, &found.host, settings, machine).await?;
                }
                Some(_) => {
                    return Err(FarFailure::new(&self.host, "hob is not there").hint(self.missing_hint()));
                }
                None => match greeting.error {
                    Some(error) => return Err(FarFailure::of_far_hob(&self.host, error)),
                    None => return Ok((greeting, stream)),
                },
            }
        }
    }

    fn proxy_words(&self, settings: &Settings, found: &FoundSide, check: bool) -> Vec<String> {
        let build = if self.copies { copy::build_name(settings) } else { None };
        let mut args = vec![build.unwrap_or_default()];
        args.extend(found.place_there(settings, self.root.as_deref()).map(|place| format!("--root={place}")));
        args.extend(found.maps.iter().filter_map(|map| Some(format!("--path={}", map.far.as_ref()?))));
        args.extend(check.then(|| "--check".to_owned()));
        self.programs.shell_words(&found.host, START, &args)
    }
}

impl FoundSide {
    /// Returns the project's path there: the one that the user named, else the mapped working directory, else the
    /// folder of another option, else the mounted folder.
    fn place_there(&self, settings: &Settings, root: Option<&str>) -> Option<String> {
        if self.is_fixed {
            return self.place.clone();
        }
        let pairs =
            self.maps.iter().filter_map(|map| Some((map.far.clone()?, map.near.to_str()?.to_owned())));
        let mapped = FarPaths::new(pairs.collect(), false).far_root(settings.cwd.to_str());
        mapped.or_else(|| root.map(str::to_owned)).or_else(|| self.place.clone())
    }

    /// Returns the folders of both sides, by the names that each side's daemon and programs use: also resolved from
    /// links here.
    fn mapped_paths(&self, greeting: &FarGreeting) -> FarPaths {
        let mut named = greeting.paths.iter();
        let mut pairs = Vec::new();
        for map in &self.maps {
            let far = if map.far.is_some() { named.next() } else { Some(&greeting.root) };
            let real = map.near.canonicalize().ok().filter(|real| *real != map.near);
            // The user's own path comes last, so that answers use it.
            for near in real.iter().chain([&map.near]) {
                pairs.extend(far.cloned().zip(near.to_str().map(str::to_owned)));
            }
        }
        FarPaths::new(pairs, self.is_fixed)
    }
}

/// Returns the greeting of this client for a daemon there. The date of a program means nothing on another machine.
fn hello_for(settings: &Settings, greeting: &FarGreeting) -> Hello {
    let mut hello = settings.hello();
    hello.build.stamp = 0;
    hello.cwd = greeting.root.clone();
    hello
}

pub(crate) fn install_hint() -> String {
    format!("install hob {} there", env!("CARGO_PKG_VERSION"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_name_a_near_folder_as_the_user_did() {
        let dir = tempfile::tempdir().expect("a folder");
        let real = dir.path().canonicalize().expect("there").join("real");
        std::fs::create_dir(&real).expect("made");
        let near = if cfg!(unix) { real.with_file_name("link") } else { real.clone() };
        #[cfg(unix)]
        std::os::unix::fs::symlink(&real, &near).expect("made");
        let found = FoundSide {
            host: FarHost::Ssh { host: "x".into() },
            place: None,
            maps: vec![FarMapping { far: None, near: near.clone() }],
            is_fixed: false,
        };
        let greeting = FarGreeting { root: "/srv/shop".into(), ..FarGreeting::default() };
        let paths = found.mapped_paths(&greeting);
        let text = |path: &std::path::Path| path.to_str().expect("text").to_owned();
        assert_eq!(paths.name_near("/srv/shop"), text(&near));
        for path in [near, real] {
            assert_eq!(paths.far_root(Some(&text(&path))).as_deref(), Some("/srv/shop"));
        }
    }
}
