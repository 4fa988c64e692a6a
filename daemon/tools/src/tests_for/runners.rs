//! Makes the command lines of test runners. Each runner has one row, which is chosen by the endings of the test files.
//!
//! The code here is pure: it takes paths and names and returns a command line for a POSIX shell. Where several runners
//! would do, `commands` finds out which one the project uses.

use hob_map::Map;
use hob_map::graph::NodeRef;

/// A test as a runner needs it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct TestPlace {
    pub(super) path: String,
    /// The parts of the qualified name; empty for a file.
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

    /// Returns the last part of the name, or `None` for a file.
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
    Mocha,
    Node,
    Maven,
    Gradle,
    Dotnet,
    PhpUnit,
    RSpec,
    Minitest,
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
            Self::Mocha => "mocha",
            Self::Node => "node",
            Self::Dotnet => "dotnet",
            Self::PhpUnit => "phpunit",
            Self::RSpec => "rspec",
            Self::Minitest => "minitest",
        }
    }

    /// Returns true if one command can run tests of several project folders.
    pub(super) fn is_for_all_folders(self) -> bool {
        matches!(self, Self::Pytest)
    }

    /// Returns the command line for tests whose project is in `folder`.
    pub(super) fn command(self, folder: &str, tests: &[&TestPlace]) -> String {
        match self {
            Self::Pytest => with_words("pytest", tests.iter().map(|test| pytest_id(test))),
            Self::Cargo => cargo_command(folder, tests),
            Self::Go => go_command(folder, tests),
            Self::Jest => with_words(&in_folder(folder, "npx jest"), paths_in(folder, tests)),
            Self::Vitest => with_words(&in_folder(folder, "npx vitest run"), paths_in(folder, tests)),
            Self::Mocha => with_words(&in_folder(folder, "npx mocha"), paths_in(folder, tests)),
            Self::Node => with_words(&in_folder(folder, "node --test"), paths_in(folder, tests)),
            Self::Dotnet => dotnet_command(folder, tests),
            Self::PhpUnit => phpunit_command(folder, tests),
            Self::RSpec => with_words(&in_folder(folder, "bundle exec rspec"), paths_in(folder, tests)),
            Self::Minitest => minitest_command(folder, tests),
            Self::Maven => maven_command(folder, tests),
            Self::Gradle => gradle_command(folder, tests),
        }
    }
}

/// Returns `path::Class::test`, or the part of it that names test classes. For a helper or a fixture, that is its file.
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

/// Returns a `cargo test` command. libtest selects tests by parts of their names: the modules that are written in the
/// file, and the function.
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

/// Returns a Maven command that selects tests as `Class#one+two`, joined by commas.
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

/// Returns a `dotnet test` command. Its filter takes parts of full names, joined by `|`.
fn dotnet_command(folder: &str, tests: &[&TestPlace]) -> String {
    let name = |test: &&TestPlace| match &test.names[..] {
        [] => class_of(test).to_owned(),
        names => names.join("."),
    };
    let parts = sorted(tests.iter().map(name));
    let parts: Vec<String> = parts.iter().map(|name| format!("FullyQualifiedName~{name}")).collect();
    let project = if folder.is_empty() { String::new() } else { format!(" {}", quote(folder)) };
    format!("dotnet test{project} --filter {}", quote(&parts.join("|")))
}

/// Returns a PHPUnit command. PHPUnit takes at most one path, and a pattern for the tests in it.
fn phpunit_command(folder: &str, tests: &[&TestPlace]) -> String {
    let start = in_folder(folder, "vendor/bin/phpunit");
    let methods = sorted(tests.iter().filter_map(|test| test.names.get(1).cloned()));
    let classes = sorted(tests.iter().map(|test| class_of(test).to_owned()));
    match &classes[..] {
        [_] if methods.is_empty() => with_words(&start, paths_in(folder, tests)),
        [_] => {
            let filter = format!("{start} --filter {}", quote(&format!("/::({})( |$)/", methods.join("|"))));
            with_words(&filter, paths_in(folder, tests))
        }
        _ => format!("{start} --filter {}", quote(&format!("/({})::/", classes.join("|")))),
    }
}

/// Returns a command for minitest. Ruby runs one file; several files are loaded by a line of Ruby.
fn minitest_command(folder: &str, tests: &[&TestPlace]) -> String {
    let paths = sorted(paths_in(folder, tests));
    let start = in_folder(folder, "ruby -Ilib -Itest");
    match &paths[..] {
        [one] => format!("{start} {}", quote(one)),
        _ => with_words(&format!("{start} -e 'ARGV.each {{ |file| load file }}'"), paths.into_iter()),
    }
}

/// Returns the outermost class of a test, or for a file the class that has the file's name.
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

/// Quotes a word for a POSIX shell.
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
    fn runners_of_other_languages_are_told_in_theirs() {
        let web = [place("web/test/a.test.js", &[]), place("web/test/b.test.js", &[])];
        check(TestRunner::Mocha, "web", &web, "cd web && npx mocha test/a.test.js test/b.test.js");
        check(TestRunner::Node, "", &web[..1], "node --test web/test/a.test.js");
        let sharp = [place("T/CartTests.cs", &["Shop", "CartTests", "Adds"])];
        check(
            TestRunner::Dotnet,
            "T",
            &sharp,
            "dotnet test T --filter 'FullyQualifiedName~Shop.CartTests.Adds'",
        );
        let php = [place("tests/CartTest.php", &["CartTest", "testAdds"])];
        check(
            TestRunner::PhpUnit,
            "",
            &php,
            "vendor/bin/phpunit --filter '/::(testAdds)( |$)/' tests/CartTest.php",
        );
        let both = [php[0].clone(), place("tests/BillTest.php", &["BillTest"])];
        check(TestRunner::PhpUnit, "", &both, "vendor/bin/phpunit --filter '/(BillTest|CartTest)::/'");
        let specs = [place("spec/cart_spec.rb", &[])];
        check(TestRunner::RSpec, "", &specs, "bundle exec rspec spec/cart_spec.rb");
        let mini = [place("test/cart_test.rb", &["CartTest", "test_adds"]), place("test/bill_test.rb", &[])];
        check(TestRunner::Minitest, "", &mini[..1], "ruby -Ilib -Itest test/cart_test.rb");
        check(
            TestRunner::Minitest,
            "",
            &mini,
            "ruby -Ilib -Itest -e 'ARGV.each { |file| load file }' test/bill_test.rb test/cart_test.rb",
        );
    }

    #[test]
    fn odd_paths_are_quoted() {
        assert_eq!(quote("a b's"), "'a b'\\''s'");
        assert_eq!(quote(""), "''");
    }
}
