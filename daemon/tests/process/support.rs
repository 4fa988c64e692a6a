//! A world of its own for every test: a `HOB_DIR`, the daemons started in it, and their end.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::{Arc, Condvar, Mutex, mpsc};
use std::thread::JoinHandle;
use std::time::Duration;

use hob_base::CancelToken;
use hob_calls::{CallAnswer, CallRequest, Calls, EditorClient, EditorSide, HeldUntilDone};
use hob_client::{Client, Connection, DaemonAnswer, Program, Reached, Settings, ToolRequest, connect};
use hob_daemon::lifecycle::{self, Options};
use hob_proto::places::Places;
use hob_proto::transport::{TransportReader, TransportWriter};
use hob_proto::{ClientKind, ClientMessage, ServerMessage, frame, transport};
use serde_json::{Map, Value};
use tempfile::TempDir;

/// Most looks at something that must come true in the end.
const LOOKS: usize = 3_000;
const BETWEEN_LOOKS: Duration = Duration::from_millis(10);

/// Waits until `look` sees something. Fails, saying what was waited for, when it never does.
pub(crate) async fn until<T>(what: &str, mut look: impl AsyncFnMut() -> Option<T>) -> T {
    for _ in 0..LOOKS {
        if let Some(seen) = look().await {
            return seen;
        }
        tokio::time::sleep(BETWEEN_LOOKS).await;
    }
    panic!("never seen: {what}");
}

/// One user's hob, in a temporary folder. Ends its daemon when dropped.
pub(crate) struct World {
    /// Kept for its lifetime.
    _temp: TempDir,
    pub(crate) hob_dir: PathBuf,
    pub(crate) places: Places,
    hobd: PathBuf,
    env: Vec<(String, String)>,
}

impl World {
    pub(crate) fn new() -> Self {
        Self::below("")
    }

    /// With the `HOB_DIR` further down.
    pub(crate) fn below(inner: &str) -> Self {
        let temp = tempfile::tempdir().expect("a temporary folder");
        let hob_dir = temp.path().join(inner).join("hob");
        let dir = hob_dir.clone();
        let env = move |name: &str| (name == "HOB_DIR").then(|| dir.clone().into());
        let places = Places::find(&env, &hob_proto::places::current_user()).expect("an absolute path");
        let hobd = PathBuf::from(env!("CARGO_BIN_EXE_hobd"));
        // A test that fails may leave clients behind that start a daemon once more; it ends soon.
        let env = vec![("HOB_IDLE_MINUTES".to_owned(), "1".to_owned())];
        Self { _temp: temp, hob_dir, places, hobd, env }
    }

    /// Daemons get this variable.
    pub(crate) fn env(mut self, name: &str, value: &str) -> Self {
        self.env.push((name.into(), value.into()));
        self
    }

    /// A client's settings, with this daemon program.
    pub(crate) fn settings_with(&self, hobd: &Path) -> Settings {
        let mut program = Program::at_path(hobd);
        program.env = self.env.iter().map(|(name, value)| (name.into(), value.into())).collect();
        program.env.push(("HOB_DIR".into(), self.hob_dir.clone().into()));
        Settings {
            places: self.places.clone(),
            kind: ClientKind::Cli,
            cwd: self._temp.path().to_path_buf(),
            program,
            patience: hob_client::Patience::default(),
            identity: "tests".to_owned(),
            edits: false,
            far: None,
        }
    }

    pub(crate) fn settings(&self) -> Settings {
        self.settings_with(&self.hobd)
    }

    pub(crate) fn client(&self) -> Client {
        Client::new(self.settings())
    }

    /// A copy of the daemon program whose file is `age` old.
    pub(crate) fn build_of_age(&self, age: Duration) -> PathBuf {
        let folder = self._temp.path().join(format!("build-{}", age.as_secs()));
        std::fs::create_dir(&folder).expect("a folder");
        let copy = folder.join("hobd");
        // By another process: a descriptor open for writing here would be inherited by a daemon that another test starts
        // in this moment, and then the copy could not be run.
        let copied = Command::new("cp").arg(&self.hobd).arg(&copy).status().expect("cp runs");
        assert!(copied.success());
        let modified = std::time::SystemTime::now() - age;
        File::open(&copy).and_then(|file| file.set_modified(modified)).expect("its date can be set");
        copy
    }

    /// A program to be started instead of the daemon.
    pub(crate) fn script(&self, text: &str) -> PathBuf {
        use std::io::Write as _;
        use std::os::unix::fs::PermissionsExt as _;
        let path = self._temp.path().join("script");
        let mut child = Command::new("sh")
            .args(["-c", "cat > \"$0\""])
            .arg(&path)
            .stdin(Stdio::piped())
            .spawn()
            .expect("sh runs");
        let script = format!("#!/bin/sh\n{text}\n");
        child.stdin.take().expect("a pipe").write_all(script.as_bytes()).expect("written");
        assert!(child.wait().expect("it ends").success());
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).expect("made executable");
        path
    }

    /// Everything the daemons have logged.
    pub(crate) fn log(&self) -> String {
        let files = std::fs::read_dir(self.places.logs_dir()).into_iter().flatten().filter_map(Result::ok);
        files.filter_map(|file| std::fs::read_to_string(file.path()).ok()).collect()
    }

    /// Returns the number of daemons that have ever come up.
    pub(crate) fn daemons_started(&self) -> usize {
        self.log().lines().filter(|line| line.contains(": ready ")).count()
    }

    /// Returns true if a daemon lives: somebody holds its lock.
    pub(crate) fn has_daemon(&self) -> bool {
        let Ok(file) = File::open(self.places.daemon_lock()) else { return false };
        file.try_lock().is_err()
    }

    /// A connection without a client library's help, after a proper greeting.
    pub(crate) async fn raw(&self) -> Raw {
        Raw::greet(self).await
    }
}

impl Drop for World {
    fn drop(&mut self) {
        let settings = self.settings();
        let stopping = std::thread::spawn(move || {
            let runtime =
                tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
            runtime.block_on(async {
                if let Ok(Reached::Serving(daemon)) = connect(&settings).await
                    && daemon.shutdown().is_ok()
                {
                    let _ = tokio::time::timeout(Duration::from_secs(20), daemon.wait_for_end()).await;
                }
            });
        });
        let _ = stopping.join();
        for _ in 0..500 {
            if !self.has_daemon() {
                return;
            }
            std::thread::sleep(BETWEEN_LOOKS);
        }
        let pid = pid_in(&self.places.daemon_lock()).filter(|pid| *pid != std::process::id());
        pid.into_iter().for_each(kill);
    }
}

/// The process id in a lock file.
pub(crate) fn pid_in(path: &Path) -> Option<u32> {
    std::fs::read_to_string(path).ok()?.trim().parse().ok()
}

/// Kills a process with `kill -9`.
pub(crate) fn kill(pid: u32) {
    let pid = i32::try_from(pid).ok().and_then(rustix::process::Pid::from_raw).expect("a process id");
    rustix::process::kill_process(pid, rustix::process::Signal::KILL).expect("it lives");
}

/// The call that does nothing.
pub(crate) fn noop() -> ToolRequest {
    ToolRequest::new("hob_noop", Map::new())
}

/// A call of a tool without arguments.
pub(crate) fn call_of(tool: &str) -> ToolRequest {
    ToolRequest::new(tool, Map::new())
}

/// Calls and insists on success.
pub(crate) async fn must(client: &Client, request: &ToolRequest) -> DaemonAnswer {
    let answer = client.call(request, None).await;
    assert!(answer.ok, "{}", answer.envelope);
    answer
}

/// The process that answers this client.
pub(crate) async fn pid_of(client: &Client) -> u32 {
    client.connection().await.expect("a daemon").server().pid
}

/// A connection as bytes and messages.
pub(crate) struct Raw {
    pub(crate) reader: TransportReader,
    pub(crate) writer: TransportWriter,
}

impl Raw {
    /// Connects and says nothing.
    pub(crate) async fn silent(world: &World) -> Self {
        let (reader, writer) = transport::connect(&world.places.socket).await.expect("a daemon").split();
        Self { reader, writer }
    }

    async fn greet(world: &World) -> Self {
        let mut raw = Self::silent(world).await;
        frame::write(&mut raw.writer, &world.settings().hello()).await.expect("written");
        let welcome: hob_proto::Welcome = frame::read(&mut raw.reader).await.expect("a welcome");
        assert!(matches!(welcome, hob_proto::Welcome::Accepted { .. }), "{welcome:?}");
        raw
    }

    pub(crate) async fn send(&mut self, message: &ClientMessage) {
        frame::write(&mut self.writer, message).await.expect("written");
    }

    pub(crate) async fn receive(&mut self) -> ServerMessage {
        frame::read(&mut self.reader).await.expect("a message")
    }

    /// The reason of the goodbye that must come next, followed by the end.
    pub(crate) async fn goodbye(mut self) -> (String, bool) {
        match self.receive().await {
            ServerMessage::Bye { reason, retry } => {
                let end = frame::read::<ServerMessage>(&mut self.reader).await;
                assert!(end.is_err(), "{end:?} after a goodbye");
                (reason, retry)
            }
            other => panic!("{other:?} instead of a goodbye"),
        }
    }
}

/// An editor's messages that nobody has dealt with yet.
#[derive(Default)]
pub(crate) struct Undone(Mutex<Vec<(String, HeldUntilDone)>>);

impl Undone {
    pub(crate) fn count(&self) -> usize {
        self.0.lock().expect("not poisoned").len()
    }

    /// Deals with the first, and says what it was.
    pub(crate) fn deal_with_one(&self) -> String {
        self.0.lock().expect("not poisoned").remove(0).0
    }
}

struct Slow(Arc<Undone>);

impl EditorSide for Slow {
    fn receive_message(&self, message: String, held: HeldUntilDone) {
        self.0.0.lock().expect("not poisoned").push((message, held));
    }
}

/// Tools whose doings a test can see and steer.
#[derive(Default)]
pub(crate) struct TestCalls {
    pub(crate) undone: Arc<Undone>,
    /// True if saving waits for [`TestCalls::open`].
    pub(crate) hangs_at_the_end: Mutex<bool>,
    /// `wait` answers once this is true.
    open: Mutex<bool>,
    opened: Condvar,
    /// The events that happened, in order.
    pub(crate) events: Mutex<Vec<String>>,
}

impl TestCalls {
    /// Lets every `wait` answer, now and later.
    pub(crate) fn open(&self) {
        *self.open.lock().expect("not poisoned") = true;
        self.opened.notify_all();
    }

    pub(crate) fn saw(&self, event: &str) -> usize {
        self.events.lock().expect("not poisoned").iter().filter(|seen| *seen == event).count()
    }

    /// Waits until something has happened so many times.
    pub(crate) async fn has_seen(&self, event: &str, times: usize) {
        until(&format!("{event} x {times}"), async || (self.saw(event) >= times).then_some(())).await;
    }

    fn note(&self, event: impl Into<String>) {
        self.events.lock().expect("not poisoned").push(event.into());
    }

    fn wait(&self, cancel: &CancelToken) -> CallAnswer {
        let mut open = self.open.lock().expect("not poisoned");
        while !*open && cancel.check().is_ok() {
            open = self.opened.wait_timeout(open, Duration::from_millis(5)).expect("not poisoned").0;
        }
        let said = if *open { "opened" } else { "stopped" };
        self.note(said);
        CallAnswer { ok: *open, envelope: said.into(), ask: None }
    }
}

impl Calls for TestCalls {
    fn call(&self, request: CallRequest) -> CallAnswer {
        self.note(request.tool.clone());
        let answer = |text: String| CallAnswer { ok: true, envelope: text, ask: None };
        match request.tool.as_str() {
            "wait" | "resolve_action" => self.wait(&request.cancel),
            "deaf" => {
                self.wait(&CancelToken::default());
                answer("opened".into())
            }
            "big" => answer("x".repeat(1 << 20)),
            "panic" => panic!("a tool panics"),
            "root" => answer(request.root.as_path().display().to_string()),
            "steps" => {
                let progress = request.progress.expect("progress was asked for");
                (1..=1_000).for_each(|step| progress(step, Some(1_000), "stepping"));
                answer(String::new())
            }
            other => answer(other.into()),
        }
    }

    fn serve_editor(&self, _client: EditorClient) -> Option<Box<dyn EditorSide>> {
        Some(Box::new(Slow(Arc::clone(&self.undone))))
    }

    fn status(&self) -> Map<String, Value> {
        Map::from_iter([("tools".to_owned(), Value::from("test"))])
    }

    fn is_busy(&self) -> bool {
        false
    }

    fn save_all(&self) {
        self.note("persist");
        if *self.hangs_at_the_end.lock().expect("not poisoned") {
            self.wait(&CancelToken::default());
        }
    }
}

/// A daemon inside the test process.
pub(crate) struct Inside {
    pub(crate) calls: Arc<TestCalls>,
    thread: Option<JoinHandle<()>>,
}

impl Inside {
    pub(crate) fn start(world: &World, options: Options) -> Self {
        let calls = Arc::new(TestCalls::default());
        let (places, tools) = (world.places.clone(), Arc::clone(&calls));
        // As if it were the program that clients would start: nobody has a reason to replace it.
        let options = Options { build: world.settings().build(), ..options };
        let (ready, is_ready) = mpsc::channel();
        let thread = std::thread::spawn(move || {
            let report = |readiness: &hob_proto::Readiness| ready.send(readiness.clone()).expect("awaited");
            lifecycle::run(&places, &options, |_| Ok(tools), &report).expect("it starts");
        });
        let readiness = is_ready.recv().expect("a report");
        assert!(matches!(readiness, hob_proto::Readiness::Ready { .. }), "{readiness:?}");
        Self { calls, thread: Some(thread) }
    }

    /// Waits for its end.
    pub(crate) async fn join(mut self) {
        let thread = self.thread.take().expect("joined once");
        tokio::task::spawn_blocking(|| thread.join()).await.expect("not cancelled").expect("no panic");
    }
}

/// A connection from the client library.
pub(crate) async fn connected(world: &World) -> Connection {
    match connect(&world.settings()).await.expect("reachable") {
        Reached::Serving(connection) => connection,
        other => panic!("{other:?} instead of a daemon"),
    }
}
