//! Keeps the ratios of runs, one JSON line per run, and finds the commit that moved a ratio by more than its spread.
//!
//! Ratios and not times are kept, because the speed of a machine varies. Runs on different machines, or on other versions of
//! a tree, are not compared at all. The values of one run lie minutes apart and tell little about the next day, so a move must also stand out from
//! what all ratios moved by between the two runs: a change of the code moves few of them, the machine most. A ratio is compared with that of the first run after its last move, and not with the run before it, so that
//! many small steps in one direction are noticed once their sum is large enough. Runs of the same commit widen the
//! spread. The spread of a single value is unknown, so such a ratio does not move, unless it is counted rather than
//! timed.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::figure::{Sense, Spread};
use super::summary::Line;

/// Least number of ratios in common from which the noise between two runs is estimated.
const LEAST_FOR_NOISE: usize = 20;

/// One ratio of one run.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Kept {
    spread: Spread,
    is_more_better: bool,
    /// True if one value is as good as many.
    is_exact: bool,
}

/// One run of a report.
#[derive(Clone, Debug, PartialEq)]
struct KeptRun {
    commit: String,
    machine: String,
    /// The descriptions of the trees, by name. Runs that are older than this field have none.
    trees: BTreeMap<String, String>,
    ratios: BTreeMap<String, Kept>,
}

impl KeptRun {
    /// Returns the description of the tree that a ratio is about.
    fn tree_of(&self, key: &str) -> Option<&str> {
        described_tree(&self.trees, key)
    }
}

/// Returns the description of the tree that a ratio is about: its name begins the ratio's.
fn described_tree<'t>(trees: &'t BTreeMap<String, String>, key: &str) -> Option<&'t str> {
    trees.get(key.split('/').next()?).map(String::as_str)
}

/// The circumstances of a run.
pub(crate) struct Circumstances<'r> {
    pub(crate) commit: &'r str,
    pub(crate) machine: &'r str,
    /// Seconds since 1970.
    pub(crate) time: u64,
    /// The descriptions of the trees, by name.
    pub(crate) trees: &'r BTreeMap<String, String>,
}

/// Returns the line that is kept for a run, without a line break.
pub(crate) fn line_of(run: &Circumstances<'_>, lines: &[Line]) -> String {
    let mut ratios = serde_json::Map::new();
    for line in lines {
        if let Some(ratio) = line.ratio() {
            let mut kept =
                json!({"min": ratio.min, "median": ratio.median, "max": ratio.max, "n": ratio.count});
            if line.sense == Sense::More {
                kept["better"] = "more".into();
            }
            if line.is_exact() {
                kept["exact"] = true.into();
            }
            ratios.insert(line.key(), kept);
        }
    }
    let Circumstances { commit, machine, time, trees } = run;
    json!({"commit": commit, "machine": machine, "time": time, "trees": trees, "ratios": ratios}).to_string()
}

/// Returns one line for each move, and a line that says how much was compared.
///
/// # Errors
///
/// Names the first line that does not have this form.
pub(crate) fn report_moves(text: &str) -> Result<String, String> {
    let all = read_runs(text)?;
    let count_of_runs = all.len();
    let runs = pool_runs(all);
    let mut first: BTreeMap<RatioPlace<'_>, KeptIn<'_>> = BTreeMap::new();
    let mut last: BTreeMap<RatioPlace<'_>, &str> = BTreeMap::new();
    let (mut moves, mut compared) = (Vec::new(), 0);
    for run in &runs {
        for (key, kept) in &run.ratios {
            let place = RatioPlace { machine: &run.machine, tree: run.tree_of(key), key };
            let now = KeptIn { kept: *kept, run };
            let before = last.insert(place, &run.commit);
            let Some(then) = first.get(&place).copied() else {
                first.insert(place, now);
                continue;
            };
            compared += 1;
            if then.run.commit == run.commit {
                // The same code was measured twice. The difference comes from the machine, and belongs to the spread.
                let kept = Kept { spread: widened(then.kept.spread, kept.spread), ..then.kept };
                first.insert(place, KeptIn { kept, run: then.run });
                continue;
            }
            if is_move(then.kept, *kept, noise_between(then.run, run)) {
                moves.push(describe_move(key, then, now, before.unwrap_or(&then.run.commit)));
                first.insert(place, now);
            }
        }
    }
    let count = moves.len();
    moves.push(format!(
        "{count_of_runs} runs, {compared} ratios compared, {count} moved by more than their spread"
    ));
    Ok(moves.join("\n"))
}

/// Returns the ratios of the earlier runs on a machine and the same trees, by their names, oldest first.
///
/// # Errors
///
/// As for [`report_moves`].
pub(crate) fn earlier_ratios(
    text: &str,
    machine: &str,
    trees: &BTreeMap<String, String>,
) -> Result<BTreeMap<String, Vec<f64>>, String> {
    let mut all: BTreeMap<String, Vec<f64>> = BTreeMap::new();
    for run in read_runs(text)?.iter().filter(|run| run.machine == machine) {
        for (key, kept) in &run.ratios {
            if run.tree_of(key) == described_tree(trees, key) {
                all.entry(key.clone()).or_default().push(kept.spread.median);
            }
        }
    }
    Ok(all)
}

/// Returns the combined spread of two runs of the same code, with the median of the first.
fn widened(first: Spread, second: Spread) -> Spread {
    let (min, max) = (first.min.min(second.min), first.max.max(second.max));
    Spread { min, max, count: first.count + second.count, ..first }
}

/// Combines successive runs of the same machine and commit into one, so that no move is found between them.
fn pool_runs(runs: Vec<KeptRun>) -> Vec<KeptRun> {
    let mut pooled: Vec<KeptRun> = Vec::new();
    for run in runs {
        let last = pooled.iter_mut().rfind(|last| last.machine == run.machine);
        match last.filter(|last| last.commit == run.commit) {
            Some(last) => {
                for (key, kept) in run.ratios {
                    let known = last.ratios.entry(key);
                    known
                        .and_modify(|first| first.spread = widened(first.spread, kept.spread))
                        .or_insert(kept);
                }
            }
            None => pooled.push(run),
        }
    }
    pooled
}

/// Returns true if the medians of a ratio are farther apart than the values of either run and, if they were timed, than
/// the noise between the runs. The spread of a single value is unknown.
fn is_move(then: Kept, now: Kept, noise: f64) -> bool {
    let is_known = |kept: Kept| kept.is_exact || kept.spread.count > 1;
    let widest = then.spread.width().max(now.spread.width());
    let is_beyond_noise = now.is_exact || log_distance(then, now).is_none_or(|distance| distance > noise);
    is_known(then)
        && is_known(now)
        && is_beyond_noise
        && (now.spread.median - then.spread.median).abs() > widest
}

/// Returns three standard deviations of what timed ratios move by between two runs for no reason in the code, as a
/// [`log_distance`]; 0 if they have few in common. The median of all moves times 1.4826 estimates one deviation, and a few
/// ratios that the code has moved do not change it.
fn noise_between(then: &KeptRun, now: &KeptRun) -> f64 {
    let in_common = now.ratios.iter().filter_map(|(key, kept)| Some((*then.ratios.get(key)?, *kept)));
    let timed = in_common.filter(|(_, now)| !now.is_exact);
    let moves: Vec<f64> = timed.filter_map(|(then, now)| log_distance(then, now)).collect();
    let median =
        Spread::of(&moves).filter(|spread| spread.count >= LEAST_FOR_NOISE).map(|spread| spread.median);
    median.map_or(0.0, |median| 3.0 * 1.4826 * median)
}

/// Returns how far the medians of a ratio are apart: the natural logarithm of the factor between them; `None` if one is
/// not positive.
fn log_distance(then: Kept, now: Kept) -> Option<f64> {
    let factor = now.spread.median / then.spread.median;
    (factor > 0.0 && factor.is_finite()).then(|| factor.ln().abs())
}

/// The machine and the tree on which a ratio was measured. Ratios of different places are not compared.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct RatioPlace<'r> {
    machine: &'r str,
    tree: Option<&'r str>,
    key: &'r str,
}

/// A ratio with the run that has it.
#[derive(Clone, Copy)]
struct KeptIn<'r> {
    kept: Kept,
    run: &'r KeptRun,
}

fn describe_move(key: &str, then: KeptIn<'_>, now: KeptIn<'_>, since: &str) -> String {
    let is_larger = now.kept.spread.median > then.kept.spread.median;
    let word = if is_larger == now.kept.is_more_better { "better" } else { "WORSE" };
    let show = |spread: Spread| format!("{:.3} ({:.3} to {:.3})", spread.median, spread.min, spread.max);
    let (before, after) = (show(then.kept.spread), show(now.kept.spread));
    let (first, last) = (&then.run.commit, &now.run.commit);
    format!("{word}: {key}: {before} at {first} -> {after} in {since}..{last}")
}

fn read_runs(text: &str) -> Result<Vec<KeptRun>, String> {
    let lines = text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty());
    lines.map(|(at, line)| read_run(line).map_err(|error| format!("line {}: {error}", at + 1))).collect()
}

fn read_run(line: &str) -> Result<KeptRun, String> {
    let value: Value = serde_json::from_str(line).map_err(|error| error.to_string())?;
    let text =
        |name: &str| value[name].as_str().map(str::to_owned).ok_or_else(|| format!("`{name}` is missing"));
    let kept = value["ratios"].as_object().ok_or("`ratios` is missing")?;
    let mut ratios = BTreeMap::new();
    for (key, kept) in kept {
        let number = |name: &str| kept[name].as_f64().ok_or_else(|| format!("{key}: `{name}` is no number"));
        let count = kept["n"].as_u64().and_then(|count| usize::try_from(count).ok()).unwrap_or(1);
        let spread = Spread { min: number("min")?, median: number("median")?, max: number("max")?, count };
        let is_more_better = kept["better"] == "more";
        let is_exact = is_more_better || kept["exact"] == true;
        ratios.insert(key.clone(), Kept { spread, is_more_better, is_exact });
    }
    let trees = value["trees"].as_object().into_iter().flatten();
    let trees = trees.filter_map(|(name, tree)| Some((name.clone(), tree.as_str()?.to_owned()))).collect();
    Ok(KeptRun { commit: text("commit")?, machine: text("machine")?, trees, ratios })
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::super::figure::{Sample, Sense, Unit};
    use super::super::summary::Line;
    use super::{Circumstances, earlier_ratios, line_of, report_moves};

    fn line_at(commit: &str, lines: &[Line]) -> String {
        line_of(&Circumstances { commit, machine: "m", time: 7, trees: &described_click("3 files") }, lines)
    }

    fn described_click(click: &str) -> BTreeMap<String, String> {
        [("click".to_owned(), click.to_owned())].into()
    }

    fn kept(commit: &str, sense: Sense, ratios: &[f64]) -> String {
        let line = Line {
            corpus: "click".into(),
            row: "regex".into(),
            name: "rare".into(),
            sense,
            hob: Sample::new("hob", Unit::Millis, vec![1.0]),
            other: None,
            ratios: ratios.to_vec(),
        };
        line_at(commit, &[line])
    }

    #[test]
    fn a_ratio_within_its_spread_has_not_moved() {
        let text = format!(
            "{}\n{}\n",
            kept("a", Sense::Race, &[0.4, 0.5, 0.6]),
            kept("b", Sense::Race, &[0.6, 0.65, 0.7])
        );
        assert_eq!(
            report_moves(&text).expect("good"),
            "2 runs, 1 ratios compared, 0 moved by more than their spread"
        );
    }

    #[test]
    fn the_commit_that_moved_a_ratio_is_named() {
        let runs = [
            kept("a", Sense::Race, &[0.5, 0.51, 0.52]),
            kept("b", Sense::Race, &[0.5, 0.51, 0.53]),
            kept("c", Sense::Race, &[0.9, 0.91, 0.92]),
            kept("d", Sense::Race, &[0.9, 0.91, 0.92]),
        ];
        let said = report_moves(&runs.join("\n")).expect("good");
        let first = said.lines().next().expect("a move");
        assert_eq!(
            first,
            "WORSE: click/regex/rare: 0.510 (0.500 to 0.520) at a -> 0.910 (0.900 to 0.920) in b..c"
        );
        assert!(said.ends_with("4 runs, 3 ratios compared, 1 moved by more than their spread"), "{said}");
    }

    /// A run of 41 ratios: the first is `first`, the others were moved by the machine by `by`.
    fn run_of_many(commit: &str, first: f64, by: f64) -> String {
        let line = |at: usize| {
            let ratio = if at == 0 { first } else { 0.5 * if at.is_multiple_of(2) { by } else { 1.0 / by } };
            Line {
                corpus: "click".into(),
                row: "regex".into(),
                name: format!("pattern {at}"),
                sense: Sense::Race,
                hob: Sample::new("hob", Unit::Millis, vec![1.0]),
                other: None,
                ratios: vec![ratio, ratio * 1.01],
            }
        };
        line_at(commit, &(0..41).map(line).collect::<Vec<_>>())
    }

    #[test]
    fn a_move_stands_out_from_what_the_machine_moves_everything_by() {
        let moved = |first, by| {
            let text = format!("{}\n{}", run_of_many("a", 0.5, 1.0), run_of_many("b", first, by));
            report_moves(&text).expect("good")
        };
        assert!(moved(0.56, 1.1).contains(" 0 moved"), "one of many that the machine moved");
        let said = moved(1.0, 1.1);
        assert!(said.starts_with("WORSE: click/regex/pattern 0:") && said.contains(" 1 moved"), "{said}");
        assert!(moved(0.56, 1.0).contains(" 1 moved"), "nothing else moved");
    }

    #[test]
    fn small_steps_in_one_direction_are_seen() {
        let runs = [
            kept("a", Sense::Race, &[0.50, 0.52]),
            kept("b", Sense::Race, &[0.515, 0.535]),
            kept("c", Sense::Race, &[0.53, 0.55]),
        ];
        let said = report_moves(&runs.join("\n")).expect("good");
        assert!(said.starts_with("WORSE") && said.contains("in b..c"), "{said}");
    }

    #[test]
    fn the_same_commit_twice_widens_the_spread() {
        let runs = [
            kept("a", Sense::Race, &[0.50, 0.52]),
            kept("a", Sense::Race, &[0.80, 0.82]),
            kept("b", Sense::Race, &[0.75, 0.76]),
            kept("c", Sense::Race, &[0.95, 0.96]),
        ];
        let said = report_moves(&runs.join("\n")).expect("good");
        assert!(said.starts_with("WORSE") && said.contains("in b..c") && said.contains(" 1 moved"), "{said}");
    }

    #[test]
    fn no_move_is_found_within_a_commit() {
        let runs = [
            kept("a", Sense::Race, &[0.50, 0.52]),
            kept("b", Sense::Race, &[0.51, 0.53]),
            kept("b", Sense::Race, &[0.80, 0.82]),
        ];
        let said = report_moves(&runs.join("\n")).expect("good");
        assert_eq!(said, "3 runs, 1 ratios compared, 0 moved by more than their spread");
    }

    #[test]
    fn one_value_of_a_race_does_not_move() {
        let moved = |sense| {
            let text = format!("{}\n{}", kept("a", sense, &[0.5]), kept("b", sense, &[0.9]));
            report_moves(&text).expect("good").starts_with("WORSE: ")
        };
        assert!(!moved(Sense::Race) && !moved(Sense::Multiple));
        assert!(moved(Sense::Less));
    }

    #[test]
    fn more_right_answers_are_better_and_a_count_has_no_spread() {
        let text = format!("{}\n{}", kept("a", Sense::More, &[0.9]), kept("b", Sense::More, &[0.91]));
        assert!(report_moves(&text).expect("good").starts_with("better: "));
    }

    #[test]
    fn machines_are_not_compared_and_broken_lines_are_named() {
        let other = kept("b", Sense::Race, &[9.0]).replace("\"machine\":\"m\"", "\"machine\":\"n\"");
        let text = format!("{}\n{other}", kept("a", Sense::Race, &[0.5]));
        assert!(report_moves(&text).expect("good").contains("0 ratios compared"));
        let ratios = earlier_ratios(&text, "m", &described_click("3 files")).expect("good");
        assert_eq!(ratios["click/regex/rare"], [0.5]);
        assert!(report_moves("{}").expect_err("bad").starts_with("line 1: `ratios` is missing"));
    }

    #[test]
    fn versions_of_a_tree_are_not_compared() {
        let other = kept("b", Sense::Race, &[9.0]).replace("3 files", "4 files");
        let older = kept("c", Sense::Race, &[0.7]).replace("\"trees\"", "\"unknown\"");
        let text = format!("{}\n{other}\n{older}", kept("a", Sense::Race, &[0.5]));
        assert!(report_moves(&text).expect("good").contains("0 ratios compared"));
        let earlier = |tree| earlier_ratios(&text, "m", &described_click(tree)).expect("good");
        assert_eq!(earlier("4 files")["click/regex/rare"], [9.0]);
        assert!(earlier("5 files").is_empty());
    }
}
