//! Tests that after a change the next question is about the new files: after an edit in a file that nobody has open,
//! and after a checkout of another branch.

use hob_tests::{Mcp, Tree, World};

use super::said::Question;
use super::{Mark, Subject, ask_until_whole};
use crate::e2e::many::git;

/// The number of times that a caller is written and asked for.
const ROUNDS: usize = 100;

/// The number of files with callers. Later callers are written to files that have one already.
const FILES: usize = 70;

/// The number of times that a branch is checked out.
const CHECKOUTS: usize = 20;

/// The number of files that differ between two branches.
const DIFFERENT: usize = 12;

/// The text of the callers, and the files for them.
pub(super) struct Edits {
    /// The definition that is called.
    pub called: Mark,
    /// The path of the `n`th file that uses it.
    pub path: fn(usize) -> String,
    /// The initial text of each file; ends with a line feed.
    pub start: &'static str,
    /// The line that is appended, without its end.
    pub call: &'static str,
    /// The number of times that the call uses the called definition.
    pub uses: usize,
    /// A file that nothing else needs, and that a branch may remove.
    pub superfluous: &'static str,
}

impl Edits {
    fn write(&self, tree: &Tree, number: usize, calls: usize) {
        let call = format!("{}\n", self.call);
        tree.write(&(self.path)(number), format!("{}{}", self.start, call.repeat(calls)));
    }
}

/// Asks the server itself about the present files.
#[track_caller]
fn truth(subject: &Subject, world: &World, tree: &Tree, question: &Question) -> Vec<String> {
    let mut lsp = subject.itself(world, tree);
    lsp.open(&question.file);
    lsp.wait_ready();
    lsp.settled(|lsp| question.ask_server(lsp))
}

/// Appends callers to files that nobody has open, each time to another one, and asks for them immediately.
#[track_caller]
pub(super) fn callers_are_found(subject: &Subject, edits: &Edits) {
    let world = subject.world();
    let tree = subject.tree(&world);
    for number in 0..FILES {
        edits.write(&tree, number, 0);
    }
    let (mut mcp, question) = (world.mcp(&tree), edits.called.references(&tree));
    let before = ask_until_whole(&mut mcp, &question).ok()["total"].as_u64().expect("a number") as usize;
    for round in 0..ROUNDS {
        let (number, calls) = (round % FILES, round / FILES + 1);
        edits.write(&tree, number, calls);
        let answer = question.ask_hob(&mut mcp);
        let place = format!("{}:{}:", (edits.path)(number), edits.start.lines().count() + calls);
        let (places, all_shown) = question.read(&answer);
        let found = places.iter().filter(|one| one.starts_with(&place)).count();
        let counted = answer.ok()["total"].as_u64().expect("a number") as usize;
        assert_eq!(answer.ok()["completeness"], "complete", "round {round}{answer}");
        assert_eq!(counted, before + (round + 1) * edits.uses, "round {round}: {place}{answer}");
        assert!(found == edits.uses || !all_shown, "round {round}: {place}{answer}");
    }
    // One file is new and another is removed.
    edits.write(&tree, FILES, 2);
    tree.remove(&(edits.path)(0));
    let truth = truth(subject, &world, &tree, &question);
    let answer = question.ask_hob(&mut mcp);
    assert_eq!(question.difference(&answer, &truth), None, "in the end{answer}");
}

/// Checks out branches in turn. Each time the answer must be the one of a server that has not seen any other branch.
#[track_caller]
pub(super) fn branches_are_told_apart(subject: &Subject, edits: &Edits) {
    let world = subject.world();
    let tree = subject.tree(&world);
    let run = |line: &str| git(&world, tree.root(), line);
    for number in 0..DIFFERENT {
        edits.write(&tree, number, number % 3);
    }
    let question = edits.called.references(&tree);
    let mut branches = Vec::new();
    let mut commit = |name: &'static str| {
        run("add -A");
        run(&format!("commit -q -m {name}"));
        branches.push((name, truth(subject, &world, &tree, &question)));
    };
    run("init -q -b one");
    commit("one");
    run("checkout -q -b two");
    (0..DIFFERENT).for_each(|number| edits.write(&tree, number, (number + 1) % 3));
    commit("two");
    run("checkout -q -b three");
    edits.write(&tree, DIFFERENT, 2);
    tree.remove(edits.superfluous);
    commit("three");
    let mut mcp = world.mcp(&tree);
    let _ = ask_until_whole(&mut mcp, &question);
    let check_out = |mcp: &mut Mcp, at: usize| {
        let (name, truth) = &branches[at];
        run(&format!("checkout -q {name}"));
        let mut answer = question.ask_hob(mcp);
        // A server that reads its project again may not have everything immediately, but an answer that it calls
        // complete has to be.
        if answer.ok()["completeness"] != "complete" {
            answer = ask_until_whole(mcp, &question);
        }
        assert_eq!(question.difference(&answer, truth), None, "right after `git checkout {name}`{answer}");
    };
    for round in 0..CHECKOUTS {
        // The third branch has another list of files, which some servers take long to read again.
        check_out(&mut mcp, if round == CHECKOUTS / 2 { 2 } else { round % 2 });
    }
}
