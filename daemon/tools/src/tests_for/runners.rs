//! The programs that run tests, and how each is told which: one row for each, by the endings of files.
//!
//! Pure: paths and names in, a command line for a POSIX shell out. What a project uses, where several would do, `commands` finds out.

use hob_map::Map;
use hob_map::graph::NodeRef;

/// A test as a runner needs it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct TestPlace {
    pub(super) path: String,
    /// The qualified name in its parts; none for a file.
    pub(super) names: Vec<String>,
}

impl TestPlace {
    pub(super) fn of_node(map: &Map, node: NodeRef) -> Option<Self> {
        let info = map.info(node)?;
        let names = info.qualified.split('.').filter(|name| !name.is_empty()).map(str::to_owned).collect();
        Some(Self { path: info.path?.to_string(), names })
    }

    pub(super) fn folder(&self) -> &str {
        self.path.rsplit_once('/').map_or("", |(folder, _)| folder)
    }

    /// The last name, if the last names are those of a test by the runner's convention.
    fn test_name(&self) -> Option<&str> {
        self.names.last().map(String::as_str)
    }
}

/// A program that runs tests.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum TestRunner {
    Pytest,
    Cargo,
    Go,
    Jest,
    Vitest,
    Maven,
    Gradle,
}

impl TestRunner {
    pub(super) fn as_str(self) -> &'static str {
        match self {
            Self::Pytest => "pytest",
            Self::Cargo => "cargo",
            Self::Go => "go",
            Self::Jest => "jest",
            Self::Vitest => "vitest",
            Self::Maven => "maven",
            Self::Gradle => "gradle",
        }
    }

    /// Whether one command runs tests of several project folders.
    pub(super) fn is_for_all_folders(self) -> bool {
        matches!(self, Self::Pytest)
    }

    /// The command line for tests whose project lies in `folder`.
    pub(super) fn command(self, folder: &str, tests: &[&TestPlace]) -> String {
        match self {
            Self::Pytest => with_words("pytest", tests.iter().map(|test| pytest_id(test))),
            Self::Cargo => cargo_command(folder, tests),
            Self::Go => go_command(folder, tests),
            Self::Jest => with_words(&in_folder(folder, "npx jest"), paths_in(folder, tests)),
            Self::Vitest => with_words(&in_folder(folder, "npx vitest run"), paths_in(folder, tests)),
            Self::Maven => maven_command(folder, tests),
            Self::Gradle => gradle_command(folder, tests),
        }
    }
}

/// `path::Class::test`, or as much of it as names classes; a helper or a fixture stands for its file.
fn pytest_id(test: &TestPlace) -> String {
    let mut id = test.path.clone();
    for name in &test.names {
        let is_function = name.starts_with("test");
        if !is_function && !name.contains("Test") {
            break;
        }
        id.push_str("::");
        id.push_str(name);
        if is_function {
            break;
        }
    }
    id
}

/// libtest takes parts of names: modules and the function, as far as the file says them.
fn cargo_command(folder: &str, tests: &[&TestPlace]) -> String {
    let start = match folder {
        "" => "cargo test --".to_owned(),
        folder => format!("cargo test --manifest-path {} --", quote(&format!("{folder}/Cargo.toml"))),
    };
    with_words(&start, tests.iter().filter(|test| !test.names.is_empty()).map(|test| test.names.join("::")))
}

fn go_command(folder: &str, tests: &[&TestPlace]) -> String {
    let start =
        if folder.is_empty() { "go test".to_owned() } else { format!("go test -C {}", quote(folder)) };
    let is_test = |name: &&str| ["Test", "Fuzz", "Example"].iter().any(|start| name.starts_with(start));
    let names = sorted(tests.iter().filter_map(|test| test.test_name()).filter(is_test).map(str::to_owned));
    let packages = sorted(tests.iter().map(|test| match below(folder, test.folder()) {
        "" => ".".to_owned(),
        package => format!("./{package}"),
    }));
    let start = if names.is_empty() {
        start
    } else {
        format!("{start} -run {}", quote(&format!("^({})$", names.join("|"))))
    };
    with_words(&start, packages.into_iter())
}

/// `Class#one+two`, joined by commas.
fn maven_command(folder: &str, tests: &[&TestPlace]) -> String {
    let mut classes: std::collections::BTreeMap<&str, Vec<&str>> = std::collections::BTreeMap::new();
    for test in tests {
        let methods = classes.entry(class_of(test)).or_default();
        methods.extend(test.names.get(1).map(String::as_str));
    }
    let picked = classes.into_iter().map(|(class, mut methods)| {
        methods.sort_unstable();
        methods.dedup();
        if methods.is_empty() { class.to_owned() } else { format!("{class}#{}", methods.join("+")) }
    });
    let picked: Vec<String> = picked.collect();
    let file = if folder.is_empty() {
        String::new()
    } else {
        format!(" -f {}", quote(&format!("{folder}/pom.xml")))
    };
    format!("mvn{file} test -Dtest={}", quote(&picked.join(",")))
}

fn gradle_command(folder: &str, tests: &[&TestPlace]) -> String {
    let project = if folder.is_empty() { String::new() } else { format!(":{}:", folder.replace('/', ":")) };
    let picked = tests.iter().map(|test| match test.names.get(1) {
        Some(method) => format!("*{}.{method}", class_of(test)),
        None => format!("*{}", class_of(test)),
    });
    let picked: Vec<String> = sorted(picked).iter().map(|name| format!("--tests {}", quote(name))).collect();
    format!("./gradlew {project}test {}", picked.join(" "))
}

/// The outermost class of a test; of a file, the class that it is named after.
fn class_of(test: &TestPlace) -> &str {
    let file = test.path.rsplit('/').next().unwrap_or_default();
    test.names.first().map_or(file.split('.').next().unwrap_or_default(), String::as_str)
}

fn paths_in<'t>(folder: &'t str, tests: &'t [&TestPlace]) -> impl Iterator<Item = String> + 't {
    tests.iter().map(move |test| below(folder, &test.path).to_owned())
}

fn in_folder(folder: &str, command: &str) -> String {
    if folder.is_empty() { command.to_owned() } else { format!("cd {} && {command}", quote(folder)) }
}

fn below<'p>(folder: &str, path: &'p str) -> &'p str {
    path.strip_prefix(folder).map_or(path, |rest| rest.trim_start_matches('/'))
}

fn sorted(words: impl Iterator<Item = String>) -> Vec<String> {
    let mut words: Vec<String> = words.collect();
    words.sort();
    words.dedup();
    words
}

fn with_words(start: &str, words: impl Iterator<Item = String>) -> String {
    let words: Vec<String> = sorted(words).iter().map(|word| quote(word)).collect();
    format!("{start} {}", words.join(" "))
}

/// A word for a POSIX shell.
fn quote(word: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "_-./:=,+@%".contains(c);
    if !word.is_empty() && word.chars().all(is_plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', "'\\''"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn place(path: &str, names: &[&str]) -> TestPlace {
        TestPlace { path: path.to_owned(), names: names.iter().map(|name| (*name).to_owned()).collect() }
    }

    #[track_caller]
    fn check(runner: TestRunner, folder: &str, tests: &[TestPlace], expected: &str) {
        assert_eq!(runner.command(folder, &tests.iter().collect::<Vec<_>>()), expected);
    }

    #[test]
    fn each_runner_is_told_in_its_own_way() {
        let python = [place("t/test_a.py", &["TestA", "test_b"]), place("t/conftest.py", &["shop"])];
        check(TestRunner::Pytest, "", &python, "pytest t/conftest.py t/test_a.py::TestA::test_b");
        check(TestRunner::Pytest, "", &[place("a.py", &["test_a", "inner"])], "pytest a.py::test_a");
        let rust = [place("a/src/x.rs", &["tests", "it_works"])];
        check(TestRunner::Cargo, "a", &rust, "cargo test --manifest-path a/Cargo.toml -- tests::it_works");
        let go = [
            place("p/a_test.go", &["TestA"]),
            place("p/q/b_test.go", &["TestB"]),
            place("p/a_test.go", &["helper"]),
        ];
        check(TestRunner::Go, "", &go, "go test -run '^(TestA|TestB)$' ./p ./p/q");
        let web = [place("web/src/a.test.ts", &[])];
        check(TestRunner::Vitest, "web", &web, "cd web && npx vitest run src/a.test.ts");
        check(TestRunner::Jest, "", &web, "npx jest web/src/a.test.ts");
        let java = [
            place("src/test/java/ATest.java", &["ATest", "one"]),
            place("src/test/java/ATest.java", &["ATest", "two"]),
        ];
        check(TestRunner::Maven, "", &java, "mvn test -Dtest='ATest#one+two'");
        check(
            TestRunner::Gradle,
            "app",
            &java,
            "./gradlew :app:test --tests '*ATest.one' --tests '*ATest.two'",
        );
    }

    #[test]
    fn odd_paths_are_quoted() {
        assert_eq!(quote("a b's"), "'a b'\\''s'");
        assert_eq!(quote(""), "''");
    }
}
