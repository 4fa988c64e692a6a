//! Writes the page of a report: what was measured, where and how often, each figure with its command and spread, and
//! what was not measured and why. The comparisons that hob lost are shown in the same way as those that it won.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use super::figure::{Absence, Sense, Spread};
use super::plot::{Bar, show_ratio};
use super::summary::{Line, Outcome};

/// A section of the page, with the row that measures it.
struct FigureSection {
    row: &'static str,
    title: &'static str,
    /// Describes the comparison, and what is unfair about it.
    text: &'static str,
}

const SECTIONS: &[FigureSection] = &[
    FigureSection {
        row: "questions",
        title: "Tokens and calls per question",
        text: "Questions of a maintainer, answered by the calls that a sensible agent makes of hob, and by the commands that it runs with ripgrep and `sed` alone. Both lists were written by reading the sources (`tests/quality/economy/questions.txt`). Tokens are characters / 4. That an answer is right, other tests say.",
    },
    FigureSection {
        row: "regex",
        title: "Search by class of pattern",
        text: "`regex_search` over MCP with the freshness barrier, against programs that print the same lines. *counted* asks for totals, *shown* for the first lines that a budget holds with the totals of all; ripgrep counts, or prints all lines into a pipe. Programs pay for their start, hob for the protocol. hob has an index, ripgrep has none: the index is paid for below.",
    },
    FigureSection {
        row: "index",
        title: "The first index",
        text: "`hob index` into an empty cache, the daemon's start included, against the same files read and parsed by bare tree-sitter on all cores (the trees thrown away) and against `ctags -R`. hob also lists the tree and makes a text index and a graph; bare tree-sitter parses C, Python, TypeScript and JavaScript only.",
    },
    FigureSection {
        row: "cost",
        title: "Text index: time and size",
        text: "From the start of a session that finds no daemon to the first whole answer of `regex_search`, and what is kept on the disk and in memory then, as a share of the text. The second copy of the texts can be turned off (`--no-text-cache`).",
    },
    FigureSection {
        row: "clients",
        title: "Memory against clients",
        text: "Private memory of all of hob's processes (one daemon, one shim for each client), with one client and with more. A neighbour that runs one server for each client is measured beside it if it is given.",
    },
    FigureSection {
        row: "references",
        title: "References through a language server",
        text: "The same question through MCP, each program with a language server of its own, of the same make. The first answer counts from the start of the MCP server (hob's daemon runs already, its language server does not) to an answer that names all files that hob's complete answer names; *asked again* is warm. A program whose answers never name all of them is not raced, and stands under *Not measured*. Tokens are characters / 4.",
    },
    FigureSection {
        row: "save",
        title: "From a save to a right answer",
        text: "The clock starts when `rename` has returned and ends with an answer that has the new function. hob is asked once. ripgrep searches the tree for the name, without an index and without a save of its own; watchers are asked until they know.",
    },
    FigureSection {
        row: "warm",
        title: "Coming back",
        text: "From the start of a session that finds no daemon but the last one's files, to the first answer that equals the one before the stop; against a cold `hob index`.",
    },
    FigureSection {
        row: "handshake",
        title: "Starting a session",
        text: "Start of `hob-mcp` to the answered `initialize`, against a server by the same library that lists nothing.",
    },
    FigureSection {
        row: "noop",
        title: "A call that does nothing",
        text: "The way from the client through shim and daemon and back, with the barrier; in units of the same call without the barrier, and of an MCP ping, which ends in the shim.",
    },
    FigureSection {
        row: "map",
        title: "Latencies of tools",
        text: "Warm questions over MCP, barrier included, in units of a call that does nothing. Definitions are drawn evenly from the tree's files.",
    },
    FigureSection {
        row: "busy",
        title: "Questions to a daemon that is busy",
        text: "The same in turns with a call that does nothing, right after the first index and while a file is saved again and again.",
    },
    FigureSection {
        row: "search",
        title: "Symbols by name",
        text: "`map_search` against a neighbour's search for a symbol, both warm.",
    },
    FigureSection {
        row: "first-answer",
        title: "The first answer of a session",
        text: "Start of the MCP server to its first answer about a symbol, the daemon running.",
    },
    FigureSection {
        row: "hook",
        title: "The hook of an agent",
        text: "`hob hook` against the start of `true`, in pairs.",
    },
    FigureSection {
        row: "commits",
        title: "Accuracy: from the message of a commit to its files",
        text: "The first file that a commit changed is among the first 1, 5 or 10 files of `investigate`, asked with the message alone on the tree as it was long before. Nobody who tunes the ranking wrote these questions.",
    },
    FigureSection {
        row: "issues",
        title: "Accuracy: from an issue to its fix",
        text: "The same for real issues and the files and functions that their fixes changed, in the form of SWE-bench.",
    },
    FigureSection {
        row: "calls",
        title: "Accuracy: call graphs",
        text: "Call edges of the map alone, without a language server, against graphs that others wrote down (PyCG's micro benchmark and those of its form).",
    },
    FigureSection {
        row: "budgets",
        title: "The daemon at rest",
        text: "What the daemon costs while nobody asks, as a share of what is promised: 1 is the promise, less is better.",
    },
    FigureSection {
        row: "storm",
        title: "Freshness under storm",
        text: "Clients that own their files ask, edit and save on several projects while faults are injected. Every answer is judged by what its client knows to be on the disk.",
    },
];

/// Everything that the page shows.
#[derive(Debug, Default)]
pub(crate) struct FiguresPage {
    /// The command that made the page.
    pub(crate) command: String,
    pub(crate) time: String,
    pub(crate) commit: String,
    pub(crate) machine: String,
    /// Remarks about the run, such as a busy machine or a debug build.
    pub(crate) remarks: Vec<String>,
    /// The programs with their versions.
    pub(crate) programs: Vec<String>,
    /// The corpora with their descriptions.
    pub(crate) corpora: Vec<String>,
    pub(crate) runs: usize,
    pub(crate) lines: Vec<Line>,
    pub(crate) absences: Vec<Absence>,
    /// The command for each corpus and row.
    pub(crate) commands: BTreeMap<(String, String), String>,
    /// The ratios of earlier runs on this machine, by their names, oldest first.
    pub(crate) earlier: BTreeMap<String, Vec<f64>>,
}

/// A plot of the page: the name of its file, its title and its bars.
#[derive(Debug)]
pub(crate) struct Plot {
    pub(crate) file: String,
    pub(crate) title: String,
    pub(crate) bars: Vec<Bar>,
}

impl FiguresPage {
    /// Returns the plots, one for each section that has ratios.
    pub(crate) fn plots(&self) -> Vec<Plot> {
        let drawn = SECTIONS.iter().filter_map(|section| {
            let bars: Vec<Bar> = self.lines_of(section.row).filter_map(bar_of).collect();
            let title = format!("{}: hob / other, less is better", section.title);
            (!bars.is_empty()).then(|| Plot { file: format!("{}.svg", section.row), title, bars })
        });
        drawn.collect()
    }

    /// Returns the page as Markdown. Its plots are in the folder `plots` next to it.
    pub(crate) fn render(&self, plots: &str) -> String {
        let mut page = self.head();
        for section in SECTIONS {
            if self.lines_of(section.row).next().is_some() {
                self.add_section(&mut page, section, plots);
            }
        }
        self.add_earlier(&mut page);
        self.add_absences(&mut page);
        page
    }

    fn lines_of(&self, row: &str) -> impl Iterator<Item = &Line> {
        self.lines.iter().filter(move |line| line.row == row)
    }

    fn head(&self) -> String {
        let mut page = format!(
            "# Figures\n\nMade by this command on {}, from commit {}:\n\n```sh\n{}\n```\n\n",
            self.time, self.commit, self.command
        );
        let _ = writeln!(page, "Machine: {}.\n", self.machine);
        self.remarks.iter().for_each(|remark| {
            let _ = writeln!(page, "> {remark}\n");
        });
        let _ = writeln!(
            page,
            "Where programs race for time, they take turns; memory, tokens and cold indexes are measured one after the other. A ratio is hob's \
             median by the other's, made in each of {} runs; it is shown as the middle of these with the smallest and the largest. Values are medians over all runs with the smallest, \
             the largest and their number. *Ahead* and *behind* are said only where no run says otherwise and each \
             side was measured twice at least (questions need one).\n",
            self.runs
        );
        list(&mut page, "Corpora", &self.corpora);
        list(&mut page, "Programs", &self.programs);
        page.push_str(&self.tally());
        page
    }

    fn tally(&self) -> String {
        let count = |outcome| self.lines.iter().filter(|line| line.outcome() == outcome).count();
        let (ahead, behind, even) = (count(Outcome::Ahead), count(Outcome::Behind), count(Outcome::Even));
        format!(
            "Of {} races hob is ahead in {ahead} and behind in {behind}; {even} are within the spread.\n\n",
            ahead + behind + even
        )
    }

    fn add_section(&self, page: &mut String, section: &FigureSection, plots: &str) {
        let _ = writeln!(page, "## {}\n\n{}\n", section.title, section.text);
        if self.lines_of(section.row).filter_map(bar_of).next().is_some() {
            let _ =
                writeln!(page, "![Ratios of this section, as in its tables]({plots}/{}.svg)\n", section.row);
        }
        let mut corpora: Vec<&str> = Vec::new();
        for line in self.lines_of(section.row) {
            if !corpora.contains(&line.corpus.as_str()) {
                corpora.push(&line.corpus);
            }
        }
        for corpus in corpora {
            let command = self.commands.get(&(corpus.to_owned(), section.row.to_owned()));
            let command = command.map_or(String::new(), |command| format!(": `{command}`"));
            let _ = writeln!(page, "{corpus}{command}\n");
            page.push_str("| what | hob | other program | hob / other | |\n|---|---|---|---|---|\n");
            for line in self.lines_of(section.row).filter(|line| line.corpus == corpus) {
                page.push_str(&row_of(line));
            }
            page.push('\n');
        }
    }

    fn add_earlier(&self, page: &mut String) {
        let known: Vec<(&Line, &Vec<f64>)> =
            self.lines.iter().filter_map(|line| Some((line, self.earlier.get(&line.key())?))).collect();
        if known.is_empty() {
            return;
        }
        page.push_str("## Beside earlier runs\n\nThe same ratios, from earlier runs on this machine and the same trees that were kept in the same file, oldest first.\n\n");
        page.push_str("| ratio | earlier | now | largest / smallest |\n|---|---|---|---|\n");
        for (line, earlier) in known {
            let Some(now) = line.ratio() else { continue };
            let shown: Vec<String> = earlier.iter().copied().map(show_ratio).collect();
            let mut all = earlier.clone();
            all.push(now.median);
            let factor = Spread::of(&all).map_or_else(String::new, factor_of);
            let _ = writeln!(
                page,
                "| {} | {} | {} | {factor} |",
                cell(&line.key()),
                shown.join(", "),
                show_ratio(now.median)
            );
        }
        page.push('\n');
    }

    fn add_absences(&self, page: &mut String) {
        let mut absences = self.absences.clone();
        absences.sort();
        absences.dedup();
        if absences.is_empty() {
            return;
        }
        page.push_str("## Not measured\n\n| row | what | why |\n|---|---|---|\n");
        for Absence { row, what, why } in absences {
            let _ = writeln!(page, "| {row} | {} | {} |", cell(&what), cell(&why));
        }
    }
}

fn list(page: &mut String, title: &str, items: &[String]) {
    if !items.is_empty() {
        let _ = writeln!(page, "{title}:\n");
        items.iter().for_each(|item| {
            let _ = writeln!(page, "- {item}");
        });
        page.push('\n');
    }
}

fn bar_of(line: &Line) -> Option<Bar> {
    let is_ratio = matches!(line.sense, Sense::Race | Sense::Multiple);
    let ratio = line.ratio().filter(|ratio| is_ratio && ratio.min > 0.0)?;
    let other = line.other.as_ref().map_or("", |other| other.who.as_str());
    Some(Bar { label: format!("{}: {} / {other}", line.corpus, line.name), ratio, outcome: line.outcome() })
}

fn row_of(line: &Line) -> String {
    let values = |sample: &super::figure::Sample| {
        let Some(spread) = sample.spread() else { return String::new() };
        let [min, median, max] = [spread.min, spread.median, spread.max].map(|value| sample.unit.show(value));
        let count = spread.count;
        if min == max {
            format!("{median} (n={count})")
        } else {
            format!("{median} ({min} to {max}, n={count})")
        }
    };
    let (other, ratio) = match (&line.other, line.ratio()) {
        (Some(other), Some(ratio)) => (format!("{}: {}", other.who, values(other)), show_spread(ratio)),
        _ => (String::new(), String::new()),
    };
    format!(
        "| {} | {} | {} | {ratio} | {} |\n",
        cell(&line.name),
        values(&line.hob),
        cell(&other),
        line.outcome().word()
    )
}

/// Formats a ratio, with its smallest and largest value if they differ.
fn show_spread(ratio: Spread) -> String {
    let [min, median, max] = [ratio.min, ratio.median, ratio.max].map(show_ratio);
    if min == max { format!("**{median}**") } else { format!("**{median}** ({min} to {max})") }
}

/// Formats the largest of several ratios divided by the smallest, or a dash if that is not a number.
fn factor_of(all: Spread) -> String {
    let factor = all.max / all.min;
    if factor.is_finite() { format!("{factor:.2}") } else { "–".to_owned() }
}

/// Escapes a text for a cell of a table.
fn cell(text: &str) -> String {
    text.replace('|', "\\|").replace('\n', " ")
}

#[cfg(test)]
mod tests {
    use super::super::figure::{Absence, Sample, Sense, Unit};
    use super::super::summary::Line;
    use super::FiguresPage;

    fn line(name: &str, sense: Sense, ratios: &[f64]) -> Line {
        let sample = |who, value| Sample::new(who, Unit::Millis, vec![value, value * 2.0, value * 3.0]);
        Line {
            corpus: "click".into(),
            row: "regex".into(),
            name: name.into(),
            sense,
            hob: sample("hob", 1.0),
            other: Some(sample("rg", 4.0)),
            ratios: ratios.to_vec(),
        }
    }

    #[test]
    fn lost_rows_are_shown_like_won_ones() {
        let lines = vec![line("a|b", Sense::Race, &[0.2, 0.3]), line("slow", Sense::Race, &[2.0, 3.0, 4.0])];
        let report = FiguresPage { lines, runs: 3, ..FiguresPage::default() };
        let page = report.render("report");
        assert!(
            page.contains("Of 2 races hob is ahead in 1 and behind in 1; 0 are within the spread."),
            "{page}"
        );
        assert!(page.contains("| a\\|b | 2.00 ms (1.00 ms to 3.00 ms, n=3) | rg: 8.00 ms (4.00 ms to 12 ms, n=3) | **0.25** (0.20 to 0.30) | hob is ahead |"), "{page}");
        assert!(page.contains("| **3.00** (2.00 to 4.00) | hob is behind |"), "{page}");
        assert!(page.contains("(report/regex.svg)"), "{page}");
        assert_eq!(report.plots().len(), 1);
        assert_eq!(report.plots()[0].bars.len(), 2);
    }

    #[test]
    fn what_is_absent_is_said_once() {
        let absent = |what: &str| Absence { row: "regex".into(), what: what.into(), why: "not given".into() };
        let report = FiguresPage {
            absences: vec![absent("fff"), absent("csearch"), absent("fff")],
            ..FiguresPage::default()
        };
        let page = report.render("report");
        assert!(!page.contains("## Search"), "{page}");
        assert!(page.ends_with("| regex | csearch | not given |\n| regex | fff | not given |\n"), "{page}");
    }

    #[test]
    fn earlier_runs_stand_beside_this_one() {
        let earlier = [("click/regex/rare".to_owned(), vec![0.25, 0.5])].into();
        let report =
            FiguresPage { lines: vec![line("rare", Sense::Race, &[0.4])], earlier, ..FiguresPage::default() };
        let page = report.render("report");
        assert!(page.contains("| click/regex/rare | 0.25, 0.50 | 0.40 | 2.00 |"), "{page}");
        let earlier = [("click/regex/wrong".to_owned(), vec![0.0])].into();
        let report = FiguresPage {
            lines: vec![line("wrong", Sense::Less, &[0.0])],
            earlier,
            ..FiguresPage::default()
        };
        assert!(report.render("report").contains("| – |"), "{}", report.render("report"));
    }

    #[test]
    fn values_without_a_spread_are_shown_once_and_a_corpus_has_one_table() {
        let mut same = line("same", Sense::Race, &[0.5, 0.5]);
        same.hob.values = vec![7.0, 7.0];
        let other = Line { corpus: "flask".into(), ..line("other", Sense::Race, &[0.5]) };
        let lines = vec![same, other, line("last", Sense::Race, &[0.5])];
        let page = FiguresPage { lines, ..FiguresPage::default() }.render("report");
        assert!(page.contains("| same | 7.00 ms (n=2) |"), "{page}");
        assert_eq!(page.matches("\nclick\n").count(), 1, "{page}");
    }
}
