//! The samples of the README: real answers about a published project. `HOB_WRITE_EXAMPLES=1` writes them anew.
//!
//! A sample that ends with `...` shows the first lines of its answer, as many as there were before; any other shows all of it.

use hob_tests::{World, copy_folder, projects, repository};

const OPENING: &str = "```console\n";
const CLOSING: &str = "```\n";

#[test]
fn the_samples_of_the_readme_are_what_the_program_says() {
    let file = repository().join("README.md");
    let readme = std::fs::read_to_string(&file).expect("README.md");
    let (before, rest) = readme.split_once(OPENING).expect("there are samples");
    let (samples, after) = rest.split_once(CLOSING).expect("they end");
    let world = World::new();
    let tree = world.path("click");
    copy_folder(projects::click(), &tree);
    let mut now = String::new();
    for sample in samples.split("$ ").filter(|sample| !sample.is_empty()) {
        let (command, shown) = sample.split_once('\n').expect("a line of its own");
        let words = shell_words(command);
        assert_eq!(words.first().map(String::as_str), Some("hob"), "{command}");
        let args: Vec<&str> = words.iter().skip(1).map(String::as_str).collect();
        let said = world.hob(&tree, &args).success();
        now.push_str(&format!("$ {command}\n{}", as_sample(&said, shown)));
    }
    if std::env::var_os("HOB_WRITE_EXAMPLES").is_some() {
        std::fs::write(&file, format!("{before}{OPENING}{now}{CLOSING}{after}")).expect("written");
        return;
    }
    assert!(
        now == samples,
        "the README's samples are out of date (HOB_WRITE_EXAMPLES=1 writes them); now:\n{now}"
    );
}

/// An answer, cut where the sample was.
fn as_sample(said: &str, shown: &str) -> String {
    let is_cut = shown.lines().last() == Some("...");
    let most = if is_cut { shown.lines().count().saturating_sub(1) } else { usize::MAX };
    let mut lines: Vec<&str> = said.lines().take(most).collect();
    lines.extend((is_cut && said.lines().count() > most).then_some("..."));
    lines.iter().map(|line| format!("{line}\n")).collect()
}

/// The words of a command line with nothing but plain words and words in single quotes.
fn shell_words(command: &str) -> Vec<String> {
    let (mut words, mut is_quoted) = (vec![String::new()], false);
    for c in command.chars() {
        match c {
            '\'' => is_quoted = !is_quoted,
            ' ' if !is_quoted => words.push(String::new()),
            c => words.last_mut().expect("there is one").push(c),
        }
    }
    words
}
