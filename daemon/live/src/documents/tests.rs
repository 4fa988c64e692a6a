//! Tests the messages that a server gets about files, for each way in which servers learn of changes.

use std::time::Duration;

use super::announce::{MOST_KEPT, MOST_SHOWN};
use super::*;
use crate::spec::{Reread, ServerLags};

fn spec_announcing(announce: Announce) -> ServerSpec {
    ServerSpec { name: "test", files: &[("py", "python")], announce, ..ServerSpec::cautious_defaults() }
}

fn path(text: &str) -> WsPath {
    WsPath::new(text).expect("relative")
}

fn method_names(tell: &[DocumentMessage]) -> Vec<&'static str> {
    tell.iter().map(|tell| tell.method.rsplit('/').next().unwrap_or_default()).collect()
}

fn told_methods(taken: AnnouncePlan) -> Vec<&'static str> {
    match taken {
        AnnouncePlan::Messages(tell, _) => method_names(&tell),
        AnnouncePlan::StartAnew => vec!["anew"],
    }
}

#[test]
fn an_open_file_follows_the_disk() {
    let spec = spec_announcing(Announce::WatchedFiles);
    let mut documents = ServerDocuments::new(AbsPath::new("/p").expect("absolute"));
    let one: ReadText<'_> = &|_| Some("one".to_owned());
    let two: ReadText<'_> = &|_| Some("two".to_owned());
    let changed = BTreeMap::from([(path("a.py"), FileChange::Changed)]);
    assert_eq!(method_names(&documents.open(&spec, &path("a.py"), one).expect("readable")), ["didOpen"]);
    assert_eq!(documents.open(&spec, &path("a.py"), one), Some(vec![]), "it is open");
    assert_eq!(
        told_methods(documents.announce(&spec, &changed, one)),
        ["didChangeWatchedFiles"],
        "the same contents"
    );
    assert_eq!(
        told_methods(documents.announce(&spec, &changed, two)),
        ["didChange", "didChangeWatchedFiles"]
    );
    assert_eq!(documents.version(&path("a.py")), Some(2));
    let gone = BTreeMap::from([(path("a.py"), FileChange::Deleted)]);
    assert_eq!(
        told_methods(documents.announce(&spec, &gone, &|_| None)),
        ["didClose", "didChangeWatchedFiles"]
    );
    assert!(documents.is_empty());
    assert_eq!(documents.open(&spec, &path("a.py"), &|_| None), None);
}

#[test]
fn servers_that_ignore_events_are_shown_the_files() {
    let mut documents = ServerDocuments::new(AbsPath::new("/p").expect("absolute"));
    let text: ReadText<'_> = &|_| Some(String::new());
    let changes = BTreeMap::from([
        (path("a.py"), FileChange::Created),
        (path("b.py"), FileChange::Changed),
        (path("c.txt"), FileChange::Created),
        (path("d.py"), FileChange::Deleted),
    ]);
    let shown = told_methods(documents.announce(&spec_announcing(Announce::OpenAndClose), &changes, text));
    assert_eq!(shown, ["didOpen", "didClose", "didOpen", "didClose"]);
    let new =
        told_methods(documents.announce(&spec_announcing(Announce::WatchedFilesAndOpenNew), &changes, text));
    assert_eq!(new, ["didChangeWatchedFiles", "didOpen", "didClose"]);
    let many = (0..=MOST_SHOWN).map(|i| (path(&format!("f{i}.py")), FileChange::Changed)).collect();
    assert_eq!(
        told_methods(documents.announce(&spec_announcing(Announce::OpenAndClose), &many, text)),
        ["anew"]
    );
}

#[test]
fn a_verdict_is_asked_for_once_after_every_change_anywhere() {
    let spec = spec_announcing(Announce::WatchedFiles);
    let mut documents = ServerDocuments::new(AbsPath::new("/p").expect("absolute"));
    let text: ReadText<'_> = &|_| Some(String::new());
    let a = path("a.py");
    let first = documents.await_verdict(&spec, &a, 0, text).expect("readable");
    assert_eq!((method_names(&first.tell), first.version, first.before), (vec!["didOpen"], 1, 0));
    let again = documents.await_verdict(&spec, &a, 3, text).expect("readable");
    assert_eq!((method_names(&again.tell), again.version, again.before), (vec![], 1, 0), "it is on its way");
    let elsewhere = BTreeMap::from([(path("b.py"), FileChange::Changed)]);
    documents.announce(&spec, &elsewhere, text);
    let anew = documents.await_verdict(&spec, &a, 3, text).expect("readable");
    assert_eq!((method_names(&anew.tell), anew.version, anew.before), (vec!["didChange"], 2, 3));
    let gone = BTreeMap::from([(a.clone(), FileChange::Deleted)]);
    documents.announce(&spec, &gone, &|_| None);
    assert_eq!(documents.await_verdict(&spec, &a, 3, &|_| None), None);
    let back = documents.await_verdict(&spec, &a, 4, text).expect("readable");
    assert_eq!(
        (method_names(&back.tell), back.version),
        (vec!["didOpen"], 3),
        "never the same version twice"
    );
}

#[test]
fn a_server_that_reads_again_late_has_changed_files_open() {
    let lags = ServerLags { read: Duration::from_secs(4), listed: Duration::from_secs(7) };
    let spec = spec_announcing(Announce::OpenAndKeep(lags));
    let mut documents = ServerDocuments::new(AbsPath::new("/p").expect("absolute"));
    let text: ReadText<'_> = &|_| Some(String::new());
    let settles = |taken: AnnouncePlan| match taken {
        AnnouncePlan::Messages(_, settles) => settles,
        AnnouncePlan::StartAnew => Duration::MAX,
    };
    let changed = BTreeMap::from([(path("a.py"), FileChange::Changed), (path("b.txt"), FileChange::Changed)]);
    assert_eq!(told_methods(documents.announce(&spec, &changed, text)), ["didChangeWatchedFiles", "didOpen"]);
    let other: ReadText<'_> = &|_| Some("x".to_owned());
    assert_eq!(
        told_methods(documents.announce(&spec, &changed, other)),
        ["didChange", "didChangeWatchedFiles"]
    );
    assert_eq!(settles(documents.announce(&spec, &changed, other)), Duration::ZERO);
    let gone = BTreeMap::from([(path("c.py"), FileChange::Deleted)]);
    assert_eq!(settles(documents.announce(&spec, &gone, text)), lags.listed);
    let many: BTreeMap<_, _> =
        (0..MOST_OPEN).map(|i| (path(&format!("f{i}.py")), FileChange::Changed)).collect();
    assert_eq!(settles(documents.announce(&spec, &many, text)), lags.read);
    assert_eq!(documents.len(), 1, "what others ask about stays open");
}

#[test]
fn a_changed_file_stays_open_until_the_server_has_read_it() {
    let spec = spec_announcing(Announce::OpenUntilRead(&[".h"]));
    let mut documents = ServerDocuments::new(AbsPath::new("/p").expect("absolute"));
    let (one, two): (ReadText<'_>, ReadText<'_>) = (&|_| Some("1".to_owned()), &|_| Some("2".to_owned()));
    let (a, changed) = (path("a.py"), BTreeMap::from([(path("a.py"), FileChange::Changed)]));
    assert_eq!(told_methods(documents.announce(&spec, &changed, one)), ["didOpen"]);
    assert_eq!(documents.being_read(), [(a.clone(), 1)]);
    assert_eq!(told_methods(documents.announce(&spec, &changed, one)), [""; 0], "it is reading just that");
    assert_eq!(told_methods(documents.announce(&spec, &changed, two)), ["didChange"]);
    assert_eq!(documents.has_read(&a, 1), None, "that is not what is there now");
    assert_eq!(method_names(&documents.has_read(&a, 2).into_iter().collect::<Vec<_>>()), ["didClose"]);
    assert!(documents.is_empty() && documents.being_read().is_empty());
    // A file that a call asked about stays open, and is read again when another file has changed.
    assert_eq!(method_names(&documents.open(&spec, &a, two).expect("readable")), ["didOpen"]);
    let elsewhere = BTreeMap::from([(path("b.py"), FileChange::Deleted)]);
    assert_eq!(told_methods(documents.announce(&spec, &elsewhere, &|_| None)), ["didOpen"], "as empty");
    assert_eq!(method_names(&documents.open(&spec, &a, two).expect("readable")), ["didChange"]);
    assert_eq!(documents.open(&spec, &a, two), Some(vec![]));
    assert_eq!(documents.has_read(&a, i32::MAX), None);
    let header = BTreeMap::from([(path("a.h"), FileChange::Changed)]);
    assert_eq!(told_methods(documents.announce(&spec, &header, one)), ["anew"], "others include it");
    let many = (0..=MOST_KEPT).map(|i| (path(&format!("f{i}.py")), FileChange::Changed)).collect();
    assert_eq!(told_methods(documents.announce(&spec, &many, one)), ["anew"]);
}

#[test]
fn a_server_with_a_command_is_given_it_when_the_list_of_files_changes() {
    let how = Reread { command: "reload", arguments: &[], also: &[".json"] };
    let spec = spec_announcing(Announce::Command(how));
    let mut documents = ServerDocuments::new(AbsPath::new("/p").expect("absolute"));
    let text: ReadText<'_> = &|_| Some(String::new());
    let one = |name: &str, change| BTreeMap::from([(path(name), change)]);
    let told = |documents: &mut ServerDocuments, name: &str, change| {
        let AnnouncePlan::Messages(tell, settles) = documents.announce(&spec, &one(name, change), text)
        else {
            panic!("it is told")
        };
        assert_eq!(settles, Duration::ZERO);
        let last = tell.last().expect("something is told");
        (method_names(std::slice::from_ref(last))[0], last.is_request())
    };
    assert_eq!(told(&mut documents, "a.py", FileChange::Changed), ("didOpen", false));
    assert_eq!(told(&mut documents, "b.py", FileChange::Created), ("executeCommand", true));
    assert_eq!(told(&mut documents, "c.py", FileChange::Deleted), ("executeCommand", true));
    assert_eq!(told(&mut documents, "d.json", FileChange::Changed), ("executeCommand", true));
    assert_eq!(told(&mut documents, "e.txt", FileChange::Created), ("didChangeWatchedFiles", false));
    let many = (0..=MOST_KEPT).map(|i| (path(&format!("f{i}.py")), FileChange::Changed)).collect();
    let AnnouncePlan::Messages(tell, _) = documents.announce(&spec, &many, text) else {
        panic!("it is told")
    };
    assert_eq!(method_names(&tell), ["didChangeWatchedFiles", "executeCommand"]);
    assert_eq!(documents.len(), 1, "what others ask about stays open");
}

#[test]
fn the_file_used_longest_ago_is_closed_first() {
    let spec = spec_announcing(Announce::WatchedFiles);
    let mut documents = ServerDocuments::new(AbsPath::new("/p").expect("absolute"));
    let text: ReadText<'_> = &|_| Some(String::new());
    for i in 0..MOST_OPEN {
        documents.open(&spec, &path(&format!("f{i}.py")), text);
    }
    documents.open(&spec, &path("f0.py"), text);
    assert_eq!(
        method_names(&documents.open(&spec, &path("new.py"), text).expect("readable")),
        ["didClose", "didOpen"]
    );
    assert_eq!(documents.len(), MOST_OPEN);
    assert!(documents.version(&path("f0.py")).is_some() && documents.version(&path("f1.py")).is_none());
}
