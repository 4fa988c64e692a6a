//! Tests which program is started for a file: what was found a moment ago counts only while it is so.
#![cfg(unix)]

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;

use hob_base::AbsPath;
use hob_live::live::{Live, LiveError, LiveOptions, LiveProject};

fn write_program(folder: &Path, name: &str) {
    fs::create_dir_all(folder).expect("a folder");
    let path = folder.join(name);
    fs::write(&path, "#!/bin/sh\necho 1.0\n").expect("written");
    fs::set_permissions(path, fs::Permissions::from_mode(0o755)).expect("set");
}

/// A search path of one folder, and a project that brings a program along.
fn make_world(dir: &Path) -> (Live, LiveProject) {
    write_program(&dir.join("project/.venv/bin"), "ty");
    fs::create_dir(dir.join("bin")).expect("a folder");
    let env = vec![("PATH".into(), dir.join("bin").into())];
    let root = AbsPath::new(dir.join("project").canonicalize().expect("it is there")).expect("absolute");
    let project = LiveProject { root, trusted: false, preferences: Default::default() };
    (Live::new(LiveOptions { env, ..LiveOptions::default() }), project)
}

fn chosen_server(live: &Live, project: &LiveProject) -> Result<&'static str, LiveError> {
    let (launch, found) = live.find_launch(project, "a.py")?;
    assert!(found.program.is_file(), "{found:?}");
    Ok(launch.spec.name)
}

#[test]
fn a_program_that_came_or_went_is_noticed_by_the_next_question() {
    let dir = tempfile::tempdir().expect("a folder");
    let (live, project) = make_world(dir.path());
    let bin = dir.path().join("bin");
    for _ in 0..2 {
        assert!(chosen_server(&live, &project).is_err());
        write_program(&bin, "pyright-langserver");
        write_program(&bin, "pyrefly");
        assert_eq!(chosen_server(&live, &project), Ok("pyright"));
        fs::remove_file(bin.join("pyright-langserver")).expect("removed");
        assert!(matches!(chosen_server(&live, &project), Err(LiveError::Untrusted { server: "ty", .. })));
        write_program(&bin, "ty");
        assert_eq!(chosen_server(&live, &project), Ok("ty"));
        fs::set_permissions(bin.join("ty"), fs::Permissions::from_mode(0o644)).expect("set");
        assert!(chosen_server(&live, &project).is_err(), "it is no program any more");
        fs::remove_file(bin.join("ty")).expect("removed");
    }
}

#[test]
fn trust_counts_from_the_next_question_on() {
    let dir = tempfile::tempdir().expect("a folder");
    let (live, project) = make_world(dir.path());
    let trusted = LiveProject { trusted: true, ..project.clone() };
    for _ in 0..2 {
        assert!(chosen_server(&live, &project).is_err());
        assert_eq!(chosen_server(&live, &trusted), Ok("ty"));
    }
}
