//! Tests a repository that was made to harm whoever indexes it: nothing in it is executed, nothing outside of it is
//! read, every tool answers, and the daemon meanwhile serves others and ends when it is told to.
//!
//! The whole world runs under `strace` if that is installed and may trace. Then it is the system that reports what was
//! executed and read, and not only a missing mark. This is no fuzzer (`daemon/map/tests/mutated` is one), and damaged
//! files of git are tested separately (`daemon/workspace/tests/it/git/broken.rs`).

use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::os::unix::net::UnixListener;
use std::path::{Path, PathBuf};
use std::process::Command;

use hob_proto::tools::{TOOLS, ToolDef};
use hob_tests::{Mcp, Tree, World, binaries, run};
use rustix::fs::{CWD, FileType, Mode, makedev, mkfifoat, mknodat};
use serde_json::{Map, Value, json};

use super::edit::editor;

/// The contents of the file that nobody may read.
const CANARY: &str = "CANARY_7f31c9_nobody_reads_this";

/// The programs that hob or a tool might be tempted to run.
const PROGRAMS: &[&str] = &[
    "basedpyright-langserver",
    "cargo",
    "clangd",
    "git",
    "go",
    "gopls",
    "hook",
    "node",
    "pyright-langserver",
    "python3",
    "ruby-lsp",
    "rust-analyzer",
    "rustc",
    "ty",
    "tsc",
    "tsgo",
    "typescript-language-server",
    "vtsls",
];

const FIXTURE: &str = "\
//- /a.py
import b

def found():
    return b.there()
//- /b.py
def there():
    return 1
//- /a.rs
fn found_rs() {}
//- /a.go
package a
//- /a.ts
export const foundTs = 1;
//- /a.c
int found_c;
//- /a.sh
found_sh() { :; }
//- /Cargo.toml
[package]
name = \"hostile\"
version = \"0.1.0\"
build = \"build.rs\"
//- /build.rs
fn main() { std::fs::write(\"built\", \"\").unwrap(); }
//- /go.mod
module hostile
go 1.99.0
toolchain go1.99.0
//- /package.json
{\"name\": \"hostile\", \"scripts\": {\"preinstall\": \"./node_modules/.bin/hook\"}}
//- /tsconfig.json
{\"compilerOptions\": {\"plugins\": [{\"name\": \"../../node_modules/hook\"}]}}
//- /.gitattributes
* filter=evil diff=evil
";

/// The world, the hostile project in it, and the file with the marks.
struct Hostile {
    world: World,
    tree: Tree,
    marks: PathBuf,
    canary: PathBuf,
    trace: Option<PathBuf>,
}

impl Hostile {
    fn new() -> Self {
        let world = World::new();
        let (marks, canary) = (world.path("marks"), world.path("outside/canary.py"));
        let trace = super::second_user::tracer(&world, "execve,open,openat,openat2,connect");
        let project = world.path("ws");
        let path = format!("{0}/bin:{0}/node_modules/.bin:.:{0}/.venv/bin:/usr/bin:/bin", project.display());
        let world = world.env("PATH", path);
        let world = match &trace {
            Some((wrapper, _)) => world.env("HOB_DAEMON", wrapper.display().to_string()),
            None => world,
        };
        fs::create_dir(world.path("outside")).expect("a folder");
        fs::write(&canary, format!("def {CANARY}():\n    return 1\n")).expect("written");
        let tree = world.tree(FIXTURE);
        let all = Self { world, tree, marks, canary, trace: trace.map(|(_, log)| log) };
        all.repository();
        all.programs();
        all.settings();
        all.links();
        all.names();
        all.special_files();
        all.texts();
        all
    }

    /// Makes a real repository, whose settings then name programs everywhere that git would run one.
    fn repository(&self) {
        for line in ["init -q -b main", "add a.py b.py", "-c user.name=n -c user.email=e commit -q -m first"]
        {
            let mut git = Command::new("/usr/bin/git");
            self.world.clean(&mut git);
            let _ = run(git.current_dir(self.tree.root()).args(line.split(' ')), b"").success();
        }
        let hook = self.tree.at("bin/hook");
        let hook = hook.display();
        let settings = format!(
            "[core]\n\trepositoryformatversion = 0\n\tfsmonitor = {hook}\n\thooksPath = {0}/bin\n\tpager = {hook}\n\teditor = {hook}\n\
             \tsshCommand = {hook}\n[filter \"evil\"]\n\tclean = {hook}\n\tsmudge = {hook}\n\tprocess = {hook}\n\trequired = true\n\
             [diff \"evil\"]\n\tcommand = {hook}\n\ttextconv = {hook}\n[credential]\n\thelper = !{hook}\n[alias]\n\tstatus = !{hook}\n\
             [include]\n\tpath = {1}\n[remote \"origin\"]\n\turl = ext::{hook}\n\tpromisor = true\n\tuploadpack = {hook}\n",
            self.tree.root().display(),
            self.canary.display(),
        );
        self.tree.write(".git/config", settings);
    }

    /// Writes a program that leaves a mark when it runs.
    fn program(&self, path: &str) {
        self.tree.write(path, format!("#!/bin/sh\necho \"$0 $*\" >> '{}'\n", self.marks.display()));
        let mode = fs::Permissions::from_mode(0o755);
        fs::set_permissions(self.tree.at(path), mode).expect("it was just written");
    }

    fn programs(&self) {
        for name in PROGRAMS {
            for folder in ["bin", ".venv/bin", "node_modules/.bin", ".git/hooks", "."] {
                self.program(&format!("{folder}/{name}"));
            }
        }
        for hook in [
            "pre-commit",
            "post-checkout",
            "post-index-change",
            "fsmonitor-watchman",
            "reference-transaction",
        ] {
            self.program(&format!(".git/hooks/{hook}"));
        }
        // A toolchain inside the project.
        for name in ["rustc", "cargo", "rust-analyzer", "rustdoc"] {
            self.program(&format!("toolchain/bin/{name}"));
        }
    }

    /// Writes files in which tools look for programs and folders.
    fn settings(&self) {
        let hook = self.tree.at("bin/hook");
        let hook = hook.display();
        for (path, text) in [
            (
                ".hob.toml",
                format!(
                    "edits = true\n[servers.ty]\ncommand = ['{hook}']\n[model]\nendpoint = 'http://127.0.0.1:9/v1'\nname = 'm'\n"
                ),
            ),
            (".hob/config.toml", format!("[servers.ty]\ncommand = ['{hook}']\n")),
            (
                ".vscode/settings.json",
                format!(
                    "{{\"rust-analyzer.server.path\": \"{hook}\", \"python.defaultInterpreterPath\": \"{hook}\"}}"
                ),
            ),
            (
                ".vscode/tasks.json",
                format!(
                    "{{\"tasks\": [{{\"command\": \"{hook}\", \"runOptions\": {{\"runOn\": \"folderOpen\"}}}}]}}"
                ),
            ),
            (
                "rust-toolchain.toml",
                format!("[toolchain]\npath = \"{}/toolchain\"\n", self.tree.root().display()),
            ),
            (
                ".cargo/config.toml",
                format!(
                    "[build]\nrustc = \"{hook}\"\nrustc-wrapper = \"{hook}\"\n[alias]\nmetadata = \"run\"\n\
              [registry]\nglobal-credential-providers = [\"{hook}\"]\n[target.x86_64-unknown-linux-gnu]\nrunner = \"{hook}\"\n"
                ),
            ),
            (
                "pyrightconfig.json",
                format!(
                    "{{\"venvPath\": \"{}\", \"venv\": \".\", \"extraPaths\": [\"../outside\"]}}",
                    self.world.path("outside").display()
                ),
            ),
            (".envrc", format!("{hook}\n")),
            (".mise.toml", format!("[hooks]\nenter = \"{hook}\"\n")),
            (".tool-versions", "rust path:./toolchain\n".to_owned()),
            ("Makefile", format!("$(shell {hook})\n")),
        ] {
            self.tree.write(path, text);
        }
    }

    /// Makes links that lead outside, in circles, to nothing, and to a file without an end.
    fn links(&self) {
        let link = |to: &Path, name: &str| {
            fs::create_dir_all(self.tree.at(name).parent().expect("below")).expect("a folder");
            symlink(to, self.tree.at(name)).expect("a link");
        };
        link(&self.canary, "link.py");
        link(self.canary.parent().expect("a folder"), "away");
        for name in [
            "README.md",
            "setup.py",
            "pyproject.toml",
            "requirements.txt",
            "go.sum",
            "Cargo.lock",
            ".clang-format",
        ] {
            link(&self.canary, name);
        }
        for name in
            [".gitignore", ".ignore", ".rgignore", ".hobignore", "package-lock.json", "pom.xml", "Cargo.toml"]
        {
            link(&self.canary, &format!("linked/{name}"));
        }
        link(Path::new("/dev/zero"), "endless/.gitignore");
        link(Path::new("/dev/zero"), "endless/a.py");
        link(Path::new("/proc/self/mem"), "endless/.ignore");
        link(Path::new("self"), "self");
        link(Path::new(".."), "loop/up");
        link(Path::new("/"), "loop/top");
        link(Path::new("nowhere"), "dangling.py");
    }

    fn names(&self) {
        let longest = format!("{}.py", "n".repeat(252));
        for name in [
            "new\nline.py",
            "ha#sh.py",
            "per%cent%2e.py",
            "quo'te\".py",
            "es\x1b]0;owned\x07cape.py",
            "-rf.py",
            "$(hook).py",
            &longest,
        ] {
            self.tree.write(name, "def odd():\n    return 'ODDLY'\n");
        }
        fs::write(self.tree.root().join(OsStr::from_bytes(b"not\xffutf8.py")), "def odd(): pass\n")
            .expect("written");
        let deep = vec!["d"; 200].join("/");
        self.tree.write(&format!("{deep}/deep.py"), "def very_deep():\n    return 1\n");
    }

    /// Makes pipes at paths that are looked for by name, a socket, and devices if possible.
    fn special_files(&self) {
        let pipe = |name: &str| {
            fs::create_dir_all(self.tree.at(name).parent().expect("below")).expect("a folder");
            let _ = fs::remove_file(self.tree.at(name));
            mkfifoat(CWD, self.tree.at(name), Mode::from_raw_mode(0o600)).expect("a pipe");
        };
        for name in [
            ".gitignore",
            ".ignore",
            ".rgignore",
            ".hobignore",
            ".gitmodules",
            ".clangd",
            ".editorconfig",
            ".git/info/exclude",
            "compile_commands.json",
            "build/compile_commands.json",
            "compile_flags.txt",
            "pom.xml",
            "yarn.lock",
            "poetry.lock",
            "pnpm-lock.yaml",
            "build.gradle",
            "pipe.py",
            "sub/.git",
            "sub/.gitignore",
            "sub/.ignore",
            "sub/.hobignore",
            "sub/Cargo.toml",
            "sub/package.json",
        ] {
            pipe(name);
        }
        drop(UnixListener::bind(self.tree.at("s.py")).expect("a socket"));
        let device = mknodat(
            CWD,
            self.tree.at("zero.py"),
            FileType::CharacterDevice,
            Mode::from_raw_mode(0o666),
            makedev(1, 5),
        );
        match device.and_then(|()| {
            let mode = Mode::from_raw_mode(0o666);
            mknodat(CWD, self.tree.at("sub/.rgignore"), FileType::CharacterDevice, mode, makedev(1, 5))
        }) {
            Ok(()) => {}
            Err(error) => eprintln!("NOT TRIED: device nodes, which only root may make here ({error})"),
        }
    }

    fn texts(&self) {
        self.tree.write("huge_line.py", format!("x = '{}'\n", "y".repeat(4 << 20)));
        self.tree.write("brackets.py", format!("x = {}1{}\n", "[".repeat(50_000), "]".repeat(50_000)));
        self.tree.write("braces.ts", "{".repeat(100_000));
        self.tree.write("huge_rules/.gitignore", "*.never\n".repeat(400_000));
        self.tree.write("huge_rules/kept.py", "def kept(): pass\n");
        self.tree.write("escape.txt", "ESCAPES \x1b[2J\x1b]0;owned\x07 here\n");
    }

    #[track_caller]
    fn check_marks(&self, when: &str) {
        let marks = fs::read_to_string(&self.marks).unwrap_or_default();
        assert_eq!(marks, "", "{when}, programs of the project ran");
        assert!(!self.tree.at("built").exists(), "{when}, the build script ran");
    }

    /// Checks the system's trace of the run, if there is one.
    #[track_caller]
    fn check_trace(&self) {
        let Some(log) = &self.trace else { return };
        let seen = fs::read_to_string(log).expect("strace has written");
        assert!(seen.contains("a.py"), "the trace shows that files were read at all");
        let canary = self.canary.display().to_string();
        let opened: Vec<&str> =
            seen.lines().filter(|line| line.contains(&canary) && line.contains("open")).collect();
        assert!(opened.is_empty(), "a file outside was opened: {opened:#?}");
        let project = self.tree.root().display().to_string();
        let run = |line: &&str| {
            line.contains("execve(") && line.split('"').nth(1).is_some_and(|it| it.starts_with(&project))
        };
        let run: Vec<&str> = seen.lines().filter(run).collect();
        assert!(run.is_empty(), "programs of the project were executed: {run:#?}");
    }
}

/// Returns a sensible value for each argument that a tool requires or accepts.
fn arguments(tool: &ToolDef) -> Value {
    let all = json!({
        "query": "found", "pattern": "found", "patterns": ["found", "there"], "targets": ["py:a.py#found", "a.py"],
        "nodeId": "py:a.py#found", "from": "py:a.py#found", "to": "py:b.py#there", "file": "a.py", "line": 3, "col": 5,
        "subject": "found", "symbol": "found", "task": "how is found made", "topic": "found",
    });
    let known = all.as_object().into_iter().flatten();
    let wanted = known.filter(|(name, _)| tool.all_args().any(|arg| arg.name == name.as_str()));
    Value::Object(wanted.map(|(name, value)| (name.clone(), value.clone())).collect::<Map<_, _>>())
}

/// Asks every tool. Returns the names of those that answered.
#[track_caller]
fn ask_all(mcp: &mut Mcp) -> Vec<&'static str> {
    let mut answered = Vec::new();
    for tool in TOOLS {
        let answer = mcp.call(tool.name, arguments(tool));
        assert_ne!(answer.envelope["error"]["code"], "INTERNAL", "{answer}");
        assert!(!answer.text.contains(CANARY), "what lies outside is in an answer{answer}");
        if answer.envelope["ok"] == true {
            answered.push(tool.name);
        }
    }
    answered
}

#[test]
fn nothing_of_it_runs_nothing_outside_is_read_and_every_tool_answers() {
    let hostile = Hostile::new();
    let (world, tree) = (&hostile.world, &hostile.tree);
    let mut mcp = editor(world, tree);
    let answered = ask_all(&mut mcp);
    for tool in [
        "map_overview",
        "map_search",
        "map_neighbors",
        "map_path",
        "map_status",
        "regex_search",
        "read_symbols",
    ] {
        assert!(answered.contains(&tool), "{tool} answers: {answered:?}");
    }
    let pid = world.daemon_pid().expect("it runs");

    // Legitimate files are found, whatever their names.
    for (query, id) in [("very_deep", "deep.py#very_deep"), ("kept", "huge_rules/kept.py#kept")] {
        let found = mcp.call("map_search", json!({"query": query}));
        assert!(found.texts("/results", "id").iter().any(|it| it.ends_with(id)), "{found}");
    }
    let odd = mcp.call("regex_search", json!({"pattern": "ODDLY", "token_budget": 10_000}));
    assert_eq!(odd.ok()["total_lines"], 8, "{odd}");
    for file in odd.texts("/matches", "file") {
        let read = mcp.call("read_symbols", json!({"targets": [file]}));
        assert_ne!(read.envelope["error"]["code"], "INTERNAL", "{read}");
    }
    let status = mcp.call("map_status", json!({}));
    let notes = status.ok()["notes"].to_string();
    for words in ["ignore file(s) do not count", "not valid Unicode"] {
        assert!(notes.contains(words), "{words}: {status}");
    }
    // Files outside cannot be asked for either.
    for path in [
        "link.py",
        "away/canary.py",
        "loop/top/etc/passwd",
        "../outside/canary.py",
        "pipe.py",
        "zero.py",
        "s.py",
        "endless/a.py",
    ] {
        for (tool, args) in [
            ("read_symbols", json!({"targets": [path]})),
            ("nav_symbols", json!({"file": path})),
            ("nav_definition", json!({"file": path, "line": 1, "col": 1})),
            ("regex_search", json!({"pattern": "CANARY", "path_prefix": path})),
            ("edit_text", json!({"file": path, "old": "x", "new": "y"})),
        ] {
            let answer = mcp.call(tool, args);
            assert!(!answer.text.contains(CANARY), "{answer}");
            assert_ne!(answer.envelope["error"]["code"], "INTERNAL", "{answer}");
        }
    }
    let long = mcp.call("nav_symbols", json!({"file": "x".repeat(300)}));
    assert!(
        long.envelope["error"]["message"].is_string(),
        "a component that no file system takes is refused{long}"
    );
    assert_ne!(long.envelope["error"]["code"], "INTERNAL", "{long}");
    // Servers of every language are asked for.
    for file in ["a.py", "a.rs", "a.go", "a.ts", "a.c", "a.sh", "package.json", "tsconfig.json"] {
        for tool in ["nav_symbols", "nav_diagnostics"] {
            let answer = mcp.call(tool, json!({"file": file}));
            assert_ne!(answer.envelope["error"]["code"], "INTERNAL", "{answer}");
        }
    }
    hostile.check_marks("after all questions");

    // Others are served meanwhile, and the daemon ends as usual.
    let other = Tree::new(&world.path("other"), "//- /x.py\ndef elsewhere(): pass\n");
    let answer = world.call(&other, "map_search", &json!({"query": "elsewhere"}));
    assert_eq!(answer.texts("/results", "id"), ["py:x.py#elsewhere"], "{answer}");
    assert_eq!(world.daemon_pid(), Some(pid), "it is still the same daemon");
    drop(mcp);
    world.stop();
    hostile.check_marks("after the end");
    hostile.check_trace();
    let kept = files_below(world.dir());
    assert!(kept.iter().all(|file| !contains(file, CANARY)), "the canary was copied");
}

fn files_below(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let all = entries.flat_map(|entry| match entry.file_type() {
        Ok(kind) if kind.is_dir() => files_below(&entry.path()),
        Ok(kind) if kind.is_file() => vec![entry.path()],
        _ => Vec::new(),
    });
    all.collect()
}

fn contains(file: &Path, words: &str) -> bool {
    let bytes = fs::read(file).unwrap_or_default();
    bytes.windows(words.len()).any(|window| window == words.as_bytes())
}

#[test]
fn a_pipe_in_the_place_of_git_is_an_error_of_git_alone() {
    let world = World::new();
    let root = world.path("ws");
    fs::create_dir(&root).expect("a folder");
    mkfifoat(CWD, root.join(".git"), Mode::from_raw_mode(0o600)).expect("a pipe");
    let tree = Tree::unversioned(&root, "//- /a.py\ndef found(): pass\n");
    let mut mcp = editor(&world, &tree);
    let found = mcp.call("map_search", json!({"query": "found"}));
    assert_eq!(found.texts("/results", "id"), ["py:a.py#found"], "{found}");
    let _ = ask_all(&mut mcp);
    drop(mcp);
    world.stop();
}

#[test]
fn a_terminal_sees_control_characters_and_a_pipe_gets_them() {
    let hostile = Hostile::new();
    let (world, tree) = (&hostile.world, &hostile.tree);
    let piped = world.hob(tree.root(), &["grep", "--sort", "path", "ESCAPES|ODDLY", "./"]).success();
    assert!(piped.contains("escape.txt:1:ESCAPES \x1b[2J\x1b]0;owned\x07 here\n"), "as they are: {piped:?}");
    assert!(piped.contains("es\x1b]0;owned\x07cape.py:"), "names too: {piped:?}");
    let hob = binaries().join("hob");
    for line in [
        "grep ESCAPES ./",
        "grep ODDLY ./",
        "call regex_search --pattern ODDLY",
        "call read_symbols --targets escape.txt",
    ] {
        let mut terminal = world.command("/usr/bin/script");
        let command = format!("{} {line}", hob.display());
        terminal.args(["-qec", &command, "/dev/null"]).current_dir(tree.root()).env("TERM", "xterm");
        let shown = run(&mut terminal, b"").stdout;
        for sequence in ["\x1b[2J", "\x1b]", "\x07"] {
            assert!(!shown.contains(sequence), "{line} lets {sequence:?} through: {shown:?}");
        }
        let shows = shown.contains("^[") || shown.contains("\\u{1b}");
        assert!(line.contains("read_symbols") || shows, "{line} shows it: {shown:?}");
    }
    hostile.check_marks("after the command line");
}
