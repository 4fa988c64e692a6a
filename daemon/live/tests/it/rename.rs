//! Renames against a server that refuses, contradicts itself, answers too early, means other contents, or nothing at all.

use std::cell::Cell;
use std::fs;

use hob_base::{ContentHash, Stopped, WsPath};
use hob_live::instance::{Completeness, Instance, ServerAnswer};
use hob_live::live::LiveError;
use hob_live::requests::{
    FileDiagnostics, Renaming, RequestPosition, ServerQueryContext, judge, rename, renamed_files,
    will_rename_files,
};
use hob_live::spec::ReadySignal;
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::support::{start, within_millis};

/// Two files that share a name; behind what counts one, two and three units or bytes.
const A: &str = "s = '\u{e9}\u{1f4a5}'; old = 1\nold\n";
const B: &str = "from a import old\nprint(old, older)\n";

struct RenameProject(TempDir);

impl RenameProject {
    fn new() -> Self {
        let project = Self(TempDir::new().expect("a folder"));
        project.write("a.py", A);
        project.write("b.py", B);
        project
    }

    fn write(&self, file: &str, text: &str) {
        let path = self.0.path().join(file);
        fs::create_dir_all(path.parent().expect("it lies in a folder")).expect("a folder");
        fs::write(path, text).expect("written");
    }

    fn uri(&self, file: &str) -> String {
        format!("file://{}/{file}", self.0.path().display())
    }

    fn read(&self, path: &WsPath) -> Option<String> {
        fs::read_to_string(self.0.path().join(path.as_str())).ok()
    }

    fn start(&self, script: Value) -> Instance {
        start(ReadySignal::Held, &script, self.0.path()).expect("it starts")
    }

    fn rename(&self, server: &Instance, patience: u64) -> Result<ServerAnswer<Renaming>, LiveError> {
        let read = |path: &WsPath| self.read(path);
        let at = RequestPosition { file: path("a.py"), line: 2, col: 1 };
        rename(server, &at, "new", ServerQueryContext { read: &read, cancel: &within_millis(patience) })
    }

    /// Returns the changes of a rename for which the server answers with this edit.
    fn renaming_for(&self, edit: Value) -> Result<Renaming, LiveError> {
        let server = self.start(answering_rename(json!([{"result": edit}])));
        let outcome = self.rename(&server, 60_000);
        server.stop();
        outcome.map(|answer| answer.value)
    }

    /// Why an edit is refused.
    fn refusal_of(&self, edit: Value) -> String {
        match self.renaming_for(edit) {
            Err(error @ LiveError::BadEdit { .. }) => error.to_string(),
            other => panic!("{other:?}"),
        }
    }

    fn document_edits(&self, file: &str, version: Value, edits: Value) -> Value {
        json!({"textDocument": {"uri": self.uri(file), "version": version}, "edits": edits})
    }
}

fn answering_rename(steps: Value) -> Value {
    json!({"capabilities": {"renameProvider": true}, "answers": {"textDocument/rename": steps}})
}

fn path(text: &str) -> WsPath {
    WsPath::new(text).expect("relative")
}

/// Something new for a part of a line, from 0.
fn text_edit(line: u32, from: u32, to: u32, text: &str) -> Value {
    let at = |character: u32| json!({"line": line, "character": character});
    json!({"range": {"start": at(from), "end": at(to)}, "newText": text})
}

fn in_a() -> Value {
    json!([text_edit(1, 0, 3, "new"), text_edit(0, 11, 14, "new")])
}

fn texts_of(renaming: &Renaming) -> Vec<(&str, Vec<(&str, &str)>)> {
    renaming
        .files
        .iter()
        .map(|file| {
            let edits = file.edits.iter().map(|(range, new)| (&file.text[range.clone()], new.as_str()));
            (file.path.as_str(), edits.collect())
        })
        .collect()
}

#[test]
fn both_forms_become_bytes_of_the_contents_that_were_sent() {
    let project = RenameProject::new();
    let in_b = json!([text_edit(0, 14, 17, "new"), text_edit(1, 6, 9, "new")]);
    let whole = [("a.py", vec![("old", "new"); 2]), ("b.py", vec![("old", "new"); 2])];
    let changes = json!({"changes": {project.uri("b.py"): in_b, project.uri("a.py"): in_a()}});
    let found = project.renaming_for(changes).expect("a rename");
    assert_eq!((texts_of(&found), found.old_name.as_str()), (whole.to_vec(), "old"));
    assert_eq!(found.files[0].hash, ContentHash::of(A.as_bytes()));
    assert_eq!(found.files[0].edits[1].0, 14..17, "after six bytes that are three units");
    // Where both are given the one with versions counts; the open file's is 1, others have none.
    let documents = json!({
        "changes": {project.uri("a.py"): []},
        "documentChanges": [project.document_edits("a.py", json!(1), in_a()), project.document_edits("b.py", json!(null), in_b)],
    });
    assert_eq!(texts_of(&project.renaming_for(documents).expect("a rename")), whole);
}

#[test]
fn what_a_server_refuses_is_said_in_its_words() {
    let project = RenameProject::new();
    let words = json!([{"error": {"code": -32602, "message": "`new` is a keyword."}}]);
    let server = project.start(answering_rename(words.clone()));
    let error = project.rename(&server, 60_000).expect_err("refused");
    assert_eq!(error.to_string(), "fake: `new` is a keyword");
    let asking_first = |prepared: Value| {
        let mut script = answering_rename(json!([{"result": {"changes": {project.uri("a.py"): in_a()}}}]));
        script["capabilities"]["renameProvider"] = json!({"prepareProvider": true});
        script["answers"]["textDocument/prepareRename"] = prepared;
        let server = project.start(script);
        project.rename(&server, 60_000)
    };
    let error = asking_first(words).expect_err("refused beforehand");
    assert_eq!(error.to_string(), "fake: `new` is a keyword");
    for nothing in [json!(null), json!({"defaultBehavior": false})] {
        let error = asking_first(json!([{"result": nothing}])).expect_err("nothing is there");
        assert!(matches!(error, LiveError::NotRenamable { why: None, .. }), "{error:?}");
    }
    let range = json!({"start": {"line": 1, "character": 0}, "end": {"line": 1, "character": 3}});
    for fine in
        [range.clone(), json!({"range": range, "placeholder": "old"}), json!({"defaultBehavior": true})]
    {
        let answer = asking_first(json!([{"result": fine}])).expect("it may be renamed");
        assert_eq!((answer.value.old_name.as_str(), answer.completeness), ("old", Completeness::Complete));
    }
    let unable = project.start(json!({"capabilities": {"renameProvider": false}}));
    let error = project.rename(&unable, 60_000).expect_err("it cannot");
    assert_eq!(error, LiveError::Unsupported { server: "fake", question: "textDocument/rename" });
    for empty in [json!(null), json!({}), json!({"changes": {project.uri("a.py"): []}})] {
        assert!(matches!(project.renaming_for(empty), Err(LiveError::NotRenamable { why: None, .. })));
    }
}

#[test]
fn an_edit_that_does_not_fit_is_refused_and_nothing_is_guessed() {
    let project = RenameProject::new();
    let changes = |file: String, edits: Value| json!({"changes": {file: edits}});
    let of_a = |edits: Value| changes(project.uri("a.py"), edits);
    let document = |file: &str, version: u32| json!({"documentChanges": [project.document_edits(file, json!(version), in_a())]});
    for (edit, why) in [
        (document("a.py", 7), "means version 7 of it, but was sent version 1"),
        (document("b.py", 3), "but it is not open there"),
        (of_a(json!([text_edit(5, 0, 3, "new")])), "line 6, column 1 of it, which is not there"),
        (of_a(json!([text_edit(1, 0, 4, "new")])), "line 2, column 5 of it"),
        (of_a(json!([text_edit(0, 7, 11, "new")])), "line 1, column 8 of it"),
        (of_a(json!([text_edit(1, 3, 0, "new")])), "ends before it begins"),
        (of_a(json!([text_edit(1, 0, 3, "new"), text_edit(1, 2, 3, "x")])), "want the same byte"),
        (of_a(json!([text_edit(1, 0, 3, "new"), text_edit(0, 12, 14, "new")])), "would cut a name in two"),
        (changes("file:///elsewhere/c.py".to_owned(), in_a()), "which lies outside the workspace"),
        (changes("untitled:c.py".to_owned(), in_a()), "which is no file"),
        (changes(project.uri("gone.py"), in_a()), "`gone.py`, which is not there"),
    ] {
        let said = project.refusal_of(edit);
        assert!(said.contains(why), "{said}");
    }
    project.write("old.mac.py", "old\rold\r");
    let said = project.refusal_of(changes(project.uri("old.mac.py"), in_a()));
    assert!(said.contains("carriage return alone"), "{said}");
    fs::write(project.0.path().join("latin.py"), b"\xe9 old").expect("written");
    let said = project.refusal_of(changes(project.uri("latin.py"), in_a()));
    assert!(said.contains("cannot be read as text"), "{said}");
}

#[test]
fn contents_that_the_server_was_not_sent_are_noticed() {
    let project = RenameProject::new();
    let server =
        project.start(answering_rename(json!([{"result": {"changes": {project.uri("a.py"): in_a()}}}])));
    let count = Cell::new(0);
    let read = |_: &WsPath| {
        count.set(count.get() + 1);
        Some(if count.get() < 3 { A.to_owned() } else { A.replace('1', "2") })
    };
    let at = RequestPosition { file: path("a.py"), line: 2, col: 1 };
    let outcome =
        rename(&server, &at, "new", ServerQueryContext { read: &read, cancel: &within_millis(60_000) });
    let error = outcome.expect_err("it has changed").to_string();
    assert!(error.contains("has changed since the server was told of it"), "{error}");
}

#[test]
fn repeats_go_and_inserts_stay_in_order() {
    let project = RenameProject::new();
    let edits = json!([
        text_edit(1, 0, 3, "new"),
        text_edit(1, 0, 3, "new"),
        text_edit(1, 0, 0, "a"),
        text_edit(1, 0, 0, "b")
    ]);
    let found = project.renaming_for(json!({"changes": {project.uri("a.py"): edits}})).expect("a rename");
    assert_eq!(texts_of(&found), [("a.py", vec![("old", "new"), ("", "a"), ("", "b")])]);
    let odd = json!([text_edit(1, 0, 3, "new"), text_edit(0, 0, 1, "t")]);
    let found = project.renaming_for(json!({"changes": {project.uri("a.py"): odd}})).expect("a rename");
    assert!(found.notes[0].contains("something else than `old`: `s` at a.py:1"), "{:?}", found.notes);
}

#[test]
fn what_a_server_wants_confirmed_is_said() {
    let project = RenameProject::new();
    let mut annotated = text_edit(1, 0, 3, "new");
    annotated["annotationId"] = json!("1");
    let found = project.renaming_for(json!({
        "documentChanges": [project.document_edits("a.py", json!(null), json!([annotated]))],
        "changeAnnotations": {
            "1": {"label": "in a library", "needsConfirmation": true},
            "2": {"label": "of nothing", "needsConfirmation": true},
        },
    }));
    assert_eq!(found.expect("a rename").notes, ["the server wants this to be confirmed: in a library"]);
}

#[test]
fn whole_files_are_made_moved_and_deleted() {
    let project = RenameProject::new();
    for file in ["pkg/mod.py", "pkg/deep/x.py", "there.py"] {
        project.write(file, "old\n");
    }
    let uri = |file: &str| project.uri(file);
    let steps = |steps: Value| json!({"documentChanges": steps});
    let found = project.renaming_for(steps(json!([
        project.document_edits("a.py", json!(1), json!([text_edit(1, 0, 3, "new")])),
        {"kind": "rename", "oldUri": uri("a.py"), "newUri": uri("c.py")},
        project.document_edits("c.py", json!(null), json!([text_edit(0, 11, 14, "new")])),
        {"kind": "create", "uri": uri("d/e.py")},
        project.document_edits("d/e.py", json!(null), json!([text_edit(0, 0, 0, "import c\n")])),
        {"kind": "rename", "oldUri": uri("pkg"), "newUri": uri("lib")},
        project.document_edits("lib/mod.py", json!(null), json!([text_edit(0, 0, 3, "new")])),
        {"kind": "delete", "uri": uri("b.py")},
        {"kind": "rename", "oldUri": uri("d/e.py"), "newUri": uri("d/f.py")},
    ])));
    let found = found.expect("a rename");
    assert_eq!(texts_of(&found), [("a.py", vec![("old", "new"); 2]), ("pkg/mod.py", vec![("old", "new")])]);
    let moved = |from: &str, to: &str| (path(from), path(to));
    let moves =
        [moved("a.py", "c.py"), moved("pkg/deep/x.py", "lib/deep/x.py"), moved("pkg/mod.py", "lib/mod.py")];
    assert_eq!(found.moves, moves);
    assert_eq!(found.created, [(path("d/f.py"), "import c\n".to_owned())]);
    assert_eq!(found.deleted, [path("b.py")]);

    let move_to = |options: Value| {
        steps(
            json!([{"kind": "rename", "oldUri": uri("a.py"), "newUri": uri("there.py"), "options": options}]),
        )
    };
    let found =
        project.renaming_for(move_to(json!({"overwrite": true, "ignoreIfExists": true}))).expect("a rename");
    assert_eq!((found.moves.len(), found.deleted), (1, vec![path("there.py")]));
    for (edit, why) in [
        (move_to(json!({})), "`there.py`, which is there already"),
        (steps(json!([{"kind": "create", "uri": uri("a.py")}])), "create `a.py`, which is there already"),
        (steps(json!([{"kind": "delete", "uri": uri("z.py")}])), "delete `z.py`, which is not there"),
        (steps(json!([{"kind": "delete", "uri": uri("pkg")}])), "but not what is in it"),
        (steps(json!([{"kind": "rename", "oldUri": uri("pkg"), "newUri": uri("pkg/in")}])), "into itself"),
        (
            steps(json!([{"kind": "rename", "oldUri": uri("a.py"), "newUri": "file:///elsewhere/a.py"}])),
            "outside the workspace",
        ),
    ] {
        let said = project.refusal_of(edit);
        assert!(said.contains(why), "{said}");
    }
    let ignored = json!([
        {"kind": "create", "uri": uri("a.py"), "options": {"ignoreIfExists": true}},
        {"kind": "delete", "uri": uri("z.py"), "options": {"ignoreIfNotExists": true}},
        {"kind": "delete", "uri": uri("pkg"), "options": {"recursive": true}},
        project.document_edits("a.py", json!(1), in_a()),
    ]);
    let found = project.renaming_for(steps(ignored)).expect("a rename");
    assert_eq!((found.created.len(), found.files.len()), (0, 1));
    assert_eq!(found.deleted, [path("pkg/deep/x.py"), path("pkg/mod.py")]);
}

fn progress_step(kind: &str, delay: u64) -> Value {
    let value = json!({"kind": kind, "title": "Indexing"});
    json!({"delayMs": delay, "method": "$/progress", "params": {"token": "index", "value": value}})
}

#[test]
fn a_server_that_is_loading_is_waited_for_and_otherwise_there_is_no_answer() {
    let project = RenameProject::new();
    let early = json!({"result": {"changes": {project.uri("a.py"): [text_edit(1, 0, 3, "new")]}}});
    let whole = json!({"result": {"changes": {project.uri("a.py"): in_a()}}});
    let ready = ReadySignal::ProgressEnds("index");
    let mut script = answering_rename(json!([whole]));
    script["then"] = json!([progress_step("begin", 0), progress_step("end", 1500)]);
    let server = start(ready, &script, project.0.path()).expect("it starts");
    let answer = project.rename(&server, 60_000).expect("it has loaded");
    assert_eq!((answer.value.files[0].edits.len(), answer.completeness), (2, Completeness::Complete));
    server.stop();
    let refusal = json!({"error": {"code": -32001, "message": "not found"}});
    for too_early in [early, refusal, json!({"result": null})] {
        let mut script = answering_rename(json!([too_early]));
        script["then"] = json!([progress_step("begin", 0)]);
        let server = start(ready, &script, project.0.path()).expect("it starts");
        // What is kept for the answer itself is not spent on waiting.
        let error = project.rename(&server, 10_700).expect_err("it never loads");
        assert!(matches!(&error, LiveError::Loading { what, .. } if what.contains("Indexing")), "{error:?}");
        server.stop();
    }
}

#[test]
fn one_that_found_no_project_answers_with_a_reservation() {
    let project = RenameProject::new();
    let script = answering_rename(json!([{"result": {"changes": {project.uri("a.py"): in_a()}}}]));
    let ready = ReadySignal::ProgressEnds("index");
    let server = start(ready, &script, project.0.path()).expect("it starts");
    let answer = project.rename(&server, 60_000).expect("what it knows");
    let Completeness::Partial(why) = answer.completeness else { panic!("{answer:?}") };
    assert!(why.contains("no project"), "{why}");
    server.stop();
}

#[test]
fn one_that_never_says_is_asked_until_it_says_the_same() {
    let project = RenameProject::new();
    let says = |edits: Value| json!({"result": {"changes": {project.uri("a.py"): edits}}});
    let script = answering_rename(json!([says(json!([text_edit(1, 0, 3, "new")])), says(in_a())]));
    let server = start(ReadySignal::Settles, &script, project.0.path()).expect("it starts");
    let answer = project.rename(&server, 60_000).expect("it settles");
    assert_eq!(answer.value.files[0].edits.len(), 2);
    assert!(matches!(answer.completeness, Completeness::Unknown(_)), "{:?}", answer.completeness);
    server.stop();
}

#[test]
fn uses_that_a_server_lists_and_does_not_rename_are_counted() {
    let project = RenameProject::new();
    let place = |file: &str, line: u32, (from, to): (u32, u32)| json!({"uri": project.uri(file), "range": text_edit(line, from, to, "")["range"]});
    let all = [place("a.py", 0, (11, 14)), place("a.py", 1, (0, 3)), place("b.py", 0, (14, 17))];
    let ask = |listed: &[Value]| {
        let mut script = answering_rename(json!([{"result": {"changes": {project.uri("a.py"): in_a()}}}]));
        script["capabilities"]["referencesProvider"] = json!(true);
        script["answers"]["textDocument/references"] = json!([{"result": listed}]);
        let server = project.start(script);
        let answer = project.rename(&server, 60_000).expect("a rename");
        server.stop();
        answer.completeness
    };
    assert_eq!(ask(&all[..2]), Completeness::Complete);
    let Completeness::Partial(why) = ask(&all) else { panic!("b.py is left behind") };
    assert_eq!(why, "the name `old` stays at 1 of the places where fake itself lists it, such as b.py:1");
    // What goes by another name there keeps that.
    assert_eq!(ask(&[place("b.py", 1, (11, 16))]), Completeness::Complete);
}

#[test]
fn silence_and_death_are_no_answer() {
    let project = RenameProject::new();
    let server = project.start(answering_rename(json!([{"silent": true}, {"crash": 1}])));
    let error = project.rename(&server, 500).expect_err("it never answers");
    assert_eq!(error, LiveError::Stopped { server: "fake", stopped: Stopped::DeadlinePassed });
    let error = project.rename(&server, 60_000).expect_err("it dies");
    assert!(matches!(error, LiveError::Refused { .. }), "{error:?}");
    let odd = project.start(answering_rename(json!([{"result": {"documentChanges": [{"kind": "swap"}]}}])));
    let error = project.rename(&odd, 60_000).expect_err("it makes no sense");
    assert!(error.to_string().contains("makes no sense"), "{error}");
}

#[test]
fn moves_of_files_are_asked_about_and_told_where_that_is_wanted() {
    let project = RenameProject::new();
    let record = project.0.path().join("record");
    let moves = [(path("a.py"), path("c.py"))];
    let ask = |server: &Instance| {
        let read = |path: &WsPath| project.read(path);
        will_rename_files(server, &moves, ServerQueryContext { read: &read, cancel: &within_millis(60_000) })
    };
    let unable = project.start(json!({}));
    let error = ask(&unable).expect_err("it does not care");
    assert_eq!(error, LiveError::Unsupported { server: "fake", question: "workspace/willRenameFiles" });
    let edit = json!({"changes": {project.uri("b.py"): [text_edit(0, 5, 6, "c")]}});
    let filters = json!({"filters": [{"pattern": {"glob": "**/*.py"}}]});
    let server = project.start(json!({
        "capabilities": {"workspace": {"fileOperations": {"willRename": filters, "didRename": filters}}},
        "answers": {"workspace/willRenameFiles": [{"result": edit}, {"result": null}]},
        "record": record,
    }));
    assert_eq!(texts_of(&ask(&server).expect("answered").value), [("b.py", vec![("a", "c")])]);
    assert!(ask(&server).expect("answered").value.is_nothing());
    renamed_files(&server, &moves).expect("it lives");
    server.stop();
    let told = fs::read_to_string(&record).expect("it was written");
    let files = json!({"files": [{"oldUri": project.uri("a.py"), "newUri": project.uri("c.py")}]});
    assert!(told.contains("didRenameFiles") && told.matches(&files.to_string()).count() == 3, "{told}");
}

#[test]
fn files_are_judged_as_far_as_there_are_verdicts() {
    let project = RenameProject::new();
    let server = project.start(json!({"judges": {}}));
    project.write("b.py", "bad\nfine\nbad\n");
    let read = |path: &WsPath| project.read(path);
    let files = ["a.py", "b.py", "gone.py"].map(path);
    let FileDiagnostics { files, unjudged } =
        judge(&server, &files, ServerQueryContext { read: &read, cancel: &within_millis(60_000) });
    let counts: Vec<_> = files.iter().map(|(file, list)| (file.as_str(), list.len())).collect();
    assert_eq!(counts, [("a.py", 0), ("b.py", 2)]);
    assert!(unjudged[&path("gone.py")].contains("cannot be read"), "{unjudged:?}");
    server.process().kill();
    project.write("c.py", "fine\n");
    let dead =
        judge(&server, &[path("c.py")], ServerQueryContext { read: &read, cancel: &within_millis(60_000) });
    assert!(dead.files.is_empty() && dead.unjudged.len() == 1, "{dead:?}");
}
