//! Serves the far end of a connection from elsewhere: `hob proxy`, which a shim starts through `ssh`, `docker exec` or
//! `wsl.exe`.
//!
//! It reaches this user's daemon as every client does, starts it if needed, reports the result in one line, and then
//! copies bytes between its standard streams and the daemon's socket. So the shim shakes hands with the daemon itself,
//! and a user who may not connect here may not connect from elsewhere. It ends when either side does, and the
//! connection ends with it: the daemon sees a client go.

use std::path::{Path, PathBuf};

use hob_proto::transport::Stream;
use hob_proto::{ClientKind, ErrorCode, ToolError};
use tokio::io::{AsyncWrite, AsyncWriteExt as _};

use crate::autostart::reach_daemon;
use crate::connect::{is_running, open_stream};
use crate::far::FarGreeting;
use crate::pipes;
use crate::settings::Settings;
use crate::unavailable::Unavailable;

/// Most attempts to connect to a daemon that was there a moment ago.
const ATTEMPTS: u32 = 3;

/// The options of a near side, from the command line of `hob proxy`.
#[derive(Clone, Debug, Default)]
pub struct ProxyOptions {
    /// The project's folder or any path in it; `None` for the folder that the program was started in.
    pub root: Option<String>,
    /// Folders whose real paths the near side needs.
    pub paths: Vec<String>,
    /// True if only the greeting is to be sent, and no daemon started.
    pub check: bool,
}

/// Serves one client from elsewhere until either side has ended. Returns false if there is no daemon, which the client
/// has been told.
pub async fn serve_far_client(wishes: &ProxyOptions) -> bool {
    let mut output = pipes::open_output();
    let (greeting, stream) = match prepare(wishes).await {
        Ok((greeting, stream)) => (greeting, stream),
        Err(error) => (FarGreeting { error: Some(error), ..empty_greeting() }, None),
    };
    let failed = greeting.error.is_some();
    if send_line(&mut output, &greeting.to_line()).await.is_err() || failed {
        return false;
    }
    if let Some(stream) = stream {
        copy_bytes(stream, output).await;
    }
    true
}

fn empty_greeting() -> FarGreeting {
    FarGreeting { version: env!("CARGO_PKG_VERSION").to_owned(), ..FarGreeting::default() }
}

async fn prepare(wishes: &ProxyOptions) -> Result<(FarGreeting, Option<Stream>), ToolError> {
    let settings = Settings::from_process_env(ClientKind::Cli).map_err(|error| error.to_tool_error())?;
    let root = real_path(wishes.root.as_deref().unwrap_or("."), &settings.cwd)?;
    let paths = wishes.paths.iter().map(|path| real_path(path, &settings.cwd)).collect::<Result<_, _>>()?;
    let running = is_running(&settings).map_err(|error| error.to_tool_error())?;
    let greeting = FarGreeting { root, paths, running, ..empty_greeting() };
    if wishes.check {
        return Ok((greeting, None));
    }
    let stream = stream_to_daemon(&settings).await.map_err(|error| error.to_tool_error())?;
    Ok((greeting, Some(stream)))
}

/// Makes sure that a daemon of this program's build runs, and connects to it.
async fn stream_to_daemon(settings: &Settings) -> Result<Stream, Unavailable> {
    for _ in 0..ATTEMPTS {
        // The client has its own session; this one only starts or replaces the daemon.
        drop(reach_daemon(settings).await?);
        if let Some(stream) = open_stream(&settings.with_current_places()).await? {
            return Ok(stream);
        }
    }
    Err(Unavailable::NotAnswering {
        pid: None,
        problem: "ended as soon as it was there, several times".into(),
    })
}

/// Returns the absolute path, without links, of a path as a user writes it: with `~` from the home folder, else from
/// `cwd`.
fn real_path(said: &str, cwd: &Path) -> Result<String, ToolError> {
    let home = || std::env::var_os(if cfg!(windows) { "USERPROFILE" } else { "HOME" }).map(PathBuf::from);
    let path = match (said.strip_prefix('~'), home()) {
        (Some(""), Some(home)) => home,
        (Some(rest), Some(home)) if rest.starts_with('/') => home.join(rest.trim_start_matches('/')),
        _ => cwd.join(said),
    };
    let real = path.canonicalize().map_err(|error| {
        ToolError::new(ErrorCode::BadArgs, format!("there is no `{}` there: {error}", path.display()))
            .hint("name a folder that is there, as in HOST:PATH")
    })?;
    let text = real.to_str().map(str::to_owned);
    text.ok_or_else(|| ToolError::bad_args(format!("`{}` is no text", real.display())))
}

async fn send_line(output: &mut (impl AsyncWrite + Unpin), line: &str) -> std::io::Result<()> {
    output.write_all(line.as_bytes()).await?;
    output.flush().await
}

async fn copy_bytes(stream: Stream, mut output: impl AsyncWrite + Unpin) {
    let (mut from_daemon, mut to_daemon) = stream.split();
    let mut input = pipes::open_input();
    tokio::select! {
        // The daemon's last bytes are sent completely, even when the near side has gone silent.
        biased;
        _ = tokio::io::copy(&mut from_daemon, &mut output) => {}
        _ = tokio::io::copy(&mut input, &mut to_daemon) => {}
    }
    let _ = output.flush().await;
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn a_path_is_real_or_the_error_names_it() {
        let dir = tempfile::tempdir().expect("a folder");
        let real = dir.path().canonicalize().expect("there");
        std::fs::create_dir(real.join("shop")).expect("made");
        std::os::unix::fs::symlink(real.join("shop"), real.join("link")).expect("made");
        let shop = real.join("shop").to_str().expect("text").to_owned();
        for said in ["shop", "./link", &shop] {
            assert_eq!(real_path(said, &real).expect("there"), shop, "{said}");
        }
        let error = real_path("nowhere", &real).expect_err("missing");
        assert!(error.message.contains("nowhere"), "{error:?}");
    }
}
