//! `hob-bench report` writes one page with plots, with every comparison on every tree, measured several times.
//! `hob-bench regressions` compares kept reports.
//!
//! A run measures all rows on all trees before the next run begins, so that a slow hour of the machine affects all of
//! them. The page names the programs that are not installed and the inputs that were not given. Nothing is fetched
//! without `--fetch`. The page shows the command of each figure. It contains the names of trees, but no folder of this
//! machine.

mod corpora;
mod fetch;
pub(crate) mod figure;
mod machine;
mod measures;
mod neighbours;
mod page;
mod plot;
mod regressions;
mod summary;

use std::collections::BTreeMap;
use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use clap::Parser as _;

use crate::Args;
use crate::rows::{self, Failure};
use corpora::Corpus;
use fetch::{ACCURACY, Material, gather_material};
use figure::Absence;
use measures::Inputs;
use neighbours::has_option;
use page::FiguresPage;
use regressions::Circumstances;

/// The rows that a report measures by default: those that compare, and that end within minutes on a tree of thousands
/// of files; and those of accuracy whose inputs `--fetch` brings.
const USUAL: &str =
    "questions,index,handshake,noop,search,map,regex,cost,clients,references,hook,save,warm,commits,calls";

/// The remark for a debug build. It cannot be known how the other programs were built.
const DEBUG: &str = "`hob-bench` itself was a debug build: bare tree-sitter, which is part of it, may be slower than in a release.";

/// The options of a report.
#[derive(Debug, clap::Args)]
pub(crate) struct ReportOptions {
    /// A tree with its name on the page, such as `django=/home/me/src/django`; may be repeated
    #[arg(long = "tree", value_name = "NAME=DIR", value_parser = corpora::parse_corpus)]
    trees: Vec<Corpus>,
    /// Measure the pinned corpora (click, flask, rxjs, hugo, django) and inputs too, and compare with the pinned programs
    /// of others: what is not in this folder yet is fetched by git, pip, npm and cargo
    #[arg(long, value_name = "FOLDER")]
    fetch: Option<PathBuf>,
    /// Folder for the page and its plots
    #[arg(long, value_name = "FOLDER", default_value = "report")]
    out: PathBuf,
    /// Times that all is measured
    #[arg(long, default_value_t = 3)]
    runs: usize,
    /// Add the ratios of this report to this file, and show those that it has from earlier ones
    #[arg(long, value_name = "FILE")]
    keep: Option<PathBuf>,
    /// Rows to measure. `commits` and `calls` have --fetch bring their inputs; a given input is always measured
    #[arg(long = "rows", value_delimiter = ',', default_value = USUAL, value_parser = clap::builder::PossibleValuesParser::new(rows::names().chain(ACCURACY)))]
    rows: Vec<String>,
    #[command(flatten)]
    inputs: Inputs,
    /// Options of the rows, as `hob-bench` alone takes them: `-- --csearch ~/go/bin/csearch --rounds 20`
    #[arg(last = true, value_name = "OPTIONS")]
    options: Vec<String>,
}

/// The options of the comparison of kept reports.
#[derive(Debug, clap::Args)]
pub(crate) struct RegressionsOptions {
    /// The file that `hob-bench report --keep` has written
    file: PathBuf,
}

/// Measures all rows and writes the page.
pub(crate) fn write_report(options: &ReportOptions) -> Result<(), Failure> {
    let material = gather_material(options)?;
    let mut report = begin_page(options, &material);
    report.programs.extend(versions_given(options, &material)?);
    for run in 0..options.runs.max(1) {
        println!("\nrun {} of {}", run + 1, options.runs.max(1));
        for corpus in &material.corpora {
            measure_corpus(options, corpus, &material, &mut report)?;
        }
    }
    measure_accuracy(options, &material, &mut report)?;
    fs::create_dir_all(&options.out)?;
    finish(options, &mut report)
}

fn begin_page(options: &ReportOptions, material: &Material) -> FiguresPage {
    let cores = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    let mut remarks: Vec<String> =
        machine::load_average().and_then(|load| machine::remark_on_load(load, cores)).into_iter().collect();
    if cfg!(debug_assertions) {
        remarks.push(DEBUG.to_owned());
    }
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    FiguresPage {
        command: command_of(std::env::args()),
        time: humantime::format_rfc3339_seconds(SystemTime::now()).to_string(),
        commit: corpora::head_of(root).unwrap_or_else(|| "unknown".to_owned()),
        machine: machine::describe_machine(),
        remarks,
        programs: [programs(), material.versions.clone()].concat(),
        corpora: material.corpora.iter().map(corpora::describe_corpus).collect(),
        absences: material.absences.clone(),
        runs: options.runs.max(1),
        ..FiguresPage::default()
    }
}

/// Returns the command line without the folders of this machine.
fn command_of(words: impl Iterator<Item = String>) -> String {
    let short = |word: &str| match word.starts_with('/') {
        true => word.rsplit('/').next().unwrap_or_default().to_owned(),
        false => word.to_owned(),
    };
    // A value may contain `=` itself, so a folder begins after the first `=` that is followed by `/`.
    let words = words.map(|word| match word.find("=/").map(|at| word.split_at(at + 1)) {
        Some((name, folder)) if !name.contains('/') => format!("{name}{}", short(folder)),
        _ => short(&word),
    });
    words.collect::<Vec<_>>().join(" ")
}

fn programs() -> Vec<String> {
    let own = std::env::current_exe().ok().map(|path| path.with_file_name("hob"));
    let known = [own, Some("ctags".into()), Some("git".into())];
    known.into_iter().flatten().filter_map(|program| machine::version_of(&program)).collect()
}

/// Runs all rows once on a tree.
fn measure_corpus(
    options: &ReportOptions,
    corpus: &Corpus,
    material: &Material,
    report: &mut FiguresPage,
) -> Result<(), Failure> {
    let rows: Vec<String> =
        options.rows.iter().filter(|row| !ACCURACY.contains(&row.as_str())).cloned().collect();
    if rows.is_empty() {
        return Ok(());
    }
    let mut words = words_of(corpus, &material.options, &options.options);
    let shown = command_of(words.iter().cloned());
    words.extend(rows.iter().cloned());
    let mut args = Args::try_parse_from(&words)?;
    args.goes_on = true;
    rows::run(&args)?;
    for row in rows {
        report.commands.insert((corpus.name.clone(), row.clone()), format!("{shown} {row}"));
    }
    summary::add_run(&mut report.lines, &corpus.name, args.sheet.take_figures());
    let absences = args.sheet.take_absences().into_iter();
    report.absences.extend(
        absences.map(|absence| Absence { row: format!("{} on {}", absence.row, corpus.name), ..absence }),
    );
    Ok(())
}

/// Returns the command that measures a tree, without its rows: with the fetched programs, and the user's options last.
fn words_of(corpus: &Corpus, fetched: &[String], given: &[String]) -> Vec<String> {
    let folder = corpus.folder.to_string_lossy().into_owned();
    let mut words = vec!["hob-bench".to_owned(), "--tree".to_owned(), folder];
    if ["click", "flask", "rxjs"].contains(&corpus.name.as_str()) {
        words.extend(["--questions".to_owned(), corpus.name.clone()]);
    }
    if let Some(place) = corpus.place.filter(|_| !has_option(given, "--at")) {
        words.extend(["--at".to_owned(), place.to_owned()]);
    }
    words.extend(fetched.iter().chain(given).cloned());
    words
}

/// Returns what programs that were not fetched say about their versions. cclsp, csearch and fff do not tell.
fn versions_given(options: &ReportOptions, material: &Material) -> Result<Vec<String>, Failure> {
    let Some(args) = args_of_rows(options, material)? else { return Ok(Vec::new()) };
    let named = [
        ("--rg", Some(&args.rg)),
        ("--serena", args.serena.as_ref()),
        ("--codegraph", args.codegraph.as_ref()),
        ("--codanna", args.codanna.as_ref()),
    ];
    let given = named.into_iter().filter(|(option, _)| !has_option(&material.options, option));
    let versions = given.filter_map(|(option, program)| {
        let version = machine::version_of(program?)?;
        let is_bare = version.starts_with(|first: char| first.is_ascii_digit());
        Some(if is_bare { format!("{} {version}", option.trim_start_matches('-')) } else { version })
    });
    Ok(versions.collect())
}

/// Returns the options with which the rows measure the first tree.
fn args_of_rows(options: &ReportOptions, material: &Material) -> Result<Option<Args>, Failure> {
    let words = |corpus| words_of(corpus, &material.options, &options.options);
    Ok(material.corpora.first().map(|corpus| Args::try_parse_from(words(corpus))).transpose()?)
}

fn measure_accuracy(
    options: &ReportOptions,
    material: &Material,
    report: &mut FiguresPage,
) -> Result<(), Failure> {
    let inputs = &material.inputs;
    let rg = args_of_rows(options, material)?.map_or_else(|| "rg".into(), |args| args.rg);
    let programs = std::env::current_exe()?.parent().ok_or("this program has no folder")?.to_path_buf();
    let scratch = tempfile::tempdir()?;
    for measure in measures::measures_of(inputs, &programs, &rg, scratch.path()) {
        let place = (measure.corpus.clone(), measure.row.to_owned());
        report.commands.insert(place, measure.shown_command());
        match measure.run() {
            Ok(figures) => summary::add_run(&mut report.lines, &measure.corpus, figures),
            Err(why) => {
                report.absences.push(Absence { row: measure.row.to_owned(), what: measure.corpus, why });
            }
        }
    }
    let lacking = measures::inputs_lacking(inputs).into_iter();
    report.absences.extend(lacking.map(|(row, option)| Absence {
        row: row.to_owned(),
        what: "the whole row".to_owned(),
        why: format!("its input was not given ({option})"),
    }));
    Ok(())
}

/// Writes the page and its plots, and keeps the ratios.
fn finish(options: &ReportOptions, report: &mut FiguresPage) -> Result<(), Failure> {
    if let Some(file) = &options.keep {
        let kept = fs::read_to_string(file).unwrap_or_default();
        let described = report.corpora.iter().filter_map(|corpus| corpus.split_once(": "));
        let trees = described.map(|(name, tree)| (name.to_owned(), tree.to_owned())).collect();
        report.earlier = match regressions::earlier_ratios(&kept, &report.machine, &trees) {
            Ok(earlier) => earlier,
            Err(error) => {
                println!("{} cannot be read and is only added to: {error}", file.display());
                BTreeMap::new()
            }
        };
        let time = SystemTime::now().duration_since(UNIX_EPOCH)?.as_secs();
        let run = Circumstances { commit: &report.commit, machine: &report.machine, time, trees: &trees };
        let line = regressions::line_of(&run, &report.lines);
        let mut file = fs::OpenOptions::new().create(true).append(true).open(file)?;
        writeln!(file, "{line}")?;
    }
    let plots = options.out.join("figures");
    fs::create_dir_all(&plots)?;
    for plot in report.plots() {
        fs::write(plots.join(&plot.file), plot::draw_bars(&plot.title, &plot.bars)?)?;
    }
    let page = options.out.join("figures.md");
    fs::write(&page, report.render("figures"))?;
    println!("\n{}", page.display());
    Ok(())
}

/// Prints which commit moved a ratio by more than its spread.
pub(crate) fn print_regressions(options: &RegressionsOptions) -> Result<(), Failure> {
    let text = fs::read_to_string(&options.file)
        .map_err(|error| format!("{} cannot be read: {error}", options.file.display()))?;
    println!(
        "{}",
        regressions::report_moves(&text).map_err(|error| format!("{}: {error}", options.file.display()))?
    );
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::corpora::Corpus;
    use super::{command_of, words_of};

    #[test]
    fn a_shown_command_names_no_folder_of_the_machine() {
        let words = [
            "/a/b/hob-bench",
            "report",
            "--tree",
            "django=/home/me/django",
            "--out",
            "/x/y",
            "--tree=flask=/home/me/x",
            "--tree",
            "db=/home/me/django=5",
            "--",
            "--rg=/z/rg",
        ];
        assert_eq!(
            command_of(words.into_iter().map(str::to_owned)),
            "hob-bench report --tree django=django --out y --tree=flask=x --tree db=django=5 -- --rg=rg"
        );
    }

    #[test]
    fn a_place_that_the_user_gives_wins_over_the_pinned_one() {
        let corpus = Corpus { name: "flask".into(), folder: "f".into(), place: Some("a.py:1:5") };
        let words = |given: &[&str]| {
            let given: Vec<String> = given.iter().map(|word| (*word).to_owned()).collect();
            words_of(&corpus, &["--rg".into(), "r".into()], &given).join(" ")
        };
        let begin = "hob-bench --tree f --questions flask";
        assert_eq!(words(&["--rounds", "4"]), format!("{begin} --at a.py:1:5 --rg r --rounds 4"));
        assert_eq!(words(&["--at", "b.py:2:1"]), format!("{begin} --rg r --at b.py:2:1"));
    }
}
