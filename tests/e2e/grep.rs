//! Tests that `hob grep` prints what ripgrep prints, byte for byte, and says what it does not support.

use std::path::Path;
use std::process::{Command, Stdio};

use hob_tests::{Tree, World, outside};
use serde_json::Value;

use super::django;

/// Returns files that are difficult to print.
fn nasty(world: &World) -> Tree {
    let tree = world.tree("//- /a/one.rs\nfn foo() {}\nlet bar = foo();\n\n// Foo bar foo\nfoofoo\n");
    tree.write("a/b/deep.txt", "x\ny foo\nz\n1\n2\n3\n4\nfoo foo\n5\n6\nfoo");
    tree.write("a-b/x.txt", "sorted before a/ by bytes, after it in a walk: foo\n");
    tree.write("crlf.txt", "foo one\r\nbar\r\n\r\nfoo two\r\nlast foo\r\n");
    tree.write("bom.txt", "\u{feff}foo at the start\nno\nfoo\n");
    tree.write("latin.txt", b"caf\xe9 foo\nplain foo\n\xff\xfe foo\xff\n");
    let wide: Vec<u8> = "foo wide\nüber foo\n".encode_utf16().flat_map(u16::to_le_bytes).collect();
    tree.write("utf16.txt", [b"\xff\xfe".as_slice(), &wide].concat());
    tree.write("uni.md", "# Über\n\nÄpfel und ΑΩ foo\n日本語 foo 日本\n😀 foo\n");
    tree.write("with space.txt", "foo\tbar\n  foo\n\u{1}control foo\n");
    tree.write("empty.txt", "");
    tree.write("blank.txt", "\n\n\nfoo\n\n");
    tree.write("case.TXT", "FOO\nFoo\nfoo_bar\nfoo-bar\nxfoo\n");
    tree.write("regex.txt", "a.b\naxb\n(foo)\n[x]\n$5 ^\n\\d\n--flag\n-v\n");
    tree.write("long.txt", format!("{}foo{}\n", "x".repeat(9000), "y".repeat(9000)));
    tree.write("early.bin", b"foo\0foo\n");
    let mut late = "foo in text\nno\n".repeat(6000).into_bytes();
    late.extend(b"foo \0 foo\nfoo\n");
    tree.write("late.dat", late);
    tree.write(".gitignore", "ignored.log\n");
    tree.write("ignored.log", "foo\n");
    tree.write(".hidden", "foo\n");
    tree
}

/// Runs a program with a pipe for output and nothing on its standard input. Returns the exit code, the standard output
/// and the standard error.
fn run(mut command: Command, place: &Path, args: &[&str]) -> (Option<i32>, Vec<u8>, String) {
    command.args(args).current_dir(place).stdin(Stdio::null());
    let output = command.output().expect("it starts");
    (output.status.code(), output.stdout, String::from_utf8_lossy(&output.stderr).into_owned())
}

fn ours(world: &World, place: &Path, args: &[&str]) -> (Option<i32>, Vec<u8>, String) {
    run(world.command("hob"), place, &[&["grep"], args].concat())
}

fn theirs(world: &World, place: &Path, args: &[&str]) -> (Option<i32>, Vec<u8>, String) {
    // hob also numbers lines in a pipe, which is the only difference in its defaults.
    let known = ["--no-config", "--no-ignore-global", "--sort=path", "--line-number"];
    run(world.command(outside::ripgrep()), place, &[&known, args].concat())
}

fn same(world: &World, place: &Path, args: &[&str]) -> Result<(), String> {
    let (ours, theirs) = (ours(world, place, args), theirs(world, place, args));
    if (ours.0, &ours.1) == (theirs.0, &theirs.1) {
        return Ok(());
    }
    let text = |bytes: &[u8]| {
        let text = String::from_utf8_lossy(bytes).escape_debug().to_string().replace("\\n", "\n");
        text.chars().take(3000).collect::<String>()
    };
    Err(format!(
        "{args:?}: exit codes {:?} and {:?}\n--- hob\n{}\n{}\n--- rg\n{}\n{}",
        ours.0,
        theirs.0,
        text(&ours.1),
        ours.2,
        text(&theirs.1),
        theirs.2
    ))
}

#[track_caller]
fn all_same<'a>(world: &World, place: &Path, lines: impl IntoIterator<Item = &'a &'a [&'a str]>) {
    let wrong: Vec<String> = lines.into_iter().filter_map(|args| same(world, place, args).err()).collect();
    assert!(wrong.is_empty(), "{} command lines differ:\n{}", wrong.len(), wrong.join("\n\n"));
}

const LINES: &[&[&str]] = &[
    &["foo"],
    &["-n", "foo"],
    &["foo", "a"],
    &["foo", "a/"],
    &["foo", "./a"],
    &["foo", "."],
    &["foo", "./"],
    &["foo", "a/one.rs"],
    &["foo", "./a/one.rs", "crlf.txt"],
    &["foo", "a-b", "a", "a"],
    &["-H", "foo", "a/one.rs"],
    &["-I", "foo"],
    &["-nI", "foo", "a"],
    &["-i", "FOO", "case.TXT"],
    &["-S", "foo", "case.TXT"],
    &["-S", "Foo", "case.TXT"],
    &["-S", r"\bFoo|x", "case.TXT"],
    &["-i", "-s", "FOO"],
    &["-s", "-i", "FOO"],
    &["-w", "foo"],
    &["-w", "foo|bar", "-n"],
    &["-w", "-o", "foo"],
    &["-x", "foo"],
    &["-x", "foo|bar"],
    &["-F", "a.b"],
    &["-F", "(foo)"],
    &["-F", "-i", "FOO("],
    &["-Fx", "[x]"],
    &["-e", "foo", "-e", "bar"],
    &["-e", "--flag"],
    &["-e", "-v", "regex.txt"],
    &["-F", "-e", "$5", "-e", "\\d"],
    &["--", "--flag"],
    &["-l", "foo"],
    &["-l", "-0", "foo"],
    &["-0", "-n", "foo", "a"],
    &["--files-with-matches", "foo", "a"],
    &["-c", "foo"],
    &["-c", "foo", "a/one.rs"],
    &["-cH", "foo", "a/one.rs"],
    &["-cI", "foo"],
    &["--count-matches", "foo"],
    &["-c", "-o", "foo"],
    &["-c", "-0", "foo", "a"],
    &["-lc", "foo", "a"],
    &["-cl", "foo", "a"],
    &["-c", "-m1", "foo"],
    &["-o", "foo"],
    &["-on", "--column", "fo+"],
    &["-o", "f|o", "a/one.rs"],
    &["-o", r"\w*", "crlf.txt"],
    &["-o", "$", "a"],
    &["--column", "foo"],
    &["--column", "-N", "foo"],
    &["-n", "--column", "foo", "latin.txt", "uni.md"],
    &["-A1", "foo"],
    &["-B1", "foo"],
    &["-C1", "foo"],
    &["-nC2", "foo", "a"],
    &["-C1", "-B0", "foo"],
    &["-C1", "-I", "foo"],
    &["-A1", "--column", "foo", "a"],
    &["-oC1", "foo", "a"],
    &["-C100", "z", "a/b/deep.txt"],
    &["-m1", "foo"],
    &["-m2", "-n", "-A2", "foo", "a"],
    &["-m1", "-C1", "foo"],
    &["-m0", "foo"],
    &["--heading", "foo"],
    &["--heading", "-n", "-C1", "foo"],
    &["--heading", "-I", "foo", "a"],
    &["--heading", "-0", "foo", "a"],
    &["--heading", "--no-heading", "foo", "a"],
    &["-p", "foo"],
    &["-p", "-C1", "foo"],
    &["--color=always", "foo"],
    &["--color=always", "-n", "--column", "foo"],
    &["--color=always", "-o", "foo", "a"],
    &["--color=always", "-c", "foo", "a"],
    &["--color=always", "-l", "foo", "a"],
    &["--color=always", "-n", "-C1", "f|o", "a"],
    &["--color=always", "-w", "--heading", "foo"],
    &["--color", "never", "-n", "foo", "a"],
    &["--color=always", "$", "a"],
    &["-g", "*.txt", "foo"],
    &["-g", "!*.txt", "foo"],
    &["-g", "*.txt", "-g", "!crlf*", "foo"],
    &["-g", "!*.txt", "-g", "crlf*", "foo"],
    &["-g", "a/**", "foo"],
    &["-g", "!a", "foo"],
    &["-g", "/a/*.rs", "foo"],
    &["-g", "*.{rs,md}", "-l", "foo"],
    &["-t", "rust", "foo"],
    &["-trust", "-tmd", "-l", "foo"],
    &["-T", "txt", "-l", "foo"],
    &["-t", "rust", "-g", "*.md", "-l", "foo"],
    &["-q", "foo"],
    &["-q", "nothing here"],
    &["nothing here"],
    &["^$"],
    &["-n", "^$", "blank.txt"],
    &["-c", "^", "blank.txt"],
    &["-n", "."],
    &["^foo$", "-n"],
    &["foo\r$", "-n"],
    &[r"(?-u:\xff)"],
    &["日本"],
    &[r"\p{Greek}"],
    &["-i", "ÜBER"],
    &["-n", "foo.*foo"],
    &["x{3}foo"],
    &["-n", "-m3", "foo", "-g", "late.dat"],
    &["foo", "-g", "late.dat"],
    &["-c", "foo", "-g", "late.dat"],
    &["foo", "nowhere"],
    &["foo", "a", "nowhere", "crlf.txt"],
    &["(foo"],
    &["-t", "nosuch", "foo"],
    &["-g", "a[", "foo"],
];

#[test]
fn what_is_printed_is_what_ripgrep_prints() {
    let world = World::new();
    let tree = nasty(&world);
    all_same(&world, tree.root(), LINES);
}

#[test]
fn below_the_root_paths_are_relative_to_the_working_directory() {
    let world = World::new();
    let tree = nasty(&world);
    let lines: &[&[&str]] = &[
        &["foo"],
        &["foo", ".."],
        &["-n", "foo", "../crlf.txt"],
        &["foo", "b"],
        &["-g", "/b/*", "foo"],
        &["-g", "b/*", "foo"],
        &["-l", "foo", "../a-b", "."],
    ];
    all_same(&world, &tree.at("a"), lines);
    let absolute = tree.at("a/b").to_string_lossy().into_owned();
    all_same(&world, tree.root(), [&["-n", "foo", absolute.as_str()].as_slice()]);
}

#[test]
fn django_is_printed_alike() {
    let world = django::shared();
    let lines: &[&[&str]] = &[
        &["get_or_create"],
        &["-n", "def save"],
        &["-c", "self"],
        &["--count-matches", "self"],
        &["-l", "QuerySet"],
        &["-n", "e", "django/db"],
        &["-niw", "todo|fixme"],
        &["-C2", "cached_property", "django/utils"],
        &["-o", r"class \w+Error"],
        &["-g", "*.py", "-g", "!**/tests/**", "-c", "import"],
        &["-tpy", "-m1", "-n", "^from"],
        &["--color=always", "-n", "csrf_token", "django"],
        &["-F", "-e", "{%", "-e", "%}", "-c"],
        &["-x", "    pass", "-c"],
        &["-S", "httpresponse", "-l"],
        &["[^\\x00-\\x7f]{3}", "--column"],
    ];
    all_same(&world, django::tree().root(), lines);
}

/// Returns the messages without what differs between any two runs, and without what hob adds about other files.
fn messages(output: &[u8]) -> Vec<Value> {
    let text = String::from_utf8_lossy(output);
    let lines = text.lines().map(|line| serde_json::from_str(line).unwrap_or_else(|e| panic!("{e}: {line}")));
    lines
        .map(|mut message: Value| {
            let summary = message["type"] == "summary";
            if let Some(data) = message["data"].as_object_mut() {
                data.remove("elapsed_total");
            }
            if let Some(stats) = message["data"]["stats"].as_object_mut() {
                stats.remove("elapsed");
                if summary {
                    stats.remove("searches");
                    stats.remove("bytes_searched");
                }
            }
            message
        })
        .collect()
}

#[test]
fn messages_are_those_of_ripgrep() {
    let world = World::new();
    let tree = nasty(&world);
    let mut wrong = Vec::new();
    for args in [
        &["--json", "foo"][..],
        &["--json", "foo", "a", "latin.txt"],
        &["--json", "-C1", "f|o", "a"],
        &["--json", "-m2", "foo"],
        &["--json", "-w", "foo", "-g", "!late.dat"],
        &["--json", "$", "crlf.txt"],
        &["--json", "nothing here"],
    ] {
        let (ours, theirs) = (ours(&world, tree.root(), args), theirs(&world, tree.root(), args));
        let (mine, other) = (messages(&ours.1), messages(&theirs.1));
        if let Some((a, b)) = mine.iter().zip(&other).find(|(a, b)| a != b) {
            wrong.push(format!("{args:?}\n{a}\n{b}"));
        }
        if (ours.0, mine.len()) != (theirs.0, other.len()) {
            wrong.push(format!("{args:?}: {:?} {} and {:?} {}", ours.0, mine.len(), theirs.0, other.len()));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
}

#[test]
fn what_it_does_not_do_it_says() {
    let world = World::new();
    let tree = nasty(&world);
    for (args, word) in [
        (&["-v", "foo"][..], "--invert-match"),
        (&["-U", "foo"], "--multiline"),
        (&["-P", "foo"], "--pcre2"),
        (&["--pre", "cat", "foo"], "--pre"),
        (&["-uu", "foo"], "--unrestricted"),
        (&["--hidden", "foo"], "--hidden"),
        (&["-r", "x", "foo"], "--replace"),
        (&["--files"], "--files"),
        (&["foo", "-"], "standard input"),
        (&["foo", "ignored.log"], "not in the index"),
        (&["foo", "early.bin"], "not in the index"),
        (&["foo", ".hidden"], "not in the index"),
        (&["foo", "/"], "outside"),
        (&["foo", "late.dat"], "binary"),
        (&["--json", "-c", "foo"], "--json"),
        (&["--sort", "modified", "foo"], "modified"),
    ] {
        let (code, _, stderr) = ours(&world, tree.root(), args);
        assert_eq!(code, Some(2), "{args:?}: {stderr}");
        assert!(stderr.contains(word), "{args:?}: {stderr}");
    }
    let piped = world.hob_with_input(tree.root(), &["grep", "foo"], "foo\n").code(2);
    assert!(piped.stderr.contains("standard input"), "{piped}");
}

#[test]
fn everything_comes_however_much_it_is_and_a_closed_pipe_is_no_error() {
    let world = World::new();
    let tree = world.tree("//- /small.txt\nfoo\n");
    let line = |n: usize| format!("line {n} has foo twice: foo {}\n", "x".repeat(n % 90));
    tree.write("big.txt", (0..60_000).map(line).collect::<String>());
    tree.write("many.txt", "\n".repeat(70_000));
    all_same(
        &world,
        tree.root(),
        &[
            &["foo"][..],
            &["-n", "-C1", "7"],
            &["-o", "foo"],
            &["-c", "^"],
            &["-n", "^"],
            &["--color=always", "-n", "o"],
        ],
    );
    let mut child = world.command("hob");
    child.args(["grep", "-n", "^", "."]).current_dir(tree.root());
    let mut child =
        child.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("it starts");
    drop(child.stdout.take());
    let output = child.wait_with_output().expect("it ends");
    assert_eq!(String::from_utf8_lossy(&output.stderr), "");
    assert!(output.status.code().is_some(), "no signal ends it");
}

#[test]
fn an_edit_is_seen_at_once() {
    let world = World::new();
    let tree = nasty(&world);
    all_same(&world, tree.root(), [&["-n", "foo"][..]].iter());
    tree.write("a/new.rs", "foo is new\n");
    tree.remove("crlf.txt");
    tree.write("a/one.rs", "nothing\n");
    all_same(&world, tree.root(), [&["-n", "foo"][..]].iter());
}
