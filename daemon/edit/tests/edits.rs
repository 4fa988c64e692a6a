//! Tests what a user notices of pending edits: on the real disk, through what the daemon calls.

use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, UNIX_EPOCH};

use hob_base::{AbsPath, WsPath};
use hob_edit::{
    Clock, Differs, EditError, Edits, Owner, Pending, PendingKind, PendingOutcome, Proposal, ProposedFile,
    Staged,
};

/// A workspace, and hob's own folder.
struct EditsFolder {
    folder: tempfile::TempDir,
    /// The clock's time in seconds since 1970.
    time: Arc<AtomicU64>,
}

impl EditsFolder {
    fn new(files: &[(&str, &str)]) -> Self {
        let folder = tempfile::tempdir().expect("folder");
        let place = Self { folder, time: Arc::new(AtomicU64::new(1_000_000_000)) };
        fs::create_dir(place.folder.path().join("ws")).expect("folder");
        for (name, text) in files {
            place.write(name, text);
        }
        place
    }

    fn path_at(&self, name: &str) -> AbsPath {
        AbsPath::new(self.folder.path().join(name)).expect("absolute")
    }

    fn file(&self, name: &str) -> std::path::PathBuf {
        self.folder.path().join("ws").join(name)
    }

    fn write(&self, name: &str, text: &str) {
        let path = self.file(name);
        fs::create_dir_all(path.parent().expect("below")).expect("folder");
        fs::write(path, text).expect("file");
    }

    fn read(&self, name: &str) -> Option<String> {
        fs::read_to_string(self.file(name)).ok()
    }

    fn open(&self) -> Edits {
        let time = Arc::clone(&self.time);
        let clock: Clock = Box::new(move || UNIX_EPOCH + Duration::from_secs(time.load(Ordering::Relaxed)));
        let (edits, report) = Edits::open(&self.path_at("state"), clock);
        assert_eq!(report.recovered, Vec::<String>::new());
        edits
    }

    fn owner_of(&self, client: &str) -> Owner {
        Owner { client: client.to_owned(), root: self.path_at("ws") }
    }

    /// Every name in the workspace.
    fn all_names(&self) -> Vec<String> {
        fn walk(folder: &Path, out: &mut Vec<String>) {
            for entry in fs::read_dir(folder).expect("folder") {
                let entry = entry.expect("entry");
                out.push(entry.file_name().into_string().expect("Unicode"));
                if entry.file_type().expect("known").is_dir() {
                    walk(&entry.path(), out);
                }
            }
        }
        let mut out = Vec::new();
        walk(&self.folder.path().join("ws"), &mut out);
        out.sort();
        out
    }
}

fn ws(path: &str) -> WsPath {
    WsPath::new(path).expect("relative")
}

fn edit_of(path: &str, before: &str, after: &str) -> ProposedFile {
    ProposedFile::of_existing(ws(path), before.as_bytes(), after.as_bytes())
}

fn creation_of(path: &str, after: &str) -> ProposedFile {
    ProposedFile { path: ws(path), moved_to: None, before: None, after: Some(after.as_bytes().into()) }
}

fn deletion_of(path: &str, before: &str) -> ProposedFile {
    ProposedFile { path: ws(path), moved_to: None, before: Some(before.as_bytes().into()), after: None }
}

fn move_of(from: &str, to: &str, contents: &str) -> ProposedFile {
    ProposedFile { moved_to: Some(ws(to)), ..edit_of(from, contents, contents) }
}

fn proposal_of(label: &str, changes: Vec<ProposedFile>) -> Proposal {
    Proposal { label: label.to_owned(), tool: "edit_text".to_owned(), changes }
}

#[test]
fn nothing_is_pending_until_something_is() {
    let place = EditsFolder::new(&[]);
    let edits = place.open();
    let error = edits.find(&place.owner_of("a"), None).expect_err("nothing is pending");
    assert_eq!(error.to_string(), "No pending action to resolve. Nothing to apply or discard.");
    let error = edits.find(&place.owner_of("a"), Some("e00000000")).expect_err("nobody has it");
    assert_eq!(
        error.to_string(),
        "there is no pending edit `e00000000`; `hob pending` lists those that there are"
    );
    assert!(matches!(edits.find(&place.owner_of("a"), Some("../x")), Err(EditError::Unknown(_))));
    assert_eq!(
        edits.propose(&place.owner_of("a"), proposal_of("none", vec![edit_of("a", "1", "1")])),
        Err(EditError::Nothing)
    );
}

#[test]
fn the_newest_preview_comes_before_the_change_set() {
    let place = EditsFolder::new(&[("a", "1"), ("b", "1")]);
    let edits = place.open();
    let (one, other) = (place.owner_of("one"), place.owner_of("other"));
    let first = edits.propose(&one, proposal_of("first", vec![edit_of("a", "1", "2")])).expect("queued").id;
    let second = edits.propose(&one, proposal_of("second", vec![edit_of("a", "1", "3")])).expect("queued").id;
    let set = edits.stage(&one, proposal_of("staged", vec![edit_of("b", "1", "2")])).expect("staged").summary;
    assert_eq!(set.kind, PendingKind::ChangeSet);
    let newest = |edits: &Edits| edits.find(&one, None).map(|pending: Pending| pending.summary.id);
    assert_eq!(newest(&edits), Ok(second.clone()));
    assert_eq!(edits.find(&other, None), Err(EditError::NothingPending));
    assert_eq!(edits.find(&other, Some(first.as_str())).map(|one| one.summary.id), Ok(first.clone()));
    edits.discard(&second).expect("pending");
    assert_eq!(newest(&edits), Ok(first.clone()));
    edits.discard(&first).expect("pending");
    assert_eq!(newest(&edits), Ok(set.id.clone()));
    edits.apply(&set.id).expect("nothing is in the way");
    assert_eq!(newest(&edits), Err(EditError::NothingPending));
    assert_eq!(place.read("b").as_deref(), Some("2"));
}

#[test]
fn what_is_pending_and_what_was_decided_outlives_a_restart() {
    let place = EditsFolder::new(&[("a", "1"), ("b", "1")]);
    let owner = place.owner_of("one");
    let edits = place.open();
    let proposal = proposal_of("both", vec![edit_of("a", "1", "\u{feff}2\r\n"), edit_of("b", "1", "")]);
    let kept = edits.propose(&owner, proposal.clone()).expect("queued");
    let gone =
        edits.propose(&owner, proposal_of("not wanted", vec![edit_of("a", "1", "3")])).expect("queued");
    edits.discard(&gone.id).expect("pending");
    drop(edits);
    let edits = place.open();
    assert_eq!(edits.pending_edits(&|_| true), [Arc::new(kept.clone())]);
    assert_eq!(edits.find(&owner, None).map(|pending| pending.proposal), Ok(proposal));
    let settled = EditError::Settled {
        id: gone.id.clone(),
        label: "not wanted".to_owned(),
        outcome: PendingOutcome::Discarded,
    };
    assert_eq!(edits.discard(&gone.id), Err(settled));
    edits.apply(&kept.id).expect("nothing is in the way");
    drop(edits);
    let edits = place.open();
    let error = edits.discard(&kept.id).expect_err("it has been applied");
    let text = format!("`{}` (both) has been applied; `hob undo` takes back what was applied last", kept.id);
    assert_eq!(error.to_string(), text);
    let error = edits.find(&owner, Some(kept.id.as_str())).expect_err("it has been applied");
    assert!(matches!(error, EditError::Settled { outcome: PendingOutcome::Applied, .. }));
    assert_eq!(edits.undo(&owner.root).map(|undone| undone.label), Ok("both".to_owned()));
    assert_eq!((place.read("a"), place.read("b")), (Some("1".into()), Some("1".into())));
}

#[test]
fn after_a_day_nobody_wants_it_any_more() {
    let place = EditsFolder::new(&[("a", "1")]);
    let edits = place.open();
    let id = edits
        .propose(&place.owner_of("one"), proposal_of("late", vec![edit_of("a", "1", "2")]))
        .expect("queued")
        .id;
    place.time.fetch_add(24 * 60 * 60 - 1, Ordering::Relaxed);
    assert_eq!(edits.pending_edits(&|_| true).len(), 1);
    place.time.fetch_add(1, Ordering::Relaxed);
    assert_eq!(edits.pending_edits(&|_| true), []);
    let error = edits.apply(&id).expect_err("it has expired");
    assert_eq!(error.to_string(), format!("`{id}` (late) has expired; make the preview again"));
    assert_eq!(place.read("a").as_deref(), Some("1"));
}

#[test]
fn of_two_agents_the_second_hears_which_file_and_loses_nothing() {
    let place = EditsFolder::new(&[("src/a.py", "one\n"), ("b", "1")]);
    let edits = place.open();
    let both = vec![edit_of("b", "1", "2"), edit_of("src/a.py", "one\n", "uno\n")];
    let first = edits.propose(
        &place.owner_of("first"),
        proposal_of("first", vec![edit_of("src/a.py", "one\n", "eins\n")]),
    );
    let second = edits.propose(&place.owner_of("second"), proposal_of("second", both)).expect("queued").id;
    edits.apply(&first.expect("queued").id).expect("nothing is in the way");
    let error = edits.apply(&second).expect_err("the file is another");
    let EditError::Conflict(conflict) = &error else { panic!("{error}") };
    assert_eq!(
        conflict.files.iter().map(|one| (one.path.as_str(), one.how)).collect::<Vec<_>>(),
        [("src/a.py", Differs::Changed)]
    );
    assert_eq!(
        error.to_string(),
        format!(
            "`src/a.py` has changed. Nothing was written. Discard `{second}` and make the preview again."
        )
    );
    assert_eq!((place.read("src/a.py").as_deref(), place.read("b").as_deref()), (Some("eins\n"), Some("1")));
    assert_eq!(edits.pending_edits(&|_| true).len(), 1, "it is still pending");
    place.write("src/a.py", "one\n");
    edits.apply(&second).expect("now it fits again");
    assert_eq!(place.read("src/a.py").as_deref(), Some("uno\n"));
}

#[test]
fn every_way_in_which_a_file_can_differ_is_said_at_once() {
    let place = EditsFolder::new(&[
        ("changed", "1"),
        ("gone", "1"),
        ("target", "here"),
        ("from", "1"),
        ("folder/x", ""),
    ]);
    let edits = place.open();
    let changes = vec![
        edit_of("changed", "1", "2"),
        creation_of("exists", "mine"),
        edit_of("folder", "1", "2"),
        move_of("from", "target", "1"),
        deletion_of("gone", "1"),
        edit_of("missing/deep/file", "1", "2"),
    ];
    let id = edits.propose(&place.owner_of("one"), proposal_of("all", changes)).expect("queued").id;
    place.write("changed", "other");
    place.write("exists", "theirs");
    fs::remove_file(place.file("gone")).expect("there");
    let before = place.all_names();
    let error = edits.apply(&id).expect_err("nothing fits");
    assert_eq!(
        error.to_string(),
        format!(
            "`changed` has changed, `exists` exists already, `folder` is no regular file, `gone` is gone, \
             `missing/deep/file` is gone and 1 more. Nothing was written. \
             Discard `{id}` and make the preview again."
        )
    );
    assert_eq!(place.all_names(), before);
    assert_eq!(place.read("exists").as_deref(), Some("theirs"));
}

#[test]
fn an_undo_is_done_once_and_only_while_nobody_has_changed_the_files() {
    let place = EditsFolder::new(&[("a", "1"), ("old/b", "b")]);
    let edits = place.open();
    let root = place.path_at("ws");
    assert_eq!(
        edits.undo(&root),
        Err(EditError::NothingToUndo(
            "nothing has been applied in this workspace that could be undone".into()
        ))
    );
    let changes =
        vec![edit_of("a", "1", "2"), creation_of("new/deep/c", "c"), move_of("old/b", "other/b", "b")];
    let id = edits.propose(&place.owner_of("one"), proposal_of("three", changes)).expect("queued").id;
    let applied = edits.apply(&id).expect("nothing is in the way");
    let files: Vec<&str> = applied.files.iter().map(WsPath::as_str).collect();
    assert_eq!(files, ["a", "new/deep/c", "old/b", "other/b"]);
    assert_eq!(applied.warnings, Vec::<String>::new());
    assert_eq!(edits.undoable_edit(&root).map(|last| (last.id, last.label)), Some((id, "three".to_owned())));
    place.write("a", "somebody else's");
    let error = edits.undo(&root).expect_err("it has been changed");
    assert_eq!(
        error.to_string(),
        "`a` has changed. Nothing was written. \
         `three` can be undone only while its files have the contents it gave them."
    );
    assert_eq!(place.read("new/deep/c").as_deref(), Some("c"));
    place.write("a", "2");
    edits.undo(&root).expect("now they have");
    assert_eq!(place.all_names(), ["a", "b", "old"], "folders that were made for it are gone");
    assert_eq!(place.read("a").as_deref(), Some("1"));
    assert!(matches!(edits.undo(&root), Err(EditError::NothingToUndo(_))));
}

#[test]
fn a_change_set_grows_and_refuses_what_was_not_made_from_it() {
    let place = EditsFolder::new(&[("a", "1"), ("b", "1")]);
    let edits = place.open();
    let owner = place.owner_of("one");
    let first = edits.stage(&owner, proposal_of("first", vec![edit_of("a", "1", "2")])).expect("staged");
    assert_eq!(edits.staged_contents(&owner, &ws("a")), Ok(Some(Staged::Contents(b"2".as_slice().into()))));
    assert_eq!(edits.staged_contents(&owner, &ws("b")), Ok(None));
    let whole = edits
        .stage(&owner, proposal_of("second", vec![edit_of("a", "2", "3"), deletion_of("b", "1")]))
        .expect("fits");
    assert_eq!(whole.summary.id, first.summary.id);
    assert_eq!(whole.summary.label, "first; second");
    assert_eq!(whole.proposal.changes, [edit_of("a", "1", "3"), deletion_of("b", "1")]);
    let error = edits
        .stage(&owner, proposal_of("third", vec![edit_of("a", "1", "4")]))
        .expect_err("made from the disk");
    assert_eq!(
        error.to_string(),
        format!(
            "`a` is in the change set already, and this change was not made from the contents that the set \
             gives it; apply or discard the change set `{}` first, or make the change against its contents",
            first.summary.id
        )
    );
    drop(edits);
    let edits = place.open();
    assert_eq!(edits.find(&owner, None), Ok(whole));
    edits.apply(&first.summary.id).expect("nothing is in the way");
    assert_eq!((place.read("a").as_deref(), place.read("b")), (Some("3"), None));
    assert_eq!(edits.staged_contents(&owner, &ws("a")), Ok(None));
}

#[test]
fn a_damaged_record_is_set_aside_and_the_others_stay() {
    let place = EditsFolder::new(&[("a", "1"), ("b", "1")]);
    let edits = place.open();
    let owner = place.owner_of("one");
    let bad = edits.propose(&owner, proposal_of("bad", vec![edit_of("a", "1", "2")])).expect("queued").id;
    let good = edits.propose(&owner, proposal_of("good", vec![edit_of("b", "1", "2")])).expect("queued").id;
    drop(edits);
    let folder = place.folder.path().join("state/pending");
    let file = folder.join(format!("{bad}.edit"));
    let mut bytes = fs::read(&file).expect("a file each");
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    fs::write(&file, &bytes).expect("written");
    fs::write(folder.join("e0000000z.tmp"), "half").expect("written");
    let (edits, report) = Edits::open(&place.path_at("state"), Box::new(|| UNIX_EPOCH));
    assert_eq!(report.warnings.len(), 1);
    assert!(report.warnings[0].contains(&format!("`{bad}` cannot be used: it is damaged")), "{report:?}");
    assert!(folder.join(format!("{bad}.damaged")).exists() && !folder.join("e0000000z.tmp").exists());
    assert_eq!(
        edits.pending_edits(&|_| true).iter().map(|one| one.id.clone()).collect::<Vec<_>>(),
        std::slice::from_ref(&good)
    );
    edits.apply(&good).expect("nothing is in the way");
}

#[test]
fn there_is_an_end_to_what_may_be_pending() {
    let place = EditsFolder::new(&[]);
    let edits = place.open();
    let many = (0..10_001).map(|index| creation_of(&format!("f{index}"), "x")).collect();
    let error = edits.propose(&place.owner_of("one"), proposal_of("many", many)).expect_err("too many files");
    assert_eq!(error.to_string(), "the edit changes 10001 files, at most 10000 go into one; do it in parts");
    for _ in 0..64 {
        edits
            .propose(&place.owner_of("one"), proposal_of("again", vec![creation_of("a", "1")]))
            .expect("queued");
    }
    let error = edits
        .propose(&place.owner_of("one"), proposal_of("more", vec![creation_of("a", "1")]))
        .expect_err("too many");
    assert_eq!(
        error.to_string(),
        "64 edits of this client are pending, which is as many as may be; apply or discard some of them"
    );
    edits
        .propose(&place.owner_of("other"), proposal_of("other", vec![creation_of("a", "1")]))
        .expect("others may");
}

#[test]
fn version_control_and_the_same_file_twice_are_refused() {
    let place = EditsFolder::new(&[("a", "1")]);
    let edits = place.open();
    let refuse = |changes| match edits.propose(&place.owner_of("one"), proposal_of("no", changes)) {
        Err(EditError::Refused { path, why }) => format!("{path}: {why}"),
        other => panic!("{other:?}"),
    };
    assert_eq!(refuse(vec![creation_of(".git/hooks/x", "")]), ".git/hooks/x: it belongs to version control");
    assert_eq!(refuse(vec![creation_of("sub/.GIT", "")]), "sub/.GIT: it belongs to version control");
    assert_eq!(
        refuse(vec![edit_of("a", "1", "2"), edit_of("a", "1", "3")]),
        "a: it is changed twice in one edit"
    );
    assert_eq!(
        refuse(vec![move_of("b", "c", "1"), creation_of("c", "3")]),
        "c: it is changed twice in one edit"
    );
}

#[test]
fn threads_that_apply_at_once_get_one_order() {
    let place = EditsFolder::new(&[("a", "0")]);
    let edits = place.open();
    let done: usize = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..8)
            .map(|thread| {
                let (edits, owner, file) =
                    (&edits, place.owner_of(&format!("client {thread}")), place.file("a"));
                scope.spawn(move || {
                    let mut done = 0;
                    while done < 5 {
                        let before = fs::read_to_string(&file).expect("always whole");
                        let after = (before.parse::<usize>().expect("a number") + 1).to_string();
                        let proposal = proposal_of("one more", vec![edit_of("a", &before, &after)]);
                        let id = edits.propose(&owner, proposal).expect("queued").id;
                        match edits.apply(&id) {
                            Ok(_) => done += 1,
                            Err(EditError::Conflict(_)) => drop(edits.discard(&id).expect("pending")),
                            Err(error) => panic!("{error}"),
                        }
                    }
                    done
                })
            })
            .collect();
        threads.into_iter().map(|thread| thread.join().expect("no panic")).sum()
    });
    assert_eq!(place.read("a"), Some(done.to_string()));
    assert_eq!((place.all_names(), edits.pending_edits(&|_| true).len()), (vec!["a".to_owned()], 0));
}

#[test]
fn one_edit_is_applied_once_however_many_ask() {
    let place = EditsFolder::new(&[("a", "0")]);
    let edits = place.open();
    let id = edits
        .propose(&place.owner_of("one"), proposal_of("once", vec![edit_of("a", "0", "1")]))
        .expect("queued")
        .id;
    let results: Vec<_> = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..6).map(|_| scope.spawn(|| edits.apply(&id))).collect();
        threads.into_iter().map(|thread| thread.join().expect("no panic")).collect()
    });
    assert_eq!(results.iter().filter(|one| one.is_ok()).count(), 1);
    assert!(results.iter().all(|one| matches!(one, Ok(_) | Err(EditError::Settled { .. }))), "{results:?}");
}

#[cfg(unix)]
mod unix {
    use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};

    use super::*;

    fn apply(place: &EditsFolder, changes: Vec<ProposedFile>) -> Result<(), EditError> {
        let edits = place.open();
        let id = edits.propose(&place.owner_of("one"), proposal_of("an edit", changes)).expect("queued").id;
        edits.apply(&id).map(drop)
    }

    fn refusal_of(result: Result<(), EditError>) -> &'static str {
        match result {
            Err(EditError::Refused { why, .. }) => why,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn a_file_keeps_its_permissions_and_bytes() {
        let place = EditsFolder::new(&[("run.sh", "\u{feff}old\r\n"), ("secret", "1")]);
        fs::set_permissions(place.file("run.sh"), fs::Permissions::from_mode(0o755)).expect("own");
        fs::set_permissions(place.file("secret"), fs::Permissions::from_mode(0o400)).expect("own");
        apply(
            &place,
            vec![edit_of("run.sh", "\u{feff}old\r\n", "\u{feff}new\r\n\n"), move_of("secret", "kept", "1")],
        )
        .expect("nothing is in the way");
        let mode = |name| fs::metadata(place.file(name)).expect("there").mode() & 0o7777;
        assert_eq!((mode("run.sh"), mode("kept")), (0o755, 0o400));
        assert_eq!(place.read("run.sh").as_deref(), Some("\u{feff}new\r\n\n"));
    }

    #[test]
    fn a_link_within_is_written_at_its_file_and_stays_a_link() {
        let place = EditsFolder::new(&[("real/a", "1")]);
        symlink("real", place.file("folder")).expect("link");
        symlink("real/a", place.file("a")).expect("link");
        apply(&place, vec![edit_of("a", "1", "2"), creation_of("folder/b", "b")])
            .expect("nothing is in the way");
        assert!(fs::symlink_metadata(place.file("a")).expect("there").is_symlink());
        assert_eq!(
            (place.read("real/a").as_deref(), place.read("real/b").as_deref()),
            (Some("2"), Some("b"))
        );
        let twice = apply(&place, vec![edit_of("a", "2", "3"), edit_of("folder/a", "2", "3")]);
        assert_eq!(refusal_of(twice), "another path of this edit leads to the same file");
    }

    #[test]
    fn nothing_is_written_through_a_link_that_leads_outside() {
        let place = EditsFolder::new(&[("in", "1")]);
        let outside = place.folder.path().join("outside");
        fs::create_dir(&outside).expect("folder");
        fs::write(outside.join("a"), "1").expect("file");
        symlink("../outside", place.file("folder")).expect("link");
        symlink("../outside/a", place.file("file")).expect("link");
        symlink("nowhere", place.file("dangling")).expect("link");
        let leads = "a symbolic link on the way leads out of the workspace, or nowhere";
        for change in
            [edit_of("folder/a", "1", "2"), creation_of("folder/b", "b"), deletion_of("folder/a", "1")]
        {
            assert_eq!(refusal_of(apply(&place, vec![change])), leads);
        }
        for change in [edit_of("file", "1", "2"), edit_of("dangling", "1", "2")] {
            assert_eq!(refusal_of(apply(&place, vec![change])), leads);
        }
        let link = "it is a symbolic link; name the file that it leads to";
        assert_eq!(refusal_of(apply(&place, vec![deletion_of("file", "1")])), link);
        assert_eq!(refusal_of(apply(&place, vec![move_of("file", "there", "1")])), link);
        assert!(matches!(apply(&place, vec![creation_of("dangling", "x")]), Err(EditError::Conflict(_))));
        let names: Vec<_> =
            fs::read_dir(&outside).expect("folder").map(|e| e.expect("entry").file_name()).collect();
        assert_eq!(names, ["a"]);
        assert_eq!(fs::read_to_string(outside.join("a")).expect("there"), "1");
    }

    #[test]
    fn a_workspace_that_is_reached_through_a_link_is_the_same_workspace() {
        let place = EditsFolder::new(&[("a", "1")]);
        symlink("ws", place.folder.path().join("alias")).expect("link");
        let edits = place.open();
        let owner = Owner { client: "one".into(), root: place.path_at("alias") };
        let id = edits
            .propose(&owner, proposal_of("by the alias", vec![edit_of("a", "1", "2")]))
            .expect("queued")
            .id;
        edits.apply(&id).expect("nothing is in the way");
        edits.undo(&place.path_at("ws")).expect("undone by the other name");
        assert_eq!(place.read("a").as_deref(), Some("1"));
    }

    #[test]
    fn a_file_that_the_system_refuses_is_named_with_the_cause() {
        let place = EditsFolder::new(&[("a", "1"), ("b", "1")]);
        // A name that is too long for what is put beside it is too long for everybody.
        let long = "x".repeat(300);
        let error =
            apply(&place, vec![edit_of("a", "1", "2"), creation_of(&long, "1")]).expect_err("too long");
        assert_eq!(error.to_string(), format!("Apply failed: {long}: File name too long"));
        assert_eq!(
            (place.read("a").as_deref(), place.all_names()),
            (Some("1"), vec!["a".into(), "b".into()])
        );
    }
}

#[test]
fn a_workspace_is_forgotten_even_when_it_is_gone_and_others_are_not() {
    let place = EditsFolder::new(&[("a.py", "one\n")]);
    let edits = place.open();
    let owner = place.owner_of("a");
    let applied =
        edits.propose(&owner, proposal_of("two", vec![edit_of("a.py", "one\n", "two\n")])).expect("sound");
    edits.apply(&applied.id).expect("nothing is in the way");
    edits.propose(&owner, proposal_of("three", vec![edit_of("a.py", "two\n", "three\n")])).expect("sound");
    let elsewhere = Owner { root: place.path_at("state"), ..owner.clone() };
    edits.propose(&elsewhere, proposal_of("other", vec![creation_of("b.py", "x\n")])).expect("sound");
    assert!(edits.has_undo(&owner.root) && !edits.has_undo(&elsewhere.root));
    fs::remove_dir_all(place.folder.path().join("ws")).expect("removed");
    edits.forget_workspace(&owner.root).expect("hob's own folder is there");
    assert!(!edits.has_undo(&owner.root));
    let left: Vec<String> =
        place.open().pending_edits(&|_| true).iter().map(|one| one.label.clone()).collect();
    assert_eq!(left, ["other"]);
}
