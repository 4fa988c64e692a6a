//! Splits a question into its parts: a title, prose, names written as code, files that it mentions.
//!
//! People paste issues. An issue has a first line that states the problem, prose that explains it, code that
//! shows it, and much that says nothing about the project: versions, checklists, links, templates. Each part
//! is evidence of another kind, so each is read separately. This module looks nothing up and reads the whole
//! text.

use rustc_hash::FxHashMap;

/// Endings of files that projects consist of; `session.get` is no file.
const ENDINGS: &[&str] = &[
    "bash", "c", "cc", "cfg", "cjs", "cpp", "cs", "css", "cu", "cuh", "cxx", "dart", "ex", "exs", "go", "h",
    "hh", "hpp", "html", "ini", "ipynb", "java", "js", "json", "jsx", "kt", "kts", "lua", "m", "md", "mjs",
    "php", "pl", "proto", "py", "pyi", "pyx", "rb", "rs", "rst", "scala", "scss", "sh", "sql", "svelte",
    "swift", "tf", "toml", "ts", "tsx", "txt", "vue", "xml", "yaml", "yml",
];

/// Length of the shortest name in a block of code that is looked up: shorter ones are counters and letters.
const SHORTEST_IN_BLOCK: usize = 3;

/// The place where a question writes a name; of several, the first counts.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum WrittenIn {
    /// In the first line.
    Title,
    /// In the prose, marked as code or in the form of code.
    Prose,
    /// In a block of code or a stack trace.
    Block,
}

/// A name that a question writes as code.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct WrittenName {
    /// The name, with the names that qualify it: `Session.get`, `make_naive`.
    pub text: String,
    /// The first place of the name.
    pub place: WrittenIn,
    /// The number of its occurrences.
    pub count: usize,
}

/// A question taken apart.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct QuestionReading {
    /// The first meaningful line.
    pub title: String,
    /// The text without code, links, templates and versions.
    pub prose: String,
    /// The names that it writes as code, in their order.
    pub names: Vec<WrittenName>,
    /// The paths of files that it mentions, as they are written.
    pub paths: Vec<String>,
}

impl QuestionReading {
    /// Reads a question of any length.
    #[must_use]
    pub fn of(text: &str) -> Self {
        let mut reader = Reader::default();
        let text = without_comments(text);
        for line in text.lines() {
            reader.read_line(line);
        }
        reader.reading
    }

    /// Returns true if the question has more than a title.
    #[must_use]
    pub fn has_more_than_title(&self) -> bool {
        self.prose.lines().nth(1).is_some() || self.names.iter().any(|name| name.place != WrittenIn::Title)
    }
}

/// Returns the text without HTML comments: the instructions of templates.
fn without_comments(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once("<!--") {
        shown.push_str(before);
        rest = after.split_once("-->").map_or("", |(_, after)| after);
    }
    shown.push_str(rest);
    shown
}

#[derive(Default)]
struct Reader {
    reading: QuestionReading,
    places: FxHashMap<String, usize>,
    /// The fence that ends the block at hand.
    fence: Option<String>,
    in_trace: bool,
}

impl Reader {
    fn read_line(&mut self, line: &str) {
        let bare = line.trim();
        if let Some(fence) = &self.fence {
            if bare.starts_with(fence.as_str()) {
                self.fence = None;
            } else {
                self.read_code(line);
            }
            return;
        }
        if let Some(sign) = ["```", "~~~"].into_iter().find(|sign| bare.starts_with(sign)) {
            // A block may open and close in one line.
            if bare.len() <= 3 || !bare[3..].contains(sign) {
                self.fence = Some(sign.to_owned());
            }
            return;
        }
        self.in_trace = bare.starts_with("Traceback (") || (self.in_trace && line.starts_with(' '));
        if self.in_trace || is_code_line(line) {
            self.read_code(line);
        } else if !is_template_line(bare) {
            self.read_prose(bare);
        }
    }

    fn read_prose(&mut self, line: &str) {
        let line = line.trim_start_matches(['#', '>', '*', '-', ' ']).trim();
        if line.is_empty() {
            return;
        }
        let is_title = self.reading.title.is_empty();
        if is_title {
            line.clone_into(&mut self.reading.title);
        }
        let place = if is_title { WrittenIn::Title } else { WrittenIn::Prose };
        for (at, piece) in line.split('`').enumerate() {
            self.read_piece(piece, place, at % 2 == 1);
        }
        self.reading.prose.push('\n');
    }

    /// Reads a part of a line of prose that is in backticks or not.
    fn read_piece(&mut self, piece: &str, place: WrittenIn, is_quoted: bool) {
        for word in piece.split_whitespace() {
            if word.contains("://") {
                self.add_path(path_of_link(word));
                continue;
            }
            self.add_path(word);
            for name in names_in(word) {
                if is_quoted || is_written_as_code(name, word) {
                    self.add_name(name, place);
                }
            }
            self.reading.prose.push_str(word);
            self.reading.prose.push(' ');
        }
    }

    fn read_code(&mut self, line: &str) {
        if is_version_line(line.trim()) {
            return;
        }
        line.split_whitespace().for_each(|word| self.add_path(word));
        for name in names_in(line).filter(|name| name.len() >= SHORTEST_IN_BLOCK) {
            self.add_name(name, WrittenIn::Block);
        }
    }

    fn add_name(&mut self, name: &str, place: WrittenIn) {
        let name = name.trim_matches('.');
        if name.is_empty() || name.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.') {
            return;
        }
        match self.places.get(name) {
            Some(at) => {
                let known = &mut self.reading.names[*at];
                known.count += 1;
                known.place = known.place.min(place);
            }
            None => {
                self.places.insert(name.to_owned(), self.reading.names.len());
                self.reading.names.push(WrittenName { text: name.to_owned(), place, count: 1 });
            }
        }
    }

    fn add_path(&mut self, word: &str) {
        let is_around = |c: char| !c.is_alphanumeric() && !matches!(c, '_' | '.' | '/' | '\\' | '-');
        let inner = word.split(|c: char| is_around(c) && c != '@').find(|part| part.contains('.'));
        let Some(path) = inner.map(|path| path.trim_matches(['.', '-'])) else { return };
        let name = path.rsplit(['/', '\\']).next().unwrap_or(path);
        let Some((stem, ending)) = name.rsplit_once('.') else { return };
        let is_file = !stem.is_empty() && ENDINGS.contains(&ending);
        let path = path.replace('\\', "/");
        if is_file && !self.reading.paths.contains(&path) {
            self.reading.paths.push(path);
        }
    }
}

/// Returns the path in a link to a forge's page of a file; empty for other links.
fn path_of_link(word: &str) -> &str {
    let after = ["/blob/", "/tree/", "/blame/", "/raw/"].into_iter().find_map(|part| word.split_once(part));
    let path = after.and_then(|(_, rest)| rest.split_once('/')).map_or("", |(_, path)| path);
    path.split(['#', '?', ')']).next().unwrap_or("")
}

/// Returns true for a line that is indented as code, or a prompt with a command.
fn is_code_line(line: &str) -> bool {
    let bare = line.trim_start();
    let is_prompt = [">>> ", "... ", "$ ", "In ["].iter().any(|prompt| bare.starts_with(prompt));
    let is_indented = line.starts_with("    ") || line.starts_with('\t');
    is_prompt || (is_indented && !bare.starts_with(['-', '*']) && !bare.is_empty())
}

/// Returns true for a line of a form: a checklist, a heading of a template, a version.
fn is_template_line(line: &str) -> bool {
    const HEADINGS: &[&str] = &[
        "actual behavior",
        "actual behaviour",
        "actual result",
        "additional context",
        "bug report",
        "checklist",
        "describe the bug",
        "description",
        "environment",
        "expected behavior",
        "expected behaviour",
        "expected result",
        "how to reproduce",
        "node version",
        "operating system",
        "python version",
        "reproduction steps",
        "required information",
        "screenshots",
        "steps to reproduce",
        "summary",
        "system information",
        "test plan",
        "to reproduce",
        "version",
        "what happened",
        "your environment",
    ];
    let is_box = ["- [ ]", "- [x]", "- [X]", "* [ ]", "* [x]"].iter().any(|sign| line.starts_with(sign));
    let heading = line.trim_matches(|c: char| !c.is_alphanumeric()).to_lowercase();
    is_box || is_version_line(line) || HEADINGS.contains(&heading.as_str())
}

/// Returns true for a line of a list of installed programs: `numpy==1.2`, `Python 3.8.1`, `OS: Linux`.
fn is_version_line(line: &str) -> bool {
    let mut words = line.split_whitespace();
    let (first, second, rest) = (words.next().unwrap_or(""), words.next(), words.next());
    let is_number = |word: &str| {
        let word = word.trim_start_matches('v');
        word.starts_with(|c: char| c.is_ascii_digit()) && word.contains('.')
    };
    match second {
        None => first.split_once("==").is_some_and(|(_, version)| is_number(version)),
        Some(second) => rest.is_none() && is_number(second) && !first.contains('('),
    }
}

/// Returns the names in a text, with the names that qualify them: `a.b.c`, `A::b`, `make_naive`.
fn names_in(text: &str) -> impl Iterator<Item = &str> {
    let is_name = |c: char| c.is_alphanumeric() || matches!(c, '_' | '$' | '.' | ':');
    text.split(move |c| !is_name(c))
        .map(|run| run.trim_matches(['.', ':']))
        .filter(|run| run.starts_with(|c: char| c.is_alphabetic() || matches!(c, '_' | '$')))
        .filter(|run| !run.contains(":") || run.contains("::"))
}

/// Returns true if a word of prose has the form of a name in code: called, dotted, with underscores or humps.
fn is_written_as_code(name: &str, word: &str) -> bool {
    let inner = name.trim_matches('_');
    let mut pairs = inner.chars().zip(inner.chars().skip(1));
    let has_hump = pairs.any(|(a, b)| a.is_lowercase() && b.is_uppercase());
    let parts = inner.split('.').filter(|part| part.chars().count() > 1).count();
    let is_called = word.contains(&format!("{name}(")) || word.starts_with('@');
    has_hump
        || inner.contains('_')
        || inner.len() < name.len()
        || is_called
        || (parts > 1 && !word.ends_with('.'))
}

#[cfg(test)]
mod tests {
    use super::*;

    const ISSUE: &str = "### Session drops cookies after a redirect\n\n<!-- Please search first -->\n- [x] I have searched\n\n\
        When `Session.get` follows a redirect, extract_cookies() is not called, see\n\
        https://github.com/psf/requests/blob/main/src/requests/sessions.py#L150.\n\n```python\nimport requests\n\
        s = requests.Session()\ns.get('http://x')\n```\n\n    Traceback (most recent call last):\n      File \"app/x.py\", line 3, in run\n\n\
        ### Environment\nPython 3.8.1\nurllib3==1.26.4\n";

    fn names(reading: &QuestionReading, place: WrittenIn) -> Vec<&str> {
        reading.names.iter().filter(|name| name.place == place).map(|name| name.text.as_str()).collect()
    }

    #[test]
    fn an_issue_falls_into_its_parts() {
        let reading = QuestionReading::of(ISSUE);
        assert_eq!(reading.title, "Session drops cookies after a redirect");
        assert_eq!(names(&reading, WrittenIn::Prose), ["Session.get", "extract_cookies"]);
        assert!(names(&reading, WrittenIn::Block).contains(&"requests.Session"), "{reading:?}");
        assert_eq!(reading.paths, ["src/requests/sessions.py", "app/x.py"], "{reading:?}");
        for noise in ["searched", "Environment", "1.26", "urllib3", "http"] {
            assert!(!reading.prose.contains(noise), "{noise}: {}", reading.prose);
        }
        assert!(reading.has_more_than_title());
    }

    #[test]
    fn names_are_what_only_code_writes_so() {
        let reading = QuestionReading::of("coth(0) and __eq__ fail, TokenType too. Use all of it e.g. here.");
        assert_eq!(names(&reading, WrittenIn::Title), ["coth", "__eq__", "TokenType", "e.g"][..3]);
        assert!(!reading.has_more_than_title());
    }

    #[test]
    fn any_text_is_read() {
        for text in ["", "\n\n", "```", "<!--", "`", "...", "# ", "::", "a\u{0}b", "\u{1F600} ok", ">>> "] {
            let _ = QuestionReading::of(text);
        }
        let long = "word `name_of_it` ".repeat(20_000);
        assert_eq!(QuestionReading::of(&long).names.len(), 1);
    }
}
