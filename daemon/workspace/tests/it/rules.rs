//! A walk and a single question must agree on every path, for any rules.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use hob_base::{CancelToken, WsPath};
use hob_workspace::{FileClass, Rules, ScanRequest, scan_tree};

use crate::support::{Random, WorkspaceTree, ws};

/// Every regular file and every folder below `dir`, rules or no rules.
fn list_everything(root: &Path, dir: &Path, files: &mut Vec<WsPath>, dirs: &mut Vec<WsPath>) {
    for entry in fs::read_dir(dir).expect("read_dir") {
        let entry = entry.expect("entry");
        let kind = entry.file_type().expect("kind");
        let path = entry.path();
        let rel = WsPath::from_path(path.strip_prefix(root).expect("below")).expect("unicode");
        if kind.is_dir() {
            dirs.push(rel);
            list_everything(root, &path, files, dirs);
        } else if kind.is_file() {
            files.push(rel);
        }
    }
}

fn files_below(rules: &Rules, below: &WsPath) -> BTreeSet<String> {
    let request =
        ScanRequest { below: below.clone(), cancel: CancelToken::default(), ..ScanRequest::new(rules) };
    let found = scan_tree(&request).expect("not cancelled");
    found.files.iter().map(|file| file.path.to_string()).collect()
}

/// Returns the files that ripgrep's own walk finds.
fn by_ripgrep(rules: &Rules) -> BTreeSet<String> {
    let mut walk = ignore::WalkBuilder::new(rules.root());
    walk.git_global(rules.options().global).require_git(rules.options().require_git);
    walk.current_dir(rules.root().as_path());
    for name in [".rgignore", ".hobignore"] {
        walk.add_custom_ignore_filename(name);
    }
    // A rule such as `!.*` would let it in, where hob never does.
    walk.filter_entry(|entry| entry.file_name() != ".git");
    let files = walk.build().flatten().filter(|entry| entry.file_type().is_some_and(|kind| kind.is_file()));
    let relative = |entry: ignore::DirEntry| {
        WsPath::from_path(entry.path().strip_prefix(rules.root()).expect("below"))
            .expect("unicode")
            .to_string()
    };
    files.map(relative).collect()
}

/// The whole walk, ripgrep's, single questions, and walks of each folder: all the same answer.
#[track_caller]
fn check_agreement(tree: &WorkspaceTree, what: &str) {
    let rules = tree.plain_rules();
    let walked = files_below(&rules, &WsPath::root());
    assert_eq!(walked, by_ripgrep(&rules), "{what}: walk (left) and ripgrep's (right)");
    let (mut files, mut dirs) = (Vec::new(), Vec::new());
    list_everything(tree.root.as_path(), tree.root.as_path(), &mut files, &mut dirs);
    let asked: BTreeSet<_> =
        files.iter().filter(|file| rules.admits_file(file)).map(ToString::to_string).collect();
    assert_eq!(walked, asked, "{what}: walk (left) and single paths (right)");
    for dir in dirs.iter().filter(|dir| rules.admits_dir(dir)) {
        let below = |path: &&String| ws(path).is_below(dir);
        let expected: BTreeSet<_> = walked.iter().filter(below).cloned().collect();
        assert_eq!(files_below(&rules, dir), expected, "{what}: walk of `{dir}` alone");
    }
}

#[track_caller]
fn check_found(files: &[(&str, &str)], expected: &[&str]) {
    let tree = WorkspaceTree::with_files(files);
    assert_eq!(tree.found_paths(), expected);
    check_agreement(&tree, &format!("{files:?}"));
}

#[test]
fn gitignore_hidden_and_hobignore() {
    check_found(
        &[
            (".gitignore", "*.log\n!keep.log\n/build\ntarget/\n"),
            ("a.log", ""),
            ("keep.log", ""),
            ("build/x.py", ""),
            ("src/build/x.py", ""),
            ("src/target/y.py", ""),
            ("src/target.py", ""),
            (".env", ""),
            (".github/workflow.yml", ""),
            (".hobignore", "secret*\n"),
            ("secrets.txt", ""),
        ],
        &["keep.log", "src/build/x.py", "src/target.py"],
    );
}

#[test]
fn a_deeper_rule_can_take_back_a_higher_one() {
    check_found(
        &[
            (".gitignore", "*.gen.py\n"),
            ("a.gen.py", ""),
            ("sub/.gitignore", "!*.gen.py\n"),
            ("sub/b.gen.py", ""),
            ("sub/deep/c.gen.py", ""),
            (".ignore", "vendor\n"),
            ("vendor/x.py", ""),
            ("kept/.hobignore", "!vendor\n"),
            ("kept/vendor/x.py", ""),
        ],
        &["kept/vendor/x.py", "sub/b.gen.py", "sub/deep/c.gen.py"],
    );
}

#[test]
fn git_exclude_counts_and_git_itself_never_belongs() {
    check_found(
        &[
            (".git/info/exclude", "private\n"),
            (".git/HEAD", "ref: refs/heads/main"),
            (".gitignore", "!.*\n"),
            ("private/x", ""),
            (".visible", ""),
            ("a", ""),
        ],
        &[".gitignore", ".visible", "a"],
    );
}

#[test]
fn nested_repositories_and_submodules_have_their_own_rules() {
    check_found(
        &[
            (".gitignore", "*.tmp\n"),
            ("outer.tmp", ""),
            ("nested/.git/HEAD", ""),
            ("nested/inner.tmp", ""),
            ("sub/.git", "gitdir: ../.git/modules/sub"),
            ("sub/.gitignore", "*.o\n"),
            ("sub/a.o", ""),
            ("sub/b.tmp", ""),
        ],
        // A nested repository does not obey the rules of the one around it.
        &["nested/inner.tmp", "sub/b.tmp"],
    );
}

#[test]
fn gitignore_means_nothing_outside_git() {
    let tree = WorkspaceTree::new();
    tree.write(".gitignore", "*\n");
    tree.write("a.c", "");
    assert_eq!(tree.found_paths(), ["a.c"]);
    check_agreement(&tree, "no repository");
}

#[test]
fn awkward_names_belong() {
    let names =
        ["new\nline.py", "ha#sh.py", "per%cent.py", "sp ace.py", "tab\t.py", "ünï.py", "~.py", "a;b&c.py"];
    let tree = WorkspaceTree::with_git();
    names.iter().for_each(|name| tree.write(name, ""));
    let mut expected = names.map(str::to_owned);
    expected.sort();
    assert_eq!(tree.found_paths(), expected);
    check_agreement(&tree, "awkward names");
}

#[test]
fn random_rules_on_random_trees() {
    const DIRS: &[&str] =
        &["a", "b", "src", "target", ".hidden", "sp ace", "a/b", "src/a", "src/target", "b/src/a", "[x]"];
    const NAMES: &[&str] = &["x.py", "x.log", "keep.log", ".dot", "a", "b", "#x", "ü.py", "target", "build"];
    const RULE_FILES: &[&str] = &[".gitignore", ".gitignore", ".ignore", ".hobignore", ".rgignore"];
    const PATTERNS: &[&str] = &[
        "*.log",
        "!keep.log",
        "target/",
        "/build",
        "src/*.py",
        "**/a",
        "!.hidden",
        "*",
        "!*/",
        "a/**",
        "\\#x",
        "b/",
        "!b/x.py",
        "!.*",
        "/a/b",
        "src/**/x.py",
        "!target",
        "[[]x[]]",
        "sp ace/",
        "# comment",
        "  ",
        "[",
        "!/src/",
    ];
    for seed in 1..=150 {
        let mut random = Random(seed * 0x9E37_79B9);
        let tree = if random.number_below(5) == 0 { WorkspaceTree::new() } else { WorkspaceTree::with_git() };
        for _ in 0..random.number_below(30) + 5 {
            let path = format!("{}/{}", random.pick_one(DIRS), random.pick_one(NAMES));
            // A name may be taken by a folder, or below a file.
            let full = tree.path(&path);
            if fs::create_dir_all(full.parent().expect("below")).is_ok() && !full.is_dir() {
                fs::write(full, "").expect("write");
            }
        }
        for _ in 0..random.number_below(5) {
            let dir = *random.pick_one(&["", "a", "src", "b", "src/a", ".hidden"]);
            if !dir.is_empty() && !tree.path(dir).is_dir() {
                continue;
            }
            let lines: Vec<_> = (0..random.number_below(4) + 1).map(|_| *random.pick_one(PATTERNS)).collect();
            fs::write(tree.path(dir).join(random.pick_one(RULE_FILES)), lines.join("\n")).expect("write");
        }
        if random.number_below(3) == 0 && tree.path("src").is_dir() {
            tree.mkdir("src/.git");
        }
        if random.number_below(3) == 0 && tree.path(".git/info").is_dir() {
            let pattern: &&str = random.pick_one(PATTERNS);
            tree.write(".git/info/exclude", pattern);
        }
        check_agreement(&tree, &format!("seed {seed}"));
    }
}

#[test]
fn reload_forgets_what_rule_files_said() {
    let tree = WorkspaceTree::with_files(&[("a.log", ""), (".gitignore", "")]);
    let rules = tree.plain_rules();
    assert!(rules.admits_file(&ws("a.log")));
    tree.write(".gitignore", "*.log\n");
    rules.reload_files();
    assert!(!rules.admits_file(&ws("a.log")));
}

#[test]
fn size_decides_the_class() {
    let rules = WorkspaceTree::new().plain_rules();
    let limits = *rules.options();
    assert_eq!(rules.class_of_size(0), FileClass::Parse);
    assert_eq!(rules.class_of_size(limits.parse_max), FileClass::Parse);
    assert_eq!(rules.class_of_size(limits.parse_max + 1), FileClass::TextOnly);
    assert_eq!(rules.class_of_size(limits.read_max + 1), FileClass::TooLarge);
}

#[test]
fn rules_above_the_project_count_as_for_ripgrep() {
    let tree = WorkspaceTree::new();
    let beside = |name: &str, text: &str| fs::write(tree.path_beside(name), text).expect("write");
    beside(".ignore", "*.a\n/root/only.b\n");
    beside(".rgignore", "*.c\n");
    beside(".gitignore", "*.d\n");
    fs::create_dir_all(tree.path_beside(".git/info")).expect("mkdir");
    beside(".git/info/exclude", "*.e\n");
    for ending in ["a", "b", "c", "d", "e", "f"] {
        tree.write(&format!("x.{ending}"), "");
        tree.write(&format!("deep/only.{ending}"), "");
    }
    tree.write("only.b", "");
    tree.write("deep/.ignore", "!only.a\n");
    assert_eq!(tree.found_paths(), ["deep/only.a", "deep/only.b", "deep/only.f", "x.b", "x.f"]);
    check_agreement(&tree, "rules above");
    // A repository of its own ends what git says above it, and nothing else.
    tree.mkdir(".git");
    assert!(
        tree.found_paths().contains(&"x.d".to_owned()) && !tree.found_paths().contains(&"x.c".to_owned())
    );
    check_agreement(&tree, "a repository within a repository");
}

#[test]
fn rule_files_are_read_as_ripgrep_reads_them() {
    let tree = WorkspaceTree::with_git();
    ["a.x", "b.x", "c.x", "d.x", "e.x", "sp "].iter().for_each(|name| tree.write(name, ""));
    let lines: &[&[u8]] = &[
        b"\xEF\xBB\xBFa.x\r\nb.x\r\n",
        b"[z-a]\nb.x\n",
        b"a.x\n\xFF\nb.x\n",
        b"a.x",
        b"\n\n a.x\nsp\\ \n",
        b"\\#x\n#b.x\n!c.x\nc.x\nd.x \n",
    ];
    for lines in lines {
        fs::write(tree.path(".gitignore"), lines).expect("write");
        check_agreement(&tree, &String::from_utf8_lossy(lines));
    }
    // A linked worktree obeys the private file of the repository that it belongs to.
    let tree = WorkspaceTree::with_files(&[
        ("tree/.git", ""),
        ("tree/a.x", ""),
        ("tree/b.x", ""),
        (".git/info/exclude", "b.x\n"),
    ]);
    let own = tree.path(".git/worktrees/tree");
    tree.write(".git/worktrees/tree/commondir", "../..\n");
    tree.write("tree/.git", &format!("gitdir: {}\n", own.display()));
    assert_eq!(tree.found_paths(), ["tree/a.x"]);
    check_agreement(&tree, "a worktree");
}

#[cfg(target_os = "linux")]
#[test]
fn rule_files_that_are_none_are_passed_over_and_named() {
    use std::os::unix::fs::symlink;
    let pipe = |path: std::path::PathBuf| {
        use rustix::fs::{CWD, Mode, mkfifoat};
        mkfifoat(CWD, path, Mode::from_raw_mode(0o600)).expect("a pipe");
    };
    let tree = WorkspaceTree::with_files(&[
        ("a/x.log", ""),
        ("b/x.log", ""),
        ("c/x.log", ""),
        ("d/x.log", ""),
        ("x.log", ""),
    ]);
    fs::write(tree.path_beside("outside"), "*.log\n").expect("write");
    pipe(tree.path(".gitignore"));
    pipe(tree.path("a/.ignore"));
    pipe(tree.path(".git/info/exclude"));
    symlink("/dev/zero", tree.path("b/.rgignore")).expect("a link");
    symlink(tree.path_beside("outside"), tree.path("c/.hobignore")).expect("a link");
    tree.write("d/.gitignore", &"# much\n".repeat(200_000));
    pipe(tree.path("d/.git"));
    let rules = tree.plain_rules();
    let found = scan_tree(&ScanRequest::new(&rules)).expect("it ends");
    let names: Vec<_> = found.files.iter().map(|file| file.path.to_string()).collect();
    assert_eq!(names, ["a/x.log", "b/x.log", "c/x.log", "d/x.log", "x.log"]);
    assert!(names.iter().all(|name| rules.admits_file(&ws(name))), "single questions end too");
    let said = found.notes.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n");
    assert!(said.contains("6 ignore file(s) do not count"), "{said}");
    assert!(said.contains(".git/info/exclude (it is no regular file)"), "{said}");
    // A link within the project is followed, as by ripgrep.
    fs::remove_file(tree.path("c/.hobignore")).expect("removed");
    symlink(tree.path("rules"), tree.path("c/.hobignore")).expect("a link");
    tree.write("rules", "*.log\n");
    assert!(!tree.plain_rules().admits_file(&ws("c/x.log")));
}
