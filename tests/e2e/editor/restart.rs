//! Tests the end of the daemon or of the server while an editor uses it: the editor only notices a slower answer, and
//! nothing is lost.

use hob_tests::{Editor, Tree, is_alive, kill_hard};
use rustix::process::{Pid, Signal, kill_process};
use serde_json::json;

use super::super::nav_faults::below;
use super::{Scripted, server_gets, server_has, until};

/// An editor that has changed two documents by many small edits, one of which is not saved.
struct Session {
    editor: Editor,
    unsaved: String,
    _tree: Tree,
    scripted: Scripted,
}

impl Session {
    fn new() -> Self {
        let scripted = Scripted::new(&json!({}));
        let tree = scripted.world.tree("//- /a.py\nx = 1\n//- /b.py\ny = 1\n");
        let mut editor = Editor::start(&scripted.world, &tree);
        editor.open("a.py");
        editor.open("b.py");
        for round in 0..30 {
            let end = editor.document("a.py").text.len();
            editor.edit("a.py", end..end, &format!("é{round} = {round}\n"));
            if round % 7 == 0 {
                editor.edit("a.py", 0..0, "# 𝒳\n");
            }
        }
        editor.substitute("b.py", "1", "2");
        editor.save("b.py");
        editor.substitute("a.py", "x = 1", "x = 'unsaved'");
        let unsaved = editor.document("a.py").text.clone();
        server_gets(&mut editor, "a.py", &unsaved);
        Self { editor, unsaved, _tree: tree, scripted }
    }

    /// Checks that everything is as before, and still works.
    fn goes_on(mut self) {
        assert_eq!(server_has(&mut self.editor, "a.py")["text"], self.unsaved.as_str());
        assert_eq!(server_has(&mut self.editor, "b.py")["text"], "y = 2\n");
        self.editor.substitute("a.py", "x = ", "still = here = ");
        let text = self.editor.document("a.py").text.clone();
        assert_eq!(server_has(&mut self.editor, "a.py")["text"], text.as_str());
        assert!(self.editor.strays.is_empty(), "{:?}", self.editor.strays);
        self.scripted.without_complaints();
        assert_eq!(self.editor.quit(), Some(0));
    }
}

#[test]
fn a_stopped_daemon_costs_an_editor_nothing_but_time() {
    let mut session = Session::new();
    let before = session.scripted.world.daemon_pid();
    let pid = before.and_then(|pid| i32::try_from(pid).ok()).and_then(Pid::from_raw);
    kill_process(pid.expect("a daemon runs"), Signal::TERM).expect("it is there");
    until("it ends", || before.is_none_or(|pid| !is_alive(pid)));
    server_gets(&mut session.editor, "a.py", &session.unsaved);
    assert_ne!(session.scripted.world.daemon_pid(), before, "another daemon");
    session.goes_on();
}

#[test]
fn a_killed_daemon_costs_an_editor_nothing_but_time() {
    let mut session = Session::new();
    for _ in 0..2 {
        session.scripted.world.kill_daemon();
        server_gets(&mut session.editor, "a.py", &session.unsaved);
    }
    session.goes_on();
}

/// A request that is open when the daemon dies is answered by the next daemon.
#[test]
fn a_daemon_killed_under_a_request_costs_no_answer() {
    let mut session = Session::new();
    let mut params = session.editor.about("a.py");
    params["delayMs"] = json!(300);
    params["token"] = json!("under way");
    let id = session.editor.send("test/echo", &params);
    session.scripted.world.kill_daemon();
    let answer = session.editor.wait(id);
    // It may be asked again or refused with an error, but it is never left without an answer.
    let refused = answer.as_ref().err().and_then(|error| error["code"].as_i64());
    assert!(refused.is_some() || answer.as_ref() == Ok(&params), "{answer:?}");
    server_gets(&mut session.editor, "a.py", &session.unsaved);
    session.goes_on();
}

/// A text that is typed while no daemon runs is not lost either.
#[test]
fn what_is_typed_while_the_daemon_is_away_counts() {
    let mut session = Session::new();
    session.scripted.world.kill_daemon();
    session.editor.substitute("a.py", "unsaved", "typed meanwhile");
    session.unsaved = session.editor.document("a.py").text.clone();
    server_gets(&mut session.editor, "a.py", &session.unsaved);
    session.goes_on();
}

/// Ends the scripted server as a crash would.
fn kill_server(scripted: &Scripted) {
    let daemon = scripted.world.daemon_pid().expect("a daemon runs");
    let is_server = |pid: &u32| {
        let line = std::fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
        String::from_utf8_lossy(&line).split('\0').next().is_some_and(|name| name.ends_with("fake-lsp"))
    };
    kill_hard(below(daemon).into_iter().find(is_server).expect("the server runs"));
}

/// A request that is open when its server dies is sent to the next server, before the map or an empty answer takes its
/// place.
#[test]
fn a_server_killed_under_a_request_is_asked_again() {
    let said = json!({"contents": "from the server"});
    let slow = |result: serde_json::Value| json!([{"delayMs": 500, "result": result}]);
    let scripted = Scripted::new(&json!({"answers": {
        "textDocument/hover": slow(said.clone()), "textDocument/completion": slow(json!([{"label": "whole"}])),
    }}));
    let tree = scripted.world.tree("//- /a.py\nx = 1\n");
    let mut editor = Editor::start(&scripted.world, &tree);
    editor.open("a.py");
    let _ = server_has(&mut editor, "a.py");
    // The map knows nothing about an operator.
    let at = editor.at("a.py", "=", 0);
    for (method, expected) in
        [("textDocument/hover", said), ("textDocument/completion", json!([{"label": "whole"}]))]
    {
        let before = scripted.starts();
        let id = editor.send(method, &at);
        until("the server has it", || scripted.got(method).len() == 1);
        kill_server(&scripted);
        assert_eq!(editor.wait(id), Ok(expected), "{method}");
        assert_eq!(scripted.starts(), before + 1);
    }
    assert!(editor.strays.is_empty(), "{:?}", editor.strays);
}

#[test]
fn a_killed_server_comes_back_with_every_document() {
    let mut session = Session::new();
    let daemon = session.scripted.world.daemon_pid().expect("a daemon runs");
    kill_server(&session.scripted);
    until("another server", || {
        let _ = session.editor.request("textDocument/hover", &session.editor.at("a.py", "x", 0));
        session.scripted.starts() == 2
    });
    server_gets(&mut session.editor, "a.py", &session.unsaved);
    assert_eq!(session.scripted.world.daemon_pid(), Some(daemon), "the daemon stays");
    session.goes_on();
}
