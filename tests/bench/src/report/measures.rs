//! Measurements that are separate programs (`tests/bench/*.py`, and tests of the map): starts them and reads their
//! figures from what they print.
//!
//! Each is run if its input was given; otherwise the page names the option that is missing. They compare answers with
//! the truth and not programs with each other, so they are run only once.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use super::figure::{Figure, Sample, Sense, Unit};

/// Reads the figures from the output of a measurement.
type Reader = fn(&str) -> Vec<Share>;

/// A measurement that is ready to run.
#[derive(Debug)]
pub(crate) struct Measure {
    pub(crate) row: &'static str,
    /// The name that its input has on the page.
    pub(crate) corpus: String,
    pub(crate) command: Vec<String>,
    pub(crate) environment: Vec<(String, String)>,
    /// The folder in which it is started, or `None` for the folder of this process.
    folder: Option<PathBuf>,
    reader: Reader,
}

/// A share with its name and sense.
#[derive(Clone, Debug, PartialEq)]
struct Share {
    name: String,
    value: f64,
    sense: Sense,
}

/// The inputs of measurements.
#[derive(Clone, Debug, Default, clap::Args)]
pub(crate) struct Inputs {
    /// A git repository with its history, for "from commits to files"; may be repeated
    #[arg(long, value_name = "DIR")]
    pub(crate) history: Vec<PathBuf>,
    /// Issues as JSON lines in the form of SWE-bench; needs --clones
    #[arg(long, value_name = "FILE", requires = "clones")]
    issues: Option<PathBuf>,
    /// A folder with clones of the issues' repositories, named `owner+name`
    #[arg(long, value_name = "FOLDER")]
    clones: Option<PathBuf>,
    /// A folder with call graphs in PyCG's form, such as `PyCG/micro-benchmark/snippets`
    #[arg(long, value_name = "FOLDER")]
    pub(crate) call_graphs: Option<PathBuf>,
    /// Measure the daemon at rest on five copies of this tree
    #[arg(long, value_name = "DIR")]
    budgets: Option<PathBuf>,
    /// Minutes of storm, a third of them calm
    #[arg(long, value_name = "MINUTES")]
    storm: Option<u32>,
    /// Python 3.9 or newer
    #[arg(long, default_value = "python3")]
    pub(crate) python: String,
}

/// Returns the measurements whose inputs were given. `programs` is the folder of hob's, `rg` is ripgrep.
pub(crate) fn measures_of(inputs: &Inputs, programs: &Path, rg: &Path, scratch: &Path) -> Vec<Measure> {
    let hob = programs.join("hob").to_string_lossy().into_owned();
    let shown = |path: &Path| path.to_string_lossy().into_owned();
    let name = |path: &Path| {
        path.file_name().map_or_else(|| shown(path), |name| name.to_string_lossy().into_owned())
    };
    let script = |name: &str, rest: Vec<String>| {
        let script = Path::new(env!("CARGO_MANIFEST_DIR")).join(name);
        [vec![inputs.python.clone(), shown(&script)], rest].concat()
    };
    let mut all = Vec::new();
    let mut add = |row, corpus: &str, command, reader| {
        all.push(Measure {
            row,
            corpus: corpus.to_owned(),
            command,
            environment: Vec::new(),
            folder: None,
            reader,
        });
    };
    for repository in &inputs.history {
        let command = script("commit_questions.py", vec![hob.clone(), shown(repository)]);
        add("commits", &name(repository), command, read_questions);
    }
    if let (Some(issues), Some(clones)) = (&inputs.issues, &inputs.clones) {
        let command = script("issue_questions.py", vec![hob, shown(issues), shown(clones)]);
        add("issues", &name(issues), command, read_questions);
    }
    if let Some(tree) = &inputs.budgets {
        let rest =
            ["--programs", &shown(programs), "--tree", &shown(tree), "--seconds", "30"].map(str::to_owned);
        add("budgets", &name(tree), script("budgets.py", rest.to_vec()), read_budgets);
    }
    if let Some(minutes) = inputs.storm {
        let (minutes, out) = (minutes.to_string(), shown(&scratch.join("storm")));
        let rest =
            ["--programs", &shown(programs), "--minutes", &minutes, "--clients", "24", "--projects", "6"];
        let more = ["--faults", "200", "--rg", &shown(rg), "--out", &out].map(str::to_owned);
        let command = script("soak.py", [rest.map(str::to_owned).to_vec(), more.to_vec()].concat());
        add("storm", "generated", command, read_storm);
    }
    if let Some(folder) = &inputs.call_graphs {
        let words = ["cargo", "test", "-p", "hob-map", "--test", "calls", "--", "--nocapture"];
        add("calls", &name(folder), words.map(str::to_owned).to_vec(), read_calls);
        if let Some(measure) = all.last_mut() {
            // A test is started in the folder of its crate, so a relative path would be looked for there.
            let folder = folder.canonicalize().unwrap_or_else(|_| folder.clone());
            measure.environment.push(("HOB_CALL_GRAPHS".to_owned(), shown(&folder)));
            measure.folder = Some(repository_root().to_path_buf());
        }
    }
    all
}

/// Returns the measurements without an input: the row, and the option that gives the input.
pub(crate) fn inputs_lacking(inputs: &Inputs) -> Vec<(&'static str, &'static str)> {
    let all = [
        ("commits", "--history DIR", inputs.history.is_empty()),
        ("issues", "--issues FILE --clones FOLDER", inputs.issues.is_none()),
        ("calls", "--call-graphs FOLDER", inputs.call_graphs.is_none()),
        ("budgets", "--budgets DIR", inputs.budgets.is_none()),
        ("storm", "--storm MINUTES", inputs.storm.is_none()),
    ];
    all.into_iter().filter(|(_, _, lacks)| *lacks).map(|(row, option, _)| (row, option)).collect()
}

impl Measure {
    /// Returns the command as one would type it into a shell, without the folders of this machine.
    pub(crate) fn shown_command(&self) -> String {
        let environment = self
            .environment
            .iter()
            .map(|(name, value)| format!("{name}={}", shown_word(value, repository_root())));
        let words = self.command.iter().map(|word| shown_word(word, repository_root()).to_owned());
        environment.chain(words).collect::<Vec<_>>().join(" ")
    }

    /// Runs the measurement and reads its figures.
    ///
    /// # Errors
    ///
    /// Returns the reason if it does not start, fails without a figure, or prints no figure.
    pub(crate) fn run(&self) -> Result<Vec<Figure>, String> {
        let (program, rest) = self.command.split_first().ok_or("no command")?;
        println!("\n{}: {}", self.row, self.command.join(" "));
        let mut command = Command::new(program);
        command.args(rest).envs(self.environment.iter().cloned()).stdin(Stdio::null());
        if let Some(folder) = &self.folder {
            command.current_dir(folder);
        }
        let out = command.output().map_err(|error| format!("{program} does not start: {error}"))?;
        let text = String::from_utf8_lossy(&out.stdout);
        println!("{text}");
        let shares = (self.reader)(&text);
        if shares.is_empty() {
            let said = String::from_utf8_lossy(&out.stderr);
            let last = said.lines().last().unwrap_or("nothing").trim();
            return Err(format!("ended with {} and no figure; its last words: {last}", out.status));
        }
        Ok(shares.into_iter().map(|share| self.figure(share)).collect())
    }

    fn figure(&self, share: Share) -> Figure {
        let hob = Sample::new("hob", Unit::Share, vec![share.value]);
        Figure { row: self.row.to_owned(), name: share.name, sense: share.sense, hob, other: None }
    }
}

/// Returns the repository in which this program was built.
fn repository_root() -> &'static Path {
    let own = Path::new(env!("CARGO_MANIFEST_DIR"));
    own.ancestors().nth(2).unwrap_or(own)
}

/// Returns a word without the folders of this machine: a path in the repository is shown from the repository's root,
/// any other absolute path by its last part.
fn shown_word<'w>(word: &'w str, repository: &Path) -> &'w str {
    let below = Path::new(word).strip_prefix(repository).ok().and_then(Path::to_str);
    match below.filter(|below| !below.is_empty()) {
        Some(below) => below,
        None if word.starts_with('/') => word.rsplit('/').next().unwrap_or(word),
        None => word,
    }
}

/// Reads lines such as `title  80 questions  @1 0.412  @5 0.700` and `whole n=60 file @1 0.300 function @5 0.200`.
fn read_questions(text: &str) -> Vec<Share> {
    let mut shares = Vec::new();
    for line in text.lines().filter(|line| line.contains(" @1 ")) {
        let words: Vec<&str> = line.split_whitespace().collect();
        let Some(kind) = words.first() else { continue };
        let count = words
            .iter()
            .find_map(|word| word.strip_prefix("n=").or_else(|| word.parse::<u32>().ok().map(|_| *word)));
        let mut subject = "file";
        for pair in words.windows(2) {
            match (pair[0], pair[1].parse::<f64>()) {
                ("file" | "function", _) => subject = pair[0],
                (place, Ok(value)) if place.starts_with('@') => {
                    let name = format!("{kind}: {subject} {place} of {} questions", count.unwrap_or("?"));
                    shares.push(Share { name, value, sense: Sense::More });
                }
                _ => {}
            }
        }
    }
    shares
}

/// Reads `all  recall 0.979 precision 0.992 (...)`.
fn read_calls(text: &str) -> Vec<Share> {
    let Some(line) = text.lines().find(|line| line.starts_with("all ")) else { return Vec::new() };
    let words: Vec<&str> = line.split_whitespace().collect();
    let named = words.windows(2).filter(|pair| ["recall", "precision"].contains(&pair[0]));
    let shares = named.filter_map(|pair| {
        Some(Share { name: pair[0].to_owned(), value: pair[1].parse().ok()?, sense: Sense::More })
    });
    shares.collect()
}

/// Reads rows such as `| memory of a shim | 8192 KiB | 600.000 KiB | holds |` as the measured fraction of the promised
/// limit.
fn read_budgets(text: &str) -> Vec<Share> {
    let number = |cell: &str| cell.split_whitespace().next()?.replace(',', "").parse::<f64>().ok();
    let rows = text.lines().filter_map(|line| {
        let cells: Vec<&str> = line.trim().trim_matches('|').split('|').map(str::trim).collect();
        let [name, promised, measured, _] = cells[..] else { return None };
        let (most, is) = (number(promised)?, number(measured)?);
        (most > 0.0).then(|| Share {
            name: format!("{name}: {measured} of {promised}"),
            value: is / most,
            sense: Sense::Less,
        })
    });
    rows.collect()
}

/// Reads `answers: {...}` and `169 faults, 0 problems`.
fn read_storm(text: &str) -> Vec<Share> {
    let Some(last) = text.lines().rev().find(|line| line.ends_with(" problems")) else { return Vec::new() };
    let numbers: Vec<f64> = last.split_whitespace().filter_map(|word| word.parse().ok()).collect();
    let [faults, problems] = numbers[..] else { return Vec::new() };
    let answers = text.lines().find_map(|line| line.strip_prefix("answers: "));
    let answers: Option<serde_json::Value> = answers.and_then(|answers| serde_json::from_str(answers).ok());
    let right = answers.as_ref().and_then(|answers| answers["right"].as_f64()).unwrap_or(0.0);
    let share = |name: String, value| Share { name, value, sense: Sense::Less };
    vec![share(
        format!("{problems} problems in {right} right answers, {faults} faults"),
        problems / right.max(1.0),
    )]
}

#[cfg(test)]
mod tests {
    use super::{
        Inputs, inputs_lacking, measures_of, read_budgets, read_calls, read_questions, read_storm, shown_word,
    };
    use std::path::Path;

    #[test]
    fn figures_are_read_from_what_measurements_print() {
        let asked = read_questions("title   80 questions  @1 0.412  @5 0.700  @10 0.800\nsaid 0.1 to 0.2\n");
        assert_eq!(asked.len(), 3);
        assert_eq!((asked[0].name.as_str(), asked[0].value), ("title: file @1 of 80 questions", 0.412));
        let asked = read_questions("whole n=60 file @1 0.300 @5 0.500 @10 0.600 function @5 0.200\n");
        assert_eq!(asked[3].name, "whole: function @5 of 60 questions");
        let calls = read_calls(
            "args   recall 1.000 precision 1.000 (1 right)\nall    recall 0.979 precision 0.992 (9 right, 1 missed)\n",
        );
        assert_eq!((calls.len(), calls[1].value), (2, 0.992));
        let rows = "| what | promised, at most | measured | |\n|---|---|---|---|\n| memory of a shim | 8192 KiB | 2048.000 KiB | holds |\n| left | 0  | 0.000  | holds |\n";
        let budgets = read_budgets(rows);
        assert_eq!((budgets.len(), budgets[0].value), (1, 0.25));
        let storm = read_storm("answers: {\"right\": 200, \"edits\": 3}\n20 faults, 1 problems\n");
        assert_eq!(storm[0].value, 0.005);
        assert_eq!(storm[0].name, "1 problems in 200 right answers, 20 faults");
    }

    #[test]
    fn nothing_is_read_from_failures() {
        for reader in [read_questions, read_calls, read_budgets, read_storm] {
            assert!(reader("Traceback (most recent call last):\n").is_empty());
        }
    }

    #[test]
    fn what_was_not_given_is_named() {
        let inputs = Inputs { storm: Some(3), ..Inputs::default() };
        let lacking = inputs_lacking(&inputs);
        assert_eq!(lacking.len(), 4);
        assert!(lacking.contains(&("commits", "--history DIR")));
        let measures = measures_of(&inputs, Path::new("/p"), Path::new("/r/rg"), Path::new("/s"));
        assert_eq!((measures.len(), measures[0].row), (1, "storm"));
        assert!(measures[0].command.windows(2).any(|words| words == ["--rg", "/r/rg"]), "{measures:?}");
    }

    #[test]
    fn a_shown_word_names_no_folder_of_the_machine() {
        let repository = Path::new("/home/me/hob");
        let shown = |word| shown_word(word, repository);
        assert_eq!(shown("/home/me/hob/tests/bench/soak.py"), "tests/bench/soak.py");
        assert_eq!((shown("/home/me/hob"), shown("/a/b"), shown("--out")), ("hob", "b", "--out"));
    }

    #[test]
    fn call_graphs_are_measured_in_the_repository() {
        let inputs = Inputs { call_graphs: Some("src".into()), ..Inputs::default() };
        let measures = measures_of(&inputs, Path::new("/p"), Path::new("/r/rg"), Path::new("/s"));
        assert!(Path::new(&measures[0].environment[0].1).is_absolute(), "{measures:?}");
        let folder = measures[0].folder.as_deref().expect("a folder");
        assert!(folder.join("daemon/map/Cargo.toml").is_file(), "{}", folder.display());
    }
}
