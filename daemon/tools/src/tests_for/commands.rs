//! Finds the runner of each test by the project file nearest to it, and makes as few command lines as they allow.

use std::collections::BTreeMap;

use hob_base::WsPath;
use hob_proto::tools::tests_for::TestCommand;

use super::runners::{TestPlace, TestRunner};
use hob_host::Workspace;
use hob_results::current_bytes;

/// Most tests that one command names; above that, it names their files.
const NAMED: usize = 40;

/// The project files by which a runner is found, with the endings of the files that it runs.
const MARKERS: &[(&str, &[&str])] = &[
    ("Cargo.toml", &["rs"]),
    ("go.mod", &["go"]),
    ("package.json", &["ts", "tsx", "js", "jsx", "mjs", "cjs", "mts", "cts", "vue", "svelte"]),
    ("pom.xml", &["java", "kt", "scala", "groovy"]),
    ("build.gradle", &["java", "kt", "scala", "groovy"]),
    ("build.gradle.kts", &["java", "kt", "scala", "groovy"]),
    (DOTNET_PROJECT, &["cs", "fs", "vb"]),
    ("composer.json", &["php"]),
    ("Gemfile", &["rb"]),
];

/// The ending of a .NET project file, which replaces its name among the markers.
const DOTNET_PROJECT: &str = ".csproj";

/// The runners that a word in `package.json` names.
const SCRIPT_RUNNERS: &[(&str, TestRunner)] = &[
    ("vitest", TestRunner::Vitest),
    ("jest", TestRunner::Jest),
    ("mocha", TestRunner::Mocha),
    ("node --test", TestRunner::Node),
    ("--test ", TestRunner::Node),
];

/// Returns a command line for the tests of each runner and project folder.
pub(super) fn commands_for(workspace: &Workspace, tests: &[TestPlace]) -> Vec<TestCommand> {
    let markers = ProjectFiles::of_workspace(workspace);
    let mut groups: BTreeMap<(TestRunner, String), Vec<&TestPlace>> = BTreeMap::new();
    for test in tests {
        let Some((runner, folder)) = markers.runner_of(test) else { continue };
        let folder = if runner.is_for_all_folders() { String::new() } else { folder };
        groups.entry((runner, folder)).or_default().push(test);
    }
    let mut commands: Vec<TestCommand> = groups
        .into_iter()
        .map(|((runner, folder), tests)| TestCommand {
            runner: runner.as_str().to_owned(),
            command: command_of(runner, &folder, &tests),
            tests: tests.len(),
        })
        .collect();
    commands.sort_by_key(|command| std::cmp::Reverse(command.tests));
    commands
}

fn command_of(runner: TestRunner, folder: &str, tests: &[&TestPlace]) -> String {
    if tests.len() <= NAMED || matches!(runner, TestRunner::Cargo | TestRunner::Go) {
        return runner.command(folder, tests);
    }
    let files: Vec<TestPlace> =
        tests.iter().map(|test| TestPlace { path: test.path.clone(), names: Vec::new() }).collect();
    runner.command(folder, &files.iter().collect::<Vec<_>>())
}

/// The project files of a workspace.
struct ProjectFiles<'w> {
    workspace: &'w Workspace,
    /// The names of the project files in each folder.
    by_folder: BTreeMap<String, Vec<&'static str>>,
    /// The folders with a configuration of Vitest.
    vitest: Vec<String>,
}

impl<'w> ProjectFiles<'w> {
    fn of_workspace(workspace: &'w Workspace) -> Self {
        let mut found = Self { workspace, by_folder: BTreeMap::new(), vitest: Vec::new() };
        for (_, path) in workspace.text().indexed_paths() {
            let (folder, name) = path.as_str().rsplit_once('/').unwrap_or(("", path.as_str()));
            if name.starts_with("vitest.config.") {
                found.vitest.push(folder.to_owned());
            }
            let is_named =
                |marker: &str| marker == name || marker == DOTNET_PROJECT && name.ends_with(marker);
            if let Some((marker, _)) = MARKERS.iter().find(|(marker, _)| is_named(marker)) {
                found.by_folder.entry(folder.to_owned()).or_default().push(marker);
            }
        }
        found
    }

    /// Returns the runner of a test and the folder of its project; `None` if no runner is known.
    fn runner_of(&self, test: &TestPlace) -> Option<(TestRunner, String)> {
        let ending = test.path.rsplit_once('.')?.1;
        if ending == "py" {
            return Some((TestRunner::Pytest, String::new()));
        }
        let fits =
            |marker: &str| MARKERS.iter().any(|(name, endings)| *name == marker && endings.contains(&ending));
        let mut folder = test.folder();
        loop {
            let here = self.by_folder.get(folder).into_iter().flatten();
            let marker = here.into_iter().find(|marker| fits(marker));
            if let Some(runner) = marker.and_then(|marker| self.runner_by(marker, folder, test)) {
                return Some((runner, folder.to_owned()));
            }
            if folder.is_empty() {
                return None;
            }
            folder = folder.rsplit_once('/').map_or("", |(above, _)| above);
        }
    }

    fn runner_by(&self, marker: &str, folder: &str, test: &TestPlace) -> Option<TestRunner> {
        Some(match marker {
            "Cargo.toml" => TestRunner::Cargo,
            "go.mod" => TestRunner::Go,
            "pom.xml" => TestRunner::Maven,
            "package.json" => return self.script_runner(folder),
            "composer.json" => TestRunner::PhpUnit,
            DOTNET_PROJECT => TestRunner::Dotnet,
            "Gemfile" if test.path.ends_with("_spec.rb") => TestRunner::RSpec,
            "Gemfile" => TestRunner::Minitest,
            _ => TestRunner::Gradle,
        })
    }

    /// Returns the runner that the folder's `package.json` names; `None` if it names none, because a folder above may.
    fn script_runner(&self, folder: &str) -> Option<TestRunner> {
        if self.vitest.iter().any(|configured| configured == folder) {
            return Some(TestRunner::Vitest);
        }
        let path =
            if folder.is_empty() { "package.json".to_owned() } else { format!("{folder}/package.json") };
        let bytes = current_bytes(self.workspace, &WsPath::new(&path).ok()?)?;
        let text = String::from_utf8_lossy(&bytes);
        SCRIPT_RUNNERS.iter().find(|(word, _)| text.contains(word)).map(|(_, runner)| *runner)
    }
}
