//! Makes a small project on disk with its map, for tests.

use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use hob_base::{AbsPath, CancelToken, WsPath};
use serde_json::{Value, json};
use tempfile::TempDir;

use super::{MapQuestion, answer_from_map};
use hob_host::{Freshness, Host, HostOptions, Phase, Workspace};

/// A project whose files are indexed.
pub(crate) struct TestProject {
    pub(crate) workspace: Arc<Workspace>,
    host: Host,
    tree: TempDir,
    _own: TempDir,
}

impl TestProject {
    /// Makes a project of these files.
    pub(crate) fn with_files(files: &[(&str, &str)]) -> Self {
        let (own, tree) = (TempDir::new().expect("a folder"), TempDir::new().expect("a folder"));
        fs::create_dir(tree.path().join(".git")).expect("the test's own folder");
        for (name, text) in files {
            let path = tree.path().join(name);
            fs::create_dir_all(path.parent().expect("it lies in the tree")).expect("the test's own folder");
            fs::write(path, text).expect("the test's own folder");
        }
        let host = test_host(own.path());
        let root = AbsPath::new(tree.path()).expect("absolute");
        let workspace = host.workspace(&root).expect("the tree is there");
        workspace.progress.wait_past(Phase::Map, &CancelToken::default(), &|_| {}).expect("nobody cancels");
        assert_eq!(workspace.barrier(true, Duration::from_secs(60)), Freshness::Fresh);
        Self { workspace, host, tree, _own: own }
    }

    /// Writes a file of the test's project.
    pub(crate) fn write(&self, name: &str, text: &str) {
        fs::write(self.tree.path().join(name), text).expect("the test's own folder");
    }

    /// Returns the answer about a document, with the editor's text of it or the disk's.
    pub(super) fn answer_for(&self, method: &str, name: &str, text: Option<&str>, params: &Value) -> Value {
        let path = WsPath::new(name).expect("a path");
        let cancel = CancelToken::default();
        let question =
            MapQuestion { workspace: &self.workspace, path: Some(&path), text, params, cancel: &cancel };
        answer_from_map(method, &question).expect("the map answers it")
    }

    /// Returns the answer at a mark: `§` stands before the place, in `text` or in the file on the disk.
    pub(super) fn at_mark(&self, method: &str, name: &str, marked: &str) -> Value {
        let before = marked.split('§').next().expect("a mark");
        let line = before.matches('\n').count();
        let character = before.rsplit('\n').next().unwrap_or_default().encode_utf16().count();
        let text = marked.replacen('§', "", 1);
        let disk = fs::read_to_string(self.tree.path().join(name)).ok();
        let text = Some(text.as_str()).filter(|text| disk.as_deref() != Some(text));
        let params = json!({
            "position": {"line": line, "character": character},
            "context": {"includeDeclaration": false},
        });
        self.answer_for(method, name, text, &params)
    }

    /// Writes locations as `file:line:first-last`, counted as in the protocol.
    pub(super) fn show_locations(&self, locations: &Value) -> Vec<String> {
        let root = format!("file://{}/", self.workspace.root());
        let figure = |at: &Value, path: &str| at.pointer(path).and_then(Value::as_u64).expect("a position");
        let one = |at: &Value| {
            let uri = at.pointer("/uri").and_then(Value::as_str).expect("a URI");
            let (line, first) = (figure(at, "/range/start/line"), figure(at, "/range/start/character"));
            let last = figure(at, "/range/end/character");
            format!("{}:{line}:{first}-{last}", uri.strip_prefix(&root).unwrap_or(uri))
        };
        locations.as_array().expect("locations").iter().map(one).collect()
    }
}

impl Drop for TestProject {
    fn drop(&mut self) {
        self.host.close();
    }
}

fn test_host(dir: &Path) -> Host {
    let options = HostOptions::in_folder(&AbsPath::new(dir).expect("absolute"));
    Host::new(options).expect("threads can be started")
}
