//! Launching the scripted server.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use hob_base::{AbsPath, CancelToken, Deadline};
use hob_live::instance::{Instance, StartError};
use hob_live::overlay::ProjectOverlay;
use hob_live::process::{ServerCommand, scrubbed_environment};
use hob_live::spec::{Announce, Launch, ReadySignal, ServerSpec};
use serde_json::{Value, json};

pub(crate) fn fake_spec(ready: ReadySignal) -> ServerSpec {
    ServerSpec {
        name: "fake",
        files: &[("py", "python")],
        ready,
        announce: Announce::WatchedFiles,
        ..ServerSpec::cautious_defaults()
    }
}

pub(crate) fn fake_launch(ready: ReadySignal, script: &Value, root: &Path) -> Launch {
    Launch {
        spec: Arc::new(fake_spec(ready)),
        command: ServerCommand {
            program: env!("CARGO_BIN_EXE_fake-lsp").into(),
            args: vec![script.to_string().into()],
            env: scrubbed_environment(std::env::vars_os()),
            cwd: root.to_path_buf(),
        },
        root: AbsPath::new(root).expect("absolute"),
        options: json!({"fast": true}),
        settings: json!({"fake": {"level": 3}}),
        keep: None,
    }
}

pub(crate) fn start(ready: ReadySignal, script: &Value, root: &Path) -> Result<Instance, StartError> {
    start_it(fake_launch(ready, script, root), &within_millis(20_000))
}

/// Without a guard and without editors.
pub(crate) fn start_it(launch: Launch, cancel: &CancelToken) -> Result<Instance, StartError> {
    let view = Arc::new(ProjectOverlay::new(launch.root.clone()));
    Instance::start(launch, None, view, cancel)
}

pub(crate) fn within_millis(millis: u64) -> CancelToken {
    CancelToken::new(Deadline::after(Duration::from_millis(millis)))
}
