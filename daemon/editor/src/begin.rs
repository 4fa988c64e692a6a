//! Answers an editor's `initialize`: learns its folders and capabilities, and offers the capabilities of its servers.
//!
//! An editor is told once what it may ask, before it has opened anything. So hob starts the preferred servers of the
//! project now, and offers the editor their capabilities together with the map's. The editor's configuration names the
//! servers (`initializationOptions.hob.languages`), or else the files that mark projects do, or else the files in the
//! folder.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::mpsc::channel;
use std::thread;
use std::time::{Duration, Instant};

use hob_base::{AbsPath, CancelToken, Deadline};
use hob_live::catalogue;
use hob_live::instance::Instance;
use hob_live::uri;
use serde_json::{Value, json};

use super::editor_session::MessageKind;
use super::link::LinkKey;
use super::request::EditorRequest;
use super::shape::abilities::Abilities;
use super::shape::capabilities;
use super::shape::encoding::Encoding;
use super::{Phase, ServedEditor};

/// Most servers that are started before a document is opened.
const MOST_SERVERS: usize = 3;

/// Longest time for which `initialize` waits for servers. A slower one is used later, for the capabilities that were
/// offered without it.
const PATIENCE: Duration = Duration::from_secs(10);

/// Most names in a folder that are checked in order to find its languages.
const MOST_NAMES: usize = 2_000;

impl ServedEditor {
    pub(super) fn begin(&mut self, request: &EditorRequest) {
        let params = request.value();
        let abilities = Abilities::from_capabilities(&params["capabilities"]);
        let encoding = Encoding::choose_from(&abilities.encodings);
        self.editor_session.set_abilities(abilities, encoding);
        self.name = name_of(&params, self.client.pid);
        self.folders = workspace_folders(&params);
        let servers = self.running_servers(&params);
        let offered: Vec<Value> = servers.iter().map(|(_, server)| offered_capabilities(server)).collect();
        let offered: Vec<&Value> = offered.iter().collect();
        let (abilities, encoding) = self.editor_session.abilities_and_encoding();
        let capabilities = capabilities::for_editor(&offered, true, abilities, *encoding);
        self.pulls_itself = capabilities["diagnosticProvider"].is_object();
        self.editor_session.set_capabilities(capabilities.clone());
        let info = json!({"name": "hob", "version": env!("CARGO_PKG_VERSION")});
        self.phase = Phase::Served;
        self.editor_session
            .answer_request(&request.id, &json!({"capabilities": capabilities, "serverInfo": info}));
        self.begun = servers;
    }

    /// Starts the servers of the editor's projects, and returns those that are running in time.
    fn running_servers(&mut self, params: &Value) -> Vec<(LinkKey, Arc<Instance>)> {
        let languages = strings_of(&params["initializationOptions"]["hob"]["languages"]);
        let mut wanted: Vec<(AbsPath, String)> = Vec::new();
        for folder in self.folders.clone() {
            let Ok(workspace) = self.host.workspace(&folder) else { continue };
            let names = match languages.is_empty() {
                true => names_in(workspace.root()),
                false => languages.iter().filter_map(|language| name_for(language)).collect(),
            };
            wanted.extend(names.into_iter().map(|name| (workspace.root().clone(), name)));
        }
        wanted.truncate(MOST_SERVERS);
        self.start_all(wanted)
    }

    fn start_all(&self, wanted: Vec<(AbsPath, String)>) -> Vec<(LinkKey, Arc<Instance>)> {
        let until = Instant::now() + PATIENCE;
        let (started, all) = channel();
        let mut count = 0;
        for (at, (root, name)) in wanted.into_iter().enumerate() {
            let (Ok(workspace), Some(kind)) = (self.host.workspace(&root), kind_of(&name)) else { continue };
            let key = LinkKey { root, kind };
            let (host, started) = (Arc::clone(&self.host), started.clone());
            let start = move || {
                let cancel = CancelToken::new(Deadline::after(PATIENCE));
                let instance = host.live().running_instance(&workspace.project(), &name, &cancel);
                // The answer may have been sent without this server.
                let _ = started.send((at, key, instance));
            };
            count +=
                usize::from(thread::Builder::new().name("hob-editor-start".to_owned()).spawn(start).is_ok());
        }
        let mut servers = Vec::new();
        while count > 0
            && let Ok((at, key, instance)) = all.recv_timeout(until.saturating_duration_since(Instant::now()))
        {
            count -= 1;
            match instance {
                Ok(instance) => servers.push((at, key, instance)),
                Err(error) => self.editor_session.show_message(MessageKind::Log, &format!("hob: {error}")),
            }
        }
        servers.sort_by_key(|(at, ..)| *at);
        servers.into_iter().map(|(_, key, instance)| (key, instance)).collect()
    }
}

/// Returns a server's capabilities, with those that it has registered since its initialisation: an editor that comes
/// late learns all of them at once.
fn offered_capabilities(server: &Instance) -> Value {
    let registered = server.session().multiplexer.all_registrations();
    let registered =
        registered.iter().map(|one| (one["method"].as_str().unwrap_or_default(), &one["registerOptions"]));
    capabilities::with_registrations(server.capabilities(), registered)
}

impl ServedEditor {
    /// Attaches the started servers: the editor is initialised, and sends requests from now on.
    pub(super) fn attach_begun_servers(&mut self) {
        for (key, server) in std::mem::take(&mut self.begun) {
            self.attach_server(&key, server);
        }
    }
}

fn name_of(params: &Value, pid: u32) -> String {
    let name = params["clientInfo"]["name"].as_str().filter(|name| !name.is_empty());
    let pid = params["processId"].as_u64().unwrap_or_else(|| pid.into());
    name.map_or_else(
        || format!("an editor (process {pid})"),
        |name| format!("{} (process {pid})", name.chars().take(60).collect::<String>()),
    )
}

fn workspace_folders(params: &Value) -> Vec<AbsPath> {
    let listed = params["workspaceFolders"].as_array().into_iter().flatten();
    let mut folders: Vec<AbsPath> = listed.filter_map(|folder| path_of(&folder["uri"])).collect();
    if folders.is_empty() {
        let path = || AbsPath::new(params["rootPath"].as_str()?).ok();
        folders.extend(path_of(&params["rootUri"]).or_else(path));
    }
    folders
}

/// Returns the path of a `file:` URI.
pub(super) fn path_of(uri: &Value) -> Option<AbsPath> {
    uri::path_of(uri.as_str()?)
}

fn strings_of(list: &Value) -> Vec<String> {
    list.as_array().into_iter().flatten().filter_map(|one| one.as_str().map(str::to_owned)).collect()
}

/// Returns a file name of a language, by the protocol's identifier or an ending.
pub(super) fn name_for(language: &str) -> Option<String> {
    let files = catalogue::all_specs().iter().flat_map(|spec| spec.files);
    let found = files.into_iter().find(|(ending, known)| *known == language || *ending == language);
    found.map(|(ending, _)| format!("x.{ending}"))
}

/// Returns names of files, one for each kind of server that the project seems to need, the preferred one first.
fn names_in(root: &AbsPath) -> Vec<String> {
    let mut names = Vec::new();
    for spec in catalogue::all_specs() {
        let Some((ending, _)) = spec.files.first() else { continue };
        // Servers for data formats have no projects of their own.
        let marked = spec.markers.iter().any(|marker| root.as_path().join(marker).exists());
        if marked && !names.contains(&(spec.name, *ending)) {
            names.push((spec.name, *ending));
        }
    }
    let mut seen = BTreeSet::new();
    let marked: Vec<String> = names.iter().map(|(_, ending)| format!("x.{ending}")).collect();
    let mut distinct: Vec<String> = marked.into_iter().filter(|name| seen.insert(kind_of(name))).collect();
    if distinct.is_empty() {
        distinct = common_in(root).into_iter().filter(|name| seen.insert(kind_of(name))).collect();
    }
    distinct
}

/// Returns the preferred kind of server for a file of this name.
pub(super) fn kind_of(name: &str) -> Option<&'static str> {
    catalogue::for_file(name).next().map(|spec| spec.name)
}

/// Returns the most frequent kinds of files in a folder and its direct subfolders.
fn common_in(root: &AbsPath) -> Vec<String> {
    let mut counts: Vec<(usize, &'static str, String)> = Vec::new();
    let mut left = MOST_NAMES;
    let mut folders = vec![(root.as_path().to_path_buf(), 0)];
    while let Some((folder, depth)) = folders.pop() {
        let Ok(entries) = std::fs::read_dir(&folder) else { continue };
        for entry in entries.flatten() {
            if left == 0 {
                break;
            }
            left -= 1;
            let name = entry.file_name().to_string_lossy().into_owned();
            let is_folder = entry.file_type().is_ok_and(|kind| kind.is_dir());
            if is_folder && depth < 2 && !name.starts_with('.') && name != "node_modules" {
                folders.push((entry.path(), depth + 1));
            } else if !is_folder && let Some(kind) = kind_of(&name) {
                match counts.iter_mut().find(|(_, known, _)| *known == kind) {
                    Some((count, ..)) => *count += 1,
                    None => counts.push((1, kind, name)),
                }
            }
        }
    }
    counts.sort_by_key(|(count, kind, _)| (std::cmp::Reverse(*count), *kind));
    counts.into_iter().map(|(_, _, name)| name).collect()
}
