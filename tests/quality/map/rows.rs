//! The table: which server is asked about which project.
//!
//! A row is data. What a build would tell the server (where modules are found) is told it by `prepare`: a server that has to
//! guess makes a poor judge.

use std::fs;
use std::path::{Path, PathBuf};

use hob_tests::lsp::{Ready, Speaks};
use hob_tests::{outside, projects};
use serde_json::{Value, json};

/// A server on a project.
pub(super) struct Row {
    /// What its golden file is called.
    pub name: &'static str,
    /// The project's pin.
    pub pin: &'static str,
    /// The server's pin.
    pub server: &'static str,
    /// The project; it is copied into a world of its own.
    pub project: fn() -> &'static Path,
    /// Makes the copy ready for the server and for hob.
    pub prepare: fn(&Path),
    /// Folders to be put on the `PATH` for the server.
    pub folders: fn() -> Vec<PathBuf>,
    /// How it is started; the first word is looked up in `folders`.
    pub command: &'static [&'static str],
    /// Variables that it needs beside `PATH` and `HOME`.
    pub env: fn() -> Vec<(&'static str, String)>,
    /// What a client has to know of it.
    pub speaks: fn() -> Speaks,
    /// Endings of the language's files.
    pub endings: &'static [&'static str],
    /// How the language writes comments and imports.
    pub words: Words,
}

/// How a language writes what is not counted as a use.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Words {
    /// `#`; `import`, `from`, `__all__`.
    Python,
    /// `//`, `/* */`; `import`, `export { }`, `export *`, `export default name`.
    Ecma,
}

impl Row {
    pub(super) fn title(&self) -> String {
        format!("{} by {}", self.pin, self.server)
    }
}

const PYRIGHT: Row = Row {
    name: "",
    pin: "",
    server: "pyright@1.1.414",
    project: projects::flask,
    prepare: |_| {},
    folders: || outside::servers().to_vec(),
    command: &["pyright-langserver", "--stdio"],
    env: Vec::new,
    speaks: || Speaks {
        ready: Ready::Logs("source file"),
        options: Value::Null,
        // No packages of the machine: a reference is one within the project.
        settings: json!({"python": {"pythonPath": "/nonexistent/python"}}),
        languages: &[("py", "python"), ("pyi", "python")],
    },
    endings: &["py"],
    words: Words::Python,
};

const TYPESCRIPT: Row = Row {
    name: "",
    pin: "",
    server: "typescript@7.0.2",
    command: &["tsc", "--lsp", "--stdio"],
    speaks: || Speaks {
        ready: Ready::Held,
        options: Value::Null,
        settings: Value::Null,
        languages: &[("ts", "typescript"), ("tsx", "typescriptreact")],
    },
    endings: &["ts", "tsx"],
    words: Words::Ecma,
    ..PYRIGHT
};

/// Tells pyright where modules are found, whatever the project's own settings leave out.
fn pyright_config(root: &Path, paths: &[&str]) {
    let config =
        json!({"include": ["."], "extraPaths": paths, "pythonVersion": "3.12", "pythonPlatform": "Linux"});
    fs::write(root.join("pyrightconfig.json"), config.to_string()).expect("it can be written");
}

pub(super) const FLASK: Row = Row {
    name: "flask",
    pin: "flask==3.1.3",
    prepare: |root| {
        let examples = ["examples/tutorial", "examples/javascript", "examples/celery/src"];
        pyright_config(root, &[&["src", "tests/test_apps"][..], &examples].concat());
    },
    ..PYRIGHT
};

pub(super) const CLICK: Row = Row {
    name: "click",
    pin: projects::CLICK,
    project: projects::click,
    prepare: |root| pyright_config(root, &["src"]),
    ..PYRIGHT
};

pub(super) const RXJS: Row = Row { name: "rxjs", pin: "rxjs@7.8.2", project: projects::rxjs, ..TYPESCRIPT };

pub(super) const ZOD: Row = Row { name: "zod", pin: projects::ZOD, project: projects::zod, ..TYPESCRIPT };
