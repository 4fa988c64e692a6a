//! Gathers what a report measures: the given trees, inputs and programs, and with `--fetch` the pinned ones that were not
//! given.
//!
//! Nothing that cannot be fetched ends the report: it becomes an absence, with the reason. This file measures nothing, and
//! without `--fetch` it reaches for nothing outside of this machine.

use std::fs;
use std::path::Path;

use super::ReportOptions;
use super::corpora::{self, CALL_GRAPHS, Corpus, HISTORY};
use super::figure::Absence;
use super::measures::Inputs;
use super::neighbours::{Wishes, install_neighbours};
use crate::rows::Failure;

/// The rows whose inputs are fetched, which `--rows` can name beside those of `hob-bench`.
pub(super) const ACCURACY: [&str; 2] = ["commits", "calls"];

/// Everything that a report measures, and what is missing.
#[derive(Debug)]
pub(super) struct Material {
    pub(super) corpora: Vec<Corpus>,
    pub(super) inputs: Inputs,
    /// The options of the rows that name fetched programs.
    pub(super) options: Vec<String>,
    /// The fetched programs with their versions.
    pub(super) versions: Vec<String>,
    pub(super) absences: Vec<Absence>,
}

/// Gathers what was given, and fetches the rest if the user asks for it.
///
/// # Errors
///
/// Fails if there is no tree in the end, or if the folder for fetched things cannot be made.
pub(super) fn gather_material(options: &ReportOptions) -> Result<Material, Failure> {
    let mut material = Material {
        corpora: options.trees.clone(),
        inputs: options.inputs.clone(),
        options: Vec::new(),
        versions: Vec::new(),
        absences: Vec::new(),
    };
    if let Some(folder) = &options.fetch {
        fs::create_dir_all(folder)?;
        material.fetch_missing(&folder.canonicalize()?, options);
    }
    if material.corpora.is_empty() {
        let tried = material.absences.iter().map(|absence| format!("\n{}: {}", absence.what, absence.why));
        let tried: String = tried.collect();
        return Err(format!(
            "no tree to measure on: name one with `--tree NAME=DIR`, or have pinned ones fetched with `--fetch FOLDER`{tried}"
        )
        .into());
    }
    Ok(material)
}

impl Material {
    fn fetch_missing(&mut self, folder: &Path, options: &ReportOptions) {
        let python = options.inputs.python.as_str();
        for fetched in corpora::fetch_pinned(folder, python, &options.trees) {
            match fetched {
                Ok(corpus) => self.corpora.push(corpus),
                Err((name, why)) => self.note_absence("all rows", name, &why),
            }
        }
        let wanted = |row: &str| options.rows.iter().any(|name| name == row);
        if wanted("commits") && self.inputs.history.is_empty() {
            match corpora::fetch_tree(&HISTORY, folder, python) {
                Ok(repository) => self.inputs.history.push(repository),
                Err(error) => self.note_absence("commits", "flask's history", &error.to_string()),
            }
        }
        if wanted("calls") && self.inputs.call_graphs.is_none() {
            match corpora::fetch_tree(&CALL_GRAPHS.0, folder, python) {
                Ok(repository) => self.inputs.call_graphs = Some(repository.join(CALL_GRAPHS.1)),
                Err(error) => self.note_absence("calls", "PyCG's call graphs", &error.to_string()),
            }
        }
        let wishes = Wishes { folder, python, rows: &options.rows, given: &options.options };
        let neighbours = install_neighbours(&wishes);
        self.options = neighbours.options;
        self.versions = neighbours.versions;
        self.absences.extend(neighbours.absences);
    }

    fn note_absence(&mut self, row: &str, what: &str, why: &str) {
        println!("{what} cannot be fetched: {why}");
        let why = format!("it cannot be fetched: {why}");
        self.absences.push(Absence { row: row.to_owned(), what: what.to_owned(), why });
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use clap::Parser as _;

    use super::{Material, ReportOptions, gather_material};
    use crate::{CommandLine, Task};

    fn options_of(words: &[&str]) -> ReportOptions {
        let line =
            CommandLine::try_parse_from([&["hob-bench", "report"], words].concat()).expect("good options");
        match line.task {
            Some(Task::Report(options)) => *options,
            _ => panic!("a report was asked for"),
        }
    }

    /// Gathers into a folder with all trees given, and returns the entries of the folder too.
    fn gather_with(words: &[&str]) -> (Material, usize) {
        let folder = tempfile::tempdir().expect("a folder");
        let place = folder.path().to_string_lossy().into_owned();
        let trees = "--tree click=a --tree flask=b --tree rxjs=c --tree hugo=d --tree django=e";
        let trees: Vec<&str> = trees.split(' ').collect();
        let options = options_of(&[&["--fetch", &place], &trees[..], words].concat());
        let material = gather_material(&options).expect("there are trees");
        (material, std::fs::read_dir(folder.path()).expect("a folder").count())
    }

    #[test]
    fn what_the_user_gives_is_not_fetched() {
        let given =
            "--history h --call-graphs g --rows references,commits,calls -- --serena s --cclsp=c --path p";
        let (material, fetched) = gather_with(&given.split(' ').collect::<Vec<_>>());
        assert_eq!((material.corpora.len(), fetched), (5, 0), "{material:?}");
        assert_eq!(material.inputs.history, [Path::new("h")]);
        assert_eq!((material.options.len(), material.absences.len()), (0, 0), "{material:?}");
    }

    #[test]
    fn what_no_row_needs_is_not_fetched() {
        let (material, fetched) = gather_with(&["--rows", "map"]);
        assert_eq!((material.absences.len(), fetched), (0, 0), "{material:?}");
        assert!(material.inputs.history.is_empty() && material.inputs.call_graphs.is_none());
    }

    #[test]
    fn a_report_without_a_tree_says_how_to_name_one() {
        let error = gather_material(&options_of(&[])).expect_err("there is no tree").to_string();
        assert!(error.contains("--tree NAME=DIR") && error.contains("--fetch FOLDER"), "{error}");
    }
}
