//! The report: for people grouped and short, for programs everything.

use serde_json::{Value, json};

use super::check::{Level, NamedFinding};
use super::surroundings::Surroundings;
use crate::render;
use crate::term::Style;
use crate::visible::is_invisible;

/// Grouped; what is as it should be is one word per group unless `verbose`.
pub(super) fn text(found: &[NamedFinding], verbose: bool, style: &Style) -> String {
    let mut out = String::new();
    for group in found.chunk_by(|one, next| one.group == next.group) {
        let shown: Vec<&NamedFinding> =
            group.iter().filter(|one| verbose || one.finding.level != Level::Ok).collect();
        let name = group[0].group;
        let pad = " ".repeat(NAME.saturating_sub(name.len()));
        let head = style.bold(name);
        match shown.is_empty() {
            true => out.push_str(&format!("{head}{pad} {}\n", style.dim("ok"))),
            false => out.push_str(&format!("{head}\n")),
        }
        shown.iter().for_each(|one| out.push_str(&lines(one, style)));
    }
    out.push_str(&format!("\n{}\n", summary(found)));
    out
}

/// Width of the names of groups, and of the words for levels.
const NAME: usize = 9;

fn lines(one: &NamedFinding, style: &Style) -> String {
    let level = one.finding.level;
    let word = match level {
        Level::Ok => style.dim(level.word()),
        Level::Note => style.bold(level.word()),
        Level::Warning => style.notice(level.word()),
        Level::Problem => style.alarm(level.word()),
    };
    let pad = " ".repeat(NAME.saturating_sub(level.word().len()));
    let mut out = format!("  {word}{pad}{}\n", without_controls(&one.finding.text));
    if let Some(fix) = &one.finding.fix {
        out.push_str(&format!("  {}{} {}\n", " ".repeat(NAME), style.dim("fix:"), without_controls(fix)));
    }
    out
}

/// Names of files and words of others can hold anything; a terminal must not obey it.
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
        false => format!("{}; {} as it should be.", parts.join(", "), render::count(fine, "thing")),
    }
}

/// Every finding. Fields are added, never renamed.
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
        let brief = "programs  ok\ndaemon\n  problem  it\u{fffd} does not\u{fffd}[2J answer\n           fix: kill 7\n\n\
                     1 problem; 2 things as it should be.\n";
        assert_eq!(text(&all, false, &Style::default()), brief);
        let whole = text(&all, true, &Style::default());
        assert!(whole.starts_with("programs\n  ok       hob is there\n"), "{whole}");
        let fine = text(&all[..1], false, &Style::default());
        assert_eq!(fine, "programs  ok\n\nNothing is wrong: 1 thing looked at.\n");
    }
}
