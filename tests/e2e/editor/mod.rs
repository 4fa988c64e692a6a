//! Tests editors on `hob-lsp`: alone, together, and with agents.
//!
//! Most tests use a scripted server, which keeps the texts that it receives and complains about everything that a real
//! server would silently accept. Where the behaviour of the server matters, it is a real one.

mod declared;
mod fallback;
mod multiplex;
mod real;
mod restart;
mod routing;
mod scripted;
mod views;

use std::fs;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use hob_tests::{Editor, FOREVER, World, outside};
use serde_json::{Value, json};

use super::nav::path_with;
use super::nav_faults::{stand_in, starts};

/// A world whose server for Python is scripted.
struct Scripted {
    world: World,
    complaints: PathBuf,
    /// The file with every message that the server got, one per line.
    record: PathBuf,
}

impl Scripted {
    /// Makes a world whose server can do everything that the tests here ask for, and what `more` describes in addition.
    fn new(more: &Value) -> Self {
        let world = World::new();
        let bin = world.path("bin");
        fs::create_dir(&bin).expect("a folder");
        let (complaints, record) = (world.path("complaints"), world.path("record"));
        let mut script = json!({
            "complaints": complaints, "record": record,
            "capabilities": {
                "textDocumentSync": {"openClose": true, "change": 2, "save": {"includeText": false}},
                "definitionProvider": true, "hoverProvider": true, "referencesProvider": true,
                "completionProvider": {}, "executeCommandProvider": {"commands": ["fix"]},
            },
        });
        for (name, value) in more.as_object().into_iter().flatten() {
            script[name] = value.clone();
        }
        stand_in(&world, "ty", &[script]);
        let world = world.env("PATH", format!("{}:/usr/bin:/bin", bin.display()));
        Self { world, complaints, record }
    }

    /// Returns the messages of this method that the server got, in the order of arrival.
    fn got(&self, method: &str) -> Vec<Value> {
        let record = fs::read_to_string(&self.record).unwrap_or_default();
        // The last line may be incomplete.
        let all = record.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
        all.filter(|message| message["method"] == method)
            .map(|mut message| message["params"].take())
            .collect()
    }

    /// Returns how often the server was started.
    fn starts(&self) -> usize {
        starts(&self.world, "ty")
    }

    /// Checks that the server had no complaints.
    #[track_caller]
    fn without_complaints(&self) {
        let said = fs::read_to_string(&self.complaints).unwrap_or_default();
        assert_eq!(said, "", "the server complains\n{}", self.world.log());
    }
}

/// Returns a world in which pyright is the only server for Python.
fn with_pyright() -> World {
    let others = |folder: &&PathBuf| !folder.ends_with("venv/bin");
    let folders: Vec<PathBuf> = outside::servers().iter().filter(others).cloned().collect();
    World::new().env("PATH", path_with(&folders))
}

/// Returns the scripted server's copy of a document, with its version and text, or `null`. Repeats the question until
/// the server answers, because it may still be starting.
#[track_caller]
fn server_has(editor: &mut Editor, file: &str) -> Value {
    let mut answer = Err(Value::Null);
    until("the server says what it has", || {
        answer = editor.request("test/text", &editor.about(file));
        answer.is_ok()
    });
    answer.expect("it was waited for")
}

/// Waits until the server has this text of a document.
#[track_caller]
fn server_gets(editor: &mut Editor, file: &str, text: &str) {
    until(&format!("the server has {text:?}"), || server_has(editor, file)["text"] == text);
}

#[track_caller]
fn until(what: &str, mut holds: impl FnMut() -> bool) {
    let start = Instant::now();
    while !holds() {
        assert!(start.elapsed() < FOREVER, "never: {what}");
        std::thread::sleep(Duration::from_millis(10));
    }
}
