//! Measures the map's meanings of names against independent lists of references: recall and precision by category.
//!
//! The cases are not of this project. `HOB_STACK_GRAPHS` names the folder `languages` of github/stack-graphs at
//! fcb7705, whose tests say `^ defined: LINES` below a name. `HOB_SCIP_SNAPSHOTS` names a folder with `input` and
//! `output`: `snapshots` of sourcegraph/scip-typescript at 891eb42, `packages/pyright-scip/snapshots` of
//! sourcegraph/scip-python at 04f4f63d8. With `HOB_REFERENCE_MISSES=1` the test prints missing and wrong answers.
//! Without a folder it measures nothing, and says so.
//!
//! Only sure answers count as answers: a guess is a miss. A name whose definition is not among the sources must have no
//! sure answer. A definition that the map does not record (a key of an object that a function returns) can be no
//! answer, and is counted separately.

mod scip;
mod sources;
mod stack_graphs;

use std::collections::BTreeMap;
use std::path::Path;

use sources::Project;

/// The counts of the answers in a category.
#[derive(Default)]
struct Score {
    right: usize,
    missed: usize,
    wrong: usize,
    /// The number of misses for which the map has no such definition.
    unknown: usize,
}

impl Score {
    fn summary_line(&self) -> String {
        let share = |part: usize, rest: usize| part as f64 / (part + rest).max(1) as f64;
        let (recall, precision) = (share(self.right, self.missed), share(self.right, self.wrong));
        let Self { right, missed, wrong, unknown } = self;
        let counts = format!("{right} right, {missed} missed, {wrong} wrong, {unknown} not in the map");
        format!("recall {recall:.3} precision {precision:.3} ({counts})")
    }
}

/// Scores by category.
#[derive(Default)]
pub(crate) struct Scores(BTreeMap<String, Score>);

impl Scores {
    /// Compares the answers to every question of a project.
    pub(crate) fn measure_references(&mut self, category: &str, project: &Project) {
        for question in &project.questions {
            let score = self.0.entry(category.to_owned()).or_default();
            let answer = project.answer(question);
            let is_wrong = answer.iter().any(|place| !question.wanted.contains(place));
            let is_found = !answer.is_empty() && !is_wrong;
            score.right += usize::from(is_found && !question.wanted.is_empty());
            let is_missed = !is_found && !question.wanted.is_empty();
            let is_known = project.has_definition(question);
            score.missed += usize::from(is_missed && is_known);
            score.unknown += usize::from(is_missed && !is_known);
            score.wrong += usize::from(is_wrong);
            if is_wrong || (is_missed && is_known) {
                print_miss(category, &project.describe(question, &answer));
            }
        }
    }

    /// Counts a definition that the map has or lacks.
    pub(crate) fn count_definition(&mut self, category: &str, is_known: bool, what: &str) {
        let score = self.0.entry(category.to_owned()).or_default();
        score.right += usize::from(is_known);
        score.missed += usize::from(!is_known);
        if !is_known {
            print_miss(category, what);
        }
    }

    fn print(&self) {
        self.0.iter().for_each(|(category, score)| println!("{category:24} {}", score.summary_line()));
    }
}

fn print_miss(category: &str, what: &str) {
    if std::env::var("HOB_REFERENCE_MISSES").is_ok() {
        println!("miss {category} {what}");
    }
}

/// Measures the folder that an environment variable names.
fn measure_folder(variable: &str, measure: impl Fn(&Path, &mut Scores)) {
    let Ok(root) = std::env::var(variable) else {
        println!("skipped: {variable} names no folder");
        return;
    };
    let mut scores = Scores::default();
    measure(Path::new(&root), &mut scores);
    scores.print();
    assert!(scores.0.values().any(|score| score.right > 0), "the folder has no cases");
}

#[test]
fn references_are_those_of_stack_graphs() {
    measure_folder("HOB_STACK_GRAPHS", stack_graphs::measure);
}

#[test]
fn definitions_and_references_are_those_of_an_indexer() {
    measure_folder("HOB_SCIP_SNAPSHOTS", scip::measure);
}
