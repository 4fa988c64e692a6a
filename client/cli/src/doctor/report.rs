//! Renders the report: short for people, with the worst on top; complete for programs.

use serde_json::{Value, json};

use super::check::{Level, NamedFinding};
use super::surroundings::Surroundings;
use crate::render;
use crate::term::Style;
use crate::visible::is_invisible;

/// Renders the worst findings first, each with its fix; all good ones share a line unless `verbose`.
pub(super) fn text(found: &[NamedFinding], verbose: bool, style: &Style) -> String {
    let mut out = format!("{}\n\n", style.bold(summary(found)));
    let mut odd: Vec<&NamedFinding> = found.iter().filter(|one| one.finding.level != Level::Ok).collect();
    odd.sort_by_key(|one| std::cmp::Reverse(one.finding.level));
    odd.iter().for_each(|one| out.push_str(&lines(one, style)));
    if verbose {
        let fine = found.iter().filter(|one| one.finding.level == Level::Ok);
        fine.for_each(|one| out.push_str(&lines(one, style)));
        return out;
    }
    let groups = found.chunk_by(|one, next| one.group == next.group);
    let fine = groups.filter(|group| group.iter().all(|one| one.finding.level == Level::Ok));
    let names: Vec<&str> = fine.map(|group| group[0].group).collect();
    if !names.is_empty() {
        out.push_str(&format!("{}{}\n", style.good(padded(Level::Ok.word())), names.join(", ")));
    }
    out
}

/// Width of the names of levels and groups.
const NAME: usize = 10;

fn padded(word: &str) -> String {
    format!("{word}{}", " ".repeat(NAME.saturating_sub(word.len())))
}

fn lines(one: &NamedFinding, style: &Style) -> String {
    let level = one.finding.level;
    let word = padded(level.word());
    let word = match level {
        Level::Ok => style.good(word),
        Level::Note => style.bold(word),
        Level::Warning => style.notice(word),
        Level::Problem => style.alarm(word),
    };
    let mut out = format!("{word}{}{}\n", style.dim(padded(one.group)), without_controls(&one.finding.text));
    if let Some(fix) = &one.finding.fix {
        out.push_str(&format!("{}{} {}\n", " ".repeat(2 * NAME), style.dim("fix:"), without_controls(fix)));
    }
    out
}

/// Replaces control characters: file names and texts of other programs can hold anything, and a terminal must not obey
/// it.
fn without_controls(text: &str) -> String {
    text.chars().map(|c| if c.is_control() || is_invisible(c) { '\u{fffd}' } else { c }).collect()
}

fn count_findings(found: &[NamedFinding], level: Level) -> u64 {
    found.iter().filter(|one| one.finding.level == level).count() as u64
}

fn summary(found: &[NamedFinding]) -> String {
    let parts = [Level::Problem, Level::Warning, Level::Note]
        .map(|level| (count_findings(found, level), level.word()));
    let parts: Vec<String> =
        parts.iter().filter(|(n, _)| *n > 0).map(|(n, word)| render::count(*n, word)).collect();
    let fine = count_findings(found, Level::Ok);
    match parts.is_empty() {
        true => format!("Nothing is wrong: {} looked at.", render::count(fine, "thing")),
        false => {
            let are = if fine == 1 { "it" } else { "they" };
            format!("{}; {} as {are} should be.", parts.join(", "), render::count(fine, "thing"))
        }
    }
}

/// Returns every finding. Fields are added, never renamed.
pub(super) fn findings_json(around: &Surroundings, found: &[NamedFinding]) -> String {
    let one = |one: &NamedFinding| {
        let mut entry = json!({
            "group": one.group,
            "check": one.check,
            "level": one.finding.level.word(),
            "text": one.finding.text,
        });
        if let Some(fix) = &one.finding.fix {
            entry["fix"] = Value::from(fix.as_str());
        }
        entry
    };
    let worst = found.iter().map(|one| one.finding.level).max().unwrap_or(Level::Ok);
    let counts = [Level::Ok, Level::Note, Level::Warning, Level::Problem]
        .map(|level| (level.word().to_owned(), Value::from(count_findings(found, level))));
    let report = json!({
        "version": env!("CARGO_PKG_VERSION"),
        "project": around.root().display().to_string(),
        "verdict": worst.word(),
        "counts": Value::Object(counts.into_iter().collect()),
        "findings": found.iter().map(one).collect::<Vec<_>>(),
    });
    format!("{report}\n")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::doctor::check::Finding;

    fn found(group: &'static str, finding: Finding) -> NamedFinding {
        NamedFinding { group, check: "x", finding }
    }

    #[test]
    fn what_is_fine_is_one_word_and_the_rest_has_its_fix() {
        let all = [
            found("programs", Finding::ok("hob is there")),
            found("daemon", Finding::problem("it\u{202e} does not\x1b[2J answer").with_fix("kill 7")),
            found("daemon", Finding::ok("the socket is private")),
        ];
        let brief = "1 problem; 2 things as they should be.\n\nproblem   daemon    it\u{fffd} does not\u{fffd}[2J answer\n                    \
                     fix: kill 7\nok        programs\n";
        assert_eq!(text(&all, false, &Style::default()), brief);
        let whole = text(&all, true, &Style::default());
        assert!(
            whole.ends_with("ok        programs  hob is there\nok        daemon    the socket is private\n"),
            "{whole}"
        );
        let fine = text(&all[..1], false, &Style::default());
        assert_eq!(fine, "Nothing is wrong: 1 thing looked at.\n\nok        programs\n");
    }

    #[test]
    fn the_worst_comes_first() {
        let all = [
            found("limits", Finding::note("b")),
            found("places", Finding::warning("c")),
            found("agents", Finding::problem("d")),
            found("model", Finding::warning("e")),
        ];
        let shown = text(&all, false, &Style::default());
        let order: Vec<&str> = shown.lines().skip(2).map(|line| &line[20..]).collect();
        assert_eq!(order, ["d", "c", "e", "b"], "{shown}");
    }
}
