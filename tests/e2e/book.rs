//! Checks that the transcripts in the README and the book show what the programs print; `HOB_WRITE_EXAMPLES=1` writes
//! them again. For commands that are not run, it checks that they exist, with the options used.
//!
//! A block marked `console` is run in the source archive of a published project, command by command. All pages share
//! one daemon and one tree, but a page whose commands write gets a separate tree. Output that ends with `...` shows the
//! first lines of an answer, as many as before. [`DIFFERS`] stands for text that differs between runs. A Python block
//! with [`MARK`] above it is run in the same tree, and the next text block is its output.

use std::collections::BTreeMap;
use std::fs;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::process::Command;

use hob_tests::{Output, World, binaries, copy_folder, projects, repository, run};

const MARK: &str = "<!-- run in click -->";

/// The mark for text that differs between runs. Answers use a mere `…` themselves where they leave something out.
const DIFFERS: &str = "<…>";

/// The commands and operators of the shell that may precede `hob` in a command line.
const SEPARATORS: [&str; 4] = ["&&", "|", ";", "||"];

/// The languages of blocks that contain no commands.
const NO_COMMANDS: [&str; 5] = ["console", "text", "json", "python", "toml"];

/// A fenced block of a page.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Block<'p> {
    language: &'p str,
    /// True if the line above it is [`MARK`].
    is_marked: bool,
    /// The range of its text in the page.
    range: Range<usize>,
}

/// A page with its file and text.
struct Page {
    file: PathBuf,
    text: String,
}

/// Returns the README and every page of the book, except the one whose examples are made by another test.
fn pages() -> Vec<Page> {
    let folder = fs::read_dir(repository().join("docs")).expect("there are docs").flatten();
    let mut files: Vec<PathBuf> = folder.map(|entry| entry.path()).collect();
    files.retain(|file| {
        file.extension().is_some_and(|ending| ending == "md") && !file.ends_with("answers.md")
    });
    files.push(repository().join("README.md"));
    files.sort();
    let read = |file: PathBuf| Page { text: fs::read_to_string(&file).expect("a page is text"), file };
    files.into_iter().map(read).collect()
}

fn blocks(page: &str) -> Vec<Block<'_>> {
    let (mut found, mut open, mut at) = (Vec::new(), None, 0);
    let mut above = "";
    for line in page.split_inclusive('\n') {
        let end = at + line.len();
        let fence = line.trim_end().strip_prefix("```");
        match (fence, open.take()) {
            (Some(_), Some((language, is_marked, start))) => {
                found.push(Block { language, is_marked, range: start..at });
            }
            (Some(language), None) => open = Some((language, above == MARK, end)),
            (None, still) => open = still,
        }
        (above, at) = (line.trim_end(), end);
    }
    found
}

/// Returns the commands of a transcript, each with the output that is shown.
fn samples(transcript: &str) -> Vec<(&str, &str)> {
    let starts: Vec<usize> = transcript
        .match_indices("$ ")
        .map(|(at, _)| at)
        .filter(|at| is_line_start(transcript, *at))
        .collect();
    let ends = starts.iter().skip(1).copied().chain([transcript.len()]);
    let parts = starts.iter().zip(ends).map(|(start, end)| &transcript[start + 2..end]);
    parts.map(|part| part.split_once('\n').unwrap_or((part, ""))).collect()
}

fn is_writing(command: &str) -> bool {
    command.contains('>') || command.contains("--edits")
}

fn is_line_start(text: &str, at: usize) -> bool {
    at == 0 || text[..at].ends_with('\n')
}

/// Returns an answer, shortened as the sample was. If the answer matches the sample, returns the sample itself.
fn as_sample(said: &str, shown: &str) -> String {
    let is_cut = shown.lines().last() == Some("...");
    let most = if is_cut { shown.lines().count().saturating_sub(1).max(1) } else { usize::MAX };
    let mut lines: Vec<&str> = said.lines().take(most).collect();
    let fits = shown.lines().count() - usize::from(is_cut) == lines.len()
        && shown.lines().zip(&lines).all(|(shown, line)| is_like(line, shown));
    if fits {
        return shown.to_owned();
    }
    lines.extend((is_cut && said.lines().count() > most).then_some("..."));
    lines.iter().map(|line| format!("{line}\n")).collect()
}

/// Returns true if a line matches a shown line, in which [`DIFFERS`] stands for any text.
fn is_like(line: &str, shown: &str) -> bool {
    let parts: Vec<&str> = shown.split(DIFFERS).collect();
    let (Some(first), Some(last)) = (parts.first(), parts.last()) else { return false };
    if parts.len() == 1 {
        return line == shown;
    }
    let rest = line.strip_prefix(first).and_then(|rest| rest.strip_suffix(last));
    let Some(mut rest) = rest else { return false };
    parts[1..parts.len() - 1].iter().all(|part| match rest.split_once(part) {
        Some((_, after)) => {
            rest = after;
            true
        }
        None => false,
    })
}

/// The world in which transcripts are run: one daemon, and trees of the project.
struct Stage {
    world: World,
    shared: PathBuf,
}

impl Stage {
    fn new() -> Self {
        let world = World::new();
        let shared = world.path("click");
        let stage = Self { world, shared: shared.clone() };
        stage.ready(shared);
        stage
    }

    /// Returns the tree for a page: the shared one, unless its commands write.
    fn tree(&self, page: &Page) -> PathBuf {
        let writes = blocks(&page.text).iter().filter(|block| block.language == "console").any(|block| {
            samples(&page.text[block.range.clone()]).iter().any(|(command, _)| is_writing(command))
        });
        if !writes {
            return self.shared.clone();
        }
        let name = page.file.file_stem().expect("a page has a name").to_string_lossy().into_owned();
        self.ready(self.world.path(&name).join("click"))
    }

    /// Copies the project to `tree` and maps it. Ranks are known only after everything is derived.
    fn ready(&self, tree: PathBuf) -> PathBuf {
        copy_folder(projects::click(), &tree);
        let _ = self.run(&tree, "hob", &["map"], "").success();
        tree
    }

    fn run(&self, tree: &Path, program: &str, args: &[&str], input: &str) -> Output {
        let mut command = Command::new(program);
        self.world.clean(&mut command);
        let path = std::env::var("PATH").unwrap_or_default();
        command.args(args).current_dir(tree).env("PATH", format!("{}:{path}", binaries().display()));
        run(&mut command, input.as_bytes())
    }

    /// Returns the page as it should be.
    fn played(&self, page: &Page) -> String {
        let (tree, mut now, mut done) = (self.tree(page), String::new(), 0);
        let mut program: Option<String> = None;
        for block in blocks(&page.text) {
            let shown = &page.text[block.range.clone()];
            let played = match (block.language, program.take()) {
                ("console", _) => self.transcript(&tree, shown),
                ("text", Some(program)) => self.run(&tree, "python3", &["-"], &program).success(),
                _ => {
                    program = block.is_marked.then(|| shown.to_owned());
                    continue;
                }
            };
            now.push_str(&page.text[done..block.range.start]);
            now.push_str(&played);
            done = block.range.end;
        }
        now.push_str(&page.text[done..]);
        now
    }

    fn transcript(&self, tree: &Path, shown: &str) -> String {
        let mut now = String::new();
        for (command, shown) in samples(shown) {
            // A command that refuses prints to standard error.
            let output = self.run(tree, "/bin/sh", &["-c", command], "");
            now.push_str(&format!("$ {command}\n{}", as_sample(&(output.stdout + &output.stderr), shown)));
        }
        now
    }
}

#[test]
fn transcripts_are_what_the_programs_say() {
    let stage = Stage::new();
    let writes = std::env::var_os("HOB_WRITE_EXAMPLES").is_some();
    let (mut played, mut stale) = (0, Vec::new());
    for page in pages().iter().filter(|page| page.text.contains("```console") || page.text.contains(MARK)) {
        let mut now = stage.played(page);
        played += 1;
        if now != page.text && !writes {
            // On a busy machine, an answer lists what could not be examined in time. Then the page is played once more.
            now = stage.played(page);
        }
        if writes {
            fs::write(&page.file, &now).expect("a page can be written");
        } else if now != page.text {
            let differs = now.lines().zip(page.text.lines()).find(|(now, then)| now != then);
            stale.push(format!("{}: {differs:?}", page.file.display()));
        }
    }
    assert!(played >= 5, "the pages have transcripts");
    assert!(stale.is_empty(), "out of date (HOB_WRITE_EXAMPLES=1 writes them):\n{}", stale.join("\n"));
}

/// The help texts, by the words that lead to them.
#[derive(Default)]
struct Helps(BTreeMap<Vec<String>, String>);

impl Helps {
    fn of(&mut self, world: &World, path: &[&str]) -> String {
        let key: Vec<String> = path.iter().map(|word| (*word).to_owned()).collect();
        let ask = || {
            let mut args = path.to_vec();
            args.push("--help");
            world.hob(repository(), &args).stdout
        };
        self.0.entry(key).or_insert_with(ask).clone()
    }
}

/// Returns the reason why a command line is not one of hob's, or `None` if it is. `help_of` returns the help for the
/// words that lead to a command.
fn command_fault(words: &[String], mut help_of: impl FnMut(&[&str]) -> String) -> Option<String> {
    let (mut path, mut before): (Vec<&str>, &str) = (Vec::new(), "");
    for word in words.iter().map(String::as_str) {
        let is_value = before.starts_with('-') && !path.is_empty();
        before = word;
        if word.starts_with('-') {
            continue;
        }
        let help = help_of(&path);
        match commands_in(&help).contains(&word) || path == ["call"] {
            true => path.push(word),
            // A word after an option may be its value.
            false if !is_value && takes_only_commands(&help) => {
                return Some(format!("`{}` has no command `{word}`", command_name(&path)));
            }
            false => break,
        }
    }
    let help = help_of(&path);
    if help.is_empty() {
        return Some(format!("`{}` has no help: it is no command", command_name(&path)));
    }
    let options = words.iter().take_while(|word| *word != "--").filter(|word| word.starts_with("--"));
    let mut names = options.filter_map(|option| option.split('=').next());
    names
        .find(|name| *name != "--help" && !has_option(&help, name))
        .map(|name| format!("`{}` has no option {name}", command_name(&path)))
}

fn command_name(path: &[&str]) -> String {
    ["hob"].iter().chain(path).copied().collect::<Vec<_>>().join(" ")
}

/// Returns true if a command has subcommands and takes no other words.
fn takes_only_commands(help: &str) -> bool {
    let has = |heading: &str| help.lines().any(|line| line == heading);
    has("Commands:") && !has("Arguments:")
}

/// Returns the names below "Commands:".
fn commands_in(help: &str) -> Vec<&str> {
    let after = help.lines().skip_while(|line| *line != "Commands:").skip(1);
    let rows = after.take_while(|line| line.starts_with("  "));
    rows.filter(|line| !line.starts_with("   ")).filter_map(|line| line.split_whitespace().next()).collect()
}

fn has_option(help: &str, name: &str) -> bool {
    let is_end = |after: Option<char>| after.is_none_or(|c| !c.is_alphanumeric() && c != '-');
    help.match_indices(name).any(|(at, _)| is_end(help[at + name.len()..].chars().next()))
}

/// Returns the command lines of hob in a block, split into words.
fn command_lines(block: &str) -> Vec<Vec<String>> {
    let mut found = Vec::new();
    for line in block.lines() {
        let line = line.strip_prefix("$ ").unwrap_or(line);
        let line = line.split(" #").next().unwrap_or(line);
        let words = shell_words(line);
        for part in words.split(|word| SEPARATORS.contains(&word.as_str())) {
            if part.first().is_some_and(|word| word == "hob") && part.len() > 1 {
                found.push(part[1..].to_vec());
            }
        }
    }
    found
}

/// Returns the words of a command line. Words in single or double quotes stay together.
fn shell_words(line: &str) -> Vec<String> {
    let (mut words, mut quote) = (vec![String::new()], None);
    for c in line.chars() {
        match (c, quote) {
            ('\'' | '"', None) => quote = Some(c),
            (c, Some(open)) if c == open => quote = None,
            (c, None) if c.is_whitespace() => words.push(String::new()),
            (c, _) => words.last_mut().expect("there is one").push(c),
        }
    }
    words.retain(|word| !word.is_empty());
    words
}

#[test]
fn commands_that_are_not_run_exist() {
    let (world, mut helps, mut faults, mut seen) = (World::new(), Helps::default(), Vec::new(), 0);
    for page in pages() {
        for block in blocks(&page.text).iter().filter(|block| !NO_COMMANDS.contains(&block.language)) {
            for words in command_lines(&page.text[block.range.clone()]) {
                seen += 1;
                let fault = command_fault(&words, |path| helps.of(&world, path));
                let name = page.file.file_name().expect("a page has a name").to_string_lossy();
                faults.extend(fault.map(|fault| format!("{name}: hob {}: {fault}", words.join(" "))));
            }
        }
    }
    assert!(seen > 60, "the pages have commands, and {seen} were found");
    assert!(faults.is_empty(), "commands of the pages that are none:\n{}", faults.join("\n"));
}

#[test]
fn pages_are_taken_apart_as_they_are_meant() {
    let page = "a\n```console\n$ hob map\none\n$ ls\n```\n<!-- run in click -->\n```python\nprint(1)\n```\n";
    let found = blocks(page);
    assert_eq!((found.len(), found[0].language, found[1].is_marked), (2, "console", true));
    assert_eq!(samples(&page[found[0].range.clone()]), [("hob map", "one\n"), ("ls", "")]);
    assert_eq!(as_sample("one\ntwo\nthree\n", "old\n...\n"), "one\n...\n");
    assert_eq!(as_sample("id 17\n", "id <…>\n"), "id <…>\n");
    assert_eq!(as_sample("id 17\n", "no <…>\n"), "id 17\n");
    assert!(is_like("a 1 b 2 c", "a <…> b <…> c") && !is_like("a 1 c", "a <…> b <…> c"));
    assert!(is_like("a … 3", "a … 3") && !is_like("a 1 3", "a … 3"));
    let lines = command_lines("git diff | hob review - # why\nhob grep 'a b' -g '*.rs'\nls hob\n");
    assert_eq!(lines, [vec!["review", "-"], vec!["grep", "a b", "-g", "*.rs"]]);
    let help_of = |path: &[&str]| {
        let help = match path {
            [] => "Commands:\n  call  Call\n  servers  Servers\n  setup  Set up\n",
            ["servers"] => "Commands:\n  list  List\n\nOptions:\n  --json\n",
            ["setup"] => "Commands:\n  list  List\n\nArguments:\n  [NAME]\n",
            ["call", "map_search"] => "Options:\n  --limit\n",
            ["servers", "list"] => "Options:\n  --json\n",
            _ => "",
        };
        help.to_owned()
    };
    let has_fault = |line: &str| command_fault(&shell_words(line), help_of).is_some();
    for good in ["servers list", "setup cursor", "call map_search get --limit 2", "servers --json x"] {
        assert!(!has_fault(good), "{good}");
    }
    for bad in ["lits", "servers lits", "call nosuch", "call map_search --limt 2"] {
        assert!(has_fault(bad), "{bad}");
    }
    let help = "Commands:\n  add   Add\n          more\n  list  List\n\nOptions:\n  --all-of\n";
    assert_eq!(commands_in(help), ["add", "list"]);
    assert!(has_option(help, "--all-of") && !has_option(help, "--all"));
}
