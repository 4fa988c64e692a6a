//! Tests a server that is asked as soon as it starts, when most servers know half of the project: the answer is
//! complete and right, or says that it is not complete.

use serde_json::json;

use super::said::{Kind, Question};
use super::{Mark, Subject, ask_until_whole};

/// The number of times that everything is started again, alternately with another question first and without. Each time
/// needs a daemon and a server; with twenty, the servers of all languages took a tenth of the time of all tests.
const ROUNDS: usize = 2;

/// Returns the question for the definition of what is used at this place.
fn use_of(place: &str) -> Question {
    let mut parts = place.rsplitn(3, ':');
    let (col, line) = (parts.next().unwrap_or_default(), parts.next().unwrap_or_default());
    let col = col.split('-').next().unwrap_or_default();
    let number = |text: &str| text.parse().expect("places have numbers");
    let file = parts.next().expect("and a file").to_owned();
    Question { kind: Kind::Definition, file, line: number(line), col: number(col) }
}

/// Asks where `mark` is used, each time with a daemon and a server that have just been started.
#[track_caller]
pub(super) fn right_while_loading(subject: &Subject, mark: Mark) {
    let world = subject.world();
    let tree = subject.tree(&world);
    let question = mark.references(&tree);
    let mut lsp = subject.itself(&world, &tree);
    lsp.open(mark.file);
    lsp.wait_ready();
    let truth = lsp.settled(|lsp| question.ask_server(lsp));
    assert!(truth.len() > 5, "a half answer has to be told from a whole one: {truth:?}");
    let used = use_of(&truth[0]);
    let defined = lsp.settled(|lsp| used.ask_server(lsp));
    assert!(!defined.is_empty(), "{used:?}");
    drop(lsp);
    let mut whole = 0;
    for round in 0..ROUNDS {
        let mut mcp = world.mcp(&tree);
        // In every second round another question is sent first, and neither waits for the other.
        let other = (round % 2 == 1).then(|| {
            let (file, line, col) = (&used.file, used.line, used.col);
            mcp.send_call("nav_definition", &json!({"file": file, "line": line, "col": col}))
        });
        let answer = question.ask_hob(&mut mcp);
        if let Some(id) = other {
            let answer = mcp.wait_call(id, "nav_definition", json!({"file": used.file}));
            let right = used.difference(&answer, &defined).is_none();
            assert!(right || answer.ok()["completeness"] != "complete", "round {round}: {defined:?}{answer}");
        }
        if answer.ok()["completeness"] == "complete" {
            assert_eq!(question.difference(&answer, &truth), None, "round {round}{answer}");
            whole += 1;
        } else {
            let (said, _) = question.read(&answer);
            let surplus: Vec<&String> = said.iter().filter(|one| !truth.contains(one)).collect();
            assert!(surplus.is_empty(), "round {round}: {surplus:?}{answer}");
            assert!(!answer.warnings().is_empty(), "what may be missing is said{answer}");
        }
        if round + 1 == ROUNDS {
            let answer = ask_until_whole(&mut mcp, &question);
            assert_eq!(question.difference(&answer, &truth), None, "in the end{answer}");
        }
        mcp.close();
        world.stop();
    }
    println!("{whole} of {ROUNDS} answers were whole at once");
}
